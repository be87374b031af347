/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What nvshmem.h and rocshmem.hpp share: macros that define the calls of both libraries as calls of
 * gshmem. GSHMEMI_NAMES_HOST and GSHMEMI_NAMES_QUERIES take the library's prefix. GSHMEMI_NAMES_CALLS (by
 * threads, waves and work-groups) and GSHMEMI_NAMES_STREAM (by the CPU, on a stream) need macros that the
 * header defines before it uses them, and undefines afterwards. First, the library's name of the call NAME
 * in each scope:
 *
 *   GSHMEMI_THREAD_THEIRS(NAME)
 *   GSHMEMI_WAVE_THEIRS(NAME)
 *   GSHMEMI_WG_THEIRS(NAME)
 *   GSHMEMI_STREAM_THEIRS(NAME)
 *
 * Second, the function that a call becomes. THEIRS and OURS are the NAMEs on either side, SCOPE is
 * GSHMEMI_THREAD or another scope, O is the prefix of our call by a thread: gshmem or gshmemx.
 *
 *   GSHMEMI_V(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS)
 *       void THEIRS(PARAMETERS, int pe) is OURS(ARGUMENTS, pe)
 *   GSHMEMI_R(T, SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS)
 *       the same, but returns a T
 *   GSHMEMI_C(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS)
 *       int THEIRS(PARAMETERS) is OURS(ARGUMENTS), a collective
 */
#ifndef GSHMEM_COMPAT_NAMES_H
#define GSHMEM_COMPAT_NAMES_H

#include <gshmem.h>

#if GSHMEMI_KERNELS
#define GSHMEMI_NAME        GSHMEMI_FN __attribute__((unused))
#define GSHMEMI_NAME_MEMBER __host__ __device__ /* of a class */
#else
#define GSHMEMI_NAME static inline __attribute__((unused))
#define GSHMEMI_NAME_MEMBER
#endif

/* ---- calls that differ only by their prefix P ---- */

#define GSHMEMI_NAMES_HOST(P) \
	static inline void P##_finalize(void) \
	{ \
		gshmem_finalize(); \
	} \
	static inline void P##_global_exit(int status) \
	{ \
		gshmem_global_exit(status); \
	} \
	static inline void P##_info_get_version(int *major, int *minor) \
	{ \
		gshmem_info_get_version(major, minor); \
	} \
	static inline void P##_info_get_name(char *name) \
	{ \
		gshmem_info_get_name(name); \
	} \
	static inline void *P##_malloc(size_t nbytes) \
	{ \
		return gshmem_malloc(nbytes); \
	} \
	static inline void *P##_calloc(size_t count, size_t size) \
	{ \
		return gshmem_calloc(count, size); \
	} \
	static inline void *P##_align(size_t alignment, size_t nbytes) \
	{ \
		return gshmem_align(alignment, nbytes); \
	} \
	static inline void P##_free(void *ptr) \
	{ \
		gshmem_free(ptr); \
	} \
	static inline int P##_team_split_strided(gshmem_team_t parent_team, int start, int stride, int size, \
		const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team) \
	{ \
		return gshmem_team_split_strided( \
			parent_team, start, stride, size, config, config_mask, new_team); \
	} \
	static inline int P##_team_split_2d(gshmem_team_t parent_team, int xrange, \
		const gshmem_team_config_t *xaxis_config, long xaxis_mask, gshmem_team_t *xaxis_team, \
		const gshmem_team_config_t *yaxis_config, long yaxis_mask, gshmem_team_t *yaxis_team) \
	{ \
		return gshmem_team_split_2d(parent_team, xrange, xaxis_config, xaxis_mask, xaxis_team, \
			yaxis_config, yaxis_mask, yaxis_team); \
	}

#define GSHMEMI_NAMES_BUFFERS(P) \
	static inline int P##_buffer_register(void *addr, size_t nbytes) \
	{ \
		return gshmemx_buffer_register(addr, nbytes); \
	} \
	static inline int P##_buffer_unregister(void *addr) \
	{ \
		return gshmemx_buffer_unregister(addr); \
	} \
	static inline void P##_buffer_unregister_all(void) \
	{ \
		gshmemx_buffer_unregister_all(); \
	}

