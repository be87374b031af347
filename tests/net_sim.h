/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Engines of src/net in one process, connected by a simulated link. The including test chooses what happens
 * next (sim_choose): which message arrives, which bulk lands, which send is reported done. This file compiles
 * the engines; their loads and stores to regions go to net_watch.h.
 *
 * The link reads what it sends as late as allowed, and overwrites the memory of messages when it returns it.
 */
#ifndef NET_SIM_H
#define NET_SIM_H

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "helpers.h"

/* The first error; empty: none. */
static char sim_violation[256];

__attribute__((format(printf, 1, 2))) static void sim_violate(const char *format, ...)
{
	va_list args;

	if (sim_violation[0])
		return;
	va_start(args, format);
	vsnprintf(sim_violation, sizeof sim_violation, format, args);
	va_end(args);
}

#define sim_check(cond, ...) \
	do { \
		if (!(cond)) \
			sim_violate(__VA_ARGS__); \
	} while (0)

#include "base/base.h"
#include <gshmem/move/carry.h>
#include <gshmemx_win.h>

/* Memory that is part of a state, in tests with states. */
#ifdef SIM_ARENA
static void *sim_alloc(size_t nbytes);
static void sim_free(void *p);
#define sim_poison 0 /* fewer states */
#else
#define sim_alloc(nbytes) calloc(1, nbytes)
#define sim_free(p)       free(p)
#define sim_poison        0xa5
#endif

static uint64_t sim_now_ns = 1;

/* ---- the engine, which sees memory through net_watch.h ---- */

static void sim_store(void *dest, uint64_t word, unsigned nbytes);
static void sim_copy(int way, char *dest, const char *source, uint64_t nbytes);
static void sim_fence(void);
static uint64_t sim_amo(int op, void *dest, uint64_t value, uint64_t cond, uint64_t nbytes);
static void sim_raise(uint64_t *flag, uint64_t value);

#define gshmemi_arch_store(dest, word, nbytes)          sim_store(dest, word, nbytes)
#define gshmemi_apply_copy(way, dest, source, nbytes)   sim_copy(way, dest, source, nbytes)
#define gshmemi_arch_fence_release()                    sim_fence()
#define gshmemi_arch_fence_acquire()                    sim_fence()
#define gshmemi_amo_peer(op, dest, value, cond, nbytes) sim_amo(op, dest, value, cond, nbytes)
#define gshmemi_apply_flag(flag, value)                 sim_raise(flag, value)
#define gshmemi_arch_clock_ns()                         sim_now_ns
#ifdef SIM_ARENA
#define malloc(nbytes)    sim_alloc(nbytes)
#define calloc(n, nbytes) sim_alloc((n) * (nbytes))
#define free(p)           sim_free(p)
#define realloc           not_here
#endif
#include "../src/engine/engine.c"
#include "../src/engine/perform.c"
#include "../src/engine/accumulate.c"
#include "../src/engine/drive.c"
#include "../src/engine/defer.c"
#include "../src/engine/ask.c"
#ifdef SIM_ARENA
#undef malloc
#undef calloc
#undef free
#undef realloc
#endif
#undef gshmemi_arch_store
#undef gshmemi_apply_copy
#undef gshmemi_arch_fence_release
#undef gshmemi_arch_fence_acquire
#undef gshmemi_amo_peer
#undef gshmemi_apply_flag
#undef gshmemi_arch_clock_ns

/* ---- the link ---- */

/* A transfer, from its start until both ends know of its end. */
struct sim_entry {
	struct sim_entry *next;
	struct gshmemi_transfer *transfer;
	size_t nbytes;
	uint32_t tag;
	uint8_t kind;
	int8_t from, to;
	bool is_arrival; /* bulk that its receiver expects */
	bool is_done;    /* the sender has its memory back; data is a copy */
	bool is_delivered;
	char data[];
};

