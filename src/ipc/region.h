/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: memory that each PE has one of. The heap, the sync region and the program's variables are there from init on; those of
 * windows come and go (src/win/), each under a number that all its PEs know it by.
 *
 * A region is added with this PE's part of it, told what the peers have, and opened. Until then a distance is GSHMEMI_SENTINEL. Kernels read two tables: the true one (struct gshmemi_region) on the
 * slow path, and one like those of the state (struct gshmemi_table, in device memory). What a kernel that runs meanwhile reads there
 * is the old distance or the new one; a kernel that is launched after gshmemi_region_open reads the new one.
 */
#ifndef GSHMEMI_IPC_REGION_H
#define GSHMEMI_IPC_REGION_H

#include "ipc/opening.h"

/* The tables, with nothing in them; remove all regions and close what is open, which no PE may free before all have. */
int gshmemi_regions_open(void);
void gshmemi_regions_close(void);
struct gshmemi_scale;
void gshmemi_regions_scale(struct gshmemi_scale *scale);

/*
 * Add this PE's part: nbytes from base on, 0 where it has none; the caller sees to it that the number is free. what names the region
 * in messages, and stays. Remove it again: nothing reaches it any more. Its openings stay for the next one.
 */
int gshmemi_region_add(unsigned region, void *base, uint64_t nbytes, const char *what);
void gshmemi_region_remove(unsigned region);

/* What a peer has, an index of gshmemi_job->peers; without it, or with 0 bytes, nothing that can be mapped. */
void gshmemi_region_tell(unsigned region, int peer, const struct gshmemi_memory *memory);

#define GSHMEMI_REGION_ATTEMPTS 5 /* to open a handle, with pauses of milliseconds */

/*
 * Map one peer's in init, at place unless that is NULL. Fails with -EXDEV where the devices have no access; with -EREMOTE, after a
 * warning, where its handle does not open and operations on the peer can go over MPI; or with an error after a message.
 */
int gshmemi_region_map(unsigned region, int peer, void *place);
/* Undo that, in init; or do nothing. */
void gshmemi_region_unmap(unsigned region, int peer);

/*
 * Map those of all peers. What does not open is a warning, and stays at its sentinels. Any thread. Returns a negative errno when the
 * tables of kernels cannot be written.
 */
int gshmemi_region_open(unsigned region);
/* Write the table of kernels of a region that was mapped peer by peer. */
int gshmemi_region_publish(unsigned region);

/* The tables of kernels, in device memory: as struct gshmemi_where has them. */
void gshmemi_region_tables(unsigned region, const ptrdiff_t **delta_p, const ptrdiff_t **amo_delta_p);

/* The distance to that of a PE of the world, though a carrier may have to take what goes there. */
ptrdiff_t gshmemi_region_delta(unsigned region, int pe);

/* Some PE has to perform operations of this one. */
bool gshmemi_regions_need_net(void);
/* -EINVAL after a message where MPI's thread level does not allow that. */
int gshmemi_regions_check_net(void);

/*
 * Fill in what the state says of regions, and why calls take the slow path; has_net: the net runs. Returns how many PEs of this node have a
 * direct entry.
 */
int gshmemi_regions_describe(bool has_net, struct gshmemi_state *state);

#endif /* GSHMEMI_IPC_REGION_H */
