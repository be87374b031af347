/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -t 4000 */
/*
 * An exclusive lock on PE 1, an 8-byte put and unlock, by a kernel thread and by the host. Nobody competes
 * for the lock. Raw: MPI_Win_lock, MPI_Put and MPI_Win_unlock, from the CPU in both rows. MPI's target is
 * inside MPI all the time; our PE 1 does nothing.
 */
#include "carry.h"
#include <gshmemx_win.h>

static gshmemx_win_t win;
static long *source;

__host__ __device__ static inline void lock_put_unlock(gshmemx_win_t to, const long *from, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		gshmemx_win_lock(to, GSHMEMX_LOCK_EXCLUSIVE, 1, 0);
		gshmemx_win_long_put(to, 0, from, 1, 1);
		gshmemx_win_unlock(to, 1);
		BENCH_KEEP();
	}
}

__global__ static void lock_kernel(gshmemx_win_t to, const long *from, size_t reps, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();

	lock_put_unlock(to, from, reps);
	bench_stop(ticks, started);
}

static double in_kernel(size_t reps)
{
	hipLaunchKernelGGL(lock_kernel, dim3(1), dim3(1), 0, 0, win, source, reps, bench.ticks);
	return bench_kernel_us();
}

static double on_host(size_t reps)
{
	const double started = bench_start();

	lock_put_unlock(win, source, reps);
	return bench_now_us() - started;
}

static void row(int scope, const bench_run &ours)
{
	if (bench_wants(bench_scope_names[scope]))
		carry_row("win_lock_lat", scope, 8, false, 0, carry_alone(ours),
			carry_mpi(RMA_LOCK_PUT, RMA_UNLOCKED, 8));
}

int main(int argc, char **argv)
{
	const size_t nbytes = sizeof(long);
	const long mark = 1234567;
	void *base;

	bench_init(argc, argv, "win_lock_lat");
	bench_needs(2);
	bench.takes_turns = true; /* PE 1 sleeps during our batches, so the PEs do not start together */
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, nbytes, nbytes, &base, &win), 0, "the window");
	source = (long *)gshmem_malloc(nbytes);
	t_check(source, "win_lock_lat: the heap is too small");
	bench_fill(base, 0, nbytes);
	bench_write(source, &mark, nbytes);
	gshmem_barrier_all();
	carry_raw_start();
	row(BENCH_THREAD, in_kernel);
	row(BENCH_HOST, on_host);
	gshmem_barrier_all();
	if (bench.pe == 1)
		t_equal(bench_long(base), mark, "win_lock_lat: the value in the window");
	t_equal(gshmemx_win_free(&win), 0, "win_free");
	bench_finalize();
	return 0;
}
