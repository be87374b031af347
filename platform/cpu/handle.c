/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of hipMemCreate, which has no address; virtual.c maps it. It is a memfd. Its last page, which is
 * never mapped, says how large it is and on which device, for processes that import the descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"

#define LABEL_MAGIC UINT64_C(0x76697274756d656d)
#define MOST_FILES  ((uintptr_t)1 << 20) /* descriptors are smaller than this, addresses are not */

/* The beginning of the last page of the file. */
struct label {
	uint64_t magic;
	uint64_t nbytes;
	char uuid[16]; /* of the device */
};

static hipMemGenericAllocationHandle_t memories; /* a list; hipcpu_memory_lock guards it */

/* ---- memory ---- */

static bool is_right_prop(const hipMemAllocationProp *prop)
{
	return prop && prop->type == hipMemAllocationTypePinned &&
		prop->location.type == hipMemLocationTypeDevice;
}

bool hipcpu_handle_is_valid(hipMemGenericAllocationHandle_t handle)
{
	hipMemGenericAllocationHandle_t at = memories;

	while (at && at != handle)
		at = at->next;
	return at && at->nhandles;
}

void hipcpu_handle_drop(hipMemGenericAllocationHandle_t memory)
{
	hipMemGenericAllocationHandle_t *link = &memories;

	if (memory->nhandles || memory->nmaps)
		return;
	while (*link != memory)
		link = &(*link)->next;
	*link = memory->next;
	close(memory->fd);
	if (!memory->is_imported)
		atomic_fetch_sub(&hipcpu_device(memory->prop.location.id)->allocated, memory->nbytes);
	free(memory);
}

static void insert(hipMemGenericAllocationHandle_t memory)
{
	memory->nhandles = 1;
	pthread_mutex_lock(&hipcpu_memory_lock);
	memory->next = memories;
	memories = memory;
	pthread_mutex_unlock(&hipcpu_memory_lock);
}

static hipError_t create(
	hipMemGenericAllocationHandle_t *handle, size_t nbytes, const hipMemAllocationProp *prop)
{
	struct hipcpu_device *device = hipcpu_device(prop->location.id);
	struct label label = {.magic = LABEL_MAGIC, .nbytes = nbytes};
	size_t total = hipcpu_config()->memory_bytes;
	hipMemGenericAllocationHandle_t memory;
	struct stat st;

	if (!device)
		return hipErrorInvalidDevice;
	if (prop->requestedHandleType & ~(unsigned)hipMemHandleTypePosixFileDescriptor)
		return hipErrorNotSupported;
	if (nbytes > total)
		return hipErrorOutOfMemory;
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return hipErrorOutOfMemory;
	memory->prop = *prop;
	memory->nbytes = nbytes;
	hipcpu_device_use(prop->location.id);
	hipcpu_device_uuid(prop->location.id, label.uuid);
	if (atomic_fetch_add(&device->allocated, nbytes) + nbytes > hipcpu_round_to_pages(total))
		goto err_uncount;
	memory->fd = hipcpu_memory_create_file(nbytes + hipcpu_round_to_pages(1), &st);
	if (memory->fd < 0)
		goto err_uncount;
	if (pwrite(memory->fd, &label, sizeof(label), (off_t)nbytes) != (ssize_t)sizeof(label))
		goto err_close;
	insert(memory);
	*handle = memory;
	return hipSuccess;

err_close:
	close(memory->fd);
err_uncount:
	atomic_fetch_sub(&device->allocated, nbytes);
	free(memory);
	return hipErrorOutOfMemory;
}

