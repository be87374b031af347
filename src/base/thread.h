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

#endif /* GSHMEMI_BASE_THREAD_H */
