/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gshmemx: what gshmem has beyond OpenSHMEM. Included by gshmem.h.
 *
 * Calls with _wave and _wg move data or wait together. The contract of all of them:
 *
 *   _wave  the lanes of one wave that reach the call together make it together; any subset, converged
 *   _wg    every thread of the work-group makes it; it is a __syncthreads() on both sides
 *   Arguments are equal in all threads of the group.
 *   Data that any thread of the group wrote before is sent; after, every thread may reuse source or read dest.
 *   Order is as for the call without suffix, for the group: a later gshmemx_fence or gshmemx_quiet of the same group
 *   covers it. One thread's gshmem_quiet does not cover what the others moved.
 *   Callable from kernels; from the host they are the call without suffix.
 */
#ifndef GSHMEMX_H
#define GSHMEMX_H

#ifndef GSHMEM_H
#error "include <gshmem.h>, which includes <gshmemx.h>"
#endif

#if GSHMEMI_KERNELS
#include <hip/hip_fp16.h>
typedef __half gshmemx_half_t;
#if __has_include(<hip/hip_bf16.h>)
#include <hip/hip_bf16.h>
typedef __hip_bfloat16 gshmemx_bfloat16_t;
#else /* ROCm before 5.6 */
#include <hip/hip_bfloat16.h>
typedef hip_bfloat16 gshmemx_bfloat16_t;
#endif
#else
/* The bits of an IEEE binary16 and of a bfloat16. */
typedef struct gshmemx_half { uint16_t bits; } gshmemx_half_t;
typedef struct gshmemx_bfloat16 { uint16_t bits; } gshmemx_bfloat16_t;
#endif

GSHMEMI_BEGIN_C

/* ---- setup ---------------------------------------------------------------------------------------------------- */

/* Attributes of init; start from GSHMEMX_INIT_ATTR_DEFAULT. */
struct gshmemx_init_attributes {
	size_t size;         /* sizeof (struct gshmemx_init_attributes), so that fields can be added */
	const void *mpi_comm;/* MPI_Comm *, whose processes become the PEs; NULL: MPI_COMM_WORLD */
	int thread_level;    /* GSHMEM_THREAD_* */
	int device;          /* HIP device of this PE; -1: GSHMEM_DEVICE, else the current one, else by local rank */
	size_t heap_nbytes;  /* size of the symmetric heap; 0: GSHMEM_HEAP_SIZE */
};
#define GSHMEMX_INIT_ATTR_DEFAULT {sizeof(struct gshmemx_init_attributes), NULL, GSHMEM_THREAD_SINGLE, -1, 0}

/*
 * gshmemx_init_attr - gshmem_init over a communicator, on a device, with a heap of a size.
 *
 * Callable  host, collective over the communicator.
 * Returns   0; or a negative errno, the same on every PE, after one message on the PE that failed.
 */
GSHMEM_HOST_API int gshmemx_init_attr(const struct gshmemx_init_attributes *attr);

/*
 * gshmemx_module_init - make the kernels of a module ready that was loaded by hipModuleLoad or hipModuleLoadData.
 *
 * module    a hipModule_t whose code includes gshmem.h; compiled at run time (hiprtc, nvrtc), or with -DGSHMEM_MODULE.
 *           NULL: units of shared objects that were dlopened since (the next gshmem_malloc, gshmem_barrier_all or
 *           gshmem_my_pe on the host does the same)
 *
 * To be called after init, once for each load, before the first kernel of the module. gshmem_finalize takes the module
 * back to where a kernel that uses the library stops with a message; after another init call it again. The module must
 * stay loaded until gshmem_finalize, which writes to it.
 *
 * Callable  host, while no kernel of the module is running.
 * Returns   0; or a negative errno after a message: no device state in the module, other headers, another
 *           GSHMEM_MAX_PES, or GSHMEM_DIRECT_ONLY where something needs more.
 */
GSHMEM_HOST_API int gshmemx_module_init(void *module);

/* ---- launch --------------------------------------------------------------------------------------------------- */

