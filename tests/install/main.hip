// SPDX-License-Identifier: BSD-3-Clause
// An external program with a kernel here, one in shift.hip, and one in a module that it loads at run time.
// Each sends to the next PE. Each unit has its own copy of the device state.

#include "ring.h"
#include <dlfcn.h>

__global__ static void mark_next(long *dest, long value)
{
	if (threadIdx.x == 0)
		gshmem_long_p(dest, value, (gshmem_my_pe() + 1) % gshmem_n_pes());
	gshmemx_barrier_all_wg();
}

int main(int argc, char **argv)
{
	gshmem_init();
	int npes = gshmem_n_pes(), pe = gshmem_my_pe(), before = (pe + npes - 1) % npes;
	if (argc < 2 || npes < 2) {
		fprintf(stderr, "usage: mpirun -n 2 ring MODULE\n");
		return 1;
	}
	long *dest = (long *)gshmem_malloc((RING_NELEMS + 2) * sizeof(long));
	long *source = (long *)gshmem_malloc(RING_NELEMS * sizeof(long));
	long here[RING_NELEMS]; /* the heap may be memory that only kernels and the library can touch */
	for (int i = 0; i < RING_NELEMS; i++)
		here[i] = 1000 * pe + i;
	gshmem_long_put(source, here, RING_NELEMS, pe);
	gshmem_barrier_all();

	ring_shift(dest, source, RING_NELEMS);
	gshmem_long_get(here, dest, RING_NELEMS, pe);
	for (int i = 0; i < RING_NELEMS; i++)
		ring_check("the kernel in the second file", here[i], 1000 * before + i);

	hipLaunchKernelGGL(mark_next, dim3(1), dim3(64), 0, 0, dest + RING_NELEMS, (long)pe);
	if (hipDeviceSynchronize() != hipSuccess)
		return 1;
	ring_check("the kernel in the first file", gshmem_long_g(dest + RING_NELEMS, pe), before);

	void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!module) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	ring_mark_fn *mark = (ring_mark_fn *)dlsym(module, "ring_mark");
	mark(dest + RING_NELEMS + 1, 77 + pe);
	ring_check("the kernel in the module", gshmem_long_g(dest + RING_NELEMS + 1, pe), 77 + before);

	gshmem_barrier_all();
	dlclose(module);
	gshmem_free(source);
	gshmem_free(dest);
	gshmem_finalize();
	return 0;
}
