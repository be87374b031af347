/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The primitives of arch/arch.h on NVIDIA GPUs. docs/device-path.md says what each compiles to on which GPU,
 * docs/ordering.md what that guarantees.
 *
 * They are in PTX, which states scope, order and address space more exactly than CUDA C++, and whose
 * assembler understands what the instructions do. The memory model is that of PTX, from sm_70 on.
 */
#ifndef GSHMEM_ARCH_NVIDIA_H
#define GSHMEM_ARCH_NVIDIA_H

#define GSHMEMI_ARCH_HOST_DIRECT     0
#define GSHMEMI_ARCH_IS_CUDA         1
#define GSHMEMI_ARCH_COARSE_COHERENT 1
#define GSHMEMI_ARCH_SHARED_MEMORY   0
#define GSHMEMI_ARCH_HAS_GLOBALS     0
#define GSHMEMI_ARCH_HAS_DELIVERY    0
#define GSHMEMI_ARCH_HAS_LONG_DOUBLE 0
#define GSHMEMI_ARCH_HAS_TICKS       0
#define GSHMEMI_ARCH_MAY_LACK_FINE   0
#define GSHMEMI_ARCH_ROUNDS_SHARED   0
#define GSHMEMI_ARCH_HAS_ELECT       0
#define GSHMEMI_ARCH_NESTS_CALLS     1
#define GSHMEMI_ARCH_HAS_COPY        0
#define GSHMEMI_ARCH_KERNELS_WAKE    0
#define GSHMEMI_ARCH_CLOCK_APART     1
#define GSHMEMI_ARCH_TYPED_LAUNCH    0
#define GSHMEMI_ARCH_LOADS_LAZILY    1
#define GSHMEMI_ARCH_HAS_LIBRARIES   (CUDART_VERSION >= 12000)
#define GSHMEMI_ARCH_RUNTIME_SINCE   12000
#define GSHMEMI_ARCH_RUNTIME_MAJOR   1000
#define GSHMEMI_ARCH_FD_VALUE_SINCE  0
#define GSHMEMI_ARCH_RETAIN_SINCE    0
#define GSHMEMI_ARCH_SIGNAL_POOL     0

#define GSHMEMI_ARCH_NAME               "nvidia"
#define GSHMEMI_ARCH_THREAD_WORD        "thread"
#define GSHMEMI_ARCH_COUNT_WORD         "threads of the work-group"
#define GSHMEMI_ARCH_OWN_THREADS        256
#define GSHMEMI_ARCH_HAS_ATOMICS(value) (value)
#define GSHMEMI_ARCH_IPC_REMEDY \
	"can processes share memory on this device (bare metal or a container with --ipc=host; not WSL, " \
	"not Windows)?"
#define GSHMEMI_ARCH_UNIT_REMEDY     "compile it for this device (gshmemcc, or -gencode)"
#define GSHMEMI_ARCH_WHOLE_CUS(ncus) hipcudaWholeCount(ncus)

/*
 * nvcc warns at each long double in device code that it is double there. That is true of values, which no
 * kernel gets, but not of the layout. It also warns in functions for both sides that the host cannot read the
 * state, which it does not do. clang, which compiles the bitcode, warns of neither and has no such pragmas.
 */
#ifdef __NVCC__
#define GSHMEMI_ARCH_QUIET_BEGIN _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 20091, 20208")
#define GSHMEMI_ARCH_QUIET_END   _Pragma("nv_diagnostic pop")
#else
#define GSHMEMI_ARCH_QUIET_BEGIN
#define GSHMEMI_ARCH_QUIET_END
#endif

#define GSHMEMI_ARCH_STATE(TYPE, NAME) static __constant__ TYPE NAME

#define GSHMEMI_ARCH_LOAD_UNIT(kernel, nkernels_p)   hipcudaLoadUnit((const void *)(kernel), (nkernels_p))
#define GSHMEMI_ARCH_LOAD_MODULE(module, nkernels_p) hipcudaLoadModule((module), (nkernels_p))
#define GSHMEMI_ARCH_LOADS_LATE()                    hipcudaLoadsLate()
#if GSHMEMI_ARCH_HAS_LIBRARIES
#define GSHMEMI_ARCH_LIBRARY                           CUlibrary
#define GSHMEMI_ARCH_LIBRARY_MODULE(module_p, library) hipcudaLibraryGetModule((module_p), (library))
#endif

#if !GSHMEMI_DEVICE_PASS
#include <gshmem/arch/host.h>
#else
#include <gshmem/arch/gpu.h>

