/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All functions of OpenSHMEM 1.6, for the chapters that gshmem has, are declared with the spec's types and
 * exported by the library. The tables below were typed from the spec and not from gshmem/api/types.h. So this
 * test notices a missing type there by a count and by a symbol, and a wrong type by the compiler.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <gshmem.h>
#include "helpers.h"
#include "spec_types.h"

#define SIZES(X) \
	X(8) \
	X(16) \
	X(32) \
	X(64) \
	X(128) \
	X(mem)

enum {
	NRMA = 24,
	NSIZES = 5,
	NAMO = 12,
	NEXTENDED = 14,
	NBITWISE = 7,
	NP2P = 14,
	NREDUCE_BITS = 14,
	NREDUCE = 26,
	NSHORT = 2
};
/*
 * The number of the spec's functions without deprecated ones; of wait_until and test for short
 * and ushort, which are deprecated; and of those on arrays of short and ushort, an extension
 * that other libraries have, too.
 */
#define NSPEC (1685 + 4 + 24)

/* Declared again as in the spec, without a context and with one. */
#define IN_CTX      gshmem_ctx_t ctx,
#define TYPED(T, N) FORMS(T, N, _, ) FORMS(T, N, _ctx_, IN_CTX)
#define FORMS(T, N, C, P) \
	void gshmem##C##N##_put(P T *dest, const T *source, size_t nelems, int pe); \
	void gshmem##C##N##_get(P T *dest, const T *source, size_t nelems, int pe); \
	void gshmem##C##N##_put_nbi(P T *dest, const T *source, size_t nelems, int pe); \
	void gshmem##C##N##_get_nbi(P T *dest, const T *source, size_t nelems, int pe); \
	void gshmem##C##N##_p(P T *dest, T value, int pe); \
	T gshmem##C##N##_g(P const T *source, int pe); \
	void gshmem##C##N##_iput( \
		P T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	void gshmem##C##N##_iget( \
		P T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	void gshmem##C##N##_ibput(P T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
		size_t nblocks, int pe); \
	void gshmem##C##N##_ibget(P T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
		size_t nblocks, int pe); \
	void gshmem##C##N##_put_signal(P T *dest, const T *source, size_t nelems, uint64_t *sig_addr, \
		uint64_t signal, int sig_op, int pe); \
	void gshmem##C##N##_put_signal_nbi(P T *dest, const T *source, size_t nelems, uint64_t *sig_addr, \
		uint64_t signal, int sig_op, int pe);
RMA(TYPED)
#undef FORMS
#define FORMS(T, N, C, P) \
	T gshmem##C##N##_atomic_fetch(P const T *source, int pe); \
	void gshmem##C##N##_atomic_set(P T *dest, T value, int pe); \
	T gshmem##C##N##_atomic_swap(P T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_fetch_nbi(P T *fetch, const T *source, int pe); \
	void gshmem##C##N##_atomic_swap_nbi(P T *fetch, T *dest, T value, int pe);
EXTENDED(TYPED)
#undef FORMS
#define FORMS(T, N, C, P) \
	T gshmem##C##N##_atomic_compare_swap(P T *dest, T cond, T value, int pe); \
	T gshmem##C##N##_atomic_fetch_inc(P T *dest, int pe); \
	void gshmem##C##N##_atomic_inc(P T *dest, int pe); \
	T gshmem##C##N##_atomic_fetch_add(P T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_add(P T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_compare_swap_nbi(P T *fetch, T *dest, T cond, T value, int pe); \
	void gshmem##C##N##_atomic_fetch_inc_nbi(P T *fetch, T *dest, int pe); \
	void gshmem##C##N##_atomic_fetch_add_nbi(P T *fetch, T *dest, T value, int pe);
