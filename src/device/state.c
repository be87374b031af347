/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device state's home: the library's own copy, the registry of the copies in HIP units, and their upload.
 *
 * Units register from constructors, possibly before main, from any thread that loads a module. A copy changes only in
 * init, finalize and at the entry of a host call, when no kernel of this process that uses the library runs.
 */
#include "host/internal.h"

#include <pthread.h>
#include <string.h>

struct gshmemi_state gshmemi_state = GSHMEMI_STATE_INIT;
atomic_uint gshmemi_enter_why = GSHMEMI_ENTER_NOT_INITIALIZED;

static const struct gshmemi_state unset = GSHMEMI_STATE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gshmemi_state_copy *copies;

void gshmemi_state_register(struct gshmemi_state_copy *copy)
{
	pthread_mutex_lock(&lock);
	copy->uploaded = 0;
	copy->next = copies;
	copies = copy;
	atomic_fetch_or(&gshmemi_enter_why, GSHMEMI_ENTER_UPLOAD);
	pthread_mutex_unlock(&lock);
}

void gshmemi_state_unregister(struct gshmemi_state_copy *copy)
{
	struct gshmemi_state_copy **link;

	pthread_mutex_lock(&lock);
	for (link = &copies; *link; link = &(*link)->next) {
		if (*link == copy) {
			*link = copy->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

static int check_copy(const struct gshmemi_state_copy *copy, bool needs_slow_path)
{
	if (copy->abi != GSHMEMI_ABI)
		gshmemi_error("init: %s was compiled with headers of ABI %u, the library is ABI %u: recompile it",
			      copy->file, copy->abi, GSHMEMI_ABI);
	else if (copy->max_pes != GSHMEM_MAX_PES)
		gshmemi_error("init: %s was compiled with GSHMEM_MAX_PES %u, the library with %d: recompile one of them",
			      copy->file, copy->max_pes, GSHMEM_MAX_PES);
	else if (strcmp(copy->platform, GSHMEMI_ARCH_NAME))
		gshmemi_error("init: %s was compiled for platform %s, the library for %s", copy->file, copy->platform,
			      GSHMEMI_ARCH_NAME);
	else if (copy->state_nbytes != sizeof unset)
		gshmemi_error("init: %s was compiled with a device state of %llu bytes, the library with %zu: "
			      "recompile it",
			      copy->file, (unsigned long long)copy->state_nbytes, sizeof unset);
	else if (copy->direct_only && needs_slow_path)
		gshmemi_error("init: %s was compiled with GSHMEM_DIRECT_ONLY, which cannot work with GSHMEM_CHECK, "
			      "GSHMEM_CPU_DELIVERY or a PE that is not mapped for puts, gets and atomics",
			      copy->file);
	else
		return 0;
	return -EINVAL;
}

static int upload(struct gshmemi_state_copy *copy, const struct gshmemi_state *state)
{
	return gshmemi_hip(hipMemcpyToSymbol(copy->symbol, state, sizeof *state, 0, hipMemcpyHostToDevice),
			   "init: hipMemcpyToSymbol of the device state of %s", copy->file);
}

/* Under the lock. */
static int upload_new(void)
{
	struct gshmemi_state_copy *copy;
	int rc;

	for (copy = copies; copy; copy = copy->next) {
		if (copy->uploaded)
			continue;
		rc = check_copy(copy, gshmemi_state.slow != 0);
		if (!rc)
			rc = upload(copy, &gshmemi_state);
		if (rc)
			return rc;
		copy->uploaded = 1;
	}
	atomic_fetch_and(&gshmemi_enter_why, ~(unsigned)GSHMEMI_ENTER_UPLOAD);
	return 0;
}

int gshmemi_state_upload(void)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = upload_new();
	pthread_mutex_unlock(&lock);
	return rc;
}

int gshmemi_state_set(const struct gshmemi_state *state)
{
	gshmemi_state = *state;
	return gshmemi_state_upload();
}

/* A unit whose copy cannot be reset keeps distances to memory that is gone; it is uploaded again by the next init. */
void gshmemi_state_reset(void)
{
	struct gshmemi_state_copy *copy;

	pthread_mutex_lock(&lock);
	for (copy = copies; copy; copy = copy->next) {
		if (copy->uploaded)
			gshmemi_hip_ignore(hipMemcpyToSymbol(copy->symbol, &unset, sizeof unset, 0,
							     hipMemcpyHostToDevice),
					   "hipMemcpyToSymbol");
		copy->uploaded = 0;
	}
	gshmemi_state = unset;
	pthread_mutex_unlock(&lock);
}

int gshmemx_module_init(void *module)
{
	int rc;

	rc = gshmemi_enter_int("gshmemx_module_init");
	if (rc)
		return rc;
	if (module) {
		gshmemi_error("gshmemx_module_init: platform %s has no modules; units that were dlopened are found "
			      "without one",
			      GSHMEMI_ARCH_NAME);
		return -ENOTSUP;
	}
	return gshmemi_state_upload();
}
