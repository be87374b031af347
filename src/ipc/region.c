/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions and their tables: see ipc/region.h. */
#include "ipc/region.h"

#include <gshmem/move/carry.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scale.h"
#include "bootstrap/bootstrap.h"
#include "device/devmem.h"
#include "ipc/globals.h"
#include "job/job.h"
#include "job/races.h"

/* A PE of this machine, in a region. */
struct part {
	struct gshmemi_memory memory;
	struct gshmemi_opening *opening; /* NULL: it is not mapped */
};

/*
 * Kept when its region is removed, for the next region of that number: freeing device memory would
 * wait for kernels.
 */
struct region {
	const char *what;
	ptrdiff_t *delta;            /* [2][npeers], host-pinned; the second half is for atomics */
	struct gshmemi_table *table; /* device memory; NULL for the regions whose tables are in the state */
	struct part parts[];         /* [npeers] */
};

/* how many regions' tables are allocated together, because each allocation may take a file descriptor */
#define CHUNK 16
static struct gshmemi_table *chunks[GSHMEMI_NREGIONS / CHUNK];
static struct region *objects[GSHMEMI_NREGIONS];
static struct gshmemi_region *regions;                   /* [GSHMEMI_NREGIONS], and in the same memory ... */
static int32_t *peers;                                   /* [npes]; kernels read both */
static const struct gshmemi_table **tables;              /* [GSHMEMI_NREGIONS], device memory */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while a region is added, mapped or removed */

static size_t tables_nbytes(int npes)
{
	return GSHMEMI_NREGIONS * sizeof *regions + (size_t)npes * sizeof *peers;
}

static size_t distances_nbytes(int npeers)
{
	return 2 * (size_t)npeers * sizeof(ptrdiff_t);
}

static size_t object_nbytes(int npeers)
{
	return sizeof(struct region) + (size_t)npeers * sizeof(struct part);
}

/* ---- all of them ---- */

static void number_peers(void)
{
	const struct gshmemi_peer *peer = gshmemi_job->peers;
	int i;

	for (i = 0; i < gshmemi_job->npes; i++)
		peers[i] = -1;
	for (i = 0; i < gshmemi_job->npeers; i++, peer++)
		peers[peer->pe] = 2 * i +
			(!peer->is_local || gshmemi_env_carrier(gshmemi_job->my_pe, peer->pe)
					? GSHMEMI_PEER_CARRIED
					: 0);
}

int gshmemi_regions_open(void)
{
	const size_t nbytes = GSHMEMI_NREGIONS * sizeof *tables;
	void *ptr;
	int rc;

	rc = gshmemi_host_allocate(tables_nbytes(gshmemi_job->npes), "table of regions", &ptr);
	if (rc)
		return rc;
	regions = ptr;
	peers = (int32_t *)(regions + GSHMEMI_NREGIONS);
	number_peers();
	rc = gshmemi_openings_create(gshmemi_job->npeers);
	if (!rc)
		rc = gshmemi_hip(hipMalloc(&ptr, nbytes),
			"init: hipMalloc of %zu bytes for the tables of regions", nbytes);
	if (!rc) {
		tables = ptr;
		rc = gshmemi_devmem_fill(tables, 0, nbytes, "init: the tables of regions");
	}
	if (rc)
		gshmemi_regions_close();
	return rc;
}

static void free_device(void *ptr)
{
	if (ptr)
		gshmemi_hip_ignore(hipFree(ptr), "hipFree");
}

void gshmemi_regions_close(void)
{
	unsigned i;

	gshmemi_openings_destroy();
	for (i = 0; i < GSHMEMI_NREGIONS; i++) {
		if (!objects[i])
			continue;
		gshmemi_host_free(objects[i]->delta);
		free(objects[i]);
		objects[i] = NULL;
	}
	for (i = 0; i < GSHMEMI_NREGIONS / CHUNK; i++) {
		free_device(chunks[i]);
		chunks[i] = NULL;
	}
	free_device(tables);
	gshmemi_host_free(regions);
	tables = NULL;
	regions = NULL;
	gshmemi_races_close();
}

/*
 * Sets the distances to a peer. The one for atomics is the same as for puts, or a sentinel; put_signal
 * relies on that.
 */
static void set_delta(unsigned region, int peer, ptrdiff_t delta)
{
	const bool has_atomics = region == GSHMEMI_REGION_SYNC || gshmemi_job->peers[peer].has_atomics;
	ptrdiff_t *const table = objects[region]->delta;

	table[peer] = delta;
	table[gshmemi_job->npeers + peer] = has_atomics ? delta : GSHMEMI_SENTINEL;
}

