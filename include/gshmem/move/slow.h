/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slow path: what lies behind a sentinel. A call comes here when its PE is not mapped, when the state was never
 * filled, or when GSHMEM_CHECK or delayed delivery put sentinels into the tables on purpose. All of it is out of
 * line, so that it costs the direct path one test.
 *
 * Each function checks its arguments if asked to and finds the peer in the true tables. It returns the peer address,
 * for the caller to go on as on the direct path; or NULL after it has handed the operation to the delivery queue.
 */
#ifndef GSHMEM_SLOW_H
#define GSHMEM_SLOW_H

#include <gshmem/move/copy.h>
#include <gshmem/state/fault.h>

/* ---- checks ---- */

/*
 * What is wrong with the symmetric object [address, address + nbytes), which must lie in one allocation, aligned: a
 * GSHMEMI_FAULT_*, 0 if nothing. *expected_p is for the fault record.
 */
GSHMEMI_FN int gshmemi_check_symmetric(const void *address, size_t nbytes, unsigned align, uint64_t *expected_p)
{
	uint64_t offset = (uint64_t)((uintptr_t)address - (uintptr_t)gshmemi_state.heap), end;

	*expected_p = align;
	if (!address)
		return GSHMEMI_FAULT_NULL;
	if ((uintptr_t)address & (align - 1))
		return GSHMEMI_FAULT_MISALIGNED;
	if (GSHMEMI_ARCH_IS_GLOBAL(address, nbytes))
		return 0;
	if (offset >= gshmemi_state.heap_nbytes || nbytes > gshmemi_state.heap_nbytes - offset)
		return GSHMEMI_FAULT_OUTSIDE_HEAP;
	end = gshmemi_state.allocation_end[offset / GSHMEMI_GRANULE];
	if (end <= offset)
		return GSHMEMI_FAULT_NOT_ALLOCATED;
	*expected_p = end - offset;
	return nbytes > end - offset ? GSHMEMI_FAULT_BEYOND_ALLOCATION : 0;
}

/* Which of the true tables a call reads. */
enum gshmemi_find { GSHMEMI_FIND_HEAP, GSHMEMI_FIND_AMO, GSHMEMI_FIND_SYNC };

/* What a call to a PE is besides its arguments: find, align << 4, scope << 9, is_get << 11, caller << 16. */
GSHMEMI_FN uint64_t gshmemi_find_what(int find, unsigned align, int scope, int is_get)
{
	return (unsigned)find | align << 4 | (unsigned)scope << 9 | (unsigned)is_get << 11 | (uint64_t)gshmemi_arch_caller() << 16;
}

/*
 * What any call to a PE meets first: do the threads of its wave agree (where gshmemi_check_move does not ask), is there a
 * state, is there such a PE, is the address good, is it mapped? The peer address of symmetric; faults do not return. The one
 * function that a kernel's put, get or atomic calls: what it is given, and what it keeps, are few registers, because kernels
 * pay for them. what is a gshmemi_find_what, local the caller's other end; symmetric again where it has none.
 */
