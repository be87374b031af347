/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Layers with a mixture of experts, all in one kernel: each layer chooses the experts of each token, sends
 * the tokens to them, computes, and adds what comes back to the token (moe.h), in the way of few tokens and
 * in that of many. Beside it the same as kernels with exchanges by the host between them (split.h), and on
 * the CPU alone, for comparison.
 *
 *     gshmemcc -o moe moe.hip && mpirun -n 4 ./moe
 */
#include "moe.h"
#include "split.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NLAYERS        3
#define NTOKENS        20 /* of a PE, at most */
#define HIDDEN         48
#define EXPERTS_PER_PE 2
#define TOPK           2
#define NGROUPS        4
#define NTHREADS       64
#define N              (NTOKENS * HIDDEN)

/* Arrays of this PE, which need not be symmetric. */
struct model {
	float *tokens, *out; /* [NTOKENS][HIDDEN] */
	int *routing;        /* [NTOKENS][TOPK] */
	float *weights;      /* [NTOKENS][TOPK] */
	int ntokens, nexperts;
};

/* In place of a gate: expert 0 is the favourite, and some tokens have one expert only. */
__host__ __device__ static int choose_expert(int layer, int pe, int token, int k, int nexperts)
{
	const int i = (pe * NTOKENS + token) * 7 + layer * 5 + k * 11;

	return k && i % 5 == 0 ? -1 : i % 3 == 0 ? 0 : i % nexperts;
}

__host__ __device__ static float choose_weight(int token, int k)
{
	return k ? 0.25F : 0.5F + 0.125F * (float)(token % 3);
}

/* In place of two matrix products: element i of the result of an expert. */
__host__ __device__ static float expert_result(int expert, const float *token, int i)
{
	return 0.5F * token[(i * 5 + expert) % HIDDEN] + 0.0625F * (float)expert;
}

/* This work-group's tokens choose their experts. */
__device__ static void choose_wg(const struct model &m, int layer)
{
	const struct moe_range mine = moe_mine(m.ntokens);

	for (int i = mine.begin * TOPK + (int)threadIdx.x; i < mine.end * TOPK; i += (int)blockDim.x) {
		m.routing[i] = choose_expert(layer, gshmem_my_pe(), i / TOPK, i % TOPK, m.nexperts);
		m.weights[i] = choose_weight(i / TOPK, i % TOPK);
	}
	__syncthreads();
}

/* What came back is added to this work-group's tokens. */
__device__ static void add_wg(const struct model &m)
{
	const struct moe_range mine = moe_mine(m.ntokens);

	for (int i = mine.begin * HIDDEN + (int)threadIdx.x; i < mine.end * HIDDEN; i += (int)blockDim.x)
		m.tokens[i] += m.out[i];
	__syncthreads();
}

/* This work-group's share of this PE's experts and source PEs. */
__device__ static void compute_wg(const struct moe &moe, const struct moe_call &call, float *results)
{
	const float *tokens = (const float *)call.rows;

	for (int i = (int)blockIdx.x; i < EXPERTS_PER_PE * moe.npes; i += (int)gridDim.x) {
		const int expert = gshmem_my_pe() * EXPERTS_PER_PE + i / moe.npes;
		const struct moe_range rows = moe_rows(moe, call, expert, i % moe.npes);

		for (int at = rows.begin * HIDDEN + (int)threadIdx.x; at < rows.end * HIDDEN;
			at += (int)blockDim.x)
			results[at] = expert_result(expert, tokens + at / HIDDEN * HIDDEN, at % HIDDEN);
	}
}

__global__ static void fused(struct moe moe, struct model m, float *results)
{
	for (int layer = 0; layer < NLAYERS; layer++) {
		choose_wg(m, layer);
		const struct moe_call call = moe_dispatch_wg(moe, m.tokens, m.routing, m.ntokens, NTOKENS);

		compute_wg(moe, call, results);
		moe_combine_wg(moe, call, results, m.weights, m.out);
		add_wg(m);
	}
}

static int run_fused(struct model m, int few)
{
	struct moe_shape shape = {};
	struct moe moe;
	float *results;
	void *args[] = {&moe, &m, &results};
	int rc;

	shape.experts_per_pe = EXPERTS_PER_PE;
	shape.topk = TOPK;
	shape.ntokens = NTOKENS;
	shape.hidden = HIDDEN;
	shape.elem_nbytes = sizeof(float);
	shape.ngroups = NGROUPS;
	shape.few = few;
	shape.few_nrows = NTOKENS * TOPK; /* no pair is dropped: */
	shape.many_nrows = gshmem_n_pes() * NTOKENS * TOPK;
	rc = moe_create(&moe, &shape);
	if (rc)
		return rc;
	results = (float *)gshmem_malloc(
		(size_t)EXPERTS_PER_PE * (size_t)shape.many_nrows * HIDDEN * sizeof(float));
	/* Work-groups that wait for other PEs must all be resident. */
	rc = !results || gshmemx_collective_launch(fused, dim3(NGROUPS), dim3(NTHREADS), args, 0, 0);
	rc = hipDeviceSynchronize() != hipSuccess || rc;
	gshmem_free(results);
	moe_destroy(&moe);
	return rc;
}

