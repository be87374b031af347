/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls from kernels and CPU threads to the server: how the lanes of a wave make a call together, over the
 * protocol of rpc_slot.h; the functions of the API; and quiet, which completes posted calls.
 */
#ifndef GSHMEM_RPC_H
#define GSHMEM_RPC_H

#include <gshmem/rpc/rpc_slot.h>

/*
 * Operations of the library: class 'g'. From 0x67000100 on they are for operations on PEs that
 * are not mapped.
 */
enum gshmemi_rpc_ops {
	GSHMEMI_RPC_QUIET = 0x67000001, /* answer: how many posted calls of the client are complete */
	GSHMEMI_RPC_BLOCK,              /* answer: address of a block of the arena; 0: none is free */
	GSHMEMI_RPC_UNBLOCK,            /* arg 0: that address */
	GSHMEMI_RPC_ABORT,              /* arg 0: status; 1: block; 2: thread or lane */
	GSHMEMI_RPC_TRACE,              /* arg 0: mark; 1: value; 2: clock, ns; 3: block; 4: thread or lane */
	GSHMEMI_RPC_PRINT,              /* a stream: rpc_print.h */
	GSHMEMI_RPC_ASSERT,             /* likewise */
	GSHMEMI_RPC_CARRY = 0x67000100, /* rpc/net.h: each lane's operation on a PE that is not mapped */
	GSHMEMI_RPC_ORDER,              /* arg 0: context */
	GSHMEMI_RPC_COMPLETE            /* arg 0: context; answer: requests performed; 0: unknown */
};
/* the program's operations: class 'u', numbered as they are registered */
#define GSHMEMI_RPC_USER 0x75000000U

/* Bytes of a block of the arena; and the least bytes for which a stream asks for one. */
#define GSHMEMI_RPC_BLOCK_NBYTES 65536
#define GSHMEMI_RPC_BULK_NBYTES  16384

/* A function that stays out of line for its size: a call to the CPU costs a crossing of the bus anyway. */
#if GSHMEMI_KERNELS
#define GSHMEMI_CALL static __host__ __device__ __attribute__((noinline, unused))
#else
#define GSHMEMI_CALL static __attribute__((noinline, unused))
#endif

/* ---- the lanes that call together ---- */

/* A slot that some lanes of a wave hold, as one of them sees it. */
struct gshmemi_rpc_port {
	uint64_t lanes;
	uint64_t callers; /* lanes that the server sees: lanes, unless one lane works for its wave */
	uint32_t slot;
	uint32_t seq;  /* of the last step */
	int is_leader; /* the lowest lane: it alone touches the slot's words */
};

/* An answer. status is 0 or a negative errno. */
struct gshmemi_rpc_result {
	uint64_t value;
	int status;
};

/* A slot for each number: far apart for neighbouring numbers. */
GSHMEMI_FN uint32_t gshmemi_rpc_home_of(const struct gshmemi_rpc_channel *c, uint32_t number)
{
	return (uint32_t)((uint64_t)(number * 2654435769U) * c->nslots >> 32);
}

/* The slot at which a wave looks first. caller is gshmemi_arch_caller(). */
GSHMEMI_FN uint32_t gshmemi_rpc_home(const struct gshmemi_rpc_channel *c, uint64_t caller)
{
	return gshmemi_rpc_home_of(c, (uint32_t)gshmemi_arch_caller_block(caller));
}

/*
 * The slot at which a post looks first: another one each time, whose last call was most likely
 * answered long ago.
 */
GSHMEMI_FN uint32_t gshmemi_rpc_post_home(const struct gshmemi_rpc_channel *c, uint32_t home)
{
	uint32_t slot = home + ((uint32_t)gshmemi_arch_load(&c->posts->posted, 8) & (GSHMEMI_RPC_GROUP - 1));

	slot -= slot < c->nslots ? 0 : c->nslots;
	return slot < c->nslots ? slot : home;
}

/*
 * Take a slot for these lanes, which are here together. Returns 0 if the channel is dead. A post is counted
 * here, before the slot's lines are written, because locked instructions of x86 wait for writes. posts, a
 * constant: nobody waits for the answer.
 */
