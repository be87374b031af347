/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that compute: reductions, scans, reduce_scatter. coll_phase.h says how PEs tell each
 * other of data.
 *
 * Elements are always folded in the order of the PEs, by one PE or by all of them alike: results are the same
 * on all PEs, in every run, by every scope and for every size of the message.
 *
 * One-shot: short messages go to all PEs, by packets or, over several nodes, to each PE's scratch, and each
 * PE computes everything. Two-shot: of a longer message each PE computes a part. It gets that part of every
 * source, folds it, and puts the result to all, a reduce-scatter and an allgather in one. Only one PE reads a
 * part of a source, before it writes that part, so dest may be source without a copy.
 */
#ifndef GSHMEM_REDUCE_H
#define GSHMEM_REDUCE_H

#include <gshmem/coll/coll.h>
#include <gshmem/coll/fold.h>

/* Bytes that a thread folds at a time: on a GPU as many as one load. */
#if GSHMEMI_ARCH_SHARED_MEMORY
#define GSHMEMI_FOLD_BLOCK 2048
#else
#define GSHMEMI_FOLD_BLOCK 16
#endif

struct gshmemi_block {
	uint64_t word[GSHMEMI_FOLD_BLOCK / 8];
};

/* ---- short messages ---- */

GSHMEMI_FN void gshmemi_ll_reduce(
	const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes)
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
			x = gshmemi_word_load(source + (size_t)pe * source_stride + at, n,
				GSHMEMI_COLL_ALIGN(a->elem_nbytes));
			gshmemi_ll_send(c, &ll, pe, at, &x, n);
		}
		acc.half[0] = acc.half[1] = 0;
		for (pe = 0, is_first = 1; pe < npes; pe++) {
			if (pe == me)
				x = gshmemi_word_load(source + (size_t)pe * source_stride + at, n,
					GSHMEMI_COLL_ALIGN(a->elem_nbytes));
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
 * Get n bytes of source on a PE of the team: by one load if a block has the size of one and is aligned. align
 * divides n and both addresses.
 */
GSHMEMI_FN void gshmemi_block_get(const struct gshmemi_coll *c, struct gshmemi_block *block,
	const char *source, unsigned n, unsigned align, int pe)
{
	const int world_pe = gshmemi_coll_op_pe(c, pe);
#if GSHMEMI_ARCH_SHARED_MEMORY
	gshmemi_get(gshmemi_in_heap(), GSHMEMI_THREAD, block, source, gshmemi_make_extent(n, align, 0),
		world_pe, c->call);
#else
	unsigned i;

	if (n == 16 && ((uintptr_t)source & 15) == 0)
		gshmemi_g(gshmemi_in_heap(), block, source, 16, world_pe, c->call);
	else
		for (i = 0; i < 16 && i < n; i += align)
			gshmemi_g_any(
				gshmemi_in_heap(), (char *)block + i, source + i, align, world_pe, c->call);
#endif
}

GSHMEMI_FN void gshmemi_block_put(const struct gshmemi_coll *c, char *dest, const struct gshmemi_block *block,
	unsigned n, unsigned align, int pe)
{
	const int world_pe = gshmemi_coll_op_pe(c, pe);
#if GSHMEMI_ARCH_SHARED_MEMORY
	gshmemi_put(gshmemi_in_heap(), GSHMEMI_THREAD, dest, block, gshmemi_make_extent(n, align, 0),
		world_pe, c->call);
#else
	unsigned i;

	if (n == 16 && ((uintptr_t)dest & 15) == 0)
		gshmemi_p(gshmemi_in_heap(), dest, block, 16, world_pe, c->call);
	else
		for (i = 0; i < 16 && i < n; i += align)
			gshmemi_p_any(gshmemi_in_heap(), dest + i, (const char *)block + i, align, world_pe,
				c->call);
#endif
}

/* Get a block of a PE's source: from this PE's scratch, if part says that it is there. */
GSHMEMI_FN void gshmemi_block_take(const struct gshmemi_coll *c, struct gshmemi_block *block,
	const char *source, const char *part, unsigned n, unsigned align, int pe)
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
 * Over several nodes: where a PE finds the sources of others. It reads those of its own node in place; other
 * PEs have put theirs into its scratch.
 */
struct gshmemi_parts {
	const struct gshmemi_team_nodes *nodes; /* NULL: no scratch, or one node: all are read in place */
	const int32_t *pes;
	int npes;
	int is_once;          /* one-shot: each PE has all of every source and computes its own result */
	const char *scratch;  /* what PE 0 has put; that of PE i is i * stride behind */
	size_t stride;        /* also the most bytes of a PE at a time */
	size_t source_stride; /* in a source, from the part for PE i to that for PE i + 1 */
};

/* Store to this PE's own memory; the group's other threads read it after a gshmemi_group_sync. */
GSHMEMI_FN void gshmemi_block_keep(char *dest, const struct gshmemi_block *block, unsigned n, unsigned align)
{
#if GSHMEMI_ARCH_SHARED_MEMORY
	(void)align;
	__builtin_memcpy(dest, block, n);
#else
	const struct gshmemi_word word = {{block->word[0], block->word[1]}};

	gshmemi_word_store(dest, word, n, align);
#endif
}

/* Put a scan's sum so far to the PE whose result it is. */
GSHMEMI_FN void gshmemi_block_scanned(const struct gshmemi_coll *c, char *dest,
	const struct gshmemi_block *block, unsigned n, unsigned align, int pe, int is_once)
{
	if (!is_once)
		gshmemi_block_put(c, dest, block, n, align, pe);
	else if (pe == c->team.my_pe)
		gshmemi_block_keep(dest, block, n, align);
}

/*
 * Fold a block of every source, one after the other; each PE's result is put to it as soon as it is known.
 * Over several nodes the result of a reduction stays in this PE's dest.
 */
GSHMEMI_FN void gshmemi_block_reduce(const struct gshmemi_coll *c, const struct gshmemi_coll_args *a,
	size_t source_at, size_t dest_at, unsigned n, const struct gshmemi_parts *parts, size_t parts_at)
{
	const int32_t *here = parts->pes, *end = here + parts->npes;
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

		if (parts->nodes && here < end && *here == pe)
			here++;
		else if (parts->nodes)
			part = parts->scratch + (unsigned)pe * parts->stride + parts_at;
		if (pe == 0 && a->what != GSHMEMI_EXSCAN) {
			gshmemi_block_take(c, &acc, source, part, n, align, pe);
		} else {
			gshmemi_block_take(c, &x, source, part, n, align, pe);
			if (a->what == GSHMEMI_EXSCAN)
				gshmemi_block_scanned(c, dest, &acc, n, align, pe, parts->is_once);
			if (pe == 0)
				acc = x;
			else
				gshmemi_fold(a->fold, &acc, &x, GSHMEMI_FOLD_BLOCK == 16 ? 16 : n);
		}
		if (a->what == GSHMEMI_INSCAN)
			gshmemi_block_scanned(c, dest, &acc, n, align, pe, parts->is_once);
	}
	if (a->what == GSHMEMI_REDUCE_SCATTER || (a->what == GSHMEMI_REDUCE && parts->nodes))
		gshmemi_block_keep(dest, &acc, n, align);
	for (pe = 0; !parts->nodes && a->what == GSHMEMI_REDUCE && pe < c->team.npes; pe++)
		gshmemi_block_put(c, dest, &acc, n, align, gshmemi_coll_ahead(c, pe));
}

