/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks that loop around a test give way to other processes, also if their lanes meet in cross-lane calls
 * between two tests. Threads that only poll can keep other processes off all cores. Tests of which each takes
 * long, as those of many lanes under a sanitizer do, are each followed by a yield, on the host as well.
 */
#include <hip/hip_runtime.h>
#include <dlfcn.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "helpers.h"

enum { NBLOCKS = 8, NLANES = 64, SLOW_NS = 20000 };

static unsigned ngiven; /* yields, of any thread */

extern "C" int sched_yield(void) noexcept
{
	static int (*const real)(void) = (int (*)(void))dlsym(RTLD_NEXT, "sched_yield");

	__atomic_fetch_add(&ngiven, 1, __ATOMIC_RELAXED);
	return real();
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void spend(unsigned ns)
{
	const uint64_t started_ns = now_ns();

	while (now_ns() - started_ns < ns)
		;
}

/* nmet counts rounds of tests, of which each takes so long. */
__global__ void test_often(const int *go, unsigned *nmet, unsigned ns)
{
	unsigned polls;

	while (!__atomic_load_n(go, __ATOMIC_ACQUIRE)) {
		polls = 1; /* a test of its own, each time */
		hipcpu_pause(&polls);
		if (ns)
			spend(ns);
		if (__ballot(1) && threadIdx.x == 0)
			__atomic_fetch_add(nmet, 1, __ATOMIC_RELAXED);
	}
}

static void check(int nlanes, unsigned ns)
{
	unsigned *nmet, given, met;
	int *go;

	t_hip(hipHostMalloc((void **)&go, sizeof *go));
	t_hip(hipHostMalloc((void **)&nmet, sizeof *nmet));
	*go = 0;
	*nmet = 0;
	hipLaunchKernelGGL(test_often, dim3(NBLOCKS), dim3((unsigned)nlanes), 0, 0, go, nmet, ns);
	while (__atomic_load_n(nmet, __ATOMIC_RELAXED) < 1000)
		usleep(1000);
	given = __atomic_load_n(&ngiven, __ATOMIC_RELAXED);
	met = __atomic_load_n(nmet, __ATOMIC_RELAXED);
	while (__atomic_load_n(nmet, __ATOMIC_RELAXED) - met < 1000)
		usleep(1000);
	met = __atomic_load_n(nmet, __ATOMIC_RELAXED) - met;
	given = __atomic_load_n(&ngiven, __ATOMIC_RELAXED) - given;
	__atomic_store_n(go, 1, __ATOMIC_RELEASE);
	t_hip(hipDeviceSynchronize());
	t_check(given > met / 2, "%u times given way in %u rounds of tests of %u ns by %d lanes", given, met,
		ns, nlanes);
	t_hip(hipHostFree(nmet));
	t_hip(hipHostFree(go));
}

/* The same of a thread of the host. */
static void check_host(unsigned ns)
{
	const unsigned given = ngiven, nrounds = 1000;

	for (unsigned round = 0; round < nrounds; round++) {
		unsigned polls = 1;

		hipcpu_pause(&polls);
		spend(ns);
	}
	t_check(ngiven - given > nrounds / 2,
		"the host has given way %u times in %u rounds of tests of %u ns", ngiven - given, nrounds,
		ns);
}

int main(void)
{
	cpu_set_t one;

	CPU_ZERO(&one); /* fewer cores than blocks, on any machine */
	CPU_SET(sched_getcpu(), &one);
	t_equal(sched_setaffinity(0, sizeof one, &one), 0, "sched_setaffinity");
	check(NLANES, 0);
	check(1, SLOW_NS);
	hipcpu_share_cores(2);
	check_host(SLOW_NS);
	return 0;
}
