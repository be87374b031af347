/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -t 4000 */
/*
 * Carried operations of 8 bytes from the host: put and quiet, 16 puts and quiet, fetch_add, half a round trip
 * of put_signal. Raw: the same by MPI's one-sided calls. No limits.
 */
#include "amo.h"
#include "bounce.h"
#include "carry.h"

#define NPUTS 16

static double puts_us(char *dest, const char *source, int nputs, size_t reps)
{
	const double started = bench_start();

	for (size_t rep = 0; rep < reps; rep++) {
		for (int i = 0; i < nputs; i++)
			gshmem_putmem(dest + i * CARRY_STRIDE, source + i * CARRY_STRIDE, 8, 1);
		gshmem_quiet();
		BENCH_KEEP();
	}
	return bench_now_us() - started;
}

static void put_rows()
{
	char *dest = carry_alloc(NPUTS * CARRY_STRIDE, 20 + bench.pe);
	char *source = carry_alloc(NPUTS * CARRY_STRIDE, 10 + bench.pe);
	const bench_run one = carry_alone([=](size_t reps) { return puts_us(dest, source, 1, reps); });
	const bench_run many = carry_alone([=](size_t reps) { return puts_us(dest, source, NPUTS, reps); });

	carry_row("carry_put_lat", BENCH_HOST, 8, false, 0, one, carry_best_mpi("mpi_put", RMA_PUT, 8, 0));
	carry_row("carry_put16_mpi", BENCH_HOST, 8, false, 0, many,
		carry_best_mpi("mpi_put16", RMA_PUT16, 8, 0));
	carry_row("carry_put16_lat", BENCH_HOST, 8, false, 0, many, one);
	carry_check(dest, NPUTS, 8, CARRY_STRIDE, 10);
}

static void fetch_add_row()
{
	long *dest = (long *)carry_alloc(sizeof(long), 0);
	size_t ndone = 0;
	const bench_run ours = carry_alone([&](size_t reps) {
		ndone += reps;
		const double started = bench_start();
		amo_many<AMO_FETCH_ADD>(dest, 1, reps);
		return bench_now_us() - started;
	});

	carry_row("carry_fetch_add_lat", BENCH_HOST, 8, false, 0, ours,
		carry_best_mpi("mpi_fetch_add", RMA_FETCH_ADD, 8, 0));
	const double sum = bench_max((double)ndone);
	if (bench.pe == 1)
		t_equal(bench_long(dest), sum, "carry_host_lat: the word");
}

int main(int argc, char **argv)
{
	carry_init(argc, argv, "carry_host_lat");
	put_rows();
	fetch_add_row();
	bounce_setup();
	carry_row("carry_put_signal_lat", BENCH_HOST, 8, false, 0.5, bounce_us<BENCH_HOST>,
		carry_best_mpi("mpi_put_signal", RMA_BOUNCE, 8, 0.5));
	bounce_check();
	bench_finalize();
	return 0;
}
