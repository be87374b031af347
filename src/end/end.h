/* SPDX-License-Identifier: BSD-3-Clause */
/* How a job ends: what kernels report, and peers that die. */
#ifndef GSHMEMI_END_END_H
#define GSHMEMI_END_END_H

#include "base/base.h"

/* ---- end.c: beside gshmemi_end and what base/base.h has with it ---- */

/*
 * The first half of gshmemi_end: afterwards only this thread can end the process, and only an abort of this
 * thread can still kill it.
 */
void gshmemi_end_begin(int status);

/* gshmemi_end through exit, so that the program's exit handlers run. */
_Noreturn void gshmemi_exit(int status);

/* Called after init: from now on an exit without gshmem_finalize is an error. */
void gshmemi_end_expect_finalize(void);

/*
 * What the end calls first: it ends every wait of this process. Kernels stop, and host calls leave the rest
 * to the thread that ends the process.
 */
void gshmemi_end_set_poison(void (*poison)(void));

/* ---- fault.c ---- */

/* Prints a fault record as one line. */
void gshmemi_fault_print(const struct gshmemi_fault *fault);

/* Tells watchdogs whether this PE's last collective launch came while one on another stream was under way. */
void gshmemi_launches_overlap(bool is_so);

/* ---- watcher.c: the thread that notices dead peers and prints what kernels report ---- */

/* called at the start of init, which it guards; is_launched: by MPI's launcher */
int gshmemi_watcher_start(bool is_launched);
void gshmemi_watcher_watch(void); /* init is done: from now on watch the peers and the fault record */
void gshmemi_watcher_stop(void);

void gshmemi_watcher_wake(void); /* makes its next turn come at once; may be called by signal handlers */

/* ---- waits.c: prints who waits for what when this process gets SIGUSR1 ---- */

/* Called before MPI starts: notes whether the program has a handler. */
void gshmemi_waits_look(void);

/* Installs the handler for SIGUSR1, unless the program has one. */
void gshmemi_waits_open(void);
void gshmemi_waits_close(void);

/*
 * For the watcher: begins or ends asking the waits, and returns whether they are being asked. It passes their
 * reports to hear.
 */
bool gshmemi_waits_ask(void);
void gshmemi_waits_hear(const struct gshmemi_fault *wait);

#endif /* GSHMEMI_END_END_H */
