/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strands: the threads of a PE. One that runs kernels is a strand of all the blocks that it runs one after
 * another; the lanes of a block share its time and, until one of them learns something alone, its clock.
 * What lanes of a block know of each other is not in clocks: it follows from the times of the block's last
 * barrier and of the last calls of a wave.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "race/strand.h"

#define MOST_THREADS 32 /* with strands of their own: some are left for kernels */

static __thread struct race_strand *mine HIPCPU_TLS;
static struct race_strand *host; /* of the threads of the program that have none of their own */
struct race_strand *race_hosts;  /* that one, and those of threads that the program has made, */
static unsigned nthreads;        /* of which there are so many */
static pthread_mutex_t host_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* for the state of all hosts */
static __thread unsigned is_left_out HIPCPU_TLS; /* the job in which the thread is not watched */
static __thread bool is_runtime HIPCPU_TLS, is_serving HIPCPU_TLS, is_begun HIPCPU_TLS;
static _Atomic bool are_one; /* threads have no strands of their own any more */
_Atomic bool race_has_threads;
uint32_t hipcpu_race_first_step = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned nstrands;
static _Atomic unsigned job = 1; /* of this process: a program may begin again */

/* ---- strands ---- */

static struct race_strand *strand_new(void)
{
	struct race_strand *s;
	unsigned number;

	pthread_mutex_lock(&lock);
	number = nstrands++;
	pthread_mutex_unlock(&lock);
	if (number == RACE_NSTRANDS)
		hipcpu_message(
			"races: more than %d threads: what the others do is not watched", RACE_NSTRANDS);
	if (number >= RACE_NSTRANDS)
		return NULL;
	s = calloc(1, sizeof *s);
	if (!s)
		hipcpu_trap("the race detector: out of memory");
	s->job = job;
	s->number = (unsigned)race_me * RACE_NSTRANDS + number;
	s->now = hipcpu_race_first_step;
	s->clock = race_clock_new();
	s->inside = race_clock_new();
	s->scratch = race_clock_new();
	s->nlanes = 1;
	s->lanes = calloc(1, sizeof *s->lanes);
	if (!s->lanes)
		hipcpu_trap("the race detector: out of memory");
	return s;
}

static struct race_strand *add_host(void)
{
	struct race_strand *s = strand_new();

	if (!s)
		return NULL;
	s->is_host = true;
	s->thread = pthread_self();
	s->next = race_hosts;
	race_hosts = s;
	return s;
}

/* The strand of all threads that have none of their own. */
static struct race_strand *find_host(void)
{
	pthread_mutex_lock(&host_lock);
	if (!host || host->job != job) {
		race_hosts = NULL;
		nthreads = 0;
		host = add_host();
	}
	pthread_mutex_unlock(&host_lock);
	return host;
}

/* One of a thread that has been joined, who knows all that it did; or a new one, as long as there are any. */
static struct race_strand *find_own(void)
{
	struct race_strand *s;

	if (!find_host())
		return NULL;
	pthread_mutex_lock(&host_lock);
	for (s = race_hosts; s && !s->is_free; s = s->next)
		;
	if (s) {
		s->is_over = s->is_free = false;
		s->thread = pthread_self();
	} else if (nthreads < MOST_THREADS && (s = add_host())) {
		race_history(s->number)->thread = ++nthreads;
	}
	pthread_mutex_unlock(&host_lock);
	return s ? s : host;
}

struct race_strand *race_self(void)
{
	if (!race_shared)
		return NULL;
	if (mine && mine->job == job && !(are_one && mine->is_host && mine != host))
		return mine;
	if (is_left_out == job)
		return NULL;
	mine = hipcpu_block || is_runtime ? strand_new() : is_begun && !are_one ? find_own() : find_host();
	if (!mine)
		is_left_out = job;
	else if (is_serving)
		race_history(mine->number)->thread = RACE_SERVING;
	return mine;
}

/* ---- threads of the program ---- */

void race_thread_begin(void)
{
	if (mine && mine->job == job && mine->is_host)
		return; /* it has one by now */
	is_begun = true;
}

