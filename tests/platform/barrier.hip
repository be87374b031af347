/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * __syncthreads orders static and dynamic shared memory for every block size, even after lanes have exited.
 */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=32 */
#include <hip/hip_runtime.h>

#include "../helpers.h"

#define NBLOCKS 5

__global__ void reduce(int *out)
{
	__shared__ int parts[1024];
	int rank = threadIdx.x, size = blockDim.x;

	parts[rank] = rank + 1 + blockIdx.x;
	__syncthreads();
	for (int stride = 512; stride; stride /= 2) {
		if (rank < stride && rank + stride < size)
			parts[rank] += parts[rank + stride];
		__syncthreads();
	}
	if (!rank)
		out[blockIdx.x] = parts[0];
}

/* Each lane reads what the next one wrote, in dynamic shared memory, many times. */
__global__ void rotate(int *out, int nturns)
{
	HIP_DYNAMIC_SHARED(int, ring)
	int rank = threadIdx.x, size = blockDim.x, got = rank;

	for (int i = 0; i < nturns; i++) {
		ring[rank] = got;
		__syncthreads();
		got = ring[(rank + 1) % size];
		__syncthreads();
	}
	out[rank] = got;
}

/* Lanes not divisible by 3 leave; the rest still meet. */
__global__ void leave(int *out)
{
	__shared__ int sum;

	if (!threadIdx.x)
		sum = 0;
	__syncthreads();
	if (threadIdx.x % 3)
		return;
	atomicAdd(&sum, 1);
	__syncthreads();
	out[threadIdx.x] = sum;
}

__global__ void votes(int *out)
{
	int odd = threadIdx.x & 1, size = blockDim.x;
	int count = __syncthreads_count(odd), all = __syncthreads_and(odd), some = __syncthreads_or(odd);
	int each = __syncthreads_and(1), none = __syncthreads_or(0);

	if (count != size / 2 || all || some != (size > 1) || !each || none)
		atomicAdd(out, 1);
}

/* A barrier in each arm: on the hardware the block counts arrivals. */
__global__ void locals(int *out)
{
	volatile int mine[4] = {(int)threadIdx.x, 1, 2, 3};
	double kept = threadIdx.x * 0.5;

	for (int i = 0; i < 3; i++) {
		__syncthreads();
		mine[i + 1] += mine[0];
		kept += 1;
	}
	out[threadIdx.x] = mine[1] + mine[2] + mine[3] == (int)(6 + 3 * threadIdx.x) &&
		kept == threadIdx.x * 0.5 + 3 && mine[0] == (int)threadIdx.x;
}

int main()
{
	int *out;

	t_hip(hipMallocManaged(&out, 1024 * sizeof(*out)));
	for (int size = 1; size <= 1024; size += size < 130 ? 1 : 149) {
		hipLaunchKernelGGL(reduce, NBLOCKS, size, 0, 0, out);
		t_hip(hipDeviceSynchronize());
		for (int b = 0; b < NBLOCKS; b++)
			t_equal(out[b], size * (size + 1) / 2 + size * b, "sum");

		hipLaunchKernelGGL(rotate, 1, size, size * sizeof(int), 0, out, 7);
		t_hip(hipDeviceSynchronize());
		for (int i = 0; i < size; i++)
			t_equal(out[i], (i + 7) % size, "rotation");

		hipLaunchKernelGGL(leave, 1, size, 0, 0, out);
		t_hip(hipDeviceSynchronize());
		for (int i = 0; i < size; i += 3)
			t_equal(out[i], (size + 2) / 3, "lanes left");

		t_hip(hipMemset(out, 0, sizeof(int)));
		hipLaunchKernelGGL(votes, 2, size, 0, 0, out);
		t_hip(hipDeviceSynchronize());
		t_equal(out[0], 0, "votes");

		hipLaunchKernelGGL(locals, 1, size, 0, 0, out);
		t_hip(hipDeviceSynchronize());
		for (int i = 0; i < size; i++)
			t_check(out[i], "size %d: lane %d lost its locals", size, i);
	}
	return 0;
}
