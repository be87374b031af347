/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The all-reduce behind a layer of a transformer that is split over PEs, fused with what follows it. Each PE
 * has a partial result of all tokens. allreduce_norm_wg adds the parts of all PEs to the residual, and
 * normalizes each token by its root mean square (B. Zhang, R. Sennrich, "Root Mean Square Layer
 * Normalization", NeurIPS 2019):
 *
 *     residual[t][i] += sum over PEs of partial[t][i]
 *     out[t][i]       = residual[t][i] / sqrt(mean over i of residual[t][i]^2 + eps) * weight[i]
 *
 * Work-group g of each PE works on the g-th share of the tokens, and with the work-groups g of the other PEs
 * alone. There are two algorithms, and the same bits come out of both, on all PEs and in all runs: sums are
 * made in float, in the order of PEs.
 *
 *   one shot   each PE puts its part to all others, and all make all sums: the time of one message
 *   two shots  tokens belong to PEs. Each PE puts to each other one its part of that one's tokens; the owner
 *              makes the sums, and puts them into the residual of all: the time of two messages, of
 *              1/npes of the bytes each
 *
 * What is ordered by what: a put_signal raises the signal behind its data; nothing else needs a fence or a
 * quiet. A work-group raises signals to the number of its call, so they are never reset. The inbox and the
 * signals of parts are there twice, for odd and for even calls: a PE that makes call n + 2 has finished call
 * n + 1, for which this PE has sent its part only after it had all parts of call n, and had added them. So
 * nothing of call n is under way to where call n + 2 puts. With one set of signals, that of call n + 1 may
 * arrive before that of call n. In two shots a PE puts sums into a residual when it has got that PE's part of
 * this call; that one has then finished the call before.
 *
 * For another shape change allreduce_part: it says which tokens a work-group has, and which of these a PE.
 */
#ifndef APPS_ALLREDUCE_H
#define APPS_ALLREDUCE_H

#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx.h>

#define ALLREDUCE_MOST_THREADS 1024 /* of a work-group */

struct allreduce {
	int hidden;           /* elements of a token */
	int npes;             /* all arrays are symmetric: */
	size_t half_nbytes;   /* of the inbox */
	size_t one_shot_upto; /* bytes of a work-group's tokens */
	char *inbox; /* [2][half_nbytes]: in each half [npes][tokens of a work-group] for each work-group */
	size_t group_nbytes; /* of a work-group in a half */
	uint64_t *came;      /* [2][ngroups][npes]: the last call of which that PE's part is here, */
	uint64_t *sums;      /* [ngroups][npes]: or its sums */
	uint64_t *ncalls;    /* [ngroups]: of this PE */
};

/* A range of tokens. */
struct allreduce_range {
	int begin, n;
};

/* The tokens of part i of n parts. */
__host__ __device__ static inline struct allreduce_range allreduce_part(
	struct allreduce_range whole, int i, int n)
{
	const int begin = (int)((long)whole.n * i / n), end = (int)((long)whole.n * (i + 1) / n);
	const struct allreduce_range part = {whole.begin + begin, end - begin};

	return part;
}

/*
 * Allocates for at most ntokens tokens of elements of elem_nbytes. Collective, on the host. Returns 0, or
 * -ENOMEM on all PEs. one_shot_upto: the bytes of a work-group's tokens up to which there is one shot; 0:
 * always two.
 */
static inline int allreduce_create(
	struct allreduce *a, int ntokens, int hidden, size_t elem_nbytes, int ngroups, size_t one_shot_upto)
{
	const size_t token_nbytes = (size_t)hidden * elem_nbytes;
	const int npes = gshmem_n_pes(), most = (ntokens + ngroups - 1) / ngroups;
	const size_t owned = (size_t)((most + npes - 1) / npes) * token_nbytes,
		     nsignals = (size_t)ngroups * (size_t)npes;
	size_t part = (size_t)most * token_nbytes;

	part = part <= one_shot_upto ? part : one_shot_upto > owned ? one_shot_upto : owned;
	part = (part + 15) / 16 * 16;
	a->hidden = hidden;
	a->npes = npes;
	a->one_shot_upto = one_shot_upto;
	a->group_nbytes = (size_t)npes * part;
	a->half_nbytes = (size_t)ngroups * a->group_nbytes;
	a->inbox = (char *)gshmem_malloc(2 * a->half_nbytes);
	a->came = (uint64_t *)gshmem_calloc(3 * nsignals + (size_t)ngroups, sizeof *a->came);
	a->sums = a->came + 2 * nsignals;
	a->ncalls = a->sums + nsignals;
	if (a->inbox && a->came)
		return 0;
	gshmem_free(a->came);
	gshmem_free(a->inbox);
	return -ENOMEM;
}

/* Collective, on the host. */
static inline void allreduce_destroy(struct allreduce *a)
{
	gshmem_free(a->came);
	gshmem_free(a->inbox);
}

#if defined(__cplusplus) && GSHMEMI_KERNELS

/* The tokens of the calling work-group. */
__device__ static inline struct allreduce_range allreduce_mine(int ntokens)
{
	const struct allreduce_range all = {0, ntokens};

	return allreduce_part(all, (int)blockIdx.x, (int)gridDim.x);
}

/* The sum of a value of each thread, for all of them, in an order that depends on the group's size alone. */
__device__ static inline float allreduce_sum_wg(float value)
{
	__shared__ float sums[ALLREDUCE_MOST_THREADS];
	unsigned n = blockDim.x, rest;
	float sum;

	sums[threadIdx.x] = value;
	__syncthreads();
	for (; n > 1; n = rest) {
		rest = (n + 1) / 2;
		if (threadIdx.x < n / 2)
			sums[threadIdx.x] += sums[threadIdx.x + rest];
		__syncthreads();
	}
	sum = sums[0];
	__syncthreads();
	return sum;
}

/* Wait until the signals of all other PEs have come to n. */
__device__ static inline void allreduce_wait_wg(const struct allreduce &a, uint64_t *signals, uint64_t n)
{
	const int me = gshmem_my_pe();

	for (int hop = 1; hop < a.npes; hop++)
		gshmemx_signal_wait_until_wg(&signals[(me + hop) % a.npes], GSHMEM_CMP_GE, n);
}

/* The sums of tokens, of which parts[pe] are at inbox + pe * stride, and this PE's at mine. */
template <typename T>
__device__ static inline void allreduce_add_wg(
	const struct allreduce &a, T *residual, const T *mine, const char *inbox, size_t stride, int ntokens)
{
	const int me = gshmem_my_pe();

	for (size_t i = threadIdx.x; i < (size_t)ntokens * (size_t)a.hidden; i += blockDim.x) {
		float sum = 0;

		for (int pe = 0; pe < a.npes; pe++)
			sum += (float)(pe == me ? mine : (const T *)(inbox + (size_t)pe * stride))[i];
		residual[i] = (T)((float)residual[i] + sum);
	}
}

/* Root mean square normalization of tokens. */
template <typename T>
__device__ static inline void allreduce_norm_rows_wg(
	T *out, const T *residual, const T *weight, int ntokens, int hidden, float eps)
{
	for (int t = 0; t < ntokens; t++, out += hidden, residual += hidden) {
		float sum = 0;

		for (int i = (int)threadIdx.x; i < hidden; i += (int)blockDim.x)
			sum += (float)residual[i] * (float)residual[i];
		const float scale = 1 / sqrtf(allreduce_sum_wg(sum) / (float)hidden + eps);

		for (int i = (int)threadIdx.x; i < hidden; i += (int)blockDim.x)
			out[i] = (T)((float)residual[i] * scale * (float)weight[i]);
	}
}

/*
 * The fused call, by all threads of ngroups work-groups of all PEs, the same way. partial, residual and out
 * are [ntokens][hidden], weight [hidden]; residual is symmetric, and equal on all PEs. ntokens stays the same
 * within a kernel, because work-groups that share the tokens out anew would have to meet. The call returns
 * when the work-group's tokens of residual and out are written here, and partial may be written again. Tokens
 * of other work-groups may be in use.
 */
template <typename T>
__device__ static inline void allreduce_norm_wg(const struct allreduce &a, const T *partial, T *residual,
	const T *weight, T *out, int ntokens, float eps)
{
	const int me = gshmem_my_pe(), group = (int)blockIdx.x, ngroups = (int)gridDim.x;
	const struct allreduce_range mine = allreduce_mine(ntokens);
	const size_t token_nbytes = (size_t)a.hidden * sizeof(T), nbytes = (size_t)mine.n * token_nbytes;
	const size_t stride = a.group_nbytes / (size_t)a.npes, first = (size_t)mine.begin * (size_t)a.hidden;
	const uint64_t n = a.ncalls[group] + 1;
	uint64_t *came = a.came + ((n & 1) * (size_t)ngroups + (size_t)group) * (size_t)a.npes,
		 *sums = a.sums + (size_t)group * (size_t)a.npes;
	char *inbox = a.inbox + (n & 1) * a.half_nbytes + (size_t)group * a.group_nbytes;
	const bool is_one_shot = nbytes <= a.one_shot_upto;
	const struct allreduce_range owned = is_one_shot ? mine : allreduce_part(mine, me, a.npes);
	const size_t at = (size_t)owned.begin * (size_t)a.hidden;

	for (int hop = 1; hop < a.npes; hop++) {
		const int pe = (me + hop) % a.npes;
		const struct allreduce_range to = is_one_shot ? mine : allreduce_part(mine, pe, a.npes);

		gshmemx_putmem_signal_wg(inbox + (size_t)me * stride,
			partial + (size_t)to.begin * (size_t)a.hidden, (size_t)to.n * token_nbytes, &came[me],
			n, GSHMEM_SIGNAL_SET, pe);
	}
	allreduce_wait_wg(a, came, n);
	allreduce_add_wg(a, residual + at, partial + at, inbox, stride, owned.n);
	__syncthreads();
	if (!is_one_shot) {
		for (int hop = 1; hop < a.npes; hop++)
			gshmemx_putmem_signal_wg(residual + at, residual + at, (size_t)owned.n * token_nbytes,
				&sums[me], n, GSHMEM_SIGNAL_SET, (me + hop) % a.npes);
		allreduce_wait_wg(a, sums, n);
	}
	allreduce_norm_rows_wg(out + first, residual + first, weight, mine.n, a.hidden, eps);
	__syncthreads();
	if (threadIdx.x == 0)
		a.ncalls[group] = n;
	__syncthreads();
}

#endif

#endif /* APPS_ALLREDUCE_H */
