/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only place that chooses a platform. Everything else in include/ and src/ is the same on all platforms.
 *
 * A translation unit is of one of three kinds:
 *
 *   a HIP unit   GSHMEMI_KERNELS 1  may hold kernels; the API is inline and works in kernels and on the CPU
 *   the library  GSHMEMI_LIBRARY    a C file of libgshmem; the same bodies become its exported functions
 *   any other    neither            C or C++ without HIP: prototypes only; no HIP header is needed
 *
 * The first two include arch/<platform>.h, which gives what the list below asks for. A test may define its
 * own primitives instead: -DGSHMEM_ARCH_HEADER='"file.h"'.
 */
#ifndef GSHMEM_ARCH_H
#define GSHMEM_ARCH_H

/* Programs may include gshmem.h inside of extern "C", where templates and overloads cannot be. */
#ifdef __cplusplus
#define GSHMEMI_BEGIN_CXX extern "C++" {
#define GSHMEMI_END_CXX   }
#else
#define GSHMEMI_BEGIN_CXX
#define GSHMEMI_END_CXX
#endif

#if defined(__HIPCC__) || defined(__CUDACC__)
#define GSHMEMI_KERNELS 1
GSHMEMI_BEGIN_CXX
#include <hip/hip_runtime.h>
GSHMEMI_END_CXX
#else
#define GSHMEMI_KERNELS 0
#endif

/* A C file of the library: its copies of the bodies run only on the host, and may call the library. */
#if defined(GSHMEMI_LIBRARY) && !GSHMEMI_KERNELS
#define GSHMEMI_HOST_UNIT 1
#else
#define GSHMEMI_HOST_UNIT 0
#endif

#define GSHMEM_HOST_API    extern __attribute__((visibility("default")))
#define GSHMEM_HOST_INLINE static inline /* what a program compiles into itself */

/* The unit that becomes bitcode (platform/bitcode.hip) exports functions of its own under C names. */
#if defined(__cplusplus) && !defined(GSHMEMI_BITCODE)
#define GSHMEMI_BEGIN_C extern "C" {
#define GSHMEMI_END_C   }
#else
#define GSHMEMI_BEGIN_C
#define GSHMEMI_END_C
#endif

/* Whether the compiler is in its pass for the GPU: it compiles a HIP unit for the CPU and for each GPU. */
#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
#define GSHMEMI_DEVICE_PASS 1
#else
#define GSHMEMI_DEVICE_PASS 0
#endif

/*
 * Whether this code is optimized. nvcc always optimizes GPU code, except with -G; its -O is only for the CPU.
 */
#if defined(__CUDA_ARCH__) ? !defined(__CUDACC_DEBUG__) : defined(__OPTIMIZE__)
#define GSHMEMI_OPTIMIZED 1
#else
#define GSHMEMI_OPTIMIZED 0
#endif

/*
 * Unoptimized kernels call the functions of the headers. Inlined, each call of the API would contain the code
 * for all scopes, sizes and types, because nothing folds: one reduction would take the compiler minutes. The
 * cpu platform always inlines, because it tells lanes apart by their call chains.
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

/*
 * The scope of a call: one thread; the lanes of a wave that make it together; all threads of the work-group.
 */
enum gshmemi_scope { GSHMEMI_THREAD, GSHMEMI_WAVE, GSHMEMI_WG };

/* The most that one instruction moves. */
struct gshmemi_word {
	uint64_t half[2];
};

/* Atomic operations, as primitives and slow path number them. FETCH reads, SET writes. */
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
#include <gshmem/arch/races.h>

/* ---- the list: what a platform gives ---- */

/*
 * All that the library asks of a platform. Files outside of arch/ use nothing else of arch/, and name no
 * platform. A platform's header gives all of it in each pass of its compiler; where kernels run on a GPU,
 * arch/host.h gives the functions for the CPU. If a header lacks something, that is an error here; there
 * are no defaults.
 */

