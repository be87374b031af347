/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of kernels on PEs that are not mapped: kernels call the library, which hands them to the net
 * (src/rpc/carry.c). The lanes that are here together make one call; each has a line that describes its
 * operation. Nobody waits for the answer if the caller needs nothing back: for a put whose bytes are in the
 * line, for an atomic that does not fetch, for a non-blocking operation.
 *
 *   words of a line:
 *   0  offset of the symmetric object; region of the signal, from bit GSHMEMI_LINE_SIG_REGION on
 *   1  GSHMEMI_LINE_*
 *   2  of PUT and GET   local address, bytes; or, INLINE, the bytes themselves: of a get, in the answer
 *      of *_BLOCKS      local address, bytes of a block, blocks, stride, local stride
 *      of AMO           value, cond, where the old value goes or 0
 *      of FLAG          value
 *      of PUT_SIGNAL    value, offset of the signal, then as PUT
 *
 * The library reads and writes a local end in the heap by its address. Data elsewhere, in LDS, on a stack, in
 * memory that only the program knows, goes in the line or through a stream.
 */
#ifndef GSHMEM_REMOTE_H
#define GSHMEM_REMOTE_H

#include <gshmem/rpc/rpc.h>

/* First bit of each field; its number of bits behind it. */
#define GSHMEMI_LINE_PE      0  /* 31, with the context */
#define GSHMEMI_LINE_INLINE  31
#define GSHMEMI_LINE_WHAT    32 /* 4 */
#define GSHMEMI_LINE_OP      36 /* 4 */
#define GSHMEMI_LINE_REGION  40 /* 14 */
#define GSHMEMI_LINE_NBYTES  54 /* 6: of INLINE, or of the word of an atomic */
#define GSHMEMI_LINE_NBI     60
#define GSHMEMI_LINE_FETCHES 61
/*
 * Of a put: it is answered when it has been handed over, and later operations of its context are ordered
 * after it.
 */
#define GSHMEMI_LINE_SIGNALS 63
#define GSHMEMI_LINE_SIG_REGION 48 /* in word 0 */

#define GSHMEMI_LINE_SIGNAL_NBYTES 32

#define GSHMEMI_REMOTE_CALL "an operation on a PE that is not mapped"

#ifndef GSHMEMI_LIBRARY

GSHMEMI_FN uint64_t gshmemi_remote_head(const struct gshmemi_operation *o, int is_inline, uint64_t nbytes)
{
	return (uint32_t)o->pe | (uint64_t)is_inline << GSHMEMI_LINE_INLINE |
		(uint64_t)o->what << GSHMEMI_LINE_WHAT |
	       (uint64_t)o->op << GSHMEMI_LINE_OP | (uint64_t)o->region << GSHMEMI_LINE_REGION |
	       nbytes << GSHMEMI_LINE_NBYTES |
	       (uint64_t)o->is_nbi << GSHMEMI_LINE_NBI | (uint64_t)o->fetches << GSHMEMI_LINE_FETCHES;
}

/* asked: call it after a post. settle: call it when nothing is open. See gshmemi_host_asked. */
#if GSHMEMI_ARCH_HAS_DELIVERY && GSHMEMI_ARCH_HOST_DIRECT
#define gshmemi_remote_asked  gshmemi_host_asked
#define gshmemi_remote_settle gshmemi_host_settle
#else
#define gshmemi_remote_asked()  ((void)0)
#define gshmemi_remote_settle() ((void)0)
#endif

/* One operation of each lane that is here. out receives the answered line; NULL: nobody waits for it. */
GSHMEMI_SLOW void gshmemi_remote_line(const uint64_t *line, uint64_t *out)
{
	const struct gshmemi_rpc_channel *c = &gshmemi_state.rpc;
	const uint32_t home = gshmemi_rpc_home(c, gshmemi_arch_caller());

	if (out)
		(void)gshmemi_rpc_words(c, GSHMEMI_RPC_CARRY, GSHMEMI_RPC_CARRIES, GSHMEMI_RPC_LINE, line,
					out, home, GSHMEMI_REMOTE_CALL);
	else
		(void)gshmemi_rpc_words(c, GSHMEMI_RPC_CARRY, GSHMEMI_RPC_CARRIES | 1, GSHMEMI_RPC_LINE, line,
					NULL, home, GSHMEMI_REMOTE_CALL);
	gshmemi_remote_asked();
}

