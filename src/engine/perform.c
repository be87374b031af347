/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The owner's side: performs other PEs' operations, record by record in the order of their stream. A record
 * is put off while something that it needs is missing: a chunk that has not landed, or a buffer for its
 * answer. The rest of that stream then waits in a copy of its message; other streams do not wait.
 */
#include "engine/connection.h"

#include <stdlib.h>
#include <string.h>

#include <gshmem/move/carry.h>

char *gshmemi_net_find(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	return e->config.owner.find(e->config.owner.user, c->pe, gshmemi_op_region(r->head),
		r->place & GSHMEMI_OP_OFFSET, gshmemi_wire_place_nbytes(r->head));
}

/* Tells the asker of a refused record: by an answer without a cookie, whose data is the record's head. */
static bool is_refused(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const struct gshmemi_engine_owner *owner = &e->config.owner;
	char *data;

	if (gshmemi_op_region(r->head) < GSHMEMI_NFIXED || !owner->may_touch ||
		owner->may_touch(owner->user, gshmemi_op_region(r->head), r->place & GSHMEMI_OP_OFFSET,
			gshmemi_wire_place_nbytes(r->head)))
		return false;
	data = c->has_refused ? NULL : gshmemi_net_answer(e, c, 0, GSHMEMI_WIRE_REFUSED_NBYTES);
	if (data)
		memcpy(data, r, GSHMEMI_WIRE_REFUSED_NBYTES);
	c->has_refused |= data != NULL;
	return true;
}

char *gshmemi_net_answer(struct gshmemi_engine *e, struct connection *c, uint64_t cookie, size_t nbytes)
{
	const uint64_t head = gshmemi_op_head(GSHMEMI_ANSWER, 0, 1, 0, 0, nbytes);
	struct gshmemi_op_record *r = gshmemi_net_add(e, c, &c->answer, &c->answers, &e->responses, head);

	if (!r)
		return NULL;
	*gshmemi_wire_cookie(r) = cookie;
	return gshmemi_wire_data(r);
}

bool gshmemi_net_answer_word(struct gshmemi_engine *e, struct connection *c, uint64_t cookie, uint64_t word)
{
	char *data = gshmemi_net_answer(e, c, cookie, sizeof word);

	if (data)
		memcpy(data, &word, sizeof word);
	return data != NULL;
}

/* ---- records ---- */

/*
 * Aligned words of 8 bytes are stored whole, because puts of several lanes may have been merged
 * into one record.
 */
static void put(char *dest, const char *source, size_t nbytes)
{
	size_t at = 0;
	uint64_t word;

	gshmemi_arch_fence_release(); /* the asker may have called fence between two records */
	if ((uintptr_t)dest & 7) {
		gshmemi_apply_copy(GSHMEMI_TO_PEER, dest, source, nbytes);
		return;
	}
	for (; nbytes - at >= 8; at += 8) {
		memcpy(&word, source + at, 8);
		gshmemi_arch_store(dest + at, word, 8);
	}
	if (at < nbytes)
		gshmemi_apply_copy(GSHMEMI_TO_PEER, dest + at, source + at, nbytes - at);
}

static bool get(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const size_t nbytes = gshmemi_op_who(r->head);
	char *data = gshmemi_net_answer(e, c, *gshmemi_wire_cookie(r), nbytes);

	if (!data)
		return false;
	gshmemi_arch_fence_acquire();
	gshmemi_apply_copy(GSHMEMI_FROM_PEER, data, gshmemi_net_find(e, c, r), nbytes);
	e->counts.ngets_performed++;
	return true;
}

static bool amo(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const bool fetches = gshmemi_wire_is_answered(r->head);
	const unsigned nbytes = gshmemi_op_word_nbytes(r->head);
	char *const word = gshmemi_net_find(e, c, r);
	char *answer = NULL;
	uint64_t old;

	if (fetches && !(answer = gshmemi_net_answer(e, c, *gshmemi_wire_cookie(r), sizeof old)))
		return false;
	/* whoever sees this word, which may be a signal, sees what came before it */
	gshmemi_arch_fence_release();
	old = gshmemi_amo_peer(gshmemi_op_op(r->head), word, r->u.amo.value, gshmemi_wire_cond(r), nbytes);
	if (answer)
		memcpy(answer, &old, sizeof old);
	e->counts.natomics_performed++;
	return true;
}

static bool take_chunk(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const uint64_t number = r->u.amo.value;
	struct sending *chunk = &c->taking[number % GSHMEMI_NET_NCHUNKS];

	if (chunk->is_busy)
		return false;
	chunk->chunk = number;
	chunk->transfer.memory = gshmemi_net_find(e, c, r);
	chunk->transfer.nbytes = gshmemi_op_who(r->head);
	chunk->transfer.tag = gshmemi_net_tag(number, false);
	/* the asker may have called fence before it: whoever sees the chunk sees what came before */
	gshmemi_arch_fence_release();
	gshmemi_net_transfer(e, chunk);
	return true;
}

