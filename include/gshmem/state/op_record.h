/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of an operation: one layout wherever an operation is written down for another to perform. The
 * first two words are the same everywhere:
 *
 *   head    bits  0   what, enum gshmemi_what
 *                 4   op: of an atomic or a signal GSHMEMI_AMO_*; of LOCK enum gshmemi_turn; of ACCUMULATE
 *                     GSHMEMX_SUM or another operator; of a group's put or get, in a call of the slow path,
 *                     its scope
 *                 8   log2 of the bytes of an element: of an accumulate's, an atomic's or a value's; else
 *                     the alignment
 *                12   GSHMEMI_OP_*
 *                16   region, enum gshmemi_region_number
 *                32   who: see below
 *   place   bits  0   offset in the region
 *                48   bytes of data in the record, of INLINE and in a mail; of ACCUMULATE enum gshmemi_kind
 *
 * Who writes the record, what is in `who`, and what follows:
 *
 *   gshmemi_slow_at   the caller's work-group. Only the head exists, and it stays in registers
 *   a lane's line     the PE, with its context; the words of the union below (rpc/net.h)
 *   the wire          bytes of the data that follow; then as src/engine/wire.h has it
 *   a mail            the PE whose memory it is; value and cond. Longer data is in the slot (wait/mail.h)
 *
 * docs/design.md has the table of all kinds.
 */
#ifndef GSHMEM_OP_RECORD_H
#define GSHMEM_OP_RECORD_H

#include <gshmem/arch/arch.h>

enum gshmemi_what {
	GSHMEMI_PUT,
	GSHMEMI_GET,
	GSHMEMI_PUT_VALUE, /* the data is a value of up to 8 bytes, which the caller has in registers */
	GSHMEMI_GET_VALUE,
	GSHMEMI_PUT_BLOCKS,
	GSHMEMI_GET_BLOCKS,
	GSHMEMI_AMO,
	GSHMEMI_FLAG, /* raise a word to value; if it is not lower it stays: a late flag does no harm */
	GSHMEMI_PUT_SIGNAL,
	/*
	 * Only over the net: read the word of a lock when its field op, enum gshmemi_turn, has come to
	 * value, or before.
	 */
	GSHMEMI_LOCK,
	/* Only over the net: update the elements of a window from the place on. */
	GSHMEMI_ACCUMULATE,
	/* Only calls of gshmemi_slow_at: check an operation or an atomic, and find where it goes. */
	GSHMEMI_FIND,
	GSHMEMI_FIND_AMO,
	/* Only on the wire, which FIND_AMO never is: */
	GSHMEMI_CHUNK = GSHMEMI_FIND_AMO, /* value: number of a chunk, which comes beside the stream */
	GSHMEMI_GET_CHUNK,                /* value: its number; it is to be sent beside the stream */
	GSHMEMI_WAIT,                     /* wait until chunk number value and all before it have landed */
	GSHMEMI_ANSWER /* of a GET or what FETCHES, or of a LOCK: its data, the old ones, or the word */
};

#define GSHMEMI_OP_OP_SHIFT     4
#define GSHMEMI_OP_TYPE_SHIFT   8
#define GSHMEMI_OP_REGION_SHIFT 16
#define GSHMEMI_OP_WHO_SHIFT    32
#define GSHMEMI_OP_NBI          0x1000U /* of a put or get: local may be read or written until a completion */
#define GSHMEMI_OP_FETCHES      0x1000U /* of an atomic or accumulate: the old values are wanted */
#define GSHMEMI_OP_INLINE       0x2000U /* of a put: its data is in the line; of a get: in the answer */
#define GSHMEMI_OP_TO_MEMORY    0x2000U /* of an atomic: the old value goes to local */
#define GSHMEMI_OP_CHECK        0x4000U /* of a call: check only; another thread of the group performs */
#define GSHMEMI_OP_WAITS        0x4000U /* of a GPU's line: its lane waits for the answer */
/*
 * Of a put: it is answered when it has been handed over, and what its context asks later comes after it. Of a
 * mail: it is seen after what was posted before.
 */
