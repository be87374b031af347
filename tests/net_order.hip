/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 3 */
/* env: GSHMEM_CARRY=all GSHMEM_FIRST_SEQ=4294967000 | GSHMEM_CARRY=1-in-3 GSHMEM_CPU_DELIVERY=random:1 | GSHMEM_CARRY=0,2 GSHMEM_CPU_DELIVERY=random:2 | GSHMEM_CPU_DEVICES=2 GSHMEM_CPU_LINKS=0-1:plain GSHMEM_CPU_DELIVERY=random:3 */
/* carry: no, it says which PEs are carried */
/* net: no, likewise */
/* delivery: no, likewise */
/* platform: cpu */
/* timeout: 120 */
/*
 * Order and completion hold if operations are carried, or if only some operations on a PE are. Each PE sends
 * to the next one, in all sizes and from all kinds of memory. A third PE, whose messages may overtake,
 * announces what has been completed.
 */
#include <hip/hip_runtime.h>
#include "net_calls.h"

enum { LANES = 64, MIB = 1 << 20, NBULKS = 8, STACK_NBYTES = 8192 };
enum { THREAD, WAVE, WG, HOST };
enum source { HEAP, STACK, OTHER, SHARED_MEMORY, NSOURCES };
static const char *const source_names[NSOURCES] = {"heap", "stack", "other memory", "LDS"};

struct shared {
	uint64_t signal, ack, nwrong;
	uint64_t relay, told; /* the PE in between; the PE that checks */
	uint64_t words[64], small;
	char data[MIB], source[MIB];
	/* the last one is checked: it arrives some time after a message that overtakes */
	char bulk[NBULKS][MIB];
	char strided[64][8192], columns[64][8192];
};

static struct shared *shared;
static int me, npes, next, previous;

#define BY_SCOPE(scope, name, ...) \
	((scope) == THREAD || (scope) == HOST ? gshmem_##name(__VA_ARGS__) \
			: (scope) == WAVE     ? gshmemx_##name##_wave(__VA_ARGS__) \
					      : gshmemx_##name##_wg(__VA_ARGS__))

/* ---- put_signal ---- */

struct member {
	int scope;
	unsigned rank, size;
};

T_HD void fill(const struct member *m, char *bytes, size_t nbytes, unsigned seed)
{
	for (size_t i = m->rank; i < nbytes; i += m->size)
		bytes[i] = (char)t_byte(seed, i);
}

/* All threads' bytes have been written, or read. */
T_HD void meet(const struct member *m)
{
	BY_SCOPE(m->scope, fence);
}

/* Send to next, wait for previous's data, check it and acknowledge; then wait for next's acknowledgement. */
T_HD void exchange(const struct member *m, struct shared *s, char *source, size_t nbytes, uint64_t round,
	int is_nbi, int to, int from)
{
	const unsigned seed = (unsigned)round;

	fill(m, source, nbytes, seed);
	meet(m);
	if (is_nbi)
		BY_SCOPE(m->scope, putmem_signal_nbi, s->data, source, nbytes, &s->signal, 1,
			GSHMEM_SIGNAL_ADD, to);
	else
		BY_SCOPE(m->scope, putmem_signal, s->data, source, nbytes, &s->signal, round,
			GSHMEM_SIGNAL_SET, to);
	if (!is_nbi)
		fill(m, source, nbytes, ~seed);
	BY_SCOPE(m->scope, signal_wait_until, &s->signal, GSHMEM_CMP_EQ, round);
	for (size_t i = m->rank; i < nbytes; i += m->size)
		if ((unsigned char)s->data[i] != t_byte(seed, i)) {
			(void)gshmem_uint64_atomic_fetch_inc(&s->nwrong, gshmem_my_pe());
			break;
		}
	meet(m);
	if (m->rank == 0)
		gshmem_uint64_atomic_inc(&s->ack, from);
	BY_SCOPE(m->scope, uint64_wait_until, &s->ack, GSHMEM_CMP_EQ, round);
	if (is_nbi)
		BY_SCOPE(m->scope, quiet);
}

__global__ static void exchange_kernel(struct shared *s, int scope, int kind, char *other, size_t nbytes,
	uint64_t round, int is_nbi, int to, int from)
{
	__shared__ char lds[STACK_NBYTES];
	const struct member m = {
		scope, scope == THREAD ? 0 : threadIdx.x, scope == THREAD ? 1U : (unsigned)LANES};
	char stack[STACK_NBYTES];
	char *source = kind == HEAP ? s->source : kind == OTHER ? other : kind == STACK ? stack : lds;

	exchange(&m, s, source, nbytes, round, is_nbi, to, from);
}

static void check_right(const char *what, int kind, size_t nbytes)
{
	t_check(!shared->nwrong, "PE %d: %s: %zu bytes from %s: data is not what was put", me, what, nbytes,
		source_names[kind]);
}

static void put_signal_all(void)
{
	static const size_t sizes[] = {
		0, 1, 8, 31, 32, 33, 48, 49, 64, 4095, 4096, 4097, 8192, 65535, 65537, 300000, MIB};
	char *other = (char *)t_hipmalloc(MIB), *mine = (char *)t_alloc(MIB);
	const struct member host = {HOST, 0, 1};
	uint64_t round = 0;

	for (int scope = THREAD; scope <= HOST; scope++)
		for (int kind = HEAP; kind < NSOURCES; kind++)
			for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
				const int is_nbi = (scope + kind + (int)i) % 3 == 0;

				/*
				 * Each lane has its own stack, so a group's threads
				 * would pass different addresses.
				 */
				if (kind == STACK && (scope == WAVE || scope == WG))
					continue;
				if ((kind == STACK || kind == SHARED_MEMORY) && sizes[i] > STACK_NBYTES)
					continue;
				round++;
				if (scope == HOST)
					exchange(&host, shared,
						kind == HEAP            ? shared->source
							: kind == OTHER ? other
									: mine,
						sizes[i], round, is_nbi, next, previous);
				else
					t_launch(exchange_kernel, 1, scope == THREAD ? 1 : LANES, shared,
						scope, kind, other, sizes[i], round, is_nbi, next, previous);
				check_right(t_scope_names[scope], kind, sizes[i]);
			}
	gshmem_barrier_all();
	t_hip(hipFree(other));
	free(mine);
}

