/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3 */
/* env: GSHMEM_HEAP_SIZE=1m */
/* timeout: 120 */
/*
 * Packets have tags of 32 bits. Reductions by packets are right before, during and after the
 * wrap-around of tags, while packets of every age lie where new ones will arrive: by one thread, a
 * wave, a work-group and the host.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

/* 32 bytes always go by packets; rounds, and how many of them before the tags wrap around */
enum { NELEMS = 4, NROUNDS = 12, BEFORE = 5 };

/* Safe: only the PE itself writes it, and no PE is in a collective. */
__global__ static void set_epoch(uint64_t epoch)
{
	gshmemi_state.sync[0].ll_epoch = epoch;
}

__global__ static void get_epoch(uint64_t *epoch)
{
	*epoch = gshmemi_state.sync[0].ll_epoch;
}

__host__ __device__ static void reduce(int scope, long *dest, const long *source, size_t n)
{
	if (scope == T_WG)
		gshmemx_long_sum_reduce_wg(GSHMEM_TEAM_WORLD, dest, source, n);
	else if (scope == T_WAVE)
		gshmemx_long_sum_reduce_wave(GSHMEM_TEAM_WORLD, dest, source, n);
	else
		gshmem_long_sum_reduce(GSHMEM_TEAM_WORLD, dest, source, n);
}

/* Alternate short and long ones, so that some packets are older than others. */
T_HD size_t length(int round)
{
	return round % 3 ? NELEMS : 1;
}

__host__ __device__ static void reduce_all(int scope, long *dest, const long *source)
{
	for (int round = 0; round < NROUNDS; round++)
		reduce(scope, dest + round * NELEMS, source + round * NELEMS, length(round));
}

__global__ static void in_kernel(int scope, long *dest, const long *source)
{
	if (scope == T_WG || t_rank() < (scope == T_WAVE ? (unsigned)warpSize : 1))
		reduce_all(scope, dest, source);
}

static long value(int pe, int time, int i)
{
	return (pe + 3L) * (time * 100000 + i * 7 + 1);
}

int main()
{
	const size_t nbytes = NROUNDS * NELEMS * sizeof(long);
	long *dest, *source, *on_cpu;
	uint64_t *epoch;
	int me, npes;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	dest = (long *)t_shmalloc(nbytes);
	source = (long *)t_shmalloc(nbytes);
	epoch = (uint64_t *)t_shmalloc(sizeof *epoch);
	on_cpu = (long *)t_alloc(nbytes);
	for (int time = 0; time < 2 * T_NSCOPES; time++) {
		/* the epoch has more bits than the tags */
		const uint64_t wrap = (uint64_t)(time % 3 + 1) << 32;
		const int scope = (time + me) % T_NSCOPES;

		for (int i = 0; i < NROUNDS * NELEMS; i++)
			on_cpu[i] = value(me, time, i);
		t_to_device(source, on_cpu, nbytes);
		memset(on_cpu, 0xA5, nbytes);
		t_to_device(dest, on_cpu, nbytes);
		gshmem_barrier_all();
		t_launch(set_epoch, 1, 1, wrap - BEFORE);
		gshmem_barrier_all();
		if (scope == T_HOST)
			reduce_all(scope, dest, source);
		else
			t_launch(in_kernel, 1, 150, scope, dest, source);
		t_launch(get_epoch, 1, 1, epoch);
		t_check(t_read_u64(epoch) > wrap, "PE %d: the tags have not begun anew", me);
		t_from_device(on_cpu, dest, nbytes);
		for (int round = 0; round < NROUNDS; round++)
			for (int i = 0; i < NELEMS; i++) {
				long sum = 0, untouched;

				memset(&untouched, 0xA5, sizeof untouched);
				for (int pe = 0; pe < npes; pe++)
					sum += value(pe, time, round * NELEMS + i);
				if ((size_t)i >= length(round))
					sum = untouched;
				t_check(on_cpu[round * NELEMS + i] == sum,
					"PE %d: by %s, %d reductions from the wrap: element %d of %zu: expected %ld, got %ld",
					me, t_scope_names[scope], round - BEFORE, i, length(round), sum,
					on_cpu[round * NELEMS + i]);
			}
		gshmem_barrier_all();
	}
	free(on_cpu);
	gshmem_finalize();
	return 0;
}
