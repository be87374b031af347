/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy NBYTES through a buffer: one thread copies into it, and a thread on another core copies out of it, in
 * turn. The buffer has 0: 4 KiB; 1: 64 KiB. One thread copies both ways through 2: 4 KiB; 3: 64 KiB.
 */
#include "raw.h"
#include <pthread.h>
static struct {
	_Alignas(128) uint64_t i;
} there, back;
static _Alignas(4096) char source[1 << 20], buffer[1 << 16], dest[1 << 20];
static unsigned long part;
static uint64_t end;

static void await(const uint64_t *flag, uint64_t i)
{
	for (unsigned n = 1; __atomic_load_n(flag, __ATOMIC_ACQUIRE) != i; n++)
		if (n % 1024 == 0)
			sched_yield();
		else
			PAUSE();
}

static void *take(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)(1 % sysconf(_SC_NPROCESSORS_ONLN)), &set);
	sched_setaffinity(0, sizeof set, &set);
	for (unsigned long at = 0; back.i < end; at = (at + part) % nbytes) {
		await(&there.i, back.i + 1), memcpy(dest + at, buffer, part);
		__atomic_store_n(&back.i, back.i + 1, __ATOMIC_RELEASE);
	}
	return arg;
}

/* Copy one part; alone: both ways. */
static void pass(unsigned long at, int alone)
{
	memcpy(buffer, source + at, part);
	__asm__ volatile("" ::: "memory");
	if (alone)
		memcpy(dest + at, buffer, part);
	else
		__atomic_store_n(&there.i, there.i + 1, __ATOMIC_RELEASE), await(&back.i, there.i);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argc, raw_open(argv), memset(source, 1, sizeof source), memset(dest, 1, sizeof dest);
	while (raw_ask()) {
		part = variant % 2 ? sizeof buffer : 4096, part = nbytes < part ? nbytes : part;
		end = there.i + (reps + 1) * (nbytes / part);
		if (variant < 2)
			pthread_create(&thread, NULL, take, NULL);
		for (unsigned long n = 0; n <= reps; n++) {
			for (unsigned long at = 0; at < nbytes; at += part)
				pass(at, variant >= 2);
			if (n == 0)
				clock_gettime(CLOCK_MONOTONIC, &started); /* the two threads have met */
		}
		raw_answer();
		if (variant < 2)
			pthread_join(thread, NULL);
	}
}
