/* SPDX-License-Identifier: BSD-3-Clause */
#include "ipc/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scale.h"
#include "ipc/globals.h"
#include "ipc/job.h"
#include "ipc/life.h"

/* Memory in another process: a handle names an allocation, the object may start inside of it. */
struct region {
	hipIpcMemHandle_t handle;
	uint64_t offset;
	uint64_t nbytes; /* of the allocation */
};

/*
 * A device as all processes of a node know it; ordinals differ between them. Some GPUs have no UUID of their own, and
 * the parts of a divided one share a bus address.
 */
struct device_id {
	hipUUID uuid;
	char bus[16];
};

/* What each PE tells the others on its machine. */
struct card {
	struct region heap;
	struct region sync;
	struct region globals;   /* the program's variables; nothing where they cannot be symmetric */
	struct device_id device;
	int64_t life_fd; /* descriptor there, for gshmemi_life_open_peer */
};

/* Mappings of one peer, as hipIpcOpenMemHandle gave them. */
struct mapping {
	void *heap;
	void *sync;
	void *globals;
};

static struct mapping *mappings; /* [npeers] */
static uint64_t nopened;         /* handles */

/* How this PE gets at a peer's device. */
struct access {
	bool can_map;
	bool has_atomics;
};

static int export_region(void *base, const char *what, struct region *region_p)
{
	hipDeviceptr_t start;
	size_t nbytes;
	int rc;

	rc = gshmemi_hip(hipMemGetAddressRange(&start, &nbytes, base), "init: hipMemGetAddressRange of the %s", what);
	if (rc)
		return rc;
	rc = gshmemi_hip_advise(hipIpcGetMemHandle(&region_p->handle, start),
				"can processes share memory on this device (bare metal or a container with --ipc=host; "
				"not WSL, not Windows)?",
				"init: hipIpcGetMemHandle of the %s", what);
	if (rc)
		return rc;
	region_p->offset = (uint64_t)((char *)base - (char *)start);
	region_p->nbytes = nbytes;
	return 0;
}

static int identify(int device, struct device_id *id_p)
{
	int rc;

	memset(id_p, 0, sizeof *id_p);
	rc = gshmemi_hip(hipDeviceGetUuid(&id_p->uuid, device), "init: hipDeviceGetUuid of device %d", device);
	if (!rc)
		rc = gshmemi_hip(hipDeviceGetPCIBusId(id_p->bus, sizeof id_p->bus, device),
				 "init: hipDeviceGetPCIBusId of device %d", device);
	return rc;
}

static int fill_card(struct card *card, int device, int life_fd, char *heap, struct gshmemi_sync *sync)
{
	int rc;

	card->life_fd = life_fd;
	rc = identify(device, &card->device);
	if (!rc)
		rc = export_region(heap, "heap", &card->heap);
	if (!rc)
		rc = export_region(sync, "sync region", &card->sync);
	if (!rc && gshmemi_globals_layout())
		rc = export_region(gshmemi_globals_base(), "program's variables", &card->globals);
	return rc;
}

/* ---- devices ---- */

/* The ordinal here of a peer's device, -1 if this process cannot see it. */
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
 * A device that this process cannot see, because a launcher gave each PE its own, may still be mapped: opening the
 * handle decides. Whether its atomics are native cannot be asked then, and is not assumed.
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
	rc = gshmemi_hip(hipDeviceGetP2PAttribute(&has_atomics, hipDevP2PAttrNativeAtomicSupported, device, peer),
			 "init: hipDeviceGetP2PAttribute of devices %d and %d", device, peer);
	if (rc)
		return rc;
	*access_p = (struct access){can_map, has_atomics};
	return 0;
}

/* ---- opening ---- */

/* place is where the allocation shall be mapped, NULL: anywhere. */
static int open_region(int pe, const struct region *region, const char *what, void *place, void **mapping_p)
{
	hipError_t error;
	void *mapping;
	char why[128];

	GSHMEMI_ARCH_PLACE(place);
	error = hipIpcOpenMemHandle(&mapping, region->handle, hipIpcMemLazyEnablePeerAccess);
	GSHMEMI_ARCH_PLACE(NULL);
	if (error == hipErrorPeerAccessUnsupported)
		return -EXDEV;
	if (error != hipSuccess) {
		gshmemi_job_explain(pe, why, sizeof why);
		return gshmemi_hip(error, "init: hipIpcOpenMemHandle of the %s of PE %d, pid %d on %s (%s)", what, pe,
				   (int)gshmemi_job_find(pe)->pid, gshmemi_job->host, why);
	}
	nopened++;
	*mapping_p = mapping;
	return 0;
}

