/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3 */
/* platform: cpu */ /* as programs of OpenSHMEM do, its CPU touches the symmetric heap */
/* env: SHMEM_SYMMETRIC_SIZE= SMA_SYMMETRIC_SIZE=8.5m */
/*
 * What OpenSHMEM 1.0 to 1.3 had and 1.6 deprecates works: start_pes without finalize; shmalloc and the like;
 * atomics with their old names, typed and type-generic; wait; constants. A variable that is set to nothing is
 * as if unset.
 */
#include <mpp/shmem.h>
#include "../helpers.h"

static int me, npes, next;

/* Each PE calls this on its neighbour's object, which has the value init; old and new values are known. */
#define CHECK(T, N) \
	do { \
		T *object = shmalloc(sizeof *object); \
		*object = (T)(10 + me); \
		shmem_barrier_all(); \
		t_equal(shmem_##N##_fadd(object, 3, next), 10 + next, #N "_fadd"); \
		t_equal(shmem_##N##_finc(object, next), 13 + next, #N "_finc"); \
		shmem_##N##_add(object, 4, next); \
		shmem_##N##_inc(object, next); \
		shmem_quiet(); \
		t_equal(shmem_##N##_cswap(object, (T)(19 + next), 50, next), 19 + next, #N "_cswap"); \
		t_equal(shmem_##N##_swap(object, 60, next), 50, #N "_swap"); \
		t_equal(shmem_##N##_fetch(object, next), 60, #N "_fetch"); \
		shmem_##N##_set(object, 61, next); \
		shmem_quiet(); \
		t_equal(shmem_##N##_g(object, next), 61, #N "_set"); \
		t_equal(shmem_fadd(object, 1, next), 61, "fadd, " #N); \
		t_equal(shmem_finc(object, next), 62, "finc, " #N); \
		shmem_add(object, 2, next); \
		shmem_inc(object, next); \
		shmem_quiet(); \
		t_equal(shmem_cswap(object, 66, 70, next), 66, "cswap, " #N); \
		t_equal(shmem_swap(object, 71, next), 70, "swap, " #N); \
		shmem_set(object, 72, next); \
		shmem_quiet(); \
		t_equal(shmem_fetch(object, next), 72, "set and fetch, " #N); \
		shmem_barrier_all(); \
		shfree(object); \
	} while (0);

#define CHECK_WAIT(T, N) \
	do { \
		T *flag = shmemalign(64, sizeof *flag); \
		t_check((uintptr_t)flag % 64 == 0, "shmemalign: %p", (void *)flag); \
		*flag = 5; \
		shmem_barrier_all(); \
		shmem_##N##_p(flag, 6, next); \
		shmem_##N##_wait(flag, 5); \
		t_equal(*flag, 6, #N "_wait"); \
		shmem_barrier_all(); \
		shmem_##N##_p(flag, 9, next); \
		shmem_##N##_wait_until(flag, _SHMEM_CMP_GT, 8); \
		shmem_wait_until(flag, _SHMEM_CMP_GE, 9); \
		t_equal(*flag, 9, #N "_wait_until"); \
		shmem_barrier_all(); \
		shfree(flag); \
	} while (0)

int main(void)
{
	long *words;

	start_pes(7);
	start_pes(0);
	me = _my_pe();
	npes = _num_pes();
	t_check(me == shmem_my_pe() && npes == shmem_n_pes(), "_my_pe %d, _num_pes %d", me, npes);
	next = (me + 1) % npes;
	CHECK(int, int)
	CHECK(long, long)
	CHECK(long long, longlong)
	CHECK(unsigned, uint)
	CHECK(size_t, size)
	CHECK_WAIT(short, short);
	CHECK_WAIT(int, int);
	CHECK_WAIT(long, long);
	CHECK_WAIT(long long, longlong);

	words = shmalloc(10 * sizeof *words);
	words = shrealloc(words, 1000 * sizeof *words);
	words[999] = _SHMEM_SYNC_VALUE;
	shmem_barrier_all();
	t_equal((shmem_swap)(&words[999], 3, next), _SHMEM_SYNC_VALUE, "shmem_swap");
	shmem_wait(&words[999], _SHMEM_SYNC_VALUE);
	(shmem_wait_until)(&words[999], _SHMEM_CMP_EQ, 3);
	t_check(shmem_malloc((size_t)8 << 20), "SMA_SYMMETRIC_SIZE is not 8.5 MiB and what this program has");
	t_check(!shmem_malloc((size_t)4 << 20), "SMA_SYMMETRIC_SIZE is more than 9 MiB");
	shmem_set_cache_inv();
	shmem_set_cache_line_inv(words);
	shmem_clear_cache_inv();
	shmem_clear_cache_line_inv(words);
	shmem_udcflush();
	shmem_udcflush_line(words);
	return 0;
}
