/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the team of an active set: its PEs alone ask for it (team/members.c), and pSync is not needed.
 * Another thread that comes while the team is being made waits for it.
 */
#include "shmem/active_set.h"
#include "team/team.h"

#include <pthread.h>
#include <stdlib.h>

struct active_set {
	int start;
	int log_stride;
	int size;
	bool is_made;
	gshmem_team_t team;
	struct active_set *next;
};
static struct active_set *sets; /* the sets of this init */
static unsigned sets_epoch;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_made = PTHREAD_COND_INITIALIZER;

/* ---- making ---- */

static gshmem_team_t make_team(int start, int log_stride, int size, const char *call)
{
	const gshmem_team_config_t config = {0};
	const int stride = 1 << log_stride, me = gshmem_my_pe();
	gshmem_team_t team;
	int *pes, i;

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
	pes = malloc((size_t)size * sizeof *pes);
	for (i = 0; pes && i < size; i++)
		pes[i] = start + i * stride;
	if (!pes || gshmemi_team_make_by_members(pes, size, &config, GSHMEMI_TAG_ACTIVE_SET, 0, call, &team))
		gshmemi_end(1); /* these calls return no error */
	free(pes);
	return team;
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

/* Adds a set whose team is not made yet. Called with the lock held. */
static struct active_set *add_set(int start, int log_stride, int size)
{
	struct active_set *set = calloc(1, sizeof *set);

	if (!set)
		gshmemi_end(1); /* the other PEs are already waiting and cannot be told */
	set->start = start;
	set->log_stride = log_stride;
	set->size = size;
	set->next = sets;
	sets = set;
	return set;
}

/*
 * Does not hold the lock while a team is made: two threads may be in sets that their PEs enter
 * in different orders.
 */
gshmem_team_t gshmemi_active_set(int start, int log_stride, int size, const char *call)
{
	struct active_set *set;
	gshmem_team_t team;

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
	if (set) {
		while (!set->is_made)
			pthread_cond_wait(&has_made, &lock);
		pthread_mutex_unlock(&lock);
		return set->team;
	}
	set = add_set(start, log_stride, size);
	pthread_mutex_unlock(&lock);
	team = make_team(start, log_stride, size, call);
	pthread_mutex_lock(&lock);
	set->team = team;
	set->is_made = true;
	pthread_cond_broadcast(&has_made);
	pthread_mutex_unlock(&lock);
	return team;
}
