/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,5,8 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CHECK=1 | GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_WAVE=32 */
/* timeout: 120 */
/*
 * Each operation on a window is right, from the host and from kernels by a thread, a wave and a work-group,
 * on every PE, over memory of any alignment, with different sizes and units. Each PE has its own places on
 * every other PE, and some that all update. A notified operation's data is there when its count is.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum {
	MAX_PES = 8,
	NBULK = 70,
	NPAIRS = 9,
	NBYTES = 13,
	NTHREADS = 96,
	NSUMS = 40,
	BSIZE = 3,
	DST = 6,
	NBLOCKS = 4
};

/* A PE's memory in its window, all in 16-byte places, for PEs whose unit is 16. */
struct part {
	long own[NBULK];          /* what others get */
	long put[MAX_PES][NBULK]; /* written by each PE, as the next */
	long pairs[MAX_PES][2 * NPAIRS];
	long blocks[MAX_PES][NBLOCKS * DST];
	char bytes[MAX_PES][16];
	long notified[MAX_PES][NBULK];
	long requested[MAX_PES][NBULK];
	long swapped[MAX_PES][2];
	long updated[MAX_PES][NBULK];
	long sum[NSUMS], column[3 * NSUMS / 2], same[3 * NSUMS / 2]; /* updated by all */
	long count[2];
};

/* The caller's local ends, for each PE: pinned memory of the host. */
struct ends {
	long bulk[MAX_PES][NBULK], pairs[MAX_PES][3 * NPAIRS];
	long got_blocks[MAX_PES][NBLOCKS * DST];
	char bytes[MAX_PES][16];
	long got[MAX_PES][NBULK], got_notified[MAX_PES][NBULK], got_requested[MAX_PES][NBULK],
		got_by_no_op[MAX_PES][NBULK], got_pairs[MAX_PES][3 * NPAIRS];
	char got_bytes[MAX_PES][16];
	long before[MAX_PES][NBULK], before_requested[MAX_PES][NBULK], sums[NSUMS];
	long count[MAX_PES], swapped[MAX_PES][2];
};

struct test {
	gshmemx_win_t win;
	int me, npes;
	long round;
	struct part *part;
	char *ends; /* a struct ends */
	int unit[MAX_PES];
};

T_HD long value(long round, int from, int to)
{
	return round * 1000000 + from * 1000 + to + 1;
}

