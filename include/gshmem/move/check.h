/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_CHECK: finds what is wrong with the arguments of a call. All of it lies behind a sentinel or a
 * bit of gshmemi_state.why.
 */
#ifndef GSHMEM_CHECK_H
#define GSHMEM_CHECK_H

#include <gshmem/move/copy.h>
#include <gshmem/state/fault.h>

#ifdef GSHMEMI_LIBRARY
extern uint64_t *gshmemi_host_allocation_end; /* the same in host memory, for host calls */
#define GSHMEMI_ALLOCATION_END gshmemi_host_allocation_end
#else
#define GSHMEMI_ALLOCATION_END gshmemi_state.allocation_end
#endif

/*
 * Returns what is wrong with the symmetric object [address, address + nbytes), which must lie aligned in one
 * allocation: a GSHMEMI_FAULT_*, or 0. *expected_p is for the fault record.
 */
GSHMEMI_FN int gshmemi_check_symmetric(
	const void *address, size_t nbytes, unsigned align, uint64_t *expected_p)
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
	end = GSHMEMI_ALLOCATION_END[offset / GSHMEMI_GRANULE];
	if (end <= offset)
		return GSHMEMI_FAULT_NOT_ALLOCATED;
	*expected_p = end - offset;
	return nbytes > end - offset ? GSHMEMI_FAULT_BEYOND_ALLOCATION : 0;
}

/* Reports a bad operator or stride. */
GSHMEMI_COLD void gshmemi_bad_argument_at(
	int64_t value, const void *address, int pe, const char *call, uint64_t caller)
{
	gshmemi_fault_raise(GSHMEMI_FAULT_BAD_ARGUMENT, pe, address, 0, (uint64_t)value, 1, call, caller);
}

GSHMEMI_FN void gshmemi_check_argument(
	int is_good, int64_t value, const void *address, int pe, const char *call)
{
	if (gshmemi_state.why & GSHMEMI_WHY_CHECK && !is_good)
		gshmemi_bad_argument_at(value, address, pe, call, gshmemi_arch_caller());
}

/*
 * GSHMEM_CHECK: the whole work-group makes the call. The share of a missing thread would
 * silently stay undone.
 */
GSHMEMI_COLD void gshmemi_check_group_at(const char *call, uint64_t caller)
{
	const unsigned count = gshmemi_arch_group_count(), due = gshmemi_arch_group_due();

	if (count != due)
		gshmemi_fault_raise(GSHMEMI_FAULT_MISSING_THREADS, -1, NULL, 0, count, due, call, caller);
}

GSHMEMI_FN void gshmemi_check_group(int scope, const char *call)
{
	if (scope == GSHMEMI_WG && gshmemi_is_slow(GSHMEMI_WHY_CHECK))
		gshmemi_check_group_at(call, gshmemi_arch_caller());
}

/*
 * GSHMEM_CHECK: all threads of the group are there and pass the same four words. Where the platform keeps
 * keys apart (GSHMEMI_ARCH_KEEPS_KEYS_APART), lanes of a wave that differ in a or b make different calls, and
 * so do those that differ in d, the PE, of GSHMEMI_ARGS_MOVE. what packs scope, set and caller.
 */
GSHMEMI_COLD void gshmemi_check_args_at(
	uint64_t what, uint64_t a, uint64_t b, uint64_t c, uint64_t d, const char *call)
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
		gshmemi_fault_raise(GSHMEMI_FAULT_UNEQUAL_THREADS, -1, NULL, (unsigned)set + which - 1, mine,
			theirs, call, what >> 16);
}

GSHMEMI_FN void gshmemi_check_args(
	int scope, int set, uint64_t a, uint64_t b, uint64_t c, uint64_t d, const char *call)
{
	if (scope == GSHMEMI_THREAD || !gshmemi_is_slow(GSHMEMI_WHY_CHECK))
		return;
	gshmemi_check_group(scope, call);
	gshmemi_check_args_at((unsigned)scope | (unsigned)set << 2 | (uint64_t)gshmemi_arch_caller() << 16, a,
		b, c, d, call);
}

/*
 * Comes before gshmemi_slow_at with this scope, which compares by itself unless GSHMEMI_ARCH_COMPARES_APART.
 */
GSHMEMI_FN void gshmemi_check_move(
	int scope, const void *dest, const void *source, size_t nbytes, int pe, const char *call)
{
	if (GSHMEMI_ARCH_COMPARES_APART)
		gshmemi_check_args(scope, GSHMEMI_ARGS_MOVE, (uintptr_t)dest, (uintptr_t)source, nbytes,
			(unsigned)pe, call);
	else
		gshmemi_check_group(scope, call);
}

/* Bytes from the first block's start to the last one's end, at this stride. */
GSHMEMI_FN size_t gshmemi_span(struct gshmemi_blocks b, ptrdiff_t stride)
{
	return b.bsize && b.nblocks ? ((b.nblocks - 1) * (size_t)stride + b.bsize) * b.elem_nbytes : 0;
}

/* Checks that all threads of the group pass the same to a put or get of blocks. */
GSHMEMI_FN void gshmemi_check_blocks(
	int scope, const void *dest, const void *source, struct gshmemi_blocks b, int pe, const char *call)
{
	gshmemi_check_args(
		scope, GSHMEMI_ARGS_MOVE, (uintptr_t)dest, (uintptr_t)source, 0, (unsigned)pe, call);
	gshmemi_check_args(
		scope, GSHMEMI_ARGS_STRIDE, (uint64_t)b.dst, (uint64_t)b.sst, b.bsize, b.nblocks, call);
}

/* Checks a wait or test: its objects lie, aligned to align, in this PE's heap, and cmp is an operator. */
GSHMEMI_COLD void gshmemi_slow_wait_at(
	const void *ivar, size_t nbytes, unsigned align, int cmp, const char *call, uint64_t caller)
{
	uint64_t found = 0, expected = 0;
	int fault = 0;

	if (gshmemi_state.why & GSHMEMI_WHY_UNSET)
		fault = GSHMEMI_FAULT_NOT_INITIALIZED;
	else if (gshmemi_state.why & GSHMEMI_WHY_CHECK && nbytes)
		fault = gshmemi_check_symmetric(ivar, nbytes, align, &expected);
	if (!fault && gshmemi_state.why & GSHMEMI_WHY_CHECK && (cmp < GSHMEM_CMP_EQ || cmp > GSHMEM_CMP_LE)) {
		fault = GSHMEMI_FAULT_BAD_ARGUMENT;
		found = (uint64_t)cmp;
	}
	if (fault)
		gshmemi_fault_raise(fault, fault == GSHMEMI_FAULT_BAD_ARGUMENT ? -1 : gshmemi_state.my_pe,
			ivar, nbytes, found, expected, call, caller);
}

#define gshmemi_slow_wait(ivar, nbytes, align, cmp, call) \
	gshmemi_slow_wait_at(ivar, nbytes, align, cmp, call, gshmemi_arch_caller())

#endif /* GSHMEM_CHECK_H */