__attribute__((returns_nonnull)) GSHMEMI_SLOW void *gshmemi_slow_find_at(uint64_t what, const void *symmetric, const void *local,
									 size_t nbytes, int pe, const char *call)
{
	const int find = (int)(what & 15);
	const struct gshmemi_region *region = &gshmemi_state.regions[find == GSHMEMI_FIND_SYNC];
	uint64_t detail = 0; /* of the fault: what was found or expected */
	ptrdiff_t delta = 0;
	int fault = 0;

	call = (const char *)(uintptr_t)gshmemi_arch_uniform((uint64_t)(uintptr_t)call);
	if (!GSHMEMI_ARCH_COMPARES_APART && what >> 9 & 3 && gshmemi_state.slow & GSHMEMI_SLOW_CHECK) {
		const uint64_t lanes = gshmemi_arch_wave_enter(0);
		const unsigned is_get = (unsigned)(what >> 11) & 1;

		if (!gshmemi_arch_wave_agrees((unsigned)pe, lanes))
			fault = GSHMEMI_FAULT_UNEQUAL_WAVE, detail = GSHMEMI_ARGS_MOVE + 3;
		if (!gshmemi_arch_wave_agrees(nbytes, lanes))
			fault = GSHMEMI_FAULT_UNEQUAL_WAVE, detail = GSHMEMI_ARGS_MOVE + 2;
		if (!gshmemi_arch_wave_agrees((uintptr_t)local, lanes))
			fault = GSHMEMI_FAULT_UNEQUAL_WAVE, detail = GSHMEMI_ARGS_MOVE + !is_get;
		if (!gshmemi_arch_wave_agrees((uintptr_t)symmetric, lanes))
			fault = GSHMEMI_FAULT_UNEQUAL_WAVE, detail = GSHMEMI_ARGS_MOVE + is_get;
	}
	pe = gshmemi_pe_in_world(pe);
	if (fault) {
		/* of the group */
	} else if (gshmemi_state.slow & GSHMEMI_SLOW_UNSET) {
		fault = GSHMEMI_FAULT_NOT_INITIALIZED;
	} else if (pe < 0 || pe >= gshmemi_state.npes) {
		fault = GSHMEMI_FAULT_BAD_PE;
		detail = (uint64_t)gshmemi_state.npes;
	} else if (gshmemi_state.slow & GSHMEMI_SLOW_CHECK && nbytes && find != GSHMEMI_FIND_SYNC) {
		fault = gshmemi_check_symmetric(local ? symmetric : NULL, nbytes, (unsigned)(what >> 4) & 31, &detail);
	}
	if (!fault) {
		delta = (find == GSHMEMI_FIND_AMO ? region->amo_delta : region->delta)[pe];
		if (delta == GSHMEMI_SENTINEL)
			fault = region->delta[pe] == GSHMEMI_SENTINEL ? GSHMEMI_FAULT_UNREACHABLE : GSHMEMI_FAULT_NO_ATOMICS;
	}
	if (fault)
		gshmemi_fault_raise(fault, pe, symmetric, nbytes, detail, detail, call, what >> 16);
	return (char *)(uintptr_t)symmetric + delta;
}

/* For one thread. align, a constant, is at most 16. */
GSHMEMI_FN void *gshmemi_slow_find(int find, const void *symmetric, const void *local, size_t nbytes, unsigned align,
				   int pe, const char *call)
{
	return gshmemi_slow_find_at(gshmemi_find_what(find, align, GSHMEMI_THREAD, 0), symmetric, local, nbytes, pe, call);
}

/* An operator or stride that is none. */
GSHMEMI_SLOW void gshmemi_bad_argument_at(int64_t value, const void *address, int pe, const char *call, uint64_t caller)
{
	gshmemi_fault_raise(GSHMEMI_FAULT_BAD_ARGUMENT, pe, address, 0, (uint64_t)value, 1, call, caller);
}

GSHMEMI_FN void gshmemi_check_argument(int is_good, int64_t value, const void *address, int pe, const char *call)
{
	if (gshmemi_state.slow & GSHMEMI_SLOW_CHECK && !is_good)
		gshmemi_bad_argument_at(value, address, pe, call, gshmemi_arch_caller());
}

/* GSHMEM_CHECK: the whole work-group makes its call. What the missing threads should do is not done, and nobody would know. */
GSHMEMI_SLOW void gshmemi_check_group_at(const char *call, uint64_t caller)
{
	const unsigned count = gshmemi_arch_group_count(), due = gshmemi_arch_group_due();

	if (count != due)
		gshmemi_fault_raise(GSHMEMI_FAULT_MISSING_THREADS, -1, NULL, 0, count, due, call, caller);
}

GSHMEMI_FN void gshmemi_check_group(int scope, const char *call)
{
	if (scope == GSHMEMI_WG && gshmemi_is_slow(GSHMEMI_SLOW_CHECK))
		gshmemi_check_group_at(call, gshmemi_arch_caller());
}

/*
 * GSHMEM_CHECK: all threads of the group pass the same four words; all of a work-group are there. The lanes of a wave where
 * the platform keeps keys apart (GSHMEMI_ARCH_KEEPS_KEYS_APART) make different calls if a or b differ, or d, which is the PE,
 * of GSHMEMI_ARGS_MOVE. what packs scope, set and caller.
 */
