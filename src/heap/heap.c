/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The symmetric heap's memory: how much the machine has, which kind of memory the device gives, and the
 * allocations in it.
 */
#include "heap/heap.h"

#include <gshmem/move/check.h>
#include <gshmem/order/team.h>
#include <gshmem/state/window.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/file.h"
#include "base/scale.h"
#include "bootstrap/bootstrap.h"
#include "device/devmem.h"
#include "ipc/globals.h"
#include "job/job.h"

struct gshmemi_heap gshmemi_heap;
uint64_t *gshmemi_host_allocation_end;

enum gshmemi_heap_kind gshmemi_heap_resolve(enum gshmemi_heap_kind kind)
{
	if (kind != GSHMEMI_HEAP_AUTO)
		return kind;
	return GSHMEMI_ARCH_COARSE_COHERENT ? GSHMEMI_HEAP_COARSE : GSHMEMI_HEAP_FINE;
}

/* ---- what the machine has ---- */

/* Reads the number in a file of one line; UINT64_MAX if there is none ("max"). */
static uint64_t read_number(const char *path)
{
	uint64_t value = UINT64_MAX;
	FILE *file;

	file = gshmemi_file_read(path);
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

	file = gshmemi_file_read("/proc/meminfo");
	if (!file)
		return UINT64_MAX;
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			nbytes = kib << 10;
	fclose(file);
	return nbytes;
}

/* Returns the lowest limit from the control group at path up to the root of its hierarchy. */
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

