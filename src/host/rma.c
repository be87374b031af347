/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get, atomics and signals on the host: the exported functions, stamped from the bodies that kernels use. Where
 * the CPU can reach the heap by itself, these bodies are also what a HIP unit's host calls take; else host/copies.c.
 */
#include "host/internal.h"

#include <gshmem/signal.h>

#if GSHMEMI_ARCH_HOST_DIRECT

void gshmemi_host_put(void *dest, const void *source, size_t nbytes, unsigned align, int pe, int nbi, const char *call)
{
	gshmemi_put(GSHMEMI_THREAD, dest, source, nbytes, align, pe, nbi, call);
}

void gshmemi_host_get(void *dest, const void *source, size_t nbytes, unsigned align, int pe, int nbi, const char *call)
{
	gshmemi_get(GSHMEMI_THREAD, dest, source, nbytes, align, pe, nbi, call);
}

/* The sizes are constants in each branch, so that each value travels by one store or load. */
void gshmemi_host_p(void *dest, const void *value, unsigned nbytes, int pe, const char *call)
{
	switch (nbytes) {
	case 1:
		gshmemi_p(dest, value, 1, pe, call);
		break;
	case 2:
		gshmemi_p(dest, value, 2, pe, call);
		break;
	case 4:
		gshmemi_p(dest, value, 4, pe, call);
		break;
	case 8:
		gshmemi_p(dest, value, 8, pe, call);
		break;
	default:
		gshmemi_p(dest, value, 16, pe, call);
		break;
	}
}

void gshmemi_host_g(void *value, const void *source, unsigned nbytes, int pe, const char *call)
{
	switch (nbytes) {
	case 1:
		gshmemi_g(value, source, 1, pe, call);
		break;
	case 2:
		gshmemi_g(value, source, 2, pe, call);
		break;
	case 4:
		gshmemi_g(value, source, 4, pe, call);
		break;
	case 8:
		gshmemi_g(value, source, 8, pe, call);
		break;
	default:
		gshmemi_g(value, source, 16, pe, call);
		break;
	}
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
