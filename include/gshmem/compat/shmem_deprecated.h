/* SPDX-License-Identifier: BSD-3-Clause */
/* ---- deprecated, and what older versions had ----------------------------------------------------------- */

/* Programs ask by #ifdef what exists. */
#define SHMEM_THREAD_SINGLE     SHMEM_THREAD_SINGLE
#define SHMEM_THREAD_FUNNELED   SHMEM_THREAD_FUNNELED
#define SHMEM_THREAD_SERIALIZED SHMEM_THREAD_SERIALIZED
#define SHMEM_THREAD_MULTIPLE   SHMEM_THREAD_MULTIPLE
#define SHMEM_SIGNAL_SET        SHMEM_SIGNAL_SET
#define SHMEM_SIGNAL_ADD        SHMEM_SIGNAL_ADD
#define SHMEM_CMP_EQ            SHMEM_CMP_EQ
#define SHMEM_CMP_NE            SHMEM_CMP_NE
#define SHMEM_CMP_GT            SHMEM_CMP_GT
#define SHMEM_CMP_GE            SHMEM_CMP_GE
#define SHMEM_CMP_LT            SHMEM_CMP_LT
#define SHMEM_CMP_LE            SHMEM_CMP_LE

/*
 * Elements of pSync arrays, of which the library uses two; and the least of pWrk arrays, which it
 * does not use.
 */
#define SHMEM_SYNC_VALUE              0L
#define SHMEM_SYNC_SIZE               4
#define SHMEM_BARRIER_SYNC_SIZE       SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE         SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE       SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE        SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE      SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE     SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

#define _SHMEM_SYNC_VALUE              SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE       SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE         SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE       SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE        SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE
#define _SHMEM_MAJOR_VERSION           SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION           SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN            SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING           SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ                  SHMEM_CMP_EQ
#define _SHMEM_CMP_NE                  SHMEM_CMP_NE
#define _SHMEM_CMP_GT                  SHMEM_CMP_GT
#define _SHMEM_CMP_GE                  SHMEM_CMP_GE
#define _SHMEM_CMP_LT                  SHMEM_CMP_LT
#define _SHMEM_CMP_LE                  SHMEM_CMP_LE

SHMEMI_BEGIN_C

/*
 * start_pes calls shmem_init once, whatever npes is. The job is finalized when main returns or the program
 * exits with 0.
 */
SHMEM_API void start_pes(int npes);
SHMEM_API int _my_pe(void);
SHMEM_API int _num_pes(void);
SHMEM_API void *shmalloc(size_t size);
SHMEM_API void *shmemalign(size_t alignment, size_t size);
SHMEM_API void *shrealloc(void *ptr, size_t size);
SHMEM_API void shfree(void *ptr);

/* These do nothing: caches are coherent. */
SHMEM_API void shmem_set_cache_inv(void);
SHMEM_API void shmem_set_cache_line_inv(void *dest);
SHMEM_API void shmem_clear_cache_inv(void);
SHMEM_API void shmem_clear_cache_line_inv(void *dest);
SHMEM_API void shmem_udcflush(void);
SHMEM_API void shmem_udcflush_line(void *dest);

/* Atomics by their names before 1.4. */
#define SHMEMI_DECLARE(NAME, TYPE) \
	SHMEM_API TYPE shmem_##NAME##_fetch(const TYPE *source, int pe); \
	SHMEM_API void shmem_##NAME##_set(TYPE *dest, TYPE value, int pe); \
	SHMEM_API TYPE shmem_##NAME##_swap(TYPE *dest, TYPE value, int pe);
