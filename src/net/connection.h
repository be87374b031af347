/* SPDX-License-Identifier: BSD-3-Clause */
/* The insides of the engine: what it keeps of each PE that it has had to do with. For the files of the engine alone. */
#ifndef GSHMEMI_NET_CONNECTION_H
#define GSHMEMI_NET_CONNECTION_H

#include "net/agent.h"
#include "net/engine.h"
#include "net/wire.h"

#define GSHMEMI_NET_NCHUNKS 2 /* that have been put to, or got from, a PE, and have not landed; a power of two */
#define GSHMEMI_NET_NTAGS   (1U << 14) /* numbers of chunks in tags, whose lowest bit says who names the memory */

enum sending_what { SENDS_BUFFER, SENDS_TELLING, SENDS_CHUNK, TAKES_CHUNK, SENDS_GOT, TAKES_GOT };

/* What the link has in its hands. */
struct sending {
	struct gshmemi_transfer transfer; /* first */
	enum sending_what what;
	bool is_busy;
	struct connection *connection;
	struct item *item;  /* of chunks of this PE's operations */
	struct gshmemi_landing *landing; /* of others', with an agent: where they are on their way; NULL: nowhere */
	uint64_t chunk;     /* TAKES_CHUNK: its number */
};

/* A message that is being filled, or is on its way. */
struct buffer {
	struct sending sending; /* first */
	struct buffer *next;
	struct pool *pool;
	unsigned last_put;  /* place of the last record, if it is a put that may grow; 0: it is not */
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
	struct item *next;        /* in a queue of bulk */
	struct item *older, *newer; /* of its context, where it fetches */
	uint64_t number;
	struct connection *connection;
	struct context *context;
	unsigned region;
	uint64_t offset;
	char *memory;             /* source or dest; NULL: nothing but open->value */
	uint64_t nbytes;
	uint64_t at;              /* bytes for which there are chunks */
	unsigned nchunks;         /* of them, on their way */
	uint64_t last_chunk;
	bool is_put;
	uint64_t after;           /* of a put: bulk that its context's fence has put before it */
	struct gshmemi_open *open;
};

/* What a context has open at a PE. */
struct context {
	struct context *next;
	int number;
	uint64_t nrecords;        /* record of the stream that was its last */
	uint64_t nbulks;          /* bulk that was its last, of the connection's */
	uint64_t fenced;          /* what nbulks was at its last fence */
	struct item *oldest, *newest; /* that fetch */
};

/* A message that came before its time, or cannot be performed to its end yet. */
struct held {
	struct held *next;
	struct gshmemi_net_head head;
	unsigned at;              /* records before this place have been performed */
	unsigned nleft;           /* records */
	char data[];
};

/* What an agent is asked for, in the order of the stream. */
#define GSHMEMI_NET_NPENDING 128
enum pending_kind { PENDING_OVER, PENDING_MAIL, PENDING_VALUE, PENDING_COPY };
struct pending {
	enum pending_kind kind;
	uint64_t ticket;  /* MAIL */
	uint64_t value;   /* VALUE */
	uint64_t cookie;  /* of the answer; 0: none */
	uint32_t nbytes;  /* COPY */
	struct gshmemi_landing *landing;
};

/* How soon a message leaves that is not full: with nothing but puts, with what somebody waits for, before a quiet. */
enum urgency { PUTS_ALONE, IS_URGENT, IS_AWAITED };

struct connection {
	struct connection *next;       /* of all */
	struct connection *next_active;
	bool is_active;
	int pe;

	/* what this PE asks of it */
	struct buffer *open;           /* being filled */
	struct buffers queue;          /* full */
	unsigned nqueued;              /* of them, with open */
	uint32_t next_seq;
	uint32_t limit;
	uint64_t nrecords;             /* handed to the stream */
	uint64_t ends[2];              /* what that was behind the last two messages that were sent, */
	uint64_t lone_puts_end;        /* and behind the last one that had nothing but puts */
	enum urgency urgency;          /* of open */
	uint64_t last_flag;            /* record that was the last flag: flags are in no context */
	uint64_t returned;             /* record that gave credits back: limits from before it count no more */
	uint64_t nperformed;           /* as it has told */
	size_t chunk_nbytes;           /* of what it is sent or asked for, */
	size_t eager_nbytes;           /* and of the longest that the link sends without asking; 0: not known */
	bool is_far;                   /* on another machine */
	uint64_t nchunks;              /* begun */
	uint64_t nlanded;              /* as it has told */
	uint64_t nbulks, nbulks_begun, nbulks_landed; /* puts: queued; with all of their chunks begun; landed */
	uint64_t last_chunk_begun;     /* of bulk nbulks_begun */
	struct item *puts, **puts_end; /* bulk, in order; the first nbulks_landed have gone */
	struct item *putting;          /* of these, the next with chunks to begin */
	struct item *gets, **gets_end; /* with chunks to begin */
	uint64_t ngot;                 /* chunks begun */
	unsigned ngetting;             /* of these, on their way */
	struct sending put_chunks[GSHMEMI_NET_NCHUNKS], get_chunks[GSHMEMI_NET_NCHUNKS];
	struct context *contexts;

	/* what it asks of this PE */
	uint32_t expected;             /* seq */
	uint32_t granted;              /* limit that it has been told, or will be */
	unsigned ngranted;             /* of the engine's credits */
	struct held *held;             /* by seq */
	uint64_t nperformed_here;
	uint64_t nlanded_here;
	uint64_t landed_beyond;        /* bit i: chunk nlanded_here + 1 + i */
	struct sending taking[GSHMEMI_NET_NCHUNKS], giving[GSHMEMI_NET_NCHUNKS];
	struct pending *pending;       /* [GSHMEMI_NET_NPENDING], with an agent: number i is at i modulo that */
	uint64_t npending, nreaped;
	unsigned nlandings;            /* of chunks, that copies come to or leave */

