/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* env: GSHMEM_CARRY=all GSHMEM_HEAP_SIZE=4m */
/* platform: cpu */
/* delivery: no */
/* carry: no, it says who is carried */
/* net: no, likewise */
/* nodes: no, likewise */
/* links: inner */
/*
 * Fence and quiet look at the net only while something may be open there: GSHMEMI_WHY_ASKED is set in this
 * unit's state as soon as a host or a kernel has asked for an operation, and cleared when a quiet finds
 * nothing open. Requests of kernels under an earlier init do not count.
 */
#include <hip/hip_runtime.h>
#include <unistd.h>
#include "oracle.h"

extern "C" bool gshmemi_net_may_be_open(void);

enum { NPUTS = 200, NTRIES = 1000000 };

struct seen {
	int not_asked;   /* puts after which the bit was not set */
	int not_settled; /* quiets after which it stayed */
	uint64_t carried, arrived;
};

static __host__ __device__ bool is_asked(void)
{
	return gshmemi_is_slow(GSHMEMI_WHY_ASKED);
}

/* Whether the bit gets cleared; barriers' messages are acknowledged later. */
static __host__ __device__ bool settles(void)
{
	unsigned polls = 0;
	int i;

	for (i = 0; i < NTRIES && is_asked(); i++) {
		gshmem_quiet();
		gshmemi_arch_pause(&polls);
	}
	return !is_asked();
}

static __host__ __device__ void put(long *dest, int n, struct seen *seen)
{
	int i;

	for (i = 0; i < n; i++) {
		seen->not_settled += !settles();
		gshmem_long_p(&dest[i], i + 1, 1);
		seen->not_asked += !is_asked();
		gshmem_quiet();
	}
}

static __global__ void kernel(long *dest, int n, struct seen *seen)
{
	put(dest, n, seen);
	seen->carried = gshmemi_state.rpc.posts->carried;
	seen->arrived = gshmemi_state.rpc.posts->arrived;
}

static void check(const struct seen *seen, const char *who)
{
	t_check(!seen->not_asked, "%s: quiet did not know of %d of its puts", who, seen->not_asked);
	t_check(!seen->not_settled, "%s: %d times nothing was open, and quiet looked all the same", who,
		seen->not_settled);
	t_equal(seen->arrived, seen->carried, "requests that are known to have arrived");
}

static void run(int nputs)
{
	struct seen *seen, mine = {0, 0, 0, 0};
	long *dest;
	int i;

	gshmem_init();
	t_equal(is_asked(), gshmemi_net_may_be_open(), "the bit after init");
	dest = (long *)gshmem_calloc(2 * NPUTS, sizeof *dest);
	t_hip(hipHostMalloc((void **)&seen, sizeof *seen, hipHostMallocMapped));
	*seen = mine;
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0) {
		put(dest, nputs, &mine);
		check(&mine, "a host");
		hipLaunchKernelGGL(kernel, dim3(1), dim3(1), 0, 0, dest + NPUTS, nputs, seen);
		t_hip(hipDeviceSynchronize());
		check(seen, "a kernel");
	}
	gshmem_barrier_all();
	for (i = 0; gshmem_my_pe() == 1 && i < nputs; i++) {
		t_equal(dest[i], i + 1, "a host's put");
		t_equal(dest[NPUTS + i], i + 1, "a kernel's put");
	}
	t_hip(hipHostFree(seen));
	gshmem_finalize();
}

int main(void)
{
	if (!GSHMEMI_ARCH_HOST_DIRECT) /* which does not have the bit, either */
		t_skip("the CPU does not reach the heap");
	run(NPUTS);
	run(NPUTS / 2);
	return 0;
}
