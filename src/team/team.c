/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams: who is in them, and how they are destroyed. Their barrier is gshmemi_disseminate, for kernels and
 * hosts alike. nodes.c describes which of their PEs are on which node.
 *
 * Team i has place i of the sync region on all of its PEs, and the places after it that its size needs
 * (gshmemi_heap_pieces). So the PEs of a team that is created must agree on a place that is free on all of
 * them: split.c, where the PEs of a parent team do so, and members.c, where those of the new team do.
 */
#include "team/team.h"

#include <gshmem/order/team.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/scale.h"
#include "bootstrap/bootstrap.h"
#include "device/devmem.h"
#include "heap/heap.h"
#include "job/job.h"
#include "net/net.h"

struct team {
	struct gshmemi_team_view view;
	struct gshmemi_team_nodes *nodes; /* as in struct gshmemi_sync; NULL: its PEs are on one node */
	gshmem_team_config_t config;
	/* teams that have been at this place, including this one; 0 for predefined teams */
	uint64_t ncreated;
	unsigned nplaces; /* of the team at this place; 0: no team begins here */
	bool is_taken;
};
static struct team *teams; /* [nplaces] */
static unsigned nplaces;
static unsigned epoch; /* number of inits so far */
/* guards is_taken: threads may split different teams at the same time */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static gshmem_team_t handle_of(const struct team *team)
{
	return (gshmem_team_t)(uintptr_t)((uint64_t)(team - teams) + 1 +
		(team->ncreated << GSHMEMI_TEAM_INDEX_BITS));
}

bool gshmemi_team_exists(gshmem_team_t handle)
{
	const uint64_t index = gshmemi_team_index(handle);

	return handle != GSHMEM_TEAM_INVALID && index < nplaces && teams[index].nplaces &&
		handle_of(&teams[index]) == handle;
}

/* Finds the team of a handle other than GSHMEM_TEAM_INVALID; a bad handle ends the job. */
static struct team *find_team(gshmem_team_t handle, const char *call)
{
	const uint64_t index = gshmemi_team_index(handle);

	GSHMEMI_ENTER(call);
	if (!gshmemi_team_exists(handle))
		gshmemi_fault_raise(GSHMEMI_FAULT_BAD_TEAM, -1, NULL, 0, (uintptr_t)handle, 0, call,
			gshmemi_arch_caller());
	return &teams[index];
}

const struct gshmemi_team_nodes *gshmemi_team_find_nodes(const struct gshmemi_sync *sync)
{
	if (sync == gshmemi_heap.meeting)
		return teams[GSHMEMI_TEAM_WORLD].nodes;
	/* else the sync belongs to a window */
	return (size_t)(sync - gshmemi_heap.sync) < nplaces ? teams[sync - gshmemi_heap.sync].nodes : NULL;
}

const struct gshmemi_team_view *gshmemi_team_find(gshmem_team_t team, const char *call)
{
	return &find_team(team, call)->view;
}

/* ---- the places of teams ---- */

static bool is_regular(const struct gshmemi_team_shape *shape)
{
	int i;

	for (i = 2; i < shape->npes; i++)
		if (shape->pes[i] - shape->pes[i - 1] != shape->pes[1] - shape->pes[0])
			return false;
	return true;
}

/* Called with the lock held. */
static void set_taken(struct team *team, unsigned n, bool is_taken)
{
	unsigned i;

	for (i = 0; i < n; i++)
		team[i].is_taken = is_taken;
	team->nplaces = is_taken ? n : 0;
}

static void close_place(struct team *team)
{
	gshmemi_host_free((void *)(uintptr_t)team->view.members);
	gshmemi_host_free(team->nodes);
	memset(&team->view, 0, sizeof team->view);
	team->nodes = NULL;
	pthread_mutex_lock(&lock);
	set_taken(team, team->nplaces, false);
	pthread_mutex_unlock(&lock);
}

/*
 * Fills a place that this thread has taken, here and in the memory that kernels read; nobody uses it yet. The
 * team's stage is npieces of the pool.
 */
static int fill_pieces(
	struct team *team, const struct gshmemi_team_shape *shape, unsigned first, unsigned npieces)
{
	struct gshmemi_sync image = {0}, *sync = &gshmemi_heap.sync[team - teams];
	char *stage = gshmemi_heap.stages + (size_t)first * GSHMEMI_STAGE_NBYTES;
	struct gshmemi_team_view *view = &team->view;
	void *members = NULL;
	int rc = 0;

