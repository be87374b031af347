/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type-generic names of collectives: gshmem_broadcast(team, dest, ...) and so on choose by the type of
 * dest. generic.h has those of other calls.
 */
#ifndef GSHMEM_COLL_GENERIC_H
#define GSHMEM_COLL_GENERIC_H

GSHMEMI_BEGIN_CXX

/* Bitwise operations on signed types: those of the fixed-width types. */
#define GSHMEMI_GENERIC_BITWISE(X) \
	GSHMEM_BASIC_BITWISE_REDUCE_TYPES(X) \
	X(int8, int8_t, S8) \
	X(int16, int16_t, S16) \
	X(int32, int32_t, S32) \
	X(int64, int64_t, S64)

#ifdef __cplusplus

#ifndef GSHMEMI_HAS_SYNC /* shmem.h has another, which also takes active sets */
GSHMEMI_FN int gshmem_sync(gshmem_team_t team)
{
	return gshmem_team_sync(team);
}
#endif

#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_FN int gshmem_broadcast( \
		gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems, int PE_root) \
	{ \
		return gshmem_##NAME##_broadcast(team, dest, source, nelems, PE_root); \
	} \
	GSHMEMI_FN int gshmem_collect(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems) \
	{ \
		return gshmem_##NAME##_collect(team, dest, source, nelems); \
	} \
	GSHMEMI_FN int gshmem_fcollect(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems) \
	{ \
		return gshmem_##NAME##_fcollect(team, dest, source, nelems); \
	} \
	GSHMEMI_FN int gshmem_alltoall(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems) \
	{ \
		return gshmem_##NAME##_alltoall(team, dest, source, nelems); \
	} \
	GSHMEMI_FN int gshmem_alltoalls(gshmem_team_t team, TYPE *dest, const TYPE *source, ptrdiff_t dst, \
		ptrdiff_t sst, size_t nelems) \
	{ \
		return gshmem_##NAME##_alltoalls(team, dest, source, dst, sst, nelems); \
	}
GSHMEM_BASIC_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE_ONE(API, CALL, PREFIX, NAME, TYPE) \
	API int gshmem_##CALL(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems) \
	{ \
		return PREFIX##_##NAME##_##CALL(team, dest, source, nelems); \
	}
#define GSHMEMI_DEFINE(NAME, TYPE, KIND) \
	GSHMEMI_DEFINE_ONE(GSHMEMI_FN, and_reduce, gshmem, NAME, TYPE) \
	GSHMEMI_DEFINE_ONE(GSHMEMI_FN, or_reduce, gshmem, NAME, TYPE) \
	GSHMEMI_DEFINE_ONE(GSHMEMI_FN, xor_reduce, gshmem, NAME, TYPE)
