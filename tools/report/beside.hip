/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of CUDA's or HIP's calls finish while a kernel fills the GPU and waits for the host, and whether the
 * first launch of a kernel waits for one that runs. gshmem's host calls rest on those that finish
 * (docs/launch.md). It uses neither the library nor MPI: a forked process exports memory as a peer does.
 *
 *   beside [PASSES [THREADS]]   2 passes, because the driver may load kernels of its own in the first; and
 *                               blocks of 1024 threads
 *
 * Prints lines of "call, finishes or waits, microseconds in the call", with tabs between them.
 */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call) check(call, #call)
#define PATIENCE_S  0.4

static void check(hipError_t error, const char *call)
{
	if (error == hipSuccess)
		return;
	fprintf(stderr, "beside: %s: %s\n", call, hipGetErrorString(error));
	exit(1);
}

/* Ends when the host says so, or by itself after 2^30 ticks, half a second. */
__global__ static void fill(int *go, int *nstarted)
{
	const long long began = clock64();

	if (threadIdx.x == 0)
		atomicAdd_system(nstarted, 1);
	while (!__hip_atomic_load(go, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
		if (clock64() - began > 1ll << 30)
			break;
}

__global__ static void loaded(int *p)
{
	*p = 1;
}
__global__ static void first(int *p)
{
	*p = 2;
}
__global__ static void asked_first(int *p)
{
	*p = 3;
}

static volatile int *go, *nstarted; /* in the host's memory */
static hipStream_t filled, stream;
static int nblocks, nthreads;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Make the call, which may put work into stream, beside a kernel of nblocks blocks. */
template <typename F> static void attempt(const char *what, F call)
{
	double began = now_s(), in_call;
	hipError_t state = hipErrorNotReady;

	*go = 0;
	*nstarted = 0;
	__sync_synchronize();
	hipLaunchKernelGGL(fill, dim3(nblocks), dim3(nthreads), 0, filled, (int *)go, (int *)nstarted);
	CHECK(hipPeekAtLastError());
	while (*nstarted < nblocks && now_s() - began < 2)
		;
	if (*nstarted < nblocks)
		printf("# %d of %d blocks have started\n", *nstarted, nblocks);
	began = now_s();
	call();
	in_call = now_s() - began;
	while (state == hipErrorNotReady && now_s() - began < PATIENCE_S)
		state = hipStreamQuery(stream);
	printf("%s\t%s\t%.0f\n", what, state == hipSuccess && in_call < PATIENCE_S ? "finishes" : "waits",
		in_call * 1e6);
	fflush(stdout);
	*go = 1;
	__sync_synchronize();
	CHECK(hipDeviceSynchronize());
}

static void copy(const char *what, void *dest, const void *source, size_t nbytes)
{
	attempt(what, [&] { CHECK(hipMemcpyAsync(dest, source, nbytes, hipMemcpyDefault, stream)); });
}

/* Shows its memory to the other process, until that has ended. */
static int export_memory(int out, int in, size_t nbytes)
{
	hipIpcMemHandle_t handle;
	char *memory, ended;

	CHECK(hipMalloc((void **)&memory, nbytes));
	CHECK(hipMemset(memory, 0, nbytes));
	CHECK(hipDeviceSynchronize());
	CHECK(hipIpcGetMemHandle(&handle, memory));
	if (write(out, &handle, sizeof handle) != (ssize_t)sizeof handle)
		return 1;
	return read(in, &ended, 1) < 0;
}

static void try_all(char *device, char *other, char *peer, char *pinned, char *pageable, size_t nbytes)
{
	copy("host to device, pinned, 8 B", device, pinned, 8);
	copy("host to device, pinned, 64 MiB", device, pinned, nbytes);
	copy("device to host, pinned, 64 MiB", pinned, device, nbytes);
	copy("host to device, pageable, 8 B", device, pageable, 8);
	copy("host to peer, pinned, 8 B", peer, pinned, 8);
	copy("host to peer, pinned, 64 MiB", peer, pinned, nbytes);
	copy("device to device, one process, 8 B", device, other, 8);
	copy("device to device, one process, 64 KiB", device, other, 65536);
	copy("device to device, one process, 64 MiB", device, other, nbytes);
	copy("device to peer on this GPU, 8 B", peer, other, 8);
	copy("device to peer on this GPU, 64 KiB", peer, other, 65536);
	copy("device to peer on this GPU, 64 MiB", peer, other, nbytes);
	attempt("memset, 64 MiB", [&] { CHECK(hipMemsetAsync(device, 0, nbytes, stream)); });
	attempt("2D copy, host to device", [&] {
		CHECK(hipMemcpy2DAsync(device, 512, pinned, 256, 64, 1024, hipMemcpyDefault, stream));
	});
	attempt("2D copy, device to peer",
		[&] { CHECK(hipMemcpy2DAsync(peer, 512, other, 256, 64, 1024, hipMemcpyDefault, stream)); });
}

/* Beside one block: whatever waits now waits for no room. */
static void try_with_room(int *word, char *peer, hipIpcMemHandle_t handle)
{
	hipFuncAttributes attributes;
	void *memory;

	nblocks = 1;
	attempt("a kernel that is loaded, with room",
		[&] { hipLaunchKernelGGL(loaded, dim3(1), dim3(1), 0, stream, word); });
	attempt("the first launch of a kernel, with room",
		[&] { hipLaunchKernelGGL(first, dim3(1), dim3(1), 0, stream, word); });
	attempt("hipFuncGetAttributes of a new kernel",
		[&] { CHECK(hipFuncGetAttributes(&attributes, (const void *)asked_first)); });
	attempt("hipMalloc", [&] { CHECK(hipMalloc(&memory, 1 << 20)); });
	attempt("hipHostMalloc", [&] { CHECK(hipHostMalloc(&memory, 1 << 20, hipHostMallocMapped)); });
	attempt("hipIpcCloseMemHandle", [&] { CHECK(hipIpcCloseMemHandle(peer)); });
	attempt("hipIpcOpenMemHandle",
		[&] { CHECK(hipIpcOpenMemHandle((void **)&peer, handle, hipIpcMemLazyEnablePeerAccess)); });
	CHECK(hipIpcCloseMemHandle(peer));
}

int main(int argc, char **argv)
{
	const int npasses = argc > 1 ? atoi(argv[1]) : 2;
	const size_t nbytes = (size_t)64 << 20;
	const char *loading = getenv("CUDA_MODULE_LOADING");
	char *device, *other, *peer, *pinned, *pageable = (char *)calloc(1, nbytes);
	int *flags, up[2], down[2], lowest, highest, status = 0;
	hipIpcMemHandle_t handle;
	hipFuncAttributes attributes;

	nthreads = argc > 2 ? atoi(argv[2]) : 1024;
	if (!pageable || pipe(up) || pipe(down))
		return 1;
	if (fork() == 0) {
		close(down[1]); /* the end of the first process is the end of this pipe */
		return export_memory(up[1], down[0], nbytes);
	}
	close(up[1]);
	if (read(up[0], &handle, sizeof handle) != (ssize_t)sizeof handle) {
		fprintf(stderr, "beside: the other process has no memory\n");
		return 1;
	}
	CHECK(hipDeviceGetAttribute(&nblocks, hipDeviceAttributeMultiprocessorCount, 0));
	nblocks *= 2;
	CHECK(hipMalloc((void **)&device, nbytes));
	CHECK(hipMalloc((void **)&other, nbytes));
	CHECK(hipMemset(device, 0, nbytes));
	CHECK(hipMemset(other, 0, nbytes));
	CHECK(hipHostMalloc((void **)&pinned, nbytes, hipHostMallocMapped));
	CHECK(hipHostMalloc((void **)&flags, 4096, hipHostMallocMapped));
	memset(flags, 0, 4096);
	go = flags;
	nstarted = flags + 64;
	CHECK(hipDeviceGetStreamPriorityRange(&lowest, &highest));
	CHECK(hipStreamCreateWithFlags(&filled, hipStreamNonBlocking));
	CHECK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, highest));
	CHECK(hipIpcOpenMemHandle((void **)&peer, handle, hipIpcMemLazyEnablePeerAccess));
	CHECK(hipFuncGetAttributes(&attributes, (const void *)fill));
	CHECK(hipFuncGetAttributes(&attributes, (const void *)loaded));
	CHECK(hipDeviceSynchronize());

	printf("# %d blocks of %d threads; CUDA_MODULE_LOADING=%s\n", nblocks, nthreads,
		loading ? loading : "");
	for (int pass = 1; pass <= npasses; pass++) {
		printf("# pass %d\n", pass);
		try_all(device, other, peer, pinned, pageable, nbytes);
	}
	try_with_room(flags + 128, peer, handle);
	close(down[1]);
	wait(&status);
	return status != 0;
}
