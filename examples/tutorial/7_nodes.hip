/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/* env: GSHMEM_PES_PER_NODE=2 */
/* races: no */
/*
 * Step 7 of docs/tutorial.md: two nodes. Nothing has to change: the program of step 6 runs over nodes
 * as it is. This one lays the grid out by nodes, so that columns travel within a node, and rows between
 * nodes: a row is one piece of memory, a column one for each cell.
 */
#include "grid.h"

static void print_neighbour(const char *side, int pe, const void *symmetric)
{
	if (pe >= 0)
		printf("PE %d: %s is PE %d, reached %s\n", gshmem_my_pe(), side, pe,
			gshmem_ptr(symmetric, pe) ? "directly" : "over the network");
}

int main()
{
	gshmem_init();
	/* A row of the grid: the PEs that reach each other by loads and stores, those of a node. */
	const int pe = gshmem_my_pe(), width = gshmem_team_n_pes(GSHMEM_TEAM_SHARED);
	struct strip *strips = (struct strip *)gshmem_calloc(NSTRIPS, sizeof *strips);
	double *change = NULL;
	gshmem_team_t row, column;
	int first = 0, nwrong = 0;

	if (!strips || gshmem_team_split_2d(GSHMEM_TEAM_WORLD, width, NULL, 0, &row, NULL, 0, &column))
		return 1; /* on all PEs; the library has said why */
	const int i0 = gshmem_team_my_pe(column) * ROWS, j0 = gshmem_team_my_pe(row) * COLUMNS;
	const int nrows = gshmem_team_n_pes(column) * ROWS, ncolumns = gshmem_team_n_pes(row) * COLUMNS;
	struct sides sides = {{neighbour(column, -1), neighbour(column, 1), /* above, below */
		neighbour(row, -1), neighbour(row, 1)}};                    /* left, right */
	void *args[] = {&strips, &sides, &first, &change};

	print_neighbour("above", sides.pe[ABOVE], strips);
	print_neighbour("below", sides.pe[BELOW], strips);
	print_neighbour("to the left", sides.pe[LEFT], strips);
	print_neighbour("to the right", sides.pe[RIGHT], strips);
	for (int k = 0; k < NSTRIPS; k++)
		fill(strips[k].cell[0], HEIGHT, i0 + k * HEIGHT, j0);
	if (gshmemx_collective_launch(spread, dim3(NSTRIPS), dim3(NTHREADS), args, 0, NULL))
		return 1;
	check(hipDeviceSynchronize());

	const std::vector<double> plate = solve(nrows, ncolumns, NSTEPS);
	for (int k = 0; k < NSTRIPS; k++)
		nwrong +=
			count_wrong(strips[k].cell[NSTEPS & 1], HEIGHT, i0 + k * HEIGHT, j0, plate, ncolumns);
	printf("PE %d: after %d steps %d of %d cells are wrong\n", pe, NSTEPS, nwrong, ROWS * COLUMNS);
	gshmem_team_destroy(row);
	gshmem_team_destroy(column);
	gshmem_free(strips);
	gshmem_finalize();
	return nwrong != 0;
}
