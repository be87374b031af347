/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream of values and little else, so every register of the slow path shows. Compiled for NVIDIA with a
 * limit of 32 registers, with which an SM can run all its warps; the loop must not spill because of it.
 */
#include <gshmem.h>

extern "C" __global__ void user_stream(const int *values, int *dest, int n, int pe)
{
#pragma unroll 1
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		gshmem_int_p(dest + i, values[i] * 3 + i, pe);
}
