// SPDX-License-Identifier: BSD-3-Clause
// The program's own kernel.
#include <hip/hip_runtime.h>
#include "outside.h"

__global__ static void fill_here(long *dest, long first, size_t nelems)
{
	for (size_t i = threadIdx.x; i < nelems; i += blockDim.x)
		dest[i] = first + (long)i;
	gshmemx_barrier_all_wg();
}

int fill(long *dest, long first, size_t nelems)
{
	hipLaunchKernelGGL(fill_here, dim3(1), dim3(64), 0, 0, dest, first, nelems);
	return hipDeviceSynchronize();
}
