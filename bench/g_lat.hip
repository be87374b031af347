/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Latency of reading 8 bytes with gshmem_long_g, and with gshmem_long_get of one element, from a kernel
 * thread and from the host. Each address depends on the value just read. Raw: a volatile load that
 * depends on the previous one.
 */
#include "device.h"

enum { G, GET };

template <int OP> __host__ __device__ static inline long read_chain(const long *source, int pe, size_t reps)
{
	long at = 0;

	for (size_t i = 0; i < reps; i++) {
		if (OP == G)
			at = gshmem_long_g(&source[at], pe);
		else
			gshmem_long_get(&at, &source[at], 1, pe);
	}
	return at;
}

template <int OP>
__global__ void read_kernel(const long *source, int pe, size_t reps, int meet, long *last, uint64_t *ticks)
{
	if (meet)
		gshmem_barrier_all();
	const uint64_t started = gshmemi_arch_clock_ns();
	*last = read_chain<OP>(source, pe, reps);
	bench_stop(ticks, started);
}

template <int OP>
static void rows(const char *op, const long *source, long *last, const std::vector<int> &raw)
{
	const int peer = (bench.pe + 1) % bench.npes;
	const std::vector<bench_run> on_device = device_words(DEVICE_LOADS, (long *)gshmem_ptr(source, peer));

	for (int nactive = 1; nactive <= 2; nactive++) {
		if (bench_wants_active(nactive) && bench_wants("thread"))
			bench_measure({op, "thread", 8, nactive, raw, false, 0, on_device}, [&](size_t reps) {
				hipLaunchKernelGGL(read_kernel<OP>, dim3(1), dim3(1), 0, 0, source, peer,
					reps, nactive > 1, last, bench.ticks);
				const double us = bench_kernel_us();
				t_equal(bench_long(last), 0, op);
				return us;
			});
		if (bench_wants_active(nactive) && bench_wants("host"))
			bench_measure({op, "host", 8, nactive, raw, false, 0}, [&](size_t reps) {
				if (nactive > 1)
					gshmem_barrier_all();
				const double started = bench_start();
				t_equal(read_chain<OP>(source, peer, reps), 0, op);
				return bench_now_us() - started;
			});
	}
}

/* A cycle through 64 words. A chain that has read the right data ends where it began. */
static void check(long *source, long *last)
{
	long words[64];

	for (int i = 0; i < 64; i++)
		words[i] = (i * 5 + 3) % 64;
	bench_write(source, words, sizeof words);
	gshmem_barrier_all();
	hipLaunchKernelGGL(read_kernel<G>, dim3(1), dim3(1), 0, 0, source, (bench.pe + 1) % bench.npes,
		(size_t)10, 0, last, bench.ticks);
	bench_kernel_us();
	long at = 0;
	for (int i = 0; i < 10; i++)
		at = words[at];
	t_equal(bench_long(last), at, "g_lat: end of the chain");
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "g_lat");
	bench_needs(2);
	long *source = (long *)gshmem_calloc(64, sizeof(long)), *last = (long *)gshmem_malloc(sizeof(long));
	const std::vector<int> raw = bench_raw_start("load") ? std::vector<int>{0, 1} : std::vector<int>{};

	rows<G>("g_lat", source, last, raw);
	rows<GET>("get1_lat", source, last, raw);
	bench_max(0);
	check(source, last);
	bench_finalize();
	return 0;
}
