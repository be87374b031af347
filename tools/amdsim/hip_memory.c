/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that was allocated, registered or opened, and HIP's entry points for it. A process's device memory
 * is one sparse file. Kernels use it in the arena, which is PROT_NONE so that accesses by the host fault; the
 * simulator sees it ARENA_ALIAS above. A handle for another process holds process, descriptor and address.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "hip.h"

#define PAGE UINT64_C(4096)
#define LARGE_PAGE (UINT64_C(2) << 20) /* large allocations are aligned to it, as with ROCm */
#define LINE UINT64_C(64)
/* fresh device memory of up to this size has a pattern; larger is zero, and sparse */
#define SMALL_BYTES 65536
#define PATTERN 0xa5

enum origin { MALLOC, CODE, OPENED, VIRTUAL, HOST, MANAGED, REGISTERED };

struct allocation {
	struct allocation *next;
	uint64_t base, nbytes;
	uint64_t id; /* of device memory, unique: the process and a count */
	enum origin origin;
	enum memory_kind kind;
	int device;
	unsigned flags;
	unsigned nopens; /* OPENED: how often */
	bool is_closed;	 /* VIRTUAL: kernels may not access it */
};

static struct allocation *allocations;
static pid_t owner;			/* of the arena; 0: there is no arena yet */
static int file;			/* the arena's memory */
static uint64_t free_from = ARENA_BASE; /* in the arena */
static struct sigaction fault_before;

/* ---- the list ---- */

/* Finds memory that overlaps a range; NULL: nothing there was allocated or registered. */
static struct allocation *find(uint64_t base, uint64_t nbytes)
{
	struct allocation *a = allocations;

	while (a && (a->base - base >= nbytes && base - a->base >= a->nbytes))
		a = a->next;
	return a;
}

static struct allocation *find_at(const void *memory)
{
	return find((uintptr_t)memory, 1);
}

static struct allocation *insert(struct allocation a)
{
	struct allocation *new = zalloc(sizeof(*new));

	a.next = allocations;
	*new = a;
	return allocations = new;
}

/* Is next a mapping, of *nbytes_p, that an access of a kernel may cross into from a, or the other way? */
static bool is_continued(const struct allocation *a, const struct allocation *next, uint64_t *nbytes_p)
{
	if (a->origin != VIRTUAL || !next || next->origin != VIRTUAL || next->is_closed ||
	    next->device != a->device)
		return false;
	*nbytes_p = next->nbytes;
	return true;
}

/*
 * Hardware reads whole lines, and compilers may widen a load within one: a line counts as there if any byte
 * of it is.
 */
bool memory_find(uint64_t address, struct range *range_p)
{
	const struct allocation *a;
	uint64_t nbytes;

	pthread_mutex_lock(&api_lock);
	a = find(address, 1);
	a = a ? a : find(address / LINE * LINE, LINE);
	if (a && a->is_closed)
		a = NULL;
	if (a) {
		range_p->base = a->base / LINE * LINE;
		range_p->nbytes = round_up(a->base + a->nbytes, LINE) - range_p->base;
		while (is_continued(a, find(range_p->base + range_p->nbytes, 1), &nbytes))
			range_p->nbytes += nbytes;
		while (is_continued(a, find(range_p->base - 1, 1), &nbytes)) {
			range_p->base -= nbytes;
			range_p->nbytes += nbytes;
		}
		range_p->kind = a->kind;
		range_p->device = a->kind == MEMORY_HOST ? -1 : a->device;
	}
	pthread_mutex_unlock(&api_lock);
	return a;
}

size_t memory_used(int device)
{
	size_t nbytes = 0;

	for (const struct allocation *a = allocations; a; a = a->next)
		nbytes += a->origin <= CODE && a->device == device ? round_up(a->nbytes, PAGE) : 0;
	return nbytes;
}

/* ---- device memory ---- */

