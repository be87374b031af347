/* SPDX-License-Identifier: BSD-3-Clause */
/* tsan: yes */
/* env: GSHMEM_RPC_WORKERS=4 | GSHMEM_RPC_WORKERS=1 GSHMEM_RPC_THREADS=3 GSHMEM_CPU_WAVE=32 | GSHMEM_RPC_POLL=nap GSHMEM_CPU_DIVERGE=random:9 */
/* timeout: 120 */
/*
 * Slow functions, blocking or pending ones, do not delay other calls. Each call has its own state, which
 * starts as NULL; finalize serves what was posted.
 */
#include <atomic>
#include <errno.h>
#include <time.h>

#include <gshmem.h>

#include "helpers.h"

enum { NTHREADS = 64, NPOSTS = 30 };

struct ops {
	uint32_t block, meet, hold, hold_blocking, release, plain, linger, linger_wave, linger_blocking,
		linger_wave_blocking, linger_stream, linger_stream_blocking, nap;
};

static std::atomic<bool> is_released;
static std::atomic<long> nblocked, nmet, nheld, nplain, nstarted, nlingered, nnapped, nwrong;

static void sleep_us(long us)
{
	struct timespec time = {0, us * 1000};

	nanosleep(&time, NULL);
}

static unsigned nworkers(void)
{
	const char *env = getenv("GSHMEM_RPC_WORKERS");

	return env ? (unsigned)atoi(env) : 4;
}

/* ---- functions ---- */

static int block(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	while (!is_released)
		sleep_us(100);
	nblocked++;
	return GSHMEMX_RPC_DONE;
}

/* Waits until as many calls have come as there are workers. */
static int meet(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	nmet++;
	while (nmet < (long)nworkers())
		sleep_us(100);
	return GSHMEMX_RPC_DONE;
}

static int hold(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	if (!is_released)
		return GSHMEMX_RPC_PENDING;
	nheld++;
	return GSHMEMX_RPC_DONE;
}

static int release(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	is_released = call->in[0];
	return GSHMEMX_RPC_DONE;
}

static int plain(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	nplain++;
	call->out[0] = call->in[0] + 1;
	return GSHMEMX_RPC_DONE;
}

static int nap(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	sleep_us(1000);
	nnapped++;
	return GSHMEMX_RPC_DONE;
}

struct turns {
	uint64_t who;
	unsigned left;
};

/* Pending for in[1] turns, with memory of malloc as state; in[0] says who calls. Returns true at the end. */
static bool has_turned(gshmemx_rpc_call_t *call, const uint64_t *in)
{
	struct turns *turns = (struct turns *)call->state;

	if (!turns) {
		nstarted++;
		call->state = turns = (struct turns *)malloc(sizeof *turns);
		turns->who = in[0];
		turns->left = (unsigned)in[1];
	}
	nwrong += turns->who != in[0];
	if (turns->left-- > 0)
		return false;
	free(turns);
	call->state = NULL;
	nlingered++;
	return true;
}

static int linger(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	if (!has_turned(call, call->in))
		return GSHMEMX_RPC_PENDING;
	call->out[0] = call->in[0] + call->in[1];
	return call->in[1] == 2 ? -ERANGE : GSHMEMX_RPC_DONE;
}

/* The first turn writes half of the answer, in the words of the page that has_turned does not read. */
static int linger_wave(void *context, gshmemx_rpc_call_t *call)
{
	uint64_t lanes, *line;
	const bool is_first = !call->state;

	(void)context;
	for (lanes = call->lanes; lanes; lanes &= lanes - 1) {
		line = &call->out[8 * __builtin_ctzll(lanes)];
		if (is_first)
			line[2] = line[0] + line[1];
	}
	line = &call->out[8 * call->lane];
	if (!has_turned(call, line))
		return GSHMEMX_RPC_PENDING;
	for (lanes = call->lanes; lanes; lanes &= lanes - 1) {
		line = &call->out[8 * __builtin_ctzll(lanes)];
		line[0] = line[2];
	}
	return GSHMEMX_RPC_DONE;
}

/*
 * Each step is pending for two turns. The state is passed from step to step, and counts bytes for the reply.
 */
struct stream_state {
	size_t nbytes;
	unsigned nturns;
};

