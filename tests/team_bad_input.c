/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 120 */
/*
 * Bad input to the calls that make teams gives the same error on all PEs, one message and no handle, and
 * teams go on working. Invalid handles and a bad GSHMEM_TEAMS end the job with a message; so do destroyed
 * contexts, if a call looks them up.
 */
#include <errno.h>
#include <gshmem.h>

#include "job.h"

enum { NTEAMS = 8, NPREDEFINED = 4 };

static int me, npes;

static int split(int start, int stride, int size, gshmem_team_t *team)
{
	return gshmem_team_split_strided(GSHMEM_TEAM_WORLD, start, stride, size, NULL, 0, team);
}

/* Calls with lists of PEs. Returns 0 if it knows no such case. */
static int make_list_call(const char *name, gshmem_team_t *team)
{
	const int both[2] = {0, 1}, beyond[2] = {0, 2}, below[2] = {-1, 1}, twice[2] = {1, 1},
		  mine[2] = {me, 1 - me}, other[1] = {1 - me};
	const gshmem_team_config_t negative = {-1};
	const gshmem_team_t world = GSHMEM_TEAM_WORLD;

	if (strcmp(name, "list_null") == 0)
		return gshmemx_team_create(world, NULL, 2, NULL, 0, team);
	if (strcmp(name, "list_nulls") == 0)
		return gshmemx_team_create(world, me ? both : NULL, 2, NULL, 0, team);
	if (strcmp(name, "list_npes") == 0)
		return gshmemx_team_create(world, both, 3, NULL, 0, team);
	if (strcmp(name, "list_lengths") == 0)
		return gshmemx_team_create(world, both, 1 + me, NULL, 0, team);
	if (strcmp(name, "list_beyond") == 0)
		return gshmemx_team_create(world, beyond, 2, NULL, 0, team);
	if (strcmp(name, "list_twice") == 0)
		return gshmemx_team_create(world, twice, 2, NULL, 0, team);
	if (strcmp(name, "list_differs") == 0)
		return gshmemx_team_create(world, mine, 2, NULL, 0, team);
	if (strcmp(name, "list_config") == 0)
		return gshmemx_team_create(world, both, 2, &negative, me == 1, team);
	if (strcmp(name, "members_null") == 0)
		return gshmemx_team_create_by_members(NULL, 2, 0, NULL, 0, team);
	if (strcmp(name, "members_npes") == 0)
		return gshmemx_team_create_by_members(both, 0, 0, NULL, 0, team);
	if (strcmp(name, "members_many") == 0)
		return gshmemx_team_create_by_members(both, 1 << 30, 0, NULL, 0, team);
	if (strcmp(name, "members_below") == 0)
		return gshmemx_team_create_by_members(below, 2, 0, NULL, 0, team);
	if (strcmp(name, "members_twice") == 0)
		return gshmemx_team_create_by_members(twice, 2, 0, NULL, 0, team);
	if (strcmp(name, "members_outside") == 0)
		return gshmemx_team_create_by_members(other, 1, 0, NULL, 0, team);
	if (strcmp(name, "members_config0") == 0)
		return gshmemx_team_create_by_members(both, 2, 0, &negative, me == 0, team);
	if (strcmp(name, "members_config1") == 0)
		return gshmemx_team_create_by_members(both, 2, 0, &negative, me == 1, team);
	return 0;
}

/* The cases that return an error. */
static void make_call(const char *name)
{
	gshmem_team_config_t negative = {-1};
	gshmem_team_t team = GSHMEM_TEAM_WORLD, other = GSHMEM_TEAM_WORLD;
	int rc = 0;

	if (strcmp(name, "starts") == 0)
		rc = split(me == 1, 1, 1, &team);
	else if (strcmp(name, "beyond") == 0)
		rc = split(1, 1, npes, &team);
	else if (strcmp(name, "below") == 0)
		rc = split(0, -1, 2, &team);
	else if (strcmp(name, "size0") == 0)
		rc = split(0, 1, 0, &team);
	else if (strcmp(name, "stride0") == 0)
		rc = split(0, 0, 2, &team);
	else if (strcmp(name, "wraps") == 0)
		rc = split(0, 0x7fffffff, 0x7fffffff, &team);
	else if (strcmp(name, "mask") == 0)
		rc = gshmem_team_split_strided(
			GSHMEM_TEAM_WORLD, 0, 1, npes, &negative, me == 1 ? 6 : 0, &team);
	else if (strcmp(name, "config") == 0)
		rc = gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, npes, &negative, me == 1, &team);
	else if (strcmp(name, "null") == 0)
		rc = gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, npes, NULL, me == 1, &team);
	else if (strcmp(name, "range0") == 0)
		rc = gshmem_team_split_2d(GSHMEM_TEAM_WORLD, 0, NULL, 0, &other, NULL, 0, &team);
	else if (strcmp(name, "ranges") == 0)
		rc = gshmem_team_split_2d(GSHMEM_TEAM_WORLD, 1 + me, NULL, 0, &other, NULL, 0, &team);
	else
		rc = make_list_call(name, &team);
	t_check(rc, "PE %d: the call should return an error", me);
	t_check(team == GSHMEM_TEAM_INVALID, "PE %d: the call should give no team", me);
	t_check(other == GSHMEM_TEAM_INVALID || other == GSHMEM_TEAM_WORLD, "PE %d: nor another one", me);
}

