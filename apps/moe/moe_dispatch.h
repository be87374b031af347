/* SPDX-License-Identifier: BSD-3-Clause */
/* The first half of a call, which moe.h describes. moe.h includes this file. */
#ifndef APPS_MOE_DISPATCH_H
#define APPS_MOE_DISPATCH_H

__device__ static inline struct moe_call moe_begin(const struct moe &m, int ntokens, bool is_few)
{
	const size_t group = blockIdx.x, ngroups = gridDim.x, nexperts = (size_t)m.nexperts;
	struct moe_call call = {};

	call.number = m.ncalls[group] + 1;
	call.is_few = is_few;
	call.rows = is_few ? m.few : m.many;
	call.mine = moe_mine(ntokens);
	call.pairs.begin = call.mine.begin * m.shape.topk;
	call.pairs.end = call.mine.end * m.shape.topk;
	call.counts = m.counts + (call.number & 1) * (size_t)m.npes * nexperts;
	call.came = m.came + (call.number & 1) * (size_t)m.npes;
	call.target = (call.number + 1) / 2 * MOE_CALL;
	call.share = m.tables + group * nexperts;
	call.total = call.share + ngroups * nexperts;
	call.first = call.total + ngroups * nexperts;
	call.kept = call.first + ngroups * nexperts;
	return call;
}

/* Wait until the signals of all PEs have risen to target. */
__device__ static inline void moe_wait_wg(const struct moe &m, uint64_t *signals, uint64_t target)
{
	const int me = gshmem_my_pe();

	for (int hop = 0; hop < m.npes; hop++)
		gshmemx_signal_wait_until_wg(&signals[(me + hop) % m.npes], GSHMEM_CMP_GE, target);
}

/* How many pairs of this work-group have which expert. A thread goes through all of them for its experts. */
__device__ static inline void moe_count_wg(
	const struct moe &m, const struct moe_call &call, const int *routing)
{
	for (int e = (int)threadIdx.x; e < m.nexperts; e += (int)blockDim.x) {
		int n = 0;

		for (int pair = call.pairs.begin; pair < call.pairs.end; pair++)
			n += routing[pair] == e;
		call.share[e] = n;
	}
}

/* Numbers the pairs of each expert: those of this work-group follow those of earlier ones. */
__device__ static inline void moe_number_wg(
	const struct moe &m, const struct moe_call &call, const int *routing)
{
	for (int pair = call.pairs.begin + (int)threadIdx.x; pair < call.pairs.end; pair += (int)blockDim.x)
		m.slots[pair] = -1;
	__syncthreads();
	for (int e = (int)threadIdx.x; e < m.nexperts; e += (int)blockDim.x) {
		int total = 0, next = 0;

		for (int group = 0; group < (int)gridDim.x; group++) {
			next = group == (int)blockIdx.x ? total : next;
			total += m.tables[group * m.nexperts + e];
		}
		call.total[e] = total;
		for (int pair = call.pairs.begin; pair < call.pairs.end; pair++)
			if (routing[pair] == e)
				m.slots[pair] = next++;
	}
	__syncthreads();
	for (int e = (int)threadIdx.x; e < m.nexperts; e += (int)blockDim.x) {
		int first = 0;

		for (int earlier = 0; earlier < e; earlier++)
			first += call.total[earlier];
		call.first[e] = first;
	}
	__syncthreads();
}

/* The work-groups share the PEs that get the counts. */
__device__ static inline void moe_send_counts_wg(const struct moe &m, const struct moe_call &call)
{
	const int me = gshmem_my_pe(), nlocal = m.shape.experts_per_pe;

	for (int hop = (int)blockIdx.x; hop < m.npes; hop += (int)gridDim.x) {
		const int pe = (me + hop) % m.npes;
		uint64_t n = 0;

		for (int e = pe * nlocal; e < (pe + 1) * nlocal; e++)
			n += (uint64_t)call.total[e];
		gshmemx_putmem_signal_wg(call.counts + me * m.nexperts, call.total,
			(size_t)m.nexperts * sizeof *call.total, &call.came[me], MOE_CALL - n,
			GSHMEM_SIGNAL_ADD, pe);
	}
}

/* This work-group's pairs go to their rows. Of a dropped one only the signal is sent. */
__device__ static inline void moe_send_few_wg(
	const struct moe &m, const struct moe_call &call, const int *routing, const char *tokens)
{
	const int me = gshmem_my_pe(), nlocal = m.shape.experts_per_pe;

	for (int pair = call.pairs.begin; pair < call.pairs.end; pair++) {
		const int e = routing[pair], slot = m.slots[pair];

		if (slot < 0)
			continue;
		const bool is_kept = slot < m.shape.few_nrows;
		const struct moe_range rows = moe_place(&m.shape, m.npes, true, e % nlocal, me, 0, 0);

		gshmemx_putmem_signal_wg(m.few + (size_t)(rows.begin + (is_kept ? slot : 0)) * m.row_nbytes,
			tokens + (size_t)(pair / m.shape.topk) * m.row_nbytes, is_kept ? m.row_nbytes : 0,
			&call.came[me], 1, GSHMEM_SIGNAL_ADD, e / nlocal);
	}
}

