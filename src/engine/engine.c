/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections, messages and credits: what asking (ask.c) and performing (perform.c) have in common. */
#include "engine/connection.h"

#include <stdlib.h>
#include <string.h>

#define MOST_EVENTS 64 /* events of the link in one pass */
#define PING_NS     100000000U
#define FAR_PING_NS 1000000000U /* for PEs on other machines, while nothing is open */
/*
 * If we have not looked for a second, we were stopped or starved ourselves; others' silence does not count.
 */
#define LATE_NS     1000000000U

/* ---- memory ---- */

static int pool_open(struct pool *pool, unsigned nbuffers, size_t nbytes)
{
	unsigned i;

	pool->all = calloc(nbuffers, sizeof *pool->all);
	pool->memory = malloc(nbuffers * nbytes);
	if (!pool->all || !pool->memory)
		return -ENOMEM;
	pool->nbuffers = nbuffers;
	for (i = 0; i < nbuffers; i++) {
		pool->all[i].pool = pool;
		pool->all[i].data = pool->memory + i * nbytes;
		pool->all[i].next = pool->free;
		pool->free = &pool->all[i];
	}
	return 0;
}

static void pool_close(struct pool *pool)
{
	free(pool->memory);
	free(pool->all);
}

size_t gshmemi_engine_nbytes(const struct gshmemi_engine_config *config, size_t message_nbytes)
{
	return sizeof(struct gshmemi_engine) + (size_t)config->npes * sizeof(struct connection *) +
		2 * config->nbuffers * (message_nbytes + sizeof(struct buffer)) +
		config->nitems * sizeof(struct item);
}

struct gshmemi_engine *gshmemi_engine_create(const struct gshmemi_engine_config *config)
{
	struct gshmemi_engine *e = calloc(1, sizeof *e);
	unsigned i;

	if (!e)
		return NULL;
	e->config = *config;
	e->message_nbytes = config->link->size(config->link);
	e->ncredits = config->ncredits;
	e->connections = calloc((size_t)config->npes, sizeof *e->connections);
	e->items = calloc(config->nitems, sizeof *e->items);
	if (!e->connections || !e->items || pool_open(&e->requests, config->nbuffers, e->message_nbytes) ||
		pool_open(&e->responses, config->nbuffers, e->message_nbytes)) {
		pool_close(&e->requests);
		pool_close(&e->responses);
		free(e->items);
		free(e->connections);
		free(e);
		return NULL;
	}
	for (i = 0; i < config->nitems; i++) {
		e->items[i].next = e->free_items;
		e->free_items = &e->items[i];
	}
	return e;
}

void gshmemi_engine_destroy(struct gshmemi_engine *e)
{
	struct connection *c;

	e->config.link->end(e->config.link);
	while ((c = e->first)) {
		e->first = c->next;
		gshmemi_net_free_contexts(c);
		gshmemi_net_end_drive(c);
		gshmemi_net_free_held(c);
		free(c->pending);
		free(c);
	}
	pool_close(&e->requests);
	pool_close(&e->responses);
	free(e->items);
	free(e->connections);
	free(e);
}

const struct gshmemi_engine_counts *gshmemi_engine_counts(const struct gshmemi_engine *e)
{
	return &e->counts;
}

void gshmemi_engine_count_device(struct gshmemi_engine *e, bool is_staged, uint64_t nchunks)
{
	*(is_staged ? &e->counts.nstaged : &e->counts.nsent_from_device) += nchunks;
}

/* ---- connections ---- */

static void name_chunks(struct connection *c, struct sending *chunks, enum sending_what what)
{
	unsigned i;

	for (i = 0; i < GSHMEMI_NET_NCHUNKS; i++) {
		chunks[i].what = what;
		chunks[i].connection = c;
		chunks[i].transfer.pe = c->pe;
		chunks[i].transfer.kind = GSHMEMI_LINK_BULK;
		chunks[i].transfer.is_arrival = what == TAKES_CHUNK || what == TAKES_GOT;
	}
}

