/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulate, get_accumulate, fetch_and_op and compare_and_swap, over the elements of win/element.h. */
#ifndef GSHMEM_WIN_ACCUMULATE_H
#define GSHMEM_WIN_ACCUMULATE_H

#include <gshmem/win/batch.h>

/* Check an operator and a range of nelems elements: always on the host, in kernels with GSHMEM_CHECK. */
GSHMEMI_FN int gshmemi_win_check_op(const struct gshmemi_win *w, struct gshmemi_win_access to, size_t nelems,
	struct gshmemi_win_update u, const char *call)
{
	if ((GSHMEMI_IS_LIBRARY || gshmemi_is_slow(GSHMEMI_WHY_CHECK)) && !gshmemi_win_has_op(u.op, u.kind))
		return gshmemi_win_bad_argument(u.op, call);
	return gshmemi_win_check(w, to, GSHMEMI_WIN_NBYTES(nelems, u.nbytes), u.nbytes, call);
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

/* Each thread of the scope updates its share of the elements. result NULL: the old values are not wanted. */
GSHMEMI_FN int gshmemi_win_accumulate(int scope, struct gshmemi_win_access to, void *result,
	const void *source, size_t nelems, struct gshmemi_win_update u, const char *call)
{
	const struct gshmemi_win *w;
	struct gshmemi_win_place at;
	struct gshmemi_group group;
	size_t i, most;
	int rc;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_accumulate(to, result, source, nelems, u, call);
	w = gshmemi_win_of(to.win);
	rc = gshmemi_win_check_op(w, to, nelems, u, call);
	if (rc || !gshmemi_group_begin(&group, scope, GSHMEMI_KEY(w, source) + (uint64_t)to.disp))
		return rc;
	if (u.op == GSHMEMX_NO_OP) {
		source = result; /* not read: the caller's may be NULL, which has no elements to point at */
		nelems = result ? nelems : 0;
	}
	at = gshmemi_win_locate(w, to, call);
	at.there = gshmemi_win_there(&at);
	most = gshmemi_win_batch_nelems(&at, u, result != NULL);
	for (i = group.rank * most; i < nelems; i += group.size * most)
		gshmemi_win_elements(w, &at, (ptrdiff_t)(i * u.nbytes), u,
			(const char *)source + i * u.nbytes, result ? (char *)result + i * u.nbytes : NULL,
			nelems - i < most ? nelems - i : most, most);
	gshmemi_group_end(&group);
	return 0;
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
	w = gshmemi_win_of(to.win);
	if (gshmemi_win_check_op(w, to, 1, u, call))
		gshmemi_win_end();
	at = gshmemi_win_locate(w, to, call);
	at.there = gshmemi_win_there(&at);
	gshmemi_win_element(w, &at, 0, u, value, cond, old);
}

#endif /* GSHMEM_WIN_ACCUMULATE_H */
