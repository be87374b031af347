/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3 */
/* env: UCX_TLS=tcp,self OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self */
/* platform: cpu */
/*
 * A program starts with stdin, stdout and stderr closed, and MPI, which the library has started, uses
 * sockets. It makes them when it first reaches a PE, and none may take these numbers: what the program prints
 * would get into what MPI says. Also where others reach a PE before its MPI_Init has returned.
 */
#include <fcntl.h>
#include <gshmem.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "helpers.h"
#include "sockets.h"

static int kept; /* stderr, for the test's own message */

/* In place of MPI's: PE 0 is late, and serves the others meanwhile. */
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	const int rc = PMPI_Init_thread(argc, argv, required, provided);
	int i, rank, is_there;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (i = 0; rank == 0 && i < 500; i++) {
		PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
		usleep(1000);
	}
	return rc;
}

static void must_be_null(const char *when)
{
	char path[32], name[128] = "";
	int fd;

	for (fd = 0; fd < 3; fd++) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		if (readlink(path, name, sizeof name - 1) > 0 && !strcmp(name, "/dev/null"))
			continue;
		dup2(kept, STDERR_FILENO);
		t_fail("%s: descriptor %d is not /dev/null but %s", when, fd, name);
	}
}

int main(void)
{
	int i;

	t_need_sockets();
	kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	for (i = 0; i < 3; i++)
		close(i);
	gshmem_init();
	must_be_null("init");
	gshmem_barrier_all();
	for (i = 0; i < 1000; i++)
		fprintf(stderr, "a message of the program on a closed stderr\n");
	gshmem_barrier_all();
	gshmem_finalize();
	must_be_null("finalize");
	return 0;
}