struct connection *gshmemi_net_connection(struct gshmemi_engine *e, int pe)
{
	struct connection *c = e->connections[pe];

	if (c)
		return c;
	c = calloc(1, sizeof *c);
	if (!c) {
		if (!e->error)
			gshmemi_error("net: connection to PE %d: out of memory", pe);
		e->error = -ENOMEM;
		return NULL;
	}
	c->pe = pe;
	c->heard_ns = gshmemi_arch_clock_ns(); /* so it has not been silent yet */
	c->next_seq = c->expected = e->config.first_seq;
	c->limit = c->granted = e->config.first_seq + e->config.credit;
	c->is_far = e->config.owner.is_far && e->config.owner.is_far(e->config.owner.user, pe);
	c->chunk_nbytes = c->is_far ? e->config.far_nbytes : e->config.chunk_nbytes;
	c->eager_nbytes = c->is_far ? e->config.eager_nbytes : 0;
	c->puts_end = &c->puts;
	c->gets_end = &c->gets;
	name_chunks(c, c->put_chunks, SENDS_CHUNK);
	name_chunks(c, c->get_chunks, TAKES_GOT);
	name_chunks(c, c->taking, TAKES_CHUNK);
	name_chunks(c, c->giving, SENDS_GOT);
	c->ack.what = SENDS_ACK;
	c->ack.connection = c;
	c->next = e->first;
	e->first = c;
	e->connections[pe] = c;
	return c;
}

void gshmemi_net_activate(struct gshmemi_engine *e, struct connection *c)
{
	if (c->is_active)
		return;
	c->is_active = true;
	c->next_active = e->active;
	e->active = c;
}

/* ---- messages ---- */

static struct gshmemi_net_head *head_of(struct buffer *buffer)
{
	return (struct gshmemi_net_head *)(void *)buffer->data;
}

static void push(struct buffers *queue, struct buffer *buffer)
{
	buffer->next = NULL;
	if (queue->last)
		queue->last->next = buffer;
	else
		queue->first = buffer;
	queue->last = buffer;
}

static struct buffer *pop(struct buffers *queue)
{
	struct buffer *buffer = queue->first;

	queue->first = buffer->next;
	if (!queue->first)
		queue->last = NULL;
	return buffer;
}

static struct buffer *take_buffer(struct gshmemi_engine *e, struct connection *c, struct pool *pool)
{
	struct buffer *buffer = pool->free;

	/* A PE that takes no messages must not use up all buffers. */
	if (!buffer || (pool == &e->requests && c->nqueued > pool->nbuffers / 2))
		return NULL;
	pool->free = buffer->next;
	c->nqueued += pool == &e->requests;
	buffer->last_put = 0;
	buffer->sending.connection = c;
	buffer->sending.what = SENDS_BUFFER;
	buffer->sending.transfer.nbytes = sizeof(struct gshmemi_net_head);
	memset(buffer->data, 0, sizeof(struct gshmemi_net_head));
	return buffer;
}

static void give_buffer(struct buffer *buffer)
{
	buffer->next = buffer->pool->free;
	buffer->pool->free = buffer;
}

struct gshmemi_op_record *gshmemi_net_add(struct gshmemi_engine *e, struct connection *c,
	struct buffer **open_p, struct buffers *queue, struct pool *pool, uint64_t head)
{
	const size_t needed = gshmemi_wire_nbytes(head);
	struct buffer *buffer = *open_p;
	struct gshmemi_op_record *r;

