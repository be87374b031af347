/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx_win: one-sided windows over memory that the program already has, for the CPU and for kernels.
 * docs/windows.md has a table of all calls, MPI's names for them, and what differs from MPI. gshmem.h does
 * not include this header.
 *
 * A window belongs to the PEs of a team. Each opens some memory of its own to the others, who name a place in
 * it by PE and displacement. Operations belong to epochs, which say when and where they are complete.
 *
 *	#include <gshmemx_win.h>
 *
 *	hipMalloc(&buffer, nbytes);
 *	gshmemx_win_create(GSHMEM_TEAM_WORLD, buffer, nbytes, sizeof(double), &win);
 *	gshmemx_win_lock_all(win, 0);
 *	kernel<<<...>>>(win, ...);             in it: gshmemx_win_double_put_wg(win, ...);
 *	gshmemx_win_unlock_all(win);
 *	gshmemx_win_free(&win);
 *
 * What holds for all calls:
 *
 *   PEs       numbers in the window's team.
 *   Callable  host; kernel: one thread by the name below, with _wave the lanes of a wave that reach the call
 *             together, with _wg all threads of the work-group. In a group all pass equal arguments. On the
 *             host the forms with a suffix are the call without it. Pages say where a call is for the host
 *             alone.
 *   Epochs    are a PE's, not a thread's. One caller opens an epoch and one closes it, on the host or in a
 *             kernel. In between any thread, kernel and work-group of the PE may operate and flush; they
 *             flush, and meet the caller that closes the epoch, before it does. Windows do not exclude the
 *             threads of a PE from each other.
 *   Returns   0, or a negative errno: then the call has done nothing.
 *   Errors    of a misuse on the host, after a message: -EPERM if the epoch does not allow the call, -ERANGE
 *             for an operation beyond the target's window, -EINVAL for a bad handle, PE or argument. A misuse
 *             in a kernel, or of a call that returns a value, ends the job with a message: calls that open or
 *             close an epoch always find it, others in a kernel with GSHMEM_CHECK=1.
 *   Memory    on AMD GPUs memory of hipMalloc and hipMemCreate is coherent only at the ends of kernels. A
 *             window over it has MPI's separate model: kernels that are launched after the epoch see what
 *             others put there, and fence, wait, test, notify_wait and notify_test in a kernel are errors.
 *             Memory of gshmemx_win_allocate, the symmetric heap (unless it is coarse) and host-pinned memory
 *             have the unified model, as has all memory on other platforms.
 */
#ifndef GSHMEMX_WIN_H
#define GSHMEMX_WIN_H

#include <gshmem.h>

GSHMEMI_QUIET_BEGIN

/* A window's handle: an integer, which kernels take by value. */
typedef int gshmemx_win_t;
#define GSHMEMX_WIN_NULL 0

/* One operation that may be waited for by itself. Its field is the library's. */
typedef struct gshmemx_win_request {
	int pe;
} gshmemx_win_request_t;

#include <gshmem/api/win_list.h>

/*
 * Stands for a PE that does not exist, as beyond a border: an operation on it, and a lock, unlock or flush of
 * it, does nothing and returns 0. Old values are 0, and dest stays as it is.
 */
#define GSHMEMX_PE_NULL (-2)

/* What gshmemx_win_model returns: MPI's unified and separate model. */
enum { GSHMEMX_WIN_UNIFIED, GSHMEMX_WIN_SEPARATE };

/* Types of lock. */
enum { GSHMEMX_LOCK_SHARED = 1, GSHMEMX_LOCK_EXCLUSIVE };

/*
 * Assertions of calls that open and close epochs, ORed together; 0: none. A false one is undefined behaviour.
 *
 * NOCHECK    post and start, if both sides pass it: start need not wait for a post.
 *            lock: nobody holds, or asks for, a lock that excludes this one
 * NOSTORE    fence and post: this PE has not written to its window since the last synchronization
 * NOPUT      fence and post: nobody puts to this PE's window before its next synchronization
 * NOPRECEDE  fence, on all PEs: no operation of the PE is to be completed
 * NOSUCCEED  fence, on all PEs: no operation follows before the next fence
 */
