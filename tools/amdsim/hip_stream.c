/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams and events. A stream is a queue of work and a thread that runs it. Tickets number the work of all
 * streams: waiting for a stream or an event means waiting until all work up to a ticket is done.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hip.h"

#define LEAST_PRIORITY    1 /* ROCm's range */
#define GREATEST_PRIORITY (-1)

struct work {
	stream_work *run;           /* NULL: nothing */
	struct ihipEvent_t *event;  /* the event that this records, or NULL */
	const struct stream *after; /* this waits for that stream's work up to after_ticket; NULL: for none */
	uint64_t after_ticket, ticket;
	struct work *next;
	_Alignas(16) char arg[];
};

struct stream {
	struct stream *next;
	int device;
	unsigned flags;
	bool is_null, quits;
	struct work *first, **last_p;
	uint64_t tail; /* ticket of the last work submitted */
};

struct ihipEvent_t {
	int device;
	unsigned flags, nrecords;    /* nrecords: not done yet */
	const struct stream *stream; /* of the last record; it may no longer exist; NULL: not recorded */
	uint64_t ticket;
	double ms; /* the time */
};

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* work is new, done, or failed; a stream ends */
static struct stream *streams;                            /* including the null streams */
static uint64_t ntickets;
static bool failed; /* a kernel trapped or faulted: the process is about to end */
static _Thread_local const struct stream *own_stream;

/* ---- order ---- */

/*
 * Which work is meant: a stream's, with work that is ordered with it, or its device's. A stream that no
 * longer exists has none.
 */
enum reach { STREAM, ORDERED, DEVICE };

/* Blocking streams and the null stream wait for each other's earlier work. */
static bool concerns(const struct stream *s, enum reach reach, const struct stream *o)
{
	if (o == s || reach == STREAM)
		return o == s;
	if (reach == ORDERED)
		return s->device == o->device && !((s->flags | o->flags) & hipStreamNonBlocking) &&
			(s->is_null || o->is_null);
	return o != own_stream && o->device == s->device;
}

static bool is_over(const struct stream *s, enum reach reach, uint64_t ticket)
{
	for (const struct stream *o = streams; o; o = o->next)
		if (o->first && o->first->ticket <= ticket && concerns(s, reach, o))
			return false;
	return true;
}

static hipError_t wait(const struct stream *s, enum reach reach, uint64_t ticket, bool only_looks)
{
	while (!failed && !is_over(s, reach, ticket)) {
		if (only_looks)
			return hipErrorNotReady;
		pthread_cond_wait(&changed, &arena_lock);
	}
	return failed ? hipErrorLaunchFailure : hipSuccess;
}

/* ---- streams ---- */

/* Work stays first in the queue until it is done. */
static void run_first(struct stream *s)
{
	struct work *w = s->first;
	struct timespec now;

	pthread_mutex_unlock(&arena_lock);
	if (w->run)
		w->run(w->arg);
	pthread_mutex_lock(&arena_lock);
	if (w->event) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		w->event->ms = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
		w->event->nrecords--;
	}
	s->first = w->next;
	if (!s->first)
		s->last_p = &s->first;
	pthread_cond_broadcast(&changed);
	free(w);
}

static void *serve(void *arg)
{
	struct stream *s = arg;

	own_stream = s;
	device_current = s->device;
	pthread_mutex_lock(&arena_lock);
	while (!s->quits) {
		const struct work *w = s->first;

		if (w && !failed && is_over(s, ORDERED, w->ticket - 1) &&
			is_over(w->after, STREAM, w->after_ticket))
			run_first(s);
		else
			pthread_cond_wait(&changed, &arena_lock);
	}
	pthread_mutex_unlock(&arena_lock);
	free(s);
	return NULL;
}

static struct stream *create(int device, unsigned flags, bool is_null)
{
	struct stream *s = zalloc(sizeof(*s));
	pthread_t thread;

