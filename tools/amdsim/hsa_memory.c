/* SPDX-License-Identifier: BSD-3-Clause */
/* HSA's memory: allocation from pools, locked host memory, what is at an address, other processes' memory. */
#include <string.h>

#include "hsa.h"

static struct allocation *find_at(const void *memory)
{
	return arena_find((uintptr_t)memory, 1);
}

/* ---- allocation ---- */

static struct allocation *create(uint64_t nbytes, enum origin origin, enum memory_kind kind, int device)
{
	struct allocation *a;

	pthread_mutex_lock(&arena_lock);
	a = arena_create((struct allocation){
		.nbytes = round_up(nbytes, PAGE), .origin = origin, .kind = kind, .device = device});
	pthread_mutex_unlock(&arena_lock);
	return a;
}

void *host_alloc(size_t nbytes)
{
	struct allocation *a = create(nbytes, ORIGIN_HOST, MEMORY_HOST, -1);

	if (!a)
		die("out of host memory");
	return (void *)(uintptr_t)a->base;
}

/* Frees memory by its first byte. False: it is not of this origin or the other. */
static bool release(const void *memory, enum origin origin, enum origin other)
{
	struct allocation *a;
	bool found;

	pthread_mutex_lock(&arena_lock);
	a = find_at(memory);
	found = a && a->base == (uintptr_t)memory && (a->origin == origin || a->origin == other);
	if (found)
		arena_destroy(a);
	pthread_mutex_unlock(&arena_lock);
	return found;
}

void host_free(void *memory)
{
	release(memory, ORIGIN_HOST, ORIGIN_HOST);
}