AMO(TYPED)
#undef FORMS
#define FORMS(T, N, C, P) \
	T gshmem##C##N##_atomic_fetch_and(P T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_and(P T *dest, T value, int pe); \
	T gshmem##C##N##_atomic_fetch_or(P T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_or(P T *dest, T value, int pe); \
	T gshmem##C##N##_atomic_fetch_xor(P T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_xor(P T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_fetch_and_nbi(P T *fetch, T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_fetch_or_nbi(P T *fetch, T *dest, T value, int pe); \
	void gshmem##C##N##_atomic_fetch_xor_nbi(P T *fetch, T *dest, T value, int pe);
BITWISE(TYPED)
#undef FORMS
#undef TYPED
#define TYPED(T, N) \
	void gshmem_##N##_wait_until(T *ivar, int cmp, T cmp_value); \
	int gshmem_##N##_test(T *ivar, int cmp, T cmp_value);
P2P(TYPED)
#undef TYPED

#define TYPED(T, N) \
	void gshmem_##N##_wait_until_all(T *ivars, size_t nelems, const int *status, int cmp, T cmp_value); \
	size_t gshmem_##N##_wait_until_any( \
		T *ivars, size_t nelems, const int *status, int cmp, T cmp_value); \
	size_t gshmem_##N##_wait_until_some( \
		T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value); \
	void gshmem_##N##_wait_until_all_vector( \
		T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
	size_t gshmem_##N##_wait_until_any_vector( \
		T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
	size_t gshmem_##N##_wait_until_some_vector( \
		T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, const T *cmp_values); \
	int gshmem_##N##_test_all(T *ivars, size_t nelems, const int *status, int cmp, T cmp_value); \
	size_t gshmem_##N##_test_any(T *ivars, size_t nelems, const int *status, int cmp, T cmp_value); \
	size_t gshmem_##N##_test_some( \
		T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value); \
	int gshmem_##N##_test_all_vector( \
		T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
	size_t gshmem_##N##_test_any_vector( \
		T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
	size_t gshmem_##N##_test_some_vector( \
		T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, const T *cmp_values);
P2P(TYPED)
#undef TYPED

#define FORMS(SIZE, C, P) \
	void gshmem##C##put##SIZE(P void *dest, const void *source, size_t nelems, int pe); \
	void gshmem##C##get##SIZE(P void *dest, const void *source, size_t nelems, int pe); \
	void gshmem##C##put##SIZE##_nbi(P void *dest, const void *source, size_t nelems, int pe); \
	void gshmem##C##get##SIZE##_nbi(P void *dest, const void *source, size_t nelems, int pe); \
	void gshmem##C##put##SIZE##_signal(P void *dest, const void *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe); \
	void gshmem##C##put##SIZE##_signal_nbi(P void *dest, const void *source, size_t nelems, \
		uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
#define SIZED(SIZE) FORMS(SIZE, _, ) FORMS(SIZE, _ctx_, IN_CTX)
SIZES(SIZED)
#undef SIZED
#undef FORMS
#define FORMS(SIZE, C, P) \
	void gshmem##C##iput##SIZE( \
		P void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	void gshmem##C##iget##SIZE( \
		P void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	void gshmem##C##ibput##SIZE(P void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t bsize, size_t nblocks, int pe); \
	void gshmem##C##ibget##SIZE(P void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
		size_t bsize, size_t nblocks, int pe);
