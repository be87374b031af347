/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get, atomics and signals on the host where the CPU cannot touch the heap. Each call describes its
 * operation, finds where the PE's memory is mapped, and performs it by copies and by kernels of the library
 * (device/devmem.h). Where the CPU can touch the heap, direct.c is compiled instead.
 *
 * Late delivery affects only kernels here: the host's own operations are not delayed, but its fence and quiet
 * (order.c) complete what kernels left behind.
 */
#include "device/devmem.h"

#include <gshmem/move/slow.h>
#include <stdlib.h>

#include "heap/heap.h"
#include "net/net.h"

#if !GSHMEMI_ARCH_HOST_DIRECT

/*
 * OpenSHMEM programs may pass the addresses of global variables. In GPU memory those are not
 * symmetric: report it.
 */
static void check_variable(const void *symmetric, size_t nbytes, int pe, const char *call)
{
	if (gshmemi_is_shmem && nbytes && !gshmemi_is_symmetric(symmetric))
		gshmemi_fault_raise(
			GSHMEMI_FAULT_OUTSIDE_HEAP, pe, symmetric, nbytes, 0, 0, call, gshmemi_arch_caller());
}

/* ---- one operation ---- */

/*
 * Performs o by whatever reaches device memory. there and sig_there are mapped addresses. A signal is sent
 * once the data has arrived.
 */
static uint64_t perform(const struct gshmemi_operation *o, void *there, void *sig_there, const char *call)
{
	uint64_t old;

	switch (o->what) {
	case GSHMEMI_PUT:
		if (o->is_value)
			gshmemi_devmem_store(there, o->local, (unsigned)o->nbytes, call);
		else
			gshmemi_devmem_move(there, o->local, o->nbytes, o->is_nbi, call);
		return 0;
	case GSHMEMI_GET:
		if (o->is_value)
			gshmemi_devmem_load(o->local, there, (unsigned)o->nbytes, call);
		else
			gshmemi_devmem_move(o->local, there, o->nbytes, o->is_nbi, call);
		return 0;
	case GSHMEMI_PUT_BLOCKS:
		gshmemi_devmem_stride(there, (size_t)o->stride, o->local, (size_t)o->local_stride, o->nblocks,
			o->nbytes, call);
		return 0;
	case GSHMEMI_GET_BLOCKS:
		gshmemi_devmem_stride(o->local, (size_t)o->local_stride, there, (size_t)o->stride, o->nblocks,
			o->nbytes, call);
		return 0;
	case GSHMEMI_FLAG:
		/* the host alone writes its flags, and each store raises the word, so a store will do */
		gshmemi_devmem_store(there, &o->value, 8, call);
		return 0;
	case GSHMEMI_AMO:
		old = gshmemi_devmem_amo(
			o->op, there, o->value, o->cond, (unsigned)o->nbytes, o->fetches || o->local, call);
		if (o->local)
			gshmemi_devmem_move(o->local, &old, o->nbytes, false, call);
		return old;
	default:
		/* by then it has arrived: stream order would hold only within one stream */
		gshmemi_devmem_move(there, o->local, o->nbytes, false, call);
		/* SET too: only the GPU updates signals */
		(void)gshmemi_devmem_amo(o->op, sig_there, o->value, 0, 8, false, call);
		return 0;
	}
}

/*
 * Returns the address at which pe's copy of a symmetric object is mapped, by the direct tables or else the
 * true ones. Returns NULL if a carrier must perform the operation. The object must be aligned to align.
 */
static void *find_peer(int what, unsigned region, const void *symmetric, const void *local, size_t nbytes,
	unsigned align, int pe, const char *call)
{
	const struct gshmemi_direct *direct = gshmemi_tables();
	const ptrdiff_t *table = what == GSHMEMI_FIND_AMO ? direct->amo_delta : direct->delta;
	void *peer;

	if (region == GSHMEMI_REGION_SYNC) {
		table = direct->sync_delta;
	} else if (region == GSHMEMI_REGION_HEAP) {
		check_variable(symmetric, nbytes, pe, call);
	}
	if (region <= GSHMEMI_REGION_SYNC && gshmemi_peer_ptr(table, symmetric, pe, &peer))
		return peer;
	return (void *)(uintptr_t)gshmemi_slow_at(gshmemi_slow_what(what, GSHMEMI_THREAD, align, 0, region),
		symmetric, (uintptr_t)local, nbytes, pe, call);
}

