/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the types of hip_fp16.h and hip_bf16.h have in common: a type T that converts to float and from float
 * is computed with in float. HIPCPU_FLOAT16_UPDATES stands in the type, HIPCPU_FLOAT16_OPERATORS behind it.
 */
#ifndef HIPCPU_HIP_FLOAT16_H
#define HIPCPU_HIP_FLOAT16_H

#define HIPCPU_FLOAT16_UPDATE(T, OP) \
	T &operator OP##=(T other) \
	{ \
		return *this = T(float(*this) OP float(other)); \
	}
#define HIPCPU_FLOAT16_UPDATES(T) \
	template <typename N, typename = std::enable_if_t<std::is_arithmetic<N>::value>> \
	T(N n) : T((float)n) \
	{ \
	} \
	HIPCPU_FLOAT16_UPDATE(T, +) \
	HIPCPU_FLOAT16_UPDATE(T, -) \
	HIPCPU_FLOAT16_UPDATE(T, *) \
	HIPCPU_FLOAT16_UPDATE(T, /)

#define HIPCPU_FLOAT16_COMPUTE(R, T, OP) \
	static inline R operator OP(T a, T b) \
	{ \
		return R(float(a) OP float(b)); \
	}
#define HIPCPU_FLOAT16_OPERATORS(T) \
	HIPCPU_FLOAT16_COMPUTE(T, T, +) \
	HIPCPU_FLOAT16_COMPUTE(T, T, -) \
	HIPCPU_FLOAT16_COMPUTE(T, T, *) \
	HIPCPU_FLOAT16_COMPUTE(T, T, /) \
	HIPCPU_FLOAT16_COMPUTE(bool, T, ==) \
	HIPCPU_FLOAT16_COMPUTE(bool, T, !=) \
	HIPCPU_FLOAT16_COMPUTE(bool, T, <) \
	HIPCPU_FLOAT16_COMPUTE(bool, T, >) \
	HIPCPU_FLOAT16_COMPUTE(bool, T, <=) \
	HIPCPU_FLOAT16_COMPUTE(bool, T, >=) \
	static inline T operator-(T a) \
	{ \
		return T(-(float)a); \
	}

#endif /* HIPCPU_HIP_FLOAT16_H */
