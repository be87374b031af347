/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,2,3,5,8 */
/* env: GSHMEM_HEAP_SIZE=4m | GSHMEM_HEAP_SIZE=4m GSHMEM_CHECK=1 GSHMEM_CPU_WAVE=32 */
/* timeout: 120 */
/*
 * Calls with a context take PE numbers of the context's team: each kind of call, on the host and in
 * kernels, in contexts of the world, of a reversed team, of every second PE, and of one PE. Contexts
 * can be created and destroyed.
 */
#include <hip/hip_runtime.h>
#include "oracle.h"

enum { NWORDS = 64, FIELD = 16 };

/* What one PE writes to another one and reads from it; all but the signal in separate words. */
struct object {
	uint64_t put[FIELD], nbi[FIELD], p, iput[FIELD], ibput[FIELD], sized[FIELD], bytes[2], set, add, cas,
		bits;
	uint64_t data[2], nbi_data[2], signal, nbi_signal, set_signal, add_signal;
	uint64_t wave[FIELD], wg[FIELD];
	uint64_t source[FIELD]; /* read by others; the PE's own */
};

/* Values that PE from writes. */
__host__ __device__ static uint64_t value_of(int from, int i)
{
	return 1000 * (uint64_t)(from + 1) + i;
}

/*
 * All calls of one thread to PE pe of the context, which is PE to_world of the world, in
 * words of o that belong to from.
 */
__host__ __device__ static int call_all(
	gshmem_ctx_t ctx, struct object *o, int pe, int from, int to_world, uint64_t *scratch)
{
	uint64_t got[FIELD] = {0}, *values = scratch, *fetched = scratch + FIELD;
	int wrong = 0;

	for (int i = 0; i < FIELD; i++)
		values[i] = value_of(from, i);
	gshmem_ctx_uint64_put(ctx, o->put, values, FIELD, pe);
	gshmem_ctx_ulong_put_nbi(ctx, (unsigned long *)o->nbi, (const unsigned long *)values, FIELD, pe);
	gshmem_ctx_uint64_p(ctx, &o->p, values[0], pe);
	gshmem_ctx_iput64(ctx, o->iput, values, 2, 1, FIELD / 2, pe);
	gshmem_ctx_uint64_ibput(ctx, o->ibput, values, 4, 2, 2, FIELD / 4, pe);
	gshmem_ctx_put128(ctx, o->sized, values, FIELD / 2, pe);
	gshmem_ctx_putmem(ctx, o->bytes, values, 16, pe);
	gshmem_ctx_uint64_atomic_set(ctx, &o->set, values[1], pe);
	gshmem_ctx_uint64_atomic_add(ctx, &o->add, values[1], pe);
	gshmem_ctx_uint64_atomic_or(ctx, &o->bits, 1, pe);
	wrong += gshmem_ctx_uint64_atomic_compare_swap(ctx, &o->cas, 0, values[2], pe) != 0;
	gshmem_ctx_uint64_put_signal(ctx, o->data, values, 2, &o->signal, values[3], GSHMEM_SIGNAL_SET, pe);
	gshmem_ctx_putmem_signal_nbi(
		ctx, o->nbi_data, values, 16, &o->nbi_signal, values[4], GSHMEM_SIGNAL_ADD, pe);
	gshmem_ctx_signal_set(ctx, &o->set_signal, values[5], pe);
	gshmem_ctx_signal_add(ctx, &o->add_signal, values[6], pe);
	gshmem_ctx_quiet(ctx);
	wrong += gshmem_ctx_uint64_atomic_fetch(ctx, &o->cas, pe) != values[2];
	wrong += gshmem_ctx_uint64_atomic_fetch_or(ctx, &o->bits, 2, pe) != 1;
	gshmem_ctx_uint64_atomic_fetch_add_nbi(ctx, fetched, &o->add, 1, pe);
	gshmem_ctx_pe_quiet(ctx, &pe, 1);
	wrong += *fetched != values[1];

	gshmem_ctx_uint64_get(ctx, got, o->source, FIELD, pe);
	for (int i = 0; i < FIELD; i++)
		wrong += got[i] != value_of(to_world, i);
	gshmem_ctx_iget64(ctx, got, o->source, 1, 2, FIELD / 2, pe);
	wrong += got[3] != value_of(to_world, 6);
	gshmem_ctx_uint64_ibget(ctx, got, o->source, 2, 4, 2, FIELD / 4, pe);
	wrong += got[3] != value_of(to_world, 5);
	gshmem_ctx_getmem_nbi(ctx, fetched, o->source, 8, pe);
	gshmem_ctx_quiet(ctx);
	wrong += *fetched != value_of(to_world, 0) ||
		gshmem_ctx_uint64_g(ctx, &o->source[1], pe) != value_of(to_world, 1);
	gshmem_ctx_fence(ctx);
	return wrong;
}

