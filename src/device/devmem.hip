/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own kernel: atomics for the host, where the CPU cannot perform them. It needs no device
 * state, because addresses are peer addresses already.
 */
#include <gshmem/arch/arch.h>

#include "device/kernels.h"
#include "device/launch.h"

/* Run by one thread. When the stream says that the kernel has ended, its writes have arrived. */
__global__ __launch_bounds__(1) void gshmemi_amo_kernel(
	int op, void *address, uint64_t value, uint64_t cond, unsigned nbytes, uint64_t *result)
{
	uint64_t old;

	if (nbytes == 4)
		old = gshmemi_arch_amo32(op, (uint32_t *)address, (uint32_t)value, (uint32_t)cond);
	else
		old = gshmemi_arch_amo64(op, (uint64_t *)address, value, cond);
	if (result)
		gshmemi_arch_store(result, old, 8);
}

hipError_t gshmemi_devmem_launch_amo(int op, void *address, uint64_t value, uint64_t cond, unsigned nbytes,
	uint64_t *result, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_amo_kernel, 1, stream, op, address, value, cond, nbytes, result);
}

hipError_t gshmemi_devmem_probe(void)
{
	return gshmemi_load_kernel(reinterpret_cast<const void *>(gshmemi_amo_kernel));
}
