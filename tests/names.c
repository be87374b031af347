/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of OpenSHMEM 1.6, for the chapters that gshmem has, are there: declared with the spec's types and
 * exported by the library. The tables below are typed from the spec's, not from gshmem/types.h: a type that is
 * missing there is noticed here, by a number, by a symbol and, where a type is another one, by the compiler.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <gshmem.h>
#include "helpers.h"

/* Table 5 of the spec, "Standard RMA types and names". */
#define RMA(X) \
	X(float, float) X(double, double) X(long double, longdouble) X(char, char) X(signed char, schar) \
	X(short, short) X(int, int) X(long, long) X(long long, longlong) X(unsigned char, uchar) \
	X(unsigned short, ushort) X(unsigned int, uint) X(unsigned long, ulong) X(unsigned long long, ulonglong) \
	X(int8_t, int8) X(int16_t, int16) X(int32_t, int32) X(int64_t, int64) X(uint8_t, uint8) X(uint16_t, uint16) \
	X(uint32_t, uint32) X(uint64_t, uint64) X(size_t, size) X(ptrdiff_t, ptrdiff)
/* "Standard AMO types and names". */
#define AMO(X) \
	X(int, int) X(long, long) X(long long, longlong) X(unsigned int, uint) X(unsigned long, ulong) \
	X(unsigned long long, ulonglong) X(int32_t, int32) X(int64_t, int64) X(uint32_t, uint32) \
	X(uint64_t, uint64) X(size_t, size) X(ptrdiff_t, ptrdiff)
/* "Extended AMO types and names". */
#define EXTENDED(X) X(float, float) X(double, double) AMO(X)
/* "Bitwise AMO types and names". */
#define BITWISE(X) \
	X(unsigned int, uint) X(unsigned long, ulong) X(unsigned long long, ulonglong) X(int32_t, int32) \
	X(int64_t, int64) X(uint32_t, uint32) X(uint64_t, uint64)
/* "Point-to-point synchronization types and names": the deprecated table, which includes the other. */
#define P2P(X) X(short, short) X(unsigned short, ushort) AMO(X)
#define SIZES(X) X(8) X(16) X(32) X(64) X(128) X(mem)

enum { NRMA = 24, NSIZES = 5, NAMO = 12, NEXTENDED = 14, NBITWISE = 7, NP2P = 14, NSHORT = 2 };

/* Declared again, as the spec does. */
#define TYPED(T, N) \
	void gshmem_##N##_put(T *dest, const T *source, size_t nelems, int pe); \
	void gshmem_##N##_get(T *dest, const T *source, size_t nelems, int pe); \
	void gshmem_##N##_put_nbi(T *dest, const T *source, size_t nelems, int pe); \
	void gshmem_##N##_get_nbi(T *dest, const T *source, size_t nelems, int pe); \
	void gshmem_##N##_p(T *dest, T value, int pe); \
	T gshmem_##N##_g(const T *source, int pe); \
	void gshmem_##N##_iput(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	void gshmem_##N##_iget(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
	void gshmem_##N##_ibput(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
	void gshmem_##N##_ibget(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
	void gshmem_##N##_put_signal(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, \
				     int sig_op, int pe); \
	void gshmem_##N##_put_signal_nbi(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, \
					 int sig_op, int pe);
RMA(TYPED)
#undef TYPED
#define TYPED(T, N) \
	T gshmem_##N##_atomic_fetch(const T *source, int pe); \
	void gshmem_##N##_atomic_set(T *dest, T value, int pe); \
	T gshmem_##N##_atomic_swap(T *dest, T value, int pe); \
	void gshmem_##N##_atomic_fetch_nbi(T *fetch, const T *source, int pe); \
	void gshmem_##N##_atomic_swap_nbi(T *fetch, T *dest, T value, int pe);
