/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The asker's side: the records and chunks of this PE's operations, how their contexts order them, and
 * which are open.
 */
#include "engine/connection.h"

#include <stdlib.h>
#include <string.h>

/* ---- contexts ---- */

static bool is_over(const struct connection *c, const struct context *context)
{
	return !context->oldest && c->nperformed >= context->nrecords && c->nbulks_landed >= context->nbulks;
}

/* Finds or creates a context; one in which nothing is open can be replaced. NULL: out of memory. */
static struct context *find_context(struct connection *c, int number)
{
	struct context *context, *free = NULL;

	for (context = c->contexts; context; context = context->next) {
		if (context->number == number)
			return context;
		if (is_over(c, context))
			free = context;
	}
	if (!free) {
		free = calloc(1, sizeof *free);
		if (!free)
			return NULL;
		free->next = c->contexts;
		c->contexts = free;
	}
	free->number = number;
	free->nrecords = free->nbulks = free->fenced = 0;
	return free;
}

void gshmemi_net_free_contexts(struct connection *c)
{
	struct context *context;

	while ((context = c->contexts)) {
		c->contexts = context->next;
		free(context);
	}
}

/* ---- records ---- */

/* Returns the last chunk of bulk number `bulk`. All its chunks have begun; it has not landed. */
static uint64_t last_chunk_of(const struct connection *c, uint64_t bulk)
{
	const struct item *item = c->puts;
	uint64_t n;

	for (n = c->nbulks_landed + 1; n < bulk; n++)
		item = item->next;
	return item->last_chunk;
}

static struct gshmemi_op_record *add_record(struct gshmemi_engine *e, struct connection *c, uint64_t head)
{
	struct gshmemi_op_record *r = gshmemi_net_add(e, c, &c->open, &c->queue, &e->requests, head);

	if (!r)
		return NULL;
	c->nrecords++;
	if (gshmemi_op_what(head) != GSHMEMI_PUT && c->urgency < IS_URGENT)
		c->urgency = IS_URGENT;
	return r;
}

/*
 * Makes what comes next in the stream wait until the bulk of this number has landed. Returns false if not all
 * of its chunks are in the stream yet.
 */
static bool wait_for(struct gshmemi_engine *e, struct connection *c, uint64_t bulk)
{
	struct gshmemi_op_record *r;

	if (c->nbulks_landed >= bulk)
		return true;
	if (c->nbulks_begun < bulk)
		return false;
	r = add_record(e, c, gshmemi_op_head(GSHMEMI_WAIT, 0, 1, 0, 0, 0));
	if (!r)
		return false;
	r->u.amo.value = last_chunk_of(c, bulk);
	return true;
}

/* What an operation needs to begin. */
struct start {
	struct connection *connection;
	struct context *context;
	struct gshmemi_op_record *record;
};

/* The head of a record for to; who: bytes (wire.h). */
static uint64_t head_for(
	const struct gshmemi_target *to, int what, int op, unsigned word_nbytes, unsigned flags, size_t who)
{
	return gshmemi_op_head(what, op, word_nbytes, flags, to->region, who);
}

/* Adds a record with this head for to, ordered after bulk. False: no room. */
static bool begin_record(struct gshmemi_engine *e, const struct gshmemi_target *to, uint64_t head,
	uint64_t bulk, struct start *start)
{
	struct connection *c = gshmemi_net_connection(e, to->pe);
	struct context *context = c ? find_context(c, to->context) : NULL;

	if (!context || !wait_for(e, c, bulk > context->fenced ? bulk : context->fenced) ||
		!(start->record = add_record(e, c, head))) {
		e->counts.nrefused++;
		return false;
	}
	start->connection = c;
	start->context = context;
	start->record->place = to->offset;
	if (gshmemi_op_what(head) == GSHMEMI_FLAG)
		c->last_flag = c->nrecords;
	else
		context->nrecords = c->nrecords;
	return true;
}

/*
 * If a put continues where the last record ends, and nothing has come in between, that record grows instead.
 */
