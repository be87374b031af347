/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the C files of libgshmem_shmem share. It has the functions of shmem.h and calls those of gshmem.h; most of it are
 * jumps that tools/shmem-names makes of the list of these.
 */
#ifndef GSHMEMI_SHMEM_SHMEM_H
#define GSHMEMI_SHMEM_SHMEM_H

#include "base/base.h"
#include <shmem.h>

/* The head of pNAME; NAME is the same, unless the program has one of its own. */
#define SHMEMI_DEFINE(TYPE, NAME, PARAMETERS) \
	extern TYPE NAME PARAMETERS __attribute__((weak, alias("p" #NAME))); \
	extern __typeof__(NAME) p##NAME; \
	TYPE p##NAME PARAMETERS

#endif /* GSHMEMI_SHMEM_SHMEM_H */
