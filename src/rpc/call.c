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

static bool is_single(const struct gshmemi_rpc_task *task)
{
	return (task->header.lanes & (task->header.lanes - 1)) == 0;
}

static uint64_t *line_of(const struct gshmemi_rpc_task *task, unsigned lane)
{
	return gshmemi_rpc_page(&task->served->channel, task->slot) + lane * GSHMEMI_RPC_LINE;
}

static void read_header(struct gshmemi_rpc_task *task)
{
	const struct gshmemi_rpc_header *from = &task->served->channel.header[task->slot];
	unsigned i;

	task->header.lanes = gshmemi_arch_load(&from->lanes, 8);
	task->header.id = (uint32_t)gshmemi_arch_load(&from->id, 4);
	task->header.flags = (uint32_t)gshmemi_arch_load(&from->flags, 4);
	if (task->header.flags & (GSHMEMI_RPC_INLINE | GSHMEMI_RPC_STREAM))
		for (i = 0; i < 6; i++)
			task->header.arg[i] = gshmemi_arch_load(&from->arg[i], 8);
}

/* ---- the answer ---- */

/*
 * The only server counts in a word of its own: a locked instruction would wait for the cache line of
 * the last answer.
 */
static void count_completed(struct gshmemi_rpc_task *task)
{
	struct gshmemi_rpc_served *served = task->served;
	const bool is_worker = task->function && task->function->flags & GSHMEMX_RPC_BLOCKING;

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
static void answer_call(struct gshmemi_rpc_task *task, int status, uint64_t value)
{
	GSHMEMI_RACE_RELEASE(task->served->channel.posts);
	/* CARRY keeps its own counters */
	if (task->header.flags & GSHMEMI_RPC_POSTED && task->header.id != GSHMEMI_RPC_CARRY)
		count_completed(task);
	if (status != GSHMEMI_RPC_MORE)
		task->served->stream_state[task->slot] = NULL;
	gshmemi_rpc_give(&task->served->channel, task->slot, task->seq, status, value);
}

static void refuse(struct gshmemi_rpc_task *task, int error)
{
	answer_call(task, GSHMEMI_RPC_ERROR, (uint64_t)(int64_t)error);
}

/*
 * Answers when all functions of the call have ended. Lanes without an error get a status too, since each
 * client reads its own.
 */
static void finish_call(struct gshmemi_rpc_task *task)
{
	const struct gshmemi_rpc_channel *c = &task->served->channel;
	int32_t *status = c->status + ((size_t)task->slot << c->lane_shift);
	unsigned lane;

	if (task->error) {
		refuse(task, task->error);
	} else if (task->failed && is_single(task)) {
		refuse(task, status[__builtin_ctzll(task->failed)]);
	} else if (task->failed) {
		for (lane = 0; lane < gshmemi_rpc_nlanes(c); lane++)
			if (!(task->failed >> lane & 1))
				status[lane] = 0;
		answer_call(task, GSHMEMI_RPC_LANES, 0);
	} else {
		answer_call(task, GSHMEMI_RPC_OK, task->value);
	}
}

/* ---- calling functions ---- */

/* GSHMEM_TRACE records when a function is called first, and when it ends: it may pend thousands of times. */
static int call_function(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	const struct gshmemi_rpc_function *function = task->function;
	const uint64_t begin_ns = task->has_begun && gshmemi_is_traced() ? gshmemi_arch_clock_ns() : 0;
	const uint64_t open =
		task->has_begun ? 0 : gshmemi_trace_call(GSHMEMI_TRACE_SERVED, -1, 0, function->name);
	int rc;

	call->id = task->header.id;
	call->nlanes = gshmemi_rpc_nlanes(&task->served->channel);
	call->lanes = task->header.lanes;
	if (function->library)
		rc = function->library(task, call);
	else
		rc = gshmemi_rpc_guard(function->function, function->user, call, function->name);
	gshmemi_trace_end(open);
	if (task->has_begun && rc != GSHMEMX_RPC_PENDING)
		gshmemi_trace_span(GSHMEMI_TRACE_SERVED, function->name, begin_ns);
	if (rc > GSHMEMX_RPC_MORE || (rc == GSHMEMX_RPC_MORE && !(task->header.flags & GSHMEMI_RPC_STREAM))) {
		gshmemi_error("rpc: %s returned %d, which is neither GSHMEMX_RPC_DONE nor _PENDING%s, nor a "
			      "negative errno",
			function->name, rc, task->header.flags & GSHMEMI_RPC_STREAM ? " nor _MORE" : "");
		rc = -EPROTO;
	}
	return rc;
}

/* Calls the function for one lane. */
static void run_lane(struct gshmemi_rpc_task *task, unsigned lane)
{
	const struct gshmemi_rpc_channel *c = &task->served->channel;
	const bool is_inline = task->header.flags & GSHMEMI_RPC_INLINE;
	uint64_t out[GSHMEMI_RPC_LINE] = {0};
	gshmemx_rpc_call_t call = {.lane = lane, .out = out, .state = task->state[lane]};
	int rc;

	call.in = is_inline ? task->header.arg : line_of(task, lane);
	rc = call_function(task, &call);
	task->state[lane] = call.state;
	if (rc == GSHMEMX_RPC_PENDING)
		return;
	task->left &= ~(1ULL << lane);
	if (rc < 0) {
		task->failed |= 1ULL << lane;
		c->status[((size_t)task->slot << c->lane_shift) + lane] = rc;
	} else if (is_inline) {
		task->value = out[0];
	} else {
		memcpy(line_of(task, lane), out, sizeof out);
	}
}

/*
 * Calls the function for a wave, which reads and changes the page. Words that came in the header are
 * copied there first.
 */
static void run_wave(struct gshmemi_rpc_task *task)
{
	const unsigned lane = (unsigned)__builtin_ctzll(task->header.lanes);
	uint64_t *page = line_of(task, 0);
	gshmemx_rpc_call_t call = {.lane = lane, .in = page, .out = page, .state = task->state[0]};
	int rc;

	if (task->header.flags & GSHMEMI_RPC_INLINE) {
		memcpy(line_of(task, lane), task->header.arg, sizeof task->header.arg);
		/* only once: the function, called again, finds what it has written */
		task->header.flags &= ~GSHMEMI_RPC_INLINE;
	}
	task->left = 1;
	rc = call_function(task, &call);
	task->state[0] = call.state;
	if (rc == GSHMEMX_RPC_PENDING)
		return;
	task->left = 0;
	task->error = rc;
	task->value = line_of(task, lane)[0];
}

/* Runs a step of a stream, and answers it; MORE leaves the stream open. */
static void run_step(struct gshmemi_rpc_task *task)
{
	const struct gshmemi_rpc_channel *c = &task->served->channel;
	const uint64_t *arg = task->header.arg;
	const uint64_t block = arg[GSHMEMI_RPC_STEP_BLOCK], capacity = arg[GSHMEMI_RPC_STEP_CAPACITY];
	const size_t room = block ? GSHMEMI_RPC_BLOCK_NBYTES : gshmemi_rpc_page_nbytes(c);
	gshmemx_rpc_call_t call = {.lane = (unsigned)__builtin_ctzll(task->header.lanes)};
	int rc;

	call.state = task->served->stream_state[task->slot];
	call.data = block ? (void *)(uintptr_t)block : (void *)line_of(task, 0);
	call.room_nbytes = capacity < room ? (size_t)capacity : room;
	call.nbytes = arg[GSHMEMI_RPC_STEP_NBYTES];
	call.offset = arg[GSHMEMI_RPC_STEP_OFFSET];
	call.total_nbytes = arg[GSHMEMI_RPC_STEP_TOTAL];
	rc = call_function(task, &call);
	task->served->stream_state[task->slot] = call.state;
	if (rc == GSHMEMX_RPC_PENDING)
		return;
	task->left = 0;
	if (rc >= 0 && call.reply_nbytes > call.room_nbytes)
		rc = -ENOSPC;
	if (rc < 0)
		refuse(task, rc);
	else
		answer_call(
			task, rc == GSHMEMX_RPC_MORE ? GSHMEMI_RPC_MORE : GSHMEMI_RPC_OK, call.reply_nbytes);
}

int gshmemi_rpc_thrown(const char *name, const char *what)
{
	gshmemi_error("rpc: %s threw: %s", name, what);
	return -EFAULT;
}

/* ---- from start to end ---- */

static void run_call(struct gshmemi_rpc_task *task)
{
	uint64_t lanes;

	if (task->header.flags & GSHMEMI_RPC_STREAM) {
		run_step(task);
	} else if (task->function->flags & GSHMEMX_RPC_WAVE) {
		run_wave(task);
	} else {
		for (lanes = task->left; lanes; lanes &= lanes - 1)
			run_lane(task, (unsigned)__builtin_ctzll(lanes));
	}
	if (task->left)
		task->has_begun = true;
	else if (!(task->header.flags & GSHMEMI_RPC_STREAM))
		finish_call(task);
}

bool gshmemi_rpc_go_on(struct gshmemi_rpc_task *task)
{
	GSHMEMI_RACE_ACQUIRE_MARK(&task->served->channel.request[task->slot]);
	run_call(task);
	if (task->left)
		return false;
	free(task);
	return true;
}

/* Returns 0 if the call can be made; else says why not and returns the error. */
static int check_call(const struct gshmemi_rpc_task *task)
{
	static atomic_uint nsaid;
	const bool is_stream = task->header.flags & GSHMEMI_RPC_STREAM;
	const bool says = atomic_load(&nsaid) < MAX_REFUSALS;
	const uint64_t nbytes = is_stream ? task->header.arg[GSHMEMI_RPC_STEP_TOTAL] : 0;

	if (task->function && is_stream == !!(task->function->flags & GSHMEMX_RPC_STREAM))
		return 0;
	atomic_fetch_add(&nsaid, 1);
	atomic_fetch_add(&gshmemi_rpc_counts.nrefused, 1);
	if (!task->function && says)
		gshmemi_error("rpc: %s: operation %#x: no function is registered with this number: the call "
			      "is refused",
			task->served->name, task->header.id);
	else if (is_stream && says)
		gshmemi_error("rpc: %s: %s (operation %#x) takes words, and was sent a stream of %llu bytes: "
			      "the call is "
			      "refused (GSHMEMX_RPC_STREAM)",
			task->served->name, task->function->name, task->header.id,
			(unsigned long long)nbytes);
	else if (says)
		gshmemi_error(
			"rpc: %s: %s (operation %#x) takes a stream, and was sent words: the call is refused",
			task->served->name, task->function->name, task->header.id);
	return task->function ? -EMSGSIZE : -ENOSYS;
}

static struct gshmemi_rpc_task *keep(const struct gshmemi_rpc_task *task)
{
	struct gshmemi_rpc_task *kept = malloc(sizeof *kept);

	if (kept)
		*kept = *task;
	else
		gshmemi_error("rpc: %s: %s: a pending call: out of memory", task->served->name,
			task->function->name);
	return kept;
}

struct gshmemi_rpc_task *gshmemi_rpc_serve_slot(struct gshmemi_rpc_served *served, uint32_t slot)
{
	struct gshmemi_rpc_task task, *kept;
	uint64_t lanes;
	int rc;

	if (!gshmemi_rpc_take(&served->channel, slot, &task.seq))
		return NULL;
	task.next = NULL;
	task.served = served;
	task.slot = slot;
	task.failed = 0;
	task.error = 0;
	task.has_begun = false;
	task.value = 0;
	read_header(&task);
	task.left = task.header.lanes;
	task.function = gshmemi_rpc_find(task.header.id);
	rc = check_call(&task);
	if (rc) {
		refuse(&task, rc);
		return NULL;
	}
	task.state[0] = NULL;
	for (lanes = task.left; lanes; lanes &= lanes - 1)
		task.state[__builtin_ctzll(lanes)] = NULL;
	if (!(task.function->flags & GSHMEMX_RPC_BLOCKING))
		run_call(&task);
	if (!task.left)
		return NULL;
	kept = keep(&task);
	if (!kept)
		refuse(&task, -ENOMEM);
	else if (task.function->flags & GSHMEMX_RPC_BLOCKING)
		gshmemi_rpc_workers_add(kept);
	return task.function->flags & GSHMEMX_RPC_BLOCKING ? NULL : kept;
}
