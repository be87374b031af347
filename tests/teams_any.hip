/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3,4,5,9 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CHECK=1 GSHMEM_CPU_WAVE=32 */
/* timeout: 120 */
/*
 * Teams of any PEs in any order, made by all PEs of a team or by the members alone, are what their lists say:
 * numbers, barriers, collectives of hosts and of work-groups, contexts and windows.
 */
#include <hip/hip_runtime.h>
#include <gshmemx_win.h>
#include "oracle.h"

enum { MAX_PES = 9, NSHORT = 3, NLONG = 700, NCASES = 24, NKEPT = 4 };

/* What a team should be. */
struct model {
	int npes, me;     /* me: -1: this PE is not in it */
	int pes[MAX_PES]; /* of the world */
};

static int me, npes;
static int *nwrong;           /* by kernels */
static long *source, *dest;   /* of collectives */
static long *words;           /* [MAX_PES]: word i is written by PE i of a team */
static uint64_t random_state; /* the same on all PEs */

static int draw(int n)
{
	random_state = random_state * 6364136223846793005U + 1442695040888963407U;
	return (int)(random_state >> 33) % n;
}

/* Some PEs of a team in some order: their numbers in it. */
static int draw_pes(int of, int *pes)
{
	const int n = 1 + draw(of);

	for (int i = 0; i < of; i++)
		pes[i] = i;
	for (int i = 0; i < n; i++) {
		const int k = i + draw(of - i), pe = pes[k];

		pes[k] = pes[i];
		pes[i] = pe;
	}
	return n;
}

static struct model pick(const struct model &of, const int *pes, int n)
{
	struct model m = {n, -1, {0}};

	for (int i = 0; i < n; i++) {
		m.pes[i] = of.pes[pes[i]];
		m.me = m.pes[i] == me ? i : m.me;
	}
	return m;
}

/* ---- numbers ---- */

__host__ __device__ static int count_wrong(gshmem_team_t team, struct model m, int world_npes)
{
	int wrong = gshmem_team_n_pes(team) != m.npes || gshmem_team_my_pe(team) != m.me;

	for (int pe = 0; pe < world_npes; pe++) {
		int expected = -1;

		for (int i = 0; i < m.npes; i++)
			expected = m.pes[i] == pe ? i : expected;
		wrong += gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, pe, team) != expected;
	}
	for (int i = 0; i < m.npes; i++)
		wrong += gshmem_team_translate_pe(team, i, GSHMEM_TEAM_WORLD) != m.pes[i];
	return wrong;
}

__global__ static void ask(gshmem_team_t team, struct model m, int world_npes, int *wrong)
{
	*wrong = count_wrong(team, m, world_npes);
}

/* ---- collectives ---- */

enum { BROADCAST, FCOLLECT, ALLTOALL, REDUCE, NCOLLECTIVES };

/* Element i of the source of a PE of the world. */
__host__ __device__ static long value_of(int world_pe, long i)
{
	return 1000003L * (world_pe + 1) + i;
}

__global__ static void call_wg(gshmem_team_t team, int which, long *to, const long *from, int n, int root)
{
	if (which == BROADCAST)
		(void)gshmemx_long_broadcast_wg(team, to, from, n, root);
	else if (which == FCOLLECT)
		(void)gshmemx_long_fcollect_wg(team, to, from, n);
	else if (which == ALLTOALL)
		(void)gshmemx_long_alltoall_wg(team, to, from, n);
	else
		(void)gshmemx_long_sum_reduce_wg(team, to, from, n);
}

static void call_host(gshmem_team_t team, int which, int n, int root)
{
	if (which == BROADCAST)
		t_equal(gshmem_long_broadcast(team, dest, source, n, root), 0, "broadcast");
	else if (which == FCOLLECT)
		t_equal(gshmem_long_fcollect(team, dest, source, n), 0, "fcollect");
	else if (which == ALLTOALL)
		t_equal(gshmem_long_alltoall(team, dest, source, n), 0, "alltoall");
	else
		t_equal(gshmem_long_sum_reduce(team, dest, source, n), 0, "sum_reduce");
}

static long expect(const struct model &m, int which, int n, int root, int i)
{
	long sum = 0;

	if (which == BROADCAST)
		return value_of(m.pes[root], i);
	if (which == FCOLLECT)
		return value_of(m.pes[i / n], i % n);
	if (which == ALLTOALL)
		return value_of(m.pes[i / n], (long)m.me * n + i % n);
	for (int k = 0; k < m.npes; k++)
		sum += value_of(m.pes[k], i);
	return sum;
}

