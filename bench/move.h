/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk copies between two PEs: the body of put_lat, put_bw, put_mr, get_lat and get_bw. First PE 0 works
 * alone, then both PEs work towards each other. A loop in a kernel (or on the host) repeats one copy between
 * the same two buffers. The raw side is memcpy between the same kind of mappings; on a GPU it is a copy by
 * as many threads, or by the copy engine where ours is the host's.
 *
 *   bw   copies one after the other, one quiet at the end
 *   mr   the same in windows of 64 copies, each with a quiet at its end
 *   lat  each put is followed by a quiet; each get by a use of its data, before the next one starts
 *
 * A work-group's latency is also compared with that of one thread between two __syncthreads.
 */
#ifndef BENCH_MOVE_H
#define BENCH_MOVE_H

#include "device.h"

/* Bits of OP. The first two are the numbers of raw/copy's variants, too. */
enum { MOVE_GET = 1, MOVE_LAT = 2, MOVE_MR = 4 };
#define MOVE_WINDOW 64

template <int OP, int SCOPE>
__host__ __device__ static inline void move_one(char *dest, const char *source, size_t nbytes, int pe)
{
	if (OP & MOVE_GET) {
		if (SCOPE == BENCH_WAVE)
			gshmemx_getmem_wave(dest, source, nbytes, pe);
		else if (SCOPE == BENCH_WG)
			gshmemx_getmem_wg(dest, source, nbytes, pe);
		else
			gshmem_getmem(dest, source, nbytes, pe);
	} else {
		if (SCOPE == BENCH_WAVE)
			gshmemx_putmem_wave(dest, source, nbytes, pe);
		else if (SCOPE == BENCH_WG)
			gshmemx_putmem_wg(dest, source, nbytes, pe);
		else
			gshmem_putmem(dest, source, nbytes, pe);
	}
}

template <int SCOPE> __host__ __device__ static inline void move_quiet()
{
	if (SCOPE == BENCH_WAVE)
		gshmemx_quiet_wave();
	else if (SCOPE == BENCH_WG)
		gshmemx_quiet_wg();
	else
		gshmem_quiet();
}

template <int OP, int SCOPE>
__host__ __device__ static inline void move_many(
	char *dest, const char *source, size_t nbytes, int pe, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		move_one<OP, SCOPE>(dest, source, nbytes, pe);
		if (OP == MOVE_LAT || (OP == MOVE_MR && i % MOVE_WINDOW == MOVE_WINDOW - 1))
			move_quiet<SCOPE>();
		else if (OP == (MOVE_LAT | MOVE_GET) &&
			SCOPE != BENCH_HOST)              /* the CPU cannot read dest everywhere */
			source += *(volatile char *)dest; /* which is 0 */
		BENCH_KEEP();
	}
	move_quiet<SCOPE>();
}

template <int OP, int SCOPE>
__global__ void move_kernel(
	char *dest, const char *source, size_t nbytes, int pe, size_t reps, int meet, uint64_t *ticks)
{
	if (meet && SCOPE == BENCH_THREAD)
		gshmem_barrier_all();
	if (meet && SCOPE == BENCH_WAVE)
		gshmemx_barrier_all_wave();
	if (meet && SCOPE == BENCH_WG)
		gshmemx_barrier_all_wg();
	const uint64_t started = gshmemi_arch_clock_ns();
	move_many<OP, SCOPE>(dest, source, nbytes, pe, reps);
	bench_stop(ticks, started);
}

template <int OP>
__global__ void move_meet_kernel(
	char *dest, const char *source, size_t nbytes, int pe, size_t reps, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();
	for (size_t i = 0; i < reps; i++) {
		__syncthreads();
		if (threadIdx.x == 0)
			move_many<OP, BENCH_THREAD>(dest, source, nbytes, pe, 1);
		__syncthreads();
	}
	bench_stop(ticks, started);
}

static char *move_dest, *move_source;

/* One direction, the smallest size. */
template <int OP> static void move_meet_row(const char *op)
{
	const int peer = (bench.pe + 1) % bench.npes;
	const size_t nbytes = bench.min_nbytes;
	const dim3 block(bench_nthreads(BENCH_WG));

	bench_measure_against({op, "wg", nbytes, 1, {}, false, 0},
		[&](size_t reps) {
			hipLaunchKernelGGL(HIP_KERNEL_NAME(move_kernel<OP, BENCH_WG>), dim3(1), block, 0, 0,
				move_dest, move_source, nbytes, peer, reps, 0, bench.ticks);
			return bench_kernel_us();
		},
		{[&](size_t reps) {
			hipLaunchKernelGGL(HIP_KERNEL_NAME(move_meet_kernel<OP>), dim3(1), block, 0, 0,
				move_dest, move_source, nbytes, peer, reps, bench.ticks);
			return bench_kernel_us();
		}});
}

