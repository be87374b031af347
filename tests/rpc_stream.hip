/* SPDX-License-Identifier: BSD-3-Clause */
/* tsan: yes */
/* env: GSHMEM_CPU_WAVE=64 GSHMEM_RPC_THREADS=3 | GSHMEM_CPU_WAVE=32 | GSHMEM_RPC_SLOTS=64 | GSHMEM_CPU_DIVERGE=random:4 */
/* timeout: 240 */
/*
 * Streams of any length in both directions, by lanes, waves and CPU threads, all at once: every byte arrives,
 * nothing is written beyond the given room, and a stream sees nothing of the previous one.
 */
#include <atomic>
#include <errno.h>
#include <pthread.h>

#include <gshmem.h>

#include "helpers.h"

enum { COPY, GENERATE, EARLY, FAIL, SUM, NOPS };
static const char *const op_names[] = {"copy", "generate", "early", "fail", "sum"};

enum { GUARD = 64, NJOBS = 256, NCROWD = 128, CROWD_NBYTES = 20000 };

struct job {
	int kind;
	uint32_t op;
	const unsigned char *in;
	unsigned char *out; /* between two guards */
	size_t in_nbytes, out_nbytes, got_nbytes;
	int status;
};

static std::atomic<long> nwrong, nbegun, nover, nby_page;
static std::atomic<uint64_t> crowd_ns;

/* ---- the functions ---- */

/* The position in the input must be the sum of the steps so far. The state is the bytes so far, plus one. */
static size_t enter(gshmemx_rpc_call_t *call)
{
	size_t before = (size_t)(uintptr_t)call->state;

	if (!before)
		before = 1;
	nwrong += before - 1 != call->offset || call->offset + call->nbytes > call->total_nbytes ||
		call->reply_nbytes != 0;
	nwrong += call->nbytes == 0 && call->offset != call->total_nbytes;
	call->state = (void *)(uintptr_t)(before + call->nbytes);
	return call->offset + call->nbytes;
}

static int copy(void *context, gshmemx_rpc_call_t *call)
{
	const size_t end = enter(call);
	unsigned char *data = (unsigned char *)call->data;
	size_t i;

	(void)context;
	for (i = 0; i < call->nbytes; i++)
		data[i] ^= 0x5a;
	call->reply_nbytes = call->nbytes;
	return end < call->total_nbytes ? GSHMEMX_RPC_MORE : GSHMEMX_RPC_DONE;
}

struct generator {
	uint64_t total, done;
};

__host__ __device__ static unsigned char generated(uint64_t i)
{
	return (unsigned char)(i * 7 + (i >> 8) * 13 + (i >> 16));
}

/* The first input word tells how much is to come. */
static int generate(void *context, gshmemx_rpc_call_t *call)
{
	struct generator *state = (struct generator *)call->state;
	unsigned char *data = (unsigned char *)call->data;
	size_t i, n;

	(void)context;
	if (!state) {
		nwrong += call->offset != 0;
		call->state = state = (struct generator *)calloc(1, sizeof *state);
		memcpy(&state->total, data, sizeof state->total);
	}
	n = state->total - state->done < call->room_nbytes ? (size_t)(state->total - state->done)
							   : call->room_nbytes;
	for (i = 0; i < n; i++)
		data[i] = generated(state->done + i);
	state->done += n;
	call->reply_nbytes = n;
	if (state->done < state->total && n)
		return GSHMEMX_RPC_MORE;
	if (state->done < state->total)
		call->reply_nbytes = 1; /* more than the room allows */
	free(state);
	return GSHMEMX_RPC_DONE; /* leaves call->state dangling: no later call may see it */
}

static int early(void *context, gshmemx_rpc_call_t *call)
{
	const uint64_t nbytes = call->nbytes;

	(void)context;
	nwrong += call->state != NULL || call->offset != 0;
	call->state = call;
	if (call->room_nbytes < sizeof nbytes)
		return -EINVAL;
	memcpy(call->data, &nbytes, sizeof nbytes);
	call->reply_nbytes = sizeof nbytes;
	return GSHMEMX_RPC_DONE;
}

