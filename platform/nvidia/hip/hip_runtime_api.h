/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host side of HIP on NVIDIA GPUs: C11 and C++, CUDA 12 and 13. HIP names that mean what a name of the
 * CUDA runtime means are that name; the others are functions below. Kernels need hip_runtime.h.
 *
 * What CUDA has only in its driver is looked up when it is called, so that programs link and start without
 * libcuda. Link units with kernels with -cudart shared, so that program and library have one runtime. With
 * one of their own they reach their peers, but gshmemx_collective_launch does not know their kernels.
 */
#ifndef HIPCUDA_HIP_RUNTIME_API_H
#define HIPCUDA_HIP_RUNTIME_API_H

#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cudaTypedefs.h>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if CUDART_VERSION < 12000
#error "gshmem: CUDA 12 or newer is needed"
#endif

#ifdef __cplusplus
#define HIPCUDA_DEFAULT(value) = value
#else
#define HIPCUDA_DEFAULT(value)
#endif

#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION_PATCH 0
#define HIP_VERSION       (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

/* ---- errors ---- */

typedef cudaError_t hipError_t;
#define hipSuccess                          cudaSuccess
#define hipErrorInvalidValue                cudaErrorInvalidValue
#define hipErrorOutOfMemory                 cudaErrorMemoryAllocation
#define hipErrorMemoryAllocation            cudaErrorMemoryAllocation
#define hipErrorNotInitialized              cudaErrorInitializationError
#define hipErrorInitializationError         cudaErrorInitializationError
#define hipErrorDeinitialized               cudaErrorCudartUnloading
#define hipErrorInvalidConfiguration        cudaErrorInvalidConfiguration
#define hipErrorInvalidPitchValue           cudaErrorInvalidPitchValue
#define hipErrorInvalidSymbol               cudaErrorInvalidSymbol
#define hipErrorInvalidDevicePointer        cudaErrorInvalidDevicePointer
#define hipErrorInvalidMemcpyDirection      cudaErrorInvalidMemcpyDirection
#define hipErrorInsufficientDriver          cudaErrorInsufficientDriver
#define hipErrorMissingConfiguration        cudaErrorMissingConfiguration
#define hipErrorPriorLaunchFailure          cudaErrorPriorLaunchFailure
#define hipErrorInvalidDeviceFunction       cudaErrorInvalidDeviceFunction
#define hipErrorNoDevice                    cudaErrorNoDevice
#define hipErrorInvalidDevice               cudaErrorInvalidDevice
#define hipErrorInvalidImage                cudaErrorInvalidKernelImage
#define hipErrorInvalidContext              cudaErrorDeviceUninitialized
#define hipErrorMapFailed                   cudaErrorMapBufferObjectFailed
#define hipErrorUnmapFailed                 cudaErrorUnmapBufferObjectFailed
#define hipErrorNoBinaryForGpu              cudaErrorNoKernelImageForDevice
#define hipErrorAlreadyMapped               cudaErrorAlreadyMapped
#define hipErrorNotMapped                   cudaErrorNotMapped
#define hipErrorUnsupportedLimit            cudaErrorUnsupportedLimit
#define hipErrorPeerAccessUnsupported       cudaErrorPeerAccessUnsupported
#define hipErrorFileNotFound                cudaErrorFileNotFound
#define hipErrorSharedObjectInitFailed      cudaErrorSharedObjectInitFailed
#define hipErrorOperatingSystem             cudaErrorOperatingSystem
#define hipErrorInvalidHandle               cudaErrorInvalidResourceHandle
#define hipErrorInvalidResourceHandle       cudaErrorInvalidResourceHandle
#define hipErrorIllegalState                cudaErrorIllegalState
#define hipErrorNotFound                    cudaErrorSymbolNotFound
#define hipErrorNotReady                    cudaErrorNotReady
#define hipErrorIllegalAddress              cudaErrorIllegalAddress
#define hipErrorLaunchOutOfResources        cudaErrorLaunchOutOfResources
#define hipErrorLaunchTimeOut               cudaErrorLaunchTimeout
#define hipErrorPeerAccessAlreadyEnabled    cudaErrorPeerAccessAlreadyEnabled
#define hipErrorPeerAccessNotEnabled        cudaErrorPeerAccessNotEnabled
#define hipErrorContextIsDestroyed          cudaErrorContextIsDestroyed
#define hipErrorAssert                      cudaErrorAssert
#define hipErrorHostMemoryAlreadyRegistered cudaErrorHostMemoryAlreadyRegistered
#define hipErrorHostMemoryNotRegistered     cudaErrorHostMemoryNotRegistered
#define hipErrorLaunchFailure               cudaErrorLaunchFailure
#define hipErrorCooperativeLaunchTooLarge   cudaErrorCooperativeLaunchTooLarge
#define hipErrorNotSupported                cudaErrorNotSupported
#define hipErrorStreamCaptureUnsupported    cudaErrorStreamCaptureUnsupported
#define hipErrorStreamCaptureInvalidated    cudaErrorStreamCaptureInvalidated
#define hipErrorStreamCaptureMerge          cudaErrorStreamCaptureMerge
#define hipErrorStreamCaptureUnmatched      cudaErrorStreamCaptureUnmatched
#define hipErrorStreamCaptureUnjoined       cudaErrorStreamCaptureUnjoined
#define hipErrorStreamCaptureIsolation      cudaErrorStreamCaptureIsolation
#define hipErrorStreamCaptureImplicit       cudaErrorStreamCaptureImplicit
#define hipErrorCapturedEvent               cudaErrorCapturedEvent
#define hipErrorStreamCaptureWrongThread    cudaErrorStreamCaptureWrongThread
#define hipErrorUnknown                     cudaErrorUnknown