GSHMEMI_FN int gshmemi_rpc_enter_to(const struct gshmemi_rpc_channel *c, uint64_t lanes, int posts,
	uint32_t home, struct gshmemi_rpc_port *port)
{
	uint64_t where = 0;
	uint32_t seq = 0;

	port->lanes = port->callers = lanes;
	port->is_leader = gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0;
	if (port->is_leader) {
		where = gshmemi_rpc_open(c, posts ? gshmemi_rpc_post_home(c, home) : home, &seq);
		if (posts && (uint32_t)where != GSHMEMI_RPC_NO_SLOT)
			(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &c->posts->posted, 1, 0);
		where |= (uint64_t)seq << 32;
	}
	where = gshmemi_arch_broadcast(where, lanes);
	port->slot = (uint32_t)where;
	port->seq = (uint32_t)(where >> 32);
	return port->slot != GSHMEMI_RPC_NO_SLOT;
}

/* The same for a call that is waited for. */
GSHMEMI_FN int gshmemi_rpc_enter(
	const struct gshmemi_rpc_channel *c, uint64_t lanes, uint32_t home, struct gshmemi_rpc_port *port)
{
	return gshmemi_rpc_enter_to(c, lanes, 0, home, port);
}

GSHMEMI_FN int gshmemi_rpc_is_single(const struct gshmemi_rpc_port *port)
{
	return (port->lanes & (port->lanes - 1)) == 0;
}

/* Post the slot's next step when all lanes have written their data. nsteps is 2 where CLEAR skips a step. */
GSHMEMI_FN void gshmemi_rpc_send(const struct gshmemi_rpc_channel *c, struct gshmemi_rpc_port *port,
	uint32_t id, uint32_t flags, uint32_t nsteps)
{
	port->seq = (port->seq + nsteps) & GSHMEMI_RPC_SEQ;
	gshmemi_arch_group_sync(GSHMEMI_WAVE, port->lanes);
	if (!port->is_leader)
		return;
	gshmemi_rpc_write_header(c, port->slot, port->callers, id, flags);
	gshmemi_rpc_post(c, port->slot, port->seq);
}

/*
 * Wait for the answer to the step. Every lane gets it and sees what the server wrote.
 * status is gshmemi_rpc_await's.
 */
GSHMEMI_FN struct gshmemi_rpc_result gshmemi_rpc_receive(
	const struct gshmemi_rpc_channel *c, const struct gshmemi_rpc_port *port, const char *call)
{
	struct gshmemi_rpc_result result = {0, 0};

	if (port->is_leader)
		result.status = gshmemi_rpc_await(c, port->slot, port->seq, &result.value, call);
	result.status = (int)gshmemi_arch_broadcast((uint64_t)(int64_t)result.status, port->lanes);
	result.value = gshmemi_arch_broadcast(result.value, port->lanes);
	gshmemi_arch_group_sync(GSHMEMI_WAVE, port->lanes);
	gshmemi_arch_fence_acquire();
	return result;
}

/* Give the slot up when all lanes have read the page. */
GSHMEMI_FN void gshmemi_rpc_leave(
	const struct gshmemi_rpc_channel *c, const struct gshmemi_rpc_port *port, int pending)
{
	gshmemi_arch_group_sync(GSHMEMI_WAVE, port->lanes);
	if (!port->is_leader)
		return;
	if (!pending)
		gshmemi_arch_fence_reads();
	gshmemi_rpc_close(c, port->slot, port->seq, pending);
}

/* ---- calls with words ---- */

/*
 * One call by the lanes that are here with this id. nwords, 6 or 8, and posts are constants. in and out are
 * words of each lane; out may be NULL for 6. A post returns at once; its value is the ticket.
 */
