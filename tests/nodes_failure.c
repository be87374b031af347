/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 240 */
/*
 * If something fails on another node, the job ends with a nonzero status and names the failed PE and
 * its host, and no process is left. The failure is a process that is killed or stopped, a link that
 * goes down for ever, or a whole node; a link that is down for 3 s does not end the job. The other PEs
 * have operations open, or wait in a barrier with nothing open. The test makes its own nodes, because
 * other tests need their links.
 */
#include <gshmem.h>

#include "nodes.h"

#define DEADLINE "GSHMEM_NET_DEADLINE=4 "

static int me, npes, last; /* PE last, the last node's last one, fails */

/* A file that the nodes share. */
static void say_begun(void)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof path, "%s/begun", getenv("NODES"));
	file = fopen(path, "w");
	t_check(file, "%s cannot be written", path);
	fclose(file);
}

static int run_pe(const char *what, const char *how)
{
	long *x, value = 0;
	int i;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	last = npes - 1;
	x = gshmem_calloc((size_t)npes, sizeof *x);
	t_check(x, "no memory");
	if (me == last) {
		if (!strcmp(what, "kill"))
			raise(SIGKILL);
		if (!strcmp(what, "stop"))
			raise(SIGSTOP);
	}
	if (!strcmp(what, "link") && me == last)
		say_begun();
	if (!strcmp(how, "open") && me != last)
		for (i = 0; i < 100; i++) {
			gshmem_long_p(&x[me], i + 1, last);
			gshmem_quiet();
			gshmem_long_get(&value, &x[me], 1, last);
			t_check(value == i + 1, "PE %d: got %ld", me, value);
			if (!strcmp(what, "link"))
				usleep(30000); /* longer than the link is up */
		}
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}

/*
 * status 0: the job goes on and ends normally; 1: it ends with another status and
 * prints text; NULL: any text.
 */
static void expect(const char *what, const char *how, const char *env, int status, const char *says)
{
	static struct t_job job;
	char args[64], env_all[128];
	const double begun_s = t_seconds();

	snprintf(args, sizeof args, "%s %s", what, how);
	snprintf(env_all, sizeof env_all, "GSHMEM_HEAP_SIZE=4m %s", env);
	t_job_run(&job, t_nodes_npes(), env_all, status ? t_job_keep() : "", args, 20);
	t_check(!job.status == !status, "%s: exit status %d:\n%s", args, job.status, job.output);
	t_check(!says || strstr(job.output, says), "%s: \"%s\" was not said:\n%s", args, says, job.output);
	t_check(!status || t_seconds() - begun_s < 3 * 20, "%s: took %.1f s", args, t_seconds() - begun_s);
}

/* Do something to a node when the next job has begun. */
static pid_t begin(const char *what)
{
	char script[512];
	pid_t pid;

	snprintf(script, sizeof script,
		"until [ -e \"$NODES/begun\" ]; do [ -d \"$NODES\" ] || exit 1; sleep 0.1; done; rm \"$NODES/begun\"; sleep 0.3; %s",
		what);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", script, (char *)NULL);
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	char says[256], names[128];
	double begun_s;
	int status;
	pid_t pid;

	if (argc > 2)
		return run_pe(argv[1], argv[2]);
	if (argc < 2)
		t_nodes_move();
	/* followed by "died", or by "not answered" */
	snprintf(names, sizeof names, "PE %d on node%d has ", t_nodes_npes() - 1,
		t_nodes_number("NNODES") - 1);
	snprintf(says, sizeof says, "%snot answered for 4 s (GSHMEM_NET_DEADLINE)", names);
	expect("none", "open", "", 0, NULL);
	expect("stop", "open", DEADLINE, 1, says);
	if (t_nodes_number("PPN") == 1) /* other PEs on its node wait for it, as in a job on one node */
		expect("stop", "barrier", DEADLINE, 1, says);
	expect("kill", "open", DEADLINE, 1, t_nodes_number("PPN") == 1 ? names : "");
	expect("kill", "barrier", DEADLINE, 1, t_nodes_number("PPN") == 1 ? names : "");
	begun_s = t_seconds();
	pid = begin("tests/nodes.sh link node1 down; sleep 3; tests/nodes.sh link node1 up");
	expect("link", "open", "GSHMEM_NET_DEADLINE=20", 0, NULL);
	t_check(t_seconds() - begun_s > 3.5, "the job was over before the link came up again");
	waitpid(pid, &status, 0);
	t_check(!status, "the link did not go down and up");
	pid = begin("tests/nodes.sh link node1 down; sleep 10; tests/nodes.sh link node1 up; sleep 3");
	expect("link", "open", DEADLINE, 1, "has not answered for 4 s (GSHMEM_NET_DEADLINE), with ");
	waitpid(pid, &status, 0);
	pid = begin("tests/nodes.sh kill node1");
	expect("link", "open", DEADLINE, 1, NULL);
	waitpid(pid, &status, 0);
	t_check(!status, "the node was not killed");
	return 0;
}
