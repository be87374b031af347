/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * An all-gather and a matrix product in one kernel, against the same work split into a collective of the CPU
 * and a kernel that multiplies. raw_us and ratio refer to the split form; us are per iteration, and bytes is
 * what a PE sends per iteration.
 *
 * C = A B: each PE holds a panel of rows of A and a panel of columns of B, and computes its columns of C. For
 * that it needs all of A. Both forms multiply with the same function. The product is a plain one: what counts
 * is how much of the transfer it hides.
 */
#include "bench.h"

enum { NROWS = 16, NCOLUMNS = 64 }; /* of a tile of A, which is also of C, and of B and C on a PE */

struct problem {
	float *a[2];     /* [npes * ntiles][NROWS][depth]; even iterations use the first */
	float *panel;    /* [ntiles][NROWS][depth]: what this PE contributes */
	float *b;        /* [depth][NCOLUMNS]: this PE's columns */
	float *c;        /* [npes * ntiles][NROWS][NCOLUMNS]: this PE's columns of C */
	uint64_t *ready; /* [2][npes * ntiles]: the iteration, from 1, whose tile has arrived */
	int depth, ntiles, nsenders, nworkers;
};

/* A tile of A by this PE's columns of B. A thread computes one column: all read the same of A at a time. */
__device__ static inline void multiply(const struct problem &p, const float *a, int tile)
{
	float *c = p.c + (size_t)tile * NROWS * NCOLUMNS + threadIdx.x;
	float sums[NROWS] = {0};

	for (int k = 0; k < p.depth; k++) {
		const float b = p.b[k * NCOLUMNS + threadIdx.x];

		for (int row = 0; row < NROWS; row++)
			sums[row] += a[row * p.depth + k] * b;
	}
	for (int row = 0; row < NROWS; row++)
		c[row * NCOLUMNS] = sums[row];
}

/*
 * Some work-groups send this PE's tiles. The others multiply its own first, and then those of other PEs, in
 * the order in which they arrive. The kernels of a PE run one after the other, and one ends when all tiles of
 * its iteration have arrived: so a PE that sends the tiles of iteration i knows that its peers have finished
 * iteration i - 2, whose tiles these overwrite.
 */
__global__ static void fused_kernel(struct problem p, uint64_t i)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), nremote = npes - 1;
	const size_t n = (size_t)NROWS * p.depth;
	uint64_t *ready = p.ready + (i & 1) * npes * p.ntiles;
	float *a = p.a[i & 1];

	if ((int)blockIdx.x < p.nsenders) {
		for (int t = blockIdx.x; t < p.ntiles; t += p.nsenders)
			for (int hop = 1; hop < npes; hop++)
				gshmemx_float_put_signal_wg(a + (me * p.ntiles + t) * n, p.panel + t * n, n,
					&ready[me * p.ntiles + t], i + 1, GSHMEM_SIGNAL_SET,
					(me + hop) % npes);
		return;
	}
	for (int t = blockIdx.x - p.nsenders; t < npes * p.ntiles; t += p.nworkers) {
		const int k = t - p.ntiles, hop = k < 0 ? 0 : 1 + k % nremote;
		const int tile = (me - hop + npes) % npes * p.ntiles + (k < 0 ? t : k / nremote);

		if (hop)
			gshmemx_signal_wait_until_wg(&ready[tile], GSHMEM_CMP_GE, i + 1);
		multiply(p, hop ? a + tile * n : p.panel + t * n, tile);
	}
}

/* Work-groups that wait for other PEs must all be resident: a cooperative launch sees to it. */
static void fused(struct problem &p, uint64_t first, size_t niterations)
{
	for (uint64_t i = first; i < first + niterations; i++) {
		void *args[] = {&p, &i};

		t_hip(hipLaunchCooperativeKernel(
			fused_kernel, dim3(p.nsenders + p.nworkers), dim3(NCOLUMNS), args, 0, 0));
	}
	t_hip(hipDeviceSynchronize());
}

__global__ static void multiply_kernel(struct problem p, const float *a, int ntiles)
{
	for (int tile = blockIdx.x; tile < ntiles; tile += gridDim.x)
		multiply(p, a + (size_t)tile * NROWS * p.depth, tile);
}

