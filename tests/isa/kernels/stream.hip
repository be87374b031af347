/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream of values and little else: every register that the slow path takes shows. Compiled for NVIDIA with a bound
 * of 32 registers, which leaves all warps to an SM; nothing may be spilled for it in the loop.
 */
#include <gshmem.h>

extern "C" __global__ void user_stream(const int *values, int *dest, int n, int pe)
{
#pragma unroll 1
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		gshmem_int_p(dest + i, values[i] * 3 + i, pe);
}