GSHMEMI_GENERIC_BITWISE(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
#define GSHMEMI_DEFINE(API, PREFIX, NAME, TYPE) \
	GSHMEMI_DEFINE_ONE(API, sum_reduce, PREFIX, NAME, TYPE) \
	GSHMEMI_DEFINE_ONE(API, prod_reduce, PREFIX, NAME, TYPE) \
	GSHMEMI_DEFINE_ONE(API, sum_inscan, PREFIX, NAME, TYPE) \
	GSHMEMI_DEFINE_ONE(API, sum_exscan, PREFIX, NAME, TYPE)
#define GSHMEMI_DEFINE_WITH_MAX(API, PREFIX, NAME, TYPE) \
	GSHMEMI_DEFINE_ONE(API, max_reduce, PREFIX, NAME, TYPE) \
	GSHMEMI_DEFINE_ONE(API, min_reduce, PREFIX, NAME, TYPE) \
	GSHMEMI_DEFINE(API, PREFIX, NAME, TYPE)
#define GSHMEMI_DEFINE_COMPLEX(NAME, TYPE, KIND) GSHMEMI_DEFINE(GSHMEMI_FN, gshmem, NAME, TYPE)
#define GSHMEMI_DEFINE_ORDERED(NAME, TYPE, KIND) GSHMEMI_DEFINE_WITH_MAX(GSHMEMI_FN, gshmem, NAME, TYPE)
#define GSHMEMI_DEFINE_SHORT(NAME, TYPE, KIND)   GSHMEMI_DEFINE_WITH_MAX(GSHMEMI_FN, gshmemx, NAME, TYPE)
GSHMEM_COMPLEX_REDUCE_TYPES(GSHMEMI_DEFINE_COMPLEX)
GSHMEM_BASIC_ORDERED_REDUCE_TYPES(GSHMEMI_DEFINE_ORDERED)
GSHMEMX_REDUCE_TYPES(GSHMEMI_DEFINE_SHORT)
#if GSHMEMI_KERNELS
#define GSHMEMI_DEFINE_API GSHMEMI_LONG_DOUBLE_API
#else
#define GSHMEMI_DEFINE_API GSHMEMI_FN
#endif
GSHMEMI_DEFINE_WITH_MAX(GSHMEMI_DEFINE_API, gshmem, longdouble, long double)
#undef GSHMEMI_DEFINE_API
#undef GSHMEMI_DEFINE_SHORT
#undef GSHMEMI_DEFINE_ORDERED
#undef GSHMEMI_DEFINE_COMPLEX
#undef GSHMEMI_DEFINE_WITH_MAX
#undef GSHMEMI_DEFINE
#undef GSHMEMI_DEFINE_ONE

#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

#ifndef GSHMEMI_HAS_SYNC
#define gshmem_sync(team) gshmem_team_sync(team)
#endif

#define GSHMEMI_BROADCAST_(NAME, TYPE)               , TYPE : gshmem_##NAME##_broadcast
#define GSHMEMI_COLLECT_(NAME, TYPE)                 , TYPE : gshmem_##NAME##_collect
#define GSHMEMI_FCOLLECT_(NAME, TYPE)                , TYPE : gshmem_##NAME##_fcollect
#define GSHMEMI_ALLTOALL_(NAME, TYPE)                , TYPE : gshmem_##NAME##_alltoall
#define GSHMEMI_ALLTOALLS_(NAME, TYPE)               , TYPE : gshmem_##NAME##_alltoalls
/* clang-format off */
#define gshmem_broadcast(team, dest, ...) \
	_Generic(*(dest) GSHMEM_BASIC_RMA_TYPES(GSHMEMI_BROADCAST_))(team, dest, __VA_ARGS__)
#define gshmem_collect(team, dest, ...) \
	_Generic(*(dest) GSHMEM_BASIC_RMA_TYPES(GSHMEMI_COLLECT_))(team, dest, __VA_ARGS__)
#define gshmem_fcollect(team, dest, ...) \
	_Generic(*(dest) GSHMEM_BASIC_RMA_TYPES(GSHMEMI_FCOLLECT_))(team, dest, __VA_ARGS__)
#define gshmem_alltoall(team, dest, ...) \
	_Generic(*(dest) GSHMEM_BASIC_RMA_TYPES(GSHMEMI_ALLTOALL_))(team, dest, __VA_ARGS__)
#define gshmem_alltoalls(team, dest, ...) \
	_Generic(*(dest) GSHMEM_BASIC_RMA_TYPES(GSHMEMI_ALLTOALLS_))(team, dest, __VA_ARGS__)
/* clang-format on */

/* clang-format off */
#define GSHMEMI_GENERIC_ORDERED(X) \
	GSHMEM_BASIC_ORDERED_REDUCE_TYPES(X) GSHMEM_LONG_DOUBLE_REDUCE_TYPES(X)
/* clang-format on */
#define GSHMEMI_GENERIC_SUM(X)                       GSHMEMI_GENERIC_ORDERED(X) GSHMEM_COMPLEX_REDUCE_TYPES(X)
#define GSHMEMI_AND_REDUCE_(NAME, TYPE, KIND)        , TYPE : gshmem_##NAME##_and_reduce
#define GSHMEMI_OR_REDUCE_(NAME, TYPE, KIND)         , TYPE : gshmem_##NAME##_or_reduce
#define GSHMEMI_XOR_REDUCE_(NAME, TYPE, KIND)        , TYPE : gshmem_##NAME##_xor_reduce
#define GSHMEMI_MAX_REDUCE_(NAME, TYPE, KIND)        , TYPE : gshmem_##NAME##_max_reduce
#define GSHMEMI_MAX_REDUCE_SHORT_(NAME, TYPE, KIND)  , TYPE : gshmemx_##NAME##_max_reduce
#define GSHMEMI_MIN_REDUCE_(NAME, TYPE, KIND)        , TYPE : gshmem_##NAME##_min_reduce
#define GSHMEMI_MIN_REDUCE_SHORT_(NAME, TYPE, KIND)  , TYPE : gshmemx_##NAME##_min_reduce
#define GSHMEMI_SUM_REDUCE_(NAME, TYPE, KIND)        , TYPE : gshmem_##NAME##_sum_reduce
#define GSHMEMI_SUM_REDUCE_SHORT_(NAME, TYPE, KIND)  , TYPE : gshmemx_##NAME##_sum_reduce
#define GSHMEMI_PROD_REDUCE_(NAME, TYPE, KIND)       , TYPE : gshmem_##NAME##_prod_reduce
#define GSHMEMI_PROD_REDUCE_SHORT_(NAME, TYPE, KIND) , TYPE : gshmemx_##NAME##_prod_reduce
#define GSHMEMI_SUM_INSCAN_(NAME, TYPE, KIND)        , TYPE : gshmem_##NAME##_sum_inscan
#define GSHMEMI_SUM_INSCAN_SHORT_(NAME, TYPE, KIND)  , TYPE : gshmemx_##NAME##_sum_inscan
#define GSHMEMI_SUM_EXSCAN_(NAME, TYPE, KIND)        , TYPE : gshmem_##NAME##_sum_exscan
#define GSHMEMI_SUM_EXSCAN_SHORT_(NAME, TYPE, KIND)  , TYPE : gshmemx_##NAME##_sum_exscan
/* clang-format off */
#define gshmem_and_reduce(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_BITWISE(GSHMEMI_AND_REDUCE_))(team, dest, __VA_ARGS__)
#define gshmem_or_reduce(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_BITWISE(GSHMEMI_OR_REDUCE_))(team, dest, __VA_ARGS__)
#define gshmem_xor_reduce(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_BITWISE(GSHMEMI_XOR_REDUCE_))(team, dest, __VA_ARGS__)
#define gshmem_max_reduce(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_ORDERED(GSHMEMI_MAX_REDUCE_) \
		GSHMEMX_REDUCE_TYPES(GSHMEMI_MAX_REDUCE_SHORT_))(team, dest, __VA_ARGS__)
