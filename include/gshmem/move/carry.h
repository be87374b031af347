/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Carriers perform operations that are not the caller's own loads and stores. The slow path describes an
 * operation and hands it over. The carrier performs it or queues it; no address comes back. There are three:
 *
 *   GSHMEM_CPU_DELIVERY   takes operations on mapped PEs and performs them late (platform/cpu/delivery.c)
 *   GSHMEM_CARRY=direct   takes the same and performs them at once, out of line: gshmemi_apply
 *   the net               takes the host's operations on PEs that are not mapped, and has their owners
 *                         perform them (src/net/carry.c)
 *
 * A kernel's operations on PEs that are not mapped are requests to the library (rpc/net.h), which hands
 * them to the net.
 *
 * Carriers also keep order: gshmemi_order and gshmemi_complete ask the carriers, and make the
 * caller's own fence.
 */
#ifndef GSHMEM_CARRY_H
#define GSHMEM_CARRY_H

#include <gshmem/move/check.h>

/* Goes in front of a loop in a function that kernels may call, but rarely do. */
#if GSHMEMI_KERNELS && GSHMEMI_DEVICE_PASS
#define GSHMEMI_NO_UNROLL _Pragma("unroll 1")
#else
#define GSHMEMI_NO_UNROLL
#endif

/* cond of an atomic SET or ADD that updates a signal: by it GSHMEM_STATS tells signals from other atomics. */
#define GSHMEMI_COND_SIGNAL 1

/*
 * An operation: what a call asks of a PE. Places there are offsets in regions; local is the
 * only address here.
 */
struct gshmemi_operation {
	uint8_t what;     /* enum gshmemi_what */
	uint8_t op;       /* GSHMEMI_AMO_*: of an atomic, or of the signal; GSHMEMX_*: of an accumulate */
	uint8_t is_nbi;   /* local may be read or written until the caller completes */
	uint8_t fetches;  /* of an atomic or accumulate: the caller waits for the old values */
	uint8_t is_value; /* of a put or get: local is a value of up to 16 bytes, in private memory */
	/* of an accumulate: enum gshmemi_kind of its elements, and the bytes of each */
	uint8_t kind, elem_nbytes;
	uint8_t pad;
	uint16_t region; /* of offset: enum gshmemi_region_number */
	uint16_t sig_region;
	int32_t pe; /* of the world, and the call's context (pe.h) */
	uint64_t offset;
	uint64_t sig_offset; /* of an accumulate: of the lock of elements of 16 bytes */
	void *local;         /* source of a put, dest of a get; place for an atomic's old value, or NULL */
	uint64_t nbytes;     /* of the data; of each block; of the word of an atomic or flag: 4 or 8 */
	uint64_t nblocks;
	int64_t stride; /* bytes between blocks, on that PE */
	int64_t local_stride;
	uint64_t value; /* of an atomic, a flag or the signal; of an accumulate, address for old values */
	uint64_t cond;
};

/* ---- performing an operation by its description alone ---- */

/*
 * Copy in words of up to 8 bytes that divide both addresses and nbytes: an aligned word arrives by one store.
 * The local end may be LDS or a stack. One loop serves all sizes: kernels pay for the registers of what they
 * may call, not for time.
 */
GSHMEMI_FN void gshmemi_apply_copy(int way, char *dest, const char *source, uint64_t nbytes)
{
	const unsigned bits = (unsigned)((uintptr_t)dest | (uintptr_t)source | nbytes | 8),
		       word_nbytes = bits & -bits;

#if GSHMEMI_ARCH_HAS_COPY
	if (nbytes > 8) {
		gshmemi_arch_copy(dest, source, nbytes);
		return;
	}
#endif
	GSHMEMI_NO_UNROLL
	for (; nbytes; nbytes -= word_nbytes, dest += word_nbytes, source += word_nbytes) {
		if (word_nbytes == 8)
			gshmemi_copy_element(way, dest, source, 8, 8);
		else if (word_nbytes == 4)
			gshmemi_copy_element(way, dest, source, 4, 4);
		else if (word_nbytes == 2)
			gshmemi_copy_element(way, dest, source, 2, 2);
		else
			gshmemi_copy_element(way, dest, source, 1, 1);
	}
}

