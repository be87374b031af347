/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Captures: while a stream is capturing, what is queued in it goes into a graph instead (graph.c). Events
 * make other streams join a capture, and lead back from them. A call that HIP does not allow in a capture
 * makes it invalid, and the end of the capture reports that.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/*
 * The streams of a capture are numbered; the first is its origin. Each captured item is counted for its
 * stream, and each stream knows, for every stream, how many of its items come before what it captures next.
 * At the end the origin must come after all items.
 */
struct hipcpu_capture {
	_Atomic unsigned nrefs; /* one for each stream in it and each event recorded in it */
	hipStreamCaptureMode mode;
	pthread_t owner; /* the thread that began it */
	struct ihipStream_t *streams[HIPCPU_CAPTURE_STREAMS];
	unsigned nstreams;
	unsigned ncaptured[HIPCPU_CAPTURE_STREAMS];
	struct ihipGraph_t *graph;
	bool is_invalid;
	bool has_ended;
	struct hipcpu_capture *next; /* in the list of captures in progress */
};

/* Guards captures, what streams and events know of them, and graphs that are being captured. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hipcpu_capture *captures;
/* length of that list: with one load most calls know that nothing is being captured */
static _Atomic unsigned ncaptures;

/* ---- captures; called with the lock held unless said otherwise ---- */

static void capture_unref(struct hipcpu_capture *capture)
{
	if (atomic_fetch_sub(&capture->nrefs, 1) == 1)
		free(capture);
}

/* Makes a stream take part. False: there are too many. */
static bool join(struct hipcpu_capture *capture, struct ihipStream_t *s)
{
	if (capture->nstreams == HIPCPU_CAPTURE_STREAMS)
		return false;
	atomic_fetch_add(&capture->nrefs, 1);
	s->capture = capture;
	s->capture_number = capture->nstreams;
	memset(s->before, 0, sizeof(s->before));
	capture->streams[capture->nstreams++] = s;
	return true;
}

/* Makes what s captures next come after what before counts. */
static void follow(struct ihipStream_t *s, const unsigned *before)
{
	for (unsigned i = 0; i < HIPCPU_CAPTURE_STREAMS; i++)
		if (s->before[i] < before[i])
			s->before[i] = before[i];
}

static bool is_joined(const struct hipcpu_capture *capture)
{
	for (unsigned i = 0; i < capture->nstreams; i++)
		if (capture->streams[0]->before[i] < capture->ncaptured[i])
			return false;
	return true;
}

/* Its streams capture no more; its events keep referring to it. */
static void end_capture(struct hipcpu_capture *capture)
{
	const unsigned nstreams = capture->nstreams; /* the last unref may free the capture */
	struct hipcpu_capture **link = &captures;

	while (*link != capture)
		link = &(*link)->next;
	*link = capture->next;
	atomic_fetch_sub(&ncaptures, 1);
	capture->has_ended = true;
	for (unsigned i = 0; i < nstreams; i++) {
		capture->streams[i]->capture = NULL;
		capture_unref(capture);
	}
}

/* Without the lock, like all functions below. */

bool hipcpu_captures(struct ihipStream_t *s)
{
	bool is_capturing;

	if (!ncaptures)
		return false;
	pthread_mutex_lock(&lock);
	is_capturing = s->capture != NULL;
	pthread_mutex_unlock(&lock);
	return is_capturing;
}

/*
 * Whether a call would have to be ordered with what a capture only records: a call in the null stream, while
 * a blocking stream is capturing. Makes such captures invalid.
 */
static bool invalidate_implicit(struct ihipStream_t *s)
{
	bool found = false;

	if (s != hipcpu_device(s->device)->null)
		return false;
	for (struct hipcpu_capture *c = captures; c; c = c->next)
		for (unsigned i = 0; i < c->nstreams && c->mode != hipStreamCaptureModeRelaxed; i++)
			if (c->streams[i]->device == s->device &&
				!(c->streams[i]->flags & hipStreamNonBlocking))
				found = c->is_invalid = true;
	return found;
}

