/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -t 20000 -p free */
/*
 * Operations of PE 0 on PE 1, which is on another node, against MPI's one-sided calls in the same processes.
 * The second half of each line is the raw side:
 *
 *   net_put_lat        8-byte put and quiet; MPI_Put and flush (for a kernel, plus one call to the CPU)
 *   net_fetch_add_lat  fetch_add from a kernel; MPI_Fetch_and_op and flush, plus one call to the CPU
 *   net_put16_lat      16 puts and quiet; one put and quiet
 *   net_put_rate       8-byte puts by a thread or a wave, one quiet at the end; MPI_Puts and one flush
 *   net_put_bw         put and quiet; MPI_Put and flush
 *   net_put_tcp_bw     put and quiet; a message over TCP and its answer (tcp.h)
 *   net_put_signal_lat half a round trip between kernels; half of MPI_Put, flush, MPI_Put of a flag, flush
 *   net_behind_lat     put_signal while another block of PE 0 has 64 MiB of puts in flight; without these
 *   net_barrier_lat, net_sum_lat, net_alltoall_lat   MPI's collective; the only rows with more than 2 PEs
 *
 * MPI runs at the thread level that gshmem asks for; a separate process would not pay for that. PE 1 is
 * inside MPI while PE 0 makes MPI's calls, and calls MPI_Test now and then while PE 0 makes ours.
 */
#include "bounce.h"
#include "carry.h"
#include "tcp.h"

#define BULK_NBYTES ((size_t)64 << 20) /* in flight while the signals bounce */
#define NBULK       4                  /* in so many puts */

static char *dest, *source;
static char *mpi_source, *mpi_dest;
static MPI_Win win;

/* Made by each of nlanes lanes. */
__host__ __device__ static inline void puts_many(
	char *to, const char *from, size_t nbytes, size_t nputs, size_t reps, size_t lane, size_t nlanes)
{
	for (size_t rep = 0; rep < reps; rep++) {
		for (size_t i = lane; i < nputs; i += nlanes)
			gshmem_putmem(to + i % 64 * CARRY_STRIDE, from + i % 64 * CARRY_STRIDE, nbytes, 1);
		if (nlanes > 1)
			gshmemx_quiet_wave();
		else
			gshmem_quiet();
	}
}

__global__ static void puts_kernel(
	char *to, const char *from, size_t nbytes, size_t nputs, size_t reps, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();

	puts_many(to, from, nbytes, nputs, reps, threadIdx.x, blockDim.x);
	bench_stop(ticks, started);
}

__global__ static void fetch_add_kernel(long *to, size_t reps, uint64_t *ticks)
{
	const uint64_t started = gshmemi_arch_clock_ns();

	for (size_t i = 0; i < reps; i++)
		gshmem_long_atomic_fetch_add(to, 1, 1);
	bench_stop(ticks, started);
}

static bench_run puts(int scope, size_t nbytes, size_t nputs)
{
	return carry_alone([=](size_t reps) {
		if (scope == BENCH_HOST) {
			const double started = bench_start();
			puts_many(dest, source, nbytes, nputs, reps, 0, 1);
			return bench_now_us() - started;
		}
		hipLaunchKernelGGL(puts_kernel, dim3(1), dim3(scope == BENCH_WAVE ? bench.wave_width : 1), 0,
			0, dest, source, nbytes, nputs, reps, bench.ticks);
		return bench_kernel_us();
	});
}

/* A batch of PE 0's. PE 1 is inside MPI all the time, because MPI performs puts in the target's calls. */
static bench_run mpi_alone(const bench_run &run)
{
	return [=](size_t reps) {
		double us = 0;

		if (bench.pe == 0) {
			us = run(reps);
			MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		} else {
			MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		return us;
	};
}

static bench_run mpi_puts(size_t nbytes, size_t nputs)
{
	return mpi_alone([=](size_t reps) {
		const double started = bench_start();
		for (size_t rep = 0; rep < reps; rep++) {
			for (size_t i = 0; i < nputs; i++)
				MPI_Put(mpi_source + i % 16 * CARRY_STRIDE, (int)nbytes, MPI_BYTE, 1,
					i % 16 * CARRY_STRIDE, (int)nbytes, MPI_BYTE, win);
			MPI_Win_flush(1, win);
		}
		return bench_now_us() - started;
	});
}

static double fetch_add_us(size_t reps)
{
	hipLaunchKernelGGL(fetch_add_kernel, dim3(1), dim3(1), 0, 0, (long *)dest, reps, bench.ticks);
	return bench_kernel_us();
}

static double mpi_fetch_add_us(size_t reps)
{
	const double started = bench_start();
	const int64_t one = 1;
	int64_t old;

	for (size_t i = 0; i < reps; i++) {
		MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 1, 0, MPI_SUM, win);
		MPI_Win_flush(1, win);
	}
	return bench_now_us() - started;
}

