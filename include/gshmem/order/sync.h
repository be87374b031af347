/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order and barriers: fence, quiet, sync_all, barrier_all, team_sync; and the queries of kernels.
 */
#ifndef GSHMEM_SYNC_H
#define GSHMEM_SYNC_H

#include <gshmem/rpc/net.h>
#include <gshmem/order/team.h>
#include <gshmem/wait/wait.h>

/*
 * Reasons for fence and quiet to leave the direct path, besides operations that carriers hold. Where hardware
 * delivers, posted calls are the only one.
 */
#if GSHMEMI_ARCH_HAS_DELIVERY
#define GSHMEMI_WHY_ORDER (GSHMEMI_WHY_POSTS | GSHMEMI_WHY_UNSET)
#else
#define GSHMEMI_WHY_ORDER (GSHMEMI_ARCH_HAS_POSTS() ? GSHMEMI_WHY_POSTS : 0)
#endif

/*
 * Complete posted calls, which belong to the default context. On the host also hand over what kernels have
 * posted for the net, in any context.
 */
GSHMEMI_FN void gshmemi_complete_posts(int context, const char *call)
{
#ifdef GSHMEMI_LIBRARY
	if (gshmemi_is_slow(GSHMEMI_WHY_OPEN))
		gshmemi_rpc_host_hand_over();
#endif
	if (gshmemi_is_slow(GSHMEMI_WHY_ORDER)) {
		gshmemi_slow_unset_at(call, gshmemi_arch_caller());
		if (!context)
			gshmemi_rpc_complete_here(call, gshmemi_arch_caller());
	}
}

/*
 * Whether threads of scope may have to wait for operations that they have open. The lanes of a wave must
 * agree, but GSHMEMI_WHY_ASKED may change between the looks of two lanes, so a wave asks only whether there
 * is a net.
 */
GSHMEMI_FN int gshmemi_may_wait(int scope)
{
	return gshmemi_is_slow(
		GSHMEMI_WHY_ORDER | GSHMEMI_WHY_LATE | (scope == GSHMEMI_WAVE ? GSHMEMI_WHY_CARRIES : 0U));
}

/*
 * parts returns the lanes of a wave before each of them waits for what it has open, or 0 if none may have to;
 * joins brings them together again. On NVIDIA lanes that waited apart may stay apart, and each part would do
 * what the wave does once.
 */
GSHMEMI_FN uint64_t gshmemi_wave_parts(int scope)
{
	return scope == GSHMEMI_WAVE && gshmemi_may_wait(scope) ? gshmemi_arch_wave_enter(0) : 0;
}

GSHMEMI_FN void gshmemi_wave_joins(int scope, uint64_t lanes)
{
	if (scope == GSHMEMI_WAVE && lanes)
		gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
}

/*
 * Orders the operations of a context. context is as in gshmemi_pe_context: a constant 0 for
 * calls without one.
 */
GSHMEMI_FN void gshmemi_fence(int scope, int context, const char *call)
{
	uint64_t lanes;

	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_fence(context, call);
		return;
	}
	lanes = gshmemi_wave_parts(scope);
	gshmemi_complete_posts(context, call);
	gshmemi_order(scope, context);
	gshmemi_wave_joins(scope, lanes);
	if (scope != GSHMEMI_THREAD)
		(void)gshmemi_group_enter(scope, 0);
}

/* Completes what quiet covers besides the callers' stores. target_pes NULL: operations on all PEs. */
GSHMEMI_FN void gshmemi_complete_others(
	int scope, int context, const int *target_pes, size_t npes, const char *call)
{
	uint64_t lanes;

	if (!target_pes && !gshmemi_may_wait(scope)) /* one test for all reasons */
		return;
	lanes = gshmemi_wave_parts(scope);
	gshmemi_complete_posts(context, call);
	if (target_pes && gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_slow_pes_at(target_pes, npes, call, gshmemi_arch_caller());
	gshmemi_carry_complete(context, target_pes, npes);
	gshmemi_wave_joins(scope, lanes);
}

/* target_pes NULL: all PEs. Only a carrier can complete the operations on some PEs alone. */
GSHMEMI_FN void gshmemi_quiet(int scope, int context, const int *target_pes, size_t npes, const char *call)
{
	const uint64_t open = gshmemi_record_call(scope, 0, call);
	struct gshmemi_group group;

	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_quiet(context, target_pes, npes, call);
		return;
	}
	gshmemi_complete_others(scope, context, target_pes, npes, call);
	if (!GSHMEMI_ELECTS(scope)) {
		gshmemi_arch_fence_system();
		if (scope != GSHMEMI_THREAD)
			(void)gshmemi_group_enter(scope, 0);
	} else if (gshmemi_group_begin(&group, scope, 0)) {
		gshmemi_arch_fence_system();
		gshmemi_group_end(&group);
	}
	gshmemi_record_call_end(scope, open);
}

