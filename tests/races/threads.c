/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads of a PE do to each other, as tests/races/cases.hip: `threads NAME racy` must be reported once,
 * with the lines marked first and second, `threads NAME` not at all.
 */
#define _DEFAULT_SOURCE /* usleep */
#include <gshmem.h>
#include <gshmemx.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 8 };

static long *there; /* [N], symmetric */
static bool racy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_ready;
static atomic_int flag;
static atomic_long sum;
static volatile long sink;

static pthread_t start(void *(*function)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, arg))
		gshmem_global_exit(2);
	return thread;
}

/* A thread gets, and is joined after the use of what it got. */
static void *get(void *to)
{
	gshmem_long_get((long *)to, there, N, 1); /* first: join */
	return NULL;
}

static void join(void)
{
	long got[N] = {0};
	const pthread_t thread = start(get, got);

	if (!racy)
		pthread_join(thread, NULL);
	sink = got[3]; /* second: join */
	if (racy)
		pthread_join(thread, NULL);
}

/* The same for the last of more threads than there are strands. */
static void *get_again(void *to)
{
	gshmem_long_get((long *)to, there, N, 1); /* first: many */
	return NULL;
}

static void many(void)
{
	long got[N] = {0};
	pthread_t thread;
	int i;

	for (i = 0; i < 150; i++) {
		thread = start(get_again, got);
		if (i < 149 || !racy)
			pthread_join(thread, NULL);
	}
	sink = got[0]; /* second: many */
	if (racy)
		pthread_join(thread, NULL);
}

/* A barrier of one thread tells nothing of another one's put. */
static void *put(void *from)
{
	gshmem_long_put(there, (const long *)from, N, 1); /* first: untold */
	gshmem_quiet();
	return NULL;
}

static void untold(void)
{
	long from[N] = {0};
	pthread_t thread;

	if (gshmem_my_pe() == 0) {
		thread = start(put, from);
		if (!racy)
			pthread_join(thread, NULL);
		gshmem_barrier_all();
		if (racy)
			pthread_join(thread, NULL);
	} else {
		gshmem_barrier_all();
		if (gshmem_my_pe() == 1)
			sink = there[2]; /* second: untold */
	}
}

/* One of two threads does not take the mutex. */
static void *put_locked(void *from)
{
	pthread_mutex_lock(&mutex);
	gshmem_long_put(there, (const long *)from, N, 1); /* first: mutexes */
	gshmem_quiet();
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void mutexes(void)
{
	long from[N] = {0};
	const pthread_t thread = start(put_locked, from);

	if (!racy)
		pthread_mutex_lock(&mutex);
	gshmem_long_p(&there[1], 5, 1); /* second: mutexes */
	gshmem_quiet();
	if (!racy)
		pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

/* A thread does not wait for the condition. */
static void *get_and_say(void *to)
{
	gshmem_long_get((long *)to, there, N, 1); /* first: condition */
	pthread_mutex_lock(&mutex);
	is_ready = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void condition(void)
{
	long got[N] = {0};
	const pthread_t thread = start(get_and_say, got);

	if (!racy) {
		pthread_mutex_lock(&mutex);
		while (!is_ready)
			pthread_cond_wait(&changed, &mutex);
		pthread_mutex_unlock(&mutex);
	}
	sink = got[1]; /* second: condition */
	pthread_join(thread, NULL);
}

/* A relaxed atomic tells nothing. */
static void *get_and_store(void *to)
{
	gshmem_long_get((long *)to, there, N, 1); /* first: relaxed */
	if (racy)
		atomic_store_explicit(&flag, 1, memory_order_relaxed);
	else
		atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

static void relaxed(void)
{
	long got[N] = {0};
	const pthread_t thread = start(get_and_store, got);

	if (racy)
		while (!atomic_load_explicit(&flag, memory_order_relaxed))
			;
	else
		while (!atomic_load_explicit(&flag, memory_order_acquire))
			;
	sink = got[5]; /* second: relaxed */
	pthread_join(thread, NULL);
}

/* The threads of a region go on without a barrier. */
static void region(void)
{
	long got[N] = {0};

#pragma omp parallel num_threads(2)
	{
#pragma omp master
		gshmem_long_get(got, there, N, 1); /* first: region */
		if (!racy) {
#pragma omp barrier
		}
		atomic_fetch_add_explicit(&sum, got[6], memory_order_relaxed); /* second: region */
	}
}

/* A task that nobody waits for. */
static void task(void)
{
	long got[N] = {0};

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(got)
		{
			atomic_store_explicit(&flag, 1, memory_order_relaxed);
			gshmem_long_get(got, there, N, 1); /* first: task */
		}
		while (!atomic_load_explicit(
			&flag, memory_order_relaxed)) /* so that the other thread has it */
			usleep(10);
		if (!racy) {
#pragma omp taskwait
		}
		sink = got[4]; /* second: task */
	}
}

/* Sections that are not critical. */
static void put_in_turn(long *from, bool is_first)
{
	if (is_first)
		gshmem_long_put(there, from, N, 1); /* first: sections */
	else
		gshmem_long_p(&there[7], 1, 1); /* second: sections */
	gshmem_quiet();
}

static void sections(void)
{
	long from[N] = {0};

#pragma omp parallel num_threads(2)
	{
		const bool is_first = atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed) == 0;

		if (racy) {
			put_in_turn(from, is_first);
		} else {
#pragma omp critical
			put_in_turn(from, is_first);
		}
	}
}

/* Atomics of two types on one word. */
static void types(void)
{
	if (gshmem_my_pe() == 0)
		gshmem_int_atomic_add((int *)there, 1, 1); /* first: types */
	else if (gshmem_my_pe() == 2 && racy)
		gshmem_float_atomic_set((float *)there, 1, 1); /* second: types */
	else if (gshmem_my_pe() == 2)
		gshmem_int_atomic_set((int *)there, 1, 1);
}

static const struct {
	const char *name;
	void (*function)(void);
	bool is_alone; /* PE 0 calls it alone */
} cases[] = {{"join", join, true}, {"many", many, true}, {"untold", untold, false},
	{"mutexes", mutexes, true}, {"condition", condition, true}, {"relaxed", relaxed, true},
	{"region", region, true}, {"task", task, true}, {"sections", sections, true},
	{"types", types, false}};

int main(int argc, char **argv)
{
	int provided;
	unsigned i;

	if (gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, &provided) || provided != GSHMEM_THREAD_MULTIPLE)
		return 2;
	racy = argc > 2;
	there = gshmem_calloc(N, sizeof *there);
	for (i = 0; there && argc > 1 && i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(argv[1], cases[i].name) && (!cases[i].is_alone || gshmem_my_pe() == 0))
			cases[i].function();
	gshmem_barrier_all();
	gshmem_free(there);
	gshmem_finalize();
	return 0;
}
