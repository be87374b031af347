/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What orders the threads of a program: they are made and joined, and use mutexes, conditions, barriers,
 * semaphores. A lock tells those who take it later all that was told when it was given back, as a mark.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>

#include "block.h"
#include "runtime.h"
#include "race/race.h"
#include "race/wrap.h"

#define NMARKS 4096 /* a power of two: for the atomics of threads, which share them */

const void *race_thread_mark(const void *address)
{
	static const char marks[NMARKS];

	if (!race_has_threads || hipcpu_block)
		return NULL;
	return &marks[race_hash((uintptr_t)address) >> 52];
}

/* ---- threads ---- */

struct start {
	void *(*main)(void *);
	int (*c11_main)(void *); /* or NULL */
	void *arg;
};

/* The stack may have been another thread's. */
static void forget_stack(void)
{
	pthread_attr_t attributes;
	size_t nbytes;
	void *base;

	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &base, &nbytes))
		hipcpu_race_fresh(base, nbytes);
	pthread_attr_destroy(&attributes);
}

static void end(void *unused)
{
	(void)unused;
	hipcpu_race_release((const void *)pthread_self());
	race_thread_end();
}

static void *begin(void *arg)
{
	struct start start = *(struct start *)arg;
	void *result;

	race_thread_begin();
	hipcpu_race_acquire_mark(arg);
	hipcpu_race_forget(arg);
	free(arg);
	forget_stack();
	pthread_cleanup_push(end, NULL);
	if (start.c11_main)
		result = (void *)(intptr_t)start.c11_main(start.arg);
	else
		result = start.main(start.arg);
	pthread_cleanup_pop(1);
	return result;
}

static int create(pthread_t *thread, const pthread_attr_t *attributes, struct start start)
{
	struct start *copy = malloc(sizeof *copy);
	int rc;

	if (!copy)
		return EAGAIN;
	*copy = start;
	race_has_threads = true;
	hipcpu_race_release(copy);
	rc = pthread_create(thread, attributes, begin, copy);
	if (rc) {
		hipcpu_race_forget(copy);
		free(copy);
	}
	return rc;
}

WRAP(int, pthread_create,
	(pthread_t * thread, const pthread_attr_t *attributes, void *(*main)(void *), void *arg))
{
	return create(thread, attributes, (struct start){.main = main, .arg = arg});
}

WRAP(int, thrd_create, (thrd_t * thread, thrd_start_t main, void *arg))
{
	const int rc = create(thread, NULL, (struct start){.c11_main = main, .arg = arg});

	return !rc ? thrd_success : rc == EAGAIN ? thrd_nomem : thrd_error;
}

static void joined(pthread_t thread)
{
	hipcpu_race_acquire_mark((const void *)thread);
	hipcpu_race_forget((const void *)thread);
	race_thread_joined(thread);
}

WRAP(int, pthread_join, (pthread_t thread, void **result))
{
	const int rc = pthread_join(thread, result);

	if (!rc)
		joined(thread);
	return rc;
}

WRAP(int, thrd_join, (thrd_t thread, int *result))
{
	void *value;
	const int rc = pthread_join(thread, &value);

	if (rc)
		return thrd_error;
	joined(thread);
	if (result)
		*result = (int)(intptr_t)value;
	return thrd_success;
}

/* ---- what is taken and given back ---- */

#define WRAP_TAKE(NAME, PARAMETERS, ARGUMENTS, OBJECT) \
	WRAP(int, NAME, PARAMETERS) \
	{ \
		const int rc = NAME ARGUMENTS; \
\
		if (!rc || rc == EOWNERDEAD) \
			hipcpu_race_acquire_mark((const void *)(OBJECT)); \
		return rc; \
	}
#define WRAP_GIVE(NAME, PARAMETERS, OBJECT) \
	WRAP(int, NAME, PARAMETERS) \
	{ \
		hipcpu_race_release((const void *)(OBJECT)); \
		return NAME(OBJECT); \
	}
/* Gives the mutex back, waits, and takes it. */
#define WRAP_WAIT(NAME, PARAMETERS, ARGUMENTS, MUTEX) \
	WRAP(int, NAME, PARAMETERS) \
	{ \
		int rc; \
\
		hipcpu_race_release(MUTEX); \
		rc = NAME ARGUMENTS; \
		hipcpu_race_acquire_mark(MUTEX); \
		return rc; \
	}

typedef const struct timespec *restrict until;