GSHMEMI_FN struct gshmemi_rpc_result gshmemi_rpc_words(const struct gshmemi_rpc_channel *c, uint32_t id,
	int posts, unsigned nwords, const uint64_t *in, uint64_t *out, uint32_t home, const char *call)
{
	struct gshmemi_rpc_result result = {GSHMEMI_RPC_NO_SLOT, -ECANCELED};
	struct gshmemi_rpc_port port;
	const uint64_t *from;
	unsigned i, lane;
	int is_inline;

	if (!gshmemi_rpc_enter_to(c, gshmemi_arch_wave_peers(id), posts, home, &port))
		return result;
	is_inline = nwords == 6 && gshmemi_rpc_is_single(&port);
	lane = gshmemi_arch_lane() & (gshmemi_rpc_nlanes(c) - 1);
	if (is_inline)
		for (i = 0; i < 6; i++)
			gshmemi_arch_store(&c->header[port.slot].arg[i], in[i], 8);
	else
		for (i = 0; i < nwords; i++)
			gshmemi_rpc_write_word(
				gshmemi_rpc_page(c, port.slot) + lane * GSHMEMI_RPC_LINE + i, in[i]);
	gshmemi_rpc_send(
		c, &port, id, (posts ? GSHMEMI_RPC_POSTED : 0) | (is_inline ? GSHMEMI_RPC_INLINE : 0), 1);
	if (posts) {
		gshmemi_rpc_leave(c, &port, 1);
		result.value = port.slot | (uint64_t)port.seq << 32;
		result.status = 0;
		return result;
	}
	result = gshmemi_rpc_receive(c, &port, call);
	if (result.status < 0)
		return result;
	from = gshmemi_rpc_page(c, port.slot) + lane * GSHMEMI_RPC_LINE;
	if (result.status == GSHMEMI_RPC_LANES)
		result.status = c->status[((uint64_t)port.slot << c->lane_shift) + lane];
	else if (result.status == GSHMEMI_RPC_ERROR)
		result.status = (int)(int64_t)result.value;
	if (!is_inline && !result.status) {
		result.value = gshmemi_rpc_read_word(&from[0]);
		if (nwords == GSHMEMI_RPC_LINE)
			for (i = 0; i < nwords; i++)
				out[i] = gshmemi_rpc_read_word(&from[i]);
	}
	gshmemi_rpc_leave(c, &port, 0);
	return result;
}

/*
 * The same for each operation among the lanes that are here. All lanes run the loop equally often: compilers
 * move what a lane does in its last iteration to after the loop, where the lanes are together again.
 */
GSHMEMI_FN struct gshmemi_rpc_result gshmemi_rpc_words_by_id(const struct gshmemi_rpc_channel *c, uint32_t id,
	int posts, unsigned nwords, const uint64_t *in, uint64_t *out, uint32_t home, const char *call)
{
#if GSHMEMI_ARCH_KEEPS_KEYS_APART
	return gshmemi_rpc_words(c, id, posts, nwords, in, out, home, call);
#else
	struct gshmemi_rpc_result result = {0, 0};
	const uint64_t lanes = gshmemi_arch_wave_peers(id);
	uint64_t rest = lanes;
	uint32_t next;

	while (rest) {
		next = (uint32_t)gshmemi_arch_wave_read(id, lanes, gshmemi_arch_lowest_lane(rest));
		rest &= ~gshmemi_arch_ballot(id == next, lanes);
		if (id == next)
			result = gshmemi_rpc_words(c, next, posts, nwords, in, out, home, call);
	}
	return result;
#endif
}

/* ---- streams ---- */

/* The local ends of a stream, which the lanes of scope have passed. */
struct gshmemi_rpc_ends {
	const void *in;
	size_t in_nbytes;
	void *out;
	size_t out_nbytes; /* room in out */
};

/*
 * Make all steps of a stream, by the lanes that have entered. block: address of a block of the arena that
 * carries the steps; 0: the page does. Each step carries as much as the page or the
 * block holds; the server says when it wants no more. The value of the result is the number of bytes of the
 * reply.
 */
