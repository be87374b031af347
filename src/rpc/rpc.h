/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU's side of calls from kernels. channel.c allocates the memory of channels. server.c has the threads
 * that serve them, registry.c the functions that can be called, call.c one call from when it is taken until
 * it is answered, workers.c the threads for functions that block, library.c and print.c the library's own
 * operations, carry.c operations on PEs that are not mapped, client.c the calls of CPU threads.
 */
#ifndef GSHMEMI_RPC_RPC_H
#define GSHMEMI_RPC_RPC_H

#include "base/base.h"

#include <gshmem/rpc/rpc.h>

struct gshmemi_rpc_task;

/* ---- registry.c ---- */

#define GSHMEMI_RPC_MAX_FUNCTIONS 1024

/* What an operation calls: a user's function, or one of the library's, which gets the whole call. */
struct gshmemi_rpc_function {
	gshmemx_rpc_function_t function;
	int (*library)(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call);
	void *user;
	unsigned flags; /* GSHMEMX_RPC_* */
	const char *name;
};

/* Finds an operation; NULL if there is none. */
const struct gshmemi_rpc_function *gshmemi_rpc_find(uint32_t id);
void gshmemi_rpc_forget_functions(void);

/* ---- channel.c ---- */

/* A channel, and what the server keeps for its slots. */
struct gshmemi_rpc_served {
	struct gshmemi_rpc_channel channel;
	void **stream_state; /* [nslots]: call->state between the steps of a stream */
	size_t nbytes;       /* of host-pinned memory */
	const char *name;    /* for messages */
	/*
	 * Posted calls completed: by the only server; by several servers and workers. In a cache line of its
	 * own, because CPU threads read channel for each call.
	 */
	_Alignas(128) _Atomic uint64_t completed[2];
};

/* Where the two sides of a channel are, and how large it is. */
struct gshmemi_rpc_shape {
	unsigned nslots;
	unsigned nlanes;
	uint32_t flags; /* GSHMEMI_RPC_CLEAR ... */
	bool is_host_client;
	bool is_device_server;
	uint32_t first_seq;
};

int gshmemi_rpc_channel_open(
	const struct gshmemi_rpc_shape *shape, struct gshmemi_rpc_channel *channel_p, size_t *nbytes_p);
void gshmemi_rpc_channel_close(struct gshmemi_rpc_channel *channel);
void gshmemi_rpc_channel_size(const struct gshmemi_rpc_shape *shape, size_t *pinned_p, size_t *device_p);

/* How many waves the current device can hold at a time, and the lanes of each. */
int gshmemi_rpc_resident(unsigned *nwaves_p, unsigned *nlanes_p);

/* ---- server.c ---- */

extern struct gshmemi_rpc_served gshmemi_rpc_kernels; /* calls from this PE's kernels */
extern struct gshmemi_rpc_served gshmemi_rpc_threads; /* calls from its CPU threads */

int gshmemi_rpc_open_channels(void); /* opens the channels, which nobody serves yet */
int gshmemi_rpc_start(void);         /* starts the threads; gshmemi_state must be set */
/* serves what has been posted, then ends the threads; from then on waits end with an error */
void gshmemi_rpc_stop(void);
void gshmemi_rpc_close_channels(void);
struct gshmemi_scale;
int gshmemi_rpc_scale(struct gshmemi_scale *scale); /* asks the current device how many slots it needs */

/* Wakes server threads that sleep. */
void gshmemi_rpc_wake(void);

/* Counters of served calls. */
struct gshmemi_rpc_counts {
	_Atomic uint64_t nrefused; /* calls refused */
};
extern struct gshmemi_rpc_counts gshmemi_rpc_counts;

/* ---- call.c ---- */

/*
 * A call from when it is taken until it is answered. If it is PENDING or BLOCKING it is in
 * memory from malloc.
 */
struct gshmemi_rpc_task {
	struct gshmemi_rpc_task *next;
	struct gshmemi_rpc_served *served;
	const struct gshmemi_rpc_function *function;
	struct gshmemi_rpc_header header;
	uint32_t slot;
	uint32_t seq;
	uint64_t left;   /* lanes whose function has not ended; bit 0 for a call by a wave or a stream */
	uint64_t failed; /* lanes with an error, which is in status[] of the channel */
	int error;       /* of a call that runs a single function */
	bool has_begun;  /* its functions have been called once, and are called again if they pend */
	uint64_t value;  /* the answer, if it is one word */
	void *state[64]; /* the state of each lane's function */
};

/* Takes a slot's call and serves it as far as possible. Returns a task that is not finished yet, or NULL. */
struct gshmemi_rpc_task *gshmemi_rpc_serve_slot(struct gshmemi_rpc_served *served, uint32_t slot);

/* Goes on with a task. Returns false if it is still pending; otherwise it has been answered and freed. */
bool gshmemi_rpc_go_on(struct gshmemi_rpc_task *task);

/* ---- workers.c ---- */

int gshmemi_rpc_workers_start(void); /* called for the first function that blocks; later calls do nothing */
void gshmemi_rpc_workers_add(struct gshmemi_rpc_task *task);
void gshmemi_rpc_workers_stop(void); /* serves what was added, then ends the threads */

/* ---- library.c ---- */

const struct gshmemi_rpc_function *gshmemi_rpc_find_library(uint32_t id);
int gshmemi_rpc_library_open(void);
void gshmemi_rpc_library_close(void);
size_t gshmemi_rpc_arena_nbytes(void);

/* Ends the job, unless another thread already does. Does not return. */
_Noreturn __attribute__((format(printf, 2, 3))) void gshmemi_rpc_end_job(int status, const char *format, ...);

/* Posted calls that have not been answered. */
struct gshmemi_rpc_open_posts {
	unsigned nposts;
	struct {
		uint32_t slot;
		uint32_t seq;
	} posts[];
};

/*
 * Finds the open posts of an operation, 0: of any; the caller frees them. NULL: out of memory. The second
 * returns whether they have been answered by now.
 */
struct gshmemi_rpc_open_posts *gshmemi_rpc_find_open(const struct gshmemi_rpc_channel *c, uint32_t id);
bool gshmemi_rpc_have_passed(const struct gshmemi_rpc_channel *c, struct gshmemi_rpc_open_posts *open);

/* ---- carry.c: operations of kernels on PEs that are not mapped ---- */

/* Called before the servers start, while kernels have posted nothing. */
void gshmemi_rpc_carry_begin(void);
int gshmemi_rpc_carry(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call);
int gshmemi_rpc_carry_order(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call);
int gshmemi_rpc_carry_complete(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call);

/* ---- print.c: operations that are called for each step of their streams ---- */

int gshmemi_rpc_print(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call);
int gshmemi_rpc_assert(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call);

#endif /* GSHMEMI_RPC_RPC_H */
