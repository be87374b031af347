/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,5 */
/* env: GSHMEM_HEAP_SIZE=16m | GSHMEM_HEAP_SIZE=16m GSHMEM_CHECK=1 */
/* timeout: 120 */
/*
 * A call on a stream starts after the stream's earlier work and holds back its later work until it is done.
 * Slow kernels fill what is sent, and later kernels read what came; the host waits only at the end. Two
 * streams run at once, with collectives of two teams in opposite order; events tie them together.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum { N = 3000, NROUNDS = 6 };

static int me, npes;

/* Writes late, so that a call that does not wait for this kernel sends something else. */
__global__ static void fill(long *array, size_t n, long value, int pe)
{
	const uint64_t end = gshmemi_arch_clock_ns() + 300000;

	while (gshmemi_arch_clock_ns() < end)
		;
	for (size_t k = t_rank(); k < n; k += t_count())
		array[k] = value + (long)k + 100000L * pe;
}

__global__ static void compare(
	const long *array, size_t n, long value, int pe, int factor, long tail, int *nwrong)
{
	for (size_t k = t_rank(); k < n; k += t_count())
		if (array[k] != factor * (value + (long)k) + 100000L * pe + tail)
			(void)atomicAdd(nwrong, 1);
}

static int *nwrong;

#define LAUNCH(KERNEL, STREAM, ...) \
	do { \
		hipLaunchKernelGGL(KERNEL, dim3(1), dim3(64), 0, STREAM, __VA_ARGS__); \
		t_hip(hipGetLastError()); \
	} while (0)

static void await(hipStream_t stream, const char *what)
{
	t_hip(hipStreamSynchronize(stream));
	t_check(*nwrong == 0, "PE %d: %s: %d elements are wrong", me, what, *nwrong);
}

/* put, signal, wait: around the ring, with different data in each round. */
static void check_put_signal(hipStream_t stream)
{
	long *source = (long *)t_shmalloc(N * sizeof *source), *dest = (long *)t_shmalloc(N * sizeof *dest);
	uint64_t *signal = (uint64_t *)gshmem_calloc(2, sizeof *signal);
	const int next = (me + 1) % npes, previous = (me + npes - 1) % npes;

	for (int r = 1; r <= NROUNDS; r++) {
		LAUNCH(fill, stream, source, (size_t)N, r * 10L, me);
		if (r % 2) {
			t_equal(gshmemx_long_put_signal_on_stream(dest, source, N, signal, (uint64_t)r,
					GSHMEM_SIGNAL_SET, next, stream),
				0, "put_signal");
		} else {
			t_equal(gshmemx_putmem_on_stream(dest, source, N * sizeof *dest, next, stream), 0,
				"putmem");
			t_equal(gshmemx_signal_op_on_stream(signal, 1, GSHMEM_SIGNAL_ADD, next, stream), 0,
				"signal_op");
		}
		t_equal(gshmemx_signal_wait_until_on_stream(signal, GSHMEM_CMP_EQ, (uint64_t)r, stream), 0,
			"signal_wait_until");
		LAUNCH(compare, stream, dest, (size_t)N, r * 10L, previous, 1, 0, nwrong);
		t_equal(gshmemx_barrier_all_on_stream(stream), 0, "barrier_all");
	}
	await(stream, "put_signal, signal_op, wait");
	gshmem_free(signal);
	gshmem_free(dest);
	gshmem_free(source);
}

static void check_get(hipStream_t stream)
{
	long *source = (long *)t_shmalloc(N * sizeof *source), *dest = (long *)t_hipmalloc(N * sizeof *dest);
	int *flag = (int *)gshmem_calloc(1, sizeof *flag);
	const int next = (me + 1) % npes;
	int one = 1;

	LAUNCH(fill, stream, source, (size_t)N, 7L, me);
	t_equal(gshmemx_sync_all_on_stream(stream), 0, "sync_all");
	t_equal(gshmemx_long_get_on_stream(dest, source, N, next, stream), 0, "get");
	LAUNCH(compare, stream, dest, (size_t)N, 7L, next, 1, 0, nwrong);
	t_equal(gshmemx_quiet_on_stream(stream), 0, "quiet");
	t_equal(gshmemx_int_put_on_stream(
			flag, (t_to_device(dest, &one, sizeof one), (int *)NULL), 0, next, stream),
		0, "nothing");
	await(stream, "get");
	t_to_device(dest, &one, sizeof one);
	t_equal(gshmemx_int_put_on_stream(flag, (int *)dest, 1, next, stream), 0, "put");
	t_equal(gshmemx_int_wait_until_on_stream(flag, GSHMEM_CMP_GT, 0, stream), 0, "wait_until");
	await(stream, "wait_until");
	gshmem_barrier_all();
	gshmem_free(flag);
	t_hip(hipFree(dest));
	gshmem_free(source);
}

