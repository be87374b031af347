/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/*
 * If one PE cannot get a heap kind, all PEs fall back to a weaker kind with one message, or all get an error.
 */
/* timeout: 120 */
#include <gshmem.h>

#include "job.h"

static int pe_main(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rc = gshmemx_init_attr(&attr);
	long *word;

	printf("rc %d\n", rc);
	fflush(stdout);
	if (rc)
		return 1;
	word = gshmem_calloc(1, sizeof *word);
	gshmem_long_p(word, 7, (gshmem_my_pe() + 1) % gshmem_n_pes());
	gshmem_barrier_all();
	t_equal(gshmem_long_g(word, gshmem_my_pe()), 7, "a put");
	gshmem_finalize();
	return 0;
}

static void run(struct t_job *job, const char *env)
{
	char all[256];

	snprintf(all, sizeof all, "GSHMEM_DEBUG=1 GSHMEM_HEAP_SIZE=3m %s", env);
	t_job_run(job, 3, all, "", "pe", 20);
}

/* All PEs have a heap of this kind; one PE says why, or none does. */
static void expect_kind(const char *env, const char *kind, const char *why)
{
	static struct t_job job;
	char text[64];

	run(&job, env);
	t_job_ended(&job, env);
	snprintf(text, sizeof text, "3145728 bytes, %s\n", kind);
	t_check(t_job_count(&job, text) == 3, "%s: not all are %s:\n%s", env, kind, job.output);
	t_check(t_job_count(&job, "heap: hipExtMallocWithFlags") == !!*why && strstr(job.output, why),
		"%s: expected \"%s\" once:\n%s", env, why, job.output);
}

static void expect_error(const char *env, const char *why)
{
	static struct t_job job;

	run(&job, env);
	t_job_failed(&job, env, why, 1);
	t_job_failed(&job, env, "rc -95\n", 3);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return pe_main();
	expect_kind("", "coarse", "");
	expect_kind("GSHMEM_HEAP_KIND=fine", "fine", "");
	expect_kind("GSHMEM_HEAP_KIND=uncached GSHMEM_HEAP_PREALLOC=1", "uncached", "");
	expect_kind(
		"GSHMEM_HEAP_KIND=uncached GSHMEM_CPU_FAIL=hipExtMallocWithFlags:1:hipErrorInvalidValue@1",
		"fine", "pe 1: heap: hipExtMallocWithFlags, GSHMEM_HEAP_KIND=uncached: invalid argument");
	expect_kind("GSHMEM_HEAP_KIND=uncached GSHMEM_CPU_FAIL=hipExtMallocWithFlags:1:hipErrorInvalidValue",
		"fine", "pe 0: heap: hipExtMallocWithFlags");
	expect_error("GSHMEM_HEAP_KIND=fine GSHMEM_CPU_FAIL=hipExtMallocWithFlags:1:hipErrorNotSupported@2",
		"pe 2: heap: hipExtMallocWithFlags of 3145728 bytes, kind fine: operation not supported (hipErrorNotSupported): the device or its driver");
	expect_error("GSHMEM_CPU_FAIL=hipExtMallocWithFlags:1:hipErrorNotSupported@1",
		"for the sync region: operation not supported (hipErrorNotSupported): barriers need");
	return 0;
}
