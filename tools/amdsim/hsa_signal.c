/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals: atomic values, waits for them, and handlers that a thread calls when a value meets a condition. A
 * store wakes the waiters of all signals, and these look at theirs again; kernels do not wake any. A store to
 * a doorbell rings its queue instead.
 *
 * Whoever changes a value finds the handlers that it meets. Their thread must not look for them, because HIP
 * gives a signal its next use, and value, as soon as it has seen that the last use is over.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "hsa.h"

enum { SLAB_SIGNALS = 1024 };

struct handler {
	struct handler *next;
	hsa_signal_t signal;
	hsa_signal_condition_t condition;
	hsa_signal_value_t compare, value; /* value: that met the condition */
	hsa_amd_signal_handler call;
	void *arg;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* some value; with CLOCK_MONOTONIC */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned nwaiters;       /* and handlers; changed before a waiter looks at its value */
static amd_signal_t *unused;    /* linked by reserved2 */
static struct handler *waiting; /* handlers */
static struct handler *ready, **last_ready = &ready; /* those to be called */

/* ---- creation ---- */

static void init(void)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attributes);
}

static void add_unused(amd_signal_t *s)
{
	s->reserved2 = (uintptr_t)unused;
	unused = s;
}

/* Signals are never unmapped: HIP reads the times of signals that it has destroyed. */
static amd_signal_t *take_unused(void)
{
	amd_signal_t *s;

	pthread_mutex_lock(&lock);
	if (!unused) {
		s = host_alloc(SLAB_SIGNALS * sizeof(*s));
		for (unsigned k = 0; k < SLAB_SIGNALS; k++)
			add_unused(&s[k]);
	}
	s = unused;
	unused = (amd_signal_t *)(uintptr_t)s->reserved2;
	pthread_mutex_unlock(&lock);
	return s;
}

/* Any agent may wait for any signal. */
hsa_status_t hsa_signal_create(
	hsa_signal_value_t value, uint32_t nconsumers, const hsa_agent_t *consumers, hsa_signal_t *signal_p)
{
	amd_signal_t *s;

	if (!signal_p || (nconsumers && !consumers))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_once(&once, init);
	s = take_unused();
	memset(s, 0, sizeof(*s));
	s->kind = AMD_SIGNAL_KIND_USER;
	s->value = value;
	signal_p->handle = (uintptr_t)s;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, uint32_t nconsumers,
	const hsa_agent_t *consumers, uint64_t attributes, hsa_signal_t *signal_p)
{
	if (attributes & HSA_AMD_SIGNAL_IPC) {
		message("hsa_amd_signal_create: the simulator has no signals between processes");
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	return hsa_signal_create(value, nconsumers, consumers, signal_p);
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal)
{
	if (!signal.handle)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&lock);
	add_unused(signal_of(signal));
	pthread_mutex_unlock(&lock);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t **value_p)
{
	if (!signal.handle || !value_p)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	*value_p = &signal_of(signal)->value;
	return HSA_STATUS_SUCCESS;
}

/* ---- values; all orders are as strong as the strongest ---- */

static hsa_signal_value_t load(hsa_signal_t signal)
{
	return __atomic_load_n(&signal_of(signal)->value, __ATOMIC_SEQ_CST);
}

bool signal_meets(hsa_signal_value_t value, hsa_signal_condition32_t condition, hsa_signal_value_t compare)
{
	switch (condition) {
	case HSA_SIGNAL_CONDITION_EQ:
		return value == compare;
	case HSA_SIGNAL_CONDITION_NE:
		return value != compare;
	case HSA_SIGNAL_CONDITION_LT:
		return value < compare;
	default:
		return value >= compare;
	}
}

/* Moves the handlers that a new value meets to those that are ready, under the lock. */
static void find_ready(hsa_signal_t signal, hsa_signal_value_t value)
{
	for (struct handler **at = &waiting, *h; (h = *at) != NULL;) {
		if (h->signal.handle != signal.handle || !signal_meets(value, h->condition, h->compare)) {
			at = &h->next;
			continue;
		}
		*at = h->next;
		h->next = NULL;
		h->value = value;
		*last_ready = h;
		last_ready = &h->next;
	}
}

/* Called after a change to value. Pairs with await: either it sees the value, or this sees the waiter. */
static void wake(hsa_signal_t signal, hsa_signal_value_t value)
{
	const amd_signal_t *s = signal_of(signal);

	if (s->kind == AMD_SIGNAL_KIND_DOORBELL) {
		queue_ring(s->queue_ptr);
	} else if (__atomic_load_n(&nwaiters, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&lock);
		find_ready(signal, value);
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
}

hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal)
{
	return load(signal);
}

