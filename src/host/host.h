/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share. */
#ifndef GSHMEMI_HOST_HOST_H
#define GSHMEMI_HOST_HOST_H

#include "base/base.h"

/* sync.c: a thread of the host has looked at a word in vain, and will look again. Lets others run now and then. */
void gshmemi_host_looked(void);

/* Make a device current: the one asked for, else one the program chose, else (-1) by the PE's place on its node. */
int gshmemi_device_choose(int wanted, int *device_p);

/*
 * region.c: a region of each PE's nbytes of device memory from base on; sizes may differ, and a PE of 0 bytes has no memory, only an
 * address that places are counted from. Collective: 0, or the same negative errno on all PEs. Host calls take its number from then on; kernels that are launched after gshmemi_region_use,
 * which is local, gshmemi_in_region(number). All addresses have the same remainder when divided by 16. GSHMEM_CHECK knows no waits there.
 * It is destroyed collectively, when no kernel uses it any more; closing handles may wait for all kernels of the device. The memory is
 * the caller's; what he frees is given back when its peers have closed it (GSHMEM_IPC_CACHE).
 */
int gshmemi_region_create(void *base, uint64_t nbytes, unsigned *region_p);
int gshmemi_region_use(unsigned region);
int gshmemi_region_destroy(unsigned region);

/* init.c. */
struct gshmemi_scale;
void gshmemi_init_scale(struct gshmemi_scale *scale);

#endif /* GSHMEMI_HOST_HOST_H */
