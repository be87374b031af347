/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get, atomics and signals on the host: the exported functions, stamped as those of kernels. Where the CPU can reach
 * the heap by itself, p, g and atomics have the bodies of kernels; all that copies bytes is one call of host/direct.c. Else
 * each is a call of host/copies.c.
 */
#define GSHMEMI_LONG_ON_HOST() 1
#include "host/host.h"

#include <gshmem/move/signal.h>
