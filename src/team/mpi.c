/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams of the processes of MPI's communicators, which call alone, as members.c has it. A number that the
 * first of them gives tells the calls of two communicators with the same processes apart.
 */
#include "team/team.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "bootstrap/bootstrap.h"
#include "mpi/mpi.h"

int gshmemi_team_check_mpi(const char *instead, const char *call)
{
	if (gshmemi_bootstrap_has_mpi())
		return 0;
	gshmemi_error("%s: the job was started by a unique id, not by MPI: use %s", call, instead);
	return -ENOTSUP;
}

static int check_comm(gshmemi_mpi_comm_t comm, const char *call)
{
	if (!comm) {
		gshmemi_error("%s: the communicator is MPI_COMM_NULL", call);
		return -EINVAL;
	}
	if (!gshmemi_mpi->comm_is_inter(comm))
		return 0;
	gshmemi_error("%s: the communicator is an intercommunicator", call);
	return -EINVAL;
}

/* Checks that all processes are PEs. All of them come to the same result; the first PE prints an error. */
static int check_pes(const int *pes, int npes, const char *call)
{
	int missing, first;

	for (missing = 0; missing < npes && pes[missing] >= 0; missing++)
		;
	if (missing == npes)
		return 0;
	for (first = 0; pes[first] < 0; first++) /* there is one: this PE */
		;
	if (pes[first] == gshmemi_state.my_pe)
		gshmemi_error("%s: process %d of the group is no PE", call, missing);
	return -EINVAL;
}

int gshmemi_team_make_of_group(gshmemi_mpi_group_t group, uint64_t tag, const gshmem_team_config_t *config,
	int local, const char *call, gshmem_team_t *new_team)
{
	const int npes = gshmemi_mpi->group_size(group);
	int *pes = calloc((size_t)npes, sizeof *pes), rc;

	if (!pes)
		gshmemi_end(1); /* the others are in the same call, and cannot be told */
	gshmemi_bootstrap_find_pes(group, npes, pes);
	rc = check_pes(pes, npes, call);
	if (!rc)
		rc = gshmemi_team_make_by_members(pes, npes, config, tag, local, call, new_team);
	free(pes);
	return rc;
}

int gshmemx_team_from_mpi_handle(const void *comm_p, size_t nbytes, int abi,
	const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team)
{
	static const char call[] = "gshmemx_team_from_mpi";
	static _Atomic uint64_t ncalls;
	gshmem_team_config_t own = {0};
	gshmemi_mpi_comm_t comm;
	gshmemi_mpi_group_t group;
	uint64_t number;
	int rc;

	GSHMEMI_ENTER_COLLECTIVE(call);
	*new_team = GSHMEM_TEAM_INVALID;
	rc = gshmemi_team_check_mpi("gshmemx_team_create_by_members", call);
	rc = rc ? rc : gshmemi_mpi_check_abi(call, abi, nbytes);
	if (rc) /* on all processes alike */
		return rc;
	comm = gshmemi_mpi->read_comm(comm_p);
	rc = check_comm(comm, call);
	if (rc)
		return rc;
	rc = gshmemi_team_read_config(config, config_mask, &own, call);
	number = atomic_fetch_add(&ncalls, 1) + 1;
	gshmemi_mpi->bcast(&number, sizeof number, 0, comm);
	gshmemi_mpi->comm_group(comm, &group);
	rc = gshmemi_team_make_of_group(group, GSHMEMI_TAG_MPI + number, &own, rc, call, new_team);
	gshmemi_mpi->group_free(&group);
	return rc;
}

/* For programs that were built before 0.2, with MPICH's mpi.h. */
GSHMEM_HOST_API int gshmemx_team_from_mpi(
	int comm, const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team);
int gshmemx_team_from_mpi(
	int comm, const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team)
{
	return gshmemx_team_from_mpi_handle(
		&comm, sizeof comm, GSHMEMI_MPI_MPICH, config, config_mask, new_team);
}
