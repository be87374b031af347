/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies, fills and symbols. Every address is one of this process, so all kinds are memmove. What is kept
 * from HIP is the order, in a stream and for the host.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/* height rows of width bytes; a fill when source is NULL. */
struct copy_op {
	struct hipcpu_item item;
	char *dest;
	const char *source;
	size_t dest_pitch, source_pitch;
	size_t width, height;
	uint32_t value;       /* to fill with */
	unsigned value_bytes; /* 1 or 4 of it */
};

static void run_copy(struct hipcpu_item *item)
{
	struct copy_op *c = (struct copy_op *)item;
	const char *source = c->source;
	char *dest = c->dest;
	bool was_open = hipcpu_access_open_copy(&dest, &source);

	for (size_t row = 0; row < c->height; row++) {
		if (c->source)
			hipcpu_race_touch(c->source + row * c->source_pitch, c->width, false);
		hipcpu_race_touch(c->dest + row * c->dest_pitch, c->width, true);
	}

	if (!source && c->value_bytes == 4)
		for (size_t i = 0; i < c->width; i += 4)
			memcpy(dest + i, &c->value, 4);
	for (size_t row = 0; row < c->height && (source || c->value_bytes == 1); row++) {
		if (source)
			memmove(dest + row * c->dest_pitch, source + row * c->source_pitch, c->width);
		else
			memset(dest + row * c->dest_pitch, (int)c->value, c->width);
	}
	hipcpu_access_restore(was_open);
}

/*
 * Whether rows that begin in an allocation end there, as CUDA and ROCm demand of copies and fills. Mappings
 * of virtual memory may lie side by side.
 */
static bool fits(const char *memory, size_t pitch, size_t width, size_t height)
{
	const struct hipcpu_allocation *a;
	bool does = true;
	size_t rest;

	pthread_mutex_lock(&hipcpu_memory_lock);
	a = hipcpu_memory_find(memory);
	if (a && (a->kind <= HIPCPU_MEMORY_HOST || a->kind == HIPCPU_MEMORY_IPC)) {
		rest = (size_t)(a->base + a->nbytes - memory);
		does = width <= rest && (height == 1 || pitch <= (rest - width) / (height - 1));
	}
	pthread_mutex_unlock(&hipcpu_memory_lock);
	return does;
}

/* Runs c in stream order: at once if sync, else on the stream's thread. */
static hipError_t submit(const struct copy_op *c, hipStream_t stream, bool sync)
{
	struct ihipStream_t *s = hipcpu_stream(stream);
	struct copy_op *queued;

	if (!s)
		return hipErrorInvalidHandle;
	if (!c->width || !c->height)
		return hipSuccess;
	if (!c->dest || (!c->source && !c->value_bytes))
		return hipErrorInvalidValue;
	if (!fits(c->dest, c->dest_pitch, c->width, c->height) ||
		(c->source && !fits(c->source, c->source_pitch, c->width, c->height))) {
		hipcpu_message("a copy or fill of %zu bytes reaches past the end of an allocation",
			c->width * c->height);
		return hipErrorInvalidValue;
	}
	if (sync) {
		struct copy_op now = *c;
		hipError_t err = hipcpu_capture_refuse(s);

		if (!err)
			err = hipcpu_capture_forbid();
		if (err)
			return err;
		hipcpu_stream_drain(s);
		run_copy(&now.item);
		return hipSuccess;
	}
	queued = malloc(sizeof(*queued));
	if (!queued)
		return hipErrorOutOfMemory;
	*queued = *c;
	queued->item.run = run_copy;
	queued->item.nbytes = sizeof(*queued);
	return hipcpu_stream_submit(s, &queued->item);
}

static hipError_t copy(
	void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream, bool sync)
{
	struct copy_op c = {.dest = dst, .source = src, .width = nbytes, .height = 1};

	if ((unsigned)kind > hipMemcpyDefault)
		return hipErrorInvalidMemcpyDirection;
	if (nbytes && (!dst || !src))
		return hipErrorInvalidValue;
	return submit(&c, stream, sync);
}

