/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CHECK=1 */
/*
 * Programs with rocSHMEM's names work: rings, collectives and contexts do what gshmem's do. They are written
 * as for rocSHMEM, except for the launches.
 */
#include <gshmem/compat/rocshmem/rocshmem.hpp>
#include "oracle.h"

using namespace rocshmem;

enum { NELEMS = 300, NTHREADS = 128 };

static int me, npes;

#ifdef __HIP_PLATFORM_AMD__
/* DeepEP names calls so. Only hipcc tells what hosts may call by the name alone. */
static const auto &fence_by_reference = rocshmem::rocshmem_fence;
#endif

static void get(void *dest, const void *source, size_t nbytes)
{
	rocshmem_barrier_all();
	t_from_device(dest, source, nbytes);
	rocshmem_barrier_all();
}

/* ---- put to the next PE, get from the previous one ---- */

__global__ static void ring(long *dest, const long *source, long *back, int *number, int my_pe, int next)
{
	__shared__ rocshmem_ctx_t ctx;
	int provided = -1;

	rocshmem_wg_init_thread(ROCSHMEM_THREAD_MULTIPLE, &provided);
	if (rocshmem_wg_ctx_create(ROCSHMEM_CTX_WG_PRIVATE, &ctx) || provided != ROCSHMEM_THREAD_MULTIPLE)
		return;
	rocshmem_ctx_long_put_nbi_wg(ctx, dest, source, NELEMS, next);
	rocshmem_fence(next);
	rocshmem_ctx_fence(ctx, next);
	rocshmem_ctx_quiet(ctx);
	rocshmem_barrier_all_wg();
	if (threadIdx.x < (unsigned)warpSize)
		rocshmem_getmem_wave(back, dest, NELEMS * sizeof *back, next);
	if (threadIdx.x == 0) {
		rocshmem_ctx_int_p(ctx, number, rocshmem_ctx_my_pe(ctx) * 10 + rocshmem_ctx_n_pes(ctx), next);
		rocshmem_threadfence_system();
	}
	__syncthreads();
	rocshmem_wg_ctx_destroy(&ctx);
	rocshmem_wg_finalize();
	(void)my_pe;
}

static void check_ring()
{
	long *dest = (long *)rocshmem_malloc(NELEMS * sizeof *dest),
	     *source = (long *)rocshmem_malloc(NELEMS * sizeof *source);
	long *back = (long *)rocshmem_malloc(NELEMS * sizeof *back), on_cpu[NELEMS];
	const int next = (me + 1) % npes, previous = (me + npes - 1) % npes;
	int *number = (int *)rocshmem_malloc(sizeof *number), found;

	for (int i = 0; i < NELEMS; i++)
		on_cpu[i] = me * 1000L + i;
	t_to_device(source, on_cpu, sizeof on_cpu);
	t_equal(rocshmem_buffer_register(on_cpu, sizeof on_cpu), 0, "rocshmem_buffer_register");
	t_equal(rocshmem_buffer_unregister(on_cpu), 0, "rocshmem_buffer_unregister");
	rocshmem_buffer_unregister_all();
	rocshmem_barrier_all();
	t_launch(ring, 1, NTHREADS, dest, source, back, number, me, next);
	get(on_cpu, dest, sizeof on_cpu);
	for (int i = 0; i < NELEMS; i++)
		t_equal(on_cpu[i], previous * 1000L + i, "ring: put");
	get(on_cpu, back, sizeof on_cpu);
	for (int i = 0; i < NELEMS; i++)
		t_equal(on_cpu[i], me * 1000L + i, "ring: get");
	get(&found, number, sizeof found);
	t_equal(found, previous * 10 + npes, "ring: p, numbers of the context");
	rocshmem_free(number);
	rocshmem_free(back);
	rocshmem_free(source);
	rocshmem_free(dest);
}

/* ---- constants by their full names; barriers with a context; the thread level in kernels ---- */

