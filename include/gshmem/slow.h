/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slow path: what lies behind a sentinel. A call comes here when its PE is not mapped, when the state was never
 * filled, or when GSHMEM_CHECK or delayed delivery put sentinels into the tables on purpose. All of it is out of
 * line, so that it costs the direct path one test.
 *
 * Each function checks its arguments if asked to, finds the peer in the true tables, and hands the operation to the
 * delivery queue or carries it out.
 */
#ifndef GSHMEM_SLOW_H
#define GSHMEM_SLOW_H

#include <gshmem/copy.h>
#include <gshmem/fault.h>

/* ---- checks ---- */

/* The symmetric object [address, address + nbytes) must lie in one allocation, aligned. */
GSHMEMI_SLOW void gshmemi_check_symmetric(const void *address, size_t nbytes, unsigned align, int pe, const char *call)
{
	uint64_t offset = (uint64_t)((uintptr_t)address - (uintptr_t)gshmemi_state.heap), end;

	if (!address)
		gshmemi_fault_raise(GSHMEMI_FAULT_NULL, pe, address, nbytes, 0, 0, call);
	if ((uintptr_t)address & (align - 1))
		gshmemi_fault_raise(GSHMEMI_FAULT_MISALIGNED, pe, address, nbytes, 0, align, call);
	if (offset >= gshmemi_state.heap_nbytes || nbytes > gshmemi_state.heap_nbytes - offset)
		gshmemi_fault_raise(GSHMEMI_FAULT_OUTSIDE_HEAP, pe, address, nbytes, 0, 0, call);
	end = gshmemi_state.allocation_end[offset / GSHMEMI_GRANULE];
	if (end <= offset)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_ALLOCATED, pe, address, nbytes, 0, 0, call);
	if (nbytes > end - offset)
		gshmemi_fault_raise(GSHMEMI_FAULT_BEYOND_ALLOCATION, pe, address, nbytes, 0, end - offset, call);
}

/* What any call to a PE meets first: is there a state, is there such a PE, are the addresses good? */
GSHMEMI_SLOW void gshmemi_check(const void *symmetric, const void *local, size_t nbytes, unsigned align, int pe,
				const char *call)
{
	if (gshmemi_state.slow & GSHMEMI_SLOW_UNSET)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_INITIALIZED, pe, NULL, 0, 0, 0, call);
	if (pe < 0 || pe >= gshmemi_state.npes)
		gshmemi_fault_raise(GSHMEMI_FAULT_BAD_PE, pe, symmetric, nbytes, (uint64_t)gshmemi_state.npes, 0, call);
	if (!(gshmemi_state.slow & GSHMEMI_SLOW_CHECK) || nbytes == 0)
		return;
	if (!local)
		gshmemi_fault_raise(GSHMEMI_FAULT_NULL, pe, local, nbytes, 0, 0, call);
	gshmemi_check_symmetric(symmetric, nbytes, align, pe, call);
}

/* The true peer address, or a fault of this kind. */
GSHMEMI_SLOW void *gshmemi_slow_peer(const ptrdiff_t *table, const void *address, int pe, int kind, const char *call)
{
	void *peer = NULL;

	if (table[pe] == GSHMEMI_SENTINEL)
		gshmemi_fault_raise(kind, pe, address, 0, 0, 0, call);
	gshmemi_peer_ptr(table, address, pe, &peer);
	return peer;
}

GSHMEMI_SLOW void *gshmemi_slow_heap_peer(const void *address, int pe, const char *call)
{
	return gshmemi_slow_peer(gshmemi_state.peers->delta, address, pe, GSHMEMI_FAULT_UNREACHABLE, call);
}

/* ---- delayed delivery: hooks of the platform that can ---- */