#define hipGetLastError    cudaGetLastError
#define hipPeekAtLastError cudaPeekAtLastError
#define hipGetErrorString  cudaGetErrorString

/* Returns HIP's name for the error; CUDA's where HIP has none. */
static inline const char *hipGetErrorName(hipError_t error)
{
	switch (error) {
#define HIPCUDA_NAME(name) \
	case name: \
		return #name;
		HIPCUDA_NAME(hipSuccess)
		HIPCUDA_NAME(hipErrorInvalidValue)
		HIPCUDA_NAME(hipErrorOutOfMemory)
		HIPCUDA_NAME(hipErrorNotInitialized)
		HIPCUDA_NAME(hipErrorDeinitialized)
		HIPCUDA_NAME(hipErrorInvalidConfiguration)
		HIPCUDA_NAME(hipErrorInvalidSymbol)
		HIPCUDA_NAME(hipErrorInvalidDevicePointer)
		HIPCUDA_NAME(hipErrorInvalidMemcpyDirection)
		HIPCUDA_NAME(hipErrorInsufficientDriver)
		HIPCUDA_NAME(hipErrorInvalidDeviceFunction)
		HIPCUDA_NAME(hipErrorNoDevice)
		HIPCUDA_NAME(hipErrorInvalidDevice)
		HIPCUDA_NAME(hipErrorInvalidImage)
		HIPCUDA_NAME(hipErrorInvalidContext)
		HIPCUDA_NAME(hipErrorMapFailed)
		HIPCUDA_NAME(hipErrorUnmapFailed)
		HIPCUDA_NAME(hipErrorNoBinaryForGpu)
		HIPCUDA_NAME(hipErrorAlreadyMapped)
		HIPCUDA_NAME(hipErrorNotMapped)
		HIPCUDA_NAME(hipErrorPeerAccessUnsupported)
		HIPCUDA_NAME(hipErrorFileNotFound)
		HIPCUDA_NAME(hipErrorSharedObjectInitFailed)
		HIPCUDA_NAME(hipErrorOperatingSystem)
		HIPCUDA_NAME(hipErrorInvalidHandle)
		HIPCUDA_NAME(hipErrorIllegalState)
		HIPCUDA_NAME(hipErrorNotFound)
		HIPCUDA_NAME(hipErrorNotReady)
		HIPCUDA_NAME(hipErrorIllegalAddress)
		HIPCUDA_NAME(hipErrorLaunchOutOfResources)
		HIPCUDA_NAME(hipErrorLaunchTimeOut)
		HIPCUDA_NAME(hipErrorPeerAccessAlreadyEnabled)
		HIPCUDA_NAME(hipErrorPeerAccessNotEnabled)
		HIPCUDA_NAME(hipErrorContextIsDestroyed)
		HIPCUDA_NAME(hipErrorAssert)
		HIPCUDA_NAME(hipErrorHostMemoryAlreadyRegistered)
		HIPCUDA_NAME(hipErrorHostMemoryNotRegistered)
		HIPCUDA_NAME(hipErrorLaunchFailure)
		HIPCUDA_NAME(hipErrorCooperativeLaunchTooLarge)
		HIPCUDA_NAME(hipErrorNotSupported)
		HIPCUDA_NAME(hipErrorStreamCaptureUnsupported)
		HIPCUDA_NAME(hipErrorStreamCaptureInvalidated)
		HIPCUDA_NAME(hipErrorStreamCaptureMerge)
		HIPCUDA_NAME(hipErrorStreamCaptureUnmatched)
		HIPCUDA_NAME(hipErrorStreamCaptureUnjoined)
		HIPCUDA_NAME(hipErrorStreamCaptureIsolation)
		HIPCUDA_NAME(hipErrorStreamCaptureImplicit)
		HIPCUDA_NAME(hipErrorCapturedEvent)
		HIPCUDA_NAME(hipErrorStreamCaptureWrongThread)
		HIPCUDA_NAME(hipErrorUnknown)
#undef HIPCUDA_NAME
	default:
		return cudaGetErrorName(error);
	}
}

