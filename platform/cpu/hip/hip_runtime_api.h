/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host side of HIP on a CPU: C11 and C++. The names, values and meanings are those of HIP;
 * what differs is said in docs/cpu-platform.md. Kernels need hip_runtime.h.
 */
#ifndef HIPCPU_HIP_RUNTIME_API_H
#define HIPCPU_HIP_RUNTIME_API_H

#ifndef __HIP_PLATFORM_CPU__
#define __HIP_PLATFORM_CPU__ 1
#endif

#include <stddef.h>
#include <stdint.h>

/*
 * Around the headers in C++, for programs that are compiled with warnings about C's casts, which the headers
 * share with C, and about functions that two headers declare.
 */
#if defined(__cplusplus) && !defined(__CUDACC__)
#ifdef __clang__
#define HIPCPU_QUIET_GCC
#else
#define HIPCPU_QUIET_GCC _Pragma("GCC diagnostic ignored \"-Wuseless-cast\"")
#endif
#define HIPCPU_QUIET_BEGIN \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wold-style-cast\"") \
		_Pragma("GCC diagnostic ignored \"-Wredundant-decls\"") HIPCPU_QUIET_GCC
#define HIPCPU_QUIET_END _Pragma("GCC diagnostic pop")
#else
#define HIPCPU_QUIET_BEGIN
#define HIPCPU_QUIET_END
#endif
HIPCPU_QUIET_BEGIN

