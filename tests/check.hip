/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/*
 * GSHMEM_CHECK=1: bad PEs and addresses are reported with the PE and the call,
 * from the host and from kernels.
 */
/* timeout: 200 */
/* delivery: no */
#include <gshmem.h>

#include "job.h"

enum bad {
	BAD_PE,
	NEGATIVE_PE,
	NULL_DEST,
	MISALIGNED,
	OUTSIDE,
	PEER_ADDRESS,
	FREED,
	BEYOND,
	WAIT_CMP,
	NBADS
};

/*
 * The same call on the host and in a kernel. block is an allocation of 100 bytes; freed was one. nobody is
 * -1: compilers warn if it is a constant.
 */
static inline __host__ __device__ void make_call(int bad, int nobody, char *block, char *freed, char *outside)
{
	long *word = (long *)block;

	switch (bad) {
	case BAD_PE:
		gshmem_long_p(word, 1, 2);
		break;
	case NEGATIVE_PE:
		gshmem_long_atomic_add(word, 1, nobody);
		break;
	case NULL_DEST:
		gshmem_putmem(NULL, block, 8, 1);
		break;
	case MISALIGNED:
		gshmem_long_g((long *)(block + 4), 1);
		break;
	case OUTSIDE:
		gshmem_long_p((long *)outside, 1, 1);
		break;
	case PEER_ADDRESS:
		gshmem_getmem(outside, gshmem_ptr(block, 1), 8, 1);
		break;
	case FREED:
		gshmem_long_p((long *)freed, 1, 1);
		break;
	case BEYOND:
		gshmem_putmem(block + 90, block, 11, 1);
		break;
	case WAIT_CMP:
		gshmem_long_wait_until(word, 99, 0);
		break;
	}
}

__global__ void call_in_kernel(int bad, int nobody, char *block, char *freed, char *outside)
{
	if (blockIdx.x == 1 && threadIdx.x == 5)
		make_call(bad, nobody, block, freed, outside);
}

static int pe_main(int bad, int in_kernel)
{
	int nobody = -atoi("1");
	char *block, *freed, *outside;

	gshmem_init();
	block = (char *)gshmem_calloc(100, 1);
	freed = (char *)gshmem_malloc(100);
	gshmem_free(freed);
	t_hip(hipMalloc((void **)&outside, 4096));
	gshmem_barrier_all();
	gshmem_putmem(block + 90, block, 10, 1); /* right: up to the last byte */
	if (gshmem_my_pe() == 0 && in_kernel) {
		hipLaunchKernelGGL(
			call_in_kernel, dim3(2), dim3(64), 0, 0, bad, nobody, block, freed, outside);
		t_hip(hipDeviceSynchronize());
	} else if (gshmem_my_pe() == 0) {
		make_call(bad, nobody, block, freed, outside);
	}
	if (gshmem_my_pe() == 0)
		printf("the call went unnoticed\n");
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const texts[NBADS] = {
		"gshmem_long_p: pe 2 is out of range, there are 2 PEs",
		"gshmem_long_atomic_add: pe -1 is out of range, there are 2 PEs",
		"gshmem_putmem: an address is NULL",
		"(heap+0x4) is not aligned to 8 bytes",
		"gshmem_long_p: 8 bytes at address 0x",
		"gshmem_getmem: 8 bytes at address 0x",
		"(heap+0x80) is in the symmetric heap, but not allocated",
		"gshmem_putmem: 11 bytes at address 0x",
		"gshmem_long_wait_until: 99 is not a valid operator",
	};
	static struct t_job job;
	char args[64];
	int bad, in_kernel;

	if (argc > 1)
		return pe_main(atoi(argv[1]), atoi(argv[2]));
	for (bad = 0; bad < NBADS; bad++) {
		for (in_kernel = 0; in_kernel < 2; in_kernel++) {
			if (t_left_out(bad + in_kernel))
				continue;
			snprintf(args, sizeof args, "%d %d", bad, in_kernel);
			t_job_run(&job, 2, "GSHMEM_CHECK=1", t_job_keep(), args, 20);
			t_job_failed(&job, args, texts[bad], 1);
			t_job_failed(&job, args,
				in_kernel ? "gshmem: pe 0: kernel, block 1, " GSHMEMI_ARCH_THREAD_WORD " 5: "
					  : "gshmem: pe 0: host: ",
				1);
			t_check(!strstr(job.output, "unnoticed"), "%s: unnoticed", args);
			t_check(!strstr(job.output, "gshmem: pe 1"), "%s: PE 1 should be silent:\n%s", args,
				job.output);
		}
	}
	return 0;
}
