/* SPDX-License-Identifier: BSD-3-Clause */
/* Deprecated calls that are not just other names of libgshmem's calls; tools/shmem-names makes those. */
#include "shmem/shmem.h"

/* clang-format off */
#define DEFINE_WAIT(NAME, TYPE) \
	SHMEMI_DEFINE(void, shmem_##NAME##_wait, (TYPE *ivar, TYPE cmp_value)) \
	{ \
		gshmem_##NAME##_wait_until(ivar, GSHMEM_CMP_NE, cmp_value); \
	}
/* clang-format on */
DEFINE_WAIT(short, short)
DEFINE_WAIT(int, int)
DEFINE_WAIT(long, long)
DEFINE_WAIT(longlong, long long)
#undef DEFINE_WAIT

SHMEMI_DEFINE(void, shmem_wait, (long *ivar, long cmp_value))
{
	gshmem_long_wait_until(ivar, GSHMEM_CMP_NE, cmp_value);
}

SHMEMI_DEFINE(void, start_pes, (int npes))
{
	int is_initialized;

	(void)npes;
	gshmem_query_initialized(&is_initialized);
	if (!is_initialized)
		gshmem_init();
}

/* ---- caches: no-ops, because caches are coherent ---- */

SHMEMI_DEFINE(void, shmem_set_cache_inv, (void)) {}

SHMEMI_DEFINE(void, shmem_clear_cache_inv, (void)) {}

SHMEMI_DEFINE(void, shmem_udcflush, (void)) {}

SHMEMI_DEFINE(void, shmem_set_cache_line_inv, (void *dest))
{
	(void)dest;
}

SHMEMI_DEFINE(void, shmem_clear_cache_line_inv, (void *dest))
{
	(void)dest;
}

SHMEMI_DEFINE(void, shmem_udcflush_line, (void *dest))
{
	(void)dest;
}
