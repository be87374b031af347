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
 * An accumulate of any number of elements is one request, too.
 *
 * The library reads and writes a local end by its address where it can (gshmemi_net_reaches). Other data,
 * such as a GPU's in LDS or on a stack, goes in lines; a lane alone uses the whole page of its slot.
 */
#ifndef GSHMEM_RPC_NET_H
#define GSHMEM_RPC_NET_H

#include <gshmem/rpc/rpc.h>

#define GSHMEMI_NET_CALL "an operation on a PE that is not mapped"

/*
 * Elements of a window, as an accumulate updates them: kind is enum gshmemi_kind, lock the window's lock of
 * elements of 16 bytes, symmetric as the elements are. old NULL: the old values are not wanted.
 */
struct gshmemi_elements {
	unsigned region;
	int pe;
	const void *symmetric;
	const uint64_t *lock;
	int op, kind;
	unsigned elem_nbytes;
	size_t nbytes;
	const void *source;
	void *old;
};

/* Bytes of the elements themselves. */
GSHMEMI_FN size_t gshmemi_elements_nbytes(const struct gshmemi_elements *e)
{
	return e->op == GSHMEMI_ACCUMULATE_SWAP ? e->elem_nbytes : e->nbytes;
}

#ifndef GSHMEMI_LIBRARY

/* asked: call it after a post. settle: call it when nothing is open. See gshmemi_host_asked. */
#if GSHMEMI_ARCH_HOST_DIRECT
#define gshmemi_net_asked       gshmemi_host_asked
#define gshmemi_net_settle_here gshmemi_host_settle
#else
#define gshmemi_net_asked()       ((void)0)
#define gshmemi_net_settle_here() ((void)0)
#endif

/*
 * Registers that are live across calls add up along a chain of calls, and kernels pay for the longest
 * chain. So the functions that do the work call no other function, or none that needs many registers.
 * gshmemi_net_lines_at calls them in turn, serves the mailbox in between, and keeps little more than
 * its arguments. All lanes of a request call them together; the lowest lane does what is to be done once
 * for the wave.
 */

/*
 * Arguments and results are passed in vector registers; values that the wave shares go back to scalar ones.
 */
#define GSHMEMI_NET_UNIFORM(value) ((value) = (__typeof__(value))gshmemi_arch_uniform(value))

/* Returned in place of a slot if none is free now. */
#define GSHMEMI_NET_BUSY (GSHMEMI_RPC_NO_SLOT - 1)

/*
 * Lock a slot, by one lane, in one pass over all of them that begins where few others do. The loop ends by a
 * uniform condition: in a loop that lanes leave one by one clang 19 copies slot, a scalar register, too late,
 * and returns the slot after the one that is locked.
 */
GSHMEMI_FN uint32_t gshmemi_net_look(int posts)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;
	uint32_t slot = gshmemi_rpc_home_of(c, gshmemi_arch_spread()), seq, i;
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
	return gshmemi_arch_load(c->poison, 4) ? GSHMEMI_RPC_NO_SLOT : GSHMEMI_NET_BUSY;
}

/* A slot for these lanes. GSHMEMI_NET_BUSY: none is free now; GSHMEMI_RPC_NO_SLOT: the channel is dead. */
GSHMEMI_COLD uint32_t gshmemi_net_open_at(uint64_t lanes, uint64_t head)
{
	uint32_t slot = 0;
	int waits;

	GSHMEMI_NET_UNIFORM(lanes);
	waits = gshmemi_arch_ballot((head & GSHMEMI_OP_WAITS) != 0, lanes) != 0;
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		slot = gshmemi_net_look(!waits);
	return (uint32_t)gshmemi_arch_broadcast(slot, lanes);
}

/*
 * Serves mail while a wave waits. It need not test gshmemi_state.why: without a mailbox the attention
 * word is 0.
 */
GSHMEMI_FN void gshmemi_net_attend(void)
{
#if GSHMEMI_SERVES_MAIL
	gshmemi_attend_at();
#endif
}

