/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the benches of calls to the CPU share: the functions, a server on its own core, and kernels that call.
 * Raw: two threads of one process, on the same two cores.
 */
#ifndef BENCH_RPC_H
#define BENCH_RPC_H

#include "bench.h"

#include <pthread.h>
#include <time.h>

static uint64_t rpc_ncalls;     /* calls that the function has seen; written by the server's thread */
static clockid_t rpc_cpu_clock; /* of that thread */
static struct {
	uint32_t add, pin, take;
} rpc_op;

static int rpc_add(void *, gshmemx_rpc_call_t *call)
{
	rpc_ncalls++;
	call->out[0] = call->in[0] + 1;
	return GSHMEMX_RPC_DONE;
}

/* Binds the server's thread, which runs this. */
static int rpc_pin(void *, gshmemx_rpc_call_t *call)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(call->in[0], &set);
	pthread_getcpuclockid(pthread_self(), &rpc_cpu_clock);
	return sched_setaffinity(0, sizeof set, &set) ? -errno : GSHMEMX_RPC_DONE;
}

/* Copies a stream into its own buffer. */
alignas(4096) static char rpc_taken[1 << 20];
static int rpc_take(void *, gshmemx_rpc_call_t *call)
{
	memcpy(rpc_taken + call->offset, call->data, call->nbytes);
	call->reply_nbytes = 0;
	return call->offset + call->nbytes < call->total_nbytes ? GSHMEMX_RPC_MORE : GSHMEMX_RPC_DONE;
}

static inline void rpc_register()
{
	t_equal(gshmemx_rpc_register(&rpc_op.add, rpc_add, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&rpc_op.pin, rpc_pin, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&rpc_op.take, rpc_take, NULL, GSHMEMX_RPC_STREAM), 0, "register");
}

static inline void rpc_pin_server(int core)
{
	uint64_t in[6] = {(uint64_t)(core % sysconf(_SC_NPROCESSORS_ONLN))};

	t_equal(gshmemx_rpc_call(rpc_op.pin, in, NULL), 0, "the server's core");
}

/* Register, and put the server on core 1. Clients and all other threads are on core 0. */
static inline void rpc_setup()
{
	rpc_register();
	rpc_pin_server(1);
}

__host__ __device__ static inline uint64_t rpc_calls(uint32_t op, size_t reps, int posts)
{
	uint64_t in[6] = {0, 1, 2, 3, 4, 5}, out = 0;

	for (size_t i = 0; i < reps; i++) {
		in[0] = out;
		if (posts)
			gshmemx_rpc_post(op, in);
		else
			gshmemx_rpc_call(op, in, &out);
	}
	if (posts)
		gshmem_quiet();
	return out;
}

__global__ static void rpc_calls_kernel(uint32_t op, size_t reps, int posts, uint64_t *last, uint64_t *ticks)
{
	rpc_calls(op, 10, 0); /* the server is awake, and has met the kernel */
	const uint64_t started = gshmemi_arch_clock_ns();
	const uint64_t out = rpc_calls(op, reps, posts);

	bench_stop(ticks, started);
	if (threadIdx.x == 0)
		*last = out;
}

/* The server rests before the other side's turn. */
static inline double rpc_rested(double us)
{
	usleep(600);
	return us;
}

/* A batch of calls by a kernel of nthreads threads; 0: by the host. */
static inline double rpc_calls_us(int nthreads, size_t reps, int posts)
{
	static uint64_t *last = NULL;
	const uint64_t before = rpc_ncalls;
	uint64_t out;
	double us;

	if (!last)
		t_hip(hipMalloc((void **)&last, sizeof *last));
	if (nthreads) {
		hipLaunchKernelGGL(rpc_calls_kernel, dim3(1), dim3(nthreads), 0, 0, rpc_op.add, reps, posts,
			last, bench.ticks);
		us = bench_kernel_us();
		bench_read(&out, last, sizeof out);
	} else {
		rpc_calls(rpc_op.add, 10, 0);
		const double started = bench_start();
		out = rpc_calls(rpc_op.add, reps, posts);
		us = bench_now_us() - started;
	}
	t_equal(rpc_ncalls - before, (reps + 10) * std::max(1, nthreads), "calls of the function");
	if (!posts)
		t_equal(out, reps, "the last answer");
	return rpc_rested(us);
}

#endif /* BENCH_RPC_H */
