/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NVSHMEM's names for gshmem's calls, for HIP units, C and C++. docs/porting.md says what differs. Each is
 * the gshmem call of the same name, with _warp for a wave and _block for a work-group; gshmem.h and gshmemx.h
 * say what they do. GSHMEMI_NAMES_* are the calls that rocSHMEM also has: names.h.
 */
#ifndef GSHMEM_COMPAT_NVSHMEM_H
#define GSHMEM_COMPAT_NVSHMEM_H

#include <gshmem/compat/names.h>

GSHMEMI_QUIET_BEGIN

/* ---- constants and types ---- */

#define NVSHMEM_MAJOR_VERSION GSHMEM_MAJOR_VERSION
#define NVSHMEM_MINOR_VERSION GSHMEM_MINOR_VERSION
#define NVSHMEM_MAX_NAME_LEN  GSHMEM_MAX_NAME_LEN
#define NVSHMEM_VENDOR_STRING GSHMEM_VENDOR_STRING

/* The version of NVSHMEM whose names these are: programs choose by it what they call. */
#define NVSHMEM_VENDOR_MAJOR_VERSION 3
#define NVSHMEM_VENDOR_MINOR_VERSION 4
#define NVSHMEM_VENDOR_PATCH_VERSION 0

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
#define NVSHMEM_TEAM_INVALID              GSHMEM_TEAM_INVALID
#define NVSHMEM_TEAM_WORLD                GSHMEM_TEAM_WORLD
#define NVSHMEM_TEAM_SHARED               GSHMEM_TEAM_SHARED
#define NVSHMEMX_TEAM_NODE                GSHMEMX_TEAM_NODE
#define NVSHMEMX_TEAM_SAME_MYPE_NODE      GSHMEMX_TEAM_SAME_MYPE_NODE
/* In NVSHMEM a team is its index. */
#define NVSHMEM_TEAM_WORLD_INDEX          NVSHMEM_TEAM_WORLD
#define NVSHMEM_TEAM_SHARED_INDEX         NVSHMEM_TEAM_SHARED
#define NVSHMEM_TEAM_NODE_INDEX           NVSHMEMX_TEAM_NODE
#define NVSHMEM_TEAM_SAME_MYPE_NODE_INDEX NVSHMEMX_TEAM_SAME_MYPE_NODE
#define NVSHMEM_TEAM_CONFIG_INITIALIZER \
	{ \
		0 \
	}
#define NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS GSHMEM_TEAM_NUM_CONTEXTS

enum { NVSHMEMX_SUCCESS = 0, NVSHMEMX_ERROR_INTERNAL = 7 };

/* nvshmemx_init_status returns the first or the third; the others compare as NVSHMEM's do. */
typedef enum {
	NVSHMEM_STATUS_NOT_INITIALIZED,
	NVSHMEM_STATUS_IS_BOOTSTRAPPED,
	NVSHMEM_STATUS_IS_INITIALIZED,
	NVSHMEM_STATUS_LIMITED_MPG,
	NVSHMEM_STATUS_FULL_MPG,
	NVSHMEM_STATUS_INVALID = 32767
} nvshmemx_init_status_t;

typedef gshmemx_uniqueid_t nvshmemx_uniqueid_t;
#define NVSHMEMX_UNIQUEID_INITIALIZER \
	{ \
		{ \
			0 \
		} \
	}

/* Attributes of init. mpi_comm points to an MPI_Comm; NULL: MPI_COMM_WORLD. The rest is for a unique id. */
typedef struct {
	void *mpi_comm;
	const nvshmemx_uniqueid_t *uniqueid;
	int rank, nranks;
} nvshmemx_init_attr_t;
#define NVSHMEMX_INIT_ATTR_INITIALIZER \
	{ \
		NULL, NULL, 0, 0 \
	}
#define NVSHMEMX_INIT_THREAD_PES    0U
#define NVSHMEMX_INIT_WITH_MPI_COMM 2U
#define NVSHMEMX_INIT_WITH_SHMEM    4U /* the PEs are shmem_init's: those of the launcher */
#define NVSHMEMX_INIT_WITH_UNIQUEID 8U

