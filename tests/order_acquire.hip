/* SPDX-License-Identifier: BSD-3-Clause */
/* carry: no */
/* run: -n 2,3 */
/*
 * After a call that learns of another PE's writes a kernel reads the new data, not stale data in its
 * caches. In each round one PE, the reader, reads words with plain loads, which brings them into its
 * caches. Another PE, the writer, changes the words and announces it. The reader makes the call and reads
 * again. The words lie in the reader's memory, where the writer puts them, and in the writer's own, which
 * the reader sees through gshmem_ptr.
 */
#include "order_calls.h"

enum kind {
	WAIT_UNTIL,
	SIGNAL_WAIT,
	TEST,
	WAIT_ALL,
	WAIT_ANY,
	TEST_ANY,
	BARRIER,
	SET_LOCK,
	TEST_LOCK,
	BROADCAST,
	GET,
	IGET,
	NKINDS
};
static const char *const names[NKINDS] = {
	"wait_until",
	"signal_wait_until",
	"test",
	"wait_until_all",
	"wait_until_any",
	"test_any",
	"barrier_all",
	"set_lock",
	"test_lock",
	"broadcast",
	"get",
	"iget",
};

#define NWORDS 40 /* of several lines */

struct words {
	uint64_t put[NWORDS];    /* the reader's; the writer puts them */
	uint64_t own[NWORDS];    /* the writer's */
	uint64_t got[NWORDS];    /* the reader's; broadcast and get bring them */
	uint64_t source[NWORDS]; /* of the writer's puts */
	uint64_t flags[2];       /* the reader's: the words have changed */
	uint64_t begun;          /* the reader's: it may look for the first time */
	uint64_t ready;          /* the writer's: the reader has looked */
	long lock;
};

struct result {
	unsigned nerrors;
	uint64_t round, expected, got; /* of the first */
};

/* A round, for one PE's group. */
struct round {
	enum kind kind;
	struct order_member member;
	struct words *words;
	uint64_t number;
	int writer, reader;
};

static __device__ uint64_t word_value(uint64_t round, unsigned i)
{
	return round * 1000 + i;
}

/* Plain loads, each time: volatile ones would pass the caches. */
static __device__ uint64_t look(const struct round *r, const uint64_t *words)
{
	uint64_t sum = 0;

	__asm__ volatile("" ::: "memory");
	for (unsigned i = r->member.rank; i < NWORDS; i += r->member.size)
		sum += words[i];
	return sum;
}

static __device__ void look_again(const struct round *r, const uint64_t *words, struct result *result)
{
	for (unsigned i = r->member.rank; i < NWORDS; i += r->member.size) {
		if (words[i] == word_value(r->number, i))
			continue;
		if (atomicAdd(&result->nerrors, 1) == 0) {
			result->round = r->number;
			result->expected = word_value(r->number, i);
			result->got = words[i];
		}
	}
}

static __device__ void barrier(int scope)
{
	BY_SCOPE(scope, barrier_all);
}

static __device__ void broadcast(const struct round *r)
{
	struct words *w = r->words;

	BY_SCOPE(r->member.scope, uint64_broadcast, GSHMEM_TEAM_WORLD, w->got, w->own, NWORDS, r->writer);
}

/* After an atomic, which learns of the writer's words but acquires nothing. */
static __device__ void get(const struct round *r)
{
	struct words *w = r->words;

	if (r->member.rank == 0)
		while (gshmem_uint64_atomic_fetch(&w->flags[1], r->reader) != r->number)
			;
	if (r->member.scope == WG)
		__syncthreads();
	if (r->kind == GET)
		BY_SCOPE(r->member.scope, uint64_get, w->got, w->own, NWORDS, r->writer);
	else
		BY_SCOPE(r->member.scope, uint64_iget, w->got, w->own, 1, 1, NWORDS, r->writer);
}

/* The call by which the reader learns that the words have changed. */
static __device__ void learn(const struct round *r)
{
	struct words *w = r->words;

	switch (r->kind) {
	case WAIT_UNTIL:
		order_wait(r->member.scope, 2, &w->flags[1], r->number);
		break;
	case SIGNAL_WAIT:
		order_wait(r->member.scope, 1, &w->flags[1], r->number);
		break;
	case TEST:
		order_wait(r->member.scope, 0, &w->flags[1], r->number);
		break;
	case WAIT_ALL:
		gshmem_uint64_wait_until_all(w->flags, 2, NULL, GSHMEM_CMP_EQ, r->number);
		break;
	case WAIT_ANY:
		gshmem_uint64_wait_until_any(&w->flags[1], 1, NULL, GSHMEM_CMP_EQ, r->number);
		break;
	case TEST_ANY:
		while (gshmem_uint64_test_any(&w->flags[1], 1, NULL, GSHMEM_CMP_EQ, r->number))
			;
		break;
	case BARRIER:
		barrier(r->member.scope);
		break;
	case SET_LOCK:
		gshmem_set_lock(&w->lock);
		break;
	case TEST_LOCK:
		while (gshmem_test_lock(&w->lock))
			;
		break;
	case BROADCAST:
		broadcast(r);
		break;
	default:
		get(r);
	}
}

