/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives of active sets, made by the set's team. */
#include "shmem/active_set.h"

#define SET int PE_start, int logPE_stride, int PE_size, long *pSync
/* Declares team, the team of the call's set. Returns from the function if this PE is not in the set. */
#define FIND_TEAM(call) \
	gshmem_team_t team = gshmemi_active_set(PE_start, logPE_stride, PE_size, call); \
\
	(void)pSync; \
\
	if (team == GSHMEM_TEAM_INVALID) \
	return

SHMEMI_DEFINE(void, shmem_barrier, (SET))
{
	FIND_TEAM("shmem_barrier");

	gshmem_quiet();
	gshmem_team_sync(team);
}

SHMEMI_DEFINE(void, shmem_sync, (SET))
{
	FIND_TEAM("shmem_sync");
	gshmem_team_sync(team);
}

/* ---- broadcast ---- */

/*
 * Unlike in a team's broadcast, dest of the root does not change. All PEs have promised that dest is ready
 * when the root calls, so the root puts a short message at once. All PEs get a long one at the same time.
 */
#define SHORT_NBYTES 8192

static void broadcast_elements(gshmem_team_t team, void *dest, const void *source, size_t nbytes, int root)
{
	const int me = gshmem_team_my_pe(team), npes = gshmem_team_n_pes(team);
	int pe;

	if (nbytes > SHORT_NBYTES) {
		gshmem_team_sync(team);
		if (me != root)
			gshmem_getmem(dest, source, nbytes,
				gshmem_team_translate_pe(team, root, GSHMEM_TEAM_WORLD));
	} else if (me == root) {
		for (pe = 0; pe < npes; pe++)
			if (pe != root)
				gshmem_putmem(dest, source, nbytes,
					gshmem_team_translate_pe(team, pe, GSHMEM_TEAM_WORLD));
		gshmem_quiet();
	}
	gshmem_team_sync(team);
}

#define DEFINE_BROADCAST(SIZE) \
	SHMEMI_DEFINE(void, shmem_broadcast##SIZE, \
		(void *dest, const void *source, size_t nelems, int PE_root, SET)) \
	{ \
		FIND_TEAM("shmem_broadcast" #SIZE); \
		broadcast_elements(team, dest, source, nelems *(SIZE / 8), PE_root); \
	}
DEFINE_BROADCAST(32)
DEFINE_BROADCAST(64)
#undef DEFINE_BROADCAST

/* ---- collect, alltoall ---- */

#define DEFINE_MOVES(SIZE) \
	SHMEMI_DEFINE(void, shmem_collect##SIZE, (void *dest, const void *source, size_t nelems, SET)) \
	{ \
		FIND_TEAM("shmem_collect" #SIZE); \
		gshmem_uint##SIZE##_collect(team, dest, source, nelems); \
	} \
	SHMEMI_DEFINE(void, shmem_fcollect##SIZE, (void *dest, const void *source, size_t nelems, SET)) \
	{ \
		FIND_TEAM("shmem_fcollect" #SIZE); \
		gshmem_uint##SIZE##_fcollect(team, dest, source, nelems); \
	} \
	SHMEMI_DEFINE(void, shmem_alltoall##SIZE, (void *dest, const void *source, size_t nelems, SET)) \
	{ \
		FIND_TEAM("shmem_alltoall" #SIZE); \
		gshmem_uint##SIZE##_alltoall(team, dest, source, nelems); \
	} \
	SHMEMI_DEFINE(void, shmem_alltoalls##SIZE, \
		(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, SET)) \
	{ \
		FIND_TEAM("shmem_alltoalls" #SIZE); \
		gshmem_uint##SIZE##_alltoalls(team, dest, source, dst, sst, nelems); \
	}
DEFINE_MOVES(32)
DEFINE_MOVES(64)
#undef DEFINE_MOVES

/* ---- reductions ---- */

/* clang-format off */
/*
 * Uses the reduction of AS, a type of the same size: for bitwise operations the sign does not matter. pWrk
 * is not needed.
 */
#define DEFINE_REDUCTION(NAME, TYPE, AS, AS_TYPE, OP) \
	SHMEMI_DEFINE(void, shmem_##NAME##_##OP##_to_all, \
		(TYPE *dest, const TYPE *source, int nreduce, int PE_start, int logPE_stride, int PE_size, \
			TYPE *pWrk, long *pSync)) \
	{ \
		FIND_TEAM("shmem_" #NAME "_" #OP "_to_all"); \
		(void)pWrk; \
		gshmem_##AS##_##OP##_reduce( \
			team, (AS_TYPE *)dest, (const AS_TYPE *)source, (size_t)nreduce); \
	}
/* clang-format on */
#define DEFINE_BITWISE(NAME, TYPE, AS, AS_TYPE) \
	DEFINE_REDUCTION(NAME, TYPE, AS, AS_TYPE, and) \
	DEFINE_REDUCTION(NAME, TYPE, AS, AS_TYPE, or) \
	DEFINE_REDUCTION(NAME, TYPE, AS, AS_TYPE, xor)
#define DEFINE_ARITHMETIC(NAME, TYPE) \
	DEFINE_REDUCTION(NAME, TYPE, NAME, TYPE, sum) \
	DEFINE_REDUCTION(NAME, TYPE, NAME, TYPE, prod)
#define DEFINE_ORDERED(NAME, TYPE) \
	DEFINE_REDUCTION(NAME, TYPE, NAME, TYPE, max) \
	DEFINE_REDUCTION(NAME, TYPE, NAME, TYPE, min)
SHMEMI_BITWISE_TO_ALL_TYPES(DEFINE_BITWISE)
SHMEMI_ORDERED_TO_ALL_TYPES(DEFINE_ORDERED)
SHMEMI_TO_ALL_TYPES(DEFINE_ARITHMETIC)
