/* SPDX-License-Identifier: BSD-3-Clause */
/* __half: CUDA's. */
#ifndef HIPCUDA_HIP_FP16_H
#define HIPCUDA_HIP_FP16_H

#include "hip_runtime.h"

#ifdef __cplusplus
#include <cuda_fp16.h>
#endif

#endif /* HIPCUDA_HIP_FP16_H */