static hipError_t fill(
	void *dst, uint32_t value, unsigned value_bytes, size_t count, hipStream_t stream, bool sync)
{
	struct copy_op c = {.dest = dst,
		.width = count * value_bytes,
		.height = 1,
		.value = value,
		.value_bytes = value_bytes};

	if (count > SIZE_MAX / 4)
		return hipErrorInvalidValue;
	return submit(&c, stream, sync);
}

hipError_t hipMemcpy(void *dst, const void *src, size_t nbytes, hipMemcpyKind kind)
{
	HIPCPU_ENTER(hipMemcpy);
	HIPCPU_LEAVE(copy(dst, src, nbytes, kind, NULL, true));
}

hipError_t hipMemcpyAsync(void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpyAsync);
	HIPCPU_LEAVE(copy(dst, src, nbytes, kind, stream, false));
}

hipError_t hipMemcpyWithStream(
	void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpyWithStream);
	HIPCPU_LEAVE(copy(dst, src, nbytes, kind, stream, true));
}

static hipError_t copy_peer(void *dst, int dst_device, const void *src, int src_device, size_t nbytes,
	hipStream_t stream, bool sync)
{
	if (!hipcpu_device(dst_device) || !hipcpu_device(src_device))
		return hipErrorInvalidDevice;
	return copy(dst, src, nbytes, hipMemcpyDeviceToDevice, stream, sync);
}

hipError_t hipMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t nbytes)
{
	HIPCPU_ENTER(hipMemcpyPeer);
	HIPCPU_LEAVE(copy_peer(dst, dst_device, src, src_device, nbytes, NULL, true));
}

hipError_t hipMemcpyPeerAsync(
	void *dst, int dst_device, const void *src, int src_device, size_t nbytes, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpyPeerAsync);
	HIPCPU_LEAVE(copy_peer(dst, dst_device, src, src_device, nbytes, stream, false));
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t nbytes)
{
	HIPCPU_ENTER(hipMemcpyDtoD);
	HIPCPU_LEAVE(copy(dst, src, nbytes, hipMemcpyDeviceToDevice, NULL, true));
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t nbytes)
{
	HIPCPU_ENTER(hipMemcpyHtoD);
	HIPCPU_LEAVE(copy(dst, src, nbytes, hipMemcpyHostToDevice, NULL, true));
}

hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t nbytes)
{
	HIPCPU_ENTER(hipMemcpyDtoH);
	HIPCPU_LEAVE(copy(dst, src, nbytes, hipMemcpyDeviceToHost, NULL, true));
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t nbytes, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpyDtoDAsync);
	HIPCPU_LEAVE(copy(dst, src, nbytes, hipMemcpyDeviceToDevice, stream, false));
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t nbytes, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpyHtoDAsync);
	HIPCPU_LEAVE(copy(dst, src, nbytes, hipMemcpyHostToDevice, stream, false));
}

hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t nbytes, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpyDtoHAsync);
	HIPCPU_LEAVE(copy(dst, src, nbytes, hipMemcpyDeviceToHost, stream, false));
}

static hipError_t copy_rows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, hipStream_t stream, bool sync)
{
	struct copy_op c = {.dest = dst,
		.source = src,
		.dest_pitch = dpitch,
		.source_pitch = spitch,
		.width = width,
		.height = height};

	if (width > dpitch || width > spitch)
		return hipErrorInvalidPitchValue;
	if (width && height && (!dst || !src))
		return hipErrorInvalidValue;
	return submit(&c, stream, sync);
}

hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
	hipMemcpyKind kind)
{
	HIPCPU_ENTER(hipMemcpy2D);
	(void)kind;
	HIPCPU_LEAVE(copy_rows(dst, dpitch, src, spitch, width, height, NULL, true));
}

hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, hipMemcpyKind kind, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpy2DAsync);
	(void)kind;
	HIPCPU_LEAVE(copy_rows(dst, dpitch, src, spitch, width, height, stream, false));
}

hipError_t hipMemset(void *dst, int value, size_t nbytes)
{
	HIPCPU_ENTER(hipMemset);
	HIPCPU_LEAVE(fill(dst, (unsigned char)value, 1, nbytes, NULL, true));
}

hipError_t hipMemsetAsync(void *dst, int value, size_t nbytes, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemsetAsync);
	HIPCPU_LEAVE(fill(dst, (unsigned char)value, 1, nbytes, stream, false));
}

hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count)
{
	HIPCPU_ENTER(hipMemsetD8);
	HIPCPU_LEAVE(fill(dst, value, 1, count, NULL, true));
}

hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemsetD8Async);
	HIPCPU_LEAVE(fill(dst, value, 1, count, stream, false));
}

hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count)
{
	HIPCPU_ENTER(hipMemsetD32);
	HIPCPU_LEAVE(fill(dst, (uint32_t)value, 4, count, NULL, true));
}

hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemsetD32Async);
	HIPCPU_LEAVE(fill(dst, (uint32_t)value, 4, count, stream, false));
}

/* ---- symbols: plain variables of the program ---- */

static void *symbol_at(const void *symbol, size_t offset)
{
	return (char *)(uintptr_t)symbol + offset;
}

hipError_t hipMemcpyToSymbol(
	const void *symbol, const void *src, size_t nbytes, size_t offset, hipMemcpyKind kind)
{
	HIPCPU_ENTER(hipMemcpyToSymbol);
	if (!symbol)
		HIPCPU_LEAVE(hipErrorInvalidSymbol);
	HIPCPU_LEAVE(copy(symbol_at(symbol, offset), src, nbytes, kind, NULL, true));
}

hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t nbytes, size_t offset,
	hipMemcpyKind kind, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpyToSymbolAsync);
	if (!symbol)
		HIPCPU_LEAVE(hipErrorInvalidSymbol);
	HIPCPU_LEAVE(copy(symbol_at(symbol, offset), src, nbytes, kind, stream, false));
}

hipError_t hipMemcpyFromSymbol(
	void *dst, const void *symbol, size_t nbytes, size_t offset, hipMemcpyKind kind)
{
	HIPCPU_ENTER(hipMemcpyFromSymbol);
	if (!symbol)
		HIPCPU_LEAVE(hipErrorInvalidSymbol);
	HIPCPU_LEAVE(copy(dst, symbol_at(symbol, offset), nbytes, kind, NULL, true));
}

hipError_t hipMemcpyFromSymbolAsync(
	void *dst, const void *symbol, size_t nbytes, size_t offset, hipMemcpyKind kind, hipStream_t stream)
{
	HIPCPU_ENTER(hipMemcpyFromSymbolAsync);
	if (!symbol)
		HIPCPU_LEAVE(hipErrorInvalidSymbol);
	HIPCPU_LEAVE(copy(dst, symbol_at(symbol, offset), nbytes, kind, stream, false));
}

hipError_t hipGetSymbolAddress(void **ptr, const void *symbol)
{
	HIPCPU_ENTER(hipGetSymbolAddress);
	if (!ptr)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!symbol)
		HIPCPU_LEAVE(hipErrorInvalidSymbol);
	*ptr = symbol_at(symbol, 0);
	HIPCPU_LEAVE(hipSuccess);
}

/* Only the C++ overload can tell, because it sees the variable's type. */
hipError_t hipGetSymbolSize(size_t *nbytes, const void *symbol)
{
	HIPCPU_ENTER(hipGetSymbolSize);
	(void)nbytes;
	(void)symbol;
	HIPCPU_LEAVE(hipErrorInvalidSymbol);
}