static void close_mapping(void **mapping)
{
	if (*mapping)
		gshmemi_hip_ignore(hipIpcCloseMemHandle(*mapping), "hipIpcCloseMemHandle");
	*mapping = NULL;
}

static ptrdiff_t distance(void *mapping, const struct region *region, const void *own)
{
	return (ptrdiff_t)((uintptr_t)mapping + region->offset - (uintptr_t)own);
}

/* The peer's variables, if they are symmetric, and where its heap must go then. */
static int open_globals(int pe, const struct card *card, struct mapping *mapping, char *heap, void **heap_place_p)
{
	char *heap_start = heap - card->heap.offset;
	ptrdiff_t delta;

	*heap_place_p = NULL;
	if (!gshmemi_globals.nbytes)
		return 0;
	delta = gshmemi_globals_find_delta(heap_start, card->heap.nbytes);
	if (!delta)
		return -ENOMEM;
	*heap_place_p = heap_start + delta;
	return open_region(pe, &card->globals, "program's variables", gshmemi_globals.base + delta, &mapping->globals);
}

/* Map peer i; -EXDEV when there is no access. What is open after an error is closed by gshmemi_map_close. */
static int open_peer(int i, const struct card *card, const struct gshmemi_peers *peers, char *heap,
		     struct gshmemi_sync *sync)
{
	struct mapping *mapping = &mappings[i];
	const int pe = gshmemi_job->peers[i].pe;
	void *heap_place;
	int rc;

	rc = open_region(pe, &card->sync, "sync region", NULL, &mapping->sync);
	if (rc)
		return rc;
	rc = open_globals(pe, card, mapping, heap, &heap_place);
	if (rc)
		return rc;
	rc = open_region(pe, &card->heap, "heap", heap_place, &mapping->heap);
	if (rc)
		return rc;
	peers->delta[pe] = distance(mapping->heap, &card->heap, heap);
	peers->sync_delta[pe] = distance(mapping->sync, &card->sync, sync);
	return 0;
}

static int open_peers(const struct card *cards, int device, char *heap, struct gshmemi_sync *sync,
		      const struct gshmemi_peers *peers, bool *has_atomics_p)
{
	const struct gshmemi_peer *peer;
	struct access access;
	int i, rc;

	*has_atomics_p = gshmemi_job->npeers == gshmemi_job->npes;
	for (i = 0; i < gshmemi_job->npeers; i++) {
		peer = &gshmemi_job->peers[i];
		if (i == gshmemi_job->rank) {
			peers->delta[peer->pe] = peers->sync_delta[peer->pe] = 0;
			gshmemi_job_set_mapped(i);
			continue;
		}
		access = (struct access){false, false};
		/* A carrier of this process writes to the memory of pretended nodes, too. */
		rc = peer->is_local || gshmemi_env.CARRY ? find_access(&cards[i].device, device, &access) : 0;
		if (rc)
			return rc;
		rc = access.can_map ? open_peer(i, &cards[i], peers, heap, sync) : -EXDEV;
		if (rc && rc != -EXDEV)
			return rc;
		if (!rc)
			gshmemi_job_set_mapped(i);
		gshmemi_life_open_peer(peer->pe, (int)cards[i].life_fd);
		*has_atomics_p &= !rc && access.has_atomics;
	}
	return 0;
}

/* One line for all peers of this node that are out of reach. */
static void warn_unmapped(void)
{
	int i, nmissing = 0, length = 0;
	const struct gshmemi_peer *peer;
	char list[256] = "";

	for (i = 0; i < gshmemi_job->npeers; i++) {
		peer = &gshmemi_job->peers[i];
		if (!peer->is_local || peer->is_mapped)
			continue;
		if (length < (int)sizeof list - 16)
			length += snprintf(list + length, sizeof list - (size_t)length, "%s%d", nmissing ? ", " : "",
					   peer->pe);
		nmissing++;
	}
	if (nmissing)
		gshmemi_warn("init: no peer access between the device of PE %d and %s of PE %s: calls to %s fail",
			     gshmemi_job->my_pe, nmissing > 1 ? "those" : "that", list, nmissing > 1 ? "them" : "it");
}