/* For version 2 ("0::/path") and version 1 ("4:memory:/path") of control groups. */
static uint64_t read_cgroup_limit(void)
{
	uint64_t lowest = UINT64_MAX, limit;
	char line[512], *path;
	FILE *file;

	file = gshmemi_file_read("/proc/self/cgroup");
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

/*
 * Where the heap is CPU memory, running out of it kills a process by a signal, long after init. But a page is
 * taken when it is first touched, and few programs touch all of their heap. So refuse only what is certain to
 * fail: with prealloc, if the heaps of all PEs of the node do not fit together; otherwise, if a single heap
 * does not fit.
 */
static int check_node(uint64_t nbytes, int nlocal, uint64_t node_nbytes, bool prealloc)
{
#if GSHMEMI_ARCH_HOST_DIRECT
	if (prealloc && nbytes > node_nbytes / (uint64_t)nlocal) {
		gshmemi_error("heap: GSHMEM_HEAP_PREALLOC: %d PEs on this node with %" PRIu64
			      " bytes each, but the node has "
			      "%" PRIu64 " bytes available: lower GSHMEM_HEAP_SIZE",
			nlocal, nbytes, node_nbytes);
		return -ENOMEM;
	}
	if (nbytes > node_nbytes) {
		gshmemi_error("heap: %" PRIu64 " bytes for each PE, but the node has %" PRIu64
			      " bytes available: lower GSHMEM_HEAP_SIZE",
			nbytes, node_nbytes);
		return -ENOMEM;
	}
	if (nbytes > node_nbytes / (uint64_t)nlocal)
		gshmemi_info("heap: %d PEs on this node with %" PRIu64
			     " bytes each can take more than the %" PRIu64 " bytes "
			     "that the node has available: if they do, Linux kills a PE "
			     "(GSHMEM_HEAP_PREALLOC=1 takes it all now)",
			nlocal, nbytes, node_nbytes);
#else
	(void)nbytes;
	(void)nlocal;
	(void)node_nbytes;
	(void)prealloc;
#endif
	return 0;
}

/* ---- memory ---- */

/*
 * Memory that another process maps is rounded up to whole large pages: some versions of ROCm map more than
 * was allocated, or fail.
 */
#define IPC_NBYTES ((size_t)2 << 20)

static size_t ipc_nbytes(size_t nbytes)
{
	return (nbytes + IPC_NBYTES - 1) / IPC_NBYTES * IPC_NBYTES;
}

#ifndef hipDeviceMallocUncached
#define hipDeviceMallocUncached 0x3 /* for headers before ROCm 5.5; their runtime refuses it */
#endif

hipError_t gshmemi_heap_malloc_fine(void **base_p, size_t nbytes)
{
#if GSHMEMI_ARCH_MAY_LACK_FINE
	int device, has_fine = 0;

	if (hipGetDevice(&device) != hipSuccess ||
		hipDeviceGetAttribute(&has_fine, GSHMEMI_ARCH_FINE_SUPPORT, device) != hipSuccess)
		(void)hipGetLastError();
	if (!has_fine)
		return hipExtMallocWithFlags(base_p, nbytes, hipDeviceMallocUncached);
#endif
	return hipExtMallocWithFlags(base_p, nbytes, hipDeviceMallocFinegrained);
}

static hipError_t allocate_kind(void **base_p, size_t nbytes, enum gshmemi_heap_kind kind)
{
	if (kind == GSHMEMI_HEAP_FINE)
		return gshmemi_heap_malloc_fine(base_p, ipc_nbytes(nbytes));
	if (kind == GSHMEMI_HEAP_UNCACHED)
		return hipExtMallocWithFlags(base_p, ipc_nbytes(nbytes), hipDeviceMallocUncached);
	return hipMalloc(base_p, ipc_nbytes(nbytes));
}

static int report_allocation(hipError_t error, uint64_t nbytes, enum gshmemi_heap_kind kind)
{
	const char *call = kind == GSHMEMI_HEAP_COARSE ? "hipMalloc" : "hipExtMallocWithFlags";
	size_t free_nbytes = 0, total_nbytes = 0;
	char what[128];
	int rc;

	snprintf(what, sizeof what, "heap: %s of %" PRIu64 " bytes", call, nbytes);
	rc = gshmemi_report_limit(what, error == hipErrorOutOfMemory ? -ENOMEM : -EIO, nbytes);
	if (rc)
		return rc;
	if (error == hipErrorOutOfMemory && hipMemGetInfo(&free_nbytes, &total_nbytes) == hipSuccess) {
		gshmemi_error("heap: %s of %" PRIu64
			      " bytes: out of memory: the device has %zu of %zu bytes free "
			      "(GSHMEM_HEAP_SIZE)",
			call, nbytes, free_nbytes, total_nbytes);
		return -ENOMEM;
	}
	return gshmemi_hip_advise(error,
		kind == GSHMEMI_HEAP_COARSE
			? "GSHMEM_HEAP_SIZE"
			: "the device or its driver may not support it (AMD GPUs without XGMI: "
			  "HSA_FORCE_FINE_GRAIN_PCIE=1); GSHMEM_HEAP_KIND=coarse is for programs whose "
			  "kernels do not wait for other PEs",
		"heap: %s of %" PRIu64 " bytes, kind %s", call, nbytes, gshmemi_heap_kind_name(kind));
}

/* Returns the kind to try after this one was refused, or kind itself if there is none. */
static enum gshmemi_heap_kind weaker_kind(enum gshmemi_heap_kind kind, enum gshmemi_heap_kind wanted)
{
	if (kind == GSHMEMI_HEAP_UNCACHED)
		return GSHMEMI_HEAP_FINE;
	return wanted == GSHMEMI_HEAP_AUTO ? GSHMEMI_HEAP_COARSE : kind;
}

static hipError_t refusal; /* why this PE's heap is not of the kind requested */

static int allocate_heap(
	uint64_t nbytes, enum gshmemi_heap_kind wanted, enum gshmemi_heap_kind *kind_p, char **base_p)
{
	enum gshmemi_heap_kind kind = gshmemi_heap_resolve(wanted);
	hipError_t error;
	void *base;

	refusal = hipSuccess;
	gshmemi_globals_place_heap(ipc_nbytes(nbytes));
	for (;;) {
		error = allocate_kind(&base, nbytes, kind);
		if (error == hipSuccess || error == hipErrorOutOfMemory || weaker_kind(kind, wanted) == kind)
			break;
		refusal = error;
		kind = weaker_kind(kind, wanted);
	}
	if (error != hipSuccess)
		return report_allocation(error, nbytes, kind);
	*kind_p = kind;
	*base_p = base;
	return 0;
}

/* Takes the pages now. Where the heap is CPU memory, running out of it must be an error, not a signal. */
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
	return gshmemi_devmem_fill(base, 0, nbytes, "heap: GSHMEM_HEAP_PREALLOC");
}

