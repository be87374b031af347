/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of the host: what the files of this folder share with each other and with the layers above. */
#ifndef GSHMEMI_OP_OP_H
#define GSHMEMI_OP_OP_H

#include "base/base.h"

/*
 * stats.c: the counters of GSHMEM_STATS, from init to finalize. gshmemi_stats_table returns the kernels'
 * table, NULL without GSHMEM_STATS. gshmemi_stats_report is collective and called when all PEs have completed
 * their operations; PE 0 prints.
 */
struct gshmemi_count;
int gshmemi_stats_open(void);
struct gshmemi_count *gshmemi_stats_table(void);
void gshmemi_stats_report(void);
void gshmemi_stats_close(void);

/* lock.c: the pause of a host thread between two polls of device memory. *polls_p counts them. */
void gshmemi_host_nap(unsigned *polls_p);

#endif /* GSHMEMI_OP_OP_H */
