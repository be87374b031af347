/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one place that chooses a platform. Everything else in include/ and src/ is the same on all of them.
 *
 * A translation unit is one of three kinds:
 *
 *   a HIP unit       GSHMEMI_KERNELS 1   it may hold kernels; the API is inline and works in kernels and on the CPU
 *   the library      GSHMEMI_LIBRARY     the C files of libgshmem; the same bodies become its exported functions
 *   any other        neither             C or C++ without HIP: prototypes only, no HIP header is needed
 *
 * The first two include arch/<platform>.h: the same primitives in each.
 * A test may put its own primitives in their place: -DGSHMEM_ARCH_HEADER='"file.h"'.
 */
#ifndef GSHMEM_ARCH_H
#define GSHMEM_ARCH_H

#if defined(__HIPCC__) || defined(__CUDACC__)
#define GSHMEMI_KERNELS 1
#include <hip/hip_runtime.h>
#else
#define GSHMEMI_KERNELS 0
#endif

#define GSHMEM_HOST_API extern __attribute__((visibility("default")))

#ifdef __cplusplus
#define GSHMEMI_BEGIN_C extern "C" {
#define GSHMEMI_END_C   }
#else
#define GSHMEMI_BEGIN_C
#define GSHMEMI_END_C
#endif

/* Whether what is being compiled now is for the GPU: a HIP unit is compiled twice, once for each. */
#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
#define GSHMEMI_DEVICE_PASS 1
#else
#define GSHMEMI_DEVICE_PASS 0
#endif

/* Whether this code is optimized. For the GPU nvcc always does, but for -G; its -O is for the CPU alone. */
#if defined(__CUDA_ARCH__) ? !defined(__CUDACC_DEBUG__) : defined(__OPTIMIZE__)
#define GSHMEMI_OPTIMIZED 1
#else
#define GSHMEMI_OPTIMIZED 0
#endif

/*
 * Kernels that are not optimized call the functions of the headers. If inlined, each call of the API would bring the code for
 * all scopes, sizes and types, because nothing folds: one reduction takes the compiler minutes. The cpu platform always
 * inlines, because it tells lanes apart by their call chains.
 */
#if GSHMEMI_DEVICE_PASS && !GSHMEMI_OPTIMIZED
#define GSHMEMI_INLINE static inline
#else
#define GSHMEMI_INLINE static inline __attribute__((always_inline))
#endif

#if GSHMEMI_KERNELS
#define GSHMEMI_ARCH_FN GSHMEMI_INLINE __host__ __device__
#else
#define GSHMEMI_ARCH_FN GSHMEMI_INLINE
#endif

#if GSHMEMI_KERNELS || defined(GSHMEMI_LIBRARY)
#include <stddef.h>
#include <stdint.h>

/* Who makes a call: one thread; the lanes of a wave that make it together; all threads of the work-group. */
enum gshmemi_scope { GSHMEMI_THREAD, GSHMEMI_WAVE, GSHMEMI_WG };

/* What one instruction moves at most. */
struct gshmemi_word {
	uint64_t half[2];
};

/* Atomic operations, as the primitives and the slow path number them. FETCH reads, SET writes. */
enum gshmemi_amo {
	GSHMEMI_AMO_ADD,
	GSHMEMI_AMO_AND,
	GSHMEMI_AMO_OR,
	GSHMEMI_AMO_XOR,
	GSHMEMI_AMO_SWAP,
	GSHMEMI_AMO_CAS,
	GSHMEMI_AMO_SET,
	GSHMEMI_AMO_FETCH
};

#ifdef GSHMEM_ARCH_HEADER
#include GSHMEM_ARCH_HEADER
#elif defined(__HIP_PLATFORM_CPU__)
#include <gshmem/arch/cpu.h>
#elif defined(__HIP_PLATFORM_NVIDIA__)
#include <gshmem/arch/nvidia.h>
#elif defined(__HIP_PLATFORM_AMD__)
#include <gshmem/arch/amd.h>
#else
#error "gshmem: no platform: HIP's headers define __HIP_PLATFORM_AMD__, _NVIDIA__ or _CPU__"
#endif

#if GSHMEMI_ARCH_COMPARES_APART
#define gshmemi_arch_wave_agrees(value, lanes) ((void)(value), (void)(lanes), 1)
#endif

#if !GSHMEMI_ARCH_HAS_GLOBALS
#define GSHMEMI_ARCH_IS_GLOBAL(address, nbytes) 0
#define GSHMEMI_ARCH_PLACE(address)             ((void)(address))
#define GSHMEMI_ARCH_IS_FREE(address, nbytes)   0
#endif

#define GSHMEMI_SIZEOF(TYPE)  GSHMEMI_ARCH_SIZEOF(TYPE)
#define GSHMEMI_ALIGNOF(TYPE) GSHMEMI_ARCH_ALIGNOF(TYPE)
#endif

/*
 * GSHMEM_API     in front of each function of the API that kernels may call too
 * GSHMEM_HOST_API  in front of each that only the CPU may call
 * GSHMEMI_LONG_DOUBLE_API  the first of these for a value of long double, of which GPUs have none
 * GSHMEMI_FN     a function of the headers that optimized code must inline: what a kernel executes on the direct path
 * GSHMEMI_SLOW   a function of the headers that must stay out of line: what lies behind a sentinel
 */
#if GSHMEMI_KERNELS
#define GSHMEMI_FN   GSHMEMI_INLINE __host__ __device__
#define GSHMEMI_SLOW static __host__ __device__ __attribute__((noinline, cold, unused))
#define GSHMEM_API   GSHMEMI_FN
#if GSHMEMI_ARCH_HAS_LONG_DOUBLE
#define GSHMEMI_LONG_DOUBLE_API GSHMEM_API
#else
#define GSHMEMI_LONG_DOUBLE_API static inline __host__ __attribute__((unused))
#endif
/*
 * Kernels never call these, but compilers read the calls when they compile for the GPU. nvcc -G keeps the calls, though no
 * kernel reaches them, and wants the functions defined.
 */
#if defined(__CUDA_ARCH__) && !GSHMEMI_OPTIMIZED
#define GSHMEMI_HOST_CALL(TYPE, NAME, PARAMETERS) \
	static inline __device__ TYPE NAME PARAMETERS \
	{ \
		__trap(); \
		return (TYPE)0; \
	} \
	static_assert(1, "takes the semicolon")
#else
#define GSHMEMI_HOST_CALL(TYPE, NAME, PARAMETERS) \
	extern __host__ __device__ __attribute__((visibility("default"))) TYPE NAME PARAMETERS
#endif
#else
#define GSHMEMI_LONG_DOUBLE_API GSHMEM_API
#define GSHMEMI_HOST_CALL(TYPE, NAME, PARAMETERS) GSHMEM_HOST_API TYPE NAME PARAMETERS
#define GSHMEMI_FN   GSHMEMI_INLINE
#define GSHMEMI_SLOW static __attribute__((noinline, cold, unused))
#define GSHMEM_API   extern __attribute__((visibility("default")))
#endif

#endif /* GSHMEM_ARCH_H */
