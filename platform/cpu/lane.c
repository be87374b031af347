/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lanes of a block, and which one runs. At each decision the next is a lane that was let go, else a lane
 * that has not begun, else a lane that pauses. If there is none, that is a deadlock, which is reported.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "block.h"

/*
 * For the path of every stop of a lane, some 80 instructions: a call within a call would save registers
 * twice, and what is the same for all stops of a kind is known at compile time.
 */
#define INLINED static inline __attribute__((always_inline))

#define STREAK_MAX   256  /* cross-lane calls of one wave before other waves get a turn */
#define STREAK_YIELD 4096 /* and before other processes get one, if there are more of them than cores */

__thread struct hipcpu_lane *hipcpu_self HIPCPU_TLS;
__thread struct hipcpu_loop hipcpu_loop HIPCPU_TLS;
__thread struct block *hipcpu_block HIPCPU_TLS;
__thread struct index3 threadIdx HIPCPU_TLS, blockIdx HIPCPU_TLS, blockDim HIPCPU_TLS, gridDim HIPCPU_TLS;
int warpSize = 64; /* only this file changes it */

__attribute__((constructor)) static void set_warp_size(void)
{
	const char *wave = hipcpu_setting("GSHMEM_CPU_WAVE");

	if (wave && !strcmp(wave, "32"))
		warpSize = 32;
}

/* ---- messages; the watchdog prints them too, from another thread, while what it reads may change ---- */

/* Prints one line for lanes first to last of the block, which are in the same call. */
HIPCPU_RACY static void describe_lanes(struct block *b, unsigned first, unsigned last)
{
	const struct hipcpu_lane *lane = &b->lanes[first];
	const struct wave *w = &b->waves[first >> b->shift];
	uint64_t bit = UINT64_C(1) << (first & (b->width - 1));
	char who[32], mask[48] = "";

	snprintf(who, sizeof(who), first == last ? "lane %u" : "lanes %u-%u", first, last);
	if (lane->call.mask && (w->arrived & bit))
		snprintf(mask, sizeof(mask), " mask 0x%llx", (unsigned long long)lane->call.mask);
	if ((w->arrived | w->barrier | w->held) & bit)
		hipcpu_message("  %s: %s at %s:%d%s", who, hipcpu_op_name(lane->call.op), lane->call.file,
			lane->call.line, mask);
	else if (w->paused & bit)
		hipcpu_message("  %s: spinning (in hipcpu_pause)", who);
	else
		hipcpu_message("  %s: %s", who,
			first >= b->nstarted     ? "not begun"
				: w->ready & bit ? "ready"
						 : "running");
}

HIPCPU_RACY static unsigned standing(const struct block *b, unsigned n)
{
	const struct wave *w = &b->waves[n >> b->shift];
	uint64_t bit = UINT64_C(1) << (n & (b->width - 1));

	if (!(w->live & bit))
		return 0;
	return (w->arrived | w->held) & bit ? 1
		: w->barrier & bit          ? 2
		: w->paused & bit           ? 3
		: w->ready & bit            ? 4
					    : 5;
}

HIPCPU_RACY void hipcpu_block_describe(struct block *b)
{
	unsigned first = 0;

	while (b->slow && first < b->nlanes) {
		const struct hipcpu_call *call = &b->lanes[first].call;
		unsigned what = standing(b, first), last = first;

		while (last + 1 < b->nlanes && standing(b, last + 1) == what) {
			const struct hipcpu_call *other = &b->lanes[last + 1].call;

			if ((what == 1 || what == 2) && (other->op != call->op || other->line != call->line))
				break;
			if (what == 1 && other->mask != call->mask)
				break;
			last++;
		}
		if (what)
			describe_lanes(b, first, last);
		first = last + 1;
	}
}

void hipcpu_trap(const char *message)
{
	struct block *b = hipcpu_block;

	if (hipcpu_self)
		hipcpu_message("block (%u,%u,%u) lane %u of %s: %s", blockIdx.x, blockIdx.y, blockIdx.z,
			lane_number(b, hipcpu_self), b->launch->params.name, message);
	else
		hipcpu_message("%s", message);
	abort();
}

static void deadlock(struct block *b)
{
	hipcpu_message("deadlock in block (%u,%u,%u) of %s: no lane can move", blockIdx.x, blockIdx.y,
		blockIdx.z, b->launch->params.name);
	hipcpu_block_describe(b);
	abort();
}

