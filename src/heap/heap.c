/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "host/access.h"

struct gshmemi_heap gshmemi_heap;

enum gshmemi_heap_kind gshmemi_heap_resolve(enum gshmemi_heap_kind kind)
{
	if (kind != GSHMEMI_HEAP_AUTO)
		return kind;
	/* AMD promises coherence of coarse memory at kernel boundaries only. */
	return strcmp(GSHMEMI_ARCH_NAME, "amd") == 0 ? GSHMEMI_HEAP_FINE : GSHMEMI_HEAP_COARSE;
}

/* ---- what the machine has ---- */

/* A number in a file of one line; UINT64_MAX where there is none ("max"). */
static uint64_t read_number(const char *path)
{
	uint64_t value = UINT64_MAX;
	FILE *file;

	file = fopen(path, "re");
	if (!file)
		return UINT64_MAX;
	if (fscanf(file, "%" SCNu64, &value) != 1)
		value = UINT64_MAX;
	fclose(file);
	return value;
}

static uint64_t read_available(void)
{
	uint64_t kib, nbytes = UINT64_MAX;
	char line[128];
	FILE *file;

	file = fopen("/proc/meminfo", "re");
	if (!file)
		return UINT64_MAX;
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			nbytes = kib << 10;
	fclose(file);
	return nbytes;
}

/* The lowest limit from the control group at path up to the root of its hierarchy. */
static uint64_t read_limits(const char *root, char *path, const char *name)
{
	uint64_t lowest = UINT64_MAX, limit;
	char file[768];
	char *slash;

	for (;;) {
		snprintf(file, sizeof file, "%s%s/%s", root, path, name);
		limit = read_number(file);
		lowest = limit < lowest ? limit : lowest;
		slash = strrchr(path, '/');
		if (!slash)
			return lowest;
		*slash = 0;
	}
}