/* A slot for these lanes, which keep looking. GSHMEMI_RPC_NO_SLOT: the channel is dead. */
GSHMEMI_FN uint32_t gshmemi_net_open(uint64_t lanes, uint64_t head)
{
	uint32_t slot;

	while ((slot = gshmemi_net_open_at(lanes, head)) == GSHMEMI_NET_BUSY)
		gshmemi_net_attend();
	return (uint32_t)gshmemi_arch_uniform(slot);
}

/*
 * The number of the step that a slot's owner posts: the client word holds the last one until the
 * slot is closed.
 */
GSHMEMI_FN uint32_t gshmemi_net_seq(uint32_t slot)
{
	return ((uint32_t)gshmemi_arch_load(&gshmemi_state.rpc.client[slot], 4) + 1) & GSHMEMI_RPC_SEQ;
}

/* Bytes of the lane's memory that one request takes or brings. b: those that are left. */
GSHMEMI_FN unsigned gshmemi_net_piece(uint64_t lanes, uint64_t head, uint64_t b)
{
	const unsigned most = lanes & (lanes - 1) ? GSHMEMI_OP_INLINE_NBYTES : GSHMEMI_OP_ALONE_NBYTES;

	if (gshmemi_op_what(head) > GSHMEMI_GET || !(head & GSHMEMI_OP_INLINE))
		return 0;
	return b < most ? (unsigned)b : most;
}

/* nbytes is what gshmemi_net_piece returned. More than a line holds begins in the page's first line. */
GSHMEMI_FN struct gshmemi_op_record *gshmemi_net_line_of(uint32_t slot, unsigned nbytes)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;

	return (struct gshmemi_op_record *)(void *)gshmemi_rpc_page(c, slot) +
		(nbytes > GSHMEMI_OP_INLINE_NBYTES ? 0 : gshmemi_arch_lane() & (gshmemi_rpc_nlanes(c) - 1));
}

GSHMEMI_FN void gshmemi_net_copy(char *dest, const char *source, unsigned nbytes)
{
	const int is_words = (((uintptr_t)dest | (uintptr_t)source | nbytes) & 7) == 0;
	unsigned i;

	GSHMEMI_NO_UNROLL
	for (i = 0; i < nbytes; i += is_words ? 8 : 1)
		if (is_words)
			__builtin_memcpy(__builtin_assume_aligned(dest + i, 8),
				__builtin_assume_aligned(source + i, 8), 8);
		else
			dest[i] = source[i];
}

/* Fill the lane's line. Returns how many bytes of the lane's memory this request takes or brings. */
GSHMEMI_COLD unsigned gshmemi_net_fill_at(
	uint32_t slot, uint64_t lanes, uint64_t offset, uint64_t head, uint64_t a, uint64_t b)
{
	const unsigned nbytes = gshmemi_net_piece(lanes, head, b);
	struct gshmemi_op_record *r;

	GSHMEMI_NET_UNIFORM(slot);
	r = gshmemi_net_line_of(slot, nbytes);
	r->head = head;
	r->place = offset | (uint64_t)nbytes << GSHMEMI_OP_NBYTES_SHIFT;
	r->u.word[0] = a;
	r->u.word[1] = b;
	if (gshmemi_op_what(head) == GSHMEMI_PUT)
		gshmemi_net_copy(r->u.data, (const char *)(uintptr_t)a, nbytes);
	return nbytes;
}

/*
 * Post the slot's step when these lanes have filled their lines. Returns 0 if none of them waits for the
 * answer; then the slot is closed.
 */
