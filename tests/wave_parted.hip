/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CPU_DIVERGE=random | GSHMEM_CPU_DIVERGE=random:7 GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_WAVE=64 */
/* platform: cpu */
/*
 * Lanes that divergent code has separated make a _wave call in parts, which adds to a signal more than once,
 * unless __syncwarp reconverges them. Only GSHMEM_CPU_DIVERGE leaves them separated.
 */
#include <gshmem.h>

#include "helpers.h"

enum { NTHREADS = 256, NROUNDS = 50 };

__global__ void add(bool joins, long *dest, const long *source, uint64_t *signal, int pe)
{
	const int lane = threadIdx.x % warpSize;

	for (int round = 0; round < NROUNDS; round++) {
		if (lane % 3)
			gshmemx_quiet_wave();
		else
			gshmemx_fence_wave();
		if (joins)
			__syncwarp();
		gshmemx_long_put_signal_wave(dest, source, 4, signal, 1, GSHMEM_SIGNAL_ADD, pe);
	}
	gshmemx_quiet_wg();
}

int main()
{
	const int nwanted = NTHREADS / warpSize * NROUNDS;

	if (!t_wave_may_part())
		t_skip("NVIDIA GPUs wait in a _wave call for all lanes of the wave");
	gshmem_init();
	int me = gshmem_my_pe(), pe = (me + 1) % gshmem_n_pes();
	long *data = (long *)gshmem_calloc(8, sizeof *data);
	uint64_t *signals = (uint64_t *)gshmem_calloc(2, sizeof *signals);
	gshmemx_race_ok(data, 8 * sizeof *data); /* parts of a wave put to one place */

	for (int joins = 0; joins < 2; joins++) {
		hipLaunchKernelGGL(add, 1, NTHREADS, 0, 0, joins != 0, data, data + 4, &signals[joins], pe);
		t_hip(hipDeviceSynchronize());
	}
	gshmem_barrier_all();
	int parted = (int)gshmem_signal_fetch(&signals[0]), joined = (int)gshmem_signal_fetch(&signals[1]);

	t_equal(joined, nwanted, "put_signal ADD by waves after __syncwarp");
	if (getenv("GSHMEM_CPU_DIVERGE"))
		t_check(parted > nwanted,
			"PE %d: put_signal ADD by waves that have parted: %d, no more than waves", me,
			parted);
	else
		t_equal(parted, nwanted, "put_signal ADD by waves that meet again");
	gshmem_finalize();
	return 0;
}
