/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order and barriers: fence, quiet, sync_all, barrier_all, team_sync; and the queries that kernels make.
 */
#ifndef GSHMEM_SYNC_H
#define GSHMEM_SYNC_H

#include <gshmem/rpc/rpc.h>
#include <gshmem/order/team.h>
#include <gshmem/wait/wait.h>

/* Of what a context has open; context is as in gshmemi_pe_context, a constant 0 where a call has none. */
GSHMEMI_FN void gshmemi_fence(int scope, int context, const char *call)
{
	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_fence(context, call);
		return;
	}
	gshmemi_arch_fence_release();
	if (gshmemi_is_slow(GSHMEMI_SLOW_ORDER)) {
		gshmemi_slow_fence(scope, context, call);
		if (!context)
			gshmemi_rpc_complete_here(call, gshmemi_arch_caller());
	}
	if (scope != GSHMEMI_THREAD)
		(void)gshmemi_group_enter(scope, 0);
}

/* What quiet completes besides what a fence does: operations that are delivered late, posted calls. */
GSHMEMI_FN void gshmemi_complete(int context, const int *target_pes, size_t npes, const char *call)
{
	if (gshmemi_is_slow(target_pes ? GSHMEMI_SLOW_ORDER | GSHMEMI_SLOW_UNSET | GSHMEMI_SLOW_CHECK : GSHMEMI_SLOW_ORDER)) {
		gshmemi_slow_quiet(context, target_pes, npes, call);
		if (!context)
			gshmemi_rpc_complete_here(call, gshmemi_arch_caller());
	}
}

/* target_pes NULL: all. Only delayed delivery can complete the operations to some PEs alone. */
GSHMEMI_FN void gshmemi_quiet(int scope, int context, const int *target_pes, size_t npes, const char *call)
{
	struct gshmemi_group group;

	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_quiet(context, target_pes, npes, call);
		return;
	}
	gshmemi_complete(context, target_pes, npes, call);
	if (!GSHMEMI_ELECTS(scope)) {
		gshmemi_arch_fence_system();
		if (scope != GSHMEMI_THREAD)
			(void)gshmemi_group_enter(scope, 0);
	} else if (gshmemi_group_begin(&group, scope, 0)) {
		gshmemi_arch_fence_system();
		gshmemi_group_end(&group);
	}
}

/* Tell the PE at this distance ahead that this one has arrived in this round. */
GSHMEMI_FN void gshmemi_sync_tell(uint64_t *flag, uint64_t epoch, int pe, const char *call)
{
	void *peer_flag;

	if (!gshmemi_peer_ptr(gshmemi_tables()->sync_delta, flag, pe, &peer_flag))
		peer_flag = gshmemi_slow_find(GSHMEMI_FIND_SYNC, flag, flag, sizeof *flag, sizeof *flag, pe, call);
	gshmemi_arch_store(peer_flag, epoch, 8);
}

/*
 * Dissemination by one thread; see struct gshmemi_sync. A flag may already hold the next epoch: a peer that is ahead
 * has seen this PE arrive, so "at least" is right. The release pairs with the acquire of the peer's gshmemi_wait,
 * and carries over what earlier rounds acquired.
 *
 * nwords is a constant. Afterwards words[] hold the bitwise AND of those of all PEs: what is combined twice, because the
 * ranges of PEs that rounds cover may overlap, changes nothing.
 */
GSHMEMI_FN void gshmemi_disseminate(const struct gshmemi_team_view *team, uint64_t *words, int nwords, const char *call)
{
	struct gshmemi_sync *sync = team->sync;
	const int npes = team->npes, me = team->my_pe;
	const uint64_t epoch = sync->epoch + 1;
	int distance, round, i, k, ahead, behind;

	sync->epoch = epoch;
	for (distance = 1, round = 0; distance < npes; distance *= GSHMEMI_SYNC_RADIX, round++) {
		for (i = 1; nwords && i < GSHMEMI_SYNC_RADIX && i * distance < npes; i++) {
			ahead = me + i * distance < npes ? me + i * distance : me + i * distance - npes;
			for (k = 0; k < nwords; k++)
				gshmemi_sync_tell(&sync->word[epoch & 1][round][i][k], words[k],
						  gshmemi_team_to_world(team, ahead), call);
		}
		gshmemi_arch_fence_release();
		for (i = 1; i < GSHMEMI_SYNC_RADIX && i * distance < npes; i++) {
			ahead = me + i * distance < npes ? me + i * distance : me + i * distance - npes;
			gshmemi_sync_tell(&sync->flag[round][i], epoch, gshmemi_team_to_world(team, ahead), call);
		}
		for (i = 1; i < GSHMEMI_SYNC_RADIX && i * distance < npes; i++) {
			behind = me - i * distance >= 0 ? me - i * distance : me - i * distance + npes;
			gshmemi_wait(&sync->flag[round][i], 8, 0, GSHMEM_CMP_GE, epoch,
				     gshmemi_team_to_world(team, behind), call);
			for (k = 0; k < nwords; k++)
				words[k] &= gshmemi_arch_load(&sync->word[epoch & 1][round][i][k], 8);
		}
	}
}

