/* SPDX-License-Identifier: BSD-3-Clause */
/* A module of another ABI version, for tests/module.hip. */
#ifndef GSHMEM_MODULE
#define GSHMEM_MODULE
#endif
#include <gshmem/state/state.h>
#undef GSHMEMI_ABI
#define GSHMEMI_ABI 77
#include <gshmem.h>

extern "C" __global__ void kernel(long *word)
{
	gshmem_long_p(word, 1, 0);
}
