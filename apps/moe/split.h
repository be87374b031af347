/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What moe.h does in one kernel, split into kernels, with exchanges by the host between them: for comparison.
 * The tokens of a PE go to the other PEs in the order of experts, and so do the results back.
 */
#ifndef APPS_MOE_SPLIT_H
#define APPS_MOE_SPLIT_H

#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx.h>

#include <vector>

struct split {
	int npes, experts_per_pe, nexperts, topk, hidden;
	float *sorted;   /* symmetric, [ntokens * topk][hidden]: this PE's tokens, then their results */
	float *received; /* symmetric, [npes * ntokens * topk][hidden]: of source PEs, by expert */
	float *results;  /* the same */
	int *sent;       /* symmetric, [nexperts]: how many pairs of this PE have the expert */
	int *came;   /* symmetric, [npes][experts_per_pe]: the same of the other PEs, for this PE's experts */
	int *places; /* symmetric, [ntokens * topk]: in sorted; -1: none */
};

/* nelems[i] elements from displs[i] on are those of PE i. */
struct split_sizes {
	std::vector<size_t> nelems, displs;
};

/* The exchanges, here by gshmem; a bench has others. */
struct split_by_gshmem {
	static void counts(int *dest, const int *source, size_t n)
	{
		gshmem_int_alltoall(GSHMEM_TEAM_WORLD, dest, source, n);
	}
	static void tokens(float *dest, const split_sizes &to, const float *source, const split_sizes &from)
	{
		gshmemx_float_alltoallv(GSHMEM_TEAM_WORLD, dest, to.nelems.data(), to.displs.data(), source,
			from.nelems.data(), from.displs.data());
	}
	static void results(float *dest, const split_sizes &to, const float *source, const split_sizes &from)
	{
		gshmem_sync_all(); /* until here PEs send what is at dest, and read the counts that came */
		tokens(dest, to, source, from);
	}
};

static inline int split_create(struct split *s, int ntokens, int experts_per_pe, int topk, int hidden)
{
	const size_t npes = (size_t)gshmem_n_pes(), npairs = (size_t)ntokens * (size_t)topk;

	s->npes = (int)npes;
	s->experts_per_pe = experts_per_pe;
	s->nexperts = s->npes * experts_per_pe;
	s->topk = topk;
	s->hidden = hidden;
	s->sorted = (float *)gshmem_malloc((2 * npes + 1) * npairs * (size_t)hidden * sizeof(float));
	s->received = s->sorted + npairs * (size_t)hidden;
	s->results = s->received + npes * npairs * (size_t)hidden;
	s->sent = (int *)gshmem_malloc((2 * (size_t)s->nexperts + npairs) * sizeof(int));
	s->came = s->sent + s->nexperts;
	s->places = s->came + s->nexperts;
	if (s->sorted && s->sent)
		return 0;
	gshmem_free(s->sent);
	gshmem_free(s->sorted);
	return -ENOMEM;
}

static inline void split_destroy(struct split *s)
{
	gshmem_free(s->sent);
	gshmem_free(s->sorted);
}

/* By one work-group: the counts, and the places of pairs. */
__global__ static void split_number(struct split s, const int *routing, int ntokens)
{
	const int npairs = ntokens * s.topk;

	for (int i = (int)threadIdx.x; i < npairs; i += (int)blockDim.x)
		s.places[i] = -1;
	__syncthreads();
	for (int e = (int)threadIdx.x; e < s.nexperts; e += (int)blockDim.x) {
		int next = 0, n = 0;

		for (int i = 0; i < npairs; i++) {
			next += routing[i] >= 0 && routing[i] < e;
			n += routing[i] == e;
		}
		for (int i = 0; i < npairs; i++)
			if (routing[i] == e)
				s.places[i] = next++;
		s.sent[e] = n;
	}
}

/* By any number of work-groups. */
__global__ static void split_sort(struct split s, const float *tokens, int ntokens)
{
	for (int pair = (int)blockIdx.x; pair < ntokens * s.topk; pair += (int)gridDim.x) {
		const float *token = tokens + (size_t)(pair / s.topk) * (size_t)s.hidden;

		if (s.places[pair] < 0)
			continue;
		for (int i = (int)threadIdx.x; i < s.hidden; i += (int)blockDim.x)
			s.sorted[(size_t)s.places[pair] * (size_t)s.hidden + (size_t)i] = token[i];
	}
}

__global__ static void split_add(struct split s, const float *weights, float *out, int ntokens)
{
	for (int t = (int)blockIdx.x; t < ntokens; t += (int)gridDim.x)
		for (int i = (int)threadIdx.x; i < s.hidden; i += (int)blockDim.x) {
			float sum = 0;

			for (int pair = t * s.topk; pair < (t + 1) * s.topk; pair++)
				if (s.places[pair] >= 0)
					sum += weights[pair] *
						s.sorted[(size_t)s.places[pair] * (size_t)s.hidden +
							(size_t)i];
			out[(size_t)t * (size_t)s.hidden + (size_t)i] = sum;
		}
}

/* The elements for each PE's experts, or of each PE, and where they begin. */
static inline split_sizes split_measure(const struct split *s, const int *counts)
{
	std::vector<int> here((size_t)s->nexperts);
	split_sizes sizes = {std::vector<size_t>((size_t)s->npes), std::vector<size_t>((size_t)s->npes)};
	size_t end = 0;

	(void)hipMemcpy(here.data(), counts, here.size() * sizeof(int), hipMemcpyDeviceToHost);
	for (int pe = 0; pe < s->npes; pe++) {
		sizes.displs[(size_t)pe] = end;
		for (int e = pe * s->experts_per_pe; e < (pe + 1) * s->experts_per_pe; e++)
			end += (size_t)here[(size_t)e] * (size_t)s->hidden;
		sizes.nelems[(size_t)pe] = end - sizes.displs[(size_t)pe];
	}
	return sizes;
}

/* Collective, on the host: a call. compute launches the kernel that makes results of what was received. */
template <typename Exchange, typename Compute>
static int split_run(const struct split *s, const float *tokens, const int *routing, const float *weights,
	float *out, int ntokens, unsigned ngroups, unsigned nthreads, Exchange exchange, Compute compute)
{
	hipLaunchKernelGGL(split_number, dim3(1), dim3(nthreads), 0, 0, *s, routing, ntokens);
	hipLaunchKernelGGL(split_sort, dim3(ngroups), dim3(nthreads), 0, 0, *s, tokens, ntokens);
	if (hipDeviceSynchronize() != hipSuccess)
		return -EIO;
	exchange.counts(s->came, s->sent, (size_t)s->experts_per_pe);
	const split_sizes sent = split_measure(s, s->sent), came = split_measure(s, s->came);

	exchange.tokens(s->received, came, s->sorted, sent);
	compute();
	if (hipDeviceSynchronize() != hipSuccess)
		return -EIO;
	exchange.results(s->sorted, sent, s->results, came);
	hipLaunchKernelGGL(split_add, dim3(ngroups), dim3(nthreads), 0, 0, *s, weights, out, ntokens);
	return hipDeviceSynchronize() == hipSuccess ? 0 : -EIO;
}

#endif /* APPS_MOE_SPLIT_H */
