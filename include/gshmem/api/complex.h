/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The complex types of reductions, scans and windows. In a HIP unit they are pairs, which every compiler lays
 * out as C's _Complex. std::complex has the same layout, so pointers to it may be cast.
 */
#ifndef GSHMEM_COMPLEX_H
#define GSHMEM_COMPLEX_H

#include <gshmem/arch/arch.h>

#if GSHMEMI_KERNELS
typedef struct gshmemx_complexf {
	float real, imag;
} gshmemx_complexf_t;
typedef struct gshmemx_complexd {
	double real, imag;
} gshmemx_complexd_t;
#else
__extension__ typedef float _Complex gshmemx_complexf_t;
__extension__ typedef double _Complex gshmemx_complexd_t;
#endif

#endif /* GSHMEM_COMPLEX_H */
