/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* env: GSHMEM_CPU_HOST_ACCESS=0 */
/* Calls of HIP that are made of others: rows of memory, memory in stream order, timed launches, hints. */
#include <hip/hip_runtime.h>

#include "../helpers.h"

enum { WIDTH = 300, HEIGHT = 5, NTHREADS = 64 };

__global__ static void indices(int *out)
{
	const unsigned i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;

	out[i] = (int)(hipThreadIdx_y + hipThreadIdx_z + hipGridDim_x * 1000 + i);
}

template <typename T> __global__ static void fill(T *out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = (T)i;
}

static void check_rows(void)
{
	unsigned char *rows, *host;
	size_t pitch;

	t_hip(hipMallocPitch(&rows, &pitch, WIDTH, HEIGHT));
	t_check(pitch >= WIDTH && pitch % 256 == 0, "a pitch of %zu", pitch);
	t_hip(hipMemset(rows, 1, pitch * HEIGHT));
	t_hip(hipMemset2D(rows, pitch, 7, WIDTH, HEIGHT));
	host = (unsigned char *)malloc(pitch * HEIGHT);
	t_hip(hipMemcpy(host, rows, pitch * HEIGHT, hipMemcpyDeviceToHost));
	for (size_t y = 0; y < HEIGHT; y++)
		for (size_t x = 0; x < pitch; x++)
			t_equal(host[y * pitch + x], x < WIDTH ? 7 : 1, "a row");
	t_equal(hipMemset2D(rows, WIDTH - 1, 7, WIDTH, HEIGHT), hipErrorInvalidValue, "rows that overlap");
	t_equal(hipMallocPitch(&rows, &pitch, SIZE_MAX - 300, 4), hipErrorInvalidValue, "too many bytes");
	t_hip(hipFree(rows));
	free(host);
}

static void check_launches(void)
{
	hipStream_t stream;
	hipEvent_t start, stop;
	int *out, host[2 * NTHREADS], most, device;
	float ms = -1;

	t_hip(hipStreamCreate(&stream));
	t_hip(hipEventCreate(&start));
	t_hip(hipEventCreate(&stop));
	t_hip(hipMallocAsync(&out, 2 * NTHREADS * sizeof *out, stream));
	t_hip(hipExtLaunchKernelGGL(indices, 2, NTHREADS, 0, stream, start, stop, 0, out));
	t_hip(hipExtLaunchKernelGGL(indices, 2, NTHREADS, 0, stream, nullptr, nullptr, 0, out));
	t_hip(hipEventSynchronize(stop));
	t_hip(hipEventElapsedTime(&ms, start, stop));
	t_check(ms >= 0, "a kernel took %g ms", (double)ms);
	t_hip(hipStreamSynchronize(stream));
	t_hip(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
	for (int i = 0; i < 2 * NTHREADS; i++)
		t_equal(host[i], 2000 + i, "a thread's index");
	t_hip(hipExtLaunchKernelGGL(fill, 1, 1, 0, stream, nullptr, stop, 0, out, 9));
	t_hip(hipEventSynchronize(stop));
	t_hip(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
	t_equal(host[8], 8, "a timed kernel whose arguments are deduced");
	t_hip(hipEventRecordWithFlags(stop, stream, hipEventRecordDefault));
	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&most, hipDeviceAttributeMaxSharedMemoryPerBlock, device));
	t_hip(hipFuncSetAttribute(indices, hipFuncAttributeMaxDynamicSharedMemorySize, most));
	t_equal(hipFuncSetAttribute(indices, hipFuncAttributeMaxDynamicSharedMemorySize, most + 1),
		hipErrorInvalidValue, "more shared memory than there is");
	t_hip(hipFuncSetCacheConfig(indices, hipFuncCachePreferShared));
	t_hip(hipDeviceSetCacheConfig(hipFuncCachePreferL1));
	t_hip(hipFreeAsync(out, stream));
	t_hip(hipEventDestroy(start));
	t_hip(hipEventDestroy(stop));
	t_hip(hipStreamDestroy(stream));
}

int main()
{
	const char *text = nullptr, *name = nullptr;
	hipDeviceProp_t properties;
	size_t nbytes = 0;
	long *pinned;

	check_rows();
	check_launches();
	t_hip(hipHostAlloc(&pinned, sizeof *pinned, hipHostAllocMapped));
	t_hip(hipMemAdvise(pinned, sizeof *pinned, hipMemAdviseSetReadMostly, 0));
	t_hip(hipMemPrefetchAsync(pinned, sizeof *pinned, hipCpuDeviceId, nullptr));
	t_hip(hipFreeHost(pinned));
	t_hip(hipMallocHost(&pinned, sizeof *pinned));
	t_hip(hipFreeHost(pinned));
	t_hip(hipGetDeviceProperties(&properties, 0));
	t_hip(hipDeviceTotalMem(&nbytes, 0));
	t_equal(nbytes, properties.totalGlobalMem, "memory of the device");
	t_hip(hipDrvGetErrorString(hipErrorNotReady, &text));
	t_hip(hipDrvGetErrorName(hipErrorNotReady, &name));
	t_check(!strcmp(text, hipGetErrorString(hipErrorNotReady)) && !strcmp(name, "hipErrorNotReady"),
		"%s: %s", name, text);
	return 0;
}
