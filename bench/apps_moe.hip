/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * Dispatch and combine of a mixture of experts (apps/moe), in one kernel, by the way of few tokens. raw_us
 * and ratio of moe_split refer to the same work as kernels with exchanges by gshmem's host calls between
 * them, those of moe_mpi to kernels with MPI's exchanges, and those of moe_many to the fused call by the way
 * of many tokens. us are per call, and bytes is what a PE sends per call.
 */
#include "bench.h"

#include "../apps/moe/moe.h"
#include "../apps/moe/split.h"

enum { NTHREADS = 64, HIDDEN = 512, EXPERTS_PER_PE = 4, TOPK = 2 };

struct layer {
	float *tokens, *out, *weights; /* [ntokens][HIDDEN] twice, [ntokens][TOPK] */
	int *routing;                  /* [ntokens][TOPK] */
	int ntokens, ngroups;
};

static int choose_expert(int pe, int token, int k)
{
	return ((pe * 31 + token) * 7 + k * 5) % (bench.npes * EXPERTS_PER_PE);
}

/* Small whole numbers, so that sums are exact. */
static float token_value(int pe, int token, int i)
{
	return (float)((pe * 3 + token * 5 + i) % 17 - 8);
}

__host__ __device__ static float expert_result(int expert, float value)
{
	return value * (float)(1 + expert % 3);
}

__global__ static void fused_kernel(struct moe m, struct layer l, int most, size_t reps)
{
	const int first = gshmem_my_pe() * EXPERTS_PER_PE;

	for (size_t rep = 0; rep < reps; rep++) {
		const struct moe_call call = moe_dispatch_wg(m, l.tokens, l.routing, l.ntokens, most);
		float *rows = (float *)call.rows;

		for (int i = blockIdx.x; i < m.nexperts; i += gridDim.x) {
			const int expert = first + i / m.npes;
			const struct moe_range range = moe_rows(m, call, expert, i % m.npes);

			for (int at = range.begin * HIDDEN + threadIdx.x; at < range.end * HIDDEN;
				at += blockDim.x)
				rows[at] = expert_result(expert, rows[at]);
		}
		moe_combine_wg(m, call, rows, l.weights, l.out);
	}
}

/* Work-groups that wait for other PEs must all be resident: a cooperative launch sees to it. */
static void fused(struct moe &m, struct layer &l, int most, size_t reps)
{
	void *args[] = {&m, &l, &most, &reps};

	t_hip(hipLaunchCooperativeKernel(fused_kernel, dim3(l.ngroups), dim3(NTHREADS), args, 0, 0));
	t_hip(hipDeviceSynchronize());
}

/* What came from a source PE is in the order of experts. */
__global__ static void compute_kernel(struct split s)
{
	int row = 0;

	for (int i = 0; i < s.nexperts; row += s.came[i++]) {
		const int expert = gshmem_my_pe() * EXPERTS_PER_PE + i % EXPERTS_PER_PE;

		if (i % gridDim.x != blockIdx.x)
			continue;
		for (int at = row * HIDDEN + threadIdx.x; at < (row + s.came[i]) * HIDDEN; at += blockDim.x)
			s.results[at] = expert_result(expert, s.received[at]);
	}
}

template <typename Exchange> static void run_split(const struct split &s, const struct layer &l, size_t reps)
{
	for (size_t rep = 0; rep < reps; rep++)
		t_equal(split_run(&s, l.tokens, l.routing, l.weights, l.out, l.ntokens, l.ngroups, NTHREADS,
				Exchange(),
				[&] {
					hipLaunchKernelGGL(
						compute_kernel, dim3(l.ngroups), dim3(NTHREADS), 0, 0, s);
				}),
			0, "split");
}

/* MPI's exchanges. Where the CPU cannot touch device memory, MPI gets copies. */
/* What MPI reads, or writes, in place of n elements at ptr. */
template <typename T> static T *host_of(const T *ptr, std::vector<T> &copy, size_t n)
{
	copy.resize(GSHMEMI_ARCH_HOST_DIRECT ? 0 : n);
	return GSHMEMI_ARCH_HOST_DIRECT ? (T *)ptr : copy.data();
}

struct by_mpi {
	static void counts(int *dest, const int *source, size_t n)
	{
		std::vector<int> came, sent;
		int *to = host_of(dest, came, n * bench.npes), *from = host_of(source, sent, n * bench.npes);

		if (!GSHMEMI_ARCH_HOST_DIRECT)
			bench_read(from, source, sent.size() * sizeof(int));
		MPI_Alltoall(from, (int)n, MPI_INT, to, (int)n, MPI_INT, MPI_COMM_WORLD);
		if (!GSHMEMI_ARCH_HOST_DIRECT)
			bench_write(dest, to, came.size() * sizeof(int));
	}
	static void tokens(float *dest, const split_sizes &to, const float *source, const split_sizes &from)
	{
		static std::vector<float> came, sent;
		float *in = host_of(dest, came, to.displs.back() + to.nelems.back()),
		      *out = host_of(source, sent, from.displs.back() + from.nelems.back());
		const std::vector<int> in_n(to.nelems.begin(), to.nelems.end()),
			in_at(to.displs.begin(), to.displs.end()),
			out_n(from.nelems.begin(), from.nelems.end()),
			out_at(from.displs.begin(), from.displs.end());

		if (!GSHMEMI_ARCH_HOST_DIRECT)
			bench_read(out, source, sent.size() * sizeof(float));
		MPI_Alltoallv(out, out_n.data(), out_at.data(), MPI_FLOAT, in, in_n.data(), in_at.data(),
			MPI_FLOAT, MPI_COMM_WORLD);
		if (!GSHMEMI_ARCH_HOST_DIRECT)
			bench_write(dest, in, came.size() * sizeof(float));
	}
	static void results(float *dest, const split_sizes &to, const float *source, const split_sizes &from)
	{
		tokens(dest, to, source, from);
	}
};

