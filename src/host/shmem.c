/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What differs in a program of OpenSHMEM, one linked with libgshmem_shmem: it reads OpenSHMEM's environment
 * variables, and if it exits without finalize, it is finalized then.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/globals.h"

bool gshmemi_is_shmem;

/* ---- environment ---- */

/* SHMEM_NAME, or else SMA_NAME, which OpenSHMEM 1.4 deprecated. A variable that is empty counts as unset. */
static const char *read_variable(const char *name, const char **full_name_p)
{
	static const char *const prefixes[] = {"SHMEM", "SMA"};
	static char full_name[32];
	const char *text;
	unsigned i;

	*full_name_p = full_name;
	for (i = 0; i < 2; i++) {
		snprintf(full_name, sizeof full_name, "%s_%s", prefixes[i], name);
		text = getenv(full_name);
		if (text && *text)
			return text;
	}
	return NULL;
}

/*
 * A number, which may have a fraction, then at most one of k, m, g, t; anything after that letter is ignored.
 * Rounds up to whole MiB, and always leaves some to spare.
 */
static int parse_symmetric_size(const char *name, const char *text, uint64_t *nbytes_p)
{
	static const char suffixes[] = "kmgt";
	const char *suffix;
	char *end;
	double value;

	value = *text == '.' || (*text >= '0' && *text <= '9') ? gshmemi_env_parse_double(text, &end) : -1;
	suffix = value >= 0 && *end ? strchr(suffixes, *end | 0x20) : NULL;
	if (suffix)
		value *= (double)(1ULL << 10 * (suffix - suffixes + 1));
	if (!(value >= 0 && value < 0x1p62) || (*end && !suffix)) {
		gshmemi_error(
			"%s=%s: not a size: write a number and at most one of k, m, g, t, as in 512m or 1.5g",
			name, text);
		return -EINVAL;
	}
	*nbytes_p = ((uint64_t)(value / 0x1p20) + 1) << 20;
	return 0;
}

int gshmemi_shmem_read_env(void)
{
	const char *text, *name, *own = getenv("GSHMEM_HEAP_SIZE");

	if (!gshmemi_is_shmem)
		return 0;
	if (read_variable("DEBUG", &name))
		gshmemi_env.DEBUG = true;
	text = read_variable("SYMMETRIC_SIZE", &name);
	return text && !(own && *own) ? parse_symmetric_size(name, text, &gshmemi_env.HEAP_SIZE) : 0;
}

/* Printed by PE 0. */
static void print_info(void)
{
	const char *name;

	if (read_variable("VERSION", &name))
		printf("%s, OpenSHMEM %d.%d\n", GSHMEM_VENDOR_STRING, GSHMEM_MAJOR_VERSION,
			GSHMEM_MINOR_VERSION);
	if (read_variable("INFO", &name))
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
 * OpenSHMEM's implicit finalize. It runs before MPI's, which was registered earlier. A program that failed on
 * one PE must end the job, because waiting for the other PEs could last forever: they may be waiting for this
 * one.
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
