/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmem: OpenSHMEM between GPUs, from inside kernels.
 *
 * Names, argument order and semantics are those of OpenSHMEM 1.6 with the prefix gshmem_. What goes beyond it is in
 * gshmemx.h (included at the end): wave and work-group calls, attributes of init, 16-bit floating point.
 *
 * One header for three kinds of program. In C and C++ it declares functions of libgshmem. In a HIP unit the same
 * names are inline functions that a kernel calls without any device linking, and the CPU calls too.
 *
 * Words used below. A PE is one process of the job. The symmetric heap is memory that gshmem_malloc gives; an
 * address in it is symmetric: it names the same object on every PE, and dest or source on another PE is always given
 * as the address on one's own. "Bad input: checked" means that GSHMEM_CHECK=1 turns it into a message and the end of
 * the job; without it the behaviour is undefined.
 *
 * "Callable" says host, kernel, or both. In a kernel a call without suffix is made by one thread for itself; all
 * threads that reach it make a call each. What each call orders, on which platform and by what, is in
 * docs/ordering.md.
 */
#ifndef GSHMEM_H
#define GSHMEM_H

#include <stddef.h>
#include <stdint.h>
#include <gshmem/api/types.h>
#include <gshmem/arch/arch.h>
#include <gshmem/api/complex.h>
#include <gshmem/api/context_list.h>
#include <gshmem/api/coll_list.h>

GSHMEMI_BEGIN_C

/* ---- setup and query ------------------------------------------------------------------------------------------ */

#define GSHMEM_MAJOR_VERSION 1
#define GSHMEM_MINOR_VERSION 6
#define GSHMEM_MAX_NAME_LEN  256
#define GSHMEM_VENDOR_STRING "gshmem"

/* Thread levels of gshmem_init_thread, as MPI's. */
enum {
	GSHMEM_THREAD_SINGLE,
	GSHMEM_THREAD_FUNNELED,
	GSHMEM_THREAD_SERIALIZED,
	GSHMEM_THREAD_MULTIPLE
};

/*
 * gshmem_init - join the job: choose a device, allocate the symmetric heap, map the heaps of all peers.
 *
 * Starts MPI if the program has not. Every PE of MPI_COMM_WORLD must call it (gshmemx_init_attr takes a
 * communicator, or starts a job without MPI). May be called again after gshmem_finalize; calls nest, and the last gshmem_finalize counts.
 *
 * Callable  host, collective.
 * Returns   when every PE is ready to be written to.
 * Errors    printed; the job ends with status 1 on all PEs.
 */
GSHMEM_HOST_API void gshmem_init(void);

/*
 * gshmem_init_thread - gshmem_init with a thread level.
 *
 * requested  GSHMEM_THREAD_*
 * provided   receives the level that was given, at least what was asked for
 *
 * Callable  host, collective.
 * Returns   0; or not 0 on every PE, after a message on the PE that failed.
 */
GSHMEM_HOST_API int gshmem_init_thread(int requested, int *provided);

/*
 * gshmem_finalize - leave the job: complete all operations, wait for every PE, unmap, free the heap.
 *
 * If gshmem_init started MPI, it is finalized when the process exits, for it cannot be started twice. No kernel that
 * uses the library may be running. A PE that exits without gshmem_finalize ends the job with a message, and with a status
 * that is not 0.
 *
 * Callable  host, collective.
 */
GSHMEM_HOST_API void gshmem_finalize(void);

/*
 * gshmem_global_exit - end the whole job with a status, from any one PE.
 *
 * The exit handlers of the calling process run. All PEs write out what stdio has buffered. MPI ends all its processes,
 * also those that are not PEs of this job, and the launcher returns the status. In a job that started by a unique id
 * every PE ends with the status.
 *
 * Callable  host.
 * Returns   never. The other PEs end too, also when they wait in a barrier or in a kernel.
 */
GSHMEM_HOST_API void gshmem_global_exit(int status);

/* gshmem_query_thread - the thread level in force. Callable host. */
GSHMEM_HOST_API void gshmem_query_thread(int *provided);

/* gshmem_query_initialized - *flag is 1 between init and finalize, else 0. Callable host, at any time. */
GSHMEM_HOST_API void gshmem_query_initialized(int *flag);

/* gshmem_my_pe, gshmem_n_pes - this PE's number, 0 .. n-1, and how many there are. Callable host, kernel. */
GSHMEM_API int gshmem_my_pe(void);
GSHMEM_API int gshmem_n_pes(void);

