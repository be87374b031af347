/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* env: GSHMEM_HEAP_SIZE=1m */
/* sim: no, the simulator captures no graphs */
/*
 * While a stream captures in global mode, where HIP lets no thread allocate or synchronize, calls of the
 * library that do so work, and the capture stays valid.
 */
#include <gshmem.h>
#include <gshmemx_win.h>
#include <hip/hip_runtime_api.h>

#include "helpers.h"

int main(void)
{
	hipStreamCaptureMode mode = hipStreamCaptureModeThreadLocal;
	gshmemx_win_t win;
	hipGraph_t graph;
	hipStream_t stream;
	void *base;

	gshmem_init();
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	t_hip(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, (size_t)8 << 20, 8, &base, &win), 0,
		"a window, during a capture");
	t_hip(hipStreamEndCapture(stream, &graph));
	t_hip(hipGraphDestroy(graph));
	t_hip(hipThreadExchangeStreamCaptureMode(&mode));
	t_equal(mode, hipStreamCaptureModeGlobal, "the thread's mode after a call");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipStreamDestroy(stream));
	gshmem_finalize();
	return 0;
}
