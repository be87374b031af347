/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The servers of rpc_explore.hip, right and wrong ones: they take calls, perform them and answer in any
 * order, and check each request.
 */
#ifndef RPC_EXPLORE_SERVER_H
#define RPC_EXPLORE_SERVER_H

/* A call that a server has taken. */
struct taken {
	uint32_t seq;
	uint8_t id; /* 0: none */
	uint8_t is_begun, nposts;
	uint8_t slots[MAX_SLOTS];
	uint32_t seqs[MAX_SLOTS];
};

/* The call in a slot's request, or 0 if no such call was made. */
static __attribute__((noinline)) unsigned read_request(unsigned slot)
{
	const struct gshmemi_rpc_header *h = &channel.header[slot];
	const uint64_t called = gshmemi_arch_load(&h->lanes, 8);
	const uint32_t function = (uint32_t)gshmemi_arch_load(&h->id, 4),
		       flags = (uint32_t)gshmemi_arch_load(&h->flags, 4);
	const int is_inline = cfg->nlanes == 1;
	unsigned id = 0, lane, i;
	uint64_t word;

	if (function == GSHMEMI_RPC_QUIET)
		return called == 1 && flags == GSHMEMI_RPC_INLINE ? QUIET_ID : 0;
	if ((function != USER_SYNC && function != USER_ASYNC) || called != all_lanes())
		return 0;
	if (flags !=
		((function == USER_ASYNC ? GSHMEMI_RPC_POSTED : 0) | (is_inline ? GSHMEMI_RPC_INLINE : 0)))
		return 0;
	for (lane = 0; lane < cfg->nlanes; lane++) {
		for (i = 0; i < 6; i++) {
			word = gshmemi_rpc_read_word(
				is_inline ? &h->arg[i] : &gshmemi_rpc_page(&channel, slot)[lane * 8 + i]);
			if (!id)
				id = (unsigned)(word >> 6);
			if (word != request_word(id, lane, i))
				return 0;
		}
	}
	if (id == 0 || id > MAX_WAVES * MAX_CALLS)
		return 0;
	return (cfg->calls[(id - 1) / MAX_CALLS][(id - 1) % MAX_CALLS] == SYNC_CALL) ==
			(function == USER_SYNC)
		? id
		: 0;
}

static __attribute__((noinline)) void take(unsigned slot, struct taken *t)
{
	if (!gshmemi_rpc_take(&channel, slot, &t->seq)) {
		t->seq = 0;
		return;
	}
	t->id = (uint8_t)read_request(slot);
	require(t->id != 0, TORN);
	require(t->id == QUIET_ID || !is_executed(t->id), TWICE);
}

static void write_answer(unsigned slot, unsigned id)
{
	unsigned lane, i;

	if (cfg->nlanes > 1 && id != QUIET_ID)
		for (lane = 0; lane < cfg->nlanes; lane++)
			for (i = 0; i < 6; i++)
				gshmemi_rpc_write_word(&gshmemi_rpc_page(&channel, slot)[lane * 8 + i],
					answer_word(id, lane, i));
}

/*
 * As src/rpc/library.c does: what was open when the quiet was first looked at; returns
 * whether that has been answered.
 */
static int is_still_open(struct taken *t)
{
	unsigned slot;
	uint32_t seq;

	if (!t->is_begun && !(cfg->flags & NO_SWEEP)) {
		for (slot = 0; slot < cfg->nslots; slot++) {
			if (gshmemi_rpc_is_open_post(&channel, slot, &seq)) {
				t->slots[t->nposts] = (uint8_t)slot;
				t->seqs[t->nposts++] = seq;
			}
		}
	}
	t->is_begun = 1;
	while (t->nposts &&
		gshmemi_rpc_has_passed(&channel, t->slots[t->nposts - 1], t->seqs[t->nposts - 1])) {
		t->nposts--;
		t->slots[t->nposts] = 0;
		t->seqs[t->nposts] = 0;
	}
	return t->nposts != 0;
}

