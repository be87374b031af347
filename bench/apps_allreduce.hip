/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * The fused all-reduce of apps/allreduce, which chooses one or two shots by size, against
 *
 *   split   a collective of the library on a stream, and a kernel that adds and normalizes
 *   mpi     MPI_Allreduce and the same sums on the CPU, in host memory
 *   one, two  the fused form with one shot, and with two, whatever the size
 *
 * raw_us and ratio refer to the other form; us are per layer, of which the fused form makes many in a kernel.
 * bytes is what a layer's partial result has on a PE.
 */
#include "bench.h"

#include "../apps/allreduce/allreduce.h"

#include <cmath>

#define HIDDEN        1024
#define NTHREADS      128
#define EPS           1e-5F
#define ONE_SHOT_UPTO ((size_t)32 << 10) /* of a work-group: bench/README.md says where the two forms meet */

struct layer {
	float *partial, *sum, *residual, *out; /* [ntokens][HIDDEN], symmetric */
	float *weight;
	int ntokens, ngroups;
};

__global__ static void fused_kernel(struct allreduce a, struct layer l, size_t nlayers)
{
	for (size_t i = 0; i < nlayers; i++)
		allreduce_norm_wg(a, l.partial, l.residual, l.weight, l.out, l.ntokens, EPS);
}

__global__ static void add_and_norm(struct layer l)
{
	const struct allreduce_range mine = allreduce_mine(l.ntokens);
	float *residual = l.residual + mine.begin * HIDDEN, *out = l.out + mine.begin * HIDDEN;

	for (int i = (int)threadIdx.x; i < mine.n * HIDDEN; i += (int)blockDim.x)
		residual[i] += l.sum[mine.begin * HIDDEN + i];
	__syncthreads();
	allreduce_norm_rows_wg(out, residual, l.weight, mine.n, HIDDEN, EPS);
}

static void fused(struct allreduce &a, struct layer &l, size_t nlayers)
{
	void *args[] = {&a, &l, &nlayers};

	t_equal(gshmemx_collective_launch(
			fused_kernel, dim3((unsigned)l.ngroups), dim3(NTHREADS), args, 0, 0),
		0, "launch");
	t_hip(hipDeviceSynchronize());
}

static void split(struct layer &l, size_t nlayers)
{
	for (size_t i = 0; i < nlayers; i++) {
		t_equal(gshmemx_float_sum_reduce_on_stream(
				GSHMEM_TEAM_WORLD, l.sum, l.partial, (size_t)l.ntokens * HIDDEN, 0),
			0, "sum");
		hipLaunchKernelGGL(add_and_norm, dim3((unsigned)l.ngroups), dim3(NTHREADS), 0, 0, l);
	}
	t_hip(hipDeviceSynchronize());
}

/* In host memory. */
struct host_layer {
	std::vector<float> partial, sum, residual, out;
};

static void by_mpi(struct host_layer &h, size_t nlayers)
{
	for (size_t layer = 0; layer < nlayers; layer++) {
		MPI_Allreduce(
			h.partial.data(), h.sum.data(), (int)h.sum.size(), MPI_FLOAT, MPI_SUM, bench.comm);
		for (size_t t = 0; t < h.sum.size(); t += HIDDEN) {
			float squares = 0;

			for (size_t i = t; i < t + HIDDEN; i++) {
				h.residual[i] += h.sum[i];
				squares += h.residual[i] * h.residual[i];
			}
			for (size_t i = t; i < t + HIDDEN; i++)
				h.out[i] = h.residual[i] / std::sqrt(squares / HIDDEN + EPS);
		}
	}
}

static float part_of(int pe, size_t i)
{
	return (float)((i * 7 + (size_t)pe * 5) % 19) / 8 - 1;
}

static struct layer allocate(int ntokens, int ngroups)
{
	const size_t n = (size_t)ntokens * HIDDEN;
	float *memory = (float *)gshmem_calloc(4 * n + HIDDEN, sizeof(float));
	const struct layer l = {
		memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n, ntokens, ngroups};
	const std::vector<float> ones(HIDDEN, 1);
	std::vector<float> partial(n);

	for (size_t i = 0; i < n; i++)
		partial[i] = part_of(bench.pe, i);
	bench_write(l.partial, partial.data(), n * sizeof(float));
	bench_write(l.weight, ones.data(), HIDDEN * sizeof(float));
	return l;
}

/* After two layers the residual is twice the sum; of these numbers every order of additions is exact. */
template <typename Form> static void check(struct layer &l, const char *what, Form form)
{
	const size_t n = (size_t)l.ntokens * HIDDEN;
	std::vector<float> got(n);

	t_hip(hipMemset(l.residual, 0, n * sizeof(float)));
	gshmem_barrier_all();
	form(2);
	bench_read(got.data(), l.residual, n * sizeof(float));
	for (size_t i = 0; i < n; i++) {
		float sum = 0;

		for (int pe = 0; pe < bench.npes; pe++)
			sum += part_of(pe, i);
		t_check(got[i] == 2 * sum, "apps_allreduce: %s, %d tokens: element %zu: %g, not %g", what,
			l.ntokens, i, got[i], 2 * sum);
	}
	gshmem_barrier_all();
}

static void measure(int ntokens, int ngroups)
{
	const size_t nbytes = (size_t)ntokens * HIDDEN * sizeof(float), most = (size_t)1 << 30;
	struct layer l = allocate(ntokens, ngroups);
	struct allreduce a[3];
	struct host_layer h = {std::vector<float>(nbytes / sizeof(float), 1), {}, {}, {}};

	h.sum = h.residual = h.out = h.partial;
	for (int i = 0; i < 3; i++)
		t_equal(allreduce_create(&a[i], ntokens, HIDDEN, sizeof(float), l.ngroups,
				i == 0           ? ONE_SHOT_UPTO
					: i == 1 ? most
						 : 0),
			0, "create");
	auto by_size = [&](size_t n) { fused(a[0], l, n); };
	auto one_shot = [&](size_t n) { fused(a[1], l, n); };
	auto two_shots = [&](size_t n) { fused(a[2], l, n); };
	auto apart = [&](size_t n) { split(l, n); };
	auto mpi = [&](size_t n) { by_mpi(h, n); };

	bench_measure_each({NULL, "wg", nbytes, bench.npes, {}, false, 0},
		{"allreduce_split", "allreduce_mpi", "allreduce_one", "allreduce_two"}, bench_timed(by_size),
		{bench_timed(apart), bench_timed(mpi), bench_timed(one_shot), bench_timed(two_shots)});
	check(l, "one shot", one_shot);
	check(l, "two shots", two_shots);
	check(l, "split", apart);
	for (int i = 2; i >= 0; i--)
		allreduce_destroy(&a[i]);
	gshmem_free(l.partial);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "apps_allreduce");
	bench_needs(2);
	/* on the cpu platform the PE has one core, and work-groups would wait for each other */
	const int ngroups = bench.one_clock ? 1 : std::min(64, std::max(1, bench_ncus()));

	for (int ntokens = 1; ntokens <= 256; ntokens *= 4)
		measure(ntokens, ngroups);
	bench_finalize();
	return 0;
}
