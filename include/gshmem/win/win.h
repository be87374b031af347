/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: looking up a handle, checking calls, put and get. An operation finds its target by three loads,
 * each of which needs the one before: the list of windows, the window, the target's part. The part has the
 * address of the target's memory in this process, which put and get use. If there is none, or something must
 * see every call, put and get go like all other operations, by the region and a distance.
 *
 * A kernel checks its calls with GSHMEM_CHECK; calls that open and close epochs it always checks. The host
 * checks all calls, and returns an error.
 */
#ifndef GSHMEM_WIN_H
#define GSHMEM_WIN_H

#include <gshmem/move/rma.h>
#include <gshmem/order/sync.h>
#include <gshmem/win/host.h>

/* The library has copies of its own, in memory that the CPU can read on every platform. */
#ifdef GSHMEMI_LIBRARY
extern struct gshmemi_win *gshmemi_windows;                                          /* src/win/window.c */
bool gshmemi_window_is_attached(unsigned region, uint64_t address, uint64_t nbytes); /* src/win/attach.c */
void gshmemi_window_remember(
	const struct gshmemi_win *w, int pe, uint64_t address, uint64_t nbytes, const char *call);
#define GSHMEMI_WINDOWS gshmemi_windows
#else
#define GSHMEMI_WINDOWS gshmemi_state.windows
#endif

GSHMEMI_FN const struct gshmemi_win *gshmemi_win_of(gshmemx_win_t win)
{
	return &GSHMEMI_WINDOWS[(((unsigned)win & ((1U << GSHMEMI_WIN_PLACE_BITS) - 1)) - 1) &
		(GSHMEMI_NREGIONS - 1)];
}

GSHMEMI_FN struct gshmemi_where gshmemi_win_where(const struct gshmemi_win *w)
{
	struct gshmemi_where where;

	where.delta = w->delta;
	where.amo_delta = w->amo_delta;
	where.region = GSHMEMI_NFIXED + (unsigned)(w - GSHMEMI_WINDOWS);
	return where;
}

/* ---- what is wrong with a call ---- */

/* As in struct gshmemi_fault: kind is an enum gshmemi_fault_kind. */
struct gshmemi_win_fault {
	int kind;
	int pe;
	uint64_t address;
	uint64_t nbytes;
	uint64_t found;
	uint64_t expected;
};

/* In a kernel raises the fault; on the host prints it and returns a negative errno. */
#ifdef GSHMEMI_LIBRARY
int gshmemi_win_fail(const struct gshmemi_win_fault *fault, const char *call); /* src/win/window.c */
#else
GSHMEMI_COLD int gshmemi_win_fail(const struct gshmemi_win_fault *fault, const char *call)
{
	gshmemi_fault_raise(fault->kind, fault->pe, (const void *)(uintptr_t)fault->address, fault->nbytes,
		fault->found, fault->expected, call, gshmemi_arch_caller());
	return 0;
}
#endif

GSHMEMI_COLD int gshmemi_win_bad_argument(int found, const char *call)
{
	const struct gshmemi_win_fault fault = {GSHMEMI_FAULT_BAD_ARGUMENT, -1, 0, 0, (uint64_t)found, 0};

	return gshmemi_win_fail(&fault, call);
}

/* Whether there is no such window, or, unless pe is -1, no such PE in it. */
GSHMEMI_FN int gshmemi_win_is_bad(
	const struct gshmemi_win *w, gshmemx_win_t win, int pe, struct gshmemi_win_fault *fault)
{
	if (gshmemi_state.why & GSHMEMI_WHY_UNSET) {
		fault->kind = GSHMEMI_FAULT_NOT_INITIALIZED;
	} else if (win <= 0 || w->handle != win) {
		fault->kind = GSHMEMI_FAULT_BAD_WINDOW;
		fault->found = (uint32_t)win;
	} else if (pe < -1 || pe >= w->npes) {
		fault->kind = GSHMEMI_FAULT_BAD_PE;
		fault->pe = pe;
		fault->found = (uint64_t)w->npes;
	}
	return fault->kind;
}

/* Whether this PE has an access epoch open on that of the window. */
GSHMEMI_FN int gshmemi_win_may_access(const struct gshmemi_win *w, int pe)
{
	if (__builtin_expect(w->epoch->state >= GSHMEMI_WIN_LOCK_ALL, 1)) /* the last two states */
		return 1;
	switch (w->epoch->state) {
	case GSHMEMI_WIN_NONE:
		return 0;
	case GSHMEMI_WIN_PSCW:
		return w->epoch->target[pe].is_accessed;
	case GSHMEMI_WIN_LOCK:
	case GSHMEMI_WIN_LOCK_NO_CHECK:
		return w->epoch->target[pe].lock != 0;
	default:
		return 1;
	}
}

