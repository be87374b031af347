/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and get: the operations, and the typed functions of the API, stamped over them. HIP units include this,
 * and so does src/op/rma.c, where the same stamps make the exported functions.
 */
#ifndef GSHMEM_RMA_H
#define GSHMEM_RMA_H

#include <gshmem/move/slow.h>

/*
 * Arguments of the operations below: where is the region. Constants are scope: which threads copy together;
 * all of extent but nbytes; call: the API function's name.
 */
GSHMEMI_FN void gshmemi_put(struct gshmemi_where where, int scope, void *dest, const void *source,
	struct gshmemi_extent extent, int pe, const char *call)
{
	const uint64_t open = gshmemi_record_move(scope, GSHMEMI_PUT, where, extent.nbytes, pe, call);
	void *peer_dest;

	if (GSHMEMI_ON_HOST())
		gshmemi_host_put(where.region, dest, source, extent, pe, call);
	else if (gshmemi_peer_ptr(where.delta, dest, pe, &peer_dest))
		gshmemi_copy(scope, GSHMEMI_TO_PEER, peer_dest, source, extent.nbytes, extent.align);
	else
		gshmemi_slow_move(GSHMEMI_PUT, where.region, scope, dest, source, extent, pe, call);
	gshmemi_record_end(scope, open);
}

/*
 * Passing dest to an out-of-line call forces the object into memory, on the direct path too. Where kernels
 * and the host share code, that would cost a kernel's get of one element a store and a load, so one element
 * goes through a local. Elsewhere the host may not touch dest.
 */
GSHMEMI_FN void gshmemi_get_on_host(unsigned region, void *dest, const void *source,
	struct gshmemi_extent extent, int pe, const char *call)
{
	uint64_t word;

	if (GSHMEMI_ARCH_HOST_DIRECT && extent.nbytes == sizeof word && !extent.is_nbi) {
		gshmemi_host_get(region, &word, source, extent, pe, call);
		__builtin_memcpy(dest, &word, sizeof word);
	} else {
		gshmemi_host_get(region, dest, source, extent, pe, call);
	}
}

/* Carriers do not delay a blocking get: its data is in dest when it returns. */
GSHMEMI_FN void gshmemi_get(struct gshmemi_where where, int scope, void *dest, const void *source,
	struct gshmemi_extent extent, int pe, const char *call)
{
	const uint64_t open = gshmemi_record_move(scope, GSHMEMI_GET, where, extent.nbytes, pe, call);
	void *peer_source;

	if (GSHMEMI_ON_HOST())
		gshmemi_get_on_host(where.region, dest, source, extent, pe, call);
	else if (gshmemi_peer_ptr(where.delta, source, pe, &peer_source))
		gshmemi_copy(scope, GSHMEMI_FROM_PEER, dest, peer_source, extent.nbytes, extent.align);
	else
		gshmemi_slow_move(GSHMEMI_GET, where.region, scope, source, dest, extent, pe, call);
	gshmemi_record_end(scope, open);
}

/*
 * Write one value by one store. No store has 16 bytes, so those are put, from a local (see
 * gshmemi_get_on_host). nbytes is a constant.
 */
GSHMEMI_FN void gshmemi_p(
	struct gshmemi_where where, void *dest, const void *value, unsigned nbytes, int pe, const char *call)
{
	const uint64_t recorded = nbytes > 8 ? 0 : nbytes; /* else gshmemi_put records it */
	const uint64_t open = gshmemi_record_move(GSHMEMI_THREAD, GSHMEMI_PUT, where, recorded, pe, call);
	struct gshmemi_word word;
	void *peer_dest;
	uint64_t bits;

	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_p(where.region, dest, value, nbytes, pe, call);
	} else if (nbytes > 8) {
		__builtin_memcpy(&word, value, 16);
		gshmemi_put(where, GSHMEMI_THREAD, dest, &word, gshmemi_make_extent(16, 16, 0), pe, call);
	} else { /* both paths share one store: another would add two instructions to AMD's direct path */
		bits = gshmemi_value_load(value, nbytes);
		if (!gshmemi_peer_ptr(where.delta, dest, pe, &peer_dest)) {
			peer_dest = gshmemi_slow_p(
				where.region, gshmemi_peer_undo(peer_dest), bits, nbytes, pe, call);
			bits = 0; /* so that it need not stay in a register */
		}
		gshmemi_arch_store(peer_dest, bits, nbytes);
	}
	gshmemi_record_end(GSHMEMI_THREAD, open);
}

