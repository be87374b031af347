/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem_malloc and its family: collective over all PEs.
 *
 * Each call begins with the barrier that the specification asks for, which also compares the arguments
 * (team/meet.c). The allocator is deterministic, so an allocation succeeds on every PE or fails on every PE.
 */
#include "base/base.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/devmem.h"
#include "heap/heap.h"
#include "ipc/region.h"
#include "job/job.h"
#include "team/team.h"

/*
 * In a request, extra is the alignment, the hints, or the offset of ptr in the heap. NULL is sent as NO_PTR.
 */
#define NO_PTR UINT64_MAX

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- comparing the arguments ---- */

/* Prints how the arguments of two PEs that make the same call differ. */
static void describe_difference(
	const struct gshmemi_request *first, const struct gshmemi_request *other, int pe)
{
	const char *name = gshmemi_meet_name(first->call);

	if (other->nbytes != first->nbytes)
		gshmemi_error("%s: %" PRIu64 " bytes on PE 0 but %" PRIu64
			      " on PE %d: all PEs must ask for the same",
			name, first->nbytes, other->nbytes, pe);
	else if (first->call == GSHMEMI_MEET_ALIGN)
		gshmemi_error("%s: alignment %" PRIu64 " on PE 0 but %" PRIu64 " on PE %d", name,
			first->extra, other->extra, pe);
	else if (first->call == GSHMEMI_MEET_MALLOC_WITH_HINTS)
		gshmemi_error("%s: hints 0x%" PRIx64 " on PE 0 but 0x%" PRIx64 " on PE %d", name,
			first->extra, other->extra, pe);
	else if (first->extra == NO_PTR || other->extra == NO_PTR)
		gshmemi_error("%s: NULL on PE %d only", name, other->extra == NO_PTR ? pe : 0);
	else
		gshmemi_error("%s: heap+0x%" PRIx64 " on PE 0 but heap+0x%" PRIx64
			      " on PE %d: all PEs must pass the same object",
			name, first->extra, other->extra, pe);
}

static int agree(const struct gshmemi_request *mine)
{
	return gshmemi_meet(mine, describe_difference);
}

/* Begins every call of this file; leave_call ends it. */
static void enter_call(const char *call)
{
	GSHMEMI_ENTER_COLLECTIVE(call);
	gshmem_quiet();
	pthread_mutex_lock(&lock);
	gshmemi_log_hold();
}

static void leave_call(void)
{
	gshmemi_log_release(false);
	pthread_mutex_unlock(&lock);
}

/* ---- allocating ---- */

static void report_full(enum gshmemi_meet_call call, uint64_t nbytes, uint64_t align)
{
	struct gshmemi_allocator_stats stats;

	if (gshmemi_state.my_pe != 0)
		return;
	gshmemi_allocator_stats(gshmemi_heap.allocator, &stats);
	gshmemi_error("%s: %" PRIu64 " bytes at a multiple of %" PRIu64 ": out of memory: of the %" PRIu64
		      " bytes of the heap %" PRIu64 " are free, the largest block has %" PRIu64
		      " (GSHMEM_HEAP_SIZE)",
		gshmemi_meet_name(call), nbytes, align, stats.total_nbytes, stats.free_nbytes,
		stats.largest_free_nbytes);
}

/* Called after agreement, so it fails on every PE or on none. */
static void *allocate_agreed(enum gshmemi_meet_call call, uint64_t nbytes, uint64_t align)
{
	void *ptr;

	if (!nbytes)
		return NULL;
	if (gshmemi_heap_alloc(nbytes, align, &ptr)) {
		report_full(call, nbytes, align);
		return NULL;
	}
	return ptr;
}

/* A PE that asks for 0 bytes takes part in the comparison too: another PE may have asked for more. */
static void *allocate_collectively(const struct gshmemi_request *request, uint64_t align)
{
	void *ptr = NULL;

	if (!agree(request))
		ptr = allocate_agreed(request->call, request->nbytes, align);
	return ptr;
}

