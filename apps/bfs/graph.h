/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What bfs.h searches: an undirected graph whose vertices are spread over the work-groups of all PEs, and
 * what a search needs beside it. The host's part, and which vertex is where.
 */
#ifndef APPS_BFS_GRAPH_H
#define APPS_BFS_GRAPH_H

#include <hip/hip_runtime.h>
#include <errno.h>
#include <gshmem.h>
#include <gshmemx.h>
#include <stdlib.h>
#include <string.h>

struct bfs_edge {
	int from, to; /* vertices; in a message `to` is an index into the receiver's vertices */
};

/* A message begins with this. In searches with buffers n edges follow. */
struct bfs_head {
	unsigned n;         /* with atomics: vertices that the sender has added to the receiver's queue */
	unsigned is_last;   /* of the level */
	unsigned nfrontier; /* in the last: vertices of the sender's frontier */
	unsigned padding;
};

/*
 * Each work-group of each PE is a worker: group g of PE p is worker g * npes + p. Arrays with an entry for
 * each vertex are [ngroups][nown], and those with one for each other worker [ngroups][nworkers]. All are
 * symmetric.
 */
struct bfs {
	int npes, ngroups, nworkers;
	int nown;            /* vertices of a worker, at most */
	unsigned most;       /* edges of a message */
	size_t stride;       /* bytes of a message, at most */
	int *parent, *level; /* of vertices, the result: -1 if not reached. The root is its own parent */
	int *queue;          /* the worker's vertices, by index, in the order in which they were reached */
	int *nreserved;      /* [ngroups]: with atomics, places of the queue */
	unsigned *begin;     /* [ngroups * nown + 1]: where the neighbours of a vertex begin */
	int *neighbours;     /* vertices */
	char *inbox, *out;   /* messages: [2] of those from each worker; the one that is filled for it */
	uint64_t *came;      /* [2] for each worker: the number of the message in this slot of the inbox */
	uint64_t *freed;     /* messages that the worker has freed, */
	uint64_t *nsent;     /* of those that were sent to it */
	uint64_t *ntaken;    /* messages that were taken from the worker */
	uint64_t *largest;   /* two words of bfs_largest */
	unsigned *nout;      /* edges in out; with atomics, vertices that were added to the worker's queue */
	unsigned *is_over;   /* whether the worker's last message of this level was taken */
};

/* Where a vertex is. For another partition change this, bfs_vertex, and nown. */
struct bfs_place {
	int worker, pe, group;
	int i; /* among the worker's vertices */
};

__host__ __device__ static inline struct bfs_place bfs_place_of(const struct bfs *b, int vertex)
{
	const int worker = vertex % b->nworkers;
	const struct bfs_place place = {worker, worker % b->npes, worker / b->npes, vertex / b->nworkers};

	return place;
}

/* The vertex at index i of a worker. */
__host__ __device__ static inline int bfs_vertex(const struct bfs *b, int worker, int i)
{
	return i * b->nworkers + worker;
}

/* Fills begin and neighbours: those of place k are begin[k] to begin[k + 1] - 1. begin has one more word. */
static inline void bfs_sort(
	const struct bfs *b, const struct bfs_edge *edges, size_t nedges, unsigned *begin, int *neighbours)
{
	const int me = gshmem_my_pe(), nplaces = b->ngroups * b->nown;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t k = 0; k < 2 * nedges; k++) {
			const struct bfs_edge e = edges[k / 2];
			const struct bfs_place place = bfs_place_of(b, k & 1 ? e.to : e.from);
			const int at = place.group * b->nown + place.i;

			if (place.pe != me || e.from == e.to)
				continue;
			if (!pass)
				begin[at + 2]++;
			else /* the word of the next vertex ends where it has to begin */
				neighbours[begin[at + 1]++] = k & 1 ? e.from : e.to;
		}
		for (int at = 0; !pass && at < nplaces; at++)
			begin[at + 2] += begin[at + 1];
	}
}

/* The largest of the PEs' values. */
static inline uint64_t bfs_largest(const struct bfs *b, uint64_t value)
{
	const int me = gshmem_my_pe();

	gshmem_uint64_p(b->largest, value, me);
	gshmem_quiet();
	gshmem_uint64_max_reduce(GSHMEM_TEAM_WORLD, b->largest + 1, b->largest, 1);
	return gshmem_uint64_g(b->largest + 1, me);
}

