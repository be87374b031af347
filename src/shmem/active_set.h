/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active sets: the PEs start, start + 2^log_stride, ..., size of them. OpenSHMEM had collectives of them before it had teams.
 * The first one makes a team, which later ones use.
 */
#ifndef GSHMEMI_SHMEM_ACTIVE_SET_H
#define GSHMEMI_SHMEM_ACTIVE_SET_H

#include "shmem/shmem.h"

/*
 * The set's team; GSHMEM_TEAM_INVALID on a PE that is not in it. sync is the call's pSync, all SHMEM_SYNC_VALUE, as it is
 * again afterwards. call is for messages.
 */
gshmem_team_t gshmemi_active_set(int start, int log_stride, int size, long *sync, const char *call);

#endif /* GSHMEMI_SHMEM_ACTIVE_SET_H */
