/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulate, get_accumulate, fetch_and_op and compare_and_swap, over the elements of win/element.h. */
#ifndef GSHMEM_WIN_ACCUMULATE_H
#define GSHMEM_WIN_ACCUMULATE_H

#include <gshmem/rpc/net.h>
#include <gshmem/win/batch.h>

/* Where an element may begin: where its word does, or, of 16 bytes, where C allows a complex double. */
GSHMEMI_FN unsigned gshmemi_win_align(struct gshmemi_win_update u)
{
	return u.nbytes > 8 ? 8 : u.nbytes;
}

/* Whether calls check their arguments: always on the host, in kernels with GSHMEM_CHECK. */
GSHMEMI_FN int gshmemi_win_checks(void)
{
	return GSHMEMI_IS_LIBRARY || gshmemi_is_slow(GSHMEMI_WHY_CHECK);
}

/* Check an operator, and that the elements lie within nbytes. */
GSHMEMI_FN int gshmemi_win_check_op(const struct gshmemi_win *w, struct gshmemi_win_access to, size_t nbytes,
	struct gshmemi_win_update u, const char *call)
{
	if (gshmemi_win_checks() && !gshmemi_win_has_op(u.op, u.kind))
		return gshmemi_win_bad_argument(u.op, call);
	return gshmemi_win_check(w, to, nbytes, gshmemi_win_align(u), call);
}

/* Where this PE's atomics reach the target's words; NULL if they must go another way. */
GSHMEMI_FN char *gshmemi_win_there(const struct gshmemi_win_place *at)
{
	void *there;

	if (GSHMEMI_TRACES_DIRECT && !GSHMEMI_ON_HOST() && gshmemi_is_traced())
		return NULL; /* gshmemi_amo records each */
	return !GSHMEMI_ON_HOST() && gshmemi_peer_ptr(at->where.amo_delta, at->address, at->world_pe, &there)
		? (char *)there
		: NULL;
}

/* ---- elements that their owner updates, because this process cannot reach them ---- */

GSHMEMI_FN int gshmemi_win_asks(const struct gshmemi_win_place *at)
{
	return (GSHMEMI_ASKS || GSHMEMI_IS_LIBRARY) && !at->there &&
		gshmemi_is_over_net(at->where.region, at->world_pe, 1);
}

GSHMEMI_FN struct gshmemi_elements gshmemi_win_elements_of(const struct gshmemi_win *w,
	const struct gshmemi_win_place *at, struct gshmemi_win_update u, const void *source, void *result,
	size_t nelems)
{
	struct gshmemi_elements e;

	e.region = at->where.region;
	e.pe = at->world_pe;
	e.symmetric = at->address;
	e.lock = &w->control->wide;
	e.op = u.op;
	e.kind = u.kind;
	e.elem_nbytes = u.nbytes;
	e.nbytes = nelems * u.nbytes;
	e.source = source;
	e.old = result;
	return e;
}

#ifdef GSHMEMI_LIBRARY
void gshmemi_host_elements(const struct gshmemi_elements *e, const char *call); /* src/win/calls.c */
#define gshmemi_win_ask gshmemi_host_elements
#else
/* One thread asks for all of them. A line holds one element; more must be where the library reaches them. */
GSHMEMI_COLD void gshmemi_win_ask(const struct gshmemi_elements *e, const char *call)
{
	const size_t nbytes = gshmemi_elements_nbytes(e);
	const uint64_t direct =
		gshmemi_record(GSHMEMI_THREAD, GSHMEMI_ACCUMULATE, e->region, e->op, 0, nbytes, e->pe, call);
	const uint64_t open =
		gshmemi_slow_begin(GSHMEMI_ACCUMULATE, e->region, e->op, 0, nbytes, e->pe, call);

	if (nbytes == e->elem_nbytes)
		gshmemi_net_element(e);
	else
		gshmemi_net_elements(e);
	gshmemi_trace_end(open);
	gshmemi_record_end(GSHMEMI_THREAD, direct);
}
#endif

/* Whether one request can have all elements of a call. */
GSHMEMI_FN int gshmemi_win_is_one_request(const void *result, const void *source)
{
	return GSHMEMI_IS_LIBRARY ||
		(gshmemi_net_reaches(source) && (!result || gshmemi_net_reaches(result)));
}

