/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A link carries messages from one PE to another. The engine (engine.h) knows a link by four functions, so
 * that tests can bring their own; the library's link is over MPI (mpi.c).
 *
 * Messages are of two kinds, and the link chooses the memory in which they arrive. For bulk, the receiver
 * names the memory before it arrives. A link loses nothing and tears nothing, but may deliver the messages of
 * one PE in a different order than they were sent. Only one thread at a time calls the four functions.
 */
#ifndef GSHMEMI_ENGINE_LINK_H
#define GSHMEMI_ENGINE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gshmemi_link_kind { GSHMEMI_LINK_REQUEST, GSHMEMI_LINK_RESPONSE, GSHMEMI_LINK_BULK };

/*
 * A message or bulk to be sent, or bulk to be received. From start on, until poll gives it back, the transfer
 * and its memory belong to the link.
 */
struct gshmemi_transfer {
	struct gshmemi_transfer *next; /* the link's */
	void *memory;
	size_t nbytes; /* of a message: at most size() */
	uint32_t tag;  /* of bulk: equal on both ends, for this pair of PEs and this direction; below 2^15 */
	int pe;        /* receiver, or sender */
	uint8_t kind;  /* enum gshmemi_link_kind */
	bool is_arrival; /* bulk to be received */
	int slot;        /* the link's */
};

enum gshmemi_link_what {
	GSHMEMI_LINK_NOTHING,
	/* a message: pe, kind, data, nbytes; the link reuses the memory at the next poll */
	GSHMEMI_LINK_CAME,
	GSHMEMI_LINK_DONE /* a transfer: its memory may be reused, or has been filled */
};

struct gshmemi_link_event {
	int what;
	int pe;
	int kind;
	const void *data;
	size_t nbytes;
	struct gshmemi_transfer *transfer;
};

struct gshmemi_link {
	/* Starts a transfer. Returns 0, or a negative errno after a message: then the link is dead. */
	int (*start)(struct gshmemi_link *link, struct gshmemi_transfer *transfer);
	/* Reports one event. Returns 0 or a negative errno, likewise. */
	int (*poll)(struct gshmemi_link *link, struct gshmemi_link_event *event);
	/* The largest size of a message. */
	size_t (*size)(const struct gshmemi_link *link);
	/* Ends the link; no PE sends any more, and nothing is in flight. */
	void (*end)(struct gshmemi_link *link);
};

#endif /* GSHMEMI_ENGINE_LINK_H */
