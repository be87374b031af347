/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations of other processes, opened by their handles. Opening is dear (90 us on hardware), so that what nothing uses any more
 * stays open: for each peer up to GSHMEM_IPC_CACHE allocations, of which the least recently used are closed first. An allocation is
 * known by its handle's bytes and its id, because addresses are used again, and handles with them. Virtual memory (ipc/virtual.h) is closed
 * as soon as nothing uses it: its handle is new each time.
 *
 * A user is a region. Whoever gives an opening back says that no kernel and no carrier reaches it any more: what has a user is
 * never closed.
 */
#ifndef GSHMEMI_IPC_OPENING_H
#define GSHMEMI_IPC_OPENING_H

#include "base/base.h"

/* What another process needs to map memory of this one. */
struct gshmemi_memory {
	hipIpcMemHandle_t handle; /* of the allocation; of virtual memory, who hands out its descriptors */
	uint64_t id;
	uint64_t offset;          /* in the allocation, where the memory starts */
	uint64_t nbytes;          /* of the allocation; 0: there is no memory */
	uint64_t npieces;         /* that virtual memory consists of; 0: it is none */
};

struct gshmemi_opening {
	struct gshmemi_opening *next;
	hipIpcMemHandle_t handle;
	uint64_t id;
	void *base;
	struct gshmemi_mapping *mapping; /* of virtual memory; else NULL */
	unsigned nusers;
};

/* Describe memory of this process on the device, which may lie inside of an allocation. call and what name it in messages. */
int gshmemi_memory_export(const void *base, const char *call, const char *what, struct gshmemi_memory *memory_p);

/* Room for so many peers; close all, used or not. */
int gshmemi_openings_create(int npeers);
void gshmemi_openings_destroy(void);

/*
 * Map memory of a peer, at place unless that is NULL. hipErrorInvalidContext: a region still uses an allocation with this
 * handle that the peer has freed.
 */
hipError_t gshmemi_opening_take(int peer, const struct gshmemi_memory *memory, void *place, struct gshmemi_opening **opening_p);
void gshmemi_opening_give(int peer, struct gshmemi_opening *opening);
/* Close those of a peer that have no user. */
void gshmemi_openings_close_idle(int peer);

/* Handles that were opened; and times that take found one open, since create. */
struct gshmemi_openings_count {
	uint64_t nopened;
	uint64_t nfound;
};
struct gshmemi_openings_count gshmemi_openings_count(void);

#endif /* GSHMEMI_IPC_OPENING_H */
