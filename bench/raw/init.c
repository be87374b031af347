/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Init and MPI_Finalize alone: prints how many ms they took. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
	double started = now_ms(), initialized;

	MPI_Init(&argc, &argv);
	initialized = now_ms();
	MPI_Finalize();
	printf("%.3f %.3f\n", initialized - started, now_ms() - initialized);
}
