/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the device of this PE, checks that it can run the code that this library was built with, and says
 * what to do if not.
 */
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/coll.h"
#include "device/kernels.h"
#include "device/stream.h"
#include "job/job.h"
#include "owner/kernels.h"
#include "trace/kernels.h"

/* The architectures this binary was built for. */
#ifndef GSHMEMI_GPU_ARCHS
#define GSHMEMI_GPU_ARCHS GSHMEMI_ARCH_NAME
#endif
/* On AMD GPUs, the version of its code objects; 0: there are none. */
#ifndef GSHMEMI_CODE_OBJECT
#define GSHMEMI_CODE_OBJECT 0
#endif

/* A version of HIP's runtime as two numbers, for "%d.%d". */
#define NUMBERS(version) \
	(version) / GSHMEMI_ARCH_RUNTIME_MAJOR, \
		(version) % GSHMEMI_ARCH_RUNTIME_MAJOR / (GSHMEMI_ARCH_RUNTIME_MAJOR / 100)

/*
 * HIP 5.2 gives a stream 32 signals. Behind a kernel that waits, each event, each callback and each copy from
 * or to the host's memory keeps one, and the call that finds none left does not return. HIP reads the
 * variable at the program's first call, so the library sets it before main.
 */
__attribute__((constructor)) static void enlarge_signal_pool(void)
{
	char text[16];

	if (!GSHMEMI_ARCH_SIGNAL_POOL)
		return;
	snprintf(text, sizeof text, "%d", GSHMEMI_ARCH_SIGNAL_POOL);
	setenv("ROC_SIGNAL_POOL_SIZE", text, 0);
}

/* What the user can do when there is no device. */
static const char *remedy(hipError_t error)
{
	if (error == hipErrorInsufficientDriver)
		return "no GPU driver is loaded, or the driver is older than the runtime this program was "
		       "linked with";
	return "is the driver loaded, may this user open the devices (groups render and video), and do "
	       "ROCR_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES or CUDA_VISIBLE_DEVICES hide them? Without a GPU: "
	       "build with PLATFORM=cpu";
}

/* When there is no device HIP returns an error; CUDA may return 0 devices instead. */
static int find_ndevices(int *ndevices_p)
{
	hipError_t error;
	int ndevices = 0;

	error = hipGetDeviceCount(&ndevices);
	if (error == hipSuccess && ndevices < 1)
		error = hipErrorNoDevice;
	switch (error) {
	case hipSuccess:
		*ndevices_p = ndevices;
		return 0;
	case hipErrorNoDevice:
	case hipErrorInvalidDevice:
	case hipErrorInsufficientDriver:
		return gshmemi_hip_advise(error, remedy(error),
			"init: hipGetDeviceCount: no GPU for platform %s", GSHMEMI_ARCH_NAME);
	default:
		return gshmemi_hip(error, "init: hipGetDeviceCount");
	}
}

/*
 * Finds the device that the program has already used or chosen. That is the current one, unless it is device
 * 0 and not in use: every thread starts with device 0. -1 if there is none.
 */
static int find_current(int *device_p)
{
	int current, is_active = 0, rc;
	unsigned flags;

	rc = gshmemi_hip(hipGetDevice(&current), "init: hipGetDevice");
	if (rc)
		return rc;
	if (current == 0)
		rc = gshmemi_hip(hipDevicePrimaryCtxGetState(current, &flags, &is_active),
			"init: hipDevicePrimaryCtxGetState of device %d", current);
	if (rc)
		return rc;
	*device_p = current || is_active ? current : -1;
	return 0;
}

static void name_device(int device, char *name, size_t nbytes)
{
	hipDeviceProp_t properties;

	if (hipGetDeviceProperties(&properties, device) == hipSuccess)
		snprintf(name, nbytes, "%s, architecture %d.%d", properties.name, properties.major,
			properties.minor);
	else
		snprintf(name, nbytes, "a GPU of unknown architecture");
}

