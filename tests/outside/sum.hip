// SPDX-License-Identifier: BSD-3-Clause
// libsum: another shared library with a kernel.
#include <hip/hip_runtime.h>
#include "outside.h"

__global__ static void add_to_first(long *total, const long *source, size_t nelems)
{
	for (size_t i = threadIdx.x; i < nelems; i += blockDim.x)
		gshmem_long_atomic_add(total, source[i], 0);
	gshmemx_barrier_all_wg();
}

int add(long *total, const long *source, size_t nelems)
{
	hipLaunchKernelGGL(add_to_first, dim3(1), dim3(64), 0, 0, total, source, nelems);
	return hipDeviceSynchronize();
}