/* ---- whose turn it is ---- */

static void set_ready(struct block *b, unsigned w, uint64_t lanes)
{
	b->waves[w].ready |= lanes;
	if (lanes)
		b->ready_waves |= UINT32_C(1) << w;
}

INLINED struct hipcpu_lane *take_ready(struct block *b, struct wave *wave)
{
	struct hipcpu_lane *lane = &wave->lanes[__builtin_ctzll(wave->ready)];

	wave_unready(b, wave, wave->ready & -wave->ready);
	return lane;
}

/* Returns a ready lane of the next wave that has one. */
static struct hipcpu_lane *pick_ready(struct block *b)
{
	uint32_t later = b->ready_waves & ~(UINT32_MAX >> (31 - (b->wave - b->waves)));

	if (!b->ready_waves)
		return NULL;
	return take_ready(b, &b->waves[__builtin_ctz(later ? later : b->ready_waves)]);
}

static struct hipcpu_lane *pick_new(struct block *b)
{
	return b->nstarted < b->nlanes ? &b->lanes[b->nstarted] : NULL;
}

static struct hipcpu_lane *pick_paused(struct block *b)
{
	for (unsigned pass = 0; b->paused_waves && pass < 2; pass++) {
		unsigned from = pass ? 0 : b->pause_next;

		for (unsigned w = from >> b->shift; w << b->shift < b->nlanes; w++, from = w << b->shift) {
			struct wave *wave = &b->waves[w];
			uint64_t later = wave->paused & ~UINT64_C(0) << (from & (b->width - 1));
			unsigned n;

			if (!later)
				continue;
			n = (unsigned)__builtin_ctzll(later);
			wave->paused &= ~(UINT64_C(1) << n);
			if (!wave->paused)
				b->paused_waves &= ~(UINT32_C(1) << w);
			n += w << b->shift;
			b->pause_next = n + 1 < b->nlanes ? n + 1 : 0;
			return &b->lanes[n];
		}
	}
	return NULL;
}

static struct hipcpu_lane *pick(struct block *b)
{
	struct hipcpu_lane *lane;

	if (b->wave->ready)
		lane = take_ready(b, b->wave);
	else if (!(lane = pick_ready(b)) && !(lane = pick_new(b)))
		return pick_paused(b);
	b->nidle = 0;
	return lane;
}

/* Picks a lane of another wave, starting with each kind in turn. */
static struct hipcpu_lane *pick_other(struct block *b)
{
	struct hipcpu_lane *(*const kinds[])(struct block *) = {pick_ready, pick_new, pick_paused};
	struct hipcpu_lane *lane = NULL;
	unsigned turn = b->nturns++;

	for (unsigned i = 0; i < 3 && !lane; i++)
		lane = kinds[(turn + i) % 3](b);
	return lane;
}

/* Sets what is known about a lane of a slow block, except its threadIdx. */
static void lane_place(struct block *b, struct hipcpu_lane *lane, struct fiber *fiber)
{
	unsigned n = lane_number(b, lane);

	lane->fiber = fiber;
	lane->wave = &b->waves[n >> b->shift];
	lane->bit = UINT64_C(1) << (n & (b->width - 1));
}

/* Makes lane, which had stopped, the running one; the caller switches to its fiber. */
INLINED void lane_resume(struct block *b, struct hipcpu_lane *lane)
{
	b->wave = lane->wave;
	b->fiber = lane->fiber;
	hipcpu_self = lane;
	threadIdx = lane->index;
}

/* The same for a lane that has not begun and will run on fiber. */
static void lane_begin(struct block *b, struct hipcpu_lane *lane, struct fiber *fiber)
{
	unsigned n = lane_number(b, lane);

	b->nstarted++;
	lane_place(b, lane, fiber);
	lane->index.x = n % blockDim.x;
	lane->index.y = n / blockDim.x % blockDim.y;
	lane->index.z = n / blockDim.x / blockDim.y;
	lane_resume(b, lane);
}

static void lane_go(struct block *b, struct hipcpu_lane *lane)
{
	if (HIPCPU_UNLIKELY(!lane))
		deadlock(b);
	if (lane_number(b, lane) == b->nstarted)
		lane_begin(b, lane, hipcpu_fiber_get(b));
	else
		lane_resume(b, lane);
}

