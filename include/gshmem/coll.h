/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that move data: broadcast, collect, fcollect, alltoall, alltoalls, alltoallv; reduce.h has those that compute.
 *
 * Two means of telling that data is there, and nothing is ever reset:
 *
 *   steps    Each collective of a team goes on by one or two steps, the same number on all PEs. A PE puts its data, completes
 *            it, and tells the step by a flag of its own on each PE that waits for it. A flag may be ahead: "at least".
 *            Dest may be written when any PE has called (so OpenSHMEM has it), hence nobody asks before it puts.
 *   packets  Short messages travel in the flag's own word, 4 bytes of data below a tag, so that there is nothing to complete
 *            (NCCL's LL protocol). Their places are the library's and are used in turns of two: a PE that is at epoch e + 2
 *            has packets of e + 1 from all others, which are thus done with those of e. All collectives with packets
 *            are such that every PE hears from every other one.
 *
 * The threads of a wave or work-group share the work. All that goes to a PE goes by the operations of rma.h, and by the flags
 * of sync.h.
 */
#ifndef GSHMEM_COLL_H
#define GSHMEM_COLL_H

#include <gshmem/rma.h>
#include <gshmem/sync.h>

/* Bodies that stay functions where the compiler thinks so: there are many callers of each. */
#if GSHMEMI_KERNELS
#define GSHMEMI_COLL static inline __host__ __device__ __attribute__((unused))
#else
#define GSHMEMI_COLL static inline __attribute__((unused))
#endif

enum gshmemi_coll_what {
	GSHMEMI_BROADCAST,
	GSHMEMI_COLLECT,
	GSHMEMI_FCOLLECT,
	GSHMEMI_ALLTOALL,
	GSHMEMI_ALLTOALLS,
	GSHMEMI_ALLTOALLV,
	GSHMEMI_REDUCE,
	GSHMEMI_REDUCE_SCATTER,
	GSHMEMI_INSCAN,
	GSHMEMI_EXSCAN
};

/* The arguments of all of them; what does not apply is 0. */
struct gshmemi_coll_args {
	gshmem_team_t team;
	void *dest;
	const void *source;
	size_t nelems;
	uint32_t elem_nbytes; /* also what dest and source are aligned to, up to 16 */
	int32_t what;         /* enum gshmemi_coll_what */
	int32_t root;
	int32_t fold;         /* GSHMEMI_FOLD() */
	ptrdiff_t dst, sst;
	const size_t *dest_nelems, *dest_displs, *source_nelems, *source_displs; /* [npes], of alltoallv */
};

GSHMEMI_FN struct gshmemi_coll_args gshmemi_coll_with(gshmem_team_t team, void *dest, const void *source, size_t nelems,
						      unsigned elem_nbytes, int what, int root, int fold)
{
	struct gshmemi_coll_args a = {team, dest, source, nelems, elem_nbytes, what, root, fold, 0, 0, NULL, NULL, NULL, NULL};

	return a;
}

GSHMEMI_FN struct gshmemi_coll_args gshmemi_coll_with_strides(gshmem_team_t team, void *dest, const void *source, size_t nelems,
							      unsigned elem_nbytes, ptrdiff_t dst, ptrdiff_t sst)
{
	struct gshmemi_coll_args a = gshmemi_coll_with(team, dest, source, nelems, elem_nbytes, GSHMEMI_ALLTOALLS, 0, 0);

	a.dst = dst;
	a.sst = sst;
	return a;
}

GSHMEMI_FN struct gshmemi_coll_args gshmemi_coll_with_arrays(gshmem_team_t team, void *dest, const void *source,
							     unsigned elem_nbytes, const size_t *dest_nelems,
							     const size_t *dest_displs, const size_t *source_nelems,
							     const size_t *source_displs)
{
	struct gshmemi_coll_args a = gshmemi_coll_with(team, dest, source, 0, elem_nbytes, GSHMEMI_ALLTOALLV, 0, 0);

	a.dest_nelems = dest_nelems;
	a.dest_displs = dest_displs;
	a.source_nelems = source_nelems;
	a.source_displs = source_displs;
	return a;
}

/* A collective as one of its threads sees it. */
struct gshmemi_coll {
	struct gshmemi_group group;
	struct gshmemi_team_view team;
	uint64_t *flag;   /* of struct gshmemi_state's stage */
	uint64_t *packet;
	uint64_t step, ll_epoch; /* the team's last */
	uint64_t npackets;       /* that a PE has at each parity */
	const char *call;
};

/* ---- bad input: GSHMEM_CHECK ---- */

GSHMEMI_FN size_t gshmemi_coll_extent(const struct gshmemi_coll_args *a, int is_dest, int npes)
{
	const size_t n = a->nelems, all = (size_t)npes * n;
	const ptrdiff_t stride = is_dest ? a->dst : a->sst;

	switch (a->what) {
	case GSHMEMI_COLLECT: /* dest is checked when all have told their sizes */
		return is_dest ? 0 : n * a->elem_nbytes;
	case GSHMEMI_FCOLLECT:
		return (is_dest ? all : n) * a->elem_nbytes;
	case GSHMEMI_ALLTOALL:
		return all * a->elem_nbytes;
	case GSHMEMI_ALLTOALLS:
		return all ? ((all - 1) * (size_t)stride + 1) * a->elem_nbytes : 0;
	case GSHMEMI_ALLTOALLV: /* each put is checked */
		return 0;
	case GSHMEMI_REDUCE_SCATTER:
		return (is_dest ? n : all) * a->elem_nbytes;
	default:
		return n * a->elem_nbytes;
	}
}

/* What all PEs must pass alike, in one word. Addresses count by their place in the heap. */
GSHMEMI_FN uint64_t gshmemi_coll_hash(const struct gshmemi_coll_args *a)
{
	const uint64_t dest = (uint64_t)((uintptr_t)a->dest - (uintptr_t)gshmemi_state.heap);
	const uint64_t source = (uint64_t)((uintptr_t)a->source - (uintptr_t)gshmemi_state.heap);
	const uint64_t words[8] = {dest < gshmemi_state.heap_nbytes ? dest : 0,
				   source < gshmemi_state.heap_nbytes ? source : 0,
				   a->what == GSHMEMI_COLLECT ? 0 : a->nelems,
				   a->elem_nbytes,
				   (uint64_t)a->what << 32 | (uint32_t)a->root,
				   (uint64_t)a->fold,
				   (uint64_t)a->dst,
				   (uint64_t)a->sst};
	uint64_t hash = 0xcbf29ce484222325U;
	int i;

	for (i = 0; i < 8; i++) /* FNV-1a, by words */
		hash = (hash ^ words[i]) * 0x100000001b3U;
	return hash;
}

/* dest and source, of so many bytes, lie in allocations; and apart, unless the call allows that they are one. */
GSHMEMI_SLOW void gshmemi_coll_check_buffers_at(const char *dest, size_t dest_nbytes, const char *source, size_t source_nbytes,
						unsigned align, int in_place, const char *call, uint64_t caller)
{
	uint64_t detail = 0;
	int fault;

	fault = dest_nbytes ? gshmemi_check_symmetric(dest, dest_nbytes, align, &detail) : 0;
	if (fault)
		gshmemi_fault_raise(fault, gshmemi_state.my_pe, dest, dest_nbytes, detail, detail, call, caller);
	fault = source_nbytes ? gshmemi_check_symmetric(source, source_nbytes, align, &detail) : 0;
	if (fault)
		gshmemi_fault_raise(fault, gshmemi_state.my_pe, source, source_nbytes, detail, detail, call, caller);
	if (!(in_place && dest == source) && dest < source + source_nbytes && source < dest + dest_nbytes)
		gshmemi_fault_raise(GSHMEMI_FAULT_OVERLAP, -1, dest, dest_nbytes, 0, 0, call, caller);
}

/* By one thread of each PE. It does not return when something is wrong on any of them. By value: no pointer to it leaves. */
GSHMEMI_SLOW void gshmemi_coll_check_at(struct gshmemi_coll_args a, struct gshmemi_team_view team, const char *call,
					uint64_t caller)
{
	const size_t dest_nbytes = gshmemi_coll_extent(&a, 1, team.npes), source_nbytes = gshmemi_coll_extent(&a, 0, team.npes);
	const int in_place = a.what == GSHMEMI_BROADCAST || a.what == GSHMEMI_REDUCE || a.what == GSHMEMI_INSCAN ||
			     a.what == GSHMEMI_EXSCAN;
	const char *dest = (const char *)a.dest;
	uint64_t words[2];

	if (a.what == GSHMEMI_BROADCAST && (a.root < 0 || a.root >= team.npes))
		gshmemi_fault_raise(GSHMEMI_FAULT_BAD_PE, a.root, dest, 0, (uint64_t)team.npes, 0, call, caller);
	if (a.what == GSHMEMI_ALLTOALLS && (a.dst < 1 || a.sst < 1))
		gshmemi_fault_raise(GSHMEMI_FAULT_BAD_ARGUMENT, -1, dest, 0, (uint64_t)(a.dst < 1 ? a.dst : a.sst), 1, call,
				    caller);
	gshmemi_coll_check_buffers_at(dest, dest_nbytes, (const char *)a.source, source_nbytes, a.elem_nbytes, in_place, call,
				      caller);
	words[0] = gshmemi_coll_hash(&a);
	words[1] = ~words[0];
	gshmemi_disseminate(&team, words, 2, call);
	if (words[0] != ~words[1])
		gshmemi_fault_raise(GSHMEMI_FAULT_UNEQUAL, -1, dest, 0, 0, 0, call, caller);
}

/* ---- beginning, telling, ending ---- */

/* The counters are read before the group meets: its first thread may be done before another one begins. */
GSHMEMI_FN struct gshmemi_coll gshmemi_coll_begin(int scope, const struct gshmemi_coll_args *a, const char *call)
{
	struct gshmemi_coll c;
	uint64_t nflags;

	c.call = call;
	c.team = gshmemi_team_of(a->team, call);
	c.step = gshmemi_arch_load(&c.team.sync->step, 8);
	c.ll_epoch = gshmemi_arch_load(&c.team.sync->ll_epoch, 8);
	c.group = gshmemi_group_here(scope, GSHMEMI_KEY(a->dest, a->source));
	gshmemi_group_sync(&c.group);
	if (gshmemi_is_slow(GSHMEMI_SLOW_CHECK)) {
		if (c.group.rank == 0)
			gshmemi_coll_check_at(*a, c.team, call, gshmemi_arch_caller());
		gshmemi_group_sync(&c.group);
	}
	nflags = ((uint64_t)gshmemi_state.npes * 8 + GSHMEMI_STAGE_LINE - 1) / GSHMEMI_STAGE_LINE * (GSHMEMI_STAGE_LINE / 8);
	c.flag = (uint64_t *)(void *)(gshmemi_state.stage +
				      (uint64_t)(c.team.sync - gshmemi_state.sync) * gshmemi_state.stage_nbytes);
	c.packet = c.flag + nflags;
	c.npackets = (gshmemi_state.stage_nbytes / 8 - nflags) / (2 * (unsigned)c.team.npes) & ~3ULL;
	return c;
}

GSHMEMI_FN int gshmemi_coll_world_pe(const struct gshmemi_coll *c, int pe)
{
	return gshmemi_team_to_world(&c->team, pe);
}

/* The same for operations, which have a context of their own where it matters: they are not completed with the caller's. */
GSHMEMI_FN int gshmemi_coll_op_pe(const struct gshmemi_coll *c, int pe)
{
	const int world_pe = gshmemi_coll_world_pe(c, pe);

#ifdef GSHMEMI_ARCH_HAS_DELIVERY
	if (gshmemi_is_slow(GSHMEMI_SLOW_DELIVERY))
		return gshmemi_pe_with_context(world_pe, GSHMEMI_CTX_COLLECTIVES);
#endif
	return world_pe;
}

/* The PE that lies so far ahead of this one in the team, 0 <= ahead < npes: PEs begin with different ones. */
GSHMEMI_FN int gshmemi_coll_ahead(const struct gshmemi_coll *c, int ahead)
{
	const int pe = c->team.my_pe + ahead;

	return pe < c->team.npes ? pe : pe - c->team.npes;
}

/* What the threads of the group have put, or written for others to get, is there before the flags that follow. */
GSHMEMI_FN void gshmemi_coll_complete(const struct gshmemi_coll *c)
{
#ifdef GSHMEMI_ARCH_HAS_DELIVERY
	if (gshmemi_is_slow(GSHMEMI_SLOW_DELIVERY))
		gshmemi_slow_quiet(GSHMEMI_CTX_COLLECTIVES, NULL, 0, c->call);
#endif
	gshmemi_arch_fence_release();
	gshmemi_group_sync(&c->group);
}

/* Tell all others a step; the threads share them. */
GSHMEMI_FN void gshmemi_coll_tell(const struct gshmemi_coll *c, uint64_t step)
{
	int i;

	for (i = 1 + (int)c->group.rank; i < c->team.npes; i += (int)c->group.size)
		gshmemi_sync_tell(&c->flag[c->team.my_pe], step, gshmemi_coll_world_pe(c, gshmemi_coll_ahead(c, i)), c->call);
}

GSHMEMI_FN void gshmemi_coll_tell_one(const struct gshmemi_coll *c, int pe, uint64_t step)
{
	if (c->group.rank == 0)
		gshmemi_sync_tell(&c->flag[c->team.my_pe], step, gshmemi_coll_world_pe(c, pe), c->call);
}

GSHMEMI_FN void gshmemi_coll_poll(const struct gshmemi_coll *c, int pe, uint64_t step)
{
	(void)gshmemi_wait(&c->flag[pe], 8, 0, GSHMEM_CMP_GE, step, gshmemi_coll_world_pe(c, pe), c->call);
}

/* Every wave acquires, not only those that polled. */
GSHMEMI_FN void gshmemi_coll_meet(const struct gshmemi_coll *c)
{
	gshmemi_group_sync(&c->group);
	gshmemi_arch_fence_acquire();
}

/* Wait until all others have told the step. */
GSHMEMI_FN void gshmemi_coll_await(const struct gshmemi_coll *c, uint64_t step)
{
	int i;

	for (i = 1 + (int)c->group.rank; i < c->team.npes; i += (int)c->group.size)
		gshmemi_coll_poll(c, gshmemi_coll_ahead(c, i), step);
	gshmemi_coll_meet(c);
}

GSHMEMI_FN void gshmemi_coll_await_one(const struct gshmemi_coll *c, int pe, uint64_t step)
{
	if (c->group.rank == 0)
		gshmemi_coll_poll(c, pe, step);
	gshmemi_coll_meet(c);
}

/* A later collective begins at this step; all threads see what all of them have written. */
GSHMEMI_FN void gshmemi_coll_end(const struct gshmemi_coll *c, uint64_t step)
{
	if (c->group.rank == 0)
		gshmemi_arch_store(&c->team.sync->step, step, 8);
	gshmemi_group_sync(&c->group);
}

/* ---- packets ---- */

/* A message of packets: where this PE's is on the others, and theirs here. */
struct gshmemi_ll {
	uint64_t *place;  /* at this parity */
	uint64_t epoch;
	uint64_t tag;     /* above the data; never 0 */
};

/*
 * Tags have 32 bits. When they have all been used, packets that no later message overwrote would pass for new ones: each PE
 * clears its own, when its others are done with theirs and before any of them sends the next.
 */
GSHMEMI_SLOW void gshmemi_ll_clear(uint64_t *packet, uint64_t npackets, struct gshmemi_team_view team, const char *call)
{
	uint64_t i;

	for (i = 0; i < npackets; i++)
		gshmemi_arch_store(&packet[i], 0, 8);
	gshmemi_arch_fence_release();
	gshmemi_disseminate(&team, NULL, 0, call);
}

GSHMEMI_FN struct gshmemi_ll gshmemi_ll_open(const struct gshmemi_coll *c)
{
	struct gshmemi_ll ll;

	ll.epoch = c->ll_epoch + 1;
	if (__builtin_expect((uint32_t)ll.epoch == 0, 0)) {
		if (c->group.rank == 0)
			gshmemi_ll_clear(c->packet, 2 * (unsigned)c->team.npes * c->npackets, c->team, c->call);
		gshmemi_group_sync(&c->group);
		ll.epoch += 2; /* the parity stays as it would have been */
	}
	ll.tag = ll.epoch << 32;
	ll.place = c->packet + (ll.epoch & 1) * (unsigned)c->team.npes * c->npackets;
	return ll;
}

GSHMEMI_FN void gshmemi_ll_close(const struct gshmemi_coll *c, const struct gshmemi_ll *ll)
{
	if (c->group.rank == 0)
		gshmemi_arch_store(&c->team.sync->ll_epoch, ll->epoch, 8);
	gshmemi_group_sync(&c->group);
}

/* Whether a message of so many bytes to each PE goes by packets. */
GSHMEMI_FN int gshmemi_ll_fits(const struct gshmemi_coll *c, size_t nbytes, size_t limit)
{
	return nbytes <= limit && nbytes <= 4 * c->npackets;
}

/* A packet to a place on a PE of the world. It is no flag: nothing but what is in it goes with it. */
GSHMEMI_FN void gshmemi_ll_tell(uint64_t *place, uint64_t packet, int world_pe, const char *call)
{
	void *peer;

	if (!gshmemi_peer_ptr(gshmemi_state.direct.sync_delta, place, world_pe, &peer))
		peer = gshmemi_slow_find(GSHMEMI_FIND_SYNC, place, place, sizeof *place, sizeof *place, world_pe, call);
	gshmemi_arch_store(peer, packet, 8);
}

/* The packet of this tag at a place of this PE. Packets only grow until this PE has told that it has them. */
GSHMEMI_FN uint64_t gshmemi_ll_await(const uint64_t *place, uint64_t tag, int world_pe, const char *call)
{
	uint64_t packet, started_ns = 0;
	unsigned polls = 0;

	while (packet = gshmemi_arch_load(place, 8), packet < tag) {
		gshmemi_arch_pause(&polls);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			started_ns = gshmemi_wait_long(started_ns, place, 8, packet, GSHMEM_CMP_GE, tag, world_pe, call);
	}
	return packet;
}

/* Up to 16 bytes at a multiple of 16 of the message for pe, which is another one. */
GSHMEMI_FN void gshmemi_ll_send(const struct gshmemi_coll *c, const struct gshmemi_ll *ll, int pe, size_t at,
				const struct gshmemi_word *unit, unsigned nbytes)
{
	uint64_t *place = ll->place + (unsigned)c->team.my_pe * c->npackets + at / 4;
	const int world_pe = gshmemi_coll_world_pe(c, pe);
	unsigned k;

	for (k = 0; k < 4; k++)
		if (4 * k < nbytes)
			gshmemi_ll_tell(&place[k], ll->tag | (uint32_t)(unit->half[k / 2] >> 32 * (k & 1)), world_pe, c->call);
}

GSHMEMI_FN struct gshmemi_word gshmemi_ll_receive(const struct gshmemi_coll *c, const struct gshmemi_ll *ll, int pe, size_t at,
						  unsigned nbytes)
{
	const uint64_t *place = ll->place + (unsigned)pe * c->npackets + at / 4;
	struct gshmemi_word unit = {{0, 0}};
	uint64_t packet;
	unsigned k;

	for (k = 0; k < 4; k++) {
		if (4 * k >= nbytes)
			break;
		packet = gshmemi_ll_await(&place[k], ll->tag, gshmemi_coll_world_pe(c, pe), c->call);
		unit.half[k / 2] |= (uint64_t)(uint32_t)packet << 32 * (k & 1);
	}
	return unit;
}

/* Up to 16 bytes of this PE's own memory, which is aligned to align. */
GSHMEMI_FN struct gshmemi_word gshmemi_unit_load(const char *source, unsigned nbytes, unsigned align)
{
	const unsigned piece = align < 8 ? align : 8;
	struct gshmemi_word unit = {{0, 0}};
	unsigned i;

	for (i = 0; i < 16; i += piece)
		if (i < nbytes)
			unit.half[i / 8] |= gshmemi_local_read(source + i, piece).half[0] << 8 * (i & 7);
	return unit;
}

GSHMEMI_FN void gshmemi_unit_store(char *dest, struct gshmemi_word unit, unsigned nbytes, unsigned align)
{
	const unsigned piece = align < 8 ? align : 8;
	struct gshmemi_word part = {{0, 0}};
	unsigned i;

	for (i = 0; i < 16; i += piece) {
		part.half[0] = unit.half[i / 8] >> 8 * (i & 7);
		if (i < nbytes)
			gshmemi_local_write(dest + i, part, piece);
	}
}

/*
 * Bytes of a message up to which it goes by packets, as far as there is room for them, where the alternative is a put and a flag;
 * and where it is two rounds of flags. On a CPU a put needs no completion, while lines with packets are fetched again and
 * again by who waits for the rest of them.
 */
#ifdef GSHMEMI_ARCH_SHARED_MEMORY
#define GSHMEMI_LL_MOVE   0
#define GSHMEMI_LL_REDUCE 32
#else
#define GSHMEMI_LL_MOVE   256
#define GSHMEMI_LL_REDUCE 1024
#endif

/*
 * One message of nbytes from each PE to each other one: from source + pe * source_step here, to dest + sender * dest_step
 * there. What a PE sends to itself is there, too.
 */
GSHMEMI_FN void gshmemi_ll_exchange(const struct gshmemi_coll *c, char *dest, size_t dest_step, const char *source,
				    size_t source_step, size_t nbytes, unsigned align)
{
	const struct gshmemi_ll ll = gshmemi_ll_open(c);
	const int npes = c->team.npes;
	struct gshmemi_word unit;
	unsigned n;
	size_t at;
	int i, pe;

	for (at = (size_t)c->group.rank * 16; at < nbytes; at += (size_t)c->group.size * 16) {
		n = nbytes - at < 16 ? (unsigned)(nbytes - at) : 16;
		for (i = 1; i < npes; i++) {
			pe = gshmemi_coll_ahead(c, i);
			unit = gshmemi_unit_load(source + (size_t)pe * source_step + at, n, align);
			gshmemi_ll_send(c, &ll, pe, at, &unit, n);
		}
		pe = c->team.my_pe;
		gshmemi_unit_store(dest + (size_t)pe * dest_step + at,
				   gshmemi_unit_load(source + (size_t)pe * source_step + at, n, align), n, align);
		for (i = 1; i < npes; i++) {
			pe = gshmemi_coll_ahead(c, i);
			unit = gshmemi_ll_receive(c, &ll, pe, at, n);
			gshmemi_unit_store(dest + (size_t)pe * dest_step + at, unit, n, align);
		}
	}
	gshmemi_ll_close(c, &ll);
}

/* ---- moving data ---- */

/* By all threads, to a PE of the team, perhaps this one. Done when the collective is. */
GSHMEMI_FN void gshmemi_coll_put(const struct gshmemi_coll *c, void *dest, const void *source, size_t nbytes, unsigned align,
				 int pe)
{
	if (dest != source || pe != c->team.my_pe)
		gshmemi_put(c->group.scope, dest, source, nbytes, align, gshmemi_coll_op_pe(c, pe), 1, c->call);
}

/* Tell that all puts have arrived, wait for those of the others, and end. */
GSHMEMI_FN void gshmemi_coll_finish(const struct gshmemi_coll *c, uint64_t step)
{
	gshmemi_coll_complete(c);
	gshmemi_coll_tell(c, step);
	gshmemi_coll_await(c, step);
	gshmemi_coll_end(c, step);
}

/* Bytes from which on a broadcast is shared by all PEs. */
#define GSHMEMI_BROADCAST_SHARED 16384

/* The root puts all of it to everybody. */
GSHMEMI_FN void gshmemi_broadcast_direct(const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes,
					 unsigned align)
{
	int i;

	if (c->team.my_pe == a->root) {
		for (i = 1; i < c->team.npes; i++)
			gshmemi_coll_put(c, a->dest, a->source, nbytes, align, gshmemi_coll_ahead(c, i));
		gshmemi_coll_put(c, a->dest, a->source, nbytes, align, a->root);
		gshmemi_coll_complete(c);
		gshmemi_coll_tell(c, c->step + 1);
	} else {
		gshmemi_coll_await_one(c, a->root, c->step + 1);
	}
	gshmemi_coll_end(c, c->step + 1);
}

#ifdef GSHMEMI_ARCH_SHARED_MEMORY
/* All memory is equally far, and cores are what is short: everybody gets it from the root, which waits for them. */
GSHMEMI_FN void gshmemi_broadcast_shared(const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes,
					 unsigned align)
{
	if (c->team.my_pe == a->root) {
		gshmemi_coll_complete(c);
		gshmemi_coll_tell(c, c->step + 1);
		gshmemi_coll_put(c, a->dest, a->source, nbytes, align, a->root);
		gshmemi_coll_complete(c);
		gshmemi_coll_await(c, c->step + 1);
	} else {
		gshmemi_coll_await_one(c, a->root, c->step + 1);
		gshmemi_get(c->group.scope, a->dest, a->source, nbytes, align, gshmemi_coll_world_pe(c, a->root), 0, c->call);
		gshmemi_arch_fence_reads(); /* before the root may write it again */
		gshmemi_group_sync(&c->group);
		gshmemi_coll_tell_one(c, a->root, c->step + 1);
	}
	gshmemi_coll_end(c, c->step + 1);
}
#else
/* Bytes of all PEs' parts together that go round at a time. */
#define GSHMEMI_BROADCAST_SEGMENT (1U << 20)

/*
 * Scatter and allgather (van de Geijn), in segments: of each the root puts a part to every other PE, which puts it to all the
 * others while the root goes on with the next one. Links carry the data about twice, but the root's own only once.
 */
GSHMEMI_FN void gshmemi_broadcast_shared(const struct gshmemi_coll *c, const struct gshmemi_coll_args *a, size_t nbytes,
					 unsigned align)
{
	const size_t nparts = (size_t)c->team.npes - 1, nsegments = (nbytes + GSHMEMI_BROADCAST_SEGMENT - 1) / GSHMEMI_BROADCAST_SEGMENT;
	const size_t part = (GSHMEMI_BROADCAST_SEGMENT / nparts + 127) & ~(size_t)127;
	const int is_root = c->team.my_pe == a->root;
	uint64_t step = c->step;
	size_t s, from, n;
	int i, k, pe;

	for (s = 0; s < nsegments; s++) {
		const size_t begin = s * GSHMEMI_BROADCAST_SEGMENT;
		const size_t length = nbytes - begin < GSHMEMI_BROADCAST_SEGMENT ? nbytes - begin : GSHMEMI_BROADCAST_SEGMENT;

		step++;
		for (i = 1; i < c->team.npes; i++) { /* part i - 1 belongs to the i-th PE ahead of the root */
			pe = a->root + i < c->team.npes ? a->root + i : a->root + i - c->team.npes;
			from = (size_t)(i - 1) * part;
			n = from >= length ? 0 : length - from < part ? length - from : part;
			if (is_root) {
				gshmemi_coll_put(c, (char *)a->dest + begin + from, (const char *)a->source + begin + from, n, align, pe);
				continue;
			}
			if (pe != c->team.my_pe)
				continue;
			gshmemi_coll_await_one(c, a->root, step);
			for (k = 1; k < c->team.npes; k++)
				if (gshmemi_coll_ahead(c, k) != a->root)
					gshmemi_coll_put(c, (char *)a->dest + begin + from, (char *)a->dest + begin + from, n, align,
							 gshmemi_coll_ahead(c, k));
		}
		gshmemi_coll_complete(c);
		gshmemi_coll_tell(c, step);
	}
	if (is_root) {
		gshmemi_coll_put(c, a->dest, a->source, nbytes, align, a->root);
		gshmemi_coll_complete(c);
	} else {
		gshmemi_coll_await(c, step);
	}
	gshmemi_coll_end(c, step);
}
#endif

/* How the bytes of an element count: those of long double, too, are as many as both ends are aligned to. */
#define GSHMEMI_COLL_ALIGN(elem_nbytes) ((elem_nbytes) < 16 ? (elem_nbytes) : 16)

GSHMEMI_COLL int gshmemi_broadcast(int scope, const struct gshmemi_coll_args *a, const char *call)
{
	const struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const size_t nbytes = a->nelems * a->elem_nbytes;
	const unsigned align = GSHMEMI_COLL_ALIGN(a->elem_nbytes);

	if (nbytes < GSHMEMI_BROADCAST_SHARED || c.team.npes == 1)
		gshmemi_broadcast_direct(&c, a, nbytes, align);
	else
		gshmemi_broadcast_shared(&c, a, nbytes, align);
	return 0;
}

GSHMEMI_COLL int gshmemi_fcollect(int scope, const struct gshmemi_coll_args *a, const char *call)
{
	const struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const size_t nbytes = a->nelems * a->elem_nbytes;
	const unsigned align = GSHMEMI_COLL_ALIGN(a->elem_nbytes);
	char *dest = (char *)a->dest;
	int i;

	if (gshmemi_ll_fits(&c, nbytes, GSHMEMI_LL_MOVE) && nbytes) {
		gshmemi_ll_exchange(&c, dest, nbytes, (const char *)a->source, 0, nbytes, align);
		return 0;
	}
	for (i = 0; i < c.team.npes; i++)
		gshmemi_coll_put(&c, dest + (size_t)c.team.my_pe * nbytes, a->source, nbytes, align, gshmemi_coll_ahead(&c, i));
	gshmemi_coll_finish(&c, c.step + 1);
	return 0;
}

/* Each PE tells all others how much it has; then it knows where its own goes. */
GSHMEMI_COLL int gshmemi_collect(int scope, const struct gshmemi_coll_args *a, const char *call)
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
	if (gshmemi_is_slow(GSHMEMI_SLOW_CHECK))
		gshmemi_coll_check_buffers_at((const char *)a->dest, all, (const char *)a->source, nbytes, a->elem_nbytes, 0,
					      call, gshmemi_arch_caller());
	for (i = 0; i < c.team.npes; i++)
		gshmemi_coll_put(&c, (char *)a->dest + before, a->source, nbytes, GSHMEMI_COLL_ALIGN(a->elem_nbytes),
				 gshmemi_coll_ahead(&c, i));
	gshmemi_coll_finish(&c, c.step + 1);
	return 0;
}

