/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of calls on windows that kernels may make. GSHMEMI_W(NAME, PARAMETERS, BODY, ARGS) makes what a
 * header needs for gshmemx_win_NAME and its forms with _wave and _wg, which return an int. BODY is the
 * function behind it, ARGS are its arguments besides the scope; in them, call is the call's name.
 * GSHMEMI_WV(NAME, TYPE, KIND) makes the calls that return a TYPE.
 */
#ifndef GSHMEM_WIN_LIST_H
#define GSHMEM_WIN_LIST_H

#include <gshmem/api/types.h>

/* clang-format 14 takes T *dest in these lists for a product. */
/* clang-format off */

/* Bytes of NELEMS elements; a number that would overflow becomes SIZE_MAX, so that it stays too large. */
#define GSHMEMI_WIN_NBYTES(NELEMS, NBYTES) ((NELEMS) > SIZE_MAX / (NBYTES) ? SIZE_MAX : (NELEMS) * (NBYTES))

/* Arguments of the bodies, from parameters that all calls name alike. */
#define GSHMEMI_WIN_TO              gshmemi_win_make_access(win, disp, pe)
#define GSHMEMI_WIN_UPDATE(T, KIND) gshmemi_win_make_update(op, GSHMEMI_KIND_##KIND, GSHMEMI_SIZEOF(T))
#define GSHMEMI_WIN_BLOCKS(T, BSIZE, NBLOCKS) \
	gshmemi_make_blocks(dst, sst, BSIZE, NBLOCKS, GSHMEMI_SIZEOF(T))
