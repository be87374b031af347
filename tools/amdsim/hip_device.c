/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP's entry points for devices, errors and versions. All devices are of one kind, and any two are peers.
 * Properties are those of the hardware (MI250X, MI300X, RX 7900 XTX), except compute units and memory.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hip.h"

#define FIRST_BUS 0x10     /* PCI, of device 0 */
#define VERSION   50221153 /* 5.2.21153, as Debian's */

static _Thread_local hipError_t last_error;
_Thread_local int device_current;
bool device_used[MAX_DEVICES];
static bool peers[MAX_DEVICES][MAX_DEVICES]; /* [d][p]: d may use memory of p */

/* ---- errors ---- */

const char *hipGetErrorName(hipError_t error)
{
#define NAME(e) \
	case hipError##e: \
		return "hipError" #e;
	/* clang-format off */
	switch ((int)error) {
	case hipSuccess: return "hipSuccess";
		NAME(InvalidValue) NAME(OutOfMemory) NAME(NotInitialized) NAME(Deinitialized)
		NAME(InvalidConfiguration) NAME(InvalidPitchValue) NAME(InvalidSymbol)
		NAME(InvalidDevicePointer) NAME(InvalidMemcpyDirection) NAME(InvalidDeviceFunction)
		NAME(NoDevice) NAME(InvalidDevice) NAME(InvalidImage) NAME(InvalidContext)
		NAME(NoBinaryForGpu) NAME(ContextAlreadyInUse) NAME(FileNotFound) NAME(OperatingSystem)
		NAME(MapFailed) NAME(InvalidHandle) NAME(IllegalState) NAME(NotFound) NAME(NotReady)
		NAME(IllegalAddress) NAME(PeerAccessAlreadyEnabled) NAME(PeerAccessNotEnabled)
		NAME(SetOnActiveProcess) NAME(ContextIsDestroyed) NAME(HostMemoryAlreadyRegistered)
		NAME(HostMemoryNotRegistered) NAME(Assert) NAME(LaunchFailure)
		NAME(CooperativeLaunchTooLarge) NAME(NotSupported) NAME(RuntimeMemory) NAME(RuntimeOther)
	default: return "hipErrorUnknown";
	}
	/* clang-format on */
}

const char *hipGetErrorString(hipError_t error)
{
	return hipGetErrorName(error);
}

void api_enter(void)
{
	pthread_mutex_lock(&arena_lock);
}

hipError_t api_return(hipError_t error)
{
	if (error != hipSuccess && error != hipErrorNotReady)
		last_error = error;
	pthread_mutex_unlock(&arena_lock);
	return error;
}

hipError_t hipPeekAtLastError(void)
{
	return last_error;
}

hipError_t hipGetLastError(void)
{
	hipError_t error = last_error;

	last_error = hipSuccess;
	return error;
}

/* ---- which device ---- */

hipError_t device_check(int device)
{
	if (device >= 0 && device < config()->ndevices)
		return hipSuccess;
	return config()->ndevices ? hipErrorInvalidDevice : hipErrorNoDevice;
}

/* The end of most calls: stores the result, after checking where it goes and the device. */
static hipError_t put(int *to, int value, int device)
{
	if (to)
		*to = value;
	return to ? device_check(device) : hipErrorInvalidValue;
}

static hipError_t set_device(int device)
{
	if (device_check(device))
		return device_check(device);
	device_current = device;
	device_used[device] = true;
	return hipSuccess;
}

static hipError_t change_peer(int peer, bool on)
{
	if (device_check(peer) || peer == device_current)
		return hipErrorInvalidDevice;
	if (peers[device_current][peer] == on)
		return on ? hipErrorPeerAccessAlreadyEnabled : hipErrorPeerAccessNotEnabled;
	peers[device_current][peer] = on;
	return hipSuccess;
}

ENTRY(hipInit, (unsigned flags), flags ? hipErrorInvalidValue : device_check(0))
ENTRY(hipRuntimeGetVersion, (int *version), put(version, VERSION, 0))
ENTRY(hipDriverGetVersion, (int *version), put(version, VERSION, 0))
ENTRY(hipGetDeviceCount, (int *count), put(count, config()->ndevices, 0))
ENTRY(hipGetDevice, (int *device), put(device, device_current, device_current))
ENTRY(hipDeviceGet, (hipDevice_t * device, int ordinal), put(device, ordinal, ordinal))
ENTRY(hipSetDevice, (int device), set_device(device))
ENTRY(hipDeviceSynchronize, (void),
	device_check(device_current) ? hipErrorNoDevice : stream_drain(device_current))