/* ---- devices ---- */

typedef int hipDevice_t;
typedef cudaUUID_t hipUUID;
typedef struct cudaDeviceProp hipDeviceProp_t;

typedef int hipDeviceAttribute_t;
#define hipDeviceAttributeCanMapHostMemory               cudaDevAttrCanMapHostMemory
#define hipDeviceAttributeClockRate                      cudaDevAttrClockRate
#define hipDeviceAttributeComputeCapabilityMajor         cudaDevAttrComputeCapabilityMajor
#define hipDeviceAttributeComputeCapabilityMinor         cudaDevAttrComputeCapabilityMinor
#define hipDeviceAttributeConcurrentKernels              cudaDevAttrConcurrentKernels
#define hipDeviceAttributeConcurrentManagedAccess        cudaDevAttrConcurrentManagedAccess
#define hipDeviceAttributeCooperativeLaunch              cudaDevAttrCooperativeLaunch
#define hipDeviceAttributeDirectManagedMemAccessFromHost cudaDevAttrDirectManagedMemAccessFromHost
#define hipDeviceAttributeHostNativeAtomicSupported      cudaDevAttrHostNativeAtomicSupported
#define hipDeviceAttributeIntegrated                     cudaDevAttrIntegrated
#define hipDeviceAttributeL2CacheSize                    cudaDevAttrL2CacheSize
#define hipDeviceAttributeManagedMemory                  cudaDevAttrManagedMemory
#define hipDeviceAttributeMaxBlockDimX                   cudaDevAttrMaxBlockDimX
#define hipDeviceAttributeMaxBlockDimY                   cudaDevAttrMaxBlockDimY
#define hipDeviceAttributeMaxBlockDimZ                   cudaDevAttrMaxBlockDimZ
#define hipDeviceAttributeMaxBlocksPerMultiprocessor     cudaDevAttrMaxBlocksPerMultiprocessor
#define hipDeviceAttributeMaxGridDimX                    cudaDevAttrMaxGridDimX
#define hipDeviceAttributeMaxGridDimY                    cudaDevAttrMaxGridDimY
#define hipDeviceAttributeMaxGridDimZ                    cudaDevAttrMaxGridDimZ
#define hipDeviceAttributeMaxRegistersPerBlock           cudaDevAttrMaxRegistersPerBlock
#define hipDeviceAttributeMaxSharedMemoryPerBlock        cudaDevAttrMaxSharedMemoryPerBlock
#define hipDeviceAttributeMaxThreadsPerBlock             cudaDevAttrMaxThreadsPerBlock
#define hipDeviceAttributeMaxThreadsPerMultiProcessor    cudaDevAttrMaxThreadsPerMultiProcessor
#define hipDeviceAttributeMultiprocessorCount            cudaDevAttrMultiProcessorCount
#define hipDeviceAttributePageableMemoryAccess           cudaDevAttrPageableMemoryAccess
#define hipDeviceAttributePciBusId                       cudaDevAttrPciBusId
#define hipDeviceAttributePciDeviceId                    cudaDevAttrPciDeviceId
#define hipDeviceAttributePciDomainId                    cudaDevAttrPciDomainId
#define hipDeviceAttributePciDomainID                    cudaDevAttrPciDomainId
#define hipDeviceAttributeTotalConstantMemory            cudaDevAttrTotalConstantMemory
#define hipDeviceAttributeUnifiedAddressing              cudaDevAttrUnifiedAddressing
#define hipDeviceAttributeWarpSize                       cudaDevAttrWarpSize
/* not a CUDA attribute: see hipDeviceGetAttribute */
#define hipDeviceAttributeWallClockRate                  0x7001

