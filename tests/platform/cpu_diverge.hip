/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * GSHMEM_CPU_DIVERGE splits mask-less calls if lanes have diverged and nothing has reconverged them.
 * Code that relies on whole waves then fails, and code that asks which lanes are there passes.
 * Everywhere else waves are whole.
 */
/* env: GSHMEM_CPU_DIVERGE=random | GSHMEM_CPU_DIVERGE=random:7 GSHMEM_CPU_WAVE=32 */
#include <hip/hip_runtime.h>

#include "../helpers.h"

enum { NTHREADS = 256, NROUNDS = 100 };

/* What reconverges the lanes of a wave. */
enum { NOTHING, SYNCWARP, SYNCTHREADS, MASKED_SYNC, MASKED_SHUFFLE, NWAYS };
static const char *way_names[] = {
	"nothing",
	"__syncwarp",
	"__syncthreads",
	"masked __syncwarp",
	"__shfl_sync",
};

static __device__ __forceinline__ inline unsigned long long all_lanes()
{
	return warpSize == 64 ? ~0ull : 0xffffffffull;
}

/* Lanes diverge, and leave one after the other. */
static __device__ __forceinline__ inline void part(int lane)
{
	if (lane % 3)
		__ballot(1);
	else
		__any(0);
	for (int i = 0; i < lane % 4; i++)
		__ballot(1);
}

static __device__ __forceinline__ inline void bring_together(int way)
{
	if (way == SYNCWARP)
		__syncwarp();
	else if (way == SYNCTHREADS)
		__syncthreads();
	else if (way == MASKED_SYNC)
		__syncwarp(all_lanes());
	else if (way == MASKED_SHUFFLE)
		__shfl_sync(all_lanes(), 1, 0);
}

/* Counts lanes that a call by a whole wave did not reach. */
static __device__ __forceinline__ inline int count_missing(int lane, int round)
{
	int missing = __shfl(lane + round, 5) != 5 + round;

	missing += __ballot(lane & 1) != (0xaaaaaaaaaaaaaaaaull & all_lanes());
	missing += __activemask() != all_lanes();
	return missing;
}

__global__ void meet(int way, int *nmissing)
{
	int lane = __lane_id();
	int missing = count_missing(lane, -1); /* a kernel starts with whole waves */

	for (int round = 0; round < NROUNDS; round++) {
		part(lane);
		bring_together(way);
		missing += count_missing(lane, round);
	}
	if (missing)
		atomicAdd(nmissing, missing);
}

/* Lanes that reach the head of a loop again wait there for those that are still inside. */
__global__ void meet_at_head(int *nmissing)
{
	int lane = __lane_id(), missing = 0;

	for (int round = 0; round < NROUNDS; round++) {
		__syncwarp();
		missing += count_missing(lane, round);
		part(lane);
		__ballot(1);
	}
	if (missing)
		atomicAdd(nmissing, missing);
}

/* Lanes that took the same branch stay together. */
__global__ void same_way(int *nmissing)
{
	int lane = __lane_id(), missing = 0;

	for (int round = 0; round < NROUNDS; round++) {
		__syncwarp();
		if (lane < 20) {
			missing += __shfl(lane + round, 3) != 3 + round;
			missing += __ballot(1) != 0xfffff;
		} else {
			missing += __shfl(lane + round, 21) != 21 + round;
		}
	}
	if (missing)
		atomicAdd(nmissing, missing);
}

/* Sum by leaders: lanes that are together elect one, which adds for all. */
__global__ void elect(int *sum, int *nparts, int *nbad)
{
	int lane = __lane_id();

	part(lane);
	unsigned long long mask = __activemask();
	if (!(mask >> lane & 1))
		atomicAdd(nbad, 1);
	if (lane == __ffsll(mask) - 1) {
		atomicAdd(sum, __popcll(mask));
		atomicAdd(nparts, 1);
	}
	__syncthreads();
	if (*sum != (int)blockDim.x)
		atomicAdd(nbad, 1);
	if (__ballot_sync(all_lanes(), lane & 1) != (0xaaaaaaaaaaaaaaaaull & all_lanes()))
		atomicAdd(nbad, 1);
}

int main()
{
	const bool diverges = getenv("GSHMEM_CPU_DIVERGE") != NULL;
	int *out, nwaves = NTHREADS / warpSize;

	t_hip(hipMallocManaged(&out, 3 * sizeof(int)));
	for (int way = 0; way < NWAYS; way++) {
		bool may_part = way == NOTHING && diverges;

		*out = 0;
		hipLaunchKernelGGL(meet, 1, NTHREADS, 0, 0, way, out);
		t_hip(hipDeviceSynchronize());
		t_check(may_part ? *out > 0 : *out == 0, "after %s: %d results of parts of waves",
			way_names[way], *out);
	}
	*out = 0;
	hipLaunchKernelGGL(meet_at_head, 1, NTHREADS, 0, 0, out);
	t_hip(hipDeviceSynchronize());
	t_equal(*out, 0, "results of parts of waves at the head of a loop");
	hipLaunchKernelGGL(same_way, 1, NTHREADS, 0, 0, out);
	t_hip(hipDeviceSynchronize());
	t_equal(*out, 0, "results of parts in a branch");
	t_hip(hipMemset(out, 0, 3 * sizeof(int)));
	hipLaunchKernelGGL(elect, 1, NTHREADS, 0, 0, &out[0], &out[1], &out[2]);
	t_hip(hipDeviceSynchronize());
	t_equal(out[0], NTHREADS, "sum");
	t_equal(out[2], 0, "failures");
	t_check(!diverges || out[1] > nwaves, "no group was split");
	t_hip(hipFree(out));
	return 0;
}
