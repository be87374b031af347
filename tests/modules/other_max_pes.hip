/* SPDX-License-Identifier: BSD-3-Clause */
/* A module with another GSHMEM_MAX_PES, for tests/module.hip. */
#ifndef GSHMEM_MODULE
#define GSHMEM_MODULE
#endif
#define GSHMEM_MAX_PES 64
#include <gshmem.h>

extern "C" __global__ void kernel(long *word)
{
	gshmem_long_p(word, 1, 0);
}
