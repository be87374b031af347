/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVSHMEM's names for gshmem's calls, for HIP units, C and C++: docs/porting.md says what differs. Each is the gshmem call of the
 * same name, with _warp for a wave and _block for a work-group; gshmem.h and gshmemx.h say what they do.
 */
#ifndef GSHMEM_COMPAT_NVSHMEM_H
#define GSHMEM_COMPAT_NVSHMEM_H

#include <gshmem/compat/names.h>

/* ---- constants and types ---- */

#define NVSHMEM_MAJOR_VERSION  GSHMEM_MAJOR_VERSION
#define NVSHMEM_MINOR_VERSION  GSHMEM_MINOR_VERSION
#define NVSHMEM_MAX_NAME_LEN   GSHMEM_MAX_NAME_LEN
#define NVSHMEM_VENDOR_STRING  GSHMEM_VENDOR_STRING

#define NVSHMEM_THREAD_SINGLE     GSHMEM_THREAD_SINGLE
#define NVSHMEM_THREAD_FUNNELED   GSHMEM_THREAD_FUNNELED
#define NVSHMEM_THREAD_SERIALIZED GSHMEM_THREAD_SERIALIZED
#define NVSHMEM_THREAD_MULTIPLE   GSHMEM_THREAD_MULTIPLE

#define NVSHMEM_CMP_EQ GSHMEM_CMP_EQ
#define NVSHMEM_CMP_NE GSHMEM_CMP_NE
#define NVSHMEM_CMP_GT GSHMEM_CMP_GT
#define NVSHMEM_CMP_GE GSHMEM_CMP_GE
#define NVSHMEM_CMP_LT GSHMEM_CMP_LT
#define NVSHMEM_CMP_LE GSHMEM_CMP_LE

#define NVSHMEM_SIGNAL_SET GSHMEM_SIGNAL_SET
#define NVSHMEM_SIGNAL_ADD GSHMEM_SIGNAL_ADD

typedef gshmem_team_t nvshmem_team_t;
typedef nvshmem_team_t nvshmemx_team_t;
typedef gshmem_team_config_t nvshmem_team_config_t;
#define NVSHMEM_TEAM_INVALID GSHMEM_TEAM_INVALID
#define NVSHMEM_TEAM_WORLD   GSHMEM_TEAM_WORLD
#define NVSHMEM_TEAM_SHARED  GSHMEM_TEAM_SHARED
#define NVSHMEMX_TEAM_NODE   GSHMEMX_TEAM_NODE
#define NVSHMEM_TEAM_CONFIG_INITIALIZER       {0}
#define NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS GSHMEM_TEAM_NUM_CONTEXTS

enum { NVSHMEMX_SUCCESS = 0, NVSHMEMX_ERROR_INTERNAL = 7 };

/* Of init: mpi_comm points to an MPI_Comm; NULL: MPI_COMM_WORLD. */
typedef struct {
	void *mpi_comm;
} nvshmemx_init_attr_t;
#define NVSHMEMX_INIT_ATTR_INITIALIZER {NULL}
#define NVSHMEMX_INIT_THREAD_PES    0U
#define NVSHMEMX_INIT_WITH_MPI_COMM 2U

/* ---- what the CPU alone calls ---- */

static inline void nvshmem_init(void)
{
	gshmem_init();
}

static inline int nvshmem_init_thread(int requested, int *provided)
{
	return gshmem_init_thread(requested, provided);
}

static inline int nvshmemx_init_attr(unsigned flags, nvshmemx_init_attr_t *attr)
{
	struct gshmemx_init_attributes attributes = GSHMEMX_INIT_ATTR_DEFAULT;

	attributes.mpi_comm = flags & NVSHMEMX_INIT_WITH_MPI_COMM && attr ? attr->mpi_comm : NULL;
	return gshmemx_init_attr(&attributes) ? NVSHMEMX_ERROR_INTERNAL : NVSHMEMX_SUCCESS;
}

static inline int nvshmemx_set_attr_mpi_comm_args(void *mpi_comm, nvshmemx_init_attr_t *attr)
{
	attr->mpi_comm = mpi_comm;
	return NVSHMEMX_SUCCESS;
}

static inline void nvshmem_finalize(void)
{
	gshmem_finalize();
}

static inline void nvshmem_global_exit(int status)
{
	gshmem_global_exit(status);
}

static inline void nvshmem_query_thread(int *provided)
{
	gshmem_query_thread(provided);
}

