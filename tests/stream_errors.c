/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* env: GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_FAIL=hipLaunchKernel:1:hipErrorInvalidValue */
/*
 * A call on a stream whose launch fails says so, also where the program has left the same error in
 * hipGetLastError. The next call works.
 */
#include <errno.h>
#include <gshmem.h>
#include <hip/hip_runtime_api.h>

#include "helpers.h"

int main(void)
{
	hipStream_t stream;

	gshmem_init();
	t_hip(hipStreamCreate(&stream));
	t_equal(hipMalloc(NULL, 1), hipErrorInvalidValue, "the program's error");
	t_equal(gshmemx_barrier_all_on_stream(stream), -EINVAL, "a launch that fails");
	t_equal(gshmemx_barrier_all_on_stream(stream), 0, "the next one");
	t_hip(hipStreamSynchronize(stream));
	gshmem_finalize();
	return 0;
}
