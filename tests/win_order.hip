/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CARRY=all | GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_DELIVERY=random:2 */
/* timeout: 240 */
/*
 * Accumulates of one caller to one element happen in the order of its calls, without a flush between them:
 * those of one thread, of a CPU thread, and of one group. Random sequences of calls, whose operators do not
 * commute, and the same on a copy. Elements of 1 to 16 bytes; calls begin at different elements, so that a
 * group shares them out differently.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx_win.h>

#include "oracle.h"

enum { NELEMS = 150, NCALLS = 8, NROUNDS = 12 };
enum scope { HOST, THREAD, WAVE, WG, NSCOPES };
enum how { UPDATE, GET_UPDATE, FETCH_ONE, NHOWS };

/* One call of a sequence: elements first to first + n - 1 become (element op source[i]). */
struct step {
	enum how how;
	int op, first, n;
};

/* In symmetric memory: a sequence, its sources, and the old values of its calls. */
template <typename T> struct sequence {
	struct step steps[NCALLS];
	T source[NCALLS][NELEMS], old[NCALLS][NELEMS];
};

#define DEFINE(NAME, TYPE) \
	__host__ __device__ static void update( \
		int scope, gshmemx_win_t win, const struct step &s, const TYPE *source, TYPE *old) \
	{ \
		if (s.how == UPDATE && scope == WG) \
			gshmemx_win_##NAME##_accumulate_wg(win, s.first, source, (size_t)s.n, s.op, 1); \
		else if (s.how == UPDATE && scope == WAVE) \
			gshmemx_win_##NAME##_accumulate_wave(win, s.first, source, (size_t)s.n, s.op, 1); \
		else if (s.how == UPDATE) \
			gshmemx_win_##NAME##_accumulate(win, s.first, source, (size_t)s.n, s.op, 1); \
		else if (scope == WG) \
			gshmemx_win_##NAME##_get_accumulate_wg( \
				win, old, s.first, source, (size_t)s.n, s.op, 1); \
		else if (scope == WAVE) \
			gshmemx_win_##NAME##_get_accumulate_wave( \
				win, old, s.first, source, (size_t)s.n, s.op, 1); \
		else if (s.how == GET_UPDATE) \
			gshmemx_win_##NAME##_get_accumulate( \
				win, old, s.first, source, (size_t)s.n, s.op, 1); \
		else \
			for (int i = 0; i < s.n; i++) \
				old[i] = gshmemx_win_##NAME##_fetch_and_op( \
					win, s.first + i, source[i], s.op, 1); \
	}
DEFINE(schar, signed char)
DEFINE(short, short)
DEFINE(int, int)
DEFINE(double, double)
DEFINE(complexd, gshmemx_complexd_t)

template <typename T> static T make(int x)
{
	return (T)x;
}
template <> gshmemx_complexd_t make(int x)
{
	return gshmemx_complexd_t{(double)x, 0};
}

template <typename T> static int value_of(const T &x)
{
	return (int)x;
}
template <> int value_of(const gshmemx_complexd_t &x)
{
	double part;

	memcpy(&part, &x, sizeof part);
	return (int)part;
}

template <typename T>
__host__ __device__ static void run_calls(int scope, gshmemx_win_t win, struct sequence<T> *s)
{
	for (int i = 0; i < NCALLS; i++)
		update(scope, win, s->steps[i], s->source[i], s->old[i]);
}

template <typename T> __global__ void run_kernel(int scope, gshmemx_win_t win, struct sequence<T> *s)
{
	run_calls(scope, win, s);
	if (scope == WG)
		gshmemx_win_flush_wg(win, 1);
	else if (scope == WAVE)
		gshmemx_win_flush_wave(win, 1);
	else
		gshmemx_win_flush(win, 1);
}

static int random_below(int limit)
{
	static uint64_t state = 7;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (int)((state >> 33) % (unsigned)limit);
}