#define SIZED(SIZE) FORMS(SIZE, _, ) FORMS(SIZE, _ctx_, IN_CTX)
SIZED(8)
SIZED(16)
SIZED(32)
SIZED(64)
SIZED(128)
#undef SIZED
#undef FORMS
void gshmem_init(void);
int gshmem_init_thread(int requested, int *provided);
void gshmem_finalize(void);
void gshmem_query_thread(int *provided);
void gshmem_query_initialized(int *initialized);
int gshmem_my_pe(void);
int gshmem_n_pes(void);
int gshmem_pe_accessible(int pe);
int gshmem_addr_accessible(const void *addr, int pe);
void *gshmem_ptr(const void *dest, int pe);
void gshmem_info_get_version(int *major, int *minor);
void gshmem_info_get_name(char *name);
void *gshmem_malloc(size_t size);
void *gshmem_calloc(size_t count, size_t size);
void *gshmem_align(size_t alignment, size_t size);
void *gshmem_realloc(void *ptr, size_t size);
void *gshmem_malloc_with_hints(size_t size, long hints);
void gshmem_free(void *ptr);
void gshmem_signal_set(uint64_t *sig_addr, uint64_t signal, int pe);
void gshmem_signal_add(uint64_t *sig_addr, uint64_t signal, int pe);
void gshmem_ctx_signal_set(gshmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe);
void gshmem_ctx_signal_add(gshmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe);
uint64_t gshmem_signal_fetch(const uint64_t *sig_addr);
uint64_t gshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value);
void gshmem_fence(void);
void gshmem_quiet(void);
void gshmem_pe_quiet(const int *target_pes, size_t npes);
void gshmem_ctx_fence(gshmem_ctx_t ctx);
void gshmem_ctx_quiet(gshmem_ctx_t ctx);
void gshmem_ctx_pe_quiet(gshmem_ctx_t ctx, const int *target_pes, size_t npes);
void gshmem_sync_all(void);
void gshmem_barrier_all(void);
int gshmem_team_my_pe(gshmem_team_t team);
int gshmem_team_n_pes(gshmem_team_t team);
int gshmem_team_get_config(gshmem_team_t team, long config_mask, gshmem_team_config_t *config);
int gshmem_team_translate_pe(gshmem_team_t src_team, int src_pe, gshmem_team_t dest_team);
int gshmem_team_split_strided(gshmem_team_t parent_team, int start, int stride, int size,
	const gshmem_team_config_t *config, long config_mask, gshmem_team_t *new_team);
int gshmem_team_split_2d(gshmem_team_t parent_team, int xrange, const gshmem_team_config_t *xaxis_config,
	long xaxis_mask, gshmem_team_t *xaxis_team, const gshmem_team_config_t *yaxis_config, long yaxis_mask,
	gshmem_team_t *yaxis_team);
void gshmem_team_destroy(gshmem_team_t team);
int gshmem_team_sync(gshmem_team_t team);
void *gshmem_team_ptr(gshmem_team_t team, const void *dest, int pe);
int gshmem_ctx_create(long options, gshmem_ctx_t *ctx);
int gshmem_team_create_ctx(gshmem_team_t team, long options, gshmem_ctx_t *ctx);
void gshmem_ctx_destroy(gshmem_ctx_t ctx);
int gshmem_ctx_get_team(gshmem_ctx_t ctx, gshmem_team_t *team);
void gshmem_ctx_session_start(
	gshmem_ctx_t ctx, long options, const gshmem_ctx_session_config_t *config, long config_mask);
void gshmem_ctx_session_stop(gshmem_ctx_t ctx);
void gshmem_set_lock(long *lock);
void gshmem_clear_lock(long *lock);
int gshmem_test_lock(long *lock);
void gshmem_pcontrol(int level, ...);

#define NAME(T, N) #N,
#define SIZE(N)    #N,
static const char *const rma[] = {RMA(NAME) NULL}, *const amo[] = {AMO(NAME) NULL},
			 *const extended[] = {EXTENDED(NAME) NULL}, *const bitwise[] = {BITWISE(NAME) NULL},
			 *const p2p[] = {P2P(NAME) NULL}, *const sizes[] = {SIZES(SIZE) NULL},
			 *const half[] = {"half", "bfloat16", NULL},
			 *const no_mem[] = {"8", "16", "32", "64", "128", NULL},
			 *const reduce_bits[] = {REDUCE_BITS(NAME) NULL},
			 *const reduce[] = {RMA(NAME) "complexd", "complexf", NULL},
			 *const mem[] = {"mem", NULL}, *const once[] = {"", NULL};

