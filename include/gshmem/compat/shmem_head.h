/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenSHMEM 1.6 for C and C++ on the CPU, with what it has deprecated since 1.0, in libgshmem_shmem.
 * tools/shmem-header makes shmem.h of shmem_head.h, gshmem.h and shmem_deprecated.h: the functions of
 * gshmem.h by other names. Each also exists as pshmem_ (pshmem.h).
 */
#ifndef SHMEM_H
#define SHMEM_H

#include <stddef.h>
#include <stdint.h>

#define SHMEM_HOST_API         extern
#define SHMEM_API              extern
#define SHMEMI_LONG_DOUBLE_API extern
#ifdef __cplusplus
#define SHMEMI_BEGIN_C   extern "C" {
#define SHMEMI_END_C     }
/* programs may include this file inside of extern "C", where overloads cannot be */
#define SHMEMI_BEGIN_CXX extern "C++" {
#define SHMEMI_END_CXX   }
#define SHMEMI_FN        inline
#else
#define SHMEMI_BEGIN_C
#define SHMEMI_END_C
#define SHMEMI_BEGIN_CXX
#define SHMEMI_END_CXX
#define SHMEMI_FN static inline
#endif
