/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenSHMEM's header for extensions. It has none; those of gshmem are in gshmemx.h. */
#ifndef SHMEMX_H
#define SHMEMX_H

#include <shmem.h>

#endif /* SHMEMX_H */