/* ---- barriers ---- */

/*
 * Write a word of the sync region on a PE of the world: raise a flag or a packet, or put a word whatever
 * it was. The write is ordered after nothing: call gshmemi_complete first. Carriers keep it in the
 * library's own context.
 */
GSHMEMI_FN void gshmemi_sync_write(int what, uint64_t *word, uint64_t value, int pe, const char *call)
{
	const uint64_t open =
		gshmemi_record(GSHMEMI_THREAD, GSHMEMI_FLAG, GSHMEMI_REGION_SYNC, 0, 0, 8, pe, call);
	void *peer;

	if (GSHMEMI_ON_HOST())
		gshmemi_host_sync_write(what, word, value, pe, call);
	else if (gshmemi_peer_ptr(gshmemi_tables()->sync_delta, word, pe, &peer))
		gshmemi_arch_store(peer, value, 8);
	else
		(void)gshmemi_slow_at(gshmemi_slow_what(what, GSHMEMI_THREAD, 8, 0, GSHMEMI_REGION_SYNC),
			word, value, 0, gshmemi_pe_with_context(pe, GSHMEMI_CTX_LIBRARY), call);
	gshmemi_record_end(GSHMEMI_THREAD, open);
}

GSHMEMI_FN void gshmemi_sync_tell(uint64_t *flag, uint64_t value, int pe, const char *call)
{
	gshmemi_sync_write(GSHMEMI_FLAG, flag, value, pe, call);
}

/*
 * How the barrier's thread reads and writes its own struct gshmemi_sync, and completes the words it has sent.
 * Where the CPU cannot reach device memory, src/team/sync.c has other functions for this.
 */
#ifndef GSHMEMI_SYNC_OWN
#define GSHMEMI_SYNC_OWN(name, ...) gshmemi_sync_##name(__VA_ARGS__)

GSHMEMI_FN void gshmemi_sync_complete(const char *call)
{
	(void)call;
	gshmemi_complete(GSHMEMI_CTX_LIBRARY);
}

GSHMEMI_FN uint64_t gshmemi_sync_load(const uint64_t *word, const char *call)
{
	(void)call;
	return gshmemi_arch_load(word, 8);
}

GSHMEMI_FN void gshmemi_sync_store(uint64_t *word, uint64_t value, const char *call)
{
	(void)call;
	gshmemi_arch_store(word, value, 8);
}

GSHMEMI_FN const struct gshmemi_team_nodes *gshmemi_sync_nodes(
	const struct gshmemi_sync *sync, const char *call)
{
	(void)call;
	return sync->nodes;
}

/* Waits until each flags[i], of the PE i * distance behind this one, is at epoch. */
GSHMEMI_FN void gshmemi_sync_await(const struct gshmemi_team_view *team, const uint64_t *flags,
	uint64_t epoch, int distance, const char *call)
{
	int i, behind;

	for (i = 1; i < GSHMEMI_SYNC_RADIX && i * distance < team->npes; i++) {
		behind = team->my_pe - i * distance >= 0 ? team->my_pe - i * distance
							 : team->my_pe - i * distance + team->npes;
		gshmemi_wait(
			&flags[i], 8, 0, GSHMEM_CMP_GE, epoch, gshmemi_team_to_world(team, behind), call);
	}
}

/* words[] becomes the AND of itself and of row[1 .. n-1]. */
GSHMEMI_FN void gshmemi_sync_combine(
	uint64_t *words, const uint64_t (*row)[GSHMEMI_SYNC_WORDS], int n, const char *call)
{
	int i, k;

	(void)call;
	for (i = 1; i < n; i++)
		for (k = 0; k < GSHMEMI_SYNC_WORDS; k++)
			words[k] &= gshmemi_arch_load(&row[i][k], 8);
}
#endif

/* The PE, as one of the world, that is distance places ahead of this one in the team. */
GSHMEMI_FN int gshmemi_sync_ahead(const struct gshmemi_team_view *team, int distance)
{
	const int pe = team->my_pe + distance;

	return gshmemi_team_to_world(team, pe < team->npes ? pe : pe - team->npes);
}

