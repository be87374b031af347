/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx_collective_launch runs the largest grid that fits with all its work-groups resident on all
 * PEs, and refuses a larger one. If it comes while one on another stream is under way, the watchdog says so.
 */
/* timeout: 120 */
#include <gshmem.h>
#include <string.h>

#include "job.h"

/*
 * Every work-group reports to the next PE, then waits until all work-groups of the previous PE have reported.
 */
__global__ void meet(long *count, int ngroups)
{
	if (threadIdx.x == 0) {
		gshmem_long_atomic_inc(count, (gshmem_my_pe() + 1) % gshmem_n_pes());
		gshmem_long_wait_until(count, GSHMEM_CMP_GE, ngroups);
	}
	__syncthreads();
}

__global__ void wait_for_host(long *word)
{
	gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
}

/* HIP 5.2 divides by zero where a kernel uses no vector register: docs/rocm.md. */
__global__ void wait_for_nothing(long *word)
{
	word[1] = 1;
}

/* A kernel waits until its watchdog has spoken. The other launch comes before it, behind it or beside it. */
static int overlap(const char *other)
{
	const bool is_before = strcmp(other, "before") == 0;
	hipStream_t stream, another;
	void *args[1];
	long *word;

	gshmem_init();
	word = (long *)gshmem_calloc(2, sizeof *word);
	args[0] = &word;
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	t_hip(hipStreamCreateWithFlags(&another, hipStreamNonBlocking));
	if (is_before) {
		t_equal(gshmemx_collective_launch(wait_for_nothing, dim3(1), dim3(1), args, 0, another), 0,
			"launch");
		t_hip(hipStreamSynchronize(another));
	}
	t_equal(gshmemx_collective_launch(wait_for_host, dim3(1), dim3(1), args, 0, stream), 0, "launch");
	if (!is_before)
		t_equal(gshmemx_collective_launch(wait_for_nothing, dim3(1), dim3(1), args, 0,
				strcmp(other, "behind") ? another : stream),
			0, "launch");
	usleep(3000000);
	gshmem_long_p(word, 1, gshmem_my_pe());
	t_hip(hipStreamSynchronize(stream));
	t_hip(hipStreamSynchronize(another));
	t_equal(gshmem_long_g(word + 1, gshmem_my_pe()), 1, "what the other kernel wrote");
	t_hip(hipStreamDestroy(stream));
	t_hip(hipStreamDestroy(another));
	gshmem_finalize();
	return 0;
}

static int launch(long *count, unsigned ngroups, size_t shared_nbytes)
{
	void *args[] = {&count, &ngroups};
	int rc;

	rc = gshmemx_collective_launch(meet, dim3(ngroups), dim3(64), args, shared_nbytes, NULL);
	t_hip(hipDeviceSynchronize());
	return rc;
}

/*
 * case: "fits"; "beyond": PE 1 alone asks for one more than fits; "shared": with shared memory that fills no
 * whole unit of the hardware. Prints what came.
 */
static int pe_main(const char *name)
{
	const size_t shared_nbytes = strcmp(name, "shared") == 0 ? 2100 : 0;
	const unsigned block[3] = {64, 1, 1};
	unsigned limit = 0;
	long *count;
	int me, rc;

	gshmem_init();
	me = gshmem_my_pe();
	count = (long *)gshmem_calloc(1, sizeof *count);
	rc = gshmemx_collective_launch_limit(
		reinterpret_cast<const void *>(meet), block, shared_nbytes, &limit);
	t_equal(rc, 0, "the limit");
	rc = launch(count, limit + (strcmp(name, "beyond") == 0 && me == 1), shared_nbytes);
	gshmem_barrier_all();
	t_equal(gshmem_long_g(count, me), rc ? 0 : (long)limit, "reports");
	printf("rc %d, limit %u\n", rc, limit);
	gshmem_finalize();
	return 0;
}

static void expect(const char *name, const char *env, int npes, const char *result, const char *text)
{
	static struct t_job job;

	t_job_run(&job, npes, env, "", name, 30);
	t_check(job.status == 0 && t_job_count(&job, result) == npes, "%s, %s: expected %s from all:\n%s",
		env, name, result, job.output);
	t_check(t_job_count(&job, "gshmem: ") == !!*text && strstr(job.output, text),
		"%s, %s: expected \"%s\":\n%s", env, name, text, job.output);
}

static void expect_warning(const char *name, int n)
{
	static struct t_job job;

	t_job_run(&job, 2, "GSHMEM_WATCHDOG=1", "", name, 60);
	t_check(job.status == 0 && t_job_count(&job, "has waited ") >= 2,
		"%s: expected a watchdog on each PE:\n%s", name, job.output);
	t_check(t_job_count(&job, "one on another stream was under way") == n,
		"%s: expected %d warnings:\n%s", name, n, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return strncmp(argv[1], "other_", 6) ? pe_main(argv[1]) : overlap(argv[1] + 6);
	expect_warning("other_beside", 2);
	expect_warning("other_behind", 0); /* on the same stream */
	expect_warning("other_before", 0); /* the other one has ended */
	/* the device decides what fits, and how many work-groups that is */
	if (strcmp(GSHMEMI_ARCH_NAME, "cpu")) {
		expect("fits", "", 1, "rc 0, limit ", "");
		expect("fits", "", 2, "rc 0, limit ", "");
		expect("shared", "", 1, "rc 0, limit ", "");
		expect("beyond", "", 2, "rc -7, limit ", "pe 1: gshmemx_collective_launch: ");
		return 0;
	}
	expect("fits", "GSHMEM_CPU_BLOCKS=8", 2, "rc 0, limit 4\n", "");
	expect("fits", "GSHMEM_CPU_BLOCKS=8 GSHMEM_CPU_DEVICES=2", 2, "rc 0, limit 8\n", "");
	expect("fits", "GSHMEM_CPU_BLOCKS=8", 1, "rc 0, limit 8\n", "");
	expect("beyond", "GSHMEM_CPU_BLOCKS=8", 2, "rc -7, limit 4\n",
		"pe 1: gshmemx_collective_launch: 5 work-groups of 64 threads: 4 can be resident at once (1 on each of 8 "
		"compute units, for 2 PEs that share the device)");
	expect("beyond", "GSHMEM_CPU_BLOCKS=8 GSHMEM_CPU_DEVICES=2", 2, "rc -7, limit 8\n",
		"pe 1: gshmemx_collective_launch: 9 work-groups of 64 threads: 8 can be resident at once");
	return 0;
}
