/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* platform: cpu */
/* nodes: no, which PEs share the cores is not known there */
/* delivery: no, the delivery thread's own waits are none of this */
/*
 * A loop around a test call yields the core as a wait does: after a few vain calls if PEs outnumber cores,
 * and much later if each PE has a core. In kernels and on the host. Each PE has one core here.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers.h"

enum { NLOOKS = 200, FEW = 100 }; /* a yield in 16 where PEs outnumber cores, in 1024 elsewhere */

static __thread long nyields;

/* Replaces the C library's function. */
extern "C" int sched_yield(void) noexcept
{
	nyields++;
	return (int)syscall(SYS_sched_yield);
}

struct memory {
	long *words; /* [4], all 0 */
	uint64_t *sig;
	long *lock; /* someone holds it */
};

enum {
	TEST,
	TEST_ALL,
	TEST_ANY,
	TEST_SOME,
	TEST_ALL_VECTOR,
	TEST_ANY_VECTOR,
	TEST_SOME_VECTOR,
	TEST_LOCK,
	NKERNEL,
	SIGNAL_FETCH = NKERNEL,
	COMPARE_SWAP,
	NHOST
};
static const char *const names[NHOST] = {
	"test",
	"test_all",
	"test_any",
	"test_some",
	"test_all_vector",
	"test_any_vector",
	"test_some_vector",
	"test_lock",
	"signal_fetch",
	"atomic_compare_swap",
};

/* Calls once; returns 1 if the call was in vain. */
static __host__ __device__ int look(int how, struct memory m)
{
	const long ones[4] = {1, 1, 1, 1};
	size_t indices[4];

	switch (how) {
	case TEST:
		return !gshmem_long_test(m.words, GSHMEM_CMP_EQ, 1);
	case TEST_ALL:
		return !gshmem_long_test_all(m.words, 4, NULL, GSHMEM_CMP_EQ, 1);
	case TEST_ANY:
		return gshmem_long_test_any(m.words, 4, NULL, GSHMEM_CMP_EQ, 1) == SIZE_MAX;
	case TEST_SOME:
		return !gshmem_long_test_some(m.words, 4, indices, NULL, GSHMEM_CMP_EQ, 1);
	case TEST_ALL_VECTOR:
		return !gshmem_long_test_all_vector(m.words, 4, NULL, GSHMEM_CMP_EQ, ones);
	case TEST_ANY_VECTOR:
		return gshmem_long_test_any_vector(m.words, 4, NULL, GSHMEM_CMP_EQ, ones) == SIZE_MAX;
	case TEST_SOME_VECTOR:
		return !gshmem_long_test_some_vector(m.words, 4, indices, NULL, GSHMEM_CMP_EQ, ones);
	case TEST_LOCK:
		return gshmem_test_lock(m.lock);
	case SIGNAL_FETCH:
		return gshmem_signal_fetch(m.sig) == 0;
	default:
		return gshmem_long_atomic_compare_swap(m.words, 1, 2, gshmem_my_pe()) != 1;
	}
}

/* How often nlooks vain calls yield. */
static __host__ __device__ long count(int how, struct memory m, int nlooks)
{
	const long before = nyields;

	for (int i = 0; i < nlooks; i++)
		t_check(look(how, m), "%s is not in vain", names[how]);
	return nyields - before;
}

__global__ static void in_kernel(int how, struct memory m, int nlooks, long *counted)
{
	*counted = count(how, m, nlooks);
}

static void check(int how, const char *where, long counted, int nlooks, int npes)
{
	if (npes > 1)
		t_check(counted > 0,
			"%s, %s: %d looks in vain, and PEs outnumber cores: expected a yield, got none",
			where, names[how], nlooks);
	else if (GSHMEMI_ARCH_HOST_DIRECT)
		t_check(counted <= 1,
			"%s, %s: %d looks in vain, each PE has a core: expected at most one yield, got %ld",
			where, names[how], nlooks, counted);
}

int main(void)
{
	cpu_set_t one;
	struct memory m;
	long *counted;
	void *ptr;

	/* Init asks how many cores there are. */
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	t_check(!sched_setaffinity(0, sizeof one, &one), "sched_setaffinity: %m");
	gshmem_init();
	m.words = (long *)gshmem_calloc(4, sizeof(long));
	m.sig = (uint64_t *)gshmem_calloc(1, sizeof(uint64_t));
	m.lock = (long *)gshmem_calloc(1, sizeof(long));
	t_hip(hipHostMalloc(&ptr, sizeof *counted, hipHostMallocMapped));
	counted = (long *)ptr;
	if (gshmem_my_pe() == 0)
		gshmem_set_lock(m.lock);
	gshmem_barrier_all();
	for (int how = 0; how < NHOST; how++) {
		const int nlooks = gshmem_n_pes() > 1 ? NLOOKS : FEW;

		check(how, "host", count(how, m, nlooks), nlooks, gshmem_n_pes());
		if (how >= NKERNEL)
			continue;
		hipLaunchKernelGGL(in_kernel, dim3(1), dim3(1), 0, 0, how, m, nlooks, counted);
		t_hip(hipDeviceSynchronize());
		check(how, "kernel", *counted, nlooks, gshmem_n_pes());
	}
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0)
		gshmem_clear_lock(m.lock);
	gshmem_finalize();
	return 0;
}