typedef enum cudaDeviceP2PAttr hipDeviceP2PAttr;
#define hipDevP2PAttrPerformanceRank         cudaDevP2PAttrPerformanceRank
#define hipDevP2PAttrAccessSupported         cudaDevP2PAttrAccessSupported
#define hipDevP2PAttrNativeAtomicSupported   cudaDevP2PAttrNativeAtomicSupported
#define hipDevP2PAttrHipArrayAccessSupported cudaDevP2PAttrCudaArrayAccessSupported

#define hipDeviceScheduleAuto         cudaDeviceScheduleAuto
#define hipDeviceScheduleSpin         cudaDeviceScheduleSpin
#define hipDeviceScheduleYield        cudaDeviceScheduleYield
#define hipDeviceScheduleBlockingSync cudaDeviceScheduleBlockingSync
#define hipDeviceMapHost              cudaDeviceMapHost

#define hipRuntimeGetVersion            cudaRuntimeGetVersion
#define hipDriverGetVersion             cudaDriverGetVersion
#define hipSetDevice                    cudaSetDevice
#define hipGetDevice                    cudaGetDevice
#define hipSetDeviceFlags               cudaSetDeviceFlags
#define hipGetDeviceProperties          cudaGetDeviceProperties
#define hipDeviceGetPCIBusId            cudaDeviceGetPCIBusId
#define hipDeviceGetByPCIBusId          cudaDeviceGetByPCIBusId
#define hipDeviceSynchronize            cudaDeviceSynchronize
#define hipDeviceReset                  cudaDeviceReset
#define hipDeviceCanAccessPeer          cudaDeviceCanAccessPeer
#define hipDeviceEnablePeerAccess       cudaDeviceEnablePeerAccess
#define hipDeviceDisablePeerAccess      cudaDeviceDisablePeerAccess
#define hipDeviceGetP2PAttribute        cudaDeviceGetP2PAttribute
#define hipDeviceGetStreamPriorityRange cudaDeviceGetStreamPriorityRange

/* Sets *count to 0 if there is no device, as HIP does; CUDA does not change it. */
static inline hipError_t hipGetDeviceCount(int *count)
{
	hipError_t error = cudaGetDeviceCount(count);

	if (error != cudaSuccess)
		*count = 0;
	return error;
}

static inline hipError_t hipInit(unsigned flags)
{
	int count;

	return flags ? hipErrorInvalidValue : cudaGetDeviceCount(&count);
}

/* kHz of wall_clock64, which is %globaltimer: nanoseconds. */
static inline hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device)
{
	if (attribute != hipDeviceAttributeWallClockRate)
		return cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
	*value = 1000000;
	return hipSuccess;
}

static inline hipError_t hipDeviceGet(hipDevice_t *device, int ordinal)
{
	int count;
	hipError_t error = cudaGetDeviceCount(&count);

	if (error != cudaSuccess)
		return error;
	if (ordinal < 0 || ordinal >= count)
		return hipErrorInvalidDevice;
	*device = ordinal;
	return hipSuccess;
}

static inline hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device)
{
	struct cudaDeviceProp prop;
	hipError_t error = cudaGetDeviceProperties(&prop, device);

	if (error == cudaSuccess)
		*uuid = prop.uuid;
	return error;
}

static inline hipError_t hipDeviceGetName(char *name, int nbytes, hipDevice_t device)
{
	struct cudaDeviceProp prop;
	hipError_t error = cudaGetDeviceProperties(&prop, device);

	if (error != cudaSuccess)
		return error;
	if (nbytes < 1)
		return hipErrorInvalidValue;
	strncpy(name, prop.name, (size_t)nbytes - 1);
	name[nbytes - 1] = 0;
	return hipSuccess;
}

/*
 * Multiprocessors of the whole device, of which CUDA counts n for this process: a client of MPS with
 * CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is told its part (66 of an H100's 132 at 50).
 */
