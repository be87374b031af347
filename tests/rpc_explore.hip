/* SPDX-License-Identifier: BSD-3-Clause */
/* tier: all */
/* platform: cpu */
/* delivery: no */
/* timeout: 300 */
/*
 * The protocol of include/gshmem/rpc/rpc_slot.h and the lanes' part of rpc.h are right under every schedule.
 * This test compiles these headers with other primitives (rpc_explore_arch.h): each load, store, atomic and
 * fence of a word that both sides see is a step, and the search tries all orders of steps.
 *
 * Stores of a wave wait in a buffer, from which they reach memory in any order, except that those to one
 * address stay in order. A release fence waits until the buffer is empty; atomics act on memory. A line of 64
 * bytes (a header, or a lane's part of a page) leaves the buffer as a whole. Loads are in order. The server
 * is a loop that takes, performs and answers calls in any order.
 *
 *   safety  no request is torn, stale, or performed twice, none changes while the server has it, no answer is
 *           wrong, no quiet is early
 *   solo    from each state, each wave that has not ended can end if only it, the server and the buffers
 *           move: the other waves may stop for ever, whatever they are doing
 *   fair    from each state, all waves can end
 *
 * A preemption is a switch from a wave that could go on: it has not ended, does not wait for its buffer, and
 * its last poll was not in vain. If preemptions are bounded, steps of the server and the buffers do not
 * count. solo then means that the other waves stop in the state, and the rest runs without bound.
 *
 * Arguments: -v prints a row for each configuration, -a adds the large ones, which take minutes and
 * gigabytes; other arguments select rows by name. The first row that is not as expected is the last that
 * runs. The numbers of states depend a little on the compiler, because dead values count.
 */
#define GSHMEM_ARCH_HEADER    "rpc_explore_arch.h"
#define gshmemi_host_rpc_wake explore_wake
#include <gshmem.h>

#include "explore_graph.h"
#include "rpc_explore_fiber.h"

/* ---- what is explored ---- */

#define MAX_WAVES   3
#define MAX_LANES   2
#define MAX_SLOTS   3
#define MAX_SERVERS 2
#define MAX_CALLS   3
#define NO_BOUND    255

enum call { NONE, SYNC_CALL, ASYNC_CALL, QUIET_CALL, TICKET_CALL };

/* Servers that are wrong, or lack something. */
enum {
	ANSWER_FIRST = 1,  /* answers before it has written the result */
	ONE_AT_A_TIME = 2, /* takes nothing while it has a call */
	BELL_ALONE = 4,    /* reads requests only when the bell has rung */
	BELL_ORDERED = 8,  /* (client) the bell rings when the request has arrived */
	BELL_LATE = 16,    /* the bell goes down after the requests were read */
	BELL = 32,         /* there is a bell; requests are read any time, too */
	DEPENDS = 64,      /* wave 0's first call is done when wave 1's first has been */
	BUFFERED = 128,    /* the server's stores wait in a buffer, too */
	EVERY_WORD = 256,  /* each access to a page is a step */
	NAPS = 512,        /* the server sleeps until a client wakes it */
	NO_BARRIER = 1024, /* and looks without waiting for the clients' stores */
	LOOK_FIRST = 2048, /* and looks before it announces that it sleeps */
	NO_SWEEP = 4096    /* quiet does not look at the requests */
};

struct config {
	const char *name;
	int is_large;
	unsigned nwaves, nslots, nlanes;
	enum call calls[MAX_WAVES][MAX_CALLS];
	unsigned flags;
	unsigned nservers;
	unsigned npreemptions;
	uint32_t first_seq;
	const char *violation; /* the error that must be found; NULL: none may be found */
	int solo, fair;        /* must hold */
};
static const struct config *cfg;

#define TORN    "the server read a torn or stale request"
#define TWICE   "a request was carried out twice"
#define CHANGED "a request changed while the server had it"
#define WRONG   "a client read a wrong answer"
#define EARLY   "quiet returned before a call posted before it was carried out"

#include "rpc_explore_state.h"
#include "rpc_explore_step.h"
#include "rpc_explore_wave.h"
#include "rpc_explore_server.h"
#include "rpc_explore_search.h"

/* ---- the rows ---- */

