/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What random.c's kernels are made of. On a GPU a lane's variable is an array of one element, on the host an
 * array of all LANES lanes of a wave. On the host RANDOM_LANES says how many lanes the GPU's waves have. The
 * program prints a line of results for each step and lane.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { NSTEPS = 8 };

#ifdef __HIP__
#include <hip/hip_runtime.h>
#define LANES    __AMDGCN_WAVEFRONT_SIZE
#define WIDTH    1
#define L        0
#define FUNCTION static __device__ inline
#define EACH
#define KERNEL __global__ void kernel(uint64_t *out)
#define BEGIN \
	__shared__ uint32_t lds[64]; \
	__shared__ uint32_t sum; \
	const uint32_t lane = threadIdx.x; \
	VARIABLES
#define SHUFFLE(to, from, at) to[0] = (uint32_t)__shfl((int)from[0], (int)((at) & (LANES - 1)), LANES);
#define BALLOT(to, what)      to[0] = __ballot((int)(what));
#define THROUGH_LDS(to, from, at) \
	__syncthreads(); \
	lds[lane] = from[0]; \
	__syncthreads(); \
	to[0] = lds[(at) & (LANES - 1)];
#define ATOMIC_ADD(to, what) \
	__syncthreads(); \
	if (lane == 0) \
		sum = 5; \
	__syncthreads(); \
	atomicAdd(&sum, (uint32_t)(what)); \
	__syncthreads(); \
	to[0] ^= sum;
#define STORE(step) \
	for (int k = 0; k < 12; k++) \
		out[(step * LANES + lane) * 12 + k] = RESULT(k);
#else
#define LANES    RANDOM_LANES
#define WIDTH    LANES
#define L        lane
#define FUNCTION static inline
#define EACH     for (uint32_t lane = 0; lane < LANES; lane++)
#define KERNEL   static void kernel(uint64_t *out)
#define BEGIN \
	uint32_t lds[64], sum; \
	VARIABLES_ALL
#define SHUFFLE(to, from, at) \
	EACH lds[lane] = from[(at) & (LANES - 1)]; \
	EACH to[lane] = lds[lane];
#define BALLOT(to, what) \
	{ \
		uint64_t b = 0; \
		EACH b |= (uint64_t)((what) != 0) << lane; \
		EACH to[lane] = b; \
	}
#define THROUGH_LDS(to, from, at) SHUFFLE(to, from, at)
#define ATOMIC_ADD(to, what) \
	sum = 5; \
	EACH sum += (uint32_t)(what); \
	EACH to[lane] ^= sum;
#define STORE(step) EACH for (int k = 0; k < 12; k++) out[(step * LANES + lane) * 12 + k] = RESULT(k);
#endif
#define DECLARE \
	uint32_t u0[WIDTH], u1[WIDTH], u2[WIDTH], u3[WIDTH]; \
	uint64_t q0[WIDTH], q1[WIDTH]; \
	uint16_t h0[WIDTH], h1[WIDTH]; \
	float f0[WIDTH], f1[WIDTH]; \
	double d0[WIDTH], d1[WIDTH];
#define START \
	u0[L] = lane * 2654435761u; \
	u1[L] = lane ^ 77; \
	u2[L] = 1u << (lane & 31); \
	u3[L] = ~lane; \
	q0[L] = lane * 0x123456789abcdefull; \
	q1[L] = ~q0[L]; \
	h0[L] = (uint16_t)(lane * 999); \
	h1[L] = 7; \
	f0[L] = (float)lane * 0.37f; \
	f1[L] = -1.5f; \
	d0[L] = lane * 1.1; \
	d1[L] = 3;
#define VARIABLES DECLARE START
#define VARIABLES_ALL \
	DECLARE EACH \
	{ \
		START \
	}
#define RESULT(k) \
	(k < 4                   ? (k == 0                  ? u0 \
						   : k == 1 ? u1 \
						   : k == 2 ? u2 \
							    : u3)[L] \
			: k < 6  ? (k == 4 ? q0 : q1)[L] \
			: k < 8  ? (k == 6 ? h0 : h1)[L] \
			: k < 10 ? bits_of((k == 8 ? f0 : f1)[L]) \
				 : bits_of((k == 10 ? d0 : d1)[L]))

FUNCTION uint64_t bits_of(double x)
{
	uint64_t bits;

	__builtin_memcpy(&bits, &x, sizeof(bits));
	return bits;
}
/* Limits a value to the range of int32_t. */
FUNCTION float tame(float x)
{
	return x > -1e9f && x < 1e9f ? x : 0.25f;
}
FUNCTION double tame(double x)
{
	return x > -1e9 && x < 1e9 ? x : 0.75;
}

KERNEL;
int main(void)
{
	static uint64_t out[NSTEPS * 64 * 12];
#ifdef __HIP__
	uint64_t *device;
	int nlanes = 0;

	if (hipMalloc((void **)&device, sizeof(out)) ||
		hipDeviceGetAttribute(&nlanes, hipDeviceAttributeWarpSize, 0))
		return 2;
	kernel<<<1, nlanes>>>(device);
	if (hipMemcpy(out, device, sizeof(out), hipMemcpyDeviceToHost))
		return 2;
#else
	const int nlanes = LANES;

	kernel(out);
#endif
	for (int k = 0; k < NSTEPS * nlanes * 12; k++)
		printf("%016llx%c", (unsigned long long)out[k], k % 12 == 11 ? '\n' : ' ');
	return 0;
}
