/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short vectors: int2, float4, make_float4, ... without arithmetic.
 */
#ifndef HIPCPU_VECTOR_TYPES_H
#define HIPCPU_VECTOR_TYPES_H

/* clang-format off */
/* X(name, type) */
#define HIPCPU_VECTORS(X) \
	X(char, signed char) X(uchar, unsigned char) X(short, short) X(ushort, unsigned short) X(int, int) \
	X(long, long) X(ulong, unsigned long) X(longlong, long long) X(ulonglong, unsigned long long) \
	X(float, float) X(double, double)
#define HIPCPU_ALIGN(n, type) ((n) * sizeof(type) > 16 ? 16 : (n) * sizeof(type))
#define HIPCPU_VECTOR_1_2_4(name, type) \
	struct name##1 { type x; }; \
	struct alignas(HIPCPU_ALIGN(2, type)) name##2 { type x, y; }; \
	struct alignas(HIPCPU_ALIGN(4, type)) name##4 { type x, y, z, w; }; \
	static inline name##1 make_##name##1(type x) { return {x}; } \
	static inline name##2 make_##name##2(type x, type y) { return {x, y}; } \
	static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define HIPCPU_VECTOR_3(name, type) \
	struct name##3 { type x, y, z; }; \
	static inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }
/* clang-format on */

HIPCPU_VECTORS(HIPCPU_VECTOR_1_2_4)
HIPCPU_VECTORS(HIPCPU_VECTOR_3)
HIPCPU_VECTOR_1_2_4(uint, unsigned)

/* uint3 is in hip_runtime.h: threadIdx is one */
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
	return {x, y, z};
}

#undef HIPCPU_VECTOR_1_2_4
#undef HIPCPU_VECTOR_3
#undef HIPCPU_ALIGN
#undef HIPCPU_VECTORS

#endif /* HIPCPU_VECTOR_TYPES_H */