hipError_t hipMemGetAllocationGranularity(
	size_t *granularity, const hipMemAllocationProp *prop, hipMemAllocationGranularity_flags option)
{
	HIPCPU_ENTER(hipMemGetAllocationGranularity);
	if (!granularity || !is_right_prop(prop) || (unsigned)option > hipMemAllocationGranularityRecommended)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	*granularity = HIPCPU_GRANULE;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t nbytes,
	const hipMemAllocationProp *prop, unsigned long long flags)
{
	HIPCPU_ENTER_UNCAPTURED(hipMemCreate);
	if (!handle || flags || !is_right_prop(prop) || !hipcpu_is_granules(nbytes))
		HIPCPU_LEAVE(hipErrorInvalidValue);
	HIPCPU_LEAVE(create(handle, nbytes, prop));
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle)
{
	hipError_t err = hipErrorInvalidValue;

	HIPCPU_ENTER(hipMemRelease);
	pthread_mutex_lock(&hipcpu_memory_lock);
	if (hipcpu_handle_is_valid(handle)) {
		handle->nhandles--;
		hipcpu_handle_drop(handle);
		err = hipSuccess;
	}
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(err);
}

hipError_t hipMemGetAllocationPropertiesFromHandle(
	hipMemAllocationProp *prop, hipMemGenericAllocationHandle_t handle)
{
	hipError_t err = hipErrorInvalidValue;

	HIPCPU_ENTER(hipMemGetAllocationPropertiesFromHandle);
	pthread_mutex_lock(&hipcpu_memory_lock);
	if (prop && hipcpu_handle_is_valid(handle)) {
		*prop = handle->prop;
		err = hipSuccess;
	}
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(err);
}

/* ---- memory of other processes ---- */

hipError_t hipMemExportToShareableHandle(void *shareable, hipMemGenericAllocationHandle_t handle,
	hipMemAllocationHandleType type, unsigned long long flags)
{
	int fd = -1;

	HIPCPU_ENTER(hipMemExportToShareableHandle);
	if (!shareable || flags || type != hipMemHandleTypePosixFileDescriptor)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	pthread_mutex_lock(&hipcpu_memory_lock);
	if (hipcpu_handle_is_valid(handle) && handle->prop.requestedHandleType == type)
		fd = fcntl(handle->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else
		errno = EINVAL;
	pthread_mutex_unlock(&hipcpu_memory_lock);
	if (fd < 0)
		HIPCPU_LEAVE(errno == EINVAL ? hipErrorInvalidValue : hipErrorOperatingSystem);
	*(int *)shareable = fd;
	HIPCPU_LEAVE(hipSuccess);
}

/* Takes over a descriptor, if it is one of such memory. */
static hipError_t import(hipMemGenericAllocationHandle_t *handle, int fd)
{
	hipMemGenericAllocationHandle_t memory;
	struct label label;
	struct stat st;
	int device;

	if (fstat(fd, &st) || st.st_size < (off_t)(HIPCPU_GRANULE + hipcpu_round_to_pages(1)) ||
		pread(fd, &label, sizeof(label), st.st_size - (off_t)hipcpu_round_to_pages(1)) !=
			(ssize_t)sizeof(label) ||
		label.magic != LABEL_MAGIC || label.nbytes + hipcpu_round_to_pages(1) != (uint64_t)st.st_size)
		return hipErrorInvalidValue;
	device = hipcpu_device_by_uuid(label.uuid);
	if (device < 0 || device >= HIPCPU_MAX_DEVICES)
		return hipErrorInvalidDevice;
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return hipErrorOutOfMemory;
	memory->prop.type = hipMemAllocationTypePinned;
	memory->prop.location = (hipMemLocation){hipMemLocationTypeDevice, device};
	memory->prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
	memory->nbytes = label.nbytes;
	memory->fd = fd;
	memory->is_imported = true;
	insert(memory);
	*handle = memory;
	return hipSuccess;
}

hipError_t hipMemImportFromShareableHandle(
	hipMemGenericAllocationHandle_t *handle, void *os_handle, hipMemAllocationHandleType type)
{
	hipError_t err;
	int fd;

	HIPCPU_ENTER(hipMemImportFromShareableHandle);
	if (!handle || type != hipMemHandleTypePosixFileDescriptor)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	fd = (uintptr_t)os_handle < MOST_FILES ? (int)(uintptr_t)os_handle : *(int *)os_handle;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* the caller keeps its own */
	if (fd < 0)
		HIPCPU_LEAVE(errno == EMFILE ? hipErrorOperatingSystem : hipErrorInvalidValue);
	err = import(handle, fd);
	if (err != hipSuccess)
		close(fd);
	HIPCPU_LEAVE(err);
}