GSHMEMI_SLOW void gshmemi_check_args_at(uint64_t what, uint64_t a, uint64_t b, uint64_t c, uint64_t d, const char *call)
{
	const int scope = (int)(what & 3), set = (int)(what >> 2 & 255);
	uint64_t first[4] = {a, b, c, d}, mask, mine = 0, theirs = 0;
	unsigned which = 0;

	if (scope == GSHMEMI_WG) {
		gshmemi_arch_group_read(first);
	} else {
		mask = gshmemi_arch_wave_enter(GSHMEMI_KEY(set == GSHMEMI_ARGS_MOVE ? a ^ d << 48 : a, b));
		first[0] = gshmemi_arch_broadcast(a, mask);
		first[1] = gshmemi_arch_broadcast(b, mask);
		first[2] = gshmemi_arch_broadcast(c, mask);
		first[3] = gshmemi_arch_broadcast(d, mask);
	}
	if (first[3] != d)
		which = 4, mine = d, theirs = first[3];
	if (first[2] != c)
		which = 3, mine = c, theirs = first[2];
	if (first[1] != b)
		which = 2, mine = b, theirs = first[1];
	if (first[0] != a)
		which = 1, mine = a, theirs = first[0];
	if (which) /* the others wait for this thread until the job ends */
		gshmemi_fault_raise(GSHMEMI_FAULT_UNEQUAL_THREADS, -1, NULL, (unsigned)set + which - 1, mine, theirs, call, what >> 16);
}

GSHMEMI_FN void gshmemi_check_args(int scope, int set, uint64_t a, uint64_t b, uint64_t c, uint64_t d, const char *call)
{
	if (scope == GSHMEMI_THREAD || !gshmemi_is_slow(GSHMEMI_SLOW_CHECK))
		return;
	gshmemi_check_group(scope, call);
	gshmemi_check_args_at((unsigned)scope | (unsigned)set << 2 | (uint64_t)gshmemi_arch_caller() << 16, a, b, c, d, call);
}

/* In front of gshmemi_slow_find_at with this scope, which compares where a second call is dear (GSHMEMI_ARCH_COMPARES_APART). */
GSHMEMI_FN void gshmemi_check_move(int scope, const void *dest, const void *source, size_t nbytes, int pe, const char *call)
{
	if (GSHMEMI_ARCH_COMPARES_APART)
		gshmemi_check_args(scope, GSHMEMI_ARGS_MOVE, (uintptr_t)dest, (uintptr_t)source, nbytes, (unsigned)pe, call);
	else
		gshmemi_check_group(scope, call);
}

/* ---- delayed delivery: hooks of the platform that can ---- */

#ifdef GSHMEMI_ARCH_HAS_DELIVERY
#define GSHMEMI_IS_DELAYED() ((gshmemi_state.slow & GSHMEMI_SLOW_DELIVERY) != 0)

/*
 * In a group one thread hands the operation over. It is the last one, because a GPU would have each thread move its
 * share: code that completes the operation by another thread's quiet is wrong, and shall notice.
 */
GSHMEMI_SLOW void gshmemi_delay_put(int scope, void *peer_dest, const void *source, size_t nbytes, int pe, int nbi)
{
	struct gshmemi_group group = gshmemi_group_enter(scope, GSHMEMI_KEY(peer_dest, source));

	if (group.rank == group.size - 1)
		gshmemi_delivery_put(peer_dest, source, nbytes, pe, nbi);
	gshmemi_group_sync(&group);
}

GSHMEMI_SLOW void gshmemi_delay_get(int scope, void *dest, const void *peer_source, size_t nbytes, int pe)
{
	struct gshmemi_group group = gshmemi_group_enter(scope, GSHMEMI_KEY(dest, peer_source));

	if (group.rank == group.size - 1)
		gshmemi_delivery_get(dest, peer_source, nbytes, pe);
	gshmemi_group_sync(&group);
}

GSHMEMI_SLOW void gshmemi_delay_ibput(int scope, char *peer_dest, const char *source, ptrdiff_t dst, ptrdiff_t sst,
				      size_t bsize, size_t nblocks, unsigned elem_nbytes, int pe)
{
	struct gshmemi_group group = gshmemi_group_enter(scope, GSHMEMI_KEY(peer_dest, source));
	size_t i;

	for (i = group.rank; i < nblocks; i += group.size)
		gshmemi_delivery_put(peer_dest + i * (size_t)dst * elem_nbytes, source + i * (size_t)sst * elem_nbytes,
				     bsize * elem_nbytes, pe, 0);
	gshmemi_group_sync(&group);
}