/* Bytes that each PE folds. */
GSHMEMI_FN size_t gshmemi_reduce_share(const struct gshmemi_coll *c, size_t nbytes)
{
	const size_t line = GSHMEMI_STAGE_LINE;

	return (nbytes / (unsigned)c->team.npes + line) & ~(line - 1);
}

/*
 * Scratch has several sets of all parts that come at a time. Successive phases use the sets in turn; of the
 * two sets for one-shot messages, epochs of packets do.
 */
#define GSHMEMI_REDUCE_ONCE_SETS 2
#define GSHMEMI_REDUCE_SETS      4

/* Bytes of a part if scratch of nbytes holds nsets sets. */
GSHMEMI_FN size_t gshmemi_reduce_room(const struct gshmemi_coll *c, size_t nbytes, unsigned nsets)
{
	return nbytes / (nsets * (unsigned)c->team.npes) & ~(size_t)(GSHMEMI_STAGE_LINE - 1);
}

/* nbytes as in gshmemi_reduce_long. */
GSHMEMI_FN struct gshmemi_parts gshmemi_reduce_parts(
	const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes)
{
	const struct gshmemi_team_nodes *nodes = gshmemi_coll_nodes(c);
	const size_t once = gshmemi_reduce_room(c, GSHMEMI_SCRATCH_ONCE_NBYTES, GSHMEMI_REDUCE_ONCE_SETS);
	const size_t room = gshmemi_reduce_room(
		c, GSHMEMI_SCRATCH_NBYTES - GSHMEMI_SCRATCH_ONCE_NBYTES, GSHMEMI_REDUCE_SETS);
	struct gshmemi_parts parts = {NULL, NULL, 0, 0, NULL, 0, 0};

	parts.source_stride = a->what == GSHMEMI_REDUCE_SCATTER ? nbytes : gshmemi_reduce_share(c, nbytes);
	if (!nodes || !c->team.sync->scratch || !room) /* none of 1793 PEs or more */
		return parts;
	parts.nodes = nodes;
	parts.is_once = nbytes <= once;
	parts.pes = parts.is_once ? &c->team.my_pe : gshmemi_nodes_locals(nodes);
	parts.npes = parts.is_once ? 1 : nodes->nlocal;
	parts.stride = parts.is_once ? once : room;
	if (parts.is_once && a->what != GSHMEMI_REDUCE_SCATTER)
		parts.source_stride = 0;
	return parts;
}

