/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The carrier that watches (include/gshmem/move/carry.h): it performs each operation at once, and records what
 * it reads and writes, here and there. A put is pending there, and over here when it returns unless it is nbi.
 * An atomic that fetches, and a get, are over when they return.
 */
#include <string.h>

#define GSHMEMI_LIBRARY 1
#include <gshmem.h>

extern struct gshmemi_state gshmemi_state __asm__("gshmemi_library_state"); /* as src/base/base.h has it */
#include <gshmem/move/carry.h>

#include "runtime.h"
#include "race/race.h"

static __thread bool is_applying HIPCPU_TLS;

/* The part that the next operation is of an accumulate: of its first word, or of all that it moves. */
static __thread struct element {
	unsigned first, nbytes; /* nbytes 0: it is none */
	enum race_kind kind;
} next HIPCPU_TLS;
static const struct element none;

void hipcpu_race_element(unsigned first, unsigned nbytes, int reads)
{
	next = (struct element){first, nbytes, reads ? RACE_PEEK : RACE_ELEMENT};
}

static uint8_t context_of(const struct gshmemi_operation *o)
{
	return (uint8_t)(gshmemi_pe_context(o->pe) % RACE_ANY);
}

/* Where a block is. Memory of a window may belong to the heap, too, so the address decides. */
static struct race_place place_of(const struct gshmemi_operation *o, const char *base, uint64_t block)
{
	const uint64_t offset = o->offset + block * (uint64_t)o->stride;
	struct race_place at;

	if (!race_find(base + offset, &at))
		at = (struct race_place){gshmemi_pe_in_world(o->pe), o->region, offset};
	return at;
}

/* The local ends. */
static void touch_local(struct race_strand *s, const struct gshmemi_operation *o, enum race_kind kind,
	const struct race_access *a, uint32_t source)
{
	struct race_place at;
	uint64_t i;

	for (i = 0; i < o->nblocks; i++) {
		const char *const local = (char *)o->local + (int64_t)i * o->local_stride;

		if (race_find(local, &at))
			race_touch(s, &at, o->nbytes, kind, a, source);
		else if (a->is_pending || race_is_local_end(local))
			race_touch_private(s, local, o->nbytes, kind, a, source, true);
	}
}

/* element: of an accumulate, which touches nothing else of its words. */
static void touch_remote(struct race_strand *s, const struct gshmemi_operation *o, const char *base,
	enum race_kind kind, const struct element *element, const struct race_access *a, uint32_t source)
{
	struct race_place at;
	uint64_t i;

	for (i = 0; i < o->nblocks; i++) {
		at = place_of(o, base, i);
		if (element->nbytes) {
			at.offset += element->first;
			race_touch(s, &at, element->nbytes, element->kind, a, source);
		} else {
			race_touch(s, &at, o->nbytes, kind, a, source);
		}
	}
}

/* Performs what changes a word, and tells by it what the caller knows. */
static uint64_t change_word(
	struct race_strand *s, const struct gshmemi_operation *o, char *base, bool is_signal)
{
	const struct race_place at = place_of(o, base, 0);
	struct race_word *w = race_word_find(&at, true);
	uint64_t old;

	race_word_lock(w);
	gshmemi_arch_fence_release();
	is_applying = true; /* what the flag's update reads tells the caller nothing */
	old = gshmemi_apply(o, base, NULL);
	is_applying = false;
	race_word_tell(w, s, gshmemi_arch_load_quietly(base + o->offset, (unsigned)o->nbytes), context_of(o),
		at.pe, is_signal);
	race_word_unlock(w);
	return old;
}

static bool is_word(const struct gshmemi_operation *o)
{
	return o->nblocks == 1 && o->nbytes <= 8 && !(o->nbytes & (o->nbytes - 1)) &&
		o->offset % o->nbytes == 0;
}

static void put(struct race_strand *s, const struct gshmemi_operation *o, char *base,
	const struct element *element, const struct race_access *over, const struct race_access *pending,
	uint32_t source)
{
	touch_local(s, o, RACE_READ, o->is_nbi ? pending : over, source);
	touch_remote(s, o, base, is_word(o) ? RACE_VALUE : RACE_WRITE, element, pending, source);
	if (o->what != GSHMEMI_PUT_SIGNAL && is_word(o))
		(void)change_word(s, o, base, false);
}

