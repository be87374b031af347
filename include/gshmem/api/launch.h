/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx_collective_launch for HIP units, where a kernel has a type: the library asks all PEs whether their
 * grids fit, then the unit launches.
 */
#ifndef GSHMEM_LAUNCH_H
#define GSHMEM_LAUNCH_H

GSHMEMI_BEGIN_C

/* Asks whether the grids fit on all PEs: 0, or a negative errno on all of them. */
GSHMEM_HOST_API int gshmemi_host_launch_begin(
	const void *func, const unsigned grid[3], const unsigned block[3], size_t shared_nbytes);
/* Turns the launch's hipError_t into the API's result, and remembers the stream. */
GSHMEM_HOST_API int gshmemi_host_launch_end(int hip_error, void *stream);

GSHMEMI_END_C

#if GSHMEMI_KERNELS && defined(__cplusplus)
GSHMEMI_BEGIN_CXX
template <typename... P>
static inline int gshmemx_collective_launch(
	void (*kernel)(P...), dim3 grid, dim3 block, void **args, size_t shared_nbytes, hipStream_t stream)
{
	const unsigned ngroups[3] = {grid.x, grid.y, grid.z}, nthreads[3] = {block.x, block.y, block.z};
	int rc = gshmemi_host_launch_begin(
		reinterpret_cast<const void *>(kernel), ngroups, nthreads, shared_nbytes);

	if (rc)
		return rc;
	return gshmemi_host_launch_end(
		hipLaunchCooperativeKernel(kernel, grid, block, args, (unsigned)shared_nbytes, stream),
		stream);
}
GSHMEMI_END_CXX
#endif

#endif /* GSHMEM_LAUNCH_H */
