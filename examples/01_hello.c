/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * The smallest program, without a kernel: on the CPU, every PE writes its number to the next PE.
 *
 *     gshmemcc -o hello 01_hello.c && mpirun -n 4 ./hello
 */
#include <gshmem.h>
#include <stdio.h>

int main(void)
{
	int pe, npes, before;
	long *dest, got;

	gshmem_init();
	pe = gshmem_my_pe();
	npes = gshmem_n_pes();
	before = (pe + npes - 1) % npes;

	/* Every PE has this object. dest with a PE's number names the object on that PE. */
	dest = gshmem_calloc(1, sizeof *dest);

	gshmem_long_p(dest, pe, (pe + 1) % npes);
	gshmem_barrier_all(); /* completes the writes, and waits for all PEs */

	got = gshmem_long_g(dest, pe);
	printf("PE %d of %d: PE %ld wrote to me\n", pe, npes, got);

	gshmem_free(dest);
	gshmem_finalize();
	return got != before;
}
