/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits, order and barriers on the host: the exported functions, stamped from the bodies that kernels use.
 */
#include "host/internal.h"

#include <gshmem/sync.h>

/* A size that is a constant in each branch keeps the polling loop as short as a kernel's. */
uint64_t gshmemi_host_wait(const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	switch (nbytes) {
	case 2:
		return gshmemi_wait_until(GSHMEMI_THREAD, ivar, 2, is_signed, cmp, value, call);
	case 4:
		return gshmemi_wait_until(GSHMEMI_THREAD, ivar, 4, is_signed, cmp, value, call);
	default:
		return gshmemi_wait_until(GSHMEMI_THREAD, ivar, 8, is_signed, cmp, value, call);
	}
}

int gshmemi_host_test(const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	return gshmemi_test(ivar, nbytes, is_signed, cmp, value, call);
}

void gshmemi_host_fence(const char *call)
{
	gshmemi_fence(GSHMEMI_THREAD, call);
}

void gshmemi_host_quiet(const int *target_pes, size_t npes, const char *call)
{
	gshmemi_quiet(GSHMEMI_THREAD, target_pes, npes, call);
}

void gshmemi_host_sync_all(int quiet, const char *call)
{
	gshmemi_sync_all(GSHMEMI_THREAD, quiet, call);
}
