/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checker's own test, without the library: ordering.py must find broken_RULE_... broken by that rule, and
 * sound_... by none. Functions here have the names of the library's functions that ordering.py knows.
 */
#include <hip/hip_runtime.h>

#define KERNEL extern "C" __global__ void
#define INLINE __device__ static inline __attribute__((always_inline))

#if defined(__gfx90a__)
#define WRITE_BACK "buffer_wbl2"
#define WAIT       "s_waitcnt vmcnt(0)"
#elif defined(__GFX10__) || defined(__GFX11__)
#define WAIT "s_waitcnt_vscnt null, 0x0"
#else
#define WRITE_BACK "buffer_wbl2 sc0 sc1"
#define WAIT       "s_waitcnt vmcnt(0)"
#endif
#ifdef WRITE_BACK
#define RELEASE WRITE_BACK "\n\t" WAIT
#else
#define RELEASE WAIT
#endif

INLINE void gshmemi_arch_store(unsigned long long *address, unsigned long long value)
{
	__hip_atomic_store(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

INLINE void gshmemi_count_add(unsigned long long *counter)
{
	__hip_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

INLINE void gshmemi_slow_perform_at(int *dest, int value)
{
	dest[threadIdx.x] = value;
}

INLINE int load(const int *address)
{
	return __hip_atomic_load(address, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

INLINE void isa_flag(unsigned long long *flag)
{
	gshmemi_arch_store(flag, 1);
}

INLINE void gshmemi_group_end()
{
	__builtin_amdgcn_s_barrier();
}

INLINE void gshmemi_copy_signal(int *dest, int value, unsigned long long *flag, bool wait)
{
	dest[threadIdx.x] = value;
	if (wait)
		asm volatile(RELEASE ::: "memory");
	gshmemi_group_end();
	if (threadIdx.x == 0)
		gshmemi_arch_store(flag, 1);
}

INLINE void gshmemi_wait_until(const int *word, bool acquire)
{
	if (threadIdx.x == 0) {
		while (load(word) == 0)
			__builtin_amdgcn_s_sleep(1);
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
	}
	gshmemi_group_end();
	if (acquire)
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
}

INLINE int gshmemi_arch_read_peer(const int *source)
{
	return *source;
}

INLINE int gshmemi_get(const int *source, bool acquire)
{
	if (acquire)
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
	return gshmemi_arch_read_peer(source);
}

/* ---- write-back ---- */

#ifdef WRITE_BACK
KERNEL broken_write_back_flag(int *dest, int value, unsigned long long *flag)
{
	dest[threadIdx.x] = value;
	asm volatile(WRITE_BACK ::: "memory");
	gshmemi_arch_store(flag, 1);
}

/* Only one of two paths waits. */
KERNEL broken_write_back_path(int *dest, int value, unsigned long long *flag, int rare)
{
	dest[threadIdx.x] = value;
	asm volatile(WRITE_BACK ::: "memory");
	if (rare)
		asm volatile(WAIT ::: "memory");
	asm volatile("" ::: "memory");
	gshmemi_arch_store(flag, 1);
}

KERNEL broken_write_back_barrier(int *dest, int value)
{
	dest[threadIdx.x] = value;
	asm volatile(WRITE_BACK ::: "memory");
	__builtin_amdgcn_s_barrier();
}

KERNEL broken_write_back_end(int *dest, int value)
{
	dest[threadIdx.x] = value;
	asm volatile(WRITE_BACK ::: "memory");
}

/* Waits, but leaves one store open. */
KERNEL broken_write_back_partly(int *dest, int value, unsigned long long *flag)
{
	dest[threadIdx.x] = value;
	asm volatile(WRITE_BACK "\n\ts_waitcnt vmcnt(1)" ::: "memory");
	gshmemi_arch_store(flag, 1);
}

KERNEL sound_write_back(int *dest, int value, unsigned long long *flag)
{
	dest[threadIdx.x] = value;
	asm volatile(WRITE_BACK "\n\t" WAIT ::: "memory");
	gshmemi_arch_store(flag, 1);
}
#endif

/* ---- flag ---- */

KERNEL broken_flag_no_wait(int *dest, int value, unsigned long long *flag)
{
	dest[threadIdx.x] = value;
	isa_flag(flag);
}

#if !defined(__GFX11__) /* there the compiler waits in front of every barrier */
/* Thread 0's release after a barrier does not wait for the other waves' stores. */
KERNEL broken_flag_other_waves(int *dest, int value, unsigned long long *flag)
{
	dest[threadIdx.x] = value;
	__builtin_amdgcn_s_barrier();
	if (threadIdx.x == 0) {
		asm volatile(WAIT ::: "memory");
		isa_flag(flag);
	}
}

KERNEL broken_flag_group(int *dest, int value, unsigned long long *flag)
{
	gshmemi_copy_signal(dest, value, flag, false);
}
#endif

/* A loop that stores after its wait. */
KERNEL broken_flag_loop(int *dest, int value, unsigned long long *flag, int n)
{
	for (int i = 0; i < n; i++) {
		asm volatile(WAIT ::: "memory");
		dest[threadIdx.x * n + i] = value;
	}
	isa_flag(flag);
}

#ifdef WRITE_BACK
/* The store was waited for, but is still in the L2. */
KERNEL broken_flag_cached(int *dest, int value, unsigned long long *flag)
{
	dest[threadIdx.x] = value;
	asm volatile(WAIT ::: "memory");
	isa_flag(flag);
}
#endif

/* A called function returns while its store is on its way. */
__device__ __attribute__((noinline)) void store_at(int *dest, int value)
{
	dest[threadIdx.x] = value;
}

KERNEL broken_flag_call(int *dest, int value, unsigned long long *flag)
{
	store_at(dest, value);
	isa_flag(flag);
}

KERNEL sound_flag_call(int *dest, int value, unsigned long long *flag)
{
	store_at(dest, value);
	asm volatile(RELEASE ::: "memory");
	isa_flag(flag);
}

/* The slow path performs a flag after it has counted it, and the counter publishes nothing. */
__device__ __attribute__((noinline)) void count_at(unsigned long long *counter)
{
	gshmemi_count_add(counter);
}

KERNEL sound_flag_count(unsigned long long *counter, unsigned long long *flag)
{
	count_at(counter);
	isa_flag(flag);
}

/* The slow path performs an operation; the caller does not wait for it. */
__device__ __attribute__((noinline)) void perform_at(int *dest, int value)
{
	gshmemi_slow_perform_at(dest, value);
}

INLINE void gshmemi_slow_p(int *dest, int value)
{
	perform_at(dest, value);
}

KERNEL broken_flag_slow(int *dest, int value, unsigned long long *flag)
{
	gshmemi_slow_p(dest, value);
	isa_flag(flag);
}

KERNEL sound_flag_slow(int *dest, int value, unsigned long long *flag)
{
	gshmemi_slow_p(dest, value);
	asm volatile(RELEASE ::: "memory");
	isa_flag(flag);
}

KERNEL sound_flag(int *dest, int value, unsigned long long *flag, int n)
{
	for (int i = 0; i < n; i++)
		dest[threadIdx.x * n + i] = value;
	asm volatile(RELEASE ::: "memory");
	isa_flag(flag);
}

KERNEL sound_flag_group(int *dest, int value, unsigned long long *flag)
{
	gshmemi_copy_signal(dest, value, flag, true);
}

/* ---- poll ---- */

KERNEL broken_poll_cached(const int *word, int *dest, int value)
{
	while (__hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WAVEFRONT) == 0)
		__builtin_amdgcn_s_sleep(1);
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
	dest[threadIdx.x] = value;
}

/* By a scalar load. */
KERNEL broken_poll_scalar(const int *word, const int *data, int *dest)
{
	int value;

	do {
		__builtin_amdgcn_s_sleep(1);
		asm volatile("s_load_dword %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)"
			     : "=s"(value)
			     : "s"(word)
			     : "memory");
	} while (value == 0);
	dest[threadIdx.x] = data[threadIdx.x];
}

KERNEL sound_poll(const int *word, const int *data, int *dest)
{
	while (load(word) == 0)
		__builtin_amdgcn_s_sleep(1);
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
	dest[threadIdx.x] = data[threadIdx.x];
}

/* Not a poll: a loop's bound, which is read again because the loop stores. */
KERNEL sound_bound(const int *n, int *dest)
{
	for (int i = 0; i < *n; i++)
		dest[i] = i;
}

#define TO_7(n) "s" #n "0", "s" #n "1", "s" #n "2", "s" #n "3", "s" #n "4", "s" #n "5", "s" #n "6", "s" #n "7"
#define TO_9(n) TO_7(n), "s" #n "8", "s" #n "9"
#define NOT_S32 TO_9(), TO_9(1), TO_9(2), "s30", "s31", "s33", "s34", "s35", "s36", "s37", "s38", "s39"
#define TO_S95  NOT_S32, TO_9(4), TO_9(5), TO_9(6), TO_9(7), TO_9(8), "s90", "s91", "s92", "s93", "s94", "s95"
#if defined(__gfx90a__)
#define TAKE_ALL TO_S95
#else
#define TAKE_ALL TO_S95, "s96", "s97", "s98", "s99"
#endif

/* Not a poll: an argument, which is read again. No register but a vector's is free for its address. */
KERNEL sound_argument(int end, const int *data, int *dest)
{
	int value;

	do {
		asm volatile("s_sleep 1" ::: "memory", TAKE_ALL);
		asm volatile("s_load_dword %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)"
			     : "=s"(value)
			     : "s"(__builtin_amdgcn_kernarg_segment_ptr())
			     : "memory");
	} while ((int)__builtin_readcyclecounter() < value);
	dest[threadIdx.x] = data[threadIdx.x] + end;
}

/* ---- acquire ---- */

KERNEL broken_acquire_none(const int *word, const int *data, int *dest)
{
	while (load(word) == 0)
		__builtin_amdgcn_s_sleep(1);
	asm volatile("" ::: "memory");
	dest[threadIdx.x] = data[threadIdx.x];
}

/* An acquire of this GPU only. */
KERNEL broken_acquire_agent(const int *word, const int *data, int *dest)
{
	while (load(word) == 0)
		__builtin_amdgcn_s_sleep(1);
#if defined(__GFX10__) || defined(__GFX11__)
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#else
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
#endif
	dest[threadIdx.x] = data[threadIdx.x];
}

/* The wave that polled has dropped its caches; the others have not. */
KERNEL broken_acquire_other_waves(const int *word, const int *data, int *dest)
{
	gshmemi_wait_until(word, false);
	dest[threadIdx.x] = data[threadIdx.x];
}

KERNEL sound_acquire_group(const int *word, const int *data, int *dest)
{
	gshmemi_wait_until(word, true);
	dest[threadIdx.x] = data[threadIdx.x];
}

/* ---- get ---- */

KERNEL broken_get_stale(const int *source, int *dest)
{
	dest[threadIdx.x] = gshmemi_get(source + threadIdx.x, false);
}

KERNEL sound_get(const int *source, int *dest)
{
	dest[threadIdx.x] = gshmemi_get(source + threadIdx.x, true);
}

/* ---- assembly ---- */

/* The compiler sees no store, so it does not wait for one. */
KERNEL broken_assembly_store(int *dest, int value, unsigned long long *flag)
{
#if defined(__gfx90a__) || defined(__GFX10__) || defined(__GFX11__)
	asm volatile("global_store_dword %0, %1, off" : : "v"(dest + threadIdx.x), "v"(value) : "memory");
#else
	asm volatile("global_store_dword %0, %1, off sc0 sc1"
		     :
		     : "v"(dest + threadIdx.x), "v"(value)
		     : "memory");
#endif
	__threadfence_system();
	gshmemi_arch_store(flag, 1);
}

/* ---- masks.py: as clang 19 has compiled loops and joins ---- */

#if defined(__GFX10__)
#define SPILL "buffer_store_dword v0, off, s[0:3], 0 offset:4"
#elif defined(__GFX11__)
#define SPILL "scratch_store_b32 off, v0, off offset:4"
#else
#define SPILL "v_accvgpr_write_b32 a0, v0"
#endif

/* Leaving lanes get the count of those that go on, although only in scalar registers. */
KERNEL broken_count_on(int *dest)
{
	int value;

	asm volatile(
		"s_and_saveexec_b64 s[10:11], vcc\n\ts_add_i32 s12, s12, 1\n\ts_or_b64 exec, exec, s[10:11]\n\t"
		"v_mov_b32 %0, s12"
		: "=v"(value)
		:
		: "s10", "s11", "s12", "scc");
	dest[threadIdx.x] = value;
}

/* Leaving lanes have copied the count before. */
KERNEL sound_count(int *dest)
{
	int value;

	asm volatile("v_mov_b32 %0, s12\n\ts_and_saveexec_b64 s[10:11], vcc\n\ts_add_i32 s12, s12, 1\n\t"
		     "s_or_b64 exec, exec, s[10:11]"
		     : "=v"(value)
		     :
		     : "s10", "s11", "s12", "scc");
	dest[threadIdx.x] = value;
}

#if defined(__GFX10__) || defined(__GFX11__)
#define SAVE    "s_and_saveexec_b32 s10, vcc_lo\n\t"
#define COMPARE "v_cmp_ne_u32 vcc_lo, 0, v0\n\ts_and_b32 s14, vcc_lo, exec_lo\n\t"
#define ADD     "s_or_b32 s12, s12, s14\n\ts_or_b32 exec_lo, exec_lo, s10\n\tv_cndmask_b32_e64 %0, 0, 1, s12"
#else
#define SAVE    "s_and_saveexec_b64 s[10:11], vcc\n\t"
#define COMPARE "v_cmp_ne_u32 vcc, 0, v0\n\ts_and_b64 s[14:15], vcc, exec\n\t"
#define ADD \
	"s_or_b64 s[12:13], s[12:13], s[14:15]\n\ts_or_b64 exec, exec, s[10:11]\n\tv_cndmask_b32_e64 %0, 0, 1, s[12:13]"
#endif

/* Lanes join a mask: those of a comparison that another part made. */
KERNEL broken_count_lanes(int *dest)
{
	int value;

	asm volatile(COMPARE SAVE ADD
		     : "=v"(value)
		     :
		     : "s10", "s11", "s12", "s13", "s14", "s15", "scc", "vcc");
	dest[threadIdx.x] = value;
}

/* Those of this part: none, where no lane is left. */
KERNEL sound_count_lanes(int *dest)
{
	int value;

	asm volatile(SAVE COMPARE ADD
		     : "=v"(value)
		     :
		     : "s10", "s11", "s12", "s13", "s14", "s15", "scc", "vcc");
	dest[threadIdx.x] = value;
}

KERNEL broken_spill_masked(int *dest)
{
	asm volatile("s_and_saveexec_b64 s[10:11], vcc\n\ts_cbranch_execz 1f\n1:\n\t" SPILL
		     "\n\ts_or_b64 exec, exec, s[10:11]"
		     :
		     :
		     : "s10", "s11", "scc");
	dest[threadIdx.x] = 1;
}

KERNEL sound_spill(int *dest)
{
	asm volatile(
		"s_and_saveexec_b64 s[10:11], vcc\n\ts_cbranch_execz 1f\n1:\n\ts_or_b64 exec, exec, s[10:11]\n\t" SPILL
		:
		:
		: "s10", "s11", "scc");
	dest[threadIdx.x] = 1;
}

#define LEAVE \
	"s_mov_b64 s[10:11], exec\n\ts_and_b64 exec, exec, vcc\n\ts_cbranch_execz 1f\n2:\n\ts_andn2_b64 exec, exec, s[12:13]\n\t" \
	"s_cbranch_execnz 2b\n1:\n\t"

/* Lanes leave a loop one by one; when none is left a register must get its old value back. */
KERNEL broken_copy_empty(int *dest)
{
	asm volatile(LEAVE "v_mov_b32 v0, v1\n\ts_or_b64 exec, exec, s[10:11]"
		     :
		     :
		     : "s10", "s11", "s12", "s13", "scc", "v0");
	dest[threadIdx.x] = 1;
}

KERNEL sound_copy(int *dest)
{
	asm volatile(LEAVE "s_or_b64 exec, exec, s[10:11]\n\tv_mov_b32 v0, v1"
		     :
		     :
		     : "s10", "s11", "s12", "s13", "scc", "v0");
	dest[threadIdx.x] = 1;
}
