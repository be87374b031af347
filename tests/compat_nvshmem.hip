/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CHECK=1 */
/*
 * Programs with NVSHMEM's names, and HIP's in place of CUDA's, work: rings, collectives and calls on streams
 * do what gshmem's do. They are written as for NVSHMEM, except for the launches.
 */
#include <hip/hip_runtime.h>
#include <gshmem/compat/nvshmem.h>
#include <gshmem/compat/nvshmemx.h>
#include "oracle.h"

enum { NELEMS = 300, NTHREADS = 128 };

static int me, npes;
static hipStream_t stream;

static void get(void *dest, const void *source, size_t nbytes)
{
	nvshmemx_barrier_all_on_stream(stream);
	t_hip(hipStreamSynchronize(stream));
	t_from_device(dest, source, nbytes);
	nvshmem_barrier_all();
}

/* ---- each PE tells the next one its number ---- */

__global__ static void simple_shift(int *destination)
{
	int mype = nvshmem_my_pe(), npes_ = nvshmem_n_pes();

	nvshmem_int_p(destination, mype, (mype + 1) % npes_);
}

static void check_shift()
{
	int *destination = (int *)nvshmem_malloc(sizeof *destination), number;

	hipLaunchKernelGGL(simple_shift, dim3(1), dim3(1), 0, stream, destination);
	get(&number, destination, sizeof number);
	t_equal(number, (me + npes - 1) % npes, "shift");
	nvshmem_free(destination);
}

/* ---- typed signals; states and versions ---- */

__global__ static void signal_kernel(uint64_t *words, int *numbers, int my_pe, int n)
{
	nvshmemx_uint64_signal(&words[my_pe], (uint64_t)my_pe + 1, (my_pe + 1) % n);
	nvshmemx_int_signal(&numbers[my_pe], -my_pe - 1, (my_pe + 1) % n);
	nvshmem_uint64_wait_until(
		&words[(my_pe + n - 1) % n], NVSHMEM_CMP_EQ, (uint64_t)((my_pe + n - 1) % n) + 1);
	nvshmem_int_wait_until(&numbers[(my_pe + n - 1) % n], NVSHMEM_CMP_EQ, -((my_pe + n - 1) % n) - 1);
}

static void check_signals()
{
	uint64_t *words = (uint64_t *)nvshmem_calloc((size_t)npes, sizeof *words);
	int *numbers = (int *)nvshmem_calloc((size_t)npes, sizeof *numbers), version[3];

	nvshmem_barrier_all();
	t_launch(signal_kernel, 1, 1, words, numbers, me, npes);
	nvshmem_barrier_all();
	t_equal(nvshmemx_init_status(), NVSHMEM_STATUS_IS_INITIALIZED, "status");
	nvshmemx_vendor_get_version_info(&version[0], &version[1], &version[2]);
	t_equal(version[0], NVSHMEM_VENDOR_MAJOR_VERSION, "version");
	nvshmem_free(numbers);
	nvshmem_free(words);
}

/* ---- a broadcast round a ring, and a sum, in kernels that wait ---- */

__global__ static void ring_bcast(int *data, size_t nelems, int root, uint64_t *psync)
{
	int mype = nvshmem_my_pe(), n = nvshmem_n_pes(), peer = (mype + 1) % n;

	if (mype == root)
		*psync = 1;
	nvshmem_signal_wait_until(psync, NVSHMEM_CMP_NE, 0);
	if (peer == root)
		return;
	nvshmem_int_put(data, data, nelems, peer);
	nvshmem_fence();
	nvshmemx_signal_op(psync, 1, NVSHMEM_SIGNAL_SET, peer);
	*psync = 0;
}

/* Sums of all PEs go once around the ring, block by block. */
__global__ static void ring_sum(int *sum, const int *values, uint64_t *sig, int nelems)
{
	const int mype = nvshmem_my_pe(), n = nvshmem_n_pes(), peer = (mype + 1) % n;

	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < nelems;
		i += (int)(gridDim.x * blockDim.x)) {
		if (mype > 0)
			nvshmem_signal_wait_until(sig + i, NVSHMEM_CMP_GE, 1);
		sum[i] += values[i];
		if (mype < n - 1)
			nvshmem_int_put_signal_nbi(sum + i, sum + i, 1, sig + i, 1, NVSHMEM_SIGNAL_ADD, peer);
	}
	nvshmem_quiet();
}

