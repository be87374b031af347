/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of kernels on PEs that are not mapped: kernels call the library, which hands them to the net
 * (src/rpc/carry.c). The lanes that are here together make one call; each has a line that describes its
 * operation. Nobody waits for the answer if the caller needs nothing back: for a put whose bytes are in the
 * line, for an atomic that does not fetch, for a non-blocking operation.
 *
 * A line is a struct gshmemi_op_record, and so is its answer: an old value, or the bytes of an INLINE get,
 * come where the value, or the bytes of a put, go.
 *
 * The library reads and writes a local end in the heap by its address. Data elsewhere, in LDS, on a stack, in
 * memory that only the program knows, goes in the line or through a stream.
 */
#ifndef GSHMEM_REMOTE_H
#define GSHMEM_REMOTE_H

#include <gshmem/rpc/rpc.h>

#define GSHMEMI_REMOTE_CALL "an operation on a PE that is not mapped"

#ifndef GSHMEMI_LIBRARY

/* Begins the record of an operation: what is behind its place is left to the caller. */
GSHMEMI_FN struct gshmemi_op_record gshmemi_remote_record(const struct gshmemi_operation *o, int is_inline)
{
	const int is_flagged = o->what == GSHMEMI_AMO || o->what == GSHMEMI_LOCK ? o->fetches : o->is_nbi;
	struct gshmemi_op_record r;

	__builtin_memset(&r, 0, sizeof r);
	r.head = gshmemi_op_head(o->what, o->op, o->nbytes == 4 ? 4 : 8,
				 (is_flagged ? GSHMEMI_OP_NBI : 0) | (is_inline ? GSHMEMI_OP_INLINE : 0),
				 o->region, (uint32_t)o->pe);
	r.place = o->offset | (is_inline ? o->nbytes << GSHMEMI_OP_NBYTES_SHIFT : 0);
	return r;
}

/* asked: call it after a post. settle: call it when nothing is open. See gshmemi_host_asked. */
#if GSHMEMI_ARCH_HAS_DELIVERY && GSHMEMI_ARCH_HOST_DIRECT
#define gshmemi_remote_asked  gshmemi_host_asked
#define gshmemi_remote_settle gshmemi_host_settle
#else
#define gshmemi_remote_asked()  ((void)0)
#define gshmemi_remote_settle() ((void)0)
#endif

/* One operation of each lane that is here. answer receives the answered line; NULL: nobody waits for it. */
GSHMEMI_SLOW void gshmemi_remote_line(const struct gshmemi_op_record *r, struct gshmemi_op_record *answer)
{
	const struct gshmemi_rpc_channel *c = &gshmemi_state.rpc;
	const uint32_t home = gshmemi_rpc_home(c, gshmemi_arch_caller());

	(void)gshmemi_rpc_words(c, GSHMEMI_RPC_CARRY, answer ? GSHMEMI_RPC_CARRIES : GSHMEMI_RPC_CARRIES | 1,
				GSHMEMI_RPC_LINE, &r->head, answer ? &answer->head : NULL, home,
				GSHMEMI_REMOTE_CALL);
	gshmemi_remote_asked();
}

