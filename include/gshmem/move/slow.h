/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slow path: what lies behind a sentinel. A call comes here when its PE has no entry in the direct
 * tables, when nobody filled the state, or when GSHMEM_CHECK or a carrier put sentinels into the tables on
 * purpose. All of it is out of line, so that it costs the direct path one test.
 *
 * Each function checks its arguments if GSHMEM_CHECK asks for it, looks into the true tables, and performs
 * the operation if the memory is mapped, or has a carrier perform it (carry.h). It returns no address:
 * compilers make worse loops of a copy that two paths lead to.
 */
#ifndef GSHMEM_SLOW_H
#define GSHMEM_SLOW_H

#include <gshmem/move/record.h>

/*
 * The head of a record for gshmemi_slow_at. align is that of the object, or the bytes of the value; op of a
 * put, get or FIND is its scope. If that is a group's, the threads of a wave compare their arguments.
 */
GSHMEMI_FN uint64_t gshmemi_slow_what(int what, int op, unsigned align, unsigned flags, unsigned region)
{
	return gshmemi_op_head(what, op, align, flags, region, gshmemi_arch_caller());
}

/*
 * The region of a symmetric object. What a call takes for an object of the heap may be a program's variable;
 * region may then name either.
 */
GSHMEMI_FN unsigned gshmemi_region_of(unsigned region, const void *address)
{
	(void)address; /* where no variable is symmetric */
	if (GSHMEMI_ARCH_HAS_GLOBALS && (region == GSHMEMI_REGION_HEAP || region == GSHMEMI_REGION_GLOBALS))
		region = GSHMEMI_ARCH_IS_GLOBAL(address, 1) ? GSHMEMI_REGION_GLOBALS : GSHMEMI_REGION_HEAP;
	return region;
}

/* Finds the region and offset of a symmetric object. */
GSHMEMI_FN void gshmemi_find_place(
	unsigned region, const void *address, uint16_t *region_p, uint64_t *offset_p)
{
	region = gshmemi_region_of(region, address);
	*region_p = (uint16_t)region;
	*offset_p = (uint64_t)((uintptr_t)address - (uintptr_t)gshmemi_state.regions[region].base);
}

/* Begins to describe an operation on the symmetric object at address; the caller fills in the rest. */
GSHMEMI_FN struct gshmemi_operation gshmemi_describe(int what, unsigned region, const void *address, int pe)
{
	struct gshmemi_operation o;

	__builtin_memset(&o, 0, sizeof o);
	o.what = (uint8_t)what;
	o.pe = pe;
	o.nblocks = 1;
	gshmemi_find_place(region, address, &o.region, &o.offset);
	return o;
}

/*
 * GSHMEM_TRACE: record an operation that a carrier or the host performs, from now until gshmemi_trace_end.
 * Takes what gshmemi_count_one takes.
 */
GSHMEMI_FN uint64_t gshmemi_slow_trace(
	int what, unsigned region, int op, uint64_t cond, uint64_t nbytes, int pe, const char *call)
{
	if (GSHMEMI_TRACES_DIRECT || !nbytes || !gshmemi_is_traced())
		return 0;
	return gshmemi_record_one(what, region, op, cond, nbytes, pe, call);
}

/* The same, and count it if GSHMEM_STATS asks. */
GSHMEMI_FN uint64_t gshmemi_slow_begin(
	int what, unsigned region, int op, uint64_t cond, uint64_t nbytes, int pe, const char *call)
{
	if (gshmemi_state.why & GSHMEMI_WHY_STATS)
		gshmemi_count_one(what, region, op, cond, nbytes, pe);
	return gshmemi_slow_trace(what, region, op, cond, nbytes, pe, call);
}

/* The same for an operation that is described. */
GSHMEMI_FN uint64_t gshmemi_slow_begin_described(const struct gshmemi_operation *o, const char *call)
{
	return gshmemi_slow_begin(o->what, o->region, o->op, o->cond, o->nbytes * o->nblocks, o->pe, call);
}