GSHMEMI_FN void gshmemi_g(struct gshmemi_where where, void *value, const void *source, unsigned nbytes,
	int pe, const char *call)
{
	const uint64_t recorded = nbytes > 8 ? 0 : nbytes; /* else gshmemi_get records it */
	const uint64_t open = gshmemi_record_move(GSHMEMI_THREAD, GSHMEMI_GET, where, recorded, pe, call);
	struct gshmemi_word word;
	void *peer_source;

	if (GSHMEMI_ON_HOST()) {
		gshmemi_host_g(where.region, &word, source, nbytes, pe, call);
		__builtin_memcpy(value, &word, nbytes);
	} else if (nbytes > 8) {
		gshmemi_get(where, GSHMEMI_THREAD, &word, source, gshmemi_make_extent(16, 16, 0), pe, call);
		__builtin_memcpy(value, &word, 16);
	} else if (gshmemi_peer_ptr(where.delta, source, pe, &peer_source)) {
		gshmemi_value_store(value, gshmemi_arch_load(peer_source, nbytes), nbytes);
	} else {
		gshmemi_slow_g(where.region, value, gshmemi_peer_undo(peer_source), nbytes, pe, call);
	}
	gshmemi_record_end(GSHMEMI_THREAD, open);
}

#define GSHMEMI_FOR_SIZE(LABEL, SIZE, ...) \
LABEL : { \
	const unsigned size = SIZE; \
\
	__VA_ARGS__; \
	break; \
}
/*
 * Makes a call with a constant size where nbytes, of a value or an element, is none. The call names it size,
 * which is a constant in each branch, so that one load or store moves each value.
 */
#define GSHMEMI_BY_SIZE(nbytes, ...) \
	switch (nbytes) { \
		GSHMEMI_FOR_SIZE(case 1, 1, __VA_ARGS__) \
		GSHMEMI_FOR_SIZE(case 2, 2, __VA_ARGS__) \
		GSHMEMI_FOR_SIZE(case 4, 4, __VA_ARGS__) \
		GSHMEMI_FOR_SIZE(case 8, 8, __VA_ARGS__) \
		GSHMEMI_FOR_SIZE(default, 16, __VA_ARGS__) \
	}

GSHMEMI_FN void gshmemi_g_any(struct gshmemi_where where, void *value, const void *source, unsigned nbytes,
	int pe, const char *call){GSHMEMI_BY_SIZE(nbytes, gshmemi_g(where, value, source, size, pe, call))}

GSHMEMI_FN void gshmemi_p_any(struct gshmemi_where where, void *dest, const void *value, unsigned nbytes,
	int pe, const char *call){GSHMEMI_BY_SIZE(nbytes, gshmemi_p(where, dest, value, size, pe, call))}

/* A function of its own, so that tests/isa/ordering.py knows the reads of a peer. */
GSHMEMI_FN void gshmemi_get_blocks(int scope, void *dest, const void *peer, struct gshmemi_blocks b)
{
	gshmemi_copy_blocks(scope, GSHMEMI_FROM_PEER, dest, peer, b);
}

/* what is GSHMEMI_PUT_BLOCKS or GSHMEMI_GET_BLOCKS, a constant. */
GSHMEMI_FN void gshmemi_move_blocks(int what, struct gshmemi_where where, int scope, void *dest,
	const void *source, struct gshmemi_blocks b, int pe, const char *call)
{
	const uint64_t nbytes = b.bsize * b.nblocks * b.elem_nbytes;
	const uint64_t open = gshmemi_record_move(scope, what, where, nbytes, pe, call);
	void *peer;

	if (GSHMEMI_ON_HOST())
		gshmemi_host_blocks(what, where.region, dest, source, b, pe, call);
	else if (!gshmemi_peer_ptr(where.delta, what == GSHMEMI_PUT_BLOCKS ? dest : source, pe, &peer))
		gshmemi_slow_blocks(what, where.region, scope, dest, source, b, pe, call);
	else if (what == GSHMEMI_PUT_BLOCKS)
		gshmemi_copy_blocks(scope, GSHMEMI_TO_PEER, peer, source, b);
	else
		gshmemi_get_blocks(scope, dest, peer, b);
	gshmemi_record_end(scope, open);
}

/* ---- the API ---- */

#ifndef GSHMEMI_BODIES /* defined by files of the library that export other calls */

/*
 * What a stamp over a long body calls. The library exports hundreds, so there each calls one
 * function per operation.
 */
#ifdef GSHMEMI_LIBRARY
#define GSHMEMI_STAMPED(OP, SCOPE, ...)       gshmemi_host_##OP(GSHMEMI_REGION_HEAP, __VA_ARGS__)
#define GSHMEMI_MOVE_BLOCKS(WHAT, SCOPE, ...) gshmemi_host_blocks(WHAT, GSHMEMI_REGION_HEAP, __VA_ARGS__)
#else
#define GSHMEMI_STAMPED(OP, SCOPE, ...)       gshmemi_##OP(gshmemi_in_heap(), SCOPE, __VA_ARGS__)
#define GSHMEMI_MOVE_BLOCKS(WHAT, SCOPE, ...) gshmemi_move_blocks(WHAT, gshmemi_in_heap(), SCOPE, __VA_ARGS__)
#endif

