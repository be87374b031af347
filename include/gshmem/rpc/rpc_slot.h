/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The protocol of a slot: what a client and a server do with the words of rpc_channel.h, and nothing else.
 * Either side may be a kernel or the CPU. tests/rpc_explore.hip runs this file under every schedule.
 *
 *   client   open    lock a slot that is free, or whose posted call has been answered
 *            (fill the page, write the header)
 *            post    store the one word that the server polls
 *            await   wait for the answer, unless the call is posted
 *            (use the page)
 *            close   unlock
 *   server   take    take a slot whose request is new
 *            (read header and page, write the page)
 *            give    answer: give the slot back
 *
 * Why it cannot deadlock: a wave that holds a slot waits for nobody but the server, and with a slot for each
 * wave that can be in a call, some slot is always free or in the server's hands. So nobody opens a second
 * slot between open and close.
 *
 * Sources: hostrpc's four bits per slot (jonchesterfield/hostrpc), LLVM libc's rpc.h for words in place of
 * bits; sequence numbers, and one word for lock and bit, are this library's.
 */
#ifndef GSHMEM_RPC_SLOT_H
#define GSHMEM_RPC_SLOT_H

#include <errno.h>
#include <gshmem/wait/poll.h>

/* How a lane reads and writes the page: tests define these to follow it. */
#ifndef gshmemi_rpc_read_word
#define gshmemi_rpc_read_word(address)         (*(address))
#define gshmemi_rpc_write_word(address, value) ((void)(*(address) = (value)))
#endif

GSHMEMI_FN unsigned gshmemi_rpc_nlanes(const struct gshmemi_rpc_channel *c)
{
	return 1U << c->lane_shift;
}

/* A slot's page: a line for each lane. */
GSHMEMI_FN uint64_t *gshmemi_rpc_page(const struct gshmemi_rpc_channel *c, uint32_t slot)
{
	return c->page + ((uint64_t)slot * GSHMEMI_RPC_LINE << c->lane_shift);
}

GSHMEMI_FN size_t gshmemi_rpc_page_nbytes(const struct gshmemi_rpc_channel *c)
{
	return (size_t)64 << c->lane_shift;
}

/* The number of steps from one sequence number to another. */
GSHMEMI_FN uint32_t gshmemi_rpc_steps(uint32_t from, uint32_t to)
{
	return (to - from) & GSHMEMI_RPC_SEQ;
}

/* ---- client ---- */

GSHMEMI_FN int gshmemi_rpc_is_answered(const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t seq)
{
	const struct gshmemi_rpc_answer *answer = &c->answer[slot];
	const uint64_t low = gshmemi_arch_load(&answer->low, 8), high = gshmemi_arch_load(&answer->high, 8);

	return (((uint32_t)low ^ seq) & GSHMEMI_RPC_SEQ) == 0 &&
		(((uint32_t)high ^ seq) & GSHMEMI_RPC_SEQ) == 0;
}

/*
 * Lock this slot. Returns 0 if another client or the server has it. *seq_p receives the number of
 * its last step.
 *
 * No fence is needed: the last owner read the page before it unlocked, the server before it answered, and our
 * stores depend on having seen both by a branch, over which no GPU speculates stores.
 */
GSHMEMI_FN int gshmemi_rpc_lock(const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t *seq_p)
{
	const uint32_t old = gshmemi_arch_amo32(GSHMEMI_AMO_OR, &c->client[slot], GSHMEMI_RPC_LOCK, 0);

	*seq_p = old & GSHMEMI_RPC_SEQ;
	if (old & GSHMEMI_RPC_LOCK)
		return 0;
	if (!(old & GSHMEMI_RPC_PENDING) || gshmemi_rpc_is_answered(c, slot, old))
		return 1;
	gshmemi_arch_store(&c->client[slot], old, 4); /* the server has the slot: unlock */
	return 0;
}

/*
 * Lock a slot, searching from home on. *seq_p receives the number of its last step. If the first slot is
 * free, this takes one atomic on the client's own memory. Returns GSHMEMI_RPC_NO_SLOT if the channel is dead.
 */
