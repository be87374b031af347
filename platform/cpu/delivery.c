/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Delayed delivery, GSHMEM_CPU_DELIVERY=random[:seed]: operations arrive late, in pieces, and in any order
 * that OpenSHMEM allows. It is a carrier (include/gshmem/move/carry.h): a thread of this file delivers at
 * random whatever the callers do meanwhile, and quiet itself delivers what it must complete.
 *
 * A queue holds what one caller has open on one PE in one context. A caller is a lane, or the host with all
 * its threads. A fence starts a new epoch in each of the caller's queues of a context. Only records of a
 * queue's oldest epoch may be delivered, in any order. Nothing orders two queues. A signal becomes
 * deliverable when the last piece of its data has been delivered; an update of a window's element, when the
 * caller's updates of it before have been.
 *
 * One lock guards everything. It is held while a record is delivered, so that none is ever half done and
 * quiet never waits for the thread; it is never held during a pause. Nearly every choice comes from one
 * seeded generator; only the threads' timing is left to chance.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GSHMEMI_LIBRARY 1
#include <gshmem.h>

extern struct gshmemi_state gshmemi_state __asm__("gshmemi_library_state"); /* as src/base/base.h has it */
#include <gshmem/move/carry.h>

#include "runtime.h"

#if GSHMEMI_ARCH_HAS_DELIVERY

/* Above this many bytes of copies and records a caller delivers some records itself. */
#define MAX_QUEUED_BYTES ((size_t)64 << 20)
/*
 * A caller whose word has overtaken its data sleeps for PAUSE_US, the first MAX_PAUSES times of a process. Else
 * it would often reach a quiet, which delivers the data, before the other PE has woken up.
 */
#define PAUSE_US         2000
#define MAX_PAUSES       64
/* One record moves at most this much, which bounds how long the lock is held. */
#define MAX_PIECE_BYTES  ((size_t)1 << 20)

/* A piece of an operation; what is PUT, GET, AMO or FLAG. */
struct record {
	struct record *next; /* in queue.later */
	/* what comes after it: of a put_signal's data the signal, of an update the next one of its element */
	struct record *behind;
	struct record *cell_next;  /* of updates: in its bucket of cells */
	const struct queue *queue; /* likewise */
	uint64_t epoch;            /* of its queue */
	uint64_t held_until_ns;    /* the thread does not deliver it before this time; 0: not held back */
	unsigned npieces; /* what it comes after and has not been delivered: pieces of data, an update */
	struct gshmemi_operation o;
	char *base; /* of o's region on its PE */
	size_t copy_nbytes;
	char copy[]; /* a copy of the source, if the caller may reuse that */
};

/* What one caller has open on one PE; freed when nothing is open. */
struct queue {
	struct queue *next;    /* in its bucket */
	size_t slot;           /* of this queue in queues[] */
	uint64_t caller;       /* hipcpu_lane_serial(): 0 is the host */
	int pe;                /* with its context: gshmemi_pe_context */
	uint64_t epoch;        /* the epoch that is being delivered */
	uint64_t last_epoch;   /* the epoch that the caller is in: its fences so far */
	size_t nopen;          /* records of epoch; GETs, which a fence does not order, are not counted */
	struct record **ready; /* may be delivered now, in any order; never empty */
	size_t nready, capacity;
	struct record *later, **later_end; /* of later epochs, in order */
};

#define NBUCKETS 4096 /* a power of two */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;   /* there is a first queue, or is_stopping */
static pthread_cond_t stopped = PTHREAD_COND_INITIALIZER;
static bool is_running, is_stopping, is_idle; /* state of the thread */
static struct queue *buckets[NBUCKETS];       /* by caller */
static struct record *cells[NBUCKETS];        /* open updates of windows' elements, by queue and place */
static struct queue **queues;                 /* all of them, in no order */
static size_t nqueues, queues_capacity;
static size_t queued_bytes;
static bool has_overtaken; /* since the caller that holds the lock has taken it */
static unsigned npauses;
static uint64_t random_state;

