/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that a HIP unit's calls on windows use on the CPU: defined in src/win/. */
#ifndef GSHMEM_WIN_HOST_H
#define GSHMEM_WIN_HOST_H

#include <gshmem/state/host.h>
#include <gshmem/state/window.h>

/* 1 in the library's own code, which the CPU runs. */
#ifdef GSHMEMI_LIBRARY
#define GSHMEMI_IS_LIBRARY 1
#else
#define GSHMEMI_IS_LIBRARY 0
#endif

/* The calls that open, close and complete epochs. The order is that of the table in tests/win_misuse.c. */
enum gshmemi_win_what {
	GSHMEMI_WIN_DO_FENCE,
	GSHMEMI_WIN_DO_POST,
	GSHMEMI_WIN_DO_START,
	GSHMEMI_WIN_DO_COMPLETE,
	GSHMEMI_WIN_DO_WAIT,
	GSHMEMI_WIN_DO_TEST,
	GSHMEMI_WIN_DO_LOCK,
	GSHMEMI_WIN_DO_UNLOCK,
	GSHMEMI_WIN_DO_LOCK_ALL,
	GSHMEMI_WIN_DO_UNLOCK_ALL,
	GSHMEMI_WIN_DO_FLUSH,
	GSHMEMI_WIN_DO_FLUSH_ALL,
	GSHMEMI_WIN_DO_FLUSH_LOCAL,
	GSHMEMI_WIN_DO_FLUSH_LOCAL_ALL,
	GSHMEMI_WIN_DO_SYNC,
	GSHMEMI_WIN_NCALLS
};

/* The arguments of one of these calls; those that it does not have are 0. */
struct gshmemi_win_args {
	gshmemx_win_t win;
	int type;       /* GSHMEMX_LOCK_* */
	int pe;         /* of the window */
	int npes;       /* of a group */
	const int *pes; /* [npes]: the group */
	int assertion;  /* GSHMEMX_MODE_* */
	int *flag_p;
};

/* What a call works on: elements of a PE's part of a window, from disp on, which counts the part's units. */
struct gshmemi_win_access {
	gshmemx_win_t win;
	int pe; /* of the window */
	ptrdiff_t disp;
};

/* What an accumulate does to each element. */
struct gshmemi_win_update {
	int op;        /* GSHMEMX_SUM and so on */
	uint16_t kind; /* GSHMEMI_KIND_* */
	uint16_t nbytes;
};

GSHMEMI_FN struct gshmemi_win_access gshmemi_win_make_access(gshmemx_win_t win, ptrdiff_t disp, int pe)
{
	const struct gshmemi_win_access to = {win, pe, disp};

	return to;
}

GSHMEMI_FN struct gshmemi_win_update gshmemi_win_make_update(int op, int kind, unsigned nbytes)
{
	const struct gshmemi_win_update u = {op, (uint16_t)kind, (uint16_t)nbytes};

	return u;
}

GSHMEMI_FN struct gshmemi_win_args gshmemi_win_make_args(
	gshmemx_win_t win, int type, int pe, int npes, const int *pes, int assertion, int *flag_p)
{
	const struct gshmemi_win_args args = {win, type, pe, npes, pes, assertion, flag_p};

	return args;
}

GSHMEMI_BEGIN_C

GSHMEMI_HOST_CALL(int, gshmemi_host_win_put,
	(gshmemx_win_t win, ptrdiff_t disp, const void *source, size_t nbytes, unsigned align, int pe,
		const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_win_get,
	(gshmemx_win_t win, void *dest, ptrdiff_t disp, size_t nbytes, unsigned align, int pe,
		const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_win_flush, (int what, gshmemx_win_t win, int pe, const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_win_stride,
	(int is_get, struct gshmemi_win_access to, const void *local, struct gshmemi_blocks b,
		const char *call));
GSHMEMI_HOST_CALL(
	int, gshmemi_host_win_epoch, (int what, const struct gshmemi_win_args *args, const char *call));
/* result NULL: the old values are not wanted. */
GSHMEMI_HOST_CALL(int, gshmemi_host_win_accumulate,
	(struct gshmemi_win_access to, void *result, const void *source, size_t nelems,
		struct gshmemi_win_update u, const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_win_stride_accumulate,
	(struct gshmemi_win_access to, const void *source, struct gshmemi_blocks b,
		struct gshmemi_win_update u, const char *call));
/* op, or, unless cond is NULL, compare and swap. An error ends the job. */
GSHMEMI_HOST_CALL(void, gshmemi_host_win_fetch,
	(struct gshmemi_win_access to, void *old, const void *value, const void *cond,
		struct gshmemi_win_update u, const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_win_move_notify,
	(int is_get, struct gshmemi_win_access to, const void *local, size_t nbytes, unsigned align,
		int notification, const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_win_notification,
	(int what, gshmemx_win_t win, int notification, uint64_t value, uint64_t *value_p, const char *call));
GSHMEMI_HOST_CALL(int, gshmemi_host_win_who, (gshmemx_win_t win, int is_npes, const char *call));

GSHMEMI_END_C

#endif /* GSHMEM_WIN_HOST_H */
