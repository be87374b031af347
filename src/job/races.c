/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the race detector of the cpu platform (platform/cpu/race/), which programs built with SAN=races have: the
 * memory that the PEs share, and where the regions are in it.
 */
#include "job/races.h"

void gshmemx_race_ok(const void *addr, size_t nbytes)
{
	gshmemi_races_are_ok(addr, nbytes);
}

#if GSHMEMI_WATCHES_RACES

#include <string.h>

#include "bootstrap/bootstrap.h"
#include "job/job.h"

#define MOST_PES    64
#define MOST_NBYTES (1ULL << 38) /* of a window that is watched */

/* The file of PE 0, for the others. */
struct shared {
	int pid, file, rc;
};

int gshmemi_races_open(void)
{
	struct shared shared = {0};
	int rc;

	if (gshmemi_job->nlocal < gshmemi_job->npes || gshmemi_env.CARRY || gshmemi_job->npes > MOST_PES) {
		gshmemi_error(
			"races: PEs on several nodes, operations that are carried, and more than %d PEs "
			"cannot be watched",
			MOST_PES);
		return -ENOTSUP;
	}
	if (gshmemi_job->my_pe == 0)
		shared.rc = gshmemi_detector_make(&shared.pid, &shared.file);
	gshmemi_bootstrap_broadcast(&shared, sizeof shared, 0);
	rc = shared.rc ? shared.rc
		       : gshmemi_detector_open(gshmemi_job->my_pe, gshmemi_job->npes, shared.pid, shared.file,
				 gshmemi_end_spoil);
	if (rc)
		gshmemi_error("races: the PEs cannot share memory: %s", strerror(-rc));
	return rc;
}

void gshmemi_races_close(void)
{
	gshmemi_detector_close();
}

void gshmemi_races_part(unsigned region, int pe, const void *base, uint64_t nbytes)
{
	/* a dynamic window may have all addresses */
	const bool is_data = region == GSHMEMI_REGION_HEAP || region == GSHMEMI_REGION_GLOBALS ||
		(region >= GSHMEMI_NFIXED && nbytes <= MOST_NBYTES);

	gshmemi_detector_part(pe, region, base, nbytes, is_data);
}

void gshmemi_races_remove(unsigned region)
{
	gshmemi_detector_remove(region);
}

void gshmemi_races_are_ok(const void *addr, size_t nbytes)
{
	gshmemi_detector_ok(addr, nbytes);
}

#endif
