/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP's virtual memory management, as in ROCm up to 7.0: a descriptor is imported through a pointer, and
 * hipMemRetainAllocationHandle lends a handle, which is not released. Each memory is a file; its last page
 * says how large it is and on which device. A mapping has one access for all devices.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hip.h"

#define GRANULE (UINT64_C(2) << 20)
#define LABEL   UINT64_C(0x616d6473696d766d)

struct label {
	uint64_t magic, nbytes, device;
};

struct ihipMemGenericAllocationHandle {
	hipMemAllocationProp prop;
	uint64_t nbytes;
	int fd;
	unsigned nusers; /* the handle, and its mappings */
};

struct reservation {
	struct reservation *next;
	uint64_t base, nbytes;
};

struct mapping {
	struct mapping *next;
	uint64_t base, nbytes;
	hipMemGenericAllocationHandle_t memory;
	hipMemAccessFlags flags;
};

static struct reservation *reservations;
static struct mapping *mappings;

static bool is_whole(uint64_t nbytes)
{
	return nbytes && nbytes % GRANULE == 0;
}

/* ---- memory ---- */

static void drop(hipMemGenericAllocationHandle_t memory)
{
	if (--memory->nusers)
		return;
	close(memory->fd);
	free(memory);
}

static hipMemGenericAllocationHandle_t new_memory(
	int fd, uint64_t nbytes, int device, hipMemAllocationHandleType type)
{
	hipMemGenericAllocationHandle_t memory = zalloc(sizeof(*memory));

	memory->prop.type = hipMemAllocationTypePinned;
	memory->prop.location = (hipMemLocation){hipMemLocationTypeDevice, device};
	memory->prop.requestedHandleType = type;
	memory->nbytes = nbytes;
	memory->fd = fd;
	memory->nusers = 1;
	return memory;
}

static bool is_right(const hipMemAllocationProp *prop)
{
	return prop && prop->type == hipMemAllocationTypePinned &&
		prop->location.type == hipMemLocationTypeDevice;
}

static hipError_t create(hipMemGenericAllocationHandle_t *handle, size_t nbytes,
	const hipMemAllocationProp *prop, unsigned long long flags)
{
	struct label label = {LABEL, nbytes, 0};
	int fd;

	if (!handle || flags || !is_right(prop) || !is_whole(nbytes))
		return hipErrorInvalidValue;
	if (device_check(prop->location.id))
		return hipErrorInvalidDevice;
	if (prop->requestedHandleType & ~(unsigned)hipMemHandleTypePosixFileDescriptor)
		return hipErrorNotSupported;
	label.device = (uint64_t)prop->location.id;
	if (nbytes + arena_used(prop->location.id) > config()->memory_bytes)
		return hipErrorOutOfMemory;
	fd = keep_file(memfd_create("amdsim-virtual", MFD_CLOEXEC));
	if (fd < 0 || ftruncate(fd, (off_t)nbytes + PAGE) ||
		pwrite(fd, &label, sizeof(label), (off_t)nbytes) < 0) {
		if (fd >= 0)
			close(fd);
		return hipErrorOutOfMemory;
	}
	*handle = new_memory(fd, nbytes, prop->location.id, prop->requestedHandleType);
	return hipSuccess;
}

static hipError_t put_granularity(size_t *granularity, const hipMemAllocationProp *prop)
{
	if (!granularity || !is_right(prop))
		return hipErrorInvalidValue;
	*granularity = GRANULE;
	return hipSuccess;
}

static hipError_t export(int *fd, hipMemGenericAllocationHandle_t handle, hipMemAllocationHandleType type,
	unsigned long long flags)
{
	if (!fd || !handle || flags || type != hipMemHandleTypePosixFileDescriptor ||
		handle->prop.requestedHandleType != type)
		return hipErrorInvalidValue;
	*fd = keep_file(fcntl(handle->fd, F_DUPFD_CLOEXEC, 0));
	return *fd < 0 ? hipErrorOutOfMemory : hipSuccess;
}