GSHMEMI_FN struct gshmemi_rpc_result gshmemi_rpc_stream_steps(const struct gshmemi_rpc_channel *c, int scope,
	uint32_t id, struct gshmemi_rpc_port *port, struct gshmemi_rpc_ends s, uint64_t block,
	const char *call)
{
	char *carrier = block ? (char *)(uintptr_t)block : (char *)gshmemi_rpc_page(c, port->slot);
	const size_t part = block ? GSHMEMI_RPC_BLOCK_NBYTES : gshmemi_rpc_page_nbytes(c);
	uint64_t *arg = c->header[port->slot].arg;
	struct gshmemi_rpc_result answer;
	size_t given = 0, got = 0, nbytes;

	do {
		nbytes = s.in_nbytes - given < part ? s.in_nbytes - given : part;
		if (nbytes)
			gshmemi_copy(scope, GSHMEMI_TO_PEER, carrier, (const char *)s.in + given, nbytes, 1);
		if (port->is_leader) {
			gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_NBYTES], nbytes, 8);
			gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_TOTAL], s.in_nbytes, 8);
			gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_OFFSET], given, 8);
			gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_CAPACITY], s.out_nbytes - got, 8);
			gshmemi_arch_store(&arg[GSHMEMI_RPC_STEP_BLOCK], block, 8);
		}
		given += nbytes;
		gshmemi_rpc_send(
			c, port, id, GSHMEMI_RPC_STREAM | (given == s.in_nbytes ? GSHMEMI_RPC_LAST : 0), 1);
		answer = gshmemi_rpc_receive(c, port, call);
		if (answer.status < 0 || answer.status == GSHMEMI_RPC_ERROR)
			break;
		if (answer.value)
			gshmemi_copy(scope, GSHMEMI_FROM_PEER, (char *)s.out + got, carrier,
				(size_t)answer.value, 1);
		got += (size_t)answer.value;
		if (answer.status == GSHMEMI_RPC_MORE)
			/* all have read what the next step overwrites */
			gshmemi_arch_group_sync(GSHMEMI_WAVE, port->lanes);
	} while (answer.status == GSHMEMI_RPC_MORE);
	if (answer.status == GSHMEMI_RPC_ERROR)
		answer.status = (int)(int64_t)answer.value;
	answer.value = got;
	return answer;
}

/* The lanes of a port of this scope; a thread's port has its own lane. */
GSHMEMI_FN uint64_t gshmemi_rpc_lanes(const struct gshmemi_group *group)
{
	return group->scope == GSHMEMI_WAVE ? group->mask : 1ULL << gshmemi_arch_lane();
}

/*
 * A stream by the lanes of scope, a constant: GSHMEMI_THREAD or GSHMEMI_WAVE. callers not 0: on behalf of
 * these lanes. Asks for a block before it opens a slot, because nobody may hold two slots; if no block is
 * free, the page carries the stream.
 */
GSHMEMI_FN struct gshmemi_rpc_result gshmemi_rpc_stream_for(const struct gshmemi_rpc_channel *c, int scope,
	uint64_t callers, uint32_t id, struct gshmemi_rpc_ends s, uint32_t home, const char *call)
{
	struct gshmemi_group group = gshmemi_group_here(scope, GSHMEMI_KEY(s.in, s.out) + id);
	struct gshmemi_rpc_result result = {0, -ECANCELED};
	const int is_bulk = s.in_nbytes >= GSHMEMI_RPC_BULK_NBYTES || s.out_nbytes >= GSHMEMI_RPC_BULK_NBYTES;
	uint64_t words[6] = {0, 0, 0, 0, 0, 0}, block = 0;
	struct gshmemi_rpc_port port;

	if (is_bulk && group.rank == 0)
		block = gshmemi_rpc_words(c, GSHMEMI_RPC_BLOCK, 0, 6, words, NULL, home, call).value;
	if (is_bulk && scope == GSHMEMI_WAVE)
		block = gshmemi_arch_broadcast(block, group.mask);
	if (gshmemi_rpc_enter(c, gshmemi_rpc_lanes(&group), home, &port)) {
		port.callers = callers ? callers : port.lanes;
		result = gshmemi_rpc_stream_steps(c, scope, id, &port, s, block, call);
		if (result.status != -ECANCELED)
			gshmemi_rpc_leave(c, &port, 0);
	}
	words[0] = block;
	if (block && group.rank == 0)
		(void)gshmemi_rpc_words(c, GSHMEMI_RPC_UNBLOCK, 1, 6, words, NULL, home, call);
	return result;
}

