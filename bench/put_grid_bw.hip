/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Bandwidth of a put by a whole GPU: each work-group puts its part with putmem_wg and ends with one quiet;
 * there are 1 to 8 work-groups per compute unit. Each repetition is a launch: a work-group that repeated its
 * own part would find it in the L2, where that holds the parts of all work-groups that are resident. Ours
 * alternates with the device's own copies: hipMemcpyAsync between two buffers of this PE's device, and
 * hipMemcpyPeerAsync to the peer's. PE 0 works alone while the others wait, so that PEs on one GPU do not
 * share its time.
 *
 *   put_grid_bw   the best number of work-groups; raw: the device-to-device copy
 *   peer_copy_bw  hipMemcpyPeerAsync to where the puts go; raw: the device-to-device copy
 *
 * If the PEs share a GPU, all of these are copies within one memory.
 */
#include "bench.h"

__global__ static void put_grid(char *dest, const char *source, size_t nbytes, int pe)
{
	/* Parts are multiples of 16 bytes; the last one takes the rest. */
	const size_t part = (nbytes / gridDim.x + 15) & ~(size_t)15;
	const size_t from = blockIdx.x * part < nbytes ? blockIdx.x * part : nbytes;
	const size_t n = from + part < nbytes ? part : nbytes - from;

	gshmemx_putmem_wg(dest + from, source + from, n, pe);
	gshmemx_quiet_wg();
}

static hipStream_t stream;
static hipEvent_t began, ended;

/* us that the work queued by submit takes. */
template <typename F> static double timed(F submit)
{
	float ms;

	bench_start();
	t_hip(hipEventRecord(began, stream));
	submit();
	t_hip(hipEventRecord(ended, stream));
	t_hip(hipEventSynchronize(ended));
	t_hip(hipEventElapsedTime(&ms, began, ended));
	return ms * 1e3;
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "put_grid_bw");
	const size_t nbytes = bench.max_nbytes;
	const int peer = (bench.pe + 1) % bench.npes;
	char *source = (char *)gshmem_malloc(nbytes), *dest = (char *)gshmem_malloc(nbytes);
	int device, ncus;
	char *here, *there;

	t_check(source && dest, "put_grid_bw: a heap of twice %zu bytes is needed", nbytes);
	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&ncus, hipDeviceAttributeMultiprocessorCount, device));
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	t_hip(hipEventCreate(&began));
	t_hip(hipEventCreate(&ended));
	t_hip(hipMalloc((void **)&here, nbytes));
	bench_fill(source, 1 + bench.pe, nbytes);
	bench_fill(dest, 0, nbytes);
	there = (char *)gshmem_ptr(dest, peer);
	t_check(there, "put_grid_bw: PE %d is not mapped", peer);
	gshmem_barrier_all();

	const bench_run copy = [&](size_t reps) {
		return timed([&] {
			for (size_t i = 0; i < reps; i++)
				t_hip(hipMemcpyAsync(here, source, nbytes, hipMemcpyDeviceToDevice, stream));
		});
	};
	/* The peer's memory is mapped here; the copy recognises it by its address. */
	const bench_run peer_copy = [&](size_t reps) {
		return timed([&] {
			for (size_t i = 0; i < reps; i++)
				t_hip(hipMemcpyPeerAsync(there, device, source, device, nbytes, stream));
		});
	};
	for (int per_cu = 1; per_cu <= 8; per_cu *= 2) {
		char op[64];

		snprintf(op, sizeof op, "put_grid_bw_%d", per_cu * ncus);
		bench_measure_against({op, "wg", nbytes, 1, {}, true, 0},
			[&](size_t reps) {
				return timed([&] {
					for (size_t i = 0; i < reps; i++)
						hipLaunchKernelGGL(put_grid, dim3(per_cu * ncus), dim3(256),
							0, stream, dest, source, nbytes, peer);
					t_hip(hipGetLastError());
				});
			},
			{copy});
	}
	bench_measure_against({"peer_copy_bw", "host", nbytes, 1, {}, true, 0}, peer_copy, {copy});

	gshmem_barrier_all();
	if (bench.pe == 1 % bench.npes) {
		std::vector<char> got(nbytes);

		bench_read(got.data(), dest, nbytes);
		t_check(std::count(got.begin(), got.end(), 1) == (long)nbytes,
			"put_grid_bw: other data than was sent");
	}
	bench_finalize();
	return 0;
}
