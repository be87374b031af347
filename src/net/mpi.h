/* SPDX-License-Identifier: BSD-3-Clause */
/* The link over MPI: see link.h. */
#ifndef GSHMEMI_NET_MPI_H
#define GSHMEMI_NET_MPI_H

#include "engine/link.h"

struct gshmemi_scale;

/*
 * Opens a link between all PEs of the job, over a communicator of its own. Collective, as is the link's end.
 * All PEs return the same: 0, or a negative errno after a message. MPI must run at MPI_THREAD_MULTIPLE; the
 * caller has checked that.
 *
 * The link may be called by different threads from call to call, but not once the program is in MPI_Finalize:
 * a program that gets there with a link open is ended with a message.
 */
int gshmemi_link_mpi_open(struct gshmemi_link **link_p);

/*
 * The same in two steps. prepare is collective and makes the communicator. open_prepared, on any PE
 * at any time, opens that PE's link and reports its own errors. drop frees the communicator if it was
 * not used; collective.
 */
void gshmemi_link_mpi_prepare(void);
int gshmemi_link_mpi_open_prepared(struct gshmemi_link **link_p);
void gshmemi_link_mpi_drop(void);

/* Adds what that takes; returns the bytes of a message. */
size_t gshmemi_link_mpi_scale(struct gshmemi_scale *scale);

#endif /* GSHMEMI_NET_MPI_H */
