/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libgshmem_shmem has a shmem_X and a pshmem_X for each gshmem_X, all the same function, and so for the names
 * that OpenSHMEM deprecates, with its types. That pshmem.h compiles proves that shmem.h declares them.
 */
#include <dlfcn.h>
#include <string.h>
#include <pshmem.h>
#include <mpp/shmem.h>
#include <shmemx.h>
#include "../helpers.h"
#include "../spec_types.h"

/* Declared again as in the spec. */
#define TYPED(T, N) \
	T shmem_##N##_fetch(const T *source, int pe); \
	void shmem_##N##_set(T *dest, T value, int pe); \
	T shmem_##N##_swap(T *dest, T value, int pe);
EXTENDED(TYPED)
#undef TYPED
#define TYPED(T, N) \
	T shmem_##N##_cswap(T *dest, T cond, T value, int pe); \
	T shmem_##N##_finc(T *dest, int pe); \
	void shmem_##N##_inc(T *dest, int pe); \
	T shmem_##N##_fadd(T *dest, T value, int pe); \
	void shmem_##N##_add(T *dest, T value, int pe);
AMO(TYPED)
#undef TYPED
void shmem_short_wait(short *ivar, short cmp_value);
void shmem_int_wait(int *ivar, int cmp_value);
void shmem_long_wait(long *ivar, long cmp_value);
void shmem_longlong_wait(long long *ivar, long long cmp_value);
void shmem_wait(long *ivar, long cmp_value);
void(shmem_wait_until)(long *ivar, int cmp, long cmp_value);
long(shmem_swap)(long *dest, long value, int pe);
void start_pes(int npes);
int _my_pe(void);
int _num_pes(void);
void *shmalloc(size_t size);
void *shmemalign(size_t alignment, size_t size);
void *shrealloc(void *ptr, size_t size);
void shfree(void *ptr);
void shmem_clear_cache_inv(void);
void shmem_set_cache_inv(void);
void shmem_clear_cache_line_inv(void *dest);
void shmem_set_cache_line_inv(void *dest);
void shmem_udcflush(void);
void shmem_udcflush_line(void *dest);
void shmem_pcontrol(int level, ...);

#define SET int PE_start, int logPE_stride, int PE_size
void shmem_barrier(SET, long *pSync);
void(shmem_sync)(SET, long *pSync);
#define SIZED(N) \
	void shmem_broadcast##N( \
		void *dest, const void *source, size_t nelems, int PE_root, SET, long *pSync); \
	void shmem_collect##N(void *dest, const void *source, size_t nelems, SET, long *pSync); \
	void shmem_fcollect##N(void *dest, const void *source, size_t nelems, SET, long *pSync); \
	void shmem_alltoall##N(void *dest, const void *source, size_t nelems, SET, long *pSync); \
	void shmem_alltoalls##N(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
		SET, long *pSync);
SIZED(32)
SIZED(64)
#define TO_ALL(T, N, OP) \
	void shmem_##N##_##OP##_to_all(T *dest, const T *source, int nreduce, SET, T *pWrk, long *pSync);
#define BITWISE_TYPES(X) \
	X(short, short) \
	X(int, int) \
	X(long, long) \
	X(long long, longlong)
#define ORDERED_TYPES(X) \
	BITWISE_TYPES(X) X(float, float) \
	X(double, double) \
	X(long double, longdouble)
#define REDUCE_TYPES(X) \
	ORDERED_TYPES(X) X(double _Complex, complexd) \
	X(float _Complex, complexf)
#define TYPED(T, N) TO_ALL(T, N, and) TO_ALL(T, N, or) TO_ALL(T, N, xor)
BITWISE_TYPES(TYPED)
#undef TYPED
#define TYPED(T, N) TO_ALL(T, N, max) TO_ALL(T, N, min)
ORDERED_TYPES(TYPED)
#undef TYPED
#define TYPED(T, N) TO_ALL(T, N, sum) TO_ALL(T, N, prod)
REDUCE_TYPES(TYPED)
#undef TYPED