static void check_rings()
{
	int *data = (int *)nvshmem_malloc(NELEMS * sizeof *data),
	    *values = (int *)nvshmem_malloc(NELEMS * sizeof *values);
	uint64_t *psync = (uint64_t *)nvshmem_calloc(NELEMS, sizeof *psync);
	int on_cpu[NELEMS], root = npes - 1, gridsize = 0, nelems = NELEMS;
	size_t n = NELEMS;
	void *args[] = {&data, &n, &root, &psync};
	void *args_of_sum[] = {&data, &values, &psync, &nelems};

	for (int i = 0; i < NELEMS; i++)
		on_cpu[i] = me + i;
	t_to_device(data, on_cpu, sizeof on_cpu);
	t_equal(nvshmemx_buffer_register(on_cpu, sizeof on_cpu), 0, "nvshmemx_buffer_register");
	t_equal(nvshmemx_buffer_unregister(on_cpu), 0, "nvshmemx_buffer_unregister");
	nvshmemx_buffer_unregister_all();
	nvshmem_barrier_all();
	t_equal(nvshmemx_collective_launch(ring_bcast, dim3(1), dim3(1), args, 0, stream), 0, "launch");
	get(on_cpu, data, sizeof on_cpu);
	for (int i = 0; i < NELEMS; i++)
		t_equal(on_cpu[i], root + i, "ring broadcast");

	for (int i = 0; i < NELEMS; i++)
		on_cpu[i] = me * i;
	t_to_device(values, on_cpu, sizeof on_cpu);
	t_memset(data, 0, NELEMS * sizeof *data);
	t_memset(psync, 0, NELEMS * sizeof *psync);
	nvshmem_barrier_all();
	t_equal(nvshmemx_collective_launch_query_gridsize(
			ring_sum, dim3(NTHREADS), args_of_sum, 0, &gridsize),
		0, "query");
	t_check(gridsize > 0, "PE %d: grid size %d", me, gridsize);
	t_equal(nvshmemx_collective_launch(
			ring_sum, dim3(gridsize < 2 ? 1 : 2), dim3(NTHREADS), args_of_sum, 0, stream),
		0, "launch");
	get(on_cpu, data, sizeof on_cpu);
	for (int i = 0; i < NELEMS; i++)
		t_equal(on_cpu[i], me * (me + 1) / 2 * i, "ring sum");
	nvshmem_free(psync);
	nvshmem_free(values);
	nvshmem_free(data);
}

/* ---- blocks and warps; collectives of teams in kernels, on a stream, by the host ---- */

__global__ static void by_groups(float *dest, float *source, int *idest, int *isource, nvshmem_team_t team)
{
	const int mype = nvshmem_my_pe(), n = nvshmem_n_pes(), peer = (mype + 1) % n;

	nvshmemx_float_put_nbi_block(dest, source, NELEMS, peer);
	if (threadIdx.x < (unsigned)warpSize)
		nvshmemx_float_put_warp(dest + NELEMS, source + NELEMS, NELEMS, peer);
	nvshmemx_barrier_all_block();
	nvshmemx_int_fcollect_block(team, idest, isource, 1);
	nvshmemx_int_sum_reduce_block(team, idest + n, isource, 5);
	nvshmemx_int_broadcast_block(team, idest + n + 5, isource, 5, n - 1);
	nvshmemx_int_max_reducescatter_block(team, idest + n + 10, isource, 1);
	nvshmemx_barrier_block(team);
	nvshmemx_team_sync_block(team);
	if (threadIdx.x == 7)
		(void)nvshmem_int_alltoall(NVSHMEM_TEAM_WORLD, idest + n + 11, isource, 1);
}

