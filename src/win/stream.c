/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls on windows on a stream. A call is checked, and changes the epoch, when the program makes it.
 * The rest is as in host/stream.c: the runtime copies between mapped PEs, and a kernel of the library's
 * does everything else.
 */
#include "win/win.h"

#define GSHMEMI_BODIES
#include <gshmem/win/epoch.h>

#include "device/stream.h"
#include "ipc/region.h"
#include "op/op.h"

/*
 * The distance to a PE for the runtime's copies; GSHMEMI_SENTINEL if a carrier or somebody who watches
 * must see them.
 */
static ptrdiff_t find_delta(unsigned region, int world_pe)
{
	if (gshmemi_env_sees_operations() || gshmemi_state.peers[world_pe] & GSHMEMI_PEER_CARRIED)
		return GSHMEMI_SENTINEL;
	return gshmemi_region_delta(region, world_pe);
}

static int move_bytes(bool is_get, struct gshmemi_win_access to, const void *local, size_t nbytes,
	unsigned align, void *stream, const char *call)
{
	const struct gshmemi_win *w;
	struct gshmemi_win_place place;
	void *const memory = (void *)(uintptr_t)local;
	hipError_t error;
	ptrdiff_t delta;
	int rc = gshmemi_enter_int(call);

	if (rc || to.pe == GSHMEMX_PE_NULL)
		return rc;
	w = gshmemi_win_of(to.win);
	rc = gshmemi_win_check(w, to, nbytes, align, call);
	if (rc || !nbytes)
		return rc;
	place = gshmemi_win_locate(w, to, call);
	delta = find_delta(place.where.region, place.world_pe);
	if (delta != GSHMEMI_SENTINEL)
		return gshmemi_hip(
			hipMemcpyAsync(is_get ? memory : place.address + delta,
				is_get ? place.address + delta : memory, nbytes, hipMemcpyDefault, stream),
			"%s: hipMemcpyAsync of %zu bytes", call, nbytes);
	if (is_get)
		error = gshmemi_stream_get(
			place.where.region, memory, place.address, nbytes, place.world_pe, stream);
	else
		error = gshmemi_stream_put(
			place.where.region, place.address, local, nbytes, place.world_pe, stream);
	return gshmemi_hip(error, "%s: hipLaunchKernel", call);
}

#define GSHMEMI_DEFINE_MOVES(NAME, MEM, T, NBYTES, ALIGN) \
	int gshmemx_win_##NAME##put##MEM##_on_stream( \
		gshmemx_win_t win, ptrdiff_t disp, const T *source, size_t nelems, int pe, void *stream) \
	{ \
		static const char call[] = "gshmemx_win_" #NAME "put" #MEM "_on_stream"; \
\
		return move_bytes(false, GSHMEMI_WIN_TO, source, GSHMEMI_WIN_NBYTES(nelems, NBYTES), ALIGN, \
			stream, call); \
	} \
	int gshmemx_win_##NAME##get##MEM##_on_stream( \
		gshmemx_win_t win, T *dest, ptrdiff_t disp, size_t nelems, int pe, void *stream) \
	{ \
		static const char call[] = "gshmemx_win_" #NAME "get" #MEM "_on_stream"; \
\
		return move_bytes(true, GSHMEMI_WIN_TO, dest, GSHMEMI_WIN_NBYTES(nelems, NBYTES), ALIGN, \
			stream, call); \
	}
#define GSHMEMI_DEFINE(NAME, T) GSHMEMI_DEFINE_MOVES(NAME##_, , T, sizeof(T), GSHMEMI_ALIGNOF(T))
GSHMEM_RMA_TYPES(GSHMEMI_DEFINE)
GSHMEMX_RMA_TYPES(GSHMEMI_DEFINE)
#undef GSHMEMI_DEFINE
GSHMEMI_DEFINE_MOVES(, mem, void, 1, 1)

/* Check a call that opens, closes or completes an epoch. */
static int judge(int what, const struct gshmemi_win_args *args, const char *call)
{
	struct gshmemi_win_fault fault = {0, -1, 0, 0, 0, 0};
	const int rc = gshmemi_enter_int(call);

	if (rc)
		return rc;
	gshmemi_win_judge_epoch(gshmemi_win_of(args->win), what, args, &fault);
	return fault.kind ? gshmemi_win_fail(&fault, call) : 0;
}

int gshmemx_win_flush_on_stream(gshmemx_win_t win, int pe, void *stream)
{
	static const char call[] = "gshmemx_win_flush_on_stream";
	const struct gshmemi_win_args args = {.win = win, .pe = pe};
	const int rc = pe == GSHMEMX_PE_NULL ? 0 : judge(GSHMEMI_WIN_DO_FLUSH, &args, call);

	return rc ? rc : gshmemi_stream_quiet(stream, call);
}

int gshmemx_win_fence_on_stream(gshmemx_win_t win, int assertion, void *stream)
{
	static const char call[] = "gshmemx_win_fence_on_stream";
	const struct gshmemi_win_args args = {.win = win, .pe = -1, .assertion = assertion};
	const bool is_needless = assertion & GSHMEMX_MODE_NOPRECEDE && assertion & GSHMEMX_MODE_NOSUCCEED;
	int rc = judge(GSHMEMI_WIN_DO_FENCE, &args, call);

	if (!rc && !(assertion & GSHMEMX_MODE_NOPRECEDE))
		rc = gshmemi_stream_quiet(stream, call);
	if (!rc && !is_needless)
		rc = gshmemi_hip(gshmemi_stream_win_meet(win, stream), "%s: hipLaunchKernel", call);
	if (!rc)
		gshmemi_win_of(win)->epoch->state =
			assertion & GSHMEMX_MODE_NOSUCCEED ? GSHMEMI_WIN_NONE : GSHMEMI_WIN_FENCE;
	return rc;
}
