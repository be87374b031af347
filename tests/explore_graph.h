/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the model checkers (rpc_explore, net_explore, mailbox_explore) share: the graph of the states that
 * they find, and from which of these no end can be reached. Written in the common subset of C and C++.
 */
#ifndef T_EXPLORE_GRAPH_H
#define T_EXPLORE_GRAPH_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers.h"

/* Who makes a step: an agent below this number, or nobody in particular, who may always move. */
#define GRAPH_ANY        15U
#define GRAPH_MAX_STATES (1U << 28)

struct graph {
	uint64_t *steps; /* from << 32 | agent << 28 | to */
	size_t nsteps, most;
};

/* Grows a list of items of nbytes that is full: returns its new place. */
static inline void *graph_grow(void *list, size_t n, size_t *most_p, size_t nbytes)
{
	if (n < *most_p)
		return list;
	*most_p = *most_p ? 2 * *most_p : 1024;
	list = realloc(list, *most_p * nbytes);
	t_check(list, "no memory");
	return list;
}

static inline void graph_add(struct graph *g, uint32_t from, uint32_t to, unsigned agent)
{
	g->steps = (uint64_t *)graph_grow(g->steps, g->nsteps, &g->most, sizeof *g->steps);
	g->steps[g->nsteps++] = (uint64_t)from << 32 | (uint64_t)agent << 28 | to;
}

static inline void graph_clear(struct graph *g)
{
	g->nsteps = 0;
}

/* The steps backwards: those that lead to state i are step[first[i]] to step[first[i + 1] - 1]. */
struct graph_back {
	uint64_t *first;
	uint32_t *step; /* agent << 28 | from */
};

static inline struct graph_back graph_turn(const struct graph *g, uint32_t nstates)
{
	struct graph_back b;
	uint32_t i;
	size_t k;

	b.first = (uint64_t *)calloc((size_t)nstates + 2, sizeof *b.first);
	b.step = (uint32_t *)malloc((g->nsteps + 1) * sizeof *b.step);
	t_check(b.first && b.step, "no memory");
	for (k = 0; k < g->nsteps; k++)
		b.first[((uint32_t)g->steps[k] & (GRAPH_MAX_STATES - 1)) + 2]++;
	for (i = 2; i < nstates + 2; i++)
		b.first[i] += b.first[i - 1];
	for (k = 0; k < g->nsteps; k++)
		b.step[b.first[((uint32_t)g->steps[k] & (GRAPH_MAX_STATES - 1)) + 1]++] =
			(uint32_t)(g->steps[k] >> 32) | ((uint32_t)g->steps[k] & ~(GRAPH_MAX_STATES - 1));
	return b;
}

static inline void graph_free_back(struct graph_back *b)
{
	free(b->first);
	free(b->step);
}

/*
 * How many states there are from which no state of reaches[] can be reached by steps of this agent
 * (GRAPH_ANY: of all) and of nobody in particular. reaches[] then has all those from which one can.
 */
static inline uint32_t graph_count_stuck(
	const struct graph_back *b, uint32_t nstates, uint8_t *reaches, unsigned agent)
{
	uint32_t *todo = (uint32_t *)malloc(((size_t)nstates + 1) * sizeof *todo), ntodo = 0, nreach = 0, i;
	uint64_t k;

	t_check(todo, "no memory");
	for (i = 0; i < nstates; i++)
		if (reaches[i])
			todo[ntodo++] = i;
	while (ntodo) {
		i = todo[--ntodo];
		nreach++;
		for (k = b->first[i]; k < b->first[i + 1]; k++) {
			const uint32_t from = b->step[k] & (GRAPH_MAX_STATES - 1), mover = b->step[k] >> 28;

			if (reaches[from] || (agent != GRAPH_ANY && mover != agent && mover != GRAPH_ANY))
				continue;
			reaches[from] = 1;
			todo[ntodo++] = from;
		}
	}
	free(todo);
	return nstates - nreach;
}

#endif /* T_EXPLORE_GRAPH_H */
