/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,4 */
/* platform: cpu */
/*
 * PEs with waves of 32 lanes and PEs with waves of 64 work in one job: calls by threads, waves
 * and work-groups, puts, signals, atomics, barriers, collectives and locks give the same
 * results as with equal waves.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <stddef.h>
#include <unistd.h>

#include "helpers.h"

#define NELEMS   3000
#define NTHREADS 256
#define MOST_PES 16

struct shared {
	long wave[NELEMS], wg[NELEMS], thread[NELEMS], got[NELEMS];
	long source[NELEMS], sums[NELEMS], copies[NELEMS], gathered[MOST_PES * NELEMS],
		dealt[MOST_PES * NELEMS];
	uint64_t signals[3];
	long lanes, counted, lock;
};

/* Run the program again with other waves on odd PEs: the platform reads the variable before main. */
static void choose_wave(char **argv)
{
	const int rank = t_launched_rank();

	if (getenv("T_WAVE_WIDTHS") || rank < 0)
		return;
	setenv("T_WAVE_WIDTHS", "1", 1);
	setenv("GSHMEM_CPU_WAVE", rank % 2 ? "64" : "32", 1);
	execv("/proc/self/exe", argv);
	t_fail("exec");
}

/*
 * First a work-group's first wave, then all of it, then one thread sends to the next PE
 * and waits for the previous one.
 */
__global__ void move(struct shared *s, long *heard)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes(), next = (me + 1) % npes;

	if (threadIdx.x < (unsigned)warpSize) {
		gshmemx_long_put_signal_wave(
			s->wave, s->source, NELEMS, &s->signals[0], 1, GSHMEM_SIGNAL_ADD, next);
		gshmemx_signal_wait_until_wave(&s->signals[0], GSHMEM_CMP_EQ, 1);
	}
	__syncthreads();
	gshmemx_long_put_signal_wg(s->wg, s->source, NELEMS, &s->signals[1], 1, GSHMEM_SIGNAL_ADD, next);
	gshmemx_signal_wait_until_wg(&s->signals[1], GSHMEM_CMP_EQ, 1);
	gshmem_long_atomic_inc(&s->lanes, next); /* each lane */
	if (threadIdx.x == 0) {
		gshmem_long_put_signal(
			s->thread, s->source, NELEMS, &s->signals[2], 1, GSHMEM_SIGNAL_ADD, next);
		gshmem_signal_wait_until(&s->signals[2], GSHMEM_CMP_EQ, 1);
		for (int i = 0; i < 5; i++) {
			gshmem_set_lock(&s->lock);
			gshmem_long_p(&s->counted, gshmem_long_g(&s->counted, 0) + 1, 0);
			gshmem_clear_lock(&s->lock);
		}
		*heard = warpSize;
	}
	gshmemx_barrier_all_wg();
	gshmemx_long_get_wg(s->got, s->source, NELEMS, next);
}

/* By the first wave, or by the work-group. */
__global__ void collect(struct shared *s, bool is_wave)
{
	const size_t n = NELEMS;

	if (!is_wave) {
		gshmemx_long_sum_reduce_wg(GSHMEM_TEAM_WORLD, s->sums, s->source, n);
		gshmemx_long_broadcast_wg(GSHMEM_TEAM_WORLD, s->copies, s->source, n, 1);
		gshmemx_long_fcollect_wg(GSHMEM_TEAM_WORLD, s->gathered, s->source, n);
		gshmemx_long_alltoall_wg(GSHMEM_TEAM_WORLD, s->dealt, s->gathered, n);
	} else if (threadIdx.x < (unsigned)warpSize) {
		gshmemx_long_sum_reduce_wave(GSHMEM_TEAM_WORLD, s->sums, s->source, n);
		gshmemx_long_broadcast_wave(GSHMEM_TEAM_WORLD, s->copies, s->source, n, 1);
		gshmemx_long_fcollect_wave(GSHMEM_TEAM_WORLD, s->gathered, s->source, n);
		gshmemx_long_alltoall_wave(GSHMEM_TEAM_WORLD, s->dealt, s->gathered, n);
	}
}

static long element(int pe, long i)
{
	return 1000000L * (pe + 1) + i;
}

/* Copies what kernels have written: the CPU may not reach it. */
static struct shared *look(const struct shared *s)
{
	static struct shared copy;

	t_hip(hipMemcpy(&copy, s, sizeof copy, hipMemcpyDeviceToHost));
	return &copy;
}

static void check_moved(const struct shared *s, int me, int npes)
{
	const int next = (me + 1) % npes, previous = (me + npes - 1) % npes;

	for (long i = 0; i < NELEMS; i++) {
		t_equal(s->wave[i], element(previous, i), "a wave's put");
		t_equal(s->wg[i], element(previous, i), "a work-group's put");
		t_equal(s->thread[i], element(previous, i), "a thread's put");
		t_equal(s->got[i], element(next, i), "a work-group's get");
	}
	t_equal(s->lanes, NTHREADS, "atomics, one of each lane");
	if (me == 0)
		t_equal(s->counted, 5 * npes, "updates under a lock");
}

static void check_collected(const struct shared *s, int me, int npes)
{
	for (long i = 0; i < NELEMS; i++) {
		t_equal(s->sums[i], 1000000L * (npes * (npes + 1) / 2) + npes * i, "a sum");
		t_equal(s->copies[i], element(1, i), "a broadcast");
		for (int pe = 0; pe < npes; pe++) {
			t_equal(s->gathered[pe * NELEMS + i], element(pe, i), "fcollect");
			t_equal(s->dealt[pe * NELEMS + i], element(me, i), "alltoall");
		}
	}
}

int main(int argc, char **argv)
{
	static long source[NELEMS];
	struct shared *s;
	long *heard;
	int me, npes;

	(void)argc;
	choose_wave(argv);
	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	t_check(npes <= MOST_PES, "at most %d PEs", MOST_PES);
	s = (struct shared *)gshmem_calloc(1, sizeof *s);
	t_hip(hipHostMalloc((void **)&heard, sizeof *heard, 0));
	for (long i = 0; i < NELEMS; i++)
		source[i] = element(me, i);
	t_hip(hipMemcpy(s->source, source, sizeof source, hipMemcpyHostToDevice));
	gshmem_barrier_all();
	hipLaunchKernelGGL(move, dim3(1), dim3(NTHREADS), 0, 0, s, heard);
	t_hip(hipDeviceSynchronize());
	t_equal(*heard, me % 2 ? 64 : 32, "lanes of a wave here");
	check_moved(look(s), me, npes);
	for (int i = 0; i < 4; i++) {
		hipLaunchKernelGGL(collect, dim3(1), dim3(NTHREADS), 0, 0, s, i % 2 == 0);
		t_hip(hipDeviceSynchronize());
		check_collected(look(s), me, npes);
		t_memset(s->sums, 0, offsetof(struct shared, signals) - offsetof(struct shared, sums));
		gshmem_barrier_all();
	}
	t_hip(hipHostFree(heard));
	gshmem_free(s);
	gshmem_finalize();
	return 0;
}
