/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds up what each module takes in a job of a given size, in the order in which init opens them. */
#include "base/scale.h"

#include <string.h>

#include "device/devmem.h"
#include "heap/heap.h"
#include "host/host.h"
#include "ipc/map.h"
#include "ipc/region.h"
#include "job/job.h"
#include "job/life.h"
#include "net/net.h"
#include "rpc/rpc.h"
#include "team/team.h"
#include "win/win.h"

int gshmemi_scale_fill(int npes, int npeers, struct gshmemi_scale *scale)
{
	memset(scale, 0, sizeof *scale);
	scale->npes = npes;
	scale->npeers = npeers;
	gshmemi_job_scale(scale);
	gshmemi_life_scale(scale);
	gshmemi_init_scale(scale);
	gshmemi_devmem_scale(scale);
	gshmemi_heap_scale(scale);
	gshmemi_map_scale(scale);
	gshmemi_regions_scale(scale);
	gshmemi_net_scale(scale);
	gshmemi_teams_scale(scale);
	gshmemi_contexts_scale(scale);
	gshmemi_windows_scale(scale);
	gshmemi_scale_add(scale, GSHMEMI_SCALE_CONSTANT, "state", sizeof(struct gshmemi_state));
	return gshmemi_rpc_scale(scale);
}