/* ---- calls that only the CPU makes ---- */

GSHMEMI_NAMES_HOST(nvshmem)
GSHMEMI_NAMES_BUFFERS(nvshmemx)

static inline void nvshmem_query_thread(int *provided)
{
	gshmem_query_thread(provided);
}

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
	if (flags & NVSHMEMX_INIT_WITH_UNIQUEID &&
		(!attr ||
			gshmemx_set_attr_uniqueid_args(
				attr->rank, attr->nranks, attr->uniqueid, &attributes)))
		return NVSHMEMX_ERROR_INTERNAL;
	return gshmemx_init_attr(&attributes) ? NVSHMEMX_ERROR_INTERNAL : NVSHMEMX_SUCCESS;
}

static inline int nvshmemx_hostlib_init_attr(unsigned flags, nvshmemx_init_attr_t *attr)
{
	return nvshmemx_init_attr(flags, attr);
}

static inline void nvshmemx_hostlib_finalize(void)
{
	gshmem_finalize();
}

static inline int nvshmemx_init_status(void)
{
	int is_initialized = 0;

	gshmem_query_initialized(&is_initialized);
	return is_initialized ? NVSHMEM_STATUS_IS_INITIALIZED : NVSHMEM_STATUS_NOT_INITIALIZED;
}

static inline void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch)
{
	*major = NVSHMEM_VENDOR_MAJOR_VERSION;
	*minor = NVSHMEM_VENDOR_MINOR_VERSION;
	*patch = NVSHMEM_VENDOR_PATCH_VERSION;
}

static inline int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *id)
{
	return gshmemx_get_uniqueid(id) ? NVSHMEMX_ERROR_INTERNAL : NVSHMEMX_SUCCESS;
}

static inline int nvshmemx_set_attr_uniqueid_args(
	int rank, int nranks, const nvshmemx_uniqueid_t *id, nvshmemx_init_attr_t *attr)
{
	attr->uniqueid = id;
	attr->rank = rank;
	attr->nranks = nranks;
	return NVSHMEMX_SUCCESS;
}

static inline int nvshmemx_set_attr_mpi_comm_args(void *mpi_comm, nvshmemx_init_attr_t *attr)
{
	attr->mpi_comm = mpi_comm;
	return NVSHMEMX_SUCCESS;
}

static inline int nvshmem_team_get_config(nvshmem_team_t team, nvshmem_team_config_t *config)
{
	return gshmem_team_get_config(team, GSHMEM_TEAM_NUM_CONTEXTS, config);
}

static inline void nvshmem_team_destroy(nvshmem_team_t team)
{
	gshmem_team_destroy(team);
}

/* The module is HIP's, as NVSHMEM's is the CUDA driver's. */
#define nvshmemx_cumodule_init(module)     gshmemx_module_init((void *)(module))
#define nvshmemx_cumodule_finalize(module) ((void)(module), 0)

/* A library of the CUDA driver has a module for each context. */
#if GSHMEMI_ARCH_HAS_LIBRARIES
static inline int nvshmemx_culibrary_init(GSHMEMI_ARCH_LIBRARY library)
{
	hipModule_t module;

	if (GSHMEMI_ARCH_LIBRARY_MODULE(&module, library) != hipSuccess)
		return NVSHMEMX_ERROR_INTERNAL;
	return gshmemx_module_init((void *)module) ? NVSHMEMX_ERROR_INTERNAL : NVSHMEMX_SUCCESS;
}

static inline int nvshmemx_culibrary_finalize(GSHMEMI_ARCH_LIBRARY library)
{
	(void)library;
	return NVSHMEMX_SUCCESS;
}
#endif

/* ---- queries and order ---- */

GSHMEMI_NAMES_QUERIES(nvshmem)

GSHMEMI_NAME int nvshmem_my_pe(void)
{
	return gshmem_my_pe();
}

GSHMEMI_NAME int nvshmem_n_pes(void)
{
	return gshmem_n_pes();
}

/* gshmem has no multicast addresses. */
GSHMEMI_NAME void *nvshmemx_mc_ptr(nvshmem_team_t team, const void *ptr)
{
	(void)team;
	(void)ptr;
	return NULL;
}

