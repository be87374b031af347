/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_STATS: counters of operations and bytes, for each PE that this PE asks something of. The counting
 * sits behind the sentinels, where every operation of such a job passes, so that a job without it executes no
 * instruction for it.
 */
#ifndef GSHMEM_COUNT_H
#define GSHMEM_COUNT_H

#include <gshmem/move/carry.h>

/* What an operation counts as, and what GSHMEM_STATS and GSHMEM_TRACE call it. */
#define GSHMEMI_COUNT_KINDS(X) \
	X(PUT, "put") \
	X(GET, "get") \
	X(AMO, "amo") \
	X(SIGNAL, "signal") \
	X(COLLECTIVE, "collective") /* the puts and gets of a collective */ \
	X(FLAG, "flag")             /* words of 8 bytes by which barriers, collectives and windows tell PEs */
enum gshmemi_count_kind {
#define GSHMEMI_KIND(NAME, TEXT) GSHMEMI_COUNT_##NAME,
	GSHMEMI_COUNT_KINDS(GSHMEMI_KIND)
#undef GSHMEMI_KIND
		GSHMEMI_COUNT_NKINDS
};

/* Who performs an operation: the caller, by loads and stores or an atomic; or a carrier. */
enum gshmemi_count_way { GSHMEMI_COUNT_DIRECT, GSHMEMI_COUNT_CARRIED, GSHMEMI_COUNT_NWAYS };

/* One counter. A table is [npes][GSHMEMI_COUNT_NKINDS][GSHMEMI_COUNT_NWAYS]. */
struct gshmemi_count {
	uint64_t nops;
	uint64_t nbytes;
};

/* The library's own calls have a table that the CPU reaches, on every platform. */
#ifdef GSHMEMI_LIBRARY
extern struct gshmemi_count *gshmemi_host_counts;
#define GSHMEMI_COUNTS gshmemi_host_counts
#else
#define GSHMEMI_COUNTS gshmemi_state.counts
#endif

GSHMEMI_FN void gshmemi_count_add(int kind, int way, int pe, uint64_t nbytes)
{
	const unsigned row = (unsigned)gshmemi_pe_in_world(pe) * GSHMEMI_COUNT_NKINDS + (unsigned)kind;
	struct gshmemi_count *count = &GSHMEMI_COUNTS[row * GSHMEMI_COUNT_NWAYS + (unsigned)way];

	(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &count->nops, 1, 0);
	(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &count->nbytes, nbytes, 0);
}

/* What counts as what; pe with its context, which tells a collective's operations. */
GSHMEMI_FN int gshmemi_kind_of(int what, unsigned region, int op, uint64_t cond, int pe)
{
	if (what == GSHMEMI_FLAG || region == GSHMEMI_REGION_SYNC || region == GSHMEMI_REGION_CONTROL)
		return GSHMEMI_COUNT_FLAG;
	if (gshmemi_pe_context(pe) == GSHMEMI_CTX_LIBRARY)
		return GSHMEMI_COUNT_COLLECTIVE;
	if (gshmemi_is_update(what))
		return what == GSHMEMI_AMO && (op == GSHMEMI_AMO_ADD || op == GSHMEMI_AMO_SET) &&
				cond == GSHMEMI_COND_SIGNAL
			? GSHMEMI_COUNT_SIGNAL
			: GSHMEMI_COUNT_AMO;
	return gshmemi_is_get(what) ? GSHMEMI_COUNT_GET : GSHMEMI_COUNT_PUT;
}

GSHMEMI_FN int gshmemi_way_of(unsigned region, int pe, int is_amo)
{
	const int peer = gshmemi_state.peers[gshmemi_pe_in_world(pe)];
	const int is_direct = !(peer & GSHMEMI_PEER_CARRIED) && !(gshmemi_state.why & GSHMEMI_WHY_DELIVERY) &&
		gshmemi_distance(region, peer, is_amo) != GSHMEMI_SENTINEL;

	return is_direct ? GSHMEMI_COUNT_DIRECT : GSHMEMI_COUNT_CARRIED;
}

/* An operation of which its caller knows that GSHMEM_STATS counts it. */
GSHMEMI_FN void gshmemi_count_one(int what, unsigned region, int op, uint64_t cond, uint64_t nbytes, int pe)
{
	if (nbytes) /* else the call does nothing */
		gshmemi_count_add(gshmemi_kind_of(what, region, op, cond, pe),
			gshmemi_way_of(region, pe, gshmemi_is_update(what)), pe, nbytes);
}

#endif /* GSHMEM_COUNT_H */
