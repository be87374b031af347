/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PE is stopped for longer than the deadline of the PEs that it does not answer: they
 * report it once, wait, and go on.
 */
#ifndef T_NET_STOP_H
#define T_NET_STOP_H

#include "job.h"
#include "net_calls.h"

struct stop_shared {
	uint64_t pid, nasked, from_stopped;
};

static pid_t stop_pid;
static int stop_s;

/* The state of a process, as a letter: proc(5). */
static inline int stop_state(pid_t pid)
{
	char path[32], line[512] = "", *close;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	t_check(file && fgets(line, sizeof line, file) && (close = strrchr(line, ')')), "%s", path);
	fclose(file);
	return close[2];
}

static inline void stop_now(pid_t pid)
{
	t_check(!kill(pid, SIGSTOP), "SIGSTOP of process %d", (int)pid);
	while (stop_state(pid) != 'T')
		usleep(1000);
}

static inline void *stop_continue(void *unused)
{
	(void)unused;
	sleep((unsigned)stop_s);
	kill(stop_pid, SIGCONT);
	return NULL;
}

static inline struct stop_shared *stop_init(void)
{
	struct stop_shared *s;

	t_net_init();
	s = (struct stop_shared *)gshmem_calloc(1, sizeof *s);
	t_check(s, "no memory");
	s->pid = (uint64_t)getpid();
	gshmem_barrier_all();
	return s;
}

/* PE 0 stops PE 1 amid the operations of all PEs, and continues it after seconds. */
static inline int stop_pe(int seconds)
{
	struct stop_shared *s = stop_init();
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	pthread_t thread;

	stop_s = seconds;
	for (int i = 0; i < 3000; i++) {
		if (me == 0 && i == 1000) {
			stop_pid = (pid_t)gshmem_uint64_g(&s->pid, 1);
			stop_now(stop_pid);
			t_net_start(&thread, stop_continue, NULL);
		}
		gshmem_uint64_atomic_add(&s->nasked, 1, (me + 1) % npes);
		(void)gshmem_uint64_atomic_fetch_inc(&s->nasked, (me + 2) % npes);
	}
	gshmem_barrier_all();
	t_equal(s->nasked, 6000, "what a PE was asked for");
	if (me == 0)
		pthread_join(thread, NULL);
	gshmem_finalize();
	return 0;
}

static inline void stop_expect(int seconds, int deadline_s)
{
	static struct t_job job;
	char env[64], args[16];
	const char *at, *stopped;
	size_t line_nbytes;

	snprintf(env, sizeof env, "GSHMEM_CARRY=all GSHMEM_NET_DEADLINE=%d", deadline_s);
	snprintf(args, sizeof args, "stop %d", seconds);
	t_job_run(&job, 3, env, "", args, seconds + 20);
	t_check(job.status == 0, "a PE that was stopped: exit status %d:\n%s", job.status, job.output);
	t_check(t_job_count(&job, "is stopped: operations on it wait") >= 1,
		"nobody says that a PE is stopped:\n%s", job.output);
	for (at = job.output; (at = strstr(at, "pe 1: ")); at += line_nbytes) {
		line_nbytes = strcspn(at, "\n");
		stopped = strstr(at, "is stopped");
		t_check(!stopped || stopped > at + line_nbytes, "PE 1 takes others for stopped:\n%s",
			job.output);
	}
}

#endif /* T_NET_STOP_H */
