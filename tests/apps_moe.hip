/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 */
/*
 * apps/moe: calls that follow each other with one handle, in three kernels, with few and with many tokens in
 * turns, of float or bfloat16. PEs have different numbers of tokens, or none, and in the second kernel other
 * numbers in each call; tokens go to all experts, to one, to the same one twice, or to those of one PE;
 * buffers are large enough, or too small. Results, rows and dropped pairs are those that the CPU computes.
 */
#include "../apps/moe/moe.h"

#include <vector>

#include "helpers.h"

#define NCALLS 4            /* of each kernel */
#define ALL    (3 * NCALLS) /* calls with one handle */
#define SHIFT  1            /* elements by which arrays are unaligned */
#define DELAY  2000

enum kind {
	SPREAD,   /* to all experts, and sometimes to none */
	ONE,      /* all tokens to one expert */
	TWICE,    /* each token to the same expert topk times; every second expert has no token */
	NEIGHBOUR /* in turns to experts of the same PE, and of the next PE alone */
};

struct config {
	enum kind kind;
	int experts_per_pe, topk, ntokens, hidden, ngroups, nthreads;
	int few, few_nrows, many_nrows; /* 0: as many as are needed */
};
static const struct config configs[] = {{SPREAD, 2, 2, 9, 33, 3, 64, 5, 0, 0},
	{SPREAD, 1, 1, 3, 1, 4, 64, 9, 0, 0}, {SPREAD, 3, 4, 13, 7, 2, 128, 0, 0, 0},
	{ONE, 2, 1, 9, 24, 3, 96, 5, 0, 0}, {ONE, 2, 3, 7, 5, 2, 64, 4, 6, 12},
	{TWICE, 2, 3, 8, 17, 2, 64, 5, 0, 0}, {SPREAD, 2, 2, 16, 10, 4, 64, 9, 1, 11},
	{NEIGHBOUR, 2, 2, 6, 9, 2, 64, 9, 0, 0}, {NEIGHBOUR, 2, 2, 6, 9, 2, 64, 4, 2, 0}};

/* What the calls compute on, and what they record. */
struct work {
	struct config config;
	int *routing;    /* [ntokens][topk] */
	float *weights;  /* [ntokens][topk] */
	int *nrows;      /* [ALL][nexperts]: rows of this PE's experts, for each PE */
	int *ndropped;   /* [ALL] */
	uint64_t *ahead; /* symmetric: how often other PEs have finished a call that PE 0 holds up */
	int nexperts;
};

/* In the first kernel all; in the second some, more or fewer in each call; in the third none on some PEs. */
__host__ __device__ static int count_tokens(const struct config &c, int pe, int call)
{
	const int n = call < NCALLS ? c.ntokens
		: call < 2 * NCALLS ? c.ntokens / 2 - (pe + call) % 3
				    : (pe + 1) % 2 * c.ntokens;

	return n > 0 ? n : 0;
}

/* No PE has more. In the second kernel those of every second call may be few. */
__host__ __device__ static int bound_tokens(const struct config &c, int call)
{
	return call / NCALLS == 1 && call % 2 ? c.ntokens / 2 : c.ntokens;
}

__host__ __device__ static int route(const struct config &c, int npes, int pe, int call, int token, int k)
{
	const int i = (pe * 5 + token) * 7 + call * 3 + k, nexperts = npes * c.experts_per_pe;

	switch (c.kind) {
	case ONE:
		return call % nexperts;
	case TWICE:
		return (i - k) / 7 * 2 % (nexperts / 2 * 2);
	case NEIGHBOUR:
		return (pe + call % 2) % npes * c.experts_per_pe + i % c.experts_per_pe;
	default:
		return i % 5 == 0 ? -1 : i % nexperts;
	}
}

__host__ __device__ static float token_value(int pe, int call, int token, int i)
{
	return (float)((pe * 5 + call * 3 + token * 7 + i) % 23 - 11) / 4;
}

__host__ __device__ static float weight_of(int call, int token, int k)
{
	return (float)(1 + (call + token + k) % 4) / 4;
}

__host__ __device__ static float result_of(int expert, float value)
{
	return value * (float)(1 + expert % 3) + (float)(expert % 5);
}

/* This work-group's tokens. */
template <typename T>
__device__ static void prepare_wg(const struct work &w, T *tokens, int call, int ntokens)
{
	const struct moe_range mine = moe_mine(ntokens);
	const int me = gshmem_my_pe(), topk = w.config.topk, hidden = w.config.hidden;

	for (int i = mine.begin * hidden + (int)threadIdx.x; i < mine.end * hidden; i += (int)blockDim.x)
		tokens[i] = (T)token_value(me, call, i / hidden, i % hidden);
	for (int i = mine.begin * topk + (int)threadIdx.x; i < mine.end * topk; i += (int)blockDim.x) {
		w.routing[i] = route(w.config, gshmem_n_pes(), me, call, i / topk, i % topk);
		w.weights[i] = weight_of(call, i / topk, i % topk);
	}
	__syncthreads();
}