/* A put or get whose local end the library cannot reach. Lanes take turns: each has a stream. */
GSHMEMI_SLOW void gshmemi_remote_stream(const uint64_t *line, char *local, uint64_t nbytes, int is_get)
{
	const struct gshmemi_rpc_channel *c = &gshmemi_state.rpc;
	const uint32_t home = gshmemi_rpc_home(c, gshmemi_arch_caller());
	const uint64_t me = 1ULL << gshmemi_arch_lane();
	uint64_t rest, out[GSHMEMI_RPC_LINE];

	for (rest = GSHMEMI_ARCH_KEEPS_KEYS_APART ? me : gshmemi_arch_wave_here(0); rest; rest &= rest - 1) {
		if ((rest & -rest) != me)
			continue;
		(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &c->posts->carried, 1, 0);
		(void)gshmemi_rpc_words(c, GSHMEMI_RPC_CARRY_OPEN, 0, GSHMEMI_RPC_LINE, line, out, home,
					GSHMEMI_REMOTE_CALL);
		(void)gshmemi_rpc_stream_for(c, GSHMEMI_THREAD, 0, GSHMEMI_RPC_CARRY_STREAM, out[0],
					     is_get ? NULL : local, is_get ? 0 : nbytes,
					     is_get ? local : NULL, is_get ? nbytes : 0, home,
					     GSHMEMI_REMOTE_CALL);
	}
}

/* Move nbytes between local and offset in the operation's region. */
GSHMEMI_FN void gshmemi_remote_move(const struct gshmemi_operation *o, int is_get, char *local,
				    uint64_t offset, uint64_t nbytes)
{
	const int reaches = gshmemi_remote_reaches(local);
	const int is_inline = nbytes <= GSHMEMI_LINE_PUT_NBYTES && !(is_get && o->is_nbi && reaches);
	struct gshmemi_operation move = *o;
	uint64_t line[GSHMEMI_RPC_LINE] = {0}, out[GSHMEMI_RPC_LINE];

	if (!nbytes)
		return;
	move.what = is_get ? GSHMEMI_GET : GSHMEMI_PUT;
	/* an answer with bytes comes when they have arrived */
	move.is_nbi = o->is_nbi && reaches && !(is_get && is_inline);
	line[0] = offset;
	line[1] = gshmemi_remote_head(&move, is_inline, is_inline ? nbytes : 0);
	line[2] = (uintptr_t)local;
	line[3] = nbytes;
	if (!is_inline && reaches) {
		gshmemi_remote_line(line, o->is_nbi ? NULL : out);
	} else if (!is_inline) {
		gshmemi_remote_stream(line, local, nbytes, is_get);
	} else if (is_get) {
		gshmemi_remote_line(line, out);
		__builtin_memcpy(local, out, nbytes);
	} else {
		__builtin_memcpy(&line[2], local, nbytes);
		gshmemi_remote_line(line, NULL);
	}
}

GSHMEMI_FN void gshmemi_remote_blocks(const struct gshmemi_operation *o, int is_get)
{
	uint64_t line[GSHMEMI_RPC_LINE] = {0}, out[GSHMEMI_RPC_LINE], i;

	if (!gshmemi_remote_reaches(o->local)) {
		for (i = 0; i < o->nblocks; i++)
			gshmemi_remote_move(o, is_get, (char *)o->local + (int64_t)i * o->local_stride,
					    o->offset + (uint64_t)((int64_t)i * o->stride), o->nbytes);
		return;
	}
	line[0] = o->offset;
	line[1] = gshmemi_remote_head(o, 0, 0);
	line[2] = (uintptr_t)o->local;
	line[3] = o->nbytes;
	line[4] = o->nblocks;
	line[5] = (uint64_t)o->stride;
	line[6] = (uint64_t)o->local_stride;
	gshmemi_remote_line(line, out);
}

