/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the project's parts call in each other. All of them launch kernels. */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <gshmem.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * All PEs call together, with symmetric addresses; 0 when the kernel has run.
 *
 * fill   the program: writes first, first + 1, ... to dest here
 * shift  libshift: puts source to dest on the next PE
 * add    libsum: adds all of source to *total on PE 0
 * mark   mark.so: puts value to dest on the next PE
 */
int fill(long *dest, long first, size_t nelems);
int shift(long *dest, const long *source, size_t nelems);
int add(long *total, const long *source, size_t nelems);
typedef int mark_fn(long *dest, long value);

#ifdef __cplusplus
}
#endif

#endif
