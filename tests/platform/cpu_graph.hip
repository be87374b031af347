/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs of the cpu platform: nothing runs while a stream captures, and each launch runs all work in order,
 * with the arguments of the captured calls. Events tie streams together. What HIP does not allow in a capture
 * returns HIP's errors and invalidates the capture.
 */
#include <hip/hip_runtime.h>
#include <pthread.h>

#include "helpers.h"

static hipStream_t stream, other;
static long *words; /* device memory */

__global__ static void add(long *to, const long *from, long more)
{
	*to += *from + more;
}

static void count(void *counter)
{
	++*(int *)counter;
}

static void callback(hipStream_t at, hipError_t status, void *counter)
{
	(void)at;
	(void)status;
	count(counter);
}

static hipStreamCaptureStatus status_of(hipStream_t s)
{
	hipStreamCaptureStatus status;

	t_hip(hipStreamIsCapturing(s, &status));
	return status;
}

static void expect(hipError_t got, hipError_t expected, const char *what)
{
	t_check(got == expected, "%s: expected %s, got %s", what, hipGetErrorName(expected),
		hipGetErrorName(got));
	(void)hipGetLastError();
}

static void expect_words(long a, long b, const char *what)
{
	long got[2];

	t_hip(hipStreamSynchronize(stream));
	t_hip(hipMemcpy(got, words, sizeof got, hipMemcpyDefault));
	t_check(got[0] == a && got[1] == b, "%s: expected %ld and %ld, got %ld and %ld", what, a, b, got[0],
		got[1]);
}

