/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* env: GSHMEM_FIRST_SEQ=1073741820 GSHMEM_RPC_SLOTS=64 | GSHMEM_FIRST_SEQ=1073741820 GSHMEM_RPC_THREADS=3 GSHMEM_CPU_WAVE=32 */
/* timeout: 120 */
/*
 * When a slot's sequence numbers wrap at 2^30, counts stay exact, and streams and
 * tickets work across the wrap.
 */
#include "rpc_counts.h"

enum { NCALLS = 600, NBYTES = 100000 };

static std::atomic<bool> is_released;

static int hold(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	return is_released ? GSHMEMX_RPC_DONE : GSHMEMX_RPC_PENDING;
}

static int release(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	is_released = true;
	return GSHMEMX_RPC_DONE;
}

/* Returns its input plus one. */
static int echo(void *context, gshmemx_rpc_call_t *call)
{
	unsigned char *data = (unsigned char *)call->data;
	size_t i;

	(void)context;
	for (i = 0; i < call->nbytes; i++)
		data[i]++;
	call->reply_nbytes = call->nbytes;
	return call->offset + call->nbytes < call->total_nbytes ? GSHMEMX_RPC_MORE : GSHMEMX_RPC_DONE;
}

/* Keeps tickets from before their slot's wrap until after it. Returns their number. */
__host__ __device__ static int cross(uint32_t hold_op, uint32_t release_op, gshmemx_rpc_ticket_t *tickets)
{
	const uint64_t in[6] = {0, 0, 0, 0, 0, 0};
	int i, k;

	tickets[0] = gshmemx_rpc_post(hold_op, in);
	if (gshmemx_rpc_test(tickets[0]) || gshmemx_rpc_call(release_op, in, NULL))
		return __LINE__;
	if (gshmemx_rpc_wait(tickets[0]))
		return __LINE__;
	for (i = 1; i < NCALLS; i++) {
		tickets[i] = gshmemx_rpc_post(release_op, in);
		if (gshmemx_rpc_wait(tickets[i]))
			return __LINE__;
		for (k = 0; k <= i; k += 1 + i / 16)
			if (!gshmemx_rpc_test(tickets[k]) || gshmemx_rpc_wait(tickets[k]))
				return __LINE__;
	}
	return 0;
}

__global__ static void cross_kernel(
	uint32_t hold_op, uint32_t release_op, gshmemx_rpc_ticket_t *tickets, int *line)
{
	*line = cross(hold_op, release_op, tickets);
}

/* Through the page, 64 bytes per lane: in two parts, each too small for a block of the arena. */
__global__ static void stream_kernel(uint32_t op, const unsigned char *in, unsigned char *out, int *line)
{
	size_t i, part, got;

	*line = 0;
	for (i = 0; i < NBYTES && !*line; i += part) {
		part = NBYTES - i < 16000 ? NBYTES - i : 16000;
		if (gshmemx_rpc_stream(op, in + i, part, out + i, part, &got) || got != part)
			*line = __LINE__;
	}
}

/* Some slot must have tickets on both sides of the wrap. */
static void check_crossed(const gshmemx_rpc_ticket_t *tickets, const char *where)
{
	int before, after, ncrossed = 0;

	for (before = 0; before < NCALLS; before++) {
		t_check(tickets[before].seq < 1U << 30, "%s: number %#x", where, tickets[before].seq);
		for (after = before + 1; after < NCALLS; after++)
			ncrossed += tickets[after].slot == tickets[before].slot &&
				tickets[before].seq > 0x3ffffff0 && tickets[after].seq < 1000;
	}
	t_check(ncrossed > 0, "%s: no slot's numbers wrap", where);
}

int main(void)
{
	uint32_t hold_op, release_op, echo_op;
	gshmemx_rpc_ticket_t *tickets;
	unsigned char *in, *out;
	int *line, i;

	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "init");
	t_hip(hipHostMalloc((void **)&tickets, NCALLS * sizeof *tickets, 0));
	t_hip(hipHostMalloc((void **)&line, sizeof *line, 0));
	t_hip(hipHostMalloc((void **)&in, 2 * NBYTES, 0));
	out = in + NBYTES;
	t_equal(gshmemx_rpc_register(&hold_op, hold, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&release_op, release, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&echo_op, echo, NULL, GSHMEMX_RPC_STREAM), 0, "register");

	hipLaunchKernelGGL(cross_kernel, dim3(1), dim3(1), 0, 0, hold_op, release_op, tickets, line);
	t_hip(hipStreamSynchronize(0));
	t_check(*line == 0, "tickets in a kernel: line %d", *line);
	check_crossed(tickets, "kernel");
	is_released = false;
	*line = cross(hold_op, release_op, tickets);
	t_check(*line == 0, "tickets on the host: line %d", *line);
	check_crossed(tickets, "host");

	/* the next slots have not been used: after another init all start again */
	gshmem_finalize();
	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "init");
	t_equal(gshmemx_rpc_register(&echo_op, echo, NULL, GSHMEMX_RPC_STREAM), 0, "register");
	for (i = 0; i < NBYTES; i++)
		in[i] = (unsigned char)mix((uint64_t)i);
	hipLaunchKernelGGL(stream_kernel, dim3(1), dim3(1), 0, 0, echo_op, in, out, line);
	t_hip(hipStreamSynchronize(0));
	t_check(*line == 0, "stream: line %d", *line);
	for (i = 0; i < NBYTES; i++)
		t_equal(out[i], (unsigned char)(in[i] + 1), "a byte of the stream");

	count_calls(6, 128, 3, 20);
	gshmem_finalize();
	t_hip(hipHostFree(tickets));
	t_hip(hipHostFree(line));
	t_hip(hipHostFree(in));
	return 0;
}
