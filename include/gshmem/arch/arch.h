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
 * The first two include arch/<platform>.h, which gives what the list below asks for.
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

/* A C file of the library: what it makes of the bodies runs on the host alone, and may call the library. */
#if defined(GSHMEMI_LIBRARY) && !GSHMEMI_KERNELS
#define GSHMEMI_HOST_UNIT 1
#else
#define GSHMEMI_HOST_UNIT 0
#endif

#define GSHMEM_HOST_API extern __attribute__((visibility("default")))

/* The unit that becomes bitcode (platform/amd/bitcode.hip) exports functions of its own by C's names. */
#if defined(__cplusplus) && !defined(GSHMEMI_BITCODE)
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

/* ---- the list: what a platform gives ---- */

/*
 * All that the library asks of a platform: files outside of arch/ use nothing else of arch/, and name no platform.
 * A platform's header gives all of it in each pass of its compiler; where kernels run on a GPU, arch/host.h gives
 * the CPU's functions. What a header lacks is an error here: nothing is assumed in its place.
 */

/*
 * Capabilities, 1 or 0. In both tables the names are without the GSHMEMI_ARCH_ in front of them.
 *
 * HOST_DIRECT       the CPU reaches the heap: host calls run the kernels' bodies; 0: they copy by HIP
 * COARSE_COHERENT   a running kernel sees what other devices write to hipMalloc's memory; 0: a later one does
 * SHARED_MEMORY     all PEs' memory is equally far, and cores are scarce: SHARE_CORES(n) says that n threads of each
 *                   PE want one, and PAUSE_NEAR, for a wait for a PE that has a core of its own, that they do not
 * HAS_GLOBALS       the program's variables can be symmetric: IS_GLOBAL, SHARE, PLACE, IS_FREE
 * HAS_DELIVERY      operations can be delivered late on purpose: the functions gshmemi_delivery_*
 * HAS_LONG_DOUBLE   kernels compute with the CPU's long double
 * HAS_F16           kernels have instructions for binary16: f16_to_float, f16_from_float
 * HAS_TICKS         kernels know the rate of their clock, and the host checks it: TICK_NS, CLOCK_RATE
 * HAS_ELECT         one thread works for its group, because threads take turns: group_elect, group_release
 * HAS_COPY          a thread that works alone copies by a function of the platform: copy
 * KERNELS_WAKE      a kernel can wake a thread of the CPU
 * TYPED_LAUNCH      a kernel is launched by its type; its address is not enough
 * NESTS_CALLS       what kernels call may call another function at no cost: see gshmemi_slow_perform_at
 * KEEPS_KEYS_APART  wave_enter never puts lanes with different keys into one group
 * COMPARES_APART    comparing the arguments of a wave is worth a call of its own; 0: wave_agrees
 * IS_CUDA           MPI calls the device's memory CUDA's; 0: HIP's, or ROCm's
 * UNALIGNED         bulk accesses take any alignment; 0: they want that of their size
 */
#if !defined GSHMEMI_ARCH_HOST_DIRECT || !defined GSHMEMI_ARCH_COARSE_COHERENT || \
	!defined GSHMEMI_ARCH_SHARED_MEMORY || !defined GSHMEMI_ARCH_HAS_GLOBALS
#error "gshmem: the platform lacks GSHMEMI_ARCH_HOST_DIRECT, _COARSE_COHERENT, _SHARED_MEMORY or _HAS_GLOBALS"
#endif
#if !defined GSHMEMI_ARCH_HAS_DELIVERY || !defined GSHMEMI_ARCH_HAS_LONG_DOUBLE || \
	!defined GSHMEMI_ARCH_HAS_F16 || !defined GSHMEMI_ARCH_HAS_TICKS
#error "gshmem: the platform lacks GSHMEMI_ARCH_HAS_DELIVERY, _HAS_LONG_DOUBLE, _HAS_F16 or _HAS_TICKS"
#endif
#if !defined GSHMEMI_ARCH_HAS_ELECT || !defined GSHMEMI_ARCH_HAS_COPY || \
	!defined GSHMEMI_ARCH_KERNELS_WAKE || !defined GSHMEMI_ARCH_TYPED_LAUNCH
#error "gshmem: the platform lacks GSHMEMI_ARCH_HAS_ELECT, _HAS_COPY, _KERNELS_WAKE or _TYPED_LAUNCH"
#endif
#if !defined GSHMEMI_ARCH_NESTS_CALLS || !defined GSHMEMI_ARCH_KEEPS_KEYS_APART || \
	!defined GSHMEMI_ARCH_COMPARES_APART || !defined GSHMEMI_ARCH_IS_CUDA || !defined GSHMEMI_ARCH_UNALIGNED
