/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates on memory that only the device reaches (agent.h). Waves that serve mail know atomics alone,
 * because each operator there would cost registers in every kernel that waits. So the engine sends mails,
 * many at a time, for the words of the elements:
 *
 *   an operator that is an atomic    it
 *   another one                      fetch the words; fold here; compare and swap each word, and again those
 *                                    that somebody has changed in between
 *   elements of 16 bytes             take the window's lock; fetch; fold here; set the words; give it back
 *
 * An accumulate of many words is a kernel of the agent, if the GPU has room for it now. The record stays at
 * the head of its stream meanwhile.
 */
#include "engine/connection.h"

#include <stdlib.h>
#include <string.h>

#include <gshmem/move/copy.h>
#include <gshmem/move/carry.h>
#include <gshmem/win/operator.h>

#define NMAILS        32 /* open at a time */
/* From so many bytes on a kernel makes less work: the bus carries each mail to it and back. */
#define KERNEL_NBYTES 512

enum phase { TAKE_LOCK, FETCH_WORDS, SWAP_WORDS, SET_WORDS, UPDATE_WORDS, GIVE_LOCK, ANSWER };

struct mail {
	uint64_t ticket;
	unsigned word;
};

/* The record at the head of a connection's stream. */
struct gshmemi_drive {
	enum phase phase;
	struct gshmemi_kernel_update *kernel; /* NULL: mails perform it */
	struct gshmemi_win_update u;
	uint64_t offset; /* of the first word in its region */
	unsigned word_nbytes, nwords;
	unsigned inside; /* bytes of the first word in front of the first element */
	unsigned next;   /* the next word of this phase */
	struct mail mails[NMAILS];
	unsigned first, nmails; /* those open, a ring */
	bool is_locked;         /* TAKE_LOCK has found the lock free */
	bool *is_over;          /* [nwords] SWAP_WORDS */
	char *words;            /* as last seen */
	char *updated;          /* SET_WORDS */
};

static struct gshmemi_drive *begin_drive(const struct gshmemi_op_record *r)
{
	const unsigned elem_nbytes = gshmemi_op_word_nbytes(r->head);
	const unsigned word_nbytes = elem_nbytes < 4 ? 4 : elem_nbytes < 8 ? elem_nbytes : 8;
	const uint64_t offset = r->place & GSHMEMI_OP_OFFSET;
	const unsigned inside = (unsigned)(offset & (word_nbytes - 1));
	const size_t nwords = (inside + gshmemi_wire_place_nbytes(r->head) + word_nbytes - 1) / word_nbytes;
	struct gshmemi_drive *d = calloc(1, sizeof *d + nwords * (2 * word_nbytes + sizeof(bool)));
	const int op = gshmemi_op_op(r->head);

	if (!d)
		return NULL;
	d->u = gshmemi_win_make_update(op, (int)(r->place >> GSHMEMI_OP_NBYTES_SHIFT), elem_nbytes);
	d->offset = offset - inside;
	d->inside = inside;
	d->word_nbytes = word_nbytes;
	d->nwords = (unsigned)nwords;
	d->words = (char *)(d + 1);
	d->updated = d->words + nwords * word_nbytes;
	d->is_over = (bool *)(d->updated + nwords * word_nbytes);
	if (elem_nbytes > 8)
		d->phase = TAKE_LOCK;
	else if (op != GSHMEMI_ACCUMULATE_SWAP && elem_nbytes >= 4 && gshmemi_win_native(op, d->u.kind) >= 0)
		d->phase = UPDATE_WORDS;
	else
		d->phase = FETCH_WORDS;
	return d;
}

/* What a word should become. */
static uint64_t fold_word(const struct gshmemi_drive *d, const struct gshmemi_op_record *r, unsigned word)
{
	const size_t from = (size_t)word * d->word_nbytes, begin = word ? from : d->inside,
		     all = d->inside + gshmemi_wire_place_nbytes(r->head),
		     end = from + d->word_nbytes < all ? from + d->word_nbytes : all;
	char bits[8];

	memcpy(bits, d->words + from, d->word_nbytes);
	gshmemi_net_fold(
		d->u, bits + (begin - from), gshmemi_wire_data(r) + (begin - d->inside), end - begin);
	return gshmemi_value_load(bits, d->word_nbytes);
}

