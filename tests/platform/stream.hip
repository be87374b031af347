/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1 */
/* rocm: no, HIP 5.2 waits for the stream in an asynchronous copy between host memories */
/* A stream is in order and asynchronous; events and the null stream order streams among each other. */
#include <hip/hip_runtime.h>
#include <time.h>

#include "../helpers.h"

static void nap(void *arg)
{
	struct timespec t = {0, 20000000};

	nanosleep(&t, NULL);
	if (arg)
		__atomic_fetch_add((int *)arg, 1, __ATOMIC_RELEASE);
}

__global__ void count(int *counter)
{
	atomicAdd(counter, 1);
}

__global__ void append(int *log, int what)
{
	log[++log[0]] = what;
}

/* Debian's HIP 5.2 declares hipLaunchHostFunc but does not have it. */
#if defined(__HIP_PLATFORM_AMD__) && HIP_VERSION < 50300000
struct host_call {
	void (*func)(void *);
	void *arg;
};

static void run_host_call(hipStream_t, hipError_t, void *data)
{
	struct host_call *call = (struct host_call *)data;

	call->func(call->arg);
	delete call;
}

static hipError_t call_host(hipStream_t stream, void (*func)(void *), void *arg)
{
	return hipStreamAddCallback(stream, run_host_call, new host_call{func, arg}, 0);
}
#else
#define call_host hipLaunchHostFunc
#endif

static void append_host(void *arg)
{
	int *log = (int *)arg;

	log[++log[0]] = 7;
}

static void callback(hipStream_t, hipError_t status, void *arg)
{
	*(int *)arg = status == hipSuccess;
}

int main()
{
	hipStream_t a, b, free_running;
	hipEvent_t begin, end;
	int *log, naps = 0, called = 0;
	float ms;

	t_hip(hipStreamCreate(&a));
	t_hip(hipStreamCreateWithFlags(&b, hipStreamDefault));
	t_hip(hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking));
	t_hip(hipEventCreate(&begin));
	t_hip(hipEventCreate(&end));
	t_hip(hipMallocManaged(&log, 4096));
	t_hip(hipMemset(log, 0, 4096));

	/* one stream, all kinds of work, in order */
	int five = 5;
	t_hip(hipEventRecord(begin, a));
	t_hip(call_host(a, nap, &naps));
	hipLaunchKernelGGL(append, 1, 1, 0, a, log, 1);
	t_hip(call_host(a, append_host, log));
	t_hip(hipMemcpyAsync(&log[100], &log[2], sizeof(int), hipMemcpyDefault, a));
	hipLaunchKernelGGL(append, 1, 1, 0, a, log, 2);
	t_hip(hipMemsetAsync(&log[101], 1, sizeof(int), a));
	t_hip(hipEventRecord(end, a));
	t_equal(hipStreamQuery(a), hipErrorNotReady, "a busy stream");
	t_equal(hipEventQuery(end), hipErrorNotReady, "an event to come");
	t_equal(hipGetLastError(), hipSuccess, "not ready is no error");
	t_hip(hipEventSynchronize(end));
	t_hip(hipStreamQuery(a));
	t_check(log[0] == 3 && log[1] == 1 && log[2] == 7 && log[3] == 2 && log[100] == 7 &&
			log[101] == 0x01010101,
		"order in a stream: %d: %d %d %d %d", log[0], log[1], log[2], log[3], log[100]);
	t_hip(hipEventElapsedTime(&ms, begin, end));
	t_check(ms >= 19 && ms < 60000, "elapsed %f ms", ms);

	/* after a wait for the stream its events have been reached */
	for (int i = 0; i < 1000; i++) {
		t_hip(hipEventRecord(begin, a));
		t_hip(hipMemsetAsync(&log[100], i, sizeof(int), a));
		t_hip(hipEventRecord(end, a));
		t_hip(hipStreamSynchronize(a));
		t_hip(hipEventElapsedTime(&ms, begin, end));
		t_hip(hipEventQuery(end));
	}

	/* an event holds back another stream */
	t_hip(hipMemset(log, 0, 4096));
	t_hip(call_host(a, nap, NULL));
	hipLaunchKernelGGL(append, 1, 1, 0, a, log, 1);
	t_hip(hipEventRecord(end, a));
	t_hip(hipStreamWaitEvent(free_running, end, 0));
	hipLaunchKernelGGL(append, 1, 1, 0, free_running, log, 2);
	t_hip(hipStreamSynchronize(free_running));
	t_check(log[0] == 2 && log[1] == 1, "hipStreamWaitEvent");

	/*
	 * the null stream runs after both, and before later work, but does not affect a non-blocking stream
	 */
	t_hip(hipMemset(log, 0, 4096));
	t_hip(call_host(a, nap, NULL));
	hipLaunchKernelGGL(append, 1, 1, 0, a, log, 1);
	hipLaunchKernelGGL(append, 1, 1, 0, 0, log, 2);
	hipLaunchKernelGGL(append, 1, 1, 0, b, log, 3);
	t_hip(hipStreamSynchronize(b));
	t_check(log[0] == 3 && log[1] == 1 && log[2] == 2 && log[3] == 3, "null stream");
	t_hip(call_host(free_running, nap, &naps));
	hipLaunchKernelGGL(append, 1, 1, 0, 0, log, 4);
	t_hip(hipStreamSynchronize(0));
	t_equal(__atomic_load_n(&naps, __ATOMIC_ACQUIRE), 1, "a non-blocking stream was waited for");
	t_hip(hipDeviceSynchronize());
	t_equal(naps, 2, "hipDeviceSynchronize");

	/* a copy waits for the streams */
	t_hip(call_host(a, nap, NULL));
	hipLaunchKernelGGL(append, 1, 1, 0, a, log, 5);
	t_hip(hipMemcpy(&five, &log[5], sizeof(int), hipMemcpyDeviceToHost));
	t_equal(five, 5, "hipMemcpy after a stream");

	/* work outlives the handle */
	t_hip(call_host(b, nap, &naps));
	t_hip(hipStreamAddCallback(b, callback, &called, 0));
	t_hip(hipStreamDestroy(b));
	t_hip(hipDeviceSynchronize());
	t_check(naps == 3 && called, "work in a destroyed stream");
	for (int i = 0; i < 200; i++) {
		t_hip(hipStreamCreate(&b));
		hipLaunchKernelGGL(count, 1, 1, 0, b, log); /* side by side with the others */
		t_hip(hipStreamDestroy(b));
	}
	t_hip(hipDeviceSynchronize());
	t_equal(log[0], 205, "200 streams");
	return 0;
}