#define GSHMEMI_NAMES_QUERIES(P) \
	GSHMEMI_NAME void *P##_ptr(const void *dest, int pe) \
	{ \
		return gshmem_ptr(dest, pe); \
	} \
	GSHMEMI_NAME int P##_team_my_pe(gshmem_team_t team) \
	{ \
		return gshmem_team_my_pe(team); \
	} \
	GSHMEMI_NAME int P##_team_n_pes(gshmem_team_t team) \
	{ \
		return gshmem_team_n_pes(team); \
	} \
	GSHMEMI_NAME int P##_team_translate_pe(gshmem_team_t src_team, int src_pe, gshmem_team_t dest_team) \
	{ \
		return gshmem_team_translate_pe(src_team, src_pe, dest_team); \
	} \
	GSHMEMI_NAME void P##_fence(void) \
	{ \
		gshmem_fence(); \
	} \
	GSHMEMI_NAME void P##_quiet(void) \
	{ \
		gshmem_quiet(); \
	} \
	GSHMEMI_NAME uint64_t P##_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value) \
	{ \
		return gshmem_signal_wait_until(sig_addr, cmp, cmp_value); \
	}

/* ---- scopes, and the function that a call becomes ---- */

#define GSHMEMI_THREAD_OURS(O, NAME) O##_##NAME
#define GSHMEMI_WAVE_OURS(O, NAME)   gshmemx_##NAME##_wave
#define GSHMEMI_WG_OURS(O, NAME)     gshmemx_##NAME##_wg
#define GSHMEMI_STREAM_OURS(O, NAME) gshmemx_##NAME##_on_stream

/* Stamps FAMILY(SCOPE, ...), one of the families below, for waves and work-groups; and for threads, too. */
#define GSHMEMI_GROUPS(FAMILY, ...) \
	GSHMEMI_OF_GROUPS(FAMILY(GSHMEMI_WAVE, __VA_ARGS__)) \
	GSHMEMI_OF_GROUPS(FAMILY(GSHMEMI_WG, __VA_ARGS__))
#define GSHMEMI_SCOPES(FAMILY, ...) FAMILY(GSHMEMI_THREAD, __VA_ARGS__) GSHMEMI_GROUPS(FAMILY, __VA_ARGS__)

/* One function each. A header defines its GSHMEMI_V, _R and _C by these. */
#define GSHMEMI_CALL_V(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME void SCOPE##_THEIRS(THEIRS)(GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		SCOPE##_OURS(O, OURS)(GSHMEMI_UNPACK ARGUMENTS, pe); \
	}
#define GSHMEMI_CALL_R(T, SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME T SCOPE##_THEIRS(THEIRS)(GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		return SCOPE##_OURS(O, OURS)(GSHMEMI_UNPACK ARGUMENTS, pe); \
	}
#define GSHMEMI_CALL_C(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME int SCOPE##_THEIRS(THEIRS) PARAMETERS \
	{ \
		return SCOPE##_OURS(O, OURS) ARGUMENTS; \
	}
/* The same on a stream, called by the CPU. */
#define GSHMEMI_STREAM_V(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	static inline void SCOPE##_THEIRS(THEIRS)(GSHMEMI_UNPACK PARAMETERS, int pe, void *stream) \
	{ \
		(void)SCOPE##_OURS(O, OURS)(GSHMEMI_UNPACK ARGUMENTS, pe, stream); \
	}
#define GSHMEMI_STREAM_C(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	static inline int SCOPE##_THEIRS(THEIRS)(GSHMEMI_UNPACK PARAMETERS, void *stream) \
	{ \
		return SCOPE##_OURS(O, OURS)(GSHMEMI_UNPACK ARGUMENTS, stream); \
	}

/* ---- put, get, signals ---- */

/* clang-format off */
#define GSHMEMI_NAMES_COPY(SCOPE, THEIRS, OURS, T) \
	GSHMEMI_V(SCOPE, THEIRS, gshmem, OURS, (T *dest, const T *source, size_t nelems), \
		(dest, source, nelems))
