/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams: in-order queues, each with a thread that is created when something is first queued. The null
 * stream is ordered with all blocking streams of its device: what is queued in it depends on everything
 * queued in them before, and vice versa.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "fiber.h"
#include "runtime.h"

#define STREAM_MAGIC UINT32_C(0x5354524d)

/* Wait until stream has completed seq items. Holds a reference on the stream. */
struct hipcpu_dep {
	struct hipcpu_dep *next;
	struct ihipStream_t *stream;
	uint64_t seq;
};

bool hipcpu_thread_start(void *(*thread_main)(void *), void *arg)
{
	sigset_t all, old;
	pthread_t thread;
	bool was_open;
	int err;

	/* signals go to the program's threads, except those that a thread causes itself */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGTRAP);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	was_open = hipcpu_access_close(); /* because a new thread inherits access */
	err = pthread_create(&thread, NULL, thread_main, arg);
	hipcpu_access_restore(was_open);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err) {
		/* src/bootstrap/leaving.c knows by it that the thread is not the program's */
		pthread_setname_np(thread, "libgshmem");
		pthread_detach(thread);
	}
	return !err;
}

struct ihipStream_t *hipcpu_stream_new(int device, unsigned flags, int priority)
{
	struct ihipStream_t *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->magic = STREAM_MAGIC;
	s->device = device;
	s->flags = flags;
	s->priority = priority;
	s->tail = &s->head;
	s->nrefs = 1;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void stream_unref(struct ihipStream_t *s)
{
	struct hipcpu_device *device = hipcpu_device(s->device);

	if (atomic_fetch_sub(&s->nrefs, 1) != 1)
		return;
	/* drain_others takes references under this lock, and only on streams that still have one */
	pthread_mutex_lock(&device->lock);
	if (s->link) {
		*s->link = s->next;
		if (s->next)
			s->next->link = s->link;
	}
	pthread_mutex_unlock(&device->lock);
	pthread_mutex_destroy(&s->lock);
	hipcpu_race_forget(&s->completed);
	s->magic = 0;
	free(s);
}

/* Takes a reference, unless the last one is already gone. */
static bool stream_ref(struct ihipStream_t *s)
{
	unsigned n = s->nrefs;

	while (n && !atomic_compare_exchange_weak(&s->nrefs, &n, n + 1))
		;
	return n != 0;
}

/* The calling thread's own, one for each device. */
static pthread_key_t own_key;
static bool has_own_key;

static void close_stream(struct ihipStream_t *s);
static hipError_t create(hipStream_t *stream, unsigned flags, int priority);

static void close_own(void *own)
{
	hipStream_t *const streams = own;
	int i;

	for (i = 0; i < hipcpu_config()->ndevices; i++)
		if (streams[i])
			close_stream(streams[i]);
	free(streams);
}

static void make_own_key(void)
{
	has_own_key = !pthread_key_create(&own_key, close_own);
}

static struct ihipStream_t *own_stream(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const int device = hipcpu_current_device();
	hipStream_t *streams;

	pthread_once(&once, make_own_key);
	if (!has_own_key || !hipcpu_device(device))
		return NULL;
	streams = pthread_getspecific(own_key);
	if (!streams) {
		streams = calloc((size_t)hipcpu_config()->ndevices, sizeof(*streams));
		if (!streams || pthread_setspecific(own_key, streams)) {
			free(streams);
			return NULL;
		}
	}
	if (!streams[device])
		(void)create(&streams[device], hipStreamDefault, 0);
	return streams[device];
}

struct ihipStream_t *hipcpu_stream(hipStream_t handle)
{
	if (handle == hipStreamPerThread)
		return own_stream();
	if (!handle || handle == hipStreamLegacy) {
		struct hipcpu_device *device = hipcpu_device(hipcpu_current_device());

		return device ? device->null : NULL;
	}
	return handle->magic == STREAM_MAGIC ? handle : NULL;
}

/* The caller has seen that the stream has completed what it waits for. */
static void saw_completed(struct ihipStream_t *s)
{
	FIBER_ACQUIRE(&s->completed);
	hipcpu_race_acquire_mark(&s->completed);
}

static void wait_completed(struct ihipStream_t *s, uint64_t seq)
{
	for (;;) {
		/*
		 * acquire: pairs with the release in stream_main; before the test, so that no
		 * change is missed
		 */
		uint32_t seen = atomic_load_explicit(&s->done.value, memory_order_acquire);

		if (atomic_load_explicit(&s->completed, memory_order_acquire) >= seq) {
			saw_completed(s);
			return;
		}
		hipcpu_gate_wait(&s->done, seen, -1);
	}
}

static uint64_t submitted(struct ihipStream_t *s)
{
	uint64_t seq;

	pthread_mutex_lock(&s->lock);
	seq = s->submitted;
	pthread_mutex_unlock(&s->lock);
	return seq;
}

/* ---- dependencies ---- */

static bool add_dep(struct hipcpu_dep **deps, struct ihipStream_t *s)
{
	uint64_t seq = submitted(s);
	struct hipcpu_dep *dep;

	if (s->completed >= seq || !stream_ref(s)) {
		saw_completed(s);
		return true;
	}
	dep = malloc(sizeof(*dep));
	if (!dep) {
		stream_unref(s);
		return false;
	}
	*dep = (struct hipcpu_dep){.next = *deps, .stream = s, .seq = seq};
	*deps = dep;
	return true;
}

/* Collects what an item queued into s now must wait for outside s. Called with the device's lock held. */
static bool collect_deps(struct hipcpu_device *device, struct ihipStream_t *s, struct hipcpu_dep **deps)
{
	if (s->flags & hipStreamNonBlocking)
		return true;
	if (s != device->null)
		return add_dep(deps, device->null);
	for (struct ihipStream_t *other = device->streams; other; other = other->next)
		if (!(other->flags & hipStreamNonBlocking) && !add_dep(deps, other))
			return false;
	return true;
}

static void wait_deps(struct hipcpu_dep *deps)
{
	while (deps) {
		struct hipcpu_dep *next = deps->next;

		wait_completed(deps->stream, deps->seq);
		stream_unref(deps->stream);
		free(deps);
		deps = next;
	}
}

/* ---- the dispatcher ---- */

/* Returns the next item, or NULL when the stream is closed and empty. */
static struct hipcpu_item *take_item(struct ihipStream_t *s)
{
	for (;;) {
		uint32_t seen = atomic_load_explicit(&s->work.value, memory_order_acquire);
		struct hipcpu_item *item;
		bool closed;

		pthread_mutex_lock(&s->lock);
		item = s->head;
		if (item) {
			s->head = item->next;
			if (!s->head)
				s->tail = &s->head;
		}
		closed = s->closed;
		pthread_mutex_unlock(&s->lock);
		if (item || closed)
			return item;
		hipcpu_worker_wait(&s->work, seen);
	}
}

static void *stream_main(void *arg)
{
	struct ihipStream_t *s = arg;
	struct hipcpu_item *item;

	hipcpu_race_runtime();
	while ((item = take_item(s)) != NULL) {
		wait_deps(item->deps);
		hipcpu_race_acquire_mark(item);
		hipcpu_race_forget(item);
		item->run(item);
		/*
		 * before the item counts as completed: it runs code of the program, which may unload
		 * that code afterwards
		 */
		if (item->drop)
			item->drop(item);
		FIBER_RELEASE(&s->completed);
		hipcpu_race_release(&s->completed);
		/* release: what the item wrote is visible after wait_completed */
		atomic_fetch_add_explicit(&s->completed, 1, memory_order_release);
		hipcpu_gate_open(&s->done);
		if (item->done)
			item->done(item);
		free(item);
	}
	hipcpu_worker_leave();
	stream_unref(s);
	return NULL;
}

hipError_t hipcpu_stream_submit(struct ihipStream_t *s, struct hipcpu_item *item)
{
	struct hipcpu_device *device = hipcpu_device(s->device);
	hipError_t err;

	hipcpu_device_use(s->device);
	if (hipcpu_capture_take(s, item, &err))
		return hipSuccess;
	item->next = NULL;
	item->deps = NULL;
	pthread_mutex_lock(&device->lock); /* two streams must agree on which was first */
	if (!err && !collect_deps(device, s, &item->deps))
		err = hipErrorOutOfMemory;
	pthread_mutex_lock(&s->lock);
	if (!s->has_thread && !err) {
		atomic_fetch_add(&s->nrefs, 1);
		s->has_thread = hipcpu_thread_start(stream_main, s);
		if (!s->has_thread) {
			atomic_fetch_sub(&s->nrefs, 1);
			err = hipErrorOperatingSystem; /* too many threads, most often */
		}
	}
	if (!err) {
		if (item->renew)
			item->renew(item);
		hipcpu_race_release(item);
		*s->tail = item;
		s->tail = &item->next;
		s->submitted++;
	}
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&device->lock);
	if (!err) {
		hipcpu_gate_open(&s->work);
		return hipSuccess;
	}
	wait_deps(item->deps);
	if (item->drop)
		item->drop(item);
	free(item);
	return err;
}

