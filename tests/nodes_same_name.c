/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Containers with the same host name on one kernel, and so with the same boot id, share nothing else: no
 * processes, memory or network. Their PEs count as PEs of one machine, do not open each other's memory,
 * although their pids may be equal, and reach each other over MPI.
 */
#include <fcntl.h>
#include <gshmem.h>
#include <sched.h>
#include <stdbool.h>

#include "finalize.h"
#include "nodes.h"

#define NBULK 100000

/* Only this process gets the name: other tests run on the node. */
static void rename_host(void)
{
	t_check(!unshare(CLONE_NEWUTS) && !sethostname("same", 4), "the host name cannot be set");
}

/*
 * Go on as a child whose pid is the same on each node, unless something else
 * starts on the node at that moment.
 */
static void change_pid(void)
{
	const char *rank = getenv("MPI_LOCALRANKID");
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY), status;
	pid_t pid;

	if (fd < 0)
		return;
	(void)!dprintf(fd, "%d", 20000 + 100 * atoi(rank ? rank : "0"));
	close(fd);
	pid = fork();
	if (!pid)
		return;
	signal(SIGUSR1, SIG_IGN); /* the launcher's notice of a death */
	waitpid(pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

struct objects {
	long word, sum;
	uint64_t signal;
	long bulk[NBULK];
};

static void exchange(void)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes,
		  previous = (me + npes - 1) % npes;
	struct objects *o = gshmem_calloc(1, sizeof *o);
	long *bulk = malloc(sizeof o->bulk);

	for (long i = 0; i < NBULK; i++)
		bulk[i] = 7 * i + me;
	gshmem_long_p(&o->word, 100 + me, next);
	gshmem_long_put_signal(o->bulk, bulk, NBULK, &o->signal, 1, GSHMEM_SIGNAL_ADD, next);
	for (int pe = 0; pe < npes; pe++)
		gshmem_long_atomic_add(&o->sum, 1 + me, pe);
	gshmem_signal_wait_until(&o->signal, GSHMEM_CMP_EQ, 1);
	for (long i = 0; i < NBULK; i++)
		t_equal(o->bulk[i], 7 * i + previous, "a put with a signal");
	gshmem_barrier_all();
	t_equal(gshmem_long_g(&o->word, next), 100 + me, "a get of what was put");
	for (int pe = 0; pe < npes; pe++)
		t_equal(gshmem_long_atomic_fetch(&o->sum, pe), npes * (npes + 1) / 2, "what all have added");
	gshmem_barrier_all();
	gshmem_free(o);
	free(bulk);
}

/* hanging: a PE, or -1. */
static int pe_main(int hanging)
{
	int me;

	gshmem_init();
	me = gshmem_my_pe();
	exchange();
	gshmem_finalize();
	hangs = me == hanging;
	return 0;
}

static void expect(const char *hanging)
{
	/* how many PEs are not on a PE's node */
	const int npes = t_nodes_npes(), nothers = npes - t_nodes_number("PPN");
	static struct t_job job;

	t_job_run(&job, npes, "", "", hanging, 20);
	t_check(!job.status, "exit status %d:\n%s", job.status, job.output);
	t_equal(t_job_count(&job, "(it is in another PID namespace than this PE: run both in one container)"),
		npes * nothers, "pairs of PEs whose memory is not opened");
	t_equal(t_job_count(&job,
			nothers > 1 ? ", which will not notice their deaths\n"
				    : ", which will not notice its death\n"),
		npes, "PEs that do not see the ends of others");
	t_check(atoi(hanging) < 0 || strstr(job.output, "MPI_Finalize has not returned"),
		"nobody watches MPI_Finalize:\n%s", job.output);
}

int main(int argc, char **argv)
{
	if (argc == 1) {
		expect("-1");
#ifndef OPEN_MPI /* whose MPI_Finalize needs no help */
		expect("1");
#endif
		return 0;
	}
	rename_host();
	change_pid();
	return pe_main(atoi(argv[1]));
}
