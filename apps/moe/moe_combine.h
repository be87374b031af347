/* SPDX-License-Identifier: BSD-3-Clause */
/* The second half of a call, which moe.h describes. moe.h includes this file. */
#ifndef APPS_MOE_COMBINE_H
#define APPS_MOE_COMBINE_H

/*
 * The work-groups share the rows of this PE, each an equal part. The results of a work-group's part that are
 * of one expert for one PE have contiguous rows here, and contiguous places there: it puts them at once.
 */
__device__ static inline void moe_return_wg(
	const struct moe &m, const struct moe_call &call, const char *results)
{
	const int me = gshmem_my_pe(), nlocal = m.shape.experts_per_pe;
	const struct moe_range all = {0, call.nrows}, mine = moe_part(all, (int)blockIdx.x, (int)gridDim.x);
	int npairs = 0, nrows = 0; /* until now; rows are the pairs that have one */

	for (int i = 0; i < nlocal * m.npes; i++) {
		const int e = me * nlocal + i / m.npes, pe = i % m.npes, n = call.counts[pe * m.nexperts + e];
		const struct moe_range rows =
			moe_place(&m.shape, m.npes, call.is_few, i / m.npes, pe, npairs, n);
		const struct moe_range here = {nrows, nrows + rows.end - rows.begin},
				       sent = moe_common(here, mine);
		int place = sent.begin - here.begin;
		const size_t row = (size_t)(rows.begin + place);

		npairs += n;
		nrows = here.end;
		if (sent.begin == sent.end)
			continue;
		for (int earlier = 0; earlier < e; earlier++)
			place += call.counts[pe * m.nexperts + earlier];
		gshmemx_putmem_signal_wg(m.places + (size_t)place * m.row_nbytes,
			results + row * m.row_nbytes, (size_t)(sent.end - sent.begin) * m.row_nbytes,
			&m.returned[me], (uint64_t)(sent.end - sent.begin), GSHMEM_SIGNAL_ADD, pe);
	}
}

/* Wait for the results of all pairs of this PE that have a row. */
__device__ static inline void moe_wait_results_wg(const struct moe &m, const struct moe_call &call)
{
	const int me = gshmem_my_pe(), nlocal = m.shape.experts_per_pe;
	uint64_t *due = m.due + blockIdx.x * (size_t)m.npes;

	for (int hop = 0; hop < m.npes; hop++) {
		const int pe = (me + hop) % m.npes;
		uint64_t n = due[pe];

		for (int e = pe * nlocal; e < (pe + 1) * nlocal; e++)
			n += (uint64_t)call.kept[e];
		gshmemx_signal_wait_until_wg(&m.returned[pe], GSHMEM_CMP_GE, n);
		if (threadIdx.x == 0)
			due[pe] = n;
	}
}

/* The sums of this work-group's tokens, in float and in the order of k. */
template <typename T>
__device__ static inline void moe_add_wg(
	const struct moe &m, const struct moe_call &call, const float *weights, T *out)
{
	const size_t hidden = (size_t)m.shape.hidden;
	const int topk = m.shape.topk;
	const T *results = (const T *)m.places;

	for (int t = call.mine.begin; t < call.mine.end; t++)
		for (size_t i = threadIdx.x; i < hidden; i += blockDim.x) {
			float sum = 0;

			for (int pair = t * topk; pair < (t + 1) * topk; pair++)
				if (m.slots[pair] >= 0)
					sum += weights[pair] *
						(float)results[(size_t)m.slots[pair] * hidden + i];
			out[(size_t)t * hidden + i] = (T)sum;
		}
}

/*
 * By the threads that called moe_dispatch_wg. results are [rows][hidden], by the rows of moe_rows, and may be
 * call.rows; weights are [ntokens][topk], and out is [ntokens][hidden]. A work-group calls when it has
 * computed its part of the results, however the kernel shares the rows out. The call returns when this
 * work-group's tokens of out are written. results may be written again after the next moe_dispatch_wg.
 */
template <typename T>
__device__ static inline void moe_combine_wg(
	const struct moe &m, const struct moe_call &call, const T *results, const float *weights, T *out)
{
	moe_meet_wg(m);
	moe_return_wg(m, call, (const char *)results);
	moe_wait_results_wg(m, call);
	moe_add_wg(m, call, weights, out);
	__syncthreads();
	if (threadIdx.x == 0)
		m.ncalls[blockIdx.x] = call.number;
	__syncthreads();
}

#endif /* APPS_MOE_COMBINE_H */
