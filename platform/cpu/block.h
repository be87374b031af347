/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A block that runs on a thread: its waves and lanes. lane.c owns it, wave.c completes cross-lane calls in
 * it, worker.c gives it work.
 *
 * A block begins in fast mode: a plain loop over the lanes on one fiber, without bookkeeping. The first lane
 * that blocks keeps that fiber and ends the fast mode (hipcpu_block_slow).
 */
#ifndef HIPCPU_BLOCK_H
#define HIPCPU_BLOCK_H

#include "fiber.h"
#include "hip/hipcpu.h"
#include "runtime.h"

/*
 * For what the watchdog reads of a running block: it may change meanwhile, and a message may
 * be slightly wrong.
 */
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

/* What a barrier needs of a lane is in the first 64 bytes, one cache line. */
struct hipcpu_lane {
	struct fiber *fiber; /* these four are set once the lane has begun in a slow block */
	struct wave *wave;
	uint64_t bit;            /* its bit in the sets of wave */
	struct index3 index;     /* its threadIdx */
	uint32_t npauses;        /* polls of its current wait */
	uint64_t result;         /* of call; set by whoever completes the call */
	struct hipcpu_call call; /* the call it is in, or was in last; op NONE: none yet */
} __attribute__((aligned(HIPCPU_LANE_BYTES)));

_Static_assert(
	sizeof(struct hipcpu_lane) == HIPCPU_LANE_BYTES, "the lane loop in hip_runtime.h steps by this");

/*
 * Sets of lanes of a wave. They are disjoint, except live. A live lane in none of the others is running or
 * has not begun.
 */
struct wave {
	uint64_t live;             /* has not exited */
	uint64_t ready;            /* may go on */
	uint64_t arrived;          /* in a cross-lane call */
	uint64_t masked;           /* of these, those with a mask of their own */
	uint64_t active;           /* of these, those in HIPCPU_OP_ACTIVE or HIPCPU_OP_HERE */
	uint64_t barrier;          /* at the block's barrier */
	uint64_t paused;           /* in hipcpu_pause */
	uint64_t held;             /* in HIPCPU_OP_ELECT, until the elected lane lets them go */
	bool uniform;              /* all mask-less lanes of arrived are in the same call */
	uint32_t first;            /* the first of these that arrived */
	struct hipcpu_lane *lanes; /* the lanes of the wave */
};

/* The watchdog's notes about a block. */
struct watched {
	uint64_t progress;
	uint64_t stood_ns; /* time since progress last moved in which the block could have gone on */
	uint64_t seen_ns;  /* when it was last looked at, */
	uint64_t cpu_ns;   /* the CPU time of its thread then, */
	unsigned nidle;    /* and its pauses */
	bool named;        /* it was reported, since progress last moved */
};

struct block {
	struct hipcpu_lane *lanes; /* HIPCPU_MAX_THREADS of them */
	struct wave waves[HIPCPU_MAX_WAVES];
	uint32_t ready_waves;  /* waves with ready lanes */
	uint32_t paused_waves; /* waves with paused lanes */
	unsigned width, shift; /* lanes of a wave, and the logarithm of that */
	unsigned nlanes, nlive, nbarrier;
	bool elects;          /* some lanes are in HIPCPU_OP_BARRIER_ELECT */
	unsigned nstarted;    /* lanes begun, in order */
	struct wave *wave;    /* of the lane that is running or ran last, once the block is slow */
	unsigned streak;      /* cross-lane calls since another wave had its turn */
	unsigned nturns;      /* times that another wave had its turn */
	unsigned pause_next;  /* the lane from which to look for one that pauses */
	unsigned nidle;       /* pauses since anything else happened */
	unsigned nlooks;      /* pauses, also between cross-lane calls, as of a loop around a test */
	uint64_t yielded_ns;  /* when the current wait first yielded; 0: it has not */
	uint64_t gave_way_ns; /* when the block last yielded or napped */
	bool slow;
	uint64_t barrier_count; /* of HIPCPU_OP_COUNT, so far */
	uint64_t barrier_result;
	uint64_t words[4];  /* hipcpu_block_words */
	unsigned nbarriers; /* completed so far */
	/* stands for odd and even barriers in TSan, because some lanes may already be at the next barrier */
	char barrier_mark[2];
	uint64_t seed;       /* of GSHMEM_CPU_DIVERGE */
	uint64_t *together;  /* [lane]: the lanes it has not parted from; NULL without GSHMEM_CPU_DIVERGE */
	struct fiber *fiber; /* the running fiber */
	struct fiber *free_fibers;
	struct fiber thread;        /* the thread's own stack */
	struct hipcpu_lane *picked; /* the lane to which an exiting lane gives way; NULL: the block is done */
	unsigned nfibers;           /* that exist */
	char *shared;               /* dynamic shared memory */
	size_t shared_bytes;
	struct launch *launch;
	uint64_t id; /* in the grid, flat */
	/* for the watchdog */
	clockid_t clock; /* the CPU time of its thread */
	/* moves with every switch that is not a pause, every block, and every part of a long copy */
	_Atomic uint64_t progress;
	_Atomic bool busy;
	struct watched watched;
	struct block *next; /* in the list of all blocks of the process */
};

