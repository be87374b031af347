/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * R-MAT graphs (D. Chakrabarti, Y. Zhan, C. Faloutsos, "R-MAT: A Recursive Model for Graph Mining", SDM 2004)
 * with the parameters of Graph500. An edge is a function of its number, so every PE can make any edge.
 */
#ifndef APPS_BFS_RMAT_H
#define APPS_BFS_RMAT_H

#include "graph.h"

#include <vector>

/* 64 bits from 64 bits: a counter becomes a random number. */
static inline uint64_t rmat_hash(uint64_t x)
{
	x = (x + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 29) * 0x94d049bb133111ebU;
	x = (x ^ x >> 32) * 0x9e3779b97f4a7c15U;
	return x ^ x >> 29;
}

/* Permutes the numbers of vertices: those with many edges are not all beside each other. */
static inline int rmat_label(int scale, int vertex)
{
	const uint64_t mask = ((uint64_t)1 << scale) - 1;
	uint64_t x = (uint64_t)vertex;

	for (int round = 0; round < 3; round++) {
		x = (x * 0x9e3779b1U + 0x7f4a7c15U) & mask;
		x ^= x >> (scale / 2 + 1);
	}
	return (int)x;
}

/* Each step chooses a quadrant of the adjacency matrix, with probabilities 0.57, 0.19, 0.19 and 0.05. */
static inline struct bfs_edge rmat_edge(int scale, uint64_t seed, uint64_t number)
{
	struct bfs_edge e = {0, 0};

	for (int bit = 0; bit < scale; bit++) {
		const uint64_t percent = rmat_hash(rmat_hash(seed + number) + (uint64_t)bit) % 100;

		e.from = 2 * e.from + (percent >= 76);
		e.to = 2 * e.to + ((percent >= 57 && percent < 76) || percent >= 95);
	}
	e.from = rmat_label(scale, e.from);
	e.to = rmat_label(scale, e.to);
	return e;
}

/* A graph of 2^scale vertices with `factor` times as many edges. */
static inline std::vector<struct bfs_edge> rmat_graph(int scale, int factor, uint64_t seed)
{
	std::vector<struct bfs_edge> edges((size_t)factor << scale);

	for (size_t k = 0; k < edges.size(); k++)
		edges[k] = rmat_edge(scale, seed << 40, k);
	return edges;
}

#endif /* APPS_BFS_RMAT_H */
