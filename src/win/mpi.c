/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows over the memory of MPI's windows. To make one, the MPI window's processes need a team for a while;
 * they agree on a place for it by MPI.
 */
#include "win/win.h"

#include <gshmemx_mpi.h>
#include <limits.h>
#include <stdlib.h>

#include "bootstrap/bootstrap.h"
#include "heap/heap.h"
#include "job/job.h"
#include "mpi/mpi.h"
#include "net/net.h"
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

/*
 * Find the PEs that the window's processes are, which must lie at one stride. All of them come to the same
 * result; the first one prints the error.
 */
static int find_pes(const MPI_Group *group, int npes, int *start_p, int *stride_p)
{
	int *pes = calloc((size_t)npes, sizeof *pes), i, rc = 0;

	if (!pes)
		gshmemi_end(1); /* the others are in the same call, and cannot be told */
	gshmemi_bootstrap_find_pes(group, npes, pes);
	*start_p = pes[0];
	*stride_p = npes > 1 ? pes[1] - pes[0] : 1;
	for (i = 0; i < npes; i++)
		if (pes[i] < 0 || pes[i] != pes[0] + i * *stride_p)
			rc = -EINVAL;
	if (rc && pes[0] == gshmemi_job->my_pe)
		gshmemi_error("%s: the window's processes are not PEs at one stride", call);
	free(pes);
	return rc;
}

/* Take a place for a team that is free on all PEs of the communicator; -1 if there is none. */
static int take_place(MPI_Comm comm, int start, int stride, int npes)
{
	int from = GSHMEMI_NPREDEFINED, place, mine, is_taken, all;

	for (;;) {
		mine = gshmemi_team_find_place(from, npes);
		mine = mine < 0 ? INT_MAX : mine;
		MPI_Allreduce(&mine, &place, 1, MPI_INT, MPI_MAX, comm);
		if (place == INT_MAX)
			return -1;
		is_taken = gshmemi_team_take_strided(place, start, stride, npes);
		MPI_Allreduce(&is_taken, &all, 1, MPI_INT, MPI_MIN, comm);
		if (all)
			return place;
		if (is_taken)
			gshmemi_team_leave_place(place);
		from = place + 1;
	}
}

/* Create the window over a team that nobody else knows of. */
static int create_over(
	MPI_Comm comm, const struct memory *memory, int start, int stride, int npes, gshmemx_win_t *win_p)
{
	const int place = take_place(comm, start, stride, npes);
	int rc;

	if (place < 0) {
		gshmemi_error("%s: no place for another team is free on all PEs of the window (GSHMEM_TEAMS)",
			call);
		return -ENOSPC;
	}
	rc = gshmemx_win_create(gshmemi_team_at(place), memory->base, (size_t)memory->nbytes,
		(size_t)memory->disp_unit, win_p);
	/* A late flag would count in the next team at this place. */
	gshmemi_host_quiet(GSHMEMI_CTX_LIBRARY, NULL, 0, call);
	if (gshmemi_net_is_running())
		gshmemi_net_complete(GSHMEMI_ENGINE_FLAGS, NULL, 0);
	MPI_Barrier(comm);
	gshmemi_team_leave_place(place);
	return rc;
}

/* Which PE an MPI process is, is known only in jobs that MPI started. */
static int check_job(void)
{
	if (gshmemi_bootstrap_has_mpi())
		return 0;
	gshmemi_error("%s: the job was started by a unique id, not by MPI: use gshmemx_win_create", call);
	return -ENOTSUP;
}

int gshmemx_win_from_mpi(MPI_Win mpi_win, gshmemx_win_t *win_p)
{
	struct memory memory;
	MPI_Group group;
	MPI_Comm comm;
	int npes, start, stride, rc;

	rc = gshmemi_enter_collective_int(call);
	rc = rc ? rc : check_job();
	rc = rc ? rc : describe_memory(mpi_win, &memory);
	if (rc) /* on all PEs alike */
		return rc;
	MPI_Win_get_group(mpi_win, &group);
	MPI_Group_size(group, &npes);
	rc = find_pes(&group, npes, &start, &stride);
	if (!rc) {
		gshmemi_bootstrap_create_comm(&group, &comm);
		rc = create_over(comm, &memory, start, stride, npes, win_p);
		MPI_Comm_free(&comm);
	}
	MPI_Group_free(&group);
	return rc;
}
