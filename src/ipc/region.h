/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: kinds of memory of which each PE has a part. The heap, the sync region and the program's variables
 * exist from init on. The regions of windows come and go (src/win/); all PEs of a window know its region by
 * the same number.
 *
 * To make a region: add this PE's part, tell what the peers have, and open. Until then all distances are
 * GSHMEMI_SENTINEL. Kernels read two tables: on the slow path the true one (struct gshmemi_region), and
 * otherwise one like those in the state (struct gshmemi_table, in device memory). A running kernel reads the
 * old distance or the new one; a kernel launched after gshmemi_region_open reads the new one.
 */
#ifndef GSHMEMI_IPC_REGION_H
#define GSHMEMI_IPC_REGION_H

#include "ipc/opening.h"

/*
 * open creates the tables, empty. close removes all regions and closes all openings; no PE may free its
 * memory before all PEs have.
 */
int gshmemi_regions_open(void);
void gshmemi_regions_close(void);
struct gshmemi_scale;
void gshmemi_regions_scale(struct gshmemi_scale *scale);

/*
 * Adds this PE's part: nbytes at base, 0 if it has none. The caller makes sure that the number is free. what
 * names the region in messages and must stay valid. Remove it when nothing reaches it any more; its openings
 * are kept for the next region.
 */
int gshmemi_region_add(unsigned region, void *base, uint64_t nbytes, const char *what);
void gshmemi_region_remove(unsigned region);

/*
 * Tells what memory a peer has (peer is an index of gshmemi_job->peers). Without this call, or with 0 bytes,
 * it has none to map.
 */
void gshmemi_region_tell(unsigned region, int peer, const struct gshmemi_memory *memory);

#define GSHMEMI_REGION_ATTEMPTS 5 /* to open a handle, with pauses of milliseconds */

/*
 * In init: maps one peer's part, at place unless that is NULL. Returns -EXDEV if the devices have no access;
 * -EREMOTE, after a warning, if its handle does not open but operations on the peer can go over MPI; or
 * another error after a message.
 */
int gshmemi_region_map(unsigned region, int peer, void *place);
/* Undoes that, in init; does nothing if it is not mapped. */
void gshmemi_region_unmap(unsigned region, int peer);

/*
 * Maps the parts of all peers. A part that does not open causes a warning and keeps its sentinels. Any thread
 * may call. Returns a negative errno if the tables of kernels cannot be written.
 */
int gshmemi_region_open(unsigned region);
/* Writes the kernels' table of a region that was mapped peer by peer. */
int gshmemi_region_publish(unsigned region);

/* The kernels' tables, in device memory, as struct gshmemi_where has them. */
void gshmemi_region_tables(unsigned region, const ptrdiff_t **delta_p, const ptrdiff_t **amo_delta_p);

/* The distance to a PE's part (a PE of the world), even if operations on it must go through a carrier. */
ptrdiff_t gshmemi_region_delta(unsigned region, int pe);

/* Whether some PE has to perform operations for this one. */
bool gshmemi_regions_need_net(void);
/* Returns -EINVAL after a message if MPI's thread level does not allow that. */
int gshmemi_regions_check_net(void);

/*
 * Fills in what the state says about regions, and why calls take the slow path; has_net: the net is running.
 * Returns how many PEs of this node have a direct entry.
 */
int gshmemi_regions_describe(bool has_net, struct gshmemi_state *state);

#endif /* GSHMEMI_IPC_REGION_H */