/* ---- waiting ---- */

/* Waits for the streams of a device; without all, only for those that are ordered with the null stream. */
static void drain_others(struct hipcpu_device *device, bool all)
{
	struct hipcpu_dep *deps = NULL;
	bool ok = true;

	pthread_mutex_lock(&device->lock);
	for (struct ihipStream_t *s = device->streams; s && ok; s = s->next)
		if (all || !(s->flags & hipStreamNonBlocking))
			ok = add_dep(&deps, s);
	pthread_mutex_unlock(&device->lock);
	wait_deps(deps);
	if (!ok) {
		hipcpu_message("out of memory while waiting for a device");
		abort();
	}
}

void hipcpu_stream_drain(struct ihipStream_t *s)
{
	struct hipcpu_device *device = hipcpu_device(s->device);

	wait_completed(s, submitted(s));
	if (s == device->null)
		drain_others(device, false);
}

void hipcpu_device_drain(int number)
{
	struct hipcpu_device *device = hipcpu_device(number);

	if (!device)
		return;
	wait_completed(device->null, submitted(device->null));
	drain_others(device, true);
}

bool hipcpu_stream_idle(struct ihipStream_t *s)
{
	struct hipcpu_device *device = hipcpu_device(s->device);
	bool idle = atomic_load_explicit(&s->completed, memory_order_acquire) >= submitted(s);

	if (idle)
		saw_completed(s);
	if (s != device->null)
		return idle;
	pthread_mutex_lock(&device->lock);
	for (struct ihipStream_t *other = device->streams; other && idle; other = other->next)
		if (!(other->flags & hipStreamNonBlocking)) {
			idle = other->completed >= submitted(other);
			if (idle)
				saw_completed(other);
		}
	pthread_mutex_unlock(&device->lock);
	return idle;
}