static __attribute__((noinline)) void go_on(unsigned slot, struct taken *t)
{
	const unsigned id = t->id;
	uint64_t value = answer_word(id, 0, 0);

	if (id == QUIET_ID) {
		if (is_still_open(t))
			return;
		value = ask(LOAD, &memory.counted, 8, 0, 0, 0);
	} else {
		if (cfg->flags & DEPENDS && id == id_of(0, 0) && !is_executed(id_of(1, 0)))
			return;
		require(read_request(slot) == id, CHANGED);
		require(!is_executed(id), TWICE);
		ask(AMO, &memory.executed, 8, 1ULL << id, 0, GSHMEMI_AMO_OR);
		if (cfg->calls[(id - 1) / MAX_CALLS][(id - 1) % MAX_CALLS] != SYNC_CALL)
			ask(AMO, &memory.counted, 8, 1, 0, GSHMEMI_AMO_ADD);
	}
	if (cfg->flags & ANSWER_FIRST) {
		gshmemi_rpc_give(&channel, slot, t->seq, GSHMEMI_RPC_OK, value);
		ask(STEP, NULL, 0, 0, 0, 0);
	}
	write_answer(slot, id);
	if (!(cfg->flags & ANSWER_FIRST))
		gshmemi_rpc_give(&channel, slot, t->seq, GSHMEMI_RPC_OK, value);
	memset(t, 0, sizeof *t);
}

static void take_all(struct taken *taken)
{
	unsigned slot;

	for (slot = 0; slot < cfg->nslots; slot++)
		if (!taken[slot].id)
			take(slot, &taken[slot]);
}

static __attribute__((noinline)) void by_bell(struct taken *taken)
{
	if (cfg->flags & BELL_LATE) {
		if (!gshmemi_arch_load(channel.bell, 4))
			return;
		take_all(taken);
		gshmemi_rpc_take_bell(&channel, 0);
	} else if (gshmemi_rpc_take_bell(&channel, 0)) {
		take_all(taken);
	}
}

/* What the client of the sleeping server's word does. */
void explore_wake(uint32_t *asleep)
{
	require(asleep == &memory.asleep, "another server is woken");
	ask(AMO, &memory.wakes, 4, 1, 0, GSHMEMI_AMO_ADD);
}

/*
 * As src/rpc/server.c does: announce it, force a fence in each client, look, and sleep until woken. The
 * fences come one after the other, each when its client's stores have arrived.
 */
static __attribute__((noinline)) void nap(struct taken *taken)
{
	const uint32_t before = (uint32_t)explore_load(&memory.wakes, 4);
	unsigned i;
	int has_any = 0;

	if (cfg->flags & LOOK_FIRST)
		take_all(taken);
	explore_amo(GSHMEMI_AMO_ADD, &memory.asleep, 1, 0, 4);
	for (i = 0; i < cfg->nwaves && !(cfg->flags & NO_BARRIER); i++)
		ask(DRAINED, NULL, 0, i, 0, 0);
	if (!(cfg->flags & LOOK_FIRST))
		take_all(taken);
	for (i = 0; i < cfg->nslots; i++)
		has_any |= taken[i].id;
	while (!has_any && (uint32_t)explore_load(&memory.wakes, 4) == before)
		;
	explore_amo(GSHMEMI_AMO_ADD, &memory.asleep, 0xffffffffU, 0, 4);
}

/*
 * In any order: take a slot (bit i), go on with its call (bit MAX_SLOTS + i), look at the
 * bell or sleep (the last bits).
 */
static void server_main(void)
{
	struct taken taken[MAX_SLOTS];
	unsigned slot, may, has_any;

	memset(taken, 0, sizeof taken);
	for (;;) {
		may = has_any = 0;
		for (slot = 0; slot < cfg->nslots; slot++) {
			may |= 1U << (taken[slot].id ? MAX_SLOTS + slot : slot);
			has_any |= taken[slot].id;
		}
		if ((has_any && cfg->flags & ONE_AT_A_TIME) || cfg->flags & BELL_ALONE)
			may &= ~((1U << MAX_SLOTS) - 1);
		if (channel.bell)
			may |= 1U << 2 * MAX_SLOTS;
		if (cfg->flags & NAPS && !has_any)
			may |= 2U << 2 * MAX_SLOTS;
		slot = (unsigned)ask(CHOOSE, NULL, 0, may, 0, 0);
		if (slot < MAX_SLOTS)
			take(slot, &taken[slot]);
		else if (slot < 2 * MAX_SLOTS)
			go_on(slot - MAX_SLOTS, &taken[slot - MAX_SLOTS]);
		else if (slot == 2 * MAX_SLOTS)
			by_bell(taken);
		else
			nap(taken);
	}
}

#endif /* RPC_EXPLORE_SERVER_H */