SHMEM_EXTENDED_AMO_TYPES(SHMEMI_DECLARE)
#undef SHMEMI_DECLARE
#define SHMEMI_DECLARE(NAME, TYPE) \
	SHMEM_API TYPE shmem_##NAME##_cswap(TYPE *dest, TYPE cond, TYPE value, int pe); \
	SHMEM_API TYPE shmem_##NAME##_finc(TYPE *dest, int pe); \
	SHMEM_API void shmem_##NAME##_inc(TYPE *dest, int pe); \
	SHMEM_API TYPE shmem_##NAME##_fadd(TYPE *dest, TYPE value, int pe); \
	SHMEM_API void shmem_##NAME##_add(TYPE *dest, TYPE value, int pe);
SHMEM_AMO_TYPES(SHMEMI_DECLARE)
#undef SHMEMI_DECLARE
SHMEM_API long shmem_swap(long *dest, long value, int pe);

/* Wait until *ivar is not cmp_value. */
#define SHMEMI_WAIT_TYPES(X) \
	X(short, short) \
	X(int, int) \
	X(long, long) \
	X(longlong, long long)
#define SHMEMI_DECLARE(NAME, TYPE) SHMEM_API void shmem_##NAME##_wait(TYPE *ivar, TYPE cmp_value);
SHMEMI_WAIT_TYPES(SHMEMI_DECLARE)
#undef SHMEMI_DECLARE
SHMEM_API void shmem_wait(long *ivar, long cmp_value);
#ifndef __cplusplus /* C++ has an overload */
SHMEM_API void shmem_wait_until(long *ivar, int cmp, long cmp_value);
#endif

/*
 * Collectives of the PE_size PEs PE_start, PE_start + 2^logPE_stride and so on. pSync is a symmetric array of
 * SHMEM_SYNC_VALUE, and is so again when the call returns. PE_root is a number in the set.
 */
SHMEM_API void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync);
SHMEM_API void shmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync);
SHMEM_API void shmem_broadcast32(void *dest, const void *source, size_t nelems, int PE_root, int PE_start,
	int logPE_stride, int PE_size, long *pSync);
SHMEM_API void shmem_broadcast64(void *dest, const void *source, size_t nelems, int PE_root, int PE_start,
	int logPE_stride, int PE_size, long *pSync);
#define SHMEMI_DECLARE(SIZE) \
	SHMEM_API void shmem_collect##SIZE(void *dest, const void *source, size_t nelems, int PE_start, \
		int logPE_stride, int PE_size, long *pSync); \
	SHMEM_API void shmem_fcollect##SIZE(void *dest, const void *source, size_t nelems, int PE_start, \
		int logPE_stride, int PE_size, long *pSync); \
	SHMEM_API void shmem_alltoall##SIZE(void *dest, const void *source, size_t nelems, int PE_start, \
		int logPE_stride, int PE_size, long *pSync); \
	SHMEM_API void shmem_alltoalls##SIZE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t nelems, int PE_start, int logPE_stride, int PE_size, long *pSync);
SHMEMI_DECLARE(32)
SHMEMI_DECLARE(64)
#undef SHMEMI_DECLARE

/*
 * Reductions of nreduce elements; pWrk is not used. X(NAME, TYPE), for bitwise ones X(NAME, TYPE, unsigned
 * NAME, unsigned TYPE).
 */
#define SHMEMI_BITWISE_TO_ALL_TYPES(X) \
	X(short, short, ushort, unsigned short) \
	X(int, int, uint, unsigned int) \
	X(long, long, ulong, unsigned long) \
	X(longlong, long long, ulonglong, unsigned long long)
#define SHMEMI_ORDERED_TO_ALL_TYPES(X) \
	X(short, short) \
	X(int, int) \
	X(long, long) \
	X(longlong, long long) \
	X(float, float) \
	X(double, double) \
	X(longdouble, long double)
#define SHMEMI_TO_ALL_TYPES(X) \
	SHMEMI_ORDERED_TO_ALL_TYPES(X) X(complexf, shmemx_complexf_t) \
	X(complexd, shmemx_complexd_t)
#define SHMEMI_DECLARE_ONE(NAME, TYPE, OP) \
	SHMEM_API void shmem_##NAME##_##OP##_to_all(TYPE *dest, const TYPE *source, int nreduce, \
		int PE_start, int logPE_stride, int PE_size, TYPE *pWrk, long *pSync);
