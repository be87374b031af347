/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* rocm: no, HIP 5.2 has no virtual memory */
/* env: GSHMEM_CPU_HOST_ACCESS=1 | GSHMEM_CPU_HOST_ACCESS=0 | GSHMEM_CPU_HOST_ACCESS=mprotect */
/*
 * Virtual memory: adjacent mappings form one range, memory mapped at two places is the same,
 * and wrong calls return errors.
 */
#include <hip/hip_runtime.h>
#include <unistd.h>

#include "../helpers.h"
#include "../virtual.h"

__global__ void write_kernel(int *first, int *last)
{
	*first = 5;
	*last = 6;
}

static int read_int(const void *at)
{
	int value;

	t_hip(hipMemcpy(&value, at, sizeof(value), hipMemcpyDeviceToHost));
	return value;
}

static void allow(void *base, size_t nbytes, hipMemAccessFlags flags)
{
	hipMemAccessDesc desc;

	memset(&desc, 0, sizeof(desc));
	desc.location = t_virtual_prop(hipMemHandleTypeNone).location;
	desc.flags = flags;
	t_hip(hipMemSetAccess(base, nbytes, &desc, 1));
}

static void test_range(void)
{
	struct t_virtual v = t_virtual_make(3, hipMemHandleTypeNone);
	hipMemLocation location = t_virtual_prop(hipMemHandleTypeNone).location;
	int *const last = (int *)(v.base + v.nbytes) - 1;
	unsigned long long flags = 0;
	hipDeviceptr_t start;
	size_t nbytes;

	hipLaunchKernelGGL(write_kernel, dim3(1), dim3(1), 0, 0, (int *)v.base, last);
	t_hip(hipDeviceSynchronize());
	t_equal(read_int(v.base), 5, "the first piece");
	t_equal(read_int(last), 6, "the last piece");
	t_hip(hipMemset(v.base + v.piece_nbytes[0] - 2, 1, 4)); /* across the border of two pieces */
	t_equal(read_int(v.base + v.piece_nbytes[0] - 4), 0x01010000, "in front of the border");
	t_equal(read_int(v.base + v.piece_nbytes[0]), 0x0101, "behind the border");
	t_hip(hipMemGetAddressRange(&start, &nbytes, (hipDeviceptr_t)(v.base + v.piece_nbytes[0] + 17)));
	t_check((char *)start == v.base + v.piece_nbytes[0] && nbytes == v.piece_nbytes[1],
		"the range of the second piece");
	t_hip(hipMemGetAccess(&flags, &location, v.base));
	t_equal(flags, hipMemAccessFlagsProtReadWrite, "access");
	t_virtual_free(&v);
	t_check(hipMemGetAccess(&flags, &location, v.base) != hipSuccess, "access to what is gone");
}

/* The same memory twice, once by its descriptor. */
static void test_twice(void)
{
	const hipMemAllocationProp prop = t_virtual_prop(hipMemHandleTypePosixFileDescriptor);
	const size_t granule = t_virtual_granule();
	hipMemGenericAllocationHandle_t handle, again;
	hipMemAllocationProp found;
	void *base;
	int fd;

	t_hip(hipMemAddressReserve(&base, 2 * granule, 0, NULL, 0));
	t_hip(hipMemCreate(&handle, granule, &prop, 0));
	t_hip(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0));
	if (hipMemImportFromShareableHandle(&again, &fd, hipMemHandleTypePosixFileDescriptor) !=
		hipSuccess) /* from HIP 7.1 on: */
		t_hip(hipMemImportFromShareableHandle(
			&again, (void *)(uintptr_t)fd, hipMemHandleTypePosixFileDescriptor));
	close(fd);
	t_hip(hipMemGetAllocationPropertiesFromHandle(&found, again));
	t_equal(found.location.id, prop.location.id, "the device of a descriptor");
	t_hip(hipMemMap(base, granule, 0, handle, 0));
	t_hip(hipMemMap((char *)base + granule, granule, 0, again, 0));
	t_check(hipMemMap((char *)base + granule, granule, 0, handle, 0) != hipSuccess,
		"mapped where there is a mapping");
	t_hip(hipMemRelease(handle));
	t_hip(hipMemRelease(again));
	allow(base, 2 * granule, hipMemAccessFlagsProtReadWrite);
	hipLaunchKernelGGL(write_kernel, dim3(1), dim3(1), 0, 0, (int *)base, (int *)base + 1);
	t_hip(hipDeviceSynchronize());
	t_equal(read_int((char *)base + granule), 5, "the second mapping");
	t_hip(hipMemUnmap(base, granule));
	t_equal(read_int((char *)base + granule + 4), 6, "the second mapping, alone");
	t_check(hipMemAddressFree(base, 2 * granule) != hipSuccess, "addresses freed under a mapping");
	t_hip(hipMemUnmap((char *)base + granule, granule));
	t_hip(hipMemAddressFree(base, 2 * granule));
}

static void test_errors(void)
{
	const hipMemAllocationProp prop = t_virtual_prop(hipMemHandleTypeNone);
	struct t_virtual v = t_virtual_make(2, hipMemHandleTypeNone);
	const size_t granule = t_virtual_granule();
	hipMemGenericAllocationHandle_t handle;
	void *base, *plain;
	hipError_t error;
	int fd;

	t_equal(hipMemAddressReserve(&base, granule + 1, 0, NULL, 0), hipErrorInvalidValue,
		"part of a granule");
	t_equal(hipMemAddressReserve(&base, granule, 3, NULL, 0), hipErrorInvalidValue, "alignment");
	t_equal(hipMemCreate(&handle, granule - 1, &prop, 0), hipErrorInvalidValue, "part of a granule");
	t_equal(hipMemCreate(&handle, granule, NULL, 0), hipErrorInvalidValue, "no properties");
	t_hip(hipMalloc(&plain, granule));
	t_hip(hipMemCreate(&handle, granule, &prop, 0));
	t_equal(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0),
		hipErrorInvalidValue, "export of what has no descriptor");
	t_equal(hipMemMap(plain, granule, 0, handle, 0), hipErrorInvalidValue,
		"mapped where nothing is reserved");
	error = hipMemMap(v.base, granule, granule, handle, 0);
	t_check(error == hipErrorInvalidValue || error == hipErrorNotSupported, /* of CUDA */
		"an offset was accepted: %d", (int)error);
	t_check(hipMemUnmap(v.base, v.piece_nbytes[0] + v.piece_nbytes[1] / 2) != hipSuccess,
		"unmapped part of a mapping");
	t_check(hipFree(v.base) != hipSuccess, "hipFree of virtual memory");
	t_hip(hipMemRelease(handle));
	t_hip(hipFree(plain));
	t_virtual_free(&v);
}

int main(void)
{
	t_virtual_needed();
	test_range();
	test_twice();
	test_errors();
	return 0;
}
