/* SPDX-License-Identifier: BSD-3-Clause */
/* HIP's entry points for memory. */
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "hip.h"

static struct allocation *find_at(const void *memory)
{
	return arena_find((uintptr_t)memory, 1);
}

/* ---- allocation ---- */

static hipError_t alloc(
	void **memory_p, size_t nbytes, enum origin origin, enum memory_kind kind, unsigned flags)
{
	const struct allocation *a;

	if (!memory_p || kind == MEMORY_NONE)
		return hipErrorInvalidValue;
	*memory_p = NULL;
	if (!nbytes || device_check(device_current))
		return nbytes ? hipErrorNoDevice : hipSuccess;
	device_used[device_current] = true;
	a = arena_create((struct allocation){
		.nbytes = nbytes, .origin = origin, .kind = kind, .flags = flags, .device = device_current});
	*memory_p = a ? (void *)(uintptr_t)a->base : NULL;
	return a ? hipSuccess : hipErrorOutOfMemory;
}

/* Gives memory back after all work of the device, which may use it. */
static hipError_t release(struct allocation *a)
{
	const uint64_t base = a->base;
	hipError_t error = stream_drain(a->origin == ORIGIN_OPENED ? device_current : a->device);

	a = arena_find(base, 1);
	if (a && !error && (a->origin != ORIGIN_OPENED || !--a->nusers))
		arena_destroy(a);
	return error;
}

/* As in ROCm, hipFree and hipHostFree free memory of each other, by any address in it. */
static hipError_t release_allocated(const void *memory)
{
	struct allocation *a = find_at(memory);

	if (!memory)
		return hipSuccess;
	if (!a || (a->origin != ORIGIN_MALLOC && a->origin != ORIGIN_MANAGED && a->origin != ORIGIN_HOST))
		return hipErrorInvalidValue;
	return release(a);
}

/* By its first byte: for another one ROCm aborts. */
static hipError_t unregister_host(const void *memory)
{
	struct allocation *a = find_at(memory);

	if (!memory)
		return hipErrorInvalidValue;
	if (!a || a->origin != ORIGIN_REGISTERED || a->base != (uintptr_t)memory)
		return hipErrorHostMemoryNotRegistered;
	return release(a);
}

static hipError_t close_handle(const void *memory)
{
	struct allocation *a = find_at(memory);

	return a && a->origin == ORIGIN_OPENED ? release(a) : hipErrorInvalidValue;
}

/* As in ROCm, memory may be registered more than once. Here that counts once. */
static hipError_t register_host(void *memory, size_t nbytes, unsigned flags)
{
	uint64_t base = (uintptr_t)memory;

	if (!memory || !nbytes || flags > 15 || base - ARENA_BASE < ARENA_BYTES || base + nbytes < base)
		return hipErrorInvalidValue;
	if (arena_find(base, nbytes))
		return hipSuccess;
	arena_insert((struct allocation){.base = base,
		.nbytes = nbytes,
		.origin = ORIGIN_REGISTERED,
		.kind = MEMORY_HOST,
		.device = device_current,
		.flags = flags});
	return hipSuccess;
}

ENTRY(hipMalloc, (void **memory, size_t n), alloc(memory, n, ORIGIN_MALLOC, MEMORY_COARSE, 0))

/*
 * 3 is hipDeviceMallocUncached of HIP 5.5. As from ROCm 6.3 on, a device without fine-grained memory gives
 * coarse memory in its place.
 */
static enum memory_kind kind_of(unsigned flags)
{
	switch (flags) {
	case hipDeviceMallocDefault:
		return MEMORY_COARSE;
	case hipDeviceMallocFinegrained:
		return config()->has_fine ? MEMORY_FINE : MEMORY_COARSE;
	case 3:
		return MEMORY_UNCACHED;
	default:
		return MEMORY_NONE;
	}
}

ENTRY(hipExtMallocWithFlags, (void **memory, size_t n, unsigned flags),
	alloc(memory, n, ORIGIN_MALLOC, kind_of(flags), flags))
ENTRY(hipHostMalloc, (void **memory, size_t n, unsigned flags),
	alloc(memory, n, ORIGIN_HOST,
		flags &hipHostMallocCoherent &&flags &hipHostMallocNonCoherent ? MEMORY_NONE : MEMORY_HOST,
		flags))
