/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* platform: cpu */
/* run: -n 1,2 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CPU_WAVE=32 */
/* delivery: no, the threads hand over what they do one by one */
/* races: no, it counts the stops of the direct path */
/*
 * On the cpu platform a call by a group costs as much as stopping its threads. They stop once per
 * call, and go on when one of them has done the work. Builds with the GPUs' copy loops meet before
 * and after the copy, as GPUs do.
 *
 * Threads that have left the kernel do not count: the call begins when the last of them leaves.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

#define NTHREADS 256
#define NBYTES   64

#if GSHMEMI_ARCH_HAS_ELECT
#define ELECTS 1
#else
#define ELECTS 0
#endif

enum {
	PUT,
	GET,
	PUT_NBI,
	GET_NBI,
	IPUT,
	IBGET,
	PUT_SIGNAL,
	FENCE,
	QUIET,
	SYNC_ALL,
	BARRIER_ALL,
	TEAM_SYNC,
	WAIT,
	BROADCAST,
	REDUCE,
	NCALLS
};

/*
 * How often each thread may stop in the GPUs' copy loops, for waves and work-groups; 0: any number of times.
 */
static const struct {
	const char *name;
	unsigned wave, wg;
} calls[NCALLS] = {
	{"putmem", 2, 2},
	{"getmem", 2, 2},
	{"putmem_nbi", 2, 2},
	{"getmem_nbi", 2, 2},
	{"long_iput", 2, 2},
	{"long_ibget", 2, 2},
	{"putmem_signal", 2, 2},
	{"fence", 1, 1},
	{"quiet", 1, 1},
	{"sync_all", 2, 2},
	{"barrier_all", 2, 2},
	{"team_sync", 2, 2},
	{"long_wait_until", 2, 1},
	{"broadcastmem", 0, 0},
	{"long_sum_reduce", 0, 0},
};

struct buffers {
	long *dest;   /* symmetric, NBYTES */
	long *source; /* symmetric, NBYTES */
	uint64_t *sig;
	long *ready; /* 1 */
};

#define CALLS(SCOPE) \
	static __device__ void call_##SCOPE(int call, const struct buffers *b, int pe) \
	{ \
		switch (call) { \
		case PUT: \
			gshmemx_putmem_##SCOPE(b->dest, b->source, NBYTES, pe); \
			break; \
		case GET: \
			gshmemx_getmem_##SCOPE(b->dest, b->source, NBYTES, pe); \
			break; \
		case PUT_NBI: \
			gshmemx_putmem_nbi_##SCOPE(b->dest, b->source, NBYTES, pe); \
			break; \
		case GET_NBI: \
			gshmemx_getmem_nbi_##SCOPE(b->dest, b->source, NBYTES, pe); \
			break; \
		case IPUT: \
			gshmemx_long_iput_##SCOPE(b->dest, b->source, 2, 1, 4, pe); \
			break; \
		case IBGET: \
			gshmemx_long_ibget_##SCOPE(b->dest, b->source, 4, 2, 2, 2, pe); \
			break; \
		case PUT_SIGNAL: \
			gshmemx_putmem_signal_##SCOPE( \
				b->dest, b->source, NBYTES, b->sig, 1, GSHMEM_SIGNAL_SET, pe); \
			break; \
		case FENCE: \
			gshmemx_fence_##SCOPE(); \
			break; \
		case QUIET: \
			gshmemx_quiet_##SCOPE(); \
			break; \
		case SYNC_ALL: \
			gshmemx_sync_all_##SCOPE(); \
			break; \
		case BARRIER_ALL: \
			gshmemx_barrier_all_##SCOPE(); \
			break; \
		case TEAM_SYNC: \
			(void)gshmemx_team_sync_##SCOPE(GSHMEM_TEAM_WORLD); \
			break; \
		case WAIT: \
			gshmemx_long_wait_until_##SCOPE(b->ready, GSHMEM_CMP_EQ, 1); \
			break; \
		case BROADCAST: \
			(void)gshmemx_broadcastmem_##SCOPE( \
				GSHMEM_TEAM_WORLD, b->dest, b->source, NBYTES, 0); \
			break; \
		case REDUCE: \
			(void)gshmemx_long_sum_reduce_##SCOPE( \
				GSHMEM_TEAM_WORLD, b->dest, b->source, NBYTES / 8); \
			break; \
		} \
	}
