/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The primitives on the cpu platform. A lane is a fiber, a wave a group of fibers of one thread, a
 * work-group one thread, a PE one process. Peers are mapped into this process, so C11 atomics between
 * processes are "system scope".
 *
 * arch/c11.h has memory, order and time.
 */
#ifndef GSHMEM_ARCH_CPU_H
#define GSHMEM_ARCH_CPU_H

#include <string.h>
#include <hip/hipcpu.h>

#define GSHMEMI_ARCH_COARSE_COHERENT  1
#define GSHMEMI_ARCH_HAS_GLOBALS      1
#define GSHMEMI_ARCH_IS_CUDA          0
#define GSHMEMI_ARCH_HAS_TICKS        0
#define GSHMEMI_ARCH_MAY_LACK_FINE    0
#define GSHMEMI_ARCH_ROUNDS_SHARED    0
#define GSHMEMI_ARCH_KERNELS_WAKE     1
#define GSHMEMI_ARCH_TYPED_LAUNCH     1 /* a kernel is a function of this program, called */
#define GSHMEMI_ARCH_LOADS_LAZILY     0
#define GSHMEMI_ARCH_HAS_LIBRARIES    0
#define GSHMEMI_ARCH_KEEPS_KEYS_APART 1
#define GSHMEMI_ARCH_NESTS_CALLS      1
#define GSHMEMI_ARCH_COMPARES_APART   1
#define GSHMEMI_ARCH_RUNTIME_SINCE    50200000
#define GSHMEMI_ARCH_RUNTIME_MAJOR    10000000
#define GSHMEMI_ARCH_FD_VALUE_SINCE   0
#define GSHMEMI_ARCH_RETAIN_SINCE     0
#define GSHMEMI_ARCH_SIGNAL_POOL      0

#define GSHMEMI_ARCH_NAME               "cpu"
#define GSHMEMI_ARCH_THREAD_WORD        "thread"
#define GSHMEMI_ARCH_COUNT_WORD         "threads of the work-group"
#define GSHMEMI_ARCH_OWN_THREADS        1 /* more fibers only cost time */
#define GSHMEMI_ARCH_HAS_ATOMICS(value) (value)
#define GSHMEMI_ARCH_IPC_REMEDY         "can processes share memory on this device?"
#define GSHMEMI_ARCH_UNIT_REMEDY        "link it with this library"
#define GSHMEMI_ARCH_WHOLE_CUS(ncus)    (ncus)
#define GSHMEMI_ARCH_IN_KERNEL          (hipcpu_self != NULL)

#define GSHMEMI_ARCH_STATE(TYPE, NAME) static __constant__ TYPE NAME
#define GSHMEMI_ARCH_QUIET_BEGIN
#define GSHMEMI_ARCH_QUIET_END

/* -DGSHMEMI_HOST_COPIES: host calls copy, as if the memory were a GPU's. */
#ifdef GSHMEMI_HOST_COPIES
#define GSHMEMI_ARCH_HOST_DIRECT     0
#define GSHMEMI_ARCH_HAS_LONG_DOUBLE 0
#define GSHMEMI_ARCH_CLOCK_APART     1 /* it is one, and is compared all the same */
#else
#define GSHMEMI_ARCH_HOST_DIRECT     1
#define GSHMEMI_ARCH_HAS_LONG_DOUBLE 1
#define GSHMEMI_ARCH_CLOCK_APART     0
#endif

/*
 * -DGSHMEMI_GENERIC_COPY: the lanes' copy replaces memcpy. 1: as for NVIDIA, with aligned loads and stores.
 * 2: as for AMD, with any alignment; and every other page counts as LDS, so that tests run this path of the
 * copy, too.
 */
#ifdef GSHMEMI_GENERIC_COPY
#define GSHMEMI_ARCH_SHARED_MEMORY 0
#define GSHMEMI_ARCH_HAS_ELECT     0
#define GSHMEMI_ARCH_HAS_COPY      0
#define GSHMEMI_ARCH_UNALIGNED     (GSHMEMI_GENERIC_COPY == 2)
#else
#define GSHMEMI_ARCH_SHARED_MEMORY 1
#define GSHMEMI_ARCH_HAS_ELECT     1
#define GSHMEMI_ARCH_HAS_COPY      1
#define GSHMEMI_ARCH_UNALIGNED     0
#endif

GSHMEMI_ARCH_FN int gshmemi_arch_is_global(const void *address)
{
	return !GSHMEMI_ARCH_UNALIGNED || ((uintptr_t)address >> 12 & 1) == 0;
}

/* Names the place of a group call in the source. Lanes at the same place converge there. */
#define GSHMEMI_ARCH_SITE HIPCPU_SITE(), __LINE__, __FILE__