static void check_collective(
	gshmem_team_t team, const struct model &m, int which, int n, int root, bool is_host)
{
	const int nto = which == FCOLLECT || which == ALLTOALL ? n * m.npes : n;
	static long got[MAX_PES * NLONG];

	if (is_host)
		call_host(team, which, n, root);
	else
		t_launch(call_wg, 1, 100, team, which, dest, source, n, root);
	t_from_device(got, dest, nto * sizeof *got);
	for (int i = 0; i < nto; i++)
		t_check(got[i] == expect(m, which, n, root, i),
			"PE %d: collective %d of %d, %s: element %d: expected %ld, got %ld", me, which, n,
			is_host ? "host" : "wg", i, expect(m, which, n, root, i), got[i]);
	t_equal(gshmem_team_sync(team), 0, "before dest is used again");
}

/* ---- contexts ---- */

/* Each PE writes its word to all of the team, through a context. */
__host__ __device__ static void put_all(gshmem_ctx_t ctx, long *to, int n, int from, long value)
{
	for (int i = 0; i < n; i++)
		gshmem_ctx_long_p(ctx, &to[from], value, i);
	gshmem_ctx_quiet(ctx);
}

__global__ static void put_in_kernel(gshmem_ctx_t ctx, long *to, int n, int from, long value)
{
	put_all(ctx, to, n, from, value);
}

static void check_words(const struct model &m, long *at, long offset, const char *what)
{
	long got[MAX_PES];

	t_from_device(got, at, m.npes * sizeof *got);
	for (int i = 0; i < m.npes; i++)
		t_check(got[i] == value_of(m.pes[i], offset), "PE %d: %s: from PE %d: expected %ld, got %ld",
			me, what, i, value_of(m.pes[i], offset), got[i]);
}

static void check_context(gshmem_team_t team, const struct model &m)
{
	gshmem_ctx_t ctx;

	t_equal(gshmem_team_create_ctx(team, 0, &ctx), 0, "create_ctx");
	put_all(ctx, words, m.npes, m.me, value_of(me, 1));
	t_equal(gshmem_team_sync(team), 0, "sync");
	check_words(m, words, 1, "context, host");
	t_equal(gshmem_team_sync(team), 0, "sync");
	t_launch(put_in_kernel, 1, 1, ctx, words, m.npes, m.me, value_of(me, 2));
	t_equal(gshmem_team_sync(team), 0, "sync");
	check_words(m, words, 2, "context, kernel");
	gshmem_ctx_destroy(ctx);
}

/* ---- windows ---- */

/* A work-group puts to all PEs of the window, and adds to the word behind. */
__global__ static void use_window(gshmemx_win_t win, const long *value, const long *one, int n, int from)
{
	for (int i = 0; i < n; i++) {
		(void)gshmemx_win_long_put_wg(win, from, value, 1, i);
		(void)gshmemx_win_long_accumulate_wg(win, n, one, 1, GSHMEMX_SUM, i);
	}
}

/* Where kernels serve a device's mail, a window takes all its PEs or none, and in these jobs all have one. */
static bool takes_parts(void)
{
	return T_IS_CPU && !getenv("GSHMEM_CPU_HOST_ACCESS");
}

static void check_window(gshmem_team_t team, const struct model &m)
{
	gshmemx_win_t win;
	void *base;
	long *mine;

	if (m.npes < npes && !takes_parts())
		return;
	t_equal(gshmemx_win_allocate(team, (MAX_PES + 1) * sizeof(long), sizeof(long), &base, &win), 0,
		"win_allocate");
	mine = (long *)base;
	t_write_u64(&mine[m.npes], 0);
	t_write_u64(&words[0], (uint64_t)value_of(me, 3));
	t_write_u64(&words[1], 1);
	t_equal(gshmemx_win_fence(win, 0), 0, "fence");
	t_launch(use_window, 1, 70, win, &words[0], &words[1], m.npes, m.me);
	t_equal(gshmemx_win_fence(win, GSHMEMX_MODE_NOSUCCEED), 0, "fence");
	check_words(m, mine, 3, "window");
	t_equal(t_read_u64(&mine[m.npes]), m.npes, "what all have added");
	t_equal(gshmemx_win_free(&win), 0, "win_free");
}

/* ---- all of it ---- */

