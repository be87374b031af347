/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* carry: no */
/* net: no */
/* run: -n 4 */
/* env: GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DEVICES=3 GSHMEM_CPU_LINKS=0-1:plain | GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DEVICES=2 GSHMEM_CPU_LINKS=all:plain | GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DEVICES=3 GSHMEM_CPU_LINKS=0-1:plain GSHMEM_CHECK=1 */
/* links: inner */
/* races: no, it needs the direct path */
/*
 * Each pair of devices has native atomics or not. If one pair lacks them, the other pairs keep theirs, and so
 * does a PE on its own words and on those of PEs with the same device, in the heap and in a window. A pair
 * without them asks the owner to perform its atomics and signals, SET as well as ADD, and nothing else. The
 * GPU performs a host's signal to its own PE.
 */
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <string.h>
#include "oracle.h"
#include "regions.h"

extern "C" {
struct net_counts {
	uint64_t nputs, ngets, natomics; /* asked for; with signals */
};
const struct net_counts *gshmemi_net_counts(void);
}

enum { MAX_PES = 8, NADDS = 3, NATOMICS = 4 };

/* What each PE has, in the heap and in a region. */
struct words {
	long put[MAX_PES]; /* words of each PE, as in the next two */
	long signalled[MAX_PES];
	uint64_t set[MAX_PES];
	uint64_t sum; /* NADDS in each round by each PE */
};

struct test {
	unsigned region;
	struct words *words;
	int me, npes;
	bool has_atomics[MAX_PES]; /* from this PE, on that PE's words */
};

static const char call[] = "atomics_pairs";

/* ---- copies that the host makes ---- */

static int ncopies;

extern "C" hipError_t hipMemcpyAsync(
	void *dest, const void *source, size_t nbytes, hipMemcpyKind kind, hipStream_t stream)
{
	hipError_t (*next)(void *, const void *, size_t, hipMemcpyKind, hipStream_t);

	*(void **)&next = dlsym(RTLD_NEXT, "hipMemcpyAsync");
	ncopies++;
	return next(dest, source, nbytes, kind, stream);
}

/* Where a host call is a copy, it copies the data alone. */
static void test_host_set(struct test t)
{
#ifdef GSHMEMI_HOST_COPIES
	const int expected = 1;
#else
	const int expected = 0;
#endif
	long value = 5;

	gshmem_quiet();
	ncopies = 0;
	gshmem_long_put_signal(
		&t.words->signalled[t.me], &value, 1, &t.words->set[t.me], 1, GSHMEM_SIGNAL_SET, t.me);
	gshmem_quiet();
	t_equal(ncopies, expected, "copies of a put_signal of the host");
}

/* ---- the tables ---- */

__host__ __device__ static struct gshmemi_where find_where(unsigned region)
{
	return region == GSHMEMI_REGION_HEAP ? gshmemi_in_heap() : gshmemi_in_region(region);
}

__global__ void look(unsigned region, int npes, int *has_entry, int *has_true_entry)
{
	const struct gshmemi_where where = find_where(region);
	const struct gshmemi_region *r = &gshmemi_state.regions[region];

	for (int pe = 0; pe < npes; pe++) {
		void *peer, *peer_amo;
		const int peer_index = gshmemi_state.peers[pe] >> 1;

		has_entry[pe] = gshmemi_peer_ptr(where.amo_delta, gshmemi_state.heap, pe, &peer_amo);
		if (has_entry[pe] &&
			(!gshmemi_peer_ptr(where.delta, gshmemi_state.heap, pe, &peer) || peer != peer_amo))
			has_entry[pe] = -1;
		has_true_entry[pe] = r->amo_delta[peer_index] != GSHMEMI_SENTINEL;
		if (has_true_entry[pe] && r->amo_delta[peer_index] != r->delta[peer_index])
			has_true_entry[pe] = -1;
	}
}

/*
 * The library's tables have entries where the devices have atomics; those of the direct path
 * only if not all calls are slow.
 */
static void test_tables(struct test t)
{
	const bool is_slow = getenv("GSHMEM_CHECK") || getenv("GSHMEM_CPU_DELIVERY");
	int *found;

	t_hip(hipHostMalloc((void **)&found, 2 * MAX_PES * sizeof *found, hipHostMallocMapped));
	t_launch(look, 1, 1, t.region, t.npes, found, found + MAX_PES);
	for (int pe = 0; pe < t.npes; pe++) {
		t_check(is_slow || pe >= GSHMEM_MAX_PES - 1 || found[pe] == t.has_atomics[pe],
			"PE %d: region %u: entry of PE %d is %d", t.me, t.region, pe, found[pe]);
		t_check(found[MAX_PES + pe] == t.has_atomics[pe],
			"PE %d: region %u: true entry of PE %d is %d", t.me, t.region, pe,
			found[MAX_PES + pe]);
	}
	t_hip(hipHostFree(found));
}

/* ---- the calls ---- */

