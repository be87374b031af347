/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that perform what other PEs ask for, as C code calls them: attend.hip serves the mailbox when no
 * other kernel does, update.hip performs one accumulate.
 */
#ifndef GSHMEMI_OWNER_KERNELS_H
#define GSHMEMI_OWNER_KERNELS_H

#include <hip/hip_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Queues a kernel of one wave, which serves what is there and ends. */
hipError_t gshmemi_attend_launch(hipStream_t stream);

/* Loads it: a first launch may wait for all kernels that run. */
hipError_t gshmemi_attend_load(void);

/* The elements of a record at most. */
#define GSHMEMI_UPDATE_NBYTES 8192

enum gshmemi_update_end { GSHMEMI_UPDATE_PERFORMED = 1, GSHMEMI_UPDATE_SKIPPED };

/*
 * An accumulate and its kernel, in host-pinned memory. A kernel that finds no room on the GPU may begin only
 * after others have seen the result, or never. So the host may leave an update before its kernel has begun,
 * and the kernel then changes nothing. Each of the two writes its own word, fences, and reads the other's: if
 * the host has left, and sees no beginning, then the kernel sees that it has been left.
 */
struct gshmemi_update_page {
	uint64_t head, place, lock; /* of the record; its who is this PE */
	uint64_t nbytes;            /* of the elements */
	/* by the host: */
	uint32_t is_left;
	/* by the kernel: */
	uint32_t has_begun;
	uint32_t goes_on; /* its first thread tells the others whether it performs the update */
	uint32_t end;     /* 0, or enum gshmemi_update_end: then the kernel uses the page no more */
	char elements[GSHMEMI_UPDATE_NBYTES] __attribute__((aligned(16)));
	char old[GSHMEMI_UPDATE_NBYTES] __attribute__((aligned(16)));
};

/* Queues a kernel of one work-group. */
hipError_t gshmemi_update_launch(struct gshmemi_update_page *page, hipStream_t stream);
hipError_t gshmemi_update_load(void);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_OWNER_KERNELS_H */
