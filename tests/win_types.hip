/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,3 */
/* tier: all */
/* timeout: 240 */
/*
 * For every operator and type accumulate and get_accumulate give the same result as the operator in C, from
 * the host, by a thread and by a work-group; fetch_and_op and compare_and_swap, too. Many PEs that add to the
 * same elements lose no update, whatever the element's size.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum { NELEMS = 21, MAX_PES = 8, NADDS = 40 };

/* Small whole numbers are exact in all types. */
template <typename T> static T make(long value)
{
	return (T)value;
}
template <> gshmemx_half_t make<gshmemx_half_t>(long value)
{
	return (gshmemx_half_t)(float)value;
}
template <> gshmemx_bfloat16_t make<gshmemx_bfloat16_t>(long value)
{
	return (gshmemx_bfloat16_t)(float)value;
}

template <> gshmemx_complexf_t make<gshmemx_complexf_t>(long value)
{
	const gshmemx_complexf_t number = {(float)value, 0};

	return number;
}
template <> gshmemx_complexd_t make<gshmemx_complexd_t>(long value)
{
	const gshmemx_complexd_t number = {(double)value, 0};

	return number;
}

template <typename T> static bool is_same(const T &a, const T &b)
{
	return a == b;
}
template <> bool is_same<gshmemx_half_t>(const gshmemx_half_t &a, const gshmemx_half_t &b)
{
	return (float)a == (float)b;
}
template <> bool is_same<gshmemx_bfloat16_t>(const gshmemx_bfloat16_t &a, const gshmemx_bfloat16_t &b)
{
	return (float)a == (float)b;
}

template <> bool is_same<gshmemx_complexf_t>(const gshmemx_complexf_t &a, const gshmemx_complexf_t &b)
{
	return !memcmp(&a, &b, sizeof a);
}
template <> bool is_same<gshmemx_complexd_t>(const gshmemx_complexd_t &a, const gshmemx_complexd_t &b)
{
	return !memcmp(&a, &b, sizeof a);
}

/* The operator on small whole numbers; complex numbers have imaginary parts of 0. */
static long apply(int op, long a, long b)
{
	switch (op) {
	case GSHMEMX_AND:
		return a & b;
	case GSHMEMX_OR:
		return a | b;
	case GSHMEMX_XOR:
		return a ^ b;
	case GSHMEMX_MAX:
		return a > b ? a : b;
	case GSHMEMX_MIN:
		return a < b ? a : b;
	case GSHMEMX_SUM:
		return a + b;
	case GSHMEMX_PROD:
		return a * b;
	case GSHMEMX_LAND:
		return a && b;
	case GSHMEMX_LOR:
		return a || b;
	case GSHMEMX_LXOR:
		return !a != !b;
	case GSHMEMX_REPLACE:
		return b;
	default:
		return a;
	}
}

static const char *const op_names[] = {
	"AND", "OR", "XOR", "MAX", "MIN", "SUM", "PROD", "LAND", "LOR", "LXOR", "REPLACE", "NO_OP"};
enum { IS_WHOLE = 1, IS_ORDERED = 2 };

static bool has_op(int op, int what)
{
	if (op <= GSHMEMX_XOR || (op >= GSHMEMX_LAND && op <= GSHMEMX_LXOR))
		return what & IS_WHOLE;
	return (op != GSHMEMX_MAX && op != GSHMEMX_MIN) || what & IS_ORDERED;
}

static long first(int i)
{
	return i % 7;
}

static long second(int i)
{
	return i % 5;
}

/* A type's calls as functions of a structure, so that one template tests them all. */
template <typename T> struct pieces {
	T memory[NELEMS + 1]; /* in the window */
	T source[NELEMS], result[NELEMS];
};

