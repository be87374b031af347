/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* env: GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_DIVERGE=random:7 */
/*
 * A wait does not block the threads that would satisfy it: another wave of the same work-group, another
 * work-group and, if each lane has its own program counter, another lane of the same wave.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

/*
 * Wave 0 waits for wave 1, wave 1 for wave 2, and so on; the last wave starts.
 * Then back, with test in a loop.
 */
static __global__ void chain_of_waves(uint64_t *sig, int *ivar)
{
	const unsigned wave = t_rank() / warpSize, nwaves = (t_count() + warpSize - 1) / warpSize;
	const int me = gshmem_my_pe();

	if (t_rank() % warpSize == 0) {
		if (wave + 1 < nwaves)
			gshmem_signal_wait_until(sig + wave + 1, GSHMEM_CMP_EQ, nwaves - wave - 1);
		gshmem_signal_set(sig + wave, nwaves - wave, me);
		while (wave && !gshmem_int_test(ivar + wave - 1, GSHMEM_CMP_GT, 0))
			;
		gshmem_int_p(ivar + wave, 1, me);
		gshmem_quiet();
	}
}

/* Block 0 waits for block 1, as whole work-groups. Any GPU has room for two resident blocks. */
static __global__ void two_blocks(long *ivar)
{
	if (blockIdx.x == 0) {
		gshmemx_long_wait_until_wg(ivar, GSHMEM_CMP_EQ, 64);
	} else {
		gshmem_long_atomic_inc(ivar, gshmem_my_pe());
		gshmem_quiet();
	}
}

#ifdef __HIP_PLATFORM_CPU__
/* Each lane waits for its neighbour above. */
static __global__ void chain_of_lanes(uint64_t *sig)
{
	const unsigned i = t_rank();

	if (i + 1 < t_count())
		gshmem_uint64_wait_until(sig + i + 1, GSHMEM_CMP_NE, 0);
	gshmem_uint64_atomic_set(sig + i, i + 1, gshmem_my_pe());
	gshmem_quiet();
}

/* Half of a wave waits together for the other half. */
static __global__ void half_waves(uint64_t *sig)
{
	if (t_rank() % 2) {
		gshmemx_signal_wait_until_wave(sig, GSHMEM_CMP_GE, t_count() / 2);
	} else {
		gshmem_signal_add(sig, 1, gshmem_my_pe());
		gshmem_quiet();
	}
}
#endif

int main()
{
	gshmem_init();
	uint64_t *sig = (uint64_t *)gshmem_calloc(400, sizeof *sig);
	int *ivar = (int *)gshmem_calloc(400, sizeof *ivar), last;
	long *count = (long *)gshmem_calloc(1, sizeof *count);
	hipDeviceProp_t prop;

	t_hip(hipGetDeviceProperties(&prop, 0));
	t_launch(chain_of_waves, 1, 5 * prop.warpSize, sig, ivar);
	t_equal(t_read_u64(sig), 5, "a chain of 5 waves");
	t_from_device(&last, ivar + 4, sizeof last);
	t_equal(last, 1, "a chain of 5 waves, back by test");
	t_launch(two_blocks, 2, 64, count);
	t_equal(t_read_u64(count), 64, "two blocks");
#ifdef __HIP_PLATFORM_CPU__
	t_memset(sig, 0, 400 * sizeof *sig);
	t_launch(chain_of_lanes, 1, 200, sig);
	t_equal(t_read_u64(sig), 1, "a chain of lanes");
	t_memset(sig, 0, 8);
	t_launch(half_waves, 1, 128, sig);
	t_equal(t_read_u64(sig), 64, "half waves");
#endif
	gshmem_finalize();
	return 0;
}
