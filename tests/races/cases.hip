/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that race, one for each call of `cases NAME racy`, and the same with what is missing, `cases NAME`.
 * tests/races.sh runs them: the racy one must be reported once, with the lines marked `first: NAME` and
 * `second: NAME`, the other one not at all.
 */
#include <gshmem.h>
#include <gshmemx.h>
#include <gshmemx_win.h>
#include <stdio.h>
#include <string.h>

#define N   128
#define SET GSHMEM_SIGNAL_SET

struct data {
	long dest[N], source[N];
	uint64_t flag, ready;
};

static __device__ int next_pe(void)
{
	return (gshmem_my_pe() + 1) % gshmem_n_pes();
}

static __device__ void wait(uint64_t *flag)
{
	gshmem_uint64_wait_until(flag, GSHMEM_CMP_EQ, 1);
}

/* A put, and a word without a fence between them. */
static __global__ void no_fence(struct data *d, int racy)
{
	if (threadIdx.x == 0) {
		gshmem_long_put(d->dest, d->source, N, next_pe()); /* first: no_fence */
		if (!racy)
			gshmem_fence();
		gshmem_uint64_p(&d->flag, 1, next_pe());
	}
	wait(&d->flag);
	if (threadIdx.x == 9)
		d->ready = (uint64_t)d->dest[9]; /* second: no_fence */
}

/* A thread's quiet in place of the group's. */
static __global__ void lone_quiet(struct data *d, int racy)
{
	gshmemx_long_put_wg(d->dest, d->source, N, next_pe()); /* first: lone_quiet */
	if (racy)
		gshmem_quiet();
	else
		gshmemx_quiet_wg();
	if (threadIdx.x == 0)
		gshmem_uint64_p(&d->flag, 1, next_pe());
	wait(&d->flag);
	if (threadIdx.x == 7)
		d->ready = (uint64_t)d->dest[7]; /* second: lone_quiet */
}

/* The source of a put_nbi is written before quiet. */
static __global__ void reuse(struct data *d, int racy)
{
	if (threadIdx.x)
		return;
	gshmem_long_put_nbi(d->dest, d->source, N, next_pe()); /* first: reuse */
	if (!racy)
		gshmem_quiet();
	d->source[5] = 3; /* second: reuse */
	gshmem_quiet();
}

/* The dest of a get_nbi is read before quiet. */
static __global__ void early(struct data *d, int racy)
{
	if (threadIdx.x)
		return;
	gshmem_long_get_nbi(d->dest, d->source, N, next_pe()); /* first: early */
	if (!racy)
		gshmem_quiet();
	d->ready = (uint64_t)d->dest[N - 1]; /* second: early */
	gshmem_quiet();
}

/* One thread waits; the others read without having met it. */
static __global__ void no_barrier(struct data *d, int racy)
{
	const int to = next_pe();

	if (threadIdx.x == 0)
		gshmem_long_put_signal(d->dest, d->source, N, &d->flag, 1, SET, to); /* first: no_barrier */
	if (threadIdx.x == 0)
		wait(&d->flag);
	if (!racy)
		__syncthreads();
	if (threadIdx.x == 70)
		d->ready = (uint64_t)d->dest[1]; /* second: no_barrier */
}

/* Nobody waits. */
static __global__ void no_wait(struct data *d, int racy)
{
	if (threadIdx.x)
		return;
	gshmem_long_put_signal(d->dest, d->source, N, &d->flag, 1, SET, next_pe()); /* first: no_wait */
	if (!racy)
		wait(&d->flag);
	d->ready = (uint64_t)d->dest[1]; /* second: no_wait */
}

/* A store through gshmem_ptr, and a load of the other PE. */
static __global__ void pointer(struct data *d, int racy)
{
	long *there = (long *)gshmem_ptr(d->dest, next_pe());

	if (threadIdx.x)
		return;
	there[2] = 4; /* first: pointer */
	if (!racy)
		gshmem_barrier_all();
	d->ready = (uint64_t)d->dest[2]; /* second: pointer */
}

/* Two lanes of a wave. */
static __global__ void lanes(struct data *d, int racy)
{
	if (threadIdx.x == 1)
		d->dest[0] = 1; /* first: lanes */
	if (!racy)
		__syncthreads();
	if (threadIdx.x == 2)
		d->dest[1] = d->dest[0]; /* second: lanes */
}

/* A put on top of another PE's. */
static __global__ void collide(struct data *d, int racy)
{
	if (threadIdx.x)
		return;
	if (gshmem_my_pe() == 1)
		gshmem_long_p(&d->dest[9], 1, 0); /* first: collide */
	if (!racy)
		gshmem_barrier_all();
	if (gshmem_my_pe() == 2)
		gshmem_long_put(&d->dest[8], d->source, 2, 0); /* second: collide */
}

/* Two puts of one thread to one place. */
static __global__ void twice(struct data *d, int racy)
{
	if (threadIdx.x)
		return;
	gshmem_long_put(d->dest, d->source, 4, next_pe()); /* first: twice */
	if (!racy)
		gshmem_fence();
	gshmem_long_put(d->dest, d->source + 8, 4, next_pe()); /* second: twice */
}