/* Repeats the access with the handler that was set before this one. */
static void explain_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if ((uintptr_t)info->si_addr - ARENA_BASE < ARENA_BYTES)
		message("device memory touched by the host at %p: a GPU would fault; use hipMemcpy", info->si_addr);
	sigaction(number, &fault_before, NULL);
	if (info->si_code <= 0)
		raise(number);
}

/*
 * Maps a part of a file at address, for the simulator. Attributes are those of the whole arena, so that the
 * system joins the mappings when an allocation is gone.
 */
static bool map(uint64_t address, uint64_t nbytes, int fd, uint64_t offset)
{
	void *at = mmap(memory_host(address), nbytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, (off_t)offset);

	return at != MAP_FAILED && !madvise(at, nbytes, MADV_DONTDUMP);
}

static bool make_arena(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	struct sigaction explain = {.sa_sigaction = explain_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	void *base = (void *)(uintptr_t)ARENA_BASE;

	if (owner || device_forked())
		return !device_forked();
	file = keep_file(memfd_create("amdsim", MFD_CLOEXEC));
	if (file < 0 || ftruncate(file, (off_t)ARENA_BYTES) ||
	    mmap(base, ARENA_ALIAS + ARENA_BYTES, PROT_NONE, flags, -1, 0) != base ||
	    !map(ARENA_BASE, ARENA_BYTES, file, 0)) {
		message("no address space for device memory: %s (ulimit -v?)", strerror(errno));
		return false;
	}
	sigaction(SIGSEGV, &explain, &fault_before);
	owner = getpid();
	return true;
}

/*
 * Returns an address, or 0. Addresses are not used again, so that stale pointers are noticed. The page after
 * an allocation is unused; the allocation's id is there while it lives.
 */
static uint64_t take_address(uint64_t nbytes)
{
	uint64_t at = round_up(free_from, nbytes < LARGE_PAGE ? PAGE : LARGE_PAGE);

	if (!make_arena() || nbytes > ARENA_BASE + ARENA_BYTES - PAGE - at)
		return 0;
	free_from = at + nbytes + PAGE;
	return at;
}

/* NULL: out of memory. */
static struct allocation *create(struct allocation a)
{
	static uint64_t count;
	uint64_t nbytes = round_up(a.nbytes, PAGE);
	void *host;

	if (a.nbytes > ARENA_BYTES || (a.origin <= CODE && nbytes + memory_used(a.device) > config()->memory_bytes))
		return NULL;
	if (a.origin > CODE) {
		host = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		a.base = host == MAP_FAILED ? 0 : (uintptr_t)host;
		return a.base ? insert(a) : NULL;
	}
	a.base = take_address(nbytes);
	if (!a.base)
		return NULL;
	a.id = (uint64_t)owner << 32 | ++count;
	memcpy(memory_host(a.base + nbytes), &a.id, sizeof(a.id));
	memset(memory_host(a.base), PATTERN, nbytes <= SMALL_BYTES ? nbytes : 0);
	return insert(a);
}

static void destroy(struct allocation *a)
{
	uint64_t nbytes = round_up(a->nbytes, PAGE), offset = a->base - ARENA_BASE;
	struct allocation **at = &allocations;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	if (a->origin <= CODE)
		fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)(nbytes + PAGE));
	else if (a->origin == OPENED || a->origin == VIRTUAL)
		map(a->base, nbytes, file, offset);
	else if (a->origin != REGISTERED)
		munmap((void *)(uintptr_t)a->base, nbytes);
	free(a);
}

uint64_t memory_alloc_code(int device, size_t nbytes)
{
	const struct allocation *a;

	pthread_mutex_lock(&api_lock);
	a = create((struct allocation){.nbytes = nbytes, .origin = CODE, .kind = MEMORY_COARSE, .device = device});
	pthread_mutex_unlock(&api_lock);
	return a ? a->base : 0;
}

void memory_free_code(uint64_t address)
{
	pthread_mutex_lock(&api_lock);
	destroy(find(address, 1));
	pthread_mutex_unlock(&api_lock);
}

/* ---- allocation ---- */