#ifdef __cplusplus
#define HIPCPU_DEFAULT(value) = value
extern "C" {
#else
#define HIPCPU_DEFAULT(value)
#endif

#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION_PATCH 0
#define HIP_VERSION       (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

/* ---- errors ---- */

/* X(name, value, text) */
#define HIPCPU_ERRORS(X) \
	X(hipSuccess, 0, "no error") \
	X(hipErrorInvalidValue, 1, "invalid argument") \
	X(hipErrorOutOfMemory, 2, "out of memory") \
	X(hipErrorNotInitialized, 3, "initialization error") \
	X(hipErrorDeinitialized, 4, "driver shutting down") \
	X(hipErrorInvalidConfiguration, 9, "invalid configuration argument") \
	X(hipErrorInvalidPitchValue, 12, "invalid pitch argument") \
	X(hipErrorInvalidSymbol, 13, "invalid device symbol") \
	X(hipErrorInvalidDevicePointer, 17, "invalid device pointer") \
	X(hipErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
	X(hipErrorInsufficientDriver, 35, "driver version is insufficient for runtime version") \
	X(hipErrorMissingConfiguration, 52, "__global__ function call is not configured") \
	X(hipErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch") \
	X(hipErrorInvalidDeviceFunction, 98, "invalid device function") \
	X(hipErrorNoDevice, 100, "no ROCm-capable device is detected") \
	X(hipErrorInvalidDevice, 101, "invalid device ordinal") \
	X(hipErrorInvalidImage, 200, "device kernel image is invalid") \
	X(hipErrorInvalidContext, 201, "invalid device context") \
	X(hipErrorAlreadyMapped, 208, "resource already mapped") \
	X(hipErrorMapFailed, 205, "mapping of buffer object failed") \
	X(hipErrorUnmapFailed, 206, "unmapping of buffer object failed") \
	X(hipErrorNoBinaryForGpu, 209, "no kernel image is available for execution on the device") \
	X(hipErrorNotMapped, 211, "resource not mapped") \
	X(hipErrorUnsupportedLimit, 215, "limit is not supported on this architecture") \
	X(hipErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
	X(hipErrorFileNotFound, 301, "file not found") \
	X(hipErrorSharedObjectInitFailed, 303, "shared object initialization failed") \
	X(hipErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS") \
	X(hipErrorInvalidHandle, 400, "invalid resource handle") \
	X(hipErrorIllegalState, 401, "the operation cannot be performed in the present state") \
	X(hipErrorNotFound, 500, "named symbol not found") \
	X(hipErrorNotReady, 600, "device not ready") \
	X(hipErrorIllegalAddress, 700, "an illegal memory access was encountered") \
	X(hipErrorLaunchOutOfResources, 701, "out of resources required for launch") \
	X(hipErrorLaunchTimeOut, 702, "the launch timed out and was terminated") \
	X(hipErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
	X(hipErrorPeerAccessNotEnabled, 705, "peer access has not been enabled") \
	X(hipErrorContextIsDestroyed, 709, "context is destroyed") \
	X(hipErrorAssert, 710, "device-side assert triggered") \
	X(hipErrorHostMemoryAlreadyRegistered, 712, \
		"part or all of the requested memory range is already mapped") \
	X(hipErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
	X(hipErrorLaunchFailure, 719, "unspecified launch failure") \
	X(hipErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
	X(hipErrorNotSupported, 801, "operation not supported") \
	X(hipErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
	X(hipErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
	X(hipErrorStreamCaptureMerge, 902, \
		"operation would result in a merge of separate capture sequences") \
	X(hipErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began") \
	X(hipErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work") \
	X(hipErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream") \
	X(hipErrorStreamCaptureImplicit, 906, \
		"operation would make the legacy stream depend on a capturing blocking stream") \
	X(hipErrorCapturedEvent, 907, \
		"operation not permitted on an event last recorded in a capturing stream") \
	X(hipErrorStreamCaptureWrongThread, 908, \
		"attempt to terminate a thread-local capture sequence from another thread") \
	X(hipErrorUnknown, 999, "unknown error")

#define HIPCPU_ENUM(name, value, text) name = value,
typedef enum hipError_t {
	HIPCPU_ERRORS(HIPCPU_ENUM) hipErrorMemoryAllocation = hipErrorOutOfMemory,
	hipErrorInitializationError = hipErrorNotInitialized,
	hipErrorInvalidResourceHandle = hipErrorInvalidHandle
} hipError_t;
#undef HIPCPU_ENUM

hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);

/* ---- devices ---- */

typedef int hipDevice_t;
typedef struct hipUUID_t {
	char bytes[16];
} hipUUID;

typedef struct hipDeviceProp_t {
	char name[256];
	hipUUID uuid;
	size_t totalGlobalMem;
	size_t sharedMemPerBlock;
	int regsPerBlock;
	int warpSize;
	int maxThreadsPerBlock;
	int maxThreadsDim[3];
	int maxGridSize[3];
	int clockRate; /* kHz, of clock64 */
	int memoryClockRate;
	int memoryBusWidth;
	size_t totalConstMem;
	int major;
	int minor;
	int multiProcessorCount;
	int l2CacheSize;
	int maxThreadsPerMultiProcessor;
	int computeMode;
	int clockInstructionRate; /* kHz, of wall_clock64 */
	int concurrentKernels;
	int pciDomainID;
	int pciBusID;
	int pciDeviceID;
	size_t maxSharedMemoryPerMultiProcessor;
	int isMultiGpuBoard;
	int canMapHostMemory;
	int gcnArch;
	char gcnArchName[256];
	int integrated;
	int cooperativeLaunch;
	int cooperativeMultiDeviceLaunch;
	int managedMemory;
	int concurrentManagedAccess;
	int pageableMemoryAccess;
	int directManagedMemAccessFromHost;
	int pageableMemoryAccessUsesHostPageTables;
	int unifiedAddressing;
	int asyncEngineCount;
	int isLargeBar;
	int asicRevision;
} hipDeviceProp_t;

typedef enum hipDeviceAttribute_t {
	hipDeviceAttributeCanMapHostMemory,
	hipDeviceAttributeCanUseStreamWaitValue,
	hipDeviceAttributeClockRate,
	hipDeviceAttributeComputeCapabilityMajor,
	hipDeviceAttributeComputeCapabilityMinor,
	hipDeviceAttributeConcurrentKernels,
	hipDeviceAttributeConcurrentManagedAccess,
	hipDeviceAttributeCooperativeLaunch,
	hipDeviceAttributeDirectManagedMemAccessFromHost,
	hipDeviceAttributeFineGrainSupport,
	hipDeviceAttributeHdpMemFlushCntl, /* the address of a register; *value has room for it */
	hipDeviceAttributeHdpRegFlushCntl,
	hipDeviceAttributeHostNativeAtomicSupported,
	hipDeviceAttributeIntegrated,
	hipDeviceAttributeIsLargeBar,
	hipDeviceAttributeL2CacheSize,
	hipDeviceAttributeManagedMemory,
	hipDeviceAttributeMaxBlockDimX,
	hipDeviceAttributeMaxBlockDimY,
	hipDeviceAttributeMaxBlockDimZ,
	hipDeviceAttributeMaxBlocksPerMultiprocessor,
	hipDeviceAttributeMaxGridDimX,
	hipDeviceAttributeMaxGridDimY,
	hipDeviceAttributeMaxGridDimZ,
	hipDeviceAttributeMaxRegistersPerBlock,
	hipDeviceAttributeMaxSharedMemoryPerBlock,
	hipDeviceAttributeMaxThreadsPerBlock,
	hipDeviceAttributeMaxThreadsPerMultiProcessor,
	hipDeviceAttributeMultiprocessorCount,
	hipDeviceAttributePageableMemoryAccess,
	hipDeviceAttributePciBusId,
	hipDeviceAttributePciDeviceId,
	hipDeviceAttributePciDomainID,
	hipDeviceAttributeTotalConstantMemory,
	hipDeviceAttributeUnifiedAddressing,
	hipDeviceAttributeWallClockRate,
	hipDeviceAttributeWarpSize
} hipDeviceAttribute_t;
#define hipDeviceAttributePciDomainId hipDeviceAttributePciDomainID

typedef enum hipDeviceP2PAttr {
	hipDevP2PAttrPerformanceRank,
	hipDevP2PAttrAccessSupported,
	hipDevP2PAttrNativeAtomicSupported,
	hipDevP2PAttrHipArrayAccessSupported
} hipDeviceP2PAttr;

#define hipDeviceScheduleAuto         0x0
#define hipDeviceScheduleSpin         0x1
#define hipDeviceScheduleYield        0x2
#define hipDeviceScheduleBlockingSync 0x4
#define hipDeviceMapHost              0x8

hipError_t hipInit(unsigned flags);
hipError_t hipRuntimeGetVersion(int *version);
hipError_t hipDriverGetVersion(int *version);
hipError_t hipGetDeviceCount(int *count);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int *device);
hipError_t hipSetDeviceFlags(unsigned flags);
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
hipError_t hipDeviceGetName(char *name, int nbytes, hipDevice_t device);
hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *prop, int device);
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceGetPCIBusId(char *id, int nbytes, int device);
hipError_t hipDeviceGetByPCIBusId(int *device, const char *id);
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
hipError_t hipDeviceDisablePeerAccess(int peer);
hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int device, int peer);
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);

/* ---- memory ---- */

typedef enum hipMemcpyKind {
	hipMemcpyHostToHost,
	hipMemcpyHostToDevice,
	hipMemcpyDeviceToHost,
	hipMemcpyDeviceToDevice,
	hipMemcpyDefault
} hipMemcpyKind;

typedef enum hipMemoryType {
	hipMemoryTypeUnregistered = 0,
	hipMemoryTypeHost = 1,
	hipMemoryTypeDevice = 2,
	hipMemoryTypeManaged = 3,
	hipMemoryTypeArray = 10,
	hipMemoryTypeUnified = 11
} hipMemoryType;

typedef struct hipPointerAttribute_t {
	hipMemoryType type;
	int device;
	void *devicePointer;
	void *hostPointer;
	int isManaged;
	unsigned allocationFlags;
} hipPointerAttribute_t;

typedef enum hipPointer_attribute {
	HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4, /* void *: of pinned, registered and managed memory */
	HIP_POINTER_ATTRIBUTE_BUFFER_ID = 7,    /* uint64_t: that of the allocation, never given twice */
	HIP_POINTER_ATTRIBUTE_IS_MANAGED        /* int */
} hipPointer_attribute;

typedef void *hipDeviceptr_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipGraph_t *hipGraph_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipCtx_t *hipCtx_t;

#define hipDeviceMallocDefault     0x0
#define hipDeviceMallocFinegrained 0x1
#define hipMallocSignalMemory      0x2
#define hipDeviceMallocUncached    0x3
#define hipDeviceMallocContiguous  0x4
#define hipMemAttachGlobal         0x1
#define hipMemAttachHost           0x2
#define hipHostMallocDefault       0x0
#define hipHostMallocPortable      0x1
#define hipHostMallocMapped        0x2
#define hipHostMallocWriteCombined 0x4
#define hipHostMallocNumaUser      0x20000000
#define hipHostMallocCoherent      0x40000000
#define hipHostMallocNonCoherent   0x80000000
#define hipHostRegisterDefault     0x0
#define hipHostRegisterPortable    0x1
#define hipHostRegisterMapped      0x2
#define hipHostRegisterIoMemory    0x4
#define hipHostRegisterReadOnly    0x8

hipError_t hipMalloc(void **ptr, size_t nbytes);
hipError_t hipExtMallocWithFlags(void **ptr, size_t nbytes, unsigned flags);
hipError_t hipMallocManaged(void **ptr, size_t nbytes, unsigned flags HIPCPU_DEFAULT(hipMemAttachGlobal));
hipError_t hipFree(void *ptr);
hipError_t hipHostMalloc(void **ptr, size_t nbytes, unsigned flags HIPCPU_DEFAULT(0));
hipError_t hipHostFree(void *ptr);
hipError_t hipHostRegister(void *ptr, size_t nbytes, unsigned flags);
hipError_t hipHostUnregister(void *ptr);
hipError_t hipHostGetDevicePointer(void **device_ptr, void *host_ptr, unsigned flags);
hipError_t hipHostGetFlags(unsigned *flags, void *host_ptr);
hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total_bytes);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr);
hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr);
hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *nbytes, hipDeviceptr_t ptr);

