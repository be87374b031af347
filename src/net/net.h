/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations on PEs that are not mapped: their owners perform them. This has the PE's engine, the thread that
 * drives it, and the library's operations over it. docs/transports.md has the picture.
 *
 * The engine has a lock. A thread with a request enters, makes the request, and makes progress itself
 * while it waits, so that request and answer need no other thread. The net thread makes progress when
 * nobody else does.
 */
#ifndef GSHMEMI_NET_NET_H
#define GSHMEMI_NET_NET_H

#include "engine/engine.h"

#include <gshmem/move/carry.h>

/* ---- net.c ---- */

/*
 * Starts the net on all PEs if a pair of them needs it; the regions must exist. Collective: returns 0, or the
 * same error on all PEs. stop is collective too, and called when no PE has anything open any more.
 */
int gshmemi_net_start(void);
void gshmemi_net_stop(void);
bool gshmemi_net_is_running(void);
/*
 * Each PE that opens a window over unmappable memory calls this; it starts the net once. call names the
 * caller's API function in messages. Returns a negative errno after a message.
 */
int gshmemi_net_require(const char *call);

/* Makes progress until nothing of this PE is open. */
void gshmemi_net_drain(void);

/*
 * Between enter and leave the caller has the engine. leave sends its requests. leave_unsent leaves that to
 * the caller's next leave. leave_puts leaves only puts to the caller's next leave, or to the next thread
 * that makes progress.
 */
struct gshmemi_engine *gshmemi_net_enter(void);
void gshmemi_net_leave(void);
void gshmemi_net_leave_unsent(void);
void gshmemi_net_leave_puts(void);
/*
 * may_be_open returns false if this thread has made no request that is still open. settle, called between
 * enter and leave, checks whether anything is open; if not, may_be_open is false until somebody enters.
 * GSHMEMI_WHY_ASKED mirrors may_be_open for kernels (gshmemi_state_set_asked).
 */
bool gshmemi_net_may_be_open(void);
void gshmemi_net_settle(void);

/* Makes progress, unless another thread does. */
void gshmemi_net_progress(void);

/* Makes progress for a host that waits for the net; the net thread leaves it the core meanwhile. */
void gshmemi_host_progress(void);
/* After 1, this thread's requests are not sent by leave; 0 sends all of them. Does not nest. */
void gshmemi_host_hold(int is_begin);

/*
 * The net thread calls this after it had something to do, without the lock, so that whoever sleeps until an
 * operation is over may look again. NULL: nobody sleeps. Set before the net starts.
 */
extern void (*gshmemi_net_on_progress)(void);

/*
 * Whether others may access this PE's memory in a window; and what to do when pe does not allow an operation
 * of this PE on nbytes at an address of its own: end the job with a message. Set before the net starts.
 */
extern bool (*gshmemi_net_may_touch)(unsigned region, uint64_t address, uint64_t nbytes);
extern void (*gshmemi_net_refused)(int pe, uint64_t head, uint64_t address, uint64_t nbytes);

/*
 * Whether kernels have posted anything that has not been handed over. NULL: there are no kernels. Set before
 * the net starts.
 */
extern bool (*gshmemi_net_has_posts)(void);

/* What the engine has done since it started; NULL: it is not running. */
const struct gshmemi_engine_counts *gshmemi_net_counts(void);

/* Prints what the engine has done, in one line on stderr: GSHMEM_STATS. */
void gshmemi_net_report(void);

/* Adds the net's memory and traffic to *scale; only two agreements for a job on one machine. */
struct gshmemi_scale;
void gshmemi_net_scale(struct gshmemi_scale *scale);

/* ---- carry.c ---- */

/*
 * An operation in progress. It is in its caller's memory until go_on has returned true. Meanwhile what
 * o.local points to is read and written.
 */
struct gshmemi_carrying {
	struct gshmemi_operation o;
	uint64_t nblocks; /* blocks handed over */
	uint64_t bulk;    /* number of the last bulk */
	bool is_handed_over;
	struct gshmemi_open open; /* what the caller waits for */
	/* For a local end that the CPU cannot reach, which goes piece by piece through a landing: */
	struct gshmemi_landing *landing;
	int stage;
	uint64_t at;     /* bytes of the block before this piece, */
	uint64_t nbytes; /* and in it */
	struct gshmemi_open piece;
};

/*
 * Whether the local end goes through landings. Whoever carries the operation must then stay until it is over.
 */
bool gshmemi_carrying_is_staged(const struct gshmemi_operation *o);
/* Whether it is a put of bulk from device memory that MPI can send from there. */
bool gshmemi_carrying_sends_device(const struct gshmemi_operation *o);

void gshmemi_carrying_begin(struct gshmemi_carrying *c, const struct gshmemi_operation *o);
/*
 * Hands over as much as there is room for, between enter and leave. Returns true when everything is handed
 * over and what the caller waits for has arrived.
 */
bool gshmemi_carrying_go_on(struct gshmemi_carrying *c, struct gshmemi_engine *e);
/* Whether go_on would return false, because there is nothing to do but wait. Needs no enter. */
bool gshmemi_carrying_is_waiting(const struct gshmemi_carrying *c);

#endif /* GSHMEMI_NET_NET_H */