/* The library cannot reach where the old value goes: this lane waits for it. */
GSHMEMI_FN uint64_t gshmemi_remote_amo(const struct gshmemi_operation *o)
{
	const int goes_there = o->local && gshmemi_remote_reaches(o->local);
	struct gshmemi_operation amo = *o;
	uint64_t line[GSHMEMI_RPC_LINE] = {0}, out[GSHMEMI_RPC_LINE] = {0};

	amo.fetches = o->fetches || (o->local && !goes_there);
	line[0] = o->offset;
	line[1] = gshmemi_remote_head(&amo, 0, o->nbytes);
	line[2] = o->value;
	line[3] = o->cond;
	line[4] = goes_there ? (uintptr_t)o->local : 0;
	gshmemi_remote_line(line, amo.fetches || o->what == GSHMEMI_LOCK ? out : NULL);
	if (o->local && !goes_there)
		__builtin_memcpy(o->local, out, o->nbytes == 4 ? 4 : 8);
	return out[0];
}

GSHMEMI_FN void gshmemi_remote_put_signal(const struct gshmemi_operation *o)
{
	const int is_inline = o->nbytes <= GSHMEMI_LINE_SIGNAL_NBYTES;
	uint64_t line[GSHMEMI_RPC_LINE] = {0}, out[GSHMEMI_RPC_LINE];
	struct gshmemi_operation signal;

	if (!is_inline && !gshmemi_remote_reaches(o->local)) {
		gshmemi_remote_move(o, 0, (char *)o->local, o->offset, o->nbytes);
		gshmemi_remote_order(gshmemi_pe_context(o->pe));
		signal = gshmemi_signal_of(o);
		(void)gshmemi_remote_amo(&signal);
		return;
	}
	line[0] = o->offset | (uint64_t)o->sig_region << GSHMEMI_LINE_SIG_REGION;
	line[1] = gshmemi_remote_head(o, is_inline, is_inline ? o->nbytes : 0);
	line[2] = o->value;
	line[3] = o->sig_offset;
	line[4] = (uintptr_t)o->local;
	line[5] = o->nbytes;
	if (is_inline && o->nbytes)
		__builtin_memcpy(&line[4], o->local, o->nbytes);
	gshmemi_remote_line(line, is_inline || o->is_nbi ? NULL : out);
}

GSHMEMI_SLOW uint64_t gshmemi_remote_carry(const struct gshmemi_operation *o)
{
	switch (o->what) {
	case GSHMEMI_PUT:
	case GSHMEMI_GET:
		gshmemi_remote_move(o, o->what == GSHMEMI_GET, (char *)o->local, o->offset, o->nbytes);
		return 0;
	case GSHMEMI_PUT_BLOCKS:
	case GSHMEMI_GET_BLOCKS:
		gshmemi_remote_blocks(o, o->what == GSHMEMI_GET_BLOCKS);
		return 0;
	case GSHMEMI_PUT_SIGNAL:
		gshmemi_remote_put_signal(o);
		return 0;
	default:
		return gshmemi_remote_amo(o);
	}
}

#if !GSHMEMI_ARCH_HAS_DELIVERY
#define GSHMEMI_LINE_MEMORY 62 /* of INLINE: local is memory, not a value */

GSHMEMI_FN unsigned gshmemi_remote_bits(uint64_t head, unsigned from, unsigned nbits)
{
	return (unsigned)(head >> from) & ((1U << nbits) - 1);
}

/* Whether a lane waits for the answer to a line with this head. */
GSHMEMI_FN int gshmemi_remote_waits(uint64_t head)
{
	const unsigned what = gshmemi_remote_bits(head, GSHMEMI_LINE_WHAT, 4);

	if (what == GSHMEMI_GET)
		return !gshmemi_remote_bits(head, GSHMEMI_LINE_NBI, 1);
	if (what == GSHMEMI_PUT)
		return (head >> GSHMEMI_LINE_SIGNALS | ~(head >> GSHMEMI_LINE_INLINE |
							 head >> GSHMEMI_LINE_NBI)) & 1;
	return (int)gshmemi_remote_bits(head, GSHMEMI_LINE_FETCHES, 1);
}

