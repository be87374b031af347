/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVSHMEM doing the work of bench/put_grid_bw and of the latency benches. tools/gpu-report compiles and runs
 * this where NVSHMEM is installed. Needs two PEs. Only PE 0 measures, with PE 1 as the target, except that both
 * bounce a signal and meet in barriers: nvshmem [ROUNDS], 1000 by default. Prints lines in the benches' form:
 * op  scope  bytes  pes  reps  min_us  median_us  max_us  GB_s
 */
#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, #call)

static void check(cudaError_t error, const char *call)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "nvshmem.cu: %s: %s\n", call, cudaGetErrorString(error));
	exit(1);
}

/* Each block moves its part, as in bench/put_grid_bw. */
__global__ static void put_grid(char *dest, const char *source, size_t nbytes, int pe, size_t reps)
{
	const size_t part = (nbytes / gridDim.x + 15) & ~(size_t)15;
	const size_t from = blockIdx.x * part < nbytes ? blockIdx.x * part : nbytes;
	const size_t n = from + part < nbytes ? part : nbytes - from;

	for (size_t i = 0; i < reps; i++)
		nvshmemx_putmem_block(dest + from, source + from, n, pe);
	if (threadIdx.x == 0)
		nvshmem_quiet();
}

__global__ static void get_grid(char *dest, const char *source, size_t nbytes, int pe, size_t reps)
{
	const size_t part = (nbytes / gridDim.x + 15) & ~(size_t)15;
	const size_t from = blockIdx.x * part < nbytes ? blockIdx.x * part : nbytes;
	const size_t n = from + part < nbytes ? part : nbytes - from;

	for (size_t i = 0; i < reps; i++)
		nvshmemx_getmem_block(dest + from, source + from, n, pe);
}

__global__ static void p_quiet(long *dest, int pe, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		nvshmem_long_p(dest, (long)i, pe);
		nvshmem_quiet();
	}
}

__global__ static void fetch_add(long *dest, int pe, size_t reps)
{
	long last = 0;

	for (size_t i = 0; i < reps; i++)
		last = nvshmem_long_atomic_fetch_add(dest, (last < 0) + 1, pe);
}

/* Each element read says which one is next: all are 0. */
__global__ static void get_one(const long *source, long *sink, int pe, size_t reps)
{
	long at = 0;

	for (size_t i = 0; i < reps; i++)
		at = nvshmem_long_g(source + at, pe);
	*sink = at;
}

/* Half a round trip each: PE 0 sends first. The signal counts up over all launches, from *count. */
__global__ static void bounce(
	long *dest, const long *source, uint64_t *signal, uint64_t *count, int me, int peer, size_t reps)
{
	uint64_t n = *count;

	for (size_t i = 0; i < reps / 2; i++) {
		n++;
		if (me == 0)
			nvshmem_putmem_signal(
				dest, source, sizeof *dest, signal, n, NVSHMEM_SIGNAL_SET, peer);
		nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, n);
		if (me == 1)
			nvshmem_putmem_signal(
				dest, source, sizeof *dest, signal, n, NVSHMEM_SIGNAL_SET, peer);
	}
	*count = n;
}

__global__ static void barriers(size_t reps)
{
	for (size_t i = 0; i < reps; i++)
		nvshmem_barrier_all();
}

/* prints: on the PE that measures. */
static bool prints;

template <typename F> static void row(const char *op, const char *scope, size_t nbytes, size_t reps, F launch)
{
	std::vector<double> us;
	cudaEvent_t began, ended;
	float ms;

	CHECK(cudaEventCreate(&began));
	CHECK(cudaEventCreate(&ended));
	for (int i = 0; i < 10; i++) {
		CHECK(cudaEventRecord(began));
		launch(reps);
		CHECK(cudaGetLastError());
		CHECK(cudaEventRecord(ended));
		CHECK(cudaEventSynchronize(ended));
		CHECK(cudaEventElapsedTime(&ms, began, ended));
		if (i) /* the first warms up */
			us.push_back(ms * 1e3 / (double)reps);
	}
	std::sort(us.begin(), us.end());
	if (prints)
		printf("%s\t%s\t%zu\t1\t%zu\t%.5g\t%.5g\t%.5g\t%.4g\n", op, scope, nbytes, reps, us.front(),
			us[us.size() / 2], us.back(), (double)nbytes / us[us.size() / 2] * 1e-3);
}

int main(int argc, char **argv)
{
	const size_t nrounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	const size_t nbytes = (size_t)64 << 20;
	int ndevices, ncus;

	CHECK(cudaGetDeviceCount(&ndevices));
	nvshmem_init();
	const int pe = nvshmem_my_pe(), npes = nvshmem_n_pes(), peer = (pe + 1) % npes;
	const int device = nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % ndevices;
	CHECK(cudaSetDevice(device));
	CHECK(cudaDeviceGetAttribute(&ncus, cudaDevAttrMultiProcessorCount, device));
	char *source = (char *)nvshmem_malloc(nbytes), *dest = (char *)nvshmem_malloc(nbytes);
	long *word = (long *)nvshmem_calloc(16, sizeof(long));
	if (!source || !dest || !word) {
		fprintf(stderr, "nvshmem.cu: not enough symmetric memory: raise NVSHMEM_SYMMETRIC_SIZE\n");
		return 1;
	}
	nvshmem_barrier_all();
	prints = pe == 0;
	if (pe == 0) {
		char op[64];

		for (int per_cu = 1; per_cu <= 8; per_cu *= 2) {
			snprintf(op, sizeof op, "nvshmem_put_%d", per_cu * ncus);
			row(op, "wg", nbytes, 20, [&](size_t reps) {
				put_grid<<<per_cu * ncus, 256>>>(dest, source, nbytes, peer, reps);
			});
			snprintf(op, sizeof op, "nvshmem_get_%d", per_cu * ncus);
			row(op, "wg", nbytes, 20, [&](size_t reps) {
				get_grid<<<per_cu * ncus, 256>>>(dest, source, nbytes, peer, reps);
			});
		}
		row("nvshmem_p_quiet_lat", "thread", 8, 1000,
			[&](size_t reps) { p_quiet<<<1, 1>>>(word, peer, reps); });
		row("nvshmem_fetch_add_lat", "thread", 8, 1000,
			[&](size_t reps) { fetch_add<<<1, 1>>>(word, peer, reps); });
		row("nvshmem_g_lat", "thread", 8, 1000,
			[&](size_t reps) { get_one<<<1, 1>>>(word + 8, word + 9, peer, reps); });
	}
	nvshmem_barrier_all();
	if (npes == 2) {
		uint64_t *signal = (uint64_t *)(word + 10), *count = (uint64_t *)(word + 11);

		row("nvshmem_put_signal_lat", "thread", 8, nrounds, [&](size_t reps) {
			bounce<<<1, 1>>>(word + 12, word + 13, signal, count, pe, peer, reps);
		});
		row("nvshmem_barrier_lat", "thread", 0, nrounds,
			[&](size_t reps) { barriers<<<1, 1>>>(reps); });
	}
	nvshmem_barrier_all();
	nvshmem_finalize();
	return 0;
}