static int linger_stream(void *context, gshmemx_rpc_call_t *call)
{
	struct stream_state *state = (struct stream_state *)call->state;

	(void)context;
	if (!state) {
		nstarted++;
		call->state = state = (struct stream_state *)calloc(1, sizeof *state);
		nwrong += call->offset != 0;
	}
	if (++state->nturns % 3)
		return GSHMEMX_RPC_PENDING;
	nwrong += state->nbytes != call->offset || call->reply_nbytes != 0;
	state->nbytes += call->nbytes;
	if (state->nbytes < call->total_nbytes)
		return GSHMEMX_RPC_MORE;
	nwrong += call->room_nbytes < sizeof state->nbytes;
	memcpy(call->data, &state->nbytes, sizeof state->nbytes);
	call->reply_nbytes = sizeof state->nbytes;
	free(state);
	nlingered++;
	return GSHMEMX_RPC_DONE; /* call->state dangles: the next stream must not see it */
}

/* ---- kernels; a block is a client, line says what went wrong ---- */

#define WANT(cond) \
	do { \
		if (!(cond)) { \
			line[i] = __LINE__; \
			return; \
		} \
	} while (0)

/* Block 0 is served while all other blocks' calls block, or are pending; then it releases them. */
__global__ static void others_wait(struct ops op, uint32_t waiting_op, int *line)
{
	const unsigned i = blockIdx.x;
	uint64_t in[6] = {1, 0, 0, 0, 0, 0}, out = 0, k;

	line[i] = 0;
	if (i) {
		WANT(gshmemx_rpc_call(waiting_op, in, NULL) == 0);
		return;
	}
	for (k = 0; k < 500; k++) {
		in[0] = k;
		WANT(gshmemx_rpc_call(op.plain, in, &out) == 0 && out == k + 1);
		(void)gshmemx_rpc_post(op.plain, in);
	}
	in[0] = 1;
	WANT(gshmemx_rpc_call(op.release, in, NULL) == 0);
	gshmem_quiet();
}

/* With more functions pending for ever than there are workers, blocking functions are still served. */
__global__ static void pending_and_blocking(struct ops op, unsigned nposts, int *line)
{
	const uint64_t in[6] = {1, 0, 0, 0, 0, 0};
	const unsigned i = 0;
	gshmemx_rpc_ticket_t first;
	unsigned k;

	line[i] = 0;
	first = gshmemx_rpc_post(op.hold_blocking, in);
	for (k = 1; k < nposts; k++)
		(void)gshmemx_rpc_post(op.hold_blocking, in);
	for (k = 0; k < 5; k++)
		WANT(gshmemx_rpc_call(op.nap, in, NULL) == 0);
	WANT(gshmemx_rpc_test(first) == 0);
	WANT(gshmemx_rpc_call(op.release, in, NULL) == 0);
	gshmem_quiet();
	WANT(gshmemx_rpc_test(first) == 1);
}

__global__ static void call_once(uint32_t op, int *line)
{
	const uint64_t in[6] = {1, 0, 0, 0, 0, 0};

	line[blockIdx.x] = gshmemx_rpc_call(op, in, NULL);
}

__global__ static void linger_by_lanes(struct ops op, int *line)
{
	const unsigned i = threadIdx.x, lane = i % warpSize;
	const uint32_t by_lane[2] = {op.linger, op.linger_blocking};
	const uint32_t by_wave[2] = {op.linger_wave, op.linger_wave_blocking};
	uint64_t in[6] = {i, i % 4, 0, 0, 0, 0}, out;
	unsigned k;

	line[i] = 0;
	for (k = 0; k < 2; k++) {
		out = 77;
		WANT(gshmemx_rpc_call(by_lane[k], in, &out) == (i % 4 == 2 ? -ERANGE : 0));
		WANT(out == (i % 4 == 2 ? 77 : i + i % 4));
		WANT(gshmemx_rpc_call(by_wave[k], in, &out) == 0 && out == i + i % 4);
		__syncthreads();
		in[1] = 3;
		if (lane == 0)
			WANT(gshmemx_rpc_call(by_wave[k], in, &out) == 0 && out == i + 3);
		if (lane == 5)
			WANT(gshmemx_rpc_call(by_wave[k], in, &out) == 0 && out == i + 3);
		in[1] = i % 4;
	}
}

__global__ static void linger_streams(struct ops op, const char *data, int *line)
{
	const unsigned i = threadIdx.x;
	const uint32_t ops[2] = {op.linger_stream, op.linger_stream_blocking};
	const size_t nbytes = 1000 * i;
	uint64_t told;
	size_t got;
	unsigned k;

	line[i] = 0;
	for (k = 0; k < 4; k++) {
		told = 0;
		got = 0;
		WANT(gshmemx_rpc_stream(ops[k % 2], data, nbytes, &told, sizeof told, &got) == 0);
		WANT(got == sizeof told && told == nbytes);
	}
}

__global__ static void post_naps(struct ops op)
{
	const uint64_t in[6] = {0, 0, 0, 0, 0, 0};
	int k;

	for (k = 0; k < NPOSTS; k++)
		(void)gshmemx_rpc_post(op.nap, in);
}

