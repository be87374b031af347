/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the API share: bytes that tell where they came from, copies between the CPU and
 * the heap, launches, and child jobs whose messages are read. The heap is GPU memory, which the CPU
 * sees only through these copies.
 */
#ifndef T_ORACLE_H
#define T_ORACLE_H

#include <stdint.h>
#include <string.h>
#include <gshmem.h>
#include <hip/hip_runtime_api.h>
#include "helpers.h"

#ifdef __cplusplus
#define T_HD static inline __host__ __device__
#else
#define T_HD static inline
#endif

#ifdef __HIP_PLATFORM_CPU__
#define T_IS_CPU 1
#else
#define T_IS_CPU 0
#endif

enum { T_THREAD, T_WAVE, T_WG, T_HOST, T_NSCOPES };
static const char *const t_scope_names[] = {"thread", "wave", "wg", "host"};

/* Byte i of the pattern of this seed. */
T_HD unsigned char t_byte(unsigned seed, size_t i)
{
	uint32_t x = (uint32_t)i * 0x9E3779B1U + seed * 0x85EBCA6BU;

	return (unsigned char)((x ^ (x >> 15)) >> 3);
}

static inline void t_fill(void *bytes, size_t nbytes, unsigned seed)
{
	unsigned char *at = (unsigned char *)bytes;
	size_t i;

	for (i = 0; i < nbytes; i++)
		at[i] = t_byte(seed, i);
}

/* The first index at which a and b differ, or nbytes. */
static inline size_t t_differ(const void *a, const void *b, size_t nbytes)
{
	const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
	size_t i;

	if (nbytes == 0 || memcmp(a, b, nbytes) == 0)
		return nbytes;
	for (i = 0; x[i] == y[i]; i++)
		;
	return i;
}

/* Memory of the CPU; zeroed; never fails. */
static inline void *t_alloc(size_t nbytes)
{
	void *bytes = calloc(nbytes ? nbytes : 1, 1);

	t_check(bytes, "out of memory: %zu bytes", nbytes);
	return bytes;
}

/* Symmetric memory; never fails. */
static inline void *t_shmalloc(size_t nbytes)
{
	void *bytes = gshmem_malloc(nbytes);

	t_check(bytes, "PE %d: gshmem_malloc of %zu bytes failed", gshmem_my_pe(), nbytes);
	return bytes;
}

/* Memory of the GPU that is not symmetric. */
static inline void *t_hipmalloc(size_t nbytes)
{
	void *bytes = NULL;

	t_hip(hipMalloc(&bytes, nbytes));
	return bytes;
}

/* CUDA's copy from pageable memory may return before the bytes are in dest, where other PEs look for them. */
static inline void t_to_device(void *dest, const void *source, size_t nbytes)
{
	t_hip(hipMemcpy(dest, source, nbytes, hipMemcpyHostToDevice));
	t_hip(hipStreamSynchronize(NULL));
}

static inline void t_from_device(void *dest, const void *source, size_t nbytes)
{
	t_hip(hipMemcpy(dest, source, nbytes, hipMemcpyDeviceToHost));
}

/* One object of the heap. */
static inline uint64_t t_read_u64(const void *source)
{
	uint64_t value;

	t_from_device(&value, source, sizeof value);
	return value;
}

static inline void t_write_u64(void *dest, uint64_t value)
{
	t_to_device(dest, &value, sizeof value);
}

/* Lanes of a wave, for the host; kernels have warpSize. */
static inline unsigned t_wave_width(void)
{
	int device, width;

	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, device));
	return (unsigned)width;
}

/*
 * Whether kernels of several PEs take turns on one GPU. Then a kernel's wait for another PE may
 * last a time slice, some milliseconds, and tests make fewer waits. On the cpu platform the
 * system schedules PEs as threads.
 */
static inline int t_takes_turns(void)
{
	int ndevices = 1;

	t_hip(hipGetDeviceCount(&ndevices));
	return !T_IS_CPU && gshmem_n_pes() > ndevices;
}

/* GPUs have no long double: in kernels it is a double, which may have a different size. */
#define T_HAS_LONG_DOUBLE GSHMEMI_ARCH_HAS_LONG_DOUBLE

#if GSHMEMI_KERNELS
/* Launch and wait. */
#define t_launch(kernel, grid, block, ...) \
	do { \
		hipLaunchKernelGGL(kernel, dim3(grid), dim3(block), 0, 0, __VA_ARGS__); \
		t_hip(hipGetLastError()); \
		t_hip(hipDeviceSynchronize()); \
	} while (0)

/* Rank in the work-group, the work-group's size and its number, over all dimensions. */
static inline __device__ unsigned t_rank()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static inline __device__ unsigned t_count()
{
	return blockDim.x * blockDim.y * blockDim.z;
}

/*
 * Call after code in which the lanes of a wave diverged, before a _wave call of all of them. On NVIDIA and
 * with GSHMEM_CPU_DIVERGE lanes may stay diverged; on AMD a wave has one program counter.
 */
static inline __device__ void t_wave_joins()
{
#ifndef __HIP_PLATFORM_AMD__
	__syncwarp();
#endif
}
#endif

#endif /* T_ORACLE_H */
