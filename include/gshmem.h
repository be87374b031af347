/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem: OpenSHMEM between GPUs, from inside kernels.
 *
 * Names, argument order and semantics are those of OpenSHMEM 1.6, with the prefix gshmem_. What goes beyond
 * it is in gshmemx.h, which this header includes: calls by a wave or a work-group, calls on streams, calls to
 * the CPU, attributes of init, 16-bit floating point.
 *
 * The header serves three kinds of program. In C and C++ it declares the functions of libgshmem. In a HIP
 * unit (a source file with kernels) the same names are inline functions, which the CPU can call and a kernel
 * can call without device linking.
 *
 * Words used below. A PE is one process of the job. The symmetric heap is the memory that gshmem_malloc
 * allocates from. An address in it is symmetric: it names the same object on every PE, and a call that
 * reaches another PE takes the caller's own address of the object. A group is the wave or work-group whose
 * threads make a call together.
 *
 * Each page has the same parts: arguments, and
 *
 *   Callable  from the host, from a kernel, or both. In a kernel one thread makes a call without suffix for
 *             itself: if 64 threads reach it, there are 64 calls. A collective call must be made by all PEs
 *             of the team, or by all PEs of the job.
 *   Returns   when, and what.
 *   Order     what the call orders and completes. docs/ordering.md says how, on each platform.
 *   Errors    what is one, and what happens then. "checked": a message and the end of the job with
 *             GSHMEM_CHECK=1, undefined behaviour without it.
 *
 * A call before gshmem_init or after gshmem_finalize ends the job with a message, unless its
 * page says otherwise.
 */
#ifndef GSHMEM_H
#define GSHMEM_H

#include <stddef.h>
#include <stdint.h>
#include <gshmem/api/types.h>
#include <gshmem/api/version.h>
#include <gshmem/arch/quiet.h>

GSHMEMI_QUIET_BEGIN

#include <gshmem/arch/arch.h>
#include <gshmem/api/complex.h>
#include <gshmem/api/context_list.h>
#include <gshmem/api/coll_list.h>

GSHMEMI_BEGIN_C

/* ---- setup and query ----------------------------------------------------------------------------------- */

/* The version of OpenSHMEM, and the vendor string with the room that gshmem_info_get_name needs for it. */
#define GSHMEM_MAJOR_VERSION 1
#define GSHMEM_MINOR_VERSION 6
#define GSHMEM_MAX_NAME_LEN  256
#define GSHMEM_VENDOR_STRING "gshmem " GSHMEMX_VERSION_STRING

/* Thread levels of gshmem_init_thread: those of MPI. */
enum { GSHMEM_THREAD_SINGLE, GSHMEM_THREAD_FUNNELED, GSHMEM_THREAD_SERIALIZED, GSHMEM_THREAD_MULTIPLE };

/*
 * gshmem_init - join the job: choose a device, allocate the symmetric heap, map the heaps of all peers.
 *
 * Starts MPI if the program has not. Every PE of MPI_COMM_WORLD must call it; gshmemx_init_attr takes another
 * communicator, or starts a job without MPI. Calls nest: the library ends with the gshmem_finalize that
 * matches the first gshmem_init. It may then be started again.
 *
 * Callable  host, collective over all PEs; at any time.
 * Returns   when every PE may be written to.
 * Errors    a message; the job ends with status 1 on all PEs.
 */
GSHMEM_HOST_API void gshmem_init(void);

/*
 * gshmem_init_thread - gshmem_init with a thread level.
 *
 * requested  GSHMEM_THREAD_*
 * provided   receives the level in force: the one that the first init of a nest requested; may be NULL
 *
 * Callable  host, collective over all PEs; at any time.
 * Returns   0, or a negative errno on every PE, after a message from the PE that failed.
 * Errors    -EINVAL for a requested level that does not exist.
 */
GSHMEM_HOST_API int gshmem_init_thread(int requested, int *provided);

/*
 * gshmem_finalize - leave the job: complete all operations, wait for every PE, unmap, free the heap.
 *
 * No kernel that uses the library may be running. If gshmem_init started MPI, MPI is finalized when the
 * process exits, because it cannot be started twice.
 *
 * Callable  host, collective over all PEs.
 * Returns   when every PE has called and no PE has this PE's memory mapped. A nested call returns when every
 *           PE has called.
 * Order     gshmem_quiet first, which covers kernels that have ended.
 * Errors    if the program finalized MPI before: a message and the end of the job. A PE that exits without
 *           gshmem_finalize also ends the job, with a message and a status that is not 0.
 */
GSHMEM_HOST_API void gshmem_finalize(void);

/*
 * gshmem_global_exit - end the whole job with a status, from any one PE.
 *
 * Runs the exit handlers of the calling process. All PEs write out what stdio has buffered. MPI ends all its
 * processes, even those that are not PEs of this job, and the launcher returns the status. In a job that
 * started by a unique id every PE ends with the status.
 *
 * Callable  host.
 * Returns   never. The other PEs end too, even while they wait in a barrier or in a kernel.
 */
GSHMEM_HOST_API void gshmem_global_exit(int status);

/* gshmem_query_thread - the thread level in force. Callable host, at any time. */
GSHMEM_HOST_API void gshmem_query_thread(int *provided);

/*
 * gshmem_query_initialized - *flag becomes 1 between init and finalize, else 0. Callable host, at any time.
 */
GSHMEM_HOST_API void gshmem_query_initialized(int *flag);

/* gshmem_my_pe, gshmem_n_pes - this PE, 0 .. npes-1, and the number of PEs. Callable host, kernel. */
GSHMEM_API int gshmem_my_pe(void);
GSHMEM_API int gshmem_n_pes(void);

