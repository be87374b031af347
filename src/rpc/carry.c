/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of kernels on PEs that are not mapped: their lines become operations that the net carries. A
 * request is answered when it has been handed over, or when what it waits for has arrived. Until there is
 * room, or while its answer is due, it is pending. The net calls neither HIP nor kernels, and its lock is
 * held only for a short time.
 */
#include "rpc/rpc.h"

#include <stdlib.h>
#include <string.h>

#include <gshmem/rpc/net.h>

#include "net/net.h"

static atomic_uint nwaiting; /* slots that wait in a lock */
/* requests of kernels, counted as struct gshmemi_rpc_posts counts them */
static _Atomic uint64_t nhanded_over;

/* ---- lines ---- */

/* Reads what a lane asks for. Data in the line itself is used where it is. */
static struct gshmemi_operation read_line(struct gshmemi_op_record *r)
{
	const bool is_inline = r->head & GSHMEMI_OP_INLINE;
	struct gshmemi_operation o = {
		.what = (uint8_t)gshmemi_op_what(r->head),
		.op = (uint8_t)gshmemi_op_op(r->head),
		.region = (uint16_t)gshmemi_op_region(r->head),
		.pe = (int)gshmemi_op_who(r->head),
		.offset = r->place & GSHMEMI_OP_OFFSET,
		.nbytes = gshmemi_op_word_nbytes(r->head),
		.nblocks = 1,
	};

	switch (o.what) {
	case GSHMEMI_PUT_VALUE:
	case GSHMEMI_GET_VALUE:
		o.what = o.what == GSHMEMI_PUT_VALUE ? GSHMEMI_PUT : GSHMEMI_GET;
		o.local = r->u.data;
		return o;
	case GSHMEMI_AMO:
	case GSHMEMI_LOCK:
		o.fetches = (r->head & GSHMEMI_OP_FETCHES) != 0;
		if (r->head & GSHMEMI_OP_TO_MEMORY)
			o.local = (void *)(uintptr_t)r->u.amo.local; /* fall through */
	case GSHMEMI_FLAG:
		o.value = r->u.amo.value;
		o.cond = r->u.amo.cond;
		return o;
	case GSHMEMI_ACCUMULATE:
		o.kind = (uint8_t)(r->place >> GSHMEMI_OP_NBYTES_SHIFT);
		o.elem_nbytes = (uint8_t)gshmemi_op_word_nbytes(r->head);
		o.fetches = (r->head & GSHMEMI_OP_FETCHES) != 0;
		o.sig_offset = r->u.elements.lock;
		o.local = is_inline ? (void *)&r->u.elements.local : (void *)(uintptr_t)r->u.elements.local;
		o.value = is_inline ? (uintptr_t)r->u.data : r->u.elements.old;
		if (!is_inline)
			o.nbytes = r->u.elements.nbytes;
		return o;
	case GSHMEMI_PUT_SIGNAL:
		o.value = r->u.signal.value;
		o.sig_offset = r->u.signal.place & GSHMEMI_OP_OFFSET;
		o.sig_region = (uint16_t)(r->u.signal.place >> GSHMEMI_OP_NBYTES_SHIFT);
		o.local = is_inline ? (void *)&r->u.signal.local : (void *)(uintptr_t)r->u.signal.local;
		o.nbytes = r->u.signal.nbytes;
		break;
	case GSHMEMI_PUT_BLOCKS:
	case GSHMEMI_GET_BLOCKS:
		o.nblocks = r->u.move.nblocks;
		o.stride = (int64_t)r->u.move.stride;
		o.local_stride = (int64_t)r->u.move.local_stride; /* fall through */
	default:
		o.local = is_inline ? (void *)r->u.data : (void *)(uintptr_t)r->u.move.local;
		o.nbytes = r->u.move.nbytes;
		break;
	}
	o.is_nbi = (r->head & GSHMEMI_OP_NBI) != 0;
	if (is_inline)
		o.nbytes = r->place >> GSHMEMI_OP_NBYTES_SHIFT;
	return o;
}

static struct gshmemi_op_record *line_of(const struct gshmemi_rpc_task *task, unsigned lane)
{
	struct gshmemi_op_record *const first =
		(struct gshmemi_op_record *)(void *)gshmemi_rpc_page(&task->served->channel, task->slot);

	return task->header.flags & GSHMEMI_RPC_PAGE ? first : first + lane;
}

static void *allocate_bytes(size_t nbytes)
{
	void *ptr = calloc(1, nbytes);

	if (!ptr) {
		gshmemi_error("rpc: " GSHMEMI_NET_CALL ": out of memory");
		gshmemi_end(1);
	}
	return ptr;
}

