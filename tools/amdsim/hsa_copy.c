/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies by engines. Each device has one engine to the host, one from it, and one for other devices: a queue
 * and a thread. As with SDMA, a copy that waits for its signals holds up the copies behind it. Engines access
 * memory, not the caches of GPUs.
 */
#include <string.h>

#include "hsa.h"

struct copy {
	struct copy *next;
	hsa_pitched_ptr_t dst, src; /* base: of the first byte */
	size_t nbytes;              /* of a row */
	uint32_t nrows, nslices;
	hsa_signal_t done;
	uint32_t nwaits;
	hsa_signal_t waits[]; /* until they are 0 */
};

enum direction { TO_HOST, FROM_HOST, OTHER, NDIRECTIONS };

static struct engine {
	struct copy *first, **last_p; /* last_p NULL: it has no thread */
	pthread_cond_t changed;
} engines[MAX_DEVICES][NDIRECTIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void copy_rows(const struct copy *c)
{
	for (uint32_t z = 0; z < c->nslices; z++)
		for (uint32_t y = 0; y < c->nrows; y++) {
			uint64_t dst = (uintptr_t)c->dst.base + y * c->dst.pitch + z * c->dst.slice;
			uint64_t src = (uintptr_t)c->src.base + y * c->src.pitch + z * c->src.slice;

			memmove(memory_host(dst), memory_host(src), c->nbytes);
		}
}

static struct copy *take_copy(struct engine *e)
{
	struct copy *c;

	pthread_mutex_lock(&lock);
	while (!e->first)
		pthread_cond_wait(&e->changed, &lock);
	c = e->first;
	e->first = c->next;
	e->last_p = e->first ? e->last_p : &e->first;
	pthread_mutex_unlock(&lock);
	return c;
}

static void *serve(void *arg)
{
	for (;;) {
		struct copy *c = take_copy(arg);
		uint64_t begin;

		for (uint32_t k = 0; k < c->nwaits; k++)
			signal_await(c->waits[k], -1, HSA_SIGNAL_CONDITION_EQ, 0);
		begin = timestamp();
		copy_rows(c);
		signal_complete(c->done, begin);
		free(c);
	}
	return NULL;
}

static hsa_status_t submit(int device, enum direction direction, struct copy what, const hsa_signal_t *waits)
{
	struct engine *e = &engines[device][direction];
	struct copy *c = zalloc(sizeof(*c) + what.nwaits * sizeof(*waits));

	*c = what;
	memcpy(c->waits, waits, what.nwaits * sizeof(*waits));
	pthread_mutex_lock(&lock);
	if (!e->last_p) {
		pthread_cond_init(&e->changed, NULL);
		e->last_p = &e->first;
		start_thread(serve, e);
	}
	*e->last_p = c;
	e->last_p = &c->next;
	pthread_cond_signal(&e->changed);
	pthread_mutex_unlock(&lock);
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
	hsa_agent_t src_agent, size_t nbytes, uint32_t nwaits, const hsa_signal_t *waits, hsa_signal_t done)
{
	const int to = agent_device(dst_agent), from = agent_device(src_agent);

	if (!dst || !src || (nwaits && !waits))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return submit(to > from    ? to
			: from < 0 ? 0
				   : from,
		to < 0             ? TO_HOST
			: from < 0 ? FROM_HOST
				   : OTHER,
		(struct copy){.dst = {dst, 0, 0},
			.src = {(void *)(uintptr_t)src, 0, 0},
			.nbytes = nbytes,
			.nrows = 1,
			.nslices = 1,
			.done = done,
			.nwaits = nwaits},
		waits);
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_at,
	const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_at, const hsa_dim3_t *range, hsa_agent_t agent,
	hsa_amd_copy_direction_t direction, uint32_t nwaits, const hsa_signal_t *waits, hsa_signal_t done)
{
	struct copy c = {.dst = *dst,
		.src = *src,
		.nbytes = range->x,
		.nrows = range->y,
		.nslices = range->z,
		.done = done,
		.nwaits = nwaits};

	if (agent_device(agent) < 0 || (nwaits && !waits))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	c.dst.base = (char *)dst->base + dst_at->x + dst_at->y * dst->pitch + dst_at->z * dst->slice;
	c.src.base = (char *)src->base + src_at->x + src_at->y * src->pitch + src_at->z * src->slice;
	return submit(agent_device(agent),
		direction == hsaDeviceToHost           ? TO_HOST
			: direction == hsaHostToDevice ? FROM_HOST
						       : OTHER,
		c, waits);
}

/* As in ROCr, on the calling thread. */
hsa_status_t hsa_memory_copy(void *dst, const void *src, size_t nbytes)
{
	memmove(memory_host((uintptr_t)dst), memory_host((uintptr_t)src), nbytes);
	return HSA_STATUS_SUCCESS;
}