#ifdef GSHMEMI_ARCH_HAS_DELIVERY
#define GSHMEMI_IS_DELAYED() ((gshmemi_state.slow & GSHMEMI_SLOW_DELIVERY) != 0)
#else
#define GSHMEMI_IS_DELAYED() 0
#define gshmemi_delivery_put(dest, source, nbytes, pe, nbi)                          ((void)(nbi))
#define gshmemi_delivery_get(dest, source, nbytes, pe)                               ((void)0)
#define gshmemi_delivery_put_signal(dest, source, nbytes, sig, signal, op, pe, nbi)  ((void)(nbi))
#define gshmemi_delivery_amo(fetch, op, dest, value, cond, nbytes, pe)               ((void)0)
#define gshmemi_delivery_catch_up(pe)                                                ((void)0)
#define gshmemi_delivery_fence()                                                     ((void)0)
#define gshmemi_delivery_quiet(target_pes, npes)                                     ((void)0)
#endif

/* ---- put and get ---- */

/*
 * In a group one thread hands the operation over. It is the last one, because a GPU would have each thread move its
 * share: code that completes the operation by another thread's quiet is wrong, and shall notice.
 */
GSHMEMI_SLOW void gshmemi_slow_put(int scope, void *dest, const void *source, size_t nbytes, unsigned align, int pe,
				   int nbi, const char *call)
{
	struct gshmemi_group group;
	void *peer_dest;

	gshmemi_check(dest, source, nbytes, align, pe, call);
	peer_dest = gshmemi_slow_heap_peer(dest, pe, call);
	if (!GSHMEMI_IS_DELAYED()) {
		gshmemi_copy(scope, peer_dest, source, nbytes);
		return;
	}
	group = gshmemi_group_enter(scope, GSHMEMI_KEY(peer_dest, source));
	if (group.rank == group.size - 1)
		gshmemi_delivery_put(peer_dest, source, nbytes, pe, nbi);
	gshmemi_group_sync(&group);
}

GSHMEMI_SLOW void gshmemi_slow_get(int scope, void *dest, const void *source, size_t nbytes, unsigned align, int pe,
				   int nbi, const char *call)
{
	struct gshmemi_group group;
	void *peer_source;

	gshmemi_check(source, dest, nbytes, align, pe, call);
	peer_source = gshmemi_slow_heap_peer(source, pe, call);
	if (!nbi || !GSHMEMI_IS_DELAYED()) {
		gshmemi_copy(scope, dest, peer_source, nbytes);
		return;
	}
	group = gshmemi_group_enter(scope, GSHMEMI_KEY(dest, peer_source));
	if (group.rank == group.size - 1)
		gshmemi_delivery_get(dest, peer_source, nbytes, pe);
	gshmemi_group_sync(&group);
}

/* ---- strided ---- */

/* Bytes that nelems elements at this stride span. */
GSHMEMI_SLOW size_t gshmemi_span(size_t nelems, ptrdiff_t stride, unsigned elem_nbytes)
{
	return nelems ? ((nelems - 1) * (size_t)stride + 1) * elem_nbytes : 0;
}

GSHMEMI_SLOW void gshmemi_check_strides(const void *symmetric, const void *local, ptrdiff_t symmetric_stride,
					ptrdiff_t local_stride, size_t nelems, unsigned elem_nbytes, int pe,
					const char *call)
{
	if (gshmemi_state.slow & GSHMEMI_SLOW_CHECK && (symmetric_stride < 1 || local_stride < 1))
		gshmemi_fault_raise(GSHMEMI_FAULT_BAD_ARGUMENT, pe, symmetric, 0,
			      (uint64_t)(symmetric_stride < 1 ? symmetric_stride : local_stride), 1, call);
	gshmemi_check(symmetric, local, gshmemi_span(nelems, symmetric_stride, elem_nbytes),
		      elem_nbytes < 8 ? elem_nbytes : 8, pe, call);
}

