/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that move data: broadcast, collect, fcollect, alltoall, alltoalls, alltoallv; reduce.h has
 * those that compute. PEs tell each other that data has arrived by phases (coll_phase.h), or send it in
 * packets (coll_packet.h). Over several nodes some go by nodes (coll_nodes.h).
 */
#ifndef GSHMEM_COLL_H
#define GSHMEM_COLL_H

#include <gshmem/coll/coll_nodes.h>

/* Bodies with many callers each: the compiler decides whether they stay functions. */
#if GSHMEMI_KERNELS
#define GSHMEMI_COLL static inline __host__ __device__ __attribute__((unused))
#else
#define GSHMEMI_COLL static inline __attribute__((unused))
#endif

/* Tell the others that all puts have arrived, wait for theirs, and end. */
GSHMEMI_FN void gshmemi_coll_finish(const struct gshmemi_coll *c)
{
	gshmemi_coll_order(c);
	gshmemi_coll_tell(c);
	gshmemi_coll_await(c);
	gshmemi_coll_end(c);
}

/* Least bytes of a broadcast in which all PEs share the work. */
#define GSHMEMI_BROADCAST_SHARED 16384

/* The root puts all of it to every PE. */
GSHMEMI_FN void gshmemi_broadcast_direct(
	const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes, unsigned align)
{
	int i;

	if (c->team.my_pe == a->root) {
		for (i = 1; i <= c->team.npes; i++)
			gshmemi_coll_put(c, a->dest, a->source, nbytes, align, gshmemi_coll_ahead(c, i));
		gshmemi_coll_order(c);
		gshmemi_coll_tell(c);
	} else {
		gshmemi_coll_await_one(c, a->root);
	}
	gshmemi_coll_end(c);
}

#if GSHMEMI_ARCH_SHARED_MEMORY
/* All memory is equally far, and cores are scarce: every PE gets it from the root, which waits for them. */
GSHMEMI_FN void gshmemi_broadcast_shared(
	const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes, unsigned align)
{
	if (c->team.my_pe == a->root) {
		gshmemi_coll_order(c);
		gshmemi_coll_tell(c);
		gshmemi_coll_put(c, a->dest, a->source, nbytes, align, a->root);
		gshmemi_coll_order(c);
		gshmemi_coll_await(c);
	} else {
		gshmemi_coll_await_one(c, a->root);
		gshmemi_get(gshmemi_in_heap(), c->group.scope, a->dest, a->source,
			gshmemi_make_extent(nbytes, align, 0), gshmemi_coll_op_pe(c, a->root), c->call);
		gshmemi_arch_fence_reads(); /* before the root may write to source again */
		gshmemi_group_sync(&c->group);
		gshmemi_coll_tell_one(c, a->root);
	}
	gshmemi_coll_end(c);
}
#else
/* Bytes of a segment: the parts of all PEs together. */
#define GSHMEMI_BROADCAST_SEGMENT (1U << 20)

/*
 * Scatter and allgather (Barnett et al., InterCom, 1994), in segments: of each the root puts one part to each
 * other PE, which puts it to all others while the root goes on with the next segment. Links carry the data
 * about twice, but the root's own only once.
 */
GSHMEMI_FN void gshmemi_broadcast_shared(
	struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes, unsigned align)
{
	const size_t nparts = (size_t)c->team.npes - 1,
		     nsegments = (nbytes + GSHMEMI_BROADCAST_SEGMENT - 1) / GSHMEMI_BROADCAST_SEGMENT;
	const size_t part = (GSHMEMI_BROADCAST_SEGMENT / nparts + 127) & ~(size_t)127;
	const int is_root = c->team.my_pe == a->root;
	size_t s, from, n;
	int i, k, pe;

	for (s = 0;; c->phase++) {
		const size_t begin = s * GSHMEMI_BROADCAST_SEGMENT;
		const size_t length = nbytes - begin < GSHMEMI_BROADCAST_SEGMENT ? nbytes - begin
										 : GSHMEMI_BROADCAST_SEGMENT;

		for (i = 1; i < c->team.npes; i++) { /* part i - 1 belongs to the PE i ahead of the root */
			pe = a->root + i < c->team.npes ? a->root + i : a->root + i - c->team.npes;
			from = (size_t)(i - 1) * part;
			n = from >= length ? 0 : length - from < part ? length - from : part;
			if (is_root) {
				gshmemi_coll_put(c, (char *)a->dest + begin + from,
					(const char *)a->source + begin + from, n, align, pe);
				continue;
			}
			if (pe != c->team.my_pe)
				continue;
			gshmemi_coll_await_one(c, a->root);
			for (k = 1; k < c->team.npes; k++)
				if (gshmemi_coll_ahead(c, k) != a->root)
					gshmemi_coll_put(c, (char *)a->dest + begin + from,
						(char *)a->dest + begin + from, n, align,
						gshmemi_coll_ahead(c, k));
		}
		gshmemi_coll_order(c);
		gshmemi_coll_tell(c);
		if (++s == nsegments)
			break;
	}
	if (is_root) {
		gshmemi_coll_put(c, a->dest, a->source, nbytes, align, a->root);
		gshmemi_coll_order(c);
	} else {
		gshmemi_coll_await(c);
	}
	gshmemi_coll_end(c);
}
#endif

