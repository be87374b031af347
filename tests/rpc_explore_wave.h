/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The waves of rpc_explore.hip: the primitives of rpc_explore_arch.h, as fibers perform them, and the calls
 * that a wave makes with them.
 */
#ifndef RPC_EXPLORE_WAVE_H
#define RPC_EXPLORE_WAVE_H

/* ---- in fibers ---- */

unsigned explore_lane;

uint64_t explore_load(const void *address, unsigned nbytes)
{
	return ask(LOAD, address, nbytes, 0, 0, 0);
}

void explore_store(void *address, uint64_t value, unsigned nbytes)
{
	ask(STORE, address, nbytes, nbytes == 4 ? (uint32_t)value : value, 0, 0);
}

uint64_t explore_amo(int amo_op, void *address, uint64_t value, uint64_t cond, unsigned nbytes)
{
	return ask(AMO, address, nbytes, value, cond, amo_op);
}

void explore_fence(void)
{
	ask(FENCE, NULL, 0, 0, 0, 0);
}

/* Loops are finite, so they do not count. */
void explore_pause(unsigned *polls_p)
{
	*polls_p = 1;
	ask(PAUSE, NULL, 0, 0, 0, 0);
}

uint64_t explore_enter(void)
{
	return ask(ENTER, NULL, 0, 0, 0, 0);
}

void explore_sync(uint64_t met)
{
	ask(SYNC, NULL, 0, 0, met, 0);
}

uint64_t explore_broadcast(uint64_t value, uint64_t met)
{
	return ask(BROADCAST, NULL, 0, value, met, 0);
}

static void require(int cond, const char *what)
{
	if (!cond)
		ask(FAIL, what, 0, 0, 0, 0);
}

/* Calls have numbers from 1; word i of a lane's request, and of its answer. */
#define USER_SYNC  GSHMEMI_RPC_USER
#define USER_ASYNC (GSHMEMI_RPC_USER + 1)
#define QUIET_ID   63

static unsigned id_of(unsigned wave, unsigned call)
{
	return wave * MAX_CALLS + call + 1;
}

static uint64_t request_word(unsigned id, unsigned lane, unsigned i)
{
	return id << 6 | lane << 3 | i;
}

static uint64_t answer_word(unsigned id, unsigned lane, unsigned i)
{
	return 1U << 12 | id << 6 | lane << 3 | i;
}

static int is_executed(unsigned id)
{
	return ask(LOAD, &memory.executed, 8, 0, 0, 0) >> id & 1;
}

/* ---- waves ---- */

static __attribute__((noinline)) void make_call(unsigned wave, unsigned call, unsigned lane)
{
	const enum call what = cfg->calls[wave][call];
	const unsigned id = id_of(wave, call), nwords = 6;
	struct gshmemi_rpc_result result;
	uint64_t in[8], out[8];
	unsigned i;

	if (what == QUIET_CALL) {
		gshmemi_rpc_complete_wave(&channel, 0, "explore");
		for (i = 0; i < call; i++)
			require(is_executed(id_of(wave, i)), EARLY);
		return;
	}
	for (i = 0; i < nwords; i++)
		in[i] = request_word(id, lane, i);
	if (what == SYNC_CALL) {
		result = gshmemi_rpc_words(&channel, USER_SYNC, 0, 6, in, out, 0, "explore");
		require(result.status == 0 && result.value == answer_word(id, lane, 0), WRONG);
		return;
	}
	result = gshmemi_rpc_words(&channel, USER_ASYNC, 1, 6, in, out, 0, "explore");
	if (what == TICKET_CALL) {
		i = (unsigned)gshmemi_rpc_finish(
			&channel, (uint32_t)result.value, (uint32_t)(result.value >> 32), "explore");
		require(i == 0 && is_executed(id), EARLY);
	}
}

static void wave_main(void)
{
	const unsigned wave = fiber_now / MAX_LANES, lane = fiber_now % MAX_LANES;
	unsigned i;

	for (i = 0; i < MAX_CALLS && cfg->calls[wave][i]; i++) {
		ask(CLEAN, NULL, 0, 0, 0, 0);
		make_call(wave, i, lane);
	}
	ask(CLEAN, NULL, 0, 0, 0, 0);
}

#endif /* RPC_EXPLORE_WAVE_H */
