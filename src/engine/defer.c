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
	struct connection *c, enum pending_kind kind, const struct gshmemi_net_record *r)
{
	struct pending *p = &c->pending[c->npending++ % GSHMEMI_NET_NPENDING];

	*p = (struct pending){.kind = kind, .cookie = r->cookie, .nbytes = r->nbytes};
	return p;
}

static const struct gshmemi_agent *agent_of(const struct gshmemi_engine *e)
{
	return e->config.agent;
}

/* ---- beginning ---- */

static enum performed post(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_record *r, const char *data)
{
	const struct gshmemi_agent *agent = agent_of(e);
	uint64_t cond = 0, ticket;

	/* check that the place exists */
	(void)gshmemi_net_find(e, c, r, r->what == GSHMEMI_NET_FLAG ? 8 : r->nbytes);
	if (r->what == GSHMEMI_NET_AMO && r->op == GSHMEMI_AMO_CAS)
		memcpy(&cond, data, sizeof cond);
	if (!agent->post(agent->user, r, cond, data, r->cookie != 0, &ticket))
		return PUT_OFF;
	push_pending(c, PENDING_MAIL, r)->ticket = ticket;
	if (r->what == GSHMEMI_NET_PUT)
		e->counts.nputs_performed++;
	else
		e->counts.natomics_by_device++;
	return BEGUN;
}

static enum performed get_later(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_record *r)
{
	const struct gshmemi_agent *agent = agent_of(e);
	struct gshmemi_landing *landing = agent->take(agent->user, r->nbytes);

	if (!landing)
		return PUT_OFF;
	agent->copy(agent->user, landing, landing->memory, gshmemi_net_find(e, c, r, r->nbytes), r->nbytes);
	push_pending(c, PENDING_COPY, r)->landing = landing;
	e->counts.ngets_performed++;
	return BEGUN;
}

/*
 * Waits until everything before it has been performed: what mails have written precedes the chunk, so a
 * reader that sees the chunk sees it.
 */
static enum performed take_chunk_later(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_record *r)
{
	const struct gshmemi_agent *agent = agent_of(e);
	struct sending *chunk = &c->taking[r->value % GSHMEMI_NET_NCHUNKS];
	struct gshmemi_landing *landing;

	if (!is_empty(c) || chunk->is_busy || chunk->landing)
		return PUT_OFF;
	landing = agent->take(agent->user, r->nbytes);
	if (!landing)
		return PUT_OFF;
	e->counts.nstaged++;
	landing->dest = gshmemi_net_find(e, c, r, r->nbytes);
	chunk->landing = landing;
	chunk->chunk = r->value;
	chunk->transfer.memory = landing->memory;
	chunk->transfer.nbytes = r->nbytes;
	chunk->transfer.tag = gshmemi_net_tag(r->value, false);
	gshmemi_net_transfer(e, chunk);
	return PERFORMED;
}

static enum performed give_chunk_later(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_record *r)
{
	const struct gshmemi_agent *agent = agent_of(e);
	struct sending *chunk = &c->giving[r->value % GSHMEMI_NET_NCHUNKS];

	if (chunk->is_busy || chunk->landing)
		return PUT_OFF;
	chunk->transfer.nbytes = r->nbytes;
	chunk->transfer.tag = gshmemi_net_tag(r->value, true);
	if (agent->sends_device) {
		chunk->transfer.memory = gshmemi_net_find(e, c, r, r->nbytes);
		gshmemi_net_transfer(e, chunk);
		e->counts.nsent_from_device++;
		e->counts.ngets_performed++;
		return PERFORMED;
	}
	chunk->landing = agent->take(agent->user, r->nbytes);
	if (!chunk->landing)
		return PUT_OFF;
	chunk->transfer.memory = chunk->landing->memory;
	e->counts.nstaged++;
	agent->copy(agent->user, chunk->landing, chunk->landing->memory, gshmemi_net_find(e, c, r, r->nbytes),
		r->nbytes);
	c->nlandings++;
	e->counts.ngets_performed++;
	return PERFORMED;
}

enum performed gshmemi_net_defer(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_record *r, const char *data)
{
	enum performed how;

	if (!c->pending) {
		c->pending = calloc(GSHMEMI_NET_NPENDING, sizeof *c->pending);
		if (!c->pending)
			return PUT_OFF;
	}
	if (c->npending - c->nreaped == GSHMEMI_NET_NPENDING)
		return PUT_OFF;
	switch (r->what) {
	case GSHMEMI_NET_GET:
		return get_later(e, c, r);
	case GSHMEMI_NET_CHUNK:
		how = take_chunk_later(e, c, r);
		break;
	case GSHMEMI_NET_GET_CHUNK:
		how = give_chunk_later(e, c, r);
		break;
	case GSHMEMI_NET_WAIT:
		how = c->nlanded_here >= r->value ? PERFORMED : PUT_OFF;
		break;
	case GSHMEMI_NET_LOCK:
		how = gshmemi_net_park(e, c, r) ? PERFORMED : PUT_OFF;
		break;
	default:
		return post(e, c, r, data);
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
	struct gshmemi_net_record *a;

	if (p->kind == PENDING_MAIL) {
		if (!agent->is_done(agent->user, p->ticket, p->cookie ? &p->value : NULL))
			return false;
		p->kind = p->cookie ? PENDING_VALUE : PENDING_OVER;
	}
	if (p->kind == PENDING_VALUE) {
		a = gshmemi_net_answer(e, c, p->cookie, p->value, 0);
		if (!a)
			return false;
	}
	if (p->kind == PENDING_COPY) {
		if (!p->landing->is_over || !(a = gshmemi_net_answer(e, c, p->cookie, 0, p->nbytes)))
			return false;
		memcpy(a + 1, p->landing->memory, p->nbytes);
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