/* ---- what is complete when it is told ---- */

enum how { BULK, FLOOD, BULK_THEN_SMALL, ELEMENTS, BLOCKS, CONTEXT, CONTEXT_BULK, PE_QUIET, FENCE, NHOWS };
static const char *const how_names[NHOWS] = {"bulk, quiet", "64 puts, quiet", "bulk, fence, p, quiet",
	"iput, quiet", "ibput of blocks, quiet", "put, quiet in a context",
	"bulk in a context, quiet of another one, quiet", "put, pe_quiet", "bulk, fence, signal"};

struct contexts {
	gshmem_ctx_t mine, other;
};

/* Put in this way what tell then announces. */
T_HD void put(struct shared *s, int how, uint64_t round, struct contexts c, int to)
{
	const struct member one = {THREAD, 0, 1};
	uint64_t stack[64];
	size_t i;

	for (i = 0; i < 64; i++)
		stack[i] = round * 100 + i;
	switch (how) {
	case FLOOD:
		for (i = 0; i < 64; i++) { /* neighbours may become one record */
			const size_t place = round % 2 ? i : i * 37 % 64;

			gshmem_uint64_p(&s->words[place], stack[place], to);
		}
		break;
	case ELEMENTS:
		gshmem_uint64_iput(s->words, stack, 2, 2, 32, to);
		gshmem_uint64_iput(s->words + 1, stack + 1, 2, 2, 32, to);
		break;
	case BLOCKS:
		fill(&one, s->source, 64 * 5000, (unsigned)round);
		gshmem_char_ibput(s->strided[0], s->source, 8192, 5000, 5000, 64, to);
		break;
	case CONTEXT:
		gshmem_ctx_uint64_put(c.mine, s->words, stack, 64, to);
		/* is not waited for */
		gshmem_ctx_putmem_nbi(c.other, s->columns, s->strided, sizeof s->columns, to);
		break;
	case CONTEXT_BULK:
		fill(&one, s->source, MIB, (unsigned)round);
		for (i = 0; i < NBULKS; i++)
			gshmem_ctx_putmem_nbi(c.mine, s->bulk[i], s->source, MIB, to);
		gshmem_ctx_quiet(c.other); /* has nothing to wait for and completes nothing else */
		break;
	case PE_QUIET:
		gshmem_uint64_put(s->words, stack, 64, to);
		break;
	default:
		fill(&one, s->source, MIB, (unsigned)round);
		for (i = 0; i < NBULKS; i++)
			gshmem_putmem_nbi(s->bulk[i], s->source, MIB, to);
		if (how == BULK_THEN_SMALL) {
			gshmem_fence();
			gshmem_uint64_p(&s->small, round, to);
		}
	}
}