static hipError_t import(
	hipMemGenericAllocationHandle_t *handle, const int *os_handle, hipMemAllocationHandleType type)
{
	struct label label;
	struct stat st;
	int fd;

	if (!handle || !os_handle || type != hipMemHandleTypePosixFileDescriptor)
		return hipErrorInvalidValue;
	fd = keep_file(fcntl(*os_handle, F_DUPFD_CLOEXEC, 0));
	if (fd < 0)
		return hipErrorInvalidValue;
	if (fstat(fd, &st) || pread(fd, &label, sizeof(label), st.st_size - PAGE) != (ssize_t)sizeof(label) ||
		label.magic != LABEL || label.nbytes + PAGE != (uint64_t)st.st_size ||
		device_check((int)label.device)) {
		close(fd);
		return hipErrorInvalidValue;
	}
	*handle = new_memory(fd, label.nbytes, (int)label.device, type);
	return hipSuccess;
}

ENTRY(hipMemCreate,
	(hipMemGenericAllocationHandle_t * handle, size_t n, const hipMemAllocationProp *prop,
		unsigned long long flags),
	create(handle, n, prop, flags))
ENTRY(hipMemRelease, (hipMemGenericAllocationHandle_t handle),
	handle ? (drop(handle), hipSuccess) : hipErrorInvalidValue)
ENTRY(hipMemGetAllocationGranularity,
	(size_t * granularity, const hipMemAllocationProp *prop, hipMemAllocationGranularity_flags option),
	((void)option, put_granularity(granularity, prop)))
ENTRY(hipMemGetAllocationPropertiesFromHandle,
	(hipMemAllocationProp * prop, hipMemGenericAllocationHandle_t handle),
	prop &&handle ? (*prop = handle->prop, hipSuccess) : hipErrorInvalidValue)
ENTRY(hipMemExportToShareableHandle,
	(void *to, hipMemGenericAllocationHandle_t handle, hipMemAllocationHandleType type,
		unsigned long long flags),
	export(to, handle, type, flags))
ENTRY(hipMemImportFromShareableHandle,
	(hipMemGenericAllocationHandle_t * handle, void *os_handle, hipMemAllocationHandleType type),
	import(handle, os_handle, type))

/* ---- addresses ---- */

static hipError_t reserve(void **to, uint64_t nbytes, uint64_t alignment, unsigned long long flags)
{
	struct reservation *r;
	uint64_t base;

	if (!to || flags || !is_whole(nbytes) || alignment & (alignment - 1) || alignment > GRANULE)
		return hipErrorInvalidValue;
	base = arena_reserve(nbytes);
	if (!base)
		return hipErrorOutOfMemory;
	r = zalloc(sizeof(*r));
	*r = (struct reservation){reservations, base, nbytes};
	reservations = r;
	*to = (void *)(uintptr_t)base;
	return hipSuccess;
}

/* Finds the first mapping that overlaps a range; NULL: none does. */
static struct mapping **find_mapping(uint64_t base, uint64_t nbytes)
{
	struct mapping **link = &mappings;

	while (*link && ((*link)->base - base >= nbytes && base - (*link)->base >= (*link)->nbytes))
		link = &(*link)->next;
	return link;
}

static hipError_t free_addresses(uint64_t base, uint64_t nbytes)
{
	struct reservation **link = &reservations, *gone;

	while (*link && (*link)->base != base)
		link = &(*link)->next;
	if (!*link || (*link)->nbytes != nbytes || *find_mapping(base, nbytes))
		return hipErrorInvalidValue;
	gone = *link;
	*link = gone->next;
	free(gone);
	return hipSuccess;
}

ENTRY(hipMemAddressReserve, (void **to, size_t n, size_t alignment, void *address, unsigned long long flags),
	((void)address, reserve(to, n, alignment, flags)))
ENTRY(hipMemAddressFree, (void *memory, size_t n), free_addresses((uintptr_t)memory, n))

/* ---- mappings ---- */

