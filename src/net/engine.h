/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: what one PE asks of others, and performs for them, over a link. It knows no thread, no MPI and no HIP; net.c has one, tests
 * have several in a process. docs/transports.md has the picture.
 *
 * To each PE there is one stream of records, packed into messages, which its owner performs in order. What is longer than a record may be
 * goes beside the stream, in chunks: its record in the stream says where the chunk goes. The owner tells in each message how far it is:
 * records performed, chunks landed, and how many more messages it takes.
 *
 *   requests     need credit: messages that the owner has granted. Each PE may always send a few; the rest of the owner's credits goes to
 *                those that have more to say, and comes back when they fall silent.
 *   responses    need none: who asks has reserved, before, where the answer goes
 *   tellings     of how far one is: in every message, or in one of its own, for which each connection has a buffer
 *
 * So an owner always takes what it is sent, but may put off a record that asks for an answer until it has a buffer for that.
 *
 * Functions that return false have found no room, and have done nothing: progress makes some.
 */
#ifndef GSHMEMI_NET_ENGINE_H
#define GSHMEMI_NET_ENGINE_H

#include "base/base.h"

#include "net/link.h"

struct gshmemi_engine;
struct gshmemi_agent;

/* A put or get of up to so many bytes is a record; what is longer goes in chunks. */
#define GSHMEMI_NET_SMALL_NBYTES 4096
#define GSHMEMI_NET_CHUNK_NBYTES (GSHMEMI_ARCH_HOST_DIRECT ? 524288 : 131072) /* through landings, or straight into memory */

/* Tests break the protocol on purpose: this is 1 for the mutant that is being tried. */
#ifndef GSHMEMI_NET_MUTANT
#define GSHMEMI_NET_MUTANT(name) 0
#endif

/* What a PE has been asked for and has not answered. */
struct gshmemi_engine_unanswered {
	uint64_t nsmall;      /* operations, and words about bulk */
	uint64_t nput_chunks; /* of bulk */
	uint64_t nget_chunks;
	bool has_flag;        /* one of a barrier or collective is among the small ones */
};

/* What the engine asks of its surroundings. */
struct gshmemi_engine_owner {
	/* Where nbytes at offset in a region of this PE are. Does not return if there are none. */
	char *(*find)(void *user, int pe, unsigned region, uint64_t offset, uint64_t nbytes);
	/* PE has said nothing for ns, since it was asked whether it is there. True: that time counts no more. */
	bool (*silent)(void *user, int pe, uint64_t ns, const struct gshmemi_engine_unanswered *what);
	/*
	 * PE is on another machine: its chunks are smaller, and it is asked now and then, although nothing is
	 * open. NULL: none is.
	 */
	bool (*is_far)(void *user, int pe);
	void *user;
};

struct gshmemi_engine_config {
	struct gshmemi_link *link;
	struct gshmemi_engine_owner owner;
	const struct gshmemi_agent *agent; /* NULL: the CPU reaches the memory of this PE */
	int npes;
	uint32_t first_seq;     /* of each stream's messages */
	unsigned nbuffers;      /* of requests; and of responses */
	unsigned nitems;        /* gets, atomics that fetch, and bulk, that are open at a time */
	unsigned window;        /* messages that each PE may send unasked; at least 1 */
	unsigned most_window;   /* with what it is granted */
	unsigned ncredits;      /* that are granted to all PEs together */
	size_t small_nbytes;    /* a put or get of up to so many bytes is a record */
	size_t chunk_nbytes;    /* of what is longer, */
	size_t far_nbytes;      /* and to or from PEs on other machines; */
	size_t eager_nbytes;    /* there, what the link sends without asking whether there is a receive; 0: not known */
	unsigned tell_passes;   /* until flags and chunks' records are acknowledged, if no message does it before */
};

struct gshmemi_engine *gshmemi_engine_create(const struct gshmemi_engine_config *config); /* NULL: no memory */
/* Nothing is open, and no PE sends any more. Ends the link. */
void gshmemi_engine_destroy(struct gshmemi_engine *e);
/* Without what it keeps of each PE that it has had to do with. */
size_t gshmemi_engine_nbytes(const struct gshmemi_engine_config *config, size_t message_nbytes);

/* Take what has come, perform it, send what there is. The number of things done; a negative errno: the link is dead. */
int gshmemi_engine_progress(struct gshmemi_engine *e);
/* Only send what there is; without with_puts what is full or has more than puts in it: progress sends the rest. */
void gshmemi_engine_flush(struct gshmemi_engine *e, bool with_puts);
/* Ask those that owe an answer and are silent whether they are there; now and then. */
void gshmemi_engine_check_silence(struct gshmemi_engine *e, uint64_t now_ns);
/* Somebody waits in a lock of this PE: only progress sees his turn. */
bool gshmemi_engine_has_waiters(const struct gshmemi_engine *e);

/* ---- asking ---- */

