/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* env: GSHMEM_CHECK=0 | GSHMEM_CHECK=1 */
/*
 * test compares as C does, for every type and operator, around zero and around the largest and smallest
 * values, signed and unsigned; wait_until returns at once if test is true. In kernels and on the host.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NVALUES 10
#define NCASES  (NVALUES * NVALUES * 6)

/* Value i of T, where signs and sizes matter. */
template <class T> T_HD T value(size_t i)
{
	const T largest = (T)-1 > (T)0 ? (T)-1 : (T)(((uint64_t)1 << (8 * sizeof(T) - 1)) - 1),
		smallest = (T)~largest;
	const T values[NVALUES] = {0, 1, (T)-1, 2, largest, (T)(largest - 1), smallest, (T)(smallest + 1),
		(T)(largest / 2 + 1), (T)0x80};

	return values[i];
}

template <class T> static bool compare(T a, int cmp, T b)
{
	return cmp == GSHMEM_CMP_EQ    ? a == b
		: cmp == GSHMEM_CMP_NE ? a != b
		: cmp == GSHMEM_CMP_GT ? a > b
		: cmp == GSHMEM_CMP_GE ? a >= b
		: cmp == GSHMEM_CMP_LT ? a < b
				       : a <= b;
}

#define OF_TYPE(NAME, TYPE) \
	struct of_##NAME { \
		typedef TYPE type; \
		static const char *name() { return #NAME; } \
		static __host__ __device__ int test(type *ivar, int cmp, type v) \
		{ \
			return gshmem_##NAME##_test(ivar, cmp, v); \
		} \
		static __host__ __device__ void wait(type *ivar, int cmp, type v) \
		{ \
			gshmem_##NAME##_wait_until(ivar, cmp, v); \
		} \
	};
GSHMEM_WAIT_TYPES(OF_TYPE)

/* Case i: object, operator, value. */
template <class F> static __host__ __device__ int try_case(typename F::type *ivars, size_t i)
{
	typename F::type *ivar = ivars + i / 6 / NVALUES, v = value<typename F::type>(i / 6 % NVALUES);
	int cmp = GSHMEM_CMP_EQ + i % 6, result = F::test(ivar, cmp, v);

	if (result)
		F::wait(ivar, cmp, v);
	return result;
}

template <class F>
static __global__ void __launch_bounds__(NCASES) try_all(typename F::type *ivars, int *results)
{
	results[threadIdx.x] = try_case<F>(ivars, threadIdx.x);
}

template <class F> static void check(void *ivars_, int *device_results)
{
	typedef typename F::type T;
	T *ivars = (T *)ivars_, objects[NVALUES];
	static int results[NCASES];

	for (size_t i = 0; i < NVALUES; i++)
		objects[i] = value<T>(i);
	t_to_device(ivars, objects, sizeof objects);
	for (int host = 0; host < 2; host++) {
		if (host) {
			for (size_t i = 0; i < NCASES; i++)
				results[i] = try_case<F>(ivars, i);
		} else {
			t_launch(try_all<F>, 1, NCASES, ivars, device_results);
			t_from_device(results, device_results, sizeof results);
		}
		for (size_t i = 0; i < NCASES; i++) {
			T object = objects[i / 6 / NVALUES], v = value<T>(i / 6 % NVALUES);
			int expected = compare(object, GSHMEM_CMP_EQ + i % 6, v);

			t_check(results[i] == expected,
				"%s_test on the %s: %lld %s %lld: expected %d, got %d", F::name(),
				host ? "host" : "GPU", (long long)object,
				((const char *[]){"==", "!=", ">", ">=", "<", "<="})[i % 6], (long long)v,
				expected, results[i]);
		}
	}
}

int main()
{
	gshmem_init();
	void *ivars = t_shmalloc(NVALUES * 8);
	int *results = (int *)t_hipmalloc(NCASES * sizeof *results);
#define CHECK(NAME, TYPE) check<of_##NAME>(ivars, results);
	GSHMEM_WAIT_TYPES(CHECK)
	gshmem_finalize();
	return 0;
}
