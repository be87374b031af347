/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* carry: no, it says who reaches whom */
/* net: no, likewise */
/* run: -n 5 */
/* env: GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_DEVICES=5 GSHMEM_CPU_LINKS=0-2:none */
/*
 * The team of PEs that share memory need not have a constant stride: devices 0 and 2 do not reach each other,
 * so PE 2 is not in the team of PE 0, which has PEs 0, 1, 3, 4. Teams made of it work, too.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

__host__ __device__ static int count_wrong(gshmem_team_t team, const int *pes, int npes, int me)
{
	int wrong = gshmem_team_n_pes(team) != npes, is_in, i, pe;

	for (pe = 0; pe < 5; pe++) {
		for (i = 0, is_in = -1; i < npes; i++)
			is_in = pes[i] == pe ? i : is_in;
		wrong += gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, pe, team) != is_in;
		wrong += pe == me && gshmem_team_my_pe(team) != is_in;
	}
	for (i = 0; i < npes; i++)
		wrong += gshmem_team_translate_pe(team, i, GSHMEM_TEAM_WORLD) != pes[i];
	return wrong;
}

__global__ static void ask_and_meet(gshmem_team_t team, const int *pes, int npes, int me, int *wrong)
{
	if (threadIdx.x == 0)
		*wrong = count_wrong(team, pes, npes, me);
	for (int i = 0; i < 20; i++)
		if (gshmemx_team_sync_wg(team) && threadIdx.x == 0)
			++*wrong;
}

static int *pes, *nwrong;
static int me;

static void check(gshmem_team_t team, const int *expected, int npes, const char *what)
{
	memcpy(pes, expected, (size_t)npes * sizeof *pes);
	t_check(team != GSHMEM_TEAM_INVALID, "PE %d: %s: no team", me, what);
	t_equal(count_wrong(team, expected, npes, me), 0, what);
	t_equal(gshmem_team_sync(team), 0, what);
	t_launch(ask_and_meet, 1, 70, team, pes, npes, me, nwrong);
	t_equal(*nwrong, 0, what);
}

int main()
{
	const int most[4] = {0, 1, 3, 4}, other[1] = {2}, back[4] = {4, 3, 1, 0}, first[3] = {0, 1, 3},
		  edges[2] = {0, 4};
	gshmem_team_t team, x, y;

	gshmem_init();
	me = gshmem_my_pe();
	t_hip(hipHostMalloc((void **)&pes, sizeof most, 0));
	t_hip(hipHostMalloc((void **)&nwrong, sizeof *nwrong, 0));
	if (me == 2) {
		check(GSHMEM_TEAM_SHARED, other, 1, "the PE that does not reach another one");
	} else {
		check(GSHMEM_TEAM_SHARED, most, 4, "PEs that reach each other");
		t_equal(gshmem_team_split_strided(GSHMEM_TEAM_SHARED, 3, -1, 4, NULL, 0, &team), 0, "split");
		check(team, back, 4, "turned round");
		gshmem_team_destroy(team);
		t_equal(gshmem_team_split_strided(GSHMEM_TEAM_SHARED, 0, 3, 2, NULL, 0, &team), 0, "split");
		if (me == 0 || me == 4)
			check(team, edges, 2, "first and last");
		gshmem_team_destroy(team);
		t_equal(gshmem_team_split_2d(GSHMEM_TEAM_SHARED, 3, NULL, 0, &x, NULL, 0, &y), 0, "split");
		if (me < 4)
			check(x, first, 3, "a row");
		gshmem_team_destroy(x);
		gshmem_team_destroy(y);
	}
	t_equal(gshmem_team_n_pes(GSHMEMX_TEAM_NODE), 5, "PEs of the node");
	t_hip(hipHostFree(pes));
	t_hip(hipHostFree(nwrong));
	gshmem_finalize();
	return 0;
}
