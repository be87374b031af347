/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows over the memory of MPI's windows. To make one, the MPI window's processes need a team for a while.
 */
#include "win/win.h"

#include "mpi/mpi.h"
#include "team/team.h"

static const char call[] = "gshmemx_win_from_mpi";

static int describe_memory(const void *mpi_win, struct gshmemi_mpi_memory *memory)
{
	gshmemi_mpi->win_describe(mpi_win, memory);
	if (memory->is_dynamic) {
		gshmemi_error("%s: MPI does not say what is attached to a dynamic window: use "
			      "gshmemx_win_create_dynamic",
			call);
		return -ENOTSUP;
	}
	if (!memory->is_known) {
		gshmemi_error("%s: MPI does not say how large the window is", call);
		return -EINVAL;
	}
	return 0;
}

int gshmemx_win_from_mpi_handle(const void *mpi_win, size_t nbytes, int abi, gshmemx_win_t *win_p)
{
	const gshmem_team_config_t config = {0};
	struct gshmemi_mpi_memory memory;
	gshmemi_mpi_group_t group;
	gshmem_team_t team;
	int rc;

	rc = gshmemi_enter_collective_int(call);
	rc = rc ? rc : gshmemi_team_check_mpi("gshmemx_win_create", call);
	rc = rc ? rc : gshmemi_mpi_check_abi(call, abi, nbytes);
	rc = rc ? rc : describe_memory(mpi_win, &memory);
	if (rc) /* on all PEs alike */
		return rc;
	gshmemi_mpi->win_group(mpi_win, &group);
	rc = gshmemi_team_make_of_group(group, GSHMEMI_TAG_MPI, &config, 0, call, &team);
	gshmemi_mpi->group_free(&group);
	if (rc)
		return rc;
	rc = gshmemx_win_create(team, memory.base, memory.nbytes, (size_t)memory.disp_unit, win_p);
	gshmem_team_destroy(team); /* the window does not need it */
	return rc;
}

/* For programs that were built before 0.2, with MPICH's mpi.h. */
GSHMEM_HOST_API int gshmemx_win_from_mpi(int mpi_win, gshmemx_win_t *win_p);
int gshmemx_win_from_mpi(int mpi_win, gshmemx_win_t *win_p)
{
	return gshmemx_win_from_mpi_handle(&mpi_win, sizeof mpi_win, GSHMEMI_MPI_MPICH, win_p);
}
