/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Rate of 8-byte gshmem_long_p to neighbouring words, with one quiet at the end. Raw: stores and one fence.
 */
#include "device.h"

#define NWORDS 512

__host__ __device__ static inline void p_many(long *dest, int pe, size_t reps)
{
	for (size_t i = 0; i < reps; i++)
		gshmem_long_p(&dest[i % NWORDS], (long)i, pe);
	gshmem_quiet();
}

__global__ static void p_kernel(long *dest, int pe, size_t reps, int meet, uint64_t *ticks)
{
	if (meet)
		gshmem_barrier_all();
	const uint64_t started = gshmemi_arch_clock_ns();
	p_many(dest, pe, reps);
	bench_stop(ticks, started);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "p_rate");
	bench_needs(2);
	long *dest = (long *)gshmem_calloc(NWORDS + DEVICE_NWORDS, sizeof(long));
	const int peer = (bench.pe + 1) % bench.npes;
	const std::vector<int> raw = bench_raw_start("store") ? std::vector<int>{2, 3} : std::vector<int>{};
	const std::vector<bench_run> on_device =
		device_words(DEVICE_STORES, (long *)gshmem_ptr(dest + NWORDS, peer));
	size_t last = 0;

	for (int nactive = 1; nactive <= 2; nactive++) {
		if (bench_wants_active(nactive) && bench_wants("thread"))
			bench_measure(
				{"p_rate", "thread", 8, nactive, raw, true, 0, on_device}, [&](size_t reps) {
					hipLaunchKernelGGL(p_kernel, dim3(1), dim3(1), 0, 0, dest, peer,
						last = reps, nactive > 1, bench.ticks);
					return bench_kernel_us();
				});
		if (bench_wants_active(nactive) && bench_wants("host"))
			bench_measure({"p_rate", "host", 8, nactive, raw, true, 0}, [&](size_t reps) {
				if (nactive > 1)
					gshmem_barrier_all();
				const double started = bench_start();
				p_many(dest, peer, last = reps);
				return bench_now_us() - started;
			});
	}
	const long sent = (long)bench_max(bench.pe == 0 ? (double)last - 1 : 0);
	if (bench.pe == 1)
		t_equal(bench_long(&dest[sent % NWORDS]), sent, "p_rate: last value");
	bench_finalize();
	return 0;
}
