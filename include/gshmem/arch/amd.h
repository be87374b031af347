/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The primitives of arch/arch.h on AMD GPUs. docs/device-path.md says what each compiles to on which GPU,
 * docs/ordering.md what that guarantees.
 *
 * The memory model is that of LLVM's AMDGPU back end. A fence at system scope writes back (release) or
 * invalidates (acquire) the caches that are not coherent with other GPUs. Relaxed loads, stores and atomics
 * at system scope carry cache bits that make them pass these caches.
 */
#ifndef GSHMEM_ARCH_AMD_H
#define GSHMEM_ARCH_AMD_H

#define GSHMEMI_ARCH_HOST_DIRECT     0
#define GSHMEMI_ARCH_IS_CUDA         0
#define GSHMEMI_ARCH_COARSE_COHERENT 0 /* AMD promises coherence only at kernel boundaries */
#define GSHMEMI_ARCH_SHARED_MEMORY   0
#define GSHMEMI_ARCH_HAS_GLOBALS     0
#define GSHMEMI_ARCH_HAS_DELIVERY    0
#define GSHMEMI_ARCH_HAS_LONG_DOUBLE 0
#define GSHMEMI_ARCH_HAS_TICKS       1
#define GSHMEMI_ARCH_MAY_LACK_FINE   1
#define GSHMEMI_ARCH_ROUNDS_SHARED   1
#define GSHMEMI_ARCH_HAS_ELECT       0
#define GSHMEMI_ARCH_NESTS_CALLS     0
#define GSHMEMI_ARCH_HAS_COPY        0
#define GSHMEMI_ARCH_KERNELS_WAKE    0
#define GSHMEMI_ARCH_CLOCK_APART     1
#define GSHMEMI_ARCH_TYPED_LAUNCH    0
#define GSHMEMI_ARCH_LOADS_LAZILY    0
#define GSHMEMI_ARCH_HAS_LIBRARIES   0
#define GSHMEMI_ARCH_RUNTIME_SINCE   50200000
#define GSHMEMI_ARCH_RUNTIME_MAJOR   10000000
#define GSHMEMI_ARCH_FD_VALUE_SINCE  70100000
#define GSHMEMI_ARCH_RETAIN_SINCE    71200000 /* or earlier: a lent handle is not released */
#define GSHMEMI_ARCH_SIGNAL_POOL     (HIP_VERSION < 50300000 ? 256 : 0)

#define GSHMEMI_ARCH_NAME               "amd"
#define GSHMEMI_ARCH_THREAD_WORD        "lane"
#define GSHMEMI_ARCH_COUNT_WORD         "lanes of a wave"
#define GSHMEMI_ARCH_OWN_THREADS        512
/* HIP 5.2 gives the type of the link, 4 for XGMI and 2 for PCIe; newer versions give 1 or 0. */
#define GSHMEMI_ARCH_HAS_ATOMICS(value) ((value) == 1 || (value) == 4)
/* ROCm uses calls that only amdgpu-dkms has, or a socket whose name is the owner's pid. */
#define GSHMEMI_ARCH_IPC_REMEDY \
	"ROCm shares memory with amdgpu-dkms, or with HSA_ENABLE_IPC_MODE_LEGACY=0; in containers the " \
	"processes need the same PID and network namespaces"
#define GSHMEMI_ARCH_UNIT_REMEDY \
	"compile it with --offload-arch= of this device, and for HIP 5 with -mcode-object-version=4 " \
	"(gshmemcc does)"
#define GSHMEMI_ARCH_WHOLE_CUS(ncus) (ncus)
#define GSHMEMI_ARCH_QUIET_BEGIN
#define GSHMEMI_ARCH_QUIET_END

/*
 * For the GPU the state is a global symbol that no other code object can replace, so kernels find it without
 * the offset table: 2 instructions and a load less per call. Each unit is a code object of its own. On the
 * host its stand-in is static and has the symbol's name, by which HIP pairs them. Units linked with -fgpu-rdc
 * share one code object, so there the state is static.
 */
#if defined(__CLANG_RDC__)
#define GSHMEMI_ARCH_STATE(TYPE, NAME) static __constant__ TYPE NAME
#elif GSHMEMI_DEVICE_PASS
#define GSHMEMI_ARCH_STATE(TYPE, NAME) \
	extern "C" __constant__ __attribute__((visibility("hidden"))) TYPE NAME; \
	__constant__ TYPE NAME
