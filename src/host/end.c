/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ends of a process other than gshmem_finalize: an error, and gshmem_global_exit.
 */
#include "host/internal.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ipc/job.h"
#include "ipc/life.h"

static atomic_bool ending;

static void *flush(void *done)
{
	fflush(NULL);
	sem_post(done);
	return NULL;
}

/* A stream may be locked for good by a thread that reads from it: the flush gets half a second. */
static void flush_stdio(void)
{
	static sem_t done;
	struct timespec limit;
	pthread_t thread;

	sem_init(&done, 0, 0);
	if (pthread_create(&thread, NULL, flush, &done))
		return;
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_nsec += 500000000;
	limit.tv_sec += limit.tv_nsec / 1000000000;
	limit.tv_nsec %= 1000000000;
	while (sem_timedwait(&done, &limit) && errno == EINTR)
		;
}

static bool is_ending(int pe)
{
	return !gshmemi_life_is_known(pe) || (gshmemi_life_get(pe) & 0xff) == GSHMEMI_LIFE_ENDING;
}

/*
 * Tell the peers of this node, whose watchers end them with this status, and wait for their answer, for a moment: one
 * may be dead. The launcher (hydra 4.0.2) sends SIGUSR1 to all when the first process ends; MPICH then asks it
 * something, and the launcher fails if a process ends before the reply. So nobody ends before all ignore the signal.
 */
static void announce(int status)
{
	struct timespec tick = {0, 1000000};
	int tries, pe;

	signal(SIGUSR1, SIG_IGN);
	if (!gshmemi_job)
		return;
	gshmemi_life_set(GSHMEMI_LIFE_ENDING | (uint64_t)(status & 0xff) << 8);
	for (pe = 0, tries = 0; pe < gshmemi_job->npes && tries < 200; tries++) {
		while (pe < gshmemi_job->npes && is_ending(pe))
			pe++;
		if (pe < gshmemi_job->npes)
			nanosleep(&tick, NULL);
	}
}

void gshmemi_end(int status)
{
	if (atomic_exchange(&ending, true))
		for (;;)
			pause(); /* another thread is ending the process */
	announce(status);
	gshmemi_poison();
	flush_stdio();
	_exit(status);
}

void gshmem_global_exit(int status)
{
	GSHMEMI_ENTER("gshmem_global_exit");
	if (atomic_exchange(&ending, true))
		for (;;)
			pause();
	announce(status);
	exit(status);
}
