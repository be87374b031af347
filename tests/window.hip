/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* run: -n 24 */
/* sim: no, on two cores its 144 threads starve one another; the leg window runs it */
/* races: no, it needs the direct path */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CHECK=1 | GSHMEM_HEAP_SIZE=1m GSHMEM_PES_PER_NODE=8 GSHMEM_CARRY=direct:7,15,23 | GSHMEM_HEAP_SIZE=1m GSHMEM_PES_PER_NODE=8:cyclic GSHMEM_CARRY=direct:9-23 */
/* timeout: 240 */
/*
 * In a job with more PEs than the direct tables have entries the right PEs are in the tables, and each kind
 * of call reaches the PE that it names, with or without an entry, from the host and from kernels. The leg
 * window builds the library with GSHMEM_MAX_PES=8 for this.
 */
#include <gshmem.h>
#include <hip/hip_runtime.h>
#include <string.h>

#include "helpers.h"

enum { NPLACES = 3, NTHREADS = 64, MAX_PES = 64 };

static int me, npes;

/* One allocation; each test of a round has its own words. */
struct words {
	long own;          /* what others get */
	long put[MAX_PES]; /* written by each PE */
	long bulk[MAX_PES][NPLACES];
	long count; /* updated by atomics of all PEs */
	long last;  /* updated by compare_swap of one PE */
	uint64_t signal;
	long signalled[MAX_PES];
	long collected[MAX_PES];
	long sum;
	long by_context[MAX_PES];
};

struct test {
	struct words *words;
	/* every second PE, from the last one down; GSHMEM_TEAM_INVALID if this PE is not in it */
	gshmem_team_t team;
	gshmem_ctx_t ctx; /* of that team */
	long round;
	int *nwrong;
};

__host__ __device__ static long value(long round, int from, int to)
{
	return round * 1000000 + from * 1000 + to + 1;
}

#define WRONG(condition) (*t.nwrong += (condition) ? 1 : 0)

/* ---- puts, gets, atomics: by one thread, or by the host ---- */

__host__ __device__ static void send_all(struct test t, int mine, int n)
{
	for (int i = 0; i < n; i++) {
		const int pe = (mine + i) % n;
		long three[NPLACES] = {
			value(t.round, mine, pe), value(t.round, mine, pe) + 1, value(t.round, mine, pe) + 2};

		gshmem_long_p(&t.words->put[mine], value(t.round, mine, pe), pe);
		gshmem_long_put(t.words->bulk[mine], three, NPLACES, pe);
		gshmem_long_atomic_inc(&t.words->count, pe);
		gshmem_long_atomic_fetch_add(&t.words->count, 1, pe);
	}
	gshmem_long_put_signal(&t.words->signalled[mine], &t.round, 1, &t.words->signal, 1, GSHMEM_SIGNAL_ADD,
		(mine + 9) % n);
	gshmem_long_atomic_compare_swap(&t.words->last, t.round - 1, t.round, (mine + 8) % n);
	gshmem_quiet();
}

__host__ __device__ static void fetch_all(struct test t, int mine, int n)
{
	for (int pe = 0; pe < n; pe++) {
		long got[NPLACES] = {0};

		WRONG(t.words->put[pe] != value(t.round, pe, mine));
		WRONG(t.words->bulk[pe][0] != value(t.round, pe, mine) ||
			t.words->bulk[pe][2] != value(t.round, pe, mine) + 2);
		WRONG(gshmem_long_g(&t.words->own, pe) != pe + 5);
		gshmem_long_get(got, t.words->bulk[mine], NPLACES, pe);
		WRONG(got[1] != value(t.round, mine, pe) + 1);
		WRONG(gshmem_long_atomic_fetch(&t.words->count, pe) != t.round * 2 * n);
		WRONG(gshmem_long_atomic_fetch(&t.words->last, pe) != t.round);
	}
	gshmem_signal_wait_until(&t.words->signal, GSHMEM_CMP_EQ, (uint64_t)t.round);
	WRONG(t.words->signalled[(mine + n - 9 % n) % n] != t.round);
}

__host__ __device__ static void send_in_team(struct test t, int mine)
{
	for (int i = 0; i < gshmem_team_n_pes(t.team); i++)
		gshmem_ctx_long_p(t.ctx, &t.words->by_context[mine], value(t.round, mine, i), i);
	gshmem_ctx_quiet(t.ctx);
}

__host__ __device__ static void check_team(struct test t)
{
	const int mine = gshmem_team_my_pe(t.team);

	for (int i = 0; i < gshmem_team_n_pes(t.team); i++)
		WRONG(t.words->by_context[gshmem_team_translate_pe(t.team, i, GSHMEM_TEAM_WORLD)] !=
			value(t.round, gshmem_team_translate_pe(t.team, i, GSHMEM_TEAM_WORLD), mine));
}

__host__ __device__ static void check_collected(struct test t, int n)
{
	for (int pe = 0; pe < n; pe++)
		WRONG(t.words->collected[pe] != pe + 5);
	WRONG(t.words->sum != n * (n - 1) / 2 + 5 * n);
}

/* ---- a round, in a kernel and on the host ---- */