/* Leaves the running lane me where it is and goes on with next. */
static void switch_lane(struct block *b, struct hipcpu_lane *me, struct hipcpu_lane *next)
{
	lane_go(b, next);
	fiber_switch(me->fiber, b->fiber);
}

/* Stops me, at a barrier or else in a cross-lane call. */
INLINED void park(struct block *b, struct hipcpu_lane *me, bool at_barrier)
{
	struct wave *wave = me->wave;

	progress(b);
	if (!at_barrier && HIPCPU_UNLIKELY(++b->streak >= STREAK_MAX)) {
		b->streak = 0;
		lane_go(b, pick_other(b));
	} else if (HIPCPU_LIKELY(wave->ready)) {
		b->nidle = 0;
		lane_resume(b, take_ready(b, wave));
	} else {
		lane_go(b, pick(b));
	}
	fiber_switch(me->fiber, b->fiber);
}

void hipcpu_lane_park(struct block *b, struct hipcpu_lane *me)
{
	park(b, me, false);
}

/* Whether so few polls before a yield say that there are fewer cores than threads. */
static bool is_core_wanted(unsigned spin_polls)
{
	return spin_polls < 64;
}

void hipcpu_lane_yield(struct block *b, struct hipcpu_lane *me)
{
	struct hipcpu_lane *next;
	unsigned n = lane_number(b, me);

	if (b->nturns % (STREAK_YIELD / STREAK_MAX) == 0 && is_core_wanted(hipcpu_config()->spin_polls))
		sched_yield();
	b->streak = 0;
	next = pick_other(b);
	if (!next)
		return;
	set_ready(b, n >> b->shift, UINT64_C(1) << (n & (b->width - 1)));
	switch_lane(b, me, next);
}

void hipcpu_block_slow(struct block *b)
{
	unsigned running;

	if (HIPCPU_LIKELY(b->slow))
		return;
	running = lane_number(b, hipcpu_self);
	b->slow = true;
	b->nstarted = running + 1;
	b->nlive = b->nlanes - running;
	b->nbarrier = 0;
	b->barrier_count = 0;
	b->elects = false;
	lane_place(b, hipcpu_self, b->fiber);
	hipcpu_self->index = threadIdx;
	b->wave = hipcpu_self->wave;
	b->ready_waves = b->paused_waves = 0;
	for (unsigned w = 0; w << b->shift < b->nlanes; w++) {
		unsigned first = w << b->shift, n = b->nlanes - first;
		uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);

		if (n > b->width)
			all = b->width < 64 ? (UINT64_C(1) << b->width) - 1 : ~UINT64_C(0);
		b->waves[w] = (struct wave){.live = all, .lanes = &b->lanes[first]};
		if (running >= first + b->width)
			b->waves[w].live = 0;
		else if (running > first)
			b->waves[w].live &= ~UINT64_C(0) << (running - first);
	}
	hipcpu_waves_join(b);
	hipcpu_loop.end = 0;
}

/* ---- the barrier ---- */

/* Lets all lanes go on. */
static void release_barrier(struct block *b)
{
	hipcpu_race_meet();
	b->barrier_result = b->barrier_count;
	b->barrier_count = 0;
	b->nbarriers++;
	b->nbarrier = 0;
	b->elects = false;
	b->streak = 0;
	hipcpu_waves_join(b);
	for (unsigned w = 0; w << b->shift < b->nlanes; w++) {
		set_ready(b, w, b->waves[w].barrier);
		b->waves[w].barrier = 0;
	}
}

/* Lets the lowest electing lane go on; the others wait for it as for a lane that has not arrived. */
static void elect(struct block *b)
{
	struct hipcpu_lane *lane = NULL;
	unsigned w = 0;
	uint64_t left;

	for (;; w++) {
		for (left = b->waves[w].barrier; left; left &= left - 1) {
			lane = &b->lanes[(w << b->shift) + (unsigned)__builtin_ctzll(left)];
			if (lane->call.op == HIPCPU_OP_BARRIER_ELECT)
				break;
		}
		if (left)
			break;
	}
	hipcpu_race_meet();
	lane->result = 1;
	b->waves[w].barrier &= ~(left & -left);
	b->nbarrier--;
	set_ready(b, w, left & -left);
}

/* Called when all live lanes are at the barrier. */
static void complete_barrier(struct block *b)
{
	if (b->elects)
		elect(b);
	else
		release_barrier(b);
}