static void create(struct layer *l, struct moe *m, struct split *s)
{
	const size_t nelems = (size_t)l->ntokens * HIDDEN, npairs = (size_t)l->ntokens * TOPK;
	std::vector<float> tokens(nelems), weights(npairs, 0.5F);
	std::vector<int> routing(npairs);
	struct moe_shape shape = {};

	for (size_t i = 0; i < nelems; i++)
		tokens[i] = token_value(bench.pe, (int)(i / HIDDEN), (int)(i % HIDDEN));
	for (size_t i = 0; i < npairs; i++)
		routing[i] = choose_expert(bench.pe, (int)(i / TOPK), (int)(i % TOPK));
	t_hip(hipMalloc((void **)&l->tokens, nelems * sizeof(float)));
	t_hip(hipMalloc((void **)&l->out, nelems * sizeof(float)));
	t_hip(hipMalloc((void **)&l->weights, npairs * sizeof(float)));
	t_hip(hipMalloc((void **)&l->routing, npairs * sizeof(int)));
	bench_write(l->tokens, tokens.data(), nelems * sizeof(float));
	bench_write(l->weights, weights.data(), npairs * sizeof(float));
	bench_write(l->routing, routing.data(), npairs * sizeof(int));
	shape.experts_per_pe = EXPERTS_PER_PE;
	shape.topk = TOPK;
	shape.ntokens = l->ntokens;
	shape.hidden = HIDDEN;
	shape.elem_nbytes = sizeof(float);
	shape.ngroups = l->ngroups;
	shape.few = l->ntokens;
	shape.few_nrows = (int)npairs / (bench.npes * EXPERTS_PER_PE) + TOPK;
	shape.many_nrows = bench.npes * (int)npairs;
	t_equal(moe_create(m, &shape), 0, "create");
	t_equal(split_create(s, l->ntokens, EXPERTS_PER_PE, TOPK, HIDDEN), 0, "create");
}

static void destroy(struct layer *l, struct moe *m, struct split *s)
{
	split_destroy(s);
	moe_destroy(m);
	t_hip(hipFree(l->routing));
	t_hip(hipFree(l->weights));
	t_hip(hipFree(l->out));
	t_hip(hipFree(l->tokens));
}

/* out of one call in a way. */
static void check(const struct layer &l, const char *way, const std::function<void()> &call)
{
	std::vector<float> out((size_t)l.ntokens * HIDDEN);

	bench_fill(l.out, 0xff, out.size() * sizeof(float));
	call();
	bench_read(out.data(), l.out, out.size() * sizeof(float));
	for (int i = 0; i < l.ntokens * HIDDEN; i++) {
		float sum = 0;

		for (int k = 0; k < TOPK; k++)
			sum += 0.5F *
				expert_result(choose_expert(bench.pe, i / HIDDEN, k),
					token_value(bench.pe, i / HIDDEN, i % HIDDEN));
		t_check(out[(size_t)i] == sum, "apps_moe: %d tokens, %s: element %d is %g, not %g", l.ntokens,
			way, i, (double)out[(size_t)i], (double)sum);
	}
}

/* Bytes of tokens and results that this PE sends to others. */
static size_t count_bytes(int ntokens)
{
	size_t n = 0;

	for (int i = 0; i < ntokens * TOPK * bench.npes; i++) {
		const int pe = i / (ntokens * TOPK), pair = i % (ntokens * TOPK);
		const int owner = choose_expert(pe, pair / TOPK, pair % TOPK) / EXPERTS_PER_PE;

		n += owner != pe && (owner == bench.pe || pe == bench.pe);
	}
	return n * HIDDEN * sizeof(float);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "apps_moe");
	bench_needs(2);

	for (int ntokens = 1; ntokens <= 4096; ntokens *= 8) {
		struct layer l = {};
		struct moe m;
		struct split s;
		std::vector<std::string> names;

		l.ntokens = ntokens;
		l.ngroups = bench.one_clock ? 1 : std::min(64, std::max(4, bench_ncus()));
		create(&l, &m, &s);
		for (const char *other : {"moe_split_", "moe_mpi_", "moe_many_"})
			names.push_back(other + std::to_string(ntokens));

		auto timed = [&](const char *way, auto run) -> bench_run {
			check(l, way, [&] { run(2); });
			return bench_timed(run);
		};
		const bench_run few = timed("few", [&](size_t reps) { fused(m, l, ntokens, reps); }),
				many = timed("many", [&](size_t reps) { fused(m, l, ntokens + 1, reps); }),
				by_host = timed("split",
					[&](size_t reps) { run_split<split_by_gshmem>(s, l, reps); }),
				mpi = timed("MPI", [&](size_t reps) { run_split<by_mpi>(s, l, reps); });

		bench_measure_each({"", "wg", count_bytes(ntokens), bench.npes, {}, false, 0},
			{names[0].c_str(), names[1].c_str(), names[2].c_str()}, few, {by_host, mpi, many});
		destroy(&l, &m, &s);
	}
	bench_finalize();
	return 0;
}
