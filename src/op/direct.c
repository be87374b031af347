/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get, atomics and signals on the host where the CPU can reach the heap by itself. The functions run the
 * bodies that kernels use. Host calls in HIP units come here. Where the CPU cannot reach the heap,
 * copies.c is compiled instead.
 */
#include "op/op.h"

#define GSHMEMI_BODIES
#include <gshmem/move/signal.h>

#if GSHMEMI_ARCH_HOST_DIRECT

static struct gshmemi_where find_where(unsigned region)
{
	if (region == GSHMEMI_REGION_SYNC)
		return (struct gshmemi_where){
			gshmemi_tables()->sync_delta, gshmemi_tables()->sync_delta, region};
	return region == GSHMEMI_REGION_HEAP ? gshmemi_in_heap() : gshmemi_in_region(region);
}

/*
 * Calls outside the heap, out of line: in the same function they would lengthen the path of calls
 * on the heap.
 */
#define ELSEWHERE       __attribute__((noinline)) static
#define IN_HEAP(region) __builtin_expect((region) == GSHMEMI_REGION_HEAP, 1)

ELSEWHERE void put_elsewhere(unsigned region, void *dest, const void *source, struct gshmemi_extent extent,
	int pe, const char *call)
{
	gshmemi_put(find_where(region), GSHMEMI_THREAD, dest, source, extent, pe, call);
}

void gshmemi_host_put(unsigned region, void *dest, const void *source, struct gshmemi_extent extent, int pe,
	const char *call)
{
	if (IN_HEAP(region))
		gshmemi_put(gshmemi_in_heap(), GSHMEMI_THREAD, dest, source, extent, pe, call);
	else
		put_elsewhere(region, dest, source, extent, pe, call);
}

ELSEWHERE void get_elsewhere(unsigned region, void *dest, const void *source, struct gshmemi_extent extent,
	int pe, const char *call)
{
	gshmemi_get(find_where(region), GSHMEMI_THREAD, dest, source, extent, pe, call);
}

void gshmemi_host_get(unsigned region, void *dest, const void *source, struct gshmemi_extent extent, int pe,
	const char *call)
{
	if (IN_HEAP(region))
		gshmemi_get(gshmemi_in_heap(), GSHMEMI_THREAD, dest, source, extent, pe, call);
	else
		get_elsewhere(region, dest, source, extent, pe, call);
}

ELSEWHERE void p_elsewhere(
	unsigned region, void *dest, const void *value, unsigned nbytes, int pe, const char *call)
{
	gshmemi_p_any(find_where(region), dest, value, nbytes, pe, call);
}

void gshmemi_host_p(unsigned region, void *dest, const void *value, unsigned nbytes, int pe, const char *call)
{
	if (IN_HEAP(region))
		gshmemi_p_any(gshmemi_in_heap(), dest, value, nbytes, pe, call);
	else
		p_elsewhere(region, dest, value, nbytes, pe, call);
}

ELSEWHERE void g_elsewhere(
	unsigned region, void *value, const void *source, unsigned nbytes, int pe, const char *call)
{
	gshmemi_g_any(find_where(region), value, source, nbytes, pe, call);
}

void gshmemi_host_g(
	unsigned region, void *value, const void *source, unsigned nbytes, int pe, const char *call)
{
	if (IN_HEAP(region))
		gshmemi_g_any(gshmemi_in_heap(), value, source, nbytes, pe, call);
	else
		g_elsewhere(region, value, source, nbytes, pe, call);
}

void gshmemi_host_blocks(int what, unsigned region, void *dest, const void *source, struct gshmemi_blocks b,
	int pe, const char *call)
{
	if (what == GSHMEMI_PUT_BLOCKS)
		gshmemi_move_blocks(
			GSHMEMI_PUT_BLOCKS, find_where(region), GSHMEMI_THREAD, dest, source, b, pe, call);
	else
		gshmemi_move_blocks(
			GSHMEMI_GET_BLOCKS, find_where(region), GSHMEMI_THREAD, dest, source, b, pe, call);
}

ELSEWHERE uint64_t amo_elsewhere(
	unsigned region, void *dest, struct gshmemi_update u, int pe, const char *call)
{
	return gshmemi_amo(find_where(region), dest, u, pe, call);
}

uint64_t gshmemi_host_amo(unsigned region, void *dest, struct gshmemi_update u, int pe, const char *call)
{
	if (IN_HEAP(region))
		return gshmemi_amo(gshmemi_in_heap(), dest, u, pe, call);
	return amo_elsewhere(region, dest, u, pe, call);
}

void gshmemi_host_amo_nbi(
	unsigned region, void *fetch, void *dest, struct gshmemi_update u, int pe, const char *call)
{
	gshmemi_amo_nbi(find_where(region), fetch, dest, u, pe, call);
}

void gshmemi_host_put_signal(unsigned region, void *dest, const void *source, struct gshmemi_extent extent,
	struct gshmemi_signal s, int pe, const char *call)
{
	gshmemi_put_signal(find_where(region), GSHMEMI_THREAD, dest, source, extent, s, pe, call);
}

#endif /* GSHMEMI_ARCH_HOST_DIRECT */
