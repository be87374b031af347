/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways in which PEs find each other. One is chosen in init, and serves until the next init; bootstrap.c
 * calls it for what base/base.h declares, where each call is described.
 *
 * Every function but abort is collective, of all PEs, or of those of a machine where it says so. A PE that
 * has died is an error that ends this process with a message: none of them returns then.
 */
#ifndef GSHMEMI_BOOTSTRAP_BOOTSTRAP_H
#define GSHMEMI_BOOTSTRAP_BOOTSTRAP_H

#include "base/base.h"

struct gshmemi_bootstrap {
	void (*close)(void); /* by one PE alone */
	void (*abort)(int status);
	bool (*is_finalized)(void);
	int (*check_level)(int thread_level);
	int (*check_carrying)(int from_pe, int to_pe);

	void (*split)(int lowest, int npeers); /* before the two of a machine */
	void (*barrier)(void);
	void (*move)(void *data, size_t nbytes, int from, int to); /* by the two alone, but over TCP by all */
	void (*broadcast)(void *data, size_t nbytes, int root);
	void (*allgather)(const void *mine, void *all, size_t nbytes);
	void (*allgather_machine)(const void *mine, void *all, size_t nbytes);
	void (*allgather_leaders)(bool is_leader, int nleaders, const void *mine, void *all, size_t nbytes);
	void (*min)(int64_t *words, int nwords);
	void (*all_bits)(uint64_t *words, int nwords); /* bitwise AND */
};

/* ---- mpi.c ---- */

extern const struct gshmemi_bootstrap gshmemi_bootstrap_mpi;

/* comm is an MPI_Comm *, NULL for MPI_COMM_WORLD. On success *rank_p and *npes_p are set. */
int gshmemi_bootstrap_mpi_open(const void *comm, int *rank_p, int *npes_p);

/* ---- tcp.c, join.c ---- */

extern const struct gshmemi_bootstrap gshmemi_bootstrap_tcp;

/* On an error, after a message, no connection is left. */
int gshmemi_bootstrap_tcp_open(const gshmemx_uniqueid_t *id, int rank, int npes);

#endif /* GSHMEMI_BOOTSTRAP_BOOTSTRAP_H */
