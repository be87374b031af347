// SPDX-License-Identifier: BSD-3-Clause
/* run: -n 1,2,4 */
/*
 * Between init and finalize the hosts meet without MPI: memory calls, teams, launches, nested init and
 * finalize do not call it. The test defines MPI's functions and counts their calls. Hosts that meet do not
 * disturb kernels that are in a barrier.
 */
#include <gshmem.h>
#define MPICH_SKIP_MPICXX
#include <mpi.h>

#include "oracle.h"

static int ncalls; // of MPI

// ---- MPI's functions, as the library finds them ----

extern "C" int MPI_Barrier(MPI_Comm comm)
{
	ncalls++;
	return PMPI_Barrier(comm);
}

extern "C" int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	ncalls++;
	return PMPI_Ibarrier(comm, request);
}

extern "C" int MPI_Allgather(const void *mine, int nmine, MPI_Datatype type, void *all, int nall,
	MPI_Datatype all_type, MPI_Comm comm)
{
	ncalls++;
	return PMPI_Allgather(mine, nmine, type, all, nall, all_type, comm);
}

extern "C" int MPI_Allreduce(const void *mine, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	ncalls++;
	return PMPI_Allreduce(mine, all, n, type, op, comm);
}

extern "C" int MPI_Iallreduce(
	const void *mine, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	ncalls++;
	return PMPI_Iallreduce(mine, all, n, type, op, comm, request);
}

extern "C" int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
	ncalls++;
	return PMPI_Bcast(data, n, type, root, comm);
}

extern "C" int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	ncalls++;
	return PMPI_Send(data, n, type, to, tag, comm);
}

extern "C" int MPI_Recv(
	void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	ncalls++;
	return PMPI_Recv(data, n, type, from, tag, comm, status);
}

// ---- calls that leave it alone ----

/* Not empty: hipOccupancyMaxActiveBlocksPerMultiprocessor of HIP 5.2 divides by the registers of a kernel. */
__global__ void nothing()
{
	if (threadIdx.x > 64)
		gshmem_fence();
}

static void call_all()
{
	gshmem_team_t team;
	void *a, *b, *c, *d;

	a = gshmem_malloc(100);
	b = gshmem_calloc(10, 10);
	c = gshmem_align(64, 100);
	d = gshmem_malloc_with_hints(100, 0);
	t_check(a && b && c && d, "allocations");
	a = gshmem_realloc(a, 4096); // moves
	t_check(a, "realloc");
	gshmem_free(d);
	gshmem_free(c);
	gshmem_free(b);
	gshmem_free(a);
	t_equal(gshmemx_collective_launch(nothing, dim3(1), dim3(64), NULL, 0, NULL), 0, "launch");
	t_hip(hipDeviceSynchronize());
	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, 0, 1, gshmem_n_pes(), NULL, 0, &team), 0,
		"split");
	gshmem_team_sync(team);
	gshmem_team_destroy(team);
	gshmem_init();
	gshmem_finalize();
	gshmem_barrier_all();
}

// ---- a kernel in a barrier ----

__global__ void meet(long *word, long *seen)
{
	gshmemx_barrier_all_wg();
	if (threadIdx.x == 0)
		*seen = gshmem_long_g(word, gshmem_my_pe());
}

/*
 * The hosts meet while the kernels of all PEs but the last are in a barrier. The barrier must not end before
 * the last PE's kernel comes to it.
 */
static void meet_beside_kernel()
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	long *word = (long *)gshmem_calloc(1, sizeof *word);
	long *seen = (long *)gshmem_calloc(1, sizeof *seen);
	hipStream_t stream;

	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	if (me != npes - 1)
		hipLaunchKernelGGL(meet, dim3(1), dim3(64), 0, stream, word, seen);
	for (int i = 0; i < 10; i++)
		gshmem_free(gshmem_malloc(64));
	gshmem_init();
	gshmem_finalize();
	if (me == npes - 1) {
		for (int pe = 0; pe < npes; pe++)
			gshmem_long_p(word, 7, pe);
		gshmem_quiet();
		hipLaunchKernelGGL(meet, dim3(1), dim3(64), 0, stream, word, seen);
	}
	t_hip(hipStreamSynchronize(stream));
	t_equal(gshmem_long_g(seen, me), 7, "what a kernel saw behind its barrier");
	t_hip(hipStreamDestroy(stream));
	gshmem_barrier_all();
	gshmem_free(seen);
	gshmem_free(word);
}

int main()
{
	int before;

	gshmem_init();
	t_check(ncalls > 0, "the library's calls of MPI are not counted");
	before = ncalls;
	call_all();
	t_equal(ncalls, before, "calls of MPI");
	meet_beside_kernel();
	t_equal(ncalls, before, "calls of MPI beside a kernel");
	gshmem_finalize();
	return 0;
}
