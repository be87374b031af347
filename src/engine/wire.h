/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format of messages: a head, then records (include/gshmem/state/op_record.h). Lengths are multiples of
 * 8, and places are offsets in regions, which mean the same on all PEs. Both ends have the same byte order,
 * which init checks.
 *
 * In a record's head, who is a number of bytes: of the data that follows, of a chunk, or wanted by a GET.
 * Behind the place:
 *
 *   PUT                                 data
 *   GET                        cookie
 *   AMO     value  cond        cookie            cond only for CAS, cookie only if it FETCHES
 *   ACCUMULATE     lock        cookie   data     cookie only if it FETCHES, no data for NO_OP; see below
 *   LOCK    value              cookie
 *   ANSWER                     cookie   data     the old word of an AMO or LOCK is data of 8 bytes
 *   FLAG, CHUNK, GET_CHUNK, WAIT        value
 *
 * The cookie is the asker's; the answer returns it. An ANSWER without one refuses a record: its data is the
 * record's head and place. The place of an ACCUMULATE also has the kind of its elements; lock is the offset
 * of a word in the control region. who counts the bytes of its data, or of NO_OP the bytes wanted.
 */
#ifndef GSHMEMI_ENGINE_WIRE_H
#define GSHMEMI_ENGINE_WIRE_H

#include "base/base.h"

#include <gshmemx_win.h>
#include <gshmem/state/op_record.h>

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

#define GSHMEMI_WIRE_REFUSED_NBYTES offsetof(struct gshmemi_op_record, u)

static inline size_t gshmemi_wire_padded(size_t nbytes)
{
	return (nbytes + 7) & ~(size_t)7;
}

static inline bool gshmemi_wire_is_answered(uint64_t head)
{
	const int what = gshmemi_op_what(head);

	return what == GSHMEMI_GET || what == GSHMEMI_LOCK ||
		(gshmemi_is_update(what) && head & GSHMEMI_OP_FETCHES);
}

/* Words between the place and the data. */
static inline unsigned gshmemi_wire_nwords(uint64_t head)
{
	switch (gshmemi_op_what(head)) {
	case GSHMEMI_PUT:
		return 0;
	case GSHMEMI_AMO:
		return 1 + (gshmemi_op_op(head) == GSHMEMI_AMO_CAS) + gshmemi_wire_is_answered(head);
	case GSHMEMI_LOCK:
		return 2;
	case GSHMEMI_ACCUMULATE:
		return 1 + gshmemi_wire_is_answered(head);
	default:
		return 1;
	}
}

/* Bytes of a record without its data. */
static inline size_t gshmemi_wire_head_nbytes(uint64_t head)
{
	return offsetof(struct gshmemi_op_record, u) + gshmemi_wire_nwords(head) * sizeof(uint64_t);
}

static inline size_t gshmemi_wire_nbytes(uint64_t head)
{
	const int what = gshmemi_op_what(head);
	const bool has_data = what == GSHMEMI_PUT || what == GSHMEMI_ANSWER ||
		(what == GSHMEMI_ACCUMULATE && gshmemi_op_op(head) != GSHMEMX_NO_OP);

	return gshmemi_wire_head_nbytes(head) + (has_data ? gshmemi_wire_padded(gshmemi_op_who(head)) : 0);
}

static inline char *gshmemi_wire_data(const struct gshmemi_op_record *r)
{
	return (char *)(uintptr_t)r + gshmemi_wire_head_nbytes(r->head);
}

/* The last word of a record that is answered, or of an ANSWER. */
static inline uint64_t *gshmemi_wire_cookie(const struct gshmemi_op_record *r)
{
	return (uint64_t *)(void *)gshmemi_wire_data(r) - 1;
}

static inline uint64_t gshmemi_wire_cond(const struct gshmemi_op_record *r)
{
	const bool has_cond =
		gshmemi_op_what(r->head) == GSHMEMI_AMO && gshmemi_op_op(r->head) == GSHMEMI_AMO_CAS;

	return has_cond ? r->u.amo.cond : 0;
}

/* Bytes at the record's place. */
static inline uint64_t gshmemi_wire_place_nbytes(uint64_t head)
{
	switch (gshmemi_op_what(head)) {
	case GSHMEMI_AMO:
	case GSHMEMI_FLAG:
	case GSHMEMI_LOCK:
		return gshmemi_op_word_nbytes(head);
	case GSHMEMI_ACCUMULATE:
		return gshmemi_op_op(head) == GSHMEMI_ACCUMULATE_SWAP ? gshmemi_op_word_nbytes(head)
								      : gshmemi_op_who(head);
	default:
		return gshmemi_op_who(head);
	}
}

#endif /* GSHMEMI_ENGINE_WIRE_H */
