/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words by which one PE tells another: flags of barriers, signals, atomics, values of at most 8 bytes. Whoever
 * changes such a word tells what it knows. Whoever reads a value, and then acquires, learns what was told
 * until the word had that value: a waiter that is late must not learn what a later barrier has told. The last
 * values are remembered. If there are too many words some share a place, and who reads one of them learns what
 * was told by any: that hides races, and reports no false one.
 */
#include <time.h>

#include "runtime.h"
#include "race/race.h"
#include "race/shared.h"

struct race_word *race_word_find(const struct race_place *at, bool create)
{
	const uint64_t key = 1 + race_place_key(at), first = race_hash(key) >> 32;
	struct race_word *w;
	uint64_t n, none;

	for (n = 0; n < RACE_NTRIES; n++) {
		w = &race_shared->words[(first + n) % RACE_NWORDS];
		none = 0;
		if (w->key == key)
			return w;
		if (w->key)
			continue;
		if (!create)
			return NULL;
		if (atomic_compare_exchange_strong(&w->key, &none, key) || none == key)
			return w;
	}
	w = &race_shared->words[first % RACE_NWORDS];
	if (create)
		w->is_shared = true;
	return w->is_shared ? w : NULL;
}

/*
 * A lock is held for a moment, unless its holder has lost its core, and a yield may pass a core on only to
 * threads of the same PE (lane.c, idle). So a thread that waits for longer sleeps.
 */
void race_lock(_Atomic uint8_t *lock)
{
	const struct timespec nap = {0, 20000};
	unsigned n = 0;
	uint8_t none = 0;

	while (!atomic_compare_exchange_weak_explicit(
		lock, &none, 1, memory_order_acquire, memory_order_relaxed)) {
		none = 0;
		if (++n % 64)
			hipcpu_relax();
		else
			nanosleep(&nap, NULL);
	}
}

void race_unlock(_Atomic uint8_t *lock)
{
	atomic_store_explicit(lock, 0, memory_order_release);
}

void race_word_lock(struct race_word *w)
{
	race_lock(&w->lock);
}

void race_word_unlock(struct race_word *w)
{
	race_unlock(&w->lock);
}

void race_word_tell(
	struct race_word *w, struct race_strand *s, uint64_t value, unsigned context, int pe, bool is_signal)
{
	struct race_clock *told = race_snapshot(w, w->nsnapshots);

	race_tell(s, told, context, pe, is_signal);
	if (w->nsnapshots)
		race_clock_join(told, race_snapshot(w, w->nsnapshots - 1));
	w->values[w->nsnapshots++ % RACE_NSNAPSHOTS] = value;
}

void race_word_learn(struct race_word *w, struct race_strand *s, uint64_t value, const struct race_place *at)
{
	uint32_t n;
	unsigned i, least;

	race_word_lock(w);
	n = w->nsnapshots;
	least = n < RACE_NSNAPSHOTS ? n : RACE_NSNAPSHOTS;
	for (i = 1; i <= least && !w->is_shared && w->values[(n - i) % RACE_NSNAPSHOTS] != value; i++)
		;
	if (i > least) /* an older value than those that are known, or one that somebody has stored */
		i = 1;
	if (n)
		race_learn_snapshot(s, w, n - i);
	race_word_unlock(w);
	race_settle(at);
}

static int64_t widen(uint64_t value, unsigned nbytes, bool is_signed)
{
	const unsigned shift = 64 - 8 * nbytes;

	return (int64_t)((value << shift) ^ (is_signed ? 0 : UINT64_C(1) << 63));
}

void race_word_learn_least(struct race_word *w, struct race_strand *s, uint64_t least, unsigned nbytes,
	bool is_signed, const struct race_place *at)
{
	int64_t value, later = INT64_MAX;
	uint32_t i, found, first;

	race_word_lock(w);
	first = w->nsnapshots < RACE_NSNAPSHOTS ? 0 : w->nsnapshots - RACE_NSNAPSHOTS;
	found = w->nsnapshots - 1;
	for (i = w->nsnapshots; i > first && !w->is_shared; i--) {
		value = widen(w->values[(i - 1) % RACE_NSNAPSHOTS], nbytes, is_signed);
		if (value > later || value < widen(least, nbytes, is_signed))
			break; /* it fell since: the flag is another team's now */
		later = value;
		found = i - 1;
	}
	if (w->nsnapshots)
		race_learn_snapshot(s, w, found);
	race_word_unlock(w);
	race_settle(at);
}
