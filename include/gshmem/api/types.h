/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type lists: an X-macro for each table of types of OpenSHMEM 1.6, with X(NAME, TYPE) for each type.
 *
 * BASIC lists hold the types that C tells apart; ALIAS lists hold other names for them, such as the
 * fixed-width ones. Functions are stamped for both, generic selections (generic.h) only for BASIC.
 */
#ifndef GSHMEM_TYPES_H
#define GSHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* A handle, as a constant in the program's own lines: C++'s cast there needs no quiet. */
#ifdef __cplusplus
#define GSHMEMI_HANDLE(TYPE, value) reinterpret_cast<TYPE>(value)
#else
#define GSHMEMI_HANDLE(TYPE, value) ((TYPE)(value))
#endif

/* For lists of calls: an argument without its parentheses. */
#define GSHMEMI_UNPACK(...) __VA_ARGS__

/*
 * Table "standard RMA types": put, get, p, g, iput, iget, put_signal. A GPU has no long double: its kernels
 * move such objects as the CPU lays them out, but cannot hold the value that p takes and g returns. VALUE is
 * the list without long double.
 */
#define GSHMEM_BASIC_VALUE_TYPES(X) \
	X(float, float) \
	X(double, double) \
	X(char, char) \
	X(schar, signed char) \
	X(short, short) \
	X(int, int) \
	X(long, long) \
	X(longlong, long long) \
	X(uchar, unsigned char) \
	X(ushort, unsigned short) \
	X(uint, unsigned int) \
	X(ulong, unsigned long) \
	X(ulonglong, unsigned long long)
#define GSHMEM_BASIC_RMA_TYPES(X) \
	X(longdouble, long double) \
	GSHMEM_BASIC_VALUE_TYPES(X)

#define GSHMEM_ALIAS_RMA_TYPES(X) \
	X(int8, int8_t) \
	X(int16, int16_t) \
	X(int32, int32_t) \
	X(int64, int64_t) \
	X(uint8, uint8_t) \
	X(uint16, uint16_t) \
	X(uint32, uint32_t) \
	X(uint64, uint64_t) \
	X(size, size_t) \
	X(ptrdiff, ptrdiff_t)

#define GSHMEM_RMA_TYPES(X) GSHMEM_BASIC_RMA_TYPES(X) GSHMEM_ALIAS_RMA_TYPES(X)

/* Extension: 16-bit floating point. X(NAME, TYPE), named gshmemx_NAME_put. */
#define GSHMEMX_RMA_TYPES(X) \
	X(half, gshmemx_half_t) \
	X(bfloat16, gshmemx_bfloat16_t)

/* The sized calls: X(SIZE, NBYTES). SIZE, in bits, is part of the name. */
#define GSHMEM_RMA_SIZES(X) \
	X(8, 1) \
	X(16, 2) \
	X(32, 4) \
	X(64, 8) \
	X(128, 16)

/* Table "standard AMO types": compare_swap, fetch_inc, inc, fetch_add, add. */
#define GSHMEM_BASIC_AMO_TYPES(X) \
	X(int, int) \
	X(long, long) \
	X(longlong, long long) \
	X(uint, unsigned int) \
	X(ulong, unsigned long) \
	X(ulonglong, unsigned long long)

#define GSHMEM_ALIAS_AMO_TYPES(X) \
	X(int32, int32_t) \
	X(int64, int64_t) \
	X(uint32, uint32_t) \
	X(uint64, uint64_t) \
	X(size, size_t) \
	X(ptrdiff, ptrdiff_t)

#define GSHMEM_AMO_TYPES(X) GSHMEM_BASIC_AMO_TYPES(X) GSHMEM_ALIAS_AMO_TYPES(X)

/* Table "extended AMO types": fetch, set, swap. */
#define GSHMEM_BASIC_EXTENDED_AMO_TYPES(X) \
	X(float, float) \
	X(double, double) \
	GSHMEM_BASIC_AMO_TYPES(X)
#define GSHMEM_EXTENDED_AMO_TYPES(X) GSHMEM_BASIC_EXTENDED_AMO_TYPES(X) GSHMEM_ALIAS_AMO_TYPES(X)

/* Table "bitwise AMO types": and, or, xor and their fetch_ forms. */
#define GSHMEM_BASIC_BITWISE_AMO_TYPES(X) \
	X(uint, unsigned int) \
	X(ulong, unsigned long) \
	X(ulonglong, unsigned long long)

