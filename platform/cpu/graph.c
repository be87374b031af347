/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs: what a stream has captured (capture.c). */
#include <stdlib.h>

#include "runtime.h"

/* Never changes once its capture has ended. */
struct ihipGraph_t {
	_Atomic unsigned nrefs; /* its handle or its capture */
	struct hipcpu_item *first, **last;
};

void hipcpu_graph_unref(struct ihipGraph_t *graph)
{
	struct hipcpu_item *item;

	if (atomic_fetch_sub(&graph->nrefs, 1) != 1)
		return;
	while ((item = graph->first)) {
		graph->first = item->next;
		if (item->drop)
			item->drop(item);
		free(item);
	}
	free(graph);
}

struct ihipGraph_t *hipcpu_graph_new(void)
{
	struct ihipGraph_t *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->nrefs = 1;
	graph->last = &graph->first;
	return graph;
}

void hipcpu_graph_add(struct ihipGraph_t *graph, struct hipcpu_item *item)
{
	item->next = NULL;
	*graph->last = item;
	graph->last = &item->next;
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
	HIPCPU_ENTER(hipGraphDestroy);
	if (!graph)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	hipcpu_graph_unref(graph);
	HIPCPU_LEAVE(hipSuccess);
}
