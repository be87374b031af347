/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs in a program of OpenSHMEM, one linked with libgshmem_shmem: it reads OpenSHMEM's environment
 * variables (base/env.c), and if it exits without finalize, it is finalized then.
 */
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bootstrap/bootstrap.h"
#include "ipc/globals.h"
#include "op/op.h"

/* ---- init ---- */

/* Printed by PE 0. */
static void print_info(void)
{
	const char *name;

	if (gshmemi_env_find_shmem("VERSION", &name))
		puts(gshmemi_version_text);
	if (gshmemi_env_find_shmem("INFO", &name))
		puts("SHMEM_VERSION         any text: print the version\n"
		     "SHMEM_INFO            any text: print this\n"
		     "SHMEM_SYMMETRIC_SIZE  bytes of symmetric heap per PE, as in 512m or 1.5g "
		     "(GSHMEM_HEAP_SIZE overrides it)\n"
		     "SHMEM_DEBUG           any text: say on stderr what init does (GSHMEM_DEBUG=1)\n"
		     "The library's own variables are listed by gshmem-info.");
	fflush(stdout);
}

/* ---- exit ---- */

static pid_t owner_pid; /* a forked child is not a PE */

/*
 * OpenSHMEM's implicit finalize. It runs before MPI's, which was registered earlier. A program that failed
 * on one PE must end the job, because waiting for the other PEs could last forever: they may be waiting
 * for this one.
 */
static void finalize_at_exit(int status, void *unused)
{
	int is_initialized;

	(void)unused;
	gshmem_query_initialized(&is_initialized);
	if (!is_initialized || owner_pid != getpid() || gshmemi_is_ending() ||
		gshmemi_bootstrap_is_finalized())
		return;
	if (status)
		gshmemi_end(status);
	for (; is_initialized; gshmem_query_initialized(&is_initialized))
		gshmem_finalize();
}

void gshmemi_shmem_initialized(void)
{
	if (!gshmemi_is_shmem)
		return;
	if (gshmemi_state.my_pe == 0)
		print_info();
#ifdef __GLIBC__ /* other C libraries do not tell an exit handler the exit status */
	if (owner_pid != getpid())
		on_exit(finalize_at_exit, NULL);
	owner_pid = getpid();
#endif
}

void gshmemi_shmem_begin(const void *from)
{
	gshmemi_is_shmem = true;
	gshmemi_globals_share(from);
}
