/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Finalize of the program that includes this: it hangs where hangs is set, as MPICH's over TCP may. */
#ifndef T_FINALIZE_H
#define T_FINALIZE_H

#include <mpi.h>
#include <stdbool.h>
#include <unistd.h>

static bool hangs;

/* In place of MPI's. */
int MPI_Finalize(void)
{
	while (hangs)
		sleep(100);
	return PMPI_Finalize();
}

#endif /* T_FINALIZE_H */