GSHMEMI_SLOW void gshmemi_delay_put_signal(int scope, void *peer_dest, const void *source, size_t nbytes,
					   uint64_t *peer_sig, uint64_t signal, int sig_op, int pe, int nbi)
{
	struct gshmemi_group group = gshmemi_group_enter(scope, GSHMEMI_KEY(peer_dest, source));

	if (group.rank == group.size - 1)
		gshmemi_delivery_put_signal(peer_dest, source, nbytes, peer_sig, signal, sig_op, pe, nbi);
	gshmemi_group_sync(&group);
}
#else
#define GSHMEMI_IS_DELAYED() 0
#define gshmemi_delay_put(scope, dest, source, nbytes, pe, nbi)                    ((void)(scope), (void)(source), (void)(nbi))
#define gshmemi_delay_get(scope, dest, source, nbytes, pe)                         ((void)(scope))
#define gshmemi_delay_ibput(scope, dest, source, dst, sst, bsize, nblocks, elem_nbytes, pe) ((void)(scope), (void)(source))
#define gshmemi_delay_put_signal(scope, dest, source, nbytes, sig, signal, op, pe, nbi) \
	((void)(scope), (void)(sig), (void)(signal), (void)(op), (void)(nbi))
#define gshmemi_delivery_amo(fetch, op, dest, value, cond, nbytes, pe)             ((void)(op), (void)(value), (void)(cond))
#define gshmemi_delivery_catch_up(pe)                                              ((void)0)
#define gshmemi_delivery_fence(context)                                            ((void)(context))
#define gshmemi_delivery_quiet(context, target_pes, npes)                          ((void)(context))
#endif

/* Why fence and quiet leave the direct path. Where hardware delivers, for posted calls alone. */
#ifdef GSHMEMI_ARCH_HAS_DELIVERY
#define GSHMEMI_SLOW_ORDER (GSHMEMI_SLOW_POSTS | GSHMEMI_SLOW_UNSET | GSHMEMI_SLOW_DELIVERY)
#else
#define GSHMEMI_SLOW_ORDER (GSHMEMI_ARCH_HAS_POSTS() ? GSHMEMI_SLOW_POSTS : 0)
#endif

/* ---- put and get ---- */

GSHMEMI_FN void *gshmemi_slow_put(int scope, void *dest, const void *source, size_t nbytes, unsigned align, int pe,
				  int nbi, const char *call)
{
	void *peer_dest;

	gshmemi_check_move(scope, dest, source, nbytes, pe, call);
	peer_dest = gshmemi_slow_find_at(gshmemi_find_what(GSHMEMI_FIND_HEAP, align, scope, 0), dest, source, nbytes, pe, call);
	if (!GSHMEMI_IS_DELAYED())
		return peer_dest;
	gshmemi_delay_put(scope, peer_dest, source, nbytes, pe, nbi);
	return NULL;
}

GSHMEMI_FN void *gshmemi_slow_get(int scope, void *dest, const void *source, size_t nbytes, unsigned align, int pe,
				  int nbi, const char *call)
{
	void *peer_source;

	gshmemi_check_move(scope, dest, source, nbytes, pe, call);
	peer_source = gshmemi_slow_find_at(gshmemi_find_what(GSHMEMI_FIND_HEAP, align, scope, 1), source, dest, nbytes, pe, call);
	if (!nbi || !GSHMEMI_IS_DELAYED())
		return peer_source;
	gshmemi_delay_get(scope, dest, peer_source, nbytes, pe);
	return NULL;
}

/* Asks for the address of the value only where it must be in memory: a GPU keeps it in registers. */
GSHMEMI_FN void *gshmemi_slow_p(void *dest, const void *value, unsigned nbytes, int pe, const char *call)
{
	void *peer_dest = gshmemi_slow_find(GSHMEMI_FIND_HEAP, dest, dest, nbytes, nbytes, pe, call);

	if (!GSHMEMI_IS_DELAYED())
		return peer_dest;
	gshmemi_delay_put(GSHMEMI_THREAD, peer_dest, value, nbytes, pe, 0);
	return NULL;
}

/* ---- strided ---- */

