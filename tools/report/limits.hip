/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two processes reach without gshmem, by CUDA's or HIP's own calls: the limits that tools/gpu-report
 * sets gshmem's figures beside. It uses neither the library nor MPI: it forks, and the two processes map each
 * other's memory. They use one GPU, or the first two.
 *
 *   limits [ROUNDS]   rounds of a flag, 2000 by default; few where processes take turns on one GPU
 *
 * Prints lines of "name, value, unit, what was timed", with tabs between them.
 */
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call) check(call, #call)
#define LAUNCH(kernel, nblocks, nthreads, ...) \
	hipLaunchKernelGGL(kernel, dim3(nblocks), dim3(nthreads), 0, 0, __VA_ARGS__)

static int process; /* 0: measures; 1: its peer */

static void check(hipError_t error, const char *call)
{
	if (error == hipSuccess)
		return;
	fprintf(stderr, "limits: process %d: %s: %s\n", process, call, hipGetErrorString(error));
	exit(1);
}

/* Relaxed and of system scope, as a flag between processes needs. */
#if defined(__HIP_PLATFORM_NVIDIA__)
__device__ static inline uint64_t load(const uint64_t *p)
{
	uint64_t value;

	asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
	return value;
}
__device__ static inline void store(uint64_t *p, uint64_t value)
{
	asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(p), "l"(value) : "memory");
}
__device__ static inline uint64_t add(uint64_t *p, uint64_t value)
{
	uint64_t old;

	asm volatile("atom.relaxed.sys.global.add.u64 %0, [%1], %2;"
		     : "=l"(old)
		     : "l"(p), "l"(value)
		     : "memory");
	return old;
}
__device__ static inline void fence()
{
	asm volatile("fence.acq_rel.sys;" : : : "memory");
}
#else
__device__ static inline uint64_t load(const uint64_t *p)
{
	return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ static inline void store(uint64_t *p, uint64_t value)
{
	__hip_atomic_store(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ static inline uint64_t add(uint64_t *p, uint64_t value)
{
	return __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ static inline void fence()
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#endif

/* Words of the flag's page: the flag, its payload, and, on the process that measures, whether it gave up. */
enum { FLAG, PAYLOAD, GAVE_UP };

/* A flag with 8 bytes of payload goes to and fro; first says who begins. Gives up after 2^34 ticks. */
__global__ static void bounce(uint64_t *mine, uint64_t *theirs, int first, uint64_t nrounds, uint64_t *result)
{
	const long long began = clock64();

	for (uint64_t i = 1; i <= nrounds; i++) {
		if (first) {
			store(theirs + PAYLOAD, i);
			fence();
			store(theirs + FLAG, i);
		}
		while (load(mine + FLAG) < i)
			if (clock64() - began > 1ll << 34) {
				store(result + GAVE_UP, 1);
				return;
			}
		fence();
		if (!first) {
			store(theirs + PAYLOAD, i);
			fence();
			store(theirs + FLAG, i);
		}
	}
}

__global__ static void store_and_fence(uint64_t *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		store(p, i);
		fence();
	}
}

/* Each addition depends on the one before. */
__global__ static void add_and_add(uint64_t *p, uint64_t n)
{
	uint64_t old = 0;

	for (uint64_t i = 0; i < n; i++)
		old = add(p, (old >> 63) + 1);
}

/* Each address depends on the load before: the words are 0. */
__global__ static void load_and_load(const uint64_t *p, uint64_t n, uint64_t *sink)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < n; i++)
		at = load(p + at);
	store(sink, at);
}

__global__ static void copy(uint4 *dest, const uint4 *source, size_t n)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
		i += (size_t)gridDim.x * blockDim.x)
		dest[i] = source[i];
}

__global__ static void nothing() {}

/* us LAUNCH: how long what it launches takes, the second time. */
template <typename F> static double us(F launch)
{
	hipEvent_t began, ended;
	float ms = 0;

	CHECK(hipEventCreate(&began));
	CHECK(hipEventCreate(&ended));
	for (int i = 0; i < 2; i++) {
		CHECK(hipEventRecord(began, 0));
		launch();
		CHECK(hipPeekAtLastError());
		CHECK(hipEventRecord(ended, 0));
		CHECK(hipEventSynchronize(ended));
		CHECK(hipEventElapsedTime(&ms, began, ended));
	}
	CHECK(hipEventDestroy(began));
	CHECK(hipEventDestroy(ended));
	return ms * 1e3;
}

static void line(const char *name, double value, const char *unit, const char *what)
{
	printf("%s\t%.5g\t%s\t%s\n", name, value, unit, what);
	fflush(stdout);
}

/* n: enough that the launch does not count. */
static void measure_words(uint64_t *peer, uint64_t *host, uint64_t n)
{
	const double per = 1.0 / (double)n;

	line("store_fence", us([&] { LAUNCH(store_and_fence, 1, 1, peer, n); }) * per, "us",
		"a store to the peer's memory and a fence");
	line("fetch_add", us([&] { LAUNCH(add_and_add, 1, 1, peer, n); }) * per, "us",
		"an atomic on the peer's memory");
	line("load", us([&] { LAUNCH(load_and_load, 1, 1, peer + 8, n, host); }) * per, "us",
		"a load from the peer's memory");
	line("host_store_fence", us([&] { LAUNCH(store_and_fence, 1, 1, host, n); }) * per, "us",
		"a store to the host's memory and a fence");
	line("launch", us([&] {
		for (uint64_t i = 0; i < n; i++)
			hipLaunchKernelGGL(nothing, dim3(1), dim3(1), 0, 0);
	}) * per,
		"us", "an empty kernel, in a queue of them");
}

