/* SPDX-License-Identifier: BSD-3-Clause */
/* gshmemx_mpi: what takes or gives MPI's own types. Included by programs that include mpi.h; gshmem.h does not. */
#ifndef GSHMEMX_MPI_H
#define GSHMEMX_MPI_H

#include <gshmemx_win.h>
#include <mpi.h>

GSHMEMI_BEGIN_C

/*
 * gshmemx_win_from_mpi - a window over the memory of an MPI window, for kernels.
 *
 * mpi_win  of MPI_Win_create or MPI_Win_allocate; its processes are PEs, whose numbers lie at one stride
 * win_p    gets the window; its PEs have the ranks of mpi_win as their numbers
 *
 * Both windows are there at the same time, each with its own epochs: a program moves its accesses from one to
 * the other piece by piece. What one of them has put is there for the other behind the end of the epoch.
 * Accumulates of the two are not atomic with respect to each other. Free this one first. Memory as with
 * gshmemx_win_create; that of MPI_Win_allocate is most often of the host, and reached over MPI.
 *
 * Callable  host, collective over the processes of mpi_win.
 * Returns   as gshmemx_win_create; -ENOTSUP for a window of MPI_Win_create_dynamic; -EINVAL where a process
 *           is no PE, or they are not at one stride.
 */
GSHMEM_HOST_API int gshmemx_win_from_mpi(MPI_Win mpi_win, gshmemx_win_t *win_p);

GSHMEMI_END_C

#endif /* GSHMEMX_MPI_H */
