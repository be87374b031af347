/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3,3,3,3,1 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CARRY=all | GSHMEM_HEAP_SIZE=4m GSHMEM_CARRY=0,2 | GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_DELIVERY=random:3 */
/* timeout: 240 */
/*
 * When all PEs accumulate on the same many elements, no update is lost, each old value is returned once,
 * and neighbouring memory is unchanged. Elements have 1 to 16 bytes and begin inside a word; from the host,
 * by a thread and by a work-group. The owner goes on as long as the others do, so that its updates come
 * between a read and a write of theirs.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx_win.h>

#include "helpers.h"

enum { MOST = 600, NROUNDS = 3, GUARD = 77 };
enum scope { HOST, THREAD, WG, NSCOPES };

#define ADD(NAME, TYPE, FORM) \
	if (result) \
		gshmemx_win_##NAME##_get_accumulate##FORM( \
			win, result, (ptrdiff_t)sizeof(TYPE), source, nelems, GSHMEMX_SUM, 0); \
	else \
		gshmemx_win_##NAME##_accumulate##FORM( \
			win, (ptrdiff_t)sizeof(TYPE), source, nelems, GSHMEMX_SUM, 0);
#define DEFINE(NAME, TYPE) \
	__host__ __device__ static void add( \
		int is_wg, gshmemx_win_t win, TYPE *result, const TYPE *source, size_t nelems) \
	{ \
		if (is_wg) { \
			ADD(NAME, TYPE, _wg) \
		} else { \
			ADD(NAME, TYPE, ) \
		} \
	}
DEFINE(schar, signed char)
DEFINE(short, short)
DEFINE(int, int)
DEFINE(float, float)
DEFINE(double, double)
DEFINE(int64, int64_t)
DEFINE(complexd, gshmemx_complexd_t)

static double value_of(double x)
{
	return x;
}
static double value_of(const gshmemx_complexd_t &x)
{
	double part;

	memcpy(&part, &x, sizeof part);
	return part;
}

/* Symmetric, in device memory: what a PE adds, the old values, the final values. */
template <typename T> struct arrays {
	T source[MOST], result[NROUNDS][MOST], sums[NROUNDS][MOST];
};

template <typename T>
__global__ void add_kernel(int is_wg, gshmemx_win_t win, T *result, const T *source, size_t nelems)
{
	add(is_wg, win, result, source, nelems);
	if (is_wg)
		gshmemx_win_flush_wg(win, 0);
	else
		gshmemx_win_flush(win, 0);
}

template <typename T>
static void call(enum scope scope, gshmemx_win_t win, T *result, const T *source, size_t nelems)
{
	if (scope == HOST) {
		add(0, win, result, source, nelems);
		t_equal(gshmemx_win_flush(win, 0), 0, "flush");
		return;
	}
	hipLaunchKernelGGL(HIP_KERNEL_NAME(add_kernel<T>), dim3(1), dim3(scope == WG ? 64 : 1), 0, 0,
		scope == WG, win, result, source, nelems);
	t_hip(hipDeviceSynchronize());
}

/*
 * The old values of element i that all PEs got: each number from first on once, so their sum and the
 * sum of their squares are known.
 */
template <typename T>
static void check(const T *memory, const T *old, int ncalls, size_t nelems, const char *type)
{
	const int npes = gshmem_n_pes();
	size_t i;

	t_equal((long)value_of(memory[0]), GUARD, "in front of the elements");
	t_equal((long)value_of(memory[nelems + 1]), GUARD, "behind the elements");
	for (i = 0; i < nelems; i++) {
		double sum = 0, expected = 0;
		int call, pe;

		t_check(value_of(memory[i + 1]) == 2 * ncalls,
			"%s: element %zu of %zu is %g after %d additions of 1", type, i, nelems,
			value_of(memory[i + 1]), 2 * ncalls);
		for (pe = 0; pe < npes; pe++)
			for (call = 0; call < NROUNDS; call++)
				sum += value_of(old[(size_t)(pe * NROUNDS + call) * MOST + i]) *
					value_of(old[(size_t)(pe * NROUNDS + call) * MOST + i]);
		for (call = ncalls; call < 2 * ncalls; call++)
			expected += call * call;
		t_check(sum == expected,
			"%s: element %zu of %zu: squares of the old values add up to %g, expected %g", type,
			i, nelems, sum, expected);
	}
}

