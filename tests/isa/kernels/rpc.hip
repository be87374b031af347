/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls to the CPU, one per kernel, for rpc.py. The function that the API keeps out of line is inlined here
 * for one operation, so that a kernel contains all of a call and nothing else.
 */
#include <gshmem.h>

#define KERNEL extern "C" __global__ void

__device__ static inline __attribute__((always_inline)) struct gshmemi_rpc_result call(
	uint32_t op, int posts, unsigned nwords, const uint64_t *in, uint64_t *out)
{
	const struct gshmemi_rpc_channel *c = &gshmemi_state.rpc;

	return gshmemi_rpc_words(
		c, op, posts, nwords, in, out, gshmemi_rpc_home(c, gshmemi_arch_caller()), "call");
}

KERNEL rpc_call(uint32_t op, uint64_t word, uint64_t *dest)
{
	const uint64_t in[6] = {word, word + 1, word + 2, word + 3, word + 4, word + 5};

	dest[threadIdx.x] = call(op, 0, 6, in, NULL).value;
}

KERNEL rpc_post(uint32_t op, uint64_t word)
{
	const uint64_t in[6] = {word, word + 1, word + 2, word + 3, word + 4, word + 5};

	(void)call(op, 1, 6, in, NULL);
}

KERNEL rpc_line(uint32_t op, const uint64_t *line, uint64_t *dest)
{
	uint64_t in[8], out[8] = {0, 0, 0, 0, 0, 0, 0, 0};
	int i;

	for (i = 0; i < 8; i++)
		in[i] = line[8 * threadIdx.x + i];
	(void)call(op, 0, 8, in, out);
	for (i = 0; i < 8; i++)
		dest[8 * threadIdx.x + i] = out[i];
}

/* In a unit that posts with the API, quiet asks whether anything is open. */
KERNEL rpc_quiet(uint32_t op)
{
	const uint64_t in[6] = {1, 2, 3, 4, 5, 6};

	gshmemx_rpc_post(op, in);
	gshmem_quiet();
}