/* Check an operation on nbytes from disp on. The bounds of a dynamic window are checked by its owner. */
GSHMEMI_FN void gshmemi_win_judge(const struct gshmemi_win *w, gshmemx_win_t win, ptrdiff_t disp,
	uint64_t nbytes, unsigned align, int pe, struct gshmemi_win_fault *fault)
{
	const struct gshmemi_win_part *part;
	uint64_t offset;

	if (pe == -1)
		pe = -2; /* names no PE */
	if (gshmemi_win_is_bad(w, win, pe, fault))
		return;
	part = &w->parts[pe];
	fault->pe = pe;
	if (!gshmemi_win_may_access(w, pe)) {
		fault->kind = GSHMEMI_FAULT_WRONG_EPOCH;
		fault->found = w->epoch->state;
		return;
	}
	offset = (uint64_t)disp * part->disp_unit;
#ifdef GSHMEMI_LIBRARY
	if (w->flags & GSHMEMI_WIN_DYNAMIC && pe == w->my_pe &&
		!gshmemi_window_is_attached(gshmemi_win_where(w).region, offset, nbytes)) {
		fault->kind = GSHMEMI_FAULT_OUTSIDE_WINDOW;
		fault->address = offset;
		fault->nbytes = nbytes;
		return;
	}
#endif
	if (!(w->flags & GSHMEMI_WIN_DYNAMIC) &&
		(disp < 0 || nbytes > part->nbytes ||
			(uint64_t)disp > (part->nbytes - nbytes) / part->disp_unit)) {
		fault->kind = GSHMEMI_FAULT_OUTSIDE_WINDOW;
		fault->address = offset;
		fault->nbytes = nbytes;
		fault->expected = part->nbytes;
	} else if (((uintptr_t)part->base + offset) & (align - 1)) {
		fault->kind = GSHMEMI_FAULT_MISALIGNED;
		fault->address = offset;
		fault->expected = align;
	}
}

#ifdef GSHMEMI_LIBRARY
/*
 * A fast check, which allows nothing that gshmemi_win_judge forbids; 0: ask judge. The caller knows that the
 * library is initialized.
 */
GSHMEMI_FN int gshmemi_win_is_right(const struct gshmemi_win *w, gshmemx_win_t win, ptrdiff_t disp,
	uint64_t nbytes, unsigned align, int pe)
{
	const struct gshmemi_win_part *part;
	uint64_t offset;

	if (win <= 0 || w->handle != win || (unsigned)pe >= (unsigned)w->npes ||
		!gshmemi_win_may_access(w, pe) || w->flags & GSHMEMI_WIN_DYNAMIC)
		return 0;
	part = &w->parts[pe];
	if (disp < 0 || __builtin_mul_overflow((uint64_t)disp, (uint64_t)part->disp_unit, &offset) ||
		nbytes > part->nbytes || offset > part->nbytes - nbytes)
		return 0;
	return !(((uintptr_t)part->base + offset) & (align - 1));
}

GSHMEMI_COLD int gshmemi_win_check_at(const struct gshmemi_win *w, gshmemx_win_t win, ptrdiff_t disp,
	uint64_t nbytes, unsigned align, int pe, const char *call)
{
	struct gshmemi_win_fault fault = {0, -1, 0, 0, 0, 0};

	gshmemi_win_judge(w, win, disp, nbytes, align, pe, &fault);
	if (fault.kind)
		return gshmemi_win_fail(&fault, call);
	if (w->flags & GSHMEMI_WIN_DYNAMIC)
		gshmemi_window_remember(w, pe, (uint64_t)disp, nbytes, call);
	return 0;
}

/* The host's check. The first operation after a fence begins the fence's epoch. */
GSHMEMI_FN int gshmemi_win_check(const struct gshmemi_win *w, struct gshmemi_win_access to, uint64_t nbytes,
	unsigned align, const char *call)
{
	int rc = 0;

	if (__builtin_expect(!gshmemi_win_is_right(w, to.win, to.disp, nbytes, align, to.pe), 0))
		rc = gshmemi_win_check_at(w, to.win, to.disp, nbytes, align, to.pe, call);
	if (rc)
		return rc;
	if (w->epoch->state == GSHMEMI_WIN_FENCE)
		w->epoch->state = GSHMEMI_WIN_FENCE_EPOCH;
	return 0;
}
#else
GSHMEMI_COLD void gshmemi_win_check_at(const struct gshmemi_win *w, gshmemx_win_t win, ptrdiff_t disp,
	uint64_t nbytes, unsigned align, int pe, const char *call)
{
	struct gshmemi_win_fault fault = {0, -1, 0, 0, 0, 0};

	gshmemi_win_judge(w, win, disp, nbytes, align, pe, &fault);
	if (fault.kind)
		(void)gshmemi_win_fail(&fault, call);
	else if (w->epoch->state == GSHMEMI_WIN_FENCE)
		gshmemi_arch_store(&w->epoch->state, GSHMEMI_WIN_FENCE_EPOCH, 4);
}

GSHMEMI_FN int gshmemi_win_check(const struct gshmemi_win *w, struct gshmemi_win_access to, uint64_t nbytes,
	unsigned align, const char *call)
{
	if (gshmemi_is_slow(GSHMEMI_WHY_UNSET | GSHMEMI_WHY_CHECK))
		gshmemi_win_check_at(w, to.win, to.disp, nbytes, align, to.pe, call);
	return 0;
}
#endif

