/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,4,8 */
/* platform: cpu */ /* as programs of OpenSHMEM do, its CPU touches the symmetric heap */
/* env: GSHMEM_TEAMS=100 | GSHMEM_TEAMS=100 GSHMEM_CHECK=1 GSHMEM_CPU_DELIVERY=random:3 */
/* timeout: 300 */
/*
 * Collectives work for every active set. Overlapping sets follow each other, repeatedly, with one pSync per
 * set and with one for all, also if other teams occupy places on some PEs and not on others. pSync is
 * unchanged when a call returns. After a finalize everything works again.
 */
#include <shmem.h>
#include <string.h>
#include "../helpers.h"

#define NLONGS 1100 /* more than one put moves */
static int me, npes;
static long *counts, *dest, *source, *sync_of[8][3][8], *shared_sync;

static int is_in(int start, int log_stride, int size)
{
	return me >= start && (me - start) % (1 << log_stride) == 0 && (me - start) >> log_stride < size;
}

static void check_sync(const long *sync)
{
	int i;

	for (i = 0; i < SHMEM_SYNC_SIZE; i++)
		t_equal(sync[i], SHMEM_SYNC_VALUE, "pSync after a call");
}

/* Each PE of the set writes to all others, and after the barrier has all their words. */
static void check_barriers(int start, int log_stride, int size, long *sync, int round)
{
	int pe, i;

	for (i = 0; i < size; i++) {
		pe = start + (i << log_stride);
		shmem_long_p(&counts[me], round, pe);
	}
	if (round % 2) {
		shmem_barrier(start, log_stride, size, sync);
	} else {
		shmem_quiet();
		shmem_sync(start, log_stride, size, sync);
	}
	check_sync(sync);
	for (i = 0; i < size; i++) {
		pe = start + (i << log_stride);
		t_check(counts[pe] == round, "PE %d, set %d %d %d: PE %d: expected %d, got %ld", me, start,
			log_stride, size, pe, round, counts[pe]);
	}
	shmem_barrier(start, log_stride, size, sync);
}

static void check_broadcast(int start, int log_stride, int size, long *sync, int round)
{
	static const int lengths[] = {0, 1, 7, NLONGS};
	const int root = round % size, root_pe = start + (root << log_stride), n = lengths[round % 4];
	int i;

	for (i = 0; i < NLONGS; i++) {
		dest[i] = -1;
		source[i] = me * 100000 + round + i;
	}
	shmem_barrier(start, log_stride, size, sync);
	if (round % 3)
		shmem_broadcast64(dest, source, (size_t)n, root, start, log_stride, size, sync);
	else
		shmem_broadcast32(dest, source, 2 * (size_t)n, root, start, log_stride, size, sync);
	check_sync(sync);
	for (i = 0; i < NLONGS; i++)
		t_equal(dest[i], i < n && me != root_pe ? root_pe * 100000 + round + i : -1, "broadcast");
}

