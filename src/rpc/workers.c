/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads for functions that block. They start with the first such function, and take calls in the
 * order of arrival.
 */
#include "rpc/rpc.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static struct gshmemi_rpc_task *first, **last = &first;
static pthread_t *threads;
static unsigned nthreads;
static bool is_stopping;

/* Waits for a call; NULL: there will be no more. */
static struct gshmemi_rpc_task *take_call(void)
{
	struct gshmemi_rpc_task *task;

	pthread_mutex_lock(&lock);
	while (!first && !is_stopping)
		pthread_cond_wait(&has_work, &lock);
	task = first;
	if (task) {
		first = task->next;
		if (!first)
			last = &first;
	}
	pthread_mutex_unlock(&lock);
	return task;
}

static void *work(void *unused)
{
	struct gshmemi_rpc_task *task;

	(void)unused;
	gshmemi_set_serving(true);
	GSHMEMI_RACE_SERVING();
	while ((task = take_call())) {
		if (gshmemi_rpc_go_on(task))
			continue;
		gshmemi_rpc_workers_add(task); /* to the end of the queue */
		gshmemi_thread_yield();
	}
	return NULL;
}

int gshmemi_rpc_workers_start(void)
{
	const unsigned wanted = (unsigned)gshmemi_env.RPC_WORKERS;
	sigset_t all, old;
	int rc = 0;

	if (threads)
		return 0;
	threads = calloc(wanted, sizeof *threads);
	if (!threads) {
		gshmemi_error("rpc: workers: out of memory");
		return -ENOMEM;
	}
	is_stopping = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (nthreads = 0; nthreads < wanted; nthreads++) {
		rc = -pthread_create(&threads[nthreads], NULL, work, NULL);
		if (rc)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		if (!gshmemi_report_limit("rpc: a worker thread cannot start (GSHMEM_RPC_WORKERS)", rc, 0))
			gshmemi_error(
				"rpc: a worker thread cannot start: %s (GSHMEM_RPC_WORKERS)", strerror(-rc));
		gshmemi_rpc_workers_stop();
	}
	return rc;
}

void gshmemi_rpc_workers_add(struct gshmemi_rpc_task *task)
{
	task->next = NULL;
	pthread_mutex_lock(&lock);
	*last = task;
	last = &task->next;
	pthread_cond_signal(&has_work);
	pthread_mutex_unlock(&lock);
}

void gshmemi_rpc_workers_stop(void)
{
	unsigned i;

	pthread_mutex_lock(&lock);
	is_stopping = true;
	pthread_cond_broadcast(&has_work);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	threads = NULL;
	nthreads = 0;
}
