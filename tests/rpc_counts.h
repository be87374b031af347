/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many calls of all kinds, by kernels and CPU threads at once, with accounts on both sides. A call's words
 * say who made it and contain a check word; each side sums the check words of the calls that it made, or saw.
 */
#ifndef T_RPC_COUNTS_H
#define T_RPC_COUNTS_H

#include <atomic>
#include <errno.h>
#include <pthread.h>

#include <gshmem.h>

#include "helpers.h"

#ifndef __SANITIZE_THREAD__
#define T_TSAN 0
#else
#define T_TSAN 1
#endif

enum { WORDS, LINE, WAVE, NONE, NKINDS };

struct ops {
	uint32_t op[NKINDS];
};

/* What one client has done: calls and checks by kind; refused calls; what was wrong. */
struct record {
	uint64_t ncalls[NKINDS], sum[NKINDS];
	uint64_t nrefused, nerrors, nwrong;
	long long first_wrong[3]; /* kind, expected, got */
};

struct books {
	std::atomic<uint64_t> ncalls, sum, nerrors, nwrong;
};

static struct books books[NKINDS];

__host__ __device__ static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

__host__ __device__ static uint64_t check_of(const uint64_t *in, unsigned nwords)
{
	uint64_t check = nwords;
	unsigned i;

	for (i = 0; i < nwords - 1; i++)
		check = mix(check ^ in[i]);
	return check;
}

__host__ __device__ static bool is_error(uint64_t random)
{
	return random % 32 == 3;
}

/* ---- the functions: in is {who, when, random, lane, kind, ..., check} ---- */

static int enter(int kind, const gshmemx_rpc_call_t *call, unsigned lane, const uint64_t *in, unsigned nwords)
{
	books[kind].ncalls++;
	books[kind].sum += in[nwords - 1];
	if (in[nwords - 1] != check_of(in, nwords) || in[4] != (uint64_t)kind ||
		(call->nlanes > 1 && in[3] != lane) || !(call->lanes >> lane & 1))
		books[kind].nwrong++;
	if (!is_error(in[2]))
		return GSHMEMX_RPC_DONE;
	books[kind].nerrors++;
	return -ERANGE;
}

static int take_words(void *context, gshmemx_rpc_call_t *call)
{
	const int rc = enter(WORDS, call, call->lane, call->in, 6);

	(void)context;
	call->out[0] = ~call->in[5];
	return rc;
}

static int take_line(void *context, gshmemx_rpc_call_t *call)
{
	const int rc = enter(LINE, call, call->lane, call->in, 8);
	unsigned i;

	(void)context;
	for (i = 0; i < 8; i++)
		call->out[i] = call->in[i] * 3 + i;
	return rc;
}

/* An error would affect all lanes, so random words cause none here. */
static int take_wave(void *context, gshmemx_rpc_call_t *call)
{
	uint64_t lanes;
	unsigned lane;

	(void)context;
	for (lanes = call->lanes; lanes; lanes &= lanes - 1) {
		lane = (unsigned)__builtin_ctzll(lanes);
		(void)enter(WAVE, call, lane, call->in + 8 * lane, 6);
		call->out[8 * lane] = ~call->in[8 * lane + 5];
	}
	return GSHMEMX_RPC_DONE;
}

/* ---- clients ---- */

__host__ __device__ static void expect(struct record *mine, int kind, uint64_t got, uint64_t expected)
{
	if (got == expected)
		return;
	if (mine->nwrong++)
		return;
	mine->first_wrong[0] = kind;
	mine->first_wrong[1] = (long long)expected;
	mine->first_wrong[2] = (long long)got;
}

/* One call. random, which may be equal for neighbours, decides its kind and words. */
__host__ __device__ static void make_call(
	struct ops ops, uint64_t who, uint64_t when, unsigned lane, uint64_t random, struct record *mine)
{
	const unsigned action = random % 10;
	const int kind = action < 3 ? WORDS : action < 5 ? LINE : action < 8 ? WAVE : NONE;
	const unsigned nwords = kind == LINE ? 8 : 6;
	const bool fails = (kind == WORDS || kind == LINE) && is_error(random / 16);
	uint64_t in[8] = {who, when, random / 16, lane, (uint64_t)kind, 5, 6, 7},
		 out[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	gshmemx_rpc_ticket_t ticket;
	int status, i;

	if (kind == WAVE)
		in[2] = 0; /* no error */
	in[nwords - 1] = check_of(in, nwords);
	mine->ncalls[kind]++;
	mine->sum[kind] += in[nwords - 1];
	mine->nerrors += fails;
	switch (action) {
	case 0:
	case 1:
	case 5:
	case 6:
	case 8:
		status = gshmemx_rpc_call(ops.op[kind], in, out);
		mine->nrefused += status == -ENOSYS;
		expect(mine, kind, (uint64_t)status,
			(uint64_t)(kind == NONE ? -ENOSYS
					: fails ? -ERANGE
						: 0));
		expect(mine, kind, out[0], kind == NONE || fails ? 1 : ~in[5]);
		break;
	case 3:
		status = gshmemx_rpc_call_line(ops.op[kind], in, out);
		expect(mine, kind, (uint64_t)status, (uint64_t)(fails ? -ERANGE : 0));
		for (i = 0; i < 8; i++)
			expect(mine, kind, out[i], fails ? (uint64_t)i + 1 : in[i] * 3 + i);
		break;
	case 4:
		(void)gshmemx_rpc_post_line(ops.op[kind], in);
		break;
	case 9: /* the error can be seen as long as the slot holds this call */
		ticket = gshmemx_rpc_post(ops.op[kind], in);
		status = gshmemx_rpc_wait(ticket);
		mine->nrefused++;
		expect(mine, kind, status == 0 || status == -ENOSYS, 1);
		break;
	default:
		ticket = gshmemx_rpc_post(ops.op[kind], in);
		if (random >> 40 & 1)
			while (!gshmemx_rpc_test(ticket))
				;
		break;
	}
	if ((random >> 50) % 16 == 0)
		gshmem_quiet();
}

/* In even blocks all lanes of a wave make the same calls; in odd blocks each lane makes its own. */
__global__ static void clients(struct ops ops, uint64_t seed, unsigned ncalls, struct record *records)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, wave = threadIdx.x / warpSize;
	const uint64_t who = blockIdx.x % 2 ? i : blockIdx.x * 1000 + wave;
	unsigned k;

