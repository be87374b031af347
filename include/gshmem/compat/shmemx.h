/* SPDX-License-Identifier: BSD-3-Clause */
/* The header for extensions of OpenSHMEM, of which there are none: those of gshmem are in gshmemx.h. */
#ifndef SHMEMX_H
#define SHMEMX_H

#include <shmem.h>

#endif /* SHMEMX_H */