GSHMEMI_FN uint32_t gshmemi_rpc_open(const struct gshmemi_rpc_channel *c, uint32_t home, uint32_t *seq_p)
{
	uint32_t slot = home;
	unsigned polls = 0;

	/* the server's caches have both lines: fetch them while this thread locks */
	gshmemi_arch_claim(&c->header[slot]);
	gshmemi_arch_claim(&c->request[slot]);
	while (!gshmemi_rpc_lock(c, slot, seq_p)) {
		slot = slot + 1 < c->nslots ? slot + 1 : 0;
		if (slot == home) {
			gshmemi_attend();
			gshmemi_arch_pause(&polls);
			if (gshmemi_arch_load(c->poison, 4))
				return GSHMEMI_RPC_NO_SLOT;
		}
	}
	return slot;
}

GSHMEMI_FN void gshmemi_rpc_write_header(
	const struct gshmemi_rpc_channel *c, uint32_t slot, uint64_t lanes, uint32_t id, uint32_t flags)
{
	struct gshmemi_rpc_header *header = &c->header[slot];

	gshmemi_arch_store(&header->lanes, lanes, 8);
	gshmemi_arch_store(&header->id, id, 4);
	gshmemi_arch_store(&header->flags, flags, 4);
}

/*
 * Wake a sleeping server, on platforms where the client can. Either the server must see the request, or this
 * thread must see that it sleeps. The server calls membarrier between its store to asleep and its last look
 * at the requests, which is a fence in this thread, too, so this thread needs none of its own.
 */
GSHMEMI_FN void gshmemi_rpc_wake_server(const struct gshmemi_rpc_channel *c)
{
#if GSHMEMI_ARCH_KERNELS_WAKE || !GSHMEMI_DEVICE_PASS
	if (!(c->flags & GSHMEMI_RPC_WAKES))
		return;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (gshmemi_arch_load(c->asleep, 4))
		gshmemi_host_rpc_wake(c->asleep);
#else
	(void)c;
#endif
}

/*
 * Hand the slot to the server. Release: pairs with the acquire in gshmemi_rpc_take. The bell is a
 * hint and unordered.
 */
GSHMEMI_FN void gshmemi_rpc_post(const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t seq)
{
	GSHMEMI_RACE_RELEASE(&c->request[slot]);
	gshmemi_arch_fence_release();
	gshmemi_arch_store(&c->request[slot], seq, 4);
	if (c->bell)
		gshmemi_arch_store(&c->bell[slot / GSHMEMI_RPC_GROUP], 1, 4);
	gshmemi_rpc_wake_server(c);
}

/*
 * Wait for the answer to step seq. Returns its enum gshmemi_rpc_status, with the value in *value_p, or
 * -ECANCELED if the channel is dead. The caller acquires before it reads the page or what the handler wrote
 * elsewhere.
 */
GSHMEMI_FN int gshmemi_rpc_await(
	const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t seq, uint64_t *value_p, const char *call)
{
	const struct gshmemi_rpc_answer *answer = &c->answer[slot];
	uint64_t low, high, started_ns = 0;
	unsigned polls = 0;

	for (;;) {
		low = gshmemi_arch_load(&answer->low, 8);
		high = gshmemi_arch_load(&answer->high, 8);
		if (((((uint32_t)low ^ seq) | ((uint32_t)high ^ seq)) & GSHMEMI_RPC_SEQ) == 0)
			break;
		gshmemi_arch_pause(&polls);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0) {
			if (gshmemi_arch_load(c->poison, 4))
				return -ECANCELED;
			started_ns = gshmemi_wait_long(polls, started_ns, &answer->low, 4,
				(uint32_t)low & GSHMEMI_RPC_SEQ, GSHMEM_CMP_EQ, seq, -1, call);
		}
	}
	GSHMEMI_RACE_ACQUIRE_MARK(answer);
	*value_p = low >> 32 | (high >> 32 << 32);
	return (int)((uint32_t)low >> 30);
}

/* Unlock. pending: the call was posted, and the server has the slot until it answers. */
GSHMEMI_FN void gshmemi_rpc_close(
	const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t seq, int pending)
{
	gshmemi_arch_store(&c->client[slot], seq | (pending ? GSHMEMI_RPC_PENDING : 0), 4);
}