static bool grow(struct gshmemi_engine *e, const struct gshmemi_target *to, const void *data, size_t nbytes)
{
	struct connection *c = e->connections[to->pe];
	struct buffer *buffer = c ? c->open : NULL;
	struct gshmemi_op_record *last;
	struct context *context;
	size_t last_nbytes;

	if (!buffer || !buffer->last_put || nbytes % 8)
		return false;
	last = (struct gshmemi_op_record *)(void *)(buffer->data + buffer->last_put);
	last_nbytes = gshmemi_op_who(last->head);
	if (gshmemi_op_region(last->head) != to->region || last->place + last_nbytes != to->offset ||
		last_nbytes % 8 || last_nbytes + nbytes > e->config.small_nbytes ||
		buffer->sending.transfer.nbytes + nbytes > e->message_nbytes)
		return false;
	context = find_context(c, to->context);
	if (!context || context->fenced > c->nbulks_landed)
		return false;
	memcpy(gshmemi_wire_data(last) + last_nbytes, data, nbytes);
	last->head = head_for(to, GSHMEMI_PUT, 0, 1, 0, last_nbytes + nbytes);
	buffer->sending.transfer.nbytes += nbytes;
	context->nrecords = c->nrecords;
	e->counts.nmerged++;
	return true;
}

bool gshmemi_engine_put(
	struct gshmemi_engine *e, const struct gshmemi_target *to, const void *data, size_t nbytes)
{
	struct start start;
	struct buffer *buffer;

	if (grow(e, to, data, nbytes)) {
		e->counts.nputs++;
		return true;
	}
	if (!begin_record(e, to, head_for(to, GSHMEMI_PUT, 0, 1, 0, nbytes), 0, &start))
		return false;
	e->counts.nputs++;
	memcpy(gshmemi_wire_data(start.record), data, nbytes);
	buffer = start.connection->open;
	buffer->last_put = (unsigned)((char *)start.record - buffer->data);
	return true;
}

bool gshmemi_engine_flag(struct gshmemi_engine *e, const struct gshmemi_target *to, uint64_t value)
{
	struct start start;

	if (!begin_record(e, to, head_for(to, GSHMEMI_FLAG, 0, 8, 0, 0), 0, &start))
		return false;
	e->counts.natomics++;
	start.record->u.amo.value = value;
	return true;
}

/* ---- operations with an answer, and bulk ---- */

static struct item *take_item(struct gshmemi_engine *e, struct gshmemi_open *open)
{
	struct item *item = e->free_items;

	if (!item) {
		e->counts.nrefused++;
		return NULL;
	}
	e->free_items = item->next;
	memset(item, 0, sizeof *item);
	item->number = ++e->nitems;
	item->open = open;
	if (open)
		open->nopen++;
	return item;
}

static void free_item(struct gshmemi_engine *e, struct item *item)
{
	item->next = e->free_items;
	e->free_items = item;
}

static void close_open(struct item *item)
{
	if (item->open) /* release: what was fetched is in memory */
		__atomic_store_n(&item->open->nopen, item->open->nopen - 1, __ATOMIC_RELEASE);
	item->open = NULL;
}

static void give_up(struct gshmemi_engine *e, struct item *item)
{
	close_open(item);
	free_item(e, item);
}

/* Adds the item to those that its context's quiet waits for. */
static void enter_context(struct item *item, struct connection *c, struct context *context)
{
	item->connection = c;
	item->context = context;
	item->older = context->newest;
	if (context->newest)
		context->newest->newer = item;
	else
		context->oldest = item;
	context->newest = item;
}

static void leave_context(struct gshmemi_engine *e, struct item *item)
{
	struct context *context = item->context;

	if (item->older)
		item->older->newer = item->newer;
	else
		context->oldest = item->newer;
	if (item->newer)
		item->newer->older = item->older;
	else
		context->newest = item->older;
	give_up(e, item);
}

