/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of active sets: those of the set's team.
 */
#include "shmem/active_set.h"

#define TEAM(call) gshmemi_active_set(PE_start, logPE_stride, PE_size, pSync, call)

SHMEMI_DEFINE(void, shmem_barrier, (int PE_start, int logPE_stride, int PE_size, long *pSync))
{
	gshmem_team_t team = TEAM("shmem_barrier");

	gshmem_quiet();
	gshmem_team_sync(team);
}

SHMEMI_DEFINE(void, shmem_sync, (int PE_start, int logPE_stride, int PE_size, long *pSync))
{
	gshmem_team_sync(TEAM("shmem_sync"));
}

/* ---- broadcast ---- */

/*
 * dest of the root stays as it is, unlike in a team's broadcast. All PEs have promised that dest is ready when the root
 * calls: a short message goes out at once. A long one is fetched by all at the same time.
 */
#define SHORT_NBYTES 8192

static void broadcast(gshmem_team_t team, void *dest, const void *source, size_t nbytes, int root)
{
	const int me = gshmem_team_my_pe(team), npes = gshmem_team_n_pes(team);
	int pe;

	if (nbytes > SHORT_NBYTES) {
		gshmem_team_sync(team);
		if (me != root)
			gshmem_getmem(dest, source, nbytes, gshmem_team_translate_pe(team, root, GSHMEM_TEAM_WORLD));
	} else if (me == root) {
		for (pe = 0; pe < npes; pe++)
			if (pe != root)
				gshmem_putmem(dest, source, nbytes, gshmem_team_translate_pe(team, pe, GSHMEM_TEAM_WORLD));
		gshmem_quiet();
	}
	gshmem_team_sync(team);
}

#define DEFINE_BROADCAST(SIZE) \
	SHMEMI_DEFINE(void, shmem_broadcast##SIZE, (void *dest, const void *source, size_t nelems, int PE_root, int PE_start, \
						    int logPE_stride, int PE_size, long *pSync)) \
	{ \
		broadcast(TEAM("shmem_broadcast" #SIZE), dest, source, nelems * (SIZE / 8), PE_root); \
	}
DEFINE_BROADCAST(32)
DEFINE_BROADCAST(64)
#undef DEFINE_BROADCAST
