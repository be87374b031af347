/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,4,7 */
/* env: GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=2 | GSHMEM_HEAP_SIZE=4m GSHMEM_PES_PER_NODE=3:cyclic */
/* carry: no, PEs of several nodes are carried as it is */
/* nodes: no, likewise */
/* races: no, likewise */
/* platform: cpu */
/*
 * GSHMEMX_TEAM_SAME_MYPE_NODE has the PEs with the same number on their nodes, of which the last may have
 * fewer: its members, a sum and a barrier, by the host and in a kernel.
 */
#include <hip/hip_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

enum { MAX_PES = 8 };

__global__ static void sum_in_kernel(long *sum, const long *number)
{
	gshmemx_long_sum_reduce_wg(GSHMEMX_TEAM_SAME_MYPE_NODE, sum, number, 1);
	gshmemx_team_sync_wg(GSHMEMX_TEAM_SAME_MYPE_NODE);
}

/* Fills pes[] by the rule for which PEs pretend to share a node. Returns how many there are. */
static int find_members(int me, int npes, int *pes)
{
	const char *text = getenv("GSHMEM_PES_PER_NODE");
	const int width = atoi(text), nnodes = (npes + width - 1) / width;
	const bool is_cyclic = strstr(text, "cyclic");
	int n = 0, pe;

	for (pe = 0; pe < npes; pe++)
		if (is_cyclic ? pe / nnodes == me / nnodes : pe % width == me % width)
			pes[n++] = pe;
	return n;
}

int main()
{
	int pes[MAX_PES], n, i;
	long expected = 0, got[2];

	gshmem_init();
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	long *sums = (long *)t_shmalloc(2 * sizeof *sums), *number = (long *)t_shmalloc(sizeof *number);
	const long mine = 1 + me * me;

	n = find_members(me, npes, pes);
	t_equal(gshmem_team_n_pes(GSHMEMX_TEAM_SAME_MYPE_NODE), n, "PEs");
	for (i = 0; i < n; i++) {
		t_equal(gshmem_team_translate_pe(GSHMEMX_TEAM_SAME_MYPE_NODE, i, GSHMEM_TEAM_WORLD), pes[i],
			"a member");
		t_equal(gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, pes[i], GSHMEMX_TEAM_SAME_MYPE_NODE), i,
			"its number");
		expected += 1 + pes[i] * pes[i];
	}
	t_equal(pes[gshmem_team_my_pe(GSHMEMX_TEAM_SAME_MYPE_NODE)], me, "this PE");
	t_to_device(number, &mine, sizeof mine);
	gshmem_barrier_all();
	t_equal(gshmem_long_sum_reduce(GSHMEMX_TEAM_SAME_MYPE_NODE, sums, number, 1), 0, "sum");
	t_launch(sum_in_kernel, 1, 64, sums + 1, number);
	t_hip(hipDeviceSynchronize());
	t_from_device(got, sums, sizeof got);
	t_equal(got[0], expected, "sum by the host");
	t_equal(got[1], expected, "sum in a kernel");
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}