/*
 * There are GSHMEM_TEAMS places for teams. In a job whose world team takes several pieces there are more, so
 * that LARGE teams of all PEs fit beside the small ones, but at most 65535, because of the bits of a handle.
 * Every place has one piece of the pool, except that the predefined teams have as many as they need.
 */
void gshmemi_heap_count_places(int npes, int npeers, int nnodes, unsigned *nplaces_p, unsigned *npieces_p)
{
	enum { LARGE = 3, MOST = (1 << GSHMEMI_TEAM_INDEX_BITS) - 1 };
	const unsigned n = (unsigned)gshmemi_env.TEAMS + LARGE * (gshmemi_heap_pieces(npes) - 1);

	*nplaces_p = n < MOST ? n : MOST;
	*npieces_p = gshmemi_heap_pieces(npes) + 2 * gshmemi_heap_pieces(npeers) +
		gshmemi_heap_pieces(nnodes) + *nplaces_p - GSHMEMI_NPREDEFINED;
}

static size_t syncs_nbytes(unsigned nplaces)
{
	/* nplaces + 1: the last is for meetings; then comes the mailbox's lock */
	return (nplaces + 1) * sizeof(struct gshmemi_sync) + GSHMEMI_STAGE_LINE;
}

static size_t stages_nbytes(unsigned npieces)
{
	return (size_t)npieces * GSHMEMI_STAGE_NBYTES;
}

static size_t scratch_nbytes(bool has_nodes)
{
	return has_nodes ? GSHMEMI_SCRATCH_NPLACES * GSHMEMI_SCRATCH_NBYTES : 0;
}

/* Where atomics of all PEs update words: the control blocks of windows, then the proposals of teams. */
size_t gshmemi_heap_controls_nbytes(void)
{
	return (size_t)gshmemi_env.WINDOWS * GSHMEMI_WIN_PIECE_NBYTES +
		GSHMEMI_NPROPOSALS * sizeof(struct gshmemi_proposal);
}

/*
 * Only the barriers and the proposals are cleared here. Stages and control blocks are cleared when a team or
 * window takes them, which most never do. Scratch is never cleared.
 */
static int allocate_sync(struct gshmemi_heap *heap)
{
	const bool has_nodes = gshmemi_job->nnodes > 1;
	hipError_t error;
	unsigned npieces;
	size_t nbytes;
	void *sync;
	int rc;

	gshmemi_heap_count_places(
		gshmemi_job->npes, gshmemi_job->most, gshmemi_job->nnodes, &heap->nplaces, &npieces);
	nbytes = syncs_nbytes(heap->nplaces) + stages_nbytes(npieces) + scratch_nbytes(has_nodes) +
		gshmemi_heap_controls_nbytes();
	error = gshmemi_heap_malloc_fine(&sync, ipc_nbytes(nbytes));
	rc = gshmemi_hip_advise(error,
		error == hipErrorOutOfMemory
			? "lower GSHMEM_HEAP_SIZE, GSHMEM_TEAMS or GSHMEM_WINDOWS"
			: "barriers need fine-grained memory: update the driver, set "
			  "HSA_FORCE_FINE_GRAIN_PCIE=1 for AMD GPUs without XGMI, or use another device",
		"init: hipExtMallocWithFlags of %zu bytes for the sync region", nbytes);
	if (rc)
		return rc;
	heap->sync = sync;
	heap->sync_nbytes = nbytes;
	heap->meeting = heap->sync + heap->nplaces;
	heap->mail_lock = (uint32_t *)(void *)(heap->meeting + 1);
	heap->stages = (char *)(heap->meeting + 1) + GSHMEMI_STAGE_LINE;
	heap->scratch = has_nodes ? heap->stages + stages_nbytes(npieces) : NULL;
	heap->controls = heap->stages + stages_nbytes(npieces) + scratch_nbytes(has_nodes);
	heap->nwindows = (unsigned)gshmemi_env.WINDOWS;
	heap->proposals = (struct gshmemi_proposal *)(void *)(heap->controls +
		(size_t)heap->nwindows * GSHMEMI_WIN_PIECE_NBYTES);
	heap->npredefined = npieces - (heap->nplaces - GSHMEMI_NPREDEFINED);
	rc = gshmemi_devmem_fill(sync, 0, syncs_nbytes(heap->nplaces), "init: the sync region");
	return rc ? rc
		  : gshmemi_devmem_fill(heap->proposals, 0, GSHMEMI_NPROPOSALS * sizeof *heap->proposals,
			    "init: proposals of teams");
}