/* The alignment of both ends: an element's size, up to 16 bytes, those of long double. */
#define GSHMEMI_COLL_ALIGN(elem_nbytes) ((elem_nbytes) < 16 ? (elem_nbytes) : 16)

GSHMEMI_COLL int gshmemi_broadcast(int scope, struct gshmemi_coll_args *a, const char *call)
{
	struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const size_t nbytes = a->nelems * a->elem_nbytes;
	const unsigned align = GSHMEMI_COLL_ALIGN(a->elem_nbytes);
	const struct gshmemi_team_nodes *nodes = gshmemi_coll_nodes(&c);

	if (nodes)
		gshmemi_broadcast_nodes(
			&c, nodes, (char *)a->dest, (const char *)a->source, nbytes, align, a->root);
	else if (nbytes < GSHMEMI_BROADCAST_SHARED || c.team.npes == 1)
		gshmemi_broadcast_direct(&c, a, nbytes, align);
	else
		gshmemi_broadcast_shared(&c, a, nbytes, align);
	return 0;
}

GSHMEMI_COLL int gshmemi_fcollect(int scope, struct gshmemi_coll_args *a, const char *call)
{
	struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const size_t nbytes = a->nelems * a->elem_nbytes;
	const unsigned align = GSHMEMI_COLL_ALIGN(a->elem_nbytes);
	const struct gshmemi_team_nodes *nodes = gshmemi_coll_nodes(&c);
	char *dest = (char *)a->dest;
	int i;

	if (gshmemi_ll_fits(&c, nbytes, GSHMEMI_LL_MOVE) && nbytes) {
		gshmemi_ll_exchange(&c, dest, nbytes, (const char *)a->source, 0, nbytes, align);
		return 0;
	}
	if (nodes) {
		gshmemi_nodes_put(&c, nodes, dest + (size_t)c.team.my_pe * nbytes, (const char *)a->source,
			nbytes, align);
		gshmemi_nodes_spread(&c, nodes, dest, nbytes, nbytes * (unsigned)c.team.npes, align);
		return 0;
	}
	for (i = 0; i < c.team.npes; i++)
		gshmemi_coll_put(&c, dest + (size_t)c.team.my_pe * nbytes, a->source, nbytes, align,
			gshmemi_coll_ahead(&c, i));
	gshmemi_coll_finish(&c);
	return 0;
}

/* Each PE tells all others its size, and learns from theirs where its own block goes. */
GSHMEMI_COLL int gshmemi_collect(int scope, struct gshmemi_coll_args *a, const char *call)
{
	const struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const struct gshmemi_ll ll = gshmemi_ll_open(&c);
	const size_t nbytes = a->nelems * a->elem_nbytes;
	const struct gshmemi_word mine = {{nbytes, 0}};
	size_t before = 0, all = nbytes, theirs;
	int i;

	for (i = 1 + (int)c.group.rank; i < c.team.npes; i += (int)c.group.size)
		gshmemi_ll_send(&c, &ll, gshmemi_coll_ahead(&c, i), 0, &mine, 8);
	for (i = 0; i < c.team.npes; i++) {
		theirs = i == c.team.my_pe ? 0 : gshmemi_ll_receive(&c, &ll, i, 0, 8).half[0];
		before += i < c.team.my_pe ? theirs : 0;
		all += theirs;
	}
	gshmemi_ll_close(&c, &ll);
	if (gshmemi_is_slow(GSHMEMI_WHY_CHECK))
		gshmemi_coll_check_buffers_at((const char *)a->dest, all, (const char *)a->source, nbytes,
			a->elem_nbytes, 0, call, gshmemi_arch_caller());
	for (i = 0; i < c.team.npes; i++)
		gshmemi_coll_put(&c, (char *)a->dest + before, a->source, nbytes,
			GSHMEMI_COLL_ALIGN(a->elem_nbytes), gshmemi_coll_ahead(&c, i));
	gshmemi_coll_finish(&c);
	return 0;
}