GSHMEMI_NAME void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
	if (sig_op == GSHMEM_SIGNAL_ADD)
		gshmem_signal_add(sig_addr, signal, pe);
	else
		gshmem_signal_set(sig_addr, signal, pe);
}

/* Sets a word that another PE waits for. */
#define X(NAME, T) \
	GSHMEMI_NAME void nvshmemx_##NAME##_signal(T *dest, const T value, int pe) \
	{ \
		gshmem_##NAME##_atomic_set(dest, value, pe); \
	}
GSHMEM_AMO_TYPES(X)
#undef X

GSHMEMI_NAME uint64_t nvshmem_signal_fetch(uint64_t *sig_addr)
{
	return gshmem_signal_fetch(sig_addr);
}

/* ---- by threads, waves and work-groups ---- */

#define GSHMEMI_THREAD_THEIRS(NAME) nvshmem_##NAME
#define GSHMEMI_WAVE_THEIRS(NAME)   nvshmemx_##NAME##_warp
#define GSHMEMI_WG_THEIRS(NAME)     nvshmemx_##NAME##_block
#define GSHMEMI_STREAM_THEIRS(NAME) nvshmemx_##NAME##_on_stream
#define GSHMEMI_V                   GSHMEMI_CALL_V
#define GSHMEMI_R                   GSHMEMI_CALL_R
#define GSHMEMI_C                   GSHMEMI_CALL_C
GSHMEMI_NAMES_CALLS

/* A team's barrier is OpenSHMEM's quiet and team_sync. */
#define GSHMEMI_BARRIER(SCOPE, O) \
	GSHMEMI_NAME int SCOPE##_THEIRS(barrier)(nvshmem_team_t team) \
	{ \
		SCOPE##_OURS(O, quiet)(); \
		return SCOPE##_OURS(O, team_sync)(team); \
	}
GSHMEMI_SCOPES(GSHMEMI_BARRIER, gshmem)
#undef GSHMEMI_BARRIER
#define nvshmem_sync nvshmem_team_sync

/*
 * By a warp group: four waves of a work-group that follow each other, the first from wave 0, 4, 8 and so on;
 * the last group of a work-group may have fewer.
 */
#if GSHMEMI_KERNELS && defined(__cplusplus)
GSHMEMI_NAME int nvshmemx_barrier_warpgroup(nvshmem_team_t team)
{
	const unsigned width = 4 * (unsigned)warpSize, from = gshmemi_arch_thread_rank() / width * width,
		       left = gshmemi_arch_thread_count() - from;
	const unsigned nwaves = ((left < width ? left : width) + (unsigned)warpSize - 1) / (unsigned)warpSize;

	gshmemx_quiet_wave();
	return gshmemi_team_sync_waves(team, nwaves, "nvshmemx_barrier_warpgroup");
}
#endif