/* ---- the operations of a wave ---- */

/* The operations of a wave that did not end at once. */
struct request {
	uint64_t left;                   /* lanes */
	struct gshmemi_carrying lanes[]; /* up to the highest of these lanes */
};

/* Whether the engine will write to the operation's gshmemi_carrying, which must then not move. */
static bool is_waited_for(const struct gshmemi_operation *o)
{
	if (gshmemi_carrying_is_staged(o))
		return true;
	switch (o->what) {
	case GSHMEMI_AMO:
	case GSHMEMI_ACCUMULATE:
		return o->fetches;
	case GSHMEMI_FLAG:
		return false;
	case GSHMEMI_LOCK:
		return true;
	case GSHMEMI_GET:
	case GSHMEMI_GET_BLOCKS:
		return !o->is_nbi;
	default:
		return !o->is_nbi && o->nbytes > GSHMEMI_NET_SMALL_NBYTES;
	}
}

/* The head of a line does not change until the answer, so it still says whether something follows a put. */
static void end_put(struct gshmemi_rpc_task *task, const struct gshmemi_operation *o, unsigned lane,
	struct gshmemi_engine *e)
{
	if (o->what == GSHMEMI_PUT && line_of(task, lane)->head & GSHMEMI_OP_ORDERED)
		gshmemi_engine_fence(e, gshmemi_pe_context(o->pe));
}

/* Goes on with one lane's operation; true if it has ended. Its line is the answer. */
static bool go_on_lane(
	struct gshmemi_rpc_task *task, struct gshmemi_carrying *c, unsigned lane, struct gshmemi_engine *e)
{
	if (!gshmemi_carrying_go_on(c, e))
		return false;
	if (c->o.fetches && c->o.what != GSHMEMI_ACCUMULATE)
		line_of(task, lane)->u.amo.value = c->open.value;
	end_put(task, &c->o, lane, e);
	if (c->o.what == GSHMEMI_LOCK)
		atomic_fetch_sub(&nwaiting, 1);
	return true;
}

/*
 * Goes on with what is left. If anything stays open it makes progress too: otherwise a server that finds no
 * room would keep the engine's lock from those that make room.
 */
static void go_on(struct gshmemi_rpc_task *task, struct request *r)
{
	struct gshmemi_engine *e;
	uint64_t lanes;
	bool is_waiting = true;

	for (lanes = r->left; lanes && is_waiting; lanes &= lanes - 1)
		is_waiting = gshmemi_carrying_is_waiting(&r->lanes[__builtin_ctzll(lanes)]);
	if (!is_waiting) {
		e = gshmemi_net_enter();
		for (lanes = r->left; lanes; lanes &= lanes - 1)
			if (go_on_lane(task, &r->lanes[__builtin_ctzll(lanes)],
				    (unsigned)__builtin_ctzll(lanes), e))
				r->left &= ~(lanes & -lanes);
		gshmemi_net_leave();
	}
	if (r->left)
		gshmemi_host_progress();
}

/*
 * Whether the slot may wait until it is a ticket's turn. Lanes that share a slot would wait for each other,
 * and the owner of the lock needs a slot to give it back. If not, the answer is the word as it is now, and
 * the lane asks again.
 */
static bool may_wait(const struct gshmemi_rpc_task *task)
{
	const uint64_t lanes = task->header.lanes;

	if (lanes & (lanes - 1) || atomic_load(&nwaiting) >= task->served->channel.nslots / 4)
		return false;
	atomic_fetch_add(&nwaiting, 1);
	return true;
}

/*
 * Begins the operations of all lanes. Those that can be handed over and are not waited for need no memory.
 * NULL: all have ended.
 */
static struct request *begin_request(struct gshmemi_rpc_task *task)
{
	struct gshmemi_engine *e = gshmemi_net_enter();
	struct gshmemi_carrying c;
	struct request *r = NULL;
	struct gshmemi_operation o;
	uint64_t lanes;
	unsigned lane;

	for (lanes = task->header.lanes; lanes; lanes &= lanes - 1) {
		lane = (unsigned)__builtin_ctzll(lanes);
		o = read_line(line_of(task, lane));
		if (o.what == GSHMEMI_LOCK && !may_wait(task))
			o.what = GSHMEMI_AMO, o.op = GSHMEMI_AMO_FETCH;
		gshmemi_carrying_begin(&c, &o);
		if (!is_waited_for(&o) && gshmemi_carrying_go_on(&c, e)) {
			end_put(task, &o, lane, e);
			continue;
		}
		if (!r)
			r = allocate_bytes(sizeof *r +
				(64 - (unsigned)__builtin_clzll(task->header.lanes)) * sizeof *r->lanes);
		r->lanes[lane] = c;
		r->left |= 1ULL << lane;
	}
	gshmemi_net_leave();
	return r;
}

