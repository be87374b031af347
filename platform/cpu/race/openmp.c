/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What orders the threads of an OpenMP program that gcc has compiled: it calls libgomp, whose functions these
 * take the place of. A parallel region begins after what its caller did, and the caller goes on after what all
 * threads did; a barrier, critical and ordered sections, locks and tasks order what they do.
 *
 * Iterations that wait for each other (doacross) and taskloop say too little by their calls. From the first of
 * these on all threads are one strand: races between them are missed then, and none is reported falsely.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "runtime.h"
#include "race/race.h"
#include "race/wrap.h"

/* What threads of a parallel region tell each other; two marks for barriers. */
enum { BEGIN, END, MEET, COPY = MEET + 2, ORDERED, SPAWN, DONE, NMARKS };

/* A parallel region. */
struct team {
	void (*function)(void *);
	void *data;
	pthread_t master;
	_Atomic unsigned nbegun; /* threads */
	char marks[NMARKS];      /* their addresses are marks */
};
static struct team alone; /* outside of regions */
static char critical, atomic;
static __thread struct team *team HIPCPU_TLS;
static __thread unsigned nmet HIPCPU_TLS; /* barriers of the team; parity: which of its two marks is next */
static __thread bool has_section HIPCPU_TLS; /* of the sections that the thread is in */

static const char *mark_of(int what)
{
	return &(team ? team : &alone)->marks[what];
}

/* libgomp's function has this name. The library is not linked with it. */
#define WRAP_OMP(NAME, TYPE, PARAMETERS) \
	extern TYPE NAME PARAMETERS __attribute__((weak)); \
	WRAP(TYPE, NAME, PARAMETERS)

/* ---- regions ---- */

static void run(void *arg)
{
	struct team *const outer = team, *const mine = arg;
	const unsigned outer_nmet = nmet;

	if (!pthread_equal(mine->master, pthread_self()))
		race_thread_begin();
	hipcpu_race_acquire_mark(&mine->marks[BEGIN]);
	team = mine;
	nmet = 0;
	has_section = false;
	mine->nbegun++;
	mine->function(mine->data);
	hipcpu_race_release(&mine->marks[END]);
	team = outer;
	nmet = outer_nmet;
}

static struct team team_open(void (*function)(void *), void *data)
{
	race_has_threads = true;
	return (struct team){.function = function, .data = data, .master = pthread_self()};
}

static void team_close(struct team *t)
{
	const char *mark;

	hipcpu_race_acquire_mark(&t->marks[END]);
	hipcpu_race_acquire_mark(&t->marks[DONE]);
	for (mark = t->marks; mark < t->marks + NMARKS; mark++)
		hipcpu_race_forget(mark);
}

#define FUNCTION void (*function)(void *), void *data, unsigned n
#define RANGE    long begin, long end, long step

#define WRAP_PARALLEL(NAME, PARAMETERS, ...) \
	WRAP_OMP(NAME, void, PARAMETERS) \
	{ \
		struct team t = team_open(function, data); \
\
		hipcpu_race_release(&t.marks[BEGIN]); \
		NAME(run, &t, n, __VA_ARGS__); \
		team_close(&t); \
	}
#define WRAP_LOOP(NAME) \
	WRAP_PARALLEL(NAME, (FUNCTION, RANGE, long chunk, unsigned flags), begin, end, step, chunk, flags)
#define WRAP_RUNTIME_LOOP(NAME) \
	WRAP_PARALLEL(NAME, (FUNCTION, RANGE, unsigned flags), begin, end, step, flags)

WRAP_PARALLEL(GOMP_parallel, (FUNCTION, unsigned flags), flags)
WRAP_PARALLEL(GOMP_parallel_sections, (FUNCTION, unsigned count, unsigned flags), count, flags)
WRAP_LOOP(GOMP_parallel_loop_static)
WRAP_LOOP(GOMP_parallel_loop_dynamic)
WRAP_LOOP(GOMP_parallel_loop_guided)
WRAP_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
WRAP_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
WRAP_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
WRAP_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
WRAP_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