/*
 * This work-group's tokens go to the places of their pairs. Then the work-groups share the places, each an
 * equal part, and a work-group puts all of its part that is for one expert at once.
 */
__device__ static inline void moe_send_many_wg(
	const struct moe &m, const struct moe_call &call, const int *routing, const char *tokens)
{
	const int me = gshmem_my_pe(), last = m.nexperts - 1;
	const struct moe_range all = {0, call.first[last] + call.total[last]},
			       mine = moe_part(all, (int)blockIdx.x, (int)gridDim.x);

	for (int pair = call.pairs.begin; pair < call.pairs.end; pair++)
		if (m.slots[pair] >= 0)
			gshmemx_putmem_wg(
				m.places + (size_t)(call.first[routing[pair]] + m.slots[pair]) * m.row_nbytes,
				tokens + (size_t)(pair / m.shape.topk) * m.row_nbytes, m.row_nbytes, me);
	moe_wait_wg(m, call.came, call.target - MOE_CALL / 2);
	moe_meet_wg(m);
	for (int e = 0; e < m.nexperts; e++) {
		const int first = call.first[e];
		const struct moe_range pairs = {first, first + call.total[e]}, sent = moe_common(pairs, mine);

		if (sent.begin == sent.end)
			continue;
		const struct moe_range rows = moe_rows(m, call, e, me);
		const struct moe_range kept = {first, first + rows.end - rows.begin},
				       put = moe_common(sent, kept);
		const int n = put.end - put.begin, row = n ? rows.begin + put.begin - first : 0;

		gshmemx_putmem_signal_wg(m.many + (size_t)row * m.row_nbytes,
			m.places + (size_t)sent.begin * m.row_nbytes, (size_t)n * m.row_nbytes,
			&call.came[me], (uint64_t)(sent.end - sent.begin), GSHMEM_SIGNAL_ADD,
			e / m.shape.experts_per_pe);
	}
}

/* The sum of a value of each thread, for all of them. */
__device__ static inline int moe_sum_wg(int value)
{
	__shared__ int sum;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, value);
	__syncthreads();
	value = sum;
	__syncthreads();
	return value;
}

/* Which pairs have a row, those of this PE and those that others sent here. Then slots are places. */
__device__ static inline void moe_keep_wg(const struct moe &m, struct moe_call &call, const int *routing)
{
	const int me = gshmem_my_pe(), nlocal = m.shape.experts_per_pe;
	int ndropped = 0, nrows = 0;

	for (int i = (int)threadIdx.x; i < m.nexperts; i += (int)blockDim.x) {
		const struct moe_range there = moe_rows(m, call, i, me),
				       here = moe_rows(m, call, me * nlocal + i / m.npes, i % m.npes);

		call.kept[i] = there.end - there.begin;
		ndropped += call.total[i] - call.kept[i];
		nrows += here.end - here.begin;
	}
	call.ndropped = moe_sum_wg(ndropped);
	call.nrows = moe_sum_wg(nrows);
	for (int pair = call.pairs.begin + (int)threadIdx.x; pair < call.pairs.end; pair += (int)blockDim.x) {
		const int e = routing[pair], slot = m.slots[pair];

		if (slot >= 0)
			m.slots[pair] = slot < call.kept[e] ? call.first[e] + slot : -1;
	}
	__syncthreads();
}

/*
 * The call, by all threads of ngroups work-groups of all PEs. tokens are [ntokens][hidden]; routing is
 * [ntokens][topk], each an expert, or -1 for none; neither need be symmetric. ntokens may differ between PEs.
 * most is the same on all, and no PE has more tokens: it says whether they are few. A work-group calls when
 * its own tokens, those of moe_mine, and their routing are written, and may write them again when the call
 * returns. When ntokens changes from call to call, so do the tokens of a work-group: then let all of them
 * meet, by moe_meet_wg, before they write the tokens, the routing or the weights of the next call. The call
 * returns when the tokens for this PE's experts are here, in the rows that moe_rows names. The rows stay
 * until moe_combine_wg, and may be overwritten with the results.
 */
__device__ static inline struct moe_call moe_dispatch_wg(
	const struct moe &m, const void *tokens, const int *routing, int ntokens, int most)
{
	struct moe_call call = moe_begin(m, ntokens, most <= m.shape.few);

	moe_count_wg(m, call, routing);
	moe_meet_wg(m);
	moe_number_wg(m, call, routing);
	moe_send_counts_wg(m, call);
	if (call.is_few)
		moe_send_few_wg(m, call, routing, (const char *)tokens);
	else
		moe_send_many_wg(m, call, routing, (const char *)tokens);
	moe_wait_wg(m, call.came, call.target);
	moe_keep_wg(m, call, routing);
	return call;
}

#endif /* APPS_MOE_DISPATCH_H */