GSHMEMI_COLL int gshmemi_alltoall(int scope, struct gshmemi_coll_args *a, const char *call)
{
	const struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const size_t nbytes = a->nelems * a->elem_nbytes;
	const unsigned align = GSHMEMI_COLL_ALIGN(a->elem_nbytes);
	const char *source = (const char *)a->source;
	char *dest = (char *)a->dest;
	int i, pe;

	if (gshmemi_ll_fits(&c, nbytes, GSHMEMI_LL_MOVE) && nbytes) {
		gshmemi_ll_exchange(&c, dest, nbytes, source, nbytes, nbytes, align);
		return 0;
	}
	for (i = 0; i < c.team.npes; i++) {
		pe = gshmemi_coll_ahead(&c, i);
		gshmemi_coll_put(&c, dest + (size_t)c.team.my_pe * nbytes, source + (size_t)pe * nbytes,
			nbytes, align, pe);
	}
	gshmemi_coll_finish(&c);
	return 0;
}

/* The strided put needs a constant element size. */
GSHMEMI_FN void gshmemi_coll_iput(const struct gshmemi_coll *c, char *dest, const char *source,
	const struct gshmemi_coll_args *a, int pe)
{
	const int world_pe = gshmemi_coll_op_pe(c, pe), scope = c->group.scope;

	GSHMEMI_BY_SIZE(a->elem_nbytes,
		gshmemi_move_blocks(GSHMEMI_PUT_BLOCKS, gshmemi_in_heap(), scope, dest, source,
			gshmemi_make_blocks(a->dst, a->sst, 1, a->nelems, size), world_pe, c->call))
}

GSHMEMI_COLL int gshmemi_alltoalls(int scope, struct gshmemi_coll_args *a, const char *call)
{
	const struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const size_t block = a->nelems * a->elem_nbytes;
	int i, pe;

	for (i = 0; i < c.team.npes; i++) {
		pe = gshmemi_coll_ahead(&c, i);
		gshmemi_coll_iput(&c, (char *)a->dest + (size_t)c.team.my_pe * block * (size_t)a->dst,
			(const char *)a->source + (size_t)pe * block * (size_t)a->sst, a, pe);
	}
	gshmemi_coll_finish(&c);
	return 0;
}

/* Each PE tells each other PE where in its dest that PE's block goes. */
GSHMEMI_COLL int gshmemi_alltoallv(int scope, struct gshmemi_coll_args *a, const char *call)
{
	const struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const struct gshmemi_ll ll = gshmemi_ll_open(&c);
	const unsigned align = GSHMEMI_COLL_ALIGN(a->elem_nbytes);
	struct gshmemi_word mine = {{0, 0}};
	size_t displ;
	int i, pe;

	for (i = 1 + (int)c.group.rank; i < c.team.npes; i += (int)c.group.size) {
		pe = gshmemi_coll_ahead(&c, i);
		mine.half[0] = a->dest_displs[pe];
		mine.half[1] = a->dest_nelems[pe];
		gshmemi_ll_send(&c, &ll, pe, 0, &mine, 16);
	}
	for (i = 0; i < c.team.npes; i++) {
		pe = gshmemi_coll_ahead(&c, i);
		mine.half[0] = a->dest_displs[pe];
		mine.half[1] = a->dest_nelems[pe];
		if (i)
			mine = gshmemi_ll_receive(&c, &ll, pe, 0, 16);
		displ = mine.half[0];
		if (gshmemi_is_slow(GSHMEMI_WHY_CHECK) && mine.half[1] != a->source_nelems[pe])
			gshmemi_fault_raise(GSHMEMI_FAULT_UNEQUAL, pe, a->dest, 0, mine.half[1],
				a->source_nelems[pe], call, gshmemi_arch_caller());
		gshmemi_coll_put(&c, (char *)a->dest + displ * a->elem_nbytes,
			(const char *)a->source + a->source_displs[pe] * a->elem_nbytes,
			a->source_nelems[pe] * a->elem_nbytes, align, pe);
	}
	gshmemi_ll_close(&c, &ll);
	gshmemi_coll_finish(&c);
	return 0;
}

#endif /* GSHMEM_COLL_H */
