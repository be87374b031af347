/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all collectives are made of: arguments and their checks, the beginning, the phases by which PEs tell
 * each other that data has arrived, and the end.
 *
 * Every collective advances the team's phase counter by the same amount on all PEs, mostly by one or two. A
 * PE puts its data, completes it, and publishes the phase in a flag of its own on each PE that waits for it.
 * A flag may be ahead, so waits ask for "at least". Nothing is ever reset. OpenSHMEM has dest ready on all
 * PEs when any of them calls, so nobody asks before it puts.
 *
 * The threads of a group share the work. All that goes to a PE goes by the operations of rma.h and the
 * flags of sync.h.
 */
#ifndef GSHMEM_COLL_PHASE_H
#define GSHMEM_COLL_PHASE_H

#include <gshmem/move/rma.h>
#include <gshmem/order/sync.h>

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

/* The arguments of any collective; what does not apply is 0. */
struct gshmemi_coll_args {
	gshmem_team_t team;
	void *dest;
	const void *source;
	size_t nelems;
	uint32_t elem_nbytes; /* up to 16 also the alignment of dest and source */
	int32_t what;         /* enum gshmemi_coll_what */
	int32_t root;
	int32_t fold; /* GSHMEMI_FOLD() */
	ptrdiff_t dst, sst;
	const size_t *dest_nelems, *dest_displs, *source_nelems, *source_displs; /* [npes], of alltoallv */
};

GSHMEMI_FN struct gshmemi_coll_args gshmemi_coll_with(gshmem_team_t team, void *dest, const void *source,
	size_t nelems, unsigned elem_nbytes, int what, int root, int fold)
{
	struct gshmemi_coll_args a = {
		team, dest, source, nelems, elem_nbytes, what, root, fold, 0, 0, NULL, NULL, NULL, NULL};

	return a;
}

GSHMEMI_FN struct gshmemi_coll_args gshmemi_coll_with_strides(gshmem_team_t team, void *dest,
	const void *source, size_t nelems, unsigned elem_nbytes, ptrdiff_t dst, ptrdiff_t sst)
{
	struct gshmemi_coll_args a =
		gshmemi_coll_with(team, dest, source, nelems, elem_nbytes, GSHMEMI_ALLTOALLS, 0, 0);

	a.dst = dst;
	a.sst = sst;
	return a;
}

GSHMEMI_FN struct gshmemi_coll_args gshmemi_coll_with_arrays(gshmem_team_t team, void *dest,
	const void *source, unsigned elem_nbytes, const size_t *dest_nelems, const size_t *dest_displs,
	const size_t *source_nelems, const size_t *source_displs)
{
	struct gshmemi_coll_args a =
		gshmemi_coll_with(team, dest, source, 0, elem_nbytes, GSHMEMI_ALLTOALLV, 0, 0);

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
	uint64_t *flag; /* of the team's stage */
	uint64_t *packet;
	uint64_t phase;    /* the phase that PEs publish next */
	uint64_t ll_epoch; /* the team's last epoch of packets */
	uint64_t npackets; /* places for packets of one PE at each parity */
	const char *call;
};

/* ---- bad input: GSHMEM_CHECK ---- */

