/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: performs one PE's operations on others, and theirs on it, over a link. It knows no threads, no
 * MPI and no HIP. net.c has one engine; tests have several in a process. docs/transports.md has the picture.
 *
 * To each PE there is one stream of records, packed into messages, which its owner performs in order. Data
 * longer than a record may be goes beside the stream, in chunks: a record in the stream says where the chunk
 * goes. Each message acknowledges: it carries the number of records performed, of chunks landed, and of
 * messages that its sender still accepts.
 *
 *   requests   need credit: messages that the owner has granted. Each PE may always send a few; the rest of
 *              the owner's credits goes to those that have more to say, and comes back when they fall silent
 *   responses  need none: the asker has reserved the place of the answer before
 *   acks       need none. Acknowledgements carry a PE's progress: in every message, or in a message of
 *              their own, for which each connection has a buffer
 *
 * So an owner always accepts the messages sent to it, but may put off a record that wants an answer until it
 * has a buffer for the answer.
 *
 * A function that returns false has found no room and has done nothing; progress makes room.
 */
#ifndef GSHMEMI_ENGINE_ENGINE_H
#define GSHMEMI_ENGINE_ENGINE_H

#include "base/base.h"

#include <gshmemx_win.h>

#include "engine/link.h"

struct gshmemi_engine;
struct gshmemi_agent;

/* A put or get of up to this many bytes is a record; longer ones go in chunks. */
#define GSHMEMI_NET_SMALL_NBYTES 4096
/* smaller where they go through landings */
#define GSHMEMI_NET_CHUNK_NBYTES (GSHMEMI_ARCH_HOST_DIRECT ? 524288 : 131072)

/* What a PE was asked to do and has not answered. */
struct gshmemi_engine_unanswered {
	uint64_t nsmall;      /* small operations, and records about bulk */
	uint64_t nput_chunks; /* of bulk */
	uint64_t nget_chunks;
	bool has_flag; /* one of the small operations is a flag of a barrier or collective */
};

/* What the engine needs from its owner. */
struct gshmemi_engine_owner {
	/*
	 * Returns where nbytes at offset in a region of this PE are. Does not return if there is
	 * no such place.
	 */
	char *(*find)(void *user, int pe, unsigned region, uint64_t offset, uint64_t nbytes);
	/*
	 * pe has said nothing for ns, since it was asked whether it is there. Returns true if that time
	 * does not count.
	 */
	bool (*silent)(void *user, int pe, uint64_t ns, const struct gshmemi_engine_unanswered *what);
	/*
	 * Whether pe is on another machine: its chunks are then smaller, and it is asked now and then whether
	 * it is there even if nothing is open. NULL: no PE is.
	 */
	bool (*is_far)(void *user, int pe);
	void *user;
	/*
	 * Whether others may touch a place of a window. If not, who asks is told by `refused`, on its side, and
	 * what it asks for later is not performed. NULL: all places may be touched, and nobody refuses.
	 */
	bool (*may_touch)(void *user, unsigned region, uint64_t offset, uint64_t nbytes);
	void (*refused)(void *user, int pe, const struct gshmemi_op_record *r);
};

struct gshmemi_engine_config {
	struct gshmemi_link *link;
	struct gshmemi_engine_owner owner;
	const struct gshmemi_agent *agent; /* NULL: the CPU can reach this PE's memory */
	int npes;
	uint32_t first_seq;   /* of each stream's messages */
	unsigned nbuffers;    /* for requests; and as many for responses */
	unsigned nitems;      /* gets, atomics that fetch, and bulk that may be open at a time */
	unsigned credit;      /* messages that each PE may send without a grant; at least 1 */
	unsigned most_credit; /* including granted ones */
	unsigned ncredits;    /* that may be granted to all PEs together */
	size_t small_nbytes;  /* a put or get of up to this many bytes is a record */
	size_t chunk_nbytes;  /* chunk size for longer ones, */
	size_t far_nbytes;    /* and to or from PEs on other machines */
	/* on those, what the link sends without asking whether there is a receive; 0: not known */
	size_t eager_nbytes;
	/* passes until flags and chunks' records are acknowledged, if no message does so earlier */
	unsigned ack_passes;
};

/* NULL: out of memory */
struct gshmemi_engine *gshmemi_engine_create(const struct gshmemi_engine_config *config);
/* Call when nothing is open and no PE sends any more. Ends the link. */
void gshmemi_engine_destroy(struct gshmemi_engine *e);
/* What the engine takes, without what it keeps for each PE that it has communicated with. */
size_t gshmemi_engine_nbytes(const struct gshmemi_engine_config *config, size_t message_nbytes);

/*
 * Takes what has arrived, performs it, and sends what there is. Returns the number of things done, or a
 * negative errno if the link is dead.
 */
int gshmemi_engine_progress(struct gshmemi_engine *e);
/*
 * Only sends. Without with_puts it sends messages that are full or have more than puts in them; progress
 * sends the rest.
 */
void gshmemi_engine_flush(struct gshmemi_engine *e, bool with_puts);
/* Asks PEs that owe an answer and are silent whether they are there. Call this now and then. */
void gshmemi_engine_check_silence(struct gshmemi_engine *e, uint64_t now_ns);
/* Whether a request waits in a lock of this PE, so that progress must check for its turn. */
bool gshmemi_engine_has_waiters(const struct gshmemi_engine *e);

/* ---- asking ---- */

/* What is open of an operation. It belongs to the caller, until nopen is 0 again. */
struct gshmemi_open {
	unsigned nopen;
	uint64_t value; /* what an atomic fetched */
};

/*
 * Where an operation goes. context orders: operations before a fence of a context are performed before
 * those after it.
 */