/* Adds a record whose answer, of nbytes, belongs to a new item. */
static struct gshmemi_op_record *ask_owner(struct gshmemi_engine *e, const struct gshmemi_target *to,
	uint64_t head, void *dest, size_t nbytes, struct gshmemi_open *open)
{
	struct item *item = take_item(e, open);
	struct start start;

	if (!item)
		return NULL;
	if (!begin_record(e, to, head, 0, &start)) {
		give_up(e, item);
		return NULL;
	}
	item->memory = dest;
	item->nbytes = nbytes;
	*gshmemi_wire_cookie(start.record) = (uintptr_t)item;
	enter_context(item, start.connection, start.context);
	return start.record;
}

/* Adds the record of an atomic or accumulate, with an item for the answer if it FETCHES. */
static struct gshmemi_op_record *begin_update(struct gshmemi_engine *e, const struct gshmemi_target *to,
	uint64_t head, void *dest, size_t nbytes, struct gshmemi_open *open)
{
	struct gshmemi_op_record *r = NULL;
	struct start start;

	if (head & GSHMEMI_OP_FETCHES)
		r = ask_owner(e, to, head, dest, nbytes, open);
	else if (begin_record(e, to, head, 0, &start))
		r = start.record;
	e->counts.natomics += r != NULL;
	return r;
}

bool gshmemi_engine_amo(struct gshmemi_engine *e, const struct gshmemi_target *to, int op, uint64_t value,
	uint64_t cond, unsigned nbytes, void *dest, struct gshmemi_open *open)
{
	const bool fetches = open || dest;
	const uint64_t head = head_for(to, GSHMEMI_AMO, op, nbytes, fetches ? GSHMEMI_OP_FETCHES : 0, 0);
	struct gshmemi_op_record *r = begin_update(e, to, head, dest, nbytes, open);

	if (!r)
		return false;
	r->u.amo.value = value;
	if (op == GSHMEMI_AMO_CAS)
		r->u.amo.cond = cond;
	return true;
}

/* A record of elements that fills a message, or an answer that does. */
size_t gshmemi_engine_elements_nbytes(const struct gshmemi_engine *e)
{
	const size_t head_nbytes =
		gshmemi_wire_head_nbytes(gshmemi_op_head(GSHMEMI_ACCUMULATE, 0, 1, GSHMEMI_OP_FETCHES, 0, 0));

	return (e->message_nbytes - sizeof(struct gshmemi_net_head) - head_nbytes) & ~(size_t)15;
}

bool gshmemi_engine_accumulate(struct gshmemi_engine *e, const struct gshmemi_target *to,
	struct gshmemi_win_update u, uint64_t lock, const void *data, size_t nbytes, void *dest,
	struct gshmemi_open *open)
{
	const unsigned flags = open ? GSHMEMI_OP_FETCHES : 0;
	const size_t ndata = u.op == GSHMEMI_ACCUMULATE_SWAP ? 2 * nbytes : nbytes;
	const uint64_t head = head_for(to, GSHMEMI_ACCUMULATE, u.op, u.nbytes, flags, ndata);
	struct gshmemi_op_record *r = begin_update(e, to, head, dest, nbytes, open);

	if (!r)
		return false;
	r->place |= (uint64_t)u.kind << GSHMEMI_OP_NBYTES_SHIFT;
	r->u.elements.lock = lock;
	if (u.op != GSHMEMX_NO_OP)
		memcpy(gshmemi_wire_data(r), data, ndata);
	return true;
}

bool gshmemi_engine_get(struct gshmemi_engine *e, const struct gshmemi_target *from, void *dest,
	size_t nbytes, struct gshmemi_open *open)
{
	const uint64_t head = head_for(from, GSHMEMI_GET, 0, 1, 0, nbytes);
	const bool is_asked = ask_owner(e, from, head, dest, nbytes, open) != NULL;

	e->counts.ngets += is_asked;
	return is_asked;
}

bool gshmemi_engine_lock(struct gshmemi_engine *e, const struct gshmemi_target *to, int which, uint32_t turn,
	struct gshmemi_open *open)
{
	struct gshmemi_op_record *r =
		ask_owner(e, to, head_for(to, GSHMEMI_LOCK, which, 8, 0, 0), NULL, 0, open);

