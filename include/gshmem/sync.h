/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order and barriers: fence, quiet, sync_all, barrier_all; and the queries that kernels make.
 */
#ifndef GSHMEM_SYNC_H
#define GSHMEM_SYNC_H

#include <gshmem/rpc.h>
#include <gshmem/wait.h>

GSHMEMI_FN void gshmemi_fence(int scope, const char *call)
{
	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_fence(call);
		return;
	}
	gshmemi_arch_fence_release();
	if (gshmemi_is_slow(GSHMEMI_SLOW_ORDER)) {
		gshmemi_slow_fence(scope, call);
		gshmemi_rpc_complete_here(call, gshmemi_arch_caller());
	}
	if (scope != GSHMEMI_THREAD)
		(void)gshmemi_group_enter(scope, 0);
}

/* target_pes NULL: all. Only delayed delivery can complete the operations to some PEs alone. */
GSHMEMI_FN void gshmemi_quiet(int scope, const int *target_pes, size_t npes, const char *call)
{
	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_quiet(target_pes, npes, call);
		return;
	}
	if (gshmemi_is_slow(target_pes ? GSHMEMI_SLOW_ORDER | GSHMEMI_SLOW_UNSET | GSHMEMI_SLOW_CHECK : GSHMEMI_SLOW_ORDER)) {
		gshmemi_slow_quiet(target_pes, npes, call);
		gshmemi_rpc_complete_here(call, gshmemi_arch_caller());
	}
	gshmemi_arch_fence_system();
	if (scope != GSHMEMI_THREAD)
		(void)gshmemi_group_enter(scope, 0);
}

/* Tell the PE at this distance ahead that this one has arrived in this round. */
GSHMEMI_FN void gshmemi_sync_tell(uint64_t *flag, uint64_t epoch, int pe, const char *call)
{
	void *peer_flag;

	if (!gshmemi_peer_ptr(gshmemi_state.direct.sync_delta, flag, pe, &peer_flag))
		peer_flag = gshmemi_slow_find(GSHMEMI_FIND_SYNC, flag, flag, sizeof *flag, sizeof *flag, pe, call);
	gshmemi_arch_store(peer_flag, epoch, 8);
}

/*
 * Dissemination by one thread; see struct gshmemi_sync. A flag may already hold the next epoch: a peer that is ahead
 * has seen this PE arrive, so "at least" is right. The release pairs with the acquire of the peer's gshmemi_wait,
 * and carries over what earlier rounds acquired.
 */
GSHMEMI_FN void gshmemi_disseminate(const char *call)
{
	struct gshmemi_sync *sync = gshmemi_state.sync;
	const int npes = gshmemi_state.npes, me = gshmemi_state.my_pe;
	const uint64_t epoch = sync->epoch + 1;
	int distance, round, i, ahead, behind;

	sync->epoch = epoch;
	for (distance = 1, round = 0; distance < npes; distance *= GSHMEMI_SYNC_RADIX, round++) {
		gshmemi_arch_fence_release();
		for (i = 1; i < GSHMEMI_SYNC_RADIX && i * distance < npes; i++) {
			ahead = me + i * distance < npes ? me + i * distance : me + i * distance - npes;
			gshmemi_sync_tell(&sync->flag[round][i], epoch, ahead, call);
		}
		for (i = 1; i < GSHMEMI_SYNC_RADIX && i * distance < npes; i++) {
			behind = me - i * distance >= 0 ? me - i * distance : me - i * distance + npes;
			gshmemi_wait(&sync->flag[round][i], 8, 0, GSHMEM_CMP_GE, epoch, behind, call);
		}
	}
}

/* quiet is a constant: whether the threads' operations are completed first. */
GSHMEMI_FN void gshmemi_sync_all(int scope, int quiet, const char *call)
{
	struct gshmemi_group group;

	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_sync_all(quiet, call);
		return;
	}
	GSHMEMI_ENTER_COLLECTIVE(call);
	if (quiet)
		gshmemi_quiet(GSHMEMI_THREAD, NULL, 0, call);
	else if (gshmemi_is_slow(GSHMEMI_SLOW_UNSET))
		gshmemi_slow_fence(scope, call);
	if (scope == GSHMEMI_THREAD) {
		gshmemi_disseminate(call);
		return;
	}
	gshmemi_arch_fence_release(); /* every wave's own: the leader's does not cover them */
	group = gshmemi_group_enter(scope, 0);
	if (group.rank == 0)
		gshmemi_disseminate(call);
	gshmemi_group_sync(&group);
	gshmemi_arch_fence_acquire();
}

/* ---- the API ---- */

GSHMEM_API void gshmem_fence(void)
{
	gshmemi_fence(GSHMEMI_THREAD, "gshmem_fence");
}

GSHMEM_API void gshmem_quiet(void)
{
	gshmemi_quiet(GSHMEMI_THREAD, NULL, 0, "gshmem_quiet");
}

GSHMEM_API void gshmem_pe_quiet(const int *target_pes, size_t npes)
{
	if (npes)
		gshmemi_quiet(GSHMEMI_THREAD, target_pes, npes, "gshmem_pe_quiet");
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
		gshmemi_fence(SCOPE, "gshmemx_fence_" #SUFFIX); \
	} \
	GSHMEM_API void gshmemx_quiet_##SUFFIX(void) \
	{ \
		gshmemi_quiet(SCOPE, NULL, 0, "gshmemx_quiet_" #SUFFIX); \
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
/* On the host these are src/host/query.c. */
GSHMEM_API int gshmem_my_pe(void)
{
	return GSHMEMI_ON_HOST() ? gshmemi_host_my_pe() : gshmemi_state.my_pe;
}

GSHMEM_API int gshmem_n_pes(void)
{
	return GSHMEMI_ON_HOST() ? gshmemi_host_n_pes() : gshmemi_state.npes;
}

GSHMEM_API void *gshmem_ptr(const void *dest, int pe)
{
	void *peer = NULL;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_ptr(dest, pe);
	if ((uintptr_t)dest - (uintptr_t)gshmemi_state.heap >= gshmemi_state.heap_nbytes || pe < 0 ||
	    pe >= gshmemi_state.npes)
		return NULL;
	return gshmemi_peer_ptr(gshmemi_state.peers->delta, dest, pe, &peer) ? peer : NULL;
}
#endif

#endif /* GSHMEM_SYNC_H */