static void check_collectives(hipStream_t stream, gshmem_team_t team)
{
	const int n = gshmem_team_n_pes(team), rank = gshmem_team_my_pe(team);
	long *source = (long *)t_shmalloc(8 * N * sizeof *source),
	     *dest = (long *)t_shmalloc(8 * N * sizeof *dest);

	for (int r = 0; r < NROUNDS; r++) {
		const size_t length = r % 2 ? N : 20;
		const int root = r % n;
		long ranks = 0;

		for (int pe = 0; pe < n; pe++)
			ranks += pe;
		LAUNCH(fill, stream, source, length, (long)r, rank);
		t_equal(gshmemx_long_sum_reduce_on_stream(team, dest, source, length, stream), 0,
			"sum_reduce");
		LAUNCH(compare, stream, dest, length, (long)r, 0, n, 100000L * ranks, nwrong);
		t_equal(gshmemx_team_sync_on_stream(team, stream), 0, "team_sync");
		t_equal(gshmemx_long_fcollect_on_stream(team, dest, source, length, stream), 0, "fcollect");
		for (int pe = 0; pe < n; pe++)
			LAUNCH(compare, stream, dest + (size_t)pe * length, length, (long)r, pe, 1, 0,
				nwrong);
		t_equal(gshmemx_team_sync_on_stream(team, stream), 0, "team_sync");
		t_equal(gshmemx_broadcastmem_on_stream(
				team, dest, source, length * sizeof *dest, root, stream),
			0, "broadcast");
		LAUNCH(compare, stream, dest, length, (long)r, root, 1, 0, nwrong);
		t_equal(gshmemx_team_sync_on_stream(team, stream), 0, "team_sync");
	}
	await(stream, "collectives");
	gshmem_barrier_all();
	gshmem_free(dest);
	gshmem_free(source);
}

/*
 * Each PE queues the two teams' collectives in its own order; b ends with work that waits for an event of a.
 */
static void check_two_streams(hipStream_t a, hipStream_t b, gshmem_team_t team)
{
	long *mine = (long *)t_shmalloc(4 * N * sizeof *mine), *ours = mine + N, *theirs = mine + 2 * N,
	     *last = mine + 3 * N;
	hipEvent_t event;

	t_hip(hipEventCreate(&event));
	for (int r = 0; r < NROUNDS; r++) {
		for (int k = 0; k < 2; k++) {
			if ((k + me) % 2) {
				LAUNCH(fill, a, mine, (size_t)N, (long)r, 1);
				t_equal(gshmemx_long_max_reduce_on_stream(
						GSHMEM_TEAM_WORLD, ours, mine, N, a),
					0, "max_reduce");
				LAUNCH(compare, a, ours, (size_t)N, (long)r, 1, 1, 0, nwrong);
			} else {
				LAUNCH(fill, b, last, (size_t)N, (long)r, 2);
				t_equal(gshmemx_long_min_reduce_on_stream(team, theirs, last, N, b), 0,
					"min_reduce");
				LAUNCH(compare, b, theirs, (size_t)N, (long)r, 2, 1, 0, nwrong);
			}
		}
		t_hip(hipEventRecord(event, a));
		t_hip(hipStreamWaitEvent(b, event, 0));
		LAUNCH(compare, b, ours, (size_t)N, (long)r, 1, 1, 0, nwrong);
		t_equal(gshmemx_barrier_all_on_stream(b), 0, "barrier_all");
		t_hip(hipStreamSynchronize(b));
	}
	await(a, "two streams");
	await(b, "two streams");
	t_hip(hipEventDestroy(event));
	gshmem_barrier_all();
	gshmem_free(mine);
}

int main(void)
{
	hipStream_t a, b;
	gshmem_team_t reversed;
	void *ptr;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	t_hip(hipHostMalloc(&ptr, sizeof *nwrong, hipHostMallocMapped));
	nwrong = (int *)ptr;
	*nwrong = 0;
	t_hip(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
	t_hip(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &reversed), 0,
		"the world turned round");
	t_equal(gshmemx_int_fcollect_on_stream(GSHMEM_TEAM_INVALID, NULL, NULL, 1, a) != 0, 1,
		"a collective of no team");
	check_put_signal(a);
	check_get(NULL);
	check_collectives(a, GSHMEM_TEAM_WORLD);
	check_collectives(b, reversed);
	check_two_streams(a, b, reversed);
	gshmem_team_destroy(reversed);
	t_hip(hipStreamDestroy(a));
	t_hip(hipStreamDestroy(b));
	t_hip(hipHostFree(nwrong));
	gshmem_finalize();
	return 0;
}