static __global__ void constants_kernel(int *flags, int expected_npes)
{
	const rocshmem::rocshmem_ctx_t ctx = rocshmem::rocshmem_ctx_array[threadIdx.x % 4];
	int provided = -1;

	rocshmem::rocshmem_query_thread(&provided);
	if (provided != rocshmem::ROCSHMEM_THREAD_MULTIPLE || ctx != rocshmem::ROCSHMEM_CTX_DEFAULT ||
		ctx == rocshmem::ROCSHMEM_CTX_INVALID ||
		rocshmem::rocshmem_team_n_pes(rocshmem::ROCSHMEM_TEAM_WORLD) != expected_npes)
		atomicAdd(&flags[1], 1);
	if (threadIdx.x == 0)
		rocshmem::rocshmem_ctx_int_atomic_add(ctx, &flags[0], 1, 0);
	rocshmem::rocshmem_ctx_barrier_all_wg(ctx);
	if (threadIdx.x == 0 && rocshmem::rocshmem_ctx_int_atomic_fetch(ctx, &flags[0], 0) != expected_npes)
		atomicAdd(&flags[1], 1);
	rocshmem::rocshmem_ctx_sync_all_wg(ctx);
	if (threadIdx.x < (unsigned)warpSize)
		rocshmem::rocshmem_ctx_barrier_all_wave(ctx);
}

static void check_constants()
{
	static_assert(rocshmem::ROCSHMEM_CMP_EQ != rocshmem::ROCSHMEM_CMP_NE &&
			rocshmem::ROCSHMEM_SUM != rocshmem::ROCSHMEM_MAX &&
			rocshmem::ROCSHMEM_TEAM_DEFAULT_CONFIGS == 0 &&
			rocshmem::ROCSHMEM_BARRIER_SYNC_SIZE > 0 &&
			sizeof(rocshmem::rocshmem_uniqueid_t) == ROCSHMEM_UNIQUE_ID_BYTES,
		"constants are constant");
	int *flags = (int *)rocshmem::rocshmem_malloc(2 * sizeof *flags), found[2] = {0, 0};

	t_to_device(flags, found, sizeof found);
	rocshmem::rocshmem_ctx_barrier_all(rocshmem::ROCSHMEM_CTX_DEFAULT);
	t_launch(constants_kernel, 1, NTHREADS, flags, npes);
	get(found, flags, sizeof found);
	t_equal(found[1], 0, "constants and levels in kernels");
	t_check(rocshmem::host::ROCSHMEM_TEAM_SHARED == rocshmem::ROCSHMEM_TEAM_SHARED, "the host's name");
	rocshmem::rocshmem_ctx_sync_all(rocshmem::ROCSHMEM_CTX_DEFAULT);
	rocshmem::rocshmem_free(flags);
}

/* ---- collectives of a team, with a context that a work-group made ---- */

__global__ static void collectives(int *dest, int *source, float *fdest, float *fsource, rocshmem_team_t team)
{
	__shared__ rocshmem_ctx_t ctx;
	const int n = rocshmem_team_n_pes(team);

	rocshmem_wg_init();
	rocshmem_wg_ctx_create(0, &ctx);
	rocshmem_ctx_int_sum_reduce_wg(ctx, team, dest, source, NELEMS);
	rocshmem_ctx_int_xor_reduce_wg(ctx, team, dest + NELEMS, source, NELEMS);
	rocshmem_ctx_int_broadcast_wg(ctx, team, dest + 2 * NELEMS, source, NELEMS, n - 1);
	rocshmem_ctx_float_alltoall_wg(ctx, team, fdest, fsource, 2);
	rocshmem_float_fcollect_wg(team, fdest + 2 * n, fsource, 2);
	rocshmem_ctx_barrier_wg(ctx, team);
	rocshmem_ctx_sync_wg(ctx, team);
	rocshmem_wg_ctx_destroy(&ctx);
	rocshmem_wg_finalize();
}