#define S SYNC_CALL
#define A ASYNC_CALL
#define Q QUIET_CALL
#define T TICKET_CALL
static const struct config rows[] = {
	{"W1 N1 sync x3", 0, 1, 1, 2, {{S, S, S}}, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W1 N1 sync x2, every word", 0, 1, 1, 2, {{S, S}}, EVERY_WORD, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W1 N1 async,sync,quiet, server's stores buffered", 0, 1, 1, 2, {{A, S, Q}}, BUFFERED, 1, NO_BOUND,
		0, NULL, 1, 1},
	{"W1 N1 sync x3, one lane, numbers from 2^30 - 4", 0, 1, 1, 1, {{S, A, S}}, 0, 1, NO_BOUND,
		0x3ffffffc, NULL, 1, 1},
	{"W2 N2 sync x2 each", 0, 2, 2, 2, {{S, S}, {S, S}}, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W2 N2 async/sync mix", 0, 2, 2, 2, {{A, S}, {A, A}}, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W2 N2 async,async,quiet | async,sync", 0, 2, 2, 2, {{A, A, Q}, {A, S}}, 0, 1, NO_BOUND, 0, NULL, 1,
		1},
	{"W2 N2 async,async,quiet | async,sync, one lane", 0, 2, 2, 1, {{A, A, Q}, {A, S}}, 0, 1, NO_BOUND, 0,
		NULL, 1, 1},
	{"W2 N2 ticket,quiet | async,quiet, from 2^30 - 1", 0, 2, 2, 1, {{T, Q}, {A, Q}}, 0, 1, NO_BOUND,
		0x3fffffff, NULL, 1, 1},
	{"W2 N2 two servers, async,sync | async", 0, 2, 2, 1, {{A, S}, {A}}, 0, 2, NO_BOUND, 0, NULL, 1, 1},
	{"W3 N3 async | sync | sync, 3 preemptions", 0, 3, 3, 1, {{A}, {S}, {S}}, 0, 1, 3, 0, NULL, 1, 1},
	{"W3 N3 sync | async,sync | sync, 2 preemptions", 1, 3, 3, 1, {{S}, {A, S}, {S}}, 0, 1, 2, 0, NULL, 1,
		1},
	{"W3 N3 sync | async,sync | sync, 3 preemptions", 1, 3, 3, 1, {{S}, {A, S}, {S}}, 0, 1, 3, 0, NULL, 1,
		1},
	{"W3 N3 async,quiet | async | sync, 1 preemption", 0, 3, 3, 1, {{A, Q}, {A}, {S}}, 0, 1, 1, 0, NULL,
		1, 1},
	{"W3 N3 async,quiet | async | sync, 2 preemptions", 1, 3, 3, 1, {{A, Q}, {A}, {S}}, 0, 1, 2, 0, NULL,
		1, 1},
	{"W3 N3 sync | async,sync | sync, all", 1, 3, 3, 1, {{S}, {A, S}, {S}}, 0, 1, NO_BOUND, 0, NULL, 1,
		1},
	{"control: W2 N1 (N < W)", 0, 2, 1, 2, {{S, S}, {S, S}}, 0, 1, NO_BOUND, 0, NULL, 0, 1},
	{"control: W3 N2 (N < W), 3 preemptions", 0, 3, 2, 1, {{S}, {S}, {S}}, 0, 1, 3, 0, NULL, 0, 1},
	{"W2 N2 sync each", 0, 2, 2, 2, {{S}, {S}}, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"wrong: server answers before writing the result", 0, 2, 2, 2, {{S, S}, {S}}, ANSWER_FIRST, 1,
		NO_BOUND, 0, WRONG, 0, 0},
	{"W2 N2 async x3 | sync", 0, 2, 2, 2, {{A, A, A}, {S}}, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W2 N2 async,async,sync | sync", 0, 2, 2, 2, {{A, A, S}, {S}}, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"W2 N2 async,async,sync | sync x2", 0, 2, 2, 2, {{A, A, S}, {S, S}}, 0, 1, NO_BOUND, 0, NULL, 1, 1},
	{"wrong: quiet without a sweep of all requests", 0, 2, 2, 2, {{A, Q}, {S}}, NO_SWEEP, 1, NO_BOUND, 0,
		EARLY, 0, 0},
	{"bell alone, ordered after the request", 0, 2, 2, 1, {{A, S}, {S}}, BELL_ALONE | BELL_ORDERED, 1,
		NO_BOUND, 0, NULL, 1, 1},
	{"bell alone, ordered, all stores buffered", 0, 2, 2, 1, {{A, S}, {S}},
		BELL_ALONE | BELL_ORDERED | BUFFERED, 1, NO_BOUND, 0, NULL, 1, 1},
	{"wrong: bell alone, may overtake the request", 0, 2, 2, 1, {{A, S}, {S}}, BELL_ALONE, 1, NO_BOUND, 0,
		NULL, 0, 0},
	{"wrong: bell alone, goes down after the requests are read", 0, 2, 2, 1, {{A, S}, {S}},
		BELL_ALONE | BELL_ORDERED | BELL_LATE, 1, NO_BOUND, 0, NULL, 0, 0},
	{"bell as a hint, unordered, and all requests read", 0, 2, 2, 1, {{A, S}, {S}}, BELL, 1, NO_BOUND, 0,
		NULL, 1, 1},
	{"server sleeps, woken without a fence in the client", 0, 2, 2, 1, {{A, S}, {S}}, NAPS, 1, NO_BOUND,
		0, NULL, 1, 1},
	{"wrong: server sleeps, no membarrier", 0, 2, 2, 1, {{S}, {S}}, NAPS | NO_BARRIER, 1, NO_BOUND, 0,
		NULL, 0, 0},
	{"wrong: server looks before it says that it sleeps", 0, 2, 2, 1, {{S}, {S}}, NAPS | LOOK_FIRST, 1,
		NO_BOUND, 0, NULL, 0, 0},
	{"call that needs another wave's, any order", 0, 2, 2, 2, {{S}, {S}}, DEPENDS, 1, NO_BOUND, 0, NULL,
		0, 1},
	{"wrong: the same, one call at a time", 0, 2, 2, 2, {{S}, {S}}, DEPENDS | ONE_AT_A_TIME, 1, NO_BOUND,
		0, NULL, 0, 0},
};
#undef S
#undef A
#undef Q
#undef T

int main(int argc, char **argv)
{
	int verbose = 0, large = 0, rc = 0, i, k, selects = 0;
	unsigned n;

#ifdef __SANITIZE_ADDRESS__
	t_skip("copies of stacks are not for AddressSanitizer");
#endif
	for (i = 1; i < argc; i++) {
		verbose |= !strcmp(argv[i], "-v");
		large |= !strcmp(argv[i], "-a");
		selects |= argv[i][0] != '-';
	}
	for (n = 0; n < sizeof rows / sizeof rows[0] && !rc; n++) {
		k = !selects;
		for (i = 1; i < argc; i++)
			k |= argv[i][0] != '-' && strstr(rows[n].name, argv[i]) != NULL;
		if (k && (!rows[n].is_large || large || selects))
			rc = explore(&rows[n], verbose);
	}
	return rc;
}