/*
 * gshmem_pe_accessible   - 1 if the library can reach pe, else 0; also for a number that no PE has
 * gshmem_addr_accessible - 1 if addr is symmetric and the library can reach it on pe, else 0
 *
 * Callable  host.
 */
GSHMEM_HOST_API int gshmem_pe_accessible(int pe);
GSHMEM_HOST_API int gshmem_addr_accessible(const void *addr, int pe);

/*
 * gshmem_ptr - the address in this process of the object that dest names on pe, for loads and stores.
 *
 * Where the memory is a GPU's, the address is for kernels and for HIP's copies, not for the CPU.
 * Returns NULL when pe's memory is not mapped here. Accesses through it are not the library's: gshmem_fence orders
 * and gshmem_quiet completes the caller's stores, but GSHMEM_CHECK does not see them and GSHMEM_CPU_DELIVERY does
 * not delay them.
 *
 * Callable  host, kernel.
 */
GSHMEM_API void *gshmem_ptr(const void *dest, int pe);

/* gshmem_info_get_version, _name - the version of OpenSHMEM; the vendor string, up to GSHMEM_MAX_NAME_LEN. */
GSHMEM_HOST_API void gshmem_info_get_version(int *major, int *minor);
GSHMEM_HOST_API void gshmem_info_get_name(char *name);

/* ---- memory --------------------------------------------------------------------------------------------------- */

/*
 * The symmetric heap. Every PE calls with the same arguments in the same order; the arguments are compared, and
 * different ones are an error on every PE that changes nothing. The memory is GPU memory: on a GPU the CPU may not
 * read it directly.
 *
 * gshmem_malloc   nbytes of uninitialised memory
 * gshmem_calloc   count * size bytes of zeros
 * gshmem_align    nbytes at a multiple of alignment, a power of two
 * gshmem_realloc  the block at ptr (NULL: none) grown or shrunk to nbytes; ptr stays valid when it fails
 * gshmem_malloc_with_hints  nbytes; hints is 0 or GSHMEM_MALLOC_*, which change nothing here: all of the heap
 *                 serves atomics and signals
 * gshmem_free     gives ptr back; NULL is allowed
 *
 * Memory is aligned to 128 bytes at least. Zero bytes give NULL.
 *
 * Callable  host, collective over all PEs.
 * Returns   after a barrier over all PEs: memory from malloc may be written to by any PE at once. gshmem_free
 *           and gshmem_realloc begin with one, too.
 * Errors    NULL on every PE and a message: out of memory (with the bytes that are free), alignment no power of
 *           two, arguments that differ. A pointer that is no allocation: a message, and nothing is freed.
 */
#define GSHMEM_MALLOC_ATOMICS_REMOTE 1L
#define GSHMEM_MALLOC_SIGNAL_REMOTE  2L
GSHMEM_HOST_API void *gshmem_malloc(size_t nbytes);
GSHMEM_HOST_API void *gshmem_calloc(size_t count, size_t size);
GSHMEM_HOST_API void *gshmem_align(size_t alignment, size_t nbytes);
GSHMEM_HOST_API void *gshmem_realloc(void *ptr, size_t nbytes);
GSHMEM_HOST_API void *gshmem_malloc_with_hints(size_t nbytes, long hints);
GSHMEM_HOST_API void gshmem_free(void *ptr);

/* ---- teams ---------------------------------------------------------------------------------------------------- */

/*
 * A team is a set of PEs with numbers of their own, 0 .. n-1, that make collective calls together. Handles may be passed
 * to kernels; they are this PE's own and mean nothing on another one. All calls with a team take its PE numbers.
 *
 * GSHMEM_TEAM_WORLD     all PEs
 * GSHMEM_TEAM_SHARED    PEs that reach each other's heap by loads and stores (gshmem_ptr), this one among them
 * GSHMEM_TEAM_INVALID   no team
 *
 * Bad handles, and those of teams that were destroyed: on the host an error that ends the job; in kernels checked.
 */
typedef struct gshmemi_team *gshmem_team_t; /* opaque: there is no such structure */
#define GSHMEM_TEAM_INVALID ((gshmem_team_t)0)
#define GSHMEM_TEAM_WORLD   ((gshmem_team_t)1)
#define GSHMEM_TEAM_SHARED  ((gshmem_team_t)2)

/* num_contexts: contexts that the program wants to have of the team at a time; as many as it asks for are given. */
typedef struct {
	int num_contexts;
} gshmem_team_config_t;
#define GSHMEM_TEAM_NUM_CONTEXTS 1L /* for config_mask: config->num_contexts counts; else it is 0 */

