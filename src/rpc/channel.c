/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocates the memory of channels: host-pinned memory for what both sides use, and each side's own memory
 * for what it alone uses.
 */
#include "rpc/rpc.h"

#include <stdlib.h>
#include <string.h>

#include "device/devmem.h"

/*
 * The host-pinned part: offsets at multiples of a line. The pages come last, because they need not be zeroed.
 */
struct layout {
	size_t request, header, answer, status, bell, poison, client, server, posts, page, nbytes;
};

static size_t reserve(size_t *at, size_t nbytes)
{
	size_t start = *at;

	*at += (nbytes + 127) & ~(size_t)127;
	return start;
}

static void lay_out(const struct gshmemi_rpc_shape *shape, struct layout *l)
{
	const size_t n = shape->nslots;

	l->nbytes = 0;
	l->request = reserve(&l->nbytes, n * sizeof(uint32_t));
	l->header = reserve(&l->nbytes, n * sizeof(struct gshmemi_rpc_header));
	l->answer = reserve(&l->nbytes, n * sizeof(struct gshmemi_rpc_answer));
	l->status = reserve(&l->nbytes, n * shape->nlanes * sizeof(int32_t));
	l->bell = reserve(&l->nbytes, n / GSHMEMI_RPC_GROUP * sizeof(uint32_t));
	l->poison = reserve(&l->nbytes, sizeof(uint32_t));
	l->client = reserve(&l->nbytes, shape->is_host_client ? n * sizeof(uint32_t) : 0);
	l->posts = reserve(&l->nbytes, shape->is_host_client ? sizeof(struct gshmemi_rpc_posts) : 0);
	l->server = reserve(&l->nbytes, shape->is_device_server ? 0 : (n + 1) * sizeof(uint32_t));
	l->nbytes = (l->nbytes + 4095) & ~(size_t)4095;
	l->page = reserve(&l->nbytes, n * shape->nlanes * GSHMEMI_RPC_LINE * sizeof(uint64_t));
}

/* Bytes that a side needs if it is a kernel. */
static size_t client_nbytes(const struct gshmemi_rpc_shape *shape)
{
	if (shape->is_host_client)
		return 0;
	return shape->nslots * sizeof(uint32_t) + sizeof(struct gshmemi_rpc_posts);
}

static size_t server_nbytes(const struct gshmemi_rpc_shape *shape)
{
	return shape->is_device_server ? (shape->nslots + 1) * sizeof(uint32_t) : 0;
}

void gshmemi_rpc_channel_size(const struct gshmemi_rpc_shape *shape, size_t *pinned_p, size_t *device_p)
{
	struct layout layout;

	lay_out(shape, &layout);
	*pinned_p = layout.nbytes;
	*device_p = client_nbytes(shape) + server_nbytes(shape);
}

/* Allocates the words of a side that is a kernel: nwords with the first sequence number, then zeros. */
static int allocate_on_device(size_t nwords, uint32_t seq, size_t nbytes, void **ptr_p)
{
	uint32_t *words = calloc(1, nbytes);
	void *ptr = NULL;
	size_t i;
	int rc;

	if (!words) {
		gshmemi_error("rpc: a channel: out of memory");
		return -ENOMEM;
	}
	for (i = 0; i < nwords; i++)
		words[i] = seq;
	rc = gshmemi_hip(hipMalloc(&ptr, nbytes), "rpc: hipMalloc of %zu bytes for slots", nbytes);
	if (!rc)
		rc = gshmemi_devmem_copy(ptr, words, nbytes, "rpc: the first state of slots");
	if (rc && ptr)
		gshmemi_hip_ignore(hipFree(ptr), "hipFree");
	else
		*ptr_p = ptr;
	free(words);
	return rc;
}