/* Version 2 ("0::/path") and version 1 ("4:memory:/path") of control groups. */
static uint64_t read_cgroup_limit(void)
{
	uint64_t lowest = UINT64_MAX, limit;
	char line[512], *path;
	FILE *file;

	file = fopen("/proc/self/cgroup", "re");
	if (!file)
		return UINT64_MAX;
	while (fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = 0;
		path = strchr(line, '/');
		if (!path)
			continue;
		if (strncmp(line, "0::", 3) == 0)
			limit = read_limits("/sys/fs/cgroup", path, "memory.max");
		else if (strstr(line, ":memory:"))
			limit = read_limits("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
		else
			continue;
		lowest = limit < lowest ? limit : lowest;
	}
	fclose(file);
	return lowest;
}

uint64_t gshmemi_heap_node_nbytes(void)
{
	uint64_t available = read_available(), limit = read_cgroup_limit();

	return available < limit ? available : limit;
}

/* Where the heap is CPU memory, a lack of it ends a process by a signal, long after init and far from here. */
static int check_node(uint64_t nbytes, int nlocal, uint64_t node_nbytes)
{
#if GSHMEMI_ARCH_HOST_DIRECT
	if (nbytes > node_nbytes / (uint64_t)nlocal) {
		gshmemi_error("heap: %d PEs on this node with %" PRIu64 " bytes each, but the node has %" PRIu64
			      " bytes available: lower GSHMEM_HEAP_SIZE",
			      nlocal, nbytes, node_nbytes);
		return -ENOMEM;
	}
#else
	(void)nbytes;
	(void)nlocal;
	(void)node_nbytes;
#endif
	return 0;
}

/* ---- memory ---- */

static hipError_t allocate_kind(void **base_p, size_t nbytes, enum gshmemi_heap_kind kind)
{
	if (kind == GSHMEMI_HEAP_FINE)
		return hipExtMallocWithFlags(base_p, nbytes, hipDeviceMallocFinegrained);
#ifdef hipDeviceMallocUncached
	if (kind == GSHMEMI_HEAP_UNCACHED)
		return hipExtMallocWithFlags(base_p, nbytes, hipDeviceMallocUncached);
#endif
	return hipMalloc(base_p, nbytes);
}

static int allocate_heap(uint64_t nbytes, enum gshmemi_heap_kind kind, char **base_p)
{
	size_t free_nbytes = 0, total_nbytes = 0;
	hipError_t error;
	void *base;

	error = allocate_kind(&base, nbytes, kind);
	if (error == hipErrorOutOfMemory && hipMemGetInfo(&free_nbytes, &total_nbytes) == hipSuccess) {
		gshmemi_error("heap: %s of %" PRIu64 " bytes: out of memory: the device has %zu of %zu bytes free "
			      "(GSHMEM_HEAP_SIZE)",
			      kind == GSHMEMI_HEAP_COARSE ? "hipMalloc" : "hipExtMallocWithFlags", nbytes, free_nbytes,
			      total_nbytes);
		return -ENOMEM;
	}
	if (error != hipSuccess)
		return gshmemi_hip(error, "heap: allocation of %" PRIu64 " bytes, kind %s (GSHMEM_HEAP_SIZE, "
				   "GSHMEM_HEAP_KIND)", nbytes, gshmemi_heap_kind_name(kind));
	*base_p = base;
	return 0;
}

/* Take the pages now. Where the heap is CPU memory a lack of it must come back as an error, not as a signal. */
static int preallocate(char *base, uint64_t nbytes)
{
#if GSHMEMI_ARCH_HOST_DIRECT && defined MADV_POPULATE_WRITE
	if (madvise(base, nbytes, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL) { /* EINVAL: Linux before 5.14 */
		gshmemi_error("heap: GSHMEM_HEAP_PREALLOC: %" PRIu64 " bytes: %s (GSHMEM_HEAP_SIZE)", nbytes,
			      strerror(errno));
		return -ENOMEM;
	}
#endif
	return gshmemi_access_fill(base, 0, nbytes, "heap: GSHMEM_HEAP_PREALLOC");
}

static int allocate_sync(struct gshmemi_sync **sync_p)
{
	void *sync;
	int rc;

	rc = gshmemi_hip(hipExtMallocWithFlags(&sync, sizeof **sync_p, hipDeviceMallocFinegrained),
			 "init: hipExtMallocWithFlags of %zu bytes for the sync region", sizeof **sync_p);
	if (rc)
		return rc;
	rc = gshmemi_access_fill(sync, 0, sizeof **sync_p, "init: the sync region");
	if (rc) {
		gshmemi_hip_ignore(hipFree(sync), "hipFree");
		return rc;
	}
	*sync_p = sync;
	return 0;
}

/* The kernel gives pages as they are touched: a GiB of heap has 64 MiB of map, which few programs fill. */
static int allocate_map(uint64_t heap_nbytes, uint64_t **map_p)
{
	size_t nbytes = heap_nbytes / GSHMEMI_GRANULE * sizeof **map_p;
	void *map;
	int rc;

	rc = gshmemi_hip(hipHostMalloc(&map, nbytes, hipHostMallocMapped),
			 "heap: hipHostMalloc of %zu bytes for the map of allocations (GSHMEM_CHECK)", nbytes);
	if (!rc)
		*map_p = map;
	return rc;
}

static int create_allocator(uint64_t nbytes, struct gshmemi_allocator **allocator_p)
{
	int rc;

	rc = gshmemi_allocator_create(nbytes, allocator_p);
	if (rc == -EINVAL)
		gshmemi_error("heap: %" PRIu64 " bytes are too few: at least %d (GSHMEM_HEAP_SIZE)", nbytes,
			      GSHMEMI_GRANULE);
	else if (rc)
		gshmemi_error("heap: no memory for the allocator of %" PRIu64 " bytes (GSHMEM_HEAP_SIZE)", nbytes);
	return rc;
}

int gshmemi_heap_create(uint64_t nbytes, enum gshmemi_heap_kind kind, bool prealloc, bool check, int nlocal,
			uint64_t node_nbytes)
{
	struct gshmemi_heap *heap = &gshmemi_heap;
	int rc;

	rc = check_node(nbytes, nlocal, node_nbytes);
	if (rc)
		return rc;
	rc = create_allocator(nbytes, &heap->allocator);
	if (rc)
		return rc;
	heap->kind = gshmemi_heap_resolve(kind);
#ifndef hipDeviceMallocUncached /* HIP before 5.5 */
	if (heap->kind == GSHMEMI_HEAP_UNCACHED) {
		gshmemi_warn("heap: this version of HIP has no uncached memory: fine-grained instead "
			     "(GSHMEM_HEAP_KIND)");
		heap->kind = GSHMEMI_HEAP_FINE;
	}
#endif
	rc = allocate_heap(nbytes, heap->kind, &heap->base);
	if (rc)
		goto err_destroy;
	rc = prealloc ? preallocate(heap->base, nbytes) : 0;
	if (rc)
		goto err_destroy;
	rc = allocate_sync(&heap->sync);
	if (rc)
		goto err_destroy;
	rc = check ? allocate_map(nbytes, &heap->allocation_end) : 0;
	if (rc)
		goto err_destroy;
	heap->nbytes = nbytes;
	heap->align = GSHMEMI_GRANULE;
	return 0;

err_destroy:
	gshmemi_heap_destroy();
	return rc;
}

void gshmemi_heap_destroy(void)
{
	struct gshmemi_heap *heap = &gshmemi_heap;

	if (heap->allocation_end)
		gshmemi_hip_ignore(hipHostFree(heap->allocation_end), "hipHostFree");
	if (heap->sync)
		gshmemi_hip_ignore(hipFree(heap->sync), "hipFree");
	if (heap->base)
		gshmemi_hip_ignore(hipFree(heap->base), "hipFree");
	if (heap->allocator)
		gshmemi_allocator_destroy(heap->allocator);
	memset(heap, 0, sizeof *heap);
}

/* ---- allocations ---- */

bool gshmemi_heap_contains(const void *address)
{
	return (uintptr_t)address - (uintptr_t)gshmemi_heap.base < gshmemi_heap.nbytes;
}

uint64_t gshmemi_heap_offset(const void *address)
{
	return (uint64_t)((uintptr_t)address - (uintptr_t)gshmemi_heap.base);
}

/* Set the map's entries of [offset, offset + nbytes) to end; 0 marks them free. */
static void mark(uint64_t offset, uint64_t nbytes, uint64_t end)
{
	uint64_t granule = offset / GSHMEMI_GRANULE;
	uint64_t last = (offset + nbytes + GSHMEMI_GRANULE - 1) / GSHMEMI_GRANULE;

	if (!gshmemi_heap.allocation_end)
		return;
	for (; granule < last; granule++)
		gshmemi_heap.allocation_end[granule] = end;
}

int gshmemi_heap_alloc(uint64_t nbytes, uint64_t align, void **ptr_p)
{
	uint64_t offset;
	int rc;

	rc = gshmemi_allocator_alloc(gshmemi_heap.allocator, nbytes, align, &offset);
	if (rc)
		return rc;
	mark(offset, nbytes, offset + nbytes);
	*ptr_p = gshmemi_heap.base + offset;
	return 0;
}

int gshmemi_heap_free(void *ptr)
{
	uint64_t offset = gshmemi_heap_offset(ptr), start, nbytes;
	int rc;

	rc = gshmemi_allocator_find(gshmemi_heap.allocator, offset, &start, &nbytes);
	if (!rc)
		rc = gshmemi_allocator_free(gshmemi_heap.allocator, offset);
	if (!rc)
		mark(offset, nbytes, 0);
	return rc;
}

int gshmemi_heap_resize(void *ptr, uint64_t nbytes)
{
	uint64_t offset = gshmemi_heap_offset(ptr), start, old_nbytes;
	int rc;

	rc = gshmemi_allocator_find(gshmemi_heap.allocator, offset, &start, &old_nbytes);
	if (!rc)
		rc = gshmemi_allocator_resize(gshmemi_heap.allocator, offset, nbytes);
	if (rc)
		return rc;
	mark(offset, old_nbytes, 0);
	mark(offset, nbytes, offset + nbytes);
	return 0;
}

void gshmemi_heap_report_leaks(void)
{
	struct gshmemi_allocator_stats stats;
	uint64_t from, start, nbytes;
	int nshown = 0;

	gshmemi_allocator_stats(gshmemi_heap.allocator, &stats);
	if (!stats.nallocations)
		return;
	gshmemi_warn("finalize: %" PRIu64 " allocations with %" PRIu64 " bytes were not freed", stats.nallocations,
		     stats.used_nbytes);
	for (from = 0; nshown < 10; from = start + 1, nshown++) {
		if (gshmemi_allocator_next(gshmemi_heap.allocator, from, &start, &nbytes))
			return;
		gshmemi_warn("finalize: not freed: %" PRIu64 " bytes at heap+0x%" PRIx64, nbytes, start);
	}
}
