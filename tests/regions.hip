/* SPDX-License-Identifier: BSD-3-Clause */
/* net: no */
/* run: -n 3 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CHECK=1 | GSHMEM_HEAP_SIZE=1m GSHMEM_CARRY=direct:1 */
/* timeout: 120 */
/*
 * Regions that come into being after init, over memory of hipMalloc: each kind of call reaches the PE that it names, from the host,
 * which opens a peer's handle when it first needs it, and from kernels; openings are used again, and never for memory that is gone;
 * a PE may have no memory; a thousand regions at a time; what is no region, or no memory, is an error on all PEs.
 */
#include <errno.h>
#include <hip/hip_runtime.h>
#include <string.h>
#include "oracle.h"

extern "C" {
struct openings_count {
	uint64_t nopened, nfound;
};
struct openings_count gshmemi_openings_count(void);
int gshmemi_region_create(void *base, uint64_t nbytes, unsigned *region_p);
int gshmemi_region_use(unsigned region);
int gshmemi_region_destroy(unsigned region);
}

enum { MAX_PES = 8, NBULK = 100, NTHREADS = 64 };

/* What each PE has of a region. */
struct part {
	long own[NBULK];           /* what others get */
	long put[MAX_PES];         /* by each PE, as the next */
	long bulk[MAX_PES][NBULK];
	long strided[MAX_PES][4];
	long signalled[MAX_PES];
	uint64_t signal[MAX_PES];
	long count;                /* by atomics of all */
};

/* The caller's ends, for each PE: host-pinned. */
struct ends {
	long bulk[MAX_PES][NBULK];
	long v[MAX_PES];
	long pairs[MAX_PES][4];
	long got[MAX_PES][NBULK];
	long got_one[MAX_PES];
	int nwrong;
};

struct test {
	unsigned region;
	int me, npes;
	long round;
	struct part *part; /* this PE's, or its place: address 0 where it has none */
	struct ends *ends;
};

static const char call[] = "regions";

static long value(long round, int from, int to)
{
	return round * 1000000 + from * 1000 + to + 1;
}

