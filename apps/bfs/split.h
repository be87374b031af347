/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search of bfs.h without fusion, for comparison: each level is a kernel that sorts the frontier's edges
 * by the PEs that own their other ends, two exchanges by the hosts, a kernel that visits, and a sum by the
 * hosts. A PE has one queue for all of its work-groups, of places in its arrays of vertices.
 */
#ifndef APPS_BFS_SPLIT_H
#define APPS_BFS_SPLIT_H

#include "bfs.h"

#include <vector>

/* All arrays but displs are symmetric. */
struct bfs_split {
	struct bfs b;              /* the graph and the result */
	struct bfs_edge *out, *in; /* those of a PE begin at first[pe]; to is a place */
	size_t *counts;            /* [2][npes]: edges for each PE, and from each; two words for a sum */
	size_t *first;             /* [npes + 1] */
	unsigned *nout;            /* [npes]: edges for each PE; then the vertices in the queue */
	size_t *displs;            /* first, in memory of the host */
};

/* The first of a work-group's share of n things; that of the next group is the end. */
__device__ static inline size_t bfs_share(size_t n, unsigned group)
{
	return n * group / gridDim.x;
}

__global__ static void bfs_split_reset(struct bfs_split s, int root)
{
	const struct bfs_place place = bfs_place_of(&s.b, root);
	const size_t n = (size_t)s.b.ngroups * (size_t)s.b.nown, end = bfs_share(n, blockIdx.x + 1);
	const bool is_mine = place.pe == gshmem_my_pe();

	for (size_t at = bfs_share(n, blockIdx.x) + threadIdx.x; at < end; at += blockDim.x) {
		const bool is_root = is_mine && at == (size_t)(place.group * s.b.nown + place.i);

		s.b.parent[at] = is_root ? root : -1;
		s.b.level[at] = -1;
		if (is_root)
			s.b.queue[0] = (int)at;
	}
	if (blockIdx.x == 0 && threadIdx.x == 0)
		s.nout[s.b.npes] = is_mine;
}

/* The frontier is the part of the queue from begin to end - 1. A work-group takes a vertex at a time. */
__global__ static void bfs_split_expand(struct bfs_split s, unsigned begin, unsigned end, int depth)
{
	for (unsigned k = begin + blockIdx.x; k < end; k += gridDim.x) {
		const int at = s.b.queue[k], worker = at / s.b.nown * s.b.npes + gshmem_my_pe();

		if (threadIdx.x == 0)
			s.b.level[at] = depth;
		for (unsigned i = s.b.begin[at] + threadIdx.x; i < s.b.begin[at + 1]; i += blockDim.x) {
			const struct bfs_place to = bfs_place_of(&s.b, s.b.neighbours[i]);
			const struct bfs_edge edge = {
				bfs_vertex(&s.b, worker, at % s.b.nown), to.group * s.b.nown + to.i};

			s.out[s.first[to.pe] + atomicAdd(&s.nout[to.pe], 1U)] = edge;
		}
	}
}

__global__ static void bfs_split_visit(struct bfs_split s)
{
	for (int pe = 0; pe < s.b.npes; pe++) {
		const size_t n = s.counts[s.b.npes + pe], end = bfs_share(n, blockIdx.x + 1);

		for (size_t k = bfs_share(n, blockIdx.x) + threadIdx.x; k < end; k += blockDim.x) {
			const struct bfs_edge edge = s.in[s.first[pe] + k];

			if (atomicCAS(&s.b.parent[edge.to], -1, edge.from) == -1)
				s.b.queue[atomicAdd(&s.nout[s.b.npes], 1U)] = edge.to;
		}
	}
}

/* Send the edges that expand has sorted. in and counts are free: the last sum had a part of each PE. */
static inline int bfs_split_exchange(struct bfs_split *s)
{
	const size_t npes = (size_t)s->b.npes;
	std::vector<unsigned> nout(npes);
	std::vector<size_t> counts(npes), coming(npes);

	if (hipMemcpy(nout.data(), s->nout, npes * sizeof(unsigned), hipMemcpyDeviceToHost) != hipSuccess)
		return 1;
	counts.assign(nout.begin(), nout.end());
	gshmem_size_put(s->counts, counts.data(), npes, gshmem_my_pe());
	gshmem_quiet();
	if (gshmem_size_alltoall(GSHMEM_TEAM_WORLD, s->counts + npes, s->counts, 1))
		return 1;
	gshmem_size_get(coming.data(), s->counts + npes, npes, gshmem_my_pe());
	return gshmemx_uint64_alltoallv(GSHMEM_TEAM_WORLD, (uint64_t *)s->in, coming.data(), s->displs,
		(uint64_t *)s->out, counts.data(), s->displs);
}

