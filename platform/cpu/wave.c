/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convergence and cross-lane calls.
 *
 * A wave is settled when each live lane is in a cross-lane call or at a barrier, or is held until the lane
 * that was elected lets it go. Then the mask-less lanes in the same call (operation, site, call chain) form a
 * group. The group that is earliest in the kernel's code goes on alone, with itself as the active mask, and
 * meets the others further down. A call with a mask waits only for the live lanes of the mask. A lane that
 * spins holds up its wave, as on a GPU without independent threads; only HIPCPU_OP_ACTIVE and _HERE go ahead
 * of it, after two polls.
 *
 * With GSHMEM_CPU_DIVERGE, lanes of a wave that have made a call apart stay parted until a call or a
 * barrier joins them. Where parts meet in a mask-less call, some of them, chosen at random, make it
 * without the others.
 *
 * The last lane to arrive computes the results of all.
 */
#include <string.h>

#include "block.h"
#include "processor.h"

const char *hipcpu_op_name(enum hipcpu_op op)
{
	switch (op) {
	case HIPCPU_OP_MASK:
		return "wave mask";
	case HIPCPU_OP_ENTER:
		return "wave mask";
	case HIPCPU_OP_ACTIVE:
		return "__activemask";
	case HIPCPU_OP_HERE:
		return "wave mask";
	case HIPCPU_OP_SYNC:
		return "__syncwarp";
	case HIPCPU_OP_ELECT:
		return "wave rendezvous";
	case HIPCPU_OP_BALLOT:
		return "ballot";
	case HIPCPU_OP_SHUFFLE:
		return "shuffle";
	case HIPCPU_OP_MATCH_ANY:
		return "match_any";
	case HIPCPU_OP_MATCH_ALL:
		return "match_all";
	case HIPCPU_OP_BARRIER:
		return "__syncthreads";
	case HIPCPU_OP_BARRIER_ELECT:
		return "block rendezvous";
	case HIPCPU_OP_COUNT:
		return "__syncthreads_count";
	default:
		return "nothing";
	}
}

/* the innermost functions between the kernel and a cross-lane call by which calls are told apart */
#define MAX_CHAIN 16

/*
 * Where a lane is: the call site, then for each function around it where that was called from, up to
 * the kernel. Line numbers would not do, because helpers stand above the kernels that call them, and
 * in other files.
 */
static unsigned find_chain(const struct hipcpu_call *call, uintptr_t *chain)
{
	const uintptr_t *frame = call->frame;
	unsigned n = 0;

	chain[n++] = (uintptr_t)call->site;
	while (n < MAX_CHAIN && frame[0] != (uintptr_t)call->base) {
		chain[n++] = processor_place(frame[1]);
		if (frame[0] <= (uintptr_t)frame || frame[0] >= (uintptr_t)call->base)
			break; /* compiled without frame pointers */
		frame = (const uintptr_t *)frame[0];
	}
	return n;
}

/*
 * Orders calls by their place in the code: first the place in the kernel, then the places in the functions it
 * calls. Compilers lay out code in the order of the source if they are told to (HIPFLAGS).
 */
static int compare(const struct hipcpu_call *a, const struct hipcpu_call *b)
{
	uintptr_t a_chain[MAX_CHAIN], b_chain[MAX_CHAIN];
	unsigned na = find_chain(a, a_chain), nb = find_chain(b, b_chain);

	while (na && nb) {
		na--;
		nb--;
		if (a_chain[na] != b_chain[nb])
			return a_chain[na] < b_chain[nb] ? -1 : 1;
	}
	if (na != nb)
		return na < nb ? -1 : 1;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	if (a->op == HIPCPU_OP_MASK || a->op == HIPCPU_OP_ENTER || a->op == HIPCPU_OP_HERE ||
		a->op == HIPCPU_OP_ELECT)
		return (a->value > b->value) - (a->value < b->value);
	return 0;
}

#define FOR_LANES(n, set) \
	for (uint64_t rest_ = (set), n = rest_ ? (uint64_t)__builtin_ctzll(rest_) : 0; rest_; \
		rest_ &= rest_ - 1, n = rest_ ? (uint64_t)__builtin_ctzll(rest_) : 0)

/* ---- results ---- */

static void match_any(struct hipcpu_lane *lanes, uint64_t group)
{
	uint64_t left = group;

	while (left) {
		uint64_t value = lanes[__builtin_ctzll(left)].call.value, same = 0;

		FOR_LANES(n, left)
		same |= (uint64_t)(lanes[n].call.value == value) << n;
		FOR_LANES(n, same)
		lanes[n].result = same;
		left &= ~same;
	}
}

/* ---- who is together, for GSHMEM_CPU_DIVERGE ---- */

void hipcpu_waves_join(struct block *b)
{
	if (b->together)
		memset(b->together, 0xff, b->nlanes * sizeof(*b->together));
}

/* The lanes of group have made a call together, without the rest of their wave. */
static void join(struct block *b, unsigned w, uint64_t group)
{
	uint64_t *together = &b->together[w << b->shift];

	FOR_LANES(n, b->waves[w].live)
	together[n] = group >> n & 1 ? group : together[n] & ~group;
}

