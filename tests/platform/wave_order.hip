/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* run: */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=32 */
/* tsan: yes */
/*
 * Lanes that took a branch reconverge with the others before the next mask-less call, wherever the calls are
 * in the source: in helpers above the kernel, inlined or not, on one line, in branches and loops, between
 * two branches on one condition.
 */
#include <hip/hip_runtime.h>

#include "helpers.h"

#define NTHREADS 64

typedef unsigned long long mask_t;

struct seen {
	mask_t low, other_arm, called, again, joined, in_loop, after_loop, between;
	int sum, late_sum;
};

/* Five calls on one line, above all kernels. */
__device__ static inline int reduce(int value)
{
	for (int offset = warpSize / 2; offset; offset >>= 1)
		value += __shfl_xor(value, offset);
	return value;
}

__attribute__((noinline)) __device__ static mask_t active(void)
{
	return __ballot(1);
}

/* A compiler that copies the call into both paths would keep the lanes apart. */
__attribute__((noinline)) __device__ static mask_t meet_between(volatile int *count, bool is_first)
{
	if (is_first)
		*count = *count + 1;
	const mask_t all = active();
	if (is_first)
		*count = *count + 1;
	return all;
}

__global__ void wander(struct seen *seen, int half, int *count)
{
	int lane = (int)threadIdx.x % warpSize;
	struct seen s = {};

	if (lane < half)
		s.low = __ballot(1);
	s.sum = reduce(1);
	if (lane & 1)
		s.other_arm = __ballot(1);
	else
		s.other_arm = __ballot(1);
	s.called = lane & 1 ? active() : 0;
	s.again = active();
	if (lane % 3 == 0)
		s.late_sum = (int)active();
	else if (lane % 3 == 1)
		s.late_sum = reduce(1);
	s.joined = __ballot(1);
	for (int i = 0; i < lane % 5; i++)
		s.in_loop = __ballot(1);
	s.after_loop = __ballot(1);
	s.between = meet_between(count, threadIdx.x == 0);
	seen[threadIdx.x] = s;
}

static mask_t lanes_with(int modulus, int rest, int width)
{
	mask_t mask = 0;

	for (int lane = 0; lane < width; lane++)
		mask |= (mask_t)(lane % modulus == rest) << lane;
	return mask;
}

int main(void)
{
	int *count;
	struct seen *seen;
	hipDeviceProp_t properties;

	t_hip(hipGetDeviceProperties(&properties, 0));
	int width = properties.warpSize, half = width / 2;
	mask_t all = width == 64 ? ~0ULL : (1ULL << width) - 1;

	t_hip(hipHostMalloc((void **)&seen, NTHREADS * sizeof *seen, hipHostMallocMapped));
	t_hip(hipHostMalloc((void **)&count, sizeof *count, hipHostMallocMapped));
	*count = 0;
	hipLaunchKernelGGL(wander, dim3(1), dim3(NTHREADS), 0, 0, seen, half, count);
	t_hip(hipDeviceSynchronize());
	for (int thread = 0; thread < NTHREADS; thread++) {
		const struct seen *s = &seen[thread];
		int lane = thread % width;

		t_check(s->low == (lane < half ? (1ULL << half) - 1 : 0), "thread %d: low %llx", thread,
			s->low);
		t_equal(s->sum, width, "sum by an inlined helper above the kernel");
		t_check(s->other_arm == lanes_with(2, lane & 1, width), "thread %d: arms of one line %llx",
			thread, s->other_arm);
		t_check(s->called == (lane & 1 ? lanes_with(2, 1, width) : 0), "thread %d: called %llx",
			thread, s->called);
		t_check(s->again == all, "thread %d: after a branch that calls the same function: %llx",
			thread, s->again);
		t_check(s->joined == all, "thread %d: after an if with a helper: %llx", thread, s->joined);
		t_check(s->after_loop == all, "thread %d: after a loop: %llx", thread, s->after_loop);
		t_check(s->between == all, "thread %d: between two branches: %llx", thread, s->between);
	}
	t_equal(*count, 2, "branches of one thread");
	t_hip(hipHostFree(count));
	t_hip(hipHostFree(seen));
	return 0;
}
