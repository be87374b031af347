/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of the engine: what it keeps for each PE that it has communicated with. Only for the
 * engine's own files.
 */
#ifndef GSHMEMI_ENGINE_CONNECTION_H
#define GSHMEMI_ENGINE_CONNECTION_H

#include "engine/agent.h"
#include "engine/engine.h"
#include "engine/wire.h"

#define GSHMEMI_NET_NCHUNKS 2 /* chunks put to a PE, or got from it, that have not landed; a power of two */
/* numbers of chunks in tags, whose lowest bit says which side names the memory */
#define GSHMEMI_NET_NTAGS   (1U << 14)

enum sending_what { SENDS_BUFFER, SENDS_ACK, SENDS_CHUNK, TAKES_CHUNK, SENDS_GOT, TAKES_GOT };

/* What has been handed to the link. */
struct sending {
	struct gshmemi_transfer transfer; /* first */
	enum sending_what what;
	bool is_busy;
	struct connection *connection;
	struct item *item; /* of chunks of this PE's operations */
	/* of chunks of other PEs' operations, with an agent: the landing of a chunk in flight; NULL: none */
	struct gshmemi_landing *landing;
	uint64_t chunk; /* TAKES_CHUNK: its number */
};

/* A message that is being filled or is in flight. */
struct buffer {
	struct sending sending; /* first */
	struct buffer *next;
	struct pool *pool;
	unsigned last_put; /* offset of the last record, if it is a put that may grow; else 0 */
	char *data;
};

struct pool {
	struct buffer *free;
	struct buffer *all;
	char *memory;
	unsigned nbuffers;
};

struct buffers {
	struct buffer *first, *last;
};

/* An operation that is longer than a record, or wants an answer. */
struct item {
	struct item *next;          /* in a queue of bulk */
	struct item *older, *newer; /* other items of its context that fetch */
	uint64_t number;
	struct connection *connection;
	struct context *context;
	unsigned region;
	uint64_t offset;
	char *memory; /* source or dest; NULL: the answer goes only to open->value */
	uint64_t nbytes;
	uint64_t at;      /* bytes that already have chunks */
	unsigned nchunks; /* its chunks in flight */
	uint64_t last_chunk;
	bool is_put;
	uint64_t after; /* of a put: a bulk that must land first, because of its context's fence */
	struct gshmemi_open *open;
};

/* What a context has open at a PE. */
struct context {
	struct context *next;
	int number;
	uint64_t nrecords;            /* number of its last record in the stream */
	uint64_t nbulks;              /* number of its last bulk, on this connection */
	uint64_t fenced;              /* nbulks at its last fence */
	struct item *oldest, *newest; /* its items that fetch */
};

/* A message that came out of order, or that cannot be performed completely yet. */
struct kept {
	struct kept *next;
	struct gshmemi_net_head head;
	unsigned at;    /* the records before this offset have been performed */
	unsigned nleft; /* records that have not */
	char data[];
};

/* What an agent was asked to do, in the order of the stream. */
#define GSHMEMI_NET_NPENDING 128
enum pending_kind { PENDING_OVER, PENDING_MAIL, PENDING_VALUE, PENDING_COPY };
struct pending {
	enum pending_kind kind;
	uint64_t ticket; /* MAIL */
	uint64_t value;  /* VALUE */
	bool is_answered;
	uint64_t cookie; /* for the answer */
	uint32_t nbytes; /* COPY */
	struct gshmemi_landing *landing;
};

/*
 * How soon a message leaves that is not full: it has only puts; it has something that somebody waits for; a
 * quiet waits for it.
 */
enum urgency { PUTS_ALONE, IS_URGENT, IS_AWAITED };

struct connection {
	struct connection *next; /* of the list of all */
	struct connection *next_active;
	bool is_active;
	int pe;

