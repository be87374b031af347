/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel of one wave that serves its device's mailbox. It is a HIP unit like a user's, with its own copy of
 * the device state.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>

#include "device/launch.h"
#include "owner/kernels.h"

__global__ __launch_bounds__(1) void gshmemi_attend_kernel(unsigned ncalls)
{
	for (; ncalls; ncalls--)
		gshmemi_attend();
}

hipError_t gshmemi_attend_launch(hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_attend_kernel, 1, stream, 16U);
}

hipError_t gshmemi_attend_load(void)
{
	return gshmemi_load_kernel(reinterpret_cast<const void *>(gshmemi_attend_kernel));
}