ENTRY(hipMallocManaged, (void **memory, size_t n, unsigned flags),
	!n || (flags != hipMemAttachGlobal && flags != hipMemAttachHost)
		? hipErrorInvalidValue
		: alloc(memory, n, ORIGIN_MANAGED, MEMORY_HOST, 0))
ENTRY(hipFree, (void *memory), release_allocated(memory))
ENTRY(hipHostFree, (void *memory), release_allocated(memory))
ENTRY(hipHostRegister, (void *memory, size_t n, unsigned flags), register_host(memory, n, flags))
ENTRY(hipHostUnregister, (void *memory), unregister_host(memory))

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
	*to = (hipPointerAttribute_t){
		hipMemoryTypeDevice, a->device, at, NULL, a->origin == ORIGIN_MANAGED, a->flags};
	if (a->kind == MEMORY_HOST) {
		to->memoryType = hipMemoryTypeHost;
		to->hostPointer = at;
	}
	return hipSuccess;
}

ENTRY(hipMemGetAddressRange, (hipDeviceptr_t * base, size_t *n, hipDeviceptr_t at), put_range(base, n, at))
ENTRY(hipHostGetDevicePointer, (void **to, void *memory, unsigned flags),
	!to || flags || !find_at(memory) ? hipErrorInvalidValue : (*to = memory, hipSuccess))
ENTRY(hipPointerGetAttributes, (hipPointerAttribute_t * to, const void *memory), put_attributes(to, memory))

/* As in ROCm, 32 bits. */
static hipError_t put_attribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t at)
{
	const struct allocation *a = find_at(at);
	const uint32_t id = a ? (uint32_t)a->id : 0;
	const int is_managed = a && a->origin == ORIGIN_MANAGED;

	if (!data || !a)
		return hipErrorInvalidValue;
	if (attribute == HIP_POINTER_ATTRIBUTE_IS_MANAGED)
		memcpy(data, &is_managed, sizeof(is_managed));
	else if (attribute == HIP_POINTER_ATTRIBUTE_BUFFER_ID)
		memcpy(data, &id, sizeof(id));
	else if (attribute == HIP_POINTER_ATTRIBUTE_HOST_POINTER && a->kind == MEMORY_HOST)
		memcpy(data, &at, sizeof(at));
	else
		return hipErrorInvalidValue;
	return hipSuccess;
}

/* As from HIP 5.3 on, not of registered memory. */
static hipError_t put_host_flags(unsigned *flags, const void *memory)
{
	const struct allocation *a = find_at(memory);

	if (!flags || !a || a->origin != ORIGIN_HOST)
		return hipErrorInvalidValue;
	*flags = a->flags;
	return hipSuccess;
}

ENTRY(hipHostGetFlags, (unsigned *flags, void *memory), put_host_flags(flags, memory))

ENTRY(hipPointerGetAttribute, (void *data, hipPointer_attribute attribute, hipDeviceptr_t at),
	put_attribute(data, attribute, at))

/* ---- memory of other processes ---- */

_Static_assert(sizeof(struct arena_handle) <= sizeof(hipIpcMemHandle_t), "the handle fits");

/* As in ROCm, the handle is that of the allocation, wherever in it memory is. */
static hipError_t put_handle(hipIpcMemHandle_t *handle, const void *memory)
{
	const struct allocation *a = find_at(memory);
	struct arena_handle h;

	if (!handle || !a || a->origin != ORIGIN_MALLOC)
		return hipErrorInvalidValue;
	h = arena_export(a);
	memset(handle, 0, sizeof(*handle));
	memcpy(handle, &h, sizeof(h));
	return hipSuccess;
}

/*
 * The same memory is mapped once, however often it is opened. flags: hipIpcMemLazyEnablePeerAccess, which is
 * 0 in HIP 5 and 1 later.
 */
static hipError_t open_handle(void **memory_p, const hipIpcMemHandle_t *handle, unsigned flags)
{
	struct allocation *a;
	struct arena_handle h;

	memcpy(&h, handle, sizeof(h));
	if (!memory_p || flags > 1 || device_check(h.device))
		return hipErrorInvalidValue;
	if (h.process == (uint32_t)getpid())
		return hipErrorInvalidContext;
	a = arena_attach(&h, false);
	if (!a)
		return hipErrorInvalidDevicePointer;
	device_used[device_current] = true;
	a->nusers++;
	*memory_p = (void *)(uintptr_t)a->base;
	return hipSuccess;
}

