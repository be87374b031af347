/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/* nodes: no, it is MPI alone, whose MPI_Finalize may hang there: docs/nodes.md */
/*
 * Step 1 of docs/tutorial.md: HIP and MPI. Each time step launches a kernel, copies the border rows to
 * the host, exchanges them by MPI_Sendrecv, and copies what has come to the GPU.
 */
#include "plate.h"
#include <mpi.h>

__global__ static void spread(block_t *cell, int step)
{
	update_row(cell[(step + 1) & 1], cell[step & 1], 1 + blockIdx.x); /* a work-group for each row */
}

/* Sends row `mine` to one neighbour, and receives row `halo` from the other one. */
static void exchange(row_t *cells, int mine, int to, int halo, int from)
{
	row_t out, in;

	check(hipMemcpy(out, cells[mine], sizeof out, hipMemcpyDeviceToHost));
	MPI_Sendrecv(out, COLUMNS + 2, MPI_DOUBLE, to, 0, in, COLUMNS + 2, MPI_DOUBLE, from, 0,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (from != MPI_PROC_NULL)
		check(hipMemcpy(cells[halo], in, sizeof in, hipMemcpyHostToDevice));
}

int main(int argc, char **argv)
{
	int pe, npes, ndevices;
	block_t *cell; /* two buffers: a time step reads one and writes the other */

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &pe);
	MPI_Comm_size(MPI_COMM_WORLD, &npes);
	const int above = pe > 0 ? pe - 1 : MPI_PROC_NULL, below = pe + 1 < npes ? pe + 1 : MPI_PROC_NULL;

	check(hipGetDeviceCount(&ndevices));
	check(hipSetDevice(pe % ndevices));
	check(hipMalloc((void **)&cell, 2 * sizeof(block_t)));
	fill(cell[0], ROWS, pe * ROWS, 0);

	for (int step = 0; step < NSTEPS; step++) {
		row_t *to = cell[(step + 1) & 1];

		hipLaunchKernelGGL(spread, dim3(ROWS), dim3(NTHREADS), 0, 0, cell, step);
		exchange(to, 1, above, ROWS + 1, below);
		exchange(to, ROWS, below, 0, above);
	}

	const int status = report(cell[NSTEPS & 1], pe, npes);
	check(hipFree(cell));
	MPI_Finalize();
	return status;
}