/* The runtime must have the calls that the library makes. */
static int check_runtime(int *version_p)
{
	const int rc = gshmemi_hip(hipRuntimeGetVersion(version_p), "init: hipRuntimeGetVersion");

	if (rc || *version_p >= GSHMEMI_ARCH_RUNTIME_SINCE)
		return rc;
	gshmemi_error("init: the GPU's runtime has version %d.%d; gshmem needs %d.%d or newer",
		NUMBERS(*version_p), NUMBERS(GSHMEMI_ARCH_RUNTIME_SINCE));
	return -ENOTSUP;
}

static int report_binary(hipError_t error, int device, int version)
{
	const bool is_too_new = GSHMEMI_CODE_OBJECT > 4 && version / GSHMEMI_ARCH_RUNTIME_MAJOR < 6;
	char name[320], objects[48] = "";

	name_device(device, name, sizeof name);
	if (GSHMEMI_CODE_OBJECT)
		snprintf(objects, sizeof objects, " in code objects of version %d", GSHMEMI_CODE_OBJECT);
	return gshmemi_hip_advise(error,
		is_too_new ? "HIP 5 takes code objects of version 4: build the library, and the program, "
			     "with CODE_OBJECT=4 (-mcode-object-version=4)"
			   : "build the library, and the program, with GPU_ARCHS= that of the device",
		"init: hipFuncGetAttributes: libgshmem was built for %s%s, device %d is %s, and its runtime "
		"has version %d.%d",
		GSHMEMI_GPU_ARCHS, objects, device, name, NUMBERS(version));
}

/*
 * Asks for all of the library's kernels. A binary without code for this GPU fails here rather than in the
 * user's first launch. And a runtime that would load a kernel at its first launch, and wait for running
 * kernels to do so, loads it here.
 */
static int check_binary(int device)
{
	static hipError_t (*const load[])(void) = {gshmemi_devmem_probe, gshmemi_coll_load,
		gshmemi_stream_load, gshmemi_attend_load, gshmemi_update_load, gshmemi_clock_load};
	hipError_t error = hipSuccess;
	int version, rc = check_runtime(&version);
	size_t i;

	for (i = 0; !rc && i < sizeof load / sizeof *load; i++) {
		error = load[i]();
		if (error != hipSuccess)
			rc = report_binary(error, device, version);
	}
	return rc;
}

/*
 * Kernels take the rate of the GPU's clock from a table. If the runtime reports another rate, the runtime is
 * right and the times that kernels measure are off by the ratio. That deserves a warning, not an error.
 */
static void check_clock(int device)
{
#if GSHMEMI_ARCH_HAS_TICKS
	hipDeviceProp_t properties;
	int khz = 0, known_khz;

	if (hipDeviceGetAttribute(&khz, GSHMEMI_ARCH_CLOCK_RATE, device) != hipSuccess || khz <= 0 ||
		hipGetDeviceProperties(&properties, device) != hipSuccess) {
		(void)hipGetLastError();
		return;
	}
	known_khz = 1000000 / GSHMEMI_ARCH_TICK_NS(properties.gcnArchName);
	if (khz != known_khz)
		gshmemi_warn("init: the clock of device %d, %s, runs at %d kHz, but kernels assume %d kHz: "
			     "the times that they measure, GSHMEM_WATCHDOG's too, are off by that factor",
			device, properties.gcnArchName, khz, known_khz);
#else
	(void)device;
#endif
}

int gshmemi_device_choose(int wanted, int *device_p)
{
	int ndevices = 0, device = wanted, rc;

	rc = find_ndevices(&ndevices);
	if (rc)
		return rc;
	if (wanted >= ndevices) {
		gshmemi_error("init: device %d was asked for, but this machine has %d (GSHMEM_DEVICE)",
			wanted, ndevices);
		return -ENODEV;
	}
	if (device < 0)
		rc = find_current(&device);
	if (rc)
		return rc;
	if (device < 0)
		device = gshmemi_job->rank % ndevices;
	rc = gshmemi_hip(hipSetDevice(device), "init: hipSetDevice to %d", device);
	if (!rc)
		rc = check_binary(device);
	if (rc)
		return rc;
	check_clock(device);
	*device_p = device;
	return 0;
}
