/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent of this PE's device, and landings for this PE's own operations: device.c. Empty where the CPU can
 * reach the heap.
 */
#ifndef GSHMEMI_OWNER_DEVICE_H
#define GSHMEMI_OWNER_DEVICE_H

#include "base/base.h"

#include "engine/agent.h"

const struct gshmemi_agent *gshmemi_net_agent(void);
/* Whether the link sends from device memory; the agent knows once it is open. */
bool gshmemi_net_sends_device(void);
int gshmemi_net_agent_open(void);
void gshmemi_net_agent_close(void);

/*
 * Called between enter and leave (net.h). Takes a landing for up to GSHMEMI_NET_CHUNK_NBYTES; NULL: none
 * is free now.
 */
struct gshmemi_landing *gshmemi_landing_take(size_t nbytes);
void gshmemi_landing_give(struct gshmemi_landing *landing);
void gshmemi_landing_copy(struct gshmemi_landing *landing, void *dest, const void *source, size_t nbytes);

#endif /* GSHMEMI_OWNER_DEVICE_H */
