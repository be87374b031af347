/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,4 */
/* timeout: 120 */
/*
 * When threads of a PE make different teams at the same time and compete for the same places, each team gets
 * its own place, and barriers of different teams do not disturb each other. Each thread counts its barriers
 * where all PEs can see: after a barrier the same thread of no other PE may have counted less.
 */
#include <pthread.h>

#include <gshmem.h>

#include "helpers.h"

enum { NTHREADS = 3, NSPLITS = 60, MOST_PES = 4 };

static gshmem_team_t parents[NTHREADS];
static long *counts; /* [NTHREADS]: barriers that each thread of this PE has reached */

static void meet(gshmem_team_t team, int which, long count)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	long theirs;
	int pe;

	gshmem_long_p(&counts[which], count, me);
	gshmem_quiet(); /* a sync completes nothing */
	t_equal(gshmem_team_sync(team), 0, "sync");
	for (pe = 0; pe < npes; pe++) {
		theirs = gshmem_long_g(&counts[which], pe);
		t_check(theirs == count || theirs == count + 1,
			"PE %d, thread %d: behind barrier %ld, PE %d has come to %ld", me, which, count, pe,
			theirs);
	}
}

static void *split_and_meet(void *arg)
{
	const int which = (int)(size_t)arg, npes = gshmem_n_pes();
	gshmem_team_t first, second;
	int backwards[MOST_PES], i, k;
	long count = 0;

	for (i = 0; i < npes; i++)
		backwards[i] = npes - 1 - i;

	for (i = 0; i < NSPLITS; i++) {
		t_equal(gshmem_team_split_strided(parents[which], 0, 1, npes, NULL, 0, &first), 0,
			"split_strided");
		if (i % 2)
			t_equal(gshmem_team_split_strided(first, npes - 1, -1, npes, NULL, 0, &second), 0,
				"split_strided");
		else /* which as the tag: the threads make teams of the same PEs */
			t_equal(gshmemx_team_create_by_members(backwards, npes, which, NULL, 0, &second), 0,
				"create_by_members");
		t_equal(gshmem_team_translate_pe(second, 0, GSHMEM_TEAM_WORLD), npes - 1,
			"the first of the team");
		for (k = 0; k < 3; k++)
			meet(k == 1 ? first : second, which, ++count);
		gshmem_team_destroy(first);
		gshmem_team_destroy(second);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[NTHREADS];
	int provided, i;

	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, &provided), 0, "init");
	counts = gshmem_calloc(NTHREADS, sizeof *counts);
	gshmemx_race_ok(counts, NTHREADS * sizeof *counts); /* it reads what others may be writing */
	t_check(counts, "no memory");
	for (i = 0; i < NTHREADS; i++)
		t_equal(gshmem_team_split_strided(
				GSHMEM_TEAM_WORLD, 0, 1, gshmem_n_pes(), NULL, 0, &parents[i]),
			0, "split");
	for (i = 0; i < NTHREADS; i++)
		t_equal(pthread_create(&threads[i], NULL, split_and_meet, (void *)(size_t)i), 0, "thread");
	for (i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < NTHREADS; i++)
		gshmem_team_destroy(parents[i]);
	gshmem_finalize();
	return 0;
}
