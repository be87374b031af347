/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -t 4000 */
/*
 * Carried 8-byte puts from a kernel, followed by quiet: one put; 16 puts by one thread; one put by each lane
 * of a wave (_lanes), 64 bytes apart or (_next) side by side. The limit refers to the raw column:
 *
 *   one put      MPI_Put and flush, and two calls to the CPU (carry_rpc_lat)
 *   several      one put and quiet
 *   _mpi         as many MPI_Puts, and a flush; no limit
 */
#include "carry.h"

#define NPUTS_OF_THREAD 16

/* Each thread of the block makes nputs puts, lane by lane. */
__global__ static void puts_kernel(
	char *dest, const char *source, int nputs, size_t stride, size_t reps, uint64_t *ticks)
{
	const size_t first = threadIdx.x * nputs;

	gshmemx_quiet_wave();
	const uint64_t started = gshmemi_arch_clock_ns();
	for (size_t rep = 0; rep < reps; rep++) {
		for (size_t i = first; i < first + nputs; i++)
			gshmem_putmem(dest + i * stride, source + i * stride, 8, 1);
		gshmemx_quiet_wave();
		BENCH_KEEP();
	}
	bench_stop(ticks, started);
}

static char *dest, *source;

static bench_run puts(int nlanes, int nputs, size_t stride)
{
	return carry_alone([=](size_t reps) {
		hipLaunchKernelGGL(puts_kernel, dim3(1), dim3(nlanes), 0, 0, dest, source, nputs, stride,
			reps, bench.ticks);
		return bench_kernel_us();
	});
}

static void rows()
{
	const bench_run one = puts(1, 1, CARRY_STRIDE), many = puts(1, NPUTS_OF_THREAD, CARRY_STRIDE);
	const bench_run wave = puts(bench.wave_width, 1, CARRY_STRIDE), next = puts(bench.wave_width, 1, 8);
	const bench_run mpi = carry_best_mpi("mpi_put", RMA_PUT, 8, 0), rpc = carry_rpc();

	carry_row("carry_rpc_lat", BENCH_THREAD, 0, false, 0, rpc, mpi);
	carry_row("carry_put_lat", BENCH_THREAD, 8, false, 0, one,
		[=](size_t reps) { return mpi(reps) + 2 * rpc(reps); });
	carry_row("carry_put16_lat", BENCH_THREAD, 8, false, 0, many, one);
	carry_row("carry_put_lanes_lat", BENCH_WAVE, 8, false, 0, wave, one);
	carry_row("carry_put_lanes_next_lat", BENCH_WAVE, 8, false, 0, next, one);
	carry_row("carry_put16_mpi", BENCH_THREAD, 8, false, 0, many,
		carry_best_mpi("mpi_put16", RMA_PUT16, 8, 0));
	carry_row("carry_put_lanes_mpi", BENCH_WAVE, 8, false, 0, wave,
		carry_best_mpi("mpi_put64", RMA_PUT64, 8, 0));
}

int main(int argc, char **argv)
{
	carry_init(argc, argv, "carry_put_lat");
	dest = carry_alloc((size_t)bench.wave_width * CARRY_STRIDE, 20 + bench.pe);
	source = carry_alloc((size_t)bench.wave_width * CARRY_STRIDE, 10 + bench.pe);
	rows();
	carry_check(dest, bench.wave_width, 8, CARRY_STRIDE, 10);
	bench_finalize();
	return 0;
}
