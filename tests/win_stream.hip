/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CPU_DELIVERY=random:2 | GSHMEM_HEAP_SIZE=1m GSHMEM_CARRY=direct */
/* timeout: 60 */
/*
 * Put, get, flush and fence of a window on a stream run when the stream reaches them, and are complete before
 * its next work; a misuse is found when the call is made.
 */
#include <errno.h>
#include <hip/hip_runtime.h>
#include "oracle.h"

#include <gshmemx_win.h>

enum { NELEMS = 100, NROUNDS = 10 };

/* The stream is late. */
__global__ void fill(long *source, int me, int round)
{
	const uint64_t end = gshmemi_arch_clock_ns() + 2000000;
	unsigned polls = 0;

	while (gshmemi_arch_clock_ns() < end)
		gshmemi_arch_pause(&polls);
	for (int i = 0; i < NELEMS; i++)
		source[i] = round * 10000 + me * 1000 + i;
}

__global__ void check(const long *memory, int pe, int round, int *nwrong)
{
	for (int i = 0; i < NELEMS; i++)
		*nwrong += memory[i] != round * 10000 + pe * 1000 + i;
}

int main(void)
{
	long *memory, *source, *got;
	hipStream_t stream;
	gshmemx_win_t win;
	int me, npes, next, previous, *nwrong;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	next = (me + 1) % npes;
	previous = (me + npes - 1) % npes;
	source = (long *)t_hipmalloc(NELEMS * sizeof *source);
	got = (long *)t_hipmalloc(NELEMS * sizeof *got);
	t_hip(hipHostMalloc((void **)&nwrong, sizeof *nwrong));
	*nwrong = 0;
	t_hip(hipStreamCreate(&stream));
	t_equal(gshmemx_win_allocate(GSHMEM_TEAM_WORLD, NELEMS * 8, 8, (void **)&memory, &win), 0,
		"allocate");
	t_equal(gshmemx_win_long_put_on_stream(win, 0, source, 1, next, stream), -EPERM, "put in no epoch");
	t_equal(gshmemx_win_flush_on_stream(win, next, stream), -EPERM, "flush in no epoch");
	t_equal(gshmemx_win_fence_on_stream(win, GSHMEMX_MODE_NOPRECEDE, stream), 0, "fence");
	t_equal(gshmemx_win_long_put_on_stream(win, 1, source, NELEMS, next, stream), -ERANGE, "put beyond");
	for (int r = 1; r <= NROUNDS; r++) {
		hipLaunchKernelGGL(fill, dim3(1), dim3(1), 0, stream, source, me, r);
		t_equal(gshmemx_win_long_put_on_stream(win, 0, source, NELEMS, next, stream), 0, "put");
		t_equal(gshmemx_win_flush_on_stream(win, next, stream), 0, "flush");
		t_equal(gshmemx_win_getmem_on_stream(win, got, 0, NELEMS * 8, next, stream), 0, "getmem");
		hipLaunchKernelGGL(check, dim3(1), dim3(1), 0, stream, got, me, r, nwrong);
		t_equal(gshmemx_win_fence_on_stream(win, 0, stream), 0, "fence");
		hipLaunchKernelGGL(check, dim3(1), dim3(1), 0, stream, memory, previous, r, nwrong);
		t_equal(gshmemx_win_fence_on_stream(win, r < NROUNDS ? 0 : GSHMEMX_MODE_NOSUCCEED, stream), 0,
			"fence");
	}
	t_equal(gshmemx_win_long_put(win, 0, source, 1, next), -EPERM, "put behind the last fence");
	t_hip(hipStreamSynchronize(stream));
	t_equal(*nwrong, 0, "values that were not there");
	t_equal(gshmemx_win_free(&win), 0, "free");
	t_hip(hipStreamDestroy(stream));
	gshmem_finalize();
	return 0;
}