/* At the end, with a state left behind. */
static int fail(void *context, gshmemx_rpc_call_t *call)
{
	(void)context;
	return enter(call) < call->total_nbytes ? GSHMEMX_RPC_MORE : -EIO;
}

__host__ __device__ static uint64_t add_byte(uint64_t sum, unsigned char byte)
{
	return (sum ^ byte) * 1099511628211U;
}

struct adder {
	uint64_t sum;
	size_t end;
};

static int sum(void *context, gshmemx_rpc_call_t *call)
{
	struct adder *state = (struct adder *)call->state;
	size_t i;

	(void)context;
	if (!state)
		call->state = state = (struct adder *)calloc(1, sizeof *state);
	nwrong += state->end != call->offset;
	for (i = 0; i < call->nbytes; i++)
		state->sum = add_byte(state->sum, ((unsigned char *)call->data)[i]);
	state->end += call->nbytes;
	if (state->end < call->total_nbytes)
		return GSHMEMX_RPC_MORE;
	nwrong += call->room_nbytes < sizeof state->sum;
	memcpy(call->data, &state->sum, sizeof state->sum);
	call->reply_nbytes = sizeof state->sum;
	free(state);
	return GSHMEMX_RPC_DONE;
}

/*
 * As copy, but the first step waits until the whole crowd has begun or, if not all can at once, for a while.
 */
static int copy_in_crowd(void *context, gshmemx_rpc_call_t *call)
{
	uint64_t none = 0;

	if (!call->state) {
		crowd_ns.compare_exchange_strong(none, gshmemi_arch_clock_ns());
		nbegun++;
		nby_page += call->nbytes < 16384;
		call->state = (void *)1;
	}
	if (call->offset == 0 && nbegun < NCROWD && gshmemi_arch_clock_ns() - crowd_ns < 300000000)
		return GSHMEMX_RPC_PENDING;
	if (copy(context, call) == GSHMEMX_RPC_MORE)
		return GSHMEMX_RPC_MORE;
	nover++;
	return GSHMEMX_RPC_DONE;
}

/* ---- clients ---- */

__global__ static void by_lanes(struct job *jobs, unsigned njobs)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < njobs)
		jobs[i].status = gshmemx_rpc_stream(jobs[i].op, jobs[i].in, jobs[i].in_nbytes, jobs[i].out,
			jobs[i].out_nbytes, &jobs[i].got_nbytes);
}

/* By all lanes of a wave, or some; all must get the same result. */
__global__ static void by_waves(struct job *jobs)
{
	struct job *job = &jobs[blockIdx.x];
	size_t got = 77;
	int status;

	if (blockIdx.x % 2 && threadIdx.x % 3 == 0)
		return;
	status = gshmemx_rpc_stream_wave(job->op, job->in, job->in_nbytes, job->out, job->out_nbytes, &got);
	if (threadIdx.x == 1) {
		job->status = status;
		job->got_nbytes = got;
	}
	__syncthreads();
	if (job->status != status || (status == 0 && job->got_nbytes != got))
		job->status = -9999;
}

struct thread_arg {
	struct job *jobs;
	unsigned first, njobs;
};

static void *by_thread(void *argument)
{
	struct thread_arg *arg = (struct thread_arg *)argument;
	unsigned i;

	for (i = arg->first; i < arg->njobs; i += 4)
		arg->jobs[i].status =
			gshmemx_rpc_stream(arg->jobs[i].op, arg->jobs[i].in, arg->jobs[i].in_nbytes,
				arg->jobs[i].out, arg->jobs[i].out_nbytes, &arg->jobs[i].got_nbytes);
	return NULL;
}

