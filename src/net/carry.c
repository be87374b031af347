/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The API's operations over the engine: in records or in bulk, block by block, with a signal behind; and the
 * host's calls that use them.
 */
#include "net/net.h"

#include <gshmem/wait/poll.h>

#include "heap/buffers.h"
#include "owner/device.h"

/*
 * The owner of a lock may complete his context before he gives it back, so a request that waits for the lock
 * must be in no user's context.
 */
#define LOCK_CONTEXT -1

/* ---- one operation ---- */

void gshmemi_carrying_begin(struct gshmemi_carrying *c, const struct gshmemi_operation *o)
{
	*c = (struct gshmemi_carrying){.o = *o};
}

static struct gshmemi_target target_of(const struct gshmemi_operation *o)
{
	return (struct gshmemi_target){
		gshmemi_pe_in_world(o->pe), gshmemi_pe_context(o->pe), o->region, o->offset};
}

static bool move_block(struct gshmemi_carrying *c, struct gshmemi_engine *e, bool is_get)
{
	const struct gshmemi_operation *o = &c->o;
	const int64_t i = (int64_t)c->nblocks;
	const bool is_small = o->nbytes <= GSHMEMI_NET_SMALL_NBYTES;
	struct gshmemi_open *open = o->is_nbi ? NULL : &c->open;
	struct gshmemi_target target = target_of(o);
	char *local = (char *)o->local + i * o->local_stride;

	target.offset += (uint64_t)(i * o->stride);
	if (is_get)
		return is_small ? gshmemi_engine_get(e, &target, local, o->nbytes, open)
				: gshmemi_engine_get_bulk(e, &target, local, o->nbytes, open);
	if (is_small)
		return gshmemi_engine_put(e, &target, local, o->nbytes);
	if (!gshmemi_engine_put_bulk(e, &target, local, o->nbytes, open, &c->bulk))
		return false;
	if (gshmemi_carrying_sends_device(o))
		gshmemi_engine_count_device(
			e, false, (o->nbytes + GSHMEMI_NET_CHUNK_NBYTES - 1) / GSHMEMI_NET_CHUNK_NBYTES);
	return true;
}

/* Asks for the update of some elements of an accumulate. nbytes: with an element to compare with, of both. */
static bool ask_elements(struct gshmemi_engine *e, const struct gshmemi_operation *o,
	const struct gshmemi_target *target, const void *data, size_t nbytes, void *old,
	struct gshmemi_open *open)
{
	return gshmemi_engine_accumulate(e, target, gshmemi_win_make_update(o->op, o->kind, o->elem_nbytes),
		o->sig_offset, data, o->op == GSHMEMI_ACCUMULATE_SWAP ? o->elem_nbytes : nbytes, old, open);
}

/* ---- local ends that the CPU cannot reach ---- */

#if GSHMEMI_ARCH_HOST_DIRECT

bool gshmemi_carrying_is_staged(const struct gshmemi_operation *o)
{
	(void)o;
	return false;
}

bool gshmemi_carrying_sends_device(const struct gshmemi_operation *o)
{
	(void)o;
	return false;
}

#define stage_block(c, e, is_get) ((void)(c), (void)(e), (void)(is_get), false)
#define stage_amo(c, e)           ((void)(c), (void)(e), false)
#define stage_elements(c, e)      ((void)(c), (void)(e), false)

#else

static bool is_of_device(const void *local)
{
	return (uint64_t)((uintptr_t)local - (uintptr_t)gshmemi_state.heap) < gshmemi_state.heap_nbytes ||
		gshmemi_buffers_are_device(local);
}

bool gshmemi_carrying_sends_device(const struct gshmemi_operation *o)
{
	const bool is_put =
		o->what == GSHMEMI_PUT || o->what == GSHMEMI_PUT_BLOCKS || o->what == GSHMEMI_PUT_SIGNAL;

	return is_put && o->nbytes > GSHMEMI_NET_SMALL_NBYTES && gshmemi_net_sends_device() &&
		is_of_device(o->local);
}