void race_thread_end(void)
{
	struct race_strand *s = race_own();

	pthread_mutex_lock(&host_lock);
	if (s && s->is_host && s != host)
		s->is_over = true;
	pthread_mutex_unlock(&host_lock);
}

void race_thread_joined(pthread_t thread)
{
	struct race_strand *s;

	pthread_mutex_lock(&host_lock);
	for (s = race_hosts; s; s = s->next)
		if (s->is_over && pthread_equal(s->thread, thread))
			s->is_free = true;
	pthread_mutex_unlock(&host_lock);
}

void race_threads_merge(void)
{
	struct race_strand *s;

	if (!race_shared || are_one || !find_host())
		return;
	pthread_mutex_lock(&host_lock);
	for (s = race_hosts; s; s = s->next) {
		race_tell(s, s->scratch, 0, -1, false);
		race_clock_join(host->clock, s->scratch);
	}
	are_one = true;
	race_complete_kernels(host);
	pthread_mutex_unlock(&host_lock);
}

/* Strands are a job's. Those of the last one stay, because a thread may be using its own. */
void race_strands_forget(void)
{
	pthread_mutex_lock(&lock);
	job++;
	nstrands = 0;
	pthread_mutex_unlock(&lock);
}

struct race_strand *race_enter(void)
{
	struct race_strand *s = race_self();

	if (s && s->is_host)
		pthread_mutex_lock(&host_lock);
	return s;
}

struct race_strand *race_own(void)
{
	return race_shared && mine && mine->job == job ? race_self() : NULL;
}

void race_leave(struct race_strand *s)
{
	if (s && s->is_host)
		pthread_mutex_unlock(&host_lock);
}

unsigned race_lane_of(const struct race_strand *s)
{
	return hipcpu_self && s->began ? lane_number(hipcpu_block, hipcpu_self) : 0;
}

bool race_is_host(const struct race_strand *s)
{
	return s->is_host;
}

void race_tick(struct race_strand *s)
{
	if (++s->now == UINT32_MAX)
		hipcpu_trap("races: a thread has made 2^32 steps, which is as far as it can be watched");
}

struct race_access race_now(const struct race_strand *s)
{
	return (struct race_access){
		.time = s->now, .strand = (uint16_t)s->number, .lane = (uint16_t)race_lane_of(s)};
}

/* ---- clocks ---- */

void race_set_clock(struct race_strand *s, struct race_clock *clock)
{
	s->clock = clock;
	memset(s->learnt, 0, sizeof s->learnt);
}

void race_known_give(struct race_lane *lane)
{
	if (lane->known && --lane->known->nrefs == 0) {
		free(lane->known->clock);
		free(lane->known);
	}
	lane->known = NULL;
}

struct race_clock *race_own_clock(struct race_strand *s, struct race_lane *lane)
{
	struct race_known *known;

	if (!s->began)
		return s->clock;
	if (lane->known && lane->known->nrefs == 1)
		return lane->known->clock;
	known = malloc(sizeof *known);
	if (!known)
		hipcpu_trap("the race detector: out of memory");
	known->nrefs = 1;
	known->clock = race_clock_new();
	race_clock_copy(known->clock, race_clock_of(s, lane));
	race_known_give(lane);
	lane->known = known;
	return known->clock;
}

/* ---- what the caller knows ---- */

/* Whether lanes a and b of the running block have met, after a time. */
static bool have_met(const struct race_strand *s, unsigned a, unsigned b, uint32_t time)
{
	const struct join *j = s->joins[a / 64];
	unsigned i;

	if (time < s->met)
		return true;
	if (a / 64 != b / 64)
		return false;
	for (i = 0; i < NJOINS; i++, j++)
		if (j->lanes >> (a % 64) & j->lanes >> (b % 64) & 1 && time < j->time)
			return true;
	return false;
}

/* The operations of a lane to which this one belongs, if they are open; NULL: it is complete. */
static const struct race_open *find_open(const struct race_lane *lane, const struct race_access *a)
{
	unsigned i;

	for (i = 0; i < lane->nopen; i++)
		if (lane->open[i].context == a->context && lane->open[i].pe == a->pe && lane->open[i].first &&
			lane->open[i].first <= a->time)
			return &lane->open[i];
	return NULL;
}

