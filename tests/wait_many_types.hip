/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 2,3 */
/* env: GSHMEM_CPU_WAVE=64 | GSHMEM_CHECK=1 */
/* tier: all */
/* wait_many.hip for every type that waits accept. */
#define WAIT_TYPES GSHMEM_WAIT_TYPES
#include "wait_many.hip"
