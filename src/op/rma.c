/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exported put, get, atomics and signals of the host, stamped from the same lists as those of kernels.
 * Where the CPU can reach the heap by itself, p, g and atomics are compiled from the bodies of kernels, and
 * all calls that copy bytes go through direct.c. Elsewhere every call goes through copies.c.
 */
#include "op/op.h"

#include <gshmem/move/signal.h>
