/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rocSHMEM's names for gshmem's calls, for HIP units and C++: docs/porting.md says what differs. Each is the gshmem call of the
 * same name; gshmem.h and gshmemx.h say what they do.
 */
#ifndef GSHMEM_COMPAT_ROCSHMEM_HPP
#define GSHMEM_COMPAT_ROCSHMEM_HPP

#include <gshmem/compat/names.h>

#if __has_include(<mpi.h>)
#include <mpi.h>
#define GSHMEMI_HAS_MPI 1
#endif

/* ---- constants ---- */

#define ROCSHMEM_MAJOR_VERSION GSHMEM_MAJOR_VERSION
#define ROCSHMEM_MINOR_VERSION GSHMEM_MINOR_VERSION
#define ROCSHMEM_MAX_NAME_LEN  GSHMEM_MAX_NAME_LEN
#define ROCSHMEM_VENDOR_STRING GSHMEM_VENDOR_STRING

#define ROCSHMEM_CMP_EQ GSHMEM_CMP_EQ
#define ROCSHMEM_CMP_NE GSHMEM_CMP_NE
#define ROCSHMEM_CMP_GT GSHMEM_CMP_GT
#define ROCSHMEM_CMP_GE GSHMEM_CMP_GE
#define ROCSHMEM_CMP_LT GSHMEM_CMP_LT
#define ROCSHMEM_CMP_LE GSHMEM_CMP_LE

#define ROCSHMEM_SIGNAL_SET GSHMEM_SIGNAL_SET
#define ROCSHMEM_SIGNAL_ADD GSHMEM_SIGNAL_ADD

#define ROCSHMEM_THREAD_SINGLE      GSHMEM_THREAD_SINGLE
#define ROCSHMEM_THREAD_FUNNELED    GSHMEM_THREAD_FUNNELED
#define ROCSHMEM_THREAD_WG_FUNNELED GSHMEM_THREAD_SERIALIZED
#define ROCSHMEM_THREAD_SERIALIZED  GSHMEM_THREAD_SERIALIZED
#define ROCSHMEM_THREAD_MULTIPLE    GSHMEM_THREAD_MULTIPLE

#define ROCSHMEM_TEAM_INVALID      GSHMEM_TEAM_INVALID
#define ROCSHMEM_TEAM_WORLD        GSHMEM_TEAM_WORLD
#define ROCSHMEM_TEAM_SHARED       GSHMEM_TEAM_SHARED
#define ROCSHMEM_TEAM_NUM_CONTEXTS GSHMEM_TEAM_NUM_CONTEXTS

#define ROCSHMEM_CTX_DEFAULT    GSHMEM_CTX_DEFAULT
#define ROCSHMEM_CTX_INVALID    GSHMEM_CTX_INVALID
#define ROCSHMEM_CTX_ZERO       0L
#define ROCSHMEM_CTX_SHARED     0L
#define ROCSHMEM_CTX_NOSTORE    GSHMEM_CTX_NOSTORE
#define ROCSHMEM_CTX_SERIALIZED GSHMEM_CTX_SERIALIZED
#define ROCSHMEM_CTX_WG_PRIVATE 0L