#define DEFINE_TYPE(NAME, T) \
	struct of_##NAME { \
		typedef T type; \
		static const char *name() { return #NAME; } \
		static int accumulate(gshmemx_win_t win, const T *source, int op, int pe) \
		{ \
			return gshmemx_win_##NAME##_accumulate(win, 0, source, NELEMS, op, pe); \
		} \
		static int get_accumulate(gshmemx_win_t win, T *result, const T *source, int op, int pe) \
		{ \
			return gshmemx_win_##NAME##_get_accumulate(win, result, 0, source, NELEMS, op, pe); \
		} \
		static T fetch_and_op(gshmemx_win_t win, ptrdiff_t disp, T value, int op, int pe) \
		{ \
			return gshmemx_win_##NAME##_fetch_and_op(win, disp, value, op, pe); \
		} \
		static T compare_and_swap(gshmemx_win_t win, ptrdiff_t disp, T cond, T value, int pe) \
		{ \
			return gshmemx_win_##NAME##_compare_and_swap(win, disp, cond, value, pe); \
		} \
	};
#define DEFINE_KERNELS(NAME, T) \
	__global__ void accumulate_##NAME(gshmemx_win_t win, T *result, const T *source, int op, int pe) \
	{ \
		if (blockDim.x == 1) \
			gshmemx_win_##NAME##_get_accumulate(win, result, 0, source, NELEMS, op, pe); \
		else \
			gshmemx_win_##NAME##_get_accumulate_wg(win, result, 0, source, NELEMS, op, pe); \
		gshmemx_win_flush_wg(win, pe); \
	}

template <typename C>
static void must_be(typename C::type got, long expected, const char *what, int op, int i)
{
	if (!is_same<typename C::type>(got, make<typename C::type>(expected)))
		t_fail("%s, %s of %s, element %d is not %ld", what, op_names[op], C::name(), i, expected);
}

template <typename C>
static void fill(pieces<typename C::type> *p, gshmemx_win_t win, pieces<typename C::type> *mine)
{
	(void)win;
	for (int i = 0; i < NELEMS; i++) {
		p->memory[i] = make<typename C::type>(first(i));
		p->source[i] = make<typename C::type>(second(i));
		p->result[i] = make<typename C::type>(3);
	}
	t_hip(hipMemcpy(mine, p->memory, sizeof p->memory, hipMemcpyDefault));
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
}

/* Each PE updates the next one. launch NULL: from the host. */
template <typename C, typename K>
static void test_op(gshmemx_win_t win, pieces<typename C::type> *ends, pieces<typename C::type> *mine, int op,
	K kernel, unsigned nthreads)
{
	typedef typename C::type T;
	static T seen[NELEMS + 1];
	const int next = (gshmem_my_pe() + 1) % gshmem_n_pes();
	const T *source = op == GSHMEMX_NO_OP ? NULL : ends->source; /* which NO_OP does not read */

	fill<C>(ends, win, mine);
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	if (nthreads)
		t_launch(kernel, 1, nthreads, win, ends->result, source, op, next);
	else
		t_equal(C::get_accumulate(win, ends->result, source, op, next), 0, C::name());
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	gshmem_barrier_all();
	t_hip(hipMemcpy(seen, mine, sizeof seen, hipMemcpyDefault));
	for (int i = 0; i < NELEMS; i++) {
		must_be<C>(ends->result[i], first(i), "what was there before", op, i);
		must_be<C>(seen[i], apply(op, first(i), second(i)),
			nthreads ? "a kernel's accumulate" : "accumulate", op, i);
	}
	gshmem_barrier_all();
}

/* All PEs add to two elements of PE 0, one of which is alone in its word. */
template <typename C>
static void test_sum(gshmemx_win_t win, pieces<typename C::type> *ends, pieces<typename C::type> *mine)
{
	typedef typename C::type T;
	const int npes = gshmem_n_pes();
	static T seen[NELEMS + 1];
	T old;

	for (int i = 0; i < NELEMS; i++)
		ends->source[i] = make<T>(0);
	t_hip(hipMemcpy(mine, ends->source, sizeof ends->source, hipMemcpyDefault));
	t_hip(hipDeviceSynchronize());
	ends->source[3] = ends->source[4] = make<T>(1);
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	for (int i = 0; i < NADDS / npes; i++)
		t_equal(C::accumulate(win, ends->source, GSHMEMX_SUM, 0), 0, C::name());
	old = C::fetch_and_op(win, 5, make<T>(1), GSHMEMX_SUM, 0);
	while (!is_same<T>(
		C::compare_and_swap(win, 6, make<T>(gshmem_my_pe()), make<T>(gshmem_my_pe() + 1), 0),
		make<T>(gshmem_my_pe())))
		; /* one PE after the other */
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	gshmem_barrier_all();
	t_check(!is_same<T>(old, make<T>(npes)), "fetch_and_op of %s brings what comes last", C::name());
	t_hip(hipMemcpy(seen, mine, sizeof seen, hipMemcpyDefault));
	if (gshmem_my_pe() == 0) {
		must_be<C>(seen[3], NADDS / npes * npes, "what all have added", GSHMEMX_SUM, 3);
		must_be<C>(seen[4], NADDS / npes * npes, "what all have added", GSHMEMX_SUM, 4);
		must_be<C>(seen[2], 0, "what nobody has added to", GSHMEMX_SUM, 2);
		must_be<C>(seen[5], npes, "what all have fetched and added", GSHMEMX_SUM, 5);
		must_be<C>(seen[6], npes, "what all have swapped", GSHMEMX_REPLACE, 6);
	}
	gshmem_barrier_all();
}

