/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's own kernels, as C code calls them: src/device/devmem.hip. */
#ifndef GSHMEMI_DEVICE_KERNELS_H
#define GSHMEMI_DEVICE_KERNELS_H

#include <stdint.h>
#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Queues one atomic on a word of 4 or 8 bytes; op is a GSHMEMI_AMO_*. The old value goes to *result, in
 * host-pinned memory, unless it is NULL.
 */
hipError_t gshmemi_devmem_launch_amo(int op, void *address, uint64_t value, uint64_t cond, unsigned nbytes,
	uint64_t *result, hipStream_t stream);

/* Whether the current device can run the kernels in this binary. */
hipError_t gshmemi_devmem_probe(void);

#ifdef __cplusplus
}
#endif

#endif /* GSHMEMI_DEVICE_KERNELS_H */
