/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One kernel per family of calls, by a thread, a wave and a work-group where the family has
 * these. opt_levels.sh compiles it at every optimization level. Nothing is counted here, so a
 * kernel may make several calls.
 */
#include <gshmem.h>

#define KERNEL extern "C" __global__ void

KERNEL rma(long *dest, const long *source, size_t nelems, int pe)
{
	gshmem_long_put(dest, source, nelems, pe);
	gshmem_long_p(dest, gshmem_long_g(source, pe), pe);
	gshmemx_long_get_wave(dest, source, nelems, pe);
	gshmemx_long_put_wg(dest, source, nelems, pe);
	if (gshmem_ptr(dest, pe))
		*(long *)gshmem_ptr(dest, pe) = 1;
}

KERNEL nbi(char *dest, const char *source, size_t nbytes, int pe)
{
	gshmem_getmem_nbi(dest, source, nbytes, pe);
	gshmemx_putmem_nbi_wave(dest, source, nbytes, pe);
	gshmemx_getmem_nbi_wg(dest, source, nbytes, pe);
}

KERNEL strided(long *dest, const long *source, ptrdiff_t stride, size_t nelems, int pe)
{
	gshmem_long_iput(dest, source, stride, stride, nelems, pe);
	gshmemx_long_ibput_wave(dest, source, stride, stride, 4, nelems, pe);
	gshmemx_long_iget_wg(dest, source, stride, stride, nelems, pe);
}

KERNEL amo(long *dest, unsigned *bits, long value, int pe)
{
	long fetched;

	value = gshmem_long_atomic_fetch_add(dest, value, pe);
	value = gshmem_long_atomic_compare_swap(dest, 0, value, pe);
	gshmem_long_atomic_set(dest, value, pe);
	gshmem_long_atomic_fetch_add_nbi(&fetched, dest, 1, pe);
	gshmem_quiet();
	gshmem_uint_atomic_xor(bits, (unsigned)fetched, pe);
}

KERNEL signals(long *dest, const long *source, size_t nelems, uint64_t *signal, int pe)
{
	gshmem_long_put_signal(dest, source, nelems, signal, 1, GSHMEM_SIGNAL_ADD, pe);
	gshmemx_long_put_signal_nbi_wave(dest, source, nelems, signal, 1, GSHMEM_SIGNAL_SET, pe);
	gshmemx_long_put_signal_wg(dest, source, nelems, signal, 1, GSHMEM_SIGNAL_SET, pe);
	gshmem_signal_add(signal, gshmem_signal_fetch(signal), pe);
}

KERNEL waits(long *ivars, size_t *indices, size_t nelems, uint64_t *signal)
{
	if (gshmem_long_test(ivars, GSHMEM_CMP_NE, 0))
		gshmem_signal_wait_until(signal, GSHMEM_CMP_EQ, 1);
	gshmemx_signal_wait_until_wave(signal, GSHMEM_CMP_GE, 1);
	gshmemx_long_wait_until_wg(ivars, GSHMEM_CMP_GT, 1);
	indices[nelems] = gshmem_long_wait_until_some(ivars, nelems, indices, NULL, GSHMEM_CMP_EQ, 1);
}

KERNEL sync(const int *pes, size_t npes, long *lock)
{
	gshmem_fence();
	gshmem_pe_quiet(pes, npes);
	gshmemx_fence_wave();
	gshmemx_quiet_wg();
	gshmem_barrier_all();
	gshmemx_sync_all_wave();
	gshmemx_barrier_all_wg();
	gshmem_set_lock(lock);
	gshmem_clear_lock(lock);
}

KERNEL teams(int *dest, gshmem_team_t team)
{
	dest[0] = gshmem_team_translate_pe(team, gshmem_team_my_pe(team), GSHMEM_TEAM_WORLD);
	dest[1] = gshmem_team_ptr(team, dest, gshmem_team_n_pes(team) - 1) != NULL;
	gshmem_team_sync(team);
	gshmemx_team_sync_wave(team);
	gshmemx_team_sync_wg(team);
}

KERNEL contexts(gshmem_ctx_t ctx, long *dest, const long *source, size_t nelems, int pe)
{
	gshmem_ctx_long_p(ctx, dest, gshmem_ctx_long_atomic_fetch_add(ctx, dest, 1, pe), pe);
	gshmemx_ctx_long_put_wave(ctx, dest, source, nelems, pe);
	gshmemx_ctx_long_get_wg(ctx, dest, source, nelems, pe);
	gshmem_ctx_quiet(ctx);
}

KERNEL collectives(gshmem_team_t team, long *dest, const long *source, size_t nelems)
{
	gshmem_long_broadcast(team, dest, source, nelems, 0);
	gshmemx_long_fcollect_wave(team, dest, source, nelems);
	gshmemx_long_sum_reduce_wg(team, dest, source, nelems);
}

KERNEL calls_the_cpu(uint32_t op, const uint64_t *in, uint64_t *out, size_t nbytes)
{
	size_t got_nbytes;

	gshmemx_rpc_call_line(op, in, out);
	gshmemx_rpc_wait(gshmemx_rpc_post(op, in));
	gshmemx_rpc_stream_wave(op, in, nbytes, out, nbytes, &got_nbytes);
	gshmemx_printf("%d %s\n", (int)got_nbytes, "bytes");
	gshmemx_trace(1, got_nbytes);
	gshmemx_assert(got_nbytes);
	if (got_nbytes > nbytes)
		gshmemx_abort(1);
}