/* ---- over the net ---- */

/*
 * The CPU may be unable to read or write the local end. Data then moves through a host buffer (bounce), this
 * much at a time.
 */
#define BOUNCE_NBYTES ((size_t)1 << 20)

/* Moves nblocks whole blocks, packed in the bounce, or part of a single block (nblocks is 1). */
static void move_part(const struct gshmemi_operation *o, char *bounce, uint64_t first, size_t nblocks,
	size_t at, size_t nbytes, bool is_get, const char *call)
{
	char *const local = (char *)o->local + (int64_t)first * o->local_stride + at;
	struct gshmemi_operation part = *o;

	part.what = is_get ? GSHMEMI_GET_BLOCKS : GSHMEMI_PUT_BLOCKS;
	part.offset += (uint64_t)((int64_t)first * o->stride) + at;
	part.local = bounce;
	part.local_stride = (int64_t)nbytes;
	part.nblocks = nblocks;
	part.nbytes = nbytes;
	part.is_nbi = 0;
	if (!is_get)
		gshmemi_devmem_stride(bounce, nbytes, local, nblocks > 1 ? (size_t)o->local_stride : nbytes,
			nblocks, nbytes, call);
	(void)gshmemi_net_carry(&part);
	if (is_get)
		gshmemi_devmem_stride(local, nblocks > 1 ? (size_t)o->local_stride : nbytes, bounce, nbytes,
			nblocks, nbytes, call);
}

static void move_over_net(const struct gshmemi_operation *o, bool is_get, const char *call)
{
	const size_t room = o->nbytes * o->nblocks < BOUNCE_NBYTES ? o->nbytes * o->nblocks : BOUNCE_NBYTES;
	char *const bounce = room ? malloc(room) : NULL;
	uint64_t i;
	size_t at, n;

	if (room && !bounce) {
		gshmemi_error("%s: %zu bytes of host memory: out of memory", call, room);
		gshmemi_end(1);
	}
	for (i = 0; room && o->nbytes <= room && i < o->nblocks; i += n) {
		n = room / o->nbytes < o->nblocks - i ? room / o->nbytes : (size_t)(o->nblocks - i);
		move_part(o, bounce, i, n, 0, o->nbytes, is_get, call);
	}
	for (i = 0; room && o->nbytes > room && i < o->nblocks; i++) {
		for (at = 0; at < o->nbytes; at += n) {
			n = o->nbytes - at < room ? (size_t)(o->nbytes - at) : room;
			move_part(o, bounce, i, 1, at, n, is_get, call);
		}
	}
	free(bounce);
}

/* The PE that owns the memory performs o. */
static uint64_t carry_over_net(const struct gshmemi_operation *o, const char *call)
{
	struct gshmemi_operation signal;
	uint64_t old;

	if (gshmemi_carrying_sends_device(o))
		return gshmemi_net_carry(o);
	switch (o->what) {
	case GSHMEMI_PUT:
	case GSHMEMI_GET:
		if (o->is_value)
			return gshmemi_net_carry(o);
		move_over_net(o, o->what == GSHMEMI_GET, call);
		return 0;
	case GSHMEMI_PUT_BLOCKS:
	case GSHMEMI_GET_BLOCKS:
		move_over_net(o, o->what == GSHMEMI_GET_BLOCKS, call);
		return 0;
	case GSHMEMI_PUT_SIGNAL:
		move_over_net(o, false, call);
		gshmemi_net_order(gshmemi_pe_context(o->pe));
		signal = gshmemi_signal_of(o);
		return gshmemi_net_carry(&signal);
	default:
		signal = *o;
		signal.local = NULL;
		signal.fetches = o->fetches || o->local;
		old = gshmemi_net_carry(&signal);
		if (o->local)
			gshmemi_devmem_move(o->local, &old, o->nbytes, false, call);
		return old;
	}
}

