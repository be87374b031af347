/* SPDX-License-Identifier: BSD-3-Clause */
/* The map of the peers: in init the PEs of a machine tell each other what they have, and map it. */
#ifndef GSHMEMI_IPC_MAP_H
#define GSHMEMI_IPC_MAP_H

#include "base/base.h"

/* What this PE has of its own, and what peers need to know of it. */
struct gshmemi_mine {
	int device;
	int life_fd; /* of gshmemi_life_open */
	void *bases[GSHMEMI_REGION_GLOBALS]; /* of the heap, the sync region and the control blocks in it */
	uint64_t nbytes[GSHMEMI_REGION_GLOBALS];
};

/*
 * Exchange handles, and open those of the PEs on this node, and what the PEs of this machine say of themselves: the regions
 * (ipc/region.h) are there then. rc is this PE's error so far. Collective, and agreed: 0, or the same error on every PE with nothing
 * left open.
 *
 * A PE on another node, or one whose device this one cannot access, is no error: its distances are sentinels. So are those of a PE whose
 * handles do not open in several attempts, after a warning; where operations on it cannot go over MPI, that is an error. So is the
 * distance for atomics where this PE's device has no native atomics on that PE's: each word has one kind of agent (docs/design.md).
 * *heap_align_p is the alignment that the heap has on all PEs. gshmemi_regions_close undoes it.
 */
int gshmemi_map_open(int rc, const struct gshmemi_mine *mine, size_t *heap_align_p);

struct gshmemi_scale;
void gshmemi_map_scale(struct gshmemi_scale *scale);

#endif /* GSHMEMI_IPC_MAP_H */