/* The cases that end the job. */
static void make_last_call(const char *name)
{
	gshmem_team_t team = (gshmem_team_t)(uintptr_t)12345;
	gshmem_ctx_t ctx, next;

	if (strcmp(name, "world") == 0)
		gshmem_team_destroy(GSHMEM_TEAM_WORLD);
	else if (strcmp(name, "node") == 0)
		gshmem_team_destroy(GSHMEMX_TEAM_NODE);
	else if (strcmp(name, "handle") == 0)
		gshmem_team_sync(team);
	else if (strcmp(name, "twice") == 0) {
		t_equal(split(0, 1, npes, &team), 0, "split");
		gshmem_team_destroy(team);
		t_equal(split(0, 1, npes, (gshmem_team_t[1]){0}), 0, "split again, at the same place");
		gshmem_team_destroy(team);
	} else {
		t_equal(gshmem_ctx_create(0, &ctx), 0, "create");
		gshmem_ctx_destroy(ctx);
		if (strcmp(name, "context_quiet") == 0)
			gshmem_ctx_quiet(ctx);
		t_equal(gshmem_ctx_create(0, &next), 0, "create again, at the same place");
		gshmem_ctx_destroy(ctx);
	}
}

/*
 * With the largest number of teams, one more is an error on all PEs; after one is
 * destroyed there is room for another.
 */
static void use_all(void)
{
	static const int pes[2] = {1, 0};
	gshmem_team_t teams[NTEAMS], more, x;
	int i;

	for (i = 0; i < NTEAMS - NPREDEFINED; i++) {
		t_equal(split(0, 1, npes, &teams[i]), 0, "split");
		t_equal(gshmem_team_sync(teams[i]), 0, "sync");
	}
	t_check(split(me * 0, 1, npes, &more) && more == GSHMEM_TEAM_INVALID, "PE %d: one team too many", me);
	t_check(gshmemx_team_create(GSHMEM_TEAM_WORLD, pes, 2, NULL, 0, &more) && more == GSHMEM_TEAM_INVALID,
		"PE %d: one team too many, of a list", me);
	t_equal(gshmemx_team_create_by_members(pes, 2, 0, NULL, 0, &more), -ENOSPC, "too many, by members");
	t_check(more == GSHMEM_TEAM_INVALID, "PE %d: no team by members", me);
	gshmem_team_destroy(teams[1]);
	t_equal(gshmemx_team_create_by_members(pes, 2, 0, NULL, 0, &teams[1]), 0,
		"by members when there is room");
	gshmem_team_destroy(teams[1]);
	t_check(gshmem_team_split_2d(GSHMEM_TEAM_WORLD, 1, NULL, 0, &x, NULL, 0, &more),
		"PE %d: two teams, room for one", me);
	t_check(x == GSHMEM_TEAM_INVALID && more == GSHMEM_TEAM_INVALID, "PE %d: neither is there", me);
	t_equal(split(0, 1, npes, &teams[1]), 0, "split when there is room");
	for (i = 0; i < NTEAMS - NPREDEFINED; i++) {
		t_equal(gshmem_team_sync(teams[i]), 0, "sync");
		gshmem_team_destroy(teams[i]);
	}
}

static int pe_main(const char *name, int goes_on)
{
	gshmem_team_t team;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	if (strcmp(name, "all") == 0)
		use_all();
	else if (goes_on)
		make_call(name);
	else
		make_last_call(name);
	t_check(goes_on, "unnoticed");
	t_equal(split(npes - 1, -1, npes, &team), 0, "split at the end");
	t_equal(gshmem_team_sync(team), 0, "sync at the end");
	gshmem_team_destroy(team);
	gshmem_finalize();
	return 0;
}

