/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The owner's side where the CPU cannot reach the memory (agent.h). A record is begun, and counts as
 * performed when it and all records before it have been performed. Mails are performed in order. A chunk
 * waits for the records before it and for a landing, from which the device copies it: a receive straight into
 * device memory could finish before a running kernel is sure to see the data. Chunks that leave may be sent
 * from device memory.
 */
#include "engine/connection.h"

#include <stdlib.h>
#include <string.h>

#include <gshmem/arch/arch.h>

static bool is_empty(const struct connection *c)
{
	return c->npending == c->nreaped;
}

static struct pending *push_pending(
	struct connection *c, enum pending_kind kind, const struct gshmemi_op_record *r)
{
	struct pending *p = &c->pending[c->npending++ % GSHMEMI_NET_NPENDING];

	*p = (struct pending){.kind = kind, .is_answered = gshmemi_wire_is_answered(r->head)};
	if (p->is_answered)
		p->cookie = *gshmemi_wire_cookie(r);
	return p;
}

static const struct gshmemi_agent *agent_of(const struct gshmemi_engine *e)
{
	return e->config.agent;
}

/* ---- beginning ---- */

static enum performed post(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const struct gshmemi_agent *agent = agent_of(e);
	uint64_t ticket;

	(void)gshmemi_net_find(e, c, r); /* check that the place exists */
	if (!agent->post(agent->user, r, &ticket))
		return PUT_OFF;
	push_pending(c, PENDING_MAIL, r)->ticket = ticket;
	if (gshmemi_op_what(r->head) == GSHMEMI_PUT)
		e->counts.nputs_performed++;
	else
		e->counts.natomics_by_device++;
	return BEGUN;
}

static enum performed get_later(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const struct gshmemi_agent *agent = agent_of(e);
	const uint32_t nbytes = gshmemi_op_who(r->head);
	struct gshmemi_landing *landing = agent->take(agent->user, nbytes);
	struct pending *p;

	if (!landing)
		return PUT_OFF;
	agent->copy(agent->user, landing, landing->memory, gshmemi_net_find(e, c, r), nbytes);
	p = push_pending(c, PENDING_COPY, r);
	p->landing = landing;
	p->nbytes = nbytes;
	e->counts.ngets_performed++;
	return BEGUN;
}

/*
 * Waits until everything before it has been performed: what mails have written precedes the chunk, so a
 * reader that sees the chunk sees it.
 */
static enum performed take_chunk_later(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const struct gshmemi_agent *agent = agent_of(e);
	const uint32_t nbytes = gshmemi_op_who(r->head);
	const uint64_t number = r->u.amo.value;
	struct sending *chunk = &c->taking[number % GSHMEMI_NET_NCHUNKS];
	struct gshmemi_landing *landing;

	if (!is_empty(c) || chunk->is_busy || chunk->landing)
		return PUT_OFF;
	landing = agent->take(agent->user, nbytes);
	if (!landing)
		return PUT_OFF;
	e->counts.nstaged++;
	landing->dest = gshmemi_net_find(e, c, r);
	chunk->landing = landing;
	chunk->chunk = number;
	chunk->transfer.memory = landing->memory;
	chunk->transfer.nbytes = nbytes;
	chunk->transfer.tag = gshmemi_net_tag(number, false);
	gshmemi_net_transfer(e, chunk);
	return PERFORMED;
}

static enum performed give_chunk_later(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	const struct gshmemi_agent *agent = agent_of(e);
	const uint32_t nbytes = gshmemi_op_who(r->head);
	const uint64_t number = r->u.amo.value;
	struct sending *chunk = &c->giving[number % GSHMEMI_NET_NCHUNKS];

	if (chunk->is_busy || chunk->landing)
		return PUT_OFF;
	chunk->transfer.nbytes = nbytes;
	chunk->transfer.tag = gshmemi_net_tag(number, true);
	if (agent->sends_device) {
		chunk->transfer.memory = gshmemi_net_find(e, c, r);
		gshmemi_net_transfer(e, chunk);
		e->counts.nsent_from_device++;
		e->counts.ngets_performed++;
		return PERFORMED;
	}
	chunk->landing = agent->take(agent->user, nbytes);
	if (!chunk->landing)
		return PUT_OFF;
	chunk->transfer.memory = chunk->landing->memory;
	e->counts.nstaged++;
	agent->copy(agent->user, chunk->landing, chunk->landing->memory, gshmemi_net_find(e, c, r), nbytes);
	c->nlandings++;
	e->counts.ngets_performed++;
	return PERFORMED;
}