/*
 * gshmem_pe_accessible   - 1 if the library can reach pe, else 0; 0 also for a number that no PE has.
 * gshmem_addr_accessible - 1 if addr is symmetric and the library can reach pe, else 0.
 *
 * Callable  host.
 */
GSHMEM_HOST_API int gshmem_pe_accessible(int pe);
GSHMEM_HOST_API int gshmem_addr_accessible(const void *addr, int pe);

/*
 * gshmem_ptr - the address, in this process, of the object that dest names on pe: for loads and stores.
 *
 * Where that memory is a GPU's, the address is for kernels and for HIP's copies, not for the CPU.
 *
 * Callable  host, kernel.
 * Returns   the address; dest itself for this PE. NULL if dest is not symmetric, if pe is no PE, or if pe's
 *           memory is not mapped here.
 * Order     loads and stores through the address are the program's own: gshmem_fence orders and gshmem_quiet
 *           completes the caller's stores, but GSHMEM_CHECK does not check them and GSHMEM_CPU_DELIVERY does
 *           not delay them.
 */
GSHMEM_API void *gshmem_ptr(const void *dest, int pe);

/*
 * gshmem_info_get_version - the version of OpenSHMEM; gshmemx_version has the library's own.
 * gshmem_info_get_name    - the vendor string, "gshmem" and its version; name has room for
 *                           GSHMEM_MAX_NAME_LEN bytes.
 *
 * Callable  host, at any time.
 */
GSHMEM_HOST_API void gshmem_info_get_version(int *major, int *minor);
GSHMEM_HOST_API void gshmem_info_get_name(char *name);

/* ---- memory -------------------------------------------------------------------------------------------- */

/*
 * The symmetric heap. Every PE makes these calls with the same arguments in the same order. The library
 * compares the arguments, and if they differ the call is an error on every PE and changes nothing. The memory
 * is GPU memory: on a GPU the CPU may not read it directly.
 *
 * gshmem_malloc   nbytes of uninitialised memory
 * gshmem_calloc   count * size bytes of zeros
 * gshmem_align    nbytes at a multiple of alignment, a power of two
 * gshmem_realloc  grow or shrink the block at ptr to nbytes. NULL allocates; 0 bytes free the block and give
 *                 NULL. If the call fails, ptr stays valid.
 * gshmem_malloc_with_hints  nbytes; hints is 0 or GSHMEM_MALLOC_*
 * gshmem_free     give ptr back; NULL is allowed
 *
 * Memory is aligned to at least 128 bytes. Zero bytes give NULL. Hints change nothing: atomics and
 * signals work on all of the heap.
 *
 * Callable  host, collective over all PEs.
 * Returns   with memory that any PE may write to at once.
 * Order     gshmem_quiet and a barrier over all PEs come first; only then is memory given or taken back.
 * Errors    NULL on every PE, and a message: out of memory (with the bytes that are free); an alignment that
 *           is no power of two or larger than the heap's own; count * size beyond 64 bits; arguments that
 *           differ. A ptr that is no allocation: a message, and nothing is freed.
 */
#define GSHMEM_MALLOC_ATOMICS_REMOTE 1L
#define GSHMEM_MALLOC_SIGNAL_REMOTE  2L
GSHMEM_HOST_API void *gshmem_malloc(size_t nbytes);
GSHMEM_HOST_API void *gshmem_calloc(size_t count, size_t size);
GSHMEM_HOST_API void *gshmem_align(size_t alignment, size_t nbytes);
GSHMEM_HOST_API void *gshmem_realloc(void *ptr, size_t nbytes);
GSHMEM_HOST_API void *gshmem_malloc_with_hints(size_t nbytes, long hints);
GSHMEM_HOST_API void gshmem_free(void *ptr);

/* ---- teams --------------------------------------------------------------------------------------------- */

/*
 * A team is a set of PEs that make collective calls together and have numbers of their own in it, 0 ..
 * n-1. All calls with a team take the team's PE numbers. A handle may be passed to kernels; it means
 * nothing on another PE.
 *
 * GSHMEM_TEAM_WORLD     all PEs
 * GSHMEM_TEAM_SHARED    PEs, with this one, that reach each other's heap by loads and stores (gshmem_ptr)
 * GSHMEM_TEAM_INVALID   no team
 *
 * Errors    a bad handle, or that of a destroyed team: on the host a message and the end of the job; in
 *           kernels checked.
 */

/* A team's handle. Opaque: the structure does not exist. */
typedef struct gshmemi_team *gshmem_team_t;
#define GSHMEM_TEAM_INVALID GSHMEMI_HANDLE(gshmem_team_t, 0L)
#define GSHMEM_TEAM_WORLD   GSHMEMI_HANDLE(gshmem_team_t, 1L)
#define GSHMEM_TEAM_SHARED  GSHMEMI_HANDLE(gshmem_team_t, 2L)

/* num_contexts: how many contexts of the team the program wants at a time. A hint: it may create more. */
typedef struct {
	int num_contexts;
} gshmem_team_config_t;
#define GSHMEM_TEAM_NUM_CONTEXTS 1L /* in config_mask: config->num_contexts counts; else it is 0 */

/*
 * gshmem_team_my_pe        - this PE's number in a team; -1 for GSHMEM_TEAM_INVALID.
 * gshmem_team_n_pes        - the number of PEs of a team; -1 for GSHMEM_TEAM_INVALID.
 * gshmem_team_translate_pe - the number that PE src_pe of src_team has in dest_team; -1 if it is not in both
 *                            teams, or for GSHMEM_TEAM_INVALID.
 * gshmem_team_ptr          - gshmem_ptr for a PE of a team; NULL also for GSHMEM_TEAM_INVALID.
 *
 * Callable  host, kernel.
 */
