// SPDX-License-Identifier: BSD-3-Clause
//
// libgshmem_device_<gpu>.bc: every call that kernels may make, as a function with external linkage, for
// compilers that link LLVM bitcode into their kernels, as Triton does (docs/triton.md).
//
// A function has the name of its call and plain types, which such compilers have. An address or a handle is
// a 64-bit integer; a structure of up to 8 bytes is the integer of its bytes; a call that returns nothing
// returns 0.
//
// The functions of the headers keep internal linkage. This unit includes them without extern "C", so that
// their C names are free. The calls come from the lists that the headers are stamped from; those of no list
// are named here.
//
// The unit is compiled without optimization passes. So the bitcode has each body once, and each call's
// function is no more than a call of a body with constants. The kernel's compiler inlines and folds it, as
// it does with the headers.
#ifndef GSHMEMI_BITCODE
#error "gshmem: the bitcode is compiled with -DGSHMEMI_BITCODE -DGSHMEM_MODULE"
#endif
#include <gshmem.h>
#include <gshmemx_win.h>

#if GSHMEMI_DEVICE_PASS
namespace
{

template <size_t NBYTES> struct bits;
template <> struct bits<2> {
	using type = uint16_t;
};
template <> struct bits<4> {
	using type = uint32_t;
};
template <> struct bits<8> {
	using type = uint64_t;
};

#define FN static __device__ __attribute__((always_inline))

// What a T is passed as.
template <typename T, bool IS_CLASS = __is_class(T)> struct plain {
	using type = T;
	FN type from(T value) { return value; }
	FN T to(type value) { return value; }
};
template <typename T> struct plain<T *, false> {
	using type = uint64_t;
	FN type from(T *address) { return (uint64_t)(uintptr_t)address; }
	FN T *to(type value) { return (T *)(uintptr_t)value; }
};
template <typename T> struct plain<T, true> {
	using type = typename bits<sizeof(T)>::type;
	FN type from(T value)
	{
		type raw;

		__builtin_memcpy(&raw, &value, sizeof raw);
		return raw;
	}
	FN T to(type raw)
	{
		T value;

		__builtin_memcpy(&value, &raw, sizeof value);
		return value;
	}
};
template <> struct plain<void, false> {
	using type = int;
};

template <size_t I, typename... A> struct pick;
template <size_t I, typename A, typename... MORE> struct pick<I, A, MORE...> : pick<I - 1, MORE...> {
};
template <typename A, typename... MORE> struct pick<0, A, MORE...> {
	using type = typename plain<A>::type;
};

// A call: its result and its parameters in plain types, and itself with these.
template <typename F> struct call;
template <typename R, typename... A> struct call<R (*)(A...)> {
	using result = typename plain<R>::type;
	template <size_t I> using parameter = typename pick<I, A...>::type;
	template <R (*F)(A...)> FN result make(typename plain<A>::type... arguments)
	{
		if constexpr (__is_same(R, void)) {
			F(plain<A>::to(arguments)...);
			return 0;
		} else {
			return plain<R>::from(F(plain<A>::to(arguments)...));
		}
	}
};
#undef FN

} // namespace

#define EXPORT     __device__ __attribute__((always_inline, visibility("default")))
#define P(NAME, I) call<decltype(&NAME)>::parameter<I> a##I
#define PARAMETERS_0(NAME)
#define PARAMETERS_1(NAME) P(NAME, 0)
#define PARAMETERS_2(NAME) PARAMETERS_1(NAME), P(NAME, 1)
#define PARAMETERS_3(NAME) PARAMETERS_2(NAME), P(NAME, 2)
#define PARAMETERS_4(NAME) PARAMETERS_3(NAME), P(NAME, 3)
#define PARAMETERS_5(NAME) PARAMETERS_4(NAME), P(NAME, 4)
#define PARAMETERS_6(NAME) PARAMETERS_5(NAME), P(NAME, 5)
#define PARAMETERS_7(NAME) PARAMETERS_6(NAME), P(NAME, 6)
#define PARAMETERS_8(NAME) PARAMETERS_7(NAME), P(NAME, 7)
#define ARGUMENTS_0
#define ARGUMENTS_1 a0
#define ARGUMENTS_2 ARGUMENTS_1, a1
#define ARGUMENTS_3 ARGUMENTS_2, a2
#define ARGUMENTS_4 ARGUMENTS_3, a3
#define ARGUMENTS_5 ARGUMENTS_4, a4
#define ARGUMENTS_6 ARGUMENTS_5, a5
#define ARGUMENTS_7 ARGUMENTS_6, a6
#define ARGUMENTS_8 ARGUMENTS_7, a7