static bool give_chunk(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const uint64_t number = r->u.amo.value;
	struct sending *chunk = &c->giving[number % GSHMEMI_NET_NCHUNKS];

	if (chunk->is_busy)
		return false;
	gshmemi_arch_fence_acquire();
	chunk->transfer.memory = gshmemi_net_find(e, c, r);
	chunk->transfer.nbytes = gshmemi_op_who(r->head);
	chunk->transfer.tag = gshmemi_net_tag(number, true);
	gshmemi_net_transfer(e, chunk);
	e->counts.ngets_performed++;
	return true;
}

bool gshmemi_net_park(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	struct waiter *waiter = calloc(1, sizeof *waiter);

	if (!waiter)
		return false;
	waiter->next = e->waiters;
	waiter->connection = c;
	waiter->cookie = *gshmemi_wire_cookie(r);
	waiter->word = (const uint64_t *)(const void *)gshmemi_net_find(e, c, r);
	waiter->which = gshmemi_op_op(r->head);
	waiter->turn = (uint32_t)r->u.amo.value;
	waiter->fetch.head = gshmemi_op_head(
		GSHMEMI_AMO, GSHMEMI_AMO_FETCH, 8, GSHMEMI_OP_FETCHES, gshmemi_op_region(r->head), 0);
	waiter->fetch.place = r->place;
	e->waiters = waiter;
	e->counts.nparked++;
	return true;
}

#define LOOK_NS 20000 /* between two looks of the device at a lock in which a request waits */

/* Reads the word of the lock; returns false if it is not known yet. */
static bool look_at_lock(struct gshmemi_engine *e, struct waiter *waiter, uint64_t *word_p)
{
	const struct gshmemi_agent *agent = e->config.agent;
	uint64_t now_ns;

	if (!agent) {
		*word_p = gshmemi_arch_load(waiter->word, 8);
		return true;
	}
	if (waiter->is_fetching) {
		waiter->is_fetching = !agent->is_done(agent->user, waiter->mail, word_p);
		return !waiter->is_fetching;
	}
	now_ns = gshmemi_arch_clock_ns();
	if (now_ns - waiter->asked_ns >= LOOK_NS) {
		waiter->asked_ns = now_ns;
		waiter->is_fetching = agent->post(agent->user, &waiter->fetch, &waiter->mail);
	}
	return false;
}

bool gshmemi_net_check_locks(struct gshmemi_engine *e)
{
	struct waiter **link = &e->waiters, *waiter;
	bool has_granted = false;
	uint64_t word;

	while ((waiter = *link)) {
		if (!look_at_lock(e, waiter, &word) || gshmemi_turn_of(word, waiter->which) != waiter->turn ||
			!gshmemi_net_answer_word(e, waiter->connection, waiter->cookie, word)) {
			link = &waiter->next;
			continue;
		}
		gshmemi_arch_fence_acquire();
		*link = waiter->next;
		free(waiter);
		has_granted = true;
	}
	return has_granted;
}

/* Returns false if the record is put off. */
static bool perform(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	switch (gshmemi_op_what(r->head)) {
	case GSHMEMI_PUT:
		put(gshmemi_net_find(e, c, r), gshmemi_wire_data(r), gshmemi_op_who(r->head));
		e->counts.nputs_performed++;
		return true;
	case GSHMEMI_GET:
		return get(e, c, r);
	case GSHMEMI_AMO:
		return amo(e, c, r);
	case GSHMEMI_ACCUMULATE:
		return gshmemi_net_update(e, c, r);
	case GSHMEMI_FLAG:
		gshmemi_arch_fence_release();
		gshmemi_apply_flag((uint64_t *)(void *)gshmemi_net_find(e, c, r), r->u.amo.value);
		return true;
	case GSHMEMI_CHUNK:
		return take_chunk(e, c, r);
	case GSHMEMI_GET_CHUNK:
		return give_chunk(e, c, r);
	case GSHMEMI_LOCK:
		return gshmemi_net_park(e, c, r);
	default:
		return c->nlanded_here >= r->u.amo.value;
	}
}

/* ---- messages ---- */

/*
 * How many passes to wait with the acknowledgement of a performed record, if no message to its asker carries
 * it earlier; 0: none. Nobody waits for the acknowledgement of a flag, and a chunk is acknowledged when it
 * has landed. A quiet may wait for a signal (an atomic that does not fetch) or a put; but mostly somebody
 * here waits for the signal and answers, which acknowledges both.
 */
static unsigned passes_of(const struct gshmemi_engine *e, uint64_t head, bool is_last)
{
	switch (gshmemi_op_what(head)) {
	case GSHMEMI_FLAG:
	case GSHMEMI_CHUNK:
		return e->config.ack_passes;
	case GSHMEMI_AMO:
		return gshmemi_wire_is_answered(head) ? 0 : (e->config.ack_passes + 3) / 4;
	case GSHMEMI_PUT:
	case GSHMEMI_ACCUMULATE:
		return is_last || gshmemi_wire_is_answered(head) ? 0 : (e->config.ack_passes + 3) / 4;
	default:
		return 0;
	}
}

