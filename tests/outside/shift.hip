// SPDX-License-Identifier: BSD-3-Clause
// libshift: a shared library with a kernel.
#include <hip/hip_runtime.h>
#include "outside.h"

__global__ static void shift_to_next(long *dest, const long *source, size_t nelems)
{
	gshmemx_long_put_wg(dest, source, nelems, (gshmem_my_pe() + 1) % gshmem_n_pes());
	gshmemx_barrier_all_wg();
}

int shift(long *dest, const long *source, size_t nelems)
{
	hipLaunchKernelGGL(shift_to_next, dim3(1), dim3(64), 0, 0, dest, source, nelems);
	return hipDeviceSynchronize();
}
