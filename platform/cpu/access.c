/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GSHMEM_CPU_HOST_ACCESS=0: only blocks, and the runtime for its own copies, can touch device memory; a host thread
 * that does gets a fault, as with a GPU whose memory the CPU cannot reach. Device memory carries a protection key.
 * The system denies it to every thread (and signal handler) that has not asked for it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime.h"

#ifndef SEGV_PKUERR
#define SEGV_PKUERR 4
#endif

static int key = -1; /* -1: device memory is open to all */

bool hipcpu_access_init(void)
{
	key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
	if (key < 0) {
		hipcpu_message("GSHMEM_CPU_HOST_ACCESS=0: this machine has no memory protection keys (pkey_alloc: %s)",
			       strerror(errno));
		return false;
	}
	hipcpu_faults_init();
	return true;
}

bool hipcpu_access_guard(void *base, size_t nbytes)
{
	return key < 0 || !pkey_mprotect(base, nbytes, PROT_READ | PROT_WRITE, key);
}

bool hipcpu_access_open(void)
{
	bool was_open;

	if (HIPCPU_LIKELY(key < 0))
		return true;
	was_open = !pkey_get(key);
	if (!was_open)
		pkey_set(key, 0);
	return was_open;
}

bool hipcpu_access_close(void)
{
	bool was_open;

	if (HIPCPU_LIKELY(key < 0))
		return true;
	was_open = !pkey_get(key);
	if (was_open)
		pkey_set(key, PKEY_DISABLE_ACCESS);
	return was_open;
}

void hipcpu_access_restore(bool was_open)
{
	if (HIPCPU_UNLIKELY(key >= 0))
		pkey_set(key, was_open ? 0 : PKEY_DISABLE_ACCESS);
}

bool hipcpu_access_refused(const siginfo_t *info)
{
	return key >= 0 && info->si_signo == SIGSEGV && info->si_code == SEGV_PKUERR && (int)info->si_pkey == key;
}
