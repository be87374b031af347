/* SPDX-License-Identifier: BSD-3-Clause */
/* How a job ends: what kernels report, peers that die. The ends themselves are declared in base/base.h. */
#ifndef GSHMEMI_END_END_H
#define GSHMEMI_END_END_H

#include "base/base.h"

/* ---- fault.c ---- */

/* Print a fault record as one line. */
void gshmemi_fault_print(const struct gshmemi_fault *fault);

/* ---- watcher.c: the thread that sees peers die and prints what kernels report ---- */

int gshmemi_watcher_start(bool is_launched); /* at the head of init, which it guards; is_launched: by MPI's launcher */
void gshmemi_watcher_watch(void);      /* init is done: watch peers and the fault record from now on */
void gshmemi_watcher_stop(void);

/* ---- host/init.c ---- */

/* End every wait of this process: kernels stop, host calls leave the end to the thread that is ending the process. */
void gshmemi_poison(void);

#endif /* GSHMEMI_END_END_H */