#define SHMEMI_DECLARE(NAME, TYPE, AS, AS_TYPE) \
	SHMEMI_DECLARE_ONE(NAME, TYPE, and) \
	SHMEMI_DECLARE_ONE(NAME, TYPE, or) \
	SHMEMI_DECLARE_ONE(NAME, TYPE, xor)
SHMEMI_BITWISE_TO_ALL_TYPES(SHMEMI_DECLARE)
#undef SHMEMI_DECLARE
#define SHMEMI_DECLARE(NAME, TYPE) SHMEMI_DECLARE_ONE(NAME, TYPE, max) SHMEMI_DECLARE_ONE(NAME, TYPE, min)
SHMEMI_ORDERED_TO_ALL_TYPES(SHMEMI_DECLARE)
#undef SHMEMI_DECLARE
#define SHMEMI_DECLARE(NAME, TYPE) SHMEMI_DECLARE_ONE(NAME, TYPE, sum) SHMEMI_DECLARE_ONE(NAME, TYPE, prod)
SHMEMI_TO_ALL_TYPES(SHMEMI_DECLARE)
#undef SHMEMI_DECLARE
#undef SHMEMI_DECLARE_ONE

SHMEMI_END_C

/* The type-generic forms of these atomics; shmem_sync of a team. */
#define SHMEMI_HAS_SYNC
SHMEMI_BEGIN_CXX
#ifdef __cplusplus
SHMEMI_FN int shmem_sync(shmem_team_t team)
{
	return shmem_team_sync(team);
}
/*
 * OpenSHMEM 1.3 alone declares locks and what a wait reads volatile. These are overloads, so that a profiler
 * may define the functions as later versions declare them.
 */
SHMEMI_FN void shmem_set_lock(volatile long *lock)
{
	shmem_set_lock(const_cast<long *>(lock));
}
SHMEMI_FN void shmem_clear_lock(volatile long *lock)
{
	shmem_clear_lock(const_cast<long *>(lock));
}
SHMEMI_FN int shmem_test_lock(volatile long *lock)
{
	return shmem_test_lock(const_cast<long *>(lock));
}
SHMEMI_FN void shmem_wait(volatile long *ivar, long cmp_value)
{
	shmem_wait(const_cast<long *>(ivar), cmp_value);
}
#define SHMEMI_DEFINE(NAME, TYPE) \
	SHMEMI_FN void shmem_##NAME##_wait(volatile TYPE *ivar, TYPE cmp_value) \
	{ \
		shmem_##NAME##_wait(const_cast<TYPE *>(ivar), cmp_value); \
	} \
	SHMEMI_FN void shmem_##NAME##_wait_until(volatile TYPE *ivar, int cmp, TYPE cmp_value) \
	{ \
		shmem_##NAME##_wait_until(const_cast<TYPE *>(ivar), cmp, cmp_value); \
	} \
	SHMEMI_FN void shmem_wait_until(volatile TYPE *ivar, int cmp, TYPE cmp_value) \
	{ \
		shmem_##NAME##_wait_until(ivar, cmp, cmp_value); \
	}
SHMEMI_WAIT_TYPES(SHMEMI_DEFINE)
#undef SHMEMI_DEFINE
#define SHMEMI_DEFINE(NAME, TYPE) \
	SHMEMI_FN TYPE shmem_fetch(const TYPE *source, int pe) \
	{ \
		return shmem_##NAME##_fetch(source, pe); \
	} \
	SHMEMI_FN void shmem_set(TYPE *dest, TYPE value, int pe) \
	{ \
		shmem_##NAME##_set(dest, value, pe); \
	}
