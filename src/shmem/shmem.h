/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the C files of libgshmem_shmem share. The library defines the functions of shmem.h by calling those of
 * gshmem.h. Most of them are jumps that tools/shmem-names generates from a list.
 */
#ifndef GSHMEMI_SHMEM_SHMEM_H
#define GSHMEMI_SHMEM_SHMEM_H

#include "base/base.h"
#include <shmem.h>

/* The head of pNAME. NAME is a weak alias of it, which a program may replace. */
#define SHMEMI_DEFINE(TYPE, NAME, PARAMETERS) \
	extern TYPE NAME PARAMETERS __attribute__((weak, alias("p" #NAME))); \
	extern __typeof__(NAME) p##NAME; \
	TYPE p##NAME PARAMETERS

#endif /* GSHMEMI_SHMEM_SHMEM_H */
