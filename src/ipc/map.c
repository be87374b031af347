/* SPDX-License-Identifier: BSD-3-Clause */
#include "ipc/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What each PE tells all others. */
struct card {
	struct region heap;
	struct region sync;
	struct region globals;   /* the program's variables; nothing if globals_layout is 0 */
	struct device_id device;
	uint64_t globals_layout;
	uint64_t heap_align;
	int64_t life_fd; /* descriptor there, for gshmemi_life_open_peer */
	int64_t rc;      /* its error so far */
};

/* Mappings of one peer, as hipIpcOpenMemHandle gave them. */
struct mapping {
	void *heap;
	void *sync;
	void *globals;
};

static struct mapping *mappings; /* npes */

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
	uintptr_t base = (uintptr_t)heap;
	int rc;

	card->life_fd = life_fd;
	rc = identify(device, &card->device);
	if (!rc)
		rc = export_region(heap, "heap", &card->heap);
	if (!rc)
		rc = export_region(sync, "sync region", &card->sync);
	card->heap_align = base & -base;
	card->globals_layout = gshmemi_globals_layout();
	if (!rc && card->globals_layout)
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
	const struct gshmemi_peer *peer = &gshmemi_job->peers[pe];
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
				   (int)peer->pid, peer->host, why);
	}
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

/* Map one peer; -EXDEV when there is no access. What is open after an error is closed by gshmemi_map_close. */
static int open_peer(int pe, const struct card *cards, const struct gshmemi_peers *peers, char *heap,
		     struct gshmemi_sync *sync)
{
	struct mapping *mapping = &mappings[pe];
	void *heap_place;
	int rc;

	rc = open_region(pe, &cards[pe].sync, "sync region", NULL, &mapping->sync);
	if (rc)
		return rc;
	rc = open_globals(pe, &cards[pe], mapping, heap, &heap_place);
	if (rc)
		return rc;
	rc = open_region(pe, &cards[pe].heap, "heap", heap_place, &mapping->heap);
	if (rc)
		return rc;
	peers->delta[pe] = distance(mapping->heap, &cards[pe].heap, heap);
	peers->sync_delta[pe] = distance(mapping->sync, &cards[pe].sync, sync);
	return 0;
}

static int open_peers(const struct card *cards, int device, char *heap, struct gshmemi_sync *sync,
		      const struct gshmemi_peers *peers, bool *has_atomics_p)
{
	struct access access;
	int pe, rc;

	*has_atomics_p = true;
	for (pe = 0; pe < gshmemi_job->npes; pe++) {
		if (pe == gshmemi_job->my_pe) {
			peers->delta[pe] = peers->sync_delta[pe] = 0;
			gshmemi_job_set_mapped(pe);
			continue;
		}
		access = (struct access){false, false};
		rc = gshmemi_job->peers[pe].is_local ? find_access(&cards[pe].device, device, &access) : 0;
		if (rc)
			return rc;
		rc = access.can_map ? open_peer(pe, cards, peers, heap, sync) : -EXDEV;
		if (rc && rc != -EXDEV)
			return rc;
		if (!rc)
			gshmemi_job_set_mapped(pe);
		if (gshmemi_job->peers[pe].is_local)
			gshmemi_life_open_peer(pe, (int)cards[pe].life_fd);
		*has_atomics_p &= !rc && access.has_atomics;
	}
	return 0;
}

/* One line for all peers of this node that are out of reach. */
static void warn_unmapped(void)
{
	int pe, nmissing = 0, length = 0;
	char list[256] = "";

	for (pe = 0; pe < gshmemi_job->npes; pe++) {
		if (!gshmemi_job->peers[pe].is_local || gshmemi_job->peers[pe].is_mapped)
			continue;
		if (length < (int)sizeof list - 16)
			length += snprintf(list + length, sizeof list - (size_t)length, "%s%d", nmissing ? ", " : "",
					   pe);
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

/* The lowest PE with an error decides, and prints. */
static int first_error(const struct card *cards, size_t *heap_align_p)
{
	int pe;

	*heap_align_p = SIZE_MAX;
	for (pe = 0; pe < gshmemi_job->npes; pe++) {
		if (cards[pe].rc) {
			gshmemi_log_release(pe == gshmemi_job->my_pe);
			return (int)cards[pe].rc;
		}
		if (cards[pe].heap_align < *heap_align_p)
			*heap_align_p = cards[pe].heap_align;
	}
	return 0;
}

/* Variables are symmetric if all PEs run the same program. */
static void compare_globals(const struct card *cards)
{
	int pe, other = 0;

	for (pe = 1; pe < gshmemi_job->npes; pe++)
		if (cards[pe].globals_layout != cards[0].globals_layout && !other)
			other = pe;
	gshmemi_globals_use(!other && cards[0].globals_layout);
	if (other && gshmemi_job->my_pe == 0)
		gshmemi_warn("init: PE %d runs another program than PE 0: its variables are not symmetric", other);
}

static int connect_peers(const struct card *cards, int device, char *heap, struct gshmemi_sync *sync,
			 const struct gshmemi_peers *peers)
{
	bool has_atomics = false;
	int rc;

	mappings = calloc((size_t)gshmemi_job->npes, sizeof *mappings);
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

/* PEs of this node with the device of this PE. */
static int count_sharers(const struct card *cards)
{
	const struct card *mine = &cards[gshmemi_job->my_pe];
	int pe, n = 0;

	for (pe = 0; pe < gshmemi_job->npes; pe++)
		n += gshmemi_job->peers[pe].is_local &&
		     memcmp(&cards[pe].device, &mine->device, sizeof mine->device) == 0;
	return n;
}

int gshmemi_map_open(int rc, int device, int life_fd, char *heap, struct gshmemi_sync *sync, const struct gshmemi_peers *peers,
		     size_t *heap_align_p)
{
	struct card mine, *cards;

	memset(&mine, 0, sizeof mine);
	cards = calloc((size_t)gshmemi_job->npes, sizeof *cards);
	if (!cards)
		gshmemi_end(1); /* the other PEs are in the exchange and cannot be told */
	if (!rc)
		rc = fill_card(&mine, device, life_fd, heap, sync);
	mine.rc = rc;
	gshmemi_bootstrap_allgather(&mine, cards, sizeof mine);
	rc = first_error(cards, heap_align_p);
	if (!rc) {
		gshmemi_job_set_sharers(count_sharers(cards));
		clear(peers);
		compare_globals(cards);
		rc = connect_peers(cards, device, heap, sync, peers);
	}
	free(cards);
	return rc;
}

void gshmemi_map_close(void)
{
	int pe;

	for (pe = 0; mappings && pe < gshmemi_job->npes; pe++) {
		close_mapping(&mappings[pe].heap);
		close_mapping(&mappings[pe].sync);
		close_mapping(&mappings[pe].globals);
	}
	free(mappings);
	mappings = NULL;
}