struct gshmemi_target {
	int pe;
	int context;
	unsigned region;
	uint64_t offset;
};

/* A put of up to small_nbytes; data is copied. */
bool gshmemi_engine_put(
	struct gshmemi_engine *e, const struct gshmemi_target *to, const void *data, size_t nbytes);
/*
 * An atomic on a word of nbytes. The old value goes to open, and to *dest unless that is NULL. open NULL: it
 * is not wanted.
 */
bool gshmemi_engine_amo(struct gshmemi_engine *e, const struct gshmemi_target *to, int op, uint64_t value,
	uint64_t cond, unsigned nbytes, void *dest, struct gshmemi_open *open);
bool gshmemi_engine_flag(struct gshmemi_engine *e, const struct gshmemi_target *to, uint64_t value);
/* A get of up to small_nbytes. */
bool gshmemi_engine_get(struct gshmemi_engine *e, const struct gshmemi_target *from, void *dest,
	size_t nbytes, struct gshmemi_open *open);
/*
 * Updates nbytes of elements, at most gshmemi_engine_elements_nbytes; data is copied. lock is the offset in
 * the control region of the window's lock of elements of 16 bytes. The old elements go to dest; open NULL:
 * they are not wanted. op GSHMEMI_ACCUMULATE_SWAP: data is an element and, behind it, the one to compare
 * with.
 */
bool gshmemi_engine_accumulate(struct gshmemi_engine *e, const struct gshmemi_target *to,
	struct gshmemi_win_update u, uint64_t lock, const void *data, size_t nbytes, void *dest,
	struct gshmemi_open *open);
size_t gshmemi_engine_elements_nbytes(const struct gshmemi_engine *e);
/*
 * Of any size. open->nopen falls when source may be reused, or when dest is filled. *number_p is the number
 * of the bulk, for a signal after it.
 */
bool gshmemi_engine_put_bulk(struct gshmemi_engine *e, const struct gshmemi_target *to, const void *source,
	size_t nbytes, struct gshmemi_open *open, uint64_t *number_p);
bool gshmemi_engine_get_bulk(struct gshmemi_engine *e, const struct gshmemi_target *from, void *dest,
	size_t nbytes, struct gshmemi_open *open);
/*
 * The update of a signal. It comes after what its context has ordered before it, and after the bulk of that
 * number; 0: none.
 */
bool gshmemi_engine_signal(
	struct gshmemi_engine *e, const struct gshmemi_target *to, int op, uint64_t value, uint64_t bulk);
/* Fetches the word of a lock once it is the turn of a ticket. */
bool gshmemi_engine_lock(struct gshmemi_engine *e, const struct gshmemi_target *to, int which, uint32_t turn,
	struct gshmemi_open *open);

/* ---- order ---- */

void gshmemi_engine_fence(struct gshmemi_engine *e, int context);

/* Returns a PE to which bulk of a context still has to be sent from the caller's memory; -1: none. */
int gshmemi_engine_sends_to(const struct gshmemi_engine *e, int context);

/*
 * Flags are in no context, because whoever waits for a flag sees it. In a mark this number stands for all
 * flags; it is used nowhere else.
 */
#define GSHMEMI_ENGINE_FLAGS -2

/* What was open in a context at some time. */
struct gshmemi_mark;
/* For these PEs; NULL: for all. *mark_p becomes NULL if nothing is open. Returns 0 or -ENOMEM. */
int gshmemi_engine_mark(struct gshmemi_engine *e, int context, const int *target_pes, size_t npes,
	struct gshmemi_mark **mark_p);
/* Whether the owners have performed all of it. If so, the mark has been freed. */
bool gshmemi_engine_is_over(struct gshmemi_engine *e, struct gshmemi_mark *mark);
/* One of the PEs that the mark still waits for. */
int gshmemi_mark_pe(const struct gshmemi_mark *mark);
/* Whether nothing at all is open. */
bool gshmemi_engine_is_idle(const struct gshmemi_engine *e);

/* ---- what it has done, for GSHMEM_STATS and tests ---- */

struct gshmemi_engine_counts {
	uint64_t nputs; /* small puts asked for; each was a record or was merged into one */
	uint64_t ngets;
	uint64_t natomics;  /* including signals and flags */
	uint64_t nbulks;    /* puts and gets in chunks */
	uint64_t nmessages; /* requests sent */
	uint64_t nresponses;
	uint64_t nacks_alone; /* acknowledgements in a message of their own */
	uint64_t nrecords;    /* sent in requests */
	uint64_t nchunks;     /* put and got */
	uint64_t nmerged;     /* puts merged into the record before */
	uint64_t nputs_performed;
	uint64_t ngets_performed;
	uint64_t natomics_performed; /* by the CPU */
	uint64_t natomics_by_device;
	uint64_t nupdates_by_kernel; /* accumulates */
	uint64_t nsent_from_device;  /* chunks that the link sent from device memory, */
	uint64_t nstaged;            /* and chunks that went through a landing */
	uint64_t nparked;            /* requests that waited in a lock here */
	uint64_t nstalls;            /* times that a record was put off */
	uint64_t nrefused;           /* calls that found no room */
	uint64_t most_kept;          /* the most messages held at a time */
};
const struct gshmemi_engine_counts *gshmemi_engine_counts(const struct gshmemi_engine *e);
/*
 * Counts chunks of this PE's operations that come from device memory or go to it, in one of these two ways.
 */
void gshmemi_engine_count_device(struct gshmemi_engine *e, bool is_staged, uint64_t nchunks);

#endif /* GSHMEMI_ENGINE_ENGINE_H */
