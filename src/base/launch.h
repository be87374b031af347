/* SPDX-License-Identifier: BSD-3-Clause */
/* How the library launches a kernel of its own; for HIP units. */
#ifndef GSHMEMI_BASE_LAUNCH_H
#define GSHMEMI_BASE_LAUNCH_H

#include <hip/hip_runtime.h>

/* One work-group. hipLaunchKernelGGL leaves its error behind, perhaps beside one of the program's own, which stays. */
#define GSHMEMI_LAUNCH(error, kernel, nthreads, stream, ...) \
	do { \
		const hipError_t earlier_ = hipPeekAtLastError(); \
\
		hipLaunchKernelGGL(kernel, dim3(1), dim3(nthreads), 0, stream, __VA_ARGS__); \
		error = hipPeekAtLastError(); \
		if (error == earlier_) \
			error = hipSuccess; \
	} while (0)

#endif /* GSHMEMI_BASE_LAUNCH_H */
