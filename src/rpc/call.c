/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One call, from when a server takes it until it is answered: runs the function for each lane, for a wave, or
 * for a step of a stream.
 */
#include "rpc/rpc.h"

#include <stdlib.h>
#include <string.h>

#include "rpc/guard.h"
#include "trace/trace.h"

#define MAX_REFUSALS 16 /* messages about calls that cannot be made; later ones are not reported */

static bool is_single(const struct gshmemi_rpc_op *op)
{
	return (op->header.lanes & (op->header.lanes - 1)) == 0;
}

static uint64_t *line_of(const struct gshmemi_rpc_op *op, unsigned lane)
{
	return gshmemi_rpc_page(&op->served->channel, op->slot) + lane * GSHMEMI_RPC_LINE;
}

static void read_header(struct gshmemi_rpc_op *op)
{
	const struct gshmemi_rpc_header *from = &op->served->channel.header[op->slot];
	unsigned i;

	op->header.lanes = gshmemi_arch_load(&from->lanes, 8);
	op->header.op = (uint32_t)gshmemi_arch_load(&from->op, 4);
	op->header.flags = (uint32_t)gshmemi_arch_load(&from->flags, 4);
	if (op->header.flags & (GSHMEMI_RPC_INLINE | GSHMEMI_RPC_STREAM))
		for (i = 0; i < 6; i++)
			op->header.arg[i] = gshmemi_arch_load(&from->arg[i], 8);
}

/* ---- the answer ---- */

/*
 * The only server counts in a word of its own: a locked instruction would wait for the cache line of
 * the last answer.
 */
static void count_completed(struct gshmemi_rpc_op *op)
{
	struct gshmemi_rpc_served *served = op->served;
	const bool is_worker = op->function && op->function->flags & GSHMEMX_RPC_BLOCKING;

	if (gshmemi_env.RPC_THREADS == 1 && !is_worker)
		atomic_store_explicit(&served->completed[0],
			atomic_load_explicit(&served->completed[0], memory_order_relaxed) + 1,
			/* release: pairs with the loads in count_completed of library.c */
			memory_order_release);
	else
		atomic_fetch_add_explicit(&served->completed[1], 1, memory_order_release);
}

/*
 * Counts a posted call before its slot is given back, because quiet may read the count as soon as it
 * has seen that.
 */
static void answer_call(struct gshmemi_rpc_op *op, int status, uint64_t value)
{
	/* CARRY keeps its own counters */
	if (op->header.flags & GSHMEMI_RPC_POSTED && op->header.op != GSHMEMI_RPC_CARRY)
		count_completed(op);
	if (status != GSHMEMI_RPC_MORE)
		op->served->stream_state[op->slot] = NULL;
	gshmemi_rpc_give(&op->served->channel, op->slot, op->seq, status, value);
}

static void refuse(struct gshmemi_rpc_op *op, int error)
{
	answer_call(op, GSHMEMI_RPC_ERROR, (uint64_t)(int64_t)error);
}

/*
 * Answers when all functions of the call have ended. Lanes without an error get a status too, since each
 * client reads its own.
 */
static void finish_call(struct gshmemi_rpc_op *op)
{
	const struct gshmemi_rpc_channel *c = &op->served->channel;
	int32_t *status = c->status + ((size_t)op->slot << c->lane_shift);
	unsigned lane;

	if (op->error) {
		refuse(op, op->error);
	} else if (op->failed && is_single(op)) {
		refuse(op, status[__builtin_ctzll(op->failed)]);
	} else if (op->failed) {
		for (lane = 0; lane < gshmemi_rpc_nlanes(c); lane++)
			if (!(op->failed >> lane & 1))
				status[lane] = 0;
		answer_call(op, GSHMEMI_RPC_LANES, 0);
	} else {
		answer_call(op, GSHMEMI_RPC_OK, op->value);
	}
}

/* ---- calling functions ---- */

