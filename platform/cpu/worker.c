/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads that run blocks, one resident block each. A launch is run by its stream's thread, joined at
 * first by as many other threads as there are cores, and by more, up to the limit of resident blocks, as soon
 * as a block waits: it may be waiting for a block that has not begun.
 *
 * One more thread, the watchdog, reports blocks in which nothing moves.
 */
#include <stdlib.h>
#include <time.h>

#include "block.h"

#define WATCHDOG_MS 20
#define MAX_LOOK_NS (4 * WATCHDOG_MS * UINT64_C(1000000)) /* the most that one look of the watchdog counts */
#define IDLE_US     100000 /* without work, after which a thread gives back the stacks of its lanes */

struct hipcpu_pool {
	pthread_mutex_t lock;
	struct launch *first, **last; /* launches with blocks that have not begun, oldest first */
	_Atomic bool waiting;         /* a hint, read without the lock: the list is not empty */
	unsigned nslots;              /* threads running blocks now; at most config nblocks */
	unsigned nthreads;            /* workers created so far; never more than config nblocks */
	unsigned nidle;               /* workers asleep or about to be */
	struct hipcpu_gate work;
};

static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;       /* of all threads */
static _Atomic unsigned nlaunches; /* launches that the process is running */
static struct hipcpu_gate watch;
static _Atomic unsigned nrunning; /* threads that run blocks */

static struct block *my_block(void)
{
	struct block *b = hipcpu_block;

	if (b)
		return b;
	b = hipcpu_block_new();
	pthread_mutex_lock(&blocks_lock);
	b->next = blocks;
	blocks = b;
	pthread_mutex_unlock(&blocks_lock);
	return b;
}

void hipcpu_worker_leave(void)
{
	struct block *b = hipcpu_block, **at = &blocks;

	if (!b)
		return;
	pthread_mutex_lock(&blocks_lock);
	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	pthread_mutex_unlock(&blocks_lock);
	hipcpu_block_free(b);
}

void hipcpu_worker_wait(struct hipcpu_gate *gate, uint32_t seen)
{
	struct block *b = hipcpu_block;

	if (b && b->nfibers) {
		hipcpu_gate_wait(gate, seen, IDLE_US);
		if (atomic_load(&gate->value) != seen)
			return;
		hipcpu_fibers_free(b);
	}
	hipcpu_gate_wait(gate, seen, -1);
}

static struct hipcpu_pool *pool_of(int number)
{
	struct hipcpu_device *device = hipcpu_device(number);
	struct hipcpu_pool *pool;

	pthread_mutex_lock(&device->lock);
	pool = atomic_load(&device->pool);
	if (!pool) {
		pool = calloc(1, sizeof(*pool));
		if (!pool)
			abort();
		pthread_mutex_init(&pool->lock, NULL);
		pool->last = &pool->first;
		atomic_store(&device->pool, pool);
	}
	pthread_mutex_unlock(&device->lock);
	return pool;
}

/* ---- running blocks ---- */

static void remove_launch(struct hipcpu_pool *pool, struct launch *launch)
{
	struct launch **at = &pool->first;

	while (*at && *at != launch)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = launch->next;
	if (!*at)
		pool->last = at;
	atomic_store_explicit(&pool->waiting, pool->first != NULL, memory_order_relaxed);
}

static void *worker_main(void *arg);

/* Makes up to n more threads look for work. Called with the pool's lock held. */
static void wake(struct hipcpu_pool *pool, unsigned n)
{
	unsigned room = hipcpu_config()->nblocks - pool->nslots;

	if (n > room)
		n = room;
	while (n > pool->nidle && pool->nthreads < hipcpu_config()->nblocks) {
		if (!hipcpu_thread_start(worker_main, pool))
			break;
		pool->nthreads++;
		pool->nidle++;
	}
	if (n && pool->nidle)
		hipcpu_gate_open(&pool->work);
}

/* Runs blocks of launch until none is left to begin. The caller has a slot and does not hold the lock. */
static void run_blocks(struct launch *launch)
{
	struct block *b = my_block();
	bool was_open = hipcpu_access_open();
	uint64_t id;

	/* before setting busy, so that the watchdog does not compare with what it saw long ago */
	progress(b);
	atomic_store_explicit(&b->busy, true, memory_order_release);
	atomic_fetch_add_explicit(&nrunning, 1, memory_order_relaxed);
	while ((id = atomic_fetch_add_explicit(&launch->next_block, 1, memory_order_relaxed)) <
		launch->nblocks)
		hipcpu_block_run(b, launch, id);
	atomic_fetch_sub_explicit(&nrunning, 1, memory_order_relaxed);
	atomic_store_explicit(&b->busy, false, memory_order_release);
	hipcpu_access_restore(was_open);
}

unsigned hipcpu_worker_spin_polls(void)
{
	return hipcpu_spin_polls(atomic_load_explicit(&nrunning, memory_order_relaxed));
}

/* Takes a slot and works on launch. Called with the pool's lock held, which is released meanwhile. */
static void work_on(struct hipcpu_pool *pool, struct launch *launch)
{
	pool->nslots++;
	launch->nrunning++;
	pthread_mutex_unlock(&pool->lock);
	run_blocks(launch);
	pthread_mutex_lock(&pool->lock);
	pool->nslots--;
	remove_launch(pool, launch);
	/* launch must not be touched after this, except by its own thread */
	if (!--launch->nrunning)
		hipcpu_gate_open(&launch->done);
}