	*s = (struct stream){
		streams, .device = device, .flags = flags, .is_null = is_null, .last_p = &s->first};
	device_used[device] = true;
	if (pthread_create(&thread, NULL, serve, s) || pthread_detach(thread))
		die("no thread for a stream");
	return streams = s;
}

/* NULL: no such stream, or no device. */
static struct stream *find(hipStream_t handle)
{
	struct stream *s = streams;

	while (s && (handle ? s != (void *)handle : !s->is_null || s->device != device_current))
		s = s->next;
	return s || handle || device_check(device_current) ? s : create(device_current, 0, true);
}

static hipError_t submit(
	hipStream_t stream, const struct work *what, const void *arg, size_t nbytes, bool async)
{
	struct stream *s = arena_is_forked() ? NULL : find(stream);
	struct work *w;

	if (!s || failed)
		return s ? hipErrorLaunchFailure : hipErrorContextIsDestroyed;
	if (what->event && what->event->device != s->device)
		return hipErrorInvalidHandle;
	w = zalloc(sizeof(*w) + nbytes);
	*w = *what;
	w->ticket = s->tail = ++ntickets;
	memcpy(w->arg, arg, nbytes);
	if (w->event) {
		w->event->nrecords++;
		w->event->stream = s;
		w->event->ticket = w->ticket;
	}
	*s->last_p = w;
	s->last_p = &w->next;
	pthread_cond_broadcast(&changed);
	return async ? hipSuccess : wait(s, STREAM, s->tail, false);
}

/* ---- what other files use ---- */

int stream_device(hipStream_t stream)
{
	const struct stream *s = find(stream);

	return s ? s->device : -1;
}

hipError_t stream_submit(hipStream_t stream, stream_work *run, const void *arg, size_t nbytes, bool async)
{
	return submit(stream, &(struct work){.run = run}, arg, nbytes, async);
}

hipError_t stream_drain(int device)
{
	return wait(&(struct stream){.device = device}, DEVICE, ntickets, false);
}

void stream_abort(int device, const char *kernel, bool trapped)
{
	pthread_mutex_lock(&arena_lock);
	failed = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&arena_lock);
	sleep(1);
	message("device %d: %s in kernel %s ends the process, as with ROCm", device,
		trapped ? "an exception (HSA_STATUS_ERROR_EXCEPTION)" : "a memory access fault", kernel);
	abort();
}

/* ---- HIP's streams ---- */

static hipError_t put_stream(hipStream_t *stream_p, unsigned flags)
{
	hipError_t error = device_check(device_current);

	if (!stream_p || (flags & ~(unsigned)hipStreamNonBlocking) || error)
		return error ? error : hipErrorInvalidValue;
	*stream_p = (hipStream_t)(void *)create(device_current, flags, false);
	return hipSuccess;
}

/* The null stream's work comes after work of blocking streams. */
static hipError_t wait_stream(hipStream_t stream, bool only_looks)
{
	const struct stream *s = find(stream);

	if (!s)
		return hipErrorContextIsDestroyed;
	return wait(s, s->is_null ? ORDERED : STREAM, s->is_null ? ntickets : s->tail, only_looks);
}

/* As in ROCm, destroying a stream waits for its work. */
static hipError_t destroy(hipStream_t stream)
{
	hipError_t error = stream ? wait_stream(stream, false) : hipErrorInvalidHandle;
	struct stream *s = error ? NULL : find(stream), **at = &streams;

	if (error)
		return error;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->quits = true;
	pthread_cond_broadcast(&changed);
	return hipSuccess;
}

struct call {
	hipStream_t stream;
	hipStreamCallback_t function;
	void *data;
};

static void run_call(void *arg)
{
	const struct call *c = arg;

	c->function(c->stream, hipSuccess, c->data);
}

ENTRY(hipStreamCreate, (hipStream_t * stream), put_stream(stream, hipStreamDefault))
ENTRY(hipStreamCreateWithFlags, (hipStream_t * stream, unsigned flags), put_stream(stream, flags))
/* Priorities have no effect. */
ENTRY(hipStreamCreateWithPriority, (hipStream_t * stream, unsigned flags, int priority),
	((void)priority, put_stream(stream, flags)))
