/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 6 */
/* env: GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=2 | GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=2:cyclic */
/* carry: no, PEs of several nodes are carried as it is */
/* nodes: no, likewise */
/* platform: cpu */
/*
 * What a barrier sends over the network: the first PE of each node one flag to each other node, and no other PE any. By the host, of all
 * PEs and of a team.
 */
#include <gshmem.h>
#include <stdlib.h>

#include "helpers.h"
#include "net/engine.h"

const struct gshmemi_engine_counts *gshmemi_net_counts(void);

enum { NBARRIERS = 10, NNODES = 3 };

static void expect(const char *what, gshmem_team_t team, uint64_t nflags)
{
	const uint64_t before = gshmemi_net_counts()->natomics;
	uint64_t sent;
	int i;

	for (i = 0; i < NBARRIERS; i++)
		gshmem_team_sync(team);
	sent = gshmemi_net_counts()->natomics - before;
	t_check(sent == nflags * NBARRIERS, "PE %d: %s: %llu flags in %d barriers, not %llu", gshmem_my_pe(), what, (unsigned long long)sent,
		NBARRIERS, (unsigned long long)nflags * NBARRIERS);
}

int main(void)
{
	gshmem_team_t team;
	int is_first;

	gshmem_init();
	is_first = gshmem_team_my_pe(GSHMEMX_TEAM_NODE) == 0;
	expect("all PEs", GSHMEM_TEAM_WORLD, is_first ? NNODES - 1 : 0);
	gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 5, -1, 6, NULL, 0, &team); /* its first PEs are the last ones of their nodes */
	expect("a team turned round", team, is_first ? 0 : NNODES - 1);
	gshmem_team_destroy(team);
	expect("the node", GSHMEMX_TEAM_NODE, 0);
	gshmem_finalize();
	return 0;
}
