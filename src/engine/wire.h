/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format of messages: a head, then records, each followed by its data. Lengths are multiples of 8, and
 * places are offsets in regions, which mean the same on all PEs. Both ends have the same byte order, which
 * init checks.
 */
#ifndef GSHMEMI_ENGINE_WIRE_H
#define GSHMEMI_ENGINE_WIRE_H

#include <stdint.h>

enum gshmemi_net_flag {
	GSHMEMI_NET_HUNGRY = 1,  /* of requests: the sender has more to send than credit for it */
	GSHMEMI_NET_RETURNS = 2, /* of requests: the last one for a while; gives granted credits back */
	GSHMEMI_NET_PING = 4,    /* please send something */
};

struct gshmemi_net_head {
	uint32_t seq;        /* of requests: their number */
	uint32_t limit;      /* the receiver may send requests below this number */
	uint64_t nperformed; /* of the receiver's records */
	uint64_t nlanded;    /* of the receiver's chunks: all up to this one */
	uint16_t nrecords;   /* in this message */
	uint16_t flags;      /* GSHMEMI_NET_* */
	uint32_t nbytes;     /* of all records in this message */
};

enum gshmemi_net_what {
	GSHMEMI_NET_PUT = 1,   /* nbytes of data follow */
	GSHMEMI_NET_GET,       /* nbytes; wants an answer */
	/* op, a word of nbytes, value; for CAS cond follows; wants an answer if there is a cookie */
	GSHMEMI_NET_AMO,
	GSHMEMI_NET_FLAG,      /* raises a word to value */
	GSHMEMI_NET_CHUNK,     /* value: number of a chunk, which comes beside the stream; nbytes go there */
	GSHMEMI_NET_GET_CHUNK, /* value: its number; nbytes are to be sent beside the stream */
	GSHMEMI_NET_WAIT,      /* wait until chunk number value and all before it have landed */
	/* the word of a lock: answer when it is the turn in value, by its field op, an enum gshmemi_turn */
	GSHMEMI_NET_LOCK,
	GSHMEMI_NET_ANSWER     /* of responses: cookie, value, and nbytes of data */
};

struct gshmemi_net_record {
	uint8_t what;
	uint8_t op;        /* GSHMEMI_AMO_*; of LOCK an enum gshmemi_turn */
	uint16_t region;
	uint32_t nbytes;
	uint64_t offset;
	uint64_t value;
	uint64_t cookie;   /* of the asker; the answer returns it */
};

#endif /* GSHMEMI_ENGINE_WIRE_H */
