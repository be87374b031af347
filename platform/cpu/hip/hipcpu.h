/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a kernel asks of the runtime on a CPU, for C11 and C++. hip_runtime.h makes the HIP names of
 * it; include/gshmem/arch/cpu.h uses it directly. All of it also works on a host thread, which is
 * then a wave of one lane.
 *
 * A cross-lane call is known by its site: lanes meet only in the same call of the program. Pass
 * HIPCPU_SITE() and __LINE__ (or __builtin_LINE()) from an always_inline function or the call itself.
 */
#ifndef HIPCPU_HIPCPU_H
#define HIPCPU_HIPCPU_H

#include <stdbool.h>

#include "hip_runtime_api.h"

HIPCPU_QUIET_BEGIN

#define HIPCPU_INLINE static inline __attribute__((always_inline, unused))
/* Of what lanes share by design: to the TSan build for lanes it would be a race. */
#ifdef __SANITIZE_THREAD__
#define HIPCPU_UNSANITIZED __attribute__((no_sanitize_thread, noinline, unused))
#else
#define HIPCPU_UNSANITIZED
#endif
#define HIPCPU_TLS __attribute__((tls_model("initial-exec")))

/*
 * The address of a place in the code: another one wherever the code is inlined, and the same one in
 * copies that the compiler makes of a block. The asm goto begins a block of its own, else two places of
 * one block had the same address. With clang a label whose address is taken forbids inlining: there
 * the runtime takes its own return address, and the entry points are convergent.
 */
#if defined(__clang__)
#define HIPCPU_SITE()     ((const void *)0)
#define HIPCPU_CONVERGENT __attribute__((convergent))
#else
#define HIPCPU_SITE() \
	__extension__({ \
		__label__ here_; \
		__asm__ goto("" : : : : here_); \
here_: \
		(const void *)&&here_; \
	})
#define HIPCPU_CONVERGENT
#endif