/* ---- API ---- */

static hipError_t create(hipStream_t *stream, unsigned flags, int priority)
{
	struct hipcpu_device *device = hipcpu_device(hipcpu_current_device());
	struct ihipStream_t *s;

	if (!stream || (flags & ~(unsigned)hipStreamNonBlocking))
		return hipErrorInvalidValue;
	if (!device)
		return hipErrorNoDevice;
	s = hipcpu_stream_new(hipcpu_current_device(), flags, priority);
	if (!s)
		return hipErrorOutOfMemory;
	hipcpu_device_use(s->device);
	pthread_mutex_lock(&device->lock);
	s->next = device->streams;
	s->link = &device->streams;
	if (s->next)
		s->next->link = &s->next;
	device->streams = s;
	pthread_mutex_unlock(&device->lock);
	*stream = s;
	return hipSuccess;
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
	HIPCPU_ENTER(hipStreamCreate);
	HIPCPU_LEAVE(create(stream, hipStreamDefault, 0));
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags)
{
	HIPCPU_ENTER(hipStreamCreateWithFlags);
	HIPCPU_LEAVE(create(stream, flags, 0));
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority)
{
	HIPCPU_ENTER(hipStreamCreateWithPriority);
	HIPCPU_LEAVE(create(stream, flags, priority));
}