/* Checks what PE from has left in this PE's words. */
static void check_object(const struct object &o, int from, const char *what)
{
#define EXPECT(WORD, I) \
	t_check(o.WORD == value_of(from, I), "PE %d: %s, from PE %d: %s: expected %lu, got %lu", \
		gshmem_my_pe(), what, from, #WORD, value_of(from, I), (uint64_t)(o.WORD))
	for (int i = 0; i < FIELD; i++) {
		EXPECT(put[i], i);
		EXPECT(nbi[i], i);
		EXPECT(sized[i], i);
	}
	for (int i = 0; i < FIELD / 2; i++) {
		EXPECT(iput[2 * i], i);
		EXPECT(ibput[i / 2 * 4 + i % 2], i);
	}
	EXPECT(p, 0);
	EXPECT(bytes[1], 1);
	EXPECT(set, 1);
	EXPECT(add - 1, 1);
	EXPECT(cas, 2);
	EXPECT(data[1], 1);
	EXPECT(nbi_data[1], 1);
	EXPECT(signal, 3);
	EXPECT(nbi_signal, 4);
	EXPECT(set_signal, 5);
	EXPECT(add_signal, 6);
	t_equal(o.bits, 3, "bits");
#undef EXPECT
}

__global__ static void call_in_kernel(
	gshmem_ctx_t ctx, struct object *o, int pe, int from, int to_world, uint64_t *scratch, int *wrong)
{
	uint64_t *values = scratch + 2 * FIELD;

	if (threadIdx.x == 0)
		*wrong = call_all(ctx, o, pe, from, to_world, scratch);
	if (threadIdx.x < FIELD)
		values[threadIdx.x] = value_of(from, (int)threadIdx.x);
	__syncthreads();
	if (threadIdx.x < (unsigned)warpSize)
		gshmemx_ctx_uint64_put_wave(ctx, o->wave, values, FIELD, pe);
	gshmemx_ctx_put64_nbi_wg(ctx, o->wg, values, FIELD, pe);
	gshmemx_quiet_wg();
	gshmem_ctx_quiet(ctx);
}

static struct object *objects; /* [npes]: of who writes */
static uint64_t *scratch;
static int me, npes, *nwrong;

/* Every member writes to every member, including itself. */
static void check(gshmem_ctx_t ctx, gshmem_team_t team, const char *what)
{
	struct object mine;
	gshmem_team_t found;

	if (team == GSHMEM_TEAM_INVALID)
		return;
	t_equal(gshmem_ctx_get_team(ctx, &found), 0, "get_team");
	t_check(found == team, "%s: get_team finds another team", what);
	for (int kernel = 0; kernel < 2; kernel++) {
		memset(&mine, 0, sizeof mine);
		for (int i = 0; i < FIELD; i++)
			mine.source[i] = value_of(me, i);
		for (int pe = 0; pe < npes; pe++)
			t_to_device(&objects[pe], &mine, sizeof mine);
		gshmem_team_sync(team);
		for (int pe = 0; pe < gshmem_team_n_pes(team); pe++) {
			const int to = gshmem_team_translate_pe(team, pe, GSHMEM_TEAM_WORLD);

			if (kernel)
				t_launch(call_in_kernel, 1, 100, ctx, &objects[me], pe, me, to, scratch,
					nwrong);
			else
				*nwrong = call_all(ctx, &objects[me], pe, me, to, scratch);
			t_check(*nwrong == 0, "PE %d: %s, to PE %d of the team: %d wrong, %s", me, what, pe,
				*nwrong, kernel ? "kernel" : "host");
		}
		gshmem_quiet();
		gshmem_team_sync(team);
		for (int pe = 0; pe < npes; pe++) {
			t_from_device(&mine, &objects[pe], sizeof mine);
			if (gshmem_team_translate_pe(GSHMEM_TEAM_WORLD, pe, team) < 0)
				t_equal(mine.p, 0, "what a PE that is not in the team has written");
			else
				check_object(mine, pe, what);
			for (int i = 0; kernel && mine.p && i < FIELD; i++)
				t_check(mine.wave[i] == value_of(pe, i) && mine.wg[i] == value_of(pe, i),
					"%s: wave, wg", what);
		}
		gshmem_team_sync(team);
	}
}

static void check_team(int start, int stride, int size, const char *what)
{
	gshmem_ctx_t first, second;
	gshmem_team_t team;

	t_equal(gshmem_team_split_strided(GSHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team), 0,
		"split");
	if (team != GSHMEM_TEAM_INVALID) {
		t_equal(gshmem_team_create_ctx(team, GSHMEM_CTX_PRIVATE, &first), 0, "create");
		t_equal(gshmem_team_create_ctx(team, 0, &second), 0, "create");
		t_check(first != second, "%s: two contexts, one handle", what);
		check(first, team, what);
		gshmem_ctx_destroy(first);
		check(second, team, what);
	}
	gshmem_team_destroy(team); /* the second context too */
}

int main()
{
	gshmem_ctx_session_config_t config = {100};
	gshmem_ctx_t ctx, none = GSHMEM_CTX_DEFAULT;
	gshmem_team_t team;

	gshmem_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	objects = (struct object *)gshmem_calloc(npes, sizeof *objects);
	t_hip(hipHostMalloc((void **)&scratch, 3 * FIELD * sizeof *scratch, 0));
	t_hip(hipHostMalloc((void **)&nwrong, sizeof *nwrong, 0));
	check(GSHMEM_CTX_DEFAULT, GSHMEM_TEAM_WORLD, "the default context");
	t_equal(gshmem_ctx_create(GSHMEM_CTX_SERIALIZED | GSHMEM_CTX_NOSTORE, &ctx), 0, "create");
	gshmem_ctx_session_start(ctx, GSHMEM_CTX_SESSION_BATCH, &config, GSHMEM_CTX_SESSION_TOTAL_OPS);
	check(ctx, GSHMEM_TEAM_WORLD, "a context of the world");
	gshmem_ctx_session_stop(ctx);
	gshmem_ctx_destroy(ctx);
	gshmem_barrier_all();
	check_team(npes - 1, -1, npes, "turned round");
	check_team(0, 2, (npes + 1) / 2, "every second");
	check_team(npes / 2, 1, 1, "one");

	gshmem_ctx_quiet(GSHMEM_CTX_INVALID);
	gshmem_ctx_fence(GSHMEM_CTX_INVALID);
	gshmem_ctx_destroy(GSHMEM_CTX_INVALID);
	gshmem_ctx_session_stop(GSHMEM_CTX_INVALID);
	t_check(gshmem_ctx_get_team(GSHMEM_CTX_INVALID, &team) && team == GSHMEM_TEAM_INVALID,
		"the team of no context");
	t_check(gshmem_team_create_ctx(GSHMEM_TEAM_INVALID, 0, &none) && none == GSHMEM_CTX_INVALID,
		"a context of no team");
	t_hip(hipHostFree(scratch));
	t_hip(hipHostFree(nwrong));
	gshmem_finalize();
	return 0;
}
