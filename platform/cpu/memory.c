/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations. Each piece of device memory is a memfd, mapped shared, so that another process can map it too
 * (ipc.c) and a crash leaves nothing behind. One sorted table has every allocation.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#define HUGE_PAGE ((size_t)2 << 20)

pthread_mutex_t hipcpu_memory_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hipcpu_allocation *table; /* sorted by base, disjoint */
static size_t nused, ncapacity;
static uint64_t last_id;

/* ---- the table ---- */

/* Returns the index of the first entry whose base is above ptr. */
static size_t table_above(const void *ptr)
{
	size_t low = 0, high = nused;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if ((uintptr_t)table[mid].base <= (uintptr_t)ptr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct hipcpu_allocation *hipcpu_memory_find(const void *ptr)
{
	size_t above = table_above(ptr);
	struct hipcpu_allocation *a = above ? &table[above - 1] : NULL;

	return a && (uintptr_t)ptr - (uintptr_t)a->base < a->nbytes ? a : NULL;
}

struct hipcpu_allocation *hipcpu_memory_find_file(enum hipcpu_memory kind, dev_t dev, ino_t ino)
{
	for (size_t i = 0; i < nused; i++)
		if (table[i].kind == kind && table[i].dev == dev && table[i].ino == ino)
			return &table[i];
	return NULL;
}

bool hipcpu_memory_insert(const struct hipcpu_allocation *a)
{
	size_t at = table_above(a->base);

	if (nused == ncapacity) {
		size_t more = ncapacity ? 2 * ncapacity : 64;
		struct hipcpu_allocation *grown = realloc(table, more * sizeof(*grown));

		if (!grown)
			return false;
		table = grown;
		ncapacity = more;
	}
	memmove(&table[at + 1], &table[at], (nused - at) * sizeof(*table));
	table[at] = *a;
	table[at].id = ++last_id;
	nused++;
	hipcpu_race_fresh(a->base, a->mapped_bytes);
	return true;
}

void hipcpu_memory_remove(struct hipcpu_allocation *a)
{
	size_t at = (size_t)(a - table);

	memmove(&table[at], &table[at + 1], (nused - at - 1) * sizeof(*table));
	nused--;
}

/* ---- mapping ---- */

size_t hipcpu_round_to_pages(size_t nbytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (nbytes + page - 1) & ~(page - 1);
}

char *hipcpu_memory_map(int fd, size_t nbytes)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	size_t reserved, head;
	char *area, *base, *place = hipcpu_place_take();

	if (place) {
		base = mmap(place, nbytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, fd, 0);
		return base == MAP_FAILED ? NULL : base;
	}
	if (nbytes < HUGE_PAGE) {
		base = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, flags, fd, 0);
		return base == MAP_FAILED ? NULL : base;
	}
	reserved = nbytes + HUGE_PAGE;
	area = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return NULL;
	head = -(uintptr_t)area & (HUGE_PAGE - 1);
	base = mmap(area + head, nbytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
	if (base == MAP_FAILED) {
		int err = errno;

		munmap(area, reserved);
		errno = err;
		return NULL;
	}
	if (head)
		munmap(area, head);
	munmap(base + nbytes, reserved - head - nbytes);
	return base;
}

/* A process that allocates much reaches the soft limit of open files long before the hard one. */
static bool raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

int hipcpu_keep_file(int fd)
{
	int moved, err;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	err = errno;
	close(fd);
	errno = err;
	return moved;
}

FILE *hipcpu_read_file(const char *path)
{
	const int fd = hipcpu_keep_file(open(path, O_RDONLY | O_CLOEXEC));
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

int hipcpu_memory_file(void)
{
	int fd = memfd_create("hipcpu", MFD_CLOEXEC);

	if (fd < 0 && errno == EACCES) /* vm.memfd_noexec=2; Linux before 6.3 does not know the flag */
		fd = memfd_create("hipcpu", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
	return hipcpu_keep_file(fd);
}

/* Above the limit ftruncate would also send SIGXFSZ, which ends the process without a word. */
int hipcpu_memory_grow_file(int fd, size_t nbytes)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && nbytes > limit.rlim_cur) {
		errno = EFBIG;
		return -1;
	}
	return ftruncate(fd, (off_t)nbytes);
}

int hipcpu_memory_create_file(size_t nbytes, struct stat *st_p)
{
	int fd = hipcpu_memory_file();

	if (fd < 0 && errno == EMFILE && raise_file_limit())
		fd = hipcpu_memory_file();
	if (fd < 0)
		return -1;
	if (hipcpu_memory_grow_file(fd, nbytes) || fstat(fd, st_p)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- device memory ---- */

static size_t system_free(void)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *file = hipcpu_read_file("/proc/meminfo");

	if (!file)
		return SIZE_MAX;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	fclose(file);
	return kib ? (size_t)kib << 10 : SIZE_MAX;
}

static hipError_t allocate_device(void **ptr, size_t nbytes, enum hipcpu_memory kind, unsigned flags)
{
	struct hipcpu_device *device = hipcpu_device(hipcpu_current_device());
	struct hipcpu_allocation a = {.nbytes = nbytes, .kind = kind, .flags = flags};
	size_t total = hipcpu_config()->memory_bytes;
	hipError_t error = hipErrorOutOfMemory;
	struct stat st;
	bool inserted;

	if (!ptr)
		return hipErrorInvalidValue;
	if (!device)
		return hipErrorNoDevice;
	*ptr = NULL;
	if (!nbytes)
		return hipSuccess;
	if (nbytes > total)
		return hipErrorOutOfMemory;
	a.device = hipcpu_current_device();
	hipcpu_device_use(a.device);
	a.mapped_bytes = hipcpu_round_to_pages(nbytes);
	if (atomic_fetch_add(&device->allocated, a.mapped_bytes) + a.mapped_bytes >
		hipcpu_round_to_pages(total))
		goto err_uncount;
	a.fd = hipcpu_memory_create_file(a.mapped_bytes, &st);
	if (a.fd < 0) {
		error = errno == EFBIG ? hipErrorOperatingSystem : hipErrorOutOfMemory;
		goto err_uncount;
	}
	a.dev = st.st_dev;
	a.ino = st.st_ino;
	a.base = hipcpu_memory_map(a.fd, a.mapped_bytes);
	if (!a.base)
		goto err_close;
	if (kind == HIPCPU_MEMORY_DEVICE && !hipcpu_access_guard(a.base, a.mapped_bytes, a.fd))
		goto err_unmap;
	pthread_mutex_lock(&hipcpu_memory_lock);
	inserted = hipcpu_memory_insert(&a);
	pthread_mutex_unlock(&hipcpu_memory_lock);
	if (!inserted)
		goto err_forget;
	*ptr = a.base;
	return hipSuccess;

err_forget:
	hipcpu_access_forget(a.base);
err_unmap:
	munmap(a.base, a.mapped_bytes);
err_close:
	close(a.fd);
err_uncount:
	atomic_fetch_sub(&device->allocated, a.mapped_bytes);
	return error;
}

hipError_t hipMalloc(void **ptr, size_t nbytes)
{
	HIPCPU_ENTER_UNCAPTURED(hipMalloc);
	HIPCPU_LEAVE(allocate_device(ptr, nbytes, HIPCPU_MEMORY_DEVICE, hipDeviceMallocDefault));
}

hipError_t hipExtMallocWithFlags(void **ptr, size_t nbytes, unsigned flags)
{
	HIPCPU_ENTER_UNCAPTURED(hipExtMallocWithFlags);
	if (flags > hipDeviceMallocContiguous)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	HIPCPU_LEAVE(allocate_device(ptr, nbytes, HIPCPU_MEMORY_DEVICE, flags));
}

hipError_t hipMallocManaged(void **ptr, size_t nbytes, unsigned flags)
{
	HIPCPU_ENTER_UNCAPTURED(hipMallocManaged);
	if ((flags != hipMemAttachGlobal && flags != hipMemAttachHost) || !nbytes)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	HIPCPU_LEAVE(allocate_device(ptr, nbytes, HIPCPU_MEMORY_MANAGED, flags));
}

/* Frees the allocation that starts at ptr if it is of one of two kinds. */
static hipError_t release(void *ptr, enum hipcpu_memory kind, enum hipcpu_memory other)
{
	struct hipcpu_allocation *a, gone;

	pthread_mutex_lock(&hipcpu_memory_lock);
	a = hipcpu_memory_find(ptr);
	if (!a || a->base != (char *)ptr || (a->kind != kind && a->kind != other)) {
		pthread_mutex_unlock(&hipcpu_memory_lock);
		return hipErrorInvalidValue;
	}
	gone = *a;
	hipcpu_memory_remove(a);
	pthread_mutex_unlock(&hipcpu_memory_lock);
	hipcpu_device_drain(gone.device); /* as on a GPU: no kernel may still be using it */
	hipcpu_access_forget(gone.base);
	munmap(gone.base, gone.mapped_bytes);
	if (gone.fd >= 0) {
		close(gone.fd);
		atomic_fetch_sub(&hipcpu_device(gone.device)->allocated, gone.mapped_bytes);
	}
	return hipSuccess;
}

hipError_t hipFree(void *ptr)
{
	HIPCPU_ENTER_UNCAPTURED(hipFree);
	if (!ptr)
		HIPCPU_LEAVE(hipSuccess);
	HIPCPU_LEAVE(release(ptr, HIPCPU_MEMORY_DEVICE, HIPCPU_MEMORY_MANAGED));
}

hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	struct hipcpu_device *device;
	size_t total, used, available;

	HIPCPU_ENTER(hipMemGetInfo);
	device = hipcpu_device(hipcpu_current_device());
	if (!device)
		HIPCPU_LEAVE(hipErrorNoDevice);
	if (!free_bytes || !total_bytes)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	total = hipcpu_config()->memory_bytes;
	used = device->allocated;
	available = system_free();
	*total_bytes = total;
	*free_bytes = used < total ? total - used : 0;
	if (available < *free_bytes)
		*free_bytes = available;
	HIPCPU_LEAVE(hipSuccess);
}

/* ---- host memory ---- */

hipError_t hipHostMalloc(void **ptr, size_t nbytes, unsigned flags)
{
	struct hipcpu_allocation a = {.nbytes = nbytes, .kind = HIPCPU_MEMORY_HOST, .flags = flags, .fd = -1};
	bool inserted;

	HIPCPU_ENTER_UNCAPTURED(hipHostMalloc);
	if (!ptr)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	*ptr = NULL;
	if (!nbytes)
		HIPCPU_LEAVE(hipSuccess);
	if (nbytes > SIZE_MAX / 2)
		HIPCPU_LEAVE(hipErrorOutOfMemory);
	a.device = hipcpu_current_device();
	a.mapped_bytes = hipcpu_round_to_pages(nbytes);
	a.base = hipcpu_memory_map(-1, a.mapped_bytes);
	if (!a.base)
		HIPCPU_LEAVE(hipErrorOutOfMemory);
	pthread_mutex_lock(&hipcpu_memory_lock);
	inserted = hipcpu_memory_insert(&a);
	pthread_mutex_unlock(&hipcpu_memory_lock);
	if (!inserted) {
		munmap(a.base, a.mapped_bytes);
		HIPCPU_LEAVE(hipErrorOutOfMemory);
	}
	*ptr = a.base;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipHostFree(void *ptr)
{
	HIPCPU_ENTER_UNCAPTURED(hipHostFree);
	if (!ptr)
		HIPCPU_LEAVE(hipSuccess);
	HIPCPU_LEAVE(release(ptr, HIPCPU_MEMORY_HOST, HIPCPU_MEMORY_HOST));
}

hipError_t hipHostRegister(void *ptr, size_t nbytes, unsigned flags)
{
	struct hipcpu_allocation a = {
		.base = ptr, .nbytes = nbytes, .kind = HIPCPU_MEMORY_REGISTERED, .flags = flags, .fd = -1};
	hipError_t err = hipErrorHostMemoryAlreadyRegistered;
	size_t above;

	HIPCPU_ENTER(hipHostRegister);
	if (!ptr || !nbytes)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	a.device = hipcpu_current_device();
	pthread_mutex_lock(&hipcpu_memory_lock);
	above = table_above(ptr);
	if (!hipcpu_memory_find(ptr) &&
		(above == nused || (uintptr_t)table[above].base - (uintptr_t)ptr >= nbytes))
		err = hipcpu_memory_insert(&a) ? hipSuccess : hipErrorOutOfMemory;
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(err);
}

hipError_t hipHostUnregister(void *ptr)
{
	hipError_t err = hipErrorHostMemoryNotRegistered;
	struct hipcpu_allocation *a;

	HIPCPU_ENTER(hipHostUnregister);
	pthread_mutex_lock(&hipcpu_memory_lock);
	a = hipcpu_memory_find(ptr);
	if (a && a->base == (char *)ptr && a->kind == HIPCPU_MEMORY_REGISTERED) {
		hipcpu_memory_remove(a);
		err = hipSuccess;
	}
	pthread_mutex_unlock(&hipcpu_memory_lock);
	HIPCPU_LEAVE(err);
}

/* Copies the allocation around ptr to *a_p; false if there is none. */
static bool look_up(const void *ptr, struct hipcpu_allocation *a_p)
{
	struct hipcpu_allocation *a;

	pthread_mutex_lock(&hipcpu_memory_lock);
	a = hipcpu_memory_find(ptr);
	if (a)
		*a_p = *a;
	pthread_mutex_unlock(&hipcpu_memory_lock);
	return a != NULL;
}

static bool is_host(const struct hipcpu_allocation *a)
{
	return a->kind == HIPCPU_MEMORY_HOST || a->kind == HIPCPU_MEMORY_REGISTERED ||
		a->kind == HIPCPU_MEMORY_SHARED;
}

hipError_t hipHostGetDevicePointer(void **device_ptr, void *host_ptr, unsigned flags)
{
	struct hipcpu_allocation a;

	HIPCPU_ENTER(hipHostGetDevicePointer);
	if (!device_ptr || flags || !look_up(host_ptr, &a) || !is_host(&a))
		HIPCPU_LEAVE(hipErrorInvalidValue);
	*device_ptr = host_ptr;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipHostGetFlags(unsigned *flags, void *host_ptr)
{
	struct hipcpu_allocation a;

	HIPCPU_ENTER(hipHostGetFlags);
	if (!flags || !look_up(host_ptr, &a) || !is_host(&a))
		HIPCPU_LEAVE(hipErrorInvalidValue);
	*flags = a.flags;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr)
{
	struct hipcpu_allocation a;

	HIPCPU_ENTER(hipPointerGetAttributes);
	if (!attributes || !ptr)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	memset(attributes, 0, sizeof(*attributes));
	if (!look_up(ptr, &a)) {
		/* as in HIP 6: success, and unregistered */
		attributes->hostPointer = NULL;
		attributes->device = -2;
		HIPCPU_LEAVE(hipSuccess);
	}
	attributes->device = a.device;
	attributes->allocationFlags = a.flags;
	attributes->devicePointer = (void *)(uintptr_t)ptr;
	if (is_host(&a) || a.kind == HIPCPU_MEMORY_MANAGED)
		attributes->hostPointer = (void *)(uintptr_t)ptr;
	attributes->isManaged = a.kind == HIPCPU_MEMORY_MANAGED;
	attributes->type = is_host(&a)  ? hipMemoryTypeHost
		: attributes->isManaged ? hipMemoryTypeManaged
					: hipMemoryTypeDevice;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr)
{
	struct hipcpu_allocation a;
	int is_managed;

	HIPCPU_ENTER(hipPointerGetAttribute);
	if (!data || !look_up(ptr, &a))
		HIPCPU_LEAVE(hipErrorInvalidValue);
	is_managed = a.kind == HIPCPU_MEMORY_MANAGED;
	if (attribute == HIP_POINTER_ATTRIBUTE_HOST_POINTER && (is_host(&a) || is_managed))
		memcpy(data, &ptr, sizeof(ptr));
	else if (attribute == HIP_POINTER_ATTRIBUTE_BUFFER_ID)
		memcpy(data, &a.id, sizeof(a.id));
	else if (attribute == HIP_POINTER_ATTRIBUTE_IS_MANAGED)
		memcpy(data, &is_managed, sizeof(is_managed));
	else
		HIPCPU_LEAVE(hipErrorInvalidValue);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *nbytes, hipDeviceptr_t ptr)
{
	struct hipcpu_allocation a;

	HIPCPU_ENTER(hipMemGetAddressRange);
	if (!look_up(ptr, &a))
		HIPCPU_LEAVE(hipErrorNotFound);
	if (base)
		*base = a.base;
	if (nbytes)
		*nbytes = a.nbytes;
	HIPCPU_LEAVE(hipSuccess);
}