/*
 * Registers that are live across calls add up along a chain of calls, and kernels pay for the longest chain.
 * So the functions that do the work call no other function, or none that needs many registers.
 * gshmemi_remote_lines_at calls them in turn, serves the mailbox in between, and keeps little more than its
 * arguments. All lanes of a request call them together; the lowest lane does what is to be done once for the
 * wave.
 */

/*
 * Arguments and results are passed in vector registers; values that the wave shares go back to scalar ones.
 */
#define GSHMEMI_REMOTE_UNIFORM(value) ((value) = (__typeof__(value))gshmemi_arch_uniform(value))

/* Returned in place of a slot if none is free now. */
#define GSHMEMI_REMOTE_BUSY (GSHMEMI_RPC_NO_SLOT - 1)

/*
 * Lock a slot, by one lane, in one pass over all of them that begins at a random one. The loop ends by a
 * uniform condition: in a loop that lanes leave one by one clang 19 copies slot, a scalar register, too late,
 * and returns the slot after the one that is locked.
 */
GSHMEMI_FN uint32_t gshmemi_remote_look(int posts)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;
	uint32_t slot = (uint32_t)((uint64_t)((uint32_t)gshmemi_arch_clock_ns() * 2654435769U) *
				   c->nslots >> 32), seq, i;
	unsigned polls = GSHMEMI_WAIT_POLLS;

	if (posts)
		slot = gshmemi_rpc_post_home(c, slot);
	GSHMEMI_NO_UNROLL
	for (i = 0; i < c->nslots; i++) {
		if (gshmemi_arch_uniform((uint64_t)gshmemi_rpc_lock(c, slot, &seq)))
			return slot;
		slot = slot + 1 < c->nslots ? slot + 1 : 0;
	}
	gshmemi_arch_pause(&polls);
	return gshmemi_arch_load(c->poison, 4) ? GSHMEMI_RPC_NO_SLOT : GSHMEMI_REMOTE_BUSY;
}

/* A slot for these lanes. GSHMEMI_REMOTE_BUSY: none is free now; GSHMEMI_RPC_NO_SLOT: the channel is dead. */
GSHMEMI_SLOW uint32_t gshmemi_remote_open_at(uint64_t lanes, uint64_t head)
{
	uint32_t slot = 0;
	int waits;

	GSHMEMI_REMOTE_UNIFORM(lanes);
	waits = gshmemi_arch_ballot(gshmemi_remote_waits(head), lanes) != 0;
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		slot = gshmemi_remote_look(!waits);
	return (uint32_t)gshmemi_arch_broadcast(slot, lanes);
}

/*
 * Serves mail while a wave waits. It need not test gshmemi_state.slow: without a mailbox the attention word
 * is 0.
 */
GSHMEMI_FN void gshmemi_remote_attend(void)
{
#if GSHMEMI_SERVES_MAIL
	gshmemi_attend_at();
#endif
}

/* A slot for these lanes, which keep looking. GSHMEMI_RPC_NO_SLOT: the channel is dead. */
GSHMEMI_FN uint32_t gshmemi_remote_open(uint64_t lanes, uint64_t head)
{
	uint32_t slot;

	while ((slot = gshmemi_remote_open_at(lanes, head)) == GSHMEMI_REMOTE_BUSY)
		gshmemi_remote_attend();
	return (uint32_t)gshmemi_arch_uniform(slot);
}

/*
 * The number of the step that a slot's owner posts: the client word holds the last one until the slot is
 * closed.
 */
GSHMEMI_FN uint32_t gshmemi_remote_seq(uint32_t slot)
{
	return ((uint32_t)gshmemi_arch_load(&gshmemi_state.rpc.client[slot], 4) + 1) & GSHMEMI_RPC_SEQ;
}

GSHMEMI_FN uint64_t *gshmemi_remote_line_of(uint32_t slot)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;

	return gshmemi_rpc_page(c, slot) +
	       (gshmemi_arch_lane() & (gshmemi_rpc_nlanes(c) - 1)) * GSHMEMI_RPC_LINE;
}

GSHMEMI_FN void gshmemi_remote_copy(char *dest, const char *source, unsigned nbytes)
{
	unsigned i;

	GSHMEMI_NO_UNROLL
	for (i = 0; i < nbytes; i++)
		dest[i] = source[i];
}