static void by_threads(struct job *jobs, unsigned njobs)
{
	struct thread_arg args[4];
	pthread_t threads[4];
	unsigned i;

	for (i = 0; i < 4; i++) {
		args[i] = (struct thread_arg){jobs, i, njobs};
		t_equal(pthread_create(&threads[i], NULL, by_thread, &args[i]), 0, "pthread_create");
	}
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* ---- jobs ---- */

static struct job *jobs;
static unsigned njobs;
static unsigned char *memory;
static size_t used_nbytes;
#define MEMORY_NBYTES ((size_t)64 << 20)

static void add_job(int kind, uint32_t op, size_t in_nbytes, size_t out_nbytes, uint64_t generate_nbytes)
{
	struct job *job = &jobs[njobs++];
	unsigned char *in = memory + used_nbytes + njobs % 17;
	size_t i;

	used_nbytes += in_nbytes + 32;
	job->out = memory + used_nbytes + GUARD + njobs % 13;
	used_nbytes += out_nbytes + 2 * GUARD + 32;
	t_check(njobs <= NJOBS && used_nbytes <= MEMORY_NBYTES, "too many jobs");
	for (i = 0; i < in_nbytes; i++)
		in[i] = (unsigned char)(i * 31 + njobs + (i >> 7));
	if (kind == GENERATE)
		memcpy(in, &generate_nbytes, sizeof generate_nbytes);
	job->kind = kind;
	job->op = op;
	job->in = in;
	job->in_nbytes = in_nbytes;
	job->out_nbytes = out_nbytes;
}

static void add_jobs(const uint32_t *ops, size_t page_nbytes)
{
	const size_t sizes[] = {0, 1, 63, 64, 65, page_nbytes - 1, page_nbytes, page_nbytes + 1,
		2 * page_nbytes, 16383, 16384, 16385, 65535, 65536, 65537, 131072, 1 << 20};
	unsigned i;
	size_t n;

	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		n = sizes[i];
		add_job(COPY, ops[COPY], n, n, 0);
		add_job(COPY, ops[COPY], n, n + 100, 0);
		add_job(COPY, ops[COPY], n, n / 2, 0);
		add_job(COPY, ops[COPY], n, n ? n - 1 : 0, 0);
		add_job(GENERATE, ops[GENERATE], 8, n, n);
		add_job(GENERATE, ops[GENERATE], n % 2 ? 8 : 20000, n + 3, n);
		add_job(GENERATE, ops[GENERATE], 9, n, n + 1);
		add_job(EARLY, ops[EARLY], n, 8, 0);
		add_job(FAIL, ops[FAIL], n, 8, 0);
		add_job(SUM, ops[SUM], n, 8, 0);
	}
}

static void clear_jobs(void)
{
	unsigned i;

	for (i = 0; i < njobs; i++) {
		memset(jobs[i].out - GUARD, 0xee, jobs[i].out_nbytes + 2 * GUARD);
		jobs[i].status = 1;
		jobs[i].got_nbytes = 12345;
	}
}

static unsigned char expected_byte(const struct job *job, size_t i)
{
	return job->kind == COPY ? (unsigned char)(job->in[i] ^ 0x5a) : generated(i);
}

static void check_job(const struct job *job, const char *who)
{
	uint64_t word, expected = 0, reply_nbytes = 8;
	char what[120];
	size_t i;

	snprintf(what, sizeof what, "%s: %s, %zu bytes in, room for %zu: ", who, op_names[job->kind],
		job->in_nbytes, job->out_nbytes);
	for (i = 0; i < GUARD; i++)
		t_check(job->out[-1 - (long)i] == 0xee && job->out[job->out_nbytes + i] == 0xee,
			"%sbytes beyond the room", what);
	if (job->kind == FAIL) {
		t_check(job->status == -EIO, "%sexpected %d, got %d", what, -EIO, job->status);
		return;
	}
	if (job->kind == COPY)
		reply_nbytes = job->in_nbytes;
	else if (job->kind == GENERATE)
		memcpy(&reply_nbytes, job->in, sizeof reply_nbytes);
	if (reply_nbytes > job->out_nbytes) {
		t_check(job->status == -ENOSPC, "%sexpected %d, got %d", what, -ENOSPC, job->status);
		return;
	}
	t_check(job->status == 0 && job->got_nbytes == reply_nbytes, "%sstatus %d, %zu bytes", what,
		job->status, job->got_nbytes);
	if (job->kind == COPY || job->kind == GENERATE) {
		for (i = 0; i < reply_nbytes; i++)
			t_check(job->out[i] == expected_byte(job, i), "%sbyte %zu: expected %d, got %d", what,
				i, expected_byte(job, i), job->out[i]);
		for (; i < job->out_nbytes; i++)
			t_check(job->out[i] == 0xee, "%sbyte %zu behind the reply was written", what, i);
		return;
	}
	memcpy(&word, job->out, sizeof word);
	if (job->kind == EARLY) {
		t_check(word <= job->in_nbytes && (word || !job->in_nbytes), "%sfirst step of %llu bytes",
			what, (unsigned long long)word);
		return;
	}
	for (i = 0; i < job->in_nbytes; i++)
		expected = add_byte(expected, job->in[i]);
	t_check(word == expected, "%ssum: expected %llx, got %llx", what, (unsigned long long)expected,
		(unsigned long long)word);
}