EXTENDED(TYPED)
#undef TYPED
#define TYPED(T, N) \
	T gshmem_##N##_atomic_compare_swap(T *dest, T cond, T value, int pe); \
	T gshmem_##N##_atomic_fetch_inc(T *dest, int pe); \
	void gshmem_##N##_atomic_inc(T *dest, int pe); \
	T gshmem_##N##_atomic_fetch_add(T *dest, T value, int pe); \
	void gshmem_##N##_atomic_add(T *dest, T value, int pe); \
	void gshmem_##N##_atomic_compare_swap_nbi(T *fetch, T *dest, T cond, T value, int pe); \
	void gshmem_##N##_atomic_fetch_inc_nbi(T *fetch, T *dest, int pe); \
	void gshmem_##N##_atomic_fetch_add_nbi(T *fetch, T *dest, T value, int pe);
AMO(TYPED)
#undef TYPED
#define TYPED(T, N) \
	T gshmem_##N##_atomic_fetch_and(T *dest, T value, int pe); \
	void gshmem_##N##_atomic_and(T *dest, T value, int pe); \
	T gshmem_##N##_atomic_fetch_or(T *dest, T value, int pe); \
	void gshmem_##N##_atomic_or(T *dest, T value, int pe); \
	T gshmem_##N##_atomic_fetch_xor(T *dest, T value, int pe); \
	void gshmem_##N##_atomic_xor(T *dest, T value, int pe); \
	void gshmem_##N##_atomic_fetch_and_nbi(T *fetch, T *dest, T value, int pe); \
	void gshmem_##N##_atomic_fetch_or_nbi(T *fetch, T *dest, T value, int pe); \
	void gshmem_##N##_atomic_fetch_xor_nbi(T *fetch, T *dest, T value, int pe);
BITWISE(TYPED)
#undef TYPED
#define TYPED(T, N) \
	void gshmem_##N##_wait_until(T *ivar, int cmp, T cmp_value); \
	int gshmem_##N##_test(T *ivar, int cmp, T cmp_value);
P2P(TYPED)
#undef TYPED

#define TYPED(T, N) \
	void gshmem_##N##_wait_until_all(T *ivars, size_t nelems, const int *status, int cmp, T cmp_value); \
	size_t gshmem_##N##_wait_until_any(T *ivars, size_t nelems, const int *status, int cmp, T cmp_value); \
	size_t gshmem_##N##_wait_until_some(T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value); \
	void gshmem_##N##_wait_until_all_vector(T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
	size_t gshmem_##N##_wait_until_any_vector(T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
	size_t gshmem_##N##_wait_until_some_vector(T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, \
						   const T *cmp_values); \
	int gshmem_##N##_test_all(T *ivars, size_t nelems, const int *status, int cmp, T cmp_value); \
	size_t gshmem_##N##_test_any(T *ivars, size_t nelems, const int *status, int cmp, T cmp_value); \
	size_t gshmem_##N##_test_some(T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value); \
	int gshmem_##N##_test_all_vector(T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
	size_t gshmem_##N##_test_any_vector(T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
	size_t gshmem_##N##_test_some_vector(T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, \
					     const T *cmp_values);
AMO(TYPED)
#undef TYPED

#define NAME(T, N) #N,
#define SIZE(N)    #N,
static const char *const rma[] = {RMA(NAME) NULL}, *const amo[] = {AMO(NAME) NULL},
		  *const extended[] = {EXTENDED(NAME) NULL}, *const bitwise[] = {BITWISE(NAME) NULL},
		  *const p2p[] = {P2P(NAME) NULL}, *const sizes[] = {SIZES(SIZE) NULL},
		  *const half[] = {"half", "bfloat16", NULL}, *const no_mem[] = {"8", "16", "32", "64", "128", NULL},
		  *const once[] = {"", NULL};