/* By one thread, or by all threads of a wave or work-group together. */
template <int scope> __host__ __device__ static void work_on(const struct test &t, int pe, bool is_first)
{
	const struct gshmemi_where where = gshmemi_in_region(t.region);
	struct part *part = t.part;
	struct ends *ends = t.ends;

	gshmemi_put(where, scope, part->bulk[t.me], ends->bulk[pe], sizeof ends->bulk[pe], 8, pe, 0, call);
	gshmemi_put_signal(where, scope, &part->signalled[t.me], &ends->v[pe], 8, 8, &part->signal[t.me], 1, GSHMEM_SIGNAL_ADD, pe, 0, call);
	gshmemi_ibput(where, scope, part->strided[t.me], ends->pairs[pe], 1, 2, 1, 2, 8, pe, call);
	gshmemi_get(where, scope, ends->got[pe], part->own, sizeof part->own, 8, pe, 0, call);
	if (is_first) {
		gshmemi_p(where, &part->put[t.me], &ends->v[pe], 8, pe, call);
		(void)gshmemi_amo(where, GSHMEMI_AMO_ADD, &part->count, 1, 0, 8, 0, pe, call);
		if (gshmemi_amo(where, GSHMEMI_AMO_ADD, &part->count, 1, 0, 8, 1, pe, call) >= (uint64_t)(2 * t.npes * t.round))
			ends->nwrong++;
		gshmemi_g(where, &ends->got_one[pe], &part->own[7], 8, pe, call);
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

/* A round of all calls of all PEs, by T_THREAD and the others, on PEs from first on, which have memory. */
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

/* What a PE has before the first round. */
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

static void expect_openings(struct openings_count *before, uint64_t nopened, uint64_t nfound, const char *what)
{
	const struct openings_count now = gshmemi_openings_count();

	if (now.nopened - before->nopened != nopened || now.nfound - before->nfound != nfound)
		t_fail("%s: %d handles opened and %d found open, expected %d and %d", what, (int)(now.nopened - before->nopened),
		       (int)(now.nfound - before->nfound), (int)nopened, (int)nfound);
	*before = now;
}

/* Opened when needed, found again, and never for what has taken its place. */
static void test_life(struct test t)
{
	struct openings_count count = gshmemi_openings_count();
	const uint64_t nothers = (uint64_t)t.npes - 1;
	unsigned other;
	char *memory;

	t_hip(hipMalloc((void **)&memory, 8 * sizeof *t.part));
	t.part = (struct part *)memory + 1;
	fill_part(&t);
	t_equal(gshmemi_region_create(t.part, sizeof *t.part, &t.region), 0, "create");
	expect_openings(&count, 0, 0, "create");
	gshmemi_host_p(t.region, t.part->bulk, &t.round, 8, (t.me + 1) % t.npes, call);
	gshmem_quiet();
	expect_openings(&count, nothers > 0, 0, "a host call");
	gshmem_barrier_all();
	run_round(&t, T_HOST, 0);
	expect_openings(&count, nothers - (nothers > 0), 0, "host calls to all");
	t_equal(gshmemi_region_use(t.region), 0, "use");
	for (int by = 0; by < T_NSCOPES; by++)
		run_round(&t, by, 0);
	t_equal(gshmemi_region_create(memory, sizeof *t.part, &other), 0, "create in the same allocation");
	t_equal(gshmemi_region_use(other), 0, "use");
	expect_openings(&count, 0, nothers, "a region in the same allocation");
	t_equal(gshmemi_region_destroy(other), 0, "destroy");
	run_round(&t, T_WG, 0);
	t_equal(gshmemi_region_destroy(t.region), 0, "destroy");

	t_equal(gshmemi_region_create(t.part, sizeof *t.part, &t.region), 0, "create again");
	t_equal(gshmemi_region_use(t.region), 0, "use");
	expect_openings(&count, 0, nothers, "a region where one was");
	run_round(&t, T_WAVE, 0);
	t_equal(gshmemi_region_destroy(t.region), 0, "destroy");
	t_hip(hipFree(memory));
	t_hip(hipMalloc((void **)&memory, 8 * sizeof *t.part));
	t.part = (struct part *)memory + 1;
	fill_part(&t);
	t_equal(gshmemi_region_create(t.part, sizeof *t.part, &t.region), 0, "create over other memory");
	t_equal(gshmemi_region_use(t.region), 0, "use");
	expect_openings(&count, nothers, 0, "a region over memory that came after");
	run_round(&t, T_THREAD, 0);
	t_equal(gshmemi_region_destroy(t.region), 0, "destroy");
	t_hip(hipFree(memory));
}

/* PE 0 has no memory, and counts from an address of its own; the others have different amounts. */
static void test_sizes(struct test t)
{
	t_hip(hipMalloc((void **)&t.part, sizeof *t.part + 4096 * t.me));
	fill_part(&t);
	if (!t.me) {
		t_hip(hipFree(t.part));
		t.part = (struct part *)(uintptr_t)(1 << 20);
	}
	t_equal(gshmemi_region_create(t.part, t.me ? sizeof *t.part : 0, &t.region), 0, "create of different sizes");
	t_equal(gshmemi_region_use(t.region), 0, "use");
	run_round(&t, T_HOST, 1);
	run_round(&t, T_WG, 1);
	t_equal(gshmemi_region_destroy(t.region), 0, "destroy");
	if (t.me)
		t_hip(hipFree(t.part));
}

/* A thousand at a time, over one allocation; and their numbers again. */
static void test_many(struct test t)
{
	enum { NREGIONS = 1000 };
	static unsigned regions[NREGIONS];
	struct openings_count count = gshmemi_openings_count();
	struct part *parts;

	t_hip(hipMalloc((void **)&parts, 3 * sizeof *parts));
	for (int i = 0; i < NREGIONS; i++)
		t_equal(gshmemi_region_create(parts + i % 3, sizeof *parts, &regions[i]), 0, "create one of many");
	for (int i = 0; i < 3; i++) {
		t.part = parts + (NREGIONS - 1 - i) % 3;
		t.region = regions[NREGIONS - 1 - i];
		fill_part(&t);
		t_equal(gshmemi_region_use(t.region), 0, "use");
		run_round(&t, T_WAVE, 0);
		run_round(&t, T_HOST, 0);
	}
	expect_openings(&count, (uint64_t)t.npes - 1, 2 * ((uint64_t)t.npes - 1), "three regions of one allocation");
	for (int i = 0; i < NREGIONS; i++)
		t_equal(gshmemi_region_destroy(regions[i * 7 % NREGIONS]), 0, "destroy one of many");
	for (int i = 0; i < NREGIONS; i++) {
		t_equal(gshmemi_region_create(parts, sizeof *parts, &regions[0]), 0, "create one after another");
		t_equal(gshmemi_region_destroy(regions[0]), 0, "destroy");
	}
	t_hip(hipFree(parts));
}

/* PE 0 alone is wrong: all PEs get the error, and go on. */
static void test_bad_input(struct test t)
{
	unsigned region;
	char *memory;

	t_hip(hipMalloc((void **)&memory, 4096));
	t_equal(gshmemi_region_create(memory, t.me ? 4096 : 4097, &region), -EINVAL, "create beyond the allocation");
	t_equal(gshmemi_region_create(t.me ? (void *)memory : (void *)&region, 64, &region), -EIO, "create over a variable");
	t_equal(gshmemi_region_create(memory + (t.me ? 0 : 8), 64, &region), -EINVAL, "create of unequal alignment");
	t_equal(gshmemi_region_create(memory, 4096, &region), 0, "create after errors");
	t_equal(gshmemi_region_destroy(t.me ? region : 1u << 20), -ENOENT, "destroy what is no region");
	t_equal(gshmemi_region_destroy(t.me ? region : 0), -ENOENT, "destroy the heap");
	t_equal(gshmemi_region_destroy(region), 0, "destroy after errors");
	t_equal(gshmemi_region_destroy(region), -ENOENT, "destroy twice");
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
	if (!getenv("GSHMEM_CHECK")) /* which compares addresses with this PE's memory */
		test_sizes(t);
	test_many(t);
	test_bad_input(t);
	t_hip(hipHostFree(t.ends));
	gshmem_finalize();
	return 0;
}
