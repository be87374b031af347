/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The allocator of the symmetric heap: hands out offsets in [0, nbytes) and never touches the
 * memory they name.
 *
 * The heap may be GPU memory, so every word of metadata is ordinary CPU memory. heap.c owns the only
 * instance and adds what is missing here: the base address, the lock (calls that change the allocator are
 * not thread safe; find, next and stats may run concurrently), the comparison of arguments between PEs,
 * and all messages.
 *
 * Promises:
 *  - Symmetric. The offsets depend only on the sequence of calls: same calls, same offsets on every PE. A
 *    failed call changes nothing.
 *  - Constant time. alloc looks at GSHMEMI_ALLOCATOR_PROBES free blocks at most. The rest of every call is a
 *    fixed number of look-ups in a hash table, and bitmap reads: one level per factor 64 of the heap size (5
 *    for 64 GiB). Growing the arrays of block records, by doubling, is amortised.
 *  - Free neighbours are always joined, so when all is freed the heap is one block again.
 *  - Sizes are remembered exactly, for bounds checks; space is handed out in granules of 128 bytes.
 *  - -ENOMEM from alloc is exact (no free block fits) for up to 32 granules at the default alignment, and
 *    while at most GSHMEMI_ALLOCATOR_PROBES free blocks are as large as the request to within 1/32. Otherwise
 *    it may miss a block that fits, but never one of n + n/32 granules, where n is the request in granules +
 *    align/128 - 1.
 */
#ifndef GSHMEMI_HEAP_ALLOCATOR_H
#define GSHMEMI_HEAP_ALLOCATOR_H

#include <stdint.h>

/* bytes: the unit of space and the smallest alignment; a cache line on any supported GPU */
#define GSHMEMI_ALLOCATOR_GRANULE 128
/* free blocks that one alloc may look at before it takes one that is certain to fit */
#define GSHMEMI_ALLOCATOR_PROBES  32

struct gshmemi_allocator;

struct gshmemi_allocator_stats {
	uint64_t total_nbytes; /* what create was asked for, rounded down to granules */
	uint64_t used_nbytes;  /* sum of the sizes as requested */
	uint64_t taken_nbytes; /* the same rounded up to granules: total - free */
	uint64_t free_nbytes;
	uint64_t largest_free_nbytes; /* one free block, whatever its alignment */
	uint64_t nallocations;
	unsigned most_probes; /* free blocks looked at by the longest search so far: never above PROBES */
};

/*
 * Starts with one free block of nbytes. -EINVAL: less than a granule. -ENOMEM: no address space for the
 * index, which takes 1/1024 of nbytes, or no memory.
 */
int gshmemi_allocator_create(uint64_t nbytes, struct gshmemi_allocator **allocator_p);
void gshmemi_allocator_destroy(struct gshmemi_allocator *allocator);

/*
 * Allocates nbytes at an offset that is a multiple of align and of the granule. The address is aligned
 * like the offset only if the heap's base is. -EINVAL: align is not a power of two, or nbytes is 0.
 * -ENOMEM: see above.
 */
int gshmemi_allocator_alloc(
	struct gshmemi_allocator *allocator, uint64_t nbytes, uint64_t align, uint64_t *offset_p);

/*
 * Frees the allocation that starts at offset. -EINVAL: offset is inside an allocation (find says which) or
 * outside the heap. -ENOENT: it is already free.
 */
int gshmemi_allocator_free(struct gshmemi_allocator *allocator, uint64_t offset);

/*
 * Makes the allocation that starts at offset nbytes long, in place. Shrinking always succeeds unless there is
 * no memory for a record. -ENOSPC: the next block is in use. Nothing has changed; the caller can alloc, copy
 * and free. -ENOMEM: no CPU memory for a record. -EINVAL, -ENOENT: as free; -EINVAL also if nbytes is 0.
 */
int gshmemi_allocator_resize(struct gshmemi_allocator *allocator, uint64_t offset, uint64_t nbytes);

/*
 * Finds the allocation that offset lies in, including the rounding after its last byte: compare with nbytes.
 * -ENOENT: offset is in free space. -EINVAL: it is outside the heap.
 */
int gshmemi_allocator_find(
	const struct gshmemi_allocator *allocator, uint64_t offset, uint64_t *start_p, uint64_t *nbytes_p);

/*
 * Finds the first allocation that starts at from or later; -ENOENT at the end. To visit all of them in order
 * of offset:
 * 	for (from = 0; !gshmemi_allocator_next(a, from, &start, &nbytes); from = start + 1)
 */
int gshmemi_allocator_next(
	const struct gshmemi_allocator *allocator, uint64_t from, uint64_t *start_p, uint64_t *nbytes_p);

void gshmemi_allocator_stats(
	const struct gshmemi_allocator *allocator, struct gshmemi_allocator_stats *stats_p);

/* For tests: checks all invariants. Returns NULL, or the invariant that does not hold. */
const char *gshmemi_allocator_check(const struct gshmemi_allocator *allocator);

#endif /* GSHMEMI_HEAP_ALLOCATOR_H */
