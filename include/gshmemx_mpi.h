/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx_mpi: calls with MPI's own types, for programs that include mpi.h. gshmem.h does not include it. One
 * libgshmem serves every MPI, whose handles differ: so these calls are inline, and tell it which mpi.h this is.
 */
#ifndef GSHMEMX_MPI_H
#define GSHMEMX_MPI_H

#include <gshmemx_win.h>
GSHMEMI_BEGIN_CXX
#include <mpi.h>
GSHMEMI_END_CXX

GSHMEMI_BEGIN_C

/* The ABI of the mpi.h of this compilation, a GSHMEMX_MPI_ of gshmemx.h. */
#if defined(OPEN_MPI)
#define GSHMEMX_MPI_ABI GSHMEMX_MPI_OPENMPI
#elif defined(MPI_ABI_VERSION) && MPI_ABI_VERSION + 0 > 0
#define GSHMEMX_MPI_ABI GSHMEMX_MPI_STANDARD
#else
#define GSHMEMX_MPI_ABI GSHMEMX_MPI_MPICH
#endif

/*
 * gshmemx_team_from_mpi - make a team of the processes of a communicator.
 *
 * comm      an intracommunicator, whose processes are PEs; PE i of the team is the process with rank i
 * config, config_mask, new_team  as with gshmemx_team_create
 *
 * Callable  host, collective over comm; other PEs need not know of it.
 * Returns   0 on all its processes when all have called, or a negative errno on all of them. The team
 *           outlives comm; gshmem_team_destroy ends it.
 * Errors    after a message: MPI_COMM_NULL, an intercommunicator, or a process that is no PE; -ENOTSUP if the
 *           job was started by a unique id; -EINVAL if the MPI of the process is not the one of this mpi.h;
 *           and as gshmem_team_split_strided.
 */
GSHMEM_HOST_INLINE int gshmemx_team_from_mpi(
	MPI_Comm comm, const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team);

static inline int gshmemx_team_from_mpi(
	MPI_Comm comm, const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team)
{
	return gshmemx_team_from_mpi_handle(
		&comm, sizeof comm, GSHMEMX_MPI_ABI, config, config_mask, new_team);
}

/*
 * gshmemx_win_from_mpi - make a window over the memory of an MPI window, for kernels.
 *
 * mpi_win  of MPI_Win_create or MPI_Win_allocate, over any communicator whose processes are PEs
 * win_p    receives the window; its PEs have the ranks of mpi_win as their numbers
 *
 * Both windows exist at the same time, each with its own epochs, so a program can move its operations from
 * one to the other piece by piece. Accumulates of the two are not atomic with respect to each other. Free
 * this one first. Memory is as with gshmemx_win_create; that of MPI_Win_allocate is most often the host's,
 * and is reached over MPI.
 *
 * Callable  host, collective over the processes of mpi_win; for windows of the same processes by one thread
 *           at a time.
 * Returns   as gshmemx_win_create.
 * Order     the end of an epoch of one window makes what it has put visible to the other.
 * Errors    as gshmemx_win_create; -ENOTSUP for a window of MPI_Win_create_dynamic; -EINVAL if a process is
 *           no PE, or if the MPI of the process is not the one of this mpi.h.
 */
GSHMEM_HOST_INLINE int gshmemx_win_from_mpi(MPI_Win mpi_win, gshmemx_win_t *win_p);

static inline int gshmemx_win_from_mpi(MPI_Win mpi_win, gshmemx_win_t *win_p)
{
	return gshmemx_win_from_mpi_handle(&mpi_win, sizeof mpi_win, GSHMEMX_MPI_ABI, win_p);
}

GSHMEMI_END_C

#endif /* GSHMEMX_MPI_H */
