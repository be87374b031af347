/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no, its jobs are to fail */
/*
 * shmem_global_exit, and an exit with 0 or another status, work in an OpenSHMEM
 * program without shmem_finalize.
 */
#include <shmem.h>

#include "../job.h"

#define NPES 3

static void say(void)
{
	printf("handler\n");
}

static int pe_main(const char *how, int status)
{
	int me;

	atexit(say);
	shmem_init();
	me = shmem_my_pe();
	shmem_barrier_all();
	if (strcmp(how, "global") == 0 && me == 1)
		shmem_global_exit(status);
	if (strcmp(how, "exit") == 0 && me == 1)
		exit(status);
	if (strcmp(how, "return"))
		shmem_barrier_all();
	return status;
}

/* A PE reports that it runs its exit handlers. */
static void expect(const char *how, int status, int nhandlers)
{
	static struct t_job job;
	char args[32];

	snprintf(args, sizeof args, "%s %d", how, status);
	t_job_run(&job, NPES, "", "", args, 20);
	t_check(job.status == status, "%s: status %d:\n%s", args, job.status, job.output);
	t_check(!strstr(job.output, "gshmem: "), "%s: expected no message:\n%s", args, job.output);
	t_check(t_job_count(&job, "handler") == nhandlers, "%s: expected %d exit handlers:\n%s", args,
		nhandlers, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1], atoi(argv[2]));
	expect("global", 0, 1);
	expect("global", 7, 1);
	expect("exit", 7, 0);
	expect("return", 0, NPES);
	return 0;
}
