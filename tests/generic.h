/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every type-generic name with every type: the same source for C11's _Generic and C++'s overloads, on the
 * host and in kernels. Each function works on symmetric memory of this PE, only through the API, and
 * returns the number of errors.
 */
#ifndef T_GENERIC_H
#define T_GENERIC_H

#include "oracle.h"

/* Only the host has memcmp. */
T_HD int differ(const void *a, const void *b, size_t nbytes)
{
	size_t i;

	for (i = 0; i < nbytes; i++)
		if (((const char *)a)[i] != ((const char *)b)[i])
			return 1;
	return 0;
}

/*
 * Each function exists twice: without a context, and with one in which this PE has another number. Each uses
 * the quiet of its context; without a context, that is the default one.
 */
#define IN_CTX ctx,

#define RMA_OF(FUNCTION, TYPE, CTX) \
	T_HD int FUNCTION(void *memory, uint64_t *sig, gshmem_ctx_t ctx, int pe) \
	{ \
		TYPE *d = (TYPE *)memory, back[4] = {0, 0, 0, 0}; \
		const TYPE four[4] = {(TYPE)11, (TYPE)22, (TYPE)33, (TYPE)44}, *source = four, \
			   *symmetric = d; \
		int wrong = 0, i; \
\
		gshmem_p(CTX d, (TYPE)7, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += gshmem_g(CTX symmetric, pe) != (TYPE)7; \
		gshmem_put(CTX d, source, 4, pe); \
		gshmem_ctx_quiet(ctx); \
		gshmem_get(CTX back, symmetric, 4, pe); \
		for (i = 0; i < 4; i++) \
			wrong += back[i] != four[i]; \
		gshmem_put_nbi(CTX d + 1, source, 3, pe); \
		gshmem_ctx_quiet(ctx); \
		gshmem_get_nbi(CTX back, symmetric, 4, pe); \
		gshmem_ctx_quiet(ctx); \
		for (i = 0; i < 4; i++) \
			wrong += back[i] != four[i ? i - 1 : 0]; \
		gshmem_iput(CTX d, source, 2, 1, 4, pe); \
		gshmem_ctx_quiet(ctx); \
		gshmem_iget(CTX back, symmetric + 2, 1, 4, 2, pe); \
		wrong += back[0] != four[1] || back[1] != four[3]; \
		gshmem_ibput(CTX d, source, 2, 2, 2, 2, pe); \
		gshmem_ctx_quiet(ctx); \
		gshmem_ibget(CTX back, symmetric + 1, 2, 2, 1, 2, pe); \
		wrong += back[0] != four[1] || back[2] != four[3]; \
		gshmem_put_signal(CTX d, source + 2, 2, sig, 1, GSHMEM_SIGNAL_SET, pe); \
		gshmem_signal_wait_until(sig, GSHMEM_CMP_EQ, 1); \
		gshmem_put_signal_nbi(CTX d + 2, source, 2, sig, 4, GSHMEM_SIGNAL_ADD, pe); \
		gshmem_signal_wait_until(sig, GSHMEM_CMP_EQ, 5); \
		gshmem_ctx_quiet(ctx); \
		gshmem_get(CTX back, symmetric, 4, pe); \
		for (i = 0; i < 4; i++) \
			wrong += back[i] != four[(i + 2) % 4]; \
		return wrong; \
	}
#define RMA(NAME, TYPE) RMA_OF(rma_##NAME, TYPE, ) RMA_OF(ctx_rma_##NAME, TYPE, IN_CTX)

#define SHORT_OF(FUNCTION, TYPE, CTX) \
	T_HD int FUNCTION(void *memory, uint64_t *sig, gshmem_ctx_t ctx, int pe) \
	{ \
		TYPE *d = (TYPE *)memory, back[4], four[4], one; \
		const TYPE *source = four, *symmetric = d; \
		int wrong = 0; \
\
		memcpy((void *)four, "abcdefg", sizeof four); \
		gshmem_put(CTX d, source, 4, pe); \
		gshmem_ctx_quiet(ctx); \
		gshmem_get(CTX back, symmetric, 4, pe); \
		wrong += differ(back, four, sizeof four); \
		gshmem_put_nbi(CTX d + 2, source, 2, pe); \
		gshmem_ctx_quiet(ctx); \
		gshmem_get_nbi(CTX back, symmetric, 4, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += differ(back, "abcdabcd", sizeof four); \
		gshmem_p(CTX d + 1, four[3], pe); \
		gshmem_ctx_quiet(ctx); \
		one = gshmem_g(CTX symmetric + 1, pe); \
		wrong += differ(&one, four + 3, sizeof one); \
		(void)sig; \
		return wrong; \
	}
#define SHORT(NAME, TYPE) SHORT_OF(rma_##NAME, TYPE, ) SHORT_OF(ctx_rma_##NAME, TYPE, IN_CTX)

#define EXTENDED_OF(FUNCTION, TYPE, CTX) \
	T_HD int FUNCTION(void *memory, uint64_t *sig, gshmem_ctx_t ctx, int pe) \
	{ \
		TYPE *d = (TYPE *)memory, back; \
		const TYPE *symmetric = d; \
		int wrong = 0; \
\
		gshmem_atomic_set(CTX d, (TYPE)5, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += gshmem_atomic_fetch(CTX symmetric, pe) != (TYPE)5; \
		wrong += gshmem_atomic_swap(CTX d, (TYPE)6, pe) != (TYPE)5; \
		gshmem_ctx_quiet(ctx); \
		gshmem_atomic_swap_nbi(CTX &back, d, (TYPE)7, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += back != (TYPE)6; \
		gshmem_atomic_fetch_nbi(CTX &back, symmetric, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += back != (TYPE)7; \
		(void)sig; \
		return wrong; \
	}
#define EXTENDED(NAME, TYPE) \
	EXTENDED_OF(extended_##NAME, TYPE, ) EXTENDED_OF(ctx_extended_##NAME, TYPE, IN_CTX)

#define STANDARD_OF(FUNCTION, TYPE, CTX) \
	T_HD int FUNCTION(void *memory, uint64_t *sig, gshmem_ctx_t ctx, int pe) \
	{ \
		TYPE *d = (TYPE *)memory, back; \
		int wrong = 0; \
\
		gshmem_p(CTX d, (TYPE)5, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += gshmem_atomic_compare_swap(CTX d, (TYPE)5, (TYPE)9, pe) != (TYPE)5; \
		wrong += gshmem_atomic_fetch_inc(CTX d, pe) != (TYPE)9; \
		wrong += gshmem_atomic_fetch_add(CTX d, (TYPE)10, pe) != (TYPE)10; \
		gshmem_atomic_inc(CTX d, pe); \
		gshmem_atomic_add(CTX d, (TYPE)100, pe); \
		gshmem_ctx_quiet(ctx); \
		gshmem_atomic_fetch_inc_nbi(CTX &back, d, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += back != (TYPE)121; \
		gshmem_atomic_fetch_add_nbi(CTX &back, d, (TYPE)3, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += back != (TYPE)122; \
		gshmem_atomic_compare_swap_nbi(CTX &back, d, (TYPE)125, (TYPE)1, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += back != (TYPE)125; \
		wrong += gshmem_g(CTX d, pe) != (TYPE)1; \
		(void)sig; \
		return wrong; \
	}
#define STANDARD(NAME, TYPE) \
	STANDARD_OF(standard_##NAME, TYPE, ) STANDARD_OF(ctx_standard_##NAME, TYPE, IN_CTX)

#define BITWISE_OF(FUNCTION, TYPE, CTX) \
	T_HD int FUNCTION(void *memory, uint64_t *sig, gshmem_ctx_t ctx, int pe) \
	{ \
		TYPE *d = (TYPE *)memory, back; \
		int wrong = 0; \
\
		gshmem_p(CTX d, (TYPE)12, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += gshmem_atomic_fetch_and(CTX d, (TYPE)6, pe) != (TYPE)12; \
		wrong += gshmem_atomic_fetch_or(CTX d, (TYPE)3, pe) != (TYPE)4; \
		wrong += gshmem_atomic_fetch_xor(CTX d, (TYPE)2, pe) != (TYPE)7; \
		gshmem_atomic_and(CTX d, (TYPE)4, pe); \
		gshmem_ctx_fence(ctx); \
		gshmem_atomic_or(CTX d, (TYPE)8, pe); \
		gshmem_ctx_fence(ctx); \
		gshmem_atomic_xor(CTX d, (TYPE)1, pe); \
		gshmem_ctx_quiet(ctx); \
		gshmem_atomic_fetch_and_nbi(CTX &back, d, (TYPE)9, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += back != (TYPE)13; \
		gshmem_atomic_fetch_or_nbi(CTX &back, d, (TYPE)2, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += back != (TYPE)9; \
		gshmem_atomic_fetch_xor_nbi(CTX &back, d, (TYPE)1, pe); \
		gshmem_ctx_quiet(ctx); \
		wrong += back != (TYPE)11; \
		wrong += gshmem_g(CTX d, pe) != (TYPE)10; \
		(void)sig; \
		return wrong; \
	}
#define BITWISE(NAME, TYPE) BITWISE_OF(bitwise_##NAME, TYPE, ) BITWISE_OF(ctx_bitwise_##NAME, TYPE, IN_CTX)

#define WAIT(NAME, TYPE) \
	T_HD int wait_##NAME(void *memory, uint64_t *sig, gshmem_ctx_t ctx, int me) \
	{ \
		TYPE *d = (TYPE *)memory; \
		const TYPE four = (TYPE)4; \
		size_t index = 0; \
		int wrong = 0; \
\
		gshmem_p(d, (TYPE)3, me); \
		gshmem_wait_until(d, GSHMEM_CMP_EQ, (TYPE)3); \
		wrong += gshmem_test(d, GSHMEM_CMP_LE, (TYPE)2) != 0; \
		wrong += gshmem_test(d, GSHMEM_CMP_GT, (TYPE)2) != 1; \
		gshmem_p(d, (TYPE)4, me); \
		gshmem_quiet(); \
		gshmem_wait_until_all(d, 1, NULL, GSHMEM_CMP_EQ, (TYPE)4); \
		gshmem_wait_until_all_vector(d, 1, NULL, GSHMEM_CMP_EQ, &four); \
		wrong += gshmem_wait_until_any(d, 1, NULL, GSHMEM_CMP_EQ, (TYPE)4) != 0; \
		wrong += gshmem_wait_until_any_vector(d, 1, NULL, GSHMEM_CMP_EQ, &four) != 0; \
		wrong += gshmem_wait_until_some(d, 1, &index, NULL, GSHMEM_CMP_EQ, (TYPE)4) != 1; \
		wrong += gshmem_wait_until_some_vector(d, 1, &index, NULL, GSHMEM_CMP_EQ, &four) != 1; \
		wrong += gshmem_test_all(d, 1, NULL, GSHMEM_CMP_GT, (TYPE)4) != 0; \
		wrong += gshmem_test_all_vector(d, 1, NULL, GSHMEM_CMP_EQ, &four) != 1; \
		wrong += gshmem_test_any(d, 1, NULL, GSHMEM_CMP_GE, (TYPE)4) != 0; \
		wrong += gshmem_test_any_vector(d, 1, NULL, GSHMEM_CMP_LT, &four) != SIZE_MAX; \
		wrong += gshmem_test_some(d, 1, &index, NULL, GSHMEM_CMP_NE, (TYPE)4) != 0; \
		wrong += gshmem_test_some_vector(d, 1, &index, NULL, GSHMEM_CMP_LE, &four) != 1; \
		(void)ctx; \
		(void)sig; \
		return wrong; \
	}

/* Collectives of all PEs, with 1 on each; ONE has its bytes. */
#define COLL(NAME, TYPE, ONE) \
	T_HD int coll_##NAME(void *memory, uint64_t *sig, gshmem_ctx_t ctx, int me) \
	{ \
		TYPE *dest = (TYPE *)memory, *source = dest + 1, one, got; \
		const TYPE *from = source; \
		const int npes = gshmem_n_pes(); \
		int wrong = 0; \
\
		gshmem_sync_all(); \
		memcpy((void *)&one, ONE, sizeof one); \
		gshmem_p(source, one, me); \
		gshmem_quiet(); \
		wrong += gshmem_max_reduce(GSHMEM_TEAM_WORLD, dest, from, 1) != 0; \
		got = gshmem_g(dest, me); \
		wrong += differ(&got, &one, sizeof one); \
		gshmem_sync_all(); \
		wrong += gshmem_min_reduce(GSHMEM_TEAM_WORLD, dest, from, 1) != 0; \
		got = gshmem_g(dest, me); \
		wrong += differ(&got, &one, sizeof one); \
		gshmem_sync_all(); \
		wrong += gshmem_prod_reduce(GSHMEM_TEAM_WORLD, dest, from, 1) != 0; \
		got = gshmem_g(dest, me); \
		wrong += differ(&got, &one, sizeof one); \
		gshmem_sync_all(); \
		wrong += gshmem_sum_inscan(GSHMEM_TEAM_WORLD, dest, from, 1) != 0; \
		got = gshmem_g(dest, me); \
		wrong += differ(&got, &one, sizeof one) != (me > 0); \
		gshmem_sync_all(); \
		wrong += gshmem_sum_exscan(GSHMEM_TEAM_WORLD, dest, from, 1) != 0; \
		got = gshmem_g(dest, me); \
		wrong += differ(&got, &one, sizeof one) != (me != 1); \
		gshmem_sync_all(); \
		wrong += gshmem_sum_reduce(GSHMEM_TEAM_WORLD, dest, from, 1) != 0; \
		got = gshmem_g(dest, me); \
		wrong += differ(&got, &one, sizeof one) != (npes > 1); \
		gshmem_sync_all(); \
		(void)ctx; \
		(void)sig; \
		return wrong; \
	}

/*
 * The types that C distinguishes, listed once more: in C the generic names use the API's lists, which
 * cannot expand inside themselves.
 */
#define AMO_TYPES(X) \
	X(int, int) \
	X(long, long) \
	X(longlong, long long) \
	X(uint, unsigned int) \
	X(ulong, unsigned long) \
	X(ulonglong, unsigned long long)
#ifdef __HIP_PLATFORM_CPU__
#define LONG_DOUBLE(X) X(longdouble, long double)
#else /* kernels have none */
#define LONG_DOUBLE(X)
#endif
#define RMA_TYPES(X) \
	X(float, float) \
	X(double, double) \
	LONG_DOUBLE(X) X(char, char) \
	X(schar, signed char) \
	X(short, short) \
	X(uchar, unsigned char) \
	X(ushort, unsigned short) \
	AMO_TYPES(X)
#define SHORT_TYPES(X) \
	X(half, gshmemx_half_t) \
	X(bfloat16, gshmemx_bfloat16_t)
#define EXTENDED_TYPES(X) \
	X(float, float) \
	X(double, double) \
	AMO_TYPES(X)
/* One type of each list of reductions. */
#define COLL_TYPES(X) \
	X(char, char, "\1") \
	X(int, int, "\1\0\0\0") \
	X(double, double, "\0\0\0\0\0\0\xf0\x3f") \
	X(half, gshmemx_half_t, "\0\x3c") \
	X(bfloat16, gshmemx_bfloat16_t, "\x80\x3f")
#define WAIT_TYPES(X) \
	X(short, short) \
	X(ushort, unsigned short) \
	AMO_TYPES(X)
#define BITWISE_TYPES(X) \
	X(uint, unsigned int) \
	X(ulong, unsigned long) \
	X(ulonglong, unsigned long long) \
	X(int32, int32_t) \
	X(int64, int64_t)

RMA_TYPES(RMA)
SHORT_TYPES(SHORT)
EXTENDED_TYPES(EXTENDED)
AMO_TYPES(STANDARD)
BITWISE_TYPES(BITWISE)
WAIT_TYPES(WAIT)
COLL_TYPES(COLL)

/*
 * Each kernel calls one group, and with a context only every fourth type, because compilers take
 * long for many calls in a kernel. Names with a context are templates over those without, so
 * they are the same for all types.
 */
enum {
	RMA_GROUP,
	RMA_CTX_GROUP,
	EXTENDED_GROUP,
	EXTENDED_CTX_GROUP,
	STANDARD_GROUP,
	STANDARD_CTX_GROUP,
	BITWISE_GROUP,
	BITWISE_CTX_GROUP,
	WAIT_GROUP,
	COLL_GROUP,
	NGROUPS
};

/*
 * The number of the group's first wrong function, counted from 1 over all groups; 0:
 * none. This PE is PE 0 of alone.
 */
T_HD int generic_group(int group, int in_kernel, void *memory, uint64_t *sig, gshmem_ctx_t alone)
{
	int me = gshmem_my_pe(), n = 0, first = 0;

#define CALL_ONE(WHETHER, FUNCTION, CTX, PE) \
	n++; \
	if ((WHETHER) && FUNCTION(memory, sig, CTX, PE) && !first) \
		first = n;
#define CALL(GROUP, FUNCTION) \
	CALL_ONE(group == GROUP##_GROUP, FUNCTION, GSHMEM_CTX_DEFAULT, me) \
	CALL_ONE(group == GROUP##_CTX_GROUP && (!in_kernel || n % 8 == 2), ctx_##FUNCTION, alone, 0)
#define CALL_RMA(NAME, TYPE)       CALL(RMA, rma_##NAME)
#define CALL_EXTENDED(NAME, TYPE)  CALL(EXTENDED, extended_##NAME)
#define CALL_STANDARD(NAME, TYPE)  CALL(STANDARD, standard_##NAME)
#define CALL_BITWISE(NAME, TYPE)   CALL(BITWISE, bitwise_##NAME)
#define CALL_WAIT(NAME, TYPE)      CALL_ONE(group == WAIT_GROUP, wait_##NAME, GSHMEM_CTX_DEFAULT, me)
#define CALL_COLL(NAME, TYPE, ONE) CALL_ONE(group == COLL_GROUP, coll_##NAME, GSHMEM_CTX_DEFAULT, me)
	RMA_TYPES(CALL_RMA)
	SHORT_TYPES(CALL_RMA)
	EXTENDED_TYPES(CALL_EXTENDED)
	AMO_TYPES(CALL_STANDARD)
	BITWISE_TYPES(CALL_BITWISE)
	WAIT_TYPES(CALL_WAIT)
	COLL_TYPES(CALL_COLL)
	return first;
}

#define NAME_OF(NAME, TYPE)           #NAME,
#define NAMES_OF(NAME, TYPE)          #NAME, "context, " #NAME,
#define NAME_OF_COLL(NAME, TYPE, ONE) "collectives, " #NAME,
static const char *generic_name(int n)
{
	static const char *const names[] = {"nothing",
		RMA_TYPES(NAMES_OF) SHORT_TYPES(NAMES_OF) EXTENDED_TYPES(NAMES_OF) AMO_TYPES(NAMES_OF)
			BITWISE_TYPES(NAMES_OF) WAIT_TYPES(NAME_OF) COLL_TYPES(NAME_OF_COLL)};

	return n >= 0 && n < (int)(sizeof names / sizeof *names) ? names[n] : "?";
}

/* A context of this PE alone. */
static gshmem_ctx_t generic_context(void)
{
	gshmem_team_t alone, column;
	gshmem_ctx_t ctx;

	t_equal(gshmem_team_split_2d(GSHMEM_TEAM_WORLD, 1, NULL, 0, &alone, NULL, 0, &column), 0,
		"gshmem_team_split_2d");
	t_equal(gshmem_team_create_ctx(alone, 0, &ctx), 0, "gshmem_team_create_ctx");
	return ctx;
}

#endif /* T_GENERIC_H */
