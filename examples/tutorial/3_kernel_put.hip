/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Step 3 of docs/tutorial.md: the kernel puts its border rows by itself. The host still launches a
 * kernel for each time step, and calls the barrier in between.
 */
#include <gshmem.h>
#include "plate.h"

__global__ static void spread(block_t *cell, int step)
{
	const int above = gshmem_my_pe() - 1, below = gshmem_my_pe() + 1, i = 1 + blockIdx.x;
	row_t *to = cell[(step + 1) & 1];

	update_row(to, cell[step & 1], i);
	if (i == 1 && above >= 0)
		gshmemx_double_put_wg(&to[ROWS + 1][1], &to[1][1], COLUMNS, above);
	if (i == ROWS && below < gshmem_n_pes())
		gshmemx_double_put_wg(&to[0][1], &to[ROWS][1], COLUMNS, below);
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

	for (int step = 0; step < NSTEPS; step++) {
		hipLaunchKernelGGL(spread, dim3(ROWS), dim3(NTHREADS), 0, 0, cell, step);
		check(hipDeviceSynchronize()); /* the barrier completes the puts of kernels that have ended */
		gshmem_barrier_all();
	}

	const int status = report(cell[NSTEPS & 1], pe, npes);
	gshmem_free(cell);
	gshmem_finalize();
	return status;
}