static void count(const struct gshmemi_rpc_task *task)
{
	if (task->served == &gshmemi_rpc_kernels)
		atomic_fetch_add(&nhanded_over, 1);
}

int gshmemi_rpc_carry(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	struct request *r = call->state;

	if (!r)
		r = begin_request(task);
	if (r)
		go_on(task, r);
	call->state = r;
	if (r && r->left)
		return GSHMEMX_RPC_PENDING;
	free(r);
	call->state = NULL;
	count(task);
	return GSHMEMX_RPC_DONE;
}

/* ---- order ---- */

/* A fence or quiet, which comes after the requests that were posted before. */
struct question {
	struct gshmemi_rpc_open_posts *posts; /* those that have not been handed over */
	uint64_t nhanded_over;
	struct gshmemi_mark *mark;
};

static struct gshmemi_rpc_open_posts *find_open(const struct gshmemi_rpc_channel *c)
{
	struct gshmemi_rpc_open_posts *posts = gshmemi_rpc_find_open(c, GSHMEMI_RPC_CARRY);

	if (!posts) {
		gshmemi_error("gshmem_quiet: out of memory");
		gshmemi_end(1);
	}
	return posts;
}

/* Returns the question once the kernels' requests posted before it have been handed over, else NULL. */
static struct question *begin_question(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	struct question *q = call->state;

	if (!q) {
		call->state = q = allocate_bytes(sizeof *q);
		q->posts = find_open(&task->served->channel);
	}
	return gshmemi_rpc_have_passed(&task->served->channel, q->posts) ? q : NULL;
}

static void end_question(struct question *q, gshmemx_rpc_call_t *call)
{
	free(q->posts);
	free(q);
	call->state = NULL;
}

int gshmemi_rpc_carry_order(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	struct question *q = begin_question(task, call);

	if (!q)
		return GSHMEMX_RPC_PENDING;
	gshmemi_net_order((int)call->in[0]);
	end_question(q, call);
	return GSHMEMX_RPC_DONE;
}

int gshmemi_rpc_carry_complete(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	const bool is_first = !call->state || ((struct question *)call->state)->posts->nposts;
	struct question *q = begin_question(task, call);
	struct gshmemi_engine *e;
	bool is_idle;

	if (!q)
		return GSHMEMX_RPC_PENDING;
	if (q->mark)
		gshmemi_host_progress();
	e = gshmemi_net_enter();
	if (is_first) {
		q->nhanded_over = atomic_load(&nhanded_over);
		if (gshmemi_engine_mark(e, (int)call->in[0], NULL, 0, &q->mark)) {
			gshmemi_error("gshmem_quiet: out of memory");
			gshmemi_end(1);
		}
	}
	if (q->mark && gshmemi_engine_is_over(e, q->mark))
		q->mark = NULL;
	is_idle = !q->mark && gshmemi_engine_is_idle(e);
	gshmemi_net_leave();
	if (q->mark)
		return GSHMEMX_RPC_PENDING;
	call->out[0] = is_idle ? q->nhanded_over : 0;
	end_question(q, call);
	return GSHMEMX_RPC_DONE;
}

/* ---- for the host ---- */

#if GSHMEMI_ARCH_HOST_DIRECT
static bool has_posts(void)
{
	return gshmemi_arch_load(&gshmemi_rpc_kernels.channel.posts->carried, 8) !=
		atomic_load(&nhanded_over);
}
#endif

void gshmemi_rpc_carry_begin(void)
{
	atomic_store(&nhanded_over, 0);
#if GSHMEMI_ARCH_HOST_DIRECT
	gshmemi_net_has_posts = has_posts;
#endif
}

/*
 * Waits until the posted requests have been handed over that this thread can know of, such as those of
 * kernels that have ended.
 */
void gshmemi_rpc_host_hand_over(void)
{
	const struct gshmemi_rpc_channel *c = &gshmemi_rpc_kernels.channel;
	struct gshmemi_rpc_open_posts *posts;
	unsigned polls = 0;

	if (gshmemi_is_serving())
		return;
#if GSHMEMI_ARCH_HOST_DIRECT
	if (!has_posts())
		return;
#endif
	posts = find_open(c);
	gshmemi_rpc_wake();
	while (!gshmemi_rpc_have_passed(c, posts)) {
		gshmemi_host_progress();
		gshmemi_arch_pause(&polls);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			(void)gshmemi_wait_long(
				0, UINT64_MAX, NULL, 8, 0, GSHMEM_CMP_NE, 0, -1, "gshmem_quiet");
	}
	free(posts);
}