static void check_collectives()
{
	int *dest = (int *)rocshmem_malloc(3 * NELEMS * sizeof *dest),
	    *source = (int *)rocshmem_malloc(NELEMS * sizeof *source);
	float *fdest = (float *)rocshmem_malloc(100 * sizeof *fdest),
	      *fsource = (float *)rocshmem_malloc(100 * sizeof *fsource);
	int on_cpu[3 * NELEMS], x = 0;
	rocshmem_team_t team = ROCSHMEM_TEAM_INVALID;
	float f[100];

	t_equal(rocshmem_team_split_strided(ROCSHMEM_TEAM_WORLD, 0, 1, npes, nullptr, 0, &team), 0, "split");
	for (int i = 0; i < NELEMS; i++)
		on_cpu[i] = me + i % 9;
	t_to_device(source, on_cpu, NELEMS * sizeof *on_cpu);
	for (int i = 0; i < 2 * npes; i++)
		f[i] = (float)(me * 100 + i);
	t_to_device(fsource, f, sizeof f);
	rocshmem_barrier_all();
	t_launch(collectives, 1, NTHREADS, dest, source, fdest, fsource, team);
	get(on_cpu, dest, sizeof on_cpu);
	for (int i = 0; i < NELEMS; i++) {
		t_equal(on_cpu[i], npes * (npes - 1) / 2 + npes * (i % 9), "sum");
		for (int pe = x = 0; pe < npes; pe++)
			x ^= pe + i % 9;
		t_equal(on_cpu[NELEMS + i], x, "xor");
		t_equal(on_cpu[2 * NELEMS + i], npes - 1 + i % 9, "broadcast");
	}
	get(f, fdest, sizeof f);
	for (int i = 0; i < 2 * npes; i++) {
		t_equal(f[i], i / 2 * 100 + me * 2 + i % 2, "alltoall");
		t_equal(f[2 * npes + i], i / 2 * 100 + i % 2, "fcollect");
	}
	t_equal(rocshmem_ctx_int_max_reduce(ROCSHMEM_CTX_DEFAULT, team, dest, source, 1), 0, "max");
	get(&x, dest, sizeof x);
	t_equal(x, npes - 1, "max on the host");
	t_equal(rocshmem_alltoallmem_on_stream(team, fdest, fsource, 2 * sizeof *f, nullptr), 0, "on stream");
	t_equal(rocshmem_ctx_int_min_reduce_on_stream(ROCSHMEM_CTX_DEFAULT, team, dest, source, 1, nullptr),
		0, "on stream");
	rocshmem_barrier_all_on_stream(nullptr);
	t_hip(hipStreamSynchronize(nullptr));
	get(f, fdest, sizeof f);
	for (int i = 0; i < 2 * npes; i++)
		t_equal(f[i], i / 2 * 100 + me * 2 + i % 2, "alltoall on a stream");
	get(&x, dest, sizeof x);
	t_equal(x, 0, "min on a stream");
	rocshmem_team_destroy(team);
	rocshmem_team_destroy(ROCSHMEM_TEAM_WORLD);
	rocshmem_free(fsource);
	rocshmem_free(fdest);
	rocshmem_free(source);
	rocshmem_free(dest);
}

/* ---- a message goes round by signals ---- */

__global__ static void message(uint64_t *data, uint64_t *text, uint64_t *sig, int my_pe, int next)
{
	rocshmem_wg_init();
	if (threadIdx.x == 0) {
		if (my_pe == 0) {
			rocshmem_ulong_put_signal(data, text, NELEMS, sig, 1, ROCSHMEM_SIGNAL_SET, next);
		} else {
			rocshmem_ulong_wait_until(sig, ROCSHMEM_CMP_EQ, 1);
			rocshmem_ulong_put_signal(data, data, NELEMS, sig, 1, ROCSHMEM_SIGNAL_SET, next);
		}
	}
	__syncthreads();
	rocshmem_wg_finalize();
}

static void check_message()
{
	uint64_t *data = (uint64_t *)rocshmem_calloc(NELEMS, sizeof *data);
	uint64_t *text = (uint64_t *)rocshmem_malloc(NELEMS * sizeof *text),
		 *sig = (uint64_t *)rocshmem_calloc(1, sizeof *sig);
	uint64_t on_cpu[NELEMS];

	for (int i = 0; i < NELEMS; i++)
		on_cpu[i] = (uint64_t)(me * 1000 + i);
	t_to_device(text, on_cpu, sizeof on_cpu);
	rocshmem_barrier_all();
	t_launch(message, 1, NTHREADS, data, text, sig, me, (me + 1) % npes);
	get(on_cpu, data, sizeof on_cpu);
	for (int i = 0; i < NELEMS; i++)
		t_equal(on_cpu[i], i, "the message of PE 0");
	rocshmem_free(sig);
	rocshmem_free(text);
	rocshmem_free(data);
}

/* ---- a context of a team turned round: PE numbers are the team's; atomics of all threads ---- */

