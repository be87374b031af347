/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"

#include <string.h>

#include "mpi/direct.h"
#include "mpi/mpi.h"

struct gshmemi_mpi_functions gshmemi_mpi_functions;

/*
 * MPICH's handles are numbers and Open MPI's are addresses, so code compiled for one cannot call the other.
 */
static int check_kind(const struct gshmemi_mpi_functions *mpi, const char *what)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length;

	mpi->Get_library_version(version, &length);
	if (!strstr(version, "Open MPI"))
		return 0;
	gshmemi_error("%s: the MPI of this process is Open MPI, but gshmem is built for MPICH and MPIs with "
		      "its ABI",
		what);
	return -ENOTSUP;
}

int gshmemi_mpi_functions_load(const char *what)
{
	struct gshmemi_mpi_functions mpi;
	int rc = gshmemi_mpi_load(what);

	if (rc || gshmemi_mpi_functions.Init_thread)
		return rc;
#define X(NAME) \
	*(void **)&mpi.NAME = gshmemi_mpi_find("MPI_" #NAME); \
	if (!mpi.NAME) { \
		gshmemi_error( \
			"%s: MPI_" #NAME " is missing in the MPI of this process: MPI 3 is needed", what); \
		return -ENOTSUP; \
	}
	GSHMEMI_MPI_CALLS(X)
#undef X
	rc = check_kind(&mpi, what);
	if (!rc)
		gshmemi_mpi_functions = mpi;
	return rc;
}