ENTRY(hipIpcGetMemHandle, (hipIpcMemHandle_t * handle, void *memory), put_handle(handle, memory))
ENTRY(hipIpcOpenMemHandle, (void **memory, hipIpcMemHandle_t handle, unsigned flags),
	open_handle(memory, &handle, flags))
ENTRY(hipIpcCloseMemHandle, (void *memory), close_handle(memory))

/* ---- copies and fills ---- */

struct transfer {
	void *dst;
	const void *src;
	size_t dst_pitch, src_pitch, width, height; /* bytes, and rows */
	unsigned element_bytes;                     /* for a fill 1 or 4, else 0 */
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

	while (a && a->origin == ORIGIN_VIRTUAL) {
		a = arena_find(end, 1);
		end += a && a->origin == ORIGIN_VIRTUAL ? a->nbytes : 0;
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
	if (!dst_known &&
		(!copies || (!src_known && kind != hipMemcpyHostToHost && kind != hipMemcpyDefault)))
		return hipErrorInvalidValue;
	return stream_submit(stream, run_transfer, &t, sizeof(t), async && dst_known && src_known);
}

hipError_t memory_copy(
	void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream, bool async)
{
	return transfer((struct transfer){dst, src, 0, 0, nbytes, 1, 0, 0}, kind, stream, async);
}

/* Entry points with dst, src and n; with rows; with dst, value and n. */
#define COPY(name, parameters, kind, stream, async) \
	ENTRY(name, parameters, memory_copy(dst, src, n, kind, stream, async))
#define COPY2D(name, parameters, stream, async) \
	ENTRY(name, parameters, \
		transfer((struct transfer){dst, src, dpitch, spitch, w, h, 0, 0}, kind, stream, async))
#define FILL(name, parameters, nbytes, stream, async) \
	ENTRY(name, parameters, \
		n > SIZE_MAX / nbytes \
			? hipErrorInvalidValue \
			: transfer((struct transfer){dst, NULL, 0, 0, n * nbytes, 1, nbytes, value}, \
				  hipMemcpyDefault, stream, async))

COPY(hipMemcpy, (void *dst, const void *src, size_t n, hipMemcpyKind kind), kind, NULL, false)
COPY(hipMemcpyWithStream, (void *dst, const void *src, size_t n, hipMemcpyKind kind, hipStream_t stream),
	kind, stream, false)
COPY(hipMemcpyAsync, (void *dst, const void *src, size_t n, hipMemcpyKind kind, hipStream_t stream), kind,
	stream, true)
COPY(hipMemcpyHtoD, (hipDeviceptr_t dst, void *src, size_t n), hipMemcpyHostToDevice, NULL, false)
COPY(hipMemcpyDtoH, (void *dst, hipDeviceptr_t src, size_t n), hipMemcpyDeviceToHost, NULL, false)
COPY(hipMemcpyDtoD, (hipDeviceptr_t dst, hipDeviceptr_t src, size_t n), hipMemcpyDeviceToDevice, NULL, false)
ENTRY(hipMemcpyPeerAsync, (void *dst, int to, const void *src, int from, size_t n, hipStream_t stream),
	device_check(to) || device_check(from)
		? hipErrorInvalidDevice
		: memory_copy(dst, src, n, hipMemcpyDeviceToDevice, stream, true))
COPY2D(hipMemcpy2D,
	(void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h, hipMemcpyKind kind),
	NULL, false)
COPY2D(hipMemcpy2DAsync,
	(void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h, hipMemcpyKind kind,
		hipStream_t stream),
	stream, true)
FILL(hipMemset, (void *dst, int value, size_t n), 1, NULL, false)
FILL(hipMemsetAsync, (void *dst, int value, size_t n, hipStream_t stream), 1, stream, true)
FILL(hipMemsetD32, (hipDeviceptr_t dst, int value, size_t n), 4, NULL, false)
ENTRY(hipMemset2D, (void *dst, size_t pitch, int value, size_t width, size_t height),
	transfer((struct transfer){dst, NULL, pitch, 0, width, height, 1, value}, hipMemcpyDefault, NULL,
		false))
