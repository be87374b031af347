/* SPDX-License-Identifier: BSD-3-Clause */
/* The API of windows, stamped from win_list.h: inline functions of HIP units, and the library's functions. */
#ifndef GSHMEM_WIN_CALLS_H
#define GSHMEM_WIN_CALLS_H

#include <gshmem/api/win_list.h>
#include <gshmem/win/accumulate.h>
#include <gshmem/win/notify.h>

/* ---- requests: operations whose local completion can be waited for by itself ---- */

/* Values of gshmemx_win_request_t.pe: a PE of the world, or one of these. */
#define GSHMEMI_WIN_REQUEST_OVER (-1)
#define GSHMEMI_WIN_REQUEST_ANY  (-2) /* the host does not know which */
#define GSHMEMI_WIN_REQUEST_NONE (-3) /* it has been waited for */

/*
 * A quiet for the PE completes what may be late, and needs nothing of that PE's program. rc: the operation's
 * error, which leaves nothing to complete.
 */
GSHMEMI_FN void gshmemi_win_request_begin(int rc, gshmemx_win_t win, int pe, gshmemx_win_request_t *request)
{
	if (rc || pe == GSHMEMX_PE_NULL)
		request->pe = GSHMEMI_WIN_REQUEST_OVER;
	else if (GSHMEMI_ON_HOST())
		request->pe = GSHMEMI_WIN_REQUEST_ANY;
	else
		request->pe = gshmemi_is_slow(GSHMEMI_WHY_LATE) ? gshmemi_win_of(win)->parts[pe].world_pe
								: GSHMEMI_WIN_REQUEST_OVER;
}

/* A request belongs to one thread, also after a group's call: each thread completes what it has open. */
GSHMEMI_FN void gshmemi_win_request_end(gshmemx_win_request_t *request, const char *call)
{
	const int pe = request->pe;

	if (pe >= 0 || pe == GSHMEMI_WIN_REQUEST_ANY)
		gshmemi_quiet(GSHMEMI_THREAD, 0, pe < 0 ? NULL : &pe, pe >= 0, call);
	request->pe = GSHMEMI_WIN_REQUEST_NONE;
}

GSHMEMI_FN int gshmemi_win_move_request(int scope, int is_get, struct gshmemi_win_access to,
	const void *local, size_t nbytes, unsigned align, gshmemx_win_request_t *request, const char *call)
{
	const int rc = gshmemi_win_move(scope, is_get, to, local, nbytes, align, call);

	gshmemi_win_request_begin(rc, to.win, to.pe, request);
	return rc;
}

GSHMEMI_FN int gshmemi_win_accumulate_request(int scope, struct gshmemi_win_access to, void *result,
	const void *source, size_t nelems, struct gshmemi_win_update u, gshmemx_win_request_t *request,
	const char *call)
{
	const int rc = gshmemi_win_accumulate(scope, to, result, source, nelems, u, call);

	gshmemi_win_request_begin(rc, to.win, to.pe, request);
	return rc;
}

/* ---- the API ---- */

/* In the library one body serves all scopes, which are one CPU thread there. */
#ifdef GSHMEMI_LIBRARY
GSHMEMI_FN int gshmemi_host_win_move_request(int is_get, struct gshmemi_win_access to, const void *local,
	size_t nbytes, unsigned align, gshmemx_win_request_t *request, const char *call)
{
	const int rc = gshmemi_host_win_move(is_get, to, local, nbytes, align, call);

	gshmemi_win_request_begin(rc, to.win, to.pe, request);
	return rc;
}

GSHMEMI_FN int gshmemi_host_win_accumulate_request(struct gshmemi_win_access to, void *result,
	const void *source, size_t nelems, struct gshmemi_win_update u, gshmemx_win_request_t *request,
	const char *call)
{
	const int rc = gshmemi_host_win_accumulate(to, result, source, nelems, u, call);

	gshmemi_win_request_begin(rc, to.win, to.pe, request);
	return rc;
}

