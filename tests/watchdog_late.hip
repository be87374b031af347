/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 60 */
/* delivery: no, its jobs have an environment of their own */
/*
 * GSHMEM_WATCHDOG names the PE that keeps the others waiting in a barrier, on the host and in kernels,
 * once for each PE that waits. Waits by waves and work-groups are reported once, not once per thread. The
 * job goes on and ends normally.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>

#include "job.h"

enum { LATE = 2, NPES = 3 };

__global__ void barrier(int wave)
{
	if (!wave)
		gshmemx_sync_all_wg();
	else if (threadIdx.x < (unsigned)warpSize)
		gshmemx_barrier_all_wave();
}

/* Not empty: hipOccupancyMaxActiveBlocksPerMultiprocessor of HIP 5.2 divides by the registers of a kernel. */
__global__ void nothing()
{
	if (threadIdx.x > 64)
		gshmem_fence();
}

__global__ void wait_for(uint64_t *sig, int wg)
{
	if (wg)
		gshmemx_signal_wait_until_wg(sig, GSHMEM_CMP_GT, 41);
	else if (threadIdx.x < (unsigned)warpSize)
		gshmemx_uint64_wait_until_wave(sig, GSHMEM_CMP_NE, 17);
}

/* The late PE sleeps first. Then everybody meets as the case says. */
static int pe_main(int which)
{
	gshmem_init();
	int me = gshmem_my_pe();
	uint64_t *sig = (uint64_t *)gshmem_calloc(1, sizeof *sig), start = 17;

	t_hip(hipMemcpy(sig, &start, sizeof start, hipMemcpyHostToDevice));
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	if (me == LATE)
		usleep(3000000);
	switch (which) {
	case 0:
		gshmem_barrier_all();
		break;
	case 1:
		gshmem_sync_all();
		break;
	case 2:
		t_equal(gshmemx_collective_launch(nothing, dim3(1), dim3(64), NULL, 0, NULL), 0, "launch");
		break;
	case 3:
	case 4:
		hipLaunchKernelGGL(barrier, dim3(1), dim3(96), 0, 0, which == 3);
		break;
	default:
		if (me == LATE)
			for (int pe = 0; pe < LATE; pe++)
				gshmem_signal_set(sig, 42, pe);
		else
			hipLaunchKernelGGL(wait_for, dim3(1), dim3(96), 0, 0, sig, which == 6);
		break;
	}
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}

int main(int argc, char **argv)
{
	/* What each waiting PE reports: the call, what it waits for, and what it found. */
	static const char *const texts[][2] = {
		{"host: gshmem_barrier_all: has waited ", "; PE 2 on "},
		{"host: gshmem_sync_all: has waited ", "; PE 2 on "},
		{"host: gshmemx_collective_launch: has waited ", "; PE 2 on "},
		{"kernel, block 0, " GSHMEMI_ARCH_THREAD_WORD " 0: gshmemx_barrier_all_wave: has waited ",
			"; PE 2 on "},
		{"kernel, block 0, " GSHMEMI_ARCH_THREAD_WORD " 0: gshmemx_sync_all_wg: has waited ",
			"; PE 2 on "},
		{"kernel, block 0, " GSHMEMI_ARCH_THREAD_WORD
		 " 0: gshmemx_uint64_wait_until_wave: has waited ",
			" != 17 at address 0x"},
		{"kernel, block 0, " GSHMEMI_ARCH_THREAD_WORD " 0: gshmemx_signal_wait_until_wg: has waited ",
			"found 17 (GSHMEM_WATCHDOG)"},
	};
	static struct t_job job;
	char arg[8];

	if (argc > 1)
		return pe_main(atoi(argv[1]));
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (t_left_out((int)i))
			continue;
		snprintf(arg, sizeof arg, "%u", i);
		t_job_run(&job, NPES, "GSHMEM_WATCHDOG=0.8 GSHMEM_HEAP_SIZE=1m", "", arg, 30);
		t_job_ended(&job, texts[i][0]);
		t_check(t_job_count(&job, texts[i][0]) == LATE && t_job_count(&job, texts[i][1]) >= LATE,
			"\"%s ... %s\" once from each of PEs 0 and 1:\n%s", texts[i][0], texts[i][1],
			job.output);
	}
	return 0;
}
