/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices: all alike, as many as GSHMEM_CPU_DEVICES says. Device n is the same device, with the same uuid and
 * PCI address, in every process of the machine.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "runtime.h"

static struct hipcpu_device devices[HIPCPU_MAX_DEVICES];
static __thread int current_device;
static __thread uint64_t peers_enabled[HIPCPU_MAX_DEVICES];

static void init_devices(void)
{
	for (int d = 0; d < hipcpu_config()->ndevices; d++)
		pthread_mutex_init(&devices[d].lock, NULL);
	for (int d = 0; d < hipcpu_config()->ndevices; d++)
		devices[d].null = hipcpu_stream_new(d, hipStreamDefault, 0);
}

struct hipcpu_device *hipcpu_device(int number)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_devices);
	return number >= 0 && number < hipcpu_config()->ndevices ? &devices[number] : NULL;
}

void hipcpu_device_use(int number)
{
	atomic_store_explicit(&devices[number].active, true, memory_order_relaxed);
}

int hipcpu_current_device(void)
{
	return current_device;
}

static bool exists(int device)
{
	return device >= 0 && device < hipcpu_config()->ndevices;
}

static bool can_access(int device, int peer)
{
	return !(hipcpu_config()->no_peer[device] >> peer & 1);
}

/* 8 bytes that identify the running machine, ..., and the device's number. */
void hipcpu_device_uuid(int device, char uuid[16])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	char text[64] = "";
	FILE *file = hipcpu_read_file("/proc/sys/kernel/random/boot_id");

	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = 0;
		fclose(file);
	}
	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	memset(uuid, 0, 16);
	memcpy(uuid, &hash, sizeof(hash));
	memcpy(uuid + 8, "hipcpu", 6);
	uuid[15] = (char)device;
}

int hipcpu_device_by_uuid(const char uuid[16])
{
	char mine[16];

	hipcpu_device_uuid(uuid[15], mine);
	return memcmp(uuid, mine, sizeof(mine)) ? -1 : uuid[15];
}

