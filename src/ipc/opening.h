/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations of other processes, opened by their handles. Opening is expensive (90 us on hardware), so an
 * opening stays open when nothing uses it any more: up to GSHMEM_IPC_CACHE per peer, and the least recently
 * used is closed first. An allocation is identified by its handle's bytes and its id, because addresses are
 * reused, and handles with them. Virtual memory (ipc/virtual.h) is closed as soon as nothing uses it: its
 * handle is new each time.
 *
 * The users of an opening are regions. Giving one back means that no kernel and no carrier reaches it any
 * more: an opening that has a user is never closed.
 */
#ifndef GSHMEMI_IPC_OPENING_H
#define GSHMEMI_IPC_OPENING_H

#include "base/base.h"

/* What another process needs to map memory of this one. */
struct gshmemi_memory {
	hipIpcMemHandle_t handle; /* of the allocation; of virtual memory, who hands out its descriptors */
	uint64_t id;
	uint64_t offset;  /* where the memory starts in the allocation */
	uint64_t nbytes;  /* of the allocation; 0: no memory */
	uint64_t npieces; /* of virtual memory; 0: it is not virtual */
};

struct gshmemi_opening {
	struct gshmemi_opening *next;
	hipIpcMemHandle_t handle;
	uint64_t id;
	void *base;
	struct gshmemi_mapping *mapping; /* of virtual memory; else NULL */
	unsigned nusers;
};

/*
 * Describes memory of this process on the current device, which may be part of an allocation. call and what
 * name it in messages. -EINVAL: it is memory of another device. *is_foreign_p becomes true, without an error,
 * if it is memory of another process, which HIP shares from there alone; NULL: that is an error.
 */
int gshmemi_memory_export(const void *base, const char *call, const char *what,
	struct gshmemi_memory *memory_p, bool *is_foreign_p);

/* Makes room for npeers peers; closes all openings, used or not. */
int gshmemi_openings_create(int npeers);
void gshmemi_openings_destroy(void);

/*
 * Opens memory of a peer, mapped at place unless that is NULL. hipErrorInvalidContext or
 * hipErrorAlreadyMapped: a region still uses memory with the same handle or address that the peer has freed.
 */
hipError_t gshmemi_opening_take(
	int peer, const struct gshmemi_memory *memory, void *place, struct gshmemi_opening **opening_p);
void gshmemi_opening_give(int peer, struct gshmemi_opening *opening);
/* Closes the openings of a peer that have no user. */
void gshmemi_openings_close_idle(int peer);

/* How many handles were opened, and how often take found one already open, since create. */
struct gshmemi_openings_count {
	uint64_t nopened;
	uint64_t nfound;
};
struct gshmemi_openings_count gshmemi_openings_count(void);

#endif /* GSHMEMI_IPC_OPENING_H */
