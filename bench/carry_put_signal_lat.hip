/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -t 4000 */
/*
 * Half a round trip of a carried put_signal between kernels. Its limit: MPI_Put of the data, flush, MPI_Put
 * of a flag, flush, while the other rank polls the memory of its window.
 */
#include "bounce.h"
#include "carry.h"

int main(int argc, char **argv)
{
	carry_init(argc, argv, "carry_put_signal_lat");
	bounce_setup();
	const bench_run mpi = carry_best_mpi("mpi_put_signal", RMA_BOUNCE, 8, 0.5);

	carry_row("carry_put_signal_lat", BENCH_THREAD, 8, false, 0.5, bounce_us<BENCH_THREAD>, mpi);
	carry_row("carry_put_signal_lat", BENCH_WAVE, 8, false, 0.5, bounce_us<BENCH_WAVE>, mpi);
	bounce_check();
	bench_finalize();
	return 0;
}
