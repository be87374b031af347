/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * A fused stencil: heat spreads along a rod that is cut into one piece per PE. One kernel makes all steps and
 * exchanges the end cells of the pieces. The end cells travel while the kernel computes the others.
 *
 *     gshmemcc -o stencil 04_stencil.hip && mpirun -n 4 ./stencil
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define NCELLS 512 /* per PE */
#define NSTEPS 200

/* Cells 1 .. NCELLS are this PE's. Cells 0 and NCELLS + 1 copy the neighbours' end cells, or stay 0. */
struct rod {
	double cell[2][NCELLS + 2]; /* even steps read the first, odd steps the second */
	uint64_t left[2], right[2]; /* for each buffer: the step whose cell has come from that side */
};

__device__ static inline void update(struct rod *rod, int step, int i)
{
	const double *from = rod->cell[step & 1];

	rod->cell[(step + 1) & 1][i] = from[i] + 0.25 * (from[i - 1] - 2 * from[i] + from[i + 1]);
}

__global__ static void spread(struct rod *rod)
{
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes();

	for (int step = 0; step < NSTEPS; step++) {
		const int next = (step + 1) & 1;
		double *to = rod->cell[next];

		/*
		 * The end cells first. A neighbour that sends for a step has used what this PE sent for
		 * the step before, so two buffers are enough. Two sends of one PE may be on their way at a
		 * time, and nothing orders them: hence a signal for each buffer. A single signal would
		 * need a gshmem_fence.
		 */
		if (threadIdx.x == 0) {
			update(rod, step, 1);
			if (pe > 0)
				gshmem_double_put_signal(&to[NCELLS + 1], &to[1], 1, &rod->right[next],
					step + 1, GSHMEM_SIGNAL_SET, pe - 1);
		}
		if (threadIdx.x == blockDim.x - 1) {
			update(rod, step, NCELLS);
			if (pe + 1 < npes)
				gshmem_double_put_signal(&to[0], &to[NCELLS], 1, &rod->left[next], step + 1,
					GSHMEM_SIGNAL_SET, pe + 1);
		}
		for (int i = 2 + threadIdx.x; i < NCELLS; i += blockDim.x)
			update(rod, step, i);
		if (pe > 0)
			gshmemx_signal_wait_until_wg(&rod->left[next], GSHMEM_CMP_GE, step + 1);
		if (pe + 1 < npes)
			gshmemx_signal_wait_until_wg(&rod->right[next], GSHMEM_CMP_GE, step + 1);
		__syncthreads();
	}
}

/* The temperature of a cell of the whole rod at the start. */
static double start_value(int i)
{
	return i % 97 == 0 ? 100 : 0;
}

int main()
{
	gshmem_init();
	const int pe = gshmem_my_pe(), ncells = NCELLS * gshmem_n_pes();
	struct rod *rod = (struct rod *)gshmem_calloc(1, sizeof *rod);
	std::vector<double> piece(NCELLS + 2), whole(ncells + 2), next(ncells + 2);

	for (int i = 1; i <= ncells; i++)
		whole[i] = start_value(i);
	for (int i = 0; i < NCELLS + 2; i++)
		piece[i] = whole[pe * NCELLS + i];
	gshmem_putmem(rod->cell[0], piece.data(), sizeof rod->cell[0], pe); /* to this PE itself */
	gshmem_barrier_all(); /* no PE sends into a rod that its owner has yet to fill */

	hipLaunchKernelGGL(spread, dim3(1), dim3(128), 0, 0, rod);
	if (hipMemcpy(piece.data(), rod->cell[NSTEPS & 1], sizeof rod->cell[0], hipMemcpyDeviceToHost) !=
		hipSuccess)
		return 1;

	/* The whole rod by a plain loop: the same operations in the same order, so the same bits. */
	for (int step = 0; step < NSTEPS; step++, whole.swap(next))
		for (int i = 1; i <= ncells; i++)
			next[i] = whole[i] + 0.25 * (whole[i - 1] - 2 * whole[i] + whole[i + 1]);
	int nwrong = 0;
	for (int i = 1; i <= NCELLS; i++)
		nwrong += piece[i] != whole[pe * NCELLS + i];
	printf("PE %d: after %d steps %d of %d cells differ from a plain loop over the whole rod\n", pe,
		NSTEPS, nwrong, NCELLS);
	gshmem_finalize();
	return nwrong != 0;
}
