/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,4,5,8 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CHECK=1 GSHMEM_CPU_WAVE=32 */
/* timeout: 120 */
/*
 * Teams match lists of PEs that the test makes itself: their members and numbers, on the host and in kernels;
 * teams of teams, reversed teams, teams of one member; hundreds at a time; reused places. After a team's
 * barrier, by hosts and kernels of every scope together, every member sees what the others wrote before.
 */
#include <hip/hip_runtime.h>
#include <unistd.h>

#include "oracle.h"

enum { MAX_PES = 8, NROUNDS = 12 };

/* What a team should be. */
struct model {
	int npes;
	int pes[MAX_PES]; /* of the world */
};

static int me, npes;
static int *nwrong; /* by kernels */
static char *object;

static int find(const struct model *m, int world_pe)
{
	for (int i = 0; i < m->npes; i++)
		if (m->pes[i] == world_pe)
			return i;
	return -1;
}

static struct model world()
{
	struct model m = {npes, {0}};

	for (int i = 0; i < npes; i++)
		m.pes[i] = i;
	return m;
}

/*
 * The PEs that map each other, as far as GSHMEM_CARRY allows: a PE joins the PEs before it
 * if all of them map each other.
 */
static struct model who_shares_memory()
{
	unsigned char row[MAX_PES], maps[MAX_PES][MAX_PES], *all = (unsigned char *)t_shmalloc(sizeof maps);
	bool has_team[MAX_PES] = {};
	struct model m;

	for (int i = 0; i < npes; i++)
		row[i] = gshmem_ptr(object, i) != NULL;
	for (int i = 0; i < npes; i++)
		gshmem_putmem(all + me * MAX_PES, row, (size_t)npes, i);
	gshmem_barrier_all();
	t_from_device(maps, all, sizeof maps);
	gshmem_free(all);
	do {
		m.npes = 0;
		for (int i = 0; i < npes; i++) {
			bool joins = !has_team[i];

			for (int k = 0; k < m.npes; k++)
				joins &= maps[i][m.pes[k]] && maps[m.pes[k]][i];
			if (joins)
				m.pes[m.npes++] = i;
			has_team[i] |= joins;
		}
	} while (find(&m, me) < 0);
	return m;
}

/* ---- questions ---- */

__host__ __device__ static int count_wrong(
	gshmem_team_t team, struct model m, int expected_me, int world_npes, char *address)
{
	int wrong = gshmem_team_n_pes(team) != m.npes || gshmem_team_my_pe(team) != expected_me;

	for (int i = 0; i < m.npes; i++) {
		wrong += gshmem_team_translate_pe(team, i, GSHMEM_TEAM_WORLD) != m.pes[i];
		wrong += gshmem_team_translate_pe(team, i, team) != i;
		wrong += gshmem_team_ptr(team, address, i) != gshmem_ptr(address, m.pes[i]);
	}
	for (int pe = 0; pe < world_npes; pe++) {
		int expected = -1;

		for (int i = 0; i < m.npes; i++)
			expected = m.pes[i] == pe ? i : expected;
		wrong += gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, pe, team) != expected;
	}
	wrong += gshmem_team_translate_pe(team, -1, GSHMEM_TEAM_WORLD) != -1;
	wrong += gshmem_team_translate_pe(team, m.npes, GSHMEM_TEAM_WORLD) != -1;
	wrong += gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, world_npes, team) != -1;
	wrong += gshmem_team_translate_pe(team, 0, GSHMEM_TEAM_INVALID) != -1;
	wrong += gshmem_team_ptr(team, address, m.npes) != NULL || gshmem_team_ptr(team, address, -1) != NULL;
	return wrong;
}

__global__ static void ask(
	gshmem_team_t team, struct model m, int expected_me, int world_npes, char *address, int *wrong)
{
	*wrong = count_wrong(team, m, expected_me, world_npes, address);
}

