/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on one word of the last PE: the body of amo_lat (fetch_add), amo_rate (add) and amo_ops (six
 * operations on two types). A fetching operation starts when the previous one has returned; the loop does
 * not wait for the others. First PE 0 works alone, then all PEs at once. Raw: the processor's own
 * instruction in the same loop.
 */
#ifndef BENCH_AMO_H
#define BENCH_AMO_H

#include "device.h"

enum amo_op { AMO_FETCH_ADD, AMO_FETCH_INC, AMO_ADD, AMO_INC, AMO_COMPARE_SWAP, AMO_SWAP };

/*
 * Every operation adds 1, except swap, which writes 1 to reps. (compare_swap adds 1
 * only if one PE works alone.)
 */
template <int OP, typename T> __host__ __device__ static inline void amo_many(T *dest, int pe, size_t reps)
{
	T last = OP == AMO_COMPARE_SWAP ? gshmem_atomic_fetch(dest, pe) : (T)0;

	for (size_t i = 0; i < reps; i++)
		switch (OP) {
		case AMO_FETCH_ADD:
			last = gshmem_atomic_fetch_add(dest, (T)((last < 0) + 1), pe);
			break;
		case AMO_FETCH_INC:
			last = gshmem_atomic_fetch_inc(dest + (last < 0), pe);
			break;
		case AMO_ADD:
			gshmem_atomic_add(dest, (T)1, pe);
			break;
		case AMO_INC:
			gshmem_atomic_inc(dest, pe);
			break;
		case AMO_COMPARE_SWAP:
			last = (T)(gshmem_atomic_compare_swap(dest, last, (T)(last + 1), pe) + 1);
			break;
		default:
			last = gshmem_atomic_swap(dest, (T)(i + 1 + (last < 0)), pe);
			break;
		}
	gshmem_quiet();
}

template <int OP, typename T>
__global__ void amo_kernel(T *dest, int pe, size_t reps, int meet, uint64_t *ticks)
{
	if (meet)
		gshmem_barrier_all();
	const uint64_t started = gshmemi_arch_clock_ns();
	amo_many<OP, T>(dest, pe, reps);
	bench_stop(ticks, started);
}

/* The rows of one operation, from a kernel thread and from the host, on a word that starts at 0. */
template <int OP, typename T>
static void amo_rows(
	const char *op, T *dest, const std::vector<int> &raw, const std::vector<bench_run> &on_device)
{
	const int last_pe = bench.npes - 1;
	double done = 0; /* by all PEs, or swap's last value */

	for (int nactive = 1; nactive <= bench.npes; nactive += bench.npes - 1) {
		if (bench_wants_active(nactive) && bench_wants("thread"))
			bench_measure({op, "thread", sizeof(T), nactive, raw, false, 0, on_device},
				[&](size_t reps) {
					done = OP == AMO_SWAP ? reps : done + reps;
					hipLaunchKernelGGL(HIP_KERNEL_NAME(amo_kernel<OP, T>), dim3(1),
						dim3(1), 0, 0, dest, last_pe, reps, nactive > 1, bench.ticks);
					return bench_kernel_us();
				});
		if (bench_wants_active(nactive) && bench_wants("host"))
			bench_measure({op, "host", sizeof(T), nactive, raw, false, 0}, [&](size_t reps) {
				done = OP == AMO_SWAP ? reps : done + reps;
				if (nactive > 1)
					gshmem_barrier_all();
				const double started = bench_start();
				amo_many<OP, T>(dest, last_pe, reps);
				return bench_now_us() - started;
			});
	}
	MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_DOUBLE, OP == AMO_SWAP ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
	if (bench.pe == last_pe) {
		T value;

		bench_read(&value, dest, sizeof value);
		t_equal((long)value, (long)done, op);
	}
}

/* Starts the bench, checks the number of PEs, and returns 16 zeroed words of 8 bytes. */
static inline long *amo_start(int argc, char **argv, const char *name)
{
	bench_init(argc, argv, name);
	if (bench.npes < 2)
		bench_needs(2);
	long *words = (long *)gshmem_calloc(16, sizeof(long));

	t_check(words, "%s: the heap is too small", name);
	return words;
}

template <int OP> static int amo_main(int argc, char **argv, const char *name, const char *op)
{
	long *words = amo_start(argc, argv, name);
	const int first_raw = OP == AMO_FETCH_ADD ? 0 : 2;
	const std::vector<int> raw = bench_raw_start("atomic")
		? std::vector<int>{first_raw, first_raw + (OP == AMO_ADD)}
		: std::vector<int>{};

	amo_rows<OP, long>(op, words, raw,
		device_words(OP == AMO_FETCH_ADD ? DEVICE_FETCH_ADDS : DEVICE_ADDS,
			(long *)gshmem_ptr(words + 8, bench.npes - 1)));
	bench_finalize();
	return 0;
}

#endif /* BENCH_AMO_H */