	if (buffer && buffer->sending.transfer.nbytes + needed > e->message_nbytes) {
		push(queue, buffer);
		buffer = *open_p = NULL;
	}
	if (!buffer)
		buffer = *open_p = take_buffer(e, c, pool);
	gshmemi_net_activate(e, c);
	if (!buffer)
		return NULL;
	r = (struct gshmemi_op_record *)(void *)(buffer->data + buffer->sending.transfer.nbytes);
	memset(r, 0, gshmemi_wire_head_nbytes(head));
	r->head = head;
	buffer->last_put = 0;
	buffer->sending.transfer.nbytes += needed;
	head_of(buffer)->nrecords++;
	return r;
}

/* ---- sending ---- */

void gshmemi_net_transfer(struct gshmemi_engine *e, struct sending *sending)
{
	sending->is_busy = true;
	if (!e->error)
		e->error = e->config.link->start(e->config.link, &sending->transfer);
}

/* Every message acknowledges what this PE has performed of the other one's operations. */
static void acknowledge(struct connection *c, struct gshmemi_net_head *head)
{
	head->limit = c->granted;
	head->nperformed = c->nperformed_here;
	head->nlanded = c->nlanded_here;
	c->must_ack = false;
	c->ack_passes = 0;
}

static void send_buffer(struct gshmemi_engine *e, struct connection *c, struct buffer *buffer, int kind)
{
	struct gshmemi_transfer *transfer = &buffer->sending.transfer;
	struct gshmemi_net_head *head = head_of(buffer);

	acknowledge(c, head);
	head->nbytes = (uint32_t)(transfer->nbytes - sizeof *head);
	transfer->memory = buffer->data;
	transfer->pe = c->pe;
	transfer->kind = (uint8_t)kind;
	gshmemi_net_transfer(e, &buffer->sending);
}

static void send_request(struct gshmemi_engine *e, struct connection *c, struct buffer *buffer)
{
	struct gshmemi_net_head *head = head_of(buffer);

	head->seq = c->next_seq++;
	c->nqueued--;
	if ((c->queue.first || c->open) && !gshmemi_net_is_below(c->next_seq, c->limit))
		head->flags |= GSHMEMI_NET_HUNGRY;
	c->ends[0] = c->ends[1];
	c->ends[1] += head->nrecords;
	e->counts.nmessages++;
	e->counts.nrecords += head->nrecords;
	send_buffer(e, c, buffer, GSHMEMI_LINK_REQUEST);
}

/*
 * Whether the open message may leave, or should wait for more while others are in flight. A message of puts
 * waits until earlier ones have been performed: a quiet, or something that somebody waits for, sends it
 * along. Two urgent messages may be in flight.
 */
static bool may_leave(const struct connection *c)
{
	switch (c->urgency) {
	case PUTS_ALONE:
		return c->nperformed >= c->ends[0] && c->nperformed >= c->lone_puts_end;
	case IS_URGENT:
		return c->nperformed >= c->ends[0];
	default:
		return true;
	}
}

/* with_puts: also sends what nobody waits for. */
static void send_requests(struct gshmemi_engine *e, struct connection *c, bool with_puts)
{
	struct buffer *buffer;

	while (c->queue.first && gshmemi_net_is_below(c->next_seq, c->limit))
		send_request(e, c, pop(&c->queue));
	if (!with_puts && c->urgency == PUTS_ALONE)
		return;
	if (!c->open || c->queue.first || !may_leave(c) || !gshmemi_net_is_below(c->next_seq, c->limit))
		return;
	buffer = c->open;
	c->open = NULL;
	send_request(e, c, buffer);
	if (c->urgency == PUTS_ALONE)
		c->lone_puts_end = c->ends[1];
	c->urgency = PUTS_ALONE;
}

static void send_responses(struct gshmemi_engine *e, struct connection *c)
{
	struct buffer *buffer;

	while (c->answers.first) {
		e->counts.nresponses++;
		send_buffer(e, c, pop(&c->answers), GSHMEMI_LINK_RESPONSE);
	}
	if (!c->answer)
		return;
	buffer = c->answer;
	c->answer = NULL;
	e->counts.nresponses++;
	send_buffer(e, c, buffer, GSHMEMI_LINK_RESPONSE);
}