/* An event that may happen to a PE. */
struct sim_event {
	struct sim_entry *entry; /* NULL: nothing */
	bool is_done;            /* a send is done; else it arrives, or lands */
};

struct sim_end {
	struct gshmemi_link link; /* first */
	int pe;
	char *came; /* the message that poll returned last */
};

static struct sim {
	int npes;
	bool is_fifo; /* messages of one PE arrive in order */
	size_t message_nbytes;
	struct gshmemi_engine *engines[SIM_PES];
	struct sim_end ends[SIM_PES];
	struct sim_entry *entries; /* by sender and receiver, then as they were started */
} sim;

static uint64_t sim_nfilled[SIM_PES][SIM_PES]; /* how often a credit was used up */

static struct sim_event sim_choose(int pe);
static void sim_fill_bulk(char *dest, const char *source, size_t nbytes);

static struct gshmemi_engine *sim_engine(int pe)
{
	return sim.engines[pe];
}

static int sim_start(struct gshmemi_link *link, struct gshmemi_transfer *transfer)
{
	const int pe = ((struct sim_end *)link)->pe;
	struct sim_entry *entry, **at = &sim.entries;
	const struct connection *c;

	for (entry = sim.entries; entry; entry = entry->next)
		sim_check(entry->transfer != transfer || entry->is_done,
			"PE %d starts a transfer that is under way", pe);
	sim_check(transfer->kind == GSHMEMI_LINK_BULK ? transfer->tag < 1U << 15
						      : transfer->nbytes <= sim.message_nbytes,
		"PE %d starts a transfer of kind %d with tag %u and %zu bytes", pe, transfer->kind,
		transfer->tag, transfer->nbytes);
	entry = sim_alloc(sizeof *entry + transfer->nbytes);
	entry->transfer = transfer;
	entry->nbytes = transfer->nbytes;
	entry->kind = transfer->kind;
	entry->tag = transfer->kind == GSHMEMI_LINK_BULK ? transfer->tag : 0;
	entry->is_arrival = transfer->is_arrival;
	entry->from = (int8_t)(transfer->is_arrival ? transfer->pe : pe);
	entry->to = (int8_t)(transfer->is_arrival ? pe : transfer->pe);
	while (*at && ((*at)->from < entry->from || ((*at)->from == entry->from && (*at)->to <= entry->to)))
		at = &(*at)->next;
	entry->next = *at;
	*at = entry;
	if (transfer->kind == GSHMEMI_LINK_REQUEST) {
		c = sim_engine(pe)->connections[entry->to];
		sim_nfilled[pe][entry->to] += c->next_seq == c->limit;
	}
	return 0;
}

static void sim_remove(struct sim_entry *entry)
{
	struct sim_entry **at = &sim.entries;

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	sim_free(entry);
}

static const char *sim_bytes(const struct sim_entry *entry)
{
	return entry->is_done ? entry->data : entry->transfer->memory;
}

/* The bulk that an arrival expects; NULL: it has not left. */
static struct sim_entry *sim_find_bulk(const struct sim_entry *arrival)
{
	struct sim_entry *entry;

	for (entry = sim.entries; entry; entry = entry->next)
		if (!entry->is_arrival && !entry->is_delivered && entry->kind == GSHMEMI_LINK_BULK &&
			entry->from == arrival->from && entry->to == arrival->to &&
			entry->tag == arrival->tag)
			break;
	return entry;
}

/* Lists up to n events that may happen to PE; returns their number. */
static unsigned sim_list(int pe, struct sim_event *events, unsigned n)
{
	unsigned nfound = 0, seen = 0;
	struct sim_entry *entry;

	for (entry = sim.entries; entry && nfound < n; entry = entry->next) {
		if (entry->is_arrival) {
			if (entry->to == pe && sim_find_bulk(entry))
				events[nfound++] = (struct sim_event){entry, false};
			continue;
		}
		if (entry->to == pe && !entry->is_delivered && entry->kind != GSHMEMI_LINK_BULK) {
			if (!sim.is_fifo || !(seen >> entry->from & 1))
				events[nfound++] = (struct sim_event){entry, false};
			seen |= 1U << entry->from;
		}
		if (entry->from == pe && !entry->is_done && nfound < n)
			events[nfound++] = (struct sim_event){entry, true};
	}
	return nfound;
}

