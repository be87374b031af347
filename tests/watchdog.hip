/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wait that lasts longer than GSHMEM_WATCHDOG is reported once, with everything
 * that is known, and continues.
 */
/* timeout: 60 */
#include <pthread.h>

#include <gshmem.h>

#include "job.h"

__global__ void wait_in_kernel(long *word)
{
	if (threadIdx.x == 3)
		gshmem_long_wait_until(word, GSHMEM_CMP_GE, 5);
}

__global__ void barrier_in_kernel(void)
{
	gshmemx_barrier_all_wg();
}

static void *call_late_server(void *channel)
{
	auto nothing = [](gshmemx_rpc_page_t *) {};

	t_check(gshmemx_rpc_invoke((const gshmemx_rpc_channel_t *)channel, nothing, nothing), "the call");
	return NULL;
}

/* A thread of PE 0 calls over a channel whose server is late. */
static void serve_late(void)
{
	gshmemx_rpc_channel_t channel;
	pthread_t client;

	t_equal(gshmemx_rpc_channel_create(64, 1, GSHMEMX_RPC_HOST_CLIENT, &channel), 0, "channel");
	t_equal(pthread_create(&client, NULL, call_late_server, &channel), 0, "pthread_create");
	usleep(1500000);
	while (!gshmemx_rpc_handle(&channel, [](gshmemx_rpc_page_t *) {}))
		usleep(1000);
	pthread_join(client, NULL);
	gshmemx_rpc_channel_destroy(&channel);
}

static int pe_main(const char *where)
{
	long *word, *lock;

	gshmem_init();
	word = (long *)gshmem_calloc(2, sizeof *word);
	lock = (long *)gshmem_calloc(1, sizeof *lock);
	if (gshmem_my_pe() == 1)
		gshmem_set_lock(lock);
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0)
		gshmem_long_p(word + 1, 1, 1);
	if (gshmem_my_pe() == 1) {
		gshmem_long_wait_until(word + 1, GSHMEM_CMP_EQ, 1); /* PE 0 is about to wait */
		usleep(1500000);
		gshmem_clear_lock(lock);
		gshmem_long_p(word, 5, 0);
	} else if (strcmp(where, "host") == 0) {
		gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 5);
	} else if (strcmp(where, "lock") == 0) {
		gshmem_set_lock(lock);
	} else if (strcmp(where, "invoke") == 0) {
		serve_late();
	} else if (strcmp(where, "kernel") == 0) {
		hipLaunchKernelGGL(wait_in_kernel, dim3(1), dim3(32), 0, 0, word);
	}
	if (strcmp(where, "barrier") == 0)
		hipLaunchKernelGGL(barrier_in_kernel, dim3(1), dim3(32), 0, 0);
	t_hip(hipDeviceSynchronize());
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}

static void expect(const char *where, const char *env, const char *first, const char *second)
{
	static struct t_job job;
	static int ncases;

	if (t_left_out(ncases++))
		return;
	t_job_run(&job, 2, env, "", where, 20);
	t_job_ended(&job, where);
	if (first)
		t_check(t_job_count(&job, first) == 1 && t_job_count(&job, second) > 0,
			"%s: expected \"%s ... %s\" once:\n%s", where, first, second, job.output);
	else
		t_check(!job.output[0], "%s: expected no output:\n%s", where, job.output);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return pe_main(argv[1]);
	expect("host", "GSHMEM_WATCHDOG=0.5", "gshmem: pe 0: host: gshmem_long_wait_until: has waited ",
		" s for a value == 5 at address 0x");
	expect("lock", "GSHMEM_WATCHDOG=0.5", "gshmem: pe 0: host: gshmem_set_lock: has waited ",
		" s for a value == 1 at address 0x");
	expect("kernel", "GSHMEM_WATCHDOG=0.5",
		"gshmem: pe 0: kernel, block 0, " GSHMEMI_ARCH_THREAD_WORD
		" 3: gshmem_long_wait_until: has waited ",
		"(heap+0x0), found 0 (GSHMEM_WATCHDOG)");
	expect("barrier", "GSHMEM_WATCHDOG=0.5",
		"gshmem: pe 0: kernel, block 0, " GSHMEMI_ARCH_THREAD_WORD " 0: gshmemx_barrier_all_wg: has",
		"; PE 1 on ");
	expect("invoke", "GSHMEM_WATCHDOG=0.5", "gshmem: pe 0: host: gshmemx_rpc_invoke: has waited ",
		" s for a value == ");
	expect("host", "GSHMEM_WATCHDOG=0", NULL, NULL);
	expect("kernel", "GSHMEM_WATCHDOG=30", NULL, NULL);
	return 0;
}
