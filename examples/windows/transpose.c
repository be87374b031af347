/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3 */
/*
 * Transposes a matrix whose rows are shared out over the PEs: each PE puts the pieces of its rows into
 * columns of the others. MPI would describe a column by MPI_Type_vector.
 */
#include <gshmem.h>
#include <gshmemx_win.h>
#include <stdio.h>
#include <stdlib.h>

enum { NROWS = 8 }; /* of each PE */

int main(void)
{
	int me, npes, n, pe, row, column, nwrong = 0;
	double *rows, *seen;
	gshmemx_win_t win;
	void *memory;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	n = npes * NROWS;
	rows = malloc((size_t)(NROWS * n) * sizeof *rows);
	seen = malloc((size_t)(NROWS * n) * sizeof *seen);
	if (!rows || !seen)
		gshmem_global_exit(1);
	for (row = 0; row < NROWS; row++)
		for (column = 0; column < n; column++)
			rows[row * n + column] = 1000 * (me * NROWS + row) + column;

	gshmemx_win_allocate(
		GSHMEM_TEAM_WORLD, (size_t)(NROWS * n) * sizeof(double), sizeof(double), &memory, &win);
	gshmemx_win_fence(win, GSHMEMX_MODE_NOPRECEDE);
	for (pe = 0; pe < npes; pe++)
		for (row = 0; row < NROWS; row++)
			gshmemx_win_double_iput(
				win, me * NROWS + row, &rows[row * n + pe * NROWS], n, 1, NROWS, pe);
	gshmemx_win_fence(win, 0);
	gshmemx_win_double_get(win, seen, 0, (size_t)(NROWS * n), me);
	gshmemx_win_fence(win, GSHMEMX_MODE_NOSUCCEED);

	for (row = 0; row < NROWS; row++)
		for (column = 0; column < n; column++)
			nwrong += seen[row * n + column] != 1000 * column + me * NROWS + row;
	printf("PE %d: %d of %d elements are wrong\n", me, nwrong, NROWS * n);
	gshmemx_win_free(&win);
	free(rows);
	free(seen);
	gshmem_finalize();
	return nwrong != 0;
}
