/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker of bfs.h, and the messages between workers: what is ordered by what stands there. */
#ifndef APPS_BFS_MESSAGE_H
#define APPS_BFS_MESSAGE_H

#include "graph.h"

#define BFS_MOST_THREADS 1024 /* of a work-group */

enum bfs_way { BFS_ATOMICS, BFS_BUFFERS };

#if defined(__cplusplus) && GSHMEMI_KERNELS

/*
 * A worker, in the shared memory of its work-group. The pointers are those of struct bfs, to its own parts.
 */
struct bfs_worker {
	enum bfs_way way;
	int me, group;
	int *parent, *level, *queue;
	const unsigned *begin;
	char *out;
	uint64_t *freed, *nsent, *ntaken;
	unsigned *nout, *is_over;
	int first, end;      /* the frontier: this part of the queue */
	int nqueued;         /* vertices in the queue; with atomics, those that the worker knows of */
	int nover;           /* workers whose level is over, this one included */
	unsigned nfrontiers; /* vertices in the frontiers of these workers */
	int is_full, may_send;
	int nfound, found[BFS_MOST_THREADS]; /* workers whose next message is here */
	unsigned sums[BFS_MOST_THREADS];
};

/* The slot for message n from one worker to another: its number in the arrays of the receiver's PE. */
__device__ static inline size_t bfs_slot(const struct bfs &b, int from, int to_group, uint64_t n)
{
	return ((n & 1) * (size_t)b.ngroups + (size_t)to_group) * (size_t)b.nworkers + (size_t)from;
}

/* Visit a vertex of this worker. */
__device__ static inline void bfs_visit(struct bfs_worker *w, int i, int parent)
{
	if (atomicCAS(&w->parent[i], -1, parent) == -1)
		w->queue[atomicAdd(&w->nqueued, 1)] = i;
}

/* Take the next message of a worker, which is here. */
__device__ static inline void bfs_take_wg(const struct bfs &b, struct bfs_worker *w, int from)
{
	const uint64_t n = w->ntaken[from] + 1;
	const size_t slot = bfs_slot(b, from, w->group, n);
	const char *message = b.inbox + slot * b.stride;
	const struct bfs_edge *edges = (const struct bfs_edge *)(message + sizeof(struct bfs_head));

	/* returns at once: one thread has seen the signal, and now all may read the message */
	gshmemx_signal_wait_until_wg(&b.came[slot], GSHMEM_CMP_GE, n);
	const struct bfs_head head = *(const struct bfs_head *)message;

	for (unsigned k = threadIdx.x; w->way == BFS_BUFFERS && k < head.n; k += blockDim.x)
		bfs_visit(w, edges[k].to, edges[k].from);
	__syncthreads();
	if (threadIdx.x == 0) {
		w->nqueued += w->way == BFS_ATOMICS ? (int)head.n : 0;
		w->nover += (int)head.is_last;
		w->nfrontiers += head.nfrontier;
		w->is_over[from] = head.is_last;
		w->ntaken[from] = n;
		gshmem_signal_add(&b.freed[from / b.npes * b.nworkers + w->me], 1, from % b.npes);
	}
	__syncthreads();
}

/* Take a message of this level from each worker of which one is here. */
__device__ static inline void bfs_poll_wg(const struct bfs &b, struct bfs_worker *w)
{
	for (int first = 0; first < b.nworkers; first += (int)blockDim.x) {
		const int from = first + (int)threadIdx.x;

		if (threadIdx.x == 0)
			w->nfound = 0;
		__syncthreads();
		if (from < b.nworkers && !w->is_over[from]) {
			const uint64_t n = w->ntaken[from] + 1;

			if (gshmem_uint64_test(&b.came[bfs_slot(b, from, w->group, n)], GSHMEM_CMP_GE, n))
				w->found[atomicAdd(&w->nfound, 1)] = from;
		}
		__syncthreads();
		for (int k = 0, nfound = w->nfound; k < nfound; k++)
			bfs_take_wg(b, w, w->found[k]);
		__syncthreads();
	}
}

/* Send what there is for a worker. */
__device__ static inline void bfs_send_wg(const struct bfs &b, struct bfs_worker *w, int to, bool is_last)
{
	const uint64_t n = w->nsent[to] + 1;
	const size_t slot = bfs_slot(b, w->me, to / b.npes, n);
	const unsigned nout = w->nout[to], nedges = w->way == BFS_ATOMICS ? 0 : nout < b.most ? nout : b.most;
	char *message = w->out + (size_t)to * b.stride;

	for (;;) {
		if (threadIdx.x == 0)
			w->may_send = n <= 2 || gshmem_uint64_test(&w->freed[to], GSHMEM_CMP_GE, n - 2);
		__syncthreads();
		if (w->may_send)
			break;
		bfs_poll_wg(b, w);
	}
	if (threadIdx.x == 0) {
		const struct bfs_head head = {w->way == BFS_ATOMICS ? nout : nedges, is_last,
			is_last ? (unsigned)(w->end - w->first) : 0, 0};

		*(struct bfs_head *)message = head;
	}
	gshmemx_putmem_signal_wg(b.inbox + slot * b.stride, message,
		sizeof(struct bfs_head) + nedges * sizeof(struct bfs_edge), &b.came[slot], n,
		GSHMEM_SIGNAL_SET, to % b.npes);
	if (threadIdx.x == 0) {
		w->nout[to] = 0;
		w->nsent[to] = n;
	}
	__syncthreads();
}

#endif

#endif /* APPS_BFS_MESSAGE_H */
