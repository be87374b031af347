/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,4,8 */
/*
 * gshmem_barrier_all of all PEs, from the hosts, from one kernel thread and from a work-group. Raw: the
 * faster of all-to-all flags and a central counter, each with and without the pause instruction; all of them
 * yield. Then a work-group's barrier against its lower bound: one thread's barrier between two __syncthreads.
 */
#include "bench.h"

template <int SCOPE> __host__ __device__ static inline void barrier_many(size_t reps)
{
	for (size_t i = 0; i < reps; i++)
		if (SCOPE == BENCH_WG)
			gshmemx_barrier_all_wg();
		else
			gshmem_barrier_all();
}

template <int SCOPE> __global__ void barrier_kernel(size_t reps, uint64_t *ticks)
{
	barrier_many<SCOPE>(1); /* start together */
	const uint64_t started = gshmemi_arch_clock_ns();
	barrier_many<SCOPE>(reps);
	bench_stop(ticks, started);
}

static bench_run in_kernel(void (*kernel)(size_t, uint64_t *), int scope)
{
	return [kernel, scope](size_t reps) {
		hipLaunchKernelGGL(kernel, dim3(1), dim3(bench_nthreads(scope)), 0, 0, reps, bench.ticks);
		return bench_kernel_us();
	};
}

static double on_host(size_t reps)
{
	gshmem_barrier_all();
	const double started = bench_start();
	barrier_many<BENCH_HOST>(reps);
	return bench_now_us() - started;
}

template <int SCOPE> static void row(const std::vector<int> &raw)
{
	if (!bench_wants(bench_scope_names[SCOPE]))
		return;
	bench_measure({"barrier_lat", bench_scope_names[SCOPE], 0, bench.npes, raw, false, 0},
		SCOPE == BENCH_HOST ? bench_run(on_host) : in_kernel(barrier_kernel<SCOPE>, SCOPE));
}

static __global__ void meet_kernel(size_t reps, uint64_t *ticks)
{
	barrier_many<BENCH_WG>(1);
	const uint64_t started = gshmemi_arch_clock_ns();
	for (size_t i = 0; i < reps; i++) {
		__syncthreads();
		if (threadIdx.x == 0)
			gshmem_barrier_all();
		__syncthreads();
	}
	bench_stop(ticks, started);
}

/* Each PE writes the round to the next PE, and after a barrier must find what the previous PE wrote. */
__global__ static void check_kernel(long *word, int nrounds, long *nwrong)
{
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes();

	*nwrong = 0;
	for (int i = 1; i <= nrounds; i++) {
		gshmem_long_p(word, i, (pe + 1) % npes);
		gshmem_barrier_all();
		*nwrong += *(volatile long *)word != i;
		gshmem_barrier_all();
	}
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "barrier_lat");
	long *words = (long *)gshmem_calloc(16, sizeof(long));
	const std::vector<int> raw =
		bench_raw_start("barrier") ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{};

	row<BENCH_HOST>(raw);
	row<BENCH_THREAD>(raw);
	row<BENCH_WG>(raw);
	if (bench_wants("wg"))
		bench_measure_against({"barrier_meet_lat", "wg", 0, bench.npes, {}, false, 0},
			in_kernel(barrier_kernel<BENCH_WG>, BENCH_WG), {in_kernel(meet_kernel, BENCH_WG)});
	hipLaunchKernelGGL(check_kernel, dim3(1), dim3(1), 0, 0, words, 100, words + 8);
	bench_kernel_us();
	t_equal(bench_long(words + 8), 0,
		"barrier_lat: rounds in which a barrier let a PE through too early");
	bench_finalize();
	return 0;
}
