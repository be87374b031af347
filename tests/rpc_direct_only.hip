/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* delivery: no, this unit is made without */
/* races: no, it has no slow path */
/*
 * In a unit compiled with GSHMEM_DIRECT_ONLY, where quiet does not cover posts, a post
 * returns when it is complete.
 */
#include <atomic>
#include <errno.h>

#define GSHMEM_DIRECT_ONLY
#include <gshmem.h>

#include "helpers.h"

enum { NTHREADS = 96, NPOSTS = 5 };

static std::atomic<uint32_t> *ended; /* [thread] */

/* Done at its third call. */
static int linger(void *context, gshmemx_rpc_call_t *call)
{
	uintptr_t turn = (uintptr_t)call->state + 1;

	(void)context;
	call->state = (void *)turn;
	if (turn < 3)
		return GSHMEMX_RPC_PENDING;
	ended[call->in[0]]++;
	return call->in[1] ? -ERANGE : GSHMEMX_RPC_DONE;
}

__global__ static void posts(uint32_t op, const volatile uint32_t *seen, unsigned *nwrong)
{
	const unsigned i = threadIdx.x;
	uint64_t in[6] = {i, 0, 0, 0, 0, 0}, line[8] = {i, 0, 0, 0, 0, 0, 0, 0};
	gshmemx_rpc_ticket_t ticket;
	unsigned k, wrong = 0;

	for (k = 1; k <= NPOSTS; k++) {
		in[1] = line[1] = k == 3;
		ticket = k % 2 ? gshmemx_rpc_post(op, in) : gshmemx_rpc_post_line(op, line);
		wrong += seen[i] != k || !gshmemx_rpc_test(ticket);
		wrong += gshmemx_rpc_wait(ticket) != (k == 3 ? -ERANGE : 0);
	}
	gshmem_quiet();
	nwrong[i] = wrong;
}

int main(void)
{
	unsigned *nwrong, i;
	uint32_t op;

	gshmem_init();
	t_hip(hipHostMalloc((void **)&ended, NTHREADS * sizeof *ended, 0));
	memset((void *)ended, 0, NTHREADS * sizeof *ended);
	t_hip(hipHostMalloc((void **)&nwrong, NTHREADS * sizeof *nwrong, 0));
	t_equal(gshmemx_rpc_register(&op, linger, NULL, 0), 0, "register");
	hipLaunchKernelGGL(posts, dim3(1), dim3(NTHREADS), 0, 0, op, (const uint32_t *)ended, nwrong);
	t_hip(hipStreamSynchronize(0));
	for (i = 0; i < NTHREADS; i++) {
		t_check(nwrong[i] == 0, "thread %u: %u posts returned before they were complete", i,
			nwrong[i]);
		t_equal(ended[i], NPOSTS, "calls");
	}
	t_hip(hipHostFree((void *)ended));
	t_hip(hipHostFree(nwrong));
	gshmem_finalize();
	return 0;
}
