/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small programs over a window, with each kind of epoch: by the host, and by a thread, a wave or a work-group
 * of a kernel. Each can leave out one synchronization that it needs.
 */
#ifndef T_WIN_PROGRAMS_H
#define T_WIN_PROGRAMS_H

#include <hip/hip_runtime.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum { NBULK = 50, NROUNDS = 6, NUPDATES = T_IS_CPU ? 600 : 6 };

enum program { FENCE, PSCW, EXCLUSIVE, SHARED, FLUSH, NPROGRAMS };
static const char *const program_names[NPROGRAMS] = {"fence", "pscw", "exclusive", "shared", "flush"};

/* What each PE has in the window. */
struct part {
	long data[NBULK]; /* written by the previous PE */
	long count;       /* on PE 0: updated by all */
};

/* Pinned memory of the host. */
struct ends {
	long source[NBULK];
	long got;
	int before, after; /* the groups of post and start */
	int nwrong;
};

struct programs {
	gshmemx_win_t win;
	int me, npes;
	bool leaves_out;
	struct part *part;
	struct ends *ends;
};

#define BY(NAME, ...) \
	(scope == GSHMEMI_WAVE                ? gshmemx_win_##NAME##_wave(__VA_ARGS__) \
			: scope == GSHMEMI_WG ? gshmemx_win_##NAME##_wg(__VA_ARGS__) \
					      : gshmemx_win_##NAME(__VA_ARGS__))
/* An error of a call counts as wrong: the host returns one. */
#define MUST(NAME, ...) \
	do { \
		if (BY(NAME, __VA_ARGS__)) \
			p.ends->nwrong++; \
	} while (0)
#define COUNT (((const char *)&p.part->count - (const char *)p.part) / 8)

T_HD long ring_value(int round, int pe, int i)
{
	return round * 100000 + pe * 1000 + i;
}

/* The threads of the group meet; the host is one thread. */
template <int scope> __host__ __device__ static void meet()
{
#if GSHMEMI_DEVICE_PASS || defined __HIP_PLATFORM_CPU__
	if (GSHMEMI_ARCH_IN_KERNEL && scope == GSHMEMI_WG)
		__syncthreads();
	else if (GSHMEMI_ARCH_IN_KERNEL && scope == GSHMEMI_WAVE)
		t_wave_joins();
#endif
}

template <int scope>
__host__ __device__ static void fill_source(const struct programs &p, int round, bool is_one)
{
	for (int i = 0; is_one && i < NBULK; i++)
		p.ends->source[i] = ring_value(round, p.me, i);
	meet<scope>();
}

/* What the previous PE has put in this round. */
template <int scope>
__host__ __device__ static void check_data(const struct programs &p, int round, bool is_one)
{
	const long *data = p.part->data;

#if !GSHMEMI_DEVICE_PASS || defined __HIP_PLATFORM_CPU__
	static thread_local long seen[NBULK];

	if (!GSHMEMI_ARCH_IN_KERNEL) {
		t_from_device(seen, data, sizeof seen);
		data = seen;
	}
#endif
	for (int i = 0; is_one && i < NBULK; i++)
		if (data[i] != ring_value(round, p.ends->before, i))
			p.ends->nwrong++;
	meet<scope>();
}

/* leaves_out: the fence after the put. */
template <int scope> __host__ __device__ static void run_fence(const struct programs &p, bool is_one)
{
	MUST(fence, p.win, GSHMEMX_MODE_NOPRECEDE);
	for (int r = 1; r <= NROUNDS; r++) {
		fill_source<scope>(p, r, is_one);
		MUST(long_put, p.win, 0, p.ends->source, NBULK, p.ends->after);
		if (!p.leaves_out)
			MUST(fence, p.win, 0);
		check_data<scope>(p, r, is_one);
		MUST(fence, p.win, r < NROUNDS ? 0 : GSHMEMX_MODE_NOSUCCEED);
	}
}

/* leaves_out: one thread puts, and another one completes without a flush by the first. */
template <int scope>
__host__ __device__ static void run_pscw(const struct programs &p, bool is_one, bool is_last)
{
	int flag = 0;

	for (int r = 1; r <= NROUNDS; r++) {
		MUST(post, p.win, 1, &p.ends->before, 0);
		MUST(start, p.win, 1, &p.ends->after, 0);
		fill_source<scope>(p, r, is_one);
		if (is_last) { /* the same as the first, if there is only one */
			gshmemx_win_long_put(p.win, 0, p.ends->source, NBULK, p.ends->after);
			if (!p.leaves_out)
				gshmemx_win_flush(p.win, p.ends->after);
		}
		meet<scope>();
		if (p.leaves_out && is_one)
			gshmemx_win_complete(p.win);
		meet<scope>();
		if (!p.leaves_out)
			MUST(complete, p.win);
		if (r % 2)
			MUST(wait, p.win);
		for (flag = r % 2; !flag;)
			MUST(test, p.win, &flag);
		check_data<scope>(p, r, is_one);
	}
}

/* Every PE adds to the count of PE 0 by get and put. leaves_out: NOCHECK, so that the lock keeps nobody out. */
template <int scope> __host__ __device__ static void run_exclusive(const struct programs &p, bool is_one)
{
	for (int r = 1; r <= NUPDATES; r++) {
		MUST(lock, p.win, GSHMEMX_LOCK_EXCLUSIVE, 0, p.leaves_out ? GSHMEMX_MODE_NOCHECK : 0);
		MUST(long_get, p.win, &p.ends->got, COUNT, 1, 0);
		MUST(flush_local, p.win, 0);
		if (is_one)
			p.ends->got++;
		meet<scope>();
		MUST(long_put, p.win, COUNT, &p.ends->got, 1, 0);
		MUST(unlock, p.win, 0);
	}
}

/* PE 0 writes its data repeatedly; the others never see only a part of it. leaves_out: the writer's lock. */
template <int scope> __host__ __device__ static void run_shared(const struct programs &p, bool is_one)
{
	const bool is_writer = p.me == 0 && p.npes > 1;

	for (int r = 1; r <= 5 * NROUNDS; r++) {
		MUST(lock, p.win, is_writer ? GSHMEMX_LOCK_EXCLUSIVE : GSHMEMX_LOCK_SHARED, 0,
			is_writer && p.leaves_out ? GSHMEMX_MODE_NOCHECK : 0);
		if (is_writer) {
			for (int i = 0; is_one && i < NBULK; i++)
				p.ends->source[i] = r;
			meet<scope>();
			for (int i = 0; i < NBULK; i++)
				MUST(long_put, p.win, i, &p.ends->source[i], 1, 0);
		} else {
			MUST(long_get, p.win, p.ends->source, 0, NBULK, 0);
		}
		MUST(unlock, p.win, 0);
		for (int i = 1; is_one && i < NBULK; i++)
			p.ends->nwrong += p.ends->source[i] != p.ends->source[0];
		meet<scope>();
	}
}

/* A get after a put to the same place. leaves_out: the flush between them. */
template <int scope> __host__ __device__ static void run_flush(const struct programs &p, bool is_one)
{
	MUST(lock_all, p.win, 0);
	for (int r = 1; r <= NROUNDS; r++) {
		fill_source<scope>(p, r, is_one);
		MUST(long_put, p.win, 0, p.ends->source, NBULK, p.ends->after);
		if (!p.leaves_out)
			MUST(flush, p.win, p.ends->after);
		MUST(long_get, p.win, &p.ends->got, NBULK - 1, 1, p.ends->after);
		MUST(flush_local_all, p.win);
		if (is_one && p.ends->got != ring_value(r, p.me, NBULK - 1))
			p.ends->nwrong++;
		meet<scope>();
	}
	MUST(unlock_all, p.win);
}

template <int scope>
__host__ __device__ static void run_program(const struct programs &p, int program, bool is_one, bool is_last)
{
	switch (program) {
	case FENCE:
		run_fence<scope>(p, is_one);
		break;
	case PSCW:
		run_pscw<scope>(p, is_one, is_last);
		break;
	case EXCLUSIVE:
		run_exclusive<scope>(p, is_one);
		break;
	case SHARED:
		run_shared<scope>(p, is_one);
		break;
	default:
		run_flush<scope>(p, is_one);
	}
}

template <int scope> __global__ void program_kernel(struct programs p, int program)
{
	run_program<scope>(p, program, t_rank() == 0, t_rank() == t_count() - 1);
}

static inline void launch_program(struct programs p, int by, int program)
{
	void *args[] = {&p, &program};

	if (by == T_HOST)
		run_program<GSHMEMI_THREAD>(p, program, true, true);
	else if (by == T_THREAD)
		t_equal(gshmemx_collective_launch(
				program_kernel<GSHMEMI_THREAD>, dim3(1), dim3(1), args, 0, NULL),
			0, "launch");
	else if (by == T_WAVE)
		t_equal(gshmemx_collective_launch(
				program_kernel<GSHMEMI_WAVE>, dim3(1), dim3(t_wave_width()), args, 0, NULL),
			0, "launch");
	else
		t_equal(gshmemx_collective_launch(
				program_kernel<GSHMEMI_WG>, dim3(1), dim3(96), args, 0, NULL),
			0, "launch");
	t_hip(hipDeviceSynchronize());
}

/* Run a program over its own window; returns the number of errors on this PE. */
static inline int run_one(int by, int program, bool leaves_out)
{
	struct programs p = {};
	long count;
	int nwrong;

	p.me = gshmem_my_pe();
	p.npes = gshmem_n_pes();
	p.leaves_out = leaves_out;
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, sizeof *p.part, 8, (void **)&p.part, &p.win), 0,
		"allocate");
	t_hip(hipHostMalloc((void **)&p.ends, sizeof *p.ends));
	memset(p.ends, 0, sizeof *p.ends);
	p.ends->before = (p.me + p.npes - 1) % p.npes;
	p.ends->after = (p.me + 1) % p.npes;
	t_memset(p.part, 0, sizeof *p.part);
	gshmem_barrier_all();
	launch_program(p, by, program);
	gshmem_barrier_all();
	nwrong = p.ends->nwrong;
	if (program == EXCLUSIVE && p.me == 0) {
		t_from_device(&count, &p.part->count, sizeof count);
		nwrong += count != p.npes * NUPDATES;
	}
	t_equal(gshmemx_win_free(&p.win), 0, "free");
	t_hip(hipHostFree(p.ends));
	return nwrong;
}

#endif /* T_WIN_PROGRAMS_H */
