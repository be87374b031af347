/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dispatch and combine of a mixture of experts whose experts are spread over PEs (D. Lepikhin et al.,
 * "GShard", ICLR 2021): PE p has the experts from p * experts_per_pe on. Dispatch sends each token to the PEs
 * of its experts, the kernel computes there, and combine sends the results back and adds them up.
 *
 * A token and one of its experts are a pair. From dispatch to combine a pair has a row at the expert's PE,
 * which receives the token, and a place at its own PE, which receives the result. Places are in the order of
 * experts. Tokens travel in one of two ways:
 *
 *   few tokens   each expert has a region of rows for each PE. A work-group puts a pair's token straight
 *                into its row: the time of one message, and one message for each pair
 *   many tokens  the rows of a PE are dense, in the order of experts, then of source PEs. A PE must have the
 *                counts of all PEs before it knows its rows: the time of two messages. Meanwhile it copies
 *                its tokens to their places, where those for one expert are contiguous. Then one message
 *                takes many: there are at most nexperts + ngroups
 *
 * What is ordered by what. In each call a PE puts its counts, how many of its pairs have which expert, to
 * each PE, and adds MOE_CALL - n to the signal there, if n of its pairs are for that PE. A put of rows adds
 * their number. So when the counts and all rows of a PE are here, in whatever order they arrived, its signal
 * has risen by MOE_CALL, and when the counts are here, by more than half of that. A put of results adds
 * their number to another signal. Signals are never reset. The work-groups of a PE meet when dispatch
 * begins, when combine begins, and before they put many tokens: each makes a fence, adds 1 to a signal of
 * its own PE, and waits for the others. There is no quiet, and no barrier of PEs.
 *
 * Why nothing of call n + 1 arrives where a PE still reads what call n brought:
 *
 *   counts, with the signals of counts and rows, are double-buffered by the parity of the call. A PE that
 *       sends its counts of call n + 2 has all counts of call n + 1, and each PE had finished call n before
 *       it sent these. With one buffer, a PE that gets nothing back from another one could send it the counts
 *       of call n + 1 while that one reads those of call n
 *   rows of few tokens: one PE alone writes a region. It has the results of all its earlier rows there, and
 *       these were sent after the work-groups of the region's PE had computed and met
 *   rows of many tokens: a PE puts them when it has the counts of all PEs, which have then finished the call
 *       before. Few and many tokens have rows of their own, so this holds whichever call follows which
 *   places, with the signals of results: results come for pairs of the current call alone, and it waits for
 *       all of them
 *
 * A pair that finds no row is dropped: its token's sum is without it. Both PEs know it by the counts, which
 * also say which pairs these are: the last ones in the order of rows.
 *
 * For another layout of rows change moe_place, which both PEs ask.
 */
#ifndef APPS_MOE_H
#define APPS_MOE_H

#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx.h>

#define MOE_CALL ((uint64_t)1 << 32) /* by which a signal of counts and rows rises in a call */

/* Equal on all PEs. */
struct moe_shape {
	int experts_per_pe;
	int topk;    /* experts of a token */
	int ntokens; /* of a PE in a call, at most */
	int hidden;  /* elements of a token */
	size_t elem_nbytes;
	int ngroups;    /* work-groups of a kernel */
	int few;        /* tokens of a PE up to which they are few */
	int few_nrows;  /* of an expert for one PE, when tokens are few */
	int many_nrows; /* of a PE, when they are many */
};

struct moe {
	struct moe_shape shape;
	int npes, nexperts; /* of all PEs */
	size_t row_nbytes;  /* all arrays are symmetric: */
	char *few;          /* [experts_per_pe][npes][few_nrows]: rows */
	char *many;         /* [many_nrows]: rows */
	char *places;       /* [ntokens * topk]: many tokens, to be sent; then the results of pairs */
	uint64_t *came;     /* [2][npes]: the signals of that PE's counts and rows */
	uint64_t *returned; /* [npes]: results that have come from that PE, in all calls */
	uint64_t *met;      /* how often work-groups of this PE have come to meet */
	uint64_t *ncalls;   /* [ngroups]: calls that the work-group of this PE has finished, */
	uint64_t *nmet;     /* [ngroups]: how often it has met, */
	uint64_t *due;      /* [ngroups][npes]: how many results it has waited for */
	int *tables;        /* [4][ngroups][nexperts]: struct moe_call says of what */
	int *counts;        /* [2][npes][nexperts]: how many pairs of that PE have the expert */
	int *slots; /* [ntokens * topk]: number of the pair among those of its expert; after dispatch its
		       place; -1: it has none */
};

/* From begin to before end. */
struct moe_range {
	int begin, end;
};

/* What a work-group knows of a call, from dispatch to combine. */
struct moe_call {
	bool is_few;
	int ndropped;               /* of this PE's pairs */
	int nrows;                  /* of this PE that have a token */
	char *rows;                 /* of this PE: tokens; moe_rows says which are whose */
	int *counts;                /* [npes][nexperts] */
	struct moe_range mine;      /* the work-group's tokens, */
	struct moe_range pairs;     /* and its pairs, of those of this PE */
	uint64_t *came, target;     /* signals, and to where they rise */
	uint64_t number;            /* of the call, from 1 */
	int *share, *total, *first; /* [nexperts]: pairs in pairs; of this PE; the first one's place; */
	int *kept;                  /* how many of those of this PE have a row */
};

