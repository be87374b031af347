/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type-generic names: gshmem_put(dest, source, nelems, pe) and so on choose by the type of the
 * symmetric object, with or without a context in front. C++ has overloads, C11 has _Generic, older C has
 * only the typed names.
 */
#ifndef GSHMEM_GENERIC_H
#define GSHMEM_GENERIC_H

GSHMEMI_BEGIN_CXX

/* The 16-bit types have another prefix; G(PREFIX, NAME, TYPE) hides that. */
#define GSHMEMI_GENERIC_RMA(G) G(gshmem, longdouble, long double) GSHMEMI_GENERIC_VALUE(G)
#define GSHMEMI_GENERIC_VALUE(G) \
	G(gshmem, float, float) \
	G(gshmem, double, double) \
	G(gshmem, char, char) \
	G(gshmem, schar, signed char) \
	G(gshmem, short, short) \
	G(gshmem, int, int) \
	G(gshmem, long, long) \
	G(gshmem, longlong, long long) \
	G(gshmem, uchar, unsigned char) \
	G(gshmem, ushort, unsigned short) \
	G(gshmem, uint, unsigned int) \
	G(gshmem, ulong, unsigned long) \
	G(gshmem, ulonglong, unsigned long long) \
	G(gshmemx, half, gshmemx_half_t) \
	G(gshmemx, bfloat16, gshmemx_bfloat16_t)

#ifdef __cplusplus

#define GSHMEMI_DEFINE(PREFIX, NAME, TYPE) \
	GSHMEMI_FN void gshmem_put(TYPE *dest, const TYPE *source, size_t nelems, int pe) \
	{ \
		PREFIX##_##NAME##_put(dest, source, nelems, pe); \
	} \
	GSHMEMI_FN void gshmem_get(TYPE *dest, const TYPE *source, size_t nelems, int pe) \
	{ \
		PREFIX##_##NAME##_get(dest, source, nelems, pe); \
	} \
	GSHMEMI_FN void gshmem_put_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe) \
	{ \
		PREFIX##_##NAME##_put_nbi(dest, source, nelems, pe); \
	} \
	GSHMEMI_FN void gshmem_get_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe) \
	{ \
		PREFIX##_##NAME##_get_nbi(dest, source, nelems, pe); \
	}
