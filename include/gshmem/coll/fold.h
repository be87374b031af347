/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of reductions: acc = acc op x, element by element, for every type and
 * operation of OpenSHMEM.
 */
#ifndef GSHMEM_FOLD_H
#define GSHMEM_FOLD_H

#include <stddef.h>
#include <stdint.h>
#include <gshmem/arch/arch.h>
#include <gshmem/api/float16.h>

/*
 * The kind of an element: what its bits mean. long and long long are one kind, and so are size_t
 * and unsigned long.
 */
enum gshmemi_kind {
	GSHMEMI_KIND_U8,
	GSHMEMI_KIND_U16,
	GSHMEMI_KIND_U32,
	GSHMEMI_KIND_U64,
	GSHMEMI_KIND_S8,
	GSHMEMI_KIND_S16,
	GSHMEMI_KIND_S32,
	GSHMEMI_KIND_S64,
	GSHMEMI_KIND_F32,
	GSHMEMI_KIND_F64,
	GSHMEMI_KIND_COMPLEX_F32,
	GSHMEMI_KIND_COMPLEX_F64,
	GSHMEMI_KIND_LONG_DOUBLE,
	GSHMEMI_KIND_F16,
	GSHMEMI_KIND_BF16,
	GSHMEMI_KIND_FLOAT_INT, /* this and the rest: a value and an int, of accumulates alone */
	GSHMEMI_KIND_DOUBLE_INT,
	GSHMEMI_KIND_LONG_INT,
	GSHMEMI_KIND_INT_INT
};
#define GSHMEMI_KIND_CHAR ((char)-1 < 0 ? GSHMEMI_KIND_S8 : GSHMEMI_KIND_U8)

enum gshmemi_op {
	GSHMEMI_OP_AND,
	GSHMEMI_OP_OR,
	GSHMEMI_OP_XOR,
	GSHMEMI_OP_MAX,
	GSHMEMI_OP_MIN,
	GSHMEMI_OP_SUM,
	GSHMEMI_OP_PROD
};
#define GSHMEMI_FOLD(OP, KIND) ((OP) << 8 | (KIND))

struct gshmemi_complex_f32 {
	float real, imag;
};
struct gshmemi_complex_f64 {
	double real, imag;
};

#define GSHMEMI_PRODUCT(TYPE) \
	GSHMEMI_FN struct gshmemi_##TYPE gshmemi_product_##TYPE( \
		struct gshmemi_##TYPE a, struct gshmemi_##TYPE b) { \
		struct gshmemi_##TYPE c = { \
			(a.real * b.real) - (a.imag * b.imag), (a.real * b.imag) + (a.imag * b.real)}; \
\
		return c; \
	}
GSHMEMI_PRODUCT(complex_f32)
GSHMEMI_PRODUCT(complex_f64)
#undef GSHMEMI_PRODUCT

/*
 * Elements are copied, because their storage may be declared as words. Loops of a known length
 * become vector code.
 */
#define GSHMEMI_FOLD_SOME(TYPE, EXPR, SOME) \
	for (; nbytes - at >= (SOME) * sizeof(TYPE); at += (SOME) * sizeof(TYPE)) { \
		TYPE acc_part[SOME], x_part[SOME]; \
\
		__builtin_memcpy(acc_part, to + at, sizeof acc_part); \
		__builtin_memcpy(x_part, from + at, sizeof x_part); \
		for (i = 0; i < (SOME); i++) { \
			const TYPE a = acc_part[i], b = x_part[i]; \
\
			acc_part[i] = EXPR; \
		} \
		__builtin_memcpy(to + at, acc_part, sizeof acc_part); \
	}
/* Vectors need the optimizer: without it g++ warns of their 64 bytes where the caller has 16. */
#if GSHMEMI_OPTIMIZED
#define GSHMEMI_FOLD_VECTORS(TYPE, EXPR) GSHMEMI_FOLD_SOME(TYPE, EXPR, 64 / sizeof(TYPE))
#else
#define GSHMEMI_FOLD_VECTORS(TYPE, EXPR)
#endif
#define GSHMEMI_FOLD_LOOP(TYPE, EXPR) \
	GSHMEMI_FOLD_VECTORS(TYPE, EXPR) \
	GSHMEMI_FOLD_SOME(TYPE, EXPR, 1) \
	break