/* ---- chance ---- */

/* splitmix64; G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t random_bits(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

/* 0 .. limit-1 */
static size_t random_below(size_t limit)
{
	return (size_t)(random_bits() % limit);
}

/*
 * The seed of GSHMEM_CPU_DELIVERY, made different on each PE; without one, from the clock. src/base/env.c
 * has checked it.
 */
static uint64_t read_seed(void)
{
	const char *text = hipcpu_setting("GSHMEM_CPU_DELIVERY"), *seed = text ? strchr(text, ':') : NULL;
	uint64_t rank = (uint64_t)(hipcpu_env_rank() + 1) << 32;

	return rank + (seed ? strtoull(seed + 1, NULL, 10) : hipcpu_now_ns() ^ (uint64_t)getpid());
}

/* ---- the lock, which also opens device memory to its holder ---- */

static bool lock_memory(void)
{
	pthread_mutex_lock(&lock);
	return hipcpu_access_open();
}

static void unlock_memory(bool was_open)
{
	hipcpu_access_restore(was_open);
	pthread_mutex_unlock(&lock);
}

/* ---- queues and records ---- */

static void *allocate(void *old, size_t nbytes)
{
	void *p = realloc(old, nbytes);

	if (!p)
		hipcpu_trap("GSHMEM_CPU_DELIVERY: out of memory");
	return p;
}

static struct queue **bucket_of(uint64_t caller)
{
	return &buckets[(caller * 0x9e3779b97f4a7c15U) >> 32 & (NBUCKETS - 1)];
}

static struct queue *find_queue(uint64_t caller, int pe)
{
	struct queue *q = *bucket_of(caller);

	while (q && (q->caller != caller || q->pe != pe))
		q = q->next;
	return q;
}

static struct queue *create_queue(uint64_t caller, int pe)
{
	struct queue **bucket = bucket_of(caller), *q = allocate(NULL, sizeof *q);

	*q = (struct queue){.next = *bucket, .slot = nqueues, .caller = caller, .pe = pe};
	q->later_end = &q->later;
	*bucket = q;
	if (nqueues == queues_capacity) {
		queues_capacity = queues_capacity ? 2 * queues_capacity : 64;
		queues = allocate(queues, queues_capacity * sizeof *queues);
	}
	queues[nqueues++] = q;
	return q;
}

static void free_queue(struct queue *q)
{
	struct queue **link = bucket_of(q->caller);

	while (*link != q)
		link = &(*link)->next;
	*link = q->next;
	queues[q->slot] = queues[--nqueues];
	queues[q->slot]->slot = q->slot;
	free(q->ready);
	free(q);
}

static void make_ready(struct queue *q, struct record *r)
{
	if (q->nready == q->capacity) {
		q->capacity = q->capacity ? 2 * q->capacity : 8;
		q->ready = allocate(q->ready, q->capacity * sizeof(struct record *));
	}
	q->ready[q->nready++] = r;
}

/*
 * A record now belongs to the epoch being delivered. A signal with undelivered pieces becomes ready with the
 * last of them.
 */
static void open_record(struct queue *q, struct record *r)
{
	q->epoch = r->epoch;
	q->nopen++;
	if (!r->npieces)
		make_ready(q, r);
}

static void open_next_epoch(struct queue *q)
{
	uint64_t epoch = q->later->epoch;
	struct record *r;

	while ((r = q->later) && r->epoch == epoch) {
		q->later = r->next;
		open_record(q, r);
	}
	if (!q->later)
		q->later_end = &q->later;
}

/* ---- updates of windows' elements: those of one caller to one element arrive in order ---- */

static bool is_update(const struct gshmemi_operation *o)
{
	return o->what == GSHMEMI_AMO && o->region >= GSHMEMI_NFIXED;
}

/* Elements of up to 8 bytes, and words of them, share a cell. */
static struct record **cell_of(const struct queue *q, const struct gshmemi_operation *o)
{
	const uint64_t key = (uintptr_t)q ^ o->region ^ (o->offset / 8) << 12;