ENTRY(hipStreamDestroy, (hipStream_t stream), destroy(stream))
ENTRY(hipStreamSynchronize, (hipStream_t stream), wait_stream(stream, false))
ENTRY(hipStreamQuery, (hipStream_t stream), wait_stream(stream, true))
/* Streams cannot capture. */
ENTRY(hipStreamIsCapturing, (hipStream_t stream, hipStreamCaptureStatus *status_p),
	!status_p ? hipErrorInvalidValue : ((void)stream, *status_p = hipStreamCaptureStatusNone, hipSuccess))
ENTRY(hipThreadExchangeStreamCaptureMode, (hipStreamCaptureMode * mode),
	!mode ? hipErrorInvalidValue : (*mode = hipStreamCaptureModeGlobal, hipSuccess))
ENTRY(hipDeviceGetStreamPriorityRange, (int *least, int *greatest),
	(*least = LEAST_PRIORITY, *greatest = GREATEST_PRIORITY, hipSuccess))
ENTRY(hipStreamAddCallback, (hipStream_t stream, hipStreamCallback_t function, void *data, unsigned flags),
	flags || !function ? hipErrorInvalidValue
			   : stream_submit(stream, run_call, &(struct call){stream, function, data},
				     sizeof(struct call), true))

/* ---- events ---- */

static hipError_t put_event(hipEvent_t *event_p, unsigned flags)
{
	const unsigned scopes = hipEventReleaseToDevice | hipEventReleaseToSystem;
	const unsigned known = hipEventBlockingSync | hipEventDisableTiming | scopes;

	if (!event_p || (flags & ~known) || (flags & scopes) == scopes)
		return hipErrorInvalidValue;
	*event_p = zalloc(sizeof(**event_p));
	(*event_p)->device = device_current;
	(*event_p)->flags = flags;
	return hipSuccess;
}

/* An event that is still to be recorded stays. */
static hipError_t destroy_event(hipEvent_t event)
{
	if (event && !event->nrecords)
		free(event);
	return event ? hipSuccess : hipErrorInvalidHandle;
}

static hipError_t wait_event(const struct ihipEvent_t *event, bool only_looks)
{
	return event ? wait(event->stream, STREAM, event->ticket, only_looks) : hipErrorInvalidHandle;
}

static hipError_t put_elapsed(float *ms, const struct ihipEvent_t *start, const struct ihipEvent_t *stop)
{
	if (!ms)
		return hipErrorInvalidValue;
	if (!start || !stop || !start->stream || !stop->stream ||
		((start->flags | stop->flags) & hipEventDisableTiming))
		return hipErrorInvalidHandle;
	*ms = (float)(stop->ms - start->ms);
	return wait_event(start, true) ? wait_event(start, true) : wait_event(stop, true);
}

ENTRY(hipEventCreate, (hipEvent_t * event), put_event(event, hipEventDefault))
ENTRY(hipEventCreateWithFlags, (hipEvent_t * event, unsigned flags), put_event(event, flags))
ENTRY(hipEventDestroy, (hipEvent_t event), destroy_event(event))
ENTRY(hipEventRecord, (hipEvent_t event, hipStream_t stream),
	!event ? hipErrorInvalidHandle : submit(stream, &(struct work){.event = event}, "", 0, true))
ENTRY(hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags),
	!event ? hipErrorInvalidHandle
		: flags
		? hipErrorInvalidValue
		: submit(stream, &(struct work){.after = event->stream, .after_ticket = event->ticket}, "", 0,
			  true))
ENTRY(hipEventSynchronize, (hipEvent_t event), wait_event(event, false))
ENTRY(hipEventQuery, (hipEvent_t event), wait_event(event, true))
ENTRY(hipEventElapsedTime, (float *ms, hipEvent_t start, hipEvent_t stop), put_elapsed(ms, start, stop))