#define GSHMEMX_MODE_NOCHECK   1
#define GSHMEMX_MODE_NOSTORE   2
#define GSHMEMX_MODE_NOPUT     4
#define GSHMEMX_MODE_NOPRECEDE 8
#define GSHMEMX_MODE_NOSUCCEED 16

/* Hints of create_with_hints and so on, ORed together, the same on all PEs. */
#define GSHMEMX_WIN_NO_LOCKS       1L /* nobody calls lock or lock_all */
#define GSHMEMX_WIN_SAME_DISP_UNIT 2L /* all PEs pass the same disp_unit: else -EINVAL */

/* A value and its place, as MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT and MPI_2INT. */
typedef struct gshmemx_float_int {
	float value;
	int index;
} gshmemx_float_int_t;
typedef struct gshmemx_double_int {
	double value;
	int index;
} gshmemx_double_int_t;
typedef struct gshmemx_long_int {
	long value;
	int index;
} gshmemx_long_int_t;
typedef struct gshmemx_int_int {
	int value;
	int index;
} gshmemx_int_int_t;

/*
 * Operators of accumulate and so on: those of MPI, for the types of reductions. Bitwise and logical ones
 * are for integers. Pairs have MINLOC, MAXLOC, REPLACE and NO_OP alone.
 */
enum {
	GSHMEMX_AND,
	GSHMEMX_OR,
	GSHMEMX_XOR,
	GSHMEMX_MAX, /* MAX and MIN are not for complex types */
	GSHMEMX_MIN,
	GSHMEMX_SUM,
	GSHMEMX_PROD,
	GSHMEMX_LAND,
	GSHMEMX_LOR,
	GSHMEMX_LXOR,
	GSHMEMX_REPLACE,
	GSHMEMX_NO_OP,
	GSHMEMX_MINLOC, /* the pair with the least value; of equal ones, that with the lower index */
	GSHMEMX_MAXLOC
};

/* Counters of notified operations of each PE in each window: numbered from 0, all 0 at first. */
#define GSHMEMX_WIN_NOTIFICATIONS 32

#include <gshmem/win/host.h>

GSHMEMI_BEGIN_C

/* ---- windows ------------------------------------------------------------------------------------------- */

/* Calls that make, free and describe windows. They are for the host alone. */

/*
 * gshmemx_win_create, gshmemx_win_create_with_hints     - open memory of this PE to the PEs of a team.
 * gshmemx_win_allocate, gshmemx_win_allocate_with_hints - allocate memory for a window, and open it.
 *
 * team       the team, of which all PEs call
 * base       memory of this PE, or a place inside of it: of hipMalloc; of hipMemCreate, in one mapping or in
 *            several side by side; host-pinned; the symmetric heap; on the cpu platform any, also memory of
 *            another PE that is mapped here. Windows may overlap. NULL is allowed with 0 bytes. The memory
 *            stays the program's, and stays allocated and mapped until the window is freed
 * nbytes     its size; may differ between PEs; 0 is allowed
 * disp_unit  bytes per displacement, at least 1; may differ between PEs
 * hints      GSHMEMX_WIN_*
 * base_p     receives the address of the memory, aligned to 128 bytes and not initialized; NULL with 0 bytes.
 *            On GPUs it is fine-grained: a running kernel sees what others put there
 * win_p      receives the window; its handle may differ between PEs
 *
 * Memory that other processes cannot map (host-pinned memory of a GPU's job, memory of malloc on the cpu
 * platform) is reached through its PE, over MPI. On GPUs the job must be started with GSHMEM_NET=1, or
 * span several nodes.
 *
 * Callable  host, collective over the team; no kernel may be in a collective call of it.
 * Returns   0 when every PE may operate on the window, or the same negative errno on all PEs.
 * Errors    after a message: -EINVAL for memory that is none, a bad disp_unit, bad hints, and calls or hints
 *           that differ between PEs; -ENOTSUP for memory that other processes cannot have, which is managed
 *           memory, on GPUs memory of another process, and memory of hipMemCreate whose requestedHandleType
 *           is not hipMemHandleTypePosixFileDescriptor, and for a team without some PE of a device in a job
 *           whose PEs are not all mapped; -ENOSPC for too many windows (GSHMEM_WINDOWS).
 */
