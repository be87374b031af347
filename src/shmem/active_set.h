/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active sets: size PEs, start, start + 2^log_stride, and so on. OpenSHMEM had collectives on them before it
 * had teams. The first call on a set makes a team, which later calls on it use.
 */
#ifndef GSHMEMI_SHMEM_ACTIVE_SET_H
#define GSHMEMI_SHMEM_ACTIVE_SET_H

#include "shmem/shmem.h"

/* Returns the set's team, or GSHMEM_TEAM_INVALID on a PE that is not in the set. call is for messages. */
gshmem_team_t gshmemi_active_set(int start, int log_stride, int size, const char *call);

#endif /* GSHMEMI_SHMEM_ACTIVE_SET_H */