template <typename T> static void fill(struct sequence<T> *s, enum scope scope)
{
	static const int ops[] = {GSHMEMX_REPLACE, GSHMEMX_SUM, GSHMEMX_PROD, GSHMEMX_REPLACE};

	for (int i = 0; i < NCALLS; i++) {
		struct step *step = &s->steps[i];

		step->how = (enum how)random_below(scope < WAVE ? NHOWS : FETCH_ONE);
		step->op = ops[random_below(4)];
		step->first = random_below(8);
		step->n = step->how == FETCH_ONE ? 3 : 1 + random_below(2) * (NELEMS - 9);
		for (int k = 0; k < NELEMS; k++)
			s->source[i][k] = make<T>(random_below(6) - 2);
	}
}

/* What the calls do to the elements, one after the other; checks the old values. */
template <typename T> static void check_calls(const struct sequence<T> *s, int *elements, const char *type)
{
	for (int i = 0; i < NCALLS; i++) {
		const struct step *step = &s->steps[i];

		for (int k = 0; k < step->n; k++) {
			int *at = &elements[step->first + k];
			const int x = value_of(s->source[i][k]);

			if (step->how != UPDATE)
				t_check(value_of(s->old[i][k]) == *at,
					"%s: call %d, operator %d, finds %d in element %d, which was %d",
					type, i, step->op, value_of(s->old[i][k]), step->first + k, *at);
			*at = step->op == GSHMEMX_REPLACE ? x : step->op == GSHMEMX_SUM ? *at + x : *at * x;
			*at = value_of(make<T>(*at));
		}
	}
}

template <typename T> static void test(enum scope scope, const char *type)
{
	static struct sequence<T> calls;
	struct sequence<T> *s = (struct sequence<T> *)gshmem_malloc(sizeof *s);
	const unsigned nthreads = scope == WG ? 128 : scope == WAVE ? t_wave_width() : 1;
	T elements[NELEMS];
	int expected[NELEMS] = {0};
	gshmemx_win_t win;
	void *memory;

	t_check(s, "gshmem_malloc");
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof elements, sizeof(T), &memory, &win), 0,
		"allocate");
	t_hip(hipMemset(memory, 0, sizeof elements));
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	for (int round = 0; round < NROUNDS && gshmem_my_pe() == 0; round++) {
		fill(&calls, scope);
		if (scope == HOST) {
			run_calls(scope, win, &calls);
			t_equal(gshmemx_win_flush(win, 1), 0, "flush");
		} else {
			t_hip(hipMemcpy(s, &calls, sizeof *s, hipMemcpyHostToDevice));
			hipLaunchKernelGGL(HIP_KERNEL_NAME(run_kernel<T>), dim3(1), dim3(nthreads), 0, 0,
				(int)scope, win, s);
			t_hip(hipDeviceSynchronize());
			t_hip(hipMemcpy(&calls, s, sizeof *s, hipMemcpyDeviceToHost));
		}
		check_calls(&calls, expected, type);
		t_equal(gshmemx_win_getmem(win, elements, 0, sizeof elements, 1), 0, "getmem");
		t_equal(gshmemx_win_flush(win, 1), 0, "flush");
		for (int k = 0; k < NELEMS; k++)
			t_check(value_of(elements[k]) == expected[k],
				"%s: element %d is %d, not %d, scope %d", type, k, value_of(elements[k]),
				expected[k], scope);
	}
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	t_equal(gshmemx_win_free(&win), 0, "free");
	gshmem_free(s);
}

int main(void)
{
	gshmem_init();
	for (int scope = HOST; scope < NSCOPES; scope++) {
		test<signed char>((enum scope)scope, "schar");
		test<short>((enum scope)scope, "short");
		test<int>((enum scope)scope, "int");
		test<double>((enum scope)scope, "double");
		test<gshmemx_complexd_t>((enum scope)scope, "complexd");
	}
	gshmem_finalize();
	return 0;
}
