/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel that serves the mailbox when no other kernel does, as C code calls it: src/owner/attend.hip. */
#ifndef GSHMEMI_OWNER_KERNELS_H
#define GSHMEMI_OWNER_KERNELS_H

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Queues a kernel of one wave, which serves what is there and ends. */
hipError_t gshmemi_attend_launch(hipStream_t stream);

/* Loads it: a first launch may wait for all kernels that run. */
hipError_t gshmemi_attend_load(void);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_OWNER_KERNELS_H */