static void *worker_main(void *arg)
{
	struct hipcpu_pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		uint32_t seen = atomic_load(&pool->work.value);

		if (pool->first && pool->nslots < hipcpu_config()->nblocks) {
			pool->nidle--;
			work_on(pool, pool->first);
			pool->nidle++;
			continue;
		}
		pthread_mutex_unlock(&pool->lock);
		hipcpu_worker_wait(&pool->work, seen);
		pthread_mutex_lock(&pool->lock);
	}
	return NULL;
}

void hipcpu_worker_run(struct launch *launch)
{
	struct hipcpu_pool *pool = pool_of(launch->params.stream->device);
	unsigned helpers = hipcpu_config()->ncores - 1;

	launch->pool = pool;
	if (atomic_fetch_add(&nlaunches, 1) == 0)
		hipcpu_gate_open(&watch);
	pthread_mutex_lock(&pool->lock);
	launch->next = NULL;
	*pool->last = launch;
	pool->last = &launch->next;
	atomic_store_explicit(&pool->waiting, true, memory_order_relaxed);
	if (launch->nblocks - 1 < helpers)
		helpers = (unsigned)launch->nblocks - 1;
	if (helpers)
		wake(pool, helpers);
	if (pool->nslots < hipcpu_config()->nblocks && pool->first == launch)
		work_on(pool, launch);
	if (pool->first)
		wake(pool, 1); /* a slot has become free */
	for (;;) {
		uint32_t seen = atomic_load(&launch->done.value);

		if (!launch->nrunning && launch->next_block >= launch->nblocks)
			break;
		pthread_mutex_unlock(&pool->lock);
		hipcpu_gate_wait(&launch->done, seen, -1);
		pthread_mutex_lock(&pool->lock);
	}
	remove_launch(pool, launch);
	pthread_mutex_unlock(&pool->lock);
	atomic_fetch_sub(&nlaunches, 1);
}

void hipcpu_worker_more(struct launch *launch)
{
	struct hipcpu_pool *pool = launch->pool;

	/* Checked without the lock, because waits call this. The watchdog finds what it misses. */
	if (!atomic_load_explicit(&pool->waiting, memory_order_relaxed) || pthread_mutex_trylock(&pool->lock))
		return;
	if (pool->first)
		wake(pool, 1);
	pthread_mutex_unlock(&pool->lock);
}

/* ---- the watchdog ---- */

/* Does not take a device's lock, which a child that is forked meanwhile would find taken for ever. */
static void look_at_pools(void)
{
	for (int d = 0; d < hipcpu_config()->ndevices; d++) {
		struct hipcpu_pool *pool = atomic_load(&hipcpu_device(d)->pool);

		if (!pool)
			continue;
		pthread_mutex_lock(&pool->lock);
		if (pool->first)
			wake(pool, hipcpu_config()->nblocks);
		pthread_mutex_unlock(&pool->lock);
	}
}

static uint64_t cpu_time_ns(const struct block *b)
{
	struct timespec t;

	return clock_gettime(b->clock, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * How long, since the last look, the block could have gone on: the CPU time of its thread, or all of the time
 * if it has polled, between naps. Time in which the thread waits for a core does not count, nor does time in
 * which the whole process was stopped.
 */
HIPCPU_RACY static uint64_t could_go_ns(struct block *b, uint64_t now)
{
	struct watched *seen = &b->watched;
	uint64_t passed = now - seen->seen_ns, cpu_ns = cpu_time_ns(b), ran = cpu_ns - seen->cpu_ns;

	if (passed > MAX_LOOK_NS)
		passed = MAX_LOOK_NS;
	if (b->nidle == seen->nidle && ran < passed)
		passed = ran;
	seen->seen_ns = now;
	seen->cpu_ns = cpu_ns;
	seen->nidle = b->nidle;
	return passed;
}

HIPCPU_RACY static void look_at_block(struct block *b, uint64_t now)
{
	struct watched *seen = &b->watched;
	uint64_t progress_now = atomic_load_explicit(&b->progress, memory_order_relaxed);

	if (!hipcpu_config()->stuck_s || !atomic_load_explicit(&b->busy, memory_order_acquire) ||
		progress_now != seen->progress) {
		*seen = (struct watched){.progress = progress_now};
		return;
	}
	if (seen->named)
		return;
	if (!seen->seen_ns) /* from now on it counts */
		could_go_ns(b, now);
	else
		seen->stood_ns += could_go_ns(b, now);
	if (seen->stood_ns < hipcpu_config()->stuck_s * UINT64_C(1000000000))
		return;
	seen->named = true;
	hipcpu_message(
		"block %llu of %s: nothing has moved for %u s (GSHMEM_CPU_STUCK): all its lanes wait, or one"
		" computes for long or polls without hipcpu_pause or an atomic, which stops the others",
		(unsigned long long)b->id, b->launch->params.name, hipcpu_config()->stuck_s);
	hipcpu_block_describe(b);
}

static void *watchdog_main(void *arg)
{
	const struct timespec tick = {.tv_nsec = WATCHDOG_MS * 1000000L};

	(void)arg;
	for (;;) {
		uint32_t seen = atomic_load(&watch.value);
		uint64_t now;

		if (!atomic_load(&nlaunches))
			hipcpu_gate_wait(&watch, seen, -1);
		nanosleep(&tick, NULL);
		look_at_pools();
		now = hipcpu_now_ns();
		pthread_mutex_lock(&blocks_lock);
		for (struct block *b = blocks; b; b = b->next)
			look_at_block(b, now);
		pthread_mutex_unlock(&blocks_lock);
	}
	return NULL;
}

static void start_watchdog(void)
{
	hipcpu_thread_start(watchdog_main, NULL);
}

void hipcpu_watchdog_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start_watchdog);
}