GSHMEM_API int gshmem_team_my_pe(gshmem_team_t team);
GSHMEM_API int gshmem_team_n_pes(gshmem_team_t team);
GSHMEM_API int gshmem_team_translate_pe(gshmem_team_t src_team, int src_pe, gshmem_team_t dest_team);
GSHMEM_API void *gshmem_team_ptr(gshmem_team_t team, const void *dest, int pe);

/*
 * gshmem_team_get_config - read the parameters of a team.
 *
 * config_mask  GSHMEM_TEAM_NUM_CONTEXTS, or 0: which fields of *config to set
 *
 * Callable  host.
 * Returns   0; -EINVAL for GSHMEM_TEAM_INVALID.
 */
GSHMEM_HOST_API int gshmem_team_get_config(
	gshmem_team_t team, long config_mask, gshmem_team_config_t *config);

/*
 * gshmem_team_split_strided - make a team of PEs start, start + stride, ... of parent_team, in this order.
 *
 * start, size          its first PE and its number of PEs, equal on all PEs of parent_team
 * stride               from one PE to the next, equal on all; may be negative, and for one PE also 0
 * config, config_mask  see gshmem_team_config_t; config may be NULL if config_mask is 0
 * new_team             receives the handle; GSHMEM_TEAM_INVALID on PEs outside the new team, and on errors
 *
 * Callable  host, collective over parent_team.
 * Returns   0 on all its PEs when all have called, or a negative errno on all of them.
 * Errors    after a message: PEs that parent_team does not have; arguments that differ between PEs; a bad
 *           config_mask or a negative num_contexts; no room for another team on some PE (GSHMEM_TEAMS).
 *           -EINVAL at once, without a message, if parent_team is GSHMEM_TEAM_INVALID.
 */
GSHMEM_HOST_API int gshmem_team_split_strided(gshmem_team_t parent_team, int start, int stride, int size,
	const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team);

/*
 * gshmem_team_split_2d - make two teams, of a row and of a column of a grid.
 *
 * PE pe of parent_team is at x = pe % xrange, y = pe / xrange. The team of the x axis has the PEs with the
 * same y, numbered by x; that of the y axis those with the same x, numbered by y.
 *
 * xrange  at least 1, equal on all PEs of parent_team; limited to the number of PEs
 * xaxis_config, yaxis_config  may differ from team to team
 *
 * The other arguments, Callable, Returns, Errors  as gshmem_team_split_strided.
 */
GSHMEM_HOST_API int gshmem_team_split_2d(gshmem_team_t parent_team, int xrange,
	const gshmem_team_config_t *xaxis_config, long xaxis_mask, gshmem_team_t *xaxis_team,
	const gshmem_team_config_t *yaxis_config, long yaxis_mask, gshmem_team_t *yaxis_team);

/*
 * gshmem_team_destroy - destroy a team and its contexts. Does nothing for GSHMEM_TEAM_INVALID.
 *
 * Callable  host, collective over the team.
 * Returns   when all its PEs have called.
 * Order     gshmem_ctx_quiet of the team's contexts first.
 * Errors    predefined teams cannot be destroyed: a message and the end of the job.
 */
GSHMEM_HOST_API void gshmem_team_destroy(gshmem_team_t team);

/* ---- contexts ------------------------------------------------------------------------------------------ */

/*
 * A context is a set of operations that are ordered and completed on their own: gshmem_ctx_fence and
 * gshmem_ctx_quiet cover the operations of one context, and gshmem_fence and gshmem_quiet those of
 * GSHMEM_CTX_DEFAULT, to which all calls without a context belong. A context belongs to a team, whose PE
 * numbers its calls take. Handles may be passed to kernels.
 *
 * Errors    a bad handle, GSHMEM_CTX_INVALID among them, ends the job with a message, unless its page says
 *           otherwise. With GSHMEM_CHECK=1 every call refuses the handle of a destroyed context. Without it
 *           the host's fence, quiet, sessions, get_team and destroy do; other calls may still work with such
 *           a handle, because a put looks up no table.
 */

/* A context's handle. Opaque: the structure does not exist. */
typedef struct gshmemi_ctx *gshmem_ctx_t;
#define GSHMEM_CTX_INVALID GSHMEMI_HANDLE(gshmem_ctx_t, 0L)
#define GSHMEM_CTX_DEFAULT GSHMEMI_HANDLE(gshmem_ctx_t, 0x800000008001)

/* Options of a context, to be combined: what the program promises. They change nothing here. */
#define GSHMEM_CTX_SERIALIZED 1L /* no two threads use it at the same time */
#define GSHMEM_CTX_PRIVATE    2L /* only the thread that creates it uses it */
#define GSHMEM_CTX_NOSTORE    4L /* its fence and quiet need not order plain stores */

/*
 * gshmem_ctx_create      - make a context of all PEs.
 * gshmem_team_create_ctx - make a context of a team, even beyond the num_contexts that the team asked for.
 * gshmem_ctx_destroy     - gshmem_ctx_quiet, then destroy it. Does nothing for GSHMEM_CTX_INVALID.
 * gshmem_ctx_get_team    - the team of a context.
 *
 * options  GSHMEM_CTX_*, or 0
 * ctx      receives the handle; GSHMEM_CTX_INVALID on errors
 * team     receives the team; GSHMEM_TEAM_INVALID on errors
 *
 * Callable  host.
 * Returns   0, or a negative errno.
 * Errors    after a message: options that do not exist, or GSHMEM_CONTEXTS contexts are in use. Without one:
 *           -EINVAL for GSHMEM_TEAM_INVALID and, from get_team, for GSHMEM_CTX_INVALID. Destroying
 *           GSHMEM_CTX_DEFAULT: a message and the end of the job.
 */
