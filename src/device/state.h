/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of the device state in HIP units and modules. */
#ifndef GSHMEMI_DEVICE_STATE_H
#define GSHMEMI_DEVICE_STATE_H

#include "base/base.h"

/* Fill the library's copy from *state, and the copies of all units. */
int gshmemi_state_set(const struct gshmemi_state *state);

/* Fill the copies of units registered since. */
int gshmemi_state_upload(void);

/*
 * Set GSHMEMI_SLOW_* bits from now on, in all units and modules: one word of each, which is all that is ever written to a copy that has
 * been filled, so that a kernel which runs meanwhile, perhaps one of the library itself, sees the old word or the new one. -EINVAL after
 * a message where a unit that was compiled with GSHMEM_DIRECT_ONLY cannot follow.
 */
int gshmemi_state_add_slow(uint32_t slow);

/* Set GSHMEMI_SLOW_ASKED everywhere, or take it back, while kernels run. Where the CPU does not reach the states: nothing. */
void gshmemi_state_set_asked(bool is_asked);

/* Back to sentinels, everywhere; modules are forgotten. */
void gshmemi_state_reset(void);

#endif /* GSHMEMI_DEVICE_STATE_H */
