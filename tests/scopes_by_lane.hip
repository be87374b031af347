/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_WAVE=64 */
/*
 * Wave calls that the lanes make one after the other in a loop, each alone and with its own arguments, all
 * take effect. A GPU reconverges the lanes in each iteration, and no lane's call may replace another's.
 */
#include <gshmem.h>

#include "helpers.h"

#define NLANES 32

static __global__ void by_lane(long *dest, long *got, const long *source, uint64_t *sig, int pe)
{
	int lane = (int)threadIdx.x;

	for (int i = 0; i < NLANES; i++)
		if (lane == i)
			gshmemx_long_put_wave(dest + i, source + i, 1, pe);
	for (int i = 0; i < NLANES; i++)
		if (lane == i)
			gshmemx_long_put_signal_wave(
				dest + NLANES + i, source + i, 1, sig + i, 1, GSHMEM_SIGNAL_ADD, pe);
	gshmemx_barrier_all_wg();
	for (int i = 0; i < NLANES; i++)
		if (lane == i)
			gshmemx_long_get_wave(got + i, dest + i, 1, pe);
}

int main(void)
{
	if (!t_wave_may_part())
		t_skip("NVIDIA GPUs wait in a _wave call for all lanes of the wave");
	gshmem_init();
	int me = gshmem_my_pe(), other = 1 - me;
	long *dest = (long *)gshmem_calloc(2 * NLANES, sizeof *dest),
	     *got = (long *)gshmem_calloc(NLANES, sizeof *got);
	long *source = (long *)gshmem_calloc(NLANES, sizeof *source), value;
	uint64_t *sig = (uint64_t *)gshmem_calloc(NLANES, sizeof *sig);

	for (int i = 0; i < NLANES; i++)
		gshmem_long_p(source + i, 100 * me + i + 1, me);
	gshmem_barrier_all();
	hipLaunchKernelGGL(by_lane, dim3(1), dim3(NLANES), 0, 0, dest, got, source, sig, other);
	t_hip(hipDeviceSynchronize());
	for (int i = 0; i < NLANES; i++) {
		gshmem_long_get(&value, dest + i, 1, me);
		t_equal(value, 100 * other + i + 1, "put by lane");
		gshmem_long_get(&value, dest + NLANES + i, 1, me);
		t_equal(value, 100 * other + i + 1, "put_signal by lane");
		t_equal(gshmem_uint64_g(sig + i, me), 1, "signal by lane");
		gshmem_long_get(&value, got + i, 1, me);
		t_equal(value, 100 * me + i + 1, "get by lane");
	}
	gshmem_finalize();
	return 0;
}