/* All live lanes of the block meet. Compiled once for each of the three calls below. */
INLINED uint64_t meet(enum hipcpu_op op, int line, const char *file, bool counts)
{
	struct hipcpu_lane *me = hipcpu_self;
	struct block *b = hipcpu_block;
	struct wave *wave;
	char *mark;
	bool last;

	if (!me)
		return op == HIPCPU_OP_BARRIER_ELECT || counts;
	if (HIPCPU_UNLIKELY(!b->slow)) {
		if (b->nlanes == 1) {
			progress(b);
			return op == HIPCPU_OP_BARRIER_ELECT || counts;
		}
		hipcpu_block_slow(b);
	}
	wave = me->wave;
	mark = &b->barrier_mark[b->nbarriers & 1];
	FIBER_RELEASE(mark);
	me->call.op = op;
	me->call.line = line;
	me->call.file = file;
	wave->barrier |= me->bit;
	if (op == HIPCPU_OP_COUNT)
		b->barrier_count += counts;
	if (op == HIPCPU_OP_BARRIER_ELECT) {
		b->elects = true;
		me->result = 0;
	}
	if (HIPCPU_UNLIKELY(wave->arrived))
		hipcpu_wave_settle(b, (unsigned)(wave - b->waves));
	last = ++b->nbarrier == b->nlive;
	if (HIPCPU_UNLIKELY(last))
		complete_barrier(b);
	if (HIPCPU_UNLIKELY(last) && wave->ready & me->bit) {
		wave_unready(b, wave, me->bit);
		progress(b);
	} else {
		park(b, me, true);
	}
	FIBER_ACQUIRE(mark);
	return op == HIPCPU_OP_BARRIER_ELECT ? me->result : b->barrier_result;
}

void hipcpu_block_sync(int line, const char *file)
{
	meet(HIPCPU_OP_BARRIER, line, file, false);
}

unsigned hipcpu_block_count(int line, const char *file, bool counts)
{
	return (unsigned)meet(HIPCPU_OP_COUNT, line, file, counts);
}

uint64_t hipcpu_block_elect(int line, const char *file)
{
	return meet(HIPCPU_OP_BARRIER_ELECT, line, file, false);
}

/* Called by the elected lane. */
void hipcpu_block_release(void)
{
	struct block *b = hipcpu_block;

	if (!hipcpu_self || b->nlanes == 1)
		return;
	FIBER_RELEASE(&b->barrier_mark[b->nbarriers & 1]);
	release_barrier(b);
	progress(b);
}

/* ---- pause ---- */

/* CROWDED: if the job has more processes on this machine than this process may use cores. */
#define LONG_YIELDS    512     /* yields after which a host's wait naps, as in gshmem/arch/host.h */
#define YIELDS         1024    /* one nap after so many yields */
#define CROWDED_YIELDS 256     /* as in gshmem/arch/host.h */
#define LONG_NS        1000000 /* time since the first yield after which a kernel's wait naps */
#define CROWDED_NS     100000
#define LOOKS_NS       5000    /* so long may looks take where others want the core */
#define NAP_SHARE      16      /* a nap takes this part of the time since the first yield, */
#define NAP_MIN_NS     20000   /* but no less, */
#define NAP_MAX_NS     1000000 /* and no more */

static bool is_crowded(void)
{
	const struct hipcpu_config *config = hipcpu_config();

	return config->nprocs > config->ncores;
}

static void nap(uint64_t waited_ns)
{
	const uint64_t ns = waited_ns / NAP_SHARE;
	const struct timespec nap = {0,
		(long)(ns < NAP_MIN_NS            ? NAP_MIN_NS
				: ns > NAP_MAX_NS ? NAP_MAX_NS
						  : ns)};

	nanosleep(&nap, NULL);
}

/*
 * Like gshmemi_thread_yield of src/base/thread.h: threads that only yield can keep other processes
 * off a core.
 */
static void give_way(void)
{
	static __thread unsigned nyields;

	if (++nyields % (is_crowded() ? CROWDED_YIELDS : YIELDS))
		sched_yield();
	else
		nap(0);
}

/*
 * Whether a thread has kept a core for too long, where others want it. A look is one load, or a loop of all
 * lanes around a test, each of whose accesses a sanitizer may watch.
 */