static inline void nvshmem_info_get_version(int *major, int *minor)
{
	gshmem_info_get_version(major, minor);
}

static inline void nvshmem_info_get_name(char *name)
{
	gshmem_info_get_name(name);
}

static inline void *nvshmem_malloc(size_t nbytes)
{
	return gshmem_malloc(nbytes);
}

static inline void *nvshmem_calloc(size_t count, size_t size)
{
	return gshmem_calloc(count, size);
}

static inline void *nvshmem_align(size_t alignment, size_t nbytes)
{
	return gshmem_align(alignment, nbytes);
}

static inline void nvshmem_free(void *ptr)
{
	gshmem_free(ptr);
}

static inline int nvshmem_team_get_config(nvshmem_team_t team, nvshmem_team_config_t *config)
{
	return gshmem_team_get_config(team, GSHMEM_TEAM_NUM_CONTEXTS, config);
}

static inline int nvshmem_team_split_strided(nvshmem_team_t parent_team, int start, int stride, int size,
					     const nvshmem_team_config_t *config, long config_mask, nvshmem_team_t *new_team)
{
	return gshmem_team_split_strided(parent_team, start, stride, size, config, config_mask, new_team);
}

static inline int nvshmem_team_split_2d(nvshmem_team_t parent_team, int xrange, const nvshmem_team_config_t *xaxis_config,
					long xaxis_mask, nvshmem_team_t *xaxis_team,
					const nvshmem_team_config_t *yaxis_config, long yaxis_mask,
					nvshmem_team_t *yaxis_team)
{
	return gshmem_team_split_2d(parent_team, xrange, xaxis_config, xaxis_mask, xaxis_team, yaxis_config, yaxis_mask,
				    yaxis_team);
}

static inline void nvshmem_team_destroy(nvshmem_team_t team)
{
	gshmem_team_destroy(team);
}

/* A module of HIP's, as it is of CUDA's driver. */
#define nvshmemx_cumodule_init(module)     gshmemx_module_init((void *)(module))
#define nvshmemx_cumodule_finalize(module) ((void)(module), 0)

/* ---- queries, order, barriers ---- */

GSHMEMI_NAME int nvshmem_my_pe(void)
{
	return gshmem_my_pe();
}

GSHMEMI_NAME int nvshmem_n_pes(void)
{
	return gshmem_n_pes();
}

GSHMEMI_NAME void *nvshmem_ptr(const void *dest, int pe)
{
	return gshmem_ptr(dest, pe);
}

/* There is no address that all PEs hear. */
GSHMEMI_NAME void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr)
{
	(void)team;
	(void)ptr;
	return NULL;
}

GSHMEMI_NAME int nvshmem_team_my_pe(nvshmem_team_t team)
{
	return gshmem_team_my_pe(team);
}

GSHMEMI_NAME int nvshmem_team_n_pes(nvshmem_team_t team)
{
	return gshmem_team_n_pes(team);
}

GSHMEMI_NAME int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe, nvshmem_team_t dest_team)
{
	return gshmem_team_translate_pe(src_team, src_pe, dest_team);
}

GSHMEMI_NAME void nvshmem_fence(void)
{
	gshmem_fence();
}

GSHMEMI_NAME void nvshmem_quiet(void)
{
	gshmem_quiet();
}

GSHMEMI_NAME void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
	if (sig_op == GSHMEM_SIGNAL_ADD)
		gshmem_signal_add(sig_addr, signal, pe);
	else
		gshmem_signal_set(sig_addr, signal, pe);
}

GSHMEMI_NAME uint64_t nvshmem_signal_fetch(uint64_t *sig_addr)
{
	return gshmem_signal_fetch(sig_addr);
}

GSHMEMI_NAME uint64_t nvshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value)
{
	return gshmem_signal_wait_until(sig_addr, cmp, cmp_value);
}

/* A barrier of a team is OpenSHMEM's quiet and sync. */
#define GSHMEMI_BARRIERS(P, S, O, OS, QUIET) \
	GSHMEMI_NAME void P##_barrier_all##S(void) \
	{ \
		O##_barrier_all##OS(); \
	} \
	GSHMEMI_NAME void P##_sync_all##S(void) \
	{ \
		O##_sync_all##OS(); \
	} \
	GSHMEMI_NAME int P##_team_sync##S(nvshmem_team_t team) \
	{ \
		return O##_team_sync##OS(team); \
	} \
	GSHMEMI_NAME int P##_barrier##S(nvshmem_team_t team) \
	{ \
		QUIET(); \
		return O##_team_sync##OS(team); \
	}