/* A call by the threads of a scope, which must be a constant. */
#define BY(NAME, ...) \
	(scope == GSHMEMI_WAVE                ? gshmemx_win_##NAME##_wave(__VA_ARGS__) \
			: scope == GSHMEMI_WG ? gshmemx_win_##NAME##_wg(__VA_ARGS__) \
					      : gshmemx_win_##NAME(__VA_ARGS__))
/*
 * By bytes: nvcc 13.0 folds the offset of a field behind a pointer to a struct into its test for global
 * memory, and then rejects its own code ("Broken function found").
 */
#define END(FIELD) (t.ends + offsetof(struct ends, FIELD))
#define ROW(FIELD) (END(FIELD) + (size_t)pe * sizeof(((struct ends *)NULL)->FIELD[0]))
#define LONGS(AT)  ((long *)(void *)(AT))
#define AT(FIELD)  (((const char *)&t.part->FIELD - (const char *)t.part) / t.unit[pe])

/* All operations on a PE; counts errors. is_one: this thread is the first of its group. */
template <int scope> __host__ __device__ static int work_on(const struct test &t, int pe, bool is_one)
{
	gshmemx_win_request_t requests[4];
	int nwrong = 0, flag = 0;

	nwrong += BY(long_put, t.win, AT(put[t.me]), LONGS(ROW(bulk)), NBULK, pe) != 0;
	nwrong += BY(long_get, t.win, LONGS(ROW(got)), AT(own), NBULK, pe) != 0;
	nwrong += BY(long_iput, t.win, AT(pairs[t.me]), LONGS(ROW(pairs)), 2, 3, NPAIRS, pe) != 0;
	nwrong += BY(long_iget, t.win, LONGS(ROW(got_pairs)), AT(own), 3, 2, NPAIRS, pe) != 0;
	nwrong += BY(long_ibput, t.win, AT(blocks[t.me]), LONGS(ROW(bulk)), DST, BSIZE + 1, BSIZE, NBLOCKS,
			  pe) != 0;
	nwrong += BY(long_ibget, t.win, LONGS(ROW(got_blocks)), AT(own), DST, BSIZE + 1, BSIZE, NBLOCKS,
			  pe) != 0;
	nwrong += BY(long_put, t.win, 1 << 20, LONGS(ROW(bulk)), NBULK, GSHMEMX_PE_NULL) != 0;
	nwrong += gshmemx_win_my_pe(t.win) != t.me || gshmemx_win_n_pes(t.win) != t.npes;
	nwrong += BY(putmem, t.win, AT(bytes[t.me]), ROW(bytes), NBYTES, pe) != 0;
	nwrong += BY(getmem, t.win, ROW(got_bytes), AT(own), NBYTES, pe) != 0;
	nwrong += BY(long_accumulate, t.win, AT(sum), LONGS(END(sums)), NSUMS, GSHMEMX_SUM, pe) != 0;
	nwrong += BY(long_iaccumulate, t.win, AT(column), LONGS(END(sums)), 3, 2, NSUMS / 2, GSHMEMX_SUM,
			  pe) != 0;
	nwrong += BY(long_iaccumulate, t.win, AT(same), LONGS(END(sums)), 3, 0, NSUMS / 2, GSHMEMX_SUM, pe) !=
		0;
	nwrong += BY(long_iaccumulate, t.win, AT(column), NULL, 3, 1, NSUMS / 2, GSHMEMX_NO_OP, pe) != 0;
	nwrong += BY(long_iaccumulate, t.win, 1 << 20, LONGS(END(sums)), 3, 1, 2, GSHMEMX_SUM,
			  GSHMEMX_PE_NULL) != 0;
	nwrong += BY(long_accumulate, t.win, AT(sum), NULL, NSUMS, GSHMEMX_NO_OP, pe) != 0;
	nwrong += BY(long_get_accumulate, t.win, LONGS(ROW(got_by_no_op)), AT(own), NULL, NBULK,
			  GSHMEMX_NO_OP, pe) != 0;
	nwrong += BY(long_put_notify, t.win, AT(notified[t.me]), LONGS(ROW(bulk)), NBULK, 2 * t.me, pe) != 0;
	nwrong += BY(long_get_notify, t.win, LONGS(ROW(got_notified)), AT(own), NBULK, 2 * t.me + 1, pe) != 0;
	nwrong +=
		BY(long_rput, t.win, AT(requested[t.me]), LONGS(ROW(bulk)), NBULK / 2, pe, &requests[0]) != 0;
	nwrong += BY(long_rget, t.win, LONGS(ROW(got_requested)), AT(own), NBULK, pe, &requests[1]) != 0;
	nwrong += BY(flush_local, t.win, pe) != 0;
	nwrong += gshmemx_win_request_wait(&requests[0]) != 0;
	nwrong += gshmemx_win_request_test(&requests[1], &flag) != 0 || flag != 1;
	nwrong += BY(flush, t.win, pe) != 0;
	nwrong += BY(long_get_accumulate, t.win, LONGS(ROW(before)), AT(updated[t.me]), LONGS(ROW(bulk)),
			  NBULK, GSHMEMX_MAX, pe) != 0;
	nwrong += BY(flush_all, t.win) != 0;
	nwrong += BY(long_raccumulate, t.win, AT(updated[t.me]), LONGS(ROW(bulk)), NBULK, GSHMEMX_SUM, pe,
			  &requests[2]) != 0;
	nwrong += gshmemx_win_request_wait_all(1, &requests[2]) != 0;
	nwrong += BY(flush, t.win, pe) != 0;
	nwrong += BY(long_rget_accumulate, t.win, LONGS(ROW(before_requested)), AT(updated[t.me]),
			  LONGS(ROW(bulk)), NBULK, GSHMEMX_REPLACE, pe, &requests[3]) != 0;
	nwrong += gshmemx_win_request_wait_all(1, &requests[3]) != 0;
	if (is_one) {
		*LONGS(ROW(count)) = gshmemx_win_long_fetch_and_op(t.win, AT(count[0]), 1, GSHMEMX_SUM, pe);
		LONGS(ROW(swapped))
		[0] = gshmemx_win_long_compare_and_swap(
			t.win, AT(swapped[t.me][0]), t.round - 1, t.round, pe);
		LONGS(ROW(swapped))
		[1] = gshmemx_win_long_compare_and_swap(t.win, AT(swapped[t.me][0]), t.round - 1, -1, pe);
	}
	nwrong += BY(flush_local_all, t.win) != 0;
	nwrong += BY(sync, t.win) != 0;
	return nwrong;
}

template <int scope> __global__ void work_kernel(struct test t, int *nwrong)
{
	for (int pe = 0; pe < t.npes; pe++)
		if (work_on<scope>(t, pe, t_rank() == 0))
			*nwrong = 1;
	gshmemx_win_flush_all(t.win);
}

static void fill_ends(struct test t)
{
	struct ends *ends = (struct ends *)(void *)t.ends;

	memset(ends, 0, sizeof *ends);
	for (int pe = 0; pe < t.npes; pe++) {
		for (int i = 0; i < NBULK; i++)
			ends->bulk[pe][i] = value(t.round, t.me, pe) + i;
		for (int i = 0; i < NPAIRS; i++)
			ends->pairs[pe][3 * i] = value(t.round, t.me, pe) + 7 * i;
		t_fill(ends->bytes[pe], NBYTES, (unsigned)(t.round * 100 + pe));
	}
	for (int i = 0; i < NSUMS; i++)
		ends->sums[i] = i + 1;
}

static void expect(long got, long expected, const char *what, int pe, int i)
{
	if (got != expected)
		t_fail("PE %d: %s, PE %d, element %d: expected %ld, got %ld", gshmem_my_pe(), what, pe, i,
			expected, got);
}

static void check_ends(struct test t)
{
	const struct ends *e = (const struct ends *)(void *)t.ends;

	for (int pe = 0; pe < t.npes; pe++) {
		for (int i = 0; i < NBULK; i++) {
			expect(e->got[pe][i], value(0, pe, i), "get", pe, i);
			expect(e->got_notified[pe][i], value(0, pe, i), "get_notify", pe, i);
			expect(e->got_requested[pe][i], value(0, pe, i), "rget", pe, i);
			expect(e->got_by_no_op[pe][i], value(0, pe, i), "get_accumulate by NO_OP", pe, i);
			expect(e->before[pe][i], t.round == 1 ? 0 : value(t.round - 1, t.me, pe) + i,
				"get_accumulate", pe, i);
			expect(e->before_requested[pe][i], 2 * (value(t.round, t.me, pe) + i),
				"rget_accumulate", pe, i);
		}
		for (int i = 0; i < NPAIRS; i++)
			expect(e->got_pairs[pe][3 * i], value(0, pe, 2 * i), "iget", pe, i);
		for (int i = 0; i < NBLOCKS * DST; i++)
			expect(e->got_blocks[pe][i],
				i % DST < BSIZE ? value(0, pe, i / DST * (BSIZE + 1) + i % DST) : 0, "ibget",
				pe, i);
		expect((long)t_differ(e->got_bytes[pe], e->got[pe], NBYTES), NBYTES, "getmem", pe, 0);
		t_check(e->count[pe] >= (t.round - 1) * t.npes && e->count[pe] < t.round * t.npes,
			"fetch_and_op gave %ld in round %ld", e->count[pe], t.round);
		expect(e->swapped[pe][0], t.round - 1, "compare_and_swap", pe, 0);
		expect(e->swapped[pe][1], t.round, "compare_and_swap in vain", pe, 0);
	}
}

/* Before the barrier: check what came with a notification. */
static void check_notified(struct test t)
{
	static long seen[NBULK];
	uint64_t count, flag;

	for (int pe = 0; pe < t.npes; pe++) {
		t_equal(gshmemx_win_notify_wait(t.win, 2 * pe, 1), 0, "notify_wait");
		t_hip(hipMemcpy(seen, t.part->notified[pe], sizeof seen, hipMemcpyDefault));
		for (int i = 0; i < NBULK; i++)
			expect(seen[i], value(t.round, pe, t.me) + i, "put_notify", pe, i);
		do
			t_equal(gshmemx_win_notify_test(t.win, 2 * pe + 1, 1, &flag), 0, "notify_test");
		while (!flag);
		t_equal(gshmemx_win_notify_get(t.win, 2 * pe, &count), 0, "notify_get");
		t_equal(count, 1, "notifications");
		t_equal(gshmemx_win_notify_set(t.win, 2 * pe, 0), 0, "notify_set");
		t_equal(gshmemx_win_notify_set(t.win, 2 * pe + 1, 0), 0, "notify_set");
	}
}

static void check_part(struct test t)
{
	static struct part seen;
	static unsigned char bytes[16];

	t_hip(hipMemcpy(&seen, t.part, sizeof seen, hipMemcpyDefault));
	for (int pe = 0; pe < t.npes; pe++) {
		for (int i = 0; i < NBULK; i++) {
			expect(seen.put[pe][i], value(t.round, pe, t.me) + i, "put", pe, i);
			expect(seen.requested[pe][i], i < NBULK / 2 ? value(t.round, pe, t.me) + i : 0,
				"rput", pe, i);
			expect(seen.updated[pe][i], value(t.round, pe, t.me) + i, "REPLACE", pe, i);
		}
		for (int i = 0; i < 2 * NPAIRS; i++)
			expect(seen.pairs[pe][i], i % 2 ? 0 : value(t.round, pe, t.me) + 7 * (i / 2), "iput",
				pe, i);
		for (int i = 0; i < NBLOCKS * DST; i++)
			expect(seen.blocks[pe][i],
				i % DST < BSIZE ? value(t.round, pe, t.me) + i / DST * (BSIZE + 1) + i % DST
						: 0,
				"ibput", pe, i);
		t_fill(bytes, NBYTES, (unsigned)(t.round * 100 + t.me));
		expect((long)t_differ(seen.bytes[pe], bytes, NBYTES), NBYTES, "putmem", pe, 0);
		expect(seen.swapped[pe][0], t.round, "compare_and_swap", pe, 0);
	}
	for (int i = 0; i < NSUMS; i++)
		expect(seen.sum[i], t.round * t.npes * (i + 1), "accumulate", t.me, i);
	for (int i = 0; i < 3 * NSUMS / 2; i++) {
		expect(seen.column[i], i % 3 ? 0 : t.round * t.npes * (i / 3 * 2 + 1), "iaccumulate", t.me,
			i);
		expect(seen.same[i], i % 3 ? 0 : t.round * t.npes, "iaccumulate of one source", t.me, i);
	}
	expect(seen.count[0], t.round * t.npes, "fetch_and_op", t.me, 0);
}

static void run_round(struct test *t, int by)
{
	static int *nwrong;

	if (!nwrong)
		t_hip(hipHostMalloc((void **)&nwrong, sizeof *nwrong));
	*nwrong = 0;
	t->round++;
	fill_ends(*t);
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(t->win, 0), 0, "lock_all");
	if (by == T_THREAD)
		t_launch(work_kernel<GSHMEMI_THREAD>, 1, 1, *t, nwrong);
	else if (by == T_WAVE)
		t_launch(work_kernel<GSHMEMI_WAVE>, 1, 32, *t, nwrong);
	else if (by == T_WG)
		t_launch(work_kernel<GSHMEMI_WG>, 1, NTHREADS, *t, nwrong);
	for (int pe = 0; by == T_HOST && pe < t->npes; pe++)
		*nwrong |= work_on<GSHMEMI_THREAD>(*t, pe, true);
	t_equal(gshmemx_win_unlock_all(t->win), 0, "unlock_all");
	t_equal(*nwrong, 0, "calls that returned an error");
	check_notified(*t);
	gshmem_barrier_all();
	check_ends(*t);
	check_part(*t);
}

