/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx_win: one-sided windows over memory that the program already has, for the CPU and for kernels.
 * docs/windows.md has a table of all calls, MPI's names for them, and what differs from MPI.
 *
 * Not included by gshmem.h. A window is made of a team's PEs: each opens some memory of its own to the
 * others, who name a place in it by PE and displacement. Operations belong to epochs, which say when they are
 * complete and where.
 *
 *	#include <gshmemx_win.h>
 *
 *	hipMalloc(&buffer, nbytes);
 *	gshmemx_win_create(GSHMEM_TEAM_WORLD, buffer, nbytes, sizeof(double), &win);
 *	gshmemx_win_lock_all(win, 0);
 *	kernel<<<...>>>(win, ...);             in it: gshmemx_win_double_put_wg(win, disp, source, nelems, pe);
 *	gshmemx_win_unlock_all(win);
 *	gshmemx_win_free(&win);
 *
 * What holds for all calls:
 *
 *   PEs       numbers in the window's team.
 *   Scopes    in a kernel a call is made by one thread; its form with _wave by the lanes of a wave that reach
 *             it together, with _wg by all threads of the work-group, in both with equal arguments. From the
 *             host the forms with a suffix are the call without.
 *   Epochs    are the PE's, not a thread's: one caller opens and closes one, on the host or in a kernel;
 *             other threads, kernels and work-groups operate and flush in between, and meet the one that
 *             closes it before. Windows do not exclude the threads of a PE from each other.
 *   Returns   0. The host gets a negative errno for a misuse, after a message, and nothing has been done:
 *             -EPERM the epoch does not allow the call; -ERANGE an operation beyond the target's window;
 *             -EINVAL a bad handle, PE or argument. In a kernel, and where a call returns a value, a misuse
 *             ends the job with a message: of calls that open or close an epoch always, of others with
 *             GSHMEM_CHECK=1.
 *   Memory    on AMD GPUs memory of hipMalloc is coherent at the ends of kernels alone. A window over it has
 *             MPI's separate model: what others put there is seen by kernels that are launched after the
 *             epoch; fence, wait, test, notify_wait and notify_test in a kernel are errors. Memory of
 *             gshmemx_win_allocate, the symmetric heap and host-pinned memory have the unified model, as has
 *             everything on other platforms.
 */
#ifndef GSHMEMX_WIN_H
#define GSHMEMX_WIN_H

#include <gshmem.h>

/* A window: an integer, which kernels get by value. */
typedef int gshmemx_win_t;
#define GSHMEMX_WIN_NULL 0

/* Of an operation with a request; its field is the library's. */
typedef struct gshmemx_win_request {
	int pe;
} gshmemx_win_request_t;

#include <gshmem/api/win_list.h>

/* Types of lock. */
enum {
	GSHMEMX_LOCK_SHARED = 1,
	GSHMEMX_LOCK_EXCLUSIVE
};

/* Assertions of calls that open and close epochs, ORed together; 0: none. A wrong one is undefined. */
/*
 * NOCHECK    of post and start, which both sides pass: start need not wait for a post; of lock: nobody holds,
 * or asks for, a lock that excludes this one NOSTORE    of fence and post: this PE has not written to its
 * window since it was last synchronized NOPUT      of fence and post: nobody puts to this PE's window before
 * its next synchronization NOPRECEDE  of fence, on all PEs: no operation of the PE is to be completed
 * NOSUCCEED  of fence, on all PEs: no operation follows before the next fence
 */
#define GSHMEMX_MODE_NOCHECK   1
#define GSHMEMX_MODE_NOSTORE   2
#define GSHMEMX_MODE_NOPUT     4
#define GSHMEMX_MODE_NOPRECEDE 8
#define GSHMEMX_MODE_NOSUCCEED 16

/* Hints of create_with_hints and the like, ORed together, the same on all PEs. */
#define GSHMEMX_WIN_NO_LOCKS       1L /* lock and lock_all are not called */
#define GSHMEMX_WIN_SAME_DISP_UNIT 2L /* all PEs pass the same disp_unit: -EINVAL where they do not */