WRAP_TAKE(pthread_mutex_lock, (pthread_mutex_t * m), (m), m)
WRAP_TAKE(pthread_mutex_trylock, (pthread_mutex_t * m), (m), m)
WRAP_TAKE(pthread_mutex_timedlock, (pthread_mutex_t *restrict m, until t), (m, t), m)
WRAP_TAKE(pthread_mutex_clocklock, (pthread_mutex_t *restrict m, clockid_t c, until t), (m, c, t), m)
WRAP_GIVE(pthread_mutex_unlock, (pthread_mutex_t * m), m)
WRAP_TAKE(pthread_spin_lock, (pthread_spinlock_t * l), (l), l)
WRAP_TAKE(pthread_spin_trylock, (pthread_spinlock_t * l), (l), l)
WRAP_GIVE(pthread_spin_unlock, (pthread_spinlock_t * l), l)
WRAP_TAKE(pthread_rwlock_rdlock, (pthread_rwlock_t * l), (l), l)
WRAP_TAKE(pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l), l)
WRAP_TAKE(pthread_rwlock_timedrdlock, (pthread_rwlock_t *restrict l, until t), (l, t), l)
WRAP_TAKE(pthread_rwlock_wrlock, (pthread_rwlock_t * l), (l), l)
WRAP_TAKE(pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l), l)
WRAP_TAKE(pthread_rwlock_timedwrlock, (pthread_rwlock_t *restrict l, until t), (l, t), l)
WRAP_GIVE(pthread_rwlock_unlock, (pthread_rwlock_t * l), l)
WRAP_TAKE(sem_wait, (sem_t * s), (s), s)
WRAP_TAKE(sem_trywait, (sem_t * s), (s), s)
WRAP_TAKE(sem_timedwait, (sem_t *restrict s, until t), (s, t), s)
WRAP_GIVE(sem_post, (sem_t * s), s)
WRAP_WAIT(pthread_barrier_wait, (pthread_barrier_t * b), (b), b)
WRAP_WAIT(pthread_cond_wait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m), (c, m), m)
WRAP_WAIT(pthread_cond_timedwait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, until t),
	(c, m, t), m)
WRAP_WAIT(pthread_cond_clockwait,
	(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t k, until t), (c, m, k, t), m)
WRAP_TAKE(mtx_lock, (mtx_t * m), (m), m)
WRAP_TAKE(mtx_trylock, (mtx_t * m), (m), m)
WRAP_TAKE(mtx_timedlock, (mtx_t *restrict m, until t), (m, t), m)
WRAP_GIVE(mtx_unlock, (mtx_t * m), m)
WRAP_WAIT(cnd_wait, (cnd_t * c, mtx_t *m), (c, m), m)
WRAP_WAIT(cnd_timedwait, (cnd_t *restrict c, mtx_t *restrict m, until t), (c, m, t), m)

/* ---- what runs once ---- */

static __thread void (*once)(void) HIPCPU_TLS;
static __thread const void *once_mark HIPCPU_TLS;

/* Tells before the call that runs it returns, for which others wait. */
static void run_once(void)
{
	const void *const mark = once_mark;

	once();
	hipcpu_race_release(mark);
}

WRAP(int, pthread_once, (pthread_once_t * control, void (*function)(void)))
{
	int rc;

	once = function;
	once_mark = control;
	rc = pthread_once(control, run_once);
	hipcpu_race_acquire_mark(control);
	return rc;
}

WRAP(void, call_once, (once_flag * flag, void (*function)(void)))
{
	once = function;
	once_mark = flag;
	call_once(flag, run_once);
	hipcpu_race_acquire_mark(flag);
}

/* ---- memory that is allocated anew ---- */

static void *anew(void *memory, size_t nbytes)
{
	if (memory && race_has_threads)
		hipcpu_race_fresh(memory, nbytes);
	return memory;
}

WRAP(void *, malloc, (size_t nbytes))
{
	return anew(malloc(nbytes), nbytes);
}

WRAP(void *, calloc, (size_t n, size_t nbytes))
{
	return anew(calloc(n, nbytes), n * nbytes);
}

WRAP(void *, aligned_alloc, (size_t align, size_t nbytes))
{
	return anew(aligned_alloc(align, nbytes), nbytes);
}

WRAP(int, posix_memalign, (void **memory_p, size_t align, size_t nbytes))
{
	const int rc = posix_memalign(memory_p, align, nbytes);

	if (!rc)
		(void)anew(*memory_p, nbytes);
	return rc;
}

/* The old bytes keep what was done to them, if they stay where they are. */
WRAP(void *, realloc, (void *old, size_t nbytes))
{
	const uintptr_t before = (uintptr_t)old;
	void *memory = realloc(old, nbytes);

	return (uintptr_t)memory == before ? memory : anew(memory, nbytes);
}

/* C++'s new: operator new(size_t), new[], and both with an alignment. */
#define WRAP_NEW(NAME, PARAMETERS, ARGUMENTS) \
	extern void *NAME PARAMETERS __attribute__((weak)); \
	WRAP(void *, NAME, PARAMETERS) \
	{ \
		return anew(NAME ARGUMENTS, nbytes); \
	}

WRAP_NEW(_Znwm, (size_t nbytes), (nbytes))
WRAP_NEW(_Znam, (size_t nbytes), (nbytes))
WRAP_NEW(_ZnwmSt11align_val_t, (size_t nbytes, size_t align), (nbytes, align))
WRAP_NEW(_ZnamSt11align_val_t, (size_t nbytes, size_t align), (nbytes, align))
