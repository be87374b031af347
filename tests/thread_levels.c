/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/*
 * The requested thread level is provided, and any thread can query it; a later init does not change it. A
 * thread that is blocked in a call blocks neither other threads of its PE nor other PEs.
 */
#include <gshmem.h>
#include <pthread.h>

#include "helpers.h"

static long *word, *lock;

static void *query(void *level)
{
	gshmem_query_thread((int *)level);
	return NULL;
}

static void *wait_for_word(void *unused)
{
	(void)unused;
	gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
	return NULL;
}

static void *wait_for_lock(void *unused)
{
	(void)unused;
	gshmem_set_lock(lock);
	gshmem_long_atomic_inc(&word[1], 0);
	gshmem_clear_lock(lock);
	return NULL;
}

static void check_level(int level)
{
	int provided = -1, seen;
	pthread_t thread;

	t_equal(gshmem_init_thread(level, &provided), 0, "init_thread");
	t_equal(provided, level, "provided");
	seen = -1;
	gshmem_query_thread(&seen);
	t_equal(seen, level, "query_thread");
	t_equal(gshmem_init_thread(GSHMEM_THREAD_SINGLE, &seen), 0, "a second init_thread");
	t_equal(seen, level, "what a second init_thread provides");
	gshmem_finalize();
	seen = -1;
	t_equal(pthread_create(&thread, NULL, query, &seen), 0, "pthread_create");
	pthread_join(thread, NULL);
	t_equal(seen, level, "query_thread in another thread");
}

/*
 * Two threads of each PE are blocked while the first thread makes calls of all kinds, even collective ones.
 */
static void check_blocked(void)
{
	const int me = gshmem_my_pe(), next = (me + 1) % gshmem_n_pes();
	pthread_t blocked[2];
	gshmem_team_t team;
	long *more;

	word = (long *)gshmem_calloc(2, sizeof *word);
	lock = (long *)gshmem_calloc(1, sizeof *lock);
	if (me == 0)
		gshmem_set_lock(lock);
	gshmem_barrier_all();
	t_equal(pthread_create(&blocked[0], NULL, wait_for_word, NULL), 0, "pthread_create");
	t_equal(pthread_create(&blocked[1], NULL, wait_for_lock, NULL), 0, "pthread_create");
	gshmem_barrier_all();
	more = (long *)gshmem_malloc(sizeof *more);
	gshmem_long_p(more, me, next);
	gshmem_barrier_all();
	t_equal(gshmem_long_g(more, next), me, "p, barrier_all, g beside a blocked thread");
	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, gshmem_n_pes(), NULL, 0, &team), 0,
		"split_strided");
	t_equal(gshmem_team_sync(team), 0, "team_sync");
	gshmem_team_destroy(team);
	t_equal(gshmem_long_g(&word[1], 0), 0, "those that had the lock");
	gshmem_free(more);
	if (me == 0)
		gshmem_clear_lock(lock);
	gshmem_long_p(word, 1, next);
	gshmem_quiet();
	pthread_join(blocked[0], NULL);
	pthread_join(blocked[1], NULL);
	gshmem_barrier_all();
	t_equal(gshmem_long_g(&word[1], 0), gshmem_n_pes(), "those that had the lock");
	gshmem_barrier_all();
}

int main(void)
{
	static const int levels[] = {GSHMEM_THREAD_MULTIPLE, GSHMEM_THREAD_SERIALIZED, GSHMEM_THREAD_FUNNELED,
		GSHMEM_THREAD_SINGLE};
	size_t i;

	for (i = 0; i < sizeof levels / sizeof *levels; i++) {
		t_check(!i || levels[i - 1] > levels[i], "the levels are not in order");
		check_level(levels[i]);
		if (levels[i] == GSHMEM_THREAD_MULTIPLE)
			check_blocked();
		gshmem_finalize();
	}
	return 0;
}
