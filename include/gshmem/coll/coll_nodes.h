/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of a team with PEs on several nodes. Data goes from one node to another once, to one PE, which
 * puts it to the others of its node; struct gshmemi_team_nodes says where the PEs are. alltoall and the like
 * have other data for each PE, and put to each directly.
 */
#ifndef GSHMEM_COLL_NODES_H
#define GSHMEM_COLL_NODES_H

#include <gshmem/coll/coll_packet.h>

/* The nodes of the team; NULL: all its PEs are on one. */
GSHMEMI_FN const struct gshmemi_team_nodes *gshmemi_coll_nodes(const struct gshmemi_coll *c)
{
	return gshmemi_is_slow(GSHMEMI_WHY_NODES) ? c->team.sync->nodes : NULL;
}

/*
 * All threads put to a PE of the team, which may be this one. source must stay unchanged until
 * the collective ends.
 */
GSHMEMI_FN void gshmemi_coll_put(
	const struct gshmemi_coll *c, void *dest, const void *source, size_t nbytes, unsigned align, int pe)
{
	if (dest != source || pe != c->team.my_pe)
		gshmemi_put(gshmemi_in_heap(), c->group.scope, dest, source,
			gshmemi_make_extent(nbytes, align, 1), gshmemi_coll_op_pe(c, pe), c->call);
}

/* Publish the phase to PEs of the team other than this one; the threads share the work. */
GSHMEMI_FN void gshmemi_nodes_tell(const struct gshmemi_coll *c, const int32_t *pes, int npes)
{
	int i;

	for (i = (int)c->group.rank; i < npes; i += (int)c->group.size)
		if (pes[i] != c->team.my_pe)
			gshmemi_sync_tell(
				&c->flag[c->team.my_pe], c->phase, gshmemi_coll_world_pe(c, pes[i]), c->call);
}

/* The threads share the waits; call gshmemi_coll_meet afterwards. */
GSHMEMI_FN void gshmemi_nodes_poll(const struct gshmemi_coll *c, const int32_t *pes, int npes)
{
	int i;

	for (i = (int)c->group.rank; i < npes; i += (int)c->group.size)
		if (pes[i] != c->team.my_pe)
			gshmemi_coll_poll(c, pes[i]);
}

/* The team's PEs on this node, [nodes->nlocal], in the order of the team. */
GSHMEMI_FN const int32_t *gshmemi_nodes_locals(const struct gshmemi_team_nodes *nodes)
{
	return nodes->order + nodes->begin[nodes->my_node];
}

/* The PE of a node that takes this PE's data for that node: the node's PEs share the senders out. */
GSHMEMI_FN const int32_t *gshmemi_nodes_partner(const struct gshmemi_team_nodes *nodes, int node)
{
	return &nodes->order[nodes->begin[node] +
		nodes->my_local % (nodes->begin[node + 1] - nodes->begin[node])];
}

/* ---- broadcast ---- */

/* Bytes that a node's first PE receives before it begins to forward them. */
#define GSHMEMI_NODES_SEGMENT ((size_t)256 << 10)

