/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of the device state in HIP units and modules. */
#ifndef GSHMEMI_DEVICE_STATE_H
#define GSHMEMI_DEVICE_STATE_H

#include "base/base.h"

/* Fill the library's copy from *state, and the copies of all units. */
int gshmemi_state_set(const struct gshmemi_state *state);

/* Fill the copies of units registered since. */
int gshmemi_state_upload(void);

/* Set GSHMEMI_SLOW_* bits from now on, in all units and modules, while no kernel that uses the library is running. */
int gshmemi_state_add_slow(uint32_t slow);

/* Back to sentinels, everywhere; modules are forgotten. */
void gshmemi_state_reset(void);

#endif /* GSHMEMI_DEVICE_STATE_H */
