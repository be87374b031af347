/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tick of the GPU's clock has TICK_NS nanoseconds, as amd.sh says, both for kernels of this GPU and for the
 * host, which looks it up by the GPU's name, GFX, with ROCm's suffix.
 */
#include <gshmem.h>

#if GSHMEMI_DEVICE_PASS
#define TEXT(x) #x
#define NAME(x) TEXT(x)
static_assert(GSHMEMI_ARCH_OWN_TICK_NS == TICK_NS, "what kernels take a tick for");
static_assert(
	GSHMEMI_ARCH_TICK_NS(NAME(GFX) ":sramecc+:xnack-") == TICK_NS, "what the host takes a tick for");
#endif

__global__ void read_clock(uint64_t *ns)
{
	*ns = gshmemi_arch_clock_ns();
}
