/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Layers of a transformer that is split over PEs, all in one kernel: each layer computes this PE's part of
 * its result, and the all-reduce, the residual and the normalization follow inside (allreduce.h). Beside it
 * the same as three steps on a stream, and on the CPU alone, for comparison.
 *
 *     gshmemcc -o allreduce allreduce.hip && mpirun -n 4 ./allreduce
 */
#include "allreduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vector>

#define NLAYERS 4
#define NTOKENS 24
#define HIDDEN  96
#define NGROUPS 4
#define EPS     1e-5F
#define N       (NTOKENS * HIDDEN)

/* Symmetric arrays. */
struct model {
	float *partial, *sum, *residual, *out; /* [NTOKENS][HIDDEN] */
	float *weight;                         /* [HIDDEN] */
};

/* What a PE contributes to an element of a layer: in place of its share of two matrix products. */
__host__ __device__ static float contribute(const float *token, int i, int layer, int pe)
{
	return (0.5F + 0.25F * (float)pe) * token[(i * 5 + layer) % HIDDEN];
}

/* The layer's part of this work-group's tokens. */
__device__ static void layer_wg(const struct model &m, int layer)
{
	const struct allreduce_range mine = allreduce_mine(NTOKENS);

	for (int i = (int)threadIdx.x; i < mine.n * HIDDEN; i += (int)blockDim.x) {
		const int t = mine.begin + i / HIDDEN;

		m.partial[t * HIDDEN + i % HIDDEN] =
			contribute(m.out + t * HIDDEN, i % HIDDEN, layer, gshmem_my_pe());
	}
	__syncthreads();
}

__global__ static void fused(struct allreduce a, struct model m)
{
	for (int layer = 0; layer < NLAYERS; layer++) {
		layer_wg(m, layer);
		allreduce_norm_wg(a, m.partial, m.residual, m.weight, m.out, NTOKENS, EPS);
	}
}

__global__ static void one_layer(struct model m, int layer)
{
	layer_wg(m, layer);
}

__global__ static void add_and_norm(struct model m)
{
	const struct allreduce_range mine = allreduce_mine(NTOKENS);
	float *residual = m.residual + mine.begin * HIDDEN, *out = m.out + mine.begin * HIDDEN;

	for (int i = (int)threadIdx.x; i < mine.n * HIDDEN; i += (int)blockDim.x)
		residual[i] += m.sum[mine.begin * HIDDEN + i];
	__syncthreads();
	allreduce_norm_rows_wg(out, residual, m.weight, mine.n, HIDDEN, EPS);
}

static int run_split(const struct model &m)
{
	int rc = 0;

	for (int layer = 0; layer < NLAYERS && !rc; layer++) {
		hipLaunchKernelGGL(one_layer, dim3(NGROUPS), dim3(64), 0, 0, m, layer);
		rc = gshmemx_float_sum_reduce_on_stream(GSHMEM_TEAM_WORLD, m.sum, m.partial, N, 0);
		hipLaunchKernelGGL(add_and_norm, dim3(NGROUPS), dim3(64), 0, 0, m);
	}
	return rc || hipDeviceSynchronize() != hipSuccess;
}

static int run_fused(struct model m, size_t one_shot_upto)
{
	struct allreduce a;
	void *args[] = {&a, &m};
	int rc = allreduce_create(&a, NTOKENS, HIDDEN, sizeof(float), NGROUPS, one_shot_upto);

	if (rc)
		return rc;
	/* Work-groups that wait for other PEs must all be resident. */
	rc = gshmemx_collective_launch(fused, dim3(NGROUPS), dim3(64), args, 0, 0);
	rc = hipDeviceSynchronize() != hipSuccess || rc;
	allreduce_destroy(&a);
	return rc;
}

static float first_value(int i)
{
	return (float)(i * 37 % 101) / 101 - 0.5F;
}

static void compute_alone(int npes, const std::vector<float> &weight, std::vector<float> &out)
{
	std::vector<float> residual(N), sum(N);

	for (int i = 0; i < N; i++)
		out[i] = first_value(i);
	for (int layer = 0; layer < NLAYERS; layer++)
		for (int t = 0; t < NTOKENS; t++) {
			float squares = 0;

			for (int i = 0; i < HIDDEN; i++) {
				float all = 0;

				for (int pe = 0; pe < npes; pe++)
					all += contribute(&out[t * HIDDEN], i, layer, pe);
				sum[i] = all;
			}
			for (int i = 0; i < HIDDEN; i++) {
				residual[t * HIDDEN + i] += sum[i];
				squares += residual[t * HIDDEN + i] * residual[t * HIDDEN + i];
			}
			for (int i = 0; i < HIDDEN; i++)
				out[t * HIDDEN + i] =
					residual[t * HIDDEN + i] / sqrtf(squares / HIDDEN + EPS) * weight[i];
		}
}

/* Sets the model up, runs it in one way, and copies what it made. */
template <typename Run>
static int run(const struct model &m, const std::vector<float> &weight, std::vector<float> &out, Run how)
{
	std::vector<float> first(N);
	int rc;

	for (int i = 0; i < N; i++)
		first[i] = first_value(i);
	rc = hipMemcpy(m.out, first.data(), N * sizeof(float), hipMemcpyHostToDevice) != hipSuccess ||
		hipMemset(m.residual, 0, N * sizeof(float)) != hipSuccess ||
		hipMemcpy(m.weight, weight.data(), HIDDEN * sizeof(float), hipMemcpyHostToDevice) !=
			hipSuccess ||
		hipDeviceSynchronize() != hipSuccess;
	gshmem_barrier_all();
	rc = rc || how() ||
		hipMemcpy(out.data(), m.out, N * sizeof(float), hipMemcpyDeviceToHost) != hipSuccess;
	gshmem_barrier_all();
	return rc;
}

static float difference(const std::vector<float> &a, const std::vector<float> &b)
{
	float largest = 0;

	for (int i = 0; i < N; i++)
		largest = fmaxf(largest, fabsf(a[i] - b[i]));
	return largest;
}

int main()
{
	gshmem_init();
	const int me = gshmem_my_pe();
	std::vector<float> weight(HIDDEN), alone(N), one(N), two(N), split(N);
	float *memory = (float *)gshmem_malloc((4 * N + HIDDEN) * sizeof(float));
	const struct model m = {memory, memory + N, memory + 2 * N, memory + 3 * N, memory + 4 * N};

	for (int i = 0; i < HIDDEN; i++)
		weight[i] = 1 + (float)(i % 7) / 8;
	compute_alone(gshmem_n_pes(), weight, alone);
	int rc = !memory || run(m, weight, one, [&] { return run_fused(m, (size_t)1 << 30); }) ||
		run(m, weight, two, [&] { return run_fused(m, 0); }) ||
		run(m, weight, split, [&] { return run_split(m); });

	const bool is_same = !memcmp(one.data(), two.data(), N * sizeof(float));
	const float worst = fmaxf(difference(one, alone), difference(split, alone));

	printf("PE %d: one and two shots give %s bits; against the CPU alone at most %.1e off\n", me,
		is_same ? "the same" : "different", (double)worst);
	gshmem_free(memory);
	gshmem_finalize();
	return rc || !is_same || !(worst < 1e-4F);
}