static void check_groups()
{
	float *dest = (float *)nvshmem_malloc(2 * NELEMS * sizeof *dest), f[2 * NELEMS];
	float *source = (float *)nvshmem_malloc(2 * NELEMS * sizeof *source);
	int *idest = (int *)nvshmem_align(64, 100 * sizeof *idest),
	    *isource = (int *)nvshmem_malloc(100 * sizeof *isource);
	const int previous = (me + npes - 1) % npes;
	nvshmem_team_t team, row, column;
	int numbers[100];

	t_equal(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team), 0, "split");
	t_equal(nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, npes, NULL, 0, &row, NULL, 0, &column), 0,
		"split_2d");
	t_equal(nvshmem_team_n_pes(row) * 10 + nvshmem_team_n_pes(column), npes * 10 + 1, "rows and columns");
	for (int i = 0; i < 2 * NELEMS; i++)
		f[i] = (float)(me * 1000 + i);
	t_to_device(source, f, sizeof f);
	for (int i = 0; i < 100; i++)
		numbers[i] = me * 100 + i;
	t_to_device(isource, numbers, sizeof numbers);
	nvshmem_barrier_all();
	hipLaunchKernelGGL(by_groups, dim3(1), dim3(NTHREADS), 0, stream, dest, source, idest, isource, team);
	get(f, dest, sizeof f);
	for (int i = 0; i < 2 * NELEMS; i++)
		t_equal(f[i], previous * 1000 + i, "put by a block, and by a warp");
	get(numbers, idest, sizeof numbers);
	for (int i = 0; i < npes; i++) {
		t_equal(numbers[i], i * 100, "fcollect");
		t_equal(numbers[npes + 11 + i], i * 100 + me, "alltoall");
	}
	for (int i = 0; i < 5; i++) {
		t_equal(numbers[npes + i], npes * (npes - 1) / 2 * 100 + npes * i, "sum");
		t_equal(numbers[npes + 5 + i], (npes - 1) * 100 + i, "broadcast");
	}
	t_equal(numbers[npes + 10], (npes - 1) * 100 + me, "reducescatter");

	t_equal(nvshmemx_int_sum_reduce_on_stream(team, idest, isource, 3, stream), 0, "sum on a stream");
	nvshmemx_float_put_on_stream(dest, source, 1, (me + 1) % npes, stream);
	t_equal(nvshmemx_barrier_on_stream(team, stream), 0, "barrier on a stream");
	get(numbers, idest, sizeof numbers);
	for (int i = 0; i < 3; i++)
		t_equal(numbers[i], npes * (npes - 1) / 2 * 100 + npes * i, "sum on a stream");
	get(f, dest, sizeof f);
	t_equal(f[0], previous * 1000, "put on a stream");
	t_equal(nvshmem_int_min_reduce(team, idest, isource, 3), 0, "min");
	get(numbers, idest, sizeof numbers);
	t_equal(numbers[2], 2, "min by the host");
	nvshmem_team_destroy(row);
	nvshmem_team_destroy(column);
	nvshmem_team_destroy(team);
	nvshmem_free(isource);
	nvshmem_free(idest);
	nvshmem_free(source);
	nvshmem_free(dest);
}

/* ---- ping-pong by atomics and waits ---- */

/*
 * Two warp groups of a work-group, each with a team of its own: after the barrier its PE has what each warp of
 * the other PE's group has put. Twice, so that the first barrier's waves meet again.
 */
__global__ static void by_warp_groups(int *values, nvshmem_team_t first, nvshmem_team_t second)
{
	const int mype = nvshmem_my_pe(), peer = (mype + 1) % nvshmem_n_pes();
	const int wave = (int)threadIdx.x / warpSize, nwaves = (int)blockDim.x / warpSize,
		  from = wave / 4 * 4;
	const nvshmem_team_t team = wave < 4 ? first : second;

	for (int round = 0; round < 2; round++) {
		if (threadIdx.x % (unsigned)warpSize == 0)
			nvshmem_int_p(&values[round * nwaves + wave], mype * 100 + wave + 1, peer);
		nvshmemx_barrier_warpgroup(team);
		for (int i = from; i < from + 4 && i < nwaves; i++)
			if (values[round * nwaves + i] % 100 != i + 1)
				values[2 * nwaves] = -1;
	}
}

