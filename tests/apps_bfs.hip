/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8 */
/* env: GSHMEM_HEAP_SIZE=8m | GSHMEM_HEAP_SIZE=8m GSHMEM_CPU_WAVE=32 */
/*
 * apps/bfs: searches with atomics and with buffers follow each other in one kernel, and in a second one with
 * the same handle. Every tree keeps the rules of Graph500, and has the levels of a serial search: of graphs
 * that are a path, a star, without edges, smaller than the job, with self loops and parallel edges, and
 * R-MAT; with buffers of one edge, and of more than there are. The search without fusion gives such trees,
 * too.
 */
#include "../apps/bfs/check.h"
#include "../apps/bfs/rmat.h"
#include "../apps/bfs/split.h"

#include "helpers.h"

#define NSEARCHES 4 /* of a kernel */

struct graph {
	const char *name;
	int nvertices;
	std::vector<struct bfs_edge> edges;
	int roots[2];
};

struct shape {
	int ngroups, nthreads;
	unsigned most;
};
static const struct shape shapes[] = {{1, 64, 1}, {3, 32, 5}, {2, 96, 4096}};

__host__ __device__ static int root_of(int k, int root, int other)
{
	return k % 3 ? other : root;
}

__host__ __device__ static enum bfs_way way_of(int k)
{
	return k == 0 || k == 3 ? BFS_ATOMICS : BFS_BUFFERS;
}

/* Searches, and copies what each found. trees: [NSEARCHES], parents and levels. */
__global__ static void repeat(struct bfs b, int root, int other, int *trees)
{
	const int nplaces = b.ngroups * b.nown, first = (int)blockIdx.x * b.nown;

	for (int k = 0; k < NSEARCHES; k++, trees += 2 * nplaces) {
		bfs_search_wg(b, root_of(k, root, other), way_of(k));
		for (int i = first + (int)threadIdx.x; i < first + b.nown; i += (int)blockDim.x) {
			trees[i] = b.parent[i];
			trees[nplaces + i] = b.level[i];
		}
		__syncthreads();
	}
}

static void check(
	const struct graph &g, const struct shape *s, const struct bfs *b, int root, const char *how)
{
	const char *broken = bfs_broken_rule(
		g.edges, root, bfs_get_tree(b, g.nvertices), bfs_serial(g.nvertices, g.edges, root));

	t_check(!broken, "%s of %d vertices from %d, %s, %d groups of %d, messages of %u: %s", g.name,
		g.nvertices, root, how, s->ngroups, s->nthreads, s->most, broken);
}

/* Kernels of searches; each search is checked by one PE. */
static void check_fused(const struct graph &g, const struct shape *s, struct bfs b)
{
	const size_t nplaces = (size_t)b.ngroups * (size_t)b.nown;
	int *trees = (int *)gshmem_malloc(NSEARCHES * 2 * nplaces * sizeof(int)), root, other;
	void *args[] = {&b, &root, &other, &trees};

	t_check(trees, "no memory");
	for (int kernel = 0; kernel < 2; kernel++) {
		root = g.roots[kernel];
		other = g.roots[!kernel];
		t_equal(gshmemx_collective_launch(
				repeat, dim3((unsigned)s->ngroups), dim3((unsigned)s->nthreads), args, 0, 0),
			0, "launch");
		t_hip(hipDeviceSynchronize());
		gshmem_barrier_all();
		for (int k = 0; k < NSEARCHES; k++) {
			struct bfs found = b;

			found.parent = trees + (size_t)k * 2 * nplaces;
			if (k % b.npes == gshmem_my_pe())
				check(g, s, &found, root_of(k, root, other),
					way_of(k) == BFS_ATOMICS ? "atomics" : "buffers");
		}
		gshmem_barrier_all();
	}
	gshmem_free(trees);
}

static void check_split(const struct graph &g, const struct shape *s, const struct bfs *b)
{
	struct bfs_split split;

	t_equal(bfs_split_create(&split, b, g.edges.data(), g.edges.size()), 0, "split: create");
	for (int root : g.roots) {
		t_equal(bfs_split_search(&split, root, s->nthreads), 0, "split");
		gshmem_barrier_all();
		if (gshmem_my_pe() == 0)
			check(g, s, b, root, "split");
		gshmem_barrier_all();
	}
	bfs_split_destroy(&split);
}

static std::vector<struct bfs_edge> path(int nvertices)
{
	std::vector<struct bfs_edge> edges;

	for (int v = 1; v < nvertices; v++)
		edges.push_back({v - 1, v});
	return edges;
}

static std::vector<struct bfs_edge> star(int nvertices, int hub)
{
	std::vector<struct bfs_edge> edges;

	for (int v = 0; v < nvertices; v++)
		if (v != hub)
			edges.push_back({v, hub});
	return edges;
}

/* A ring whose edges are there twice, in both directions, and a loop at each vertex. */
static std::vector<struct bfs_edge> ring(int nvertices)
{
	std::vector<struct bfs_edge> edges;

	for (int v = 0; v < nvertices; v++) {
		edges.push_back({v, (v + 1) % nvertices});
		edges.push_back({v, v});
		edges.push_back({(v + 1) % nvertices, v});
	}
	return edges;
}

int main(void)
{
	gshmem_init();
	const struct graph graphs[] = {{"path", 23, path(23), {0, 11}}, {"star", 131, star(131, 7), {7, 100}},
		{"no edges", 5, {}, {0, 4}}, {"path", 3, path(3), {1, 2}}, {"one vertex", 1, ring(1), {0, 0}},
		{"ring", 9, ring(9), {3, 8}}, {"R-MAT", 128, rmat_graph(7, 4, 3), {1, 77}}};

	for (const struct graph &g : graphs)
		for (const struct shape &s : shapes) {
			struct bfs b;

			t_equal(bfs_create(
					&b, g.nvertices, g.edges.data(), g.edges.size(), s.ngroups, s.most),
				0, "create");
			check_fused(g, &s, b);
			if (&s == shapes)
				check_split(g, &s, &b);
			bfs_destroy(&b);
		}
	gshmem_finalize();
	return 0;
}