/* The work-groups share this PE's experts and the source PEs. */
template <typename T>
__device__ static void compute_wg(
	const struct moe &m, const struct moe_call &call, const struct work &w, T *results, int ncalls)
{
	const int hidden = w.config.hidden, first = gshmem_my_pe() * w.config.experts_per_pe;

	for (int i = (int)blockIdx.x; i < w.nexperts; i += (int)gridDim.x) {
		const int expert = first + i / m.npes;
		const struct moe_range rows = moe_rows(m, call, expert, i % m.npes);

		for (int at = rows.begin * hidden + (int)threadIdx.x; at < rows.end * hidden;
			at += (int)blockDim.x)
			results[at] = (T)result_of(expert, (float)((const T *)call.rows)[at]);
		if (threadIdx.x == 0)
			w.nrows[ncalls * w.nexperts + i] = rows.end - rows.begin;
	}
}

/*
 * In even calls of NEIGHBOUR a PE needs nothing of another one after dispatch. Then PE 0 goes on when all
 * others have finished the call, and gives them time to send the counts of the next.
 */
__device__ static void hold_up_wg(const struct work &w, int ncalls)
{
	if (w.config.kind != NEIGHBOUR || ncalls % 2 || gshmem_my_pe())
		return;
	gshmemx_signal_wait_until_wg(
		w.ahead, GSHMEM_CMP_GE, (uint64_t)(ncalls / 2 + 1) * (uint64_t)(gshmem_n_pes() - 1));
	for (volatile int i = 0; i < DELAY;)
		i = i + 1;
}

template <typename T>
__global__ void repeat(struct moe m, struct work w, T *tokens, T *results, T *made, int first_call)
{
	const int me = gshmem_my_pe(), nelems = w.config.ntokens * w.config.hidden;

	for (int i = first_call; i < first_call + NCALLS; i++) {
		const int ntokens = count_tokens(w.config, me, i);

		if (i > first_call && ntokens != count_tokens(w.config, me, i - 1))
			moe_meet_wg(m);
		prepare_wg(w, tokens, i, ntokens);
		const struct moe_call call =
			moe_dispatch_wg(m, tokens, w.routing, ntokens, bound_tokens(w.config, i));
		T *to = i % 2 ? results : (T *)call.rows;

		hold_up_wg(w, i);
		compute_wg(m, call, w, to, i);
		moe_combine_wg(m, call, to, w.weights, made + i * nelems);
		if (blockIdx.x == 0 && threadIdx.x == 0) {
			w.ndropped[i] = call.ndropped;
			if (i % 2 == 0 && me)
				gshmem_signal_add(w.ahead, 1, 0);
		}
	}
}

/* Which pairs have a row: kept[pe][expert], of all pairs in the order of expert, PE, token. */
static void count_kept(const struct config &c, int call, std::vector<int> *kept)
{
	const int npes = gshmem_n_pes(), nexperts = npes * c.experts_per_pe;
	const bool is_few = bound_tokens(c, call) <= c.few;
	int nused = 0;

	for (int i = 0; i < nexperts * npes; i++) {
		const int expert = i / npes, pe = i % npes;
		int n = 0, room;

		for (int j = 0; j < count_tokens(c, pe, call) * c.topk; j++)
			n += route(c, npes, pe, call, j / c.topk, j % c.topk) == expert;
		nused = expert % c.experts_per_pe || pe ? nused : 0;
		room = is_few ? c.few_nrows : c.many_nrows - nused;
		(*kept)[(size_t)(pe * nexperts + expert)] = n < room ? n : room;
		nused += (*kept)[(size_t)(pe * nexperts + expert)];
	}
}

/* The token's sum; rest[expert] pairs of this PE still have a row. */
template <typename T>
static void sum_up(
	const struct config &c, int call, int token, std::vector<int> *rest, int *ndropped, T *sums)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	std::vector<float> sum((size_t)c.hidden);

	for (int k = 0; k < c.topk; k++) {
		const int expert = route(c, npes, me, call, token, k);

		if (expert < 0)
			continue;
		if ((*rest)[(size_t)expert]-- <= 0) {
			++*ndropped;
			continue;
		}
		for (int i = 0; i < c.hidden; i++)
			sum[(size_t)i] += weight_of(call, token, k) *
				(float)(T)result_of(expert, token_value(me, call, token, i));
	}
	for (int i = 0; i < c.hidden; i++)
		sums[i] = (T)sum[(size_t)i];
}

