/* SPDX-License-Identifier: BSD-3-Clause */
/* Events. Each record creates a mark; to wait for an event is to wait for the mark of its last record. */
#include <stdlib.h>

#include "fiber.h"
#include "runtime.h"

struct mark {
	/* one for the event, one for the item that reaches it, and one for each item that waits for it */
	_Atomic unsigned nrefs;
	_Atomic bool stamped; /* the work queued before it is done; reached follows at once */
	_Atomic bool reached;
	uint64_t time_ns; /* valid once stamped */
	struct hipcpu_gate gate;
};

struct ihipEvent_t {
	unsigned flags;
	pthread_mutex_t lock;
	struct mark *mark;               /* of the last record; NULL before the first */
	struct hipcpu_captured captured; /* the last record was in a capture */
};

struct mark_op {
	struct hipcpu_item item;
	struct mark *mark;
};

static void mark_unref(struct mark *mark)
{
	if (mark && atomic_fetch_sub(&mark->nrefs, 1) == 1)
		free(mark);
}

/* Returns a reference to the mark of the last record, or NULL. */
static struct mark *current_mark(hipEvent_t event)
{
	struct mark *mark;

	pthread_mutex_lock(&event->lock);
	mark = event->mark;
	if (mark)
		atomic_fetch_add(&mark->nrefs, 1);
	pthread_mutex_unlock(&event->lock);
	return mark;
}

/* An event recorded in a capture cannot be waited for. */
static bool is_captured(hipEvent_t event)
{
	bool captured;

	pthread_mutex_lock(&event->lock);
	captured = event->captured.capture != NULL;
	pthread_mutex_unlock(&event->lock);
	return captured;
}

static void stamp(struct mark *mark)
{
	mark->time_ns = hipcpu_now_ns();
	/* pairs with the acquire in is_reached */
	atomic_store_explicit(&mark->stamped, true, memory_order_release);
}

static void reach(struct mark *mark)
{
	FIBER_RELEASE(mark);
	hipcpu_race_release(mark);
	atomic_store_explicit(&mark->reached, true, memory_order_release);
	hipcpu_gate_open(&mark->gate);
}

static void wait_mark(struct mark *mark)
{
	for (;;) {
		uint32_t seen = atomic_load_explicit(&mark->gate.value, memory_order_acquire);

		/* acquire: pairs with the release in reach */
		if (atomic_load_explicit(&mark->reached, memory_order_acquire)) {
			FIBER_ACQUIRE(mark);
			hipcpu_race_acquire_mark(mark);
			return;
		}
		hipcpu_gate_wait(&mark->gate, seen, -1);
	}
}

/*
 * Whether the mark is reached. A stream may be complete a moment before its mark is reached, but then whoever
 * has waited for the stream must not find the mark open; so if it is stamped this waits.
 */
static bool is_reached(struct mark *mark)
{
	if (!atomic_load_explicit(&mark->stamped, memory_order_acquire))
		return false;
	wait_mark(mark);
	return true;
}

static void run_stamp(struct hipcpu_item *item)
{
	stamp(((struct mark_op *)item)->mark);
}

/* Not earlier: whoever has waited for the event must not find its stream busy. */
static void done_reach(struct hipcpu_item *item)
{
	struct mark *mark = ((struct mark_op *)item)->mark;

	reach(mark);
	mark_unref(mark);
}

static void run_wait(struct hipcpu_item *item)
{
	struct mark *mark = ((struct mark_op *)item)->mark;

	wait_mark(mark);
	mark_unref(mark);
}

/* Takes over the caller's reference to mark. */
static hipError_t submit_mark(struct ihipStream_t *s, struct mark *mark, void (*run)(struct hipcpu_item *),
	void (*done)(struct hipcpu_item *))
{
	struct mark_op *m = malloc(sizeof(*m));
	hipError_t err = hipErrorOutOfMemory;

	if (m) {
		*m = (struct mark_op){.item.run = run, .item.done = done, .mark = mark};
		err = hipcpu_stream_submit(s, &m->item);
	}
	if (err)
		mark_unref(mark);
	return err;
}