ENTRY(hipDeviceReset, (void), device_check(device_current) ? hipErrorNoDevice : stream_drain(device_current))
ENTRY(hipDevicePrimaryCtxGetState, (hipDevice_t device, unsigned *flags, int *active),
	device_check(device)                   ? hipErrorInvalidDevice
		: put((int *)flags, 0, device) ? hipErrorInvalidValue
					       : put(active, device_used[device], device))
ENTRY(hipDeviceCanAccessPeer, (int *can, int device, int peer),
	device_check(peer) ? hipErrorInvalidDevice : put(can, device != peer, device))
ENTRY(hipDeviceEnablePeerAccess, (int peer, unsigned flags),
	flags ? hipErrorInvalidValue : change_peer(peer, true))
ENTRY(hipDeviceDisablePeerAccess, (int peer), change_peer(peer, false))
/* The rank is HSA's type of link: 4 is XGMI. */
ENTRY(hipDeviceGetP2PAttribute, (int *value, hipDeviceP2PAttr attribute, int device, int peer),
	(unsigned)attribute > hipDevP2PAttrHipArrayAccessSupported ? hipErrorInvalidValue
		: device == peer || device_check(peer)
		? hipErrorInvalidDevice
		: put(value,
			  attribute == hipDevP2PAttrPerformanceRank                 ? 4
				  : attribute == hipDevP2PAttrNativeAtomicSupported ? config()->has_xgmi
										    : 1,
			  device))

/* ---- identity and properties ---- */

static const struct hardware {
	const char *name;
	int number, major, minor, wave, khz, l2_kib, pci_id;
} hardware[] = {
	[GFX90A] = {"AMD Instinct MI250X", 910, 9, 0, 64, 1700000, 8192, 0x740c},
	[GFX942] = {"AMD Instinct MI300X", 942, 9, 4, 64, 2100000, 4096, 0x74a1},
	[GFX1100] = {"AMD Radeon RX 7900 XTX", 1100, 11, 0, 32, 2482000, 6144, 0x744c},
};

static hipError_t put_properties(hipDeviceProp_t *p, int device)
{
	const struct hardware *h = &hardware[config()->gpu];

	if (!p || device_check(device))
		return p ? device_check(device) : hipErrorInvalidValue;
	*p = (hipDeviceProp_t){
		.totalGlobalMem = config()->memory_bytes,
		.sharedMemPerBlock = LDS_BYTES,
		.regsPerBlock = 65536,
		.warpSize = h->wave,
		.maxThreadsPerBlock = BLOCK_THREADS,
		.maxThreadsDim = {BLOCK_THREADS, BLOCK_THREADS, BLOCK_THREADS},
		.maxGridSize = {INT_MAX, 65536, 65536},
		.clockRate = h->khz,
		.totalConstMem = INT_MAX,
		.major = h->major,
		.minor = h->minor,
		.multiProcessorCount = config()->ncus,
		.l2CacheSize = h->l2_kib * 1024,
		.gcnArch = h->number,
		.maxThreadsPerMultiProcessor = 2048,
		.maxSharedMemoryPerMultiProcessor = LDS_BYTES,
		.concurrentKernels = 1,
		.cooperativeLaunch = 1,
		.pciBusID = FIRST_BUS + device,
		.canMapHostMemory = 1,
		.managedMemory = 1,
		.directManagedMemAccessFromHost = 1,
		.concurrentManagedAccess = 1,
		.isLargeBar = 1,
	};
	strcpy(p->name, h->name);
	snprintf(p->gcnArchName, sizeof(p->gcnArchName), "%s%s", gpu_name(config()->gpu),
		h->wave == 64 ? ":sramecc+:xnack-" : "");
	return hipSuccess;
}

#define FIELD(attribute, field) \
	{ \
		hipDeviceAttribute##attribute, offsetof(hipDeviceProp_t, field) \
	}
