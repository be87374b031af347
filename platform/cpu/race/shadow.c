/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shadow: the last accesses to each 8 bytes of symmetric memory, four of them. An access replaces what it
 * makes needless: an earlier one that it knows, of no more bytes, unless that one wrote and this one reads.
 * Otherwise one of the four is lost, which is counted.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"
#include "race/race.h"
#include "race/shared.h"

#define NCELLS 4

struct cell {
	uint32_t time; /* 0: free */
	uint32_t source;
	uint16_t strand, lane;
	uint8_t mask; /* of the 8 bytes */
	uint8_t kind : 4, is_pending : 1;
	uint8_t context, pe;
};
_Static_assert(sizeof(struct cell) == 16, "a cell has 16 bytes");

/* A PE's part of a region. */
struct part {
	int pe;
	unsigned region;
	const char *base; /* here */
	uint64_t nbytes;
	struct cell *cells; /* [nbytes / 8][NCELLS]; NULL: a region in which only words are watched */
};

static struct part *parts; /* written with the lock; readers see a whole table */
static unsigned nparts;
static uintptr_t low = UINTPTR_MAX, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct part *find_part(const void *address)
{
	unsigned i;

	if ((uintptr_t)address - low >= high - low)
		return NULL;
	for (i = 0; i < nparts; i++)
		if ((uint64_t)((const char *)address - parts[i].base) < parts[i].nbytes)
			return &parts[i];
	return NULL;
}

bool race_find(const void *address, struct race_place *place)
{
	const struct part *part = find_part(address);

	if (part)
		*place = (struct race_place){
			part->pe, part->region, (uint64_t)((const char *)address - part->base)};
	return part != NULL;
}

static const struct part *part_of(const struct race_place *at)
{
	unsigned i;

	for (i = 0; i < nparts; i++)
		if (parts[i].region == at->region && parts[i].pe == at->pe)
			return &parts[i];
	return NULL;
}

bool race_has_cells(const struct race_place *at)
{
	const struct part *part = part_of(at);

	return part && part->cells;
}

static void set_bounds(void)
{
	uintptr_t least = UINTPTR_MAX, most = 0;
	unsigned i;

	for (i = 0; i < nparts; i++) {
		least = (uintptr_t)parts[i].base < least ? (uintptr_t)parts[i].base : least;
		most = (uintptr_t)parts[i].base + parts[i].nbytes > most
			? (uintptr_t)parts[i].base + parts[i].nbytes
			: most;
	}
	high = most;
	low = least;
}

/* The old table stays, because a thread may be reading it. */
static struct part *add_part(void)
{
	static unsigned capacity;
	struct part *grown;

	if (nparts == capacity) {
		capacity = capacity ? 2 * capacity : 64;
		grown = calloc(capacity, sizeof *grown);
		if (!grown)
			hipcpu_trap("the race detector: out of memory");
		if (nparts)
			memcpy(grown, parts, nparts * sizeof *grown);
		parts = grown;
	}
	return &parts[nparts];
}

static uint64_t cells_nbytes(uint64_t nbytes)
{
	return (nbytes + 7) / 8 * NCELLS * sizeof(struct cell);
}

void gshmemi_detector_part(int pe, unsigned region, const void *base, uint64_t nbytes, int has_cells)
{
	struct part *part;
	unsigned i;

	if (!race_shared)
		return;
	pthread_mutex_lock(&lock);
	for (i = 0; i < nparts && !(parts[i].region == region && parts[i].pe == pe); i++)
		;
	if (i == nparts && nbytes) {
		part = add_part();
		*part = (struct part){pe, region, base, nbytes, NULL};
		if (has_cells && !(part->cells = race_shared_part(region, pe, cells_nbytes(nbytes))))
			hipcpu_trap("races: the shadow of symmetric memory does not fit (ulimit -v)");
		nparts++;
		set_bounds();
	}
	pthread_mutex_unlock(&lock);
}

void gshmemi_detector_remove(unsigned region)
{
	unsigned i, n = 0;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nparts; i++) {
		if (parts[i].region != region)
			parts[n++] = parts[i];
		else if (parts[i].cells)
			race_shared_drop(region, parts[i].pe, parts[i].cells, cells_nbytes(parts[i].nbytes));
	}
	nparts = n;
	set_bounds();
	pthread_mutex_unlock(&lock);
}

void race_parts_forget(void)
{
	pthread_mutex_lock(&lock);
	nparts = 0;
	set_bounds();
	pthread_mutex_unlock(&lock);
}

/* ---- an access ---- */

static bool is_atomic(enum race_kind kind)
{
	return kind == RACE_LOOK || kind == RACE_ATOMIC;
}

