/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/* platform: cpu */ /* as programs of OpenSHMEM do, its CPU touches the symmetric heap */
/*
 * A program's own shmem_X replaces the library's, which it calls as pshmem_X; the library
 * itself never calls the program's.
 */
#include <pshmem.h>
#include "../helpers.h"

static int nputs, nbarriers, level;

void shmem_putmem(void *dest, const void *source, size_t nbytes, int pe)
{
	nputs++;
	pshmem_putmem(dest, source, nbytes, pe);
}

void shmem_long_put(long *dest, const long *source, size_t nelems, int pe)
{
	nputs += 10;
	shmem_putmem(dest, source, nelems * sizeof *dest, pe);
}

void shmem_barrier_all(void)
{
	nbarriers++;
	pshmem_barrier_all();
}

void shmem_pcontrol(int wanted, ...)
{
	level = wanted;
	pshmem_pcontrol(wanted);
}

int main(void)
{
	long *dest, value;

	shmem_init();
	value = shmem_my_pe() + 100;
	dest = shmem_calloc(2, sizeof *dest); /* which has a barrier */
	shmem_pcontrol(2);
	shmem_putmem(&dest[0], &value, sizeof value, 1 - shmem_my_pe());
	shmem_put(&dest[1], &value, 1, 1 - shmem_my_pe()); /* long_put */
	shmem_barrier_all();
	t_equal(dest[0], 101 - shmem_my_pe(), "putmem");
	t_equal(dest[1], 101 - shmem_my_pe(), "put");
	t_equal(nputs, 12, "puts by the program's own");
	t_equal(nbarriers, 1, "barriers by the program's own");
	t_equal(level, 2, "pcontrol");
	shmem_free(dest);
	shmem_finalize();
	return 0;
}
