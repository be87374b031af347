/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -b 1024:67108864 */
/*
 * Carried puts and gets of 1 KiB to 64 MiB, each followed by quiet, from a kernel thread and from the host.
 * The raw column is memcpy between two processes, to which the limit refers:
 *
 *   carry_put_bw        at the same place again and again
 *   carry_put_sweep_bw  from 1 MiB on, walks through 64 MiB, so that memory is measured and not caches
 *   carry_put_mpi_bw    the raw column is MPI_Put or MPI_Get and flush, not memcpy
 */
#include "carry.h"

#define SWEEP_FROM ((size_t)1 << 20)

struct bw_job {
	char *dest; /* symmetric */
	const char *source;
	size_t nbytes;
	size_t area; /* bytes to sweep over; nbytes or less: no sweep */
	int is_get;
};

__host__ __device__ static inline void bw_moves(struct bw_job job, size_t reps)
{
	size_t at = 0;

	for (size_t i = 0; i < reps; i++) {
		if (job.is_get)
			gshmem_getmem(job.dest + at, job.source + at, job.nbytes, 1);
		else
			gshmem_putmem(job.dest + at, job.source + at, job.nbytes, 1);
		gshmem_quiet();
		BENCH_KEEP();
		at = at + 2 * job.nbytes <= job.area ? at + job.nbytes : 0;
	}
}

__global__ static void bw_kernel(struct bw_job job, size_t reps, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();

	bw_moves(job, reps);
	bench_stop(ticks, started);
}

static char *dest, *source;

static bench_run moves(int scope, int is_get, size_t nbytes, size_t area)
{
	const struct bw_job job = {dest, source, nbytes, area, is_get};

	return carry_alone([=](size_t reps) {
		if (scope == BENCH_HOST) {
			const double started = bench_start();
			bw_moves(job, reps);
			return bench_now_us() - started;
		}
		hipLaunchKernelGGL(bw_kernel, dim3(1), dim3(1), 0, 0, job, reps, bench.ticks);
		return bench_kernel_us();
	});
}

static const char *const names[2][3] = {{"carry_put_bw", "carry_put_sweep_bw", "carry_put_mpi_bw"},
	{"carry_get_bw", "carry_get_sweep_bw", "carry_get_mpi_bw"}};

static void rows(int is_get, size_t nbytes)
{
	const bench_run mpi = carry_best_mpi(is_get ? "mpi_get" : "mpi_put", is_get ? RMA_GET : RMA_PUT,
		nbytes, 0, {RMA_ALLOCATE_INFO, RMA_CREATE_INFO});

	for (int scope : {BENCH_THREAD, BENCH_HOST}) {
		const bench_run ours = moves(scope, is_get, nbytes, nbytes);

		if (!bench_wants(bench_scope_names[scope]))
			continue;
		carry_row(names[is_get][0], scope, nbytes, true, 0, ours,
			carry_mpi(is_get ? RMA_COPY_FROM : RMA_COPY_TO, 0, nbytes));
		if (scope == BENCH_THREAD)
			carry_row(names[is_get][2], scope, nbytes, true, 0, ours, mpi);
		if (nbytes >= SWEEP_FROM)
			carry_row(names[is_get][1], scope, nbytes, true, 0,
				moves(scope, is_get, nbytes, RMA_MAX_NBYTES),
				carry_mpi(is_get ? RMA_SWEEP_FROM : RMA_SWEEP_TO, 0, nbytes));
	}
}

/* The host puts random bytes to PE 1 and a kernel gets them back, in the largest size. */
static void check()
{
	std::vector<unsigned char> sent(bench.max_nbytes), got(bench.max_nbytes);
	unsigned seed = 1;

	for (size_t i = 0; i < sent.size(); i++)
		sent[i] = (seed = seed * 1664525 + 1013904223) >> 24;
	gshmem_barrier_all();
	if (bench.pe == 0) {
		bench_write(source, sent.data(), sent.size());
		moves(BENCH_HOST, 0, sent.size(), 0)(1); /* PE 0's source to PE 1's dest */
		hipLaunchKernelGGL(bw_kernel, dim3(1), dim3(1), 0, 0, bw_job{source, dest, sent.size(), 0, 1},
			1, bench.ticks);
		bench_kernel_us();
		bench_read(got.data(), source, got.size());
		t_check(sent == got, "carry_bw: other data came back than were sent");
	}
	gshmem_barrier_all();
	bench_read(got.data(), dest, got.size());
	t_check(bench.pe == 0 || sent == got, "carry_bw: PE 1 has other data than were sent");
}

int main(int argc, char **argv)
{
	carry_init(argc, argv, "carry_bw");
	dest = carry_alloc(RMA_MAX_NBYTES, 0);
	source = carry_alloc(RMA_MAX_NBYTES, 1);
	for (int is_get = 0; is_get < 2; is_get++)
		for (size_t nbytes = bench.min_nbytes; nbytes <= bench.max_nbytes; nbytes *= 4)
			rows(is_get, nbytes);
	check();
	bench_finalize();
	return 0;
}
