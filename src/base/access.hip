/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own kernels: atomics for the host, where the CPU cannot make them. No device state is needed here:
 * addresses are peer addresses already.
 */
#include <gshmem/arch/arch.h>

#include "base/kernels.h"
#include "base/launch.h"

template <int op> static inline __device__ uint64_t amo(void *address, uint64_t value, uint64_t cond, unsigned nbytes)
{
	if (nbytes == 4)
		return gshmemi_arch_amo32(op, (uint32_t *)address, (uint32_t)value, (uint32_t)cond);
	return gshmemi_arch_amo64(op, (uint64_t *)address, value, cond);
}

/* The primitives want an operation that is a constant. */
static inline __device__ uint64_t amo_of(int op, void *address, uint64_t value, uint64_t cond, unsigned nbytes)
{
	switch (op) {
	case GSHMEMI_AMO_ADD:
		return amo<GSHMEMI_AMO_ADD>(address, value, cond, nbytes);
	case GSHMEMI_AMO_AND:
		return amo<GSHMEMI_AMO_AND>(address, value, cond, nbytes);
	case GSHMEMI_AMO_OR:
		return amo<GSHMEMI_AMO_OR>(address, value, cond, nbytes);
	case GSHMEMI_AMO_XOR:
		return amo<GSHMEMI_AMO_XOR>(address, value, cond, nbytes);
	case GSHMEMI_AMO_SWAP:
		return amo<GSHMEMI_AMO_SWAP>(address, value, cond, nbytes);
	case GSHMEMI_AMO_CAS:
		return amo<GSHMEMI_AMO_CAS>(address, value, cond, nbytes);
	case GSHMEMI_AMO_SET:
		return amo<GSHMEMI_AMO_SET>(address, value, cond, nbytes);
	default:
		return amo<GSHMEMI_AMO_FETCH>(address, value, cond, nbytes);
	}
}

/* One thread. Its writes have arrived when the stream says that the kernel has ended. */
__global__ void gshmemi_amo_kernel(int op, void *address, uint64_t value, uint64_t cond, unsigned nbytes,
				   uint64_t *result)
{
	uint64_t old = amo_of(op, address, value, cond, nbytes);

	if (result)
		gshmemi_arch_store(result, old, 8);
}

hipError_t gshmemi_access_launch_amo(int op, void *address, uint64_t value, uint64_t cond, unsigned nbytes,
				     uint64_t *result, hipStream_t stream)
{
	hipError_t error;

	GSHMEMI_LAUNCH(error, gshmemi_amo_kernel, 1, stream, op, address, value, cond, nbytes, result);
	return error;
}

hipError_t gshmemi_access_probe(void)
{
	hipFuncAttributes attributes;

	return hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(gshmemi_amo_kernel));
}