/* A put or get whose local end the library cannot reach. Lanes take turns: each has a stream. */
GSHMEMI_SLOW void gshmemi_remote_stream(const struct gshmemi_op_record *r, char *local, uint64_t nbytes,
					int is_get)
{
	const struct gshmemi_rpc_channel *c = &gshmemi_state.rpc;
	const uint32_t home = gshmemi_rpc_home(c, gshmemi_arch_caller());
	const uint64_t me = 1ULL << gshmemi_arch_lane();
	struct gshmemi_op_record answer;
	uint64_t rest;

	for (rest = GSHMEMI_ARCH_KEEPS_KEYS_APART ? me : gshmemi_arch_wave_here(0); rest; rest &= rest - 1) {
		if ((rest & -rest) != me)
			continue;
		(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &c->posts->carried, 1, 0);
		(void)gshmemi_rpc_words(c, GSHMEMI_RPC_CARRY_OPEN, 0, GSHMEMI_RPC_LINE, &r->head,
					&answer.head, home, GSHMEMI_REMOTE_CALL);
		(void)gshmemi_rpc_stream_for(c, GSHMEMI_THREAD, 0, GSHMEMI_RPC_CARRY_STREAM, answer.head,
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
	const int is_inline = nbytes <= GSHMEMI_OP_INLINE_NBYTES && !(is_get && o->is_nbi && reaches);
	struct gshmemi_operation move = *o;
	struct gshmemi_op_record r, answer;

	if (!nbytes)
		return;
	move.what = is_get ? GSHMEMI_GET : GSHMEMI_PUT;
	/* an answer with bytes comes when they have arrived */
	move.is_nbi = o->is_nbi && reaches && !(is_get && is_inline);
	move.offset = offset;
	move.nbytes = nbytes;
	r = gshmemi_remote_record(&move, is_inline);
	r.u.move.local = (uintptr_t)local;
	r.u.move.nbytes = nbytes;
	if (!is_inline && reaches) {
		gshmemi_remote_line(&r, o->is_nbi ? NULL : &answer);
	} else if (!is_inline) {
		gshmemi_remote_stream(&r, local, nbytes, is_get);
	} else if (is_get) {
		gshmemi_remote_line(&r, &answer);
		__builtin_memcpy(local, answer.u.data, nbytes);
	} else {
		__builtin_memcpy(r.u.data, local, nbytes);
		gshmemi_remote_line(&r, NULL);
	}
}

GSHMEMI_FN void gshmemi_remote_blocks_of(const struct gshmemi_operation *o, int is_get)
{
	struct gshmemi_op_record r, answer;
	uint64_t i;

	if (!gshmemi_remote_reaches(o->local)) {
		for (i = 0; i < o->nblocks; i++)
			gshmemi_remote_move(o, is_get, (char *)o->local + (int64_t)i * o->local_stride,
					    o->offset + (uint64_t)((int64_t)i * o->stride), o->nbytes);
		return;
	}
	r = gshmemi_remote_record(o, 0);
	r.u.move.local = (uintptr_t)o->local;
	r.u.move.nbytes = o->nbytes;
	r.u.move.nblocks = o->nblocks;
	r.u.move.stride = (uint64_t)o->stride;
	r.u.move.local_stride = (uint64_t)o->local_stride;
	gshmemi_remote_line(&r, &answer);
}

/* The library cannot reach where the old value goes: this lane waits for it. */
GSHMEMI_FN uint64_t gshmemi_remote_amo(const struct gshmemi_operation *o)
{
	const int goes_there = o->local && gshmemi_remote_reaches(o->local);
	struct gshmemi_operation amo = *o;
	struct gshmemi_op_record r, answer;

	amo.fetches = o->fetches || (o->local && !goes_there);
	r = gshmemi_remote_record(&amo, 0);
	r.u.amo.value = o->value;
	r.u.amo.cond = o->cond;
	if (goes_there) {
		r.head |= GSHMEMI_OP_TO_MEMORY;
		r.u.amo.local = (uintptr_t)o->local;
	}
	answer.u.amo.value = 0;
	gshmemi_remote_line(&r, amo.fetches || o->what == GSHMEMI_LOCK ? &answer : NULL);
	if (o->local && !goes_there)
		__builtin_memcpy(o->local, &answer.u.amo.value, o->nbytes == 4 ? 4 : 8);
	return answer.u.amo.value;
}

GSHMEMI_FN void gshmemi_remote_put_signal(const struct gshmemi_operation *o)
{
	const int is_inline = o->nbytes <= GSHMEMI_OP_INLINE_SIGNAL_NBYTES;
	struct gshmemi_op_record r, answer;
	struct gshmemi_operation signal;

	if (!is_inline && !gshmemi_remote_reaches(o->local)) {
		gshmemi_remote_move(o, 0, (char *)o->local, o->offset, o->nbytes);
		gshmemi_remote_order(gshmemi_pe_context(o->pe));
		signal = gshmemi_signal_of(o);
		(void)gshmemi_remote_amo(&signal);
		return;
	}
	r = gshmemi_remote_record(o, is_inline);
	r.u.signal.value = o->value;
	r.u.signal.place = o->sig_offset | (uint64_t)o->sig_region << GSHMEMI_OP_NBYTES_SHIFT;
	r.u.signal.local = (uintptr_t)o->local;
	r.u.signal.nbytes = o->nbytes;
	if (is_inline && o->nbytes)
		__builtin_memcpy(&r.u.signal.local, o->local, o->nbytes);
	gshmemi_remote_line(&r, is_inline || o->is_nbi ? NULL : &answer);
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
		gshmemi_remote_blocks_of(o, o->what == GSHMEMI_GET_BLOCKS);
		return 0;
	case GSHMEMI_PUT_SIGNAL:
		gshmemi_remote_put_signal(o);
		return 0;
	default:
		return gshmemi_remote_amo(o);
	}
}

#if !GSHMEMI_ARCH_HAS_DELIVERY
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
	waits = gshmemi_arch_ballot((head & GSHMEMI_OP_WAITS) != 0, lanes) != 0;
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

GSHMEMI_FN struct gshmemi_op_record *gshmemi_remote_line_of(uint32_t slot)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;

	return (struct gshmemi_op_record *)(void *)gshmemi_rpc_page(c, slot) +
	       (gshmemi_arch_lane() & (gshmemi_rpc_nlanes(c) - 1));
}