/* The same for an access of this strand by the block that runs, or by this thread of the host. */
static bool knows_own(struct race_strand *s, const struct race_access *a, int pe, unsigned context)
{
	const unsigned me = race_lane_of(s);
	const struct race_lane *lane = &s->lanes[a->lane];
	const struct race_open *open;

	if (!a->is_pending)
		return a->lane == me || have_met(s, a->lane, me, a->time) ||
			race_clock_knows(race_clock_of(s, &s->lanes[me]), a);
	open = find_open(lane, a);
	if (a->lane == me &&
		(!open ||
			(!a->is_get && open->fenced >= a->time && pe == open->pe &&
				context == open->context)))
		return true;
	if (a->lane != me && !open &&
		have_met(s, a->lane, me, lane->quieted > a->time ? lane->quieted : a->time))
		return true;
	return race_clock_knows(race_clock_of(s, &s->lanes[me]), a);
}

bool race_knows(struct race_strand *s, const struct race_access *a, int pe, unsigned context)
{
	if (a->strand == s->number && a->time >= s->began)
		return knows_own(s, a, pe, context);
	return race_clock_knows(race_clock_of(s, race_own_lane(s)), a);
}

void race_learn(struct race_strand *s, const struct race_clock *clock)
{
	race_clock_join(race_own_clock(s, race_own_lane(s)), clock);
}

/*
 * Whoever polls reads a value again and again that has told the block all it can. Clocks are long, so the
 * strand remembers which snapshots its clock includes, which all lanes share and which only grows.
 */
void race_learn_snapshot(struct race_strand *s, const struct race_word *word, uint32_t snapshot)
{
	struct learnt *learnt = &s->learnt[race_hash((uintptr_t)word) >> 32 & (NLEARNT - 1)];
	const struct race_clock *told = race_snapshot(word, snapshot);
	const struct race_known *known = race_own_lane(s)->known;

	if (learnt->word == word && learnt->snapshot == snapshot)
		return;
	if (race_clock_includes(s->clock, told))
		*learnt = (struct learnt){word, snapshot};
	else if (!known || !race_clock_includes(known->clock, told))
		race_learn(s, told);
}

void race_note(struct race_strand *s, struct race_word *word, uint64_t value, const struct race_place *at)
{
	struct race_lane *lane = race_own_lane(s);
	struct race_note *last;
	unsigned i;

	for (i = 0; i < lane->nnotes; i++)
		if (lane->notes[i].word == word) {
			lane->notes[i] = (struct race_note){word, value, *at};
			return;
		}
	if (lane->nnotes == RACE_NNOTES) { /* early, which hides races and reports no false one */
		last = &lane->notes[--lane->nnotes];
		race_word_learn(last->word, s, last->value, &last->at);
	}
	lane->notes[lane->nnotes++] = (struct race_note){word, value, *at};
}

void race_unnote(struct race_strand *s, const struct race_word *word)
{
	struct race_lane *lane = race_own_lane(s);
	unsigned i;

	for (i = 0; i < lane->nnotes; i++)
		if (lane->notes[i].word == word)
			lane->notes[i] = lane->notes[--lane->nnotes];
}

/* An acquire: what was told by the words that the caller has read is now known. */
void hipcpu_race_acquire(void)
{
	struct race_strand *s = race_own() ? race_enter() : NULL;
	struct race_lane *lane;
	unsigned i;

	if (!s)
		return;
	lane = race_own_lane(s);
	for (i = 0; i < lane->nnotes; i++)
		race_word_learn(lane->notes[i].word, s, lane->notes[i].value, &lane->notes[i].at);
	lane->nnotes = 0;
	race_leave(s);
}

/* The calling thread is one of the runtime's, and no part of the host. */
void hipcpu_race_runtime(void)
{
	is_runtime = true;
}

void hipcpu_race_serving(void)
{
	is_runtime = is_serving = true;
}