/* The functions of one table: % stands for the type's name or the size. */
static const struct family {
	const char *const *names;
	const char *functions;
} families[] = {
	{rma, "gshmem_%_put gshmem_%_get gshmem_%_put_nbi gshmem_%_get_nbi gshmem_%_p gshmem_%_g gshmem_%_iput "
	      "gshmem_%_iget gshmem_%_ibput gshmem_%_ibget gshmem_%_put_signal gshmem_%_put_signal_nbi"},
	{sizes, "gshmem_put% gshmem_get% gshmem_put%_nbi gshmem_get%_nbi gshmem_put%_signal gshmem_put%_signal_nbi"},
	{no_mem, "gshmem_iput% gshmem_iget% gshmem_ibput% gshmem_ibget%"},
	{extended, "gshmem_%_atomic_fetch gshmem_%_atomic_set gshmem_%_atomic_swap gshmem_%_atomic_fetch_nbi "
		   "gshmem_%_atomic_swap_nbi"},
	{amo, "gshmem_%_atomic_compare_swap gshmem_%_atomic_fetch_inc gshmem_%_atomic_inc gshmem_%_atomic_fetch_add "
	      "gshmem_%_atomic_add gshmem_%_atomic_compare_swap_nbi gshmem_%_atomic_fetch_inc_nbi "
	      "gshmem_%_atomic_fetch_add_nbi"},
	{bitwise, "gshmem_%_atomic_fetch_and gshmem_%_atomic_and gshmem_%_atomic_fetch_or gshmem_%_atomic_or "
		  "gshmem_%_atomic_fetch_xor gshmem_%_atomic_xor gshmem_%_atomic_fetch_and_nbi "
		  "gshmem_%_atomic_fetch_or_nbi gshmem_%_atomic_fetch_xor_nbi"},
	{p2p, "gshmem_%_wait_until gshmem_%_test"},
	{amo, "gshmem_%_wait_until_all gshmem_%_wait_until_any gshmem_%_wait_until_some gshmem_%_test_all "
	      "gshmem_%_test_any gshmem_%_test_some gshmem_%_wait_until_all_vector "
	      "gshmem_%_wait_until_any_vector gshmem_%_wait_until_some_vector gshmem_%_test_all_vector "
	      "gshmem_%_test_any_vector gshmem_%_test_some_vector"},
	{once, "gshmem_init gshmem_init_thread gshmem_finalize gshmem_global_exit gshmem_query_thread "
	       "gshmem_query_initialized gshmem_my_pe gshmem_n_pes gshmem_pe_accessible gshmem_addr_accessible gshmem_ptr "
	       "gshmem_info_get_version gshmem_info_get_name gshmem_malloc gshmem_calloc gshmem_align gshmem_realloc "
	       "gshmem_malloc_with_hints gshmem_free gshmem_signal_set gshmem_signal_add gshmem_signal_fetch "
	       "gshmem_signal_wait_until gshmem_fence gshmem_quiet gshmem_pe_quiet gshmem_sync_all gshmem_barrier_all gshmem_team_my_pe "
	       "gshmem_team_n_pes gshmem_team_get_config gshmem_team_translate_pe gshmem_team_split_strided "
	       "gshmem_team_split_2d gshmem_team_destroy gshmem_team_sync gshmem_team_ptr"},
	{rma, "gshmem_ctx_%_put gshmem_ctx_%_get gshmem_ctx_%_put_nbi gshmem_ctx_%_get_nbi gshmem_ctx_%_p gshmem_ctx_%_g "
	      "gshmem_ctx_%_iput gshmem_ctx_%_iget gshmem_ctx_%_ibput gshmem_ctx_%_ibget gshmem_ctx_%_put_signal "
	      "gshmem_ctx_%_put_signal_nbi"},
	{sizes, "gshmem_ctx_put% gshmem_ctx_get% gshmem_ctx_put%_nbi gshmem_ctx_get%_nbi gshmem_ctx_put%_signal "
		"gshmem_ctx_put%_signal_nbi"},
	{no_mem, "gshmem_ctx_iput% gshmem_ctx_iget% gshmem_ctx_ibput% gshmem_ctx_ibget%"},
	{extended, "gshmem_ctx_%_atomic_fetch gshmem_ctx_%_atomic_set gshmem_ctx_%_atomic_swap gshmem_ctx_%_atomic_fetch_nbi "
		   "gshmem_ctx_%_atomic_swap_nbi"},
	{amo, "gshmem_ctx_%_atomic_compare_swap gshmem_ctx_%_atomic_fetch_inc gshmem_ctx_%_atomic_inc "
	      "gshmem_ctx_%_atomic_fetch_add gshmem_ctx_%_atomic_add gshmem_ctx_%_atomic_compare_swap_nbi "
	      "gshmem_ctx_%_atomic_fetch_inc_nbi gshmem_ctx_%_atomic_fetch_add_nbi"},
	{bitwise, "gshmem_ctx_%_atomic_fetch_and gshmem_ctx_%_atomic_and gshmem_ctx_%_atomic_fetch_or gshmem_ctx_%_atomic_or "
		  "gshmem_ctx_%_atomic_fetch_xor gshmem_ctx_%_atomic_xor gshmem_ctx_%_atomic_fetch_and_nbi "
		  "gshmem_ctx_%_atomic_fetch_or_nbi gshmem_ctx_%_atomic_fetch_xor_nbi"},
	{once, "gshmem_ctx_create gshmem_team_create_ctx gshmem_ctx_destroy gshmem_ctx_get_team gshmem_ctx_session_start "
	       "gshmem_ctx_session_stop gshmem_ctx_fence gshmem_ctx_quiet gshmem_ctx_pe_quiet gshmem_ctx_signal_set "
	       "gshmem_ctx_signal_add"},
	/* Extensions: the two more types, and what waves and work-groups do together. */
	{half, "gshmemx_%_put gshmemx_%_get gshmemx_%_put_nbi gshmemx_%_get_nbi gshmemx_%_p gshmemx_%_g"},
	{half, "gshmemx_%_put_wave gshmemx_%_get_wg gshmemx_%_put_nbi_wg gshmemx_%_get_nbi_wave gshmemx_%_iput_wave "
	       "gshmemx_%_iget_wg gshmemx_%_put_signal_wg gshmemx_%_put_signal_nbi_wave"},
	{rma, "gshmemx_%_put_wave gshmemx_%_get_wave gshmemx_%_put_nbi_wave gshmemx_%_get_nbi_wave gshmemx_%_iput_wave "
	      "gshmemx_%_iget_wave gshmemx_%_put_signal_wave gshmemx_%_put_signal_nbi_wave gshmemx_%_put_wg "
	      "gshmemx_%_get_wg gshmemx_%_put_nbi_wg gshmemx_%_get_nbi_wg gshmemx_%_iput_wg gshmemx_%_iget_wg "
	      "gshmemx_%_ibput_wave gshmemx_%_ibget_wave gshmemx_%_ibput_wg gshmemx_%_ibget_wg gshmemx_%_put_signal_wg gshmemx_%_put_signal_nbi_wg"},
	{sizes, "gshmemx_put%_wave gshmemx_get%_wave gshmemx_put%_nbi_wave gshmemx_get%_nbi_wave gshmemx_put%_signal_wave "
		"gshmemx_put%_signal_nbi_wave gshmemx_put%_wg gshmemx_get%_wg gshmemx_put%_nbi_wg gshmemx_get%_nbi_wg "
		"gshmemx_put%_signal_wg gshmemx_put%_signal_nbi_wg"},
	{no_mem, "gshmemx_iput%_wave gshmemx_iget%_wave gshmemx_iput%_wg gshmemx_iget%_wg gshmemx_ibput%_wave "
		 "gshmemx_ibget%_wave gshmemx_ibput%_wg gshmemx_ibget%_wg"},
	{p2p, "gshmemx_%_wait_until_wave gshmemx_%_wait_until_wg"},
	{once, "gshmemx_init_attr gshmemx_module_init gshmemx_heap_stats gshmemx_signal_wait_until_wave "
	       "gshmemx_signal_wait_until_wg gshmemx_barrier_all_wave gshmemx_barrier_all_wg gshmemx_sync_all_wave "
	       "gshmemx_sync_all_wg gshmemx_team_sync_wave gshmemx_team_sync_wg gshmemx_fence_wave gshmemx_fence_wg gshmemx_quiet_wave gshmemx_quiet_wg "
	       "gshmemx_rpc_call gshmemx_rpc_call_line gshmemx_rpc_post gshmemx_rpc_post_line gshmemx_rpc_test "
	       "gshmemx_rpc_wait gshmemx_rpc_stream gshmemx_rpc_stream_wave gshmemx_rpc_channel_create "
	       "gshmemx_rpc_channel_stop gshmemx_rpc_channel_destroy gshmemx_abort gshmemx_trace gshmemx_trace_name"},
};

