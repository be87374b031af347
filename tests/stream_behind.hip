/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2 */
/* timeout: 60 */
/*
 * Calls on a stream return at once, also when many are behind a kernel that waits for the CPU. HIP 5.2 gives
 * a stream 32 signals, of which each quiet and flush keeps one, and the 33rd would not return.
 */
#include <gshmem.h>
#include <gshmemx_win.h>

#include "oracle.h"

enum { NCALLS = 60 };

__global__ void wait_for_cpu(long *go)
{
	gshmem_long_wait_until(go, GSHMEM_CMP_EQ, 1);
}

__global__ void check(const long *memory, int n, int pe, long *nwrong)
{
	for (int i = 0; i < n; i++)
		*nwrong += memory[i] != pe * 1000 + i;
}

int main(void)
{
	long *go, *source, *put, *got, *memory, *nwrong, values[NCALLS];
	uint64_t *signals;
	hipStream_t stream;
	gshmemx_win_t win;
	int me, next, previous;

	gshmem_init();
	me = gshmem_my_pe();
	next = (me + 1) % gshmem_n_pes();
	previous = (me + gshmem_n_pes() - 1) % gshmem_n_pes();
	go = (long *)gshmem_calloc(1, sizeof *go);
	put = (long *)gshmem_calloc(2 * NCALLS, sizeof *put);
	signals = (uint64_t *)gshmem_calloc(2, sizeof *signals);
	got = (long *)t_hipmalloc(NCALLS * sizeof *got);
	source = (long *)t_hipmalloc(NCALLS * sizeof *source);
	t_hip(hipHostMalloc((void **)&nwrong, sizeof *nwrong, hipHostMallocDefault));
	for (int i = 0; i < NCALLS; i++)
		values[i] = me * 1000 + i;
	*nwrong = 0;
	t_hip(hipMemcpy(source, values, sizeof values, hipMemcpyDefault));
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, NCALLS * 8, 8, (void **)&memory, &win), 0,
		"allocate");
	gshmem_barrier_all();

	t_equal(gshmemx_win_fence_on_stream(win, GSHMEMX_MODE_NOPRECEDE, stream), 0, "fence");
	hipLaunchKernelGGL(wait_for_cpu, dim3(1), dim3(1), 0, stream, go);
	for (int i = 0; i < NCALLS; i++) {
		t_equal(gshmemx_long_put_on_stream(put + i, source + i, 1, next, stream), 0, "put");
		t_equal(gshmemx_long_put_signal_on_stream(
				put + NCALLS + i, source + i, 1, signals, 1, GSHMEM_SIGNAL_ADD, next, stream),
			0, "put_signal");
		t_equal(gshmemx_signal_op_on_stream(signals + 1, 1, GSHMEM_SIGNAL_ADD, next, stream), 0,
			"signal");
		t_equal(gshmemx_win_long_put_on_stream(win, i, source + i, 1, next, stream), 0, "win_put");
		t_equal(gshmemx_win_flush_on_stream(win, next, stream), 0, "win_flush");
		t_equal(gshmemx_quiet_on_stream(stream), 0, "quiet");
		t_equal(gshmemx_barrier_all_on_stream(stream), 0, "barrier");
	}
	for (int i = 0; i < NCALLS; i++)
		t_equal(gshmemx_long_get_on_stream(got + i, put + i, 1, me, stream), 0, "get");
	t_equal(gshmemx_win_fence_on_stream(win, GSHMEMX_MODE_NOSUCCEED, stream), 0, "fence");
	hipLaunchKernelGGL(check, dim3(1), dim3(1), 0, stream, got, (int)NCALLS, previous, nwrong);
	hipLaunchKernelGGL(check, dim3(1), dim3(1), 0, stream, put + NCALLS, (int)NCALLS, previous, nwrong);
	hipLaunchKernelGGL(check, dim3(1), dim3(1), 0, stream, memory, (int)NCALLS, previous, nwrong);
	gshmem_long_p(go, 1, me);
	t_hip(hipStreamSynchronize(stream));

	t_equal(*nwrong, 0, "wrong words");
	t_equal(gshmem_signal_fetch(signals), NCALLS, "signals of put_signal");
	t_equal(gshmem_signal_fetch(signals + 1), NCALLS, "signals");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipStreamDestroy(stream));
	t_hip(hipFree(got));
	t_hip(hipFree(source));
	t_hip(hipHostFree(nwrong));
	gshmem_finalize();
	return 0;
}