static void check_queries(const struct test *t)
{
	for (int pe = 0; pe < t->npes; pe++) {
		t_equal(gshmemx_win_nbytes(t->win, pe), sizeof(struct part) + 64 * pe, "nbytes");
		t_equal(gshmemx_win_disp_unit(t->win, pe), t->unit[pe], "disp_unit");
	}
	t_check(gshmemx_win_ptr(t->win, t->me) == t->part, "ptr of this PE");
	t_equal(gshmemx_win_my_pe(t->win), t->me, "my_pe");
	t_equal(gshmemx_win_n_pes(t->win), t->npes, "n_pes");
	t_check(gshmemx_win_team(t->win) == GSHMEM_TEAM_WORLD, "team");
	/* memory of hipMalloc */
	t_equal(gshmemx_win_model(t->win),
		GSHMEMI_ARCH_COARSE_COHERENT ? GSHMEMX_WIN_UNIFIED : GSHMEMX_WIN_SEPARATE, "model");
}

static void check_allocated(void)
{
	gshmemx_win_t win;
	void *base;

	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, 64, 1, &base, &win), 0, "allocate");
	t_equal(gshmemx_win_model(win), GSHMEMX_WIN_UNIFIED, "model of allocated memory");
	t_equal(gshmemx_win_free(&win), 0, "free");
}