hipError_t hipMemcpy(void *dst, const void *src, size_t nbytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(
	void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemcpyWithStream(
	void *dst, const void *src, size_t nbytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t nbytes);
hipError_t hipMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t nbytes,
	hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t nbytes);
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t nbytes);
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t nbytes);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t nbytes, hipStream_t stream);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t nbytes, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t nbytes, hipStream_t stream);
hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
	hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, hipMemcpyKind kind, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemset(void *dst, int value, size_t nbytes);
hipError_t hipMemsetAsync(void *dst, int value, size_t nbytes, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream);
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count);
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream);

#ifdef __cplusplus
#define HIP_SYMBOL(x) (x)
#else
#define HIP_SYMBOL(x) ((const void *)&(x))
#endif
hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t nbytes,
	size_t offset HIPCPU_DEFAULT(0), hipMemcpyKind kind HIPCPU_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t nbytes, size_t offset,
	hipMemcpyKind kind, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t nbytes, size_t offset HIPCPU_DEFAULT(0),
	hipMemcpyKind kind HIPCPU_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t nbytes, size_t offset,
	hipMemcpyKind kind, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipGetSymbolAddress(void **ptr, const void *symbol);
hipError_t hipGetSymbolSize(size_t *nbytes, const void *symbol);