/* Performs the host's operations on PEs that find() has no address for. */
static uint64_t carry(const struct gshmemi_operation *o, const char *call)
{
	if (!gshmemi_is_mapped(o->region, o->pe, o->what == GSHMEMI_AMO) ||
		(o->what == GSHMEMI_PUT_SIGNAL && !gshmemi_is_mapped(o->sig_region, o->pe, 1)))
		return carry_over_net(o, call);
	return perform(o, gshmemi_carry_base(o->region, o->pe) + o->offset,
		gshmemi_carry_base(o->sig_region, o->pe) + o->sig_offset, call);
}

static struct gshmemi_operation describe_operation(
	int what, unsigned region, const void *local, size_t nbytes, int pe)
{
	struct gshmemi_operation o = {
		.what = (uint8_t)what, .region = (uint16_t)region, .pe = pe, .nbytes = nbytes, .nblocks = 1};

	o.local = (void *)(uintptr_t)local;
	return o;
}

/*
 * Performs an operation on a symmetric object of span bytes. local is the caller's end of the transfer; where
 * there is none, symmetric again.
 */
static uint64_t call_with(struct gshmemi_operation *o, const void *symmetric, const void *local, size_t span,
	unsigned align, const char *call)
{
	const int which = o->what == GSHMEMI_AMO ? GSHMEMI_FIND_AMO : GSHMEMI_FIND;
	void *peer = find_peer(which, o->region, symmetric, local, span, align, o->pe, call);
	const uint64_t open = gshmemi_slow_begin_described(o, call);
	uint64_t old;

	if (!peer)
		gshmemi_find_place(o->region, symmetric, &o->region, &o->offset);
	old = peer ? perform(o, peer, NULL, call) : carry(o, call);
	gshmemi_slow_end_described(o, open, call);
	return old;
}

/* ---- put and get ---- */

static void move_bytes(int what, unsigned region, const void *symmetric, const void *local,
	struct gshmemi_extent extent, int pe, const char *call)
{
	struct gshmemi_operation o = describe_operation(what, region, local, extent.nbytes, pe);

	o.is_nbi = extent.is_nbi != 0;
	(void)call_with(&o, symmetric, local, extent.nbytes, extent.align, call);
}

static void move_value(int what, unsigned region, const void *symmetric, const void *value, unsigned nbytes,
	int pe, const char *call)
{
	struct gshmemi_operation o = describe_operation(what, region, value, nbytes, pe);

	o.is_value = 1;
	(void)call_with(&o, symmetric, value, nbytes, nbytes, call);
}

void gshmemi_host_put(unsigned region, void *dest, const void *source, struct gshmemi_extent extent, int pe,
	const char *call)
{
	move_bytes(GSHMEMI_PUT, region, dest, source, extent, pe, call);
}

void gshmemi_host_get(unsigned region, void *dest, const void *source, struct gshmemi_extent extent, int pe,
	const char *call)
{
	move_bytes(GSHMEMI_GET, region, source, dest, extent, pe, call);
}

void gshmemi_host_p(unsigned region, void *dest, const void *value, unsigned nbytes, int pe, const char *call)
{
	move_value(GSHMEMI_PUT, region, dest, value, nbytes, pe, call);
}

void gshmemi_host_g(
	unsigned region, void *value, const void *source, unsigned nbytes, int pe, const char *call)
{
	move_value(GSHMEMI_GET, region, source, value, nbytes, pe, call);
}