SHMEM_BASIC_EXTENDED_AMO_TYPES(SHMEMI_DEFINE)
#undef SHMEMI_DEFINE
#define SHMEMI_DEFINE(NAME, TYPE) \
	SHMEMI_FN TYPE shmem_cswap(TYPE *dest, TYPE cond, TYPE value, int pe) \
	{ \
		return shmem_##NAME##_cswap(dest, cond, value, pe); \
	} \
	SHMEMI_FN TYPE shmem_finc(TYPE *dest, int pe) \
	{ \
		return shmem_##NAME##_finc(dest, pe); \
	} \
	SHMEMI_FN void shmem_inc(TYPE *dest, int pe) \
	{ \
		shmem_##NAME##_inc(dest, pe); \
	} \
	SHMEMI_FN TYPE shmem_fadd(TYPE *dest, TYPE value, int pe) \
	{ \
		return shmem_##NAME##_fadd(dest, value, pe); \
	} \
	SHMEMI_FN void shmem_add(TYPE *dest, TYPE value, int pe) \
	{ \
		shmem_##NAME##_add(dest, value, pe); \
	}
SHMEM_BASIC_AMO_TYPES(SHMEMI_DEFINE)
#undef SHMEMI_DEFINE
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define shmem_sync(...) \
	SHMEMI_SYNC_(__VA_ARGS__, shmem_sync, shmem_sync, shmem_sync, shmem_team_sync, )(__VA_ARGS__)
#define SHMEMI_SYNC_(a, b, c, d, call, ...) call
#define SHMEMI_OLD_FETCH_(NAME, TYPE)       , TYPE : shmem_##NAME##_fetch
#define SHMEMI_OLD_SET_(NAME, TYPE)         , TYPE : shmem_##NAME##_set
#define SHMEMI_OLD_SWAP_(NAME, TYPE)        , TYPE : shmem_##NAME##_swap
#define SHMEMI_OLD_CSWAP_(NAME, TYPE)       , TYPE : shmem_##NAME##_cswap
#define SHMEMI_OLD_FINC_(NAME, TYPE)        , TYPE : shmem_##NAME##_finc
#define SHMEMI_OLD_INC_(NAME, TYPE)         , TYPE : shmem_##NAME##_inc
#define SHMEMI_OLD_FADD_(NAME, TYPE)        , TYPE : shmem_##NAME##_fadd
#define SHMEMI_OLD_ADD_(NAME, TYPE)         , TYPE : shmem_##NAME##_add
/* clang-format off */
#define shmem_fetch(source, pe) \
	_Generic(*(source) SHMEM_BASIC_EXTENDED_AMO_TYPES(SHMEMI_OLD_FETCH_))(source, pe)
#define shmem_set(dest, ...) \
	_Generic(*(dest) SHMEM_BASIC_EXTENDED_AMO_TYPES(SHMEMI_OLD_SET_))(dest, __VA_ARGS__)
#define shmem_swap(dest, ...) \
	_Generic(*(dest) SHMEM_BASIC_EXTENDED_AMO_TYPES(SHMEMI_OLD_SWAP_))(dest, __VA_ARGS__)
#define shmem_cswap(dest, ...) _Generic(*(dest) SHMEM_BASIC_AMO_TYPES(SHMEMI_OLD_CSWAP_))(dest, __VA_ARGS__)
#define shmem_finc(dest, pe)   _Generic(*(dest) SHMEM_BASIC_AMO_TYPES(SHMEMI_OLD_FINC_))(dest, pe)
#define shmem_inc(dest, pe)    _Generic(*(dest) SHMEM_BASIC_AMO_TYPES(SHMEMI_OLD_INC_))(dest, pe)
#define shmem_fadd(dest, ...)  _Generic(*(dest) SHMEM_BASIC_AMO_TYPES(SHMEMI_OLD_FADD_))(dest, __VA_ARGS__)
#define shmem_add(dest, ...)   _Generic(*(dest) SHMEM_BASIC_AMO_TYPES(SHMEMI_OLD_ADD_))(dest, __VA_ARGS__)
/* clang-format on */
#endif
SHMEMI_END_CXX
