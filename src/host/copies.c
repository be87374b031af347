/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get, atomics and signals on the host where the CPU cannot touch the heap: each operation by copies and kernels of
 * the library (base/access.h). Where it can, host/direct.c takes the bodies of kernels instead.
 *
 * Late delivery is for kernels here: the host's own operations are not delayed, but its fence and quiet (sync.c) cover
 * what kernels left behind.
 */
#include "base/access.h"

#include <gshmem/move/slow.h>

#include "heap/heap.h"
#include "ipc/globals.h"

#if !GSHMEMI_ARCH_HOST_DIRECT

/* ---- put and get ---- */

/* Programs of OpenSHMEM may name variables, which are not symmetric where the memory is a GPU's. */
static void check_variable(const void *symmetric, size_t nbytes, int pe, const char *call)
{
	if (gshmemi_is_shmem && nbytes && !gshmemi_is_symmetric(symmetric))
		gshmemi_fault_raise(GSHMEMI_FAULT_OUTSIDE_HEAP, pe, symmetric, nbytes, 0, 0, call, gshmemi_arch_caller());
}

/* The peer address of a symmetric one, for whoever reads that table; by the slow path where it holds a sentinel. */
static void *find_peer(const void *symmetric, const void *local, size_t nbytes, unsigned align, int pe, const char *call)
{
	void *peer;

	check_variable(symmetric, nbytes, pe, call);
	if (!gshmemi_peer_ptr(gshmemi_tables()->delta, symmetric, pe, &peer))
		peer = gshmemi_slow_find(GSHMEMI_FIND_HEAP, symmetric, local, nbytes, align, pe, call);
	return peer;
}

static void *find_amo_peer(void *dest, const void *local, unsigned nbytes, int pe, const char *call)
{
	void *peer;

	check_variable(dest, nbytes, pe, call);
	if (!gshmemi_peer_ptr(gshmemi_tables()->amo_delta, dest, pe, &peer))
		peer = gshmemi_slow_find(GSHMEMI_FIND_AMO, dest, local, nbytes, nbytes, pe, call);
	return peer;
}

void gshmemi_host_put(void *dest, const void *source, size_t nbytes, unsigned align, int pe, int nbi, const char *call)
{
	gshmemi_access_move(find_peer(dest, source, nbytes, align, pe, call), source, nbytes, nbi, call);
}

void gshmemi_host_get(void *dest, const void *source, size_t nbytes, unsigned align, int pe, int nbi, const char *call)
{
	gshmemi_access_move(dest, find_peer(source, dest, nbytes, align, pe, call), nbytes, nbi, call);
}

void gshmemi_host_p(void *dest, const void *value, unsigned nbytes, int pe, const char *call)
{
	gshmemi_access_store(find_peer(dest, value, nbytes, nbytes, pe, call), value, nbytes, call);
}

void gshmemi_host_g(void *value, const void *source, unsigned nbytes, int pe, const char *call)
{
	gshmemi_access_load(value, find_peer(source, value, nbytes, nbytes, pe, call), nbytes, call);
}

static void *find_blocks(const void *symmetric, const void *local, ptrdiff_t symmetric_stride, ptrdiff_t local_stride,
			 size_t bsize, size_t nblocks, unsigned elem_nbytes, int pe, const char *call)
{
	void *peer;

	check_variable(symmetric, bsize * nblocks, pe, call);
	if (!gshmemi_peer_ptr(gshmemi_tables()->delta, symmetric, pe, &peer))
		peer = gshmemi_slow_blocks(symmetric, local, symmetric_stride, local_stride, bsize, nblocks, elem_nbytes, pe,
					   call);
	return peer;
}

void gshmemi_host_ibput(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks,
			unsigned elem_nbytes, int pe, const char *call)
{
	gshmemi_access_stride(find_blocks(dest, source, dst, sst, bsize, nblocks, elem_nbytes, pe, call),
			      (size_t)dst * elem_nbytes, source, (size_t)sst * elem_nbytes, nblocks, bsize * elem_nbytes, call);
}

void gshmemi_host_ibget(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks,
			unsigned elem_nbytes, int pe, const char *call)
{
	gshmemi_access_stride(dest, (size_t)dst * elem_nbytes,
			      find_blocks(source, dest, sst, dst, bsize, nblocks, elem_nbytes, pe, call),
			      (size_t)sst * elem_nbytes, nblocks, bsize * elem_nbytes, call);
}

void gshmemi_host_iput(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, unsigned elem_nbytes,
		       int pe, const char *call)
{
	gshmemi_host_ibput(dest, source, dst, sst, 1, nelems, elem_nbytes, pe, call);
}

void gshmemi_host_iget(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, unsigned elem_nbytes,
		       int pe, const char *call)
{
	gshmemi_host_ibget(dest, source, dst, sst, 1, nelems, elem_nbytes, pe, call);
}

/* ---- atomics and signals ---- */

uint64_t gshmemi_host_amo(int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, int fetches, int pe,
			  const char *call)
{
	return gshmemi_access_amo(op, find_amo_peer(dest, dest, nbytes, pe, call), value, cond, nbytes, fetches, call);
}

void gshmemi_host_amo_nbi(void *fetch, int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, int pe,
			  const char *call)
{
	uint64_t old = gshmemi_access_amo(op, find_amo_peer(dest, fetch, nbytes, pe, call), value, cond, nbytes, true,
					  call);

	gshmemi_access_move(fetch, &old, nbytes, false, call); /* fetch may be device memory */
}

/* The data has arrived before the signal sets out: two operations in a stream are ordered for that stream alone. */
void gshmemi_host_put_signal(void *dest, const void *source, size_t nbytes, unsigned align, uint64_t *sig_addr,
			     uint64_t signal, int sig_op, int pe, int nbi, const char *call)
{
	void *peer_dest = find_peer(dest, source, nbytes, align, pe, call);
	void *peer_sig = sig_op == GSHMEM_SIGNAL_ADD ? find_amo_peer(sig_addr, sig_addr, 8, pe, call)
						     : find_peer(sig_addr, sig_addr, 8, 8, pe, call);

	(void)nbi;
	gshmemi_check_argument(sig_op == GSHMEM_SIGNAL_SET || sig_op == GSHMEM_SIGNAL_ADD, sig_op, sig_addr, pe, call);
	gshmemi_access_move(peer_dest, source, nbytes, false, call);
	if (sig_op == GSHMEM_SIGNAL_ADD)
		(void)gshmemi_access_amo(GSHMEMI_AMO_ADD, peer_sig, signal, 0, 8, false, call);
	else
		gshmemi_access_store(peer_sig, &signal, 8, call);
}

#endif /* !GSHMEMI_ARCH_HOST_DIRECT */
