/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of OpenSHMEM in C, of 1.0 and of 1.6, by shmem.h alone. */
#include <mpp/shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	long *dest;
	int next;

	start_pes(0);
	next = (_my_pe() + 1) % _num_pes();
	dest = shmem_malloc(sizeof *dest);
	*dest = 0;
	shmem_barrier_all();
	shmem_p(dest, random() % 2 + 1, next); /* POSIX's, with no -std= */
	shmem_wait_until(dest, SHMEM_CMP_NE, 0);
	return *dest < 1 || *dest > 2;
}