#define GSHMEMI_WIN_EPOCH(WHAT, TYPE, PE, NPES, PES, ASSERTION, FLAG_P) \
	(GSHMEMI_WIN_DO_##WHAT, gshmemi_win_make_args(win, TYPE, PE, NPES, PES, ASSERTION, FLAG_P), call)

/* MEM follows the names of calls that move bytes. */
#define GSHMEMI_WIN_MOVE_CALLS(NAME, MEM, T, NBYTES, ALIGN) \
	GSHMEMI_W(NAME##put##MEM, \
		(gshmemx_win_t win, ptrdiff_t disp, const T *source, size_t nelems, int pe), move, \
		(0, GSHMEMI_WIN_TO, source, GSHMEMI_WIN_NBYTES(nelems, NBYTES), ALIGN, call)) \
	GSHMEMI_W(NAME##get##MEM, (gshmemx_win_t win, T *dest, ptrdiff_t disp, size_t nelems, int pe), \
		move, (1, GSHMEMI_WIN_TO, dest, GSHMEMI_WIN_NBYTES(nelems, NBYTES), ALIGN, call)) \
	GSHMEMI_W(NAME##rput##MEM, \
		(gshmemx_win_t win, ptrdiff_t disp, const T *source, size_t nelems, int pe, \
			gshmemx_win_request_t *request), \
		move_request, \
		(0, GSHMEMI_WIN_TO, source, GSHMEMI_WIN_NBYTES(nelems, NBYTES), ALIGN, request, call)) \
	GSHMEMI_W(NAME##rget##MEM, \
		(gshmemx_win_t win, T *dest, ptrdiff_t disp, size_t nelems, int pe, \
			gshmemx_win_request_t *request), \
		move_request, \
		(1, GSHMEMI_WIN_TO, dest, GSHMEMI_WIN_NBYTES(nelems, NBYTES), ALIGN, request, call)) \
	GSHMEMI_W(NAME##put##MEM##_notify, \
		(gshmemx_win_t win, ptrdiff_t disp, const T *source, size_t nelems, int notification, \
			int pe), \
		move_notify, \
		(0, GSHMEMI_WIN_TO, source, GSHMEMI_WIN_NBYTES(nelems, NBYTES), ALIGN, notification, call)) \
	GSHMEMI_W(NAME##get##MEM##_notify, \
		(gshmemx_win_t win, T *dest, ptrdiff_t disp, size_t nelems, int notification, int pe), \
		move_notify, \
		(1, GSHMEMI_WIN_TO, dest, GSHMEMI_WIN_NBYTES(nelems, NBYTES), ALIGN, notification, call))
#define GSHMEMI_WIN_STRIDE_CALLS(NAME, T) \
	GSHMEMI_W(NAME##_iput, \
		(gshmemx_win_t win, ptrdiff_t disp, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
			size_t nelems, int pe), \
		stride, \
		(0, GSHMEMI_WIN_TO, source, GSHMEMI_WIN_BLOCKS(T, 1, nelems), call)) \
	GSHMEMI_W(NAME##_iget, \
		(gshmemx_win_t win, T *dest, ptrdiff_t disp, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
			int pe), \
		stride, (1, GSHMEMI_WIN_TO, dest, GSHMEMI_WIN_BLOCKS(T, 1, nelems), call)) \
	GSHMEMI_W(NAME##_ibput, \
		(gshmemx_win_t win, ptrdiff_t disp, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
			size_t bsize, size_t nblocks, int pe), \
		stride, \
		(0, GSHMEMI_WIN_TO, source, GSHMEMI_WIN_BLOCKS(T, bsize, nblocks), call)) \
	GSHMEMI_W(NAME##_ibget, \
		(gshmemx_win_t win, T *dest, ptrdiff_t disp, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
			size_t nblocks, int pe), \
		stride, \
		(1, GSHMEMI_WIN_TO, dest, GSHMEMI_WIN_BLOCKS(T, bsize, nblocks), call))
#define GSHMEMI_WIN_UPDATE_CALLS(NAME, T, KIND) \
	GSHMEMI_W(NAME##_accumulate, \
		(gshmemx_win_t win, ptrdiff_t disp, const T *source, size_t nelems, int op, int pe), \
		accumulate, (GSHMEMI_WIN_TO, NULL, source, nelems, GSHMEMI_WIN_UPDATE(T, KIND), call)) \
	GSHMEMI_W(NAME##_get_accumulate, \
		(gshmemx_win_t win, T *dest, ptrdiff_t disp, const T *source, size_t nelems, int op, \
			int pe), \
		accumulate, (GSHMEMI_WIN_TO, dest, source, nelems, GSHMEMI_WIN_UPDATE(T, KIND), call)) \
	GSHMEMI_W(NAME##_iaccumulate, \
		(gshmemx_win_t win, ptrdiff_t disp, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
			size_t nelems, int op, int pe), \
		stride_accumulate, \
		(GSHMEMI_WIN_TO, source, GSHMEMI_WIN_BLOCKS(T, 1, nelems), GSHMEMI_WIN_UPDATE(T, KIND), \
			call)) \
	GSHMEMI_W(NAME##_raccumulate, \
		(gshmemx_win_t win, ptrdiff_t disp, const T *source, size_t nelems, int op, int pe, \
			gshmemx_win_request_t *request), \
		accumulate_request, \
		(GSHMEMI_WIN_TO, NULL, source, nelems, GSHMEMI_WIN_UPDATE(T, KIND), request, call)) \
	GSHMEMI_W(NAME##_rget_accumulate, \
		(gshmemx_win_t win, T *dest, ptrdiff_t disp, const T *source, size_t nelems, int op, \
			int pe, gshmemx_win_request_t *request), \
		accumulate_request, \
		(GSHMEMI_WIN_TO, dest, source, nelems, GSHMEMI_WIN_UPDATE(T, KIND), request, call))

/* Calls without a type. */
#define GSHMEMI_WIN_EPOCH_CALLS \
	GSHMEMI_W(fence, (gshmemx_win_t win, int assertion), epoch_call, \
		GSHMEMI_WIN_EPOCH(FENCE, 0, -1, 0, NULL, assertion, NULL)) \
	GSHMEMI_W(post, (gshmemx_win_t win, int npes, const int *pes, int assertion), epoch_call, \
		GSHMEMI_WIN_EPOCH(POST, 0, -1, npes, pes, assertion, NULL)) \
	GSHMEMI_W(start, (gshmemx_win_t win, int npes, const int *pes, int assertion), epoch_call, \
		GSHMEMI_WIN_EPOCH(START, 0, -1, npes, pes, assertion, NULL)) \
	GSHMEMI_W(complete, (gshmemx_win_t win), epoch_call, \
		GSHMEMI_WIN_EPOCH(COMPLETE, 0, -1, 0, NULL, 0, NULL)) \
	GSHMEMI_W(wait, (gshmemx_win_t win), epoch_call, GSHMEMI_WIN_EPOCH(WAIT, 0, -1, 0, NULL, 0, NULL)) \
	GSHMEMI_W(test, (gshmemx_win_t win, int *flag_p), epoch_call, \
		GSHMEMI_WIN_EPOCH(TEST, 0, -1, 0, NULL, 0, flag_p)) \
	GSHMEMI_W(lock, (gshmemx_win_t win, int type, int pe, int assertion), epoch_call, \
		GSHMEMI_WIN_EPOCH(LOCK, type, pe, 0, NULL, assertion, NULL)) \
	GSHMEMI_W(unlock, (gshmemx_win_t win, int pe), epoch_call, \
		GSHMEMI_WIN_EPOCH(UNLOCK, 0, pe, 0, NULL, 0, NULL)) \
	GSHMEMI_W(lock_all, (gshmemx_win_t win, int assertion), epoch_call, \
		GSHMEMI_WIN_EPOCH(LOCK_ALL, 0, -1, 0, NULL, assertion, NULL)) \
	GSHMEMI_W(unlock_all, (gshmemx_win_t win), epoch_call, \
		GSHMEMI_WIN_EPOCH(UNLOCK_ALL, 0, -1, 0, NULL, 0, NULL)) \
	GSHMEMI_W(flush, (gshmemx_win_t win, int pe), epoch_call, \
		GSHMEMI_WIN_EPOCH(FLUSH, 0, pe, 0, NULL, 0, NULL)) \
	GSHMEMI_W(flush_all, (gshmemx_win_t win), epoch_call, \
		GSHMEMI_WIN_EPOCH(FLUSH_ALL, 0, -1, 0, NULL, 0, NULL)) \
	GSHMEMI_W(flush_local, (gshmemx_win_t win, int pe), epoch_call, \
		GSHMEMI_WIN_EPOCH(FLUSH_LOCAL, 0, pe, 0, NULL, 0, NULL)) \
	GSHMEMI_W(flush_local_all, (gshmemx_win_t win), epoch_call, \
		GSHMEMI_WIN_EPOCH(FLUSH_LOCAL_ALL, 0, -1, 0, NULL, 0, NULL)) \
	GSHMEMI_W(sync, (gshmemx_win_t win), epoch_call, GSHMEMI_WIN_EPOCH(SYNC, 0, -1, 0, NULL, 0, NULL))
#define GSHMEMI_WIN_NOTIFICATION_CALLS \
	GSHMEMI_W(notify_wait, (gshmemx_win_t win, int notification, uint64_t value), notification, \
		(GSHMEMI_WIN_NOTIFY_WAIT, win, notification, value, NULL, call)) \
	GSHMEMI_W(notify_test, (gshmemx_win_t win, int notification, uint64_t value, uint64_t *flag_p), \
		notification, (GSHMEMI_WIN_NOTIFY_TEST, win, notification, value, flag_p, call)) \
	GSHMEMI_W(notify_get, (gshmemx_win_t win, int notification, uint64_t *value_p), notification, \
		(GSHMEMI_WIN_NOTIFY_GET, win, notification, 0, value_p, call)) \
	GSHMEMI_W(notify_set, (gshmemx_win_t win, int notification, uint64_t value), notification, \
		(GSHMEMI_WIN_NOTIFY_SET, win, notification, value, NULL, call))

/* A list within a list can pass no further argument. */
#define GSHMEMI_WIN_MOVE_TYPE(NAME, T) \
	GSHMEMI_WIN_MOVE_CALLS(NAME##_, , T, GSHMEMI_SIZEOF(T), GSHMEMI_ALIGNOF(T)) \
	GSHMEMI_WIN_STRIDE_CALLS(NAME, T)
#define GSHMEMI_WIN_UPDATE_TYPE(NAME, T, KIND) GSHMEMI_WIN_UPDATE_CALLS(NAME, T, KIND)
#define GSHMEMI_WIN_COMPLEX_TYPE(NAME, T, KIND) \
	GSHMEMI_WIN_MOVE_TYPE(NAME, T) \
	GSHMEMI_WIN_UPDATE_CALLS(NAME, T, KIND)
#define GSHMEMI_WIN_VALUE_TYPE(NAME, T, KIND) GSHMEMI_WV(NAME, T, KIND)

#define GSHMEMI_WIN_CALLS \
	GSHMEMI_WIN_EPOCH_CALLS \
	GSHMEMI_WIN_NOTIFICATION_CALLS \
	GSHMEMI_WIN_MOVE_CALLS(, mem, void, 1, 1) \
	GSHMEM_RMA_TYPES(GSHMEMI_WIN_MOVE_TYPE) \
	GSHMEMX_RMA_TYPES(GSHMEMI_WIN_MOVE_TYPE) \
	GSHMEM_COMPLEX_REDUCE_TYPES(GSHMEMI_WIN_COMPLEX_TYPE) \
	GSHMEM_ORDERED_REDUCE_TYPES(GSHMEMI_WIN_UPDATE_TYPE) \
	GSHMEMX_REDUCE_TYPES(GSHMEMI_WIN_UPDATE_TYPE) \
	GSHMEMX_PAIR_TYPES(GSHMEMI_WIN_UPDATE_TYPE)
#define GSHMEMI_WIN_VALUE_CALLS \
	GSHMEM_ORDERED_REDUCE_TYPES(GSHMEMI_WIN_VALUE_TYPE) \
	GSHMEM_COMPLEX_REDUCE_TYPES(GSHMEMI_WIN_VALUE_TYPE) \
	GSHMEMX_REDUCE_TYPES(GSHMEMI_WIN_VALUE_TYPE) \
	GSHMEMX_PAIR_TYPES(GSHMEMI_WIN_VALUE_TYPE)
/* long double is apart: where kernels have none, only the host makes these calls. */
#define GSHMEMI_WIN_LONG_DOUBLE_CALLS       GSHMEM_LONG_DOUBLE_REDUCE_TYPES(GSHMEMI_WIN_UPDATE_TYPE)
#define GSHMEMI_WIN_LONG_DOUBLE_VALUE_CALLS GSHMEM_LONG_DOUBLE_REDUCE_TYPES(GSHMEMI_WIN_VALUE_TYPE)
/* clang-format on */

#endif /* GSHMEM_WIN_LIST_H */