/* ---- exchange ---- */

static void clear(const struct gshmemi_peers *peers)
{
	int pe;

	for (pe = 0; pe < gshmemi_job->npes; pe++)
		peers->delta[pe] = peers->sync_delta[pe] = peers->amo_delta[pe] = GSHMEMI_SENTINEL;
}

/*
 * The alignment that heaps have on all PEs; and variables are symmetric if all PEs run the same program as PE
 * 0.
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
		gshmemi_warn("init: PE %d runs another program than PE 0: its variables are not symmetric",
			     (int)words[1]);
}

static size_t mappings_nbytes(int npeers)
{
	return (size_t)npeers * sizeof *mappings;
}

static int connect_peers(const struct card *cards, int device, char *heap, struct gshmemi_sync *sync,
			 const struct gshmemi_peers *peers)
{
	bool has_atomics = false;
	int rc;

	mappings = calloc(1, mappings_nbytes(gshmemi_job->npeers));
	if (!mappings)
		gshmemi_error("init: no memory for the table of mappings");
	rc = mappings ? open_peers(cards, device, heap, sync, peers, &has_atomics) : -ENOMEM;
	rc = gshmemi_bootstrap_agree(rc, &has_atomics);
	if (rc) {
		gshmemi_map_close();
		gshmemi_bootstrap_barrier(); /* the owners free after this */
		return rc;
	}
	if (has_atomics)
		memcpy(peers->amo_delta, peers->delta, (size_t)gshmemi_job->npes * sizeof *peers->delta);
	else if (gshmemi_job->my_pe == 0)
		gshmemi_info("init: some pair of PEs has no native atomics");
	warn_unmapped();
	return 0;
}

/* PEs of this machine with the device of this PE. */
static int count_sharers(const struct card *cards)
{
	const struct card *mine = &cards[gshmemi_job->rank];
	int i, n = 0;

	for (i = 0; i < gshmemi_job->npeers; i++)
		n += memcmp(&cards[i].device, &mine->device, sizeof mine->device) == 0;
	return n;
}

static size_t cards_nbytes(int npeers)
{
	return (size_t)npeers * sizeof(struct card);
}

int gshmemi_map_open(int rc, int device, int life_fd, char *heap, struct gshmemi_sync *sync, const struct gshmemi_peers *peers,
		     size_t *heap_align_p)
{
	struct card mine, *cards;

	nopened = 0;
	memset(&mine, 0, sizeof mine);
	if (!rc)
		rc = fill_card(&mine, device, life_fd, heap, sync);
	rc = gshmemi_bootstrap_agree(rc, NULL);
	if (rc)
		return rc;
	compare(heap, heap_align_p);
	cards = calloc(1, cards_nbytes(gshmemi_job->npeers));
	if (!cards)
		gshmemi_end(1); /* the other PEs are in the exchange and cannot be told */
	gshmemi_bootstrap_allgather_node(&mine, cards, sizeof mine);
	gshmemi_job_set_sharers(count_sharers(cards));
	clear(peers);
	rc = connect_peers(cards, device, heap, sync, peers);
	free(cards);
	return rc;
}

void gshmemi_map_close(void)
{
	int i;

	for (i = 0; mappings && i < gshmemi_job->npeers; i++) {
		close_mapping(&mappings[i].heap);
		close_mapping(&mappings[i].sync);
		close_mapping(&mappings[i].globals);
	}
	free(mappings);
	mappings = NULL;
}

uint64_t gshmemi_map_nopened(void)
{
	return nopened;
}

void gshmemi_map_scale(struct gshmemi_scale *scale)
{
	const uint64_t nregions = gshmemi_globals_layout() ? 3 : 2;

	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES);  /* map_open */
	gshmemi_traffic_add(&scale->traffic, false, sizeof(uint64_t));      /* compare */
	gshmemi_traffic_add(&scale->traffic, false, 2 * sizeof(int64_t));
	gshmemi_traffic_add(&scale->traffic, true, cards_nbytes(scale->npeers));
	gshmemi_traffic_add(&scale->traffic, false, GSHMEMI_AGREE_NBYTES);  /* connect_peers */
	scale->nhandles = nregions * (uint64_t)(scale->npeers - 1);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_HOST, "mappings", mappings_nbytes(scale->npeers));
	gshmemi_scale_add(scale, GSHMEMI_SCALE_INIT, "handles", cards_nbytes(scale->npeers));
}
