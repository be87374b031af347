/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * Layers of a transformer whose sequence is split over PEs, all in one kernel: each layer makes queries, keys
 * and values of its tokens, and attention over the tokens of all PEs follows inside (attention.h). Beside it
 * the same with a kernel, a put and a barrier on a stream for each block (split.h), and on the CPU alone.
 *
 *     gshmemcc -o attention attention.hip && mpirun -n 4 ./attention
 */
#include "attention.h"
#include "split.h"

#include <math.h>
#include <stdio.h>
#include <vector>

#define NLAYERS  3
#define NHEADS   2 /* of keys and values */
#define NQUERIES 2 /* heads of queries for each */
#define NTOKENS  24
#define DIM      16
#define NPARTS   2
#define NTHREADS 64
#define NGROUPS  (NHEADS * NPARTS)
#define N        (NHEADS * NQUERIES * NTOKENS * DIM)
#define NKEYS    (NHEADS * NTOKENS * DIM)
#define NROWS    (NHEADS * NQUERIES * NTOKENS)

static const struct attention_shape shape = {
	NHEADS, NQUERIES, NTOKENS, DIM, NPARTS, sizeof(float), 0.25F /* 1 / sqrt(DIM) */, true};

/* Of a PE. */
struct model {
	struct attention_shape shape;
	float *x, *q, *out; /* [NHEADS][NQUERIES][NTOKENS][DIM] */
	float *k, *v;       /* [NHEADS][NTOKENS][DIM] */
};

/* In place of products with weights: element i of a token's query, key or value. */
__host__ __device__ static float project(const float *token, int i, int layer, int which)
{
	return token[(i * 5 + layer + which) % DIM] + (which == 2 ? 0.25F : 0.5F) * token[(i + 3) % DIM];
}

/* The layer's queries, keys and values of this work-group. Keys are those of the first head of queries. */
__device__ static void project_wg(const struct model &m, int layer)
{
	const struct attention_share mine = attention_mine(m.shape);

	for (int i = mine.rows.begin * DIM + (int)threadIdx.x; i < mine.rows.end * DIM; i += (int)blockDim.x)
		m.q[i] = project(m.x + i / DIM * DIM, i % DIM, layer, 0);
	for (int i = mine.tokens.begin * DIM + (int)threadIdx.x; i < mine.tokens.end * DIM;
		i += (int)blockDim.x) {
		const float *token = m.x + (mine.head * NQUERIES * NTOKENS + i / DIM % NTOKENS) * DIM;

		m.k[i] = project(token, i % DIM, layer, 1);
		m.v[i] = project(token, i % DIM, layer, 2);
	}
	__syncthreads();
}

/* The residual: this work-group's rows. */
__device__ static void add_wg(const struct model &m)
{
	const struct attention_share mine = attention_mine(m.shape);

	for (int i = mine.rows.begin * DIM + (int)threadIdx.x; i < mine.rows.end * DIM; i += (int)blockDim.x)
		m.x[i] += m.out[i];
}

__global__ static void fused(struct attention a, struct model m)
{
	for (int layer = 0; layer < NLAYERS; layer++) {
		project_wg(m, layer);
		attention_wg(a, m.q, m.k, m.v, m.out);
		add_wg(m);
		attention_meet_wg(a); /* a work-group's keys are made of rows of all */
	}
}

__global__ static void begin_layer(struct model m, int layer)
{
	project_wg(m, layer);
}

__global__ static void end_layer(struct model m)
{
	add_wg(m);
}

static int run_split(const struct model &m)
{
	struct attention a;
	int rc = attention_create(&a, &m.shape);

	if (rc)
		return rc;
	for (int layer = 0; layer < NLAYERS && !rc; layer++) {
		hipLaunchKernelGGL(begin_layer, dim3(NGROUPS), dim3(NTHREADS), 0, 0, m, layer);
		rc = split_attention(a, m.q, m.k, m.v, m.out, NTHREADS);
		hipLaunchKernelGGL(end_layer, dim3(NGROUPS), dim3(NTHREADS), 0, 0, m);
	}
	rc = hipDeviceSynchronize() != hipSuccess || rc;
	attention_destroy(&a);
	return rc;
}

static int run_fused(struct model m)
{
	struct attention a;
	void *args[] = {&a, &m};
	int rc = attention_create(&a, &m.shape);

	if (rc)
		return rc;
	/* Work-groups that wait for other PEs must all be resident. */
	rc = gshmemx_collective_launch(fused, dim3(NGROUPS), dim3(NTHREADS), args, 0, 0);
	rc = hipDeviceSynchronize() != hipSuccess || rc;
	attention_destroy(&a);
	return rc;
}