#define ABSENT (-1)

/*
 * The functions of one table: % stands for the type's name or the size. expected: how many of them the spec
 * has in its chapters and tables; 0 for extensions; ABSENT for those that the library must not have.
 */
static const struct family {
	const char *const *names;
	int expected;
	const char *functions;
} families[] = {
	{rma, 12 * NRMA,
		"gshmem_%_put gshmem_%_get gshmem_%_put_nbi gshmem_%_get_nbi gshmem_%_p gshmem_%_g gshmem_%_iput "
		"gshmem_%_iget gshmem_%_ibput gshmem_%_ibget gshmem_%_put_signal gshmem_%_put_signal_nbi"},
	{sizes, 6 * (NSIZES + 1),
		"gshmem_put% gshmem_get% gshmem_put%_nbi gshmem_get%_nbi gshmem_put%_signal gshmem_put%_signal_nbi"},
	{no_mem, 4 * NSIZES, "gshmem_iput% gshmem_iget% gshmem_ibput% gshmem_ibget%"},
	{extended, 5 * NEXTENDED,
		"gshmem_%_atomic_fetch gshmem_%_atomic_set gshmem_%_atomic_swap gshmem_%_atomic_fetch_nbi "
		"gshmem_%_atomic_swap_nbi"},
	{amo, 8 * NAMO,
		"gshmem_%_atomic_compare_swap gshmem_%_atomic_fetch_inc gshmem_%_atomic_inc gshmem_%_atomic_fetch_add "
		"gshmem_%_atomic_add gshmem_%_atomic_compare_swap_nbi gshmem_%_atomic_fetch_inc_nbi "
		"gshmem_%_atomic_fetch_add_nbi"},
	{bitwise, 9 * NBITWISE,
		"gshmem_%_atomic_fetch_and gshmem_%_atomic_and gshmem_%_atomic_fetch_or gshmem_%_atomic_or "
		"gshmem_%_atomic_fetch_xor gshmem_%_atomic_xor gshmem_%_atomic_fetch_and_nbi "
		"gshmem_%_atomic_fetch_or_nbi gshmem_%_atomic_fetch_xor_nbi"},
	{p2p, 2 * NP2P, "gshmem_%_wait_until gshmem_%_test"},
	{p2p, 12 * NP2P,
		"gshmem_%_wait_until_all gshmem_%_wait_until_any gshmem_%_wait_until_some gshmem_%_test_all "
		"gshmem_%_test_any gshmem_%_test_some gshmem_%_wait_until_all_vector gshmem_%_wait_until_any_vector "
		"gshmem_%_wait_until_some_vector gshmem_%_test_all_vector gshmem_%_test_any_vector "
		"gshmem_%_test_some_vector"},
	{once, 37,
		"gshmem_init gshmem_init_thread gshmem_finalize gshmem_global_exit gshmem_query_thread "
		"gshmem_query_initialized gshmem_my_pe gshmem_n_pes gshmem_pe_accessible gshmem_addr_accessible "
		"gshmem_ptr gshmem_info_get_version gshmem_info_get_name gshmem_malloc gshmem_calloc gshmem_align "
		"gshmem_realloc gshmem_malloc_with_hints gshmem_free gshmem_signal_set gshmem_signal_add "
		"gshmem_signal_fetch gshmem_signal_wait_until gshmem_fence gshmem_quiet gshmem_pe_quiet "
		"gshmem_sync_all gshmem_barrier_all gshmem_team_my_pe gshmem_team_n_pes gshmem_team_get_config "
		"gshmem_team_translate_pe gshmem_team_split_strided gshmem_team_split_2d gshmem_team_destroy "
		"gshmem_team_sync gshmem_team_ptr"},
	{rma, 12 * NRMA,
		"gshmem_ctx_%_put gshmem_ctx_%_get gshmem_ctx_%_put_nbi gshmem_ctx_%_get_nbi gshmem_ctx_%_p "
		"gshmem_ctx_%_g gshmem_ctx_%_iput gshmem_ctx_%_iget gshmem_ctx_%_ibput gshmem_ctx_%_ibget "
		"gshmem_ctx_%_put_signal gshmem_ctx_%_put_signal_nbi"},
	{sizes, 6 * (NSIZES + 1),
		"gshmem_ctx_put% gshmem_ctx_get% gshmem_ctx_put%_nbi gshmem_ctx_get%_nbi gshmem_ctx_put%_signal "
		"gshmem_ctx_put%_signal_nbi"},
	{no_mem, 4 * NSIZES, "gshmem_ctx_iput% gshmem_ctx_iget% gshmem_ctx_ibput% gshmem_ctx_ibget%"},
	{extended, 5 * NEXTENDED,
		"gshmem_ctx_%_atomic_fetch gshmem_ctx_%_atomic_set gshmem_ctx_%_atomic_swap "
		"gshmem_ctx_%_atomic_fetch_nbi gshmem_ctx_%_atomic_swap_nbi"},
	{amo, 8 * NAMO,
		"gshmem_ctx_%_atomic_compare_swap gshmem_ctx_%_atomic_fetch_inc gshmem_ctx_%_atomic_inc "
		"gshmem_ctx_%_atomic_fetch_add gshmem_ctx_%_atomic_add gshmem_ctx_%_atomic_compare_swap_nbi "
		"gshmem_ctx_%_atomic_fetch_inc_nbi gshmem_ctx_%_atomic_fetch_add_nbi"},
	{bitwise, 9 * NBITWISE,
		"gshmem_ctx_%_atomic_fetch_and gshmem_ctx_%_atomic_and gshmem_ctx_%_atomic_fetch_or "
		"gshmem_ctx_%_atomic_or gshmem_ctx_%_atomic_fetch_xor gshmem_ctx_%_atomic_xor "
		"gshmem_ctx_%_atomic_fetch_and_nbi gshmem_ctx_%_atomic_fetch_or_nbi gshmem_ctx_%_atomic_fetch_xor_nbi"},
	{once, 11,
		"gshmem_ctx_create gshmem_team_create_ctx gshmem_ctx_destroy gshmem_ctx_get_team "
		"gshmem_ctx_session_start gshmem_ctx_session_stop gshmem_ctx_fence gshmem_ctx_quiet "
		"gshmem_ctx_pe_quiet gshmem_ctx_signal_set gshmem_ctx_signal_add"},
	{once, 3, "gshmem_set_lock gshmem_clear_lock gshmem_test_lock"},
	{once, 1, "gshmem_pcontrol"},
	{rma, 5 * NRMA,
		"gshmem_%_broadcast gshmem_%_collect gshmem_%_fcollect gshmem_%_alltoall gshmem_%_alltoalls"},
	{mem, 5, "gshmem_broadcast% gshmem_collect% gshmem_fcollect% gshmem_alltoall% gshmem_alltoalls%"},
	{reduce_bits, 3 * NREDUCE_BITS, "gshmem_%_and_reduce gshmem_%_or_reduce gshmem_%_xor_reduce"},
	{rma, 2 * NRMA, "gshmem_%_max_reduce gshmem_%_min_reduce"},
	{reduce, 4 * NREDUCE,
		"gshmem_%_sum_reduce gshmem_%_prod_reduce gshmem_%_sum_inscan gshmem_%_sum_exscan"},
	/* Extensions. */
	{half, 0, "gshmemx_%_put gshmemx_%_get gshmemx_%_put_nbi gshmemx_%_get_nbi gshmemx_%_p gshmemx_%_g"},
	{half, 0,
		"gshmemx_%_max_reduce gshmemx_%_min_reduce gshmemx_%_sum_reduce gshmemx_%_prod_reduce gshmemx_%_sum_inscan "
		"gshmemx_%_sum_exscan gshmemx_%_sum_reduce_scatter gshmemx_%_sum_reduce_on_stream"},
	{once, 0,
		"gshmemx_init_attr gshmemx_get_uniqueid gshmemx_set_attr_uniqueid_args gshmemx_module_init "
		"gshmemx_heap_stats gshmemx_peer_bases gshmemx_buffer_register gshmemx_buffer_unregister "
		"gshmemx_buffer_unregister_all gshmemx_race_ok gshmemx_rpc_call gshmemx_rpc_call_line gshmemx_rpc_post "
		"gshmemx_rpc_post_line gshmemx_rpc_test gshmemx_rpc_wait gshmemx_rpc_stream gshmemx_rpc_channel_create "
		"gshmemx_rpc_channel_stop gshmemx_rpc_channel_destroy gshmemx_abort gshmemx_trace gshmemx_trace_name"},
	/* What waves and work-groups do together is for kernels: the library has none of it. */
	{half, ABSENT,
		"gshmemx_%_put_wave gshmemx_%_get_wg gshmemx_%_put_nbi_wg gshmemx_%_get_nbi_wave gshmemx_%_iput_wave "
		"gshmemx_%_iget_wg gshmemx_%_put_signal_wg gshmemx_%_put_signal_nbi_wave gshmemx_%_max_reduce_wave "
		"gshmemx_%_min_reduce_wg gshmemx_%_prod_reduce_scatter_wave gshmemx_%_sum_exscan_wg"},
	{rma, ABSENT,
		"gshmemx_%_put_wave gshmemx_%_get_wave gshmemx_%_put_nbi_wave gshmemx_%_get_nbi_wave "
		"gshmemx_%_iput_wave gshmemx_%_iget_wave gshmemx_%_put_signal_wave gshmemx_%_put_signal_nbi_wave "
		"gshmemx_%_put_wg gshmemx_%_get_wg gshmemx_%_put_nbi_wg gshmemx_%_get_nbi_wg gshmemx_%_iput_wg "
		"gshmemx_%_iget_wg gshmemx_%_ibput_wave gshmemx_%_ibget_wave gshmemx_%_ibput_wg gshmemx_%_ibget_wg "
		"gshmemx_%_put_signal_wg gshmemx_%_put_signal_nbi_wg gshmemx_ctx_%_put_wave gshmemx_ctx_%_get_wg"},
	{sizes, ABSENT,
		"gshmemx_put%_wave gshmemx_get%_wave gshmemx_put%_nbi_wave gshmemx_get%_nbi_wave "
		"gshmemx_put%_signal_wave gshmemx_put%_signal_nbi_wave gshmemx_put%_wg gshmemx_get%_wg "
		"gshmemx_put%_nbi_wg gshmemx_get%_nbi_wg gshmemx_put%_signal_wg gshmemx_put%_signal_nbi_wg"},
	{no_mem, ABSENT,
		"gshmemx_iput%_wave gshmemx_iget%_wave gshmemx_iput%_wg gshmemx_iget%_wg gshmemx_ibput%_wave "
		"gshmemx_ibget%_wave gshmemx_ibput%_wg gshmemx_ibget%_wg"},
	{p2p, ABSENT, "gshmemx_%_wait_until_wave gshmemx_%_wait_until_wg"},
	{rma, ABSENT, "gshmemx_%_broadcast_wave gshmemx_%_alltoall_wg gshmemx_%_max_reduce_wg"},
	{once, ABSENT,
		"gshmemx_signal_wait_until_wave gshmemx_signal_wait_until_wg gshmemx_barrier_all_wave "
		"gshmemx_barrier_all_wg gshmemx_sync_all_wave gshmemx_sync_all_wg gshmemx_team_sync_wave "
		"gshmemx_team_sync_wg gshmemx_fence_wave gshmemx_fence_wg gshmemx_quiet_wave gshmemx_quiet_wg "
		"gshmemx_rpc_stream_wave gshmemx_win_float_put_wave gshmemx_win_putmem_wg"},
};

