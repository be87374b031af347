/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel as users write them, with communication inside its loops: it shows what the slow path costs when
 * registers are scarce. C = A x B in tiles of 64 x 64, with 4 x 4 values in the registers of each of 256
 * threads. A finished tile is sent to the peer row by row, and so is each intermediate step.
 */
#include <gshmem.h>

#define TILE  64
#define DEPTH 16
#define OWN   4

extern "C" __global__ __launch_bounds__(256) void user_gemm(
	const float *a, const float *b, float *c, int *progress, int n, int k, int pe)
{
	__shared__ float a_tile[DEPTH][TILE], b_tile[DEPTH][TILE];
	const int column = threadIdx.x % 16, row = threadIdx.x / 16;
	const float *a_rows = a + (size_t)blockIdx.x * TILE * k;

	for (int j = 0; j < n; j += TILE) {
		float sum[OWN][OWN] = {};

		for (int i = 0; i < k; i += DEPTH) {
			for (int s = threadIdx.x; s < TILE * DEPTH; s += 256) {
				a_tile[s % DEPTH][s / DEPTH] =
					a_rows[(size_t)(s / DEPTH) * k + i + s % DEPTH];
				b_tile[s / TILE][s % TILE] = b[(size_t)(i + s / TILE) * n + j + s % TILE];
			}
			__syncthreads();
			for (int d = 0; d < DEPTH; d++)
				for (int y = 0; y < OWN; y++)
					for (int x = 0; x < OWN; x++)
						sum[y][x] += a_tile[d][row * OWN + y] *
							b_tile[d][column * OWN + x];
			__syncthreads();
			gshmem_int_p(progress + threadIdx.x, i, pe);
		}
		for (int y = 0; y < OWN; y++)
			for (int x = 0; x < OWN; x++)
				c[((size_t)blockIdx.x * TILE + row * OWN + y) * n + j + column * OWN + x] =
					sum[y][x];
		__syncthreads();
		for (int y = 0; y < TILE; y++) {
			float *line = c + ((size_t)blockIdx.x * TILE + y) * n + j;

			gshmemx_float_put_wg(line, line, TILE, pe);
		}
		gshmemx_quiet_wg();
	}
}

/* Waves send halos amid a computation that needs its registers. */
extern "C" __global__ void user_halo(float *grid, int n, int nsteps, uint64_t *signal, int above, int below)
{
	for (int t = 0; t < nsteps; t++) {
		float v[8];

		for (int i = 0; i < 8; i++)
			v[i] = grid[(size_t)(i + 1) * n + threadIdx.x];
		for (int i = 1; i < 7; i++)
			v[i] = 0.25f * (v[i - 1] + v[i] * 2 + v[i + 1]);
		for (int i = 0; i < 8; i++)
			grid[(size_t)(i + 1) * n + threadIdx.x] = v[i];
		gshmemx_float_put_signal_wave(
			grid + 9 * (size_t)n, grid + n, n, signal, t, GSHMEM_SIGNAL_SET, above);
		gshmemx_float_put_signal_wave(
			grid, grid + 8 * (size_t)n, n, signal + 1, t, GSHMEM_SIGNAL_SET, below);
		gshmem_signal_wait_until(signal, GSHMEM_CMP_GE, t);
		gshmem_signal_wait_until(signal + 1, GSHMEM_CMP_GE, t);
	}
}