void gshmemi_host_blocks(int what, unsigned region, void *dest, const void *source, struct gshmemi_blocks b,
	int pe, const char *call)
{
	const bool is_put = what == GSHMEMI_PUT_BLOCKS;
	const void *symmetric = is_put ? dest : source, *local = is_put ? source : dest;
	const ptrdiff_t stride = is_put ? b.dst : b.sst, local_stride = is_put ? b.sst : b.dst;
	struct gshmemi_operation o = describe_operation(what, region, local, b.bsize * b.elem_nbytes, pe);

	gshmemi_check_argument(stride > 0 && (size_t)stride >= b.bsize, stride, symmetric, pe, call);
	gshmemi_check_argument(
		local_stride > 0 && (size_t)local_stride >= b.bsize, local_stride, symmetric, pe, call);
	o.nblocks = b.nblocks;
	o.stride = stride * (ptrdiff_t)b.elem_nbytes;
	o.local_stride = local_stride * (ptrdiff_t)b.elem_nbytes;
	(void)call_with(
		&o, symmetric, local, gshmemi_span(b, stride), b.elem_nbytes < 8 ? b.elem_nbytes : 8, call);
}

/* ---- atomics, flags and signals ---- */

/* local is what the checks look at: fetch, or dest if the call has none. */
static uint64_t update(int what, unsigned region, void *fetch, const void *local, void *dest,
	struct gshmemi_update u, int pe, const char *call)
{
	struct gshmemi_operation o = describe_operation(what, region, fetch, u.nbytes, pe);

	o.op = (uint8_t)u.op;
	o.fetches = u.fetches != 0;
	o.value = u.value;
	o.cond = u.cond;
	return call_with(&o, dest, local, u.nbytes, u.nbytes, call);
}

uint64_t gshmemi_host_amo(unsigned region, void *dest, struct gshmemi_update u, int pe, const char *call)
{
	return update(GSHMEMI_AMO, region, NULL, dest, dest, u, pe, call);
}

void gshmemi_host_amo_nbi(
	unsigned region, void *fetch, void *dest, struct gshmemi_update u, int pe, const char *call)
{
	(void)update(GSHMEMI_AMO, region, fetch, fetch, dest, u, pe, call);
}

void gshmemi_host_sync_write(int what, uint64_t *word, uint64_t value, int pe, const char *call)
{
	pe = gshmemi_pe_with_context(pe, GSHMEMI_CTX_LIBRARY);
	if (what == GSHMEMI_FLAG)
		(void)update(GSHMEMI_FLAG, GSHMEMI_REGION_SYNC, NULL, word, word,
			gshmemi_make_update(0, value, 0, 8, 0), pe, call);
	else
		move_value(GSHMEMI_PUT, GSHMEMI_REGION_SYNC, word, &value, 8, pe, call);
}

void gshmemi_host_put_signal(unsigned region, void *dest, const void *source, struct gshmemi_extent extent,
	struct gshmemi_signal s, int pe, const char *call)
{
	const bool is_add = s.op == GSHMEM_SIGNAL_ADD;
	struct gshmemi_operation o =
		describe_operation(GSHMEMI_PUT_SIGNAL, region, source, extent.nbytes, pe);
	void *peer_dest =
		find_peer(GSHMEMI_FIND, region, dest, source, extent.nbytes, extent.align, pe, call);
	void *peer_sig = find_peer(GSHMEMI_FIND_AMO, region, s.addr, s.addr, 8, 8, pe, call);
	uint64_t open;

	gshmemi_check_argument(is_add || s.op == GSHMEM_SIGNAL_SET, s.op, s.addr, pe, call);
	o.op = is_add ? GSHMEMI_AMO_ADD : GSHMEMI_AMO_SET;
	o.value = s.value;
	gshmemi_find_place(region, dest, &o.region, &o.offset);
	gshmemi_find_place(region, s.addr, &o.sig_region, &o.sig_offset);
	open = gshmemi_slow_begin_described(&o, call);
	if (peer_dest && peer_sig)
		(void)perform(&o, peer_dest, peer_sig, call);
	else
		(void)carry(&o, call);
	gshmemi_slow_end_described(&o, open, call);
}

#endif /* !GSHMEMI_ARCH_HOST_DIRECT */