static void check_team(gshmem_team_t team, const struct model &m, int salt)
{
	if (m.me < 0) {
		t_check(team == GSHMEM_TEAM_INVALID, "PE %d is not in the team, but has a handle", me);
		return;
	}
	t_check(team != GSHMEM_TEAM_INVALID, "PE %d is in the team, but has no handle", me);
	t_equal(count_wrong(team, m, npes), 0, "numbers");
	t_launch(ask, 1, 1, team, m, npes, nwrong);
	t_equal(*nwrong, 0, "numbers in a kernel");
	for (int which = 0; which < NCOLLECTIVES; which++) {
		const int n = (salt + which) % 3 ? NSHORT : NLONG;

		check_collective(team, m, which, n, (salt + which) % m.npes, true);
		check_collective(team, m, which, n, (salt + which + 1) % m.npes, false);
	}
	check_context(team, m);
	check_window(team, m);
}

static gshmem_team_t make(
	gshmem_team_t parent, const struct model &of, const int *pes, int n, struct model *m)
{
	const int by_members = draw(2), tag = draw(3);
	gshmem_team_t team = (gshmem_team_t)77;

	*m = pick(of, pes, n);
	if (!by_members)
		t_equal(gshmemx_team_create(parent, pes, n, NULL, 0, &team), 0, "team_create");
	else if (m->me < 0)
		team = GSHMEM_TEAM_INVALID;
	else
		t_equal(gshmemx_team_create_by_members(m->pes, n, tag, NULL, 0, &team), 0,
			"team_create_by_members");
	return team;
}

/* Teams of the world and of the last one kept. Some are kept, so that PEs differ in which places are free. */
static void check_random(const struct model &all)
{
	gshmem_team_t kept[NKEPT] = {}, team;
	struct model models[NKEPT], m;
	int pes[MAX_PES];

	for (int i = 0; i < t_repeats(NCASES); i++) {
		const int n = draw_pes(npes, pes), k = i % NKEPT;

		gshmem_team_destroy(kept[k]);
		kept[k] = make(GSHMEM_TEAM_WORLD, all, pes, n, &models[k]);
		check_team(kept[k], models[k], i);
		const int nparts = draw_pes(n, pes);
		const uint64_t state = random_state;

		if (kept[k]) {
			team = make(kept[k], models[k], pes, nparts, &m);
			check_team(team, m, i + 1);
			gshmem_team_destroy(team);
		}
		random_state = state + 1;
	}
	for (int k = 0; k < NKEPT; k++)
		gshmem_team_destroy(kept[k]);
}

/* Teams of two, which all PEs make with each other in an order of their own; no PE waits for all. */
static void check_pairs(void)
{
	gshmem_team_t teams[MAX_PES];

	for (int round = 0; round < npes; round++) {
		const int other = (round + npes - me) % npes,
			  pes[2] = {me < other ? other : me, me < other ? me : other};

		teams[round] = GSHMEM_TEAM_INVALID;
		if (other == me)
			continue;
		t_equal(gshmemx_team_create_by_members(pes, 2, 0, NULL, 0, &teams[round]), 0, "a pair");
		t_equal(gshmem_team_my_pe(teams[round]), me < other, "number in a pair");
		t_equal(gshmem_team_sync(teams[round]), 0, "barrier of a pair");
	}
	for (int round = 0; round < npes; round++)
		gshmem_team_destroy(teams[round]);
}

/* The same team again and again: a call must not take the last one's agreement for its own. */
static void check_again(void)
{
	enum { NTIMES = 12 };
	gshmem_team_t teams[NTIMES];
	int pes[MAX_PES];

	for (int i = 0; i < npes; i++)
		pes[i] = npes - 1 - i;
	for (int round = 0; round < t_repeats(30); round++) {
		for (int i = 0; i < NTIMES; i++)
			t_equal(gshmemx_team_create_by_members(pes, npes, 0, NULL, 0, &teams[i]), 0, "again");
		for (int i = 0; i < NTIMES; i++)
			gshmem_team_destroy(teams[i]);
	}
}

int main()
{
	struct model all;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	all.npes = npes;
	all.me = me;
	for (int i = 0; i < npes; i++)
		all.pes[i] = i;
	source = (long *)t_shmalloc(MAX_PES * NLONG * sizeof *source);
	dest = (long *)t_shmalloc(MAX_PES * NLONG * sizeof *dest);
	words = (long *)t_shmalloc(MAX_PES * sizeof *words);
	t_hip(hipHostMalloc((void **)&nwrong, sizeof *nwrong, 0));
	for (int i = 0; i < MAX_PES * NLONG; i++) {
		const long value = value_of(me, i);

		t_to_device(&source[i], &value, sizeof value);
	}
	gshmem_barrier_all();
	check_random(all);
	gshmem_barrier_all();
	check_pairs();
	check_again();
	gshmem_barrier_all();
	t_hip(hipHostFree(nwrong));
	gshmem_finalize();
	return 0;
}