/* ---- memory of other processes ---- */

#define HIP_IPC_HANDLE_SIZE           64
#define hipIpcMemLazyEnablePeerAccess 0x1

typedef struct hipIpcMemHandle_st {
	char reserved[HIP_IPC_HANDLE_SIZE];
} hipIpcMemHandle_t;

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *ptr);
hipError_t hipIpcOpenMemHandle(void **ptr, hipIpcMemHandle_t handle, unsigned flags);
hipError_t hipIpcCloseMemHandle(void *ptr);

/* ---- virtual memory: addresses and memory apart ---- */

typedef enum hipMemLocationType {
	hipMemLocationTypeInvalid = 0,
	hipMemLocationTypeDevice = 1
} hipMemLocationType;

typedef struct hipMemLocation {
	hipMemLocationType type;
	int id; /* of the device */
} hipMemLocation;

typedef enum hipMemAccessFlags {
	hipMemAccessFlagsProtNone = 0,
	hipMemAccessFlagsProtRead = 1,
	hipMemAccessFlagsProtReadWrite = 3
} hipMemAccessFlags;

typedef struct hipMemAccessDesc {
	hipMemLocation location;
	hipMemAccessFlags flags;
} hipMemAccessDesc;

typedef enum hipMemAllocationType {
	hipMemAllocationTypeInvalid = 0x0,
	hipMemAllocationTypePinned = 0x1,
	hipMemAllocationTypeMax = 0x7fffffff
} hipMemAllocationType;

typedef enum hipMemAllocationHandleType {
	hipMemHandleTypeNone = 0x0,
	hipMemHandleTypePosixFileDescriptor = 0x1,
	hipMemHandleTypeWin32 = 0x2,
	hipMemHandleTypeWin32Kmt = 0x4
} hipMemAllocationHandleType;

typedef enum hipMemAllocationGranularity_flags {
	hipMemAllocationGranularityMinimum = 0x0,
	hipMemAllocationGranularityRecommended = 0x1
} hipMemAllocationGranularity_flags;

typedef struct hipMemAllocationProp {
	unsigned char compressionType;
	hipMemLocation location;
	hipMemAllocationHandleType requestedHandleType;
	hipMemAllocationType type;
	unsigned short usage;
	void *win32HandleMetaData;
} hipMemAllocationProp;

typedef struct ihipMemGenericAllocationHandle *hipMemGenericAllocationHandle_t;

