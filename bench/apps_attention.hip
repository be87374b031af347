/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Attention over the tokens of all PEs in one kernel (apps/attention), against a kernel, a put and a barrier
 * on a stream for each block of keys and values (attention_split_). raw_us and ratio refer to the latter; us
 * are per call, of which the fused form makes many in a kernel, and bytes are the keys and values of a PE.
 * The names end in the number of a PE's tokens.
 */
#include "bench.h"

#include "../apps/attention/split.h"

#define NHEADS 2
#define DIM    64

struct problem {
	struct attention a;
	float *q, *k, *v, *out; /* [NHEADS][ntokens][DIM] */
	size_t nelems;          /* of each */
	int nthreads;
};

__global__ static void __launch_bounds__(256)
	fused_kernel(struct attention a, const float *q, const float *k, const float *v, float *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		attention_wg(a, q, k, v, out);
}

static void fused(struct problem &p, size_t ncalls)
{
	const unsigned ngroups = (unsigned)(p.a.shape.nheads * p.a.shape.nparts);
	void *args[] = {&p.a, &p.q, &p.k, &p.v, &p.out, &ncalls};

	t_equal(gshmemx_collective_launch(
			fused_kernel, dim3(ngroups), dim3((unsigned)p.nthreads), args, 0, 0),
		0, "apps_attention: the launch");
	t_hip(hipDeviceSynchronize());
}

static void split_form(struct problem &p, size_t ncalls)
{
	for (size_t i = 0; i < ncalls; i++)
		t_equal(split_attention(p.a, p.q, p.k, p.v, p.out, p.nthreads), 0,
			"apps_attention: the split form");
	t_hip(hipDeviceSynchronize());
}

static float value_of(int pe, int which, size_t i)
{
	return (float)(((size_t)pe * 5 + (size_t)which * 7 + i * 13) % 23) / 16 - 0.6875F;
}

static void allocate(struct problem &p, int ntokens)
{
	/* On the cpu platform a PE has one core. */
	const int nparts = bench.one_clock ? 1 : std::max(1, std::min(ntokens, bench_ncus() / NHEADS));
	const struct attention_shape shape = {
		NHEADS, 1, ntokens, DIM, nparts, sizeof(float), 0.125F /* 1 / sqrt(DIM) */, true};
	float *arrays[3];

	p.nelems = (size_t)(NHEADS * ntokens * DIM);
	p.nthreads = bench.one_clock ? 64 : 256;
	t_equal(attention_create(&p.a, &shape), 0, "apps_attention: create");
	t_hip(hipMalloc((void **)&p.q, 4 * p.nelems * sizeof(float)));
	p.k = p.q + p.nelems;
	p.v = p.k + p.nelems;
	p.out = p.v + p.nelems;
	arrays[0] = p.q, arrays[1] = p.k, arrays[2] = p.v;
	for (int which = 0; which < 3; which++) {
		std::vector<float> values(p.nelems);

		for (size_t i = 0; i < p.nelems; i++)
			values[i] = value_of(bench.pe, which, i);
		bench_write(arrays[which], values.data(), p.nelems * sizeof(float));
	}
}

static void give_back(struct problem &p)
{
	t_hip(hipFree(p.q));
	attention_destroy(&p.a);
}

/* What a query of this PE gets, from the tokens of all PEs up to its own. */
static std::vector<double> attend(const struct problem &p, int head, int token)
{
	const int n = p.a.shape.ntokens;
	const size_t first = (size_t)(head * n) * DIM;
	std::vector<double> sums(DIM);
	double all = 0;

	for (int i = 0; i <= bench.pe * n + token; i++) {
		const size_t at = first + (size_t)(i % n) * DIM;
		double score = 0;

		for (size_t j = 0; j < DIM; j++)
			score += (double)value_of(bench.pe, 0, first + (size_t)token * DIM + j) *
				(double)value_of(i / n, 1, at + j);
		score = exp((double)p.a.shape.scale * score);
		all += score;
		for (size_t j = 0; j < DIM; j++)
			sums[j] += score * (double)value_of(i / n, 2, at + j);
	}
	for (double &sum : sums)
		sum /= all;
	return sums;
}

static void check(struct problem &p)
{
	std::vector<float> got(p.nelems);

	for (auto form : {fused, split_form}) {
		t_hip(hipMemset(p.out, 0, p.nelems * sizeof(float)));
		form(p, 2);
		bench_read(got.data(), p.out, p.nelems * sizeof(float));
		for (size_t row = 0; row < p.nelems / DIM; row++) {
			const int n = p.a.shape.ntokens;
			const std::vector<double> expected = attend(p, (int)row / n, (int)row % n);

			for (size_t i = 0; i < DIM; i++)
				t_check(fabs((double)got[row * DIM + i] - expected[i]) < 1e-5,
					"apps_attention: %d tokens: the %s form: row %zu, element %zu is %g, "
					"not %g",
					n, form == fused ? "fused" : "split", row, i,
					(double)got[row * DIM + i], expected[i]);
		}
		gshmem_barrier_all();
	}
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "apps_attention");
	bench_needs(2);
	for (int ntokens = 4; ntokens <= (bench.one_clock ? 256 : 1024); ntokens *= 4) {
		struct problem p;
		const std::string name = "attention_split_" + std::to_string(ntokens);

		allocate(p, ntokens);
		auto timed = [&p](void (*form)(struct problem &, size_t)) {
			return bench_timed([&p, form](size_t reps) { form(p, reps); });
		};
		bench_measure_each({"", "wg", 2 * p.a.block_nbytes, bench.npes, {}, false, 0}, {name.c_str()},
			timed(fused), {timed(split_form)});
		check(p);
		give_back(p);
	}
	bench_finalize();
	return 0;
}
