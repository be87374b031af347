/* SPDX-License-Identifier: BSD-3-Clause */
/* cooperative_groups: CUDA's. */
#ifndef HIPCUDA_HIP_COOPERATIVE_GROUPS_H
#define HIPCUDA_HIP_COOPERATIVE_GROUPS_H

#include "hip_runtime.h"

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

#endif /* HIPCUDA_HIP_COOPERATIVE_GROUPS_H */