	return &cells[(key * 0x9e3779b97f4a7c15U) >> 32 & (NBUCKETS - 1)];
}

static bool is_in_cell(const struct record *r, const struct queue *q, const struct gshmemi_operation *o)
{
	return r->queue == q && r->o.region == o->region && r->o.offset / 8 == o->offset / 8;
}

/* The caller's last open update of the same cell, or its first one; NULL: none is open. */
static struct record *find_update(const struct queue *q, const struct gshmemi_operation *o, bool is_last)
{
	struct record *r = *cell_of(q, o);

	while (r && !(is_in_cell(r, q, o) && (is_last ? !r->behind : !r->npieces)))
		r = r->cell_next;
	return r;
}

static void enter_cell(struct queue *q, struct record *r)
{
	struct record *last = find_update(q, &r->o, true), **cell = cell_of(q, &r->o);

	if (last) {
		last->behind = r;
		r->npieces++;
	}
	r->queue = q;
	r->cell_next = *cell;
	*cell = r;
}

static void leave_cell(const struct queue *q, const struct record *r)
{
	struct record **link = cell_of(q, &r->o);

	while (*link != r)
		link = &(*link)->cell_next;
	*link = r->cell_next;
}

/* ---- delivery ---- */

static void carry_out(const struct record *r)
{
	uint64_t old;

	/* release: whoever sees this record sees those before it; pairs with the acquire in gshmemi_wait */
	gshmemi_arch_fence_release();
	old = gshmemi_apply(&r->o, r->base, NULL);
	if (r->o.what == GSHMEMI_AMO && r->o.local)
		memcpy(r->o.local, &old, r->o.nbytes);
}

/* Delivers the i-th ready record of a queue. Returns the queue, or NULL if that was its last record. */
static struct queue *deliver(struct queue *q, size_t i)
{
	struct record *r = q->ready[i];

	carry_out(r);
	if (is_update(&r->o))
		leave_cell(q, r);
	q->ready[i] = q->ready[--q->nready];
	if (r->behind && --r->behind->npieces == 0 && r->behind->epoch == r->epoch)
		make_ready(q, r->behind);
	if (r->o.what != GSHMEMI_GET && --q->nopen == 0 && q->later)
		open_next_epoch(q);
	queued_bytes -= sizeof *r + r->copy_nbytes;
	free(r);
	if (q->nready)
		return q;
	free_queue(q);
	return NULL;
}

static struct queue *deliver_any(struct queue *q)
{
	return deliver(q, random_below(q->nready));
}

/* What a quiet must deliver: the operations of a caller (the host covers all callers) in a context. */
struct scope {
	uint64_t caller;
	int context;
	const int *target_pes; /* [npes]; NULL: to all PEs */
	size_t npes;
};

static bool covers(const struct scope *s, const struct queue *q)
{
	size_t i;

	if ((s->caller && q->caller != s->caller) || gshmemi_pe_context(q->pe) != s->context)
		return false;
	for (i = 0; s->target_pes && i < s->npes; i++)
		if (s->target_pes[i] == gshmemi_pe_in_world(q->pe))
			return true;
	return !s->target_pes;
}

/* Picks a covered queue at random; NULL if there is none. */
static struct queue *pick_queue(const struct scope *s)
{
	struct queue *q, *picked = NULL;
	size_t i, n = 0;

	if (!s->caller) {
		for (i = 0; i < nqueues; i++)
			if (covers(s, queues[i]) && random_below(++n) == 0)
				picked = queues[i];
		return picked;
	}
	for (q = *bucket_of(s->caller); q; q = q->next)
		if (covers(s, q) && random_below(++n) == 0)
			picked = q;
	return picked;
}

/* ---- the thread ---- */

/* Most pauses are short; now and then nothing arrives for a long time. */
static unsigned pick_pause_us(void)
{
	switch (random_below(16)) {
	case 0:
	case 1:
	case 2:
		return 0;
	case 3:
		return (unsigned)random_below(2000);
	default:
		return (unsigned)random_below(200);
	}
}