/* Both ranks: put 8 bytes and a flag to the other, which polls its memory. */
static double mpi_bounce_us(size_t reps)
{
	static uint64_t n;
	uint64_t *out = (uint64_t *)mpi_source, *in = (uint64_t *)mpi_dest;
	const double started = bench_start();
	int flag;

	for (size_t i = 0; i < 2 * reps; i++) {
		if (i % 2 == (size_t)bench.pe) {
			out[2] = out[3] = n + i / 2 + 1;
			for (int at = 3; at >= 2; at--) {
				MPI_Put(out + at, 8, MPI_BYTE, 1 - bench.pe, at * 8, 8, MPI_BYTE, win);
				MPI_Win_flush(1 - bench.pe, win);
			}
		} else {
			while (__atomic_load_n(in + 2, __ATOMIC_ACQUIRE) != n + i / 2 + 1)
				MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
			t_equal(in[3], n + i / 2 + 1, "net_rma: MPI's data behind its flag");
		}
	}
	n += reps;
	return bench_now_us() - started;
}

/*
 * Block 0 bounces. Block 1, which only PE 0 has, starts NBULK puts and waits for them, again and again, until
 * block 0 has its last answer. flags: the first puts have started; block 1 may end.
 */
__global__ static void behind_kernel(struct mail *box, const long *data, uint64_t first, size_t reps,
	char *to, const char *from, int *flags, uint64_t *ticks)
{
	if (blockIdx.x == 1) {
		do {
			for (int i = 0; i < NBULK; i++)
				gshmem_putmem_nbi(to, from, BULK_NBYTES / NBULK, 1);
			gshmem_int_atomic_set(&flags[0], 1, 0);
			gshmem_quiet();
		} while (!gshmem_int_atomic_fetch(&flags[1], 0));
		return;
	}
	if (gridDim.x > 1)
		gshmem_int_wait_until(&flags[0], GSHMEM_CMP_NE, 0);
	bounce<BENCH_THREAD>(box, data, first, 1); /* which is where the two PEs meet */
	const uint64_t started = gshmemi_arch_clock_ns();
	bounce<BENCH_THREAD>(box, data, first + 1, reps);
	bench_stop(ticks, started);
	if (gridDim.x > 1)
		gshmem_int_atomic_set(&flags[1], 1, 0);
}

/* Both PEs: a batch of round trips while bulk is in flight. */
static double behind_us(size_t reps)
{
	static int *flags;
	const uint64_t first = bounce_next;

	bounce_next += reps + 1;
	if (!flags)
		flags = (int *)gshmem_malloc(2 * sizeof *flags);
	t_check(flags, "%s: the heap is too small", bench.name);
	bench_fill(flags, 0, 2 * sizeof *flags);
	hipLaunchKernelGGL(behind_kernel, dim3(bench.pe == 0 ? 2 : 1), dim3(1), 0, 0, bounce_box, bounce_data,
		first, reps, dest, source, flags, bench.ticks);
	return bench_kernel_us();
}

static bench_run plus(const bench_run &a, const bench_run &b)
{
	return [=](size_t reps) { return a(reps) + b(reps); };
}