#ifdef __cplusplus
#define HIPCPU_NORETURN [[noreturn]]
extern "C" {
#else
#define HIPCPU_NORETURN _Noreturn
#endif

struct hipcpu_lane;
/* The running lane; NULL outside kernels. */
extern __thread struct hipcpu_lane *hipcpu_self HIPCPU_TLS;

enum hipcpu_op {
	HIPCPU_OP_NONE,
	HIPCPU_OP_MASK,   /* result: who takes part */
	HIPCPU_OP_ENTER,  /* the same, for a call that the whole wave should make */
	HIPCPU_OP_ACTIVE, /* the same; does not wait for lanes that spin */
	HIPCPU_OP_HERE,   /* the same, of those with one value */
	HIPCPU_OP_SYNC,
	HIPCPU_OP_ELECT,   /* result: who takes part, for one of them; 0 for the others, let go by that one */
	HIPCPU_OP_BALLOT,  /* of value != 0 */
	HIPCPU_OP_SHUFFLE, /* value of the lane called from; own value if that does not take part */
	HIPCPU_OP_MATCH_ANY, /* who has my value */
	HIPCPU_OP_MATCH_ALL, /* who takes part if all values are equal, else 0 */
	HIPCPU_OP_BARRIER,   /* of the block, as are the rest */
	HIPCPU_OP_BARRIER_ELECT,
	HIPCPU_OP_COUNT /* lanes with value != 0 */
};

struct hipcpu_call {
	enum hipcpu_op op;
	int line;          /* in the source */
	const char *file;  /* of line: for messages */
	uint64_t mask;     /* the lanes that take part; 0: those that stand here */
	const void *site;  /* HIPCPU_SITE() */
	const void *frame; /* of the function around it: the call chain */
	uint64_t value;    /* of MASK and ELECT: lanes with different ones stand in different calls */
	unsigned from;     /* lane of the wave */
	const void *base;  /* the runtime's: frame at which the chain ends */
};

uint64_t hipcpu_wave_call(const struct hipcpu_call *call) HIPCPU_CONVERGENT;
/* All live lanes of the block meet. The place in the source is for messages. */
void hipcpu_block_sync(int line, const char *file) HIPCPU_CONVERGENT;
/* The same: how many lanes were here with counts. Others may have met it at a barrier of another kind. */
unsigned hipcpu_block_count(int line, const char *file, bool counts) HIPCPU_CONVERGENT;
/*
 * The same, wherever they stand: the lowest gets 1 and goes on alone; the others get 0 when it calls
 * hipcpu_block_release. Meanwhile it meets nobody.
 */
uint64_t hipcpu_block_elect(int line, const char *file) HIPCPU_CONVERGENT;
void hipcpu_block_release(void) HIPCPU_CONVERGENT;
void hipcpu_pause_slow(unsigned *polls);
unsigned hipcpu_lane_id(void); /* within the wave */
unsigned hipcpu_wave_width(void);
unsigned hipcpu_thread_rank(void);  /* within the block */
unsigned hipcpu_thread_count(void); /* of the block */
uint64_t hipcpu_block_id(void);     /* within the grid, flat */
uint64_t *hipcpu_block_words(void); /* [4], which the lanes of the block share */
/* How often lanes of the running block have stopped to meet others, ever: what a call costs. For tests. */
uint64_t hipcpu_block_stops(void);
/* Identity of the running lane, unique in the process for its lifetime; 0 on a host thread. */
uint64_t hipcpu_lane_serial(void);

/* Whole pages of this process become memory of which hipIpcGetMemHandle makes a handle. 0, or an errno. */
int hipcpu_share(void *start, size_t nbytes);
/* The next memory that this thread allocates or opens lies there, or the call fails. */
void hipcpu_place_next(void *address);
/* Whether nothing is mapped there. */
int hipcpu_is_free(const void *address, size_t nbytes);
/*
 * So many threads of each process of the job want a core: where there are fewer cores, who waits yields after
 * 16 polls, not after 1024. GSHMEM_CPU_SPIN stands above it. 1 until this is called.
 */
void hipcpu_share_cores(unsigned nthreads);
/* memcpy, for so many bytes that a copy could be taken for a kernel that hangs. */
#define HIPCPU_LONG_COPY ((size_t)64 << 20)
void hipcpu_copy_long(void *dest, const void *source, size_t nbytes);
/* Say who and why, and abort. */
HIPCPU_NORETURN void hipcpu_trap(const char *message);

/* Between two polls of a wait: runs other lanes of the block, spins, yields. *polls starts at 0. */
static inline void hipcpu_pause(unsigned *polls)
{
	if (*polls)
		hipcpu_pause_slow(polls);
	else
		++*polls; /* most waits are over at the second look */
}

/*
 * The same, for a process that has a core of its own: as if nothing were known of
 * other threads, hipcpu_share_cores.
 */
void hipcpu_pause_near(unsigned *polls);

/*
 * Meet the lanes of the wave that stand here. The lowest of them gets their mask and goes on alone;
 * the others get 0 when it calls hipcpu_wave_release. Meanwhile it may wait, for others than these,
 * and meets nobody.
 */
HIPCPU_INLINE uint64_t hipcpu_wave_elect(const void *site, int line, const char *file, uint64_t key)
{
	struct hipcpu_call call = {
		HIPCPU_OP_ELECT, line, file, 0, site, __builtin_frame_address(0), key, 0, 0};

	return hipcpu_wave_call(&call);
}

void hipcpu_wave_release(uint64_t lanes) HIPCPU_CONVERGENT;

/* Meet the lanes of the wave that stand here, and learn who they are. */
HIPCPU_INLINE uint64_t hipcpu_wave_mask(const void *site, int line, const char *file, uint64_t key)
{
	struct hipcpu_call call = {
		HIPCPU_OP_MASK, line, file, 0, site, __builtin_frame_address(0), key, 0, 0};

	return hipcpu_wave_call(&call);
}

/* The same, where GSHMEM_CPU_WHOLE_WAVES wants all lanes of the wave. */
HIPCPU_INLINE uint64_t hipcpu_wave_enter(const void *site, int line, const char *file, uint64_t key)
{
	struct hipcpu_call call = {
		HIPCPU_OP_ENTER, line, file, 0, site, __builtin_frame_address(0), key, 0, 0};

	return hipcpu_wave_call(&call);
}

/* As hipcpu_wave_mask, but not waiting for lanes that spin. */
HIPCPU_INLINE uint64_t hipcpu_wave_here(const void *site, int line, const char *file, uint64_t key)
{
	struct hipcpu_call call = {
		HIPCPU_OP_HERE, line, file, 0, site, __builtin_frame_address(0), key, 0, 0};

	return hipcpu_wave_call(&call);
}

/* Wait for the lanes of mask. */
HIPCPU_INLINE void hipcpu_wave_sync(const void *site, int line, const char *file, uint64_t mask)
{
	struct hipcpu_call call = {
		HIPCPU_OP_SYNC, line, file, mask, site, __builtin_frame_address(0), 0, 0, 0};

	hipcpu_wave_call(&call);
}

/* Which lanes of mask the predicate holds in; the value of one of them. */
HIPCPU_INLINE uint64_t hipcpu_wave_ballot(
	const void *site, int line, const char *file, uint64_t mask, int predicate)
{
	struct hipcpu_call call = {
		HIPCPU_OP_BALLOT, line, file, mask, site, __builtin_frame_address(0), predicate != 0, 0, 0};

	return hipcpu_wave_call(&call);
}

HIPCPU_INLINE uint64_t hipcpu_wave_broadcast(
	const void *site, int line, const char *file, uint64_t mask, uint64_t value, unsigned from_lane)
{
	struct hipcpu_call call = {
		HIPCPU_OP_SHUFFLE, line, file, mask, site, __builtin_frame_address(0), value, from_lane, 0};

	return hipcpu_wave_call(&call);
}

/* ---- launching: for hip_runtime.h ---- */

struct hipcpu_launch_params {
	dim3 grid, block;
	size_t shared_bytes;
	hipStream_t stream;
	bool cooperative;
	const char *name;           /* of the kernel, for messages */
	void (*run)(void *closure); /* do { kernel } while (hipcpu_lane_next()) */
	void (*drop)(void *closure);
	void *closure;
};

/* What HIPCPU_MODULE_KERNEL makes, as the variable hipcpu_kernel_NAME; hipFunction_t points to it. */
struct ihipModuleSymbol_t {
	const char *name;
	/* Fill in name, run, drop and a closure of these arguments. */
	void (*bind)(void **args, struct hipcpu_launch_params *params);
};

/* Queue a grid. Takes over the closure, also on failure. */
hipError_t hipcpu_launch(const struct hipcpu_launch_params *params);
void *hipcpu_dynamic_shared(void);
/* All blocks of a cooperative grid meet; one lane of each calls it, its block waiting at a barrier. */
void hipcpu_grid_sync(void);

/* The lane loop of a block until a lane blocks for the first time; then lane >= end for good. */
struct hipcpu_loop {
	uint32_t lane, end;
};
extern __thread struct hipcpu_loop hipcpu_loop HIPCPU_TLS;
#define HIPCPU_LANE_BYTES 128
bool hipcpu_lane_exit(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

HIPCPU_QUIET_END

#endif /* HIPCPU_HIPCPU_H */
