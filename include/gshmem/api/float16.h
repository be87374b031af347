/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 16-bit floating point as bits: IEEE binary16 (f16) and the upper half of a float (bf16), to float and
 * back. fold.h computes with them. Rounding is to nearest, ties to even, and every NaN becomes the same
 * one, so results have the same bits on all platforms. A sum or product of two of these numbers may be
 * rounded to float first and to 16 bits then: the result is correctly rounded, because float has more than
 * twice as many digits.
 */
#ifndef GSHMEM_FLOAT16_H
#define GSHMEM_FLOAT16_H

#include <stdint.h>
#include <gshmem/arch/arch.h>

#define GSHMEMI_F16_INFINITY 0x7c00
#define GSHMEMI_F16_NAN      0x7e00
#define GSHMEMI_BF16_NAN     0x7fc0

GSHMEMI_FN uint32_t gshmemi_float_bits(float value)
{
	uint32_t bits;

	__builtin_memcpy(&bits, &value, sizeof bits);
	return bits;
}

GSHMEMI_FN float gshmemi_float_of(uint32_t bits)
{
	float value;

	__builtin_memcpy(&value, &bits, sizeof value);
	return value;
}

#if GSHMEMI_ARCH_HAS_F16 /* the GPU has instructions for it */
#define gshmemi_f16_to_float gshmemi_arch_f16_to_float

GSHMEMI_FN uint16_t gshmemi_f16_from_float(float value)
{
	const uint16_t bits = gshmemi_arch_f16_from_float(value);

	return (bits & 0x7fff) > GSHMEMI_F16_INFINITY ? GSHMEMI_F16_NAN : bits;
}
#else

/* Selections instead of branches: compilers can vectorize a loop around them. */
GSHMEMI_FN float gshmemi_f16_to_float(uint16_t bits)
{
	const uint32_t magnitude = (uint32_t)(bits & 0x7fff) << 13, exponent = magnitude & 0x0f800000;
	const uint32_t rebiased = magnitude + (112U << 23); /* exponents are biased by 15 and by 127 */
	/* A subnormal has no leading 1: give it one, at 2^-14, and take it off again. */
	const uint32_t small = gshmemi_float_bits(gshmemi_float_of(rebiased + (1U << 23)) - 0x1p-14f);
	const uint32_t value = exponent == 0x0f800000 ? rebiased + (112U << 23) : exponent ? rebiased : small;

	return gshmemi_float_of(value | (uint32_t)(bits & 0x8000) << 16);
}

GSHMEMI_FN uint16_t gshmemi_f16_from_float(float value)
{
	const uint32_t sign = gshmemi_float_bits(value) >> 16 & 0x8000,
		       bits = gshmemi_float_bits(value) & 0x7fffffff;
	/*
	 * Add half an ulp less one, and one more if the result is odd; a carry goes into the exponent,
	 * up to infinity.
	 */
	const uint32_t normal = (bits - (112U << 23) + 0xfff + (bits >> 13 & 1)) >> 13;
	/* From 0.5 to 1 a float's ulp is that of the subnormals: the addition rounds. */
	const uint32_t small = gshmemi_float_bits(gshmemi_float_of(bits) + 0.5f) - (126U << 23);
	const uint32_t finite = bits < 113U << 23 ? small : normal;
	const uint32_t number = bits >= 143U << 23 ? GSHMEMI_F16_INFINITY : finite; /* 65536 and more */

	return (uint16_t)(bits > 255U << 23 ? GSHMEMI_F16_NAN : sign | number);
}
#endif

GSHMEMI_FN float gshmemi_bf16_to_float(uint16_t bits)
{
	return gshmemi_float_of((uint32_t)bits << 16);
}

GSHMEMI_FN uint16_t gshmemi_bf16_from_float(float value)
{
	const uint32_t bits = gshmemi_float_bits(value), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

	return (uint16_t)((bits & 0x7fffffff) > 255U << 23 ? GSHMEMI_BF16_NAN : rounded);
}

#endif /* GSHMEM_FLOAT16_H */
