/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that compute: reductions, scans, reduce_scatter. See coll_phase.h for how PEs tell each other.
 *
 * Every element is folded by one PE, or by all of them alike, always in the order of the PEs: results are the
 * same on all PEs, in every run, by every scope and for every size of the message.
 *
 * Short messages go to everybody by packets, and everybody computes everything. Of longer ones each PE
 * computes a part: it gets that part of every source, folds it, and puts the result to all (two-shot:
 * reduce-scatter and allgather in one). A part of a source is read by one PE alone, before that PE writes it:
 * dest may be source, and nothing is copied aside.
 */
#ifndef GSHMEM_REDUCE_H
#define GSHMEM_REDUCE_H

#include <gshmem/coll/coll.h>
#include <gshmem/coll/fold.h>

/* What a thread folds at a time: on a GPU what one access moves. */
#if GSHMEMI_ARCH_SHARED_MEMORY
#define GSHMEMI_FOLD_BLOCK 2048
#else
#define GSHMEMI_FOLD_BLOCK 16
#endif

struct gshmemi_block {
	uint64_t word[GSHMEMI_FOLD_BLOCK / 8];
};

/* ---- short messages ---- */

GSHMEMI_FN void gshmemi_ll_reduce(const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes)
{
	const size_t source_stride = a->what == GSHMEMI_REDUCE_SCATTER ? nbytes : 0;
	const int npes = c->team.npes, me = c->team.my_pe;
	const struct gshmemi_ll ll = gshmemi_ll_open(c);
	const char *source = (const char *)a->source;
	struct gshmemi_word acc, x;
	int i, pe, end, is_first;
	unsigned n;
	size_t at;

	end = a->what == GSHMEMI_INSCAN ? me + 1 : a->what == GSHMEMI_EXSCAN ? me : npes;
	for (at = (size_t)c->group.rank * 16; at < nbytes; at += (size_t)c->group.size * 16) {
		n = nbytes - at < 16 ? (unsigned)(nbytes - at) : 16;
		for (i = 1; i < npes; i++) {
			pe = gshmemi_coll_ahead(c, i);
			x = gshmemi_word_load(source + (size_t)pe * source_stride + at, n, GSHMEMI_COLL_ALIGN(a->elem_nbytes));
			gshmemi_ll_send(c, &ll, pe, at, &x, n);
		}
		acc.half[0] = acc.half[1] = 0;
		for (pe = 0, is_first = 1; pe < npes; pe++) {
			if (pe == me)
				x = gshmemi_word_load(source + (size_t)pe * source_stride + at, n, GSHMEMI_COLL_ALIGN(a->elem_nbytes));
			else
				x = gshmemi_ll_receive(c, &ll, pe, at, n);
			if (pe < end && is_first)
				acc = x;
			else if (pe < end)
				gshmemi_fold(a->fold, &acc, &x, sizeof x);
			is_first = 0;
		}
		gshmemi_word_store((char *)a->dest + at, acc, n, GSHMEMI_COLL_ALIGN(a->elem_nbytes));
	}
	gshmemi_ll_end(c, &ll);
}

/* ---- long messages ---- */

/*
 * n bytes from source on a PE of the team; by one access where a block is one and lies well. align divides
 * all of them.
 */
GSHMEMI_FN void gshmemi_block_get(const struct gshmemi_coll *c, struct gshmemi_block *block, const char *source, unsigned n,
				  unsigned align, int pe)
{
	const int world_pe = gshmemi_coll_op_pe(c, pe);
#if GSHMEMI_ARCH_SHARED_MEMORY
	gshmemi_get(gshmemi_in_heap(), GSHMEMI_THREAD, block, source, n, align, world_pe, 0, c->call);
#else
	unsigned i;

	if (n == 16 && ((uintptr_t)source & 15) == 0)
		gshmemi_g(gshmemi_in_heap(), block, source, 16, world_pe, c->call);
	else
		for (i = 0; i < 16 && i < n; i += align)
			gshmemi_g_any(gshmemi_in_heap(), (char *)block + i, source + i, align, world_pe, c->call);
#endif
}

GSHMEMI_FN void gshmemi_block_put(const struct gshmemi_coll *c, char *dest, const struct gshmemi_block *block, unsigned n,
				  unsigned align, int pe)
{
	const int world_pe = gshmemi_coll_op_pe(c, pe);
#if GSHMEMI_ARCH_SHARED_MEMORY
	gshmemi_put(gshmemi_in_heap(), GSHMEMI_THREAD, dest, block, n, align, world_pe, 0, c->call);
#else
	unsigned i;

	if (n == 16 && ((uintptr_t)dest & 15) == 0)
		gshmemi_p(gshmemi_in_heap(), dest, block, 16, world_pe, c->call);
	else
		for (i = 0; i < 16 && i < n; i += align)
			gshmemi_p_any(gshmemi_in_heap(), dest + i, (const char *)block + i, align, world_pe, c->call);
#endif
}