static __device__ void read_words(const struct round *r, struct result *result)
{
	struct words *w = r->words;
	const uint64_t *own = (const uint64_t *)gshmem_ptr(w->own, r->writer);
	uint64_t sum;

	order_wait(r->member.scope, 2, &w->begun, r->number);
	sum = look(r, w->put) + look(r, w->got) + look(r, own);
	if (r->member.scope == WG)
		__syncthreads();
	if (r->member.rank == 0)
		/* sum is never 1, but must be there */
		gshmem_uint64_p(&w->ready, r->number + (sum == 1), r->writer);
	learn(r);
	if (r->kind >= BROADCAST) {
		look_again(r, w->got, result);
	} else {
		look_again(r, w->put, result);
		look_again(r, own, result);
	}
	if (r->kind == SET_LOCK || r->kind == TEST_LOCK)
		gshmem_clear_lock(&w->lock);
}

static __device__ void write_words(const struct round *r)
{
	const int leads = r->member.rank == 0, locks = r->kind == SET_LOCK || r->kind == TEST_LOCK;
	struct words *w = r->words;

	if (locks)
		gshmem_set_lock(&w->lock);
	if (leads)
		gshmem_uint64_p(&w->begun, r->number, r->reader);
	order_wait(r->member.scope, 2, &w->ready, r->number);
	for (unsigned i = r->member.rank; i < NWORDS; i += r->member.size)
		w->own[i] = w->source[i] = word_value(r->number, i);
	order_put(r->member.scope, w->put, w->source, NWORDS, r->reader);
	if (locks) {
		gshmem_clear_lock(&w->lock);
	} else if (r->kind == BARRIER) {
		barrier(r->member.scope);
	} else if (r->kind == BROADCAST) {
		broadcast(r);
	} else {
		order_fence(r->member.scope);
		if (leads) {
			gshmem_uint64_p(&w->flags[0], r->number, r->reader);
			gshmem_uint64_p(&w->flags[1], r->number, r->reader);
		}
	}
}

static __global__ void run(int kind, int scope, struct words *words, unsigned nrounds, struct result *result)
{
	const int me = gshmem_my_pe(), npes = gshmem_n_pes();
	struct round r = {(enum kind)kind, {scope, threadIdx.x, blockDim.x}, words, 0, 0, 0};

	for (r.number = 1; r.number <= nrounds; r.number++) {
		r.writer = (int)(r.number % (unsigned)npes);
		r.reader = (r.writer + 1) % npes;
		if (me == r.reader)
			read_words(&r, result);
		else if (me == r.writer)
			write_words(&r);
		else if (kind == BARRIER || kind == BROADCAST)
			learn(&r);
		barrier(scope);
	}
}

/* Whether there is a call of this kind at this scope. */
static int is_call(int kind, int scope)
{
	if (scope == THREAD)
		return 1;
	if (kind == TEST)
		return scope == WG;
	return kind < WAIT_ALL || kind == BARRIER || kind >= BROADCAST;
}

int main(void)
{
	struct words *words, zero = {};
	struct result *device_result, result, none = {};
	unsigned nthreads, nrounds;
	int kind, scope, status = 0;

	gshmem_init();
	nrounds = t_takes_turns() ? 6 : 24;
	words = (struct words *)t_shmalloc(sizeof *words);
	gshmemx_race_ok(words, sizeof *words); /* it looks before data has arrived */
	device_result = (struct result *)t_hipmalloc(sizeof result);
	for (kind = 0; kind < NKINDS; kind++)
		for (scope = THREAD; scope <= WG; scope++) {
			if (!is_call(kind, scope))
				continue;
			nthreads = scope == THREAD ? 1 : scope == WAVE ? t_wave_width() : 2 * t_wave_width();
			t_to_device(words, &zero, sizeof zero);
			t_to_device(device_result, &none, sizeof none);
			gshmem_barrier_all();
			t_launch(run, 1, nthreads, kind, scope, words, nrounds, device_result);
			t_from_device(&result, device_result, sizeof result);
			gshmem_barrier_all();
			if (!result.nerrors)
				continue;
			fprintf(stderr,
				"PE %d: after %s by a %s %u words are old; the first in round %llu: %llu, not %llu\n",
				gshmem_my_pe(), names[kind], order_scope_names[scope], result.nerrors,
				(unsigned long long)result.round, (unsigned long long)result.got,
				(unsigned long long)result.expected);
			status = 1;
		}
	gshmem_finalize();
	return status;
}