/* ---- where am I ---- */

GSHMEMI_ARCH_FN unsigned gshmemi_arch_thread_rank(void)
{
	return hipcpu_self ? hipcpu_thread_rank() : 0;
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_thread_count(void)
{
	return hipcpu_self ? hipcpu_thread_count() : 1;
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_lane(void)
{
	return hipcpu_self ? hipcpu_lane_id() : 0;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_block(void)
{
	return hipcpu_self ? hipcpu_block_id() : 0;
}

/* A slot that the same thread used last is in its core's cache. */
GSHMEMI_ARCH_FN uint32_t gshmemi_arch_spread(void)
{
	return (uint32_t)gshmemi_arch_block();
}

#include <gshmem/arch/plain.h> /* layout, registers, callers */

#define GSHMEMI_ARCH_KEEP_INSIDE(value) ((void)0)

/* ---- groups ---- */

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_enter(uint64_t key)
{
	return hipcpu_self ? hipcpu_wave_enter(GSHMEMI_ARCH_SITE, key) : 1;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_peers(uint64_t key)
{
	return hipcpu_self ? hipcpu_wave_mask(GSHMEMI_ARCH_SITE, key) : 1;
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_here(uint64_t key)
{
	return hipcpu_self ? hipcpu_wave_here(GSHMEMI_ARCH_SITE, key) : 1;
}

/* not wave_peers, which waits for lanes that spin */
#define gshmemi_arch_wave_some gshmemi_arch_wave_here

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_rank(int scope, uint64_t mask)
{
	if (scope == GSHMEMI_WG)
		return gshmemi_arch_thread_rank();
	if (scope == GSHMEMI_WAVE)
		return (unsigned)__builtin_popcountll(mask & ((1ULL << gshmemi_arch_lane()) - 1));
	return 0;
}

GSHMEMI_ARCH_FN void gshmemi_arch_group_sync(int scope, uint64_t mask)
{
	if (!hipcpu_self)
		return;
	if (scope == GSHMEMI_WG)
		hipcpu_block_sync(__LINE__, __FILE__);
	else if (scope == GSHMEMI_WAVE)
		hipcpu_wave_sync(GSHMEMI_ARCH_SITE, mask);
}

GSHMEMI_ARCH_FN unsigned gshmemi_arch_group_count(void)
{
	return hipcpu_self ? hipcpu_block_count(__LINE__, __FILE__, true) : 1;
}

GSHMEMI_ARCH_FN void gshmemi_arch_group_read(uint64_t *words)
{
	uint64_t *shared;

	if (!hipcpu_self)
		return;
	shared = hipcpu_block_words();
	if (gshmemi_arch_thread_rank() == 0)
		memcpy(shared, words, 4 * sizeof *words);
	hipcpu_block_sync(__LINE__, __FILE__);
	memcpy(words, shared, 4 * sizeof *words);
	hipcpu_block_sync(__LINE__, __FILE__); /* before the next call writes */
}

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_wave_read(uint64_t value, uint64_t lanes, unsigned lane)
{
	return lanes & (lanes - 1) ? hipcpu_wave_broadcast(GSHMEMI_ARCH_SITE, lanes, value, lane) : value;
}

#include <gshmem/arch/lanes.h> /* group_size, lowest_lane, broadcast */

GSHMEMI_ARCH_FN uint64_t gshmemi_arch_ballot(int predicate, uint64_t lanes)
{
	if (lanes & (lanes - 1))
		return hipcpu_wave_ballot(GSHMEMI_ARCH_SITE, lanes, predicate);
	return predicate ? lanes : 0;
}

#if GSHMEMI_ARCH_HAS_ELECT
/*
 * The group meets once, the lowest lane goes on, and the others sleep until it releases them. Its fences
 * cover all of them, because they are one CPU thread. Interleaving lanes, as a GPU must, is 20 to 100 times
 * slower on a CPU, and a second meeting costs as much as the first.
 */
GSHMEMI_ARCH_FN uint64_t gshmemi_arch_group_elect(int scope, uint64_t key)
{
	if (!hipcpu_self || scope == GSHMEMI_THREAD)
		return 1;
	return scope == GSHMEMI_WG ? hipcpu_block_elect(__LINE__, __FILE__)
				   : hipcpu_wave_elect(GSHMEMI_ARCH_SITE, key);
}

GSHMEMI_ARCH_FN void gshmemi_arch_group_release(int scope, uint64_t elected)
{
	if (!hipcpu_self || scope == GSHMEMI_THREAD)
		return;
	if (scope == GSHMEMI_WG)
		hipcpu_block_release();
	else
		hipcpu_wave_release(elected);
}
#endif

/* ---- memory: the rest is arch/c11.h's ---- */

#if GSHMEMI_ARCH_HAS_COPY
GSHMEMI_ARCH_FN void gshmemi_arch_copy(void *dest, const void *source, size_t nbytes)
{
	if (nbytes == 8) /* one element: two instructions in place of a call */
		memcpy(dest, source, 8);
	else if (nbytes > HIPCPU_LONG_COPY)
		hipcpu_copy_long(dest, source, nbytes);
	else if (nbytes) /* memcpy may not be called with NULL, not even for 0 bytes */
		memcpy(dest, source, nbytes);
}
#endif

#include <gshmem/arch/c11.h> /* memory, order, time */

/* ---- waiting ---- */

/* Lets other lanes run, then other processes. */
GSHMEMI_ARCH_FN void gshmemi_arch_pause(unsigned *polls_p)
{
	hipcpu_pause(polls_p);
}

#if GSHMEMI_ARCH_SHARED_MEMORY
#define GSHMEMI_ARCH_SHARE_CORES(nthreads) hipcpu_share_cores(nthreads)
#define GSHMEMI_ARCH_PAUSE_NEAR(polls_p)   hipcpu_pause_near(polls_p)
#endif

/* ---- delayed delivery, GSHMEM_CPU_DELIVERY: a carrier (gshmem/move/carry.h); platform/cpu/delivery.c --- */

/*
 * A thread performs operations later, in any order that OpenSHMEM allows, even if the caller makes no further
 * call. The caller is a lane, or the host. Each context of a caller has an order of its own.
 */
#define GSHMEMI_ARCH_HAS_DELIVERY 1
struct gshmemi_operation;
GSHMEMI_BEGIN_C
/* base, sig_base: where the PE's regions are mapped. Returns the old value of an atomic that fetches. */
GSHMEM_HOST_API uint64_t gshmemi_delivery_carry(
	const struct gshmemi_operation *operation, char *base, char *sig_base);
/* On each PE, what the caller handed over before is delivered before what it hands over from now on. */
GSHMEM_HOST_API void gshmemi_delivery_order(int context);
/*
 * Deliver what the caller handed over for these PEs (NULL: for all); on the host, what the whole process did.
 */
GSHMEM_HOST_API void gshmemi_delivery_complete(int context, const int *target_pes, size_t npes);
/*
 * Deliver all that is open, of all callers and contexts; stop also ends the thread, which the
 * next operation restarts.
 */
GSHMEM_HOST_API void gshmemi_delivery_flush(void);
GSHMEM_HOST_API void gshmemi_delivery_stop(void);
GSHMEMI_END_C

/* ---- SAN=races: platform/cpu/race/ ---- */

#ifdef HIPCPU_RACES
GSHMEMI_BEGIN_C
/* PE 0 makes the memory that PEs share: *file_p in process *pid_p. Each PE opens it. 0 or a negative errno. */
int gshmemi_detector_make(int *pid_p, int *file_p);
int gshmemi_detector_open(int me, int npes, int pid, int file, void (*fail)(void));
void gshmemi_detector_close(void);
/* A PE's part of a region is at base here. Without cells only its words are watched. */
void gshmemi_detector_part(int pe, unsigned region, const void *base, uint64_t nbytes, int has_cells);
void gshmemi_detector_remove(unsigned region);
/* Races there are not reported. */
void gshmemi_detector_ok(const void *address, uint64_t nbytes);
GSHMEMI_END_C
#endif

/* ---- symmetric variables: platform/cpu/share.c ---- */

/*
 * The .data and .bss of a program of OpenSHMEM. Each PE maps those of others at the same distance as their
 * heaps, so one table serves both. src/ipc/globals.c fills this in; nbytes 0: they are not symmetric.
 */
GSHMEMI_BEGIN_C
GSHMEM_HOST_API struct gshmemi_globals gshmemi_globals;
GSHMEMI_END_C
#define GSHMEMI_ARCH_SHARE(start, nbytes)     hipcpu_share(start, nbytes)
#define GSHMEMI_ARCH_PLACE(address)           hipcpu_place_next(address)
#define GSHMEMI_ARCH_IS_FREE(address, nbytes) hipcpu_is_free(address, nbytes)
#define GSHMEMI_ARCH_IS_GLOBAL(address, size) \
	((uint64_t)((uintptr_t)(address) - (uintptr_t)gshmemi_globals.base) < gshmemi_globals.nbytes && \
		(uint64_t)(size) <= gshmemi_globals.nbytes - \
				(uint64_t)((uintptr_t)(address) - (uintptr_t)gshmemi_globals.base))

/* ---- the end ---- */

GSHMEMI_ARCH_FN void gshmemi_arch_trap(const char *why)
{
	hipcpu_trap(why);
}

#endif /* GSHMEM_ARCH_CPU_H */