WRAP_OMP(GOMP_parallel_reductions, unsigned, (FUNCTION, unsigned flags))
{
	struct team t = team_open(function, data);
	unsigned got;

	hipcpu_race_release(&t.marks[BEGIN]);
	got = GOMP_parallel_reductions(run, &t, n, flags);
	team_close(&t);
	return got;
}

/* ---- inside ---- */

/* A thread is never two barriers ahead of another one, so two marks take turns. Barriers end tasks, too. */
static const char *arrive(void)
{
	const char *mark = mark_of(MEET + (int)(nmet++ & 1));

	hipcpu_race_release(mark);
	has_section = false;
	return mark;
}

static void leave(const char *mark)
{
	hipcpu_race_acquire_mark(mark);
	hipcpu_race_acquire_mark(mark_of(DONE));
}

#define WRAP_MEET(NAME) \
	WRAP_OMP(NAME, void, (void)) \
	{ \
		const char *mark = arrive(); \
\
		NAME(); \
		leave(mark); \
	}
#define WRAP_MEET_OR_CANCEL(NAME) \
	WRAP_OMP(NAME, bool, (void)) \
	{ \
		const char *mark = arrive(); \
		const bool is_cancelled = NAME(); \
\
		leave(mark); \
		return is_cancelled; \
	}
#define WRAP_TAKE(NAME, MARK) \
	WRAP_OMP(NAME, void, (void)) \
	{ \
		NAME(); \
		hipcpu_race_acquire_mark(MARK); \
	}
#define WRAP_GIVE(NAME, MARK) \
	WRAP_OMP(NAME, void, (void)) \
	{ \
		hipcpu_race_release(MARK); \
		NAME(); \
	}

WRAP_MEET(GOMP_barrier)
WRAP_MEET(GOMP_loop_end)
WRAP_MEET(GOMP_sections_end)
WRAP_MEET_OR_CANCEL(GOMP_barrier_cancel)
WRAP_MEET_OR_CANCEL(GOMP_loop_end_cancel)
WRAP_MEET_OR_CANCEL(GOMP_sections_end_cancel)
WRAP_TAKE(GOMP_critical_start, &critical)
WRAP_GIVE(GOMP_critical_end, &critical)
WRAP_TAKE(GOMP_atomic_start, &atomic)
WRAP_GIVE(GOMP_atomic_end, &atomic)
WRAP_TAKE(GOMP_ordered_start, mark_of(ORDERED))
WRAP_GIVE(GOMP_ordered_end, mark_of(ORDERED))
WRAP_TAKE(GOMP_taskwait, mark_of(DONE))
WRAP_TAKE(GOMP_taskgroup_end, mark_of(DONE))

#define WRAP_TAKE_OBJECT(NAME) \
	WRAP_OMP(NAME, void, (void *object)) \
	{ \
		NAME(object); \
		hipcpu_race_acquire_mark(object); \
	}
#define WRAP_TEST_OBJECT(NAME) \
	WRAP_OMP(NAME, int, (void *object)) \
	{ \
		const int got = NAME(object); \
\
		if (got) \
			hipcpu_race_acquire_mark(object); \
		return got; \
	}
#define WRAP_GIVE_OBJECT(NAME) \
	WRAP_OMP(NAME, void, (void *object)) \
	{ \
		hipcpu_race_release(object); \
		NAME(object); \
	}

WRAP_TAKE_OBJECT(GOMP_critical_name_start)
WRAP_GIVE_OBJECT(GOMP_critical_name_end)
WRAP_TAKE_OBJECT(omp_set_lock)
WRAP_TEST_OBJECT(omp_test_lock)
WRAP_GIVE_OBJECT(omp_unset_lock)
WRAP_TAKE_OBJECT(omp_set_nest_lock)
WRAP_TEST_OBJECT(omp_test_nest_lock)
WRAP_GIVE_OBJECT(omp_unset_nest_lock)

/* ---- sections ---- */

extern int omp_get_num_threads(void) __attribute__((weak));

/*
 * Sections that one thread performs are ordered by chance. Whoever has performed one lets the others come and
 * take theirs, for 10 ms at most.
 */
static void await_others(void)
{
	const struct timespec nap = {0, 200000};
	unsigned n;

	for (n = 0; n < 50 && team && team->nbegun < (unsigned)omp_get_num_threads(); n++)
		nanosleep(&nap, NULL);
	nanosleep(&nap, NULL);
}

