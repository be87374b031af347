// SPDX-License-Identifier: BSD-3-Clause
// The module: dlopen fills its copy of the device state, long after init.
#include <hip/hip_runtime.h>
#include "outside.h"

extern "C" mark_fn mark;

__global__ static void mark_next(long *dest, long value)
{
	if (threadIdx.x == 0)
		gshmem_long_p(dest, value, (gshmem_my_pe() + 1) % gshmem_n_pes());
	gshmemx_barrier_all_wg();
}

int mark(long *dest, long value)
{
	hipLaunchKernelGGL(mark_next, dim3(1), dim3(64), 0, 0, dest, value);
	return hipDeviceSynchronize();
}
