/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,4 */
/* timeout: 120 */
/*
 * Threads of a PE that split different teams at the same time, with a mind for the same places: each gets a place of its
 * own, and barriers of different teams do not disturb each other.
 */
#include <pthread.h>

#include <gshmem.h>

#include "helpers.h"

enum { NTHREADS = 3, NSPLITS = 60 };

static gshmem_team_t parents[NTHREADS];

static void *split_and_meet(void *arg)
{
	const int which = (int)(size_t)arg, npes = gshmem_n_pes();
	gshmem_team_t first, second;
	int i, k;

	for (i = 0; i < NSPLITS; i++) {
		t_equal(gshmem_team_split_strided(parents[which], 0, 1, npes, NULL, 0, &first), 0, "split_strided");
		t_equal(gshmem_team_split_strided(first, npes - 1, -1, npes, NULL, 0, &second), 0, "split_strided");
		t_equal(gshmem_team_translate_pe(second, 0, GSHMEM_TEAM_WORLD), npes - 1, "the first of the team");
		for (k = 0; k < 3; k++)
			t_equal(gshmem_team_sync(k == 1 ? first : second), 0, "sync");
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
	for (i = 0; i < NTHREADS; i++)
		t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, gshmem_n_pes(), NULL, 0, &parents[i]), 0, "split");
	for (i = 0; i < NTHREADS; i++)
		t_equal(pthread_create(&threads[i], NULL, split_and_meet, (void *)(size_t)i), 0, "thread");
	for (i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < NTHREADS; i++)
		gshmem_team_destroy(parents[i]);
	gshmem_finalize();
	return 0;
}