WRAP_OMP(GOMP_sections_start, unsigned, (unsigned count))
{
	has_section = true;
	return GOMP_sections_start(count);
}

WRAP_OMP(GOMP_sections_next, unsigned, (void))
{
	if (has_section)
		await_others();
	has_section = true;
	return GOMP_sections_next();
}

WRAP_OMP(GOMP_sections_end_nowait, void, (void))
{
	has_section = false;
	GOMP_sections_end_nowait();
}

/* ---- copies ---- */

/* One thread of the team has made what the others copy; it is the one that gets NULL. */
WRAP_OMP(GOMP_single_copy_start, void *, (void))
{
	void *copied = GOMP_single_copy_start();

	if (copied)
		hipcpu_race_acquire_mark(mark_of(COPY));
	return copied;
}

WRAP_OMP(GOMP_single_copy_end, void, (void *made))
{
	hipcpu_race_release(mark_of(COPY));
	GOMP_single_copy_end(made);
}

/* ---- tasks ---- */

/* What libgomp copies in place of a task's data, which are offset bytes behind it then. */
struct task {
	void (*function)(void *), (*copy)(void *, void *);
	void *data; /* of the caller; not of a copy */
	size_t nbytes, offset;
	bool depends;
};

static void copy_task(void *to, void *from)
{
	const struct task *task = from;
	void *data = (char *)to + task->offset;

	memcpy(to, from, sizeof *task);
	if (task->copy)
		task->copy(data, task->data);
	else
		memcpy(data, task->data, task->nbytes);
}

static void run_task(void *arg)
{
	const struct task *task = arg;

	hipcpu_race_acquire_mark(mark_of(SPAWN));
	if (task->depends)
		hipcpu_race_acquire_mark(mark_of(DONE));
	task->function((char *)arg + task->offset);
	hipcpu_race_release(mark_of(DONE));
}

WRAP_OMP(GOMP_task, void,
	(void (*function)(void *), void *data, void (*copy)(void *, void *), long nbytes, long align,
		bool condition, unsigned flags, void **depend, int priority, void *detach))
{
	const long least = align > 64 ? align : 64;
	struct task task = {function, copy, data, (size_t)nbytes, 0, depend != NULL};

	task.offset = (sizeof task + (size_t)least - 1) / (size_t)least * (size_t)least;
	hipcpu_race_release(mark_of(SPAWN));
	GOMP_task(run_task, &task, copy_task, (long)task.offset + nbytes, least, condition, flags, depend,
		priority, detach);
	if (!condition)
		hipcpu_race_acquire_mark(mark_of(DONE));
}

WRAP_OMP(GOMP_taskwait_depend, void, (void **depend))
{
	GOMP_taskwait_depend(depend);
	hipcpu_race_acquire_mark(mark_of(DONE));
}

#define TASKLOOP(TYPE) \
	(void (*function)(void *), void *data, void (*copy)(void *, void *), long nbytes, long align, \
		unsigned flags, unsigned long ntasks, int priority, TYPE begin, TYPE end, TYPE step)
#define WRAP_TASKLOOP(NAME, TYPE) \
	WRAP_OMP(NAME, void, TASKLOOP(TYPE)) \
	{ \
		race_threads_merge(); \
		NAME(function, data, copy, nbytes, align, flags, ntasks, priority, begin, end, step); \
	}
WRAP_TASKLOOP(GOMP_taskloop, long)
WRAP_TASKLOOP(GOMP_taskloop_ull, unsigned long long)

/* ---- doacross: a loop that uses it begins so ---- */

#define DOACROSS (unsigned ncounts, long *counts, long chunk, long *begin_p, long *end_p)
#define WRAP_DOACROSS(NAME) \
	WRAP_OMP(NAME, bool, DOACROSS) \
	{ \
		race_threads_merge(); \
		return NAME(ncounts, counts, chunk, begin_p, end_p); \
	}
WRAP_DOACROSS(GOMP_loop_doacross_static_start)
WRAP_DOACROSS(GOMP_loop_doacross_dynamic_start)
WRAP_DOACROSS(GOMP_loop_doacross_guided_start)