/*
 * The same. Where lanes take turns on a CPU, one alone copies as fast as all, and meeting takes
 * longer than copying.
 */
GSHMEMI_FN struct gshmemi_rpc_result gshmemi_rpc_stream(const struct gshmemi_rpc_channel *c, int scope,
	uint32_t id, struct gshmemi_rpc_ends s, uint32_t home, const char *call)
{
#if GSHMEMI_ARCH_HAS_ELECT
	struct gshmemi_rpc_result result = {0, 0};
	struct gshmemi_group group;
	uint64_t both; /* of value and status: an error is small, and no stream has 2^48 bytes */

	if (scope == GSHMEMI_WAVE) {
		group = gshmemi_group_here(GSHMEMI_WAVE, GSHMEMI_KEY(s.in, s.out) + id);
		if (group.rank == 0)
			result = gshmemi_rpc_stream_for(c, GSHMEMI_THREAD, group.mask, id, s, home, call);
		both = gshmemi_arch_broadcast(result.value << 16 | (uint16_t)-result.status, group.mask);
		result.value = both >> 16;
		result.status = -(int)(uint16_t)both;
		return result;
	}
#endif
	return gshmemi_rpc_stream_for(c, scope, 0, id, s, home, call);
}

/*
 * The same by each lane for itself, one after the other: if lanes of a wave held slots at the same time, the
 * wave could wait for itself.
 */
GSHMEMI_FN struct gshmemi_rpc_result gshmemi_rpc_stream_by_lane(const struct gshmemi_rpc_channel *c,
	uint32_t id, struct gshmemi_rpc_ends s, uint32_t home, const char *call)
{
#if GSHMEMI_ARCH_KEEPS_KEYS_APART
	return gshmemi_rpc_stream(c, GSHMEMI_THREAD, id, s, home, call);
#else
	struct gshmemi_rpc_result result = {0, 0};
	uint64_t rest;

	for (rest = gshmemi_arch_wave_peers(id); rest; rest &= rest - 1)
		if (gshmemi_arch_lane() == gshmemi_arch_lowest_lane(rest))
			result = gshmemi_rpc_stream(c, GSHMEMI_THREAD, id, s, home, call);
	return result;
#endif
}

/* ---- posted calls ---- */

/*
 * Complete the calls that this client has posted, for one lane. The server reports how many it has completed
 * in all. If that equals the number of posts, none was open at the report, so completed is read before
 * posted. Otherwise ask: the server looks at every slot after it has taken this call.
 */
GSHMEMI_FN void gshmemi_rpc_complete(const struct gshmemi_rpc_channel *c, uint32_t home, const char *call)
{
	struct gshmemi_rpc_posts *posts = c->posts;
	const uint64_t words[6] = {0, 0, 0, 0, 0, 0};
	struct gshmemi_rpc_result result;
	uint64_t known, found;

	known = gshmemi_arch_load(&posts->completed, 8);
	gshmemi_arch_fence_acquire(); /* pairs with the release of each post that completed counts */
	if (known == gshmemi_arch_load(&posts->posted, 8)) {
		GSHMEMI_RACE_ACQUIRE_MARK(posts);
		return;
	}
	result = gshmemi_rpc_words(c, GSHMEMI_RPC_QUIET, 0, 6, words, NULL, home, call);
	while (!result.status && known < result.value) {
		found = gshmemi_arch_amo64(GSHMEMI_AMO_CAS, &posts->completed, result.value, known);
		if (found == known)
			break;
		known = found;
	}
	GSHMEMI_RACE_ACQUIRE_MARK(posts);
}

