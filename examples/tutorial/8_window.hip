/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Step 8 of docs/tutorial.md: step 1 again, in memory that the program already has. The cells stay in
 * memory of hipMalloc. A window opens them to the other PEs, so that the kernel puts its border rows;
 * fence takes the place of MPI_Sendrecv.
 */
#include <gshmemx_win.h>
#include "plate.h"

/* Where an element is in the window of any PE, in doubles. */
__device__ static inline ptrdiff_t place(const block_t *cell, const double *element)
{
	return element - &cell[0][0][0];
}

__global__ static void spread(gshmemx_win_t win, block_t *cell, int step)
{
	const int above = gshmem_my_pe() - 1, below = gshmem_my_pe() + 1, i = 1 + blockIdx.x;
	row_t *to = cell[(step + 1) & 1];

	update_row(to, cell[step & 1], i);
	if (i == 1 && above >= 0)
		gshmemx_win_double_put_wg(win, place(cell, &to[ROWS + 1][1]), &to[1][1], COLUMNS, above);
	if (i == ROWS && below < gshmem_n_pes())
		gshmemx_win_double_put_wg(win, place(cell, &to[0][1]), &to[ROWS][1], COLUMNS, below);
}

int main()
{
	gshmem_init();
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes();
	block_t *cell;
	gshmemx_win_t win;

	check(hipMalloc((void **)&cell, 2 * sizeof(block_t)));
	fill(cell[0], ROWS, pe * ROWS, 0);
	if (gshmemx_win_create(GSHMEM_TEAM_WORLD, cell, 2 * sizeof(block_t), sizeof(double), &win) ||
		gshmemx_win_fence(win, 0)) /* opens the first epoch */
		return 1;                  /* on all PEs; the library has said why */

	for (int step = 0; step < NSTEPS; step++) {
		hipLaunchKernelGGL(spread, dim3(ROWS), dim3(NTHREADS), 0, 0, win, cell, step);
		check(hipDeviceSynchronize());
		if (gshmemx_win_fence(win, 0)) /* completes the puts of all PEs */
			return 1;
	}

	const int status = report(cell[NSTEPS & 1], pe, npes);
	if (gshmemx_win_free(&win))
		return 1;
	check(hipFree(cell));
	gshmem_finalize();
	return status;
}
