/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* env: GSHMEM_RPC_SLOTS=64 | GSHMEM_RPC_SLOTS=64 GSHMEM_CPU_WAVE=32 */
/*
 * Lanes that do not take part in a call leave their part of the page unchanged: all lanes of a wave write a
 * pattern, then some of them call, and the function finds the pattern in the lines of the others. Their
 * variables stay unchanged, too. On NVIDIA GPUs some of the lanes call one by one, each in any slot, so there
 * only the answers count.
 */
#include <errno.h>

#include <gshmem.h>

#include "helpers.h"

enum { NMASKS = 200 };

/* Whether some lanes of a wave call together; else each alone. */
#ifdef __HIP_PLATFORM_NVIDIA__
enum { PARTS_CALL = 0 };
#else
enum { PARTS_CALL = 1 };
#endif

/* What the functions remember of the previous call. */
static const uint64_t *page;
static long nmarks, nchecks, nmoved, nwrong;

__host__ __device__ static uint64_t pattern(unsigned lane, unsigned word, uint64_t turn)
{
	return 0xa5a5000000000000 | turn << 16 | lane << 8 | word;
}

/* Called by all lanes, whose writes stay. */
static int mark(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	page = call->in;
	nmarks += __builtin_popcountll(call->lanes);
	return GSHMEMX_RPC_DONE;
}

/*
 * Called by some: the other lanes' lines have the pattern of turn in[1]; leaves pattern
 * turn + 1 in the callers' lines.
 */
static int check(void *context, gshmemx_rpc_call_t *call)
{
	const uint64_t turn = call->in[8 * call->lane + 1];
	unsigned lane, word;

	(void)context;
	nmoved += page != call->in;
	for (lane = 0; lane < call->nlanes; lane++) {
		for (word = 0; word < 8; word++) {
			if (call->lanes >> lane & 1)
				call->out[8 * lane + word] = pattern(lane, word, turn + 1);
			else
				nwrong += call->in[8 * lane + word] != pattern(lane, word, turn);
		}
	}
	nchecks++;
	return GSHMEMX_RPC_DONE;
}

/* Called once per lane: writes only the lane's own line. */
static int answer(void *context, gshmemx_rpc_call_t *call)
{
	const uint64_t turn = call->in[1];
	const uint64_t *others = call->in - 8 * call->lane;
	unsigned lane, word;

	(void)context;
	for (lane = 0; lane < call->nlanes; lane++)
		for (word = 0; word < 8; word++)
			nwrong += !(call->lanes >> lane & 1) &&
				others[8 * lane + word] != pattern(lane, word, turn);
	for (word = 0; word < 8; word++)
		call->out[word] = pattern(call->lane, word, turn + 1);
	nchecks++;
	return GSHMEMX_RPC_DONE;
}

__global__ static void call_by_mask(uint32_t mark_op, uint32_t op, const uint64_t *masks, unsigned *nbad)
{
	const unsigned lane = threadIdx.x;
	uint64_t line[8], out[8];
	unsigned turn, word, bad = 0;

	for (turn = 0; turn < NMASKS; turn++) {
		for (word = 0; word < 8; word++) {
			line[word] = pattern(lane, word, turn);
			out[word] = 77;
		}
		__syncthreads();
		bad += gshmemx_rpc_call_line(mark_op, line, line) != 0;
		__syncthreads();
		line[1] = turn;
		if (masks[turn] >> lane & 1)
			bad += gshmemx_rpc_call_line(op, line, out) != 0;
		for (word = 0; word < 8; word++)
			bad += out[word] != (masks[turn] >> lane & 1 ? pattern(lane, word, turn + 1) : 77);
	}
	nbad[lane] = bad;
}

static void by_masks(uint32_t mark_op, uint32_t op, int nlanes, bool is_wave, const char *what)
{
	uint64_t *masks, random = 88172645463325252;
	unsigned *nbad;
	long ncalls = 0;
	int i;

	t_hip(hipHostMalloc((void **)&masks, NMASKS * sizeof *masks, 0));
	t_hip(hipHostMalloc((void **)&nbad, 64 * sizeof *nbad, 0));
	for (i = 0; i < NMASKS; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		masks[i] = i < nlanes ? 1ULL << i : i < 2 * nlanes ? ~(1ULL << (i - nlanes)) : random;
		masks[i] &= nlanes == 64 ? ~0ULL : (1ULL << nlanes) - 1;
		ncalls += is_wave && (PARTS_CALL || masks[i] == ~0ULL >> (64 - nlanes))
			? 1
			: __builtin_popcountll(masks[i]);
	}
	nmarks = nchecks = nmoved = nwrong = 0;
	hipLaunchKernelGGL(call_by_mask, dim3(1), dim3(nlanes), 0, 0, mark_op, op, masks, nbad);
	t_hip(hipStreamSynchronize(0));
	for (i = 0; i < nlanes; i++)
		t_check(nbad[i] == 0, "%s: lane %d: %u words or answers are wrong", what, i, nbad[i]);
	t_equal(nmarks, (long)NMASKS * nlanes, "lanes that marked");
	t_equal(nchecks, ncalls, what);
	t_check(!nmoved || !PARTS_CALL, "%s: %ld calls in another slot", what, nmoved);
	t_check(!nwrong || !PARTS_CALL, "%s: %ld words of other lanes' lines have changed", what, nwrong);
	t_hip(hipHostFree(masks));
	t_hip(hipHostFree(nbad));
}

int main(void)
{
	uint32_t mark_op, check_op, answer_op;
	int nlanes, device;

	gshmem_init();
	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&nlanes, hipDeviceAttributeWarpSize, device));
	t_equal(gshmemx_rpc_register(&mark_op, mark, NULL, GSHMEMX_RPC_WAVE), 0, "register");
	t_equal(gshmemx_rpc_register(&check_op, check, NULL, GSHMEMX_RPC_WAVE), 0, "register");
	t_equal(gshmemx_rpc_register(&answer_op, answer, NULL, 0), 0, "register");
	by_masks(mark_op, check_op, nlanes, true, "a function of the wave");
	by_masks(mark_op, answer_op, nlanes, false, "a function of each lane");
	gshmem_finalize();
	return 0;
}
