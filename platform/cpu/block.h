/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A block that runs on a thread: its waves and lanes. lane.c owns it, wave.c completes cross-lane
 * calls in it, worker.c feeds it.
 *
 * A block begins in the fast mode: a plain loop over the lanes on one fiber, with no accounting. The
 * first lane that blocks takes that fiber for its own and ends the fast mode (block_slow).
 */
#ifndef HIPCPU_BLOCK_H
#define HIPCPU_BLOCK_H

#include "fiber.h"
#include "hip/hipcpu.h"
#include "runtime.h"

/* What the watchdog reads of a running block: it may move meanwhile, and a message may be a little off. */
#define HIPCPU_RACY __attribute__((no_sanitize_thread))

#define HIPCPU_MAX_WAVES (HIPCPU_MAX_THREADS / 32)

struct index3 {
	uint32_t x, y, z;
};
extern __thread struct index3 threadIdx HIPCPU_TLS;
extern __thread struct index3 blockIdx HIPCPU_TLS;
extern __thread struct index3 blockDim HIPCPU_TLS;
extern __thread struct index3 gridDim HIPCPU_TLS;
extern int warpSize;

/* What a barrier needs of it is in the first 64 bytes, a line of the cache. */
struct hipcpu_lane {
	struct fiber *fiber;	 /* these four: once it has begun in a slow block */
	struct wave *wave;
	uint64_t bit;		 /* in the sets of wave */
	struct index3 index;	 /* its threadIdx */
	uint32_t npauses;	 /* polls of its present wait */
	uint64_t result;	 /* of call; set by whoever completes it */
	struct hipcpu_call call; /* what it stands in, or stood in last; op NONE: none yet */
} __attribute__((aligned(HIPCPU_LANE_BYTES)));

_Static_assert(sizeof(struct hipcpu_lane) == HIPCPU_LANE_BYTES, "the lane loop in hip_runtime.h steps by this");

/* Sets of lanes of a wave, disjoint but for live: a live lane in none of the others runs or has not begun. */
struct wave {
	uint64_t live;	  /* not exited */
	uint64_t ready;	  /* may go on */
	uint64_t arrived; /* in a cross-lane call */
	uint64_t masked;  /* of them, with a mask of their own */
	uint64_t active;  /* of them, in HIPCPU_OP_ACTIVE */
	uint64_t barrier; /* at the block's barrier */
	uint64_t paused;  /* in hipcpu_pause */
	uint64_t held;	  /* in HIPCPU_OP_ELECT, until the one elected lets them go */
	bool uniform;	  /* all mask-less ones of arrived stand in the same call */
	uint32_t first;	  /* one of them */
	struct hipcpu_lane *lanes; /* its first */
};

/* The watchdog's own notes. */
struct watched {
	uint64_t progress;
	uint64_t since_ns; /* when it moved last */
	bool named;	   /* on stderr, since then */
};

struct block {
	struct hipcpu_lane *lanes; /* HIPCPU_MAX_THREADS of them */
	struct wave waves[HIPCPU_MAX_WAVES];
	uint32_t ready_waves;	   /* those with ready lanes */
	uint32_t paused_waves;	   /* and with paused ones */
	unsigned width, shift;	   /* of a wave: lanes, and its logarithm */
	unsigned nlanes, nlive, nbarrier;
	bool elects;		   /* some stand in HIPCPU_OP_BARRIER_ELECT */
	unsigned nstarted;	   /* lanes begun, in order */
	struct wave *wave;	   /* of the lane that runs or ran last, once the block is slow */
	unsigned streak;	   /* cross-lane calls since another wave had its turn */
	unsigned nturns;	   /* times that another wave had its turn */
	unsigned pause_next;	   /* lane to look from for one that pauses */
	unsigned nidle;		   /* pauses since anything else happened */
	uint64_t yielded_ns;	   /* when the wait that began last first yielded; 0: none has */
	bool slow;
	uint64_t barrier_count;	   /* of HIPCPU_OP_COUNT, so far */
	uint64_t barrier_result;
	uint64_t words[4];	   /* hipcpu_block_words */
	unsigned nbarriers;	   /* completed so far */
	char barrier_mark[2];	   /* what TSan knows of odd and even barriers: some lanes are at the next one already */
	uint64_t seed;		   /* of GSHMEM_CPU_DIVERGE */
	uint64_t *together;	   /* [lane]: whom it has not parted from; NULL without that */
	struct fiber *fiber;	   /* that runs */
	struct fiber *free_fibers;
	struct fiber thread;	   /* the thread's own stack */
	struct hipcpu_lane *picked; /* whom an exiting lane gives way to; NULL: the block is done */
	unsigned nfibers;	   /* ever made */
	char *shared;		   /* dynamic shared memory */
	size_t shared_bytes;
	struct launch *launch;
	uint64_t id;		   /* in the grid, flat */
	/* for the watchdog */
	_Atomic uint64_t progress; /* moves with every switch that is not a pause, and every block */
	_Atomic bool busy;
	struct watched watched;
	struct block *next;	   /* of all blocks of the process */
};

