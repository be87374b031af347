/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI, for the files of the library that call it: mpi.h, with its functions reached through a table. The
 * library is not linked with MPI but loads it when it first needs it (mpi.c), so that a job that starts
 * without MPI runs where none is installed. Include this instead of mpi.h.
 *
 * MPICH's handles and constants are numbers defined in its mpi.h, so only functions have to be looked up.
 */
#ifndef GSHMEMI_MPI_DIRECT_H
#define GSHMEMI_MPI_DIRECT_H

#include <mpi.h>

#define GSHMEMI_MPI_CALLS(X) \
	X(Abort) \
	X(Barrier) \
	X(Bcast) \
	X(Comm_compare) \
	X(Comm_create_keyval) \
	X(Comm_delete_attr) \
	X(Comm_dup) \
	X(Comm_free) \
	X(Comm_free_keyval) \
	X(Comm_get_attr) \
	X(Comm_get_errhandler) \
	X(Comm_group) \
	X(Comm_rank) \
	X(Comm_set_attr) \
	X(Comm_set_errhandler) \
	X(Comm_size) \
	X(Comm_split) \
	X(Comm_test_inter) \
	X(Errhandler_free) \
	X(Error_string) \
	X(Finalize) \
	X(Finalized) \
	X(Get_count) \
	X(Get_library_version) \
	X(Group_free) \
	X(Group_size) \
	X(Group_translate_ranks) \
	X(Iallgather) \
	X(Iallreduce) \
	X(Ibarrier) \
	X(Ibcast) \
	X(Init_thread) \
	X(Initialized) \
	X(Iprobe) \
	X(Irecv) \
	X(Isend) \
	X(Query_thread) \
	X(Test) \
	X(Testsome) \
	X(Waitall) \
	X(Win_get_attr) \
	X(Win_get_group)

/* The functions; NULL until gshmemi_mpi_functions_load has succeeded. */
extern struct gshmemi_mpi_functions {
#define X(NAME) __typeof__(MPI_##NAME) *NAME;
	GSHMEMI_MPI_CALLS(X)
#undef X
} gshmemi_mpi_functions;

/* Calls gshmemi_mpi_load, then fills gshmemi_mpi_functions. Returns as that does. */
int gshmemi_mpi_functions_load(const char *what);

#define MPI_Abort                 gshmemi_mpi_functions.Abort
#define MPI_Barrier               gshmemi_mpi_functions.Barrier
#define MPI_Bcast                 gshmemi_mpi_functions.Bcast
#define MPI_Comm_compare          gshmemi_mpi_functions.Comm_compare
#define MPI_Comm_create_keyval    gshmemi_mpi_functions.Comm_create_keyval
#define MPI_Comm_delete_attr      gshmemi_mpi_functions.Comm_delete_attr
#define MPI_Comm_dup              gshmemi_mpi_functions.Comm_dup
#define MPI_Comm_free             gshmemi_mpi_functions.Comm_free
#define MPI_Comm_free_keyval      gshmemi_mpi_functions.Comm_free_keyval
#define MPI_Comm_get_attr         gshmemi_mpi_functions.Comm_get_attr
#define MPI_Comm_get_errhandler   gshmemi_mpi_functions.Comm_get_errhandler
#define MPI_Comm_group            gshmemi_mpi_functions.Comm_group
#define MPI_Comm_rank             gshmemi_mpi_functions.Comm_rank
#define MPI_Comm_set_attr         gshmemi_mpi_functions.Comm_set_attr
#define MPI_Comm_set_errhandler   gshmemi_mpi_functions.Comm_set_errhandler
#define MPI_Comm_size             gshmemi_mpi_functions.Comm_size
#define MPI_Comm_split            gshmemi_mpi_functions.Comm_split
#define MPI_Comm_test_inter       gshmemi_mpi_functions.Comm_test_inter
#define MPI_Errhandler_free       gshmemi_mpi_functions.Errhandler_free
#define MPI_Error_string          gshmemi_mpi_functions.Error_string
#define MPI_Finalize              gshmemi_mpi_functions.Finalize
#define MPI_Finalized             gshmemi_mpi_functions.Finalized
#define MPI_Get_count             gshmemi_mpi_functions.Get_count
#define MPI_Get_library_version   gshmemi_mpi_functions.Get_library_version
#define MPI_Group_free            gshmemi_mpi_functions.Group_free
#define MPI_Group_size            gshmemi_mpi_functions.Group_size
#define MPI_Group_translate_ranks gshmemi_mpi_functions.Group_translate_ranks
#define MPI_Iallgather            gshmemi_mpi_functions.Iallgather
#define MPI_Iallreduce            gshmemi_mpi_functions.Iallreduce
#define MPI_Ibarrier              gshmemi_mpi_functions.Ibarrier
#define MPI_Ibcast                gshmemi_mpi_functions.Ibcast
#define MPI_Init_thread           gshmemi_mpi_functions.Init_thread
#define MPI_Initialized           gshmemi_mpi_functions.Initialized
#define MPI_Iprobe                gshmemi_mpi_functions.Iprobe
#define MPI_Irecv                 gshmemi_mpi_functions.Irecv
#define MPI_Isend                 gshmemi_mpi_functions.Isend
#define MPI_Query_thread          gshmemi_mpi_functions.Query_thread
#define MPI_Test                  gshmemi_mpi_functions.Test
#define MPI_Testsome              gshmemi_mpi_functions.Testsome
#define MPI_Waitall               gshmemi_mpi_functions.Waitall
#define MPI_Win_get_attr          gshmemi_mpi_functions.Win_get_attr
#define MPI_Win_get_group         gshmemi_mpi_functions.Win_get_group

#endif /* GSHMEMI_MPI_DIRECT_H */
