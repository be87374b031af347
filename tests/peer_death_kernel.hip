/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If a PE dies or calls gshmem_global_exit while the others spin in kernels, they
 * end soon and report why once.
 */
/* timeout: 200 */
/* delivery: no, its jobs are to fail */
#include <gshmem.h>

#include "job.h"

#define NPES 3

__global__ void wait_in_kernel(long *word)
{
	gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
}

__global__ void barrier_in_kernel(void)
{
	gshmemx_barrier_all_wg();
}

/* Spins without the library, which cannot check whether the job ends. */
__global__ void spin_in_kernel(volatile long *word)
{
	while (*word == 0)
		;
}

static int pe_main(const char *what, const char *how)
{
	long *word;

	gshmem_init();
	word = (long *)gshmem_calloc(1, sizeof *word);
	gshmem_barrier_all();
	if (gshmem_my_pe() == 1) {
		usleep(300000);
		if (strcmp(how, "kill") == 0)
			raise(SIGKILL);
		if (strcmp(how, "global_exit") == 0)
			gshmem_global_exit(7);
		_exit(0);
	}
	if (strcmp(what, "wait") == 0)
		hipLaunchKernelGGL(wait_in_kernel, dim3(2), dim3(64), 0, 0, word);
	else if (strcmp(what, "barrier") == 0)
		hipLaunchKernelGGL(barrier_in_kernel, dim3(1), dim3(64), 0, 0);
	else
		hipLaunchKernelGGL(spin_in_kernel, dim3(1), dim3(64), 0, 0, word);
	(void)hipDeviceSynchronize();
	printf("PE %d came through\n", gshmem_my_pe());
	return 55;
}

int main(int argc, char **argv)
{
	static const char *const whats[] = {"wait", "barrier", "spin"};
	static const char *const hows[] = {"kill", "exit", "global_exit"};
	static struct t_job job;
	char args[64];
	unsigned what, how;

	if (argc > 1)
		return t_job_shield(pe_main, argv[1], argv[2],
			t_launched_rank() == 1 && strcmp(argv[2], "global_exit") != 0);
	for (what = 0; what < 3; what++) {
		for (how = 0; how < 3; how++) {
			snprintf(args, sizeof args, "%s %s", whats[what], hows[how]);
			t_job_run(&job, NPES, "", t_job_keep(), args, 20);
			t_check(!strstr(job.output, "came through"), "%s: a PE went on:\n%s", args,
				job.output);
			if (how == 2)
				t_check(job.status == 7 && !strstr(job.output, "gshmem: "),
					"%s: expected silence, and 7, not %d:\n%s", args, job.status,
					job.output);
			else
				t_job_failed(&job, args, "PE 1 (pid ", 1);
		}
	}
	return 0;
}
