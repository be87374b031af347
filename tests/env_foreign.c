/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 120 */
/*
 * The heap's size by the variables of NVSHMEM and rocSHMEM: GSHMEM_HEAP_SIZE comes before both, one that is
 * empty is not set, and a value that is no size is an error.
 */
#include <gshmem.h>

#include "job.h"

/* The heap holds 8 MiB, but not 4 more. */
static int pe_main(void)
{
	gshmem_init();
	t_check(gshmem_malloc((size_t)8 << 20), "the heap is less than 8 MiB");
	t_check(!gshmem_malloc((size_t)4 << 20), "the heap is more than 9 MiB");
	gshmem_finalize();
	return 0;
}

static void must_be(const char *env, const char *said, const char *what)
{
	static struct t_job job;

	t_job_run(&job, 2, env, "", "pe", 20);
	t_job_ended(&job, what);
	t_job_said(&job, said);
}

int main(int argc, char **argv)
{
	static struct t_job job;

	(void)argv;
	if (argc > 1)
		return pe_main();
	must_be("GSHMEM_DEBUG=1 NVSHMEM_SYMMETRIC_SIZE=8.5M",
		"the size is that of NVSHMEM_SYMMETRIC_SIZE=8.5M", "NVSHMEM's");
	must_be("GSHMEM_DEBUG=1 NVSHMEM_SYMMETRIC_SIZE= ROCSHMEM_HEAP_SIZE=8388608",
		"the size is that of ROCSHMEM_HEAP_SIZE=8388608", "rocSHMEM's");
	must_be("NVSHMEM_SYMMETRIC_SIZE=1m ROCSHMEM_HEAP_SIZE=1m GSHMEM_HEAP_SIZE=9m", "", "gshmem's own");
	t_job_run(&job, 1, "NVSHMEM_SYMMETRIC_SIZE=lots", "", "pe", 20);
	t_check(job.status, "a size that is none is accepted");
	t_job_said(&job, "NVSHMEM_SYMMETRIC_SIZE=lots: not a size");
	return 0;
}
