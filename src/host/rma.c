/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get, atomics and signals on the host: the exported functions, stamped as those of kernels. Where the CPU can reach
 * the heap by itself, p, g and atomics have the bodies of kernels; all that copies bytes calls host/direct.c. Else each
 * calls host/copies.c.
 */
#include "host/host.h"

#include <gshmem/move/signal.h>