/* Bytes of the chunk at first in the part that a PE folds, which begins at begin of nbytes. */
GSHMEMI_FN size_t gshmemi_reduce_bytes(size_t begin, size_t nbytes, size_t first, size_t share, size_t chunk)
{
	const size_t n = share - first < chunk ? share - first : chunk;

	return begin + first >= nbytes ? 0 : nbytes - begin - first < n ? nbytes - begin - first : n;
}

/* Put a chunk of this PE's source to the scratch of each PE that folds it and does not read it in place. */
GSHMEMI_FN void gshmemi_reduce_send(const struct gshmemi_coll *c, const struct gshmemi_coll_args *a,
	const struct gshmemi_parts *parts, const char *scratch, size_t nbytes, size_t first, size_t share)
{
	const int32_t *order = parts->nodes->order, *locals = parts->nodes->begin + parts->nodes->my_node;
	const struct gshmemi_where in_sync = gshmemi_in_sync();
	size_t begin;
	int i;

	for (i = 0; i < c->team.npes; i++) {
		begin = parts->source_stride * (unsigned)order[i];
		if (parts->is_once ? order[i] != c->team.my_pe : i < locals[0] || i >= locals[1])
			gshmemi_put(in_sync, c->group.scope,
				(void *)(uintptr_t)(scratch + (unsigned)c->team.my_pe * parts->stride),
				(const char *)a->source + begin + first,
				gshmemi_make_extent(
					gshmemi_reduce_bytes(begin, nbytes, first, share, parts->stride),
					GSHMEMI_COLL_ALIGN(a->elem_nbytes), 1),
				gshmemi_coll_op_pe(c, order[i]), c->call);
	}
}

/* The set of scratch that this phase uses; for a one-shot message, that of this epoch. */
GSHMEMI_FN const char *gshmemi_reduce_set(
	const struct gshmemi_coll *c, const struct gshmemi_parts *parts, uint64_t epoch)
{
	const size_t nbytes = (unsigned)c->team.npes * parts->stride;

	if (parts->is_once)
		return c->team.sync->scratch + (epoch & (GSHMEMI_REDUCE_ONCE_SETS - 1)) * nbytes;
	return c->team.sync->scratch + GSHMEMI_SCRATCH_ONCE_NBYTES +
		(c->phase & (GSHMEMI_REDUCE_SETS - 1)) * nbytes;
}

/*
 * Over several nodes PEs put their parts of a source, chunk by chunk, to the scratch of the PEs of other
 * nodes that fold them: a get would wait for a round trip each time. While one chunk is folded, the next one
 * and the result of the last one are on their way. A result goes to one PE of each node, and
 * gshmemi_nodes_spread ends the collective.
 *
 * Why four sets of scratch suffice: a PE that puts chunk i + 1 has awaited chunk i - 1 from all, who
 *                                                                                    published it before
 * they folded i - 2, so all are done with i - 3. Why two sets suffice for one-shot messages: a PE that puts
 * one at an epoch of packets has received those of the epoch before from all, who are thus done with the
 * epoch before that.
 *
 * On one node there is one chunk.
 */
