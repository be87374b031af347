/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own operations, except those that print: quiet, blocks of the arena, abort, trace. */
#include "rpc/rpc.h"

#include <gshmem/rpc/net.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "bootstrap/bootstrap.h"
#include "net/net.h"
#include "trace/trace.h"

/* ---- quiet ---- */

struct gshmemi_rpc_open_posts *gshmemi_rpc_find_open(const struct gshmemi_rpc_channel *c, uint32_t id)
{
	struct gshmemi_rpc_open_posts *found = malloc(sizeof *found + c->nslots * sizeof *found->posts);
	uint32_t slot, seq;

	if (!found)
		return NULL;
	found->nposts = 0;
	for (slot = 0; slot < c->nslots; slot++) {
		if (gshmemi_rpc_is_open_post(c, slot, &seq) &&
			(!id || gshmemi_arch_load(&c->header[slot].id, 4) == id)) {
			found->posts[found->nposts].slot = slot;
			found->posts[found->nposts++].seq = seq;
		}
	}
	return found;
}

bool gshmemi_rpc_have_passed(const struct gshmemi_rpc_channel *c, struct gshmemi_rpc_open_posts *open)
{
	while (open->nposts &&
		gshmemi_rpc_has_passed(
			c, open->posts[open->nposts - 1].slot, open->posts[open->nposts - 1].seq))
		open->nposts--;
	return open->nposts == 0;
}

static uint64_t count_completed(struct gshmemi_rpc_served *served)
{
	return atomic_load(&served->completed[0]) + atomic_load(&served->completed[1]);
}

/*
 * Looks at all slots after the quiet was taken, so that it misses no call that the same wave posted before.
 */
static int quiet(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	const struct gshmemi_rpc_channel *c = &task->served->channel;

	if (!call->state) {
		call->state = gshmemi_rpc_find_open(c, 0);
		if (!call->state) {
			gshmemi_error("rpc: gshmem_quiet: out of memory");
			return -ENOMEM;
		}
	}
	if (call->state && !gshmemi_rpc_have_passed(c, call->state))
		return GSHMEMX_RPC_PENDING;
	free(call->state);
	call->state = NULL;
	call->out[0] = count_completed(task->served);
	return GSHMEMX_RPC_DONE;
}

/* Warns which function the host is waiting for: the first that has not ended. */
static void report_wait(const struct gshmemi_rpc_served *served, const struct gshmemi_rpc_open_posts *open,
	uint64_t waited_ns, const char *call)
{
	const struct gshmemi_rpc_channel *c = &served->channel;
	const struct gshmemi_rpc_function *function;
	unsigned i, nmore = 0;
	uint32_t id = 0;

	for (i = 0; i < open->nposts; i++) {
		if (gshmemi_rpc_has_passed(c, open->posts[i].slot, open->posts[i].seq))
			continue;
		if (!id)
			id = (uint32_t)gshmemi_arch_load(&c->header[open->posts[i].slot].id, 4);
		else
			nmore++;
	}
	if (!id) /* all have just ended */
		return;
	function = gshmemi_rpc_find(id);
	gshmemi_warn("%s has waited %.1f s for %s (operation %#x), posted by %s, and for %u more calls "
		     "(GSHMEM_WATCHDOG)",
		call, (double)waited_ns * 1e-9, function ? function->name : "a call without a function", id,
		served->name, nmore);
}

/* Like gshmemi_wait_long, which it calls to notice the end of the job; but the warning is printed here. */
static uint64_t wait_long(const struct gshmemi_rpc_served *served, const struct gshmemi_rpc_open_posts *open,
	uint64_t started_ns, const char *call)
{
	const uint64_t now_ns = gshmemi_arch_clock_ns();

	if (!started_ns)
		started_ns = now_ns & ~1ULL;
	(void)gshmemi_wait_long(0, started_ns | 1, &served->channel.answer[open->posts[0].slot].low, 4, 0,
		GSHMEM_CMP_EQ, open->posts[0].seq, -1, call);
	if (started_ns & 1 || !gshmemi_state.watchdog_ns || now_ns - started_ns < gshmemi_state.watchdog_ns)
		return started_ns;
	report_wait(served, open, now_ns - started_ns, call);
	return started_ns | 1;
}

/*
 * Waits for the calls of a channel that have been posted by now. The host has seen the end of the kernels
 * that posted them.
 */
static void complete_channel(struct gshmemi_rpc_served *served, const char *call)
{
	const struct gshmemi_rpc_channel *c = &served->channel;
	struct gshmemi_rpc_open_posts *open;
	uint64_t started_ns = 0;
	unsigned polls = 0;

	/* Each post is counted before it is made. The CPU cannot reach the count of a GPU's kernels. */
	if ((GSHMEMI_ARCH_HOST_DIRECT || served != &gshmemi_rpc_kernels) &&
		gshmemi_arch_load(&c->posts->posted, 8) == count_completed(served))
		return;
	open = gshmemi_rpc_find_open(c, 0);
	if (!open) {
		gshmemi_error("%s: out of memory", call);
		gshmemi_end(1);
	}
	gshmemi_rpc_wake();
	while (!gshmemi_rpc_have_passed(c, open)) {
		gshmemi_arch_pause(&polls);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			started_ns = wait_long(served, open, started_ns, call);
	}
	free(open);
}