static hipError_t alloc(void **memory_p, size_t nbytes, enum origin origin, enum memory_kind kind, unsigned flags)
{
	const struct allocation *a;

	if (!memory_p || kind == MEMORY_NONE)
		return hipErrorInvalidValue;
	*memory_p = NULL;
	if (!nbytes || device_check(device_current))
		return nbytes ? hipErrorNoDevice : hipSuccess;
	device_used[device_current] = true;
	a = create((struct allocation){.nbytes = nbytes, .origin = origin, .kind = kind, .flags = flags,
				       .device = device_current});
	*memory_p = a ? (void *)(uintptr_t)a->base : NULL;
	return a ? hipSuccess : hipErrorOutOfMemory;
}

/*
 * Frees memory of one origin or the other, by its first byte (OPENED: any), after all work of the
 * device, which may use it.
 */
static hipError_t release(const void *memory, enum origin origin, enum origin other, hipError_t unknown)
{
	struct allocation *a = find_at(memory);
	hipError_t error = stream_drain(a && a->origin != OPENED ? a->device : device_current);

	a = find_at(memory);
	if (!a || (a->origin != origin && a->origin != other) || (a->base != (uintptr_t)memory && origin != OPENED))
		return unknown;
	if (!error && (origin != OPENED || !--a->nopens))
		destroy(a);
	return error;
}

static hipError_t register_host(void *memory, size_t nbytes, unsigned flags)
{
	uint64_t base = (uintptr_t)memory;

	if (!memory || !nbytes || flags > 15 || base - ARENA_BASE < ARENA_BYTES || base + nbytes < base)
		return hipErrorInvalidValue;
	if (find(base, nbytes))
		return hipErrorHostMemoryAlreadyRegistered;
	insert((struct allocation){.base = base, .nbytes = nbytes, .origin = REGISTERED, .kind = MEMORY_HOST,
				   .device = device_current, .flags = flags});
	return hipSuccess;
}

ENTRY(hipMalloc, (void **memory, size_t n), alloc(memory, n, MALLOC, MEMORY_COARSE, 0))
/* 3 is hipDeviceMallocUncached of HIP 5.5. */
ENTRY(hipExtMallocWithFlags, (void **memory, size_t n, unsigned flags), alloc(memory, n, MALLOC,
	flags == hipDeviceMallocDefault ? MEMORY_COARSE : flags == hipDeviceMallocFinegrained ? MEMORY_FINE :
	flags == 3 ? MEMORY_UNCACHED : MEMORY_NONE, flags))
ENTRY(hipHostMalloc, (void **memory, size_t n, unsigned flags), alloc(memory, n, HOST, flags & hipHostMallocCoherent &&
	flags & hipHostMallocNonCoherent ? MEMORY_NONE : MEMORY_HOST, flags))
ENTRY(hipMallocManaged, (void **memory, size_t n, unsigned flags), !n || (flags != hipMemAttachGlobal &&
	flags != hipMemAttachHost) ? hipErrorInvalidValue : alloc(memory, n, MANAGED, MEMORY_HOST, 0))
ENTRY(hipFree, (void *memory), memory ? release(memory, MALLOC, MANAGED, hipErrorInvalidValue) : hipSuccess)
ENTRY(hipHostFree, (void *memory), memory ? release(memory, HOST, HOST, hipErrorInvalidValue) : hipSuccess)
ENTRY(hipHostRegister, (void *memory, size_t n, unsigned flags), register_host(memory, n, flags))
ENTRY(hipHostUnregister, (void *memory), !memory ? hipErrorInvalidValue :
	release(memory, REGISTERED, REGISTERED, hipErrorHostMemoryNotRegistered))

/* ---- what is at an address ---- */

static hipError_t put_range(hipDeviceptr_t *base, size_t *nbytes, hipDeviceptr_t at)
{
	const struct allocation *a = find_at(at);

	if (a && base)
		*base = (void *)(uintptr_t)a->base;
	if (a && nbytes)
		*nbytes = a->nbytes;
	return a ? hipSuccess : hipErrorNotFound;
}