GSHMEM_HOST_API int gshmem_ctx_create(long options, gshmem_ctx_t *ctx);
GSHMEM_HOST_API int gshmem_team_create_ctx(gshmem_team_t team, long options, gshmem_ctx_t *ctx);
GSHMEM_HOST_API void gshmem_ctx_destroy(gshmem_ctx_t ctx);
GSHMEM_HOST_API int gshmem_ctx_get_team(gshmem_ctx_t ctx, gshmem_team_t *team);

/*
 * gshmem_ctx_session_start, _stop - announce what follows in a context until the session stops.
 *
 * Hints, which change nothing: each operation is one store or load, so there is nothing to batch. They do
 * nothing for GSHMEM_CTX_INVALID.
 *
 * options      GSHMEM_CTX_SESSION_BATCH: single operations may take longer
 * config       total_ops: the number of calls to expect; may be NULL if config_mask is 0
 *
 * Callable  host; kernel, one thread.
 */
typedef struct {
	size_t total_ops;
} gshmem_ctx_session_config_t;
#define GSHMEM_CTX_SESSION_TOTAL_OPS 1L /* in config_mask */
#define GSHMEM_CTX_SESSION_BATCH     1L
GSHMEM_API void gshmem_ctx_session_start(
	gshmem_ctx_t ctx, long options, const gshmem_ctx_session_config_t *config, long config_mask);
GSHMEM_API void gshmem_ctx_session_stop(gshmem_ctx_t ctx);

/*
 * gshmem_ctx_TYPENAME_put and so on: every call with a PE from put to signals, with a context as its first
 * argument and PE numbers of the context's team. Callable, Returns and Order are those of the call, within
 * the context. Messages name the call without "ctx".
 */
#define GSHMEMI_V(PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API void PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe);
#define GSHMEMI_R(TYPE, PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API TYPE PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe);
GSHMEMI_CTX_CALLS
#undef GSHMEMI_V
#undef GSHMEMI_R
GSHMEMI_LONG_DOUBLE_API void gshmem_ctx_longdouble_p(
	gshmem_ctx_t ctx, long double *dest, long double value, int pe);
GSHMEMI_LONG_DOUBLE_API long double gshmem_ctx_longdouble_g(
	gshmem_ctx_t ctx, const long double *source, int pe);

/*
 * gshmem_ctx_fence, gshmem_ctx_quiet, gshmem_ctx_pe_quiet - gshmem_fence and so on, for one context.
 *
 * They do nothing for GSHMEM_CTX_INVALID.
 *
 * target_pes  npes PE numbers, of the context's team
 *
 * Callable  host; kernel, one thread.
 * Order     the caller's operations in the context, and no others.
 */
GSHMEM_API void gshmem_ctx_fence(gshmem_ctx_t ctx);
GSHMEM_API void gshmem_ctx_quiet(gshmem_ctx_t ctx);
GSHMEM_API void gshmem_ctx_pe_quiet(gshmem_ctx_t ctx, const int *target_pes, size_t npes);

/* ---- put and get --------------------------------------------------------------------------------------- */

/*
 * Copies between memory of this PE and symmetric memory of another one. dest and source may not overlap; pe
 * may be the caller itself. Put and p return before the data has arrived; get and g return with it.
 *
 * Errors    checked: a pe that does not exist; an address that is NULL, misaligned, outside the symmetric
 *           heap, or so near the end of its allocation that the object does not fit; a bad stride. Overlap is
 *           not noticed.
 */

/*
 * gshmem_TYPENAME_put, gshmem_putSIZE, gshmem_putmem - copy from source here to dest on pe.
 *
 * dest     symmetric address, aligned for TYPE; with SIZE and mem any alignment
 * source   any address that the caller can read
 * nelems   elements of TYPE or of SIZE bits, bytes for putmem; 0 is allowed and does nothing
 * pe       0 .. npes-1
 *
 * Callable  host; kernel, one thread (gshmemx_..._put_wave and _wg for more).
 * Returns   when source may be reused. The data may not have arrived.
 * Order     none between two puts. gshmem_fence orders them, gshmem_quiet completes them.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_put(TYPE *dest, const TYPE *source, size_t nelems, int pe);
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEM_API void gshmem_put##SIZE(void *dest, const void *source, size_t nelems, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API void gshmem_putmem(void *dest, const void *source, size_t nbytes, int pe);

/*
 * gshmem_TYPENAME_get, gshmem_getSIZE, gshmem_getmem - copy from source on pe to dest here.
 *
 * dest     any address that the caller can write
 * source   symmetric address, aligned for TYPE; with SIZE and mem any alignment
 * nelems, pe  as put
 *
 * Callable  host; kernel, one thread (gshmemx_..._get_wave and _wg for more).
 * Returns   when the data is in dest.
 * Order     none with the caller's earlier puts: to read what one has put, call gshmem_quiet between.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_get(TYPE *dest, const TYPE *source, size_t nelems, int pe);
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEM_API void gshmem_get##SIZE(void *dest, const void *source, size_t nelems, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API void gshmem_getmem(void *dest, const void *source, size_t nbytes, int pe);

/*
 * gshmem_TYPENAME_p - write one value to dest on pe, by one store; long double by a copy.
 * gshmem_TYPENAME_g - read one value from source on pe, by one load; never an old one from a cache.
 *
 * dest, source  symmetric address, aligned for TYPE
 *
 * Callable  host; kernel, one thread.
 * Returns   p: at once; the value may not have arrived. g: with the value.
 * Order     as put and get. A value of up to 8 bytes is never seen half written.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_p(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_g(const TYPE *source, int pe);
GSHMEM_BASIC_VALUE_TYPES(GSHMEMI_DECLARE)
GSHMEM_ALIAS_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
/* On a GPU only the host can call these. */
GSHMEMI_LONG_DOUBLE_API void gshmem_longdouble_p(long double *dest, long double value, int pe);
GSHMEMI_LONG_DOUBLE_API long double gshmem_longdouble_g(const long double *source, int pe);

