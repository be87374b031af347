/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about the past of others. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"
#include "race/race.h"

static size_t nstrands(void)
{
	return (size_t)race_npes * RACE_NSTRANDS;
}

size_t race_clock_nbytes(void)
{
	return (sizeof(struct race_clock) + 2 * nstrands() * sizeof(uint32_t) + 63) & ~(size_t)63;
}

struct race_clock *race_clock_new(void)
{
	struct race_clock *clock = calloc(1, race_clock_nbytes());

	if (!clock)
		hipcpu_trap("the race detector: out of memory");
	return clock;
}

void race_clock_copy(struct race_clock *to, const struct race_clock *from)
{
	to->nexceptions = from->nexceptions;
	memcpy(to->exceptions, from->exceptions, from->nexceptions * sizeof *from->exceptions);
	memcpy(to->time, from->time, 2 * nstrands() * sizeof *to->time);
}

/* ---- exceptions ---- */

/* Which of a clock's times it is an exception to. */
static size_t time_of(const struct race_exception *e)
{
	return (e->pending ? nstrands() : 0) + e->strand;
}

static bool is_stale(const struct race_clock *clock, const struct race_exception *e)
{
	return clock->time[time_of(e)] >= e->upto;
}

static bool is_of_same(const struct race_exception *a, const struct race_exception *b)
{
	return a->strand == b->strand && a->group == b->group && a->pending == b->pending &&
		a->context == b->context && a->pe == b->pe;
}

/* Whether a says all that e says. */
static bool says(const struct race_exception *a, const struct race_exception *e)
{
	return is_of_same(a, e) && a->from <= e->from && a->upto >= e->upto && !(e->lanes & ~a->lanes);
}

/* Makes one exception of two, if that says neither more nor less; e becomes part of *to. */
static bool unite(struct race_exception *to, const struct race_exception *e)
{
	if (!is_of_same(to, e))
		return false;
	if (says(to, e))
		return true;
	if (to->from == e->from && to->upto == e->upto) {
		to->lanes |= e->lanes;
		return true;
	}
	if (to->lanes != e->lanes || e->from > to->upto + 1 || to->from > e->upto + 1)
		return false;
	to->from = to->from < e->from ? to->from : e->from;
	to->upto = to->upto > e->upto ? to->upto : e->upto;
	return true;
}

static void drop_stale(struct race_clock *clock)
{
	unsigned i, n = 0;

	for (i = 0; i < clock->nexceptions; i++)
		if (!is_stale(clock, &clock->exceptions[i]))
			clock->exceptions[n++] = clock->exceptions[i];
	clock->nexceptions = n;
}

void race_clock_except(struct race_clock *clock, const struct race_exception *e)
{
	uint32_t *time;
	unsigned i;

	if (e->from > e->upto || is_stale(clock, e))
		return;
	for (i = 0; i < clock->nexceptions; i++)
		if (unite(&clock->exceptions[i], e))
			return;
	if (clock->nexceptions == RACE_NEXCEPTIONS)
		drop_stale(clock);
	if (clock->nexceptions < RACE_NEXCEPTIONS) {
		clock->exceptions[clock->nexceptions++] = *e;
		return;
	}
	time = &clock->time[time_of(e)];
	*time = *time > e->upto ? *time : e->upto;
}

/* The times of one PE's strands: the loop's length is constant, so that compilers make vectors of it. */
static void join_times(uint32_t *restrict to, const uint32_t *restrict from)
{
	unsigned i;

	for (i = 0; i < RACE_NSTRANDS; i++)
		to[i] = to[i] > from[i] ? to[i] : from[i];
}

static bool are_times_within(const uint32_t *restrict times, const uint32_t *restrict of)
{
	uint32_t n = 0;
	unsigned i;

	for (i = 0; i < RACE_NSTRANDS; i++)
		n |= times[i] > of[i];
	return !n;
}

/*
 * Whether the clock's exception of this number says all that e says. It mostly does if e has the same number
 * in a clock that is joined: one of the two began as a copy of the other.
 */
static bool says_at(const struct race_clock *clock, unsigned i, const struct race_exception *e)
{
	return i < clock->nexceptions && says(&clock->exceptions[i], e);
}

void race_clock_join(struct race_clock *to, const struct race_clock *from)
{
	size_t first;
	unsigned i;

	for (first = 0; first < 2 * nstrands(); first += RACE_NSTRANDS)
		join_times(to->time + first, from->time + first);
	for (i = 0; i < from->nexceptions; i++)
		if (!says_at(to, i, &from->exceptions[i]))
			race_clock_except(to, &from->exceptions[i]);
}

/* The same of any of the clock's exceptions, and of its times. */
static bool says_anywhere(const struct race_clock *clock, const struct race_exception *e)
{
	bool is_said = is_stale(clock, e);
	unsigned i;

	for (i = 0; i < clock->nexceptions && !is_said; i++)
		is_said = says(&clock->exceptions[i], e);
	return is_said;
}

bool race_clock_includes(const struct race_clock *clock, const struct race_clock *other)
{
	const struct race_exception *e = other->exceptions;
	size_t first;
	unsigned i;

	for (first = 0; first < 2 * nstrands(); first += RACE_NSTRANDS)
		if (!are_times_within(other->time + first, clock->time + first))
			return false;
	for (i = 0; i < other->nexceptions; i++, e++)
		if (!says_at(clock, i, e) && !says_anywhere(clock, e))
			return false;
	return true;
}

bool race_clock_knows(const struct race_clock *clock, const struct race_access *a)
{
	const struct race_exception *e = clock->exceptions;
	unsigned i;

	if (clock->time[(a->is_pending ? nstrands() : 0) + a->strand] >= a->time)
		return true;
	for (i = 0; i < clock->nexceptions; i++, e++) {
		if (e->strand != a->strand || e->pending != a->is_pending || a->time < e->from ||
			a->time > e->upto)
			continue;
		if (e->group != RACE_ANY && (e->group != a->lane / 64 || !(e->lanes >> (a->lane % 64) & 1)))
			continue;
		if (a->is_pending &&
			((e->context != RACE_ANY && e->context != a->context) ||
				(e->pe != RACE_ANY && e->pe != a->pe)))
			continue;
		return true;
	}
	return false;
}