/* The signal of a PUT_SIGNAL is an operation of its own, and is recorded as a moment. */
GSHMEMI_FN void gshmemi_slow_end_described(const struct gshmemi_operation *o, uint64_t open, const char *call)
{
	gshmemi_trace_end(open);
	if (o->what == GSHMEMI_PUT_SIGNAL)
		gshmemi_trace_end(gshmemi_slow_begin(
			GSHMEMI_AMO, o->sig_region, GSHMEMI_AMO_SET, GSHMEMI_COND_SIGNAL, 8, o->pe, call));
}

/* Count, record and hand over an operation that has been checked and described. */
GSHMEMI_FN uint64_t gshmemi_slow_hand_over(const struct gshmemi_operation *o, const char *call)
{
	const uint64_t open = gshmemi_slow_begin_described(o, call);
	const uint64_t old = gshmemi_carry_at(o);

	gshmemi_slow_end_described(o, open, call);
	return old;
}

#if GSHMEMI_ARCH_HAS_DELIVERY
/* Have a carrier perform an operation that has passed gshmemi_slow_at. */
GSHMEMI_FN uint64_t gshmemi_slow_carry(uint64_t head, const void *symmetric, uint64_t a, uint64_t b, int pe)
{
	const int what = gshmemi_op_what(head);
	const int is_value = what == GSHMEMI_PUT_VALUE || what == GSHMEMI_GET_VALUE;
	struct gshmemi_operation o =
		gshmemi_describe(is_value ? what & 1 : what, gshmemi_op_region(head), symmetric, pe);
	uint64_t value = a, old;

	o.op = (uint8_t)gshmemi_op_op(head);
	if (what == GSHMEMI_AMO)
		o.fetches = (head & GSHMEMI_OP_FETCHES) != 0;
	else
		o.is_nbi = (head & GSHMEMI_OP_NBI) != 0;
	o.nbytes = gshmemi_op_word_nbytes(head);
	o.value = a;
	o.cond = b;
	if (what <= GSHMEMI_GET) {
		o.local = (void *)(uintptr_t)a;
		o.nbytes = b;
	} else if (is_value) {
		o.local = &value;
	}
	old = gshmemi_carry_at(&o);
	return what == GSHMEMI_AMO ? old : value;
}
#else
/*
 * Perform an operation that has passed gshmemi_slow_at, at its peer address. On a GPU its description stays
 * in registers: a kernel pays for the registers and the stack of every function that it may call. On AMD a
 * function that calls another needs more of both than one that does the work itself; on NVIDIA it is the
 * other way round.
 */
#if GSHMEMI_ARCH_NESTS_CALLS
#define GSHMEMI_COLD_PERFORM GSHMEMI_COLD
#else
#define GSHMEMI_COLD_PERFORM GSHMEMI_FN
#endif
GSHMEMI_COLD_PERFORM uint64_t gshmemi_slow_perform_at(uint64_t head, char *there, uint64_t a, uint64_t b)
{
	const unsigned nbytes = gshmemi_op_word_nbytes(head);

	switch (gshmemi_op_what(head)) {
	case GSHMEMI_PUT:
		gshmemi_apply_copy(GSHMEMI_TO_PEER, there, (const char *)(uintptr_t)a, b);
		return 0;
	case GSHMEMI_GET:
		gshmemi_arch_fence_read_peer();
		gshmemi_apply_copy(GSHMEMI_FROM_PEER, (char *)(uintptr_t)a, there, b);
		return 0;
	case GSHMEMI_PUT_VALUE:
		gshmemi_arch_store(there, a, nbytes);
		return 0;
	case GSHMEMI_GET_VALUE:
		return gshmemi_arch_load(there, nbytes);
	case GSHMEMI_AMO:
		return gshmemi_amo_peer(gshmemi_op_op(head), there, a, b, nbytes);
	default:
		gshmemi_apply_flag((uint64_t *)(void *)there, a);
		return 0;
	}
}

#endif

/*
 * Whether a kernel asks its library to have an operation performed, because this process cannot reach the
 * memory of pe. The library itself describes such operations, and hands them to the net.
 */
#ifdef GSHMEMI_LIBRARY
#define GSHMEMI_ASKS           0
#define GSHMEMI_WAITS_AT_OWNER 1 /* for locks */
#else
#define GSHMEMI_ASKS           GSHMEMI_HAS_NET
#define GSHMEMI_WAITS_AT_OWNER (GSHMEMI_ASKS && !GSHMEMI_ON_HOST())
#endif
GSHMEMI_FN int gshmemi_is_over_net(unsigned region, int pe, int is_amo)
{
	return gshmemi_is_slow(GSHMEMI_WHY_NET) && !gshmemi_is_mapped(region, pe, is_amo);
}