/* Look up every function of a family; returns how many there are. */
static int check_family(const struct family *family)
{
	const char *const *name, *at, *end;
	char function[128];
	bool is_there;
	int count = 0;

	for (name = family->names; *name; name++)
		for (at = family->functions; *at; at = end + (*end == ' ')) {
			int length = 0;

			for (end = at; *end && *end != ' '; end++)
				length += *end == '%' ? sprintf(function + length, "%s", *name)
						      : sprintf(function + length, "%c", *end);
			is_there = dlsym(RTLD_DEFAULT, function) != NULL;
			t_check(is_there == (family->expected != ABSENT), "%s is %sin libgshmem", function,
				is_there ? "" : "not ");
			count++;
		}
	return count;
}

/* A list of gshmem/api/types.h has exactly these names. */
static void check_list(const char *what, const char *const *list, const char *const *spec, int n)
{
	int nlist, nspec, i, j;

	for (nlist = 0; list[nlist]; nlist++)
		;
	for (nspec = 0; spec[nspec]; nspec++)
		;
	t_check(nlist == n && nspec == n, "%s: %d in types.h, %d in the test, expected %d", what, nlist,
		nspec, n);
	for (i = 0; i < n; i++) {
		for (j = 0; j < n && strcmp(list[i], spec[j]) != 0; j++)
			;
		t_check(j < n, "%s: %s of types.h is none of the spec's", what, list[i]);
		for (j = 0; j < i; j++)
			t_check(strcmp(list[i], list[j]) != 0, "%s: %s is there twice", what, list[i]);
	}
}

