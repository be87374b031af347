/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Step 6 of docs/tutorial.md: the PEs form a grid, with a team for each row and each column of it. A
 * team knows a PE's neighbours, and finds the largest change of a cell, so that the program ends when
 * the plate is calm.
 */
#include "grid.h"

#define CALM 0.15 /* the largest change in a time step at which the program ends */

int main()
{
	gshmem_init();
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes();
	struct strip *strips = (struct strip *)gshmem_calloc(NSTRIPS, sizeof *strips);
	double *change = (double *)gshmem_malloc(NSTRIPS * NTHREADS * sizeof *change), largest, wanted;
	std::vector<double> changes(NSTRIPS * NTHREADS);
	gshmem_team_t row, column;
	int width = 1, nsteps = 0, nwrong = 0;

	for (int n = 1; n * n <= npes; n++)
		if (npes % n == 0)
			width = n; /* PEs in a row */
	if (!strips || !change ||
		gshmem_team_split_2d(GSHMEM_TEAM_WORLD, width, NULL, 0, &row, NULL, 0, &column))
		return 1; /* on all PEs; the library has said why */
	const int i0 = gshmem_team_my_pe(column) * ROWS, j0 = gshmem_team_my_pe(row) * COLUMNS;
	const int nrows = gshmem_team_n_pes(column) * ROWS, ncolumns = gshmem_team_n_pes(row) * COLUMNS;
	struct sides sides = {{neighbour(column, -1), neighbour(column, 1), /* above, below */
		neighbour(row, -1), neighbour(row, 1)}};                    /* left, right */

	for (int k = 0; k < NSTRIPS; k++)
		fill(strips[k].cell[0], HEIGHT, i0 + k * HEIGHT, j0);
	do {
		void *args[] = {&strips, &sides, &nsteps, &change};

		if (gshmemx_collective_launch(spread, dim3(NSTRIPS), dim3(NTHREADS), args, 0, NULL))
			return 1;
		check(hipDeviceSynchronize());
		nsteps += NSTEPS;
		/* The maximum over a row of the grid, then over the rows: over all PEs. */
		gshmem_double_max_reduce(row, change, change, NSTRIPS * NTHREADS);
		gshmem_double_max_reduce(column, change, change, NSTRIPS * NTHREADS);
		check(hipMemcpy(
			changes.data(), change, changes.size() * sizeof(double), hipMemcpyDeviceToHost));
		largest = *std::max_element(changes.begin(), changes.end());
	} while (largest > CALM);

	const std::vector<double> plate = solve(nrows, ncolumns, nsteps, &wanted);
	for (int k = 0; k < NSTRIPS; k++)
		nwrong +=
			count_wrong(strips[k].cell[nsteps & 1], HEIGHT, i0 + k * HEIGHT, j0, plate, ncolumns);
	printf("PE %d: after %d steps %d of %d cells are wrong, and the change, %.3f, is %s\n", pe, nsteps,
		nwrong, ROWS * COLUMNS, largest, largest == wanted ? "right" : "wrong");
	gshmem_team_destroy(row);
	gshmem_team_destroy(column);
	gshmem_free(change);
	gshmem_free(strips);
	gshmem_finalize();
	return nwrong || largest != wanted;
}
