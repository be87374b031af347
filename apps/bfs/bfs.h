/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Breadth-first search of an undirected graph whose vertices are spread over PEs, all levels in one kernel.
 * The vertices are partitioned in one dimension, as in A. Yoo et al., "A Scalable Distributed Parallel
 * Breadth-First Search Algorithm on BlueGene/L", SC 2005: each work-group of each PE is a worker, and has
 * the edges of its vertices and its part of the frontier (graph.h). In a level a worker goes over all edges
 * of its frontier, and visits their other ends. For a vertex of another worker there are two ways:
 *
 *   BFS_ATOMICS  one compare-and-swap on the parent of the vertex, for each edge. The thread whose swap
 *                succeeds reserves a place in the owner's queue by fetch_add, and puts the vertex there
 *   BFS_BUFFERS  the edge goes into a buffer for the owner. The worker puts a full buffer into the owner's
 *                inbox, and at the end of the level what is left. The owner visits its vertices itself
 *
 * How a level ends: the messages from one worker to another are numbered, and the receiver takes them in
 * this order. The last one of a level is marked, and has the size of the sender's frontier. A worker is
 * through with a level when it has taken the marked message of each other worker, and until then it takes
 * nothing of the next level. The search is over if all frontiers were empty. With atomics there are marked
 * messages alone, which say how many vertices the sender has added to the receiver's queue: a queue is not
 * reset between levels, and so many of its vertices are the next frontier.
 *
 * What is ordered by what: a put_signal raises the signal behind its message. With atomics, a fence puts the
 * vertices into the queue before the marked message; the atomics themselves return values, and so are done
 * then. A search with atomics begins with an empty level, so that nobody visits a vertex whose owner has not
 * yet reset it. There is no quiet, and no barrier of PEs.
 *
 * Why a slot may be used again: an inbox has two slots for each sender, and message n goes to slot n % 2.
 * Its sender first waits until n - 2 messages have been freed. They are freed in order, so number n - 2,
 * which was in the slot, is one of them, and nobody reads the slot or waits for its signal any more. Each
 * slot has a signal of its own, because those of messages n and n + 1 may arrive in either order. A receiver
 * frees a message by adding 1 to a word of the sender, because two additions may change places, and two
 * values may not. A sender that waits takes messages meanwhile, so no circle of full inboxes can block the
 * workers.
 */
#ifndef APPS_BFS_H
#define APPS_BFS_H

#include "message.h"

#if defined(__cplusplus) && GSHMEMI_KERNELS

/* With buffers: give an edge to the owner of its other end. Returns false if the buffer for it is full. */
__device__ static inline bool bfs_give(const struct bfs &b, struct bfs_worker *w, struct bfs_edge edge)
{
	const struct bfs_place to = bfs_place_of(&b, edge.to);
	char *message = w->out + (size_t)to.worker * b.stride;
	unsigned k;

	if (to.worker == w->me) {
		bfs_visit(w, to.i, edge.from);
		return true;
	}
	edge.to = to.i;
	k = atomicAdd(&w->nout[to.worker], 1U);
	if (k < b.most)
		((struct bfs_edge *)(message + sizeof(struct bfs_head)))[k] = edge;
	else
		atomicExch(&w->is_full, 1);
	return k < b.most;
}

/* Send the full buffers. Returns false if no thread has met one. */
__device__ static inline bool bfs_flush_wg(const struct bfs &b, struct bfs_worker *w)
{
	__syncthreads();
	const bool is_full = w->is_full;

	__syncthreads();
	if (!is_full)
		return false;
	if (threadIdx.x == 0)
		w->is_full = 0;
	bfs_poll_wg(b, w); /* others may wait for room here */
	for (int worker = 0; worker < b.nworkers; worker++)
		if (w->nout[worker] >= b.most)
			bfs_send_wg(b, w, worker, false);
	__syncthreads(); /* no thread fills a buffer while another one still looks which are full */
	return true;
}

/* With atomics: visit the other end of an edge, wherever it is. */
__device__ static inline void bfs_reach(const struct bfs &b, struct bfs_worker *w, struct bfs_edge edge)
{
	const struct bfs_place to = bfs_place_of(&b, edge.to);
	const int base = to.group * b.nown;
	int k;

	if (gshmem_int_atomic_compare_swap(&b.parent[base + to.i], -1, edge.from, to.pe) != -1)
		return;
	k = gshmem_int_atomic_fetch_add(&b.nreserved[to.group], 1, to.pe);
	gshmem_int_p(&b.queue[base + k], to.i, to.pe);
	atomicAdd(&w->nout[to.worker], 1U);
}

/* Do with an edge of the frontier what the way asks for. Returns false if it has to be done again. */
__device__ static inline bool bfs_pass(const struct bfs &b, struct bfs_worker *w, struct bfs_edge edge)
{
	if (w->way == BFS_BUFFERS)
		return bfs_give(b, w, edge);
	bfs_reach(b, w, edge);
	return true;
}

