/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways in which PEs find each other. Init chooses one, which is used until the next init. bootstrap.c
 * calls it for what bootstrap/bootstrap.h declares and describes.
 *
 * Every function but close and abort is collective, over all PEs or, where it says so, over those of a
 * machine. If a PE has died, none of them returns: this process ends with a message.
 */
#ifndef GSHMEMI_BOOTSTRAP_WAY_H
#define GSHMEMI_BOOTSTRAP_WAY_H

#include "bootstrap/bootstrap.h"

struct gshmemi_bootstrap {
	void (*close)(void); /* called by one PE alone */
	void (*abort)(int status);
	bool (*is_finalized)(void);
	int (*check_level)(int thread_level);
	int (*check_carrying)(int from_pe, int to_pe);

	/* must be called before the two machine and leader exchanges */
	void (*split)(int lowest, int npeers);
	void (*barrier)(void);
	/* called by the two PEs alone, but over TCP by all */
	void (*move)(void *data, size_t nbytes, int from, int to);
	void (*broadcast)(void *data, size_t nbytes, int root);
	void (*allgather)(const void *mine, void *all, size_t nbytes);
	void (*allgather_machine)(const void *mine, void *all, size_t nbytes);
	void (*allgather_leaders)(bool is_leader, int nleaders, const void *mine, void *all, size_t nbytes);
	void (*min)(int64_t *words, int nwords);
	void (*all_bits)(uint64_t *words, int nwords); /* bitwise AND */
};

/* ---- mpi.c ---- */

extern const struct gshmemi_bootstrap gshmemi_bootstrap_mpi;

/* comm is an MPI_Comm *, NULL for MPI_COMM_WORLD. Sets *rank_p and *npes_p on success. */
int gshmemi_bootstrap_mpi_open(const void *comm, int *rank_p, int *npes_p);

/* ---- launcher.c ---- */

/*
 * Called where this process is alone for MPI. If MPI does not know the launcher, the processes it starts do
 * not find each other. Each would be a job of its own, compute the same, and overwrite the others' files: so
 * returns -EINVAL, after a message of one process, if the environment speaks of several. mpi names this MPI.
 */
int gshmemi_launcher_check(const char *mpi);

/* Whether a launcher may have started several processes: it has left variables, and does not say one. */
bool gshmemi_launcher_may_be_there(void);

/* ---- tcp.c, join.c ---- */

extern const struct gshmemi_bootstrap gshmemi_bootstrap_tcp;

/* On an error prints a message and leaves no connection open. */
int gshmemi_bootstrap_tcp_open(const gshmemx_uniqueid_t *id, int rank, int npes);

/* For a job of this process alone, which needs no connections. */
int gshmemi_bootstrap_tcp_open_alone(void);

#endif /* GSHMEMI_BOOTSTRAP_WAY_H */
