/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How host code reaches device memory: by copies on streams of the library's own, never on the null stream, and by one
 * kernel for atomics. Where the CPU can touch device memory (GSHMEMI_ARCH_HOST_DIRECT) host calls do without this; the
 * fills and copies of init and of collective calls take it everywhere.
 *
 * There are two streams, so that what the copy engines can do never waits for a kernel to find room on a full GPU:
 *
 *   copies    put, get, values, flags of barriers
 *   kernels   atomics and signals, and strided copies, which some GPUs make by a kernel
 *
 * Nothing is promised between two operations but by gshmemi_devmem_complete. All calls may be made by any thread.
 */
#ifndef GSHMEMI_BASE_DEVMEM_H
#define GSHMEMI_BASE_DEVMEM_H

#include "base/base.h"

/* Streams, events and staging memory, on the current device. */
int gshmemi_devmem_open(void);
void gshmemi_devmem_close(void);
struct gshmemi_scale;
void gshmemi_devmem_scale(struct gshmemi_scale *scale);

/* A stream of the highest priority. what is who asks, for messages. */
int gshmemi_devmem_open_stream(hipStream_t *stream_p, const char *what);
/* A stream and the event of its user, whichever there is; NULL then. */
void gshmemi_devmem_close_stream(hipStream_t *stream_p, hipEvent_t *event_p);

/* A thread's current device is its own affair; streams, memory and handles want this PE's. Returns what to go back to. */
int gshmemi_devmem_enter(void);
void gshmemi_devmem_leave(int previous);

/* Where a unit's variable is on the device of this PE, as locate says of the current one; what as below. */
int gshmemi_devmem_locate(int (*locate)(void **address_p), void **address_p, const char *what);

/*
 * Copy or fill, and wait. what names the step in the message; NULL: a failure is only worth a line with
 * GSHMEM_DEBUG=1. 0 or a negative errno.
 */
int gshmemi_devmem_copy(void *dest, const void *source, size_t nbytes, const char *what);
int gshmemi_devmem_fill(void *dest, int value, size_t nbytes, const char *what);

/*
 * Write a table of n addresses, base_of(whose, i), to where the program wants it, in host or device memory. 0 or a
 * negative errno after a message.
 */
int gshmemi_devmem_table(void **bases, int n, void *(*base_of)(const void *whose, int i), const void *whose,
			 const char *call);

/*
 * The rest is for host calls, which have no way to return an error: one ends the job. Heap addresses are peer
 * addresses already; local ones may lie in host or device memory.
 */

/* Whether an event has been reached, with its error in *error_p. That it has not leaves no error behind. */
bool gshmemi_devmem_is_reached(hipEvent_t event, hipError_t *error_p);

/* Go on if a call of HIP was a success; else say which, for whom, and end the job. */
void gshmemi_devmem_must(hipError_t error, const char *call, const char *action);

/* Copy; returns when source may be reused and dest read, or with nbi at once: until complete, then. */
void gshmemi_devmem_move(void *dest, const void *source, size_t nbytes, bool nbi, const char *call);

/* Write a value of up to 16 bytes; it arrives until complete. */
void gshmemi_devmem_store(void *dest, const void *value, unsigned nbytes, const char *call);

/* Read up to GSHMEMI_DEVMEM_LOAD bytes of device memory. */
#define GSHMEMI_DEVMEM_LOAD 256
void gshmemi_devmem_load(void *value, const void *source, unsigned nbytes, const char *call);

/* Copy nblocks blocks between strides, in bytes; returns when it is done. */
void gshmemi_devmem_stride(void *dest, size_t dest_stride, const void *source, size_t source_stride, size_t nblocks,
			   size_t block_nbytes, const char *call);

/* An atomic, op a GSHMEMI_AMO_*. Returns the old value; or, when not fetches, 0 and at once: until complete, then. */
uint64_t gshmemi_devmem_amo(int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, bool fetches,
			    const char *call);

/*
 * Launch a collective, and return when it is done. Each call has a stream of its own, because it may wait for a kernel of another
 * thread's call.
 */
struct gshmemi_coll_args;
void gshmemi_devmem_run(hipError_t (*launch)(const struct gshmemi_coll_args *args, hipStream_t stream),
			const struct gshmemi_coll_args *args, const char *call);

/* All of the above has arrived. Costs nothing when nothing is open. */
void gshmemi_devmem_complete(const char *call);

#endif /* GSHMEMI_BASE_DEVMEM_H */