static void measure_copies(char *peer, const char *source, size_t nbytes, int nunits)
{
	double best = 1e30;
	const int ntimes = 5;

	for (int blocks = nunits; blocks <= nunits * 16; blocks *= 2) {
		const double took = us([&] {
			for (int i = 0; i < ntimes; i++)
				LAUNCH(copy, blocks, 256, (uint4 *)peer, (const uint4 *)source,
					nbytes / sizeof(uint4));
		});
		best = took < best ? took : best;
	}
	line("copy", (double)nbytes * ntimes / best * 1e-3, "GB/s", "a kernel's copy to the peer's memory");
	line("memcpy", (double)nbytes * ntimes * 1e-3 / us([&] {
		for (int i = 0; i < ntimes; i++)
			CHECK(hipMemcpyAsync(peer, source, nbytes, hipMemcpyDefault, 0));
	}),
		"GB/s", "hipMemcpyAsync to the peer's memory");
}

/* A kernel's flag that this thread answers. */
static void measure_cpu_call(uint64_t *host, uint64_t n)
{
	volatile uint64_t *from_kernel = host + 64, *to_kernel = host + 128;
	hipEvent_t began, ended;
	float ms = 0;

	CHECK(hipEventCreate(&began));
	CHECK(hipEventCreate(&ended));
	CHECK(hipEventRecord(began, 0));
	LAUNCH(bounce, 1, 1, host + 128, host + 64, 1, n, host);
	CHECK(hipEventRecord(ended, 0));
	for (uint64_t i = 1; i <= n; i++) {
		while (from_kernel[FLAG] < i && hipEventQuery(ended) == hipErrorNotReady)
			;
		__sync_synchronize();
		to_kernel[FLAG] = i;
	}
	CHECK(hipEventSynchronize(ended));
	CHECK(hipEventElapsedTime(&ms, began, ended));
	line("cpu_call", ms * 1e3 / (double)n, "us", "a kernel's flag to the CPU and back");
}

/* Tell the other process, and wait for it. */
static void meet(int in, int out, const void *mine, void *theirs, size_t nbytes)
{
	if (write(out, mine, nbytes) == (ssize_t)nbytes && read(in, theirs, nbytes) == (ssize_t)nbytes)
		return;
	fprintf(stderr, "limits: process %d: the other process has ended\n", process);
	exit(1);
}

int main(int argc, char **argv)
{
	const uint64_t nrounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 2000;
	const size_t nbytes = (size_t)(nrounds < 100 ? 4 : 256) << 20;
	hipIpcMemHandle_t handle, peer_handle;
	int to_0[2], to_1[2], ndevices, nunits, status = 0;
	char *memory, *peer, *source, here = 0, there;
	uint64_t *host;

	if (pipe(to_0) || pipe(to_1))
		return 1;
	process = fork() == 0;
	const int in = process ? to_1[0] : to_0[0], out = process ? to_0[1] : to_1[1];
	close(process ? to_1[1] : to_0[1]);

	CHECK(hipGetDeviceCount(&ndevices));
	CHECK(hipSetDevice(process % ndevices));
	CHECK(hipDeviceGetAttribute(&nunits, hipDeviceAttributeMultiprocessorCount, process % ndevices));
	CHECK(hipMalloc((void **)&memory, nbytes));
	CHECK(hipMalloc((void **)&source, nbytes));
	CHECK(hipMemset(memory, 0, nbytes));
	CHECK(hipMemset(source, 0, nbytes));
	CHECK(hipHostMalloc((void **)&host, 4096, hipHostMallocMapped));
	memset(host, 0, 4096);
	CHECK(hipDeviceSynchronize());
	CHECK(hipIpcGetMemHandle(&handle, memory));
	meet(in, out, &handle, &peer_handle, sizeof handle);
	CHECK(hipIpcOpenMemHandle((void **)&peer, peer_handle, hipIpcMemLazyEnablePeerAccess));

	/* Load the kernel before the two wait for each other. */
	LAUNCH(bounce, 1, 1, (uint64_t *)memory, (uint64_t *)peer, 0, 0, host);
	CHECK(hipDeviceSynchronize());
	meet(in, out, &here, &there, 1);
	hipEvent_t began, ended;
	float ms = 0;
	CHECK(hipEventCreate(&began));
	CHECK(hipEventCreate(&ended));
	CHECK(hipEventRecord(began, 0));
	LAUNCH(bounce, 1, 1, (uint64_t *)memory, (uint64_t *)peer, process == 0, nrounds, host);
	CHECK(hipEventRecord(ended, 0));
	CHECK(hipEventSynchronize(ended));
	CHECK(hipEventElapsedTime(&ms, began, ended));
	if (process == 0) {
		if (host[GAVE_UP])
			printf("# the flag did not come back\n");
		else
			line("flag", ms * 500 / (double)nrounds, "us",
				"8 bytes and a flag to a peer's kernel");
		measure_words((uint64_t *)(peer + 65536), host + 256, 20 * nrounds);
		measure_copies(peer, source, nbytes, nunits);
		measure_cpu_call(host, nrounds);
	}
	meet(in, out, &here, &there, 1);
	CHECK(hipIpcCloseMemHandle(peer));
	if (process == 0)
		wait(&status);
	return status != 0;
}