GSHMEMI_FN void gshmemi_win_ask_group(const struct gshmemi_win *w, const struct gshmemi_win_place *at,
	const struct gshmemi_group *group, struct gshmemi_win_update u, const char *source, char *result,
	size_t nelems)
{
	struct gshmemi_elements e = gshmemi_win_elements_of(w, at, u, source, result, nelems);
	size_t i;

	if (gshmemi_win_is_one_request(result, source)) {
		if (nelems && group->rank == group->size - 1)
			gshmemi_win_ask(&e, at->call);
		return;
	}
	e.nbytes = u.nbytes;
	for (i = group->rank; i < nelems; i += group->size) {
		e.symmetric = at->address + i * u.nbytes;
		e.source = source + i * u.nbytes;
		e.old = result ? result + i * u.nbytes : NULL;
		gshmemi_win_ask(&e, at->call);
	}
}

/* ---- the calls ---- */

#ifdef GSHMEMI_LIBRARY
/* Bitwise operators on elements of 4 bytes by one thread, two at a time but for one at each end. */
#define GSHMEMI_WIN_UPDATE_PAIRS(OP, AMO) \
	case OP: \
		for (; i + 1 < nelems; i += 2) { \
			GSHMEMI_RACE_ELEMENT(0, 8, 0); \
			(void)gshmemi_win_amo(at, 4 * (ptrdiff_t)i, \
				gshmemi_make_update(AMO, gshmemi_value_load(source + 4 * i, 8), 0, 8, 0)); \
		} \
		break;
GSHMEMI_WIN_APART void gshmemi_win_update_pairs(const struct gshmemi_win *w,
	const struct gshmemi_win_place *at, struct gshmemi_win_update u, const char *source, size_t nelems)
{
	size_t i = 0;

	if (nelems && (uintptr_t)at->address & 4)
		gshmemi_win_element_apart(w, at, 4 * (ptrdiff_t)i++, u, source, NULL, NULL);
	switch (u.op) {
		GSHMEMI_WIN_UPDATE_PAIRS(GSHMEMX_AND, GSHMEMI_AMO_AND)
		GSHMEMI_WIN_UPDATE_PAIRS(GSHMEMX_OR, GSHMEMI_AMO_OR)
		GSHMEMI_WIN_UPDATE_PAIRS(GSHMEMX_XOR, GSHMEMI_AMO_XOR)
	}
	if (i < nelems)
		gshmemi_win_element_apart(w, at, 4 * (ptrdiff_t)i, u, source + 4 * i, NULL, NULL);
}
#undef GSHMEMI_WIN_UPDATE_PAIRS
#endif

/*
 * Each thread of the scope updates its share of the elements: `most` adjacent ones at a time. The share
 * follows from the elements' addresses, so that one thread makes all updates of an element that a group of
 * this size makes, in the order of its calls. result NULL: the old values are not wanted.
 */
GSHMEMI_FN int gshmemi_win_accumulate(int scope, struct gshmemi_win_access to, void *result,
	const void *source, size_t nelems, struct gshmemi_win_update u, const char *call)
{
	const struct gshmemi_win *w;
	struct gshmemi_win_place at;
	struct gshmemi_group group;
	size_t i, n, most, inside, turn, first;
	int rc;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_accumulate(to, result, source, nelems, u, call);
	if (to.pe == GSHMEMX_PE_NULL)
		return 0;
	w = gshmemi_win_of(to.win);
	rc = gshmemi_win_check_op(w, to, GSHMEMI_WIN_NBYTES(nelems, u.nbytes), u, call);
	if (rc || !gshmemi_group_begin(&group, scope, GSHMEMI_KEY(w, source) + (uint64_t)to.disp))
		return rc;
	if (u.op == GSHMEMX_NO_OP) {
		source = result; /* not read: the caller's may be NULL, which has no elements to point at */
		nelems = result ? nelems : 0;
	}
	at = gshmemi_win_locate(w, to, call);
	at.there = gshmemi_win_there(&at);
	if (gshmemi_win_asks(&at)) {
		gshmemi_win_ask_group(w, &at, &group, u, (const char *)source, (char *)result, nelems);
		gshmemi_group_end(&group);
		return 0;
	}
#ifdef GSHMEMI_LIBRARY
	if (u.nbytes == 4 && !result && gshmemi_win_is_bitwise(u.op)) {
		gshmemi_win_update_pairs(w, &at, u, (const char *)source, nelems);
		gshmemi_group_end(&group);
		return 0;
	}
#endif
	most = gshmemi_win_batch_nelems(&at, u, result != NULL);
	first = (uintptr_t)at.address / u.nbytes;
	inside = nelems ? first % most : 0; /* elements of the first block that lie before */
	turn = scope == GSHMEMI_THREAD ? 0 : first / most % group.size; /* the rank whose block it is */
	for (i = (group.rank + (group.rank < turn ? group.size : 0) - turn) * most; i < nelems + inside;
		i += group.size * most) {
		n = i < inside ? inside : i;
		gshmemi_win_elements(w, &at, (ptrdiff_t)((n - inside) * u.nbytes), u,
			(const char *)source + (n - inside) * u.nbytes,
			result ? (char *)result + (n - inside) * u.nbytes : NULL,
			(nelems + inside - i < most ? nelems + inside : i + most) - n, most);
	}
	gshmemi_group_end(&group);
	return 0;
}

