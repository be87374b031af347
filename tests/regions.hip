/* SPDX-License-Identifier: BSD-3-Clause */
/* net: no */
/* run: -n 3 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CHECK=1 | GSHMEM_HEAP_SIZE=1m GSHMEM_CARRY=direct:1 */
/* timeout: 120 */
/* links: inner */
/*
 * Regions of windows over memory of hipMalloc: each kind of operation reaches the PE that it names, from
 * the host and from kernels. Openings are reused, but never for freed memory. A PE may have no memory.
 * There can be a thousand windows at a time, and ten thousand one after the other. A wrong window or wrong
 * memory is an error on all PEs.
 */
#include <errno.h>
#include <hip/hip_runtime.h>
#include <string.h>
#include "oracle.h"
#include "regions.h"

extern "C" {
struct openings_count {
	uint64_t nopened, nfound;
};
struct openings_count gshmemi_openings_count(void);
}

enum { MAX_PES = 8, NBULK = 100, NTHREADS = 64 };

/* What each PE has of a region. */
struct part {
	long own[NBULK];   /* what others get */
	long put[MAX_PES]; /* written by each PE, as the next */
	long bulk[MAX_PES][NBULK];
	long strided[MAX_PES][4];
	long signalled[MAX_PES];
	uint64_t signal[MAX_PES];
	long count; /* updated by atomics of all PEs */
};

/* The caller's local ends, for each PE: pinned memory of the host. */
struct ends {
	long bulk[MAX_PES][NBULK];
	long v[MAX_PES];
	long pairs[MAX_PES][4];
	long got[MAX_PES][NBULK];
	long got_one[MAX_PES];
	int nwrong;
};

struct test {
	gshmemx_win_t win;
	unsigned region;
	int me, npes;
	long round;
	struct part *part; /* this PE's memory, or address 0 as its place if it has none */
	struct ends *ends;
};

#define CALL "regions" /* with NVIDIA's compiler kernels cannot read an array of the host */

static long value(long round, int from, int to)
{
	return round * 1000000 + from * 1000 + to + 1;
}

/* By one thread, or by all threads of a wave or work-group together. */
template <int scope> __host__ __device__ static void work_on(const struct test &t, int pe, bool is_first)
{
	const struct gshmemi_where where = gshmemi_in_region(t.region);
	const struct gshmemi_blocks pairs = {1, 2, 1, 2, 8};
	struct part *part = t.part;
	struct ends *ends = t.ends;

	gshmemi_put(where, scope, part->bulk[t.me], ends->bulk[pe],
		gshmemi_make_extent(sizeof ends->bulk[pe], 8, 0), pe, CALL);
	gshmemi_put_signal(where, scope, &part->signalled[t.me], &ends->v[pe], gshmemi_make_extent(8, 8, 0),
		gshmemi_make_signal(&part->signal[t.me], 1, GSHMEM_SIGNAL_ADD), pe, CALL);
	gshmemi_move_blocks(
		GSHMEMI_PUT_BLOCKS, where, scope, part->strided[t.me], ends->pairs[pe], pairs, pe, CALL);
	gshmemi_get(where, scope, ends->got[pe], part->own, gshmemi_make_extent(sizeof part->own, 8, 0), pe,
		CALL);
	if (is_first) {
		gshmemi_p(where, &part->put[t.me], &ends->v[pe], 8, pe, CALL);
		(void)gshmemi_amo(
			where, &part->count, gshmemi_make_update(GSHMEMI_AMO_ADD, 1, 0, 8, 0), pe, CALL);
		if (gshmemi_amo(where, &part->count, gshmemi_make_update(GSHMEMI_AMO_ADD, 1, 0, 8, 1), pe,
			    CALL) >= (uint64_t)(2 * t.npes * t.round))
			ends->nwrong++;
		gshmemi_g(where, &ends->got_one[pe], &part->own[7], 8, pe, CALL);
	}
}

template <int scope> __global__ void work_kernel(struct test t, int first)
{
	for (int pe = first; pe < t.npes; pe++)
		work_on<scope>(t, pe, t_rank() == 0);
	gshmem_quiet();
}

static void work_on_host(struct test t, int first)
{
	for (int pe = first; pe < t.npes; pe++)
		work_on<GSHMEMI_THREAD>(t, pe, true);
	gshmem_quiet();
}

