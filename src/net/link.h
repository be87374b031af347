/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A link: what brings messages from one PE to another. The engine (engine.h) knows it by four functions, so that tests bring their own.
 * MPI is the library's (mpi.c).
 *
 * There are messages, of two kinds, whose memory the link chooses where they come; and bulk, whose memory the receiver
 * names before it comes. A link loses nothing and tears nothing, and may deliver the messages of one PE in another order than they were
 * sent. All four functions are called by one thread at a time.
 */
#ifndef GSHMEMI_NET_LINK_H
#define GSHMEMI_NET_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gshmemi_link_kind {
	GSHMEMI_LINK_REQUEST,
	GSHMEMI_LINK_RESPONSE,
	GSHMEMI_LINK_BULK
};

/* A message or bulk that leaves, or bulk that is to come. It and its memory are the link's from start on until poll gives it back. */
struct gshmemi_transfer {
	struct gshmemi_transfer *next; /* the link's */
	void *memory;
	size_t nbytes;                 /* of a message at most size() */
	uint32_t tag;                  /* of bulk: the same number on both ends, for this pair of PEs and this direction; below 2^15 */
	int pe;                        /* to whom, or from whom */
	uint8_t kind;                  /* enum gshmemi_link_kind */
	bool is_arrival;               /* bulk that is to come */
	int slot;                      /* the link's */
};

enum gshmemi_link_what {
	GSHMEMI_LINK_NOTHING,
	GSHMEMI_LINK_CAME,   /* a message: pe, kind, data, nbytes; the memory is the link's again at the next poll */
	GSHMEMI_LINK_DONE    /* transfer: its memory may be used again, or has been filled */
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
	/* Begin a transfer. 0 or a negative errno, after a message: the link is dead. */
	int (*start)(struct gshmemi_link *link, struct gshmemi_transfer *transfer);
	/* What has happened since. 0 or a negative errno, likewise. */
	int (*poll)(struct gshmemi_link *link, struct gshmemi_link_event *event);
	/* Bytes that a message may have. */
	size_t (*size)(const struct gshmemi_link *link);
	/* No PE sends any more, and nothing is on its way. */
	void (*end)(struct gshmemi_link *link);
};

#endif /* GSHMEMI_NET_LINK_H */