/* Blocks of one kernel. */
static __global__ void blocks(struct data *d, int racy)
{
	if (threadIdx.x || (blockIdx.x && !racy))
		return;
	if (blockIdx.x == 0)
		d->dest[3] = 1; /* first: blocks */
	else
		d->ready = (uint64_t)d->dest[3]; /* second: blocks */
}

/* Each block waits, also if its thread has run another one, which has learned all from the same word. */
static __global__ void each_block(struct data *d, int racy)
{
	const int to = next_pe();

	if (threadIdx.x == 0 && blockIdx.x == 0)
		gshmem_long_put_signal(d->dest, d->source, N, &d->flag, 1, SET, to); /* first: each_block */
	for (int i = 0; i < 3 && (blockIdx.x == 0 || !racy); i++) {
		if (threadIdx.x == 0)
			wait(&d->flag);
		__syncthreads();
	}
	if (threadIdx.x == 0 && d->dest[3]) /* second: each_block */
		d->ready = 1;
}

/* A host reads what a kernel of another PE has put, without a barrier. */
static __global__ void to_host(struct data *d, int racy)
{
	(void)racy;
	if (threadIdx.x)
		return;
	gshmem_long_put(d->dest, d->source, N, next_pe()); /* first: to_host */
	gshmem_quiet();
}

static long on_host(struct data *d, int racy)
{
	if (!racy)
		gshmem_barrier_all();
	return d->dest[11]; /* second: to_host */
}

/* A team that its members make: each has come, with what it did before. */
static __global__ void members(struct data *d, int racy)
{
	(void)racy;
	if (threadIdx.x == 0 && gshmem_my_pe() == 1)
		d->dest[6] = 1; /* first: members */
}

static long in_team(struct data *d, int racy)
{
	const int me = gshmem_my_pe(), pes[] = {2, 1};
	gshmem_team_t team = GSHMEM_TEAM_INVALID;
	long value = 0;

	if (me && !racy && gshmemx_team_create_by_members(pes, 2, 0, NULL, 0, &team))
		return 1;
	if (me == 2)
		value = gshmem_long_g(&d->dest[6], 1); /* second: members */
	gshmem_team_destroy(team);
	return value;
}