/* Signed types are added and multiplied as unsigned ones, which may overflow. */
#define GSHMEMI_FOLD_BOTH(OP, BITS, EXPR) \
	case GSHMEMI_FOLD(OP, GSHMEMI_KIND_S##BITS): \
	case GSHMEMI_FOLD(OP, GSHMEMI_KIND_U##BITS): \
		GSHMEMI_FOLD_LOOP(uint##BITS##_t, EXPR);
#define GSHMEMI_FOLD_WHOLE(OP, EXPR) \
	GSHMEMI_FOLD_BOTH(OP, 8, EXPR) \
	GSHMEMI_FOLD_BOTH(OP, 16, EXPR) \
	GSHMEMI_FOLD_BOTH(OP, 32, EXPR) \
	GSHMEMI_FOLD_BOTH(OP, 64, EXPR)
#define GSHMEMI_FOLD_ONE(OP, KIND, TYPE, EXPR) \
	case GSHMEMI_FOLD(OP, GSHMEMI_KIND_##KIND): \
		GSHMEMI_FOLD_LOOP(TYPE, EXPR);
#define GSHMEMI_FOLD_REAL(OP, EXPR) \
	GSHMEMI_FOLD_ONE(OP, F32, float, EXPR) \
	GSHMEMI_FOLD_ONE(OP, F64, double, EXPR)
#define GSHMEMI_FOLD_ORDERED(OP, EXPR) \
	GSHMEMI_FOLD_ONE(OP, U8, uint8_t, EXPR) \
	GSHMEMI_FOLD_ONE(OP, U16, uint16_t, EXPR) \
	GSHMEMI_FOLD_ONE(OP, U32, uint32_t, EXPR) \
	GSHMEMI_FOLD_ONE(OP, U64, uint64_t, EXPR) \
	GSHMEMI_FOLD_ONE(OP, S8, int8_t, EXPR) \
	GSHMEMI_FOLD_ONE(OP, S16, int16_t, EXPR) \
	GSHMEMI_FOLD_ONE(OP, S32, int32_t, EXPR) \
	GSHMEMI_FOLD_ONE(OP, S64, int64_t, EXPR) \
	GSHMEMI_FOLD_REAL(OP, EXPR)

/* 16-bit types: each sum and product is computed in float and rounded; max and min choose one of the two. */
#define GSHMEMI_FOLD_SHORT(KIND, TYPE) \
	GSHMEMI_FOLD_ONE(GSHMEMI_OP_SUM, KIND, uint16_t, \
		gshmemi_##TYPE##_from_float(gshmemi_##TYPE##_to_float(a) + gshmemi_##TYPE##_to_float(b))) \
	GSHMEMI_FOLD_ONE(GSHMEMI_OP_PROD, KIND, uint16_t, \
		gshmemi_##TYPE##_from_float(gshmemi_##TYPE##_to_float(a) * gshmemi_##TYPE##_to_float(b))) \
	GSHMEMI_FOLD_ONE(GSHMEMI_OP_MAX, KIND, uint16_t, \
		gshmemi_##TYPE##_to_float(b) > gshmemi_##TYPE##_to_float(a) ? b : a) \
	GSHMEMI_FOLD_ONE(GSHMEMI_OP_MIN, KIND, uint16_t, \
		gshmemi_##TYPE##_to_float(b) < gshmemi_##TYPE##_to_float(a) ? b : a)

/* Folds nbytes of whole elements. code is a GSHMEMI_FOLD(). */
GSHMEMI_FN void gshmemi_fold(int code, void *acc, const void *x, size_t nbytes)
{
	const char *__restrict__ from = (const char *)x;
	char *__restrict__ to = (char *)acc;
	size_t at = 0, i;

	switch (code) {
		GSHMEMI_FOLD_WHOLE(GSHMEMI_OP_AND, a & b)
		GSHMEMI_FOLD_WHOLE(GSHMEMI_OP_OR, a | b)
		GSHMEMI_FOLD_WHOLE(GSHMEMI_OP_XOR, a ^ b)
		GSHMEMI_FOLD_WHOLE(GSHMEMI_OP_SUM, a + b)
		GSHMEMI_FOLD_REAL(GSHMEMI_OP_SUM, a + b)
		GSHMEMI_FOLD_WHOLE(GSHMEMI_OP_PROD, 1U * a * b)
		GSHMEMI_FOLD_REAL(GSHMEMI_OP_PROD, a * b)
		GSHMEMI_FOLD_ORDERED(GSHMEMI_OP_MAX, b > a ? b : a)
		GSHMEMI_FOLD_ORDERED(GSHMEMI_OP_MIN, b < a ? b : a)
		GSHMEMI_FOLD_ONE(GSHMEMI_OP_SUM, COMPLEX_F32, float, a + b)
		GSHMEMI_FOLD_ONE(GSHMEMI_OP_SUM, COMPLEX_F64, double, a + b)
		GSHMEMI_FOLD_ONE(GSHMEMI_OP_PROD, COMPLEX_F32, struct gshmemi_complex_f32,
			gshmemi_product_complex_f32(a, b))
		GSHMEMI_FOLD_ONE(GSHMEMI_OP_PROD, COMPLEX_F64, struct gshmemi_complex_f64,
			gshmemi_product_complex_f64(a, b))
		GSHMEMI_FOLD_SHORT(F16, f16)
		GSHMEMI_FOLD_SHORT(BF16, bf16)
#if GSHMEMI_ARCH_HAS_LONG_DOUBLE || defined(GSHMEMI_LIBRARY)
		GSHMEMI_FOLD_ONE(GSHMEMI_OP_SUM, LONG_DOUBLE, long double, a + b)
		GSHMEMI_FOLD_ONE(GSHMEMI_OP_PROD, LONG_DOUBLE, long double, a *b)
		GSHMEMI_FOLD_ONE(GSHMEMI_OP_MAX, LONG_DOUBLE, long double, b > a ? b : a)
		GSHMEMI_FOLD_ONE(GSHMEMI_OP_MIN, LONG_DOUBLE, long double, b < a ? b : a)
#endif
	}
}

#undef GSHMEMI_FOLD_SOME
#undef GSHMEMI_FOLD_VECTORS
#undef GSHMEMI_FOLD_LOOP
#undef GSHMEMI_FOLD_BOTH
#undef GSHMEMI_FOLD_WHOLE
#undef GSHMEMI_FOLD_ONE
#undef GSHMEMI_FOLD_REAL
#undef GSHMEMI_FOLD_ORDERED
#undef GSHMEMI_FOLD_SHORT

#endif /* GSHMEM_FOLD_H */
