/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rocSHMEM's names for gshmem's calls, for HIP units and C++. docs/porting.md says what differs. Each is the
 * gshmem call of the same name; gshmem.h and gshmemx.h say what they do. GSHMEMI_NAMES_* are the calls that
 * NVSHMEM also has: names.h.
 */
#ifndef GSHMEM_COMPAT_ROCSHMEM_HPP
#define GSHMEM_COMPAT_ROCSHMEM_HPP

#include <gshmem/compat/names.h>
#include <array>
#include <string.h>

#if __has_include(<mpi.h>)
#include <mpi.h>
#define GSHMEMI_HAS_MPI 1
#endif

/* ---- constants ---- */

#define ROCSHMEM_MAJOR_VERSION GSHMEM_MAJOR_VERSION
#define ROCSHMEM_MINOR_VERSION GSHMEM_MINOR_VERSION
#define ROCSHMEM_MAX_NAME_LEN  GSHMEM_MAX_NAME_LEN
#define ROCSHMEM_VENDOR_STRING GSHMEM_VENDOR_STRING

/*
 * Handles: the name may stand behind rocshmem::, as that of a variable. It is a call, because a kernel reads
 * no variable of the CPU.
 */
#define ROCSHMEM_TEAM_WORLD  gshmemi_roc_team_world()
#define ROCSHMEM_TEAM_SHARED gshmemi_roc_team_shared()
#define ROCSHMEM_CTX_DEFAULT gshmemi_roc_ctx_default()
#define rocshmem_ctx_array   gshmemi_roc_ctx_array()

#define ROCSHMEM_UNIQUE_ID_BYTES 128

GSHMEMI_QUIET_BEGIN

