/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 4 */
/*
 * A kernel that communicates: without the CPU, a work-group sends an array to the next PE and waits
 * for all PEs.
 *
 *     gshmemcc -o ring 02_ring.hip && mpirun -n 4 ./ring
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <stdio.h>

#define NELEMS 1000

__global__ static void ring(long *dest, const long *source, size_t n)
{
	const int peer = (gshmem_my_pe() + 1) % gshmem_n_pes();

	gshmemx_long_put_wg(dest, source, n, peer); /* all threads share the copying */
	gshmemx_barrier_all_wg();                   /* the puts of all PEs have arrived */
}

int main()
{
	static long values[NELEMS];

	gshmem_init();
	const int pe = gshmem_my_pe(), npes = gshmem_n_pes(), before = (pe + npes - 1) % npes;
	long *dest = (long *)gshmem_malloc(sizeof values), *source = (long *)gshmem_malloc(sizeof values);

	/* The heap is GPU memory: the CPU writes and reads it by hipMemcpy. */
	for (int i = 0; i < NELEMS; i++)
		values[i] = pe * 10000L + i;
	if (hipMemcpy(source, values, sizeof values, hipMemcpyHostToDevice) != hipSuccess)
		return 1;

	/* Work-groups that wait for other PEs must all be resident. A single one always is. */
	hipLaunchKernelGGL(ring, dim3(1), dim3(256), 0, 0, dest, source, (size_t)NELEMS);
	if (hipMemcpy(values, dest, sizeof values, hipMemcpyDeviceToHost) != hipSuccess)
		return 1;

	int nwrong = 0;
	for (int i = 0; i < NELEMS; i++)
		nwrong += values[i] != before * 10000L + i;
	printf("PE %d of %d: %d of %d values from PE %d are wrong\n", pe, npes, nwrong, NELEMS, before);
	gshmem_finalize();
	return nwrong != 0;
}