#define GSHMEMI_PUT(PREFIX, NAME, SUFFIX, TYPE, SIZE, ALIGN, SCOPE, NBI) \
	GSHMEM_API void PREFIX##_##NAME##SUFFIX(TYPE *dest, const TYPE *source, size_t nelems, int pe) \
	{ \
		GSHMEMI_STAMPED(put, SCOPE, dest, source, gshmemi_make_extent(nelems *(SIZE), ALIGN, NBI), \
			pe, #PREFIX "_" #NAME #SUFFIX); \
	}
#define GSHMEMI_GET(PREFIX, NAME, SUFFIX, TYPE, SIZE, ALIGN, SCOPE, NBI) \
	GSHMEM_API void PREFIX##_##NAME##SUFFIX(TYPE *dest, const TYPE *source, size_t nelems, int pe) \
	{ \
		GSHMEMI_STAMPED(get, SCOPE, dest, source, gshmemi_make_extent(nelems *(SIZE), ALIGN, NBI), \
			pe, #PREFIX "_" #NAME #SUFFIX); \
	}
#define GSHMEMI_ISTRIDE(PREFIX, NAME, SUFFIX, TYPE, SIZE, SCOPE, WHAT) \
	GSHMEM_API void PREFIX##_##NAME##SUFFIX( \
		TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) \
	{ \
		GSHMEMI_MOVE_BLOCKS(WHAT, SCOPE, dest, source, \
			gshmemi_make_blocks(dst, sst, 1, nelems, SIZE), pe, #PREFIX "_" #NAME #SUFFIX); \
	}
#define GSHMEMI_IBLOCK(PREFIX, NAME, SUFFIX, TYPE, SIZE, SCOPE, WHAT) \
	GSHMEM_API void PREFIX##_##NAME##SUFFIX(TYPE *dest, const TYPE *source, ptrdiff_t dst, \
		ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) \
	{ \
		GSHMEMI_MOVE_BLOCKS(WHAT, SCOPE, dest, source, \
			gshmemi_make_blocks(dst, sst, bsize, nblocks, SIZE), pe, #PREFIX "_" #NAME #SUFFIX); \
	}
#define GSHMEMI_P_G(API, PREFIX, NAME, TYPE) \
	API void PREFIX##_##NAME##_p(TYPE *dest, TYPE value, int pe) \
	{ \
		gshmemi_p(gshmemi_in_heap(), dest, &value, sizeof value, pe, #PREFIX "_" #NAME "_p"); \
	} \
	API TYPE PREFIX##_##NAME##_g(const TYPE *source, int pe) \
	{ \
		TYPE value; \
\
		gshmemi_g(gshmemi_in_heap(), &value, source, sizeof value, pe, #PREFIX "_" #NAME "_g"); \
		return value; \
	}

/*
 * All forms of put and get for one name at one scope. PREFIX and SUFFIX tell the spec's calls
 * from the extensions.
 */
#define GSHMEMI_PUT_GET(PREFIX, NAME, TYPE, SUFFIX, SCOPE) \
	GSHMEMI_PUT(PREFIX, NAME, _put##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), GSHMEMI_ALIGNOF(TYPE), SCOPE, 0) \
	GSHMEMI_GET(PREFIX, NAME, _get##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), GSHMEMI_ALIGNOF(TYPE), SCOPE, 0) \
	GSHMEMI_PUT( \
		PREFIX, NAME, _put_nbi##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), GSHMEMI_ALIGNOF(TYPE), SCOPE, 1) \
	GSHMEMI_GET( \
		PREFIX, NAME, _get_nbi##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), GSHMEMI_ALIGNOF(TYPE), SCOPE, 1)
#define GSHMEMI_IPUT_IGET(PREFIX, NAME, TYPE, SUFFIX, SCOPE) \
	GSHMEMI_ISTRIDE(PREFIX, NAME, _iput##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), SCOPE, GSHMEMI_PUT_BLOCKS) \
	GSHMEMI_ISTRIDE(PREFIX, NAME, _iget##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), SCOPE, GSHMEMI_GET_BLOCKS) \
	GSHMEMI_IBLOCK(PREFIX, NAME, _ibput##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), SCOPE, GSHMEMI_PUT_BLOCKS) \
	GSHMEMI_IBLOCK(PREFIX, NAME, _ibget##SUFFIX, TYPE, GSHMEMI_SIZEOF(TYPE), SCOPE, GSHMEMI_GET_BLOCKS)
#define GSHMEMI_SIZED(PREFIX, SIZE, NBYTES, SUFFIX, SCOPE) \
	GSHMEMI_PUT(PREFIX, put##SIZE, SUFFIX, void, NBYTES, 1, SCOPE, 0) \
	GSHMEMI_GET(PREFIX, get##SIZE, SUFFIX, void, NBYTES, 1, SCOPE, 0) \
	GSHMEMI_PUT(PREFIX, put##SIZE, _nbi##SUFFIX, void, NBYTES, 1, SCOPE, 1) \
	GSHMEMI_GET(PREFIX, get##SIZE, _nbi##SUFFIX, void, NBYTES, 1, SCOPE, 1)
#define GSHMEMI_SIZED_STRIDE(PREFIX, SIZE, NBYTES, SUFFIX, SCOPE) \
	GSHMEMI_ISTRIDE(PREFIX, iput##SIZE, SUFFIX, void, NBYTES, SCOPE, GSHMEMI_PUT_BLOCKS) \
	GSHMEMI_ISTRIDE(PREFIX, iget##SIZE, SUFFIX, void, NBYTES, SCOPE, GSHMEMI_GET_BLOCKS) \
	GSHMEMI_IBLOCK(PREFIX, ibput##SIZE, SUFFIX, void, NBYTES, SCOPE, GSHMEMI_PUT_BLOCKS) \
	GSHMEMI_IBLOCK(PREFIX, ibget##SIZE, SUFFIX, void, NBYTES, SCOPE, GSHMEMI_GET_BLOCKS)

#define GSHMEMI_DEFINE_GROUPS(NAME, TYPE) \
	GSHMEMI_OF_GROUPS(GSHMEMI_PUT_GET(gshmemx, NAME, TYPE, _wave, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_PUT_GET(gshmemx, NAME, TYPE, _wg, GSHMEMI_WG)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_IPUT_IGET(gshmemx, NAME, TYPE, _wave, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_IPUT_IGET(gshmemx, NAME, TYPE, _wg, GSHMEMI_WG))
#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_PUT_GET(gshmem, NAME, TYPE, , GSHMEMI_THREAD) \
	GSHMEMI_IPUT_IGET(gshmem, NAME, TYPE, , GSHMEMI_THREAD) \
	GSHMEMI_DEFINE_GROUPS(NAME, TYPE)
GSHMEM_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
#define GSHMEMI_DEFINE(NAME, TYPE) GSHMEMI_P_G(GSHMEM_API, gshmem, NAME, TYPE)
GSHMEM_BASIC_VALUE_TYPES(GSHMEMI_DEFINE)
GSHMEM_ALIAS_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
GSHMEMI_P_G(GSHMEMI_LONG_DOUBLE_API, gshmem, longdouble, long double)

#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_PUT_GET(gshmemx, NAME, TYPE, , GSHMEMI_THREAD) \
	GSHMEMI_DEFINE_GROUPS(NAME, TYPE) \
	GSHMEMI_P_G(GSHMEM_API, gshmemx, NAME, TYPE)
GSHMEMX_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
#undef GSHMEMI_DEFINE_GROUPS

#define GSHMEMI_DEFINE(SIZE, NBYTES) \
	GSHMEMI_SIZED(gshmem, SIZE, NBYTES, , GSHMEMI_THREAD) \
	GSHMEMI_SIZED_STRIDE(gshmem, SIZE, NBYTES, , GSHMEMI_THREAD) \
	GSHMEMI_OF_GROUPS(GSHMEMI_SIZED(gshmemx, SIZE, NBYTES, _wave, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_SIZED(gshmemx, SIZE, NBYTES, _wg, GSHMEMI_WG)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_SIZED_STRIDE(gshmemx, SIZE, NBYTES, _wave, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_SIZED_STRIDE(gshmemx, SIZE, NBYTES, _wg, GSHMEMI_WG))
GSHMEM_RMA_SIZES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

GSHMEMI_SIZED(gshmem, mem, 1, , GSHMEMI_THREAD)
GSHMEMI_OF_GROUPS(GSHMEMI_SIZED(gshmemx, mem, 1, _wave, GSHMEMI_WAVE))
GSHMEMI_OF_GROUPS(GSHMEMI_SIZED(gshmemx, mem, 1, _wg, GSHMEMI_WG))

#undef GSHMEMI_PUT
#undef GSHMEMI_GET
#undef GSHMEMI_ISTRIDE
#undef GSHMEMI_IBLOCK
#undef GSHMEMI_P_G
#undef GSHMEMI_PUT_GET
#undef GSHMEMI_IPUT_IGET
#undef GSHMEMI_SIZED
#undef GSHMEMI_SIZED_STRIDE

#endif /* GSHMEMI_BODIES */

#endif /* GSHMEM_RMA_H */
