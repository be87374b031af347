/* SPDX-License-Identifier: BSD-3-Clause */
/* The link over MPI: see link.h. */
#ifndef GSHMEMI_NET_MPI_H
#define GSHMEMI_NET_MPI_H

#include "net/link.h"

struct gshmemi_scale;

/*
 * A link between all PEs of the job, over a communicator of its own. Collective, as is the link's end. All PEs return
 * the same: 0, or a negative errno after a message. MPI must run at MPI_THREAD_MULTIPLE, which the caller has checked.
 *
 * The threads that call the link may change from call to call. None of them may call it once the program is in
 * MPI_Finalize: a program that gets there with a link open is ended, with a message.
 */
int gshmemi_link_mpi_open(struct gshmemi_link **link_p);

/*
 * The same in two steps: prepare, collective, makes the communicator; open_prepared, by any PEs, at any time, opens the link of this PE, and
 * says by itself what went wrong. drop gives the communicator back, collectively, where it was not opened.
 */
void gshmemi_link_mpi_prepare(void);
int gshmemi_link_mpi_open_prepared(struct gshmemi_link **link_p);
void gshmemi_link_mpi_drop(void);

/* What that takes; the bytes of a message. */
size_t gshmemi_link_mpi_scale(struct gshmemi_scale *scale);

/* Whether MPI says that it sends from memory of this kind of device. */
bool gshmemi_link_mpi_takes_device(void);

#endif /* GSHMEMI_NET_MPI_H */
