/* SPDX-License-Identifier: BSD-3-Clause */
/* net: no */
/* run: -n 2 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:2 GSHMEM_CPU_WAVE=32 | GSHMEM_CPU_DELIVERY=random:3 */
/* delivery: no */
/* races: no, it needs late delivery */
/*
 * Every thread puts a word, and one thread then sends a flag. gshmemx_quiet_wg or gshmemx_fence_wg in between
 * order the words of all threads before the flag (and the _wave forms those of a wave). __syncthreads and
 * then one thread's gshmem_quiet do not, as delayed delivery shows. The host's fence orders and its quiet
 * completes what an ended kernel left open.
 */
#include <stdlib.h>
#include <hip/hip_runtime.h>
#include "oracle.h"

enum {
	QUIET_WG,
	FENCE_WG,
	FETCH_FENCE_WG,
	QUIET_WAVE,
	FENCE_WAVE,
	SYNCTHREADS_QUIET,
	HOST_FENCE,
	HOST_QUIET,
	NWAYS
};
static const char *const names[NWAYS] = {
	"gshmemx_quiet_wg",
	"gshmemx_fence_wg",
	"atomic_fetch, gshmemx_fence_wg",
	"gshmemx_quiet_wave",
	"gshmemx_fence_wave",
	"__syncthreads, gshmem_quiet",
	"host's fence after the kernel",
	"host's quiet after the kernel",
};

#define NTHREADS 192
#define NROUNDS  50

static __device__ void send(int way, uint64_t *words, uint64_t *flag, uint64_t round, int pe)
{
	if ((way == QUIET_WAVE || way == FENCE_WAVE) && threadIdx.x >= (unsigned)warpSize)
		return;
	gshmem_uint64_p(&words[threadIdx.x], round, pe);
	switch (way) {
	case QUIET_WG:
		gshmemx_quiet_wg();
		break;
	case FENCE_WG:
		gshmemx_fence_wg();
		break;
	case QUIET_WAVE:
		gshmemx_quiet_wave();
		break;
	case FENCE_WAVE:
		gshmemx_fence_wave();
		break;
	case SYNCTHREADS_QUIET:
		__syncthreads();
		if (threadIdx.x == 0)
			gshmem_quiet();
		break;
	default:
		return;
	}
	if (threadIdx.x == 0)
		gshmem_uint64_p(flag, round, pe);
}

/*
 * A thread that has waited for its fetch has no store in flight; compilers then leave out the
 * wait for a fence's write-back.
 */
static __device__ void send_after_fetch(uint64_t *words, uint64_t *flag, uint64_t round, int pe)
{
	const uint64_t word = round;

	gshmem_uint64_put(&words[threadIdx.x], &word, 1, pe);
	if (gshmem_uint64_atomic_fetch(flag, gshmem_my_pe()) > round)
		return; /* never */
	gshmemx_fence_wg();
	if (threadIdx.x == 0)
		gshmem_uint64_p(flag, round, pe);
}

/* Looks at the words as soon as the flag is there. */
static __device__ void receive(
	uint64_t *words, uint64_t *flag, unsigned nwords, uint64_t round, unsigned *nmissing)
{
	gshmemx_uint64_wait_until_wg(flag, GSHMEM_CMP_EQ, round);
	if (threadIdx.x < nwords && gshmem_uint64_g(&words[threadIdx.x], gshmem_my_pe()) != round)
		atomicAdd(nmissing, 1U);
}

/* The first work-group sends to pe. If there is a second one, it receives. */
static __global__ void run(
	int way, uint64_t *words, uint64_t *flag, unsigned nwords, uint64_t round, int pe, unsigned *nmissing)
{
	if (blockIdx.x)
		receive(words, flag, nwords, round, nmissing);
	else if (way == FETCH_FENCE_WG)
		send_after_fetch(words, flag, round, pe);
	else
		send(way, words, flag, round, pe);
}

/*
 * Both PEs send and receive; returns how many words had not arrived with the flag. A kernel receives at
 * once what a kernel orders. The host receives what the host orders, or what delayed delivery holds
 * back for longer.
 */
static unsigned run_way(int way, uint64_t *words, uint64_t *flag)
{
	const unsigned nwords = way == QUIET_WAVE || way == FENCE_WAVE ? t_wave_width() : NTHREADS;
	const int me = gshmem_my_pe(), pe = (me + 1) % gshmem_n_pes();
	static unsigned *seen; /* by kernels: words that were missing */
	unsigned i, nmissing = 0;
	uint64_t round, got[NTHREADS];

	if (!seen)
		seen = (unsigned *)t_hipmalloc(sizeof *seen);
	t_memset(seen, 0, sizeof *seen);
	t_memset(words, 0, NTHREADS * sizeof *words);
	t_memset(flag, 0, sizeof *flag);
	for (round = 1; round <= NROUNDS; round++) {
		gshmem_barrier_all();
		hipLaunchKernelGGL(run, dim3(way < SYNCTHREADS_QUIET ? 2 : 1), dim3(NTHREADS), 0, 0, way,
			words, flag, nwords, round, pe, seen);
		if (way == HOST_FENCE || way == HOST_QUIET) {
			t_hip(hipDeviceSynchronize());
			if (way == HOST_FENCE)
				gshmem_fence();
			else
				gshmem_quiet();
			gshmem_uint64_p(flag, round, pe);
		}
		gshmem_uint64_wait_until(flag, GSHMEM_CMP_EQ, round);
		gshmem_uint64_get(got, words, nwords, me);
		for (i = 0; i < nwords; i++)
			nmissing += got[i] != round;
		t_hip(hipDeviceSynchronize());
	}
	gshmem_barrier_all();
	t_from_device(&i, seen, sizeof i);
	return nmissing + i;
}

/* The sum over all PEs. */
static unsigned sum(unsigned number)
{
	static unsigned *numbers; /* the PE's own, and the sum */

	if (!numbers)
		numbers = (unsigned *)gshmem_calloc(2, sizeof *numbers);
	gshmem_uint_p(numbers, number, gshmem_my_pe());
	gshmem_quiet();
	gshmem_uint_sum_reduce(GSHMEM_TEAM_WORLD, numbers + 1, numbers, 1);
	gshmem_sync_all(); /* all PEs have the sum before numbers changes */
	return gshmem_uint_g(numbers + 1, gshmem_my_pe());
}

int main(void)
{
	const int is_delayed = getenv("GSHMEM_CPU_DELIVERY") != NULL;
	unsigned nmissing, tries;
	uint64_t *words, *flag;
	int way, status = 0;

	gshmem_init();
	words = (uint64_t *)gshmem_calloc(NTHREADS, sizeof *words);
	flag = (uint64_t *)gshmem_calloc(1, sizeof *flag);
	for (way = 0; way < NWAYS; way++) {
		nmissing = run_way(way, words, flag);
		/* a PE that is not scheduled checks too late to see it */
		if (way == SYNCTHREADS_QUIET && is_delayed) {
			for (tries = 0; tries < 50 && !sum(nmissing); tries++)
				nmissing = run_way(way, words, flag);
			t_check(tries < 50, "PE %d: %s: no word came after the flag", gshmem_my_pe(),
				names[way]);
		} else if (way != SYNCTHREADS_QUIET && nmissing) {
			fprintf(stderr, "PE %d: %s: %u words came after the flag\n", gshmem_my_pe(),
				names[way], nmissing);
			status = 1;
		}
	}
	gshmem_finalize();
	return status;
}
