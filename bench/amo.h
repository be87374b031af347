/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on one word of the last PE: the body of amo_lat (fetch_add, each after the one before) and amo_rate (add,
 * whose result nobody waits for). PE 0 alone, then all PEs at once. Raw: the instruction, in the same way.
 */
#ifndef BENCH_AMO_H
#define BENCH_AMO_H

#include "device.h"

enum { AMO_FETCH_ADD, AMO_ADD };

template <int OP> __host__ __device__ static inline void amo_many(long *dest, int pe, size_t reps)
{
	long last = 0;

	for (size_t i = 0; i < reps; i++)
		if (OP == AMO_FETCH_ADD)
			last = gshmem_long_atomic_fetch_add(dest, (last < 0) + 1, pe);
		else
			gshmem_long_atomic_add(dest, 1, pe);
	gshmem_quiet();
}

template <int OP> __global__ void amo_kernel(long *dest, int pe, size_t reps, int meet, uint64_t *ticks)
{
	if (meet)
		gshmem_barrier_all();
	const uint64_t started = gshmemi_arch_clock_ns();
	amo_many<OP>(dest, pe, reps);
	bench_stop(ticks, started);
}

template <int OP> static int amo_main(int argc, char **argv, const char *name, const char *op)
{
	bench_init(argc, argv, name);
	if (bench.npes < 2)
		bench_needs(2);
	long *dest = (long *)gshmem_calloc(16, sizeof(long));
	const int last_pe = bench.npes - 1;
	const int first_raw = OP == AMO_FETCH_ADD ? 0 : 2;
	const std::vector<int> raw = bench_raw_start("atomic") ? std::vector<int>{first_raw, first_raw + (OP == AMO_ADD)} :
								 std::vector<int>{};
	const std::vector<bench_run> on_device = device_words(OP == AMO_FETCH_ADD ? DEVICE_FETCH_ADDS : DEVICE_ADDS,
							      (long *)gshmem_ptr(dest + 8, last_pe));
	double done = 0;

	for (int nactive = 1; nactive <= bench.npes; nactive += bench.npes - 1) {
		if (bench_wants_active(nactive) && bench_wants("thread"))
			bench_measure({op, "thread", 8, nactive, raw, false, 0, on_device}, [&](size_t reps) {
				done += reps;
				hipLaunchKernelGGL(amo_kernel<OP>, dim3(1), dim3(1), 0, 0, dest, last_pe, reps,
						   nactive > 1, bench.ticks);
				return bench_kernel_us();
			});
		if (bench_wants_active(nactive) && bench_wants("host"))
			bench_measure({op, "host", 8, nactive, raw, false, 0}, [&](size_t reps) {
				done += reps;
				if (nactive > 1)
					gshmem_barrier_all();
				const double started = bench_start();
				amo_many<OP>(dest, last_pe, reps);
				return bench_now_us() - started;
			});
	}
	MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (bench.pe == last_pe)
		t_equal(bench_long(dest), done, op);
	bench_finalize();
	return 0;
}

#endif /* BENCH_AMO_H */
