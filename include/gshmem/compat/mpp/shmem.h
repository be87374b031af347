/* SPDX-License-Identifier: BSD-3-Clause */
/* Where shmem.h was before OpenSHMEM 1.1. */
#include <shmem.h>
