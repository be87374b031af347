/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * What the library is for: a stencil whose kernel exchanges its halo itself, against the same work split into
 * kernel, CPU communication, kernel. raw_us and ratio refer to the split form; us are per iteration, and
 * bytes is the halo that a PE sends per iteration.
 *
 * A grid of rows x columns per PE, the PEs stacked in a ring. Each iteration replaces a value by the mean of
 * its four neighbours. Both forms run the same update on the same threads.
 */
#include "bench.h"

#define NTHREADS 64

/*
 * Two buffers of rows + 2 rows; row 0 and row rows + 1 are the neighbours'. Even iterations read the first.
 */
struct grid {
	float *values[2];
	int nrows, ncolumns;
	/* [2] signals, one per buffer: the iteration whose halo has arrived */
	uint64_t *from_above, *from_below;
};

__device__ static inline void update(const struct grid &g, uint64_t iteration, int first_row, int last_row)
{
	const float *from = g.values[iteration & 1];
	float *to = g.values[(iteration + 1) & 1];
	const int n = g.ncolumns;

	for (int r = first_row; r <= last_row; r++)
		for (int c = threadIdx.x; c < n; c += blockDim.x) {
			const int left = c ? c - 1 : n - 1, right = c + 1 < n ? c + 1 : 0;

			to[r * n + c] = 0.25f *
				(from[(r - 1) * n + c] + from[(r + 1) * n + c] + from[r * n + left] +
					from[r * n + right]);
		}
}

/*
 * The fused form computes the edges first and sends them while it computes the rest; then it waits for the
 * neighbours' edges. The sends of two iterations may overtake each other, those of three cannot: a
 * neighbour's edge of iteration i shows that it has received ours of i - 1. So one signal per buffer is
 * enough, and no fence is needed.
 */
__global__ static void fused_kernel(struct grid g, uint64_t first, size_t niterations)
{
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes(), above = (pe + npes - 1) % npes,
		  below = (pe + 1) % npes;
	const size_t n = g.ncolumns;

	for (uint64_t i = first; i < first + niterations; i++) {
		const int next = (i + 1) & 1;
		float *to = g.values[next];

		update(g, i, 1, 1);
		update(g, i, g.nrows, g.nrows);
		gshmemx_float_put_signal_wg(to + (g.nrows + 1) * n, to + n, n, &g.from_below[next], i + 1,
			GSHMEM_SIGNAL_SET, above);
		gshmemx_float_put_signal_wg(
			to, to + g.nrows * n, n, &g.from_above[next], i + 1, GSHMEM_SIGNAL_SET, below);
		update(g, i, 2, g.nrows - 1);
		/*
		 * One thread waits for one side. All threads acquire in the
		 * work-group's wait for the other side.
		 */
		if (threadIdx.x == 0)
			gshmem_signal_wait_until(&g.from_above[next], GSHMEM_CMP_GE, i + 1);
		gshmemx_signal_wait_until_wg(&g.from_below[next], GSHMEM_CMP_GE, i + 1);
	}
}

__global__ static void update_kernel(struct grid g, uint64_t iteration)
{
	update(g, iteration, 1, g.nrows);
}

/*
 * The split form: the CPU waits for the kernel, sends the edges, meets the other PEs
 * and launches the next kernel.
 */
static void split(const struct grid &g, uint64_t first, size_t niterations)
{
	const int above = (bench.pe + bench.npes - 1) % bench.npes, below = (bench.pe + 1) % bench.npes;
	const size_t n = g.ncolumns;

	for (uint64_t i = first; i < first + niterations; i++) {
		float *to = g.values[(i + 1) & 1];

		hipLaunchKernelGGL(update_kernel, dim3(1), dim3(NTHREADS), 0, 0, g, i);
		t_hip(hipDeviceSynchronize());
		gshmem_float_put(to + (g.nrows + 1) * n, to + n, n, above);
		gshmem_float_put(to, to + g.nrows * n, n, below);
		gshmem_barrier_all();
	}
}

static void fused(const struct grid &g, uint64_t first, size_t niterations)
{
	hipLaunchKernelGGL(fused_kernel, dim3(1), dim3(NTHREADS), 0, 0, g, first, niterations);
	t_hip(hipDeviceSynchronize());
}

/* Initial value of a cell, anywhere in the ring of all PEs' rows. */
static float start_value(int row, int column)
{
	return ((row * 37 + column * 101) % 1009) / 1009.0f;
}

static void fill(const struct grid &g)
{
	const int nrows = g.nrows * bench.npes;
	std::vector<float> values((g.nrows + 2) * (size_t)g.ncolumns);

	for (int r = 0; r < g.nrows + 2; r++)
		for (int c = 0; c < g.ncolumns; c++)
			values[r * g.ncolumns + c] =
				start_value((bench.pe * g.nrows + r - 1 + nrows) % nrows, c);
	for (float *buffer : g.values)
		bench_write(buffer, values.data(), values.size() * sizeof(float));
	gshmem_barrier_all();
}

/* Ten iterations of both forms and of a plain loop over the whole ring must give the same bits. */
static void check(const struct grid &g, uint64_t *next_p)
{
	const int nrows = g.nrows * bench.npes, n = g.ncolumns;
	const uint64_t first = *next_p + (*next_p & 1);
	std::vector<float> a(nrows * (size_t)n), b(a), got(g.nrows * (size_t)n);

	for (int i = 0; i < nrows * n; i++)
		a[i] = start_value(i / n, i % n);
	for (int i = 0; i < 10; i++, a.swap(b))
		for (int r = 0; r < nrows; r++)
			for (int c = 0; c < n; c++)
				b[r * n + c] = 0.25f *
					(a[(r + nrows - 1) % nrows * n + c] + a[(r + 1) % nrows * n + c] +
						a[r * n + (c + n - 1) % n] + a[r * n + (c + 1) % n]);
	for (int form = 0; form < 2; form++) {
		fill(g);
		if (form)
			split(g, first, 10);
		else
			fused(g, first, 10);
		bench_read(got.data(), g.values[0] + n, got.size() * sizeof(float));
		t_check(!memcmp(got.data(), a.data() + bench.pe * (size_t)g.nrows * n,
				got.size() * sizeof(float)),
			"fused: %d x %d: the %s form computes something else", g.nrows, n,
			form ? "split" : "fused");
	}
	*next_p = first + 10;
	gshmem_barrier_all();
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "fused");
	bench_needs(2);
	uint64_t *signals = (uint64_t *)gshmem_calloc(32, sizeof(uint64_t)), next = 0;

	for (int edge = 32; edge <= 1024; edge *= 2) {
		const size_t nbytes = (edge + 2) * (size_t)edge * sizeof(float);
		struct grid g = {{(float *)gshmem_malloc(nbytes), (float *)gshmem_malloc(nbytes)}, edge, edge,
			signals, signals + 16};
		char op[32];

		snprintf(op, sizeof op, "stencil_%dx%d", edge, edge);
		fill(g);
		auto timed = [&](void (*form)(const struct grid &, uint64_t, size_t)) {
			return bench_timed([&g, &next, form](size_t reps) {
				form(g, next, reps);
				next += reps;
			});
		};
		bench_measure_against({op, "wg", 2 * (size_t)edge * sizeof(float), bench.npes, {}, false, 0},
			timed(fused), {timed(split)});
		check(g, &next);
		gshmem_free(g.values[1]);
		gshmem_free(g.values[0]);
	}
	bench_finalize();
	return 0;
}