GSHMEMI_FN int gshmemi_is_asked(unsigned region, int pe, int is_amo)
{
	return GSHMEMI_ASKS && gshmemi_is_over_net(region, pe, is_amo);
}

/*
 * The requests, for operations that have been checked: rpc/net.h. at is for any that gshmemi_slow_at has
 * checked, lock reads a lock's word. The library reaches the local ends of the others, or they hold.
 */
#ifdef GSHMEMI_LIBRARY
#define gshmemi_net_at(head, symmetric, a, b, pe) ((uint64_t)0)
#define gshmemi_net_hold_at(...)                  0U
#define gshmemi_net_signal_at(...)                ((void)0)
#define gshmemi_net_blocks(...)                   ((void)0)
#define gshmemi_net_amo_nbi(...)                  ((void)0)
#else
GSHMEMI_FN uint64_t gshmemi_net_at(uint64_t head, const void *symmetric, uint64_t a, uint64_t b, int pe);
GSHMEMI_COLD uint32_t gshmemi_net_hold_at(
	uint64_t head, const void *dest, const void *source, uint64_t nbytes);
GSHMEMI_COLD void gshmemi_net_signal_at(uint32_t held, const uint64_t *sig_addr, uint64_t signal);
GSHMEMI_FN void gshmemi_net_blocks(
	int what, unsigned region, const void *symmetric, const void *local, struct gshmemi_blocks b, int pe);
GSHMEMI_FN void gshmemi_net_amo_nbi(
	unsigned region, void *fetch, const void *dest, struct gshmemi_update u, int pe);
GSHMEMI_FN uint64_t gshmemi_net_lock(
	unsigned region, const void *word, int which, uint32_t turn, int pe, const char *call);
#endif

/* Bytes that a call of gshmemi_slow_at moves. */
GSHMEMI_FN uint64_t gshmemi_slow_nbytes(uint64_t head, uint64_t b)
{
	return gshmemi_op_what(head) <= GSHMEMI_GET ? b : gshmemi_op_word_nbytes(head);
}

/*
 * Counts a call of gshmemi_slow_at, by the thread that performs it. It comes first, while few registers are
 * in use: after the checks it would cost every kernel with a put two more registers.
 */
GSHMEMI_FN void gshmemi_slow_count(uint64_t head, uint64_t b, int pe)
{
	const int what = gshmemi_op_what(head);

	if (what >= GSHMEMI_FIND || head & GSHMEMI_OP_CHECK ||
		(unsigned)gshmemi_pe_in_world(pe) >= (unsigned)gshmemi_state.npes)
		return;
	gshmemi_count_one(
		what, gshmemi_op_region(head), gshmemi_op_op(head), b, gshmemi_slow_nbytes(head, b), pe);
}

/*
 * The one function that a kernel's put, get or atomic calls. It checks and performs the operation, and
 * returns what it fetched; of FIND it returns the peer address, or 0 if a carrier must perform the operation.
 *
 *   what        a                 b
 *   PUT, GET    the local end     bytes
 *   PUT_VALUE   the value
 *   AMO         value             cond
 *   FLAG        value
 *   FIND        the local end     bytes
 *
 * It asks in turn: do the threads of the wave agree (where gshmemi_check_move does not ask), is the state
 * filled, does the PE exist, is the address good, who performs the operation? A fault does not return.
 * Arguments and locals take few registers, because kernels pay for them.
 */
