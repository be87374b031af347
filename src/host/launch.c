/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches kernels whose work-groups wait for each other: either all work-groups can be resident at once, on
 * every PE, or no PE launches.
 */
#include "base/base.h"

#include <inttypes.h>
#include <pthread.h>

#include "device/devmem.h"
#include "end/end.h"
#include "host/host.h"
#include "job/job.h"
#include "op/op.h"
#include "team/team.h"

/* How many work-groups of one kernel the current device can hold. */
struct room {
	int per_cu;
	int ncus;
	int nsharers; /* PEs that share this device */
};

/*
 * Each PE gets an equal part of the device. HIP may already count only the part that a process is limited to,
 * which must not be divided again: each PE then gets the smaller of the two parts.
 */
static unsigned room_for(const struct room *room)
{
	const unsigned per_cu = (unsigned)room->per_cu;
	const unsigned share =
		per_cu * (unsigned)GSHMEMI_ARCH_WHOLE_CUS(room->ncus) / (unsigned)room->nsharers;
	const unsigned limit = per_cu * (unsigned)room->ncus;

	return share < limit ? share : limit;
}

/*
 * HIP divides the shared memory of a compute unit by the bytes that a work-group uses. Where the hardware
 * gives it in units, fewer work-groups fit.
 */
static int cap_by_shared(const void *func, size_t shared_nbytes, int device, struct room *room)
{
	int rc = 0;
#if GSHMEMI_ARCH_ROUNDS_SHARED
	hipFuncAttributes attributes;
	hipDeviceProp_t properties;
	size_t unit;
	int has_nbytes;

	rc = gshmemi_hip(
		hipFuncGetAttributes(&attributes, func), "gshmemx_collective_launch: hipFuncGetAttributes");
	shared_nbytes += rc ? 0 : attributes.sharedSizeBytes;
	if (rc || !shared_nbytes)
		return rc;
	rc = gshmemi_hip(hipGetDeviceProperties(&properties, device),
		"gshmemx_collective_launch: hipGetDeviceProperties");
	if (!rc)
		rc = gshmemi_hip(hipDeviceGetAttribute(&has_nbytes,
					 hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, device),
			"gshmemx_collective_launch: hipDeviceGetAttribute");
	if (rc)
		return rc;
	unit = GSHMEMI_ARCH_SHARED_UNIT(properties.gcnArchName);
	shared_nbytes = (shared_nbytes + unit - 1) / unit * unit;
	if ((size_t)has_nbytes / shared_nbytes < (size_t)room->per_cu)
		room->per_cu = (int)((size_t)has_nbytes / shared_nbytes);
#else
	(void)func;
	(void)shared_nbytes;
	(void)device;
	(void)room;
#endif
	return rc;
}

static int find_room(const void *func, const unsigned block[3], size_t shared_nbytes, struct room *room_p)
{
	struct room room = {0, 0, gshmemi_job->nsharers};
	uint64_t nthreads = (uint64_t)block[0] * block[1] * block[2];
	int device, is_cooperative = 0, rc;

	rc = gshmemi_hip(hipGetDevice(&device), "gshmemx_collective_launch: hipGetDevice");
	if (!rc)
		rc = gshmemi_hip(
			hipDeviceGetAttribute(&is_cooperative, hipDeviceAttributeCooperativeLaunch, device),
			"gshmemx_collective_launch: hipDeviceGetAttribute");
	if (!rc)
		rc = gshmemi_hip(
			hipDeviceGetAttribute(&room.ncus, hipDeviceAttributeMultiprocessorCount, device),
			"gshmemx_collective_launch: hipDeviceGetAttribute");
	if (rc)
		return rc;
	if (!is_cooperative) {
		gshmemi_error("gshmemx_collective_launch: device %d has no cooperative launch", device);
		return -ENOTSUP;
	}
	if (!nthreads || nthreads > INT32_MAX) {
		gshmemi_error("gshmemx_collective_launch: no work-group has %u x %u x %u threads", block[0],
			block[1], block[2]);
		return -EINVAL;
	}
	rc = gshmemi_hip(hipOccupancyMaxActiveBlocksPerMultiprocessor(
				 &room.per_cu, func, (int)nthreads, shared_nbytes),
		"gshmemx_collective_launch: hipOccupancyMaxActiveBlocksPerMultiprocessor of %" PRIu64
		" threads, %zu bytes of shared memory",
		nthreads, shared_nbytes);
	if (!rc)
		rc = cap_by_shared(func, shared_nbytes, device, &room);
	if (!rc)
		*room_p = room;
	return rc;
}

