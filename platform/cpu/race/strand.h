/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of strands: for strand.c, order.c and meet.c. */
#ifndef HIPCPU_RACE_STRAND_H
#define HIPCPU_RACE_STRAND_H

#include <pthread.h>

#include "block.h"
#include "race/race.h"
#include "race/shared.h"

#define NJOINS  4  /* calls of a wave that are remembered */
#define NLEARNT 64 /* a power of two */
#define NSTEPS  (HIPCPU_MAX_THREADS / 64)

/* A call that some lanes of 64 have made together. */
struct join {
	uint64_t lanes;
	uint32_t time;
};

/* A word, and which of its snapshots the strand's clock includes. */
struct learnt {
	const struct race_word *word;
	uint32_t snapshot;
};

struct race_strand {
	unsigned job;
	unsigned number; /* among those of all PEs */
	bool is_host;    /* of a thread of the program, or of several */
	bool is_over;    /* that thread has ended, and */
	bool is_free;    /* another one has joined it */
	pthread_t thread;
	struct race_strand *next; /* of the hosts */
	uint32_t now;
	struct race_clock *clock; /* what the thread, or all lanes of its block, know: one of these */
	struct race_clock *inside, *outside;
	struct learnt learnt[NLEARNT]; /* by the word's hash; the last of each hash */
	uint32_t began;                /* the time when the block began; 0: it runs none */
	uint32_t met;                  /* its last barrier: what came before is over for all its lanes */
	struct join joins[NSTEPS][NJOINS];
	struct race_lane *lanes; /* [HIPCPU_MAX_THREADS]; of a thread of the host, one */
	unsigned nlanes;
	uint64_t has_open[NSTEPS],
		has_begun[NSTEPS]; /* lanes with operations that are open; with any in this block */
	struct race_clock *scratch;
};

/* The caller's strand, if it has one by now. */
struct race_strand *race_own(void);
void race_tick(struct race_strand *s);
/* The strands of the program's threads; with a host entered. */
extern struct race_strand *race_hosts;
/* What a host knows to have happened in kernels and other threads of its PE is complete. */
void race_complete_kernels(struct race_strand *s);

static inline struct race_lane *race_own_lane(struct race_strand *s)
{
	return &s->lanes[race_lane_of(s)];
}

/* What a lane knows. */
static inline struct race_clock *race_clock_of(struct race_strand *s, const struct race_lane *lane)
{
	return lane->known ? lane->known->clock : s->clock;
}
/* From now on the thread, or its block, knows what the clock says. */
void race_set_clock(struct race_strand *s, struct race_clock *clock);
/* The lane's own clock, to which it may write. A thread of the host has no other lanes. */
struct race_clock *race_own_clock(struct race_strand *s, struct race_lane *lane);
/* The lane knows again what its block knows. */
void race_known_give(struct race_lane *lane);
/*
 * Adds which operations of one of the caller's lanes are complete, or ordered before what it does on a PE now;
 * pe -1: only the complete ones.
 */
void race_except_own(struct race_strand *s, struct race_clock *clock, unsigned number, unsigned context,
	int pe, bool is_signal);

#endif /* HIPCPU_RACE_STRAND_H */