static void fill_ends(struct test t)
{
	memset(t.ends, 0, sizeof *t.ends);
	for (int pe = 0; pe < t.npes; pe++) {
		t.ends->v[pe] = value(t.round, t.me, pe);
		t.ends->pairs[pe][0] = t.round;
		t.ends->pairs[pe][2] = pe;
		for (int i = 0; i < NBULK; i++)
			t.ends->bulk[pe][i] = t.ends->v[pe] + i;
	}
}

static void check_ends(struct test t, int first)
{
	t_equal(t.ends->nwrong, 0, "old values of fetch_add that are too large");
	for (int pe = first; pe < t.npes; pe++) {
		t_equal(t.ends->got_one[pe], value(0, pe, 7), "g");
		for (int i = 0; i < NBULK; i++)
			t_equal(t.ends->got[pe][i], value(0, pe, i), "get");
	}
}

static void check_part(struct test t)
{
	static struct part seen;

	t_hip(hipMemcpy(&seen, t.part, sizeof seen, hipMemcpyDefault));
	for (int pe = 0; pe < t.npes; pe++) {
		const long v = value(t.round, pe, t.me);

		t_equal(seen.put[pe], v, "p");
		for (int i = 0; i < NBULK; i++)
			t_equal(seen.bulk[pe][i], v + i, "put");
		t_equal(seen.strided[pe][0], t.round, "ibput");
		t_equal(seen.strided[pe][1], t.me, "ibput");
		t_equal(seen.signalled[pe], v, "put_signal");
		t_equal(seen.signal[pe], t.round, "the signal");
	}
	t_equal(seen.count, 2 * t.npes * t.round, "atomics");
}

/*
 * A round of all calls of all PEs, by T_THREAD and the others, on the PEs from first on, which have memory.
 */
static void run_round(struct test *t, int by, int first)
{
	t->round++;
	fill_ends(*t);
	if (by == T_HOST)
		work_on_host(*t, first);
	else if (by == T_THREAD)
		t_launch(work_kernel<GSHMEMI_THREAD>, 1, 1, *t, first);
	else if (by == T_WAVE)
		t_launch(work_kernel<GSHMEMI_WAVE>, 1, 32, *t, first);
	else
		t_launch(work_kernel<GSHMEMI_WG>, 1, NTHREADS, *t, first);
	gshmem_barrier_all();
	check_ends(*t, first);
	if (t->me >= first)
		check_part(*t);
	gshmem_barrier_all();
}

/* A PE's memory before the first round. */
static void fill_part(struct test *t)
{
	static struct part part;

	memset(&part, 0, sizeof part);
	for (int i = 0; i < NBULK; i++)
		part.own[i] = value(0, t->me, i);
	t_hip(hipMemcpy(t->part, &part, sizeof part, hipMemcpyDefault));
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all(); /* the others put into it then */
	t->round = 0;
}

static void expect_openings(
	struct openings_count *before, uint64_t nopened, uint64_t nfound, const char *what)
{
	const struct openings_count now = gshmemi_openings_count();

	if (now.nopened - before->nopened != nopened || now.nfound - before->nfound != nfound)
		t_fail("%s: %d handles opened and %d found open, expected %d and %d", what,
			(int)(now.nopened - before->nopened), (int)(now.nfound - before->nfound),
			(int)nopened, (int)nfound);
	*before = now;
}

static int create(struct test *t, void *base, size_t nbytes)
{
	const int rc = gshmemx_win_create(GSHMEM_TEAM_WORLD, base, nbytes, 1, &t->win);

	t->region = rc ? 0 : t_region_of(t->win);
	return rc;
}

/* An opening is made, found again, and never used for memory that has replaced it. */
static void test_life(struct test t)
{
	struct openings_count count = gshmemi_openings_count();
	const uint64_t nothers = (uint64_t)t.npes - 1;
	struct test other = t;
	char *memory;

	t_hip(hipMalloc((void **)&memory, 8 * sizeof *t.part));
	t.part = (struct part *)memory + 1;
	fill_part(&t);
	t_equal(create(&t, t.part, sizeof *t.part), 0, "create");
	expect_openings(&count, nothers, 0, "create");
	for (int by = 0; by < T_NSCOPES; by++)
		run_round(&t, by, 0);
	t_equal(create(&other, memory, sizeof *t.part), 0, "create in the same allocation");
	expect_openings(&count, 0, nothers, "a window in the same allocation");
	t_equal(gshmemx_win_free(&other.win), 0, "free");
	run_round(&t, T_WG, 0);
	t_equal(gshmemx_win_free(&t.win), 0, "free");
	t_equal(t.win, GSHMEMX_WIN_NULL, "the handle of what was freed");

	t_equal(create(&t, t.part, sizeof *t.part), 0, "create again");
	expect_openings(&count, 0, nothers, "a window where one was");
	run_round(&t, T_WAVE, 0);
	t_equal(gshmemx_win_free(&t.win), 0, "free");
	t_hip(hipFree(memory));
	t_hip(hipMalloc((void **)&memory, 8 * sizeof *t.part));
	t.part = (struct part *)memory + 1;
	fill_part(&t);
	t_equal(create(&t, t.part, sizeof *t.part), 0, "create over other memory");
	expect_openings(&count, nothers, 0, "a window over memory that came after");
	run_round(&t, T_THREAD, 0);
	t_equal(gshmemx_win_free(&t.win), 0, "free");
	t_hip(hipFree(memory));
}

