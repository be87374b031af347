/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP calls without kernels behave on the simulator as on ROCm, where tests/platform does not show
 * it: errors, memory and who may touch it, streams and events, memory of another process. Each
 * test runs in its own process.
 */
#include <hip/hip_runtime_api.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define IS(call, error)  is(__LINE__, #call, call, error)
#define OK(call)         IS(call, hipSuccess)
#define CHECK(condition) is(__LINE__, #condition, (condition) ? hipSuccess : hipErrorUnknown, hipSuccess)

static void is(int line, const char *call, hipError_t got, hipError_t want)
{
	if (got != want) {
		fprintf(stderr, "hip_calls.c:%d: %s: %s, not %d\n", line, call, hipGetErrorName(got), want);
		exit(1);
	}
}

static void test_devices(void)
{
	hipDeviceProp_t prop;
	int n;

	OK(hipInit(0));
	IS(hipInit(1), hipErrorInvalidValue);
	IS(hipGetLastError(), hipErrorInvalidValue);
	OK(hipGetLastError());
	OK(hipGetDeviceCount(&n));
	IS(hipSetDevice(n), hipErrorInvalidDevice);
	OK(hipDeviceEnablePeerAccess(1, 0));
	IS(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
	OK(hipDeviceDisablePeerAccess(1));
	IS(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
	OK(hipGetDeviceProperties(&prop, 0));
	CHECK(!strncmp(prop.gcnArchName, "gfx", 3));
	CHECK(!strcmp(hipGetErrorName(hipErrorNoBinaryForGpu), "hipErrorNoBinaryForGpu"));
}

static void test_errors(void)
{
	dim3 one = {1, 1, 1};
	char host[64];
	void *p;

	IS(hipMalloc(NULL, 8), hipErrorInvalidValue);
	IS(hipFree(host), hipErrorInvalidValue);
	IS(hipMalloc(&p, SIZE_MAX), hipErrorOutOfMemory);
	OK(hipMalloc(&p, 100));
	IS(hipMemcpy(p, host, 101, hipMemcpyDefault), hipErrorInvalidValue);
	IS(hipMemcpy(p, host, 1, (hipMemcpyKind)9), hipErrorInvalidMemcpyDirection);
	IS(hipMemcpy2D(p, 3, host, 4, 4, 2, hipMemcpyDefault), hipErrorInvalidPitchValue);
	IS(hipMemset((char *)p + 50, 0, 51), hipErrorInvalidValue);
	OK(hipFree(p));
	IS(hipFree(p), hipErrorInvalidValue);
	IS(hipMemcpy(host, p, 1, hipMemcpyDefault), hipErrorInvalidValue);
	IS(hipModuleLoadData(&(hipModule_t){NULL}, "no code object here at all"), hipErrorInvalidImage);
	IS(hipGetSymbolAddress(&p, host), hipErrorInvalidSymbol);
	IS(hipLaunchKernel(host, one, one, NULL, 0, 0), hipErrorInvalidDeviceFunction);
}

static void test_memory(void)
{
	hipPointerAttribute_t attributes;
	size_t before, after, total;
	char *device, *pinned, *other;
	uint64_t id = 0, other_id = 0;

	OK(hipMemGetInfo(&before, &total));
	OK(hipMalloc((void **)&device, 1 << 20));
	OK(hipMemGetInfo(&after, &total));
	CHECK(before - after == 1 << 20);
	OK(hipHostMalloc((void **)&pinned, 300, hipHostMallocMapped));
	OK(hipPointerGetAttributes(&attributes, device + 7));
	CHECK(attributes.memoryType == hipMemoryTypeDevice && attributes.devicePointer == device + 7);
	OK(hipPointerGetAttribute(&id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, device + 7));
	OK(hipMalloc((void **)&other, 100));
	OK(hipPointerGetAttribute(&other_id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, other));
	OK(hipFree(other));
	CHECK(id && other_id && id != other_id);
	OK(hipMemset(device, 1, 300));
	OK(hipMemsetD32(device + 100, 0x07060504, 2));
	OK(hipMemset2D(device + 200, 10, 9, 3, 4));
	OK(hipMemcpy(pinned, device, 300, hipMemcpyDeviceToHost));
	CHECK(pinned[9] == 1 && pinned[107] == 7);
	CHECK(pinned[199] == 1 && pinned[202] == 9 && pinned[203] == 1 && pinned[230] == 9);
	OK(hipFree(device));
}

/* The host touches device memory: the signal ends the process, and a message says why. */
static void test_guard(void)
{
	char text[500] = "";
	int to_parent[2], status, *device;

	CHECK(!pipe(to_parent));
	if (!fork()) {
		dup2(to_parent[1], 2);
		OK(hipMalloc((void **)&device, 64));
		*(volatile int *)device = 1;
		_exit(0);
	}
	CHECK(wait(&status) > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	CHECK(read(to_parent[0], text, sizeof(text) - 1) > 0 && strstr(text, "touched by the host at 0x2"));
}

static atomic_int naps, allowed; /* a nap does not end before it is allowed to */

static void nap(hipStream_t stream, hipError_t status, void *data)
{
	(void)stream, (void)status, (void)data;
	while (atomic_load(&allowed) == atomic_load(&naps))
		usleep(1000);
	usleep(20000);
	atomic_fetch_add(&naps, 1);
}

static void test_streams(void)
{
	hipStream_t a, b, apart;
	hipEvent_t end;
	int *pinned, status;
	float ms;

	OK(hipStreamCreate(&a));
	OK(hipStreamCreateWithPriority(&b, hipStreamDefault, -7));
	OK(hipStreamCreateWithFlags(&apart, hipStreamNonBlocking));
	OK(hipEventCreate(&end));
	IS(hipEventElapsedTime(&ms, end, end), hipErrorInvalidHandle);
	OK(hipHostMalloc((void **)&pinned, 4096, 0));
	memset(pinned, 0, 4096);

	/* an event holds back another stream; so does the null stream, but not a non-blocking one */
	OK(hipStreamAddCallback(a, nap, NULL, 0));
	OK(hipEventRecord(end, a));
	OK(hipStreamWaitEvent(apart, end, 0));
	IS(hipEventElapsedTime(&ms, end, end), hipErrorNotReady);
	allowed = 2;
	OK(hipStreamSynchronize(apart));
	CHECK(naps == 1);
	OK(hipStreamAddCallback(a, nap, NULL, 0));
	OK(hipMemsetAsync(pinned, 6, 4, NULL));
	OK(hipMemcpyAsync(pinned + 2, pinned, 4, hipMemcpyDefault, b));
	OK(hipStreamSynchronize(b));
	CHECK(naps == 2 && pinned[2] == 0x06060606);
	OK(hipStreamAddCallback(apart, nap, NULL, 0));
	OK(hipMemset(pinned, 0, 4));
	CHECK(naps == 2);
	allowed = 9;
	OK(hipStreamDestroy(apart));
	CHECK(naps == 3);
	IS(hipStreamSynchronize(apart), hipErrorContextIsDestroyed);

	/* a child without HIP ends normally, and exit does not wait for unfinished work */
	OK(hipStreamAddCallback(NULL, nap, NULL, 0));
	if (!fork())
		exit(3);
	CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 3);
	OK(hipDeviceSynchronize());
	CHECK(naps == 4);
	OK(hipStreamAddCallback(a, nap, NULL, 0));
}

static void use_foreign(int from, int to)
{
	hipIpcMemHandle_t handle;
	int *data, *again, got;

	CHECK(read(from, &handle, sizeof(handle)) == sizeof(handle));
	IS(hipIpcOpenMemHandle((void **)&data, handle, 77), hipErrorInvalidValue);
	OK(hipIpcOpenMemHandle((void **)&data, handle, hipIpcMemLazyEnablePeerAccess));
	OK(hipIpcOpenMemHandle((void **)&again, handle, hipIpcMemLazyEnablePeerAccess));
	CHECK(again == data); /* the same mapping, to be closed twice */
	OK(hipMemcpy(&got, data, 4, hipMemcpyDeviceToHost));
	CHECK(got == 71);
	OK(hipMemset(data, 1, 4));
	OK(hipIpcCloseMemHandle(again));
	CHECK(write(to, "w", 1) == 1 && read(from, &got, 1) == 1); /* the memory is freed in between */
	OK(hipIpcCloseMemHandle(data));
	close(2); /* which would report that it is gone */
	IS(hipIpcOpenMemHandle((void **)&data, handle, 0), hipErrorInvalidDevicePointer);
	exit(0);
}

static void test_ipc(void)
{
	int there[2], back[2], status = 71, *data;
	hipIpcMemHandle_t handle;

	CHECK(!pipe(there) && !pipe(back));
	if (!fork())
		use_foreign(there[0], back[1]);
	close(back[1]);
	OK(hipMalloc((void **)&data, 5000));
	OK(hipMemcpy(data, &status, 4, hipMemcpyHostToDevice));
	IS(hipIpcGetMemHandle(&handle, &status), hipErrorInvalidValue);
	OK(hipIpcGetMemHandle(&handle, data + 9)); /* the handle of the allocation */
	IS(hipIpcOpenMemHandle(&(void *){NULL}, handle, 0), hipErrorInvalidContext);
	CHECK(write(there[1], &handle, sizeof(handle)) == sizeof(handle) && read(back[0], &status, 1) == 1);
	OK(hipMemcpy(&status, data, 4, hipMemcpyDeviceToHost));
	CHECK(status == 0x01010101);
	OK(hipFree(data));
	OK(hipMalloc((void **)&data, 5000)); /* closes the descriptor */
	CHECK(write(there[1], "f", 1) == 1 && wait(&status) > 0 && !status);
}

int main(void)
{
	void (*const tests[])(void) = {
		test_devices, test_errors, test_memory, test_guard, test_streams, test_ipc};
	int status = 0;

	for (size_t i = 0; !status && i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (!fork()) {
			tests[i]();
			return 0;
		}
		wait(&status);
	}
	return status != 0;
}
