/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps the peers: in init the PEs of a machine tell each other what memory they have, and map it. */
#ifndef GSHMEMI_IPC_MAP_H
#define GSHMEMI_IPC_MAP_H

#include "base/base.h"

/* What this PE owns and its peers need to know. */
struct gshmemi_mine {
	int device;
	int life_fd; /* of gshmemi_life_open */
	/* the heap, the sync region and, in the sync region, the control blocks */
	void *bases[GSHMEMI_REGION_GLOBALS];
	uint64_t nbytes[GSHMEMI_REGION_GLOBALS];
};

/*
 * Exchanges handles and opens those of the PEs on this node, and the life words of the PEs of this machine.
 * Then the regions exist (ipc/region.h). rc is this PE's error so far. Collective: returns 0, or the same
 * error on every PE with nothing left open.
 *
 * It is no error if a PE is on another node or this device cannot access its device: its distances are
 * then sentinels. So are those of a PE whose handles do not open in several attempts, after a warning;
 * but if operations on it cannot go over MPI, that is an error. If this PE's device has no native atomics
 * on the peer's device, the distance for atomics is a sentinel too: only one kind of agent may update a
 * word (docs/design.md). *heap_align_p is the alignment that the heap has on all PEs.
 * gshmemi_regions_close undoes it.
 */
int gshmemi_map_open(int rc, const struct gshmemi_mine *mine, size_t *heap_align_p);

struct gshmemi_scale;
void gshmemi_map_scale(struct gshmemi_scale *scale);

#endif /* GSHMEMI_IPC_MAP_H */
