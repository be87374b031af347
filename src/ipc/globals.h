/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global and static variables of a program of OpenSHMEM, which are symmetric where the CPU's memory is the device's:
 * .data and .bss of the executable become shared memory before main, and a peer's lie as far from one's own as its heap
 * does from one's own heap.
 */
#ifndef GSHMEMI_IPC_GLOBALS_H
#define GSHMEMI_IPC_GLOBALS_H

#include "base/base.h"

extern struct gshmemi_globals gshmemi_globals;

/* Make them shared memory. from is an address in libgshmem_shmem, which a program may hold itself. Before main. */
void gshmemi_globals_share(const void *from);

/* The first page of them, once they are shared. */
void *gshmemi_globals_base(void);

/* A number that processes with the same variables at the same places have in common; 0: none are shared. */
uint64_t gshmemi_globals_layout(void);

/* What all PEs found: their variables are symmetric. */
void gshmemi_globals_use(bool is_used);

/* Where this PE's heap should lie for its peers' to find room; NULL: anywhere. */
void gshmemi_globals_place_heap(uint64_t nbytes);

/*
 * A distance at which there is room for a peer's heap and variables, from those of this PE; 0: there is none, after a
 * message. Each call gives another one.
 */
ptrdiff_t gshmemi_globals_find_delta(const char *heap, uint64_t heap_nbytes);

/* Says of an address that is not symmetric what it is: " (...)", or nothing. */
void gshmemi_globals_describe(const void *address, char *text, size_t nbytes);

#endif /* GSHMEMI_IPC_GLOBALS_H */
