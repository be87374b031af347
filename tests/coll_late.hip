/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,3 */
/* env: GSHMEM_HEAP_SIZE=8m */
/* timeout: 120 */
/*
 * Collectives wait for the PEs whose data they need, and read no source after they have returned. One PE
 * after the other comes late and writes its source just before it calls, and all PEs overwrite theirs as
 * soon as the call has returned.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum { BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS, ALLTOALLV, SUM, SCATTER, INSCAN, EXSCAN, NWHATS };
static const char *const names[] = {"broadcast", "collect", "fcollect", "alltoall", "alltoalls", "alltoallv",
	"sum_reduce", "sum_reduce_scatter", "sum_inscan", "sum_exscan"};

#define MAX_PES 4
#define MAX     20000 /* elements */
#define LATE_NS 3000000U
#define BY(NAME) \
	(scope == T_WG ? gshmemx_##NAME##_wg : scope == T_WAVE ? gshmemx_##NAME##_wave : gshmem_##NAME)

/*
 * For PE i of npes, all with blocks of n elements: dest_nelems, dest_displs, source_displs;
 * source_nelems equals dest_nelems.
 */
struct arrays {
	size_t nelems[MAX_PES], displs[MAX_PES];
};

__host__ __device__ static int value(int pe, int time, size_t i)
{
	return (int)(((unsigned)pe * 7919U + (unsigned)time * 104729U + (unsigned)i * 31U) & 0xfffff);
}

/* The elements of source: n on each PE, or n for each PE. */
__host__ __device__ static size_t nsource(int what, size_t n, int npes)
{
	return what == ALLTOALL || what == ALLTOALLS || what == ALLTOALLV || what == SCATTER
		? n * (size_t)npes
		: n;
}

/*
 * Called by each thread rank of size. One thread is late for all; the others write their
 * part of source once they may.
 */
__host__ __device__ static void come(int scope, int what, int *dest, int *source, size_t n,
	const struct arrays *v, int me, int npes, int late, int time, size_t rank, size_t size)
{
	const gshmem_team_t team = GSHMEM_TEAM_WORLD;

	if (me == late && rank == 0)
		for (uint64_t end = gshmemi_arch_clock_ns() + LATE_NS; gshmemi_arch_clock_ns() < end;)
			;
	for (size_t i = rank; i < nsource(what, n, npes); i += size)
		source[i] = value(me, time, i);
	switch (what) {
	case BROADCAST:
		(void)BY(int_broadcast)(team, dest, source, n, late);
		break;
	case COLLECT:
		(void)BY(int_collect)(team, dest, source, n);
		break;
	case FCOLLECT:
		(void)BY(int_fcollect)(team, dest, source, n);
		break;
	case ALLTOALL:
		(void)BY(int_alltoall)(team, dest, source, n);
		break;
	case ALLTOALLS:
		(void)BY(int_alltoalls)(team, dest, source, 1, 1, n);
		break;
	case ALLTOALLV:
		(void)(scope == T_WG ? gshmemx_int_alltoallv_wg(
					       team, dest, v->nelems, v->displs, source, v->nelems, v->displs)
				: scope == T_WAVE ? gshmemx_int_alltoallv_wave(team, dest, v->nelems,
							    v->displs, source, v->nelems, v->displs)
						  : gshmemx_int_alltoallv(team, dest, v->nelems, v->displs,
							    source, v->nelems, v->displs));
		break;
	case SUM:
		(void)BY(int_sum_reduce)(team, dest, source, n);
		break;
	case SCATTER:
		(void)(scope == T_WG              ? gshmemx_int_sum_reduce_scatter_wg(team, dest, source, n)
				: scope == T_WAVE ? gshmemx_int_sum_reduce_scatter_wave(team, dest, source, n)
						  : gshmemx_int_sum_reduce_scatter(team, dest, source, n));
		break;
	case INSCAN:
		(void)BY(int_sum_inscan)(team, dest, source, n);
		break;
	default:
		(void)BY(int_sum_exscan)(team, dest, source, n);
		break;
	}
	for (size_t i = rank; i < nsource(what, n, npes); i += size)
		source[i] = -1;
}

__global__ static void in_kernel(int scope, int what, int *dest, int *source, size_t n,
	const struct arrays *v, int me, int npes, int late, int time)
{
	const unsigned size = scope == T_WG ? t_count() : scope == T_WAVE ? (unsigned)warpSize : 1;

	if (t_rank() < size)
		come(scope, what, dest, source, n, v, me, npes, late, time, t_rank(), size);
}

/* Element i of dest. */
static int expected(int what, size_t n, int me, int npes, int late, int time, size_t i)
{
	const int begin = 0, end = what == INSCAN ? me + 1 : what == EXSCAN ? me : npes;
	int sum = 0;

	if (what == BROADCAST)
		return value(late, time, i);
	if (what == COLLECT || what == FCOLLECT)
		return value((int)(i / n), time, i % n);
	if (what == ALLTOALL || what == ALLTOALLS || what == ALLTOALLV)
		return value((int)(i / n), time, (size_t)me * n + i % n);
	for (int pe = begin; pe < end; pe++)
		sum += value(pe, time, (what == SCATTER ? (size_t)me * n : 0) + i);
	return sum;
}

int main()
{
	static const size_t lengths[] = {1, 100, 700, MAX / MAX_PES};
	int *dest, *source, *on_cpu, me, npes, time = 0;
	struct arrays *v;
	void *ptr;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	t_check(npes <= MAX_PES, "at most %d PEs", MAX_PES);
	dest = (int *)t_shmalloc(MAX * sizeof *dest);
	source = (int *)t_shmalloc(MAX * sizeof *source);
	on_cpu = (int *)t_alloc(MAX * sizeof *on_cpu);
	t_hip(hipHostMalloc(&ptr, sizeof *v, hipHostMallocMapped));
	v = (struct arrays *)ptr;
	for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
		for (int what = 0; what < NWHATS; what++)
			for (int late = 0; late < npes; late++, time++) {
				const size_t n = lengths[k],
					     ndest = what >= COLLECT && what <= ALLTOALLV ? n * (size_t)npes
											  : n;
				const int scope = (time + me) %
					(t_takes_turns() ? T_HOST : T_NSCOPES - !GSHMEMI_ARCH_HOST_DIRECT);

				for (int pe = 0; pe < npes; pe++) {
					v->nelems[pe] = n;
					v->displs[pe] = n * (size_t)pe;
				}
				gshmem_barrier_all();
				if (scope == T_HOST)
					come(T_THREAD, what, dest, source, n, v, me, npes, late, time, 0, 1);
				else
					t_launch(in_kernel, 1, 100, scope, what, dest, source, n, v, me, npes,
						late, time);
				t_from_device(on_cpu, dest, ndest * sizeof *dest);
				for (size_t i = 0; i < ndest; i++)
					t_check(on_cpu[i] == expected(what, n, me, npes, late, time, i),
						"PE %d: %s of %zu by %s, PE %d late: element %zu: expected %d, got %d",
						me, names[what], n, t_scope_names[scope], late, i,
						expected(what, n, me, npes, late, time, i), on_cpu[i]);
			}
	t_hip(hipHostFree(v));
	free(on_cpu);
	gshmem_finalize();
	return 0;
}
