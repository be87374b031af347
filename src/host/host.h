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

/*
 * stats.c: GSHMEM_STATS. The counters from init to finalize, and the table that kernels have, NULL without them. report is collective,
 * when all PEs have completed what they asked for; PE 0 prints.
 */
struct gshmemi_count;
int gshmemi_stats_open(void);
struct gshmemi_count *gshmemi_stats_table(void);
void gshmemi_stats_report(void);
void gshmemi_stats_close(void);

#endif /* GSHMEMI_HOST_HOST_H */
