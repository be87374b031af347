/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2 */
/*
 * broadcast, fcollect, alltoall and sum_reduce of all PEs, from the hosts and from a work-group. Each size is
 * measured twice: against MPI's collective of the same data, and (_mem) against the copying and summing
 * alone, without any synchronization: memcpy between the PEs' memories, split evenly among them.
 */
#include "bench.h"

enum { BROADCAST, FCOLLECT, ALLTOALL, SUM, NOPS };
static const char *const op_names[NOPS][2] = {{"broadcast", "broadcast_mem"}, {"fcollect", "fcollect_mem"},
	{"alltoall", "alltoall_mem"}, {"sum_reduce", "sum_reduce_mem"}};
static float *dest, *source; /* symmetric; npes messages in each */
static float *mpi_dest, *mpi_source;

template <int SCOPE>
__host__ __device__ static inline void call_many(int op, float *d, const float *s, size_t n, size_t reps)
{
	for (size_t i = 0; i < reps; i++) {
		switch (op * 2 + (SCOPE == BENCH_WG)) {
		case BROADCAST * 2:
			gshmem_float_broadcast(GSHMEM_TEAM_WORLD, d, s, n, 0);
			break;
		case BROADCAST * 2 + 1:
			gshmemx_float_broadcast_wg(GSHMEM_TEAM_WORLD, d, s, n, 0);
			break;
		case FCOLLECT * 2:
			gshmem_float_fcollect(GSHMEM_TEAM_WORLD, d, s, n);
			break;
		case FCOLLECT * 2 + 1:
			gshmemx_float_fcollect_wg(GSHMEM_TEAM_WORLD, d, s, n);
			break;
		case ALLTOALL * 2:
			gshmem_float_alltoall(GSHMEM_TEAM_WORLD, d, s, n);
			break;
		case ALLTOALL * 2 + 1:
			gshmemx_float_alltoall_wg(GSHMEM_TEAM_WORLD, d, s, n);
			break;
		case SUM * 2:
			gshmem_float_sum_reduce(GSHMEM_TEAM_WORLD, d, s, n);
			break;
		default:
			gshmemx_float_sum_reduce_wg(GSHMEM_TEAM_WORLD, d, s, n);
			break;
		}
	}
}

template <int SCOPE>
__global__ void call_kernel(int op, float *d, const float *s, size_t n, size_t reps, uint64_t *ticks)
{
	gshmemx_sync_all_wg();
	const uint64_t started = gshmemi_arch_clock_ns();
	call_many<SCOPE>(op, d, s, n, reps);
	bench_stop(ticks, started);
}

template <int SCOPE> static double ours_us(int op, size_t n, size_t reps)
{
	if (SCOPE == BENCH_WG) {
		hipLaunchKernelGGL(HIP_KERNEL_NAME(call_kernel<SCOPE>), dim3(1), dim3(bench_nthreads(SCOPE)),
			0, 0, op, dest, source, n, reps, bench.ticks);
		return bench_kernel_us();
	}
	gshmem_sync_all();
	const double started = bench_start();
	call_many<SCOPE>(op, dest, source, n, reps);
	return bench_now_us() - started;
}

