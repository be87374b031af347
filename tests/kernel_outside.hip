/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/* timeout: 300 */
/*
 * A kernel that runs before gshmem_init or after gshmem_finalize ends at its first call of the
 * library, whichever that is. So it never works with PE number -1, or divides by 0 PEs. The cpu
 * platform says why; GPUs trap.
 */
#include <gshmem.h>

#include "job.h"

/* X(call): the call's value, or 0 if it has none. */
#define CALLS(X) \
	X(gshmem_my_pe()) \
	X(7 % gshmem_n_pes()) \
	X(gshmem_ptr(word, 0) != NULL) \
	X(gshmem_team_n_pes(GSHMEM_TEAM_WORLD)) \
	X((gshmem_long_p(word, 1, 0), 0)) \
	X((gshmem_long_atomic_inc(word, 0), 0)) \
	X((gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 0), 0)) \
	X((gshmemx_barrier_all_wg(), 0))

#define NAME(CALL) #CALL,
static const char *const names[] = {CALLS(NAME)};

#define MAKE(CALL) \
	if (which == n++) \
		*word = CALL;
__global__ void make_call(int which, long *word)
{
	int n = 0;

	CALLS(MAKE)
}

static int pe_main(int which, const char *when)
{
	long *word;

	if (strcmp(when, "after") == 0) {
		gshmem_init();
		gshmem_finalize();
	}
	t_hip(hipMalloc((void **)&word, sizeof *word));
	t_memset(word, 0, sizeof *word);
	hipLaunchKernelGGL(make_call, dim3(1), dim3(1), 0, 0, which, word);
	t_hip(hipDeviceSynchronize());
	printf("the call returned\n");
	return 0;
}

int main(int argc, char **argv)
{
	const char *reason =
		"a kernel used gshmem before gshmem_init, after gshmem_finalize, or from a module";
	const int says_why = !strcmp(GSHMEMI_ARCH_NAME, "cpu");
	static const char *const whens[] = {"before", "after"};
	static struct t_job job;
	char args[32], what[100];

	if (argc > 1)
		return pe_main(atoi(argv[1]), argv[2]);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		for (unsigned w = 0; w < 2; w++) {
			snprintf(args, sizeof args, "%u %s", i, whens[w]);
			snprintf(what, sizeof what, "%s %s", names[i], whens[w]);
			t_job_run(&job, 1, "GSHMEM_HEAP_SIZE=1m", "", args, 60);
			t_check(job.status, "%s: the job should fail:\n%s", what, job.output);
			t_check(!says_why || t_job_count(&job, reason) == 1, "%s: expected \"%s\":\n%s", what,
				reason, job.output);
			t_check(!strstr(job.output, "returned"), "%s: the call returned:\n%s", what,
				job.output);
		}
	return 0;
}