// The head of a function.
#define DEFINE_AS(NAME, RESULT, PARAMETERS) \
	EXPORT RESULT exported_##NAME PARAMETERS __asm__(#NAME); \
	EXPORT RESULT exported_##NAME PARAMETERS
// One that makes a call; N counts its parameters.
#define DEFINE(NAME, N) \
	DEFINE_AS(NAME, call<decltype(&NAME)>::result, (PARAMETERS_##N(NAME))) \
	{ \
		return call<decltype(&NAME)>::make<NAME>(ARGUMENTS_##N); \
	}
#define DEFINE_BY(NAME, N)                       DEFINE(NAME, N)
#define COUNT(...)                               COUNT_AS(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1)
#define COUNT_AS(A, B, C, D, E, F, G, H, N, ...) N
// The same by the call's parameters in parentheses, of which there is at least one.
#define DEFINE_CALL(NAME, PARAMETERS)            DEFINE_BY(NAME, COUNT PARAMETERS)
#define DEFINE_SCOPES(NAME, PARAMETERS) \
	DEFINE_CALL(NAME, PARAMETERS) \
	DEFINE_CALL(NAME##_wave, PARAMETERS) \
	DEFINE_CALL(NAME##_wg, PARAMETERS)

// ---- calls that name a PE, with a context and without ----

#define GSHMEMI_V(PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	DEFINE_CALL(PREFIX##_##NAME, (GSHMEMI_UNPACK PARAMETERS, int pe)) \
	DEFINE_CALL(PREFIX##_ctx_##NAME, (gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe))
#define GSHMEMI_R(TYPE, PREFIX, NAME, PARAMETERS, ARGUMENTS) GSHMEMI_V(PREFIX, NAME, PARAMETERS, ARGUMENTS)
GSHMEMI_CTX_CALLS
GSHMEMI_CTX_EXTENSIONS
#undef GSHMEMI_V
#undef GSHMEMI_R
DEFINE(gshmem_signal_fetch, 1)

// ---- waits and tests ----

#define DEFINE_MANY(NAME, VECTOR) \
	DEFINE(gshmem_##NAME##_wait_until_all##VECTOR, 5) \
	DEFINE(gshmem_##NAME##_wait_until_any##VECTOR, 5) \
	DEFINE(gshmem_##NAME##_wait_until_some##VECTOR, 6) \
	DEFINE(gshmem_##NAME##_test_all##VECTOR, 5) \
	DEFINE(gshmem_##NAME##_test_any##VECTOR, 5) \
	DEFINE(gshmem_##NAME##_test_some##VECTOR, 6)
#define DEFINE_WAITS(NAME, TYPE) \
	DEFINE(gshmem_##NAME##_wait_until, 3) \
	DEFINE(gshmemx_##NAME##_wait_until_wave, 3) \
	DEFINE(gshmemx_##NAME##_wait_until_wg, 3) \
	DEFINE(gshmem_##NAME##_test, 3) \
	DEFINE_MANY(NAME, ) \
	DEFINE_MANY(NAME, _vector)
GSHMEM_WAIT_TYPES(DEFINE_WAITS)
DEFINE(gshmem_signal_wait_until, 3)
DEFINE(gshmemx_signal_wait_until_wave, 3)
DEFINE(gshmemx_signal_wait_until_wg, 3)

// ---- collectives ----

#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) \
	DEFINE_CALL(PREFIX##_##NAME, PARAMETERS) \
	DEFINE_CALL(gshmemx_##NAME##_wave, PARAMETERS) \
	DEFINE_CALL(gshmemx_##NAME##_wg, PARAMETERS)
GSHMEMI_COLL_CALLS
GSHMEMI_COLL_SHORT_CALLS
#undef GSHMEMI_F

// ---- windows ----

#define GSHMEMI_W(NAME, PARAMETERS, BODY, ARGS) DEFINE_SCOPES(gshmemx_win_##NAME, PARAMETERS)
#define GSHMEMI_WV(NAME, TYPE, KIND) \
	DEFINE(gshmemx_win_##NAME##_fetch_and_op, 5) \
	DEFINE(gshmemx_win_##NAME##_compare_and_swap, 5)
GSHMEMI_WIN_CALLS
GSHMEM_ORDERED_REDUCE_TYPES(GSHMEMI_WIN_VALUE_TYPE)
GSHMEMX_REDUCE_TYPES(GSHMEMI_WIN_VALUE_TYPE)
#undef GSHMEMI_WV
// Complex values and pairs are passed by their addresses; the old one goes to the address that comes first.
#define GSHMEMI_WV(NAME, TYPE, KIND) \
	DEFINE_AS(gshmemx_win_##NAME##_fetch_and_op, int, \
		(uint64_t old, int win, ptrdiff_t disp, uint64_t value, int op, int pe)) \
	{ \
		*(TYPE *)old = gshmemx_win_##NAME##_fetch_and_op(win, disp, *(const TYPE *)value, op, pe); \
		return 0; \
	} \
	DEFINE_AS(gshmemx_win_##NAME##_compare_and_swap, int, \
		(uint64_t old, int win, ptrdiff_t disp, uint64_t cond, uint64_t value, int pe)) \
	{ \
		*(TYPE *)old = gshmemx_win_##NAME##_compare_and_swap( \
			win, disp, *(const TYPE *)cond, *(const TYPE *)value, pe); \
		return 0; \
	}
GSHMEM_COMPLEX_REDUCE_TYPES(GSHMEMI_WIN_VALUE_TYPE)
GSHMEMX_PAIR_TYPES(GSHMEMI_WIN_VALUE_TYPE)
#undef GSHMEMI_W
#undef GSHMEMI_WV
DEFINE(gshmemx_win_request_wait, 1)
DEFINE(gshmemx_win_request_test, 2)
DEFINE(gshmemx_win_request_wait_all, 2)
DEFINE(gshmemx_win_request_test_all, 3)
DEFINE(gshmemx_win_request_wait_any, 3)
DEFINE(gshmemx_win_my_pe, 1)
DEFINE(gshmemx_win_n_pes, 1)

// ---- calls of no list ----

#define DEFINE_ORDER(PREFIX, SUFFIX) \
	DEFINE(PREFIX##_fence##SUFFIX, 0) \
	DEFINE(PREFIX##_quiet##SUFFIX, 0) \
	DEFINE(PREFIX##_sync_all##SUFFIX, 0) \
	DEFINE(PREFIX##_barrier_all##SUFFIX, 0) \
	DEFINE(PREFIX##_team_sync##SUFFIX, 1)
DEFINE_ORDER(gshmem, )
DEFINE_ORDER(gshmemx, _wave)
DEFINE_ORDER(gshmemx, _wg)
DEFINE(gshmem_pe_quiet, 2)
DEFINE(gshmem_ctx_fence, 1)
DEFINE(gshmem_ctx_quiet, 1)
DEFINE(gshmem_ctx_pe_quiet, 3)
DEFINE(gshmem_ctx_session_start, 4)
DEFINE(gshmem_ctx_session_stop, 1)
DEFINE(gshmem_my_pe, 0)
DEFINE(gshmem_n_pes, 0)
DEFINE(gshmem_ptr, 2)
DEFINE(gshmem_team_my_pe, 1)
DEFINE(gshmem_team_n_pes, 1)
DEFINE(gshmem_team_translate_pe, 3)
DEFINE(gshmem_team_ptr, 3)
DEFINE(gshmem_set_lock, 1)
DEFINE(gshmem_clear_lock, 1)
DEFINE(gshmem_test_lock, 1)
DEFINE(gshmemx_rpc_call, 3)
DEFINE(gshmemx_rpc_call_line, 3)
DEFINE(gshmemx_rpc_post, 2)
DEFINE(gshmemx_rpc_post_line, 2)
DEFINE(gshmemx_rpc_test, 1)
DEFINE(gshmemx_rpc_wait, 1)
DEFINE(gshmemx_rpc_stream, 6)
DEFINE(gshmemx_rpc_stream_wave, 6)
DEFINE(gshmemx_abort, 1)
DEFINE(gshmemx_trace, 2)
#endif
