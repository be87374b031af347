/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses without memory, and mappings of memory of hipMemCreate (handle.c) at such addresses. Each mapping
 * is an allocation in the table of memory.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime.h"

struct reservation {
	struct reservation *next;
	char *base;
	size_t nbytes;
	char *aliases; /* as many addresses for access.c, or NULL */
};

static struct reservation *reservations; /* a list; hipcpu_memory_lock guards it */

/* ---- addresses ---- */

static void *close_pages(void *address, size_t nbytes, int flags)
{
	return mmap(address, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

static hipError_t reserve(void **ptr, size_t nbytes, size_t alignment, void *address)
{
	struct reservation *reservation = calloc(1, sizeof(*reservation));
	char *area, *base;
	size_t head;

	if (!reservation)
		return hipErrorOutOfMemory;
	if (nbytes > SIZE_MAX / 4 || alignment > SIZE_MAX / 4) {
		free(reservation);
		return hipErrorOutOfMemory;
	}
	alignment = alignment > HIPCPU_GRANULE ? alignment : HIPCPU_GRANULE;
	area = close_pages(address, nbytes + alignment, 0); /* the address is only a hint */
	if (area == MAP_FAILED) {
		free(reservation);
		return hipErrorOutOfMemory;
	}
	head = -(uintptr_t)area & (alignment - 1);
	base = area + head;
	if (head)
		munmap(area, head);
	munmap(base + nbytes, alignment - head);
	reservation->base = base;
	reservation->nbytes = nbytes;
	if (hipcpu_access_has_aliases()) {
		reservation->aliases = close_pages(NULL, nbytes, 0);
		if (reservation->aliases == MAP_FAILED) {
			munmap(base, nbytes);
			free(reservation);
			return hipErrorOutOfMemory;
		}
	}
	pthread_mutex_lock(&hipcpu_memory_lock);
	reservation->next = reservations;
	reservations = reservation;
	pthread_mutex_unlock(&hipcpu_memory_lock);
	*ptr = base;
	return hipSuccess;
}

hipError_t hipMemAddressReserve(
	void **ptr, size_t nbytes, size_t alignment, void *address, unsigned long long flags)
{
	HIPCPU_ENTER(hipMemAddressReserve);
	if (!ptr || flags || !hipcpu_is_granules(nbytes) || alignment & (alignment - 1))
		HIPCPU_LEAVE(hipErrorInvalidValue);
	HIPCPU_LEAVE(reserve(ptr, nbytes, alignment, address));
}

/* Finds the first mapping that overlaps a range; NULL: none does. */
static struct hipcpu_allocation *find_mapping(const char *base, size_t nbytes)
{
	struct hipcpu_allocation *a = NULL;

	for (size_t at = 0; at < nbytes && !a; at += HIPCPU_GRANULE)
		a = hipcpu_memory_find(base + at);
	return a;
}

hipError_t hipMemAddressFree(void *ptr, size_t nbytes)
{
	struct reservation **link = &reservations, *gone = NULL;

	HIPCPU_ENTER(hipMemAddressFree);
	pthread_mutex_lock(&hipcpu_memory_lock);
	while (*link && (*link)->base != (char *)ptr)
		link = &(*link)->next;
	if (*link && (*link)->nbytes == nbytes && !find_mapping(ptr, nbytes)) {
		gone = *link;
		*link = gone->next;
	}
	pthread_mutex_unlock(&hipcpu_memory_lock);
	if (!gone)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	munmap(gone->base, gone->nbytes);
	if (gone->aliases)
		munmap(gone->aliases, gone->nbytes);
	free(gone);
	HIPCPU_LEAVE(hipSuccess);
}

/* ---- mappings ---- */

/* Finds the reservation that a range is in; NULL: none. */
static const struct reservation *find_reservation(const char *base, size_t nbytes)
{
	const struct reservation *at = reservations;

	while (at &&
		(base < at->base || nbytes > at->nbytes || (size_t)(base - at->base) > at->nbytes - nbytes))
		at = at->next;
	return at;
}

/* Called under the lock. The memory cannot be accessed until hipMemSetAccess. */
static hipError_t map(char *base, size_t nbytes, hipMemGenericAllocationHandle_t memory)
{
	struct hipcpu_allocation a = {.base = base,
		.nbytes = nbytes,
		.mapped_bytes = nbytes,
		.kind = HIPCPU_MEMORY_VIRTUAL,
		.fd = -1,
		.memory = memory};

	if (!hipcpu_handle_is_valid(memory) || nbytes > memory->nbytes || !find_reservation(base, nbytes) ||
		find_mapping(base, nbytes))
		return hipErrorInvalidValue;
	a.device = memory->prop.location.id;
	if (mmap(base, nbytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->fd, 0) == MAP_FAILED)
		return hipErrorOutOfMemory;
	if (!hipcpu_memory_insert(&a)) {
		close_pages(base, nbytes, MAP_FIXED);
		return hipErrorOutOfMemory;
	}
	memory->nmaps++;
	return hipSuccess;
}

hipError_t hipMemMap(void *ptr, size_t nbytes, size_t offset, hipMemGenericAllocationHandle_t handle,
	unsigned long long flags)
{
	hipError_t err;

	HIPCPU_ENTER(hipMemMap);
	if (!ptr || (uintptr_t)ptr % HIPCPU_GRANULE || !hipcpu_is_granules(nbytes) || offset || flags)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	pthread_mutex_lock(&hipcpu_memory_lock);
	err = map(ptr, nbytes, handle);
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(err);
}

/* Does a range consist of whole mappings, side by side? Called under the lock. */
static bool is_mapped(char *base, size_t nbytes)
{
	size_t at = 0;

	while (at < nbytes) {
		const struct hipcpu_allocation *a = hipcpu_memory_find(base + at);

		if (!a || a->kind != HIPCPU_MEMORY_VIRTUAL || a->base != base + at)
			return false;
		at += a->nbytes;
	}
	return nbytes && at == nbytes;
}

hipError_t hipMemUnmap(void *ptr, size_t nbytes)
{
	char *base = ptr;
	bool is_right;

	HIPCPU_ENTER(hipMemUnmap);
	hipcpu_device_drain(hipcpu_current_device()); /* as when memory is freed */
	pthread_mutex_lock(&hipcpu_memory_lock);
	is_right = is_mapped(base, nbytes);
	for (size_t at = 0; is_right && at < nbytes;) {
		struct hipcpu_allocation *a = hipcpu_memory_find(base + at), gone = *a;

		hipcpu_memory_remove(a);
		hipcpu_access_forget(gone.base);
		close_pages(gone.base, gone.nbytes, MAP_FIXED);
		gone.memory->nmaps--;
		hipcpu_handle_drop(gone.memory);
		at += gone.nbytes;
	}
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(is_right ? hipSuccess : hipErrorInvalidValue);
}

/* ---- access ---- */

static bool is_right_desc(const hipMemAccessDesc *desc)
{
	return desc->location.type == hipMemLocationTypeDevice && hipcpu_device(desc->location.id) &&
		(desc->flags == hipMemAccessFlagsProtNone || desc->flags == hipMemAccessFlagsProtRead ||
			desc->flags == hipMemAccessFlagsProtReadWrite);
}

/* Gives the process the access that any of its devices has. */
static hipError_t set_access(struct hipcpu_allocation *a, const hipMemAccessDesc *desc)
{
	const uint64_t bit = UINT64_C(1) << desc->location.id;
	const struct reservation *reservation = find_reservation(a->base, a->nbytes);
	char *alias = reservation->aliases ? reservation->aliases + (a->base - reservation->base) : NULL;
	int protection = PROT_NONE;

	if (desc->flags && hipcpu_config()->no_peer[desc->location.id] >> a->device & 1)
		return hipErrorInvalidDevice;
	a->readers = desc->flags ? a->readers | bit : a->readers & ~bit;
	a->writers = desc->flags == hipMemAccessFlagsProtReadWrite ? a->writers | bit : a->writers & ~bit;
	if (a->readers)
		protection = a->writers ? PROT_READ | PROT_WRITE : PROT_READ;
	hipcpu_access_forget(a->base);
	if (mprotect(a->base, a->nbytes, protection) ||
		(a->writers && !hipcpu_access_guard_at(a->base, a->nbytes, a->memory->fd, alias)))
		return hipErrorOutOfMemory;
	return hipSuccess;
}

hipError_t hipMemSetAccess(void *ptr, size_t nbytes, const hipMemAccessDesc *desc, size_t count)
{
	hipError_t err = hipSuccess;
	char *base = ptr;

	HIPCPU_ENTER(hipMemSetAccess);
	if (!desc || !count)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	for (size_t i = 0; i < count; i++)
		if (!is_right_desc(&desc[i]))
			HIPCPU_LEAVE(hipErrorInvalidValue);
	pthread_mutex_lock(&hipcpu_memory_lock);
	if (!is_mapped(base, nbytes))
		err = hipErrorInvalidValue;
	for (size_t at = 0; !err && at < nbytes;) {
		struct hipcpu_allocation *a = hipcpu_memory_find(base + at);

		for (size_t i = 0; i < count && !err; i++)
			err = set_access(a, &desc[i]);
		at += a->nbytes;
	}
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(err);
}

/* Finds the mapping that an address is in; NULL: none. Called under the lock. */
static struct hipcpu_allocation *find_virtual(const void *ptr)
{
	struct hipcpu_allocation *a = hipcpu_memory_find(ptr);

	return a && a->kind == HIPCPU_MEMORY_VIRTUAL ? a : NULL;
}

hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr)
{
	struct hipcpu_allocation *a;

	HIPCPU_ENTER(hipMemGetAccess);
	if (!flags || !location || location->type != hipMemLocationTypeDevice || !hipcpu_device(location->id))
		HIPCPU_LEAVE(hipErrorInvalidValue);
	pthread_mutex_lock(&hipcpu_memory_lock);
	a = find_virtual(ptr);
	if (a)
		*flags = (a->writers >> location->id & 1) ? hipMemAccessFlagsProtReadWrite
							  : (a->readers >> location->id & 1);
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(a ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *ptr)
{
	struct hipcpu_allocation *a = NULL;

	HIPCPU_ENTER(hipMemRetainAllocationHandle);
	pthread_mutex_lock(&hipcpu_memory_lock);
	if (handle)
		a = find_virtual(ptr);
	if (a) {
		a->memory->nhandles++;
		*handle = a->memory;
	}
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(a ? hipSuccess : hipErrorInvalidValue);
}
