/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of HIP on a CPU: C++17 for g++ and clang++. Lanes, waves and blocks are those of
 * docs/cpu-platform.md; what is here makes HIP's names of hipcpu.h.
 */
#ifndef HIPCPU_HIP_RUNTIME_H
#define HIPCPU_HIP_RUNTIME_H

#if defined(__cplusplus) && __cplusplus < 201703L
#error "gshmem: kernels on the cpu platform need C++17 or newer: compile with -std=c++17"
#include "nothing more: the compilation ends here"
#endif

#if defined(__clang__) && __clang_major__ < 15
#error "gshmem: kernels on the cpu platform need clang 15 or newer, or gcc"
#include "nothing more: the compilation ends here"
#endif

#include "hip_runtime_api.h"
#include "hipcpu.h"

HIPCPU_QUIET_BEGIN

#ifdef __cplusplus
/* Programs also have <algorithm> and the limits by ROCm's header. */
#include <algorithm>
#include <assert.h>
#include <limits.h>
#include <limits>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tuple>
#include <type_traits>

/* ---- the language ---- */

#ifdef __clang__
/* clang moves the bodies of branches and loops about; lanes must meet in the order of the source. */
#define __global__ __attribute__((optnone, noinline))
#else
#define __global__
#endif
#define __device__
#define __host__
#define __constant__
#define __managed__
/* One block runs on a thread: what is the thread's is the block's. Static by itself in a function. */
#define __shared__ thread_local
#define __launch_bounds__(...)
/* Without inline, which g++ does not take twice: write static or inline besides. */
#define __forceinline__ __attribute__((always_inline))
#ifndef __restrict__
#define __restrict__ __restrict
#endif

#define HIP_KERNEL_NAME(...)          __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, var) type *var = static_cast<type *>(hipcpu_dynamic_shared());
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

/* ---- where a lane is ---- */

struct uint3 {
	uint32_t x, y, z;
	constexpr operator dim3() const { return dim3(x, y, z); }
};

extern "C" {
extern __thread struct uint3 threadIdx HIPCPU_TLS;
extern __thread struct uint3 blockIdx HIPCPU_TLS;
extern __thread struct uint3 blockDim HIPCPU_TLS;
extern __thread struct uint3 gridDim HIPCPU_TLS;
/* Not a constant expression: GSHMEM_CPU_WAVE sets it when the program starts. */
extern const int warpSize;
}

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x  blockIdx.x
#define hipBlockIdx_y  blockIdx.y
#define hipBlockIdx_z  blockIdx.z
#define hipBlockDim_x  blockDim.x
#define hipBlockDim_y  blockDim.y
#define hipBlockDim_z  blockDim.z
#define hipGridDim_x   gridDim.x
#define hipGridDim_y   gridDim.y
#define hipGridDim_z   gridDim.z

static inline unsigned __lane_id()
{
	return hipcpu_lane_id();
}

/* The lane loop of a block. */
HIPCPU_UNSANITIZED static inline bool hipcpu_lane_next()
{
	if (__builtin_expect(++hipcpu_loop.lane >= hipcpu_loop.end, 0))
		return hipcpu_lane_exit();
	hipcpu_self = (struct hipcpu_lane *)((char *)hipcpu_self + HIPCPU_LANE_BYTES);
	if (++threadIdx.x == blockDim.x) {
		threadIdx.x = 0;
		if (++threadIdx.y == blockDim.y) {
			threadIdx.y = 0;
			++threadIdx.z;
		}
	}
	return true;
}

/* ---- launches ---- */

