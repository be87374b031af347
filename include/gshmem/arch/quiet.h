/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Around the headers in C++, for programs that are compiled with warnings about C's casts, which the headers
 * share with C, and about functions that two headers declare. Which warnings a compiler has, and how they are
 * turned off, is known here. It is a file of its own, because arch.h itself is among the headers.
 */
#ifndef GSHMEM_ARCH_QUIET_H
#define GSHMEM_ARCH_QUIET_H

#if defined(__cplusplus) && !defined(__CUDACC__)
#ifdef __clang__
#define GSHMEMI_QUIET_GCC
#else
#define GSHMEMI_QUIET_GCC _Pragma("GCC diagnostic ignored \"-Wuseless-cast\"")
#endif
#define GSHMEMI_QUIET_BEGIN \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wold-style-cast\"") \
		_Pragma("GCC diagnostic ignored \"-Wredundant-decls\"") GSHMEMI_QUIET_GCC
#define GSHMEMI_QUIET_END _Pragma("GCC diagnostic pop")
#else
#define GSHMEMI_QUIET_BEGIN
#define GSHMEMI_QUIET_END
#endif

#endif /* GSHMEM_ARCH_QUIET_H */