GSHMEMI_COLL int gshmemi_alltoall(int scope, const struct gshmemi_coll_args *a, const char *call)
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
		gshmemi_coll_put(&c, dest + (size_t)c.team.my_pe * nbytes, source + (size_t)pe * nbytes, nbytes, align, pe);
	}
	gshmemi_coll_finish(&c, c.step + 1);
	return 0;
}

/* The strided put wants a constant for the element. */
GSHMEMI_FN void gshmemi_coll_iput(const struct gshmemi_coll *c, char *dest, const char *source, const struct gshmemi_coll_args *a,
				  int pe)
{
	const int world_pe = gshmemi_coll_op_pe(c, pe), scope = c->group.scope;

	switch (a->elem_nbytes) {
	case 1:
		gshmemi_iput(scope, dest, source, a->dst, a->sst, a->nelems, 1, world_pe, c->call);
		break;
	case 2:
		gshmemi_iput(scope, dest, source, a->dst, a->sst, a->nelems, 2, world_pe, c->call);
		break;
	case 4:
		gshmemi_iput(scope, dest, source, a->dst, a->sst, a->nelems, 4, world_pe, c->call);
		break;
	case 8:
		gshmemi_iput(scope, dest, source, a->dst, a->sst, a->nelems, 8, world_pe, c->call);
		break;
	default:
		gshmemi_iput(scope, dest, source, a->dst, a->sst, a->nelems, 16, world_pe, c->call);
		break;
	}
}