#else
#define GSHMEMI_ARCH_STATE(TYPE, NAME) static __constant__ TYPE NAME __asm__(#NAME)
#endif

/*
 * Nanoseconds per tick of a GPU's constant clock, by the GPU's name. The number is compiled into kernels; the
 * host compares it with HIP's, if HIP has one (hipDeviceAttributeWallClockRate, in kHz, here by its value:
 * earlier headers lack the name).
 */
#define GSHMEMI_ARCH_TICK_NS(gfx) (__builtin_strncmp(gfx, "gfx90a", 6) == 0 ? 40 : 10)
#define GSHMEMI_ARCH_CLOCK_RATE   ((hipDeviceAttribute_t)10017)

/* Bytes in which a CU gives LDS to work-groups, as LLVM's backend has them. */
#define GSHMEMI_ARCH_SHARED_UNIT(gfx) \
	(__builtin_strncmp(gfx, "gfx950", 6) == 0                ? 1280 \
			: __builtin_strncmp(gfx, "gfx1", 4) == 0 ? 1024 \
								 : 512)

/*
 * Without a link of XGMI a device has no fine-grained memory, unless HSA_FORCE_FINE_GRAIN_PCIE=1. From ROCm
 * 6.3 on HIP then gives coarse memory without an error; before, it says that it is out of memory.
 */
#define GSHMEMI_ARCH_FINE_SUPPORT hipDeviceAttributeFineGrainSupport

#if !GSHMEMI_DEVICE_PASS
#include <gshmem/arch/host.h>
#else
#include <gshmem/arch/gpu.h>

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
/* One counter for loads and stores. */
#define GSHMEMI_ARCH_WAIT "s_waitcnt vmcnt(0)"
#elif defined(__gfx1030__) || defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1033__) || \
	defined(__gfx1034__) || defined(__gfx1035__) || defined(__gfx1036__) || defined(__gfx1100__) || \
	defined(__gfx1101__) || defined(__gfx1102__) || defined(__gfx1103__)
/* One for each. */
#define GSHMEMI_ARCH_WAIT "s_waitcnt vmcnt(0)\n\ts_waitcnt_vscnt null, 0x0"
#else
#error "gshmem: the caches and counters of this GPU are not known:" \
	"gfx90a, gfx942, gfx950, gfx1030 to 1036, gfx1100 to 1103 are"
#endif

/* To the GPU long double is double; in memory it has the CPU's 16 bytes. */
#define GSHMEMI_ARCH_SIZEOF(TYPE)  (__is_same(TYPE, long double) ? 16 : sizeof(TYPE))
#define GSHMEMI_ARCH_ALIGNOF(TYPE) (__is_same(TYPE, long double) ? 16 : __alignof__(TYPE))

/*
 * Whether kernels of this unit post calls. A unit is a code object, and its kernels run only its own code. If
 * none of it posts, fence and quiet have nothing to complete: they test nothing, and kernels keep no
 * registers for what would follow the test. Nobody reads or writes the variable, but if a post mentions its
 * address, the compiler cannot know its value. Units linked with -fgpu-rdc may post for each other.
 */
#ifdef __CLANG_RDC__
#define GSHMEMI_ARCH_HAS_POSTS() 1
#define GSHMEMI_ARCH_MARK_POST() ((void)0)
#else
#define GSHMEMI_ARCH_HAS_POSTS gshmemi_arch_has_posts
#define GSHMEMI_ARCH_MARK_POST gshmemi_arch_mark_post
static __device__ char gshmemi_arch_posts;

/* Only for the GPU: for the host, compilers would keep the variable. */
static inline __device__ __attribute__((always_inline)) int gshmemi_arch_has_posts(void)
{
	return !__builtin_constant_p(gshmemi_arch_posts);
}

static inline __device__ __attribute__((always_inline)) void gshmemi_arch_mark_post(void)
{
	__asm__ volatile("" : : "s"(&gshmemi_arch_posts) : "memory");
}
#endif

/*
 * Peers, the heap and what the library polls are global memory. If compilers know, no instruction has
 * to find out.
 */