/*
 * Capabilities, 1 or 0. Both tables leave out the prefix GSHMEMI_ARCH_.
 *
 * HOST_DIRECT       the CPU reaches the heap: host calls run the kernels' bodies; 0: they copy by HIP
 * COARSE_COHERENT   a running kernel sees what other devices write to memory of hipMalloc; 0: a later one
 *                   does
 * SHARED_MEMORY     all PEs' memory is equally far, and cores are scarce. SHARE_CORES(n) tells the platform
 *                   that n threads of each PE want a core; PAUSE_NEAR pauses in a wait for a PE with a core
 *                   of its own
 * HAS_GLOBALS       the program's variables can be symmetric: IS_GLOBAL, SHARE, PLACE, IS_FREE
 * HAS_DELIVERY      operations can be delivered late on purpose: the functions gshmemi_delivery_*
 * HAS_LONG_DOUBLE   kernels compute with the CPU's long double
 * HAS_F16           kernels have instructions for binary16: f16_to_float, f16_from_float
 * HAS_TICKS         kernels know the rate of their clock, and the host checks it: TICK_NS, CLOCK_RATE
 * MAY_LACK_FINE     a device may have no fine-grained memory, although hipExtMallocWithFlags then succeeds:
 *                   the attribute FINE_SUPPORT tells
 * ROUNDS_SHARED     the device gives a work-group shared memory in units of SHARED_UNIT(gfx) bytes, and HIP's
 *                   occupancy does not count them
 * HAS_ELECT         one thread works for its group, because threads take turns: group_elect, group_release
 * HAS_COPY          a thread that works alone copies by a function of the platform: copy
 * KERNELS_WAKE      a kernel can wake a thread of the CPU
 * CLOCK_APART       the clock_ns of kernels is another clock than that of the host
 * TYPED_LAUNCH      a kernel is launched by its type; its address is not enough
 * LOADS_LAZILY      the runtime loads a kernel when it is first launched, and may wait for running kernels to
 *                   do so: LOAD_UNIT(kernel, nkernels_p) loads all kernels of the unit that has this one,
 *                   LOAD_MODULE(module, nkernels_p) those of a module; both return a hipError_t. LOADS_LATE()
 *                   says whether the runtime does so in this process
 * HAS_LIBRARIES     the runtime can load kernels for all contexts, as a LIBRARY, a type:
 *                   LIBRARY_MODULE(module_p, library) finds its module of the current context; a hipError_t
 * NESTS_CALLS       functions that kernels call may call others at no cost: see gshmemi_slow_perform_at
 * KEEPS_KEYS_APART  wave_enter never puts lanes with different keys into one group
 * COMPARES_APART    comparing the arguments of a wave is worth a call of its own; 0: wave_agrees
 * IS_CUDA           to MPI the device's memory is CUDA's; 0: HIP's, or ROCm's
 * UNALIGNED         bulk loads and stores take any alignment; 0: they need that of their size
 * RUNTIME_SINCE     the oldest runtime version (hipRuntimeGetVersion) that init accepts
 * RUNTIME_MAJOR     by how much a version grows with its first number; with the second by a hundredth of that
 * FD_VALUE_SINCE    the first runtime version whose hipMemImportFromShareableHandle takes the descriptor
 *                   itself; earlier ones take a pointer to it
 * RETAIN_SINCE      the first version whose hipMemRetainAllocationHandle counts a reference, which
 *                   hipMemRelease gives back; earlier ones lend the handle, and crash on memory of hipMalloc
 * SIGNAL_POOL       how many signals the library has the runtime make for a stream
 *                   (ROC_SIGNAL_POOL_SIZE); 0: the runtime makes as many as it needs
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
#ifndef GSHMEMI_ARCH_HAS_LIBRARIES
#error "gshmem: the platform lacks GSHMEMI_ARCH_HAS_LIBRARIES"
#endif
#if !defined GSHMEMI_ARCH_CLOCK_APART || !defined GSHMEMI_ARCH_LOADS_LAZILY || \
	!defined GSHMEMI_ARCH_MAY_LACK_FINE || !defined GSHMEMI_ARCH_ROUNDS_SHARED
#error "gshmem: the platform lacks GSHMEMI_ARCH_CLOCK_APART, _LOADS_LAZILY, _MAY_LACK_FINE or _ROUNDS_SHARED"
#endif
#if !defined GSHMEMI_ARCH_NESTS_CALLS || !defined GSHMEMI_ARCH_KEEPS_KEYS_APART || \
	!defined GSHMEMI_ARCH_COMPARES_APART || !defined GSHMEMI_ARCH_IS_CUDA || \
	!defined GSHMEMI_ARCH_UNALIGNED
#error "gshmem: the platform lacks GSHMEMI_ARCH_NESTS_CALLS, _KEEPS_KEYS_APART, _COMPARES_APART, _IS_CUDA" \
	"or _UNALIGNED"
#endif
#if !defined GSHMEMI_ARCH_HAS_ATOMICS || !defined GSHMEMI_ARCH_IPC_REMEDY || !defined GSHMEMI_ARCH_UNIT_REMEDY
#error "gshmem: the platform lacks GSHMEMI_ARCH_HAS_ATOMICS, _IPC_REMEDY or _UNIT_REMEDY"
#endif
#if !defined GSHMEMI_ARCH_RUNTIME_SINCE || !defined GSHMEMI_ARCH_RUNTIME_MAJOR || \
	!defined GSHMEMI_ARCH_FD_VALUE_SINCE || !defined GSHMEMI_ARCH_RETAIN_SINCE || \
	!defined GSHMEMI_ARCH_SIGNAL_POOL
#error "gshmem: the platform lacks GSHMEMI_ARCH_RUNTIME_SINCE, _RUNTIME_MAJOR, _FD_VALUE_SINCE," \
	"_RETAIN_SINCE or _SIGNAL_POOL"
#endif

/*
 * Words, numbers, and macros.
 *
 * NAME                    a string: the platform's name, for messages and to compare two compilations
 * THREAD_WORD             a string: what thread_name numbers
 * COUNT_WORD              a string: what group_count counts
 * OWN_THREADS             threads of each work-group that the library launches
 * HAS_ATOMICS(value)      whether hipDevP2PAttrNativeAtomicSupported with this value means atomics
 * IPC_REMEDY              a string: what a user does if processes cannot share memory of the device
 * UNIT_REMEDY             a string: what a user does if the runtime refuses a unit's code
 * WHOLE_CUS(ncus)         compute units of the whole device where HIP counts ncus for this process
 * IN_KERNEL               whether a kernel executes this
 * STATE(TYPE, NAME)       defines the unit's copy of the device state
 * SIZEOF(TYPE)            size in the CPU's layout, for which symmetric objects are made
 * ALIGNOF(TYPE)           alignment in the CPU's layout
 * QUIET_BEGIN             before the inline functions: turns off warnings about correct code
 * QUIET_END               after them: turns the warnings on again
 * HAS_POSTS()             whether kernels of this unit post calls, as far as the compiler knows
 * MARK_POST()             tells HAS_POSTS that a kernel does
 * UNIFORM_HIGH(value)     upper half, an int32_t, of an int64_t that is the same in all lanes of a wave
 * SHARE_ADDRESS(pointer)  computes a constant's address once, not for each field
 * KEEP_ORDER()            keeps loads before it before loads after it
 * KEEP_INSIDE(value)      keeps in a loop what it computes from an int that does not change
 * KEEP_APART(source, dest, first, second, third, fourth)
 *                         keeps uniform pointers and lane offsets apart: each load or store adds them up
 */
