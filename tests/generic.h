/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every type-generic name with every type: the same source for C11's _Generic and C++'s overloads, on the host and in
 * kernels. Each function works on symmetric memory of this PE through the API alone, and returns how much was wrong.
 */
#ifndef T_GENERIC_H
#define T_GENERIC_H

#include "oracle.h"

/* memcmp is the host's alone. */
T_HD int differ(const void *a, const void *b, size_t nbytes)
{
	size_t i;

	for (i = 0; i < nbytes; i++)
		if (((const char *)a)[i] != ((const char *)b)[i])
			return 1;
	return 0;
}

#define RMA(NAME, TYPE) \
	T_HD int rma_##NAME(void *memory, uint64_t *sig, int me) \
	{ \
		TYPE *d = (TYPE *)memory, back[4] = {0, 0, 0, 0}; \
		const TYPE four[4] = {(TYPE)11, (TYPE)22, (TYPE)33, (TYPE)44}, *source = four, *symmetric = d; \
		int wrong = 0, i; \
\
		gshmem_p(d, (TYPE)7, me); \
		gshmem_quiet(); \
		wrong += gshmem_g(symmetric, me) != (TYPE)7; \
		gshmem_put(d, source, 4, me); \
		gshmem_quiet(); \
		gshmem_get(back, symmetric, 4, me); \
		for (i = 0; i < 4; i++) \
			wrong += back[i] != four[i]; \
		gshmem_put_nbi(d + 1, source, 3, me); \
		gshmem_quiet(); \
		gshmem_get_nbi(back, symmetric, 4, me); \
		gshmem_quiet(); \
		for (i = 0; i < 4; i++) \
			wrong += back[i] != four[i ? i - 1 : 0]; \
		gshmem_iput(d, source, 2, 1, 4, me); \
		gshmem_quiet(); \
		gshmem_iget(back, symmetric + 2, 1, 4, 2, me); \
		wrong += back[0] != four[1] || back[1] != four[3]; \
		gshmem_ibput(d, source, 2, 2, 2, 2, me); \
		gshmem_quiet(); \
		gshmem_ibget(back, symmetric + 1, 2, 2, 1, 2, me); \
		wrong += back[0] != four[1] || back[2] != four[3]; \
		gshmem_put_signal(d, source + 2, 2, sig, 1, GSHMEM_SIGNAL_SET, me); \
		gshmem_signal_wait_until(sig, GSHMEM_CMP_EQ, 1); \
		gshmem_put_signal_nbi(d + 2, source, 2, sig, 4, GSHMEM_SIGNAL_ADD, me); \
		gshmem_signal_wait_until(sig, GSHMEM_CMP_EQ, 5); \
		gshmem_quiet(); \
		gshmem_get(back, symmetric, 4, me); \
		for (i = 0; i < 4; i++) \
			wrong += back[i] != four[(i + 2) % 4]; \
		return wrong; \
	}

#define SHORT(NAME, TYPE) \
	T_HD int rma_##NAME(void *memory, uint64_t *sig, int me) \
	{ \
		TYPE *d = (TYPE *)memory, back[4], four[4], one; \
		const TYPE *source = four, *symmetric = d; \
		int wrong = 0; \
\
		memcpy((void *)four, "abcdefg", sizeof four); \
		gshmem_put(d, source, 4, me); \
		gshmem_quiet(); \
		gshmem_get(back, symmetric, 4, me); \
		wrong += differ(back, four, sizeof four); \
		gshmem_put_nbi(d + 2, source, 2, me); \
		gshmem_quiet(); \
		gshmem_get_nbi(back, symmetric, 4, me); \
		gshmem_quiet(); \
		wrong += differ(back, "abcdabcd", sizeof four); \
		gshmem_p(d + 1, four[3], me); \
		gshmem_quiet(); \
		one = gshmem_g(symmetric + 1, me); \
		wrong += differ(&one, four + 3, sizeof one); \
		(void)sig; \
		return wrong; \
	}

#define EXTENDED(NAME, TYPE) \
	T_HD int extended_##NAME(void *memory, uint64_t *sig, int me) \
	{ \
		TYPE *d = (TYPE *)memory, back; \
		const TYPE *symmetric = d; \
		int wrong = 0; \
\
		gshmem_atomic_set(d, (TYPE)5, me); \
		gshmem_quiet(); \
		wrong += gshmem_atomic_fetch(symmetric, me) != (TYPE)5; \
		wrong += gshmem_atomic_swap(d, (TYPE)6, me) != (TYPE)5; \
		gshmem_quiet(); \
		gshmem_atomic_swap_nbi(&back, d, (TYPE)7, me); \
		gshmem_quiet(); \
		wrong += back != (TYPE)6; \
		gshmem_atomic_fetch_nbi(&back, symmetric, me); \
		gshmem_quiet(); \
		wrong += back != (TYPE)7; \
		(void)sig; \
		return wrong; \
	}