/* A block of a PE's source: from scratch of this PE, if it is there, which part says. */
GSHMEMI_FN void gshmemi_block_take(const struct gshmemi_coll *c, struct gshmemi_block *block, const char *source, const char *part,
				   unsigned n, unsigned align, int pe)
{
	if (!part) {
		gshmemi_block_get(c, block, source, n, align, pe);
	} else {
#if GSHMEMI_ARCH_SHARED_MEMORY
		__builtin_memcpy(block, part, n);
#else
		const struct gshmemi_word word = gshmemi_word_load(part, n, align);

		block->word[0] = word.half[0];
		block->word[1] = word.half[1];
#endif
	}
}

/*
 * Where a PE finds the parts of sources that are on other nodes: their PEs have put them into its scratch.
 * nodes NULL: nowhere.
 */
struct gshmemi_parts {
	const struct gshmemi_team_nodes *nodes;
	const char *scratch; /* of PE 0; the next one's is stride bytes behind */
	size_t stride;
};

/*
 * A block of every source, one after the other; each PE's result goes to it when it is there. Over several
 * nodes those of others are in scratch, so far behind their begin, and the result of a reduction is left in
 * this PE's dest.
 */
GSHMEMI_FN void gshmemi_block_reduce(const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t source_at,
				     size_t dest_at, unsigned n, const struct gshmemi_parts *parts, size_t parts_at)
{
	const struct gshmemi_team_nodes *nodes = parts->nodes;
	const int32_t *locals = nodes ? gshmemi_nodes_locals(nodes) : NULL, *end = nodes ? locals + nodes->nlocal : NULL;
	const unsigned align = GSHMEMI_COLL_ALIGN(a->elem_nbytes);
	const char *source = (const char *)a->source + source_at;
	char *dest = (char *)a->dest + dest_at;
	struct gshmemi_block acc, x;
	int pe;

	if (a->what == GSHMEMI_EXSCAN) { /* all bits 0 is 0 in every type */
		for (pe = 0; pe < GSHMEMI_FOLD_BLOCK / 8; pe++)
			acc.word[pe] = 0;
	}
	for (pe = 0; pe < c->team.npes; pe++) {
		const char *part = NULL;

		if (nodes && locals < end && *locals == pe)
			locals++;
		else if (nodes)
			part = parts->scratch + (unsigned)pe * parts->stride + parts_at;
		if (pe == 0 && a->what != GSHMEMI_EXSCAN) {
			gshmemi_block_take(c, &acc, source, part, n, align, pe);
		} else {
			gshmemi_block_take(c, &x, source, part, n, align, pe);
			if (a->what == GSHMEMI_EXSCAN)
				gshmemi_block_put(c, dest, &acc, n, align, pe);
			if (pe == 0)
				acc = x;
			else
				gshmemi_fold(a->fold, &acc, &x, GSHMEMI_FOLD_BLOCK == 16 ? 16 : n);
		}
		if (a->what == GSHMEMI_INSCAN)
			gshmemi_block_put(c, dest, &acc, n, align, pe);
	}
	if (a->what == GSHMEMI_REDUCE_SCATTER || (nodes && a->what == GSHMEMI_REDUCE))
		gshmemi_block_put(c, dest, &acc, n, align, c->team.my_pe);
	for (pe = 0; !nodes && a->what == GSHMEMI_REDUCE && pe < c->team.npes; pe++)
		gshmemi_block_put(c, dest, &acc, n, align, gshmemi_coll_ahead(c, pe));
}

/* Bytes that a PE folds. */
GSHMEMI_FN size_t gshmemi_reduce_share(const struct gshmemi_coll *c, size_t nbytes)
{
	const size_t line = GSHMEMI_STAGE_LINE;

	return (nbytes / (unsigned)c->team.npes + line) & ~(line - 1);
}

/*
 * Over several nodes, bytes of a PE's part that are in scratch at a time, of which there are two sets, and
 * the team's nodes. 0: parts are got, and *nodes_p does not change.
 */
GSHMEMI_FN size_t gshmemi_reduce_chunk(const struct gshmemi_coll *c, size_t share,
				       const struct gshmemi_team_nodes **nodes_p)
{
	const size_t line = GSHMEMI_STAGE_LINE, most = GSHMEMI_SCRATCH_NBYTES / (2 * (unsigned)c->team.npes) & ~(line - 1);
	const struct gshmemi_team_nodes *nodes = gshmemi_coll_nodes(c);

	if (!nodes || !c->team.sync->scratch)
		return 0;
	*nodes_p = nodes;
	return share < most ? (share + line - 1) & ~(line - 1) : most;
}

