/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests/mpis.sh: a program that calls MPI, and gives gshmem handles of it. Each PE prints how many there are. */
#include <errno.h>
#include <gshmemx_mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	gshmem_team_t team = GSHMEM_TEAM_INVALID;
	int level, other, wrong = 0;
	MPI_Comm comm;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	attr.mpi_comm = &comm;
	if (gshmemx_init_attr(&attr))
		return 1;
	wrong |= gshmemx_team_from_mpi(comm, NULL, 0, &team) != 0;
	wrong |= gshmem_team_n_pes(team) != gshmem_n_pes();
	/* as a program does that another mpi.h was compiled into */
	other = GSHMEMX_MPI_ABI == GSHMEMX_MPI_MPICH ? GSHMEMX_MPI_OPENMPI : GSHMEMX_MPI_MPICH;
	wrong |= gshmemx_team_from_mpi_handle(&comm, sizeof comm, other, NULL, 0, &team) != -EINVAL;
	wrong |= gshmemx_team_from_mpi_handle(&comm, 1, GSHMEMX_MPI_ABI, NULL, 0, &team) != -EINVAL;
	printf("PE of %d%s\n", gshmem_n_pes(), wrong ? ", wrong" : "");
	gshmem_finalize();
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return wrong;
}
