/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/* links: inner */
/*
 * Teams of a job of 65536 PEs, as one PE sees it. Their flags and packets lie in a pool, in pieces that no
 * two teams share, large enough for each, at a place that follows from what all PEs know. A full pool is an
 * error, and freed pieces are reused. Handles of contexts can hold the PEs of such teams. The test compiles
 * the library's source, because nobody can start so many processes.
 */
#include "../src/team/team.c"

#include <gshmem/order/context.h>

#include "helpers.h"
#include <stdarg.h>

#define NPES GSHMEMI_NPES_LIMIT
enum { MOST_TEAMS = 600 };

static struct gshmemi_peer peers[8];
static uint16_t nodes[NPES];
static struct gshmemi_job the_job = {
	.npes = NPES, .npeers = 8, .nlocal = 8, .most = 8, .peers = peers, .nnodes = 1, .nodes = nodes};
static int me;
static struct gshmemi_sync *syncs;
static char *pool, *is_used;
static unsigned npieces;
static char message[512];

/* ---- what team.c uses of the library: the other PEs do as this one ---- */

void gshmemi_bootstrap_allgather_node(const void *mine, void *all, size_t nbytes)
{
	int i;

	for (i = 0; i < 8; i++)
		memcpy((char *)all + (size_t)i * nbytes, mine, nbytes);
}

int gshmemi_bootstrap_agree(int rc, bool *all)
{
	(void)all;
	return rc;
}

int gshmemi_host_allocate(size_t nbytes, const char *what, void **ptr_p)
{
	(void)what;
	*ptr_p = calloc(1, nbytes);
	return 0;
}

void gshmemi_host_free(void *ptr)
{
	free(ptr);
}

int gshmemi_devmem_copy(void *dest, const void *source, size_t nbytes, const char *what)
{
	(void)what;
	memcpy(dest, source, nbytes);
	return 0;
}

int gshmemi_devmem_fill(void *dest, int value, size_t nbytes, const char *what)
{
	(void)dest;
	(void)value;
	(void)nbytes;
	(void)what;
	return 0;
}

void gshmemi_devmem_store(void *dest, const void *source, unsigned nbytes, const char *what)
{
	(void)what;
	memcpy(dest, source, nbytes);
}

void gshmemi_devmem_complete(const char *what)
{
	(void)what;
}

void gshmemi_sync_host_team(const struct gshmemi_team_view *team, uint64_t *words, const char *call)
{
	(void)team;
	(void)words;
	(void)call;
}

void gshmemi_host_fence(int context, const char *call)
{
	(void)context;
	(void)call;
}

void gshmemi_host_quiet(int context, const int *target_pes, size_t npes, const char *call)
{
	(void)context;
	(void)target_pes;
	(void)npes;
	(void)call;
}

void gshmemi_enter(const char *call)
{
	(void)call;
}

void gshmemi_enter_collective(const char *call)
{
	(void)call;
}

void gshmemi_contexts_destroy(gshmem_team_t team)
{
	(void)team;
}

void gshmemi_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
}

/* ---- the test ---- */

/* Check that the team's pieces are its own, or were until now. */
static void check_stage(gshmem_team_t team, int npes, bool is_own)
{
	const struct gshmemi_sync *sync = gshmemi_team_find(team, "test")->sync;
	const size_t offset = (size_t)((char *)sync->stage - pool), first = offset / GSHMEMI_STAGE_NBYTES;
	const size_t n = ((size_t)npes + 255) / 256;
	size_t i;

	t_equal(sync->npes, npes, "PEs of the team");
	t_equal(offset % GSHMEMI_STAGE_NBYTES, 0, "where the stage begins");
	t_check(first + n <= npieces, "a stage of %zu pieces from %zu on, of %u", n, first, npieces);
	t_check(sync->nflags >= (unsigned)npes, "%u flags for %d PEs", sync->nflags, npes);
	t_check(sync->npackets >= 4 && sync->npackets % 4 == 0, "%u packets", sync->npackets);
	t_check((sync->nflags + 2 * (size_t)npes * sync->npackets) * 8 <= n * GSHMEMI_STAGE_NBYTES,
		"the packets of %d PEs", npes);
	if (npes <= 256)
		t_equal(sync->npackets, 2048 / (2 * npes) & ~3, "packets of a small team");
	for (i = first; i < first + n; i++) {
		t_check(is_used[i] != is_own, "piece %zu is of two teams", i);
		is_used[i] = is_own;
	}
}

static int split(int size, gshmem_team_t *team)
{
	int rc = gshmem_team_split_strided(
		GSHMEM_TEAM_WORLD, me - size + 1 > 0 ? me - size + 1 : 0, 1, size, NULL, 0, team);

	if (!rc)
		check_stage(*team, size, true);
	return rc;
}

