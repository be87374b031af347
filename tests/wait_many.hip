/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,3 */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CHECK=1 */
/*
 * Waits and tests on arrays are right for a few types (wait_many_types has all), with one value and with one
 * per object, in kernels and on the host. Tests agree with a model for every operator and mask; the any
 * forms find each object sooner or later; waits return each object that another PE writes exactly once,
 * after the data that it wrote before.
 */
#include <gshmem.h>

#include "helpers.h"

#define NELEMS 37 /* more than one copy of 256 bytes holds, for 8-byte types */
#define NONE   SIZE_MAX

/* What one call of each returned. */
struct results {
	long all;
	size_t any, some;
	size_t indices[NELEMS];
};

#define OF_TYPE(NAME, TYPE) \
	struct of_##NAME { \
		typedef TYPE type; \
		static const char *name() { return #NAME; } \
		static __host__ __device__ void p(type *dest, type v, int pe) \
		{ \
			gshmem_##NAME##_p(dest, v, pe); \
		} \
		static __host__ __device__ void test(struct results *r, type *ivars, size_t n, \
			const int *status, int cmp, const type *values, bool vector) \
		{ \
			if (vector) { \
				r->all = gshmem_##NAME##_test_all_vector(ivars, n, status, cmp, values); \
				r->any = gshmem_##NAME##_test_any_vector(ivars, n, status, cmp, values); \
				r->some = gshmem_##NAME##_test_some_vector( \
					ivars, n, r->indices, status, cmp, values); \
			} else { \
				r->all = gshmem_##NAME##_test_all(ivars, n, status, cmp, values[0]); \
				r->any = gshmem_##NAME##_test_any(ivars, n, status, cmp, values[0]); \
				r->some = gshmem_##NAME##_test_some( \
					ivars, n, r->indices, status, cmp, values[0]); \
			} \
		} \
		static __host__ __device__ size_t any( \
			type *ivars, const int *status, const type *values, bool vector) \
		{ \
			return vector ? gshmem_##NAME##_wait_until_any_vector( \
						ivars, NELEMS, status, GSHMEM_CMP_EQ, values) \
				      : gshmem_##NAME##_wait_until_any( \
						ivars, NELEMS, status, GSHMEM_CMP_GE, values[0]); \
		} \
		static __host__ __device__ size_t some( \
			type *ivars, size_t *indices, const int *status, const type *values, bool vector) \
		{ \
			return vector ? gshmem_##NAME##_wait_until_some_vector( \
						ivars, NELEMS, indices, status, GSHMEM_CMP_EQ, values) \
				      : gshmem_##NAME##_wait_until_some( \
						ivars, NELEMS, indices, status, GSHMEM_CMP_GE, values[0]); \
		} \
		static __host__ __device__ void all( \
			type *ivars, const int *status, const type *values, bool vector) \
		{ \
			if (vector) \
				gshmem_##NAME##_wait_until_all_vector( \
					ivars, NELEMS, status, GSHMEM_CMP_EQ, values); \
			else \
				gshmem_##NAME##_wait_until_all( \
					ivars, NELEMS, status, GSHMEM_CMP_GE, values[0]); \
		} \
	};
#ifndef WAIT_TYPES /* a word of each size; values of each sign */
#define WAIT_TYPES(X) \
	X(short, short) \
	X(uint, unsigned) \
	X(longlong, long long)
#endif
WAIT_TYPES(OF_TYPE)

/* Host memory that kernels and the host share. */
template <class F> struct arguments {
	typename F::type values[NELEMS];
	int status[NELEMS];
	int seen[NELEMS];
	size_t indices[NELEMS];
	struct results results;
	long errors;
};

/* ---- tests, on objects that nobody changes ---- */

template <class F>
static __global__ void test_kernel(
	typename F::type *ivars, struct arguments<F> *a, size_t n, int cmp, bool masked, bool vector)
{
	F::test(&a->results, ivars, n, masked ? a->status : NULL, cmp, a->values, vector);
}

