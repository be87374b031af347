/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that kernels can call. Host threads add them and the servers' threads read them; none is
 * removed before finalize.
 */
#include "device/state.h"
#include "rpc/rpc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gshmemi_rpc_function functions[GSHMEMI_RPC_MAX_FUNCTIONS];
/* release: pairs with the acquire in gshmemi_rpc_find; functions[] is complete up to here */
static atomic_uint nfunctions;

const struct gshmemi_rpc_function *gshmemi_rpc_find(uint32_t id)
{
	const uint32_t i = id - GSHMEMI_RPC_USER;

	if (i < atomic_load_explicit(&nfunctions, memory_order_acquire))
		return &functions[i];
	return gshmemi_rpc_find_library(id);
}

static int check_function(gshmemx_rpc_function_t function, unsigned flags, const char *name)
{
	if (!function)
		gshmemi_error("gshmemx_rpc_register: the function is NULL");
	else if (flags & ~(GSHMEMX_RPC_WAVE | GSHMEMX_RPC_BLOCKING | GSHMEMX_RPC_STREAM))
		gshmemi_error("gshmemx_rpc_register: %s: %#x is not a combination of GSHMEMX_RPC_WAVE, "
			      "_BLOCKING and _STREAM",
			name, flags);
	else if (flags & GSHMEMX_RPC_STREAM && flags & GSHMEMX_RPC_WAVE)
		gshmemi_error("gshmemx_rpc_register: %s: a stream has no words per lane: pass "
			      "GSHMEMX_RPC_STREAM or _WAVE, not both",
			name);
	else
		return 0;
	return -EINVAL;
}

static int add_function(const struct gshmemi_rpc_function *function, uint32_t *id)
{
	const unsigned i = atomic_load(&nfunctions);
	int rc = 0;

	if (i == GSHMEMI_RPC_MAX_FUNCTIONS) {
		gshmemi_error("gshmemx_rpc_register: %s: there are already %u functions, which is the most",
			function->name, i);
		return -ENOSPC;
	}
	if (function->flags & GSHMEMX_RPC_BLOCKING)
		rc = gshmemi_rpc_workers_start();
	if (!rc)
		rc = gshmemi_state_add_why(GSHMEMI_WHY_POSTS);
	if (rc)
		return rc;
	functions[i] = *function;
	atomic_store_explicit(&nfunctions, i + 1, memory_order_release);
	*id = GSHMEMI_RPC_USER + i;
	return 0;
}

int gshmemi_rpc_register(
	uint32_t *id, gshmemx_rpc_function_t function, void *user, unsigned flags, const char *name)
{
	struct gshmemi_rpc_function added = {function, NULL, user, flags, NULL};
	int rc;

	rc = gshmemi_enter_int("gshmemx_rpc_register");
	if (!rc)
		rc = check_function(function, flags, name);
	if (rc)
		return rc;
	added.name = strdup(name);
	if (!added.name) {
		gshmemi_error("gshmemx_rpc_register: %s: out of memory", name);
		return -ENOMEM;
	}
	pthread_mutex_lock(&lock);
	rc = add_function(&added, id);
	pthread_mutex_unlock(&lock);
	if (rc)
		free((char *)(uintptr_t)added.name);
	return rc;
}

void gshmemi_rpc_forget_functions(void)
{
	unsigned i;

	for (i = 0; i < atomic_load(&nfunctions); i++)
		free((char *)(uintptr_t)functions[i].name);
	atomic_store(&nfunctions, 0);
}
