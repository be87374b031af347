/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks: ticket locks, first come, first served (J. Mellor-Crummey, M. Scott, "Algorithms for scalable
 * synchronization on shared-memory multiprocessors", ACM TOCS 9, 1991).
 *
 * A lock lives in the word of one PE, its home; the words of the other PEs stay 0. The high half of the word
 * is the next ticket, the low half the ticket of the holder. The lock is free while they are equal, and then
 * both are 0: a holder that releases the lock while nobody waits resets the tickets. So a free lock is 0, as
 * at first, and one compare_swap takes it.
 */
#ifndef GSHMEM_LOCK_H
#define GSHMEM_LOCK_H

#include <gshmem/move/amo.h>
#include <gshmem/order/sync.h>

#define GSHMEMI_LOCK_TICKET (1ULL << 32)

enum gshmemi_lock_call { GSHMEMI_LOCK_SET, GSHMEMI_LOCK_CLEAR, GSHMEMI_LOCK_TEST };

/*
 * Pause between two polls of a held lock. Where each poll is a kernel, the library's own file defines
 * it to sleep.
 */
#ifndef GSHMEMI_LOCK_PAUSE
#define GSHMEMI_LOCK_PAUSE(polls_p) gshmemi_wait_pause(polls_p, -1)
#endif

/*
 * A lock's home follows from its offset in the heap, so all PEs agree on it; program variables have
 * equal page offsets.
 */
GSHMEMI_FN int gshmemi_lock_home(const long *lock)
{
	const uint64_t offset = (uint64_t)((uintptr_t)lock - (uintptr_t)gshmemi_state.heap);
	const uint64_t place =
		(offset < gshmemi_state.heap_nbytes ? offset : (uintptr_t)lock) / sizeof *lock & 511;
	const unsigned mixed = (unsigned)place * 0x9e3779b1U >> 16;

	return (int)(mixed * (unsigned)gshmemi_state.npes >> 16);
}

/* Update the word of a lock at its home; returns the old word. */
GSHMEMI_FN uint64_t gshmemi_lock_amo(int op, long *lock, uint64_t value, uint64_t cond, const char *call)
{
	return gshmemi_amo(gshmemi_in_heap(), lock, gshmemi_make_update(op, value, cond, sizeof *lock, 1),
		gshmemi_lock_home(lock), call);
}

/*
 * Read the word of a lock on pe while it is not yet this turn. If pe performs operations on its memory
 * itself, it answers when the turn has come, so that nobody polls over the net.
 */
GSHMEMI_FN uint64_t gshmemi_turn_look(
	struct gshmemi_where where, void *word, int which, uint32_t turn, int pe, const char *call)
{
	if (GSHMEMI_WAITS_AT_OWNER && gshmemi_is_over_net(where.region, pe, 1))
		return gshmemi_net_lock(where.region, word, which, turn, pe, call);
	return gshmemi_amo(where, word, gshmemi_make_update(GSHMEMI_AMO_FETCH, 0, 0, 8, 1), pe, call);
}

/*
 * Wait until a lock's word on pe says that it is this turn. found is the word as last read; which, an enum
 * gshmemi_turn, is the field that counts. The acquire pairs with the quiet of the last holder.
 */
GSHMEMI_FN void gshmemi_turn_await(struct gshmemi_where where, void *word, int which, uint32_t turn,
	uint64_t found, int pe, const char *call)
{
	void *there = NULL; /* of direct polls: looked up once for all of them */
	const int is_direct = !GSHMEMI_ON_HOST() && gshmemi_peer_ptr(where.amo_delta, word, pe, &there);
	uint64_t started_ns = 0, open = 0;
	unsigned polls = 0;

	while (gshmemi_turn_of(found, which) != turn) {
		if (GSHMEMI_TRACES && !polls)
			open = gshmemi_trace_wait(word, GSHMEM_CMP_EQ, turn, pe, call);
		GSHMEMI_LOCK_PAUSE(&polls);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			started_ns = gshmemi_wait_long(polls, started_ns, word, 4,
				gshmemi_turn_of(found, which), GSHMEM_CMP_EQ, turn, -1, call);
		if (is_direct)
			found = gshmemi_amo_peer(GSHMEMI_AMO_FETCH, there, 0, 0, 8);
		else
			found = gshmemi_turn_look(where, word, which, turn, pe, call);
	}
	gshmemi_trace_end(open);
	gshmemi_arch_fence_acquire();
}

GSHMEMI_FN void gshmemi_lock_set(long *lock, const char *call)
{
	const uint64_t found = gshmemi_lock_amo(GSHMEMI_AMO_ADD, lock, GSHMEMI_LOCK_TICKET, 0, call);

	gshmemi_turn_await(gshmemi_in_heap(), lock, GSHMEMI_TURN_LOCK, (uint32_t)(found >> 32), found,
		gshmemi_lock_home(lock), call);
}

/* Returns 0 if the caller holds the lock now. */
GSHMEMI_FN int gshmemi_lock_test(long *lock, const char *call)
{
	unsigned polls = GSHMEMI_WAIT_POLLS - 1; /* as in gshmemi_test */

	if (gshmemi_lock_amo(GSHMEMI_AMO_CAS, lock, GSHMEMI_LOCK_TICKET, 0, call)) {
		gshmemi_attend();
		GSHMEMI_LOCK_PAUSE(&polls);
		return 1;
	}
	gshmemi_arch_fence_acquire();
	return 0;
}

GSHMEMI_COLD void gshmemi_lock_not_set_at(long *lock, uint64_t found, const char *call, uint64_t caller)
{
	if (gshmemi_state.why & GSHMEMI_WHY_CHECK)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_LOCKED, -1, lock, sizeof *lock, found, 0, call, caller);
}