/* Returns the sum of the values of all threads, and leaves in w->sums[t] that of threads 0 to t. */
__device__ static inline unsigned bfs_sum_wg(struct bfs_worker *w, unsigned value)
{
	w->sums[threadIdx.x] = value;
	__syncthreads();
	for (unsigned step = 1; step < blockDim.x; step *= 2) {
		const unsigned left = threadIdx.x >= step ? w->sums[threadIdx.x - step] : 0;

		__syncthreads();
		w->sums[threadIdx.x] += left;
		__syncthreads();
	}
	return w->sums[blockDim.x - 1];
}

/* Edge k of those of blockDim.x vertices of the frontier, whose degrees were summed. */
__device__ static inline struct bfs_edge bfs_edge_at(
	const struct bfs &b, const struct bfs_worker &w, const int *vertices, unsigned k)
{
	unsigned t = 0, last = blockDim.x - 1; /* the edge is that of the first thread whose sum is above k */
	struct bfs_edge edge;

	while (t < last) {
		const unsigned middle = (t + last) / 2;

		if (w.sums[middle] > k)
			last = middle;
		else
			t = middle + 1;
	}
	edge.from = bfs_vertex(&b, w.me, vertices[t]);
	edge.to = b.neighbours[w.begin[vertices[t] + 1] - (w.sums[t] - k)];
	return edge;
}

/* Visit all neighbours of the frontier. Threads share out vertices, and then the edges of these. */
__device__ static inline void bfs_expand_wg(const struct bfs &b, struct bfs_worker *w, int depth)
{
	for (int first = w->first; first < w->end; first += (int)blockDim.x) {
		const int *vertices = w->queue + first;
		unsigned degree = 0;

		if (first + (int)threadIdx.x < w->end) {
			const int i = vertices[threadIdx.x];

			w->level[i] = depth;
			degree = w->begin[i + 1] - w->begin[i];
		}
		const unsigned nedges = bfs_sum_wg(w, degree);
		unsigned k = threadIdx.x;

		do { /* until it meets a full buffer, a thread goes on by itself */
			while (k < nedges && bfs_pass(b, w, bfs_edge_at(b, *w, vertices, k)))
				k += blockDim.x;
		} while (bfs_flush_wg(b, w));
	}
}

/* One level. Returns how many vertices were in the frontiers of all workers. */
__device__ static inline unsigned bfs_level_wg(const struct bfs &b, struct bfs_worker *w, int depth)
{
	for (int worker = (int)threadIdx.x; worker < b.nworkers; worker += (int)blockDim.x)
		w->is_over[worker] = worker == w->me;
	if (threadIdx.x == 0) {
		w->nqueued += (int)w->nout[w->me]; /* with atomics, those that the worker has added itself */
		w->nout[w->me] = 0;
		w->first = w->end;
		w->end = w->nqueued;
		w->nover = 1;
		w->nfrontiers = (unsigned)(w->end - w->first);
	}
	__syncthreads();
	bfs_expand_wg(b, w, depth);
	if (w->way == BFS_ATOMICS)
		gshmemx_fence_wg();
	for (int hop = 1; hop < b.nworkers; hop++)
		bfs_send_wg(b, w, (w->me + hop) % b.nworkers, true);
	while (w->nover < b.nworkers)
		bfs_poll_wg(b, w);
	const unsigned nfrontiers = w->nfrontiers;

	__syncthreads();
	return nfrontiers;
}

/* Make the worker of the calling work-group. */
__device__ static inline void bfs_begin_wg(const struct bfs &b, struct bfs_worker *w, enum bfs_way way)
{
	const int group = (int)blockIdx.x, place = group * b.nown, other = group * b.nworkers;

	if (threadIdx.x == 0) {
		w->way = way;
		w->me = group * b.npes + gshmem_my_pe();
		w->group = group;
		w->parent = b.parent + place;
		w->level = b.level + place;
		w->queue = b.queue + place;
		w->begin = b.begin + place;
		w->out = b.out + (size_t)other * b.stride;
		w->freed = b.freed + other;
		w->nsent = b.nsent + other;
		w->ntaken = b.ntaken + other;
		w->nout = b.nout + other;
		w->is_over = b.is_over + other;
		w->first = w->end = w->nqueued = w->is_full = 0;
	}
	__syncthreads();
}

/*
 * A search, by all threads of ngroups work-groups of all PEs, with the same root and way. The parents and
 * levels of a work-group's vertices are final when it returns. One search may follow another in a kernel.
 */
__device__ static inline void bfs_search_wg(const struct bfs &b, int root, enum bfs_way way)
{
	__shared__ struct bfs_worker worker;
	struct bfs_worker *w = &worker;

	bfs_begin_wg(b, w, way);
	const struct bfs_place place = bfs_place_of(&b, root);
	const bool is_mine = place.worker == w->me;

	for (int i = (int)threadIdx.x; i < b.nown; i += (int)blockDim.x) {
		w->parent[i] = is_mine && i == place.i ? root : -1;
		w->level[i] = -1;
	}
	if (threadIdx.x == 0)
		b.nreserved[w->group] = is_mine;
	__syncthreads();
	if (way == BFS_ATOMICS)
		bfs_level_wg(b, w, -1);
	if (threadIdx.x == 0 && is_mine) {
		w->queue[0] = place.i;
		w->nqueued = 1;
	}
	__syncthreads();
	for (int depth = 0; bfs_level_wg(b, w, depth); depth++) {
	}
}

#endif

#endif /* APPS_BFS_H */