/* Queued work still runs; the dispatcher drops the last reference. */
static void close_stream(struct ihipStream_t *s)
{
	pthread_mutex_lock(&s->lock);
	s->closed = true;
	pthread_mutex_unlock(&s->lock);
	hipcpu_gate_open(&s->work);
	stream_unref(s);
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
	struct ihipStream_t *s;

	HIPCPU_ENTER(hipStreamDestroy);
	s = hipcpu_stream(stream);
	if (!s || stream == hipStreamPerThread || s == hipcpu_device(s->device)->null)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	if (hipcpu_captures(s))
		HIPCPU_LEAVE(hipcpu_capture_refuse(s));
	close_stream(s);
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
	struct ihipStream_t *s;
	hipError_t err;

	HIPCPU_ENTER(hipStreamSynchronize);
	s = hipcpu_stream(stream);
	if (!s)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	err = hipcpu_capture_refuse(s);
	if (!err)
		hipcpu_stream_drain(s);
	HIPCPU_LEAVE(err);
}

hipError_t hipStreamQuery(hipStream_t stream)
{
	struct ihipStream_t *s;
	hipError_t err;

	HIPCPU_ENTER(hipStreamQuery);
	s = hipcpu_stream(stream);
	if (!s)
		HIPCPU_LEAVE(hipErrorInvalidHandle);
	err = hipcpu_capture_refuse(s);
	if (!err)
		err = hipcpu_stream_idle(s) ? hipSuccess : hipErrorNotReady;
	HIPCPU_LEAVE(err);
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags)
{
	struct ihipStream_t *s;

	HIPCPU_ENTER(hipStreamGetFlags);
	s = hipcpu_stream(stream);
	if (!s || !flags)
		HIPCPU_LEAVE(s ? hipErrorInvalidValue : hipErrorInvalidHandle);
	*flags = s->flags;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority)
{
	struct ihipStream_t *s;

	HIPCPU_ENTER(hipStreamGetPriority);
	s = hipcpu_stream(stream);
	if (!s || !priority)
		HIPCPU_LEAVE(s ? hipErrorInvalidValue : hipErrorInvalidHandle);
	*priority = s->priority;
	HIPCPU_LEAVE(hipSuccess);
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device)
{
	struct ihipStream_t *s;

	HIPCPU_ENTER(hipStreamGetDevice);
	s = hipcpu_stream(stream);
	if (!s || !device)
		HIPCPU_LEAVE(s ? hipErrorInvalidValue : hipErrorInvalidHandle);
	*device = s->device;
	HIPCPU_LEAVE(hipSuccess);
}

struct call_op {
	struct hipcpu_item item;
	hipHostFn_t fn;
	hipStreamCallback_t callback;
	hipStream_t stream;
	void *arg;
};

static void run_call(struct hipcpu_item *item)
{
	struct call_op *call = (struct call_op *)item;

	if (call->fn)
		call->fn(call->arg);
	else
		call->callback(call->stream, hipSuccess, call->arg);
}

static hipError_t submit_call(hipStream_t stream, hipHostFn_t fn, hipStreamCallback_t callback, void *arg)
{
	struct ihipStream_t *s = hipcpu_stream(stream);
	struct call_op *call;

	if (!s)
		return hipErrorInvalidHandle;
	if (!fn && !callback)
		return hipErrorInvalidValue;
	if (callback && hipcpu_captures(s)) /* newer HIP does not capture callbacks */
		return hipcpu_capture_refuse(s);
	call = malloc(sizeof(*call));
	if (!call)
		return hipErrorOutOfMemory;
	*call = (struct call_op){.item = {.run = run_call, .nbytes = sizeof(*call)},
		.fn = fn,
		.callback = callback,
		.stream = stream,
		.arg = arg};
	return hipcpu_stream_submit(s, &call->item);
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *arg)
{
	HIPCPU_ENTER(hipLaunchHostFunc);
	HIPCPU_LEAVE(submit_call(stream, fn, NULL, arg));
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t fn, void *arg, unsigned flags)
{
	HIPCPU_ENTER(hipStreamAddCallback);
	if (flags)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	HIPCPU_LEAVE(submit_call(stream, NULL, fn, arg));
}
