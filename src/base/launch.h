/* SPDX-License-Identifier: BSD-3-Clause */
/* How HIP units of the library launch a kernel. */
#ifndef GSHMEMI_BASE_LAUNCH_H
#define GSHMEMI_BASE_LAUNCH_H

#include <hip/hip_runtime.h>

/*
 * Launches one work-group. hipLaunchKernelGGL only sets the last error. An earlier error of the program's own
 * stays there.
 */
#define GSHMEMI_LAUNCH(error, kernel, nthreads, stream, ...) \
	do { \
		const hipError_t earlier_ = hipPeekAtLastError(); \
\
		hipLaunchKernelGGL(kernel, dim3(1), dim3(nthreads), 0, stream, __VA_ARGS__); \
		error = hipPeekAtLastError(); \
		if (error == earlier_) \
			error = hipSuccess; \
	} while (0)

/* Asks for a kernel, so that the runtime loads it now and not at its first launch. */
static inline hipError_t gshmemi_load_kernel(const void *kernel)
{
	hipFuncAttributes attributes;

	return hipFuncGetAttributes(&attributes, kernel);
}

#endif /* GSHMEMI_BASE_LAUNCH_H */