extern __thread struct block *hipcpu_block HIPCPU_TLS;

struct launch {
	struct hipcpu_item item;
	struct hipcpu_launch_params params;
	struct hipcpu_pool *pool;
	struct launch *next; /* in the pool, while it has blocks left */
	uint64_t nblocks;
	uint64_t serial; /* serial number of its first block, in the process */
	_Atomic uint64_t next_block;
	unsigned nrunning;             /* threads working on it; guarded by the pool's lock */
	struct hipcpu_gate done;       /* opens when the last thread leaves */
	_Atomic uint64_t grid_arrived; /* blocks that have come to hipcpu_grid_sync so far */
};

/* ---- lane.c ---- */

/* Creates the block of the calling thread; aborts when out of memory. */
struct block *hipcpu_block_new(void);
/* Frees it. */
void hipcpu_block_free(struct block *b);
/* Runs block id of launch on the calling thread. */
void hipcpu_block_run(struct block *b, struct launch *launch, uint64_t id);
/* Leaves the fast mode; does nothing after that. */
void hipcpu_block_slow(struct block *b);
/* Stops the running lane, whose sets are up to date, until it is resumed. */
void hipcpu_lane_park(struct block *b, struct hipcpu_lane *me);
/* Lets others run although me could go on. */
void hipcpu_lane_yield(struct block *b, struct hipcpu_lane *me);
void hipcpu_block_describe(struct block *b);

static inline unsigned lane_number(const struct block *b, const struct hipcpu_lane *lane)
{
	return (unsigned)(lane - b->lanes);
}

/* The lane of bit leaves the ready lanes of its wave, because it runs. */
static inline void wave_unready(struct block *b, struct wave *wave, uint64_t bit)
{
	wave->ready &= ~bit;
	if (!wave->ready)
		b->ready_waves &= ~(UINT32_C(1) << (wave - b->waves));
}

static inline void progress(struct block *b)
{
	/* there is one writer, so no read-modify-write is needed */
	atomic_store_explicit(&b->progress, atomic_load_explicit(&b->progress, memory_order_relaxed) + 1,
		memory_order_relaxed);
}

/* ---- stack.c ---- */

/* Returns a fiber that is not in use; it starts or continues in hipcpu_fiber_main. */
struct fiber *hipcpu_fiber_get(struct block *b);
void hipcpu_fiber_put(struct block *b, struct fiber *f);
void hipcpu_fiber_main(void);
/* Makes sure that there are n fibers in all. */
void hipcpu_fibers_reserve(struct block *b, unsigned n);
/* Frees all fibers of the block, none of which is in use. */
void hipcpu_fibers_free(struct block *b);
/* Prepares the calling thread: records its stack's bounds and handles overflows. */
void hipcpu_stacks_init(struct block *b);
/* Frees the calling thread's signal stack. */
void hipcpu_stacks_end(void);

/* ---- wave.c ---- */

/* Completes what can be completed now that a lane of wave w has arrived, stopped at a barrier or exited. */
void hipcpu_wave_settle(struct block *b, unsigned w);
/* Completes calls that do not wait for spinning lanes. */
void hipcpu_wave_settle_active(struct block *b, unsigned w);
/* For GSHMEM_CPU_DIVERGE: makes every wave of the block whole. */
void hipcpu_waves_join(struct block *b);
const char *hipcpu_op_name(enum hipcpu_op op);

/* ---- worker.c ---- */

/* The running block waits: makes more threads run blocks that have not begun. */
void hipcpu_worker_more(struct launch *launch);
/* hipcpu_spin_polls, with the threads of this process that run blocks. */
unsigned hipcpu_worker_spin_polls(void);
void hipcpu_worker_run(struct launch *launch);
/* Starts the watchdog; later calls do nothing. */
void hipcpu_watchdog_start(void);

#endif /* HIPCPU_BLOCK_H */