static hipError_t map_memory(uint64_t base, uint64_t nbytes, uint64_t offset,
	hipMemGenericAllocationHandle_t memory, unsigned long long flags)
{
	const struct reservation *r = reservations;
	struct mapping *m;

	while (r && (base - r->base >= r->nbytes || nbytes > r->base + r->nbytes - base))
		r = r->next;
	if (!r || offset || flags || !memory || !is_whole(nbytes) || base % GRANULE ||
		nbytes > memory->nbytes)
		return hipErrorInvalidValue;
	if (!arena_map(base, nbytes, memory->fd, memory->prop.location.id))
		return hipErrorInvalidValue;
	m = zalloc(sizeof(*m));
	*m = (struct mapping){mappings, base, nbytes, memory, hipMemAccessFlagsProtNone};
	mappings = m;
	memory->nusers++;
	return hipSuccess;
}

/* Does a range consist of whole mappings, side by side? */
static bool is_mapped(uint64_t base, uint64_t nbytes)
{
	const struct mapping *m;
	uint64_t at;

	for (at = base; at < base + nbytes; at += m->nbytes) {
		m = *find_mapping(at, 1);
		if (!m || m->base != at)
			return false;
	}
	return nbytes && at == base + nbytes;
}

static hipError_t unmap(uint64_t base, uint64_t nbytes)
{
	struct mapping **link, *gone;

	if (!is_mapped(base, nbytes))
		return hipErrorInvalidValue;
	while (link = find_mapping(base, nbytes), (gone = *link)) {
		*link = gone->next;
		arena_unmap(gone->base);
		drop(gone->memory);
		free(gone);
	}
	return hipSuccess;
}

static hipError_t set_access(uint64_t base, uint64_t nbytes, const hipMemAccessDesc *desc, size_t count)
{
	struct mapping *m;

	if (!is_mapped(base, nbytes) || !desc || !count)
		return hipErrorInvalidValue;
	for (size_t i = 0; i < count; i++)
		if (desc[i].location.type != hipMemLocationTypeDevice || device_check(desc[i].location.id))
			return hipErrorInvalidValue;
	for (uint64_t at = base; at < base + nbytes; at += m->nbytes) {
		m = *find_mapping(at, 1);
		m->flags = desc[count - 1].flags;
		arena_close(at, m->flags == hipMemAccessFlagsProtNone);
	}
	return hipSuccess;
}

static hipError_t put_access(unsigned long long *flags, const hipMemLocation *location, const void *memory)
{
	const struct mapping *m = *find_mapping((uintptr_t)memory, 1);

	if (!flags || !location || !m)
		return hipErrorInvalidValue;
	*flags = m->flags;
	return hipSuccess;
}

/* ROCm would go on, and crash */
static hipError_t lend(hipMemGenericAllocationHandle_t *handle, const void *memory)
{
	const struct mapping *m = *find_mapping((uintptr_t)memory, 1);

	if (!m)
		message("hipMemRetainAllocationHandle of %p, which is no virtual memory: ROCm up to 7.12 "
			"ends the process",
			memory);
	if (!handle || !m)
		return hipErrorInvalidValue;
	*handle = m->memory;
	return hipSuccess;
}

ENTRY(hipMemMap,
	(void *memory, size_t n, size_t offset, hipMemGenericAllocationHandle_t handle,
		unsigned long long flags),
	map_memory((uintptr_t)memory, n, offset, handle, flags))
ENTRY(hipMemUnmap, (void *memory, size_t n),
	stream_drain(device_current) ? hipErrorUnknown : unmap((uintptr_t)memory, n))
ENTRY(hipMemSetAccess, (void *memory, size_t n, const hipMemAccessDesc *desc, size_t count),
	set_access((uintptr_t)memory, n, desc, count))
ENTRY(hipMemGetAccess, (unsigned long long *flags, const hipMemLocation *location, void *memory),
	put_access(flags, location, memory))
ENTRY(hipMemRetainAllocationHandle, (hipMemGenericAllocationHandle_t * handle, void *memory),
	lend(handle, memory))
