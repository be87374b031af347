/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,4 */
/* env: GSHMEM_HEAP_SIZE=64m GSHMEM_PES_PER_NODE=1 GSHMEM_NET_DEADLINE=60 | GSHMEM_HEAP_SIZE=64m GSHMEM_PES_PER_NODE=2 GSHMEM_NET_DEADLINE=60 */
/* timeout: 240 */
/* carry: no, PEs of several nodes are carried as it is */
/* nodes: no, likewise */
/* platform: cpu */
/* races: no, it pretends several nodes */
/*
 * Reductions over several nodes do not overwrite scratch that is still in use: messages of many chunks, and
 * short ones back to back, with broadcasts between them that other PEs need not have finished. Every other
 * time dest is source, and the source is overwritten as soon as the call has returned. By the host, if it
 * reaches the heap, and by a work-group.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define LONG   (3 << 18) /* 3 MiB: at 4 PEs 14 chunks of a part */
#define NSHORT 400
#define SHORT  8192 /* sent whole with 2 PEs; with more PEs proportionally fewer */

__host__ __device__ static int value(int pe, int time, size_t i)
{
	return (int)(((unsigned)pe * 7919U + (unsigned)time * 104729U + (unsigned)i * 31U) & 0xfffff);
}

/* A sum of n elements, called by all threads (rank of size). Returns this thread's wrong elements here. */
__host__ __device__ static size_t sum(int *dest, int *source, size_t n, int time, size_t rank, size_t size)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	size_t nwrong = 0;

	if (time % 2)
		dest = source;
	for (size_t i = rank; i < n; i += size)
		source[i] = value(me, time, i);
	(void)(size > 1 ? gshmemx_int_sum_reduce_wg(GSHMEM_TEAM_WORLD, dest, source, n)
			: gshmem_int_sum_reduce(GSHMEM_TEAM_WORLD, dest, source, n));
	for (size_t i = rank; i < n; i += size) {
		int expected = 0;

		for (int pe = 0; pe < npes; pe++)
			expected += value(pe, time, i);
		nwrong += dest[i] != expected;
		source[i] = -1;
	}
	return nwrong;
}

/* A different length each time, and the longest every fifth time. */
__host__ __device__ static size_t length(int time)
{
	const size_t most = 2 * SHORT / (size_t)gshmem_n_pes();

	return time % 5 ? (size_t)time * 157 % most + 1 : most;
}

__host__ __device__ static size_t short_sums(int *dest, int *source, int ntimes, size_t rank, size_t size)
{
	int *dests[2] = {dest, dest + SHORT}, *sources[2] = {source, source + SHORT};
	size_t nwrong = 0;

	for (int time = 0; time < ntimes; time++) {
		nwrong += sum(dests[time / 2 % 2], sources[time / 2 % 2], length(time), time, rank, size);
		if (time % 3 == 0) {
			(void)(size > 1 ? gshmemx_int_broadcast_wg(GSHMEM_TEAM_WORLD, dest + 2 * SHORT,
						  source + 2 * SHORT, 8, 0)
					: gshmem_int_broadcast(GSHMEM_TEAM_WORLD, dest + 2 * SHORT,
						  source + 2 * SHORT, 8, 0));
		}
	}
	return nwrong;
}

__global__ static void sums(int *dest, int *source, unsigned long long *nwrong)
{
	const size_t rank = threadIdx.x, size = blockDim.x;
	size_t n = 0;

	for (int time = 0; time < 3; time++)
		n += sum(dest, source, LONG / 2, time, rank, size);
	n += short_sums(dest, source, NSHORT / 8, rank, size);
	atomicAdd(nwrong, n);
}

int main(void)
{
	unsigned long long *nwrong;
	int *dest, *source;

	gshmem_init();
	dest = (int *)gshmem_malloc(LONG * sizeof *dest);
	source = (int *)gshmem_calloc(LONG, sizeof *source);
	nwrong = (unsigned long long *)gshmem_calloc(1, sizeof *nwrong);
	t_check(dest && source && nwrong, "the heap is too small");
	gshmem_barrier_all();
	if (GSHMEMI_ARCH_HOST_DIRECT) {
		for (int time = 0; time < 6; time++)
			t_equal(sum(dest, source, LONG, time, 0, 1), 0, "long sums of the host");
		t_equal(short_sums(dest, source, NSHORT, 0, 1), 0, "short sums of the host");
	}
	gshmem_barrier_all();
	hipLaunchKernelGGL(sums, dim3(1), dim3(64), 0, 0, dest, source, nwrong);
	t_hip(hipDeviceSynchronize());
	t_equal(t_read_u64(nwrong), 0, "sums of a work-group");
	gshmem_finalize();
	return 0;
}