/* Update a peer's word of 4 or 8 bytes by an atomic. */
GSHMEMI_FN uint64_t gshmemi_amo_peer(int op, void *peer_dest, uint64_t value, uint64_t cond, uint64_t nbytes)
{
	if (nbytes == 4)
		return gshmemi_arch_amo32(op, (uint32_t *)peer_dest, (uint32_t)value, (uint32_t)cond);
	return gshmemi_arch_amo64(op, (uint64_t *)peer_dest, value, cond);
}

GSHMEMI_FN void gshmemi_apply_flag(uint64_t *flag, uint64_t value)
{
	uint64_t found = gshmemi_arch_load(flag, 8), old;

	while (found < value) {
		old = gshmemi_arch_amo64(GSHMEMI_AMO_CAS, flag, value, found);
		if (old == found)
			break;
		found = old;
	}
}

/*
 * Perform an operation on memory that this thread reaches. base is the PE's region, sig_base the region
 * of the signal. Returns the old value of an atomic. The release before the signal pairs with the
 * acquire of gshmemi_wait.
 */
GSHMEMI_FN uint64_t gshmemi_apply(const struct gshmemi_operation *o, char *base, char *sig_base)
{
	char *const there = base + o->offset, *const here = (char *)o->local;
	uint64_t i;

	switch (o->what) {
	case GSHMEMI_GET:
	case GSHMEMI_GET_BLOCKS:
		gshmemi_arch_fence_read_peer();
		GSHMEMI_NO_UNROLL
		for (i = 0; i < o->nblocks; i++)
			gshmemi_apply_copy(GSHMEMI_FROM_PEER, here + (int64_t)i * o->local_stride,
				there + (int64_t)i * o->stride, o->nbytes);
		return 0;
	case GSHMEMI_AMO:
		return gshmemi_amo_peer(o->op, there, o->value, o->cond, o->nbytes);
	case GSHMEMI_FLAG:
		gshmemi_apply_flag((uint64_t *)(void *)there, o->value);
		return 0;
	default:
		GSHMEMI_NO_UNROLL
		for (i = 0; i < o->nblocks; i++)
			gshmemi_apply_copy(GSHMEMI_TO_PEER, there + (int64_t)i * o->stride,
				here + (int64_t)i * o->local_stride, o->nbytes);
		if (o->what == GSHMEMI_PUT_SIGNAL) {
			gshmemi_arch_fence_release();
			(void)gshmemi_amo_peer(o->op, sig_base + o->sig_offset, o->value, 0, 8);
		}
		return 0;
	}
}

/* Describes only the signal of a PUT_SIGNAL. */
GSHMEMI_FN struct gshmemi_operation gshmemi_signal_of(const struct gshmemi_operation *o)
{
	struct gshmemi_operation signal = *o;

	signal.what = GSHMEMI_AMO;
	signal.region = o->sig_region;
	signal.offset = o->sig_offset;
	signal.local = NULL;
	signal.nbytes = 8;
	return signal;
}

/* ---- handing over ---- */

/* The net. In a kernel order and complete ask the library. */
#ifdef GSHMEMI_LIBRARY
uint64_t gshmemi_net_carry(const struct gshmemi_operation *o); /* returns an atomic's old value */
/* reads the word of a lock, once it is this turn */
uint64_t gshmemi_net_lock(
	unsigned region, const void *word, int which, uint32_t turn, int pe, const char *call);
void gshmemi_net_order(int context);
void gshmemi_net_complete(int context, const int *target_pes, size_t npes);
void gshmemi_net_release(int context);
#else
GSHMEMI_COLD void gshmemi_net_order(int context);
GSHMEMI_COLD void gshmemi_net_complete(int context, const int *target_pes, size_t npes);
#endif

/*
 * Whether kernels can operate on PEs that are not mapped. 0: such an operation of a GPU's kernel
 * ends the job.
 */
#ifndef GSHMEMI_HAS_NET
#define GSHMEMI_HAS_NET 1
#endif

/* Whether the program has registered memory that holds this address. */
GSHMEMI_COLD int gshmemi_is_registered_at(const void *address)
{
	const struct gshmemi_buffers *const b = gshmemi_state.buffers;
	const uint64_t n = gshmemi_arch_load(&b->n, 8);
	uint64_t i;

	GSHMEMI_NO_UNROLL
	for (i = 0; i < n; i++)
		if ((uintptr_t)address - gshmemi_arch_load(&b->buffer[i].base, 8) <
			gshmemi_arch_load(&b->buffer[i].nbytes, 8))
			return 1;
	return 0;
}

