/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues, and the threads that run their packets. Packets start in order. One with the barrier bit starts
 * when all packets before it have ended. A kernel runs on the thread that took its packet; if the next packet
 * may start beside it, another thread takes that. HSA's specification, "Architected Queuing Language".
 *
 * Several threads of HIP write packets to one queue, so that a doorbell may ring for a packet before those in
 * front of it are written, and its value may go back. So the value is not used: after each ring the headers
 * tell which packets are there.
 */
#include <string.h>

#include "hsa.h"

enum { PACKET_BYTES = 64, MAX_THREADS = 32 };

union packet {
	uint16_t header;
	hsa_kernel_dispatch_packet_t kernel;
	hsa_barrier_and_packet_t barrier;
	hsa_amd_barrier_value_packet_t value;
	char bytes[PACKET_BYTES];
};

struct queue {
	amd_queue_t hsa; /* first, for HIP */
	int device;
	void (*on_error)(hsa_status_t, hsa_queue_t *, void *);
	void *data; /* for on_error */
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a packet may start, or the queue ends */
	pthread_t threads[MAX_THREADS];
	unsigned nthreads, nidle;
	unsigned nrunning; /* packets */
	bool is_held;      /* by a barrier packet: no other one may start */
	bool quits;
};

static struct queue *queue_of(const hsa_queue_t *hsa)
{
	return (struct queue *)(uintptr_t)hsa;
}

/* ---- packets ---- */

static enum scope scope_of(uint16_t header, unsigned shift)
{
	unsigned scope = header >> shift & ((1U << HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE) - 1);

	return scope == HSA_FENCE_SCOPE_SYSTEM   ? SCOPE_SYSTEM
		: scope == HSA_FENCE_SCOPE_AGENT ? SCOPE_AGENT
						 : SCOPE_NONE;
}

