/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks: tickets, first come, first served.
 *
 * The word is that of one PE, its home; those of the others stay 0. Its high half is the next ticket to be given, its low
 * half the ticket that holds the lock. While they are equal nobody does, and then both are 0: who gives the lock back while
 * nobody waits starts the tickets anew. So a free lock is 0, as at first, and to take one that is free is one compare_swap.
 */
#ifndef GSHMEM_LOCK_H
#define GSHMEM_LOCK_H

#include <gshmem/move/amo.h>
#include <gshmem/order/sync.h>

#define GSHMEMI_LOCK_TICKET (1ULL << 32)

/* Between two looks at a lock that somebody else has. Where each look is a kernel, the library's own file sleeps. */
#ifndef GSHMEMI_LOCK_PAUSE
#define GSHMEMI_LOCK_PAUSE(polls_p) gshmemi_wait_pause(polls_p, -1)
#endif

/* The same on all PEs, from where a lock lies in the heap; variables of a program lie alike in their pages. */
GSHMEMI_FN int gshmemi_lock_home(const long *lock)
{
	const uint64_t offset = (uint64_t)((uintptr_t)lock - (uintptr_t)gshmemi_state.heap);
	const uint64_t place = (offset < gshmemi_state.heap_nbytes ? offset : (uintptr_t)lock) / sizeof *lock & 511;
	const unsigned mixed = (unsigned)place * 0x9e3779b1U >> 16;

	return (int)(mixed * (unsigned)gshmemi_state.npes >> 16);
}

/* An atomic on the word of a lock at its home; returns what it was. */
GSHMEMI_FN uint64_t gshmemi_lock_amo(int op, long *lock, uint64_t value, uint64_t cond, const char *call)
{
	return gshmemi_amo(gshmemi_in_heap(), op, lock, value, cond, sizeof *lock, 1, gshmemi_lock_home(lock), call);
}

/*
 * The word of a lock that is not this ticket's yet. Where its home performs what it is asked for, that answers when it is the ticket's
 * turn, so that nobody polls over the net.
 */
GSHMEMI_FN uint64_t gshmemi_lock_look(long *lock, uint32_t ticket, const char *call)
{
	const int pe = gshmemi_lock_home(lock);
	struct gshmemi_operation o;

	if (!GSHMEMI_ARCH_HAS_DELIVERY || GSHMEMI_ON_HOST() || !gshmemi_is_slow(GSHMEMI_SLOW_NET) || gshmemi_is_mapped(GSHMEMI_REGION_HEAP, pe, 1))
		return gshmemi_lock_amo(GSHMEMI_AMO_FETCH, lock, 0, 0, call);
	o = gshmemi_describe(GSHMEMI_LOCK, GSHMEMI_REGION_HEAP, lock, pe);
	o.nbytes = sizeof *lock;
	o.value = ticket;
	o.fetches = 1;
	return gshmemi_remote_carry(&o);
}

/* The acquire pairs with the quiet of gshmemi_lock_clear. */
GSHMEMI_FN void gshmemi_lock_set(long *lock, const char *call)
{
	uint64_t found = gshmemi_lock_amo(GSHMEMI_AMO_ADD, lock, GSHMEMI_LOCK_TICKET, 0, call), started_ns = 0;
	const uint32_t ticket = (uint32_t)(found >> 32);
	void *word = NULL; /* found once for all polls, where they are direct */
	const int is_direct = !GSHMEMI_ON_HOST() && gshmemi_peer_ptr(gshmemi_tables()->amo_delta, lock, gshmemi_lock_home(lock), &word);
	unsigned polls = 0;

	while ((uint32_t)found != ticket) {
		GSHMEMI_LOCK_PAUSE(&polls);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			started_ns = gshmemi_wait_long(polls, started_ns, lock, 4, (uint32_t)found, GSHMEM_CMP_EQ, ticket, -1, call);
		if (is_direct)
			found = gshmemi_amo_peer(GSHMEMI_AMO_FETCH, word, 0, 0, sizeof *lock);
		else
			found = gshmemi_lock_look(lock, ticket, call);
	}
	gshmemi_arch_fence_acquire();
}

/* 0: it is set now. */
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

GSHMEMI_SLOW void gshmemi_lock_not_set_at(long *lock, uint64_t found, const char *call, uint64_t caller)
{
	if (gshmemi_state.slow & GSHMEMI_SLOW_CHECK)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_LOCKED, -1, lock, sizeof *lock, found, 0, call, caller);
}

GSHMEMI_FN void gshmemi_lock_clear(long *lock, const char *call)
{
	uint64_t found, alone = GSHMEMI_LOCK_TICKET; /* the first ticket's, and no other was given */
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
	/* Whose turn is next; not carried into the other half. */
	(void)gshmemi_lock_amo(GSHMEMI_AMO_ADD, lock, ticket == UINT32_MAX ? 1 - GSHMEMI_LOCK_TICKET : 1, 0, call);
}

/* ---- the API ---- */

#if GSHMEMI_KERNELS

GSHMEM_API void gshmem_set_lock(long *lock)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_set_lock(lock);
	else
		gshmemi_lock_set(lock, "gshmem_set_lock");
}

GSHMEM_API void gshmem_clear_lock(long *lock)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_clear_lock(lock);
	else
		gshmemi_lock_clear(lock, "gshmem_clear_lock");
}

GSHMEM_API int gshmem_test_lock(long *lock)
{
	return GSHMEMI_ON_HOST() ? gshmemi_host_test_lock(lock) : gshmemi_lock_test(lock, "gshmem_test_lock");
}

#endif /* GSHMEMI_KERNELS */

#endif /* GSHMEM_LOCK_H */
