/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * Atomics of all kinds lose no update between lanes and blocks; clocks run forward; bit functions,
 * half and bfloat16 are right.
 */
#include <hip/hip_runtime.h>
#if __has_include(<hip/hip_bf16.h>)
#include <hip/hip_bf16.h>
#define HAS_BF16 1
#endif
#include <hip/hip_fp16.h>

#include "../helpers.h"

#if defined(__HIP_PLATFORM_AMD__) && HIP_VERSION_MAJOR < 6 /* the first HIP versions lack it */
#define wall_clock64 clock64
#endif

struct sums {
	int add, sub, min, max, inc, dec, cas, exch;
	unsigned bits_or, bits_and, bits_xor;
	unsigned long long add64;
	float addf;
	double addd;
	int bad;
};

__global__ void all(struct sums *s)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x, seen;

	atomicAdd(&s->add, 1);
	atomicSub(&s->sub, 2);
	atomicMin(&s->min, -id);
	atomicMax_system(&s->max, id);
#if !defined(__HIP_PLATFORM_AMD__) || \
	HIP_VERSION_MAJOR >= 6 /* older HIP versions do not link with newer clangs */
	atomicInc((unsigned *)&s->inc, 9);
	atomicDec((unsigned *)&s->dec, 9);
#else
	atomicAdd(&s->inc, id == 0 ? (int)(gridDim.x * blockDim.x % 10) : 0);
	atomicAdd(&s->dec, id == 0 ? (int)((10 - gridDim.x * blockDim.x % 10) % 10) : 0);
#endif
	atomicOr(&s->bits_or, 1u << id % 32);
	atomicAnd(&s->bits_and, ~(1u << id % 32));
	atomicXor(&s->bits_xor, id);
	atomicAdd(&s->add64, 1ull << 32);
	atomicAdd(&s->addf, 1);
	atomicAdd(&s->addd, 0.5);
	do
		seen = __hip_atomic_load(&s->cas, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	while (atomicCAS(&s->cas, seen, seen + 3) != seen);
	if (!__hip_atomic_fetch_add(&s->exch, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) && id < 0)
		s->bad = 1;
	long long t = wall_clock64(), c = clock64();
	if (wall_clock64() < t || clock64() < c)
		s->bad = 2;
	if (__popcll(0xff00ull) != 8 || __ffsll(0x100ull) != 9 || __clz(1) != 31 || __clzll(0) != 64 ||
		__brev(1) != 0x80000000u)
		s->bad = 3;
	if (min(3, 4u) != 3 || max(2.5, 1.0) != 2.5)
		s->bad = 4;
	if (__half2float(__float2half(0.333f)) != 0.3330078125f || (float)__half(65520.0f) < 65520.0f ||
		(float)(__half(1) + __half(0.5)) != 1.5f || (float)__half(6e-8f) != 0x1p-24f)
		s->bad = 5;
#ifdef HAS_BF16
	if ((float)__hip_bfloat16(1.00390625f) != 1.0f || (float)__hip_bfloat16(3.0f) != 3.0f)
		s->bad = 6;
#endif
}

int main()
{
	struct sums *s;
	const int n = 16 * 96;

	t_hip(hipMallocManaged(&s, sizeof(*s)));
	t_hip(hipMemset(s, 0, sizeof(*s)));
	t_hip(hipMemset(&s->bits_and, 0xff, sizeof(s->bits_and)));
	hipLaunchKernelGGL(all, 16, 96, 0, 0, s);
	t_hip(hipGetLastError());
	t_hip(hipDeviceSynchronize());
	t_equal(s->bad, 0, "check in the kernel");
	t_equal(s->add, n, "add");
	t_equal(s->sub, -2 * n, "sub");
	t_equal(s->min, 1 - n, "min");
	t_equal(s->max, n - 1, "max");
	t_equal(s->inc, n % 10, "inc");
	t_equal(s->dec, (10 - n % 10) % 10, "dec");
	t_equal(s->bits_or, ~0u, "or");
	t_equal(s->bits_and, 0, "and");
	t_equal(s->bits_xor, 0, "xor");
	t_equal(s->add64 >> 32, n, "add64");
	t_equal(s->addf, n, "float");
	t_equal(s->addd, n / 2, "double");
	t_equal(s->cas, 3 * n, "cas");
	t_equal(s->exch, n, "hip_atomic");
	return 0;
}
