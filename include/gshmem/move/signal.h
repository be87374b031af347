/* SPDX-License-Identifier: BSD-3-Clause */
/* Put with signal, and signals without data. */
#ifndef GSHMEM_SIGNAL_H
#define GSHMEM_SIGNAL_H

#include <gshmem/move/amo.h>
#include <gshmem/move/rma.h>

/*
 * Only atomics update signals, so the table for atomics serves both addresses by one load and one test: its
 * entry for a PE is a sentinel, or the same distance as in the table for puts.
 */
GSHMEMI_FN void gshmemi_put_signal(struct gshmemi_where where, int scope, void *dest, const void *source,
	struct gshmemi_extent extent, struct gshmemi_signal s, int pe, const char *call)
{
	uint64_t open = gshmemi_record_move(scope, GSHMEMI_PUT, where, extent.nbytes, pe, call);
	void *peer_dest, *peer_sig;

	if (GSHMEMI_ON_HOST())
		gshmemi_host_put_signal(where.region, dest, source, extent, s, pe, call);
	else if (gshmemi_peer_ptr_pair(where.amo_delta, dest, s.addr, pe, &peer_dest, &peer_sig))
		gshmemi_copy_signal(scope, peer_dest, source, extent.nbytes, extent.align,
			(uint64_t *)peer_sig, s.value, s.op);
	else
		gshmemi_slow_put_signal(where.region, scope, dest, source, extent, s, pe, call);
	gshmemi_record_end(scope, open);
	/* the signal, as a moment */
	open = gshmemi_record(
		scope, GSHMEMI_AMO, where.region, GSHMEMI_AMO_SET, GSHMEMI_COND_SIGNAL, 8, pe, call);
	gshmemi_record_end(scope, open);
}

#ifndef GSHMEMI_BODIES /* defined by files of the library that export other calls */

/* ---- the API ---- */

#define GSHMEMI_PUT_SIGNAL(PREFIX, NAME, SUFFIX, TYPE, SIZE, ALIGN, SCOPE, NBI) \
	GSHMEM_API void PREFIX##_##NAME##SUFFIX(TYPE *dest, const TYPE *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
	{ \
		GSHMEMI_STAMPED(put_signal, SCOPE, dest, source, \
			gshmemi_make_extent(nelems *(SIZE), ALIGN, NBI), \
			gshmemi_make_signal(sig_addr, signal, sig_op), pe, #PREFIX "_" #NAME #SUFFIX); \
	}
#define GSHMEMI_TYPED(PREFIX, NAME, TYPE, SUFFIX, SCOPE) \
	GSHMEMI_PUT_SIGNAL(PREFIX, NAME, _put_signal##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), \
		GSHMEMI_ALIGNOF(TYPE), SCOPE, 0) \
	GSHMEMI_PUT_SIGNAL(PREFIX, NAME, _put_signal_nbi##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), \
		GSHMEMI_ALIGNOF(TYPE), SCOPE, 1)
#define GSHMEMI_SIZED(PREFIX, SIZE, NBYTES, SUFFIX, SCOPE) \
	GSHMEMI_PUT_SIGNAL(PREFIX, put##SIZE, _signal##SUFFIX, void, NBYTES, 1, SCOPE, 0) \
	GSHMEMI_PUT_SIGNAL(PREFIX, put##SIZE, _signal_nbi##SUFFIX, void, NBYTES, 1, SCOPE, 1)

#define GSHMEMI_DEFINE(NAME, TYPE) GSHMEMI_TYPED(gshmem, NAME, TYPE, , GSHMEMI_THREAD)
GSHMEM_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_OF_GROUPS(GSHMEMI_TYPED(gshmemx, NAME, TYPE, _wave, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_TYPED(gshmemx, NAME, TYPE, _wg, GSHMEMI_WG))
GSHMEM_RMA_TYPES(GSHMEMI_DEFINE)
GSHMEMX_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
#define GSHMEMI_DEFINE(SIZE, NBYTES) \
	GSHMEMI_SIZED(gshmem, SIZE, NBYTES, , GSHMEMI_THREAD) \
	GSHMEMI_OF_GROUPS(GSHMEMI_SIZED(gshmemx, SIZE, NBYTES, _wave, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_SIZED(gshmemx, SIZE, NBYTES, _wg, GSHMEMI_WG))
GSHMEM_RMA_SIZES(GSHMEMI_DEFINE)
GSHMEMI_DEFINE(mem, 1)
#undef GSHMEMI_DEFINE

GSHMEM_API void gshmem_signal_set(uint64_t *sig_addr, uint64_t signal, int pe)
{
	(void)gshmemi_amo(gshmemi_in_heap(), sig_addr,
		gshmemi_make_update(GSHMEMI_AMO_SET, signal, GSHMEMI_COND_SIGNAL, 8, 0), pe,
		"gshmem_signal_set");
}

GSHMEM_API void gshmem_signal_add(uint64_t *sig_addr, uint64_t signal, int pe)
{
	(void)gshmemi_amo(gshmemi_in_heap(), sig_addr,
		gshmemi_make_update(GSHMEMI_AMO_ADD, signal, GSHMEMI_COND_SIGNAL, 8, 0), pe,
		"gshmem_signal_add");
}

GSHMEM_API uint64_t gshmem_signal_fetch(const uint64_t *sig_addr)
{
#ifdef GSHMEMI_LIBRARY
	return gshmemi_host_signal_fetch(sig_addr);
#else
	return GSHMEMI_ON_HOST() ? gshmemi_host_signal_fetch(sig_addr)
				 : gshmemi_arch_load(sig_addr, sizeof *sig_addr);
#endif
}

#undef GSHMEMI_PUT_SIGNAL
#undef GSHMEMI_TYPED
#undef GSHMEMI_SIZED

#endif /* GSHMEMI_BODIES */

#endif /* GSHMEM_SIGNAL_H */
