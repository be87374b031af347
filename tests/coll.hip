/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,5,8 */
/* env: GSHMEM_HEAP_SIZE=64m | GSHMEM_HEAP_SIZE=64m GSHMEM_CHECK=1 GSHMEM_CPU_WAVE=32 */
/* timeout: 240 */
/* isa: read */
/*
 * Collectives back to back, over teams of every kind, match a model of each. A batch is a list of calls with
 * sizes of all classes. A PE makes all its calls of a batch at one scope, which differs between PEs and
 * batches. All bytes of dest are compared, also those that no call may touch.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum { MAX_PES = 8, NCALLS = 14, NBATCHES = 10 };
#define SLOT (600 << 10) /* bytes of a call's dest, and of its source */

enum {
	BROADCAST,
	BROADCASTMEM,
	COLLECT,
	FCOLLECT,
	ALLTOALL,
	ALLTOALLS,
	ALLTOALLV,
	SUM_INT,
	SUM_FLOAT,
	XOR_UCHAR,
	MAX_SHORT,
	PROD_COMPLEX,
	INSCAN,
	EXSCAN,
	REDUCE_SCATTER,
	SUM_IN_PLACE,
	INSCAN_IN_PLACE,
	NWHATS
};
static const char *const names[] = {"broadcast", "broadcastmem", "collect", "fcollect", "alltoall",
	"alltoalls", "alltoallv", "sum int", "sum float", "xor uchar", "max short", "prod complexf",
	"sum_inscan", "sum_exscan", "reduce_scatter", "sum in place", "inscan in place"};

struct call {
	int what;
	int root;
	size_t n;
	ptrdiff_t dst, sst;
	char *dest, *source;
	size_t counts[4][MAX_PES]; /* of alltoallv: dest_nelems, dest_displs, source_nelems, source_displs */
};

T_HD uint32_t scramble(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t x = a * 0x9E3779B1U ^ b * 0x85EBCA6BU ^ c * 0xC2B2AE35U;

	x ^= x >> 15;
	x *= 0x2C1B3C6DU;
	return x ^ x >> 13;
}

/* ---- what a PE calls ---- */

T_HD size_t collect_nelems(const struct call *c, int pe)
{
	return c->n * (size_t)(pe % 3) + (size_t)pe % 2;
}

/* Elements from PE i of the team to PE j. */
T_HD size_t v_nelems(const struct call *c, int i, int j)
{
	return (c->n + (size_t)(3 * i + 5 * j)) % (c->n + 2);
}