/* ---- server ---- */

GSHMEMI_FN int gshmemi_rpc_is_posted(const struct gshmemi_rpc_channel *c, uint32_t slot)
{
	return gshmemi_arch_load(&c->request[slot], 4) != gshmemi_arch_load(&c->server[slot], 4);
}

/*
 * Take what the client has posted. *seq_p receives the step's number. Returns how many steps it is after the
 * last one: 1, or 2 for a posted call of a channel with GSHMEMI_RPC_CLEAR; 0 if nothing is new, or another
 * server was first. Acquire: pairs with the release in gshmemi_rpc_post.
 */
GSHMEMI_FN uint32_t gshmemi_rpc_take(const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t *seq_p)
{
	const uint32_t last = (uint32_t)gshmemi_arch_load(&c->server[slot], 4);
	const uint32_t seq = (uint32_t)gshmemi_arch_load(&c->request[slot], 4),
		       nsteps = gshmemi_rpc_steps(last, seq);

	if (nsteps - 1 > 1) /* with several servers it may also be older than the last request taken */
		return 0;
	if (!(c->flags & GSHMEMI_RPC_SHARED))
		gshmemi_arch_store(&c->server[slot], seq, 4);
	else if (gshmemi_arch_amo32(GSHMEMI_AMO_CAS, &c->server[slot], seq, last) != last)
		return 0;
	gshmemi_arch_claim(&c->answer[slot]);
	gshmemi_arch_fence_acquire();
	GSHMEMI_RACE_ACQUIRE_MARK(&c->request[slot]);
	*seq_p = seq;
	return nsteps;
}

/* Give the slot back. Release: pairs with the acquire after gshmemi_rpc_await. */
GSHMEMI_FN void gshmemi_rpc_give(
	const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t seq, int status, uint64_t value)
{
	struct gshmemi_rpc_answer *answer = &c->answer[slot];
	const uint32_t tag = seq | (uint32_t)status << 30;

	GSHMEMI_RACE_RELEASE(answer);
	gshmemi_arch_fence_release();
	gshmemi_arch_store(&answer->high, (value >> 32 << 32) | tag, 8);
	gshmemi_arch_store(&answer->low, value << 32 | tag, 8);
}

/*
 * Whether a group of slots may hold new requests, by its bell. The server clears the bell before it reads
 * the requests, never after. A bell may arrive before its request, so the server also reads all requests
 * now and then.
 */
GSHMEMI_FN int gshmemi_rpc_take_bell(const struct gshmemi_rpc_channel *c, uint32_t group)
{
	if (!gshmemi_arch_load(&c->bell[group], 4))
		return 0;
	gshmemi_arch_store(&c->bell[group], 0, 4);
	gshmemi_arch_fence_system();
	return 1;
}

/*
 * Whether a slot holds a posted call that has not been answered, which quiet must wait for; its number goes
 * to *seq_p. Ask this after the quiet itself was taken: then the requests hold what its wave posted before.
 * Header and answer may change while they are read here, but only if the call has been answered; to wait for
 * it then does no harm.
 */
GSHMEMI_FN int gshmemi_rpc_is_open_post(const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t *seq_p)
{
	const uint32_t seq = (uint32_t)gshmemi_arch_load(&c->request[slot], 4);

	if (gshmemi_rpc_is_answered(c, slot, seq))
		return 0;
	gshmemi_arch_fence_acquire();
	*seq_p = seq;
	return (gshmemi_arch_load(&c->header[slot].flags, 4) & GSHMEMI_RPC_POSTED) != 0;
}

/*
 * Whether the call with this number, at most 2^29 steps old, has been answered, whatever the slot holds now.
 */
GSHMEMI_FN int gshmemi_rpc_has_passed(const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t seq)
{
	const uint32_t now = (uint32_t)gshmemi_arch_load(&c->answer[slot].low, 8);

	return gshmemi_rpc_steps(seq, now) < GSHMEMI_RPC_SEQ / 2;
}

#endif /* GSHMEM_RPC_SLOT_H */