bool gshmemi_carrying_is_staged(const struct gshmemi_operation *o)
{
	if (o->what == GSHMEMI_ACCUMULATE && o->fetches && is_of_device((const void *)(uintptr_t)o->value))
		return true;
	return is_of_device(o->local) && !gshmemi_carrying_sends_device(o);
}

/*
 * The stages of a piece of an operation: not begun; being copied to the landing; in the landing; moving over
 * the net; being copied to its destination.
 */
enum stage { BEGIN, COMES, THERE, MOVES, GOES };

static bool ends_piece(struct gshmemi_carrying *c)
{
	gshmemi_landing_give(c->landing);
	c->landing = NULL;
	c->at += c->nbytes;
	c->stage = BEGIN;
	return true;
}

static bool begin_piece(struct gshmemi_carrying *c, size_t nbytes)
{
	c->nbytes = nbytes;
	c->landing = gshmemi_landing_take(nbytes);
	return c->landing != NULL;
}

/* Starts moving the piece over the net, from the landing or to it. False: no room. */
static bool move_piece(
	struct gshmemi_carrying *c, struct gshmemi_engine *e, const struct gshmemi_target *target)
{
	const struct gshmemi_operation *o = &c->o;
	const bool is_get = gshmemi_is_get(o->what);
	char *const memory = c->landing->memory;

	if (o->what == GSHMEMI_AMO)
		return gshmemi_engine_amo(
			e, target, o->op, o->value, o->cond, (unsigned)o->nbytes, memory, &c->piece);
	if (o->what == GSHMEMI_ACCUMULATE)
		return ask_elements(e, o, target, memory, c->nbytes, memory, o->fetches ? &c->piece : NULL);
	if (c->nbytes <= GSHMEMI_NET_SMALL_NBYTES)
		return is_get ? gshmemi_engine_get(e, target, memory, c->nbytes, &c->piece)
			      : gshmemi_engine_put(e, target, memory, c->nbytes);
	if (!(is_get ? gshmemi_engine_get_bulk(e, target, memory, c->nbytes, &c->piece)
		     : gshmemi_engine_put_bulk(e, target, memory, c->nbytes, &c->piece, &c->bulk)))
		return false;
	gshmemi_engine_count_device(e, true, 1);
	return true;
}

/*
 * Moves a piece of at most this many bytes on as far as possible; returns true when it has ended. source:
 * what comes to the landing first; dest: where what is in the landing goes at last; NULL: nothing, or
 * nowhere.
 */
static bool stage_piece(
	struct gshmemi_carrying *c, struct gshmemi_engine *e, const char *source, char *dest, size_t most)
{
	struct gshmemi_target target = target_of(&c->o);

	switch ((enum stage)c->stage) {
	case BEGIN:
		if (!begin_piece(c, c->o.nbytes - c->at < most ? (size_t)(c->o.nbytes - c->at) : most))
			return false;
		if (source)
			gshmemi_landing_copy(c->landing, c->landing->memory, source + c->at, c->nbytes);
		c->stage = source ? COMES : THERE; /* fall through */
	case COMES:
		if (c->stage == COMES && !atomic_load(&c->landing->is_over))
			return false;
		c->stage = THERE; /* fall through */
	case THERE:
		target.offset += (uint64_t)((int64_t)c->nblocks * c->o.stride) + c->at;
		if (!move_piece(c, e, &target))
			return false;
		c->stage = MOVES; /* fall through */
	case MOVES:
		if (c->piece.nopen)
			return false;
		if (!dest)
			return ends_piece(c);
		gshmemi_landing_copy(c->landing, dest + c->at, c->landing->memory, c->nbytes);
		c->stage = GOES; /* fall through */
	default:
		return atomic_load(&c->landing->is_over) && ends_piece(c);
	}
}

static bool stage_block(struct gshmemi_carrying *c, struct gshmemi_engine *e, bool is_get)
{
	char *const local = (char *)c->o.local + (int64_t)c->nblocks * c->o.local_stride;

	while (c->at < c->o.nbytes)
		if (!stage_piece(
			    c, e, is_get ? NULL : local, is_get ? local : NULL, GSHMEMI_NET_CHUNK_NBYTES))
			return false;
	c->at = 0;
	return true;
}