#if !defined GSHMEMI_ARCH_NAME || !defined GSHMEMI_ARCH_THREAD_WORD || !defined GSHMEMI_ARCH_COUNT_WORD || \
	!defined GSHMEMI_ARCH_OWN_THREADS || !defined GSHMEMI_ARCH_WHOLE_CUS || \
	!defined GSHMEMI_ARCH_IN_KERNEL
#error "gshmem: the platform lacks GSHMEMI_ARCH_NAME, _THREAD_WORD, _COUNT_WORD, _OWN_THREADS, _WHOLE_CUS" \
	"or _IN_KERNEL"
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
#if GSHMEMI_ARCH_ROUNDS_SHARED && !defined GSHMEMI_ARCH_SHARED_UNIT
#error "gshmem: the platform lacks GSHMEMI_ARCH_SHARED_UNIT(gfx)"
#endif
#if GSHMEMI_ARCH_MAY_LACK_FINE && !defined GSHMEMI_ARCH_FINE_SUPPORT
#error "gshmem: the platform lacks GSHMEMI_ARCH_FINE_SUPPORT"
#endif
#if GSHMEMI_ARCH_HAS_TICKS && !(defined GSHMEMI_ARCH_TICK_NS && defined GSHMEMI_ARCH_CLOCK_RATE)
#error "gshmem: the platform lacks GSHMEMI_ARCH_TICK_NS(gfx) or GSHMEMI_ARCH_CLOCK_RATE"
#endif
#if GSHMEMI_ARCH_HAS_LIBRARIES && !(defined GSHMEMI_ARCH_LIBRARY && defined GSHMEMI_ARCH_LIBRARY_MODULE)
#error "gshmem: the platform lacks GSHMEMI_ARCH_LIBRARY or _LIBRARY_MODULE"
#endif
#if GSHMEMI_ARCH_LOADS_LAZILY && \
	!(defined GSHMEMI_ARCH_LOAD_UNIT && defined GSHMEMI_ARCH_LOAD_MODULE && \
		defined GSHMEMI_ARCH_LOADS_LATE)