GSHMEMI_COLD uint64_t gshmemi_slow_at(
	uint64_t head, const void *symmetric, uint64_t a, uint64_t b, int pe, const char *call)
{
	const int what = gshmemi_op_what(head), world_pe = gshmemi_pe_in_world(pe);
	const int is_amo = what == GSHMEMI_AMO || what == GSHMEMI_FIND_AMO;
	const int has_bytes = what <= GSHMEMI_GET || what >= GSHMEMI_FIND;
	uint64_t detail = 0; /* of the fault: what was found or expected */
	uint64_t open;
	ptrdiff_t delta = GSHMEMI_SENTINEL;
	int fault = 0, peer = 0;

	call = (const char *)(uintptr_t)gshmemi_arch_uniform((uint64_t)(uintptr_t)call);
	if (gshmemi_state.why & GSHMEMI_WHY_STATS)
		gshmemi_slow_count(head, b, pe);
	if (!GSHMEMI_ARCH_COMPARES_APART && has_bytes && gshmemi_op_op(head) != GSHMEMI_THREAD &&
		gshmemi_state.why & GSHMEMI_WHY_CHECK) {
		const uint64_t lanes = gshmemi_arch_wave_some(0);
		const unsigned is_get = what == GSHMEMI_GET;

		if (!gshmemi_arch_wave_agrees((unsigned)pe, lanes))
			fault = GSHMEMI_FAULT_UNEQUAL_WAVE, detail = GSHMEMI_ARGS_MOVE + 3;
		if (!gshmemi_arch_wave_agrees(b, lanes))
			fault = GSHMEMI_FAULT_UNEQUAL_WAVE, detail = GSHMEMI_ARGS_MOVE + 2;
		if (!gshmemi_arch_wave_agrees(a, lanes))
			fault = GSHMEMI_FAULT_UNEQUAL_WAVE, detail = GSHMEMI_ARGS_MOVE + !is_get;
		if (!gshmemi_arch_wave_agrees((uintptr_t)symmetric, lanes))
			fault = GSHMEMI_FAULT_UNEQUAL_WAVE, detail = GSHMEMI_ARGS_MOVE + is_get;
	}
	if (fault) {
		/* threads of the group disagree */
	} else if (gshmemi_state.why & GSHMEMI_WHY_UNSET) {
		fault = GSHMEMI_FAULT_NOT_INITIALIZED;
	} else if (world_pe < 0 || world_pe >= gshmemi_state.npes) {
		fault = GSHMEMI_FAULT_BAD_PE;
		detail = (uint64_t)gshmemi_state.npes;
	} else if (gshmemi_state.why & GSHMEMI_WHY_CHECK && !(has_bytes && !b) &&
		gshmemi_op_region(head) == GSHMEMI_REGION_HEAP) {
		fault = gshmemi_check_symmetric(has_bytes && !a ? NULL : symmetric,
			has_bytes ? b : gshmemi_op_word_nbytes(head), gshmemi_op_word_nbytes(head), &detail);
	}
	if (!fault) {
		peer = gshmemi_state.peers[world_pe];
		delta = gshmemi_distance(gshmemi_op_region(head), peer, is_amo);
		if (delta == GSHMEMI_SENTINEL && !(gshmemi_state.why & GSHMEMI_WHY_NET))
			fault = is_amo ? GSHMEMI_FAULT_NO_ATOMICS : GSHMEMI_FAULT_UNREACHABLE;
	}
	if (fault) { /* the return tells compilers that nothing after this needs the arguments */
		gshmemi_fault_raise(fault, world_pe, symmetric, has_bytes ? b : gshmemi_op_word_nbytes(head),
			detail, detail, call, gshmemi_op_who(head));
		return 0;
	}
	if (what >= GSHMEMI_FIND)
		return peer & GSHMEMI_PEER_CARRIED || delta == GSHMEMI_SENTINEL
			? 0
			: (uintptr_t)symmetric + (uintptr_t)delta;
	if (head & GSHMEMI_OP_CHECK)
		return 0;
	open = gshmemi_slow_trace(what, gshmemi_op_region(head), gshmemi_op_op(head), b,
		gshmemi_slow_nbytes(head, b), pe, call);
	if (GSHMEMI_ASKS && delta == GSHMEMI_SENTINEL)
		a = gshmemi_net_at(head, symmetric, a, b, pe);
	else
#if GSHMEMI_ARCH_HAS_DELIVERY
		a = gshmemi_slow_carry(head, symmetric, a, b, pe);
#else
		a = gshmemi_slow_perform_at(head, (char *)(uintptr_t)symmetric + delta, a, b);
#endif
	gshmemi_trace_end(open);
	return a;
}

