/* SPDX-License-Identifier: BSD-3-Clause */
/* __hip_bfloat16: CUDA's type by HIP's name. */
#ifndef HIPCUDA_HIP_BF16_H
#define HIPCUDA_HIP_BF16_H

#include "hip_runtime.h"

#ifdef __cplusplus
#include <cuda_bf16.h>

typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat16 hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
#endif

#endif /* HIPCUDA_HIP_BF16_H */