extern __thread struct block *hipcpu_block HIPCPU_TLS;

struct launch {
	struct hipcpu_item item;
	struct hipcpu_launch_params params;
	struct hipcpu_pool *pool;
	struct launch *next;	   /* in the pool, while blocks are left */
	uint64_t nblocks;
	uint64_t serial;	   /* of its first block, in the process */
	_Atomic uint64_t next_block;
	unsigned nrunning;	   /* threads at work on it; under the pool's lock */
	struct hipcpu_gate done;   /* opens when the last thread leaves */
	_Atomic uint64_t grid_arrived; /* blocks at hipcpu_grid_sync, ever */
};

/* ---- lane.c ---- */

/* Make the block of the calling thread; aborts when out of memory. */
struct block *hipcpu_block_new(void);
/* Run block id of launch on the calling thread. */
void hipcpu_block_run(struct block *b, struct launch *launch, uint64_t id);
/* Leave the fast mode; a no-op after that. */
void hipcpu_block_slow(struct block *b);
/* Stop the running lane, whose sets are up to date, until it is resumed. */
void hipcpu_lane_park(struct block *b, struct hipcpu_lane *me);
/* Let others run though me could go on. */
void hipcpu_lane_yield(struct block *b, struct hipcpu_lane *me);
void hipcpu_block_describe(struct block *b);

static inline unsigned lane_number(const struct block *b, const struct hipcpu_lane *lane)
{
	return (unsigned)(lane - b->lanes);
}

/* Of the ready lanes of a wave, that of bit runs. */
static inline void wave_unready(struct block *b, struct wave *wave, uint64_t bit)
{
	wave->ready &= ~bit;
	if (!wave->ready)
		b->ready_waves &= ~(UINT32_C(1) << (wave - b->waves));
}

static inline void progress(struct block *b)
{
	/* one writer, hence no read-modify-write */
	atomic_store_explicit(&b->progress, atomic_load_explicit(&b->progress, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* ---- stack.c ---- */

/* A fiber that is not in use; it starts, or goes on, in hipcpu_fiber_main. */
struct fiber *hipcpu_fiber_get(struct block *b);
void hipcpu_fiber_put(struct block *b, struct fiber *f);
void hipcpu_fiber_main(void);
/* Have n in all. */
void hipcpu_fibers_reserve(struct block *b, unsigned n);
/* Prepare the calling thread: its own stack's bounds, and a handler for overflows. */
void hipcpu_stacks_init(struct block *b);

/* ---- wave.c ---- */

/* Complete what can be completed now that a lane of wave w has arrived, stopped at a barrier or exited. */
void hipcpu_wave_settle(struct block *b, unsigned w);
/* Complete calls that do not wait for lanes that spin. */
void hipcpu_wave_settle_active(struct block *b, unsigned w);
/* For GSHMEM_CPU_DIVERGE: every wave of the block is whole now. */
void hipcpu_waves_join(struct block *b);
const char *hipcpu_op_name(enum hipcpu_op op);

/* ---- worker.c ---- */

/* The running block waits: have more threads run blocks that have not begun. */
void hipcpu_worker_more(struct launch *launch);
void hipcpu_worker_run(struct launch *launch);
/* Idempotent. */
void hipcpu_watchdog_start(void);

#endif /* HIPCPU_BLOCK_H */
