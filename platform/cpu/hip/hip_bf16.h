/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * __hip_bfloat16 for C++: the upper half of a float, computed in float.
 */
#ifndef HIPCPU_HIP_BF16_H
#define HIPCPU_HIP_BF16_H

#include "hip_float16.h"
#include "hip_runtime.h"

HIPCPU_QUIET_BEGIN

#ifdef __cplusplus

struct __hip_bfloat16 {
	uint16_t bits;

	__hip_bfloat16() = default;
	/* Rounds to nearest, ties to even; a NaN stays one. */
	__hip_bfloat16(float f)
	{
		uint32_t x;

		memcpy(&x, &f, 4);
		if ((x & 0x7fffffff) > 0x7f800000)
			bits = (uint16_t)(x >> 16 | 0x40);
		else
			bits = (uint16_t)((x + 0x7fff + (x >> 16 & 1)) >> 16);
	}
	operator float() const
	{
		uint32_t x = (uint32_t)bits << 16;
		float f;

		memcpy(&f, &x, 4);
		return f;
	}
	HIPCPU_FLOAT16_UPDATES(__hip_bfloat16)
};
typedef __hip_bfloat16 hip_bfloat16;

HIPCPU_FLOAT16_OPERATORS(__hip_bfloat16)

static inline __hip_bfloat16 __float2bfloat16(float f)
{
	return __hip_bfloat16(f);
}
static inline float __bfloat162float(__hip_bfloat16 h)
{
	return (float)h;
}

#endif /* __cplusplus */

HIPCPU_QUIET_END

#endif /* HIPCPU_HIP_BF16_H */
