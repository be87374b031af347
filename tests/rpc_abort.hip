/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 300 */
/* delivery: no, its jobs are to fail */
/*
 * gshmemx_abort and gshmemx_assert end the job with a status and one message, from a lane or the host,
 * whatever other lanes and PEs are doing: a call, a barrier, a wait, a kernel. Nothing is left behind.
 */
#include <errno.h>
#include <signal.h>

#include <gshmem.h>

#include "job.h"

#define NPES 3

enum { ABORT, ASSERT, PRINT, WAIT };

static int linger(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	return GSHMEMX_RPC_PENDING; /* for ever */
}

static int block(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	for (;;)
		pause();
}

/*
 * Lane 5 of block 1 on PE 1 ends the job. Other lanes of its block wait for it; other blocks are
 * in a call or wait for a word.
 */
__global__ static void end_job(int how, uint32_t op, long *word)
{
	const uint64_t in[6] = {1, 2, 3, 4, 5, 6};
	const bool mine = gshmem_my_pe() == 1 && blockIdx.x == 1 && threadIdx.x == 5;

	if (mine && how == ABORT)
		gshmemx_abort(7);
	if (how == ASSERT)
		gshmemx_assert(!mine || word == NULL);
	if (mine && how == PRINT) {
		gshmemx_printf("last words\n");
		gshmemx_abort(3);
	}
	if (blockIdx.x == 0)
		(void)gshmemx_rpc_call(op, in, NULL);
	if (blockIdx.x == 2)
		gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
	__syncthreads();
	if (how == WAIT && blockIdx.x == 1)
		gshmemx_signal_wait_until_wg((uint64_t *)(void *)word, GSHMEM_CMP_EQ, 1);
}

__global__ static void wait_in_barrier(void)
{
	gshmemx_barrier_all_wg();
}

/* Every lane of every PE. */
__global__ static void all_abort(void)
{
	gshmemx_abort(9);
}

static int pe_main(const char *what, const char *others)
{
	uint32_t op;
	long *word;

	gshmem_init();
	word = (long *)gshmem_calloc(1, sizeof *word);
	if (gshmemx_rpc_register(&op, strcmp(others, "worker") ? linger : block, NULL,
		    strcmp(others, "worker") ? 0 : GSHMEMX_RPC_BLOCKING))
		return 50;
	setvbuf(stdout, NULL, _IOFBF, 4096);
	printf("buffered by PE %d\n", gshmem_my_pe());
	gshmem_barrier_all();
	if (strcmp(what, "all") == 0)
		hipLaunchKernelGGL(all_abort, dim3(4), dim3(128), 0, 0);
	else if (gshmem_my_pe() == 1 && strcmp(what, "host_abort") == 0)
		gshmemx_abort(8);
	else if (gshmem_my_pe() == 1 && strcmp(what, "host_assert") == 0)
		gshmemx_assert(NPES > 3 && word);
	else if (gshmem_my_pe() == 1 || strcmp(others, "worker") == 0)
		hipLaunchKernelGGL(end_job, dim3(3), dim3(64), 0, 0,
			strcmp(what, "abort") == 0            ? ABORT
				: strcmp(what, "assert") == 0 ? ASSERT
							      : PRINT,
			op, word);
	else if (strcmp(others, "kernel") == 0)
		hipLaunchKernelGGL(wait_in_barrier, dim3(1), dim3(64), 0, 0);
	else if (strcmp(others, "call") == 0)
		hipLaunchKernelGGL(end_job, dim3(3), dim3(64), 0, 0, WAIT, op, word);
	else
		gshmem_barrier_all();
	/* on some GPUs a kernel stopped by the job's end is an error */
	if (hipDeviceSynchronize() == hipSuccess)
		printf("PE %d came through\n", gshmem_my_pe());
	return 55;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what, *text;
		int status, count;
	} ends[] = {
		{"abort",
			"gshmem: pe 1: kernel, block 1, " GSHMEMI_ARCH_THREAD_WORD
			" 5: gshmemx_abort(7): the job ends\n",
			7, 1},
		{"assert", "rpc_abort.hip:46: assertion \"!mine || word == NULL\" failed: the job ends\n",
			134, 1},
		{"print",
			"gshmem: pe 1: kernel, block 1, " GSHMEMI_ARCH_THREAD_WORD
			" 5: gshmemx_abort(3): the job ends\n",
			3, 1},
		{"host_abort", "gshmem: pe 1: host: gshmemx_abort(8): the job ends\n", 8, 1},
		{"host_assert", "assertion \"NPES > 3 && word\" failed: the job ends\n", 134, 1},
		{"all", "gshmemx_abort(9): the job ends\n", 9, 0},
	};
	static const char *const others[] = {"barrier", "kernel", "call", "worker"};
	static struct t_job job;
	unsigned i, k;
	char args[64];

	if (argc > 1)
		return pe_main(argv[1], argv[2]);
	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		for (k = 0; k < sizeof others / sizeof *others; k++) {
			if (t_left_out(i + k) || (ends[i].count == 0 && k > 0))
				continue;
			snprintf(args, sizeof args, "%s %s", ends[i].what, others[k]);
			t_job_run(&job, NPES, k % 2 ? "GSHMEM_RPC_THREADS=3" : "", t_job_keep(), args, 20);
			t_job_failed(&job, args, ends[i].text, ends[i].count);
			t_check(job.status == ends[i].status, "%s: expected status %d, got %d:\n%s", args,
				ends[i].status, job.status, job.output);
			t_check(!strstr(job.output, "came through"), "%s: a PE went on:\n%s", args,
				job.output);
			t_equal(t_job_count(&job, "buffered by PE"), NPES, "PEs whose output was flushed");
			t_equal(t_job_count(&job, "last words"), ends[i].status == 3,
				"what was printed before");
			if (ends[i].count)
				t_equal(t_job_count(&job, "gshmem: "), 1, "messages");
			else
				t_check(t_job_count(&job, "gshmem: ") <= NPES,
					"%s: more than one message of a PE:\n%s", args, job.output);
		}
	}
	return 0;
}
