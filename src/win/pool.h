/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory in pieces: that of gshmemx_win_allocate, the tables of windows, arguments of host calls. Pieces are
 * parts of larger allocations, because each allocation takes long, may cost the process a descriptor, and
 * costs each peer a handle to open.
 */
#ifndef GSHMEMI_WIN_POOL_H
#define GSHMEMI_WIN_POOL_H

#include "base/base.h"

enum gshmemi_pool {
	GSHMEMI_POOL_FINE,   /* device memory in which a running kernel sees what others put */
	GSHMEMI_POOL_DEVICE, /* any device memory */
	GSHMEMI_POOL_PINNED, /* host memory */
	GSHMEMI_NPOOLS
};

/*
 * Allocate nbytes, aligned to 128; any thread. what names them in messages. Returns a negative
 * errno after one.
 */
int gshmemi_pool_alloc(enum gshmemi_pool pool, uint64_t nbytes, const char *what, void **ptr_p);
/* NULL is allowed. */
void gshmemi_pool_free(enum gshmemi_pool pool, void *ptr);
/* Whether an address lies in a pool. */
bool gshmemi_pool_contains(enum gshmemi_pool pool, const void *ptr);
/* Free all pools, used or not. */
void gshmemi_pools_close(void);

#endif /* GSHMEMI_WIN_POOL_H */
