/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* run: -n 1 */
/* Votes and shuffles see exactly the lanes that are converged: full waves, parts, masks, helpers, loops. */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=32 */
#include <hip/hip_runtime.h>

#include "../helpers.h"

typedef unsigned long long mask_t;

/* Lanes of my wave whose number in the block satisfies f. */
template <typename F> __device__ static mask_t lanes_where(F f)
{
	mask_t mask = 0;
	unsigned first = threadIdx.x / warpSize * warpSize;

	for (unsigned i = 0; i < (unsigned)warpSize && first + i < blockDim.x; i++)
		mask |= (mask_t)(f(first + i) ? 1 : 0) << i;
	return mask;
}

#define CHECK(cond) \
	do { \
		if (!(cond)) \
			atomicCAS(bad, 0, __LINE__); \
	} while (0)

__global__ void full(int *bad)
{
	unsigned lane = threadIdx.x % warpSize, me = threadIdx.x;
	mask_t all = lanes_where([](unsigned) { return true; });
	int nlanes = __popcll(all), sum = me;

	CHECK(__lane_id() == lane);
	CHECK(__ballot(1) == all);
	CHECK(__ballot(me & 1) == lanes_where([](unsigned i) { return i & 1; }));
	CHECK(__ballot_sync(all, me % 5 == 0) == lanes_where([](unsigned i) { return i % 5 == 0; }));
	CHECK(__any(lane == 0) && !__any(0) && __all(1) && !__all(lane != 0));
	CHECK(__activemask() == all);
	CHECK(__shfl(me, 0) == me - lane);
	CHECK(__shfl(me, nlanes - 1) == me - lane + nlanes - 1);
	CHECK(__shfl_up(me, 1) == (lane ? me - 1 : me));
	CHECK(__shfl_down(me, 3) == (lane + 3 < (unsigned)nlanes ? me + 3 : me));
	CHECK(__shfl(me, 1, 4) == (lane / 4 * 4 + 1 < (unsigned)nlanes ? me / 4 * 4 + 1 : me));
	CHECK(__shfl_up(me, 2, 8) == (lane % 8 >= 2 ? me - 2 : me));
	CHECK(__shfl_down(me, 2, 8) == (lane % 8 < 6 && (int)lane + 2 < nlanes ? me + 2 : me));
	CHECK(__shfl_sync(all, (double)me + 0.25, 0) == me - lane + 0.25);
	CHECK(__shfl((char)lane, 0) == 0);
	if (nlanes == warpSize) {
		for (int step = warpSize / 2; step; step /= 2)
			sum += __shfl_xor(sum, step);
		CHECK(sum == (int)(me - lane) * warpSize + warpSize * (warpSize - 1) / 2);
	}
	CHECK(__match_any_sync(all, me & 1) == lanes_where([=](unsigned i) { return (i & 1) == (me & 1); }));
}

static inline __device__ __forceinline__ mask_t inlined(int predicate)
{
	return __ballot(predicate);
}

__device__ __attribute__((noinline)) mask_t called(int predicate)
{
	return __ballot(predicate);
}

__global__ void diverged(int *bad)
{
	unsigned me = threadIdx.x;
	mask_t odd = lanes_where([](unsigned i) { return i & 1; }),
	       even = lanes_where([](unsigned i) { return !(i & 1); });
	mask_t mine = me & 1 ? odd : even, all = odd | even, got;

	/* both arms on one line, with the same call */
	if (me & 1)
		got = __ballot(1);
	else
		got = __ballot(1);
	CHECK(got == mine);
	CHECK(__ballot(1) == all);
	got = me & 1 ? __ballot(1) : __ballot(1);
	CHECK(got == mine);
	CHECK(__ballot(1) == all);
	/* through a helper: inlined at two places, or called from two */
	if (me & 1)
		got = inlined(1);
	else
		got = inlined(1);
	CHECK(got == mine);
	if (me & 1)
		got = called(1);
	else
		got = called(1) & all;
	CHECK(got == mine);
	CHECK(__ballot(1) == all);
	/* shuffles within an arm do not see the other one */
	unsigned value;
	if (me & 1)
		value = __shfl_xor(me, 2);
	else
		value = __shfl_xor(me + 1000, 2);
	CHECK(__popcll(all) % 4 || value == (me & 1 ? me ^ 2 : (me ^ 2) + 1000));
	/* masks say which lanes take part, even from different places */
	if (me & 1)
		got = __ballot_sync(odd, me & 2);
	else
		got = __ballot_sync(even, me & 2);
	CHECK(got == lanes_where([=](unsigned i) { return (i & 1) == (me & 1) && (i & 2); }));
	if (me & 1)
		got = __ballot_sync(all, 1);
	else
		got = __ballot_sync(all, 0);
	CHECK(got == odd);
	CHECK(__ballot(1) == all);
}

/* Lane i makes i % 7 turns; each turn sees the lanes that still make one. */
__global__ void loops(int *bad)
{
	unsigned me = threadIdx.x, nturns = me % 7;
	mask_t all = lanes_where([](unsigned) { return true; });

	for (unsigned turn = 0; turn < nturns; turn++) {
		mask_t got = __ballot(1);
		CHECK(got == lanes_where([=](unsigned i) { return i % 7 > turn; }));
	}
	CHECK(__ballot(1) == all);
	unsigned turn = 0;
	while (true) {
		if (turn++ == nturns)
			break;
		CHECK(__all(1));
	}
	CHECK(__ballot(1) == all);
}

/* Exited lanes take part in nothing, not even if a mask names them. */
__global__ void exits(int *bad)
{
	unsigned me = threadIdx.x;
	mask_t all = lanes_where([](unsigned) { return true; });

	if (me % 3 == 1)
		return;
	CHECK(__ballot(1) == lanes_where([](unsigned i) { return i % 3 != 1; }));
	if (me % 3 == 2)
		return;
	CHECK(__ballot_sync(all, 1) == lanes_where([](unsigned i) { return i % 3 == 0; }));
	__syncthreads();
	CHECK(__ballot(1) == lanes_where([](unsigned i) { return i % 3 == 0; }));
}

/* Some lanes of a wave wait at the barrier, the others in a vote. */
__global__ void beside_barrier(int *bad)
{
	mask_t upper = lanes_where([](unsigned i) { return i % 2; });

	if (threadIdx.x % 2)
		CHECK(__ballot(1) == upper);
	__syncthreads();
	CHECK(__all(1));
}

static void run(void (*kernel)(int *), const char *name, int *bad)
{
	for (int size = 1; size <= 256; size += size < 66 ? 1 : 19) {
		*bad = 0;
		hipLaunchKernelGGL(kernel, 2, size, 0, 0, bad);
		t_hip(hipGetLastError());
		t_hip(hipDeviceSynchronize());
		t_check(!*bad, "%s: %d lanes: line %d failed", name, size, *bad);
	}
}

int main()
{
	int *bad;

	t_hip(hipMallocManaged(&bad, sizeof(*bad)));
	run(full, "full", bad);
	run(diverged, "diverged", bad);
	run(loops, "loops", bad);
	run(exits, "exits", bad);
	run(beside_barrier, "beside_barrier", bad);
	return 0;
}