static int *lines;

static void check_lines(unsigned n, const char *what)
{
	unsigned i;

	t_hip(hipStreamSynchronize(0));
	for (i = 0; i < n; i++)
		t_check(lines[i] == 0, "%s: client %u: line or status %d", what, i, lines[i]);
}

int main(void)
{
	const uint64_t in[6] = {0, 0, 0, 0, 0, 0};
	struct ops op;
	char *data;
	int i;

	gshmem_init();
	t_hip(hipHostMalloc((void **)&lines, NTHREADS * sizeof *lines, 0));
	t_hip(hipHostMalloc((void **)&data, NTHREADS * 1000, 0));
	memset(data, 1, NTHREADS * 1000);
	t_equal(gshmemx_rpc_register(&op.block, block, NULL, GSHMEMX_RPC_BLOCKING), 0, "register");
	t_equal(gshmemx_rpc_register(&op.meet, meet, NULL, GSHMEMX_RPC_BLOCKING), 0, "register");
	t_equal(gshmemx_rpc_register(&op.hold, hold, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.hold_blocking, hold, NULL, GSHMEMX_RPC_BLOCKING), 0, "register");
	t_equal(gshmemx_rpc_register(&op.release, release, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.plain, plain, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.linger, linger, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.linger_wave, linger_wave, NULL, GSHMEMX_RPC_WAVE), 0, "register");
	t_equal(gshmemx_rpc_register(&op.linger_blocking, linger, NULL, GSHMEMX_RPC_BLOCKING), 0, "register");
	t_equal(gshmemx_rpc_register(
			&op.linger_wave_blocking, linger_wave, NULL, GSHMEMX_RPC_WAVE | GSHMEMX_RPC_BLOCKING),
		0, "register");
	t_equal(gshmemx_rpc_register(&op.linger_stream, linger_stream, NULL, GSHMEMX_RPC_STREAM), 0,
		"register");
	t_equal(gshmemx_rpc_register(&op.linger_stream_blocking, linger_stream, NULL,
			GSHMEMX_RPC_STREAM | GSHMEMX_RPC_BLOCKING),
		0, "register");
	t_equal(gshmemx_rpc_register(&op.nap, nap, NULL, GSHMEMX_RPC_BLOCKING), 0, "register");

	hipLaunchKernelGGL(others_wait, dim3(9), dim3(1), 0, 0, op, op.block, lines);
	check_lines(9, "beside blocking functions");
	t_equal(nblocked, 8, "blocking calls");
	t_equal(nplain, 1000, "calls beside them");

	is_released = false;
	hipLaunchKernelGGL(others_wait, dim3(9), dim3(1), 0, 0, op, op.hold, lines);
	check_lines(9, "beside pending functions");
	t_equal(nheld, 8, "pending calls");
	t_equal(nplain, 2000, "calls beside them");

	is_released = false;
	nheld = 0;
	hipLaunchKernelGGL(pending_and_blocking, dim3(1), dim3(1), 0, 0, op, 2 * nworkers(), lines);
	check_lines(1, "blocking functions beside pending ones");
	t_equal(nheld, 2 * nworkers(), "pending calls");
	t_equal(nnapped, 5, "blocking calls");

	hipLaunchKernelGGL(call_once, dim3(nworkers()), dim3(1), 0, 0, op.meet, lines);
	check_lines(nworkers(), "functions that meet");
	t_equal(nmet, nworkers(), "calls that met");

	hipLaunchKernelGGL(linger_by_lanes, dim3(1), dim3(NTHREADS), 0, 0, op, lines);
	check_lines(NTHREADS, "functions with a state");
	t_check(nstarted == nlingered && nwrong == 0, "%ld calls began, %ld ended, %ld had another's state",
		(long)nstarted, (long)nlingered, (long)nwrong);
	hipLaunchKernelGGL(linger_streams, dim3(1), dim3(NTHREADS), 0, 0, op, data, lines);
	check_lines(NTHREADS, "streams with a state");
	t_check(nstarted == nlingered && nwrong == 0,
		"%ld streams began, %ld ended, %ld steps with another's state", (long)nstarted,
		(long)nlingered, (long)nwrong);

	nnapped = 0;
	hipLaunchKernelGGL(post_naps, dim3(1), dim3(1), 0, 0, op);
	for (i = 0; i < NPOSTS; i++)
		(void)gshmemx_rpc_post(op.nap, in);
	t_hip(hipStreamSynchronize(0));
	gshmem_finalize();
	t_equal(nnapped, 2 * NPOSTS, "posted blocking calls when finalize has returned");
	t_hip(hipHostFree(lines));
	t_hip(hipHostFree(data));
	return 0;
}
