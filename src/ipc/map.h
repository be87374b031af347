/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The map of the peers: opens the memory of the PEs on this node, and says how far it lies from this PE's
 * own.
 */
#ifndef GSHMEMI_IPC_MAP_H
#define GSHMEMI_IPC_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/* True distances of all PEs; a sentinel where a PE's memory is not mapped. */
struct gshmemi_peers {
	ptrdiff_t *delta;      /* [npes], of heaps; as the others */
	ptrdiff_t *sync_delta; /* of sync regions */
	ptrdiff_t *amo_delta;  /* of heaps, for atomics */
};

/*
 * Exchange handles of the heap and the sync region, open those of the PEs on this node, and what the PEs of
 * this machine say of themselves (life_fd, of gshmemi_life_open); fill the tables of *peers. rc is this PE's
 * error so far. Collective, and agreed: 0, or the same error on every PE with nothing left open.
 *
 * A PE on another node, or one whose device this one cannot access, is no error: its entries are sentinels.
 * amo_delta is sentinels everywhere, on every PE, when any pair of PEs in the job lacks native atomics: an object may
 * have one agent only.
 * *heap_align_p is the alignment that the heap has on all PEs.
 */
int gshmemi_map_open(int rc, int device, int life_fd, char *heap, struct gshmemi_sync *sync,
		     const struct gshmemi_peers *peers, size_t *heap_align_p);

/* Close what open opened; no PE may free its memory before all have. */
void gshmemi_map_close(void);

/* Handles that open has opened. */
uint64_t gshmemi_map_nopened(void);

struct gshmemi_scale;
void gshmemi_map_scale(struct gshmemi_scale *scale);

#endif /* GSHMEMI_IPC_MAP_H */