/* As in ROCm 5: managed memory counts as the host's, and unknown memory is an error. */
static hipError_t put_attributes(hipPointerAttribute_t *to, const void *memory)
{
	const struct allocation *a = find_at(memory);
	void *at = (void *)(uintptr_t)memory;

	if (!to || !a)
		return hipErrorInvalidValue;
	*to = (hipPointerAttribute_t){hipMemoryTypeDevice, a->device, at, NULL, a->origin == MANAGED, a->flags};
	if (a->kind == MEMORY_HOST) {
		to->memoryType = hipMemoryTypeHost;
		to->hostPointer = at;
	}
	return hipSuccess;
}

ENTRY(hipMemGetAddressRange, (hipDeviceptr_t *base, size_t *n, hipDeviceptr_t at), put_range(base, n, at))
ENTRY(hipHostGetDevicePointer, (void **to, void *memory, unsigned flags),
	!to || flags || !find_at(memory) ? hipErrorInvalidValue : (*to = memory, hipSuccess))
ENTRY(hipPointerGetAttributes, (hipPointerAttribute_t *to, const void *memory), put_attributes(to, memory))

/* As in ROCm, 32 bits. */
static hipError_t put_attribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t at)
{
	const struct allocation *a = find_at(at);
	const uint32_t id = a ? (uint32_t)a->id : 0;
	const int is_managed = a && a->origin == MANAGED;

	if (!data || !a || (attribute != HIP_POINTER_ATTRIBUTE_BUFFER_ID && attribute != HIP_POINTER_ATTRIBUTE_IS_MANAGED))
		return hipErrorInvalidValue;
	if (attribute == HIP_POINTER_ATTRIBUTE_IS_MANAGED)
		memcpy(data, &is_managed, sizeof(is_managed));
	else
		memcpy(data, &id, sizeof(id));
	return hipSuccess;
}

static hipError_t put_host_flags(unsigned *flags, const void *memory)
{
	const struct allocation *a = find_at(memory);

	if (!flags || !a || (a->origin != HOST && a->origin != REGISTERED))
		return hipErrorInvalidValue;
	*flags = a->flags;
	return hipSuccess;
}

ENTRY(hipHostGetFlags, (unsigned *flags, void *memory), put_host_flags(flags, memory))

ENTRY(hipPointerGetAttribute, (void *data, hipPointer_attribute attribute, hipDeviceptr_t at),
	put_attribute(data, attribute, at))

/* ---- memory of other processes ---- */

struct handle {
	uint64_t base, nbytes, id; /* the upper half of the id is the process */
	uint64_t offset;	   /* in it */
	enum memory_kind kind;
	int device, file, zero; /* without padding, so that the same memory has the same bytes */
};
_Static_assert(sizeof(struct handle) <= sizeof(hipIpcMemHandle_t), "the handle fits");

static hipError_t put_handle(hipIpcMemHandle_t *handle, const void *memory)
{
	const struct allocation *a = find_at(memory);
	struct handle h;

	if (!handle || !a || a->origin != MALLOC)
		return hipErrorInvalidValue;
	h = (struct handle){a->base, a->nbytes, a->id, (uintptr_t)memory - a->base, a->kind, a->device, file, 0};
	memset(handle, 0, sizeof(*handle));
	memcpy(handle, &h, sizeof(h));
	return hipSuccess;
}

/* The same memory is mapped once, however often it is opened. NULL: it does not exist. */
static struct allocation *open_memory(const struct handle *h, int fd)
{
	uint64_t nbytes = round_up(h->nbytes, PAGE), offset = h->base - ARENA_BASE, id = 0, base;
	struct allocation *a = allocations;

	if (pread(fd, &id, sizeof(id), (off_t)(offset + nbytes)) < 0 || !id || id != h->id)
		return NULL;
	while (a && a->id != id)
		a = a->next;
	base = a ? 0 : take_address(nbytes);
	if (base && map(base, nbytes, fd, offset))
		a = insert((struct allocation){.base = base, .nbytes = h->nbytes, .id = id, .origin = OPENED,
					       .kind = h->kind, .device = h->device});
	return a;
}