#define LISTED(N, T) #N,
static const char *const listed_rma[] = {GSHMEM_RMA_TYPES(LISTED) NULL},
			 *const listed_amo[] = {GSHMEM_AMO_TYPES(LISTED) NULL},
			 *const listed_extended[] = {GSHMEM_EXTENDED_AMO_TYPES(LISTED) NULL},
			 *const listed_bitwise[] = {GSHMEM_BITWISE_AMO_TYPES(LISTED) NULL},
			 *const listed_p2p[] = {GSHMEM_WAIT_TYPES(LISTED) NULL},
			 *const listed_half[] = {GSHMEMX_RMA_TYPES(LISTED) NULL},
			 *const listed_sizes[] = {GSHMEM_RMA_SIZES(LISTED) NULL};

int main(void)
{
	char name[GSHMEM_MAX_NAME_LEN];
	int major = 0, minor = 0, n = 0;
	size_t i;

	check_list("RMA types", listed_rma, rma, NRMA);
	check_list("sizes", listed_sizes, no_mem, NSIZES);
	check_list("AMO types", listed_amo, amo, NAMO);
	check_list("extended AMO types", listed_extended, extended, NEXTENDED);
	check_list("bitwise AMO types", listed_bitwise, bitwise, NBITWISE);
	check_list("point-to-point types", listed_p2p, p2p, NP2P);
	check_list("16-bit types", listed_half, half, NSHORT);
	for (i = 0; i < sizeof families / sizeof *families; i++) {
		const int count = check_family(&families[i]);

		if (families[i].expected == ABSENT)
			continue;
		if (families[i].expected)
			t_equal(count, families[i].expected, families[i].functions);
		n += families[i].expected;
	}
	t_equal(n, NSPEC, "functions of the spec");

	gshmem_info_get_version(&major, &minor);
	t_check(major == 1 && minor == 6, "version: expected 1.6, got %d.%d", major, minor);
	gshmem_info_get_name(name);
	t_check(strcmp(name, GSHMEM_VENDOR_STRING) == 0, "name: expected %s, got %s", GSHMEM_VENDOR_STRING,
		name);
	return 0;
}