	/* answers */
	struct buffer *answer;         /* being filled */
	struct buffers answers;
	bool must_tell;
	unsigned tell_passes;          /* left until it must; 0: flags have not come alone */
	bool must_ping;
	struct sending telling;
	struct gshmemi_net_head told;

	uint64_t heard_ns;             /* when it said something, or the connection was made, */
	uint64_t asked_ns;             /* and when it was asked since; 0: it was not */
};

/* Who waits in a lock of this PE. */
struct waiter {
	struct waiter *next;
	struct connection *connection;
	uint64_t cookie;
	const uint64_t *word;
	int which;       /* enum gshmemi_turn */
	uint32_t turn;
	struct gshmemi_net_record fetch; /* with an agent: of the word */
	uint64_t mail;   /* ticket of that */
	bool is_fetching;
	uint64_t asked_ns;
};

struct gshmemi_engine {
	struct gshmemi_engine_config config;
	size_t message_nbytes;
	struct connection **connections; /* [npes]; NULL: nothing has been said */
	struct connection *first;
	struct connection *active;       /* there is something to send to these, or to perform */
	struct pool requests, responses;
	struct item *items;
	struct item *free_items;
	unsigned nitems_free;
	uint64_t nitems;                 /* ever */
	unsigned ncredits;               /* left */
	unsigned nheld;
	struct waiter *waiters;
	uint64_t now_ns;                 /* when something came last */
	uint64_t listened_ns;            /* when silence was looked for last */
	int error;
	struct gshmemi_engine_counts counts;
};

/* ---- engine.c ---- */

/* NULL: no memory, and the engine is dead. */
struct connection *gshmemi_net_connection(struct gshmemi_engine *e, int pe);
void gshmemi_net_activate(struct gshmemi_engine *e, struct connection *c);
void gshmemi_net_transfer(struct gshmemi_engine *e, struct sending *sending);
/* The place of a new record with nbytes of data behind it, in the open message of a pool; NULL: there is no buffer. */
struct gshmemi_net_record *gshmemi_net_add(struct gshmemi_engine *e, struct connection *c, struct buffer **open_p,
					   struct buffers *queue, struct pool *pool, size_t nbytes);

/* ---- ask.c ---- */

/* Begin chunks; true: some were. */
bool gshmemi_net_begin_chunks(struct gshmemi_engine *e, struct connection *c);
/* A chunk of this PE's operations has left, or come. */
void gshmemi_net_chunk_done(struct gshmemi_engine *e, struct sending *sending);
/* The owner has told how far it is. */
void gshmemi_net_hear_landed(struct gshmemi_engine *e, struct connection *c, uint64_t nlanded);
void gshmemi_net_answered(struct gshmemi_engine *e, const struct gshmemi_net_record *r, const char *data);
void gshmemi_net_free_contexts(struct connection *c);

/* ---- perform.c ---- */

/* PUT_OFF: later; BEGUN: its agent will say when it has been performed. */
enum performed { PUT_OFF, PERFORMED, BEGUN };

char *gshmemi_net_find(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_record *r, uint64_t nbytes);
/* Room for nbytes of an answer; NULL: there is none yet. */
struct gshmemi_net_record *gshmemi_net_answer(struct gshmemi_engine *e, struct connection *c, uint64_t cookie, uint64_t value,
					      size_t nbytes);
/* Somebody waits in a lock; false: no memory. */
bool gshmemi_net_park(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_record *r);

/* A request has come. */
void gshmemi_net_take(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_head *head, const char *data);
/* Go on with what was put off; true: something could be performed. */
bool gshmemi_net_go_on(struct gshmemi_engine *e, struct connection *c);
void gshmemi_net_landed_here(struct gshmemi_engine *e, struct sending *sending);
bool gshmemi_net_check_locks(struct gshmemi_engine *e);
void gshmemi_net_free_held(struct connection *c);

/* ---- defer.c: with an agent ---- */

enum performed gshmemi_net_defer(struct gshmemi_engine *e, struct connection *c, const struct gshmemi_net_record *r, const char *data);
/* Look at what was begun; true: something has moved. */
bool gshmemi_net_reap(struct gshmemi_engine *e, struct connection *c);
/* A chunk has come to its landing; one has left its. */
void gshmemi_net_chunk_came(struct gshmemi_engine *e, struct sending *in);
void gshmemi_net_chunk_left(struct gshmemi_engine *e, struct sending *out);

static inline bool gshmemi_net_is_pending(const struct connection *c)
{
	return c->npending != c->nreaped || c->nlandings;
}

/* Of the chunk of this number; asker_takes: it names the memory. */
static inline uint32_t gshmemi_net_tag(uint64_t number, bool asker_takes)
{
	return (uint32_t)(number % GSHMEMI_NET_NTAGS) << 1 | asker_takes;
}

static inline size_t gshmemi_net_padded(size_t nbytes)
{
	return (nbytes + 7) & ~(size_t)7;
}

static inline size_t gshmemi_net_data_nbytes(const struct gshmemi_net_record *r)
{
	if (r->what == GSHMEMI_NET_PUT || r->what == GSHMEMI_NET_ANSWER)
		return gshmemi_net_padded(r->nbytes);
	return r->what == GSHMEMI_NET_AMO && r->op == GSHMEMI_AMO_CAS ? 8 : 0;
}

/* Whether there is credit for a request of this number. */
static inline bool gshmemi_net_is_below(uint32_t seq, uint32_t limit)
{
	return (int32_t)(limit - seq) > 0;
}

#endif /* GSHMEMI_NET_CONNECTION_H */