static void check_questions(gshmem_team_t team, const struct model &m, const char *what)
{
	const int expected_me = find(&m, me);

	if (expected_me < 0) {
		t_check(team == GSHMEM_TEAM_INVALID, "PE %d: %s: not a member, but the handle is valid", me,
			what);
		return;
	}
	t_check(team != GSHMEM_TEAM_INVALID, "PE %d: %s: a member, but the handle is not valid", me, what);
	t_equal(count_wrong(team, m, expected_me, npes, object), 0, what);
	t_launch(ask, 1, 1, team, m, expected_me, npes, object, nwrong);
	t_check(*nwrong == 0, "PE %d: %s: %d wrong answers in a kernel", me, what, *nwrong);
}

/* ---- the barrier ---- */

enum { HOST, THREAD, WAVE, WG, NSCOPES };

__host__ __device__ static int sync_by(int scope, gshmem_team_t team)
{
	return scope == WG      ? gshmemx_team_sync_wg(team)
		: scope == WAVE ? gshmemx_team_sync_wave(team)
				: gshmem_team_sync(team);
}

/*
 * Send round to every member, meet, then check that every member's has come. PE i
 * of the world writes seen[i].
 */
__host__ __device__ static int meet(gshmem_team_t team, const struct model &m, uint64_t *seen, uint64_t round,
	int my_pe, int scope, bool is_first)
{
	int wrong = 0;

	if (is_first) {
		for (int i = 0; i < m.npes; i++)
			gshmem_uint64_p(&seen[my_pe], round, m.pes[i]);
		gshmem_quiet();
	}
	wrong += sync_by(scope, team) != 0;
	if (is_first)
		for (int i = 0; i < m.npes; i++)
			wrong += gshmem_uint64_g(&seen[m.pes[i]], my_pe) < round;
	return wrong;
}

__global__ static void meet_in_kernel(
	gshmem_team_t team, struct model m, uint64_t *seen, uint64_t round, int my_pe, int scope, int *wrong)
{
	const bool is_in =
		scope == THREAD ? threadIdx.x == 0 : scope == WG || threadIdx.x < (unsigned)warpSize;
	const int found = is_in ? meet(team, m, seen, round, my_pe, scope, threadIdx.x == 0) : 0;

	if (found)
		(void)atomicAdd(wrong, found);
}

static uint64_t *seen;
static uint64_t last; /* round: PEs outside the team count, too */

/* Each round and each PE use a different scope. */
static void check_barrier(gshmem_team_t team, const struct model &m, int nrounds, const char *what)
{
	const uint64_t end = last + nrounds;

	for (int k = 0; k < nrounds && team != GSHMEM_TEAM_INVALID; k++) {
		const int scope = (k + me) % NSCOPES;

		*nwrong = 0;
		if (scope == HOST)
			*nwrong = meet(team, m, seen, ++last, me, HOST, true);
		else
			t_launch(meet_in_kernel, 1, 100, team, m, seen, ++last, me, scope, nwrong);
		t_check(*nwrong == 0, "PE %d: %s: barrier %d: %d wrong", me, what, k, *nwrong);
	}
	last = end;
}

/* ---- splitting ---- */

static gshmem_team_t split(
	gshmem_team_t parent, const struct model &of, int start, int stride, int size, struct model *m)
{
	gshmem_team_t team = (gshmem_team_t)77;

	m->npes = size;
	for (int i = 0; i < size; i++)
		m->pes[i] = of.pes[start + i * stride];
	t_equal(gshmem_team_split_strided(parent, start, stride, size, NULL, 0, &team), 0, "split_strided");
	return team;
}