hipError_t hipMemGetAllocationGranularity(
	size_t *granularity, const hipMemAllocationProp *prop, hipMemAllocationGranularity_flags option);
hipError_t hipMemAddressReserve(
	void **ptr, size_t nbytes, size_t alignment, void *address, unsigned long long flags);
hipError_t hipMemAddressFree(void *ptr, size_t nbytes);
hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t nbytes,
	const hipMemAllocationProp *prop, unsigned long long flags);
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);
hipError_t hipMemMap(void *ptr, size_t nbytes, size_t offset, hipMemGenericAllocationHandle_t handle,
	unsigned long long flags);
hipError_t hipMemUnmap(void *ptr, size_t nbytes);
hipError_t hipMemSetAccess(void *ptr, size_t nbytes, const hipMemAccessDesc *desc, size_t count);
hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr);
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *ptr);
hipError_t hipMemGetAllocationPropertiesFromHandle(
	hipMemAllocationProp *prop, hipMemGenericAllocationHandle_t handle);
hipError_t hipMemExportToShareableHandle(void *shareable, hipMemGenericAllocationHandle_t handle,
	hipMemAllocationHandleType type, unsigned long long flags);
/* os_handle: the descriptor, as from HIP 7.1 on, or a pointer to it, as before. */
hipError_t hipMemImportFromShareableHandle(
	hipMemGenericAllocationHandle_t *handle, void *os_handle, hipMemAllocationHandleType type);

/* ---- streams and events ---- */

#define hipStreamDefault        0x0
#define hipStreamNonBlocking    0x1
#define hipStreamLegacy         ((hipStream_t)1)
#define hipStreamPerThread      ((hipStream_t)2)
#define hipStreamWaitValueGte   0x0
#define hipStreamWaitValueEq    0x1
#define hipStreamWaitValueAnd   0x2
#define hipStreamWaitValueNor   0x3
#define hipEventDefault         0x0
#define hipEventBlockingSync    0x1
#define hipEventDisableTiming   0x2
#define hipEventInterprocess    0x4
#define hipEventReleaseToDevice 0x40000000
#define hipEventReleaseToSystem 0x80000000

typedef void (*hipHostFn_t)(void *arg);
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *arg);

hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags HIPCPU_DEFAULT(0));
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t fn, void *arg, unsigned flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *arg);
/* The word may lie in any memory of 4- or 8-byte alignment. flags of a write are ignored. */
hipError_t hipStreamWriteValue32(hipStream_t stream, void *word, uint32_t value, unsigned flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void *word, uint64_t value, unsigned flags);
hipError_t hipStreamWaitValue32(hipStream_t stream, void *word, uint32_t value, unsigned flags,
	uint32_t mask HIPCPU_DEFAULT(UINT32_MAX));
hipError_t hipStreamWaitValue64(hipStream_t stream, void *word, uint64_t value, unsigned flags,
	uint64_t mask HIPCPU_DEFAULT(UINT64_MAX));

hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream HIPCPU_DEFAULT(0));
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);
hipError_t hipEventDestroy(hipEvent_t event);

/* ---- graphs ---- */

typedef enum hipStreamCaptureMode {
	hipStreamCaptureModeGlobal,
	hipStreamCaptureModeThreadLocal,
	hipStreamCaptureModeRelaxed
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus {
	hipStreamCaptureStatusNone,
	hipStreamCaptureStatusActive,
	hipStreamCaptureStatusInvalidated
} hipStreamCaptureStatus;

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
/* Exchanges *mode with the calling thread's mode. A thread in relaxed mode may call anything. */
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status);
hipError_t hipGraphInstantiate(
	hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *error_node, char *log, size_t nbytes);
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphExecDestroy(hipGraphExec_t exec);

/* ---- kernels ---- */

typedef struct dim3 {
	uint32_t x, y, z;
#ifdef __cplusplus
	constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
#endif
} dim3;

typedef struct hipFuncAttributes {
	int binaryVersion;
	int cacheModeCA;
	size_t constSizeBytes;
	size_t localSizeBytes;
	int maxDynamicSharedSizeBytes;
	int maxThreadsPerBlock;
	int numRegs;
	int preferredShmemCarveout;
	int ptxVersion;
	size_t sharedSizeBytes;
} hipFuncAttributes;

/*
 * A kernel's types are known only to C++: there hip_runtime.h overloads the two launches for
 * void (*)(...) kernels. These C functions fail with hipErrorInvalidDeviceFunction.
 */