GSHMEMI_SLOW void gshmemi_slow_iput(int scope, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
				    size_t nelems, unsigned elem_nbytes, int pe, const char *call)
{
	struct gshmemi_group group;
	char *peer_dest;
	size_t i;

	gshmemi_check_strides(dest, source, dst, sst, nelems, elem_nbytes, pe, call);
	peer_dest = (char *)gshmemi_slow_heap_peer(dest, pe, call);
	if (!GSHMEMI_IS_DELAYED()) {
		gshmemi_copy_stride(scope, peer_dest, dst, source, sst, nelems, elem_nbytes);
		return;
	}
	group = gshmemi_group_enter(scope, GSHMEMI_KEY(peer_dest, source));
	for (i = group.rank; i < nelems; i += group.size)
		gshmemi_delivery_put(peer_dest + i * (size_t)dst * elem_nbytes,
				     (const char *)source + i * (size_t)sst * elem_nbytes, elem_nbytes, pe, 0);
	gshmemi_group_sync(&group);
}

GSHMEMI_SLOW void gshmemi_slow_iget(int scope, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
				    size_t nelems, unsigned elem_nbytes, int pe, const char *call)
{
	gshmemi_check_strides(source, dest, sst, dst, nelems, elem_nbytes, pe, call);
	gshmemi_copy_stride(scope, dest, dst, gshmemi_slow_heap_peer(source, pe, call), sst, nelems, elem_nbytes);
}

/* ---- atomics and signals ---- */

/* local is where the old value goes; dest again where nothing does. */
GSHMEMI_SLOW void *gshmemi_slow_amo_peer(void *dest, const void *local, unsigned nbytes, int pe, const char *call)
{
	const ptrdiff_t *table;

	gshmemi_check(dest, local, nbytes, nbytes, pe, call);
	table = gshmemi_state.peers->amo_delta;
	if (table[pe] == GSHMEMI_SENTINEL && gshmemi_state.peers->delta[pe] == GSHMEMI_SENTINEL)
		gshmemi_fault_raise(GSHMEMI_FAULT_UNREACHABLE, pe, dest, nbytes, 0, 0, call);
	return gshmemi_slow_peer(table, dest, pe, GSHMEMI_FAULT_NO_ATOMICS, call);
}

/* A blocking atomic: one that returns a value is carried out at once, after what a fence put before it. */
GSHMEMI_SLOW uint64_t gshmemi_slow_amo(int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, int fetches,
				       int pe, const char *call)
{
	void *peer_dest = gshmemi_slow_amo_peer(dest, dest, nbytes, pe, call);

	if (GSHMEMI_IS_DELAYED() && !fetches) {
		gshmemi_delivery_amo(NULL, op, peer_dest, value, cond, nbytes, pe);
		return 0;
	}
	if (GSHMEMI_IS_DELAYED())
		gshmemi_delivery_catch_up(pe);
	if (nbytes == 4)
		return gshmemi_arch_amo32(op, (uint32_t *)peer_dest, (uint32_t)value, (uint32_t)cond);
	return gshmemi_arch_amo64(op, (uint64_t *)peer_dest, value, cond);
}

GSHMEMI_SLOW void gshmemi_slow_amo_nbi(void *fetch, int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes,
				       int pe, const char *call)
{
	void *peer_dest = gshmemi_slow_amo_peer(dest, fetch, nbytes, pe, call);
	uint64_t old;

	if (GSHMEMI_IS_DELAYED()) {
		gshmemi_delivery_amo(fetch, op, peer_dest, value, cond, nbytes, pe);
		return;
	}
	if (nbytes == 4)
		old = gshmemi_arch_amo32(op, (uint32_t *)peer_dest, (uint32_t)value, (uint32_t)cond);
	else
		old = gshmemi_arch_amo64(op, (uint64_t *)peer_dest, value, cond);
	gshmemi_value_store(fetch, old, nbytes);
}

