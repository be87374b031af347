/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 6,18 */
/* env: GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=2 | GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=1:cyclic GSHMEM_NET_DEADLINE=60 */
/* carry: no, PEs of several nodes are carried as it is */
/* nodes: no, likewise */
/* platform: cpu */
/* links: inner */
/*
 * A barrier sends few flags over the network: the first PE of each node sends one to each of the
 * next 15 nodes, with 18 nodes one more in a second round, and no other PE sends any. From the
 * host, for all PEs and for a team.
 */
#include <gshmem.h>
#include <stdlib.h>

#include "helpers.h"
#include "engine/engine.h"

const struct gshmemi_engine_counts *gshmemi_net_counts(void);

enum { NBARRIERS = 10 };

static void expect(const char *what, gshmem_team_t team, uint64_t nflags)
{
	const uint64_t before = gshmemi_net_counts()->natomics;
	uint64_t sent;
	int i;

	for (i = 0; i < NBARRIERS; i++)
		gshmem_team_sync(team);
	sent = gshmemi_net_counts()->natomics - before;
	t_check(sent == nflags * NBARRIERS, "PE %d: %s: %llu flags in %d barriers, not %llu", gshmem_my_pe(),
		what, (unsigned long long)sent, NBARRIERS, (unsigned long long)nflags * NBARRIERS);
}

int main(void)
{
	gshmem_team_t team;
	int npes, nnodes, is_first, is_last;
	uint64_t nflags;

	gshmem_init();
	npes = gshmem_n_pes();
	nnodes = npes / gshmem_team_n_pes(GSHMEMX_TEAM_NODE);
	nflags = nnodes > 16 ? 15 + 1 : (uint64_t)nnodes - 1;
	is_first = gshmem_team_my_pe(GSHMEMX_TEAM_NODE) == 0;
	is_last = gshmem_team_my_pe(GSHMEMX_TEAM_NODE) == gshmem_team_n_pes(GSHMEMX_TEAM_NODE) - 1;
	expect("all PEs", GSHMEM_TEAM_WORLD, is_first ? nflags : 0);
	/* the team's first PE on each node is the node's last one */
	gshmem_team_split_strided(GSHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &team);
	expect("a team turned round", team, is_last ? nflags : 0);
	gshmem_team_destroy(team);
	expect("the node", GSHMEMX_TEAM_NODE, 0);
	gshmem_finalize();
	return 0;
}