template <typename T> static void test(enum scope scope, size_t nelems, T one, T guard, const char *type)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), ncalls = npes * NROUNDS;
	struct arrays<T> *a = (struct arrays<T> *)gshmem_malloc(sizeof *a);
	static T image[MOST + 2], ones[MOST], old[8 * NROUNDS * MOST];
	gshmemx_win_t win;
	void *memory;
	size_t i;
	int round, pe;

	t_check(a, "gshmem_malloc");
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, (nelems + 2) * sizeof(T), 1, &memory, &win), 0,
		"allocate");
	memset(image, 0, sizeof image);
	image[0] = image[nelems + 1] = guard;
	for (i = 0; i < MOST; i++)
		ones[i] = one;
	t_hip(hipMemcpy(memory, image, (nelems + 2) * sizeof(T), hipMemcpyHostToDevice));
	t_hip(hipMemcpy(a->source, ones, sizeof ones, hipMemcpyHostToDevice));
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	for (round = 0; round < NROUNDS; round++)
		call<T>(scope, win, NULL, scope == HOST ? ones : a->source, nelems);
	gshmem_barrier_all();
	for (round = 0; round < NROUNDS; round++)
		call<T>(scope, win, scope == HOST ? &old[(size_t)round * MOST] : a->result[round],
			scope == HOST ? ones : a->source, nelems);
	if (scope == HOST)
		t_hip(hipMemcpy(a->result, old, sizeof a->result, hipMemcpyHostToDevice));
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	gshmem_barrier_all();
	if (me == 0) {
		for (pe = 0; pe < npes; pe++)
			gshmem_getmem(&old[(size_t)(pe * NROUNDS) * MOST], a->result, sizeof a->result, pe);
		t_hip(hipMemcpy(image, memory, (nelems + 2) * sizeof(T), hipMemcpyDeviceToHost));
		check(image, old, ncalls, nelems, type);
	}
	gshmem_barrier_all();
	t_equal(gshmemx_win_free(&win), 0, "free");
	gshmem_free(a);
}

/* All but PE 0 make NCONTENDED calls, and PE 0, whose memory it is, calls until they have ended. */
template <typename T> static void contend(T one, const char *type)
{
	enum { NELEMS = 40, NCONTENDED = 400 };
	const int me = gshmem_my_pe(), nothers = gshmem_n_pes() - 1;
	long *ended = (long *)gshmem_calloc(1, sizeof *ended), ncalls = 0;
	T ones[NELEMS], got[NELEMS + 1];
	gshmemx_win_t win;
	void *memory;
	int i;

	t_check(ended, "gshmem_calloc");
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof got, 1, &memory, &win), 0, "allocate");
	t_hip(hipMemset(memory, 0, sizeof got));
	t_hip(hipDeviceSynchronize());
	for (i = 0; i < NELEMS; i++)
		ones[i] = one;
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	while (me ? ncalls < NCONTENDED : gshmem_long_atomic_fetch(ended, 0) < nothers) {
		add(0, win, (T *)NULL, ones, NELEMS);
		t_equal(gshmemx_win_flush(win, 0), 0, "flush");
		ncalls++;
	}
	if (me)
		gshmem_long_atomic_inc(ended, 0);
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	gshmem_barrier_all();
	if (me == 0) {
		ncalls += (long)nothers * NCONTENDED;
		t_hip(hipMemcpy(got, memory, sizeof got, hipMemcpyDeviceToHost));
		for (i = 1; i <= NELEMS; i++)
			t_check((unsigned char)(long)value_of(got[i]) == (unsigned char)ncalls,
				"%s: element %d is %g after %ld additions of 1", type, i, value_of(got[i]),
				ncalls);
	}
	t_equal(gshmemx_win_free(&win), 0, "free");
	gshmem_free(ended);
}

static const gshmemx_complexd_t complex_one = {1, 0}, complex_guard = {GUARD, 0};

static void test_all(enum scope scope, size_t nelems)
{
	test<signed char>(scope, nelems, 1, GUARD, "schar");
	test<short>(scope, nelems, 1, GUARD, "short");
	test<int>(scope, nelems, 1, GUARD, "int");
	test<float>(scope, nelems, 1, GUARD, "float");
	test<double>(scope, nelems, 1, GUARD, "double");
	test<int64_t>(scope, nelems, 1, GUARD, "int64");
	test<gshmemx_complexd_t>(scope, nelems, complex_one, complex_guard, "complexd");
}

int main(void)
{
	static const size_t sizes[] = {1, 33, 129, MOST};

	gshmem_init();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		test_all(HOST, sizes[i]);
	for (int scope = THREAD; scope < NSCOPES; scope++)
		test_all((enum scope)scope, 140);
	contend<signed char>(1, "schar");
	contend<float>(1, "float");
	contend<double>(1, "double");
	contend<gshmemx_complexd_t>(complex_one, "complexd");
	gshmem_finalize();
	return 0;
}
