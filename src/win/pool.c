/* SPDX-License-Identifier: BSD-3-Clause */
#include "win/pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "device/devmem.h"
#include "heap/allocator.h"
#include "heap/heap.h"

/* An allocation, and the allocator that divides it. */
struct chunk {
	struct chunk *next;
	char *base;
	uint64_t nbytes;
	uint64_t npieces; /* in use */
	struct gshmemi_allocator *allocator;
};

/* The least bytes of a chunk. Memory that another process maps comes in whole large pages. */
static const uint64_t least_nbytes[GSHMEMI_NPOOLS] = {
	(uint64_t)2 << 20, (uint64_t)256 << 10, (uint64_t)256 << 10};

static struct chunk *pools[GSHMEMI_NPOOLS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int allocate_chunk(enum gshmemi_pool pool, uint64_t nbytes, const char *what, void **base_p)
{
	if (pool == GSHMEMI_POOL_FINE)
		return gshmemi_hip(gshmemi_heap_malloc_fine(base_p, nbytes),
			"hipExtMallocWithFlags of %llu bytes for the %s", (unsigned long long)nbytes, what);
	if (pool == GSHMEMI_POOL_DEVICE)
		return gshmemi_hip(hipMalloc(base_p, nbytes), "hipMalloc of %llu bytes for the %s",
			(unsigned long long)nbytes, what);
	return gshmemi_host_allocate(nbytes, what, base_p);
}

static void free_chunk(enum gshmemi_pool pool, struct chunk *chunk)
{
	if (pool == GSHMEMI_POOL_PINNED)
		gshmemi_host_free(chunk->base);
	else
		gshmemi_hip_ignore(hipFree(chunk->base), "hipFree");
	gshmemi_allocator_destroy(chunk->allocator);
	free(chunk);
}

static int add_chunk(enum gshmemi_pool pool, uint64_t nbytes, const char *what)
{
	const uint64_t least = least_nbytes[pool], rounded = (nbytes + least - 1) / least * least;
	struct chunk *chunk = calloc(1, sizeof *chunk);
	void *base = NULL;
	int rc;

	if (!chunk || gshmemi_allocator_create(rounded, &chunk->allocator)) {
		gshmemi_error("no memory for the %s", what);
		free(chunk);
		return -ENOMEM;
	}
	rc = rounded < nbytes ? -ENOMEM : allocate_chunk(pool, rounded, what, &base);
	if (rc) {
		gshmemi_allocator_destroy(chunk->allocator);
		free(chunk);
		return rc;
	}
	chunk->base = base;
	chunk->nbytes = rounded;
	chunk->next = pools[pool];
	pools[pool] = chunk;
	return 0;
}

/* Take a piece of some chunk that has room. */
static void *take_piece(enum gshmemi_pool pool, uint64_t nbytes)
{
	struct chunk *chunk;
	uint64_t offset;

	for (chunk = pools[pool]; chunk; chunk = chunk->next) {
		if (gshmemi_allocator_alloc(chunk->allocator, nbytes, GSHMEMI_ALLOCATOR_GRANULE, &offset))
			continue;
		chunk->npieces++;
		return chunk->base + offset;
	}
	return NULL;
}

int gshmemi_pool_alloc(enum gshmemi_pool pool, uint64_t nbytes, const char *what, void **ptr_p)
{
	struct gshmemi_devmem_caller previous;
	int rc = 0;
	void *ptr;

	pthread_mutex_lock(&lock);
	previous = gshmemi_devmem_enter();
	ptr = take_piece(pool, nbytes);
	if (!ptr) {
		rc = add_chunk(pool, nbytes, what);
		ptr = rc ? NULL : take_piece(pool, nbytes);
	}
	gshmemi_devmem_leave(previous);
	pthread_mutex_unlock(&lock);
	if (!rc)
		*ptr_p = ptr;
	return rc;
}

static struct chunk **find_chunk(enum gshmemi_pool pool, const void *ptr)
{
	struct chunk **link;

	for (link = &pools[pool]; *link; link = &(*link)->next)
		if ((uintptr_t)ptr - (uintptr_t)(*link)->base < (*link)->nbytes)
			break;
	return link;
}

/* Frees a chunk that becomes empty, unless it is the pool's last: windows come and go. */
void gshmemi_pool_free(enum gshmemi_pool pool, void *ptr)
{
	struct chunk **link, *chunk;
	struct gshmemi_devmem_caller previous;

	if (!ptr)
		return;
	pthread_mutex_lock(&lock);
	previous = gshmemi_devmem_enter();
	link = find_chunk(pool, ptr);
	chunk = *link;
	(void)gshmemi_allocator_free(chunk->allocator, (uint64_t)((char *)ptr - chunk->base));
	if (!--chunk->npieces && (pools[pool] != chunk || chunk->next)) {
		*link = chunk->next;
		free_chunk(pool, chunk);
	}
	gshmemi_devmem_leave(previous);
	pthread_mutex_unlock(&lock);
}

bool gshmemi_pool_contains(enum gshmemi_pool pool, const void *ptr)
{
	bool is_in;

	pthread_mutex_lock(&lock);
	is_in = *find_chunk(pool, ptr) != NULL;
	pthread_mutex_unlock(&lock);
	return is_in;
}

void gshmemi_pools_close(void)
{
	struct chunk *chunk;
	int i;

	for (i = 0; i < GSHMEMI_NPOOLS; i++) {
		while ((chunk = pools[i])) {
			pools[i] = chunk->next;
			free_chunk((enum gshmemi_pool)i, chunk);
		}
	}
}