template <typename C, typename K> static void test_type(int what, K kernel)
{
	typedef typename C::type T;
	pieces<T> *ends;
	gshmemx_win_t win;
	void *memory;

	t_hip(hipHostMalloc((void **)&ends, sizeof *ends));
	t_hip(hipMalloc(&memory, sizeof ends->memory + sizeof(T)));
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, (T *)memory + 1, sizeof ends->memory, sizeof(T), &win),
		0, "create");
	for (int op = 0; op <= GSHMEMX_NO_OP; op++) {
		if (!has_op(op, what))
			continue;
		test_op<C, K>(win, ends, (pieces<T> *)((T *)memory + 1), op, kernel, 0);
		if (kernel) {
			test_op<C, K>(win, ends, (pieces<T> *)((T *)memory + 1), op, kernel, 1);
			test_op<C, K>(win, ends, (pieces<T> *)((T *)memory + 1), op, kernel, 33);
		}
	}
	test_sum<C>(win, ends, (pieces<T> *)((T *)memory + 1));
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipFree(memory));
	t_hip(hipHostFree(ends));
}

#define DEFINE(NAME, T, KIND) DEFINE_TYPE(NAME, T) DEFINE_KERNELS(NAME, T)
GSHMEM_BASIC_ORDERED_REDUCE_TYPES(DEFINE)
GSHMEMX_REDUCE_TYPES(DEFINE)
#undef DEFINE
#define DEFINE(NAME, T, KIND) DEFINE_TYPE(NAME, T)
GSHMEM_LONG_DOUBLE_REDUCE_TYPES(DEFINE)
GSHMEM_COMPLEX_REDUCE_TYPES(DEFINE)
GSHMEM_ALIAS_BITWISE_REDUCE_TYPES(DEFINE)
#undef DEFINE

template <typename T> static int kind_of()
{
	return (T)1 / (T)2 == (T)0 ? IS_WHOLE | IS_ORDERED : IS_ORDERED;
}

int main(void)
{
	gshmem_init();
	if (gshmem_n_pes() > MAX_PES)
		t_skip("more PEs than small numbers count");
#define TEST(NAME, T, KIND) test_type<of_##NAME>(kind_of<T>(), accumulate_##NAME);
	GSHMEM_BASIC_ORDERED_REDUCE_TYPES(TEST)
#undef TEST
	test_type<of_half>(IS_ORDERED, accumulate_half);
	test_type<of_bfloat16>(IS_ORDERED, accumulate_bfloat16);
	test_type<of_longdouble, void (*)(gshmemx_win_t, long double *, const long double *, int, int)>(
		IS_ORDERED, NULL);
	test_type<of_complexf,
		void (*)(gshmemx_win_t, gshmemx_complexf_t *, const gshmemx_complexf_t *, int, int)>(0, NULL);
	test_type<of_complexd,
		void (*)(gshmemx_win_t, gshmemx_complexd_t *, const gshmemx_complexd_t *, int, int)>(0, NULL);
#define TEST(NAME, T, KIND) \
	test_type<of_##NAME, void (*)(gshmemx_win_t, T *, const T *, int, int)>(kind_of<T>(), NULL);
	GSHMEM_ALIAS_BITWISE_REDUCE_TYPES(TEST)
#undef TEST
	gshmem_finalize();
	return 0;
}
