/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw side of a GPU: what the device does without the library, on the addresses that gshmem_ptr returns.
 * That is kernels of the same shape as ours with plain loads, stores and HIP's atomics, and the copy engine.
 * There is no raw side where gshmem_ptr returns NULL. On the cpu platform bench_measure uses raw/ instead.
 */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "bench.h"

struct alignas(16) device_word {
	uint64_t half[2];
};

/* Thread rank of size copies 16 bytes per turn, four turns at a time, then the rest. */
__device__ static inline void device_copy(
	char *dest, const char *source, size_t nbytes, size_t rank, size_t size)
{
	struct device_word *d = (struct device_word *)dest;
	const struct device_word *s = (const struct device_word *)source;
	const size_t nwords = nbytes / sizeof *d;
	size_t i = rank;

	for (; i + 3 * size < nwords; i += 4 * size) {
		const struct device_word a = s[i], b = s[i + size], c = s[i + 2 * size], e = s[i + 3 * size];

		d[i] = a;
		d[i + size] = b;
		d[i + 2 * size] = c;
		d[i + 3 * size] = e;
	}
	for (; i < nwords; i += size)
		d[i] = s[i];
	for (i = nwords * sizeof *d + rank; i < nbytes; i += size)
		dest[i] = source[i];
}

/* One work-group, or part of it. lat: each copy is completed, or its data read, before the next one. */
__global__ static void __launch_bounds__(256) device_copy_kernel(
	char *dest, const char *source, size_t nbytes, size_t reps, int lat, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();

	for (size_t i = 0; i < reps; i++) {
		device_copy(dest, source, nbytes, threadIdx.x, blockDim.x);
		if (lat) {
			__threadfence_system();
			__syncthreads();
			source += *(volatile char *)dest; /* which is 0 */
		}
		BENCH_KEEP();
	}
	__threadfence_system();
	__syncthreads();
	bench_stop(ticks, started);
}

/* Queue copies for the copy engine and wait for the last; lat: wait for each. */
static inline double device_engine_us(void *dest, const void *source, size_t nbytes, size_t reps, bool lat)
{
	const double started = bench_start();

	for (size_t i = 0; i < reps; i++) {
		t_hip(hipMemcpyAsync(dest, source, nbytes, hipMemcpyDeviceToDevice, 0));
		if (lat)
			t_hip(hipStreamSynchronize(0));
	}
	t_hip(hipStreamSynchronize(0));
	return bench_now_us() - started;
}

/* The copies with which a call of this scope is compared. Either end may be a peer's memory. */
static inline std::vector<bench_run> device_copies(
	void *dest, const void *source, size_t nbytes, int scope, bool lat)
{
	std::vector<bench_run> runs;

	if (!dest || !source)
		return runs;
	if (scope != BENCH_HOST)
		runs.push_back([=](size_t reps) {
			hipLaunchKernelGGL(device_copy_kernel, dim3(1), dim3(bench_nthreads(scope)), 0, 0,
				(char *)dest, (const char *)source, nbytes, reps, lat, bench.ticks);
			return bench_kernel_us();
		});
	else
		runs.push_back(
			[=](size_t reps) { return device_engine_us(dest, source, nbytes, reps, lat); });
	return runs;
}

/* Operations on words by one thread. */
enum { DEVICE_STORE_FENCE, DEVICE_STORES, DEVICE_LOADS, DEVICE_FETCH_ADDS, DEVICE_ADDS };
#define DEVICE_NWORDS 512

/*
 * The stores are volatile: compilers drop the wait of __threadfence_system() if
 * they see no store to wait for.
 */
__global__ static void device_words_kernel(int op, long *words, size_t reps, long *last_p, uint64_t *ticks)
{
	volatile long *at = words;
	long last = 0;
	const uint64_t started = gshmemi_arch_clock_ns();

	for (size_t i = 0; i < reps; i++)
		switch (op) {
		case DEVICE_STORE_FENCE:
			at[0] = (long)i;
			gshmemi_arch_fence_system();
			break;
		case DEVICE_STORES:
			at[i % DEVICE_NWORDS] = (long)i;
			break;
		case DEVICE_LOADS:
			last = at[last];
			break;
		case DEVICE_FETCH_ADDS:
			last = (long)atomicAdd_system(
				(unsigned long long *)words, (unsigned long long)((last < 0) + 1));
			break;
		default:
			atomicAdd_system((unsigned long long *)words, 1ULL);
			break;
		}
	gshmemi_arch_fence_system();
	*last_p = last;
	bench_stop(ticks, started);
}

/* words are the peer's; DEVICE_LOADS needs zeros there. */
static inline std::vector<bench_run> device_words(int op, long *words)
{
	static long *last;

	if (!words)
		return {};
	if (!last)
		t_hip(hipMalloc((void **)&last, sizeof *last));
	return {[=](size_t reps) {
		hipLaunchKernelGGL(
			device_words_kernel, dim3(1), dim3(1), 0, 0, op, words, reps, last, bench.ticks);
		return bench_kernel_us();
	}};
}

#endif /* BENCH_DEVICE_H */
