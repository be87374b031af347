/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An int that holds a PE of the world and, if not the default one, a context and a mark. The slow path
 * learns of contexts this way. The mark is the highest bit that a shift by 3 keeps: with it the direct path
 * takes its last entry, which sends the call to the slow path (gshmemi_peer_entry). So operations in a
 * context name a PE that is direct without it (gshmemi_pe_for).
 */
#ifndef GSHMEM_PE_H
#define GSHMEM_PE_H

#include <gshmem/arch/arch.h>

/* bits 0 - 15: the PE; 16 - 27: the context's lower 12 bits; 28: the mark; 29 and 30: its upper 2 bits */
#define GSHMEMI_PE_CONTEXT_SHIFT 16
#define GSHMEMI_PE_CONTEXT_LOW   0xfff
#define GSHMEMI_PE_MARK          (1 << 28)
#define GSHMEMI_PE_CONTEXTS      (1 << 14)
/* of the library's own operations; no handle has it */
#define GSHMEMI_CTX_LIBRARY      (GSHMEMI_PE_CONTEXTS - 1)

#define GSHMEMI_NPES_LIMIT (1 << GSHMEMI_PE_CONTEXT_SHIFT)

/* The context of a PE that may carry one; 0: the default one. */
GSHMEMI_FN int gshmemi_pe_context(int pe)
{
	const int low = pe >> GSHMEMI_PE_CONTEXT_SHIFT & GSHMEMI_PE_CONTEXT_LOW,
		  high = pe >> (GSHMEMI_PE_CONTEXT_SHIFT + 1) & (GSHMEMI_PE_CONTEXTS - 1) &
		~GSHMEMI_PE_CONTEXT_LOW;

	/* marked, without a context: a PE number that is too large */
	return pe >= 0 && pe & GSHMEMI_PE_MARK ? high | low : 0;
}

GSHMEMI_FN int gshmemi_pe_in_world(int pe)
{
	return gshmemi_pe_context(pe) ? pe & (GSHMEMI_NPES_LIMIT - 1) : pe;
}

/* Combines a PE of the world and a context that is not the default one. */
GSHMEMI_FN int gshmemi_pe_with_context(int world_pe, int context)
{
	return world_pe | (context & GSHMEMI_PE_CONTEXT_LOW) << GSHMEMI_PE_CONTEXT_SHIFT | GSHMEMI_PE_MARK |
		(context & ~GSHMEMI_PE_CONTEXT_LOW) << (GSHMEMI_PE_CONTEXT_SHIFT + 1);
}

#endif /* GSHMEM_PE_H */