/*
 * Sets the PEs that meet in a part of a barrier by nodes, and the first row of their flags. In part 0 the PEs
 * of this node meet, in part 1 the first PEs of all nodes, in part 2 the PEs of this node again, whom their
 * first one releases. Returns 0 if this PE has no part in it. One body serves all parts and barriers on one
 * node, because kernels would pay for a second one with registers.
 */
GSHMEMI_FN int gshmemi_sync_part(
	const struct gshmemi_team_nodes *nodes, int part, struct gshmemi_team_view *pes, int *row_p)
{
	pes->members = part == 1 ? nodes->leaders : nodes->locals;
	pes->my_pe = part == 1 ? nodes->my_node : nodes->my_local;
	pes->npes = part == 1 ? nodes->nnodes : nodes->nlocal;
	*row_p = nodes->row[part];
	return part != 1 || !nodes->my_local;
}

/*
 * Dissemination by one thread, for kernels and hosts alike: see struct gshmemi_sync. A flag may already hold
 * the next epoch: a peer that is ahead has seen this PE arrive, so waits ask for "at least". The release
 * pairs with the acquire of the peer's gshmemi_wait, and passes on what earlier rounds acquired. is_released,
 * a constant: the caller has released before, and has written nothing since.
 *
 * Afterwards words[GSHMEMI_SYNC_WORDS], unless NULL, hold the bitwise AND of those of all PEs. The ranges of
 * PEs that rounds cover may overlap; to AND a word in twice changes nothing.
 */
GSHMEMI_FN void gshmemi_disseminate(
	const struct gshmemi_team_view *team, uint64_t *words, int is_released, const char *call)
{
	struct gshmemi_sync *sync = team->sync;
	const uint64_t epoch = GSHMEMI_SYNC_OWN(load, &sync->epoch, call) + 1;
	const struct gshmemi_team_nodes *nodes = NULL;
	struct gshmemi_team_view pes = *team;
	int part, distance, row, i, k;

	GSHMEMI_SYNC_OWN(store, &sync->epoch, epoch, call);
	if (gshmemi_is_slow(GSHMEMI_WHY_NODES))
		nodes = GSHMEMI_SYNC_OWN(nodes, sync, call);
	if (nodes && nodes->row[2] < 0)
		nodes = NULL;
	for (part = 0; part < (nodes ? 3 : 1); part++) {
		row = 0;
		if (nodes && !gshmemi_sync_part(nodes, part, &pes, &row))
			continue;
		for (distance = 1; distance < pes.npes; distance *= GSHMEMI_SYNC_RADIX, row++) {
			for (i = 1; words && i < GSHMEMI_SYNC_RADIX && i * distance < pes.npes; i++)
				for (k = 0; k < GSHMEMI_SYNC_WORDS; k++)
					gshmemi_sync_write(GSHMEMI_PUT_VALUE,
						&sync->word[epoch & 1][row][i][k], words[k],
						gshmemi_sync_ahead(&pes, i * distance), call);
			if (words || row || !is_released)
				GSHMEMI_SYNC_OWN(complete, call);
			for (i = 1; i < GSHMEMI_SYNC_RADIX && i * distance < pes.npes; i++)
				gshmemi_sync_tell(&sync->flag[row][i], epoch,
					gshmemi_sync_ahead(&pes, i * distance), call);
			GSHMEMI_SYNC_OWN(await, &pes, sync->flag[row], epoch, distance, call);
			if (words)
				GSHMEMI_SYNC_OWN(combine, words,
					(const uint64_t(*)[GSHMEMI_SYNC_WORDS])sync->word[epoch & 1][row], i,
					call);
		}
	}
}

/*
 * GSHMEM_CHECK: a PE makes one collective of a team at a time. A second caller, most often another work-group
 * of the grid, finds that the first has claimed the team. One thread of the group claims, and releases before
 * the group parts, so that calls which follow each other are never taken for simultaneous ones.
 */
GSHMEMI_COLD void gshmemi_team_claim_at(uint64_t *claim, const char *call, uint64_t caller)
{
	const uint64_t me = GSHMEMI_ARCH_IN_KERNEL ? gshmemi_arch_caller_block(caller) + 1 : UINT64_MAX;
	const uint64_t found = gshmemi_arch_amo64(GSHMEMI_AMO_CAS, claim, me, 0);

	if (found)
		gshmemi_fault_raise(GSHMEMI_FAULT_CONCURRENT, -1, NULL, 0, found, 0, call, caller);
}

