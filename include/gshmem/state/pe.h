/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PE of the world together with a context other than the default one, in an int: how the slow path is told of contexts,
 * which the direct path does not know. Tables are read by the lowest bits alone, which hold 65536 PEs.
 */
#ifndef GSHMEM_PE_H
#define GSHMEM_PE_H

#include <gshmem/arch/arch.h>

#define GSHMEMI_PE_MARK          0x40000000
#define GSHMEMI_PE_CONTEXT_SHIFT 16
#define GSHMEMI_PE_CONTEXTS      (1 << 14)
#define GSHMEMI_CTX_LIBRARY      (GSHMEMI_PE_CONTEXTS - 1) /* the library's own operations: no handle has this number */

#define GSHMEMI_NPES_LIMIT       (1 << GSHMEMI_PE_CONTEXT_SHIFT)

/* The number in the world of a PE that may have a context with it, and which context: 0 is the default one. */
GSHMEMI_FN int gshmemi_pe_context(int pe)
{
	const int context = pe >> GSHMEMI_PE_CONTEXT_SHIFT & (GSHMEMI_PE_CONTEXTS - 1);

	return pe >= 0 && pe & GSHMEMI_PE_MARK ? context : 0; /* a number that is marked, and has none, is just too large */
}

GSHMEMI_FN int gshmemi_pe_in_world(int pe)
{
	return gshmemi_pe_context(pe) ? pe & (GSHMEMI_NPES_LIMIT - 1) : pe;
}

/* A PE of the world with a context that is not the default one. */
GSHMEMI_FN int gshmemi_pe_with_context(int world_pe, int context)
{
	return world_pe | context << GSHMEMI_PE_CONTEXT_SHIFT | GSHMEMI_PE_MARK;
}

#endif /* GSHMEM_PE_H */
