/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_WAVE=64 GSHMEM_CHECK=1 | GSHMEM_CPU_DIVERGE=random:7 */
/*
 * wait_until really waits, and ends, for every type and operator, by a thread, a wave, a work-group and the
 * host. The other PE first writes values that do not satisfy it, then data, then one that does. All threads
 * of the group see the data. Both PEs wait and write in turn.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NTHREADS 130

enum { NCMPS = 6 };

/*
 * For each operator, compared with 5: the object's initial value, values that do
 * not satisfy, and one that does.
 */
enum { START, NO, YES };
T_HD int object_of(int what, int c)
{
	const int values[][NCMPS] = {{0, 5, 5, 4, 5, 6}, {4, 5, 1, 3, 9, 7}, {5, 6, 6, 5, 4, 5}};

	return values[what][c];
}

#define OF_TYPE(NAME, TYPE) \
	struct of_##NAME { \
		typedef TYPE type; \
		static const char *name() { return #NAME; } \
		static __host__ __device__ void write(type *ivar, type v, int pe) \
		{ \
			gshmem_##NAME##_p(ivar, v, pe); \
		} \
		static __host__ __device__ void wait(int scope, type *ivar, int cmp, type v) \
		{ \
			if (scope == T_WAVE) \
				gshmemx_##NAME##_wait_until_wave(ivar, cmp, v); \
			else if (scope == T_WG) \
				gshmemx_##NAME##_wait_until_wg(ivar, cmp, v); \
			else \
				gshmem_##NAME##_wait_until(ivar, cmp, v); \
		} \
	};
GSHMEM_WAIT_TYPES(OF_TYPE)

/* The writer's side: 2 values that the waiter must not take, data, and the value that it waits for. */
template <class F>
static __host__ __device__ void satisfy(typename F::type *ivars, long *data, long mark, int pe)
{
	for (int c = 0; c < NCMPS; c++) {
		F::write(ivars + c, object_of(NO, c), pe);
		gshmem_long_p(data + c, mark + c, pe);
		gshmem_fence();
		F::write(ivars + c, object_of(YES, c), pe);
	}
	gshmem_quiet();
}

template <class F> static __global__ void write_all(typename F::type *ivars, long *data, long mark, int pe)
{
	satisfy<F>(ivars, data, mark, pe);
}

template <class F>
static __global__ void wait_all(int scope, typename F::type *ivars, long *data, long mark, unsigned *nwrong)
{
	const bool one = scope == T_THREAD ? t_rank() == 70
		: scope == T_WAVE          ? t_rank() < (unsigned)warpSize
					   : true;

	if (one)
		for (int c = 0; c < NCMPS; c++) {
			F::wait(scope, ivars + c, GSHMEM_CMP_EQ + c, 5);
			if (data[c] != mark + c)
				atomicAdd(nwrong, 1);
		}
}

static unsigned *nwrong;

template <class F> static void check(void *ivars_, long *data)
{
	typedef typename F::type T;
	T *ivars = (T *)ivars_, start[NCMPS];
	static long mark;
	long got[NCMPS];
	unsigned wrong;
	int me = gshmem_my_pe();

	for (int scope = T_THREAD; scope <= T_HOST; scope++)
		for (int waiter = 0; waiter < 2; waiter++) {
			mark += 100;
			for (int c = 0; c < NCMPS; c++)
				start[c] = (T)object_of(START, c);
			t_to_device(ivars, start, sizeof start);
			gshmem_barrier_all();
			if (me != waiter && scope % 2) {
				satisfy<F>(ivars, data, mark, waiter);
			} else if (me != waiter) {
				t_launch(write_all<F>, 1, 1, ivars, data, mark, waiter);
			} else if (scope == T_HOST) {
				for (int c = 0; c < NCMPS; c++)
					F::wait(scope, ivars + c, GSHMEM_CMP_EQ + c, 5);
				t_from_device(got, data, sizeof got);
				for (int c = 0; c < NCMPS; c++)
					t_check(got[c] == mark + c,
						"PE %d: %s_wait_until on the host, operator %d: expected data "
						"%ld, got %ld",
						me, F::name(), GSHMEM_CMP_EQ + c, mark + c, got[c]);
			} else {
				t_launch(wait_all<F>, 1, NTHREADS, scope, ivars, data, mark, nwrong);
				t_from_device(&wrong, nwrong, sizeof wrong);
				t_check(wrong == 0,
					"PE %d: %s_wait_until by %s: %u threads did not see the data", me,
					F::name(), t_scope_names[scope], wrong);
			}
			gshmem_barrier_all();
		}
}

int main()
{
	gshmem_init();
	void *ivars = t_shmalloc(NCMPS * 8);
	long *data = (long *)gshmem_calloc(NCMPS, sizeof *data);
	nwrong = (unsigned *)t_hipmalloc(sizeof *nwrong);
	t_memset(nwrong, 0, sizeof *nwrong);
#define CHECK(NAME, TYPE) check<of_##NAME>(ivars, data);
	GSHMEM_WAIT_TYPES(CHECK)
	gshmem_finalize();
	return 0;
}
