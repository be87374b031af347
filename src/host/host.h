/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share with each other. */
#ifndef GSHMEMI_HOST_HOST_H
#define GSHMEMI_HOST_HOST_H

#include "base/base.h"

/*
 * Makes a device current: wanted, or if that is -1 the one the program chose, or else one by the PE's rank on
 * its node.
 */
int gshmemi_device_choose(int wanted, int *device_p);

/* init.c: the memory and traffic of init itself, for scale.c. */
struct gshmemi_scale;
void gshmemi_init_scale(struct gshmemi_scale *scale);

/* launch.c: frees what collective launches have left, in finalize. */
void gshmemi_launch_close(void);

/* stream.c: whether a graph captures the stream's work. 0, or a negative errno; call names the caller. */
int gshmemi_stream_is_captured(hipStream_t stream, const char *call, bool *is_captured_p);

#endif /* GSHMEMI_HOST_HOST_H */
