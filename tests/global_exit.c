/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After gshmem_global_exit, or an error on one PE, the launcher returns that status, whatever the PEs wait
 * in, even if one of them ends late or not at all; and stdio is flushed.
 */
/* timeout: 180 */
#include <gshmem.h>

#include "job.h"

#define NPES 4

static void take_long(void)
{
	usleep(600000); /* by then the other PEs have long been ready to end */
}

/* The state of a process, as in /proc/PID/stat. */
static char state_of(pid_t pid)
{
	char path[32], line[256] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (!file || !fgets(line, sizeof line, file))
		t_fail("%s cannot be read", path);
	fclose(file);
	return strrchr(line, ')')[2];
}

/*
 * PE 2 stops, as under a debugger; then the others go on. It stops only after they have left the barrier: a
 * stopped process delivers none of the stores that late delivery holds back, so the others would wait for its
 * arrival for ever. They do not wait for what they send to it, since it may stop before it has answered.
 */
static void stop_one(int *pids, int *nleft)
{
	int me = gshmem_my_pe(), pid, pe;

	for (pe = 0; pe < NPES; pe++)
		gshmem_int_p(&pids[me], (int)getpid(), pe);
	gshmem_barrier_all();
	if (me == 2) {
		gshmem_int_wait_until(nleft, GSHMEM_CMP_EQ, NPES - 1);
		raise(SIGSTOP);
	}
	gshmem_int_atomic_inc(nleft, 2);
	gshmem_int_get(&pid, &pids[2], 1, me);
	while (state_of(pid) != 'T')
		usleep(1000);
}

/* PE 1 ends the job. */
static void end(const char *where, long *word, int status)
{
	if (strcmp(where, "late") == 0)
		atexit(take_long);
	if (strcmp(where, "error") == 0)
		gshmem_long_p(word, 1, NPES); /* no such PE */
	gshmem_global_exit(status);
}

static int pe_main(const char *where, int status)
{
	long *word;
	int *pids, *nleft;

	gshmem_init();
	word = gshmem_calloc(1, sizeof *word);
	pids = gshmem_calloc(NPES, sizeof *pids);
	nleft = gshmem_calloc(1, sizeof *nleft);
	setvbuf(stdout, NULL, _IOFBF, 4096);
	printf("buffered by PE %d\n", gshmem_my_pe());
	gshmem_barrier_all();
	if (strcmp(where, "stopped") == 0 || strcmp(where, "error") == 0)
		stop_one(pids, nleft);
	if (gshmem_my_pe() == 1)
		end(where, word, status);
	if (strcmp(where, "barrier") == 0)
		gshmem_barrier_all();
	else if (strcmp(where, "wait") == 0)
		gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
	else if (strcmp(where, "malloc") == 0)
		gshmem_malloc(8);
	else
		for (;;)
			pause();
	printf("PE %d came through\n", gshmem_my_pe());
	return 55;
}

/* A stopped PE may still flush what it has buffered: Linux wakes it when the launcher is gone. */
static void expect(const char *where, const char *env, const char *flags, int status, int nstopped)
{
	static struct t_job job;
	static int ncases;
	char args[64];
	int nflushed;

	if (t_left_out(ncases++))
		return;
	snprintf(args, sizeof args, "%s %d", where, status);
	t_job_run(&job, NPES, env, flags, args, 20);
	t_check(job.status == status, "%s: status %d:\n%s", args, job.status, job.output);
	nflushed = t_job_count(&job, "buffered by PE");
	t_check(nflushed <= NPES && nflushed >= NPES - nstopped, "%s: the output of %d PEs was flushed:\n%s",
		args, nflushed, job.output);
	t_check(!strstr(job.output, "came through"), "%s: a PE went on:\n%s", args, job.output);
	t_check(!strstr(job.output, "MPI_Abort"), "%s: MPI has spoken:\n%s", args, job.output);
	t_equal(t_job_count(&job, "gshmem: "), *env ? 1 : 0, "messages");
}

int main(int argc, char **argv)
{
	static const char *const wheres[] = {"barrier", "wait", "malloc", "compute", "late"};
	static const int statuses[] = {0, 7};
	unsigned i, s;

	if (argc > 1)
		return pe_main(argv[1], atoi(argv[2]));
	for (i = 0; i < sizeof wheres / sizeof *wheres; i++)
		for (s = 0; s < 2; s++)
			expect(wheres[i], "", (i + s) % 2 ? "" : t_job_keep(), statuses[s], 0);
	expect("late", "", "", 7, 0);
	expect("stopped", "", "", 7, 1);
	expect("error", "GSHMEM_CHECK=1", "", 1, 1);
	return 0;
}