/* Bytes that one request takes of a line of MEMORY; 0 for other lines. */
GSHMEMI_FN unsigned gshmemi_remote_piece(uint64_t head, uint64_t b)
{
	if (!(head >> GSHMEMI_LINE_MEMORY & 1))
		return 0;
	return b < GSHMEMI_LINE_PUT_NBYTES ? (unsigned)b : GSHMEMI_LINE_PUT_NBYTES;
}

/*
 * Fill the lane's line, and post the slot's step. Returns 0 if nobody waits for the answer; then the slot is
 * closed.
 */
GSHMEMI_SLOW int gshmemi_remote_send_at(uint32_t slot, uint64_t lanes, uint64_t offset, uint64_t head,
					uint64_t a, uint64_t b)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;
	const unsigned nbytes = gshmemi_remote_piece(head, b);
	uint64_t *line;
	int waits;

	GSHMEMI_REMOTE_UNIFORM(slot);
	GSHMEMI_REMOTE_UNIFORM(lanes);
	line = gshmemi_remote_line_of(slot);
	line[0] = offset;
	line[1] = head | (uint64_t)nbytes << GSHMEMI_LINE_NBYTES;
	line[2] = a;
	line[3] = b;
	line[4] = 0;
	if (gshmemi_remote_bits(head, GSHMEMI_LINE_WHAT, 4) == GSHMEMI_PUT)
		gshmemi_remote_copy((char *)&line[2], (const char *)(uintptr_t)a, nbytes);
	waits = gshmemi_arch_ballot(gshmemi_remote_waits(head), lanes) != 0;
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) != 0)
		return waits;
	(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &c->posts->carried, 1, 0);
	gshmemi_rpc_write_header(c, slot, lanes, GSHMEMI_RPC_CARRY, waits ? 0 : GSHMEMI_RPC_POSTED);
	gshmemi_rpc_post(c, slot, gshmemi_remote_seq(slot));
	if (!waits)
		gshmemi_rpc_close(c, slot, gshmemi_remote_seq(slot), 1);
	return waits;
}

/* Returned in place of the time at which a wait started. */
#define GSHMEMI_REMOTE_ANSWERED 1
#define GSHMEMI_REMOTE_DEAD     2

GSHMEMI_FN uint64_t gshmemi_remote_poll(uint32_t slot, uint64_t started_ns)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;
	const uint32_t seq = gshmemi_remote_seq(slot);
	unsigned polls = 0;

	GSHMEMI_NO_UNROLL
	while (polls < GSHMEMI_WAIT_POLLS) {
		if (gshmemi_rpc_is_answered(c, slot, seq))
			return GSHMEMI_REMOTE_ANSWERED;
		gshmemi_arch_pause(&polls);
	}
	if (gshmemi_arch_load(c->poison, 4))
		return GSHMEMI_REMOTE_DEAD;
	return gshmemi_wait_longer(started_ns, &c->answer[slot].low, 4, 0, GSHMEM_CMP_EQ, seq, -1,
				   GSHMEMI_REMOTE_CALL, 0);
}

/*
 * Poll for the answer to the slot's step, for a while. started_ns is 0 at first, then what the last call
 * returned.
 */
GSHMEMI_SLOW uint64_t gshmemi_remote_await_at(uint32_t slot, uint64_t lanes, uint64_t started_ns)
{
	GSHMEMI_REMOTE_UNIFORM(slot);
	GSHMEMI_REMOTE_UNIFORM(lanes);
	GSHMEMI_REMOTE_UNIFORM(started_ns);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		started_ns = gshmemi_remote_poll(slot, started_ns);
	return gshmemi_arch_broadcast(started_ns, lanes);
}

/* Waits for the answer. Returns 0 if the channel is dead. */
GSHMEMI_FN int gshmemi_remote_await(uint32_t slot, uint64_t lanes)
{
	uint64_t started_ns = 0;

	for (;;) {
		started_ns = gshmemi_remote_await_at(slot, lanes, started_ns);
		GSHMEMI_REMOTE_UNIFORM(started_ns);
		if (started_ns == GSHMEMI_REMOTE_ANSWERED || started_ns == GSHMEMI_REMOTE_DEAD)
			break;
		gshmemi_remote_attend();
	}
	return started_ns == GSHMEMI_REMOTE_ANSWERED;
}