/*
 * gshmemx_collective_launch - launch a kernel whose threads wait for other work-groups or other PEs.
 *
 * A work-group that waits keeps its place on the GPU. What it waits for must have one too, so all work-groups of such
 * a kernel must be resident at once: this call asks how many can be, launches cooperatively, and refuses a grid that is
 * larger. PEs that share a device share its room: each gets an equal part. docs/launch.md says more.
 *
 * func           the kernel
 * grid, block    work-groups, and threads of each: x, y, z. They may differ between PEs
 * args           the addresses of the kernel's arguments, in order
 * shared_nbytes  dynamic shared memory of a work-group
 * stream         hipStream_t
 *
 * In a HIP unit there is also a form that takes the kernel by its name, and grid and block as dim3; on the cpu platform
 * it is the only one, for a kernel's types are known to C++ alone.
 *
 * Callable  host, collective over all PEs.
 * Returns   0 when the kernel is queued. On every PE a negative errno, with nothing launched anywhere, when it does not
 *           fit on some PE (-E2BIG) or its device cannot do this, after one message that says how many work-groups fit.
 *           On one PE alone when the launch itself fails.
 */
GSHMEM_HOST_API int gshmemx_collective_launch(const void *func, const unsigned grid[3], const unsigned block[3],
					      void **args, size_t shared_nbytes, void *stream);

/*
 * gshmemx_collective_launch_limit - how many work-groups of a kernel gshmemx_collective_launch takes on this PE.
 *
 * Callable  host.
 * Returns   0, with *ngroups set; or a negative errno after a message.
 */
GSHMEM_HOST_API int gshmemx_collective_launch_limit(const void *func, const unsigned block[3], size_t shared_nbytes,
						    unsigned *ngroups);

/* The two halves of it, around the launch. */
GSHMEM_HOST_API int gshmemi_host_launch_begin(const void *func, const unsigned grid[3], const unsigned block[3],
					      size_t shared_nbytes);
GSHMEM_HOST_API int gshmemi_host_launch_end(int hip_error);

/* ---- memory --------------------------------------------------------------------------------------------------- */

/* The symmetric heap of this PE; all PEs have the same. All in bytes but nallocations. */
struct gshmemx_heap_usage {
	size_t total;
	size_t used;          /* by allocations, with their rounding */
	size_t requested;     /* what was asked for */
	size_t free;
	size_t largest_free;  /* the largest gshmem_malloc that would succeed */
	size_t nallocations;
};

/* gshmemx_heap_stats - fill *usage. Callable host. Returns 0 or a negative errno. */
GSHMEM_HOST_API int gshmemx_heap_stats(struct gshmemx_heap_usage *usage);

/* ---- 16-bit floating point: as the gshmem_ calls of the same name ----------------------------------------------- */

#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmemx_##NAME##_put(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_nbi(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_p(TYPE *dest, TYPE value, int pe); \
	GSHMEM_API TYPE gshmemx_##NAME##_g(const TYPE *source, int pe);
GSHMEMX_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE

/* ---- put, get and put_signal by a wave or work-group ------------------------------------------------------------ */

#define GSHMEMI_DECLARE_SCOPE(NAME, TYPE, SCOPE) \
	GSHMEM_API void gshmemx_##NAME##_put_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_nbi_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_get_nbi_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_iput_##SCOPE(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
						      size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_iget_##SCOPE(TYPE *dest, const TYPE *source, ptrdiff_t dst, ptrdiff_t sst, \
						      size_t nelems, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_signal_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, \
							    uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmemx_##NAME##_put_signal_nbi_##SCOPE(TYPE *dest, const TYPE *source, size_t nelems, \
								uint64_t *sig_addr, uint64_t signal, int sig_op, \
								int pe);
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEMI_DECLARE_SCOPE(NAME, TYPE, wave) \
	GSHMEMI_DECLARE_SCOPE(NAME, TYPE, wg)
GSHMEM_RMA_TYPES(GSHMEMI_DECLARE)
GSHMEMX_RMA_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
#undef GSHMEMI_DECLARE_SCOPE

