/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided calls and barriers by one work-group that the library launches: src/device/stream.hip. */
#ifndef GSHMEMI_DEVICE_STREAM_H
#define GSHMEMI_DEVICE_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <hip/hip_runtime_api.h>
#include <gshmemx_win.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gshmemi_stream_what {
	GSHMEMI_STREAM_PUT,
	GSHMEMI_STREAM_GET,
	GSHMEMI_STREAM_PUT_SIGNAL,
	GSHMEMI_STREAM_SIGNAL,
	GSHMEMI_STREAM_WAIT,
	GSHMEMI_STREAM_SYNC,
	GSHMEMI_STREAM_WIN_MEET
};

/* The arguments of all of these calls; 0 where they do not apply. */
struct gshmemi_stream_op {
	enum gshmemi_stream_what what;
	int pe;
	void *dest;         /* of a wait, the object waited for */
	const void *source;
	size_t nbytes;
	uint64_t *sig_addr;
	uint64_t signal;    /* of a wait, the value compared with */
	int sig_op;         /* GSHMEM_SIGNAL_*; of a wait, GSHMEM_CMP_* */
	int is_signed;
	gshmem_team_t team;
	unsigned region;    /* of a put or get; GSHMEMI_REGION_HEAP is 0 */
	gshmemx_win_t win;
};

/* Queues one. When the stream goes on, what the call wrote has arrived. */
hipError_t gshmemi_stream_launch(const struct gshmemi_stream_op *op, hipStream_t stream);

/* Loads its kernel, as gshmemi_coll_load does. */
hipError_t gshmemi_stream_load(void);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_DEVICE_STREAM_H */
