/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 240 */
/*
 * If the last PE, which is not on PE 0's node, fails in any phase of a job, the other PEs end with a nonzero
 * status and a message that names the PE. If it is only stopped, and GSHMEM_NET_DEADLINE is 0, the job waits
 * for it and ends with 0. If it is only late, the watchdog names the PE and its host.
 */
#include <dirent.h>
#include <stdbool.h>

#include "net_calls.h"
#include "nodes.h"

#define DEADLINE "GSHMEM_HEAP_SIZE=4m GSHMEM_NET_DEADLINE=4"

static int npes, last; /* last is the PE that fails */

/* ---- a PE ---- */

static __global__ void wait_in_kernel(long *word)
{
	gshmem_long_wait_until(word, GSHMEM_CMP_EQ, 1);
}

static __global__ void barrier_in_kernel(int)
{
	gshmem_barrier_all();
}

static __global__ void put_in_kernel(long *word, int pe)
{
	for (long i = 0;; i++) {
		gshmem_long_p(word + 1, i, pe);
		gshmem_quiet();
	}
}

/* A child of this PE continues it after seconds. */
static void stop_for(unsigned seconds)
{
	const pid_t pid = getpid();

	if (fork() == 0) {
		sleep(seconds);
		kill(pid, SIGCONT);
		_exit(0);
	}
	raise(SIGSTOP);
}

/* The job goes on, and the sum of all PEs' puts is right. */
static int end_well(long *words)
{
	const int me = gshmem_my_pe();

	for (int pe = 0; pe < npes; pe++)
		gshmem_long_p(&words[me], me + 1, pe);
	gshmem_barrier_all();
	for (int pe = 0; pe < npes; pe++)
		t_equal(words[pe], pe + 1, "a word that each PE has put");
	gshmem_finalize();
	return 0;
}

/* What the other PEs do when PE last dies. */
static void meet(const char *when, long *words)
{
	if (!strcmp(when, "wait"))
		gshmem_long_wait_until(words, GSHMEM_CMP_EQ, 1);
	else if (!strcmp(when, "barrier"))
		gshmem_barrier_all();
	else if (!strcmp(when, "finalize"))
		gshmem_finalize();
	else if (!strcmp(when, "kernel-wait"))
		t_launch(wait_in_kernel, 1, 1, words);
	else if (!strcmp(when, "kernel-barrier"))
		t_launch(barrier_in_kernel, 1, 1, 0);
	else if (!strcmp(when, "kernel-put"))
		t_launch(put_in_kernel, 1, 1, words, last);
	else if (!strcmp(when, "compute"))
		for (;;)
			usleep(1000);
}

static int pe_main(const char *when, const char *how)
{
	const bool fails = t_launched_rank() == t_nodes_npes() - 1;
	long *words;

	if (fails && !strcmp(when, "start"))
		raise(SIGKILL);
	t_net_init();
	npes = gshmem_n_pes();
	last = npes - 1;
	words = (long *)gshmem_calloc((size_t)npes, sizeof *words);
	t_check(words, "no memory");
	gshmem_barrier_all();
	if (fails && !strcmp(how, "kill")) {
		usleep(300000); /* by now the others are where they should be */
		raise(SIGKILL);
	}
	if (fails && !strcmp(how, "late"))
		usleep(1500000);
	if (fails && !strcmp(how, "stop"))
		stop_for(3);
	if (strcmp(how, "kill"))
		return end_well(words);
	meet(when, words);
	printf("PE %d came through\n", gshmem_my_pe());
	return 1;
}

/* ---- the process that the launcher sees ---- */

static void ended_path(char *path, int rank)
{
	snprintf(path, PATH_MAX, "%s/ended.%d", getenv("NODES"), rank);
}

/* Whether PE rank has ended. The nodes share this directory, but no processes. */
static bool has_ended(int rank)
{
	char path[PATH_MAX];

	ended_path(path, rank);
	return access(path, F_OK) == 0;
}