/* flags: hipIpcMemLazyEnablePeerAccess, which is 0 in HIP 5 and 1 later. */
static hipError_t open_handle(void **memory_p, const hipIpcMemHandle_t *handle, unsigned flags)
{
	struct allocation *a;
	struct handle h;
	char path[64];
	int fd;

	memcpy(&h, handle, sizeof(h));
	if (!memory_p || flags > 1 || device_check(h.device))
		return hipErrorInvalidValue;
	if (h.id >> 32 == (uint64_t)getpid())
		return hipErrorInvalidContext;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)(h.id >> 32), h.file);
	fd = open(path, O_RDWR | O_CLOEXEC);
	a = open_memory(&h, fd);
	close(fd);
	if (!a) {
		message("process %d does not have the memory of this handle", (int)(h.id >> 32));
		return hipErrorInvalidDevicePointer;
	}
	device_used[device_current] = true;
	a->nopens++;
	*memory_p = (void *)(uintptr_t)(a->base + h.offset);
	return hipSuccess;
}

ENTRY(hipIpcGetMemHandle, (hipIpcMemHandle_t *handle, void *memory), put_handle(handle, memory))
ENTRY(hipIpcOpenMemHandle, (void **memory, hipIpcMemHandle_t handle, unsigned flags),
	open_handle(memory, &handle, flags))
ENTRY(hipIpcCloseMemHandle, (void *memory), release(memory, OPENED, OPENED, hipErrorInvalidValue))

/* ---- for hip_virtual.c ---- */

uint64_t memory_reserve(uint64_t nbytes)
{
	return take_address(nbytes);
}

bool memory_map(uint64_t base, uint64_t nbytes, int fd, int device)
{
	static uint32_t count;

	if (find(base, nbytes) || !map(base, nbytes, fd, 0))
		return false;
	insert((struct allocation){.base = base, .nbytes = nbytes, .id = (uint64_t)owner << 32 | 1U << 31 | ++count,
				   .origin = VIRTUAL, .kind = MEMORY_COARSE, .device = device, .is_closed = true});
	return true;
}

void memory_unmap(uint64_t base)
{
	destroy(find(base, 1));
}

void memory_close(uint64_t base, bool is_closed)
{
	find(base, 1)->is_closed = is_closed;
}

/* ---- copies and fills ---- */

struct transfer {
	void *dst;
	const void *src;
	size_t dst_pitch, src_pitch, width, height; /* bytes, and rows */
	unsigned element_bytes; /* for a fill 1 or 4, else 0 */
	int value;
};

static void run_transfer(void *arg)
{
	const struct transfer *t = arg;

	for (size_t row = 0; row < t->height; row++) {
		char *dst = (char *)memory_host((uintptr_t)t->dst) + row * t->dst_pitch;

		if (!t->element_bytes)
			memmove(dst, (char *)memory_host((uintptr_t)t->src) + row * t->src_pitch, t->width);
		else if (t->element_bytes == 1)
			memset(dst, t->value, t->width);
		else
			wmemset((wchar_t *)(void *)dst, t->value, t->width / 4);
	}
}

/* How many bytes from memory on belong to one allocation, or to mappings of virtual memory side by side. */
static size_t count_rest(const struct allocation *a, const void *memory)
{
	uint64_t end = a->base + a->nbytes;

	while (a && a->origin == VIRTUAL) {
		a = find(end, 1);
		end += a && a->origin == VIRTUAL ? a->nbytes : 0;
	}
	return end - (uintptr_t)memory;
}

/* False: the memory ends before the span does, or there is no device memory at this address. */
static bool check_span(const void *memory, size_t pitch, size_t width, size_t height, bool *known_p)
{
	const struct allocation *a = find_at(memory);
	size_t rest = a ? count_rest(a, memory) : 0;

	*known_p = a;
	if (!a)
		return memory && (uintptr_t)memory - ARENA_BASE >= ARENA_BYTES;
	return width <= rest && (height == 1 || pitch <= (rest - width) / (height - 1));
}

