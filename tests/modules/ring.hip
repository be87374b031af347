/* SPDX-License-Identifier: BSD-3-Clause */
/* Loaded at run time by tests/module.hip. */
#ifndef GSHMEM_MODULE
#define GSHMEM_MODULE
#endif
#include <gshmem.h>

/* Every thread puts its number plus one to the next PE, and waits for that of the previous PE. */
extern "C" __global__ void ring_pass(long *words, int *npes)
{
	int next = (gshmem_my_pe() + 1) % gshmem_n_pes();

	gshmem_long_p(&words[threadIdx.x], (long)threadIdx.x + 1, next);
	gshmem_long_wait_until(&words[threadIdx.x], GSHMEM_CMP_EQ, (long)threadIdx.x + 1);
	if (threadIdx.x == 0)
		*npes = gshmem_n_pes();
}

#ifdef HIPCPU_MODULE_KERNEL
HIPCPU_MODULE_KERNEL(ring_pass)
#endif
