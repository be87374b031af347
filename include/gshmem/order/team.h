/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams: what a handle stands for in a kernel, and which PEs a team has. The host's side is src/team/.
 *
 * A handle is a number in place of a pointer: the place of the team's sync block, counted from 1, and
 * above it how many teams have been made at this place, so that the handle of a destroyed team is not that
 * of the next one.
 */
#ifndef GSHMEM_TEAM_H
#define GSHMEM_TEAM_H

#include <gshmem/move/slow.h>

#define GSHMEMI_TEAM_INDEX_BITS 16

/* A team as its collective calls see it: what the handle stands for, in registers. */
struct gshmemi_team_view {
	struct gshmemi_sync *sync;
	const int32_t *members; /* this and the rest as in struct gshmemi_sync */
	int32_t my_pe, npes, start, stride;
};

GSHMEMI_FN struct gshmemi_team_view gshmemi_team_world(void)
{
	struct gshmemi_team_view world = {
		gshmemi_state.sync, NULL, gshmemi_state.my_pe, gshmemi_state.npes, 0, 1};

	return world;
}

/* Translates a team's PE to one of the world. */
GSHMEMI_FN int gshmemi_team_to_world(const struct gshmemi_team_view *team, int pe)
{
	return team->members ? team->members[pe] : team->start + pe * team->stride;
}

GSHMEMI_FN uint64_t gshmemi_team_index(gshmem_team_t team)
{
	return ((uint64_t)(uintptr_t)team & ((1U << GSHMEMI_TEAM_INDEX_BITS) - 1)) - 1;
}

/* Checks a handle that is not GSHMEM_TEAM_INVALID. */
GSHMEMI_COLD void gshmemi_check_team_at(gshmem_team_t team, const char *call, uint64_t caller)
{
	const int is_unset = (gshmemi_state.why & GSHMEMI_WHY_UNSET) != 0;
	const uint64_t handle = (uint64_t)(uintptr_t)team, index = gshmemi_team_index(team);

	/* One call for both faults: clang 15 cannot compile two for AMD GPUs here. */
	if (is_unset || index >= gshmemi_state.nteams || gshmemi_state.sync[index].handle != handle)
		gshmemi_fault_raise(is_unset ? GSHMEMI_FAULT_NOT_INITIALIZED : GSHMEMI_FAULT_BAD_TEAM, -1,
			NULL, 0, handle, 0, call, caller);
}

/* The view of the PEs that meet at a sync block. */
GSHMEMI_FN struct gshmemi_team_view gshmemi_team_view_of(struct gshmemi_sync *sync)
{
	struct gshmemi_team_view view;

	view.sync = sync;
	view.members = sync->members;
	view.my_pe = sync->my_pe;
	view.npes = sync->npes;
	view.start = sync->start;
	view.stride = sync->stride;
	return view;
}

GSHMEMI_FN struct gshmemi_team_view gshmemi_team_of(gshmem_team_t team, const char *call)
{
	if (gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_check_team_at(team, call, gshmemi_arch_caller());
	return gshmemi_team_view_of(&gshmemi_state.sync[gshmemi_team_index(team)]);
}

/* Translates a PE of the world to one of the team; -1: it is no member. */
GSHMEMI_FN int gshmemi_team_from_world(const struct gshmemi_team_view *team, int world_pe)
{
	int pe;

	for (pe = 0; team->members && pe < team->npes; pe++)
		if (team->members[pe] == world_pe)
			return pe;
	if (team->members || !team->stride)
		return !team->members && world_pe == team->start ? 0 : -1;
	pe = (world_pe - team->start) / team->stride;
	return pe >= 0 && pe < team->npes && team->start + pe * team->stride == world_pe ? pe : -1;
}

GSHMEMI_FN int gshmemi_team_translate(
	const struct gshmemi_team_view *from, int pe, const struct gshmemi_team_view *to)
{
	return pe >= 0 && pe < from->npes ? gshmemi_team_from_world(to, gshmemi_team_to_world(from, pe)) : -1;
}

#endif /* GSHMEM_TEAM_H */