/* Operations of PE 0 on PE 1, in jobs of two PEs. */
static void pair_rows(size_t win_nbytes)
{
	const bench_run mpi = mpi_puts(8, 1), rpc = carry_rpc(), one = puts(BENCH_HOST, 8, 1);

	MPI_Win_create(mpi_dest, win_nbytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	bounce_setup();
	carry_row("net_put_lat", BENCH_HOST, 8, false, 0, one, mpi);
	carry_row("net_put_lat", BENCH_THREAD, 8, false, 0, puts(BENCH_THREAD, 8, 1), plus(mpi, rpc));
	carry_row("net_put16_lat", BENCH_HOST, 8, false, 0, puts(BENCH_HOST, 8, 16), one);
	carry_row("net_put_rate", BENCH_HOST, 8, true, 1.0 / 512, puts(BENCH_HOST, 8, 512), mpi_puts(8, 512));
	carry_row("net_put_rate", BENCH_THREAD, 8, true, 1.0 / 512, puts(BENCH_THREAD, 8, 512),
		mpi_puts(8, 512));
	carry_row("net_put_rate", BENCH_WAVE, 8, true, 1.0 / 512, puts(BENCH_WAVE, 8, 512), mpi_puts(8, 512));
	carry_row("net_fetch_add_lat", BENCH_THREAD, 8, false, 0, carry_alone(fetch_add_us),
		plus(mpi_alone(mpi_fetch_add_us), rpc));
	carry_row("net_put_signal_lat", BENCH_THREAD, 8, false, 0.5, bounce_us<BENCH_THREAD>, mpi_bounce_us);
	bench.batch_us *= 10; /* about as long as 64 MiB take */
	carry_row("net_behind_lat", BENCH_THREAD, 8, false, 0.5, behind_us, bounce_us<BENCH_THREAD>);
	bench.batch_us /= 10;
	for (size_t nbytes = 64 << 10; nbytes <= 16 << 20; nbytes *= 16)
		carry_row("net_put_bw", BENCH_HOST, nbytes, true, 0, puts(BENCH_HOST, nbytes, 1),
			mpi_puts(nbytes, 1));
	if (tcp_open())
		for (size_t nbytes = 64 << 10; nbytes <= 16 << 20; nbytes *= 16)
			carry_row("net_put_tcp_bw", BENCH_HOST, nbytes, true, 0, puts(BENCH_HOST, nbytes, 1),
				tcp_puts(mpi_dest, mpi_source, nbytes));
	tcp_close();
	bounce_check();
	carry_check(dest, 1, 16 << 20, 16 << 20, 10);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
}

template <class CALL> static bench_run timed(const CALL &call)
{
	return [=](size_t reps) {
		const double started = bench_start();
		for (size_t i = 0; i < reps; i++)
			call();
		return bench_now_us() - started;
	};
}

/* A row of a collective that all PEs take part in. */
static void collective_row(const char *op, size_t nbytes, const bench_run &ours, const bench_run &mpi)
{
	bench_measure_against({op, "host", nbytes, bench.npes, {}, false, 0}, ours, {mpi});
}

static void collective_rows()
{
	float *d = (float *)dest, *s = (float *)source;
	void *to = mpi_dest, *from = mpi_source;

	bench_fill(source, 0, 8 << 20);
	collective_row("net_barrier_lat", 0, timed([] { gshmem_barrier_all(); }),
		timed([] { MPI_Barrier(MPI_COMM_WORLD); }));
	for (size_t nbytes : {8, 64, 512, 4096, 32768, 262144, 4194304}) {
		const size_t n = nbytes / sizeof(float);

		collective_row("net_sum_lat", nbytes,
			timed([=] { gshmem_float_sum_reduce(GSHMEM_TEAM_WORLD, d, s, n); }),
			timed([=] { MPI_Allreduce(from, to, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }));
		collective_row("net_alltoall_lat", nbytes,
			timed([=] { gshmem_float_alltoall(GSHMEM_TEAM_WORLD, d, s, n); }), timed([=] {
				MPI_Alltoall(from, (int)n, MPI_FLOAT, to, (int)n, MPI_FLOAT, MPI_COMM_WORLD);
			}));
	}
}

int main(int argc, char **argv)
{
	size_t nbytes;

	bench_init(argc, argv, "net_rma");
	nbytes = std::max(17, 4 * bench.npes) << 20;
	bench.takes_turns = true;
	rpc_register();
	dest = carry_alloc(nbytes, 20 + bench.pe);
	source = carry_alloc(nbytes, 10 + bench.pe);
	mpi_source = (char *)calloc(1, nbytes);
	mpi_dest = (char *)calloc(1, nbytes);
	t_check(mpi_source && mpi_dest, "net_rma: no memory");
	/* if unwritten, all of it would map to one zero page, which is always in the cache */
	memset(mpi_source, 1, nbytes);
	if (bench.npes == 2)
		pair_rows(nbytes);
	collective_rows();
	free(mpi_source);
	free(mpi_dest);
	bench_finalize();
	return 0;
}
