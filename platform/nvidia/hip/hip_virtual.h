/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP's virtual memory, which is CUDA's driver's: addresses and memory are made apart, and mapped. A part of
 * hip_runtime_api.h, which includes it behind HIPCUDA_DRIVER.
 */
#ifndef HIPCUDA_HIP_VIRTUAL_H
#define HIPCUDA_HIP_VIRTUAL_H

typedef CUmemGenericAllocationHandle hipMemGenericAllocationHandle_t;
typedef CUmemAllocationProp hipMemAllocationProp;
typedef CUmemLocation hipMemLocation;
typedef CUmemAccessDesc hipMemAccessDesc;
typedef CUmemLocationType hipMemLocationType;
typedef CUmemAccess_flags hipMemAccessFlags;
typedef CUmemAllocationType hipMemAllocationType;
typedef CUmemAllocationHandleType hipMemAllocationHandleType;
typedef CUmemAllocationGranularity_flags hipMemAllocationGranularity_flags;
#define requestedHandleType                    requestedHandleTypes /* the name that the field has in HIP */
#define hipMemLocationTypeInvalid              CU_MEM_LOCATION_TYPE_INVALID
#define hipMemLocationTypeDevice               CU_MEM_LOCATION_TYPE_DEVICE
#define hipMemAccessFlagsProtNone              CU_MEM_ACCESS_FLAGS_PROT_NONE
#define hipMemAccessFlagsProtRead              CU_MEM_ACCESS_FLAGS_PROT_READ
#define hipMemAccessFlagsProtReadWrite         CU_MEM_ACCESS_FLAGS_PROT_READWRITE
#define hipMemAllocationTypeInvalid            CU_MEM_ALLOCATION_TYPE_INVALID
#define hipMemAllocationTypePinned             CU_MEM_ALLOCATION_TYPE_PINNED
#define hipMemHandleTypeNone                   CU_MEM_HANDLE_TYPE_NONE
#define hipMemHandleTypePosixFileDescriptor    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
#define hipMemAllocationGranularityMinimum     CU_MEM_ALLOC_GRANULARITY_MINIMUM
#define hipMemAllocationGranularityRecommended CU_MEM_ALLOC_GRANULARITY_RECOMMENDED

static inline hipError_t hipMemGetAllocationGranularity(
	size_t *granularity, const hipMemAllocationProp *prop, hipMemAllocationGranularity_flags option)
{
	HIPCUDA_DRIVER(cuMemGetAllocationGranularity, 10020, granularity, prop, option);
}

static inline hipError_t hipcuda_reserve(
	CUdeviceptr *ptr, size_t nbytes, size_t alignment, CUdeviceptr address, unsigned long long flags)
{
	HIPCUDA_DRIVER(cuMemAddressReserve, 10020, ptr, nbytes, alignment, address, flags);
}

static inline hipError_t hipMemAddressReserve(
	void **ptr, size_t nbytes, size_t alignment, void *address, unsigned long long flags)
{
	CUdeviceptr found = 0;
	hipError_t reserved =
		hipcuda_reserve(&found, nbytes, alignment, (CUdeviceptr)(uintptr_t)address, flags);

	if (reserved == hipSuccess)
		*ptr = (void *)(uintptr_t)found;
	return reserved;
}

static inline hipError_t hipMemAddressFree(void *ptr, size_t nbytes)
{
	HIPCUDA_DRIVER(cuMemAddressFree, 10020, (CUdeviceptr)(uintptr_t)ptr, nbytes);
}

static inline hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t nbytes,
	const hipMemAllocationProp *prop, unsigned long long flags)
{
	HIPCUDA_DRIVER(cuMemCreate, 10020, handle, nbytes, prop, flags);
}

static inline hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle)
{
	HIPCUDA_DRIVER(cuMemRelease, 10020, handle);
}

static inline hipError_t hipMemMap(void *ptr, size_t nbytes, size_t offset,
	hipMemGenericAllocationHandle_t handle, unsigned long long flags)
{
	HIPCUDA_DRIVER(cuMemMap, 10020, (CUdeviceptr)(uintptr_t)ptr, nbytes, offset, handle, flags);
}

static inline hipError_t hipMemUnmap(void *ptr, size_t nbytes)
{
	HIPCUDA_DRIVER(cuMemUnmap, 10020, (CUdeviceptr)(uintptr_t)ptr, nbytes);
}

static inline hipError_t hipMemSetAccess(void *ptr, size_t nbytes, const hipMemAccessDesc *desc, size_t count)
{
	HIPCUDA_DRIVER(cuMemSetAccess, 10020, (CUdeviceptr)(uintptr_t)ptr, nbytes, desc, count);
}

static inline hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr)
{
	HIPCUDA_DRIVER(cuMemGetAccess, 10020, flags, location, (CUdeviceptr)(uintptr_t)ptr);
}

static inline hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *ptr)
{
	HIPCUDA_DRIVER(cuMemRetainAllocationHandle, 11000, handle, ptr);
}

static inline hipError_t hipMemGetAllocationPropertiesFromHandle(
	hipMemAllocationProp *prop, hipMemGenericAllocationHandle_t handle)
{
	HIPCUDA_DRIVER(cuMemGetAllocationPropertiesFromHandle, 10020, prop, handle);
}

static inline hipError_t hipMemExportToShareableHandle(void *shareable,
	hipMemGenericAllocationHandle_t handle, hipMemAllocationHandleType type, unsigned long long flags)
{
	HIPCUDA_DRIVER(cuMemExportToShareableHandle, 10020, shareable, handle, type, flags);
}

/* os_handle is the descriptor itself. */
static inline hipError_t hipMemImportFromShareableHandle(
	hipMemGenericAllocationHandle_t *handle, void *os_handle, hipMemAllocationHandleType type)
{
	HIPCUDA_DRIVER(cuMemImportFromShareableHandle, 10020, handle, os_handle, type);
}

#endif /* HIPCUDA_HIP_VIRTUAL_H */
