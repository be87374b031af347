/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a thread of a GPU kernel is: what HIP names alike on all GPUs.
 */
#ifndef GSHMEM_ARCH_GPU_H
#define GSHMEM_ARCH_GPU_H

#include <stdint.h>

#define GSHMEMI_ARCH_IN_KERNEL 1
#define GSHMEMI_ARCH_HAS_F16   1
#define GSHMEMI_ARCH_KEEPS_KEYS_APART 0

GSHMEMI_ARCH_FN unsigned gshmemi_arch_thread_rank(void)
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_thread_count(void)
{
	return blockDim.x * blockDim.y * blockDim.z;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_block(void)
{
	return blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z);
}

#endif /* GSHMEM_ARCH_GPU_H */
