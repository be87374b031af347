/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 */
/*
 * apps/attention: calls that follow each other with one handle, in two kernels, of float or bfloat16, with
 * and without later tokens, by one or more work-groups of a head, of which one is late. Each call has other
 * queries, keys and values, which are written as soon as the call before has returned. Results are those that
 * the CPU computes in double.
 */
#include "../apps/attention/attention.h"

#include <math.h>
#include <vector>

#include "helpers.h"

#define NCALLS 3            /* of each kernel */
#define ALL    (2 * NCALLS) /* calls with one handle */
#define DELAY  3000

struct config {
	int nheads, nqueries, ntokens, dim, nparts;
	bool is_causal;
	int nthreads;
};
static const struct config configs[] = {{2, 2, 5, 9, 2, true, 64}, {1, 3, 4, 8, 3, false, 32},
	{1, 1, ATTENTION_TILE + 6, 3, 2, true, 96}, {3, 1, 1, 5, 1, true, 64}, {1, 1, 3, 4, 4, false, 64}};

/* What the calls compute on, and what they record. */
template <typename T> struct work {
	T *q, *k, *v; /* [nheads][nqueries][ntokens][dim], [nheads][ntokens][dim] */
	T *out;       /* [ALL], each as q */
};

__host__ __device__ static float value_of(int pe, int call, int which, int i)
{
	return (float)((pe * 5 + call * 3 + which * 7 + i * 13) % 23 - 11) / 8;
}

/* This work-group's part. */
template <typename T>
__device__ static void write_wg(const struct attention_shape &s, const work<T> &w, int call)
{
	const struct attention_share mine = attention_mine(s);
	const int me = gshmem_my_pe(), thread = (int)threadIdx.x, nthreads = (int)blockDim.x;

	for (int i = mine.rows.begin * s.dim + thread; i < mine.rows.end * s.dim; i += nthreads)
		w.q[i] = (T)value_of(me, call, 0, i);
	for (int i = mine.tokens.begin * s.dim + thread; i < mine.tokens.end * s.dim; i += nthreads) {
		w.k[i] = (T)value_of(me, call, 1, i);
		w.v[i] = (T)value_of(me, call, 2, i);
	}
	__syncthreads();
}

template <typename T> __global__ void repeat(struct attention a, work<T> w, int first_call)
{
	const struct attention_shape &s = a.shape;
	const size_t nelems = (size_t)s.nheads * (size_t)(s.nqueries * s.ntokens * s.dim);

	for (int call = first_call; call < first_call + NCALLS; call++) {
		write_wg(s, w, call);
		if ((int)blockIdx.x == (call + gshmem_my_pe()) % (int)gridDim.x)
			for (volatile int i = 0; i < DELAY;)
				i = i + 1;
		attention_wg(a, w.q, w.k, w.v, w.out + (size_t)call * nelems);
	}
}

/* The values as T has them, of PE pe. */
template <typename T> static std::vector<double> values(int pe, int call, int which, size_t n)
{
	std::vector<double> all(n);

	for (size_t i = 0; i < n; i++)
		all[i] = (double)(float)(T)value_of(pe, call, which, (int)i);
	return all;
}

/* The sums of a query of this PE, and that of weights. */
template <typename T>
static std::vector<double> attend(
	const struct attention_shape &s, int call, const double *query, int head, int token, int npes)
{
	const size_t nkeys = (size_t)(s.nheads * s.ntokens * s.dim);
	std::vector<double> sums((size_t)s.dim + 1);

	for (int pe = 0; pe < npes; pe++) {
		const std::vector<double> k = values<T>(pe, call, 1, nkeys),
					  v = values<T>(pe, call, 2, nkeys);
		const int me = gshmem_my_pe();

		for (int t = 0; t < s.ntokens && (!s.is_causal || pe < me || (pe == me && t <= token)); t++) {
			const size_t at = (size_t)((head * s.ntokens + t) * s.dim);
			double score = 0;

			for (int i = 0; i < s.dim; i++)
				score += query[i] * k[at + (size_t)i];
			for (int i = 0; i < s.dim; i++)
				sums[(size_t)i] += exp((double)s.scale * score) * v[at + (size_t)i];
			sums[(size_t)s.dim] += exp((double)s.scale * score);
		}
	}
	return sums;
}

template <typename T>
static void check_call(const struct attention_shape &s, int call, const T *out, double tolerance)
{
	const int npes = gshmem_n_pes(), nrows = s.nheads * s.nqueries * s.ntokens;
	const std::vector<double> q = values<T>(gshmem_my_pe(), call, 0, (size_t)(nrows * s.dim));

	for (int row = 0; row < nrows; row++) {
		const std::vector<double> sums = attend<T>(s, call, &q[(size_t)(row * s.dim)],
			row / (s.nqueries * s.ntokens), row % s.ntokens, npes);

		for (int i = 0; i < s.dim; i++) {
			const double got = (double)(float)out[row * s.dim + i],
				     expected = sums[(size_t)i] / sums[(size_t)s.dim];

			t_check(fabs(got - expected) <= tolerance,
				"%d heads, %zu bytes, call %d: row %d, element %d is %g, not %g", s.nheads,
				sizeof(T), call, row, i, got, expected);
		}
	}
}

/* tolerance: of results, which are less than 2. */
template <typename T> static void check(const struct config &c, double tolerance)
{
	const size_t nkeys = (size_t)(c.nheads * c.ntokens * c.dim), n = nkeys * (size_t)c.nqueries;
	const unsigned ngroups = (unsigned)(c.nheads * c.nparts);
	struct attention_shape shape = {
		c.nheads, c.nqueries, c.ntokens, c.dim, c.nparts, sizeof(T), 0.5F, c.is_causal};
	struct attention a;
	std::vector<T> out(ALL * n);
	int first_call;

	t_equal(attention_create(&a, &shape), 0, "create");
	T *memory = (T *)gshmem_malloc((n + 2 * nkeys + ALL * n) * sizeof(T));
	work<T> w = {memory, memory + n, memory + n + nkeys, memory + n + 2 * nkeys};
	void *args[] = {&a, &w, &first_call};

	t_check(memory, "out of memory");
	for (first_call = 0; first_call < ALL; first_call += NCALLS)
		t_equal(gshmemx_collective_launch(
				repeat<T>, dim3(ngroups), dim3((unsigned)c.nthreads), args, 0, 0),
			0, "launch");
	t_hip(hipDeviceSynchronize());
	t_hip(hipMemcpy(out.data(), w.out, out.size() * sizeof(T), hipMemcpyDeviceToHost));
	for (int call = 0; call < ALL; call++)
		check_call(shape, call, &out[(size_t)call * n], tolerance);
	gshmem_free(memory);
	attention_destroy(&a);
}

int main(void)
{
	gshmem_init();
	for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
		check<float>(configs[i], 1e-5);
		if (i < 2)
			check<gshmemx_bfloat16_t>(configs[i], 1.0 / 256); /* half a unit of a value below 2 */
	}
	gshmem_finalize();
	return 0;
}
