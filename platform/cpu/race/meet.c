/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What orders the threads of a PE, and the lanes of a block: marks of streams, events and launches; the begin and
 * end of a block; its barriers; calls of a wave.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "race/strand.h"

/* ---- marks ---- */

#define NBUCKETS 1024

struct mark {
	struct mark *next;
	const void *key;
	struct race_clock *clock;
};
static struct mark *marks[NBUCKETS];
static pthread_mutex_t marks_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the link to a mark, or to the end of its bucket. */
static struct mark **find_mark(const void *key)
{
	struct mark **link = &marks[race_hash((uintptr_t)key >> 3) >> 32 & (NBUCKETS - 1)];

	while (*link && (*link)->key != key)
		link = &(*link)->next;
	return link;
}

static void mark_join(const void *key, const struct race_clock *clock)
{
	struct mark **link;

	pthread_mutex_lock(&marks_lock);
	link = find_mark(key);
	if (!*link) {
		*link = calloc(1, sizeof **link);
		if (!*link)
			hipcpu_trap("the race detector: out of memory");
		(*link)->key = key;
		(*link)->clock = race_clock_new();
	}
	race_clock_join((*link)->clock, clock);
	pthread_mutex_unlock(&marks_lock);
}

void hipcpu_race_release(const void *key)
{
	struct race_strand *s = race_enter();

	if (!s)
		return;
	race_tell(s, s->scratch, 0, -1, false);
	mark_join(key, s->scratch);
	race_leave(s);
}

void hipcpu_race_acquire_mark(const void *key)
{
	struct race_strand *s = race_enter();
	struct mark *mark;

	if (!s)
		return;
	pthread_mutex_lock(&marks_lock);
	mark = *find_mark(key);
	if (mark)
		race_learn(s, mark->clock);
	pthread_mutex_unlock(&marks_lock);
	race_leave(s);
}

void hipcpu_race_forget(const void *key)
{
	struct mark **link, *mark;

	if (!race_shared)
		return;
	pthread_mutex_lock(&marks_lock);
	link = find_mark(key);
	mark = *link;
	if (mark) {
		*link = mark->next;
		free(mark->clock);
		free(mark);
	}
	pthread_mutex_unlock(&marks_lock);
}

/* ---- blocks ---- */

void hipcpu_race_block_begin(const void *begin, const char *kernel, uint64_t id, unsigned nlanes)
{
	struct race_strand *s = race_self();
	struct race_lane *lanes;

	if (!s)
		return;
	if (nlanes > s->nlanes) {
		lanes = realloc(s->lanes, nlanes * sizeof *lanes);
		if (!lanes)
			hipcpu_trap("the race detector: out of memory");
		memset(lanes + s->nlanes, 0, (nlanes - s->nlanes) * sizeof *lanes);
		s->lanes = lanes;
		s->nlanes = nlanes;
	}
	s->outside = s->clock;
	memset(s->inside, 0, race_clock_nbytes());
	race_set_clock(s, s->inside);
	hipcpu_race_acquire_mark(begin);
	race_tick(s);
	s->began = s->met = s->now;
	memset(s->joins, 0, sizeof s->joins);
	memset(s->has_open, 0, sizeof s->has_open);
	memset(s->has_begun, 0, sizeof s->has_begun);
	race_history_begin(s->number, s->now, kernel, id);
}

/* All lanes of the block have come to a barrier. */
void hipcpu_race_meet(void)
{
	struct race_strand *s = race_own();
	struct race_exception e;
	unsigned i, group, ngroups;

	if (!s || !s->began)
		return;
	for (i = 0; i < s->nlanes; i++)
		if (s->lanes[i].known) {
			race_clock_join(s->clock, s->lanes[i].known->clock);
			race_known_give(&s->lanes[i]);
		}
	e = (struct race_exception){.strand = (uint16_t)s->number,
		.from = s->began,
		.upto = s->now,
		.pending = 1,
		.context = RACE_ANY,
		.pe = RACE_ANY};
	ngroups = (s->nlanes + 63) / 64;
	for (group = 0; group < ngroups; group++) {
		e.group = (uint8_t)group;
		e.lanes = s->has_begun[group] & ~s->has_open[group];
		if (e.lanes)
			race_clock_except(s->clock, &e);
	}
	for (i = 0; i < s->nlanes; i++)
		if (s->has_open[i / 64] >> i % 64 & 1)
			race_except_own(s, s->clock, i, 0, -1, false);
	race_tick(s);
	s->met = s->now;
}

/* Lanes of a wave have made a call together: those of group, of which the first is number `first`. */
void hipcpu_race_join(unsigned first, uint64_t group)
{
	struct race_strand *s = race_own();
	struct join *j;
	struct race_known *known = NULL;
	uint64_t lanes = group << first % 64, left;
	struct race_lane *lane;
	unsigned i, oldest = 0;

	if (!s || !s->began || !(group & (group - 1)))
		return;
	for (left = group; left; left &= left - 1) {
		lane = &s->lanes[first + (unsigned)__builtin_ctzll(left)];
		if (!lane->known || lane->known == known)
			continue;
		if (known) {
			race_clock_join(known->clock, lane->known->clock);
			continue;
		}
		(void)race_own_clock(s, lane);
		known = lane->known;
		known->nrefs++;
	}
	for (left = known ? group : 0; left; left &= left - 1) {
		lane = &s->lanes[first + (unsigned)__builtin_ctzll(left)];
		if (lane->known == known)
			continue;
		race_known_give(lane);
		lane->known = known;
		known->nrefs++;
	}
	if (known)
		known->nrefs--;
	race_tick(s);
	j = s->joins[first / 64];
	for (i = 0; i < NJOINS; i++) {
		if (!(j[i].lanes & ~lanes)) { /* what it says is said by the new one */
			oldest = i;
			break;
		}
		if (j[i].time < j[oldest].time)
			oldest = i;
	}
	j[oldest] = (struct join){lanes, s->now};
}

/* All lanes have ended: ended learns what they know and have done. */
void hipcpu_race_block_end(const void *end)
{
	struct race_strand *s = race_own();
	struct race_exception e;
	unsigned i;

	if (!s || !s->began)
		return;
	hipcpu_race_meet();
	e = (struct race_exception){.strand = (uint16_t)s->number, .from = s->began, .group = RACE_ANY};
	e.upto = s->now;
	if (s->clock->time[s->number] + 2 >= s->began)
		s->clock->time[s->number] = s->now;
	else
		race_clock_except(s->clock, &e);
	s->began = 0;
	mark_join(end, s->clock);
	for (i = 0; i < s->nlanes; i++) {
		s->lanes[i].nopen = s->lanes[i].nnotes = 0;
		s->lanes[i].quieted = 0;
	}
	race_history_end(s->number, s->now);
	race_tick(s);
	race_set_clock(s, s->outside);
}
