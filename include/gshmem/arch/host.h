/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The primitives as the CPU executes them where kernels run on a GPU: on host memory, by one thread. They
 * cannot reach the memory of a GPU.
 */
#ifndef GSHMEM_ARCH_HOST_H
#define GSHMEM_ARCH_HOST_H

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <gshmem/arch/c11.h>

#define GSHMEMI_ARCH_IN_KERNEL        0
#define GSHMEMI_ARCH_UNALIGNED        1
#define GSHMEMI_ARCH_KEEPS_KEYS_APART 1
#define GSHMEMI_ARCH_COMPARES_APART   1

GSHMEMI_ARCH_FN unsigned gshmemi_arch_thread_rank(void)
{
	return 0;
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_thread_count(void)
{
	return 1;
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_lane(void)
{
	return 0;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_block(void)
{
	return 0;
}

GSHMEMI_ARCH_FN uint32_t gshmemi_arch_spread(void)
{
	return 0;
}

#include <gshmem/arch/plain.h> /* layout, registers, callers */

#define GSHMEMI_ARCH_KEEP_INSIDE(value) ((void)0)

#define gshmemi_arch_wave_here  gshmemi_arch_wave_enter
#define gshmemi_arch_wave_peers gshmemi_arch_wave_enter
#define gshmemi_arch_wave_some  gshmemi_arch_wave_enter
GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_enter(uint64_t key)
{
	(void)key;
	return 1;
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_rank(int scope, uint64_t mask)
{
	(void)scope;
	(void)mask;
	return 0;
}

GSHMEMI_ARCH_FN void gshmemi_arch_group_sync(int scope, uint64_t mask)
{
	(void)scope;
	(void)mask;
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_count(void)
{
	return 1;
}

GSHMEMI_ARCH_FN void gshmemi_arch_group_read(uint64_t *words)
{
	(void)words;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_read(uint64_t value, uint64_t lanes, unsigned lane)
{
	(void)lanes;
	(void)lane;
	return value;
}

#include <gshmem/arch/lanes.h> /* group_size, lowest_lane, broadcast */

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_ballot(int predicate, uint64_t lanes)
{
	return predicate ? lanes : 0;
}

GSHMEMI_ARCH_FN int gshmemi_arch_is_global(const void *address)
{
	(void)address;
	return 1;
}

/* A long wait sleeps: each 256th yield is a nap, as in src/base/thread.h. */
GSHMEMI_ARCH_FN void gshmemi_arch_pause(unsigned *polls_p)
{
	const struct timespec nap = {0, 20000};

	if (++*polls_p > 8192 || (*polls_p & 255) == 255)
		nanosleep(&nap, NULL);
	else if (*polls_p > 64)
		sched_yield();
}

GSHMEMI_ARCH_FN void gshmemi_arch_trap(const char *why)
{
	(void)why;
	abort();
}

#endif /* GSHMEM_ARCH_HOST_H */