static void check_jobs(const char *who)
{
	unsigned i;

	t_hip(hipStreamSynchronize(0));
	for (i = 0; i < njobs; i++)
		check_job(&jobs[i], who);
	t_check(nwrong == 0, "%s: %ld steps were not what they should be", who, (long)nwrong);
}

int main(void)
{
	const gshmemx_rpc_function_t functions[NOPS] = {copy, generate, early, fail, sum};
	int nlanes, device, round, k;
	uint32_t ops[NOPS], crowd_op;
	size_t got;

	t_equal(gshmem_init_thread(GSHMEM_THREAD_MULTIPLE, NULL), 0, "init");
	t_hip(hipGetDevice(&device));
	t_hip(hipDeviceGetAttribute(&nlanes, hipDeviceAttributeWarpSize, device));
	t_hip(hipHostMalloc((void **)&jobs, NJOBS * sizeof *jobs, 0));
	t_hip(hipHostMalloc((void **)&memory, MEMORY_NBYTES, 0));
	for (k = 0; k < NOPS; k++)
		t_equal(gshmemx_rpc_register(&ops[k], functions[k], NULL, GSHMEMX_RPC_STREAM), 0, "register");
	t_equal(gshmemx_rpc_register(&crowd_op, copy_in_crowd, NULL, GSHMEMX_RPC_STREAM), 0, "register");
	add_jobs(ops, (size_t)nlanes * 64);

	for (round = 0; round < 2; round++) {
		clear_jobs();
		hipLaunchKernelGGL(by_lanes, dim3((njobs + 63) / 64), dim3(64), 0, 0, jobs, njobs);
		check_jobs("lanes");
		clear_jobs();
		hipLaunchKernelGGL(by_waves, dim3(njobs), dim3(nlanes), 0, 0, jobs);
		check_jobs("waves");
		clear_jobs();
		by_threads(jobs, njobs);
		check_jobs("CPU threads");
	}
	got = 77;
	t_equal(gshmemx_rpc_stream(ops[COPY], NULL, 0, NULL, 0, &got), 0, "a stream of nothing");
	t_equal(got, 0, "its reply");
	t_equal(gshmemx_rpc_stream(crowd_op + 1, NULL, 0, NULL, 0, &got), -ENOSYS, "no such operation");

	njobs = 0;
	used_nbytes = 0;
	for (k = 0; k < NCROWD; k++)
		add_job(COPY, crowd_op, CROWD_NBYTES, CROWD_NBYTES, 0);
	clear_jobs();
	hipLaunchKernelGGL(by_lanes, dim3(NCROWD / 64), dim3(64), 0, 0, jobs, njobs);
	check_jobs("a crowd");
	t_check(nbegun == NCROWD && nover == NCROWD, "a crowd: %ld began, %ld ended", (long)nbegun,
		(long)nover);
	clear_jobs();
	/* kernels return a block of the arena by a post; now all are back, and a single stream gets one */
	gshmem_quiet();
	nby_page = 0;
	njobs = 1;
	hipLaunchKernelGGL(by_lanes, dim3(1), dim3(1), 0, 0, jobs, njobs);
	check_jobs("after the crowd");
	t_equal(nby_page, 0, "streams that had no block of the arena");
	gshmem_finalize();
	t_hip(hipHostFree(jobs));
	t_hip(hipHostFree(memory));
	return 0;
}
