/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions that come into being after init. Each PE tells the others of its part by a card in the sync region, which its peers read
 * between two meetings: MPI is not asked, and needs no thread level, where all PEs map each other.
 */
#include "host/host.h"

#include <gshmem/state/pe.h>
#include <pthread.h>

#include "base/devmem.h"
#include "device/state.h"
#include "heap/heap.h"
#include "ipc/job.h"
#include "ipc/region.h"
#include "net/mailbox.h"
#include "net/net.h"
#include "team/team.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one call of this PE at a time */

/* This PE's part, and its card. */
static int add(int number, void *base, uint64_t nbytes)
{
	struct gshmemi_memory card = {.nbytes = 0};
	int previous, rc = 0;

	_Static_assert(sizeof card <= sizeof(struct gshmemi_sync) - GSHMEMI_STAGE_LINE, "it fits, and the lock of the mailbox");
	if (number < 0) {
		gshmemi_error("gshmemi_region_create: there are %d regions already", GSHMEMI_NREGIONS - GSHMEMI_NFIXED);
		return -ENOSPC;
	}
	previous = gshmemi_devmem_enter();
	if (nbytes)
		rc = gshmemi_memory_export(base, "gshmemi_region_create", "region", &card);
	gshmemi_devmem_leave(previous);
	if (!rc && nbytes && nbytes > card.nbytes - card.offset) {
		gshmemi_error("gshmemi_region_create: %p: the allocation ends after %llu of %llu bytes", base,
			      (unsigned long long)(card.nbytes - card.offset), (unsigned long long)nbytes);
		rc = -EINVAL;
	}
	if (!rc)
		rc = gshmemi_devmem_copy(gshmemi_heap.card, &card, sizeof card, "gshmemi_region_create");
	return rc ? rc : gshmemi_region_add((unsigned)number, base, nbytes, "region");
}

/* Where the sync region of a peer is out of reach, the region is, too. */
static void read_cards(unsigned region)
{
	struct gshmemi_memory card;
	int i, pe;

	for (i = 0; i < gshmemi_job->npeers; i++) {
		pe = gshmemi_job->peers[i].pe;
		if (gshmemi_region_delta(GSHMEMI_REGION_SYNC, pe) == GSHMEMI_SENTINEL) /* it stays unmapped, as that is */
			continue;
		gshmemi_host_get(GSHMEMI_REGION_SYNC, &card, gshmemi_heap.card, sizeof card, 8, pe, 0, "gshmemi_region_create");
		gshmemi_region_tell(region, i, &card);
	}
}

/* Of create extra is the alignment, of destroy the region. */
static void describe(const struct gshmemi_request *first, const struct gshmemi_request *other, int pe)
{
	gshmemi_error("%s: PE 0 passed %s %llu but PE %d passed %llu", gshmemi_meet_name(first->call),
		      first->call == GSHMEMI_MEET_REGION_CREATE ? "an address that divided by 16 leaves" : "region",
		      (unsigned long long)first->extra, pe, (unsigned long long)other->extra);
}

int gshmemi_region_create(void *base, uint64_t nbytes, unsigned *region_p)
{
	struct gshmemi_request request = {.call = GSHMEMI_MEET_REGION_CREATE, .extra = (uintptr_t)base % 16};
	int number, rc;

	rc = gshmemi_enter_collective_int("gshmemi_region_create");
	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	gshmemi_log_hold();
	number = gshmemi_region_find_free();
	request.rc = add(number, base, nbytes);
	rc = gshmemi_meet(&request, describe);
	if (!rc) {
		read_cards((unsigned)number);
		gshmemi_mailbox_reach((unsigned)number);
		rc = gshmemi_meet(&request, NULL);
		*region_p = (unsigned)number;
	} else if (!request.rc) {
		gshmemi_region_remove((unsigned)number);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

int gshmemi_region_use(unsigned region)
{
	int rc = gshmemi_region_open(region), i;
	bool is_whole = true;

	for (i = 0; i < gshmemi_job->npeers; i++)
		is_whole &= gshmemi_region_delta(region, gshmemi_job->peers[i].pe) != GSHMEMI_SENTINEL;
	if (rc || is_whole)
		return rc;
	return gshmemi_state_add_slow(GSHMEMI_SLOW_PEERS | (gshmemi_net_is_running() ? GSHMEMI_SLOW_NET | GSHMEMI_SLOW_MIXED : 0));
}

/* What carriers and kernels of this process have open in any region. */
static void complete(void)
{
	gshmem_quiet();
	gshmemi_host_quiet(GSHMEMI_CTX_LIBRARY, NULL, 0, "gshmemi_region_destroy");
#if GSHMEMI_ARCH_HAS_DELIVERY
	gshmemi_delivery_flush(); /* of all contexts */
#endif
}

int gshmemi_region_destroy(unsigned region)
{
	struct gshmemi_request request = {.call = GSHMEMI_MEET_REGION_DESTROY, .extra = region};
	int rc;

	rc = gshmemi_enter_collective_int("gshmemi_region_destroy");
	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	complete();
	gshmemi_log_hold();
	if (!gshmemi_region_exists(region)) {
		gshmemi_error("gshmemi_region_destroy: there is no region %u", region);
		request.rc = -ENOENT;
	}
	rc = gshmemi_meet(&request, describe);
	if (!rc)
		gshmemi_region_remove(region);
	pthread_mutex_unlock(&lock);
	return rc;
}
