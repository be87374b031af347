/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses to memory that is not symmetric. Those of operations, their local ends, are remembered: of nbi
 * calls until they are complete, and, as soon as the program has threads, of all calls, because another thread
 * may not know. Then the threads' own last accesses are remembered, too, since a thread may have read what
 * another one's get writes. Races among these are for ThreadSanitizer.
 */
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "runtime.h"
#include "race/race.h"

#define MOST_ENDS 1024 /* with threads */
#define NLAST     1024 /* accesses of threads */

struct local {
	const char *base;
	uint64_t nbytes; /* 0: free */
	enum race_kind kind;
	uint32_t source;
	struct race_access access;
};

static struct local *ends;
static size_t nends, capacity;
static struct local last[NLAST];
static unsigned nlast;                            /* so far; a ring */
static _Atomic uintptr_t low = UINTPTR_MAX, high; /* no end lies outside */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool race_is_local_end(const void *address)
{
	const uintptr_t first = atomic_load_explicit(&low, memory_order_relaxed);

	return ((uintptr_t)address >= first &&
		       (uintptr_t)address < atomic_load_explicit(&high, memory_order_relaxed)) ||
		(race_has_threads && !hipcpu_block);
}

static void add_end(const struct local *end)
{
	const uintptr_t base = (uintptr_t)end->base;

	if (nends == MOST_ENDS && race_has_threads)
		memmove(ends, ends + 1, --nends * sizeof *ends);
	ends = race_grow(ends, nends, &capacity, sizeof *ends);
	ends[nends++] = *end;
	if (base < low)
		low = base;
	if (base + end->nbytes > high)
		high = base + end->nbytes;
}

static void add_last(const struct local *access)
{
	struct local *before = &last[(nlast - 1) % NLAST];

	if (!nlast || before->base != access->base || before->nbytes != access->nbytes ||
		before->kind != access->kind || before->access.strand != access->access.strand)
		before = &last[nlast++ % NLAST];
	*before = *access;
}

static bool overlap(const struct local *a, const struct local *b)
{
	return a->base < b->base + b->nbytes && b->base < a->base + a->nbytes;
}

static bool may_race(const struct local *a, const struct local *b)
{
	return overlap(a, b) && (race_writes(a->kind) || race_writes(b->kind));
}

static struct race_pair pair_of(const struct local *a, const struct local *b)
{
	return (struct race_pair){a->access, b->access, a->kind, b->kind, a->source, b->source, {.pe = -1},
		b->base, (unsigned)(a->nbytes < b->nbytes ? a->nbytes : b->nbytes)};
}

/* Of a program with one thread those that it knows to be complete are forgotten. */
static void check_ends(struct race_strand *s, const struct local *now, struct race_pair *pair)
{
	size_t i, n = 0;

	for (i = 0; i < nends; i++) {
		if (!race_knows(s, &ends[i].access, -1, 0)) {
			if (may_race(&ends[i], now))
				*pair = pair_of(&ends[i], now);
		} else if (!race_has_threads) {
			continue;
		}
		ends[n++] = ends[i];
	}
	nends = n;
	if (!n) {
		low = UINTPTR_MAX;
		high = 0;
	}
}

static void check_last(struct race_strand *s, const struct local *now, struct race_pair *pair)
{
	struct local *l;

	for (l = last; l < last + NLAST; l++)
		if (l->nbytes && may_race(l, now) && !race_knows(s, &l->access, -1, 0))
			*pair = pair_of(l, now);
}

void race_touch_private(struct race_strand *s, const void *address, uint64_t nbytes, enum race_kind kind,
	const struct race_access *a, uint32_t source, bool is_end)
{
	const struct local now = {address, nbytes, kind, source, *a};
	struct race_pair pair = {.nbytes = 0};

	pthread_mutex_lock(&lock);
	check_ends(s, &now, &pair);
	if (is_end && race_has_threads)
		check_last(s, &now, &pair);
	if (is_end && (a->is_pending || (race_has_threads && race_is_host(s))))
		add_end(&now);
	else if (race_has_threads && race_is_host(s))
		add_last(&now);
	pthread_mutex_unlock(&lock);
	if (pair.nbytes)
		race_report(s, &pair);
}

void hipcpu_race_fresh(void *base, size_t nbytes)
{
	const struct local gone = {.base = base, .nbytes = nbytes};
	size_t i, n = 0;
	struct local *l;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nends; i++)
		if (!overlap(&ends[i], &gone))
			ends[n++] = ends[i];
	nends = n;
	for (l = last; l < last + NLAST; l++)
		if (overlap(l, &gone))
			l->nbytes = 0;
	pthread_mutex_unlock(&lock);
}