/*
 * gshmem_TYPENAME_iput, gshmem_iputSIZE - put every sst-th element of source to every dst-th element of dest.
 * gshmem_TYPENAME_iget, gshmem_igetSIZE - get every sst-th element of source to every dst-th element of dest.
 *
 * dest, source  as put and get; for SIZE too the symmetric address is aligned to the element, up to 8 bytes
 * dst, sst  from one element to the next in dest and in source, in elements; at least 1
 * nelems, pe  as put
 *
 * Callable, Returns, Order  as put and get.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_iput( \
		TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	GSHMEM_API void gshmem_##NAME##_iget( \
		TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEM_API void gshmem_iput##SIZE( \
		void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	GSHMEM_API void gshmem_iget##SIZE( \
		void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/*
 * gshmem_TYPENAME_ibput, gshmem_ibputSIZE - put blocks of bsize elements, which start at regular strides.
 * gshmem_TYPENAME_ibget, gshmem_ibgetSIZE - get such blocks.
 *
 * dst, sst  from one block's start to the next one's in dest and in source, in elements; at least bsize
 * bsize     elements of a block
 * nblocks   number of blocks; if bsize or nblocks is 0, the call does nothing
 * dest, source, pe  as iput and iget, which are the same with a bsize of 1
 *
 * Callable, Returns, Order  as put and get.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_ibput(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t bsize, size_t nblocks, int pe); \
	GSHMEM_API void gshmem_##NAME##_ibget(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t bsize, size_t nblocks, int pe);
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEM_API void gshmem_ibput##SIZE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t bsize, size_t nblocks, int pe); \
	GSHMEM_API void gshmem_ibget##SIZE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t bsize, size_t nblocks, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/* ---- non-blocking put and get -------------------------------------------------------------------------- */

/*
 * gshmem_..._put_nbi, gshmem_..._get_nbi - start a copy. Arguments and errors are those of put and get.
 *
 * Callable  host; kernel, one thread (gshmemx_..._nbi_wave and _wg for more).
 * Returns   at once. Until gshmem_quiet has returned, source may not be changed, and dest of a get may not be
 *           read.
 * Order     put_nbi: as put. get_nbi: gshmem_fence does not order it, gshmem_quiet completes it.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_put_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmem_##NAME##_get_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe);
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEM_API void gshmem_put##SIZE##_nbi(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmem_get##SIZE##_nbi(void *dest, const void *source, size_t nelems, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API void gshmem_putmem_nbi(void *dest, const void *source, size_t nbytes, int pe);
GSHMEM_API void gshmem_getmem_nbi(void *dest, const void *source, size_t nbytes, int pe);

/* ---- atomics ------------------------------------------------------------------------------------------- */

/*
 * Each call is one read-modify-write of one object on pe. It is atomic with every other atomic of the
 * library on that object, from hosts and kernels of all PEs. dest and source are symmetric addresses,
 * aligned for TYPE.
 *
 * Callable  host; kernel, one thread.
 * Returns   with the old value, if the call returns one; else at once, and the update may not have arrived.
 *           An _nbi call returns at once and fills *fetch, in the caller's own memory, by the next
 *           gshmem_quiet.
 * Order     none by itself (relaxed): gshmem_fence and gshmem_quiet order and complete atomics as they do
 *           puts.
 * Errors    checked, as for put.
 */

/*
 * gshmem_TYPENAME_atomic_fetch - read. TYPENAME is one of the extended AMO types.
 * gshmem_TYPENAME_atomic_set   - write.
 * gshmem_TYPENAME_atomic_swap  - write, and return the old value.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch(const TYPE *source, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_set(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_swap(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_nbi(TYPE *fetch, const TYPE *source, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_swap_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe);
GSHMEM_EXTENDED_AMO_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/*
 * gshmem_TYPENAME_atomic_compare_swap - write value if the object equals cond, and return the old value.
 *                                       TYPENAME is one of the standard AMO types.
 * gshmem_TYPENAME_atomic_fetch_inc    - add 1, and return the old value.
 * gshmem_TYPENAME_atomic_inc          - add 1.
 * gshmem_TYPENAME_atomic_fetch_add    - add value, and return the old value.
 * gshmem_TYPENAME_atomic_add          - add value.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_compare_swap(TYPE *dest, TYPE cond, TYPE value, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch_inc(TYPE *dest, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_inc(TYPE *dest, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch_add(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_add(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_compare_swap_nbi( \
		TYPE *fetch, TYPE *dest, TYPE cond, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_inc_nbi(TYPE *fetch, TYPE *dest, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_add_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe);
GSHMEM_AMO_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/*
 * gshmem_TYPENAME_atomic_fetch_and - bitwise and, and return the old value. TYPENAME is one of the bitwise
 *                                    AMO types.
 * gshmem_TYPENAME_atomic_and       - bitwise and.
 * gshmem_TYPENAME_atomic_fetch_or  - bitwise or, and return the old value.
 * gshmem_TYPENAME_atomic_or        - bitwise or.
 * gshmem_TYPENAME_atomic_fetch_xor - bitwise exclusive or, and return the old value.
 * gshmem_TYPENAME_atomic_xor       - bitwise exclusive or.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch_and(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_and(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch_or(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_or(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch_xor(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_xor(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_and_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_or_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_xor_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe);
GSHMEM_BITWISE_AMO_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/* ---- signals ------------------------------------------------------------------------------------------- */

