/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/*
 * Streams to a function that copies them: up to 12 KiB in pages of 4 KiB, from 16 KiB on in blocks of 64
 * KiB. The client is a kernel of one thread, which has the wave's page, a whole wave, or the host, whose
 * page has 64 bytes. Raw: two threads that copy in turn through one buffer of that size; rpc_stream_alone:
 * one thread copies both ways.
 */
#include "rpc.h"

__host__ __device__ static inline int stream(uint32_t op, const char *source, size_t nbytes, size_t reps)
{
	int rc = 0;

	for (size_t i = 0; i < reps && !rc; i++)
		rc = gshmemx_rpc_stream_wave(op, source, nbytes, NULL, 0, NULL);
	return rc;
}

__global__ static void stream_kernel(
	uint32_t op, const char *source, size_t nbytes, size_t reps, int *status, uint64_t *ticks)
{
	int rc = stream(op, source, nbytes, 10);
	const uint64_t started = gshmemi_arch_clock_ns();

	rc |= stream(op, source, nbytes, reps);
	bench_stop(ticks, started);
	if (rc)
		*status = rc;
}

static char *data;
static int *status;

static double stream_us(int nthreads, size_t nbytes, size_t reps)
{
	double us;

	if (nthreads) {
		hipLaunchKernelGGL(stream_kernel, dim3(1), dim3(nthreads), 0, 0, rpc_op.take, data, nbytes,
			reps, status, bench.ticks);
		us = bench_kernel_us();
	} else {
		t_equal(stream(rpc_op.take, data, nbytes, 10), 0, "stream");
		const double started = bench_start();
		t_equal(stream(rpc_op.take, data, nbytes, reps), 0, "stream");
		us = bench_now_us() - started;
	}
	t_equal(*status, 0, "stream");
	return rpc_rested(us);
}

int main(int argc, char **argv)
{
	setenv("GSHMEM_RPC_SLOTS", "64", 1);
	bench_init(argc, argv, "rpc_stream_bw");
	bench_needs(1);
	rpc_setup();
	t_hip(hipHostMalloc((void **)&data, sizeof rpc_taken, 0));
	t_hip(hipHostMalloc((void **)&status, sizeof *status, 0));
	*status = 0;
	for (size_t i = 0; i < sizeof rpc_taken; i++)
		data[i] = (char)(i % 251);
	const bool has_raw = bench_raw_start("through");
	for (int scope : {BENCH_THREAD, BENCH_WAVE, BENCH_HOST})
		for (size_t nbytes : {4096, 8192, 12288, 16384, 65536, 1 << 20}) {
			const int nthreads = scope == BENCH_HOST ? 0 : bench_nthreads(scope),
				  bulk = nbytes >= 16384;

			if (!bench_wants(bench_scope_names[scope]) || nbytes < bench.min_nbytes ||
				nbytes > bench.max_nbytes)
				continue;
			for (int alone : {0, 1})
				if (!alone || scope == BENCH_THREAD)
					bench_measure({alone ? "rpc_stream_alone" : "rpc_stream_bw",
							      bench_scope_names[scope], nbytes, 1,
							      has_raw ? std::vector<int>{2 * alone + bulk}
								      : std::vector<int>{},
							      true, 0},
						[=](size_t reps) {
							return stream_us(nthreads, nbytes, reps);
						});
		}
	stream_us(1, sizeof rpc_taken, 1);
	t_equal(memcmp(rpc_taken, data, sizeof rpc_taken), 0, "rpc_stream_bw: data");
	bench_finalize();
	return 0;
}
