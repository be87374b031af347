/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Windows: a halo exchange by put, with two kinds of epoch. A plate is cut into slabs of rows, one per
 * PE. Each step replaces every cell by the mean of the four cells around it, so a PE needs the border
 * rows of its neighbours.
 *
 *   fused    one kernel makes all steps and synchronizes with the neighbours: post, start, complete, wait
 *   by step  each kernel makes one step, in memory of hipMalloc; the hosts of all PEs call fence in between
 *
 *     gshmemcc -o windows 07_windows.hip && mpirun -n 4 ./windows
 */
#include <hip/hip_runtime.h>
#include <gshmemx_win.h>
#include <stdio.h>
#include <vector>

#define NROWS    16 /* per PE, at least 2 */
#define NCOLUMNS 64
#define NSTEPS   50
#define NTHREADS 64
#define SLAB     ((NROWS + 2) * NCOLUMNS) /* rows 1 .. NROWS of the PE; rows 0 and NROWS + 1 are halos */

/*
 * Where a row begins in the window of any PE, in doubles. A window holds two slabs: even steps read the first
 * and write the second, odd steps read the second and write the first.
 */
__device__ static inline ptrdiff_t at(int step, int row)
{
	return (step & 1) * SLAB + row * NCOLUMNS;
}

/* By all threads of a work-group. */
__device__ static void update_row(double *slabs, int step, int row)
{
	const double *from = slabs + at(step, row);
	double *to = slabs + at(step + 1, row);

	for (int i = 1 + threadIdx.x; i < NCOLUMNS - 1; i += blockDim.x)
		to[i] = 0.25 * (from[i - NCOLUMNS] + from[i + NCOLUMNS] + from[i - 1] + from[i + 1]);
}

/* In the slab that step reads: row 1 to row NROWS + 1 of the PE before, row NROWS to row 0 of the next PE. */
__device__ static void put_border(gshmemx_win_t win, const double *slabs, int step, int row)
{
	const int pe = gshmem_my_pe() + (row == 1 ? -1 : 1), halo = row == 1 ? NROWS + 1 : 0;

	if (pe >= 0 && pe < gshmem_n_pes())
		gshmemx_win_double_put_wg(win, at(step, halo), slabs + at(step, row), NCOLUMNS, pe);
}

/*
 * All steps, by one work-group. Each call with _wg is a __syncthreads() on both sides: all threads have read
 * the old halos before post, and have written the border before put.
 */
__global__ static void run_fused(gshmemx_win_t win, double *slabs)
{
	__shared__ int neighbours[2]; /* all threads pass the same array */
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes(), nneighbours = (pe > 0) + (pe + 1 < npes);

	if (threadIdx.x == 0) {
		neighbours[0] = pe > 0 ? pe - 1 : 1;
		neighbours[1] = pe + 1;
	}
	for (int step = 0; step < NSTEPS; step++) {
		gshmemx_win_post_wg(win, nneighbours, neighbours, 0);  /* neighbours may write my halos */
		gshmemx_win_start_wg(win, nneighbours, neighbours, 0); /* waits until I may write theirs */
		put_border(win, slabs, step, 1);
		put_border(win, slabs, step, NROWS);
		for (int row = 2; row < NROWS; row++) /* needs no halo: computed while the borders travel */
			update_row(slabs, step, row);
		gshmemx_win_complete_wg(win); /* ends my puts */
		gshmemx_win_wait_wg(win);     /* waits until the neighbours have ended theirs */
		update_row(slabs, step, 1);
		update_row(slabs, step, NROWS);
	}
}

/*
 * One step, by one work-group per row. The put goes to the slab that the next step reads, because the
 * neighbour may still read the halos of the other one.
 */
__global__ static void run_step(gshmemx_win_t win, double *slabs, int step)
{
	const int row = 1 + blockIdx.x;

	update_row(slabs, step, row);
	if (row == 1 || row == NROWS)
		put_border(win, slabs, step + 1, row);
}

/* The whole plate by a plain loop: the same operations in the same order, so the same bits. */
static void solve(std::vector<double> &plate)
{
	std::vector<double> next = plate;

	for (int step = 0; step < NSTEPS; step++, plate.swap(next))
		for (size_t row = NCOLUMNS; row < plate.size() - NCOLUMNS; row += NCOLUMNS)
			for (size_t i = row + 1; i < row + NCOLUMNS - 1; i++)
				next[i] = 0.25 *
					(plate[i - NCOLUMNS] + plate[i + NCOLUMNS] + plate[i - 1] +
						plate[i + 1]);
}

