/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* args: -t 4000 */
/* Carried fetch_adds from a kernel, one after the other. Raw: MPI_Fetch_and_op and flush; no limit. */
#include "amo.h"
#include "carry.h"

int main(int argc, char **argv)
{
	carry_init(argc, argv, "carry_fetch_add_lat");
	long *dest = (long *)carry_alloc(sizeof(long), 0);
	size_t ndone = 0;
	const bench_run ours = carry_alone([&](size_t reps) {
		ndone += reps;
		hipLaunchKernelGGL(HIP_KERNEL_NAME(amo_kernel<AMO_FETCH_ADD, long>), dim3(1), dim3(1), 0, 0,
			dest, 1, reps, 0, bench.ticks);
		return bench_kernel_us();
	});

	carry_row("carry_fetch_add_lat", BENCH_THREAD, 8, false, 0, ours,
		carry_best_mpi("mpi_fetch_add", RMA_FETCH_ADD, 8, 0));
	const double sum = bench_max((double)ndone);
	if (bench.pe == 1)
		t_equal(bench_long(dest), sum, "carry_fetch_add_lat: the word");
	bench_finalize();
	return 0;
}