__global__ static void turned(rocshmem_team_t team, int *from, unsigned long *sum, int *nbad)
{
	__shared__ rocshmem_ctx_t ctx;

	if (rocshmem_wg_team_create_ctx(team, 0, &ctx)) {
		(void)atomicAdd(nbad, 1);
		return;
	}
	if (threadIdx.x == 0)
		for (int pe = 0; pe < rocshmem_team_n_pes(team); pe++)
			rocshmem_ctx_int_p(ctx, from + rocshmem_team_my_pe(team), pe, pe);
	(void)rocshmem_ctx_ulong_atomic_fetch_add(ctx, sum, threadIdx.x, 0);
	rocshmem_ctx_quiet(ctx);
	__syncthreads();
	rocshmem_wg_ctx_destroy(&ctx);
}

static void check_turned()
{
	unsigned long *sum = (unsigned long *)rocshmem_calloc(1, sizeof *sum);
	int *from = (int *)rocshmem_calloc((size_t)npes, sizeof *from), *nbad, numbers[8];
	rocshmem_team_t team;
	rocshmem_ctx_t ctx;
	void *ptr;

	t_hip(hipHostMalloc(&ptr, sizeof *nbad, hipHostMallocMapped));
	nbad = (int *)ptr;
	*nbad = 0;
	t_equal(rocshmem_team_split_strided(ROCSHMEM_TEAM_WORLD, npes - 1, -1, npes, nullptr, 0, &team), 0,
		"split");
	rocshmem_barrier_all();
	t_launch(turned, 1, NTHREADS, team, from, sum, nbad);
	t_equal(*nbad, 0, "rocshmem_wg_team_create_ctx");
	get(numbers, from, (size_t)npes * sizeof *from);
	for (int pe = 0; pe < npes; pe++)
		t_equal(numbers[pe], rocshmem_team_my_pe(team), "the number in the team");
	rocshmem_barrier_all();
	t_equal(t_read_u64(sum), me == npes - 1 ? npes * (NTHREADS * (NTHREADS - 1) / 2) : 0,
		"the sum at the team's PE 0");
	rocshmem_barrier_all();
	t_equal(rocshmem_team_create_ctx(team, 0, &ctx), 0, "rocshmem_team_create_ctx");
	rocshmem_ctx_ulong_atomic_add(ctx, sum, 1, 0);
	rocshmem_ctx_quiet(ctx);
	rocshmem_barrier_all();
	if (me == npes - 1)
		t_equal(t_read_u64(sum), npes * (NTHREADS * (NTHREADS - 1) / 2 + 1),
			"the sum, with the host's");
	rocshmem_ctx_destroy(ctx);
	rocshmem_team_destroy(team);
	t_hip(hipHostFree(nbad));
	rocshmem_free(from);
	rocshmem_free(sum);
}

/* Every PE is its own job, which starts by a unique id. */
static void check_uniqueid()
{
	rocshmem_uniqueid_t uid;
	rocshmem_init_attr_t attr;

	t_equal(rocshmem_get_uniqueid(&uid), ROCSHMEM_SUCCESS, "get_uniqueid");
	t_equal(rocshmem_set_attr_uniqueid_args(0, 1, &uid, &attr), ROCSHMEM_SUCCESS,
		"set_attr_uniqueid_args");
	t_equal(rocshmem_init_attr(ROCSHMEM_INIT_WITH_UNIQUEID, &attr), ROCSHMEM_SUCCESS, "init by an id");
	t_equal(rocshmem_n_pes(), 1, "PEs of a job by an id");
	rocshmem_finalize();
}

int main()
{
	const int early = rocshmem_my_pe();
	int provided = -1;

	rocshmem_init();
	rocshmem_query_thread(&provided);
	t_check(provided >= ROCSHMEM_THREAD_SINGLE && provided <= ROCSHMEM_THREAD_MULTIPLE, "thread level %d",
		provided);
	me = rocshmem_my_pe();
	npes = rocshmem_n_pes();
	t_equal(early, me, "the number of a PE before init");
#ifdef __HIP_PLATFORM_AMD__
	fence_by_reference();
#endif
	check_ring();
	check_constants();
	check_collectives();
	check_message();
	check_turned();
	rocshmem_finalize();
	check_uniqueid();
	return 0;
}