hipError_t hipInit(unsigned flags)
{
	HIPCPU_ENTER(hipInit);
	if (flags)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	HIPCPU_LEAVE(hipcpu_config()->ndevices ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipRuntimeGetVersion(int *version)
{
	HIPCPU_ENTER(hipRuntimeGetVersion);
	if (!version)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	*version = HIP_VERSION;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDriverGetVersion(int *version)
{
	HIPCPU_ENTER(hipDriverGetVersion);
	if (!version)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	*version = HIP_VERSION;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipGetDeviceCount(int *count)
{
	HIPCPU_ENTER(hipGetDeviceCount);
	if (!count)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	*count = hipcpu_config()->ndevices;
	HIPCPU_LEAVE(*count ? hipSuccess : hipErrorNoDevice);
}

hipError_t hipSetDevice(int device)
{
	HIPCPU_ENTER(hipSetDevice);
	if (!exists(device))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	current_device = device;
	hipcpu_device_use(device);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipGetDevice(int *device)
{
	HIPCPU_ENTER(hipGetDevice);
	if (!device)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!hipcpu_config()->ndevices)
		HIPCPU_LEAVE(hipErrorNoDevice);
	*device = current_device;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipSetDeviceFlags(unsigned flags)
{
	HIPCPU_ENTER(hipSetDeviceFlags);
	(void)flags;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal)
{
	HIPCPU_ENTER(hipDeviceGet);
	if (!device)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(ordinal))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	*device = ordinal;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceGetName(char *name, int nbytes, hipDevice_t device)
{
	HIPCPU_ENTER(hipDeviceGetName);
	if (!name || nbytes <= 0)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(device))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	snprintf(name, (size_t)nbytes, "HIP on a CPU");
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device)
{
	HIPCPU_ENTER(hipDeviceGetUuid);
	if (!uuid)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(device))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	hipcpu_device_uuid(device, uuid->bytes);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active)
{
	HIPCPU_ENTER(hipDevicePrimaryCtxGetState);
	if (!flags || !active)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(device))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	*flags = 0;
	*active = devices[device].active;
	HIPCPU_LEAVE(hipSuccess);
}

/* Fills in all properties; hipDeviceGetAttribute returns them one by one. */
static void fill_properties(hipDeviceProp_t *p, int device)
{
	const struct hipcpu_config *c = hipcpu_config();

	memset(p, 0, sizeof(*p));
	strcpy(p->name, "HIP on a CPU");
	strcpy(p->gcnArchName, "cpu");
	hipcpu_device_uuid(device, p->uuid.bytes);
	p->totalGlobalMem = c->memory_bytes;
	p->sharedMemPerBlock = 64 << 10;
	p->regsPerBlock = 65536;
	p->warpSize = (int)c->wave;
	p->maxThreadsPerBlock = HIPCPU_MAX_THREADS;
	p->maxThreadsDim[0] = p->maxThreadsDim[1] = p->maxThreadsDim[2] = HIPCPU_MAX_THREADS;
	p->maxGridSize[0] = INT32_MAX;
	p->maxGridSize[1] = p->maxGridSize[2] = 65535;
	p->clockRate = p->clockInstructionRate = 1000000;
	p->memoryClockRate = 1000000;
	p->memoryBusWidth = 64;
	p->totalConstMem = 64 << 10;
	p->major = 9;
	p->multiProcessorCount = (int)c->ncus;
	p->l2CacheSize = 1 << 20;
	p->maxThreadsPerMultiProcessor = (int)(c->nblocks / c->ncus * HIPCPU_MAX_THREADS);
	p->concurrentKernels = 1;
	p->pciBusID = device + 1;
	p->maxSharedMemoryPerMultiProcessor = 64 << 10;
	p->canMapHostMemory = 1;
	p->integrated = 1;
	p->cooperativeLaunch = 1;
	p->managedMemory = p->concurrentManagedAccess = p->pageableMemoryAccess = 1;
	p->directManagedMemAccessFromHost = p->pageableMemoryAccessUsesHostPageTables = 1;
	p->unifiedAddressing = 1;
	p->asyncEngineCount = 1;
	p->isLargeBar = 1;
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t *prop, int device)
{
	HIPCPU_ENTER(hipGetDeviceProperties);
	if (!prop)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(device))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	fill_properties(prop, device);
	HIPCPU_LEAVE(hipSuccess);
}

/* Programs write to it so that GPUs see what the host has written. Here nothing is to be done for that. */
static uint32_t flush_register;

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device)
{
	hipDeviceProp_t p;

	HIPCPU_ENTER(hipDeviceGetAttribute);
	if (!value)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(device))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	fill_properties(&p, device);
	switch (attribute) {
	case hipDeviceAttributeCanMapHostMemory:
	case hipDeviceAttributeCanUseStreamWaitValue:
		*value = p.canMapHostMemory;
		break;
	case hipDeviceAttributeClockRate:
		*value = p.clockRate;
		break;
	case hipDeviceAttributeComputeCapabilityMajor:
		*value = p.major;
		break;
	case hipDeviceAttributeComputeCapabilityMinor:
		*value = p.minor;
		break;
	case hipDeviceAttributeConcurrentKernels:
		*value = p.concurrentKernels;
		break;
	case hipDeviceAttributeConcurrentManagedAccess:
		*value = p.concurrentManagedAccess;
		break;
	case hipDeviceAttributeCooperativeLaunch:
		*value = p.cooperativeLaunch;
		break;
	case hipDeviceAttributeDirectManagedMemAccessFromHost:
		*value = p.directManagedMemAccessFromHost;
		break;
	case hipDeviceAttributeFineGrainSupport:
		*value = 1;
		break;
	case hipDeviceAttributeHdpMemFlushCntl:
	case hipDeviceAttributeHdpRegFlushCntl:
		memcpy(value, &(uint32_t *){&flush_register}, sizeof(uint32_t *));
		break;
	case hipDeviceAttributeHostNativeAtomicSupported:
		*value = 1;
		break;
	case hipDeviceAttributeIntegrated:
		*value = p.integrated;
		break;
	case hipDeviceAttributeIsLargeBar:
		*value = p.isLargeBar;
		break;
	case hipDeviceAttributeL2CacheSize:
		*value = p.l2CacheSize;
		break;
	case hipDeviceAttributeManagedMemory:
		*value = p.managedMemory;
		break;
	case hipDeviceAttributeMaxBlockDimX:
		*value = p.maxThreadsDim[0];
		break;
	case hipDeviceAttributeMaxBlockDimY:
		*value = p.maxThreadsDim[1];
		break;
	case hipDeviceAttributeMaxBlockDimZ:
		*value = p.maxThreadsDim[2];
		break;
	case hipDeviceAttributeMaxBlocksPerMultiprocessor:
		*value = (int)(hipcpu_config()->nblocks / hipcpu_config()->ncus);
		break;
	case hipDeviceAttributeMaxGridDimX:
		*value = p.maxGridSize[0];
		break;
	case hipDeviceAttributeMaxGridDimY:
		*value = p.maxGridSize[1];
		break;
	case hipDeviceAttributeMaxGridDimZ:
		*value = p.maxGridSize[2];
		break;
	case hipDeviceAttributeMaxRegistersPerBlock:
		*value = p.regsPerBlock;
		break;
	case hipDeviceAttributeMaxSharedMemoryPerBlock:
		*value = (int)p.sharedMemPerBlock;
		break;
	case hipDeviceAttributeMaxThreadsPerBlock:
		*value = p.maxThreadsPerBlock;
		break;
	case hipDeviceAttributeMaxThreadsPerMultiProcessor:
		*value = p.maxThreadsPerMultiProcessor;
		break;
	case hipDeviceAttributeMultiprocessorCount:
		*value = p.multiProcessorCount;
		break;
	case hipDeviceAttributePageableMemoryAccess:
		*value = p.pageableMemoryAccess;
		break;
	case hipDeviceAttributePciBusId:
		*value = p.pciBusID;
		break;
	case hipDeviceAttributePciDeviceId:
		*value = p.pciDeviceID;
		break;
	case hipDeviceAttributePciDomainID:
		*value = p.pciDomainID;
		break;
	case hipDeviceAttributeTotalConstantMemory:
		*value = (int)p.totalConstMem;
		break;
	case hipDeviceAttributeUnifiedAddressing:
		*value = p.unifiedAddressing;
		break;
	case hipDeviceAttributeWallClockRate:
		*value = p.clockInstructionRate;
		break;
	case hipDeviceAttributeWarpSize:
		*value = p.warpSize;
		break;
	default:
		HIPCPU_LEAVE(hipErrorInvalidValue);
	}
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceGetPCIBusId(char *id, int nbytes, int device)
{
	HIPCPU_ENTER(hipDeviceGetPCIBusId);
	if (!id || nbytes < 13)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(device))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	snprintf(id, (size_t)nbytes, "0000:%02x:00.0", (unsigned)device + 1);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceGetByPCIBusId(int *device, const char *id)
{
	unsigned domain, bus, slot;

	HIPCPU_ENTER(hipDeviceGetByPCIBusId);
	if (!device || !id)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3 || domain || slot || !bus ||
		!exists((int)bus - 1))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	*device = (int)bus - 1;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceSynchronize(void)
{
	HIPCPU_ENTER_UNCAPTURED(hipDeviceSynchronize);
	if (!exists(current_device))
		HIPCPU_LEAVE(hipErrorNoDevice);
	hipcpu_device_drain(current_device);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceReset(void)
{
	HIPCPU_ENTER_UNCAPTURED(hipDeviceReset);
	if (!exists(current_device))
		HIPCPU_LEAVE(hipErrorNoDevice);
	hipcpu_device_drain(current_device);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer)
{
	HIPCPU_ENTER(hipDeviceCanAccessPeer);
	if (!can)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(device) || !exists(peer))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	*can = device != peer && can_access(device, peer);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
	HIPCPU_ENTER(hipDeviceEnablePeerAccess);
	if (flags)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(peer) || peer == current_device)
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	if (!can_access(current_device, peer))
		HIPCPU_LEAVE(hipErrorPeerAccessUnsupported);
	if (peers_enabled[current_device] >> peer & 1)
		HIPCPU_LEAVE(hipErrorPeerAccessAlreadyEnabled);
	peers_enabled[current_device] |= UINT64_C(1) << peer;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceDisablePeerAccess(int peer)
{
	HIPCPU_ENTER(hipDeviceDisablePeerAccess);
	if (!exists(peer))
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	if (!(peers_enabled[current_device] >> peer & 1))
		HIPCPU_LEAVE(hipErrorPeerAccessNotEnabled);
	peers_enabled[current_device] &= ~(UINT64_C(1) << peer);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int device, int peer)
{
	HIPCPU_ENTER(hipDeviceGetP2PAttribute);
	if (!value)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!exists(device) || !exists(peer) || device == peer)
		HIPCPU_LEAVE(hipErrorInvalidDevice);
	switch (attribute) {
	case hipDevP2PAttrAccessSupported:
		*value = can_access(device, peer);
		break;
	case hipDevP2PAttrNativeAtomicSupported:
		*value = can_access(device, peer) && !(hipcpu_config()->no_atomics[device] >> peer & 1);
		break;
	case hipDevP2PAttrPerformanceRank:
	case hipDevP2PAttrHipArrayAccessSupported:
		*value = 0;
		break;
	default:
		HIPCPU_LEAVE(hipErrorInvalidValue);
	}
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	HIPCPU_ENTER(hipDeviceGetStreamPriorityRange);
	if (least)
		*least = 0;
	if (greatest)
		*greatest = 0;
	HIPCPU_LEAVE(hipSuccess);
}
