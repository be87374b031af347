/* SPDX-License-Identifier: BSD-3-Clause */
/* Put, fence, quiet and wait at a scope, for the tests named order_*. */
#ifndef T_ORDER_CALLS_H
#define T_ORDER_CALLS_H

#include <hip/hip_runtime.h>
#include "oracle.h"

enum order_scope { THREAD, WAVE, WG };
static const char *const order_scope_names[] = {"thread", "wave", "work-group"};

/* One of those who make a call together. */
struct order_member {
	int scope;
	unsigned rank, size;
};

#define BY_SCOPE(scope, name, ...) \
	((scope) == THREAD                ? gshmem_##name(__VA_ARGS__) \
			: (scope) == WAVE ? gshmemx_##name##_wave(__VA_ARGS__) \
					  : gshmemx_##name##_wg(__VA_ARGS__))

T_HD void order_put(int scope, uint64_t *dest, const uint64_t *source, size_t nelems, int pe)
{
	BY_SCOPE(scope, uint64_put, dest, source, nelems, pe);
}

T_HD void order_put_nbi(int scope, uint64_t *dest, const uint64_t *source, size_t nelems, int pe)
{
	BY_SCOPE(scope, uint64_put_nbi, dest, source, nelems, pe);
}

T_HD void order_iput(int scope, uint64_t *dest, const uint64_t *source, ptrdiff_t sst, size_t nelems, int pe)
{
	BY_SCOPE(scope, uint64_iput, dest, source, 1, sst, nelems, pe);
}

T_HD void order_put_signal(int scope, uint64_t *dest, const uint64_t *source, size_t nelems,
	uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
	BY_SCOPE(scope, uint64_put_signal, dest, source, nelems, sig_addr, signal, sig_op, pe);
}

T_HD void order_put_signal_nbi(int scope, uint64_t *dest, const uint64_t *source, size_t nelems,
	uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
	BY_SCOPE(scope, uint64_put_signal_nbi, dest, source, nelems, sig_addr, signal, sig_op, pe);
}

T_HD void order_fence(int scope)
{
	BY_SCOPE(scope, fence);
}

T_HD void order_quiet(int scope)
{
	BY_SCOPE(scope, quiet);
}

/*
 * Wait for a word with one of the three kinds of wait. Waves do not use test: lanes that leave its loop one
 * by one need not make the next call together.
 */
T_HD void order_wait(int scope, unsigned kind, uint64_t *word, uint64_t value)
{
	if (kind % 3 == 0 && scope != WAVE)
		while (!gshmem_uint64_test(word, GSHMEM_CMP_EQ, value))
			;
	else if (kind % 3 == 1)
		BY_SCOPE(scope, signal_wait_until, word, GSHMEM_CMP_EQ, value);
	else
		BY_SCOPE(scope, uint64_wait_until, word, GSHMEM_CMP_EQ, value);
}

#endif /* T_ORDER_CALLS_H */
