/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's calls that ask a team about its PEs, and the barrier of a team, for the API and for host
 * units of it.
 */
#include "team/team.h"

#include <gshmem/order/team.h>

/* ---- queries ---- */

int gshmemi_host_team_number(gshmem_team_t team, int wants_my_pe)
{
	const struct gshmemi_team_view *view;

	if (team == GSHMEM_TEAM_INVALID)
		return -1;
	view = gshmemi_team_find(team, wants_my_pe ? "gshmem_team_my_pe" : "gshmem_team_n_pes");
	return wants_my_pe ? view->my_pe : view->npes;
}

int gshmemi_host_team_translate_pe(gshmem_team_t src_team, int src_pe, gshmem_team_t dest_team)
{
	static const char call[] = "gshmem_team_translate_pe";

	if (src_team == GSHMEM_TEAM_INVALID || dest_team == GSHMEM_TEAM_INVALID)
		return -1;
	return gshmemi_team_translate(
		gshmemi_team_find(src_team, call), src_pe, gshmemi_team_find(dest_team, call));
}

void *gshmemi_host_team_ptr(gshmem_team_t team, const void *dest, int pe)
{
	const struct gshmemi_team_view *view;

	if (team == GSHMEM_TEAM_INVALID)
		return NULL;
	view = gshmemi_team_find(team, "gshmem_team_ptr");
	return pe >= 0 && pe < view->npes ? gshmemi_host_ptr(dest, gshmemi_team_to_world(view, pe)) : NULL;
}

int gshmem_team_my_pe(gshmem_team_t team)
{
	return gshmemi_host_team_number(team, 1);
}

int gshmem_team_n_pes(gshmem_team_t team)
{
	return gshmemi_host_team_number(team, 0);
}

int gshmem_team_translate_pe(gshmem_team_t src_team, int src_pe, gshmem_team_t dest_team)
{
	return gshmemi_host_team_translate_pe(src_team, src_pe, dest_team);
}

void *gshmem_team_ptr(gshmem_team_t team, const void *dest, int pe)
{
	return gshmemi_host_team_ptr(team, dest, pe);
}

/* ---- the barrier ---- */

int gshmemi_host_team_sync(gshmem_team_t team, const char *call)
{
	const struct gshmemi_team_view *view;

	GSHMEMI_ENTER_COLLECTIVE(call);
	if (team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	view = gshmemi_team_find(team, call);
	gshmemi_host_fence(0, call);
	gshmemi_sync_host_team(view, NULL, call);
	return 0;
}

int gshmem_team_sync(gshmem_team_t team)
{
	return gshmemi_host_team_sync(team, "gshmem_team_sync");
}