static void send_ack(struct gshmemi_engine *e, struct connection *c)
{
	struct gshmemi_transfer *transfer = &c->ack.transfer;

	memset(&c->ack_head, 0, sizeof c->ack_head);
	acknowledge(c, &c->ack_head);
	c->ack_head.flags = c->must_ping ? GSHMEMI_NET_PING : 0;
	c->must_ping = false;
	transfer->memory = &c->ack_head;
	transfer->nbytes = sizeof c->ack_head;
	transfer->pe = c->pe;
	transfer->kind = GSHMEMI_LINK_RESPONSE;
	e->counts.nacks_alone++;
	gshmemi_net_transfer(e, &c->ack);
}

static void flush(struct gshmemi_engine *e, struct connection *c, bool with_puts)
{
	send_requests(e, c, with_puts);
	send_responses(e, c);
	if ((c->must_ack || c->must_ping) && !c->ack.is_busy)
		send_ack(e, c);
}

/*
 * Whether flush may have something to do although nothing is heard from the PE. What waits for news from it
 * is activated by that.
 */
static bool is_waiting(const struct connection *c)
{
	return c->kept || c->must_ack || c->ack_passes || c->must_ping || c->putting || c->gets ||
		gshmemi_net_is_pending(c);
}

/* Serves each active connection once, and removes those that are done. Returns how many could go on. */
static int serve_connections(struct gshmemi_engine *e)
{
	struct connection *list = e->active, *c;
	int n = 0;

	e->active = NULL;
	while ((c = list)) {
		list = c->next_active;
		c->is_active = false;
		if (c->ack_passes && !--c->ack_passes)
			c->must_ack = true;
		if (gshmemi_net_is_pending(c))
			n += gshmemi_net_reap(e, c);
		if (c->kept)
			n += gshmemi_net_go_on(e, c);
		n += gshmemi_net_begin_chunks(e, c);
		flush(e, c, true);
		if (is_waiting(c))
			gshmemi_net_activate(e, c);
	}
	return n;
}

void gshmemi_engine_flush(struct gshmemi_engine *e, bool with_puts)
{
	struct connection *c;

	for (c = e->active; c; c = c->next_active)
		flush(e, c, with_puts);
}

/* ---- receiving ---- */

static void hear_head(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_head *head)
{
	c->heard_ns = e->now_ns;
	c->asked_ns = 0;
	if (head->nperformed > c->nperformed)
		c->nperformed = head->nperformed;
	gshmemi_net_hear_landed(e, c, head->nlanded);
	/* Ignore limits told before the owner took the credits back. */
	if (head->nperformed >= c->returned && gshmemi_net_is_below(c->limit, head->limit))
		c->limit = head->limit;
	c->must_ack |= (head->flags & GSHMEMI_NET_PING) != 0;
	if (c->open || c->queue.first || c->must_ack)
		gshmemi_net_activate(e, c);
}

static void take_response(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_head *head, const char *data)
{
	const struct gshmemi_op_record *r;
	unsigned i;

	for (i = 0; i < head->nrecords; i++) {
		r = (const struct gshmemi_op_record *)(const void *)data;
		data += gshmemi_wire_nbytes(r->head);
		gshmemi_net_answered(e, c, r);
	}
}

static void came(struct gshmemi_engine *e, const struct gshmemi_link_event *event)
{
	struct connection *c = gshmemi_net_connection(e, event->pe);
	const char *data = event->data;
	struct gshmemi_net_head head;

	if (!c)
		return;
	memcpy(&head, data, sizeof head);
	hear_head(e, c, &head);
	if (event->kind == GSHMEMI_LINK_REQUEST)
		gshmemi_net_take(e, c, &head, data + sizeof head);
	else
		take_response(e, c, &head, data + sizeof head);
}

