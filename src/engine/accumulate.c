/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The owner's side of accumulates: updates elements of this PE's memory, each atomically with respect to all
 * PEs that update it, those that have mapped it, too. An operator that is an atomic is one for each word.
 * Others fold the elements of some words at once and compare and swap each word; a word that somebody has
 * changed in between is folded again. A word of 8 bytes may hold several elements, because atomics take most
 * of the time. Elements of 16 bytes are updated under the window's lock.
 */
#include "engine/connection.h"

#include <string.h>

#include <gshmem/move/carry.h>
#include <gshmem/move/copy.h>
#include <gshmem/win/operator.h>

#define SOME_NBYTES 128 /* of the words that are folded at once */

struct elements {
	struct gshmemi_win_update u; /* op may be GSHMEMI_ACCUMULATE_SWAP */
	char *there;
	const char *source; /* of NO_OP nothing */
	char *old;          /* NULL: the old elements are not wanted */
	size_t nbytes;
};

/* ---- atomics ---- */

#define UPDATE_WORDS(NBYTES, AMO) \
	for (i = 0; i < s->nbytes; i += NBYTES) { \
		uint64_t value = 0; \
\
		if ((AMO) != GSHMEMI_AMO_FETCH) \
			value = gshmemi_value_load(s->source + i, NBYTES); \
		value = gshmemi_amo_peer(AMO, s->there + i, value, 0, NBYTES); \
		if (s->old) \
			gshmemi_value_store(s->old + i, value, NBYTES); \
	}
#define UPDATE(AMO) \
	case AMO: \
		if (word_nbytes == 4) \
			UPDATE_WORDS(4, AMO) \
		else \
			UPDATE_WORDS(8, AMO) \
		return

/* A loop of its own for each atomic, so that it is an instruction. */
static void update_by_atomics(const struct elements *s, int amo, unsigned word_nbytes)
{
	size_t i;

	switch (amo) {
		UPDATE(GSHMEMI_AMO_ADD);
		UPDATE(GSHMEMI_AMO_AND);
		UPDATE(GSHMEMI_AMO_OR);
		UPDATE(GSHMEMI_AMO_XOR);
		UPDATE(GSHMEMI_AMO_FETCH);
	default:
		UPDATE(GSHMEMI_AMO_SWAP);
	}
}

/* ---- compare and swap ---- */

void gshmemi_net_fold(struct gshmemi_win_update u, char *acc, const char *x, size_t nbytes)
{
	size_t at;

	if (u.op == GSHMEMI_ACCUMULATE_SWAP) {
		if (u.nbytes > 8 ? gshmemi_win_is_same(u.kind, x + nbytes, acc)
				 : memcmp(acc, x + nbytes, nbytes) == 0)
			memcpy(acc, x, nbytes);
	} else if (u.op <= GSHMEMX_PROD) {
		gshmemi_fold(GSHMEMI_FOLD(u.op, u.kind), acc, x, nbytes);
	} else {
		for (at = 0; at < nbytes; at += u.nbytes)
			gshmemi_win_fold(u, acc + at, x + at);
	}
}

/* Some elements, from at on, in whole words; the first and the last word may hold neighbours, too. */
struct some {
	size_t at, nbytes;
	unsigned word_nbytes;
	unsigned inside; /* bytes of the first word in front of the first element */
	char word[SOME_NBYTES], updated[SOME_NBYTES];
};

/* Swaps one word of them, whatever others do to it meanwhile. got: what it holds instead of b->word. */
static void swap_again(const struct elements *s, struct some *b, size_t from, uint64_t got)
{
	const unsigned nbytes = b->word_nbytes;
	const size_t begin = from ? from : b->inside,
		     end = from + nbytes < b->inside + b->nbytes ? from + nbytes : b->inside + b->nbytes;
	char *const there = s->there + b->at - b->inside + from;
	uint64_t found;

	do {
		found = got;
		gshmemi_value_store(b->word + from, found, nbytes);
		gshmemi_value_store(b->updated + from, found, nbytes);
		gshmemi_net_fold(
			s->u, b->updated + begin, s->source + b->at + begin - b->inside, end - begin);
		got = gshmemi_amo_peer(
			GSHMEMI_AMO_CAS, there, gshmemi_value_load(b->updated + from, nbytes), found, nbytes);
	} while (got != found);
}

/* Loops of their own for words of 4 and 8 bytes, with the first try of each word. */
#define SWAP_SOME(NBYTES) \
	do { \
		for (i = 0; i < end; i += NBYTES) \
			gshmemi_value_store(b.word + i, gshmemi_arch_load(there + i, NBYTES), NBYTES); \
		memcpy(b.updated, b.word, end); \
		gshmemi_net_fold(s->u, b.updated + b.inside, s->source + b.at, b.nbytes); \
		for (i = 0; i < end; i += NBYTES) { \
			found = gshmemi_value_load(b.word + i, NBYTES); \
			got = gshmemi_amo_peer(GSHMEMI_AMO_CAS, there + i, \
				gshmemi_value_load(b.updated + i, NBYTES), found, NBYTES); \
			if (__builtin_expect(got != found, 0)) \
				swap_again(s, &b, i, got); \
		} \
	} while (0)