GSHMEMI_FN void gshmemi_remote_copy(char *dest, const char *source, unsigned nbytes)
{
	unsigned i;

	GSHMEMI_NO_UNROLL
	for (i = 0; i < nbytes; i++)
		dest[i] = source[i];
}

/* Bytes of the lane's memory that one line takes or brings. */
GSHMEMI_FN unsigned gshmemi_remote_piece(uint64_t head, uint64_t b)
{
	if (gshmemi_op_what(head) > GSHMEMI_GET || !(head & GSHMEMI_OP_INLINE))
		return 0;
	return b < GSHMEMI_OP_INLINE_NBYTES ? (unsigned)b : GSHMEMI_OP_INLINE_NBYTES;
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
	struct gshmemi_op_record *r;
	int waits;

	GSHMEMI_REMOTE_UNIFORM(slot);
	GSHMEMI_REMOTE_UNIFORM(lanes);
	r = gshmemi_remote_line_of(slot);
	r->head = head;
	r->place = offset | (uint64_t)nbytes << GSHMEMI_OP_NBYTES_SHIFT;
	r->u.word[0] = a;
	r->u.word[1] = b;
	if (gshmemi_op_what(head) == GSHMEMI_PUT)
		gshmemi_remote_copy(r->u.data, (const char *)(uintptr_t)a, nbytes);
	waits = gshmemi_arch_ballot((head & GSHMEMI_OP_WAITS) != 0, lanes) != 0;
	/* before the others go on: their next quiet must find it */
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &c->posts->carried, 1, 0);
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) != 0)
		return waits;
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

/* Take the answer, and close the slot. Returns the answered value. */
GSHMEMI_SLOW uint64_t gshmemi_remote_take_at(uint32_t slot, uint64_t lanes, uint64_t head, uint64_t a,
					     uint64_t b)
{
	const struct gshmemi_op_record *r;
	uint64_t value;

	GSHMEMI_REMOTE_UNIFORM(slot);
	GSHMEMI_REMOTE_UNIFORM(lanes);
	r = gshmemi_remote_line_of(slot);
	gshmemi_arch_fence_acquire();
	value = r->u.amo.value;
	if (gshmemi_op_what(head) == GSHMEMI_GET)
		gshmemi_remote_copy((char *)(uintptr_t)a, r->u.data, gshmemi_remote_piece(head, b));
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	gshmemi_arch_fence_reads();
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		gshmemi_rpc_close(&gshmemi_state.rpc, slot, gshmemi_remote_seq(slot), 0);
	return value;
}

/* Post the line, and take the answer if there is one. Returns 0 if the channel is dead. */
GSHMEMI_FN int gshmemi_remote_request(uint32_t slot, uint64_t lanes, uint64_t offset, uint64_t head,
				      uint64_t a, uint64_t b, uint64_t *value_p)
{
	*value_p = 0;
	if (gshmemi_remote_send_at(slot, lanes, offset, head, a, b)) {
		if (!gshmemi_remote_await(slot, lanes))
			return 0;
		*value_p = gshmemi_remote_take_at(slot, lanes, head, a, b);
	}
	return 1;
}

/*
 * Requests of each lane that is here. a and b are the first words behind the place. Of an INLINE put or get,
 * a is the local end and b its bytes, of which each request takes as many as a line holds.
 */
GSHMEMI_SLOW uint64_t gshmemi_remote_lines_at(uint64_t offset, uint64_t head, uint64_t a, uint64_t b)
{
	uint64_t lanes, value;
	uint32_t slot;

	for (;;) {
		lanes = gshmemi_arch_wave_here(GSHMEMI_RPC_CARRY);
		slot = gshmemi_remote_open(lanes, head);
		if (slot == GSHMEMI_RPC_NO_SLOT ||
		    !gshmemi_remote_request(slot, lanes, offset, head, a, b, &value))
			return 0;
		if (!(head & GSHMEMI_OP_INLINE) || b <= GSHMEMI_OP_INLINE_NBYTES)
			return value;
		offset += GSHMEMI_OP_INLINE_NBYTES;
		a += GSHMEMI_OP_INLINE_NBYTES;
		b -= GSHMEMI_OP_INLINE_NBYTES;
	}
}

