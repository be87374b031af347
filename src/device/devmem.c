/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and launches for the host, on streams of the library: see device/devmem.h. */
#include "base/scale.h"
#include "device/devmem.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "device/kernels.h"

/* A stream, and the event used to wait for what is on it. lock guards all of it. */
struct queue {
	pthread_mutex_t lock;
	hipStream_t stream;
	hipEvent_t event;
	bool is_open; /* something has been queued since the last wait */
};

/*
 * Host-pinned memory between the caller's values and the streams. Stores use the ring's words one after the
 * other; they are free again once the stream has been waited for.
 */
#define RING_NWORDS 512
struct staging {
	uint64_t ring[RING_NWORDS][2];
	unsigned char landing[GSHMEMI_DEVMEM_LOAD]; /* where loads arrive */
	uint64_t result;                            /* the old value of an atomic */
};

static struct queue copies = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, false};
static struct queue kernels = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, false};
static struct staging *staging;
static unsigned ring_next; /* how many words of the ring are in use; guarded by copies.lock */
static hipStream_t spare;  /* kept from the last collective for the next one; guarded by kernels.lock */
static int device = -1;    /* the device of the streams */

/* ---- errors ---- */

/*
 * When a kernel has trapped, its device context is gone and every later call fails. The reason is in the
 * fault record, and the watcher prints it and ends the process: sleep, to give it the time.
 */
static void yield_to_watcher(void)
{
	if (gshmemi_state.fault && __atomic_load_n(&gshmemi_state.fault->state, __ATOMIC_ACQUIRE))
		sleep(2);
}

/* remedy, too, may be NULL: there is no advice. */
static int report_advise(hipError_t error, const char *remedy, const char *what, const char *action)
{
	if (error == hipSuccess)
		return 0;
	if (!what) {
		gshmemi_hip_ignore(error, action);
		return -EIO;
	}
	yield_to_watcher();
	return gshmemi_hip_advise(error, remedy, "%s: %s", what, action);
}

static int report_error(hipError_t error, const char *what, const char *action)
{
	return report_advise(error, NULL, what, action);
}

/* ---- queues ---- */

struct gshmemi_devmem_caller gshmemi_devmem_enter(void)
{
	struct gshmemi_devmem_caller caller = {device, hipStreamCaptureModeRelaxed};

	if (hipGetDevice(&caller.device) == hipSuccess && caller.device != device)
		(void)hipSetDevice(device);
	(void)hipThreadExchangeStreamCaptureMode(&caller.mode);
	return caller;
}

void gshmemi_devmem_leave(struct gshmemi_devmem_caller caller)
{
	(void)hipThreadExchangeStreamCaptureMode(&caller.mode);
	if (caller.device != device)
		(void)hipSetDevice(caller.device);
}

static struct gshmemi_devmem_caller enter_queue(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	return gshmemi_devmem_enter();
}

static void leave_queue(struct queue *queue, struct gshmemi_devmem_caller previous)
{
	gshmemi_devmem_leave(previous);
	pthread_mutex_unlock(&queue->lock);
}

bool gshmemi_devmem_is_known(hipError_t error)
{
	if (error != hipSuccess)
		(void)hipGetLastError();
	return error == hipSuccess;
}

/*
 * Memory of the host that HIP knows has an address for the host. hipHostGetFlags would not tell: in HIP 5.2
 * it succeeds for device memory, and from 5.3 on it fails for registered memory.
 */
bool gshmemi_devmem_is_pinned(const void *address)
{
	void *host;

	return gshmemi_devmem_is_known(hipPointerGetAttribute(
		&host, HIP_POINTER_ATTRIBUTE_HOST_POINTER, (hipDeviceptr_t)(uintptr_t)address));
}

/* hipErrorNotReady is not an error, and must not stay behind as the program's last error. */
bool gshmemi_devmem_is_reached(hipEvent_t event, hipError_t *error_p)
{
	*error_p = hipEventQuery(event);
	if (*error_p != hipErrorNotReady)
		return true;
	if (hipPeekAtLastError() == hipErrorNotReady)
		(void)hipGetLastError();
	return false;
}

