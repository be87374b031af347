/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel of steps 6 and 7 of docs/tutorial.md: that of step 5 for a grid of PEs. A PE has
 * neighbours on four sides, and exchanges columns, too.
 */
#ifndef GRID_H
#define GRID_H

#include <gshmem.h>
#include "plate.h"

#define NSTRIPS 4 /* per PE: its work-groups */
#define HEIGHT  (ROWS / NSTRIPS)

enum { ABOVE, BELOW, LEFT, RIGHT, NSIDES };

struct strip {
	row_t cell[2][HEIGHT + 2];
	uint64_t arrived[2][NSIDES]; /* for each buffer and side: the time step whose cells have come */
};

struct sides {
	int pe[NSIDES]; /* the PEs around this one; -1: the rim of the plate */
};

/* Row `here` of this strip becomes row `there` of a strip of pe. */
__device__ static void send_row(
	row_t *to, int there, const row_t *from, int here, uint64_t *signal, int step, int pe)
{
	if (pe >= 0)
		gshmemx_double_put_signal_wg(
			&to[there][1], &from[here][1], COLUMNS, signal, step, GSHMEM_SIGNAL_SET, pe);
}

/* The same for a column, which has a stride. No call puts with a stride and a signal: hence the fence. */
__device__ static void send_column(row_t *cells, int there, int here, uint64_t *signal, int step, int pe)
{
	if (pe < 0)
		return;
	gshmemx_double_iput_wg(&cells[1][there], &cells[1][here], COLUMNS + 2, COLUMNS + 2, HEIGHT, pe);
	gshmemx_fence_wg();
	if (threadIdx.x == 0)
		gshmem_signal_set(signal, step, pe);
}

/*
 * NSTEPS time steps, from first on. change gets, for each thread, the largest change of its cells in
 * the last of them; it may be NULL.
 */
__global__ static void spread(struct strip *strips, struct sides sides, int first, double *change)
{
	const int me = gshmem_my_pe(), k = blockIdx.x;
	struct strip *mine = &strips[k];
	struct strip *above = &strips[k > 0 ? k - 1 : NSTRIPS - 1];
	struct strip *below = &strips[k + 1 < NSTRIPS ? k + 1 : 0];

	if (k > 0)
		sides.pe[ABOVE] = me;
	if (k + 1 < NSTRIPS)
		sides.pe[BELOW] = me;
	for (int step = first; step < first + NSTEPS; step++) {
		const int next = (step + 1) & 1;
		row_t *to = mine->cell[next], *from = mine->cell[step & 1];

		update_row(to, from, 1);
		update_row(to, from, HEIGHT);
		send_row(above->cell[next], HEIGHT + 1, to, 1, &above->arrived[next][BELOW], step + 1,
			sides.pe[ABOVE]);
		send_row(below->cell[next], 0, to, HEIGHT, &below->arrived[next][ABOVE], step + 1,
			sides.pe[BELOW]);
		for (int i = 2; i < HEIGHT; i++)
			update_row(to, from, i);
		send_column(to, COLUMNS + 1, 1, &mine->arrived[next][RIGHT], step + 1, sides.pe[LEFT]);
		send_column(to, 0, COLUMNS, &mine->arrived[next][LEFT], step + 1, sides.pe[RIGHT]);
		for (int side = 0; side < NSIDES; side++) {
			uint64_t *signal = &mine->arrived[next][side];

			if (sides.pe[side] >= 0)
				gshmemx_signal_wait_until_wg(signal, GSHMEM_CMP_GE, step + 1);
		}
	}

	if (!change)
		return;
	double largest = 0;
	for (int i = 1; i <= HEIGHT; i++)
		for (int j = 1 + threadIdx.x; j <= COLUMNS; j += blockDim.x)
			largest = fmax(largest, fabs(mine->cell[1][i][j] - mine->cell[0][i][j]));
	change[k * NTHREADS + threadIdx.x] = largest;
}

/* The PE that is offset places further in the team; -1 beyond its ends. */
static int neighbour(gshmem_team_t team, int offset)
{
	return gshmem_team_translate_pe(team, gshmem_team_my_pe(team) + offset, GSHMEM_TEAM_WORLD);
}

#endif /* GRID_H */
