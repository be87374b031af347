/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* net: no */
/* run: -n 2 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:2 */
/* delivery: no */
/* races: no, it needs late delivery */
/*
 * An _nbi call may use its buffers until quiet: under delayed delivery put_nbi reads its source late, get_nbi
 * and fetching atomics fill their dest late, and quiet completes all of them. A put has copied its source
 * when it returns, but also arrives late. From kernels and hosts, on the next PE.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include "helpers.h"

enum {
	PUT_NBI_READS_LATE,
	GET_NBI_ARRIVES_LATE,
	FETCH_NBI_ARRIVES_LATE,
	PUT_ARRIVES_LATE,
	NWEAK,
	PUT_LOST_ITS_SOURCE = NWEAK, /* this one and the rest are wrong */
	GET_NBI_INCOMPLETE,
	FETCH_NBI_INCOMPLETE,
	PUT_INCOMPLETE,
	NCOUNTS
};
static const char *const names[NCOUNTS] = {
	"put_nbi read its source late",
	"get_nbi filled dest late",
	"fetch_inc_nbi filled fetch late",
	"put arrived late",
	"put lost its source",
	"get_nbi was incomplete after quiet",
	"fetch_inc_nbi was incomplete after quiet",
	"put was incomplete after quiet",
};

/* words[0..3] are symmetric; count[k] counts what happened. */
static __host__ __device__ void try_all(uint64_t *words, unsigned *count, unsigned nrounds, int pe)
{
	volatile uint64_t source, got, old; /* the library changes them behind the compiler's back */
	uint64_t round;

	for (round = 1; round <= nrounds; round++) {
		source = round;
		gshmem_uint64_put_nbi(&words[0], (const uint64_t *)&source, 1, pe);
		source = round + 1000000;
		gshmem_quiet();
		count[PUT_NBI_READS_LATE] += gshmem_uint64_g(&words[0], pe) == round + 1000000;

		source = round;
		gshmem_uint64_put(&words[1], (const uint64_t *)&source, 1, pe);
		source = 0;
		count[PUT_ARRIVES_LATE] += gshmem_uint64_g(&words[1], pe) == round - 1;
		gshmem_quiet();
		count[PUT_LOST_ITS_SOURCE] += gshmem_uint64_g(&words[1], pe) == 0;
		count[PUT_INCOMPLETE] += gshmem_uint64_g(&words[1], pe) != round;

		got = 0;
		gshmem_uint64_get_nbi((uint64_t *)&got, &words[1], 1, pe);
		count[GET_NBI_ARRIVES_LATE] += got == 0;
		gshmem_quiet();
		count[GET_NBI_INCOMPLETE] += got != round;

		old = UINT64_MAX;
		gshmem_uint64_atomic_fetch_inc_nbi((uint64_t *)&old, &words[2], pe);
		count[FETCH_NBI_ARRIVES_LATE] += old == UINT64_MAX;
		gshmem_quiet();
		count[FETCH_NBI_INCOMPLETE] += old != round - 1;
	}
}

static __global__ void kernel(uint64_t *words, unsigned *count, unsigned nrounds, int pe)
{
	try_all(words, count, nrounds, pe);
}

/* is_delayed: delays must be seen. Hosts that reach the heap by copies delay nothing. */
static int judge(const char *who, const unsigned *count, int is_delayed)
{
	int k, status = 0;

	for (k = 0; k < NCOUNTS; k++) {
		if ((k < NWEAK) == (count[k] != 0) || (k < NWEAK && !is_delayed))
			continue;
		fprintf(stderr, "PE %d: %s: %s %u times\n", gshmem_my_pe(), who, names[k], count[k]);
		status = 1;
	}
	return status;
}

int main(void)
{
	const unsigned nrounds = 200;
	unsigned count[NCOUNTS] = {}, *device_count;
	uint64_t *words;
	int pe, status;

	gshmem_init();
	pe = (gshmem_my_pe() + 1) % gshmem_n_pes();
	words = (uint64_t *)gshmem_calloc(4, sizeof *words);
	try_all(words, count, nrounds, pe);
	status = judge("host", count, GSHMEMI_ARCH_HOST_DIRECT);

	gshmem_barrier_all();
	t_memset(words, 0, 4 * sizeof *words);
	t_hip(hipMalloc((void **)&device_count, sizeof count));
	t_memset(device_count, 0, sizeof count);
	gshmem_barrier_all();
	hipLaunchKernelGGL(kernel, dim3(1), dim3(1), 0, 0, words, device_count, nrounds, pe);
	t_hip(hipMemcpy(count, device_count, sizeof count, hipMemcpyDeviceToHost));
	status |= judge("kernel", count, 1);
	gshmem_finalize();
	return status;
}
