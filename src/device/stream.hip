/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided calls and barriers that the library launches on streams: a kernel for each. It is a HIP unit like
 * a user's, with its own copy of the device state.
 */
#include <hip/hip_runtime.h>
#include "device/launch.h"
#include "device/stream.h"

static __device__ struct gshmemi_where where_is(unsigned region)
{
	return region ? gshmemi_in_region(region) : gshmemi_in_heap();
}

static __device__ void quiet(void)
{
	gshmemi_quiet(GSHMEMI_THREAD, 0, NULL, 0, "gshmemx_quiet_on_stream");
}

/* ---- the kernels ---- */

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_stream_put_kernel(
	unsigned region, void *dest, const void *source, size_t nbytes, int pe)
{
	gshmemi_put(where_is(region), GSHMEMI_WG, dest, source, gshmemi_make_extent(nbytes, 1, 0), pe,
		"gshmemx_put_on_stream");
	quiet();
}

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_stream_get_kernel(
	unsigned region, void *dest, const void *source, size_t nbytes, int pe)
{
	gshmemi_get(where_is(region), GSHMEMI_WG, dest, source, gshmemi_make_extent(nbytes, 1, 0), pe,
		"gshmemx_get_on_stream");
	quiet();
}

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_stream_put_signal_kernel(
	void *dest, const void *source, size_t nbytes, struct gshmemi_signal s, int pe)
{
	gshmemi_put_signal(gshmemi_in_heap(), GSHMEMI_WG, dest, source, gshmemi_make_extent(nbytes, 1, 0), s,
		pe, "gshmemx_put_signal_on_stream");
	quiet();
}

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_stream_signal_kernel(
	uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
	if (gshmemi_arch_thread_rank() == 0) {
		if (sig_op == GSHMEM_SIGNAL_ADD)
			gshmem_signal_add(sig_addr, signal, pe);
		else
			gshmem_signal_set(sig_addr, signal, pe);
	}
	quiet();
}

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_stream_wait_kernel(
	void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value)
{
	static const char call[] = "gshmemx_wait_until_on_stream";

	if (nbytes == 2)
		(void)gshmemi_wait_until(GSHMEMI_WG, ivar, 2, is_signed, cmp, value, call);
	else if (nbytes == 4)
		(void)gshmemi_wait_until(GSHMEMI_WG, ivar, 4, is_signed, cmp, value, call);
	else
		(void)gshmemi_wait_until(GSHMEMI_WG, ivar, 8, is_signed, cmp, value, call);
	quiet();
}

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_stream_sync_kernel(gshmem_team_t team)
{
	(void)gshmemi_team_sync(GSHMEMI_WG, team, "gshmemx_team_sync_on_stream");
	quiet();
}

__global__ __launch_bounds__(GSHMEMI_ARCH_OWN_THREADS, 1) void gshmemi_stream_win_meet_kernel(
	gshmemx_win_t win)
{
	if (gshmemi_arch_thread_rank() == 0)
		gshmemi_win_meet(gshmemi_win_of(win), 0, "gshmemx_win_fence_on_stream");
	quiet();
}

/* ---- launches ---- */

hipError_t gshmemi_stream_put(
	unsigned region, void *dest, const void *source, size_t nbytes, int pe, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_stream_put_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, region, dest,
		source, nbytes, pe);
}

hipError_t gshmemi_stream_get(
	unsigned region, void *dest, const void *source, size_t nbytes, int pe, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_stream_get_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, region, dest,
		source, nbytes, pe);
}

hipError_t gshmemi_stream_put_signal(
	void *dest, const void *source, size_t nbytes, struct gshmemi_signal s, int pe, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_stream_put_signal_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, dest,
		source, nbytes, s, pe);
}

hipError_t gshmemi_stream_signal(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(
		gshmemi_stream_signal_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, sig_addr, signal, sig_op, pe);
}

hipError_t gshmemi_stream_wait(
	void *ivar, unsigned nbytes, int is_signed, int cmp, uint64_t value, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_stream_wait_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, ivar, nbytes,
		is_signed, cmp, value);
}

hipError_t gshmemi_stream_sync(gshmem_team_t team, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_stream_sync_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, team);
}

hipError_t gshmemi_stream_win_meet(gshmemx_win_t win, hipStream_t stream)
{
	return GSHMEMI_LAUNCH(gshmemi_stream_win_meet_kernel, GSHMEMI_ARCH_OWN_THREADS, stream, win);
}

hipError_t gshmemi_stream_load(void)
{
	static const void *const kernels[] = {
		reinterpret_cast<const void *>(gshmemi_stream_put_kernel),
		reinterpret_cast<const void *>(gshmemi_stream_get_kernel),
		reinterpret_cast<const void *>(gshmemi_stream_put_signal_kernel),
		reinterpret_cast<const void *>(gshmemi_stream_signal_kernel),
		reinterpret_cast<const void *>(gshmemi_stream_wait_kernel),
		reinterpret_cast<const void *>(gshmemi_stream_sync_kernel),
		reinterpret_cast<const void *>(gshmemi_stream_win_meet_kernel),
	};
	hipError_t error = hipSuccess;
	size_t i;

	for (i = 0; i < sizeof kernels / sizeof *kernels && error == hipSuccess; i++)
		error = gshmemi_load_kernel(kernels[i]);
	return error;
}
