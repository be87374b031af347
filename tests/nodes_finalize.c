/* SPDX-License-Identifier: BSD-3-Clause */
/* timeout: 120 */
/*
 * If MPI_Finalize never returns, as MPICH's over UCX's TCP now and then, the job still ends with the
 * program's status. It also does if PE 0 hangs, and PE 1 learns 4 s later than PE 0 that all PEs have come.
 */
#include <gshmem.h>
#include <stdbool.h>

#include "finalize.h"
#include "nodes.h"

static bool is_late; /* this PE */

/* In place of MPI's, by which the library learns before MPI_Finalize that all PEs are here. */
int MPI_Iallreduce(const void *source, void *dest, int nelems, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
	MPI_Request *request)
{
	const int rc = PMPI_Iallreduce(source, dest, nelems, type, op, comm, request);

	if (is_late)
		sleep(4);
	return rc;
}

static void expect(const char *what, const char *env, int status, bool is_told)
{
	static struct t_job job;
	const int most_s = strncmp(what, "late", 4) ? 10 : 15;
	const double begun_s = t_seconds();
	bool says_so;

	t_job_run(&job, t_nodes_npes(), env, "", what, 30);
	says_so = strstr(job.output, "MPI_Finalize has not returned for 3 s") != NULL;
	t_check(job.status == status, "%s: exit status %d, not %d:\n%s", what, job.status, status,
		job.output);
	t_check(says_so || !is_told, "%s: nothing was said of MPI_Finalize:\n%s", what, job.output);
	t_check(t_seconds() - begun_s < most_s, "%s: took %.1f s", what, t_seconds() - begun_s);
}

int main(int argc, char **argv)
{
	int me;

	if (argc == 1) {
#ifdef OPEN_MPI
		t_skip("the MPI_Finalize of Open MPI needs no help");
#endif
		expect("none 0", "", 0, false);
		expect("one 0", "", 0, true);
		expect("all 0", "", 0, true);
		expect("one 7", "", 7, true);
		expect("late 0", "", 0, true);
		/* no deadline for the net, but one for MPI_Finalize */
		expect("all 0", "GSHMEM_NET_DEADLINE=0", 0, true);
		return 0;
	}
	gshmem_init();
	me = gshmem_my_pe();
	gshmem_barrier_all();
	gshmem_finalize();
	is_late = !strcmp(argv[1], "late") && me == 1;
	hangs = !strcmp(argv[1], "all") || (!strcmp(argv[1], "one") && me == 1) ||
		(!strcmp(argv[1], "late") && me == 0);
	return me == 1 ? atoi(argv[2]) : 0;
}