/*
 * Performs, or begins, the records from *at_p on. Returns false if a record is put off; *at_p is
 * then its offset.
 */
static bool perform_all(
	struct gshmemi_engine *e, struct connection *c, const char *data, unsigned *at_p, unsigned *nleft_p)
{
	const struct gshmemi_op_record *r;
	enum performed how;
	unsigned passes;

	while (*nleft_p) {
		r = (const struct gshmemi_op_record *)(const void *)(data + *at_p);
		if (is_refused(e, c, r))
			how = PUT_OFF;
		else if (e->config.agent)
			how = gshmemi_net_defer(e, c, r);
		else
			how = perform(e, c, r) ? PERFORMED : PUT_OFF;
		if (how == PUT_OFF)
			return false;
		*at_p += (unsigned)gshmemi_wire_nbytes(r->head);
		--*nleft_p;
		c->nperformed_here += how == PERFORMED;
		passes = passes_of(e, r->head, !*nleft_p);
		if (!passes)
			c->must_ack = true;
		else if (!c->ack_passes || passes < c->ack_passes)
			c->ack_passes = passes;
	}
	return true;
}

/* A message has been performed: its sender may send another one, and more if it has much to send. */
static void grant(struct gshmemi_engine *e, struct connection *c, unsigned flags)
{
	const unsigned credit = e->config.credit + c->ngranted;
	unsigned n = 0;

	c->expected++;
	if (flags & GSHMEMI_NET_RETURNS) {
		e->ncredits += c->ngranted;
		c->ngranted = 0;
		c->granted = c->expected + e->config.credit;
		return;
	}
	if (flags & GSHMEMI_NET_HUNGRY && credit < e->config.most_credit)
		n = credit < e->config.most_credit - credit ? credit : e->config.most_credit - credit;
	n = n < e->ncredits ? n : e->ncredits;
	e->ncredits -= n;
	c->ngranted += n;
	c->granted = c->expected + e->config.credit + c->ngranted;
	c->must_ack |= n || !c->ack_passes;
}

/* Keeps a copy of a message. These are few, because credits limit them. */
static void keep_message(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_head *head,
	const char *data, unsigned at, unsigned nleft)
{
	struct kept **link = &c->kept, *kept = malloc(sizeof *kept + head->nbytes);

	if (!kept) {
		if (!e->error)
			gshmemi_error("net: a message from PE %d: out of memory", c->pe);
		e->error = -ENOMEM;
		return;
	}
	while (*link && gshmemi_net_is_below((*link)->head.seq, head->seq))
		link = &(*link)->next;
	kept->next = *link;
	kept->head = *head;
	kept->at = at;
	kept->nleft = nleft;
	memcpy(kept->data, data, head->nbytes);
	*link = kept;
	if (++e->nheld > e->counts.most_kept)
		e->counts.most_kept = e->nheld;
}

void gshmemi_net_take(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_head *head, const char *data)
{
	unsigned at = 0, nleft = head->nrecords;

	gshmemi_net_activate(e, c);
	/* an earlier one must come first */
	if (head->seq != c->expected || c->kept) {
		keep_message(e, c, head, data, 0, head->nrecords);
	} else if (perform_all(e, c, data, &at, &nleft)) {
		grant(e, c, head->flags);
	} else {
		e->counts.nstalls++;
		keep_message(e, c, head, data, at, nleft);
	}
}

bool gshmemi_net_go_on(struct gshmemi_engine *e, struct connection *c)
{
	struct kept *kept;
	bool has_gone_on = false;
	unsigned at;

	while ((kept = c->kept) && kept->head.seq == c->expected) {
		at = kept->at;
		if (!perform_all(e, c, kept->data, &kept->at, &kept->nleft))
			return has_gone_on || kept->at != at;
		has_gone_on = true;
		c->kept = kept->next;
		grant(e, c, kept->head.flags);
		free(kept);
		e->nheld--;
	}
	return has_gone_on;
}

/*
 * Chunks may land in a different order than they began. The count told is up to the first that
 * has not landed.
 */
void gshmemi_net_landed_here(struct gshmemi_engine *e, struct sending *sending)
{
	struct connection *c = sending->connection;

	gshmemi_arch_fence_release();
	c->landed_beyond |= 1ULL << (sending->chunk - c->nlanded_here - 1);
	for (; c->landed_beyond & 1; c->landed_beyond >>= 1)
		c->nlanded_here++;
	c->must_ack = true;
	gshmemi_net_activate(e, c);
}

void gshmemi_net_free_held(struct connection *c)
{
	struct kept *kept;

	while ((kept = c->kept)) {
		c->kept = kept->next;
		free(kept);
	}
}