GSHMEMI_BARRIERS(nvshmem, , gshmem, , gshmem_quiet)
GSHMEMI_BARRIERS(nvshmemx, _warp, gshmemx, _wave, gshmemx_quiet_wave)
GSHMEMI_BARRIERS(nvshmemx, _block, gshmemx, _wg, gshmemx_quiet_wg)
#undef GSHMEMI_BARRIERS
#define nvshmem_sync nvshmem_team_sync

/* ---- the lists ---- */

#define GSHMEMI_V(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME void P##_##THEIRS(GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		O##_##OURS(GSHMEMI_UNPACK ARGUMENTS, pe); \
	}
#define GSHMEMI_R(T, P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME T P##_##THEIRS(GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		return O##_##OURS(GSHMEMI_UNPACK ARGUMENTS, pe); \
	}
#define GSHMEMI_RETURN_void
#define GSHMEMI_RETURN_int    return
#define GSHMEMI_RETURN_size_t return
#define GSHMEMI_W(T, P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME T P##_##THEIRS PARAMETERS \
	{ \
		GSHMEMI_RETURN_##T O##_##OURS ARGUMENTS; \
	}
#define GSHMEMI_C(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME int P##_##THEIRS PARAMETERS \
	{ \
		return O##_##OURS ARGUMENTS; \
	}

