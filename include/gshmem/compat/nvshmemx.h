/* SPDX-License-Identifier: BSD-3-Clause */
/* NVSHMEM's second header, for programs that include it. */
#include <gshmem/compat/nvshmem.h>