static size_t map_nbytes(uint64_t heap_nbytes)
{
	return heap_nbytes / GSHMEMI_GRANULE * sizeof(uint64_t);
}

/*
 * Allocates the map for host calls, whose pages Linux provides when they are touched, and the copy of it
 * that kernels read.
 */
static int allocate_map(uint64_t heap_nbytes, struct gshmemi_heap *heap)
{
	const size_t nbytes = map_nbytes(heap_nbytes);
	void *map;
	int rc;

	gshmemi_host_allocation_end = calloc(1, nbytes);
	if (!gshmemi_host_allocation_end) {
		gshmemi_error(
			"heap: %zu bytes for the map of allocations (GSHMEM_CHECK): out of memory", nbytes);
		return -ENOMEM;
	}
	rc = gshmemi_hip(hipMalloc(&map, nbytes),
		"heap: hipMalloc of %zu bytes for the map of allocations (GSHMEM_CHECK)", nbytes);
	if (rc)
		return rc;
	heap->allocation_end = map;
	return gshmemi_devmem_fill(map, 0, nbytes, "init: the map of allocations");
}

static int create_allocator(uint64_t nbytes, struct gshmemi_allocator **allocator_p)
{
	int rc;

	rc = gshmemi_allocator_create(nbytes, allocator_p);
	if (rc == -EINVAL)
		gshmemi_error("heap: %" PRIu64 " bytes are too few: at least %d (GSHMEM_HEAP_SIZE)", nbytes,
			GSHMEMI_GRANULE);
	else if (rc)
		gshmemi_error("heap: the allocator for %" PRIu64 " bytes: out of memory (GSHMEM_HEAP_SIZE)",
			nbytes);
	return rc;
}

static int create_memory(uint64_t nbytes, enum gshmemi_heap_kind kind, bool prealloc)
{
	int rc;

	rc = allocate_heap(nbytes, kind, &gshmemi_heap.kind, &gshmemi_heap.base);
	if (!rc && prealloc)
		rc = preallocate(gshmemi_heap.base, nbytes);
	return rc;
}

int gshmemi_heap_create(uint64_t nbytes, enum gshmemi_heap_kind kind, bool prealloc, bool check, int nlocal,
	uint64_t node_nbytes)
{
	struct gshmemi_heap *heap = &gshmemi_heap;
	int rc;

	rc = check_node(nbytes, nlocal, node_nbytes, prealloc);
	if (rc)
		return rc;
	rc = create_allocator(nbytes, &heap->allocator);
	if (rc)
		return rc;
	rc = create_memory(nbytes, kind, prealloc);
	if (rc)
		goto err_destroy;
	rc = allocate_sync(heap);
	if (rc)
		goto err_destroy;
	rc = check ? allocate_map(nbytes, heap) : 0;
	if (rc)
		goto err_destroy;
	heap->nbytes = nbytes;
	heap->align = GSHMEMI_GRANULE;
	return 0;

err_destroy:
	gshmemi_heap_destroy();
	return rc;
}

void gshmemi_heap_scale(struct gshmemi_scale *scale)
{
	unsigned nplaces, npieces;
	size_t barriers, all, map;

	gshmemi_heap_count_places(
		scale->npes, scale->npeers, gshmemi_scale_nnodes(scale), &nplaces, &npieces);
	barriers = syncs_nbytes(nplaces);
	all = ipc_nbytes(barriers + stages_nbytes(npieces) + scratch_nbytes(scale->npes > scale->npeers) +
		gshmemi_heap_controls_nbytes());
	if (gshmemi_heap_resolve(gshmemi_env.HEAP_KIND) != GSHMEMI_HEAP_COARSE)
		gshmemi_traffic_add(&scale->traffic, false, 2 * sizeof(int64_t)); /* agree */
	gshmemi_scale_add(scale, GSHMEMI_SCALE_DEVICE, "barriers", barriers);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_DEVICE, "windows", gshmemi_heap_controls_nbytes());
	/* including the rest of the last page */
	gshmemi_scale_add(
		scale, GSHMEMI_SCALE_DEVICE, "collectives", all - barriers - gshmemi_heap_controls_nbytes());
	if (!gshmemi_env.CHECK)
		return;
	map = map_nbytes(gshmemi_env.HEAP_SIZE);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_DEVICE, "map_of_allocations", map);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "map_of_allocations", map);
}