/* Elements of an accumulate, source or old values of which are in device memory. */
static bool stage_elements(struct gshmemi_carrying *c, struct gshmemi_engine *e)
{
	const struct gshmemi_operation *o = &c->o;
	const char *const source = o->op == GSHMEMX_NO_OP ? NULL : o->local;
	char *const old = o->fetches ? (char *)(uintptr_t)o->value : NULL;

	while (c->at < o->nbytes)
		if (!stage_piece(c, e, source, old, GSHMEMI_NET_SMALL_NBYTES))
			return false;
	return true;
}

/* An atomic whose old value goes to device memory. */
static bool stage_amo(struct gshmemi_carrying *c, struct gshmemi_engine *e)
{
	if (!stage_piece(c, e, NULL, c->o.local, GSHMEMI_NET_SMALL_NBYTES))
		return false;
	c->open.value = c->piece.value;
	return true;
}

#endif

/* Returns true when all blocks have been handed over. */
static bool move_blocks(struct gshmemi_carrying *c, struct gshmemi_engine *e, bool is_get)
{
	const bool is_staged = gshmemi_carrying_is_staged(&c->o);

	for (; c->o.nbytes && c->nblocks < c->o.nblocks; c->nblocks++)
		if (!(is_staged ? stage_block(c, e, is_get) : move_block(c, e, is_get)))
			return false;
	return true;
}

static bool move_elements(struct gshmemi_carrying *c, struct gshmemi_engine *e)
{
	const struct gshmemi_operation *o = &c->o;
	const size_t most = gshmemi_engine_elements_nbytes(e);
	struct gshmemi_target target;
	size_t n;

	if (gshmemi_carrying_is_staged(o))
		return stage_elements(c, e);
	for (; c->at < o->nbytes; c->at += n) {
		n = o->nbytes - c->at < most ? (size_t)(o->nbytes - c->at) : most;
		target = target_of(o);
		target.offset += c->at;
		if (!ask_elements(e, o, &target, (const char *)o->local + c->at, n,
			    o->fetches ? (char *)(uintptr_t)o->value + c->at : NULL,
			    o->fetches ? &c->open : NULL))
			return false;
	}
	return true;
}

static bool hand_over(struct gshmemi_carrying *c, struct gshmemi_engine *e)
{
	const struct gshmemi_operation *o = &c->o;
	struct gshmemi_target target = target_of(o);

	switch (o->what) {
	case GSHMEMI_GET:
	case GSHMEMI_GET_BLOCKS:
		return move_blocks(c, e, true);
	case GSHMEMI_AMO:
		if (o->local && gshmemi_carrying_is_staged(o))
			return stage_amo(c, e);
		return gshmemi_engine_amo(e, &target, o->op, o->value, o->cond, (unsigned)o->nbytes, o->local,
			o->fetches ? &c->open : NULL);
	case GSHMEMI_ACCUMULATE:
		return move_elements(c, e);
	case GSHMEMI_FLAG:
		return gshmemi_engine_flag(e, &target, o->value);
	case GSHMEMI_LOCK:
		target.context = LOCK_CONTEXT;
		return gshmemi_engine_lock(e, &target, o->op, (uint32_t)o->value, &c->open);
	case GSHMEMI_PUT_SIGNAL:
		if (!move_blocks(c, e, false))
			return false;
		target.region = o->sig_region;
		target.offset = o->sig_offset;
		return gshmemi_engine_signal(e, &target, o->op, o->value, c->bulk);
	default:
		return move_blocks(c, e, false);
	}
}

bool gshmemi_carrying_is_waiting(const struct gshmemi_carrying *c)
{
	return c->is_handed_over && __atomic_load_n(&c->open.nopen, __ATOMIC_ACQUIRE) != 0;
}

