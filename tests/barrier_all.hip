/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,8,17 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_WAVE=32 GSHMEM_CPU_DIVERGE=random:7 GSHMEM_CHECK=1 */
/* timeout: 120 */
/*
 * After a barrier every PE sees what every other wrote before it: barrier_all alone, and sync_all after
 * quiet, by the host, by a thread, a wave and a work-group, and in rounds where some PEs are on the host and
 * others in a kernel. 17 PEs take two rounds of dissemination.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NTHREADS 100

/* Begins a round: tells all PEs its number. */
static __host__ __device__ void tell(long *slots, long round)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();

	for (int pe = 0; pe < npes; pe++)
		gshmem_long_p(slots + me, round, (me + pe) % npes);
}

/* Meet, and read what the others told. Returns how many were wrong. */
static __host__ __device__ int meet(int scope, bool sync, long *slots, long round)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	int wrong = 0;

	switch (scope * 2 + sync) {
	case T_WAVE * 2:
		gshmemx_barrier_all_wave();
		break;
	case T_WAVE * 2 + 1:
		gshmemx_quiet_wave();
		gshmemx_sync_all_wave();
		break;
	case T_WG * 2:
		gshmemx_barrier_all_wg();
		break;
	case T_WG * 2 + 1:
		gshmemx_quiet_wg();
		gshmemx_sync_all_wg();
		break;
	default:
		if (sync) {
			gshmem_quiet();
			gshmem_sync_all();
		} else {
			gshmem_barrier_all();
		}
		break;
	}
	for (int pe = 0; pe < npes; pe++)
		wrong += gshmem_long_g(slots + pe, me) != round;
	return wrong;
}

/*
 * nrounds rounds of two barriers: the second keeps a PE from writing the next number too early. The
 * last thread of the group writes the numbers and the first one leads the barrier, so the barrier must
 * cover other threads' operations.
 */
static __global__ void in_kernel(int scope, bool sync, long *slots, long first, int nrounds, unsigned *nwrong)
{
	const unsigned last = scope == T_THREAD ? 9 : scope == T_WAVE ? warpSize - 1 : t_count() - 1;

	/* If lanes diverge, each part of a wave would make the barrier. */
	if ((scope == T_THREAD && t_rank() == 9) || (scope == T_WAVE && t_rank() < (unsigned)warpSize) ||
		scope == T_WG)
		for (int i = 0; i < nrounds; i++) {
			if (t_rank() == last)
				tell(slots, first + i);
			if (scope == T_WAVE)
				t_wave_joins();
			int wrong = meet(scope, sync, slots, first + i);
			if (wrong)
				atomicAdd(nwrong, wrong);
			if (scope == T_WG)
				gshmemx_sync_all_wg();
			else if (scope == T_WAVE)
				gshmemx_sync_all_wave();
			else
				gshmem_sync_all();
		}
}

static void on_host(bool sync, long *slots, long first, int nrounds, unsigned *wrong)
{
	for (int i = 0; i < nrounds; i++) {
		tell(slots, first + i);
		*wrong += meet(T_HOST, sync, slots, first + i);
		gshmem_sync_all();
	}
}

int main()
{
	gshmem_init();
	int me = gshmem_my_pe(), npes = gshmem_n_pes(),
	    nrounds = t_takes_turns() || npes > 8 ? 5
		: npes > 4                        ? 12
		: npes > 2                        ? 40
						  : 100;
	long *slots = (long *)gshmem_calloc(npes, sizeof *slots), first = 1;
	unsigned *nwrong = (unsigned *)t_hipmalloc(sizeof *nwrong);

	t_memset(nwrong, 0, sizeof *nwrong);
	/* First all PEs use the same scope; then each PE another one, which changes. */
	for (int step = 0; step < 8 + 6; step++) {
		bool mixed = step >= 8, sync = step & 1;
		int scope = mixed ? (step + me) % T_NSCOPES : step / 2;
		unsigned wrong = 0;

		if (scope == T_HOST) {
			on_host(sync, slots, first, nrounds, &wrong);
		} else {
			t_launch(in_kernel, 1, NTHREADS, scope, sync, slots, first, nrounds, nwrong);
			t_from_device(&wrong, nwrong, sizeof wrong);
		}
		t_check(wrong == 0, "PE %d of %d: %s by %s%s: %u values were not there", me, npes,
			sync ? "quiet and sync_all" : "barrier_all", t_scope_names[scope],
			mixed ? ", others in other ways" : "", wrong);
		first += nrounds;
	}
	/* Leave without a pause between the last barrier and finalize's. */
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}