/* At strides, element by element. b.sst may be anything. */
GSHMEMI_FN int gshmemi_win_stride_accumulate(int scope, struct gshmemi_win_access to, const void *source,
	struct gshmemi_blocks b, struct gshmemi_win_update u, const char *call)
{
	const size_t nelems = u.op == GSHMEMX_NO_OP ? 0 : b.nblocks;
	const struct gshmemi_win *w;
	struct gshmemi_win_place at;
	struct gshmemi_elements e;
	struct gshmemi_group group;
	const char *from;
	ptrdiff_t offset;
	int rc, asks;
	size_t i;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_stride_accumulate(to, source, b, u, call);
	if (to.pe == GSHMEMX_PE_NULL)
		return 0;
	w = gshmemi_win_of(to.win);
	if (gshmemi_win_checks() && b.dst < 1)
		return gshmemi_win_bad_argument((int)b.dst, call);
	rc = gshmemi_win_check_op(w, to, gshmemi_win_span(b, b.dst), u, call);
	if (rc || !gshmemi_group_begin(&group, scope, GSHMEMI_KEY(w, source) + (uint64_t)to.disp))
		return rc;
	at = gshmemi_win_locate(w, to, call);
	at.there = gshmemi_win_there(&at);
	asks = gshmemi_win_asks(&at);
	for (i = group.rank; i < nelems; i += group.size) {
		offset = (ptrdiff_t)i * b.dst * (ptrdiff_t)u.nbytes;
		from = (const char *)source + (ptrdiff_t)i * b.sst * (ptrdiff_t)u.nbytes;
		if (asks) {
			e = gshmemi_win_elements_of(w, &at, u, from, NULL, 1);
			e.symmetric = at.address + offset;
			gshmemi_win_ask(&e, call);
		} else {
			gshmemi_win_element_apart(w, &at, offset, u, from, NULL, NULL);
		}
	}
	gshmemi_group_end(&group);
	return 0;
}

/* One element: u, or, unless cond is NULL, compare and swap. */
GSHMEMI_FN void gshmemi_win_ask_one(const struct gshmemi_win *w, const struct gshmemi_win_place *at,
	void *old, const void *value, const void *cond, struct gshmemi_win_update u)
{
	struct gshmemi_elements e = gshmemi_win_elements_of(w, at, u, value, old, 1);
	struct gshmemi_word both[2];

	if (cond) {
		__builtin_memcpy(both, value, u.nbytes);
		__builtin_memcpy((char *)both + u.nbytes, cond, u.nbytes);
		e.op = GSHMEMI_ACCUMULATE_SWAP;
		e.nbytes = 2 * (size_t)u.nbytes;
		e.source = both;
	}
	gshmemi_win_ask(&e, at->call);
}

/* Ends the job where a call has no way to return an error. */
#ifdef GSHMEMI_LIBRARY
#define gshmemi_win_end() gshmemi_end(1)
#else
#define gshmemi_win_end() ((void)0) /* a kernel has ended */
#endif

/* One element of one thread: u, or, unless cond is NULL, compare and swap. *old receives the old value. */
GSHMEMI_FN void gshmemi_win_fetch(struct gshmemi_win_access to, void *old, const void *value,
	const void *cond, struct gshmemi_win_update u, const char *call)
{
	const struct gshmemi_win *w;
	struct gshmemi_win_place at;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY) {
		gshmemi_host_win_fetch(to, old, value, cond, u, call);
		return;
	}
	if (to.pe == GSHMEMX_PE_NULL) {
		__builtin_memset(old, 0, u.nbytes);
		return;
	}
	w = gshmemi_win_of(to.win);
	if (gshmemi_win_check_op(w, to, u.nbytes, u, call))
		gshmemi_win_end();
	at = gshmemi_win_locate(w, to, call);
	at.there = gshmemi_win_there(&at);
	if ((u.nbytes < 4 || u.nbytes > 8 || (!cond && gshmemi_win_native(u.op, u.kind) < 0)) &&
		gshmemi_win_asks(&at)) {
		gshmemi_win_ask_one(w, &at, old, value, cond, u);
		return;
	}
	gshmemi_win_element_apart(w, &at, 0, u, value, cond, old);
}

#endif /* GSHMEM_WIN_ACCUMULATE_H */