/* Of the part that a PE folds, which begins at begin of nbytes: the bytes of the chunk at first. */
GSHMEMI_FN size_t gshmemi_reduce_bytes(size_t begin, size_t nbytes, size_t first, size_t share, size_t chunk)
{
	const size_t n = share - first < chunk ? share - first : chunk;

	return begin + first >= nbytes ? 0 : nbytes - begin - first < n ? nbytes - begin - first : n;
}

/*
 * A chunk of each part of this PE's source to the PE that folds it, if that is on another node; scratch is
 * where that one has it.
 */
GSHMEMI_FN void gshmemi_reduce_send(const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, const struct gshmemi_parts *parts,
				    size_t nbytes, size_t first, size_t share)
{
	const int32_t *order = parts->nodes->order, *begin = parts->nodes->begin + parts->nodes->my_node;
	const struct gshmemi_where in_sync = gshmemi_in_sync();
	int i, pe;

	for (i = 0; i < c->team.npes; i++) {
		pe = order[i];
		if (i < begin[0] || i >= begin[1])
			gshmemi_put(in_sync, c->group.scope, (void *)(uintptr_t)(parts->scratch + (unsigned)c->team.my_pe * parts->stride),
				    (const char *)a->source + share * (unsigned)pe + first,
				    gshmemi_reduce_bytes(share * (unsigned)pe, nbytes, first, share, parts->stride),
				    GSHMEMI_COLL_ALIGN(a->elem_nbytes), gshmemi_coll_op_pe(c, pe), 1, c->call);
	}
}

/*
 * Over several nodes PEs put their parts of a source to the PEs of other nodes that fold them, into scratch,
 * chunk by chunk: a get would wait for a round trip each time. The two sets of scratch take turns: who puts
 * chunk i + 2 has heard from all that they have put chunk i + 1, and so have folded chunk i. Results go to
 * one PE of each node (gshmemi_nodes_spread). On one node there is one chunk.
 */
GSHMEMI_FN void gshmemi_reduce_long(struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes)
{
	const int is_scatter = a->what == GSHMEMI_REDUCE_SCATTER;
	const size_t share = is_scatter ? nbytes : gshmemi_reduce_share(c, nbytes);
	const size_t all = is_scatter ? nbytes * (unsigned)c->team.npes : nbytes, begin = share * (unsigned)c->team.my_pe;
	struct gshmemi_parts parts = {NULL, NULL, 0};
	const size_t chunk = gshmemi_reduce_chunk(c, share, &parts.nodes);
	size_t first, n, at;

	parts.stride = chunk;
	for (first = 0; first < share; first += chunk ? chunk : share) {
		if (chunk) {
			parts.scratch = c->team.sync->scratch + (c->phase & 1) * (unsigned)c->team.npes * chunk;
			gshmemi_reduce_send(c, a, &parts, all, first, share);
		}
		gshmemi_coll_order(c);
		gshmemi_coll_tell(c);
		gshmemi_coll_await(c);
		n = gshmemi_reduce_bytes(begin, all, first, share, chunk ? chunk : share);
		for (at = (size_t)c->group.rank * GSHMEMI_FOLD_BLOCK; at < n; at += (size_t)c->group.size * GSHMEMI_FOLD_BLOCK)
			gshmemi_block_reduce(c, a, begin + first + at, (is_scatter ? 0 : begin) + first + at,
					     n - at < GSHMEMI_FOLD_BLOCK ? (unsigned)(n - at) : GSHMEMI_FOLD_BLOCK, &parts, at);
		gshmemi_arch_fence_reads(); /* of sources that others write when they know */
		gshmemi_group_sync(&c->group);
		c->phase++;
	}
	if (chunk && a->what == GSHMEMI_REDUCE) {
		/* All threads are to put on what each has put into this PE's dest. */
		gshmemi_complete(GSHMEMI_CTX_LIBRARY);
		gshmemi_group_sync(&c->group);
		gshmemi_arch_fence_acquire();
		gshmemi_nodes_spread(c, parts.nodes, (char *)a->dest, (const char *)a->dest + (begin < all ? begin : all), share, all,
				     GSHMEMI_COLL_ALIGN(a->elem_nbytes));
	} else {
		gshmemi_coll_finish(c);
	}
}

/* All that this file is for: what is in the arguments. */
GSHMEMI_COLL int gshmemi_reduce(int scope, struct gshmemi_coll_args *a, const char *call)
{
	struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const size_t nbytes = a->nelems * a->elem_nbytes;

	if (!nbytes) {
		gshmemi_coll_part(&c);
		return 0;
	}
	if (gshmemi_ll_fits(&c, nbytes, GSHMEMI_LL_REDUCE))
		gshmemi_ll_reduce(&c, a, nbytes);
	else
		gshmemi_reduce_long(&c, a, nbytes);
	return 0;
}

#endif /* GSHMEM_REDUCE_H */