/* words[0] becomes 2 * words[0] + 1 each time; words[1] is what it was, and 10. */
static hipGraph_t capture_step(hipEvent_t fork, hipEvent_t join, int *ncalls)
{
	hipGraph_t graph;

	t_hip(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	t_equal(status_of(stream), hipStreamCaptureStatusActive, "a stream that captures");
	t_equal(status_of(other), hipStreamCaptureStatusNone, "a stream that does not");
	t_hip(hipEventRecord(fork, stream));
	t_hip(hipStreamWaitEvent(other, fork, 0));
	t_equal(status_of(other), hipStreamCaptureStatusActive, "a stream that an event has drawn in");
	t_hip(hipMemcpyAsync(&words[1], &words[0], sizeof *words, hipMemcpyDefault, other));
	t_hip(hipEventRecord(join, other));
	t_hip(hipStreamWaitEvent(stream, join, 0));
	hipLaunchKernelGGL(add, dim3(1), dim3(1), 0, stream, &words[0], &words[1], 1L);
	hipLaunchKernelGGL(add, dim3(1), dim3(1), 0, stream, &words[1], &words[2], 10L);
	t_hip(hipLaunchHostFunc(stream, count, ncalls));
	expect(hipEventQuery(join), hipErrorCapturedEvent, "hipEventQuery of an event of the capture");
	t_hip(hipStreamEndCapture(stream, &graph));
	t_equal(status_of(other), hipStreamCaptureStatusNone, "a stream of a capture that has ended");
	return graph;
}

static void check_launches(void)
{
	hipEvent_t fork, join;
	hipGraphExec_t exec, outer;
	hipGraph_t graph;
	int ncalls = 0;

	t_hip(hipEventCreate(&fork));
	t_hip(hipEventCreate(&join));
	t_hip(hipMemset(words, 0, 3 * sizeof *words));
	graph = capture_step(fork, join, &ncalls);
	expect_words(0, 0, "nothing has run");
	t_hip(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	t_hip(hipGraphDestroy(graph));
	for (int i = 0; i < 3; i++)
		t_hip(hipGraphLaunch(exec, i == 1 ? other : stream)); /* launches of one graph take turns */
	t_hip(hipStreamSynchronize(other));
	expect_words(7, 13, "three launches");
	/* A graph in a graph; and the event can be used with streams again. */
	t_hip(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
	t_hip(hipGraphLaunch(exec, stream));
	t_hip(hipGraphLaunch(exec, stream));
	t_hip(hipStreamEndCapture(stream, &graph));
	t_hip(hipGraphExecDestroy(exec));
	t_hip(hipGraphInstantiate(&outer, graph, NULL, NULL, 0));
	t_hip(hipGraphDestroy(graph));
	t_hip(hipGraphLaunch(outer, stream));
	t_hip(hipGraphExecDestroy(outer)); /* what is queued still runs */
	t_hip(hipEventRecord(join, stream));
	t_hip(hipEventSynchronize(join));
	expect_words(31, 25, "a graph in a graph");
	t_equal(ncalls, 5, "calls of the function");
	t_hip(hipEventDestroy(fork));
	t_hip(hipEventDestroy(join));
}

/* In a capture of this mode the call returns this error, and the end reports an invalid capture. */
#define EXPECT_INVALID(MODE, CALL, ERROR) \
	do { \
		hipGraph_t graph_; \
\
		t_hip(hipStreamBeginCapture(stream, hipStreamCaptureMode##MODE)); \
		expect(CALL, ERROR, #CALL " in a capture"); \
		t_equal(status_of(stream), hipStreamCaptureStatusInvalidated, "the capture after " #CALL); \
		expect(hipMemsetAsync(words, 0, 8, stream), hipErrorStreamCaptureInvalidated, \
			"a call in an invalid capture"); \
		expect(hipStreamEndCapture(stream, &graph_), hipErrorStreamCaptureInvalidated, \
			"the end of an invalid capture"); \
		t_check(!graph_ && status_of(stream) == hipStreamCaptureStatusNone, \
			"an invalid capture leaves something"); \
	} while (0)

static void *allocate(void *error)
{
	void *ptr;

	*(hipError_t *)error = hipMalloc(&ptr, 64);
	if (*(hipError_t *)error == hipSuccess)
		t_hip(hipFree(ptr));
	return NULL;
}

static hipError_t allocate_elsewhere(void)
{
	hipError_t error;
	pthread_t thread;

	t_equal(pthread_create(&thread, NULL, allocate, &error), 0, "pthread_create");
	pthread_join(thread, NULL);
	return error;
}

static void check_errors(void)
{
	hipEvent_t event, outside;
	hipStream_t blocking;
	hipGraph_t graph;
	int ncalls = 0;
	void *ptr;

	t_hip(hipEventCreate(&event));
	t_hip(hipEventCreate(&outside));
	t_hip(hipEventRecord(outside, other));
	EXPECT_INVALID(Global, hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
	EXPECT_INVALID(Relaxed, hipStreamQuery(stream), hipErrorStreamCaptureUnsupported);
	EXPECT_INVALID(Relaxed, hipStreamAddCallback(stream, callback, &ncalls, 0),
		hipErrorStreamCaptureUnsupported);
	EXPECT_INVALID(Global, hipMalloc(&ptr, 64), hipErrorStreamCaptureUnsupported);
	EXPECT_INVALID(Global, allocate_elsewhere(), hipErrorStreamCaptureUnsupported);
	EXPECT_INVALID(ThreadLocal, hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
	EXPECT_INVALID(Global, hipStreamWaitEvent(stream, outside, 0), hipErrorStreamCaptureIsolation);
	t_hip(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
	expect(allocate_elsewhere(), hipSuccess, "another thread's hipMalloc");
	expect(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipErrorIllegalState,
		"a second capture");
	t_hip(hipEventRecord(event, stream));
	t_hip(hipStreamWaitEvent(other, event, 0));
	t_hip(hipMemsetAsync(words, 0, 8, other));
	expect(hipStreamEndCapture(other, &graph), hipErrorStreamCaptureUnmatched,
		"the end in another stream");
	expect(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureUnjoined,
		"a stream that is not joined");
	expect(hipStreamEndCapture(stream, &graph), hipErrorIllegalState, "the end of no capture");
	expect(hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported,
		"the null stream");
	t_hip(hipStreamCreate(&blocking));
	t_hip(hipStreamBeginCapture(blocking, hipStreamCaptureModeGlobal));
	expect(hipMemsetAsync(words, 0, 8, NULL), hipErrorStreamCaptureImplicit,
		"the null stream beside a blocking one");
	expect(hipStreamEndCapture(blocking, &graph), hipErrorStreamCaptureInvalidated, "the end after that");
	t_hip(hipStreamDestroy(blocking));
	t_equal(ncalls, 0, "callbacks");
	t_hip(hipEventDestroy(event));
	t_hip(hipEventDestroy(outside));
}

int main(void)
{
	t_hip(hipMalloc((void **)&words, 3 * sizeof *words));
	t_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	t_hip(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
	check_launches();
	check_errors();
	check_launches(); /* as if nothing had happened */
	t_hip(hipStreamDestroy(stream));
	t_hip(hipStreamDestroy(other));
	t_hip(hipFree(words));
	return 0;
}
