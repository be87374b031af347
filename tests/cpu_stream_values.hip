/* SPDX-License-Identifier: BSD-3-Clause */
/* platform: cpu */
/* run: -n 2 */
/* env: GSHMEM_HEAP_SIZE=4m */
/* carry: no, it needs gshmem_ptr */
/* net: no, likewise */
/*
 * A stream waits for the value of a word, or writes one: each condition, with masks, in graphs, and between
 * PEs. hipStreamPerThread is a stream of each thread.
 */
#include <hip/hip_runtime.h>
#include <gshmem.h>
#include <gshmemx.h>
#include <pthread.h>

#include "helpers.h"

#define N 100

struct data {
	long from[N], to[N], sum;
	uint64_t flag;
};

static hipStream_t waiter, writer;

static void write32(uint32_t *word, uint32_t value)
{
	t_hip(hipStreamWriteValue32(writer, word, value, 0));
	t_hip(hipStreamSynchronize(writer));
}

/* The stream goes on when the word is `to`, and not before. */
static void check_wait(
	unsigned flags, uint32_t value, uint32_t mask, uint32_t before, uint32_t to, const char *what)
{
	uint32_t word = before;

	t_hip(hipStreamWaitValue32(waiter, &word, value, flags, mask));
	t_equal(hipStreamQuery(waiter), hipErrorNotReady, what);
	write32(&word, to);
	t_hip(hipStreamSynchronize(waiter));
}

static void check_conditions(void)
{
	check_wait(hipStreamWaitValueGte, 5, UINT32_MAX, 4, 6, "at least 5");
	check_wait(hipStreamWaitValueEq, 5, UINT32_MAX, 6, 5, "5");
	check_wait(hipStreamWaitValueEq, 5, 0xff, 0x104, 0x205, "5 in the lowest byte");
	check_wait(hipStreamWaitValueAnd, 6, UINT32_MAX, 9, 4, "a bit of 6");
	check_wait(hipStreamWaitValueNor, 6, 0xf, 9, 0xf0 | 1, "a bit of the mask that is 0 in both");
}

static void check_64(void)
{
	uint64_t word = 1;

	t_hip(hipStreamWaitValue64(waiter, &word, UINT64_C(1) << 40, hipStreamWaitValueGte));
	t_equal(hipStreamQuery(waiter), hipErrorNotReady, "64 bits");
	t_hip(hipStreamWriteValue64(writer, &word, UINT64_C(1) << 41, 0));
	t_hip(hipStreamSynchronize(waiter));
	t_equal(word, UINT64_C(1) << 41, "the word");
}

static void check_errors(void)
{
	uint64_t word = 0;

	t_equal(hipStreamWriteValue32(writer, NULL, 1, 0), hipErrorInvalidValue, "no word");
	t_equal(hipStreamWriteValue64(writer, (char *)&word + 4, 1, 0), hipErrorInvalidValue, "half a word");
	t_equal(hipStreamWaitValue32(writer, &word, 1, 4), hipErrorInvalidValue, "no condition");
	t_equal(hipStreamDestroy(hipStreamPerThread), hipErrorInvalidHandle, "the thread's own stream");
	(void)hipGetLastError();
}

static void check_graph(void)
{
	uint32_t word = 0;
	hipGraphExec_t exec;
	hipGraph_t graph;
	int i;

	t_hip(hipStreamBeginCapture(writer, hipStreamCaptureModeGlobal));
	t_hip(hipStreamWaitValue32(writer, &word, 1, hipStreamWaitValueEq));
	t_hip(hipStreamWriteValue32(writer, &word, 2, 0));
	t_hip(hipStreamEndCapture(writer, &graph));
	t_hip(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (i = 0; i < 2; i++) {
		t_hip(hipGraphLaunch(exec, writer));
		t_equal(word, 2 * i, "before the graph");
		t_hip(hipStreamWriteValue32(waiter, &word, 1, 0));
		t_hip(hipStreamSynchronize(writer));
		t_equal(word, 2, "the graph's write");
	}
	t_hip(hipGraphExecDestroy(exec));
	t_hip(hipGraphDestroy(graph));
}

/* Its stream waits until the main thread's stream writes. */
static void *wait_in_thread(void *word)
{
	t_hip(hipStreamWaitValue32(hipStreamPerThread, word, 1, hipStreamWaitValueEq));
	t_hip(hipStreamWriteValue32(hipStreamPerThread, (uint32_t *)word + 1, 1, 0));
	t_hip(hipStreamSynchronize(hipStreamPerThread));
	return NULL;
}

static void check_threads(void)
{
	uint32_t words[2] = {0, 0};
	pthread_t thread;

	t_equal(pthread_create(&thread, NULL, wait_in_thread, words), 0, "a thread");
	t_hip(hipStreamWriteValue32(hipStreamPerThread, &words[0], 1, 0));
	t_hip(hipStreamWaitValue32(hipStreamPerThread, &words[1], 1, hipStreamWaitValueEq));
	t_hip(hipStreamSynchronize(hipStreamPerThread));
	pthread_join(thread, NULL);
}

static __global__ void send(struct data *d)
{
	gshmemx_long_put_wg(d->to, d->from, N, 1);
	gshmemx_quiet_wg();
}

static __global__ void add(struct data *d)
{
	for (int i = 0; i < N; i++)
		d->sum += d->to[i];
}

static void check_pes(void)
{
	struct data *d = (struct data *)gshmem_calloc(1, sizeof *d);
	long from[N], sum;
	int i;

	for (i = 0; i < N; i++)
		from[i] = i;
	t_hip(hipMemcpy(d->from, from, sizeof from, hipMemcpyHostToDevice));
	gshmem_barrier_all();
	if (gshmem_my_pe() == 0) {
		hipLaunchKernelGGL(send, dim3(1), dim3(64), 0, writer, d);
		t_hip(hipStreamWriteValue64(writer, gshmem_ptr(&d->flag, 1), 1, 0));
		t_hip(hipStreamSynchronize(writer));
	} else {
		t_hip(hipStreamWaitValue64(waiter, &d->flag, 1, hipStreamWaitValueGte));
		hipLaunchKernelGGL(add, dim3(1), dim3(1), 0, waiter, d);
		t_hip(hipStreamSynchronize(waiter));
		t_hip(hipMemcpy(&sum, &d->sum, sizeof sum, hipMemcpyDeviceToHost));
		t_equal(sum, N * (N - 1) / 2, "the sum of what came");
	}
	gshmem_barrier_all();
	gshmem_free(d);
}

int main(void)
{
	gshmem_init();
	t_hip(hipStreamCreateWithFlags(&waiter, hipStreamNonBlocking));
	t_hip(hipStreamCreateWithFlags(&writer, hipStreamNonBlocking));
	check_conditions();
	check_64();
	check_errors();
	check_graph();
	check_threads();
	check_pes();
	t_hip(hipStreamDestroy(waiter));
	t_hip(hipStreamDestroy(writer));
	gshmem_finalize();
	return 0;
}