/* Complete it, and have the third PE announce it to PE to. With FENCE this PE announces it directly. */
T_HD void tell(struct shared *s, int how, uint64_t round, struct contexts c, int to, int by)
{
	if (how == FENCE) {
		gshmem_fence();
		gshmem_signal_set(&s->told, round, to);
		return;
	}
	if (how == CONTEXT || how == CONTEXT_BULK)
		gshmem_ctx_quiet(c.mine);
	else if (how == PE_QUIET)
		gshmem_pe_quiet(&to, 1);
	else
		gshmem_quiet();
	gshmem_uint64_p(&s->relay, round, by);
	gshmem_quiet();
}

/* Whether the data is here. What arrives last is checked first. */
T_HD int is_there(const struct shared *s, int how, uint64_t round)
{
	const volatile uint64_t *words = s->words;
	uint64_t wrong = 0;

	switch (how) {
	case FLOOD:
	case ELEMENTS:
	case CONTEXT:
	case PE_QUIET:
		for (unsigned i = 0; i < 64; i++)
			wrong += words[i] != round * 100 + i;
		return !wrong;
	case BLOCKS:
		for (size_t i = 0; i < 64 * 5000; i++)
			wrong += (unsigned char)s->strided[i / 5000][i % 5000] != t_byte((unsigned)round, i);
		return !wrong;
	default:
		for (size_t i = MIB; i--;)
			wrong += (unsigned char)s->bulk[NBULKS - 1][i] != t_byte((unsigned)round, i);
		return !wrong && (how != BULK_THEN_SMALL || s->small == round);
	}
}

/* All three in turn: from puts to PE to and tells PE by, which tells to. */
T_HD void complete_round(
	struct shared *s, int how, uint64_t round, struct contexts c, int pe, int from, int to, int by)
{
	if (pe == from) {
		put(s, how, round, c, to);
		tell(s, how, round, c, to, by);
		if (how == CONTEXT)
			gshmem_ctx_quiet(c.other);
	} else if (pe == by && how != FENCE) {
		gshmem_uint64_wait_until(&s->relay, GSHMEM_CMP_EQ, round);
		gshmem_signal_set(&s->told, round, to);
	} else if (pe == to) {
		gshmem_signal_wait_until(&s->told, GSHMEM_CMP_EQ, round);
		s->nwrong += !is_there(s, how, round);
	}
}

__global__ static void complete_kernel(
	struct shared *s, int how, uint64_t round, struct contexts c, int pe, int from, int to, int by)
{
	complete_round(s, how, round, c, pe, from, to, by);
}

static void complete_all(void)
{
	struct contexts c;
	uint64_t round = 1;

	t_equal(gshmem_ctx_create(0, &c.mine) | gshmem_ctx_create(0, &c.other), 0, "ctx_create");
	for (int how = 0; how < NHOWS; how++)
		for (int i = 0; i < 4 * npes; i++, round++) {
			const int from = i % npes, to = (from + 1 + i / npes % 2) % npes, by = 3 - from - to;

			if (i / npes < 2)
				complete_round(shared, how, round, c, me, from, to, by);
			else
				t_launch(complete_kernel, 1, 1, shared, how, round, c, me, from, to, by);
			t_check(!shared->nwrong, "PE %d: %s of a %s: not all has come", me, how_names[how],
				i / npes < 2 ? "host" : "kernel");
			gshmem_barrier_all();
		}
	gshmem_ctx_destroy(c.mine);
	gshmem_ctx_destroy(c.other);
}