/*
 * gshmem_team_my_pe        - this PE's number in a team, gshmem_team_n_pes - how many PEs it has; -1 for _INVALID.
 * gshmem_team_translate_pe - the number in dest_team of PE src_pe of src_team; -1 if it is not in both, or for _INVALID.
 * gshmem_team_ptr          - gshmem_ptr for a PE of a team; NULL for a number that no PE has, and for _INVALID.
 *
 * Callable  host, kernel.
 */
GSHMEM_API int gshmem_team_my_pe(gshmem_team_t team);
GSHMEM_API int gshmem_team_n_pes(gshmem_team_t team);
GSHMEM_API int gshmem_team_translate_pe(gshmem_team_t src_team, int src_pe, gshmem_team_t dest_team);
GSHMEM_API void *gshmem_team_ptr(gshmem_team_t team, const void *dest, int pe);

/* gshmem_team_get_config - the parameters of a team that config_mask names. Returns 0; not 0 for _INVALID. Callable host. */
GSHMEM_HOST_API int gshmem_team_get_config(gshmem_team_t team, long config_mask, gshmem_team_config_t *config);

/*
 * gshmem_team_split_strided - a team of the PEs start, start + stride, ... of parent_team, size of them, in this order.
 *
 * start, stride, size  equal on all PEs of parent_team. A stride below 0 turns the order round; it may be 0 for one PE
 * config, config_mask  as above; config may be NULL where config_mask is 0
 * new_team             receives the handle; GSHMEM_TEAM_INVALID on PEs that are not in the team, and on errors
 *
 * Callable  host, collective over parent_team.
 * Returns   0 on all its PEs when all have called; or not 0 on all of them, after a message, when the arguments are no
 *           part of the parent or differ, or when some PE has no room for another team (GSHMEM_TEAMS).
 */
GSHMEM_HOST_API int gshmem_team_split_strided(gshmem_team_t parent_team, int start, int stride, int size,
					      const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team);

/*
 * gshmem_team_split_2d - two teams: with PE number pe of parent_team at x = pe % xrange, y = pe / xrange, those of the
 * same y, numbered by x, and those of the same x, numbered by y.
 *
 * xrange  at least 1, equal on all PEs of parent_team; more than the PEs there are is as many as there are
 * the rest, Callable, Returns  as gshmem_team_split_strided; configurations may differ from team to team.
 */
GSHMEM_HOST_API int gshmem_team_split_2d(gshmem_team_t parent_team, int xrange, const gshmem_team_config_t *xaxis_config,
					 long xaxis_mask, gshmem_team_t *xaxis_team, const gshmem_team_config_t *yaxis_config,
					 long yaxis_mask, gshmem_team_t *yaxis_team);

/*
 * gshmem_team_destroy - give a team up; nothing for _INVALID. GSHMEM_TEAM_WORLD and _SHARED stay: an error.
 *
 * Callable  host, collective over the team.
 * Returns   when all its PEs have called.
 */
GSHMEM_HOST_API void gshmem_team_destroy(gshmem_team_t team);

/* ---- contexts ------------------------------------------------------------------------------------------------- */

/*
 * A context is an order of its own: gshmem_ctx_fence and _quiet are about the operations in it and no others, and those of
 * gshmem_fence and gshmem_quiet about the ones of GSHMEM_CTX_DEFAULT, which is where all calls without a context are. It
 * belongs to a team, and PE numbers in its calls are the team's. Handles may be passed to kernels.
 *
 * A bad handle, GSHMEM_CTX_INVALID among them, is an error that ends the job; in a kernel it is a fault. With GSHMEM_CHECK=1
 * so is the handle of a context that was destroyed, in every call. Without it the calls that the CPU alone may make, and its
 * fence, quiet and sessions, refuse such a handle; others may take it for the context that it was: a put reads no table.
 */
typedef struct gshmemi_ctx *gshmem_ctx_t; /* opaque: there is no such structure */
#define GSHMEM_CTX_INVALID ((gshmem_ctx_t)0)
#define GSHMEM_CTX_DEFAULT ((gshmem_ctx_t)0x800000008001)

/* Options; they may be combined. They promise what the program does, and change nothing here. */
#define GSHMEM_CTX_SERIALIZED 1L /* no two threads use it at the same time */
#define GSHMEM_CTX_PRIVATE    2L /* one thread alone uses it, the one that creates it */
#define GSHMEM_CTX_NOSTORE    4L /* its fence and quiet need not order plain stores */