/* NATOMICS atomics and signals to each PE, of which NADDS add. */
__host__ __device__ static void send(struct test t, long value)
{
	const struct gshmemi_where where = find_where(t.region);
	const struct gshmemi_extent one = {sizeof value, 8, 0};
	struct words *words = t.words;

	for (int pe = 0; pe < t.npes; pe++) {
		gshmemi_p(where, &words->put[t.me], &value, sizeof value, pe, call);
		(void)gshmemi_amo(
			where, &words->sum, gshmemi_make_update(GSHMEMI_AMO_ADD, 1, 0, 8, 0), pe, call);
		(void)gshmemi_amo(
			where, &words->sum, gshmemi_make_update(GSHMEMI_AMO_ADD, 1, 0, 8, 1), pe, call);
		gshmemi_put_signal(where, GSHMEMI_THREAD, &words->signalled[t.me], &value, one,
			gshmemi_make_signal(&words->sum, 1, GSHMEM_SIGNAL_ADD), pe, call);
		gshmemi_put_signal(where, GSHMEMI_THREAD, &words->signalled[t.me], &value, one,
			gshmemi_make_signal(&words->set[t.me], (uint64_t)value, GSHMEM_SIGNAL_SET), pe, call);
	}
	gshmem_quiet();
}

__global__ void send_kernel(struct test t, long value)
{
	send(t, value);
}

static void check_words(struct test t, long value, int nrounds)
{
	static struct words seen;

	gshmem_barrier_all();
	t_hip(hipMemcpy(&seen, t.words, sizeof seen, hipMemcpyDefault));
	for (int pe = 0; pe < t.npes; pe++) {
		t_equal(seen.put[pe], value, "p");
		t_equal(seen.signalled[pe], value, "data of put_signal");
		t_equal(seen.set[pe], value, "SIGNAL_SET");
	}
	t_equal(seen.sum, NADDS * nrounds * t.npes, "sum");
	gshmem_barrier_all();
}

static void expect_asked(struct test t, const struct net_counts *before, int nrounds)
{
	const struct net_counts *now = gshmemi_net_counts();
	int nwithout = 0;

	for (int pe = 0; pe < t.npes; pe++)
		nwithout += !t.has_atomics[pe];
	t_equal(now->natomics - before->natomics, NATOMICS * nrounds * nwithout,
		"atomics and signals that owners are asked for");
	t_equal(now->ngets - before->ngets, 0, "gets that owners are asked for");
}

static void test_calls(struct test t)
{
	const struct net_counts before = *gshmemi_net_counts();

	t_launch(send_kernel, 1, 1, t, 7L);
	expect_asked(t, &before, 1);
	check_words(t, 7, 1);
	send(t, 8);
	expect_asked(t, &before, 2);
	check_words(t, 8, 2);
}

static void test_region(struct test t)
{
	gshmemx_win_t win;

	t_hip(hipMalloc((void **)&t.words, sizeof *t.words));
	t_memset(t.words, 0, sizeof *t.words);
	t_equal(gshmemx_win_create(GSHMEM_TEAM_WORLD, t.words, sizeof *t.words, 1, &win), 0, "create");
	t.region = t_region_of(win);
	test_tables(t);
	test_calls(t);
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipFree(t.words));
}

/* ---- who has atomics on whose memory ---- */

/* By HIP itself. */
static bool asks_hip(int from, int to)
{
	int has_atomics = 1;

	if (from != to)
		t_hip(hipDeviceGetP2PAttribute(&has_atomics, hipDevP2PAttrNativeAtomicSupported, from, to));
	return has_atomics;
}

static void find_pairs(struct test *t)
{
	int device, other, nwithout = 0, nsharers = 0;

	t_hip(hipGetDevice(&device));
	for (int pe = 0; pe < t->npes; pe++)
		gshmem_long_p(&t->words->put[t->me], device, pe);
	gshmem_barrier_all();
	for (int pe = 0; pe < t->npes; pe++) {
		other = (int)gshmem_long_g(&t->words->put[pe], t->me);
		t->has_atomics[pe] = asks_hip(device, other);
		nwithout += !t->has_atomics[pe];
		nsharers += device == other;
	}
	t_check(t->me || (nsharers == 2 && nwithout), "PE 0: %d PEs on its device, no atomics on %d",
		nsharers, nwithout);
	gshmem_barrier_all();
}

int main()
{
	struct test t = {};

	gshmem_init();
	t.me = gshmem_my_pe();
	t.npes = gshmem_n_pes();
	t.region = GSHMEMI_REGION_HEAP;
	t_check(t.npes <= MAX_PES, "%d PEs", t.npes);
	t.words = (struct words *)gshmem_calloc(1, sizeof *t.words);
	find_pairs(&t);
	test_tables(t);
	test_calls(t);
	test_host_set(t);
	gshmem_free(t.words);
	test_region(t);
	gshmem_finalize();
	return 0;
}
