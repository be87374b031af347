/* SPDX-License-Identifier: BSD-3-Clause */
/* The shims of libgshmem.a, which has them as members. The Makefile says for which MPIs there was an mpi.h. */
#include <stdio.h>
#include <string.h>

#include "mpi/mpi.h"

static const struct {
	const char *name;
	gshmemi_mpi_shim_t *shim;
} shims[] = {
#define X(NAME) {#NAME, gshmemi_mpi_shim_##NAME},
	GSHMEMI_MPI_BUILTIN(X)
#undef X
		{NULL, NULL}};

gshmemi_mpi_shim_t *gshmemi_mpi_find_shim(const char *name, char *why, size_t nbytes)
{
	unsigned i;

	for (i = 0; shims[i].name; i++)
		if (strcmp(shims[i].name, name) == 0)
			return shims[i].shim;
	snprintf(why, nbytes, "libgshmem.a was built without that mpi.h");
	return NULL;
}