/* 5 elements from each PE, or its number plus 2; in longs and ints. */
static void check_moves(int start, int log_stride, int size, long *sync, int round)
{
	const int mine = (me - start) >> log_stride;
	uint32_t *dest32 = (uint32_t *)dest, *source32 = (uint32_t *)source;
	int i, pe, at;

	for (i = 0; i < NLONGS; i++) {
		dest[i] = -1;
		source[i] = me * 1000 + i;
	}
	shmem_barrier(start, log_stride, size, sync);
	shmem_fcollect64(dest, source, 5, start, log_stride, size, sync);
	for (i = 0; i < 5 * size + 1; i++)
		t_equal(dest[i], i < 5 * size ? (start + ((i / 5) << log_stride)) * 1000 + i % 5 : -1,
			"fcollect64");
	shmem_barrier(start, log_stride, size, sync);
	shmem_collect64(dest, source, (size_t)mine + 2, start, log_stride, size, sync);
	for (pe = at = 0; pe < size; pe++)
		for (i = 0; i < pe + 2; i++, at++)
			t_equal(dest[at], (start + (pe << log_stride)) * 1000 + i, "collect64");
	shmem_barrier(start, log_stride, size, sync);
	shmem_alltoall64(dest, source, 3, start, log_stride, size, sync);
	for (i = 0; i < 3 * size; i++)
		t_equal(dest[i], (start + ((i / 3) << log_stride)) * 1000 + mine * 3 + i % 3, "alltoall64");

	for (i = 0; i < NLONGS; i++) {
		dest[i] = -1;
		source32[i] = (uint32_t)(me * 1000 + i + round);
	}
	shmem_barrier(start, log_stride, size, sync);
	shmem_fcollect32(dest, source, 5, start, log_stride, size, sync);
	for (i = 0; i < 5 * size; i++)
		t_equal(dest32[i], (start + ((i / 5) << log_stride)) * 1000 + i % 5 + round, "fcollect32");
	shmem_barrier(start, log_stride, size, sync);
	shmem_collect32(dest, source, (size_t)mine + 2, start, log_stride, size, sync);
	for (pe = at = 0; pe < size; pe++)
		for (i = 0; i < pe + 2; i++, at++)
			t_equal(dest32[at], (start + (pe << log_stride)) * 1000 + i + round, "collect32");
	shmem_barrier(start, log_stride, size, sync);
	shmem_alltoall32(dest, source, 3, start, log_stride, size, sync);
	for (i = 0; i < 3 * size; i++)
		t_equal(dest32[i], (start + ((i / 3) << log_stride)) * 1000 + mine * 3 + i % 3 + round,
			"alltoall32");
	shmem_barrier(start, log_stride, size, sync);
	shmem_alltoalls32(dest, source, 2, 3, 3, start, log_stride, size, sync);
	for (i = 0; i < 3 * size; i++)
		t_equal(dest32[2 * i],
			(start + ((i / 3) << log_stride)) * 1000 + (mine * 3 + i % 3) * 3 + round,
			"alltoalls32");
	shmem_barrier(start, log_stride, size, sync);
	shmem_alltoalls64(dest, source, 3, 1, 2, start, log_stride, size, sync);
	for (i = 0; i < 2 * size; i++)
		t_check(((uint32_t *)&dest[3 * i])[1] ==
				(uint32_t)((start + ((i / 2) << log_stride)) * 1000 + (mine * 2 + i % 2) * 2 +
					1 + round),
			"alltoalls64");
	check_sync(sync);
	shmem_barrier(start, log_stride, size, sync);
}