	if (!r)
		return false;
	r->u.amo.value = turn;
	return true;
}

/* An old word is data of 8 bytes, of which the item's memory may be the first 4. */
void gshmemi_net_answered(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r)
{
	struct item *item = (struct item *)(uintptr_t)*gshmemi_wire_cookie(r);
	struct gshmemi_op_record refused = {0};

	if (!item) { /* is_refused in perform.c */
		memcpy(&refused, gshmemi_wire_data(r), GSHMEMI_WIRE_REFUSED_NBYTES);
		e->config.owner.refused(e->config.owner.user, c->pe, &refused);
		return;
	}
	if (item->memory)
		memcpy(item->memory, gshmemi_wire_data(r), item->nbytes);
	if (item->open && gshmemi_op_who(r->head))
		memcpy(&item->open->value, gshmemi_wire_data(r), sizeof item->open->value);
	leave_context(e, item);
}

bool gshmemi_engine_signal(
	struct gshmemi_engine *e, const struct gshmemi_target *to, int op, uint64_t value, uint64_t bulk)
{
	struct start start;

	if (!begin_record(e, to, head_for(to, GSHMEMI_AMO, op, 8, 0, 0), bulk, &start))
		return false;
	e->counts.natomics++;
	start.record->u.amo.value = value;
	return true;
}

/* ---- bulk ---- */

static struct item *create_bulk(struct gshmemi_engine *e, const struct gshmemi_target *to, void *memory,
	size_t nbytes, struct gshmemi_open *open)
{
	struct connection *c = gshmemi_net_connection(e, to->pe);
	struct context *context = c ? find_context(c, to->context) : NULL;
	struct item *item = context ? take_item(e, open) : NULL;

	if (!item)
		return NULL;
	item->connection = c;
	item->context = context;
	item->region = to->region;
	item->offset = to->offset;
	item->memory = memory;
	item->nbytes = nbytes;
	item->after = context->fenced;
	e->counts.nbulks++;
	gshmemi_net_activate(e, c);
	return item;
}

bool gshmemi_engine_put_bulk(struct gshmemi_engine *e, const struct gshmemi_target *to, const void *source,
	size_t nbytes, struct gshmemi_open *open, uint64_t *number_p)
{
	struct item *item = create_bulk(e, to, (void *)(uintptr_t)source, nbytes, open);
	struct connection *c;

	if (!item)
		return false;
	c = item->connection;
	item->is_put = true;
	item->context->nbulks = *number_p = ++c->nbulks;
	*c->puts_end = item;
	c->puts_end = &item->next;
	if (!c->putting)
		c->putting = item;
	(void)gshmemi_net_begin_chunks(e, c);
	return true;
}

bool gshmemi_engine_get_bulk(struct gshmemi_engine *e, const struct gshmemi_target *from, void *dest,
	size_t nbytes, struct gshmemi_open *open)
{
	struct item *item = create_bulk(e, from, dest, nbytes, open);
	struct connection *c;

	if (!item)
		return false;
	c = item->connection;
	enter_context(item, c, item->context);
	*c->gets_end = item;
	c->gets_end = &item->next;
	(void)gshmemi_net_begin_chunks(e, c);
	return true;
}

/*
 * If the chunks allowed in flight can carry the whole bulk eagerly (the link sends so much without asking
 * first), chunks have that size.
 */
static size_t chunk_nbytes(const struct item *item)
{
	const struct connection *c = item->connection;
	const size_t most =
		item->nbytes <= GSHMEMI_NET_NCHUNKS * c->eager_nbytes ? c->eager_nbytes : c->chunk_nbytes;

	return item->nbytes - item->at < most ? (size_t)(item->nbytes - item->at) : most;
}

/* Starts chunk number: adds its record and hands it to the link. */
static bool begin_chunk(
	struct gshmemi_engine *e, struct item *item, int what, uint64_t number, struct sending *chunk)
{
	const size_t nbytes = chunk_nbytes(item);
	const uint64_t head = gshmemi_op_head(what, 0, 1, 0, item->region, nbytes);
	struct gshmemi_op_record *r;

