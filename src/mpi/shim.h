/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library asks of MPI: a table of functions, in types that are the same for every MPI. The handles and
 * constants of MPICH are numbers, those of Open MPI are addresses, those of MPI's standard ABI are other
 * numbers; a shim (shim.c), compiled with the mpi.h of one of them, translates. So one libgshmem serves all.
 *
 * Functions that return int return MPI's code, 0 if they succeed. Without a note they are MPI's, with the
 * arguments that the library always gives left out; MPI's notes on threads and errors hold for them.
 */
#ifndef GSHMEMI_MPI_SHIM_H
#define GSHMEMI_MPI_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rises when struct gshmemi_mpi changes: a shim of another release is refused. */
#define GSHMEMI_MPI_TABLE 1

/* MPI's handles. 0: MPI_COMM_NULL and its kin. */
typedef intptr_t gshmemi_mpi_comm_t;
typedef intptr_t gshmemi_mpi_group_t;
typedef intptr_t gshmemi_mpi_request_t;

#define GSHMEMI_MPI_NTESTED 64 /* requests at most in one call of test_some and wait_all */

/* A request that test_some has found complete. */
struct gshmemi_mpi_done {
	int index; /* in requests */
	int pe;    /* the source of what was received */
	size_t nbytes;
};

/* This process's memory in an MPI window. */
struct gshmemi_mpi_memory {
	bool is_dynamic; /* then MPI does not say more */
	bool is_known;   /* MPI says how large the window is */
	void *base;
	size_t nbytes;
	int disp_unit;
};

struct gshmemi_mpi {
	int table;        /* GSHMEMI_MPI_TABLE */
	const char *name; /* of this kind of MPI */
	size_t handle_nbytes;
	/* MPI_Init opens connections, to the launcher. Else there are none before processes exchange something. */
	bool init_connects;
	/* MPI_Finalize may hang over a network, although all processes have called it (bootstrap/mpi.c). */
	bool finalize_hangs;
	/* The setting in the environment that makes MPI_Init of an unchanged program give MPI_THREAD_MULTIPLE. */
	const char *multiple;
	gshmemi_mpi_comm_t world;

	/* Levels are GSHMEM_THREAD_*. init asks for the highest. */
	void (*init)(int *level);
	void (*query_thread)(int *level);
	bool (*initialized)(void);
	bool (*finalized)(void);
	void (*finalize)(void);
	void (*abort)(int status); /* of the world */
	void (*error_string)(int code, char *text, size_t nbytes);

	/*
	 * read_comm: the communicator at an MPI_Comm *. comm_copy: errors return on the copy; comm keeps its
	 * handler. comm_split: color -1 is MPI_UNDEFINED.
	 */
	gshmemi_mpi_comm_t (*read_comm)(const void *comm);
	int (*comm_copy)(gshmemi_mpi_comm_t comm, gshmemi_mpi_comm_t *copy);
	int (*comm_split)(gshmemi_mpi_comm_t comm, int color, int key, gshmemi_mpi_comm_t *part);
	void (*comm_free)(gshmemi_mpi_comm_t *comm);
	int (*comm_rank)(gshmemi_mpi_comm_t comm);
	int (*comm_size)(gshmemi_mpi_comm_t comm);
	bool (*comm_is_inter)(gshmemi_mpi_comm_t comm);
	bool (*comm_is_self)(gshmemi_mpi_comm_t comm);
	int (*comm_last_tag)(gshmemi_mpi_comm_t comm);
	void (*comm_group)(gshmemi_mpi_comm_t comm, gshmemi_mpi_group_t *group);

	/* find_ranks: ranks[i] becomes the rank in comm of the group's process numbers[i], or -1. */
	int (*group_size)(gshmemi_mpi_group_t group);
	int (*group_find_ranks)(
		gshmemi_mpi_group_t group, int n, const int *numbers, gshmemi_mpi_comm_t comm, int *ranks);
	void (*group_free)(gshmemi_mpi_group_t *group);

	/* Of the window at an MPI_Win *. */
	void (*win_describe)(const void *win, struct gshmemi_mpi_memory *memory);
	void (*win_group)(const void *win, gshmemi_mpi_group_t *group);

	/* ---- messages, of bytes ---- */

	/* from: a rank, or -1 for any. progress: lets MPI work, as any call does. */
	int (*isend)(const void *data, size_t nbytes, int to, int tag, gshmemi_mpi_comm_t comm,
		gshmemi_mpi_request_t *request);
	int (*irecv)(void *data, size_t nbytes, int from, int tag, gshmemi_mpi_comm_t comm,
		gshmemi_mpi_request_t *request);
	int (*test)(gshmemi_mpi_request_t *request, bool *is_done);
	/* The code is that of the first request that has failed. */
	int (*test_some)(int n, gshmemi_mpi_request_t *requests, int *ndone, struct gshmemi_mpi_done *done);
	int (*wait_all)(int n, gshmemi_mpi_request_t *requests);
	void (*progress)(void);

	/* ---- collective calls; those of words work in place ---- */

	int (*ibarrier)(gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *request);
	int (*ibcast)(
		void *data, size_t nbytes, int root, gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *request);
	int (*bcast)(void *data, size_t nbytes, int root, gshmemi_mpi_comm_t comm);
	int (*iallgather)(const void *mine, void *all, size_t nbytes, gshmemi_mpi_comm_t comm,
		gshmemi_mpi_request_t *request);
	int (*imin)(int64_t *words, int n, gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *request);
	int (*iand)(uint64_t *words, int n, gshmemi_mpi_comm_t comm, gshmemi_mpi_request_t *request);

	/* MPI_Finalize of the program calls function before anything else, until unwatch. */
	void (*watch_finalize)(void (*function)(void));
	void (*unwatch_finalize)(void);
};

/*
 * What a shim exports. It looks MPI's names up by find, and returns the table; or NULL, and in *missing the
 * first name that this MPI lacks.
 */
typedef const struct gshmemi_mpi *gshmemi_mpi_shim_t(void *(*find)(const char *name), const char **missing);
gshmemi_mpi_shim_t gshmemi_mpi_shim_mpich, gshmemi_mpi_shim_openmpi, gshmemi_mpi_shim_abi;

#endif /* GSHMEMI_MPI_SHIM_H */