/* All parts of a team; of each, in turn, some parts. */
static void check_strided(gshmem_team_t parent, const struct model &of, int depth)
{
	char what[100];
	struct model m;

	for (int start = 0; start < of.npes; start++)
		for (int stride = -of.npes; stride <= of.npes; stride++)
			for (int size = 1; size <= of.npes; size++) {
				const int top = start + stride * (size - 1);

				if ((!stride && size > 1) || top < 0 || top >= of.npes)
					continue;
				if (npes > 4 && (start * 7 + stride * 3 + size) % 5)
					continue; /* enough */
				gshmem_team_t team = split(parent, of, start, stride, size, &m);

				snprintf(what, sizeof what, "depth %d: %d:%d:%d of %d PEs", depth, start,
					stride, size, of.npes);
				check_questions(team, m, what);
				check_barrier(team, m, size == 1 ? 2 : 5, what);
				const uint64_t end = last + (1 << 20);

				if (!depth && team && (start + size) % 3 == 0)
					check_strided(team, m, 1);
				last = end; /* for those that were not in it, too */
				gshmem_team_destroy(team);
			}
}

static void check_2d(gshmem_team_t parent, const struct model &of)
{
	const int my_pe = gshmem_team_my_pe(parent);
	struct model xs = {0, {0}}, ys = {0, {0}};
	gshmem_team_t x_team, y_team;
	char what[100];

	for (int xrange = 1; xrange <= of.npes + 2; xrange++) {
		const int range = xrange < of.npes ? xrange : of.npes;

		xs.npes = ys.npes = 0;
		for (int pe = 0; pe < of.npes; pe++) {
			if (pe / range == my_pe / range)
				xs.pes[xs.npes++] = of.pes[pe];
			if (pe % range == my_pe % range)
				ys.pes[ys.npes++] = of.pes[pe];
		}
		t_equal(gshmem_team_split_2d(parent, xrange, NULL, 0, &x_team, NULL, 0, &y_team), 0,
			"split_2d");
		snprintf(what, sizeof what, "2d of %d PEs, xrange %d", of.npes, xrange);
		check_questions(x_team, xs, what);
		check_questions(y_team, ys, what);
		check_barrier(x_team, xs, 3, what);
		check_barrier(y_team, ys, 3, what);
		gshmem_team_destroy(y_team);
		gshmem_team_destroy(x_team);
	}
}

/* ---- many ---- */

static void check_many()
{
	enum { MOST = 300 };
	static gshmem_team_t teams[MOST];
	static struct model models[MOST];
	const int nmany = npes > 4 ? MOST / 4 : MOST; /* on a GPU the hosts of 8 PEs meet slowly */
	const struct model all = world();

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < nmany; i++) {
			const int size = 1 + i % npes;

			teams[i] =
				split(GSHMEM_TEAM_WORLD, all, i / 7 % (npes - size + 1), 1, size, &models[i]);
		}
		for (int i = 0; i < nmany; i += 1 + npes)
			check_questions(teams[i], models[i], "one of many");
		for (int i = 0; i < nmany; i++)
			check_barrier(teams[i], models[i], i % 16 ? 1 : NROUNDS, "one of many");
		for (int i = 0; i < nmany; i++)
			gshmem_team_destroy(teams[i * 7 % nmany]);
	}
}

/* Each work-group has its own team, with the same PEs in each. */
__global__ static void meet_side_by_side(const gshmem_team_t *teams, int nrounds, int *wrong)
{
	for (int k = 0; k < nrounds; k++)
		if (gshmemx_team_sync_wg(teams[blockIdx.x]))
			(void)atomicAdd(wrong, 1);
}

static void check_side_by_side()
{
	enum { NSIDES = 4 };
	gshmem_team_t *teams;

	t_hip(hipHostMalloc((void **)&teams, NSIDES * sizeof *teams, 0));
	for (int i = 0; i < NSIDES; i++)
		t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, i % 2 ? npes - 1 : 0, i % 2 ? -1 : 1,
				npes, NULL, 0, &teams[i]),
			0, "split_strided");
	*nwrong = 0;
	t_launch(meet_side_by_side, NSIDES, 64, teams, t_takes_turns() ? 3 : 200, nwrong);
	t_equal(*nwrong, 0, "barriers side by side");
	for (int i = 0; i < NSIDES; i++)
		gshmem_team_destroy(teams[i]);
	t_hip(hipHostFree(teams));
}

/* ---- configurations, and what is no team ---- */

