/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* env: GSHMEM_RPC_SLOTS=64 | GSHMEM_CPU_WAVE=32 GSHMEM_RPC_THREADS=3 | GSHMEM_CPU_DIVERGE=random:3 */
/* timeout: 120 */
/*
 * A posted call's ticket tells only about its call, however often the slot has been used since. Every call
 * that waits for posts waits for all of them, and quiets of many waves do not wait for each other.
 */
#include <atomic>
#include <errno.h>

#include <gshmem.h>

#include "helpers.h"

enum { NTHREADS = 128, NBLOCKS = 6, SLOW_NS = 3000000 };

struct ops {
	uint32_t slow, held, release, fail, count;
};

static std::atomic<uint32_t> *done; /* [thread] slow calls that have ended */
static std::atomic<uint64_t> ncounted, nheld;
static std::atomic<bool> is_released;

/* in: thread, ns: ends that many ns after it began. */
static int slow(void *context, gshmemx_rpc_call_t *call)
{
	const uint64_t now = gshmemi_arch_clock_ns();

	(void)context;
	if (!call->state)
		call->state = (void *)(uintptr_t)now;
	if (now - (uintptr_t)call->state < call->in[1])
		return GSHMEMX_RPC_PENDING;
	done[call->in[0]]++;
	return GSHMEMX_RPC_DONE;
}

static int held(void *context, gshmemx_rpc_call_t *call)
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

static int fail(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	return (int)(int64_t)call->in[0];
}

static int count(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	(void)call;
	ncounted++;
	return GSHMEMX_RPC_DONE;
}

/* ---- tickets, in kernels and on the host: one line of what went wrong first, 0 for nothing ---- */

#define WANT(cond) \
	do { \
		if (!(cond)) \
			return __LINE__; \
	} while (0)

__host__ __device__ static int use_tickets(struct ops op, unsigned ncalls)
{
	const uint64_t one[6] = {1, 0, 0, 0, 0, 0}, zero[6] = {0, 0, 0, 0, 0, 0};
	const uint64_t range[6] = {(uint64_t)(int64_t)-ERANGE, 0, 0, 0, 0, 0};
	gshmemx_rpc_ticket_t failed, good, open, none;
	unsigned i;

	failed = gshmemx_rpc_post(op.fail, range);
	WANT(gshmemx_rpc_wait(failed) == -ERANGE);
	WANT(gshmemx_rpc_test(failed) == 1 && gshmemx_rpc_wait(failed) == -ERANGE);
	none = gshmemx_rpc_post(op.count + 50, one);
	WANT(gshmemx_rpc_wait(none) == -ENOSYS);
	good = gshmemx_rpc_post(op.count, one);
	WANT(gshmemx_rpc_wait(good) == 0 && gshmemx_rpc_test(good) == 1);
	open = gshmemx_rpc_post(op.held, one);
	WANT(gshmemx_rpc_test(open) == 0);
	for (i = 0; i < 200; i++) { /* other slots: the server owns that one */
		WANT(gshmemx_rpc_call(op.count, one, NULL) == 0);
		WANT(gshmemx_rpc_test(open) == 0);
	}
	WANT(gshmemx_rpc_call(op.release, one, NULL) == 0);
	WANT(gshmemx_rpc_wait(open) == 0 && gshmemx_rpc_test(open) == 1);
	WANT(gshmemx_rpc_call(op.release, zero, NULL) == 0);
	for (i = 0; i < ncalls; i++) {
		if (i % 3)
			WANT(gshmemx_rpc_call(op.count, one, NULL) == 0);
		else
			(void)gshmemx_rpc_post(op.count, one);
		WANT(gshmemx_rpc_test(open) == 1 && gshmemx_rpc_test(failed) == 1);
	}
	WANT(gshmemx_rpc_wait(open) == 0 && gshmemx_rpc_wait(good) == 0 && gshmemx_rpc_wait(none) == 0);
	WANT(gshmemx_rpc_wait(failed) == 0); /* its slot holds a later call */
	return 0;
}

__global__ static void ticket_kernel(struct ops op, unsigned ncalls, int *line)
{
	*line = use_tickets(op, ncalls);
}

/* A wave's ticket is the same for its lanes. */
__global__ static void wave_ticket(struct ops op, gshmemx_rpc_ticket_t *tickets, int *status)
{
	const uint64_t in[6] = {(uint64_t)(int64_t)-EDOM, 0, 0, 0, 0, 0};

	tickets[threadIdx.x] = gshmemx_rpc_post(op.count, in);
	status[threadIdx.x] = gshmemx_rpc_wait(tickets[threadIdx.x]);
}

/* ---- what waits for posts ---- */

enum way { QUIET, FENCE, QUIET_WAVE, QUIET_WG, BARRIER_WG, BARRIER_WAVE, BARRIER, WAIT, NWAYS };
static const char *const way_names[] = {"quiet", "fence", "quiet_wave", "quiet_wg", "barrier_all_wg",
	"barrier_all_wave", "barrier_all", "wait"};

