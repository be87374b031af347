/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem_malloc and its family: collective over all PEs.
 *
 * Each call begins with one reduction that compares the arguments and is the barrier that the specification asks
 * for. The allocator is deterministic, so that what succeeds or fails after it does so on every PE.
 */
#include "host/internal.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "heap/heap.h"
#include "host/access.h"
#include "ipc/job.h"

/* A collective call as one PE makes it. */
struct request {
	uint64_t call;    /* enum call */
	uint64_t nbytes;
	uint64_t extra;   /* alignment, hints; the offset of ptr, or NO_PTR */
	int64_t rc;       /* what this PE found wrong with its own arguments */
};
#define NO_PTR UINT64_MAX

enum call { MALLOC, CALLOC, ALIGN, REALLOC, MALLOC_WITH_HINTS, FREE };
static const char *const call_names[] = {"gshmem_malloc",  "gshmem_calloc",            "gshmem_align",
					 "gshmem_realloc", "gshmem_malloc_with_hints", "gshmem_free"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- comparing the arguments ---- */

/* PE 0 and this PE disagree. All PEs come to the same text; PE 0 prints it. */
static void describe_difference(const struct request *first, const struct request *other, int pe)
{
	const char *name = call_names[first->call];

	if (other->call != first->call)
		gshmemi_error("PE 0 called %s but PE %d called %s", name, pe, call_names[other->call]);
	else if (other->nbytes != first->nbytes)
		gshmemi_error("%s: %" PRIu64 " bytes on PE 0 but %" PRIu64 " on PE %d: all PEs must ask for the same",
			      name, first->nbytes, other->nbytes, pe);
	else if (first->call == ALIGN)
		gshmemi_error("%s: alignment %" PRIu64 " on PE 0 but %" PRIu64 " on PE %d", name, first->extra,
			      other->extra, pe);
	else if (first->call == MALLOC_WITH_HINTS)
		gshmemi_error("%s: hints 0x%" PRIx64 " on PE 0 but 0x%" PRIx64 " on PE %d", name, first->extra,
			      other->extra, pe);
	else if (first->extra == NO_PTR || other->extra == NO_PTR)
		gshmemi_error("%s: NULL on PE %d only", name, other->extra == NO_PTR ? pe : 0);
	else
		gshmemi_error("%s: heap+0x%" PRIx64 " on PE 0 but heap+0x%" PRIx64 " on PE %d: all PEs must pass the "
			      "same object",
			      name, first->extra, other->extra, pe);
}

static bool differ(const struct request *a, const struct request *b)
{
	return a->call != b->call || a->nbytes != b->nbytes || a->extra != b->extra;
}

/* Some PE is wrong, or they disagree: find out which with a second exchange. One PE prints. */
static int explain(const struct request *mine)
{
	const int npes = gshmemi_state.npes;
	struct request *all = calloc((size_t)npes, sizeof *all);
	int pe, rc = -EINVAL;

	if (!all)
		gshmemi_end(1); /* the other PEs are in the exchange and cannot be told */
	gshmemi_bootstrap_allgather(mine, all, sizeof *mine);
	for (pe = 0; pe < npes && !all[pe].rc; pe++)
		;
	if (pe < npes) {
		rc = (int)all[pe].rc;
		gshmemi_log_release(pe == gshmemi_state.my_pe);
	} else {
		for (pe = 1; !differ(&all[0], &all[pe]); pe++)
			;
		describe_difference(&all[0], &all[pe], pe);
		gshmemi_log_release(gshmemi_state.my_pe == 0);
	}
	free(all);
	return rc;
}

/* A word and its complement have the lowest values w and ~w over all PEs only if all PEs have w. */
static int agree(const struct request *mine)
{
	int64_t call = (int64_t)mine->call, nbytes = (int64_t)mine->nbytes, extra = (int64_t)mine->extra;
	int64_t words[7] = {call, nbytes, extra, ~call, ~nbytes, ~extra, mine->rc == 0};
	int rc = 0;

	gshmemi_bootstrap_min(words, 7);
	if (words[0] != ~words[3] || words[1] != ~words[4] || words[2] != ~words[5] || !words[6])
		rc = explain(mine);
	gshmemi_log_release(false);
	return rc;
}

/* Every call of this file starts here; leave_call ends it. */
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

static void report_full(enum call call, uint64_t nbytes, uint64_t align)
{
	struct gshmemi_allocator_stats stats;

	if (gshmemi_state.my_pe != 0)
		return;
	gshmemi_allocator_stats(gshmemi_heap.allocator, &stats);
	gshmemi_error("%s: %" PRIu64 " bytes at a multiple of %" PRIu64 ": out of memory: of the %" PRIu64
		      " bytes of the heap %" PRIu64 " are free, the largest block has %" PRIu64 " (GSHMEM_HEAP_SIZE)",
		      call_names[call], nbytes, align, stats.total_nbytes, stats.free_nbytes,
		      stats.largest_free_nbytes);
}

/* After agreement: fails on every PE, or on none. */
static void *allocate(enum call call, uint64_t nbytes, uint64_t align)
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

/* A zero size takes part in the comparison: another PE may have asked for more. */
static void *allocate_collectively(const struct request *request, uint64_t align)
{
	void *ptr = NULL;

	if (!agree(request))
		ptr = allocate((enum call)request->call, request->nbytes, align);
	return ptr;
}

void *gshmem_malloc(size_t nbytes)
{
	struct request request = {MALLOC, nbytes, 0, 0};
	void *ptr;

	enter_call("gshmem_malloc");
	ptr = allocate_collectively(&request, 1);
	leave_call();
	return ptr;
}

void *gshmem_malloc_with_hints(size_t nbytes, long hints)
{
	struct request request = {MALLOC_WITH_HINTS, nbytes, (uint64_t)hints, 0};
	void *ptr;

	enter_call("gshmem_malloc_with_hints");
	ptr = allocate_collectively(&request, 1);
	leave_call();
	return ptr;
}

static int check_alignment(size_t alignment)
{
	if (!alignment || (alignment & (alignment - 1))) {
		gshmemi_error("gshmem_align: alignment %zu is no power of two", alignment);
		return -EINVAL;
	}
	if (alignment > gshmemi_heap.align) {
		gshmemi_error("gshmem_align: alignment %zu: the heap itself is aligned to %zu bytes", alignment,
			      gshmemi_heap.align);
		return -EINVAL;
	}
	return 0;
}

void *gshmem_align(size_t alignment, size_t nbytes)
{
	struct request request = {ALIGN, nbytes, alignment, 0};
	void *ptr;

	enter_call("gshmem_align");
	request.rc = check_alignment(alignment);
	ptr = allocate_collectively(&request, alignment);
	leave_call();
	return ptr;
}

/*
 * A copy or a fill after the allocation can fail on one PE: then all give the new block back. Also the barrier after
 * which peers may write to it.
 */
static void *settle(int rc, void *ptr)
{
	gshmemi_log_hold();
	if (!gshmemi_bootstrap_agree(rc, NULL))
		return ptr;
	gshmemi_heap_free(ptr);
	return NULL;
}

void *gshmem_calloc(size_t count, size_t size)
{
	struct request request = {CALLOC, 0, 0, 0};
	void *ptr;
	int rc;

	enter_call("gshmem_calloc");
	if (__builtin_mul_overflow(count, size, &request.nbytes)) {
		gshmemi_error("gshmem_calloc: %zu times %zu bytes are more than 64 bits can hold", count, size);
		request.rc = -EOVERFLOW;
	}
	ptr = allocate_collectively(&request, 1);
	if (ptr) {
		rc = gshmemi_access_fill(ptr, 0, request.nbytes, "gshmem_calloc");
		ptr = settle(rc, ptr);
	}
	leave_call();
	return ptr;
}

/* ---- pointers that come back ---- */

/* A pointer into the memory of a peer, as gshmem_ptr gives. */
static int find_owner(const void *ptr)
{
	uintptr_t base;
	int pe;

	for (pe = 0; pe < gshmemi_state.npes; pe++) {
		base = (uintptr_t)gshmemi_heap.base + (uintptr_t)gshmemi_state.peers->delta[pe];
		if (gshmemi_state.peers->delta[pe] != GSHMEMI_SENTINEL &&
		    (uintptr_t)ptr - base < gshmemi_heap.nbytes)
			return pe;
	}
	return -1;
}

static int check_outside(const char *call, const void *ptr)
{
	int pe = find_owner(ptr);

	if (pe >= 0)
		gshmemi_error("%s: %p is in the heap of PE %d: pass this PE's own address of the object", call, ptr,
			      pe);
	else
		gshmemi_error("%s: %p is not in the symmetric heap, %p to %p", call, ptr, (void *)gshmemi_heap.base,
			      (void *)(gshmemi_heap.base + gshmemi_heap.nbytes));
	return -EINVAL;
}

/* The offset of an allocation, or a message why ptr is none. */
static int check_ptr(const char *call, const void *ptr, uint64_t *offset_p, uint64_t *nbytes_p)
{
	uint64_t offset, start;

	if (!gshmemi_heap_contains(ptr))
		return check_outside(call, ptr);
	offset = gshmemi_heap_offset(ptr);
	if (gshmemi_allocator_find(gshmemi_heap.allocator, offset, &start, nbytes_p)) {
		gshmemi_error("%s: %p (heap+0x%" PRIx64 ") is not allocated; freed before?", call, ptr, offset);
		return -ENOENT;
	}
	if (start != offset) {
		gshmemi_error("%s: %p is %" PRIu64 " bytes inside of an allocation of %" PRIu64 " bytes: pass its "
			      "start, %p",
			      call, ptr, offset - start, *nbytes_p, (void *)(gshmemi_heap.base + start));
		return -EINVAL;
	}
	*offset_p = offset;
	return 0;
}

void gshmem_free(void *ptr)
{
	struct request request = {FREE, 0, NO_PTR, 0};
	uint64_t nbytes;

	enter_call("gshmem_free");
	if (ptr)
		request.rc = check_ptr("gshmem_free", ptr, &request.extra, &nbytes);
	if (!agree(&request) && ptr)
		gshmemi_heap_free(ptr);
	leave_call();
}

/* The block that follows is in use: allocate, copy, free. */
static void *move(void *ptr, uint64_t old_nbytes, uint64_t nbytes)
{
	uint64_t copied = old_nbytes < nbytes ? old_nbytes : nbytes;
	void *moved;
	int rc;

	moved = allocate(REALLOC, nbytes, 1);
	if (!moved)
		return NULL;
	rc = gshmemi_access_copy(moved, ptr, copied, "gshmem_realloc");
	moved = settle(rc, moved);
	if (moved)
		gshmemi_heap_free(ptr);
	return moved;
}

/* After agreement; ptr is an allocation and nbytes is not 0. */
static void *resize(void *ptr, uint64_t old_nbytes, uint64_t nbytes)
{
	int rc = gshmemi_heap_resize(ptr, nbytes);

	if (!rc)
		return ptr;
	if (rc == -ENOSPC)
		return move(ptr, old_nbytes, nbytes);
	report_full(REALLOC, nbytes, 1);
	return NULL;
}

void *gshmem_realloc(void *ptr, size_t nbytes)
{
	struct request request = {REALLOC, nbytes, NO_PTR, 0};
	uint64_t old_nbytes = 0;
	void *result = NULL;

	enter_call("gshmem_realloc");
	if (ptr)
		request.rc = check_ptr("gshmem_realloc", ptr, &request.extra, &old_nbytes);
	if (agree(&request))
		;
	else if (!ptr)
		result = allocate(REALLOC, nbytes, 1);
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