/*
 * A signal is a uint64_t in symmetric memory that a PE updates to tell another one that data has arrived. It
 * is updated by these calls, and may be by the atomics of uint64. The receiver waits by
 * gshmem_signal_wait_until, by any other wait, or by a test.
 *
 * Errors    checked: those of put, for dest and for sig_addr; a sig_op that does not exist.
 */
enum { GSHMEM_SIGNAL_SET, GSHMEM_SIGNAL_ADD };

/*
 * gshmem_TYPENAME_put_signal, gshmem_putSIZE_signal, gshmem_putmem_signal - put, then update a signal on pe.
 *
 * dest, source, nelems, pe  as put; with 0 elements the signal alone is updated
 * sig_addr  symmetric address of the signal, which may not overlap dest
 * signal    the value to write or to add
 * sig_op    GSHMEM_SIGNAL_SET writes the value, GSHMEM_SIGNAL_ADD adds it
 *
 * Callable  host; kernel, one thread (gshmemx_..._put_signal_wave and _wg for more).
 * Returns   when source may be reused; _nbi: at once, and source may not be changed before gshmem_quiet has
 *           returned.
 * Order     a receiver that sees the signal, by a wait or a test, sees the data of this put. Earlier puts are
 *           not ordered before the signal: use gshmem_fence.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_put_signal(TYPE *dest, const TYPE *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmem_##NAME##_put_signal_nbi(TYPE *dest, const TYPE *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEM_API void gshmem_put##SIZE##_signal(void *dest, const void *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmem_put##SIZE##_signal_nbi(void *dest, const void *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API void gshmem_putmem_signal(void *dest, const void *source, size_t nbytes, uint64_t *sig_addr,
	uint64_t signal, int sig_op, int pe);
GSHMEM_API void gshmem_putmem_signal_nbi(void *dest, const void *source, size_t nbytes, uint64_t *sig_addr,
	uint64_t signal, int sig_op, int pe);

/*
 * gshmem_signal_set, gshmem_signal_add - update a signal on pe, without data.
 * gshmem_signal_fetch                  - read a signal of this PE.
 *
 * Callable  host; kernel, one thread.
 * Returns   set and add: at once; the update may not have arrived. fetch: with the value.
 * Order     set and add: as gshmem_uint64_atomic_set and _add. fetch orders nothing: wait or test before you
 *           read the data of a put_signal.
 * Errors    as above; a kernel's signal_fetch is not checked.
 */
GSHMEM_API void gshmem_signal_set(uint64_t *sig_addr, uint64_t signal, int pe);
GSHMEM_API void gshmem_signal_add(uint64_t *sig_addr, uint64_t signal, int pe);
GSHMEM_API uint64_t gshmem_signal_fetch(const uint64_t *sig_addr);

/* ---- collectives --------------------------------------------------------------------------------------- */

/*
 * Calls that all PEs of a team make, in the same order: barriers first, then calls that move data and
 * compute. A PE makes one such call on a team at a time, by its host or by one of its kernels. Calls on
 * different teams do not disturb each other: two threads or work-groups of a PE may each be in a call
 * of another team.
 *
 * A kernel that calls must be resident as a whole on every PE (gshmemx_collective_launch), and PEs that share
 * a GPU must fit on it together. Of a kernel one thread calls, or one group by gshmemx_..._wave and _wg.
 *
 * Errors    a bad team handle: on the host a message and the end of the job; in kernels checked. Checked: two
 *           callers of one PE in calls of one team at the same time.
 */

/*
 * gshmem_sync_all    - wait until every PE has called.
 * gshmem_barrier_all - gshmem_quiet, then gshmem_sync_all.
 *
 * Callable  host; kernel, one thread (gshmemx_..._wave and _wg for more); collective over all PEs.
 * Returns   when every PE has called.
 * Order     barrier_all completes the calling thread's operations; on the host those of the host and of
 *           kernels that have ended. After either call the caller sees what every PE had completed before it
 *           called.
 * Algorithm k-ary dissemination with counters that only grow; D. Hensgen, R. Finkel, U. Manber, "Two
 *           algorithms for barrier synchronization", Int. J. Parallel Programming 17 (1988), generalised to k
 *           partners a round.
 */
GSHMEM_API void gshmem_sync_all(void);
GSHMEM_API void gshmem_barrier_all(void);

/*
 * gshmem_team_sync - wait until every PE of a team has called. gshmem_sync_all is this for GSHMEM_TEAM_WORLD.
 *
 * Callable, Order, Algorithm  as gshmem_sync_all, over the team.
 * Returns   0 when every PE of the team has called; -EINVAL at once for GSHMEM_TEAM_INVALID.
 */
GSHMEM_API int gshmem_team_sync(gshmem_team_t team);

