/* SPDX-License-Identifier: BSD-3-Clause */
/* A flag bounces between two threads on two cores, one cache line each way: 0 with, 1 without pause. */
#include "raw.h"
#include <pthread.h>
static struct {
	_Alignas(128) uint64_t i;
} there, back;
static uint64_t end;

static void await(const uint64_t *flag, uint64_t i)
{
	for (unsigned n = 1; __atomic_load_n(flag, __ATOMIC_ACQUIRE) != i; n++)
		if (n % 1024 == 0)
			sched_yield();
		else if (variant == 0)
			PAUSE();
}

static void *answer(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)(1 % sysconf(_SC_NPROCESSORS_ONLN)), &set);
	sched_setaffinity(0, sizeof set, &set);
	while (back.i < end)
		await(&there.i, back.i + 1), __atomic_store_n(&back.i, back.i + 1, __ATOMIC_RELEASE);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argc, raw_open(argv);
	while (raw_ask()) {
		end = there.i + reps + 1, pthread_create(&thread, NULL, answer, NULL);
		for (uint64_t i = there.i + 1; i <= end; i++) {
			__atomic_store_n(&there.i, i, __ATOMIC_RELEASE), await(&back.i, i);
			if (i == end - reps)
				clock_gettime(CLOCK_MONOTONIC, &started); /* the two threads have met */
		}
		raw_answer(), pthread_join(thread, NULL);
	}
}