/* ---- one of them ---- */

/* Any thread may add, map and remove, whatever its current device is. */
static struct gshmemi_devmem_caller enter_device(void)
{
	pthread_mutex_lock(&lock);
	return gshmemi_devmem_enter();
}

static void leave_device(struct gshmemi_devmem_caller previous)
{
	gshmemi_devmem_leave(previous);
	pthread_mutex_unlock(&lock);
}

/* The state has the tables of the other regions. */
static bool has_table(unsigned region)
{
	return region == GSHMEMI_REGION_CONTROL || region >= GSHMEMI_NFIXED;
}

/* Allocates a table for kernels, which find it by the region's number. */
static int allocate_table(unsigned region, const char *what, struct gshmemi_table **table_p)
{
	struct gshmemi_table **chunk = &chunks[region / CHUNK];
	const size_t nbytes = CHUNK * sizeof **chunk;
	void *ptr;
	int rc;

	if (!*chunk) {
		rc = gshmemi_hip(
			hipMalloc(&ptr, nbytes), "hipMalloc of %zu bytes for tables of regions", nbytes);
		if (rc)
			return rc;
		*chunk = ptr;
	}
	*table_p = *chunk + region % CHUNK;
	return gshmemi_devmem_copy(&tables[region], table_p, sizeof *table_p, what);
}

static int allocate_tables(unsigned region, const char *what)
{
	struct region *object = calloc(1, object_nbytes(gshmemi_job->npeers));
	void *ptr = NULL;
	int rc;

	if (!object) {
		gshmemi_error("the %s: out of memory", what);
		return -ENOMEM;
	}
	rc = gshmemi_host_allocate(distances_nbytes(gshmemi_job->npeers), "distances", &ptr);
	object->delta = ptr;
	if (!rc && has_table(region))
		rc = allocate_table(region, what, &object->table);
	if (rc) {
		gshmemi_host_free(object->delta);
		free(object);
		return rc;
	}
	objects[region] = object;
	return 0;
}

/*
 * Returns the PE that has the first entry of all tables. It is 0 if all PEs fit, so that they may be placed
 * in any order.
 */
static int find_first(void)
{
	const struct gshmemi_peer *peer = gshmemi_job->peers;

	while (!peer->is_local)
		peer++;
	return gshmemi_job->npes < GSHMEM_MAX_PES ? 0 : peer->pe;
}

/*
 * Fills the tables of the direct path with the PEs of this node; the last entry stays a sentinel. Checks,
 * late delivery, counters and the trace must see every call, so with them all entries are sentinels. Returns
 * how many PEs have an entry.
 */
static int fill_tables(unsigned region, ptrdiff_t *delta, ptrdiff_t *amo_delta)
{
	const struct gshmemi_peer *peer = gshmemi_job->peers;
	const bool is_slow = gshmemi_env_sees_calls();
	const int first = find_first();
	unsigned entry;
	int i, n = 0;

	for (i = 0; i < GSHMEM_MAX_PES; i++)
		delta[i] = amo_delta[i] = GSHMEMI_SENTINEL;
	for (i = 0; i < gshmemi_job->npeers; i++, peer++) {
		entry = (unsigned)(peer->pe - first);
		if (!peer->is_local || entry >= GSHMEM_MAX_PES - 1)
			continue;
		n++;
		if (is_slow || peers[peer->pe] & GSHMEMI_PEER_CARRIED)
			continue;
		delta[entry] = regions[region].delta[i];
		amo_delta[entry] = regions[region].amo_delta[i];
	}
	return n;
}

/* Tells the race detector where the parts are that this process reaches. */
static void tell_races(unsigned region)
{
	int i;

	for (i = 0; i < gshmemi_job->npeers; i++)
		if (regions[region].delta[i] != GSHMEMI_SENTINEL)
			gshmemi_races_part(region, gshmemi_job->peers[i].pe,
				regions[region].base + regions[region].delta[i], regions[region].nbytes);
}

/* Writes the table for kernels launched later. */
static int publish(unsigned region)
{
	static struct gshmemi_table filled;

	tell_races(region);
	(void)fill_tables(region, filled.delta, filled.amo_delta);
	return gshmemi_devmem_copy(objects[region]->table, &filled, sizeof filled, objects[region]->what);
}

/* Called with the lock held. */
static int add_region(unsigned region, void *base, uint64_t nbytes, const char *what)
{
	struct region *object;
	int i, rc = objects[region] ? 0 : allocate_tables(region, what);

	if (rc)
		return rc;
	object = objects[region];
	object->what = what;
	for (i = 0; i < gshmemi_job->npeers; i++) {
		memset(&object->parts[i], 0, sizeof object->parts[i]);
		set_delta(region, i, i == gshmemi_job->rank && nbytes ? 0 : GSHMEMI_SENTINEL);
	}
	regions[region] =
		(struct gshmemi_region){base, nbytes, object->delta, object->delta + gshmemi_job->npeers};
	rc = object->table ? publish(region) : 0;
	return rc;
}