#define gshmem_min_reduce(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_ORDERED(GSHMEMI_MIN_REDUCE_) \
		GSHMEMX_REDUCE_TYPES(GSHMEMI_MIN_REDUCE_SHORT_))(team, dest, __VA_ARGS__)
#define gshmem_sum_reduce(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_SUM(GSHMEMI_SUM_REDUCE_) \
		GSHMEMX_REDUCE_TYPES(GSHMEMI_SUM_REDUCE_SHORT_))(team, dest, __VA_ARGS__)
#define gshmem_prod_reduce(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_SUM(GSHMEMI_PROD_REDUCE_) \
		GSHMEMX_REDUCE_TYPES(GSHMEMI_PROD_REDUCE_SHORT_))(team, dest, __VA_ARGS__)
#define gshmem_sum_inscan(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_SUM(GSHMEMI_SUM_INSCAN_) \
		GSHMEMX_REDUCE_TYPES(GSHMEMI_SUM_INSCAN_SHORT_))(team, dest, __VA_ARGS__)
#define gshmem_sum_exscan(team, dest, ...) \
	_Generic(*(dest) GSHMEMI_GENERIC_SUM(GSHMEMI_SUM_EXSCAN_) \
		GSHMEMX_REDUCE_TYPES(GSHMEMI_SUM_EXSCAN_SHORT_))(team, dest, __VA_ARGS__)
/* clang-format on */

#endif

GSHMEMI_END_CXX

#endif /* GSHMEM_COLL_GENERIC_H */