/* a op b over each PE's 3 + its number in the set, which is exact in every type. */
#define CHECK_TO_ALL(T, N, OP, EXPRESSION) \
	do { \
		T *to = (T *)dest, *from = (T *)source, a = (T)3, b; \
		int i_; \
		for (i_ = 0; i_ < 7; i_++) \
			from[i_] = (T)(3 + mine); \
		for (i_ = 1; i_ < size; i_++) { \
			b = (T)(3 + i_); \
			a = (T)(EXPRESSION); \
		} \
		shmem_barrier(start, log_stride, size, sync); \
		shmem_##N##_##OP##_to_all(to, from, 7, start, log_stride, size, (T *)work, sync); \
		for (i_ = 0; i_ < 7; i_++) \
			t_check(to[i_] == a, #N "_" #OP "_to_all, PE %d of %d", mine, size); \
		shmem_barrier(start, log_stride, size, sync); \
	} while (0);
#define CHECK_ARITHMETIC(T, N) CHECK_TO_ALL(T, N, sum, a + b) CHECK_TO_ALL(T, N, prod, a *b)
#define CHECK_ORDERED(T, N)    CHECK_TO_ALL(T, N, max, a > b ? a : b) CHECK_TO_ALL(T, N, min, a < b ? a : b)
#define CHECK_BITWISE(T, N) \
	CHECK_TO_ALL(T, N, and, a &b) CHECK_TO_ALL(T, N, or, a | b) CHECK_TO_ALL(T, N, xor, a ^ b)

static void check_to_all(int start, int log_stride, int size, long *sync)
{
	const int mine = (me - start) >> log_stride;
	long double work[8 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? 8 : SHMEM_REDUCE_MIN_WRKDATA_SIZE];

	CHECK_BITWISE(short, short)
	CHECK_BITWISE(int, int)
	CHECK_BITWISE(long, long)
	CHECK_BITWISE(long long, longlong)
	CHECK_ORDERED(short, short)
	CHECK_ORDERED(int, int)
	CHECK_ORDERED(long, long)
	CHECK_ORDERED(long long, longlong)
	CHECK_ORDERED(float, float)
	CHECK_ORDERED(double, double)
	CHECK_ORDERED(long double, longdouble)
	CHECK_ARITHMETIC(short, short)
	CHECK_ARITHMETIC(int, int)
	CHECK_ARITHMETIC(long, long)
	CHECK_ARITHMETIC(long long, longlong)
	CHECK_ARITHMETIC(float, float)
	CHECK_ARITHMETIC(double, double)
	CHECK_ARITHMETIC(long double, longdouble)
	CHECK_ARITHMETIC(float _Complex, complexf)
	CHECK_ARITHMETIC(double _Complex, complexd)
	check_sync(sync);
}

static void check_set(int start, int log_stride, int size, long *sync, int round)
{
	check_barriers(start, log_stride, size, sync, round);
	check_broadcast(start, log_stride, size, sync, round);
	if (round > 3 || (npes > 4 && (round > 1 || size < npes / 2))) /* there are many of them */
		return;
	check_moves(start, log_stride, size, sync, round);
	check_to_all(start, log_stride, size, sync);
}

/* What to do with each set that contains this PE. */
static void for_sets(int is_shared, int round)
{
	int start, log_stride, size;

	for (start = 0; start < npes; start++)
		for (log_stride = 0; log_stride < 3; log_stride++)
			for (size = 1; start + ((size - 1) << log_stride) < npes; size++) {
				if (is_in(start, log_stride, size))
					check_set(start, log_stride, size,
						is_shared ? shared_sync
							  : sync_of[start][log_stride][size - 1],
						round);
				if (is_shared)
					shmem_barrier_all();
			}
}

static long *new_sync(void)
{
	return shmem_calloc(SHMEM_SYNC_SIZE, sizeof(long));
}

static void run(void)
{
	shmem_team_t apart[3], pair;
	int start, log_stride, size, round, i;

	shmem_init();
	me = shmem_my_pe();
	npes = shmem_n_pes();
	counts = shmem_calloc((size_t)npes, sizeof *counts);
	dest = shmem_calloc(NLONGS, sizeof *dest);
	source = shmem_calloc(NLONGS, sizeof *source);
	shared_sync = new_sync();
	for (start = 0; start < npes; start++)
		for (log_stride = 0; log_stride < 3; log_stride++)
			for (size = 0; size < npes; size++)
				sync_of[start][log_stride][size] = new_sync();
	/* Places that are free on some PEs and not on others. */
	for (i = 0; i < 3 && i < npes; i++)
		shmem_team_split_strided(SHMEM_TEAM_WORLD, i, 1, npes - i, NULL, 0, &apart[i]);
	shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &pair);
	if (npes > 1)
		shmem_team_destroy(apart[1]);
	for_sets(1, 1);
	for (round = 2; round < (npes > 4 ? 4 : 6); round++)
		for_sets(0, round);
	shmem_barrier_all();
	t_equal(shmem_sync(SHMEM_TEAM_WORLD), 0, "sync of a team");
	shmem_finalize();
}

int main(void)
{
	run();
	run();
	return 0;
}