static inline int hipcudaWholeCount(int n)
{
	const char *percentage = getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
	const double part = percentage ? atof(percentage) : 0;

	return part > 0 && part < 100 ? (int)(n * 100 / part) : n;
}

/* ---- what only the driver has ---- */

static inline hipError_t hipcuda_find(const char *name, unsigned version, void **fn)
{
	enum cudaDriverEntryPointQueryResult found;
	hipError_t error;

#if CUDART_VERSION >= 12050
	error = cudaGetDriverEntryPointByVersion(name, fn, version, cudaEnableDefault, &found);
#else
	/*
	 * this finds the newest version that this toolkit knows, which is the same for all functions
	 * looked up here
	 */
	(void)version;
	error = cudaGetDriverEntryPoint(name, fn, cudaEnableDefault, &found);
#endif
	if (error == cudaSuccess && found != cudaDriverEntryPointSuccess)
		error = hipErrorNotSupported;
	return error;
}

/*
 * The body of a function that calls cuNAME(...), in the version of SINCE, in the current device's context.
 * The driver's errors have the same numbers as the runtime's. _ALONE creates no context.
 */
#define HIPCUDA_DRIVER_CALL(name, type, since, ...) \
	union { \
		void *address; \
		type call; \
	} fn; \
	hipError_t error = hipcuda_find(name, since, &fn.address); \
\
	return error == cudaSuccess ? (hipError_t)fn.call(__VA_ARGS__) : error
#define HIPCUDA_DRIVER_ALONE(name, since, ...) \
	HIPCUDA_DRIVER_CALL(#name, PFN_##name##_v##since, since, __VA_ARGS__)
#define HIPCUDA_DRIVER(name, since, ...) \
	hipError_t context = cudaFree(NULL); \
\
	if (context != cudaSuccess) \
		return context; \
	HIPCUDA_DRIVER_CALL(#name, PFN_##name##_v##since, since, __VA_ARGS__)

static inline hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *is_active)
{
	HIPCUDA_DRIVER_ALONE(cuDevicePrimaryCtxGetState, 7000, device, flags, is_active);
}

/* ---- memory ---- */

typedef enum cudaMemcpyKind hipMemcpyKind;
#define hipMemcpyHostToHost     cudaMemcpyHostToHost
#define hipMemcpyHostToDevice   cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost   cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDefault        cudaMemcpyDefault

typedef enum cudaMemoryType hipMemoryType;
#define hipMemoryTypeUnregistered cudaMemoryTypeUnregistered
#define hipMemoryTypeHost         cudaMemoryTypeHost
#define hipMemoryTypeDevice       cudaMemoryTypeDevice
#define hipMemoryTypeManaged      cudaMemoryTypeManaged

typedef struct cudaPointerAttributes hipPointerAttribute_t;
typedef void *hipDeviceptr_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef CUmodule hipModule_t;
typedef CUfunction hipFunction_t;
typedef CUcontext hipCtx_t;

#define hipDeviceMallocDefault     0x0
#define hipDeviceMallocFinegrained 0x1
#define hipMallocSignalMemory      0x2
#define hipDeviceMallocUncached    0x3
#define hipDeviceMallocContiguous  0x4
#define hipMemAttachGlobal         cudaMemAttachGlobal
#define hipMemAttachHost           cudaMemAttachHost
#define hipHostMallocDefault       cudaHostAllocDefault
#define hipHostMallocPortable      cudaHostAllocPortable
#define hipHostMallocMapped        cudaHostAllocMapped
#define hipHostMallocWriteCombined cudaHostAllocWriteCombined
/* Host memory is always coherent, and lies where the process puts it. */
#define hipHostMallocNumaUser      0x0
#define hipHostMallocCoherent      0x0
#define hipHostMallocNonCoherent   0x0
#define hipHostRegisterDefault     cudaHostRegisterDefault
#define hipHostRegisterPortable    cudaHostRegisterPortable
#define hipHostRegisterMapped      cudaHostRegisterMapped
#define hipHostRegisterIoMemory    cudaHostRegisterIoMemory
#define hipHostRegisterReadOnly    cudaHostRegisterReadOnly

#define hipMalloc               cudaMalloc
#define hipMallocManaged        cudaMallocManaged
#define hipFree                 cudaFree
#define hipHostFree             cudaFreeHost
#define hipHostRegister         cudaHostRegister
#define hipHostUnregister       cudaHostUnregister
#define hipHostGetDevicePointer cudaHostGetDevicePointer
#define hipHostGetFlags         cudaHostGetFlags
#define hipMemGetInfo           cudaMemGetInfo
#define hipPointerGetAttributes cudaPointerGetAttributes

typedef CUpointer_attribute hipPointer_attribute;
#define HIP_POINTER_ATTRIBUTE_HOST_POINTER CU_POINTER_ATTRIBUTE_HOST_POINTER
#define HIP_POINTER_ATTRIBUTE_BUFFER_ID    CU_POINTER_ATTRIBUTE_BUFFER_ID
#define HIP_POINTER_ATTRIBUTE_IS_MANAGED   CU_POINTER_ATTRIBUTE_IS_MANAGED

static inline hipError_t hipPointerGetAttribute(
	void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr)
{
	HIPCUDA_DRIVER(cuPointerGetAttribute, 4000, data, attribute, (CUdeviceptr)(uintptr_t)ptr);
}

static inline hipError_t hipHostMalloc(void **ptr, size_t nbytes, unsigned flags HIPCUDA_DEFAULT(0))
{
	return cudaHostAlloc(ptr, nbytes, flags);
}

/*
 * CUDA has one kind of device memory, and accesses of system scope to it are coherent between GPUs. That is
 * what fine-grained and uncached memory promise, so both are plain cudaMalloc. There is no signal memory.
 */
static inline hipError_t hipExtMallocWithFlags(void **ptr, size_t nbytes, unsigned flags)
{
	if (flags == hipMallocSignalMemory)
		return hipErrorNotSupported;
	return flags <= hipDeviceMallocContiguous ? cudaMalloc(ptr, nbytes) : hipErrorInvalidValue;
}

static inline hipError_t hipcuda_range(CUdeviceptr *base, size_t *nbytes, CUdeviceptr ptr)
{
	HIPCUDA_DRIVER(cuMemGetAddressRange, 3020, base, nbytes, ptr);
}

static inline hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *nbytes, hipDeviceptr_t ptr)
{
	CUdeviceptr start = 0;
	hipError_t found = hipcuda_range(&start, nbytes, (CUdeviceptr)(uintptr_t)ptr);

	if (base)
		*base = (void *)(uintptr_t)start;
	return found;
}