static void check_rest()
{
	gshmem_team_config_t config = {3}, got = {0};
	gshmem_team_t team, other = (gshmem_team_t)5;

	t_equal(gshmem_team_split_strided(
			GSHMEM_TEAM_WORLD, 0, 1, npes, &config, GSHMEM_TEAM_NUM_CONTEXTS, &team),
		0, "split");
	t_equal(gshmem_team_get_config(team, GSHMEM_TEAM_NUM_CONTEXTS, &got), 0, "get_config");
	t_equal(got.num_contexts, 3, "num_contexts");
	t_equal(gshmem_team_get_config(team, 0, NULL), 0, "get_config of nothing");
	gshmem_team_destroy(team);
	t_check(gshmem_team_get_config(GSHMEM_TEAM_INVALID, GSHMEM_TEAM_NUM_CONTEXTS, &got),
		"get_config of no team");
	t_check(gshmem_team_split_strided(GSHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &other), "split of no team");
	t_check(other == GSHMEM_TEAM_INVALID, "split of no team gives none");
	t_equal(gshmem_team_my_pe(GSHMEM_TEAM_INVALID), -1, "my_pe of no team");
	t_equal(gshmem_team_n_pes(GSHMEM_TEAM_INVALID), -1, "n_pes of no team");
	t_check(gshmem_team_sync(GSHMEM_TEAM_INVALID), "barrier of no team");
	t_check(!gshmem_team_ptr(GSHMEM_TEAM_INVALID, object, 0), "ptr of no team");
	gshmem_team_destroy(GSHMEM_TEAM_INVALID);
}

/* How many PEs have hosts with the same name as this one's. */
static struct model who_is_on_the_node(void)
{
	enum { HOST_NBYTES = 64 };
	char *mine = (char *)t_shmalloc(HOST_NBYTES), *hosts = (char *)t_shmalloc((size_t)npes * HOST_NBYTES),
	     host[HOST_NBYTES] = "";
	char names[MAX_PES * HOST_NBYTES];
	struct model m = {0, {0}};

	gethostname(host, sizeof host - 1);
	t_to_device(mine, host, sizeof host);
	gshmem_char_fcollect(GSHMEM_TEAM_WORLD, hosts, mine, HOST_NBYTES);
	t_from_device(names, hosts, (size_t)npes * HOST_NBYTES);
	for (int pe = 0; pe < npes; pe++)
		if (!strcmp(names + pe * HOST_NBYTES, host))
			m.pes[m.npes++] = pe;
	gshmem_free(hosts);
	gshmem_free(mine);
	return m;
}

int main()
{
	struct model all, shared, back;
	gshmem_team_t team;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	all = world();
	object = (char *)t_shmalloc(8);
	shared = who_shares_memory();
	seen = (uint64_t *)gshmem_calloc(MAX_PES, sizeof *seen);
	gshmemx_race_ok(seen, MAX_PES * sizeof *seen); /* it reads what others may be writing */
	t_hip(hipHostMalloc((void **)&nwrong, sizeof *nwrong, 0));

	check_questions(GSHMEM_TEAM_WORLD, all, "the world");
	check_questions(GSHMEM_TEAM_SHARED, shared, "who shares memory");
	check_questions(GSHMEMX_TEAM_NODE, who_is_on_the_node(), "the node");
	check_barrier(GSHMEM_TEAM_WORLD, all, NROUNDS, "the world");
	check_barrier(GSHMEM_TEAM_SHARED, shared, NROUNDS, "who shares memory");
	gshmem_barrier_all();
	check_strided(GSHMEM_TEAM_WORLD, all, 0);
	check_2d(GSHMEM_TEAM_WORLD, all);
	team = split(GSHMEM_TEAM_WORLD, all, npes - 1, -1, npes, &back);
	check_2d(team, back);
	gshmem_team_destroy(team);
	check_many();
	check_side_by_side();
	check_rest();
	t_hip(hipHostFree(nwrong));
	gshmem_finalize();
	return 0;
}
