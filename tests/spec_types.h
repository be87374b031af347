/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types and their names from the tables of OpenSHMEM's specification, written down again, so that tests do
 * not take the library's own lists for right.
 */
#ifndef T_SPEC_TYPES_H
#define T_SPEC_TYPES_H

/* Table 5 of the spec, "Standard RMA types and names". */
#define RMA(X) \
	X(float, float) \
	X(double, double) \
	X(long double, longdouble) \
	X(char, char) \
	X(signed char, schar) \
	X(short, short) \
	X(int, int) \
	X(long, long) \
	X(long long, longlong) \
	X(unsigned char, uchar) \
	X(unsigned short, ushort) \
	X(unsigned int, uint) \
	X(unsigned long, ulong) \
	X(unsigned long long, ulonglong) \
	X(int8_t, int8) \
	X(int16_t, int16) \
	X(int32_t, int32) \
	X(int64_t, int64) \
	X(uint8_t, uint8) \
	X(uint16_t, uint16) \
	X(uint32_t, uint32) \
	X(uint64_t, uint64) \
	X(size_t, size) \
	X(ptrdiff_t, ptrdiff)
/* "Standard AMO types and names". */
#define AMO(X) \
	X(int, int) \
	X(long, long) \
	X(long long, longlong) \
	X(unsigned int, uint) \
	X(unsigned long, ulong) \
	X(unsigned long long, ulonglong) \
	X(int32_t, int32) \
	X(int64_t, int64) \
	X(uint32_t, uint32) \
	X(uint64_t, uint64) \
	X(size_t, size) \
	X(ptrdiff_t, ptrdiff)
/* "Extended AMO types and names". */
#define EXTENDED(X) \
	X(float, float) \
	X(double, double) \
	AMO(X)
/* "Bitwise AMO types and names". */
#define BITWISE(X) \
	X(unsigned int, uint) \
	X(unsigned long, ulong) \
	X(unsigned long long, ulonglong) \
	X(int32_t, int32) \
	X(int64_t, int64) \
	X(uint32_t, uint32) \
	X(uint64_t, uint64)
/* "Point-to-point synchronization types and names": the deprecated table, which includes the other. */
#define P2P(X) \
	X(short, short) \
	X(unsigned short, ushort) \
	AMO(X)
/*
 * "Reduction types ... for team-based reductions": those of and, or, xor. max and min have
 * RMA's, the rest complex too.
 */
#define REDUCE_BITS(X) \
	X(unsigned char, uchar) \
	X(unsigned short, ushort) \
	X(unsigned int, uint) \
	X(unsigned long, ulong) \
	X(unsigned long long, ulonglong) \
	X(int8_t, int8) \
	X(int16_t, int16) \
	X(int32_t, int32) \
	X(int64_t, int64) \
	X(uint8_t, uint8) \
	X(uint16_t, uint16) \
	X(uint32_t, uint32) \
	X(uint64_t, uint64) \
	X(size_t, size)

#endif