hipError_t hipcpu_capture_refuse(struct ihipStream_t *s)
{
	hipError_t err = hipSuccess;

	if (!ncaptures)
		return hipSuccess;
	pthread_mutex_lock(&lock);
	if (s->capture) {
		s->capture->is_invalid = true;
		err = hipErrorStreamCaptureUnsupported;
	} else if (invalidate_implicit(s)) {
		err = hipErrorStreamCaptureImplicit;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

/* Of the calling thread: relaxed exempts it, thread-local leaves it its own captures alone. */
static _Thread_local hipStreamCaptureMode thread_mode = hipStreamCaptureModeGlobal;

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode)
{
	const hipStreamCaptureMode before = thread_mode;

	HIPCPU_ENTER(hipThreadExchangeStreamCaptureMode);
	if (!mode || (unsigned)*mode > hipStreamCaptureModeRelaxed)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	thread_mode = *mode;
	*mode = before;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipcpu_capture_forbid(void)
{
	hipError_t err = hipSuccess;

	if (!ncaptures || thread_mode == hipStreamCaptureModeRelaxed)
		return hipSuccess;
	pthread_mutex_lock(&lock);
	for (struct hipcpu_capture *c = captures; c; c = c->next) {
		if (c->mode == hipStreamCaptureModeRelaxed ||
			((c->mode == hipStreamCaptureModeThreadLocal ||
				 thread_mode == hipStreamCaptureModeThreadLocal) &&
				!pthread_equal(c->owner, pthread_self())))
			continue;
		c->is_invalid = true;
		err = hipErrorStreamCaptureUnsupported;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

bool hipcpu_capture_take(struct ihipStream_t *s, struct hipcpu_item *item, hipError_t *err)
{
	struct hipcpu_capture *capture;
	bool taken = false;

	*err = hipSuccess;
	if (!ncaptures)
		return false;
	pthread_mutex_lock(&lock);
	capture = s->capture;
	if (!capture) {
		if (invalidate_implicit(s))
			*err = hipErrorStreamCaptureImplicit;
	} else if (capture->is_invalid) {
		*err = hipErrorStreamCaptureInvalidated;
	} else {
		hipcpu_graph_add(capture->graph, item);
		s->before[s->capture_number] = ++capture->ncaptured[s->capture_number];
		taken = true;
	}
	pthread_mutex_unlock(&lock);
	return taken;
}

/* ---- events ---- */

void hipcpu_capture_forget(struct hipcpu_captured *captured)
{
	if (!captured->capture)
		return;
	capture_unref(captured->capture);
	captured->capture = NULL;
}

bool hipcpu_capture_record(struct ihipStream_t *s, struct hipcpu_captured *captured)
{
	struct hipcpu_capture *capture = NULL;

	if (ncaptures) {
		pthread_mutex_lock(&lock);
		capture = s->capture;
		if (capture) {
			atomic_fetch_add(&capture->nrefs, 1);
			memcpy(captured->before, s->before, sizeof(captured->before));
		}
		pthread_mutex_unlock(&lock);
	}
	hipcpu_capture_forget(captured);
	captured->capture = capture;
	return capture != NULL;
}

bool hipcpu_capture_wait(struct ihipStream_t *s, const struct hipcpu_captured *captured, hipError_t *err)
{
	struct hipcpu_capture *capture = captured->capture;
	bool is_ours;

	*err = hipSuccess;
	if (!capture && !ncaptures)
		return false;
	pthread_mutex_lock(&lock);
	is_ours = capture || s->capture;
	if (!is_ours) {
		if (invalidate_implicit(s))
			*err = hipErrorStreamCaptureImplicit;
	} else if (!capture || capture->has_ended) {
		/* a capturing stream cannot wait for an event outside the capture */
		if (s->capture)
			s->capture->is_invalid = true;
		*err = capture ? hipErrorCapturedEvent : hipErrorStreamCaptureIsolation;
	} else if (s->capture && s->capture != capture) {
		s->capture->is_invalid = capture->is_invalid = true;
		*err = hipErrorStreamCaptureMerge;
	} else if (capture->is_invalid) {
		*err = hipErrorStreamCaptureInvalidated;
	} else if (s == hipcpu_device(s->device)->null || (!s->capture && !join(capture, s))) {
		capture->is_invalid = true;
		*err = hipErrorStreamCaptureUnsupported;
	} else {
		follow(s, captured->before);
	}
	pthread_mutex_unlock(&lock);
	return is_ours;
}

/* ---- API ---- */

static hipError_t begin(struct ihipStream_t *s, hipStreamCaptureMode mode)
{
	struct hipcpu_capture *capture;
	hipError_t err = hipErrorOutOfMemory;

	if ((unsigned)mode > hipStreamCaptureModeRelaxed)
		return hipErrorInvalidValue;
	if (s == hipcpu_device(s->device)->null)
		return hipErrorStreamCaptureUnsupported;
	capture = calloc(1, sizeof(*capture));
	if (!capture)
		return hipErrorOutOfMemory;
	capture->mode = mode;
	capture->owner = pthread_self();
	capture->graph = hipcpu_graph_new();
	pthread_mutex_lock(&lock);
	if (capture->graph)
		err = s->capture ? hipErrorIllegalState : hipSuccess;
	if (!err) {
		(void)join(capture, s);
		capture->next = captures;
		captures = capture;
		atomic_fetch_add(&ncaptures, 1);
	}
	pthread_mutex_unlock(&lock);
	if (err) {
		if (capture->graph)
			hipcpu_graph_unref(capture->graph);
		free(capture);
	}
	return err;
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
	struct ihipStream_t *s;

	HIPCPU_ENTER(hipStreamBeginCapture);
	s = hipcpu_stream(stream);
	HIPCPU_LEAVE(s ? begin(s, mode) : hipErrorInvalidHandle);
}

static hipError_t end(struct ihipStream_t *s, struct ihipGraph_t **graph)
{
	struct hipcpu_capture *capture;
	hipError_t err = hipSuccess;

	*graph = NULL;
	pthread_mutex_lock(&lock);
	capture = s->capture;
	if (!capture)
		err = hipErrorIllegalState;
	else if (capture->streams[0] != s)
		err = hipErrorStreamCaptureUnmatched;
	else if (capture->mode != hipStreamCaptureModeRelaxed &&
		!pthread_equal(capture->owner, pthread_self()))
		err = hipErrorStreamCaptureWrongThread;
	if (err) {
		pthread_mutex_unlock(&lock);
		return err;
	}
	if (capture->is_invalid)
		err = hipErrorStreamCaptureInvalidated;
	else if (!is_joined(capture))
		err = hipErrorStreamCaptureUnjoined;
	if (err)
		hipcpu_graph_unref(capture->graph);
	else
		*graph = capture->graph;
	end_capture(capture);
	pthread_mutex_unlock(&lock);
	return err;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph)
{
	struct ihipStream_t *s;

	HIPCPU_ENTER(hipStreamEndCapture);
	s = hipcpu_stream(stream);
	if (!s || !graph)
		HIPCPU_LEAVE(s ? hipErrorInvalidValue : hipErrorInvalidHandle);
	HIPCPU_LEAVE(end(s, graph));
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status)
{
	struct ihipStream_t *s;

	HIPCPU_ENTER(hipStreamIsCapturing);
	s = hipcpu_stream(stream);
	if (!s || !status)
		HIPCPU_LEAVE(s ? hipErrorInvalidValue : hipErrorInvalidHandle);
	*status = hipStreamCaptureStatusNone;
	pthread_mutex_lock(&lock);
	if (s->capture)
		*status = s->capture->is_invalid ? hipStreamCaptureStatusInvalidated
						 : hipStreamCaptureStatusActive;
	pthread_mutex_unlock(&lock);
	HIPCPU_LEAVE(hipSuccess);
}