namespace rocshmem {

enum ROCSHMEM_STATUS { ROCSHMEM_SUCCESS = 0, ROCSHMEM_ERROR = 1 };

typedef gshmem_team_t rocshmem_team_t;
typedef gshmem_team_config_t rocshmem_team_config_t;
typedef gshmem_ctx_t rocshmem_ctx_t;

/* Of init: mpi_comm points to an MPI_Comm; NULL: MPI_COMM_WORLD. */
struct rocshmem_init_attr_t {
	void *mpi_comm;
};
constexpr unsigned ROCSHMEM_INIT_WITH_MPI_COMM = 0;

/* ---- what the CPU alone calls ---- */

/* Programs ask for their number before init, to choose a device by it: this is init then, and init does no more. */
inline bool gshmemi_was_early = false;

static inline void gshmemi_init_early(void)
{
	int is_initialized = 0;

	gshmem_query_initialized(&is_initialized);
	if (is_initialized)
		return;
	gshmem_init();
	gshmemi_was_early = true;
}

static inline int gshmemi_init_attributes(const void *mpi_comm, int requested, int *provided)
{
	struct gshmemx_init_attributes attributes = GSHMEMX_INIT_ATTR_DEFAULT;

	attributes.mpi_comm = mpi_comm;
	attributes.thread_level = requested;
	if (!gshmemi_was_early && gshmemx_init_attr(&attributes))
		return ROCSHMEM_ERROR;
	gshmemi_was_early = false;
	if (provided)
		gshmem_query_thread(provided);
	return ROCSHMEM_SUCCESS;
}

static inline void rocshmem_init(void)
{
	if (!gshmemi_was_early)
		gshmem_init();
	gshmemi_was_early = false;
}

static inline int rocshmem_init_thread(int requested, int *provided)
{
	return gshmemi_init_attributes(NULL, requested, provided);
}

#ifdef GSHMEMI_HAS_MPI
static inline void rocshmem_init(MPI_Comm comm)
{
	if (gshmemi_init_attributes(comm == MPI_COMM_NULL ? NULL : &comm, GSHMEM_THREAD_SINGLE, NULL))
		gshmem_global_exit(1);
}

static inline int rocshmem_init_thread(int requested, int *provided, MPI_Comm comm)
{
	return gshmemi_init_attributes(comm == MPI_COMM_NULL ? NULL : &comm, requested, provided);
}
#endif

static inline int rocshmem_init_attr(unsigned flags, rocshmem_init_attr_t *attr)
{
	if (flags != ROCSHMEM_INIT_WITH_MPI_COMM)
		return ROCSHMEM_ERROR;
	return gshmemi_init_attributes(attr ? attr->mpi_comm : NULL, GSHMEM_THREAD_SINGLE, NULL);
}

static inline void rocshmem_finalize(void)
{
	gshmem_finalize();
}

static inline void rocshmem_global_exit(int status)
{
	gshmem_global_exit(status);
}

static inline void rocshmem_query_thread(int *provided)
{
	gshmem_query_thread(provided);
}

static inline void rocshmem_info_get_version(int *major, int *minor)
{
	gshmem_info_get_version(major, minor);
}

static inline void rocshmem_info_get_name(char *name)
{
	gshmem_info_get_name(name);
}

static inline int rocshmem_hipmodule_init(void *module, void *stream = nullptr)
{
	(void)stream;
	return gshmemx_module_init(module);
}

static inline void *rocshmem_malloc(size_t nbytes)
{
	return gshmem_malloc(nbytes);
}

static inline void *rocshmem_calloc(size_t count, size_t size)
{
	return gshmem_calloc(count, size);
}

static inline void *rocshmem_align(size_t alignment, size_t nbytes)
{
	return gshmem_align(alignment, nbytes);
}

static inline void rocshmem_free(void *ptr)
{
	gshmem_free(ptr);
}

static inline int rocshmem_ctx_create(int64_t options, rocshmem_ctx_t *ctx)
{
	return gshmem_ctx_create((long)options, ctx);
}

static inline void rocshmem_ctx_destroy(rocshmem_ctx_t ctx)
{
	gshmem_ctx_destroy(ctx);
}

static inline int rocshmem_team_create_ctx(rocshmem_team_t team, long options, rocshmem_ctx_t *ctx)
{
	return gshmem_team_create_ctx(team, options, ctx);
}

static inline int rocshmem_team_split_strided(rocshmem_team_t parent_team, int start, int stride, int size,
					      const rocshmem_team_config_t *config, long config_mask,
					      rocshmem_team_t *new_team)
{
	return gshmem_team_split_strided(parent_team, start, stride, size, config, config_mask, new_team);
}

static inline int rocshmem_team_split_2d(rocshmem_team_t parent_team, int xrange, const rocshmem_team_config_t *xaxis_config,
					 long xaxis_mask, rocshmem_team_t *xaxis_team,
					 const rocshmem_team_config_t *yaxis_config, long yaxis_mask,
					 rocshmem_team_t *yaxis_team)
{
	return gshmem_team_split_2d(parent_team, xrange, xaxis_config, xaxis_mask, xaxis_team, yaxis_config, yaxis_mask,
				    yaxis_team);
}

static inline int rocshmem_team_get_config(rocshmem_team_t team, long config_mask, rocshmem_team_config_t *config)
{
	return gshmem_team_get_config(team, config_mask, config);
}

/* There the predefined teams, too, may be given up, which does nothing. */
static inline void rocshmem_team_destroy(rocshmem_team_t team)
{
	if (team != GSHMEM_TEAM_WORLD && team != GSHMEM_TEAM_SHARED)
		gshmem_team_destroy(team);
}

/* ---- queries and order ---- */

GSHMEMI_NAME int rocshmem_my_pe(void)
{
#if GSHMEMI_DEVICE_PASS
	return gshmem_my_pe();
#else
#if GSHMEMI_KERNELS
	if (GSHMEMI_ON_HOST())
#endif
		gshmemi_init_early();
	return gshmem_my_pe();
#endif
}

GSHMEMI_NAME int rocshmem_n_pes(void)
{
#if GSHMEMI_DEVICE_PASS
	return gshmem_n_pes();
#else
#if GSHMEMI_KERNELS
	if (GSHMEMI_ON_HOST())
#endif
		gshmemi_init_early();
	return gshmem_n_pes();
#endif
}

GSHMEMI_NAME void *rocshmem_ptr(const void *dest, int pe)
{
	return gshmem_ptr(dest, pe);
}

GSHMEMI_NAME int rocshmem_team_my_pe(rocshmem_team_t team)
{
	return gshmem_team_my_pe(team);
}

GSHMEMI_NAME int rocshmem_team_n_pes(rocshmem_team_t team)
{
	return gshmem_team_n_pes(team);
}

GSHMEMI_NAME int rocshmem_team_translate_pe(rocshmem_team_t src_team, int src_pe, rocshmem_team_t dest_team)
{
	return gshmem_team_translate_pe(src_team, src_pe, dest_team);
}

GSHMEMI_NAME void *rocshmem_team_ptr(rocshmem_team_t team, const void *dest, int pe)
{
	return gshmem_team_ptr(team, dest, pe);
}

/* Of all PEs, whatever the context. */
GSHMEMI_NAME int rocshmem_ctx_my_pe(rocshmem_ctx_t ctx)
{
	(void)ctx;
	return gshmem_my_pe();
}

GSHMEMI_NAME int rocshmem_ctx_n_pes(rocshmem_ctx_t ctx)
{
	(void)ctx;
	return gshmem_n_pes();
}

/* Those that kernels create are the default one, with PE numbers of a team. */
GSHMEMI_NAME int gshmemi_is_default(rocshmem_ctx_t ctx)
{
	return ((uint64_t)(uintptr_t)ctx & 0xffff) == ((uint64_t)(uintptr_t)GSHMEM_CTX_DEFAULT & 0xffff);
}

GSHMEMI_NAME void rocshmem_fence(void)
{
	gshmem_fence();
}

GSHMEMI_NAME void rocshmem_fence(int pe)
{
	(void)pe;
	gshmem_fence();
}

GSHMEMI_NAME void rocshmem_quiet(void)
{
	gshmem_quiet();
}

GSHMEMI_NAME void rocshmem_pe_quiet(const int *target_pes, size_t npes)
{
	gshmem_pe_quiet(target_pes, npes);
}

GSHMEMI_NAME void rocshmem_ctx_fence(rocshmem_ctx_t ctx)
{
	gshmemi_is_default(ctx) ? gshmem_fence() : gshmem_ctx_fence(ctx);
}

GSHMEMI_NAME void rocshmem_ctx_fence(rocshmem_ctx_t ctx, int pe)
{
	(void)pe;
	rocshmem_ctx_fence(ctx);
}

GSHMEMI_NAME void rocshmem_ctx_quiet(rocshmem_ctx_t ctx)
{
	gshmemi_is_default(ctx) ? gshmem_quiet() : gshmem_ctx_quiet(ctx);
}

GSHMEMI_NAME void rocshmem_ctx_pe_quiet(rocshmem_ctx_t ctx, const int *target_pes, size_t npes)
{
	if (gshmemi_is_default(ctx) && npes)
		gshmem_quiet();
	else
		gshmem_ctx_pe_quiet(ctx, target_pes, npes);
}

GSHMEMI_NAME uint64_t rocshmem_signal_fetch(const uint64_t *sig_addr)
{
	return gshmem_signal_fetch(sig_addr);
}

GSHMEMI_NAME uint64_t rocshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value)
{
	return gshmem_signal_wait_until(sig_addr, cmp, cmp_value);
}