#if __CUDA_ARCH__ < 700
#error "gshmem: sm_70 or later: earlier GPUs have no memory model"
#endif

#include <gshmem/arch/plain.h> /* layout, registers, callers */

/*
 * nvcc moves what it computes from a peer's number out of the surrounding loop, and keeps it in registers: 48
 * more in a loop with two put_signals (user_halo on sm_90).
 */
#define GSHMEMI_ARCH_KEEP_INSIDE(value) __asm__ volatile("" : "+r"(value))

/* ---- where am I ---- */

GSHMEMI_ARCH_FN unsigned gshmemi_arch_lane(void)
{
	unsigned lane;

	__asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

/* ---- groups ---- */

/*
 * All lanes of the wave that have not ended: they meet here. Neither nvcc nor the hardware promises that
 * lanes are together again behind divergent code, and on an H100 they are not: two parts of a wave that
 * each made a barrier counted as two barriers.
 */
GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_enter(uint64_t key)
{
	(void)key;
	return __ballot_sync(0xffffffffU, 1);
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_some(uint64_t key)
{
	(void)key;
	return __activemask();
}

/*
 * The whole wave, or this lane alone. Parts of a wave that each had a leader were not safe on an H100 (CUDA
 * 13.0): while one leader waited for a slot, lanes of another part read its registers, and 126 of 27,228
 * lanes wrote to slot 0 (tests/rpc_invoke.hip). Lanes that are alone need no other lane to go on, so they
 * cannot wait for each other for ever, even if there are fewer slots than lanes.
 */
#define gshmemi_arch_wave_here          gshmemi_arch_wave_peers
GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_peers(uint64_t key)
{
	const unsigned lanes = __activemask();

	(void)key;
	return lanes == 0xffffffffU ? lanes : 1U << gshmemi_arch_lane();
}

/*
 * Bits are counted by the compilers' builtins: for CUDA's __popc and __ffs clang calls libdevice, which the
 * bitcode would then need.
 */
GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_rank(int scope, uint64_t mask)
{
	unsigned before;

	if (scope == GSHMEMI_WG)
		return gshmemi_arch_thread_rank();
	if (scope != GSHMEMI_WAVE)
		return 0;
	__asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	return (unsigned)__builtin_popcount((unsigned)mask & before);
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_size(int scope, uint64_t mask)
{
	if (scope == GSHMEMI_WG)
		return gshmemi_arch_thread_count();
	if (scope == GSHMEMI_WAVE)
		return (unsigned)__builtin_popcount((unsigned)mask);
	return 1;
}

GSHMEMI_ARCH_FN void gshmemi_arch_group_sync(int scope, uint64_t mask)
{
	if (scope == GSHMEMI_WG)
		__syncthreads();
	else
		__syncwarp((unsigned)mask);
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_count(void)
{
	return (unsigned)__syncthreads_count(1);
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_lowest_lane(uint64_t lanes)
{
	return (unsigned)__builtin_ffs((int)lanes) - 1;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_read(uint64_t value, uint64_t lanes, unsigned lane)
{
	return __shfl_sync((unsigned)lanes, (unsigned long long)value, (int)lane);
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_broadcast(uint64_t value, uint64_t lanes)
{
	return gshmemi_arch_wave_read(value, lanes, gshmemi_arch_lowest_lane(lanes));
}

/* Without shared memory, so only within each wave. */
GSHMEMI_ARCH_FN void gshmemi_arch_group_read(uint64_t *words)
{
	const uint64_t lanes = __activemask();

	words[0] = gshmemi_arch_broadcast(words[0], lanes);
	words[1] = gshmemi_arch_broadcast(words[1], lanes);
	words[2] = gshmemi_arch_broadcast(words[2], lanes);
	words[3] = gshmemi_arch_broadcast(words[3], lanes);
}

/*
 * A second call in each put takes 24 registers of a kernel that computes (user_gemm on sm_90), checks
 * on or off.
 */
#define GSHMEMI_ARCH_COMPARES_APART     0

GSHMEMI_ARCH_FN int gshmemi_arch_wave_agrees(uint64_t value, uint64_t lanes)
{
	int agrees;

	(void)__match_all_sync((unsigned)lanes, (unsigned long long)value, &agrees);
	return agrees;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_ballot(int predicate, uint64_t lanes)
{
	return __ballot_sync((unsigned)lanes, predicate);
}

/* ---- memory ---- */

#define GSHMEMI_ARCH_ADDRESS(address) "l"(__cvta_generic_to_global(address))

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_load(const void *address, unsigned nbytes)
{
	uint64_t wide;
	uint32_t bits;

	switch (nbytes) {
	case 1:
		__asm__ volatile("ld.relaxed.sys.global.u8 %0, [%1];"
				 : "=r"(bits)
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
		return bits;
	case 2:
		__asm__ volatile("ld.relaxed.sys.global.u16 %0, [%1];"
				 : "=r"(bits)
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
		return bits;
	case 4:
		__asm__ volatile("ld.relaxed.sys.global.u32 %0, [%1];"
				 : "=r"(bits)
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
		return bits;
	default:
		__asm__ volatile("ld.relaxed.sys.global.u64 %0, [%1];"
				 : "=l"(wide)
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
		return wide;
	}
}

GSHMEMI_ARCH_FN void gshmemi_arch_store(void *address, uint64_t value, unsigned nbytes)
{
	switch (nbytes) {
	case 1:
		__asm__ volatile("st.relaxed.sys.global.u8 [%0], %1;"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "r"((uint32_t)value)
				 : "memory");
		break;
	case 2:
		__asm__ volatile("st.relaxed.sys.global.u16 [%0], %1;"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "r"((uint32_t)value)
				 : "memory");
		break;
	case 4:
		__asm__ volatile("st.relaxed.sys.global.u32 [%0], %1;"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "r"((uint32_t)value)
				 : "memory");
		break;
	default:
		__asm__ volatile("st.relaxed.sys.global.u64 [%0], %1;"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "l"(value)
				 : "memory");
		break;
	}
}

#define GSHMEMI_ARCH_ATOM(OP, CONSTRAINT) \
	__asm__ volatile("atom.relaxed.sys.global." OP " %0, [%1], %2;" \
			 : "=" CONSTRAINT(old) \
			 : GSHMEMI_ARCH_ADDRESS(address), CONSTRAINT(value) \
			 : "memory")
#define GSHMEMI_ARCH_AMO(NBITS, CONSTRAINT) \
	GSHMEMI_ARCH_FN uint##NBITS##_t gshmemi_arch_amo##NBITS( \
		int op, uint##NBITS##_t *address, uint##NBITS##_t value, uint##NBITS##_t cond) \
	{ \
		uint##NBITS##_t old = 0; \
\
		switch (op) { \
		case GSHMEMI_AMO_ADD: \
			GSHMEMI_ARCH_ATOM("add.u" #NBITS, CONSTRAINT); \
			break; \
		case GSHMEMI_AMO_AND: \
			GSHMEMI_ARCH_ATOM("and.b" #NBITS, CONSTRAINT); \
			break; \
		case GSHMEMI_AMO_OR: \
			GSHMEMI_ARCH_ATOM("or.b" #NBITS, CONSTRAINT); \
			break; \
		case GSHMEMI_AMO_XOR: \
			GSHMEMI_ARCH_ATOM("xor.b" #NBITS, CONSTRAINT); \
			break; \
		case GSHMEMI_AMO_SWAP: \
			GSHMEMI_ARCH_ATOM("exch.b" #NBITS, CONSTRAINT); \
			break; \
		case GSHMEMI_AMO_CAS: \
			__asm__ volatile( \
				"atom.relaxed.sys.global.cas.b" #NBITS " %0, [%1], %2, %3;" \
				: "=" CONSTRAINT(old) \
				: GSHMEMI_ARCH_ADDRESS(address), CONSTRAINT(cond), CONSTRAINT(value) \
				: "memory"); \
			break; \
		case GSHMEMI_AMO_SET: \
			gshmemi_arch_store(address, value, NBITS / 8); \
			break; \
		default: \
			return (uint##NBITS##_t)gshmemi_arch_load(address, NBITS / 8); \
		} \
		return old; \
	}
GSHMEMI_ARCH_AMO(32, "r")
GSHMEMI_ARCH_AMO(64, "l")
#undef GSHMEMI_ARCH_AMO
#undef GSHMEMI_ARCH_ATOM

/* ---- bulk memory ---- */

#define GSHMEMI_ARCH_UNALIGNED 0

GSHMEMI_ARCH_FN int gshmemi_arch_is_global(const void *address)
{
	return __isGlobal(address) != 0;
}

GSHMEMI_ARCH_FN struct gshmemi_word gshmemi_arch_read_global(const void *address, unsigned nbytes)
{
	struct gshmemi_word word = {{0, 0}};
	uint32_t bits = 0;

	if (nbytes == 16)
		__asm__ volatile("ld.global.v2.u64 {%0, %1}, [%2];"
				 : "=l"(word.half[0]), "=l"(word.half[1])
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
	else if (nbytes == 8)
		__asm__ volatile("ld.global.u64 %0, [%1];"
				 : "=l"(word.half[0])
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
	else if (nbytes == 4)
		__asm__ volatile("ld.global.u32 %0, [%1];"
				 : "=r"(bits)
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
	else if (nbytes == 2)
		__asm__ volatile("ld.global.u16 %0, [%1];"
				 : "=r"(bits)
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
	else
		__asm__ volatile("ld.global.u8 %0, [%1];"
				 : "=r"(bits)
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
	if (nbytes < 8)
		word.half[0] = bits;
	return word;
}

GSHMEMI_ARCH_FN void gshmemi_arch_write_global(void *address, struct gshmemi_word word, unsigned nbytes)
{
	const uint32_t bits = (uint32_t)word.half[0];

	if (nbytes == 16)
		__asm__ volatile("st.global.v2.u64 [%0], {%1, %2};"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "l"(word.half[0]), "l"(word.half[1])
				 : "memory");
	else if (nbytes == 8)
		__asm__ volatile("st.global.u64 [%0], %1;"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "l"(word.half[0])
				 : "memory");
	else if (nbytes == 4)
		__asm__ volatile("st.global.u32 [%0], %1;"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "r"(bits)
				 : "memory");
	else if (nbytes == 2)
		__asm__ volatile("st.global.u16 [%0], %1;"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "r"(bits)
				 : "memory");
	else
		__asm__ volatile("st.global.u8 [%0], %1;"
				 :
				 : GSHMEMI_ARCH_ADDRESS(address), "r"(bits)
				 : "memory");
}

/*
 * The L1 may hold what an earlier read of the peer found, so all reads of peers, also of 16 bytes, pass it.
 */
GSHMEMI_ARCH_FN struct gshmemi_word gshmemi_arch_read_peer(const void *address, unsigned nbytes)
{
	struct gshmemi_word word = {{0, 0}};

	if (nbytes == 16)
		__asm__ volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
				 : "=l"(word.half[0]), "=l"(word.half[1])
				 : GSHMEMI_ARCH_ADDRESS(address)
				 : "memory");
	else
		word.half[0] = gshmemi_arch_load(address, nbytes);
	return word;
}

#define gshmemi_arch_write_peer gshmemi_arch_write_global

/* ---- order ---- */

GSHMEMI_ARCH_FN void gshmemi_arch_fence_release(void)
{
	__asm__ volatile("fence.acq_rel.sys;" ::: "memory");
}

GSHMEMI_ARCH_FN void gshmemi_arch_fence_acquire(void)
{
	__asm__ volatile("fence.acq_rel.sys;" ::: "memory");
}

GSHMEMI_ARCH_FN void gshmemi_arch_fence_reads(void)
{
	__asm__ volatile("fence.acq_rel.gpu;" ::: "memory");
}

GSHMEMI_ARCH_FN void gshmemi_arch_fence_system(void)
{
	__asm__ volatile("fence.sc.sys;" ::: "memory");
}

/* ---- waiting, time ---- */

/* Nothing after the first polls, then up to 64 ns each. */
GSHMEMI_ARCH_FN void gshmemi_arch_pause(unsigned *polls_p)
{
	if (++*polls_p >= 64)
		__nanosleep(64);
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_clock_ns(void)
{
	uint64_t ns;

	__asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

GSHMEMI_ARCH_FN uint32_t gshmemi_arch_spread(void)
{
	return (uint32_t)gshmemi_arch_clock_ns();
}

/* ---- 16-bit floating point ---- */

GSHMEMI_ARCH_FN float gshmemi_arch_f16_to_float(uint16_t bits)
{
	float value;

	__asm__("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
	return value;
}

GSHMEMI_ARCH_FN uint16_t gshmemi_arch_f16_from_float(float value)
{
	uint16_t bits;

	__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
	return bits;
}

/* ---- the end ---- */

GSHMEMI_ARCH_FN void gshmemi_arch_trap(const char *why)
{
	(void)why;
	__trap();
}

#undef GSHMEMI_ARCH_ADDRESS

#endif /* GSHMEMI_DEVICE_PASS */

#endif /* GSHMEM_ARCH_NVIDIA_H */
