/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no, the direct carrier needs no MPI */
/* delivery: no, its jobs are to fail */
/* platform: cpu */
/* timeout: 120 */
/* links: inner */
/*
 * If MPI cannot carry, init of a job that needs it names the PEs and what to write, and the variable by which
 * MPICH, or Open MPI, runs a program that calls MPI_Init unchanged. If a program calls MPI_Finalize before
 * gshmem_finalize, while another thread polls the link, the job ends with one message.
 */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>

#include "base/base.h"
#include "bootstrap/bootstrap.h"
#include "job.h"
#include "net/mpi.h"

#ifdef OPEN_MPI
#define T_MULTIPLE "set OMPI_MPI_THREAD_LEVEL=3"
#else
#define T_MULTIPLE "set MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE"
#endif

static void *poll_link(void *arg)
{
	struct gshmemi_link *net = arg;
	struct gshmemi_link_event event;

	while (!net->poll(net, &event))
		sched_yield(); /* MPI's lock is not fair */
	return NULL;
}

/* A program that knows nothing of thread levels. */
static int plain_main(void)
{
	long *word, sum;

	MPI_Init(NULL, NULL);
	gshmem_init();
	word = gshmem_calloc(1, sizeof *word);
	t_check(word, "gshmem_calloc");
	gshmem_long_atomic_add(word, gshmem_my_pe() + 1, 0);
	gshmem_barrier_all();
	gshmem_long_get(&sum, word, 1, 0);
	t_equal(sum, 3, "what both PEs have added");
	gshmem_barrier_all();
	gshmem_free(word);
	gshmem_finalize();
	MPI_Finalize();
	return 0;
}

static int pe_main(const char *what)
{
	const bool is_level = strcmp(what, "level") == 0;
	struct gshmemi_link *net;
	pthread_t thread;
	int level, rc;

	MPI_Init_thread(NULL, NULL, is_level ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE, &level);
	gshmem_init();
	rc = gshmemi_bootstrap_check_carrying(2, 7);
	t_equal(rc, is_level ? -EINVAL : 0, "check_carrying");
	if (is_level)
		return 1;
	t_equal(gshmemi_link_mpi_open(&net), 0, "open");
	t_equal(pthread_create(&thread, NULL, poll_link, net), 0, "pthread_create");
	usleep(10000);
	MPI_Finalize();
	printf("MPI_Finalize returned\n");
	return 1;
}

int main(int argc, char **argv)
{
	static struct t_job job;

	if (argc > 1)
		return strcmp(argv[1], "plain") ? pe_main(argv[1]) : plain_main();
	t_job_run(&job, 2, "GSHMEM_PES_PER_NODE=1", "", "plain", 20);
	t_job_failed(&job, "plain", T_MULTIPLE "\n", 1);
	t_job_run(&job, 2,
		"GSHMEM_PES_PER_NODE=1 MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE "
		"OMPI_MPI_THREAD_LEVEL=3",
		"", "plain", 20);
	t_check(job.status == 0, "plain, with the variable: status %d:\n%s", job.status, job.output);
	t_job_run(&job, 1, "", "", "level", 20);
	t_job_failed(&job, "level",
		"MPI has to carry operations of PE 2 on PE 7, which takes a thread of its own, but MPI runs "
		"with MPI_THREAD_SERIALIZED: start MPI by MPI_Init_thread with MPI_THREAD_MULTIPLE",
		1);
	t_job_run(&job, 3, "", "", "finalize", 20);
	t_job_failed(&job, "finalize", "MPI_Finalize called before gshmem_finalize", 1);
	t_equal(job.status, 1, "the job's status");
	t_check(!strstr(job.output, "MPI_Finalize returned"), "finalize:\n%s", job.output);
	return 0;
}
