/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* platform: cpu */
/* timeout: 120 */
/* Peers without access and without native atomics: init works, queries say so, calls fail with the PE and the call. */
#include <gshmem.h>

#include "job.h"

#define NO_PEER    "GSHMEM_CPU_DEVICES=2 GSHMEM_CPU_NO_PEER=0-1"
#define OTHER_NODE "GSHMEM_PES_PER_NODE=1"
#define NO_ATOMICS "GSHMEM_CPU_DEVICES=2 GSHMEM_CPU_NO_ATOMICS=0-1"

__global__ void put_kernel(long *word, int pe)
{
	gshmem_long_p(word, 7, pe);
}

__global__ void add_kernel(long *word, int pe)
{
	gshmem_long_atomic_add(word, 7, pe);
}

__global__ void signal_kernel(uint64_t *word, int pe)
{
	uint64_t value = 1;

	gshmem_uint64_put_signal(word, &value, 1, word + 1, 1, GSHMEM_SIGNAL_ADD, pe);
}

/* One PE of a job that runs one call towards its neighbour. */
static int pe_main(const char *call)
{
	gshmem_init();
	long *word = (long *)gshmem_calloc(2, sizeof *word);
	int other = 1 - gshmem_my_pe();

	if (strcmp(call, "query") == 0) {
		t_equal(gshmem_pe_accessible(other), 0, "pe_accessible");
		t_equal(gshmem_addr_accessible(word, other), 0, "addr_accessible");
		t_check(!gshmem_ptr(word, other), "gshmem_ptr of a PE without access");
		t_check(gshmem_ptr(word, gshmem_my_pe()) == word, "gshmem_ptr of oneself");
		gshmem_long_p(word, 5, gshmem_my_pe());
		gshmem_quiet();
		t_equal(gshmem_long_g(word, gshmem_my_pe()), 5, "a put to oneself");
		t_check(!gshmem_malloc(1000 + (size_t)gshmem_my_pe()), "malloc of different sizes");
		gshmem_free(word);
		gshmem_finalize();
		return 0;
	}
	if (strcmp(call, "direct") == 0) { /* puts work where only atomics do not */
		gshmem_long_p(word, 5, other);
		gshmem_barrier_all();
		t_equal(gshmem_long_g(word, gshmem_my_pe()), 5, "a put without atomics");
		gshmem_finalize();
		return 0;
	}
	if (gshmem_my_pe() == 1) /* only PE 0 calls; PE 1 must end with it */
		gshmem_long_wait_until(word, GSHMEM_CMP_EQ, -1);
	if (strcmp(call, "host_get") == 0)
		gshmem_long_g(word, other);
	else if (strcmp(call, "host_add") == 0)
		gshmem_long_atomic_add(word, 1, other);
	else if (strcmp(call, "own_add") == 0)
		gshmem_long_atomic_add(word, 1, 0);
	else if (strcmp(call, "barrier") == 0)
		gshmem_barrier_all();
	else if (strcmp(call, "put") == 0)
		hipLaunchKernelGGL(put_kernel, dim3(1), dim3(1), 0, 0, word, other);
	else if (strcmp(call, "add") == 0)
		hipLaunchKernelGGL(add_kernel, dim3(1), dim3(1), 0, 0, word, other);
	else if (strcmp(call, "signal") == 0)
		hipLaunchKernelGGL(signal_kernel, dim3(1), dim3(1), 0, 0, (uint64_t *)word, other);
	t_hip(hipDeviceSynchronize());
	return 3; /* the call should not have returned */
}

static void expect_failure(const char *env, const char *call, const char *text)
{
	struct t_job job;

	t_job_run(&job, 2, env, "", call, 30);
	t_job_failed(&job, call, text, 1);
}

static void expect_success(const char *env, const char *call, const char *text)
{
	struct t_job job;

	t_job_run(&job, 2, env, "", call, 30);
	t_check(job.status == 0, "%s: exit status %d:\n%s", call, job.status, job.output);
	t_check(strstr(job.output, text), "%s: expected \"%s\":\n%s", call, text, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1]);
	expect_success(NO_PEER, "query", "pe 0: gshmem_malloc: 1000 bytes on PE 0 but 1001 on PE 1");
	expect_failure(NO_PEER, "host_get", "pe 0: host: gshmem_long_g: the memory of PE 1 is not mapped here");
	expect_failure(NO_PEER, "barrier", "gshmem_barrier_all: the memory of PE 1 is not mapped here");
	expect_failure(NO_PEER, "put", "kernel, block 0, thread 0: gshmem_long_p: the memory of PE 1 is not mapped");
	expect_success(OTHER_NODE, "query", "pe 0: gshmem_malloc: 1000 bytes on PE 0 but 1001 on PE 1");
	expect_failure(OTHER_NODE, "put", "kernel, block 0, thread 0: gshmem_long_p: PE 1 is on another node");
	expect_success(NO_ATOMICS, "direct", "");
	expect_failure(NO_ATOMICS, "host_add", "pe 0: host: gshmem_long_atomic_add: ");
	expect_failure(NO_ATOMICS, "own_add", "pe 0: host: gshmem_long_atomic_add: "); /* one agent per word */
	expect_failure(NO_ATOMICS, "add", "kernel, block 0, thread 0: gshmem_long_atomic_add: ");
	expect_failure(NO_ATOMICS, "signal", "kernel, block 0, thread 0: gshmem_uint64_put_signal: ");
	return 0;
}
