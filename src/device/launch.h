/* SPDX-License-Identifier: BSD-3-Clause */
/* How HIP units of the library launch a kernel. */
#ifndef GSHMEMI_DEVICE_LAUNCH_H
#define GSHMEMI_DEVICE_LAUNCH_H

#include <gshmem/arch/arch.h>
#include <hip/hip_runtime.h>
#include <type_traits>

/*
 * Launches one work-group. Returns the launch's own error: hipGetLastError may have an earlier one,
 * of the program.
 */
#if GSHMEMI_ARCH_TYPED_LAUNCH
#define GSHMEMI_LAUNCH(kernel, nthreads, stream, ...) \
	hipLaunchKernelGGL(kernel, dim3(1), dim3(nthreads), 0, stream, __VA_ARGS__)
#else
#define GSHMEMI_LAUNCH(kernel, nthreads, stream, ...) gshmemi_launch(kernel, nthreads, stream, __VA_ARGS__)

/* The types come from the kernel alone, so the arguments are converted to what it takes. */
template <typename... P>
static inline hipError_t gshmemi_launch(void (*kernel)(P...), unsigned nthreads, hipStream_t stream,
	typename std::remove_reference<P>::type... args)
{
	void *addresses[] = {&args...};

	return hipLaunchKernel(
		reinterpret_cast<const void *>(kernel), dim3(1), dim3(nthreads), addresses, 0, stream);
}
#endif

/* Asks for a kernel, so that the runtime loads it now and not at its first launch. */
static inline hipError_t gshmemi_load_kernel(const void *kernel)
{
	hipFuncAttributes attributes;

	return hipFuncGetAttributes(&attributes, kernel);
}

#endif /* GSHMEMI_DEVICE_LAUNCH_H */
