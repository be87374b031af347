/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Averages along a line of cells, which is cut into a piece for each PE. In each step a PE puts its border
 * cells into the halo of its neighbours, with post, start, complete and wait. At the ends of the line the
 * neighbour is GSHMEMX_PE_NULL.
 */
#include <gshmem.h>
#include <gshmemx_win.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NCELLS = 6, NSTEPS = 20 }; /* of each PE */
enum { LEFT, RIGHT };             /* the two cells of the window: the halo */

static void average(double *cells, int n, double left, double right)
{
	double before = left, mean;
	int i;

	for (i = 0; i < n; i++) {
		mean = (before + cells[i] + (i + 1 < n ? cells[i + 1] : right)) / 3;
		before = cells[i];
		cells[i] = mean;
	}
}

int main(void)
{
	int me, npes, left, right, neighbours[2], nneighbours = 0, step, i, nwrong = 0;
	double cells[NCELLS], halo[2], *line;
	gshmemx_win_t win;
	void *memory;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	left = me > 0 ? me - 1 : GSHMEMX_PE_NULL;
	right = me < npes - 1 ? me + 1 : GSHMEMX_PE_NULL;
	if (left != GSHMEMX_PE_NULL)
		neighbours[nneighbours++] = left;
	if (right != GSHMEMX_PE_NULL)
		neighbours[nneighbours++] = right;
	for (i = 0; i < NCELLS; i++)
		cells[i] = (me * NCELLS + i) % 7;

	gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof halo, sizeof(double), &memory, &win);
	for (step = 0; step < NSTEPS; step++) {
		gshmemx_win_post(win, nneighbours, neighbours, 0);
		gshmemx_win_start(win, nneighbours, neighbours, 0);
		gshmemx_win_double_put(win, RIGHT, &cells[0], 1, left);
		gshmemx_win_double_put(win, LEFT, &cells[NCELLS - 1], 1, right);
		gshmemx_win_complete(win);
		gshmemx_win_wait(win);
		halo[LEFT] = halo[RIGHT] = 0; /* at the ends of the line */
		gshmemx_win_lock(win, GSHMEMX_LOCK_SHARED, me, 0);
		gshmemx_win_double_get(win, &halo[LEFT], LEFT, left != GSHMEMX_PE_NULL, me);
		gshmemx_win_double_get(win, &halo[RIGHT], RIGHT, right != GSHMEMX_PE_NULL, me);
		gshmemx_win_unlock(win, me);
		average(cells, NCELLS, halo[LEFT], halo[RIGHT]);
	}

	line = malloc((size_t)(npes * NCELLS) * sizeof *line);
	if (!line)
		gshmem_global_exit(1);
	for (i = 0; i < npes * NCELLS; i++)
		line[i] = i % 7;
	for (step = 0; step < NSTEPS; step++)
		average(line, npes * NCELLS, 0, 0);
	for (i = 0; i < NCELLS; i++)
		nwrong += fabs(cells[i] - line[me * NCELLS + i]) > 1e-12;
	printf("PE %d: %d of %d cells are wrong\n", me, nwrong, NCELLS);
	free(line);
	gshmemx_win_free(&win);
	gshmem_finalize();
	return nwrong != 0;
}