#define hipMemcpy          cudaMemcpy
#define hipMemcpyAsync     cudaMemcpyAsync
#define hipMemcpyPeer      cudaMemcpyPeer
#define hipMemcpyPeerAsync cudaMemcpyPeerAsync
#define hipMemcpy2D        cudaMemcpy2D
#define hipMemcpy2DAsync   cudaMemcpy2DAsync
#define hipMemset          cudaMemset
#define hipMemsetAsync     cudaMemsetAsync

static inline hipError_t hipMemcpyWithStream(
	void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream)
{
	hipError_t error = cudaMemcpyAsync(dst, src, nbytes, kind, stream);

	return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
}

static inline hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t nbytes)
{
	return cudaMemcpy(dst, src, nbytes, cudaMemcpyDeviceToDevice);
}

static inline hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t nbytes)
{
	return cudaMemcpy(dst, src, nbytes, cudaMemcpyHostToDevice);
}

static inline hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t nbytes)
{
	return cudaMemcpy(dst, src, nbytes, cudaMemcpyDeviceToHost);
}

static inline hipError_t hipMemcpyDtoDAsync(
	hipDeviceptr_t dst, hipDeviceptr_t src, size_t nbytes, hipStream_t stream)
{
	return cudaMemcpyAsync(dst, src, nbytes, cudaMemcpyDeviceToDevice, stream);
}

static inline hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t nbytes, hipStream_t stream)
{
	return cudaMemcpyAsync(dst, src, nbytes, cudaMemcpyHostToDevice, stream);
}

static inline hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t nbytes, hipStream_t stream)
{
	return cudaMemcpyAsync(dst, src, nbytes, cudaMemcpyDeviceToHost, stream);
}

static inline hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count)
{
	return cudaMemset(dst, value, count);
}

static inline hipError_t hipMemsetD8Async(
	hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream)
{
	return cudaMemsetAsync(dst, value, count, stream);
}