namespace rocshmem
{

enum ROCSHMEM_STATUS { ROCSHMEM_SUCCESS = 0, ROCSHMEM_ERROR = 1 };

/* No call takes one: the operator is in the name of each reduction. */
enum ROCSHMEM_OP {
	ROCSHMEM_SUM,
	ROCSHMEM_MAX,
	ROCSHMEM_MIN,
	ROCSHMEM_PROD,
	ROCSHMEM_AND,
	ROCSHMEM_OR,
	ROCSHMEM_XOR,
	ROCSHMEM_REPLACE
};

enum ROCSHMEM_SIGNAL_OPS { ROCSHMEM_SIGNAL_SET = GSHMEM_SIGNAL_SET, ROCSHMEM_SIGNAL_ADD = GSHMEM_SIGNAL_ADD };

enum rocshmem_cmps {
	ROCSHMEM_CMP_EQ = GSHMEM_CMP_EQ,
	ROCSHMEM_CMP_NE = GSHMEM_CMP_NE,
	ROCSHMEM_CMP_GT = GSHMEM_CMP_GT,
	ROCSHMEM_CMP_GE = GSHMEM_CMP_GE,
	ROCSHMEM_CMP_LT = GSHMEM_CMP_LT,
	ROCSHMEM_CMP_LE = GSHMEM_CMP_LE
};

enum rocshmem_thread_ops {
	ROCSHMEM_THREAD_SINGLE = GSHMEM_THREAD_SINGLE,
	ROCSHMEM_THREAD_FUNNELED = GSHMEM_THREAD_FUNNELED,
	ROCSHMEM_THREAD_WG_FUNNELED = GSHMEM_THREAD_SERIALIZED,
	ROCSHMEM_THREAD_SERIALIZED = GSHMEM_THREAD_SERIALIZED,
	ROCSHMEM_THREAD_MULTIPLE = GSHMEM_THREAD_MULTIPLE
};

enum rocshmem_team_configs {
	ROCSHMEM_TEAM_DEFAULT_CONFIGS = 0,
	ROCSHMEM_TEAM_NUM_CONTEXTS = GSHMEM_TEAM_NUM_CONTEXTS
};

constexpr int ROCSHMEM_CTX_ZERO = 0;
constexpr int ROCSHMEM_CTX_SHARED = 0;
constexpr int ROCSHMEM_CTX_WG_PRIVATE = 0;
constexpr int ROCSHMEM_CTX_NOSTORE = GSHMEM_CTX_NOSTORE;
constexpr int ROCSHMEM_CTX_SERIALIZED = GSHMEM_CTX_SERIALIZED;

/* Of arrays that older programs pass; no call here reads them. */
constexpr size_t ROCSHMEM_REDUCE_MIN_WRKDATA_SIZE = 1;
constexpr size_t ROCSHMEM_ATA_MAX_WRKDATA_SIZE = 1;
constexpr size_t ROCSHMEM_BARRIER_SYNC_SIZE = 1;
constexpr size_t ROCSHMEM_REDUCE_SYNC_SIZE = 1;
constexpr size_t ROCSHMEM_BCAST_SYNC_SIZE = 1;
constexpr size_t ROCSHMEM_ALLTOALL_SYNC_SIZE = 1;
constexpr size_t ROCSHMEM_FCOLLECT_SYNC_SIZE = 1;
constexpr size_t ROCSHMEM_SYNC_VALUE = 0;

typedef gshmem_team_t rocshmem_team_t;
typedef gshmem_team_config_t rocshmem_team_config_t;
typedef gshmem_ctx_t rocshmem_ctx_t;

constexpr rocshmem_team_t ROCSHMEM_TEAM_INVALID = nullptr;
constexpr rocshmem_ctx_t ROCSHMEM_CTX_INVALID = nullptr;

GSHMEMI_NAME rocshmem_team_t gshmemi_roc_team_world(void)
{
	return GSHMEM_TEAM_WORLD;
}

GSHMEMI_NAME rocshmem_team_t gshmemi_roc_team_shared(void)
{
	return GSHMEM_TEAM_SHARED;
}

GSHMEMI_NAME rocshmem_ctx_t gshmemi_roc_ctx_default(void)
{
	return GSHMEM_CTX_DEFAULT;
}

/* Contexts of kernels, by number: each is the default one. */
struct gshmemi_roc_ctx_array {
	GSHMEMI_NAME_MEMBER rocshmem_ctx_t operator[](size_t i) const
	{
		(void)i;
		return GSHMEM_CTX_DEFAULT;
	}
};

/* rocSHMEM's kernels and host have variables of their own. */
namespace device
{
using rocshmem::gshmemi_roc_team_shared;
using rocshmem::gshmemi_roc_team_world;
} /* namespace device */
namespace host
{
using rocshmem::gshmemi_roc_team_shared;
using rocshmem::gshmemi_roc_team_world;
} /* namespace host */

typedef std::array<uint8_t, ROCSHMEM_UNIQUE_ID_BYTES> rocshmem_uniqueid_t;
static_assert(sizeof(gshmemx_uniqueid_t) <= ROCSHMEM_UNIQUE_ID_BYTES, "an id does not fit");

/* Attributes of init. mpi_comm points to an MPI_Comm; NULL: MPI_COMM_WORLD. The rest is for a unique id. */
struct rocshmem_init_attr_t {
	int32_t rank, nranks;
	rocshmem_uniqueid_t uid;
	void *mpi_comm;
};
constexpr unsigned ROCSHMEM_INIT_WITH_MPI_COMM = 0;
constexpr unsigned ROCSHMEM_INIT_WITH_UNIQUEID = 1;

/* ---- calls that only the CPU makes ---- */

GSHMEMI_NAMES_HOST(rocshmem)
GSHMEMI_NAMES_BUFFERS(rocshmem)

/*
 * Programs ask for their number before init, to choose a device by it. This then initializes, and
 * init does nothing.
 */
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

/* A query by the CPU may be the first call; one in a kernel never is. */
GSHMEMI_NAME void gshmemi_init_for_query(void)
{
#if !GSHMEMI_DEVICE_PASS
#if GSHMEMI_KERNELS
	if (GSHMEMI_ON_HOST())
#endif
		gshmemi_init_early();
#endif
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

static inline int rocshmem_get_uniqueid(rocshmem_uniqueid_t *uid)
{
	gshmemx_uniqueid_t id;

	if (!uid || gshmemx_get_uniqueid(&id))
		return ROCSHMEM_ERROR;
	memcpy(uid->data(), &id, sizeof id);
	return ROCSHMEM_SUCCESS;
}

static inline int rocshmem_set_attr_uniqueid_args(
	int rank, int nranks, rocshmem_uniqueid_t *uid, rocshmem_init_attr_t *attr)
{
	if (!uid || !attr)
		return ROCSHMEM_ERROR;
	attr->rank = rank;
	attr->nranks = nranks;
	attr->uid = *uid;
	attr->mpi_comm = NULL;
	return ROCSHMEM_SUCCESS;
}

static inline int gshmemi_init_by_id(const rocshmem_init_attr_t *attr)
{
	struct gshmemx_init_attributes attributes = GSHMEMX_INIT_ATTR_DEFAULT;
	gshmemx_uniqueid_t id;

	if (gshmemi_was_early) {
		gshmemi_was_early = false;
		return ROCSHMEM_SUCCESS;
	}
	memcpy(&id, attr->uid.data(), sizeof id);
	if (gshmemx_set_attr_uniqueid_args(attr->rank, attr->nranks, &id, &attributes))
		return ROCSHMEM_ERROR;
	return gshmemx_init_attr(&attributes) ? ROCSHMEM_ERROR : ROCSHMEM_SUCCESS;
}

static inline int rocshmem_init_attr(unsigned flags, rocshmem_init_attr_t *attr)
{
	if (flags == ROCSHMEM_INIT_WITH_UNIQUEID && attr)
		return gshmemi_init_by_id(attr);
	if (flags != ROCSHMEM_INIT_WITH_MPI_COMM)
		return ROCSHMEM_ERROR;
	return gshmemi_init_attributes(attr ? attr->mpi_comm : NULL, GSHMEM_THREAD_SINGLE, NULL);
}

static inline int rocshmem_hipmodule_init(void *module, void *stream = nullptr)
{
	(void)stream;
	return gshmemx_module_init(module);
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

static inline int rocshmem_team_get_config(
	rocshmem_team_t team, long config_mask, rocshmem_team_config_t *config)
{
	return gshmem_team_get_config(team, config_mask, config);
}

/* rocSHMEM lets programs destroy predefined teams, too, which does nothing. */
static inline void rocshmem_team_destroy(rocshmem_team_t team)
{
	if (team != GSHMEM_TEAM_WORLD && team != GSHMEM_TEAM_SHARED)
		gshmem_team_destroy(team);
}

/* ---- queries and order ---- */

GSHMEMI_NAMES_QUERIES(rocshmem)

/* Kernels may make all calls, whatever level the CPU's threads have. */
GSHMEMI_NAME void rocshmem_query_thread(int *provided)
{
#if GSHMEMI_KERNELS
	if (GSHMEMI_DEVICE_PASS || !GSHMEMI_ON_HOST()) {
		*provided = ROCSHMEM_THREAD_MULTIPLE;
		return;
	}
#endif
#if !GSHMEMI_DEVICE_PASS
	gshmem_query_thread(provided);
#endif
}

GSHMEMI_NAME int rocshmem_my_pe(void)
{
	gshmemi_init_for_query();
	return gshmem_my_pe();
}

GSHMEMI_NAME int rocshmem_n_pes(void)
{
	gshmemi_init_for_query();
	return gshmem_n_pes();
}

GSHMEMI_NAME void *rocshmem_team_ptr(rocshmem_team_t team, const void *dest, int pe)
{
	return gshmem_team_ptr(team, dest, pe);
}

/* Concern all PEs, whatever the context. */
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

/* Contexts that kernels create are the default one, with PE numbers of a team. */
GSHMEMI_NAME int gshmemi_is_default(rocshmem_ctx_t ctx)
{
	return ((uint64_t)(uintptr_t)ctx & 0xffff) == ((uint64_t)(uintptr_t)GSHMEM_CTX_DEFAULT & 0xffff);
}

GSHMEMI_NAME void rocshmem_pe_quiet(const int *target_pes, size_t npes)
{
	gshmem_pe_quiet(target_pes, npes);
}

GSHMEMI_NAME void rocshmem_ctx_fence(rocshmem_ctx_t ctx)
{
	gshmemi_is_default(ctx) ? gshmem_fence() : gshmem_ctx_fence(ctx);
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

/* ---- calls that only kernels make ---- */

#if GSHMEMI_KERNELS

/* A work-group has nothing to do before its first call or after its last. */
static inline __device__ void rocshmem_wg_init(void) {}

static inline __device__ void rocshmem_wg_finalize(void) {}

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

/*
 * The default context with the PEs of a team at one stride: see gshmem/order/context.h for how a
 * handle holds them.
 */
static inline __device__ int rocshmem_wg_team_create_ctx(
	rocshmem_team_t team, long options, rocshmem_ctx_t *ctx)
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

/* Not for hosts, as there: in host code the name means the call without a PE, also by a reference. */
static inline __device__ void rocshmem_fence(int pe)
{
	(void)pe;
	gshmem_fence();
}

static inline __device__ void rocshmem_ctx_fence(rocshmem_ctx_t ctx, int pe)
{
	(void)pe;
	rocshmem_ctx_fence(ctx);
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

/* ---- by threads, waves and work-groups: each call, and the same with a context ---- */

#define GSHMEMI_THREAD_THEIRS(NAME) rocshmem_##NAME
#define GSHMEMI_WAVE_THEIRS(NAME)   rocshmem_##NAME##_wave
#define GSHMEMI_WG_THEIRS(NAME)     rocshmem_##NAME##_wg
#define GSHMEMI_STREAM_THEIRS(NAME) rocshmem_##NAME##_on_stream
#define GSHMEMI_V(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_CALL_V(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_CALL_V(SCOPE, ctx_##THEIRS, O, ctx_##OURS, (rocshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS), \
		(ctx, GSHMEMI_UNPACK ARGUMENTS))
#define GSHMEMI_R(T, SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_CALL_R(T, SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_CALL_R(T, SCOPE, ctx_##THEIRS, O, ctx_##OURS, \
		(rocshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS), (ctx, GSHMEMI_UNPACK ARGUMENTS))
/* Collectives order nothing but their own operations, so they ignore the context. */
#define GSHMEMI_C(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_CALL_C(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_NAME int SCOPE##_THEIRS(ctx_##THEIRS)(rocshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS) \
	{ \
		(void)ctx; \
		return SCOPE##_OURS(O, OURS) ARGUMENTS; \
	}
GSHMEMI_NAMES_CALLS

/* A team's barrier is OpenSHMEM's quiet and team_sync. */
#define GSHMEMI_BARRIERS(SCOPE, O) \
	GSHMEMI_NAME void SCOPE##_THEIRS(barrier)(void) \
	{ \
		SCOPE##_OURS(O, barrier_all)(); \
	} \
	GSHMEMI_NAME void SCOPE##_THEIRS(ctx_sync_all)(rocshmem_ctx_t ctx) \
	{ \
		(void)ctx; \
		SCOPE##_OURS(O, sync_all)(); \
	} \
	GSHMEMI_NAME void SCOPE##_THEIRS(ctx_barrier_all)(rocshmem_ctx_t ctx) \
	{ \
		if (!gshmemi_is_default(ctx)) \
			gshmem_ctx_quiet(ctx); \
		SCOPE##_OURS(O, barrier_all)(); \
	} \
	GSHMEMI_NAME void SCOPE##_THEIRS(ctx_sync)(rocshmem_ctx_t ctx, rocshmem_team_t team) \
	{ \
		(void)ctx; \
		(void)SCOPE##_OURS(O, team_sync)(team); \
	} \
	GSHMEMI_NAME void SCOPE##_THEIRS(ctx_barrier)(rocshmem_ctx_t ctx, rocshmem_team_t team) \
	{ \
		if (!gshmemi_is_default(ctx)) \
			gshmem_ctx_quiet(ctx); \
		SCOPE##_OURS(O, quiet)(); \
		(void)SCOPE##_OURS(O, team_sync)(team); \
	}
GSHMEMI_SCOPES(GSHMEMI_BARRIERS, gshmem)
#undef GSHMEMI_BARRIERS

/* clang-format off */
#define GSHMEMI_ALLTOALLV(SCOPE, NAME, T) \
	GSHMEMI_C(SCOPE, NAME##_alltoallv, gshmemx, NAME##_alltoallv, \
		(gshmem_team_t team, T *dest, const size_t *dest_nelems, const size_t *dest_displs, \
			const T *source, const size_t *source_nelems, const size_t *source_displs), \
		(team, dest, dest_nelems, dest_displs, source, source_nelems, source_displs))
/* clang-format on */
#define X(NAME, T) GSHMEMI_GROUPS(GSHMEMI_ALLTOALLV, NAME, T)
GSHMEMI_NAMES_TYPES(X)
#undef X
#undef GSHMEMI_ALLTOALLV

/* clang-format off */
/* rocSHMEM also has these for short, int, long and long long: as for the unsigned type of the same bits. */
#define GSHMEMI_SIGNED_OP(SCOPE, NAME, T, UNAME, U) \
	GSHMEMI_C(SCOPE, NAME##_reduce, gshmem, UNAME##_reduce, \
		(gshmem_team_t team, T *dest, const T *source, size_t nreduce), \
		(team, (U *)dest, (const U *)source, nreduce))
/* clang-format on */
#define GSHMEMI_SIGNED(NAME, T, UNAME, U) \
	GSHMEMI_SCOPES(GSHMEMI_SIGNED_OP, NAME##_and, T, UNAME##_and, U) \
	GSHMEMI_SCOPES(GSHMEMI_SIGNED_OP, NAME##_or, T, UNAME##_or, U) \
	GSHMEMI_SCOPES(GSHMEMI_SIGNED_OP, NAME##_xor, T, UNAME##_xor, U)
GSHMEMI_SIGNED(short, short, ushort, unsigned short)
GSHMEMI_SIGNED(int, int, uint, unsigned int)
GSHMEMI_SIGNED(long, long, ulong, unsigned long)
GSHMEMI_SIGNED(longlong, long long, ulonglong, unsigned long long)
#undef GSHMEMI_SIGNED
#undef GSHMEMI_SIGNED_OP
#undef GSHMEMI_V
#undef GSHMEMI_R
#undef GSHMEMI_C

/* ---- on a stream: by the CPU ---- */

#define GSHMEMI_V GSHMEMI_STREAM_V
#define GSHMEMI_C(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	GSHMEMI_STREAM_C(SCOPE, THEIRS, O, OURS, PARAMETERS, ARGUMENTS) \
	static inline int SCOPE##_THEIRS(ctx_##THEIRS)( \
		rocshmem_ctx_t ctx, GSHMEMI_UNPACK PARAMETERS, void *stream) \
	{ \
		(void)ctx; \
		return SCOPE##_OURS(O, OURS)(GSHMEMI_UNPACK ARGUMENTS, stream); \
	}
GSHMEMI_NAMES_STREAM
GSHMEMI_NAMES_COPY(GSHMEMI_STREAM, putmem, putmem, void)
GSHMEMI_NAMES_COPY(GSHMEMI_STREAM, getmem, getmem, void)
GSHMEMI_NAMES_SIGNAL(GSHMEMI_STREAM, putmem_signal, putmem_signal, void)
#undef GSHMEMI_V
#undef GSHMEMI_C
#undef GSHMEMI_THREAD_THEIRS
#undef GSHMEMI_WAVE_THEIRS
#undef GSHMEMI_WG_THEIRS
#undef GSHMEMI_STREAM_THEIRS

} /* namespace rocshmem */

GSHMEMI_QUIET_END

#endif /* GSHMEM_COMPAT_ROCSHMEM_HPP */
