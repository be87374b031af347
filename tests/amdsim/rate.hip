/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For rate.sh: rate words|vectors PASSES runs a kernel that copies again and again. Prints its CPU time in
 * seconds, and how many dependent adds this CPU makes in a second, which are its cycles.
 */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NBYTES = 1 << 18, THREADS = 256, UNROLL = 8 };

/* Copies word by word. */
static __global__ void words(unsigned *out, const unsigned *in, size_t n, int passes)
{
	for (int pass = 0; pass < passes; pass++)
		for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
			i += (size_t)gridDim.x * blockDim.x)
			out[i] = in[i];
}

/* Loads 16 bytes at a time, then stores them, as a put does. */
static __global__ void vectors(uint4 *out, const uint4 *in, size_t n, int passes)
{
	for (int pass = 0; pass < passes; pass++)
		for (size_t i = threadIdx.x; i < n; i += UNROLL * THREADS) {
			uint4 x[UNROLL];

#pragma unroll
			for (int k = 0; k < UNROLL; k++)
				x[k] = in[i + k * THREADS];
#pragma unroll
			for (int k = 0; k < UNROLL; k++)
				out[i + k * THREADS] = x[k];
		}
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static double count_cycles(void)
{
	double from = cpu_seconds();
	unsigned long x = 0;

	for (int k = 0; k < 40000000; k++)
		__asm__ volatile("add $1, %0" : "+r"(x));
	return (double)x / (cpu_seconds() - from);
}

int main(int argc, char **argv)
{
	void *in, *out, *host = malloc(NBYTES);
	int passes = argc == 3 ? atoi(argv[2]) : 0;
	double seconds, cycles;

	if (!passes || !host || hipMalloc(&in, NBYTES) || hipMalloc(&out, NBYTES) ||
		hipMemset(in, 0x5a, NBYTES))
		return 1;
	cycles = count_cycles();
	seconds = cpu_seconds();
	if (!strcmp(argv[1], "words"))
		words<<<1, THREADS>>>((unsigned *)out, (unsigned *)in, NBYTES / sizeof(unsigned), passes);
	else
		vectors<<<1, THREADS>>>((uint4 *)out, (uint4 *)in, NBYTES / sizeof(uint4), passes);
	if (hipMemcpy(host, out, NBYTES, hipMemcpyDeviceToHost) || ((char *)host)[NBYTES - 1] != 0x5a)
		return 1;
	seconds = cpu_seconds() - seconds;
	printf("%.3f %.0f\n", seconds, (cycles + count_cycles()) / 2);
	return 0;
}
