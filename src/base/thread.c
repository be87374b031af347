/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/thread.h"

#include <signal.h>
#include <string.h>

#include "base/base.h"

int gshmemi_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, const char *name)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = -pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		gshmemi_error("%s cannot start: %s", name, strerror(-rc));
	return rc;
}
