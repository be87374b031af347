/* SPDX-License-Identifier: BSD-3-Clause */
/* The PEs find each other, over MPI or TCP. Called only from the user's thread. */
#ifndef GSHMEMI_BOOTSTRAP_BOOTSTRAP_H
#define GSHMEMI_BOOTSTRAP_BOOTSTRAP_H

#include "base/base.h"
#include "mpi/mpi.h"

/*
 * Starts MPI at MPI_THREAD_MULTIPLE unless it is running, and copies the communicator at comm (an MPI_Comm *;
 * NULL: MPI_COMM_WORLD). Fails only if this process cannot take part in anything collective. Without MPI and
 * without a launcher, this process is a job of one PE.
 */
int gshmemi_bootstrap_open(const void *comm);
void gshmemi_bootstrap_close(void);

/*
 * The same without MPI, by the job's unique id. Waits until all ranks have come, but
 * at most GSHMEM_INIT_TIMEOUT.
 */
int gshmemi_bootstrap_open_by_id(const gshmemx_uniqueid_t *id, int rank, int nranks);

/* Whether MPI has started the job. If not, MPI must not be called. */
bool gshmemi_bootstrap_has_mpi(void);

/*
 * At process exit: finalizes MPI if the library started it and is finalized itself. A second
 * call does nothing.
 */
void gshmemi_bootstrap_finalize(void);

/* Returns -EINVAL after a message if MPI's thread level is too low for thread_level, a GSHMEM_THREAD_*. */
int gshmemi_bootstrap_check_level(int thread_level);

/*
 * Whether MPI can carry operations of from_pe on to_pe. Returns -EINVAL, after a message that names both, if
 * MPI's thread level is below MPI_THREAD_MULTIPLE, and -ENOTSUP if MPI has not started the job.
 */
int gshmemi_bootstrap_check_carrying(int from_pe, int to_pe);

/* For net/mpi.c; collective. *copy becomes a copy of the communicator, on which errors return. */
void gshmemi_bootstrap_copy_comm(gshmemi_mpi_comm_t *copy);

/* Fills pes[npes] with the PEs of a group's MPI processes, -1 for one that is no PE. */
void gshmemi_bootstrap_find_pes(gshmemi_mpi_group_t group, int npes, int *pes);

/*
 * Ends all processes that MPI knows with a status, which the launcher returns. May be called by any thread,
 * also while another is inside MPI. Returns if there are no other processes, if MPI is not running, or if it
 * has not started the job.
 */
void gshmemi_bootstrap_abort(int status);

/* Whether the user has finalized MPI: then the functions below must not be called. */
bool gshmemi_bootstrap_is_finalized(void);

/*
 * Copies data from PE from to PE to. With MPI only these two call it; without, all PEs do, each with memory
 * of nbytes bytes at data.
 */
void gshmemi_bootstrap_move(void *data, size_t nbytes, int from, int to);

int gshmemi_bootstrap_rank(void); /* -1 when not open */
int gshmemi_bootstrap_npes(void);
void gshmemi_bootstrap_barrier(void);
void gshmemi_bootstrap_allgather(const void *mine, void *all, size_t nbytes);
void gshmemi_bootstrap_broadcast(void *data, size_t nbytes, int root);

/*
 * Forms the group of this machine's PEs for gshmemi_bootstrap_allgather_node: npeers PEs in ascending order,
 * lowest the first.
 */
void gshmemi_bootstrap_split(int lowest, int npeers);

void gshmemi_bootstrap_allgather_node(const void *mine, void *all, size_t nbytes);
/*
 * The leaders, in ascending order, tell all PEs nbytes each. Every machine has at least one leader,
 * its lowest PE.
 */
void gshmemi_bootstrap_allgather_leaders(
	bool is_leader, int nleaders, const void *mine, void *all, size_t nbytes);

/* What has been exchanged since open: base/scale.h. */
const struct gshmemi_traffic *gshmemi_bootstrap_traffic(void);

/* The minimum of each word over all PEs; the bitwise AND. */
void gshmemi_bootstrap_min(int64_t *words, int nwords);
void gshmemi_bootstrap_and(uint64_t *words, int nwords);

/*
 * Agrees on an error. Returns 0 if rc is 0 on every PE; else, on every PE, the rc of the lowest PE that has
 * one, which prints its held message. *all, unless NULL, becomes false on every PE if it is false on any.
 */
int gshmemi_bootstrap_agree(int rc, bool *all);

#endif /* GSHMEMI_BOOTSTRAP_BOOTSTRAP_H */