/* ---- mails ---- */

static bool fetches(const struct gshmemi_drive *d, const struct gshmemi_op_record *r)
{
	return d->phase == TAKE_LOCK || d->phase == FETCH_WORDS || d->phase == SWAP_WORDS ||
		(d->phase == UPDATE_WORDS && gshmemi_wire_is_answered(r->head));
}

/* Posts what this phase does to a word. */
static bool post_mail(struct gshmemi_engine *e, struct gshmemi_drive *d, const struct gshmemi_op_record *r)
{
	const struct gshmemi_agent *agent = e->config.agent;
	const bool is_lock = d->phase == TAKE_LOCK || d->phase == GIVE_LOCK;
	const size_t from = (size_t)d->next * d->word_nbytes;
	struct mail *mail = &d->mails[(d->first + d->nmails) % NMAILS];
	struct gshmemi_op_record amo = {.place = is_lock ? r->u.elements.lock : d->offset + from};
	int op;

	switch (d->phase) {
	case TAKE_LOCK:
		op = GSHMEMI_AMO_CAS;
		amo.u.amo.value = 1;
		break;
	case FETCH_WORDS:
		op = GSHMEMI_AMO_FETCH;
		break;
	case SWAP_WORDS:
		op = GSHMEMI_AMO_CAS;
		amo.u.amo.value = fold_word(d, r, d->next);
		amo.u.amo.cond = gshmemi_value_load(d->words + from, d->word_nbytes);
		break;
	case UPDATE_WORDS:
		op = gshmemi_win_native(d->u.op, d->u.kind);
		if (op != GSHMEMI_AMO_FETCH)
			amo.u.amo.value = gshmemi_value_load(gshmemi_wire_data(r) + from, d->word_nbytes);
		break;
	case SET_WORDS:
		op = GSHMEMI_AMO_SET;
		amo.u.amo.value = gshmemi_value_load(d->updated + from, d->word_nbytes);
		break;
	default:
		op = GSHMEMI_AMO_SET; /* the lock, to 0 */
		break;
	}
	amo.head = gshmemi_op_head(GSHMEMI_AMO, op, is_lock ? 8 : d->word_nbytes,
		fetches(d, r) ? GSHMEMI_OP_FETCHES : 0,
		is_lock ? GSHMEMI_REGION_CONTROL : gshmemi_op_region(r->head), 0);
	if (!agent->post(agent->user, &amo, &mail->ticket))
		return false;
	mail->word = d->next++;
	d->nmails++;
	e->counts.natomics_by_device++;
	return true;
}

/* A mail of this phase has been performed; value is the old word, if it fetches. */
static void take_mail(
	struct gshmemi_drive *d, const struct gshmemi_op_record *r, unsigned word, uint64_t value)
{
	char *const seen = d->words + (size_t)word * d->word_nbytes;

	if (d->phase == TAKE_LOCK) {
		d->is_locked = value == 0;
	} else if (d->phase == SWAP_WORDS) {
		d->is_over[word] = value == gshmemi_value_load(seen, d->word_nbytes);
		gshmemi_value_store(seen, value, d->word_nbytes);
	} else if (fetches(d, r)) {
		gshmemi_value_store(seen, value, d->word_nbytes);
	}
}

/* ---- phases ---- */

/* How many words a phase has. */
static unsigned phase_nwords(const struct gshmemi_drive *d)
{
	return d->phase == TAKE_LOCK || d->phase == GIVE_LOCK ? 1 : d->phase == ANSWER ? 0 : d->nwords;
}

