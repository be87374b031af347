/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows over the memory of MPI's windows. To make one, the MPI window's processes need a team for a while.
 */
#include "win/win.h"

#include <gshmemx_mpi.h>

#include "mpi/direct.h"
#include "team/team.h"

static const char call[] = "gshmemx_win_from_mpi";

/* This process's memory in an MPI window. */
struct memory {
	void *base;
	MPI_Aint nbytes;
	int disp_unit;
};

static void *find_attribute(MPI_Win win, int key)
{
	void *value = NULL;
	int has_one = 0;

	MPI_Win_get_attr(win, key, &value, &has_one);
	return has_one ? value : NULL;
}

static int describe_memory(MPI_Win win, struct memory *memory)
{
	const int *flavor = find_attribute(win, MPI_WIN_CREATE_FLAVOR),
		  *unit = find_attribute(win, MPI_WIN_DISP_UNIT);
	const MPI_Aint *nbytes = find_attribute(win, MPI_WIN_SIZE);

	if (flavor && *flavor == MPI_WIN_FLAVOR_DYNAMIC) {
		gshmemi_error("%s: MPI does not say what is attached to a dynamic window: use "
			      "gshmemx_win_create_dynamic",
			call);
		return -ENOTSUP;
	}
	if (!unit || !nbytes) {
		gshmemi_error("%s: MPI does not say how large the window is", call);
		return -EINVAL;
	}
	memory->base = find_attribute(win, MPI_WIN_BASE);
	memory->nbytes = *nbytes;
	memory->disp_unit = *unit;
	return 0;
}

int gshmemx_win_from_mpi(MPI_Win mpi_win, gshmemx_win_t *win_p)
{
	const gshmem_team_config_t config = {0};
	struct memory memory;
	gshmem_team_t team;
	MPI_Group group;
	int rc;

	rc = gshmemi_enter_collective_int(call);
	rc = rc ? rc : gshmemi_team_check_mpi("gshmemx_win_create", call);
	rc = rc ? rc : describe_memory(mpi_win, &memory);
	if (rc) /* on all PEs alike */
		return rc;
	MPI_Win_get_group(mpi_win, &group);
	rc = gshmemi_team_make_of_group(&group, GSHMEMI_TAG_MPI, &config, 0, call, &team);
	MPI_Group_free(&group);
	if (rc)
		return rc;
	rc = gshmemx_win_create(team, memory.base, (size_t)memory.nbytes, (size_t)memory.disp_unit, win_p);
	gshmem_team_destroy(team); /* the window does not need it */
	return rc;
}