static uint64_t random_bits(struct block *b)
{
	/* xorshift64* */
	b->seed += !b->seed;
	b->seed ^= b->seed >> 12;
	b->seed ^= b->seed << 25;
	b->seed ^= b->seed >> 27;
	return b->seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* From a group in the same call, picks some of the parts whose lanes are together, at least one. */
static uint64_t random_parts(struct block *b, unsigned w, uint64_t group)
{
	const uint64_t *together = &b->together[w << b->shift];
	uint64_t first = group & together[__builtin_ctzll(group)], parts = 0, bits;

	if (first == group)
		return group;
	bits = random_bits(b);
	while (group) {
		unsigned n = (unsigned)__builtin_ctzll(group);
		uint64_t part = group & together[n];

		if (bits >> n & 1)
			parts |= part;
		group &= ~part;
	}
	return parts ? parts : first;
}

static void complete(struct block *b, unsigned w, uint64_t group)
{
	struct hipcpu_lane *lanes = &b->lanes[w << b->shift];
	struct wave *wave = &b->waves[w];
	unsigned first = (unsigned)__builtin_ctzll(group);
	enum hipcpu_op op = lanes[first].call.op;
	uint64_t result = group, let_go = group;

	switch (op) {
	case HIPCPU_OP_SHUFFLE:
		FOR_LANES(n, group)
		{
			unsigned from = lanes[n].call.from;

			lanes[n].result = lanes[from < b->width && group >> from & 1 ? from : n].call.value;
		}
		break;
	case HIPCPU_OP_MATCH_ANY:
		match_any(lanes, group);
		break;
	case HIPCPU_OP_BALLOT:
		result = 0;
		FOR_LANES(n, group)
		result |= lanes[n].call.value << n;
		break;
	case HIPCPU_OP_MATCH_ALL:
		FOR_LANES(n, group)
		if (lanes[n].call.value != lanes[first].call.value)
			result = 0;
		break;
	case HIPCPU_OP_ELECT:
		result = 0;
		let_go = group & -group;
		break;
	default:
		break;
	}
	if (op != HIPCPU_OP_SHUFFLE && op != HIPCPU_OP_MATCH_ANY)
		FOR_LANES(n, group)
	lanes[n].result = result;
	if (op == HIPCPU_OP_ELECT)
		lanes[first].result = group;
	wave->held |= group & ~let_go;
	wave->ready |= let_go;
	wave->arrived &= ~group;
	wave->masked &= ~group;
	wave->active &= ~group;
	b->ready_waves |= UINT32_C(1) << w;
	wave->uniform = !(wave->arrived & ~wave->masked);
	if (HIPCPU_UNLIKELY(b->together != NULL))
		join(b, w, group);
	hipcpu_race_join(w << b->shift, group);
}

/* ---- groups ---- */

/* Returns the candidates that are earliest in the source. */
static uint64_t lowest_group(const struct hipcpu_lane *lanes, uint64_t candidates)
{
	uint64_t group = candidates & -candidates;
	const struct hipcpu_call *low = &lanes[__builtin_ctzll(candidates)].call;

	FOR_LANES(n, candidates & (candidates - 1))
	{
		int order = compare(&lanes[n].call, low);

		if (order < 0) {
			low = &lanes[n].call;
			group = 0;
		}
		if (order <= 0)
			group |= UINT64_C(1) << n;
	}
	return group;
}

/*
 * GSHMEM_CPU_DIVERGE: returns the candidates that go next. A __syncwarp without a mask is for all lanes, so
 * it comes after every other call and is never split.
 */
static uint64_t diverged_group(struct block *b, unsigned w, uint64_t candidates)
{
	const struct hipcpu_lane *lanes = &b->lanes[w << b->shift];
	uint64_t others = 0, group;

	FOR_LANES(n, candidates)
	others |= (uint64_t)(lanes[n].call.op != HIPCPU_OP_SYNC) << n;
	group = b->waves[w].uniform ? candidates : lowest_group(lanes, others ? others : candidates);
	return others ? random_parts(b, w, group) : group;
}

/* Completes the masked calls all of whose lanes have arrived. */
static void settle_masked(struct block *b, unsigned w)
{
	struct hipcpu_lane *lanes = &b->lanes[w << b->shift];
	struct wave *wave = &b->waves[w];
	uint64_t left = wave->masked;

	while (left) {
		const struct hipcpu_call *call = &lanes[__builtin_ctzll(left)].call;
		uint64_t wanted = call->mask & wave->live, there = 0;

		if (wanted & ~wave->masked) {
			left &= left - 1;
			continue;
		}
		FOR_LANES(n, left & call->mask)
		if (lanes[n].call.op == call->op && lanes[n].call.mask == call->mask)
			there |= UINT64_C(1) << n;
		left &= ~there;
		if (there == wanted)
			complete(b, w, there);
	}
}

void hipcpu_wave_settle(struct block *b, unsigned w)
{
	struct hipcpu_lane *lanes = &b->lanes[w << b->shift];
	struct wave *wave = &b->waves[w];
	uint64_t candidates, group;

	if (wave->masked)
		settle_masked(b, w);
	candidates = wave->arrived & ~wave->masked;
	if (!candidates || (wave->live & ~(wave->arrived | wave->barrier | wave->held)))
		return;
	if (HIPCPU_UNLIKELY(b->together != NULL))
		group = diverged_group(b, w, candidates);
	else
		group = wave->uniform ? candidates : lowest_group(lanes, candidates);
	complete(b, w, group);
}

void hipcpu_wave_settle_active(struct block *b, unsigned w)
{
	struct hipcpu_lane *lanes = &b->lanes[w << b->shift];
	struct wave *wave = &b->waves[w];

	if (wave->live & ~(wave->arrived | wave->barrier | wave->paused | wave->held))
		return;
	FOR_LANES(n, wave->paused)
	if (lanes[n].npauses <= 2)
		return;
	complete(b, w, lowest_group(lanes, wave->active));
}

/* ---- the call ---- */

/* On a host thread, or in a block with one lane: a wave of one lane. */
static uint64_t call_alone(const struct hipcpu_call *call)
{
	switch (call->op) {
	case HIPCPU_OP_SHUFFLE:
		return call->value;
	case HIPCPU_OP_BALLOT:
		return call->value & 1;
	default:
		return 1;
	}
}

/*
 * Copies word by word, as the caller has just stored: a processor does not forward two stores to
 * one wider load.
 */
static inline void set_call(struct hipcpu_call *to, const volatile struct hipcpu_call *from)
{
	to->op = from->op;
	to->line = from->line;
	to->file = from->file;
	to->mask = from->mask;
	to->site = from->site;
	to->frame = from->frame;
	to->value = from->value;
	to->from = from->from;
}

/* Inline, so that the return address is that of the function below. */
static inline __attribute__((always_inline)) uint64_t meet(const struct hipcpu_call *call)
{
	struct hipcpu_lane *me = hipcpu_self;
	struct block *b = hipcpu_block;
	struct wave *wave;
	uint64_t bit;

	if (!me)
		return call_alone(call);
	if (b->nlanes == 1 && !(call->mask & ~UINT64_C(1))) {
		progress(b);
		return call_alone(call);
	}
	hipcpu_block_slow(b);
	wave = me->wave;
	bit = me->bit;
	FIBER_RELEASE(wave);
	set_call(&me->call, call);
	me->call.base = b->fiber->base;
	if (!call->site)
		me->call.site = __builtin_return_address(0); /* clang */
	if (call->mask) {
		if (!(call->mask & bit))
			hipcpu_trap("a cross-lane call with a mask without the calling lane");
		wave->masked |= bit;
	} else if (!(wave->arrived & ~wave->masked)) {
		wave->uniform = true;
		wave->first = (unsigned)(me - wave->lanes);
	} else if (wave->uniform) {
		wave->uniform = !compare(&me->call, &wave->lanes[wave->first].call);
	}
	wave->arrived |= bit;
	if (call->op == HIPCPU_OP_ACTIVE || call->op == HIPCPU_OP_HERE)
		wave->active |= bit;
	if ((call->mask && !(call->mask & wave->live & ~wave->masked)) ||
		!(wave->live & ~(wave->arrived | wave->barrier | wave->held)))
		hipcpu_wave_settle(b, (unsigned)(wave - b->waves));
	if (!(wave->ready & bit)) {
		hipcpu_lane_park(b, me);
		FIBER_ACQUIRE(wave);
		return me->result;
	}
	/* this is the last lane of its group, and goes on without a switch */
	wave_unready(b, wave, bit);
	progress(b);
	FIBER_ACQUIRE(wave);
	if (HIPCPU_UNLIKELY(++b->streak >= 256))
		hipcpu_lane_yield(b, me);
	return me->result;
}

uint64_t hipcpu_wave_call(const struct hipcpu_call *call)
{
	const uint64_t result = meet(call);

	if ((call->op == HIPCPU_OP_ENTER || call->op == HIPCPU_OP_ELECT) && result && hipcpu_self &&
		HIPCPU_UNLIKELY(hipcpu_config()->whole_waves) && hipcpu_block->nlanes > 1 &&
		hipcpu_self->wave->live & ~result)
		hipcpu_trap("a _wave call that only part of the wave makes (GSHMEM_CPU_WHOLE_WAVES)");
	return result;
}

/* Called by the lane that was elected among lanes; they are together again afterwards. */
void hipcpu_wave_release(uint64_t lanes)
{
	struct block *b = hipcpu_block;
	struct wave *wave;

	if (!(lanes & (lanes - 1)))
		return;
	wave = b->wave;
	FIBER_RELEASE(wave);
	wave->held &= ~lanes;
	wave->ready |= lanes & (lanes - 1);
	b->ready_waves |= UINT32_C(1) << (wave - b->waves);
	/* the elected lane's calls have parted it from the others */
	if (HIPCPU_UNLIKELY(b->together != NULL))
		join(b, (unsigned)(wave - b->waves), lanes);
	hipcpu_race_join((unsigned)(wave - b->waves) << b->shift, lanes);
	progress(b);
}