#define GSHMEMI_DECLARE_SCOPE(SIZE, SCOPE) \
	GSHMEM_API void gshmemx_put##SIZE##_##SCOPE(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_get##SIZE##_##SCOPE(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_put##SIZE##_nbi_##SCOPE(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_get##SIZE##_nbi_##SCOPE(void *dest, const void *source, size_t nelems, int pe); \
	GSHMEM_API void gshmemx_put##SIZE##_signal_##SCOPE(void *dest, const void *source, size_t nelems, \
							   uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	GSHMEM_API void gshmemx_put##SIZE##_signal_nbi_##SCOPE(void *dest, const void *source, size_t nelems, \
							       uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
#define GSHMEMI_DECLARE(SIZE, NBYTES) \
	GSHMEMI_DECLARE_SCOPE(SIZE, wave) \
	GSHMEMI_DECLARE_SCOPE(SIZE, wg) \
	GSHMEM_API void gshmemx_iput##SIZE##_wave(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
						  size_t nelems, int pe); \
	GSHMEM_API void gshmemx_iput##SIZE##_wg(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
						size_t nelems, int pe); \
	GSHMEM_API void gshmemx_iget##SIZE##_wave(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
						  size_t nelems, int pe); \
	GSHMEM_API void gshmemx_iget##SIZE##_wg(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
						size_t nelems, int pe);
GSHMEM_RMA_SIZES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEMI_DECLARE_SCOPE(mem, wave) /* nelems counts bytes */
GSHMEMI_DECLARE_SCOPE(mem, wg)
#undef GSHMEMI_DECLARE_SCOPE

/* ---- barrier, wait and order by a wave or work-group ------------------------------------------------------------ */

/*
 * gshmemx_barrier_all_SCOPE  completes the operations of every thread of the group, then waits for all PEs
 * gshmemx_sync_all_SCOPE     waits for all PEs
 * gshmemx_fence_SCOPE        what any thread of the group did before arrives before what any does after
 * gshmemx_quiet_SCOPE        what any thread of the group did before has arrived
 */
GSHMEM_API void gshmemx_barrier_all_wave(void);
GSHMEM_API void gshmemx_barrier_all_wg(void);
GSHMEM_API void gshmemx_sync_all_wave(void);
GSHMEM_API void gshmemx_sync_all_wg(void);
GSHMEM_API void gshmemx_fence_wave(void);
GSHMEM_API void gshmemx_fence_wg(void);
GSHMEM_API void gshmemx_quiet_wave(void);
GSHMEM_API void gshmemx_quiet_wg(void);

/* gshmemx_TYPENAME_wait_until_SCOPE: one lane polls for the group; after, every thread sees what was ordered before. */
#define GSHMEMI_DECLARE(NAME, TYPE) \
	GSHMEM_API void gshmemx_##NAME##_wait_until_wave(TYPE *ivar, int cmp, TYPE cmp_value); \
	GSHMEM_API void gshmemx_##NAME##_wait_until_wg(TYPE *ivar, int cmp, TYPE cmp_value);
GSHMEM_WAIT_TYPES(GSHMEMI_DECLARE)
#undef GSHMEMI_DECLARE
GSHMEM_API uint64_t gshmemx_signal_wait_until_wave(uint64_t *sig_addr, int cmp, uint64_t cmp_value);
GSHMEM_API uint64_t gshmemx_signal_wait_until_wg(uint64_t *sig_addr, int cmp, uint64_t cmp_value);

GSHMEMI_END_C

#if GSHMEMI_KERNELS && defined(__cplusplus)
template <typename... P>
static inline int gshmemx_collective_launch(void (*kernel)(P...), dim3 grid, dim3 block, void **args,
					    size_t shared_nbytes, hipStream_t stream)
{
	const unsigned ngroups[3] = {grid.x, grid.y, grid.z}, nthreads[3] = {block.x, block.y, block.z};
	int rc = gshmemi_host_launch_begin(reinterpret_cast<const void *>(kernel), ngroups, nthreads, shared_nbytes);

	if (rc)
		return rc;
	return gshmemi_host_launch_end(
		hipLaunchCooperativeKernel(kernel, grid, block, args, (unsigned)shared_nbytes, stream));
}
#endif

#endif /* GSHMEMX_H */
