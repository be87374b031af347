/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided calls and barriers that the library launches on streams. It is a HIP unit like a user's, with its
 * own copy of the device state.
 */
#include <hip/hip_runtime.h>
#include "device/launch.h"
#include "device/stream.h"

static __device__ void wait(const struct gshmemi_stream_op *op)
{
	static const char call[] = "gshmemx_wait_until_on_stream";

	if (op->nbytes == 2)
		(void)gshmemi_wait_until(
			GSHMEMI_WG, op->dest, 2, op->is_signed, op->sig_op, op->signal, call);
	else if (op->nbytes == 4)
		(void)gshmemi_wait_until(
			GSHMEMI_WG, op->dest, 4, op->is_signed, op->sig_op, op->signal, call);
	else
		(void)gshmemi_wait_until(
			GSHMEMI_WG, op->dest, 8, op->is_signed, op->sig_op, op->signal, call);
}

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1)
void gshmemi_stream_kernel(struct gshmemi_stream_op op)
{
	const struct gshmemi_where where = op.region ? gshmemi_in_region(op.region) : gshmemi_in_heap();

	switch (op.what) {
	case GSHMEMI_STREAM_PUT:
		gshmemi_put(where, GSHMEMI_WG, op.dest, op.source, op.nbytes, 1, op.pe, 0,
			"gshmemx_put_on_stream");
		break;
	case GSHMEMI_STREAM_GET:
		gshmemi_get(where, GSHMEMI_WG, op.dest, op.source, op.nbytes, 1, op.pe, 0,
			"gshmemx_get_on_stream");
		break;
	case GSHMEMI_STREAM_PUT_SIGNAL:
		gshmemi_put_signal(gshmemi_in_heap(), GSHMEMI_WG, op.dest, op.source, op.nbytes, 1,
			op.sig_addr, op.signal, op.sig_op, op.pe, 0, "gshmemx_put_signal_on_stream");
		break;
	case GSHMEMI_STREAM_SIGNAL:
		if (gshmemi_arch_thread_rank())
			break;
		if (op.sig_op == GSHMEM_SIGNAL_ADD)
			gshmem_signal_add(op.sig_addr, op.signal, op.pe);
		else
			gshmem_signal_set(op.sig_addr, op.signal, op.pe);
		break;
	case GSHMEMI_STREAM_WAIT:
		wait(&op);
		break;
	case GSHMEMI_STREAM_WIN_MEET:
		if (!gshmemi_arch_thread_rank())
			gshmemi_win_meet(gshmemi_win_of(op.win), 0, "gshmemx_win_fence_on_stream");
		break;
	case GSHMEMI_STREAM_SYNC:
		(void)gshmemi_team_sync(GSHMEMI_WG, op.team, "gshmemx_team_sync_on_stream");
		break;
	}
	gshmemi_quiet(GSHMEMI_THREAD, 0, NULL, 0, "gshmemx_quiet_on_stream");
}

hipError_t gshmemi_stream_launch(const struct gshmemi_stream_op *op, hipStream_t stream)
{
	hipError_t error;

	GSHMEMI_LAUNCH(error, gshmemi_stream_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, *op);
	return error;
}

hipError_t gshmemi_stream_load(void)
{
	return gshmemi_load_kernel(reinterpret_cast<const void *>(gshmemi_stream_kernel));
}