/*
 * Whether the library can reach a local end by its address, as a CPU can a lane's stack. If not, the data
 * goes in lines.
 */
GSHMEMI_FN int gshmemi_net_reaches(const void *local)
{
	return GSHMEMI_ARCH_HOST_DIRECT ||
		(uint64_t)((uintptr_t)local - (uintptr_t)gshmemi_state.heap) < gshmemi_state.heap_nbytes ||
		GSHMEMI_ARCH_IS_GLOBAL(local, 1) || gshmemi_is_registered_at(local);
}

/*
 * The distance from this PE's region to that of another PE; GSHMEMI_SENTINEL if this process cannot perform
 * operations on it, or, with is_amo, atomics. peer is the PE's entry in gshmemi_state.peers.
 */
GSHMEMI_FN ptrdiff_t gshmemi_distance(unsigned region, int peer, int is_amo)
{
	const struct gshmemi_region *r = &gshmemi_state.regions[region];
	/*
	 * a variable, because gcc 12's -fsanitize=pointer-overflow takes index 0 in one branch of (a ?
	 * b : c)[i]
	 */
	const ptrdiff_t *deltas = is_amo ? r->amo_delta : r->delta;

	return peer >= 0 ? deltas[peer >> 1] : GSHMEMI_SENTINEL;
}

/* The distance to the region of a PE whose memory is mapped. */
GSHMEMI_FN ptrdiff_t gshmemi_mapped(unsigned region, int world_pe)
{
	return gshmemi_state.regions[region].delta[gshmemi_state.peers[world_pe] >> 1];
}

GSHMEMI_FN int gshmemi_is_mapped(unsigned region, int pe, int is_amo)
{
	const int peer = gshmemi_state.peers[gshmemi_pe_in_world(pe)];

	return gshmemi_distance(region, peer, is_amo) != GSHMEMI_SENTINEL;
}

/* Where a mapped region begins here: carriers of this process write to it. */
GSHMEMI_FN char *gshmemi_carry_base(unsigned region, int pe)
{
	return gshmemi_state.regions[region].base + gshmemi_mapped(region, gshmemi_pe_in_world(pe));
}

/*
 * Hand over an operation whose PE and places have been checked; a kernel's, if the PE is mapped. Returns the
 * old value of an atomic that fetches.
 */
GSHMEMI_COLD uint64_t gshmemi_carry_at(const struct gshmemi_operation *o)
{
	char *base, *sig_base;
	uint64_t old;

#ifdef GSHMEMI_LIBRARY
	if (!gshmemi_is_mapped(o->region, o->pe, o->what == GSHMEMI_AMO) ||
		(o->what == GSHMEMI_PUT_SIGNAL && !gshmemi_is_mapped(o->sig_region, o->pe, 1)))
		return gshmemi_net_carry(o);
#endif
	base = gshmemi_carry_base(o->region, o->pe);
	sig_base = gshmemi_carry_base(o->sig_region, o->pe);
#if GSHMEMI_ARCH_HAS_DELIVERY
	if (gshmemi_state.why & GSHMEMI_WHY_DELIVERY)
		return gshmemi_delivery_carry(o, base, sig_base);
#endif
	old = gshmemi_apply(o, base, sig_base);
	if (o->what == GSHMEMI_AMO && o->local)
		__builtin_memcpy(o->local, &old, o->nbytes == 4 ? 4 : 8);
	return old;
}

/* ---- turns ---- */

/*
 * Which field of a lock's word says whose turn it is: of gshmem_set_lock (order/lock.h) or of
 * a window (win/epoch.h).
 */
enum gshmemi_turn { GSHMEMI_TURN_LOCK, GSHMEMI_TURN_EXCLUSIVE, GSHMEMI_TURN_SHARED };
#define GSHMEMI_TURN_NBITS 15 /* bits of a field of a window's lock; one more bit lies between two fields */

GSHMEMI_FN uint32_t gshmemi_turn_of(uint64_t word, int which)
{
	const unsigned shift =
		which == GSHMEMI_TURN_EXCLUSIVE ? GSHMEMI_TURN_NBITS + 1 : 3 * (GSHMEMI_TURN_NBITS + 1);

	return which == GSHMEMI_TURN_LOCK ? (uint32_t)word
					  : (uint32_t)(word >> shift) & ((1U << GSHMEMI_TURN_NBITS) - 1);
}

