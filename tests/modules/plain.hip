/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded at run time by tests/platform/module.hip. */
#include <hip/hip_runtime.h>

extern "C" {
__device__ long long plain_total;
__constant__ int plain_factor = 2;

/* Parameters of several sizes, so that their offsets among the arguments matter. */
__global__ void plain_scale(int *values, char small, double factor, unsigned nelems)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nelems)
		values[i] = (int)(values[i] * factor) * plain_factor + small;
	if (i == 0)
		plain_total += nelems;
}
}

#ifdef HIPCPU_MODULE_KERNEL
HIPCPU_MODULE_KERNEL(plain_scale)
#endif