static void split(struct problem &p, uint64_t first, size_t niterations)
{
	for (uint64_t i = first; i < first + niterations; i++) {
		gshmem_float_fcollect(
			GSHMEM_TEAM_WORLD, p.a[i & 1], p.panel, (size_t)p.ntiles * NROWS * p.depth);
		hipLaunchKernelGGL(multiply_kernel, dim3(p.nsenders + p.nworkers), dim3(NCOLUMNS), 0, 0, p,
			p.a[i & 1], bench.npes * p.ntiles);
		t_hip(hipDeviceSynchronize());
	}
}

/* Small whole numbers, so that every order of summation gives the same bits. */
static float a_value(size_t row, int k)
{
	return (float)((int)((row * 7 + k * 3) % 11) - 5);
}

static float b_value(int k, int column)
{
	return (float)((k * 5 + column) % 7 - 3);
}

static struct problem allocate(int depth, int nblocks)
{
	struct problem p = {};

	p.depth = depth;
	p.ntiles = 2 * nblocks;
	p.nsenders = nblocks / 8 > 1 ? nblocks / 8 : 1;
	p.nworkers = nblocks - p.nsenders;

	const size_t nrows = (size_t)p.ntiles * NROWS, nall = bench.npes * nrows;
	std::vector<float> panel(nrows * depth), b((size_t)depth * NCOLUMNS);

	for (float *&a : p.a)
		a = (float *)gshmem_malloc(nall * depth * sizeof(float));
	p.panel = (float *)gshmem_malloc(panel.size() * sizeof(float));
	p.b = (float *)gshmem_malloc(b.size() * sizeof(float));
	p.c = (float *)gshmem_malloc(nall * NCOLUMNS * sizeof(float));
	p.ready = (uint64_t *)gshmem_calloc(2 * (size_t)bench.npes * p.ntiles, sizeof(uint64_t));
	for (size_t row = 0; row < nrows; row++)
		for (int k = 0; k < depth; k++)
			panel[row * depth + k] = a_value(bench.pe * nrows + row, k);
	for (int k = 0; k < depth; k++)
		for (int column = 0; column < NCOLUMNS; column++)
			b[(size_t)k * NCOLUMNS + column] = b_value(k, bench.pe * NCOLUMNS + column);
	bench_write(p.panel, panel.data(), panel.size() * sizeof(float));
	bench_write(p.b, b.data(), b.size() * sizeof(float));
	gshmem_barrier_all();
	return p;
}

static void give_back(const struct problem &p)
{
	gshmem_free(p.ready);
	gshmem_free(p.c);
	gshmem_free(p.b);
	gshmem_free(p.panel);
	gshmem_free(p.a[1]);
	gshmem_free(p.a[0]);
}

/* Three iterations of each form must give the product. */
static void check(struct problem &p, uint64_t *next_p)
{
	const size_t nrows = (size_t)bench.npes * p.ntiles * NROWS;
	std::vector<float> got(nrows * NCOLUMNS);

	for (int form = 0; form < 2; form++) {
		t_hip(hipMemset(p.c, 0xff, got.size() * sizeof(float)));
		gshmem_barrier_all();
		(form ? split : fused)(p, *next_p, 3);
		bench_read(got.data(), p.c, got.size() * sizeof(float));
		for (size_t row = 0; row < nrows; row++)
			for (int column = 0; column < NCOLUMNS; column++) {
				float sum = 0;

				for (int k = 0; k < p.depth; k++)
					sum += a_value(row, k) * b_value(k, bench.pe * NCOLUMNS + column);
				t_check(got[row * NCOLUMNS + column] == sum,
					"fused_gemm: depth %d: the %s form: row %zu, column %d: %g, not %g",
					p.depth, form ? "split" : "fused", row, column,
					got[row * NCOLUMNS + column], sum);
			}
		*next_p += 3;
	}
	gshmem_barrier_all();
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "fused_gemm");
	bench_needs(2);
	const int nblocks = std::min(64, std::max(4, bench_ncus()));

	for (int depth = 64; depth <= 1024; depth *= 2) {
		struct problem p = allocate(depth, nblocks);
		uint64_t next = 0;
		char op[32];

		snprintf(op, sizeof op, "gemm_%d", depth);
		auto timed = [&](void (*form)(struct problem &, uint64_t, size_t)) {
			return bench_timed([&p, &next, form](size_t reps) {
				form(p, next, reps);
				next += reps;
			});
		};
		bench_measure_against(
			{op, "wg", (bench.npes - 1) * (size_t)p.ntiles * NROWS * depth * sizeof(float),
				bench.npes, {}, false, 0},
			timed(fused), {timed(split)});
		check(p, &next);
		give_back(p);
	}
	bench_finalize();
	return 0;
}
