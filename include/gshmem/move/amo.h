/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics: one operation over the bits of 32 or 64-bit words, and the typed functions stamped over it.
 */
#ifndef GSHMEM_AMO_H
#define GSHMEM_AMO_H

#include <gshmem/move/slow.h>

/* Returns the old bits. u.op, u.nbytes, u.fetches and call are constants. */
GSHMEMI_FN uint64_t gshmemi_amo(
	struct gshmemi_where where, void *dest, struct gshmemi_update u, int pe, const char *call)
{
	const uint64_t open = gshmemi_record_amo(where, u, pe, call);
	void *peer_dest;
	uint64_t found;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_amo(where.region, dest, u, pe, call);
	if (gshmemi_peer_ptr(where.amo_delta, dest, pe, &peer_dest))
		found = gshmemi_amo_peer(u.op, peer_dest, u.value, u.cond, u.nbytes);
	else
		found = gshmemi_slow_amo(where.region, gshmemi_peer_undo(peer_dest), u, pe, call);
#ifdef GSHMEMI_LIBRARY /* the host may share its core with the PE that it waits for */
	if (u.op == GSHMEMI_AMO_CAS && __builtin_expect(found != u.cond, 0))
		gshmemi_host_looked();
#endif
	gshmemi_record_end(GSHMEMI_THREAD, open);
	return found;
}

GSHMEMI_FN void gshmemi_amo_nbi(struct gshmemi_where where, void *fetch, void *dest, struct gshmemi_update u,
	int pe, const char *call)
{
	const uint64_t open = gshmemi_record_amo(where, u, pe, call);
	void *peer_dest;

	if (GSHMEMI_ON_HOST())
		gshmemi_host_amo_nbi(where.region, fetch, dest, u, pe, call);
	else if (gshmemi_peer_ptr(where.amo_delta, dest, pe, &peer_dest))
		gshmemi_value_store(
			fetch, gshmemi_amo_peer(u.op, peer_dest, u.value, u.cond, u.nbytes), u.nbytes);
	else
		gshmemi_slow_amo_nbi(where.region, fetch, dest, u, pe, call);
	gshmemi_record_end(GSHMEMI_THREAD, open);
}

#ifndef GSHMEMI_BODIES /* defined by files of the library that export other calls */

/* ---- the API: NAME is a type's, OP the spec's name of the operation, AMO ours ---- */

#define GSHMEMI_BITS(x)        gshmemi_value_load(&(x), sizeof(x))
#define GSHMEMI_CALL(NAME, OP) "gshmem_" #NAME "_atomic_" #OP

