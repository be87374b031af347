/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes as bits of a 64-bit mask, on AMD GPUs and on the CPU; NVIDIA's instructions take 32 bits. A
 * platform's header includes this after thread_count and wave_read.
 */
#ifndef GSHMEM_ARCH_LANES_H
#define GSHMEM_ARCH_LANES_H

#include <stdint.h>

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_size(int scope, uint64_t mask)
{
	if (scope == GSHMEMI_WG)
		return gshmemi_arch_thread_count();
	if (scope == GSHMEMI_WAVE)
		return (unsigned)__builtin_popcountll(mask);
	return 1;
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_lowest_lane(uint64_t lanes)
{
	return (unsigned)__builtin_ctzll(lanes);
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_broadcast(uint64_t value, uint64_t lanes)
{
	return gshmemi_arch_wave_read(value, lanes, gshmemi_arch_lowest_lane(lanes));
}

#endif /* GSHMEM_ARCH_LANES_H */
