/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of calls with a context. GSHMEMI_CTX_CALLS and GSHMEMI_CTX_EXTENSIONS make GSHMEMI_V(PREFIX, NAME,
 * PARAMETERS, ARGUMENTS) for each call that returns nothing, and GSHMEMI_R(TYPE, PREFIX, NAME, PARAMETERS,
 * ARGUMENTS) for each that returns a TYPE. The parameters are those of the call without a context, except the
 * last one, the PE. gshmem.h and gshmemx.h declare the calls by these lists; context.h defines them.
 */
#ifndef GSHMEM_CONTEXT_LIST_H
#define GSHMEM_CONTEXT_LIST_H

#include <gshmem/api/types.h>

/* clang-format 14 takes T *dest in these lists for a product. */
/* clang-format off */

#define GSHMEMI_CTX_COPY(PREFIX, NAME, T) \
	GSHMEMI_V(PREFIX, NAME, (T *dest, const T *source, size_t nelems), (dest, source, nelems))
#define GSHMEMI_CTX_STRIDE(PREFIX, NAME, T) \
	GSHMEMI_V(PREFIX, NAME, (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems), \
		(dest, source, dst, sst, nelems))
#define GSHMEMI_CTX_BLOCK(PREFIX, NAME, T) \
	GSHMEMI_V(PREFIX, NAME, \
		(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks), \
		(dest, source, dst, sst, bsize, nblocks))
#define GSHMEMI_CTX_SIGNAL(PREFIX, NAME, T) \
	GSHMEMI_V(PREFIX, NAME, \
		(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op), \
		(dest, source, nelems, sig_addr, signal, sig_op))