/* Operators of accumulate and its like: MPI's, by the types of reductions. Bitwise and logical ones are for integers. */
enum {
	GSHMEMX_AND,
	GSHMEMX_OR,
	GSHMEMX_XOR,
	GSHMEMX_MAX, /* not of complex types, as MIN */
	GSHMEMX_MIN,
	GSHMEMX_SUM,
	GSHMEMX_PROD,
	GSHMEMX_LAND,
	GSHMEMX_LOR,
	GSHMEMX_LXOR,
	GSHMEMX_REPLACE,
	GSHMEMX_NO_OP
};

/* Counters of notified operations that a PE has in each window: 0 .. NOTIFICATIONS - 1, all 0 at first. */
#define GSHMEMX_WIN_NOTIFICATIONS 32

#include <gshmem/win/host.h>

GSHMEMI_BEGIN_C

/* ---- windows -------------------------------------------------------------------------------------------------- */

/*
 * gshmemx_win_create    - open memory of this PE to the PEs of a team.
 * gshmemx_win_allocate  - allocate memory for a window, and open it. On GPUs it is fine-grained: kernels see
 * what is put there. ..._with_hints        - the same, with GSHMEMX_WIN_* hints.
 *
 * team       of which all PEs call
 * base       memory of this PE: of hipMalloc, or inside of such; host-pinned; the symmetric heap; on the cpu
 *            platform any. Windows may overlap. NULL is allowed with 0 bytes. It stays the program's, and
 *            stays allocated until the window is freed.
 * nbytes     of it; may differ between PEs; 0 is allowed
 * disp_unit  bytes of a displacement of 1, at least 1; may differ between PEs
 * hints      GSHMEMX_WIN_*
 * base_p     gets the address of the memory, aligned to 128 bytes and not initialized; NULL with 0 bytes
 * win_p      gets the window, whose handle may differ between PEs
 *
 * Memory that other processes cannot map (host-pinned memory of a GPU's job, memory of malloc on the cpu
 * platform) is reached through its PE, over MPI. On GPUs that takes a job with GSHMEM_NET=1, or over several
 * nodes. Managed memory, and virtual memory of hipMemCreate, is refused.
 *
 * Callable  host, collective over the team; no kernel may be in a collective call of it.
 * Returns   0 when every PE may operate on the window; else on all PEs the same negative errno, after a
 *           message: -EINVAL memory that is none, a bad disp_unit or hints, -ENOTSUP memory of a kind that is
 *           refused, -ENOSPC too many windows (GSHMEM_WINDOWS).
 */
