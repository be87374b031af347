/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of HIP that are made of others, and hints, which are accepted. Included by hip_runtime_api.h, for C
 * and C++.
 */
#ifndef HIPCPU_COMPOSED_H
#define HIPCPU_COMPOSED_H

#define HIPCPU_CALL __attribute__((unused)) static inline

/* ---- memory ---- */

#define hipHostAllocDefault       hipHostMallocDefault
#define hipHostAllocPortable      hipHostMallocPortable
#define hipHostAllocMapped        hipHostMallocMapped
#define hipHostAllocWriteCombined hipHostMallocWriteCombined

HIPCPU_CALL hipError_t hipHostAlloc(void **ptr, size_t nbytes, unsigned flags)
{
	return hipHostMalloc(ptr, nbytes, flags);
}

HIPCPU_CALL hipError_t hipMallocHost(void **ptr, size_t nbytes)
{
	return hipHostMalloc(ptr, nbytes, hipHostMallocDefault);
}

HIPCPU_CALL hipError_t hipFreeHost(void *ptr)
{
	return hipHostFree(ptr);
}

/* The memory is there at once. */
HIPCPU_CALL hipError_t hipMallocAsync(void **ptr, size_t nbytes, hipStream_t stream)
{
	(void)stream;
	return hipMalloc(ptr, nbytes);
}

/* Returns when the stream has come here, and the memory is free. */
HIPCPU_CALL hipError_t hipFreeAsync(void *ptr, hipStream_t stream)
{
	const hipError_t error = hipStreamSynchronize(stream);

	return error == hipSuccess ? hipFree(ptr) : error;
}

/* Rows begin at multiples of 256 bytes. */
HIPCPU_CALL hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
	if (!pitch || width > SIZE_MAX - 255 || (height && (width + 255) > SIZE_MAX / height))
		return hipErrorInvalidValue;
	*pitch = (width + 255) & ~(size_t)255;
	return hipMalloc(ptr, *pitch * height);
}

HIPCPU_CALL hipError_t hipMemset2DAsync(
	void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream)
{
	hipError_t error = hipSuccess;
	size_t row;

	if (width > pitch)
		return hipErrorInvalidValue;
	for (row = 0; error == hipSuccess && width && row < height; row++)
		error = hipMemsetAsync((char *)dst + row * pitch, value, width, stream);
	return error;
}

HIPCPU_CALL hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
	const hipError_t error = hipMemset2DAsync(dst, pitch, value, width, height, NULL);

	return error == hipSuccess ? hipStreamSynchronize(NULL) : error;
}

HIPCPU_CALL hipError_t hipDeviceTotalMem(size_t *nbytes, hipDevice_t device)
{
	hipDeviceProp_t properties;
	const hipError_t error = hipGetDeviceProperties(&properties, device);

	if (error == hipSuccess)
		*nbytes = properties.totalGlobalMem;
	return error;
}

typedef enum hipMemoryAdvise {
	hipMemAdviseSetReadMostly = 1,
	hipMemAdviseUnsetReadMostly = 2,
	hipMemAdviseSetPreferredLocation = 3,
	hipMemAdviseUnsetPreferredLocation = 4,
	hipMemAdviseSetAccessedBy = 5,
	hipMemAdviseUnsetAccessedBy = 6,
	hipMemAdviseSetCoarseGrain = 100,
	hipMemAdviseUnsetCoarseGrain = 101
} hipMemoryAdvise;
#define hipCpuDeviceId     ((int)-1)
#define hipInvalidDeviceId ((int)-2)

HIPCPU_CALL hipError_t hipMemAdvise(const void *ptr, size_t nbytes, hipMemoryAdvise advice, int device)
{
	(void)advice;
	(void)device;
	return ptr && nbytes ? hipSuccess : hipErrorInvalidValue;
}

HIPCPU_CALL hipError_t hipMemPrefetchAsync(const void *ptr, size_t nbytes, int device, hipStream_t stream)
{
	(void)device;
	(void)stream;
	return ptr && nbytes ? hipSuccess : hipErrorInvalidValue;
}

/* ---- errors and events ---- */

HIPCPU_CALL hipError_t hipDrvGetErrorName(hipError_t error, const char **name)
{
	if (!name)
		return hipErrorInvalidValue;
	*name = hipGetErrorName(error);
	return hipSuccess;
}

HIPCPU_CALL hipError_t hipDrvGetErrorString(hipError_t error, const char **text)
{
	if (!text)
		return hipErrorInvalidValue;
	*text = hipGetErrorString(error);
	return hipSuccess;
}

#define hipEventRecordDefault  0x00
#define hipEventRecordExternal 0x01

/* An event of a capture is always one of its own. */
HIPCPU_CALL hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags)
{
	return flags == hipEventRecordDefault ? hipEventRecord(event, stream) : hipErrorInvalidValue;
}

/* ---- kernels ---- */

typedef enum hipFuncAttribute {
	hipFuncAttributeMaxDynamicSharedMemorySize = 8,
	hipFuncAttributePreferredSharedMemoryCarveout = 9,
	hipFuncAttributeMax
} hipFuncAttribute;

typedef enum hipFuncCache_t {
	hipFuncCachePreferNone,
	hipFuncCachePreferShared,
	hipFuncCachePreferL1,
	hipFuncCachePreferEqual
} hipFuncCache_t;

/* A launch may have as much shared memory as the device gives a work-group; the rest is a hint. */
HIPCPU_CALL hipError_t hipFuncSetAttribute(const void *kernel, hipFuncAttribute attribute, int value)
{
	int device = 0, most = 0;
	hipError_t error;

	if (!kernel)
		return hipErrorInvalidDeviceFunction;
	if (attribute == hipFuncAttributePreferredSharedMemoryCarveout)
		return value >= -1 && value <= 100 ? hipSuccess : hipErrorInvalidValue;
	if (attribute != hipFuncAttributeMaxDynamicSharedMemorySize || value < 0)
		return hipErrorInvalidValue;
	error = hipGetDevice(&device);
	if (error == hipSuccess)
		error = hipDeviceGetAttribute(&most, hipDeviceAttributeMaxSharedMemoryPerBlock, device);
	return error == hipSuccess && value > most ? hipErrorInvalidValue : error;
}

HIPCPU_CALL hipError_t hipFuncSetCacheConfig(const void *kernel, hipFuncCache_t config)
{
	(void)config;
	return kernel ? hipSuccess : hipErrorInvalidDeviceFunction;
}

HIPCPU_CALL hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config)
{
	(void)config;
	return hipSuccess;
}

#undef HIPCPU_CALL

#endif /* HIPCPU_COMPOSED_H */