static void check_warp_groups()
{
	enum { NWAVES = 6 };
	int *values = (int *)nvshmem_calloc(2 * NWAVES + 1, sizeof *values), got[2 * NWAVES + 1], device,
	    width;
	nvshmem_team_t second;

	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, device));
	t_equal(nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &second), 0, "split");
	nvshmem_barrier_all();
	t_launch(by_warp_groups, 1, (unsigned)(NWAVES * width), values, NVSHMEM_TEAM_WORLD_INDEX, second);
	get(got, values, sizeof got);
	t_equal(got[2 * NWAVES], 0, "a warp that did not see what others had put");
	for (int i = 0; i < 2 * NWAVES; i++)
		t_equal(got[i], (me + npes - 1) % npes * 100 + i % NWAVES + 1, "put by a warp");
	nvshmem_team_destroy(second);
	nvshmem_free(values);
}

__global__ static void ping_pong(unsigned long *flag, int *counts, int rounds)
{
	const int mype = nvshmem_my_pe(), n = nvshmem_n_pes();

	if (mype < 2 && n > 1)
		for (int i = 0; i < rounds; i++) {
			if (mype == 1)
				nvshmem_ulong_wait_until(flag, NVSHMEM_CMP_GT, (unsigned long)i);
			nvshmem_ulong_atomic_add(flag, 1, 1 - mype);
			if (mype == 0)
				nvshmem_ulong_wait_until(flag, NVSHMEM_CMP_GT, (unsigned long)i);
		}
	(void)nvshmem_int_atomic_fetch_add(counts, mype + 1, 0);
}

static void check_ping_pong()
{
	unsigned long *flag = (unsigned long *)nvshmem_calloc(1, sizeof *flag);
	int *counts = (int *)nvshmem_calloc(1, sizeof *counts), count, rounds = t_takes_turns() ? 2 : 100;

	nvshmem_barrier_all();
	t_launch(ping_pong, 1, 1, flag, counts, rounds);
	get(&count, counts, sizeof count);
	t_equal(count, me == 0 ? npes * (npes + 1) / 2 : 0, "atomics");
	t_equal(t_read_u64(flag), me < 2 && npes > 1 ? rounds : 0, "ping-pong");
	nvshmem_barrier_all();
	nvshmem_free(counts);
	nvshmem_free(flag);
}

/* Every PE is its own job, which starts by a unique id. */
static void check_uniqueid()
{
	nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
	nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;

	t_equal(nvshmemx_get_uniqueid(&id), NVSHMEMX_SUCCESS, "get_uniqueid");
	t_equal(nvshmemx_set_attr_uniqueid_args(0, 1, &id, &attr), NVSHMEMX_SUCCESS,
		"set_attr_uniqueid_args");
	t_equal(nvshmemx_init_status(), NVSHMEM_STATUS_NOT_INITIALIZED, "status before init");
	t_equal(nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr), NVSHMEMX_SUCCESS,
		"init by an id");
	t_equal(nvshmem_n_pes(), 1, "PEs of a job by an id");
	nvshmemx_hostlib_finalize();
	t_equal(nvshmemx_init_status(), NVSHMEM_STATUS_NOT_INITIALIZED, "status after finalize");
}

int main()
{
	nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;

	t_equal(nvshmemx_init_attr(NVSHMEMX_INIT_THREAD_PES, &attr), NVSHMEMX_SUCCESS, "init");
	me = nvshmem_my_pe();
	npes = nvshmem_n_pes();
	t_equal(nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE), gshmem_team_n_pes(GSHMEMX_TEAM_NODE),
		"PEs of the node");
	t_equal(nvshmem_team_n_pes(NVSHMEM_TEAM_SAME_MYPE_NODE_INDEX),
		gshmem_team_n_pes(GSHMEMX_TEAM_SAME_MYPE_NODE), "PEs with the same number on their nodes");
	t_equal(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_SHMEM, &attr), NVSHMEMX_SUCCESS, "init again");
	t_equal(nvshmem_n_pes(), npes, "PEs of a job by shmem_init");
	nvshmem_finalize();
	t_hip(hipStreamCreate(&stream));
	check_shift();
	check_signals();
	check_rings();
	check_groups();
	check_warp_groups();
	check_ping_pong();
	t_hip(hipStreamDestroy(stream));
	nvshmem_finalize();
	check_uniqueid();
	return 0;
}