/* Look up every function of a family; returns how many there are. */
static int check_family(const struct family *family)
{
	const char *const *name, *at, *end;
	char function[128];
	int count = 0;

	for (name = family->names; *name; name++)
		for (at = family->functions; *at; at = end + (*end == ' ')) {
			int length = 0;

			for (end = at; *end && *end != ' '; end++)
				length += *end == '%' ? sprintf(function + length, "%s", *name)
						      : sprintf(function + length, "%c", *end);
			t_check(dlsym(RTLD_DEFAULT, function), "%s is not in libgshmem", function);
			count++;
		}
	return count;
}

/* A list of gshmem/types.h has exactly these names. */
static void check_list(const char *what, const char *const *list, const char *const *spec, int n)
{
	int nlist, nspec, i, j;

	for (nlist = 0; list[nlist]; nlist++)
		;
	for (nspec = 0; spec[nspec]; nspec++)
		;
	t_check(nlist == n && nspec == n, "%s: %d in types.h, %d in the test, expected %d", what, nlist, nspec, n);
	for (i = 0; i < n; i++) {
		for (j = 0; j < n && strcmp(list[i], spec[j]) != 0; j++)
			;
		t_check(j < n, "%s: %s of types.h is none of the spec's", what, list[i]);
		for (j = 0; j < i; j++)
			t_check(strcmp(list[i], list[j]) != 0, "%s: %s is there twice", what, list[i]);
	}
}

