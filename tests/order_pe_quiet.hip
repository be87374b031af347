/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* net: no */
/* run: -n 3,4 */
/* env: GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CPU_DELIVERY=random:2 */
/* delivery: no */
/* races: no, it needs late delivery */
/*
 * pe_quiet completes operations on the PEs that it names, and under delayed delivery leaves
 * those on other PEs open. A fence orders operations on one PE, not those on two. PE 0 puts,
 * from its host and from a kernel.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include "helpers.h"

enum { OPEN, TWO_PES, NWEAK, INCOMPLETE = NWEAK, NCOUNTS };
static const char *const names[NCOUNTS] = {
	"what went to another PE was open after pe_quiet",
	"a fence did not order what went to two PEs",
	"what went to its PE was open after pe_quiet",
};

static __host__ __device__ void try_all(uint64_t *words, unsigned *count, unsigned nrounds)
{
	const int other[2] = {0, 2}, first = 1;
	uint64_t round;

	for (round = 1; round <= nrounds; round++) {
		gshmem_uint64_p(words, round, 1);
		gshmem_uint64_p(words, round, 2);
		gshmem_pe_quiet(&first, 1);
		count[INCOMPLETE] += gshmem_uint64_g(words, 1) != round;
		count[OPEN] += gshmem_uint64_g(words, 2) != round;
		gshmem_pe_quiet(&first, 0);
		gshmem_pe_quiet(other, 2);
		count[INCOMPLETE] += gshmem_uint64_g(words, 2) != round;

		gshmem_uint64_p(words + 1, round, 1);
		gshmem_fence();
		gshmem_uint64_p(words + 1, round, 2);
		while (gshmem_uint64_g(words + 1, 2) != round)
			;
		count[TWO_PES] += gshmem_uint64_g(words + 1, 1) != round;
		gshmem_quiet();
	}
}

static __global__ void kernel(uint64_t *words, unsigned *count, unsigned nrounds)
{
	try_all(words, count, nrounds);
}

/* is_delayed: delays must be seen. Hosts that reach the heap by copies delay nothing. */
static int judge(const char *who, const unsigned *count, int is_delayed)
{
	int k, status = 0;

	for (k = 0; k < NCOUNTS; k++) {
		if ((k < NWEAK) == (count[k] != 0) || (k < NWEAK && !is_delayed))
			continue;
		fprintf(stderr, "%s: %s: %u times\n", who, names[k], count[k]);
		status = 1;
	}
	return status;
}

int main(void)
{
	const unsigned nrounds = 200;
	unsigned count[NCOUNTS] = {}, *device_count;
	uint64_t *words;
	int status = 0;

	gshmem_init();
	if (gshmem_n_pes() < 3) {
		gshmem_finalize();
		t_skip("needs 3 PEs");
	}
	words = (uint64_t *)gshmem_calloc(2, sizeof *words);
	if (gshmem_my_pe() == 0) {
		try_all(words, count, nrounds);
		status = judge("host", count, GSHMEMI_ARCH_HOST_DIRECT);
	}
	gshmem_barrier_all();
	t_memset(words, 0, 2 * sizeof *words);
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0) {
		t_hip(hipMalloc((void **)&device_count, sizeof count));
		t_memset(device_count, 0, sizeof count);
		hipLaunchKernelGGL(kernel, dim3(1), dim3(1), 0, 0, words, device_count, nrounds);
		t_hip(hipMemcpy(count, device_count, sizeof count, hipMemcpyDeviceToHost));
		status |= judge("kernel", count, 1);
	}
	gshmem_finalize();
	return status;
}