GSHMEM_HOST_API int gshmemx_win_create(gshmem_team_t team, void *base, size_t nbytes, size_t disp_unit, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_create_with_hints(gshmem_team_t team, void *base, size_t nbytes, size_t disp_unit, long hints,
						  gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_allocate(gshmem_team_t team, size_t nbytes, size_t disp_unit, void **base_p, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_allocate_with_hints(gshmem_team_t team, size_t nbytes, size_t disp_unit, long hints, void **base_p,
						    gshmemx_win_t *win_p);

/*
 * gshmemx_win_create_dynamic  - a window in which a displacement is an address of the target, in bytes.
 * gshmemx_win_attach          - open nbytes of this PE's memory from base on, of any kind, in such a window.
 * gshmemx_win_detach          - close what begins at base again; nobody may be operating on it.
 *
 * The PEs tell each other their addresses by other means. Operations on other PEs are performed by these,
 * over MPI, as with memory that cannot be mapped (above). An operation on memory that is not attached ends
 * the job with a message, of the own PE -ERANGE on the host.
 *
 * Callable  host; create_dynamic is collective over the team, attach and detach are local.
 * Returns   0 or a negative errno after a message: create_dynamic as create. attach: -EINVAL memory that is
 *           attached already, or none, or a window that is not dynamic. detach: -ENOENT nothing that is
 *           attached begins there.
 */
GSHMEM_HOST_API int gshmemx_win_create_dynamic(gshmem_team_t team, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_create_dynamic_with_hints(gshmem_team_t team, long hints, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_attach(gshmemx_win_t win, void *base, size_t nbytes);
GSHMEM_HOST_API int gshmemx_win_detach(gshmemx_win_t win, const void *base);

/*
 * gshmemx_win_free - close a window, when all its PEs have called this; memory of gshmemx_win_allocate is
 * freed.
 *
 * win_p  becomes GSHMEMX_WIN_NULL
 *
 * The team may have been destroyed before. gshmem_finalize closes the windows that are left.
 *
 * Callable  host, collective over the window's PEs, when no kernel uses the window any more.
 * Returns   0; -EBUSY on all PEs, after a message, when one of them has an epoch open (but for one that
 *           gshmemx_win_fence has opened and in which nothing was done): nothing is closed then. -EFAULT on
 *           all PEs, after a message, when memory of hipMalloc was freed under the window, which is closed.
 *           -EINVAL at once for a bad handle.
 */
GSHMEM_HOST_API int gshmemx_win_free(gshmemx_win_t *win_p);

/*
 * gshmemx_win_ptr        - where the window's memory on pe is in this process, for loads and stores; NULL: it
 *                        is not mapped
 * gshmemx_win_nbytes     - its size in bytes
 * gshmemx_win_disp_unit  - its unit in bytes
 *
 * Accesses through ptr are not the library's, as with gshmem_ptr.
 *
 * Callable  host.
 * Errors    a bad handle or pe ends the job with a message.
 */
GSHMEM_HOST_API void *gshmemx_win_ptr(gshmemx_win_t win, int pe);
GSHMEM_HOST_API size_t gshmemx_win_nbytes(gshmemx_win_t win, int pe);
GSHMEM_HOST_API size_t gshmemx_win_disp_unit(gshmemx_win_t win, int pe);

/*
 * gshmemx_win_peer_bases - where the window's memory of each PE is in this process: gshmemx_win_ptr of all PEs, for
 * kernels that access it by loads and stores of their own.
 *
 * bases  receives an address for each PE of the window; any memory of the host or of a GPU that HIP can copy to.
 *        bases[pe] is NULL where gshmemx_win_ptr is: the memory is not mapped here, or has 0 bytes; and of a dynamic
 *        window everywhere.
 *
 * The addresses are valid until the window is freed.
 *
 * Callable  host.
 * Returns   0 when the addresses are in bases; or a negative errno after a message: -EINVAL for NULL or a bad
 *           handle; -EIO when HIP cannot copy to bases.
 */
GSHMEM_HOST_API int gshmemx_win_peer_bases(gshmemx_win_t win, void **bases);

/* ---- epochs, notifications and operations --------------------------------------------------------------------- */

/*
 * Epochs of all PEs: gshmemx_win_fence(win, assertion)
 *
 *   A barrier of the window's PEs that completes their operations, and lets them begin others. assertion:
 *   GSHMEMX_MODE_*. With both NOPRECEDE and NOSUCCEED it does not wait. After a fence with NOSUCCEED no epoch
 *   is open.
 *
 * Epochs of some: _post(win, npes, pes, assertion), _start(win, npes, pes, assertion), _complete(win),
 * _wait(win), _test(win, flag_p)
 *
 *   post opens this PE's window to a group of PEs: npes of them, pes, each once, who all call start with this
 *   PE in their groups. start begins operations on a group, and waits for its posts. complete ends them: they
 *   are complete at this PE, and at the targets when their wait returns. wait returns when all of post's
 *   group have called complete; test sets *flag_p to 1, and is wait, if they have, else to 0. A PE may be
 *   between start and complete and between post and wait at once. pes may lie anywhere that the caller can
 *   read.
 *
 * Epochs that the target takes no part in: _lock(win, type, pe, assertion), _unlock(win, pe), _lock_all(win,
 * assertion), _unlock_all(win)
 *
 *   type is GSHMEMX_LOCK_SHARED or GSHMEMX_LOCK_EXCLUSIVE. Locks of a PE are granted in the order in which
 *   they were asked for, shared ones that follow each other together. lock_all is a shared lock on each PE,
 *   which takes as many round trips as there are PEs; both are none with GSHMEMX_MODE_NOCHECK. unlock
 *   completes the caller's operations on the PE. Several lanes of a wave must not lock one PE each for
 *   themselves. Windows over more than 32767 PEs have no locks.
 *
 * Within any epoch that allows operations: _flush(win, pe), _flush_all(win), _flush_local(win, pe),
 * _flush_local_all(win), _sync(win)
 *
 *   flush: the caller's operations on the PE are complete, here and there. flush_local: here: a source may be
 *   written again, a dest read. sync: what others have put is seen by what this thread reads next, and what
 *   it has written by others; in any state.
 *
 * Put and get: _TYPENAME_put(win, disp, source, nelems, pe), _TYPENAME_get(win, dest, disp, nelems, pe),
 * _putmem, _getmem (nelems in bytes), and at strides of elements _TYPENAME_iput(win, disp, source, dst, sst,
 * nelems, pe), _iget(win, dest, disp, dst, sst, nelems, pe)
 *
 *   disp     in units of the target, from its window's beginning on; the element there is aligned for TYPE
 *   source, dest   any memory that the caller can read or write; not to be touched before a flush or the
 *                  epoch's end
 *   Order    none between two operations. Overlapping puts in one epoch leave either's bytes.
 *
 * Accumulate: _TYPENAME_accumulate(win, disp, source, nelems, op, pe), _get_accumulate(win, dest, disp,
 * source, nelems, op, pe), which brings the values that were there before, _fetch_and_op(win, disp, value,
 * op, pe), _compare_and_swap(win, disp, cond, value, pe)
 *
 *   For each element there := there op source, atomically with respect to these calls on the same window with
 *   the same type, and to nothing else. op is GSHMEMX_SUM and its like. The last two are made by one thread,
 *   return the old value at once, and write value where it is cond, bit by bit. Types are those of
 *   reductions; an element of 16 bytes is updated under a lock of the target's.
 *
 * Requests: _rput, _rget, _raccumulate, _rget_accumulate: as without r, with a last argument
 * gshmemx_win_request_t *request
 *
 *   The request is the calling thread's. When it is waited for, the operation is complete as by flush_local.
 *
 * Notified: _TYPENAME_put_notify(win, disp, source, nelems, notification, pe), _get_notify(win, dest, disp,
 * nelems, notification, pe)
 *
 *   Adds 1 to a counter of the target in this window, behind the bytes that it puts, or when the bytes are
 *   here: the target may then use what it got, or write again what was fetched. A PE waits for its own
 *   counters: _notify_wait(win, notification, value) until one is at least value, _notify_test(win,
 *   notification, value, flag_p) sets *flag_p to 1 if it is, _notify_get(win, notification, value_p) reads
 *   it, _notify_set(win, notification, value) writes it. The waits need no epoch.
 *
 * Callable  host; kernel, one thread; _wave, _wg.
 * Returns   and errors as said at the head of this file.
 */
#define GSHMEMI_W(NAME, PARAMETERS, BODY, ARGS) \
	GSHMEM_API int gshmemx_win_##NAME PARAMETERS; \
	GSHMEM_API int gshmemx_win_##NAME##_wave PARAMETERS; \
	GSHMEM_API int gshmemx_win_##NAME##_wg PARAMETERS;
#define GSHMEMI_WV(NAME, TYPE, KIND) \
	GSHMEM_API TYPE gshmemx_win_##NAME##_fetch_and_op(gshmemx_win_t win, ptrdiff_t disp, TYPE value, int op, int pe); \
	GSHMEM_API TYPE gshmemx_win_##NAME##_compare_and_swap(gshmemx_win_t win, ptrdiff_t disp, TYPE cond, TYPE value, int pe);
GSHMEMI_WIN_CALLS
GSHMEMI_WIN_VALUE_CALLS
#undef GSHMEMI_W
#undef GSHMEMI_WV
#define GSHMEMI_W(NAME, PARAMETERS, BODY, ARGS) \
	GSHMEMI_LONG_DOUBLE_API int gshmemx_win_##NAME PARAMETERS; \
	GSHMEMI_LONG_DOUBLE_API int gshmemx_win_##NAME##_wave PARAMETERS; \
	GSHMEMI_LONG_DOUBLE_API int gshmemx_win_##NAME##_wg PARAMETERS;
#define GSHMEMI_WV(NAME, TYPE, KIND) \
	GSHMEMI_LONG_DOUBLE_API TYPE gshmemx_win_##NAME##_fetch_and_op(gshmemx_win_t win, ptrdiff_t disp, TYPE value, int op, int pe); \
	GSHMEMI_LONG_DOUBLE_API TYPE gshmemx_win_##NAME##_compare_and_swap(gshmemx_win_t win, ptrdiff_t disp, TYPE cond, TYPE value, int pe);
GSHMEMI_WIN_LONG_DOUBLE_CALLS
GSHMEMI_WIN_LONG_DOUBLE_VALUE_CALLS
#undef GSHMEMI_W
#undef GSHMEMI_WV

/*
 * gshmemx_win_request_wait      - until the operation is complete here, as by flush_local.
 * gshmemx_win_request_test      - the same, and *flag_p becomes 1: it may take as long as a round trip, and
 *                               waits for no other program.
 * gshmemx_win_request_wait_all  - of nrequests requests.
 *
 * A request that has been waited for may be waited for again.
 *
 * Callable  host; kernel, the thread whose request it is.
 * Returns   0.
 */
GSHMEM_API int gshmemx_win_request_wait(gshmemx_win_request_t *request);
GSHMEM_API int gshmemx_win_request_test(gshmemx_win_request_t *request, int *flag_p);
GSHMEM_API int gshmemx_win_request_wait_all(size_t nrequests, gshmemx_win_request_t *requests);

/* ---- on streams ----------------------------------------------------------------------------------------------- */

/*
 * gshmemx_win_TYPENAME_put_on_stream, _get_on_stream, _putmem_on_stream, _getmem_on_stream,
 * gshmemx_win_flush_on_stream,
 * gshmemx_win_fence_on_stream - as the calls without suffix, made by the stream when it gets there.
 *
 * stream  hipStream_t
 *
 * Whether the epoch allows it is looked at when the call is made, and so does a fence change it: what follows
 * a fence on this stream belongs to the next epoch. All PEs of the window make it on some stream, or by
 * gshmemx_win_fence.
 *
 * Graphs capture these calls, too (gshmemx.h). A fence changes the epoch when it is captured, and no launch of the graph does: capture
 * fences so that the last one leaves the window as it was before the first.
 *
 * Callable  host.
 * Returns   as the calls without suffix, when the operation is queued. It is complete when the stream goes on
 *           behind it: put and get as by flush.
 */
#define GSHMEMI_DECLARE_ON_STREAM(NAME, MEM, T) \
	GSHMEM_HOST_API int gshmemx_win_##NAME##put##MEM##_on_stream(gshmemx_win_t win, ptrdiff_t disp, const T *source, size_t nelems, \
								     int pe, void *stream); \
	GSHMEM_HOST_API int gshmemx_win_##NAME##get##MEM##_on_stream(gshmemx_win_t win, T *dest, ptrdiff_t disp, size_t nelems, int pe, \
								     void *stream);
#define GSHMEMI_DECLARE(NAME, T) GSHMEMI_DECLARE_ON_STREAM(NAME##_, , T)
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
GSHMEMX_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEMI_DECLARE_ON_STREAM(, mem, void)
#undef GSHMEMI_DECLARE_ON_STREAM
GSHMEM_HOST_API int gshmemx_win_flush_on_stream(gshmemx_win_t win, int pe, void *stream);
GSHMEM_HOST_API int gshmemx_win_fence_on_stream(gshmemx_win_t win, int assertion, void *stream);

GSHMEMI_END_C

#if GSHMEMI_KERNELS
GSHMEMI_ARCH_QUIET_BEGIN
#include <gshmem/win/calls.h>
GSHMEMI_ARCH_QUIET_END
#endif

#endif /* GSHMEMX_WIN_H */
