/* SPDX-License-Identifier: BSD-3-Clause */
/* delivery: no */
/* carry: no, what is carried takes MPI_THREAD_MULTIPLE */
/* net: no */
/* timeout: 120 */
/*
 * A job on one node runs at every thread level at which the program starts MPI: over MPI_COMM_WORLD,
 * repeatedly, and as two jobs side by side over halves of it. Below MPI_THREAD_MULTIPLE only the thread that
 * calls the library calls MPI. Asking for more than MPI's level is a harmless error on all PEs.
 */
#include <gshmem.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>

#include "job.h"

#define NPES 3

static pthread_t main_thread;
static int ncalls; /* calls of MPI, counted here */
static int nsplits;

static const char *const names[] = {"SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"};
static const int levels[] = {
	MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};

/* ---- what the library calls is ours, as of a tool that traces MPI ---- */

static void see(const char *call)
{
	ncalls++;
	t_check(pthread_equal(pthread_self(), main_thread), "%s by another thread", call);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	see("MPI_Test");
	return PMPI_Test(request, flag, status);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	see("MPI_Ibarrier");
	return PMPI_Ibarrier(comm, request);
}

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
	MPI_Request *request)
{
	see("MPI_Iallreduce");
	return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
	see("MPI_Comm_dup");
	return PMPI_Comm_dup(comm, copy);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
	see("MPI_Comm_split");
	nsplits++;
	return PMPI_Comm_split(comm, color, key, part);
}

/* ---- a PE ---- */

static void use(int expected_pe, int expected_npes)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	gshmem_team_t team;
	int *word, got;

	t_equal(me, expected_pe, "my_pe");
	t_equal(npes, expected_npes, "n_pes");
	word = gshmem_calloc(1, sizeof *word);
	t_check(word, "gshmem_calloc");
	gshmem_int_p(word, me + 40, (me + 1) % npes);
	gshmem_barrier_all();
	gshmem_int_get(&got, word, 1, me);
	t_equal(got, (me + npes - 1) % npes + 40, "a put");
	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, npes, NULL, 0, &team), 0, "split_strided");
	gshmem_team_destroy(team);
	gshmem_free(word);
}

static void run_job(struct gshmemx_init_attributes *attr, int pe, int npes)
{
	int level;

	t_equal(gshmemx_init_attr(attr), 0, "init");
	gshmem_query_thread(&level);
	t_equal(level, attr->thread_level, "query_thread");
	use(pe, npes);
	gshmem_finalize();
}

static int pe_main(int i)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rank, size, level, sub_rank, sub_size;
	MPI_Comm half;

	main_thread = pthread_self();
	MPI_Init_thread(NULL, NULL, levels[i], &level);
	t_equal(level, levels[i], "the level that MPI provides");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	attr.heap_nbytes = 1 << 20;
	if (levels[i] < MPI_THREAD_MULTIPLE) {
		attr.thread_level = i + 1;
		t_equal(gshmemx_init_attr(&attr), -EINVAL, "more than MPI's level");
	}
	attr.thread_level = i;
	run_job(&attr, rank, size);
	run_job(&attr, rank, size);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Comm_rank(half, &sub_rank);
	MPI_Comm_size(half, &sub_size);
	attr.mpi_comm = &half;
	run_job(&attr, sub_rank, sub_size);
	MPI_Comm_free(&half);
	attr.mpi_comm = NULL;
	run_job(&attr, rank, size);
	t_check(ncalls > 50, "%d calls of MPI seen", ncalls);
	t_equal(nsplits, 1, "calls of MPI_Comm_split, of which a job on one machine needs none");
	MPI_Finalize();
	return 0;
}

int main(int argc, char **argv)
{
	static struct t_job job;
	char text[128];
	int i;

	if (argc > 1)
		return pe_main(atoi(argv[1]));
	for (i = 0; i < 4; i++) {
		snprintf(text, sizeof text, "%d", i);
		t_job_run(&job, NPES, "", "", text, 20);
		t_job_ended(&job, "a job that is in order");
		snprintf(text, sizeof text, "but MPI runs with MPI_THREAD_%s", names[i]);
		t_equal(t_job_count(&job, text), i < 3, text);
		t_equal(t_job_count(&job, "gshmem"), t_job_count(&job, text), job.output);
	}
	return 0;
}
