/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what HIP's calls answer, a line each, so that two runtimes can be compared: hip_calls.sh rocm
 * compares the simulator's libamdhip64 with AMD's. Each group of calls has a process of its own, because some
 * runtimes abort where others return an error. hip_answers FILE: a code object of hsa_kernels.c.
 */
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A call and its answer; a value. */
#define ASK(call)   printf("%s %s: %s\n", group, #call, hipGetErrorName(call))
#define SHOW(value) printf("%s %s: %lld\n", group, #value, (long long)(value))
/* A call that must succeed, for the group to make sense. */
#define MUST(call)  must(call, #call)

static const char *group, *code_object;

static void must(hipError_t error, const char *call)
{
	if (error == hipSuccess)
		return;
	printf("%s %s: %s, which is the end of the group\n", group, call, hipGetErrorName(error));
	exit(0);
}

/* ---- memory ---- */

static void free_memory(void)
{
	char *device, *pinned, *gone;

	MUST(hipMalloc((void **)&device, 10000));
	MUST(hipMalloc((void **)&gone, 10000));
	MUST(hipHostMalloc((void **)&pinned, 8192, 0));
	MUST(hipFree(gone));
	ASK(hipFree(NULL));
	ASK(hipHostFree(NULL));
	ASK(hipFree(gone));
	ASK(hipHostFree(pinned + 64));
	ASK(hipHostFree(pinned));
	ASK(hipFree(device));
}

static void free_interior(void)
{
	char *device;

	MUST(hipMalloc((void **)&device, 10000));
	ASK(hipFree(device + 64));
}

static void free_by_the_other(void)
{
	void *device, *pinned;

	MUST(hipMalloc(&device, 10000));
	MUST(hipHostMalloc(&pinned, 8192, 0));
	ASK(hipFree(pinned));
	ASK(hipHostFree(device));
}

static void allocate(void)
{
	void *p;

	ASK(hipMalloc(NULL, 5));
	ASK(hipMalloc(&p, 0));
	ASK(hipMalloc(&p, (size_t)1 << 50));
	ASK(hipExtMallocWithFlags(&p, 8192, hipDeviceMallocFinegrained));
	ASK(hipExtMallocWithFlags(&p, 8192, 3)); /* uncached, since ROCm 5.5 */
	ASK(hipExtMallocWithFlags(&p, 8192, 99));
	ASK(hipHostMalloc(NULL, 5, 0));
	ASK(hipHostMalloc(&p, 0, 0));
	ASK(hipHostMalloc(&p, 4096, 0x100));
	ASK(hipMallocManaged(&p, 0, hipMemAttachGlobal));
	ASK(hipMallocManaged(&p, 4096, 7));
}

static void pinned_flags(void)
{
	static const unsigned asked[] = {0, hipHostMallocPortable, hipHostMallocMapped, hipHostMallocCoherent,
		hipHostMallocNonCoherent,
		hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent};
	unsigned flags, i;
	void *p;

	for (i = 0; i < sizeof asked / sizeof *asked; i++) {
		MUST(hipHostMalloc(&p, 4096, asked[i]));
		MUST(hipHostGetFlags(&flags, p));
		printf("%s of hipHostMalloc with %#x: %#x\n", group, asked[i], flags);
	}
}

static void registered(void)
{
	char *plain = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hipPointerAttribute_t attributes;

	ASK(hipHostRegister(NULL, 100, 0));
	ASK(hipHostRegister(plain + 49152, 0, 0));
	ASK(hipHostRegister(plain, 8192, 16));
	ASK(hipHostRegister(plain, 8192, hipHostRegisterDefault));
	ASK(hipPointerGetAttributes(&attributes, plain + 50));
	SHOW(attributes.memoryType == hipMemoryTypeHost);
	ASK(hipHostRegister(plain, 8192, hipHostRegisterDefault));
	ASK(hipHostUnregister(plain));
	ASK(hipHostUnregister(NULL));
}

static void unregister_interior(void)
{
	char *plain = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MUST(hipHostRegister(plain, 8192, hipHostRegisterDefault));
	ASK(hipHostUnregister(plain + 64));
}