template <typename T>
static void check_call(const struct config &c, int call, const std::vector<T> &made,
	const std::vector<int> &nrows, const std::vector<int> &ndropped)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), nexperts = npes * c.experts_per_pe;
	std::vector<int> kept((size_t)(npes * nexperts)), rest;
	std::vector<T> sums((size_t)c.hidden);
	int dropped = 0;

	count_kept(c, call, &kept);
	rest.assign(kept.begin() + me * nexperts, kept.begin() + (me + 1) * nexperts);
	for (int i = 0; i < nexperts; i++)
		t_equal(nrows[(size_t)(call * nexperts + i)],
			kept[(size_t)(i % npes * nexperts + me * c.experts_per_pe + i / npes)], "rows");
	for (int t = 0; t < count_tokens(c, me, call); t++) {
		sum_up(c, call, t, &rest, &dropped, sums.data());
		for (int i = 0; i < c.hidden; i++) {
			const float got = (float)made[(size_t)((call * c.ntokens + t) * c.hidden + i)];

			t_check(got == (float)sums[(size_t)i],
				"kind %d, %d experts, call %d, %zu bytes: token %d, element %d is %g, not %g",
				c.kind, c.experts_per_pe, call, sizeof(T), t, i, (double)got,
				(double)(float)sums[(size_t)i]);
		}
	}
	t_equal(ndropped[(size_t)call], dropped, "dropped pairs");
}

template <typename T> static void check(struct config c)
{
	const int npes = gshmem_n_pes(), nexperts = npes * c.experts_per_pe;
	const size_t npairs = (size_t)(c.ntokens * c.topk), nelems = (size_t)(c.ntokens * c.hidden);
	struct moe_shape shape = {};
	struct moe m;
	int first_call;

	c.few_nrows = c.few_nrows ? c.few_nrows : (int)npairs;
	c.many_nrows = c.many_nrows ? c.many_nrows : npes * (int)npairs;
	shape.experts_per_pe = c.experts_per_pe;
	shape.topk = c.topk;
	shape.ntokens = c.ntokens;
	shape.hidden = c.hidden;
	shape.elem_nbytes = sizeof(T);
	shape.ngroups = c.ngroups;
	shape.few = c.few;
	shape.few_nrows = c.few_nrows;
	shape.many_nrows = c.many_nrows;
	t_equal(moe_create(&m, &shape), 0, "create");

	const size_t nresults = (size_t)(nexperts * c.few_nrows + c.many_nrows) * (size_t)c.hidden;
	std::vector<int> record((size_t)(ALL * (nexperts + 1))), ndropped(ALL);
	std::vector<T> made(ALL * nelems);
	T *memory = (T *)gshmem_calloc(SHIFT + nelems + nresults + made.size(), sizeof(T));
	int *ints = (int *)gshmem_calloc(2 * npairs + record.size(), sizeof(int));
	uint64_t *ahead = (uint64_t *)gshmem_calloc(1, sizeof *ahead);
	T *tokens = memory + SHIFT, *results = tokens + nelems, *out = results + nresults;
	struct work w = {c, ints, (float *)(ints + npairs), ints + 2 * npairs,
		ints + 2 * npairs + ALL * nexperts, ahead, nexperts};
	void *args[] = {&m, &w, &tokens, &results, &out, &first_call};

	t_check(memory && ints && ahead, "out of memory");
	for (first_call = 0; first_call < ALL; first_call += NCALLS)
		t_equal(gshmemx_collective_launch(
				repeat<T>, dim3((unsigned)c.ngroups), dim3((unsigned)c.nthreads), args, 0, 0),
			0, "launch");
	t_hip(hipDeviceSynchronize());
	t_hip(hipMemcpy(made.data(), out, made.size() * sizeof(T), hipMemcpyDeviceToHost));
	t_hip(hipMemcpy(record.data(), w.nrows, record.size() * sizeof(int), hipMemcpyDeviceToHost));
	ndropped.assign(record.begin() + ALL * nexperts, record.end());
	for (int call = 0; call < ALL; call++)
		check_call(c, call, made, record, ndropped);
	gshmem_free(ahead);
	gshmem_free(ints);
	gshmem_free(memory);
	moe_destroy(&m);
}

int main(void)
{
	gshmem_init();
	for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
		if (i % 2)
			check<gshmemx_bfloat16_t>(configs[i]);
		else
			check<float>(configs[i]);
	}
	gshmem_finalize();
	return 0;
}
