/* SPDX-License-Identifier: BSD-3-Clause */
/* What HIP's entry points (hip_*.c) share: errors, the current device, copies, and work on streams. */
#ifndef AMDSIM_HIP_H
#define AMDSIM_HIP_H

#pragma GCC visibility push(default) /* of the entry points, which this declares */
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include "arena.h"

#define LDS_BYTES     65536u /* per block, at most */
#define BLOCK_THREADS 1024u

/*
 * arena_lock guards all of HIP's state. An entry point takes it; api_return gives it back, and keeps the
 * error for hipGetLastError. Work on streams runs without it.
 */
#define ENTRY(name, parameters, result) \
	hipError_t name parameters \
	{ \
		api_enter(); \
		return api_return(result); \
	}

/* hip_device.c */
void api_enter(void);
hipError_t api_return(hipError_t error);
hipError_t device_check(int device);
extern _Thread_local int device_current; /* may not exist */
extern bool device_used[MAX_DEVICES];    /* has a context */

/* hip_memory.c */
hipError_t memory_copy(
	void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream, bool async);

/* hip_stream.c */
typedef void stream_work(void *arg);
/* The stream's device; -1: no such stream. */
int stream_device(hipStream_t stream);
/*
 * Runs work in the stream's order, with a copy of arg, on its thread; if not async, waits until it is done.
 */
hipError_t stream_submit(hipStream_t stream, stream_work *run, const void *arg, size_t nbytes, bool async);
/* Waits for all work of a device. */
hipError_t stream_drain(int device);
/* A kernel trapped or faulted: HIP's calls fail from now on, and a second later the process ends. */
_Noreturn void stream_abort(int device, const char *kernel, bool trapped);

#endif /* AMDSIM_HIP_H */