/* ---- order ---- */

/*
 * Bits of gshmemi_state.why. LATE: a carrier that performs operations late may have some open; carriers
 * that perform them at once have nothing to order. CARRIES: there is a late carrier. OPEN: requests to
 * owners may be open.
 */
#if GSHMEMI_ARCH_HAS_DELIVERY
#define GSHMEMI_WHY_OPEN    (GSHMEMI_ARCH_HOST_DIRECT ? GSHMEMI_WHY_ASKED : GSHMEMI_WHY_NET)
#define GSHMEMI_WHY_LATE    (GSHMEMI_WHY_DELIVERY | GSHMEMI_WHY_OPEN)
#define GSHMEMI_WHY_CARRIES (GSHMEMI_WHY_DELIVERY | GSHMEMI_WHY_NET)
#else
#define GSHMEMI_WHY_OPEN                (GSHMEMI_HAS_NET ? GSHMEMI_WHY_NET : 0U)
#define GSHMEMI_WHY_LATE                GSHMEMI_WHY_OPEN
#define GSHMEMI_WHY_CARRIES             GSHMEMI_WHY_OPEN
#define gshmemi_delivery_order(context) ((void)(context))
#define gshmemi_delivery_complete(context, target_pes, npes) \
	((void)(context), (void)(target_pes), (void)(npes))
#endif

/* On GPUs only the net is late. One call is enough: kernels pay for a chain of calls. */
#if GSHMEMI_ARCH_HAS_DELIVERY
#define GSHMEMI_CARRY_LATE GSHMEMI_COLD
#else
#define GSHMEMI_CARRY_LATE GSHMEMI_FN
#endif

/*
 * Carriers deliver what this thread hands over from now on, in this context, after what it handed over
 * before, on each PE.
 */
GSHMEMI_CARRY_LATE void gshmemi_carry_order_at(int context)
{
	gshmemi_delivery_order(context);
	if (gshmemi_state.why & GSHMEMI_WHY_NET)
		gshmemi_net_order(context);
}

/*
 * Carriers perform what this thread handed over in this context to these PEs (NULL: to all); on the
 * host, all threads.
 */
GSHMEMI_CARRY_LATE void gshmemi_carry_complete_at(int context, const int *target_pes, size_t npes)
{
	gshmemi_delivery_complete(context, target_pes, npes);
	if (gshmemi_state.why & GSHMEMI_WHY_NET)
		gshmemi_net_complete(context, target_pes, npes);
}

GSHMEMI_FN void gshmemi_carry_complete(int context, const int *target_pes, size_t npes)
{
	if (gshmemi_is_slow(GSHMEMI_WHY_LATE))
		gshmemi_carry_complete_at(context, target_pes, npes);
}

/*
 * The caller's earlier operations in this context reach each PE before its later ones. For a group
 * the earlier ones may be another thread's, so each thread completes its own. A thread alone also
 * completes them if some of its operations on a PE take another path than others and could
 * overtake them (GSHMEMI_WHY_MIXED).
 */
GSHMEMI_FN void gshmemi_order(int scope, int context)
{
	gshmemi_arch_fence_release();
	if (!gshmemi_is_slow(GSHMEMI_WHY_LATE))
		return;
	if (scope == GSHMEMI_THREAD && !(gshmemi_state.why & GSHMEMI_WHY_MIXED))
		gshmemi_carry_order_at(context);
	else
		gshmemi_carry_complete_at(context, NULL, 0);
}

#ifdef GSHMEMI_LIBRARY
/*
 * Returns when carriers have read all sources that the host has put in this context, so that the program may
 * write to them again. Carriers copy small sources at once.
 */
GSHMEMI_FN void gshmemi_release_sources(int context)
{
	if (!gshmemi_is_slow(GSHMEMI_WHY_LATE))
		return;
	gshmemi_delivery_complete(context, NULL, 0);
	if (gshmemi_state.why & GSHMEMI_WHY_NET)
		gshmemi_net_release(context);
}
#else
#define gshmemi_release_sources(context) ((void)(context))
#endif

/*
 * The calling thread's earlier operations in this context have arrived, on every PE, before its later ones.
 */
GSHMEMI_FN void gshmemi_complete(int context)
{
	gshmemi_carry_complete(context, NULL, 0);
	gshmemi_arch_fence_release();
}

#endif /* GSHMEM_CARRY_H */
