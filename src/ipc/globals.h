/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The global and static variables of an OpenSHMEM program, which are symmetric where CPU memory is the
 * device's memory. .data and .bss of the executable become shared memory before main. A peer's variables are
 * mapped at the same distance from this PE's as its heap is from this PE's heap.
 */
#ifndef GSHMEMI_IPC_GLOBALS_H
#define GSHMEMI_IPC_GLOBALS_H

#include "base/base.h"

extern struct gshmemi_globals gshmemi_globals;

/*
 * Makes the variables shared memory; called before main. from is an address in libgshmem_shmem, which may be
 * linked into the program.
 */
void gshmemi_globals_share(const void *from);

/* The first page of the variables, once they are shared. */
void *gshmemi_globals_base(void);

/* A number that is equal in processes with the same variables at the same places; 0 if none are shared. */
uint64_t gshmemi_globals_layout(void);

/* Tells what all PEs have found: whether their variables are symmetric. */
void gshmemi_globals_use(bool is_used);

/* Asks for this PE's next allocation, its heap, to lie where peers' heaps find room beside it. */
void gshmemi_globals_place_heap(uint64_t nbytes);

/*
 * Returns a distance from this PE's heap and variables at which a peer's heap and variables have room, or 0
 * after a message if there is none. Each call returns a different one.
 */
ptrdiff_t gshmemi_globals_find_delta(const char *heap, uint64_t heap_nbytes);

/* Describes an address that is not symmetric: " (...)", or nothing. */
void gshmemi_globals_describe(const void *address, char *text, size_t nbytes);

#endif /* GSHMEMI_IPC_GLOBALS_H */