/* Take the answer, and close the slot. Returns the line's first word. */
GSHMEMI_SLOW uint64_t gshmemi_remote_take_at(uint32_t slot, uint64_t lanes, uint64_t head, uint64_t a,
					     uint64_t b)
{
	const uint64_t *line;
	uint64_t value;

	GSHMEMI_REMOTE_UNIFORM(slot);
	GSHMEMI_REMOTE_UNIFORM(lanes);
	line = gshmemi_remote_line_of(slot);
	gshmemi_arch_fence_acquire();
	value = line[0];
	if (gshmemi_remote_bits(head, GSHMEMI_LINE_WHAT, 4) == GSHMEMI_GET)
		gshmemi_remote_copy((char *)(uintptr_t)a, (const char *)line, gshmemi_remote_piece(head, b));
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	gshmemi_arch_fence_reads();
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		gshmemi_rpc_close(&gshmemi_state.rpc, slot, gshmemi_remote_seq(slot), 0);
	return value;
}

/*
 * Requests of each lane that is here. head is word 1 of the line, a and b are its operands. For MEMORY a is
 * the local end and b its bytes, of which each request takes as many as a line holds.
 */
GSHMEMI_SLOW uint64_t gshmemi_remote_lines_at(uint64_t offset, uint64_t head, uint64_t a, uint64_t b)
{
	uint64_t lanes, value = 0;
	uint32_t slot;

	for (;;) {
		lanes = gshmemi_arch_wave_here(GSHMEMI_RPC_CARRY);
		slot = gshmemi_remote_open(lanes, head);
		if (slot == GSHMEMI_RPC_NO_SLOT)
			return 0;
		if (gshmemi_remote_send_at(slot, lanes, offset, head, a, b)) {
			if (!gshmemi_remote_await(slot, lanes))
				return 0;
			value = gshmemi_remote_take_at(slot, lanes, head, a, b);
		}
		if (!(head >> GSHMEMI_LINE_MEMORY & 1) || b <= GSHMEMI_LINE_PUT_NBYTES)
			return value;
		offset += GSHMEMI_LINE_PUT_NBYTES;
		a += GSHMEMI_LINE_PUT_NBYTES;
		b -= GSHMEMI_LINE_PUT_NBYTES;
	}
}

/*
 * Have the owner perform an operation that has passed gshmemi_slow_at, with the same arguments. Data that the
 * library cannot reach goes by lines, not by a stream.
 */
GSHMEMI_FN uint64_t gshmemi_remote_at(uint64_t what, const void *symmetric, uint64_t a, uint64_t b, int pe)
{
	const unsigned which = (unsigned)what & 15, region = GSHMEMI_SLOW_REGION(what);
	const uint64_t offset = (uint64_t)((uintptr_t)symmetric -
					   (uintptr_t)gshmemi_state.regions[region].base);
	uint64_t head = (uint32_t)pe | (uint64_t)(which <= GSHMEMI_SLOW_G ? which & 1
						  : which) << GSHMEMI_LINE_WHAT |
			(what >> 12 & 15) << GSHMEMI_LINE_OP | (uint64_t)region << GSHMEMI_LINE_REGION;

	if (which > GSHMEMI_SLOW_GET) { /* values */
		head |= (what >> 4 & 31) << GSHMEMI_LINE_NBYTES;
		if (which <= GSHMEMI_SLOW_G)
			head |= 1ULL << GSHMEMI_LINE_INLINE;
		else if (which == GSHMEMI_SLOW_AMO)
			head |= (what >> 11 & 1) << GSHMEMI_LINE_FETCHES;
	} else if (b > GSHMEMI_LINE_PUT_NBYTES && gshmemi_remote_reaches((const void *)(uintptr_t)a)) {
		head |= (what >> 11 & 1) << GSHMEMI_LINE_NBI | (what >> 13 & 1) << GSHMEMI_LINE_SIGNALS;
	} else if (b) {
		head |= 1ULL << GSHMEMI_LINE_INLINE | 1ULL << GSHMEMI_LINE_MEMORY |
			(what >> 13 & 1) << GSHMEMI_LINE_SIGNALS;
	} else {
		return 0;
	}
	return gshmemi_remote_lines_at(offset, head, a, b);
}
#endif