/* As in ROCm's ihipMemcpy: a copy with pageable host memory is complete when the call returns. */
static hipError_t transfer(struct transfer t, hipMemcpyKind kind, hipStream_t stream, bool async)
{
	bool dst_known, src_known = true, copies = !t.element_bytes;

	if (!t.width || !t.height)
		return hipSuccess;
	if ((unsigned)kind > hipMemcpyDefault)
		return hipErrorInvalidMemcpyDirection;
	if (t.height > 1 && (t.width > t.dst_pitch || (copies && t.width > t.src_pitch)))
		return hipErrorInvalidPitchValue;
	if (!check_span(t.dst, t.dst_pitch, t.width, t.height, &dst_known) ||
	    (copies && !check_span(t.src, t.src_pitch, t.width, t.height, &src_known)))
		return hipErrorInvalidValue;
	if (!dst_known && (!copies || (!src_known && kind != hipMemcpyHostToHost && kind != hipMemcpyDefault)))
		return hipErrorInvalidValue;
	return stream_submit(stream, run_transfer, &t, sizeof(t), async && dst_known && src_known);
}

hipError_t memory_copy(void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream, bool async)
{
	return transfer((struct transfer){dst, src, 0, 0, nbytes, 1, 0, 0}, kind, stream, async);
}

/* Entry points with dst, src and n; with rows; with dst, value and n. */
#define COPY(name, parameters, kind, stream, async) \
	ENTRY(name, parameters, memory_copy(dst, src, n, kind, stream, async))
#define COPY2D(name, parameters, stream, async) \
	ENTRY(name, parameters, transfer((struct transfer){dst, src, dpitch, spitch, w, h, 0, 0}, kind, stream, async))
#define FILL(name, parameters, nbytes, stream, async) \
	ENTRY(name, parameters, n > SIZE_MAX / nbytes ? hipErrorInvalidValue : transfer((struct transfer){ \
		dst, NULL, 0, 0, n * nbytes, 1, nbytes, value}, hipMemcpyDefault, stream, async))

COPY(hipMemcpy, (void *dst, const void *src, size_t n, hipMemcpyKind kind), kind, NULL, false)
COPY(hipMemcpyWithStream, (void *dst, const void *src, size_t n, hipMemcpyKind kind, hipStream_t stream), kind, stream,
	false)
COPY(hipMemcpyAsync, (void *dst, const void *src, size_t n, hipMemcpyKind kind, hipStream_t stream), kind, stream, true)
COPY(hipMemcpyHtoD, (hipDeviceptr_t dst, void *src, size_t n), hipMemcpyHostToDevice, NULL, false)
COPY(hipMemcpyDtoH, (void *dst, hipDeviceptr_t src, size_t n), hipMemcpyDeviceToHost, NULL, false)
COPY(hipMemcpyDtoD, (hipDeviceptr_t dst, hipDeviceptr_t src, size_t n), hipMemcpyDeviceToDevice, NULL, false)
ENTRY(hipMemcpyPeerAsync, (void *dst, int to, const void *src, int from, size_t n, hipStream_t stream),
	device_check(to) || device_check(from) ? hipErrorInvalidDevice :
	memory_copy(dst, src, n, hipMemcpyDeviceToDevice, stream, true))
COPY2D(hipMemcpy2D, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h, hipMemcpyKind kind),
	NULL, false)
COPY2D(hipMemcpy2DAsync, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
	hipMemcpyKind kind, hipStream_t stream), stream, true)
FILL(hipMemset, (void *dst, int value, size_t n), 1, NULL, false)
FILL(hipMemsetAsync, (void *dst, int value, size_t n, hipStream_t stream), 1, stream, true)
FILL(hipMemsetD32, (hipDeviceptr_t dst, int value, size_t n), 4, NULL, false)
ENTRY(hipMemset2D, (void *dst, size_t pitch, int value, size_t width, size_t height),
	transfer((struct transfer){dst, NULL, pitch, 0, width, height, 1, value}, hipMemcpyDefault, NULL, false))
