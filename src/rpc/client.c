/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of CPU threads, over a channel of their own, and the exported functions of the API. */
#include "rpc/rpc.h"

#include <string.h>

/* Returns 0 if this thread may wait for a call. */
static int check_thread(const char *call)
{
	int rc = gshmemi_enter_int(call);

	if (!rc && gshmemi_is_serving()) {
		gshmemi_error("%s called from a function that serves a call: it would wait for itself", call);
		rc = -EDEADLK;
	}
	return rc;
}

/* Where this thread starts to look for a slot; threads start at different ones. */
static uint32_t home(void)
{
	static atomic_uint nthreads;
	static _Thread_local uint32_t mine = GSHMEMI_RPC_NO_SLOT;

	if (mine == GSHMEMI_RPC_NO_SLOT)
		mine = atomic_fetch_add(&nthreads, 1) % GSHMEMI_RPC_GROUP;
	return mine;
}

int gshmemi_host_rpc_words(uint32_t id, const uint64_t *in, unsigned nwords, uint64_t *out,
	gshmemx_rpc_ticket_t *ticket_p, const char *call)
{
	const struct gshmemi_rpc_channel *c = &gshmemi_rpc_threads.channel;
	struct gshmemi_rpc_result result = {0, check_thread(call)};

	if (!result.status && nwords == 6)
		result = gshmemi_rpc_words(c, id, ticket_p != NULL, 6, in, NULL, home(), call);
	else if (!result.status)
		result = gshmemi_rpc_words(c, id, ticket_p != NULL, GSHMEMI_RPC_LINE, in, out, home(), call);
	if (ticket_p) {
		ticket_p->slot = result.status ? GSHMEMI_RPC_NO_SLOT : (uint32_t)result.value;
		ticket_p->seq = result.status ? (uint32_t)result.status : (uint32_t)(result.value >> 32);
	} else if (nwords == 6 && out && !result.status) {
		*out = result.value;
	}
	return result.status;
}

static int is_over(uint32_t slot, uint32_t seq)
{
	if (slot >= gshmemi_rpc_threads.channel.nslots)
		return 1;
	if (!gshmemi_rpc_has_passed(&gshmemi_rpc_threads.channel, slot, seq))
		return 0;
	gshmemi_arch_fence_acquire();
	GSHMEMI_RACE_ACQUIRE_MARK(&gshmemi_rpc_threads.channel.answer[slot]);
	return 1;
}

int gshmemi_host_rpc_wait(uint32_t slot, uint32_t seq, int waits)
{
	int rc;

	if (!waits)
		return is_over(slot, seq);
	rc = check_thread("gshmemx_rpc_wait");
	return rc ? rc : gshmemi_rpc_finish(&gshmemi_rpc_threads.channel, slot, seq, "gshmemx_rpc_wait");
}

int gshmemi_host_rpc_stream(uint32_t id, const void *in, size_t in_nbytes, void *out, size_t out_nbytes,
	size_t *got_nbytes, const char *call)
{
	const struct gshmemi_rpc_ends ends = {in, in_nbytes, out, out_nbytes};
	struct gshmemi_rpc_result result = {0, check_thread(call)};

	if (!result.status)
		result = gshmemi_rpc_stream(
			&gshmemi_rpc_threads.channel, GSHMEMI_THREAD, id, ends, home(), call);
	if (got_nbytes)
		*got_nbytes = (size_t)result.value;
	return result.status;
}

/* ---- the API ---- */

int gshmemx_rpc_call(uint32_t id, const uint64_t in[6], uint64_t *out)
{
	return gshmemi_host_rpc_words(id, in, 6, out, NULL, "gshmemx_rpc_call");
}

int gshmemx_rpc_call_line(uint32_t id, const uint64_t in[8], uint64_t out[8])
{
	return gshmemi_host_rpc_words(id, in, 8, out, NULL, "gshmemx_rpc_call_line");
}

gshmemx_rpc_ticket_t gshmemx_rpc_post(uint32_t id, const uint64_t in[6])
{
	gshmemx_rpc_ticket_t ticket;

	(void)gshmemi_host_rpc_words(id, in, 6, NULL, &ticket, "gshmemx_rpc_post");
	return ticket;
}

gshmemx_rpc_ticket_t gshmemx_rpc_post_line(uint32_t id, const uint64_t in[8])
{
	gshmemx_rpc_ticket_t ticket;
	uint64_t out[8];

	(void)gshmemi_host_rpc_words(id, in, 8, out, &ticket, "gshmemx_rpc_post_line");
	return ticket;
}

int gshmemx_rpc_test(gshmemx_rpc_ticket_t ticket)
{
	return gshmemi_host_rpc_wait(ticket.slot, ticket.seq, 0);
}

int gshmemx_rpc_wait(gshmemx_rpc_ticket_t ticket)
{
	if (ticket.slot == GSHMEMI_RPC_NO_SLOT)
		return (int)ticket.seq;
	return gshmemi_host_rpc_wait(ticket.slot, ticket.seq, 1);
}

int gshmemx_rpc_stream(
	uint32_t id, const void *in, size_t in_nbytes, void *out, size_t out_nbytes, size_t *got_nbytes)
{
	return gshmemi_host_rpc_stream(id, in, in_nbytes, out, out_nbytes, got_nbytes, "gshmemx_rpc_stream");
}

void gshmemx_abort(int status)
{
	gshmemi_host_rpc_abort(status);
}

void gshmemx_trace(uint32_t mark, uint64_t value)
{
	gshmemi_host_rpc_trace(mark, value);
}