/*
 * GSHMEM_CHECK: one collective of a team at a time on a PE: a second caller, most often another work-group of the grid, finds
 * that the first has claimed the team. By one thread of the group; released by the same one before the group parts, so that
 * calls one after the other, by whomever, are not taken for two at once.
 */
GSHMEMI_SLOW void gshmemi_team_claim_at(uint64_t *claim, const char *call, uint64_t caller)
{
	const uint64_t me = GSHMEMI_ARCH_IN_KERNEL ? gshmemi_arch_caller_block(caller) + 1 : UINT64_MAX;
	const uint64_t found = gshmemi_arch_amo64(GSHMEMI_AMO_CAS, claim, me, 0);

	if (found)
		gshmemi_fault_raise(GSHMEMI_FAULT_CONCURRENT, -1, NULL, 0, found, 0, call, caller);
}

GSHMEMI_FN void gshmemi_team_claim(const struct gshmemi_team_view *team, const char *call)
{
	if (gshmemi_is_slow(GSHMEMI_SLOW_CHECK))
		gshmemi_team_claim_at(&team->sync->claim, call, gshmemi_arch_caller());
}

GSHMEMI_FN void gshmemi_team_release(const struct gshmemi_team_view *team)
{
	if (gshmemi_is_slow(GSHMEMI_SLOW_CHECK))
		gshmemi_arch_store(&team->sync->claim, 0, 8);
}

/* The barrier of one thread, which may carry words. */
GSHMEMI_FN void gshmemi_sync_one(const struct gshmemi_team_view *team, uint64_t *words, int nwords, const char *call)
{
	gshmemi_team_claim(team, call);
	gshmemi_disseminate(team, words, nwords, call);
	gshmemi_team_release(team);
}

/*
 * The barrier of a team by the threads of scope, a constant; on the direct path of a kernel. quiet, a constant: a
 * thread that works for all makes the fence of their quiet.
 */
GSHMEMI_FN void gshmemi_sync_team(int scope, const struct gshmemi_team_view *team, int quiet, const char *call)
{
	struct gshmemi_group group;

	if (scope == GSHMEMI_THREAD) {
		gshmemi_sync_one(team, NULL, 0, call);
		return;
	}
	gshmemi_check_group(scope, call);
	gshmemi_arch_fence_release(); /* every wave's own: the leader's does not cover them */
	if (gshmemi_group_begin(&group, scope, GSHMEMI_KEY(team->sync, team->sync))) {
		if (GSHMEMI_ELECTS(scope) && quiet)
			gshmemi_arch_fence_system();
		if (group.rank == 0)
			gshmemi_sync_one(team, NULL, 0, call);
		gshmemi_group_end(&group);
	}
	gshmemi_arch_fence_acquire();
}

/* quiet is a constant: whether the threads' operations are completed first. */
GSHMEMI_FN void gshmemi_sync_all(int scope, int quiet, const char *call)
{
	struct gshmemi_team_view world;

	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_sync_all(quiet, call);
		return;
	}
	GSHMEMI_ENTER_COLLECTIVE(call);
	if (quiet) {
		gshmemi_complete(0, NULL, 0, call);
		if (!GSHMEMI_ELECTS(scope))
			gshmemi_arch_fence_system();
	} else if (gshmemi_is_slow(GSHMEMI_SLOW_UNSET)) {
		gshmemi_slow_fence(scope, 0, call);
	}
	world = gshmemi_team_world();
	gshmemi_sync_team(scope, &world, quiet, call);
}

/* ---- the API ---- */

#ifndef GSHMEMI_BODIES /* by a file of the library that exports other calls */

GSHMEM_API void gshmem_fence(void)
{
	gshmemi_fence(GSHMEMI_THREAD, 0, "gshmem_fence");
}

GSHMEM_API void gshmem_quiet(void)
{
	gshmemi_quiet(GSHMEMI_THREAD, 0, NULL, 0, "gshmem_quiet");
}

GSHMEM_API void gshmem_pe_quiet(const int *target_pes, size_t npes)
{
	if (npes)
		gshmemi_quiet(GSHMEMI_THREAD, 0, target_pes, npes, "gshmem_pe_quiet");
}

GSHMEM_API void gshmem_sync_all(void)
{
	gshmemi_sync_all(GSHMEMI_THREAD, 0, "gshmem_sync_all");
}

GSHMEM_API void gshmem_barrier_all(void)
{
	gshmemi_sync_all(GSHMEMI_THREAD, 1, "gshmem_barrier_all");
}

