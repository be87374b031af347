/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program, in C11: passes numbers around with its own kernels and those of two libraries and of a module.
 */
#include "outside.h"
#include <dlfcn.h>
#include <stdio.h>

#define NELEMS 100

static int check(const char *what, long got, long expected)
{
	if (got == expected)
		return 0;
	fprintf(stderr, "PE %d: %s: expected %ld, got %ld\n", gshmem_my_pe(), what, expected, got);
	return 1;
}

int main(void)
{
	gshmem_init();
	int npes = gshmem_n_pes(), pe = gshmem_my_pe(), before = (pe + npes - 1) % npes, nbad = 0;
	long *source = gshmem_calloc(NELEMS, sizeof *source), *dest = gshmem_calloc(NELEMS, sizeof *dest);
	long *total = gshmem_calloc(1, sizeof *total);
	if (!source || !dest || !total)
		return 1;

	nbad += check("fill", fill(source, 1000 * pe, NELEMS), 0);
	nbad += check("shift", shift(dest, source, NELEMS), 0);
	for (int i = 0; i < NELEMS; i++)
		nbad += check("the kernel of libshift", gshmem_long_g(dest + i, pe), 1000 * before + i);

	nbad += check("add", add(total, dest, NELEMS), 0);
	nbad += check("the kernel of libsum", gshmem_long_g(total, 0),
		1000L * NELEMS * npes * (npes - 1) / 2 + (long)npes * NELEMS * (NELEMS - 1) / 2);

	/* Finds the module beside this program, wherever the program was started. */
	void *module = dlopen("$ORIGIN/mark.so", RTLD_NOW | RTLD_LOCAL);
	mark_fn *mark = NULL;
	if (module)
		*(void **)&mark = dlsym(module, "mark");
	if (!mark) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	gshmem_barrier_all();
	nbad += check("mark", mark(dest, 7 + pe), 0);
	nbad += check("the kernel of the module", gshmem_long_g(dest, pe), 7 + before);

	gshmem_barrier_all();
	dlclose(module);
	gshmem_free(total);
	gshmem_free(dest);
	gshmem_free(source);
	if (pe == 0 && !nbad)
		printf("ring of %d PEs: right\n", npes);
	gshmem_finalize();
	return nbad != 0;
}