/* Posts and takes mails of this phase; returns whether all of them have been performed. */
static bool go_on_phase(struct gshmemi_engine *e, struct gshmemi_drive *d, const struct gshmemi_op_record *r)
{
	const struct gshmemi_agent *agent = e->config.agent;
	const unsigned nwords = phase_nwords(d);
	uint64_t value = 0;
	bool has_moved;

	do {
		has_moved = false;
		while (d->nmails &&
			agent->is_done(
				agent->user, d->mails[d->first].ticket, fetches(d, r) ? &value : NULL)) {
			take_mail(d, r, d->mails[d->first].word, value);
			d->first = (d->first + 1) % NMAILS;
			d->nmails--;
			has_moved = true;
		}
		while (d->next < nwords && d->nmails < NMAILS) {
			if (d->phase == SWAP_WORDS && d->is_over[d->next])
				d->next++;
			else if (post_mail(e, d, r))
				has_moved = true;
			else
				break;
		}
	} while (has_moved);
	return d->next == nwords && !d->nmails;
}

static bool is_any_left(const struct gshmemi_drive *d)
{
	unsigned i;

	for (i = 0; i < d->nwords && d->is_over[i];)
		i++;
	return i < d->nwords;
}

static enum phase next_phase(struct gshmemi_drive *d, const struct gshmemi_op_record *r)
{
	switch (d->phase) {
	case TAKE_LOCK:
		return d->is_locked ? FETCH_WORDS : TAKE_LOCK;
	case FETCH_WORDS:
		if (d->u.nbytes <= 8)
			return SWAP_WORDS;
		memcpy(d->updated, d->words, (size_t)d->nwords * d->word_nbytes);
		gshmemi_net_fold(d->u, d->updated, gshmemi_wire_data(r), gshmemi_wire_place_nbytes(r->head));
		return SET_WORDS;
	case SWAP_WORDS:
		return is_any_left(d) ? SWAP_WORDS : ANSWER;
	case SET_WORDS:
		return GIVE_LOCK;
	default:
		return ANSWER;
	}
}

void gshmemi_net_end_drive(struct connection *c)
{
	free(c->drive);
	c->drive = NULL;
}

/* ---- the kernel ---- */

/* A kernel begins when what the stream has brought before has been performed: mails may come later. */
static bool begin_accumulate(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const struct gshmemi_agent *agent = e->config.agent;
	const bool is_long = gshmemi_wire_place_nbytes(r->head) >= KERNEL_NBYTES;
	struct gshmemi_drive *d;

	if (is_long && c->npending != c->nreaped)
		return false;
	(void)gshmemi_net_find(e, c, r); /* check that the place exists */
	d = c->drive = begin_drive(r);
	if (d && is_long)
		d->kernel = agent->update(agent->user, r);
	return d != NULL;
}

/* Whether it is over; if it has left the record alone, mails go on. */
static bool look_at_kernel(struct gshmemi_engine *e, struct gshmemi_drive *d, bool fetches)
{
	const struct gshmemi_agent *agent = e->config.agent;
	const enum gshmemi_update_state state =
		agent->look(agent->user, d->kernel, fetches ? d->words + d->inside : NULL);

	if (state == GSHMEMI_UPDATE_OPEN)
		return false;
	d->kernel = NULL;
	if (state == GSHMEMI_UPDATE_DONE) {
		d->phase = ANSWER;
		e->counts.nupdates_by_kernel++;
	}
	return true;
}

bool gshmemi_net_drive(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const size_t nbytes = gshmemi_wire_place_nbytes(r->head);
	struct gshmemi_drive *d;
	char *data;

	if (!c->drive && !begin_accumulate(e, c, r))
		return false;
	d = c->drive;
	if (d->kernel && !look_at_kernel(e, d, gshmemi_wire_is_answered(r->head)))
		return false;
	while (d->phase != ANSWER) {
		if (!go_on_phase(e, d, r))
			return false;
		d->phase = next_phase(d, r);
		d->next = 0;
	}
	if (gshmemi_wire_is_answered(r->head)) {
		data = gshmemi_net_answer(e, c, *gshmemi_wire_cookie(r), nbytes);
		if (!data)
			return false;
		memcpy(data, d->words + d->inside, nbytes);
	}
	gshmemi_net_end_drive(c);
	return true;
}
