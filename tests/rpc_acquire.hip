/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/*
 * A kernel's caches may hold stale data of the CPU's memory. After a call to the CPU the kernel
 * reads what the function wrote there, even with plain loads, and the function reads what the kernel
 * wrote before with plain stores.
 */
#include "oracle.h"

enum kind { CALL, LINE, POST_WAIT, POST_TEST, NKINDS };
static const char *const names[NKINDS] = {"call", "call_line", "post, wait", "post, test"};

#define NWORDS 40 /* of several lines */

/* In CPU memory that the GPU maps. */
struct words {
	uint64_t answer[NWORDS]; /* by the function */
	uint64_t question[NWORDS];
	uint64_t nold; /* words of question that the function found stale */
};

/* in[0] is the round. */
static int answer(void *context, gshmemx_rpc_call_t *call)
{
	struct words *w = (struct words *)context;

	for (unsigned i = 0; i < NWORDS; i++) {
		w->nold += w->question[i] != call->in[0] * 1000 + i;
		w->answer[i] = call->in[0] * 2000 + i;
	}
	return GSHMEMX_RPC_DONE;
}

/* Plain loads, each time: volatile ones would pass the caches. */
static __device__ uint64_t look(const uint64_t *words)
{
	uint64_t sum = 0;

	__asm__ volatile("" ::: "memory");
	for (unsigned i = 0; i < NWORDS; i++)
		sum += words[i];
	return sum;
}

static __device__ int ask(int kind, uint32_t op, uint64_t round)
{
	const uint64_t in[8] = {round};
	gshmemx_rpc_ticket_t ticket;
	uint64_t out[8];

	if (kind == CALL)
		return gshmemx_rpc_call(op, in, out);
	if (kind == LINE)
		return gshmemx_rpc_call_line(op, in, out);
	ticket = gshmemx_rpc_post(op, in);
	if (kind == POST_TEST)
		while (!gshmemx_rpc_test(ticket))
			;
	return gshmemx_rpc_wait(ticket);
}

/* One lane; counts stale words and failed calls. */
static __global__ void run(int kind, uint32_t op, struct words *w, unsigned nrounds, unsigned *nwrong)
{
	for (uint64_t round = 1; round <= nrounds; round++) {
		for (unsigned i = 0; i < NWORDS; i++)
			w->question[i] = round * 1000 + i;
		*nwrong += look(w->answer) == 1; /* never, but the sum must be there */
		*nwrong += ask(kind, op, round) != 0;
		for (unsigned i = 0; i < NWORDS; i++)
			*nwrong += w->answer[i] != round * 2000 + i;
	}
}

int main(void)
{
	unsigned *device_nwrong, nwrong, zero = 0;
	struct words *w;
	uint32_t op;

	gshmem_init();
	t_hip(hipHostMalloc((void **)&w, sizeof *w, 0));
	memset(w, 0, sizeof *w);
	device_nwrong = (unsigned *)t_hipmalloc(sizeof nwrong);
	t_equal(gshmemx_rpc_register(&op, answer, w, 0), 0, "register");
	for (int kind = 0; kind < NKINDS; kind++) {
		t_to_device(device_nwrong, &zero, sizeof zero);
		t_launch(run, 1, 1, kind, op, w, 20, device_nwrong);
		t_from_device(&nwrong, device_nwrong, sizeof nwrong);
		t_check(!nwrong, "%s: %u words of the CPU are old", names[kind], nwrong);
		t_check(!w->nold, "%s: the function found %llu words old", names[kind],
			(unsigned long long)w->nold);
	}
	t_hip(hipHostFree(w));
	gshmem_finalize();
	return 0;
}