#define BY_SCOPE(SCOPE, NAME, ...) \
	((SCOPE) == T_WG                    ? gshmemx_##NAME##_wg(__VA_ARGS__) \
			: (SCOPE) == T_WAVE ? gshmemx_##NAME##_wave(__VA_ARGS__) \
					    : BASE_##NAME(__VA_ARGS__))
#define BASE_int_broadcast           gshmem_int_broadcast
#define BASE_broadcastmem            gshmem_broadcastmem
#define BASE_int_collect             gshmem_int_collect
#define BASE_int_fcollect            gshmem_int_fcollect
#define BASE_int_alltoall            gshmem_int_alltoall
#define BASE_int_alltoalls           gshmem_int_alltoalls
#define BASE_int_alltoallv           gshmemx_int_alltoallv
#define BASE_int_sum_reduce          gshmem_int_sum_reduce
#define BASE_float_sum_reduce        gshmem_float_sum_reduce
#define BASE_uchar_xor_reduce        gshmem_uchar_xor_reduce
#define BASE_short_max_reduce        gshmem_short_max_reduce
#define BASE_complexf_prod_reduce    gshmem_complexf_prod_reduce
#define BASE_long_sum_inscan         gshmem_long_sum_inscan
#define BASE_double_sum_exscan       gshmem_double_sum_exscan
#define BASE_uint_sum_reduce_scatter gshmemx_uint_sum_reduce_scatter
#define BASE_long_sum_reduce         gshmem_long_sum_reduce

__host__ __device__ static int make_call(int scope, gshmem_team_t team, const struct call *c, int my_pe)
{
	void *d = c->dest;
	const void *s = c->source;
	const size_t n = c->n;

	switch (c->what) {
	case BROADCAST:
		return BY_SCOPE(scope, int_broadcast, team, (int *)d, (const int *)s, n, c->root);
	case BROADCASTMEM:
		return BY_SCOPE(scope, broadcastmem, team, (char *)d + 1, (const char *)s + 2, n, c->root);
	case COLLECT:
		return BY_SCOPE(scope, int_collect, team, (int *)d, (const int *)s, collect_nelems(c, my_pe));
	case FCOLLECT:
		return BY_SCOPE(scope, int_fcollect, team, (int *)d, (const int *)s, n);
	case ALLTOALL:
		return BY_SCOPE(scope, int_alltoall, team, (int *)d, (const int *)s, n);
	case ALLTOALLS:
		return BY_SCOPE(scope, int_alltoalls, team, (int *)d, (const int *)s, c->dst, c->sst, n);
	case ALLTOALLV:
		return BY_SCOPE(scope, int_alltoallv, team, (int *)d, c->counts[0], c->counts[1],
			(const int *)s, c->counts[2], c->counts[3]);
	case SUM_INT:
	case SUM_IN_PLACE:
		return BY_SCOPE(scope, int_sum_reduce, team, (int *)d, (const int *)s, n);
	case SUM_FLOAT:
		return BY_SCOPE(scope, float_sum_reduce, team, (float *)d, (const float *)s, n);
	case XOR_UCHAR:
		return BY_SCOPE(
			scope, uchar_xor_reduce, team, (unsigned char *)d, (const unsigned char *)s, n);
	case MAX_SHORT:
		return BY_SCOPE(scope, short_max_reduce, team, (short *)d, (const short *)s, n);
	case PROD_COMPLEX:
		return BY_SCOPE(scope, complexf_prod_reduce, team, (gshmemx_complexf_t *)d,
			(const gshmemx_complexf_t *)s, n);
	case INSCAN:
	case INSCAN_IN_PLACE:
		return BY_SCOPE(scope, long_sum_inscan, team, (long *)d, (const long *)s, n);
	case EXSCAN:
		return BY_SCOPE(scope, double_sum_exscan, team, (double *)d, (const double *)s, n);
	default:
		return BY_SCOPE(scope, uint_sum_reduce_scatter, team, (unsigned *)d, (const unsigned *)s, n);
	}
}

__global__ static void make_calls(
	int scope, gshmem_team_t team, const struct call *calls, int ncalls, int my_pe, int *nwrong)
{
	const bool is_in = scope == T_THREAD ? t_rank() == 0 : scope == T_WG || t_rank() < (unsigned)warpSize;

	for (int k = 0; k < ncalls && is_in; k++)
		if (make_call(scope, team, &calls[k], my_pe))
			(void)atomicAdd(nwrong, 1);
}

/* ---- what comes of it ---- */

/* Element k of the source of a PE of the team, in its type. */
static int int_of(uint32_t seed, int pe, size_t k)
{
	return (int)scramble(seed, (uint32_t)pe, (uint32_t)k) >> 3;
}

static float float_of(uint32_t seed, int pe, size_t k)
{
	return (float)((int)(scramble(seed, (uint32_t)pe, (uint32_t)k) % 20001) - 10000) * 0.37f;
}

static gshmemx_complexf_t complex_of(uint32_t seed, int pe, size_t k)
{
	const uint32_t x = scramble(seed, (uint32_t)pe, (uint32_t)k);

	return {(float)(x % 5) - 2, (float)(x / 5 % 5) - 2};
}

static void fill_source(const struct call *c, uint32_t seed, int pe, int npes, char *source)
{
	const size_t nints = SLOT / 4;

	(void)npes;
	for (size_t k = 0; k < nints; k++) {
		if (c->what == SUM_FLOAT)
			((float *)source)[k] = float_of(seed, pe, k);
		else if (c->what == PROD_COMPLEX && k < nints / 2)
			((gshmemx_complexf_t *)source)[k] = complex_of(seed, pe, k);
		else if ((c->what == INSCAN || c->what == INSCAN_IN_PLACE) && k < nints / 2)
			((long *)source)[k] = int_of(seed, pe, k) * 5L;
		else if (c->what == EXSCAN && k < nints / 2)
			((double *)source)[k] = float_of(seed, pe, k) * 1e3 / 7;
		else if (c->what != PROD_COMPLEX && c->what != INSCAN && c->what != INSCAN_IN_PLACE &&
			c->what != EXSCAN)
			((int *)source)[k] = int_of(seed, pe, k);
	}
}

/*
 * Writes what dest holds after the call over what it held before. sources are those of all PEs of the team.
 */
static void model(const struct call *c, int me, int npes, char *const *sources, char *dest)
{
	const size_t n = c->n;
	int *d = (int *)dest;
	size_t at = 0;

	for (int pe = 0; pe < npes; pe++) {
		const int *s = (const int *)sources[pe];

		switch (c->what) {
		case BROADCAST:
			if (pe == c->root)
				memcpy(d, s, n * 4);
			break;
		case BROADCASTMEM:
			if (pe == c->root)
				memcpy(dest + 1, sources[pe] + 2, n);
			break;
		case COLLECT:
			memcpy(d + at, s, collect_nelems(c, pe) * 4);
			at += collect_nelems(c, pe);
			break;
		case FCOLLECT:
			memcpy(d + (size_t)pe * n, s, n * 4);
			break;
		case ALLTOALL:
			memcpy(d + (size_t)pe * n, s + (size_t)me * n, n * 4);
			break;
		case ALLTOALLS:
			for (size_t k = 0; k < n; k++)
				d[((size_t)pe * n + k) * (size_t)c->dst] =
					s[((size_t)me * n + k) * (size_t)c->sst];
			break;
		case ALLTOALLV:
			for (int j = 0, from = 0; j < me; j++)
				at = (size_t)(from += (int)v_nelems(c, pe, j) + 1);
			if (me == 0)
				at = 0;
			memcpy(d + c->counts[1][pe], s + at, v_nelems(c, pe, me) * 4);
			break;
		default:
			break;
		}
	}
#define FOLD(TYPE, COUNT, FIRST, EXPR) \
	for (size_t k = 0; k < (COUNT); k++) { \
		TYPE a = ((const TYPE *)sources[0])[(FIRST) + k]; \
\
		for (int pe = 1; pe < npes; pe++) { \
			const TYPE b = ((const TYPE *)sources[pe])[(FIRST) + k]; \
\
			a = EXPR; \
		} \
		((TYPE *)dest)[k] = a; \
	}
	switch (c->what) {
	case SUM_INT:
	case SUM_IN_PLACE:
		FOLD(unsigned, n, 0, a + b)
		break;
	case SUM_FLOAT:
		FOLD(float, n, 0, a + b)
		break;
	case XOR_UCHAR:
		FOLD(unsigned char, n, 0, a ^ b)
		break;
	case MAX_SHORT:
		FOLD(short, n, 0, a > b ? a : b)
		break;
	case PROD_COMPLEX:
		FOLD(gshmemx_complexf_t, n, 0,
			(gshmemx_complexf_t{
				a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real}))
		break;
	case INSCAN:
	case INSCAN_IN_PLACE:
		npes = me + 1;
		FOLD(long, n, 0, a + b)
		break;
	case EXSCAN:
		npes = me;
		if (me == 0)
			memset(dest, 0, n * sizeof(double));
		else
			FOLD(double, n, 0, a + b)
		break;
	case REDUCE_SCATTER:
		FOLD(unsigned, n, (size_t)me *n, a + b)
		break;
	default:
		break;
	}
#undef FOLD
}

/* ---- batches ---- */

static const size_t sizes[] = {0, 1, 2, 3, 7, 16, 33, 100, 257, 1000, 4097};
static char *dests, *sources;
static struct call *calls;
static int *nwrong;
static uint32_t draw_state;

static uint32_t draw(uint32_t n)
{
	draw_state = draw_state * 1664525 + 1013904223;
	return (draw_state >> 8) % n;
}

/* The same on all PEs of the team, except for the counts of alltoallv. */
static void draw_call(struct call *c, int k, int me, int npes)
{
	size_t at = 0;

	memset(c, 0, sizeof *c);
	c->what = (int)draw(NWHATS);
	c->n = sizes[draw(sizeof sizes / sizeof *sizes)];
	if (c->what <= BROADCASTMEM && draw(3) == 0)
		c->n = 30000 + draw(100000);
	c->root = (int)draw((uint32_t)npes);
	c->dst = 1 + (ptrdiff_t)draw(3);
	c->sst = 1 + (ptrdiff_t)draw(2);
	c->dest = dests + (size_t)k * SLOT;
	c->source = sources + (size_t)k * SLOT;
	if (c->what >= SUM_IN_PLACE)
		c->source = c->dest;
	for (int pe = 0; pe < npes; pe++) {
		c->counts[0][pe] = v_nelems(c, pe, me);
		c->counts[1][pe] = at; /* blocks are one element apart in dest and in source */
		at += c->counts[0][pe] + 1;
	}
	at = 0;
	for (int pe = 0; pe < npes; pe++) {
		c->counts[2][pe] = v_nelems(c, me, pe);
		c->counts[3][pe] = at;
		at += c->counts[2][pe] + 1;
	}
}

static char *scratch[MAX_PES], *before, *after;

static void check_call(
	const struct call *c, uint32_t seed, int me, int npes, const char *team_name, int scope)
{
	size_t at;

	for (int pe = 0; pe < npes; pe++)
		fill_source(c, seed, pe, npes, scratch[pe]);
	memset(before, 0xA5, SLOT);
	if (c->what >= SUM_IN_PLACE)
		memcpy(before, scratch[me], SLOT);
	model(c, me, npes, scratch, before);
	t_from_device(after, c->dest, SLOT);
	at = t_differ(before, after, SLOT);
	t_check(at == SLOT, "PE %d: %s of %zu by %s over %s: byte %zu of dest is %02x, expected %02x",
		gshmem_my_pe(), names[c->what], c->n, t_scope_names[scope], team_name, at,
		(unsigned char)after[at], (unsigned char)before[at]);
}

/* All PEs of the world, and so those of the team, draw the same numbers; all meet before and after. */
static void check_batch(gshmem_team_t team, const char *team_name, int batch)
{
	const bool is_in = team != GSHMEM_TEAM_INVALID;
	const int me = gshmem_team_my_pe(team), npes = gshmem_team_n_pes(team);
	const int scope = (batch + gshmem_my_pe()) % T_NSCOPES;
	const uint32_t seed = draw(1000000);
	const uint32_t start = draw_state;

	for (int k = 0; k < NCALLS && is_in; k++) {
		draw_call(&calls[k], k, me, npes);
		fill_source(&calls[k], seed + (uint32_t)k, me, npes, scratch[0]);
		memset(before, 0xA5, SLOT);
		t_to_device(calls[k].dest, before, SLOT);
		t_to_device(calls[k].source, scratch[0], SLOT);
	}
	draw_state = start;
	*nwrong = 0;
	gshmem_barrier_all();
	if (is_in && scope == T_HOST)
		for (int k = 0; k < NCALLS; k++)
			*nwrong += make_call(scope, team, &calls[k], me) != 0;
	else if (is_in)
		t_launch(make_calls, 1, scope == T_WG ? 150 : 64, scope, team, calls, NCALLS, me, nwrong);
	t_check(*nwrong == 0, "PE %d: %d calls by %s over %s returned an error", gshmem_my_pe(), *nwrong,
		t_scope_names[scope], team_name);
	for (int k = 0; k < NCALLS && is_in; k++)
		check_call(&calls[k], seed + (uint32_t)k, me, npes, team_name, scope);
	gshmem_barrier_all();
}

int main(void)
{
	gshmem_team_t odd, reversed, alone, row, column;
	int npes, me, nbatches;
	void *ptr;

	gshmem_init();
	npes = gshmem_n_pes();
	me = gshmem_my_pe();
	nbatches = t_takes_turns() ? 2 : NBATCHES;
	dests = (char *)t_shmalloc((size_t)NCALLS * SLOT);
	sources = (char *)t_shmalloc((size_t)NCALLS * SLOT);
	t_hip(hipHostMalloc(&ptr, NCALLS * sizeof *calls, hipHostMallocMapped));
	calls = (struct call *)ptr;
	t_hip(hipHostMalloc(&ptr, sizeof *nwrong, hipHostMallocMapped));
	nwrong = (int *)ptr;
	for (int pe = 0; pe < MAX_PES; pe++)
		scratch[pe] = (char *)t_alloc(SLOT);
	before = (char *)t_alloc(SLOT);
	after = (char *)t_alloc(SLOT);

	t_equal(gshmem_int_broadcast(GSHMEM_TEAM_INVALID, NULL, NULL, 1, 0) != 0, 1,
		"a broadcast over no team");
	t_equal(gshmem_team_split_strided(
			GSHMEM_TEAM_WORLD, npes > 1, 2, npes / 2 ? npes / 2 : 1, NULL, 0, &odd),
		0, "odd PEs");
	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, npes - 1, -1, npes, NULL, 0, &reversed), 0,
		"reversed PEs");
	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, npes - 1, 1, 1, NULL, 0, &alone), 0, "one PE");
	t_equal(gshmem_team_split_2d(GSHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column), 0,
		"rows and columns");
	for (int batch = 0; batch < nbatches; batch++) {
		draw_state = 12345 + (uint32_t)batch;
		check_batch(GSHMEM_TEAM_WORLD, "the world", batch);
		check_batch(reversed, "the world turned round", batch);
		if (batch % 3 == 0)
			check_batch(odd, "the odd PEs", batch);
		if (batch % 3 == 1)
			check_batch(alone, "one PE", batch);
		if (batch % 3 == 2)
			check_batch(batch % 2 ? row : column, "a row or column", batch);
	}
	gshmem_team_destroy(row);
	gshmem_team_destroy(column);
	gshmem_team_destroy(odd);
	gshmem_team_destroy(reversed);
	gshmem_team_destroy(alone);
	gshmem_free(sources);
	gshmem_free(dests);
	t_hip(hipHostFree(nwrong));
	t_hip(hipHostFree(calls));
	gshmem_finalize();
	(void)me;
	for (int pe = 0; pe < MAX_PES; pe++)
		free(scratch[pe]);
	free(before);
	free(after);
	return 0;
}
