/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How host code reaches device memory: by copies on the library's own streams, never on the null stream, and
 * by a kernel for atomics. Where the CPU can touch device memory (GSHMEMI_ARCH_HOST_DIRECT) host calls do not
 * need this; the copies and fills of init and of collective calls use it everywhere.
 *
 * There are two streams, so that what copy engines can do never waits until a kernel finds room on
 * a full GPU:
 *
 *   copies    put, get, values, flags of barriers
 *   kernels   atomics and signals, and strided copies, which some GPUs do with a kernel
 *
 * Only gshmemi_devmem_complete orders operations. Any thread may make these calls.
 */
#ifndef GSHMEMI_DEVICE_DEVMEM_H
#define GSHMEMI_DEVICE_DEVMEM_H

#include "base/base.h"

/* Opens the streams, events and staging memory, on the current device. */
int gshmemi_devmem_open(void);
void gshmemi_devmem_close(void);
struct gshmemi_scale;
void gshmemi_devmem_scale(struct gshmemi_scale *scale);

/*
 * Opens a stream of the highest priority, or of the lowest if its kernels wait for other PEs. what names the
 * caller in messages.
 */
int gshmemi_devmem_open_stream(hipStream_t *stream_p, bool waits, const char *what);
/* Closes a stream and its event, either of which may be NULL, and sets both to NULL. */
void gshmemi_devmem_close_stream(hipStream_t *stream_p, hipEvent_t *event_p);

/*
 * Makes this PE's device current: streams, memory and handles need it, and the thread's current device is the
 * program's choice. And exempts the thread from captures in global mode, which HIP makes invalid when any
 * thread allocates, queries an event or synchronizes. enter returns what leave goes back to; a thread of the
 * library need not leave.
 */
struct gshmemi_devmem_caller {
	int device;
	hipStreamCaptureMode mode;
};
struct gshmemi_devmem_caller gshmemi_devmem_enter(void);
void gshmemi_devmem_leave(struct gshmemi_devmem_caller caller);

/* Finds a unit's variable on this PE's device: locate finds it on the current one. what as below. */
int gshmemi_devmem_locate(int (*locate)(void **address_p), void **address_p, const char *what);

/*
 * Copies or fills, and waits. what names the step in the message; if NULL, a failure is printed only with
 * GSHMEM_DEBUG=1. Returns 0 or a negative errno.
 */
int gshmemi_devmem_copy(void *dest, const void *source, size_t nbytes, const char *what);
int gshmemi_devmem_fill(void *dest, int value, size_t nbytes, const char *what);

/* Whether a query of HIP succeeded. A failure is cleared, or the program would find it in hipGetLastError. */
bool gshmemi_devmem_is_known(hipError_t error);
/* Whether address is in pinned, registered or managed memory, which the CPU reaches. */
bool gshmemi_devmem_is_pinned(const void *address);

/*
 * Writes a table of n addresses, base_of(whose, i), to bases, in host or device memory. Returns 0, or a
 * negative errno after a message.
 */
int gshmemi_devmem_table(
	void **bases, int n, void *(*base_of)(const void *whose, int i), const void *whose, const char *call);

/*
 * The rest is for host calls, which cannot return an error: an error ends the job. Addresses in the heap are
 * already peer addresses; local ones may be in host or device memory.
 */

/* Whether an event has been reached; *error_p is its error. If it has not, no error stays behind. */
bool gshmemi_devmem_is_reached(hipEvent_t event, hipError_t *error_p);

/* Ends the job unless the HIP call succeeded, with a message that says which call failed, and for whom. */
void gshmemi_devmem_must(hipError_t error, const char *call, const char *action);

/*
 * Copies. Without nbi it returns when source may be reused and dest read; with nbi at once, and
 * only complete waits.
 */
void gshmemi_devmem_move(void *dest, const void *source, size_t nbytes, bool nbi, const char *call);

/* Writes a value of up to 16 bytes. It has arrived after complete. */
void gshmemi_devmem_store(void *dest, const void *value, unsigned nbytes, const char *call);

/* Reads up to GSHMEMI_DEVMEM_LOAD bytes of device memory. */
#define GSHMEMI_DEVMEM_LOAD 256
void gshmemi_devmem_load(void *value, const void *source, unsigned nbytes, const char *call);

/* Copies nblocks blocks between strides, in bytes. Returns when done. */
void gshmemi_devmem_stride(void *dest, size_t dest_stride, const void *source, size_t source_stride,
	size_t nblocks, size_t block_nbytes, const char *call);

/*
 * An atomic; op is a GSHMEMI_AMO_*. Returns the old value. Without fetches it returns 0 at once, and is
 * done after complete.
 */
uint64_t gshmemi_devmem_amo(
	int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, bool fetches, const char *call);

/*
 * Launches a collective and returns when it is done. Each call has its own stream, because it may wait for
 * the kernel of another thread's call.
 */
struct gshmemi_coll_args;
void gshmemi_devmem_run(hipError_t (*launch)(const struct gshmemi_coll_args *args, hipStream_t stream),
	const struct gshmemi_coll_args *args, const char *call);

/* Waits for all of the above. Costs nothing if nothing is open. */
void gshmemi_devmem_complete(const char *call);

#endif /* GSHMEMI_DEVICE_DEVMEM_H */
