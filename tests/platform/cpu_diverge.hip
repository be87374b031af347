/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* GSHMEM_CPU_DIVERGE splits mask-less groups, and leaves alone masked calls, barriers and code that asks who is there. */
/* env: GSHMEM_CPU_DIVERGE=random | GSHMEM_CPU_DIVERGE=random:7 GSHMEM_CPU_WAVE=32 */
#include <hip/hip_runtime.h>

#include "../helpers.h"

/* Sum by leaders: whoever stands together elects one, which adds for all. */
__global__ void elect(int *sum, int *parts, int *bad)
{
	unsigned long long mask = __activemask();
	int lane = __lane_id();

	if (!(mask >> lane & 1))
		atomicAdd(bad, 1);
	if (lane == __ffsll(mask) - 1) {
		atomicAdd(sum, __popcll(mask));
		atomicAdd(parts, 1);
	}
	__syncthreads();
	if (*sum != (int)blockDim.x)
		atomicAdd(bad, 1);
	unsigned long long all = warpSize == 64 ? ~0ull : 0xffffffffull;
	if (__ballot_sync(all, lane & 1) != (0xaaaaaaaaaaaaaaaaull & all))
		atomicAdd(bad, 1);
}

int main()
{
	int *out;

	t_hip(hipMallocManaged(&out, 3 * sizeof(int)));
	t_hip(hipMemset(out, 0, 3 * sizeof(int)));
	hipLaunchKernelGGL(elect, 1, 256, 0, 0, &out[0], &out[1], &out[2]);
	t_hip(hipDeviceSynchronize());
	t_equal(out[0], 256, "sum");
	t_equal(out[2], 0, "failures");
	if (getenv("GSHMEM_CPU_DIVERGE"))
		t_check(out[1] > 256 / warpSize, "no group was split");
	return 0;
}