	/* this PE's operations on that PE: */
	struct buffer *open;  /* the message being filled */
	struct buffers queue; /* full messages */
	unsigned nqueued;     /* number of these, plus open */
	uint32_t next_seq;
	uint32_t limit;
	uint64_t nrecords;      /* records added to the stream */
	uint64_t ends[2];       /* nrecords after each of the last two messages sent, */
	uint64_t lone_puts_end; /* and after the last one that had only puts */
	enum urgency urgency;   /* of the message open */
	uint64_t last_flag;     /* number of the record of the last flag; flags are in no context */
	/* number of the record that gave credits back: limits told before it no longer count */
	uint64_t returned;
	uint64_t nperformed; /* as that PE has told */
	size_t chunk_nbytes; /* largest chunk sent to it or requested from it, */
	size_t eager_nbytes; /* and longest that the link sends without asking first; 0: not known */
	bool is_far;         /* on another machine */
	uint64_t nchunks;    /* begun */
	uint64_t nlanded;    /* as that PE has told */
	uint64_t nbulks, nbulks_begun, nbulks_landed; /* puts: queued; with all their chunks begun; landed */
	uint64_t last_chunk_begun;                    /* of bulk nbulks_begun */
	struct item *puts, **puts_end;                /* bulk, in order, without the first nbulks_landed */
	struct item *putting;                         /* the first of these with chunks to begin */
	struct item *gets, **gets_end;                /* with chunks to begin */
	uint64_t ngot;                                /* chunks begun */
	unsigned ngetting;                            /* of these, in flight */
	struct sending put_chunks[GSHMEMI_NET_NCHUNKS], get_chunks[GSHMEMI_NET_NCHUNKS];
	struct context *contexts;

	/* that PE's operations on this PE: */
	uint32_t expected; /* seq of the next request */
	uint32_t granted;  /* the limit that it has been told, or will be */
	unsigned ngranted; /* how many of the engine's credits it has */
	struct kept *kept; /* in the order of seq */
	uint64_t nperformed_here;
	uint64_t nlanded_here;
	uint64_t landed_beyond; /* bit i: chunk nlanded_here + 1 + i */
	struct sending taking[GSHMEMI_NET_NCHUNKS], giving[GSHMEMI_NET_NCHUNKS];
	/* [GSHMEMI_NET_NPENDING], with an agent: number i is at index i modulo that */
	struct pending *pending;
	uint64_t npending, nreaped;
	unsigned nlandings;          /* landings that hold a chunk being copied */
	struct gshmemi_drive *drive; /* the accumulate that has begun, or NULL */

	/* answers: */
	struct buffer *answer; /* the message being filled */
	struct buffers answers;
	bool has_refused; /* the record at the head of its stream */
	bool must_ack;
	unsigned ack_passes; /* passes left until it must acknowledge; 0: nothing that may wait has come */
	bool must_ping;
	struct sending ack;
	struct gshmemi_net_head ack_head;

	uint64_t heard_ns; /* when that PE last said something, or the connection was made, */
	uint64_t asked_ns; /* and when it was asked since whether it is there; 0: it was not */
};

/* A request that waits in a lock of this PE. */
struct waiter {
	struct waiter *next;
	struct connection *connection;
	uint64_t cookie;
	const uint64_t *word;
	int which; /* enum gshmemi_turn */
	uint32_t turn;
	struct gshmemi_op_record fetch; /* with an agent: the request to fetch the word */
	uint64_t mail;                  /* its ticket */
	bool is_fetching;
	uint64_t asked_ns;
};

struct gshmemi_engine {
	struct gshmemi_engine_config config;
	size_t message_nbytes;
	struct connection **connections; /* [npes]; NULL: no communication yet */
	struct connection *first;
	struct connection *active; /* connections with something to send or to perform */
	struct pool requests, responses;
	struct item *items;
	struct item *free_items;
	unsigned nitems_free;
	uint64_t nitems;   /* so far */
	unsigned ncredits; /* left */
	unsigned nheld;
	struct waiter *waiters;
	uint64_t now_ns;      /* when something last arrived */
	uint64_t listened_ns; /* when silence was last checked */
	int error;
	struct gshmemi_engine_counts counts;
};

/* ---- engine.c ---- */

