/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a bench talks to its raw baseline: plain C, without gshmem. Each PE starts one
 * process, which inherits its core:
 *     NAME RANK NPROCS FILE
 * FILE is memory that all of them map: a page for meeting, then a segment for each process. A question on
 * stdin is "VARIANT NBYTES REPS WORKERS". The answer says how many ns REPS operations took, how often the
 * core was taken away meanwhile, and when the batch started. Ranks below WORKERS are asked; they meet first.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/*
 * The processor's instructions that raw variants use: a polling hint, a full fence, a
 * locked instruction, an increment.
 */
#ifdef __x86_64__
#define PAUSE()         __builtin_ia32_pause()
#define FENCE()         __asm__ volatile("mfence" ::: "memory")
#define LOCKED()        __asm__ volatile("lock orq $0,(%%rsp)" ::: "memory", "cc")
#define INCREMENT(word) __asm__ volatile("lock incq %0" : "+m"(*(word))::"cc")
#else
#ifdef __aarch64__
#define PAUSE() __asm__ volatile("isb" ::: "memory")
#else
#define PAUSE() ((void)0)
#endif
#define FENCE()         __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define LOCKED()        ((void)__atomic_fetch_or(&(uint64_t){0}, 0, __ATOMIC_SEQ_CST))
#define INCREMENT(word) ((void)__atomic_fetch_add(word, 1, __ATOMIC_RELAXED))
#endif

#define SEGMENT ((size_t)160 << 20)
static int rank, nprocs, variant, workers;
static unsigned long nbytes, reps, nmeetings;
static char *shared, *mine, *peers; /* own segment, and the next rank's */
static struct timespec started;
static struct rusage usage;

static void raw_open(char **argv)
{
	rank = atoi(argv[1]), nprocs = atoi(argv[2]);
	shared = (char *)mmap(
		NULL, 4096 + nprocs * SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, open(argv[3], O_RDWR), 0);
	if (shared == MAP_FAILED)
		exit(1);
	mine = shared + 4096 + rank * SEGMENT, peers = shared + 4096 + (rank + 1) % nprocs * SEGMENT;
}

/* Wait for a question; returns 0 after the last one. The clock runs from here to raw_answer. */
static int raw_ask(void)
{
	if (scanf("%d %lu %lu %d", &variant, &nbytes, &reps, &workers) != 4)
		return 0;
	nmeetings += (unsigned long)workers;
	__atomic_fetch_add((unsigned long *)shared, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n((unsigned long *)shared, __ATOMIC_ACQUIRE) < nmeetings)
		sched_yield();
	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_MONOTONIC, &started);
	return 1;
}

static void raw_answer(void)
{
	long npreempted = usage.ru_nivcsw;
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.0f %ld %ld%09ld\n",
		(double)(t.tv_sec - started.tv_sec) * 1e9 + (double)(t.tv_nsec - started.tv_nsec),
		usage.ru_nivcsw - npreempted, (long)started.tv_sec, started.tv_nsec);
	fflush(stdout);
}

/*
 * Call between two polls. Yields the core every time if there are more processes
 * than cores, else now and then.
 */
static inline void relax(int pause)
{
	static unsigned npolls, ncores;

	if (!ncores)
		ncores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	if (++npolls % ((unsigned)nprocs > ncores ? 1 : 1024) == 0)
		sched_yield();
	else if (pause)
		PAUSE();
}
