/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the library. */
#ifndef GSHMEMI_BASE_THREAD_H
#define GSHMEMI_BASE_THREAD_H

#include <pthread.h>

/*
 * Start a thread that takes no signals: they are the user's, and for the user's threads. name begins the message where it cannot start,
 * as in "init: the watcher thread"; then a negative errno.
 */
int gshmemi_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, const char *name);

/* Keep it on a core; 0, or a negative errno after a message that begins with text. */
int gshmemi_thread_pin(pthread_t thread, int core, const char *text);

/*
 * Let others have the core, between two looks of a loop. Now and then it is a nap of 20 us: on Linux 6.18 two threads that did nothing but
 * yield to each other kept all other processes of the machine from a core, for minutes.
 */
void gshmemi_thread_yield(void);

#endif /* GSHMEMI_BASE_THREAD_H */