GSHMEMI_FN int gshmemi_host_win_epoch_call(int what, struct gshmemi_win_args args, const char *call)
{
	if (gshmemi_win_is_flush(what))
		return gshmemi_host_win_flush(what, args.win, args.pe, call);
	return gshmemi_host_win_epoch(what, &args, call);
}

#define GSHMEMI_WIN_RUN(BODY, SCOPE, ...) gshmemi_host_win_##BODY(__VA_ARGS__)
#define GSHMEMI_WIN_FETCH(...)            gshmemi_host_win_fetch(__VA_ARGS__)
#else
#define GSHMEMI_WIN_RUN(BODY, SCOPE, ...) gshmemi_win_##BODY(SCOPE, __VA_ARGS__)
#define GSHMEMI_WIN_FETCH(...)            gshmemi_win_fetch(__VA_ARGS__)
#endif

#define GSHMEMI_WIN_DEFINE(API, NAME, PARAMETERS, BODY, ARGS, SCOPE) \
	API int gshmemx_win_##NAME PARAMETERS \
	{ \
		const char *const call = "gshmemx_win_" #NAME; \
\
		return GSHMEMI_WIN_RUN(BODY, SCOPE, GSHMEMI_UNPACK ARGS); \
	}
#define GSHMEMI_WIN_DEFINE_VALUES(API, NAME, TYPE, KIND) \
	API TYPE gshmemx_win_##NAME##_fetch_and_op( \
		gshmemx_win_t win, ptrdiff_t disp, TYPE value, int op, int pe) \
	{ \
		TYPE old; \
\
		GSHMEMI_WIN_FETCH(gshmemi_win_make_access(win, disp, pe), &old, &value, NULL, \
			gshmemi_win_make_update(op, GSHMEMI_KIND_##KIND, GSHMEMI_SIZEOF(TYPE)), \
			"gshmemx_win_" #NAME "_fetch_and_op"); \
		return old; \
	} \
	API TYPE gshmemx_win_##NAME##_compare_and_swap( \
		gshmemx_win_t win, ptrdiff_t disp, TYPE cond, TYPE value, int pe) \
	{ \
		TYPE old; \
\
		GSHMEMI_WIN_FETCH(gshmemi_win_make_access(win, disp, pe), &old, &value, &cond, \
			gshmemi_win_make_update(GSHMEMX_REPLACE, GSHMEMI_KIND_##KIND, GSHMEMI_SIZEOF(TYPE)), \
			"gshmemx_win_" #NAME "_compare_and_swap"); \
		return old; \
	}

#define GSHMEMI_W(NAME, PARAMETERS, BODY, ARGS) \
	GSHMEMI_WIN_DEFINE(GSHMEM_API, NAME, PARAMETERS, BODY, ARGS, GSHMEMI_THREAD) \
	GSHMEMI_OF_GROUPS(GSHMEMI_WIN_DEFINE(GSHMEM_API, NAME##_wave, PARAMETERS, BODY, ARGS, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS(GSHMEMI_WIN_DEFINE(GSHMEM_API, NAME##_wg, PARAMETERS, BODY, ARGS, GSHMEMI_WG))
#define GSHMEMI_WV(NAME, TYPE, KIND) GSHMEMI_WIN_DEFINE_VALUES(GSHMEM_API, NAME, TYPE, KIND)
GSHMEMI_WIN_CALLS
GSHMEMI_WIN_VALUE_CALLS
#undef GSHMEMI_W
#undef GSHMEMI_WV

#define GSHMEMI_W(NAME, PARAMETERS, BODY, ARGS) \
	GSHMEMI_WIN_DEFINE(GSHMEMI_LONG_DOUBLE_API, NAME, PARAMETERS, BODY, ARGS, GSHMEMI_THREAD) \
	GSHMEMI_OF_GROUPS(GSHMEMI_WIN_DEFINE( \
		GSHMEMI_LONG_DOUBLE_API, NAME##_wave, PARAMETERS, BODY, ARGS, GSHMEMI_WAVE)) \
	GSHMEMI_OF_GROUPS( \
		GSHMEMI_WIN_DEFINE(GSHMEMI_LONG_DOUBLE_API, NAME##_wg, PARAMETERS, BODY, ARGS, GSHMEMI_WG))
#define GSHMEMI_WV(NAME, TYPE, KIND) GSHMEMI_WIN_DEFINE_VALUES(GSHMEMI_LONG_DOUBLE_API, NAME, TYPE, KIND)
GSHMEMI_WIN_LONG_DOUBLE_CALLS
GSHMEMI_WIN_LONG_DOUBLE_VALUE_CALLS
#undef GSHMEMI_W
#undef GSHMEMI_WV

GSHMEM_API int gshmemx_win_request_wait(gshmemx_win_request_t *request)
{
	gshmemi_win_request_end(request, "gshmemx_win_request_wait");
	return 0;
}

GSHMEM_API int gshmemx_win_request_test(gshmemx_win_request_t *request, int *flag_p)
{
	gshmemi_win_request_end(request, "gshmemx_win_request_test");
	*flag_p = 1;
	return 0;
}

GSHMEMI_FN void gshmemi_win_requests_end(size_t nrequests, gshmemx_win_request_t *requests, const char *call)
{
	size_t i;

	for (i = 0; i < nrequests; i++)
		gshmemi_win_request_end(&requests[i], call);
}

GSHMEM_API int gshmemx_win_request_wait_all(size_t nrequests, gshmemx_win_request_t *requests)
{
	gshmemi_win_requests_end(nrequests, requests, "gshmemx_win_request_wait_all");
	return 0;
}

GSHMEM_API int gshmemx_win_request_test_all(size_t nrequests, gshmemx_win_request_t *requests, int *flag_p)
{
	gshmemi_win_requests_end(nrequests, requests, "gshmemx_win_request_test_all");
	*flag_p = 1;
	return 0;
}

GSHMEM_API int gshmemx_win_request_wait_any(
	size_t nrequests, gshmemx_win_request_t *requests, size_t *index_p)
{
	size_t i, open = nrequests;

	for (i = 0; i < nrequests && requests[i].pe != GSHMEMI_WIN_REQUEST_OVER; i++)
		if (open == nrequests && requests[i].pe != GSHMEMI_WIN_REQUEST_NONE)
			open = i;
	if (i == nrequests)
		i = open;
	if (i < nrequests)
		gshmemi_win_request_end(&requests[i], "gshmemx_win_request_wait_any");
	*index_p = i < nrequests ? i : SIZE_MAX;
	return 0;
}

/* ---- who is in a window ---- */

/* This PE's number, or the number of PEs. A negative errno after a message; a kernel does not return. */
GSHMEMI_FN int gshmemi_win_who(gshmemx_win_t win, int is_npes, const char *call)
{
	struct gshmemi_win_fault fault = {0, -1, 0, 0, 0, 0};
	const struct gshmemi_win *w;

	if (GSHMEMI_ON_HOST() && !GSHMEMI_IS_LIBRARY)
		return gshmemi_host_win_who(win, is_npes, call);
	w = gshmemi_win_of(win);
	if (gshmemi_win_is_bad(w, win, -1, &fault))
		return gshmemi_win_fail(&fault, call);
	return is_npes ? w->npes : w->my_pe;
}

GSHMEM_API int gshmemx_win_my_pe(gshmemx_win_t win)
{
	return gshmemi_win_who(win, 0, "gshmemx_win_my_pe");
}

GSHMEM_API int gshmemx_win_n_pes(gshmemx_win_t win)
{
	return gshmemi_win_who(win, 1, "gshmemx_win_n_pes");
}

#endif /* GSHMEM_WIN_CALLS_H */
