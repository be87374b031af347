/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for windows, in pieces: what gshmemx_win_allocate gives to the user, and the tables of windows. A
 * piece is part of a larger allocation, because an allocation may take a descriptor of the process, takes the
 * runtime long, and is one handle to open for a peer.
 */
#ifndef GSHMEMI_WIN_POOL_H
#define GSHMEMI_WIN_POOL_H

#include "base/base.h"

enum gshmemi_pool {
	GSHMEMI_POOL_FINE,   /* device memory that kernels see others change */
	GSHMEMI_POOL_DEVICE, /* any device memory */
	GSHMEMI_POOL_PINNED, /* of the host */
	GSHMEMI_NPOOLS
};

/* nbytes, aligned to 128. Any thread; what names it in messages. A negative errno after a message. */
int gshmemi_pool_alloc(enum gshmemi_pool pool, uint64_t nbytes, const char *what, void **ptr_p);
/* NULL is allowed. */
void gshmemi_pool_free(enum gshmemi_pool pool, void *ptr);
/* Whether an address lies in a pool. */
bool gshmemi_pool_contains(enum gshmemi_pool pool, const void *ptr);
/* All of them, used or not. */
void gshmemi_pools_close(void);

#endif /* GSHMEMI_WIN_POOL_H */