GSHMEMI_FN void gshmemi_team_claim(const struct gshmemi_team_view *team, const char *call)
{
	if (gshmemi_is_slow(GSHMEMI_WHY_CHECK))
		gshmemi_team_claim_at(&team->sync->claim, call, gshmemi_arch_caller());
}

GSHMEMI_FN void gshmemi_team_release(const struct gshmemi_team_view *team)
{
	if (gshmemi_is_slow(GSHMEMI_WHY_CHECK))
		gshmemi_arch_store(&team->sync->claim, 0, 8);
}

/*
 * The barrier of a team, by the threads of scope, a constant; on the direct path of a kernel. is_released, a
 * constant: every thread has released what it wrote. Else each does so here, or, where one thread works for
 * all, that one does.
 */
GSHMEMI_FN void gshmemi_sync_team(
	int scope, const struct gshmemi_team_view *team, int is_released, const char *call)
{
	const int is_each = !GSHMEMI_ELECTS(scope) && scope != GSHMEMI_THREAD;
	struct gshmemi_group group;

	gshmemi_check_group(scope, call);
	if (is_each && !is_released)
		gshmemi_arch_fence_release();
	if (gshmemi_group_begin(&group, scope, GSHMEMI_KEY(team->sync, team->sync))) {
		if (GSHMEMI_ELECTS(scope) && is_released)
			gshmemi_arch_fence_system();
		if (group.rank == 0) {
			gshmemi_team_claim(team, call);
			gshmemi_disseminate(team, NULL, is_each || is_released, call);
			gshmemi_team_release(team);
		}
		gshmemi_group_end(&group);
	}
	if (scope != GSHMEMI_THREAD)
		gshmemi_arch_fence_acquire();
}

/* quiet is a constant: whether the threads' operations are completed first. */
GSHMEMI_FN void gshmemi_sync_all(int scope, int quiet, const char *call)
{
	const uint64_t open = gshmemi_record_call(scope, 0, call);
	struct gshmemi_team_view world;

	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_sync_all(quiet, call);
		return;
	}
	GSHMEMI_ENTER_COLLECTIVE(call);
	if (quiet) {
		gshmemi_complete_others(scope, 0, NULL, 0, call);
		if (!GSHMEMI_ELECTS(scope))
			gshmemi_arch_fence_system();
	} else if (gshmemi_is_slow(GSHMEMI_WHY_UNSET)) {
		gshmemi_slow_unset_at(call, gshmemi_arch_caller());
	}
	world = gshmemi_team_world();
	gshmemi_sync_team(scope, &world, quiet, call);
	gshmemi_record_call_end(scope, open);
}

/* ---- the API ---- */

#ifndef GSHMEMI_BODIES /* defined by files of the library that export other calls */

GSHMEM_API void gshmem_pe_quiet(const int *target_pes, size_t npes)
{
	if (npes)
		gshmemi_quiet(GSHMEMI_THREAD, 0, target_pes, npes, "gshmem_pe_quiet");
}

