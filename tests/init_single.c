/* SPDX-License-Identifier: BSD-3-Clause */
/* A program started without a launcher is a job of one PE. */
#include <gshmem.h>

#include "oracle.h"

int main(void)
{
	long *word;

	gshmem_init();
	t_equal(gshmem_my_pe(), 0, "my_pe");
	t_equal(gshmem_n_pes(), 1, "n_pes");
	word = gshmem_calloc(1, sizeof *word);
	gshmem_long_atomic_add(word, 5, 0);
	gshmem_barrier_all();
	t_equal(t_read_u64(word), 5, "an atomic on itself");
	gshmem_finalize();
	return 0;
}