#define SPIN_NS 20000 /* about what it takes to be woken by a device */

/* Polls for as long as sleeping and waking up would take, then sleeps. */
static hipError_t await_event(hipEvent_t event)
{
	const uint64_t end_ns = gshmemi_arch_clock_ns() + SPIN_NS;
	hipError_t error;

	while (!gshmemi_devmem_is_reached(event, &error)) {
		if (gshmemi_arch_clock_ns() >= end_ns)
			return hipEventSynchronize(event); /* it is a blocking event */
		gshmemi_thread_yield();
	}
	return error;
}

/* Waits until everything queued has arrived, for every agent of the system. */
static int await_queue(struct queue *queue, const char *what)
{
	int rc;

	if (!queue->is_open)
		return 0;
	rc = report_error(hipEventRecord(queue->event, queue->stream), what, "hipEventRecord");
	if (!rc)
		rc = report_error(await_event(queue->event), what, "hipEventSynchronize");
	if (rc)
		return rc;
	queue->is_open = false;
	if (queue == &copies)
		ring_next = 0;
	return 0;
}

/*
 * AMD's runtime has some hardware queues for each priority, and what stands behind a kernel in one queue
 * waits for it. So the streams have another priority than most of the program's, and those whose kernels wait
 * for other PEs another one than the rest.
 */
int gshmemi_devmem_open_stream(hipStream_t *stream_p, bool waits, const char *what)
{
	int least, greatest, rc;

	rc = report_error(
		hipDeviceGetStreamPriorityRange(&least, &greatest), what, "hipDeviceGetStreamPriorityRange");
	return rc ? rc
		  : report_error(hipStreamCreateWithPriority(
					 stream_p, hipStreamNonBlocking, waits ? least : greatest),
			    what, "hipStreamCreateWithPriority");
}

static int open_queue(struct queue *queue)
{
	int rc;

	rc = gshmemi_devmem_open_stream(&queue->stream, false, "init");
	if (!rc)
		rc = report_error(
			hipEventCreateWithFlags(&queue->event, hipEventBlockingSync | hipEventDisableTiming),
			"init", "hipEventCreateWithFlags");
	queue->is_open = false;
	return rc;
}

void gshmemi_devmem_close_stream(hipStream_t *stream_p, hipEvent_t *event_p)
{
	if (*event_p)
		gshmemi_hip_ignore(hipEventDestroy(*event_p), "hipEventDestroy");
	if (*stream_p)
		gshmemi_hip_ignore(hipStreamDestroy(*stream_p), "hipStreamDestroy");
	*event_p = NULL;
	*stream_p = NULL;
}

int gshmemi_devmem_open(void)
{
	void *ptr;
	int rc;

	rc = report_error(hipGetDevice(&device), "init", "hipGetDevice");
	if (!rc)
		rc = open_queue(&copies);
	if (!rc)
		rc = open_queue(&kernels);
	if (!rc)
		rc = gshmemi_host_allocate(sizeof *staging, "staging of host calls", &ptr);
	if (rc) {
		gshmemi_devmem_close();
		return rc;
	}
	staging = ptr;
	ring_next = 0;
	return 0;
}

void gshmemi_devmem_close(void)
{
	gshmemi_devmem_close_stream(&copies.stream, &copies.event);
	gshmemi_devmem_close_stream(&kernels.stream, &kernels.event);
	if (spare)
		gshmemi_hip_ignore(hipStreamDestroy(spare), "hipStreamDestroy");
	spare = NULL;
	gshmemi_host_free(staging);
	staging = NULL;
}

void gshmemi_devmem_scale(struct gshmemi_scale *scale)
{
	gshmemi_scale_add(scale, GSHMEMI_SCALE_PINNED, "staging", sizeof *staging);
}