#define GSHMEMI_NAMES_STRIDE(SCOPE, THEIRS, OURS, T) \
	GSHMEMI_V(SCOPE, THEIRS, gshmem, OURS, \
		(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems), \
		(dest, source, dst, sst, nelems))
#define GSHMEMI_NAMES_SIGNAL(SCOPE, THEIRS, OURS, T) \
	GSHMEMI_V(SCOPE, THEIRS, gshmem, OURS, \
		(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op), \
		(dest, source, nelems, sig_addr, signal, sig_op))
/* clang-format on */

#define GSHMEMI_NAMES_RMA(SCOPE, NAME, T) \
	GSHMEMI_NAMES_COPY(SCOPE, NAME##_put, NAME##_put, T) \
	GSHMEMI_NAMES_COPY(SCOPE, NAME##_get, NAME##_get, T) \
	GSHMEMI_NAMES_COPY(SCOPE, NAME##_put_nbi, NAME##_put_nbi, T) \
	GSHMEMI_NAMES_COPY(SCOPE, NAME##_get_nbi, NAME##_get_nbi, T) \
	GSHMEMI_NAMES_STRIDE(SCOPE, NAME##_iput, NAME##_iput, T) \
	GSHMEMI_NAMES_STRIDE(SCOPE, NAME##_iget, NAME##_iget, T) \
	GSHMEMI_NAMES_SIGNAL(SCOPE, NAME##_put_signal, NAME##_put_signal, T) \
	GSHMEMI_NAMES_SIGNAL(SCOPE, NAME##_put_signal_nbi, NAME##_put_signal_nbi, T)
/* gshmem lacks some calls of 16-bit floating point: the sized calls for 16 bits replace them. */
#define GSHMEMI_NAMES_RMA_SHORT(SCOPE, NAME, T) \
	GSHMEMI_NAMES_COPY(SCOPE, NAME##_put, put16, T) \
	GSHMEMI_NAMES_COPY(SCOPE, NAME##_get, get16, T) \
	GSHMEMI_NAMES_COPY(SCOPE, NAME##_put_nbi, put16_nbi, T) \
	GSHMEMI_NAMES_COPY(SCOPE, NAME##_get_nbi, get16_nbi, T) \
	GSHMEMI_NAMES_STRIDE(SCOPE, NAME##_iput, iput16, T) \
	GSHMEMI_NAMES_STRIDE(SCOPE, NAME##_iget, iget16, T) \
	GSHMEMI_NAMES_SIGNAL(SCOPE, NAME##_put_signal, put16_signal, T) \
	GSHMEMI_NAMES_SIGNAL(SCOPE, NAME##_put_signal_nbi, put16_signal_nbi, T)
#define GSHMEMI_NAMES_SIZE(SCOPE, SIZE) \
	GSHMEMI_NAMES_COPY(SCOPE, put##SIZE, put##SIZE, void) \
	GSHMEMI_NAMES_COPY(SCOPE, get##SIZE, get##SIZE, void) \
	GSHMEMI_NAMES_COPY(SCOPE, put##SIZE##_nbi, put##SIZE##_nbi, void) \
	GSHMEMI_NAMES_COPY(SCOPE, get##SIZE##_nbi, get##SIZE##_nbi, void) \
	GSHMEMI_NAMES_SIGNAL(SCOPE, put##SIZE##_signal, put##SIZE##_signal, void) \
	GSHMEMI_NAMES_SIGNAL(SCOPE, put##SIZE##_signal_nbi, put##SIZE##_signal_nbi, void)
/* clang-format off */
#define GSHMEMI_NAMES_VALUE(O, NAME, T) \
	GSHMEMI_V(GSHMEMI_THREAD, NAME##_p, O, NAME##_p, (T *dest, const T value), (dest, value)) \
	GSHMEMI_R(T, GSHMEMI_THREAD, NAME##_g, O, NAME##_g, (const T *source), (source))
/* clang-format on */

/* ---- atomics ---- */

#define GSHMEMI_NAMES_AMO_V(CALL, PARAMETERS, ARGUMENTS) \
	GSHMEMI_V(GSHMEMI_THREAD, CALL, gshmem, CALL, PARAMETERS, ARGUMENTS)
#define GSHMEMI_NAMES_AMO_R(T, CALL, PARAMETERS, ARGUMENTS) \
	GSHMEMI_R(T, GSHMEMI_THREAD, CALL, gshmem, CALL, PARAMETERS, ARGUMENTS)
/* clang-format off */
#define GSHMEMI_NAMES_EXTENDED_AMO(NAME, T) \
	GSHMEMI_NAMES_AMO_R(T, NAME##_atomic_fetch, (const T *source), (source)) \
	GSHMEMI_NAMES_AMO_V(NAME##_atomic_set, (T *dest, T value), (dest, value)) \
	GSHMEMI_NAMES_AMO_R(T, NAME##_atomic_swap, (T *dest, T value), (dest, value))
#define GSHMEMI_NAMES_AMO(NAME, T) \
	GSHMEMI_NAMES_AMO_R(T, NAME##_atomic_compare_swap, (T *dest, T cond, T value), (dest, cond, value)) \
	GSHMEMI_NAMES_AMO_R(T, NAME##_atomic_fetch_inc, (T *dest), (dest)) \
	GSHMEMI_NAMES_AMO_V(NAME##_atomic_inc, (T *dest), (dest)) \
	GSHMEMI_NAMES_AMO_R(T, NAME##_atomic_fetch_add, (T *dest, T value), (dest, value)) \
	GSHMEMI_NAMES_AMO_V(NAME##_atomic_add, (T *dest, T value), (dest, value))
#define GSHMEMI_NAMES_BITWISE_OP(NAME, T, OP) \
	GSHMEMI_NAMES_AMO_R(T, NAME##_atomic_fetch_##OP, (T *dest, T value), (dest, value)) \
	GSHMEMI_NAMES_AMO_V(NAME##_atomic_##OP, (T *dest, T value), (dest, value))
/* clang-format on */
#define GSHMEMI_NAMES_BITWISE_AMO(NAME, T) \
	GSHMEMI_NAMES_BITWISE_OP(NAME, T, and) \
	GSHMEMI_NAMES_BITWISE_OP(NAME, T, or) \
	GSHMEMI_NAMES_BITWISE_OP(NAME, T, xor)

/* ---- wait and test ---- */

#define GSHMEMI_RETURN_void
#define GSHMEMI_RETURN_int    return
#define GSHMEMI_RETURN_size_t return
#define GSHMEMI_NAMES_W(T, CALL, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME T GSHMEMI_THREAD_THEIRS(CALL) PARAMETERS \
	{ \
		GSHMEMI_RETURN_##T GSHMEMI_THREAD_OURS(gshmem, CALL) ARGUMENTS; \
	}
/* clang-format off */
#define GSHMEMI_NAMES_W_ARRAY(RESULT, CALL, T, VALUE) \
	GSHMEMI_NAMES_W(RESULT, CALL, (T *ivars, size_t nelems, const int *status, int cmp, VALUE), \
		(ivars, nelems, status, cmp, value))
#define GSHMEMI_NAMES_W_SOME(CALL, T, VALUE) \
	GSHMEMI_NAMES_W(size_t, CALL, \
		(T *ivars, size_t nelems, size_t * indices, const int *status, int cmp, VALUE), \
		(ivars, nelems, indices, status, cmp, value))
/* clang-format on */
/* V: empty or _vector; VALUE: the declaration of the value or values. */
#define GSHMEMI_NAMES_WAIT_FOR(NAME, T, V, VALUE) \
	GSHMEMI_NAMES_W_ARRAY(void, NAME##_wait_until_all##V, T, VALUE) \
	GSHMEMI_NAMES_W_ARRAY(size_t, NAME##_wait_until_any##V, T, VALUE) \
	GSHMEMI_NAMES_W_SOME(NAME##_wait_until_some##V, T, VALUE) \
	GSHMEMI_NAMES_W_ARRAY(int, NAME##_test_all##V, T, VALUE) \
	GSHMEMI_NAMES_W_ARRAY(size_t, NAME##_test_any##V, T, VALUE) \
	GSHMEMI_NAMES_W_SOME(NAME##_test_some##V, T, VALUE)
/* clang-format off */
#define GSHMEMI_NAMES_WAIT(NAME, T) \
	GSHMEMI_NAMES_W(void, NAME##_wait_until, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value)) \
	GSHMEMI_NAMES_W(int, NAME##_test, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value)) \
	GSHMEMI_NAMES_WAIT_FOR(NAME, T, , T value) \
	GSHMEMI_NAMES_WAIT_FOR(NAME, T, _vector, const T *value)
/* clang-format on */

/* ---- collectives: NAME is empty or ends with _, MEM follows the names of those of bytes ---- */

#define GSHMEMI_NAMES_BARRIERS(SCOPE, O) \
	GSHMEMI_NAME void SCOPE##_THEIRS(barrier_all)(void) \
	{ \
		SCOPE##_OURS(O, barrier_all)(); \
	} \
	GSHMEMI_NAME void SCOPE##_THEIRS(sync_all)(void) \
	{ \
		SCOPE##_OURS(O, sync_all)(); \
	} \
	GSHMEMI_NAME int SCOPE##_THEIRS(team_sync)(gshmem_team_t team) \
	{ \
		return SCOPE##_OURS(O, team_sync)(team); \
	}
/* clang-format off */
#define GSHMEMI_NAMES_MOVES(SCOPE, O, NAME, MEM, T) \
	GSHMEMI_C(SCOPE, NAME##broadcast##MEM, O, NAME##broadcast##MEM, \
		(gshmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root), \
		(team, dest, source, nelems, PE_root)) \
	GSHMEMI_C(SCOPE, NAME##fcollect##MEM, O, NAME##fcollect##MEM, \
		(gshmem_team_t team, T *dest, const T *source, size_t nelems), \
		(team, dest, source, nelems)) \
	GSHMEMI_C(SCOPE, NAME##alltoall##MEM, O, NAME##alltoall##MEM, \
		(gshmem_team_t team, T *dest, const T *source, size_t nelems), \
		(team, dest, source, nelems))
#define GSHMEMI_NAMES_REDUCE(SCOPE, O, NAME, T) \
	GSHMEMI_C(SCOPE, NAME##_reduce, O, NAME##_reduce, \
		(gshmem_team_t team, T *dest, const T *source, size_t nreduce), \
		(team, dest, source, nreduce)) \
	GSHMEMI_C(SCOPE, NAME##_reducescatter, gshmemx, NAME##_reduce_scatter, \
		(gshmem_team_t team, T *dest, const T *source, size_t nreduce), \
		(team, dest, source, nreduce))
/* clang-format on */
#define GSHMEMI_NAMES_BITWISE_REDUCE(SCOPE, O, NAME, T) \
	GSHMEMI_NAMES_REDUCE(SCOPE, O, NAME##_and, T) \
	GSHMEMI_NAMES_REDUCE(SCOPE, O, NAME##_or, T) \
	GSHMEMI_NAMES_REDUCE(SCOPE, O, NAME##_xor, T)
#define GSHMEMI_NAMES_ORDERED_REDUCE(SCOPE, O, NAME, T) \
	GSHMEMI_NAMES_REDUCE(SCOPE, O, NAME##_max, T) \
	GSHMEMI_NAMES_REDUCE(SCOPE, O, NAME##_min, T) \
	GSHMEMI_NAMES_REDUCE(SCOPE, O, NAME##_sum, T) \
	GSHMEMI_NAMES_REDUCE(SCOPE, O, NAME##_prod, T)

/* ---- all calls of both libraries: neither has long double ---- */

#define GSHMEMI_NAMES_TYPES(X) GSHMEM_BASIC_VALUE_TYPES(X) GSHMEM_ALIAS_RMA_TYPES(X)

#define GSHMEMI_NAMES_OF_TYPE(NAME, T) \
	GSHMEMI_SCOPES(GSHMEMI_NAMES_RMA, NAME, T) \
	GSHMEMI_NAMES_VALUE(gshmem, NAME, T) \
	GSHMEMI_SCOPES(GSHMEMI_NAMES_MOVES, gshmem, NAME##_, , T)
#define GSHMEMI_NAMES_OF_SHORT(NAME, T) \
	GSHMEMI_SCOPES(GSHMEMI_NAMES_RMA_SHORT, NAME, T) \
	GSHMEMI_NAMES_VALUE(gshmemx, NAME, T) \
	GSHMEMI_GROUPS(GSHMEMI_NAMES_MOVES, gshmemx, NAME##_, , T)
#define GSHMEMI_NAMES_OF_SIZE(SIZE, NBYTES)     GSHMEMI_SCOPES(GSHMEMI_NAMES_SIZE, SIZE)
#define GSHMEMI_NAMES_OF_BITWISE(NAME, T, KIND) GSHMEMI_SCOPES(GSHMEMI_NAMES_BITWISE_REDUCE, gshmem, NAME, T)
#define GSHMEMI_NAMES_OF_ORDERED(NAME, T, KIND) GSHMEMI_SCOPES(GSHMEMI_NAMES_ORDERED_REDUCE, gshmem, NAME, T)
#define GSHMEMI_NAMES_CALLS \
	GSHMEMI_NAMES_TYPES(GSHMEMI_NAMES_OF_TYPE) \
	GSHMEMX_RMA_TYPES(GSHMEMI_NAMES_OF_SHORT) \
	GSHMEM_RMA_SIZES(GSHMEMI_NAMES_OF_SIZE) \
	GSHMEMI_SCOPES(GSHMEMI_NAMES_SIZE, mem) \
	GSHMEM_EXTENDED_AMO_TYPES(GSHMEMI_NAMES_EXTENDED_AMO) \
	GSHMEM_AMO_TYPES(GSHMEMI_NAMES_AMO) \
	GSHMEM_BITWISE_AMO_TYPES(GSHMEMI_NAMES_BITWISE_AMO) \
	GSHMEM_WAIT_TYPES(GSHMEMI_NAMES_WAIT) \
	GSHMEMI_SCOPES(GSHMEMI_NAMES_BARRIERS, gshmem) \
	GSHMEMI_SCOPES(GSHMEMI_NAMES_MOVES, gshmem, , mem, void) \
	GSHMEM_BITWISE_REDUCE_TYPES(GSHMEMI_NAMES_OF_BITWISE) \
	GSHMEM_ORDERED_REDUCE_TYPES(GSHMEMI_NAMES_OF_ORDERED)

#define GSHMEMI_STREAM_OF_TYPE(NAME, T) GSHMEMI_NAMES_MOVES(GSHMEMI_STREAM, gshmemx, NAME##_, , T)
#define GSHMEMI_STREAM_OF_BITWISE(NAME, T, KIND) \
	GSHMEMI_NAMES_BITWISE_REDUCE(GSHMEMI_STREAM, gshmemx, NAME, T)
#define GSHMEMI_STREAM_OF_ORDERED(NAME, T, KIND) \
	GSHMEMI_NAMES_ORDERED_REDUCE(GSHMEMI_STREAM, gshmemx, NAME, T)
#define GSHMEMI_STREAM_ORDER(CALL) \
	static inline void GSHMEMI_STREAM_THEIRS(CALL)(void *stream) \
	{ \
		(void)GSHMEMI_STREAM_OURS(gshmemx, CALL)(stream); \
	}
/* clang-format off */
#define GSHMEMI_NAMES_STREAM \
	GSHMEMI_STREAM_ORDER(quiet) \
	GSHMEMI_STREAM_ORDER(barrier_all) \
	GSHMEMI_STREAM_ORDER(sync_all) \
	static inline void GSHMEMI_STREAM_THEIRS(signal_wait_until)( \
		uint64_t *sig_addr, int cmp, uint64_t cmp_value, void *stream) \
	{ \
		(void)gshmemx_signal_wait_until_on_stream(sig_addr, cmp, cmp_value, stream); \
	} \
	GSHMEMI_NAMES_TYPES(GSHMEMI_STREAM_OF_TYPE) \
	GSHMEMI_NAMES_MOVES(GSHMEMI_STREAM, gshmemx, , mem, void) \
	GSHMEM_BITWISE_REDUCE_TYPES(GSHMEMI_STREAM_OF_BITWISE) \
	GSHMEM_ORDERED_REDUCE_TYPES(GSHMEMI_STREAM_OF_ORDERED)
/* clang-format on */

#endif /* GSHMEM_COMPAT_NAMES_H */