/*
 * All PEs pass the same dest, source and other arguments. dest and source are symmetric and do not overlap,
 * except that they may be the same in broadcast, reductions and scans. 0 elements are allowed. PE numbers
 * are the team's.
 *
 * When any PE calls, dest must be ready on all PEs of the team; source must be ready on the PE that calls.
 * docs/ordering.md says what that means for calls that follow one another.
 *
 * int gshmem_TYPENAME_broadcast(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems,
 *				 int PE_root)
 *	copies nelems elements of source on PE_root to dest on all PEs, also on the root
 * int gshmem_TYPENAME_collect(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	concatenates the sources of all PEs, in the order of PEs, in dest on all of them; nelems may differ
 *	between PEs
 * int gshmem_TYPENAME_fcollect(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	the same with the same nelems on all PEs
 * int gshmem_TYPENAME_alltoall(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	copies block j of source, of nelems elements, to block i of dest on PE j, if the caller is PE i
 * int gshmem_TYPENAME_alltoalls(gshmem_team_t team, TYPE *dest, const TYPE *source, ptrdiff_t dst,
 *				 ptrdiff_t sst, size_t nelems)
 *	the same, with elements sst apart in source and dst apart in dest; both at least 1
 * int gshmem_TYPENAME_OP_reduce(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nreduce)
 *	dest[k] = source[k] of PE 0 OP source[k] of PE 1 OP ..., on all PEs. OP is one of and, or, xor, max,
 *	min, sum, prod that the type has
 * int gshmem_TYPENAME_sum_inscan(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	dest[k] = the sum of source[k] of PE 0 to the caller, including the caller
 * int gshmem_TYPENAME_sum_exscan(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	the same without the caller; 0 on PE 0
 *
 * gshmem_broadcastmem, gshmem_collectmem, gshmem_fcollectmem, gshmem_alltoallmem and gshmem_alltoallsmem take
 * void pointers and count bytes.
 *
 * Floating point is computed in the order of the PEs on all of them, for every number of elements and by
 * every scope, so that all get the same bits. max and min replace a value only by a greater or smaller one of
 * a later PE: a NaN of PE 0 stays, a NaN of another PE is passed over.
 *
 * Callable  host; kernel, one thread (gshmemx_..._wave and _wg for more); on a stream
 *           (gshmemx_..._on_stream); collective over the team.
 * Returns   0 when the caller's dest is filled and its source may be reused; other PEs may still be in the
 *           call.
 * Order     dest and source alone: no other operation is completed or ordered.
 * Errors    -EINVAL at once for GSHMEM_TEAM_INVALID. Checked: addresses as for put, overlap (but not of
 *           alltoallv's blocks), PE_root, strides, and arguments that differ between PEs.
 * Algorithm broadcast of 16 KiB and more on GPUs: scatter and allgather; M. Barnett, L. Shuler, R. van de
 *           Geijn, S. Gupta, D. Payne, J. Watts, "Interprocessor collective communication library
 *           (InterCom)", SHPCC 1994. docs/design.md has the others.
 */
#if !GSHMEMI_KERNELS /* else coll_calls.h declares them with their bodies: they are many */
#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) GSHMEM_API int PREFIX##_##NAME PARAMETERS;
GSHMEMI_COLL_CALLS
GSHMEMI_COLL_LONG_DOUBLE_CALLS /* in HIP units for GPUs only the host can call these */
#undef GSHMEMI_F
#endif

/* ---- wait and test ------------------------------------------------------------------------------------- */

/* Comparisons (ivar cmp cmp_value) of waits and tests. */
enum { GSHMEM_CMP_EQ = 1, GSHMEM_CMP_NE, GSHMEM_CMP_GT, GSHMEM_CMP_GE, GSHMEM_CMP_LT, GSHMEM_CMP_LE };

/*
 * gshmem_TYPENAME_wait_until - wait until the object at ivar, on this PE, satisfies (ivar cmp cmp_value).
 * gshmem_TYPENAME_test       - 1 if it does now, else 0.
 * gshmem_signal_wait_until   - wait_until for a signal; returns the value that satisfied.
 *
 * ivar, sig_addr  symmetric address on this PE, aligned
 * cmp             GSHMEM_CMP_*
 *
 * Another PE updates the object by p, by an atomic or by a signal; so may another thread of this PE.
 *
 * Callable  host; kernel, one thread (gshmemx_..._wait_until_wave and _wg for more).
 * Returns   when the condition holds; test at once. A wait longer than GSHMEM_WATCHDOG seconds is reported
 *           and goes on. When a PE dies, the job ends, and the wait with it.
 * Order     what the updating PE ordered before its update (by fence, quiet or put_signal) is visible
 *           afterwards: after a wait, and after a test that returned 1.
 * Errors    checked: ivar as the address of a put; a cmp that does not exist.
 *
 * A host's loop around test, test_lock, signal_fetch or a compare_swap that fails gives its core away now and
 * then, as a wait does, so that there may be more PEs than cores. A loop around g, get or another atomic that
 * returns a value does not: that would slow down all calls of these.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_wait_until(TYPE *ivar, int cmp, TYPE cmp_value); \
	GSHMEM_API int gshmem_##NAME##_test(TYPE *ivar, int cmp, TYPE cmp_value);
GSHMEM_WAIT_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API uint64_t gshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value);

/*
 * gshmem_TYPENAME_wait_until_all   - wait until every object of an array satisfies (ivars[i] cmp cmp_value).
 * gshmem_TYPENAME_wait_until_any   - wait until one does; returns its index.
 * gshmem_TYPENAME_wait_until_some  - wait until at least one does; returns how many do, and their indices.
 * gshmem_TYPENAME_test_all         - 1 if every one does now, else 0.
 * gshmem_TYPENAME_test_any         - the index of one that does now; SIZE_MAX if none does.
 * gshmem_TYPENAME_test_some        - how many do now, and their indices.
 * ..._vector                       - the same with a value for each object: cmp_values[i].
 *
 * ivars      symmetric address, on this PE, of nelems objects, aligned
 * nelems     0 is allowed
 * indices    receives the indices; room for nelems
 * status     nelems words; an object whose word is not 0 is left out. NULL: none is. Not inside ivars
 * cmp        GSHMEM_CMP_*
 *
 * If nothing is left to wait for, because nelems is 0 or all objects are left out, _all returns at once
 * (test_all 1), _any returns SIZE_MAX and _some 0. _any starts its search at a random object, so that
 * repeated calls return each object that satisfies. _all looks at one object after the other: an early one
 * may have changed again when it returns.
 *
 * TYPENAME may also be short and ushort, an extension: OpenSHMEM has them only for calls on one object.
 *
 * Callable  host; kernel, one thread.
 * Returns   as gshmem_TYPENAME_wait_until and _test.
 * Order     what the updating PEs ordered before the updates that are reported is visible afterwards.
 * Errors    checked: ivars as the address of a put; a cmp that does not exist.
 */