#define X(NAME, T) \
	GSHMEMI_NAMES_RMA(nvshmem, NAME, , gshmem, , T) \
	GSHMEMI_NAMES_RMA(nvshmemx, NAME, _warp, gshmemx, _wave, T) \
	GSHMEMI_NAMES_RMA(nvshmemx, NAME, _block, gshmemx, _wg, T) \
	GSHMEMI_NAMES_VALUE(nvshmem, NAME, gshmem, T) \
	GSHMEMI_NAMES_MOVES(nvshmem, NAME##_, , , gshmem, , T) \
	GSHMEMI_NAMES_MOVES(nvshmemx, NAME##_, , _warp, gshmemx, _wave, T) \
	GSHMEMI_NAMES_MOVES(nvshmemx, NAME##_, , _block, gshmemx, _wg, T)
GSHMEMI_NAMES_TYPES(X)
#undef X
#define X(NAME, T) \
	GSHMEMI_NAMES_RMA_SHORT(nvshmem, NAME, , gshmem, , T) \
	GSHMEMI_NAMES_RMA_SHORT(nvshmemx, NAME, _warp, gshmemx, _wave, T) \
	GSHMEMI_NAMES_RMA_SHORT(nvshmemx, NAME, _block, gshmemx, _wg, T) \
	GSHMEMI_NAMES_VALUE(nvshmem, NAME, gshmemx, T) \
	GSHMEMI_NAMES_MOVES(nvshmem, NAME##_, , , gshmemx, , T) \
	GSHMEMI_NAMES_MOVES(nvshmemx, NAME##_, , _warp, gshmemx, _wave, T) \
	GSHMEMI_NAMES_MOVES(nvshmemx, NAME##_, , _block, gshmemx, _wg, T)
GSHMEMX_RMA_TYPES(X)
#undef X
#define X(SIZE, NBYTES) \
	GSHMEMI_NAMES_SIZE(nvshmem, SIZE, , gshmem, ) \
	GSHMEMI_NAMES_SIZE(nvshmemx, SIZE, _warp, gshmemx, _wave) \
	GSHMEMI_NAMES_SIZE(nvshmemx, SIZE, _block, gshmemx, _wg) \
	GSHMEMI_NAMES_SIZE_STRIDE(nvshmem, SIZE, , gshmem, ) \
	GSHMEMI_NAMES_SIZE_STRIDE(nvshmemx, SIZE, _warp, gshmemx, _wave) \
	GSHMEMI_NAMES_SIZE_STRIDE(nvshmemx, SIZE, _block, gshmemx, _wg)
GSHMEM_RMA_SIZES(X)
#undef X
GSHMEMI_NAMES_SIZE(nvshmem, mem, , gshmem, )
GSHMEMI_NAMES_SIZE(nvshmemx, mem, _warp, gshmemx, _wave)
GSHMEMI_NAMES_SIZE(nvshmemx, mem, _block, gshmemx, _wg)
GSHMEMI_NAMES_MOVES(nvshmem, , mem, , gshmem, , void)
GSHMEMI_NAMES_MOVES(nvshmemx, , mem, _warp, gshmemx, _wave, void)
GSHMEMI_NAMES_MOVES(nvshmemx, , mem, _block, gshmemx, _wg, void)
#define X(NAME, T) GSHMEMI_NAMES_EXTENDED_AMO(nvshmem, NAME, T)
GSHMEM_EXTENDED_AMO_TYPES(X)
#undef X
#define X(NAME, T) GSHMEMI_NAMES_AMO(nvshmem, NAME, T)
GSHMEM_AMO_TYPES(X)
#undef X
#define X(NAME, T) GSHMEMI_NAMES_BITWISE_AMO(nvshmem, NAME, T)
GSHMEM_BITWISE_AMO_TYPES(X)
#undef X
#define X(NAME, T) \
	GSHMEMI_NAMES_WAIT(nvshmem, NAME, T) \
	GSHMEMI_NAMES_WAIT_MANY(nvshmem, NAME, T)
GSHMEM_WAIT_TYPES(X)
#undef X
#define X(NAME, T, KIND) \
	GSHMEMI_NAMES_BITWISE_REDUCE(nvshmem, NAME, , gshmem, , T) \
	GSHMEMI_NAMES_BITWISE_REDUCE(nvshmemx, NAME, _warp, gshmemx, _wave, T) \
	GSHMEMI_NAMES_BITWISE_REDUCE(nvshmemx, NAME, _block, gshmemx, _wg, T)
GSHMEM_BITWISE_REDUCE_TYPES(X)
#undef X
#define X(NAME, T, KIND) \
	GSHMEMI_NAMES_ORDERED_REDUCE(nvshmem, NAME, , gshmem, , T) \
	GSHMEMI_NAMES_ORDERED_REDUCE(nvshmemx, NAME, _warp, gshmemx, _wave, T) \
	GSHMEMI_NAMES_ORDERED_REDUCE(nvshmemx, NAME, _block, gshmemx, _wg, T)
GSHMEM_ORDERED_REDUCE_TYPES(X)
#undef X
#define X(NAME, T, KIND) \
	GSHMEMI_NAMES_ORDERED_REDUCE(nvshmem, NAME, , gshmemx, , T) \
	GSHMEMI_NAMES_ORDERED_REDUCE(nvshmemx, NAME, _warp, gshmemx, _wave, T) \
	GSHMEMI_NAMES_ORDERED_REDUCE(nvshmemx, NAME, _block, gshmemx, _wg, T)
GSHMEMX_REDUCE_TYPES(X)
#undef X
#undef GSHMEMI_V
#undef GSHMEMI_C

/* ---- on a stream: by the CPU ---- */

#define GSHMEMI_V(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	static inline void P##_##THEIRS##_on_stream(GSHMEMI_UNPACK PARAMETERS, int pe, void *stream) \
	{ \
		(void)O##_##OURS##_on_stream(GSHMEMI_UNPACK ARGUMENTS, pe, stream); \
	}
#define GSHMEMI_C(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	static inline int P##_##THEIRS##_on_stream(GSHMEMI_UNPACK PARAMETERS, void *stream) \
	{ \
		return O##_##OURS##_on_stream(GSHMEMI_UNPACK ARGUMENTS, stream); \
	}
/* All calls on streams return at once: _nbi is the same. */
#define GSHMEMI_STREAM_MOVES(NAME, MEM, T) \
	GSHMEMI_NAMES_COPY(nvshmemx, NAME##put##MEM, gshmemx, NAME##put##MEM, T) \
	GSHMEMI_NAMES_COPY(nvshmemx, NAME##get##MEM, gshmemx, NAME##get##MEM, T) \
	GSHMEMI_NAMES_COPY(nvshmemx, NAME##put##MEM##_nbi, gshmemx, NAME##put##MEM, T) \
	GSHMEMI_NAMES_COPY(nvshmemx, NAME##get##MEM##_nbi, gshmemx, NAME##get##MEM, T) \
	GSHMEMI_NAMES_SIGNAL(nvshmemx, NAME##put##MEM##_signal, gshmemx, NAME##put##MEM##_signal, T) \
	GSHMEMI_NAMES_SIGNAL(nvshmemx, NAME##put##MEM##_signal_nbi, gshmemx, NAME##put##MEM##_signal, T)
#define X(NAME, T) \
	GSHMEMI_STREAM_MOVES(NAME##_, , T) \
	GSHMEMI_NAMES_MOVES(nvshmemx, NAME##_, , , gshmemx, , T)
GSHMEMI_NAMES_TYPES(X)
GSHMEMX_RMA_TYPES(X)
#undef X
GSHMEMI_STREAM_MOVES(, mem, void)
GSHMEMI_NAMES_MOVES(nvshmemx, , mem, , gshmemx, , void)
#undef GSHMEMI_STREAM_MOVES
#define X(NAME, T, KIND) GSHMEMI_NAMES_BITWISE_REDUCE(nvshmemx, NAME, , gshmemx, , T)
GSHMEM_BITWISE_REDUCE_TYPES(X)
#undef X
#define X(NAME, T, KIND) GSHMEMI_NAMES_ORDERED_REDUCE(nvshmemx, NAME, , gshmemx, , T)
GSHMEM_ORDERED_REDUCE_TYPES(X)
GSHMEMX_REDUCE_TYPES(X)
#undef X
#define X(NAME, T) \
	static inline void nvshmemx_##NAME##_wait_until_on_stream(T *ivar, int cmp, T cmp_value, void *stream) \
	{ \
		(void)gshmemx_##NAME##_wait_until_on_stream(ivar, cmp, cmp_value, stream); \
	}
GSHMEM_WAIT_TYPES(X)
#undef X
#undef GSHMEMI_V
#undef GSHMEMI_R
#undef GSHMEMI_W
#undef GSHMEMI_C
#undef GSHMEMI_RETURN_void
#undef GSHMEMI_RETURN_int
#undef GSHMEMI_RETURN_size_t

static inline void nvshmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value, void *stream)
{
	(void)gshmemx_signal_wait_until_on_stream(sig_addr, cmp, cmp_value, stream);
}

static inline void nvshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream)
{
	(void)gshmemx_signal_op_on_stream(sig_addr, signal, sig_op, pe, stream);
}

static inline void nvshmemx_quiet_on_stream(void *stream)
{
	(void)gshmemx_quiet_on_stream(stream);
}

static inline void nvshmemx_barrier_all_on_stream(void *stream)
{
	(void)gshmemx_barrier_all_on_stream(stream);
}

static inline void nvshmemx_sync_all_on_stream(void *stream)
{
	(void)gshmemx_sync_all_on_stream(stream);
}

static inline int nvshmemx_team_sync_on_stream(nvshmem_team_t team, void *stream)
{
	return gshmemx_team_sync_on_stream(team, stream);
}

static inline int nvshmemx_barrier_on_stream(nvshmem_team_t team, void *stream)
{
	const int rc = gshmemx_quiet_on_stream(stream);

	return rc ? rc : gshmemx_team_sync_on_stream(team, stream);
}

/* ---- launch ---- */

#if GSHMEMI_KERNELS && defined(__cplusplus)

template <typename... A>
static inline int nvshmemx_collective_launch(void (*kernel)(A...), dim3 grid, dim3 block, void **args, size_t shared_nbytes,
					     hipStream_t stream)
{
	return gshmemx_collective_launch(kernel, grid, block, args, shared_nbytes, stream);
}

/* A kernel whose types are forgotten. The cpu platform cannot launch it: pass the kernel itself. */
#if !GSHMEMI_ARCH_TYPED_LAUNCH
static inline int nvshmemx_collective_launch(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_nbytes,
					     hipStream_t stream)
{
	const unsigned ngroups[3] = {grid.x, grid.y, grid.z}, nthreads[3] = {block.x, block.y, block.z};

	return gshmemx_collective_launch(kernel, ngroups, nthreads, args, shared_nbytes, stream);
}
#endif

template <typename Kernel>
static inline int nvshmemx_collective_launch_query_gridsize(Kernel *kernel, dim3 block, void **args, size_t shared_nbytes,
							    int *gridsize)
{
	const unsigned nthreads[3] = {block.x, block.y, block.z};
	unsigned ngroups = 0;
	const int rc = gshmemx_collective_launch_limit((const void *)kernel, nthreads, shared_nbytes, &ngroups);

	(void)args;
	*gridsize = (int)ngroups;
	return rc;
}

#endif

#endif /* GSHMEM_COMPAT_NVSHMEM_H */