void gshmemi_rpc_host_complete(const char *call)
{
	if (!(gshmemi_state.why & GSHMEMI_WHY_POSTS) || gshmemi_is_serving())
		return;
	complete_channel(&gshmemi_rpc_threads, call);
	complete_channel(&gshmemi_rpc_kernels, call);
	GSHMEMI_RACE_ACQUIRE_MARK(gshmemi_rpc_threads.channel.posts);
	GSHMEMI_RACE_ACQUIRE_MARK(gshmemi_rpc_kernels.channel.posts);
}

/* ---- the arena ---- */

#define NBLOCKS 64

static char *arena;
static uint64_t taken; /* bit i: block i is taken */
static pthread_mutex_t arena_lock = PTHREAD_MUTEX_INITIALIZER;

size_t gshmemi_rpc_arena_nbytes(void)
{
	return (size_t)NBLOCKS * GSHMEMI_RPC_BLOCK_NBYTES;
}

static int take_block(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	unsigned i;

	(void)task;
	pthread_mutex_lock(&arena_lock);
	i = ~taken ? (unsigned)__builtin_ctzll(~taken) : NBLOCKS;
	if (arena && i < NBLOCKS) {
		taken |= 1ULL << i;
		call->out[0] = (uint64_t)(uintptr_t)(arena + (size_t)i * GSHMEMI_RPC_BLOCK_NBYTES);
	}
	pthread_mutex_unlock(&arena_lock);
	return GSHMEMX_RPC_DONE;
}

static int give_block(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	const size_t offset = (size_t)((uintptr_t)call->in[0] - (uintptr_t)arena);

	(void)task;
	if (offset >= (size_t)NBLOCKS * GSHMEMI_RPC_BLOCK_NBYTES)
		return -EINVAL;
	pthread_mutex_lock(&arena_lock);
	taken &= ~(1ULL << offset / GSHMEMI_RPC_BLOCK_NBYTES);
	pthread_mutex_unlock(&arena_lock);
	return GSHMEMX_RPC_DONE;
}

/* ---- abort ---- */

void gshmemi_rpc_end_job(int status, const char *format, ...)
{
	static atomic_bool is_ending;
	char text[2048];
	va_list args;

	if (atomic_exchange(&is_ending, true))
		for (;;)
			pause(); /* another thread prints the message */
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	gshmemi_error("%s: the job ends", text);
	gshmemi_end(status);
}

static int abort_job(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	const int status = (int)(int64_t)call->in[0];

	(void)task;
	gshmemi_rpc_end_job(status,
		"kernel, block %" PRIu64 ", " GSHMEMI_ARCH_THREAD_WORD " %" PRIu64 ": gshmemx_abort(%d)",
		call->in[1], call->in[2], status);
}

void gshmemi_host_rpc_abort(int status)
{
	GSHMEMI_ENTER("gshmemx_abort");
	gshmemi_rpc_end_job(status, "host: gshmemx_abort(%d)", status);
}

/* ---- trace ---- */

static FILE *trace_file;
static char trace_path[4096];
static char **trace_names;
static unsigned trace_nnames;
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;

static void write_mark(uint32_t mark, uint64_t value, uint64_t ns, uint64_t block, int64_t thread)
{
	char name[32];

	snprintf(name, sizeof name, "mark %" PRIu32, mark);
	pthread_mutex_lock(&trace_lock);
	gshmemi_trace_mark(mark < trace_nnames && trace_names[mark] ? trace_names[mark] : name, value, ns,
		block, thread);
	if (trace_file) {
		fprintf(trace_file, "%" PRIu64 "\t%d\t%" PRIu64 "\t%" PRId64 "\t", ns, gshmemi_state.my_pe,
			block, thread);
		if (mark < trace_nnames && trace_names[mark])
			fprintf(trace_file, "%s\t%" PRIu64 "\n", trace_names[mark], value);
		else
			fprintf(trace_file, "%" PRIu32 "\t%" PRIu64 "\n", mark, value);
	}
	pthread_mutex_unlock(&trace_lock);
}

static int trace(struct gshmemi_rpc_task *task, gshmemx_rpc_call_t *call)
{
	(void)task;
	write_mark((uint32_t)call->in[0], call->in[1], call->in[2], call->in[3], (int64_t)call->in[4]);
	return GSHMEMX_RPC_DONE;
}

void gshmemi_host_rpc_trace(uint32_t mark, uint64_t value)
{
	GSHMEMI_ENTER("gshmemx_trace");
	if (trace_file)
		write_mark(mark, value, gshmemi_arch_clock_ns(), 0, -1);
}

/* Called with the lock held. */
static int set_name(uint32_t mark, char *name)
{
	char **names;
	unsigned i;

	if (mark >= trace_nnames) {
		names = realloc(trace_names, (mark + 1) * sizeof *names);
		if (!names)
			return -ENOMEM;
		for (i = trace_nnames; i <= mark; i++)
			names[i] = NULL;
		trace_names = names;
		trace_nnames = mark + 1;
	}
	free(trace_names[mark]);
	trace_names[mark] = name;
	return 0;
}