/* ---- what comes back ---- */

/*
 * Everything that next has can be fetched to the heap and to the caller's stack, and a get
 * returns what was put and completed.
 */
T_HD uint64_t get_all(struct shared *s, uint64_t round, int to)
{
	uint64_t stack[64], old[2] = {0, 0}, wrong = 0;
	char bytes[5000];
	size_t i;

	for (i = 0; i < 64; i++)
		s->strided[7][i] = (char)(round + i);
	gshmem_putmem_nbi(s->columns[0], s->strided[7], 64, to);
	gshmem_quiet();
	gshmem_getmem(bytes, s->columns[0], 64, to);
	for (i = 0; i < 64; i++)
		wrong += bytes[i] != (char)(round + i);
	/* Elements and blocks, in both directions. */
	for (i = 0; i < 64; i++)
		stack[i] = round * 1000 + i;
	gshmem_uint64_iput((uint64_t *)(void *)s->columns[1], stack, 3, 2, 32, to);
	gshmem_quiet();
	gshmem_uint64_iget(stack, (uint64_t *)(void *)s->columns[1], 1, 3, 32, to);
	for (i = 0; i < 32; i++)
		wrong += stack[i] != round * 1000 + 2 * i;
	for (i = 0; i < 3 * 5000; i++)
		s->source[i] = (char)t_byte((unsigned)round, i);
	gshmem_char_ibput(s->columns[2], s->source, 8192, 5000, 5000, 3, to);
	gshmem_quiet();
	gshmem_char_ibget(s->strided[10], s->columns[2], 8192, 8192, 5000, 3, to);
	gshmem_char_ibget(bytes, s->columns[2], 5000, 8192, 5000, 1, to);
	for (i = 0; i < 3 * 5000; i++)
		wrong += (unsigned char)s->strided[10 + i / 5000][i % 5000] != t_byte((unsigned)round, i);
	for (i = 0; i < 5000; i++)
		wrong += (unsigned char)bytes[i] != t_byte((unsigned)round, i);
	/* Fetches to the stack and to the heap. */
	gshmem_uint64_atomic_set(&s->words[5], round, to);
	gshmem_quiet();
	gshmem_uint64_atomic_fetch_inc_nbi(&old[0], &s->words[5], to);
	gshmem_quiet();
	gshmem_uint64_atomic_fetch_add_nbi(&s->words[6], &s->words[5], 5, to);
	gshmem_uint64_get_nbi(&old[1], &s->words[7], 1, to);
	gshmem_quiet();
	wrong += old[0] != round || s->words[6] != round + 1 ||
		gshmem_uint64_atomic_fetch(&s->words[5], to) != round + 6;
	return wrong;
}

__global__ static void get_kernel(struct shared *s, uint64_t round, int to)
{
	s->nwrong += get_all(s, round, to);
}

/* With all at once two PEs would write to the same place of a third, so each asks only the next PE. */
static void get_rounds(void)
{
	for (uint64_t round = 1; round <= 20; round++) {
		if (round % 2)
			shared->nwrong += get_all(shared, round, next);
		else
			t_launch(get_kernel, 1, 1, shared, round, next);
		t_check(!shared->nwrong, "PE %d: gets of a %s", me, round % 2 ? "host" : "kernel");
	}
	gshmem_barrier_all();
}

int main(void)
{
	t_net_init();
	me = gshmem_my_pe();
	npes = gshmem_n_pes();
	t_equal(npes, 3, "PEs");
	next = (me + 1) % npes;
	previous = (me + npes - 1) % npes;
	shared = (struct shared *)gshmem_calloc(1, sizeof *shared);
	if (!gshmem_ptr(shared, next) && !gshmem_ptr(shared, previous))
		t_check(!(gshmemi_state.why & GSHMEMI_WHY_MIXED),
			"PE %d: all is carried, but a fence is a quiet: order is not tested", me);
	put_signal_all();
	complete_all();
	get_rounds();
	gshmem_finalize();
	return 0;
}
