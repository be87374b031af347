/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* A waiting lane lets others make progress: a lane, a wave, a block, a kernel of another stream, the grid. */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_SPIN=1 */
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

#include "../helpers.h"

namespace cg = cooperative_groups;

__device__ static void wait_for(unsigned *flag, unsigned value)
{
	while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != value)
		;
}

__device__ static void set(unsigned *flag, unsigned value)
{
	__hip_atomic_store(flag, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

/* The first thread of each wave waits for that of the next one; the last one starts the chain. */
__global__ void waves(unsigned *flags)
{
	unsigned wave = threadIdx.x / warpSize, nwaves = blockDim.x / warpSize;

	if (threadIdx.x % warpSize == 0) {
		if (wave + 1 < nwaves)
			wait_for(&flags[wave + 1], 1);
		set(&flags[wave], 1);
	}
	__syncthreads();
}

/* Each block waits for the next one, so all must be resident. */
__global__ void blocks(unsigned *flags)
{
	if (!threadIdx.x) {
		if (blockIdx.x + 1 < gridDim.x)
			wait_for(&flags[blockIdx.x + 1], 1);
		set(&flags[blockIdx.x], 1);
	}
}

__global__ void wait_kernel(unsigned *flags)
{
	wait_for(&flags[0], 1);
}

__global__ void set_kernel(unsigned *flags)
{
	set(&flags[0], 1);
}

/* A wave that votes until another one has begun. */
__global__ void vote(unsigned *flags)
{
	if (threadIdx.x < (unsigned)warpSize) {
		while (!__any(__hip_atomic_load(&flags[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 1))
			;
	} else {
		set(&flags[0], 1);
	}
}

/* All lanes of all blocks acquire a lock, the lanes of a wave one after the other. */
__global__ void lock(unsigned *flags)
{
	for (int lane = 0; lane < warpSize; lane++) {
		if ((int)threadIdx.x % warpSize != lane)
			continue;
		while (__hip_atomic_exchange(&flags[0], 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
			;
		flags[1] += 1;
		set(&flags[0], 0);
	}
}

__global__ void grid(unsigned *flags, unsigned *bad)
{
	cg::grid_group g = cg::this_grid();

	for (unsigned turn = 1; turn <= 20; turn++) {
		if (threadIdx.x == blockDim.x - 1)
			flags[blockIdx.x] = turn;
		g.sync();
		if (flags[(blockIdx.x + 1) % gridDim.x] != turn)
			atomicAdd(bad, 1);
		g.sync();
	}
}

int main()
{
	unsigned *flags, *bad;
	hipStream_t first, second;
	hipDeviceProp_t prop;
	int per_cu;

	t_hip(hipGetDeviceProperties(&prop, 0));
	t_hip(hipMallocManaged(&flags, 4096 * sizeof(*flags)));
	t_hip(hipMallocManaged(&bad, sizeof(*bad)));
	t_hip(hipStreamCreate(&first));
	t_hip(hipStreamCreate(&second));
#define RUN(kernel, nblocks, nthreads) \
	t_hip(hipMemset(flags, 0, 4096 * sizeof(*flags))); \
	hipLaunchKernelGGL(kernel, nblocks, nthreads, 0, 0, flags); \
	t_hip(hipGetLastError()); \
	t_hip(hipDeviceSynchronize())

	RUN(waves, 1, 512);
	t_equal(flags[0], 1, "first wave");
	RUN(blocks, 16, 32);
	t_equal(flags[0], 1, "first block");
	RUN(vote, 1, 2 * prop.warpSize);
	RUN(lock, 8, 128);
	t_equal(flags[1], 8 * 128, "count under the lock");

	RUN(set_kernel, 1, 1); /* CUDA loads a kernel at its first launch, which waits for kernels that run */
	t_hip(hipMemset(flags, 0, sizeof(*flags)));
	t_hip(hipDeviceSynchronize());
	hipLaunchKernelGGL(wait_kernel, 1, 1, 0, first, flags);
	hipLaunchKernelGGL(set_kernel, 1, 1, 0, second, flags);
	t_hip(hipDeviceSynchronize());

	t_hip(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_cu, grid, 64, 0));
	unsigned nblocks = per_cu * prop.multiProcessorCount;
	void *args[] = {&flags, &bad};
	*bad = 0;
	t_equal(hipLaunchCooperativeKernel(grid, dim3(nblocks + 1), dim3(64), args, 0, 0),
		hipErrorCooperativeLaunchTooLarge, "a grid that cannot be resident");
	(void)hipGetLastError();
	nblocks = nblocks < 4096 ? nblocks : 4096;
	t_hip(hipLaunchCooperativeKernel(grid, dim3(nblocks), dim3(64), args, 0, 0));
	t_hip(hipDeviceSynchronize());
	t_equal(*bad, 0, "grid barrier");
	return 0;
}
