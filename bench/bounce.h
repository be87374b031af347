/* SPDX-License-Identifier: BSD-3-Clause */
/* What the benches of put_signal's latency share: 8 bytes and a signal bounce between PEs 0 and 1. */
#ifndef BENCH_BOUNCE_H
#define BENCH_BOUNCE_H

#include "bench.h"

/* Data and signal as a program would lay them out: together. */
struct alignas(128) mail {
	uint64_t signal;
	long data;
};

template <int SCOPE>
__host__ __device__ static inline void send(struct mail *box, const long *data, uint64_t n, int pe)
{
	if (SCOPE == BENCH_WG)
		gshmemx_long_put_signal_wg(&box->data, data, 1, &box->signal, n, GSHMEM_SIGNAL_SET, pe);
	else if (SCOPE == BENCH_WAVE)
		gshmemx_long_put_signal_wave(&box->data, data, 1, &box->signal, n, GSHMEM_SIGNAL_SET, pe);
	else
		gshmem_long_put_signal(&box->data, data, 1, &box->signal, n, GSHMEM_SIGNAL_SET, pe);
}

template <int SCOPE> __host__ __device__ static inline void receive(struct mail *box, uint64_t n)
{
	if (SCOPE == BENCH_WG)
		gshmemx_signal_wait_until_wg(&box->signal, GSHMEM_CMP_GE, n);
	else if (SCOPE == BENCH_WAVE)
		gshmemx_signal_wait_until_wave(&box->signal, GSHMEM_CMP_GE, n);
	else
		gshmem_signal_wait_until(&box->signal, GSHMEM_CMP_GE, n);
}

template <int SCOPE>
__host__ __device__ static inline void bounce(struct mail *box, const long *data, uint64_t first, size_t reps)
{
	const int pe = gshmem_my_pe();

	for (uint64_t n = first; n < first + reps; n++) {
		if (pe == 0)
			send<SCOPE>(box, data, n, 1);
		receive<SCOPE>(box, n);
		if (pe != 0)
			send<SCOPE>(box, data, n, 0);
	}
}

template <int SCOPE>
__global__ void bounce_kernel(
	struct mail *box, const long *data, uint64_t first, size_t reps, uint64_t *ticks)
{
	bounce<SCOPE>(box, data, first, 1); /* which is where the two PEs meet */
	const uint64_t started = gshmemi_arch_clock_ns();
	bounce<SCOPE>(box, data, first + 1, reps);
	bench_stop(ticks, started);
}

static struct mail *bounce_box;
static long *bounce_data;
static uint64_t bounce_next = 1;

static inline void bounce_setup()
{
	const long mine = 1000 + bench.pe;

	bounce_box = (struct mail *)gshmem_calloc(1, sizeof *bounce_box);
	bounce_data = (long *)gshmem_malloc(sizeof(long));
	t_check(bounce_box && bounce_data, "%s: the heap is too small", bench.name);
	bench_write(bounce_data, &mine, sizeof mine);
}

/* A batch of round trips. */
template <int SCOPE> static double bounce_us(size_t reps)
{
	const uint64_t first = bounce_next;

	bounce_next += reps + 1;
	if (SCOPE == BENCH_HOST) {
		bounce<BENCH_HOST>(bounce_box, bounce_data, first, 1);
		const double started = bench_start();
		bounce<BENCH_HOST>(bounce_box, bounce_data, first + 1, reps);
		return bench_now_us() - started;
	}
	hipLaunchKernelGGL(HIP_KERNEL_NAME(bounce_kernel<SCOPE>), dim3(1), dim3(bench_nthreads(SCOPE)), 0, 0,
		bounce_box, bounce_data, first, reps, bench.ticks);
	return bench_kernel_us();
}

static inline void bounce_check()
{
	t_equal(bench_long(&bounce_box->data), 1000 + 1 - bench.pe, "put_signal: data");
	t_equal(bench_long(&bounce_box->signal), bounce_next - 1, "put_signal: signal");
}

#endif /* BENCH_BOUNCE_H */