/* Run the PE in a child. The failing PE's launcher does not learn of its end before the others have ended. */
static int shield(const char *when, const char *how)
{
	const int nothers = t_nodes_npes() - 1, rank = t_launched_rank();
	char path[PATH_MAX];
	int status, i, tries = 0;
	pid_t pid = fork();
	FILE *file;

	if (pid == 0) {
		status = pe_main(when, how);
		fflush(NULL);
		_exit(status);
	}
	signal(SIGUSR1, SIG_IGN); /* the launcher's notice of a death */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (rank != nothers) {
		ended_path(path, rank);
		file = fopen(path, "w");
		if (file)
			fclose(file);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	for (i = 0; i < nothers && tries < 400; i++)
		for (; tries < 400 && !has_ended(i); tries++)
			usleep(50000);
	if (tries == 400)
		printf("the other PEs hang\n");
	return 1;
}

/* ---- the test ---- */

static struct t_job job;

static void run(const char *when, const char *how, const char *env, const char *flags)
{
	char args[64], path[PATH_MAX];
	const double begun_s = t_seconds();

	for (int i = 0; i < npes; i++) {
		ended_path(path, i);
		unlink(path);
	}
	snprintf(args, sizeof args, "%s %s %s", when, how, *flags ? "shielded" : "");
	t_job_run(&job, npes, env, flags, args, 20);
	if (getenv("T_VERBOSE"))
		printf("---- %s %s: status %d, %.1f s\n%s", args, env, job.status, t_seconds() - begun_s,
			job.output);
}

static void expect_death(const char *when, bool is_shielded)
{
	const bool is_early = !strcmp(when, "start");
	char far[64], mate[32], what[64];

	snprintf(far, sizeof far, "PE %d on node%d ", last, t_nodes_number("NNODES") - 1);
	snprintf(mate, sizeof mate, "PE %d (pid ", last);
	/*
	 * Hydra may leave PEs of other nodes in MPI_Init without telling them of the end;
	 * the watchers in their init do.
	 */
	run(when, "kill", is_early ? DEADLINE " GSHMEM_INIT_TIMEOUT=5" : DEADLINE,
		is_shielded ? t_job_keep() : "");
	snprintf(what, sizeof what, "kill in %s%s", when, is_shielded ? "" : ", the launcher's own end");
	t_check(job.status, "%s: the job ends with 0:\n%s", what, job.output);
	t_check(!strstr(job.output, "came through"), "%s: a PE went on:\n%s", what, job.output);
	t_check(!strstr(job.output, "PEs hang"), "%s:\n%s", what, job.output);
	t_check(!strstr(job.output, "GSHMEM_CPU_STUCK"), "%s: the kernel waits for 5 s more:\n%s", what,
		job.output);
	if (is_shielded)
		t_check(strstr(job.output, far) || strstr(job.output, mate), "%s: nobody names PE %d:\n%s",
			what, last, job.output);
}

int main(int argc, char **argv)
{
	static const char *const phases[] = {
		"wait", "barrier", "compute", "finalize", "kernel-wait", "kernel-barrier", "kernel-put"};
	char late[64];
	unsigned i;

	npes = t_nodes_npes();
	last = npes - 1;
	if (argc > 3)
		return shield(argv[1], argv[2]);
	if (argc > 2)
		return pe_main(argv[1], argv[2]);
	for (i = 0; i < sizeof phases / sizeof *phases; i++)
		if (!t_left_out((int)i))
			expect_death(phases[i], true);
	expect_death("start", false);
	expect_death("barrier", false);
	run("none", "stop", "GSHMEM_HEAP_SIZE=4m GSHMEM_NET_DEADLINE=0", "");
	t_check(job.status == 0, "a PE that is stopped for 3 s, without a deadline: exit status %d:\n%s",
		job.status, job.output);
	run("none", "late", "GSHMEM_HEAP_SIZE=4m GSHMEM_WATCHDOG=0.5", "");
	snprintf(late, sizeof late, "; PE %d on node%d has not arrived", last, t_nodes_number("NNODES") - 1);
	t_check(job.status == 0 && strstr(job.output, late),
		"a PE that is late: exit status %d, expected \"%s\":\n%s", job.status, late, job.output);
	return 0;
}