#define GSHMEMI_DEFINE(SUFFIX, SCOPE) \
	GSHMEM_API void gshmemx_fence_##SUFFIX(void) \
	{ \
		gshmemi_fence(SCOPE, 0, "gshmemx_fence_" #SUFFIX); \
	} \
	GSHMEM_API void gshmemx_quiet_##SUFFIX(void) \
	{ \
		gshmemi_quiet(SCOPE, 0, NULL, 0, "gshmemx_quiet_" #SUFFIX); \
	} \
	GSHMEM_API void gshmemx_sync_all_##SUFFIX(void) \
	{ \
		gshmemi_sync_all(SCOPE, 0, "gshmemx_sync_all_" #SUFFIX); \
	} \
	GSHMEM_API void gshmemx_barrier_all_##SUFFIX(void) \
	{ \
		gshmemi_sync_all(SCOPE, 1, "gshmemx_barrier_all_" #SUFFIX); \
	}
GSHMEMI_DEFINE(wave, GSHMEMI_WAVE)
GSHMEMI_DEFINE(wg, GSHMEMI_WG)
#undef GSHMEMI_DEFINE

#if GSHMEMI_KERNELS

/* On the host the rest is src/team/team.c and query.c. */

/* 0, or -EINVAL for GSHMEM_TEAM_INVALID. */
GSHMEMI_FN int gshmemi_team_sync(int scope, gshmem_team_t team, const char *call)
{
	struct gshmemi_team_view view;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_team_sync(team, call);
	gshmemi_check_args(scope, GSHMEMI_ARGS_TEAM, (uintptr_t)team, 0, 0, 0, call);
	if (team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	view = gshmemi_team_of(team, call);
	gshmemi_sync_team(scope, &view, 0, call);
	return 0;
}

GSHMEM_API int gshmem_team_sync(gshmem_team_t team)
{
	return gshmemi_team_sync(GSHMEMI_THREAD, team, "gshmem_team_sync");
}

GSHMEM_API int gshmemx_team_sync_wave(gshmem_team_t team)
{
	return gshmemi_team_sync(GSHMEMI_WAVE, team, "gshmemx_team_sync_wave");
}

GSHMEM_API int gshmemx_team_sync_wg(gshmem_team_t team)
{
	return gshmemi_team_sync(GSHMEMI_WG, team, "gshmemx_team_sync_wg");
}

GSHMEM_API int gshmem_my_pe(void)
{
	return GSHMEMI_ON_HOST() ? gshmemi_host_my_pe() : gshmemi_my_place().my_pe;
}

GSHMEM_API int gshmem_n_pes(void)
{
	return GSHMEMI_ON_HOST() ? gshmemi_host_n_pes() : gshmemi_my_place().npes;
}

GSHMEM_API void *gshmem_ptr(const void *dest, int pe)
{
	ptrdiff_t delta;
	int npes;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_ptr(dest, pe);
	npes = gshmemi_my_place().npes;
	if (((uintptr_t)dest - (uintptr_t)gshmemi_state.heap >= gshmemi_state.heap_nbytes &&
	     !GSHMEMI_ARCH_IS_GLOBAL(dest, 1)) || pe < 0 || pe >= npes)
		return NULL;
	delta = gshmemi_state.regions[GSHMEMI_REGION_HEAP].delta[pe];
	return delta == GSHMEMI_SENTINEL ? NULL : (char *)(uintptr_t)dest + delta;
}

GSHMEM_API int gshmem_team_my_pe(gshmem_team_t team)
{
	if (GSHMEMI_ON_HOST())
		return gshmemi_host_team_my_pe(team);
	return team == GSHMEM_TEAM_INVALID ? -1 : gshmemi_team_of(team, "gshmem_team_my_pe").my_pe;
}

GSHMEM_API int gshmem_team_n_pes(gshmem_team_t team)
{
	if (GSHMEMI_ON_HOST())
		return gshmemi_host_team_n_pes(team);
	return team == GSHMEM_TEAM_INVALID ? -1 : gshmemi_team_of(team, "gshmem_team_n_pes").npes;
}

GSHMEM_API int gshmem_team_translate_pe(gshmem_team_t src_team, int src_pe, gshmem_team_t dest_team)
{
	struct gshmemi_team_view from, to;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_team_translate_pe(src_team, src_pe, dest_team);
	if (src_team == GSHMEM_TEAM_INVALID || dest_team == GSHMEM_TEAM_INVALID)
		return -1;
	from = gshmemi_team_of(src_team, "gshmem_team_translate_pe");
	to = gshmemi_team_of(dest_team, "gshmem_team_translate_pe");
	return gshmemi_team_translate(&from, src_pe, &to);
}

GSHMEM_API void *gshmem_team_ptr(gshmem_team_t team, const void *dest, int pe)
{
	struct gshmemi_team_view view;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_team_ptr(team, dest, pe);
	if (team == GSHMEM_TEAM_INVALID)
		return NULL;
	view = gshmemi_team_of(team, "gshmem_team_ptr");
	return pe >= 0 && pe < view.npes ? gshmem_ptr(dest, gshmemi_team_to_world(&view, pe)) : NULL;
}

#endif /* GSHMEMI_KERNELS */

#endif /* GSHMEMI_BODIES */

#endif /* GSHMEM_SYNC_H */