hsa_status_t hsa_amd_memory_pool_allocate(
	hsa_amd_memory_pool_t pool, size_t nbytes, uint32_t flags, void **memory_p)
{
	enum pool_kind kind = pool_kind(pool);
	struct allocation *a;

	if (!nbytes || !memory_p || flags)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (kind == POOL_LDS)
		return HSA_STATUS_ERROR_INVALID_ALLOCATION;
	if (kind <= POOL_HOST_COARSE)
		a = create(nbytes, ORIGIN_HOST, MEMORY_HOST, -1);
	else
		a = create(nbytes, ORIGIN_MALLOC, kind == POOL_FINE ? MEMORY_FINE : MEMORY_COARSE,
			pool_device(pool));
	if (!a)
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	*memory_p = (void *)(uintptr_t)a->base;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_free(void *memory)
{
	return !memory || release(memory, ORIGIN_MALLOC, ORIGIN_HOST) ? HSA_STATUS_SUCCESS
								      : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* All agents have access to all memory. */
hsa_status_t hsa_amd_agents_allow_access(
	uint32_t nagents, const hsa_agent_t *agents, const uint32_t *flags, const void *memory)
{
	return !nagents || !agents || flags || !memory ? HSA_STATUS_ERROR_INVALID_ARGUMENT
						       : HSA_STATUS_SUCCESS;
}

/* ---- host memory of the program ---- */

static struct allocation *find_locked(uint64_t base)
{
	struct allocation *a = arena_find(base, 1);

	return a && a->base == base && a->origin == ORIGIN_REGISTERED ? a : NULL;
}

/*
 * The same memory may be locked several times. Parts of it that overlap are separate entries of the list, and
 * any of them tells what kernels need to know.
 */
hsa_status_t hsa_amd_memory_lock_to_pool(void *memory, size_t nbytes, hsa_agent_t *agents, int nagents,
	hsa_amd_memory_pool_t pool, uint32_t flags, void **agent_memory_p)
{
	const uint64_t base = (uintptr_t)memory | LOCKED;
	struct allocation *a;

	(void)agents, (void)nagents, (void)pool;
	if (!memory || !nbytes || flags || !agent_memory_p)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&arena_lock);
	a = find_locked(base);
	if (!a || a->nbytes != nbytes)
		a = arena_insert((struct allocation){.base = base,
			.nbytes = nbytes,
			.origin = ORIGIN_REGISTERED,
			.kind = MEMORY_HOST,
			.device = -1});
	a->nusers++;
	pthread_mutex_unlock(&arena_lock);
	*agent_memory_p = (void *)(uintptr_t)base;
	return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_unlock(void *memory)
{
	struct allocation *a;

	pthread_mutex_lock(&arena_lock);
	a = find_locked((uintptr_t)memory | LOCKED);
	if (a && !--a->nusers)
		arena_destroy(a);
	pthread_mutex_unlock(&arena_lock);
	return HSA_STATUS_SUCCESS;
}

/* Not needed for what HIP calls them for. */
hsa_status_t hsa_memory_register(void *memory, size_t nbytes)
{
	return memory && nbytes ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_memory_deregister(void *memory, size_t nbytes)
{
	return memory && nbytes ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- what is at an address ---- */

static hsa_amd_pointer_info_t describe(const struct allocation *a)
{
	hsa_amd_pointer_info_t info = {.size = sizeof(info), .type = HSA_EXT_POINTER_TYPE_UNKNOWN};

	if (!a)
		return info;
	info.type = a->origin == ORIGIN_REGISTERED ? HSA_EXT_POINTER_TYPE_LOCKED
		: a->origin == ORIGIN_OPENED       ? HSA_EXT_POINTER_TYPE_IPC
						   : HSA_EXT_POINTER_TYPE_HSA;
	info.agentBaseAddress = (void *)(uintptr_t)a->base;
	info.hostBaseAddress = (void *)(uintptr_t)(a->base & ~LOCKED);
	info.sizeInBytes = a->nbytes;
	info.agentOwner = device_agent(a->device);
	info.global_flags = a->kind == MEMORY_COARSE ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED
						     : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
	return info;
}

hsa_status_t hsa_amd_pointer_info(const void *memory, hsa_amd_pointer_info_t *info_p, void *(*alloc)(size_t),
	uint32_t *naccessible, hsa_agent_t **accessible)
{
	hsa_amd_pointer_info_t info;

	(void)alloc;
	if (!memory || !info_p || !info_p->size)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&arena_lock);
	info = describe(find_at(memory));
	pthread_mutex_unlock(&arena_lock);
	memcpy(info_p, &info, info_p->size < sizeof(info) ? info_p->size : sizeof(info));
	if (naccessible)
		*naccessible = 0;
	if (accessible)
		*accessible = NULL;
	return HSA_STATUS_SUCCESS;
}

/* ---- memory of other processes ---- */

_Static_assert(sizeof(struct arena_handle) == sizeof(hsa_amd_ipc_memory_t), "the handle fits");

/* Only whole allocations. */
hsa_status_t hsa_amd_ipc_memory_create(void *memory, size_t nbytes, hsa_amd_ipc_memory_t *handle_p)
{
	const struct allocation *a;
	struct arena_handle h;
	bool good;

	pthread_mutex_lock(&arena_lock);
	a = find_at(memory);
	good = a && a->origin == ORIGIN_MALLOC && a->base == (uintptr_t)memory && a->nbytes == nbytes &&
		handle_p;
	if (good)
		h = arena_export(a);
	pthread_mutex_unlock(&arena_lock);
	if (good)
		memcpy(handle_p, &h, sizeof(h));
	return good ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* HIP exports whole pages, and asks for as many bytes as its user allocated. */
hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t *handle, size_t nbytes, uint32_t nagents,
	const hsa_agent_t *agents, void **memory_p)
{
	const struct allocation *a;
	struct arena_handle h;

	(void)nagents, (void)agents;
	if (!handle || !memory_p)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	memcpy(&h, handle, sizeof(h));
	if (!nbytes || nbytes > h.nbytes)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&arena_lock);
	a = arena_attach(&h, true);
	pthread_mutex_unlock(&arena_lock);
	if (a)
		*memory_p = (void *)(uintptr_t)a->base;
	return a ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_ipc_memory_detach(void *memory)
{
	return release(memory, ORIGIN_OPENED, ORIGIN_OPENED) ? HSA_STATUS_SUCCESS
							     : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
