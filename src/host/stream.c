/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls on a stream. Between mapped PEs the runtime copies, because it has copy engines for that. For
 * everything else the library launches one work-group. Where the table holds a sentinel, the kernel is
 * launched too: its slow path knows what to do.
 */
#include "base/base.h"

#define GSHMEMI_BODIES
#include <gshmem/coll/reduce.h>

#include "device/coll.h"
#include "device/stream.h"
#include "op/op.h"
#include "team/team.h"

static int launched(hipError_t error, const char *call)
{
	return gshmemi_hip(error, "%s: hipLaunchKernel", call);
}

/* ---- one-sided calls ---- */

static int move_bytes(
	bool is_put, void *dest, const void *source, size_t nbytes, int pe, void *stream, const char *call)
{
	void *peer;
	int rc;

	rc = gshmemi_enter_int(call);
	if (rc || !nbytes)
		return rc;
	if (!gshmemi_peer_ptr(gshmemi_tables()->delta, is_put ? dest : source, pe, &peer))
		return launched((is_put ? gshmemi_stream_put : gshmemi_stream_get)(
					GSHMEMI_REGION_HEAP, dest, source, nbytes, pe, stream),
			call);
	return gshmemi_hip(hipMemcpyAsync(is_put ? peer : dest, is_put ? source : peer, nbytes,
				   hipMemcpyDefault, stream),
		"%s: hipMemcpyAsync of %zu bytes", call, nbytes);
}

static int put_signal(void *dest, const void *source, size_t nbytes, struct gshmemi_signal s, int pe,
	void *stream, const char *call)
{
	const int rc = gshmemi_enter_int(call);

	return rc ? rc : launched(gshmemi_stream_put_signal(dest, source, nbytes, s, pe, stream), call);
}

static int wait_until(
	void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, void *stream, const char *call)
{
	const int rc = gshmemi_enter_int(call);

	return rc ? rc : launched(gshmemi_stream_wait(ivar, nbytes, is_signed, cmp, value, stream), call);
}

#define GSHMEMI_DEFINE_MOVES(NAME, TYPE, NBYTES, SIGNAL) \
	int gshmemx_##NAME##put##SIGNAL##_on_stream( \
		TYPE *dest, const TYPE *source, size_t nelems, int pe, void *stream) \
	{ \
		return move_bytes(true, dest, source, nelems * (NBYTES), pe, stream, \
			"gshmemx_" #NAME "put" #SIGNAL "_on_stream"); \
	} \
	int gshmemx_##NAME##get##SIGNAL##_on_stream( \
		TYPE *dest, const TYPE *source, size_t nelems, int pe, void *stream) \
	{ \
		return move_bytes(false, dest, source, nelems * (NBYTES), pe, stream, \
			"gshmemx_" #NAME "get" #SIGNAL "_on_stream"); \
	} \
	int gshmemx_##NAME##put##SIGNAL##_signal_on_stream(TYPE *dest, const TYPE *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream) \
	{ \
		return put_signal(dest, source, nelems * (NBYTES), \
			gshmemi_make_signal(sig_addr, signal, sig_op), pe, stream, \
			"gshmemx_" #NAME "put" #SIGNAL "_signal_on_stream"); \
	}
#define GSHMEMI_DEFINE(NAME, TYPE) GSHMEMI_DEFINE_MOVES(NAME##_, TYPE, sizeof(TYPE), )
GSHMEM_RMA_TYPES(GSHMEMI_DEFINE)
GSHMEMX_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
GSHMEMI_DEFINE_MOVES(, void, 1, mem)

#define GSHMEMI_DEFINE(NAME, TYPE) \
	int gshmemx_##NAME##_wait_until_on_stream(TYPE *ivar, int cmp, TYPE cmp_value, void *stream) \
	{ \
		return wait_until(ivar, sizeof cmp_value, (TYPE)-1 < (TYPE)1, cmp, \
			gshmemi_value_load(&cmp_value, sizeof cmp_value), stream, \
			"gshmemx_" #NAME "_wait_until_on_stream"); \
	}
GSHMEM_WAIT_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE

int gshmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value, void *stream)
{
	return wait_until(sig_addr, 8, 0, cmp, cmp_value, stream, "gshmemx_signal_wait_until_on_stream");
}

int gshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream)
{
	static const char call[] = "gshmemx_signal_op_on_stream";
	const int rc = gshmemi_enter_int(call);

	return rc ? rc : launched(gshmemi_stream_signal(sig_addr, signal, sig_op, pe, stream), call);
}

/* ---- order ---- */

static int sync_team(gshmem_team_t team, void *stream, const char *call)
{
	(void)gshmemi_team_find(team, call);
	return launched(gshmemi_stream_sync(team, stream), call);
}

int gshmemx_quiet_on_stream(void *stream)
{
	const int rc = gshmemi_enter_int("gshmemx_quiet_on_stream");

	return rc ? rc : gshmemi_stream_quiet(stream, "gshmemx_quiet_on_stream");
}

int gshmemx_team_sync_on_stream(gshmem_team_t team, void *stream)
{
	const int rc = gshmemi_enter_int("gshmemx_team_sync_on_stream");

	if (rc || team == GSHMEM_TEAM_INVALID)
		return rc ? rc : -EINVAL;
	return sync_team(team, stream, "gshmemx_team_sync_on_stream");
}

int gshmemx_sync_all_on_stream(void *stream)
{
	const int rc = gshmemi_enter_int("gshmemx_sync_all_on_stream");

	return rc ? rc : sync_team(GSHMEM_TEAM_WORLD, stream, "gshmemx_sync_all_on_stream");
}

int gshmemx_barrier_all_on_stream(void *stream)
{
	static const char call[] = "gshmemx_barrier_all_on_stream";
	int rc = gshmemi_enter_int(call);

	rc = rc ? rc : gshmemi_stream_quiet(stream, call);
	return rc ? rc : sync_team(GSHMEM_TEAM_WORLD, stream, call);
}

/* ---- collectives ---- */

static int collective(const struct gshmemi_coll_args *args, void *stream, const char *call)
{
	const int rc = gshmemi_enter_int(call);

	if (rc || args->team == GSHMEM_TEAM_INVALID)
		return rc ? rc : -EINVAL;
	(void)gshmemi_team_find(args->team, call);
	return launched(gshmemi_coll_launch(args, stream), call);
}

#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) \
	int gshmemx_##NAME##_on_stream(GSHMEMI_UNPACK PARAMETERS, void *stream) \
	{ \
		const struct gshmemi_coll_args args = ARGS; \
\
		return collective(&args, stream, "gshmemx_" #NAME "_on_stream"); \
	}
GSHMEMI_COLL_CALLS
GSHMEMI_COLL_SHORT_CALLS
#undef GSHMEMI_F