#define GSHMEMI_DEFINE(PREFIX, SUFFIX, SCOPE) \
	GSHMEM_API void PREFIX##_fence##SUFFIX(void) \
	{ \
		gshmemi_fence(SCOPE, 0, #PREFIX "_fence" #SUFFIX); \
	} \
	GSHMEM_API void PREFIX##_quiet##SUFFIX(void) \
	{ \
		gshmemi_quiet(SCOPE, 0, NULL, 0, #PREFIX "_quiet" #SUFFIX); \
	} \
	GSHMEM_API void PREFIX##_sync_all##SUFFIX(void) \
	{ \
		gshmemi_sync_all(SCOPE, 0, #PREFIX "_sync_all" #SUFFIX); \
	} \
	GSHMEM_API void PREFIX##_barrier_all##SUFFIX(void) \
	{ \
		gshmemi_sync_all(SCOPE, 1, #PREFIX "_barrier_all" #SUFFIX); \
	}
GSHMEMI_DEFINE(gshmem, , GSHMEMI_THREAD)
GSHMEMI_OF_GROUPS(GSHMEMI_DEFINE(gshmemx, _wave, GSHMEMI_WAVE))
GSHMEMI_OF_GROUPS(GSHMEMI_DEFINE(gshmemx, _wg, GSHMEMI_WG))
#undef GSHMEMI_DEFINE

#if GSHMEMI_KERNELS

/* On the host src/team/query.c and src/op/query.c have the rest. */

/* 0, or -EINVAL for GSHMEM_TEAM_INVALID. */
GSHMEMI_FN int gshmemi_team_sync(int scope, gshmem_team_t team, const char *call)
{
	struct gshmemi_team_view view;
	uint64_t open;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_team_sync(team, call);
	gshmemi_check_args(scope, GSHMEMI_ARGS_TEAM, (uintptr_t)team, 0, 0, 0, call);
	if (team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	open = gshmemi_record_call(scope, GSHMEMI_KEY(team, team), call);
	view = gshmemi_team_of(team, call);
	gshmemi_sync_team(scope, &view, 0, call);
	gshmemi_record_call_end(scope, open);
	return 0;
}

/* By a thread of each of nwaves waves: the last one that comes meets the other PEs for all of them. */
GSHMEMI_FN void gshmemi_sync_waves(const struct gshmemi_team_view *team, unsigned nwaves, const char *call)
{
	struct gshmemi_sync *sync = team->sync;
	const uint64_t ncalls = gshmemi_arch_load(&sync->nwave_calls, 8);

	if (gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &sync->nwaves_came, 1, 0) + 1 < nwaves) {
		(void)gshmemi_wait(&sync->nwave_calls, 8, 0, GSHMEM_CMP_NE, ncalls, -1, call);
		return;
	}
	gshmemi_arch_fence_acquire();
	gshmemi_arch_store(&sync->nwaves_came, 0, 8);
	gshmemi_team_claim(team, call);
	gshmemi_disseminate(team, NULL, 0, call);
	gshmemi_team_release(team);
	gshmemi_arch_fence_release();
	gshmemi_arch_store(&sync->nwave_calls, ncalls + 1, 8);
}

/*
 * A barrier of a team by nwaves waves of each PE, which need not be a work-group. Every wave makes the call.
 * Returns 0, or -EINVAL for GSHMEM_TEAM_INVALID.
 */
GSHMEMI_FN int gshmemi_team_sync_waves(gshmem_team_t team, unsigned nwaves, const char *call)
{
	struct gshmemi_team_view view;
	struct gshmemi_group group;

	if (team == GSHMEM_TEAM_INVALID)
		return -EINVAL;
	view = gshmemi_team_of(team, call);
	gshmemi_arch_fence_release(); /* of each lane */
	if (gshmemi_group_begin(&group, GSHMEMI_WAVE, GSHMEMI_KEY(view.sync, view.sync))) {
		if (group.rank == 0)
			gshmemi_sync_waves(&view, nwaves, call);
		gshmemi_group_end(&group);
	}
	gshmemi_arch_fence_acquire();
	return 0;
}

#define GSHMEMI_DEFINE(CALL, SCOPE) \
	GSHMEM_API int CALL(gshmem_team_t team) \
	{ \
		return gshmemi_team_sync(SCOPE, team, #CALL); \
	}
GSHMEMI_DEFINE(gshmem_team_sync, GSHMEMI_THREAD)
GSHMEMI_DEFINE(gshmemx_team_sync_wave, GSHMEMI_WAVE)
GSHMEMI_DEFINE(gshmemx_team_sync_wg, GSHMEMI_WG)
#undef GSHMEMI_DEFINE

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
		    !GSHMEMI_ARCH_IS_GLOBAL(dest, 1)) ||
		pe < 0 || pe >= npes)
		return NULL;
	if (pe == gshmemi_state.my_pe)
		return (void *)(uintptr_t)dest;
	if (gshmemi_state.peers[pe] & GSHMEMI_PEER_CARRIED) /* set for a PE on another machine, too */
		return NULL;
	delta = gshmemi_mapped(GSHMEMI_REGION_HEAP, pe);
	return delta == GSHMEMI_SENTINEL ? NULL : (char *)(uintptr_t)dest + delta;
}

GSHMEM_API int gshmem_team_my_pe(gshmem_team_t team)
{
	if (GSHMEMI_ON_HOST())
		return gshmemi_host_team_number(team, 1);
	return team == GSHMEM_TEAM_INVALID ? -1 : gshmemi_team_of(team, "gshmem_team_my_pe").my_pe;
}

GSHMEM_API int gshmem_team_n_pes(gshmem_team_t team)
{
	if (GSHMEMI_ON_HOST())
		return gshmemi_host_team_number(team, 0);
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