#define LISTED(N, T) #N,
static const char *const listed_rma[] = {GSHMEM_RMA_TYPES(LISTED) NULL}, *const listed_amo[] = {GSHMEM_AMO_TYPES(LISTED) NULL},
		  *const listed_extended[] = {GSHMEM_EXTENDED_AMO_TYPES(LISTED) NULL},
		  *const listed_bitwise[] = {GSHMEM_BITWISE_AMO_TYPES(LISTED) NULL},
		  *const listed_p2p[] = {GSHMEM_WAIT_TYPES(LISTED) NULL}, *const listed_half[] = {GSHMEMX_RMA_TYPES(LISTED) NULL},
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
	for (i = 0; i < 16; i++)
		n += check_family(&families[i]);
	t_equal(n, 24 * NRMA + 12 * (NSIZES + 1) + 8 * NSIZES + 10 * NEXTENDED + 28 * NAMO + 18 * NBITWISE + 2 * NP2P + 48,
		"functions of the spec");
	for (; i < sizeof families / sizeof *families; i++)
		check_family(&families[i]);

	gshmem_info_get_version(&major, &minor);
	t_check(major == 1 && minor == 6, "version: expected 1.6, got %d.%d", major, minor);
	gshmem_info_get_name(name);
	t_check(strcmp(name, GSHMEM_VENDOR_STRING) == 0, "name: expected %s, got %s", GSHMEM_VENDOR_STRING, name);
	return 0;
}