#define GSHMEMI_DECLARE_VALUES(NAME, TYPE, VECTOR, VALUE) \
	GSHMEM_API void gshmem_##NAME##_wait_until_all##VECTOR( \
		TYPE *ivars, size_t nelems, const int *status, int cmp, VALUE); \
	GSHMEM_API size_t gshmem_##NAME##_wait_until_any##VECTOR( \
		TYPE *ivars, size_t nelems, const int *status, int cmp, VALUE); \
	GSHMEM_API size_t gshmem_##NAME##_wait_until_some##VECTOR( \
		TYPE *ivars, size_t nelems, size_t *indices, const int *status, int cmp, VALUE); \
	GSHMEM_API int gshmem_##NAME##_test_all##VECTOR( \
		TYPE *ivars, size_t nelems, const int *status, int cmp, VALUE); \
	GSHMEM_API size_t gshmem_##NAME##_test_any##VECTOR( \
		TYPE *ivars, size_t nelems, const int *status, int cmp, VALUE); \
	GSHMEM_API size_t gshmem_##NAME##_test_some##VECTOR( \
		TYPE *ivars, size_t nelems, size_t *indices, const int *status, int cmp, VALUE);
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEMI_DECLARE_VALUES(NAME, TYPE, , TYPE cmp_value) \
	GSHMEMI_DECLARE_VALUES(NAME, TYPE, _vector, const TYPE *cmp_values)
GSHMEM_WAIT_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#undef GSHMEMI_DECLARE_VALUES

/* ---- order --------------------------------------------------------------------------------------------- */

/*
 * gshmem_fence    - to each PE, the caller's earlier operations arrive before its later ones.
 * gshmem_quiet    - the caller's earlier operations have arrived, on every PE.
 * gshmem_pe_quiet - the same for the npes PEs in target_pes; with npes 0 it does nothing.
 *
 * The caller is one thread of a kernel, or the host: its threads, and the kernels whose end it has seen. For
 * a group use gshmemx_quiet_wave and _wg: __syncthreads() followed by one thread's quiet does not complete
 * the other threads' operations.
 *
 * Callable  host; kernel, one thread.
 * Returns   quiet and pe_quiet: when the operations have arrived; fence: perhaps before.
 * Order     puts, atomics, signals, stores through gshmem_ptr, calls to the CPU that were posted
 *           (gshmemx_rpc_post). quiet also completes _nbi gets and fetches. Only operations without a
 *           context, or in GSHMEM_CTX_DEFAULT.
 * Errors    checked: a PE of target_pes that does not exist.
 */
GSHMEM_API void gshmem_fence(void);
GSHMEM_API void gshmem_quiet(void);
GSHMEM_API void gshmem_pe_quiet(const int *target_pes, size_t npes);

/* ---- locks --------------------------------------------------------------------------------------------- */

/*
 * gshmem_set_lock   - wait until the lock is free, and take it: first come, first served.
 * gshmem_test_lock  - take the lock if it is free.
 * gshmem_clear_lock - gshmem_quiet, then release the lock.
 *
 * lock  symmetric address of 8 bytes, 0 on all PEs before the first use. It is one lock of all PEs. While it
 *       is in use nothing else may be kept in any PE's word; when it is free all of them are 0.
 *
 * A lock excludes all others: other PEs, other CPU threads of the PE, other threads of kernels. The holder
 * releases it, and does not take it again before. Threads of one wave must not wait for each other, because
 * on a GPU the holder may then never run on: let one of them take the lock for all.
 *
 * Callable  host; kernel, one thread.
 * Returns   set_lock: when the caller holds the lock. test_lock: 0 if the caller holds it now, 1 if not.
 *           clear_lock: when the lock is released.
 * Order     what was complete at a clear_lock is visible after the next set_lock, or after the next test_lock
 *           that returns 0. Operations in another context than the default one need a gshmem_ctx_quiet
 *           before.
 * Errors    checked: a lock outside the heap; clear_lock of a lock that is free.
 */
GSHMEM_API void gshmem_set_lock(long *lock);
GSHMEM_API void gshmem_clear_lock(long *lock);
GSHMEM_API int gshmem_test_lock(long *lock);

/* ---- profiling ----------------------------------------------------------------------------------------- */

/*
 * gshmem_pcontrol - do nothing: a profiler defines its own in place of it.
 *
 * level  0 and less: off; 1: on; 2: on, and write what was gathered; more: the profiler's own
 *
 * Callable  host, at any time.
 */
GSHMEM_HOST_API void gshmem_pcontrol(int level, ...);

GSHMEMI_END_C

#include <gshmemx.h>

#if GSHMEMI_KERNELS
GSHMEMI_ARCH_QUIET_BEGIN
#include <gshmem/state/unit.h>
#include <gshmem/move/rma.h>
#include <gshmem/move/amo.h>
#include <gshmem/wait/wait.h>
#include <gshmem/wait/wait_many.h>
#include <gshmem/order/sync.h>
#include <gshmem/move/signal.h>
#include <gshmem/order/context.h>
#include <gshmem/order/lock.h>
#include <gshmem/coll/coll_calls.h>
#include <gshmem/rpc/rpc.h>
#include <gshmem/rpc/rpc_user.h>
#include <gshmem/rpc/rpc_print.h>
#endif

#ifndef GSHMEMI_LIBRARY
#include <gshmem/api/generic.h>
#include <gshmem/api/coll_generic.h>
#endif
#if GSHMEMI_KERNELS
GSHMEMI_ARCH_QUIET_END
#endif

GSHMEMI_QUIET_END

#endif /* GSHMEM_H */
