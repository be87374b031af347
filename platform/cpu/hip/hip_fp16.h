/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * __half for C++: 16 bits of IEEE binary16, computed in float. (g++ 12 has _Float16 only in C.)
 */
#ifndef HIPCPU_HIP_FP16_H
#define HIPCPU_HIP_FP16_H

#include "hip_float16.h"
#include "hip_runtime.h"

HIPCPU_QUIET_BEGIN

#ifdef __cplusplus

namespace hipcpu
{

/* Rounds to nearest, ties to even. */
static inline uint16_t half_from_float(float f)
{
	uint32_t x, sign, mantissa, shift, rest, half;
	int32_t exponent;

	memcpy(&x, &f, 4);
	sign = x >> 16 & 0x8000;
	x &= 0x7fffffff;
	if (x > 0x7f800000)
		return (uint16_t)(sign | 0x7e00 | (x >> 13 & 0x1ff)); /* a NaN stays one */
	if (x >= 0x477ff000)
		return (uint16_t)(sign | 0x7c00); /* 65520 and more: infinity */
	exponent = (int32_t)(x >> 23) - 112;
	mantissa = x & 0x7fffff;
	if (exponent < -10)
		return (uint16_t)sign;
	if (exponent <= 0) { /* subnormal */
		mantissa |= 0x800000;
		shift = (uint32_t)(14 - exponent);
		half = mantissa >> shift;
	} else {
		shift = 13;
		half = (uint32_t)exponent << 10 | mantissa >> shift;
	}
	rest = mantissa & ((1u << shift) - 1);
	/* a carry out of the mantissa is one into the exponent, as it should be */
	half += rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && (half & 1));
	return (uint16_t)(sign | half);
}

static inline float half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff, x;
	float f;

	if (exponent == 31) {
		x = sign | 0x7f800000 | mantissa << 13;
	} else if (exponent) {
		x = sign | (exponent + 112) << 23 | mantissa << 13;
	} else {
		f = (float)mantissa * 0x1p-24f;
		return sign ? -f : f;
	}
	memcpy(&f, &x, 4);
	return f;
}

} /* namespace hipcpu */

struct __half {
	uint16_t bits;

	__half() = default;
	__half(float f) : bits(hipcpu::half_from_float(f)) {}
	operator float() const { return hipcpu::half_to_float(bits); }
	HIPCPU_FLOAT16_UPDATES(__half)
};
typedef __half half;

HIPCPU_FLOAT16_OPERATORS(__half)

static inline __half __float2half(float f)
{
	return __half(f);
}
static inline __half __float2half_rn(float f)
{
	return __half(f);
}
static inline float __half2float(__half h)
{
	return (float)h;
}
static inline unsigned short __half_as_ushort(__half h)
{
	return h.bits;
}
static inline short __half_as_short(__half h)
{
	return (short)h.bits;
}
static inline __half __ushort_as_half(unsigned short bits)
{
	__half h;
	h.bits = bits;
	return h;
}
static inline __half __hadd(__half a, __half b)
{
	return a + b;
}
static inline __half __hsub(__half a, __half b)
{
	return a - b;
}
static inline __half __hmul(__half a, __half b)
{
	return a * b;
}
static inline __half __hdiv(__half a, __half b)
{
	return a / b;
}
static inline bool __heq(__half a, __half b)
{
	return a == b;
}
static inline bool __hlt(__half a, __half b)
{
	return a < b;
}
static inline bool __hgt(__half a, __half b)
{
	return a > b;
}

struct __half2 {
	__half x, y;
};
typedef __half2 half2;

#endif /* __cplusplus */

HIPCPU_QUIET_END

#endif /* HIPCPU_HIP_FP16_H */
