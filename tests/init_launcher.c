/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* delivery: no, its jobs are to fail */
/*
 * A launcher that this MPI does not know has started several processes, each of which is alone for MPI: init
 * fails and says so. One process is a job of one PE wherever its environment does not speak of several.
 */
#include <gshmem.h>
#include <errno.h>
#include <mpi.h>

#include "job.h"

static int pe_main(const char *how)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	MPI_Comm comm = MPI_COMM_SELF;
	int rc;

	if (strcmp(how, "void") == 0) {
		gshmem_init(); /* ends the process */
		gshmem_finalize();
		return 0;
	}
	MPI_Init(NULL, NULL);
	if (strcmp(how, "self") == 0)
		attr.mpi_comm = &comm;
	rc = gshmemx_init_attr(&attr);
	if (!rc)
		gshmem_finalize();
	MPI_Finalize();
	return -rc;
}

/* Run this program with no launcher of ours. text: of its only message; NULL: none. */
static void expect(const char *env, const char *how, int status, const char *text)
{
	char self[PATH_MAX] = "", command[2 * PATH_MAX], output[4096];
	size_t got;
	FILE *pipe;

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		t_fail("/proc is not there");
	snprintf(command, sizeof command,
		"env -u PMI_FD -u PMI_RANK -u PMI_SIZE %s timeout 60 %s %s 2>&1 </dev/null", env, self, how);
	pipe = popen(command, "r");
	t_check(pipe, "popen");
	got = fread(output, 1, sizeof output - 1, pipe);
	output[got] = 0;
	t_equal(WEXITSTATUS(pclose(pipe)), status, command);
	t_check(text ? strstr(output, text) && !strstr(strchr(output, '\n') + 1, "gshmem")
		     : !strstr(output, "gshmem"),
		"%s: expected \"%s\":\n%s", env, text ? text : "no message", output);
}

int main(int argc, char **argv)
{
	static struct t_job job;

	if (argc > 1)
		return pe_main(argv[1]);
	expect("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0", "plain", EINVAL,
		"gshmem: init: OMPI_COMM_WORLD_SIZE=2 says that Open MPI's launcher has started several processes");
	expect("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0", "plain", EINVAL, "mpirun.mpich");
	/* one speaks for all */
	expect("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1", "plain", EINVAL, NULL);
	expect("OMPI_COMM_WORLD_SIZE=2", "void", 1, "unset OMPI_COMM_WORLD_SIZE for a job of one PE");
	expect("PMI_SIZE=4", "plain", EINVAL, "gshmem: init: PMI_SIZE=4 says");
	expect("SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0", "plain", EINVAL,
		"gshmem: init: SLURM_STEP_NUM_TASKS=3 says");
#ifndef OPEN_MPI /* alone, its MPI_Init sets these itself */
	expect("PMIX_RANK=1 PMIX_NAMESPACE=x", "plain", EINVAL, "gshmem: init: PMIX_RANK=1 says");
#endif

	expect("", "plain", 0, NULL);
	expect("OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 PMIX_RANK=0", "plain", 0, NULL);
	/* in a shell of salloc */
	expect("SLURM_JOB_ID=7 SLURM_NTASKS=8 SLURM_NPROCS=8 SLURM_PROCID=0", "void", 0, NULL);
	expect("SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=8", "plain", 0, NULL);
	/* asks for a job of one PE */
	expect("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0", "self", 0, NULL);
	/* MPI knows of both */
	t_job_run(&job, 2, "OMPI_COMM_WORLD_SIZE=2 SLURM_STEP_NUM_TASKS=2", "", "plain", 20);
	t_check(job.status == 0 && !strstr(job.output, "gshmem"), "under mpirun:\n%s", job.output);
	return 0;
}
