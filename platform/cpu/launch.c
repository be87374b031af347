/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches: checks them, computes occupancy, and queues the grid in its stream. */
#include <stdlib.h>
#include <string.h>

#include "block.h"

static void run_launch(struct hipcpu_item *item)
{
	struct launch *launch = (struct launch *)item;

	hipcpu_race_release(&launch->params);
	hipcpu_worker_run(launch);
	hipcpu_race_acquire_mark(&launch->done);
	hipcpu_race_forget(&launch->params);
	hipcpu_race_forget(&launch->done);
}

static void drop_launch(struct hipcpu_item *item)
{
	struct launch *launch = (struct launch *)item;

	launch->params.drop(launch->params.closure);
}

static void number_launch(struct hipcpu_item *item)
{
	static _Atomic uint64_t nserials;
	struct launch *launch = (struct launch *)item;

	launch->serial = atomic_fetch_add(&nserials, launch->nblocks);
}

static hipError_t check(const struct hipcpu_launch_params *p, uint64_t *nblocks_p)
{
	uint64_t nthreads = (uint64_t)p->block.x * p->block.y * p->block.z;

	if (!p->grid.x || !p->grid.y || !p->grid.z || !nthreads)
		return hipErrorInvalidConfiguration;
	if (p->block.x > HIPCPU_MAX_THREADS || p->block.y > HIPCPU_MAX_THREADS ||
		p->block.z > HIPCPU_MAX_THREADS || nthreads > HIPCPU_MAX_THREADS || p->grid.x > INT32_MAX ||
		p->grid.y > 65535 || p->grid.z > 65535)
		return hipErrorInvalidConfiguration;
	if (p->shared_bytes > 64 << 10)
		return hipErrorInvalidValue;
	*nblocks_p = (uint64_t)p->grid.x * p->grid.y * p->grid.z;
	if (p->cooperative && *nblocks_p > hipcpu_config()->nblocks)
		return hipErrorCooperativeLaunchTooLarge;
	return hipSuccess;
}

static hipError_t submit(const struct hipcpu_launch_params *p)
{
	struct ihipStream_t *stream = hipcpu_stream(p->stream);
	struct launch *launch;
	uint64_t nblocks;
	hipError_t err;

	if (!stream)
		err = hipErrorInvalidHandle;
	else
		err = check(p, &nblocks);
	if (err) {
		p->drop(p->closure);
		return err;
	}
	launch = calloc(1, sizeof(*launch));
	if (!launch) {
		p->drop(p->closure);
		return hipErrorOutOfMemory;
	}
	launch->item = (struct hipcpu_item){
		.run = run_launch, .drop = drop_launch, .renew = number_launch, .nbytes = sizeof(*launch)};
	launch->params = *p;
	launch->params.stream = stream;
	launch->nblocks = nblocks;
	hipcpu_watchdog_start();
	hipcpu_launch_record(p);
	return hipcpu_stream_submit(stream, &launch->item);
}

hipError_t hipcpu_launch_bound(const struct hipcpu_launch_params *params)
{
	return submit(params);
}

hipError_t hipcpu_launch(const struct hipcpu_launch_params *params)
{
	hipError_t err =
		hipcpu_api_enter(params->cooperative ? "hipLaunchCooperativeKernel" : "hipLaunchKernel");

	if (err)
		params->drop(params->closure);
	else
		err = submit(params);
	return hipcpu_api_leave(err);
}

/* ---- the functions for C ---- */

hipError_t hipLaunchKernel(
	const void *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes, hipStream_t stream)
{
	HIPCPU_ENTER(hipLaunchKernel);
	(void)kernel, (void)grid, (void)block, (void)args, (void)shared_bytes, (void)stream;
	hipcpu_message(
		"hipLaunchKernel: the kernel's parameter types are needed: pass it as a function, from C++");
	HIPCPU_LEAVE(hipErrorInvalidDeviceFunction);
}

hipError_t hipLaunchCooperativeKernel(
	const void *kernel, dim3 grid, dim3 block, void **args, unsigned shared_bytes, hipStream_t stream)
{
	HIPCPU_ENTER(hipLaunchCooperativeKernel);
	(void)kernel, (void)grid, (void)block, (void)args, (void)shared_bytes, (void)stream;
	hipcpu_message("hipLaunchCooperativeKernel: the kernel's parameter types are needed: pass it as a "
		       "function, from C++");
	HIPCPU_LEAVE(hipErrorInvalidDeviceFunction);
}

hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *kernel)
{
	HIPCPU_ENTER(hipFuncGetAttributes);
	if (!attributes)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!kernel)
		HIPCPU_LEAVE(hipErrorInvalidDeviceFunction);
	memset(attributes, 0, sizeof(*attributes));
	attributes->maxThreadsPerBlock = HIPCPU_MAX_THREADS;
	attributes->maxDynamicSharedSizeBytes = 64 << 10;
	attributes->numRegs = 32;
	HIPCPU_LEAVE(hipSuccess);
}

/* Each block is a thread here, so its size does not matter. */
hipError_t hipcpu_occupancy(int *nblocks, int block_size, size_t shared_bytes)
{
	if (!nblocks || block_size <= 0)
		return hipErrorInvalidValue;
	*nblocks = 0;
	if (block_size <= HIPCPU_MAX_THREADS && shared_bytes <= 64 << 10)
		*nblocks = (int)(hipcpu_config()->nblocks / hipcpu_config()->ncus);
	return hipSuccess;
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(
	int *nblocks, const void *kernel, int block_size, size_t shared_bytes)
{
	HIPCPU_ENTER(hipOccupancyMaxActiveBlocksPerMultiprocessor);
	if (!kernel)
		HIPCPU_LEAVE(hipErrorInvalidDeviceFunction);
	HIPCPU_LEAVE(hipcpu_occupancy(nblocks, block_size, shared_bytes));
}

hipError_t hipOccupancyMaxPotentialBlockSize(
	int *grid_size, int *block_size, const void *kernel, size_t shared_bytes, int block_size_limit)
{
	HIPCPU_ENTER(hipOccupancyMaxPotentialBlockSize);
	if (!grid_size || !block_size || block_size_limit < 0 || shared_bytes > 64 << 10)
		HIPCPU_LEAVE(hipErrorInvalidValue);
	if (!kernel)
		HIPCPU_LEAVE(hipErrorInvalidDeviceFunction);
	*block_size = HIPCPU_MAX_THREADS;
	if (block_size_limit && block_size_limit < *block_size)
		*block_size = block_size_limit;
	*grid_size = (int)hipcpu_config()->nblocks;
	HIPCPU_LEAVE(hipSuccess);
}