/* Allocates neighbours, and fills begin and neighbours. Collective; returns 0, or -ENOMEM on all PEs. */
static inline int bfs_load(struct bfs *b, const struct bfs_edge *edges, size_t nedges)
{
	const size_t nplaces = (size_t)b->ngroups * (size_t)b->nown;
	unsigned *begin = (unsigned *)calloc(nplaces + 2, sizeof *begin);
	int *neighbours = (int *)malloc((2 * nedges + 1) * sizeof *neighbours);
	int failed = !begin || !neighbours;
	size_t nmine = 0;

	if (!failed) {
		bfs_sort(b, edges, nedges, begin, neighbours);
		nmine = begin[nplaces];
	}
	b->neighbours = (int *)gshmem_malloc((bfs_largest(b, nmine) + 1) * sizeof *neighbours);
	failed = failed || !b->neighbours ||
		hipMemcpy(b->begin, begin, (nplaces + 1) * sizeof *begin, hipMemcpyHostToDevice) !=
			hipSuccess ||
		hipMemcpy(b->neighbours, neighbours, nmine * sizeof *neighbours, hipMemcpyHostToDevice) !=
			hipSuccess ||
		hipDeviceSynchronize() != hipSuccess;
	free(neighbours);
	free(begin);
	return bfs_largest(b, (uint64_t)failed) ? -ENOMEM : 0;
}

/* Collective, on the host. */
static inline void bfs_destroy(struct bfs *b)
{
	gshmem_free(b->neighbours);
	gshmem_free(b->nout);
	gshmem_free(b->came);
	gshmem_free(b->inbox);
	gshmem_free(b->parent);
}

/*
 * Takes a graph of vertices 0 to nvertices - 1, for kernels of ngroups work-groups and messages of up to
 * `most` edges. An edge must be among those that the PE of each of its ends passes, once. A PE may pass all
 * edges of the graph, because those of other PEs are ignored, and so are self loops. Fewer than 2^32 edges
 * may end on a PE. Collective, on the host, with the same nvertices, ngroups and most. Returns 0, or -ENOMEM
 * on all PEs.
 */
static inline int bfs_create(
	struct bfs *b, int nvertices, const struct bfs_edge *edges, size_t nedges, int ngroups, unsigned most)
{
	size_t nplaces, nwords;

	memset(b, 0, sizeof *b);
	b->npes = gshmem_n_pes();
	b->ngroups = ngroups;
	b->nworkers = b->npes * ngroups;
	b->nown = (nvertices + b->nworkers - 1) / b->nworkers;
	b->most = most;
	b->stride = (sizeof(struct bfs_head) + most * sizeof(struct bfs_edge) + 15) / 16 * 16;
	nplaces = (size_t)ngroups * (size_t)b->nown;
	nwords = (size_t)ngroups * (size_t)b->nworkers;
	b->parent = (int *)gshmem_malloc((4 * nplaces + 1 + (size_t)ngroups) * sizeof(int));
	b->inbox = (char *)gshmem_malloc(3 * nwords * b->stride);
	b->came = (uint64_t *)gshmem_calloc(5 * nwords + 2, sizeof(uint64_t));
	b->nout = (unsigned *)gshmem_calloc(2 * nwords, sizeof(unsigned));
	b->level = b->parent + nplaces;
	b->queue = b->level + nplaces;
	b->nreserved = b->queue + nplaces;
	b->begin = (unsigned *)(b->nreserved + ngroups);
	b->out = b->inbox + 2 * nwords * b->stride;
	b->freed = b->came + 2 * nwords;
	b->nsent = b->freed + nwords;
	b->ntaken = b->nsent + nwords;
	b->largest = b->ntaken + nwords;
	b->is_over = b->nout + nwords;
	if (b->parent && b->inbox && b->came && b->nout && !bfs_load(b, edges, nedges))
		return 0;
	bfs_destroy(b);
	return -ENOMEM;
}

#endif /* APPS_BFS_GRAPH_H */