	for (k = 0; k < ncalls; k++)
		make_call(ops, i, k, threadIdx.x % warpSize, mix(seed + who * 65536 + k), &records[i]);
}

struct thread_arg {
	struct ops ops;
	uint64_t seed;
	unsigned ncalls;
	struct record record;
};

static void *client_thread(void *argument)
{
	struct thread_arg *arg = (struct thread_arg *)argument;
	unsigned k;

	for (k = 0; k < arg->ncalls; k++)
		make_call(arg->ops, arg->seed, k, 0, mix(arg->seed * 65536 + k), &arg->record);
	return NULL;
}

/* ---- the sums ---- */

static void add_record(struct record *sum, const struct record *one)
{
	int kind;

	if (one->nwrong)
		t_fail("pe %d: answer of kind %lld: expected %lld, got %lld (%llu wrong)", gshmem_my_pe(),
			one->first_wrong[0], one->first_wrong[1], one->first_wrong[2],
			(unsigned long long)one->nwrong);
	for (kind = 0; kind < NKINDS; kind++) {
		sum->ncalls[kind] += one->ncalls[kind];
		sum->sum[kind] += one->sum[kind];
	}
	sum->nrefused += one->nrefused;
	sum->nerrors += one->nerrors;
}

static void compare(const struct record *sum)
{
	static const char *const names[] = {"words", "line", "wave"};
	uint64_t nerrors = 0;
	int kind;

	for (kind = 0; kind < NONE; kind++) {
		t_check(books[kind].nwrong == 0, "pe %d: %s: %llu calls came wrong", gshmem_my_pe(),
			names[kind], (unsigned long long)books[kind].nwrong);
		t_check(books[kind].ncalls == sum->ncalls[kind], "pe %d: %s: %llu calls made, %llu served",
			gshmem_my_pe(), names[kind], (unsigned long long)sum->ncalls[kind],
			(unsigned long long)books[kind].ncalls);
		t_check(books[kind].sum == sum->sum[kind], "pe %d: %s: sums differ", gshmem_my_pe(),
			names[kind]);
		t_check(sum->ncalls[kind] > 0, "%s: no calls", names[kind]);
		nerrors += books[kind].nerrors;
	}
	t_equal(nerrors, sum->nerrors, "errors that functions returned");
	t_equal(sum->nrefused, sum->ncalls[NONE], "refused calls");
}

/* Between init and finalize: grid kernels' clients and nthreads CPU threads, ncalls calls each; twice. */
static void count_calls(unsigned nblocks, unsigned nlanes, unsigned nthreads, unsigned ncalls)
{
	struct thread_arg *args = (struct thread_arg *)calloc(nthreads, sizeof *args);
	pthread_t *threads = (pthread_t *)calloc(nthreads, sizeof *threads);
	const size_t nrecords = (size_t)nblocks * nlanes;
	struct record sum, *records;
	unsigned i, round;
	struct ops ops;
	int kind;

	for (kind = 0; kind < NONE; kind++)
		books[kind].ncalls = books[kind].sum = books[kind].nerrors = books[kind].nwrong = 0;
	memset(&sum, 0, sizeof sum);
	t_equal(gshmemx_rpc_register(&ops.op[WORDS], take_words, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&ops.op[LINE], take_line, NULL, 0), 0, "register");
	t_equal(gshmemx_rpc_register(&ops.op[WAVE], take_wave, NULL, GSHMEMX_RPC_WAVE), 0, "register");
	ops.op[NONE] = ops.op[WAVE] + 7;
	t_hip(hipHostMalloc((void **)&records, nrecords * sizeof *records, 0));
	for (round = 0; round < 2; round++) {
		memset(records, 0, nrecords * sizeof *records);
		hipLaunchKernelGGL(clients, dim3(nblocks), dim3(nlanes), 0, 0, ops,
			round * 77777 + (uint64_t)gshmem_my_pe(), ncalls, records);
		for (i = 0; i < nthreads; i++) {
			memset(&args[i], 0, sizeof args[i]);
			args[i].ops = ops;
			args[i].ncalls = 4 * ncalls;
			args[i].seed = 1000000 + round * 1000 + i;
			t_equal(pthread_create(&threads[i], NULL, client_thread, &args[i]), 0,
				"pthread_create");
		}
		for (i = 0; i < nthreads; i++)
			pthread_join(threads[i], NULL);
		t_hip(hipStreamSynchronize(0));
		gshmem_quiet();
		for (i = 0; i < nrecords; i++)
			add_record(&sum, &records[i]);
		for (i = 0; i < nthreads; i++)
			add_record(&sum, &args[i].record);
		compare(&sum);
	}
	t_hip(hipHostFree(records));
	free(threads);
	free(args);
}

#endif /* T_RPC_COUNTS_H */