__global__ void run_round(struct test t)
{
	const int mine = gshmem_my_pe(), n = gshmem_n_pes();

	if (threadIdx.x == 0)
		send_all(t, mine, n);
	gshmemx_barrier_all_wg();
	if (threadIdx.x == 0)
		fetch_all(t, mine, n);
	gshmemx_long_fcollect_wg(GSHMEM_TEAM_WORLD, t.words->collected, &t.words->own, 1);
	gshmemx_long_sum_reduce_wg(GSHMEM_TEAM_WORLD, &t.words->sum, &t.words->own, 1);
	if (threadIdx.x == 0)
		check_collected(t, n);
	if (t.team != GSHMEM_TEAM_INVALID) {
		if (threadIdx.x == 0)
			send_in_team(t, mine);
		gshmemx_team_sync_wg(t.team);
		if (threadIdx.x == 0)
			check_team(t);
	}
	gshmemx_barrier_all_wg();
}

static void run_on_host(struct test t)
{
	send_all(t, me, npes);
	gshmem_barrier_all();
	fetch_all(t, me, npes);
	gshmem_long_fcollect(GSHMEM_TEAM_WORLD, t.words->collected, &t.words->own, 1);
	gshmem_long_sum_reduce(GSHMEM_TEAM_WORLD, &t.words->sum, &t.words->own, 1);
	check_collected(t, npes);
	if (t.team != GSHMEM_TEAM_INVALID) {
		send_in_team(t, me);
		gshmem_team_sync(t.team);
		check_team(t);
	}
	gshmem_barrier_all();
}

/* ---- who has an entry ---- */

__global__ void find_entries(int *is_direct, int n)
{
	void *peer;

	for (int pe = 0; pe < n; pe++)
		is_direct[pe] = gshmemi_peer_ptr(gshmemi_tables()->delta, gshmemi_state.heap, pe, &peer);
	is_direct[n] = gshmemi_state.direct.delta[GSHMEM_MAX_PES - 1] == GSHMEMI_SENTINEL;
}

/* Whether GSHMEM_CARRY, as in direct:1,4-6, names a PE. */
static bool is_carried(int pe)
{
	const char *at = getenv("GSHMEM_CARRY");
	int first, last, n;

	if (at)
		at = strchr(at, ':') + 1;

	for (; at && *at; at += n + (at[n] == ',')) {
		n = 0;
		t_check(sscanf(at, "%d%n", &first, &n) == 1, "GSHMEM_CARRY: %s", at);
		last = first;
		if (at[n] == '-' && sscanf(at += n, "-%d%n", &last, &n) != 1)
			t_fail("GSHMEM_CARRY: %s", at);
		if (pe >= first && pe <= last)
			return true;
	}
	return false;
}

/* The PEs of the node that lie within GSHMEM_MAX_PES - 1 of its first PE and are not carried. */
static void check_entries(int *is_direct)
{
	const int first =
		npes < GSHMEM_MAX_PES ? 0 : gshmem_team_translate_pe(GSHMEMX_TEAM_NODE, 0, GSHMEM_TEAM_WORLD);
	int pe, expected;

	hipLaunchKernelGGL(find_entries, dim3(1), dim3(1), 0, 0, is_direct, npes);
	t_hip(hipDeviceSynchronize());
	for (pe = 0; pe < npes; pe++) {
		expected = pe >= first && pe - first < GSHMEM_MAX_PES - 1 && !is_carried(pe) &&
			gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, pe, GSHMEMX_TEAM_NODE) >= 0;
		t_check(is_direct[pe] == expected, "PE %d of %d: PE %d is %s", me, npes, pe,
			is_direct[pe] ? "direct" : "not direct");
	}
	t_check(is_direct[npes], "PE %d: the last entry is a distance", me);
}

int main()
{
	struct test t = {};
	int *found;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	t_check(npes <= MAX_PES, "%d PEs", npes);
	t_hip(hipHostMalloc((void **)&found, (MAX_PES + 1) * sizeof *found, hipHostMallocMapped));
	if (!getenv("GSHMEM_CHECK") && !getenv("GSHMEM_CPU_DELIVERY"))
		check_entries(found);
	memset(found, 0, (MAX_PES + 1) * sizeof *found);
	t.words = (struct words *)gshmem_calloc(1, sizeof *t.words);
	t.nwrong = found;
	gshmem_long_p(&t.words->own, me + 5, me);
	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, npes - 1, -2, npes / 2, NULL, 0, &t.team), 0,
		"split");
	if (t.team != GSHMEM_TEAM_INVALID)
		t_equal(gshmem_team_create_ctx(t.team, 0, &t.ctx), 0, "team_create_ctx");
	gshmem_barrier_all();
	for (t.round = 1; t.round <= 4; t.round++) {
#if GSHMEMI_ARCH_HOST_DIRECT && !defined GSHMEMI_HOST_COPIES
		if (t.round % 2 == 0) {
			run_on_host(t);
			t_check(!*found, "PE %d of %d: %d wrong words in the host's round %ld", me, npes,
				*found, t.round);
			continue;
		}
#else
		(void)run_on_host; /* reads the heap itself */
#endif
		hipLaunchKernelGGL(run_round, dim3(1), dim3(NTHREADS), 0, 0, t);
		t_hip(hipDeviceSynchronize());
		t_check(!*found, "PE %d of %d: %d wrong words in the kernel's round %ld", me, npes, *found,
			t.round);
	}
	gshmem_team_destroy(t.team);
	gshmem_finalize();
	return 0;
}
