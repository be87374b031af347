/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the library. */
#ifndef GSHMEMI_BASE_THREAD_H
#define GSHMEMI_BASE_THREAD_H

#include <pthread.h>

/*
 * Starts a thread that takes no signals, because those are for the user's threads. If it cannot start,
 * returns a negative errno after a message that begins with name, as in "init: the watcher thread".
 */
int gshmemi_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, const char *name);

/* Pins the thread to a core. Returns 0, or a negative errno after a message that begins with text. */
int gshmemi_thread_pin(pthread_t thread, int core, const char *text);

/*
 * Lets other threads have the core, between two polls of a loop. Every 1024th call is a nap of 20 us:
 * on Linux 6.18 two threads that did nothing but yield to each other kept all other processes off a
 * core for minutes.
 */
void gshmemi_thread_yield(void);

/* Sleeps for so long, also where signals, such as the launcher's, interrupt it. */
void gshmemi_thread_sleep(unsigned seconds);

/*
 * Tells gshmemi_thread_yield that nprocs processes of the job share this machine. With more of them than
 * cores a yield helps little, since Linux first shares cores among sessions, and each PE is one
 * (sched_autogroup). Then every 16th call is a nap, of 20 us for each process that a core has.
 */
void gshmemi_thread_share_cores(unsigned nprocs);

#endif /* GSHMEMI_BASE_THREAD_H */
