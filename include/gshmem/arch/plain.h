/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Primitives for the CPU and NVIDIA GPUs, where any function knows its thread and block, the compiler needs
 * no help with values and addresses, and types have the CPU's layout. A platform's header includes this after
 * thread_rank, thread_count and block.
 */
#ifndef GSHMEM_ARCH_PLAIN_H
#define GSHMEM_ARCH_PLAIN_H

#include <stdint.h>

#define GSHMEMI_ARCH_SIZEOF(TYPE)                                           sizeof(TYPE)
#define GSHMEMI_ARCH_ALIGNOF(TYPE)                                          __alignof__(TYPE)
#define GSHMEMI_ARCH_HAS_POSTS()                                            1 /* unknown */
#define GSHMEMI_ARCH_MARK_POST()                                            ((void)0)
/* As a function it takes 26 registers of a kernel that computes (user_gemm on sm_90). */
#define GSHMEMI_ARCH_UNIFORM_HIGH(value)                                    ((int32_t)((value) >> 32))
#define GSHMEMI_ARCH_SHARE_ADDRESS(pointer)                                 ((void)0)
#define GSHMEMI_ARCH_KEEP_ORDER()                                           ((void)0)
#define GSHMEMI_ARCH_KEEP_APART(source, dest, first, second, third, fourth) ((void)0)

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_uniform(uint64_t value)
{
	return value;
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_thread_name(void)
{
	return gshmemi_arch_thread_rank();
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_caller(void)
{
	return 0;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_caller_block(uint64_t caller)
{
	(void)caller;
	return gshmemi_arch_block();
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_due(void)
{
	return gshmemi_arch_thread_count();
}

GSHMEMI_ARCH_FN void gshmemi_arch_fence_read_peer(void) {}

#endif /* GSHMEM_ARCH_PLAIN_H */
