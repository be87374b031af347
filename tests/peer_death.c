/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If a PE dies by SIGKILL or _exit(0), before, during or after init, the others end soon and report why once.
 */
/* net: no */
/* timeout: 200 */
/* delivery: no, its jobs are to fail */
#include <gshmem.h>
#include <mpi.h>
#include <errno.h>
#include <stdbool.h>

#include "deny.h"
#include "job.h"

#define NPES 3

static void die(const char *how)
{
	fflush(NULL);
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	_exit(0);
}

/* A stream that never has anything to read. */
static FILE *silent_stream(void)
{
	int ends[2];

	if (pipe(ends))
		t_fail("pipe");
	return fdopen(ends[0], "r");
}

static int pe_main(const char *when, const char *how)
{
	int victim = t_launched_rank() == 1, level;
	MPI_Comm copy;
	long *word;

	if (victim && strcmp(when, "start") == 0)
		die(how);
	if (strcmp(when, "start")) /* otherwise the others are stuck in gshmem_init's MPI_Init */
		MPI_Init_thread(
			NULL, NULL, strcmp(how, "kill") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
	while (victim && strcmp(when, "never") == 0)
		pause();
	if (victim && strcmp(when, "mpi") == 0)
		die(how);
	if (victim && strcmp(when, "meeting") == 0) { /* the others then wait in the first exchange of init */
		MPI_Comm_dup(MPI_COMM_WORLD, &copy);
		die(how);
	}
	gshmem_init();
	word = gshmem_calloc(1, sizeof *word);
	usleep(gshmem_my_pe() * 30000);
	if (victim)
		die(how);
	if (strcmp(when, "barrier") == 0)
		gshmem_barrier_all();
	else if (strcmp(when, "wait") == 0)
		gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
	else if (strcmp(when, "malloc") == 0)
		gshmem_malloc(8);
	else if (strcmp(when, "finalize") == 0)
		gshmem_finalize();
	else if (strcmp(when, "compute") == 0)
		for (;;)
			pause();            /* the launcher may interrupt it */
	else if (strcmp(when, "read") == 0) /* holds the lock of a stream that exit must flush */
		getc(silent_stream());
	printf("PE %d came through\n", gshmem_my_pe());
	return 1;
}

/* A PE lives on but never calls init. */
static void never_comes(void)
{
	static struct t_job job;

	t_job_run(&job, NPES, "GSHMEM_INIT_TIMEOUT=1", "", "never exit", 20);
	t_check(strstr(job.output, "other PEs have not joined for 1 s (GSHMEM_INIT_TIMEOUT)"), "never:\n%s",
		job.output);
}

static void expect(const char *when, const char *how, bool wrapped, const char *text)
{
	static struct t_job job;
	static int ncases;
	char args[64];

	if (t_left_out(ncases++))
		return;
	snprintf(args, sizeof args, "%s %s %s", when, how, wrapped ? "wrapped" : "");
	t_job_run(&job, NPES, "", t_job_keep(), args, 20);
	t_check(!strstr(job.output, "came through"), "%s: a PE went on:\n%s", args, job.output);
	t_check(!strstr(job.output, "PEs hang"), "%s:\n%s", args, job.output);
	if (wrapped)
		t_job_failed(&job, args, text, 1);
	else if (text) /* hydra 4.0.2 may lose the exit status of processes that end at the same time */
		t_check(t_job_count(&job, text) > 0, "%s: expected \"%s\":\n%s", args, text, job.output);
}

int main(int argc, char **argv)
{
	static const char *const early[] = {"start", "mpi", "meeting"};
	static const char *const late[] = {"barrier", "wait", "malloc", "finalize", "compute", "read"};
	unsigned i;

	if (argc > 3)
		return t_job_shield(pe_main, argv[1], argv[2], t_launched_rank() == 1);
	if (argc > 1)
		return pe_main(argv[1], argv[2]);
	for (i = 0; i < sizeof early / sizeof *early; i++) {
		expect(early[i], "exit", false, t_job_has_openmpi() ? NULL : "one died before it had joined");
		/* the launcher kills the others whatever it is told, Open MPI's also if one exits */
		expect(early[i], "kill", false, NULL);
	}
	for (i = 0; i < sizeof late / sizeof *late; i++) {
		expect(late[i], "exit", true, "PE 1 (pid ");
		expect(late[i], "kill", true, "PE 1 (pid ");
	}
	never_comes();
	/* for all jobs from here on: Linux before 5.3 has no pidfds */
	if (t_deny(SYS_pidfd_open, ENOSYS, 0)) {
		expect("wait", "exit", true, "PE 1 (pid ");
		expect("compute", "kill", true, "PE 1 (pid ");
	}
	return 0;
}