/* GSHMEM_TRACE records when a function is called first, and when it ends: it may pend thousands of times. */
static int call_function(struct gshmemi_rpc_op *op, gshmemx_rpc_call_t *call)
{
	const struct gshmemi_rpc_function *function = op->function;
	const uint64_t begin_ns = op->has_begun && gshmemi_is_traced() ? gshmemi_arch_clock_ns() : 0;
	const uint64_t open =
		op->has_begun ? 0 : gshmemi_trace_call(GSHMEMI_TRACE_SERVED, -1, 0, function->name);
	int rc;

	call->op = op->header.op;
	call->nlanes = gshmemi_rpc_nlanes(&op->served->channel);
	call->lanes = op->header.lanes;
	if (function->library)
		rc = function->library(op, call);
	else
		rc = gshmemi_rpc_guard(function->function, function->user, call, function->name);
	gshmemi_trace_end(open);
	if (op->has_begun && rc != GSHMEMX_RPC_PENDING)
		gshmemi_trace_span(GSHMEMI_TRACE_SERVED, function->name, begin_ns);
	if (rc > GSHMEMX_RPC_MORE || (rc == GSHMEMX_RPC_MORE && !(op->header.flags & GSHMEMI_RPC_STREAM))) {
		gshmemi_error("rpc: %s returned %d, which is neither GSHMEMX_RPC_DONE nor _PENDING%s, nor a "
			      "negative errno",
			function->name, rc, op->header.flags & GSHMEMI_RPC_STREAM ? " nor _MORE" : "");
		rc = -EPROTO;
	}
	return rc;
}

/* Calls the function for one lane. */
static void run_lane(struct gshmemi_rpc_op *op, unsigned lane)
{
	const struct gshmemi_rpc_channel *c = &op->served->channel;
	const bool is_inline = op->header.flags & GSHMEMI_RPC_INLINE;
	uint64_t out[GSHMEMI_RPC_LINE] = {0};
	gshmemx_rpc_call_t call = {.lane = lane, .out = out, .state = op->state[lane]};
	int rc;

	call.in = is_inline ? op->header.arg : line_of(op, lane);
	rc = call_function(op, &call);
	op->state[lane] = call.state;
	if (rc == GSHMEMX_RPC_PENDING)
		return;
	op->left &= ~(1ULL << lane);
	if (rc < 0) {
		op->failed |= 1ULL << lane;
		c->status[((size_t)op->slot << c->lane_shift) + lane] = rc;
	} else if (is_inline) {
		op->value = out[0];
	} else {
		memcpy(line_of(op, lane), out, sizeof out);
	}
}

/*
 * Calls the function for a wave, which reads and changes the page. Words that came in the header are
 * copied there first.
 */
static void run_wave(struct gshmemi_rpc_op *op)
{
	const unsigned lane = (unsigned)__builtin_ctzll(op->header.lanes);
	uint64_t *page = line_of(op, 0);
	gshmemx_rpc_call_t call = {.lane = lane, .in = page, .out = page, .state = op->state[0]};
	int rc;

	if (op->header.flags & GSHMEMI_RPC_INLINE) {
		memcpy(line_of(op, lane), op->header.arg, sizeof op->header.arg);
		/* only once: the function, called again, finds what it has written */
		op->header.flags &= ~GSHMEMI_RPC_INLINE;
	}
	op->left = 1;
	rc = call_function(op, &call);
	op->state[0] = call.state;
	if (rc == GSHMEMX_RPC_PENDING)
		return;
	op->left = 0;
	op->error = rc;
	op->value = line_of(op, lane)[0];
}

/* Runs a step of a stream, and answers it; MORE leaves the stream open. */
static void run_step(struct gshmemi_rpc_op *op)
{
	const struct gshmemi_rpc_channel *c = &op->served->channel;
	const uint64_t *arg = op->header.arg;
	const uint64_t block = arg[GSHMEMI_RPC_STEP_BLOCK], capacity = arg[GSHMEMI_RPC_STEP_CAPACITY];
	const size_t room = block ? GSHMEMI_RPC_BLOCK_NBYTES : gshmemi_rpc_page_nbytes(c);
	gshmemx_rpc_call_t call = {.lane = (unsigned)__builtin_ctzll(op->header.lanes)};
	int rc;

	call.state = op->served->stream_state[op->slot];
	call.data = block ? (void *)(uintptr_t)block : (void *)line_of(op, 0);
	call.room_nbytes = capacity < room ? (size_t)capacity : room;
	call.nbytes = arg[GSHMEMI_RPC_STEP_NBYTES];
	call.offset = arg[GSHMEMI_RPC_STEP_OFFSET];
	call.total_nbytes = arg[GSHMEMI_RPC_STEP_TOTAL];
	rc = call_function(op, &call);
	op->served->stream_state[op->slot] = call.state;
	if (rc == GSHMEMX_RPC_PENDING)
		return;
	op->left = 0;
	if (rc >= 0 && call.reply_nbytes > call.room_nbytes)
		rc = -ENOSPC;
	if (rc < 0)
		refuse(op, rc);
	else
		answer_call(
			op, rc == GSHMEMX_RPC_MORE ? GSHMEMI_RPC_MORE : GSHMEMI_RPC_OK, call.reply_nbytes);
}