static void attributes(void)
{
	hipPointerAttribute_t attributes;
	char *device, *pinned, plain[64];
	hipDeviceptr_t base;
	size_t nbytes;

	MUST(hipMalloc((void **)&device, 10000));
	MUST(hipHostMalloc((void **)&pinned, 8192, 0));
	ASK(hipPointerGetAttributes(&attributes, device + 50));
	SHOW(attributes.memoryType == hipMemoryTypeDevice);
	SHOW((char *)attributes.devicePointer - device);
	ASK(hipPointerGetAttributes(&attributes, pinned + 50));
	SHOW(attributes.memoryType == hipMemoryTypeHost);
	ASK(hipPointerGetAttributes(&attributes, plain));
	ASK(hipPointerGetAttributes(&attributes, NULL));
	ASK(hipMemGetAddressRange(&base, &nbytes, device + 50));
	SHOW((char *)base - device);
	SHOW(nbytes);
	ASK(hipMemGetAddressRange(&base, &nbytes, plain));
}

/* ---- copies ---- */

static void copy(void)
{
	char *device, *other, plain[20000] = "";

	MUST(hipMalloc((void **)&device, 10000));
	MUST(hipMalloc((void **)&other, 10000));
	ASK(hipMemcpy(device, plain, 10000, hipMemcpyHostToDevice));
	ASK(hipMemcpy(device, plain, 10001, hipMemcpyHostToDevice));
	ASK(hipMemcpy(device, plain, 20000, hipMemcpyHostToDevice));
	ASK(hipMemcpy(plain, device, 20000, hipMemcpyDeviceToHost));
	ASK(hipMemcpy(device, plain, 100, hipMemcpyDeviceToHost));
	ASK(hipMemcpy(plain, device, 100, hipMemcpyHostToDevice));
	ASK(hipMemcpy(plain, plain + 200, 100, hipMemcpyHostToHost));
	ASK(hipMemcpy(plain, plain + 200, 100, hipMemcpyDefault));
	ASK(hipMemcpy(plain, plain + 200, 100, hipMemcpyDeviceToDevice));
	ASK(hipMemcpy(device, plain, 100, (hipMemcpyKind)5));
	ASK(hipMemcpy(NULL, plain, 100, hipMemcpyHostToDevice));
	ASK(hipMemcpy(device, NULL, 100, hipMemcpyHostToDevice));
	ASK(hipMemcpy(NULL, NULL, 0, hipMemcpyDefault));
	ASK(hipMemcpyDtoD(device, other, 20000));
	ASK(hipMemset(device, 0, 10001));
	ASK(hipMemset(device, 0, 20000));
	ASK(hipMemset(plain, 0, 100));
	ASK(hipMemset(NULL, 0, 100));
	ASK(hipMemsetD32(device, 5, 2500));
	ASK(hipMemsetD32(device, 5, 5000));
	ASK(hipMemcpy2D(device, 100, plain, 200, 100, 100, hipMemcpyHostToDevice));
	ASK(hipMemcpy2D(device, 100, plain, 100, 100, 102, hipMemcpyHostToDevice));
	ASK(hipMemcpy2D(device, 99, plain, 200, 100, 10, hipMemcpyHostToDevice));
	ASK(hipMemcpy2D(device, 100, other, 100, 90, 0, hipMemcpyDeviceToDevice));
}

/* ---- errors, devices and peers ---- */

static void last_error(void)
{
	int n;

	(void)hipGetLastError();
	ASK(hipMalloc(NULL, 5));
	ASK(hipPeekAtLastError());
	ASK(hipGetLastError());
	ASK(hipPeekAtLastError());
	(void)hipMalloc(NULL, 5);
	MUST(hipGetDevice(&n));
	printf("%s after a call that succeeds: %s\n", group, hipGetErrorName(hipPeekAtLastError()));
}