/* Part i of n parts. */
__host__ __device__ static inline struct moe_range moe_part(struct moe_range whole, int i, int n)
{
	const long length = whole.end - whole.begin;
	const struct moe_range part = {
		whole.begin + (int)(length * i / n), whole.begin + (int)(length * (i + 1) / n)};

	return part;
}

/* What is in both; if nothing is, its end is its begin. */
__host__ __device__ static inline struct moe_range moe_common(struct moe_range a, struct moe_range b)
{
	const int begin = a.begin > b.begin ? a.begin : b.begin, end = a.end < b.end ? a.end : b.end;
	const struct moe_range common = {begin, end > begin ? end : begin};

	return common;
}

/*
 * The rows for the n pairs of one PE with one expert. local: the expert, counted from the first of its PE;
 * nbefore: how many pairs have an earlier expert of that PE, or this expert and an earlier source.
 */
__host__ __device__ static inline struct moe_range moe_place(
	const struct moe_shape *s, int npes, bool is_few, int local, int source, int nbefore, int n)
{
	const int region = (local * npes + source) * s->few_nrows, begin = is_few ? region : nbefore;
	const struct moe_range wanted = {begin, begin + n},
			       there = {is_few ? region : 0, is_few ? region + s->few_nrows : s->many_nrows};

	return moe_common(wanted, there);
}

/* Collective, on the host. Returns 0, or -ENOMEM on all PEs. */
static inline int moe_create(struct moe *m, const struct moe_shape *shape)
{
	const size_t npes = (size_t)gshmem_n_pes(), nexperts = npes * (size_t)shape->experts_per_pe,
		     ngroups = (size_t)shape->ngroups, npairs = (size_t)shape->ntokens * (size_t)shape->topk,
		     few = nexperts * (size_t)shape->few_nrows, many = (size_t)shape->many_nrows;

	m->shape = *shape;
	m->npes = (int)npes;
	m->nexperts = (int)nexperts;
	m->row_nbytes = (size_t)shape->hidden * shape->elem_nbytes;
	m->few = (char *)gshmem_malloc((few + many + npairs + 1) * m->row_nbytes);
	m->many = m->few + few * m->row_nbytes;
	m->places = m->many + many * m->row_nbytes;
	m->came = (uint64_t *)gshmem_calloc(3 * npes + 1 + (2 + npes) * ngroups, sizeof *m->came);
	m->returned = m->came + 2 * npes;
	m->met = m->returned + npes;
	m->ncalls = m->met + 1;
	m->nmet = m->ncalls + ngroups;
	m->due = m->nmet + ngroups;
	m->tables = (int *)gshmem_malloc(
		(4 * ngroups * nexperts + 2 * npes * nexperts + npairs + 1) * sizeof *m->tables);
	m->counts = m->tables + 4 * ngroups * nexperts;
	m->slots = m->counts + 2 * npes * nexperts;
	if (m->few && m->came && m->tables)
		return 0;
	gshmem_free(m->tables);
	gshmem_free(m->came);
	gshmem_free(m->few);
	return -ENOMEM;
}

/* Collective, on the host. */
static inline void moe_destroy(struct moe *m)
{
	gshmem_free(m->tables);
	gshmem_free(m->came);
	gshmem_free(m->few);
}

#if defined(__cplusplus) && GSHMEMI_KERNELS

/* The tokens of the calling work-group, of ntokens. */
__device__ static inline struct moe_range moe_mine(int ntokens)
{
	const struct moe_range all = {0, ntokens};

	return moe_part(all, (int)blockIdx.x, (int)gridDim.x);
}

/*
 * The rows of an expert for the tokens of one PE, in the order of that PE's pairs. Row i is at
 * call.rows + i * row_nbytes, on the expert's PE. When tokens are many, the rows of an expert are contiguous:
 * from those of PE 0 to those of the last PE. Any thread may ask.
 */
__device__ static inline struct moe_range moe_rows(
	const struct moe &m, const struct moe_call &call, int expert, int source)
{
	const int nlocal = m.shape.experts_per_pe, first = expert / nlocal * nlocal;
	int nbefore = 0;

	for (int e = first; e <= expert && !call.is_few; e++)
		for (int pe = 0; pe < (e < expert ? m.npes : source); pe++)
			nbefore += call.counts[pe * m.nexperts + e];
	return moe_place(&m.shape, m.npes, call.is_few, expert - first, source, nbefore,
		call.counts[source * m.nexperts + expert]);
}

/* All work-groups of this PE meet: then each sees what the others wrote before. */
__device__ static inline void moe_meet_wg(const struct moe &m)
{
	const uint64_t n = m.nmet[blockIdx.x] + 1;

	gshmemx_fence_wg();
	if (threadIdx.x == 0) {
		m.nmet[blockIdx.x] = n;
		gshmem_signal_add(m.met, 1, gshmem_my_pe());
	}
	gshmemx_signal_wait_until_wg(m.met, GSHMEM_CMP_GE, n * gridDim.x);
}

#include "moe_dispatch.h"
#include "moe_combine.h"

#endif

#endif /* APPS_MOE_H */