static void set_shared(struct gshmemi_rpc_channel *c, const struct gshmemi_rpc_shape *shape,
	const struct layout *l, char *base)
{
	const uint32_t seq = shape->first_seq & GSHMEMI_RPC_SEQ;
	unsigned i;

	memset(base, 0, l->page);
	c->request = (uint32_t *)(void *)(base + l->request);
	c->header = (struct gshmemi_rpc_header *)(void *)(base + l->header);
	c->answer = (struct gshmemi_rpc_answer *)(void *)(base + l->answer);
	c->status = (int32_t *)(void *)(base + l->status);
	c->bell = shape->nslots >= GSHMEMI_RPC_BELLS && !shape->is_device_server
		? (uint32_t *)(void *)(base + l->bell)
		: NULL;
	c->poison = (uint32_t *)(void *)(base + l->poison);
	c->page = (uint64_t *)(void *)(base + l->page);
	c->nslots = shape->nslots;
	c->lane_shift = (uint32_t)__builtin_ctz(shape->nlanes);
	c->flags = shape->flags;
	for (i = 0; i < shape->nslots; i++) {
		c->request[i] = seq;
		c->answer[i].low = seq;
		c->answer[i].high = seq;
	}
}

static int set_client(struct gshmemi_rpc_channel *c, const struct gshmemi_rpc_shape *shape,
	const struct layout *l, char *base)
{
	void *ptr;
	int rc;

	if (shape->is_host_client) {
		c->client = (uint32_t *)(void *)(base + l->client);
		memcpy(c->client, c->request, shape->nslots * sizeof *c->client);
		c->posts = (struct gshmemi_rpc_posts *)(void *)(base + l->posts);
		return 0;
	}
	rc = allocate_on_device(
		shape->nslots, shape->first_seq & GSHMEMI_RPC_SEQ, client_nbytes(shape), &ptr);
	if (rc)
		return rc;
	c->client = ptr;
	c->posts = (struct gshmemi_rpc_posts *)(void *)(c->client + shape->nslots);
	return 0;
}

static int set_server(struct gshmemi_rpc_channel *c, const struct gshmemi_rpc_shape *shape,
	const struct layout *l, char *base)
{
	void *ptr;
	int rc;

	if (!shape->is_device_server) {
		c->server = (uint32_t *)(void *)(base + l->server);
		memcpy(c->server, c->request, shape->nslots * sizeof *c->server);
		return 0;
	}
	rc = allocate_on_device(
		shape->nslots, shape->first_seq & GSHMEMI_RPC_SEQ, server_nbytes(shape), &ptr);
	if (!rc)
		c->server = ptr;
	return rc;
}

/* Whether a side's memory is in the host-pinned part, not in device memory. */
static bool is_in_shared(const struct gshmemi_rpc_channel *c, const void *ptr)
{
	return (const char *)ptr >= (const char *)c->request && (const char *)ptr < (const char *)c->page;
}

void gshmemi_rpc_channel_close(struct gshmemi_rpc_channel *c)
{
	if (!c->request)
		return;
	if (c->client && !is_in_shared(c, c->client))
		gshmemi_hip_ignore(hipFree(c->client), "hipFree");
	if (c->server && !is_in_shared(c, c->server))
		gshmemi_hip_ignore(hipFree(c->server), "hipFree");
	gshmemi_host_free(c->request);
	memset(c, 0, sizeof *c);
}

int gshmemi_rpc_channel_open(
	const struct gshmemi_rpc_shape *shape, struct gshmemi_rpc_channel *channel_p, size_t *nbytes_p)
{
	struct gshmemi_rpc_channel c;
	struct layout layout;
	void *base;
	int rc;

	memset(&c, 0, sizeof c);
	lay_out(shape, &layout);
	rc = gshmemi_hip_advise(hipHostMalloc(&base, layout.nbytes,
					hipHostMallocMapped | hipHostMallocPortable | hipHostMallocCoherent),
		"fewer slots need less: GSHMEM_RPC_SLOTS", "rpc: hipHostMalloc of %zu bytes for %u slots",
		layout.nbytes, shape->nslots);
	if (rc)
		return rc;
	set_shared(&c, shape, &layout, base);
	rc = set_client(&c, shape, &layout, base);
	if (!rc)
		rc = set_server(&c, shape, &layout, base);
	if (rc) {
		gshmemi_rpc_channel_close(&c);
		return rc;
	}
	*channel_p = c;
	*nbytes_p = layout.nbytes;
	return 0;
}