GSHMEMI_COLD int gshmemi_net_post_at(uint32_t slot, uint64_t lanes, uint64_t head, int has_page)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;
	int waits;

	GSHMEMI_NET_UNIFORM(slot);
	GSHMEMI_NET_UNIFORM(lanes);
	waits = gshmemi_arch_ballot((head & GSHMEMI_OP_WAITS) != 0, lanes) != 0;
	/* before the others go on: their next quiet must find it */
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		(void)gshmemi_arch_amo64(GSHMEMI_AMO_ADD, &c->posts->carried, 1, 0);
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) != 0)
		return waits;
	gshmemi_rpc_write_header(c, slot, lanes, GSHMEMI_RPC_CARRY,
		(waits ? 0 : GSHMEMI_RPC_POSTED) | (has_page ? GSHMEMI_RPC_PAGE : 0));
	gshmemi_rpc_post(c, slot, gshmemi_net_seq(slot));
	if (!waits)
		gshmemi_rpc_close(c, slot, gshmemi_net_seq(slot), 1);
	return waits;
}

/* Returned in place of the time at which a wait started. */
#define GSHMEMI_NET_ANSWERED 1
#define GSHMEMI_NET_DEAD     2

GSHMEMI_FN uint64_t gshmemi_net_poll(uint32_t slot, uint64_t started_ns)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;
	const uint32_t seq = gshmemi_net_seq(slot);
	unsigned polls = started_ns ? GSHMEMI_WAIT_POLLS : 0; /* pauses of a long wait stay long */

	GSHMEMI_NO_UNROLL
	do {
		if (gshmemi_rpc_is_answered(c, slot, seq))
			return GSHMEMI_NET_ANSWERED;
		gshmemi_arch_pause(&polls);
	} while (polls % GSHMEMI_WAIT_POLLS);
	if (gshmemi_arch_load(c->poison, 4))
		return GSHMEMI_NET_DEAD;
	return gshmemi_wait_longer(
		started_ns, &c->answer[slot].low, 4, 0, GSHMEM_CMP_EQ, seq, -1, GSHMEMI_NET_CALL, 0);
}

/*
 * Poll for the answer to the slot's step, for a while. started_ns is 0 at first, then what the
 * last call returned.
 */
GSHMEMI_COLD uint64_t gshmemi_net_await_at(uint32_t slot, uint64_t lanes, uint64_t started_ns)
{
	GSHMEMI_NET_UNIFORM(slot);
	GSHMEMI_NET_UNIFORM(lanes);
	GSHMEMI_NET_UNIFORM(started_ns);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		started_ns = gshmemi_net_poll(slot, started_ns);
	return gshmemi_arch_broadcast(started_ns, lanes);
}

/* Waits for the answer. Returns 0 if the channel is dead. */
GSHMEMI_FN int gshmemi_net_await(uint32_t slot, uint64_t lanes)
{
	uint64_t started_ns = 0;

	for (;;) {
		started_ns = gshmemi_net_await_at(slot, lanes, started_ns);
		GSHMEMI_NET_UNIFORM(started_ns);
		if (started_ns == GSHMEMI_NET_ANSWERED || started_ns == GSHMEMI_NET_DEAD)
			break;
		gshmemi_net_attend();
	}
	return started_ns == GSHMEMI_NET_ANSWERED;
}

/*
 * Take the answer, with nbytes for the local end of a get or accumulate, and close the slot. Returns the
 * answered value.
 */
GSHMEMI_COLD uint64_t gshmemi_net_take_at(
	uint32_t slot, uint64_t lanes, uint64_t head, uint64_t local, unsigned nbytes)
{
	const struct gshmemi_op_record *r;
	uint64_t value;

	GSHMEMI_NET_UNIFORM(slot);
	GSHMEMI_NET_UNIFORM(lanes);
	r = gshmemi_net_line_of(slot, nbytes);
	gshmemi_arch_fence_acquire();
	value = r->u.amo.value;
	if (gshmemi_op_what(head) != GSHMEMI_PUT)
		gshmemi_net_copy((char *)(uintptr_t)local, r->u.data, nbytes);
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	gshmemi_arch_fence_reads();
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		gshmemi_rpc_close(&gshmemi_state.rpc, slot, gshmemi_net_seq(slot), 0);
	return value;
}