/*
 * gshmem_ctx_create      - a context of all PEs.
 * gshmem_team_create_ctx - a context of a team; also when more are alive than num_contexts of the team asked for.
 * gshmem_ctx_destroy     - gshmem_ctx_quiet, and give it up; nothing for _INVALID. GSHMEM_CTX_DEFAULT: an error.
 * gshmem_ctx_get_team    - the team of a context; GSHMEM_TEAM_INVALID and not 0 for _INVALID.
 *
 * gshmem_team_destroy destroys the contexts of the team.
 *
 * Callable  host.
 * Returns   0; or not 0 and GSHMEM_CTX_INVALID, after a message, for options that do not exist, no team, or when there are
 *           GSHMEM_CONTEXTS of them.
 */
GSHMEM_HOST_API int gshmem_ctx_create(long options, gshmem_ctx_t *ctx);
GSHMEM_HOST_API int gshmem_team_create_ctx(gshmem_team_t team, long options, gshmem_ctx_t *ctx);
GSHMEM_HOST_API void gshmem_ctx_destroy(gshmem_ctx_t ctx);
GSHMEM_HOST_API int gshmem_ctx_get_team(gshmem_ctx_t ctx, gshmem_team_t *team);

/*
 * gshmem_ctx_session_start, _stop - hints of what follows in a context until the session stops. Each operation is one
 * store or load here, so that there is nothing to batch: they change nothing. Nothing for _INVALID.
 *
 * options      GSHMEM_CTX_SESSION_BATCH: operations may take longer, one by one
 * config       total_ops: how many calls are expected; may be NULL where config_mask is 0
 *
 * Callable  host; kernel, one thread.
 */
typedef struct {
	size_t total_ops;
} gshmem_ctx_session_config_t;
#define GSHMEM_CTX_SESSION_TOTAL_OPS 1L /* for config_mask */
#define GSHMEM_CTX_SESSION_BATCH     1L
GSHMEM_API void gshmem_ctx_session_start(gshmem_ctx_t ctx, long options, const gshmem_ctx_session_config_t *config,
					 long config_mask);
GSHMEM_API void gshmem_ctx_session_stop(gshmem_ctx_t ctx);

/*
 * gshmem_ctx_TYPENAME_put and so on: each call of the chapters from put to signals that has a PE, with a context as its first
 * argument. Callable, Returns and Order are those of the call, within the context; messages name the call without it.
 */
#define GSHMEMI_V(PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API void PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe);
#define GSHMEMI_R(TYPE, PREFIX, NAME, PARAMETERS, ARGUMENTS) \
	GSHMEM_API TYPE PREFIX##_ctx_##NAME(gshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe);
GSHMEMI_CTX_CALLS
#undef GSHMEMI_V
#undef GSHMEMI_R
GSHMEMI_LONG_DOUBLE_API void gshmem_ctx_longdouble_p(gshmem_ctx_t ctx, long double *dest, long double value, int pe);
GSHMEMI_LONG_DOUBLE_API long double gshmem_ctx_longdouble_g(gshmem_ctx_t ctx, const long double *source, int pe);

/* gshmem_ctx_fence, _quiet, _pe_quiet - as gshmem_fence and so on, for a context; nothing for GSHMEM_CTX_INVALID. */
GSHMEM_API void gshmem_ctx_fence(gshmem_ctx_t ctx);
GSHMEM_API void gshmem_ctx_quiet(gshmem_ctx_t ctx);
GSHMEM_API void gshmem_ctx_pe_quiet(gshmem_ctx_t ctx, const int *target_pes, size_t npes);

/* ---- put and get ---------------------------------------------------------------------------------------------- */

/*
 * Bad PEs, addresses outside the symmetric heap or beyond the allocation they start in, null and misaligned
 * addresses: checked. dest and source may not overlap. pe may be the caller's own.
 */

