/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What attention.h does in one kernel, split into a kernel, a put and a barrier on a stream for each block of
 * keys and values: for comparison.
 */
#ifndef APPS_ATTENTION_SPLIT_H
#define APPS_ATTENTION_SPLIT_H

#include "attention.h"

/* The block that is there as the one of this number, and is that of PE source. */
__global__ static void split_block(struct attention a, const float *q, int block, int source)
{
	const float *keys = (const float *)(const void *)attention_place(a, (uint64_t)block);

	attention_block_wg(a, attention_mine(a.shape), q, keys, keys + a.block_nbytes / sizeof *keys, source);
}

__global__ static void split_finish(struct attention a, float *out)
{
	attention_finish_wg(a, attention_mine(a.shape), out);
}

/* Of floats, on the default stream; collective, on the host. Uses the buffer of a. Returns 0 on success. */
static inline int split_attention(
	const struct attention &a, const float *q, const float *k, const float *v, float *out, int nthreads)
{
	const struct attention_shape &s = a.shape;
	const int me = gshmem_my_pe(), npes = a.npes;
	const dim3 grid((unsigned)(s.nheads * s.nparts)), block((unsigned)nthreads);
	const size_t nbytes = a.block_nbytes;
	int rc = hipMemcpyAsync(a.blocks, k, nbytes, hipMemcpyDeviceToDevice, 0) != hipSuccess ||
		hipMemcpyAsync(a.blocks + nbytes, v, nbytes, hipMemcpyDeviceToDevice, 0) != hipSuccess;

	for (int step = 0; step < npes && !rc; step++) {
		hipLaunchKernelGGL(split_block, grid, block, 0, 0, a, q, step, (me + npes - step) % npes);
		if (step < npes - 1)
			rc = gshmemx_putmem_on_stream(attention_place(a, (uint64_t)step + 1),
				attention_place(a, (uint64_t)step), 2 * nbytes, (me + 1) % npes, 0);
		rc = gshmemx_barrier_all_on_stream(0) || rc;
	}
	hipLaunchKernelGGL(split_finish, grid, block, 0, 0, a, out);
	return rc;
}

#endif /* APPS_ATTENTION_SPLIT_H */