/* Each thread posts twice; after the wait thread i sees those of the threads from first to last. */
__global__ static void post_and_wait(struct ops op, int way, const volatile uint32_t *ended, unsigned *nearly)
{
	const unsigned block = blockIdx.x * blockDim.x, i = block + threadIdx.x;
	unsigned first = i, last = i, nposts = 0, k;
	uint64_t in[6] = {i, SLOW_NS, 0, 0, 0, 0};
	gshmemx_rpc_ticket_t tickets[2];

	for (k = 0; k < 3; k++) {
		in[1] = SLOW_NS / (k + 1);
		if ((i + k) % 3)
			tickets[nposts++] = gshmemx_rpc_post(op.slow, in);
	}
	switch (way) {
	case QUIET:
		gshmem_quiet();
		break;
	case FENCE:
		gshmem_fence();
		break;
	case BARRIER:
		gshmem_barrier_all();
		break;
	case QUIET_WAVE:
	case BARRIER_WAVE:
		if (way == QUIET_WAVE)
			gshmemx_quiet_wave();
		else
			gshmemx_barrier_all_wave();
		first = block + threadIdx.x / warpSize * warpSize;
		last = first + warpSize - 1 < block + blockDim.x - 1 ? first + warpSize - 1
								     : block + blockDim.x - 1;
		break;
	case QUIET_WG:
	case BARRIER_WG:
		if (way == QUIET_WG)
			gshmemx_quiet_wg();
		else
			gshmemx_barrier_all_wg();
		first = block;
		last = block + blockDim.x - 1;
		break;
	default:
		(void)gshmemx_rpc_wait(tickets[0]);
		(void)gshmemx_rpc_wait(tickets[1]);
		break;
	}
	for (k = first; k <= last; k++)
		if (ended[k] != 2)
			(void)atomicAdd(nearly, 1U);
}

__global__ static void post_and_end(struct ops op)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	uint64_t in[6] = {i, SLOW_NS, 0, 0, 0, 0};

	if (i % 5)
		(void)gshmemx_rpc_post(op.slow, in);
}

static uint32_t count_done(void)
{
	uint32_t sum = 0, i;

	for (i = 0; i < NBLOCKS * NTHREADS; i++) {
		sum += done[i];
		done[i] = 0;
	}
	return sum;
}

static void wait_every_way(struct ops op)
{
	unsigned *nearly, nblocks, nthreads;
	int way;

	t_hip(hipHostMalloc((void **)&nearly, sizeof *nearly, 0));
	for (way = 0; way < NWAYS; way++) {
		nblocks = way == BARRIER || way == BARRIER_WG || way == BARRIER_WAVE ? 1 : NBLOCKS;
		nthreads = way == BARRIER ? 1 : way == BARRIER_WAVE ? 32 : (unsigned)NTHREADS;
		*nearly = 0;
		hipLaunchKernelGGL(post_and_wait, dim3(nblocks), dim3(nthreads), 0, 0, op, way,
			(const uint32_t *)done, nearly);
		t_hip(hipStreamSynchronize(0));
		t_check(*nearly == 0, "pe %d: %s returned before %u posted calls had ended", gshmem_my_pe(),
			way_names[way], *nearly);
		t_equal(count_done(), 2 * nblocks * nthreads, way_names[way]);
	}
	t_hip(hipHostFree(nearly));
}

static void host_waits(struct ops op)
{
	const uint32_t nposts = NBLOCKS * NTHREADS - (NBLOCKS * NTHREADS + 4) / 5;
	const uint64_t in[6] = {0, SLOW_NS, 0, 0, 0, 0};
	int way, i;

	for (way = 0; way < 3; way++) {
		hipLaunchKernelGGL(post_and_end, dim3(NBLOCKS), dim3(NTHREADS), 0, 0, op);
		for (i = 0; i < 10; i++)
			(void)gshmemx_rpc_post(op.slow, in);
		t_hip(hipStreamSynchronize(0));
		if (way == 0)
			gshmem_quiet();
		else if (way == 1)
			gshmem_fence();
		else
			gshmem_barrier_all();
		t_equal(count_done(), nposts + 10,
			way == 0           ? "host quiet"
				: way == 1 ? "host fence"
					   : "host barrier_all");
	}
	hipLaunchKernelGGL(post_and_end, dim3(NBLOCKS), dim3(NTHREADS), 0, 0, op);
	t_hip(hipStreamSynchronize(0));
}

int main(void)
{
	gshmemx_rpc_ticket_t *tickets;
	int *line, i;
	struct ops op;

	gshmem_init();
	t_hip(hipHostMalloc((void **)&done, NBLOCKS * NTHREADS * sizeof *done, 0));
	memset((void *)done, 0, NBLOCKS * NTHREADS * sizeof *done);
	t_hip(hipHostMalloc((void **)&line, NTHREADS * sizeof *line, 0));
	t_hip(hipHostMalloc((void **)&tickets, NTHREADS * sizeof *tickets, 0));
	t_equal(gshmemx_rpc_register(&op.slow, slow, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.held, held, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.release, release, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.fail, fail, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&op.count, count, NULL, 0), 0, "register");

	hipLaunchKernelGGL(ticket_kernel, dim3(1), dim3(1), 0, 0, op, 5000U, line);
	t_hip(hipStreamSynchronize(0));
	t_check(*line == 0, "pe %d: tickets in a kernel: line %d", gshmem_my_pe(), *line);
	*line = use_tickets(op, 5000);
	t_check(*line == 0, "pe %d: tickets on the host: line %d", gshmem_my_pe(), *line);
	gshmem_quiet();
	t_equal(ncounted, 2 * (1 + 200 + 5000), "counted calls");
	t_equal(nheld, 2, "held calls");

	hipLaunchKernelGGL(wave_ticket, dim3(1), dim3(NTHREADS), 0, 0, op, tickets, line);
	t_hip(hipStreamSynchronize(0));
	for (i = 0; i < NTHREADS; i++)
		t_check(line[i] == 0 && tickets[i].slot != 0xffffffffU, "ticket of thread %d", i);

	wait_every_way(op);
	host_waits(op);
	gshmem_finalize();
	t_equal(count_done(), NBLOCKS * NTHREADS - (NBLOCKS * NTHREADS + 4) / 5, "posts at finalize");
	t_hip(hipHostFree((void *)done));
	t_hip(hipHostFree(line));
	t_hip(hipHostFree(tickets));
	return 0;
}
