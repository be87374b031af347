/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits and tests: the functions of the API, and what a scope adds to gshmemi_wait. */
#ifndef GSHMEM_WAIT_H
#define GSHMEM_WAIT_H

#include <gshmem/wait/poll.h>

/* A wait by a scope: one thread polls, then every thread acquires, because waves need not share a cache. */
GSHMEMI_FN uint64_t gshmemi_wait_until(int scope, const void *ivar, unsigned nbytes, int is_signed, int cmp,
	uint64_t value, const char *call)
{
	struct gshmemi_group group;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_wait(ivar, nbytes, is_signed, cmp, value, call);
	if (gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK)) {
		gshmemi_check_args(scope, GSHMEMI_ARGS_WAIT, (uintptr_t)ivar, 0, (unsigned)cmp, value, call);
		gshmemi_slow_wait(ivar, nbytes, nbytes, cmp, call);
	}
	if (scope == GSHMEMI_THREAD)
		return gshmemi_wait(ivar, nbytes, is_signed, cmp, value, -1, call);
	/* the others wait at the end */
	if (gshmemi_group_begin_early(&group, scope, GSHMEMI_KEY(ivar, NULL))) {
		if (group.rank == 0)
			gshmemi_wait(ivar, nbytes, is_signed, cmp, value, -1, call);
		gshmemi_group_end(&group);
	}
	gshmemi_arch_fence_acquire();
	return gshmemi_arch_load(ivar, nbytes);
}

GSHMEMI_FN int gshmemi_test(
	const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	/* the caller polls: let others run at once, as late in a wait */
	unsigned polls = GSHMEMI_WAIT_POLLS - 1;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_test(ivar, nbytes, is_signed, cmp, value, call);
	if (gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_slow_wait(ivar, nbytes, nbytes, cmp, call);
	if (!gshmemi_compare(gshmemi_arch_load(ivar, nbytes), cmp, value, nbytes, is_signed)) {
		gshmemi_attend();
		gshmemi_wait_pause(&polls, -1);
		return 0;
	}
	gshmemi_arch_fence_acquire();
	return 1;
}

/* ---- the API ---- */

#ifndef GSHMEMI_BODIES /* defined by files of the library that export other calls */

#define GSHMEMI_IS_SIGNED(TYPE) ((TYPE)-1 < (TYPE)1)
#define GSHMEMI_WAIT_UNTIL(PREFIX, NAME, TYPE, SUFFIX, SCOPE) \
	GSHMEM_API void PREFIX##_##NAME##_wait_until##SUFFIX(TYPE *ivar, int cmp, TYPE cmp_value) \
	{ \
		(void)gshmemi_wait_until(SCOPE, ivar, sizeof(TYPE), GSHMEMI_IS_SIGNED(TYPE), cmp, \
			gshmemi_value_load(&cmp_value, sizeof cmp_value), \
			#PREFIX "_" #NAME "_wait_until" #SUFFIX); \
	}
#define GSHMEMI_DEFINE(NAME, TYPE) \
	GSHMEMI_WAIT_UNTIL(gshmem, NAME, TYPE, , GSHMEMI_THREAD) \
	GSHMEMI_OF_GROUPS(GSHMEMI_WAIT_UNTIL(gshmemx, NAME, TYPE, _wave, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_WAIT_UNTIL(gshmemx, NAME, TYPE, _wg, GSHMEMI_WG)) \
	GSHMEM_API int gshmem_##NAME##_test(TYPE *ivar, int cmp, TYPE cmp_value) \
	{ \
		return gshmemi_test(ivar, sizeof(TYPE), GSHMEMI_IS_SIGNED(TYPE), cmp, \
			gshmemi_value_load(&cmp_value, sizeof cmp_value), "gshmem_" #NAME "_test"); \
	}
GSHMEM_WAIT_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

#define GSHMEMI_DEFINE(NAME, SCOPE) \
	GSHMEM_API uint64_t NAME(uint64_t *sig_addr, int cmp, uint64_t cmp_value) \
	{ \
		return gshmemi_wait_until(SCOPE, sig_addr, 8, 0, cmp, cmp_value, #NAME); \
	}
GSHMEMI_DEFINE(gshmem_signal_wait_until, GSHMEMI_THREAD)
GSHMEMI_OF_GROUPS(GSHMEMI_DEFINE(gshmemx_signal_wait_until_wave, GSHMEMI_WAVE))
GSHMEMI_OF_GROUPS(GSHMEMI_DEFINE(gshmemx_signal_wait_until_wg, GSHMEMI_WG))
#undef GSHMEMI_DEFINE

#undef GSHMEMI_IS_SIGNED
#undef GSHMEMI_WAIT_UNTIL

#endif /* GSHMEMI_BODIES */

#endif /* GSHMEM_WAIT_H */
