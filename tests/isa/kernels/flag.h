/* SPDX-License-Identifier: BSD-3-Clause */
/* A store that publishes earlier writes; the checker recognises it by its name. */
#ifndef ISA_FLAG_H
#define ISA_FLAG_H

__device__ static inline __attribute__((always_inline)) void isa_flag(uint64_t *flag, int pe)
{
	gshmem_uint64_p(flag, 1, pe);
}

#endif