/*
 * Checks that the owner has granted each request, and that records are 8 bytes apart,
 * as the wire format promises.
 */
static void sim_check_request(int pe, const struct sim_entry *entry, const char *data)
{
	const struct connection *c = sim_engine(pe)->connections[entry->from];
	const struct gshmemi_engine_config *config = &sim_engine(pe)->config;
	struct gshmemi_net_head head;

	memcpy(&head, data, sizeof head);
	sim_check(head.nbytes == entry->nbytes - sizeof head && head.nbytes % 8 == 0 && head.nrecords,
		"a request of %zu bytes has %u of records", entry->nbytes, head.nbytes);
	sim_check(gshmemi_net_is_below(head.seq, c ? c->granted : config->first_seq + config->credit),
		"PE %d sent request %u to PE %d, beyond its credit", entry->from, head.seq, pe);
}

static void sim_done(struct sim_entry *entry)
{
	if (!entry->is_delivered)
		memcpy(entry->data, entry->transfer->memory, entry->nbytes);
	if (entry->kind != GSHMEMI_LINK_BULK)
		memset(entry->transfer->memory, sim_poison, entry->nbytes);
	entry->is_done = true;
	if (entry->is_delivered)
		sim_remove(entry);
}

static void sim_deliver(struct sim_entry *entry)
{
	entry->is_delivered = true;
	if (entry->is_done)
		sim_remove(entry);
	else
		memset(entry->data, 0, entry->nbytes);
}

static void sim_land(struct sim_entry *arrival)
{
	struct sim_entry *bulk = sim_find_bulk(arrival);

	sim_check(bulk->nbytes == arrival->nbytes, "bulk of %zu bytes comes to where %zu go", bulk->nbytes,
		arrival->nbytes);
	sim_fill_bulk(arrival->transfer->memory, sim_bytes(bulk), bulk->nbytes);
	sim_deliver(bulk);
	sim_remove(arrival);
}

static int sim_poll(struct gshmemi_link *link, struct gshmemi_link_event *event)
{
	struct sim_end *end = (struct sim_end *)link;
	struct sim_event chosen;

	memset(event, 0, sizeof *event);
	if (end->came)
		sim_free(end->came);
	end->came = NULL;
	chosen = sim_choose(end->pe);
	if (!chosen.entry)
		return 0;
	event->transfer = chosen.entry->transfer;
	event->what = GSHMEMI_LINK_DONE;
	if (chosen.is_done) {
		sim_done(chosen.entry);
	} else if (chosen.entry->is_arrival) {
		sim_land(chosen.entry);
	} else {
		event->what = GSHMEMI_LINK_CAME;
		event->transfer = NULL;
		event->pe = chosen.entry->from;
		event->kind = chosen.entry->kind;
		event->nbytes = chosen.entry->nbytes;
		event->data = end->came = sim_alloc(event->nbytes);
		memcpy(end->came, sim_bytes(chosen.entry), event->nbytes);
		if (event->kind == GSHMEMI_LINK_REQUEST)
			sim_check_request(end->pe, chosen.entry, end->came);
		sim_deliver(chosen.entry);
	}
	return 0;
}

static size_t sim_size(const struct gshmemi_link *link)
{
	(void)link;
	return sim.message_nbytes;
}

static void sim_end(struct gshmemi_link *link)
{
	const struct sim_entry *entry;
	const int pe = ((struct sim_end *)link)->pe;

	for (entry = sim.entries; entry; entry = entry->next)
		sim_check(entry->from != pe && entry->to != pe,
			"PE %d ends its link, with something under way", pe);
}