/* Only check an operation, which the caller then describes. */
GSHMEMI_FN void gshmemi_slow_check(int what, unsigned region, int scope, const void *symmetric,
	const void *local, struct gshmemi_extent extent, int pe, const char *call)
{
	(void)gshmemi_slow_at(gshmemi_slow_what(what, scope, extent.align, 0, region), symmetric,
		(uintptr_t)local, extent.nbytes, pe, call);
}

/* ---- put and get ---- */

/*
 * When a whole group has arrived, one thread performs its operation or hands it over. It is the last thread:
 * on a GPU's direct path each thread moves a share, so code that completes the operation by the quiet of
 * another thread, most often the first one, is wrong, and shows here that it is.
 */
GSHMEMI_FN void gshmemi_slow_move(int what, unsigned region, int scope, const void *symmetric,
	const void *local, struct gshmemi_extent extent, int pe, const char *call)
{
	struct gshmemi_group group;
	unsigned flags = extent.is_nbi ? GSHMEMI_OP_NBI : 0;

	if (what == GSHMEMI_PUT)
		gshmemi_check_move(scope, symmetric, local, extent.nbytes, pe, call);
	else
		gshmemi_check_move(scope, local, symmetric, extent.nbytes, pe, call);
	group = gshmemi_group_enter(scope, GSHMEMI_KEY(symmetric, local));
	if (group.rank != group.size - 1)
		flags |= GSHMEMI_OP_CHECK;
	(void)gshmemi_slow_at(gshmemi_slow_what(what, scope, extent.align, flags, region), symmetric,
		(uintptr_t)local, extent.nbytes, pe, call);
	gshmemi_group_sync(&group);
}

/*
 * The value is passed in registers, so that a GPU need not write it to memory. nbytes is a constant, as
 * below. The caller stores on both paths: returns an address where the store does no harm.
 */
GSHMEMI_FN void *gshmemi_slow_p(
	unsigned region, void *dest, uint64_t value, unsigned nbytes, int pe, const char *call)
{
	(void)gshmemi_slow_at(gshmemi_slow_what(GSHMEMI_PUT_VALUE, GSHMEMI_THREAD, nbytes, 0, region), dest,
		value, 0, pe, call);
	return gshmemi_state.sink;
}

GSHMEMI_FN void gshmemi_slow_g(
	unsigned region, void *value, const void *source, unsigned nbytes, int pe, const char *call)
{
	gshmemi_value_store(value,
		gshmemi_slow_at(gshmemi_slow_what(GSHMEMI_GET_VALUE, GSHMEMI_THREAD, nbytes, 0, region),
			source, 0, 0, pe, call),
		nbytes);
}

/* An operation of one thread, as part of a call that has checked it. */
GSHMEMI_FN void gshmemi_slow_call(int what, unsigned region, const void *symmetric, const void *local,
	size_t nbytes, int nbi, int pe, const char *call)
{
	if (nbytes)
		(void)gshmemi_slow_at(
			gshmemi_slow_what(what, GSHMEMI_THREAD, 1, nbi ? GSHMEMI_OP_NBI : 0, region),
			symmetric, (uintptr_t)local, nbytes, pe, call);
}

/* ---- blocks ---- */

/* Move blocks, whose strides are at least bsize: they may touch, but not overlap. */
GSHMEMI_FN void gshmemi_slow_blocks(int what, unsigned region, int scope, void *dest, const void *source,
	struct gshmemi_blocks b, int pe, const char *call)
{
	const int is_put = what == GSHMEMI_PUT_BLOCKS;
	const void *symmetric = is_put ? dest : source, *local = is_put ? source : dest;
	const ptrdiff_t in_elements = is_put ? b.dst : b.sst, local_in_elements = is_put ? b.sst : b.dst;
	const ptrdiff_t stride = in_elements * (ptrdiff_t)b.elem_nbytes;
	const ptrdiff_t local_stride = local_in_elements * (ptrdiff_t)b.elem_nbytes;
	const size_t nbytes = b.bsize * b.elem_nbytes;
	struct gshmemi_operation o;
	struct gshmemi_group group;
	uint64_t open;