/* A batch of PE 0's, or of all PEs. */
template <int OP, int SCOPE> static bench_run move_run(size_t nbytes, int nactive)
{
	const int peer = (bench.pe + 1) % bench.npes;

	return [=](size_t reps) {
		if (SCOPE == BENCH_HOST) {
			if (nactive > 1)
				gshmem_barrier_all();
			const double started = bench_start();
			move_many<OP, BENCH_HOST>(move_dest, move_source, nbytes, peer, reps);
			return bench_now_us() - started;
		}
		hipLaunchKernelGGL(HIP_KERNEL_NAME(move_kernel<OP, SCOPE>), dim3(1),
			dim3(bench_nthreads(SCOPE)), 0, 0, move_dest, move_source, nbytes, peer, reps,
			nactive > 1, bench.ticks);
		return bench_kernel_us();
	};
}

template <int OP, int SCOPE> static void move_row(const char *op, size_t nbytes, int nactive)
{
	const int peer = (bench.pe + 1) % bench.npes;
	std::vector<int> raw;

	if (bench.to_raw)
		raw.push_back(OP & MOVE_GET ? (OP & MOVE_LAT ? 3 : 1) : OP & MOVE_LAT ? 2 : 0);
	const bool get = OP & MOVE_GET;
	const std::vector<bench_run> copies = device_copies(get ? move_dest : gshmem_ptr(move_dest, peer),
		get ? gshmem_ptr(move_source, peer) : move_source, nbytes, SCOPE, OP & MOVE_LAT);

	bench_measure({op, bench_scope_names[SCOPE], nbytes, nactive, raw, !(OP & MOVE_LAT), 0, copies},
		move_run<OP, SCOPE>(nbytes, nactive));
}

template <int OP, int SCOPE> static void move_scope(const char *op)
{
	if (bench_wants(bench_scope_names[SCOPE]))
		for (int nactive = 1; nactive <= 2; nactive++)
			if (bench_wants_active(nactive))
				for (size_t nbytes : bench_sizes())
					move_row<OP, SCOPE>(op, nbytes, nactive);
}

/* The data, at the largest size: random bytes but for the first, which steers get_lat. */
template <int OP> static void move_check()
{
	const int peer = (bench.pe + 1) % bench.npes;
	std::vector<unsigned char> sent(bench.max_nbytes), got(bench.max_nbytes);
	unsigned seed;

	auto fill = [&](int pe) {
		seed = 1 + pe;
		for (size_t i = 0; i < sent.size(); i++)
			sent[i] = (seed = seed * 1664525 + 1013904223) >> 24;
	};
	fill(bench.pe);
	bench_write(move_source, sent.data(), sent.size());
	gshmem_barrier_all();
	hipLaunchKernelGGL(HIP_KERNEL_NAME(move_kernel<OP & MOVE_GET, BENCH_WG>), dim3(1), dim3(256), 0, 0,
		move_dest, move_source, sent.size(), peer, 1, 0, bench.ticks);
	bench_kernel_us();
	gshmem_barrier_all();
	fill(OP & MOVE_GET ? peer : (bench.pe + bench.npes - 1) % bench.npes);
	bench_read(got.data(), move_dest, got.size());
	t_check(sent == got, "%s: PE %d has other data than was sent", bench.name, bench.pe);
}

static void move_alloc()
{
	move_dest = (char *)gshmem_malloc(bench.max_nbytes);
	move_source = (char *)gshmem_malloc(bench.max_nbytes);
	t_check(move_dest && move_source, "%s: the heap is too small", bench.name);
	bench_fill(move_dest, 0, bench.max_nbytes);
	bench_fill(move_source, 0, bench.max_nbytes);
}

template <int OP> static int move_main(int argc, char **argv, const char *name)
{
	bench_init(argc, argv, name);
	bench_needs(2);
	move_alloc();
	bench_raw_start("copy");
	move_scope<OP, BENCH_THREAD>(name);
	move_scope<OP, BENCH_WAVE>(name);
	move_scope<OP, BENCH_WG>(name);
	if ((OP & MOVE_LAT) && bench_wants("wg") && bench_wants_active(1))
		move_meet_row<OP>(OP & MOVE_GET ? "get_meet_lat" : "put_meet_lat");
	move_scope<OP, BENCH_HOST>(name);
	bench_max(0);
	move_check<OP>();
	bench_finalize();
	return 0;
}

#endif /* BENCH_MOVE_H */