/* PE 0 has no memory; the others have different amounts. */
static void test_sizes(struct test t)
{
	t_hip(hipMalloc((void **)&t.part, sizeof *t.part + 4096 * t.me));
	fill_part(&t);
	if (!t.me) {
		t_hip(hipFree(t.part));
		t.part = (struct part *)(uintptr_t)16; /* where a region without memory begins */
	}
	t_equal(create(&t, t.me ? t.part : NULL, t.me ? sizeof *t.part : 0), 0, "create of different sizes");
	run_round(&t, T_HOST, 1);
	run_round(&t, T_WG, 1);
	t_equal(gshmemx_win_free(&t.win), 0, "free");
	if (t.me)
		t_hip(hipFree(t.part));
}

/* A thousand at a time, over one allocation; and ten thousand one after the other. */
static void test_many(struct test t)
{
	enum { NWINDOWS = 1000 };
	const int none_by_one = t_repeats(10000);
	static struct test tests[NWINDOWS];
	struct openings_count count = gshmemi_openings_count();
	struct part *parts;

	t_hip(hipMalloc((void **)&parts, 3 * sizeof *parts));
	for (int i = 0; i < NWINDOWS; i++) {
		tests[i] = t;
		tests[i].part = parts + i % 3;
		t_equal(create(&tests[i], tests[i].part, sizeof *parts), 0, "create one of many");
	}
	expect_openings(&count, (uint64_t)t.npes - 1, (NWINDOWS - 1) * ((uint64_t)t.npes - 1),
		"windows of one allocation");
	for (int i = 0; i < 3; i++) {
		fill_part(&tests[NWINDOWS - 1 - i]);
		run_round(&tests[NWINDOWS - 1 - i], T_WAVE, 0);
		run_round(&tests[NWINDOWS - 1 - i], T_HOST, 0);
	}
	for (int i = 0; i < NWINDOWS; i++)
		t_equal(gshmemx_win_free(&tests[i * 7 % NWINDOWS].win), 0, "free one of many");
	for (int i = 0; i < none_by_one; i++) {
		t_equal(create(&t, parts, sizeof *parts), 0, "create one after another");
		t_equal(gshmemx_win_free(&t.win), 0, "free");
	}
	t_hip(hipFree(parts));
}

/* Only PE 0 is wrong: all PEs get the error, and go on. */
static void test_bad_input(struct test t)
{
	char *memory;

	t_hip(hipMalloc((void **)&memory, 4096));
	t_equal(create(&t, memory, t.me ? 4096 : 4097), -EINVAL, "create beyond the allocation");
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, memory, 4096, t.me ? 1 : 0, &t.win), -EINVAL,
		"create with a unit of 0");
	t_equal(create(&t, t.me ? memory : NULL, 4096), -EINVAL, "create over NULL");
	t_equal(create(&t, memory, 4096), 0, "create after errors");
	t_equal(gshmemx_win_free(&t.win), 0, "free after errors");
	t_equal(gshmemx_win_free(&t.win), -EINVAL, "free twice");
	t_hip(hipFree(memory));
}

int main(void)
{
	struct test t = {};

	gshmem_init();
	t.me = gshmem_my_pe();
	t.npes = gshmem_n_pes();
	if (t.npes > MAX_PES)
		t_skip("more PEs than the test has places");
	t_hip(hipHostMalloc((void **)&t.ends, sizeof *t.ends));
	test_life(t);
	test_sizes(t);
	test_many(t);
	test_bad_input(t);
	t_hip(hipHostFree(t.ends));
	gshmem_finalize();
	return 0;
}