static void expect(const char *name, const char *env, int goes_on, const char *text)
{
	static struct t_job job;
	static int ncases;
	char args[100];

	if (t_left_out(ncases++))
		return;
	snprintf(args, sizeof args, "%s %d", name, goes_on);
	t_job_run(&job, 2, env, "", args, 60);
	if (goes_on)
		t_check(!job.status, "%s: the job should pass:\n%s", name, job.output);
	else
		t_check(job.status && !strstr(job.output, "unnoticed"), "%s: the job should end:\n%s", name,
			job.output);
	t_check(t_job_count(&job, text) == 1 || (!goes_on && strstr(job.output, text)),
		"%s: expected once \"%s\":\n%s", name, text, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return pe_main(argv[1], atoi(argv[2]));
	expect("starts", "", 1, "pe 0: gshmem_team_split_strided: start, stride, size: all PEs");
	expect("beyond", "", 1,
		"pe 0: gshmem_team_split_strided: start 1, stride 1, size 2: not within a team of 2 PEs");
	expect("below", "", 1, "start 0, stride -1, size 2: not within a team of 2 PEs");
	expect("size0", "", 1, "start 0, stride 1, size 0: not within");
	expect("stride0", "", 1, "start 0, stride 0, size 2: not within");
	expect("wraps", "", 1, "start 0, stride 2147483647, size 2147483647: not within");
	expect("mask", "", 1,
		"pe 1: gshmem_team_split_strided: configuration mask 0x6 contains unknown bits");
	expect("config", "", 1, "pe 1: gshmem_team_split_strided: num_contexts is -1");
	expect("null", "", 1,
		"pe 1: gshmem_team_split_strided: configuration mask 0x1, but the configuration is NULL");
	expect("range0", "", 1, "pe 0: gshmem_team_split_2d: xrange is 0, but must be at least 1");
	expect("ranges", "", 1, "pe 0: gshmem_team_split_2d: xrange: all PEs");
	expect("list_null", "", 1, "pe 0: gshmemx_team_create: pes is NULL");
	expect("list_nulls", "", 1, "pe 0: gshmemx_team_create: pes, npes: all PEs");
	expect("list_npes", "", 1, "pe 0: gshmemx_team_create: npes is 3: expected 1 to 2");
	expect("list_lengths", "", 1, "pe 0: gshmemx_team_create: pes, npes: all PEs");
	expect("list_beyond", "", 1, "pe 0: gshmemx_team_create: pes[1] is 2: expected 0 to 1");
	expect("list_twice", "", 1, "pe 0: gshmemx_team_create: pes[0] and pes[1] are both 1");
	expect("list_differs", "", 1, "pe 0: gshmemx_team_create: pes, npes: all PEs");
	expect("list_config", "", 1, "pe 1: gshmemx_team_create: num_contexts is -1");
	expect("members_null", "", 1, "pe 1: gshmemx_team_create_by_members: pes is NULL");
	expect("members_npes", "", 1, "pe 1: gshmemx_team_create_by_members: npes is 0: expected 1 to 2");
	expect("members_many", "", 1,
		"pe 1: gshmemx_team_create_by_members: npes is 1073741824: expected 1 to 2");
	expect("members_below", "", 1, "pe 1: gshmemx_team_create_by_members: pes[0] is -1: expected 0 to 1");
	expect("members_twice", "", 1, "pe 1: gshmemx_team_create_by_members: pes[0] and pes[1] are both 1");
	expect("members_outside", "", 1, "pe 1: gshmemx_team_create_by_members: PE 1 is not in pes");
	expect("members_config0", "", 1, "pe 0: gshmemx_team_create_by_members: num_contexts is -1");
	expect("members_config1", "", 1, "pe 1: gshmemx_team_create_by_members: num_contexts is -1");
	expect("all", "GSHMEM_TEAMS=8", 1,
		"gshmemx_team_create_by_members: no place in the table of teams is free on all PEs: PE 1 has 8");
	expect("all", "GSHMEM_TEAMS=8", 1,
		"gshmem_team_split_2d: no place in the table of teams is free on all PEs: PE 0 has 7 teams");
	expect("all", "GSHMEM_TEAMS=8", 1,
		"gshmem_team_split_strided: no place in the table of teams is free on all PEs: PE 0 has 8 "
		"teams, including the predefined ones, of at most 8 (GSHMEM_TEAMS)");
	expect("world", "", 0, "gshmem_team_destroy: a predefined team cannot be destroyed");
	expect("node", "", 0, "gshmem_team_destroy: a predefined team cannot be destroyed");
	expect("handle", "", 0, "gshmem_team_sync: handle 0x3039 does not name a team");
	expect("twice", "", 0,
		"gshmem_team_destroy: handle 0x10005 does not name a team, or names a destroyed one");
	expect("context_quiet", "", 0, "gshmem_ctx_quiet: handle 0x");
	expect("context_twice", "GSHMEM_CONTEXTS=2", 0, "gshmem_ctx_destroy: handle 0x");
	expect("all", "GSHMEM_TEAMS=7", 0, "GSHMEM_TEAMS=7: must be a number from 8 to 65535");
	return 0;
}