void *gshmem_malloc(size_t nbytes)
{
	struct gshmemi_request request = {GSHMEMI_MEET_MALLOC, nbytes, 0, 0};
	void *ptr;

	enter_call("gshmem_malloc");
	ptr = allocate_collectively(&request, 1);
	leave_call();
	return ptr;
}

void *gshmem_malloc_with_hints(size_t nbytes, long hints)
{
	struct gshmemi_request request = {GSHMEMI_MEET_MALLOC_WITH_HINTS, nbytes, (uint64_t)hints, 0};
	void *ptr;

	enter_call("gshmem_malloc_with_hints");
	ptr = allocate_collectively(&request, 1);
	leave_call();
	return ptr;
}

static int check_alignment(size_t alignment)
{
	if (!alignment || (alignment & (alignment - 1))) {
		gshmemi_error("gshmem_align: alignment %zu is not a power of two", alignment);
		return -EINVAL;
	}
	if (alignment > gshmemi_heap.align) {
		gshmemi_error("gshmem_align: alignment %zu: the heap itself is aligned to %zu bytes",
			alignment, gshmemi_heap.align);
		return -EINVAL;
	}
	return 0;
}

void *gshmem_align(size_t alignment, size_t nbytes)
{
	struct gshmemi_request request = {GSHMEMI_MEET_ALIGN, nbytes, alignment, 0};
	void *ptr;

	enter_call("gshmem_align");
	request.rc = check_alignment(alignment);
	ptr = allocate_collectively(&request, alignment);
	leave_call();
	return ptr;
}

/*
 * A copy or a fill after the allocation can fail on one PE alone. All PEs then free the new block. This is
 * also the barrier after which peers may write to the block.
 */
static void *settle(enum gshmemi_meet_call call, int rc, void *ptr)
{
	const struct gshmemi_request request = {call, 0, 0, rc};

	if (!agree(&request))
		return ptr;
	gshmemi_heap_free(ptr);
	return NULL;
}

void *gshmem_calloc(size_t count, size_t size)
{
	struct gshmemi_request request = {GSHMEMI_MEET_CALLOC, 0, 0, 0};
	void *ptr;
	int rc;

	enter_call("gshmem_calloc");
	if (__builtin_mul_overflow(count, size, &request.nbytes)) {
		gshmemi_error(
			"gshmem_calloc: %zu times %zu bytes are more than 64 bits can hold", count, size);
		request.rc = -EOVERFLOW;
	}
	ptr = allocate_collectively(&request, 1);
	if (ptr) {
		gshmemi_log_hold();
		rc = gshmemi_devmem_fill(ptr, 0, request.nbytes, "gshmem_calloc");
		ptr = settle(request.call, rc, ptr);
	}
	leave_call();
	return ptr;
}

/* ---- pointers passed back ---- */

/* If ptr points into a peer's heap, as gshmem_ptr returns it, returns that PE; else -1. */
static int find_owner(const void *ptr)
{
	ptrdiff_t delta;
	int i;

	for (i = 0; i < gshmemi_job->npeers; i++) {
		delta = gshmemi_region_delta(GSHMEMI_REGION_HEAP, gshmemi_job->peers[i].pe);
		if (delta != GSHMEMI_SENTINEL &&
			(uintptr_t)ptr - ((uintptr_t)gshmemi_heap.base + (uintptr_t)delta) <
				gshmemi_heap.nbytes)
			return gshmemi_job->peers[i].pe;
	}
	return -1;
}

static int check_outside(const char *call, const void *ptr)
{
	int pe = find_owner(ptr);

	if (pe >= 0)
		gshmemi_error("%s: %p is in the heap of PE %d: pass this PE's own address of the object",
			call, ptr, pe);
	else
		gshmemi_error("%s: %p is not in the symmetric heap, %p to %p", call, ptr,
			(void *)gshmemi_heap.base, (void *)(gshmemi_heap.base + gshmemi_heap.nbytes));
	return -EINVAL;
}

