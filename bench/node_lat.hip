/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Calls between PEs of PE 0's node. bench/nodes.sh compares a job on this node alone
 * with one over several nodes.
 *
 *   node_put_lat        8-byte put and quiet on PE 1, which does nothing
 *   node_fetch_add_lat  the same, of an atomic
 *   node_sync_lat       a sync of the node's PEs
 *
 * No raw side. PEs of other nodes sleep and check every 20 ms whether the end has come, because
 * pretended nodes share their cores. In a job over several nodes each PE has a net thread on its core,
 * whose cost is part of the figure.
 */
#include "bench.h"

enum call { PUT, FETCH_ADD, SYNC };

static long *word;

template <int CALL> __host__ __device__ static inline void calls(long *to, long *from, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		if (CALL == PUT) {
			gshmem_putmem(to, from, sizeof *to, 1);
			gshmem_quiet();
		} else if (CALL == FETCH_ADD) {
			gshmem_long_atomic_fetch_add(to, 1, 1);
		} else {
			gshmem_team_sync(GSHMEM_TEAM_SHARED);
		}
	}
}

template <int CALL> __global__ void calls_kernel(long *to, long *from, size_t reps, uint64_t *ticks)
{
	calls<CALL>(to, from, 1); /* a sync: all PEs have arrived */
	const uint64_t started = gshmemi_arch_clock_ns();
	calls<CALL>(to, from, reps);
	bench_stop(ticks, started);
}

template <int CALL> static double in_kernel(size_t reps)
{
	hipLaunchKernelGGL(HIP_KERNEL_NAME(calls_kernel<CALL>), dim3(1), dim3(1), 0, 0, word, word + 8, reps,
		bench.ticks);
	return bench_kernel_us();
}

template <int CALL> static double on_host(size_t reps)
{
	calls<CALL>(word, word + 8, 1);
	const double started = bench_start();
	calls<CALL>(word, word + 8, reps);
	return bench_now_us() - started;
}

template <int CALL> static void rows(const char *op, size_t nbytes, int nactive)
{
	if (bench_wants("host"))
		bench_measure_against({op, "host", nbytes, nactive, {}, false, 0}, on_host<CALL>, {});
	if (bench_wants("thread"))
		bench_measure_against({op, "thread", nbytes, nactive, {}, false, 0}, in_kernel<CALL>, {});
}

/* Wait until all PEs of the job have come. */
static void sleep_until_all()
{
	MPI_Request request;
	int done = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	for (;;) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		usleep(20000);
	}
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "node_lat");
	word = (long *)gshmem_calloc(16, sizeof *word);
	t_check(word, "node_lat: the heap is too small");
	const bool is_near = gshmem_ptr(word, 0) != NULL;
	bench_only(is_near);
	if (is_near) {
		t_equal(gshmem_team_n_pes(GSHMEM_TEAM_SHARED), bench.npes, "node_lat: PEs that reach PE 0");
		/* the net thread, too: its cost is measured */
		bench.takes_turns = true;
		rows<PUT>("node_put_lat", 8, 1);
		rows<FETCH_ADD>("node_fetch_add_lat", 8, 1);
		rows<SYNC>("node_sync_lat", 0, bench.npes);
	}
	sleep_until_all();
	MPI_Comm_free(&bench.comm);
	gshmem_finalize();
	return 0;
}
