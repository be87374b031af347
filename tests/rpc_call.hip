/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_DIVERGE=random:5 | GSHMEM_RPC_THREADS=3 | GSHMEM_RPC_POLL=nap */
/*
 * With calls from any lanes of a wave each lane has its own words and answer, functions are called once per
 * lane or once per wave, errors reach the lane that caused them, and posted calls are complete after quiet.
 */
#include <atomic>
#include <errno.h>

#include <gshmem.h>

#include "helpers.h"

static std::atomic<uint64_t> ncalls, nwaves, sum;

/* in: a, b, lane of the thread; answers a * 1000 + b, or an error where b is 13. */
static int combine(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	ncalls++;
	sum += call->in[0];
	if (call->nlanes > 1 && call->in[2] != call->lane)
		return -EINVAL;
	if (call->in[1] == 13)
		return -ERANGE;
	call->out[0] = call->in[0] * 1000 + call->in[1];
	return GSHMEMX_RPC_DONE;
}

/* Answers each lane with the sum over the wave and the mask; writes all eight words. */
static int gather(void *context, gshmemx_rpc_call_t *call)
{
	uint64_t total = 0, lanes, i;

	(void)context;
	nwaves++;
	for (lanes = call->lanes; lanes; lanes &= lanes - 1)
		total += call->in[8 * __builtin_ctzll(lanes)];
	for (lanes = call->lanes; lanes; lanes &= lanes - 1)
		for (i = 0; i < 8; i++)
			call->out[8 * __builtin_ctzll(lanes) + i] = total + i;
	return GSHMEMX_RPC_DONE;
}

/* Done at its third call. */
static int linger(void *context, gshmemx_rpc_call_t *call)
{
	uintptr_t turn = (uintptr_t)call->state + 1;

	(void)context;
	call->state = (void *)turn;
	if (turn < 3)
		return GSHMEMX_RPC_PENDING;
	ncalls++;
	call->out[0] = call->in[0] + 1;
	return GSHMEMX_RPC_DONE;
}

#define NTHREADS 128
struct ops {
	uint32_t combine, gather, linger, none;
};

__global__ static void lanes_call(struct ops op, uint64_t *answer, int *status)
{
	const unsigned i = threadIdx.x;
	uint64_t in[6] = {i + 1, i % 20, i % warpSize, 0, 0, 0};

	if (i % 3 == 0)
		return;
	answer[i] = 77;
	status[i] = gshmemx_rpc_call(op.combine, in, &answer[i]);
}

/* Lanes of a wave make different operations in one call of the source. */
__global__ static void lanes_differ(struct ops op, uint64_t *answer, int *status)
{
	const unsigned i = threadIdx.x;
	const uint32_t ops[3] = {op.combine, op.linger, op.none};
	uint64_t in[6] = {i + 1, 5, i % warpSize, 0, 0, 0};

	status[i] = gshmemx_rpc_call(ops[i % 3], in, &answer[i]);
}

__global__ static void waves_call(struct ops op, uint64_t *answer, int *status)
{
	const unsigned i = threadIdx.x;
	uint64_t in[8] = {i, 1, 2, 3, 4, 5, 6, 7}, out[8] = {0};

	if (i % 2)
		return;
	status[i] = gshmemx_rpc_call_line(op.gather, in, out);
	answer[i] = out[0];
	if (out[7] != out[0] + 7)
		status[i] = -1;
}

__global__ static void lanes_post(struct ops op, uint64_t *seen, uint64_t *counter)
{
	const unsigned i = threadIdx.x;
	uint64_t in[6] = {1, 1, i % warpSize, 0, 0, 0}, line[8] = {1, 1, i % warpSize, 0, 0, 0, 0, 0};
	gshmemx_rpc_ticket_t ticket;
	int k;

	(void)counter;
	for (k = 0; k < 20; k++)
		ticket = k % 2 ? gshmemx_rpc_post(op.combine, in) : gshmemx_rpc_post_line(op.combine, line);
	if (i % 2)
		seen[i] = (uint64_t)gshmemx_rpc_wait(ticket);
	else
		while (!gshmemx_rpc_test(ticket))
			;
	gshmem_quiet();
}

int main(void)
{
	uint64_t *answer, *words, in[6] = {7, 8, 0, 0, 0, 0}, out = 0, line[8] = {5}, back[8];
	unsigned i, nlanes = 0;
	struct ops op;
	int *status;

	gshmem_init();
	t_equal(gshmemx_rpc_register(&op.combine, combine, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.gather, gather, NULL, GSHMEMX_RPC_WAVE), 0, "register");
	t_equal(gshmemx_rpc_register(&op.linger, linger, NULL, 0), 0, "register");
	op.none = op.linger + 100;
	t_hip(hipHostMalloc((void **)&words, NTHREADS * 8, 0));
	t_hip(hipHostMalloc((void **)&status, NTHREADS * 4, 0));
	answer = words;

	hipLaunchKernelGGL(lanes_call, dim3(1), dim3(NTHREADS), 0, 0, op, answer, status);
	t_hip(hipDeviceSynchronize());
	for (i = 0; i < NTHREADS; i++) {
		if (i % 3 == 0)
			continue;
		nlanes++;
		t_equal(status[i], i % 20 == 13 ? -ERANGE : 0, "status");
		t_equal((long)answer[i], i % 20 == 13 ? 77L : (long)(i + 1) * 1000 + i % 20, "answer");
	}
	t_equal((long)ncalls, (long)nlanes, "calls");

	ncalls = 0;
	hipLaunchKernelGGL(lanes_differ, dim3(1), dim3(NTHREADS), 0, 0, op, answer, status);
	t_hip(hipDeviceSynchronize());
	for (i = 0; i < NTHREADS; i++) {
		t_equal(status[i], i % 3 == 2 ? -ENOSYS : 0, "status");
		if (i % 3 != 2)
			t_equal((long)answer[i], i % 3 == 0 ? (long)(i + 1) * 1000 + 5 : (long)i + 2,
				"answer");
	}
	t_equal((long)ncalls, (NTHREADS + 2) / 3 + (NTHREADS + 1) / 3, "calls");

	hipLaunchKernelGGL(waves_call, dim3(1), dim3(NTHREADS), 0, 0, op, answer, status);
	t_hip(hipDeviceSynchronize());
	for (i = 0; i < NTHREADS; i += 2)
		t_equal(status[i], 0, "status");

	ncalls = 0;
	hipLaunchKernelGGL(lanes_post, dim3(4), dim3(NTHREADS), 0, 0, op, answer, words);
	t_hip(hipDeviceSynchronize());
	t_equal((long)ncalls, 4L * NTHREADS * 20, "posted calls after quiet");

	ncalls = 0;
	t_equal(gshmemx_rpc_call(op.combine, in, &out), 0, "a call of the host");
	t_equal((long)out, 7008, "its answer");
	t_equal(gshmemx_rpc_call_line(op.gather, line, back), 0, "a line of the host");
	t_equal((long)back[3], 8, "its answer");
	t_equal(gshmemx_rpc_call(op.none, in, &out), -ENOSYS, "no such operation");
	for (i = 0; i < 1000; i++)
		gshmemx_rpc_post(op.combine, in);
	gshmem_quiet();
	t_equal((long)ncalls, 1001, "calls of the host");
	t_hip(hipHostFree(words));
	t_hip(hipHostFree(status));
	gshmem_finalize();
	return 0;
}