/* A store to a signal, which reads nothing, in place of a wait for it. */
static __global__ void store(struct data *d, int racy)
{
	long begun;

	if (threadIdx.x)
		return;
	if (gshmem_my_pe() == 0)
		gshmem_long_put_signal(d->dest, d->source, N, &d->flag, 1, SET, 1); /* first: store */
	if (gshmem_my_pe() != 1)
		return;
	if (!racy) {
		wait(&d->flag);
	} else {
		for (begun = clock64(); clock64() - begun < 50000000;)
			;
		__atomic_store_n(&d->flag, 2, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	}
	d->ready = (uint64_t)d->dest[1]; /* second: store */
}

/* Work-groups of two PEs put to one place of a window, in one epoch. */
static __global__ void window_put(gshmemx_win_t win, const long *from, int pe)
{
	if (gshmem_my_pe() == 0 && pe == 0)
		(void)gshmemx_win_long_put_wg(win, 3, from, 4, 1); /* first: window */
	if (gshmem_my_pe() == 2 && pe == 2)
		(void)gshmemx_win_long_put_wg(win, 6, from, 4, 1); /* second: window */
}

/* A window with its first epoch open; *base_p: this PE's part. */
static gshmemx_win_t open_window(void **base_p)
{
	gshmemx_win_t win;

	if (gshmemx_win_allocate(GSHMEM_TEAM_WORLD, N * sizeof(long), sizeof(long), base_p, &win))
		gshmem_global_exit(2);
	(void)gshmemx_win_fence(win, 0);
	return win;
}

static void close_window(gshmemx_win_t win)
{
	(void)gshmemx_win_fence(win, 0);
	(void)gshmemx_win_free(&win);
}

static long in_window(struct data *d, int racy)
{
	void *base;
	const gshmemx_win_t win = open_window(&base);

	for (int pe = 0; pe < 3; pe += 2) {
		hipLaunchKernelGGL(window_put, dim3(1), dim3(N), 0, 0, win, d->source, pe);
		if (hipDeviceSynchronize() != hipSuccess)
			return 2;
		if (!racy)
			(void)gshmemx_win_fence(win, 0);
	}
	close_window(win);
	return 0;
}

/* A host reads its part of a window in the epoch of a put. */
static long in_epoch(struct data *d, int racy)
{
	void *base;
	const gshmemx_win_t win = open_window(&base);
	long value = 0;

	if (gshmem_my_pe() == 0)
		(void)gshmemx_win_long_put(win, 2, d->source, 1, 1); /* first: epoch */
	if (!racy)
		(void)gshmemx_win_fence(win, 0);
	if (gshmem_my_pe() == 1)
		value = ((long *)base)[2]; /* second: epoch */
	close_window(win);
	return value;
}

/* An accumulate of small elements, and a put of one of them, not of a neighbour in its word. */
static long of_bytes(struct data *d, int racy)
{
	const signed char one[] = {1, 1};
	gshmemx_win_t win;
	void *base;

	(void)d;
	if (gshmemx_win_allocate(GSHMEM_TEAM_WORLD, N, 1, &base, &win))
		gshmem_global_exit(2);
	(void)gshmemx_win_fence(win, 0);
	if (gshmem_my_pe() == 0)
		(void)gshmemx_win_schar_accumulate(win, 9, one, 2, GSHMEMX_SUM, 1); /* first: bytes */
	if (gshmem_my_pe() == 2)
		(void)gshmemx_win_schar_put(win, racy ? 10 : 8, one, 1, 1); /* second: bytes */
	close_window(win);
	return 0;
}

/* A function that a kernel calls reads what the kernel wrote, and writes what it reads. */
static int change(void *user, gshmemx_rpc_call_t *call)
{
	struct data *d = (struct data *)user;

	(void)call;
	d->dest[4] = d->source[4]; /* first: function */
	return GSHMEMX_RPC_DONE;
}

/* slow: the same function, by a thread that may block, and is not the one that answers the quiet. */
static __global__ void post(struct data *d, uint32_t id, uint32_t slow, int racy)
{
	const uint64_t words[6] = {0};
	gshmemx_rpc_ticket_t ticket;

	d->source[threadIdx.x] = 3;
	__syncthreads();
	if (threadIdx.x)
		return;
	ticket = gshmemx_rpc_post(id, words);
	if (!racy)
		(void)gshmemx_rpc_wait(ticket);
	d->ready = (uint64_t)d->dest[4]; /* second: function */
	if (racy)
		return;
	(void)gshmemx_rpc_post(slow, words);
	gshmem_quiet();
	d->dest[4] = 0;
	(void)gshmemx_rpc_call(id, words, NULL);
	d->dest[4] = 0;
}

static long call_function(struct data *d, int racy)
{
	uint32_t id, slow;

	if (gshmemx_rpc_register(&id, change, d, 0) ||
		gshmemx_rpc_register(&slow, change, d, GSHMEMX_RPC_BLOCKING))
		return 1;
	hipLaunchKernelGGL(post, dim3(1), dim3(N), 0, 0, d, id, slow, racy);
	return hipDeviceSynchronize() != hipSuccess;
}

/* What was written by a kernel before so many others that only its line is remembered. */
static __global__ void put_once(struct data *d)
{
	gshmem_long_p(&d->dest[2], 1, next_pe()); /* first: old */
}

static __global__ void do_nothing(void) {}

static long after_others(struct data *d, int racy)
{
	hipLaunchKernelGGL(put_once, dim3(1), dim3(1), 0, 0, d);
	hipLaunchKernelGGL(do_nothing, dim3(200000), dim3(1), 0, 0);
	if (hipDeviceSynchronize() != hipSuccess)
		return 1;
	if (!racy)
		gshmem_barrier_all();
	return d->dest[2]; /* second: old */
}

/* The end of what can be counted: races.sh has a test of its own. */
extern uint32_t hipcpu_race_first_step;
static long use_up_steps(struct data *d, int racy)
{
	(void)d;
	(void)racy;
	for (int i = 0; i < 1000; i++)
		gshmem_fence();
	return 0;
}

static const struct {
	const char *name;
	void (*kernel)(struct data *d, int racy); /* or NULL; */
	unsigned nblocks;
	long (*host)(struct data *d, int racy); /* then, or NULL */
} cases[] = {{"no_fence", no_fence, 1}, {"lone_quiet", lone_quiet, 1}, {"reuse", reuse, 1},
	{"early", early, 1}, {"no_barrier", no_barrier, 1}, {"no_wait", no_wait, 1}, {"pointer", pointer, 1},
	{"lanes", lanes, 1}, {"collide", collide, 1}, {"twice", twice, 1}, {"blocks", blocks, 2},
	{"each_block", each_block, 64}, {"store", store, 1}, {"to_host", to_host, 1, on_host},
	{"members", members, 1, in_team}, {"window", NULL, 0, in_window}, {"epoch", NULL, 0, in_epoch},
	{"bytes", NULL, 0, of_bytes}, {"function", NULL, 0, call_function}, {"old", NULL, 0, after_others},
	{"steps", NULL, 0, use_up_steps}};

int main(int argc, char **argv)
{
	const int racy = argc > 2;
	struct data *d;
	long sum = 0;

	if (argc > 1 && !strcmp(argv[1], "steps"))
		hipcpu_race_first_step = UINT32_MAX - 500;
	gshmem_init();
	d = (struct data *)gshmem_calloc(1, sizeof *d);
	for (const auto &c : cases) {
		if (argc < 2 || strcmp(argv[1], c.name))
			continue;
		if (c.kernel)
			hipLaunchKernelGGL(c.kernel, dim3(c.nblocks), dim3(N), 0, 0, d, racy);
		if (hipDeviceSynchronize() != hipSuccess)
			return 2;
		if (c.host)
			sum = c.host(d, racy);
	}
	gshmem_barrier_all();
	printf("%ld\n", sum);
	gshmem_free(d);
	gshmem_finalize();
	return 0;
}