__global__ static void choose(struct model m, int layer)
{
	choose_wg(m, layer);
}

/* What came from a source PE is in the order of experts. */
__global__ static void compute(struct split s)
{
	int row = 0;

	for (int i = 0; i < s.nexperts; i++)
		for (int end = row + s.came[i]; row < end; row++)
			for (int at = (int)threadIdx.x; at < HIDDEN; at += (int)blockDim.x)
				s.results[row * HIDDEN + at] =
					expert_result(gshmem_my_pe() * EXPERTS_PER_PE + i % EXPERTS_PER_PE,
						s.received + row * HIDDEN, at);
}

__global__ static void add(struct model m)
{
	add_wg(m);
}

static int run_split(const struct model &m)
{
	struct split s;
	int rc = split_create(&s, NTOKENS, EXPERTS_PER_PE, TOPK, HIDDEN);

	if (rc)
		return rc;
	for (int layer = 0; layer < NLAYERS && !rc; layer++) {
		hipLaunchKernelGGL(choose, dim3(NGROUPS), dim3(NTHREADS), 0, 0, m, layer);
		rc = split_run(&s, m.tokens, m.routing, m.weights, m.out, m.ntokens, NGROUPS, NTHREADS,
			split_by_gshmem(),
			[&] { hipLaunchKernelGGL(compute, dim3(1), dim3(NTHREADS), 0, 0, s); });
		hipLaunchKernelGGL(add, dim3(NGROUPS), dim3(NTHREADS), 0, 0, m);
		rc = hipDeviceSynchronize() != hipSuccess || rc;
	}
	split_destroy(&s);
	return rc;
}

static float first_value(int pe, int i)
{
	return (float)((pe * N + i) * 37 % 101) / 101 - 0.5F;
}

static void compute_alone(const struct model &m, std::vector<float> &tokens)
{
	const int me = gshmem_my_pe();

	for (int layer = 0; layer < NLAYERS; layer++)
		for (int t = 0; t < m.ntokens; t++) {
			float *token = &tokens[(size_t)(t * HIDDEN)], sums[HIDDEN] = {0};

			for (int i = 0; i < HIDDEN * TOPK; i++) {
				const int expert = choose_expert(layer, me, t, i % TOPK, m.nexperts);

				if (expert >= 0)
					sums[i / TOPK] += choose_weight(t, i % TOPK) *
						expert_result(expert, token, i / TOPK);
			}
			for (int i = 0; i < HIDDEN; i++)
				token[i] += sums[i];
		}
}

/* Sets the tokens up, runs the layers in one way, and copies what they made. */
template <typename Run>
static int run(const struct model &m, const std::vector<float> &first, std::vector<float> &made, Run how)
{
	int rc = hipMemcpy(m.tokens, first.data(), N * sizeof(float), hipMemcpyHostToDevice) != hipSuccess ||
		hipDeviceSynchronize() != hipSuccess;

	rc = rc || how() ||
		hipMemcpy(made.data(), m.tokens, N * sizeof(float), hipMemcpyDeviceToHost) != hipSuccess;
	return rc;
}

static float difference(const std::vector<float> &a, const std::vector<float> &b)
{
	float largest = 0;

	for (size_t i = 0; i < N; i++)
		largest = fmaxf(largest, fabsf(a[i] - b[i]));
	return largest;
}

int main()
{
	gshmem_init();
	const int me = gshmem_my_pe();
	std::vector<float> first(N), few(N), many(N), split(N), alone(N);
	float *memory = NULL;
	int rc = hipMalloc((void **)&memory, (2 * N + 2 * NTOKENS * TOPK) * sizeof(float)) != hipSuccess;
	const struct model m = {memory, memory + N, (int *)(memory + 2 * N + NTOKENS * TOPK), memory + 2 * N,
		NTOKENS - me % 3, gshmem_n_pes() * EXPERTS_PER_PE};

	for (int i = 0; i < N; i++)
		first[(size_t)i] = first_value(me, i);
	alone = first;
	compute_alone(m, alone);
	rc = rc || run(m, first, few, [&] { return run_fused(m, NTOKENS); }) ||
		run(m, first, many, [&] { return run_fused(m, 0); }) ||
		run(m, first, split, [&] { return run_split(m); });

	const bool is_same = !memcmp(few.data(), many.data(), N * sizeof(float));
	const float worst = fmaxf(difference(few, alone), difference(split, alone));

	printf("PE %d: ways of few and of many tokens give %s bits; against the CPU alone at most %.1e off\n",
		me, is_same ? "the same" : "different", (double)worst);
	(void)hipFree(memory);
	gshmem_finalize();
	return rc || !is_same || !(worst < 1e-4F);
}