	if (!is_regular(shape)) {
		rc = gshmemi_host_allocate(
			(size_t)shape->npes * sizeof *shape->pes, "members of a team", &members);
		if (rc)
			return rc;
		memcpy(members, shape->pes, (size_t)shape->npes * sizeof *shape->pes);
	}
	view->sync = sync;
	view->members = members; /* from now on close_place frees it */
	rc = gshmemi_team_describe_nodes(shape->pes, shape->npes, shape->my_pe, &team->nodes);
	if (rc)
		return rc;
	view->my_pe = shape->my_pe;
	view->npes = shape->npes;
	view->start = shape->pes[0];
	view->stride = shape->npes > 1 ? shape->pes[1] - shape->pes[0] : 0;
	team->config = shape->config;
	image.handle = (uintptr_t)handle_of(team);
	image.members = members;
	image.my_pe = view->my_pe;
	image.npes = view->npes;
	image.start = view->start;
	image.stride = view->stride;
	image.stage = (uint64_t *)(void *)stage;
	image.nflags = npieces * GSHMEMI_STAGE_NPES;
	image.npackets = npieces * GSHMEMI_STAGE_NPACKETS / (2 * (unsigned)shape->npes) & ~3U;
	image.nodes = team->nodes;
	image.scratch = gshmemi_team_find_scratch((unsigned)(team - teams));
	rc = gshmemi_devmem_copy(sync, &image, sizeof image, "the memory of a team");
	if (!rc)
		rc = gshmemi_devmem_fill(
			stage, 0, npieces * (size_t)GSHMEMI_STAGE_NBYTES, "the memory of a team");
	return rc;
}

/* Whether n places from place on exist and are free. Called with the lock held. */
static bool is_free(unsigned place, unsigned n)
{
	unsigned i;

	for (i = 0; i < n && place + i < nplaces && !teams[place + i].is_taken; i++)
		;
	return i == n;
}

/* ---- predefined teams ---- */

/*
 * Which PEs reach each other's memory may differ from PE to PE. So each PE joins the first group all of whose
 * PEs it reaches and that all reach it. can_reach is [npeers][npeers], and because it is the same on all PEs
 * of a machine, so is the outcome.
 */
static void find_shared(const bool *can_reach, struct gshmemi_team_shape *shape)
{
	const int n = gshmemi_job->npeers, me = gshmemi_job->rank;
	bool *is_grouped = calloc((size_t)n, sizeof *is_grouped), fits;
	int first, peer, i;

	if (!is_grouped)
		gshmemi_end(1); /* the other PEs cannot be told */
	for (first = 0; !is_grouped[me]; first++) {
		shape->npes = 0;
		for (peer = first; peer < n && !is_grouped[first]; peer++) {
			for (i = 0, fits = !is_grouped[peer]; fits && i < shape->npes; i++)
				fits = can_reach[peer * n + shape->pes[i]] &&
					can_reach[shape->pes[i] * n + peer];
			if (fits)
				shape->pes[shape->npes++] = peer;
		}
		for (i = 0; i < shape->npes; i++)
			is_grouped[shape->pes[i]] = true;
	}
	free(is_grouped);
	for (i = 0; i < shape->npes; i++)
		shape->pes[i] = gshmemi_job->peers[shape->pes[i]].pe;
}

/* The PEs with the same number among those of their node as this one. */
static void find_same_mype(struct gshmemi_team_shape *shape)
{
	int *nseen = calloc((size_t)gshmemi_job->nnodes, sizeof *nseen), pe, mine = 0;
	const uint16_t *nodes = gshmemi_job->nodes;

	if (!nseen)
		gshmemi_end(1); /* the other PEs cannot be told */
	for (pe = 0; pe < gshmemi_job->my_pe; pe++)
		mine += nodes[pe] == nodes[gshmemi_job->my_pe];
	for (pe = 0, shape->npes = 0; pe < gshmemi_job->npes; pe++)
		if (nseen[nodes[pe]]++ == mine)
			shape->pes[shape->npes++] = pe;
	free(nseen);
}