static void update_by_swaps(const struct elements *s, unsigned word_nbytes)
{
	uint64_t found, got;
	struct some b;
	char *there;
	size_t i, end;

	b.word_nbytes = word_nbytes;
	for (b.at = 0; b.at < s->nbytes; b.at += b.nbytes) {
		b.inside = (unsigned)((uintptr_t)(s->there + b.at) & (b.word_nbytes - 1));
		b.nbytes =
			s->nbytes - b.at < SOME_NBYTES - b.inside ? s->nbytes - b.at : SOME_NBYTES - b.inside;
		there = s->there + b.at - b.inside;
		end = (b.inside + b.nbytes + b.word_nbytes - 1) & ~(size_t)(b.word_nbytes - 1);
		if (b.word_nbytes == 4)
			SWAP_SOME(4);
		else
			SWAP_SOME(8);
		if (s->old)
			memcpy(s->old + b.at, b.word + b.inside, b.nbytes);
	}
}

/* ---- words of 4 and 8 bytes ---- */

/* Some of the elements, in words of this size. Two sums in a word are no addition of the word. */
static void update_words(const struct elements *s, int amo, size_t from, size_t nbytes, unsigned word_nbytes)
{
	struct elements part = *s;

	part.there += from;
	part.source += from;
	part.old = s->old ? s->old + from : NULL;
	part.nbytes = nbytes;
	if (amo < 0 || (amo == GSHMEMI_AMO_ADD && word_nbytes > s->u.nbytes))
		update_by_swaps(&part, word_nbytes);
	else
		update_by_atomics(&part, amo, word_nbytes);
}

/* Words of 8 bytes, and those of 4 at both ends, so that no word reaches farther than it must. */
static void update_elements(const struct elements *s, int amo)
{
	const size_t before = -(uintptr_t)s->there & 7, head = before < s->nbytes ? before : s->nbytes,
		     tail = (s->nbytes - head) & 7;

	update_words(s, amo, 0, head, 4);
	update_words(s, amo, head, s->nbytes - head - tail, 8);
	update_words(s, amo, s->nbytes - tail, tail, 4);
}

/* ---- elements of 16 bytes ---- */

/* Under the lock, which the caller holds. */
static void update_wide(const struct elements *s)
{
	char word[SOME_NBYTES], updated[SOME_NBYTES];
	size_t i, n;

	gshmemi_arch_fence_acquire(); /* pairs with the release of the last holder */
	for (i = 0; i < s->nbytes; i += n) {
		n = s->nbytes - i < SOME_NBYTES ? s->nbytes - i : SOME_NBYTES;
		gshmemi_apply_copy(GSHMEMI_FROM_PEER, word, s->there + i, n);
		memcpy(updated, word, n);
		gshmemi_net_fold(s->u, updated, s->source + i, n);
		gshmemi_apply_copy(GSHMEMI_TO_PEER, s->there + i, updated, n);
		if (s->old)
			memcpy(s->old + i, word, n);
	}
}

/* ---- records ---- */

static uint64_t *lock_of(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	return (uint64_t *)(void *)e->config.owner.find(
		e->config.owner.user, c->pe, GSHMEMI_REGION_CONTROL, r->u.elements.lock, sizeof(uint64_t));
}

/*
 * Whoever holds the lock of elements of 16 bytes has mapped this PE's memory, and needs nothing of this
 * engine to give it back.
 */
bool gshmemi_net_update(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const int op = gshmemi_op_op(r->head);
	const unsigned elem_nbytes = gshmemi_op_word_nbytes(r->head);
	const int kind = (int)(r->place >> GSHMEMI_OP_NBYTES_SHIFT);
	const bool is_swap = op == GSHMEMI_ACCUMULATE_SWAP;
	const int amo = is_swap || elem_nbytes < 4 ? -1 : gshmemi_win_native(op, kind);
	struct elements s = {
		.u = gshmemi_win_make_update(op, kind, elem_nbytes),
		.there = gshmemi_net_find(e, c, r),
		.source = gshmemi_wire_data(r),
		.nbytes = gshmemi_wire_place_nbytes(r->head),
	};
	uint64_t *const lock = elem_nbytes > 8 ? lock_of(e, c, r) : NULL;

	if (lock && gshmemi_amo_peer(GSHMEMI_AMO_CAS, lock, 1, 0, 8))
		return false;
	if (gshmemi_wire_is_answered(r->head) &&
		!(s.old = gshmemi_net_answer(e, c, *gshmemi_wire_cookie(r), s.nbytes))) {
		if (lock)
			gshmemi_arch_store(lock, 0, 8);
		return false;
	}
	/* whoever sees one of these elements sees what came before it */
	gshmemi_arch_fence_release();
	if (lock)
		update_wide(&s);
	else
		update_elements(&s, amo);
	if (lock) {
		gshmemi_arch_fence_release();
		gshmemi_arch_store(lock, 0, 8);
	}
	e->counts.natomics_performed++;
	return true;
}
