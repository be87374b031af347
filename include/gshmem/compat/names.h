/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's calls under names of another library. Who includes this defines what a pair of names becomes, undoes it at its
 * end, and uses the lists below with P, the prefix of theirs, and S, the ending of theirs that says the scope:
 *
 *   GSHMEMI_V(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS)     void P_THEIRS(PARAMETERS, int pe) is O_OURS(ARGUMENTS, pe)
 *   GSHMEMI_R(T, P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS)  the same, of a T
 *   GSHMEMI_W(T, P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS)  T P_THEIRS(PARAMETERS) is O_OURS(ARGUMENTS): tests and waits
 *   GSHMEMI_C(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS)     int P_THEIRS(PARAMETERS) is O_OURS(ARGUMENTS), on a team
 *
 * O and OS are the prefix and the ending of ours.
 */
#ifndef GSHMEM_COMPAT_NAMES_H
#define GSHMEM_COMPAT_NAMES_H

#include <gshmem.h>

#if GSHMEMI_KERNELS
#define GSHMEMI_NAME GSHMEMI_FN __attribute__((unused))
#else
#define GSHMEMI_NAME static inline __attribute__((unused))
#endif

/* The types they have: long double is in neither. */
#define GSHMEMI_NAMES_TYPES(X) GSHMEM_BASIC_VALUE_TYPES(X) GSHMEM_ALIAS_RMA_TYPES(X)

/* ---- put, get, signals ---- */

#define GSHMEMI_NAMES_COPY(P, THEIRS, O, OURS, T) \
	GSHMEMI_V(P, THEIRS, O, OURS, (T *dest, const T *source, size_t nelems), (dest, source, nelems))
#define GSHMEMI_NAMES_STRIDE(P, THEIRS, O, OURS, T) \
	GSHMEMI_V(P, THEIRS, O, OURS, (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems), \
		  (dest, source, dst, sst, nelems))
#define GSHMEMI_NAMES_SIGNAL(P, THEIRS, O, OURS, T) \
	GSHMEMI_V(P, THEIRS, O, OURS, \
		  (T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op), \
		  (dest, source, nelems, sig_addr, signal, sig_op))