/* Opens a predefined team. These have the first pieces of the pool; *first_p is the next free one. */
static int open_predefined(unsigned which, struct gshmemi_team_shape *shape, int most, unsigned *first_p)
{
	const unsigned first = *first_p, npieces = gshmemi_heap_pieces(most);

	for (shape->my_pe = 0; shape->pes[shape->my_pe] != gshmemi_job->my_pe; shape->my_pe++)
		;
	set_taken(&teams[which], 1, true);
	*first_p += npieces;
	return fill_pieces(&teams[which], shape, first, npieces);
}

static size_t places_nbytes(unsigned n)
{
	return n * sizeof *teams;
}

static size_t reach_nbytes(int npeers)
{
	return (size_t)npeers * (size_t)npeers * sizeof(bool);
}

/*
 * Returns which PEs of this machine reach which by gshmem_ptr, [npeers][npeers]. *all_p becomes whether every
 * PE of the job has mapped all others, or the net is running.
 */
static bool *gather_reach(bool *all_p)
{
	const int n = gshmemi_job->npeers;
	bool *row = calloc((size_t)n, sizeof *row), *can_reach = malloc(reach_nbytes(n)), is_mapped;
	int i;

	if (!row || !can_reach)
		gshmemi_end(1); /* the other PEs are already in the exchange and cannot be told */
	*all_p = n == gshmemi_job->npes || gshmemi_net_is_running();
	for (i = 0; i < n; i++) {
		is_mapped = gshmemi_job->peers[i].is_mapped;
		row[i] = is_mapped && gshmemi_job->peers[i].is_local &&
			!gshmemi_env_carrier(gshmemi_job->my_pe, gshmemi_job->peers[i].pe);
		*all_p &= is_mapped || gshmemi_net_is_running();
	}
	gshmemi_bootstrap_allgather_node(row, can_reach, (size_t)n * sizeof *row);
	free(row);
	(void)gshmemi_bootstrap_agree(0, all_p);
	return can_reach;
}

int gshmemi_teams_open(void)
{
	const int npes = gshmemi_job->npes;
	struct gshmemi_team_shape shape = {.pes = calloc((size_t)npes, sizeof *shape.pes)};
	bool all_reach_all, *can_reach = gather_reach(&all_reach_all);
	unsigned first = 0;
	int i, rc;

	epoch++;
	nplaces = gshmemi_heap.nplaces;
	teams = calloc(1, places_nbytes(nplaces));
	if (!teams || !shape.pes)
		gshmemi_end(1); /* the other PEs are already in the next exchange and cannot be told */
	gshmemi_meet_open(all_reach_all);

	for (i = 0; i < npes; i++)
		shape.pes[shape.npes++] = i;
	rc = open_predefined(GSHMEMI_TEAM_WORLD, &shape, npes, &first);
	if (!rc && teams[GSHMEMI_TEAM_WORLD].nodes) /* the meetings of hosts go by nodes too */
		rc = gshmemi_devmem_copy(&gshmemi_heap.meeting->nodes, &teams[GSHMEMI_TEAM_WORLD].nodes,
			sizeof(struct gshmemi_team_nodes *), "where hosts meet");
	find_shared(can_reach, &shape);
	rc = rc ? rc : open_predefined(GSHMEMI_TEAM_SHARED, &shape, gshmemi_job->most, &first);
	for (i = 0, shape.npes = 0; i < gshmemi_job->npeers; i++)
		if (gshmemi_job->peers[i].is_local)
			shape.pes[shape.npes++] = gshmemi_job->peers[i].pe;
	rc = rc ? rc : open_predefined(GSHMEMI_TEAM_NODE, &shape, gshmemi_job->most, &first);
	find_same_mype(&shape);
	rc = rc ? rc : open_predefined(GSHMEMI_TEAM_SAME_MYPE_NODE, &shape, gshmemi_job->nnodes, &first);
	free(can_reach);
	free(shape.pes);
	return rc;
}

void gshmemi_teams_scale(struct gshmemi_scale *scale)
{
	unsigned n, npieces;

	gshmemi_heap_count_places(scale->npes, scale->npeers, gshmemi_scale_nnodes(scale), &n, &npieces);
	gshmemi_traffic_add(&scale->traffic, true, reach_nbytes(scale->npeers));
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "teams", places_nbytes(n));
	gshmemi_team_nodes_scale(scale);
	gshmemi_scale_add(
		scale, GSHMEMI_SCALE_INIT, "members_of_the_world", (size_t)scale->npes * sizeof(int32_t));
}