/* Finds the allocation that starts at ptr, or prints why there is none. */
static int check_ptr(const char *call, const void *ptr, uint64_t *offset_p, uint64_t *nbytes_p)
{
	uint64_t offset, start;

	if (!gshmemi_heap_contains(ptr))
		return check_outside(call, ptr);
	offset = gshmemi_heap_offset(ptr);
	if (gshmemi_allocator_find(gshmemi_heap.allocator, offset, &start, nbytes_p)) {
		gshmemi_error("%s: %p (heap+0x%" PRIx64 ") is not allocated: was it freed before?", call, ptr,
			offset);
		return -ENOENT;
	}
	if (start != offset) {
		gshmemi_error("%s: %p is %" PRIu64 " bytes inside an allocation of %" PRIu64
			      " bytes: pass its start, %p",
			call, ptr, offset - start, *nbytes_p, (void *)(gshmemi_heap.base + start));
		return -EINVAL;
	}
	*offset_p = offset;
	return 0;
}

void gshmem_free(void *ptr)
{
	struct gshmemi_request request = {GSHMEMI_MEET_FREE, 0, NO_PTR, 0};
	uint64_t nbytes;

	enter_call("gshmem_free");
	if (ptr)
		request.rc = check_ptr("gshmem_free", ptr, &request.extra, &nbytes);
	if (!agree(&request) && ptr)
		gshmemi_heap_free(ptr);
	leave_call();
}

/* The next block is in use: allocate a new one, copy, free the old one. */
static void *move_block(void *ptr, uint64_t old_nbytes, uint64_t nbytes)
{
	uint64_t copied = old_nbytes < nbytes ? old_nbytes : nbytes;
	void *moved;
	int rc;

	moved = allocate_agreed(GSHMEMI_MEET_REALLOC, nbytes, 1);
	if (!moved)
		return NULL;
	gshmemi_log_hold();
	rc = gshmemi_devmem_copy(moved, ptr, copied, "gshmem_realloc");
	moved = settle(GSHMEMI_MEET_REALLOC, rc, moved);
	if (moved)
		gshmemi_heap_free(ptr);
	return moved;
}

/* Called after agreement. ptr is an allocation and nbytes is not 0. */
static void *resize(void *ptr, uint64_t old_nbytes, uint64_t nbytes)
{
	int rc = gshmemi_heap_resize(ptr, nbytes);

	if (!rc)
		return ptr;
	if (rc == -ENOSPC)
		return move_block(ptr, old_nbytes, nbytes);
	report_full(GSHMEMI_MEET_REALLOC, nbytes, 1);
	return NULL;
}

void *gshmem_realloc(void *ptr, size_t nbytes)
{
	struct gshmemi_request request = {GSHMEMI_MEET_REALLOC, nbytes, NO_PTR, 0};
	uint64_t old_nbytes = 0;
	void *result = NULL;

	enter_call("gshmem_realloc");
	if (ptr)
		request.rc = check_ptr("gshmem_realloc", ptr, &request.extra, &old_nbytes);
	if (agree(&request))
		;
	else if (!ptr)
		result = allocate_agreed(GSHMEMI_MEET_REALLOC, nbytes, 1);
	else if (nbytes)
		result = resize(ptr, old_nbytes, nbytes);
	else
		gshmemi_heap_free(ptr);
	leave_call();
	return result;
}

int gshmemx_heap_stats(struct gshmemx_heap_usage *usage)
{
	struct gshmemi_allocator_stats found;
	int rc;

	rc = gshmemi_enter_int("gshmemx_heap_stats");
	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	gshmemi_allocator_stats(gshmemi_heap.allocator, &found);
	pthread_mutex_unlock(&lock);
	usage->total = found.total_nbytes;
	usage->used = found.taken_nbytes;
	usage->requested = found.used_nbytes;
	usage->free = found.free_nbytes;
	usage->largest_free = found.largest_free_nbytes;
	usage->nallocations = found.nallocations;
	return 0;
}
