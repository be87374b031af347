/* SPDX-License-Identifier: BSD-3-Clause */
/* Where shmemx.h was before OpenSHMEM 1.1. */
#include <shmemx.h>
