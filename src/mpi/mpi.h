/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI, for the files of the library that call it: mpi.h, with its functions reached through a table. The
 * library is not linked with MPI but loads it when it first needs it (mpi.c), so that a job that starts
 * without MPI runs where none is installed. Include this instead of mpi.h.
 *
 * MPICH's handles and constants are numbers defined in its mpi.h, so only functions have to be looked up.
 */
#ifndef GSHMEMI_MPI_MPI_H
#define GSHMEMI_MPI_MPI_H

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

/* The functions; NULL until gshmemi_mpi_load has succeeded. */
extern struct gshmemi_mpi {
#define X(NAME) __typeof__(MPI_##NAME) *NAME;
	GSHMEMI_MPI_CALLS(X)
#undef X
} gshmemi_mpi;

/*
 * Finds MPI in this process, or loads it. Returns 0, or a negative errno after a message that begins with
 * what. Does nothing the second time. Called before the first MPI function.
 */
int gshmemi_mpi_load(const char *what);

/* The same, but only says whether there is one, without a message. */
bool gshmemi_mpi_is_there(void);

/* Returns a function that not every MPI has, or NULL. */
void *gshmemi_mpi_find(const char *name);

/* Whether MPI says that it can send from memory of this kind of device. */
bool gshmemi_mpi_takes_device(void);

#define MPI_Abort                 gshmemi_mpi.Abort
#define MPI_Barrier               gshmemi_mpi.Barrier
#define MPI_Bcast                 gshmemi_mpi.Bcast
#define MPI_Comm_compare          gshmemi_mpi.Comm_compare
#define MPI_Comm_create_keyval    gshmemi_mpi.Comm_create_keyval
#define MPI_Comm_delete_attr      gshmemi_mpi.Comm_delete_attr
#define MPI_Comm_dup              gshmemi_mpi.Comm_dup
#define MPI_Comm_free             gshmemi_mpi.Comm_free
#define MPI_Comm_free_keyval      gshmemi_mpi.Comm_free_keyval
#define MPI_Comm_get_attr         gshmemi_mpi.Comm_get_attr
#define MPI_Comm_get_errhandler   gshmemi_mpi.Comm_get_errhandler
#define MPI_Comm_group            gshmemi_mpi.Comm_group
#define MPI_Comm_rank             gshmemi_mpi.Comm_rank
#define MPI_Comm_set_attr         gshmemi_mpi.Comm_set_attr
#define MPI_Comm_set_errhandler   gshmemi_mpi.Comm_set_errhandler
#define MPI_Comm_size             gshmemi_mpi.Comm_size
#define MPI_Comm_split            gshmemi_mpi.Comm_split
#define MPI_Comm_test_inter       gshmemi_mpi.Comm_test_inter
#define MPI_Errhandler_free       gshmemi_mpi.Errhandler_free
#define MPI_Error_string          gshmemi_mpi.Error_string
#define MPI_Finalize              gshmemi_mpi.Finalize
#define MPI_Finalized             gshmemi_mpi.Finalized
#define MPI_Get_count             gshmemi_mpi.Get_count
#define MPI_Get_library_version   gshmemi_mpi.Get_library_version
#define MPI_Group_free            gshmemi_mpi.Group_free
#define MPI_Group_size            gshmemi_mpi.Group_size
#define MPI_Group_translate_ranks gshmemi_mpi.Group_translate_ranks
#define MPI_Iallgather            gshmemi_mpi.Iallgather
#define MPI_Iallreduce            gshmemi_mpi.Iallreduce
#define MPI_Ibarrier              gshmemi_mpi.Ibarrier
#define MPI_Ibcast                gshmemi_mpi.Ibcast
#define MPI_Init_thread           gshmemi_mpi.Init_thread
#define MPI_Initialized           gshmemi_mpi.Initialized
#define MPI_Iprobe                gshmemi_mpi.Iprobe
#define MPI_Irecv                 gshmemi_mpi.Irecv
#define MPI_Isend                 gshmemi_mpi.Isend
#define MPI_Query_thread          gshmemi_mpi.Query_thread
#define MPI_Test                  gshmemi_mpi.Test
#define MPI_Testsome              gshmemi_mpi.Testsome
#define MPI_Waitall               gshmemi_mpi.Waitall
#define MPI_Win_get_attr          gshmemi_mpi.Win_get_attr
#define MPI_Win_get_group         gshmemi_mpi.Win_get_group

#endif /* GSHMEMI_MPI_MPI_H */
