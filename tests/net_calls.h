/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests named net_* share: jobs with unmapped PEs, which perform the
 * operations that others ask of them.
 */
#ifndef T_NET_CALLS_H
#define T_NET_CALLS_H

#include <pthread.h>
#include "oracle.h"

/* Begins the test. Every thread may call. */
static inline void t_net_init(void)
{
	const char *carry = getenv("GSHMEM_CARRY");
	int me;

#if GSHMEMI_KERNELS && !GSHMEMI_ARCH_HOST_DIRECT
	t_skip("the CPU does not reach the heap");
#endif
	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "gshmem_init_thread");
	me = gshmem_my_pe();
	if (carry && strcmp(carry, "all") == 0 && gshmem_n_pes() > 1)
		t_check(!gshmem_ptr(t_shmalloc(8), !me), "PE %d: GSHMEM_CARRY=all, but PE %d is mapped", me,
			!me);
}

static inline void t_net_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
	t_equal(pthread_create(thread, NULL, run, argument), 0, "pthread_create");
}

#endif /* T_NET_CALLS_H */