static void devices(void)
{
	int n, atomics = -7;

	ASK(hipGetDeviceCount(&n));
	SHOW(n);
	ASK(hipGetDeviceCount(NULL));
	ASK(hipSetDevice(-1));
	ASK(hipSetDevice(99));
	ASK(hipDeviceCanAccessPeer(&n, 0, 1));
	SHOW(n);
	ASK(hipDeviceCanAccessPeer(&n, 0, 0));
	SHOW(n);
	ASK(hipDeviceCanAccessPeer(&n, 0, 9));
	ASK(hipDeviceEnablePeerAccess(1, 0));
	ASK(hipDeviceEnablePeerAccess(1, 0));
	ASK(hipDeviceEnablePeerAccess(1, 1));
	ASK(hipDeviceEnablePeerAccess(9, 0));
	ASK(hipDeviceDisablePeerAccess(1));
	ASK(hipDeviceDisablePeerAccess(1));
	ASK(hipDeviceGetP2PAttribute(&atomics, hipDevP2PAttrNativeAtomicSupported, 0, 1));
	SHOW(atomics != 0);
	ASK(hipDeviceGetP2PAttribute(&atomics, hipDevP2PAttrNativeAtomicSupported, 0, 9));
}

static void device_attributes(void)
{
	static const struct {
		const char *name;
		hipDeviceAttribute_t attribute;
	} some[] = {{"warp size", hipDeviceAttributeWarpSize},
		{"threads of a block", hipDeviceAttributeMaxThreadsPerBlock},
		{"cooperative launch", hipDeviceAttributeCooperativeLaunch},
		{"memory of the host", hipDeviceAttributeCanMapHostMemory},
		{"large bar", hipDeviceAttributeIsLargeBar}};
	unsigned i;
	int value;

	for (i = 0; i < sizeof some / sizeof *some; i++) {
		value = -7;
		printf("%s %s: %s", group, some[i].name,
			hipGetErrorName(hipDeviceGetAttribute(&value, some[i].attribute, 0)));
		printf(", %d\n", value);
	}
	ASK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 9));
}

/* ---- kernels ---- */

static hipFunction_t find_kernel(const char *name, hipModule_t *module_p)
{
	hipFunction_t kernel;

	MUST(hipModuleLoad(module_p, code_object));
	MUST(hipModuleGetFunction(&kernel, *module_p, name));
	return kernel;
}

/* The kernel store, with so many work-groups, threads, and bytes of LDS. */
#define LAUNCH(GROUPS, THREADS, LDS) \
	ASK(hipModuleLaunchKernel(store, GROUPS, 1, 1, THREADS, 1, 1, LDS, NULL, arguments, NULL))

static void launch(void)
{
	hipModule_t module;
	const hipFunction_t store = find_kernel("store", &module);
	unsigned *memory, value = 7, got[2];
	void *arguments[] = {&memory, &value};

	MUST(hipMalloc((void **)&memory, 8192));
	LAUNCH(1, 64, 0);
	MUST(hipMemcpy(got, memory, sizeof got, hipMemcpyDeviceToHost));
	SHOW(got[0]);
	SHOW(got[1]);
	LAUNCH(0, 64, 0);
	LAUNCH(1, 0, 0);
	LAUNCH(1, 1025, 0);
	LAUNCH(1, 64, 70000);
	ASK(hipDeviceSynchronize());
}

static void modules(void)
{
	hipModule_t module, other;
	hipFunction_t kernel = find_kernel("store", &module);
	char junk[64] = "no code object here";
	hipDeviceptr_t address;
	size_t nbytes;

	ASK(hipModuleGetFunction(&kernel, module, "nothing"));
	ASK(hipModuleGetFunction(&kernel, module, NULL));
	ASK(hipModuleGetGlobal(&address, &nbytes, module, "nothing"));
	ASK(hipModuleLoadData(&other, junk));
	ASK(hipModuleLoadData(&other, NULL));
	ASK(hipModuleLoad(&other, "/nonexistent"));
	ASK(hipModuleUnload(module));
	ASK(hipModuleUnload(module));
}

/* ---- streams and events ---- */

