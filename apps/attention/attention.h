/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attention over a sequence that is split over PEs. PE p has the queries, keys and values of tokens
 * p * ntokens to (p + 1) * ntokens - 1, and attention_wg gives each of its queries the sum over the tokens of
 * all PEs, or with is_causal over those that do not come later:
 *
 *     out[t] = sum over s of w[s] * v[s], where w is the softmax over s of scale * (q[t] . k[s])
 *
 * The block of keys and values of each PE goes round the ring of PEs, and a PE computes with a block while it
 * is on its way to the next PE (H. Liu, M. Zaharia, P. Abbeel, "Ring Attention with Blockwise Transformers
 * for Near-Infinite Context", 2023). A query keeps its largest score so far, and its sums relative to that;
 * when a larger score comes they are scaled (M. Milakov, N. Gimelshein, "Online normalizer calculation for
 * softmax", 2018).
 *
 * A head of keys and values serves nqueries heads of queries. nparts work-groups work on it: they share out
 * the rows of queries, and the tokens of a block that they pass on. They need the same work-groups of the two
 * neighbours, and no others.
 *
 * What is ordered by what. Blocks are numbered through all calls: in call n, from 0, a PE gets the blocks
 * n * (npes - 1) + 1 and up. Block b lies in half b & 1 of the buffer.
 *
 *   a block is here      when each part has raised the signal of its half twice, behind keys and behind
 *                        values
 *   a block may be put   when each work-group of the next PE has raised the signal of that half, for the
 *                        block that lay there before. It does so after it has computed with that block, and
 *                        after a quiet, because it has passed the block on from where it lies
 *   the caller's keys    are complete when the work-groups of the head have met, as a call begins. They may
 *                        be written again when each has raised another signal, after its first block
 *
 * Signals are never reset. Why each half has its own: a work-group may raise the signal of block b + 1 before
 * another one has raised that of block b, and with one signal the sum would pass for all parts of block b.
 * The signal of block b + 2 rises only after all parts of block b have come and all have computed with it. So
 * nobody waits for anything but lower blocks of the next PE, and the ring cannot wait for itself.
 *
 * For your own inner loop change attention_block_wg: it is written to be read, not to be fast.
 */
#ifndef APPS_ATTENTION_H
#define APPS_ATTENTION_H

#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx.h>

#define ATTENTION_TILE 64 /* keys whose scores are in LDS at a time */

/* Equal on all PEs. */
struct attention_shape {
	int nheads;   /* of keys and values */
	int nqueries; /* heads of queries that share one of these */
	int ntokens;  /* of a PE */
	int dim;      /* elements of a query, key or value */
	int nparts;   /* work-groups of a head; a kernel has nheads * nparts */
	size_t elem_nbytes;
	float scale; /* of scores: 1 / sqrt(dim), most often */
	bool is_causal;
};

struct attention {
	struct attention_shape shape;
	int npes;
	size_t block_nbytes; /* of the keys, or the values, of a PE; all arrays are symmetric: */
	char *blocks;        /* [2][2][nheads][ntokens][dim]: keys, then values */
	uint64_t *came;      /* [2][nheads]: puts to that half, */
	uint64_t *freed;     /* [2][nheads]: work-groups of the next PE that need its half no more, */
	uint64_t *met;       /* [nheads]: work-groups of this PE that have come to meet, */
	uint64_t *read;      /* [nheads]: or need the caller's keys and values no more */
	uint64_t *ncalls;    /* [ngroups]: calls that the work-group of this PE has finished, */
	uint64_t *nmet;      /* [ngroups]: and how often it has met */
	float *sums; /* [nheads * nqueries * ntokens][dim + 2]: of a query the largest score, the sums of
			weighted values, and that of weights */
};

/* From begin to before end. */
struct attention_range {
	int begin, end;
};

/* The share of a work-group, all of it of one head. */
struct attention_share {
	int head;
	struct attention_range rows;   /* of [nheads][nqueries][ntokens] queries, */
	struct attention_range tokens; /* and of [nheads][ntokens] keys and values, those that it passes on */
};

/* Collective, on the host. Returns 0, or -ENOMEM on all PEs. */
static inline int attention_create(struct attention *a, const struct attention_shape *shape)
{
	const size_t nheads = (size_t)shape->nheads, ngroups = nheads * (size_t)shape->nparts;
	const size_t nrows = nheads * (size_t)shape->nqueries * (size_t)shape->ntokens;

	a->shape = *shape;
	a->npes = gshmem_n_pes();
	a->block_nbytes = nheads * (size_t)shape->ntokens * (size_t)shape->dim * shape->elem_nbytes;
	a->blocks = (char *)gshmem_malloc(4 * a->block_nbytes);
	a->came = (uint64_t *)gshmem_calloc(6 * nheads + 2 * ngroups, sizeof *a->came);
	a->freed = a->came + 2 * nheads;
	a->met = a->freed + 2 * nheads;
	a->read = a->met + nheads;
	a->ncalls = a->read + nheads;
	a->nmet = a->ncalls + ngroups;
	a->sums = (float *)gshmem_malloc(nrows * (size_t)(shape->dim + 2) * sizeof *a->sums);
	if (a->blocks && a->came && a->sums)
		return 0;
	gshmem_free(a->sums);
	gshmem_free(a->came);
	gshmem_free(a->blocks);
	return -ENOMEM;
}

/* Collective, on the host. */
static inline void attention_destroy(struct attention *a)
{
	gshmem_free(a->sums);
	gshmem_free(a->came);
	gshmem_free(a->blocks);
}

#if defined(__cplusplus) && GSHMEMI_KERNELS

/* Part i of n parts of the nrows rows of a head. */
__device__ static inline struct attention_range attention_part(int head, int nrows, int i, int n)
{
	const int first = head * nrows;
	const struct attention_range part = {
		first + (int)((long)nrows * i / n), first + (int)((long)nrows * (i + 1) / n)};

	return part;
}

/* What the calling work-group has. */
__device__ static inline struct attention_share attention_mine(const struct attention_shape &s)
{
	const int part = (int)blockIdx.x % s.nparts;
	struct attention_share mine;

	mine.head = (int)blockIdx.x / s.nparts;
	mine.rows = attention_part(mine.head, s.nqueries * s.ntokens, part, s.nparts);
	mine.tokens = attention_part(mine.head, s.ntokens, part, s.nparts);
	return mine;
}

/* The work-groups of this PE that share the calling one's head meet: then each sees what the others wrote. */
__device__ static inline void attention_meet_wg(const struct attention &a)
{
	uint64_t *met = a.met + (int)blockIdx.x / a.shape.nparts;
	const uint64_t n = a.nmet[blockIdx.x] + 1;

	gshmemx_fence_wg();
	if (threadIdx.x == 0) {
		a.nmet[blockIdx.x] = n;
		gshmem_signal_add(met, 1, gshmem_my_pe());
	}
	gshmemx_signal_wait_until_wg(met, GSHMEM_CMP_GE, n * (uint64_t)a.shape.nparts);
}

/* How many keys of PE source count for the query of this token, one of PE me. */
__device__ static inline int attention_count_keys(
	const struct attention_shape &s, int me, int token, int source)
{
	if (!s.is_causal || source < me)
		return s.ntokens;
	return source == me ? token + 1 : 0;
}

/* One tile of keys and values for one query. scores is in LDS; the first tile of a call initializes sums. */
template <typename T>
__device__ static inline void attention_tile_wg(float *scores, float *sums, const T *query, const T *keys,
	const T *values, int nkeys, int dim, float scale, bool is_first)
{
	const int nthreads = (int)blockDim.x, thread = (int)threadIdx.x;
	float largest, kept;

	for (int key = thread; key < nkeys; key += nthreads) {
		float score = 0;

		for (int i = 0; i < dim; i++)
			score += (float)query[i] * (float)keys[(size_t)key * (size_t)dim + (size_t)i];
		scores[key] = scale * score;
	}
	__syncthreads();
	largest = is_first ? scores[0] : sums[0];
	for (int key = 0; key < nkeys; key++)
		largest = fmaxf(largest, scores[key]);
	kept = is_first ? 0 : expf(sums[0] - largest);
	__syncthreads();
	for (int key = thread; key < nkeys; key += nthreads)
		scores[key] = expf(scores[key] - largest);
	__syncthreads();
	for (int i = thread; i < dim + 1; i += nthreads) { /* the last one sums up the weights */
		float sum = is_first ? 0 : kept * sums[1 + i];

		for (int key = 0; key < nkeys; key++)
			sum += i == dim ? scores[key]
					: scores[key] * (float)values[(size_t)key * (size_t)dim + (size_t)i];
		sums[1 + i] = sum;
	}
	if (thread == 0)
		sums[0] = largest;
	__syncthreads();
}

/* The block of PE source, for the work-group's queries. */
template <typename T>
__device__ static inline void attention_block_wg(const struct attention &a,
	const struct attention_share &mine, const T *q, const T *keys, const T *values, int source)
{
	__shared__ float scores[ATTENTION_TILE];
	const struct attention_shape &s = a.shape;
	const int me = gshmem_my_pe(), dim = s.dim;
	const size_t first = (size_t)(mine.head * s.ntokens);

	for (int row = mine.rows.begin; row < mine.rows.end; row++) {
		const int nkeys = attention_count_keys(s, me, row % s.ntokens, source);

		for (int key = 0; key < nkeys; key += ATTENTION_TILE)
			attention_tile_wg(scores, a.sums + (size_t)row * (size_t)(dim + 2),
				q + (size_t)row * (size_t)dim, keys + (first + (size_t)key) * (size_t)dim,
				values + (first + (size_t)key) * (size_t)dim,
				nkeys - key < ATTENTION_TILE ? nkeys - key : ATTENTION_TILE, dim, s.scale,
				source == me && key == 0);
	}
}

/* When all blocks have come. */
template <typename T>
__device__ static inline void attention_finish_wg(
	const struct attention &a, const struct attention_share &mine, T *out)
{
	const int dim = a.shape.dim;

	for (int i = mine.rows.begin * dim + (int)threadIdx.x; i < mine.rows.end * dim;
		i += (int)blockDim.x) {
		const float *sum = a.sums + (size_t)(i / dim) * (size_t)(dim + 2);

		out[i] = (T)(sum[1 + i % dim] / sum[1 + dim]);
	}
	__syncthreads();
}

/* Where the keys of a block lie in a buffer; its values follow. */
__host__ __device__ static inline char *attention_place(const struct attention &a, uint64_t block)
{
	return a.blocks + (block & 1) * 2 * a.block_nbytes;
}

/* The signal of the half in which a block lies. */
__device__ static inline uint64_t *attention_half(
	const struct attention &a, uint64_t *signals, int head, uint64_t block)
{
	return signals + (block & 1) * (size_t)a.shape.nheads + (size_t)head;
}

/* Puts the work-group's part of keys and values to where the next PE has the block of this number. */
__device__ static inline void attention_pass_wg(const struct attention &a, const struct attention_share &mine,
	const char *keys, const char *values, uint64_t block)
{
	const size_t row_nbytes = (size_t)a.shape.dim * a.shape.elem_nbytes,
		     at = (size_t)mine.tokens.begin * row_nbytes,
		     nbytes = (size_t)(mine.tokens.end - mine.tokens.begin) * row_nbytes;
	uint64_t *came = attention_half(a, a.came, mine.head, block);
	char *place = attention_place(a, block) + at;
	const int next = (gshmem_my_pe() + 1) % a.npes;

	gshmemx_signal_wait_until_wg(attention_half(a, a.freed, mine.head, block), GSHMEM_CMP_GE,
		(uint64_t)a.shape.nparts * ((block - 1) / 2));
	gshmemx_putmem_signal_nbi_wg(place, keys + at, nbytes, came, 1, GSHMEM_SIGNAL_ADD, next);
	gshmemx_putmem_signal_nbi_wg(
		place + a.block_nbytes, values + at, nbytes, came, 1, GSHMEM_SIGNAL_ADD, next);
}

/*
 * The call, by all threads of nheads * nparts work-groups of all PEs. q and out are
 * [nheads][nqueries][ntokens][dim], k and v [nheads][ntokens][dim]; none need be symmetric. A work-group
 * calls when its own part of k and v is written (attention_mine), and its own rows of q: the work-groups of a
 * head meet. The call returns when the work-group's rows of out are written, and q, k and v may be written
 * again.
 */
template <typename T>
__device__ static inline void attention_wg(
	const struct attention &a, const T *q, const T *k, const T *v, T *out)
{
	const struct attention_shape &s = a.shape;
	const struct attention_share mine = attention_mine(s);
	const T *keys = k, *values = v;
	const int me = gshmem_my_pe(), npes = a.npes, previous = (me + npes - 1) % npes;
	const uint64_t n = a.ncalls[blockIdx.x], nparts = (uint64_t)s.nparts;
	uint64_t block = n * (uint64_t)(npes - 1); /* the next PE has these keys as block + 1 */

	attention_meet_wg(a);
	for (int step = 0; step < npes; step++, block++) {
		if (step > 0) {
			gshmemx_signal_wait_until_wg(attention_half(a, a.came, mine.head, block),
				GSHMEM_CMP_GE, 2 * nparts * ((block + 1) / 2));
			keys = (const T *)(const void *)attention_place(a, block);
			values = keys + a.block_nbytes / sizeof(T);
		}
		if (step < npes - 1)
			attention_pass_wg(a, mine, (const char *)keys, (const char *)values, block + 1);
		attention_block_wg(a, mine, q, keys, values, (me + npes - step) % npes);
		gshmemx_quiet_wg(); /* keys and values have been passed on */
		if (threadIdx.x == 0)
			gshmem_signal_add(
				step > 0 ? attention_half(a, a.freed, mine.head, block) : &a.read[mine.head],
				1, step > 0 ? previous : me);
	}
	attention_finish_wg(a, mine, out);
	gshmemx_signal_wait_until_wg(&a.read[mine.head], GSHMEM_CMP_GE, nparts * (n + 1));
	if (threadIdx.x == 0)
		a.ncalls[blockIdx.x] = n + 1;
	__syncthreads();
}

#endif

#endif /* APPS_ATTENTION_H */