static void warn_refused(enum gshmemi_heap_kind wanted, enum gshmemi_heap_kind kind)
{
	gshmemi_warn(
		"heap: hipExtMallocWithFlags, GSHMEM_HEAP_KIND=%s: %s (%s): the heaps of all PEs are %s: %s",
		gshmemi_heap_kind_name(wanted), hipGetErrorString(refusal), hipGetErrorName(refusal),
		gshmemi_heap_kind_name(kind),
		kind == GSHMEMI_HEAP_COARSE
			? "only kernels launched afterwards are sure to see what a peer writes"
			: "coherent while kernels run, but cached");
}

int gshmemi_heap_agree(int rc, enum gshmemi_heap_kind wanted, bool prealloc)
{
	struct gshmemi_heap *heap = &gshmemi_heap;
	int64_t words[2] = {rc ? INT64_MAX : (int64_t)heap->kind,
		rc || refusal == hipSuccess ? INT64_MAX : gshmemi_bootstrap_rank()};

	if (gshmemi_heap_resolve(wanted) == GSHMEMI_HEAP_COARSE)
		return rc;
	gshmemi_bootstrap_min(words, 2);
	if (words[1] == gshmemi_bootstrap_rank())
		warn_refused(wanted, (enum gshmemi_heap_kind)words[0]);
	if (rc || words[0] == (int64_t)heap->kind)
		return rc;
	gshmemi_hip_ignore(hipFree(heap->base), "hipFree");
	heap->base = NULL;
	rc = create_memory(heap->nbytes, (enum gshmemi_heap_kind)words[0], prealloc);
	if (rc)
		gshmemi_heap_destroy();
	return rc;
}

void gshmemi_heap_destroy(void)
{
	struct gshmemi_heap *heap = &gshmemi_heap;

	free(gshmemi_host_allocation_end);
	gshmemi_host_allocation_end = NULL;
	if (heap->allocation_end)
		gshmemi_hip_ignore(hipFree(heap->allocation_end), "hipFree");
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

bool gshmemi_is_symmetric(const void *address)
{
	return gshmemi_heap_contains(address) || GSHMEMI_ARCH_IS_GLOBAL(address, 1);
}

/*
 * Sets the maps' entries for [offset, offset + nbytes) to end; 0 marks them free. If the device cannot be
 * reached, the job ends: the other PEs take part in the same call.
 */
static void mark(uint64_t offset, uint64_t nbytes, uint64_t end)
{
	const uint64_t first = offset / GSHMEMI_GRANULE;
	const uint64_t last = (offset + nbytes + GSHMEMI_GRANULE - 1) / GSHMEMI_GRANULE;
	uint64_t granule;

	GSHMEMI_RACE_ALLOCATED(gshmemi_heap.base + offset, end ? nbytes : 0);
	if (!gshmemi_heap.allocation_end)
		return;
	for (granule = first; granule < last; granule++)
		gshmemi_host_allocation_end[granule] = end;
	if (gshmemi_devmem_copy(gshmemi_heap.allocation_end + first, gshmemi_host_allocation_end + first,
		    (last - first) * sizeof end, "heap: the map of allocations (GSHMEM_CHECK)"))
		gshmemi_end(1);
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
	gshmemi_warn("finalize: %" PRIu64 " allocations with %" PRIu64 " bytes were not freed",
		stats.nallocations, stats.used_nbytes);
	for (from = 0; nshown < 10; from = start + 1, nshown++) {
		if (gshmemi_allocator_next(gshmemi_heap.allocator, from, &start, &nbytes))
			return;
		gshmemi_warn("finalize: not freed: %" PRIu64 " bytes at heap+0x%" PRIx64, nbytes, start);
	}
}
