/* SPDX-License-Identifier: BSD-3-Clause */
/* Fence and quiet of the host, at once and on a stream. */
#include "op/op.h"

#define GSHMEMI_BODIES
#include <gshmem/order/sync.h>

#include "device/devmem.h"
#include "trace/trace.h"

#if GSHMEMI_ARCH_HOST_DIRECT

void gshmemi_host_fence(int context, const char *call)
{
	gshmemi_fence(GSHMEMI_THREAD, context, call);
}

void gshmemi_host_quiet(int context, const int *target_pes, size_t npes, const char *call)
{
	const uint64_t open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);

	gshmemi_quiet(GSHMEMI_THREAD, context, target_pes, npes, call);
	gshmemi_trace_end(open);
}

#else /* the CPU cannot touch the heap */

/*
 * A stream's order holds only within that stream. A peer that polls sees an earlier store first only if
 * it has arrived.
 */
void gshmemi_host_fence(int context, const char *call)
{
	gshmemi_slow_unset_at(call, gshmemi_arch_caller());
	if (gshmemi_is_slow(GSHMEMI_WHY_NET))
		gshmemi_rpc_host_hand_over();
	gshmemi_carry_complete(context, NULL, 0);
	gshmemi_rpc_host_complete(call);
	gshmemi_devmem_complete(call);
}

void gshmemi_host_quiet(int context, const int *target_pes, size_t npes, const char *call)
{
	uint64_t open;

	gshmemi_slow_unset_at(call, gshmemi_arch_caller());
	if (target_pes && gshmemi_is_slow(GSHMEMI_WHY_CHECK))
		gshmemi_slow_pes_at(target_pes, npes, call, gshmemi_arch_caller());
	open = gshmemi_trace_call(GSHMEMI_TRACE_CALL, -1, 0, call);
	if (gshmemi_is_slow(GSHMEMI_WHY_NET))
		gshmemi_rpc_host_hand_over();
	gshmemi_carry_complete(context, target_pes, npes);
	gshmemi_rpc_host_complete(call);
	gshmemi_devmem_complete(call);
	gshmemi_arch_fence_system();
	gshmemi_trace_end(open);
}

#endif /* GSHMEMI_ARCH_HOST_DIRECT */

/* ---- on a stream ---- */

/* Runs on the stream, where it may not call HIP. It completes posted calls and what carriers hold. */
static void complete(void *call)
{
	gshmemi_carry_complete(0, NULL, 0);
	gshmemi_rpc_host_complete(call);
}

static void complete_as_callback(hipStream_t stream, hipError_t status, void *call)
{
	(void)stream;
	(void)status; /* whoever synchronizes gets the error */
	complete(call);
}

/* Debian's HIP 5.2 declares hipLaunchHostFunc without defining it. */
extern __typeof__(hipLaunchHostFunc) hipLaunchHostFunc __attribute__((weak));
extern __typeof__(hipStreamIsCapturing) hipStreamIsCapturing __attribute__((weak));

int gshmemi_stream_is_captured(hipStream_t stream, const char *call, bool *is_captured_p)
{
	hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
	int rc = 0;

	if (hipStreamIsCapturing)
		rc = gshmemi_hip(hipStreamIsCapturing(stream, &status), "%s: hipStreamIsCapturing", call);
	*is_captured_p = status != hipStreamCaptureStatusNone;
	return rc;
}

/* A graph can capture hipLaunchHostFunc but not hipStreamAddCallback. */
int gshmemi_stream_quiet(void *stream, const char *call)
{
	void *const arg = (void *)(uintptr_t)call;
	bool is_captured;
	int rc;

	rc = gshmemi_stream_is_captured(stream, call, &is_captured);
	if (rc)
		return rc;
	if (!is_captured)
		return gshmemi_hip(hipStreamAddCallback(stream, complete_as_callback, arg, 0),
			"%s: hipStreamAddCallback", call);
	if (hipLaunchHostFunc)
		return gshmemi_hip(hipLaunchHostFunc(stream, complete, arg), "%s: hipLaunchHostFunc", call);
	gshmemi_error("%s: this HIP has no hipLaunchHostFunc, which a graph needs to capture the call: call "
		      "it outside the capture",
		call);
	return -ENOTSUP;
}
