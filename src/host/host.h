/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share with each other. */
#ifndef GSHMEMI_HOST_HOST_H
#define GSHMEMI_HOST_HOST_H

#include "base/base.h"

/*
 * Makes a device current: wanted, or if that is -1 the one the program chose, or else one by the PE's rank
 * on its node.
 */
int gshmemi_device_choose(int wanted, int *device_p);

/* init.c: the memory and traffic of init itself, for scale.c. */
struct gshmemi_scale;
void gshmemi_init_scale(struct gshmemi_scale *scale);

/*
 * shmem.c. The first is called before main in a program that has libgshmem_shmem; from is an address in it.
 * The second is called when init has succeeded, and does nothing in other programs.
 */
GSHMEM_HOST_API void gshmemi_shmem_begin(const void *from);
void gshmemi_shmem_initialized(void);

/* launch.c: frees what collective launches have left, in finalize. */
void gshmemi_launch_close(void);

#endif /* GSHMEMI_HOST_HOST_H */
