/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CARRY=all | GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_DELIVERY=random:3 */
/* timeout: 120 */
/*
 * MINLOC and MAXLOC of a value and its place, for each type of pair, give what a loop over all pairs gives,
 * when all PEs update the same elements: by accumulate, iaccumulate, get_accumulate and fetch_and_op, from
 * the host, a thread, a wave and a work-group. REPLACE, NO_OP and compare_and_swap work on pairs, too.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum { NPAIRS = 37, MAX_PES = 8, NVALUES = 9 };

/* What PE pe brings for element i: few values, so that many are equal, with places that differ. */
__host__ __device__ static int value_of(int pe, int i, int salt)
{
	return (int)((unsigned)(pe * 40503 + i * 2654435 + salt * 7919) >> 5) % NVALUES - NVALUES / 2;
}
__host__ __device__ static int place_of(int pe, int i)
{
	return (pe * 5 + i * 3) % 11;
}

template <typename T> struct pairs {
	T memory[2 * NPAIRS]; /* the window: of the first call, then at strides */
	T source[NPAIRS], old[NPAIRS];
};

/* A type's calls as functions of a structure, so that one template tests them all. */
#define DEFINE(NAME, T, KIND) \
	struct of_##NAME { \
		typedef T type; \
		static const char *name() { return #NAME; } \
		static T fetch_and_op(gshmemx_win_t win, ptrdiff_t disp, T value, int op, int pe) \
		{ \
			return gshmemx_win_##NAME##_fetch_and_op(win, disp, value, op, pe); \
		} \
		static T compare_and_swap(gshmemx_win_t win, ptrdiff_t disp, T cond, T value, int pe) \
		{ \
			return gshmemx_win_##NAME##_compare_and_swap(win, disp, cond, value, pe); \
		} \
		template <int scope> \
		__host__ __device__ static int update( \
			gshmemx_win_t win, T *old, const T *source, int op, int pe, int is_strided) \
		{ \
			if (is_strided) \
				return BY(NAME##_iaccumulate, win, AT(T, 1), source, 2, 1, NPAIRS / 2, op, \
					pe); \
			if (old) \
				return BY( \
					NAME##_get_accumulate, win, old, AT(T, 0), source, NPAIRS, op, pe); \
			return BY(NAME##_accumulate, win, AT(T, 0), source, NPAIRS, op, pe); \
		} \
	};
/* The displacement of element i: elements of 16 bytes lie between multiples of 16. */
#define AT(T, I) (1 + (ptrdiff_t)((I) * sizeof(T) / 8))
#define BY(NAME, ...) \
	(scope == GSHMEMI_WAVE                ? gshmemx_win_##NAME##_wave(__VA_ARGS__) \
			: scope == GSHMEMI_WG ? gshmemx_win_##NAME##_wg(__VA_ARGS__) \
					      : gshmemx_win_##NAME(__VA_ARGS__))
GSHMEMX_PAIR_TYPES(DEFINE)
#undef DEFINE

template <typename C, int scope>
__global__ void update_kernel(gshmemx_win_t win, typename C::type *old, const typename C::type *source,
	int op, int pe, int is_strided, int *nwrong)
{
	if (C::template update<scope>(win, old, source, op, pe, is_strided))
		(void)atomicAdd(nwrong, 1);
	if (scope == GSHMEMI_THREAD)
		gshmemx_win_flush(win, pe);
	else
		gshmemx_win_flush_wg(win, pe);
}

template <typename T> static bool is_better(const T &x, const T &than, int op)
{
	if (x.value != than.value)
		return op == GSHMEMX_MAXLOC ? x.value > than.value : x.value < than.value;
	return x.index < than.index;
}

template <typename T>
static void must_be(const T &got, const T &expected, const char *what, int by, int op, int i)
{
	t_check(got.value == expected.value && got.index == expected.index,
		"%s, %s %s: element %d: expected (%g, %d), got (%g, %d)", what, t_scope_names[by],
		op == GSHMEMX_MAXLOC ? "MAXLOC" : "MINLOC", i, (double)expected.value, expected.index,
		(double)got.value, got.index);
}

/* What element i is when the sources of all PEs have come. */
template <typename T> static T best_of(int npes, int i, int op, T before)
{
	for (int pe = 0; pe < npes; pe++) {
		T x = before;

		x.value = value_of(pe, i, op);
		x.index = place_of(pe, i);
		if (is_better(x, before, op))
			before = x;
	}
	return before;
}

template <typename C>
static int call(int by, gshmemx_win_t win, pairs<typename C::type> *p, int op, int what, int *nwrong)
{
	typename C::type *old = what == 1 ? p->old : NULL;

	if (by == T_HOST)
		return C::template update<GSHMEMI_THREAD>(win, old, p->source, op, 0, what == 2);
	*nwrong = 0;
	if (by == T_THREAD)
		t_launch((update_kernel<C, GSHMEMI_THREAD>), 1, 1, win, old, p->source, op, 0, what == 2,
			nwrong);
	else if (by == T_WAVE)
		t_launch((update_kernel<C, GSHMEMI_WAVE>), 1, t_wave_width(), win, old, p->source, op, 0,
			what == 2, nwrong);
	else
		t_launch(
			(update_kernel<C, GSHMEMI_WG>), 1, 70, win, old, p->source, op, 0, what == 2, nwrong);
	return *nwrong;
}

/* All PEs update PE 0's elements by accumulate (what 0), get_accumulate (1) or iaccumulate (2). */
template <typename C>
static void test_calls(gshmemx_win_t win, typename C::type *mine, pairs<typename C::type> *p, int by, int op,
	int what, int *nwrong)
{
	typedef typename C::type T;
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	static T seen[2 * NPAIRS];

	for (int i = 0; i < 2 * NPAIRS; i++) {
		p->memory[i].value = 0;
		p->memory[i].index = 6;
	}
	t_to_device(mine, p->memory, sizeof p->memory);
	for (int i = 0; i < NPAIRS; i++) {
		p->source[i].value = value_of(me, i, op);
		p->source[i].index = place_of(me, i);
	}
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	t_equal(call<C>(by, win, p, op, what, nwrong), 0, C::name());
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	gshmem_barrier_all();
	for (int i = 0; what == 1 && i < NPAIRS; i++) /* others may have come before, but nothing worse */
		t_check(!is_better(p->memory[i], p->old[i], op),
			"%s: element %d: the old value is worse than at first", C::name(), i);
	if (me == 0) {
		t_from_device(seen, mine, sizeof seen);
		for (int i = 0; i < 2 * NPAIRS; i++) {
			const bool is_in = what < 2 ? i < NPAIRS : i % 2 && i / 2 < NPAIRS / 2;

			must_be(seen[i],
				is_in ? best_of<T>(npes, what < 2 ? i : i / 2, op, p->memory[i])
				      : p->memory[i],
				C::name(), by, op, i);
		}
	}
	gshmem_barrier_all();
}

/* One element at a time, the other operators, and one that pairs do not have. */
template <typename C>
static void test_single(gshmemx_win_t win, typename C::type *mine, pairs<typename C::type> *p)
{
	typedef typename C::type T;
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	T zero = p->memory[0], x = p->memory[0], old;

	zero.value = x.value = 0;
	zero.index = 6;
	t_to_device(mine, &zero, sizeof zero);
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	x.value = value_of(me, 0, GSHMEMX_MAXLOC);
	x.index = place_of(me, 0);
	old = C::fetch_and_op(win, AT(T, 0), x, GSHMEMX_MAXLOC, 0);
	t_check(!is_better(zero, old, GSHMEMX_MAXLOC), "fetch_and_op of %s: the old value", C::name());
	gshmem_barrier_all();
	must_be(C::fetch_and_op(win, AT(T, 0), x, GSHMEMX_NO_OP, 0),
		best_of<T>(npes, 0, GSHMEMX_MAXLOC, zero), "what fetch_and_op leaves", T_HOST, GSHMEMX_MAXLOC,
		0);
	gshmem_barrier_all();
	if (me == npes - 1) {
		(void)C::fetch_and_op(win, AT(T, 0), zero, GSHMEMX_REPLACE, 0);
		x.index = 7;
		old = C::compare_and_swap(win, AT(T, 0), x, x, 0);
		must_be(old, zero, "compare_and_swap of another pair", T_HOST, 0, 0);
		old = C::compare_and_swap(win, AT(T, 0), zero, x, 0);
		must_be(old, zero, "compare_and_swap", T_HOST, 0, 0);
		must_be(C::fetch_and_op(win, AT(T, 0), x, GSHMEMX_NO_OP, 0), x,
			"what compare_and_swap leaves", T_HOST, 0, 0);
	}
	t_check(C::template update<GSHMEMI_THREAD>(win, NULL, p->source, GSHMEMX_SUM, 0, 0) < 0,
		"a sum of %s", C::name());
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	gshmem_barrier_all();
}

template <typename C> static void test_type(int *nwrong)
{
	typedef typename C::type T;
	gshmemx_win_t win;
	pairs<T> *p;
	void *base;
	T *mine;

	t_hip(hipHostMalloc((void **)&p, sizeof *p));
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, 8 + sizeof p->memory, 8, &base, &win), 0, "allocate");
	mine = (T *)((char *)base + 8);
	for (int by = 0; by < T_NSCOPES; by++)
		for (int op = GSHMEMX_MINLOC; op <= GSHMEMX_MAXLOC; op++)
			for (int what = 0; what < 3; what++)
				test_calls<C>(win, mine, p, by, op, what, nwrong);
	test_single<C>(win, mine, p);
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipHostFree(p));
}

int main()
{
	int *nwrong;

	gshmem_init();
	t_check(gshmem_n_pes() <= MAX_PES, "at most %d PEs", MAX_PES);
	t_hip(hipHostMalloc((void **)&nwrong, sizeof *nwrong));
#define TEST(NAME, T, KIND) test_type<of_##NAME>(nwrong);
	GSHMEMX_PAIR_TYPES(TEST)
	t_hip(hipHostFree(nwrong));
	gshmem_finalize();
	return 0;
}