	if (!wait_for(e, item->connection, item->at ? 0 : item->after) ||
		!(r = add_record(e, item->connection, head)))
		return false;
	r->place = item->offset + item->at;
	r->u.amo.value = number;
	chunk->item = item;
	chunk->transfer.memory = item->memory + item->at;
	chunk->transfer.nbytes = nbytes;
	chunk->transfer.tag = gshmemi_net_tag(number, what == GSHMEMI_GET_CHUNK);
	item->at += nbytes;
	item->nchunks++;
	item->context->nrecords = item->connection->nrecords;
	e->counts.nchunks++;
	gshmemi_net_transfer(e, chunk);
	return true;
}

static bool begin_put_chunk(struct gshmemi_engine *e, struct connection *c)
{
	struct item *item = c->putting;
	struct sending *chunk = &c->put_chunks[(c->nchunks + 1) % GSHMEMI_NET_NCHUNKS];

	if (!item || chunk->is_busy || c->nchunks - c->nlanded >= GSHMEMI_NET_NCHUNKS ||
		!begin_chunk(e, item, GSHMEMI_CHUNK, c->nchunks + 1, chunk))
		return false;
	item->last_chunk = ++c->nchunks;
	if (item->at == item->nbytes) {
		c->nbulks_begun++;
		c->putting = item->next;
	}
	return true;
}

static bool begin_get_chunk(struct gshmemi_engine *e, struct connection *c)
{
	struct item *item = c->gets;
	struct sending *chunk = &c->get_chunks[(c->ngot + 1) % GSHMEMI_NET_NCHUNKS];

	if (!item || chunk->is_busy || !begin_chunk(e, item, GSHMEMI_GET_CHUNK, c->ngot + 1, chunk))
		return false;
	c->ngot++;
	c->ngetting++;
	if (item->at == item->nbytes) {
		c->gets = item->next;
		if (!c->gets)
			c->gets_end = &c->gets;
	}
	return true;
}

bool gshmemi_net_begin_chunks(struct gshmemi_engine *e, struct connection *c)
{
	bool has_begun = false;

	while (begin_put_chunk(e, c))
		has_begun = true;
	while (begin_get_chunk(e, c))
		has_begun = true;
	return has_begun;
}

/* Bulk lands in order. Its item stays until its chunks have also left, which the link may report later. */
static void retire_puts(struct gshmemi_engine *e, struct connection *c)
{
	struct item *item;

	while ((item = c->puts) && item != c->putting && item->last_chunk <= c->nlanded && !item->nchunks) {
		c->puts = item->next;
		if (!c->puts)
			c->puts_end = &c->puts;
		c->nbulks_landed++;
		free_item(e, item);
	}
}

void gshmemi_net_chunk_done(struct gshmemi_engine *e, struct sending *sending)
{
	struct item *item = sending->item;
	struct connection *c = sending->connection;

	item->nchunks--;
	gshmemi_net_activate(e, c);
	if (sending->what == TAKES_GOT)
		c->ngetting--;
	if (item->nchunks || item->at < item->nbytes)
		return;
	if (sending->what == TAKES_GOT) {
		leave_context(e, item);
		return;
	}
	close_open(item);
	retire_puts(e, c);
}

void gshmemi_net_hear_landed(struct gshmemi_engine *e, struct connection *c, uint64_t nlanded)
{
	if (nlanded <= c->nlanded)
		return;
	c->nlanded = nlanded;
	gshmemi_net_activate(e, c);
	retire_puts(e, c);
}

/* ---- order ---- */

void gshmemi_engine_fence(struct gshmemi_engine *e, int number)
{
	struct connection *c;
	struct context *context;

	for (c = e->first; c; c = c->next) {
		if (c->open)
			c->open->last_put = 0; /* a new record: the owner keeps records in order, not bytes */
		for (context = c->contexts; context; context = context->next)
			if (context->number == number)
				context->fenced = context->nbulks;
	}
}

