/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI, for the files of the library that call it. The library is not linked with MPI. It finds the MPI of this
 * process, or loads one when it first needs it (mpi.c), so that a job that starts without MPI runs where none
 * is installed; then it takes the shim of that MPI, from a file (plugin.c) or, in libgshmem.a, from the archive
 * (builtin.c).
 */
#ifndef GSHMEMI_MPI_MPI_H
#define GSHMEMI_MPI_MPI_H

#include "mpi/shim.h"

/* The table; NULL until gshmemi_mpi_load has succeeded. */
extern const struct gshmemi_mpi *gshmemi_mpi;

/*
 * Finds MPI in this process, or loads it. Returns 0, or a negative errno after a message that begins with
 * what. Does nothing the second time. Called before the first function of the table.
 */
int gshmemi_mpi_load(const char *what);

/* Whether there is an MPI in this process, or one that can be loaded with its shim; without a message. */
bool gshmemi_mpi_is_there(void);

/*
 * Whether the MPI that is loaded is the one of an mpi.h: abi is that mpi.h's GSHMEMX_MPI_ABI (gshmemx_mpi.h),
 * nbytes the size of a handle in it. Returns 0, or -EINVAL after a message that begins with what.
 */
int gshmemi_mpi_check_abi(const char *what, int abi, size_t nbytes);

/* Returns a function that not every MPI has, or NULL. */
void *gshmemi_mpi_find(const char *name);

/* Whether MPI says that it can send from memory of this kind of device. */
bool gshmemi_mpi_takes_device(void);

/* The kinds of MPI, by their ABIs. The numbers are those of GSHMEMX_MPI_ABI. */
enum gshmemi_mpi_kind {
	GSHMEMI_MPI_NONE,
	GSHMEMI_MPI_MPICH,
	GSHMEMI_MPI_OPENMPI,
	GSHMEMI_MPI_STANDARD,
	GSHMEMI_MPI_NKINDS
};

/*
 * plugin.c or builtin.c. Returns the shim of that name (mpich, openmpi, abi), or NULL; why then says what was
 * looked for.
 */
gshmemi_mpi_shim_t *gshmemi_mpi_find_shim(const char *name, char *why, size_t nbytes);

#endif /* GSHMEMI_MPI_MPI_H */
