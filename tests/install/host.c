/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An external program in plain C11: gshmem.h includes no HIP header, gives no warning with -Wpedantic, and
 * defines no macro without our prefix.
 */

#include <gshmem.h>

#if defined(min) || defined(max) || defined(likely) || defined(unlikely) || defined(ARRAY_SIZE)
#error "gshmem.h defines a macro without its prefix"
#endif

int main(void)
{
	gshmem_init();
	int npes = gshmem_n_pes(), pe = gshmem_my_pe();
	long *dest = gshmem_malloc(sizeof(*dest));
	gshmem_long_p(dest, 10 + pe, (pe + 1) % npes);
	gshmem_barrier_all();
	int bad = gshmem_long_g(dest, pe) != 10 + (pe + npes - 1) % npes;
	gshmem_barrier_all();
	gshmem_free(dest);
	gshmem_finalize();
	return bad;
}
