/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share. */
#ifndef GSHMEMI_HOST_HOST_H
#define GSHMEMI_HOST_HOST_H

#include "base/base.h"

/* Make a device current: the one asked for, else one the program chose, else (-1) by the PE's place on its node. */
int gshmemi_device_choose(int wanted, int *device_p);

/* init.c. */
struct gshmemi_scale;
void gshmemi_init_scale(struct gshmemi_scale *scale);

#endif /* GSHMEMI_HOST_HOST_H */