/* Post the lines, and take the answer if there is one. Returns 0 if the channel is dead. */
GSHMEMI_FN int gshmemi_net_request(
	uint32_t slot, uint64_t lanes, uint64_t head, uint64_t local, unsigned nbytes, uint64_t *value_p)
{
	*value_p = 0;
	if (gshmemi_net_post_at(slot, lanes, head, nbytes > GSHMEMI_OP_INLINE_NBYTES)) {
		if (!gshmemi_net_await(slot, lanes))
			return 0;
		*value_p = gshmemi_net_take_at(slot, lanes, head, local, nbytes);
	}
	gshmemi_net_asked();
	return 1;
}

/*
 * Requests of each lane that is here. a and b are the first words behind the place. Of an INLINE put or get,
 * a is the local end and b its bytes, of which each request takes as many as fit.
 */
GSHMEMI_COLD uint64_t gshmemi_net_lines_at(uint64_t offset, uint64_t head, uint64_t a, uint64_t b)
{
	uint64_t lanes, value;
	unsigned nbytes;
	uint32_t slot;

	for (;;) {
		lanes = gshmemi_arch_wave_here(GSHMEMI_RPC_CARRY);
		slot = gshmemi_net_open(lanes, head);
		if (slot == GSHMEMI_RPC_NO_SLOT)
			return 0;
		nbytes = gshmemi_net_fill_at(slot, lanes, offset, head, a, b);
		if (!gshmemi_net_request(slot, lanes, head, a, nbytes, &value))
			return 0;
		if (!(head & GSHMEMI_OP_INLINE) || b == nbytes)
			return value;
		offset += nbytes;
		a += nbytes;
		b -= nbytes;
	}
}

/* A request of each lane that is here, with five words behind its place. */
GSHMEMI_COLD uint64_t gshmemi_net_long_at(
	uint64_t offset, uint64_t head, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	const uint64_t lanes = gshmemi_arch_wave_here(GSHMEMI_RPC_CARRY);
	const uint32_t slot = gshmemi_net_open(lanes, head);
	struct gshmemi_op_record *r;
	uint64_t value;

	if (slot == GSHMEMI_RPC_NO_SLOT)
		return 0;
	(void)gshmemi_net_fill_at(slot, lanes, offset, head, a, b);
	r = gshmemi_net_line_of(slot, 0);
	r->u.word[2] = c;
	r->u.word[3] = d;
	r->u.word[4] = e;
	(void)gshmemi_net_request(slot, lanes, head, 0, 0, &value);
	return value;
}

/* The head of a record for an object, whose region it finds. */
GSHMEMI_FN uint64_t gshmemi_net_op_head(
	int what, int op, unsigned nbytes, unsigned flags, unsigned region, const void *symmetric, int pe)
{
	return gshmemi_op_head(what, op, nbytes, flags, gshmemi_region_of(region, symmetric), (uint32_t)pe);
}

GSHMEMI_FN uint64_t gshmemi_net_offset(unsigned region, const void *symmetric)
{
	region = gshmemi_region_of(region, symmetric);
	return (uint64_t)((uintptr_t)symmetric - (uintptr_t)gshmemi_state.regions[region].base);
}

/*
 * Have the owner perform an operation that has passed gshmemi_slow_at, with the same arguments. An ORDERED
 * put returns when the owner will have the data before what this context asks later.
 */
GSHMEMI_FN uint64_t gshmemi_net_at(uint64_t head, const void *symmetric, uint64_t a, uint64_t b, int pe)
{
	const unsigned region = gshmemi_region_of(gshmemi_op_region(head), symmetric);
	const uint64_t offset = gshmemi_net_offset(region, symmetric);
	const int what = gshmemi_op_what(head);

	head = (uint16_t)head | region << GSHMEMI_OP_REGION_SHIFT |
		(uint64_t)(uint32_t)pe << GSHMEMI_OP_WHO_SHIFT;
	if (what <= GSHMEMI_GET && !b)
		return 0;
	if (what <= GSHMEMI_GET &&
		(b <= GSHMEMI_OP_INLINE_NBYTES || !gshmemi_net_reaches((const void *)(uintptr_t)a)))
		head = (head & ~(uint64_t)GSHMEMI_OP_NBI) | GSHMEMI_OP_INLINE;
	if (what == GSHMEMI_PUT ? head & GSHMEMI_OP_ORDERED || !(head & (GSHMEMI_OP_INLINE | GSHMEMI_OP_NBI))
			: what == GSHMEMI_GET ? !(head & GSHMEMI_OP_NBI)
					      : what == GSHMEMI_GET_VALUE || head & GSHMEMI_OP_FETCHES)
		head |= GSHMEMI_OP_WAITS;
	return gshmemi_net_lines_at(offset, head, a, b);
}