namespace hipcpu
{

/*
 * What a launch keeps of an argument: its value, converted to the parameter's type. A parameter that is a
 * reference gets the object itself, as on GPUs, which get its address; a const one a copy, as it may be gone.
 */
template <typename P>
constexpr bool is_object = std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;
template <typename P> using kept = std::conditional_t<is_object<P>, P, std::decay_t<P>>;

/* A kernel and its arguments. */
template <typename F, typename... P> struct closure {
	F kernel;
	std::tuple<P...> args;

	static void run(void *self)
	{
		closure *c = (closure *)self;

		do
			std::apply(c->kernel, c->args);
		while (hipcpu_lane_next());
	}

	static void drop(void *self) { delete (closure *)self; }
};

template <typename T> struct same {
	typedef T type;
};

template <typename F, typename... P>
static inline hipError_t submit(const char *name, F kernel, std::tuple<P...> args, dim3 grid, dim3 block,
	size_t shared_bytes, hipStream_t stream, bool cooperative)
{
	typedef closure<F, P...> C;
	struct hipcpu_launch_params params = {
		grid, block, shared_bytes, stream, cooperative, name, C::run, C::drop, new C{kernel, args}};

	return hipcpu_launch(&params);
}

/* kernel calls the kernel of the signature that the third argument has. */
template <typename F, typename... P>
static inline hipError_t launch(const char *name, F kernel, void (*)(P...), dim3 grid, dim3 block,
	size_t shared_bytes, hipStream_t stream, typename same<P>::type... args)
{
	return submit(
		name, kernel, std::tuple<kept<P>...>(args...), grid, block, shared_bytes, stream, false);
}

/* The kernel is a template or overloaded: the arguments, as they are, say which one the lambda calls. */
struct deduced {
};

template <typename F, typename... A>
static inline hipError_t launch(const char *name, F kernel, deduced, dim3 grid, dim3 block,
	size_t shared_bytes, hipStream_t stream, A... args)
{
	return submit(name, kernel, std::tuple<A...>(args...), grid, block, shared_bytes, stream, false);
}

/* The same between two events, each of which may be NULL. */
template <typename F>
static inline hipError_t launch_between(
	F launch, hipStream_t stream, hipEvent_t start, hipEvent_t stop, unsigned flags)
{
	hipError_t error = flags ? hipErrorInvalidValue : hipSuccess;

	if (error == hipSuccess && start)
		error = hipEventRecord(start, stream);
	if (error == hipSuccess)
		error = launch();
	return error == hipSuccess && stop ? hipEventRecord(stop, stream) : error;
}

template <typename F, typename... P>
static inline hipError_t launch_timed(const char *name, F kernel, void (*signature)(P...), dim3 grid,
	dim3 block, size_t shared_bytes, hipStream_t stream, hipEvent_t start, hipEvent_t stop,
	unsigned flags, typename same<P>::type... args)
{
	return launch_between(
		[&] { return launch(name, kernel, signature, grid, block, shared_bytes, stream, args...); },
		stream, start, stop, flags);
}

template <typename F, typename... A>
static inline hipError_t launch_timed(const char *name, F kernel, deduced signature, dim3 grid, dim3 block,
	size_t shared_bytes, hipStream_t stream, hipEvent_t start, hipEvent_t stop, unsigned flags, A... args)
{
	return launch_between(
		[&] { return launch(name, kernel, signature, grid, block, shared_bytes, stream, args...); },
		stream, start, stop, flags);
}

/* What of() takes has one signature. A template, so that a lambda's type may depend on whether it has. */
template <typename T> struct one_signature {
	template <typename... P> static auto of(void (*kernel)(P...)) -> decltype(kernel);
};

/* find returns the type of of() of a kernel, or cannot be called. */
template <typename S> static inline auto signature(S find)
{
	if constexpr (std::is_invocable_v<S, deduced>)
		return find(deduced());
	else
		return deduced();
}

/*
 * An argument by its address; that of a reference is an address, of an object that lives as long as the
 * kernel uses it, perhaps in memory that the CPU must not touch.
 */
template <typename P> using given = std::conditional_t<std::is_lvalue_reference_v<P>, P, std::decay_t<P>>;

template <typename P> static inline given<P> argument(void *arg)
{
	if constexpr (std::is_lvalue_reference_v<P>)
		return **(std::remove_reference_t<P> **)arg;
	else
		return *(std::decay_t<P> *)arg;
}

template <typename... P, size_t... I>
static inline std::tuple<given<P>...> unpack(void **args, std::index_sequence<I...>)
{
	(void)args;
	return std::tuple<given<P>...>(argument<P>(args[I])...);
}

/* A closure of a module's kernel; as launch, but for the types, which are the kernel's. */
template <typename F, typename... P>
static inline void bind(F kernel, void (*)(P...), void **args, struct hipcpu_launch_params *params)
{
	typedef closure<F, given<P>...> C;

	params->run = C::run;
	params->drop = C::drop;
	params->closure = new C{kernel, unpack<P...>(args, std::index_sequence_for<P...>())};
}

} /* namespace hipcpu */

/*
 * After an extern "C" kernel that hipModuleGetFunction is to find: says how to pass its arguments. A
 * code object holds that by itself, so other platforms do not have this.
 */
#define HIPCPU_MODULE_KERNEL(kernel_) \
	extern "C" __attribute__((visibility("default"))) \
	const struct ihipModuleSymbol_t hipcpu_kernel_##kernel_; \
	const struct ihipModuleSymbol_t hipcpu_kernel_##kernel_ = { \
		#kernel_, [](void **args_, struct hipcpu_launch_params *params_) { \
			params_->name = #kernel_; \
			hipcpu::bind([](auto &...unpacked_) { (kernel_)(unpacked_...); }, (kernel_), args_, \
				params_); \
		}};

/*
 * Through a lambda that names the kernel, so that the compiler can inline it into the lane loop; a
 * kernel known only at run time (a function pointer) is captured. It has the launch's error as its
 * value, unlike ROCm's.
 */
#define hipLaunchKernelGGL(kernel_, grid_, block_, shared_, /* stream, arguments */...) \
	hipcpu::launch( \
		#kernel_, [=](auto &...args_) { (kernel_)(args_...); }, HIPCPU_SIGNATURE(kernel_), grid_, \
		block_, (shared_), __VA_ARGS__)
