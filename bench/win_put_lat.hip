/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * An 8-byte put into PE 1's window and flush, by a kernel thread and by the host, between lock_all and
 * unlock_all. The raw column is an 8-byte put into PE 1's symmetric heap and quiet. PE 1 does nothing.
 */
#include "bench.h"
#include <gshmemx_win.h>

enum { HEAP, WINDOW, NPLACES };

static gshmemx_win_t win;
static long *dest[NPLACES]; /* on this PE */
static long *source;

template <int PLACE>
__host__ __device__ static inline void puts(gshmemx_win_t to, long *heap, const long *from, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		if (PLACE == WINDOW) {
			gshmemx_win_long_put(to, 0, from, 1, 1);
			gshmemx_win_flush(to, 1);
		} else {
			gshmem_long_put(heap, from, 1, 1);
			gshmem_quiet();
		}
		BENCH_KEEP();
	}
}

template <int PLACE>
__global__ void puts_kernel(gshmemx_win_t to, long *heap, const long *from, size_t reps, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();

	puts<PLACE>(to, heap, from, reps);
	bench_stop(ticks, started);
}

template <int PLACE> static double in_kernel(size_t reps)
{
	hipLaunchKernelGGL(HIP_KERNEL_NAME(puts_kernel<PLACE>), dim3(1), dim3(1), 0, 0, win, dest[HEAP],
		source, reps, bench.ticks);
	return bench_kernel_us();
}

template <int PLACE> static double on_host(size_t reps)
{
	const double started = bench_start();

	puts<PLACE>(win, dest[HEAP], source, reps);
	return bench_now_us() - started;
}

static void row(const char *scope, const bench_run &ours, const bench_run &heap)
{
	if (bench_wants(scope))
		bench_measure_against({"win_put_lat", scope, 8, 1, {}, false, 0}, ours, {heap});
}

static void check(const long *word, long expected, const char *what)
{
	if (bench.pe == 1)
		t_equal(bench_long(word), expected, what);
}

int main(int argc, char **argv)
{
	const size_t nbytes = sizeof(long);
	const long mark = 1234567;
	void *base;

	bench_init(argc, argv, "win_put_lat");
	bench_needs(2);
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, nbytes, nbytes, &base, &win), 0, "the window");
	dest[WINDOW] = (long *)base;
	dest[HEAP] = (long *)gshmem_calloc(1, nbytes);
	source = (long *)gshmem_malloc(nbytes);
	t_check(dest[HEAP] && source, "win_put_lat: the heap is too small");
	bench_fill(dest[WINDOW], 0, nbytes);
	bench_write(source, &mark, nbytes);
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	row("thread", in_kernel<WINDOW>, in_kernel<HEAP>);
	row("host", on_host<WINDOW>, on_host<HEAP>);
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	gshmem_barrier_all();
	check(dest[WINDOW], mark, "win_put_lat: the value in the window");
	check(dest[HEAP], mark, "win_put_lat: the value in the heap");
	t_equal(gshmemx_win_free(&win), 0, "win_free");
	bench_finalize();
	return 0;
}
