/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no, its jobs are to fail */
/*
 * If a PE exits without gshmem_finalize, one line of one PE says what is missing, and the
 * launcher returns one status.
 */
/* timeout: 120 */
#include <gshmem.h>

#include "job.h"

#define NPES 4

static int pe_main(const char *how, int status)
{
	pid_t child;
	int me;

	if (strcmp(how, "handler") == 0)
		atexit(gshmem_finalize); /* runs after whatever is registered from here on */
	gshmem_init();
	me = gshmem_my_pe();
	gshmem_barrier_all();
	if (strcmp(how, "fork") == 0) {
		child = fork();
		if (child == 0)
			exit(0);
		t_equal(waitpid(child, &status, 0), child, "waitpid");
		t_equal(status, 0, "exit of a child, which is no PE");
		gshmem_barrier_all();
		gshmem_finalize();
		return 0;
	}
	if (strcmp(how, "one") == 0 && me != 1)
		gshmem_barrier_all();
	return status;
}

/* text: of the only message; NULL: none. */
static void expect(int npes, const char *args, int status, const char *text)
{
	static struct t_job job;

	t_job_run(&job, npes, "", "", args, 20);
	t_check(job.status == status, "-n %d %s: status %d, expected %d:\n%s", npes, args, job.status, status,
		job.output);
	t_equal(t_job_count(&job, "gshmem: "), text ? 1 : 0, "messages");
	t_check(!text || strstr(job.output, text), "-n %d %s: expected \"%s\":\n%s", npes, args, text,
		job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1], atoi(argv[2]));
	expect(NPES, "one 0", 1,
		"gshmem: pe 1: the process exits without gshmem_finalize, which every PE must call");
	expect(NPES, "one 3", 3, "gshmem: pe 1: the process exits with status 3 and without gshmem_finalize");
	expect(NPES, "all 0", 1, "the process exits without gshmem_finalize");
	expect(NPES, "all 3", 3, "the process exits with status 3 and without gshmem_finalize");
	expect(1, "all 0", 1, "gshmem: pe 0: the process exits without gshmem_finalize");
	expect(NPES, "fork 0", 0, NULL);
	expect(NPES, "handler 0", 0, NULL);
	return 0;
}