/* Calls that move elements of a type at a scope; S is the scope's suffix. */
#define GSHMEMI_CTX_TYPED(PREFIX, NAME, T, S) \
	GSHMEMI_CTX_COPY(PREFIX, NAME##_put##S, T) \
	GSHMEMI_CTX_COPY(PREFIX, NAME##_get##S, T) \
	GSHMEMI_CTX_COPY(PREFIX, NAME##_put_nbi##S, T) \
	GSHMEMI_CTX_COPY(PREFIX, NAME##_get_nbi##S, T)
#define GSHMEMI_CTX_MORE(PREFIX, NAME, T, S) \
	GSHMEMI_CTX_STRIDE(PREFIX, NAME##_iput##S, T) \
	GSHMEMI_CTX_STRIDE(PREFIX, NAME##_iget##S, T) \
	GSHMEMI_CTX_BLOCK(PREFIX, NAME##_ibput##S, T) \
	GSHMEMI_CTX_BLOCK(PREFIX, NAME##_ibget##S, T) \
	GSHMEMI_CTX_SIGNAL(PREFIX, NAME##_put_signal##S, T) \
	GSHMEMI_CTX_SIGNAL(PREFIX, NAME##_put_signal_nbi##S, T)
#define GSHMEMI_CTX_SIZED(PREFIX, SIZE, S) \
	GSHMEMI_CTX_COPY(PREFIX, put##SIZE##S, void) \
	GSHMEMI_CTX_COPY(PREFIX, get##SIZE##S, void) \
	GSHMEMI_CTX_COPY(PREFIX, put##SIZE##_nbi##S, void) \
	GSHMEMI_CTX_COPY(PREFIX, get##SIZE##_nbi##S, void) \
	GSHMEMI_CTX_SIGNAL(PREFIX, put##SIZE##_signal##S, void) \
	GSHMEMI_CTX_SIGNAL(PREFIX, put##SIZE##_signal_nbi##S, void)
#define GSHMEMI_CTX_SIZED_STRIDE(PREFIX, SIZE, S) \
	GSHMEMI_CTX_STRIDE(PREFIX, iput##SIZE##S, void) \
	GSHMEMI_CTX_STRIDE(PREFIX, iget##SIZE##S, void) \
	GSHMEMI_CTX_BLOCK(PREFIX, ibput##SIZE##S, void) \
	GSHMEMI_CTX_BLOCK(PREFIX, ibget##SIZE##S, void)

/* Calls of OpenSHMEM, and those by waves and work-groups. */
#define GSHMEMI_CTX_RMA_TYPE(NAME, T) \
	GSHMEMI_CTX_TYPED(gshmem, NAME, T, ) \
	GSHMEMI_CTX_MORE(gshmem, NAME, T, )
#define GSHMEMI_CTX_SCOPES(NAME, T) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_TYPED(gshmemx, NAME, T, _wave)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_MORE(gshmemx, NAME, T, _wave)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_TYPED(gshmemx, NAME, T, _wg)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_MORE(gshmemx, NAME, T, _wg))
#define GSHMEMI_CTX_SIZE(SIZE, NBYTES) \
	GSHMEMI_CTX_SIZED(gshmem, SIZE, ) \
	GSHMEMI_CTX_SIZED_STRIDE(gshmem, SIZE, )
#define GSHMEMI_CTX_SIZE_SCOPES(SIZE, NBYTES) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_SIZED(gshmemx, SIZE, _wave)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_SIZED_STRIDE(gshmemx, SIZE, _wave)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_SIZED(gshmemx, SIZE, _wg)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_SIZED_STRIDE(gshmemx, SIZE, _wg))

#define GSHMEMI_CTX_VALUE(PREFIX, NAME, T) \
	GSHMEMI_V(PREFIX, NAME##_p, (T *dest, T value), (dest, value)) \
	GSHMEMI_R(T, PREFIX, NAME##_g, (const T *source), (source))

/* Atomics, by tables of types. */
#define GSHMEMI_CTX_EXTENDED(NAME, T) \
	GSHMEMI_R(T, gshmem, NAME##_atomic_fetch, (const T *source), (source)) \
	GSHMEMI_V(gshmem, NAME##_atomic_set, (T *dest, T value), (dest, value)) \
	GSHMEMI_R(T, gshmem, NAME##_atomic_swap, (T *dest, T value), (dest, value)) \
	GSHMEMI_V(gshmem, NAME##_atomic_fetch_nbi, (T *fetch, const T *source), (fetch, source)) \
	GSHMEMI_V(gshmem, NAME##_atomic_swap_nbi, (T *fetch, T *dest, T value), (fetch, dest, value))
#define GSHMEMI_CTX_STANDARD(NAME, T) \
	GSHMEMI_R(T, gshmem, NAME##_atomic_compare_swap, (T *dest, T cond, T value), (dest, cond, value)) \
	GSHMEMI_R(T, gshmem, NAME##_atomic_fetch_inc, (T *dest), (dest)) \
	GSHMEMI_V(gshmem, NAME##_atomic_inc, (T *dest), (dest)) \
	GSHMEMI_R(T, gshmem, NAME##_atomic_fetch_add, (T *dest, T value), (dest, value)) \
	GSHMEMI_V(gshmem, NAME##_atomic_add, (T *dest, T value), (dest, value)) \
	GSHMEMI_V(gshmem, NAME##_atomic_compare_swap_nbi, (T *fetch, T *dest, T cond, T value), \
		(fetch, dest, cond, value)) \
	GSHMEMI_V(gshmem, NAME##_atomic_fetch_inc_nbi, (T *fetch, T *dest), (fetch, dest)) \
	GSHMEMI_V(gshmem, NAME##_atomic_fetch_add_nbi, (T *fetch, T *dest, T value), (fetch, dest, value))
#define GSHMEMI_CTX_BITWISE_OP(NAME, T, OP) \
	GSHMEMI_R(T, gshmem, NAME##_atomic_fetch_##OP, (T *dest, T value), (dest, value)) \
	GSHMEMI_V(gshmem, NAME##_atomic_##OP, (T *dest, T value), (dest, value)) \
	GSHMEMI_V(gshmem, NAME##_atomic_fetch_##OP##_nbi, (T *fetch, T *dest, T value), \
		(fetch, dest, value))
#define GSHMEMI_CTX_BITWISE(NAME, T) \
	GSHMEMI_CTX_BITWISE_OP(NAME, T, and) \
	GSHMEMI_CTX_BITWISE_OP(NAME, T, or) \
	GSHMEMI_CTX_BITWISE_OP(NAME, T, xor)

#define GSHMEMI_CTX_VALUE_TYPE(NAME, T) GSHMEMI_CTX_VALUE(gshmem, NAME, T)
#define GSHMEMI_CTX_SHORT_TYPE(NAME, T) \
	GSHMEMI_CTX_TYPED(gshmemx, NAME, T, ) \
	GSHMEMI_CTX_SCOPES(NAME, T) \
	GSHMEMI_CTX_VALUE(gshmemx, NAME, T)

/* p and g of long double are apart: on a GPU only the host can call them. */
#define GSHMEMI_CTX_CALLS \
	GSHMEM_RMA_TYPES(GSHMEMI_CTX_RMA_TYPE) \
	GSHMEM_BASIC_VALUE_TYPES(GSHMEMI_CTX_VALUE_TYPE) \
	GSHMEM_ALIAS_RMA_TYPES(GSHMEMI_CTX_VALUE_TYPE) \
	GSHMEM_RMA_SIZES(GSHMEMI_CTX_SIZE) \
	GSHMEMI_CTX_SIZED(gshmem, mem, ) \
	GSHMEM_EXTENDED_AMO_TYPES(GSHMEMI_CTX_EXTENDED) \
	GSHMEM_AMO_TYPES(GSHMEMI_CTX_STANDARD) \
	GSHMEM_BITWISE_AMO_TYPES(GSHMEMI_CTX_BITWISE) \
	GSHMEMI_V(gshmem, signal_set, (uint64_t *sig_addr, uint64_t signal), (sig_addr, signal)) \
	GSHMEMI_V(gshmem, signal_add, (uint64_t *sig_addr, uint64_t signal), (sig_addr, signal))

/* Calls by waves and work-groups, and of 16-bit floating point. */
#define GSHMEMI_CTX_EXTENSIONS \
	GSHMEM_RMA_TYPES(GSHMEMI_CTX_SCOPES) \
	GSHMEMX_RMA_TYPES(GSHMEMI_CTX_SHORT_TYPE) \
	GSHMEM_RMA_SIZES(GSHMEMI_CTX_SIZE_SCOPES) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_SIZED(gshmemx, mem, _wave)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_CTX_SIZED(gshmemx, mem, _wg))
/* clang-format on */

#endif /* GSHMEM_CONTEXT_LIST_H */
