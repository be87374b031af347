/* SPDX-License-Identifier: BSD-3-Clause */
/* What PEs do together: teams, contexts, and the meetings of all hosts. */
#ifndef GSHMEMI_TEAM_TEAM_H
#define GSHMEMI_TEAM_TEAM_H

#include "base/base.h"
#include "mpi/mpi.h"

/* ---- teams ---- */

struct gshmemi_team_view;

/* Opens the predefined teams, by who has mapped whom. Collective; an error is this PE's own. */
int gshmemi_teams_open(void);
void gshmemi_teams_close(void);
struct gshmemi_scale;
void gshmemi_teams_scale(struct gshmemi_scale *scale);

/* Finds the team of a handle other than GSHMEM_TEAM_INVALID; a bad handle ends the job. */
const struct gshmemi_team_view *gshmemi_team_find(gshmem_team_t team, const char *call);

/* Whether a team still exists. */
bool gshmemi_team_exists(gshmem_team_t team);

/*
 * Returns the nodes of the team that has this sync, or of all PEs if it is the sync of meetings; NULL:
 * on one node.
 */
struct gshmemi_sync;
struct gshmemi_team_nodes;
const struct gshmemi_team_nodes *gshmemi_team_find_nodes(const struct gshmemi_sync *sync);

/*
 * nodes.c: sorts the PEs of a team by their nodes. pes: [npes], world PE numbers; my_pe: this PE's number in
 * the team. The caller frees *nodes_p with gshmemi_host_free. If all PEs of the team are on one node,
 * *nodes_p does not change.
 */
int gshmemi_team_describe_nodes(const int32_t *pes, int npes, int my_pe, struct gshmemi_team_nodes **nodes_p);
void gshmemi_team_nodes_scale(struct gshmemi_scale *scale);

/* nodes.c: returns the scratch of the team at this place; NULL: it has none. */
char *gshmemi_team_find_scratch(unsigned place);

/* ---- making teams ---- */

/* The members of a team to be made. */
struct gshmemi_team_shape {
	int32_t *pes; /* [npes]: world PE numbers, in the order of the team */
	int npes;
	int most;  /* size of the largest team made in the same split: all take as many places */
	int my_pe; /* -1: this PE is not a member */
	gshmem_team_config_t config;
};

/*
 * Places of teams that are created. Find the lowest place from `from` on that is free here, -1: none; set the
 * bit of each free place; take the places of a team of npes PEs, false: one is already taken; fill a taken
 * place that nobody uses yet, here and in the memory that kernels read; leave it again; return the handle of
 * the team there; say that no place is free on all PEs.
 */
int gshmemi_team_find_place(int from, int npes);
void gshmemi_team_free_places(uint64_t *words);
bool gshmemi_team_take_place(int place, int npes);
int gshmemi_team_fill_place(int place, const struct gshmemi_team_shape *shape);
void gshmemi_team_leave_place(int place);
gshmem_team_t gshmemi_team_at(int place);
void gshmemi_team_report_full(int most, const char *call);

/*
 * split.c: hash a list of PEs, or other arguments; read a configuration; check that pes[npes] are different
 * PEs of a team of nparent, the first fault in which is printed if this PE `tells`; list the members of a
 * team, PEs of the parent.
 */
uint64_t gshmemi_team_hash(const int *words, int n);
int gshmemi_team_read_config(
	const gshmem_team_config_t *config, long mask, gshmem_team_config_t *config_p, const char *call);
int gshmemi_team_check_pes(const int *pes, int npes, int nparent, bool tells, const char *call);
int gshmemi_team_make_shape(
	const struct gshmemi_team_view *parent, const int *pes, int npes, struct gshmemi_team_shape *shape);

/*
 * members.c: makes a team of these PEs of the world, which they alone ask for. The list has been checked, and
 * is the same on all of them. tag tells calls of the same members apart that may be made at the same time;
 * those of programs have no high bits. local is an error of this PE. Returns 0 on all PEs, or an error on
 * all.
 */
#define GSHMEMI_TAG_MPI        (1ULL << 62) /* of windows; of communicators with a number added */
#define GSHMEMI_TAG_ACTIVE_SET (2ULL << 62)
int gshmemi_team_make_by_members(const int *pes, int npes, const gshmem_team_config_t *config, uint64_t tag,
	int local, const char *call, gshmem_team_t *new_team);

/*
 * mpi.c: the same for the processes of a group, in a job that MPI started; and whether it did, because else
 * nobody knows which PE an MPI process is. instead: what the message says to use.
 */
int gshmemi_team_make_of_group(gshmemi_mpi_group_t group, uint64_t tag, const gshmem_team_config_t *config,
	int local, const char *call, gshmem_team_t *new_team);

int gshmemi_team_check_mpi(const char *instead, const char *call);

unsigned gshmemi_teams_epoch(void); /* a number that changes with each init */

/*
 * sync.c: the barrier of a team. words, unless NULL, are GSHMEMI_SYNC_WORDS words, which become the
 * bitwise AND of those of all PEs.
 */
void gshmemi_sync_host_team(const struct gshmemi_team_view *team, uint64_t *words, const char *call);

/* ---- contexts ---- */

int gshmemi_contexts_open(void);
void gshmemi_contexts_close(void);
void gshmemi_contexts_scale(struct gshmemi_scale *scale);
const struct gshmemi_context *gshmemi_contexts_table(void);

/* Destroys the contexts of a team that is being destroyed. */
void gshmemi_contexts_destroy(gshmem_team_t team);

/* ---- meetings: collective calls of all PEs' hosts, from the end of init to finalize ---- */

enum gshmemi_meet_call {
	GSHMEMI_MEET_MALLOC,
	GSHMEMI_MEET_CALLOC,
	GSHMEMI_MEET_ALIGN,
	GSHMEMI_MEET_REALLOC,
	GSHMEMI_MEET_MALLOC_WITH_HINTS,
	GSHMEMI_MEET_FREE,
	GSHMEMI_MEET_LAUNCH,
	GSHMEMI_MEET_INIT,
	GSHMEMI_MEET_FINALIZE
};
const char *gshmemi_meet_name(enum gshmemi_meet_call call);

/*
 * A collective call as one PE makes it. It succeeds if the requests of all PEs are equal and every rc is 0.
 */
struct gshmemi_request {
	enum gshmemi_meet_call call;
	uint64_t nbytes; /* 0 if the call has none */
	uint64_t extra;  /* any other argument, as the call encodes it */
	int rc;          /* a negative errno: this PE found an error, and its log holds the message */
};

/* Prints how the request of PE 0 differs from that of pe, which made the same call. Runs on PE 0. */
typedef void gshmemi_meet_describe(
	const struct gshmemi_request *first, const struct gshmemi_request *other, int pe);

/*
 * A barrier of all PEs that compares their requests. Returns 0 on all PEs, or the same error on all: that
 * of the lowest PE with one, which prints its held message; or -EINVAL after PE 0 has printed what
 * differs. describe may be NULL for calls without arguments. Releases the log. The caller must have
 * completed its operations.
 */
int gshmemi_meet(const struct gshmemi_request *mine, gshmemi_meet_describe *describe);

/* Called in init with the same argument on all PEs: whether every PE can reach the memory of every other. */
void gshmemi_meet_open(bool all_reach_all);

#endif /* GSHMEMI_TEAM_TEAM_H */