int gshmemi_region_add(unsigned region, void *base, uint64_t nbytes, const char *what)
{
	const struct gshmemi_devmem_caller previous = enter_device();
	const int rc = add_region(region, base, nbytes, what);

	leave_device(previous);
	return rc;
}

void gshmemi_region_remove(unsigned region)
{
	struct part *part = objects[region]->parts;
	struct gshmemi_devmem_caller previous = enter_device();
	int i;

	gshmemi_races_remove(region);
	for (i = 0; i < gshmemi_job->npeers; i++)
		set_delta(region, i, GSHMEMI_SENTINEL);
	(void)publish(region); /* a kernel that still uses the number finds sentinels */
	for (i = 0; i < gshmemi_job->npeers; i++, part++)
		if (part->opening)
			gshmemi_opening_give(i, part->opening);
	leave_device(previous);
}

void gshmemi_region_tell(unsigned region, int peer, const struct gshmemi_memory *memory)
{
	objects[region]->parts[peer].memory = *memory;
}

/* ---- mapping ---- */

static hipError_t try(unsigned region, int peer, void *place)
{
	struct part *part = &objects[region]->parts[peer];
	const hipError_t error = gshmemi_opening_take(peer, &part->memory, place, &part->opening);

	if (error == hipSuccess)
		set_delta(region, peer,
			(ptrdiff_t)((uintptr_t)part->opening->base + part->memory.offset -
				(uintptr_t)regions[region].base));
	return error;
}

/* Pauses before each attempt but the first. If the devices have no access, further attempts are useless. */
static hipError_t try_often(unsigned region, int peer, void *place)
{
	hipError_t error = try(region, peer, place);
	int i;

	for (i = 1;
		i < GSHMEMI_REGION_ATTEMPTS && error != hipSuccess && error != hipErrorPeerAccessUnsupported;
		i++) {
		usleep(1000U << i);
		error = try(region, peer, place);
	}
	return error;
}

int gshmemi_region_map(unsigned region, int peer, void *place)
{
	const int pe = gshmemi_job->peers[peer].pe;
	const hipError_t error = try_often(region, peer, place);
	char what[320], why[128];

	if (error == hipSuccess)
		return 0;
	if (error == hipErrorPeerAccessUnsupported)
		return -EXDEV;
	gshmemi_job_explain(pe, why, sizeof why);
	snprintf(what, sizeof what, "init: hipIpcOpenMemHandle of the %s of PE %d, pid %d on %s (%s)",
		objects[region]->what, pe, (int)gshmemi_job->peers[peer].pid, gshmemi_job->host, why);
	if (!GSHMEMI_HAS_NET)
		return gshmemi_hip(error, "%s", what);
	if (gshmemi_report_file_limit(what)) /* MPI needs files too */
		return -EMFILE;
	gshmemi_warn("%s: %s (%s)%s, in %d attempts: operations of PE %d on PE %d go over MPI", what,
		hipGetErrorString(error), hipGetErrorName(error),
		gshmemi_lacks_space(regions[region].nbytes) ? ": this process may map no more (ulimit -v)"
							    : "",
		GSHMEMI_REGION_ATTEMPTS, gshmemi_job->my_pe, pe);
	return -EREMOTE;
}

void gshmemi_region_unmap(unsigned region, int peer)
{
	struct part *part = &objects[region]->parts[peer];

	set_delta(region, peer, GSHMEMI_SENTINEL);
	if (part->opening)
		gshmemi_opening_give(peer, part->opening);
	part->opening = NULL;
}

/* Called with the lock held. */
static void reach(unsigned region, int peer)
{
	struct part *part = &objects[region]->parts[peer];
	hipError_t error = hipErrorPeerAccessUnsupported;

	if (peer == gshmemi_job->rank || !part->memory.nbytes)
		return;
	if (gshmemi_job->peers[peer].is_mapped) /* a descriptor is there at once, or not at all */
		error = part->memory.npieces ? try(region, peer, NULL) : try_often(region, peer, NULL);
	if (error != hipSuccess && error != hipErrorPeerAccessUnsupported)
		gshmemi_warn("%s of the %s of PE %d: %s: operations of PE %d on it go over MPI",
			part->memory.npieces ? "mapping" : "hipIpcOpenMemHandle", objects[region]->what,
			gshmemi_job->peers[peer].pe, hipGetErrorString(error), gshmemi_job->my_pe);
}

