/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of the device state in HIP units and modules. */
#ifndef GSHMEMI_DEVICE_STATE_H
#define GSHMEMI_DEVICE_STATE_H

#include "base/base.h"

/* Fills the library's copy from *state, and then the copies of all units. */
int gshmemi_state_set(const struct gshmemi_state *state);

/* Fills the copies of units registered since. */
int gshmemi_state_upload(void);

/*
 * Sets GSHMEMI_WHY_* bits in all units and modules. Only this one word is ever written to a copy that has
 * been filled, so a kernel that is running, perhaps one of the library itself, sees either the old word or
 * the new one. Returns -EINVAL after a message if a unit compiled with GSHMEM_DIRECT_ONLY cannot follow.
 */
int gshmemi_state_add_why(uint32_t why);

/*
 * Sets or clears GSHMEMI_WHY_ASKED everywhere, while kernels run. Does nothing where the CPU cannot
 * reach the states.
 */
void gshmemi_state_set_asked(bool is_asked);

/* Resets all copies to sentinels and forgets the modules. */
void gshmemi_state_reset(void);

#endif /* GSHMEMI_DEVICE_STATE_H */
