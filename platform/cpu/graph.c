/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: what a stream has captured (capture.c), run again by each launch.
 *
 * The nodes of a graph run one after the other, in the order of their capture, on the thread of the stream in
 * which the graph is launched. HIP allows nodes without an order between them to run at the same time, but
 * does not promise it.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/* Never changes once its capture has ended. */
struct ihipGraph_t {
	_Atomic unsigned nrefs; /* one for its handle or its capture, one for each executable graph */
	struct hipcpu_item *first, **last;
};

struct hipGraphExec {
	_Atomic unsigned nrefs; /* one for the handle, one for each queued launch */
	struct ihipGraph_t *graph;
	_Atomic uint64_t nlaunched; /* launches of the same graph take turns, in any streams */
	_Atomic uint64_t nrun;
	struct hipcpu_gate done;
};

struct graph_op {
	struct hipcpu_item item;
	struct hipGraphExec *exec;
	uint64_t turn;
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

/* Runs copies of the items, because running an item changes it. */
static void graph_run(const struct ihipGraph_t *graph)
{
	for (const struct hipcpu_item *item = graph->first; item; item = item->next) {
		struct hipcpu_item *copy = malloc(item->nbytes);

		if (!copy) {
			hipcpu_message("out of memory in the launch of a graph");
			abort();
		}
		memcpy(copy, item, item->nbytes);
		if (copy->renew)
			copy->renew(copy);
		copy->run(copy);
		free(copy);
	}
}

static void exec_unref(struct hipGraphExec *exec)
{
	if (atomic_fetch_sub(&exec->nrefs, 1) != 1)
		return;
	hipcpu_graph_unref(exec->graph);
	free(exec);
}

static void take_turn(struct hipcpu_item *item)
{
	struct graph_op *op = (struct graph_op *)item;

	op->turn = atomic_fetch_add(&op->exec->nlaunched, 1);
}

static void run_graph(struct hipcpu_item *item)
{
	struct graph_op *op = (struct graph_op *)item;
	uint32_t seen;

	while (seen = atomic_load_explicit(&op->exec->done.value, memory_order_acquire),
		op->exec->nrun != op->turn)
		hipcpu_gate_wait(&op->exec->done, seen, -1);
	graph_run(op->exec->graph);
	atomic_fetch_add(&op->exec->nrun, 1);
	hipcpu_gate_open(&op->exec->done);
}

static void drop_graph(struct hipcpu_item *item)
{
	exec_unref(((struct graph_op *)item)->exec);
}

hipError_t hipGraphInstantiate(
	hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *error_node, char *log, size_t nbytes)
{
	struct hipGraphExec *e;

	HIPCPU_ENTER(hipGraphInstantiate);
	if (!exec || !graph)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (error_node)
		*error_node = NULL;
	if (log && nbytes)
		*log = 0;
	e = calloc(1, sizeof(*e));
	if (!e)
		HIPCPU_LEAVE(hipErrorOutOfMemory);
	e->nrefs = 1;
	e->graph = graph;
	atomic_fetch_add(&graph->nrefs, 1);
	*exec = e;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
	struct ihipStream_t *s;
	struct graph_op *op;

	HIPCPU_ENTER(hipGraphLaunch);
	s = hipcpu_stream(stream);
	if (!exec || !s)
		HIPCPU_LEAVE(exec ? hipErrorInvalidHandle : hipErrorInvalidValue);
	op = malloc(sizeof(*op));
	if (!op)
		HIPCPU_LEAVE(hipErrorOutOfMemory);
	*op = (struct graph_op){
		.item = {.run = run_graph, .drop = drop_graph, .renew = take_turn, .nbytes = sizeof(*op)},
		.exec = exec};
	atomic_fetch_add(&exec->nrefs, 1);
	HIPCPU_LEAVE(hipcpu_stream_submit(s, &op->item));
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
	HIPCPU_ENTER(hipGraphDestroy);
	if (!graph)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	hipcpu_graph_unref(graph);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec)
{
	HIPCPU_ENTER(hipGraphExecDestroy);
	if (!exec)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	exec_unref(exec);
	HIPCPU_LEAVE(hipSuccess);
}
