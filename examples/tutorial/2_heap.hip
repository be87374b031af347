/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Step 2 of docs/tutorial.md: the cells are in the symmetric heap, so the host puts a border row from
 * its GPU's memory into the neighbour's. No host buffers, and no receive.
 */
#include <gshmem.h>
#include "plate.h"

__global__ static void spread(block_t *cell, int step)
{
	update_row(cell[(step + 1) & 1], cell[step & 1], 1 + blockIdx.x); /* a work-group for each row */
}

int main()
{
	gshmem_init();
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes(), above = pe - 1, below = pe + 1;
	block_t *cell = (block_t *)gshmem_malloc(2 * sizeof(block_t));

	if (!cell)
		return 1; /* on all PEs; the library has said why */
	fill(cell[0], ROWS, pe * ROWS, 0);
	gshmem_barrier_all(); /* no PE puts into a halo that its owner has yet to fill */

	for (int step = 0; step < NSTEPS; step++) {
		row_t *to = cell[(step + 1) & 1];

		hipLaunchKernelGGL(spread, dim3(ROWS), dim3(NTHREADS), 0, 0, cell, step);
		check(hipDeviceSynchronize());
		if (above >= 0)
			gshmem_double_put(&to[ROWS + 1][1], &to[1][1], COLUMNS, above);
		if (below < npes)
			gshmem_double_put(&to[0][1], &to[ROWS][1], COLUMNS, below);
		gshmem_barrier_all();
	}

	const int status = report(cell[NSTEPS & 1], pe, npes);
	gshmem_free(cell);
	gshmem_finalize();
	return status;
}