GSHMEMI_FN void gshmemi_reduce_long(struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes)
{
	const int is_scatter = a->what == GSHMEMI_REDUCE_SCATTER;
	struct gshmemi_parts parts = gshmemi_reduce_parts(c, a, nbytes);
	const size_t share = parts.is_once ? nbytes : parts.source_stride,
		     step = parts.nodes && parts.stride < share ? parts.stride : share;
	const size_t all = is_scatter ? nbytes * (unsigned)c->team.npes : nbytes,
		     begin = parts.source_stride * (unsigned)c->team.my_pe;
	const int is_spread = parts.nodes && !parts.is_once && a->what == GSHMEMI_REDUCE;
	struct gshmemi_ll ll = {NULL, 0, 0};
	char *result = (char *)a->dest + (is_scatter ? 0 : begin);
	size_t first, sent = 0, n, at;
	int is_ahead;

	if (parts.is_once)
		ll = gshmemi_ll_open(c);
	for (first = 0; first < share; first += step) {
		for (; sent < share && sent <= first + step; sent += step) {
			is_ahead = sent != first;
			c->phase += (unsigned)is_ahead;
			if (parts.nodes)
				gshmemi_reduce_send(c, a, &parts, gshmemi_reduce_set(c, &parts, ll.epoch),
					all, sent, share);
			gshmemi_coll_order(c);
			gshmemi_coll_tell(c);
			c->phase -= (unsigned)is_ahead;
		}
		gshmemi_coll_await(c);
		if (parts.is_once && GSHMEMI_HOST_UNIT)
			gshmemi_release_sources(GSHMEMI_CTX_LIBRARY); /* dest may be source */
		if (parts.nodes)
			parts.scratch = gshmemi_reduce_set(c, &parts, ll.epoch);
		n = gshmemi_reduce_bytes(begin, all, first, share, step);
		for (at = (size_t)c->group.rank * GSHMEMI_FOLD_BLOCK; at < n;
			at += (size_t)c->group.size * GSHMEMI_FOLD_BLOCK)
			gshmemi_block_reduce(c, a, begin + first + at,
				(size_t)(result - (char *)a->dest) + first + at,
				n - at < GSHMEMI_FOLD_BLOCK ? (unsigned)(n - at) : GSHMEMI_FOLD_BLOCK, &parts,
				at);
		gshmemi_arch_fence_reads(); /* reads of sources end before their owners may write to them */
		if (is_spread)
			gshmemi_arch_fence_release();
		gshmemi_group_sync(&c->group);
		if (is_spread) { /* also of what other threads have folded */
			gshmemi_arch_fence_acquire();
			gshmemi_nodes_put(c, parts.nodes, result + first, result + first, n,
				GSHMEMI_COLL_ALIGN(a->elem_nbytes));
		}
		c->phase++;
	}
	if (is_spread) {
		gshmemi_nodes_spread(
			c, parts.nodes, (char *)a->dest, share, all, GSHMEMI_COLL_ALIGN(a->elem_nbytes));
	} else if (parts.is_once) {
		gshmemi_ll_close(c, &ll);
		gshmemi_coll_end(c);
	} else {
		gshmemi_coll_finish(c);
	}
}

/* Makes any of this file's collectives, by its arguments. */
GSHMEMI_COLL int gshmemi_reduce(int scope, struct gshmemi_coll_args *a, const char *call)
{
	struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	/* in registers: loops need not load them again after waits */
	const struct gshmemi_coll_args args = *a;
	const size_t nbytes = args.nelems * args.elem_nbytes;

	if (!nbytes) {
		gshmemi_coll_part(&c);
		return 0;
	}
	if (gshmemi_ll_fits(&c, nbytes, GSHMEMI_LL_REDUCE))
		gshmemi_ll_reduce(&c, &args, nbytes);
	else
		gshmemi_reduce_long(&c, &args, nbytes);
	return 0;
}

#endif /* GSHMEM_REDUCE_H */