static bool are_looks_long(uint64_t gave_way_ns, unsigned spin_polls)
{
	return is_core_wanted(spin_polls) && hipcpu_now_ns() - gave_way_ns > LOOKS_NS;
}

/*
 * No other lane can run here: waits for other threads and processes without keeping a core from them. npolls:
 * polls of this wait. Linux first shares cores among sessions (sched_autogroup), and each PE is one, so a
 * yield does not pass a core on to another PE before a slice of some ms ends. Long waits therefore nap, and
 * so do long loops around a test. Naps grow with the wait: 17 PEs on two cores that woke up every 70 us took
 * most of both cores to look.
 */
static void idle(struct block *b, unsigned npolls)
{
	const unsigned spin_polls = hipcpu_worker_spin_polls();
	uint64_t now_ns, waited_ns;

	b->nidle++;
	if (++b->nlooks % spin_polls && !are_looks_long(b->gave_way_ns, spin_polls)) {
		hipcpu_relax();
		return;
	}
	hipcpu_worker_more(b->launch);
	now_ns = hipcpu_now_ns();
	if (npolls <= 2 * spin_polls || !b->yielded_ns)
		b->yielded_ns = now_ns;
	waited_ns = now_ns - b->yielded_ns;
	if (waited_ns > (is_crowded() ? CROWDED_NS : LONG_NS))
		nap(waited_ns);
	else
		give_way();
	b->gave_way_ns = hipcpu_now_ns();
}

/* Whether this is the only lane left in its block. */
static bool is_alone(const struct block *b, const struct hipcpu_lane *me)
{
	return !b->slow && lane_number(b, me) + 1 == b->nlanes;
}

void hipcpu_pause_near(unsigned *polls)
{
	if (*polls < hipcpu_config()->near_polls && (!hipcpu_self || is_alone(hipcpu_block, hipcpu_self))) {
		++*polls;
		hipcpu_relax();
	} else {
		if (hipcpu_self && *polls == hipcpu_config()->near_polls)
			hipcpu_block->yielded_ns = 0; /* this wait has not yielded yet */
		hipcpu_pause(polls);
	}
}

static void pause_host(unsigned polls)
{
	/* of the thread, because a loop around a test has no count of its own */
	static __thread unsigned nlooks;
	static __thread uint64_t gave_way_ns;
	const unsigned spin_polls = hipcpu_config()->spin_polls;

	if (polls > LONG_YIELDS * spin_polls) {
		nap(0);
	} else if (++nlooks % spin_polls && !are_looks_long(gave_way_ns, spin_polls)) {
		hipcpu_relax();
		return;
	} else {
		give_way();
	}
	gave_way_ns = hipcpu_now_ns();
}

void hipcpu_pause_slow(unsigned *polls)
{
	struct hipcpu_lane *me = hipcpu_self, *next;
	struct block *b = hipcpu_block;
	unsigned n, w;
	uint64_t bit;

	if (*polls < UINT32_MAX)
		++*polls;
	if (!me) {
		pause_host(*polls);
		return;
	}
	if (is_alone(b, me)) {
		idle(b, *polls);
		return;
	}
	n = lane_number(b, me);
	hipcpu_block_slow(b);
	w = n >> b->shift;
	bit = UINT64_C(1) << (n & (b->width - 1));
	me->npauses = *polls;
	b->waves[w].paused |= bit;
	b->paused_waves |= UINT32_C(1) << w;
	if (b->waves[w].active)
		hipcpu_wave_settle_active(b, w);
	next = pick(b);
	if (b->nidle || next == me || lane_number(b, next) < b->nstarted)
		idle(b, *polls);
	if (next != me)
		switch_lane(b, me, next);
}

/* ---- long copies ---- */

void hipcpu_copy_long(void *dest, const void *source, size_t nbytes)
{
	char *to = dest;
	const char *from = source;

	for (size_t left = nbytes, n; left; to += n, from += n, left -= n) {
		n = left < HIPCPU_LONG_COPY ? left : HIPCPU_LONG_COPY;
		memcpy(to, from, n);
		if (hipcpu_self)
			progress(hipcpu_block);
	}
}

/* ---- the block ---- */