#define GSHMEMI_OP_ORDERED      0x8000U

/*
 * op of an ACCUMULATE of one element: compare and swap. Behind the new element stands the one that the old
 * one is compared with.
 */
#define GSHMEMI_ACCUMULATE_SWAP 15

#define GSHMEMI_OP_NBYTES_SHIFT 48 /* of place */
#define GSHMEMI_OP_OFFSET       ((1ULL << GSHMEMI_OP_NBYTES_SHIFT) - 1)

#define GSHMEMI_OP_INLINE_NBYTES        48   /* most bytes of data in a line, */
#define GSHMEMI_OP_INLINE_SIGNAL_NBYTES 32   /* and beside a signal */
#define GSHMEMI_OP_ALONE_NBYTES         2032 /* in the lines of a whole wave, which has at least 32 */

struct gshmemi_op_record {
	uint64_t head;
	uint64_t place;
	union {
		uint64_t word[6];
		char data[GSHMEMI_OP_INLINE_NBYTES]; /* of a put or value; in the answer, of a get or value */
		struct {
			uint64_t value;
			uint64_t cond;
			uint64_t local; /* TO_MEMORY: address for the old value */
		} amo;                  /* and FLAG, LOCK. In the answer, value is the old one */
		struct {
			uint64_t local, nbytes; /* address here; bytes, of each block */
			uint64_t nblocks;
			uint64_t stride, local_stride; /* signed: bytes between blocks */
		} move;
		struct {
			uint64_t value;
			uint64_t place; /* of the signal: its offset, and from bit 48 on its region */
			uint64_t local, nbytes;
		} signal; /* INLINE: the data begins where local is */
		struct {
			uint64_t lock;          /* offset of the window's lock of elements of 16 bytes */
			uint64_t local, nbytes; /* source here */
			uint64_t old;           /* address for old values; only if it FETCHES */
		} elements; /* INLINE: the one element begins where local is; in the answer, as data */
	} u;
};

/* nbytes of an element: 1, 2, 4, 8 or 16. */
GSHMEMI_FN uint64_t gshmemi_op_head(
	int what, int op, unsigned nbytes, unsigned flags, unsigned region, uint64_t who)
{
	const unsigned type = (unsigned)((nbytes > 1) + (nbytes > 2) + (nbytes > 4) + (nbytes > 8));

	return (unsigned)what | (unsigned)op << GSHMEMI_OP_OP_SHIFT | type << GSHMEMI_OP_TYPE_SHIFT | flags |
		region << GSHMEMI_OP_REGION_SHIFT | who << GSHMEMI_OP_WHO_SHIFT;
}

GSHMEMI_FN int gshmemi_op_what(uint64_t head)
{
	return (int)(head & 15);
}

GSHMEMI_FN int gshmemi_op_op(uint64_t head)
{
	return (int)(head >> GSHMEMI_OP_OP_SHIFT & 15);
}

/* Bytes of the word of an atomic or value. */
GSHMEMI_FN unsigned gshmemi_op_word_nbytes(uint64_t head)
{
	return 1U << (head >> GSHMEMI_OP_TYPE_SHIFT & 15);
}

GSHMEMI_FN unsigned gshmemi_op_region(uint64_t head)
{
	return (unsigned)(head >> GSHMEMI_OP_REGION_SHIFT) & 0xffff;
}

GSHMEMI_FN uint32_t gshmemi_op_who(uint64_t head)
{
	return (uint32_t)(head >> GSHMEMI_OP_WHO_SHIFT);
}

/* GET, and the same of values and of blocks. */
GSHMEMI_FN int gshmemi_is_get(int what)
{
	return what <= GSHMEMI_GET_BLOCKS && what & 1;
}

/* Whether it updates elements by atomics. */
GSHMEMI_FN int gshmemi_is_update(int what)
{
	return what == GSHMEMI_AMO || what == GSHMEMI_ACCUMULATE;
}

#endif /* GSHMEM_OP_RECORD_H */