#define STANDARD(NAME, TYPE) \
	T_HD int standard_##NAME(void *memory, uint64_t *sig, int me) \
	{ \
		TYPE *d = (TYPE *)memory, back; \
		size_t index = 0; \
		int wrong = 0; \
\
		gshmem_p(d, (TYPE)5, me); \
		gshmem_quiet(); \
		wrong += gshmem_atomic_compare_swap(d, (TYPE)5, (TYPE)9, me) != (TYPE)5; \
		wrong += gshmem_atomic_fetch_inc(d, me) != (TYPE)9; \
		wrong += gshmem_atomic_fetch_add(d, (TYPE)10, me) != (TYPE)10; \
		gshmem_atomic_inc(d, me); \
		gshmem_atomic_add(d, (TYPE)100, me); \
		gshmem_quiet(); \
		gshmem_atomic_fetch_inc_nbi(&back, d, me); \
		gshmem_quiet(); \
		wrong += back != (TYPE)121; \
		gshmem_atomic_fetch_add_nbi(&back, d, (TYPE)3, me); \
		gshmem_quiet(); \
		wrong += back != (TYPE)122; \
		gshmem_atomic_compare_swap_nbi(&back, d, (TYPE)125, (TYPE)1, me); \
		gshmem_quiet(); \
		wrong += back != (TYPE)125; \
		wrong += gshmem_g(d, me) != (TYPE)1; \
		gshmem_p(d, (TYPE)4, me); \
		gshmem_quiet(); \
		back = (TYPE)4; \
		gshmem_wait_until_all(d, 1, NULL, GSHMEM_CMP_EQ, (TYPE)4); \
		gshmem_wait_until_all_vector(d, 1, NULL, GSHMEM_CMP_EQ, &back); \
		wrong += gshmem_wait_until_any(d, 1, NULL, GSHMEM_CMP_EQ, (TYPE)4) != 0; \
		wrong += gshmem_wait_until_any_vector(d, 1, NULL, GSHMEM_CMP_EQ, &back) != 0; \
		wrong += gshmem_wait_until_some(d, 1, &index, NULL, GSHMEM_CMP_EQ, (TYPE)4) != 1; \
		wrong += gshmem_wait_until_some_vector(d, 1, &index, NULL, GSHMEM_CMP_EQ, &back) != 1; \
		wrong += gshmem_test_all(d, 1, NULL, GSHMEM_CMP_GT, (TYPE)4) != 0; \
		wrong += gshmem_test_all_vector(d, 1, NULL, GSHMEM_CMP_EQ, &back) != 1; \
		wrong += gshmem_test_any(d, 1, NULL, GSHMEM_CMP_GE, (TYPE)4) != 0; \
		wrong += gshmem_test_any_vector(d, 1, NULL, GSHMEM_CMP_LT, &back) != SIZE_MAX; \
		wrong += gshmem_test_some(d, 1, &index, NULL, GSHMEM_CMP_NE, (TYPE)4) != 0; \
		wrong += gshmem_test_some_vector(d, 1, &index, NULL, GSHMEM_CMP_LE, &back) != 1; \
		(void)sig; \
		return wrong; \
	}

#define BITWISE(NAME, TYPE) \
	T_HD int bitwise_##NAME(void *memory, uint64_t *sig, int me) \
	{ \
		TYPE *d = (TYPE *)memory, back; \
		int wrong = 0; \
\
		gshmem_p(d, (TYPE)12, me); \
		gshmem_quiet(); \
		wrong += gshmem_atomic_fetch_and(d, (TYPE)6, me) != (TYPE)12; \
		wrong += gshmem_atomic_fetch_or(d, (TYPE)3, me) != (TYPE)4; \
		wrong += gshmem_atomic_fetch_xor(d, (TYPE)2, me) != (TYPE)7; \
		gshmem_atomic_and(d, (TYPE)4, me); \
		gshmem_fence(); \
		gshmem_atomic_or(d, (TYPE)8, me); \
		gshmem_fence(); \
		gshmem_atomic_xor(d, (TYPE)1, me); \
		gshmem_quiet(); \
		gshmem_atomic_fetch_and_nbi(&back, d, (TYPE)9, me); \
		gshmem_quiet(); \
		wrong += back != (TYPE)13; \
		gshmem_atomic_fetch_or_nbi(&back, d, (TYPE)2, me); \
		gshmem_quiet(); \
		wrong += back != (TYPE)9; \
		gshmem_atomic_fetch_xor_nbi(&back, d, (TYPE)1, me); \
		gshmem_quiet(); \
		wrong += back != (TYPE)11; \
		wrong += gshmem_g(d, me) != (TYPE)10; \
		(void)sig; \
		return wrong; \
	}

