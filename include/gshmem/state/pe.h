/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An int that holds a PE of the world and, if not the default one, a context. The slow path learns of
 * contexts this way; the direct path ignores them, because it reads its tables by the lowest bits alone,
 * which hold 65536 PEs.
 */
#ifndef GSHMEM_PE_H
#define GSHMEM_PE_H

#include <gshmem/arch/arch.h>

#define GSHMEMI_PE_MARK          0x40000000
#define GSHMEMI_PE_CONTEXT_SHIFT 16
#define GSHMEMI_PE_CONTEXTS      (1 << 14)
/* of the library's own operations; no handle has it */
#define GSHMEMI_CTX_LIBRARY      (GSHMEMI_PE_CONTEXTS - 1)

#define GSHMEMI_NPES_LIMIT       (1 << GSHMEMI_PE_CONTEXT_SHIFT)

/* The context of a PE that may carry one; 0: the default one. */
GSHMEMI_FN int gshmemi_pe_context(int pe)
{
	const int context = pe >> GSHMEMI_PE_CONTEXT_SHIFT & (GSHMEMI_PE_CONTEXTS - 1);

	/* marked, without a context: a PE number that is too large */
	return pe >= 0 && pe & GSHMEMI_PE_MARK ? context : 0;
}

GSHMEMI_FN int gshmemi_pe_in_world(int pe)
{
	return gshmemi_pe_context(pe) ? pe & (GSHMEMI_NPES_LIMIT - 1) : pe;
}

/* Combines a PE of the world and a context that is not the default one. */
GSHMEMI_FN int gshmemi_pe_with_context(int world_pe, int context)
{
	return world_pe | context << GSHMEMI_PE_CONTEXT_SHIFT | GSHMEMI_PE_MARK;
}

#endif /* GSHMEM_PE_H */
