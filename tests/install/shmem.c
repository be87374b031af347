/* SPDX-License-Identifier: BSD-3-Clause */
/* An OpenSHMEM program in C, with calls of 1.0 and of 1.6, that includes only shmem.h. */
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
	shmem_p(dest, 0, _my_pe()); /* the memory may be a GPU's */
	shmem_barrier_all();
	shmem_p(dest, random() % 2 + 1, next); /* POSIX's, with no -std= */
	shmem_wait_until(dest, SHMEM_CMP_NE, 0);
	return shmem_g(dest, _my_pe()) < 1 || shmem_g(dest, _my_pe()) > 2;
}