/* Bytes that nblocks blocks of bsize elements at this stride span. */
GSHMEMI_FN size_t gshmemi_span(size_t bsize, size_t nblocks, ptrdiff_t stride, unsigned elem_nbytes)
{
	return bsize && nblocks ? ((nblocks - 1) * (size_t)stride + bsize) * elem_nbytes : 0;
}

/* What all threads of the group pass alike, of a put or a get. */
GSHMEMI_FN void gshmemi_check_blocks(int scope, const void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
				     size_t nblocks, int pe, const char *call)
{
	gshmemi_check_args(scope, GSHMEMI_ARGS_MOVE, (uintptr_t)dest, (uintptr_t)source, 0, (unsigned)pe, call);
	gshmemi_check_args(scope, GSHMEMI_ARGS_STRIDE, (uint64_t)dst, (uint64_t)sst, bsize, nblocks, call);
}

/* Blocks may touch, but not overlap: a stride is at least bsize, which is 1 for single elements. */
GSHMEMI_FN void *gshmemi_slow_blocks(const void *symmetric, const void *local, ptrdiff_t symmetric_stride,
				     ptrdiff_t local_stride, size_t bsize, size_t nblocks, unsigned elem_nbytes, int pe,
				     const char *call)
{
	gshmemi_check_argument(symmetric_stride > 0 && (size_t)symmetric_stride >= bsize, symmetric_stride, symmetric, pe, call);
	gshmemi_check_argument(local_stride > 0 && (size_t)local_stride >= bsize, local_stride, symmetric, pe, call);
	return gshmemi_slow_find(GSHMEMI_FIND_HEAP, symmetric, local,
				 gshmemi_span(bsize, nblocks, symmetric_stride, elem_nbytes),
				 elem_nbytes < 8 ? elem_nbytes : 8, pe, call);
}

GSHMEMI_FN void *gshmemi_slow_ibput(int scope, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
				    size_t nblocks, unsigned elem_nbytes, int pe, const char *call)
{
	void *peer_dest;

	gshmemi_check_blocks(scope, dest, source, dst, sst, bsize, nblocks, pe, call);
	peer_dest = gshmemi_slow_blocks(dest, source, dst, sst, bsize, nblocks, elem_nbytes, pe, call);
	if (!GSHMEMI_IS_DELAYED())
		return peer_dest;
	gshmemi_delay_ibput(scope, (char *)peer_dest, (const char *)source, dst, sst, bsize, nblocks, elem_nbytes, pe);
	return NULL;
}

GSHMEMI_FN void *gshmemi_slow_ibget(int scope, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
				    size_t nblocks, unsigned elem_nbytes, int pe, const char *call)
{
	gshmemi_check_blocks(scope, dest, source, dst, sst, bsize, nblocks, pe, call);
	return gshmemi_slow_blocks(source, dest, sst, dst, bsize, nblocks, elem_nbytes, pe, call);
}

/* ---- atomics and signals ---- */

/* A blocking atomic: one that returns a value is carried out at once, after what a fence put before it. */
GSHMEMI_FN void *gshmemi_slow_amo(int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, int fetches,
				  int pe, const char *call)
{
	void *peer_dest = gshmemi_slow_find(GSHMEMI_FIND_AMO, dest, dest, nbytes, nbytes, pe, call);

	if (!GSHMEMI_IS_DELAYED())
		return peer_dest;
	if (fetches) {
		gshmemi_delivery_catch_up(pe);
		return peer_dest;
	}
	gshmemi_delivery_amo(NULL, op, peer_dest, value, cond, nbytes, pe);
	return NULL;
}

GSHMEMI_FN void *gshmemi_slow_amo_nbi(void *fetch, int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes,
				      int pe, const char *call)
{
	void *peer_dest = gshmemi_slow_find(GSHMEMI_FIND_AMO, dest, fetch, nbytes, nbytes, pe, call);

	if (!GSHMEMI_IS_DELAYED())
		return peer_dest;
	gshmemi_delivery_amo(fetch, op, peer_dest, value, cond, nbytes, pe);
	return NULL;
}

GSHMEMI_FN void *gshmemi_slow_signal(uint64_t *sig_addr, int sig_op, int pe, const char *call)
{
	gshmemi_check_argument(sig_op == GSHMEM_SIGNAL_SET || sig_op == GSHMEM_SIGNAL_ADD, sig_op, sig_addr, pe, call);
	return gshmemi_slow_find(sig_op == GSHMEM_SIGNAL_ADD ? GSHMEMI_FIND_AMO : GSHMEMI_FIND_HEAP, sig_addr, sig_addr,
				 sizeof *sig_addr, sizeof *sig_addr, pe, call);
}

