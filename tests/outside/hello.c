/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of OpenSHMEM: each PE writes to the heap of the next one. */
#include <shmem.h>
#include <stdio.h>

int main(void)
{
	shmem_init();
	int npes = shmem_n_pes(), pe = shmem_my_pe(), got;
	int *word = shmem_calloc(1, sizeof *word);

	if (!word)
		return 1;
	shmem_int_p(word, pe + 1, (pe + 1) % npes);
	shmem_barrier_all();
	got = shmem_int_g(word, pe);
	if (got != (pe + npes - 1) % npes + 1)
		fprintf(stderr, "PE %d got %d\n", pe, got);
	shmem_free(word);
	shmem_finalize();
	return got != (pe + npes - 1) % npes + 1;
}
