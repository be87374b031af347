/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks on the host: the bodies that kernels use, over the host's atomics. */
#include "op/op.h"

#include <time.h>

#if !GSHMEMI_ARCH_HOST_DIRECT
/*
 * A long nap counts as 64 polls, so that what happens once in many polls, such as the watchdog, does
 * not come late.
 */
void gshmemi_host_nap(unsigned *polls_p)
{
	const bool is_short = *polls_p < 8;
	const struct timespec time = {0, is_short ? 2000 : 50000};

	*polls_p = is_short ? *polls_p + 1 : *polls_p / 64 * 64 + 64;
	nanosleep(&time, NULL);
}
#define GSHMEMI_LOCK_PAUSE(polls_p) gshmemi_host_nap(polls_p)
#endif

#define GSHMEMI_BODIES
#include <gshmem/order/lock.h>

int gshmemi_host_lock(int what, long *lock)
{
	static const char *const names[] = {"gshmem_set_lock", "gshmem_clear_lock", "gshmem_test_lock"};
	const char *call = names[what];

	GSHMEMI_ENTER(call);
	if (what == GSHMEMI_LOCK_TEST)
		return gshmemi_lock_test(lock, call);
	if (what == GSHMEMI_LOCK_SET)
		gshmemi_lock_set(lock, call);
	else
		gshmemi_lock_clear(lock, call);
	return 0;
}

void gshmem_set_lock(long *lock)
{
	(void)gshmemi_host_lock(GSHMEMI_LOCK_SET, lock);
}

void gshmem_clear_lock(long *lock)
{
	(void)gshmemi_host_lock(GSHMEMI_LOCK_CLEAR, lock);
}

int gshmem_test_lock(long *lock)
{
	return gshmemi_host_lock(GSHMEMI_LOCK_TEST, lock);
}
