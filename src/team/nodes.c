/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Describes the nodes of a team: which of its PEs are on which node, for barriers and collectives that work
 * node by node. The host writes the description (struct gshmemi_team_nodes) once, when it makes the team,
 * into host-pinned memory, where kernels read it. A team whose PEs are all on one node has no description.
 *
 * This file also hands out scratch, into which PEs put their parts of a reduction for PEs of other nodes.
 */
#include "team/team.h"

#include <stdlib.h>
#include <string.h>

#include "base/scale.h"
#include "device/devmem.h"
#include "heap/heap.h"
#include "job/job.h"

/* The number of rounds of a barrier of n PEs. */
static int count_rounds(int n)
{
	int rounds = 0, reach;

	for (reach = 1; reach < n; reach *= GSHMEMI_SYNC_RADIX)
		rounds++;
	return rounds;
}

static size_t nodes_nbytes(int npes, int nnodes, int nlocal)
{
	return sizeof(struct gshmemi_team_nodes) +
		((size_t)npes + 2 * (size_t)nnodes + 1 + (size_t)nlocal) * sizeof(int32_t);
}

/*
 * number[gshmemi_job->nnodes] numbers the nodes within the team, from 1; 0: the node has no PE of the team.
 */
static int describe_nodes(const int32_t *pes, int npes, int my_pe, const int32_t *number, int nnodes,
	struct gshmemi_team_nodes **nodes_p)
{
	const int my_node = number[gshmemi_job->nodes[pes[my_pe]]] - 1;
	int32_t *begin, *order, *leaders, *locals;
	struct gshmemi_team_nodes *nodes;
	int i, n, nlocal = 0, rc;
	void *memory;

	for (i = 0; i < npes; i++)
		nlocal += number[gshmemi_job->nodes[pes[i]]] - 1 == my_node;
	rc = gshmemi_host_allocate(nodes_nbytes(npes, nnodes, nlocal), "nodes of a team", &memory);
	if (rc)
		return rc;
	memset(memory, 0, nodes_nbytes(npes, nnodes, nlocal));
	nodes = memory;
	begin = (int32_t *)(nodes + 1);
	order = begin + nnodes + 1;
	leaders = order + npes;
	locals = leaders + nnodes;
	for (i = 0; i < npes; i++)
		begin[number[gshmemi_job->nodes[pes[i]]]]++;
	for (n = 0; n < nnodes; n++)
		begin[n + 1] += begin[n];
	for (i = npes - 1; i >= 0; i--) /* this lowers begin[n + 1] to where node n begins */
		order[--begin[number[gshmemi_job->nodes[pes[i]]]]] = i;
	memmove(begin, begin + 1, (size_t)nnodes * sizeof *begin);
	begin[nnodes] = npes;
	for (n = 0; n < nnodes; n++)
		leaders[n] = pes[order[begin[n]]];
	for (i = 0; i < nlocal; i++) {
		locals[i] = pes[order[begin[my_node] + i]];
		if (order[begin[my_node] + i] == my_pe)
			nodes->my_local = i;
	}
	nodes->nnodes = nnodes;
	nodes->my_node = my_node;
	nodes->nlocal = nlocal;
	for (n = 0, i = 0; n < nnodes; n++)
		i = begin[n + 1] - begin[n] > i ? begin[n + 1] - begin[n] : i;
	nodes->row[1] = count_rounds(i);
	nodes->row[2] = nodes->row[1] + count_rounds(nnodes);
	if (nodes->row[2] + nodes->row[1] > GSHMEMI_SYNC_ROUNDS)
		nodes->row[2] = -1;
	nodes->locals = locals;
	nodes->leaders = leaders;
	nodes->begin = begin;
	nodes->order = order;
	*nodes_p = nodes;
	return 0;
}

int gshmemi_team_describe_nodes(const int32_t *pes, int npes, int my_pe, struct gshmemi_team_nodes **nodes_p)
{
	int32_t *number, nnodes = 0;
	int i, rc = 0;

	if (gshmemi_job->nnodes < 2)
		return 0;
	number = calloc((size_t)gshmemi_job->nnodes, sizeof *number);
	if (!number) {
		gshmemi_error("a team on %d nodes: out of memory", gshmemi_job->nnodes);
		return -ENOMEM;
	}
	for (i = 0; i < npes; i++)
		if (!number[gshmemi_job->nodes[pes[i]]])
			number[gshmemi_job->nodes[pes[i]]] = ++nnodes;
	if (nnodes > 1)
		rc = describe_nodes(pes, npes, my_pe, number, nnodes, nodes_p);
	free(number);
	return rc;
}

/* Counts the descriptions of the two predefined teams that span nodes: the world and SAME_MYPE_NODE. */
void gshmemi_team_nodes_scale(struct gshmemi_scale *scale)
{
	const int nnodes = gshmemi_scale_nnodes(scale);

	if (nnodes < 2)
		return;
	gshmemi_scale_add(scale, GSHMEMI_SCALE_PINNED, "nodes_of_teams",
		nodes_nbytes(scale->npes, nnodes, scale->npeers) + nodes_nbytes(nnodes, nnodes, 1));
}

/* SHARED and NODE are on one node and need no scratch. */
char *gshmemi_team_find_scratch(unsigned place)
{
	const unsigned i = place > GSHMEMI_TEAM_NODE ? place - GSHMEMI_TEAM_NODE : 0;
	const bool is_on_one_node = place == GSHMEMI_TEAM_SHARED || place == GSHMEMI_TEAM_NODE;

	if (!gshmemi_heap.scratch || is_on_one_node || i >= GSHMEMI_SCRATCH_NPLACES)
		return NULL;
	return gshmemi_heap.scratch + i * GSHMEMI_SCRATCH_NBYTES;
}
