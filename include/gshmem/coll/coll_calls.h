/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collectives' API, stamped from coll_list.h: for kernels and the host in HIP units, and as
 * the library's functions.
 */
#ifndef GSHMEM_COLL_CALLS_H
#define GSHMEM_COLL_CALLS_H

#include <gshmem/api/coll_list.h>
#include <gshmem/coll/reduce.h>

/* The library has one body for all scopes, each of which is one CPU thread there. */
#ifdef GSHMEMI_LIBRARY
#define GSHMEMI_COLL_RUN(BODY) \
	GSHMEMI_FN int BODY##_call(int scope, struct gshmemi_coll_args args, const char *call) \
	{ \
		(void)scope; \
		return gshmemi_host_coll(&args, call); \
	}
#else
/* Where one thread works for its group, it makes the call alone. A body always returns 0. */
#define GSHMEMI_COLL_RUN(BODY) \
	GSHMEMI_FN int BODY##_call(int scope, struct gshmemi_coll_args args, const char *call) \
	{ \
		struct gshmemi_group group; \
		uint64_t open; \
\
		if (GSHMEMI_ON_HOST()) \
			return gshmemi_host_coll(&args, call); \
		if (args.team == GSHMEM_TEAM_INVALID) \
			return -EINVAL; \
		open = gshmemi_record_call(scope, GSHMEMI_KEY(args.dest, args.source), call); \
		if (!GSHMEMI_ELECTS(scope)) { \
			(void)BODY(scope, &args, call); \
		} else { \
			/* by each thread, before one calls for all */ \
			gshmemi_coll_check_args(scope, &args, call); \
			if (gshmemi_group_begin(&group, scope, GSHMEMI_KEY(args.dest, args.source))) { \
				(void)BODY(GSHMEMI_THREAD, &args, call); \
				gshmemi_group_end(&group); \
			} \
		} \
		gshmemi_record_call_end(scope, open); \
		return 0; \
	}
#endif
GSHMEMI_COLL_RUN(gshmemi_broadcast)
GSHMEMI_COLL_RUN(gshmemi_collect)
GSHMEMI_COLL_RUN(gshmemi_fcollect)
GSHMEMI_COLL_RUN(gshmemi_alltoall)
GSHMEMI_COLL_RUN(gshmemi_alltoalls)
GSHMEMI_COLL_RUN(gshmemi_alltoallv)
GSHMEMI_COLL_RUN(gshmemi_reduce)
#undef GSHMEMI_COLL_RUN

#define GSHMEMI_COLL_DEFINE(API, NAME, PARAMETERS, ARGS, BODY, SCOPE) \
	API int NAME PARAMETERS \
	{ \
		return BODY##_call(SCOPE, ARGS, #NAME); \
	}

#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) \
	GSHMEMI_COLL_DEFINE(GSHMEM_API, PREFIX##_##NAME, PARAMETERS, ARGS, BODY, GSHMEMI_THREAD) \
	GSHMEMI_OF_GROUPS(GSHMEMI_COLL_DEFINE( \
		GSHMEM_API, gshmemx_##NAME##_wave, PARAMETERS, ARGS, BODY, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS( \
		GSHMEMI_COLL_DEFINE(GSHMEM_API, gshmemx_##NAME##_wg, PARAMETERS, ARGS, BODY, GSHMEMI_WG))
GSHMEMI_COLL_CALLS
GSHMEMI_COLL_SHORT_CALLS
#undef GSHMEMI_F

#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) \
	GSHMEMI_COLL_DEFINE( \
		GSHMEMI_LONG_DOUBLE_API, PREFIX##_##NAME, PARAMETERS, ARGS, BODY, GSHMEMI_THREAD) \
	GSHMEMI_OF_GROUPS(GSHMEMI_COLL_DEFINE( \
		GSHMEMI_LONG_DOUBLE_API, gshmemx_##NAME##_wave, PARAMETERS, ARGS, BODY, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_COLL_DEFINE( \
		GSHMEMI_LONG_DOUBLE_API, gshmemx_##NAME##_wg, PARAMETERS, ARGS, BODY, GSHMEMI_WG))
GSHMEMI_COLL_LONG_DOUBLE_CALLS
#undef GSHMEMI_F

#endif /* GSHMEM_COLL_CALLS_H */
