/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives by one work-group that the library launches, as C code calls them: src/device/coll.hip. */
#ifndef GSHMEMI_DEVICE_COLL_H
#define GSHMEMI_DEVICE_COLL_H

#include <hip/hip_runtime_api.h>

struct gshmemi_coll_args;

#ifdef __cplusplus
extern "C" {
#endif

/* Queues a collective. The arrays of alltoallv must be readable by kernels until it is done. */
hipError_t gshmemi_coll_launch(const struct gshmemi_coll_args *args, hipStream_t stream);

/* Loads its kernel: a first launch may wait for all kernels that run. */
hipError_t gshmemi_coll_load(void);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_DEVICE_COLL_H */
