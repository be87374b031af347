/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls a user's function, which may be C++ and throw: the exception must not pass through the C
 * code around it.
 */
#include <exception>
#include <typeinfo>

extern "C" {
#include "rpc/guard.h"
}

extern "C" int gshmemi_rpc_guard(int (*function)(void *user, struct gshmemx_rpc_request *call), void *user,
	struct gshmemx_rpc_request *call, const char *name)
{
	try {
		return function(user, call);
	} catch (const std::exception &e) {
		return gshmemi_rpc_thrown(name, e.what());
	} catch (...) {
		return gshmemi_rpc_thrown(name, "an exception of another type than std::exception");
	}
}