/* ---- order ---- */

/*
 * Ask the server, by one lane, about what it and the lanes with it have posted; returns the answer. GPUs use
 * the functions for requests, whose registers kernels pay for anyway.
 */
GSHMEMI_FN uint64_t gshmemi_remote_question(uint32_t op, int context, const char *call)
{
	const struct gshmemi_rpc_channel *c = &gshmemi_state.rpc;
#if GSHMEMI_ARCH_HAS_DELIVERY
	const uint64_t words[6] = {(unsigned)context, 0, 0, 0, 0, 0};

	return gshmemi_rpc_words(c, op, 0, 6, words, NULL, gshmemi_rpc_home(c, gshmemi_arch_caller()),
				 call).value;
#else
	const uint64_t me = 1ULL << gshmemi_arch_lane();
	const struct gshmemi_rpc_answer *answer;
	uint64_t value;
	uint32_t slot;

	(void)call;
	slot = gshmemi_remote_open(me, 1ULL << GSHMEMI_LINE_FETCHES |
				   (uint64_t)GSHMEMI_AMO << GSHMEMI_LINE_WHAT);
	if (slot == GSHMEMI_RPC_NO_SLOT)
		return 0;
	gshmemi_arch_store(&c->header[slot].arg[0], (unsigned)context, 8);
	gshmemi_rpc_write_header(c, slot, me, op, GSHMEMI_RPC_INLINE);
	gshmemi_rpc_post(c, slot, gshmemi_remote_seq(slot));
	if (!gshmemi_remote_await(slot, me))
		return 0;
	answer = &c->answer[slot];
	value = gshmemi_arch_load(&answer->low, 8) >> 32 | gshmemi_arch_load(&answer->high, 8) >> 32 << 32;
	gshmemi_rpc_close(c, slot, gshmemi_remote_seq(slot), 0);
	return value;
#endif
}

/* Whether all posted requests are known to have been performed. */
GSHMEMI_SLOW int gshmemi_remote_has_arrived_at(void)
{
	const struct gshmemi_rpc_posts *const posts = gshmemi_state.rpc.posts;
	const uint64_t known = gshmemi_arch_load(&posts->arrived, 8);

	gshmemi_arch_fence_acquire(); /* pairs with the fence of the request that counts as arrived */
	return known == gshmemi_arch_load(&posts->carried, 8);
}

GSHMEMI_SLOW void gshmemi_remote_arrive_at(uint64_t found)
{
	struct gshmemi_rpc_posts *const posts = gshmemi_state.rpc.posts;
	uint64_t known = gshmemi_arch_load(&posts->arrived, 8), old;

	while (known < found) {
		old = gshmemi_arch_amo64(GSHMEMI_AMO_CAS, &posts->arrived, found, known);
		if (old == known)
			break;
		known = old;
	}
}

/*
 * One question for the lanes that are here, after what they have posted. Most often there is nothing to ask,
 * and the lanes need not meet.
 */
GSHMEMI_FN void gshmemi_remote_ask(uint32_t op, int context, const char *call)
{
	uint64_t lanes;

	if (gshmemi_remote_has_arrived_at()) {
		gshmemi_remote_settle();
		return;
	}
	lanes = gshmemi_arch_wave_here((uint64_t)op << 32 | (unsigned)context);
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		gshmemi_remote_arrive_at(gshmemi_remote_question(op, context, call));
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	gshmemi_arch_fence_acquire();
}

GSHMEMI_SLOW void gshmemi_remote_order(int context)
{
	gshmemi_remote_ask(GSHMEMI_RPC_ORDER, context, "gshmem_fence");
}

GSHMEMI_SLOW void gshmemi_remote_complete(int context, const int *target_pes, size_t npes)
{
	(void)target_pes; /* requests to other PEs are completed, too */
	(void)npes;
	gshmemi_remote_ask(GSHMEMI_RPC_COMPLETE, context, "gshmem_quiet");
}
#endif

#endif /* GSHMEM_REMOTE_H */