int gshmemi_engine_sends_to(const struct gshmemi_engine *e, int number)
{
	const struct connection *c;
	const struct item *item;

	for (c = e->first; c; c = c->next)
		for (item = c->puts; item; item = item->next)
			if (item->context->number == number && (item->nchunks || item->at < item->nbytes))
				return c->pe;
	return -1;
}

/* A PE at which something is open. */
struct marked {
	struct connection *connection;
	struct context *context; /* NULL: for flags */
	uint64_t nrecords;
	uint64_t nbulks;
	uint64_t item;
};

struct gshmemi_mark {
	unsigned n;
	int context;
	struct marked marked[];
};

static bool is_named(int pe, const int *target_pes, size_t npes)
{
	size_t i;

	for (i = 0; target_pes && i < npes; i++)
		if (target_pes[i] == pe)
			return true;
	return !target_pes;
}

static struct context *find_open(struct connection *c, int number)
{
	struct context *context = c->contexts;

	while (context && (context->number != number || is_over(c, context)))
		context = context->next;
	return context;
}

/* Finds what is open at a PE in a context, or of all flags; returns false if nothing is. */
static bool mark_open(const struct gshmemi_engine *e, struct connection *c, int number, struct marked *m)
{
	struct context *context;

	if (number == GSHMEMI_ENGINE_FLAGS) {
		*m = (struct marked){c, NULL, c->last_flag, 0, 0};
		return c->nperformed < c->last_flag;
	}
	context = find_open(c, number);
	if (context)
		*m = (struct marked){c, context, context->nrecords, context->nbulks, e->nitems};
	return context != NULL;
}

int gshmemi_engine_mark(struct gshmemi_engine *e, int number, const int *target_pes, size_t npes,
	struct gshmemi_mark **mark_p)
{
	struct gshmemi_mark *mark = NULL;
	struct connection *c;
	struct marked m;
	unsigned n = 0;

	*mark_p = NULL;
	for (c = e->first; c; c = c->next)
		n += mark_open(e, c, number, &m) && is_named(c->pe, target_pes, npes);
	if (!n)
		return 0;
	mark = malloc(sizeof *mark + n * sizeof *mark->marked);
	if (!mark)
		return -ENOMEM;
	mark->n = 0;
	mark->context = number;
	for (c = e->first; c; c = c->next) {
		if (!mark_open(e, c, number, &m) || !is_named(c->pe, target_pes, npes))
			continue;
		mark->marked[mark->n++] = m;
		/* otherwise the owner may take its time to acknowledge them */
		c->must_ping |= number == GSHMEMI_ENGINE_FLAGS;
		if (c->open)
			c->urgency = IS_AWAITED;
		gshmemi_net_activate(e, c);
	}
	*mark_p = mark;
	return 0;
}

/* If the context has another number now, it was over at some time in between. */
static bool is_marked_over(const struct marked *m, int number)
{
	const struct context *context = m->context;

	if (!context)
		return m->connection->nperformed >= m->nrecords;
	return context->number != number ||
		(m->connection->nperformed >= m->nrecords && m->connection->nbulks_landed >= m->nbulks &&
			(!context->oldest || context->oldest->number > m->item));
}

bool gshmemi_engine_is_over(struct gshmemi_engine *e, struct gshmemi_mark *mark)
{
	(void)e;
	while (mark->n && is_marked_over(&mark->marked[mark->n - 1], mark->context))
		mark->n--;
	if (mark->n)
		return false;
	free(mark);
	return true;
}

int gshmemi_mark_pe(const struct gshmemi_mark *mark)
{
	return mark->marked[mark->n - 1].connection->pe;
}

bool gshmemi_engine_is_idle(const struct gshmemi_engine *e)
{
	const struct connection *c;
	const struct context *context;

	for (c = e->first; c; c = c->next) {
		if (c->nperformed < c->last_flag)
			return false;
		for (context = c->contexts; context; context = context->next)
			if (!is_over(c, context))
				return false;
	}
	return true;
}