	gshmemi_check_blocks(scope, dest, source, b, pe, call);
	gshmemi_check_argument(
		in_elements > 0 && (size_t)in_elements >= b.bsize, in_elements, symmetric, pe, call);
	gshmemi_check_argument(local_in_elements > 0 && (size_t)local_in_elements >= b.bsize,
		local_in_elements, symmetric, pe, call);
	gshmemi_slow_check(GSHMEMI_FIND, region, GSHMEMI_THREAD, symmetric, local,
		gshmemi_make_extent(gshmemi_span(b, in_elements), b.elem_nbytes < 8 ? b.elem_nbytes : 8, 0),
		pe, call);
	group = gshmemi_group_enter(scope, GSHMEMI_KEY(symmetric, local));
	if (group.rank != group.size - 1) {
		/* another thread performs it */
	} else if (!gshmemi_is_asked(region, pe, 0)) {
		o = gshmemi_describe(what, region, symmetric, pe);
		o.local = (void *)(uintptr_t)local;
		o.nbytes = nbytes;
		o.nblocks = b.nblocks;
		o.stride = stride;
		o.local_stride = local_stride;
		(void)gshmemi_slow_hand_over(&o, call);
	} else if (gshmemi_net_reaches(local)) {
		open = gshmemi_slow_begin(what, region, 0, 0, nbytes * b.nblocks, pe, call);
		gshmemi_net_blocks(what, region, symmetric, local, b, pe);
		gshmemi_trace_end(open);
	} else {
		for (; b.nblocks; b.nblocks--) {
			gshmemi_slow_call(is_put ? GSHMEMI_PUT : GSHMEMI_GET, region, symmetric, local,
				nbytes, 0, pe, call);
			symmetric = (const char *)symmetric + stride;
			local = (const char *)local + local_stride;
		}
	}
	gshmemi_group_sync(&group);
}

/* ---- atomics and signals ---- */

GSHMEMI_FN uint64_t gshmemi_slow_amo(
	unsigned region, void *dest, struct gshmemi_update u, int pe, const char *call)
{
	return gshmemi_slow_at(
		gshmemi_slow_what(GSHMEMI_AMO, u.op, u.nbytes, u.fetches ? GSHMEMI_OP_FETCHES : 0, region),
		dest, u.value, u.cond, pe, call);
}

/* Part of each call on a GPU, where a function needs a stack. On a CPU it would add 1.5 KB to 96 calls. */
#if GSHMEMI_ARCH_HAS_DELIVERY
#define GSHMEMI_COLD_NBI GSHMEMI_COLD
#else
#define GSHMEMI_COLD_NBI GSHMEMI_FN
#endif
GSHMEMI_COLD_NBI void gshmemi_slow_amo_nbi(
	unsigned region, void *fetch, void *dest, struct gshmemi_update u, int pe, const char *call)
{
	struct gshmemi_operation o;
	uint64_t open, old;

	gshmemi_slow_check(GSHMEMI_FIND_AMO, region, GSHMEMI_THREAD, dest, fetch,
		gshmemi_make_extent(u.nbytes, u.nbytes, 0), pe, call);
	if (gshmemi_is_asked(region, pe, 1)) {
		if (fetch && gshmemi_net_reaches(fetch)) {
			open = gshmemi_slow_begin(GSHMEMI_AMO, region, u.op, u.cond, u.nbytes, pe, call);
			gshmemi_net_amo_nbi(region, fetch, dest, u, pe);
			gshmemi_trace_end(open);
			return;
		}
		old = gshmemi_slow_amo(region, dest, u, pe, call);
		if (fetch)
			__builtin_memcpy(fetch, &old, u.nbytes == 4 ? 4 : 8);
		return;
	}
	o = gshmemi_describe(GSHMEMI_AMO, region, dest, pe);
	o.op = (uint8_t)u.op;
	o.is_nbi = 1;
	o.local = fetch;
	o.nbytes = u.nbytes;
	o.value = u.value;
	o.cond = u.cond;
	(void)gshmemi_slow_hand_over(&o, call);
}

/* Put data and then update a signal, as one operation. */
GSHMEMI_FN void gshmemi_slow_put_signal(unsigned region, int scope, void *dest, const void *source,
	struct gshmemi_extent extent, struct gshmemi_signal s, int pe, const char *call)
{
	const int is_add = s.op == GSHMEM_SIGNAL_ADD, op = is_add ? GSHMEMI_AMO_ADD : GSHMEMI_AMO_SET;
	const unsigned flags = extent.is_nbi ? GSHMEMI_OP_NBI : 0;
	struct gshmemi_group group;
	struct gshmemi_operation o;
	uint32_t held = 0;
	uint64_t open;
	int performs;

