/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/*
 * A call before init or after finalize prints a message with the call's name and ends the job with status 1.
 */
/* timeout: 120 */
#include <gshmem.h>

#include "job.h"

static long word;

static void make_call(const char *name)
{
	struct gshmemx_heap_usage usage;
	void *bases[2];

	if (strcmp(name, "gshmem_my_pe") == 0)
		gshmem_my_pe();
	else if (strcmp(name, "gshmem_malloc") == 0)
		gshmem_malloc(8);
	else if (strcmp(name, "gshmem_free") == 0)
		gshmem_free(&word);
	else if (strcmp(name, "gshmem_barrier_all") == 0)
		gshmem_barrier_all();
	else if (strcmp(name, "gshmem_long_p") == 0)
		gshmem_long_p(&word, 1, 0);
	else if (strcmp(name, "gshmem_long_atomic_fetch") == 0)
		gshmem_long_atomic_fetch(&word, 0);
	else if (strcmp(name, "gshmem_long_wait_until") == 0)
		gshmem_long_wait_until(&word, GSHMEM_CMP_EQ, 1);
	else if (strcmp(name, "gshmem_quiet") == 0)
		gshmem_quiet();
	else if (strcmp(name, "gshmem_ptr") == 0)
		gshmem_ptr(&word, 0);
	else if (strcmp(name, "gshmem_finalize") == 0)
		gshmem_finalize();
	else if (strcmp(name, "gshmem_global_exit") == 0)
		gshmem_global_exit(0);
	else if (strcmp(name, "gshmemx_heap_stats") == 0)
		_exit(gshmemx_heap_stats(&usage) ? 1 : 0); /* returns an error */
	else if (strcmp(name, "gshmemx_peer_bases") == 0)
		_exit(gshmemx_peer_bases(bases) ? 1 : 0);
}

static int pe_main(const char *name, const char *when)
{
	if (strcmp(when, "after") == 0) {
		gshmem_init();
		gshmem_finalize();
	}
	make_call(name);
	printf("the call returned\n");
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const calls[] = {
		"gshmem_my_pe",
		"gshmem_malloc",
		"gshmem_free",
		"gshmem_barrier_all",
		"gshmem_long_p",
		"gshmem_long_atomic_fetch",
		"gshmem_long_wait_until",
		"gshmem_quiet",
		"gshmem_ptr",
		"gshmem_finalize",
		"gshmem_global_exit",
		"gshmemx_heap_stats",
		"gshmemx_peer_bases",
	};
	static const char *const whens[] = {"before", "after"};
	static struct t_job job;
	char args[64];
	unsigned i, w;

	if (argc > 1)
		return pe_main(argv[1], argv[2]);
	for (i = 0; i < sizeof calls / sizeof *calls; i++) {
		for (w = 0; w < 2; w++) {
			snprintf(args, sizeof args, "%s %s", calls[i], whens[w]);
			t_job_run(&job, 2, "", "", args, 20);
			t_job_failed(&job, args, calls[i], 0);
			t_check(!strstr(job.output, "returned"), "%s: the call returned", args);
			t_check(strstr(job.output, w ? "after gshmem_finalize" : "before gshmem_init"),
				"%s: the message does not say when:\n%s", args, job.output);
		}
	}
	return 0;
}