/*
 * gshmem_TYPENAME_put, gshmem_putSIZE, gshmem_putmem - copy from source here to dest on pe.
 *
 * dest     symmetric address, aligned for TYPE (for SIZE bits: for nothing)
 * source   any address that the caller can read
 * nelems   elements of TYPE or SIZE bits, bytes for putmem; 0 is allowed and does nothing
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
 * source   symmetric address, aligned for TYPE (for SIZE bits: for nothing)
 * nelems   elements of TYPE or SIZE bits, bytes for getmem; 0 is allowed and does nothing
 * pe       0 .. npes-1
 *
 * Callable  host; kernel, one thread (gshmemx_..._get_wave and _wg for more).
 * Returns   when the data is in dest.
 * Order     none with the caller's earlier puts; put a gshmem_quiet between to read what one wrote.
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
 * gshmem_TYPENAME_p - write one value to dest on pe: one store.
 * gshmem_TYPENAME_g - read one value from source on pe: one load, never a stale one.
 *
 * Callable  host; kernel, one thread.
 * Returns   p: at once, the value may not have arrived. g: with the value.
 * Order     as put and get. A value of up to 8 bytes is never seen half written.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_p(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_g(const TYPE *source, int pe);
GSHMEM_BASIC_VALUE_TYPES(GSHMEMI_DECLARE)
GSHMEM_ALIAS_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
/* On a GPU these are callable from the host alone. */
GSHMEMI_LONG_DOUBLE_API void gshmem_longdouble_p(long double *dest, long double value, int pe);
GSHMEMI_LONG_DOUBLE_API long double gshmem_longdouble_g(const long double *source, int pe);

/*
 * gshmem_TYPENAME_iput, gshmem_iputSIZE - put every sst-th element of source to every dst-th element of dest.
 * gshmem_TYPENAME_iget, gshmem_igetSIZE - get every sst-th element of source to every dst-th element of dest.
 *
 * dst, sst  distance between two elements of dest and of source, in elements, at least 1
 * the rest  as put and get; for SIZE bits, too, addresses must be aligned to the element
 *
 * Callable, Returns, Order  as put and get.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_iput(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
					     size_t nelems, int pe); \
	GSHMEM_API void gshmem_##NAME##_iget(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
					     size_t nelems, int pe);
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEM_API void gshmem_iput##SIZE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
					  size_t nelems, int pe); \
	GSHMEM_API void gshmem_iget##SIZE(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
					  size_t nelems, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/*
 * gshmem_TYPENAME_ibput, gshmem_ibputSIZE - put blocks of bsize elements, whose beginnings are strides apart.
 * gshmem_TYPENAME_ibget, gshmem_ibgetSIZE - get such blocks.
 *
 * dst, sst  distance between the beginnings of two blocks in dest and in source, in elements, at least bsize
 * bsize     elements of a block
 * nblocks   blocks; where bsize or nblocks is 0 nothing is done
 * the rest  as iput and iget, which are the same with a bsize of 1
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

/* ---- non-blocking put and get --------------------------------------------------------------------------------- */

/*
 * The forms with _nbi return after initiating the copy.
 *
 * Callable  host; kernel, one thread (gshmemx_..._nbi_wave and _wg for more).
 * Returns   at once. Source may not be changed, nor dest of a get be read, before gshmem_quiet has returned.
 * Order     as put; gshmem_fence does not order a get.
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

/* ---- atomics -------------------------------------------------------------------------------------------------- */

/*
 * One read-modify-write of one object on pe, atomic with every other atomic of the library on that object, from
 * hosts and kernels of all PEs. dest is a symmetric address, aligned for TYPE. Bad input: checked.
 *
 * Callable  host; kernel, one thread.
 * Returns   with the old value, where there is one; else at once, and the update may not have arrived. An _nbi form
 *           fills *fetch by the time of the next gshmem_quiet.
 * Order     none by itself (relaxed): gshmem_fence and gshmem_quiet order and complete atomics as they do puts.
 */

