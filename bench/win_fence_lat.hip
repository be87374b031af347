/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * gshmemx_win_fence of all PEs, from the hosts, from one kernel thread and from a work-group. The raw column
 * is quiet and barrier_all.
 */
#include "bench.h"
#include <gshmemx_win.h>

enum { BARRIER, FENCE };

static gshmemx_win_t win;

template <int WHAT, int SCOPE> __host__ __device__ static inline void meet(gshmemx_win_t on, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		if (WHAT == FENCE && SCOPE == BENCH_WG) {
			gshmemx_win_fence_wg(on, 0);
		} else if (WHAT == FENCE) {
			gshmemx_win_fence(on, 0);
		} else if (SCOPE == BENCH_WG) {
			gshmemx_quiet_wg();
			gshmemx_barrier_all_wg();
		} else {
			gshmem_quiet();
			gshmem_barrier_all();
		}
	}
}

template <int WHAT, int SCOPE> __global__ void meet_kernel(gshmemx_win_t on, size_t reps, uint64_t *ticks)
{
	meet<WHAT, SCOPE>(on, 1); /* start together */
	const uint64_t started = gshmemi_arch_clock_ns();
	meet<WHAT, SCOPE>(on, reps);
	bench_stop(ticks, started);
}

template <int WHAT, int SCOPE> static double meet_us(size_t reps)
{
	const dim3 block(bench_nthreads(SCOPE));

	if (SCOPE == BENCH_HOST) {
		meet<WHAT, BENCH_HOST>(win, 1);
		const double started = bench_start();
		meet<WHAT, BENCH_HOST>(win, reps);
		return bench_now_us() - started;
	}
	hipLaunchKernelGGL(
		HIP_KERNEL_NAME(meet_kernel<WHAT, SCOPE>), dim3(1), block, 0, 0, win, reps, bench.ticks);
	return bench_kernel_us();
}

template <int SCOPE> static void row()
{
	const char *scope = bench_scope_names[SCOPE];

	if (bench_wants(scope))
		bench_measure_against({"win_fence_lat", scope, 0, bench.npes, {}, false, 0},
			bench_run(meet_us<FENCE, SCOPE>), {bench_run(meet_us<BARRIER, SCOPE>)});
}

/* In each round every PE puts the round's number into the next PE's window, and must find it in its own. */
static void check(const long *dest, long *source)
{
	const int next = (bench.pe + 1) % bench.npes;

	for (long i = 1; i <= 100; i++) {
		bench_write(source, &i, sizeof i);
		t_equal(gshmemx_win_long_put(win, 0, source, 1, next), 0, "put");
		t_equal(gshmemx_win_fence(win, 0), 0, "fence behind the puts");
		t_equal(bench_long(dest), i, "win_fence_lat: the round's number");
		t_equal(gshmemx_win_fence(win, 0), 0, "fence behind the looks");
	}
}

int main(int argc, char **argv)
{
	const size_t nbytes = sizeof(long);
	long *source;
	void *base;

	bench_init(argc, argv, "win_fence_lat");
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, nbytes, nbytes, &base, &win), 0, "the window");
	source = (long *)gshmem_malloc(nbytes);
	t_check(source, "win_fence_lat: the heap is too small");
	row<BENCH_HOST>();
	row<BENCH_THREAD>();
	row<BENCH_WG>();
	t_equal(gshmemx_win_fence(win, 0), 0, "the fence that begins the check");
	check((const long *)base, source);
	t_equal(gshmemx_win_fence(win, GSHMEMX_MODE_NOSUCCEED), 0, "the last fence");
	t_equal(gshmemx_win_free(&win), 0, "win_free");
	bench_finalize();
	return 0;
}
