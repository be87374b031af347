/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface between call.c and guard.hip, which is C++. */
#ifndef GSHMEMI_RPC_GUARD_H
#define GSHMEMI_RPC_GUARD_H

struct gshmemx_rpc_request;

/* Calls function(user, call). If that throws, returns what gshmemi_rpc_thrown returns. */
int gshmemi_rpc_guard(int (*function)(void *user, struct gshmemx_rpc_request *call), void *user,
	struct gshmemx_rpc_request *call, const char *name);

/* Prints that the function of this name threw; returns -EFAULT. */
int gshmemi_rpc_thrown(const char *name, const char *what);

#endif /* GSHMEMI_RPC_GUARD_H */