GSHMEMI_GENERIC_RMA(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE_P_G(API, PREFIX, NAME, TYPE) \
	API void gshmem_p(TYPE *dest, TYPE value, int pe) \
	{ \
		PREFIX##_##NAME##_p(dest, value, pe); \
	} \
	API TYPE gshmem_g(const TYPE *source, int pe) \
	{ \
		return PREFIX##_##NAME##_g(source, pe); \
	}
#define GSHMEMI_DEFINE(PREFIX, NAME, TYPE) GSHMEMI_DEFINE_P_G(GSHMEMI_FN, PREFIX, NAME, TYPE)
GSHMEMI_GENERIC_VALUE(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
#if GSHMEMI_KERNELS
GSHMEMI_DEFINE_P_G(GSHMEMI_LONG_DOUBLE_API, gshmem, longdouble, long double)
#else
GSHMEMI_DEFINE_P_G(GSHMEMI_FN, gshmem, longdouble, long double)
#endif
#undef GSHMEMI_DEFINE_P_G

#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_FN void gshmem_iput( \
		TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) \
	{ \
		gshmem_##NAME##_iput(dest, source, dst, sst, nelems, pe); \
	} \
	GSHMEMI_FN void gshmem_iget( \
		TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) \
	{ \
		gshmem_##NAME##_iget(dest, source, dst, sst, nelems, pe); \
	} \
	GSHMEMI_FN void gshmem_ibput(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t bsize, size_t nblocks, int pe) \
	{ \
		gshmem_##NAME##_ibput(dest, source, dst, sst, bsize, nblocks, pe); \
	} \
	GSHMEMI_FN void gshmem_ibget(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t bsize, size_t nblocks, int pe) \
	{ \
		gshmem_##NAME##_ibget(dest, source, dst, sst, bsize, nblocks, pe); \
	} \
	GSHMEMI_FN void gshmem_put_signal(TYPE *dest, const TYPE *source, size_t nelems, uint64_t *sig_addr, \
		uint64_t signal, int sig_op, int pe) \
	{ \
		gshmem_##NAME##_put_signal(dest, source, nelems, sig_addr, signal, sig_op, pe); \
	} \
	GSHMEMI_FN void gshmem_put_signal_nbi(TYPE *dest, const TYPE *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
	{ \
		gshmem_##NAME##_put_signal_nbi(dest, source, nelems, sig_addr, signal, sig_op, pe); \
	}
GSHMEM_BASIC_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_FN TYPE gshmem_atomic_fetch(const TYPE *source, int pe) \
	{ \
		return gshmem_##NAME##_atomic_fetch(source, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_set(TYPE *dest, TYPE value, int pe) \
	{ \
		gshmem_##NAME##_atomic_set(dest, value, pe); \
	} \
	GSHMEMI_FN TYPE gshmem_atomic_swap(TYPE *dest, TYPE value, int pe) \
	{ \
		return gshmem_##NAME##_atomic_swap(dest, value, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_fetch_nbi(TYPE *fetch, const TYPE *source, int pe) \
	{ \
		gshmem_##NAME##_atomic_fetch_nbi(fetch, source, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_swap_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe) \
	{ \
		gshmem_##NAME##_atomic_swap_nbi(fetch, dest, value, pe); \
	}
GSHMEM_BASIC_EXTENDED_AMO_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_FN TYPE gshmem_atomic_compare_swap(TYPE *dest, TYPE cond, TYPE value, int pe) \
	{ \
		return gshmem_##NAME##_atomic_compare_swap(dest, cond, value, pe); \
	} \
	GSHMEMI_FN TYPE gshmem_atomic_fetch_inc(TYPE *dest, int pe) \
	{ \
		return gshmem_##NAME##_atomic_fetch_inc(dest, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_inc(TYPE *dest, int pe) \
	{ \
		gshmem_##NAME##_atomic_inc(dest, pe); \
	} \
	GSHMEMI_FN TYPE gshmem_atomic_fetch_add(TYPE *dest, TYPE value, int pe) \
	{ \
		return gshmem_##NAME##_atomic_fetch_add(dest, value, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_add(TYPE *dest, TYPE value, int pe) \
	{ \
		gshmem_##NAME##_atomic_add(dest, value, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_compare_swap_nbi( \
		TYPE *fetch, TYPE *dest, TYPE cond, TYPE value, int pe) \
	{ \
		gshmem_##NAME##_atomic_compare_swap_nbi(fetch, dest, cond, value, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_fetch_inc_nbi(TYPE *fetch, TYPE *dest, int pe) \
	{ \
		gshmem_##NAME##_atomic_fetch_inc_nbi(fetch, dest, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_fetch_add_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe) \
	{ \
		gshmem_##NAME##_atomic_fetch_add_nbi(fetch, dest, value, pe); \
	}
GSHMEM_BASIC_AMO_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE_BITWISE(NAME, TYPE, OP) \
	GSHMEMI_FN TYPE gshmem_atomic_fetch_##OP(TYPE *dest, TYPE value, int pe) \
	{ \
		return gshmem_##NAME##_atomic_fetch_##OP(dest, value, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_##OP(TYPE *dest, TYPE value, int pe) \
	{ \
		gshmem_##NAME##_atomic_##OP(dest, value, pe); \
	} \
	GSHMEMI_FN void gshmem_atomic_fetch_##OP##_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe) \
	{ \
		gshmem_##NAME##_atomic_fetch_##OP##_nbi(fetch, dest, value, pe); \
	}
/*
 * To overloads int32 and int64 are int and long (or long long), which have no bitwise atomics of their own.
 */
#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_DEFINE_BITWISE(NAME, TYPE, and) \
	GSHMEMI_DEFINE_BITWISE(NAME, TYPE, or) \
	GSHMEMI_DEFINE_BITWISE(NAME, TYPE, xor)
GSHMEM_BASIC_BITWISE_AMO_TYPES(GSHMEMI_DEFINE)
GSHMEMI_DEFINE(int32, int32_t)
GSHMEMI_DEFINE(int64, int64_t)
#undef GSHMEMI_DEFINE
#undef GSHMEMI_DEFINE_BITWISE

#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_FN void gshmem_wait_until(TYPE *ivar, int cmp, TYPE cmp_value) \
	{ \
		gshmem_##NAME##_wait_until(ivar, cmp, cmp_value); \
	} \
	GSHMEMI_FN int gshmem_test(TYPE *ivar, int cmp, TYPE cmp_value) \
	{ \
		return gshmem_##NAME##_test(ivar, cmp, cmp_value); \
	}
GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE_MANY(NAME, TYPE, RESULT, CALL, VALUE, ...) \
	GSHMEMI_FN RESULT gshmem_##CALL(TYPE *ivars, size_t nelems, const int *status, int cmp, VALUE) \
	{ \
		return gshmem_##NAME##_##CALL(ivars, nelems, status, cmp, __VA_ARGS__); \
	}
#define GSHMEMI_DEFINE_SOME(NAME, TYPE, CALL, VALUE, ...) \
	GSHMEMI_FN size_t gshmem_##CALL( \
		TYPE *ivars, size_t nelems, size_t *indices, const int *status, int cmp, VALUE) \
	{ \
		return gshmem_##NAME##_##CALL(ivars, nelems, indices, status, cmp, __VA_ARGS__); \
	}
#define GSHMEMI_DEFINE_VALUES(NAME, TYPE, VECTOR, VALUE, ...) \
	GSHMEMI_DEFINE_MANY(NAME, TYPE, void, wait_until_all##VECTOR, VALUE, __VA_ARGS__) \
	GSHMEMI_DEFINE_MANY(NAME, TYPE, size_t, wait_until_any##VECTOR, VALUE, __VA_ARGS__) \
	GSHMEMI_DEFINE_SOME(NAME, TYPE, wait_until_some##VECTOR, VALUE, __VA_ARGS__) \
	GSHMEMI_DEFINE_MANY(NAME, TYPE, int, test_all##VECTOR, VALUE, __VA_ARGS__) \
	GSHMEMI_DEFINE_MANY(NAME, TYPE, size_t, test_any##VECTOR, VALUE, __VA_ARGS__) \
	GSHMEMI_DEFINE_SOME(NAME, TYPE, test_some##VECTOR, VALUE, __VA_ARGS__)
#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_DEFINE_VALUES(NAME, TYPE, , TYPE cmp_value, cmp_value) \
	GSHMEMI_DEFINE_VALUES(NAME, TYPE, _vector, const TYPE *cmp_values, cmp_values)
GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
#undef GSHMEMI_DEFINE_VALUES
#undef GSHMEMI_DEFINE_SOME
#undef GSHMEMI_DEFINE_MANY

/*
 * With a context in front: the same overloads, with the PE that the context makes of pe. Values of the
 * symmetric object's type may be passed as anything that converts to it.
 */
template <typename T> struct gshmemi_same {
	typedef T type;
};
#if GSHMEMI_KERNELS
#define GSHMEMI_CTX_PE(call) gshmemi_ctx_pe(ctx, pe, call)
#else
GSHMEMI_BEGIN_C
GSHMEM_HOST_API int gshmemi_host_ctx_pe(gshmem_ctx_t ctx, int pe, const char *call);
GSHMEMI_END_C
#define GSHMEMI_CTX_PE(call) gshmemi_host_ctx_pe(ctx, pe, call)
#endif
#define GSHMEMI_SAME typename gshmemi_same<T>::type
#define GSHMEMI_DEFINE(RESULT, NAME, PARAMETERS, ARGUMENTS) \
	template <typename T> \
	GSHMEMI_FN RESULT gshmem_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		return gshmem_##NAME(GSHMEMI_UNPACK ARGUMENTS, GSHMEMI_CTX_PE("gshmem_" #NAME)); \
	}
/* clang-format off */
#define GSHMEMI_DEFINE_COPY(NAME) \
	GSHMEMI_DEFINE( \
		void, NAME, (T *dest, const GSHMEMI_SAME *source, size_t nelems), (dest, source, nelems))
#define GSHMEMI_DEFINE_STRIDE(NAME) \
	GSHMEMI_DEFINE(void, NAME, \
		(T *dest, const GSHMEMI_SAME *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems), \
		(dest, source, dst, sst, nelems))
#define GSHMEMI_DEFINE_BLOCK(NAME) \
	GSHMEMI_DEFINE(void, NAME, \
		(T *dest, const GSHMEMI_SAME *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
			size_t nblocks), \
		(dest, source, dst, sst, bsize, nblocks))
#define GSHMEMI_DEFINE_SIGNAL(NAME) \
	GSHMEMI_DEFINE(void, NAME, \
		(T *dest, const GSHMEMI_SAME *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, \
			int sig_op), \
		(dest, source, nelems, sig_addr, signal, sig_op))
/* Atomics with an operand: without a result, with a result, and non-blocking. */
#define GSHMEMI_DEFINE_SET(NAME) GSHMEMI_DEFINE(void, NAME, (T *dest, GSHMEMI_SAME value), (dest, value))
#define GSHMEMI_DEFINE_FETCH(NAME) \
	GSHMEMI_DEFINE(T, NAME, (T *dest, GSHMEMI_SAME value), (dest, value)) \
	GSHMEMI_DEFINE(void, NAME##_nbi, (GSHMEMI_SAME *fetch, T *dest, GSHMEMI_SAME value), \
		(fetch, dest, value))
/* clang-format on */

GSHMEMI_DEFINE_COPY(put)
GSHMEMI_DEFINE_COPY(get)
GSHMEMI_DEFINE_COPY(put_nbi)
GSHMEMI_DEFINE_COPY(get_nbi)
GSHMEMI_DEFINE_SET(p)
GSHMEMI_DEFINE(T, g, (const T *source), (source))
GSHMEMI_DEFINE_STRIDE(iput)
GSHMEMI_DEFINE_STRIDE(iget)
GSHMEMI_DEFINE_BLOCK(ibput)
GSHMEMI_DEFINE_BLOCK(ibget)
GSHMEMI_DEFINE_SIGNAL(put_signal)
GSHMEMI_DEFINE_SIGNAL(put_signal_nbi)
GSHMEMI_DEFINE(T, atomic_fetch, (const T *source), (source))
/* clang-format off */
GSHMEMI_DEFINE(void, atomic_fetch_nbi, (T *fetch, const GSHMEMI_SAME *source), (fetch, source))
GSHMEMI_DEFINE_SET(atomic_set)
GSHMEMI_DEFINE_FETCH(atomic_swap)
GSHMEMI_DEFINE(T, atomic_compare_swap, (T *dest, GSHMEMI_SAME cond, GSHMEMI_SAME value), (dest, cond, value))
GSHMEMI_DEFINE(void, atomic_compare_swap_nbi,
	(GSHMEMI_SAME *fetch, T *dest, GSHMEMI_SAME cond, GSHMEMI_SAME value), (fetch, dest, cond, value))
GSHMEMI_DEFINE(T, atomic_fetch_inc, (T *dest), (dest))
GSHMEMI_DEFINE(void, atomic_fetch_inc_nbi, (GSHMEMI_SAME *fetch, T *dest), (fetch, dest))
GSHMEMI_DEFINE(void, atomic_inc, (T *dest), (dest))
/* clang-format on */
GSHMEMI_DEFINE_FETCH(atomic_fetch_add)
GSHMEMI_DEFINE_SET(atomic_add)
GSHMEMI_DEFINE_FETCH(atomic_fetch_and)
GSHMEMI_DEFINE_SET(atomic_and)
GSHMEMI_DEFINE_FETCH(atomic_fetch_or)
GSHMEMI_DEFINE_SET(atomic_or)
GSHMEMI_DEFINE_FETCH(atomic_fetch_xor)
GSHMEMI_DEFINE_SET(atomic_xor)
#if GSHMEMI_KERNELS && !GSHMEMI_ARCH_HAS_LONG_DOUBLE /* unlike templates these cannot be called by kernels */
GSHMEMI_LONG_DOUBLE_API void gshmem_p(gshmem_ctx_t ctx, long double *dest, long double value, int pe)
{
	gshmem_ctx_longdouble_p(ctx, dest, value, pe);
}
GSHMEMI_LONG_DOUBLE_API long double gshmem_g(gshmem_ctx_t ctx, const long double *source, int pe)
{
	return gshmem_ctx_longdouble_g(ctx, source, pe);
}
#endif
#undef GSHMEMI_DEFINE
#undef GSHMEMI_DEFINE_COPY
#undef GSHMEMI_DEFINE_STRIDE
#undef GSHMEMI_DEFINE_BLOCK
#undef GSHMEMI_DEFINE_SIGNAL
#undef GSHMEMI_DEFINE_SET
#undef GSHMEMI_DEFINE_FETCH
#undef GSHMEMI_SAME
#undef GSHMEMI_CTX_PE

#undef GSHMEMI_GENERIC_RMA
#undef GSHMEMI_GENERIC_VALUE

#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

/*
 * The selections use *(object), whose type has no qualifiers, so that one entry serves const and volatile,
 * too. The macros that make the entries stay defined: they are expanded where the names are used.
 */
#define GSHMEMI_PUT_(PREFIX, NAME, TYPE)            , TYPE : PREFIX##_##NAME##_put
#define GSHMEMI_PUT_CTX_(PREFIX, NAME, TYPE)        , TYPE : PREFIX##_ctx_##NAME##_put
#define GSHMEMI_GET_(PREFIX, NAME, TYPE)            , TYPE : PREFIX##_##NAME##_get
#define GSHMEMI_GET_CTX_(PREFIX, NAME, TYPE)        , TYPE : PREFIX##_ctx_##NAME##_get
#define GSHMEMI_PUT_NBI_(PREFIX, NAME, TYPE)        , TYPE : PREFIX##_##NAME##_put_nbi
#define GSHMEMI_PUT_NBI_CTX_(PREFIX, NAME, TYPE)    , TYPE : PREFIX##_ctx_##NAME##_put_nbi
#define GSHMEMI_GET_NBI_(PREFIX, NAME, TYPE)        , TYPE : PREFIX##_##NAME##_get_nbi
#define GSHMEMI_GET_NBI_CTX_(PREFIX, NAME, TYPE)    , TYPE : PREFIX##_ctx_##NAME##_get_nbi
#define GSHMEMI_P_(PREFIX, NAME, TYPE)              , TYPE : PREFIX##_##NAME##_p
#define GSHMEMI_P_CTX_(PREFIX, NAME, TYPE)          , TYPE : PREFIX##_ctx_##NAME##_p
#define GSHMEMI_G_(PREFIX, NAME, TYPE)              , TYPE : PREFIX##_##NAME##_g
#define GSHMEMI_G_CTX_(PREFIX, NAME, TYPE)          , TYPE : PREFIX##_ctx_##NAME##_g
#define GSHMEMI_IPUT_(NAME, TYPE)                   , TYPE : gshmem_##NAME##_iput
#define GSHMEMI_IPUT_CTX_(NAME, TYPE)               , TYPE : gshmem_ctx_##NAME##_iput
#define GSHMEMI_IGET_(NAME, TYPE)                   , TYPE : gshmem_##NAME##_iget
#define GSHMEMI_IGET_CTX_(NAME, TYPE)               , TYPE : gshmem_ctx_##NAME##_iget
#define GSHMEMI_IBPUT_(NAME, TYPE)                  , TYPE : gshmem_##NAME##_ibput
#define GSHMEMI_IBPUT_CTX_(NAME, TYPE)              , TYPE : gshmem_ctx_##NAME##_ibput
#define GSHMEMI_IBGET_(NAME, TYPE)                  , TYPE : gshmem_##NAME##_ibget
#define GSHMEMI_IBGET_CTX_(NAME, TYPE)              , TYPE : gshmem_ctx_##NAME##_ibget
#define GSHMEMI_PUT_SIGNAL_(NAME, TYPE)             , TYPE : gshmem_##NAME##_put_signal
#define GSHMEMI_PUT_SIGNAL_CTX_(NAME, TYPE)         , TYPE : gshmem_ctx_##NAME##_put_signal
#define GSHMEMI_PUT_SIGNAL_NBI_(NAME, TYPE)         , TYPE : gshmem_##NAME##_put_signal_nbi
#define GSHMEMI_PUT_SIGNAL_NBI_CTX_(NAME, TYPE)     , TYPE : gshmem_ctx_##NAME##_put_signal_nbi
#define GSHMEMI_FETCH_(NAME, TYPE)                  , TYPE : gshmem_##NAME##_atomic_fetch
#define GSHMEMI_FETCH_CTX_(NAME, TYPE)              , TYPE : gshmem_ctx_##NAME##_atomic_fetch
#define GSHMEMI_SET_(NAME, TYPE)                    , TYPE : gshmem_##NAME##_atomic_set
#define GSHMEMI_SET_CTX_(NAME, TYPE)                , TYPE : gshmem_ctx_##NAME##_atomic_set
#define GSHMEMI_SWAP_(NAME, TYPE)                   , TYPE : gshmem_##NAME##_atomic_swap
#define GSHMEMI_SWAP_CTX_(NAME, TYPE)               , TYPE : gshmem_ctx_##NAME##_atomic_swap
#define GSHMEMI_FETCH_NBI_(NAME, TYPE)              , TYPE : gshmem_##NAME##_atomic_fetch_nbi
#define GSHMEMI_FETCH_NBI_CTX_(NAME, TYPE)          , TYPE : gshmem_ctx_##NAME##_atomic_fetch_nbi
#define GSHMEMI_SWAP_NBI_(NAME, TYPE)               , TYPE : gshmem_##NAME##_atomic_swap_nbi
#define GSHMEMI_SWAP_NBI_CTX_(NAME, TYPE)           , TYPE : gshmem_ctx_##NAME##_atomic_swap_nbi
#define GSHMEMI_CSWAP_(NAME, TYPE)                  , TYPE : gshmem_##NAME##_atomic_compare_swap
#define GSHMEMI_CSWAP_CTX_(NAME, TYPE)              , TYPE : gshmem_ctx_##NAME##_atomic_compare_swap
#define GSHMEMI_FINC_(NAME, TYPE)                   , TYPE : gshmem_##NAME##_atomic_fetch_inc
#define GSHMEMI_FINC_CTX_(NAME, TYPE)               , TYPE : gshmem_ctx_##NAME##_atomic_fetch_inc
#define GSHMEMI_INC_(NAME, TYPE)                    , TYPE : gshmem_##NAME##_atomic_inc
#define GSHMEMI_INC_CTX_(NAME, TYPE)                , TYPE : gshmem_ctx_##NAME##_atomic_inc
#define GSHMEMI_FADD_(NAME, TYPE)                   , TYPE : gshmem_##NAME##_atomic_fetch_add
#define GSHMEMI_FADD_CTX_(NAME, TYPE)               , TYPE : gshmem_ctx_##NAME##_atomic_fetch_add
#define GSHMEMI_ADD_(NAME, TYPE)                    , TYPE : gshmem_##NAME##_atomic_add
#define GSHMEMI_ADD_CTX_(NAME, TYPE)                , TYPE : gshmem_ctx_##NAME##_atomic_add
#define GSHMEMI_CSWAP_NBI_(NAME, TYPE)              , TYPE : gshmem_##NAME##_atomic_compare_swap_nbi
#define GSHMEMI_CSWAP_NBI_CTX_(NAME, TYPE)          , TYPE : gshmem_ctx_##NAME##_atomic_compare_swap_nbi
#define GSHMEMI_FINC_NBI_(NAME, TYPE)               , TYPE : gshmem_##NAME##_atomic_fetch_inc_nbi
#define GSHMEMI_FINC_NBI_CTX_(NAME, TYPE)           , TYPE : gshmem_ctx_##NAME##_atomic_fetch_inc_nbi
#define GSHMEMI_FADD_NBI_(NAME, TYPE)               , TYPE : gshmem_##NAME##_atomic_fetch_add_nbi
#define GSHMEMI_FADD_NBI_CTX_(NAME, TYPE)           , TYPE : gshmem_ctx_##NAME##_atomic_fetch_add_nbi
#define GSHMEMI_FAND_(NAME, TYPE)                   , TYPE : gshmem_##NAME##_atomic_fetch_and
#define GSHMEMI_FAND_CTX_(NAME, TYPE)               , TYPE : gshmem_ctx_##NAME##_atomic_fetch_and
#define GSHMEMI_AND_(NAME, TYPE)                    , TYPE : gshmem_##NAME##_atomic_and
#define GSHMEMI_AND_CTX_(NAME, TYPE)                , TYPE : gshmem_ctx_##NAME##_atomic_and
#define GSHMEMI_FOR_(NAME, TYPE)                    , TYPE : gshmem_##NAME##_atomic_fetch_or
#define GSHMEMI_FOR_CTX_(NAME, TYPE)                , TYPE : gshmem_ctx_##NAME##_atomic_fetch_or
#define GSHMEMI_OR_(NAME, TYPE)                     , TYPE : gshmem_##NAME##_atomic_or
#define GSHMEMI_OR_CTX_(NAME, TYPE)                 , TYPE : gshmem_ctx_##NAME##_atomic_or
#define GSHMEMI_FXOR_(NAME, TYPE)                   , TYPE : gshmem_##NAME##_atomic_fetch_xor
#define GSHMEMI_FXOR_CTX_(NAME, TYPE)               , TYPE : gshmem_ctx_##NAME##_atomic_fetch_xor
#define GSHMEMI_XOR_(NAME, TYPE)                    , TYPE : gshmem_##NAME##_atomic_xor
#define GSHMEMI_XOR_CTX_(NAME, TYPE)                , TYPE : gshmem_ctx_##NAME##_atomic_xor
#define GSHMEMI_FAND_NBI_(NAME, TYPE)               , TYPE : gshmem_##NAME##_atomic_fetch_and_nbi
#define GSHMEMI_FAND_NBI_CTX_(NAME, TYPE)           , TYPE : gshmem_ctx_##NAME##_atomic_fetch_and_nbi
#define GSHMEMI_FOR_NBI_(NAME, TYPE)                , TYPE : gshmem_##NAME##_atomic_fetch_or_nbi
#define GSHMEMI_FOR_NBI_CTX_(NAME, TYPE)            , TYPE : gshmem_ctx_##NAME##_atomic_fetch_or_nbi
#define GSHMEMI_FXOR_NBI_(NAME, TYPE)               , TYPE : gshmem_##NAME##_atomic_fetch_xor_nbi
#define GSHMEMI_FXOR_NBI_CTX_(NAME, TYPE)           , TYPE : gshmem_ctx_##NAME##_atomic_fetch_xor_nbi
#define GSHMEMI_WAIT_UNTIL_(NAME, TYPE)             , TYPE : gshmem_##NAME##_wait_until
#define GSHMEMI_TEST_(NAME, TYPE)                   , TYPE : gshmem_##NAME##_test
#define GSHMEMI_WAIT_UNTIL_ALL_(NAME, TYPE)         , TYPE : gshmem_##NAME##_wait_until_all
#define GSHMEMI_WAIT_UNTIL_ANY_(NAME, TYPE)         , TYPE : gshmem_##NAME##_wait_until_any
#define GSHMEMI_WAIT_UNTIL_SOME_(NAME, TYPE)        , TYPE : gshmem_##NAME##_wait_until_some
#define GSHMEMI_TEST_ALL_(NAME, TYPE)               , TYPE : gshmem_##NAME##_test_all
#define GSHMEMI_TEST_ANY_(NAME, TYPE)               , TYPE : gshmem_##NAME##_test_any
#define GSHMEMI_TEST_SOME_(NAME, TYPE)              , TYPE : gshmem_##NAME##_test_some
#define GSHMEMI_WAIT_UNTIL_ALL_VECTOR_(NAME, TYPE)  , TYPE : gshmem_##NAME##_wait_until_all_vector
#define GSHMEMI_WAIT_UNTIL_ANY_VECTOR_(NAME, TYPE)  , TYPE : gshmem_##NAME##_wait_until_any_vector
#define GSHMEMI_WAIT_UNTIL_SOME_VECTOR_(NAME, TYPE) , TYPE : gshmem_##NAME##_wait_until_some_vector
#define GSHMEMI_TEST_ALL_VECTOR_(NAME, TYPE)        , TYPE : gshmem_##NAME##_test_all_vector
#define GSHMEMI_TEST_ANY_VECTOR_(NAME, TYPE)        , TYPE : gshmem_##NAME##_test_any_vector
#define GSHMEMI_TEST_SOME_VECTOR_(NAME, TYPE)       , TYPE : gshmem_##NAME##_test_some_vector

#define GSHMEMI_SIGNED_BITWISE(X) \
	X(int32, int32_t) \
	X(int64, int64_t)
#define GSHMEMI_BITWISE(X)                 GSHMEM_BASIC_BITWISE_AMO_TYPES(X) GSHMEMI_SIGNED_BITWISE(X)

/*
 * The symmetric object of a call is its first argument, or the second if the first is a context. The branch
 * that is not chosen must compile, too, so both select by the type of that object.
 */
#define GSHMEMI_OBJECT(first, second, ...) *_Generic((first), gshmem_ctx_t : (second), default : (first))
#define GSHMEMI_FIRST(first, ...)          (first)
/* clang-format off */
#define GSHMEMI_CHOOSE(TYPES, OP, ...) \
	_Generic(GSHMEMI_FIRST(__VA_ARGS__), \
		gshmem_ctx_t : _Generic(GSHMEMI_OBJECT(__VA_ARGS__, 0) TYPES(GSHMEMI_##OP##_CTX_)), \
		default : _Generic(GSHMEMI_OBJECT(__VA_ARGS__, 0) TYPES(GSHMEMI_##OP##_)))(__VA_ARGS__)
/* clang-format on */

#define gshmem_put(...)            GSHMEMI_CHOOSE(GSHMEMI_GENERIC_RMA, PUT, __VA_ARGS__)
#define gshmem_get(...)            GSHMEMI_CHOOSE(GSHMEMI_GENERIC_RMA, GET, __VA_ARGS__)
#define gshmem_put_nbi(...)        GSHMEMI_CHOOSE(GSHMEMI_GENERIC_RMA, PUT_NBI, __VA_ARGS__)
#define gshmem_get_nbi(...)        GSHMEMI_CHOOSE(GSHMEMI_GENERIC_RMA, GET_NBI, __VA_ARGS__)
#define gshmem_p(...)              GSHMEMI_CHOOSE(GSHMEMI_GENERIC_RMA, P, __VA_ARGS__)
#define gshmem_g(...)              GSHMEMI_CHOOSE(GSHMEMI_GENERIC_RMA, G, __VA_ARGS__)
#define gshmem_iput(...)           GSHMEMI_CHOOSE(GSHMEM_BASIC_RMA_TYPES, IPUT, __VA_ARGS__)
#define gshmem_iget(...)           GSHMEMI_CHOOSE(GSHMEM_BASIC_RMA_TYPES, IGET, __VA_ARGS__)
#define gshmem_ibput(...)          GSHMEMI_CHOOSE(GSHMEM_BASIC_RMA_TYPES, IBPUT, __VA_ARGS__)
#define gshmem_ibget(...)          GSHMEMI_CHOOSE(GSHMEM_BASIC_RMA_TYPES, IBGET, __VA_ARGS__)
#define gshmem_put_signal(...)     GSHMEMI_CHOOSE(GSHMEM_BASIC_RMA_TYPES, PUT_SIGNAL, __VA_ARGS__)
#define gshmem_put_signal_nbi(...) GSHMEMI_CHOOSE(GSHMEM_BASIC_RMA_TYPES, PUT_SIGNAL_NBI, __VA_ARGS__)

/* clang-format off */
#define gshmem_atomic_fetch(...) \
	GSHMEMI_CHOOSE(GSHMEM_BASIC_EXTENDED_AMO_TYPES, FETCH, __VA_ARGS__)
#define gshmem_atomic_set(...)              GSHMEMI_CHOOSE(GSHMEM_BASIC_EXTENDED_AMO_TYPES, SET, __VA_ARGS__)
#define gshmem_atomic_swap(...)             GSHMEMI_CHOOSE(GSHMEM_BASIC_EXTENDED_AMO_TYPES, SWAP, __VA_ARGS__)
#define gshmem_atomic_fetch_nbi(...) \
	GSHMEMI_CHOOSE(GSHMEM_BASIC_EXTENDED_AMO_TYPES, FETCH_NBI, __VA_ARGS__)
#define gshmem_atomic_swap_nbi(...) \
	GSHMEMI_CHOOSE(GSHMEM_BASIC_EXTENDED_AMO_TYPES, SWAP_NBI, __VA_ARGS__)
#define gshmem_atomic_compare_swap(...)     GSHMEMI_CHOOSE(GSHMEM_BASIC_AMO_TYPES, CSWAP, __VA_ARGS__)
#define gshmem_atomic_fetch_inc(...)        GSHMEMI_CHOOSE(GSHMEM_BASIC_AMO_TYPES, FINC, __VA_ARGS__)
#define gshmem_atomic_inc(...)              GSHMEMI_CHOOSE(GSHMEM_BASIC_AMO_TYPES, INC, __VA_ARGS__)
#define gshmem_atomic_fetch_add(...)        GSHMEMI_CHOOSE(GSHMEM_BASIC_AMO_TYPES, FADD, __VA_ARGS__)
#define gshmem_atomic_add(...)              GSHMEMI_CHOOSE(GSHMEM_BASIC_AMO_TYPES, ADD, __VA_ARGS__)
#define gshmem_atomic_compare_swap_nbi(...) GSHMEMI_CHOOSE(GSHMEM_BASIC_AMO_TYPES, CSWAP_NBI, __VA_ARGS__)
#define gshmem_atomic_fetch_inc_nbi(...)    GSHMEMI_CHOOSE(GSHMEM_BASIC_AMO_TYPES, FINC_NBI, __VA_ARGS__)
#define gshmem_atomic_fetch_add_nbi(...)    GSHMEMI_CHOOSE(GSHMEM_BASIC_AMO_TYPES, FADD_NBI, __VA_ARGS__)
#define gshmem_atomic_fetch_and(...)        GSHMEMI_CHOOSE(GSHMEMI_BITWISE, FAND, __VA_ARGS__)
#define gshmem_atomic_and(...)              GSHMEMI_CHOOSE(GSHMEMI_BITWISE, AND, __VA_ARGS__)
#define gshmem_atomic_fetch_or(...)         GSHMEMI_CHOOSE(GSHMEMI_BITWISE, FOR, __VA_ARGS__)
#define gshmem_atomic_or(...)               GSHMEMI_CHOOSE(GSHMEMI_BITWISE, OR, __VA_ARGS__)
#define gshmem_atomic_fetch_xor(...)        GSHMEMI_CHOOSE(GSHMEMI_BITWISE, FXOR, __VA_ARGS__)
#define gshmem_atomic_xor(...)              GSHMEMI_CHOOSE(GSHMEMI_BITWISE, XOR, __VA_ARGS__)
#define gshmem_atomic_fetch_and_nbi(...)    GSHMEMI_CHOOSE(GSHMEMI_BITWISE, FAND_NBI, __VA_ARGS__)
#define gshmem_atomic_fetch_or_nbi(...)     GSHMEMI_CHOOSE(GSHMEMI_BITWISE, FOR_NBI, __VA_ARGS__)
#define gshmem_atomic_fetch_xor_nbi(...)    GSHMEMI_CHOOSE(GSHMEMI_BITWISE, FXOR_NBI, __VA_ARGS__)
/* clang-format on */

/* clang-format off */
#define gshmem_wait_until(ivar, ...) _Generic(*(ivar) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_WAIT_UNTIL_))(ivar, \
	__VA_ARGS__)
#define gshmem_test(ivar, ...)       _Generic(*(ivar) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_TEST_))(ivar, \
	__VA_ARGS__)
#define gshmem_wait_until_all(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_WAIT_UNTIL_ALL_))(ivars, __VA_ARGS__)
#define gshmem_wait_until_any(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_WAIT_UNTIL_ANY_))(ivars, __VA_ARGS__)
#define gshmem_wait_until_some(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_WAIT_UNTIL_SOME_))(ivars, __VA_ARGS__)
#define gshmem_test_all(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_TEST_ALL_))(ivars, __VA_ARGS__)
#define gshmem_test_any(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_TEST_ANY_))(ivars, __VA_ARGS__)
#define gshmem_test_some(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_TEST_SOME_))(ivars, __VA_ARGS__)
#define gshmem_wait_until_all_vector(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_WAIT_UNTIL_ALL_VECTOR_))(ivars, __VA_ARGS__)
#define gshmem_wait_until_any_vector(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_WAIT_UNTIL_ANY_VECTOR_))(ivars, __VA_ARGS__)
#define gshmem_wait_until_some_vector(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_WAIT_UNTIL_SOME_VECTOR_))(ivars, __VA_ARGS__)
#define gshmem_test_all_vector(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_TEST_ALL_VECTOR_))(ivars, __VA_ARGS__)
#define gshmem_test_any_vector(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_TEST_ANY_VECTOR_))(ivars, __VA_ARGS__)
#define gshmem_test_some_vector(ivars, ...) \
	_Generic(*(ivars) GSHMEM_BASIC_WAIT_TYPES(GSHMEMI_TEST_SOME_VECTOR_))(ivars, __VA_ARGS__)
/* clang-format on */

#endif

GSHMEMI_END_CXX

#endif /* GSHMEM_GENERIC_H */
