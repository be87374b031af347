/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -t 4000 */
/*
 * accumulate with GSHMEMX_SUM on a window of PE 1, and flush: doubles and longs, by a work-group and by the
 * host. Raw: MPI_Accumulate with MPI_SUM and flush, from the CPU in all rows, on the faster of two windows.
 * MPI's target is inside MPI all the time; our PE 1 does nothing.
 */
#include "carry.h"
#include <gshmemx_win.h>

#include <map>

template <class T> struct sums {
	gshmemx_win_t win;
	T *source;                       /* ones */
	std::map<size_t, size_t> ncalls; /* calls that PE 0 has made, by their number of elements */
};

template <int SCOPE>
__host__ __device__ static inline void add(gshmemx_win_t to, const double *from, size_t nelems)
{
	if (SCOPE == BENCH_WG)
		gshmemx_win_double_accumulate_wg(to, 0, from, nelems, GSHMEMX_SUM, 1);
	else
		gshmemx_win_double_accumulate(to, 0, from, nelems, GSHMEMX_SUM, 1);
}

template <int SCOPE>
__host__ __device__ static inline void add(gshmemx_win_t to, const long *from, size_t nelems)
{
	if (SCOPE == BENCH_WG)
		gshmemx_win_long_accumulate_wg(to, 0, from, nelems, GSHMEMX_SUM, 1);
	else
		gshmemx_win_long_accumulate(to, 0, from, nelems, GSHMEMX_SUM, 1);
}

template <int SCOPE, class T>
__host__ __device__ static inline void add_many(gshmemx_win_t to, const T *from, size_t nelems, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		add<SCOPE>(to, from, nelems);
		if (SCOPE == BENCH_WG)
			gshmemx_win_flush_wg(to, 1);
		else
			gshmemx_win_flush(to, 1);
		BENCH_KEEP();
	}
}

template <int SCOPE, class T>
__global__ void add_kernel(gshmemx_win_t to, const T *from, size_t nelems, size_t reps, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();

	add_many<SCOPE>(to, from, nelems, reps);
	bench_stop(ticks, started);
}

/* A batch that PE 0 makes alone. */
template <int SCOPE, class T> static bench_run ours(struct sums<T> *s, size_t nelems)
{
	return carry_alone([=](size_t reps) {
		const dim3 block(bench_nthreads(SCOPE));

		s->ncalls[nelems] += reps;
		if (SCOPE == BENCH_HOST) {
			const double started = bench_start();
			add_many<BENCH_HOST>(s->win, s->source, nelems, reps);
			return bench_now_us() - started;
		}
		hipLaunchKernelGGL(HIP_KERNEL_NAME(add_kernel<SCOPE, T>), dim3(1), block, 0, 0, s->win,
			s->source, nelems, reps, bench.ticks);
		return bench_kernel_us();
	});
}

template <int SCOPE, class T> static void rows(struct sums<T> *s, const char *op, int mpi_op)
{
	const char *scope = bench_scope_names[SCOPE];

	if (!bench_wants(scope))
		return;
	for (size_t nbytes : {8, 64, 512, 4096, 32768, 262144, 1048576}) {
		const std::vector<bench_run> mpi = {carry_mpi(mpi_op, RMA_ALLOCATE, nbytes),
			carry_mpi(mpi_op, RMA_ALLOCATE_INFO, nbytes)};

		if (nbytes >= bench.min_nbytes && nbytes <= bench.max_nbytes)
			bench_measure_against({op, scope, nbytes, 2, {}, false, 0},
				ours<SCOPE>(s, nbytes / sizeof(T)), mpi);
	}
}

/* PE 0 checks that every call on more than i elements has added 1 to element i of PE 1. */
template <class T> static void check(const struct sums<T> *s, size_t nelems, const char *op)
{
	std::vector<T> got(nelems);

	t_equal(gshmemx_win_getmem(s->win, got.data(), 0, nelems * sizeof(T), 1), 0, op);
	t_equal(gshmemx_win_flush(s->win, 1), 0, op);
	for (size_t i = 0; i < nelems; i++) {
		size_t expected = 0;

		for (const auto &calls : s->ncalls)
			expected += calls.first > i ? calls.second : 0;
		t_check(got[i] == (T)expected, "%s: element %zu is %.17g after %zu additions of 1", op, i,
			(double)got[i], expected);
	}
}

template <class T> static void measure(const char *op, int mpi_op)
{
	const size_t nelems = bench.max_nbytes / sizeof(T), nbytes = nelems * sizeof(T);
	const std::vector<T> ones(nelems, 1);
	struct sums<T> s = {
	};
	void *base;

	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, nbytes, sizeof(T), &base, &s.win), 0, op);
	s.source = (T *)gshmem_malloc(nbytes);
	t_check(s.source, "win_accumulate: the heap is too small");
	bench_fill(base, 0, nbytes);
	bench_write(s.source, ones.data(), nbytes);
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(s.win, 0), 0, op);
	rows<BENCH_WG>(&s, op, mpi_op);
	rows<BENCH_HOST>(&s, op, mpi_op);
	if (bench.pe == 0)
		check(&s, nelems, op);
	t_equal(gshmemx_win_unlock_all(s.win), 0, op);
	t_equal(gshmemx_win_free(&s.win), 0, op);
	gshmem_free(s.source);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "win_accumulate");
	bench_needs(2);
	bench.max_nbytes = std::min(bench.max_nbytes, (size_t)1 << 20);
	bench.takes_turns = true; /* PE 1 sleeps during our batches, so the PEs do not start together */
	carry_raw_start();
	measure<double>("win_double_accumulate", RMA_ADD_DOUBLES);
	measure<long>("win_long_accumulate", RMA_ADD_LONGS);
	bench_finalize();
	return 0;
}
