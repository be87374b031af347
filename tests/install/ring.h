/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two units and the module of tests/install's program share. */
#ifndef RING_H
#define RING_H

#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <stdio.h>
#include <stdlib.h>

#define RING_NELEMS 64

/* Puts n longs to the next PE's dest, from a kernel of the second unit. */
void ring_shift(long *dest, const long *source, size_t n);

/* The module's function: puts value to the next PE's dest, from a kernel. */
typedef void ring_mark_fn(long *dest, long value);

/* Fail unless got is expected. */
static inline void ring_check(const char *what, long got, long expected)
{
	if (got == expected)
		return;
	fprintf(stderr, "pe %d: %s: expected %ld, got %ld\n", gshmem_my_pe(), what, expected, got);
	exit(1);
}

#endif