static hipError_t create(hipEvent_t *event, unsigned flags)
{
	struct ihipEvent_t *e;

	if (!event ||
		(flags &
			~(hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
				hipEventReleaseToDevice | hipEventReleaseToSystem)))
		return hipErrorInvalidValue;
	if (flags & hipEventInterprocess)
		return hipErrorNotSupported;
	e = calloc(1, sizeof(*e));
	if (!e)
		return hipErrorOutOfMemory;
	e->flags = flags;
	pthread_mutex_init(&e->lock, NULL);
	*event = e;
	return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t *event)
{
	HIPCPU_ENTER(hipEventCreate);
	HIPCPU_LEAVE(create(event, hipEventDefault));
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
	HIPCPU_ENTER(hipEventCreateWithFlags);
	HIPCPU_LEAVE(create(event, flags));
}

hipError_t hipEventDestroy(hipEvent_t event)
{
	HIPCPU_ENTER(hipEventDestroy);
	if (!event)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	mark_unref(event->mark);
	hipcpu_capture_forget(&event->captured);
	pthread_mutex_destroy(&event->lock);
	free(event);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
	struct ihipStream_t *s;
	struct mark *mark, *old;
	bool is_recorded;

	HIPCPU_ENTER(hipEventRecord);
	s = hipcpu_stream(stream);
	if (!event || !s)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	pthread_mutex_lock(&event->lock);
	is_recorded = hipcpu_capture_record(s, &event->captured);
	pthread_mutex_unlock(&event->lock);
	if (is_recorded)
		HIPCPU_LEAVE(hipSuccess);
	mark = calloc(1, sizeof(*mark));
	if (!mark)
		HIPCPU_LEAVE(hipErrorOutOfMemory);
	mark->nrefs = 2;
	pthread_mutex_lock(&event->lock);
	old = event->mark;
	event->mark = mark;
	pthread_mutex_unlock(&event->lock);
	mark_unref(old);
	if (!hipcpu_stream_idle(s))
		HIPCPU_LEAVE(submit_mark(s, mark, run_stamp, done_reach));
	stamp(mark);
	reach(mark); /* nothing to wait for, so the stream's thread is not needed */
	mark_unref(mark);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags)
{
	struct ihipStream_t *s;
	struct mark *mark;
	bool is_recorded;
	hipError_t err;

	HIPCPU_ENTER(hipStreamWaitEvent);
	s = hipcpu_stream(stream);
	if (!event || !s)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	if (flags)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	pthread_mutex_lock(&event->lock);
	is_recorded = hipcpu_capture_wait(s, &event->captured, &err);
	pthread_mutex_unlock(&event->lock);
	if (is_recorded || err)
		HIPCPU_LEAVE(err);
	mark = current_mark(event);
	if (mark && !atomic_load_explicit(&mark->reached, memory_order_acquire))
		HIPCPU_LEAVE(submit_mark(s, mark, run_wait, NULL));
	mark_unref(mark);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipEventQuery(hipEvent_t event)
{
	struct mark *mark;
	bool reached;

	HIPCPU_ENTER(hipEventQuery);
	if (!event)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	if (is_captured(event))
		HIPCPU_LEAVE(hipErrorCapturedEvent);
	mark = current_mark(event);
	reached = !mark || is_reached(mark);
	mark_unref(mark);
	HIPCPU_LEAVE(reached ? hipSuccess : hipErrorNotReady);
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
	struct mark *mark;

	HIPCPU_ENTER(hipEventSynchronize);
	if (!event)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	if (is_captured(event))
		HIPCPU_LEAVE(hipErrorCapturedEvent);
	mark = current_mark(event);
	if (mark)
		wait_mark(mark);
	mark_unref(mark);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop)
{
	struct mark *first, *second;
	hipError_t err = hipErrorInvalidHandle;

	HIPCPU_ENTER(hipEventElapsedTime);
	if (!ms)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (start && stop && (is_captured(start) || is_captured(stop)))
		HIPCPU_LEAVE(hipErrorCapturedEvent);
	if (!start || !stop || ((start->flags | stop->flags) & hipEventDisableTiming))
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	first = current_mark(start);
	second = current_mark(stop);
	if (first && second) {
		err = hipErrorNotReady;
		if (is_reached(first) && is_reached(second)) {
			*ms = (float)((double)(int64_t)(second->time_ns - first->time_ns) * 1e-6);
			err = hipSuccess;
		}
	}
	mark_unref(first);
	mark_unref(second);
	HIPCPU_LEAVE(err);
}
