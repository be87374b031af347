/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations of other processes: see ipc/opening.h. */
#include "ipc/opening.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/virtual.h"

static struct gshmemi_opening **peers; /* [npeers]: lists, the most recently taken or given back first */
static int npeers;
static struct gshmemi_openings_count count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Peers map the memory of this PE's device alone. */
static int check_device(const void *base, const char *call, const char *what)
{
	hipPointerAttribute_t attributes;
	int device = 0, rc;

	rc = gshmemi_hip(hipPointerGetAttributes(&attributes, base), "%s: hipPointerGetAttributes of the %s",
		call, what);
	if (!rc)
		rc = gshmemi_hip(hipGetDevice(&device), "%s: hipGetDevice", call);
	if (rc || attributes.device == device)
		return rc;
	gshmemi_error("%s: the %s is memory of device %d, but this PE uses device %d: allocate it there, or "
		      "choose the device before init, by GSHMEM_DEVICE or by hipSetDevice and a first use",
		call, what, attributes.device, device);
	return -EINVAL;
}

int gshmemi_memory_export(const void *base, const char *call, const char *what,
	struct gshmemi_memory *memory_p, bool *is_foreign_p)
{
	hipDeviceptr_t start;
	hipError_t error;
	size_t nbytes;
	int rc;

	memset(memory_p, 0, sizeof *memory_p);
	rc = check_device(base, call, what);
	if (rc)
		return rc;
	rc = gshmemi_hip(hipMemGetAddressRange(&start, &nbytes, (hipDeviceptr_t)(uintptr_t)base),
		"%s: hipMemGetAddressRange of the %s", call, what);
	if (!rc) {
		error = hipIpcGetMemHandle(&memory_p->handle, start);
		/* AMD's runtime gives the one or the other, by the device that the memory is mapped for */
		if (is_foreign_p &&
			(error == hipErrorInvalidValue || error == hipErrorInvalidDevicePointer)) {
			(void)hipGetLastError();
			*is_foreign_p = true;
			return 0;
		}
		rc = gshmemi_hip_advise(
			error, GSHMEMI_ARCH_IPC_REMEDY, "%s: hipIpcGetMemHandle of the %s", call, what);
	}
	if (!rc) /* an id of 32 or 64 bits */
		rc = gshmemi_hip(
			hipPointerGetAttribute(&memory_p->id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, start),
			"%s: hipPointerGetAttribute of the %s", call, what);
	if (rc)
		return rc;
	memory_p->offset = (uint64_t)((const char *)base - (char *)start);
	memory_p->nbytes = nbytes;
	return 0;
}

int gshmemi_openings_create(int n)
{
	count = (struct gshmemi_openings_count){0, 0};
	peers = calloc((size_t)n, sizeof *peers);
	npeers = peers ? n : 0;
	if (!peers)
		gshmemi_error("init: the list of mappings: out of memory");
	return peers ? 0 : -ENOMEM;
}

static void close_first(struct gshmemi_opening **link)
{
	struct gshmemi_opening *opening = *link;

	*link = opening->next;
	if (opening->mapping)
		gshmemi_virtual_unmap(opening->mapping);
	else
		gshmemi_hip_ignore(hipIpcCloseMemHandle(opening->base), "hipIpcCloseMemHandle");
	free(opening);
}

void gshmemi_openings_destroy(void)
{
	int i;

	for (i = 0; i < npeers; i++)
		while (peers[i])
			close_first(&peers[i]);
	free(peers);
	peers = NULL;
	npeers = 0;
}

static void move_to_front(struct gshmemi_opening **list, struct gshmemi_opening **link)
{
	struct gshmemi_opening *opening = *link;

	*link = opening->next;
	opening->next = *list;
	*list = opening;
}

static hipError_t open_handle(struct gshmemi_opening **list, const struct gshmemi_memory *memory, void *place)
{
	struct gshmemi_opening *opening = calloc(1, sizeof *opening);
	hipError_t error;

	if (!opening)
		return hipErrorOutOfMemory;
	if (memory->npieces) {
		error = gshmemi_virtual_map(memory, &opening->base, &opening->mapping);
	} else {
		GSHMEMI_ARCH_PLACE(place);
		error = hipIpcOpenMemHandle(&opening->base, memory->handle, hipIpcMemLazyEnablePeerAccess);
		GSHMEMI_ARCH_PLACE(NULL);
	}
	if (error != hipSuccess) {
		(void)hipGetLastError(); /* a later attempt may succeed */
		free(opening);
		return error;
	}
	opening->handle = memory->handle;
	opening->id = memory->id;
	opening->next = *list;
	*list = opening;
	count.nopened++;
	return hipSuccess;
}

/* Closes the least recently used opening that has no user, if more than most have none; false: it did not. */
static bool trim(struct gshmemi_opening **list, int most)
{
	struct gshmemi_opening **link, **oldest = NULL;
	int nidle = 0;

	for (link = list; *link; link = &(*link)->next)
		if (!(*link)->nusers) {
			oldest = link;
			nidle++;
		}
	if (nidle <= most)
		return false;
	close_first(oldest);
	return true;
}

static void close_idle(struct gshmemi_opening **list)
{
	while (trim(list, 0))
		;
}

/*
 * Moves the opening that memory names to the front of the list, opening it if needed. An opening of memory
 * that the peer has freed is stale. It is found by its handle, which has another id; CUDA gives memory at the
 * same address a new handle, and refuses that as long as the stale one is open.
 */
static hipError_t find_opening(
	struct gshmemi_opening **list, const struct gshmemi_memory *memory, void *place)
{
	struct gshmemi_opening **link;
	hipError_t error;

	for (link = list; *link; link = &(*link)->next)
		if (memcmp(&(*link)->handle, &memory->handle, sizeof memory->handle) == 0)
			break;
	if (*link && (*link)->id == memory->id) {
		move_to_front(list, link);
		count.nfound++;
		return hipSuccess;
	}
	if (*link && (*link)->nusers)
		return hipErrorInvalidContext;
	if (*link)
		close_first(link);
	error = open_handle(list, memory, place);
	if (error == hipErrorAlreadyMapped) {
		close_idle(list);
		error = open_handle(list, memory, place);
	}
	return error;
}

hipError_t gshmemi_opening_take(
	int peer, const struct gshmemi_memory *memory, void *place, struct gshmemi_opening **opening_p)
{
	hipError_t error;

	pthread_mutex_lock(&lock);
	error = find_opening(&peers[peer], memory, place);
	if (error == hipSuccess) {
		*opening_p = peers[peer];
		(*opening_p)->nusers++;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

void gshmemi_opening_give(int peer, struct gshmemi_opening *opening)
{
	struct gshmemi_opening **link = &peers[peer];

	pthread_mutex_lock(&lock);
	while (*link != opening)
		link = &(*link)->next;
	move_to_front(&peers[peer], link);
	opening->nusers--;
	if (opening->mapping && !opening->nusers)
		close_first(&peers[peer]);
	else
		(void)trim(&peers[peer], (int)gshmemi_env.IPC_CACHE);
	pthread_mutex_unlock(&lock);
}

void gshmemi_openings_close_idle(int peer)
{
	pthread_mutex_lock(&lock);
	close_idle(&peers[peer]);
	pthread_mutex_unlock(&lock);
}

struct gshmemi_openings_count gshmemi_openings_count(void)
{
	return count;
}