/* ---- barriers: of a team it is OpenSHMEM's quiet and sync ---- */

#define GSHMEMI_BARRIERS(S, O, OS, QUIET) \
	GSHMEMI_NAME void rocshmem_barrier_all##S(void) \
	{ \
		O##_barrier_all##OS(); \
	} \
	GSHMEMI_NAME void rocshmem_barrier##S(void) \
	{ \
		O##_barrier_all##OS(); \
	} \
	GSHMEMI_NAME void rocshmem_sync_all##S(void) \
	{ \
		O##_sync_all##OS(); \
	} \
	GSHMEMI_NAME int rocshmem_team_sync##S(rocshmem_team_t team) \
	{ \
		return O##_team_sync##OS(team); \
	} \
	GSHMEMI_NAME void rocshmem_ctx_sync##S(rocshmem_ctx_t ctx, rocshmem_team_t team) \
	{ \
		(void)ctx; \
		(void)O##_team_sync##OS(team); \
	} \
	GSHMEMI_NAME void rocshmem_ctx_barrier##S(rocshmem_ctx_t ctx, rocshmem_team_t team) \
	{ \
		if (!gshmemi_is_default(ctx)) \
			gshmem_ctx_quiet(ctx); \
		QUIET(); \
		(void)O##_team_sync##OS(team); \
	}
