/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Step 4 of docs/tutorial.md: one kernel makes all time steps, and calls the barrier itself. It has one
 * work-group, because a PE takes part in a barrier once.
 */
#include <gshmem.h>
#include "plate.h"

__global__ static void spread(block_t *cell)
{
	const int above = gshmem_my_pe() - 1, below = gshmem_my_pe() + 1;

	for (int step = 0; step < NSTEPS; step++) {
		row_t *to = cell[(step + 1) & 1];

		for (int i = 1; i <= ROWS; i++)
			update_row(to, cell[step & 1], i);
		if (above >= 0)
			gshmemx_double_put_wg(&to[ROWS + 1][1], &to[1][1], COLUMNS, above);
		if (below < gshmem_n_pes())
			gshmemx_double_put_wg(&to[0][1], &to[ROWS][1], COLUMNS, below);
		gshmemx_barrier_all_wg();
	}
}

int main()
{
	gshmem_init();
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes();
	block_t *cell = (block_t *)gshmem_malloc(2 * sizeof(block_t));

	if (!cell)
		return 1; /* on all PEs; the library has said why */
	fill(cell[0], ROWS, pe * ROWS, 0);
	gshmem_barrier_all(); /* no PE puts into a halo that its owner has yet to fill */

	hipLaunchKernelGGL(spread, dim3(1), dim3(NTHREADS), 0, 0, cell);
	check(hipDeviceSynchronize());

	const int status = report(cell[NSTEPS & 1], pe, npes);
	gshmem_free(cell);
	gshmem_finalize();
	return status;
}