/* The same for the lanes that are here: one asks for all of them. */
GSHMEMI_FN void gshmemi_rpc_complete_wave(
	const struct gshmemi_rpc_channel *c, uint32_t home, const char *call)
{
	const uint64_t lanes = gshmemi_arch_wave_peers(GSHMEMI_RPC_QUIET);

	/* the posts of the other lanes come before the leader's question */
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		gshmemi_rpc_complete(c, home, call);
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	gshmemi_arch_fence_acquire();
}

/*
 * Wait until the call of this ticket has been answered. Returns 0, or its error while the slot
 * still holds it.
 */
GSHMEMI_FN int gshmemi_rpc_finish(
	const struct gshmemi_rpc_channel *c, uint32_t slot, uint32_t seq, const char *call)
{
	uint64_t value = 0, low, started_ns = 0;
	unsigned polls = 0;
	int is_dead = 0;

	if (slot >= c->nslots)
		return -ECANCELED;
	while (!gshmemi_rpc_has_passed(c, slot, seq)) {
		gshmemi_arch_pause(&polls);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) != 0)
			continue;
		is_dead = gshmemi_arch_load(c->poison, 4) != 0;
		if (is_dead)
			break;
		started_ns = gshmemi_wait_long(
			polls, started_ns, &c->answer[slot].low, 4, 0, GSHMEM_CMP_GE, seq, -1, call);
	}
	low = gshmemi_arch_load(&c->answer[slot].low, 8);
	gshmemi_arch_fence_acquire();
	GSHMEMI_RACE_ACQUIRE_MARK(&c->answer[slot]);
	if (is_dead)
		return -ECANCELED;
	if (((uint32_t)low & GSHMEMI_RPC_SEQ) == seq && (uint32_t)low >> 30 == GSHMEMI_RPC_ERROR)
		value = low >> 32; /* the lower half of a negative errno */
	return (int)(uint32_t)value;
}

/* For fence and quiet, behind their test. */
#ifdef GSHMEMI_LIBRARY
void gshmemi_rpc_host_complete(const char *call);
/* hand over to the net what kernels have asked of PEs that are not mapped */
void gshmemi_rpc_host_hand_over(void);
#define gshmemi_rpc_complete_here(call, caller) ((void)(caller), gshmemi_rpc_host_complete(call))
#else
GSHMEMI_COLD void gshmemi_rpc_complete_here(const char *call, uint64_t caller)
{
	if (GSHMEMI_ARCH_HAS_POSTS() && gshmemi_state.why & GSHMEMI_WHY_POSTS)
		gshmemi_rpc_complete_wave(
			&gshmemi_state.rpc, gshmemi_rpc_home(&gshmemi_state.rpc, caller), call);
}
#endif

/* ---- the API in kernels ---- */

#if GSHMEMI_KERNELS

/* This PE's channel. A call before init ends the kernel. */
GSHMEMI_FN const struct gshmemi_rpc_channel *gshmemi_rpc_mine(const char *call, uint64_t caller)
{
	if (!gshmemi_state.rpc.nslots)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_INITIALIZED, -1, NULL, 0, 0, 0, call, caller);
	return &gshmemi_state.rpc;
}

GSHMEMI_CALL struct gshmemi_rpc_result gshmemi_rpc_words_here(uint32_t id, int posts, uint64_t w0,
	uint64_t w1, uint64_t w2, uint64_t w3, uint64_t w4, uint64_t w5, const char *call, uint64_t caller)
{
	const struct gshmemi_rpc_channel *c = gshmemi_rpc_mine(call, caller);
	const uint64_t in[6] = {w0, w1, w2, w3, w4, w5};

	if (posts)
		GSHMEMI_ARCH_MARK_POST();
	return gshmemi_rpc_words_by_id(c, id, posts, 6, in, NULL, gshmemi_rpc_home(c, caller), call);
}

GSHMEMI_CALL struct gshmemi_rpc_result gshmemi_rpc_line_here(
	uint32_t id, int posts, const uint64_t *in, uint64_t *out, const char *call, uint64_t caller)
{
	const struct gshmemi_rpc_channel *c = gshmemi_rpc_mine(call, caller);

	if (posts)
		GSHMEMI_ARCH_MARK_POST();
	return gshmemi_rpc_words_by_id(
		c, id, posts, GSHMEMI_RPC_LINE, in, out, gshmemi_rpc_home(c, caller), call);
}