/* ---- put and get ---- */

/* A place in the window of a PE, as operations on regions take it. */
struct gshmemi_win_place {
	struct gshmemi_where where;
	char *address;
	char *there; /* where this PE's atomics reach it, or NULL: see gshmemi_win_there */
	int world_pe;
	const char *call;
};

GSHMEMI_FN struct gshmemi_win_place gshmemi_win_locate(
	const struct gshmemi_win *w, struct gshmemi_win_access to, const char *call)
{
	const struct gshmemi_win_part *part = &w->parts[to.pe];
	struct gshmemi_win_place place;

	place.where = gshmemi_win_where(w);
	place.address = part->base + to.disp * (ptrdiff_t)part->disp_unit;
	place.there = NULL;
	place.world_pe = part->world_pe;
	place.call = call;
	return place;
}

GSHMEMI_FN int gshmemi_host_win_move(int is_get, struct gshmemi_win_access to, const void *local,
	size_t nbytes, unsigned align, const char *call)
{
	if (is_get)
		return gshmemi_host_win_get(
			to.win, (void *)(uintptr_t)local, to.disp, nbytes, align, to.pe, call);
	return gshmemi_host_win_put(to.win, to.disp, local, nbytes, align, to.pe, call);
}

/* Move bytes between a window and local memory; a group shares them out. */
GSHMEMI_FN void gshmemi_win_move_at(
	int scope, int is_get, struct gshmemi_win_place at, const void *local, struct gshmemi_extent extent)
{
	if (is_get)
		gshmemi_get(
			at.where, scope, (void *)(uintptr_t)local, at.address, extent, at.world_pe, at.call);
	else
		gshmemi_put(at.where, scope, at.address, local, extent, at.world_pe, at.call);
}

GSHMEMI_FN int gshmemi_win_move(int scope, int is_get, struct gshmemi_win_access to, const void *local,
	size_t nbytes, unsigned align, const char *call)
{
	const struct gshmemi_win *w;
	char *here;
	int rc;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_move(is_get, to, local, nbytes, align, call);
	if (to.pe == GSHMEMX_PE_NULL)
		return 0;
	w = gshmemi_win_of(to.win);
	rc = gshmemi_win_check(w, to, nbytes, align, call);
	if (rc)
		return rc;
	here = w->parts[to.pe].here;
	if (!GSHMEMI_ON_HOST() && __builtin_expect(here != NULL, 1)) {
		here += to.disp * (ptrdiff_t)w->parts[to.pe].disp_unit;
		if (is_get)
			gshmemi_copy(scope, GSHMEMI_FROM_PEER, (void *)(uintptr_t)local, here, nbytes, align);
		else
			gshmemi_copy(scope, GSHMEMI_TO_PEER, here, local, nbytes, align);
		return 0;
	}
	if (nbytes) /* a PE without memory is not mapped */
		gshmemi_win_move_at(scope, is_get, gshmemi_win_locate(w, to, call), local,
			gshmemi_make_extent(nbytes, align, 1));
	return 0;
}

/* Bytes that blocks at a stride span; SIZE_MAX on overflow. */
GSHMEMI_FN size_t gshmemi_win_span(struct gshmemi_blocks b, ptrdiff_t stride)
{
	const size_t step = (size_t)stride; /* a negative one overflows */

	if (!b.nblocks || !b.bsize)
		return 0;
	if (step && b.nblocks - 1 > (SIZE_MAX - b.bsize) / step)
		return SIZE_MAX;
	return GSHMEMI_WIN_NBYTES((b.nblocks - 1) * step + b.bsize, b.elem_nbytes);
}

/* Strides of less than a block are refused on the host, and in kernels with GSHMEM_CHECK. */
GSHMEMI_FN int gshmemi_win_stride(int scope, int is_get, struct gshmemi_win_access to, const void *local,
	struct gshmemi_blocks b, const char *call)
{
	const unsigned align = b.elem_nbytes < 8 ? b.elem_nbytes : 8;
	const struct gshmemi_win *w;
	struct gshmemi_win_place at;
	int rc;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_stride(is_get, to, local, b, call);
	if (to.pe == GSHMEMX_PE_NULL)
		return 0;
	w = gshmemi_win_of(to.win);
	rc = gshmemi_win_check(w, to, gshmemi_win_span(b, is_get ? b.sst : b.dst), align, call);
	if (rc || !b.nblocks || !b.bsize)
		return rc;
	at = gshmemi_win_locate(w, to, call);
	if (is_get)
		gshmemi_move_blocks(GSHMEMI_GET_BLOCKS, at.where, scope, (void *)(uintptr_t)local, at.address,
			b, at.world_pe, at.call);
	else
		gshmemi_move_blocks(
			GSHMEMI_PUT_BLOCKS, at.where, scope, at.address, local, b, at.world_pe, at.call);
	return 0;
}

#endif /* GSHMEM_WIN_H */
