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

void gshmemi_watcher_wake(void);       /* its next turn comes at once; for signal handlers, too */

/* ---- waits.c: who waits for what, when this process gets SIGUSR1 ---- */

/* Before MPI is started: whether the program has a handler. */
void gshmemi_waits_look(void);

/* Take the signal, unless the program has. */
void gshmemi_waits_open(void);
void gshmemi_waits_close(void);

/* The watcher's: begin to ask, or end. Whether waits are being asked; what they answer goes to hear. */
bool gshmemi_waits_ask(void);
void gshmemi_waits_hear(const struct gshmemi_fault *wait);

/* ---- host/init.c ---- */

/* End every wait of this process: kernels stop, host calls leave the end to the thread that is ending the process. */
void gshmemi_poison(void);

#endif /* GSHMEMI_END_END_H */
