/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all GPUs have in common: where a thread is, by HIP's names, and a hint that does nothing on them.
 */
#ifndef GSHMEM_ARCH_GPU_H
#define GSHMEM_ARCH_GPU_H

#include <stdint.h>

#define GSHMEMI_ARCH_IN_KERNEL        1
#define GSHMEMI_ARCH_HAS_F16          1
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

GSHMEMI_ARCH_FN void gshmemi_arch_claim(const void *address)
{
	(void)address;
}

#endif /* GSHMEM_ARCH_GPU_H */
