/* SPDX-License-Identifier: BSD-3-Clause */
/* gshmem_global_exit: every PE ends with that status, whatever it waits in, and stdio is flushed. */
/* timeout: 120 */
#include <gshmem.h>

#include "job.h"

#define NPES 3

static int pe_main(const char *where, int status)
{
	long *word;

	gshmem_init();
	word = gshmem_calloc(1, sizeof *word);
	setvbuf(stdout, NULL, _IOFBF, 4096);
	printf("buffered by PE %d\n", gshmem_my_pe());
	gshmem_barrier_all();
	if (gshmem_my_pe() == 1)
		gshmem_global_exit(status);
	if (strcmp(where, "barrier") == 0)
		gshmem_barrier_all();
	else if (strcmp(where, "wait") == 0)
		gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
	else if (strcmp(where, "malloc") == 0)
		gshmem_malloc(8);
	else
		for (;;)
			pause();
	printf("PE %d came through\n", gshmem_my_pe());
	return 55;
}

int main(int argc, char **argv)
{
	static const char *const wheres[] = {"barrier", "wait", "malloc", "compute"};
	static const int statuses[] = {0, 7};
	static struct t_job job;
	char args[64];
	unsigned i, s;

	if (argc > 1)
		return pe_main(argv[1], atoi(argv[2]));
	for (i = 0; i < sizeof wheres / sizeof *wheres; i++) {
		for (s = 0; s < 2; s++) {
			snprintf(args, sizeof args, "%s %d", wheres[i], statuses[s]);
			t_job_run(&job, NPES, "", "-disable-auto-cleanup", args, 20);
			t_check(job.status == statuses[s], "%s: status %d:\n%s", args, job.status, job.output);
			t_equal(t_job_count(&job, "buffered by PE"), NPES, "PEs whose output was flushed");
			t_check(!strstr(job.output, "came through"), "%s: a PE went on:\n%s", args, job.output);
			t_check(!strstr(job.output, "gshmem: "), "%s: expected no message:\n%s", args, job.output);
		}
	}
	return 0;
}
