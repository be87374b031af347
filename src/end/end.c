/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process ends other than by gshmem_finalize: an error, gshmem_global_exit, or an
 * exit without gshmem_finalize.
 *
 * All PEs of the node end together and with one status. The PE that ends first announces its end
 * (job/life.h), and the watchers of the other PEs follow. Each PE writes out what it has buffered, waits
 * until every other PE has done so too, and then asks MPI to abort the job with the status. Only MPI_Abort
 * gives the launcher the status for certain: when a process ends without MPI_Finalize, hydra 4.0.2 kills the
 * others at once and returns the bitwise OR of all statuses, in which 9, from the kill, wins.
 */
#include "end/end.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bootstrap/bootstrap.h"
#include "job/job.h"
#include "job/life.h"
#include "trace/trace.h"

#define FLUSH_NS    500000000U /* a stream may be locked forever, by a thread that reads from it */
/* how long the end waits for other processes in all, because one may be stopped */
#define PATIENCE_NS 5000000000U

/* The process and the thread that end. A forked child has copies of these, but is neither. */
static atomic_int ending_pid;
static _Thread_local pid_t own_pid;
static pthread_t ending_thread;
static int end_status;
static void (*poison)(void);

/* ---- steps of the end ---- */

/* Whether this thread is the one that ends the process. */
static bool is_own(void)
{
	return own_pid == getpid();
}

static bool is_ending(void)
{
	return atomic_load(&ending_pid) == getpid();
}

/* Makes this thread the one that ends the process. Any other thread that tries waits here for the end. */
static void claim(void)
{
	if (is_own())
		return;
	if (atomic_exchange(&ending_pid, getpid()) == getpid())
		for (;;)
			pause();
	own_pid = getpid();
	ending_thread = pthread_self();
}

/*
 * A kernel that has trapped may abort the process, and its status would replace the one announced: hold
 * other threads' aborts.
 */
static void hold_abort(int signum)
{
	while (!pthread_equal(ending_thread, pthread_self()))
		pause();
	signal(signum, SIG_DFL);
}

/*
 * Tells the peers of this node, whose watchers then end with this status. MPICH must not handle the signal
 * that hydra sends when a process has ended: its handler makes MPI ask the launcher about dead processes, and
 * the launcher fails if a process ends before it gets the reply.
 */
static void announce(int status)
{
	end_status = status;
	signal(SIGUSR1, SIG_IGN);
	signal(SIGABRT, hold_abort);
	gshmemi_life_set(GSHMEMI_LIFE_ENDING | (uint64_t)(status & 0xff) << 8);
}

struct attempt {
	void (*function)(void);
	sem_t done;
};

static void *run_attempt(void *arg)
{
	struct attempt *attempt = arg;

	attempt->function();
	sem_post(&attempt->done);
	return NULL;
}

/*
 * Calls a function that may block forever, in a thread of its own. Goes on when it has returned,
 * or after limit_ns.
 */
static void run_limited(void (*function)(void), uint64_t limit_ns)
{
	/* from malloc, because the thread may outlive this call */
	struct attempt *attempt = malloc(sizeof *attempt);
	struct timespec limit;
	pthread_t thread;

	if (!attempt)
		return;
	attempt->function = function;
	sem_init(&attempt->done, 0, 0);
	if (pthread_create(&thread, NULL, run_attempt, attempt))
		return;
	clock_gettime(CLOCK_REALTIME, &limit);
	limit_ns += (uint64_t)limit.tv_nsec;
	limit.tv_sec += (time_t)(limit_ns / 1000000000);
	limit.tv_nsec = (long)(limit_ns % 1000000000);
	while (sem_timedwait(&attempt->done, &limit) && errno == EINTR)
		;
}

static void flush_stdio(void)
{
	fflush(NULL);
}

static void abort_job(void)
{
	gshmemi_bootstrap_abort(end_status);
}

static void nap_briefly(void)
{
	struct timespec tick = {0, 1000000};

	nanosleep(&tick, NULL);
}

/* If fd is a pipe, waits until the launcher has read it: MPI_Abort overtakes what it has not read. */
static void drain(int fd, uint64_t deadline_ns)
{
	struct stat st;
	int nbytes;

	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return;
	while (ioctl(fd, FIONREAD, &nbytes) == 0 && nbytes > 0 && gshmemi_arch_clock_ns() < deadline_ns)
		nap_briefly();
}

/*
 * Whether this PE need not wait for pe: it has written all its output, has left the job, is dead, or
 * cannot be seen.
 */