/* What of an operation is open: its caller's, until nopen is 0 again. */
struct gshmemi_open {
	unsigned nopen;
	uint64_t value;     /* what an atomic fetched */
};

/* Where an operation goes. context orders: what is before a fence of a context is performed before what is after. */
struct gshmemi_target {
	int pe;
	int context;
	unsigned region;
	uint64_t offset;
};

/* Up to small_nbytes of data; copied. */
bool gshmemi_engine_put(struct gshmemi_engine *e, const struct gshmemi_target *to, const void *data, size_t nbytes);
/* An atomic on a word of nbytes. open NULL: nobody wants the old value; else it goes there, and to *dest unless NULL. */
bool gshmemi_engine_amo(struct gshmemi_engine *e, const struct gshmemi_target *to, int op, uint64_t value, uint64_t cond,
			unsigned nbytes, void *dest, struct gshmemi_open *open);
bool gshmemi_engine_flag(struct gshmemi_engine *e, const struct gshmemi_target *to, uint64_t value);
/* Up to small_nbytes. */
bool gshmemi_engine_get(struct gshmemi_engine *e, const struct gshmemi_target *from, void *dest, size_t nbytes,
			struct gshmemi_open *open);
/* Any size. open falls when source may be used again, or dest has been filled. *number_p: of the bulk, for a signal behind it. */
bool gshmemi_engine_put_bulk(struct gshmemi_engine *e, const struct gshmemi_target *to, const void *source, size_t nbytes,
			     struct gshmemi_open *open, uint64_t *number_p);
bool gshmemi_engine_get_bulk(struct gshmemi_engine *e, const struct gshmemi_target *from, void *dest, size_t nbytes,
			     struct gshmemi_open *open);
/* The update of a signal; it comes behind what its context has ordered before, and behind a bulk; 0: none. */
bool gshmemi_engine_signal(struct gshmemi_engine *e, const struct gshmemi_target *to, int op, uint64_t value, uint64_t bulk);
/* The word of a lock, when it is the turn of a ticket. */
bool gshmemi_engine_lock(struct gshmemi_engine *e, const struct gshmemi_target *to, int which, uint32_t turn, struct gshmemi_open *open);

/* ---- order ---- */

void gshmemi_engine_fence(struct gshmemi_engine *e, int context);

/* A PE to which bulk of a context has still to leave, from where the caller has it; -1: none. */
int gshmemi_engine_sends_to(const struct gshmemi_engine *e, int context);

/*
 * Flags are in no context, because who waits for one sees it. This stands for all of them in a mark, and
 * nowhere else.
 */
#define GSHMEMI_ENGINE_FLAGS -2

/* What was open in a context at some time. */
struct gshmemi_mark;
/* To these PEs; NULL: to all. *mark_p becomes NULL if nothing is. -ENOMEM. */
int gshmemi_engine_mark(struct gshmemi_engine *e, int context, const int *target_pes, size_t npes, struct gshmemi_mark **mark_p);
/* Whether all of it has been performed by its owners; then the mark is gone. */
bool gshmemi_engine_is_over(struct gshmemi_engine *e, struct gshmemi_mark *mark);
/* One of the PEs that it waits for. */
int gshmemi_mark_pe(const struct gshmemi_mark *mark);
/* Nothing at all is open. */
bool gshmemi_engine_is_idle(const struct gshmemi_engine *e);

/* ---- what it has done, for gshmem-info and tests ---- */

struct gshmemi_engine_counts {
	uint64_t nputs;       /* asked for: small puts, each of which is a record or went into one */
	uint64_t ngets;
	uint64_t natomics;    /* with signals and flags */
	uint64_t nbulks;      /* puts and gets in chunks */
	uint64_t nmessages;   /* requests sent */
	uint64_t nresponses;
	uint64_t ntellings;
	uint64_t nrecords;    /* sent in requests */
	uint64_t nchunks;     /* put and got */
	uint64_t nmerged;     /* puts that went into the record before */
	uint64_t nputs_performed;
	uint64_t ngets_performed;
	uint64_t natomics_performed;  /* by the CPU */
	uint64_t natomics_by_device;
	uint64_t nsent_from_device;   /* chunks of the device's memory that the link sent from there, */
	uint64_t nstaged;             /* and chunks that went through a landing to or from it */
	uint64_t nparked;     /* who waited in a lock here */
	uint64_t nstalls;     /* a record was put off */
	uint64_t nrefused;    /* calls that found no room */
	uint64_t most_held;   /* messages that were kept, at most */
};
const struct gshmemi_engine_counts *gshmemi_engine_counts(const struct gshmemi_engine *e);
/* So many chunks of this PE's operations come from memory of the device, or go there, in one of these ways. */
void gshmemi_engine_count_device(struct gshmemi_engine *e, bool is_staged, uint64_t nchunks);

#endif /* GSHMEMI_NET_ENGINE_H */