int gshmemi_host_allocate(size_t nbytes, const char *what, void **ptr_p)
{
	void *ptr;
	int rc;

	rc = gshmemi_hip(hipHostMalloc(&ptr, nbytes,
				 hipHostMallocMapped | hipHostMallocPortable | hipHostMallocCoherent),
		"hipHostMalloc of %zu bytes for the %s", nbytes, what);
	if (rc)
		return rc;
	memset(ptr, 0, nbytes);
	*ptr_p = ptr;
	return 0;
}

void gshmemi_host_free(void *ptr)
{
	if (ptr)
		gshmemi_hip_ignore(hipHostFree(ptr), "hipHostFree");
}

/* ---- for init and collective calls ---- */

int gshmemi_devmem_locate(int (*locate)(void **address_p), void **address_p, const char *what)
{
	struct gshmemi_devmem_caller previous = gshmemi_devmem_enter();
	int rc;

	rc = report_advise(
		(hipError_t)locate(address_p), GSHMEMI_ARCH_UNIT_REMEDY, what, "hipGetSymbolAddress");
	gshmemi_devmem_leave(previous);
	return rc;
}

int gshmemi_devmem_copy(void *dest, const void *source, size_t nbytes, const char *what)
{
	char action[64];
	struct gshmemi_devmem_caller previous;
	int rc;

	snprintf(action, sizeof action, "hipMemcpyAsync of %zu bytes", nbytes);
	previous = enter_queue(&copies);
	rc = report_error(
		hipMemcpyAsync(dest, source, nbytes, hipMemcpyDefault, copies.stream), what, action);
	copies.is_open = true;
	if (!rc)
		rc = await_queue(&copies, what);
	leave_queue(&copies, previous);
	return rc;
}

int gshmemi_devmem_fill(void *dest, int value, size_t nbytes, const char *what)
{
	char action[64];
	struct gshmemi_devmem_caller previous;
	int rc;

	snprintf(action, sizeof action, "hipMemsetAsync of %zu bytes", nbytes);
	previous = enter_queue(&copies);
	rc = report_error(hipMemsetAsync(dest, value, nbytes, copies.stream), what, action);
	copies.is_open = true;
	if (!rc)
		rc = await_queue(&copies, what);
	leave_queue(&copies, previous);
	return rc;
}

