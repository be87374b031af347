/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get, atomics and signals on the host, where the CPU can reach the heap by itself: the bodies that kernels use. Host
 * calls in HIP units come here. Where the CPU cannot, host/copies.c.
 */
#include "host/host.h"

#define GSHMEMI_BODIES
#include <gshmem/move/signal.h>

#if GSHMEMI_ARCH_HOST_DIRECT

void gshmemi_host_put(void *dest, const void *source, size_t nbytes, unsigned align, int pe, int nbi, const char *call)
{
	gshmemi_put(GSHMEMI_THREAD, dest, source, nbytes, align, pe, nbi, call);
}

void gshmemi_host_get(void *dest, const void *source, size_t nbytes, unsigned align, int pe, int nbi, const char *call)
{
	gshmemi_get(GSHMEMI_THREAD, dest, source, nbytes, align, pe, nbi, call);
}

void gshmemi_host_p(void *dest, const void *value, unsigned nbytes, int pe, const char *call)
{
	gshmemi_p_any(dest, value, nbytes, pe, call);
}

void gshmemi_host_g(void *value, const void *source, unsigned nbytes, int pe, const char *call)
{
	gshmemi_g_any(value, source, nbytes, pe, call);
}

void gshmemi_host_iput(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, unsigned elem_nbytes,
		       int pe, const char *call)
{
	gshmemi_iput(GSHMEMI_THREAD, dest, source, dst, sst, nelems, elem_nbytes, pe, call);
}

void gshmemi_host_iget(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, unsigned elem_nbytes,
		       int pe, const char *call)
{
	gshmemi_iget(GSHMEMI_THREAD, dest, source, dst, sst, nelems, elem_nbytes, pe, call);
}

void gshmemi_host_ibput(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks,
			unsigned elem_nbytes, int pe, const char *call)
{
	gshmemi_ibput(GSHMEMI_THREAD, dest, source, dst, sst, bsize, nblocks, elem_nbytes, pe, call);
}

void gshmemi_host_ibget(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks,
			unsigned elem_nbytes, int pe, const char *call)
{
	gshmemi_ibget(GSHMEMI_THREAD, dest, source, dst, sst, bsize, nblocks, elem_nbytes, pe, call);
}

uint64_t gshmemi_host_amo(int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, int fetches, int pe,
			  const char *call)
{
	return gshmemi_amo(op, dest, value, cond, nbytes, fetches, pe, call);
}

void gshmemi_host_amo_nbi(void *fetch, int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, int pe,
			  const char *call)
{
	gshmemi_amo_nbi(fetch, op, dest, value, cond, nbytes, pe, call);
}

void gshmemi_host_put_signal(void *dest, const void *source, size_t nbytes, unsigned align, uint64_t *sig_addr,
			     uint64_t signal, int sig_op, int pe, int nbi, const char *call)
{
	gshmemi_put_signal(GSHMEMI_THREAD, dest, source, nbytes, align, sig_addr, signal, sig_op, pe, nbi, call);
}

#endif /* GSHMEMI_ARCH_HOST_DIRECT */