/* Returns the connection, creating it if needed. NULL: out of memory, and the engine is dead. */
struct connection *gshmemi_net_connection(struct gshmemi_engine *e, int pe);
void gshmemi_net_activate(struct gshmemi_engine *e, struct connection *c);
void gshmemi_net_transfer(struct gshmemi_engine *e, struct sending *sending);
/* Adds a record with this head to the open message of a pool; NULL: no buffer is free. */
struct gshmemi_op_record *gshmemi_net_add(struct gshmemi_engine *e, struct connection *c,
	struct buffer **open_p, struct buffers *queue, struct pool *pool, uint64_t head);

/* ---- ask.c ---- */

/* Starts chunks; returns whether any started. */
bool gshmemi_net_begin_chunks(struct gshmemi_engine *e, struct connection *c);
/* A chunk of this PE's operations has left or arrived. */
void gshmemi_net_chunk_done(struct gshmemi_engine *e, struct sending *sending);
/* The owner has told how many chunks have landed. */
void gshmemi_net_hear_landed(struct gshmemi_engine *e, struct connection *c, uint64_t nlanded);
void gshmemi_net_answered(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r);
void gshmemi_net_free_contexts(struct connection *c);

/* ---- perform.c ---- */

/* PUT_OFF: try again later; BEGUN: its agent will say when it has been performed. */
enum performed { PUT_OFF, PERFORMED, BEGUN };

/* Where the record's place is. */
char *gshmemi_net_find(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r);
/* Adds an answer, and returns its data, of nbytes; NULL: there is no room yet. */
char *gshmemi_net_answer(struct gshmemi_engine *e, struct connection *c, uint64_t cookie, size_t nbytes);
/* Adds an answer of one word; false: there is no room yet. */
bool gshmemi_net_answer_word(struct gshmemi_engine *e, struct connection *c, uint64_t cookie, uint64_t word);
/* Parks a request that waits in a lock; false: out of memory. */
bool gshmemi_net_park(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r);

/* A request message has arrived. */
void gshmemi_net_take(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_head *head,
	const char *data);
/* Goes on with what was put off; returns whether something could be performed. */
bool gshmemi_net_go_on(struct gshmemi_engine *e, struct connection *c);
void gshmemi_net_landed_here(struct gshmemi_engine *e, struct sending *sending);
bool gshmemi_net_check_locks(struct gshmemi_engine *e);
void gshmemi_net_free_held(struct connection *c);

/* ---- accumulate.c ---- */

/*
 * acc becomes the elements that replace it; x is their part of the source. Of GSHMEMI_ACCUMULATE_SWAP there
 * is one, and x is followed by the element that it is compared with.
 */
void gshmemi_net_fold(struct gshmemi_win_update u, char *acc, const char *x, size_t nbytes);
/* Performs an ACCUMULATE; false: it is put off. */
bool gshmemi_net_update(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r);

/* ---- drive.c: with an agent ---- */

/* Goes on with an ACCUMULATE; false: it is put off. */
bool gshmemi_net_drive(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r);
void gshmemi_net_end_drive(struct connection *c);

/* ---- defer.c: with an agent ---- */

enum performed gshmemi_net_defer(
	struct gshmemi_engine *e, struct connection *c, const struct gshmemi_op_record *r);
/* Checks what has begun; returns whether anything has moved. */
bool gshmemi_net_reap(struct gshmemi_engine *e, struct connection *c);
/* A chunk has arrived in its landing; a chunk has left its landing. */
void gshmemi_net_chunk_came(struct gshmemi_engine *e, struct sending *in);
void gshmemi_net_chunk_left(struct gshmemi_engine *e, struct sending *out);

static inline bool gshmemi_net_is_pending(const struct connection *c)
{
	return c->npending != c->nreaped || c->nlandings;
}

/* The tag of a chunk; asker_takes: the asker names the memory. */
static inline uint32_t gshmemi_net_tag(uint64_t number, bool asker_takes)
{
	return (uint32_t)(number % GSHMEMI_NET_NTAGS) << 1 | asker_takes;
}

/* Whether there is credit for request seq. */
static inline bool gshmemi_net_is_below(uint32_t seq, uint32_t limit)
{
	return (int32_t)(limit - seq) > 0;
}

#endif /* GSHMEMI_ENGINE_CONNECTION_H */