#define GSHMEMI_NAMES_RMA(P, NAME, S, O, OS, T) \
	GSHMEMI_NAMES_COPY(P, NAME##_put##S, O, NAME##_put##OS, T) \
	GSHMEMI_NAMES_COPY(P, NAME##_get##S, O, NAME##_get##OS, T) \
	GSHMEMI_NAMES_COPY(P, NAME##_put_nbi##S, O, NAME##_put_nbi##OS, T) \
	GSHMEMI_NAMES_COPY(P, NAME##_get_nbi##S, O, NAME##_get_nbi##OS, T) \
	GSHMEMI_NAMES_STRIDE(P, NAME##_iput##S, O, NAME##_iput##OS, T) \
	GSHMEMI_NAMES_STRIDE(P, NAME##_iget##S, O, NAME##_iget##OS, T) \
	GSHMEMI_NAMES_SIGNAL(P, NAME##_put_signal##S, O, NAME##_put_signal##OS, T) \
	GSHMEMI_NAMES_SIGNAL(P, NAME##_put_signal_nbi##S, O, NAME##_put_signal_nbi##OS, T)
/* Ours of 16-bit floating point are fewer: those of 16 bits do. */
#define GSHMEMI_NAMES_RMA_SHORT(P, NAME, S, O, OS, T) \
	GSHMEMI_NAMES_COPY(P, NAME##_put##S, O, put16##OS, T) \
	GSHMEMI_NAMES_COPY(P, NAME##_get##S, O, get16##OS, T) \
	GSHMEMI_NAMES_COPY(P, NAME##_put_nbi##S, O, put16_nbi##OS, T) \
	GSHMEMI_NAMES_COPY(P, NAME##_get_nbi##S, O, get16_nbi##OS, T) \
	GSHMEMI_NAMES_STRIDE(P, NAME##_iput##S, O, iput16##OS, T) \
	GSHMEMI_NAMES_STRIDE(P, NAME##_iget##S, O, iget16##OS, T) \
	GSHMEMI_NAMES_SIGNAL(P, NAME##_put_signal##S, O, put16_signal##OS, T) \
	GSHMEMI_NAMES_SIGNAL(P, NAME##_put_signal_nbi##S, O, put16_signal_nbi##OS, T)
#define GSHMEMI_NAMES_SIZE(P, SIZE, S, O, OS) \
	GSHMEMI_NAMES_COPY(P, put##SIZE##S, O, put##SIZE##OS, void) \
	GSHMEMI_NAMES_COPY(P, get##SIZE##S, O, get##SIZE##OS, void) \
	GSHMEMI_NAMES_COPY(P, put##SIZE##_nbi##S, O, put##SIZE##_nbi##OS, void) \
	GSHMEMI_NAMES_COPY(P, get##SIZE##_nbi##S, O, get##SIZE##_nbi##OS, void) \
	GSHMEMI_NAMES_SIGNAL(P, put##SIZE##_signal##S, O, put##SIZE##_signal##OS, void) \
	GSHMEMI_NAMES_SIGNAL(P, put##SIZE##_signal_nbi##S, O, put##SIZE##_signal_nbi##OS, void)
#define GSHMEMI_NAMES_SIZE_STRIDE(P, SIZE, S, O, OS) \
	GSHMEMI_NAMES_STRIDE(P, iput##SIZE##S, O, iput##SIZE##OS, void) \
	GSHMEMI_NAMES_STRIDE(P, iget##SIZE##S, O, iget##SIZE##OS, void)
#define GSHMEMI_NAMES_VALUE(P, NAME, O, T) \
	GSHMEMI_V(P, NAME##_p, O, NAME##_p, (T *dest, const T value), (dest, value)) \
	GSHMEMI_R(T, P, NAME##_g, O, NAME##_g, (const T *source), (source))

/* ---- atomics ---- */

#define GSHMEMI_NAMES_EXTENDED_AMO(P, NAME, T) \
	GSHMEMI_R(T, P, NAME##_atomic_fetch, gshmem, NAME##_atomic_fetch, (const T *source), (source)) \
	GSHMEMI_V(P, NAME##_atomic_set, gshmem, NAME##_atomic_set, (T *dest, T value), (dest, value)) \
	GSHMEMI_R(T, P, NAME##_atomic_swap, gshmem, NAME##_atomic_swap, (T *dest, T value), (dest, value))
#define GSHMEMI_NAMES_AMO(P, NAME, T) \
	GSHMEMI_R(T, P, NAME##_atomic_compare_swap, gshmem, NAME##_atomic_compare_swap, (T *dest, T cond, T value), \
		  (dest, cond, value)) \
	GSHMEMI_R(T, P, NAME##_atomic_fetch_inc, gshmem, NAME##_atomic_fetch_inc, (T *dest), (dest)) \
	GSHMEMI_V(P, NAME##_atomic_inc, gshmem, NAME##_atomic_inc, (T *dest), (dest)) \
	GSHMEMI_R(T, P, NAME##_atomic_fetch_add, gshmem, NAME##_atomic_fetch_add, (T *dest, T value), (dest, value)) \
	GSHMEMI_V(P, NAME##_atomic_add, gshmem, NAME##_atomic_add, (T *dest, T value), (dest, value))
#define GSHMEMI_NAMES_BITWISE_OP(P, NAME, T, OP) \
	GSHMEMI_R(T, P, NAME##_atomic_fetch_##OP, gshmem, NAME##_atomic_fetch_##OP, (T *dest, T value), (dest, value)) \
	GSHMEMI_V(P, NAME##_atomic_##OP, gshmem, NAME##_atomic_##OP, (T *dest, T value), (dest, value))
#define GSHMEMI_NAMES_BITWISE_AMO(P, NAME, T) \
	GSHMEMI_NAMES_BITWISE_OP(P, NAME, T, and) \
	GSHMEMI_NAMES_BITWISE_OP(P, NAME, T, or) \
	GSHMEMI_NAMES_BITWISE_OP(P, NAME, T, xor)

/* ---- wait and test ---- */

#define GSHMEMI_NAMES_WAIT(P, NAME, T) \
	GSHMEMI_W(void, P, NAME##_wait_until, gshmem, NAME##_wait_until, (T *ivar, int cmp, T cmp_value), \
		  (ivar, cmp, cmp_value)) \
	GSHMEMI_W(int, P, NAME##_test, gshmem, NAME##_test, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))
/* V: nothing or _vector; VALUE: how the value or the values are declared. */
#define GSHMEMI_NAMES_WAIT_FOR(P, NAME, T, V, VALUE) \
	GSHMEMI_W(void, P, NAME##_wait_until_all##V, gshmem, NAME##_wait_until_all##V, \
		  (T *ivars, size_t nelems, const int *status, int cmp, VALUE), (ivars, nelems, status, cmp, value)) \
	GSHMEMI_W(size_t, P, NAME##_wait_until_any##V, gshmem, NAME##_wait_until_any##V, \
		  (T *ivars, size_t nelems, const int *status, int cmp, VALUE), (ivars, nelems, status, cmp, value)) \
	GSHMEMI_W(size_t, P, NAME##_wait_until_some##V, gshmem, NAME##_wait_until_some##V, \
		  (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, VALUE), \
		  (ivars, nelems, indices, status, cmp, value)) \
	GSHMEMI_W(int, P, NAME##_test_all##V, gshmem, NAME##_test_all##V, \
		  (T *ivars, size_t nelems, const int *status, int cmp, VALUE), (ivars, nelems, status, cmp, value)) \
	GSHMEMI_W(size_t, P, NAME##_test_any##V, gshmem, NAME##_test_any##V, \
		  (T *ivars, size_t nelems, const int *status, int cmp, VALUE), (ivars, nelems, status, cmp, value)) \
	GSHMEMI_W(size_t, P, NAME##_test_some##V, gshmem, NAME##_test_some##V, \
		  (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, VALUE), \
		  (ivars, nelems, indices, status, cmp, value))
#define GSHMEMI_NAMES_WAIT_MANY(P, NAME, T) \
	GSHMEMI_NAMES_WAIT_FOR(P, NAME, T, , T value) \
	GSHMEMI_NAMES_WAIT_FOR(P, NAME, T, _vector, const T *value)

/* ---- collectives: NAME is empty or ends with _, MEM is behind the names of those of bytes ---- */

#define GSHMEMI_NAMES_MOVES(P, NAME, MEM, S, O, OS, T) \
	GSHMEMI_C(P, NAME##broadcast##MEM##S, O, NAME##broadcast##MEM##OS, \
		  (gshmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root), \
		  (team, dest, source, nelems, PE_root)) \
	GSHMEMI_C(P, NAME##fcollect##MEM##S, O, NAME##fcollect##MEM##OS, \
		  (gshmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems)) \
	GSHMEMI_C(P, NAME##alltoall##MEM##S, O, NAME##alltoall##MEM##OS, \
		  (gshmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems))
#define GSHMEMI_NAMES_MOVE_V(P, NAME, S, OS, T) \
	GSHMEMI_C(P, NAME##_alltoallv##S, gshmemx, NAME##_alltoallv##OS, \
		  (gshmem_team_t team, T *dest, const size_t *dest_nelems, const size_t *dest_displs, const T *source, \
		   const size_t *source_nelems, const size_t *source_displs), \
		  (team, dest, dest_nelems, dest_displs, source, source_nelems, source_displs))
#define GSHMEMI_NAMES_REDUCE(P, NAME, S, O, OS, T) \
	GSHMEMI_C(P, NAME##_reduce##S, O, NAME##_reduce##OS, (gshmem_team_t team, T *dest, const T *source, size_t nreduce), \
		  (team, dest, source, nreduce)) \
	GSHMEMI_C(P, NAME##_reducescatter##S, gshmemx, NAME##_reduce_scatter##OS, \
		  (gshmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce))
#define GSHMEMI_NAMES_BITWISE_REDUCE(P, NAME, S, O, OS, T) \
	GSHMEMI_NAMES_REDUCE(P, NAME##_and, S, O, OS, T) \
	GSHMEMI_NAMES_REDUCE(P, NAME##_or, S, O, OS, T) \
	GSHMEMI_NAMES_REDUCE(P, NAME##_xor, S, O, OS, T)
#define GSHMEMI_NAMES_ORDERED_REDUCE(P, NAME, S, O, OS, T) \
	GSHMEMI_NAMES_REDUCE(P, NAME##_max, S, O, OS, T) \
	GSHMEMI_NAMES_REDUCE(P, NAME##_min, S, O, OS, T) \
	GSHMEMI_NAMES_REDUCE(P, NAME##_sum, S, O, OS, T) \
	GSHMEMI_NAMES_REDUCE(P, NAME##_prod, S, O, OS, T)

#endif /* GSHMEM_COMPAT_NAMES_H */