static void destroy(gshmem_team_t team)
{
	check_stage(team, gshmem_team_n_pes(team), false);
	gshmem_team_destroy(team);
}

static void open_teams(void)
{
	const int first = me / 8 * 8;
	int i;

	gshmemi_env.TEAMS = 512;
	gshmemi_job = &the_job;
	the_job.my_pe = me;
	the_job.rank = me % 8;
	for (i = 0; i < 8; i++)
		peers[i] = (struct gshmemi_peer){.pe = first + i, .is_local = true, .is_mapped = true};
	gshmemi_heap_count_places(NPES, 8, 1, &gshmemi_heap.nplaces, &npieces);
	gshmemi_heap.npredefined = npieces - gshmemi_heap.nplaces + GSHMEMI_NPREDEFINED;
	syncs = calloc(gshmemi_heap.nplaces, sizeof *syncs);
	is_used = calloc(1, npieces);
	pool = malloc((size_t)npieces * GSHMEMI_STAGE_NBYTES); /* never touched */
	t_check(syncs && is_used && pool, "memory");
	gshmemi_heap.sync = syncs;
	gshmemi_heap.stages = pool;
	t_equal(gshmemi_teams_open(), 0, "teams_open");
	check_stage(GSHMEM_TEAM_WORLD, NPES, true);
	check_stage(GSHMEM_TEAM_SHARED, 8, true);
	check_stage(GSHMEMX_TEAM_NODE, 8, true);
	check_stage(GSHMEMX_TEAM_SAME_MYPE_NODE, 1, true);
	t_equal(gshmem_team_translate_pe(GSHMEM_TEAM_SHARED, 7, GSHMEM_TEAM_WORLD), first + 7,
		"who is in TEAM_SHARED");
}

static void fill_pool(void)
{
	gshmem_team_t large[MOST_TEAMS], small[MOST_TEAMS], x, y;
	int nlarge, nsmall, i;

	for (nlarge = 0; nlarge < MOST_TEAMS && !split(NPES, &large[nlarge]); nlarge++)
		;
	t_check(nlarge >= 3, "%d teams of all PEs", nlarge);
	t_check(me || strstr(message, "a team of 65536 PEs takes 256 consecutive places, which are not free"),
		"message: %s", message);
	while (nlarge > 3)
		destroy(large[--nlarge]);
	for (nsmall = 0; nsmall < MOST_TEAMS && !split(200, &small[nsmall]); nsmall++)
		;
	t_equal(nsmall + nlarge + GSHMEMI_NPREDEFINED, 512, "teams, three of them large");
	for (i = 0; i < nsmall; i += 2)
		destroy(small[i]);
	t_check(split(257, &x), "two places in a row, where every second one is free");
	t_equal(split(256, &small[0]), 0, "a team of one place there");
	destroy(large[1]);
	t_equal(gshmem_team_split_2d(GSHMEM_TEAM_WORLD, 1024, NULL, 0, &x, NULL, 0, &y), 0,
		"rows and columns");
	check_stage(x, 1024, true);
	check_stage(y, NPES / 1024, true);
	destroy(x);
	destroy(y);
	t_equal(split(NPES, &large[1]), 0, "a large one again");
	for (i = 0; i < nlarge; i++)
		destroy(large[i]);
	t_equal(split(3 * 65536 / 4, &x), 0, "another size");
	destroy(x);
}

static void check_context(int start, int stride, int pe, int world_pe)
{
	const uint64_t handle = gshmemi_ctx_handle(GSHMEMI_CTX_LIBRARY - 1, 0x12345, start, stride);
	gshmem_ctx_t ctx = (gshmem_ctx_t)(uintptr_t)handle;

	t_equal(gshmemi_ctx_pe(ctx, pe, "test"), world_pe, "the PE by a context's handle");
	t_equal(gshmemi_ctx_index(ctx), GSHMEMI_CTX_LIBRARY - 1, "the context's number");
	t_check(handle != gshmemi_ctx_handle(GSHMEMI_CTX_LIBRARY - 1, 0x12346, start, stride),
		"the next one's handle");
}

int main(void)
{
	for (me = 0; me <= 40001; me += 40001) {
		open_teams();
		fill_pool();
		gshmemi_teams_close();
	}
	check_context(0, 1, NPES - 1, NPES - 1);
	check_context(NPES - 1, -1, NPES - 1, 0);
	check_context(NPES - 1, -(NPES - 1), 1, 0);
	check_context(0, NPES - 1, 1, NPES - 1);
	check_context(4096, 8191, 2, 4096 + 2 * 8191);
	t_check(gshmemi_ctx_handle(0, 0, 0, 1) == (uintptr_t)GSHMEM_CTX_DEFAULT,
		"the default context's handle");
	return 0;
}