	gshmemi_check_move(scope, dest, source, extent.nbytes, pe, call);
	gshmemi_check_args(scope, GSHMEMI_ARGS_SIGNAL, (uintptr_t)s.addr,
		(uintptr_t)dest ^ (uint64_t)(unsigned)pe << 48, s.value, (unsigned)s.op, call);
	gshmemi_check_argument(is_add || s.op == GSHMEM_SIGNAL_SET, s.op, s.addr, pe, call);
	gshmemi_slow_check(GSHMEMI_FIND_AMO, region, GSHMEMI_THREAD, s.addr, s.addr,
		gshmemi_make_extent(8, 8, 0), pe, call);
	gshmemi_slow_check(GSHMEMI_FIND, region, scope, dest, source, extent, pe, call);
	group = gshmemi_group_enter(scope, GSHMEMI_KEY(dest, source));
	performs = group.rank == group.size - 1;
	if (performs && GSHMEMI_ASKS && gshmemi_is_slow(GSHMEMI_WHY_NET))
		held = gshmemi_net_hold_at(gshmemi_op_head(GSHMEMI_PUT_SIGNAL, op, 8, flags,
						   gshmemi_region_of(region, dest), (uint32_t)pe),
			dest, source, extent.nbytes);
	if (!performs) {
		/* another thread does */
	} else if (held) {
		open = gshmemi_slow_trace(GSHMEMI_PUT, region, 0, 0, extent.nbytes, pe, call);
		gshmemi_net_signal_at(held, s.addr, s.value);
		gshmemi_trace_end(open);
		gshmemi_trace_end(
			gshmemi_slow_trace(GSHMEMI_AMO, region, op, GSHMEMI_COND_SIGNAL, 8, pe, call));
	} else if (GSHMEMI_ARCH_HAS_DELIVERY && !gshmemi_is_asked(region, pe, 1)) {
		o = gshmemi_describe(GSHMEMI_PUT_SIGNAL, region, dest, pe);
		gshmemi_find_place(region, s.addr, &o.sig_region, &o.sig_offset);
		o.op = (uint8_t)op;
		o.is_nbi = (uint8_t)extent.is_nbi;
		o.local = (void *)(uintptr_t)source;
		o.nbytes = extent.nbytes;
		o.value = s.value;
		(void)gshmemi_slow_hand_over(&o, call);
	} else {
		if (extent.nbytes)
			(void)gshmemi_slow_at(gshmemi_slow_what(GSHMEMI_PUT, GSHMEMI_THREAD, 1,
						      flags | GSHMEMI_OP_ORDERED, region),
				dest, (uintptr_t)source, extent.nbytes, pe, call);
		gshmemi_delivery_complete(gshmemi_pe_context(pe), NULL, 0);
		/* a carried put has been answered, and the engine delivers the signal after it */
		gshmemi_arch_fence_release();
		(void)gshmemi_slow_amo(region, s.addr,
			gshmemi_make_update(op, s.value, GSHMEMI_COND_SIGNAL, 8, 0), pe, call);
	}
	gshmemi_group_sync(&group);
}

/* ---- order ---- */

/* Faults in fence and quiet if nobody filled the unit's state. */
GSHMEMI_COLD void gshmemi_slow_unset_at(const char *call, uint64_t caller)
{
	if (gshmemi_state.why & GSHMEMI_WHY_UNSET)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_INITIALIZED, -1, NULL, 0, 0, 0, call, caller);
}

/* Checks the PEs of pe_quiet. */
GSHMEMI_COLD void gshmemi_slow_pes_at(const int *target_pes, size_t npes, const char *call, uint64_t caller)
{
	size_t i;

	for (i = 0; i < npes; i++)
		if (target_pes[i] < 0 || target_pes[i] >= gshmemi_state.npes)
			gshmemi_fault_raise(GSHMEMI_FAULT_BAD_PE, target_pes[i], NULL, 0,
				(uint64_t)gshmemi_state.npes, 0, call, caller);
}

#endif /* GSHMEM_SLOW_H */
