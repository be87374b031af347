/* SPDX-License-Identifier: BSD-3-Clause */
/* net: no */
/* platform: cpu */
/* run: -n 2 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:2 | GSHMEM_CPU_DELIVERY=random */
/* delivery: no */
/*
 * Delayed delivery shows a missing fence even to a program that sends a single message: in at least a quarter
 * of the jobs the flag arrives before the data.
 */
#include "helpers.h"

#define NWORDS   64
#define NTHREADS 64
#define NJOBS    64 /* more than half of them are expected to be wrong */

enum { P, SIGNAL_SET, ATOMIC_SET, NFLAGS };
static const char *const names[NFLAGS] = {"long_p", "signal_set", "atomic_set"};

__global__ void send(long *dest, const long *source, uint64_t *flag, int which, int pe)
{
	gshmemx_long_put_wg(dest, source, NWORDS, pe);
	__syncthreads(); /* and no fence */
	if (threadIdx.x)
		return;
	if (which == P)
		gshmem_long_p((long *)flag, 1, pe);
	else if (which == SIGNAL_SET)
		gshmem_signal_set(flag, 1, pe);
	else
		gshmem_uint64_atomic_set(flag, 1, pe);
}

__global__ void receive(const long *dest, uint64_t *flag, long *nwrong)
{
	gshmem_uint64_wait_until(flag, GSHMEM_CMP_EQ, 1);
	for (int i = 0; i < NWORDS; i++)
		if (((const volatile long *)dest)[i] != i + 1) {
			++*nwrong;
			return;
		}
}

int main(void)
{
	long *dest, *source, *nwrong;
	int which, job, status = 0;
	uint64_t *flag;

	gshmem_init();
	dest = (long *)gshmem_calloc(NWORDS, sizeof *dest);
	source = (long *)gshmem_calloc(NWORDS, sizeof *source);
	flag = (uint64_t *)gshmem_calloc(1, sizeof *flag);
	nwrong = (long *)gshmem_calloc(1, sizeof *nwrong);
	for (int i = 0; i < NWORDS; i++)
		gshmem_long_p(&source[i], i + 1, gshmem_my_pe());
	for (which = 0; which < NFLAGS; which++) {
		gshmem_long_p(nwrong, 0, gshmem_my_pe());
		for (job = 0; job < NJOBS; job++) {
			if (gshmem_my_pe() == 1) {
				t_hip(hipMemset(dest, 0, NWORDS * sizeof *dest));
				t_hip(hipMemset(flag, 0, sizeof *flag));
				t_hip(hipDeviceSynchronize());
			}
			gshmem_barrier_all();
			if (gshmem_my_pe() == 0)
				hipLaunchKernelGGL(send, dim3(1), dim3(NTHREADS), 0, 0, dest, source, flag, which, 1);
			else
				hipLaunchKernelGGL(receive, dim3(1), dim3(1), 0, 0, dest, flag, nwrong);
			t_hip(hipDeviceSynchronize());
			gshmem_barrier_all();
		}
		if (gshmem_my_pe() == 0 || gshmem_long_g(nwrong, 1) >= NJOBS / 4)
			continue;
		fprintf(stderr, "PE 1: put, %s: wrong in %ld of %d jobs, expected at least %d\n", names[which],
			gshmem_long_g(nwrong, 1), NJOBS, NJOBS / 4);
		status = 1;
	}
	gshmem_finalize();
	return status;
}
