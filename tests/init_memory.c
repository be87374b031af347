/* SPDX-License-Identifier: BSD-3-Clause */
/* run: -n 1,3 */
/* env: GSHMEM_HEAP_SIZE=1m | GSHMEM_HEAP_SIZE=1m GSHMEM_CHECK=1 GSHMEM_HEAP_KIND=fine GSHMEM_RPC_SLOTS=64 */
/* delivery: no */
/* platform: cpu */
/* links: inner */
/* races: no, it counts exchanges of init */
/*
 * gshmem-info --scale predicts exactly what init takes: device memory, pinned memory, exchanges and handles.
 * This program counts what the library requests from HIP.
 */
#include <dlfcn.h>
#include <string.h>

#include "base/scale.h"
#include "bootstrap/bootstrap.h"
#include "helpers.h"
#include "ipc/opening.h"
#include "job/job.h"

#define UNIT ((size_t)2 << 20) /* handles of shared memory */

static size_t ndevice, npinned;

hipError_t hipMalloc(void **ptr, size_t nbytes)
{
	static hipError_t (*next)(void **, size_t);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "hipMalloc");
	ndevice += nbytes;
	return next(ptr, nbytes);
}

hipError_t hipExtMallocWithFlags(void **ptr, size_t nbytes, unsigned flags)
{
	static hipError_t (*next)(void **, size_t, unsigned);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "hipExtMallocWithFlags");
	ndevice += nbytes;
	return next(ptr, nbytes, flags);
}

hipError_t hipHostMalloc(void **ptr, size_t nbytes, unsigned flags)
{
	static hipError_t (*next)(void **, size_t, unsigned);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "hipHostMalloc");
	npinned += nbytes;
	return next(ptr, nbytes, flags);
}

static uint64_t sum(const struct gshmemi_scale *scale, enum gshmemi_scale_kind kind)
{
	uint64_t nbytes = 0;
	unsigned i;

	for (i = 0; i < scale->nitems; i++)
		nbytes += scale->items[i].kind == kind ? scale->items[i].nbytes : 0;
	return nbytes;
}

int main(void)
{
	struct gshmemi_traffic traffic;
	struct gshmemi_scale scale;
	size_t device, pinned;
	int i;

	gshmem_init();
	device = ndevice;
	pinned = npinned;
	traffic = *gshmemi_bootstrap_traffic();
	t_equal(gshmemi_scale_fill(gshmem_n_pes(), gshmem_team_n_pes(GSHMEMX_TEAM_NODE), &scale), 0, "scale");
	t_check(sum(&scale, GSHMEMI_SCALE_DEVICE) > UNIT,
		"the heap's allocation, which is no internal memory, is one unit");
	t_equal(device - UNIT, sum(&scale, GSHMEMI_SCALE_DEVICE), "device memory");
	t_equal(pinned, sum(&scale, GSHMEMI_SCALE_PINNED), "pinned memory");
	t_equal(gshmemi_openings_count().nopened, scale.nhandles, "handles");
	for (i = 0; i < 2; i++) {
		t_equal(traffic.nexchanges[i], scale.traffic.nexchanges[i],
			i ? "exchanges on the machine" : "exchanges");
		t_equal(traffic.nbytes[i], scale.traffic.nbytes[i],
			i ? "bytes exchanged on the machine" : "bytes exchanged");
	}
	gshmem_finalize();
	return 0;
}