GSHMEMI_COLL int gshmemi_alltoalls(int scope, const struct gshmemi_coll_args *a, const char *call)
{
	const struct gshmemi_coll c = gshmemi_coll_begin(scope, a, call);
	const size_t block = a->nelems * a->elem_nbytes;
	int i, pe;

	for (i = 0; i < c.team.npes; i++) {
		pe = gshmemi_coll_ahead(&c, i);
		gshmemi_coll_iput(&c, (char *)a->dest + (size_t)c.team.my_pe * block * (size_t)a->dst,
				  (const char *)a->source + (size_t)pe * block * (size_t)a->sst, a, pe);
	}
	gshmemi_coll_finish(&c, c.step + 1);
	return 0;
}

/* Each PE tells each other one where in its dest the other's block goes. */
GSHMEMI_COLL int gshmemi_alltoallv(int scope, const struct gshmemi_coll_args *a, const char *call)
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
		if (gshmemi_is_slow(GSHMEMI_SLOW_CHECK) && mine.half[1] != a->source_nelems[pe])
			gshmemi_fault_raise(GSHMEMI_FAULT_UNEQUAL, pe, a->dest, 0, mine.half[1], a->source_nelems[pe], call,
					    gshmemi_arch_caller());
		gshmemi_coll_put(&c, (char *)a->dest + displ * a->elem_nbytes,
				 (const char *)a->source + a->source_displs[pe] * a->elem_nbytes,
				 a->source_nelems[pe] * a->elem_nbytes, align, pe);
	}
	gshmemi_ll_close(&c, &ll);
	gshmemi_coll_finish(&c, c.step + 1);
	return 0;
}

#endif /* GSHMEM_COLL_H */