bool gshmemi_carrying_go_on(struct gshmemi_carrying *c, struct gshmemi_engine *e)
{
	if (!c->is_handed_over)
		c->is_handed_over = hand_over(c, e);
	return c->is_handed_over && !c->open.nopen;
}

/* ---- for the host ---- */

/* Counts how long a host call has been waiting. */
struct wait {
	uint64_t started_ns;
	unsigned polls;
	const void *word; /* of a lock, for whose turn it waits, or NULL */
	uint32_t turn;
};

static void wait(struct wait *w, int pe, const char *call)
{
	gshmemi_host_progress();
	gshmemi_arch_pause(&w->polls);
	if ((w->polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
		w->started_ns = gshmemi_wait_long(w->polls, w->started_ns, w->word, w->word ? 4 : 8, 0,
			w->word ? GSHMEM_CMP_EQ : GSHMEM_CMP_NE, w->turn, pe, call);
}

/*
 * A put is often followed by more puts and a quiet, which send it along; a put of the library itself is
 * always followed by a flag.
 */
static bool go_on(struct gshmemi_carrying *c)
{
	bool is_over;

	if (gshmemi_carrying_is_waiting(c))
		return false;
	is_over = gshmemi_carrying_go_on(c, gshmemi_net_enter());
	if (!is_over || c->o.what != GSHMEMI_PUT)
		gshmemi_net_leave();
	else if (c->o.is_nbi && gshmemi_pe_context(c->o.pe) == GSHMEMI_CTX_LIBRARY)
		gshmemi_net_leave_unsent();
	else
		gshmemi_net_leave_puts();
	return is_over;
}

/* Returns an atomic's old value, or the word of a lock. */
static uint64_t carry(const struct gshmemi_operation *o, struct wait *w, int pe, const char *call)
{
	struct gshmemi_carrying carrying;

	gshmemi_carrying_begin(&carrying, o);
	while (!go_on(&carrying))
		wait(w, pe, call);
	return carrying.open.value;
}

uint64_t gshmemi_net_carry(const struct gshmemi_operation *o)
{
	struct wait w = {0};

	return carry(o, &w, gshmemi_pe_in_world(o->pe), "an operation on a PE that is not mapped");
}

uint64_t gshmemi_net_lock(
	unsigned region, const void *word, int which, uint32_t turn, int pe, const char *call)
{
	struct gshmemi_operation o = gshmemi_describe(GSHMEMI_LOCK, region, word, pe);
	struct wait w = {.word = word, .turn = turn};

	o.op = (uint8_t)which;
	o.nbytes = 8;
	o.value = turn;
	o.fetches = 1;
	return carry(&o, &w, -1, call);
}

void gshmemi_net_order(int context)
{
	gshmemi_engine_fence(gshmemi_net_enter(), context);
	gshmemi_net_leave_unsent();
}

/*
 * Waits until sources may be reused. Only bulk is sent from where it is, and may land later; small
 * data was copied.
 */
void gshmemi_net_release(int context)
{
	struct wait w = {0};
	int pe;

	for (;;) {
		pe = gshmemi_engine_sends_to(gshmemi_net_enter(), context);
		gshmemi_net_leave();
		if (pe < 0)
			break;
		wait(&w, pe, "a collective whose source is on its way");
	}
}

void gshmemi_net_complete(int context, const int *target_pes, size_t npes)
{
	struct wait w = {0};
	struct gshmemi_mark *mark;
	bool is_over;

	if (!gshmemi_net_may_be_open())
		return;
	if (gshmemi_engine_mark(gshmemi_net_enter(), context, target_pes, npes, &mark)) {
		gshmemi_error("gshmem_quiet: out of memory");
		gshmemi_end(1);
	}
	if (!mark)
		gshmemi_net_settle();
	gshmemi_net_leave();
	while (mark) {
		wait(&w, gshmemi_mark_pe(mark), "gshmem_quiet");
		is_over = gshmemi_engine_is_over(gshmemi_net_enter(), mark);
		gshmemi_net_leave();
		if (is_over)
			break;
	}
}
