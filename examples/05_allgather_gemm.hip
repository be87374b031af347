/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * All-gather and matrix product in one kernel. C = A B, where each PE holds a panel of rows of A and a panel
 * of columns of B, and computes its columns of C. For that it needs all of A. Some work-groups send this PE's
 * panel of A, tile by tile, to all other PEs. The other work-groups multiply tiles in the order in which they
 * arrive, beginning with the PE's own. The product of one tile hides the transfer of the next.
 *
 *     gshmemcc -o gemm 05_allgather_gemm.hip && mpirun -n 4 ./gemm
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <stdio.h>
#include <vector>

#define TILE     16 /* rows of A in a tile, and columns of B on a PE */
#define DEPTH    64 /* columns of A, rows of B */
#define NTILES   4  /* tiles in the panel of a PE */
#define NSENDERS 1  /* work-groups that send */
#define NWORKERS 3  /* work-groups that multiply */

/* All arrays are symmetric: every PE writes into a and ready of every PE. */
struct problem {
	float *a;        /* [npes * NTILES][TILE][DEPTH] */
	float *b;        /* [DEPTH][TILE]: this PE's columns */
	float *c;        /* [npes * NTILES][TILE][TILE]: this PE's columns of C */
	uint64_t *ready; /* [npes * NTILES]: 1 when that tile of A is here */
};

/* Tile by tile: each goes to the next PE, to the one after it, and so on. */
__device__ static void send(const struct problem &p, int me, int npes)
{
	for (int t = blockIdx.x; t < NTILES; t += NSENDERS)
		for (int hop = 1; hop < npes; hop++) {
			const int tile = me * NTILES + t;
			float *a = p.a + (size_t)tile * TILE * DEPTH;

			gshmemx_float_put_signal_wg(
				a, a, TILE * DEPTH, &p.ready[tile], 1, GSHMEM_SIGNAL_SET, (me + hop) % npes);
		}
}

/* One tile of A by this PE's columns of B. The threads share out the TILE x TILE results. */
__device__ static void multiply(const struct problem &p, int tile)
{
	const float *a = p.a + (size_t)tile * TILE * DEPTH;

	for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
		const int row = i / TILE, column = i % TILE;
		float sum = 0;

		for (int k = 0; k < DEPTH; k++)
			sum += a[row * DEPTH + k] * p.b[k * TILE + column];
		p.c[(size_t)tile * TILE * TILE + i] = sum;
	}
}

__global__ static void allgather_gemm(struct problem p)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();

	if (blockIdx.x < NSENDERS) {
		send(p, me, npes);
		return;
	}
	/* The PE's own panel is here already. Tiles of others come round by round, the nearest PE's first. */
	for (int i = blockIdx.x - NSENDERS; i < npes * NTILES; i += NWORKERS) {
		const int hop = i < NTILES ? 0 : 1 + (i - NTILES) % (npes - 1);
		const int t = i < NTILES ? i : (i - NTILES) / (npes - 1);
		const int tile = (me - hop + npes) % npes * NTILES + t;

		if (hop)
			gshmemx_signal_wait_until_wg(&p.ready[tile], GSHMEM_CMP_EQ, 1);
		multiply(p, tile);
	}
}

static float a_value(int row, int k)
{
	return (float)((row * 7 + k * 3) % 11 - 5);
}

static float b_value(int k, int column)
{
	return (float)((k * 5 + column) % 7 - 3);
}

int main()
{
	gshmem_init();
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), nrows = npes * NTILES * TILE;
	struct problem p;
	std::vector<float> a(NTILES * TILE * DEPTH), b(DEPTH * TILE), c((size_t)nrows * TILE);

	p.a = (float *)gshmem_malloc(npes * a.size() * sizeof(float));
	p.b = (float *)gshmem_malloc(b.size() * sizeof(float));
	p.c = (float *)gshmem_malloc(c.size() * sizeof(float));
	p.ready = (uint64_t *)gshmem_calloc(npes * NTILES, sizeof(uint64_t));
	for (size_t i = 0; i < a.size(); i++)
		a[i] = a_value(me * NTILES * TILE + (int)i / DEPTH, i % DEPTH);
	for (size_t i = 0; i < b.size(); i++)
		b[i] = b_value(i / TILE, me * TILE + i % TILE);
	if (hipMemcpy(p.a + me * a.size(), a.data(), a.size() * sizeof(float), hipMemcpyHostToDevice) !=
			hipSuccess ||
		hipMemcpy(p.b, b.data(), b.size() * sizeof(float), hipMemcpyHostToDevice) != hipSuccess)
		return 1;

	/* Work-groups that wait for other PEs must all be resident: a cooperative launch sees to it. */
	void *args[] = {&p};
	if (hipLaunchCooperativeKernel(allgather_gemm, dim3(NSENDERS + NWORKERS), dim3(64), args, 0, 0) !=
			hipSuccess ||
		hipMemcpy(c.data(), p.c, c.size() * sizeof(float), hipMemcpyDeviceToHost) != hipSuccess)
		return 1;

	/* The values are small whole numbers, so every order of summation gives the same bits. */
	int nwrong = 0;
	for (int row = 0; row < nrows; row++)
		for (int column = 0; column < TILE; column++) {
			float sum = 0;

			for (int k = 0; k < DEPTH; k++)
				sum += a_value(row, k) * b_value(k, me * TILE + column);
			nwrong += c[(size_t)row * TILE + column] != sum;
		}
	printf("PE %d: %d of %d results are wrong\n", me, nwrong, nrows * TILE);
	gshmem_finalize();
	return nwrong != 0;
}