int gshmemi_devmem_table(
	void **bases, int n, void *(*base_of)(const void *whose, int i), const void *whose, const char *call)
{
	void **table;
	int i, rc;

	if (!bases) {
		gshmemi_error("%s: bases is NULL: it must have room for %d addresses", call, n);
		return -EINVAL;
	}
	table = malloc((size_t)n * sizeof *table);
	if (!table) {
		gshmemi_error("%s: a table of %d addresses: out of memory", call, n);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		table[i] = base_of(whose, i);
	rc = gshmemi_devmem_copy(bases, table, (size_t)n * sizeof *table, call);
	free(table);
	return rc;
}

/* ---- for host calls ---- */

static void must(int rc)
{
	if (rc)
		gshmemi_end(1);
}

void gshmemi_devmem_must(hipError_t error, const char *call, const char *action)
{
	must(report_error(error, call, action));
}

void gshmemi_devmem_move(void *dest, const void *source, size_t nbytes, bool nbi, const char *call)
{
	struct gshmemi_devmem_caller previous;

	if (!nbytes)
		return;
	previous = enter_queue(&copies);
	must(report_error(hipMemcpyAsync(dest, source, nbytes, hipMemcpyDefault, copies.stream), call,
		"hipMemcpyAsync"));
	copies.is_open = true;
	if (!nbi)
		must(await_queue(&copies, call));
	leave_queue(&copies, previous);
}

void gshmemi_devmem_store(void *dest, const void *value, unsigned nbytes, const char *call)
{
	struct gshmemi_devmem_caller previous = enter_queue(&copies);
	void *word;

	if (ring_next == RING_NWORDS)
		must(await_queue(&copies, call));
	word = staging->ring[ring_next++];
	memcpy(word, value, nbytes);
	must(report_error(
		hipMemcpyAsync(dest, word, nbytes, hipMemcpyDefault, copies.stream), call, "hipMemcpyAsync"));
	copies.is_open = true;
	leave_queue(&copies, previous);
}

void gshmemi_devmem_load(void *value, const void *source, unsigned nbytes, const char *call)
{
	struct gshmemi_devmem_caller previous = enter_queue(&copies);

	must(report_error(hipMemcpyAsync(staging->landing, source, nbytes, hipMemcpyDefault, copies.stream),
		call, "hipMemcpyAsync"));
	copies.is_open = true;
	must(await_queue(&copies, call));
	memcpy(value, staging->landing, nbytes);
	leave_queue(&copies, previous);
}

void gshmemi_devmem_stride(void *dest, size_t dest_stride, const void *source, size_t source_stride,
	size_t nblocks, size_t block_nbytes, const char *call)
{
	struct gshmemi_devmem_caller previous;

	if (!nblocks || !block_nbytes)
		return;
	previous = enter_queue(&kernels);
	must(report_error(hipMemcpy2DAsync(dest, dest_stride, source, source_stride, block_nbytes, nblocks,
				  hipMemcpyDefault, kernels.stream),
		call, "hipMemcpy2DAsync"));
	kernels.is_open = true;
	must(await_queue(&kernels, call));
	leave_queue(&kernels, previous);
}

uint64_t gshmemi_devmem_amo(
	int op, void *dest, uint64_t value, uint64_t cond, unsigned nbytes, bool fetches, const char *call)
{
	uint64_t *result = fetches ? &staging->result : NULL, old = 0;
	struct gshmemi_devmem_caller previous = enter_queue(&kernels);

	must(report_error(gshmemi_devmem_launch_amo(op, dest, value, cond, nbytes, result, kernels.stream),
		call, "hipLaunchKernel"));
	kernels.is_open = true;
	if (fetches) {
		must(await_queue(&kernels, call));
		old = *result;
	}
	leave_queue(&kernels, previous);
	return old;
}

static hipStream_t take_spare(void)
{
	hipStream_t stream;

	pthread_mutex_lock(&kernels.lock);
	stream = spare;
	spare = NULL;
	pthread_mutex_unlock(&kernels.lock);
	return stream;
}

static void give_spare(hipStream_t stream)
{
	pthread_mutex_lock(&kernels.lock);
	if (!spare) {
		spare = stream;
		stream = NULL;
	}
	pthread_mutex_unlock(&kernels.lock);
	if (stream)
		gshmemi_hip_ignore(hipStreamDestroy(stream), "hipStreamDestroy");
}

void gshmemi_devmem_run(hipError_t (*launch)(const struct gshmemi_coll_args *args, hipStream_t stream),
	const struct gshmemi_coll_args *args, const char *call)
{
	const struct gshmemi_devmem_caller previous = gshmemi_devmem_enter();
	hipStream_t stream = take_spare();

	if (!stream)
		must(gshmemi_devmem_open_stream(&stream, true, call));
	must(report_error(launch(args, stream), call, "hipLaunchKernel"));
	must(report_error(hipStreamSynchronize(stream), call, "hipStreamSynchronize"));
	give_spare(stream);
	gshmemi_devmem_leave(previous);
}

static void complete_queue(struct queue *queue, const char *call)
{
	struct gshmemi_devmem_caller previous;

	pthread_mutex_lock(&queue->lock);
	if (queue->is_open) {
		previous = gshmemi_devmem_enter();
		must(await_queue(queue, call));
		gshmemi_devmem_leave(previous);
	}
	pthread_mutex_unlock(&queue->lock);
}

void gshmemi_devmem_complete(const char *call)
{
	complete_queue(&copies, call);
	complete_queue(&kernels, call);
}