int gshmemx_trace_name(uint32_t mark, const char *name)
{
	int rc = gshmemi_enter_int("gshmemx_trace_name");
	char *copy;

	if (rc)
		return rc;
	if (mark > 0xffff || !name || strpbrk(name, "\t\n")) {
		gshmemi_error("gshmemx_trace_name: mark %" PRIu32
			      ": only marks 0 to 65535 have names, and names have no tab or newline",
			mark);
		return -EINVAL;
	}
	copy = strdup(name);
	pthread_mutex_lock(&trace_lock);
	rc = copy ? set_name(mark, copy) : -ENOMEM;
	pthread_mutex_unlock(&trace_lock);
	if (rc) {
		free(copy);
		gshmemi_error("gshmemx_trace_name: out of memory");
	}
	return rc;
}

static int open_trace(void)
{
	char what[4096];

	if (!gshmemi_env.TRACE)
		return 0;
	snprintf(trace_path, sizeof trace_path, "%s.%d", gshmemi_env.TRACE, gshmemi_bootstrap_rank());
	snprintf(what, sizeof what, "GSHMEM_TRACE=%s: ", gshmemi_env.TRACE);
	trace_file = gshmemi_file_write(what, trace_path);
	if (!trace_file)
		return -errno;
	fprintf(trace_file, "# clock_ns\tpe\tblock\t" GSHMEMI_ARCH_THREAD_WORD "\tmark\tvalue\n");
	return 0;
}

static void close_trace(void)
{
	unsigned i;

	if (trace_file && gshmemi_file_close(trace_file, "GSHMEM_TRACE: ", trace_path))
		gshmemi_end_spoil();
	trace_file = NULL;
	for (i = 0; i < trace_nnames; i++)
		free(trace_names[i]);
	free(trace_names);
	trace_names = NULL;
	trace_nnames = 0;
}

/* ---- the table ---- */

static const struct gshmemi_rpc_function table[] = {
	[GSHMEMI_RPC_QUIET - GSHMEMI_RPC_QUIET] = {NULL, quiet, NULL, 0, "gshmem_quiet"},
	[GSHMEMI_RPC_BLOCK - GSHMEMI_RPC_QUIET] = {NULL, take_block, NULL, 0, "block of the arena"},
	[GSHMEMI_RPC_UNBLOCK -
		GSHMEMI_RPC_QUIET] = {NULL, give_block, NULL, 0, "end of a block of the arena"},
	[GSHMEMI_RPC_ABORT - GSHMEMI_RPC_QUIET] = {NULL, abort_job, NULL, 0, "gshmemx_abort"},
	[GSHMEMI_RPC_TRACE - GSHMEMI_RPC_QUIET] = {NULL, trace, NULL, 0, "gshmemx_trace"},
	[GSHMEMI_RPC_PRINT -
		GSHMEMI_RPC_QUIET] = {NULL, gshmemi_rpc_print, NULL, GSHMEMX_RPC_STREAM, "gshmemx_printf"},
	[GSHMEMI_RPC_ASSERT -
		GSHMEMI_RPC_QUIET] = {NULL, gshmemi_rpc_assert, NULL, GSHMEMX_RPC_STREAM, "gshmemx_assert"},
};

static const struct gshmemi_rpc_function carrying[] = {
	[GSHMEMI_RPC_CARRY - GSHMEMI_RPC_CARRY] = {NULL, gshmemi_rpc_carry, NULL, GSHMEMX_RPC_WAVE,
		GSHMEMI_NET_CALL},
	[GSHMEMI_RPC_ORDER - GSHMEMI_RPC_CARRY] = {NULL, gshmemi_rpc_carry_order, NULL, 0, "gshmem_fence"},
	[GSHMEMI_RPC_COMPLETE -
		GSHMEMI_RPC_CARRY] = {NULL, gshmemi_rpc_carry_complete, NULL, 0, "gshmem_quiet"},
};

const struct gshmemi_rpc_function *gshmemi_rpc_find_library(uint32_t id)
{
	uint32_t i = id - GSHMEMI_RPC_QUIET;

	if (i < sizeof table / sizeof *table)
		return &table[i];
	i = id - GSHMEMI_RPC_CARRY;
	return i < sizeof carrying / sizeof *carrying && gshmemi_net_is_running() ? &carrying[i] : NULL;
}

int gshmemi_rpc_library_open(void)
{
	void *ptr;
	int rc;

	rc = open_trace();
	if (rc)
		return rc;
	rc = gshmemi_hip(hipHostMalloc(&ptr, gshmemi_rpc_arena_nbytes(),
				 hipHostMallocMapped | hipHostMallocPortable | hipHostMallocCoherent),
		"rpc: hipHostMalloc of %zu bytes for the arena", gshmemi_rpc_arena_nbytes());
	if (!rc)
		arena = ptr;
	taken = 0;
	return rc;
}

void gshmemi_rpc_library_close(void)
{
	gshmemi_host_free(arena);
	arena = NULL;
	close_trace();
}
