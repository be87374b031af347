/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its jobs say which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 200 */
/* An error in the setup or operations of a job with carried PEs is reported once, with what to do. */
#include <hip/hip_runtime.h>
#include <mpi.h>
#include "job.h"
#include "net_calls.h"

enum { NBYTES = 1000 };

static __host__ __device__ void ask(char *heap, int which, int pe)
{
	uint64_t word = 0;

	switch (which) {
	case 0:
		gshmem_putmem(heap + NBYTES, &word, 8, pe);
		break;
	case 1:
		gshmem_uint64_p(&word, 1, pe);
		break;
	case 2:
		gshmem_uint64_atomic_inc((uint64_t *)(void *)(heap + 4), pe);
		break;
	case 3:
		(void)gshmem_uint64_g((uint64_t *)(void *)heap, 2);
		break;
	default:
		gshmem_getmem(heap, heap + NBYTES - 50, 100, pe);
	}
	gshmem_quiet();
}

static __global__ void kernel(char *heap, int which, int pe)
{
	ask(heap, which, pe);
}

static int bad_call(int which, int is_kernel)
{
	char *heap;

	t_net_init();
	heap = (char *)gshmem_malloc(NBYTES);
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0 && is_kernel)
		t_launch(kernel, 1, 1, heap, which, 1);
	else if (gshmem_my_pe() == 0)
		ask(heap, which, 1);
	gshmem_barrier_all();
	printf("PE %d came through\n", gshmem_my_pe());
	return 1;
}

static int pe_main(const char *what, int which, int is_kernel)
{
	int level;

	if (strcmp(what, "call") == 0)
		return bad_call(which, is_kernel);
	if (strcmp(what, "level") == 0)
		MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
	if (!gshmem_init_thread(GSHMEM_THREAD_SINGLE, &level))
		printf("PE %d came through\n", gshmem_my_pe());
	return 1;
}

static struct t_job job;

static void expect(const char *env, const char *args, const char *text, int count)
{
	t_job_run(&job, 2, env, "", args, 20);
	t_check(!strstr(job.output, "came through"), "%s %s: a PE went on:\n%s", env, args, job.output);
	t_job_failed(&job, args, text, count);
}

int main(int argc, char **argv)
{
	static const char *const texts[] = {"is in the symmetric heap, but not allocated",
		"in the symmetric heap", "is not aligned to 8", "pe 2 is out of range, there are 2 PEs",
		"run beyond the allocation, which has 50 from there"};
	char args[32];

	if (argc > 1)
		return pe_main(argv[1], argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? atoi(argv[3]) : 0);
	expect("GSHMEM_CARRY=all", "level",
		"takes a thread of its own, but MPI runs with MPI_THREAD_FUNNELED: start MPI by "
		"MPI_Init_thread with MPI_THREAD_MULTIPLE",
		1);
	expect("GSHMEM_CARRY=1-4-6", "grammar",
		"GSHMEM_CARRY=1-4-6: must be all, 1-in-3, a list of PEs like 1,4-6, direct, or "
		"direct:1,4-6",
		1);
	expect("GSHMEM_CARRY=every", "grammar", "GSHMEM_CARRY=every: must be all", 1);
	t_job_run(&job, 2, "GSHMEM_CARRY=9", "", "nobody", 20);
	t_check(t_job_count(&job, "init: GSHMEM_CARRY=9 names no PE of this job, which has PEs 0 to 1") == 1,
		"GSHMEM_CARRY=9: expected a warning in:\n%s", job.output);
	for (int which = 0; which < 5; which++)
		for (int is_kernel = 0; is_kernel < 2; is_kernel++) {
			if (t_left_out(which + is_kernel))
				continue;
			snprintf(args, sizeof args, "call %d %d", which, is_kernel);
			expect("GSHMEM_CARRY=all GSHMEM_CHECK=1", args, texts[which], 1);
		}
	return 0;
}
