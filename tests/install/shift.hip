// SPDX-License-Identifier: BSD-3-Clause
// The second unit of the external program.

#include "ring.h"

__global__ static void shift(long *dest, const long *source, size_t n)
{
	gshmemx_long_put_wg(dest, source, n, (gshmem_my_pe() + 1) % gshmem_n_pes());
	gshmemx_barrier_all_wg();
}

void ring_shift(long *dest, const long *source, size_t n)
{
	hipLaunchKernelGGL(shift, dim3(1), dim3(64), 0, 0, dest, source, n);
	if (hipDeviceSynchronize() != hipSuccess)
		exit(1);
}