void gshmemi_teams_close(void)
{
	unsigned i;

	for (i = 0; i < nplaces; i++)
		if (teams[i].nplaces)
			close_place(&teams[i]);
	free(teams);
	teams = NULL;
	nplaces = 0;
}

/* ---- attributes ---- */

int gshmem_team_get_config(gshmem_team_t team, long config_mask, gshmem_team_config_t *config)
{
	struct team *found;

	if (team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	found = find_team(team, "gshmem_team_get_config");
	if (config_mask & GSHMEM_TEAM_NUM_CONTEXTS)
		config->num_contexts = found->config.num_contexts;
	return 0;
}

/* ---- places of teams that are created ---- */

int gshmemi_team_find_place(int from, int npes)
{
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = (unsigned)from; i < nplaces && !is_free(i, gshmemi_heap_pieces(npes)); i++)
		;
	pthread_mutex_unlock(&lock);
	return i < nplaces ? (int)i : -1;
}

void gshmemi_team_free_places(uint64_t *words)
{
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nplaces; i++)
		words[i / 64] |= (uint64_t)!teams[i].is_taken << i % 64;
	pthread_mutex_unlock(&lock);
}

bool gshmemi_team_take_place(int place, int npes)
{
	const unsigned n = gshmemi_heap_pieces(npes);
	bool is_mine;

	pthread_mutex_lock(&lock);
	is_mine = is_free((unsigned)place, n);
	if (is_mine)
		set_taken(&teams[place], n, true);
	pthread_mutex_unlock(&lock);
	if (is_mine)
		teams[place].ncreated++;
	return is_mine;
}

int gshmemi_team_fill_place(int place, const struct gshmemi_team_shape *shape)
{
	return fill_pieces(&teams[place], shape,
		gshmemi_heap.npredefined + (unsigned)place - GSHMEMI_NPREDEFINED, teams[place].nplaces);
}

void gshmemi_team_leave_place(int place)
{
	close_place(&teams[place]);
}

gshmem_team_t gshmemi_team_at(int place)
{
	return handle_of(&teams[place]);
}

unsigned gshmemi_teams_epoch(void)
{
	return epoch;
}

void gshmemi_team_report_full(int most, const char *call)
{
	unsigned i, nteams = 0, ntaken = 0;

	for (i = 0; i < nplaces; i++) {
		nteams += teams[i].nplaces != 0;
		ntaken += teams[i].is_taken;
	}
	if (gshmemi_heap_pieces(gshmemi_job->npes) == 1)
		gshmemi_error("%s: no place in the table of teams is free on all PEs: PE %d has %u teams, "
			      "including the predefined ones, of at most %u (GSHMEM_TEAMS)",
			call, gshmemi_state.my_pe, nteams, nplaces);
	else
		gshmemi_error("%s: a team of %d PEs takes %u consecutive places, which are not free on all "
			      "PEs: PE %d has %u teams, including the predefined ones, in %u places of %u "
			      "(GSHMEM_TEAMS)",
			call, most, gshmemi_heap_pieces(most), gshmemi_state.my_pe, nteams, ntaken, nplaces);
}

void gshmem_team_destroy(gshmem_team_t team)
{
	static const char call[] = "gshmem_team_destroy";
	const uint64_t no_handle = 0;
	struct team *found;

	GSHMEMI_ENTER_COLLECTIVE(call);
	if (team == GSHMEM_TEAM_INVALID)
		return;
	found = find_team(team, call);
	if (found - teams < GSHMEMI_NPREDEFINED) {
		gshmemi_error("%s: a predefined team cannot be destroyed", call);
		gshmemi_end(1);
	}
	gshmemi_contexts_destroy(team);
	/* because a late flag would count for the next team at this place */
	gshmemi_host_quiet(GSHMEMI_CTX_LIBRARY, NULL, 0, call);
	if (gshmemi_net_is_running())
		gshmemi_net_complete(GSHMEMI_ENGINE_FLAGS, NULL, 0);
	(void)gshmemi_host_team_sync(team, call);
	gshmemi_devmem_store(&found->view.sync->handle, &no_handle, sizeof no_handle, call);
	gshmemi_devmem_complete(call);
	close_place(found);
}
