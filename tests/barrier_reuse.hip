/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8,17 */
/* env: GSHMEM_HEAP_SIZE=4m */
/* timeout: 300 */
/* delivery: no, what could arrive late is in barrier_all */
/*
 * Many barriers back to back (thousands if each PE has a core) never let a PE through early and never leave
 * one behind. A PE counts its barriers where all PEs can see; no two counts may ever differ by more than one.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

/* After barrier i all PEs have written i; a PE that is ahead has written i + 1 and waits for this PE. */
static __host__ __device__ int is_wrong(const long *count, long i)
{
	const int npes = gshmem_n_pes();
	const long c = gshmem_long_g(count, (gshmem_my_pe() + (int)(i % npes)) % npes);

	return c != i && c != i + 1;
}

/* Returns how many counts were too far off. */
static __host__ __device__ int many(long *count, long first, long n)
{
	int wrong = 0;

	for (long i = first; i < first + n; i++) {
		gshmem_long_p(count, i, gshmem_my_pe());
		gshmem_barrier_all();
		wrong += is_wrong(count, i);
	}
	return wrong;
}

static __global__ void many_in_kernel(long *count, long first, long n, int *wrong)
{
	if (t_rank() == 0)
		*wrong = many(count, first, n);
}

/*
 * The last thread counts and the first one checks, so the barrier must also order the threads of the group.
 */
static __global__ void many_by_wg(long *count, long first, long n, int *wrong)
{
	*wrong = 0;
	for (long i = first; i < first + n; i++) {
		if (t_rank() == blockDim.x - 1) {
			gshmem_long_p(count, i, gshmem_my_pe());
			gshmem_quiet(); /* a sync completes nothing */
		}
		if (i % 3)
			gshmemx_barrier_all_wg();
		else
			gshmemx_sync_all_wg();
		if (t_rank() == 0)
			*wrong += is_wrong(count, i);
	}
}

static int many_syncs(long *count, long first, long n)
{
	int wrong = 0;

	for (long i = first; i < first + n; i++) {
		gshmem_long_p(count, i, gshmem_my_pe());
		gshmem_quiet();
		gshmem_sync_all();
		wrong += is_wrong(count, i);
	}
	return wrong;
}

int main()
{
	gshmem_init();
	int me = gshmem_my_pe(), npes = gshmem_n_pes(), wrong;
	long n = t_takes_turns() ? 40 : npes <= 2 ? 10000 : npes <= 3 ? 3000 : npes <= 8 ? 250 : 60;
	long *count = (long *)gshmem_calloc(1, sizeof *count);
	gshmemx_race_ok(count, sizeof *count); /* it polls with p and g */
	int *nwrong = (int *)t_hipmalloc(sizeof *nwrong);

	wrong = many(count, 1, n);
	t_check(wrong == 0, "PE %d of %d: barrier_all on the host let %d of %ld through early", me, npes,
		wrong, n);
	t_launch(many_in_kernel, 1, 32, count, n + 1, n, nwrong);
	t_from_device(&wrong, nwrong, sizeof wrong);
	t_check(wrong == 0, "PE %d of %d: barrier_all in a kernel let %d of %ld through early", me, npes,
		wrong, n);
	t_launch(many_by_wg, 1, 64, count, 2 * n + 1, n, nwrong);
	t_from_device(&wrong, nwrong, sizeof wrong);
	t_check(wrong == 0, "PE %d of %d: barriers of a work-group let %d of %ld through early", me, npes,
		wrong, n);
	wrong = many_syncs(count, 3 * n + 1, n);
	t_check(wrong == 0, "PE %d of %d: sync_all on the host let %d of %ld through early", me, npes, wrong,
		n);
	gshmem_finalize();
	return 0;
}
