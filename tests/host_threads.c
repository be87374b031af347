/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/*
 * With host calls of several threads at once each sees its own data, and no update of a shared word is lost.
 */
#include <gshmem.h>
#include <pthread.h>

#include "helpers.h"

enum { NTHREADS = 4, NROUNDS = 100, NELEMS = 300, NUPDATES = 20000 };

static long *slots;       /* [NTHREADS][NELEMS] */
static uint64_t *signals; /* [NTHREADS] */
static long *total;
static long *contended; /* on PE 0: all threads update it at once */
/* [NTHREADS * NROUNDS * (1 + npes)], on PE 0: how often fetch_inc returned this total */
static long *seen;
static int me, npes, next, previous;

static void one_round(int thread, long round)
{
	long *slot = slots + thread * NELEMS, values[NELEMS], found;
	int i;

	for (i = 0; i < NELEMS; i++)
		values[i] = round * 1000 + thread * NELEMS + i;
	gshmem_long_put_signal(slot, values, NELEMS - 1, &signals[thread], 1, GSHMEM_SIGNAL_ADD, next);
	gshmem_signal_wait_until(&signals[thread], GSHMEM_CMP_GE, (uint64_t)round);
	gshmem_long_get(values, slot, NELEMS - 1, me);
	for (i = 0; i < NELEMS - 1; i++)
		t_equal(values[i], round * 1000 + thread * NELEMS + i, "an element of put_signal");
	gshmem_long_p(slot + NELEMS - 1, round, me);
	gshmem_quiet();
	t_equal(gshmem_long_g(slot + NELEMS - 1, me), round, "p, quiet, g");
	gshmem_long_atomic_add(total, 1, next);
	found = gshmem_long_atomic_fetch_inc(total, 0);
	t_check(found >= 0 && found < NTHREADS * NROUNDS * (1L + npes),
		"fetch_inc: found %ld, more than all updates", found);
	t_equal(gshmem_long_atomic_fetch_inc(&seen[found], 0), 0,
		"threads that fetch_inc has told of the same total");
	gshmem_long_put_nbi(slot, values, 0, next); /* nothing */
	gshmem_fence();
	/* the PE before may overwrite the slot once this one has said so */
	gshmem_uint64_atomic_inc(&signals[NTHREADS + thread], previous);
	gshmem_signal_wait_until(&signals[NTHREADS + thread], GSHMEM_CMP_GE, (uint64_t)round);
}

static void *run(void *argument)
{
	long round;
	int i;

	for (round = 1; round <= NROUNDS; round++)
		one_round((int)(size_t)argument, round);
	for (i = 0; i < NUPDATES; i++)
		(void)gshmem_long_atomic_fetch_inc(contended, 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[NTHREADS];
	long found;
	size_t i;

	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "init");
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	next = (me + 1) % npes;
	previous = (me + npes - 1) % npes;
	slots = gshmem_calloc((size_t)NTHREADS * NELEMS, sizeof *slots);
	signals = gshmem_calloc((size_t)2 * NTHREADS, sizeof *signals);
	total = gshmem_calloc(1, sizeof *total);
	contended = gshmem_calloc(1, sizeof *contended);
	seen = gshmem_calloc((size_t)NTHREADS * NROUNDS * (size_t)(1 + npes), sizeof *seen);
	t_check(slots && signals && total && contended && seen, "no memory");
	for (i = 0; i < NTHREADS; i++)
		t_equal(pthread_create(&threads[i], NULL, run, (void *)i), 0, "pthread_create");
	for (i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	gshmem_barrier_all();
	found = gshmem_long_g(total, me);
	t_equal(found, NTHREADS * NROUNDS * (me ? 1L : 1L + npes), "updates of one word");
	if (me == 0)
		t_equal(gshmem_long_g(contended, 0), (long)NTHREADS * NUPDATES * npes, "updates at once");
	gshmem_finalize();
	return 0;
}