/* The sum of the PEs' values. */
static inline size_t bfs_split_sum(struct bfs_split *s, size_t value)
{
	size_t *sum = s->counts + 2 * s->b.npes;
	const int me = gshmem_my_pe();

	gshmem_size_p(sum, value, me);
	gshmem_quiet();
	gshmem_size_sum_reduce(GSHMEM_TEAM_WORLD, sum + 1, sum, 1);
	return gshmem_size_g(sum + 1, me);
}

/* A search. Collective, on the host; returns 0, or 1 if a call of HIP or gshmem failed. */
static inline int bfs_split_search(struct bfs_split *s, int root, int nthreads)
{
	const dim3 grid((unsigned)s->b.ngroups), block((unsigned)nthreads);
	unsigned begin = 0, end = bfs_place_of(&s->b, root).pe == gshmem_my_pe();
	int rc = 0;

	hipLaunchKernelGGL(bfs_split_reset, grid, block, 0, 0, *s, root);
	for (int depth = 0; !rc && bfs_split_sum(s, end - begin); depth++) {
		rc = hipMemset(s->nout, 0, (size_t)s->b.npes * sizeof(unsigned)) != hipSuccess;
		hipLaunchKernelGGL(bfs_split_expand, grid, block, 0, 0, *s, begin, end, depth);
		rc = rc || bfs_split_exchange(s);
		hipLaunchKernelGGL(bfs_split_visit, grid, block, 0, 0, *s);
		begin = end;
		rc = rc ||
			hipMemcpy(&end, s->nout + s->b.npes, sizeof end, hipMemcpyDeviceToHost) != hipSuccess;
	}
	return rc;
}

/* Collective, on the host. b stays the caller's. */
static inline void bfs_split_destroy(struct bfs_split *s)
{
	free(s->displs);
	gshmem_free(s->counts);
	gshmem_free(s->out);
}

/*
 * Collective, on the host, with the edges that bfs_create had. Returns 0 or -ENOMEM. As many edges come from
 * a PE as go to it, because each is there in both directions: first and displs serve both.
 */
static inline int bfs_split_create(
	struct bfs_split *s, const struct bfs *b, const struct bfs_edge *edges, size_t nedges)
{
	const size_t npes = (size_t)b->npes, nwords = 3 * npes + 3;
	const int me = gshmem_my_pe();
	size_t most;

	s->b = *b;
	s->displs = (size_t *)calloc(npes + 1, sizeof(size_t));
	for (size_t k = 0; s->displs && k < 2 * nedges; k++) {
		const struct bfs_edge e = edges[k / 2];
		const int from = k & 1 ? e.to : e.from, to = k & 1 ? e.from : e.to;

		if (from != to && bfs_place_of(b, from).pe == me)
			s->displs[bfs_place_of(b, to).pe + 1]++;
	}
	for (size_t pe = 0; s->displs && pe < npes; pe++)
		s->displs[pe + 1] += s->displs[pe];
	most = bfs_largest(b, s->displs ? s->displs[npes] : 0) + 1;
	s->out = (struct bfs_edge *)gshmem_malloc(2 * most * sizeof(struct bfs_edge));
	s->in = s->out + most;
	s->counts = (size_t *)gshmem_malloc(nwords * sizeof(size_t) + (npes + 1) * sizeof(unsigned));
	s->first = s->counts + 2 * npes + 2;
	s->nout = (unsigned *)(s->first + npes + 1);
	if (!bfs_largest(b, !s->displs || !s->out || !s->counts)) {
		gshmem_size_put(s->first, s->displs, npes + 1, me);
		gshmem_quiet();
		return 0;
	}
	bfs_split_destroy(s);
	return -ENOMEM;
}

#endif /* APPS_BFS_SPLIT_H */