/* Only NVSHMEM has these: iput and iget by size, collectives of 16-bit floating point. */
#define GSHMEMI_SIZE_STRIDE(SCOPE, SIZE) \
	GSHMEMI_NAMES_STRIDE(SCOPE, iput##SIZE, iput##SIZE, void) \
	GSHMEMI_NAMES_STRIDE(SCOPE, iget##SIZE, iget##SIZE, void)
#define X(SIZE, NBYTES) GSHMEMI_SCOPES(GSHMEMI_SIZE_STRIDE, SIZE)
GSHMEM_RMA_SIZES(X)
#undef X
#undef GSHMEMI_SIZE_STRIDE
#define X(NAME, T) GSHMEMI_NAMES_MOVES(GSHMEMI_THREAD, gshmemx, NAME##_, , T)
GSHMEMX_RMA_TYPES(X)
#undef X
#define X(NAME, T, KIND) GSHMEMI_SCOPES(GSHMEMI_NAMES_ORDERED_REDUCE, gshmemx, NAME, T)
GSHMEMX_REDUCE_TYPES(X)
#undef X
#undef GSHMEMI_V
#undef GSHMEMI_C

/* ---- on a stream: by the CPU ---- */

#define GSHMEMI_V GSHMEMI_STREAM_V
#define GSHMEMI_C GSHMEMI_STREAM_C
GSHMEMI_NAMES_STREAM
GSHMEMX_RMA_TYPES(GSHMEMI_STREAM_OF_TYPE)
GSHMEMX_REDUCE_TYPES(GSHMEMI_STREAM_OF_ORDERED)

/* All calls on streams return at once, so _nbi is the same. */
#define GSHMEMI_STREAM_RMA(NAME, MEM, T) \
	GSHMEMI_NAMES_COPY(GSHMEMI_STREAM, NAME##put##MEM, NAME##put##MEM, T) \
	GSHMEMI_NAMES_COPY(GSHMEMI_STREAM, NAME##get##MEM, NAME##get##MEM, T) \
	GSHMEMI_NAMES_COPY(GSHMEMI_STREAM, NAME##put##MEM##_nbi, NAME##put##MEM, T) \
	GSHMEMI_NAMES_COPY(GSHMEMI_STREAM, NAME##get##MEM##_nbi, NAME##get##MEM, T) \
	GSHMEMI_NAMES_SIGNAL(GSHMEMI_STREAM, NAME##put##MEM##_signal, NAME##put##MEM##_signal, T) \
	GSHMEMI_NAMES_SIGNAL(GSHMEMI_STREAM, NAME##put##MEM##_signal_nbi, NAME##put##MEM##_signal, T)
#define X(NAME, T) GSHMEMI_STREAM_RMA(NAME##_, , T)
GSHMEMI_NAMES_TYPES(X)
GSHMEMX_RMA_TYPES(X)
#undef X
GSHMEMI_STREAM_RMA(, mem, void)
#undef GSHMEMI_STREAM_RMA
#define X(NAME, T) \
	static inline void nvshmemx_##NAME##_wait_until_on_stream( \
		T *ivar, int cmp, T cmp_value, void *stream) \
	{ \
		(void)gshmemx_##NAME##_wait_until_on_stream(ivar, cmp, cmp_value, stream); \
	}
GSHMEM_WAIT_TYPES(X)
#undef X
#undef GSHMEMI_V
#undef GSHMEMI_R
#undef GSHMEMI_C
#undef GSHMEMI_THREAD_THEIRS
#undef GSHMEMI_WAVE_THEIRS
#undef GSHMEMI_WG_THEIRS
#undef GSHMEMI_STREAM_THEIRS

static inline void nvshmemx_signal_op_on_stream(
	uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream)
{
	(void)gshmemx_signal_op_on_stream(sig_addr, signal, sig_op, pe, stream);
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
GSHMEMI_BEGIN_CXX

template <typename... A>
static inline int nvshmemx_collective_launch(
	void (*kernel)(A...), dim3 grid, dim3 block, void **args, size_t shared_nbytes, hipStream_t stream)
{
	return gshmemx_collective_launch(kernel, grid, block, args, shared_nbytes, stream);
}

/* A kernel as an untyped pointer. The cpu platform cannot launch it: pass the kernel itself. */
#if !GSHMEMI_ARCH_TYPED_LAUNCH
static inline int nvshmemx_collective_launch(
	const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_nbytes, hipStream_t stream)
{
	const unsigned ngroups[3] = {grid.x, grid.y, grid.z}, nthreads[3] = {block.x, block.y, block.z};

	return gshmemx_collective_launch(kernel, ngroups, nthreads, args, shared_nbytes, stream);
}
#endif

template <typename Kernel>
static inline int nvshmemx_collective_launch_query_gridsize(
	Kernel *kernel, dim3 block, void **args, size_t shared_nbytes, int *gridsize)
{
	const unsigned nthreads[3] = {block.x, block.y, block.z};
	unsigned ngroups = 0;
	const int rc =
		gshmemx_collective_launch_limit((const void *)kernel, nthreads, shared_nbytes, &ngroups);

	(void)args;
	*gridsize = (int)ngroups;
	return rc;
}

GSHMEMI_END_CXX
#endif

GSHMEMI_QUIET_END

#endif /* GSHMEM_COMPAT_NVSHMEM_H */