static bool is_element(enum race_kind kind)
{
	return kind == RACE_PEEK || kind == RACE_ELEMENT;
}

/*
 * Whether two accesses race that nothing orders. Two atomics do so if one covers a part of the other,
 * accumulates of windows do not.
 */
enum verdict { NO, IF_TYPES_DIFFER, YES };
static enum verdict judge(const struct cell *c, enum race_kind kind, uint8_t mask)
{
	if (!c->time || !(c->mask & mask) || (!race_writes(kind) && !race_writes(c->kind)))
		return NO;
	if (is_element(kind) && is_element(c->kind))
		return NO;
	if (!is_atomic(kind) || !is_atomic(c->kind) || c->mask != mask)
		return YES;
	return kind == RACE_ATOMIC && c->kind == RACE_ATOMIC ? IF_TYPES_DIFFER : NO;
}

/* Of an operation that reads: no fence orders it. */
static struct race_access access_of(const struct cell *c)
{
	return (struct race_access){
		c->time, c->strand, c->lane, c->is_pending, !race_writes(c->kind), c->context, c->pe};
}

static _Atomic uint8_t *lock_of(const struct race_place *at)
{
	return &race_shared->locks[race_hash(race_place_key(at) / 8) >> 32 & (RACE_NLOCKS - 1)];
}

/* Whether this access makes the cell needless. */
static bool replaces(const struct cell *c, enum race_kind kind, uint8_t mask, bool is_known)
{
	return !c->time ||
		(is_known && !(c->mask & ~mask) && (race_writes(kind) || !race_writes(c->kind)) &&
			(!is_atomic(kind) || c->kind != RACE_WRITE) &&
			(!is_element(kind) || is_element(c->kind)));
}

static void touch_cells(struct race_strand *s, struct cell *cells, const struct race_place *at, uint8_t mask,
	enum race_kind kind, const struct race_access *a, uint32_t source)
{
	_Atomic uint8_t *l = lock_of(at);
	struct cell *c, *to = NULL;
	struct race_pair pair;
	struct race_access old;
	enum verdict verdict, worst = NO;
	bool is_known;

	for (c = cells; c < cells + NCELLS; c++) /* the same again */
		if (c->time == a->time && c->strand == a->strand && c->lane == a->lane && c->kind == kind &&
			c->is_pending == a->is_pending && !(mask & ~c->mask))
			return;
	race_lock(l);
	for (c = cells; c < cells + NCELLS; c++) {
		old = access_of(c);
		is_known =
			c->time && race_knows(s, &old, a->is_pending && !a->is_get ? a->pe : -1, a->context);
		verdict = is_known ? NO : judge(c, kind, mask);
		if (verdict > worst) {
			worst = verdict;
			pair = (struct race_pair){old, *a, c->kind, kind, c->source, source, *at, NULL,
				(unsigned)__builtin_popcount(c->mask & mask)};
		}
		if (!replaces(c, kind, mask, is_known))
			continue;
		c->time = 0;
		to = to ? to : c;
	}
	if (!to) {
		to = &cells[a->time % NCELLS];
		atomic_fetch_add_explicit(&race_shared->nevicted, 1, memory_order_relaxed);
	}
	*to = (struct cell){.time = a->time,
		.source = source,
		.strand = a->strand,
		.lane = a->lane,
		.mask = mask,
		.kind = kind,
		.is_pending = a->is_pending,
		.context = a->context,
		.pe = a->pe};
	race_unlock(l);
	if (worst == YES || (worst == IF_TYPES_DIFFER && race_kinds_differ(pair.a_source, pair.b_source)))
		race_report(s, &pair);
}

void race_touch(struct race_strand *s, const struct race_place *at, uint64_t nbytes, enum race_kind kind,
	const struct race_access *a, uint32_t source)
{
	const struct part *part = part_of(at);
	struct race_place here = *at;
	uint64_t left = nbytes;
	unsigned inside, n;

	if (!part || !part->cells || at->offset + nbytes > part->nbytes)
		return;
	for (; left; left -= n, here.offset += n) {
		inside = here.offset % 8;
		n = left < 8 - inside ? (unsigned)left : 8 - inside;
		touch_cells(s, part->cells + here.offset / 8 * NCELLS, &here,
			(uint8_t)(((1U << n) - 1) << inside), kind, a, source);
	}
}

void race_settle(const struct race_place *word)
{
	const struct part *part = part_of(word);
	_Atomic uint8_t *l = lock_of(word);
	struct cell *c, *cells;

	if (!part || !part->cells)
		return;
	cells = part->cells + word->offset / 8 * NCELLS;
	race_lock(l);
	for (c = cells; c < cells + NCELLS; c++)
		if (c->kind >= RACE_VALUE)
			c->is_pending = false;
	race_unlock(l);
}