/* Performs an operation and records it. Returns the old value of an atomic. */
static uint64_t watch(struct race_strand *s, const struct gshmemi_operation *o, char *base, char *sig_base,
	const struct element *element, uint32_t source)
{
	const struct race_place at = place_of(o, base, 0);
	struct race_access over, pending;
	struct gshmemi_operation signal;
	struct race_word *w;
	uint64_t old = 0;

	if (o->what != GSHMEMI_FLAG && (o->what != GSHMEMI_AMO || !o->fetches) &&
		(!gshmemi_is_get(o->what) || o->is_nbi))
		race_opened(s, context_of(o), (unsigned)gshmemi_pe_in_world(o->pe),
			o->what == GSHMEMI_PUT_SIGNAL);
	over = pending = race_now(s);
	pending.is_pending = true;
	pending.is_get = gshmemi_is_get(o->what) != 0;
	over.context = pending.context = context_of(o);
	over.pe = pending.pe = (uint8_t)gshmemi_pe_in_world(o->pe);
	switch (o->what) {
	case GSHMEMI_FLAG:
		return change_word(s, o, base, false);
	case GSHMEMI_AMO:
		touch_remote(s, o, base, o->op == GSHMEMI_AMO_FETCH ? RACE_LOOK : RACE_ATOMIC, element,
			o->fetches ? &over : &pending, source);
		if (o->local)
			touch_local(s, o, RACE_WRITE, o->fetches ? &over : &pending, source);
		old = change_word(s, o, base, false);
		if (o->fetches)
			race_note(s, race_word_find(&at, true), old, &at);
		if (o->local)
			memcpy(o->local, &old, o->nbytes);
		return old;
	case GSHMEMI_GET:
		if (is_word(o) && at.pe == race_me && !o->is_nbi) { /* gshmem_signal_fetch on the host */
			touch_remote(s, o, base, RACE_LOOK, element, &over, source);
			touch_local(s, o, RACE_WRITE, &over, source);
			(void)gshmemi_apply(o, base, sig_base);
			if ((w = race_word_find(&at, false)))
				race_note(
					s, w, gshmemi_arch_load_quietly(o->local, (unsigned)o->nbytes), &at);
			hipcpu_race_acquire();
			return 0;
		} /* fall through */
	case GSHMEMI_GET_BLOCKS:
		touch_remote(s, o, base, RACE_READ, element, o->is_nbi ? &pending : &over, source);
		touch_local(s, o, RACE_WRITE, o->is_nbi ? &pending : &over, source);
		return gshmemi_apply(o, base, sig_base);
	case GSHMEMI_PUT_SIGNAL:
		put(s, o, base, element, &over, &pending, source);
		signal = *o;
		signal.what = GSHMEMI_PUT;
		(void)gshmemi_apply(&signal, base, NULL);
		signal = gshmemi_signal_of(o);
		touch_remote(s, &signal, sig_base, RACE_ATOMIC, &none, &pending, source);
		(void)change_word(s, &signal, sig_base, true);
		return 0;
	default:
		put(s, o, base, element, &over, &pending, source);
		return is_word(o) ? 0 : gshmemi_apply(o, base, sig_base);
	}
}

uint64_t gshmemi_delivery_carry(const struct gshmemi_operation *o, char *base, char *sig_base)
{
	struct race_strand *s = race_enter();
	const struct element element = next;
	uint64_t old;

	next = none;
	if (!s || !o->nbytes)
		old = gshmemi_apply(o, base, sig_base);
	else
		old = watch(s, o, base, sig_base, &element,
			race_source(__builtin_frame_address(0), __builtin_return_address(0)));
	race_leave(s);
	return old;
}

void gshmemi_delivery_order(int context)
{
	race_fence((unsigned)context % RACE_ANY);
}

void gshmemi_delivery_complete(int context, const int *target_pes, size_t npes)
{
	race_quiet((unsigned)context % RACE_ANY, target_pes, npes);
}

void gshmemi_delivery_flush(void) {}

void gshmemi_delivery_stop(void) {}

/* ---- what gshmem's headers call, in a program that is watched ---- */

/* A read of a word that others change, such as one for which the caller waits. */
uint64_t hipcpu_race_load(const void *address, unsigned nbytes)
{
	struct race_strand *s;
	struct race_word *w;
	struct race_place at;
	uint64_t value;

	value = gshmemi_arch_load_quietly(address, nbytes);
	if (is_applying || !race_find(address, &at) || !(w = race_word_find(&at, false)) ||
		!(s = race_enter()))
		return value;
	race_note(s, w, value, &at);
	race_leave(s);
	return value;
}

/*
 * The caller has waited until the word had at least this value; that it has another one by now is chance. Only
 * the library's own flags, which never fall: a program may set its words back.
 */
void hipcpu_race_waited(const void *word, unsigned nbytes, int is_signed, uint64_t least)
{
	struct race_strand *s;
	struct race_word *w;
	struct race_place at;

	if (!race_find(word, &at) || race_has_cells(&at) || !(w = race_word_find(&at, false)) ||
		!(s = race_enter()))
		return;
	race_word_learn_least(w, s, least, nbytes, is_signed != 0, &at);
	race_unnote(s, w);
	race_leave(s);
}
