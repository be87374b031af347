// SPDX-License-Identifier: BSD-3-Clause
// The external program's module: dlopen registers its copy of the device state, long after init.

#include "ring.h"

extern "C" ring_mark_fn ring_mark;

__global__ static void mark_from_module(long *dest, long value)
{
	if (threadIdx.x == 0)
		gshmem_long_p(dest, value, (gshmem_my_pe() + 1) % gshmem_n_pes());
	gshmemx_barrier_all_wg();
}

void ring_mark(long *dest, long value)
{
	gshmem_barrier_all();
	hipLaunchKernelGGL(mark_from_module, dim3(1), dim3(64), 0, 0, dest, value);
	if (hipDeviceSynchronize() != hipSuccess)
		exit(1);
}
