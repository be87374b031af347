/* SPDX-License-Identifier: BSD-3-Clause */
#include "ipc/map.h"

#include <gshmem/move/carry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scale.h"
#include "bootstrap/bootstrap.h"
#include "ipc/globals.h"
#include "ipc/region.h"
#include "job/job.h"
#include "job/life.h"

/*
 * Identifies a device for all processes of a node, whose device numbers may differ. Both fields are needed:
 * some GPUs have no unique UUID, and the parts of a partitioned GPU share a bus address.
 */
struct device_id {
	hipUUID uuid;
	char bus[16];
};

/* What each PE tells the others on its machine. */
struct card {
	/* for the program's variables: all 0 if they cannot be symmetric */
	struct gshmemi_memory memory[GSHMEMI_NFIXED];
	struct device_id device;
	int64_t life_fd; /* descriptor in that process, for gshmemi_life_open_peer */
};

/* How this PE's device can reach a peer's device. */
struct access {
	bool can_map;
	bool has_atomics;
};

static int identify(int device, struct device_id *id_p)
{
	int rc;

	memset(id_p, 0, sizeof *id_p);
	rc = gshmemi_hip(
		hipDeviceGetUuid(&id_p->uuid, device), "init: hipDeviceGetUuid of device %d", device);
	if (!rc)
		rc = gshmemi_hip(hipDeviceGetPCIBusId(id_p->bus, sizeof id_p->bus, device),
			"init: hipDeviceGetPCIBusId of device %d", device);
	return rc;
}

static const char *const names[] = {
	[GSHMEMI_REGION_HEAP] = "heap",
	[GSHMEMI_REGION_SYNC] = "sync region",
	[GSHMEMI_REGION_CONTROL] = "control blocks",
	[GSHMEMI_REGION_GLOBALS] = "program's variables",
};

static int fill_card(struct card *card, const struct gshmemi_mine *mine)
{
	const bool has_globals = gshmemi_globals_layout() != 0;
	int i, rc;

	card->life_fd = mine->life_fd;
	rc = identify(mine->device, &card->device);
	for (i = 0; i < (has_globals ? GSHMEMI_NFIXED : GSHMEMI_REGION_GLOBALS) && !rc; i++)
		rc = gshmemi_memory_export(
			i == GSHMEMI_REGION_GLOBALS ? gshmemi_globals_base() : mine->bases[i], "init",
			names[i], &card->memory[i], NULL);
	return rc;
}

/* ---- devices ---- */

/* Finds this process's number for a peer's device, -1 if it cannot see the device. */
static int find_device(const struct device_id *id, int *device_p)
{
	int ndevices, device, rc;
	struct device_id found;

	rc = gshmemi_hip(hipGetDeviceCount(&ndevices), "init: hipGetDeviceCount");
	if (rc)
		return rc;
	*device_p = -1;
	for (device = 0; device < ndevices && *device_p < 0; device++) {
		rc = identify(device, &found);
		if (rc)
			return rc;
		if (memcmp(&found, id, sizeof found) == 0)
			*device_p = device;
	}
	return 0;
}

/*
 * A device may be invisible to this process because a launcher gave each PE its own. It may still be
 * mappable: opening the handle decides. Whether its atomics are native cannot be found out, so assume
 * they are not.
 */
static int find_access(const struct device_id *id, int device, struct access *access_p)
{
	int peer, can_map, has_atomics, rc;

	rc = find_device(id, &peer);
	if (rc)
		return rc;
	if (peer < 0 || peer == device) {
		*access_p = (struct access){true, peer == device};
		return 0;
	}
	rc = gshmemi_hip(hipDeviceCanAccessPeer(&can_map, device, peer),
		"init: hipDeviceCanAccessPeer of devices %d and %d", device, peer);
	if (rc)
		return rc;
	rc = gshmemi_hip(
		hipDeviceGetP2PAttribute(&has_atomics, hipDevP2PAttrNativeAtomicSupported, device, peer),
		"init: hipDeviceGetP2PAttribute of devices %d and %d", device, peer);
	if (rc)
		return rc;
	*access_p = (struct access){can_map, GSHMEMI_ARCH_HAS_ATOMICS(has_atomics)};
	return 0;
}

/* ---- opening ---- */

/* Adds this PE's part of each region. */
static int add_regions(const struct gshmemi_mine *mine)
{
	int i, rc = 0;

	for (i = 0; i < GSHMEMI_REGION_GLOBALS && !rc; i++)
		rc = gshmemi_region_add((unsigned)i, mine->bases[i], mine->nbytes[i], names[i]);
	if (!rc && gshmemi_globals.nbytes)
		rc = gshmemi_region_add(GSHMEMI_REGION_GLOBALS, gshmemi_globals.base, gshmemi_globals.nbytes,
			names[GSHMEMI_REGION_GLOBALS]);
	return rc;
}