#define hipExtLaunchKernelGGL( \
	kernel_, grid_, block_, shared_, /* stream, start, stop, flags, arguments */...) \
	hipcpu::launch_timed( \
		#kernel_, [=](auto &...args_) { (kernel_)(args_...); }, HIPCPU_SIGNATURE(kernel_), grid_, \
		block_, (shared_), __VA_ARGS__)
#define HIPCPU_SIGNATURE(/* kernel */...) \
	hipcpu::signature([=](auto none_) -> decltype(hipcpu::one_signature<decltype(none_)>::of( \
						  (__VA_ARGS__))) { return nullptr; })

template <typename... P>
static inline hipError_t hipLaunchKernel(
	void (*kernel)(P...), dim3 grid, dim3 block, void **args, size_t shared_bytes, hipStream_t stream)
{
	return hipcpu::submit("a kernel", kernel, hipcpu::unpack<P...>(args, std::index_sequence_for<P...>()),
		grid, block, shared_bytes, stream, false);
}

template <typename... P>
static inline hipError_t hipLaunchCooperativeKernel(
	void (*kernel)(P...), dim3 grid, dim3 block, void **args, size_t shared_bytes, hipStream_t stream)
{
	return hipcpu::submit("a kernel", kernel, hipcpu::unpack<P...>(args, std::index_sequence_for<P...>()),
		grid, block, shared_bytes, stream, true);
}

template <typename... P>
static inline hipError_t hipFuncSetAttribute(void (*kernel)(P...), hipFuncAttribute attribute, int value)
{
	return hipFuncSetAttribute((const void *)kernel, attribute, value);
}

template <typename... P>
static inline hipError_t hipFuncSetCacheConfig(void (*kernel)(P...), hipFuncCache_t config)
{
	return hipFuncSetCacheConfig((const void *)kernel, config);
}

template <typename... P>
static inline hipError_t hipFuncGetAttributes(hipFuncAttributes *a, void (*kernel)(P...))
{
	return hipFuncGetAttributes(a, (const void *)kernel);
}

template <typename... P>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(
	int *nblocks, void (*kernel)(P...), int block_size, size_t shared_bytes)
{
	return hipOccupancyMaxActiveBlocksPerMultiprocessor(
		nblocks, (const void *)kernel, block_size, shared_bytes);
}

template <typename... P>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size,
	void (*kernel)(P...), size_t shared_bytes = 0, int block_size_limit = 0)
{
	return hipOccupancyMaxPotentialBlockSize(
		grid_size, block_size, (const void *)kernel, shared_bytes, block_size_limit);
}

#include "hip_wave.h"
#include "hip_atomic.h"

/* ---- clocks, printing, stopping ---- */

static inline long long wall_clock64()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static inline long long clock64()
{
	return wall_clock64();
}

static inline long long __clock64()
{
	return wall_clock64();
}

[[noreturn]] static inline void __trap()
{
	hipcpu_trap("__trap");
}

/* ---- bits ---- */

static inline int __popc(unsigned x)
{
	return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}
static inline int __ffs(int x)
{
	return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
	return __builtin_ffsll(x);
}
static inline int __ffsll(unsigned long long x)
{
	return __builtin_ffsll((long long)x);
}
static inline int __ffsll(unsigned long x)
{
	return __builtin_ffsll((long long)x);
}
static inline int __clz(int x)
{
	return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x)
{
	return x ? __builtin_clzll((unsigned long long)x) : 64;
}

static inline unsigned __brev(unsigned x)
{
	x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
	x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
	x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
	return __builtin_bswap32(x);
}

static inline unsigned long long __brevll(unsigned long long x)
{
	return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

template <typename T> static inline T __ldg(const T *ptr)
{
	return *ptr;
}

static inline float __int_as_float(int x)
{
	float f;
	memcpy(&f, &x, 4);
	return f;
}
static inline int __float_as_int(float f)
{
	int x;
	memcpy(&x, &f, 4);
	return x;
}
static inline unsigned __float_as_uint(float f)
{
	unsigned x;
	memcpy(&x, &f, 4);
	return x;
}
static inline float __uint_as_float(unsigned x)
{
	float f;
	memcpy(&f, &x, 4);
	return f;
}
static inline double __longlong_as_double(long long x)
{
	double d;
	memcpy(&d, &x, 8);
	return d;
}
static inline long long __double_as_longlong(double d)
{
	long long x;
	memcpy(&x, &d, 8);
	return x;
}

template <typename A, typename B> static inline std::common_type_t<A, B> min(A a, B b)
{
	typedef std::common_type_t<A, B> T;
	return (T)b < (T)a ? (T)b : (T)a;
}

template <typename A, typename B> static inline std::common_type_t<A, B> max(A a, B b)
{
	typedef std::common_type_t<A, B> T;
	return (T)a < (T)b ? (T)b : (T)a;
}

#include "hip_vector_types.h"

#endif /* __cplusplus */

HIPCPU_QUIET_END

#endif /* HIPCPU_HIP_RUNTIME_H */