GSHMEMI_BARRIERS(, gshmem, , gshmem_quiet)
GSHMEMI_BARRIERS(_wave, gshmemx, _wave, gshmemx_quiet_wave)
GSHMEMI_BARRIERS(_wg, gshmemx, _wg, gshmemx_quiet_wg)
#undef GSHMEMI_BARRIERS

/* ---- what kernels alone call ---- */

#if GSHMEMI_KERNELS

/* A work-group needs nothing before its first call, nor after its last. */
static inline __device__ void rocshmem_wg_init(void)
{
}

static inline __device__ void rocshmem_wg_finalize(void)
{
}

static inline __device__ void rocshmem_wg_init_thread(int requested, int *provided)
{
	(void)requested;
	*provided = ROCSHMEM_THREAD_MULTIPLE;
}

static inline __device__ int rocshmem_wg_ctx_create(int64_t options, rocshmem_ctx_t *ctx)
{
	(void)options;
	*ctx = GSHMEM_CTX_DEFAULT;
	return 0;
}

/* The default context with the PEs of a team that lie at one stride: gshmem/order/context.h says how a handle holds them. */
static inline __device__ int rocshmem_wg_team_create_ctx(rocshmem_team_t team, long options, rocshmem_ctx_t *ctx)
{
	struct gshmemi_team_view view;

	(void)options;
	*ctx = GSHMEM_CTX_INVALID;
	if (team == GSHMEM_TEAM_INVALID)
		return ROCSHMEM_ERROR;
	view = gshmemi_team_of(team, "rocshmem_wg_team_create_ctx");
	if (view.members)
		return ROCSHMEM_ERROR;
	*ctx = (rocshmem_ctx_t)(uintptr_t)gshmemi_ctx_handle(0, 0, view.start, view.stride);
	return ROCSHMEM_SUCCESS;
}