/*
 * Maps peer i. If the program's variables are symmetric, the heap must be mapped at the same distance
 * as the variables.
 */
static int open_peer(int i, const struct card *card, char *heap)
{
	char *const heap_start = heap - card->memory[GSHMEMI_REGION_HEAP].offset;
	ptrdiff_t delta = 0;
	int rc;

	rc = gshmemi_region_map(GSHMEMI_REGION_SYNC, i, NULL);
	if (!rc) /* it is in the same allocation, which is now open */
		rc = gshmemi_region_map(GSHMEMI_REGION_CONTROL, i, NULL);
	if (!rc && gshmemi_globals.nbytes) {
		delta = gshmemi_globals_find_delta(heap_start, card->memory[GSHMEMI_REGION_HEAP].nbytes);
		rc = delta ? gshmemi_region_map(GSHMEMI_REGION_GLOBALS, i, gshmemi_globals.base + delta)
			   : -ENOMEM;
	}
	return rc ? rc : gshmemi_region_map(GSHMEMI_REGION_HEAP, i, delta ? heap_start + delta : NULL);
}

static unsigned count_regions(void)
{
	return gshmemi_globals.nbytes ? GSHMEMI_NFIXED : GSHMEMI_REGION_GLOBALS;
}

/* Unmaps peer i: a peer is mapped with all of its regions or not at all. */
static void close_peer(int i)
{
	unsigned region;

	for (region = 0; region < count_regions(); region++)
		gshmemi_region_unmap(region, i);
	gshmemi_openings_close_idle(i);
}

/* Maps peer i, or finds that its owner must perform this PE's operations on it. */
static int reach_peer(int i, const struct access *access, const struct card *card, char *heap)
{
	const int rc = access->can_map ? open_peer(i, card, heap) : -EXDEV;

	if (!rc) {
		gshmemi_job_set_mapped(i);
		return 0;
	}
	if (rc == -EREMOTE)
		gshmemi_job_set_unopened(i);
	close_peer(i);
	return rc == -EXDEV || rc == -EREMOTE ? 0 : rc;
}

/* Direct carriers of this process also write to the memory of pretended nodes, so that must be mapped too. */
static bool wants_mapping(const struct gshmemi_peer *peer)
{
	return gshmemi_env_carrier(gshmemi_job->my_pe, peer->pe) != GSHMEMI_CARRIER_NET &&
		(peer->is_local || gshmemi_env_carries_direct());
}

static int open_peers(const struct card *cards, const struct gshmemi_mine *mine)
{
	const struct gshmemi_peer *peer;
	struct access access;
	unsigned region;
	int i, rc;

	for (i = 0; i < gshmemi_job->npeers; i++) {
		peer = &gshmemi_job->peers[i];
		if (i == gshmemi_job->rank) {
			gshmemi_job_set_mapped(i);
			continue;
		}
		access = (struct access){false, false};
		rc = wants_mapping(peer) ? find_access(&cards[i].device, mine->device, &access) : 0;
		if (rc)
			return rc;
		if (access.has_atomics)
			gshmemi_job_set_atomics(i);
		for (region = 0; region < count_regions(); region++)
			gshmemi_region_tell(region, i, &cards[i].memory[region]);
		rc = reach_peer(i, &access, &cards[i], mine->bases[GSHMEMI_REGION_HEAP]);
		if (rc)
			return rc;
		gshmemi_life_open_peer(peer->pe, (int)cards[i].life_fd);
	}
	return 0;
}

/* The handle of such a peer was not tried, because the devices have no access to each other. */
static bool lacks_access(const struct gshmemi_peer *peer)
{
	return peer->is_local && !peer->is_mapped && !peer->is_unopened && wants_mapping(peer);
}

static bool lacks_atomics(const struct gshmemi_peer *peer)
{
	return peer->is_mapped && !peer->has_atomics;
}

static bool is_out_of_sight(const struct gshmemi_peer *peer)
{
	return !gshmemi_job_sees(peer);
}

/* Lists the peers for which is_true holds, as "1, 2". Returns how many there are. */
static int list_peers(bool (*is_true)(const struct gshmemi_peer *), char *list, size_t nbytes)
{
	const struct gshmemi_peer *peer = gshmemi_job->peers;
	int i, n = 0;
	size_t length = 0;

	list[0] = 0;
	for (i = 0; i < gshmemi_job->npeers; i++, peer++) {
		if (!is_true(peer))
			continue;
		if (length < nbytes - 16)
			length += (size_t)snprintf(
				list + length, nbytes - length, "%s%d", n ? ", " : "", peer->pe);
		n++;
	}
	return n;
}