static bool is_done(int pe)
{
	const uint64_t state = gshmemi_life_get(pe) & 0xff;
	struct pollfd pollfd = {-1, POLLIN, 0};
	bool has_died;

	if (!gshmemi_life_is_known(pe) || state == GSHMEMI_LIFE_ENDED || state == GSHMEMI_LIFE_FINALIZED)
		return true;
	pollfd.fd = gshmemi_job_open_pidfd(pe);
	if (pollfd.fd == -ESRCH || pollfd.fd == -EXDEV)
		return pollfd.fd == -ESRCH;
	if (pollfd.fd < 0) /* there are no pidfds here */
		return kill(gshmemi_job_find(pe)->pid, 0) && errno == ESRCH;
	has_died = poll(&pollfd, 1, 0) > 0;
	close(pollfd.fd);
	return has_died;
}

static void wait_for_peers(uint64_t deadline_ns)
{
	int i;

	for (i = 0; i < gshmemi_job->npeers; i++)
		while (!is_done(gshmemi_job->peers[i].pe) && gshmemi_arch_clock_ns() < deadline_ns)
			nap_briefly();
}

/* The last steps of the end. */
_Noreturn static void leave(void)
{
	const uint64_t deadline_ns = gshmemi_arch_clock_ns() + PATIENCE_NS;

	if (poison)
		poison();
	run_limited(gshmemi_trace_write_alone, PATIENCE_NS);
	run_limited(flush_stdio, FLUSH_NS);
	drain(STDOUT_FILENO, deadline_ns);
	drain(STDERR_FILENO, deadline_ns);
	gshmemi_life_set(GSHMEMI_LIFE_ENDED | (uint64_t)(end_status & 0xff) << 8);
	if (gshmemi_job)
		wait_for_peers(deadline_ns);
	run_limited(abort_job, PATIENCE_NS);
	_exit(end_status);
}

/* Returns the status that a peer has announced, or fallback if nobody does. */
static int find_status(int fallback)
{
	const uint64_t deadline_ns = gshmemi_arch_clock_ns() + PATIENCE_NS;
	int i, status;

	do {
		for (i = 0; i < gshmemi_job->npeers; i++)
			if (gshmemi_life_is_ending(gshmemi_job->peers[i].pe, &status))
				return status;
		if (gshmemi_life_may_speak()) /* the PE that was to print is dead */
			return fallback;
		nap_briefly();
	} while (gshmemi_arch_clock_ns() < deadline_ns);
	return fallback;
}

/* ---- ends ---- */

void gshmemi_end_begin(int status)
{
	if (is_own()) /* an exit handler failed, or the end has already begun: keep its status */
		return;
	claim();
	announce(status);
}

static void end(int status)
{
	gshmemi_end_begin(status);
	leave();
}

static void end_saying(int status, const char *text)
{
	claim();
	if (gshmemi_life_may_speak()) {
		gshmemi_error("%s", text);
		announce(status);
	} else {
		announce(find_status(status));
	}
	leave();
}

void gshmemi_exit(int status)
{
	claim();
	announce(status);
	exit(status);
}

static pid_t owner_pid; /* the process that called init; a forked child is not a PE */
static int exit_status; /* what the program exits with, as far as is known */
static atomic_bool is_spoiled;

static void spoil(void)
{
	atomic_store(&is_spoiled, true);
}

__attribute__((constructor)) static void offer(void)
{
	static const struct gshmemi_ender ender = {end, end_saying, is_ending, spoil};

	gshmemi_end_register(&ender);
}

void gshmemi_end_set_poison(void (*function)(void))
{
	poison = function;
}

#ifdef __GLIBC__ /* other C libraries do not tell an exit handler the status */
static void note_status(int status, void *unused)
{
	(void)unused;
	exit_status = status & 0xff;
}
#endif

void gshmemi_end_expect_finalize(void)
{
#ifdef __GLIBC__
	if (owner_pid != getpid())
		on_exit(note_status, NULL);
#endif
	owner_pid = getpid();
}

/*
 * The peers would wait for this PE. OpenSHMEM programs need no finalize; for them host/shmem.c has called it.
 */
static void require_finalize(void)
{
	if (!gshmemi_enter_is_open() || owner_pid != getpid() || gshmemi_is_shmem)
		return;
	if (exit_status)
		gshmemi_end_saying(exit_status,
			"the process exits with status %d and without gshmem_finalize: the job ends with "
			"that status",
			exit_status);
	gshmemi_end_saying(1,
		"the process exits without gshmem_finalize, which every PE must call before it returns from "
		"main: the job ends with status 1");
}

/* Runs after the program's exit handlers. */
__attribute__((destructor)) static void end_of_process(void)
{
	if (is_own())
		leave();
	if (is_ending())
		for (;;)
			pause(); /* another thread ends the process with its own status */
	require_finalize();
	gshmemi_bootstrap_finalize(); /* if an exit handler that ran after MPI's has called gshmem_finalize */
	if (atomic_load(&is_spoiled) && !exit_status && owner_pid == getpid()) {
		fflush(NULL);
		_exit(1);
	}
}

void gshmem_global_exit(int status)
{
	GSHMEMI_ENTER("gshmem_global_exit");
	gshmemi_exit(status);
}