static double mpi_us(int op, size_t n, size_t reps)
{
	MPI_Barrier(MPI_COMM_WORLD);
	const double started = bench_start();
	for (size_t i = 0; i < reps; i++) {
		switch (op) {
		case BROADCAST:
			MPI_Bcast(
				bench.pe == 0 ? mpi_source : mpi_dest, (int)n, MPI_FLOAT, 0, MPI_COMM_WORLD);
			break;
		case FCOLLECT:
			MPI_Allgather(
				mpi_source, (int)n, MPI_FLOAT, mpi_dest, (int)n, MPI_FLOAT, MPI_COMM_WORLD);
			break;
		case ALLTOALL:
			MPI_Alltoall(
				mpi_source, (int)n, MPI_FLOAT, mpi_dest, (int)n, MPI_FLOAT, MPI_COMM_WORLD);
			break;
		default:
			MPI_Allreduce(mpi_source, mpi_dest, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
			break;
		}
	}
	return bench_now_us() - started;
}

/*
 * One PE's share of the copying, without synchronization. Only on the cpu platform:
 * there the CPU may use gshmem_ptr.
 */
static double memory_us(int op, size_t n, size_t reps)
{
	const size_t first = n * bench.pe / bench.npes, end = n * (bench.pe + 1) / bench.npes;
	std::vector<float *> dests, sources;

	for (int pe = 0; pe < bench.npes; pe++) {
		dests.push_back((float *)gshmem_ptr(dest, pe));
		sources.push_back((float *)gshmem_ptr(source, pe));
	}
	const double started = bench_start();
	for (size_t i = 0; i < reps; i++) {
		for (int k = 0; k < bench.npes; k++) {
			const int pe = (bench.pe + k) % bench.npes;

			if (op == FCOLLECT)
				memcpy(dests[pe] + bench.pe * n, source, n * sizeof(float));
			else if (op == ALLTOALL)
				memcpy(dests[pe] + bench.pe * n, source + pe * n, n * sizeof(float));
		}
		if (op == BROADCAST)
			memcpy(dest, sources[0], n * sizeof(float));
		for (size_t at = first; op == SUM && at < end; at += 512) {
			const size_t length = std::min((size_t)512, end - at);
			float sums[512];

			memcpy(sums, sources[0] + at, length * sizeof(float));
			for (int pe = 1; pe < bench.npes; pe++) {
				const float *x = sources[pe] + at;

				for (size_t j = 0; j < length; j++)
					sums[j] += x[j];
			}
			for (int pe = 0; pe < bench.npes; pe++)
				memcpy(dests[pe] + at, sums, length * sizeof(float));
		}
		BENCH_KEEP();
	}
	return bench_now_us() - started;
}

template <int SCOPE> static void rows(int op)
{
	if (!bench_wants(bench_scope_names[SCOPE]))
		return;
	for (size_t nbytes : bench_sizes()) {
		const size_t n = nbytes / sizeof(float);
		const bench_run ours = [=](size_t reps) { return ours_us<SCOPE>(op, n, reps); };

		bench_measure_against(
			{op_names[op][0], bench_scope_names[SCOPE], nbytes, bench.npes, {}, false, 0}, ours,
			{[=](size_t reps) { return mpi_us(op, n, reps); }});
		if (bench.one_clock)
			bench_measure_against(
				{op_names[op][1], bench_scope_names[SCOPE], nbytes, bench.npes, {}, true, 0},
				ours, {[=](size_t reps) { return memory_us(op, n, reps); }});
	}
}

/* Check what the last call left: every PE's source is its number plus one. */
static void check()
{
	std::vector<float> values(bench.npes, (float)(bench.pe + 1)), results(bench.npes);

	bench_write(source, values.data(), bench.npes * sizeof(float));
	gshmem_float_sum_reduce(GSHMEM_TEAM_WORLD, dest, source, 1);
	bench_read(results.data(), dest, sizeof(float));
	t_equal((long)results[0], (long)bench.npes * (bench.npes + 1) / 2, "coll_lat: the sum of all PEs");
	gshmem_sync_all();
	gshmem_float_fcollect(GSHMEM_TEAM_WORLD, dest, source, 1);
	bench_read(results.data(), dest, bench.npes * sizeof(float));
	for (int pe = 0; pe < bench.npes; pe++)
		t_equal((long)results[pe], pe + 1, "coll_lat: what a PE has sent to all");
}

int main(int argc, char **argv)
{
	bench_init(argc, argv, "coll_lat");
	bench.min_nbytes = std::max(bench.min_nbytes, sizeof(float));
	bench.max_nbytes = std::max(bench.min_nbytes, std::min(bench.max_nbytes, (size_t)16 << 20));
	const size_t nbytes = bench.max_nbytes * bench.npes;
	dest = (float *)gshmem_malloc(nbytes);
	source = (float *)gshmem_malloc(nbytes);
	mpi_dest = (float *)malloc(nbytes);
	mpi_source = (float *)malloc(nbytes);
	t_check(dest && source && mpi_dest && mpi_source, "coll_lat: no memory");
	bench_fill(dest, 0, nbytes);
	bench_fill(source, 0, nbytes);
	memset(mpi_dest, 0, nbytes);
	memset(mpi_source, 0, nbytes);
	for (int op = 0; op < NOPS; op++) {
		rows<BENCH_HOST>(op);
		rows<BENCH_WG>(op);
	}
	check();
	free(mpi_dest);
	free(mpi_source);
	bench_finalize();
	return 0;
}
