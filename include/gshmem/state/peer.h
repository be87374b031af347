/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The direct path: turns an address and a PE into an address that this PE can use. gshmemi_peer_ptr and
 * gshmemi_peer_ptr_pair alone read the direct tables. What is not on the direct path adds a distance of the
 * true tables (gshmemi_distance and gshmemi_mapped of move/carry.h, the host's gshmemi_region_delta): the
 * slow path, gshmem_ptr, windows' addresses, the mailbox.
 */
#ifndef GSHMEM_PEER_H
#define GSHMEM_PEER_H

#include <gshmem/state/host.h>
#include <gshmem/state/pe.h>

/*
 * True where a function of the library takes over: on the CPU in a HIP unit; and in the library itself if the
 * CPU cannot reach the heap. If it can, the library's functions use the bodies in these headers.
 */
#ifdef GSHMEMI_LIBRARY
#define GSHMEMI_ON_HOST() (!GSHMEMI_ARCH_HOST_DIRECT)
#else
#define GSHMEMI_ON_HOST()              (!GSHMEMI_ARCH_IN_KERNEL)
#define GSHMEMI_ENTER(call)            ((void)0) /* the library's own: src/base/base.h */
#define GSHMEMI_ENTER_COLLECTIVE(call) ((void)0)
#endif

/* The direct tables, by an address that all loads of a call share. */
GSHMEMI_FN const struct gshmemi_direct *gshmemi_tables(void)
{
	const struct gshmemi_direct *direct = &gshmemi_state.direct;

#ifndef GSHMEM_DIRECT_ONLY /* which reads one field of them */
	GSHMEMI_ARCH_SHARE_ADDRESS(direct);
#endif
	return direct;
}

/*
 * The region of an operation: its direct tables, and its number for the slow path. Constant,
 * except for windows.
 */
struct gshmemi_where {
	const ptrdiff_t *delta;     /* [GSHMEM_MAX_PES] */
	const ptrdiff_t *amo_delta; /* likewise, for atomics */
	unsigned region;
};

GSHMEMI_FN struct gshmemi_where gshmemi_in_heap(void)
{
	struct gshmemi_where where = {NULL, NULL, GSHMEMI_REGION_HEAP};

	if (!GSHMEMI_ON_HOST()) { /* the host needs no tables, and may not read the state of a GPU's unit */
		where.delta = gshmemi_tables()->delta;
		where.amo_delta = gshmemi_tables()->amo_delta;
	}
	return where;
}

GSHMEMI_FN struct gshmemi_where gshmemi_in_sync(void)
{
	struct gshmemi_where where = {NULL, NULL, GSHMEMI_REGION_SYNC};

	if (!GSHMEMI_ON_HOST()) {
		where.delta = gshmemi_tables()->sync_delta;
		where.amo_delta = where.delta;
	}
	return where;
}

/*
 * A region that was made after init, in a kernel launched after gshmemi_region_open: two loads
 * find its table.
 */
GSHMEMI_FN struct gshmemi_where gshmemi_in_region(unsigned region)
{
	struct gshmemi_where where = {NULL, NULL, region};

	if (!GSHMEMI_ON_HOST()) {
		where.delta = gshmemi_state.tables[region]->delta;
		where.amo_delta = gshmemi_state.tables[region]->amo_delta;
	}
	return where;
}

/*
 * Whether a PE that carries a context can be direct: where the host's own operations carry the library's, and
 * where the trace needs it. Elsewhere kernels save an instruction.
 */
#if defined GSHMEMI_LIBRARY || defined GSHMEM_TRACE_KERNELS
#define GSHMEMI_DIRECT_IN_CONTEXT 1
#else
#define GSHMEMI_DIRECT_IN_CONTEXT 0
#endif

/*
 * Byte offset, in the direct tables, of the entry of a PE: PE first + i has entry i, any other PE the last
 * one. If all PEs of the job are direct, first is 0. Counting in bytes saves a shift at the end, and takes
 * one instruction for shift and bias.
 */
GSHMEMI_FN unsigned gshmemi_peer_entry(int pe)
{
#ifdef GSHMEM_DIRECT_ONLY
	return ((unsigned)pe & (GSHMEM_MAX_PES - 1)) * 8;
#else
	const unsigned last = (GSHMEM_MAX_PES - 1) * 8;
	unsigned entry = ((unsigned)pe << 3) + gshmemi_tables()->bias;

	if (GSHMEMI_DIRECT_IN_CONTEXT)
		entry &= (GSHMEMI_NPES_LIMIT - 1) << 3;
	return entry < last ? entry : last;
#endif
}

GSHMEMI_FN ptrdiff_t gshmemi_peer_delta(const ptrdiff_t *table, int pe)
{
	return *(const ptrdiff_t *)(const void *)((const char *)table + gshmemi_peer_entry(pe));
}

GSHMEMI_FN int gshmemi_peer_is_direct(ptrdiff_t delta)
{
#ifdef GSHMEM_DIRECT_ONLY
	(void)delta;
	return 1;
#else
	/* distances are even, so the lower half tells, and a GPU compares words */
	return (int)__builtin_expect((uint32_t)delta != (uint32_t)GSHMEMI_SENTINEL, 1);
#endif
}

/*
 * Finds the address on pe of the object at address here, by one of the direct tables. Returns 0 if the
 * table holds a sentinel: take the slow path. One load, one addition, one test; gshmemi_peer_entry makes a
 * range check needless.
 */
GSHMEMI_FN int gshmemi_peer_ptr(const ptrdiff_t *table, const void *address, int pe, void **peer_p)
{
	const ptrdiff_t delta = gshmemi_peer_delta(table, pe);

	*peer_p = (char *)(uintptr_t)address + delta;
	return gshmemi_peer_is_direct(delta);
}

/* The same for two addresses, by one load from the table: compilers for AMD do not merge two. */
GSHMEMI_FN int gshmemi_peer_ptr_pair(const ptrdiff_t *table, const void *first, const void *second, int pe,
	void **peer_first_p, void **peer_second_p)
{
	ptrdiff_t delta;

	GSHMEMI_ARCH_KEEP_INSIDE(pe);
	delta = gshmemi_peer_delta(table, pe);
	*peer_first_p = (char *)(uintptr_t)first + delta;
	*peer_second_p = (char *)(uintptr_t)second + delta;
	return gshmemi_peer_is_direct(delta);
}

/*
 * A PE of the world for an operation in a context: with the context, unless the PE is direct. Then no carrier
 * has a part in the operation.
 */
GSHMEMI_FN int gshmemi_pe_for(int world_pe, int context)
{
	const struct gshmemi_direct *direct = gshmemi_tables();
	const int is_direct = gshmemi_peer_is_direct(gshmemi_peer_delta(direct->delta, world_pe)) &&
		gshmemi_peer_is_direct(gshmemi_peer_delta(direct->amo_delta, world_pe));

	return is_direct && !GSHMEMI_DIRECT_IN_CONTEXT ? world_pe
						       : gshmemi_pe_with_context(world_pe, context);
}

/*
 * Recovers the address that was passed to gshmemi_peer_ptr when that returned 0. A slow path that gets it
 * from here leaves the direct path with one address in a register instead of two.
 */
GSHMEMI_FN void *gshmemi_peer_undo(void *peer)
{
	return (char *)peer - GSHMEMI_SENTINEL;
}

/* Whether calls that name no PE must take the slow path, for one of the GSHMEMI_WHY_* reasons in why. */
GSHMEMI_FN int gshmemi_is_slow(uint32_t why)
{
#ifdef GSHMEM_DIRECT_ONLY
	(void)why;
	return 0;
#else
#if GSHMEMI_ARCH_HOST_DIRECT /* GSHMEMI_WHY_ASKED comes and goes */
	return (int)__builtin_expect((__atomic_load_n(&gshmemi_state.why, __ATOMIC_RELAXED) & why) != 0, 0);
#else
	return (int)__builtin_expect((gshmemi_state.why & why) != 0, 0);
#endif
#endif
}

#endif /* GSHMEM_PEER_H */