/* Called when the running lane is done. Returns true if another lane has begun in its place, on its stack. */
bool hipcpu_lane_exit(void)
{
	struct hipcpu_lane *me = hipcpu_self, *next;
	struct block *b = hipcpu_block;
	unsigned n, w;

	FIBER_RELEASE(&b->nlive);
	b->picked = NULL;
	if (!b->slow)
		return false;
	n = lane_number(b, me);
	w = n >> b->shift;
	b->waves[w].live &= ~(UINT64_C(1) << (n & (b->width - 1)));
	if (!--b->nlive)
		return false;
	progress(b);
	if (b->waves[w].arrived)
		hipcpu_wave_settle(b, w);
	if (b->nbarrier == b->nlive)
		complete_barrier(b);
	next = pick(b);
	if (!next)
		deadlock(b);
	if (lane_number(b, next) == b->nstarted) {
		lane_begin(b, next, b->fiber);
		return true;
	}
	b->picked = next;
	return false;
}

void hipcpu_fiber_main(void)
{
	struct block *b = hipcpu_block;

	fiber_arrived(b->fiber);
	b->fiber->base = __builtin_frame_address(0);
	for (;;) {
		struct fiber *self = b->fiber;

		FIBER_ACQUIRE(&b->id);
		b->launch->params.run(b->launch->params.closure);
		hipcpu_fiber_put(b, self);
		if (b->picked)
			lane_resume(b, b->picked);
		else
			b->fiber = &b->thread;
		fiber_switch(self, b->fiber);
	}
}

struct block *hipcpu_block_new(void)
{
	struct block *b = calloc(1, sizeof(*b));
	size_t nbytes = HIPCPU_MAX_THREADS * sizeof(*b->lanes);

	if (b)
		b->lanes = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b && hipcpu_config()->diverge)
		b->together = calloc(HIPCPU_MAX_THREADS, sizeof(*b->together));
	if (!b || b->lanes == MAP_FAILED || (hipcpu_config()->diverge && !b->together)) {
		hipcpu_message("a block: out of memory");
		abort();
	}
	b->width = hipcpu_config()->wave;
	b->shift = b->width == 64 ? 6 : 5;
	b->seed = hipcpu_config()->diverge_seed;
	pthread_getcpuclockid(pthread_self(), &b->clock);
	hipcpu_stacks_init(b);
	hipcpu_block = b;
	return b;
}

void hipcpu_block_free(struct block *b)
{
	hipcpu_block = NULL;
	hipcpu_fibers_free(b);
	hipcpu_stacks_end();
	munmap(b->lanes, HIPCPU_MAX_THREADS * sizeof(*b->lanes));
	free(b->together);
	free(b->shared);
	free(b);
}

void hipcpu_block_run(struct block *b, struct launch *launch, uint64_t id)
{
	const struct hipcpu_launch_params *p = &launch->params;

	b->launch = launch;
	b->id = id;
	b->slow = false;
	b->nlanes = p->block.x * p->block.y * p->block.z;
	b->nidle = b->streak = b->pause_next = 0;
	b->yielded_ns = 0;
	blockDim = (struct index3){p->block.x, p->block.y, p->block.z};
	gridDim = (struct index3){p->grid.x, p->grid.y, p->grid.z};
	blockIdx.x = (uint32_t)(id % p->grid.x);
	blockIdx.y = (uint32_t)(id / p->grid.x % p->grid.y);
	blockIdx.z = (uint32_t)(id / p->grid.x / p->grid.y);
	threadIdx = (struct index3){0, 0, 0};
	hipcpu_loop = (struct hipcpu_loop){.lane = 0, .end = b->nlanes};
	hipcpu_self = b->lanes;
	if (p->shared_bytes > b->shared_bytes) {
		free(b->shared);
		b->shared_bytes = (p->shared_bytes + 4095) & ~(size_t)4095;
		b->shared = aligned_alloc(4096, b->shared_bytes);
		if (!b->shared) {
			hipcpu_message("%zu bytes of shared memory: out of memory", p->shared_bytes);
			abort();
		}
	}
#ifdef HIPCPU_TSAN_LANES
	/* a fiber that a lane creates would be ordered after that lane */
	hipcpu_fibers_reserve(b, b->nlanes);
#endif
	b->fiber = hipcpu_fiber_get(b);
	progress(b);
	FIBER_RELEASE(&b->id);
	hipcpu_race_block_begin(&launch->params, p->name, id, b->nlanes);
	fiber_switch(&b->thread, b->fiber);
	hipcpu_race_block_end(&launch->done);
	FIBER_ACQUIRE(&b->nlive);
	hipcpu_self = NULL;
}