static float first_value(int pe, int i)
{
	return (float)((pe * 11 + i) * 37 % 101) / 101 - 0.5F;
}

/* What a query of PE pe gets, in double, from the keys k[i] and values v[i] of all PEs i. */
static void attend(const std::vector<std::vector<float>> &k, const std::vector<std::vector<float>> &v,
	const std::vector<float> &query, int pe, int head, int token, float *out)
{
	std::vector<double> weights, sum(DIM);
	double largest = -1e30, all = 0;

	for (int s = 0; s <= pe * NTOKENS + token; s++) {
		const float *key = &k[s / NTOKENS][(head * NTOKENS + s % NTOKENS) * DIM];
		double score = 0;

		for (int i = 0; i < DIM; i++)
			score += (double)query[i] * (double)key[i];
		weights.push_back(score * (double)shape.scale);
		largest = fmax(largest, weights.back());
	}
	for (int s = 0; s <= pe * NTOKENS + token; s++) {
		const double weight = exp(weights[s] - largest);

		all += weight;
		for (int i = 0; i < DIM; i++)
			sum[i] += weight * (double)v[s / NTOKENS][(head * NTOKENS + s % NTOKENS) * DIM + i];
	}
	for (int i = 0; i < DIM; i++)
		out[i] = (float)(sum[i] / all);
}

static std::vector<float> compute_alone(int npes)
{
	std::vector<std::vector<float>> x(npes), k(npes), v(npes), out(npes);

	for (int pe = 0; pe < npes; pe++) {
		k[pe].resize(NKEYS);
		v[pe].resize(NKEYS);
		out[pe].resize(N);
		for (int i = 0; i < N; i++)
			x[pe].push_back(first_value(pe, i));
	}
	for (int layer = 0; layer < NLAYERS; layer++) {
		for (int pe = 0; pe < npes; pe++)
			for (int i = 0; i < NKEYS; i++) {
				const int head = i / (NTOKENS * DIM), rest = i % (NTOKENS * DIM);
				const float *token =
					&x[pe][head * NQUERIES * NTOKENS * DIM + rest / DIM * DIM];

				k[pe][i] = project(token, i % DIM, layer, 1);
				v[pe][i] = project(token, i % DIM, layer, 2);
			}
		for (int pe = 0; pe < npes; pe++)
			for (int row = 0; row < NROWS; row++) {
				std::vector<float> query(DIM);

				for (int i = 0; i < DIM; i++)
					query[i] = project(&x[pe][row * DIM], i, layer, 0);
				attend(k, v, query, pe, row / (NQUERIES * NTOKENS), row % NTOKENS,
					&out[pe][row * DIM]);
			}
		for (int pe = 0; pe < npes; pe++)
			for (int i = 0; i < N; i++)
				x[pe][i] += out[pe][i];
	}
	return x[gshmem_my_pe()];
}

/* Sets x up, runs the layers in one way, and copies what they made of it. */
template <typename Run> static int run(const struct model &m, std::vector<float> &x, Run how)
{
	int rc;

	for (int i = 0; i < N; i++)
		x[i] = first_value(gshmem_my_pe(), i);
	rc = hipMemcpy(m.x, x.data(), N * sizeof(float), hipMemcpyHostToDevice) != hipSuccess;
	return rc || how() ||
		hipMemcpy(x.data(), m.x, N * sizeof(float), hipMemcpyDeviceToHost) != hipSuccess;
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
	std::vector<float> in_one(N), split(N);
	const std::vector<float> alone = compute_alone(gshmem_n_pes());
	float *memory = (float *)gshmem_malloc((3 * N + 2 * NKEYS) * sizeof(float));
	const struct model m = {
		shape, memory, memory + N, memory + 2 * N, memory + 3 * N, memory + 3 * N + NKEYS};
	int rc = !memory || run(m, in_one, [&] { return run_fused(m); }) ||
		run(m, split, [&] { return run_split(m); });
	const float worst = fmaxf(difference(in_one, alone), difference(split, alone));

	printf("PE %d: against the CPU alone at most %.1e off\n", me, (double)worst);
	gshmem_free(memory);
	gshmem_finalize();
	return rc || !(worst < 1e-4F);
}
