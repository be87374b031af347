/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* Allocations of each kind can be used, have the right attributes, and are refused and freed as HIP says. */
#include <hip/hip_runtime_api.h>
#include <string.h>

#include "../helpers.h"

#ifdef __HIP_PLATFORM_CPU__
#define IS_CPU 1
#else
#define IS_CPU 0
#endif
#ifdef __HIP_PLATFORM_AMD__
#define IS_AMD 1
#else
#define IS_AMD 0
#endif

/* HIP before 6 has another name for it. */
#if defined(__HIP_PLATFORM_AMD__) && HIP_VERSION_MAJOR < 6
#define TYPE memoryType
#else
#define TYPE type
#endif

static void kinds(void)
{
	hipPointerAttribute_t attr;
	hipDeviceptr_t base;
	char *device, *host, *mapped, plain[64];
	uint64_t id = 0, inside = 0, other = 0;
	size_t nbytes;
	void *p;

	t_hip(hipMalloc((void **)&device, 1000));
	t_hip(hipPointerGetAttributes(&attr, device + 999));
	t_equal(attr.TYPE, hipMemoryTypeDevice, "type of device memory");
	t_equal(attr.device, 0, "its device");
	t_check(attr.devicePointer == device + 999, "its device pointer");
	t_hip(hipMemGetAddressRange(&base, &nbytes, device + 5));
	t_check(base == device && nbytes == 1000, "address range");

	t_hip(hipPointerGetAttribute(&id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, device));
	t_hip(hipPointerGetAttribute(&inside, HIP_POINTER_ATTRIBUTE_BUFFER_ID, device + 999));
	t_hip(hipMalloc(&p, 1000));
	t_hip(hipPointerGetAttribute(&other, HIP_POINTER_ATTRIBUTE_BUFFER_ID, p));
	t_hip(hipFree(p));
	t_check(id && id == inside && id != other, "ids of allocations: %d, %d inside, %d of another",
		(int)id, (int)inside, (int)other);

	t_hip(hipHostMalloc((void **)&host, 1000, hipHostMallocMapped));
	memset(host, 3, 1000);
	t_hip(hipPointerGetAttributes(&attr, host));
	t_equal(attr.TYPE, hipMemoryTypeHost, "type of host memory");
	t_hip(hipHostGetDevicePointer(&p, host, 0));

	t_hip(hipHostRegister(plain, sizeof(plain), hipHostRegisterDefault));
	if (!IS_AMD) /* which allows it */
		t_equal(hipHostRegister(plain + 1, 1, 0), hipErrorHostMemoryAlreadyRegistered,
			"registered twice");
	t_hip(hipHostGetDevicePointer((void **)&mapped, plain, 0));
	t_hip(hipHostUnregister(plain));
	t_equal(hipHostUnregister(plain), hipErrorHostMemoryNotRegistered, "unregistered twice");

	t_hip(hipMemcpy(device, host, 1000, hipMemcpyHostToDevice));
	memset(host, 0, 1000);
	t_hip(hipMemcpy(host, device, 1000, hipMemcpyDeviceToHost));
	t_check(host[0] == 3 && host[999] == 3, "copied there and back");
	t_hip(hipMemset(device, 0x55, 1000));
	t_hip(hipMemsetD32(device + 4, 0x01020304, 2));
	t_hip(hipMemcpyDtoH(host, device, 16));
	t_check(host[3] == 0x55 && host[4] == 4 && host[11] == 1 && host[12] == 0x55, "filled");
	t_hip(hipMemcpy2D(device, 10, host, 4, 3, 2, hipMemcpyHostToDevice));
	t_hip(hipMemcpy(plain, device, 20, hipMemcpyDefault));
	t_check(plain[10] == host[4] && plain[12] == host[6] && plain[13] == 0x55, "copied in rows");

	t_equal(hipMemcpy(plain, device + 990, 11, hipMemcpyDefault), hipErrorInvalidValue,
		"copied past the end");
	t_equal(hipMemcpy(device + 990, plain, 11, hipMemcpyDefault), hipErrorInvalidValue,
		"copied past the end");
	t_equal(hipMemcpy2D(device, 500, plain, 4, 4, 4, hipMemcpyDefault), hipErrorInvalidValue,
		"rows past the end");

	if (!IS_AMD) { /* which frees it in both cases */
		t_check(hipFree(device + 8) != hipSuccess, "freed from the middle");
		t_check(hipHostFree(device) != hipSuccess, "freed as host memory");
	}
	t_hip(hipFree(device));
	t_check(hipFree(device) != hipSuccess, "freed twice");
	(void)hipGetLastError();
	t_hip(hipFree(NULL));
	t_hip(hipHostFree(host));
}

static void amounts(void)
{
	size_t free_bytes, total, after;
	void *p, *many[2000];

	t_hip(hipMemGetInfo(&free_bytes, &total));
	t_check(free_bytes <= total && free_bytes, "free of total");
	t_equal(hipMalloc(&p, total + (1 << 20)), hipErrorOutOfMemory, "more than there is");
	t_equal(hipGetLastError(), hipErrorOutOfMemory, "last error");
	t_equal(hipGetLastError(), hipSuccess, "last error is reset");
	t_hip(hipMalloc(&p, 0));
	t_check(!p, "nothing allocated is NULL");
	t_hip(hipMalloc(&p, (size_t)64 << 20));
	t_check(!IS_CPU || (size_t)p % (2 << 20) == 0, "large allocations are aligned to 2 MiB");
	t_hip(hipMemGetInfo(&after, &total));
	t_check(after < total, "an allocation counts");
	t_hip(hipFree(p));
	for (int i = 0; i < 2000; i++) /* more than the usual limit of open files */
		t_hip(hipMalloc(&many[i], 100));
	for (int i = 0; i < 2000; i++)
		t_hip(hipFree(many[i]));
}

static void devices(void)
{
	char id[32];
	hipUUID uuid;
	hipDeviceProp_t prop;
	int n, d = -1, value;

	t_hip(hipGetDeviceCount(&n));
	t_equal(hipSetDevice(n), hipErrorInvalidDevice, "a device too far");
	t_hip(hipDeviceGetPCIBusId(id, sizeof(id), 0));
	t_hip(hipDeviceGetByPCIBusId(&d, id));
	t_equal(d, 0, "device by bus id");
	t_hip(hipDeviceGetUuid(&uuid, 0));
	t_hip(hipGetDeviceProperties(&prop, 0));
	t_hip(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
	t_equal(value, prop.warpSize, "width of a wave");
}

#ifdef __HIP_PLATFORM_CPU__
/* A register, which a program may write. */
static void flush(void)
{
	volatile uint32_t *reg = NULL;

	t_hip(hipDeviceGetAttribute((int *)(void *)&reg, hipDeviceAttributeHdpMemFlushCntl, 0));
	t_check(reg, "no register to flush by");
	*reg = 1;
}
#endif

int main(void)
{
	t_hip(hipInit(0));
	kinds();
	amounts();
	devices();
#ifdef __HIP_PLATFORM_CPU__
	flush();
#endif
	return 0;
}