static inline hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count)
{
	HIPCUDA_DRIVER(cuMemsetD32, 3020, (CUdeviceptr)(uintptr_t)dst, (unsigned)value, count);
}

static inline hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream)
{
	HIPCUDA_DRIVER(cuMemsetD32Async, 3020, (CUdeviceptr)(uintptr_t)dst, (unsigned)value, count, stream);
}

/* In C a symbol cannot be passed by its name. */
#ifdef __cplusplus
#define HIP_SYMBOL(x) (x)
#else
#define HIP_SYMBOL(x) ((const void *)&(x))
#endif
#define hipMemcpyToSymbol        cudaMemcpyToSymbol
#define hipMemcpyToSymbolAsync   cudaMemcpyToSymbolAsync
#define hipMemcpyFromSymbol      cudaMemcpyFromSymbol
#define hipMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync
#define hipGetSymbolAddress      cudaGetSymbolAddress
#define hipGetSymbolSize         cudaGetSymbolSize

/* ---- memory of other processes ---- */

#define HIP_IPC_HANDLE_SIZE           CUDA_IPC_HANDLE_SIZE
#define hipIpcMemLazyEnablePeerAccess cudaIpcMemLazyEnablePeerAccess

typedef cudaIpcMemHandle_t hipIpcMemHandle_t;

#define hipIpcGetMemHandle   cudaIpcGetMemHandle
#define hipIpcOpenMemHandle  cudaIpcOpenMemHandle
#define hipIpcCloseMemHandle cudaIpcCloseMemHandle

/* ---- virtual memory ---- */

#include "hip_virtual.h"

/* ---- streams and events ---- */

#define hipStreamDefault        cudaStreamDefault
#define hipStreamNonBlocking    cudaStreamNonBlocking
#define hipStreamLegacy         cudaStreamLegacy
#define hipStreamPerThread      cudaStreamPerThread
#define hipEventDefault         cudaEventDefault
#define hipEventBlockingSync    cudaEventBlockingSync
#define hipEventDisableTiming   cudaEventDisableTiming
#define hipEventInterprocess    cudaEventInterprocess
/* CUDA does not let an event choose what it releases. */
#define hipEventReleaseToDevice 0x0
#define hipEventReleaseToSystem 0x0

typedef cudaHostFn_t hipHostFn_t;
typedef cudaStreamCallback_t hipStreamCallback_t;

#define hipStreamCreate             cudaStreamCreate
#define hipStreamCreateWithFlags    cudaStreamCreateWithFlags
#define hipStreamCreateWithPriority cudaStreamCreateWithPriority
#define hipStreamDestroy            cudaStreamDestroy
#define hipStreamSynchronize        cudaStreamSynchronize
#define hipStreamQuery              cudaStreamQuery
#define hipStreamWaitEvent          cudaStreamWaitEvent
#define hipStreamGetFlags           cudaStreamGetFlags
#define hipStreamGetPriority        cudaStreamGetPriority
#define hipStreamAddCallback        cudaStreamAddCallback
#define hipLaunchHostFunc           cudaLaunchHostFunc
#define hipEventCreate              cudaEventCreate
#define hipEventCreateWithFlags     cudaEventCreateWithFlags
#define hipEventRecord              cudaEventRecord
#define hipEventQuery               cudaEventQuery
#define hipEventSynchronize         cudaEventSynchronize
#define hipEventElapsedTime         cudaEventElapsedTime
#define hipEventDestroy             cudaEventDestroy

/* ---- graphs ---- */

typedef cudaGraph_t hipGraph_t;
typedef cudaGraphExec_t hipGraphExec_t;
typedef cudaGraphNode_t hipGraphNode_t;
typedef enum cudaStreamCaptureMode hipStreamCaptureMode;
typedef enum cudaStreamCaptureStatus hipStreamCaptureStatus;
#define hipStreamCaptureModeGlobal        cudaStreamCaptureModeGlobal
#define hipStreamCaptureModeThreadLocal   cudaStreamCaptureModeThreadLocal
#define hipStreamCaptureModeRelaxed       cudaStreamCaptureModeRelaxed
#define hipStreamCaptureStatusNone        cudaStreamCaptureStatusNone
#define hipStreamCaptureStatusActive      cudaStreamCaptureStatusActive
#define hipStreamCaptureStatusInvalidated cudaStreamCaptureStatusInvalidated