/* The root puts to its own node, and to the first PE of each other node. */
GSHMEMI_FN void gshmemi_broadcast_nodes(struct gshmemi_coll *c, const struct gshmemi_team_nodes *nodes,
	char *dest, const char *source, size_t nbytes, unsigned align, int root)
{
	const int32_t *locals = gshmemi_nodes_locals(nodes);
	const int is_root = c->team.my_pe == root;
	int is_near = 0, leads, pe, i;
	size_t at = 0, n;

	for (i = 0; i < nodes->nlocal; i++)
		is_near |= locals[i] == root;
	leads = is_near ? is_root : !nodes->my_local;
	for (;; c->phase++) {
		n = nbytes - at < GSHMEMI_NODES_SEGMENT ? nbytes - at : GSHMEMI_NODES_SEGMENT;
		if (!is_root)
			gshmemi_coll_await_one(c, is_near || leads ? root : locals[0]);
		if (leads) {
			for (i = is_root ? 0 : nodes->nnodes; i < nodes->nnodes + nodes->nlocal; i++) {
				pe = i < nodes->nnodes ? nodes->order[nodes->begin[i]]
						       : locals[i - nodes->nnodes];
				if (i != nodes->my_node && pe != c->team.my_pe)
					gshmemi_coll_put(
						c, dest + at, (is_root ? source : dest) + at, n, align, pe);
			}
			gshmemi_coll_order(c);
			for (i = 0; is_root && i < nodes->nnodes; i++)
				if (i != nodes->my_node)
					gshmemi_coll_tell_one(c, nodes->order[nodes->begin[i]]);
			gshmemi_nodes_tell(c, locals, nodes->nlocal);
		}
		at += n;
		if (at == nbytes)
			break;
	}
	if (is_root) {
		gshmemi_coll_put(c, dest, source, nbytes, align, root);
		gshmemi_coll_order(c);
	}
	gshmemi_coll_end(c);
}

/* ---- each PE has a block for all ---- */

/* Put some or all of this PE's block to its own node, and to one PE of each other node. */
GSHMEMI_FN void gshmemi_nodes_put(const struct gshmemi_coll *c, const struct gshmemi_team_nodes *nodes,
	char *dest, const char *source, size_t nbytes, unsigned align)
{
	const int32_t *locals = gshmemi_nodes_locals(nodes);
	int i;

	for (i = 0; i < nodes->nnodes + nodes->nlocal; i++)
		if (i != nodes->my_node)
			gshmemi_coll_put(c, dest, source, nbytes, align,
				i < nodes->nnodes ? *gshmemi_nodes_partner(nodes, i)
						  : locals[i - nodes->nnodes]);
}

/*
 * The PEs of a node put to each other what they received from other nodes. Block i of dest is PE i's, which
 * has put it by gshmemi_nodes_put: stride bytes from i * stride on, none beyond nbytes. These are the last
 * two phases of a collective, which ends here.
 */
GSHMEMI_FN void gshmemi_nodes_spread(struct gshmemi_coll *c, const struct gshmemi_team_nodes *nodes,
	char *dest, size_t stride, size_t nbytes, unsigned align)
{
	const int32_t *locals = gshmemi_nodes_locals(nodes), *theirs;
	int nlocal = nodes->nlocal, my_node = nodes->my_node, nnodes = nodes->nnodes;
	size_t begin, n;
	int node, i, k, count;

	if (c->group.scope != GSHMEMI_THREAD) {
		GSHMEMI_COLL_UNIFORM(nlocal);
		GSHMEMI_COLL_UNIFORM(my_node);
		GSHMEMI_COLL_UNIFORM(nnodes);
	}
	gshmemi_coll_order(c);
	for (node = 0; node < nnodes; node++)
		if (node != my_node)
			gshmemi_coll_tell_one(c, *gshmemi_nodes_partner(nodes, node));
	for (node = 0; node < nnodes; node++) {
		theirs = &nodes->order[nodes->begin[node]];
		count = node == my_node ? 0 : nodes->begin[node + 1] - nodes->begin[node];
		if (c->group.scope != GSHMEMI_THREAD)
			GSHMEMI_COLL_UNIFORM(count);
		for (k = nodes->my_local; k < count; k += nlocal) {
			gshmemi_coll_await_one(c, theirs[k]);
			begin = stride * (unsigned)theirs[k] < nbytes ? stride * (unsigned)theirs[k] : nbytes;
			n = nbytes - begin < stride ? nbytes - begin : stride;
			for (i = 0; i < nlocal; i++)
				gshmemi_coll_put(c, dest + begin, dest + begin, n, align, locals[i]);
		}
	}
	gshmemi_coll_order(c);
	c->phase++;
	gshmemi_nodes_tell(c, locals, nlocal);
	gshmemi_nodes_poll(c, locals, nlocal);
	gshmemi_coll_meet(c);
	gshmemi_coll_end(c);
}

#endif /* GSHMEM_COLL_NODES_H */