int gshmemi_rpc_thrown(const char *name, const char *what)
{
	gshmemi_error("rpc: %s threw: %s", name, what);
	return -EFAULT;
}

/* ---- from start to end ---- */

static void run_call(struct gshmemi_rpc_op *op)
{
	uint64_t lanes;

	if (op->header.flags & GSHMEMI_RPC_STREAM) {
		run_step(op);
	} else if (op->function->flags & GSHMEMX_RPC_WAVE) {
		run_wave(op);
	} else {
		for (lanes = op->left; lanes; lanes &= lanes - 1)
			run_lane(op, (unsigned)__builtin_ctzll(lanes));
	}
	if (op->left)
		op->has_begun = true;
	else if (!(op->header.flags & GSHMEMI_RPC_STREAM))
		finish_call(op);
}

bool gshmemi_rpc_go_on(struct gshmemi_rpc_op *op)
{
	run_call(op);
	if (op->left)
		return false;
	free(op);
	return true;
}

/* Returns 0 if the call can be made; else says why not and returns the error. */
static int check_call(const struct gshmemi_rpc_op *op)
{
	static atomic_uint nsaid;
	const bool is_stream = op->header.flags & GSHMEMI_RPC_STREAM;
	const bool says = atomic_load(&nsaid) < MAX_REFUSALS;
	const uint64_t nbytes = is_stream ? op->header.arg[GSHMEMI_RPC_STEP_TOTAL] : 0;

	if (op->function && is_stream == !!(op->function->flags & GSHMEMX_RPC_STREAM))
		return 0;
	atomic_fetch_add(&nsaid, 1);
	atomic_fetch_add(&gshmemi_rpc_counts.nrefused, 1);
	if (!op->function && says)
		gshmemi_error("rpc: %s: operation %#x: no function is registered with this number: the call "
			      "is refused",
			op->served->name, op->header.op);
	else if (is_stream && says)
		gshmemi_error("rpc: %s: %s (operation %#x) takes words, and was sent a stream of %llu bytes: "
			      "the call is "
			      "refused (GSHMEMX_RPC_STREAM)",
			op->served->name, op->function->name, op->header.op, (unsigned long long)nbytes);
	else if (says)
		gshmemi_error(
			"rpc: %s: %s (operation %#x) takes a stream, and was sent words: the call is refused",
			op->served->name, op->function->name, op->header.op);
	return op->function ? -EMSGSIZE : -ENOSYS;
}

static struct gshmemi_rpc_op *keep(const struct gshmemi_rpc_op *op)
{
	struct gshmemi_rpc_op *kept = malloc(sizeof *kept);

	if (kept)
		*kept = *op;
	else
		gshmemi_error(
			"rpc: %s: %s: a pending call: out of memory", op->served->name, op->function->name);
	return kept;
}

struct gshmemi_rpc_op *gshmemi_rpc_serve_slot(struct gshmemi_rpc_served *served, uint32_t slot)
{
	struct gshmemi_rpc_op op, *kept;
	uint64_t lanes;
	int rc;

	if (!gshmemi_rpc_take(&served->channel, slot, &op.seq))
		return NULL;
	op.next = NULL;
	op.served = served;
	op.slot = slot;
	op.failed = 0;
	op.error = 0;
	op.has_begun = false;
	op.value = 0;
	op.library_state = NULL;
	read_header(&op);
	op.left = op.header.lanes;
	op.function = gshmemi_rpc_find(op.header.op);
	rc = check_call(&op);
	if (rc) {
		refuse(&op, rc);
		return NULL;
	}
	op.state[0] = NULL;
	for (lanes = op.left; lanes; lanes &= lanes - 1)
		op.state[__builtin_ctzll(lanes)] = NULL;
	if (!(op.function->flags & GSHMEMX_RPC_BLOCKING))
		run_call(&op);
	if (!op.left)
		return NULL;
	kept = keep(&op);
	if (!kept)
		refuse(&op, -ENOMEM);
	else if (op.function->flags & GSHMEMX_RPC_BLOCKING)
		gshmemi_rpc_workers_add(kept);
	return op.function->flags & GSHMEMX_RPC_BLOCKING ? NULL : kept;
}
