/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * If MPI_Finalize never returns, as MPICH's over UCX's TCP now and then, the job still
 * ends with the program's status.
 */
#include <gshmem.h>
#include <stdbool.h>

#include "finalize.h"
#include "nodes.h"

static void expect(const char *what, const char *env, int status, bool is_late)
{
	static struct t_job job;
	const double begun_s = t_seconds();
	bool says_so;

	t_job_run(&job, t_nodes_npes(), env, "", what, 30);
	says_so = strstr(job.output, "MPI_Finalize has not returned for 3 s") != NULL;
	t_check(job.status == status, "%s: exit status %d, not %d:\n%s", what, job.status, status,
		job.output);
	t_check(says_so || !is_late, "%s: nothing was said of MPI_Finalize:\n%s", what, job.output);
	t_check(t_seconds() - begun_s < 10, "%s: took %.1f s", what, t_seconds() - begun_s);
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
		/* no deadline for the net, but one for MPI_Finalize */
		expect("all 0", "GSHMEM_NET_DEADLINE=0", 0, true);
		return 0;
	}
	gshmem_init();
	me = gshmem_my_pe();
	gshmem_barrier_all();
	gshmem_finalize();
	hangs = !strcmp(argv[1], "all") || (!strcmp(argv[1], "one") && me == 1);
	return me == 1 ? atoi(argv[2]) : 0;
}
