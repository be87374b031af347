/* SPDX-License-Identifier: BSD-3-Clause */
/* A module without the slow path, for tests/module.hip. */
#ifndef GSHMEM_MODULE
#define GSHMEM_MODULE
#endif
#define GSHMEM_DIRECT_ONLY
#include <gshmem.h>

extern "C" __global__ void kernel(long *word)
{
	gshmem_long_p(word, 1, 0);
}
