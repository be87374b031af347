/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,4 */
/*
 * Init works after the user's MPI_Init, on sub-communicators, at thread level MULTIPLE;
 * MPI still works after finalize.
 */
#include <gshmem.h>
#include <mpi.h>

#include "finalize_mpi.h"
#include "oracle.h"

static void use(int expected_pe, int expected_npes)
{
	int me = gshmem_my_pe(), npes = gshmem_n_pes(), *word, got;

	t_equal(me, expected_pe, "my_pe");
	t_equal(npes, expected_npes, "n_pes");
	word = gshmem_malloc(sizeof *word);
	gshmem_int_p(word, me + 40, (me + 1) % npes);
	gshmem_barrier_all();
	t_from_device(&got, word, sizeof got);
	t_equal(got, (me + npes - 1) % npes + 40, "a put");
	gshmem_free(word);
}

int main(void)
{
	struct gshmemx_init_attributes attr = GSHMEMX_INIT_ATTR_DEFAULT;
	int rank, size, level, sub_rank, sub_size, sum, one = 1;
	MPI_Comm half;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	gshmem_init();
	use(rank, size);
	gshmem_finalize();

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); /* two jobs at once, in reversed order */
	MPI_Comm_rank(half, &sub_rank);
	MPI_Comm_size(half, &sub_size);
	attr.mpi_comm = &half;
	attr.thread_level = level >= MPI_THREAD_MULTIPLE ? GSHMEM_THREAD_MULTIPLE : GSHMEM_THREAD_SINGLE;
	attr.heap_nbytes = 1 << 20;
	t_equal(gshmemx_init_attr(&attr), 0, "init on a sub-communicator");
	use(sub_rank, sub_size);
	gshmem_query_thread(&level);
	t_equal(level, attr.thread_level, "query_thread");
	gshmem_finalize();
	MPI_Comm_free(&half);

	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	t_equal(sum, size, "MPI after finalize");
	t_finalize_mpi();
	return 0;
}