GSHMEM_HOST_API int gshmemx_win_create(
	gshmem_team_t team, void *base, size_t nbytes, size_t disp_unit, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_create_with_hints(
	gshmem_team_t team, void *base, size_t nbytes, size_t disp_unit, long hints, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_allocate(
	gshmem_team_t team, size_t nbytes, size_t disp_unit, void **base_p, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_allocate_with_hints(
	gshmem_team_t team, size_t nbytes, size_t disp_unit, long hints, void **base_p, gshmemx_win_t *win_p);

/*
 * gshmemx_win_create_dynamic, gshmemx_win_create_dynamic_with_hints - make a window without memory.
 * gshmemx_win_attach  - open nbytes of this PE's memory at base, of any kind, in such a window.
 * gshmemx_win_detach  - close the piece that begins at base. Nobody may be operating on it.
 *
 * PEs attach memory to the window. A displacement in it is an address of the target, in bytes. PEs tell each
 * other their addresses by other means. The target performs the operations of other PEs, over MPI, as with
 * memory that cannot be mapped (above).
 *
 * Callable  host; create_dynamic collective over the team.
 * Returns   0, or a negative errno after a message.
 * Errors    create_dynamic: as create. attach: -EINVAL for memory that is none or attached already, and for a
 *           window that is not dynamic. detach: -ENOENT if nothing that is attached begins there. An
 *           operation on memory of another PE that is not attached ends the job, with a message of the PE
 *           that made it, which names the call if it was one of the host's last; of the own PE it is -ERANGE
 *           on the host.
 */
GSHMEM_HOST_API int gshmemx_win_create_dynamic(gshmem_team_t team, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_create_dynamic_with_hints(
	gshmem_team_t team, long hints, gshmemx_win_t *win_p);
GSHMEM_HOST_API int gshmemx_win_attach(gshmemx_win_t win, void *base, size_t nbytes);
GSHMEM_HOST_API int gshmemx_win_detach(gshmemx_win_t win, const void *base);

/*
 * gshmemx_win_from_mpi_handle - gshmemx_win_from_mpi (gshmemx_mpi.h) for code that is compiled without mpi.h,
 * and for other languages.
 *
 * mpi_win  the address of an MPI_Win
 * nbytes   the size of an MPI_Win
 * abi      GSHMEMX_MPI_ of the MPI that made it
 *
 * Callable, Returns, Order  as gshmemx_win_from_mpi.
 * Errors    those, and -EINVAL after a message if the MPI of the process is of another kind.
 */
GSHMEM_HOST_API int gshmemx_win_from_mpi_handle(
	const void *mpi_win, size_t nbytes, int abi, gshmemx_win_t *win_p);

/*
 * gshmemx_win_free - close a window; memory of gshmemx_win_allocate is freed.
 *
 * win_p  becomes GSHMEMX_WIN_NULL
 *
 * The team may have been destroyed before. gshmem_finalize closes the windows that are left.
 *
 * Callable  host, collective over the window's PEs, when no kernel uses the window any more.
 * Returns   0 when all its PEs have called, or a negative errno.
 * Errors    on all PEs, after a message: -EBUSY if a PE has an epoch open (other than one that
 *           gshmemx_win_fence opened and in which nothing was done), and the window stays; -EFAULT if memory
 *           of hipMalloc was freed, or memory of hipMemCreate unmapped, under the window, which is closed.
 *           -EINVAL at once for a bad handle.
 */
GSHMEM_HOST_API int gshmemx_win_free(gshmemx_win_t *win_p);

/*
 * gshmemx_win_ptr        - where the window's memory on pe is in this process, for loads and stores.
 * gshmemx_win_nbytes     - its size in bytes; 0 for a dynamic window.
 * gshmemx_win_disp_unit  - its bytes per displacement.
 * gshmemx_win_my_pe      - this PE's number in the window.
 * gshmemx_win_n_pes      - the number of the window's PEs.
 * gshmemx_win_team       - the team that the window was made over.
 * gshmemx_win_model      - how running kernels see what peers put: GSHMEMX_WIN_UNIFIED, at any time after the
 *                          synchronization; GSHMEMX_WIN_SEPARATE, not before a kernel that is launched later.
 *
 * Callable  host; my_pe and n_pes also kernel, any thread.
 * Returns   ptr: NULL if the memory is not mapped here or has 0 bytes, and for a dynamic window. team:
 *           GSHMEM_TEAM_INVALID if the team has been destroyed, and for a window of gshmemx_win_from_mpi.
 * Order     loads and stores through ptr are the program's own, as with gshmem_ptr.
 * Errors    ptr, nbytes, disp_unit: a bad handle or pe is a message and the end of the job. my_pe, n_pes,
 *           model: -EINVAL for a bad handle, after a message; in a kernel the end of the job. team:
 *           GSHMEM_TEAM_INVALID.
 */
GSHMEM_HOST_API void *gshmemx_win_ptr(gshmemx_win_t win, int pe);
GSHMEM_HOST_API size_t gshmemx_win_nbytes(gshmemx_win_t win, int pe);
GSHMEM_HOST_API size_t gshmemx_win_disp_unit(gshmemx_win_t win, int pe);
GSHMEM_HOST_API gshmem_team_t gshmemx_win_team(gshmemx_win_t win);
GSHMEM_HOST_API int gshmemx_win_model(gshmemx_win_t win);
GSHMEM_API int gshmemx_win_my_pe(gshmemx_win_t win);
GSHMEM_API int gshmemx_win_n_pes(gshmemx_win_t win);

/*
 * gshmemx_win_peer_bases - gshmemx_win_ptr of all PEs, for loads and stores of kernels.
 *
 * bases  receives an address for each PE of the window; any memory of the host or of a GPU that HIP can copy
 *        to
 *
 * The addresses are valid until the window is freed.
 *
 * Callable  host.
 * Returns   0 when the addresses are in bases, or a negative errno after a message.
 * Errors    -EINVAL for NULL or a bad handle; -EIO when HIP cannot copy to bases.
 */
GSHMEM_HOST_API int gshmemx_win_peer_bases(gshmemx_win_t win, void **bases);

/* ---- epochs, notifications and operations -------------------------------------------------------------- */

/*
 * An epoch opens the windows of some PEs to the operations of others. PEs open and close them together
 * (fence), in groups (post, start, complete, wait), or without the target's part (lock). An operation is
 * allowed while an epoch of the PE has the target open. What closes an epoch completes the operations of its
 * caller: of the thread, or of all threads of the group; on the host also those of kernels that have ended.
 *
 * docs/windows.md has a table of which call is allowed in which epoch.
 */

/*
 * Epochs of all PEs:
 *
 * int gshmemx_win_fence(gshmemx_win_t win, int assertion)
 *	a barrier of the window's PEs that completes their operations and lets them begin others. assertion:
 *	GSHMEMX_MODE_*. With both NOPRECEDE and NOSUCCEED it does not wait. After NOSUCCEED no epoch is open
 *
 * Epochs of groups. pes has npes PEs, each once, anywhere that the caller can read. A PE may be between start
 * and complete and between post and wait at the same time:
 *
 * int gshmemx_win_post(gshmemx_win_t win, int npes, const int *pes, int assertion)
 *	opens this PE's window to a group, all of whose PEs call start with this PE in their groups
 * int gshmemx_win_start(gshmemx_win_t win, int npes, const int *pes, int assertion)
 *	waits for the posts of a group, and begins operations on it
 * int gshmemx_win_complete(gshmemx_win_t win)
 *	ends them: they are complete at this PE, and at each target when its wait returns
 * int gshmemx_win_wait(gshmemx_win_t win)
 *	waits until all of post's group have called complete
 * int gshmemx_win_test(gshmemx_win_t win, int *flag_p)
 *	if they have, acts as wait and sets *flag_p to 1; else sets it to 0
 *
 * Epochs without the target's part. type is GSHMEMX_LOCK_SHARED or GSHMEMX_LOCK_EXCLUSIVE. A PE grants locks
 * in the order of the requests, shared ones that follow each other together. With GSHMEMX_MODE_NOCHECK no
 * lock is taken. Several lanes of a wave must not each lock a PE for itself. Windows of more than 32767 PEs
 * have no locks:
 *
 * int gshmemx_win_lock(gshmemx_win_t win, int type, int pe, int assertion)
 *	waits for the lock of a PE
 * int gshmemx_win_unlock(gshmemx_win_t win, int pe)
 *	completes the caller's operations on the PE, and gives the lock back
 * int gshmemx_win_lock_all(gshmemx_win_t win, int assertion)
 *	waits for a shared lock of each PE, which takes as many round trips as there are PEs
 * int gshmemx_win_unlock_all(gshmemx_win_t win)
 *	completes the caller's operations, and gives the locks back
 *
 * Within any epoch that allows operations:
 *
 * int gshmemx_win_flush(gshmemx_win_t win, int pe)
 * int gshmemx_win_flush_all(gshmemx_win_t win)
 *	the caller's operations on the PE, or on all, are complete: here and there
 * int gshmemx_win_flush_local(gshmemx_win_t win, int pe)
 * int gshmemx_win_flush_local_all(gshmemx_win_t win)
 *	they are complete here: a source may be written again, a dest may be read
 * int gshmemx_win_sync(gshmemx_win_t win)
 *	what others have put is seen by what this thread reads next, and what this thread has written by
 *	others. It needs no epoch
 *
 * Put and get. disp is a displacement in the target's window, in the target's bytes per displacement, at
 * which TYPE is aligned. source and dest are any memory that the caller can read or write; they may not be
 * touched before a flush or the epoch's end:
 *
 * int gshmemx_win_TYPENAME_put(gshmemx_win_t win, ptrdiff_t disp, const TYPE *source, size_t nelems, int pe)
 * int gshmemx_win_TYPENAME_get(gshmemx_win_t win, TYPE *dest, ptrdiff_t disp, size_t nelems, int pe)
 *	copy to and from the target's window. gshmemx_win_putmem and gshmemx_win_getmem count bytes
 * int gshmemx_win_TYPENAME_iput(gshmemx_win_t win, ptrdiff_t disp, const TYPE *source, ptrdiff_t dst,
 *				 ptrdiff_t sst, size_t nelems, int pe)
 * int gshmemx_win_TYPENAME_iget(gshmemx_win_t win, TYPE *dest, ptrdiff_t disp, ptrdiff_t dst, ptrdiff_t sst,
 *				 size_t nelems, int pe)
 *	the same at strides, in elements: dst in the memory that is written, sst in the memory that is read
 * int gshmemx_win_TYPENAME_ibput(gshmemx_win_t win, ptrdiff_t disp, const TYPE *source, ptrdiff_t dst,
 *				  ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)
 * int gshmemx_win_TYPENAME_ibget(gshmemx_win_t win, TYPE *dest, ptrdiff_t disp, ptrdiff_t dst, ptrdiff_t sst,
 *				  size_t bsize, size_t nblocks, int pe)
 *	nblocks blocks of bsize elements at these strides, which are at least bsize
 *
 * Accumulate. Each element becomes (element op source), atomically with respect to these calls with the same
 * type on the same window, and to nothing else. Those of one caller (a thread, or a group by calls of the
 * same form) to one element happen in the order of its calls. op is GSHMEMX_SUM or another operator; the
 * types are those of reductions, and float_int, double_int, long_int and int_int. An element lies at a
 * multiple of its size, or of 8. GSHMEMX_NO_OP reads no source, which may be NULL. An element of 16 bytes is
 * updated under a lock of the target's. fetch_and_op and compare_and_swap are made by one thread, return the
 * old value at once, and have no forms with _wave and _wg; compare_and_swap writes value if the element is
 * cond, bit by bit:
 *
 * int gshmemx_win_TYPENAME_accumulate(gshmemx_win_t win, ptrdiff_t disp, const TYPE *source, size_t nelems,
 *				       int op, int pe)
 *	updates elements of the target's window
 * int gshmemx_win_TYPENAME_get_accumulate(gshmemx_win_t win, TYPE *dest, ptrdiff_t disp, const TYPE *source,
 *					   size_t nelems, int op, int pe)
 *	also fetches the old elements to dest
 * int gshmemx_win_TYPENAME_iaccumulate(gshmemx_win_t win, ptrdiff_t disp, const TYPE *source, ptrdiff_t dst,
 *					ptrdiff_t sst, size_t nelems, int op, int pe)
 *	accumulate at strides, in elements: dst, at least 1, in the window, and sst, which may be 0 or
 *	negative, in source. A group shares the elements out by number: its calls that update the same element
 *	are in order only with a flush and a meeting of the group in between
 * TYPE gshmemx_win_TYPENAME_fetch_and_op(gshmemx_win_t win, ptrdiff_t disp, TYPE value, int op, int pe)
 * TYPE gshmemx_win_TYPENAME_compare_and_swap(gshmemx_win_t win, ptrdiff_t disp, TYPE cond, TYPE value,
 *					      int pe)
 *	update one element, and return its old value
 *
 * Operations with requests: _rput, _rget, _raccumulate and _rget_accumulate are the calls without r, with a
 * last argument gshmemx_win_request_t *request. The request is the calling thread's. When it has been waited
 * for, the operation is complete as by flush_local.
 *
 * Notified operations. They add 1 to a counter of the target in this window: after the bytes that were
 * put, or when the bytes that were fetched are here. The target may then use what it got, or overwrite
 * what was fetched:
 *
 * int gshmemx_win_TYPENAME_put_notify(gshmemx_win_t win, ptrdiff_t disp, const TYPE *source, size_t nelems,
 *				       int notification, int pe)
 * int gshmemx_win_TYPENAME_get_notify(gshmemx_win_t win, TYPE *dest, ptrdiff_t disp, size_t nelems,
 *				       int notification, int pe)
 *	put, and get, that also add 1 to a counter of the target
 *
 * A PE uses its own counters; these calls need no epoch:
 *
 * int gshmemx_win_notify_wait(gshmemx_win_t win, int notification, uint64_t value)
 *	waits until the counter is at least value
 * int gshmemx_win_notify_test(gshmemx_win_t win, int notification, uint64_t value, uint64_t *flag_p)
 *	sets *flag_p to 1 if it is, else to 0
 * int gshmemx_win_notify_get(gshmemx_win_t win, int notification, uint64_t *value_p)
 *	reads the counter
 * int gshmemx_win_notify_set(gshmemx_win_t win, int notification, uint64_t value)
 *	writes the counter
 *
 * Callable  host; kernel, one thread, or a group with _wave and _wg.
 * Returns   0: operations when they have begun, other calls when they have done what they say.
 * Order     none between two operations; overlapping puts in one epoch leave the bytes of either. After wait,
 *           test, notify_wait and notify_test that found what they looked for, the caller sees the data
 *           behind it.
 * Errors    as said at the head of this file.
 */
#define GSHMEMI_W(NAME, PARAMETERS, BODY, ARGS) \
	GSHMEM_API int gshmemx_win_##NAME PARAMETERS; \
	GSHMEMI_OF_GROUPS(GSHMEM_API int gshmemx_win_##NAME##_wave PARAMETERS;) \
	GSHMEMI_OF_GROUPS(GSHMEM_API int gshmemx_win_##NAME##_wg PARAMETERS;)
#define GSHMEMI_WV(NAME, TYPE, KIND) \
	GSHMEM_API TYPE gshmemx_win_##NAME##_fetch_and_op( \
		gshmemx_win_t win, ptrdiff_t disp, TYPE value, int op, int pe); \
	GSHMEM_API TYPE gshmemx_win_##NAME##_compare_and_swap( \
		gshmemx_win_t win, ptrdiff_t disp, TYPE cond, TYPE value, int pe);
GSHMEMI_WIN_CALLS
GSHMEMI_WIN_VALUE_CALLS
#undef GSHMEMI_W
#undef GSHMEMI_WV
#define GSHMEMI_W(NAME, PARAMETERS, BODY, ARGS) \
	GSHMEMI_LONG_DOUBLE_API int gshmemx_win_##NAME PARAMETERS; \
	GSHMEMI_OF_GROUPS(GSHMEMI_LONG_DOUBLE_API int gshmemx_win_##NAME##_wave PARAMETERS;) \
	GSHMEMI_OF_GROUPS(GSHMEMI_LONG_DOUBLE_API int gshmemx_win_##NAME##_wg PARAMETERS;)
#define GSHMEMI_WV(NAME, TYPE, KIND) \
	GSHMEMI_LONG_DOUBLE_API TYPE gshmemx_win_##NAME##_fetch_and_op( \
		gshmemx_win_t win, ptrdiff_t disp, TYPE value, int op, int pe); \
	GSHMEMI_LONG_DOUBLE_API TYPE gshmemx_win_##NAME##_compare_and_swap( \
		gshmemx_win_t win, ptrdiff_t disp, TYPE cond, TYPE value, int pe);
GSHMEMI_WIN_LONG_DOUBLE_CALLS
GSHMEMI_WIN_LONG_DOUBLE_VALUE_CALLS
#undef GSHMEMI_W
#undef GSHMEMI_WV

/*
 * gshmemx_win_request_wait      - wait until the operation is complete here, as by flush_local.
 * gshmemx_win_request_test      - the same, and set *flag_p to 1. It may take as long as a round trip, and
 *                               waits for no other program.
 * gshmemx_win_request_wait_all  - wait for nrequests requests: a flush of this set of operations.
 * gshmemx_win_request_test_all  - the same, and set *flag_p to 1, as request_test.
 * gshmemx_win_request_wait_any  - wait for one of them that has not been waited for, and tell which: the
 *                                 first that needs no waiting, else the first. SIZE_MAX: all have been.
 *
 * A request that has been waited for may be waited for again.
 *
 * Callable  host; kernel, the thread whose request it is.
 * Returns   0.
 */
GSHMEM_API int gshmemx_win_request_wait(gshmemx_win_request_t *request);
GSHMEM_API int gshmemx_win_request_test(gshmemx_win_request_t *request, int *flag_p);
GSHMEM_API int gshmemx_win_request_wait_all(size_t nrequests, gshmemx_win_request_t *requests);
GSHMEM_API int gshmemx_win_request_test_all(size_t nrequests, gshmemx_win_request_t *requests, int *flag_p);
GSHMEM_API int gshmemx_win_request_wait_any(
	size_t nrequests, gshmemx_win_request_t *requests, size_t *index_p);

/* ---- calls on a stream --------------------------------------------------------------------------------- */

/*
 * gshmemx_win_TYPENAME_put_on_stream, gshmemx_win_TYPENAME_get_on_stream, gshmemx_win_putmem_on_stream,
 * gshmemx_win_getmem_on_stream, gshmemx_win_flush_on_stream, gshmemx_win_fence_on_stream - the calls without
 * suffix, made by the stream when it gets there.
 *
 * stream  hipStream_t
 *
 * The call checks at once whether the epoch allows it, and a fence changes the epoch at once: what
 * follows a fence on this stream belongs to the next epoch. All PEs of the window make a fence, on some
 * stream or by gshmemx_win_fence.
 *
 * Graphs capture these calls, too (gshmemx.h). A fence changes the epoch when it is captured, and no launch
 * of the graph does: capture fences so that the last one leaves the window as it was before the first.
 *
 * Callable  host; fence collective over the window's PEs.
 * Returns   0 when the call is queued, or a negative errno.
 * Order     by the stream. When the stream goes on, put and get are complete as by flush.
 * Errors    as the calls without suffix; what HIP refuses, after a message.
 */
#define GSHMEMI_DECLARE_ON_STREAM(NAME, MEM, T) \
	GSHMEM_HOST_API int gshmemx_win_##NAME##put##MEM##_on_stream( \
		gshmemx_win_t win, ptrdiff_t disp, const T *source, size_t nelems, int pe, void *stream); \
	GSHMEM_HOST_API int gshmemx_win_##NAME##get##MEM##_on_stream( \
		gshmemx_win_t win, T *dest, ptrdiff_t disp, size_t nelems, int pe, void *stream);
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

GSHMEMI_QUIET_END

#endif /* GSHMEMX_WIN_H */