static char *sim_find(void *user, int pe, unsigned region, uint64_t offset, uint64_t nbytes);

static bool sim_silent(void *user, int pe, uint64_t ns, const struct gshmemi_engine_unanswered *what)
{
	(void)user;
	(void)pe;
	(void)ns;
	(void)what;
	return false;
}

/* Engines of one kind, as config says; this sets link and owner. */
static void sim_open(int npes, size_t message_nbytes, const struct gshmemi_engine_config *config)
{
	struct gshmemi_engine_config mine = *config;
	int pe;

	memset(&sim, 0, sizeof sim);
	sim.npes = mine.npes = npes;
	sim.message_nbytes = message_nbytes;
	for (pe = 0; pe < npes; pe++) {
		sim.ends[pe] = (struct sim_end){{sim_start, sim_poll, sim_size, sim_end}, pe, NULL};
		mine.link = &sim.ends[pe].link;
		mine.owner =
			(struct gshmemi_engine_owner){sim_find, sim_silent, NULL, &sim.ends[pe], NULL, NULL};
		sim.engines[pe] = gshmemi_engine_create(&mine);
	}
}

__attribute__((unused)) static void sim_close(void)
{
	int pe;

	for (pe = 0; pe < sim.npes; pe++)
		gshmemi_engine_destroy(sim.engines[pe]);
}

/* ---- what an engine must be like ---- */

/* At all times: a credit is with the engine or granted, and held messages were granted. */
static void sim_check_engine(int pe)
{
	const struct gshmemi_engine *e = sim_engine(pe);
	const struct connection *c;
	const struct kept *kept;
	unsigned ngranted = 0, nheld = 0, n;

	for (c = e->first; c; c = c->next) {
		ngranted += c->ngranted;
		for (n = 0, kept = c->kept; kept; kept = kept->next)
			n++;
		nheld += n;
		sim_check(n <= e->config.credit + c->ngranted,
			"PE %d holds %u messages of PE %d, which may send %u", pe, n, c->pe,
			e->config.credit + c->ngranted);
	}
	sim_check(ngranted + e->ncredits == e->config.ncredits,
		"PE %d has %u credits, has granted %u, and began with %u", pe, e->ncredits, ngranted,
		e->config.ncredits);
	sim_check(nheld == e->nheld, "PE %d holds %u messages, and counts %u", pe, nheld, e->nheld);
}

static unsigned sim_nfree(const struct pool *pool)
{
	const struct buffer *buffer;
	unsigned n = 0;

	for (buffer = pool->free; buffer; buffer = buffer->next)
		n++;
	return n;
}

/* When nothing is in flight or open: everything is back where it was. */
static void sim_check_idle(int pe)
{
	const struct gshmemi_engine *e = sim_engine(pe);
	const struct item *item;
	const struct connection *c;
	unsigned n = 0;

	for (item = e->free_items; item; item = item->next)
		n++;
	sim_check(gshmemi_engine_is_idle(e), "PE %d is not idle at the end", pe);
	sim_check(n == e->config.nitems, "PE %d has lost items: %u of %u are left", pe, n, e->config.nitems);
	sim_check(sim_nfree(&e->requests) == e->config.nbuffers &&
			sim_nfree(&e->responses) == e->config.nbuffers,
		"PE %d has lost buffers: %u and %u of %u are left", pe, sim_nfree(&e->requests),
		sim_nfree(&e->responses), e->config.nbuffers);
	sim_check(!e->nheld && !e->waiters, "PE %d holds %u messages at the end", pe, e->nheld);
	for (c = e->first; c; c = c->next)
		sim_check(c->nperformed == c->nrecords && c->nlanded == c->nchunks &&
				c->nbulks_landed == c->nbulks && !c->puts && !c->gets && !c->ngetting &&
				!c->nqueued,
			"PE %d has something open at PE %d at the end", pe, c->pe);
}

#endif /* NET_SIM_H */
