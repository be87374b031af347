/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual memory of other processes: memory of hipMemCreate that its PE has mapped, in one piece or in
 * several side by side. No handle names it. Instead each piece has a file descriptor, which the PE hands to
 * its peers (ipc/descriptors.h) while they make a region of the memory. A peer reserves addresses for all
 * pieces and maps them there in the same order, so that the distance to all of them is the same.
 */
#ifndef GSHMEMI_IPC_VIRTUAL_H
#define GSHMEMI_IPC_VIRTUAL_H

#include "ipc/opening.h"

/* An offer: what this PE hands out. A mapping: what a peer's offer is mapped as. */
struct gshmemi_offer;
struct gshmemi_mapping;

/* Is an address in virtual memory? */
bool gshmemi_virtual_contains(void *address);

/*
 * Describe nbytes of virtual memory from base on, and hand out descriptors of its pieces to whoever asks, on
 * a thread, until withdraw. call names it in messages. -ENOTSUP after a message if a piece was created
 * without a descriptor to share. withdraw takes NULL, too.
 */
int gshmemi_virtual_offer(const char *base, uint64_t nbytes, const char *call, struct gshmemi_offer **offer_p,
	struct gshmemi_memory *memory_p);
void gshmemi_virtual_withdraw(struct gshmemi_offer *offer);

/*
 * Maps what a peer offers, and unmaps it; a failure to map comes with a warning. *base_p: where its
 * first piece is.
 */
hipError_t gshmemi_virtual_map(
	const struct gshmemi_memory *memory, void **base_p, struct gshmemi_mapping **mapping_p);
void gshmemi_virtual_unmap(struct gshmemi_mapping *mapping);

#endif /* GSHMEMI_IPC_VIRTUAL_H */