GSHMEMI_CALL struct gshmemi_rpc_result gshmemi_rpc_stream_here(int scope, uint32_t id, const void *in,
	size_t in_nbytes, void *out, size_t out_nbytes, const char *call, uint64_t caller)
{
	const struct gshmemi_rpc_channel *c = gshmemi_rpc_mine(call, caller);
	const uint32_t home = gshmemi_rpc_home(c, caller);
	const struct gshmemi_rpc_ends s = {in, in_nbytes, out, out_nbytes};

	if (scope == GSHMEMI_WAVE)
		return gshmemi_rpc_stream(c, GSHMEMI_WAVE, id, s, home, call);
	return gshmemi_rpc_stream_by_lane(c, id, s, home, call);
}

GSHMEMI_CALL int gshmemi_rpc_finish_here(uint32_t slot, uint32_t seq, const char *call, uint64_t caller)
{
	return gshmemi_rpc_finish(gshmemi_rpc_mine(call, caller), slot, seq, call);
}

/* With GSHMEM_DIRECT_ONLY quiet tests nothing, so each posted call is waited for at once. */
#ifdef GSHMEM_DIRECT_ONLY
#define GSHMEMI_RPC_POSTS 0
#else
#define GSHMEMI_RPC_POSTS 1
#endif

GSHMEMI_FN gshmemx_rpc_ticket_t gshmemi_rpc_ticket(struct gshmemi_rpc_result result)
{
	gshmemx_rpc_ticket_t ticket = {GSHMEMI_RPC_NO_SLOT, (uint32_t)result.status};

	if (GSHMEMI_RPC_POSTS && !result.status) {
		ticket.slot = (uint32_t)result.value;
		ticket.seq = (uint32_t)(result.value >> 32);
	}
	return ticket;
}

GSHMEM_API int gshmemx_rpc_call(uint32_t id, const uint64_t in[6], uint64_t *out)
{
	struct gshmemi_rpc_result result;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_rpc_words(id, in, 6, out, NULL, "gshmemx_rpc_call");
	result = gshmemi_rpc_words_here(
		id, 0, in[0], in[1], in[2], in[3], in[4], in[5], "gshmemx_rpc_call", gshmemi_arch_caller());
	if (out && !result.status)
		*out = result.value;
	return result.status;
}

GSHMEM_API int gshmemx_rpc_call_line(uint32_t id, const uint64_t in[8], uint64_t out[8])
{
	if (GSHMEMI_ON_HOST())
		return gshmemi_host_rpc_words(id, in, 8, out, NULL, "gshmemx_rpc_call_line");
	return gshmemi_rpc_line_here(id, 0, in, out, "gshmemx_rpc_call_line", gshmemi_arch_caller()).status;
}

GSHMEM_API gshmemx_rpc_ticket_t gshmemx_rpc_post(uint32_t id, const uint64_t in[6])
{
	gshmemx_rpc_ticket_t ticket;

	if (GSHMEMI_ON_HOST()) {
		(void)gshmemi_host_rpc_words(id, in, 6, NULL, &ticket, "gshmemx_rpc_post");
		return ticket;
	}
	return gshmemi_rpc_ticket(gshmemi_rpc_words_here(id, GSHMEMI_RPC_POSTS, in[0], in[1], in[2], in[3],
		in[4], in[5], "gshmemx_rpc_post", gshmemi_arch_caller()));
}

GSHMEM_API gshmemx_rpc_ticket_t gshmemx_rpc_post_line(uint32_t id, const uint64_t in[8])
{
	gshmemx_rpc_ticket_t ticket;
	uint64_t out[8];

	if (GSHMEMI_ON_HOST()) {
		(void)gshmemi_host_rpc_words(id, in, 8, out, &ticket, "gshmemx_rpc_post_line");
		return ticket;
	}
	return gshmemi_rpc_ticket(gshmemi_rpc_line_here(
		id, GSHMEMI_RPC_POSTS, in, out, "gshmemx_rpc_post_line", gshmemi_arch_caller()));
}