/* A request of each lane that is here, with five words behind its place. */
GSHMEMI_SLOW uint64_t gshmemi_remote_long_at(uint64_t offset, uint64_t head, uint64_t a, uint64_t b,
					     uint64_t c, uint64_t d, uint64_t e)
{
	const uint64_t lanes = gshmemi_arch_wave_here(GSHMEMI_RPC_CARRY);
	const uint32_t slot = gshmemi_remote_open(lanes, head);
	struct gshmemi_op_record *r;
	uint64_t value;

	if (slot == GSHMEMI_RPC_NO_SLOT)
		return 0;
	r = gshmemi_remote_line_of(slot);
	r->u.word[2] = c;
	r->u.word[3] = d;
	r->u.word[4] = e;
	(void)gshmemi_remote_request(slot, lanes, offset, head, a, b, &value);
	return value;
}

GSHMEMI_FN uint64_t gshmemi_remote_offset(unsigned region, const void *symmetric)
{
	return (uint64_t)((uintptr_t)symmetric - (uintptr_t)gshmemi_state.regions[region].base);
}

/*
 * Have the owner perform an operation that has passed gshmemi_slow_at, with the same arguments. Data that the
 * library cannot reach goes in lines, not through a stream.
 */
GSHMEMI_FN uint64_t gshmemi_remote_at(uint64_t head, const void *symmetric, uint64_t a, uint64_t b, int pe)
{
	const uint64_t offset = gshmemi_remote_offset(gshmemi_op_region(head), symmetric);
	const int what = gshmemi_op_what(head);

	head = (uint32_t)head | (uint64_t)(uint32_t)pe << GSHMEMI_OP_WHO_SHIFT;
	if (what <= GSHMEMI_GET && !b)
		return 0;
	if (what <= GSHMEMI_GET &&
	    (b <= GSHMEMI_OP_INLINE_NBYTES || !gshmemi_remote_reaches((const void *)(uintptr_t)a)))
		head = (head & ~(uint64_t)GSHMEMI_OP_NBI) | GSHMEMI_OP_INLINE;
	if (what == GSHMEMI_PUT ? head & GSHMEMI_OP_ORDERED || !(head & (GSHMEMI_OP_INLINE | GSHMEMI_OP_NBI))
	    : what == GSHMEMI_GET ? !(head & GSHMEMI_OP_NBI)
	    : what == GSHMEMI_GET_VALUE || head & GSHMEMI_OP_FETCHES)
		head |= GSHMEMI_OP_WAITS;
	return gshmemi_remote_lines_at(offset, head, a, b);
}

/* The operations below have been checked. The first two return 0 if the data cannot go in one request. */

GSHMEMI_FN int gshmemi_remote_blocks(int what, unsigned region, const void *symmetric, const void *local,
				     uint64_t nbytes, uint64_t nblocks, ptrdiff_t stride,
				     ptrdiff_t local_stride, int pe)
{
	if (!gshmemi_remote_reaches(local))
		return 0;
	(void)gshmemi_remote_long_at(gshmemi_remote_offset(region, symmetric),
				     gshmemi_op_head(what, 0, 1, GSHMEMI_OP_WAITS, region, (uint32_t)pe),
				     (uintptr_t)local, nbytes, nblocks, (uint64_t)stride,
				     (uint64_t)local_stride);
	return 1;
}

GSHMEMI_FN int gshmemi_remote_amo_nbi(unsigned region, void *fetch, int op, const void *dest, uint64_t value,
				      uint64_t cond, unsigned nbytes, int pe)
{
	if (!gshmemi_remote_reaches(fetch))
		return 0;
	(void)gshmemi_remote_long_at(gshmemi_remote_offset(region, dest),
				     gshmemi_op_head(GSHMEMI_AMO, op, nbytes, GSHMEMI_OP_TO_MEMORY, region,
						     (uint32_t)pe), value, cond, (uintptr_t)fetch, 0, 0);
	return 1;
}

/* Read the word of a lock, once it is this turn or before. */
GSHMEMI_FN uint64_t gshmemi_remote_lock(unsigned region, const void *word, int which, uint32_t turn, int pe)
{
	return gshmemi_remote_lines_at(gshmemi_remote_offset(region, word),
				       gshmemi_op_head(GSHMEMI_LOCK, which, 8,
						       GSHMEMI_OP_FETCHES | GSHMEMI_OP_WAITS, region,
						       (uint32_t)pe), turn, 0);
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
	slot = gshmemi_remote_open(me, GSHMEMI_OP_WAITS);
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