static bool holds(long a, int cmp, long b)
{
	switch (cmp) {
	case GSHMEM_CMP_EQ:
		return a == b;
	case GSHMEM_CMP_NE:
		return a != b;
	case GSHMEM_CMP_GT:
		return a > b;
	case GSHMEM_CMP_GE:
		return a >= b;
	case GSHMEM_CMP_LT:
		return a < b;
	default:
		return a <= b;
	}
}

/* Objects are i % 5 + 1. */
template <class F>
static void check_tests(
	const struct arguments<F> *a, size_t n, int cmp, bool masked, bool vector, const char *where)
{
	size_t nset = 0, nheld = 0, i;
	bool any_found = false;

	for (i = 0; i < n; i++) {
		if (masked && a->status[i])
			continue;
		nset++;
		if (!holds((long)(i % 5 + 1), cmp, (long)a->values[vector ? i : 0]))
			continue;
		any_found |= a->results.any == i;
		t_check(nheld < a->results.some && a->results.indices[nheld] == i,
			"%s: %s: test_some misses %zu", where, F::name(), i);
		nheld++;
	}
	t_check(a->results.some == nheld, "%s: %s: test_some %zu, expected %zu", where, F::name(),
		a->results.some, nheld);
	t_check(a->results.all == (nheld == nset), "%s: %s: test_all %ld, %zu of %zu hold", where, F::name(),
		a->results.all, nheld, nset);
	t_check(nheld ? any_found : a->results.any == NONE, "%s: %s: test_any %zu", where, F::name(),
		a->results.any);
}

template <class F> static void try_tests(typename F::type *ivars, struct arguments<F> *a)
{
	const int cmps[] = {
		GSHMEM_CMP_EQ, GSHMEM_CMP_NE, GSHMEM_CMP_GT, GSHMEM_CMP_GE, GSHMEM_CMP_LT, GSHMEM_CMP_LE};
	const size_t lengths[] = {0, 1, 5, NELEMS};
	unsigned c, l, k;

	for (k = 0; k < NELEMS; k++) {
		F::p(ivars + k, (typename F::type)(k % 5 + 1), gshmem_my_pe());
		a->values[k] = (typename F::type)(3 - (k % 7 == 0));
	}
	gshmem_barrier_all();
	for (c = 0; c < 6; c++) {
		for (l = 0; l < 4; l++) {
			for (k = 0; k < 6; k++) {
				const bool vector = k & 1, masked = k >= 2;
				unsigned i;

				for (i = 0; i < NELEMS; i++)
					a->status[i] = k >= 4 ? 1 : i % 3 == 0; /* all, or some */
				F::test(&a->results, ivars, lengths[l], masked ? a->status : NULL, cmps[c],
					a->values, vector);
				check_tests<F>(a, lengths[l], cmps[c], masked, vector, "host");
				hipLaunchKernelGGL(test_kernel<F>, dim3(1), dim3(1), 0, 0, ivars, a,
					lengths[l], cmps[c], masked, vector);
				t_hip(hipDeviceSynchronize());
				check_tests<F>(a, lengths[l], cmps[c], masked, vector, "kernel");
			}
		}
	}
}

/* All hold: repeated calls return each. */
template <class F> static void find_each(typename F::type *ivars)
{
	bool found[8] = {false};
	int nfound = 0, tries;
	size_t i;

	for (tries = 0; tries < 100000 && nfound < 8; tries++) {
		i = gshmem_test_any(ivars, 8, NULL, GSHMEM_CMP_GE, (typename F::type)1);
		t_check(i < 8, "%s: test_any %zu of 8", F::name(), i);
		nfound += !found[i];
		found[i] = true;
	}
	t_equal(nfound, 8, "objects that test_any finds");
}

/* ---- waits, on objects that another PE writes ---- */