/* A ticket without a slot is of a call that is over; its status is in place of the number. */
GSHMEM_API int gshmemx_rpc_test(gshmemx_rpc_ticket_t ticket)
{
	/* the caller polls: let others run at once, as late in a wait */
	unsigned polls = GSHMEMI_WAIT_POLLS - 1;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_rpc_wait(ticket.slot, ticket.seq, 0);
	if (ticket.slot == GSHMEMI_RPC_NO_SLOT)
		return 1;
	if (!gshmemi_rpc_has_passed(&gshmemi_state.rpc, ticket.slot, ticket.seq)) {
		gshmemi_attend();
		gshmemi_arch_pause(&polls);
		return 0;
	}
	gshmemi_arch_fence_acquire();
	GSHMEMI_RACE_ACQUIRE_MARK(&gshmemi_state.rpc.answer[ticket.slot]);
	return 1;
}

GSHMEM_API int gshmemx_rpc_wait(gshmemx_rpc_ticket_t ticket)
{
	if (ticket.slot == GSHMEMI_RPC_NO_SLOT)
		return (int)ticket.seq;
	if (GSHMEMI_ON_HOST())
		return gshmemi_host_rpc_wait(ticket.slot, ticket.seq, 1);
	return gshmemi_rpc_finish_here(ticket.slot, ticket.seq, "gshmemx_rpc_wait", gshmemi_arch_caller());
}

GSHMEMI_FN int gshmemi_rpc_stream_call(int scope, uint32_t id, const void *in, size_t in_nbytes, void *out,
	size_t out_nbytes, size_t *got_nbytes, const char *call)
{
	struct gshmemi_rpc_result result;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_rpc_stream(id, in, in_nbytes, out, out_nbytes, got_nbytes, call);
	result = gshmemi_rpc_stream_here(
		scope, id, in, in_nbytes, out, out_nbytes, call, gshmemi_arch_caller());
	if (got_nbytes)
		*got_nbytes = (size_t)result.value;
	return result.status;
}

GSHMEM_API int gshmemx_rpc_stream(
	uint32_t id, const void *in, size_t in_nbytes, void *out, size_t out_nbytes, size_t *got_nbytes)
{
	return gshmemi_rpc_stream_call(
		GSHMEMI_THREAD, id, in, in_nbytes, out, out_nbytes, got_nbytes, "gshmemx_rpc_stream");
}

GSHMEM_API int gshmemx_rpc_stream_wave(
	uint32_t id, const void *in, size_t in_nbytes, void *out, size_t out_nbytes, size_t *got_nbytes)
{
	return gshmemi_rpc_stream_call(
		GSHMEMI_WAVE, id, in, in_nbytes, out, out_nbytes, got_nbytes, "gshmemx_rpc_stream_wave");
}

GSHMEM_API void gshmemx_abort(int status)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_rpc_abort(status);
	else
		(void)gshmemi_rpc_words_here(GSHMEMI_RPC_ABORT, 0, (uint64_t)(int64_t)status,
			gshmemi_arch_block(), gshmemi_arch_thread_name(), 0, 0, 0, "gshmemx_abort",
			gshmemi_arch_caller());
	gshmemi_arch_trap("gshmemx_abort");
}

GSHMEM_API void gshmemx_trace(uint32_t mark, uint64_t value)
{
	if (GSHMEMI_ON_HOST())
		gshmemi_host_rpc_trace(mark, value);
	else if (gshmemi_state.rpc.trace)
		(void)gshmemi_rpc_words_here(GSHMEMI_RPC_TRACE, GSHMEMI_RPC_POSTS, mark, value,
			gshmemi_arch_clock_ns(), gshmemi_arch_block(), gshmemi_arch_thread_name(), 0,
			"gshmemx_trace", gshmemi_arch_caller());
}

#endif /* GSHMEMI_KERNELS */

#endif /* GSHMEM_RPC_H */
