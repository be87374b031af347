/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local memory that the program has registered (gshmemx_buffer_register): which of it only the device
 * reaches. Kernels find the buffers from the device state.
 */
#ifndef GSHMEMI_HEAP_BUFFERS_H
#define GSHMEMI_HEAP_BUFFERS_H

#include "base/base.h"

int gshmemi_buffers_open(void);
void gshmemi_buffers_close(void);

/* For the state: host-pinned. */
const struct gshmemi_buffers *gshmemi_buffers_table(void);

/* Whether address is in a buffer that the CPU does not reach. Any thread may call. */
bool gshmemi_buffers_are_device(const void *address);

#endif /* GSHMEMI_HEAP_BUFFERS_H */