CALLS(wave)
CALLS(wg)

/* Returns the number of stops so far to one thread, while all others stand still; 0 to the others. */
static __device__ uint64_t read_stops()
{
	uint64_t nstops = 0;

	if (hipcpu_block_elect(__LINE__, __FILE__)) {
		nstops = hipcpu_block_stops();
		hipcpu_block_release();
	}
	return nstops;
}

/*
 * The stops of all threads in a call (NCALLS: no call) and a meeting after it;
 * one wave or a whole work-group.
 */
static __global__ void count(int call, int is_wave, struct buffers b, uint64_t *nstops)
{
	const int pe = (gshmem_my_pe() + 1) % gshmem_n_pes();
	const uint64_t before = read_stops();

	if (call < NCALLS && is_wave)
		call_wave(call, &b, pe);
	else if (call < NCALLS)
		call_wg(call, &b, pe);
	const uint64_t after = read_stops();
	if (after)
		*nstops = after - before;
}

/* Threads that stay wait at the call while the others, with higher or lower numbers, leave the kernel. */
static __global__ void leave(int is_first, int nleave, struct buffers b)
{
	const int rank = (int)t_rank(), me = gshmem_my_pe();

	if (is_first ? rank < nleave : rank >= NTHREADS - nleave) {
		for (int i = 0; i < 3; i++)
			(void)gshmem_long_test(b.ready, GSHMEM_CMP_EQ, 0); /* which lets others run */
		return;
	}
	gshmemx_putmem_signal_wg(b.dest, b.source, NBYTES, b.sig, 1, GSHMEM_SIGNAL_ADD, me);
	gshmemx_quiet_wg();
	gshmemx_putmem_signal_wave(b.dest, b.source, NBYTES, b.sig, 1000, GSHMEM_SIGNAL_ADD, me);
}

int main()
{
	gshmem_init();
	const long one = 1;
	const unsigned wave = t_wave_width();
	const struct buffers b = {(long *)gshmem_calloc(2, NBYTES), (long *)gshmem_calloc(1, NBYTES),
		(uint64_t *)gshmem_calloc(1, sizeof(uint64_t)), (long *)gshmem_calloc(1, sizeof(long))};
	uint64_t *nstops = (uint64_t *)t_hipmalloc(sizeof *nstops), n, without;

	t_to_device(b.ready, &one, sizeof one);
	gshmem_barrier_all();
	for (int is_wave = 0; is_wave < 2; is_wave++) {
		const unsigned nthreads = is_wave ? wave : NTHREADS;

		t_launch(count, 1, nthreads, (int)NCALLS, is_wave, b, nstops);
		t_from_device(&without, nstops, sizeof without);
		for (int call = 0; call < NCALLS; call++) {
			const unsigned allowed = ELECTS ? 1 : is_wave ? calls[call].wave : calls[call].wg;

			t_launch(count, 1, nthreads, call, is_wave, b, nstops);
			t_from_device(&n, nstops, sizeof n);
			t_check(n > without, "%s_%s: no thread stopped", calls[call].name,
				is_wave ? "wave" : "wg");
			t_check(!allowed || n - without <= (uint64_t)allowed * nthreads + 2,
				"PE %d: %s_%s: %u threads stopped %llu times, of %u allowed to each",
				gshmem_my_pe(), calls[call].name, is_wave ? "wave" : "wg", nthreads,
				(unsigned long long)(n - without), allowed);
		}
	}
	gshmem_barrier_all();
	for (int is_first = 0; is_first <= ELECTS; is_first++) /* the GPUs' loops need their first thread */
		for (int nleave = 1; nleave < NTHREADS; nleave = 3 * nleave + 5) {
			const unsigned nstay = NTHREADS - (unsigned)nleave;
			const unsigned nwaves = is_first ? NTHREADS / wave - (unsigned)nleave / wave
							 : (nstay + wave - 1) / wave;
			const uint64_t zero = 0;
			uint64_t sum;

			t_to_device(b.sig, &zero, sizeof zero);
			t_launch(leave, 1, NTHREADS, is_first, nleave, b);
			t_from_device(&sum, b.sig, sizeof sum);
			t_equal((long)sum, (long)(1 + 1000 * nwaves), "signals of those that stayed");
		}
	gshmem_barrier_all();
	gshmem_finalize();
	return 0;
}