#error "gshmem: the platform lacks GSHMEMI_ARCH_NESTS_CALLS, _KEEPS_KEYS_APART, _COMPARES_APART, _IS_CUDA or _UNALIGNED"
#endif

/*
 * Words, numbers, and macros.
 *
 * NAME                    the platform's name, a string, for messages; two compilations compare theirs
 * THREAD_WORD             what thread_name numbers, a string
 * COUNT_WORD              what group_count counts, a string
 * OWN_THREADS             threads of each work-group that the library launches
 * IN_KERNEL               whether a kernel executes this
 * STATE(TYPE, NAME)       defines the unit's copy of the device state
 * SIZEOF(TYPE)            size in the CPU's layout, for which symmetric objects are made
 * ALIGNOF(TYPE)           alignment in the CPU's layout
 * QUIET_BEGIN             before the inline functions: turns off what the compiler warns of in right code
 * QUIET_END               after them: turns the warnings on again
 * HAS_POSTS()             whether kernels of this unit post calls, as far as the compiler knows
 * MARK_POST()             tells HAS_POSTS that one does
 * UNIFORM_HIGH(value)     upper half, an int32_t, of an int64_t that is the same in all lanes of a wave
 * SHARE_ADDRESS(pointer)  computes a constant's address once, where the compiler does it for each field
 * KEEP_ORDER()            loads before it stay before loads after it
 * KEEP_INSIDE(value)      a loop computes in each turn what it computes from an int that does not change
 * KEEP_APART(source, dest, first, second, third, fourth)
 *                         the access adds a lane's offset to a uniform pointer
 */
#if !defined GSHMEMI_ARCH_NAME || !defined GSHMEMI_ARCH_THREAD_WORD || !defined GSHMEMI_ARCH_COUNT_WORD || \
	!defined GSHMEMI_ARCH_OWN_THREADS || !defined GSHMEMI_ARCH_IN_KERNEL
#error "gshmem: the platform lacks GSHMEMI_ARCH_NAME, _THREAD_WORD, _COUNT_WORD, _OWN_THREADS or _IN_KERNEL"
#endif
#if !defined GSHMEMI_ARCH_STATE || !defined GSHMEMI_ARCH_SIZEOF || !defined GSHMEMI_ARCH_ALIGNOF || \
	!defined GSHMEMI_ARCH_QUIET_BEGIN || !defined GSHMEMI_ARCH_QUIET_END
#error "gshmem: the platform lacks GSHMEMI_ARCH_STATE, _SIZEOF, _ALIGNOF, _QUIET_BEGIN or _QUIET_END"
#endif
#if !defined GSHMEMI_ARCH_HAS_POSTS || !defined GSHMEMI_ARCH_MARK_POST || !defined GSHMEMI_ARCH_UNIFORM_HIGH
#error "gshmem: the platform lacks GSHMEMI_ARCH_HAS_POSTS, _MARK_POST or _UNIFORM_HIGH"
#endif
#if !defined GSHMEMI_ARCH_SHARE_ADDRESS || !defined GSHMEMI_ARCH_KEEP_ORDER || \
	!defined GSHMEMI_ARCH_KEEP_INSIDE || !defined GSHMEMI_ARCH_KEEP_APART
#error "gshmem: the platform lacks GSHMEMI_ARCH_SHARE_ADDRESS, _KEEP_ORDER, _KEEP_INSIDE or _KEEP_APART"
#endif
#if GSHMEMI_ARCH_HAS_TICKS && !(defined GSHMEMI_ARCH_TICK_NS && defined GSHMEMI_ARCH_CLOCK_RATE)
#error "gshmem: the platform lacks GSHMEMI_ARCH_TICK_NS(gfx) or GSHMEMI_ARCH_CLOCK_RATE"
#endif
#if GSHMEMI_ARCH_HAS_GLOBALS && !(defined GSHMEMI_ARCH_IS_GLOBAL && defined GSHMEMI_ARCH_SHARE && \
	defined GSHMEMI_ARCH_PLACE && defined GSHMEMI_ARCH_IS_FREE)
#error "gshmem: the platform lacks GSHMEMI_ARCH_IS_GLOBAL, _SHARE, _PLACE or _IS_FREE"
#endif
#if GSHMEMI_ARCH_SHARED_MEMORY && !(defined GSHMEMI_ARCH_SHARE_CORES && defined GSHMEMI_ARCH_PAUSE_NEAR)
#error "gshmem: the platform lacks GSHMEMI_ARCH_SHARE_CORES or GSHMEMI_ARCH_PAUSE_NEAR"
#endif