#define GSHMEM_ALIAS_BITWISE_AMO_TYPES(X) \
	X(int32, int32_t) \
	X(int64, int64_t) \
	X(uint32, uint32_t) \
	X(uint64, uint64_t)

#define GSHMEM_BITWISE_AMO_TYPES(X) GSHMEM_BASIC_BITWISE_AMO_TYPES(X) GSHMEM_ALIAS_BITWISE_AMO_TYPES(X)

/*
 * wait_until and test, also of arrays. short and ushort are extensions: OpenSHMEM 1.5 deprecated them for one
 * object, and never had them for arrays, as other libraries do.
 */
#define GSHMEM_BASIC_WAIT_TYPES(X) \
	X(short, short) \
	X(ushort, unsigned short) \
	GSHMEM_BASIC_AMO_TYPES(X)
#define GSHMEM_WAIT_TYPES(X) GSHMEM_BASIC_WAIT_TYPES(X) GSHMEM_ALIAS_AMO_TYPES(X)

/*
 * Table "reduction types": X(NAME, TYPE, KIND); KIND is a GSHMEMI_KIND_* of fold.h. All types with max and
 * min also have sum and prod; complex types have only these.
 */
#define GSHMEM_BASIC_BITWISE_REDUCE_TYPES(X) \
	X(uchar, unsigned char, U8) \
	X(ushort, unsigned short, U16) \
	X(uint, unsigned int, U32) \
	X(ulong, unsigned long, U64) \
	X(ulonglong, unsigned long long, U64)
#define GSHMEM_ALIAS_BITWISE_REDUCE_TYPES(X) \
	X(int8, int8_t, S8) \
	X(int16, int16_t, S16) \
	X(int32, int32_t, S32) \
	X(int64, int64_t, S64) \
	X(uint8, uint8_t, U8) \
	X(uint16, uint16_t, U16) \
	X(uint32, uint32_t, U32) \
	X(uint64, uint64_t, U64) \
	X(size, size_t, U64)
#define GSHMEM_BITWISE_REDUCE_TYPES(X) \
	GSHMEM_BASIC_BITWISE_REDUCE_TYPES(X) \
	GSHMEM_ALIAS_BITWISE_REDUCE_TYPES(X)

#define GSHMEM_BASIC_ORDERED_REDUCE_TYPES(X) \
	X(char, char, CHAR) \
	X(schar, signed char, S8) \
	X(short, short, S16) \
	X(int, int, S32) \
	X(long, long, S64) \
	X(longlong, long long, S64) \
	X(float, float, F32) \
	X(double, double, F64) \
	GSHMEM_BASIC_BITWISE_REDUCE_TYPES(X)
#define GSHMEM_ORDERED_REDUCE_TYPES(X) \
	GSHMEM_BASIC_ORDERED_REDUCE_TYPES(X) \
	X(ptrdiff, ptrdiff_t, S64) \
	GSHMEM_ALIAS_BITWISE_REDUCE_TYPES(X)

/* long double is apart: on a GPU only the host can reduce it. */
#define GSHMEM_LONG_DOUBLE_REDUCE_TYPES(X) X(longdouble, long double, LONG_DOUBLE)

#define GSHMEM_COMPLEX_REDUCE_TYPES(X) \
	X(complexf, gshmemx_complexf_t, COMPLEX_F32) \
	X(complexd, gshmemx_complexd_t, COMPLEX_F64)

/* Extension: max, min, sum and prod of 16-bit floating point, named gshmemx_NAME_sum_reduce. */
#define GSHMEMX_REDUCE_TYPES(X) \
	X(half, gshmemx_half_t, F16) \
	X(bfloat16, gshmemx_bfloat16_t, BF16)

/* Extension: a value and its place, for GSHMEMX_MINLOC and GSHMEMX_MAXLOC on windows. */
#define GSHMEMX_PAIR_TYPES(X) \
	X(float_int, gshmemx_float_int_t, FLOAT_INT) \
	X(double_int, gshmemx_double_int_t, DOUBLE_INT) \
	X(long_int, gshmemx_long_int_t, LONG_INT) \
	X(int_int, gshmemx_int_int_t, INT_INT)

#endif /* GSHMEM_TYPES_H */
