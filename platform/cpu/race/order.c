/* SPDX-License-Identifier: BSD-3-Clause */
/* What a strand's operations wait for: fences and quiets; and what the strand tells others by a word. */
#include <string.h>

#include "race/strand.h"

static void set_bit(uint64_t *bits, unsigned lane, bool to)
{
	if (to)
		bits[lane / 64] |= UINT64_C(1) << lane % 64;
	else
		bits[lane / 64] &= ~(UINT64_C(1) << lane % 64);
}

void race_opened(struct race_strand *s, unsigned context, unsigned pe, bool is_signal)
{
	const unsigned number = race_lane_of(s);
	struct race_lane *lane = &s->lanes[number];
	struct race_open *open = lane->open, *end = lane->open + lane->nopen;

	race_tick(s); /* each operation has a time of its own: two of one caller may race */
	set_bit(s->has_open, number, true);
	set_bit(s->has_begun, number, true);
	while (open < end && (open->context != context || open->pe != pe))
		open++;
	if (open == end) {
		if (lane->nopen == RACE_NOPEN) /* the oldest counts as complete, which hides races */
			memmove(lane->open, lane->open + 1, --lane->nopen * sizeof *open), open--;
		*open = (struct race_open){.context = (uint8_t)context, .pe = (uint8_t)pe};
		lane->nopen++;
	}
	if (!open->first)
		open->first = open->signalled = s->now;
	open->last = s->now;
	if (!is_signal)
		open->signalled = s->now + 1;
}

/*
 * The fence of a thread of the program also covers what it knows of the other ones. These operations count as
 * complete from then on, which hides a get that comes before they are.
 */
static void fence_others(struct race_strand *s, unsigned context)
{
	struct race_exception e = {
		.pending = 1, .group = RACE_ANY, .context = (uint8_t)context, .pe = RACE_ANY};
	const struct race_strand *other;

	for (other = race_hosts; other; other = other->next) {
		e.strand = (uint16_t)other->number;
		e.upto = s->clock->time[other->number];
		if (other != s)
			race_clock_except(s->clock, &e);
	}
}

void race_fence(unsigned context)
{
	struct race_strand *s = race_enter();
	struct race_lane *lane;
	unsigned i;

	if (!s)
		return;
	lane = race_own_lane(s);
	for (i = 0; i < lane->nopen; i++)
		if (lane->open[i].context == context)
			lane->open[i].fenced = s->now;
	if (s->is_host)
		fence_others(s, context);
	race_tick(s);
	race_leave(s);
}

static bool is_among(int pe, const int *pes, size_t npes)
{
	size_t i;

	for (i = 0; pes && i < npes; i++)
		if (pes[i] == pe)
			return true;
	return !pes;
}

static void quiet(struct race_strand *s, unsigned number, unsigned context, const int *pes, size_t npes)
{
	struct race_lane *lane = &s->lanes[number];
	bool is_any_open = false;
	unsigned i;

	for (i = 0; i < lane->nopen; i++) {
		if (lane->open[i].context == context && is_among(lane->open[i].pe, pes, npes))
			lane->open[i].first = 0;
		is_any_open |= lane->open[i].first != 0;
	}
	lane->quieted = s->now;
	if (is_any_open)
		return;
	lane->nopen = 0;
	set_bit(s->has_open, number, false);
}

void race_complete_kernels(struct race_strand *s)
{
	struct race_exception e;
	uint32_t *time;
	unsigned i, n;

	n = (unsigned)race_npes * RACE_NSTRANDS;
	time = s->clock->time;
	for (i = (unsigned)race_me * RACE_NSTRANDS; i < ((unsigned)race_me + 1) * RACE_NSTRANDS; i++)
		if (i != s->number && time[n + i] < time[i])
			time[n + i] = time[i];
	for (i = s->clock->nexceptions; i-- > 0;) {
		e = s->clock->exceptions[i];
		if (e.pending || e.group != RACE_ANY || e.strand / RACE_NSTRANDS != race_me)
			continue;
		e.pending = 1;
		e.context = e.pe = RACE_ANY;
		race_clock_except(s->clock, &e);
	}
}

/* A host's quiet also covers kernels of its PE whose end it has seen, and what it knows of other threads. */
void race_quiet(unsigned context, const int *pes, size_t npes)
{
	struct race_strand *s = race_enter();

	if (!s)
		return;
	quiet(s, race_lane_of(s), context, pes, npes);
	race_tick(s);
	if (!s->began && !pes)
		race_complete_kernels(s);
	race_leave(s);
}

/* ---- telling ---- */

void race_except_own(struct race_strand *s, struct race_clock *clock, unsigned number, unsigned context,
	int pe, bool is_signal)
{
	const struct race_lane *lane = &s->lanes[number];
	struct race_exception e = {.strand = (uint16_t)s->number,
		.from = s->began,
		.upto = s->now,
		.group = s->began ? (uint8_t)(number / 64) : RACE_ANY,
		.lanes = UINT64_C(1) << number % 64,
		.pending = 1,
		.context = RACE_ANY,
		.pe = RACE_ANY};
	const struct race_open *open;
	unsigned i;

	for (i = 0; i < lane->nopen; i++)
		if (lane->open[i].first && lane->open[i].first <= e.upto)
			e.upto = lane->open[i].first - 1;
	race_clock_except(clock, &e);
	for (open = lane->open; open < lane->open + lane->nopen; open++) {
		e.context = open->context;
		e.pe = open->pe;
		e.from = s->began;
		e.upto = open->first ? open->first - 1 : open->last;
		race_clock_except(clock, &e);
		if (open->pe != pe || open->context != context)
			continue;
		e.upto = open->fenced;
		race_clock_except(clock, &e);
		if (is_signal) {
			e.from = open->signalled;
			e.upto = open->last;
			race_clock_except(clock, &e);
		}
	}
}

/* The lanes of a join that had completed all their operations when they met. */
static uint64_t completed(const struct race_strand *s, unsigned group, const struct join *j)
{
	uint64_t left = j->lanes & s->has_begun[group] & ~s->has_open[group], lanes = 0;

	for (; left; left &= left - 1)
		if (s->lanes[group * 64 + (unsigned)__builtin_ctzll(left)].quieted < j->time)
			lanes |= left & -left;
	return lanes;
}

void race_tell(struct race_strand *s, struct race_clock *clock, unsigned context, int pe, bool is_signal)
{
	const unsigned number = race_lane_of(s), group = number / 64;
	struct race_exception e = {.strand = (uint16_t)s->number, .from = s->began, .group = RACE_ANY};
	unsigned i;

	race_clock_copy(clock, race_clock_of(s, &s->lanes[number]));
	if (!s->began) {
		clock->time[s->number] = s->now;
	} else {
		e.upto = s->met - 1;
		race_clock_except(clock, &e);
		e.group = (uint8_t)group;
		for (i = 0; i < NJOINS; i++) {
			e.lanes = s->joins[group][i].lanes;
			if (!(e.lanes >> (number % 64) & 1))
				continue;
			e.upto = s->joins[group][i].time - 1;
			race_clock_except(clock, &e);
			e.lanes = completed(s, group, &s->joins[group][i]);
			e.pending = 1;
			e.context = e.pe = RACE_ANY;
			if (e.lanes)
				race_clock_except(clock, &e);
			e.pending = e.context = e.pe = 0;
		}
		e.lanes = UINT64_C(1) << number % 64;
		e.upto = s->now;
		race_clock_except(clock, &e);
	}
	race_except_own(s, clock, number, context, pe, is_signal);
	race_tick(s);
}