/* A word goes round, again and again: as soon as a notification is there, so is its word. */
static void check_notified_words(int me, int npes)
{
	enum { NTIMES = 200 };
	static long from[NTIMES];
	gshmemx_win_t win;
	long *base, seen;

	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof from, sizeof *from, (void **)&base, &win), 0,
		"allocate");
	t_hip(hipMemset(base, 0, sizeof from));
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	t_equal(gshmemx_win_lock_all(win, 0), 0, "lock_all");
	for (int i = 0; i < NTIMES; i++) {
		from[i] = value(i, me, 0);
		t_equal(gshmemx_win_long_put_notify(win, i, &from[i], 1, 0, (me + 1) % npes), 0,
			"put_notify");
		t_equal(gshmemx_win_notify_wait(win, 0, (uint64_t)i + 1), 0, "notify_wait");
		t_hip(hipMemcpy(&seen, &base[i], sizeof seen, hipMemcpyDefault));
		expect(seen, value(i, (me + npes - 1) % npes, 0), "a notified word", me, i);
	}
	t_equal(gshmemx_win_unlock_all(win), 0, "unlock_all");
	t_equal(gshmemx_win_free(&win), 0, "free");
}

int main(void)
{
	struct test t = {};
	static struct part part;
	char *memory;

	gshmem_init();
	t.me = gshmem_my_pe();
	t.npes = gshmem_n_pes();
	if (t.npes > MAX_PES)
		t_skip("more PEs than the test has places");
	for (int pe = 0; pe < t.npes; pe++)
		t.unit[pe] = pe % 3 == 0 ? 8 : pe % 3 == 1 ? 16 : 1;
	t_hip(hipHostMalloc((void **)&t.ends, sizeof(struct ends)));
	t_hip(hipMalloc((void **)&memory, sizeof part + 1024));
	t.part = (struct part *)(memory + 8 * t.me); /* which need not be aligned to 16 bytes */
	for (int i = 0; i < NBULK; i++)
		part.own[i] = value(0, t.me, i);
	t_hip(hipMemcpy(t.part, &part, sizeof part, hipMemcpyDefault));
	t_hip(hipDeviceSynchronize());
	t_equal(gshmemx_win_create(
			GSHMEM_TEAM_WORLD, t.part, sizeof part + 64 * t.me, (size_t)t.unit[t.me], &t.win),
		0, "create");
	check_queries(&t);
	check_allocated();
	check_notified_words(t.me, t.npes);
	for (int by = 0; by < T_NSCOPES; by++)
		run_round(&t, by);
	t_equal(gshmemx_win_free(&t.win), 0, "free");
	t_hip(hipFree(memory));
	t_hip(hipHostFree(t.ends));
	gshmem_finalize();
	return 0;
}
