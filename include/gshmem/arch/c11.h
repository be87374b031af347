/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The primitives of memory, order and time in C11: the CPU executes them on every platform, and kernels do
 * on the cpu platform. Between processes that share memory, C11 atomics are "system scope". They rely on C11
 * alone, for CPUs with any memory order; x86 executes an instruction only for fence_system, aarch64 a dmb
 * for each fence.
 */
#ifndef GSHMEM_ARCH_C11_H
#define GSHMEM_ARCH_C11_H

#include <stdint.h>
#include <time.h>

#define GSHMEMI_ARCH_HAS_F16 0

/*
 * Relaxed, except under ThreadSanitizer, which does not see the order of fences: there each load and
 * store has the order of the fence beside it. Between the lanes of a block that would hide races, so
 * there they stay relaxed.
 */
#if defined(__SANITIZE_THREAD__)
#define GSHMEMI_ARCH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GSHMEMI_ARCH_TSAN 1
#endif
#endif
#if defined(GSHMEMI_ARCH_TSAN) && !defined(HIPCPU_TSAN_LANES) && !defined(HIPCPU_RACES)
#define GSHMEMI_ARCH_LOAD_ORDER  __ATOMIC_ACQUIRE
#define GSHMEMI_ARCH_STORE_ORDER __ATOMIC_RELEASE
#define GSHMEMI_ARCH_AMO_ORDER   __ATOMIC_ACQ_REL
#else
#define GSHMEMI_ARCH_LOAD_ORDER  __ATOMIC_RELAXED
#define GSHMEMI_ARCH_STORE_ORDER __ATOMIC_RELAXED
#define GSHMEMI_ARCH_AMO_ORDER   __ATOMIC_RELAXED
#endif

#include <gshmem/arch/races.h>

/* A watched program's loads are the detector's. */
#ifdef HIPCPU_RACES
#define GSHMEMI_ARCH_LOAD gshmemi_arch_load_quietly
#else
#define GSHMEMI_ARCH_LOAD gshmemi_arch_load
#endif

/* ---- memory that another PE may touch at the same time ---- */

GSHMEMI_ARCH_FN uint64_t GSHMEMI_ARCH_LOAD(const void *address, unsigned nbytes)
{
	switch (nbytes) {
	case 1:
		return __atomic_load_n((const uint8_t *)address, GSHMEMI_ARCH_LOAD_ORDER);
	case 2:
		return __atomic_load_n((const uint16_t *)address, GSHMEMI_ARCH_LOAD_ORDER);
	case 4:
		return __atomic_load_n((const uint32_t *)address, GSHMEMI_ARCH_LOAD_ORDER);
	default:
		return __atomic_load_n((const uint64_t *)address, GSHMEMI_ARCH_LOAD_ORDER);
	}
}

#ifdef HIPCPU_RACES
GSHMEMI_ARCH_FN uint64_t gshmemi_arch_load(const void *address, unsigned nbytes)
{
	return hipcpu_race_load(address, nbytes);
}
#endif

GSHMEMI_ARCH_FN void gshmemi_arch_store(void *address, uint64_t value, unsigned nbytes)
{
	switch (nbytes) {
	case 1:
		__atomic_store_n((uint8_t *)address, (uint8_t)value, GSHMEMI_ARCH_STORE_ORDER);
		break;
	case 2:
		__atomic_store_n((uint16_t *)address, (uint16_t)value, GSHMEMI_ARCH_STORE_ORDER);
		break;
	case 4:
		__atomic_store_n((uint32_t *)address, (uint32_t)value, GSHMEMI_ARCH_STORE_ORDER);
		break;
	default:
		__atomic_store_n((uint64_t *)address, value, GSHMEMI_ARCH_STORE_ORDER);
		break;
	}
}

#define GSHMEMI_ARCH_AMO(NBITS) \
	GSHMEMI_ARCH_FN uint##NBITS##_t gshmemi_arch_amo##NBITS( \
		int op, uint##NBITS##_t *address, uint##NBITS##_t value, uint##NBITS##_t cond) \
	{ \
		switch (op) { \
		case GSHMEMI_AMO_ADD: \
			return __atomic_fetch_add(address, value, GSHMEMI_ARCH_AMO_ORDER); \
		case GSHMEMI_AMO_AND: \
			return __atomic_fetch_and(address, value, GSHMEMI_ARCH_AMO_ORDER); \
		case GSHMEMI_AMO_OR: \
			return __atomic_fetch_or(address, value, GSHMEMI_ARCH_AMO_ORDER); \
		case GSHMEMI_AMO_XOR: \
			return __atomic_fetch_xor(address, value, GSHMEMI_ARCH_AMO_ORDER); \
		case GSHMEMI_AMO_SWAP: \
			return __atomic_exchange_n(address, value, GSHMEMI_ARCH_AMO_ORDER); \
		case GSHMEMI_AMO_CAS: \
			__atomic_compare_exchange_n( \
				address, &cond, value, 0, GSHMEMI_ARCH_AMO_ORDER, GSHMEMI_ARCH_LOAD_ORDER); \
			return cond; \
		case GSHMEMI_AMO_SET: \
			__atomic_store_n(address, value, GSHMEMI_ARCH_STORE_ORDER); \
			return 0; \
		default: \
			return __atomic_load_n(address, GSHMEMI_ARCH_LOAD_ORDER); \
		} \
	}
GSHMEMI_ARCH_AMO(32)
GSHMEMI_ARCH_AMO(64)
#undef GSHMEMI_ARCH_AMO

/* For x86 compilers __builtin_prefetch is a hint to read, unless they know the processor. */
GSHMEMI_ARCH_FN void gshmemi_arch_claim(const void *address)
{
#ifdef __x86_64__
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
	__builtin_prefetch(address, 1);
#endif
}

/* ---- bulk memory ---- */

GSHMEMI_ARCH_FN struct gshmemi_word gshmemi_arch_read_global(const void *address, unsigned nbytes)
{
	struct gshmemi_word word = {{0, 0}};

	__builtin_memcpy(&word, address, nbytes);
	return word;
}

GSHMEMI_ARCH_FN void gshmemi_arch_write_global(void *address, struct gshmemi_word word, unsigned nbytes)
{
	__builtin_memcpy(address, &word, nbytes);
}

#define gshmemi_arch_read_peer  gshmemi_arch_read_global
#define gshmemi_arch_write_peer gshmemi_arch_write_global

/* ---- order, system scope ---- */

GSHMEMI_ARCH_FN void gshmemi_arch_fence_release(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

GSHMEMI_ARCH_FN void gshmemi_arch_fence_acquire(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	GSHMEMI_RACE_ACQUIRE();
}

/* A release also orders reads before it. */
GSHMEMI_ARCH_FN void gshmemi_arch_fence_reads(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

GSHMEMI_ARCH_FN void gshmemi_arch_fence_system(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- waiting, time ---- */

/* On aarch64 not yield, which is a nop on most cores. */
GSHMEMI_ARCH_FN void gshmemi_arch_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

#endif /* GSHMEM_ARCH_C11_H */
