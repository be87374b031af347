/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -t 4000 */
/*
 * accumulate on a window of PE 1, and flush, by a work-group and by the host. Rows of _carried_: on memory
 * that PE 0 cannot map, which PE 1's process updates. Raw: MPI_Accumulate and flush, from the CPU in all
 * rows, on the faster of two windows. MPI's target is inside MPI all the time; our PE 1 does nothing.
 */
#include "carry.h"
#include <gshmemx_win.h>

#include <map>

template <class T> struct target {
	const char *name; /* of the rows */
	int op, mpi_op;   /* GSHMEMX_*, RMA_* */
	bool is_carried;
	gshmemx_win_t win;
	T *source;                       /* ones */
	std::map<size_t, size_t> ncalls; /* calls that PE 0 has made, by their number of elements */
};

#define DEFINE(NAME, T) \
	template <int SCOPE> \
	__host__ __device__ static inline void update( \
		gshmemx_win_t to, const T *from, size_t nelems, int op) \
	{ \
		if (SCOPE == BENCH_WG) \
			gshmemx_win_##NAME##_accumulate_wg(to, 0, from, nelems, op, 1); \
		else \
			gshmemx_win_##NAME##_accumulate(to, 0, from, nelems, op, 1); \
	}
DEFINE(double, double)
DEFINE(long, long)
DEFINE(int, int)

template <int SCOPE, class T>
__host__ __device__ static inline void update_many(
	gshmemx_win_t to, const T *from, size_t nelems, int op, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		update<SCOPE>(to, from, nelems, op);
		if (SCOPE == BENCH_WG)
			gshmemx_win_flush_wg(to, 1);
		else
			gshmemx_win_flush(to, 1);
		BENCH_KEEP();
	}
}

template <int SCOPE, class T>
__global__ void update_kernel(
	gshmemx_win_t to, const T *from, size_t nelems, int op, size_t reps, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();

	update_many<SCOPE>(to, from, nelems, op, reps);
	bench_stop(ticks, started);
}

/* A batch that PE 0 makes alone. */
template <int SCOPE, class T> static bench_run ours(struct target<T> *t, size_t nelems)
{
	return carry_alone([=](size_t reps) {
		const dim3 block(bench_nthreads(SCOPE));

		t->ncalls[nelems] += reps;
		if (SCOPE == BENCH_HOST) {
			const double started = bench_start();
			update_many<BENCH_HOST>(t->win, t->source, nelems, t->op, reps);
			return bench_now_us() - started;
		}
		hipLaunchKernelGGL(HIP_KERNEL_NAME(update_kernel<SCOPE, T>), dim3(1), block, 0, 0, t->win,
			t->source, nelems, t->op, reps, bench.ticks);
		return bench_kernel_us();
	});
}

template <int SCOPE, class T> static void rows(struct target<T> *t)
{
	static const std::vector<size_t> mapped = {8, 64, 512, 4096, 16384, 32768, 262144, 1048576},
					 carried = {8, 16384, 262144, 1048576};
	const char *scope = bench_scope_names[SCOPE];

	if (!bench_wants(scope))
		return;
	for (size_t nbytes : t->is_carried ? carried : mapped) {
		const std::vector<bench_run> mpi = {carry_mpi(t->mpi_op, RMA_ALLOCATE, nbytes),
			carry_mpi(t->mpi_op, RMA_ALLOCATE_INFO, nbytes)};

		if (nbytes >= bench.min_nbytes && nbytes <= bench.max_nbytes)
			bench_measure_against({t->name, scope, nbytes, 2, {}, false, 0},
				ours<SCOPE>(t, nbytes / sizeof(T)), mpi);
	}
}

/*
 * PE 0 checks that each call on more than i elements has added 1 to element i of PE 1, or, of XOR, has changed
 * its lowest bit, or, of PROD, nothing.
 */
template <class T> static void check(const struct target<T> *t, size_t nelems)
{
	std::vector<T> got(nelems);

	t_equal(gshmemx_win_getmem(t->win, got.data(), 0, nelems * sizeof(T), 1), 0, t->name);
	t_equal(gshmemx_win_flush(t->win, 1), 0, t->name);
	for (size_t i = 0; i < nelems; i++) {
		size_t expected = 0;

		for (const auto &calls : t->ncalls)
			expected += calls.first > i && t->op != GSHMEMX_PROD ? calls.second : 0;
		if (t->op == GSHMEMX_XOR)
			expected &= 1;
		t_check(got[i] == (T)expected, "%s: element %zu is %.17g after %zu additions of 1", t->name,
			i, (double)got[i], expected);
	}
}

/* Memory that this PE alone can map: the CPU's. */
static void *make_carried(size_t nbytes, gshmemx_win_t *win)
{
	void *base;

	t_hip(hipHostMalloc(
		&base, nbytes, hipHostMallocMapped | hipHostMallocPortable | hipHostMallocCoherent));
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, base, nbytes, 1, win), 0, "gshmemx_win_create");
	return base;
}

template <class T> static void measure(const char *name, bool is_carried, int op, int mpi_op)
{
	const size_t nelems = bench.max_nbytes / sizeof(T), nbytes = nelems * sizeof(T);
	const std::vector<T> ones(nelems, 1);
	struct target<T> t = {
	};
	void *base;

	t.name = name;
	t.op = op;
	t.mpi_op = mpi_op;
	t.is_carried = is_carried;
	if (is_carried)
		base = make_carried(nbytes, &t.win);
	else
		t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, nbytes, sizeof(T), &base, &t.win), 0, name);
	t.source = (T *)gshmem_malloc(nbytes);
	t_check(t.source, "win_accumulate: the heap is too small");
	bench_fill(base, 0, nbytes);
	bench_write(t.source, ones.data(), nbytes);
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(t.win, 0), 0, name);
	rows<BENCH_WG>(&t);
	rows<BENCH_HOST>(&t);
	if (bench.pe == 0)
		check(&t, nelems);
	t_equal(gshmemx_win_unlock_all(t.win), 0, name);
	t_equal(gshmemx_win_free(&t.win), 0, name);
	if (is_carried)
		t_hip(hipHostFree(base));
	gshmem_free(t.source);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "win_accumulate");
	bench_needs(2);
	bench.max_nbytes = std::min(bench.max_nbytes, (size_t)1 << 20);
	bench.takes_turns = true; /* PE 1 sleeps during our batches, so the PEs do not start together */
	carry_raw_start();
	measure<double>("win_double_accumulate", false, GSHMEMX_SUM, RMA_ADD_DOUBLES);
	measure<long>("win_long_accumulate", false, GSHMEMX_SUM, RMA_ADD_LONGS);
	measure<int>("win_int_xor", false, GSHMEMX_XOR, RMA_XOR_INTS);
	measure<int>("win_carried_int_sum", true, GSHMEMX_SUM, RMA_ADD_INTS);
	measure<double>("win_carried_double_sum", true, GSHMEMX_SUM, RMA_ADD_DOUBLES);
	measure<double>("win_carried_double_prod", true, GSHMEMX_PROD, RMA_MULTIPLY_DOUBLES);
	bench_finalize();
	return 0;
}
