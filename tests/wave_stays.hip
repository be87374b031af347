/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CPU_DIVERGE=random GSHMEM_CARRY=all | GSHMEM_CPU_DIVERGE=random:7 GSHMEM_CPU_WAVE=32 GSHMEM_CARRY=all | GSHMEM_CPU_DIVERGE=random GSHMEM_CPU_DELIVERY=random */
/* platform: cpu */
/* carry: no, it has its own */
/* delivery: no, it has its own */
/* races: no, it pretends several nodes */
/*
 * Lanes that make a _wave call together stay converged after it, whatever each of them had to wait for, so
 * the wave's next step happens once. Blocks post all the time, so that some lanes of a wave find their posts
 * performed, and others have to ask.
 */
#include <gshmem.h>
#include "oracle.h"

enum { NBLOCKS = 4, NTHREADS = 128, NROUNDS = 60, NQUIETS = 3000 };
enum { QUIET, FENCE, PUT, GET, BARRIER, NCALLS };
static const char *const names[] = {"quiet", "fence", "put", "get", "barrier_all"};

/* words: one for each thread of the grid. */
__global__ void call_and_add(int call, long *words, long *data, uint64_t *signal, int pe)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;

	for (long round = 0; round < NROUNDS; round++) {
		gshmem_long_p(&words[thread], round, pe);
		switch (call) {
		case QUIET:
			gshmemx_quiet_wave();
			break;
		case FENCE:
			gshmemx_fence_wave();
			break;
		case PUT:
			gshmemx_long_put_wave(data, data + 64, 64, pe);
			break;
		case GET:
			gshmemx_long_get_wave(data + 64, data, 64, pe);
			break;
		default:
			gshmemx_barrier_all_wave();
			break;
		}
		gshmemx_long_put_signal_wave(data, data + 64, 4, signal, 1, GSHMEM_SIGNAL_ADD, pe);
	}
	gshmemx_quiet_wg();
}

/*
 * Block 0 counts the parts in which its wave leaves quiet, while block 1 keeps posting, so that
 * operations are sometimes open.
 */
__global__ void quiet_and_count(long *word, int *nparts, int *ends, int pe)
{
	if (blockIdx.x == 0) {
		for (int i = 0; i < NQUIETS; i++) {
			gshmemx_quiet_wave();
			if (__ballot(1) << (63 - threadIdx.x) == 1ULL << 63)
				atomicAdd(nparts, 1);
		}
		if (!threadIdx.x)
			atomicExch(ends, 1);
	} else if (!threadIdx.x) {
		while (!atomicAdd(ends, 0)) {
			gshmem_long_p(word, 1, pe);
			gshmem_quiet();
		}
	}
}

int main()
{
	gshmem_init();
	int me = gshmem_my_pe(), pe = (me + 1) % gshmem_n_pes();
	long *words = (long *)gshmem_calloc(NBLOCKS * NTHREADS, sizeof *words),
	     *data = (long *)gshmem_calloc(128, sizeof *data);
	uint64_t *signals = (uint64_t *)gshmem_calloc(NCALLS, sizeof *signals);

	for (int call = 0; call < NCALLS; call++) {
		/* One wave of a PE makes a collective. */
		const int nblocks = call == BARRIER ? 1 : NBLOCKS,
			  nthreads = call == BARRIER ? warpSize : NTHREADS;

		hipLaunchKernelGGL(
			call_and_add, nblocks, nthreads, 0, 0, call, words, data, &signals[call], pe);
		t_hip(hipDeviceSynchronize());
		gshmem_barrier_all();
		t_equal((int)gshmem_signal_fetch(&signals[call]), nblocks * nthreads / warpSize * NROUNDS,
			names[call]);
	}
	int *counts = (int *)t_hipmalloc(2 * sizeof *counts), nparts;
	t_memset(counts, 0, 2 * sizeof *counts);
	hipLaunchKernelGGL(quiet_and_count, 2, warpSize, 0, 0, words, &counts[0], &counts[1], pe);
	t_hip(hipDeviceSynchronize());
	t_from_device(&nparts, counts, sizeof nparts);
	t_equal(nparts, NQUIETS, "parts of a wave behind quiet");
	gshmem_finalize();
	return 0;
}