GSHMEMI_FN void gshmemi_lock_clear(long *lock, const char *call)
{
	/* the first ticket holds the lock, and is the only one */
	uint64_t found, alone = GSHMEMI_LOCK_TICKET;
	uint32_t ticket;

	gshmemi_quiet(GSHMEMI_THREAD, 0, NULL, 0, call); /* pairs with the acquire of the next holder */
	found = gshmemi_lock_amo(GSHMEMI_AMO_CAS, lock, 0, alone, call);
	if (found == alone)
		return;
	ticket = (uint32_t)found;
	if (found >> 32 == ticket)
		gshmemi_lock_not_set_at(lock, found, call, gshmemi_arch_caller());
	alone = (uint64_t)(ticket + 1) << 32 | ticket;
	if (found == alone && gshmemi_lock_amo(GSHMEMI_AMO_CAS, lock, 0, alone, call) == alone)
		return;
	/* Pass the turn on, without a carry into the other half. */
	(void)gshmemi_lock_amo(
		GSHMEMI_AMO_ADD, lock, ticket == UINT32_MAX ? 1 - GSHMEMI_LOCK_TICKET : 1, 0, call);
}

/* ---- the API ---- */

#if GSHMEMI_KERNELS

GSHMEM_API void gshmem_set_lock(long *lock)
{
	if (GSHMEMI_ON_HOST())
		(void)gshmemi_host_lock(GSHMEMI_LOCK_SET, lock);
	else
		gshmemi_lock_set(lock, "gshmem_set_lock");
}

GSHMEM_API void gshmem_clear_lock(long *lock)
{
	if (GSHMEMI_ON_HOST())
		(void)gshmemi_host_lock(GSHMEMI_LOCK_CLEAR, lock);
	else
		gshmemi_lock_clear(lock, "gshmem_clear_lock");
}

GSHMEM_API int gshmem_test_lock(long *lock)
{
	if (GSHMEMI_ON_HOST())
		return gshmemi_host_lock(GSHMEMI_LOCK_TEST, lock);
	return gshmemi_lock_test(lock, "gshmem_test_lock");
}

#endif /* GSHMEMI_KERNELS */

#endif /* GSHMEM_LOCK_H */