#define hipStreamBeginCapture              cudaStreamBeginCapture
#define hipStreamEndCapture                cudaStreamEndCapture
#define hipStreamIsCapturing               cudaStreamIsCapturing
#define hipThreadExchangeStreamCaptureMode cudaThreadExchangeStreamCaptureMode
#define hipGraphLaunch                     cudaGraphLaunch
#define hipGraphDestroy                    cudaGraphDestroy
#define hipGraphExecDestroy                cudaGraphExecDestroy

/* CUDA 12 has dropped the arguments for errors. */
static inline hipError_t hipGraphInstantiate(
	hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *error_node, char *log, size_t nbytes)
{
#if CUDART_VERSION >= 12000
	if (error_node)
		*error_node = NULL;
	if (log && nbytes)
		*log = 0;
	return cudaGraphInstantiate(exec, graph, 0);
#else
	return cudaGraphInstantiate(exec, graph, error_node, log, nbytes);
#endif
}

/* ---- kernels ---- */

typedef struct cudaFuncAttributes hipFuncAttributes;

#define hipLaunchKernel                              cudaLaunchKernel
#define hipLaunchCooperativeKernel                   cudaLaunchCooperativeKernel
#define hipFuncGetAttributes                         cudaFuncGetAttributes
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipOccupancyMaxPotentialBlockSize            cudaOccupancyMaxPotentialBlockSize

/* ---- modules ---- */

static inline hipError_t hipModuleLoad(hipModule_t *module, const char *path)
{
	HIPCUDA_DRIVER(cuModuleLoad, 2000, module, path);
}

static inline hipError_t hipModuleLoadData(hipModule_t *module, const void *image)
{
	HIPCUDA_DRIVER(cuModuleLoadData, 2000, module, image);
}

#if CUDART_VERSION >= 12000
/* HIP has no libraries, which are loaded for all contexts. This is its module of the current context. */
static inline hipError_t hipcudaLibraryGetModule(hipModule_t *module, CUlibrary library)
{
	HIPCUDA_DRIVER(cuLibraryGetModule, 12000, module, library);
}
#endif

static inline hipError_t hipModuleUnload(hipModule_t module)
{
	HIPCUDA_DRIVER(cuModuleUnload, 2000, module);
}

static inline hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name)
{
	HIPCUDA_DRIVER(cuModuleGetFunction, 2000, function, module, name);
}

static inline hipError_t hipcuda_global(
	CUdeviceptr *ptr, size_t *nbytes, hipModule_t module, const char *name)
{
	HIPCUDA_DRIVER(cuModuleGetGlobal, 3020, ptr, nbytes, module, name);
}

static inline hipError_t hipModuleGetGlobal(
	hipDeviceptr_t *ptr, size_t *nbytes, hipModule_t module, const char *name)
{
	CUdeviceptr found = 0;
	hipError_t got = hipcuda_global(&found, nbytes, module, name);

	if (ptr)
		*ptr = (void *)(uintptr_t)found;
	return got;
}

static inline hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
	hipStream_t stream, void **args, void **extra)
{
	HIPCUDA_DRIVER(cuLaunchKernel, 4000, function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
		shared_bytes, stream, args, extra);
}

static inline hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
	unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
	unsigned shared_bytes, hipStream_t stream, void **args)
{
	HIPCUDA_DRIVER(cuLaunchCooperativeKernel, 9000, function, grid_x, grid_y, grid_z, block_x, block_y,
		block_z, shared_bytes, stream, args);
}

static inline hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
	int *nblocks, hipFunction_t function, int block_size, size_t shared_bytes)
{
	HIPCUDA_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, nblocks, function, block_size,
		shared_bytes);
}

#include "hip_loading.h"

#undef HIPCUDA_DRIVER
#undef HIPCUDA_DRIVER_ALONE
#undef HIPCUDA_DRIVER_CALL

#ifdef __cplusplus
template <typename T> static inline hipError_t hipHostMalloc(T **ptr, size_t nbytes, unsigned flags = 0)
{
	return hipHostMalloc((void **)ptr, nbytes, flags);
}

template <typename T> static inline hipError_t hipExtMallocWithFlags(T **ptr, size_t nbytes, unsigned flags)
{
	return hipExtMallocWithFlags((void **)ptr, nbytes, flags);
}
#endif

#endif /* HIPCUDA_HIP_RUNTIME_API_H */