#error "gshmem: the platform lacks GSHMEMI_ARCH_LOAD_UNIT, _LOAD_MODULE or _LOADS_LATE"
#endif
#if GSHMEMI_ARCH_HAS_GLOBALS && \
	!(defined GSHMEMI_ARCH_IS_GLOBAL && defined GSHMEMI_ARCH_SHARE && defined GSHMEMI_ARCH_PLACE && \
		defined GSHMEMI_ARCH_IS_FREE)
#error "gshmem: the platform lacks GSHMEMI_ARCH_IS_GLOBAL, _SHARE, _PLACE or _IS_FREE"
#endif
#if GSHMEMI_ARCH_SHARED_MEMORY && !(defined GSHMEMI_ARCH_SHARE_CORES && defined GSHMEMI_ARCH_PAUSE_NEAR)
#error "gshmem: the platform lacks GSHMEMI_ARCH_SHARE_CORES or GSHMEMI_ARCH_PAUSE_NEAR"
#endif

/* Functions. A missing one, or one with another signature, does not compile; the check makes no code. */
#ifdef __cplusplus
GSHMEMI_BEGIN_CXX
template <typename A, typename B> struct gshmemi_arch_same {
	enum { yes = 0 };
};
template <typename A> struct gshmemi_arch_same<A, A> {
	enum { yes = 1 };
};
GSHMEMI_END_CXX
#define GSHMEMI_ARCH_GIVES(TYPE, NAME, PARAMETERS) \
	static_assert(gshmemi_arch_same<decltype(gshmemi_arch_##NAME), TYPE PARAMETERS>::yes, \
		"gshmem: the platform's header gives gshmemi_arch_" #NAME " another signature")
#else
#define GSHMEMI_ARCH_GIVES(TYPE, NAME, PARAMETERS) \
	_Static_assert(_Generic(&gshmemi_arch_##NAME, TYPE(*) PARAMETERS : 1, default : 0), \
		"gshmem: the platform's header gives gshmemi_arch_" #NAME " another signature")
#endif

/* ---- where am I ---- */

/* Position of this thread in its work-group, over all dimensions, and the work-group's size. */
GSHMEMI_ARCH_GIVES(unsigned, thread_rank, (void));
GSHMEMI_ARCH_GIVES(unsigned, thread_count, (void));
/* Position of this thread in its wave. */
GSHMEMI_ARCH_GIVES(unsigned, lane, (void));
/* For messages: the rank, or the lane where the rank costs too much. */
GSHMEMI_ARCH_GIVES(unsigned, thread_name, (void));
/* For messages: number of this work-group in the grid, over all dimensions. */
GSHMEMI_ARCH_GIVES(uint64_t, block, (void));
/* Pass caller() to an out-of-line function, which learns the block from it where it cannot ask for it. */
GSHMEMI_ARCH_GIVES(uint64_t, caller, (void));
GSHMEMI_ARCH_GIVES(uint64_t, caller_block, (uint64_t caller));
/* A number that differs between waves that ask at the same time. An out-of-line function may ask. */
GSHMEMI_ARCH_GIVES(uint32_t, spread, (void));

/* ---- groups: GSHMEMI_THREAD, GSHMEMI_WAVE (the lanes that make the call together), GSHMEMI_WG ---- */

/*
 * Meet the lanes of the wave that make this call together; returns their mask, on the host bit 0.
 * Lanes with other keys (arguments) make other calls: in a loop they may be in other iterations, which
 * a GPU keeps apart.
 */
GSHMEMI_ARCH_GIVES(uint64_t, wave_enter, (uint64_t key));
/*
 * The same for calls that lanes make while others wait in a loop for their effect: a put, not a collective.
 */
GSHMEMI_ARCH_GIVES(uint64_t, wave_here, (uint64_t key));
/*
 * The same for calls that each lane makes for itself, and lanes together only to be faster: a wave that the
 * hardware has split makes such a call in parts, and may. The lanes meet again later in the call.
 */
GSHMEMI_ARCH_GIVES(uint64_t, wave_peers, (uint64_t key));
/* The lanes that are here now, to choose one of them. They need not be together at any later point. */
GSHMEMI_ARCH_GIVES(uint64_t, wave_some, (uint64_t key));
/* Position in the group, and its size. mask is what wave_enter returned at the head of the call. */
GSHMEMI_ARCH_GIVES(unsigned, group_rank, (int scope, uint64_t mask));
GSHMEMI_ARCH_GIVES(unsigned, group_size, (int scope, uint64_t mask));
/* Wait for the whole group; what its threads wrote before is visible to all of them afterwards. */
GSHMEMI_ARCH_GIVES(void, group_sync, (int scope, uint64_t mask));
/* How many COUNT_WORD make this call, as far as the platform sees its work-group, and how many must. */
GSHMEMI_ARCH_GIVES(unsigned, group_count, (void));
GSHMEMI_ARCH_GIVES(unsigned, group_due, (void));
/*
 * Meet the work-group, all of which makes the call: words[4] become those of its first thread, as far as the
 * platform knows them.
 */
/* clang-format off */
GSHMEMI_ARCH_GIVES(void, group_read, (uint64_t *words));
/* clang-format on */
/* The lowest of these lanes. */
GSHMEMI_ARCH_GIVES(unsigned, lowest_lane, (uint64_t lanes));
/* The value of one of these lanes; of the lowest. All of them make the call. */
GSHMEMI_ARCH_GIVES(uint64_t, wave_read, (uint64_t value, uint64_t lanes, unsigned lane));
GSHMEMI_ARCH_GIVES(uint64_t, broadcast, (uint64_t value, uint64_t lanes));
/* The lanes, of these, in which the predicate holds. All of them make the call. */
GSHMEMI_ARCH_GIVES(uint64_t, ballot, (int predicate, uint64_t lanes));
#if GSHMEMI_ARCH_COMPARES_APART
#define gshmemi_arch_wave_agrees(value, lanes) ((void)(value), (void)(lanes), 1)
#else
/* Whether all of these lanes have the same value. All of them make the call. */
GSHMEMI_ARCH_GIVES(int, wave_agrees, (uint64_t value, uint64_t lanes));
#endif
#if GSHMEMI_ARCH_HAS_ELECT
/*
 * Meet the group. One thread receives the argument for group_release and goes on alone, without meeting
 * others; the other threads receive 0 when it calls group_release.
 */
GSHMEMI_ARCH_GIVES(uint64_t, group_elect, (int scope, uint64_t key));
GSHMEMI_ARCH_GIVES(void, group_release, (int scope, uint64_t elected));
#endif

/* ---- registers ---- */

/* A value that is the same in all lanes of the wave: one scalar register may hold it. */
GSHMEMI_ARCH_GIVES(uint64_t, uniform, (uint64_t value));

/* ---- memory that another PE may touch at the same time ---- */

/*
 * Relaxed load and store at system scope, of bits, zero-extended. nbytes is 1, 2, 4 or 8; one instruction if
 * it is a constant.
 */
GSHMEMI_ARCH_GIVES(uint64_t, load, (const void *address, unsigned nbytes));
GSHMEMI_ARCH_GIVES(void, store, (void *address, uint64_t value, unsigned nbytes));
/*
 * Relaxed read-modify-write at system scope; returns the old value. op is a GSHMEMI_AMO_*; one instruction if
 * it is a constant. If the result is not used, compilers emit the form without one.
 */
GSHMEMI_ARCH_GIVES(uint32_t, amo32, (int op, uint32_t *address, uint32_t value, uint32_t cond));
GSHMEMI_ARCH_GIVES(uint64_t, amo64, (int op, uint64_t *address, uint64_t value, uint64_t cond));
/* A hint that this thread will write there soon: its cache may fetch the line for writing. */
GSHMEMI_ARCH_GIVES(void, claim, (const void *address));

/* ---- bulk memory: nbytes is a constant 16, 8, 4, 2 or 1 ---- */

/* Whether an address is of global memory, the kind that peers have: neither LDS nor a stack. */
GSHMEMI_ARCH_GIVES(int, is_global, (const void *address));
/* Plain loads and stores of memory for which is_global holds. */
GSHMEMI_ARCH_GIVES(struct gshmemi_word, read_global, (const void *address, unsigned nbytes));
GSHMEMI_ARCH_GIVES(void, write_global, (void *address, struct gshmemi_word word, unsigned nbytes));
/* The same for a peer's memory. After fence_read_peer no read finds what an earlier one left in a cache. */
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
/* What this thread read before has been read before others see what it writes after. */
GSHMEMI_ARCH_GIVES(void, fence_reads, (void));
/* What this thread wrote before has arrived; its later reads, too, come after that. */
GSHMEMI_ARCH_GIVES(void, fence_system, (void));

/* ---- waiting, time, binary16, the end ---- */

/* Pause between two polls, so that others run. *polls_p counts the polls, from 0. */
GSHMEMI_ARCH_GIVES(void, pause, (unsigned *polls_p));
#if !GSHMEMI_DEVICE_PASS
/* Pause between two polls of a CPU thread that has its core to itself: a hint to the processor. */
GSHMEMI_ARCH_GIVES(void, relax, (void));
#endif
/* Nanoseconds since some moment; never goes back. */
GSHMEMI_ARCH_GIVES(uint64_t, clock_ns, (void));
#if GSHMEMI_ARCH_HAS_F16
/* Converts the bits of a binary16 to a float and back; a NaN stays a NaN. */
GSHMEMI_ARCH_GIVES(float, f16_to_float, (uint16_t bits));
GSHMEMI_ARCH_GIVES(uint16_t, f16_from_float, (float value));
#endif
/* Ends the kernel and the process abnormally. A platform that cannot print drops the text. */
GSHMEMI_ARCH_GIVES(void, trap, (const char *why));
#undef GSHMEMI_ARCH_GIVES

/* ---- what follows from the list ---- */

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

/*
 * Whether the compiler knows x, so that code for other values goes. nvcc takes the builtin for the host's.
 * Without optimization no parameter is known, and clang 19 crashes on the code behind the builtin for AMD
 * GPUs.
 */
#if GSHMEMI_ARCH_IS_CUDA
#define GSHMEMI_MAY_BE_CONSTANT(x) 1
#elif !GSHMEMI_OPTIMIZED
#define GSHMEMI_MAY_BE_CONSTANT(x) 0
#else
#define GSHMEMI_MAY_BE_CONSTANT(x) __builtin_constant_p(x)
#endif

#define GSHMEMI_SIZEOF(TYPE)  GSHMEMI_ARCH_SIZEOF(TYPE)
#define GSHMEMI_ALIGNOF(TYPE) GSHMEMI_ARCH_ALIGNOF(TYPE)
#endif

/*
 * GSHMEM_API               a function of the API that kernels may call, too
 * GSHMEM_HOST_API          a function of the API that only the CPU may call
 * GSHMEMI_OF_GROUPS(...)   a call of waves or work-groups: only units with kernels have it
 * GSHMEMI_LONG_DOUBLE_API  GSHMEM_API for a value of long double, which GPUs do not have
 * GSHMEMI_FN               a function that optimized code must inline: on the direct path of kernels
 * GSHMEMI_COLD             a function that must stay out of line: behind a sentinel
 */
#if GSHMEMI_KERNELS
#define GSHMEMI_FN             GSHMEMI_INLINE __host__ __device__
#define GSHMEMI_COLD           static __host__ __device__ __attribute__((noinline, cold, unused))
#define GSHMEM_API             GSHMEMI_FN
#define GSHMEMI_OF_GROUPS(...) __VA_ARGS__
#if GSHMEMI_ARCH_HAS_LONG_DOUBLE
#define GSHMEMI_LONG_DOUBLE_API GSHMEM_API
#else
#define GSHMEMI_LONG_DOUBLE_API static inline __host__ __attribute__((unused))
#endif
/*
 * Kernels never call these, but compilers see the calls in their pass for the GPU. nvcc -G even keeps the
 * calls, although no kernel reaches them, and needs the functions defined.
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
#define GSHMEMI_LONG_DOUBLE_API                   GSHMEM_API
#define GSHMEMI_HOST_CALL(TYPE, NAME, PARAMETERS) GSHMEM_HOST_API TYPE NAME PARAMETERS
#define GSHMEMI_FN                                GSHMEMI_INLINE
#define GSHMEMI_COLD                              static __attribute__((noinline, cold, unused))
#define GSHMEM_API                                extern __attribute__((visibility("default")))
#define GSHMEMI_OF_GROUPS(...)
#endif

#endif /* GSHMEM_ARCH_H */