/*
 * Prints one line each: for all peers of this node that are out of reach, for all without atomics, for all
 * in other containers.
 */
static void report_access(void)
{
	char list[256];
	int n = list_peers(lacks_access, list, sizeof list);

	if (n)
		gshmemi_warn(
			"init: no peer access between the device of PE %d and %s of PE %s: calls to %s %s",
			gshmemi_job->my_pe, n > 1 ? "those" : "that", list, n > 1 ? "them" : "it",
			GSHMEMI_HAS_NET ? "go over MPI" : "fail");
	n = list_peers(lacks_atomics, list, sizeof list);
	if (n)
		gshmemi_info("init: no native atomics from the device of PE %d to %s of PE %s",
			gshmemi_job->my_pe, n > 1 ? "those" : "that", list);
	n = list_peers(is_out_of_sight, list, sizeof list);
	if (n)
		gshmemi_warn("init: PE %s, also on this machine, %s in another PID namespace than PE %d, "
			     "which will not notice %s",
			list, n > 1 ? "are" : "is", gshmemi_job->my_pe, n > 1 ? "their deaths" : "its death");
}

/* ---- exchange ---- */

/*
 * Finds the alignment that heaps have on all PEs. Variables are symmetric if all PEs run the same program
 * as PE 0.
 */
static void compare(const char *heap, size_t *heap_align_p)
{
	const uint64_t base = (uintptr_t)heap, layout = gshmemi_globals_layout();
	uint64_t first = layout;
	int64_t words[2] = {(int64_t)(base & -base), INT64_MAX};

	gshmemi_bootstrap_broadcast(&first, sizeof first, 0);
	if (layout != first)
		words[1] = gshmemi_job->my_pe;
	gshmemi_bootstrap_min(words, 2);
	*heap_align_p = (size_t)words[0];
	gshmemi_globals_use(words[1] == INT64_MAX && layout);
	if (words[1] != INT64_MAX && gshmemi_job->my_pe == 0)
		gshmemi_warn(
			"init: PE %d runs a different program than PE 0: its variables are not symmetric",
			(int)words[1]);
}

static int connect_peers(const struct card *cards, const struct gshmemi_mine *mine)
{
	int rc;

	rc = add_regions(mine);
	if (!rc)
		rc = open_peers(cards, mine);
	if (!rc)
		rc = gshmemi_region_publish(GSHMEMI_REGION_CONTROL);
	rc = gshmemi_bootstrap_agree(rc, NULL);
	if (rc) {
		gshmemi_regions_close();
		gshmemi_bootstrap_barrier(); /* the owners free after this */
		return rc;
	}
	report_access();
	return 0;
}

/* Finds the PEs of this machine that use this PE's device. */
static void find_sharers(const struct card *cards)
{
	const struct card *mine = &cards[gshmemi_job->rank];
	int i;

	for (i = 0; i < gshmemi_job->npeers; i++)
		if (memcmp(&cards[i].device, &mine->device, sizeof mine->device) == 0)
			gshmemi_job_set_sharer(i);
}

static size_t cards_nbytes(int npeers)
{
	return (size_t)npeers * sizeof(struct card);
}

int gshmemi_map_open(int rc, const struct gshmemi_mine *mine, size_t *heap_align_p)
{
	struct card card, *cards;
	int local = rc;

	memset(&card, 0, sizeof card);
	if (!local)
		local = fill_card(&card, mine);
	if (!local)
		local = gshmemi_regions_open();
	rc = gshmemi_bootstrap_agree(local, NULL);
	if (rc) {
		if (!local)
			gshmemi_regions_close();
		return rc;
	}
	compare(mine->bases[GSHMEMI_REGION_HEAP], heap_align_p);
	cards = calloc(1, cards_nbytes(gshmemi_job->npeers));
	if (!cards)
		gshmemi_end(1); /* the other PEs are already in the exchange and cannot be told */
	gshmemi_bootstrap_allgather_node(&card, cards, sizeof card);
	find_sharers(cards);
	rc = connect_peers(cards, mine);
	free(cards);
	return rc;
}

void gshmemi_map_scale(struct gshmemi_scale *scale)
{
	const uint64_t nregions = gshmemi_globals_layout() ? 3 : 2;

	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES); /* map_open */
	gshmemi_traffic_add(&scale->traffic, false, sizeof(uint64_t));     /* compare */
	gshmemi_traffic_add(&scale->traffic, false, 2 * sizeof(int64_t));
	gshmemi_traffic_add(&scale->traffic, true, cards_nbytes(scale->npeers));
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES); /* connect_peers */
	scale->nhandles = nregions * (uint64_t)(scale->npeers - 1);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_INIT, "handles", cards_nbytes(scale->npeers));
}