static int check_room(const void *func, const unsigned grid[3], const unsigned block[3], size_t shared_nbytes)
{
	uint64_t ngroups = (uint64_t)grid[0] * grid[1] * grid[2];
	struct room room;
	int rc;

	rc = find_room(func, block, shared_nbytes, &room);
	if (rc || (ngroups && ngroups <= room_for(&room)))
		return rc;
	if (!ngroups) {
		gshmemi_error("gshmemx_collective_launch: a grid of %u x %u x %u is empty", grid[0], grid[1],
			grid[2]);
		return -EINVAL;
	}
	gshmemi_error("gshmemx_collective_launch: %" PRIu64
		      " work-groups of %u threads: %u can be resident at once (%d on each of %d compute "
		      "units, for %d PEs that share the device); the others would never start while these "
		      "wait for them: launch fewer, or smaller ones",
		ngroups, block[0] * block[1] * block[2], room_for(&room), room.per_cu, room.ncus,
		room.nsharers);
	return -E2BIG;
}

int gshmemi_host_launch_begin(
	const void *func, const unsigned grid[3], const unsigned block[3], size_t shared_nbytes)
{
	struct gshmemi_request request = {GSHMEMI_MEET_LAUNCH, 0, 0, 0};
	int rc;

	rc = gshmemi_enter_collective_int("gshmemx_collective_launch");
	if (rc)
		return rc;
	gshmemi_log_hold();
	request.rc = check_room(func, grid, block, shared_nbytes);
	return gshmemi_meet(&request, NULL);
}

/* The end of the process's last collective launch. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hipEvent_t last_end; /* NULL: there has been none */
static hipStream_t last_stream;

/*
 * Tells the watchdog if the launch came while one on another stream was under way. The launch itself has
 * succeeded, so errors here count for nothing. Of a launch that a graph captures, nobody knows when it comes.
 */
static void remember(hipStream_t stream)
{
	hipError_t error = hipSuccess;
	bool is_captured;

	if (gshmemi_stream_is_captured(stream, "gshmemx_collective_launch", &is_captured) || is_captured)
		return;
	if (last_end)
		gshmemi_launches_overlap(
			stream != last_stream && !gshmemi_devmem_is_reached(last_end, &error));
	else
		error = hipEventCreateWithFlags(&last_end, hipEventDisableTiming);
	if (error == hipSuccess)
		error = hipEventRecord(last_end, stream);
	gshmemi_hip_ignore(error, "gshmemx_collective_launch: an event");
	last_stream = stream;
}

int gshmemi_host_launch_end(int hip_error, void *stream)
{
	int rc = gshmemi_hip((hipError_t)hip_error, "gshmemx_collective_launch: hipLaunchCooperativeKernel");
	struct gshmemi_devmem_caller caller;

	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	caller = gshmemi_devmem_enter();
	remember((hipStream_t)stream);
	gshmemi_devmem_leave(caller);
	pthread_mutex_unlock(&lock);
	return 0;
}

void gshmemi_launch_close(void)
{
	if (last_end)
		gshmemi_hip_ignore(hipEventDestroy(last_end), "finalize: hipEventDestroy");
	last_end = NULL;
	gshmemi_launches_overlap(false);
}

int gshmemx_collective_launch(const void *func, const unsigned grid[3], const unsigned block[3], void **args,
	size_t shared_nbytes, void *stream)
{
	const dim3 ngroups = {grid[0], grid[1], grid[2]}, nthreads = {block[0], block[1], block[2]};
	int rc;

	rc = gshmemi_host_launch_begin(func, grid, block, shared_nbytes);
	if (rc)
		return rc;
	return gshmemi_host_launch_end(hipLaunchCooperativeKernel(func, ngroups, nthreads, args,
					       (unsigned)shared_nbytes, (hipStream_t)stream),
		stream);
}

int gshmemx_collective_launch_limit(
	const void *func, const unsigned block[3], size_t shared_nbytes, unsigned *ngroups)
{
	struct room room;
	int rc;

	rc = gshmemi_enter_int("gshmemx_collective_launch_limit");
	if (!rc)
		rc = find_room(func, block, shared_nbytes, &room);
	if (!rc)
		*ngroups = room_for(&room);
	return rc;
}
