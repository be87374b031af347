/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a tree is that of a breadth-first search: a serial search, and the five rules by which Graph500
 * validates a result (graph500.org, "Graph 500 Benchmark 1", validation).
 */
#ifndef APPS_BFS_CHECK_H
#define APPS_BFS_CHECK_H

#include "graph.h"

#include <algorithm>
#include <utility>
#include <vector>

/* Of each vertex; -1: not reached. */
struct bfs_tree {
	std::vector<int> parent, level;
};

/* The result of a search, from all PEs. On the host, when all PEs have finished the search and met. */
static inline struct bfs_tree bfs_get_tree(const struct bfs *b, int nvertices)
{
	const size_t nplaces = (size_t)b->ngroups * (size_t)b->nown;
	std::vector<int> part(2 * nplaces);
	struct bfs_tree tree = {std::vector<int>(nvertices), std::vector<int>(nvertices)};

	for (int pe = 0; pe < b->npes; pe++) {
		gshmem_int_get(part.data(), b->parent, 2 * nplaces, pe); /* level is behind it */
		for (int v = 0; v < nvertices; v++) {
			const struct bfs_place place = bfs_place_of(b, v);
			const size_t at = (size_t)place.group * (size_t)b->nown + (size_t)place.i;

			if (place.pe != pe)
				continue;
			tree.parent[v] = part[at];
			tree.level[v] = part[nplaces + at];
		}
	}
	return tree;
}

static inline struct bfs_tree bfs_serial(int nvertices, const std::vector<struct bfs_edge> &edges, int root)
{
	std::vector<std::vector<int>> neighbours(nvertices);
	struct bfs_tree tree = {std::vector<int>(nvertices, -1), std::vector<int>(nvertices, -1)};
	std::vector<int> queue(1, root);

	for (const struct bfs_edge &e : edges) {
		neighbours[e.from].push_back(e.to);
		neighbours[e.to].push_back(e.from);
	}
	tree.parent[root] = root;
	tree.level[root] = 0;
	for (size_t k = 0; k < queue.size(); k++)
		for (int v : neighbours[queue[k]])
			if (tree.parent[v] == -1) {
				tree.parent[v] = queue[k];
				tree.level[v] = tree.level[queue[k]] + 1;
				queue.push_back(v);
			}
	return tree;
}

static inline bool bfs_has_cycle(const struct bfs_tree &tree, int root)
{
	const int n = (int)tree.parent.size();
	std::vector<int> seen(n, -1); /* the vertex from which it was seen first */

	for (int v = 0; v < n; v++) {
		int at = v;

		while (at >= 0 && at < n && at != root && seen[at] == -1) {
			seen[at] = v;
			at = tree.parent[at];
		}
		if (at != root && at >= 0 && at < n && seen[at] == v)
			return true;
	}
	return tree.parent[root] != root;
}

/* Returns NULL, or which rule the tree breaks. serial is that of bfs_serial. */
static inline const char *bfs_broken_rule(const std::vector<struct bfs_edge> &edges, int root,
	const struct bfs_tree &tree, const struct bfs_tree &serial)
{
	std::vector<std::pair<int, int>> pairs;

	if (bfs_has_cycle(tree, root))
		return "the tree has a cycle";
	for (const struct bfs_edge &e : edges) {
		const int a = tree.level[e.from], b = tree.level[e.to];

		if ((a < 0) != (b < 0) || abs(a - b) > 1)
			return "an edge joins vertices whose levels differ by more than one";
		pairs.push_back({e.from, e.to});
		pairs.push_back({e.to, e.from});
	}
	std::sort(pairs.begin(), pairs.end());
	for (int v = 0; v < (int)tree.parent.size(); v++) {
		const int parent = tree.parent[v];

		if ((parent < 0) != (serial.parent[v] < 0))
			return "the tree does not span the root's component";
		if (parent < 0 || v == root)
			continue;
		if (tree.level[v] != tree.level[parent] + 1)
			return "an edge of the tree does not join two successive levels";
		if (!std::binary_search(pairs.begin(), pairs.end(), std::make_pair(v, parent)))
			return "an edge of the tree is none of the graph";
	}
	return tree.level == serial.level ? NULL : "levels are not those of a serial search";
}

#endif /* APPS_BFS_CHECK_H */
