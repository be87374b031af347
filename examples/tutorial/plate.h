/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem that the steps of docs/tutorial.md share: heat spreads over a plate. In each time step
 * every cell becomes the mean of the four cells around it. The rim of the plate keeps its temperature.
 *
 * A PE has ROWS x COLUMNS cells of the plate, and a halo of one cell around them. The halo holds copies
 * of the neighbours' cells or, at the edge of the plate, the rim. A row of 62 + 2 doubles is 512 bytes
 * long, so no cache line holds cells of two rows: step 8 needs this on AMD GPUs.
 */
#ifndef PLATE_H
#define PLATE_H

#include <hip/hip_runtime.h>
#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define ROWS     16 /* per PE */
#define COLUMNS  62 /* per PE */
#define NSTEPS   100
#define NTHREADS 64

typedef double row_t[COLUMNS + 2];
typedef row_t block_t[ROWS + 2]; /* the cells of a PE: rows 1 .. ROWS, columns 1 .. COLUMNS, and their halo */

/* Computes row i of the next time step. All threads of a work-group call it together. */
__device__ static inline void update_row(row_t *to, const row_t *from, int i)
{
	for (int j = 1 + threadIdx.x; j <= COLUMNS; j += blockDim.x)
		to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

/* Ends the program if a HIP call fails. */
static inline void check(hipError_t error)
{
	if (error == hipSuccess)
		return;
	fprintf(stderr, "HIP: %s\n", hipGetErrorString(error));
	exit(1);
}

/* The temperature at the start. Cells of the plate count from 1: row 0 is the upper rim, the hot one. */
static inline double start_value(int i, int j)
{
	return i == 0 ? 100 : (i * 7 + j * 3) % 11;
}

/*
 * Sets cells in GPU memory to the start: two buffers, one behind the other, of nrows rows and their
 * halo each. cells[0][0] is cell (i0, j0) of the plate.
 */
static inline void fill(row_t *cells, int nrows, int i0, int j0)
{
	std::vector<double> start;

	for (int k = 0; k < 2 * (nrows + 2); k++)
		for (int j = 0; j < COLUMNS + 2; j++)
			start.push_back(start_value(i0 + k % (nrows + 2), j0 + j));
	check(hipMemcpy(cells, start.data(), start.size() * sizeof(double), hipMemcpyHostToDevice));
	check(hipDeviceSynchronize()); /* CUDA's copy to the GPU may return before the data is there */
}

/*
 * The serial answer: a plain loop over the whole plate. It does the same operations in the same order
 * as the kernels, so it has the same bits. *change_p is set to the largest change of a cell in the last
 * time step.
 */
static inline std::vector<double> solve(int nrows, int ncolumns, int nsteps, double *change_p = NULL)
{
	const int width = ncolumns + 2;
	std::vector<double> plate, next;
	double change = 0;

	for (int i = 0; i < nrows + 2; i++)
		for (int j = 0; j < width; j++)
			plate.push_back(start_value(i, j));
	next = plate;
	for (int step = 0; step < nsteps; step++) {
		change = 0;
		for (int i = 1; i <= nrows; i++)
			for (int k = i * width + 1; k <= i * width + ncolumns; k++) {
				next[k] = 0.25 *
					(plate[k - width] + plate[k + width] + plate[k - 1] + plate[k + 1]);
				change = std::max(change, fabs(next[k] - plate[k]));
			}
		plate.swap(next);
	}
	if (change_p)
		*change_p = change;
	return plate;
}

/* Counts the cells of a buffer that differ from the serial answer. nrows, i0 and j0 as in fill. */
static inline int count_wrong(
	const row_t *cells, int nrows, int i0, int j0, const std::vector<double> &plate, int ncolumns)
{
	std::vector<double> mine((nrows + 2) * (COLUMNS + 2));
	int nwrong = 0;

	check(hipMemcpy(mine.data(), cells, mine.size() * sizeof(double), hipMemcpyDeviceToHost));
	for (int i = 1; i <= nrows; i++)
		for (int j = 1; j <= COLUMNS; j++)
			nwrong += mine[i * (COLUMNS + 2) + j] != plate[(i0 + i) * (ncolumns + 2) + j0 + j];
	return nwrong;
}

/* Compares a PE's rows with the serial answer, if the PEs lie below each other. Returns the exit status. */
static inline int report(const row_t *cells, int pe, int npes)
{
	const std::vector<double> plate = solve(npes * ROWS, COLUMNS, NSTEPS);
	const int nwrong = count_wrong(cells, ROWS, pe * ROWS, 0, plate, COLUMNS);

	printf("PE %d: after %d steps %d of %d cells are wrong\n", pe, NSTEPS, nwrong, ROWS * COLUMNS);
	return nwrong != 0;
}

#endif /* PLATE_H */