/* fetch: read. set: write. swap: write, return the old value. Extended AMO types. */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch(const TYPE *source, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_set(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_swap(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_nbi(TYPE *fetch, const TYPE *source, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_swap_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe);
GSHMEM_EXTENDED_AMO_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/* compare_swap: write value if the object equals cond. inc: add 1. add. Standard AMO types. */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_compare_swap(TYPE *dest, TYPE cond, TYPE value, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch_inc(TYPE *dest, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_inc(TYPE *dest, int pe); \
	GSHMEM_API TYPE gshmem_##NAME##_atomic_fetch_add(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_add(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_compare_swap_nbi(TYPE *fetch, TYPE *dest, TYPE cond, TYPE value, \
								int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_inc_nbi(TYPE *fetch, TYPE *dest, int pe); \
	GSHMEM_API void gshmem_##NAME##_atomic_fetch_add_nbi(TYPE *fetch, TYPE *dest, TYPE value, int pe);
GSHMEM_AMO_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/* and, or, xor. Bitwise AMO types. */
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

/* ---- signals -------------------------------------------------------------------------------------------------- */

/* What a signal does to the signal object: write the value, or add it. */
enum { GSHMEM_SIGNAL_SET, GSHMEM_SIGNAL_ADD };

/*
 * gshmem_TYPENAME_put_signal, gshmem_putSIZE_signal, gshmem_putmem_signal - put, then update a signal on pe.
 *
 * dest, source, nelems, pe  as put; dest and sig_addr may not overlap
 * sig_addr  symmetric address of a uint64_t
 * signal    the value to write or to add
 * sig_op    GSHMEM_SIGNAL_SET or GSHMEM_SIGNAL_ADD; anything else: checked
 *
 * Callable  host; kernel, one thread (gshmemx_..._put_signal_wave and _wg for more).
 * Returns   when source may be reused; the _nbi forms at once.
 * Order     who sees the signal (gshmem_signal_wait_until, gshmem_wait_until, gshmem_test) sees the data of this
 *           put. The caller's earlier puts are not ordered before the signal: use gshmem_fence.
 */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmem_##NAME##_put_signal(TYPE *dest, const TYPE *source, size_t nelems, \
						   uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmem_##NAME##_put_signal_nbi(TYPE *dest, const TYPE *source, size_t nelems, \
						       uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEM_API void gshmem_put##SIZE##_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, \
						  uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmem_put##SIZE##_signal_nbi(void *dest, const void *source, size_t nelems, \
						      uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API void gshmem_putmem_signal(void *dest, const void *source, size_t nbytes, uint64_t *sig_addr,
				     uint64_t signal, int sig_op, int pe);
GSHMEM_API void gshmem_putmem_signal_nbi(void *dest, const void *source, size_t nbytes, uint64_t *sig_addr,
					 uint64_t signal, int sig_op, int pe);

/*
 * gshmem_signal_set, gshmem_signal_add - update a signal on pe without data. As gshmem_uint64_atomic_set and _add.
 * gshmem_signal_fetch - the value of a signal here.
 *
 * Callable  host; kernel, one thread.
 */
GSHMEM_API void gshmem_signal_set(uint64_t *sig_addr, uint64_t signal, int pe);
GSHMEM_API void gshmem_signal_add(uint64_t *sig_addr, uint64_t signal, int pe);
GSHMEM_API uint64_t gshmem_signal_fetch(const uint64_t *sig_addr);

/* ---- collectives ---------------------------------------------------------------------------------------------- */

/*
 * gshmem_sync_all    - wait until every PE has called.
 * gshmem_barrier_all - gshmem_quiet, then gshmem_sync_all.
 *
 * Every PE calls once, from its host or from one thread of a kernel (gshmemx_..._wave and _wg for more). A kernel
 * that calls must be resident as a whole on every PE, and PEs that share a GPU must fit it together.
 *
 * Callable  host, kernel, collective over all PEs.
 * Returns   when every PE has called.
 * Order     barrier_all completes the calling thread's operations (on the host: those of the host and of kernels
 *           that have ended). After either, the caller sees what every PE had completed before it called.
 * Algorithm k-ary dissemination with counters that only grow; D. Hensgen, R. Finkel, U. Manber, "Two algorithms for
 *           barrier synchronization", Int. J. Parallel Programming 17 (1988), generalised to k partners a round.
 */
GSHMEM_API void gshmem_sync_all(void);
GSHMEM_API void gshmem_barrier_all(void);

/*
 * gshmem_team_sync - wait until every PE of a team has called: gshmem_sync_all is this for GSHMEM_TEAM_WORLD.
 *
 * Teams do not disturb each other: two threads or work-groups may each be in the barrier of another team. Calls for one
 * team follow each other.
 *
 * Callable, Order, Algorithm  as gshmem_sync_all (gshmemx_team_sync_wave and _wg for more).
 * Returns   0; for GSHMEM_TEAM_INVALID at once, not 0.
 */
GSHMEM_API int gshmem_team_sync(gshmem_team_t team);

/*
 * All PEs of a team call, in the same order, with the same dest, source and other arguments; a PE makes one such call on a
 * team at a time, by its host or by one of its kernels. PE numbers are the team's.
 *
 * When a PE calls, dest must be ready on all PEs of the team, and source on its own; see docs/ordering.md for calls that
 * follow one another. dest and source are symmetric and do not overlap, except that they may be the same in broadcast,
 * reductions and scans. 0 elements are allowed.
 *
 * int gshmem_TYPENAME_broadcast(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems, int PE_root)
 *	nelems elements of source on PE_root to dest on all PEs, the root among them
 * int gshmem_TYPENAME_collect(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	what all PEs have in source, in the order of PEs, to dest on all; nelems may differ
 * int gshmem_TYPENAME_fcollect(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	the same of nelems elements from each
 * int gshmem_TYPENAME_alltoall(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	block j of nelems elements of source to block i of dest on PE j; i is the caller
 * int gshmem_TYPENAME_alltoalls(gshmem_team_t team, TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst,
 *				 size_t nelems)
 *	the same, with elements sst apart in source and dst apart in dest, both at least 1
 * int gshmem_TYPENAME_OP_reduce(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nreduce)
 *	dest[k] = source[k] of PE 0 OP source[k] of PE 1 OP ..., on all PEs; OP: and or xor max min sum prod, where the
 *	type has it
 * int gshmem_TYPENAME_sum_inscan(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	dest[k] = the sum of source[k] of the PEs up to the caller, with its own
 * int gshmem_TYPENAME_sum_exscan(gshmem_team_t team, TYPE *dest, const TYPE *source, size_t nelems)
 *	the same without its own; 0 on PE 0
 *
 * gshmem_broadcastmem and so on, with void pointers, count bytes.
 *
 * Results of floating point are those of this order on all PEs, for every number of elements and every scope. max and min
 * keep a value until a later PE's is greater or less: a NaN stays if it is PE 0's, and is passed over if it is not.
 *
 * Callable  host; kernel, one thread (gshmemx_..._wave and _wg for more, gshmemx_..._on_stream for a stream).
 * Returns   0 when dest is there and source may be reused; other PEs may still be at it. -EINVAL for GSHMEM_TEAM_INVALID.
 * Order     none but for dest and source: other operations are neither completed nor ordered.
 * Bad input checked: addresses, overlap (but of alltoallv's blocks), PE_root; and arguments that differ between PEs.
 */
#if !GSHMEMI_KERNELS /* else coll_calls.h has them with their bodies: there are many */
#define GSHMEMI_F(PREFIX, NAME, PARAMETERS, ARGS, BODY) GSHMEM_API int PREFIX##_##NAME PARAMETERS;
GSHMEMI_COLL_CALLS
GSHMEMI_COLL_LONG_DOUBLE_CALLS /* in HIP units for GPUs these are callable from the host alone */
#undef GSHMEMI_F
#endif

/* ---- wait and test -------------------------------------------------------------------------------------------- */

/* How ivar is compared with cmp_value. */
enum {
	GSHMEM_CMP_EQ = 1,
	GSHMEM_CMP_NE,
	GSHMEM_CMP_GT,
	GSHMEM_CMP_GE,
	GSHMEM_CMP_LT,
	GSHMEM_CMP_LE
};

/*
 * gshmem_TYPENAME_wait_until - wait until the object at ivar here satisfies (ivar cmp cmp_value).
 * gshmem_TYPENAME_test       - 1 if it does now, else 0.
 * gshmem_signal_wait_until   - wait_until on a signal; returns the value that satisfied.
 *
 * ivar       symmetric address on this PE, aligned; another PE updates it by p, atomics or signals
 * cmp        GSHMEM_CMP_*; anything else: checked
 *
 * Callable  host; kernel, one thread (gshmemx_..._wait_until_wave and _wg for more).
 * Returns   when the condition holds. A wait longer than GSHMEM_WATCHDOG seconds is reported and goes on; when a PE
 *           dies, the wait ends with the job.
 * Order     what the updating PE ordered before its update (fence, quiet, put_signal) is visible after.
 *
 * A host's loop around test, test_lock or signal_fetch gives its core away now and then, as a wait does, so that PEs may
 * outnumber cores. One around g, get or an atomic that fetches does not, which would cost all calls of these.
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
 * gshmem_TYPENAME_wait_until_some  - wait until at least one does; returns how many do, with their indices.
 * gshmem_TYPENAME_test_all         - 1 if every one does now, else 0.
 * gshmem_TYPENAME_test_any         - the index of one that does now; SIZE_MAX if none does.
 * gshmem_TYPENAME_test_some        - how many do now, with their indices.
 * ..._vector                       - the same with a value for each: cmp_values[i].
 *
 * ivars      symmetric address on this PE of nelems objects, aligned; others update them by p, atomics or signals
 * nelems     0 is allowed
 * indices    room for nelems
 * status     nelems words, not 0: leave this object out; NULL: none. May be anywhere, but in ivars
 * cmp        GSHMEM_CMP_*; anything else: checked
 *
 * When nothing is waited for, because nelems is 0 or all are left out, _all returns at once (test_all 1), _any SIZE_MAX and
 * _some 0. _any looks at the objects from any of them on: called again and again it returns each one that satisfies.
 * _all may have seen them one after the other.
 *
 * TYPENAME may also be short and ushort: an extension, of which OpenSHMEM has the calls on one object alone.
 *
 * Callable  host; kernel, one thread.
 * Returns   as gshmem_TYPENAME_wait_until and _test.
 * Order     what the updating PEs ordered before the updates that are reported is visible after.
 */
#define GSHMEMI_DECLARE_VALUES(NAME, TYPE, VECTOR, VALUE) \
	GSHMEM_API void gshmem_##NAME##_wait_until_all##VECTOR(TYPE *ivars, size_t nelems, const int *status, int cmp, VALUE); \
	GSHMEM_API size_t gshmem_##NAME##_wait_until_any##VECTOR(TYPE *ivars, size_t nelems, const int *status, int cmp, \
								 VALUE); \
	GSHMEM_API size_t gshmem_##NAME##_wait_until_some##VECTOR(TYPE *ivars, size_t nelems, size_t *indices, \
								  const int *status, int cmp, VALUE); \
	GSHMEM_API int gshmem_##NAME##_test_all##VECTOR(TYPE *ivars, size_t nelems, const int *status, int cmp, VALUE); \
	GSHMEM_API size_t gshmem_##NAME##_test_any##VECTOR(TYPE *ivars, size_t nelems, const int *status, int cmp, VALUE); \
	GSHMEM_API size_t gshmem_##NAME##_test_some##VECTOR(TYPE *ivars, size_t nelems, size_t *indices, const int *status, \
							    int cmp, VALUE);
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEMI_DECLARE_VALUES(NAME, TYPE, , TYPE cmp_value) \
	GSHMEMI_DECLARE_VALUES(NAME, TYPE, _vector, const TYPE *cmp_values)
GSHMEM_WAIT_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#undef GSHMEMI_DECLARE_VALUES

/* ---- order ---------------------------------------------------------------------------------------------------- */

/*
 * gshmem_fence    - to each PE, what the caller did before arrives before what it does after.
 * gshmem_quiet    - what the caller did before has arrived, on every PE.
 * gshmem_pe_quiet - the same for the npes PEs in target_pes; 0 is allowed and does nothing.
 *
 * "The caller" is the thread in a kernel; on the host it is the host and the kernels whose end it has seen. For a
 * wave or work-group use gshmemx_quiet_wave and _wg: __syncthreads() and then one thread's quiet leave the other
 * threads' operations open.
 *
 * Callable  host; kernel, one thread.
 * Order     puts, atomics, signals, and stores through gshmem_ptr; quiet also completes _nbi gets and fetches.
 */
GSHMEM_API void gshmem_fence(void);
GSHMEM_API void gshmem_quiet(void);
GSHMEM_API void gshmem_pe_quiet(const int *target_pes, size_t npes);

/* ---- locks ---------------------------------------------------------------------------------------------------- */

/*
 * gshmem_set_lock   - wait until nobody has the lock, and set it. Who called first is first to have it.
 * gshmem_test_lock  - set it if nobody has it or waits for it.
 * gshmem_clear_lock - gshmem_quiet, and give it back.
 *
 * lock  symmetric, 8 bytes, 0 on all PEs before it is used and whenever nobody has it. It is one lock of all PEs.
 *
 * A lock keeps out all others: PEs, CPU threads of a PE, threads of kernels. Who sets it clears it, and does not set it
 * again before. Threads of one wave must not wait for one another: on a GPU the one that has the lock may never run on; let
 * one of them set it for all. The PEs' words are not for anything else.
 *
 * Callable  host; kernel, one thread.
 * Returns   test_lock: 0 when the lock has been set; 1 when another one has it.
 * Order     what was completed before a clear_lock, or by it, is visible after the next set_lock, or test_lock that
 *           returns 0. Operations in a context are completed by gshmem_ctx_quiet before.
 * Errors    a lock outside the heap, or cleared while nobody has it: undefined; with GSHMEM_CHECK a message and a trap.
 */
GSHMEM_API void gshmem_set_lock(long *lock);
GSHMEM_API void gshmem_clear_lock(long *lock);
GSHMEM_API int gshmem_test_lock(long *lock);

/* ---- profiling ------------------------------------------------------------------------------------------------ */

/*
 * gshmem_pcontrol - does nothing: a profiler puts its own in its place.
 *
 * level  0 and less: off; 1: on; 2: on, and write what is gathered; more: as the profiler likes
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

#endif /* GSHMEM_H */
