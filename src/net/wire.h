/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What messages look like: a head, then records, each with its data behind it. Lengths are multiples of 8, and places are offsets in
 * regions, which mean the same to all PEs. Both ends have the same byte order, which init compares.
 */
#ifndef GSHMEMI_NET_WIRE_H
#define GSHMEMI_NET_WIRE_H

#include <stdint.h>

enum gshmemi_net_flag {
	GSHMEMI_NET_HUNGRY = 1,  /* of requests: there is more to send than credit for it */
	GSHMEMI_NET_RETURNS = 2, /* of requests: the last one for a while; credits that were granted are given back */
	GSHMEMI_NET_PING = 4,    /* say something */
};

struct gshmemi_net_head {
	uint32_t seq;        /* of requests: counts them */
	uint32_t limit;      /* requests below this number are welcome */
	uint64_t nperformed; /* of the records that came from you */
	uint64_t nlanded;    /* of the chunks that came from you: all up to this one */
	uint16_t nrecords;   /* here */
	uint16_t flags;      /* GSHMEMI_NET_* */
	uint32_t nbytes;     /* of all records here */
};

enum gshmemi_net_what {
	GSHMEMI_NET_PUT = 1,   /* nbytes of data follow */
	GSHMEMI_NET_GET,       /* nbytes; answer */
	GSHMEMI_NET_AMO,       /* op, a word of nbytes, value; for CAS cond follows; answer if there is a cookie */
	GSHMEMI_NET_FLAG,      /* raise a word to value */
	GSHMEMI_NET_CHUNK,     /* value: number of a chunk, which comes beside; nbytes go there */
	GSHMEMI_NET_GET_CHUNK, /* value: its number; nbytes shall come beside */
	GSHMEMI_NET_WAIT,      /* go on when chunk number value has landed, and all before it */
	GSHMEMI_NET_LOCK,      /* the word of a lock: answer when it is the turn in value, by its field op, an enum gshmemi_turn */
	GSHMEMI_NET_ANSWER     /* of responses: cookie, value, and nbytes of data */
};

struct gshmemi_net_record {
	uint8_t what;
	uint8_t op;        /* GSHMEMI_AMO_*; of LOCK an enum gshmemi_turn */
	uint16_t region;
	uint32_t nbytes;
	uint64_t offset;
	uint64_t value;
	uint64_t cookie;   /* of the asker; comes back with the answer */
};

#endif /* GSHMEMI_NET_WIRE_H */
