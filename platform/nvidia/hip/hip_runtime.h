/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HIP on NVIDIA GPUs: what kernels see, compiled by nvcc -x cu. Most of it is CUDA's own.
 */
#ifndef HIPCUDA_HIP_RUNTIME_H
#define HIPCUDA_HIP_RUNTIME_H

#include "hip_runtime_api.h"

#ifdef __CUDACC__

#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#if defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#define __HIP_DEVICE_COMPILE__ 1
#endif

/* ---- launches ---- */

#define HIP_KERNEL_NAME(...)          __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
/* clang-format 14 takes the launch for shifts and comparisons, and parts the signs. */
/* clang-format off */
#define hipLaunchKernelGGL(kernel_, grid_, block_, shared_, stream_, ...) \
	((kernel_)<<<dim3(grid_), dim3(block_), (shared_), (stream_)>>>(__VA_ARGS__))
/* clang-format on */

/* ---- the wave ---- */

/*
 * HIP's forms without a mask: the lanes that execute the call together. Since sm_70 lanes need not be
 * together where the source has them so; code that depends on certain lanes must use the _sync form.
 *
 * CUDA still declares some of these names, for GPUs older than any supported here, and its C++
 * library uses some of them for other things. Hence new names that replace the old ones everywhere,
 * and no function-like macros.
 */
#define __shfl      hipcuda_shfl
#define __shfl_up   hipcuda_shfl_up
#define __shfl_down hipcuda_shfl_down
#define __shfl_xor  hipcuda_shfl_xor
#define __ballot    hipcuda_ballot
#define __any       hipcuda_any
#define __all       hipcuda_all

template <typename T> static inline __device__ T hipcuda_shfl(T value, int lane, int width = 32)
{
	return __shfl_sync(__activemask(), value, lane, width);
}

template <typename T> static inline __device__ T hipcuda_shfl_up(T value, unsigned delta, int width = 32)
{
	return __shfl_up_sync(__activemask(), value, delta, width);
}

template <typename T> static inline __device__ T hipcuda_shfl_down(T value, unsigned delta, int width = 32)
{
	return __shfl_down_sync(__activemask(), value, delta, width);
}

template <typename T> static inline __device__ T hipcuda_shfl_xor(T value, int mask, int width = 32)
{
	return __shfl_xor_sync(__activemask(), value, mask, width);
}

static inline __device__ unsigned long long hipcuda_ballot(int predicate)
{
	return __ballot_sync(__activemask(), predicate);
}

static inline __device__ int hipcuda_any(int predicate)
{
	return __any_sync(__activemask(), predicate);
}

static inline __device__ int hipcuda_all(int predicate)
{
	return __all_sync(__activemask(), predicate);
}

static inline __device__ unsigned __lane_id()
{
	unsigned lane;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

/* ---- clocks ---- */

/*
 * Nanoseconds, the same on all multiprocessors; hipDeviceAttributeWallClockRate. Some GPUs step it by 1
 * us and more.
 */
static inline __device__ long long wall_clock64()
{
	long long t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

/* ---- atomics ---- */

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT    2
#define __HIP_MEMORY_SCOPE_WORKGROUP    3
#define __HIP_MEMORY_SCOPE_AGENT        4
#define __HIP_MEMORY_SCOPE_SYSTEM       5

/*
 * Words of 4 and 8 bytes. Every scope is treated as the system's, and every order other than relaxed gets
 * full fences: more than was asked for, never less.
 */
namespace hipcuda
{

static inline __device__ void before(int order)
{
	if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST)
		__threadfence_system();
}

static inline __device__ void after(int order)
{
	if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
		__threadfence_system();
}

template <typename T> struct word_of {
	static_assert(sizeof(T) == 4 || sizeof(T) == 8, "an atomic of 4 or 8 bytes");
	template <size_t nbytes, int = 0> struct choose {
		typedef unsigned type;
	};
	template <int dummy> struct choose<8, dummy> {
		typedef unsigned long long type;
	};
	typedef typename choose<sizeof(T)>::type type;
};

template <typename T> struct same {
	typedef T type;
};

template <typename To, typename From> static inline __device__ To bits(From from)
{
	To to;

	static_assert(sizeof to == sizeof from, "the same bits");
	memcpy(&to, &from, sizeof to);
	return to;
}

template <typename T> static inline __device__ T load(const T *ptr, int order)
{
	if (order == __ATOMIC_SEQ_CST)
		__threadfence_system();
	T value = *(const volatile T *)ptr;
	after(order);
	return value;
}

template <typename T> static inline __device__ void store(T *ptr, typename same<T>::type value, int order)
{
	before(order);
	*(volatile T *)ptr = value;
	if (order == __ATOMIC_SEQ_CST)
		__threadfence_system();
}

template <typename T> static inline __device__ T exchange(T *ptr, typename same<T>::type value, int order)
{
	typedef typename word_of<T>::type word;

	before(order);
	word old = atomicExch_system((word *)ptr, bits<word>(value));
	after(order);
	return bits<T>(old);
}

template <typename T>
static inline __device__ bool compare_exchange(T *ptr, T *expected, typename same<T>::type desired, int order)
{
	typedef typename word_of<T>::type word;

	before(order);
	word seen = bits<word>(*expected), old = atomicCAS_system((word *)ptr, seen, bits<word>(desired));
	after(order);
	*expected = bits<T>(old);
	return old == seen;
}

#define HIPCUDA_FETCH(name, add) \
	template <typename T> \
	static inline __device__ T name(T *ptr, typename same<T>::type value, int order) \
	{ \
		typedef typename word_of<T>::type word; \
\
		before(order); \
		word old = add((word *)ptr, (word)value); \
		after(order); \
		return (T)old; \
	}
HIPCUDA_FETCH(fetch_add, atomicAdd_system)
HIPCUDA_FETCH(fetch_and, atomicAnd_system)
HIPCUDA_FETCH(fetch_or, atomicOr_system)
HIPCUDA_FETCH(fetch_xor, atomicXor_system)
#undef HIPCUDA_FETCH

static inline __device__ float fetch_add(float *ptr, float value, int order)
{
	before(order);
	float old = atomicAdd_system(ptr, value);
	after(order);
	return old;
}

static inline __device__ double fetch_add(double *ptr, double value, int order)
{
	before(order);
	double old = atomicAdd_system(ptr, value);
	after(order);
	return old;
}

} /* namespace hipcuda */

#define __hip_atomic_load(ptr, order, scope)             hipcuda::load((ptr), (order))
#define __hip_atomic_store(ptr, value, order, scope)     hipcuda::store((ptr), (value), (order))
#define __hip_atomic_exchange(ptr, value, order, scope)  hipcuda::exchange((ptr), (value), (order))
#define __hip_atomic_fetch_add(ptr, value, order, scope) hipcuda::fetch_add((ptr), (value), (order))
#define __hip_atomic_fetch_and(ptr, value, order, scope) hipcuda::fetch_and((ptr), (value), (order))
#define __hip_atomic_fetch_or(ptr, value, order, scope)  hipcuda::fetch_or((ptr), (value), (order))
#define __hip_atomic_fetch_xor(ptr, value, order, scope) hipcuda::fetch_xor((ptr), (value), (order))
#define __hip_atomic_compare_exchange_strong(ptr, expected, desired, success, failure, scope) \
	hipcuda::compare_exchange((ptr), (expected), (desired), (success))

#endif /* __CUDACC__ */
#endif /* HIPCUDA_HIP_RUNTIME_H */