static unsigned type_of(uint16_t header)
{
	return header >> HSA_PACKET_HEADER_TYPE & ((1U << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

static void report(struct queue *q, hsa_status_t status, const char *kernel)
{
	message("device %d: kernel %s ends with HSA status 0x%x", q->device, kernel, (unsigned)status);
	if (q->on_error)
		q->on_error(status, &q->hsa.hsa_queue, q->data);
}

/* As the packet says. Returns an error if no such grid can run. */
static hsa_status_t describe(struct dispatch *d, const hsa_kernel_dispatch_packet_t *p)
{
	const uint32_t threads[3] = {p->grid_size_x, p->grid_size_y, p->grid_size_z};
	const uint32_t group[3] = {p->workgroup_size_x, p->workgroup_size_y, p->workgroup_size_z};
	const struct kernel *k = d->kernel;
	uint64_t nblocks = 1, nresident;

	d->nthreads = group[0] * group[1] * group[2];
	if (!d->nthreads || d->nthreads > BLOCK_THREADS || p->group_segment_size > LDS_BYTES)
		return HSA_STATUS_ERROR_INVALID_PACKET_FORMAT;
	for (unsigned dim = 0; dim < 3; dim++) {
		d->threads[dim] = threads[dim];
		d->group[dim] = group[dim];
		d->grid[dim] = (uint32_t)(((uint64_t)threads[dim] + group[dim] - 1) / group[dim]);
		nblocks *= d->grid[dim];
	}
	d->dynamic_lds_bytes =
		p->group_segment_size > k->lds_bytes ? p->group_segment_size - k->lds_bytes : 0;
	nresident = (uint64_t)config()->ncus * dispatch_occupancy(k, d->nthreads, d->dynamic_lds_bytes);
	return !nresident || (d->cooperative && nblocks > nresident) ? HSA_STATUS_ERROR_OUT_OF_RESOURCES
								     : HSA_STATUS_SUCCESS;
}

/* An access to memory that does not exist ends the process, because HIP registers no handler for that. */
static void run_kernel(struct queue *q, const union packet *p, uint64_t place)
{
	static uint64_t ndispatches;
	struct dispatch d = {.kernel = code_kernel(p->kernel.kernel_object),
		.device = q->device,
		.packet = place,
		.kernarg = (uintptr_t)p->kernel.kernarg_address,
		.queue = (uintptr_t)&q->hsa,
		.scratch_bytes = p->kernel.private_segment_size,
		.cooperative = q->hsa.hsa_queue.type == HSA_QUEUE_TYPE_COOPERATIVE,
		.acquire = scope_of(p->header, HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE),
		.release = scope_of(p->header, HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE),
		.number = __atomic_fetch_add(&ndispatches, 1, __ATOMIC_RELAXED)};
	const char *name = d.kernel ? d.kernel->name : "without code";
	uint64_t begin = timestamp();
	hsa_status_t status = d.kernel ? describe(&d, &p->kernel) : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
	int how = DISPATCH_DONE;

	memcpy(memory_host(place), p, PACKET_BYTES);
	if (!status)
		how = dispatch_run(&d, NULL);
	if (how == DISPATCH_FAULTED)
		die("device %d: a memory access fault in kernel %s ends the process, as with ROCm", q->device,
			name);
	if (status || how != DISPATCH_DONE)
		report(q, status ? status : (hsa_status_t)HSA_STATUS_ERROR_EXCEPTION, name);
	else
		signal_complete(p->kernel.completion_signal, begin);
}

static void run_barrier(struct queue *q, const union packet *p)
{
	uint64_t begin = timestamp();

	if (type_of(p->header) == HSA_PACKET_TYPE_BARRIER_AND)
		for (unsigned k = 0; k < COUNT(p->barrier.dep_signal); k++)
			signal_await(p->barrier.dep_signal[k], -1, HSA_SIGNAL_CONDITION_EQ, 0);
	else if (type_of(p->header) == HSA_PACKET_TYPE_BARRIER_OR)
		signal_await_any(p->barrier.dep_signal, COUNT(p->barrier.dep_signal));
	else if (type_of(p->header) == HSA_PACKET_TYPE_VENDOR_SPECIFIC &&
		p->value.header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE)
		signal_await(p->value.signal, p->value.mask, p->value.cond, p->value.value);
	else
		die("device %d: a queue has a packet with the header 0x%x", q->device, p->header);
	caches_acquire(q->device, scope_of(p->header, HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE));
	caches_release(q->device, scope_of(p->header, HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE));
	/* all kinds of packets have it in one place */
	signal_complete(p->barrier.completion_signal, begin);
}

/* ---- threads; under the queue's lock ---- */

static union packet *next_packet(const struct queue *q)
{
	const hsa_queue_t *h = &q->hsa.hsa_queue;

	return (union packet *)h->base_address + (q->hsa.read_dispatch_id & (h->size - 1));
}

/* Acquire: the rest of the packet was written before its header. */
static bool can_start(const struct queue *q)
{
	uint16_t header = __atomic_load_n(&next_packet(q)->header, __ATOMIC_ACQUIRE);

	return type_of(header) != HSA_PACKET_TYPE_INVALID && !q->is_held &&
		!(q->nrunning && header >> HSA_PACKET_HEADER_BARRIER & 1);
}

/* Finds a thread for the next packet. If there are too many threads, one takes it when it is done. */
static void find_thread(struct queue *q);

/* Takes a packet out of the ring; HIP may then write another one to its place. */
static union packet take_packet(struct queue *q)
{
	union packet *from = next_packet(q), p = *from;

	__atomic_store_n(&from->header, HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE, __ATOMIC_RELAXED);
	__atomic_store_n(&q->hsa.read_dispatch_id, q->hsa.read_dispatch_id + 1, __ATOMIC_RELEASE);
	q->nrunning++;
	q->is_held = type_of(p.header) != HSA_PACKET_TYPE_KERNEL_DISPATCH;
	if (can_start(q))
		find_thread(q);
	return p;
}

static void run_packet(struct queue *q, const union packet *p, uint64_t place)
{
	bool is_kernel = type_of(p->header) == HSA_PACKET_TYPE_KERNEL_DISPATCH;

	pthread_mutex_unlock(&q->lock);
	if (is_kernel)
		run_kernel(q, p, place);
	else
		run_barrier(q, p);
	pthread_mutex_lock(&q->lock);
	q->is_held = q->is_held && is_kernel;
	q->nrunning--;
}

static void *serve(void *arg)
{
	struct queue *q = arg;
	uint64_t place = memory_alloc_code(q->device, PACKET_BYTES);

	if (!place)
		die("device %d: no memory for a queue", q->device);
	pthread_mutex_lock(&q->lock);
	while (!q->quits) {
		if (can_start(q)) {
			union packet p = take_packet(q);

			run_packet(q, &p, place);
			continue;
		}
		q->nidle++;
		pthread_cond_wait(&q->changed, &q->lock);
		q->nidle--;
	}
	pthread_mutex_unlock(&q->lock);
	memory_free_code(place);
	return NULL;
}

static void find_thread(struct queue *q)
{
	if (q->nidle)
		pthread_cond_signal(&q->changed);
	else if (q->nthreads < MAX_THREADS && pthread_create(&q->threads[q->nthreads++], NULL, serve, q))
		die("no thread for a queue");
}

void queue_ring(amd_queue_t *queue)
{
	struct queue *q = queue_of(&queue->hsa_queue);

	pthread_mutex_lock(&q->lock);
	if (can_start(q))
		find_thread(q);
	pthread_mutex_unlock(&q->lock);
}

/* ---- HSA's queues ---- */

static void init(struct queue *q, uint32_t nslots, hsa_queue_type32_t type)
{
	static uint64_t nqueues;
	hsa_queue_t *h = &q->hsa.hsa_queue;
	union packet *slots = host_alloc(nslots * sizeof(*slots));

	for (uint32_t k = 0; k < nslots; k++)
		slots[k].header = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;
	h->type = type;
	h->features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
	h->base_address = slots;
	h->size = nslots;
	h->id = __atomic_fetch_add(&nqueues, 1, __ATOMIC_RELAXED);
	q->hsa.group_segment_aperture_base_hi = (uint32_t)(APERTURE_LDS >> 32);
	q->hsa.private_segment_aperture_base_hi = (uint32_t)(APERTURE_PRIVATE >> 32);
	hsa_signal_create(0, 0, NULL, &h->doorbell_signal);
	signal_of(h->doorbell_signal)->kind = AMD_SIGNAL_KIND_DOORBELL;
	signal_of(h->doorbell_signal)->queue_ptr = &q->hsa;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
}

/* Scratch is what each packet asks for. */
hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t nslots, hsa_queue_type32_t type,
	void (*on_error)(hsa_status_t, hsa_queue_t *, void *), void *data, uint32_t private_bytes,
	uint32_t group_bytes, hsa_queue_t **queue_p)
{
	struct queue *q;

	(void)private_bytes, (void)group_bytes;
	if (agent_device(agent) < 0 || !nslots || nslots & (nslots - 1) || !queue_p)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	q = host_alloc(sizeof(*q));
	q->device = agent_device(agent);
	q->on_error = on_error;
	q->data = data;
	init(q, nslots, type);
	*queue_p = &q->hsa.hsa_queue;
	return HSA_STATUS_SUCCESS;
}

/* Packets that have started still end. */
hsa_status_t hsa_queue_destroy(hsa_queue_t *hsa)
{
	struct queue *q = queue_of(hsa);

	pthread_mutex_lock(&q->lock);
	q->quits = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	for (unsigned k = 0; k < q->nthreads; k++)
		pthread_join(q->threads[k], NULL);
	hsa_signal_destroy(hsa->doorbell_signal);
	host_free(hsa->base_address);
	host_free(q);
	return HSA_STATUS_SUCCESS;
}

uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t *hsa, uint64_t n)
{
	return __atomic_fetch_add(&queue_of(hsa)->hsa.write_dispatch_id, n, __ATOMIC_SEQ_CST);
}

uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t *hsa)
{
	return __atomic_load_n(&queue_of(hsa)->hsa.write_dispatch_id, __ATOMIC_SEQ_CST);
}

uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t *hsa)
{
	return __atomic_load_n(&queue_of(hsa)->hsa.read_dispatch_id, __ATOMIC_SEQ_CST);
}

uint64_t hsa_queue_load_read_index_relaxed(const hsa_queue_t *hsa)
{
	return hsa_queue_load_read_index_scacquire(hsa);
}

/* Neither units nor priorities have an effect, and times are always taken. */
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t *hsa, uint32_t nbits, const uint32_t *bits)
{
	return hsa && bits && nbits % 32 == 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t *hsa, hsa_amd_queue_priority_t priority)
{
	(void)priority;
	return hsa ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_QUEUE;
}

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *hsa, int enable)
{
	(void)enable;
	return hsa ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_QUEUE;
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable)
{
	(void)enable;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(
	hsa_agent_t agent, hsa_signal_t signal, hsa_amd_profiling_dispatch_time_t *time_p)
{
	(void)agent;
	*time_p = (hsa_amd_profiling_dispatch_time_t){signal_of(signal)->start_ts, signal_of(signal)->end_ts};
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(
	hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t *time_p)
{
	*time_p =
		(hsa_amd_profiling_async_copy_time_t){signal_of(signal)->start_ts, signal_of(signal)->end_ts};
	return HSA_STATUS_SUCCESS;
}