static void done(struct gshmemi_engine *e, struct sending *sending)
{
	sending->is_busy = false;
	switch (sending->what) {
	case SENDS_BUFFER:
		give_buffer((struct buffer *)sending);
		break;
	case TAKES_CHUNK:
		if (sending->landing)
			gshmemi_net_chunk_came(e, sending);
		else
			gshmemi_net_landed_here(e, sending);
		break;
	case SENDS_GOT:
		if (sending->landing)
			gshmemi_net_chunk_left(e, sending);
		break;
	case SENDS_CHUNK:
	case TAKES_GOT:
		gshmemi_net_chunk_done(e, sending);
		break;
	default:
		break;
	}
}

int gshmemi_engine_progress(struct gshmemi_engine *e)
{
	struct gshmemi_link_event event;
	int n;

	for (n = 0; n < MOST_EVENTS && !e->error; n++) {
		e->error = e->config.link->poll(e->config.link, &event);
		if (e->error || event.what == GSHMEMI_LINK_NOTHING)
			break;
		if (!n)
			e->now_ns = gshmemi_arch_clock_ns();
		if (event.what == GSHMEMI_LINK_CAME)
			came(e, &event);
		else
			done(e, (struct sending *)event.transfer);
	}
	if (e->waiters)
		n += gshmemi_net_check_locks(e);
	n += serve_connections(e);
	return e->error ? e->error : n;
}

/* ---- silence ---- */

static struct gshmemi_engine_unanswered find_unanswered(const struct connection *c)
{
	return (struct gshmemi_engine_unanswered){c->nrecords - c->nperformed, c->nchunks - c->nlanded,
		c->ngetting, c->nperformed < c->last_flag};
}

static bool owes(const struct connection *c)
{
	const struct gshmemi_engine_unanswered what = find_unanswered(c);

	return what.nsmall || what.nput_chunks || what.nget_chunks || c->open || c->queue.first;
}

/* When there has been nothing to say for a while, gives back the credits beyond those that need no grant. */
static void return_credits(struct gshmemi_engine *e, struct connection *c)
{
	/* waits for nothing: the record is there so that the owner's count shows that it has seen this */
	const uint64_t head = gshmemi_op_head(GSHMEMI_WAIT, 0, 1, 0, 0, 0);

	if ((int32_t)(c->limit - c->next_seq) <= (int32_t)e->config.credit ||
		!gshmemi_net_add(e, c, &c->open, &c->queue, &e->requests, head))
		return;
	head_of(c->open)->flags |= GSHMEMI_NET_RETURNS;
	c->returned = ++c->nrecords;
	c->limit = c->next_seq + 1 + e->config.credit;
	/* nothing comes behind it, so the owner acknowledges the record and tells the new limit at once */
	push(&c->queue, c->open);
	c->open = NULL;
}

void gshmemi_engine_check_silence(struct gshmemi_engine *e, uint64_t now_ns)
{
	const bool is_late = now_ns - e->listened_ns > LATE_NS;
	struct gshmemi_engine_unanswered what;
	struct connection *c;

	e->listened_ns = now_ns;
	for (c = e->first; c; c = c->next) {
		if (!owes(c) && now_ns - c->heard_ns > PING_NS)
			return_credits(e, c);
		if (!owes(c) && !c->is_far) {
			c->asked_ns = 0;
		} else if (c->asked_ns) {
			what = find_unanswered(c);
			if (is_late ||
				e->config.owner.silent(
					e->config.owner.user, c->pe, now_ns - c->asked_ns, &what))
				c->asked_ns = now_ns;
		} else if (now_ns - c->heard_ns > (owes(c) ? PING_NS : FAR_PING_NS)) {
			c->asked_ns = now_ns;
			c->must_ping = true;
			gshmemi_net_activate(e, c);
		}
	}
}

bool gshmemi_engine_has_waiters(const struct gshmemi_engine *e)
{
	return e->waiters != NULL;
}
