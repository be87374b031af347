/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the library: see base/thread.h. */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

#define YIELDS         1024 /* one nap after so many yields, */
#define CROWDED_YIELDS 16   /* or after so many, if the job has more processes here than there are cores */
#define NAP_NS         20000

static unsigned nprocs_per_core = 1; /* rounded up; set before any thread yields */

int gshmemi_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, const char *name)
{
	sigset_t all, old;
	char what[128];
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = -pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!rc)
		return 0;
	snprintf(what, sizeof what, "%s cannot start", name);
	if (!gshmemi_report_limit(what, rc, 0))
		gshmemi_error("%s: %s", what, strerror(-rc));
	return rc;
}

/*
 * Linux rejects cores that the machine, or the process's container, does not have; a set
 * holds CPU_SETSIZE cores.
 */
int gshmemi_thread_pin(pthread_t thread, int core, const char *text)
{
	cpu_set_t cores;
	int rc = -EINVAL;

	CPU_ZERO(&cores);
	if (core < CPU_SETSIZE) {
		CPU_SET(core, &cores);
		rc = -pthread_setaffinity_np(thread, sizeof cores, &cores);
	}
	if (rc)
		gshmemi_error("%s core %d: %s: this machine has cores 0 to %ld, and a container or a batch "
			      "system may allow a process only some of them",
			text, core, strerror(-rc), sysconf(_SC_NPROCESSORS_CONF) - 1);
	return rc;
}

void gshmemi_thread_yield(void)
{
	static _Thread_local unsigned nyields;
	const unsigned share = nprocs_per_core;

	if (++nyields % (share > 1 ? CROWDED_YIELDS : YIELDS))
		sched_yield();
	else
		nanosleep(&(struct timespec){0, (long)share * NAP_NS}, NULL);
}

void gshmemi_thread_sleep(unsigned seconds)
{
	while (seconds)
		seconds = sleep(seconds);
}

/* Not the cores that this process may use: a launcher may have given each process one of its own. */
void gshmemi_thread_share_cores(unsigned nprocs)
{
	const long ncores = sysconf(_SC_NPROCESSORS_ONLN);

	nprocs_per_core =
		ncores > 0 && nprocs > ncores ? (nprocs + (unsigned)ncores - 1) / (unsigned)ncores : 1;
}