#define WAIT(NAME, TYPE) \
	T_HD int wait_##NAME(void *memory, uint64_t *sig, int me) \
	{ \
		TYPE *d = (TYPE *)memory; \
		int wrong = 0; \
\
		gshmem_p(d, (TYPE)3, me); \
		gshmem_wait_until(d, GSHMEM_CMP_EQ, (TYPE)3); \
		wrong += gshmem_test(d, GSHMEM_CMP_LE, (TYPE)2) != 0; \
		wrong += gshmem_test(d, GSHMEM_CMP_GT, (TYPE)2) != 1; \
		gshmem_quiet(); \
		(void)sig; \
		return wrong; \
	}

/*
 * The types that C tells apart, typed once more: in C the generic names use the API's lists, which cannot expand inside
 * of themselves.
 */
#define AMO_TYPES(X) \
	X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) X(ulong, unsigned long) \
	X(ulonglong, unsigned long long)
#ifdef __HIP_PLATFORM_CPU__
#define LONG_DOUBLE(X) X(longdouble, long double)
#else /* kernels have none */
#define LONG_DOUBLE(X)
#endif
#define RMA_TYPES(X) \
	X(float, float) X(double, double) LONG_DOUBLE(X) X(char, char) X(schar, signed char) \
	X(short, short) X(uchar, unsigned char) X(ushort, unsigned short) AMO_TYPES(X)
#define SHORT_TYPES(X)    X(half, gshmemx_half_t) X(bfloat16, gshmemx_bfloat16_t)
#define EXTENDED_TYPES(X) X(float, float) X(double, double) AMO_TYPES(X)
#define WAIT_TYPES(X)     X(short, short) X(ushort, unsigned short) AMO_TYPES(X)
#define BITWISE_TYPES(X) \
	X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) \
	X(int64, int64_t)

RMA_TYPES(RMA)
SHORT_TYPES(SHORT)
EXTENDED_TYPES(EXTENDED)
AMO_TYPES(STANDARD)
BITWISE_TYPES(BITWISE)
WAIT_TYPES(WAIT)

/* The number of the first function that was wrong, from 1; 0: none. */
T_HD int generic_all(void *memory, uint64_t *sig)
{
	int me = gshmem_my_pe(), n = 0, first = 0;

#define CALL(GROUP, NAME) \
	n++; \
	if (GROUP##_##NAME(memory, sig, me) && !first) \
		first = n;
#define CALL_RMA(NAME, TYPE)      CALL(rma, NAME)
#define CALL_EXTENDED(NAME, TYPE) CALL(extended, NAME)
#define CALL_STANDARD(NAME, TYPE) CALL(standard, NAME)
#define CALL_BITWISE(NAME, TYPE)  CALL(bitwise, NAME)
#define CALL_WAIT(NAME, TYPE)     CALL(wait, NAME)
	RMA_TYPES(CALL_RMA)
	SHORT_TYPES(CALL_RMA)
	EXTENDED_TYPES(CALL_EXTENDED)
	AMO_TYPES(CALL_STANDARD)
	BITWISE_TYPES(CALL_BITWISE)
	WAIT_TYPES(CALL_WAIT)
	return first;
}

#define NAME_OF(NAME, TYPE) #NAME,
static const char *generic_name(int n)
{
	static const char *const names[] = {
		"nothing", RMA_TYPES(NAME_OF) SHORT_TYPES(NAME_OF)
		EXTENDED_TYPES(NAME_OF) AMO_TYPES(NAME_OF) BITWISE_TYPES(NAME_OF)
		WAIT_TYPES(NAME_OF)};

	return n >= 0 && n < (int)(sizeof names / sizeof *names) ? names[n] : "?";
}

#endif /* T_GENERIC_H */