/* Wakes nobody. */
void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	__atomic_store_n(&signal_of(signal)->value, value, __ATOMIC_SEQ_CST);
}

void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	hsa_signal_silent_store_relaxed(signal, value);
	wake(signal, value);
}

void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value)
{
	hsa_signal_store_relaxed(signal, value);
}

void hsa_signal_add_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	wake(signal, __atomic_add_fetch(&signal_of(signal)->value, value, __ATOMIC_SEQ_CST));
}

void hsa_signal_subtract_relaxed(hsa_signal_t signal, hsa_signal_value_t value)
{
	hsa_signal_add_relaxed(signal, -value);
}

void signal_complete(hsa_signal_t signal, uint64_t begin)
{
	if (!signal.handle)
		return;
	signal_of(signal)->start_ts = begin;
	signal_of(signal)->end_ts = timestamp();
	hsa_signal_subtract_relaxed(signal, 1);
}

/* ---- waits ---- */

/* end: a timestamp. Returns the value that met the condition, or the last one before the end. */
static hsa_signal_value_t await(hsa_signal_t signal, hsa_signal_value_t mask,
	hsa_signal_condition32_t condition, hsa_signal_value_t compare, uint64_t end)
{
	struct timespec until = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
	hsa_signal_value_t value = load(signal);
	int rc = 0;

	if (signal_meets(value & mask, condition, compare))
		return value;
	pthread_mutex_lock(&lock);
	__atomic_fetch_add(&nwaiters, 1, __ATOMIC_SEQ_CST);
	while (value = load(signal), !signal_meets(value & mask, condition, compare) && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&changed, &lock, &until);
	__atomic_fetch_sub(&nwaiters, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&lock);
	return value;
}

void signal_await(hsa_signal_t signal, hsa_signal_value_t mask, hsa_signal_condition32_t condition,
	hsa_signal_value_t compare)
{
	if (signal.handle)
		await(signal, mask, condition, compare, INT64_MAX);
}

static bool any_is_zero(const hsa_signal_t *signals, unsigned n, bool *exists_p)
{
	*exists_p = false;
	for (unsigned k = 0; k < n; k++) {
		*exists_p = *exists_p || signals[k].handle;
		if (signals[k].handle && !load(signals[k]))
			return true;
	}
	return false;
}

void signal_await_any(const hsa_signal_t *signals, unsigned n)
{
	bool exists;

	pthread_mutex_lock(&lock);
	__atomic_fetch_add(&nwaiters, 1, __ATOMIC_SEQ_CST);
	while (!any_is_zero(signals, n, &exists) && exists)
		pthread_cond_wait(&changed, &lock);
	__atomic_fetch_sub(&nwaiters, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&lock);
}

hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
	hsa_signal_value_t compare, uint64_t timeout, hsa_wait_state_t how)
{
	uint64_t now = timestamp();

	(void)how;
	return await(signal, -1, condition, compare, timeout > INT64_MAX - now ? INT64_MAX : now + timeout);
}

/* ---- handlers ---- */

/* The signal may meet the condition already. */
static void add_handler(struct handler *h)
{
	__atomic_fetch_add(&nwaiters, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&lock);
	h->next = waiting;
	waiting = h;
	find_ready(h->signal, load(h->signal));
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static struct handler *take_ready(void)
{
	struct handler *h;

	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	h = ready;
	ready = h->next;
	last_ready = ready ? last_ready : &ready;
	pthread_mutex_unlock(&lock);
	__atomic_fetch_sub(&nwaiters, 1, __ATOMIC_SEQ_CST);
	return h;
}

/* A handler that returns true stays. */
static void *call_handlers(void *arg)
{
	(void)arg;
	for (;;) {
		struct handler *h = take_ready();

		if (h->call(h->value, h->arg))
			add_handler(h);
		else
			free(h);
	}
	return NULL;
}

static void start_handlers(void)
{
	start_thread(call_handlers, NULL);
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t condition,
	hsa_signal_value_t compare, hsa_amd_signal_handler call, void *arg)
{
	static pthread_once_t started = PTHREAD_ONCE_INIT;
	struct handler *h;

	if (!signal.handle || !call)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	h = zalloc(sizeof(*h));
	*h = (struct handler){NULL, signal, condition, compare, 0, call, arg};
	pthread_once(&started, start_handlers);
	add_handler(h);
	return HSA_STATUS_SUCCESS;
}
