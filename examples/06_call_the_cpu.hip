/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * A kernel that calls the CPU: its work-groups fetch tasks until none are left, and log the results, all
 * while the kernel runs. Only the CPU knows the tasks: they could come from a file or a socket.
 *
 *     gshmemcc -o call_the_cpu 06_call_the_cpu.hip && mpirun -n 2 ./call_the_cpu
 */
#include <gshmem.h>
#include <stdio.h>
#include <string.h>

#define NTASKS  20
#define NGROUPS 4

struct tasks {
	uint64_t next;
	double sum;
	uint64_t nlogged;
};

/* Runs on the CPU, in the thread that serves this PE's kernels. It makes one call at a time: no lock. */
static int fetch_task(void *context, gshmemx_rpc_call_t *call)
{
	struct tasks *tasks = (struct tasks *)context;

	call->out[0] = tasks->next < NTASKS ? ++tasks->next : 0;
	return GSHMEMX_RPC_DONE;
}

static int log_result(void *context, gshmemx_rpc_call_t *call)
{
	struct tasks *tasks = (struct tasks *)context;
	double result;

	memcpy(&result, &call->in[1], sizeof result);
	tasks->sum += result;
	tasks->nlogged++;
	return GSHMEMX_RPC_DONE;
}

__global__ void work(uint32_t fetch_op, uint32_t log_op)
{
	uint64_t words[6] = {0}, task;
	double result;

	for (;;) {
		/* Waits for the answer: one crossing of the bus. */
		if (gshmemx_rpc_call(fetch_op, words, &task) || !task)
			break;
		result = 1.0 / (double)task;
		words[0] = task;
		memcpy(&words[1], &result, sizeof result);
		(void)gshmemx_rpc_post(log_op, words); /* does not wait */
	}
	gshmem_quiet(); /* waits until the CPU has done what this thread posted */
}

int main(void)
{
	struct tasks tasks = {0, 0, 0};
	uint32_t fetch_op, log_op;

	gshmem_init();
	if (gshmemx_rpc_register(&fetch_op, fetch_task, &tasks, 0) ||
		gshmemx_rpc_register(&log_op, log_result, &tasks, 0))
		return 1;
	hipLaunchKernelGGL(work, dim3(NGROUPS), dim3(1), 0, 0, fetch_op, log_op);
	if (hipDeviceSynchronize() != hipSuccess)
		return 1;
	printf("PE %d: %llu tasks, sum %.4f\n", gshmem_my_pe(), (unsigned long long)tasks.nlogged, tasks.sum);
	gshmem_finalize();
	return tasks.nlogged == NTASKS ? 0 : 1;
}