GSHMEMI_FN void *gshmemi_slow_put_signal(int scope, void *dest, const void *source, size_t nbytes, unsigned align,
					 void *peer_sig, uint64_t signal, int sig_op, int pe, int nbi, const char *call)
{
	void *peer_dest = gshmemi_slow_find_at(gshmemi_find_what(GSHMEMI_FIND_HEAP, align, scope, 0), dest, source, nbytes, pe, call);

	if (!GSHMEMI_IS_DELAYED())
		return peer_dest;
	gshmemi_delay_put_signal(scope, peer_dest, source, nbytes, (uint64_t *)peer_sig, signal, sig_op, pe, nbi);
	return NULL;
}

/* ---- order, waits ---- */

/*
 * A group's fence also orders what one thread did before what another does after: each completes its own. context is as in
 * gshmemi_pe_context.
 */
GSHMEMI_SLOW void gshmemi_slow_fence_at(int scope, int context, const char *call, uint64_t caller)
{
	if (gshmemi_state.slow & GSHMEMI_SLOW_UNSET)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_INITIALIZED, -1, NULL, 0, 0, 0, call, caller);
	if (GSHMEMI_IS_DELAYED() && scope == GSHMEMI_THREAD)
		gshmemi_delivery_fence(context);
	else if (GSHMEMI_IS_DELAYED())
		gshmemi_delivery_quiet(context, NULL, 0);
}

/* target_pes NULL: all. */
GSHMEMI_SLOW void gshmemi_slow_quiet_at(int context, const int *target_pes, size_t npes, const char *call, uint64_t caller)
{
	int fault = gshmemi_state.slow & GSHMEMI_SLOW_UNSET ? GSHMEMI_FAULT_NOT_INITIALIZED : 0, pe = -1;
	size_t i;

	for (i = 0; !fault && target_pes && i < npes; i++) {
		pe = target_pes[i];
		if (pe < 0 || pe >= gshmemi_state.npes)
			fault = GSHMEMI_FAULT_BAD_PE;
	}
	if (fault)
		gshmemi_fault_raise(fault, pe, NULL, 0, (uint64_t)gshmemi_state.npes, 0, call, caller);
	if (GSHMEMI_IS_DELAYED())
		gshmemi_delivery_quiet(context, target_pes, npes);
}

/* The objects of a wait or test, aligned to align, lie in this PE's heap, and cmp is an operator. */
GSHMEMI_SLOW void gshmemi_slow_wait_at(const void *ivar, size_t nbytes, unsigned align, int cmp, const char *call,
				       uint64_t caller)
{
	uint64_t found = 0, expected = 0;
	int fault = 0;

	if (gshmemi_state.slow & GSHMEMI_SLOW_UNSET)
		fault = GSHMEMI_FAULT_NOT_INITIALIZED;
	else if (gshmemi_state.slow & GSHMEMI_SLOW_CHECK && nbytes)
		fault = gshmemi_check_symmetric(ivar, nbytes, align, &expected);
	if (!fault && gshmemi_state.slow & GSHMEMI_SLOW_CHECK && (cmp < GSHMEM_CMP_EQ || cmp > GSHMEM_CMP_LE)) {
		fault = GSHMEMI_FAULT_BAD_ARGUMENT;
		found = (uint64_t)cmp;
	}
	if (fault)
		gshmemi_fault_raise(fault, fault == GSHMEMI_FAULT_BAD_ARGUMENT ? -1 : gshmemi_state.my_pe, ivar, nbytes,
				    found, expected, call, caller);
}

#define gshmemi_slow_fence(scope, context, call) gshmemi_slow_fence_at(scope, context, call, gshmemi_arch_caller())
#define gshmemi_slow_quiet(context, target_pes, npes, call) \
	gshmemi_slow_quiet_at(context, target_pes, npes, call, gshmemi_arch_caller())
#define gshmemi_slow_wait(ivar, nbytes, align, cmp, call) \
	gshmemi_slow_wait_at(ivar, nbytes, align, cmp, call, gshmemi_arch_caller())

#endif /* GSHMEM_SLOW_H */