int gshmemi_region_open(unsigned region)
{
	struct gshmemi_devmem_caller previous = enter_device();
	int i, rc;

	for (i = 0; i < gshmemi_job->npeers; i++)
		reach(region, i);
	rc = publish(region);
	leave_device(previous);
	return rc;
}

int gshmemi_region_publish(unsigned region)
{
	struct gshmemi_devmem_caller previous = enter_device();
	int rc = publish(region);

	leave_device(previous);
	return rc;
}

void gshmemi_region_tables(unsigned region, const ptrdiff_t **delta_p, const ptrdiff_t **amo_delta_p)
{
	*delta_p = objects[region]->table->delta;
	*amo_delta_p = objects[region]->table->amo_delta;
}

ptrdiff_t gshmemi_region_delta(unsigned region, int pe)
{
	return peers[pe] < 0 ? GSHMEMI_SENTINEL : regions[region].delta[peers[pe] >> 1];
}

/* ---- what kernels need to know ---- */

/* Whether this process cannot reach a PE's memory, or cannot do atomics on it. */
static bool needs_net(int pe)
{
	const struct gshmemi_region *heap = &regions[GSHMEMI_REGION_HEAP];

	return peers[pe] < 0 || heap->amo_delta[peers[pe] >> 1] == GSHMEMI_SENTINEL;
}

bool gshmemi_regions_need_net(void)
{
	int pe;

	for (pe = 0; GSHMEMI_HAS_NET && pe < gshmemi_job->npes; pe++)
		if (needs_net(pe))
			return true;
	return false;
}

int gshmemi_regions_check_net(void)
{
	int pe = 0;

	while (pe < gshmemi_job->npes && !needs_net(pe))
		pe++;
	return gshmemi_bootstrap_check_carrying(
		gshmemi_job->my_pe, pe < gshmemi_job->npes ? pe : gshmemi_job->my_pe);
}

static uint32_t find_why(bool has_net)
{
	const struct gshmemi_region *heap = &regions[GSHMEMI_REGION_HEAP];
	uint32_t why = (gshmemi_job->npes >= GSHMEM_MAX_PES ? GSHMEMI_WHY_PEERS : 0) |
		(gshmemi_job->nnodes > 1 ? GSHMEMI_WHY_NODES : 0);
	int pe, peer;

	for (pe = 0; pe < gshmemi_job->npes; pe++) {
		peer = peers[pe] >> 1;
		if (peers[pe] & GSHMEMI_PEER_CARRIED || heap->amo_delta[peer] == GSHMEMI_SENTINEL)
			why |= GSHMEMI_WHY_PEERS;
		if (peer >= 0 && peers[pe] & GSHMEMI_PEER_CARRIED && heap->delta[peer] != GSHMEMI_SENTINEL)
			why |= GSHMEMI_WHY_CARRY;
		if (has_net && needs_net(pe))
			why |= GSHMEMI_WHY_NET |
				(peer >= 0 && heap->delta[peer] != GSHMEMI_SENTINEL ? GSHMEMI_WHY_MIXED : 0);
	}
	return why;
}

int gshmemi_regions_describe(bool has_net, struct gshmemi_state *state)
{
	unsigned region;

	for (region = 0; region < GSHMEMI_NFIXED; region++)
		if (objects[region])
			tell_races(region);
	state->regions = regions;
	state->peers = peers;
	state->tables = tables;
	state->why |= find_why(has_net);
	state->direct.bias = -8U * (unsigned)find_first();
	/* one table for both */
	(void)fill_tables(GSHMEMI_REGION_SYNC, state->direct.sync_delta, state->direct.sync_delta);
	return fill_tables(GSHMEMI_REGION_HEAP, state->direct.delta, state->direct.amo_delta);
}

void gshmemi_regions_scale(struct gshmemi_scale *scale)
{
	const unsigned nregions = gshmemi_globals_layout() ? GSHMEMI_NFIXED : GSHMEMI_REGION_GLOBALS;

	gshmemi_scale_add(scale, GSHMEMI_SCALE_PINNED, "regions", tables_nbytes(scale->npes));
	gshmemi_scale_add(
		scale, GSHMEMI_SCALE_PINNED, "distances", nregions * distances_nbytes(scale->npeers));
	gshmemi_scale_add(scale, GSHMEMI_SCALE_DEVICE, "tables_of_regions",
		GSHMEMI_NREGIONS * sizeof *tables + CHUNK * sizeof **chunks);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "mappings", nregions * object_nbytes(scale->npeers));
}