static inline __device__ void rocshmem_wg_ctx_destroy(rocshmem_ctx_t *ctx)
{
	(void)ctx;
}

static inline __device__ void rocshmem_threadfence_system(void)
{
	__threadfence_system();
}

static inline __device__ void rocshmem_ctx_threadfence_system(rocshmem_ctx_t ctx)
{
	(void)ctx;
	__threadfence_system();
}

#endif

/* ---- the lists: each call, and the same with a context ---- */

#define GSHMEMI_V(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME void P##_##THEIRS(GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		O##_##OURS(GSHMEMI_UNPACK ARGUMENTS, pe); \
	} \
	GSHMEMI_NAME void P##_ctx_##THEIRS(rocshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		O##_ctx_##OURS(ctx, GSHMEMI_UNPACK ARGUMENTS, pe); \
	}
#define GSHMEMI_R(T, P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME T P##_##THEIRS(GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		return O##_##OURS(GSHMEMI_UNPACK ARGUMENTS, pe); \
	} \
	GSHMEMI_NAME T P##_ctx_##THEIRS(rocshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, int pe) \
	{ \
		return O##_ctx_##OURS(ctx, GSHMEMI_UNPACK ARGUMENTS, pe); \
	}
#define GSHMEMI_W(T, P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME T P##_##THEIRS PARAMETERS \
	{ \
		return O##_##OURS ARGUMENTS; \
	}
/* Collectives order nothing but their own operations: the context is nothing to them. */
#define GSHMEMI_C(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME int P##_##THEIRS PARAMETERS \
	{ \
		return O##_##OURS ARGUMENTS; \
	} \
	GSHMEMI_NAME int P##_ctx_##THEIRS(rocshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS) \
	{ \
		(void)ctx; \
		return O##_##OURS ARGUMENTS; \
	}

