/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting. Every wait of the library, in kernels and on the host, is gshmemi_wait: back-off, the watchdog, and the
 * end of the job live here and nowhere else.
 */
#ifndef GSHMEM_WAIT_H
#define GSHMEM_WAIT_H

#include <gshmem/slow.h>

/* Whether (found cmp value); both are the zero-extended bits of a type of nbytes. */
GSHMEMI_FN int gshmemi_compare(uint64_t found, int cmp, uint64_t value, unsigned nbytes, int is_signed)
{
	const unsigned shift = 64 - 8 * nbytes;
	int64_t a, b;

	if (cmp == GSHMEM_CMP_EQ)
		return found == value;
	if (cmp == GSHMEM_CMP_NE)
		return found != value;
	/* Move the sign into bit 63, and for unsigned types turn it, so that one signed comparison serves all. */
	a = (int64_t)((found << shift) ^ (is_signed ? 0 : 1ULL << 63));
	b = (int64_t)((value << shift) ^ (is_signed ? 0 : 1ULL << 63));
	switch (cmp) {
	case GSHMEM_CMP_GT:
		return a > b;
	case GSHMEM_CMP_GE:
		return a >= b;
	case GSHMEM_CMP_LT:
		return a < b;
	default:
		return a <= b;
	}
}

/* Polls between two looks at the clock and at the poison. A power of two. */
#define GSHMEMI_WAIT_POLLS 1024

/*
 * A wait that did not end soon: end it with the job, or report it once when it is too long. Returns when the wait
 * started, for the next call; the first call passes 0. After the report that is UINT64_MAX.
 */
GSHMEMI_SLOW uint64_t gshmemi_wait_long_at(uint64_t started_ns, const void *ivar, unsigned nbytes, uint64_t found, int cmp,
					   uint64_t value, int pe, const char *call, uint64_t caller)
{
	uint64_t now_ns;

	if (gshmemi_arch_load(gshmemi_state.poison, 4))
		gshmemi_fault_raise(GSHMEMI_FAULT_POISONED, pe, ivar, nbytes, found, value, call, caller);
	if (started_ns == UINT64_MAX || !gshmemi_state.watchdog_ns)
		return started_ns;
	now_ns = gshmemi_arch_clock_ns();
	if (!started_ns)
		return now_ns;
	if (now_ns - started_ns < gshmemi_state.watchdog_ns)
		return started_ns;
	gshmemi_fault_slow_wait(pe, ivar, nbytes, found, cmp, value, now_ns - started_ns, call, caller);
	return UINT64_MAX;
}

#define gshmemi_wait_long(started_ns, ivar, nbytes, found, cmp, value, pe, call) \
	gshmemi_wait_long_at(started_ns, ivar, nbytes, found, cmp, value, pe, call, gshmemi_arch_caller())

/*
 * Wait until the word at ivar, of a constant nbytes, satisfies the comparison; returns its bits. pe is who should
 * change it, for the report, or -1. The acquire pairs with the release before the update (gshmemi_signal, fence).
 */
GSHMEMI_FN uint64_t gshmemi_wait(const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, int pe,
				 const char *call)
{
	uint64_t found, started_ns = 0;
	unsigned polls = 0;

	while (found = gshmemi_arch_load(ivar, nbytes), !gshmemi_compare(found, cmp, value, nbytes, is_signed)) {
		gshmemi_arch_pause(&polls);
		if ((polls & (GSHMEMI_WAIT_POLLS - 1)) == 0)
			started_ns = gshmemi_wait_long(started_ns, ivar, nbytes, found, cmp, value, pe, call);
	}
	gshmemi_arch_fence_acquire();
	return found;
}

/* The API's wait, by a scope: one thread polls, then every thread acquires, for waves need not share a cache. */
GSHMEMI_FN uint64_t gshmemi_wait_until(int scope, const void *ivar, unsigned nbytes, int is_signed, int cmp,
				       uint64_t value, const char *call)
{
	struct gshmemi_group group;

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_wait(ivar, nbytes, is_signed, cmp, value, call);
	if (gshmemi_is_slow(GSHMEMI_SLOW_UNSET | GSHMEMI_SLOW_CHECK))
		gshmemi_slow_wait(ivar, nbytes, cmp, call);
	if (scope == GSHMEMI_THREAD)
		return gshmemi_wait(ivar, nbytes, is_signed, cmp, value, -1, call);
	group = gshmemi_group_here(scope, GSHMEMI_KEY(ivar, NULL)); /* the others wait for the first below */
	if (group.rank == 0)
		gshmemi_wait(ivar, nbytes, is_signed, cmp, value, -1, call);
	gshmemi_group_sync(&group);
	gshmemi_arch_fence_acquire();
	return gshmemi_arch_load(ivar, nbytes);
}

GSHMEMI_FN int gshmemi_test(const void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, const char *call)
{
	unsigned polls = GSHMEMI_WAIT_POLLS - 1; /* callers poll: as late in a wait, let others run at once */

	if (GSHMEMI_ON_HOST())
		return gshmemi_host_test(ivar, nbytes, is_signed, cmp, value, call);
	if (gshmemi_is_slow(GSHMEMI_SLOW_UNSET | GSHMEMI_SLOW_CHECK))
		gshmemi_slow_wait(ivar, nbytes, cmp, call);
	if (!gshmemi_compare(gshmemi_arch_load(ivar, nbytes), cmp, value, nbytes, is_signed)) {
		gshmemi_arch_pause(&polls);
		return 0;
	}
	gshmemi_arch_fence_acquire();
	return 1;
}

/* ---- the API ---- */

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
	GSHMEMI_WAIT_UNTIL(gshmemx, NAME, TYPE, _wave, GSHMEMI_WAVE) \
	GSHMEMI_WAIT_UNTIL(gshmemx, NAME, TYPE, _wg, GSHMEMI_WG) \
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
GSHMEMI_DEFINE(gshmemx_signal_wait_until_wave, GSHMEMI_WAVE)
GSHMEMI_DEFINE(gshmemx_signal_wait_until_wg, GSHMEMI_WG)
#undef GSHMEMI_DEFINE

#undef GSHMEMI_IS_SIGNED
#undef GSHMEMI_WAIT_UNTIL

#endif /* GSHMEM_WAIT_H */