#define GSHMEMI_ARCH_GLOBAL     __attribute__((address_space(1)))

/* ---- where am I ---- */

GSHMEMI_ARCH_FN unsigned gshmemi_arch_lane(void)
{
	return __builtin_amdgcn_mbcnt_hi(~0U, __builtin_amdgcn_mbcnt_lo(~0U, 0));
}

/* A value that is the same in all lanes of the wave, in scalar registers. */
GSHMEMI_ARCH_FN uint64_t gshmemi_arch_uniform(uint64_t value)
{
	const uint32_t low = (uint32_t)__builtin_amdgcn_readfirstlane((int)(uint32_t)value);
	const uint32_t high = (uint32_t)__builtin_amdgcn_readfirstlane((int)(uint32_t)(value >> 32));

	return low | (uint64_t)high << 32;
}

/*
 * An out-of-line function that asks for blockIdx or threadIdx makes every kernel that may call it keep them.
 * So callers pass the block, and the lane stands for the thread.
 */
GSHMEMI_ARCH_FN unsigned gshmemi_arch_thread_name(void)
{
	return gshmemi_arch_lane();
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_caller(void)
{
	return gshmemi_arch_block();
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_caller_block(uint64_t caller)
{
	return gshmemi_arch_uniform(caller);
}

/* ---- groups ---- */

/* A wave executes a call for all lanes that make it now: they need not meet, and the key does not matter. */
#define gshmemi_arch_wave_here  gshmemi_arch_wave_enter
#define gshmemi_arch_wave_peers gshmemi_arch_wave_enter
#define gshmemi_arch_wave_some  gshmemi_arch_wave_enter
GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_enter(uint64_t key)
{
	(void)key;
	return __builtin_amdgcn_read_exec();
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_rank(int scope, uint64_t mask)
{
	if (scope == GSHMEMI_WG)
		return gshmemi_arch_thread_rank();
	if (scope == GSHMEMI_WAVE)
		return __builtin_amdgcn_mbcnt_hi(
			(unsigned)(mask >> 32), __builtin_amdgcn_mbcnt_lo((unsigned)mask, 0));
	return 0;
}

/*
 * The lanes of a wave share every cache and issue in order: only the compiler needs the fence. A work-group
 * executes it, too, instead of an else branch: where two branches join clang 19 saves registers with all
 * lanes masked off (tests/isa/masks.py).
 */
GSHMEMI_ARCH_FN void gshmemi_arch_group_sync(int scope, uint64_t mask)
{
	(void)mask;
	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
	__builtin_amdgcn_wave_barrier();
	if (scope == GSHMEMI_WG)
		__syncthreads();
}

/* HIP's __syncthreads_count would take LDS from every kernel, so each wave counts its own lanes. */
GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_count(void)
{
	return (unsigned)__builtin_popcountll(__builtin_amdgcn_read_exec());
}

/* The last wave of a work-group may have fewer lanes than the others. */
GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_due(void)
{
	const unsigned width = (unsigned)warpSize, first = gshmemi_arch_thread_rank() & ~(width - 1);
	const unsigned rest = gshmemi_arch_thread_count() - first;

	return rest < width ? rest : width;
}

#define GSHMEMI_ARCH_COMPARES_APART 1

/* Without LDS, so only within each wave. */
GSHMEMI_ARCH_FN void gshmemi_arch_group_read(uint64_t *words)
{
	words[0] = gshmemi_arch_uniform(words[0]);
	words[1] = gshmemi_arch_uniform(words[1]);
	words[2] = gshmemi_arch_uniform(words[2]);
	words[3] = gshmemi_arch_uniform(words[3]);
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_read(uint64_t value, uint64_t lanes, unsigned lane)
{
	const uint32_t low = (uint32_t)__builtin_amdgcn_readlane((int)(uint32_t)value, (int)lane);
	const uint32_t high = (uint32_t)__builtin_amdgcn_readlane((int)(uint32_t)(value >> 32), (int)lane);

	(void)lanes;
	return low | (uint64_t)high << 32;
}

#include <gshmem/arch/lanes.h> /* group_size, lowest_lane, broadcast */

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_ballot(int predicate, uint64_t lanes)
{
	(void)lanes;
	return __ballot(predicate);
}

/*
 * Moves value into scalar registers and makes the compiler forget what it knows of it. Unoptimized code keeps
 * every value in vector registers or on the stack and cannot meet the constraint, so there this does nothing.
 */
#if GSHMEMI_OPTIMIZED
#define GSHMEMI_ARCH_SCALAR(value) __asm__("" : "+s"(value))
#else
#define GSHMEMI_ARCH_SCALAR(value) ((void)0)
#endif

/*
 * Computes the address of a constant once. Otherwise the compiler adds the offset of each field to the
 * symbol, and computes each sum anew.
 */
#if GSHMEMI_OPTIMIZED
#define GSHMEMI_ARCH_SHARE_ADDRESS(pointer) \
	do { \
		const __attribute__((address_space(4))) void *shared_ = \
			(const __attribute__((address_space(4))) void *)(pointer); \
\
		__asm__("" : "+s"(shared_)); \
		(pointer) = (__typeof__(pointer))shared_; \
	} while (0)
#else
#define GSHMEMI_ARCH_SHARE_ADDRESS(pointer) ((void)0)
#endif

/* The upper half has the value's sign, and scalar registers can be compared with 0 only in 32 bits. */
GSHMEMI_ARCH_FN int32_t gshmemi_arch_uniform_high(int64_t value)
{
	int32_t high = __builtin_amdgcn_readfirstlane((int32_t)(value >> 32));

	GSHMEMI_ARCH_SCALAR(high);
	return high;
}
#define GSHMEMI_ARCH_UNIFORM_HIGH(value) gshmemi_arch_uniform_high(value)

/*
 * What compilers forget: the order of loads; that a 64-bit value is uniform, in a loop or in divergent code;
 * that an address is a uniform pointer plus a lane's offset, which a load or store adds up by itself. The
 * first half of each macro is for values that the compiler takes for divergent; it folds away for others.
 */
#define GSHMEMI_ARCH_KEEP_ORDER()        __asm__ volatile("" ::: "memory")
#define GSHMEMI_ARCH_KEEP_INSIDE(value)  ((void)0)
#define GSHMEMI_ARCH_KEEP_UNIFORM(value) \
	do { \
		(value) = (__typeof__(value))gshmemi_arch_uniform((uint64_t)(value)); \
		GSHMEMI_ARCH_SCALAR(value); \
	} while (0)
#define GSHMEMI_ARCH_KEEP_APART(source, dest, first, second, third, fourth) \
	do { \
		GSHMEMI_ARCH_KEEP_UNIFORM(source); \
		GSHMEMI_ARCH_KEEP_UNIFORM(dest); \
		__asm__("" : "+v"(first), "+v"(second), "+v"(third), "+v"(fourth)); \
	} while (0)

/* ---- memory ---- */

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_load(const void *address, unsigned nbytes)
{
	switch (nbytes) {
	case 1:
		return __hip_atomic_load((const GSHMEMI_ARCH_GLOBAL uint8_t *)address, __ATOMIC_RELAXED,
			__HIP_MEMORY_SCOPE_SYSTEM);
	case 2:
		return __hip_atomic_load((const GSHMEMI_ARCH_GLOBAL uint16_t *)address, __ATOMIC_RELAXED,
			__HIP_MEMORY_SCOPE_SYSTEM);
	case 4:
		return __hip_atomic_load((const GSHMEMI_ARCH_GLOBAL uint32_t *)address, __ATOMIC_RELAXED,
			__HIP_MEMORY_SCOPE_SYSTEM);
	default:
		return __hip_atomic_load((const GSHMEMI_ARCH_GLOBAL uint64_t *)address, __ATOMIC_RELAXED,
			__HIP_MEMORY_SCOPE_SYSTEM);
	}
}

GSHMEMI_ARCH_FN void gshmemi_arch_store(void *address, uint64_t value, unsigned nbytes)
{
	switch (nbytes) {
	case 1:
		__hip_atomic_store((GSHMEMI_ARCH_GLOBAL uint8_t *)address, (uint8_t)value, __ATOMIC_RELAXED,
			__HIP_MEMORY_SCOPE_SYSTEM);
		break;
	case 2:
		__hip_atomic_store((GSHMEMI_ARCH_GLOBAL uint16_t *)address, (uint16_t)value, __ATOMIC_RELAXED,
			__HIP_MEMORY_SCOPE_SYSTEM);
		break;
	case 4:
		__hip_atomic_store((GSHMEMI_ARCH_GLOBAL uint32_t *)address, (uint32_t)value, __ATOMIC_RELAXED,
			__HIP_MEMORY_SCOPE_SYSTEM);
		break;
	default:
		__hip_atomic_store((GSHMEMI_ARCH_GLOBAL uint64_t *)address, value, __ATOMIC_RELAXED,
			__HIP_MEMORY_SCOPE_SYSTEM);
		break;
	}
}

/* Only integer forms: they are single instructions on every link with atomics. */
#define GSHMEMI_ARCH_AMO(NBITS) \
	GSHMEMI_ARCH_FN uint##NBITS##_t gshmemi_arch_amo##NBITS( \
		int op, uint##NBITS##_t *address, uint##NBITS##_t value, uint##NBITS##_t cond) \
	{ \
		GSHMEMI_ARCH_GLOBAL uint##NBITS##_t *at = (GSHMEMI_ARCH_GLOBAL uint##NBITS##_t *)address; \
\
		switch (op) { \
		case GSHMEMI_AMO_ADD: \
			return __hip_atomic_fetch_add( \
				at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); \
		case GSHMEMI_AMO_AND: \
			return __hip_atomic_fetch_and( \
				at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); \
		case GSHMEMI_AMO_OR: \
			return __hip_atomic_fetch_or( \
				at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); \
		case GSHMEMI_AMO_XOR: \
			return __hip_atomic_fetch_xor( \
				at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); \
		case GSHMEMI_AMO_SWAP: \
			return __hip_atomic_exchange( \
				at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); \
		case GSHMEMI_AMO_CAS: \
			(void)__hip_atomic_compare_exchange_strong(at, &cond, value, __ATOMIC_RELAXED, \
				__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM); \
			return cond; \
		case GSHMEMI_AMO_SET: \
			gshmemi_arch_store(address, value, NBITS / 8); \
			return 0; \
		default: \
			return (uint##NBITS##_t)gshmemi_arch_load(address, NBITS / 8); \
		} \
	}
GSHMEMI_ARCH_AMO(32)
GSHMEMI_ARCH_AMO(64)
#undef GSHMEMI_ARCH_AMO

/* ---- bulk memory ---- */

/* The hardware splits loads and stores that are not aligned to their size. */
#define GSHMEMI_ARCH_UNALIGNED  1

GSHMEMI_ARCH_FN int gshmemi_arch_is_global(const void *address)
{
	return !__builtin_amdgcn_is_shared(address) && !__builtin_amdgcn_is_private(address);
}

typedef uint32_t gshmemi_arch_b128 __attribute__((ext_vector_type(4), aligned(1), may_alias));
typedef uint64_t gshmemi_arch_b64 __attribute__((aligned(1), may_alias));
typedef uint32_t gshmemi_arch_b32 __attribute__((aligned(1), may_alias));
typedef uint16_t gshmemi_arch_b16 __attribute__((aligned(1), may_alias));

/* Plain loads and stores, so that the compiler waits for them: it does not know those of inline assembly. */
GSHMEMI_ARCH_FN struct gshmemi_word gshmemi_arch_read_global(const void *address, unsigned nbytes)
{
	struct gshmemi_word word = {{0, 0}};

	if (nbytes == 16) {
		gshmemi_arch_b128 bits = *(const GSHMEMI_ARCH_GLOBAL gshmemi_arch_b128 *)address;

		__builtin_memcpy(&word, &bits, 16);
	} else if (nbytes == 8) {
		word.half[0] = *(const GSHMEMI_ARCH_GLOBAL gshmemi_arch_b64 *)address;
	} else if (nbytes == 4) {
		word.half[0] = *(const GSHMEMI_ARCH_GLOBAL gshmemi_arch_b32 *)address;
	} else if (nbytes == 2) {
		word.half[0] = *(const GSHMEMI_ARCH_GLOBAL gshmemi_arch_b16 *)address;
	} else {
		word.half[0] = *(const GSHMEMI_ARCH_GLOBAL unsigned char *)address;
	}
	return word;
}

GSHMEMI_ARCH_FN void gshmemi_arch_write_global(void *address, struct gshmemi_word word, unsigned nbytes)
{
	if (nbytes == 16) {
		gshmemi_arch_b128 bits;

		__builtin_memcpy(&bits, &word, 16);
		*(GSHMEMI_ARCH_GLOBAL gshmemi_arch_b128 *)address = bits;
	} else if (nbytes == 8) {
		*(GSHMEMI_ARCH_GLOBAL gshmemi_arch_b64 *)address = word.half[0];
	} else if (nbytes == 4) {
		*(GSHMEMI_ARCH_GLOBAL gshmemi_arch_b32 *)address = (uint32_t)word.half[0];
	} else if (nbytes == 2) {
		*(GSHMEMI_ARCH_GLOBAL gshmemi_arch_b16 *)address = (uint16_t)word.half[0];
	} else {
		*(GSHMEMI_ARCH_GLOBAL unsigned char *)address = (unsigned char)word.half[0];
	}
}

/* Peers' memory is read and written like any global memory: fences make it coherent. */
#define gshmemi_arch_read_peer  gshmemi_arch_read_global
#define gshmemi_arch_write_peer gshmemi_arch_write_global

/* ---- order ---- */

/*
 * Compilers up to LLVM 22 drop the wait after the write-back of the L2 if they know of no store before it
 * (for example across a barrier); later stores then overtake the write-back. So the wait is written here.
 */
GSHMEMI_ARCH_FN void gshmemi_arch_fence_release(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
	__asm__ volatile(GSHMEMI_ARCH_WAIT ::: "memory");
}

GSHMEMI_ARCH_FN void gshmemi_arch_fence_acquire(void)
{
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
}

/* The wait is for the memory to acknowledge the stores; later loads of the library pass the caches. */
GSHMEMI_ARCH_FN void gshmemi_arch_fence_system(void)
{
	gshmemi_arch_fence_release();
}

/* Only the wait: there is nothing to write back. */
GSHMEMI_ARCH_FN void gshmemi_arch_fence_reads(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__asm__ volatile(GSHMEMI_ARCH_WAIT ::: "memory");
}

/* Before bulk reads of a peer: drops lines that caches still hold from an earlier read. */
GSHMEMI_ARCH_FN void gshmemi_arch_fence_read_peer(void)
{
	gshmemi_arch_fence_acquire();
}

/* ---- waiting, time ---- */

/* 64 cycles after the first polls, then longer. */
GSHMEMI_ARCH_FN void gshmemi_arch_pause(unsigned *polls_p)
{
	if (++*polls_p < 64)
		__builtin_amdgcn_s_sleep(1);
	else
		__builtin_amdgcn_s_sleep(8);
}

/* In ticks of GSHMEMI_ARCH_TICK_NS. */
#ifdef __gfx90a__
#define GSHMEMI_ARCH_OWN_TICK_NS 40
#else
#define GSHMEMI_ARCH_OWN_TICK_NS 10
#endif

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_clock_ns(void)
{
#if defined(__GFX11__)
	uint64_t ticks;

	__asm__ volatile("s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n\ts_waitcnt lgkmcnt(0)"
			 : "=s"(ticks));
	return ticks * GSHMEMI_ARCH_OWN_TICK_NS;
#else
	return __builtin_amdgcn_s_memrealtime() * GSHMEMI_ARCH_OWN_TICK_NS;
#endif
}

GSHMEMI_ARCH_FN uint32_t gshmemi_arch_spread(void)
{
	return (uint32_t)gshmemi_arch_clock_ns();
}

/* ---- 16-bit floating point ---- */

GSHMEMI_ARCH_FN float gshmemi_arch_f16_to_float(uint16_t bits)
{
	_Float16 value;

	__builtin_memcpy(&value, &bits, sizeof value);
	return (float)value;
}

GSHMEMI_ARCH_FN uint16_t gshmemi_arch_f16_from_float(float value)
{
	const _Float16 rounded = (_Float16)value;
	uint16_t bits;

	__builtin_memcpy(&bits, &rounded, sizeof bits);
	return bits;
}

/* ---- the end ---- */

GSHMEMI_ARCH_FN void gshmemi_arch_trap(const char *why)
{
	(void)why;
	__builtin_trap();
}

#endif /* GSHMEMI_DEVICE_PASS */

#endif /* GSHMEM_ARCH_AMD_H */