/* Delivers up to nrecords records; picking one that is held back counts too. */
static void deliver_burst(size_t nrecords)
{
	const uint64_t now_ns = hipcpu_now_ns();
	struct queue *q;
	size_t i;

	for (; nrecords && nqueues; nrecords--) {
		q = queues[random_below(nqueues)];
		i = random_below(q->nready);
		if (q->ready[i]->held_until_ns <= now_ns)
			deliver(q, i);
	}
}

static void *deliver_late(void *unused)
{
	unsigned pause_us;
	bool was_open;

	(void)unused;
	pthread_mutex_lock(&lock);
	while (!is_stopping) {
		if (!nqueues) {
			is_idle = true;
			pthread_cond_wait(&work, &lock);
			is_idle = false;
			continue;
		}
		pause_us = pick_pause_us();
		pthread_mutex_unlock(&lock);
		if (pause_us)
			usleep(pause_us);
		else
			sched_yield();
		pthread_mutex_lock(&lock);
		/* only for this: without keys it would be open to all threads */
		was_open = hipcpu_access_open();
		deliver_burst(random_below(2) ? 1 + random_below(32) : 1);
		hipcpu_access_restore(was_open);
	}
	is_running = false;
	pthread_cond_signal(&stopped);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void start(void)
{
	static bool is_seeded;

	if (!is_seeded)
		random_state = read_seed();
	is_seeded = true;
	is_stopping = false;
	is_running = hipcpu_thread_start(deliver_late, NULL);
	if (!is_running)
		hipcpu_trap("GSHMEM_CPU_DELIVERY: a thread cannot start (ulimit -u, ulimit -v)");
}

void gshmemi_delivery_flush(void)
{
	bool was_open = lock_memory();

	while (nqueues)
		deliver_any(queues[random_below(nqueues)]);
	unlock_memory(was_open);
}

void gshmemi_delivery_stop(void)
{
	bool was_open = lock_memory();

	while (nqueues)
		deliver_any(queues[random_below(nqueues)]);
	is_stopping = true;
	pthread_cond_signal(&work);
	while (is_running)
		pthread_cond_wait(&stopped, &lock);
	unlock_memory(was_open);
}

/* ---- handing over ---- */

/* Called around each operation that is handed over. leave takes what enter returned. */
static bool enter(void)
{
	bool was_open = lock_memory();

	if (!is_running)
		start();
	return was_open;
}

static void leave(bool was_open)
{
	const bool pauses = has_overtaken && npauses++ < MAX_PAUSES;

	has_overtaken = false;
	if (is_idle && nqueues)
		pthread_cond_signal(&work);
	unlock_memory(was_open);
	if (pauses)
		usleep(PAUSE_US);
}

/* Creates a record with room for a copy of copy_nbytes. One in 32 is held back for up to 1 ms. */
static struct record *create_record(const struct gshmemi_operation *o, char *base, size_t copy_nbytes)
{
	struct record *r = allocate(NULL, sizeof *r + copy_nbytes);

	*r = (struct record){.o = *o, .base = base, .copy_nbytes = copy_nbytes};
	r->o.nblocks = 1;
	if (random_below(32) == 0)
		r->held_until_ns = hipcpu_now_ns() + random_below(1000000);
	queued_bytes += sizeof *r + copy_nbytes;
	return r;
}

/*
 * Holds back, once, what is queued for a PE of the world, by whatever caller: long enough that the PE reads
 * its memory meanwhile, even if it shares its core. The first queues and records will do. False: nothing is
 * queued. A quiet does not wait for what is held back; it delivers it.
 */
static bool hold_back(int world_pe)
{
	const uint64_t until_ns = hipcpu_now_ns() + 3000000 + random_below(4000000);
	bool is_any = false;
	struct queue *q;
	size_t i, k;

	for (i = 0; i < nqueues && i < 256; i++) {
		q = queues[i];
		for (k = 0; gshmemi_pe_in_world(q->pe) == world_pe && k < q->nready && k < 64; k++) {
			is_any = true;
			if (!q->ready[k]->held_until_ns)
				q->ready[k]->held_until_ns = until_ns;
		}
	}
	return is_any;
}

/*
 * Shall a word that may be delivered now overtake what is queued for its PE? Half of them do, because a word
 * is what a program without a fence takes for the sign that its data has arrived. Chance alone shows that
 * seldom to a program that sends one message.
 */
static bool shall_overtake(const struct record *r)
{
	return r->o.nbytes <= 8 && r->o.what != GSHMEMI_GET && !r->npieces && nqueues && random_below(2) &&
		hold_back(gshmemi_pe_in_world(r->o.pe));
}

/* Puts a record into its queue. If there are too many records it delivers some, perhaps of this operation. */
static void hand_over(struct record *r)
{
	const uint64_t caller = hipcpu_lane_serial();
	struct queue *q = find_queue(caller, r->o.pe);
	bool overtakes;

	if (!q)
		q = create_queue(caller, r->o.pe);
	r->epoch = q->last_epoch;
	if (is_update(&r->o))
		enter_cell(q, r);
	if (r->o.what == GSHMEMI_GET) {
		make_ready(q, r);
	} else if (!q->nopen || r->epoch == q->epoch) {
		overtakes = shall_overtake(r);
		open_record(q, r);
		if (overtakes)
			(void)deliver(q, q->nready - 1);
		has_overtaken |= overtakes;
	} else {
		*q->later_end = r;
		q->later_end = &r->next;
	}
	while (queued_bytes > MAX_QUEUED_BYTES)
		deliver_any(queues[random_below(nqueues)]);
}

/*
 * Returns the size of the next piece of a put of nbytes with left bytes left: an eighth to five eighths of
 * nbytes, ending at a multiple of 8 so that no aligned word is torn.
 */
static size_t pick_piece(const char *dest, size_t nbytes, size_t left)
{
	size_t piece;

	if (nbytes <= 8)
		return nbytes;
	piece = nbytes / 8 + random_below(nbytes / 2 + 1) + 8;
	if (piece > MAX_PIECE_BYTES)
		piece = MAX_PIECE_BYTES;
	piece -= ((uintptr_t)dest + piece) & 7;
	return piece < left ? piece : left;
}

/* The part of nbytes at `at` of an operation on contiguous bytes. */
static struct gshmemi_operation part_of(const struct gshmemi_operation *o, size_t at, size_t nbytes)
{
	struct gshmemi_operation part = *o;

	part.offset += at;
	part.local = (char *)o->local + at;
	part.nbytes = nbytes;
	return part;
}

/* signal, unless NULL, comes after all pieces. */
static void hand_over_put(const struct gshmemi_operation *o, char *base, struct record *signal)
{
	struct gshmemi_operation part;
	size_t at, piece;
	struct record *r;

	for (at = 0; at < o->nbytes; at += piece) {
		piece = pick_piece(base + o->offset + at, o->nbytes, o->nbytes - at);
		part = part_of(o, at, piece);
		part.what = GSHMEMI_PUT;
		r = create_record(&part, base, o->is_nbi ? 0 : piece);
		if (!o->is_nbi)
			r->o.local = memcpy(r->copy, part.local, piece);
		if (signal) {
			r->behind = signal;
			signal->npieces++;
		}
		hand_over(r);
	}
}

/* ---- the carrier; see include/gshmem/arch/cpu.h ---- */

static void put_blocks_late(const struct gshmemi_operation *o, char *base)
{
	struct gshmemi_operation block = *o;
	uint64_t i;

	for (i = 0; i < o->nblocks; i++) {
		hand_over_put(&block, base, NULL);
		block.offset += (uint64_t)o->stride;
		block.local = (char *)block.local + o->local_stride;
	}
}

static void get_late(const struct gshmemi_operation *o, char *base)
{
	struct gshmemi_operation part;
	size_t at, piece;

	for (at = 0; at < o->nbytes; at += piece) {
		piece = pick_piece((char *)o->local + at, o->nbytes, o->nbytes - at);
		part = part_of(o, at, piece);
		hand_over(create_record(&part, base, 0));
	}
}

static void put_signal_late(const struct gshmemi_operation *o, char *base, char *sig_base)
{
	const struct gshmemi_operation signal = gshmemi_signal_of(o);
	struct record *r = create_record(&signal, sig_base, 0);

	r->npieces = 1; /* its own, because pieces may be delivered before all have been handed over */
	hand_over_put(o, base, r);
	r->npieces--;
	hand_over(r);
}

/* Delivers what the caller's last fence ordered before an operation on pe that is performed now. */
static void catch_up(int pe)
{
	struct queue *q = find_queue(hipcpu_lane_serial(), pe);

	while (q && q->nopen && q->epoch != q->last_epoch)
		q = deliver_any(q);
	gshmemi_arch_fence_release();
}

/* The same, and the caller's updates of an element that is updated now. */
static void catch_up_with(const struct gshmemi_operation *o)
{
	struct queue *q;
	struct record *r;
	size_t i;

	catch_up(o->pe);
	while (is_update(o) && (q = find_queue(hipcpu_lane_serial(), o->pe)) &&
		(r = find_update(q, o, false))) {
		for (i = 0; q->ready[i] != r;)
			i++;
		(void)deliver(q, i);
	}
}

/*
 * Three of four flags arrive at once. Otherwise barriers would take long, and a few late flags are enough for
 * others to overtake them.
 */
static void raise_flag(const struct gshmemi_operation *o, char *base)
{
	if (!random_below(4)) {
		hand_over(create_record(o, base, 0));
		return;
	}
	catch_up(o->pe);
	if (random_below(2))
		(void)hold_back(gshmemi_pe_in_world(o->pe));
	(void)gshmemi_apply(o, base, NULL);
}

uint64_t gshmemi_delivery_carry(const struct gshmemi_operation *o, char *base, char *sig_base)
{
	const bool was_open = enter();
	uint64_t old = 0;

	switch (o->what) {
	case GSHMEMI_AMO:
		if (o->fetches) {
			catch_up_with(o);
			old = gshmemi_apply(o, base, NULL);
		} else {
			hand_over(create_record(o, base, 0));
		}
		break;
	case GSHMEMI_FLAG:
		raise_flag(o, base);
		break;
	case GSHMEMI_PUT_SIGNAL:
		put_signal_late(o, base, sig_base);
		break;
	case GSHMEMI_GET:
		if (o->is_nbi) {
			get_late(o, base);
			break;
		} /* fall through */
	case GSHMEMI_GET_BLOCKS:
		(void)gshmemi_apply(o, base, sig_base);
		break;
	default:
		put_blocks_late(o, base);
		break;
	}
	leave(was_open);
	return old;
}

void gshmemi_delivery_order(int context)
{
	const uint64_t caller = hipcpu_lane_serial();
	const bool was_open = lock_memory();
	struct queue *q;
	size_t i;

	/*
	 * The host's fence covers kernels that have ended. Two queues cannot be ordered, so
	 * deliver theirs now.
	 */
	for (i = nqueues; !caller && i > 0; i--)
		for (q = queues[i - 1]; q && q->caller && gshmemi_pe_context(q->pe) == context;)
			q = deliver_any(q);
	for (q = *bucket_of(caller); q; q = q->next)
		if (q->caller == caller && gshmemi_pe_context(q->pe) == context)
			q->last_epoch++;
	unlock_memory(was_open);
}

void gshmemi_delivery_complete(int context, const int *target_pes, size_t npes)
{
	const struct scope scope = {hipcpu_lane_serial(), context, target_pes, npes};
	const bool was_open = lock_memory();
	struct queue *q;

	while ((q = pick_queue(&scope)))
		deliver_any(q);
	unlock_memory(was_open);
}

#endif /* GSHMEMI_ARCH_HAS_DELIVERY */