/* GSHMEM_STATS: counts a put with a signal. */
GSHMEMI_COLD void gshmemi_net_count_at(uint64_t head, uint64_t nbytes)
{
	const unsigned region = gshmemi_op_region(head);
	const int pe = (int)gshmemi_op_who(head);

	gshmemi_count_one(GSHMEMI_PUT, region, 0, 0, nbytes, pe);
	gshmemi_count_one(GSHMEMI_AMO, region, GSHMEMI_AMO_SET, GSHMEMI_COND_SIGNAL, 8, pe);
}

/* Fill the lane's line with the put's half of a put with a signal. */
GSHMEMI_COLD void gshmemi_net_fill_put_at(
	uint32_t slot, uint64_t lanes, uint64_t head, const void *dest, const void *source, uint64_t nbytes)
{
	struct gshmemi_op_record *r;

	GSHMEMI_NET_UNIFORM(slot);
	r = gshmemi_net_line_of(slot, 0);
	r->head = head;
	r->place = gshmemi_net_offset(gshmemi_op_region(head), dest);
	r->u.signal.value = lanes; /* for the other half */
	if (head & GSHMEMI_OP_INLINE) {
		r->place |= nbytes << GSHMEMI_OP_NBYTES_SHIFT;
		gshmemi_net_copy((char *)&r->u.signal.local, (const char *)source, (unsigned)nbytes);
	} else {
		r->u.signal.local = (uintptr_t)source;
		r->u.signal.nbytes = nbytes;
	}
}

/*
 * A put with a signal takes more arguments than a function that kernels may call should have. So hold fills
 * the put's half of the lines and keeps the slot, and gshmemi_net_signal_at fills the other half and
 * posts. In between a lane may ask for no other slot (rpc_slot.h says why). Returns the slot + 1; 0 if the
 * operation must be two: the PE is mapped, or some lane's data fits into no line. A lane whose data does
 * not fit would ask for slots while others of its wave hold one.
 */
GSHMEMI_COLD uint32_t gshmemi_net_hold_at(
	uint64_t head, const void *dest, const void *source, uint64_t nbytes)
{
	uint64_t lanes;
	uint32_t slot;

	if (!gshmemi_is_asked(gshmemi_op_region(head), (int)gshmemi_op_who(head), 1))
		return 0;
	if (nbytes <= GSHMEMI_OP_INLINE_SIGNAL_NBYTES)
		head |= GSHMEMI_OP_INLINE;
	else if (!(head & GSHMEMI_OP_NBI))
		head |= GSHMEMI_OP_WAITS;
	lanes = gshmemi_arch_wave_here(GSHMEMI_RPC_CARRY);
	if (!GSHMEMI_ARCH_HOST_DIRECT &&
		gshmemi_arch_ballot(!(head & GSHMEMI_OP_INLINE) && !gshmemi_net_reaches(source), lanes))
		return 0;
	slot = gshmemi_net_open(lanes, head);
	if (slot == GSHMEMI_RPC_NO_SLOT)
		return 0;
	gshmemi_net_fill_put_at(slot, lanes, head, dest, source, nbytes);
	if (gshmemi_state.why & GSHMEMI_WHY_STATS)
		gshmemi_net_count_at(head, nbytes);
	return slot + 1;
}