static const struct {
	hipDeviceAttribute_t attribute;
	size_t offset; /* of an int, or of a size that fits an int */
} attributes[] = {
	FIELD(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
	FIELD(CooperativeLaunch, cooperativeLaunch),
	FIELD(MaxSharedMemoryPerMultiprocessor, sharedMemPerBlock),
	FIELD(MaxSharedMemoryPerBlock, sharedMemPerBlock),
	FIELD(MaxThreadsPerBlock, maxThreadsPerBlock),
	FIELD(MultiprocessorCount, multiProcessorCount),
	FIELD(ConcurrentManagedAccess, concurrentManagedAccess),
	FIELD(ConcurrentKernels, concurrentKernels),
	FIELD(MaxBlockDimX, maxThreadsDim[0]),
	FIELD(MaxGridDimX, maxGridSize[0]),
	FIELD(ClockRate, clockRate),
	FIELD(MaxBlockDimY, maxThreadsDim[1]),
	FIELD(MaxGridDimY, maxGridSize[1]),
	FIELD(WarpSize, warpSize),
	FIELD(MaxBlockDimZ, maxThreadsDim[2]),
	FIELD(MaxGridDimZ, maxGridSize[2]),
	FIELD(PciBusId, pciBusID),
	FIELD(ComputeCapabilityMajor, major),
	FIELD(ComputeCapabilityMinor, minor),
	FIELD(IsLargeBar, isLargeBar),
	FIELD(CanMapHostMemory, canMapHostMemory),
	FIELD(ManagedMemory, managedMemory),
	FIELD(L2CacheSize, l2CacheSize),
	FIELD(MaxRegistersPerBlock, regsPerBlock),
	FIELD(TotalConstantMemory, totalConstMem),
};

static hipError_t put_attribute(int *value, hipDeviceAttribute_t attribute, int device)
{
	hipDeviceProp_t p;
	hipError_t error = put_properties(&p, device);

	if (value && !error && attribute == hipDeviceAttributeFineGrainSupport)
		return *value = config()->has_fine, hipSuccess;
	for (size_t i = 0; value && !error && i < COUNT(attributes); i++)
		if (attributes[i].attribute == attribute)
			return memcpy(value, (char *)&p + attributes[i].offset, sizeof(*value)), hipSuccess;
	return error ? error : hipErrorInvalidValue;
}

static hipError_t put_bus_id(char *id, int nbytes, int device)
{
	if (!id || nbytes <= 12)
		return hipErrorInvalidValue;
	snprintf(id, (size_t)nbytes, "0000:%02x:00.0", (unsigned)(FIRST_BUS + device));
	return device_check(device);
}

static hipError_t find_bus_id(int *device, const char *id)
{
	unsigned bus, rest;

	if (!id || sscanf(id, "0000:%2x:00.%u", &bus, &rest) != 2 || rest ||
		device_check((int)bus - FIRST_BUS))
		return hipErrorInvalidValue;
	return put(device, (int)bus - FIRST_BUS, 0);
}

/* As ROCm's: 16 hexadecimal digits. */
static hipError_t put_uuid(hipUUID *uuid, int device)
{
	char text[sizeof(uuid->bytes) + 1];

	snprintf(text, sizeof(text), "%08x%08x", (unsigned)hardware[config()->gpu].pci_id, (unsigned)device);
	if (uuid)
		memcpy(uuid->bytes, text, sizeof(uuid->bytes));
	return uuid ? device_check(device) : hipErrorInvalidValue;
}

static hipError_t put_memory(size_t *free_bytes, size_t *total)
{
	if (!free_bytes || !total || device_check(device_current))
		return hipErrorInvalidValue;
	*total = config()->memory_bytes;
	*free_bytes = *total - arena_used(device_current);
	return hipSuccess;
}

ENTRY(hipGetDeviceProperties, (hipDeviceProp_t * p, int device), put_properties(p, device))
ENTRY(hipDeviceGetAttribute, (int *value, hipDeviceAttribute_t attribute, int device),
	put_attribute(value, attribute, device))
ENTRY(hipDeviceGetPCIBusId, (char *id, int nbytes, int device), put_bus_id(id, nbytes, device))
ENTRY(hipDeviceGetByPCIBusId, (int *device, const char *id), find_bus_id(device, id))
ENTRY(hipDeviceGetUuid, (hipUUID * uuid, hipDevice_t device), put_uuid(uuid, device))
ENTRY(hipMemGetInfo, (size_t * free_bytes, size_t *total), put_memory(free_bytes, total))