/* TYPE f(PARAMS) returns the old value. VALUE and COND are expressions for bits over the parameters. */
#define GSHMEMI_FETCHING(NAME, TYPE, OP, AMO, VALUE, COND, ...) \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_##OP(__VA_ARGS__) \
	{ \
		TYPE old; \
\
		gshmemi_value_store(&old, \
			gshmemi_amo(gshmemi_in_heap(), (void *)(uintptr_t)dest, \
				gshmemi_make_update(GSHMEMI_AMO_##AMO, VALUE, COND, sizeof(TYPE), 1), pe, \
				GSHMEMI_CALL(NAME, OP)), \
			sizeof old); \
		return old; \
	}
#define GSHMEMI_SILENT(NAME, TYPE, OP, AMO, VALUE, ...) \
	GSHMEM_API void gshmem_##NAME##_atomic_##OP(__VA_ARGS__) \
	{ \
		(void)gshmemi_amo(gshmemi_in_heap(), dest, \
			gshmemi_make_update(GSHMEMI_AMO_##AMO, VALUE, 0, sizeof(TYPE), 0), pe, \
			GSHMEMI_CALL(NAME, OP)); \
	}
#define GSHMEMI_NBI(NAME, TYPE, OP, AMO, VALUE, COND, ...) \
	GSHMEM_API void gshmem_##NAME##_atomic_##OP##_nbi(TYPE *fetch, __VA_ARGS__) \
	{ \
		gshmemi_amo_nbi(gshmemi_in_heap(), fetch, (void *)(uintptr_t)dest, \
			gshmemi_make_update(GSHMEMI_AMO_##AMO, VALUE, COND, sizeof(TYPE), 1), pe, \
			GSHMEMI_CALL(NAME, OP##_nbi)); \
	}

#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_FETCHING(NAME, TYPE, fetch, FETCH, 0, 0, const TYPE *dest, int pe) \
	GSHMEMI_SILENT(NAME, TYPE, set, SET, GSHMEMI_BITS(value), TYPE *dest, TYPE value, int pe) \
	GSHMEMI_FETCHING(NAME, TYPE, swap, SWAP, GSHMEMI_BITS(value), 0, TYPE *dest, TYPE value, int pe) \
	GSHMEMI_NBI(NAME, TYPE, fetch, FETCH, 0, 0, const TYPE *dest, int pe) \
	GSHMEMI_NBI(NAME, TYPE, swap, SWAP, GSHMEMI_BITS(value), 0, TYPE *dest, TYPE value, int pe)
GSHMEM_EXTENDED_AMO_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_FETCHING(NAME, TYPE, compare_swap, CAS, GSHMEMI_BITS(value), GSHMEMI_BITS(cond), TYPE *dest, \
		TYPE cond, TYPE value, int pe) \
	GSHMEMI_FETCHING(NAME, TYPE, fetch_inc, ADD, 1, 0, TYPE *dest, int pe) \
	GSHMEMI_SILENT(NAME, TYPE, inc, ADD, 1, TYPE *dest, int pe) \
	GSHMEMI_FETCHING(NAME, TYPE, fetch_add, ADD, GSHMEMI_BITS(value), 0, TYPE *dest, TYPE value, int pe) \
	GSHMEMI_SILENT(NAME, TYPE, add, ADD, GSHMEMI_BITS(value), TYPE *dest, TYPE value, int pe) \
	GSHMEMI_NBI(NAME, TYPE, compare_swap, CAS, GSHMEMI_BITS(value), GSHMEMI_BITS(cond), TYPE *dest, \
		TYPE cond, TYPE value, int pe) \
	GSHMEMI_NBI(NAME, TYPE, fetch_inc, ADD, 1, 0, TYPE *dest, int pe) \
	GSHMEMI_NBI(NAME, TYPE, fetch_add, ADD, GSHMEMI_BITS(value), 0, TYPE *dest, TYPE value, int pe)
GSHMEM_AMO_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE_BITWISE(NAME, TYPE, OP, AMO) \
	GSHMEMI_FETCHING( \
		NAME, TYPE, fetch_##OP, AMO, GSHMEMI_BITS(value), 0, TYPE *dest, TYPE value, int pe) \
	GSHMEMI_SILENT(NAME, TYPE, OP, AMO, GSHMEMI_BITS(value), TYPE *dest, TYPE value, int pe) \
	GSHMEMI_NBI(NAME, TYPE, fetch_##OP, AMO, GSHMEMI_BITS(value), 0, TYPE *dest, TYPE value, int pe)
#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_DEFINE_BITWISE(NAME, TYPE, and, AND) \
	GSHMEMI_DEFINE_BITWISE(NAME, TYPE, or, OR) \
	GSHMEMI_DEFINE_BITWISE(NAME, TYPE, xor, XOR)
GSHMEM_BITWISE_AMO_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#undef GSHMEMI_BITS
#undef GSHMEMI_CALL
#undef GSHMEMI_FETCHING
#undef GSHMEMI_SILENT
#undef GSHMEMI_NBI
#undef GSHMEMI_DEFINE_BITWISE

#endif /* GSHMEMI_BODIES */

#endif /* GSHMEM_AMO_H */