/* Write in a special order; data first. */
template <class F>
static __host__ __device__ void write_each(typename F::type *ivars, long *data, long mark, int pe)
{
	for (unsigned n = 0; n < NELEMS; n++) {
		const unsigned i = n * 11 % NELEMS;

		gshmem_long_p(data + i, mark + i, pe);
		gshmem_fence();
		F::p(ivars + i, (typename F::type)(i + 1), pe);
	}
	gshmem_quiet();
}

/* Each index must come once, until none are left; excluded ones never come. */
template <class F>
static __host__ __device__ void wait_each(typename F::type *ivars, const long *data, long mark,
	struct arguments<F> *a, bool vector, bool by_some)
{
	size_t nleft = NELEMS, n, k, i;

	while (nleft) {
		a->indices[0] = NONE;
		n = 1;
		if (by_some)
			n = F::some(ivars, a->indices, a->seen, a->values, vector);
		else
			a->indices[0] = F::any(ivars, a->seen, a->values, vector);
		a->errors += n == 0 || n > nleft;
		for (k = 0; k < n && n <= nleft; k++) {
			i = a->indices[k];
			if (i >= NELEMS || a->seen[i] ||
				gshmem_long_g(data + i, gshmem_my_pe()) != mark + (long)i) {
				a->errors++;
				return;
			}
			a->seen[i] = 1;
		}
		nleft -= n;
	}
	F::all(ivars, NULL, a->values, vector);
	a->errors += F::any(ivars, a->seen, a->values, vector) != NONE;
	a->errors += F::some(ivars, a->indices, a->seen, a->values, vector) != 0;
	F::all(ivars, a->seen, a->values, vector);
}

template <class F>
static __global__ void wait_kernel(typename F::type *ivars, long *data, long mark, struct arguments<F> *a,
	bool vector, bool by_some, int to)
{
	if (blockIdx.x == 0)
		write_each<F>(ivars, data, mark, to);
	else
		wait_each<F>(ivars, data, mark, a, vector, by_some);
}

template <class F>
static void try_waits(typename F::type *ivars, long *data, struct arguments<F> *a, long *mark)
{
	const int to = (gshmem_my_pe() + 1) % gshmem_n_pes();
	unsigned k, i;

	for (k = 0; k < 8; k++) {
		const bool vector = k & 1, by_some = k & 2, on_host = k & 4;

		*mark += 1000;
		a->errors = 0;
		for (i = 0; i < NELEMS; i++) {
			F::p(ivars + i, 0, gshmem_my_pe());
			a->values[i] = (typename F::type)(vector ? i + 1 : 1);
			a->seen[i] = 0;
		}
		gshmem_barrier_all();
		if (on_host) {
			write_each<F>(ivars, data, *mark, to);
			wait_each<F>(ivars, data, *mark, a, vector, by_some);
		} else {
			hipLaunchKernelGGL(wait_kernel<F>, dim3(2), dim3(1), 0, 0, ivars, data, *mark, a,
				vector, by_some, to);
			t_hip(hipDeviceSynchronize());
		}
		t_check(!a->errors, "PE %d: %s: waits of the %s: %ld errors", gshmem_my_pe(), F::name(),
			on_host ? "host" : "kernel", a->errors);
		gshmem_barrier_all();
	}
}

template <class F> static void try_type(void *heap, long *data, long *mark)
{
	typename F::type *ivars = (typename F::type *)heap;
	struct arguments<F> *a;

	t_hip(hipHostMalloc((void **)&a, sizeof *a, 0));
	try_tests<F>(ivars, a);
	find_each<F>(ivars);
	gshmem_barrier_all();
	try_waits<F>(ivars, data, a, mark);
	t_hip(hipHostFree(a));
}

int main(void)
{
	long mark = 0, *data;
	void *heap;

	gshmem_init();
	heap = gshmem_calloc(NELEMS, 8);
	data = (long *)gshmem_calloc(NELEMS, sizeof *data);
#define TRY(NAME, TYPE) try_type<of_##NAME>(heap, data, &mark);
	WAIT_TYPES(TRY)
#undef TRY
	gshmem_free(data);
	gshmem_free(heap);
	gshmem_finalize();
	return 0;
}