int gshmemi_rpc_resident(unsigned *nwaves_p, unsigned *nlanes_p)
{
	int device = 0, ncus = 0, nthreads = 0, width = 0, rc;

	rc = gshmemi_hip(hipGetDevice(&device), "rpc: hipGetDevice");
	if (!rc)
		rc = gshmemi_hip(hipDeviceGetAttribute(&ncus, hipDeviceAttributeMultiprocessorCount, device),
			"rpc: compute units of device %d", device);
	if (!rc)
		rc = gshmemi_hip(hipDeviceGetAttribute(
					 &nthreads, hipDeviceAttributeMaxThreadsPerMultiProcessor, device),
			"rpc: threads of a compute unit of device %d", device);
	if (!rc)
		rc = gshmemi_hip(hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, device),
			"rpc: lanes of a wave of device %d", device);
	if (rc)
		return rc;
	*nwaves_p = (unsigned)ncus * (unsigned)(nthreads / width);
	*nlanes_p = (unsigned)width;
	return 0;
}

/* ---- users' channels ---- */

static int check_shape(unsigned nlanes, unsigned flags)
{
	if (flags & ~(GSHMEMX_RPC_CLEAR | GSHMEMX_RPC_HOST_CLIENT | GSHMEMX_RPC_DEVICE_SERVER))
		gshmemi_error("gshmemx_rpc_channel_create: flags %#x: must be a combination of "
			      "GSHMEMX_RPC_CLEAR, _HOST_CLIENT and _DEVICE_SERVER",
			flags);
	else if (nlanes != 0 && nlanes != 1 && nlanes != 32 && nlanes != 64)
		gshmemi_error("gshmemx_rpc_channel_create: %u lanes: must be 1, 32 or 64, or 0 for as many "
			      "as the device's waves have",
			nlanes);
	else
		return 0;
	return -EINVAL;
}

int gshmemx_rpc_channel_create(
	unsigned nslots, unsigned nlanes, unsigned flags, gshmemx_rpc_channel_t *channel)
{
	struct gshmemi_rpc_shape shape;
	unsigned nwaves, width;
	size_t nbytes;
	int rc;

	rc = gshmemi_enter_int("gshmemx_rpc_channel_create");
	if (!rc)
		rc = check_shape(nlanes, flags);
	if (!rc)
		rc = gshmemi_rpc_resident(&nwaves, &width);
	if (rc)
		return rc;
	nslots = nslots ? nslots : nwaves;
	shape.nslots = (nslots + GSHMEMI_RPC_GROUP - 1) / GSHMEMI_RPC_GROUP * GSHMEMI_RPC_GROUP;
	shape.nlanes = nlanes ? nlanes : width;
	shape.flags = GSHMEMI_RPC_SHARED | (flags & GSHMEMX_RPC_CLEAR ? GSHMEMI_RPC_CLEAR : 0);
	shape.is_host_client = (flags & GSHMEMX_RPC_HOST_CLIENT) != 0;
	shape.is_device_server = (flags & GSHMEMX_RPC_DEVICE_SERVER) != 0;
	shape.first_seq = gshmemi_env.FIRST_SEQ & ~1U;
	rc = gshmemi_rpc_channel_open(&shape, channel, &nbytes);
	if (!rc)
		channel->bell = NULL; /* without bells, gshmemx_rpc_channel_handle reads all requests */
	return rc;
}

void gshmemx_rpc_channel_stop(const gshmemx_rpc_channel_t *channel)
{
	__atomic_store_n((uint32_t *)(uintptr_t)channel->poison, 1, __ATOMIC_RELEASE);
}

void gshmemx_rpc_channel_destroy(gshmemx_rpc_channel_t *channel)
{
	gshmemi_rpc_channel_close(channel);
}
