/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the blocks of pinned memory, in the one file of a program that includes it. */
#ifndef T_PINNED_H
#define T_PINNED_H

#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

/* Blocks of pinned memory: the library's calls come here first. */
static int npinned;

hipError_t hipHostMalloc(void **ptr, size_t nbytes, unsigned flags)
{
	hipError_t (*next)(void **, size_t, unsigned);
	hipError_t error;

	*(void **)&next = dlsym(RTLD_NEXT, "hipHostMalloc");
	error = next(ptr, nbytes, flags);
	npinned += error == hipSuccess;
	return error;
}

hipError_t hipHostFree(void *ptr)
{
	hipError_t (*next)(void *);

	*(void **)&next = dlsym(RTLD_NEXT, "hipHostFree");
	npinned -= ptr != NULL;
	return next(ptr);
}

#endif /* T_PINNED_H */