#define X(NAME, T) \
	GSHMEMI_NAMES_RMA(rocshmem, NAME, , gshmem, , T) \
	GSHMEMI_NAMES_RMA(rocshmem, NAME, _wave, gshmemx, _wave, T) \
	GSHMEMI_NAMES_RMA(rocshmem, NAME, _wg, gshmemx, _wg, T) \
	GSHMEMI_NAMES_VALUE(rocshmem, NAME, gshmem, T) \
	GSHMEMI_NAMES_MOVES(rocshmem, NAME##_, , , gshmem, , T) \
	GSHMEMI_NAMES_MOVES(rocshmem, NAME##_, , _wave, gshmemx, _wave, T) \
	GSHMEMI_NAMES_MOVES(rocshmem, NAME##_, , _wg, gshmemx, _wg, T) \
	GSHMEMI_NAMES_MOVE_V(rocshmem, NAME, _wave, _wave, T) \
	GSHMEMI_NAMES_MOVE_V(rocshmem, NAME, _wg, _wg, T)
GSHMEMI_NAMES_TYPES(X)
#undef X
#define X(NAME, T) \
	GSHMEMI_NAMES_RMA_SHORT(rocshmem, NAME, , gshmem, , T) \
	GSHMEMI_NAMES_RMA_SHORT(rocshmem, NAME, _wave, gshmemx, _wave, T) \
	GSHMEMI_NAMES_RMA_SHORT(rocshmem, NAME, _wg, gshmemx, _wg, T) \
	GSHMEMI_NAMES_VALUE(rocshmem, NAME, gshmemx, T) \
	GSHMEMI_NAMES_MOVES(rocshmem, NAME##_, , _wave, gshmemx, _wave, T) \
	GSHMEMI_NAMES_MOVES(rocshmem, NAME##_, , _wg, gshmemx, _wg, T)
GSHMEMX_RMA_TYPES(X)
#undef X
#define X(SIZE, NBYTES) \
	GSHMEMI_NAMES_SIZE(rocshmem, SIZE, , gshmem, ) \
	GSHMEMI_NAMES_SIZE(rocshmem, SIZE, _wave, gshmemx, _wave) \
	GSHMEMI_NAMES_SIZE(rocshmem, SIZE, _wg, gshmemx, _wg)
GSHMEM_RMA_SIZES(X)
#undef X
GSHMEMI_NAMES_SIZE(rocshmem, mem, , gshmem, )
GSHMEMI_NAMES_SIZE(rocshmem, mem, _wave, gshmemx, _wave)
GSHMEMI_NAMES_SIZE(rocshmem, mem, _wg, gshmemx, _wg)
GSHMEMI_NAMES_MOVES(rocshmem, , mem, , gshmem, , void)
GSHMEMI_NAMES_MOVES(rocshmem, , mem, _wave, gshmemx, _wave, void)
GSHMEMI_NAMES_MOVES(rocshmem, , mem, _wg, gshmemx, _wg, void)
#define X(NAME, T) GSHMEMI_NAMES_EXTENDED_AMO(rocshmem, NAME, T)
GSHMEM_EXTENDED_AMO_TYPES(X)
#undef X
#define X(NAME, T) GSHMEMI_NAMES_AMO(rocshmem, NAME, T)
GSHMEM_AMO_TYPES(X)
#undef X
#define X(NAME, T) GSHMEMI_NAMES_BITWISE_AMO(rocshmem, NAME, T)
GSHMEM_BITWISE_AMO_TYPES(X)
#undef X
#define X(NAME, T) \
	GSHMEMI_NAMES_WAIT(rocshmem, NAME, T) \
	GSHMEMI_NAMES_WAIT_MANY(rocshmem, NAME, T)
GSHMEM_WAIT_TYPES(X)
#undef X
/* int, long and so on are signed there, and have these, too: the bits are those of the unsigned type. */
#define GSHMEMI_NAMES_SIGNED_OP(NAME, OP, S, O, OS, T, UNAME, U) \
	GSHMEMI_C(rocshmem, NAME##_##OP##_reduce##S, O, UNAME##_##OP##_reduce##OS, \
		  (gshmem_team_t team, T *dest, const T *source, size_t nreduce), (team, (U *)dest, (const U *)source, nreduce))
#define GSHMEMI_NAMES_SIGNED(NAME, S, O, OS, T, UNAME, U) \
	GSHMEMI_NAMES_SIGNED_OP(NAME, and, S, O, OS, T, UNAME, U) \
	GSHMEMI_NAMES_SIGNED_OP(NAME, or, S, O, OS, T, UNAME, U) \
	GSHMEMI_NAMES_SIGNED_OP(NAME, xor, S, O, OS, T, UNAME, U)
#define GSHMEMI_NAMES_SIGNED_SCOPES(NAME, T, UNAME, U) \
	GSHMEMI_NAMES_SIGNED(NAME, , gshmem, , T, UNAME, U) \
	GSHMEMI_NAMES_SIGNED(NAME, _wave, gshmemx, _wave, T, UNAME, U) \
	GSHMEMI_NAMES_SIGNED(NAME, _wg, gshmemx, _wg, T, UNAME, U)
GSHMEMI_NAMES_SIGNED_SCOPES(short, short, ushort, unsigned short)
GSHMEMI_NAMES_SIGNED_SCOPES(int, int, uint, unsigned int)
GSHMEMI_NAMES_SIGNED_SCOPES(long, long, ulong, unsigned long)
GSHMEMI_NAMES_SIGNED_SCOPES(longlong, long long, ulonglong, unsigned long long)
#undef GSHMEMI_NAMES_SIGNED_SCOPES
#undef GSHMEMI_NAMES_SIGNED
#undef GSHMEMI_NAMES_SIGNED_OP
#define X(NAME, T, KIND) \
	GSHMEMI_NAMES_BITWISE_REDUCE(rocshmem, NAME, , gshmem, , T) \
	GSHMEMI_NAMES_BITWISE_REDUCE(rocshmem, NAME, _wave, gshmemx, _wave, T) \
	GSHMEMI_NAMES_BITWISE_REDUCE(rocshmem, NAME, _wg, gshmemx, _wg, T)
GSHMEM_BITWISE_REDUCE_TYPES(X)
#undef X
#define X(NAME, T, KIND) \
	GSHMEMI_NAMES_ORDERED_REDUCE(rocshmem, NAME, , gshmem, , T) \
	GSHMEMI_NAMES_ORDERED_REDUCE(rocshmem, NAME, _wave, gshmemx, _wave, T) \
	GSHMEMI_NAMES_ORDERED_REDUCE(rocshmem, NAME, _wg, gshmemx, _wg, T)
GSHMEM_ORDERED_REDUCE_TYPES(X)
#undef X
#undef GSHMEMI_V
#undef GSHMEMI_R
#undef GSHMEMI_W
#undef GSHMEMI_C

/* ---- on a stream: by the CPU ---- */

#define GSHMEMI_C(P, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	static inline int P##_##THEIRS##_on_stream(GSHMEMI_UNPACK PARAMETERS, void *stream) \
	{ \
		return O##_##OURS##_on_stream(GSHMEMI_UNPACK ARGUMENTS, stream); \
	} \
	static inline int P##_ctx_##THEIRS##_on_stream(rocshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, void *stream) \
	{ \
		(void)ctx; \
		return O##_##OURS##_on_stream(GSHMEMI_UNPACK ARGUMENTS, stream); \
	}
GSHMEMI_NAMES_MOVES(rocshmem, , mem, , gshmemx, , void)
#define X(NAME, T) GSHMEMI_NAMES_MOVES(rocshmem, NAME##_, , , gshmemx, , T)
GSHMEMI_NAMES_TYPES(X)
#undef X
#define X(NAME, T, KIND) GSHMEMI_NAMES_BITWISE_REDUCE(rocshmem, NAME, , gshmemx, , T)
GSHMEM_BITWISE_REDUCE_TYPES(X)
#undef X
#define X(NAME, T, KIND) GSHMEMI_NAMES_ORDERED_REDUCE(rocshmem, NAME, , gshmemx, , T)
GSHMEM_ORDERED_REDUCE_TYPES(X)
#undef X
#undef GSHMEMI_C

static inline void rocshmem_putmem_on_stream(void *dest, const void *source, size_t nbytes, int pe, void *stream)
{
	(void)gshmemx_putmem_on_stream(dest, source, nbytes, pe, stream);
}

static inline void rocshmem_getmem_on_stream(void *dest, const void *source, size_t nbytes, int pe, void *stream)
{
	(void)gshmemx_getmem_on_stream(dest, source, nbytes, pe, stream);
}

static inline void rocshmem_putmem_signal_on_stream(void *dest, const void *source, size_t nbytes, uint64_t *sig_addr,
						    uint64_t signal, int sig_op, int pe, void *stream)
{
	(void)gshmemx_putmem_signal_on_stream(dest, source, nbytes, sig_addr, signal, sig_op, pe, stream);
}

static inline void rocshmem_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value, void *stream)
{
	(void)gshmemx_signal_wait_until_on_stream(sig_addr, cmp, cmp_value, stream);
}

static inline void rocshmem_quiet_on_stream(void *stream)
{
	(void)gshmemx_quiet_on_stream(stream);
}

static inline void rocshmem_barrier_all_on_stream(void *stream)
{
	(void)gshmemx_barrier_all_on_stream(stream);
}

static inline void rocshmem_sync_all_on_stream(void *stream)
{
	(void)gshmemx_sync_all_on_stream(stream);
}

} /* namespace rocshmem */

#endif /* GSHMEM_COMPAT_ROCSHMEM_HPP */