/* How many cells of all PEs are wrong. sum is symmetric, and 0 before; PE 0's collects the counts. */
static long count_wrong(const char *how, const double *slabs, const double *plate, long *sum)
{
	const double *result = slabs + NSTEPS % 2 * SLAB;
	long nwrong = 0;

	for (int i = NCOLUMNS; i < SLAB - NCOLUMNS; i++)
		nwrong += result[i] != plate[gshmem_my_pe() * NROWS * NCOLUMNS + i];
	gshmem_long_atomic_add(sum, nwrong, 0);
	gshmem_barrier_all();
	nwrong = gshmem_long_g(sum, 0);
	if (gshmem_my_pe() == 0)
		printf("%s: after %d steps %ld cells differ from a plain loop\n", how, NSTEPS, nwrong);
	return nwrong;
}

int main()
{
	gshmem_init();
	const size_t nbytes = 2 * SLAB * sizeof(double);
	std::vector<double> plate((gshmem_n_pes() * NROWS + 2) * NCOLUMNS), start(2 * SLAB), result(2 * SLAB);
	long *sums = (long *)gshmem_calloc(2, sizeof(long)), nwrong;
	gshmemx_win_t win;
	double *slabs;

	for (size_t i = 0; i < plate.size(); i++)
		plate[i] = (double)(i * 7 % 11);
	for (int i = 0; i < 2 * SLAB; i++)
		start[i] = plate[gshmem_my_pe() * NROWS * NCOLUMNS + i % SLAB];
	solve(plate);

	/*
	 * The fused kernel reads halos that arrive while it runs. This takes fine-grained memory, which
	 * gshmemx_win_allocate gives. No barrier is needed: nobody puts to a PE before its kernel calls post.
	 */
	void *args[] = {&win, &slabs};
	if (gshmemx_win_allocate(GSHMEM_TEAM_WORLD, nbytes, sizeof(double), (void **)&slabs, &win) ||
		hipMemcpy(slabs, start.data(), nbytes, hipMemcpyHostToDevice) != hipSuccess ||
		gshmemx_collective_launch(run_fused, dim3(1), dim3(NTHREADS), args, 0, NULL) ||
		hipMemcpy(result.data(), slabs, nbytes, hipMemcpyDeviceToHost) != hipSuccess ||
		gshmemx_win_free(&win))
		return 1;
	nwrong = count_wrong("fused", result.data(), plate.data(), &sums[0]);

	/*
	 * By step, in the program's own memory. On AMD GPUs plain hipMalloc memory is coherent at kernel
	 * boundaries alone: a kernel sees the halos that arrived before it was launched. The first fence
	 * opens an epoch. Each later one is called when the kernel has ended: it completes the puts of all
	 * PEs, and opens the next epoch.
	 */
	if (hipMalloc((void **)&slabs, nbytes) != hipSuccess ||
		hipMemcpy(slabs, start.data(), nbytes, hipMemcpyHostToDevice) != hipSuccess ||
		hipDeviceSynchronize() != hipSuccess || /* CUDA's copy may return before the data is there */
		gshmemx_win_create(GSHMEM_TEAM_WORLD, slabs, nbytes, sizeof(double), &win) ||
		gshmemx_win_fence(win, 0))
		return 1;
	for (int step = 0; step < NSTEPS; step++) {
		hipLaunchKernelGGL(run_step, dim3(NROWS), dim3(NTHREADS), 0, 0, win, slabs, step);
		if (hipDeviceSynchronize() != hipSuccess || gshmemx_win_fence(win, 0))
			return 1;
	}
	if (hipMemcpy(result.data(), slabs, nbytes, hipMemcpyDeviceToHost) != hipSuccess ||
		gshmemx_win_free(&win) || hipFree(slabs) != hipSuccess)
		return 1;
	nwrong += count_wrong("by step", result.data(), plate.data(), &sums[1]);

	gshmem_free(sums);
	gshmem_finalize();
	return nwrong != 0;
}
