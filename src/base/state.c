/* SPDX-License-Identifier: BSD-3-Clause */
/* What host calls of all layers read. The device state is filled by device/state.c, the rest by init. */
#include "base/base.h"

struct gshmemi_state gshmemi_state = GSHMEMI_STATE_INIT;
struct gshmemi_attention *gshmemi_host_attention; /* [2]: the second is the sink, which nobody reads */
atomic_uint gshmemi_enter_why = GSHMEMI_ENTER_NOT_INITIALIZED;