/* Functions. A name of another signature, or of none, does not compile; the check makes no code. */
#ifdef __cplusplus
template <typename A, typename B> struct gshmemi_arch_same {
	enum { yes = 0 };
};
template <typename A> struct gshmemi_arch_same<A, A> {
	enum { yes = 1 };
};
#define GSHMEMI_ARCH_GIVES(TYPE, NAME, PARAMETERS) \
	static_assert(gshmemi_arch_same<decltype(gshmemi_arch_##NAME), TYPE PARAMETERS>::yes, \
		      "gshmem: the platform's header gives gshmemi_arch_" #NAME " another signature")
#else
#define GSHMEMI_ARCH_GIVES(TYPE, NAME, PARAMETERS) \
	_Static_assert(_Generic(&gshmemi_arch_##NAME, TYPE (*)PARAMETERS: 1, default: 0), \
		       "gshmem: the platform's header gives gshmemi_arch_" #NAME " another signature")
#endif

/* ---- where am I ---- */

/* Position of this thread in its work-group, all dimensions taken together, and the work-group's size. */
GSHMEMI_ARCH_GIVES(unsigned, thread_rank, (void));
GSHMEMI_ARCH_GIVES(unsigned, thread_count, (void));
/* Position of this thread in its wave. */
GSHMEMI_ARCH_GIVES(unsigned, lane, (void));
/* For messages: the rank, or the lane where the rank costs too much. */
GSHMEMI_ARCH_GIVES(unsigned, thread_name, (void));
/* For messages: number of this work-group in the grid, all dimensions taken together. */
GSHMEMI_ARCH_GIVES(uint64_t, block, (void));
/* An out-of-line function is handed caller() to know its caller's block, where it cannot ask for it. */
GSHMEMI_ARCH_GIVES(uint64_t, caller, (void));
GSHMEMI_ARCH_GIVES(uint64_t, caller_block, (uint64_t caller));

/* ---- groups: GSHMEMI_THREAD, GSHMEMI_WAVE (the lanes that make the call together), GSHMEMI_WG ---- */

/*
 * Meet the lanes of the wave that make this call together, and say who they are; bit 0 alone on the host. Lanes
 * with other keys (arguments) make other calls: in a loop they may come from other iterations, which a GPU keeps
 * apart.
 */
GSHMEMI_ARCH_GIVES(uint64_t, wave_enter, (uint64_t key));
/* The same, for calls that lanes make while others wait in a loop for what these do: a put, not a collective. */
GSHMEMI_ARCH_GIVES(uint64_t, wave_here, (uint64_t key));
/* Position in the group and its size; mask is what wave_enter gave at the head of the call. */
GSHMEMI_ARCH_GIVES(unsigned, group_rank, (int scope, uint64_t mask));
GSHMEMI_ARCH_GIVES(unsigned, group_size, (int scope, uint64_t mask));
/* Wait for the whole group; what its threads wrote before is visible to all of them after. */
GSHMEMI_ARCH_GIVES(void, group_sync, (int scope, uint64_t mask));
/* How many COUNT_WORD have come to this call, as far as the platform sees its work-group; how many must. */
GSHMEMI_ARCH_GIVES(unsigned, group_count, (void));
GSHMEMI_ARCH_GIVES(unsigned, group_due, (void));
/*
 * Meet the work-group, all of which makes the call: words[4] become those of its first thread, as far as the
 * platform knows them.
 */
GSHMEMI_ARCH_GIVES(void, group_read, (uint64_t *words));
/* The lowest of these lanes. */
GSHMEMI_ARCH_GIVES(unsigned, lowest_lane, (uint64_t lanes));
/* The value of one of these lanes, or of the lowest. All of them make the call. */
GSHMEMI_ARCH_GIVES(uint64_t, wave_read, (uint64_t value, uint64_t lanes, unsigned lane));
GSHMEMI_ARCH_GIVES(uint64_t, broadcast, (uint64_t value, uint64_t lanes));
/* Those of these lanes where the predicate holds. All of them make the call. */
GSHMEMI_ARCH_GIVES(uint64_t, ballot, (int predicate, uint64_t lanes));
#if GSHMEMI_ARCH_COMPARES_APART
#define gshmemi_arch_wave_agrees(value, lanes) ((void)(value), (void)(lanes), 1)
#else
/* Whether all of these lanes have the same value. All of them make the call. */
GSHMEMI_ARCH_GIVES(int, wave_agrees, (uint64_t value, uint64_t lanes));
#endif
#if GSHMEMI_ARCH_HAS_ELECT
/*
 * Meet the group. One thread of it gets what group_release is to be given, and goes on alone, meeting nobody; the
 * others get 0 when it calls group_release.
 */
GSHMEMI_ARCH_GIVES(uint64_t, group_elect, (int scope, uint64_t key));
GSHMEMI_ARCH_GIVES(void, group_release, (int scope, uint64_t elected));
#endif

/* ---- registers ---- */

/* A value that is the same in all lanes of the wave: one register may hold it for all. */
GSHMEMI_ARCH_GIVES(uint64_t, uniform, (uint64_t value));

/* ---- memory that another PE may touch at the same time ---- */

/*
 * Relaxed, system scope; nbytes is 1, 2, 4 or 8: one instruction where it is a constant. The value's bits,
 * zero-extended.
 */
GSHMEMI_ARCH_GIVES(uint64_t, load, (const void *address, unsigned nbytes));
GSHMEMI_ARCH_GIVES(void, store, (void *address, uint64_t value, unsigned nbytes));
/*
 * Relaxed read-modify-write at system scope; op is a GSHMEMI_AMO_*: one instruction where it is a
 * constant. Returns the old value. Where the result is not used, compilers emit the form without one.
 */
GSHMEMI_ARCH_GIVES(uint32_t, amo32, (int op, uint32_t *address, uint32_t value, uint32_t cond));
GSHMEMI_ARCH_GIVES(uint64_t, amo64, (int op, uint64_t *address, uint64_t value, uint64_t cond));
/* A hint that this thread writes there soon: the line may come meanwhile, for this thread alone. */
GSHMEMI_ARCH_GIVES(void, claim, (const void *address));

/* ---- bulk memory: nbytes is a constant 16, 8, 4, 2 or 1 ---- */

/* Whether it is memory of the kind that peers have: neither LDS nor a stack. */
GSHMEMI_ARCH_GIVES(int, is_global, (const void *address));
/* Plain accesses to memory for which is_global holds. */
GSHMEMI_ARCH_GIVES(struct gshmemi_word, read_global, (const void *address, unsigned nbytes));
GSHMEMI_ARCH_GIVES(void, write_global, (void *address, struct gshmemi_word word, unsigned nbytes));
/* The same to a peer's memory. After fence_read_peer, no read finds what an earlier one left in a cache. */
GSHMEMI_ARCH_GIVES(struct gshmemi_word, read_peer, (const void *address, unsigned nbytes));
GSHMEMI_ARCH_GIVES(void, write_peer, (void *address, struct gshmemi_word word, unsigned nbytes));
GSHMEMI_ARCH_GIVES(void, fence_read_peer, (void));
#if GSHMEMI_ARCH_HAS_COPY
GSHMEMI_ARCH_GIVES(void, copy, (void *dest, const void *source, size_t nbytes));
#endif

/* ---- order, system scope ---- */

/* What this thread wrote before is visible before what it writes after. */
GSHMEMI_ARCH_GIVES(void, fence_release, (void));
/* What this thread reads after is not older than what it read before. */
GSHMEMI_ARCH_GIVES(void, fence_acquire, (void));
/* What this thread read before it has read before others see what it writes after. */
GSHMEMI_ARCH_GIVES(void, fence_reads, (void));
/* What this thread wrote before has arrived: a later read, too, comes after it. */
GSHMEMI_ARCH_GIVES(void, fence_system, (void));

/* ---- waiting, time, binary16, the end ---- */

/* Between two polls of a waiting loop: others get to run. *polls_p counts the polls, from 0. */
GSHMEMI_ARCH_GIVES(void, pause, (unsigned *polls_p));
#if !GSHMEMI_DEVICE_PASS
/* Between two polls of a thread of the CPU that has its core for itself: a hint to the processor. */
GSHMEMI_ARCH_GIVES(void, relax, (void));
#endif
/* Nanoseconds since some moment; they never go back. */
GSHMEMI_ARCH_GIVES(uint64_t, clock_ns, (void));
#if GSHMEMI_ARCH_HAS_F16
/* binary16 from its bits and back; a NaN stays one. */
GSHMEMI_ARCH_GIVES(float, f16_to_float, (uint16_t bits));
GSHMEMI_ARCH_GIVES(uint16_t, f16_from_float, (float value));
#endif
/* End the kernel, and with it the process, abnormally. A platform that cannot print drops the text. */
GSHMEMI_ARCH_GIVES(void, trap, (const char *why));
#undef GSHMEMI_ARCH_GIVES

/* ---- what follows from it ---- */

#if !GSHMEMI_ARCH_SHARED_MEMORY
#define GSHMEMI_ARCH_SHARE_CORES(nthreads) ((void)(nthreads))
#define GSHMEMI_ARCH_PAUSE_NEAR(polls_p)   gshmemi_arch_pause(polls_p)
#endif
#if !GSHMEMI_ARCH_HAS_GLOBALS
#define GSHMEMI_ARCH_IS_GLOBAL(address, nbytes) 0
#define GSHMEMI_ARCH_SHARE(start, nbytes)       ((void)(start), (void)(nbytes), 0)
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