#define NAME(T, N) #N,
static const char *const standard[] = {AMO(NAME) NULL}, *const extended[] = {EXTENDED(NAME) NULL},
			 *const bitwise[] = {BITWISE_TYPES(NAME) NULL},
			 *const ordered[] = {ORDERED_TYPES(NAME) NULL},
			 *const reduced[] = {REDUCE_TYPES(NAME) NULL};

static void check(const char *name)
{
	char profiling[96];

	snprintf(profiling, sizeof profiling, "p%s", name);
	t_check(dlsym(RTLD_DEFAULT, name), "%s is not in libgshmem_shmem", name);
	t_check(dlsym(RTLD_DEFAULT, name) == dlsym(RTLD_DEFAULT, profiling), "%s is not %s", profiling, name);
}

static void check_types(const char *const *names, const char *operation)
{
	char name[96];

	for (; *names; names++) {
		snprintf(name, sizeof name, "shmem_%s_%s", *names, operation);
		check(name);
	}
}

/* Each exported function of libgshmem, from nm's list. */
static int check_all(void)
{
	char command[4200], line[256];
	int n = 0;
	Dl_info info;
	FILE *list;

	t_check(dladdr(dlsym(RTLD_DEFAULT, "gshmem_init"), &info), "dladdr: %s", dlerror());
	snprintf(command, sizeof command,
		"nm -D --defined-only --without-symbol-versions '%s' | sed -n 's/.* T gshmem_/shmem_/p'",
		info.dli_fname);
	list = popen(command, "r");
	t_check(list, "popen: %s", command);
	for (; fgets(line, sizeof line, list); n++) {
		line[strcspn(line, "\n")] = 0;
		check(line);
	}
	pclose(list);
	return n;
}

int main(void)
{
	static const char *const old[] = {"start_pes", "_my_pe", "_num_pes", "shmalloc", "shfree",
		"shrealloc", "shmemalign", "shmem_wait", "shmem_wait_until", "shmem_swap", "shmem_short_wait",
		"shmem_int_wait", "shmem_long_wait", "shmem_longlong_wait", "shmem_clear_cache_inv",
		"shmem_set_cache_inv", "shmem_clear_cache_line_inv", "shmem_set_cache_line_inv",
		"shmem_udcflush", "shmem_udcflush_line", "shmem_pcontrol", "shmem_barrier", "shmem_sync",
		"shmem_broadcast32", "shmem_broadcast64", "shmem_collect32", "shmem_collect64",
		"shmem_fcollect32", "shmem_fcollect64", "shmem_alltoall32", "shmem_alltoall64",
		"shmem_alltoalls32", "shmem_alltoalls64"};
	static const char *const extended_ops[] = {"fetch", "set", "swap"};
	static const char *const standard_ops[] = {"cswap", "finc", "inc", "fadd", "add"};
	static const char *const to_all[] = {"and_to_all", "or_to_all", "xor_to_all", "max_to_all",
		"min_to_all", "sum_to_all", "prod_to_all"};
	/* volatile: compilers assume that two functions have different addresses. */
	void (*volatile putmem)(void *dest, const void *source, size_t nelems, int pe) = pshmem_putmem;
	size_t i;
	int n;

	for (i = 0; i < sizeof old / sizeof *old; i++)
		check(old[i]);
	for (i = 0; i < 3; i++)
		check_types(extended, extended_ops[i]);
	for (i = 0; i < 5; i++)
		check_types(standard, standard_ops[i]);
	for (i = 0; i < 7; i++)
		check_types(i < 3 ? bitwise : i < 5 ? ordered : reduced, to_all[i]);
	n = check_all();
	t_check(n >= 1680, "functions of libgshmem: expected 1680 at least, got %d", n);
	t_check(putmem == shmem_putmem, "pshmem_putmem is not shmem_putmem");
	shmem_pcontrol(3, 1, "two", 3.0);
	return 0;
}