GSHMEMI_FN size_t gshmemi_coll_extent(const struct gshmemi_coll_args *a, int is_dest, int npes)
{
	const size_t n = a->nelems, all = (size_t)npes * n;
	const ptrdiff_t stride = is_dest ? a->dst : a->sst;

	switch (a->what) {
	case GSHMEMI_COLLECT: /* dest is checked when all sizes are known */
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

/* Hashes what all PEs must pass alike. Addresses count by their offset in the heap. */
GSHMEMI_FN uint64_t gshmemi_coll_hash(const struct gshmemi_coll_args *a)
{
	const uint64_t dest = (uint64_t)((uintptr_t)a->dest - (uintptr_t)gshmemi_state.heap);
	const uint64_t source = (uint64_t)((uintptr_t)a->source - (uintptr_t)gshmemi_state.heap);
	const uint64_t words[8] = {dest < gshmemi_state.heap_nbytes ? dest : 0,
		source < gshmemi_state.heap_nbytes ? source : 0, a->what == GSHMEMI_COLLECT ? 0 : a->nelems,
		a->elem_nbytes, (uint64_t)a->what << 32 | (uint32_t)a->root, (uint64_t)a->fold,
		(uint64_t)a->dst, (uint64_t)a->sst};
	uint64_t hash = 0xcbf29ce484222325U;
	int i;

	for (i = 0; i < 8; i++) /* FNV-1a, by words */
		hash = (hash ^ words[i]) * 0x100000001b3U;
	return hash;
}

/*
 * Checks that dest and source lie in allocations, and do not overlap, unless in_place allows that
 * they are one.
 */
GSHMEMI_COLD void gshmemi_coll_check_buffers_at(const char *dest, size_t dest_nbytes, const char *source,
	size_t source_nbytes, unsigned align, int in_place, const char *call, uint64_t caller)
{
	uint64_t detail = 0;
	int fault;

	fault = dest_nbytes ? gshmemi_check_symmetric(dest, dest_nbytes, align, &detail) : 0;
	if (fault)
		gshmemi_fault_raise(
			fault, gshmemi_state.my_pe, dest, dest_nbytes, detail, detail, call, caller);
	fault = source_nbytes ? gshmemi_check_symmetric(source, source_nbytes, align, &detail) : 0;
	if (fault)
		gshmemi_fault_raise(
			fault, gshmemi_state.my_pe, source, source_nbytes, detail, detail, call, caller);
	if (!(in_place && dest == source) && dest < source + source_nbytes && source < dest + dest_nbytes)
		gshmemi_fault_raise(GSHMEMI_FAULT_OVERLAP, -1, dest, dest_nbytes, 0, 0, call, caller);
}

/*
 * Checks a collective, by one thread of each PE; does not return if something is wrong on any of them. Takes
 * the arguments by value, so that no pointer to them escapes.
 */
GSHMEMI_COLD void gshmemi_coll_check_at(
	struct gshmemi_coll_args a, struct gshmemi_team_view team, const char *call, uint64_t caller)
{
	const size_t dest_nbytes = gshmemi_coll_extent(&a, 1, team.npes),
		     source_nbytes = gshmemi_coll_extent(&a, 0, team.npes);
	const int in_place = a.what == GSHMEMI_BROADCAST || a.what == GSHMEMI_REDUCE ||
		a.what == GSHMEMI_INSCAN || a.what == GSHMEMI_EXSCAN;
	const char *dest = (const char *)a.dest;
	uint64_t words[2];

	if (a.what == GSHMEMI_BROADCAST && (a.root < 0 || a.root >= team.npes))
		gshmemi_fault_raise(
			GSHMEMI_FAULT_BAD_PE, a.root, dest, 0, (uint64_t)team.npes, 0, call, caller);
	if (a.what == GSHMEMI_ALLTOALLS && (a.dst < 1 || a.sst < 1))
		gshmemi_fault_raise(GSHMEMI_FAULT_BAD_ARGUMENT, -1, dest, 0,
			(uint64_t)(a.dst < 1 ? a.dst : a.sst), 1, call, caller);
	gshmemi_coll_check_buffers_at(dest, dest_nbytes, (const char *)a.source, source_nbytes, a.elem_nbytes,
		in_place, call, caller);
	words[0] = gshmemi_coll_hash(&a);
	words[1] = ~words[0];
	gshmemi_disseminate(&team, words, 0, call);
	if (words[0] != ~words[1])
		gshmemi_fault_raise(GSHMEMI_FAULT_UNEQUAL, -1, dest, 0, 0, 0, call, caller);
}

/* ---- beginning, telling, ending ---- */

/* GSHMEM_CHECK: all threads of the group make the call and pass the same. */
GSHMEMI_FN void gshmemi_coll_check_args(int scope, const struct gshmemi_coll_args *a, const char *call)
{
	gshmemi_check_args(scope, GSHMEMI_ARGS_TEAM, (uintptr_t)a->team, 0, 0, 0, call);
	gshmemi_check_args(scope, GSHMEMI_ARGS_COLL, (uintptr_t)a->dest, (uintptr_t)a->source, a->nelems,
		(unsigned)a->root, call);
}

/*
 * Moves a value that all threads of a group have alike into scalar registers, where a GPU has them: a
 * branch on it masks no lanes. If each branch needs a mask, clang 19 runs out of scalar registers and
 * loses lanes (docs/device-path.md).
 */
#define GSHMEMI_COLL_UNIFORM(value) ((value) = (__typeof__(value))gshmemi_arch_uniform((uint64_t)(value)))

GSHMEMI_FN void gshmemi_coll_uniform(struct gshmemi_coll *c, struct gshmemi_coll_args *a)
{
	GSHMEMI_COLL_UNIFORM(c->team.my_pe);
	GSHMEMI_COLL_UNIFORM(c->team.npes);
	GSHMEMI_COLL_UNIFORM(c->team.start);
	GSHMEMI_COLL_UNIFORM(c->team.stride);
	GSHMEMI_COLL_UNIFORM(c->team.members);
	GSHMEMI_COLL_UNIFORM(c->flag);
	GSHMEMI_COLL_UNIFORM(c->phase);
	GSHMEMI_COLL_UNIFORM(c->ll_epoch);
	GSHMEMI_COLL_UNIFORM(a->dest);
	GSHMEMI_COLL_UNIFORM(a->source);
	GSHMEMI_COLL_UNIFORM(a->nelems);
	GSHMEMI_COLL_UNIFORM(a->root);
}

/*
 * Begins a collective. Reads the counters before the group meets, because its first thread may be done before
 * another one begins. Moves the fields of *a into scalar registers, where a GPU has them.
 */
GSHMEMI_FN struct gshmemi_coll gshmemi_coll_begin(int scope, struct gshmemi_coll_args *a, const char *call)
{
	struct gshmemi_coll c;

	c.call = call;
	c.team = gshmemi_team_of(a->team, call);
	c.phase = gshmemi_arch_load(&c.team.sync->phase, 8) + 1;
	c.ll_epoch = gshmemi_arch_load(&c.team.sync->ll_epoch, 8);
	c.group = gshmemi_group_here(scope, GSHMEMI_KEY(a->dest, a->source));
	gshmemi_group_sync(&c.group);
	if (gshmemi_is_slow(GSHMEMI_WHY_CHECK)) {
		gshmemi_coll_check_args(scope, a, call);
		if (c.group.rank == 0)
			gshmemi_team_claim(&c.team, call);
		if (c.group.rank == 0)
			gshmemi_coll_check_at(*a, c.team, call, gshmemi_arch_caller());
		gshmemi_group_sync(&c.group);
	}
	c.flag = c.team.sync->stage;
	c.packet = c.flag + c.team.sync->nflags;
	c.npackets = c.team.sync->npackets;
	if (scope != GSHMEMI_THREAD)
		gshmemi_coll_uniform(&c, a);
	return c;
}

GSHMEMI_FN int gshmemi_coll_world_pe(const struct gshmemi_coll *c, int pe)
{
	return gshmemi_team_to_world(&c->team, pe);
}

/*
 * The same for operations: it carries the library's context where that matters, so the caller's
 * quiet ignores them.
 */
GSHMEMI_FN int gshmemi_coll_op_pe(const struct gshmemi_coll *c, int pe)
{
	const int world_pe = gshmemi_coll_world_pe(c, pe);
	const unsigned told =
		GSHMEMI_WHY_CARRIES | GSHMEMI_WHY_STATS | (GSHMEMI_TRACES ? GSHMEMI_WHY_TRACE : 0U);

	return gshmemi_is_slow(told) ? gshmemi_pe_for(world_pe, GSHMEMI_CTX_LIBRARY) : world_pe;
}

/* The PE that is ahead places, 0 .. npes-1, ahead of this one in the team: PEs begin with different ones. */
GSHMEMI_FN int gshmemi_coll_ahead(const struct gshmemi_coll *c, int ahead)
{
	const int pe = c->team.my_pe + ahead;

	return pe < c->team.npes ? pe : pe - c->team.npes;
}

#if GSHMEMI_HOST_UNIT
void gshmemi_host_hold(int is_begin); /* src/net/net.c */
#endif

/*
 * Between a call with 1 and one with 0 the net holds back the host's requests, so that they leave
 * in one message.
 */
GSHMEMI_FN void gshmemi_coll_hold(int is_begin)
{
	(void)is_begin;
#if GSHMEMI_HOST_UNIT
	if (gshmemi_is_slow(GSHMEMI_WHY_NET))
		gshmemi_host_hold(is_begin);
#endif
}

/*
 * What the threads of the group have put to a PE, or written for others to get, arrives before the flags that
 * they publish to that PE from here on. No more is promised: a PE that reads what it has put to itself
 * completes that first. On the host one thread is the whole group, and carriers keep its flags behind its
 * puts without a wait. A kernel's threads complete their puts, because one of them publishes for all.
 */
GSHMEMI_FN void gshmemi_coll_order(const struct gshmemi_coll *c)
{
	if (GSHMEMI_HOST_UNIT)
		gshmemi_order(GSHMEMI_THREAD, GSHMEMI_CTX_LIBRARY);
	else
		gshmemi_complete(GSHMEMI_CTX_LIBRARY);
	gshmemi_group_sync(&c->group);
}

/* Publish the phase to all others; the threads share the work. */
GSHMEMI_FN void gshmemi_coll_tell(const struct gshmemi_coll *c)
{
	int i;

	for (i = 1 + (int)c->group.rank; i < c->team.npes; i += (int)c->group.size)
		gshmemi_sync_tell(&c->flag[c->team.my_pe], c->phase,
			gshmemi_coll_world_pe(c, gshmemi_coll_ahead(c, i)), c->call);
}

GSHMEMI_FN void gshmemi_coll_tell_one(const struct gshmemi_coll *c, int pe)
{
	if (c->group.rank == 0)
		gshmemi_sync_tell(&c->flag[c->team.my_pe], c->phase, gshmemi_coll_world_pe(c, pe), c->call);
}

GSHMEMI_FN void gshmemi_coll_poll(const struct gshmemi_coll *c, int pe)
{
	(void)gshmemi_wait(
		&c->flag[pe], 8, 0, GSHMEM_CMP_GE, c->phase, gshmemi_coll_world_pe(c, pe), c->call);
}

/* Every wave acquires, not only those that polled. */
GSHMEMI_FN void gshmemi_coll_meet(const struct gshmemi_coll *c)
{
	gshmemi_group_sync(&c->group);
	gshmemi_arch_fence_acquire();
}

/* Wait until all others have published the phase. */
GSHMEMI_FN void gshmemi_coll_await(const struct gshmemi_coll *c)
{
	int i;

	for (i = 1 + (int)c->group.rank; i < c->team.npes; i += (int)c->group.size)
		gshmemi_coll_poll(c, gshmemi_coll_ahead(c, i));
	gshmemi_coll_meet(c);
}

GSHMEMI_FN void gshmemi_coll_await_one(const struct gshmemi_coll *c, int pe)
{
	if (c->group.rank == 0)
		gshmemi_coll_poll(c, pe);
	gshmemi_coll_meet(c);
}

/* The last step of a collective: any caller may then begin the next one on the team. */
GSHMEMI_FN void gshmemi_coll_part(const struct gshmemi_coll *c)
{
	if (c->group.rank == 0)
		gshmemi_team_release(&c->team);
	gshmemi_group_sync(&c->group);
}

/*
 * End a collective; the next one begins after this phase. If gshmemi_coll_order came before, all threads see
 * what all of them have written. Sources may be written again.
 */
GSHMEMI_FN void gshmemi_coll_end(const struct gshmemi_coll *c)
{
	if (GSHMEMI_HOST_UNIT)
		gshmemi_release_sources(GSHMEMI_CTX_LIBRARY);
	if (c->group.rank == 0)
		gshmemi_arch_store(&c->team.sync->phase, c->phase, 8);
	gshmemi_coll_part(c);
}

#endif /* GSHMEM_COLL_PHASE_H */
