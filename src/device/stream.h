/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided calls and barriers by one work-group that the library launches: src/device/stream.hip. Each
 * queues one call. When the stream goes on, what the call wrote has arrived.
 */
#ifndef GSHMEMI_DEVICE_STREAM_H
#define GSHMEMI_DEVICE_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <hip/hip_runtime_api.h>
#include <gshmemx_win.h>

#ifdef __cplusplus
extern "C" {
#endif

/* region is that of the symmetric end. */
hipError_t gshmemi_stream_put(
	unsigned region, void *dest, const void *source, size_t nbytes, int pe, hipStream_t stream);
hipError_t gshmemi_stream_get(
	unsigned region, void *dest, const void *source, size_t nbytes, int pe, hipStream_t stream);
hipError_t gshmemi_stream_put_signal(
	void *dest, const void *source, size_t nbytes, struct gshmemi_signal s, int pe, hipStream_t stream);
hipError_t gshmemi_stream_signal(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, hipStream_t stream);
/* nbytes, of the object waited for: 2, 4 or 8. */
hipError_t gshmemi_stream_wait(
	void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, hipStream_t stream);
hipError_t gshmemi_stream_sync(gshmem_team_t team, hipStream_t stream);
/* The barrier of a window's fence. */
hipError_t gshmemi_stream_win_meet(gshmemx_win_t win, hipStream_t stream);

/* Loads the kernels, as gshmemi_coll_load does. */
hipError_t gshmemi_stream_load(void);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_DEVICE_STREAM_H */
