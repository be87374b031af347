/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of a channel: slots through which clients (waves of kernels, or CPU threads) call a server (CPU
 * threads or a kernel). docs/rpc.md has the picture and the reasons; rpc_slot.h has the protocol.
 *
 * A slot's words carry sequence numbers of 30 bits. Each word that both sides see has one writer, so that
 * only loads and stores cross the bus. The client owns a slot while answer == client, the server while
 * request != answer.
 */
#ifndef GSHMEM_RPC_CHANNEL_H
#define GSHMEM_RPC_CHANNEL_H

#include <stdint.h>

/* the sequence number in a client, request or server word and in an answer's halves */
#define GSHMEMI_RPC_SEQ     0x3fffffffU
#define GSHMEMI_RPC_PENDING 0x40000000U /* client word: posted, and nobody waits for the answer */
#define GSHMEMI_RPC_LOCK    0x80000000U /* client word: a wave has the slot */
#define GSHMEMI_RPC_NO_SLOT 0xffffffffU

#define GSHMEMI_RPC_LINE  8   /* words of 8 bytes that a lane has in the page */
#define GSHMEMI_RPC_GROUP 64  /* slots that share a bell; the number of slots is a multiple of it */
#define GSHMEMI_RPC_BELLS 128 /* least slots with bells: reading 512 requests took half a call more */

/* What an answer says, in the two bits above its sequence number. */
enum gshmemi_rpc_status {
	GSHMEMI_RPC_OK,    /* the value is the handler's */
	GSHMEMI_RPC_MORE,  /* a stream: the server waits for the next step; the value is the reply's bytes */
	GSHMEMI_RPC_ERROR, /* the value is a negative errno, for all lanes */
	GSHMEMI_RPC_LANES  /* some lane has an error, which is in status[] */
};

/* Flags of a header. */
#define GSHMEMI_RPC_POSTED 1U  /* nobody waits; struct gshmemi_rpc_posts counts it */
#define GSHMEMI_RPC_INLINE 2U  /* one lane, whose words are arg[]: the page is not used */
#define GSHMEMI_RPC_STREAM 4U  /* one step of a stream: struct gshmemi_rpc_step is arg[] */
#define GSHMEMI_RPC_LAST   8U  /* last step of a stream's input */
#define GSHMEMI_RPC_PAGE   16U /* one lane, whose words begin in the page's first line and go on behind it */

/* The header, written by the client before it posts: one line of 64 bytes. */
struct gshmemi_rpc_header {
	uint64_t lanes; /* mask of those that call */
	uint32_t id;    /* of the function, from gshmemx_rpc_register */
	uint32_t flags; /* GSHMEMI_RPC_POSTED ... */
	uint64_t arg[6];
};

/* arg[] of a stream's step. */
enum gshmemi_rpc_step {
	GSHMEMI_RPC_STEP_NBYTES,   /* input that this step carries */
	GSHMEMI_RPC_STEP_TOTAL,    /* input of the whole stream */
	GSHMEMI_RPC_STEP_OFFSET,   /* input before this step */
	GSHMEMI_RPC_STEP_CAPACITY, /* bytes of reply that the client still takes */
	GSHMEMI_RPC_STEP_BLOCK     /* address of the block of the arena that carries it; 0: the page */
};

/* Both halves carry the tag, status << 30 | sequence number, so that their stores need no order. */
struct gshmemi_rpc_answer {
	uint64_t low;  /* lower half of the value << 32 | tag */
	uint64_t high; /* upper half of the value << 32 | tag */
};

/* Posted calls of a client, for quiet; in its memory. */
struct gshmemi_rpc_posts {
	uint64_t posted;    /* counted before each post */
	uint64_t completed; /* of them, as the server told a quiet; posted == completed: none is open */
	uint64_t carried;   /* requests for operations on PEs that are not mapped: counted before each */
	uint64_t arrived;   /* of them, reported to a quiet by the server: their owners have performed them */
};

/* Flags of a channel. */
#define GSHMEMI_RPC_CLEAR  1U /* two steps a call: the second says that the client has used the answer */
#define GSHMEMI_RPC_SHARED 2U /* several servers take from the same slots */
#define GSHMEMI_RPC_WAKES  4U /* clients are CPU threads, which wake a sleeping server */

/*
 * A channel: all in host-pinned memory, except client and posts (the client's memory) and
 * server (the server's).
 */
struct gshmemi_rpc_channel {
	uint32_t *client;  /* [nslots] LOCK | PENDING | sequence number last posted */
	uint32_t *server;  /* [nslots + 1] sequence number last taken; last: where handle looks next */
	uint32_t *request; /* [nslots] written by the client */
	struct gshmemi_rpc_header *header; /* [nslots] written by the client */
	struct gshmemi_rpc_answer *answer; /* [nslots] written by the server */
	uint64_t *page;                    /* [nslots][1 << lane_shift][LINE] written by the slot's owner */
	int32_t *status;        /* [nslots][1 << lane_shift] written by the server, for RPC_LANES */
	uint32_t *bell;         /* [nslots / GROUP] hints: the client writes 1, the server 0; or NULL */
	uint32_t *asleep;       /* written by servers: how many sleep */
	const uint32_t *poison; /* not 0: the server has stopped */
	struct gshmemi_rpc_posts *posts;
	uint32_t nslots;
	uint32_t lane_shift; /* a page has lines for 1 << lane_shift lanes */
	uint32_t flags;      /* GSHMEMI_RPC_CLEAR ... */
	uint32_t trace;      /* marks are written: GSHMEM_TRACE */
};

#endif /* GSHMEM_RPC_CHANNEL_H */