static void streams(void)
{
	int lowest = -7, highest = -7;
	hipEvent_t event, other;
	hipStream_t stream;
	float ms;

	ASK(hipDeviceGetStreamPriorityRange(&lowest, &highest));
	SHOW(lowest > highest);
	ASK(hipStreamCreateWithFlags(&stream, 77));
	ASK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -9));
	ASK(hipStreamQuery(stream));
	ASK(hipEventCreateWithFlags(&event, 77));
	ASK(hipEventCreateWithFlags(&event, hipEventInterprocess));
	ASK(hipEventCreate(&event));
	ASK(hipEventCreate(&other));
	ASK(hipEventQuery(event));
	ASK(hipEventElapsedTime(&ms, event, other));
	ASK(hipEventRecord(event, stream));
	ASK(hipEventSynchronize(event));
	ASK(hipStreamWaitEvent(stream, NULL, 0));
	ASK(hipStreamDestroy(stream));
	ASK(hipEventDestroy(event));
	ASK(hipEventDestroy(NULL));
}

/* ---- memory of another process ---- */

static void open_it(const char *from, hipIpcMemHandle_t handle)
{
	char *first = NULL, *second = NULL, word[5] = "";

	group = from;
	ASK(hipIpcOpenMemHandle((void **)&first, handle, hipIpcMemLazyEnablePeerAccess));
	MUST(hipMemcpy(word, first, 4, hipMemcpyDeviceToHost));
	printf("%s finds: %s\n", group, word);
	ASK(hipIpcOpenMemHandle((void **)&second, handle, hipIpcMemLazyEnablePeerAccess));
	SHOW(first == second);
	ASK(hipIpcOpenMemHandle((void **)&second, handle, 77));
	ASK(hipIpcCloseMemHandle(first + 4096));
	ASK(hipIpcCloseMemHandle(first));
	ASK(hipIpcCloseMemHandle(word));
}

static void ipc(void)
{
	hipIpcMemHandle_t handle, interior;
	int handles[2], done[2], plain;
	char *memory, byte;
	void *mapped;

	if (pipe(handles) || pipe(done))
		exit(1);
	fflush(stdout);
	if (!fork()) { /* before the first call of HIP */
		if (read(handles[0], &handle, sizeof handle) != sizeof handle ||
			read(handles[0], &interior, sizeof interior) != sizeof interior)
			exit(1);
		open_it("opens", handle);
		open_it("opens a handle of an interior pointer", interior);
		fflush(stdout);
		_exit(write(done[1], "d", 1) != 1);
	}
	MUST(hipMalloc((void **)&memory, 1 << 20));
	MUST(hipMemcpy(memory, "base", 4, hipMemcpyHostToDevice));
	MUST(hipMemcpy(memory + 8192, "8192", 4, hipMemcpyHostToDevice));
	MUST(hipDeviceSynchronize());
	ASK(hipIpcGetMemHandle(&handle, &plain));
	ASK(hipIpcGetMemHandle(&handle, memory));
	memset(&interior, 0, sizeof interior);
	ASK(hipIpcGetMemHandle(&interior, memory + 8192));
	ASK(hipIpcOpenMemHandle(&mapped, handle, hipIpcMemLazyEnablePeerAccess));
	fflush(stdout);
	if (write(handles[1], &handle, sizeof handle) < 0 ||
		write(handles[1], &interior, sizeof interior) < 0 || read(done[0], &byte, 1) != 1)
		exit(1);
	wait(NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {{"allocate", allocate}, {"free", free_memory}, {"free inside", free_interior},
	{"free by the other call", free_by_the_other}, {"flags", pinned_flags}, {"register", registered},
	{"unregister inside", unregister_interior}, {"attributes", attributes}, {"copy", copy},
	{"last error", last_error}, {"devices", devices}, {"device attribute", device_attributes},
	{"launch", launch}, {"modules", modules}, {"streams", streams}, {"ipc", ipc}};

int main(int argc, char **argv)
{
	unsigned i;
	int status;
	pid_t pid;

	code_object = argc > 1 ? argv[1] : "";
	for (i = 0; i < sizeof groups / sizeof *groups; i++) {
		group = groups[i].name;
		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			setvbuf(stdout, NULL, _IOLBF, 0);
			groups[i].run();
			fflush(stdout);
			_exit(0); /* without HIP's handlers of exit */
		}
		if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
			printf("%s: ends by %s\n", group, strsignal(WTERMSIG(status)));
	}
	return 0;
}