hipError_t hipLaunchKernel(
	const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes, hipStream_t stream);
hipError_t hipLaunchCooperativeKernel(
	const void *kernel, dim3 grid, dim3 block, void **args, unsigned shared_bytes, hipStream_t stream);
hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *kernel);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(
	int *nblocks, const void *kernel, int block_size, size_t shared_bytes);
hipError_t hipOccupancyMaxPotentialBlockSize(
	int *grid_size, int *block_size, const void *kernel, size_t shared_bytes, int block_size_limit);

/* ---- modules: shared objects; docs/cpu-platform.md ---- */

hipError_t hipModuleLoad(hipModule_t *module, const char *path);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetGlobal(hipDeviceptr_t *ptr, size_t *nbytes, hipModule_t module, const char *name);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t stream,
	void **args, void **extra);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
	hipStream_t stream, void **args);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
	int *nblocks, hipFunction_t function, int block_size, size_t shared_bytes);

#include "hip_composed.h"

#ifdef __cplusplus
} /* extern "C" */

template <typename T> static inline hipError_t hipMalloc(T **ptr, size_t nbytes)
{
	return hipMalloc((void **)ptr, nbytes);
}

template <typename T> static inline hipError_t hipExtMallocWithFlags(T **ptr, size_t nbytes, unsigned flags)
{
	return hipExtMallocWithFlags((void **)ptr, nbytes, flags);
}

template <typename T>
static inline hipError_t hipMallocManaged(T **ptr, size_t nbytes, unsigned flags = hipMemAttachGlobal)
{
	return hipMallocManaged((void **)ptr, nbytes, flags);
}

template <typename T> static inline hipError_t hipHostMalloc(T **ptr, size_t nbytes, unsigned flags = 0)
{
	return hipHostMalloc((void **)ptr, nbytes, flags);
}

template <typename T> static inline hipError_t hipHostAlloc(T **ptr, size_t nbytes, unsigned flags)
{
	return hipHostAlloc((void **)ptr, nbytes, flags);
}

template <typename T> static inline hipError_t hipMallocHost(T **ptr, size_t nbytes)
{
	return hipMallocHost((void **)ptr, nbytes);
}

template <typename T> static inline hipError_t hipMallocAsync(T **ptr, size_t nbytes, hipStream_t stream)
{
	return hipMallocAsync((void **)ptr, nbytes, stream);
}

template <typename T>
static inline hipError_t hipMallocPitch(T **ptr, size_t *pitch, size_t width, size_t height)
{
	return hipMallocPitch((void **)ptr, pitch, width, height);
}

/* A symbol may be given as the variable itself or as its address. */
template <typename T>
static inline hipError_t hipMemcpyToSymbol(const T &symbol, const void *src, size_t nbytes, size_t offset = 0,
	hipMemcpyKind kind = hipMemcpyHostToDevice)
{
	return hipMemcpyToSymbol((const void *)&symbol, src, nbytes, offset, kind);
}

template <typename T>
static inline hipError_t hipMemcpyToSymbolAsync(const T &symbol, const void *src, size_t nbytes,
	size_t offset, hipMemcpyKind kind, hipStream_t stream = 0)
{
	return hipMemcpyToSymbolAsync((const void *)&symbol, src, nbytes, offset, kind, stream);
}

template <typename T>
static inline hipError_t hipMemcpyFromSymbol(void *dst, const T &symbol, size_t nbytes, size_t offset = 0,
	hipMemcpyKind kind = hipMemcpyDeviceToHost)
{
	return hipMemcpyFromSymbol(dst, (const void *)&symbol, nbytes, offset, kind);
}

template <typename T>
static inline hipError_t hipMemcpyFromSymbolAsync(
	void *dst, const T &symbol, size_t nbytes, size_t offset, hipMemcpyKind kind, hipStream_t stream = 0)
{
	return hipMemcpyFromSymbolAsync(dst, (const void *)&symbol, nbytes, offset, kind, stream);
}

template <typename T> static inline hipError_t hipGetSymbolAddress(void **ptr, const T &symbol)
{
	return hipGetSymbolAddress(ptr, (const void *)&symbol);
}

template <typename T> static inline hipError_t hipGetSymbolSize(size_t *nbytes, const T &symbol)
{
	(void)symbol;
	*nbytes = sizeof(T);
	return hipSuccess;
}
#endif

HIPCPU_QUIET_END

#endif /* HIPCPU_HIP_RUNTIME_API_H */