GSHMEMI_SLOW void gshmemi_slow_put_signal(int scope, void *dest, const void *source, size_t nbytes, unsigned align,
					  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, int nbi,
					  const char *call)
{
	struct gshmemi_group group;
	uint64_t *peer_sig;
	void *peer_dest;

	gshmemi_check(dest, source, nbytes, align, pe, call);
	gshmemi_check(sig_addr, sig_addr, sizeof *sig_addr, sizeof *sig_addr, pe, call);
	if (sig_op != GSHMEM_SIGNAL_SET && sig_op != GSHMEM_SIGNAL_ADD)
		gshmemi_fault_raise(GSHMEMI_FAULT_BAD_ARGUMENT, pe, sig_addr, 0, (uint64_t)sig_op, 0, call);
	peer_dest = gshmemi_slow_heap_peer(dest, pe, call);
	peer_sig = sig_op == GSHMEM_SIGNAL_ADD
			   ? (uint64_t *)gshmemi_slow_amo_peer(sig_addr, sig_addr, sizeof *sig_addr, pe, call)
			   : (uint64_t *)gshmemi_slow_heap_peer(sig_addr, pe, call);
	if (!GSHMEMI_IS_DELAYED()) {
		gshmemi_copy(scope, peer_dest, source, nbytes);
		gshmemi_signal(scope, peer_sig, signal, sig_op);
		return;
	}
	group = gshmemi_group_enter(scope, GSHMEMI_KEY(peer_dest, source));
	if (group.rank == group.size - 1)
		gshmemi_delivery_put_signal(peer_dest, source, nbytes, peer_sig, signal, sig_op, pe, nbi);
	gshmemi_group_sync(&group);
}

/* ---- order, waits ---- */

/* A group's fence also orders what one thread did before what another does after: each completes its own. */
GSHMEMI_SLOW void gshmemi_slow_fence(int scope, const char *call)
{
	if (gshmemi_state.slow & GSHMEMI_SLOW_UNSET)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_INITIALIZED, -1, NULL, 0, 0, 0, call);
	if (GSHMEMI_IS_DELAYED() && scope == GSHMEMI_THREAD)
		gshmemi_delivery_fence();
	else if (GSHMEMI_IS_DELAYED())
		gshmemi_delivery_quiet(NULL, 0);
}

/* target_pes NULL: all. */
GSHMEMI_SLOW void gshmemi_slow_quiet(const int *target_pes, size_t npes, const char *call)
{
	size_t i;

	if (gshmemi_state.slow & GSHMEMI_SLOW_UNSET)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_INITIALIZED, -1, NULL, 0, 0, 0, call);
	for (i = 0; target_pes && i < npes; i++)
		if (target_pes[i] < 0 || target_pes[i] >= gshmemi_state.npes)
			gshmemi_fault_raise(GSHMEMI_FAULT_BAD_PE, target_pes[i], NULL, 0, (uint64_t)gshmemi_state.npes, 0,
				      call);
	if (GSHMEMI_IS_DELAYED())
		gshmemi_delivery_quiet(target_pes, npes);
}

/* The object of a wait or test lies in this PE's heap, and cmp is an operator. */
GSHMEMI_SLOW void gshmemi_slow_wait(const void *ivar, unsigned nbytes, int cmp, const char *call)
{
	if (gshmemi_state.slow & GSHMEMI_SLOW_UNSET)
		gshmemi_fault_raise(GSHMEMI_FAULT_NOT_INITIALIZED, -1, ivar, nbytes, 0, 0, call);
	if (!(gshmemi_state.slow & GSHMEMI_SLOW_CHECK))
		return;
	gshmemi_check_symmetric(ivar, nbytes, nbytes, gshmemi_state.my_pe, call);
	if (cmp < GSHMEM_CMP_EQ || cmp > GSHMEM_CMP_LE)
		gshmemi_fault_raise(GSHMEMI_FAULT_BAD_ARGUMENT, -1, ivar, 0, (uint64_t)cmp, 0, call);
}

#endif /* GSHMEM_SLOW_H */
