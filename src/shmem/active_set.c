/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a team of an active set's PEs, with no help from other PEs and before the set has a barrier. The PEs
 * agree on a place in the table of teams by two words of pSync: sync[0] of the first PE counts votes, and in
 * sync[1] each other PE finds what the first PE says.
 *
 *   first: takes a free place and proposes it             the others: try to take it too, and vote
 *   first: when all have voted: taken, or the next place  the others: keep it, or leave it and try the next
 *
 * A PE that reads a word resets it before it answers, and a PE that has written a word waits for the answer
 * before it writes again. So both words are zero when a PE returns, and no update of them is in flight.
 */
#include "shmem/active_set.h"
#include "team/team.h"

#include <pthread.h>
#include <stdlib.h>

enum { VOTES, WORD };
/* What the first PE says: the number of a place, plus 1, or one of these. */
enum { TAKEN = -1, FULL = -2 };
#define REFUSAL (1L << 32) /* a vote against; a vote for it is 1 */

struct active_set {
	int start;
	int log_stride;
	int size;
	gshmem_team_t team;
	struct active_set *next;
};
static struct active_set *sets; /* the sets of this init */
static unsigned sets_epoch;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- making ---- */

static void set_word(long *word, long value, int pe)
{
	gshmem_long_atomic_set(word, value, pe);
	gshmem_quiet();
}

/* Waits for what the first PE says next; never 0. */
static long hear_root(long *sync)
{
	long word;

	gshmem_long_wait_until(&sync[WORD], GSHMEM_CMP_NE, 0);
	word = gshmem_long_atomic_fetch(&sync[WORD], gshmem_my_pe());
	set_word(&sync[WORD], 0, gshmem_my_pe());
	return word;
}

static void tell(long *sync, long word, int start, int stride, int size)
{
	int i;

	for (i = 1; i < size; i++)
		gshmem_long_atomic_set(&sync[WORD], word, start + i * stride);
	gshmem_quiet();
}

/* Counts the votes of all others; true if all are in favour. */
static bool count_votes(long *sync, int size)
{
	long votes = 0, nrefused = 0, nvotes = 0;

	while (nvotes < size - 1) {
		gshmem_long_wait_until(&sync[VOTES], GSHMEM_CMP_NE, votes);
		votes = gshmem_long_atomic_fetch(&sync[VOTES], gshmem_my_pe());
		nrefused = votes / REFUSAL;
		nvotes = nrefused + votes % REFUSAL;
	}
	if (size > 1)
		set_word(&sync[VOTES], 0, gshmem_my_pe());
	return !nrefused;
}

/* The first PE's part. Returns the place, or -1 if no place is free on all PEs. */
static int lead(int start, int stride, int size, long *sync)
{
	bool is_taken = false;
	int place = -1;

	while (!is_taken) {
		place = gshmemi_team_find_place(place + 1, size);
		if (place < 0) {
			tell(sync, FULL, start, stride, size);
			return -1;
		}
		if (!gshmemi_team_take_strided(place, start, stride, size))
			continue; /* another thread was first */
		tell(sync, place + 1, start, stride, size);
		is_taken = count_votes(sync, size);
		if (!is_taken)
			gshmemi_team_leave_place(place);
	}
	tell(sync, TAKEN, start, stride, size);
	return place;
}

static int follow(int start, int stride, int size, long *sync)
{
	bool is_mine = false;
	int place = -1;
	long word;

	while ((word = hear_root(sync)) > 0) {
		if (is_mine)
			gshmemi_team_leave_place(place);
		place = (int)word - 1;
		is_mine = gshmemi_team_take_strided(place, start, stride, size);
		gshmem_long_atomic_add(&sync[VOTES], is_mine ? 1 : REFUSAL, start);
		gshmem_quiet();
	}
	if (word == FULL && is_mine)
		gshmemi_team_leave_place(place);
	return word == TAKEN ? place : -1;
}

static gshmem_team_t make_team(int start, int log_stride, int size, long *sync, const char *call)
{
	const int stride = 1 << log_stride, me = gshmem_my_pe();
	int place;

	if (start < 0 || log_stride < 0 || size < 1 ||
		start + (int64_t)(size - 1) * stride >= gshmem_n_pes()) {
		gshmemi_error("%s: active set %d, %d, %d: not within the job's %d PEs", call, start,
			log_stride, size, gshmem_n_pes());
		gshmemi_end(1);
	}
	/* Such calls are undefined, but there are programs in which all PEs call. */
	if (me < start || (me - start) % stride || (me - start) / stride >= size) {
		if (!gshmemi_env.CHECK)
			return GSHMEM_TEAM_INVALID;
		gshmemi_error(
			"%s: active set %d, %d, %d: this PE is not in it", call, start, log_stride, size);
		gshmemi_end(1);
	}
	place = me == start ? lead(start, stride, size, sync) : follow(start, stride, size, sync);
	if (place < 0) {
		if (me == start)
			gshmemi_error("%s: active set %d, %d, %d: no place in the table of teams is free on "
				      "all its PEs (GSHMEM_TEAMS)",
				call, start, log_stride, size);
		gshmemi_end(1);
	}
	return gshmemi_team_at(place);
}

/* ---- finding ---- */

static struct active_set *find_team(int start, int log_stride, int size)
{
	struct active_set *set;

	for (set = sets; set; set = set->next)
		if (set->start == start && set->log_stride == log_stride && set->size == size)
			return set;
	return NULL;
}

/* finalize has ended the teams. */
static void forget(void)
{
	struct active_set *set;

	while (sets) {
		set = sets;
		sets = set->next;
		free(set);
	}
}

/*
 * Does not hold the lock while a team is made: two threads may be in sets that their PEs enter
 * in different orders.
 */
gshmem_team_t gshmemi_active_set(int start, int log_stride, int size, long *sync, const char *call)
{
	struct active_set *set;

	GSHMEMI_ENTER_COLLECTIVE(call);
	if (start == 0 && log_stride == 0 && size == gshmem_n_pes())
		return GSHMEM_TEAM_WORLD;
	if (size == 1)
		log_stride = 0;
	pthread_mutex_lock(&lock);
	if (sets_epoch != gshmemi_teams_epoch())
		forget();
	sets_epoch = gshmemi_teams_epoch();
	set = find_team(start, log_stride, size);
	pthread_mutex_unlock(&lock);
	if (set)
		return set->team;
	set = malloc(sizeof *set);
	if (!set)
		gshmemi_end(1); /* the other PEs are already waiting and cannot be told */
	*set = (struct active_set){
		start, log_stride, size, make_team(start, log_stride, size, sync, call), NULL};
	pthread_mutex_lock(&lock);
	set->next = sets;
	sets = set;
	pthread_mutex_unlock(&lock);
	return set->team;
}