GSHMEMI_COLD void gshmemi_net_signal_at(uint32_t held, const uint64_t *sig_addr, uint64_t signal)
{
	uint32_t slot = held - 1;
	struct gshmemi_op_record *r;
	uint64_t lanes, head;
	unsigned region;

	GSHMEMI_NET_UNIFORM(slot);
	r = gshmemi_net_line_of(slot, 0);
	lanes = r->u.signal.value;
	head = r->head;
	GSHMEMI_NET_UNIFORM(lanes);
	region = gshmemi_region_of(gshmemi_op_region(head), sig_addr);
	r->u.signal.value = signal;
	r->u.signal.place =
		gshmemi_net_offset(region, sig_addr) | (uint64_t)region << GSHMEMI_OP_NBYTES_SHIFT;
	(void)gshmemi_net_request(slot, lanes, head, 0, 0, &signal);
}

/* The operations below have been checked, and the library reaches their local ends. */

GSHMEMI_FN void gshmemi_net_blocks(
	int what, unsigned region, const void *symmetric, const void *local, struct gshmemi_blocks b, int pe)
{
	const int is_put = what == GSHMEMI_PUT_BLOCKS;
	const ptrdiff_t stride = is_put ? b.dst : b.sst, local_stride = is_put ? b.sst : b.dst;

	(void)gshmemi_net_long_at(gshmemi_net_offset(region, symmetric),
		gshmemi_net_op_head(what, 0, 1, GSHMEMI_OP_WAITS, region, symmetric, pe), (uintptr_t)local,
		b.bsize * b.elem_nbytes, b.nblocks, (uint64_t)stride * b.elem_nbytes,
		(uint64_t)local_stride * b.elem_nbytes);
}

GSHMEMI_FN void gshmemi_net_amo_nbi(
	unsigned region, void *fetch, const void *dest, struct gshmemi_update u, int pe)
{
	(void)gshmemi_net_long_at(gshmemi_net_offset(region, dest),
		gshmemi_net_op_head(GSHMEMI_AMO, u.op, u.nbytes, GSHMEMI_OP_TO_MEMORY, region, dest, pe),
		u.value, u.cond, (uintptr_t)fetch, 0, 0);
}

GSHMEMI_FN uint64_t gshmemi_net_elements_head(const struct gshmemi_elements *e, unsigned flags)
{
	return gshmemi_net_op_head(GSHMEMI_ACCUMULATE, e->op, e->elem_nbytes,
		flags | (e->old ? GSHMEMI_OP_FETCHES : 0), e->region, e->symmetric, e->pe);
}

GSHMEMI_FN uint64_t gshmemi_net_elements_place(const struct gshmemi_elements *e)
{
	return gshmemi_net_offset(e->region, e->symmetric) | (uint64_t)e->kind << GSHMEMI_OP_NBYTES_SHIFT;
}

/* Any number of elements, whose source the library reaches, and old. */
GSHMEMI_FN void gshmemi_net_elements(const struct gshmemi_elements *e)
{
	(void)gshmemi_net_long_at(gshmemi_net_elements_place(e),
		gshmemi_net_elements_head(e, GSHMEMI_OP_WAITS),
		gshmemi_net_offset(GSHMEMI_REGION_CONTROL, e->lock), (uintptr_t)e->source, e->nbytes,
		(uintptr_t)e->old, 0);
}

/*
 * One element, in the line. nbytes: with the element to compare with, those of two. The lane waits until the
 * library has taken the request, because slots are not served in the order in which a lane posts, and its
 * next update of the element must come after this one.
 */
GSHMEMI_FN void gshmemi_net_element(const struct gshmemi_elements *e)
{
	const uint64_t head = gshmemi_net_elements_head(e, GSHMEMI_OP_INLINE | GSHMEMI_OP_WAITS);
	const uint64_t lanes = gshmemi_arch_wave_here(GSHMEMI_RPC_CARRY);
	const uint32_t slot = gshmemi_net_open(lanes, head);
	struct gshmemi_op_record *r;
	uint64_t value;

	if (slot == GSHMEMI_RPC_NO_SLOT)
		return;
	(void)gshmemi_net_fill_at(slot, lanes, gshmemi_net_elements_place(e), head,
		gshmemi_net_offset(GSHMEMI_REGION_CONTROL, e->lock), 0);
	r = gshmemi_net_line_of(slot, 0);
	if (e->source)
		gshmemi_net_copy((char *)&r->u.elements.local, (const char *)e->source, (unsigned)e->nbytes);
	(void)gshmemi_net_request(slot, lanes, head, (uintptr_t)e->old, e->old ? e->elem_nbytes : 0, &value);
}

