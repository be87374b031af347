/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, its jobs say which PEs are carried */
/* net: no, likewise */
/* platform: cpu */
/* timeout: 200 */
/* links: inner */
/*
 * A PE may be stopped, as by a debugger, and continued; an operation on it does not delay a quiet of another
 * context. If only a PE's net thread stops, the job ends, unless a thread that holds the engine's lock is
 * ready to run and only lacks a core.
 */
#include "base/base.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>

#include "net/net.h"
#include "net_stop.h"

enum { MAIN, STOPPED, THIRD, NPES };
#define BULK_NBYTES 1000000
#define STARVED_NS  6000000000

/* A quiet does not wait for another context's operations on a stopped PE. */
static int two_contexts(void)
{
	struct stop_shared *s = stop_init();
	char *bulk = gshmem_calloc(1, BULK_NBYTES), *source = gshmem_calloc(1, BULK_NBYTES);
	uint64_t fetched = 77;
	gshmem_ctx_t ctx;
	pid_t pid;

	t_equal(gshmem_ctx_create(0, &ctx), 0, "ctx_create");
	if (gshmem_my_pe() == MAIN) {
		memset(source, 5, BULK_NBYTES);
		pid = (pid_t)gshmem_uint64_g(&s->pid, STOPPED);
		stop_now(pid);
		gshmem_uint64_p(&s->nasked, 1, STOPPED);
		gshmem_putmem_nbi(bulk, source, BULK_NBYTES, STOPPED);
		gshmem_uint64_atomic_fetch_inc_nbi(&fetched, &s->from_stopped, STOPPED);
		gshmem_ctx_uint64_p(ctx, &s->nasked, 2, THIRD);
		gshmem_ctx_quiet(ctx);
		t_equal(gshmem_uint64_g(&s->nasked, THIRD), 2, "put, quiet of its context");
		t_equal(stop_state(pid), 'T', "the state of the PE that is stopped");
		kill(pid, SIGCONT);
		gshmem_quiet();
		t_equal(fetched, 0, "what was fetched");
	}
	gshmem_barrier_all();
	if (gshmem_my_pe() == STOPPED) {
		t_check(s->nasked == 1 && s->from_stopped == 1, "puts to a PE that was stopped");
		for (int i = 0; i < BULK_NBYTES; i++)
			t_equal(bulk[i], 5, "bulk to a PE that was stopped");
	}
	gshmem_finalize();
	return 0;
}

/* The net thread's id. */
static pid_t find_net_thread(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	char path[64], name[32];
	pid_t found = 0;
	FILE *file;

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", entry->d_name);
		file = fopen(path, "r");
		if (file && fgets(name, sizeof name, file) && strcmp(name, "gshmem-net\n") == 0)
			found = atoi(entry->d_name);
		if (file)
			fclose(file);
	}
	closedir(dir);
	t_check(found, "there is no net thread");
	return found;
}

/* A debugger that stops only this PE's net thread, until the job has ended. */
static void hold_net_thread(void)
{
	const pid_t thread = find_net_thread(), parent = getpid();
	char byte = 0;
	int ends[2];

	t_check(!pipe(ends), "pipe");
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	if (fork() == 0) {
		byte = !ptrace(PTRACE_SEIZE, thread, NULL, NULL) &&
			!ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) &&
			waitpid(thread, NULL, __WALL) == thread;
		t_check(write(ends[1], &byte, 1) == 1, "write");
		while (byte && !kill(parent, 0) && stop_state(parent) != 'Z')
			usleep(10000);
		_exit(0);
	}
	t_check(read(ends[0], &byte, 1) == 1, "read");
	if (!byte)
		printf("ptrace is not allowed\n");
}

static int no_answer(void)
{
	struct stop_shared *s = stop_init();

	if (gshmem_my_pe() == STOPPED) {
		hold_net_thread();
		for (;;)
			pause();
	}
	while (gshmem_uint64_atomic_fetch_inc(&s->nasked, STOPPED) < UINT64_MAX)
		;
	return 1;
}

/*
 * A thread holds the engine's lock longer than the deadline and is ready to run all that time, like a thread
 * to which the scheduler gives no core.
 */
static int starved(void)
{
	struct stop_shared *s = stop_init();
	uint64_t started_ns;

	if (gshmem_my_pe() == STOPPED) {
		gshmemi_net_enter();
		started_ns = gshmemi_arch_clock_ns();
		while (gshmemi_arch_clock_ns() - started_ns < STARVED_NS)
			;
		gshmemi_net_leave();
	} else {
		(void)gshmem_uint64_atomic_fetch_inc(&s->nasked, STOPPED);
	}
	gshmem_barrier_all();
	t_check(gshmem_my_pe() != STOPPED || s->nasked == NPES - 1, "what a PE without a core was asked for");
	gshmem_finalize();
	return 0;
}

int main(int argc, char **argv)
{
	static struct t_job job;

	if (argc > 2)
		return stop_pe(atoi(argv[2]));
	if (argc > 1 && strcmp(argv[1], "starved") == 0)
		return starved();
	if (argc > 1)
		return strcmp(argv[1], "contexts") ? no_answer() : two_contexts();
	stop_expect(5, 2);
	t_job_run(&job, NPES, "GSHMEM_CARRY=all", "", "contexts", 20);
	t_check(job.status == 0, "contexts: exit status %d:\n%s", job.status, job.output);
	t_job_run(&job, NPES, "GSHMEM_CARRY=all GSHMEM_NET_DEADLINE=1", "", "deaf", 20);
	if (!strstr(job.output, "ptrace is not allowed"))
		t_job_failed(&job, "a net thread that does nothing",
			"has not answered for 1 s (GSHMEM_NET_DEADLINE), with operations on it "
			"open: ",
			1);
	t_job_run(&job, NPES, "GSHMEM_CARRY=all GSHMEM_NET_DEADLINE=1", "", "starved", 20);
	t_check(job.status == 0, "a PE without a core: exit status %d:\n%s", job.status, job.output);
	return 0;
}