enum performed gshmemi_net_defer(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	enum performed how;

	if (!c->pending) {
		c->pending = calloc(GSHMEMI_NET_NPENDING, sizeof *c->pending);
		if (!c->pending)
			return PUT_OFF;
	}
	if (c->npending - c->nreaped == GSHMEMI_NET_NPENDING)
		return PUT_OFF;
	switch (gshmemi_op_what(r->head)) {
	case GSHMEMI_GET:
		return get_later(e, c, r);
	case GSHMEMI_CHUNK:
		how = take_chunk_later(e, c, r);
		break;
	case GSHMEMI_GET_CHUNK:
		how = give_chunk_later(e, c, r);
		break;
	case GSHMEMI_WAIT:
		how = c->nlanded_here >= r->u.amo.value ? PERFORMED : PUT_OFF;
		break;
	case GSHMEMI_ACCUMULATE:
		how = gshmemi_net_drive(e, c, r) ? PERFORMED : PUT_OFF;
		break;
	case GSHMEMI_LOCK:
		how = gshmemi_net_park(e, c, r) ? PERFORMED : PUT_OFF;
		break;
	default:
		return post(e, c, r);
	}
	if (how != PERFORMED || is_empty(c))
		return how;
	(void)push_pending(c, PENDING_OVER, r);
	return BEGUN;
}

/* ---- ending ---- */

/* Finishes the first pending request. Returns false if it is not over yet. */
static bool reap_one(struct gshmemi_engine *e, struct connection *c)
{
	const struct gshmemi_agent *agent = agent_of(e);
	struct pending *p = &c->pending[c->nreaped % GSHMEMI_NET_NPENDING];
	char *data;

	if (p->kind == PENDING_MAIL) {
		if (!agent->is_done(agent->user, p->ticket, p->is_answered ? &p->value : NULL))
			return false;
		p->kind = p->is_answered ? PENDING_VALUE : PENDING_OVER;
	}
	if (p->kind == PENDING_VALUE && !gshmemi_net_answer_word(e, c, p->cookie, p->value))
		return false;
	if (p->kind == PENDING_COPY) {
		if (!p->landing->is_over || !(data = gshmemi_net_answer(e, c, p->cookie, p->nbytes)))
			return false;
		memcpy(data, p->landing->memory, p->nbytes);
		agent->give(agent->user, p->landing);
	}
	c->nreaped++;
	c->nperformed_here++;
	c->must_ack = true;
	return true;
}

/*
 * Sends chunks that a copy has brought to their landing, and counts as landed those that a copy has brought
 * to their destination.
 */
static bool look_at_chunks(struct gshmemi_engine *e, struct connection *c)
{
	const struct gshmemi_agent *agent = agent_of(e);
	bool has_moved = false;
	unsigned i;

	for (i = 0; i < GSHMEMI_NET_NCHUNKS; i++) {
		struct sending *out = &c->giving[i], *in = &c->taking[i];

		if (out->landing && out->landing->is_copying && out->landing->is_over) {
			out->landing->is_copying = false;
			gshmemi_net_transfer(e, out);
			has_moved = true;
		}
		if (in->landing && in->landing->is_copying && in->landing->is_over) {
			agent->give(agent->user, in->landing);
			in->landing = NULL;
			c->nlandings--;
			gshmemi_net_landed_here(e, in);
			has_moved = true;
		}
	}
	return has_moved;
}

bool gshmemi_net_reap(struct gshmemi_engine *e, struct connection *c)
{
	bool has_moved = false;

	while (!is_empty(c) && reap_one(e, c))
		has_moved = true;
	if (c->nlandings)
		has_moved |= look_at_chunks(e, c);
	return has_moved;
}

void gshmemi_net_chunk_came(struct gshmemi_engine *e, struct sending *in)
{
	const struct gshmemi_agent *agent = agent_of(e);
	struct gshmemi_landing *landing = in->landing;

	in->connection->nlandings++;
	agent->copy(agent->user, landing, landing->dest, landing->memory, in->transfer.nbytes);
	gshmemi_net_activate(e, in->connection);
}

void gshmemi_net_chunk_left(struct gshmemi_engine *e, struct sending *out)
{
	const struct gshmemi_agent *agent = agent_of(e);

	agent->give(agent->user, out->landing);
	out->landing = NULL;
	out->connection->nlandings--;
}
