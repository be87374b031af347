/* SPDX-License-Identifier: BSD-3-Clause */
/* gshmemx_mpi: calls with MPI's own types, for programs that include mpi.h. gshmem.h does not include it. */
#ifndef GSHMEMX_MPI_H
#define GSHMEMX_MPI_H

#include <gshmemx_win.h>
GSHMEMI_BEGIN_CXX
#include <mpi.h>
GSHMEMI_END_CXX

GSHMEMI_BEGIN_C

/*
 * gshmemx_win_from_mpi - make a window over the memory of an MPI window, for kernels.
 *
 * mpi_win  of MPI_Win_create or MPI_Win_allocate; its processes are PEs whose numbers lie at one stride
 * win_p    receives the window; its PEs have the ranks of mpi_win as their numbers
 *
 * Both windows exist at the same time, each with its own epochs, so a program can move its operations from
 * one to the other piece by piece. Accumulates of the two are not atomic with respect to each other. Free
 * this one first. Memory is as with gshmemx_win_create; that of MPI_Win_allocate is most often the host's,
 * and is reached over MPI.
 *
 * Callable  host, collective over the processes of mpi_win.
 * Returns   as gshmemx_win_create.
 * Order     the end of an epoch of one window makes what it has put visible to the other.
 * Errors    as gshmemx_win_create; -ENOTSUP for a window of MPI_Win_create_dynamic; -EINVAL if a process is
 *           no PE, or if the PEs are not at one stride.
 */
GSHMEM_HOST_API int gshmemx_win_from_mpi(MPI_Win mpi_win, gshmemx_win_t *win_p);

GSHMEMI_END_C

#endif /* GSHMEMX_MPI_H */
