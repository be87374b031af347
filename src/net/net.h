/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations on PEs that are not mapped: their owners perform them. This PE's engine, the thread that looks after it, and the
 * operations of the library over it. docs/transports.md has the picture.
 *
 * The engine has a lock. Who asks for something enters, asks, and makes progress himself while he waits: his request leaves, and its
 * answer comes, without another thread. The net thread makes progress when nobody else does.
 */
#ifndef GSHMEMI_NET_NET_H
#define GSHMEMI_NET_NET_H

#include "net/engine.h"

#include <gshmem/move/carry.h>

/* ---- net.c ---- */

/*
 * Start the net on all PEs, if a pair of them needs it; their regions are there. Collective: 0, or the same error on all PEs. stop,
 * when no PE has anything open any more; collective, too.
 */
int gshmemi_net_start(void);
void gshmemi_net_stop(void);
bool gshmemi_net_is_running(void);
/*
 * Start this PE's, unless it runs: for windows over memory that cannot be mapped, on each PE that has one, by the call of that name. A
 * negative errno after a message.
 */
int gshmemi_net_require(const char *call);

/* Until nothing of this PE is open. */
void gshmemi_net_drain(void);

/*
 * In between the caller has the engine. leave sends what was asked for; leave_unsent leaves that to the
 * caller's next leave, and leave_puts puts alone to it or to whoever makes progress next.
 */
struct gshmemi_engine *gshmemi_net_enter(void);
void gshmemi_net_leave(void);
void gshmemi_net_leave_unsent(void);
void gshmemi_net_leave_puts(void);
/*
 * False: nothing is open that this thread has asked for. settle, between enter and leave, looks whether anything
 * is open; while nothing is and nobody has entered since, may_be_open is false. Where kernels see GSHMEMI_SLOW_ASKED,
 * it says the same.
 */
bool gshmemi_net_may_be_open(void);
void gshmemi_net_settle(void);

/* Make progress, unless another thread does. */
void gshmemi_net_progress(void);

/* A host that waits for what comes over the net makes progress by itself; the net thread leaves it the core meanwhile. */
void gshmemi_host_progress(void);
/* Between 1 and 0 leave sends nothing of what this thread asks for; then all of it leaves. Does not nest. */
void gshmemi_host_hold(int is_begin);

/*
 * The net thread calls it when there was something to do, without the lock: who sleeps until an operation is over may look again. NULL:
 * nobody sleeps. Set before the net starts.
 */
extern void (*gshmemi_net_on_progress)(void);

/* Whether others may touch memory that lies within the bounds of a region. NULL: they may. Set before the net starts. */
extern bool (*gshmemi_net_may_touch)(unsigned region, uint64_t address, uint64_t nbytes);

/* Whether kernels have posted what has not been handed over. NULL: there are no kernels. Set before the net starts. */
extern bool (*gshmemi_net_has_posts)(void);

/* What the engine has done since it was started; NULL: it is not running. */
const struct gshmemi_engine_counts *gshmemi_net_counts(void);

/* What the engine has done, in a line on stderr: GSHMEM_STATS. */
void gshmemi_net_report(void);

/* Of a job that needs no net. */
struct gshmemi_scale;
void gshmemi_net_scale(struct gshmemi_scale *scale);

/* ---- carry.c ---- */

/* An operation under way: its caller's memory until go_on has returned true. What o.local points to is read and written meanwhile. */
struct gshmemi_carrying {
	struct gshmemi_operation o;
	uint64_t nblocks;          /* handed over */
	uint64_t bulk;             /* number of the last one */
	bool is_handed_over;
	struct gshmemi_open open;  /* what its caller waits for */
	/* Where the CPU does not reach the local end: piece by piece, through a landing. */
	struct gshmemi_landing *landing;
	int stage;
	uint64_t at;               /* bytes of the block before this piece, */
	uint64_t nbytes;           /* and of it */
	struct gshmemi_open piece;
};

/* Whether its local end is reached through landings: whoever carries it must stay until it is over. */
bool gshmemi_carrying_is_staged(const struct gshmemi_operation *o);
/* A put of bulk from memory of the device, which MPI sends from there. */
bool gshmemi_carrying_sends_device(const struct gshmemi_operation *o);

void gshmemi_carrying_begin(struct gshmemi_carrying *c, const struct gshmemi_operation *o);
/* Hand over as much as there is room for, between enter and leave. True: that is all, and what its caller waits for has come. */
bool gshmemi_carrying_go_on(struct gshmemi_carrying *c, struct gshmemi_engine *e);
/* Whether there is nothing to do but to wait: go_on would return false. Needs no enter. */
bool gshmemi_carrying_is_waiting(const struct gshmemi_carrying *c);

#endif /* GSHMEMI_NET_NET_H */