/* Read the word of a lock, once it is this turn or before. Requests do not name their call. */
GSHMEMI_FN uint64_t gshmemi_net_lock(
	unsigned region, const void *word, int which, uint32_t turn, int pe, const char *call)
{
	(void)call;
	return gshmemi_net_lines_at(gshmemi_net_offset(region, word),
		gshmemi_net_op_head(
			GSHMEMI_LOCK, which, 8, GSHMEMI_OP_FETCHES | GSHMEMI_OP_WAITS, region, word, pe),
		turn, 0);
}

/* ---- order ---- */

/*
 * Ask the server, by one lane, about what it and the lanes with it have posted; returns the answer. GPUs use
 * the functions for requests, whose registers kernels pay for anyway.
 */
GSHMEMI_FN uint64_t gshmemi_net_question(uint32_t id, int context)
{
	const struct gshmemi_rpc_channel *const c = &gshmemi_state.rpc;
	const uint64_t me = 1ULL << gshmemi_arch_lane();
	const struct gshmemi_rpc_answer *answer;
	uint64_t value;
	uint32_t slot;

	slot = gshmemi_net_open(me, GSHMEMI_OP_WAITS);
	if (slot == GSHMEMI_RPC_NO_SLOT)
		return 0;
	gshmemi_arch_store(&c->header[slot].arg[0], (unsigned)context, 8);
	gshmemi_rpc_write_header(c, slot, me, id, GSHMEMI_RPC_INLINE);
	gshmemi_rpc_post(c, slot, gshmemi_net_seq(slot));
	if (!gshmemi_net_await(slot, me))
		return 0;
	answer = &c->answer[slot];
	value = gshmemi_arch_load(&answer->low, 8) >> 32 | gshmemi_arch_load(&answer->high, 8) >> 32 << 32;
	gshmemi_rpc_close(c, slot, gshmemi_net_seq(slot), 0);
	return value;
}

/* Whether all posted requests are known to have been performed. */
GSHMEMI_COLD int gshmemi_net_has_arrived_at(void)
{
	const struct gshmemi_rpc_posts *const posts = gshmemi_state.rpc.posts;
	const uint64_t known = gshmemi_arch_load(&posts->arrived, 8);

	gshmemi_arch_fence_acquire(); /* pairs with the fence of the request that counts as arrived */
	return known == gshmemi_arch_load(&posts->carried, 8);
}

GSHMEMI_COLD void gshmemi_net_arrive_at(uint64_t found)
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
GSHMEMI_FN void gshmemi_net_ask(uint32_t id, int context)
{
	uint64_t lanes;

	if (gshmemi_net_has_arrived_at()) {
		gshmemi_net_settle_here();
		return;
	}
	lanes = gshmemi_arch_wave_here((uint64_t)id << 32 | (unsigned)context);
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	if (gshmemi_arch_group_rank(GSHMEMI_WAVE, lanes) == 0)
		gshmemi_net_arrive_at(gshmemi_net_question(id, context));
	gshmemi_arch_group_sync(GSHMEMI_WAVE, lanes);
	gshmemi_arch_fence_acquire();
}

GSHMEMI_COLD void gshmemi_net_order(int context)
{
	gshmemi_net_ask(GSHMEMI_RPC_ORDER, context);
}

GSHMEMI_COLD void gshmemi_net_complete(int context, const int *target_pes, size_t npes)
{
	(void)target_pes; /* requests to other PEs are completed, too */
	(void)npes;
	gshmemi_net_ask(GSHMEMI_RPC_COMPLETE, context);
}
#endif

#endif /* GSHMEM_RPC_NET_H */
